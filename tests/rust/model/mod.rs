//! What the model tests are made of.

pub(crate) mod calls;
pub(crate) mod circle;
pub(crate) mod dice;
pub(crate) mod invariants;
pub(crate) mod ops;
pub(crate) mod pair;
pub(crate) mod plan;
pub(crate) mod reference;
pub(crate) mod subject;
pub(crate) mod view;
pub(crate) mod watchdog;
pub(crate) mod windows;
