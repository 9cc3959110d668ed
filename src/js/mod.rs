//! The ledger's face for JavaScript: what the npm package calls through Wasm.
//!
//! Thin on purpose. Names have become numbers in JavaScript; on the path of a claim or release only
//! numbers cross, one call each. What happens to others by a call is told by its result:
//!
//! | result | meaning |
//! |---|---|
//! | -2^31 | refused; [`last_error`](config::last_error) tells why, nothing has changed |
//! | -1 | done, and nobody else is concerned |
//! | a slot, 0 or more | done, and the waiting claim in that slot was granted |
//! | -1 - n | done, and n events lie at [`events_at`](calls::events_at), two `u32` each: kind and slot |
//!
//! A claim is known by its slot; no ticket crosses. Moments and spans are milliseconds as floats. What is longer than a number, a report or a refusal,
//! lies as a row of `f64` at [`numbers_at`](inspect::numbers_at); only names cross as text, once.

mod calls;
mod config;
mod face;
mod inspect;
mod short;

pub use calls::*;
pub use config::*;
pub use face::Face;
pub use inspect::*;
pub use short::*;
