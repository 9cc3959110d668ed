//! The ledger against a plain reference, and what the ledger promises.
//!
//! The reference (`model/reference`) is a list of claims that is scanned in order, with levels as
//! fractions: slow, and simple enough to be seen to be right. Random sequences of calls, good and bad,
//! are played to both; after every call the answer, the events and everything that can be seen must be
//! the same. Beside that stands what must hold whatever the reference says (`model/invariants.rs`). A
//! ledger that is replaced by its restored snapshot must go on as the old one does, to the byte.
//!
//! `BURSAR_MODEL_STEPS` says how many calls to play (default 150,000), `BURSAR_MODEL_SEED` from which
//! seed (default: a new one each time). A failure prints the seed and the shortest sequence found, and
//! `tests/rust/proptest-regressions` keeps it: it is played first from then on.

mod model;

mod crowds;
mod damaged;
mod extremes;
mod guarantees;
mod random;
mod regressions;
