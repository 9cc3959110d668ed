//! Giving back: release, release a part, settle, cancel.

use super::error::{ClaimError, TicketError};
use super::ticket::{ResourceId, Ticket};
use super::{Ledger, MAX_UNITS, State};

/// What a cancelled claim had been doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// It was waiting, and waits no more.
    Waiting,
    /// It had been granted; its units have come back as if released.
    Granted,
}

impl Ledger {
    /// Ends a lease: its permits come back, and those who wait for them are served. Tokens of a bucket
    /// are spent and do not come back.
    ///
    /// # Errors
    ///
    /// [`TicketError`] if the ticket is no lease, or has ended.
    pub fn release(&mut self, ticket: Ticket) -> Result<(), TicketError> {
        let live = self.claims.slot_of(ticket);
        if live.is_some_and(|slot| self.release_plainly(slot)) {
            Ok(())
        } else {
            self.release_anyhow(ticket)
        }
    }

    /// The short way, which most releases take: nobody waits, and the lease in this slot has units of
    /// [plain](super::resources::Resources::take_plainly) semaphores only. Whether it has been gone.
    #[inline(always)]
    pub(crate) fn release_plainly(&mut self, slot: u32) -> bool {
        let resources = &mut self.resources;
        self.line.is_empty()
            && self.claims.close_plainly(slot, |demand| resources.give_plainly(demand))
    }

    /// The long way, which every release can take.
    pub(crate) fn release_anyhow(&mut self, ticket: Ticket) -> Result<(), TicketError> {
        let slot = self.held_slot(ticket)?;
        self.give_back(slot);
        self.settle();
        Ok(())
    }

    /// Gives some permits of a lease back, the lease keeps the rest. It must still be released, even
    /// when nothing is left.
    ///
    /// # Errors
    ///
    /// [`TicketError`] if the ticket is no lease, the lease does not have all of it, or any of it is of a
    /// token bucket. Then nothing is given back.
    pub fn release_part(
        &mut self,
        ticket: Ticket,
        part: &[(ResourceId, u64)],
    ) -> Result<(), TicketError> {
        let slot = self.check_part(ticket, part, false)?;
        for &(id, units) in part {
            if let Some(held) = self.claims.get_mut(slot).demand.of_mut(id) {
                *held -= units;
            }
            if self.claims.get(slot).kin {
                self.unlock_part(slot, id, units);
            }
            self.resources.give(id, units, self.now);
            self.touch(id);
        }
        self.settle();
        Ok(())
    }

    /// Corrects what a lease took from token buckets, now that the true use is known: what was
    /// reserved and not used goes back, what was used beyond it is a debt that refill pays first.
    ///
    /// `used` is 0 to [`MAX_UNITS`] of each. It may be corrected again, except after a 0: then the
    /// lease has nothing of that bucket any more.
    ///
    /// # Errors
    ///
    /// [`TicketError`] if the ticket is no lease, or the lease has nothing of one of these buckets. Then
    /// nothing is corrected.
    pub fn settle_use(
        &mut self,
        ticket: Ticket,
        used: &[(ResourceId, u64)],
    ) -> Result<(), TicketError> {
        let slot = self.check_part(ticket, used, true)?;
        for &(id, units) in used {
            if let Some(reserved) = self.claims.get_mut(slot).demand.of_mut(id) {
                let before = core::mem::replace(reserved, units);
                self.resources.correct(id, before, units, self.now);
            }
            self.touch(id);
        }
        self.refill_due = None;
        self.settle();
        Ok(())
    }

    /// Ends a claim, whatever has become of it: out of the line if it waits, released if it was
    /// granted. For callers who gave up and may have crossed with their grant.
    ///
    /// # Errors
    ///
    /// [`TicketError`] if the ticket has ended.
    pub fn cancel(&mut self, ticket: Ticket) -> Result<Cancelled, TicketError> {
        let cancelled = self.cancel_unsettled(ticket).ok_or(TicketError::Unknown)?;
        self.settle();
        Ok(cancelled)
    }

    /// Cancels several claims as one: nothing is granted in between, so none of them can be served by the
    /// end of another. Tickets that have ended are passed over.
    pub fn cancel_all(&mut self, tickets: impl IntoIterator<Item = Ticket>) {
        for ticket in tickets {
            self.cancel_unsettled(ticket);
        }
        self.settle();
    }

    /// The same for one; the caller settles.
    pub(crate) fn cancel_unsettled(&mut self, ticket: Ticket) -> Option<Cancelled> {
        let slot = self.claims.slot_of(ticket)?;
        if self.claims.get(slot).is_waiting() {
            self.turn_away(slot);
            Some(Cancelled::Waiting)
        } else {
            self.give_back(slot);
            Some(Cancelled::Granted)
        }
    }

    /// Checks the units of some of a lease's resources: of buckets to be settled, else of semaphores to be
    /// given back. Gives the lease's slot.
    fn check_part(
        &self,
        ticket: Ticket,
        part: &[(ResourceId, u64)],
        settles: bool,
    ) -> Result<u32, TicketError> {
        let slot = self.held_slot(ticket)?;
        if part.is_empty() {
            return Err(TicketError::Invalid(ClaimError::EmptyDemand));
        }
        for (place, &(id, units)) in part.iter().enumerate() {
            let held = self.claims.get(slot).demand.of(id).unwrap_or(0);
            let most = if settles { MAX_UNITS } else { held };
            let invalid = if part[..place].iter().any(|&(other, _)| other == id) {
                ClaimError::DuplicateResource(id)
            } else if units == 0 && !settles {
                ClaimError::ZeroUnits(id)
            } else if held == 0 || (units > most && !settles) {
                return Err(TicketError::NotHeld { resource: id, named: units, held });
            } else if self.resources.is_bucket(id) != settles {
                return Err(if settles {
                    TicketError::NotATokenBucket(id)
                } else {
                    TicketError::NotASemaphore(id)
                });
            } else if units > most {
                ClaimError::ExceedsCapacity { resource: id, wanted: units, capacity: most }
            } else {
                continue;
            };
            return Err(TicketError::Invalid(invalid));
        }
        Ok(slot)
    }

    /// Ends a lease; the caller settles.
    pub(super) fn give_back(&mut self, slot: u32) {
        if self.claims.get(slot).kin {
            self.leave_kin(slot);
        }
        for (id, units) in self.claims.get(slot).demand.iter() {
            self.resources.give(id, units, self.now);
        }
        if !self.line.is_empty() {
            self.touch_for(slot);
        }
        self.alarms.clear(slot, &mut self.claims);
        self.claims.close(slot);
    }

    /// Ends a waiting claim; the caller settles. If units were kept for it, they are free for others.
    pub(super) fn turn_away(&mut self, slot: u32) {
        let claim = self.claims.get(slot);
        let frees = claim.barrier || claim.state == State::Woken;
        self.detach(slot);
        if frees {
            self.touch_for(slot);
        }
        if self.claims.get(slot).kin {
            self.leave_kin(slot);
        }
        self.claims.close(slot);
    }

    pub(super) fn held_slot(&self, ticket: Ticket) -> Result<u32, TicketError> {
        let slot = self.claims.slot_of(ticket).ok_or(TicketError::Unknown)?;
        match self.claims.get(slot).state {
            State::Held => Ok(slot),
            _ => Err(TicketError::NotGranted),
        }
    }
}
