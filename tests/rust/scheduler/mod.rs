//! What the tests of the scheduler share.

#![allow(dead_code)] // Each test binary uses its own part.

pub(crate) mod booth;
pub(crate) mod desk;
pub(crate) mod play;
pub(crate) mod reference;
pub(crate) mod subject;
