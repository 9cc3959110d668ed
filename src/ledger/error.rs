//! Why a call was refused. A refused call has changed nothing.

use core::fmt;
use core::time::Duration;

use super::deadlock::Deadlock;
use super::limit::MAX_UNITS;
use super::ticket::{ResourceId, Ticket};

/// A limit that cannot be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LimitError {
    /// No permits, or a burst of nothing.
    ZeroCapacity,
    /// More than [`MAX_UNITS`].
    CapacityTooLarge(u64),
    /// Not from 1e-9 to 2^53 - 1 units a second.
    InvalidRate(f64),
    /// `at_most` with a burst that leaves nothing to refill.
    BurstNotBelowUnits {
        /// The burst that was asked for.
        burst: u64,
        /// The units a window may have.
        units: u64,
    },
    /// `at_most` with a window of zero length, or beyond 584 years.
    InvalidWindow(Duration),
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitError::ZeroCapacity => write!(f, "the capacity is 0; it must be at least 1"),
            LimitError::CapacityTooLarge(units) => {
                write!(f, "the capacity is {units}; it must be at most {MAX_UNITS}")
            }
            LimitError::InvalidRate(rate) => {
                write!(
                    f,
                    "the rate is {rate}; it must be 0.000000001 to {MAX_UNITS} units a second"
                )
            }
            LimitError::BurstNotBelowUnits { burst, units } => write!(
                f,
                "a burst of {burst} leaves nothing of {units} units to refill; it must be smaller"
            ),
            LimitError::InvalidWindow(per) => {
                write!(f, "the window is {per:?}; it must be longer than 0 and below 584 years")
            }
        }
    }
}

impl core::error::Error for LimitError {}

/// A definition, resize or other change of a resource that was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ResourceError {
    /// The name is empty.
    EmptyName,
    /// A resource of this name exists.
    DuplicateName,
    /// There is no such resource.
    Unknown,
    /// A semaphore was to become a token bucket, or the other way round.
    KindChanged,
    /// The call is for token buckets only.
    NotATokenBucket,
    /// The level is above the bucket's burst.
    LevelAboveBurst {
        /// The level that was asked for.
        level: u64,
        /// The most that the bucket holds.
        burst: u64,
    },
    /// The name is that of a family's key: `family/key` is made when it is first asked for.
    NameInFamily,
    /// Resources have names that would be those of the family's keys.
    NamesInUse,
    /// A family's name ends where its keys begin, at a `/`.
    SlashInFamilyName,
    /// A family without room for any key.
    ZeroKeys,
    /// As many keys of the family are in use as may be.
    FamilyFull {
        /// The most that may be.
        max_keys: u32,
    },
}

impl fmt::Display for ResourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResourceError::EmptyName => write!(f, "the name is empty"),
            ResourceError::DuplicateName => write!(f, "a resource of this name exists"),
            ResourceError::Unknown => write!(f, "there is no such resource"),
            ResourceError::KindChanged => {
                write!(f, "a resource keeps its kind; remove it and define it anew")
            }
            ResourceError::NotATokenBucket => write!(f, "the resource is not a token bucket"),
            ResourceError::LevelAboveBurst { level, burst } => {
                write!(f, "a level of {level} is above the burst of {burst}")
            }
            ResourceError::NameInFamily => {
                write!(
                    f,
                    "the name is that of a family's key, which can be neither defined nor removed"
                )
            }
            ResourceError::NamesInUse => {
                write!(f, "resources have names that would be those of the family's keys")
            }
            ResourceError::SlashInFamilyName => write!(f, "a family's name cannot have a '/'"),
            ResourceError::ZeroKeys => write!(f, "a family needs room for at least 1 key"),
            ResourceError::FamilyFull { max_keys } => {
                write!(f, "{max_keys} keys of the family are in use, and no more may be")
            }
        }
    }
}

impl core::error::Error for ResourceError {}

/// A claim, or another demand, that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClaimError {
    /// Nothing is wanted.
    EmptyDemand,
    /// There is no such resource.
    UnknownResource(ResourceId),
    /// The same resource twice in one demand.
    DuplicateResource(ResourceId),
    /// Zero units of a resource.
    ZeroUnits(ResourceId),
    /// More than the resource could ever give.
    ExceedsCapacity {
        /// The resource that is short.
        resource: ResourceId,
        /// The units that were wanted.
        wanted: u64,
        /// The most that a claim can get.
        capacity: u64,
    },
    /// As many claims are waiting as may.
    QueueFull {
        /// The most that may wait.
        max_waiting: u32,
    },
    /// The ledger is closed.
    Closed,
    /// 2^24 claims wait or hold.
    OutOfTickets,
    /// The claim was to be made under something that is no lease, or that has ended.
    OwnerIsNoLease(Ticket),
    /// The claim was to be made under a lease, and could never be served: leases would wait for each
    /// other in a circle.
    Deadlock(Deadlock),
}

impl fmt::Display for ClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ClaimError::EmptyDemand => write!(f, "the demand is empty; name at least one resource"),
            ClaimError::UnknownResource(id) => write!(f, "{id:?} does not exist"),
            ClaimError::DuplicateResource(id) => write!(f, "{id:?} is named twice in one demand"),
            ClaimError::ZeroUnits(id) => write!(f, "0 units of {id:?}; at least 1 must be wanted"),
            ClaimError::ExceedsCapacity { resource, wanted, capacity } => {
                write!(f, "{wanted} units of {resource:?} can never be had; it has {capacity}")
            }
            ClaimError::QueueFull { max_waiting } => {
                write!(f, "{max_waiting} claims are waiting, and no more may")
            }
            ClaimError::Closed => write!(f, "the ledger is closed"),
            ClaimError::OutOfTickets => write!(f, "more than 16777216 claims at one time"),
            ClaimError::OwnerIsNoLease(ref owner) => {
                write!(f, "{owner:?} is no lease; a claim can only be made under one that is held")
            }
            ClaimError::Deadlock(ref deadlock) => deadlock.fmt(f),
        }
    }
}

impl core::error::Error for ClaimError {}

/// A ticket that does not allow the call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TicketError {
    /// The ticket has ended, or is not of this ledger.
    Unknown,
    /// The claim is still waiting: it holds nothing.
    NotGranted,
    /// The claim is not waiting.
    NotWaiting,
    /// The lease does not have so many units of the resource.
    NotHeld {
        /// The resource in question.
        resource: ResourceId,
        /// The units that were named.
        named: u64,
        /// The units that the lease has.
        held: u64,
    },
    /// Only permits can be given back in part; a bucket's units are corrected with `settle`.
    NotASemaphore(ResourceId),
    /// Only a bucket's units can be settled; permits are given back with `release_part`.
    NotATokenBucket(ResourceId),
    /// The part to give back, or what was used, is not a valid demand.
    Invalid(ClaimError),
}

impl fmt::Display for TicketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TicketError::Unknown => write!(f, "the ticket has ended, or is not of this ledger"),
            TicketError::NotGranted => write!(f, "the claim is still waiting"),
            TicketError::NotWaiting => write!(f, "the claim is not waiting"),
            TicketError::NotHeld { resource, named, held } => {
                write!(f, "the lease has {held} units of {resource:?}, not {named}")
            }
            TicketError::NotASemaphore(id) => {
                write!(f, "{id:?} is a token bucket: its units are settled, not given back")
            }
            TicketError::NotATokenBucket(id) => {
                write!(f, "{id:?} is a semaphore: its units are given back, not settled")
            }
            TicketError::Invalid(ref error) => error.fmt(f),
        }
    }
}

impl core::error::Error for TicketError {}
