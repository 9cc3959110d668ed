//! What can go wrong, in the caller's words: which resource, what was asked, what there is.

use std::fmt;
use std::time::Duration;

use super::deadlock::DeadlockLink;
use crate::ledger::LimitError;

/// Why a call was refused, or a wait ended without a lease.
///
/// A refused call has changed nothing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The demand names no resource at all.
    EmptyDemand,
    /// A name that no resource has: a typing error, or a resource that was removed.
    UnknownResource {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// One demand names the same resource twice.
    DuplicateResource {
        /// The resource.
        name: String,
    },
    /// Zero units of a resource are wanted.
    ZeroUnits {
        /// The resource.
        name: String,
    },
    /// More is wanted than the resource could ever give. The claim was refused, not parked.
    ExceedsCapacity {
        /// The resource.
        name: String,
        /// The units that were wanted.
        wanted: u64,
        /// Its permits, or its burst.
        capacity: u64,
    },
    /// As many claims wait as may: shed the load, or try later.
    QueueFull {
        /// The most that may wait.
        max_waiting: u32,
    },
    /// 2^24 claims wait or hold at one time.
    TooManyClaims,
    /// The bursar was shut down, or drains, and accepts no claim.
    Closed,
    /// The claim was not granted within its timeout. It waits no more, and took nothing.
    Timeout {
        /// The timeout that it had set.
        timeout: Duration,
    },
    /// While the claim waited, a resource that it wants was resized below what it wants of it.
    NoLongerFits {
        /// The resource.
        name: String,
        /// Its capacity now.
        capacity: u64,
    },
    /// While the claim waited, a resource that it wants was removed.
    ResourceRemoved {
        /// The resource.
        name: String,
    },
    /// A claim made under a lease would wait for ever, for leases would wait for each other in a circle.
    /// It was refused, not parked: the first link's lease is the one that it was made under, or one above
    /// that. Give something back, or claim everything in one call before the work begins.
    Deadlock {
        /// Each link's claim wants what the next link's lease holds, the last one's what the first holds.
        /// Empty if the circle came about later, because a resource was resized.
        cycle: Vec<DeadlockLink>,
    },
    /// The lease that the claim was to be made under has ended.
    OwnerEnded,
    /// The lease's time to live has passed: its units were taken back before.
    Lapsed,
    /// The lease does not have so many units of the resource.
    NotHeld {
        /// The resource.
        name: String,
        /// The units that were named.
        named: u64,
        /// The units that the lease has.
        held: u64,
    },
    /// Units of a token bucket are settled, not given back.
    NotASemaphore {
        /// The token bucket.
        name: String,
    },
    /// Permits of a semaphore are given back, not settled, and have no level to set.
    NotATokenBucket {
        /// The semaphore.
        name: String,
    },
    /// A resource with a limit that cannot be.
    InvalidResource {
        /// The resource.
        name: String,
        /// What is wrong with its limit, and what would be right.
        why: LimitError,
    },
    /// A resource without a name.
    EmptyName,
    /// A resource of this name exists.
    ResourceExists {
        /// The resource.
        name: String,
    },
    /// A bursar without any resource.
    NoResources,
    /// A semaphore was to become a token bucket, or the other way round.
    KindChanged {
        /// The resource.
        name: String,
    },
    /// The level is above the token bucket's burst.
    LevelAboveBurst {
        /// The token bucket.
        name: String,
        /// The level that was asked for.
        level: u64,
        /// The most that it holds.
        burst: u64,
    },
    /// As many keys of a family are in use as may be. A key is in use while somebody holds or waits for
    /// some of it, its bucket is not full, it is paused or has a limit of its own.
    FamilyFull {
        /// The family.
        name: String,
        /// The most keys that may be in use.
        max_keys: u32,
    },
    /// The name is that of a family's key, which is made when it is first asked for.
    NameInFamily {
        /// The resource that was to be defined or removed.
        name: String,
    },
    /// Resources have names that would be those of the family's keys.
    NamesInUse {
        /// The family.
        name: String,
    },
    /// A family's name ends where its keys begin, at a `/`.
    SlashInFamilyName {
        /// The family.
        name: String,
    },
    /// A family without room for any key.
    ZeroKeys {
        /// The family.
        name: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::EmptyDemand => write!(f, "the demand is empty; name at least one resource"),
            Error::UnknownResource { name, known } => {
                write!(f, "there is no resource {name:?}")?;
                list(f, known)
            }
            Error::DuplicateResource { name } => {
                write!(f, "{name:?} is named twice in one demand; name it once, with the sum")
            }
            Error::ZeroUnits { name } => {
                write!(f, "0 units of {name:?}; at least 1 must be wanted")
            }
            Error::ExceedsCapacity { name, wanted, capacity } => {
                write!(f, "{wanted} units of {name:?} can never be had; it has {capacity}")
            }
            Error::QueueFull { max_waiting } => {
                write!(f, "{max_waiting} claims are waiting, and no more may")
            }
            Error::TooManyClaims => write!(f, "more than 16777216 claims at one time"),
            Error::Closed => write!(f, "the bursar is closed and accepts no claim"),
            Error::Timeout { timeout } => write!(f, "the claim was not granted within {timeout:?}"),
            Error::NoLongerFits { name, capacity } => write!(
                f,
                "{name:?} was resized to {capacity} units, fewer than the waiting claim wants"
            ),
            Error::ResourceRemoved { name } => {
                write!(f, "{name:?}, which the waiting claim wants, was removed")
            }
            Error::Deadlock { cycle } if cycle.is_empty() => write!(
                f,
                "since a resource was resized, the waiting claim and others wait for each other for ever"
            ),
            Error::Deadlock { cycle } => {
                write!(f, "the claim would wait for ever: ")?;
                cycle.iter().enumerate().try_for_each(|(place, link)| {
                    write!(f, "{}{link}", if place == 0 { "" } else { ", " })
                })
            }
            Error::OwnerEnded => {
                write!(f, "the lease that the claim was to be made under has ended")
            }
            Error::Lapsed => {
                write!(f, "the lease's time to live has passed, and its units were taken back")
            }
            Error::NotHeld { name, named, held } => {
                write!(f, "the lease has {held} units of {name:?}, not {named}")
            }
            Error::NotASemaphore { name } => {
                write!(f, "{name:?} is a token bucket: its units are settled, not given back")
            }
            Error::NotATokenBucket { name } => {
                write!(f, "{name:?} is a semaphore: its units are given back, not settled or set")
            }
            Error::InvalidResource { name, why } => write!(f, "{name:?}: {why}"),
            Error::EmptyName => write!(f, "a resource's name is empty; it needs at least a letter"),
            Error::ResourceExists { name } => write!(f, "a resource {name:?} exists already"),
            Error::NoResources => write!(f, "no resources; a bursar needs at least one"),
            Error::KindChanged { name } => write!(
                f,
                "{name:?} keeps its kind, semaphore or token bucket; remove it and define it anew"
            ),
            Error::LevelAboveBurst { name, level, burst } => {
                write!(f, "a level of {level} is above the burst of {name:?}, {burst}")
            }
            Error::FamilyFull { name, max_keys } => {
                write!(f, "{max_keys} keys of the family {name:?} are in use, and no more may be")
            }
            Error::NameInFamily { name } => write!(
                f,
                "{name:?} is a family's key: it comes when it is asked for and goes when it is idle, and can be neither defined nor removed"
            ),
            Error::NamesInUse { name } => {
                write!(
                    f,
                    "there are resources with names that begin with {:?}, as the keys of the family would",
                    format!("{name}/")
                )
            }
            Error::SlashInFamilyName { name } => {
                write!(f, "the family's name {name:?} has a '/', which is where its keys begin")
            }
            Error::ZeroKeys { name } => {
                write!(f, "the family {name:?} has room for 0 keys; it needs at least 1")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::InvalidResource { why, .. } => Some(why),
            _ => None,
        }
    }
}

/// The first few names, so that a message stays one.
pub(crate) fn list(f: &mut fmt::Formatter<'_>, known: &[String]) -> fmt::Result {
    const SHOWN: usize = 10;
    for (place, name) in known.iter().take(SHOWN).enumerate() {
        write!(f, "{}{name:?}", if place == 0 { "; there is " } else { ", " })?;
    }
    match known.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}
