//! What the vectors are made with.

pub(crate) mod errors;
pub(crate) mod machine;
pub(crate) mod script;

/// A number as JavaScript's `Number` reads it.
pub(crate) fn shown(number: f64) -> String {
    if number == f64::INFINITY { "Infinity".to_owned() } else { number.to_string() }
}
