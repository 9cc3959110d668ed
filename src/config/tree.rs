//! What both notations are read into, before anything is checked. It keeps the order of the file, and
//! where each part stands.

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Toml,
    Json,
}

impl Format {
    /// What keys and values stand in, as the format calls it.
    pub(super) fn table(self) -> &'static str {
        match self {
            Format::Toml => "a table",
            Format::Json => "an object",
        }
    }
}

/// A line, and a column in characters, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// A value, and where it begins if that is known.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) place: Option<Place>,
}

#[derive(Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    List,
    /// TOML's dates and times.
    Date(String),
    Table(Vec<Entry>),
}

/// A key and its value. The same key may come twice.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    /// Where the key begins.
    pub(super) place: Option<Place>,
    pub(super) node: Node,
}
