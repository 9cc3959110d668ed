//! What a configuration says, as plain values. Every one of them has been checked.

use crate::ledger::{Limit, Policy};

/// What a file says: see the [module](super).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// `order`, `max_bypass` and `max_waiting`.
    pub policy: Policy,
    /// In the order of the file.
    pub resources: Vec<ResourceConfig>,
    /// In the order of the file.
    pub pools: Vec<PoolConfig>,
}

/// `[resources.NAME]`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResourceConfig {
    /// Its name, not empty.
    pub name: String,
    /// What it limits.
    pub limit: Limit,
    /// The shard that it belongs to, if it names one.
    pub shard: Option<String>,
    /// Whether there is one for each key, `NAME/KEY`, and not a single one.
    pub family: Option<FamilyConfig>,
}

/// `family = true`, and what goes with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FamilyConfig {
    /// The most keys at one time, 1 to 2^32 - 1, if the file says.
    pub max_keys: Option<u32>,
}

/// `[pools.NAME]`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolConfig {
    /// Its name, not empty.
    pub name: String,
    /// How many of its tasks may run at a time, 1 to 2^53 - 1; `None`: as many as there are.
    pub concurrency: Option<u64>,
    /// The shard that it belongs to, if it names one.
    pub shard: Option<String>,
}
