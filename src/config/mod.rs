//! Resources, pools and settings from a TOML or JSON file.
//!
//! ```toml
//! order = "fair"            # or "newest", "greedy"
//! max_bypass = 1000         # or "unlimited"
//! max_waiting = 10000
//!
//! [resources.gpu]
//! kind = "semaphore"
//! permits = 4
//!
//! [resources.api]
//! kind = "token_bucket"
//! rate = 50.0               # units a second
//! burst = 100
//!
//! [resources.mail]
//! kind = "at_most"          # never more than 750 in any hour, 10 of them at once
//! limit = 750
//! per_ms = 3600000
//! burst = 10
//! ```
//!
//! A file is read as a whole, and refused as a whole: [`ConfigErrors`] has everything that is wrong with
//! it, each mistake with its path, its place in the TOML, and what would be right. It is refused for what
//! the constructors of [`Resource`](crate::Resource) refuse, and for keys that mean nothing.
//! `docs/configuration.md` has every key; `schema/bursar.schema.json` tells them to editors.
//!
//! ```
//! use bursar::Bursar;
//! use bursar::config::Config;
//!
//! let config = Config::from_toml(
//!     r#"
//!     [resources.gpu]
//!     kind = "semaphore"
//!     permits = 4
//!     "#,
//! )?;
//! let bursar = Bursar::from_config(&config)?;
//! assert_eq!(bursar.capacity("gpu")?, 4);
//!
//! let mistakes = Config::from_toml("[resources.gpu]\nkind = 'semaphore'\npermit = 4").unwrap_err();
//! let first = mistakes.iter().next().unwrap();
//! assert_eq!(first.message(), r#"resources.gpu.permit: no such key; did you mean "permits"?"#);
//! assert_eq!((first.line(), first.column()), (Some(3), Some(1)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod handles;
mod json;
mod limits;
mod load;
mod parts;
mod reader;
mod schema;
mod shown;
mod similar;
mod toml;
mod tree;

pub use error::{ConfigError, ConfigErrors, LoadError};
pub use handles::BuildError;
pub use parts::{Config, FamilyConfig, PoolConfig, ResourceConfig};

impl Config {
    /// Reads TOML.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, by line.
    pub fn from_toml(text: &str) -> Result<Self, ConfigErrors> {
        let (root, broken) = toml::parse(text);
        let (config, mut mistakes) = schema::read(&root, tree::Format::Toml);
        if !broken.is_empty() {
            // What is missing may stand in a line that could not be read, and what has no place is the
            // parser's own stopgap for something there.
            mistakes.retain(|mistake| !mistake.missing && mistake.place.is_some());
            mistakes.extend(broken);
        }
        mistakes.sort_by_key(|mistake| (mistake.line(), mistake.column()));
        finish(config, mistakes)
    }

    /// Reads JSON: an object of the same keys.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it. Only text that is no JSON has a line and a column.
    pub fn from_json(text: &str) -> Result<Self, ConfigErrors> {
        let root = json::parse(text).map_err(|mistake| ConfigErrors::new(vec![mistake]))?;
        let (config, mistakes) = schema::read(&root, tree::Format::Json);
        finish(config, mistakes)
    }
}

fn finish(config: Config, mistakes: Vec<ConfigError>) -> Result<Config, ConfigErrors> {
    if mistakes.is_empty() { Ok(config) } else { Err(ConfigErrors::new(mistakes)) }
}

/// What docs/configuration.md shows is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../docs/configuration.md")]
struct Guide;
