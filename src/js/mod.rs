//! The ledger's face for JavaScript: what the npm package calls through Wasm.
//!
//! Thin on purpose. Names have become numbers in JavaScript; on the path of a claim or release only
//! numbers cross, one call each. What happens to others by a call is told by its result:
//!
//! | result | meaning |
//! |---|---|
//! | -2^31 | refused, and nothing has changed; [`last_error`](inspect::last_error) tells why |
//! | -1 | done, and nobody else is concerned |
//! | a slot, 0 or more | done, and the waiting claim in that slot was granted |
//! | -1 - n | done, and n events lie at [`events_at`](calls::events_at), two `u32` each: kind and slot |
//!
//! A claim is known by its slot, a resource by its number; no ticket and no text cross. Moments and spans are
//! milliseconds as floats. What is longer than a number, a report or a refusal, lies as a row of `f64` at
//! [`numbers_at`](inspect::numbers_at).

mod calls;
mod config;
mod face;
mod inspect;
mod refusal;
mod short;

pub use calls::*;
pub use config::*;
pub use face::Face;
pub use inspect::*;
pub use short::*;
