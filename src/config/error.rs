//! What is wrong with a configuration: all of it, each mistake with its place.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::tree::Place;

/// One mistake in a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    pub(super) path: String,
    pub(super) place: Option<Place>,
    pub(super) message: String,
    /// It is about something that is not there.
    pub(super) missing: bool,
}

impl ConfigError {
    /// Where it is, in keys: `resources.api.rate`. Empty for what concerns the whole file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Its line, from 1: of all mistakes in TOML, and of text that is no JSON.
    pub fn line(&self) -> Option<usize> {
        self.place.map(|place| place.line)
    }

    /// Its column in characters, from 1, where there is a line.
    pub fn column(&self) -> Option<usize> {
        self.place.map(|place| place.column)
    }

    /// What is wrong and what would be right, with the path, as one sentence.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// The place, where there is one, and the message.
impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{}:{}: ", place.line, place.column)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigError {}

/// Everything that is wrong with a configuration. Never empty.
///
/// It is displayed over several lines, a mistake on each, with the file's name if it was
/// [loaded](super::Config::load): terminals and editors make links of `bursar.toml:7:11`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors {
    file: Option<PathBuf>,
    mistakes: Vec<ConfigError>,
}

impl ConfigErrors {
    pub(super) fn new(mistakes: Vec<ConfigError>) -> Self {
        debug_assert!(!mistakes.is_empty());
        ConfigErrors { file: None, mistakes }
    }

    pub(super) fn in_file(mut self, file: &Path) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    /// The mistakes: of TOML by line, of JSON as they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, ConfigError> {
        self.mistakes.iter()
    }

    /// The file that they are in, if it was [loaded](super::Config::load).
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }
}

impl<'a> IntoIterator for &'a ConfigErrors {
    type Item = &'a ConfigError;
    type IntoIter = std::slice::Iter<'a, ConfigError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for ConfigErrors {
    type Item = ConfigError;
    type IntoIter = std::vec::IntoIter<ConfigError>;

    fn into_iter(self) -> Self::IntoIter {
        self.mistakes.into_iter()
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mistakes.len() {
            1 => write!(f, "the configuration has a mistake:")?,
            count => write!(f, "the configuration has {count} mistakes:")?,
        }
        for mistake in &self.mistakes {
            write!(f, "\n  ")?;
            if let Some(file) = &self.file {
                // A file without lines still ends in a colon and a space.
                let end = if mistake.place.is_some() { ":" } else { ": " };
                write!(f, "{}{end}", file.display())?;
            }
            write!(f, "{mistake}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// Why a file was not [loaded](super::Config::load).
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// It cannot be read, or is not UTF-8.
    Read {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its name ends in neither `.toml` nor `.json`.
    Extension {
        /// The file.
        file: PathBuf,
    },
    /// It was read, and has mistakes.
    Mistakes(ConfigErrors),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Read { file, source } => {
                write!(f, "{} cannot be read: {source}", file.display())
            }
            LoadError::Extension { file } => {
                write!(
                    f,
                    "{} is no configuration; its name must end in .toml or .json",
                    file.display()
                )
            }
            LoadError::Mistakes(mistakes) => write!(f, "{mistakes}"),
        }
    }
}

// What is displayed has the source's words in it already.
impl std::error::Error for LoadError {}
