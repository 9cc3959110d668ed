//! Claims under leases: who can never be served.

use std::collections::HashSet;

use super::super::calls::NEVER;
use super::time::alarm;
use super::{Claim, Reference, State};

impl Reference {
    /// The live claims that end at last if everybody who can gives back what he holds, and nobody else
    /// comes. The deadline of `judged` does not count.
    fn end_at_last(&self, judged: u64) -> HashSet<u64> {
        let mut ended = HashSet::new();
        loop {
            let goes_on = |claim: &&Claim| !ended.contains(&claim.number);
            let next = self.claims.iter().filter(goes_on).find(|claim| {
                let timed = alarm(claim) != NEVER && claim.number != judged;
                let mut under = self.claims.iter().filter(|c| c.owner == Some(claim.number));
                timed
                    || match claim.state {
                        State::Granted => under.all(|child| ended.contains(&child.number)),
                        State::Waiting | State::Woken => self.is_served(claim, &ended),
                    }
            });
            match next {
                Some(claim) => ended.insert(claim.number),
                None => return ended,
            };
        }
    }

    /// Whether the claim fits once these have ended. Buckets fill, and pauses end.
    fn is_served(&self, claim: &Claim, ended: &HashSet<u64>) -> bool {
        claim.demand.iter().all(|&(id, units)| {
            let holds =
                |other: &&Claim| other.state == State::Granted && !ended.contains(&other.number);
            let held: u64 = self.claims.iter().filter(holds).map(|other| other.wants(id)).sum();
            let Some(resource) = self.find(id) else { return false };
            resource.is_bucket() || held + units <= resource.plan.capacity()
        })
    }

    /// Whether a claim that has just come to wait would wait for ever.
    pub(super) fn is_deadlocked(&self, newcomer: u64) -> bool {
        !self.end_at_last(newcomer).contains(&newcomer)
    }

    /// The newest of those who wait for ever and for each other in a circle.
    pub(super) fn newest_in_a_circle(&self) -> Option<u64> {
        let ended = self.end_at_last(0);
        let waits_on =
            |claim: &Claim| claim.state != State::Granted && !ended.contains(&claim.number);
        let stuck: Vec<&Claim> = self.claims.iter().filter(|claim| waits_on(claim)).collect();
        let next = |from: &Claim| -> Vec<u64> {
            let lacks = |id| {
                let units = from.demand.iter().filter(|pair| pair.0 == id).copied().collect();
                !self.is_served(&Claim { demand: units, ..from.clone() }, &ended)
            };
            let blocks = |lease: &Claim| {
                let mut held = lease.demand.iter().filter(|pair| pair.1 > 0);
                held.any(|pair| from.wants(pair.0) > 0 && lacks(pair.0))
            };
            let is_blocking =
                |claim: &&&Claim| self.leases_above(claim, &ended).into_iter().any(blocks);
            stuck.iter().filter(is_blocking).map(|claim| claim.number).collect()
        };
        let circles = |claim: &&&Claim| {
            let mut reached = next(claim);
            let mut place = 0;
            while place < reached.len() {
                for number in next(self.claim(reached[place])) {
                    if !reached.contains(&number) {
                        reached.push(number);
                    }
                }
                place += 1;
            }
            reached.contains(&claim.number)
        };
        stuck.iter().filter(circles).map(|claim| claim.number).max()
    }

    /// The leases that wait for this claim.
    fn leases_above(&self, claim: &Claim, ended: &HashSet<u64>) -> Vec<&Claim> {
        let mut above = Vec::new();
        let mut owner = claim.owner;
        while let Some(lease) = self.claims.iter().find(|claim| Some(claim.number) == owner)
            && !ended.contains(&lease.number)
        {
            above.push(lease);
            owner = lease.owner;
        }
        above
    }
}
