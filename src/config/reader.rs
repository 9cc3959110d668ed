//! Reading a tree while collecting what is wrong with it: no mistake hides another.

use std::collections::BTreeSet;

use super::error::ConfigError;
use super::shown::{choice, path, quoted, shown};
use super::similar::nearest;
use super::tree::{Entry, Format, Node, Place, Value};

/// A table, and where it is.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub(super) path: String,
    pub(super) place: Option<Place>,
    entries: &'a [Entry],
}

impl<'a> Section<'a> {
    pub(super) fn entries(&self) -> &'a [Entry] {
        self.entries
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub(super) fn path_of(&self, key: &str) -> String {
        path(&self.path, key)
    }
}

/// Whether a key may be left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Required,
    Optional,
}

/// Whatever it returns in the place of a mistake, the mistake is noted.
pub(super) struct Reader {
    format: Format,
    mistakes: Vec<ConfigError>,
    /// Paths of which there is something similar.
    meant: BTreeSet<String>,
}

impl Reader {
    pub(super) fn new(format: Format) -> Self {
        Reader { format, mistakes: Vec::new(), meant: BTreeSet::new() }
    }

    /// All that was noted; but what is there under a mistyped name is not missing as well.
    pub(super) fn finish(mut self) -> Vec<ConfigError> {
        self.mistakes.retain(|mistake| !(mistake.missing && self.meant.contains(&mistake.path)));
        self.mistakes
    }

    pub(super) fn note(&mut self, path: String, place: Option<Place>, message: String) {
        self.mistakes.push(ConfigError { path, place, message, missing: false });
    }

    pub(super) fn missing(&mut self, section: &Section<'_>, key: &str, right: &str) {
        let path = section.path_of(key);
        let message = format!("{path} is missing; it must be {right}");
        self.mistakes.push(ConfigError { path, place: section.place, message, missing: true });
    }

    /// A whole section without which there is nothing.
    pub(super) fn nothing(&mut self, path: &str, message: &str) {
        let (path, message) = (path.to_owned(), message.to_owned());
        let place = (self.format == Format::Toml).then_some(Place { line: 1, column: 1 });
        self.mistakes.push(ConfigError { path, place, message, missing: true });
    }

    pub(super) fn wrong(&mut self, path: String, node: &Node, right: &str) {
        let message = format!("{path} is {}; it must be {right}", shown(&node.value, self.format));
        self.note(path, node.place, message);
    }

    pub(super) fn root<'a>(&mut self, node: &'a Node) -> Option<Section<'a>> {
        match &node.value {
            Value::Table(entries) => {
                Some(Section { path: String::new(), place: node.place, entries })
            }
            value => {
                let (is, right) = (shown(value, self.format), self.format.table());
                let message = format!("the configuration is {is}; it must be {right}");
                self.note(String::new(), node.place, message);
                None
            }
        }
    }

    pub(super) fn section<'a>(&mut self, path: String, entry: &'a Entry) -> Option<Section<'a>> {
        if let Value::Table(entries) = &entry.node.value {
            return Some(Section { path, place: entry.place, entries });
        }
        self.wrong(path, &entry.node, self.format.table());
        None
    }

    /// Notes keys that are none. `owner` is what the known ones are of: "a semaphore".
    pub(super) fn keys(&mut self, section: &Section<'_>, owner: &str, known: &[&str]) {
        self.twice(section);
        for Entry { key, place, .. } in section.entries {
            if known.contains(&key.as_str()) {
                continue;
            }
            let path = section.path_of(key);
            let advice = match nearest(key, known) {
                Some(name) => {
                    self.meant.insert(section.path_of(name));
                    format!("did you mean {}?", quoted(name))
                }
                None => format!("{owner} has {}", choice(known, " and ")),
            };
            let message = format!("{path}: no such key; {advice}");
            self.note(path, *place, message);
        }
    }

    /// JSON lets a key come twice, and readers differ in which one counts.
    pub(super) fn twice(&mut self, section: &Section<'_>) {
        let mut seen = BTreeSet::new();
        for Entry { key, place, .. } in section.entries {
            if !seen.insert(key) {
                let path = section.path_of(key);
                let message = format!("{path} is given twice; give it once");
                self.note(path, *place, message);
            }
        }
    }

    /// The entry of a key, which is noted as missing if it must be there.
    pub(super) fn entry<'a>(
        &mut self,
        section: &Section<'a>,
        key: &str,
        need: Need,
        right: &str,
    ) -> Option<&'a Entry> {
        let entry = section.get(key);
        if entry.is_none() && need == Need::Required {
            self.missing(section, key, right);
        }
        entry
    }

    /// A whole number. 4.0 is one: not every writer of JSON tells it from 4.
    pub(super) fn whole(
        &mut self,
        section: &Section<'_>,
        key: &str,
        need: Need,
        (least, most, right): (u64, u64, &str),
    ) -> Option<u64> {
        let entry = self.entry(section, key, need, right)?;
        let value = whole(&entry.node.value).filter(|value| (least..=most).contains(value));
        if value.is_none() {
            self.wrong(section.path_of(key), &entry.node, right);
        }
        value
    }

    /// A number that must be there.
    pub(super) fn number(
        &mut self,
        section: &Section<'_>,
        key: &str,
        (least, most, right): (f64, f64, &str),
    ) -> Option<f64> {
        let entry = self.entry(section, key, Need::Required, right)?;
        let value = match entry.node.value {
            Value::Integer(value) => Some(value as f64),
            Value::Float(value) => Some(value),
            _ => None,
        };
        let value = value.filter(|value| (least..=most).contains(value));
        if value.is_none() {
            self.wrong(section.path_of(key), &entry.node, right);
        }
        value
    }

    /// True or false; false if it is left out.
    pub(super) fn flag(&mut self, section: &Section<'_>, key: &str) -> bool {
        match section.get(key).map(|entry| &entry.node) {
            None => false,
            Some(Node { value: Value::Bool(value), .. }) => *value,
            Some(node) => {
                self.wrong(section.path_of(key), node, "true or false");
                false
            }
        }
    }

    /// A name that may be left out.
    pub(super) fn name(&mut self, section: &Section<'_>, key: &str) -> Option<String> {
        match &section.get(key)?.node {
            Node { value: Value::Text(text), .. } if !text.is_empty() => Some(text.clone()),
            node => {
                self.wrong(section.path_of(key), node, "a name, not empty");
                None
            }
        }
    }

    /// One of a few words, by its position.
    pub(super) fn word(
        &mut self,
        section: &Section<'_>,
        key: &str,
        need: Need,
        words: &[&str],
    ) -> Option<usize> {
        let right = choice(words, " or ");
        let node = &self.entry(section, key, need, &right)?.node;
        let place = match &node.value {
            Value::Text(text) => words.iter().position(|word| word == text),
            _ => None,
        };
        if place.is_none() {
            self.wrong(section.path_of(key), node, &right);
        }
        place
    }
}

/// The largest float below which every whole number is itself.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn whole(value: &Value) -> Option<u64> {
    match *value {
        Value::Integer(value) => value.try_into().ok(),
        Value::Float(value) if value.fract() == 0.0 && (0.0..EXACT).contains(&value) => {
            Some(value as u64)
        }
        _ => None,
    }
}
