//! Every claim that waits or holds, by slot.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;

use super::demand::Demand;
use super::error::ClaimError;
use super::line::Key;
use super::ticket::{LAST_GENERATION, MAX_SLOTS, ResourceId, Ticket};
use super::time::Time;

/// No slot, no line, no alarm: the end of a linked list.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Nobody's; the slot's next claim gets the next generation.
    Free,
    /// In the waiting line.
    Waiting,
    /// Waiting, but out of the line: its caller was told to ask again.
    Woken,
    /// A lease.
    Held,
}

#[derive(Clone, Debug)]
pub(crate) struct Claim {
    pub(crate) state: State,
    /// It was made under a lease, or others under it: see `nested.rs`.
    pub(crate) kin: bool,
    /// Once passed `max_bypass` times, units are kept for a claim until it ends.
    pub(crate) barrier: bool,
    pub(crate) generation: u32,
    pub(crate) priority: i32,
    /// How often a claim after it took a resource it wants while it was the first of its set.
    pub(crate) bypassed: u32,
    /// Its number, as [`Key::ORDINARY`] says.
    pub(crate) arrival: u64,
    pub(crate) demand: Demand,
    /// How long the lease lives, from the grant, as the moment of its end if the grant were the epoch.
    pub(crate) ttl: Time,
    /// Its place among the alarms.
    pub(crate) alarm: u32,
    /// Its place in the order of seniority, where the order of service is another one.
    pub(crate) senior: u32,
    /// The waiting line's own: which set, which line in it, and the neighbours there.
    pub(crate) place: Place,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) set: u32,
    pub(crate) line: u32,
    pub(crate) before: u32,
    /// Of a free slot: the next free one.
    pub(crate) after: u32,
}

impl Place {
    pub(crate) const NOWHERE: Place = Place { set: NONE, line: NONE, before: NONE, after: NONE };
}

impl Claim {
    /// A free slot, the last of the free ones.
    pub(crate) const fn unused(generation: u32) -> Self {
        Claim {
            state: State::Free,
            kin: false,
            barrier: false,
            generation,
            priority: 0,
            bypassed: 0,
            arrival: 0,
            demand: Demand::NONE,
            ttl: Time::NEVER,
            alarm: NONE,
            senior: NONE,
            place: Place::NOWHERE,
        }
    }

    /// The place in the order of seniority: priority, then arrival.
    pub(crate) fn seniority(&self) -> Key {
        Key { rank: Key::rank_of(self.priority), seq: self.arrival }
    }

    /// The how manieth claim it was.
    pub(crate) const fn number(&self) -> u64 {
        self.arrival & !Key::ORDINARY
    }

    /// Whether it was made under a lease.
    pub(crate) fn is_nested(&self) -> bool {
        self.seniority().is_nested()
    }

    pub(crate) fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting | State::Woken)
    }
}

/// A table of slots with a free list. The slot freed last is used first, so the memory touched stays
/// small, and so that the same calls give the same tickets everywhere.
#[derive(Clone, Debug)]
pub(crate) struct Claims {
    slots: Vec<Claim>,
    first_free: u32,
    held: u32,
    waiting: u32,
    /// Of those who wait: whose leases will have a time to live.
    mortal: u32,
    arrivals: u64,
}

impl Claims {
    pub(crate) const fn new() -> Self {
        Claims {
            slots: Vec::new(),
            first_free: NONE,
            held: 0,
            waiting: 0,
            mortal: 0,
            arrivals: Key::ORDINARY,
        }
    }

    pub(crate) const fn held(&self) -> u32 {
        self.held
    }

    pub(crate) const fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Whether a grant to one who waits would start a lease's time to live.
    pub(crate) const fn any_mortal_waits(&self) -> bool {
        self.mortal > 0
    }

    /// How long the lease of a claim that is not granted yet will live.
    pub(crate) fn set_ttl(&mut self, slot: u32, ttl: Time) {
        debug_assert!(self.get(slot).is_waiting());
        self.get_mut(slot).ttl = ttl;
        self.mortal += u32::from(ttl != Time::NEVER);
    }

    /// How many claims there have been.
    pub(crate) const fn arrivals(&self) -> u64 {
        self.arrivals - Key::ORDINARY
    }

    /// Writes a demand into the slot that the next claim will have. Nothing has happened until that is
    /// opened.
    pub(crate) fn draft(&mut self, demand: &[(ResourceId, u64)]) -> Result<u32, ClaimError> {
        if self.first_free == NONE {
            self.grow()?;
        }
        let slot = self.first_free;
        self.slots[slot as usize].demand.fill(demand)?;
        Ok(slot)
    }

    /// A lease comes into being, the short way: `None` if the demand is not one for it, or there is no
    /// slot at hand.
    #[inline(always)]
    pub(crate) fn open_plainly(
        &mut self,
        demand: &[(ResourceId, u64)],
        priority: i32,
    ) -> Option<Ticket> {
        let slot = self.first_free;
        let claim = self.slots.get_mut(slot as usize)?;
        if !claim.demand.fill_plainly(demand) {
            return None;
        }
        self.arrivals += 1;
        self.held += 1;
        self.first_free = claim.place.after;
        claim.place.after = NONE;
        claim.state = State::Held;
        claim.priority = priority;
        claim.arrival = self.arrivals;
        Some(Ticket::new(slot, claim.generation))
    }

    /// Ends a lease without a time to live or kin if `give_back` can take what it has. Whether it has ended. The
    /// rest of it is as a free slot has it.
    #[inline(always)]
    pub(crate) fn close_plainly(
        &mut self,
        slot: u32,
        give_back: impl FnOnce(&Demand) -> bool,
    ) -> bool {
        let Some(claim) = self.slots.get_mut(slot as usize) else { return false };
        #[allow(clippy::needless_bitwise_bool)] // One branch for all of it.
        let plain = (claim.state == State::Held) & !claim.kin & (claim.ttl == Time::NEVER);
        if !plain || !give_back(&claim.demand) {
            return false;
        }
        debug_assert!(claim.alarm == NONE && !claim.barrier && claim.bypassed == 0);
        self.held -= 1;
        claim.state = State::Free;
        if claim.generation < LAST_GENERATION {
            claim.generation += 1;
            claim.place.after = self.first_free;
            self.first_free = slot;
        }
        true
    }

    #[cold]
    fn grow(&mut self) -> Result<(), ClaimError> {
        if self.slots.len() >= MAX_SLOTS {
            return Err(ClaimError::OutOfTickets);
        }
        self.first_free = self.slots.len() as u32;
        self.slots.push(Claim::unused(0));
        Ok(())
    }

    /// The claim that was drafted comes into being.
    pub(crate) fn open(&mut self, slot: u32, state: State, priority: i32) {
        debug_assert_eq!(slot, self.first_free);
        self.arrivals += 1;
        match state {
            State::Held => self.held += 1,
            _ => self.waiting += 1,
        }
        let claim = &mut self.slots[slot as usize];
        self.first_free = claim.place.after;
        claim.place.after = NONE;
        claim.state = state;
        claim.priority = priority;
        claim.arrival = self.arrivals;
    }

    /// A claim that has just been opened was made under a lease: it comes before all that were not.
    pub(crate) fn prefer(&mut self, slot: u32) {
        let claim = &mut self.slots[slot as usize];
        claim.priority = i32::MAX;
        claim.arrival = claim.number();
    }

    /// A waiting claim becomes a lease.
    pub(crate) fn hold(&mut self, slot: u32) {
        let claim = &mut self.slots[slot as usize];
        debug_assert!(claim.is_waiting());
        self.mortal -= u32::from(claim.ttl != Time::NEVER);
        claim.state = State::Held;
        claim.barrier = false;
        claim.bypassed = 0;
        self.waiting -= 1;
        self.held += 1;
    }

    /// The claim's ticket ends. A slot that was used up is not used again.
    pub(crate) fn close(&mut self, slot: u32) {
        let first_free = self.first_free;
        let claim = &mut self.slots[slot as usize];
        debug_assert!(claim.state != State::Free && claim.alarm == NONE && !claim.kin);
        if claim.state == State::Held {
            self.held -= 1;
        } else {
            self.waiting -= 1;
            self.mortal -= u32::from(claim.ttl != Time::NEVER);
        }
        claim.state = State::Free;
        claim.barrier = false;
        claim.bypassed = 0;
        claim.ttl = Time::NEVER;
        if claim.generation < LAST_GENERATION {
            claim.generation += 1;
            claim.place.after = first_free;
            self.first_free = slot;
        }
    }

    #[inline(always)]
    pub(crate) fn ticket(&self, slot: u32) -> Ticket {
        Ticket::new(slot, self.slots[slot as usize].generation)
    }

    /// The ticket of whoever is in a slot; of none if nobody ever was.
    #[cfg(feature = "js")]
    pub(crate) fn ticket_in(&self, slot: u32) -> Ticket {
        Ticket::new(slot, self.slots.get(slot as usize).map_or(0, |claim| claim.generation))
    }

    /// The slot of a ticket that has not ended.
    #[inline(always)]
    pub(crate) fn slot_of(&self, ticket: Ticket) -> Option<u32> {
        let claim = self.slots.get(ticket.slot() as usize)?;
        let live = claim.state != State::Free && u64::from(claim.generation) == ticket.generation();
        live.then(|| ticket.slot())
    }

    #[inline(always)]
    pub(crate) fn get(&self, slot: u32) -> &Claim {
        &self.slots[slot as usize]
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut Claim {
        &mut self.slots[slot as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Claim)> {
        (0u32..).zip(&self.slots).filter(|(_, claim)| claim.state != State::Free)
    }

    /// Every slot, used or not, and the free list from its first.
    pub(crate) fn parts(&self) -> (&[Claim], Vec<u32>) {
        let next = |&slot: &u32| self.slots.get(slot as usize).map(|claim| claim.place.after);
        let ends = |&slot: &u32| slot != NONE;
        let first = Some(self.first_free).filter(ends);
        let free = core::iter::successors(first, |slot| next(slot).filter(ends)).collect();
        (&self.slots, free)
    }

    /// The other way round. `free` must name each reusable slot once.
    pub(crate) fn from_parts(mut slots: Vec<Claim>, free: &[u32], arrivals: u64) -> Option<Self> {
        let mut first_free = NONE;
        for &slot in free.iter().rev() {
            let claim = slots.get_mut(slot as usize)?;
            let reusable = claim.state == State::Free && claim.generation < LAST_GENERATION;
            if !reusable || claim.place.before == slot {
                return None;
            }
            // A free slot's other neighbour means nothing: here it marks those already named.
            claim.place = Place { before: slot, after: first_free, ..Place::NOWHERE };
            first_free = slot;
        }
        for claim in &mut slots {
            claim.place.before = NONE;
        }
        let held = slots.iter().filter(|claim| claim.state == State::Held).count() as u32;
        let waiting = slots.iter().filter(|claim| claim.is_waiting()).count() as u32;
        let mortal = |claim: &&Claim| claim.is_waiting() && claim.ttl != Time::NEVER;
        let mortal = slots.iter().filter(mortal).count() as u32;
        let arrivals = arrivals | Key::ORDINARY;
        Some(Claims { slots, first_free, held, waiting, mortal, arrivals })
    }

    /// The claims that `wanted` picks, by arrival.
    pub(crate) fn by_arrival(&self, wanted: &dyn Fn(&Claim) -> bool) -> Vec<(u64, u32)> {
        let wanted = self.iter().filter(|(_, claim)| wanted(claim));
        let found: Vec<_> = wanted.map(|(slot, claim)| (claim.number(), slot)).collect();
        BinaryHeap::from(found).into_sorted_vec()
    }

    /// Waiting claims that `wanted` picks, by arrival.
    pub(crate) fn waiting_where(&self, wanted: &dyn Fn(&Claim) -> bool) -> Vec<(u64, u32)> {
        self.by_arrival(&|claim| claim.is_waiting() && wanted(claim))
    }
}
