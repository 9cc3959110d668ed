//! Why a pool or a resource cannot be, and why a task cannot be taken.

use core::fmt;

use super::catalog::{LimitId, MAX_SHARDS};
use crate::ledger::MAX_UNITS;

/// A pool or a resource that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CatalogError {
    /// The name is empty.
    EmptyName,
    /// A resource whose name begins with `pool:`, as those of pools' semaphores do.
    ReservedName,
    /// There is one of this name.
    DuplicateName,
    /// The capacity is not 1 to 2^53 - 1.
    InvalidCapacity(u64),
    /// The shard is not 0 to 1,023.
    InvalidShard(u32),
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CatalogError::EmptyName => f.write_str("the name is empty; it needs at least a letter"),
            CatalogError::ReservedName => {
                f.write_str("names that begin with \"pool:\" are kept for the pools' semaphores")
            }
            CatalogError::DuplicateName => f.write_str("there is one of this name already"),
            CatalogError::InvalidCapacity(capacity) => {
                write!(f, "the capacity is {capacity}; it must be 1 to {MAX_UNITS}")
            }
            CatalogError::InvalidShard(shard) => {
                write!(f, "the shard is {shard}; it must be 0 to {}", MAX_SHARDS - 1)
            }
        }
    }
}

impl core::error::Error for CatalogError {}

/// Why a task cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// It may not even be tried once.
    ZeroAttempts,
    /// There is no such pool.
    UnknownPool,
    /// There is no such resource.
    UnknownResource,
    /// A resource is named twice.
    DuplicateResource(LimitId),
    /// Zero units of a resource.
    ZeroUnits(LimitId),
    /// More than the resource could ever give.
    ExceedsCapacity {
        /// The resource.
        limit: LimitId,
        /// The units that were wanted.
        wanted: u64,
        /// Its permits, or its burst.
        capacity: u64,
    },
    /// The task is of one shard, and the resource or the pool of another.
    OtherShard {
        /// The resource, or the pool's semaphore.
        limit: LimitId,
        /// The shard that it belongs to.
        belongs_to: u32,
        /// The task's shard.
        task: u32,
    },
    /// There is no such shard.
    UnknownShard {
        /// The shard that was named.
        shard: u32,
        /// How many there are, from 0.
        shards: u32,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::ZeroAttempts => f.write_str("0 attempts; at least 1 must be allowed"),
            Refusal::UnknownPool => f.write_str("there is no such pool"),
            Refusal::UnknownResource => f.write_str("there is no such resource"),
            Refusal::DuplicateResource(id) => write!(f, "{id:?} is named twice"),
            Refusal::ZeroUnits(id) => write!(f, "0 units of {id:?}; at least 1 must be wanted"),
            Refusal::ExceedsCapacity { limit, wanted, capacity } => {
                write!(f, "{wanted} units of {limit:?} can never be had; it has {capacity}")
            }
            Refusal::OtherShard { limit, belongs_to, task } => {
                write!(f, "{limit:?} belongs to shard {belongs_to}, the task to shard {task}")
            }
            Refusal::UnknownShard { shard, shards } => {
                write!(f, "there is no shard {shard}; there are {shards}, from 0")
            }
        }
    }
}

impl core::error::Error for Refusal {}
