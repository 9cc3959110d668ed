//! Keys and values as they stand in messages: the same in Rust and in JavaScript (`js/config/shown.ts`).

use super::tree::{Format, Value};

/// A text in quotes.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A value, short whatever it is.
pub(super) fn shown(value: &Value, format: Format) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Float(value) => float(*value),
        Value::Text(text) => match text.char_indices().nth(40) {
            Some((end, _)) => quoted(&format!("{}...", &text[..end])),
            None => quoted(text),
        },
        Value::Date(date) => date.clone(),
        Value::List => "an array".to_owned(),
        Value::Table(_) => format.table().to_owned(),
    }
}

/// 50.0 is the number 50.
fn float(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A path with one key more.
pub(super) fn path(parent: &str, key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '$';
    let key = if !key.is_empty() && key.chars().all(plain) { key.to_owned() } else { quoted(key) };
    if parent.is_empty() { key } else { format!("{parent}.{key}") }
}

/// `"a", "b" or "c"`.
pub(super) fn choice(names: &[&str], last: &str) -> String {
    let mut text = String::new();
    for (place, name) in names.iter().enumerate() {
        if place > 0 {
            text.push_str(if place + 1 == names.len() { last } else { ", " });
        }
        text.push_str(&quoted(name));
    }
    text
}
