//! Who may have what: the order, the barriers, the settling step.

use std::cmp::Reverse;

use bursar::ledger::{Order, ResourceId};

use super::super::calls::Happening;
use super::{Claim, Reference, Seniority, State, seniority};

impl Reference {
    pub(super) fn held(&self, id: ResourceId) -> u64 {
        let leases = self.claims.iter().filter(|claim| claim.state == State::Granted);
        leases.map(|claim| claim.wants(id)).sum()
    }

    pub(super) fn free(&self, id: ResourceId) -> u64 {
        self.find(id).map_or(0, |resource| resource.free(self.held(id), self.now))
    }

    /// Units of a resource that a claim of this seniority must leave.
    ///
    /// Barriers restrict who is junior to them. Where the newest come first, everybody of their priority
    /// comes after them, older claims too, unless it is a barrier itself.
    pub(super) fn kept(&self, id: ResourceId, seniority: Seniority, barrier: bool) -> u64 {
        if self.policy.order == Order::Greedy {
            let woken = self.claims.iter().filter(|claim| claim.state == State::Woken);
            return woken.map(|claim| claim.wants(id)).sum();
        }
        if !seniority.0 {
            return 0;
        }
        let whole_priority = self.policy.order == Order::Newest && !barrier;
        let restricts = |other: &&Claim| {
            let place = other.seniority();
            let same = whole_priority && (place.0, place.1) == (seniority.0, seniority.1);
            other.barrier && (same || other.seniority() < seniority)
        };
        let before = self.claims.iter().filter(restricts);
        before.map(|claim| claim.wants(id)).max().unwrap_or(0)
    }

    pub(super) fn fits(&self, demand: &[(ResourceId, u64)]) -> bool {
        demand.iter().all(|&(id, units)| self.free(id) >= units)
    }

    fn eligible(&self, demand: &[(ResourceId, u64)], seniority: Seniority, barrier: bool) -> bool {
        demand.iter().all(|&(id, units)| self.free(id) >= units + self.kept(id, seniority, barrier))
    }

    /// What a newcomer of this demand and priority, made under a lease or not, would be told.
    pub(super) fn may_have(
        &self,
        demand: &[(ResourceId, u64)],
        priority: i32,
        nested: bool,
    ) -> bool {
        match self.policy.order {
            Order::Greedy => self.fits(demand),
            _ => self.eligible(demand, seniority(nested, priority, self.arrivals + 1), false),
        }
    }

    /// The place in the order of service; smaller goes first.
    pub(super) fn service(&self, claim: &Claim) -> (bool, Reverse<i32>, i128) {
        let (ordinary, priority, number) = claim.seniority();
        let arrival = i128::from(number);
        let newest_first = ordinary && self.policy.order == Order::Newest;
        (ordinary, priority, if newest_first { -arrival } else { arrival })
    }

    /// Grants, or wakes, until nobody eligible is left.
    pub(super) fn settle(&mut self) {
        loop {
            let waiting = self.claims.iter().filter(|claim| claim.state == State::Waiting);
            let next = waiting
                .filter(|claim| self.eligible(&claim.demand, claim.seniority(), claim.barrier))
                .min_by_key(|claim| self.service(claim))
                .map(|claim| claim.number);
            let Some(number) = next else { return };
            if self.policy.order == Order::Greedy {
                self.claim_mut(number).state = State::Woken;
                self.tell(Happening::Woken(number));
            } else {
                self.grant(number);
                self.tell(Happening::Granted(number));
            }
        }
    }

    /// A waiting claim, or one that just came, becomes a lease.
    pub(super) fn grant(&mut self, number: u64) {
        let now = self.now;
        let claim = self.claim_mut(number);
        claim.state = State::Granted;
        claim.bypassed = 0;
        claim.barrier = false;
        claim.ends_at = now.saturating_add(claim.ttl);
        let (demand, seniority) = (claim.demand.clone(), claim.seniority());
        for &(id, units) in &demand {
            let resource = self.find_mut(id).expect("it is there, or nobody could want it");
            resource.level = resource.level.at(now).plus(-i128::from(units));
        }
        self.count_passes(&demand, seniority);
        self.raise_barriers();
    }

    fn bound(&self) -> Option<u32> {
        if self.policy.order == Order::Greedy { None } else { self.policy.max_bypass }
    }

    /// The most senior waiting claim of each distinct set of resources.
    fn firsts(&self) -> Vec<u64> {
        let mut firsts: Vec<&Claim> = Vec::new();
        for claim in self.claims.iter().filter(|claim| claim.state == State::Waiting) {
            match firsts.iter_mut().find(|first| first.set() == claim.set()) {
                Some(first) if claim.seniority() < first.seniority() => *first = claim,
                Some(_) => {}
                None => firsts.push(claim),
            }
        }
        firsts.into_iter().map(|claim| claim.number).collect()
    }

    fn count_passes(&mut self, granted: &[(ResourceId, u64)], seniority: Seniority) {
        let Some(max_bypass) = self.bound() else { return };
        for number in self.firsts() {
            let first = self.claim_mut(number);
            let shares = granted.iter().any(|&(id, _)| first.wants(id) > 0);
            if shares && first.seniority() < seniority {
                first.bypassed = (first.bypassed + 1).min(max_bypass);
            }
        }
    }

    /// Whoever is the first of its set and has been passed often enough becomes a barrier.
    pub(super) fn raise_barriers(&mut self) {
        let Some(max_bypass) = self.bound() else { return };
        for number in self.firsts() {
            let first = self.claim_mut(number);
            first.barrier |= first.bypassed >= max_bypass;
        }
    }
}
