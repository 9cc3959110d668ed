//! Refusals as numbers, of which the package makes errors with messages.
//!
//! The last one lies in [`Face::report`]: a code, the resource in question (-1: none), the units wanted and those there
//! are. A deadlock is followed by its cycle: of each link the resource and units that are held, and those that are wanted.

use super::face::Face;
use crate::ledger::{ClaimError, LimitError, ResourceError, ResourceId, TicketError};

/// The result of a call that was refused.
pub(super) const REFUSED: i32 = i32::MIN;

impl Face {
    fn refuse(&mut self, code: u8, resource: f64, wanted: f64, has: f64) -> i32 {
        self.report.clear();
        for number in [f64::from(code), resource, wanted, has] {
            self.report.say(number);
        }
        REFUSED
    }

    fn refuse_for(&mut self, code: u8, id: ResourceId, wanted: u64, has: u64) -> i32 {
        self.refuse(code, id.index().into(), wanted as f64, has as f64)
    }

    fn refuse_plainly(&mut self, code: u8) -> i32 {
        self.refuse(code, -1.0, 0.0, 0.0)
    }

    #[cold]
    pub(super) fn refuse_claim(&mut self, error: &ClaimError) -> i32 {
        match *error {
            ClaimError::EmptyDemand => self.refuse_plainly(1),
            ClaimError::UnknownResource(id) => self.refuse_for(2, id, 0, 0),
            ClaimError::DuplicateResource(id) => self.refuse_for(3, id, 0, 0),
            ClaimError::ZeroUnits(id) => self.refuse_for(4, id, 0, 0),
            ClaimError::ExceedsCapacity { resource, wanted, capacity } => {
                self.refuse_for(5, resource, wanted, capacity)
            }
            ClaimError::QueueFull { max_waiting } => self.refuse(6, -1.0, 0.0, max_waiting.into()),
            ClaimError::Closed => self.refuse_plainly(7),
            ClaimError::OutOfTickets => self.refuse_plainly(8),
            ClaimError::OwnerIsNoLease(_) => self.refuse_plainly(9),
            ClaimError::Deadlock(ref deadlock) => {
                self.refuse_plainly(16);
                for link in &deadlock.cycle {
                    for (id, units) in [link.holds, link.wants] {
                        self.report.say_units(id, units);
                    }
                }
                REFUSED
            }
        }
    }

    #[cold]
    pub(super) fn refuse_ticket(&mut self, error: &TicketError) -> i32 {
        match *error {
            TicketError::Unknown => self.refuse_plainly(10),
            TicketError::NotGranted => self.refuse_plainly(11),
            TicketError::NotWaiting => self.refuse_plainly(12),
            TicketError::NotHeld { resource, named, held } => {
                self.refuse_for(13, resource, named, held)
            }
            TicketError::NotASemaphore(id) => self.refuse_for(14, id, 0, 0),
            TicketError::NotATokenBucket(id) => self.refuse_for(15, id, 0, 0),
            TicketError::Invalid(ref error) => self.refuse_claim(error),
        }
    }

    #[cold]
    pub(super) fn refuse_resource(&mut self, error: ResourceError) -> i32 {
        match error {
            ResourceError::Unknown => self.refuse_plainly(22),
            ResourceError::KindChanged => self.refuse_plainly(23),
            ResourceError::NotATokenBucket => self.refuse_plainly(24),
            ResourceError::LevelAboveBurst { level, burst } => {
                self.refuse(25, -1.0, level as f64, burst as f64)
            }
            // About names, which are the package's, and families, which it does not have.
            _ => self.refuse_plainly(20),
        }
    }

    #[cold]
    pub(super) fn refuse_limit(&mut self, error: LimitError) -> i32 {
        self.refuse_plainly(match error {
            LimitError::ZeroCapacity | LimitError::CapacityTooLarge(_) => 30,
            LimitError::InvalidRate(_) => 31,
            LimitError::BurstNotBelowUnits { .. } => 32,
            LimitError::InvalidWindow(_) => 33,
        })
    }

    pub(super) fn done_with_ticket(&mut self, result: Result<(), TicketError>) -> i32 {
        match result {
            Ok(()) => self.done(),
            Err(error) => self.refuse_ticket(&error),
        }
    }

    pub(super) fn done_with_resource(&mut self, result: Result<(), ResourceError>) -> i32 {
        match result {
            Ok(()) => self.done(),
            Err(error) => self.refuse_resource(error),
        }
    }
}
