//! TOML as a tree, with the place of every key and value.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use super::error::ConfigError;
use super::tree::{Entry, Node, Place, Value};

/// What could be read, and what could not.
pub(super) fn parse(text: &str) -> (Node, Vec<ConfigError>) {
    let lines = Lines::of(text);
    let (root, errors) = DeTable::parse_recoverable(text);
    let value = Value::Table(lines.entries(root.get_ref()));
    let broken = errors.iter().map(|error| lines.broken(error)).collect();
    (Node { value, place: None }, broken)
}

/// The text, and where its lines begin.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let after_breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Lines { text, starts: std::iter::once(0).chain(after_breaks).collect() }
    }

    fn place(&self, span: &Range<usize>) -> Place {
        let line = self.starts.partition_point(|&start| start <= span.start);
        let before = self.text.get(self.starts[line - 1]..span.start).unwrap_or_default();
        let column = before.trim_start_matches('\u{feff}').chars().count() + 1;
        Place { line, column }
    }

    fn broken(&self, error: &Error) -> ConfigError {
        ConfigError {
            path: String::new(),
            place: error.span().map(|span| self.place(&span)),
            message: format!("this is not TOML: {}", error.message()),
            missing: false,
        }
    }

    fn entries(&self, table: &DeTable<'_>) -> Vec<Entry> {
        let mut entries: Vec<_> = table.iter().collect();
        // The parser sorts by name.
        entries.sort_by_key(|(key, _)| key.span().start);
        let entry = |(key, value): (&Spanned<_>, &_)| Entry {
            key: AsRef::<str>::as_ref(key.get_ref()).to_owned(),
            place: Some(self.place(&key.span())),
            node: self.node(value),
        };
        entries.into_iter().map(entry).collect()
    }

    fn node(&self, value: &Spanned<DeValue<'_>>) -> Node {
        let span = value.span();
        // The parser puts something without a span where there was nothing that it could read.
        let place = (!span.is_empty()).then(|| self.place(&span));
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(integer) => {
                // Digits beyond 128 bits are beyond every bound as well.
                let parsed = i128::from_str_radix(integer.as_str(), integer.radix());
                Value::Integer(parsed.unwrap_or(i128::MAX))
            }
            DeValue::Float(float) => Value::Float(float.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(value) => Value::Bool(*value),
            DeValue::Datetime(date) => Value::Date(date.to_string()),
            DeValue::Array(_) => Value::List,
            DeValue::Table(table) => Value::Table(self.entries(table)),
        };
        Node { value, place }
    }
}
