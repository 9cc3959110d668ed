//! Configuration from a file.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use super::{Config, ConfigErrors, LoadError};

impl Config {
    /// Reads a file, TOML or JSON by the end of its name: `.toml` or `.json`.
    ///
    /// ```no_run
    /// use bursar::Bursar;
    /// use bursar::config::Config;
    ///
    /// let bursar = Bursar::from_config(&Config::load("bursar.toml")?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the file cannot be read, has another ending, or has mistakes in it: then all of them.
    pub fn load(file: impl AsRef<Path>) -> Result<Self, LoadError> {
        let file = file.as_ref();
        let parse: fn(&str) -> Result<Self, ConfigErrors> =
            match file.extension().and_then(OsStr::to_str) {
                Some("toml") => Self::from_toml,
                Some("json") => Self::from_json,
                _ => return Err(LoadError::Extension { file: file.to_owned() }),
            };
        let text = fs::read_to_string(file)
            .map_err(|source| LoadError::Read { file: file.to_owned(), source })?;
        parse(&text).map_err(|mistakes| LoadError::Mistakes(mistakes.in_file(file)))
    }
}
