//! The settling step: every call that can free units, or lift a barrier, ends in it. It grants until
//! nobody eligible is left.
//!
//! Granting only takes units away, and a barrier that is granted takes exactly what was kept for it.
//! So the claims that can become eligible by a call are those that want a resource of which it freed
//! units, or for which it lifted a barrier. Each call notes these (`touch`), and the step looks at who
//! stands at their gates and needs no more than is free now: see `line/gates.rs`. Where nobody does there
//! is no step at all.
//!
//! There is one more way, where the newest come first: whom junior barriers restrict no longer, because it
//! becomes one. Then its set is looked at, wherever it stands (`summon`). So it is with a claim that
//! joins the line and is short of nothing, as it can be with another priority.

use super::claims::{NONE, State};
use super::line::{Key, SetId, Supply};
use super::policy::Order;
use super::ticket::ResourceId;
use super::time::Time;
use super::{Event, Ledger};

impl Ledger {
    /// Has the step look at those who want what this claim wants or has.
    pub(super) fn touch_for(&mut self, slot: u32) {
        for place in 0..self.claims.get(slot).demand.ids().len() {
            self.touch(self.claims.get(slot).demand.ids()[place]);
        }
    }

    /// Notes that more of a resource may be free, or less may be needed: the step looks at those who wait
    /// for it, now or when time has freed enough.
    pub(super) fn touch(&mut self, id: ResourceId) {
        let when = self.resources.when(id, self.line.opens(id), self.now);
        if when <= self.now {
            self.touched.push(id);
        } else {
            self.expect(when);
        }
    }

    /// Has all of a set looked at.
    #[cold]
    fn summon(&mut self, set: SetId) {
        if let Some(id) = self.line.summon(set) {
            self.touched.push(id);
        }
    }

    #[inline(always)]
    pub(super) fn settle(&mut self) {
        if !self.touched.is_empty() {
            self.settle_touched();
        }
    }

    fn settle_touched(&mut self) {
        while let Some(slot) = self.next_eligible() {
            if self.policy.order == Order::Greedy {
                self.wake(slot);
            } else {
                self.grant_waiting(slot);
            }
        }
        self.touched.clear();
    }

    /// Whether nobody waits who could be served: so it is after every call.
    pub(super) fn is_settled(&mut self) -> bool {
        for set in self.line.sets() {
            self.summon(set);
        }
        let next = self.next_eligible();
        self.touched.clear();
        next.is_none()
    }

    fn next_eligible(&mut self) -> Option<u32> {
        let supply = Supply { resources: &self.resources, barriers: &self.barriers, now: self.now };
        let (mut first, due) = self.line.first(&self.touched, supply);
        self.expect(due);
        if self.policy.order == Order::Newest {
            // A barrier is the last of its line, and only other barriers restrict it: ask each.
            for touched in 0..self.touched.len() {
                let mut barriers = 0;
                while let Some(slot) = self.barriers.nth(self.touched[touched], barriers) {
                    let key = self.line.service(self.claims.get(slot).seniority());
                    if !self.stand(slot) && first.is_none_or(|(other, _)| key < other) {
                        first = Some((key, slot));
                    }
                    barriers += 1;
                }
            }
        }
        first.map(|(_, slot)| slot)
    }

    /// Has a claim of the line stand where it is short of something, if it is.
    fn stand(&mut self, slot: u32) -> bool {
        let claim = self.claims.get(slot);
        let place = self.place_of(claim.seniority(), claim.barrier);
        let supply = Supply { resources: &self.resources, barriers: &self.barriers, now: self.now };
        let due = self.line.stand(place, claim, supply);
        self.expect(due.unwrap_or(Time::NEVER));
        due.is_some()
    }

    /// Time alone may serve somebody at this moment.
    fn expect(&mut self, due: Time) {
        self.refill_due = self.refill_due.map(|known| known.min(due));
    }

    pub(super) fn grant_waiting(&mut self, slot: u32) {
        self.detach(slot);
        self.resources.refresh(&self.claims.get(slot).demand, self.now);
        self.resources.take(&self.claims.get(slot).demand);
        self.claims.hold(slot);
        self.start_life(slot);
        self.events.push(Event::Granted(self.claims.ticket(slot)));
        self.count_passes(slot);
    }

    /// Sets the end of a lease that has one.
    pub(super) fn start_life(&mut self, slot: u32) {
        let ttl = self.claims.get(slot).ttl;
        if ttl != Time::NEVER {
            let end = self.now + ttl.saturating_since(Time::ZERO);
            self.alarms.set(slot, end, &mut self.claims);
        }
    }

    /// Takes a waiting claim out of everything that refers to it.
    pub(super) fn detach(&mut self, slot: u32) {
        self.alarms.clear(slot, &mut self.claims);
        self.lower_barrier(slot);
        match self.claims.get(slot).state {
            State::Woken => self.promise_back(slot),
            _ => self.leave_line(slot),
        }
    }

    pub(super) fn leave_line(&mut self, slot: u32) {
        let set = self.claims.get(slot).place.set;
        self.line.remove(slot, &mut self.claims);
        self.watch_first(set);
    }

    pub(super) fn join_line(&mut self, slot: u32) {
        let set = self.line.insert(slot, &mut self.claims);
        if !self.stand(slot) {
            self.summon(set);
        }
        self.watch_first(set);
    }

    /// Counts, for the first of each set that wants what this claim was just granted, that it was
    /// passed, if it was.
    #[inline(always)]
    pub(super) fn count_passes(&mut self, granted: u32) {
        if !self.line.is_empty() {
            self.count_passes_of_waiting(granted);
        }
    }

    fn count_passes_of_waiting(&mut self, granted: u32) {
        let Some(max_bypass @ 1..) = self.bound() else { return };
        let claim = self.claims.get(granted);
        self.line.passed(claim.demand.ids(), claim.seniority(), &mut self.passed);
        for place in 0..self.passed.len() {
            let first = self.passed[place];
            let claim = self.claims.get_mut(first);
            if claim.bypassed < max_bypass {
                claim.bypassed += 1;
                if claim.bypassed == max_bypass {
                    self.raise_barrier(first);
                }
            }
        }
    }

    /// Makes the first of a set a barrier if it has been passed often enough before.
    fn watch_first(&mut self, set: SetId) {
        let Some(max_bypass) = self.bound() else { return };
        let first = self.line.most_senior(set);
        if first == NONE {
            return;
        }
        let claim = self.claims.get(first);
        if claim.bypassed >= max_bypass && !claim.barrier {
            self.raise_barrier(first);
        }
    }

    /// Units are kept for this claim from now on. Where the newest come first, junior barriers restrict it
    /// no longer: it may be eligible, so the settling step looks at it.
    fn raise_barrier(&mut self, slot: u32) {
        let claim = self.claims.get_mut(slot);
        claim.barrier = true;
        self.barriers.insert(claim.seniority(), slot, &claim.demand);
        if self.policy.order == Order::Newest {
            self.summon(self.claims.get(slot).place.set);
        }
    }

    /// Units are no longer kept for this claim, if they were.
    pub(super) fn lower_barrier(&mut self, slot: u32) {
        let claim = self.claims.get_mut(slot);
        if core::mem::take(&mut claim.barrier) {
            self.barriers.remove(claim.seniority(), &claim.demand);
            self.lower_gates(slot);
        }
    }

    /// What was kept for this claim is kept no longer.
    fn lower_gates(&mut self, slot: u32) {
        for (id, units) in self.claims.get(slot).demand.iter() {
            self.line.lower(id, units);
        }
        self.refill_due = None;
    }

    fn bound(&self) -> Option<u32> {
        if self.policy.order == Order::Greedy { None } else { self.policy.max_bypass }
    }

    /// The place in seniority up to which barriers restrict a claim. Where the newest come first, barriers
    /// yield to none but more senior ones.
    pub(super) fn place_of(&self, seniority: Key, barrier: bool) -> Key {
        seniority.place(self.policy.order == Order::Newest && !barrier)
    }

    /// Greedy: tells a claim that would fit, beside those told before, to ask again.
    fn wake(&mut self, slot: u32) {
        self.line.remove(slot, &mut self.claims);
        self.claims.get_mut(slot).state = State::Woken;
        self.promise(slot);
        self.events.push(Event::Woken(self.claims.ticket(slot)));
    }

    pub(super) fn promise(&mut self, slot: u32) {
        for (id, units) in self.claims.get(slot).demand.iter() {
            *self.barriers.promised_mut(id) += units;
        }
    }

    /// A woken claim no longer counts on its units.
    pub(super) fn promise_back(&mut self, slot: u32) {
        for (id, units) in self.claims.get(slot).demand.iter() {
            *self.barriers.promised_mut(id) -= units;
        }
        self.lower_gates(slot);
    }
}
