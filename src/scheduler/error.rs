//! Why a scheduler cannot be made, or does not take a task.

use std::fmt;

use super::core::{Catalog, CatalogError, Refusal};
use crate::bursar;

/// Why a call was refused. It has changed nothing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A name that no pool has.
    UnknownPool {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A name that no resource has.
    UnknownResource {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// One task names the same resource twice.
    DuplicateResource {
        /// The resource.
        name: String,
    },
    /// Zero units of a resource are wanted.
    ZeroUnits {
        /// The resource.
        name: String,
    },
    /// More is wanted than the resource could ever give.
    ExceedsCapacity {
        /// The resource.
        name: String,
        /// The units that were wanted.
        wanted: u64,
        /// Its permits, or its burst.
        capacity: u64,
    },
    /// The task is of one shard, and a resource, or its pool, of another.
    OtherShard {
        /// The resource; of a pool, its semaphore `pool:NAME`.
        name: String,
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
    /// A task that may not even be tried once.
    ZeroAttempts,
    /// The scheduler was shut down.
    Closed,
    /// The pool has no concurrency that could be changed.
    NoConcurrency {
        /// The pool.
        name: String,
    },
    /// A pool that cannot be.
    InvalidPool {
        /// The pool.
        name: String,
        /// What is wrong with it, and what would be right.
        why: CatalogError,
    },
    /// A resource that cannot be.
    InvalidResource {
        /// The resource.
        name: String,
        /// What is wrong with it, and what would be right.
        why: CatalogError,
    },
    /// The bursar of the shard refuses.
    Bursar(bursar::Error),
}

impl Error {
    pub(super) fn unknown_pool(name: &str, catalog: &Catalog) -> Self {
        let known = catalog.pool_names().map(str::to_owned).collect();
        Error::UnknownPool { name: name.to_owned(), known }
    }

    pub(super) fn unknown_resource(name: &str, catalog: &Catalog) -> Self {
        let known = catalog.resource_names().map(str::to_owned).collect();
        Error::UnknownResource { name: name.to_owned(), known }
    }

    pub(super) fn refused(why: Refusal, catalog: &Catalog) -> Self {
        let name = |id| catalog.name(id).to_owned();
        match why {
            Refusal::ZeroAttempts => Error::ZeroAttempts,
            Refusal::UnknownPool => Error::unknown_pool("", catalog),
            Refusal::UnknownResource => Error::unknown_resource("", catalog),
            Refusal::DuplicateResource(id) => Error::DuplicateResource { name: name(id) },
            Refusal::ZeroUnits(id) => Error::ZeroUnits { name: name(id) },
            Refusal::ExceedsCapacity { limit, wanted, capacity } => {
                Error::ExceedsCapacity { name: name(limit), wanted, capacity }
            }
            Refusal::OtherShard { limit, belongs_to, task } => {
                Error::OtherShard { name: name(limit), belongs_to, task }
            }
            Refusal::UnknownShard { shard, shards } => Error::UnknownShard { shard, shards },
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownPool { name, known } => {
                write!(f, "there is no pool {name:?}")?;
                bursar::list(f, known)
            }
            Error::UnknownResource { name, known } => {
                write!(f, "there is no resource {name:?}")?;
                bursar::list(f, known)
            }
            Error::DuplicateResource { name } => {
                write!(f, "{name:?} is named twice by one task; name it once, with the sum")
            }
            Error::ZeroUnits { name } => {
                write!(f, "0 units of {name:?}; at least 1 must be wanted")
            }
            Error::ExceedsCapacity { name, wanted, capacity } => {
                write!(f, "{wanted} units of {name:?} can never be had; it has {capacity}")
            }
            Error::OtherShard { name, belongs_to, task } => write!(
                f,
                "{name:?} belongs to shard {belongs_to}, and the task to shard {task}; a task can \
                 only use what is of its own shard"
            ),
            Error::UnknownShard { shard, shards } => {
                write!(f, "there is no shard {shard}; there are {shards}, counted from 0")
            }
            Error::ZeroAttempts => f.write_str("0 attempts; at least 1 must be allowed"),
            Error::Closed => f.write_str("the scheduler was shut down and takes no task"),
            Error::NoConcurrency { name } => {
                write!(f, "the pool {name:?} was made without a concurrency, and keeps none")
            }
            Error::InvalidPool { name, why } => write!(f, "pool {name:?}: {why}"),
            Error::InvalidResource { name, why } => write!(f, "resource {name:?}: {why}"),
            Error::Bursar(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::InvalidPool { why, .. } | Error::InvalidResource { why, .. } => Some(why),
            Error::Bursar(error) => error.source(),
            _ => None,
        }
    }
}

impl From<bursar::Error> for Error {
    fn from(error: bursar::Error) -> Self {
        Error::Bursar(error)
    }
}
