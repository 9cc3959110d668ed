//! The settling step: every call that can free units, or lift a barrier, ends in it. It grants until
//! nobody eligible is left.
//!
//! Granting only takes units away, and a barrier that is granted takes exactly what was kept for it.
//! So the claims that can become eligible by a call are those that want a resource which the call has
//! touched, and the step looks at their sets alone.

use alloc::vec::Vec;

use super::claims::State;
use super::line::{Key, SetId};
use super::policy::Order;
use super::ticket::ResourceId;
use super::time::Time;
use super::{Event, Ledger};

impl Ledger {
    /// Notes that claims which want one of these resources may have become eligible.
    pub(super) fn touch(&mut self, ids: &[ResourceId]) {
        for &id in ids {
            self.touched.extend_from_slice(self.line.sets_on(id));
        }
    }

    /// The same for what this claim wants or has.
    pub(super) fn touch_for(&mut self, slot: u32) {
        for &id in self.claims.get(slot).demand.ids() {
            self.touched.extend_from_slice(self.line.sets_on(id));
        }
    }

    #[inline(always)]
    pub(super) fn settle(&mut self) {
        if !self.touched.is_empty() {
            self.settle_touched();
        }
    }

    fn settle_touched(&mut self) {
        self.line.keep_each_once(&mut self.touched);
        self.resources.refill(self.now);
        self.refill_due = None;
        if self.policy.order == Order::Greedy {
            self.wake();
        } else {
            while let Some(slot) = self.next_eligible() {
                self.grant_waiting(slot);
            }
        }
        self.touched.clear();
    }

    /// Whether nobody waits who could be served: so it is after every call.
    pub(super) fn is_settled(&mut self) -> bool {
        for id in self.resources.ids() {
            self.touched.extend_from_slice(self.line.sets_on(id));
        }
        self.line.keep_each_once(&mut self.touched);
        let next = match self.policy.order {
            Order::Greedy => self.next_to_wake(&self.unpromised()),
            Order::Fair | Order::Newest => self.next_eligible(),
        };
        self.touched.clear();
        next.is_none()
    }

    fn next_eligible(&self) -> Option<u32> {
        let free = self.resources.all_free();
        if self.barriers.is_empty() {
            return self.line.first(&self.touched, free, Key::FIRST, Key::LAST);
        }
        let stretches = self.barriers.stretches(self.policy.order);
        let in_line = stretches.iter().find_map(|stretch| {
            let left = self.barriers.leave(stretch.behind, free, &self.claims);
            self.line.first(&self.touched, &left, stretch.after, stretch.before)
        });
        if self.policy.order != Order::Newest {
            return in_line;
        }
        // A barrier is the last of its line, and only other barriers restrict it: ask each.
        let barriers = self.barriers.iter().map(|(_, slot)| slot);
        let eligible = barriers.filter(|&slot| self.is_eligible(slot)).chain(in_line);
        eligible.min_by_key(|&slot| self.line.service(self.claims.get(slot).seniority()))
    }

    /// Whether a waiting claim could be granted now.
    fn is_eligible(&self, slot: u32) -> bool {
        let claim = self.claims.get(slot);
        let kept = self.kept_from(claim.seniority(), claim.barrier);
        claim
            .demand
            .iter()
            .all(|(id, units)| self.resources.free(id).saturating_sub(self.kept(id, kept)) >= units)
    }

    pub(super) fn grant_waiting(&mut self, slot: u32) {
        self.detach(slot);
        self.resources.take(&self.claims.get(slot).demand);
        self.claims.hold(slot);
        self.start_life(slot);
        self.events.push_back(Event::Granted(self.claims.ticket(slot)));
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
        let claim = self.claims.get(slot);
        if claim.barrier {
            self.barriers.remove(claim.seniority());
            self.claims.get_mut(slot).barrier = false;
        }
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
        if self.line.is_empty() {
            // What is known is about those who waited before.
            self.refill_due = Some(Time::NEVER);
        }
        let set = self.line.insert(slot, &mut self.claims);
        self.watch_first(set);
        if !self.resources.timed().is_empty() {
            let due = self.due_of(slot);
            self.refill_due = self.refill_due.map(|known| known.min(due));
        }
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
        let seniority = claim.seniority();
        self.line.sets_on_any(claim.demand.ids(), &mut self.passed);
        for place in 0..self.passed.len() {
            let set = self.passed[place];
            let first = self.line.most_senior(set);
            let claim = self.claims.get_mut(first);
            if claim.seniority() < seniority && claim.bypassed < max_bypass {
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
        if !self.line.holds(set) {
            return;
        }
        let first = self.line.most_senior(set);
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
        self.barriers.insert(claim.seniority(), slot);
        if self.policy.order == Order::Newest {
            self.touched.push(claim.place.set);
        }
    }

    fn bound(&self) -> Option<u32> {
        if self.policy.order == Order::Greedy { None } else { self.policy.max_bypass }
    }

    /// How many barriers restrict a claim at this place in seniority. Where the oldest come first: those
    /// senior to it. Where the newest come first: all of its priority and above, for older claims come
    /// after a barrier as well; only barriers yield to none but more senior ones.
    pub(super) fn kept_from(&self, seniority: Key, barrier: bool) -> usize {
        if self.policy.order == Order::Newest && !barrier {
            return self.barriers.behind(Key { rank: seniority.rank, seq: u64::MAX });
        }
        self.barriers.behind(seniority)
    }

    /// Units of a resource that the first so many barriers keep, or woken claims count on.
    pub(super) fn kept(&self, id: ResourceId, barriers: usize) -> u64 {
        if self.policy.order == Order::Greedy {
            return self.promised.get(id.at()).copied().unwrap_or(0);
        }
        self.barriers.kept(barriers, id, &self.claims)
    }

    /// Greedy: tells those who would fit together, beside those told before, to ask again.
    fn wake(&mut self) {
        let mut left = self.unpromised();
        while let Some(slot) = self.next_to_wake(&left) {
            self.line.remove(slot, &mut self.claims);
            self.claims.get_mut(slot).state = State::Woken;
            self.promise(slot);
            for (id, units) in self.claims.get(slot).demand.iter() {
                left[id.at()] -= units;
            }
            self.events.push_back(Event::Woken(self.claims.ticket(slot)));
        }
    }

    fn next_to_wake(&self, left: &[u64]) -> Option<u32> {
        self.line.first(&self.touched, left, Key::FIRST, Key::LAST)
    }

    /// What is free and no woken claim counts on.
    fn unpromised(&self) -> Vec<u64> {
        let mut left = self.resources.all_free().to_vec();
        for (left, promised) in left.iter_mut().zip(&self.promised) {
            *left = left.saturating_sub(*promised);
        }
        left
    }

    pub(super) fn promise(&mut self, slot: u32) {
        let resources = self.resources.all_free().len();
        self.promised.resize(resources.max(self.promised.len()), 0);
        for (id, units) in self.claims.get(slot).demand.iter() {
            self.promised[id.at()] += units;
        }
    }

    /// A woken claim no longer counts on its units.
    pub(super) fn promise_back(&mut self, slot: u32) {
        for (id, units) in self.claims.get(slot).demand.iter() {
            self.promised[id.at()] -= units;
        }
    }

    /// When time alone could serve this waiting claim.
    pub(super) fn due_of(&self, slot: u32) -> Time {
        let claim = self.claims.get(slot);
        let kept = self.kept_from(claim.seniority(), claim.barrier);
        let times = claim
            .demand
            .iter()
            .map(|(id, units)| self.resources.when(id, units + self.kept(id, kept), self.now));
        times.max().unwrap_or(Time::NEVER)
    }
}
