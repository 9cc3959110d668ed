//! Refusals as numbers: a code, the resource in question (-1: none), the units wanted and those there are.
//! After a deadlock its cycle: of each link what is held and what is wanted.

use bursar::ledger::{ClaimError, LimitError, ResourceError, ResourceId, TicketError};

pub(crate) type Report = Vec<f64>;

/// Whatever can be refused.
pub(crate) enum Refusal {
    Claim(ClaimError),
    Ticket(TicketError),
    Resource(ResourceError),
    Limit(LimitError),
}

fn report(code: u32, id: Option<ResourceId>, wanted: u64, has: u64) -> Report {
    let id = id.map_or(-1.0, |id| f64::from(id.index()));
    vec![f64::from(code), id, wanted as f64, has as f64]
}

impl Refusal {
    pub(crate) fn report(self) -> Report {
        match self {
            Refusal::Claim(error) | Refusal::Ticket(TicketError::Invalid(error)) => of_claim(error),
            Refusal::Ticket(error) => of_ticket(error),
            Refusal::Resource(error) => of_resource(error),
            Refusal::Limit(error) => report(of_limit(error), None, 0, 0),
        }
    }
}

fn of_claim(error: ClaimError) -> Report {
    use ClaimError as E;
    match error {
        E::EmptyDemand => report(1, None, 0, 0),
        E::UnknownResource(id) => report(2, Some(id), 0, 0),
        E::DuplicateResource(id) => report(3, Some(id), 0, 0),
        E::ZeroUnits(id) => report(4, Some(id), 0, 0),
        E::ExceedsCapacity { resource, wanted, capacity } => {
            report(5, Some(resource), wanted, capacity)
        }
        E::QueueFull { max_waiting } => report(6, None, 0, max_waiting.into()),
        E::Closed => report(7, None, 0, 0),
        E::OwnerIsNoLease(_) => report(9, None, 0, 0),
        E::Deadlock(deadlock) => {
            let numbers = |(id, units): (ResourceId, u64)| [f64::from(id.index()), units as f64];
            let links = deadlock.cycle.iter().flat_map(|link| [link.holds, link.wants]);
            report(16, None, 0, 0).into_iter().chain(links.flat_map(numbers)).collect()
        }
        other => panic!("{other:?} has no code"),
    }
}

fn of_ticket(error: TicketError) -> Report {
    use TicketError as E;
    match error {
        E::Unknown => report(10, None, 0, 0),
        E::NotGranted => report(11, None, 0, 0),
        E::NotWaiting => report(12, None, 0, 0),
        E::NotHeld { resource, named, held } => report(13, Some(resource), named, held),
        E::NotASemaphore(id) => report(14, Some(id), 0, 0),
        E::NotATokenBucket(id) => report(15, Some(id), 0, 0),
        other => panic!("{other:?} has no code"),
    }
}

fn of_resource(error: ResourceError) -> Report {
    use ResourceError as E;
    match error {
        E::EmptyName => report(20, None, 0, 0),
        E::DuplicateName => report(21, None, 0, 0),
        E::Unknown => report(22, None, 0, 0),
        E::KindChanged => report(23, None, 0, 0),
        E::NotATokenBucket => report(24, None, 0, 0),
        E::LevelAboveBurst { level, burst } => report(25, None, level, burst),
        other => panic!("{other:?} has no code"),
    }
}

fn of_limit(error: LimitError) -> u32 {
    match error {
        LimitError::ZeroCapacity | LimitError::CapacityTooLarge(_) => 30,
        LimitError::InvalidRate(_) => 31,
        LimitError::BurstNotBelowUnits { .. } => 32,
        LimitError::InvalidWindow(_) => 33,
        other => panic!("{other:?} has no code"),
    }
}
