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

/// What a name stands for.
pub(super) enum Found {
    Resource(ResourceId),
    /// What is not there, but would spring up with this limit.
    Template(Limit),
    Unlimited,
}

impl Names {
    /// The ledger of a bursar without limits.
    pub(super) fn unlimited() -> (Self, Ledger) {
        let mut ledger = Ledger::new(Policy::default());
        let everything = Limit::Semaphore { permits: MAX_UNITS };
        let id = ledger.define("unlimited", everything).expect("the first name is no duplicate");
        (Names::Unlimited(id), ledger)
    }

    /// The resource of this name as it is; the limit that it would have, if a family would make it; or
    /// nothing, if it has no limit.
    pub(super) fn look(self, ledger: &Ledger, name: &str) -> Result<Found, Error> {
        match self {
            Names::Defined => match ledger.resource(name) {
                Some(id) => Ok(Found::Resource(id)),
                None => match ledger.template(name) {
                    Some(limit) => Ok(Found::Template(limit)),
                    None => Err(unknown(ledger, name)),
                },
            },
            Names::Unlimited(_) => Ok(Found::Unlimited),
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
                for &(name, count) in named {
                    match self.look(ledger, name)? {
                        Found::Resource(id) => units.push(id, count),
                        // No lease has units of what is not there.
                        Found::Template(_) | Found::Unlimited => {
                            return Err(Error::NotHeld {
                                name: name.to_owned(),
                                named: count,
                                held: 0,
                            });
                        }
                    }
                }
                Ok(Some(units))
            }
            Names::Unlimited(_) => Ok(None),
        }
    }
}

/// An error is boxed on the path of a claim, so that a grant is a word or two on its way back.
#[inline]
fn gather(ledger: &mut Ledger, named: &[(&str, u64)], units: &mut Units) -> Result<(), Box<Error>> {
    for &(name, count) in named {
        let id = match ledger.resource(name) {
            Some(id) => id,
            None => found(ledger, name, units.as_slice()).map_err(Box::new)?,
        };
        units.push(id, count);
    }
    Ok(())
}

/// The resource of this name, beside those that were found for the same demand.
#[cold]
fn found(
    ledger: &mut Ledger,
    name: &str,
    demand: &[(ResourceId, u64)],
) -> Result<ResourceId, Error> {
    let found = ledger.member(name, demand);
    found.map_err(|error| resource_error(ledger, name, error))
}

/// The resource's name. One that was removed while leases hold it has none any more.
pub(super) fn name_of(ledger: &Ledger, id: ResourceId) -> String {
    ledger.name(id).unwrap_or("(removed)").to_owned()
}

#[cold]
fn unknown(ledger: &Ledger, name: &str) -> Error {
    let ordinary = ledger.resources().filter(|&id| !ledger.is_member(id));
    let known = ordinary.map(|id| name_of(ledger, id));
    let families = ledger.families().map(|family| format!("{}/...", family.name));
    Error::UnknownResource { name: name.to_owned(), known: known.chain(families).collect() }
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
        ResourceError::NameInFamily => Error::NameInFamily { name },
        ResourceError::NamesInUse => Error::NamesInUse { name },
        ResourceError::SlashInFamilyName => Error::SlashInFamilyName { name },
        ResourceError::ZeroKeys => Error::ZeroKeys { name },
        ResourceError::FamilyFull { max_keys } => {
            let family = name.split('/').next().unwrap_or_default();
            Error::FamilyFull { name: family.to_owned(), max_keys }
        }
    }
}

#[cold]
pub(super) fn limit_error(name: &str, why: LimitError) -> Error {
    Error::InvalidResource { name: name.to_owned(), why }
}
