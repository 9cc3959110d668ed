//! From names to resources, and back for messages.
//!
//! This is also all that makes [`Bursar::unlimited`](super::Bursar::unlimited) different: there any
//! name will do and none has a limit, and every claim takes one unit of a resource that never runs out,
//! so that leases are counted, idleness and shutdown work as ever.

use super::deadlock::links;
use super::error::Error;
use super::few::Units;
use crate::ledger::{
    ClaimError, Ledger, Limit, LimitError, MAX_UNITS, Policy, ResourceError, ResourceId,
    TicketError,
};

/// How names stand for resources.
#[derive(Clone, Copy)]
pub(super) enum Names {
    /// As the ledger has them defined.
    Defined,
    /// All names stand for nothing; every claim takes one of this.
    Unlimited(ResourceId),
}

impl Names {
    /// The ledger of a bursar without limits.
    pub(super) fn unlimited() -> (Self, Ledger) {
        let mut ledger = Ledger::new(Policy::default());
        let everything = Limit::Semaphore { permits: MAX_UNITS };
        let id = ledger.define("unlimited", everything).expect("the first name is no duplicate");
        (Names::Unlimited(id), ledger)
    }

    /// The resource of this name; `None` if it has no limit.
    pub(super) fn find(self, ledger: &Ledger, name: &str) -> Result<Option<ResourceId>, Error> {
        match self {
            Names::Defined => match ledger.resource(name) {
                Some(id) => Ok(Some(id)),
                None => Err(unknown(ledger, name)),
            },
            Names::Unlimited(_) => Ok(None),
        }
    }

    /// Makes a claim of what is demanded by name.
    #[inline]
    pub(super) fn claim<R>(
        self,
        ledger: &mut Ledger,
        named: &[(&str, u64)],
        call: impl FnOnce(&mut Ledger, &[(ResourceId, u64)]) -> Result<R, ClaimError>,
    ) -> Result<R, Box<Error>> {
        let claimed = match self {
            Names::Defined => {
                let mut units = Units::new();
                gather(ledger, named, &mut units)?;
                call(ledger, units.as_slice())
            }
            Names::Unlimited(id) => {
                let least = named.iter().map(|&(_, count)| count.min(1)).min();
                call(ledger, least.map(|count| (id, count)).as_slice())
            }
        };
        claimed.map_err(|error| Box::new(claim_error(ledger, error)))
    }

    /// What a lease gives back or settles; `None` if nothing of it has a limit.
    pub(super) fn part(
        self,
        ledger: &Ledger,
        named: &[(&str, u64)],
    ) -> Result<Option<Units>, Error> {
        match self {
            Names::Defined => {
                let mut units = Units::new();
                gather(ledger, named, &mut units).map_err(|error| *error)?;
                Ok(Some(units))
            }
            Names::Unlimited(_) => Ok(None),
        }
    }
}

/// An error is boxed on the path of a claim, so that a grant is a word or two on its way back.
#[inline]
fn gather(ledger: &Ledger, named: &[(&str, u64)], units: &mut Units) -> Result<(), Box<Error>> {
    for &(name, count) in named {
        match ledger.resource(name) {
            Some(id) => units.push(id, count),
            None => return Err(Box::new(unknown(ledger, name))),
        }
    }
    Ok(())
}

/// The resource's name. One that was removed while leases hold it has none any more.
pub(super) fn name_of(ledger: &Ledger, id: ResourceId) -> String {
    ledger.name(id).unwrap_or("(removed)").to_owned()
}

#[cold]
fn unknown(ledger: &Ledger, name: &str) -> Error {
    let known = ledger.resources().map(|id| name_of(ledger, id)).collect();
    Error::UnknownResource { name: name.to_owned(), known }
}

#[cold]
pub(super) fn claim_error(ledger: &Ledger, error: ClaimError) -> Error {
    let name = |id| name_of(ledger, id);
    match error {
        ClaimError::EmptyDemand => Error::EmptyDemand,
        ClaimError::UnknownResource(id) => unknown(ledger, &name(id)),
        ClaimError::DuplicateResource(id) => Error::DuplicateResource { name: name(id) },
        ClaimError::ZeroUnits(id) => Error::ZeroUnits { name: name(id) },
        ClaimError::ExceedsCapacity { resource, wanted, capacity } => {
            Error::ExceedsCapacity { name: name(resource), wanted, capacity }
        }
        ClaimError::QueueFull { max_waiting } => Error::QueueFull { max_waiting },
        ClaimError::Closed => Error::Closed,
        ClaimError::OutOfTickets => Error::TooManyClaims,
        ClaimError::OwnerIsNoLease(_) => Error::OwnerEnded,
        ClaimError::Deadlock(deadlock) => Error::Deadlock { cycle: links(ledger, &deadlock) },
    }
}

/// Why a lease cannot do this. Its ticket was granted, and only its time to live can have ended it.
#[cold]
pub(super) fn ticket_error(ledger: &Ledger, error: TicketError) -> Error {
    let name = |id| name_of(ledger, id);
    match error {
        TicketError::Unknown | TicketError::NotGranted | TicketError::NotWaiting => Error::Lapsed,
        TicketError::NotHeld { resource, named, held } => {
            Error::NotHeld { name: name(resource), named, held }
        }
        TicketError::NotASemaphore(id) => Error::NotASemaphore { name: name(id) },
        TicketError::NotATokenBucket(id) => Error::NotATokenBucket { name: name(id) },
        TicketError::Invalid(error) => claim_error(ledger, error),
    }
}

#[cold]
pub(super) fn resource_error(ledger: &Ledger, name: &str, error: ResourceError) -> Error {
    let name = name.to_owned();
    match error {
        ResourceError::EmptyName => Error::EmptyName,
        ResourceError::DuplicateName => Error::ResourceExists { name },
        ResourceError::Unknown => unknown(ledger, &name),
        ResourceError::KindChanged => Error::KindChanged { name },
        ResourceError::NotATokenBucket => Error::NotATokenBucket { name },
        ResourceError::LevelAboveBurst { level, burst } => {
            Error::LevelAboveBurst { name, level, burst }
        }
    }
}

#[cold]
pub(super) fn limit_error(name: &str, why: LimitError) -> Error {
    Error::InvalidResource { name: name.to_owned(), why }
}
