//! Asking: claim, try, ask again, change one's priority.

use core::time::Duration;

use super::claims::State;
use super::error::{ClaimError, TicketError};
use super::line::Key;
use super::ticket::{ResourceId, Ticket};
use super::time::Time;
use super::{Ledger, Mode};

/// What a claim may add to its demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimOptions {
    /// Higher goes first. Default: 0.
    pub priority: i32,
    /// The moment after which the claim no longer waits. Default: [`Time::NEVER`].
    pub deadline: Time,
    /// How long the lease lives from the grant on, before its units are taken back. Default:
    /// [`Duration::MAX`], for ever.
    pub ttl: Duration,
    /// The lease that the claim is made under. It is expected to last until this claim has been served
    /// and has ended: so this claim goes before all that were not made under a lease (it has the highest
    /// priority, whatever is said here); and if it would wait for ever, it is refused. Default: `None`.
    pub owner: Option<Ticket>,
}

impl Default for ClaimOptions {
    fn default() -> Self {
        ClaimOptions { priority: 0, deadline: Time::NEVER, ttl: Duration::MAX, owner: None }
    }
}

/// The answer to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// The ticket holds its units.
    Granted(Ticket),
    /// The ticket waits; an [`Event`](super::Event) will tell what becomes of it.
    Waiting(Ticket),
}

impl Claimed {
    /// The claim's ticket, whatever the answer.
    pub const fn ticket(self) -> Ticket {
        match self {
            Claimed::Granted(ticket) | Claimed::Waiting(ticket) => ticket,
        }
    }
}

/// What has become of a demand: a lease, or nothing yet but a slot with the demand written into it.
enum Asked {
    Granted(Ticket),
    Drafted(u32),
}

impl Ledger {
    /// Claims units of one or more resources, all or nothing. Granted at once if the units are free
    /// and the order protects nobody from it; else the claim waits.
    ///
    /// A demand that could never be granted is refused: an empty one, an unknown resource, one named
    /// twice, zero units, more than the capacity. A refused claim changes nothing.
    ///
    /// # Errors
    ///
    /// [`ClaimError`], for such a demand, or when the ledger is closed or as many wait as may; for a claim
    /// under a lease also if that is none, or if the wait would never end.
    pub fn claim(
        &mut self,
        demand: &[(ResourceId, u64)],
        options: &ClaimOptions,
    ) -> Result<Claimed, ClaimError> {
        if options.ttl == Duration::MAX
            && options.owner.is_none()
            && let Some(ticket) = self.claim_plainly(demand, options.priority)
        {
            return Ok(Claimed::Granted(ticket));
        }
        self.claim_anyhow(demand, options)
    }

    /// The long way, which every claim can take.
    pub(crate) fn claim_anyhow(
        &mut self,
        demand: &[(ResourceId, u64)],
        options: &ClaimOptions,
    ) -> Result<Claimed, ClaimError> {
        let slot = match self.ask(demand, options)? {
            Asked::Granted(ticket) => return Ok(Claimed::Granted(ticket)),
            Asked::Drafted(slot) => slot,
        };
        if let Some(max_waiting) = self.policy.max_waiting
            && self.claims.waiting() >= max_waiting
        {
            self.give_up(slot);
            return Err(ClaimError::QueueFull { max_waiting });
        }
        let nested = options.owner.is_some();
        if nested && let Err(deadlock) = self.judge(slot) {
            self.give_up(slot);
            return Err(deadlock);
        }
        self.claims.open(slot, State::Waiting, options.priority);
        if nested {
            self.claims.prefer(slot);
        }
        self.claims.set_ttl(slot, Time::ZERO + options.ttl);
        self.alarms.set(slot, options.deadline, &mut self.claims);
        self.join_line(slot);
        self.settle();
        Ok(Claimed::Waiting(self.claims.ticket(slot)))
    }

    /// The same, but never waits: `None` if it is not granted at once. Obeys the order like any claim.
    /// Of the options, the deadline means nothing here.
    ///
    /// # Errors
    ///
    /// As [`claim`](Self::claim), except that the number of those who wait does not matter.
    pub fn try_claim(
        &mut self,
        demand: &[(ResourceId, u64)],
        options: &ClaimOptions,
    ) -> Result<Option<Ticket>, ClaimError> {
        if options.ttl == Duration::MAX
            && options.owner.is_none()
            && let Some(ticket) = self.claim_plainly(demand, options.priority)
        {
            return Ok(Some(ticket));
        }
        self.try_anyhow(demand, options)
    }

    /// The long way, which every try can take.
    pub(crate) fn try_anyhow(
        &mut self,
        demand: &[(ResourceId, u64)],
        options: &ClaimOptions,
    ) -> Result<Option<Ticket>, ClaimError> {
        Ok(match self.ask(demand, options)? {
            Asked::Granted(ticket) => Some(ticket),
            Asked::Drafted(slot) => {
                self.give_up(slot);
                None
            }
        })
    }

    /// Asks again for a claim that was [woken](super::Event::Woken). If others were faster it waits on
    /// in its old place. A claim that was not woken is left as it is.
    ///
    /// # Errors
    ///
    /// [`TicketError`] if the ticket does not wait.
    pub fn retry(&mut self, ticket: Ticket) -> Result<Claimed, TicketError> {
        let slot = self.waiting_slot(ticket)?;
        if self.claims.get(slot).state != State::Woken {
            return Ok(Claimed::Waiting(ticket));
        }
        self.resources.refresh(&self.claims.get(slot).demand, self.now);
        self.promise_back(slot);
        if self.resources.fits(&self.claims.get(slot).demand) {
            self.alarms.clear(slot, &mut self.claims);
            self.resources.take(&self.claims.get(slot).demand);
            self.claims.hold(slot);
            self.start_life(slot);
            // What it was promised no longer counts against those who wait for a refill.
            self.refill_due = None;
            return Ok(Claimed::Granted(ticket));
        }
        self.claims.get_mut(slot).state = State::Waiting;
        self.join_line(slot);
        // What was kept for it may do for somebody who wants less.
        self.touch_for(slot);
        self.settle();
        Ok(Claimed::Waiting(ticket))
    }

    /// Gives a waiting claim another priority. It keeps its arrival, and what it was passed counts on. One
    /// made under a lease keeps the highest.
    ///
    /// # Errors
    ///
    /// [`TicketError`] if the ticket does not wait.
    pub fn set_priority(&mut self, ticket: Ticket, priority: i32) -> Result<(), TicketError> {
        let slot = self.waiting_slot(ticket)?;
        let claim = self.claims.get_mut(slot);
        if claim.is_nested() {
            return Ok(());
        }
        if claim.state == State::Woken {
            claim.priority = priority;
            return Ok(());
        }
        self.lower_barrier(slot);
        // Joining again watches for a new first of the set; in between there is none.
        self.line.remove(slot, &mut self.claims);
        self.claims.get_mut(slot).priority = priority;
        self.join_line(slot);
        self.touch_for(slot);
        self.settle();
        Ok(())
    }

    /// The short way, which most claims take: nobody waits, and there is enough of every resource, all of
    /// them [plain](super::resources::Resources::take_plainly). What it grants the long way would grant;
    /// it does without whatever cannot matter then. `None` says nothing: take the long way.
    #[inline(always)]
    pub(crate) fn claim_plainly(
        &mut self,
        demand: &[(ResourceId, u64)],
        priority: i32,
    ) -> Option<Ticket> {
        let nobody_waits = self.mode == Mode::Open && self.line.is_empty();
        if !nobody_waits || !self.resources.take_plainly(demand) {
            return None;
        }
        let ticket = self.claims.open_plainly(demand, priority);
        if ticket.is_none() {
            self.resources.untake_plainly(demand);
        }
        ticket
    }

    /// Grants a demand if it can be granted at once.
    fn ask(
        &mut self,
        demand: &[(ResourceId, u64)],
        options: &ClaimOptions,
    ) -> Result<Asked, ClaimError> {
        let slot = self.draft(demand)?;
        if let Some(owner) = options.owner {
            self.join_kin(slot, self.owner_slot(owner)?);
        }
        if self.may_have(slot, options) {
            Ok(Asked::Granted(self.grant_new(slot, options)))
        } else {
            Ok(Asked::Drafted(slot))
        }
    }

    /// Checks a demand, and writes it into the slot that it would have.
    fn draft(&mut self, demand: &[(ResourceId, u64)]) -> Result<u32, ClaimError> {
        if self.mode != Mode::Open {
            return Err(ClaimError::Closed);
        }
        let slot = self.claims.draft(demand)?;
        self.resources.check(&self.claims.get(slot).demand)?;
        Ok(slot)
    }

    /// What was drafted comes to nothing.
    fn give_up(&mut self, slot: u32) {
        if self.claims.get(slot).kin {
            self.leave_kin(slot);
        }
    }

    /// Whether a newcomer fits and passes nobody for whom units are kept. All who were eligible before
    /// have been granted, so the newcomer need not be compared with those who wait.
    fn may_have(&mut self, slot: u32, options: &ClaimOptions) -> bool {
        let demand = &self.claims.get(slot).demand;
        self.resources.refresh(demand, self.now);
        self.resources.fits(demand)
            && (self.barriers.is_empty()
                || options.owner.is_some()
                || self.leaves_enough(slot, options.priority))
    }

    #[cold]
    fn leaves_enough(&self, slot: u32, priority: i32) -> bool {
        let seq = self.claims.arrivals() + 1 + Key::ORDINARY;
        let place = self.place_of(Key { rank: Key::rank_of(priority), seq }, false);
        let demand = &self.claims.get(slot).demand;
        demand
            .iter()
            .all(|(id, units)| self.resources.free(id) - units >= self.barriers.kept(id, place))
    }

    fn grant_new(&mut self, slot: u32, options: &ClaimOptions) -> Ticket {
        self.claims.open(slot, State::Held, options.priority);
        if options.owner.is_some() {
            self.claims.prefer(slot);
        }
        self.resources.take(&self.claims.get(slot).demand);
        if options.ttl != Duration::MAX {
            self.claims.get_mut(slot).ttl = Time::ZERO + options.ttl;
            self.start_life(slot);
        }
        let ticket = self.claims.ticket(slot);
        self.count_passes(slot);
        self.settle();
        ticket
    }

    /// See [`Claims::ticket_in`](super::claims::Claims::ticket_in).
    #[cfg(feature = "js")]
    pub(crate) fn ticket_in(&self, slot: u32) -> Ticket {
        self.claims.ticket_in(slot)
    }

    pub(super) fn waiting_slot(&self, ticket: Ticket) -> Result<u32, TicketError> {
        let slot = self.claims.slot_of(ticket).ok_or(TicketError::Unknown)?;
        if self.claims.get(slot).is_waiting() { Ok(slot) } else { Err(TicketError::NotWaiting) }
    }
}
