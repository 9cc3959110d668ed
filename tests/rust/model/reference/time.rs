//! Time: everything that falls due, at its own moment.

use super::super::calls::{Happening, NEVER};
use super::{Claim, Reference, State};

impl Reference {
    pub(super) fn advance(&mut self, to: u64) {
        let to = to.max(self.now);
        loop {
            let due = self.next_due();
            if due > to || due == NEVER {
                break;
            }
            self.now = self.now.max(due);
            self.settle();
            while let Some(number) = self.rings() {
                self.end(number);
                self.settle();
            }
        }
        self.now = to;
    }

    /// The alarm that goes off first among those that are due.
    fn rings(&mut self) -> Option<u64> {
        let due =
            self.claims.iter().filter(|claim| alarm(claim) <= self.now && alarm(claim) != NEVER);
        let number = due.min_by_key(|claim| (alarm(claim), claim.number))?.number;
        let happening = match self.claim(number).state {
            State::Granted => Happening::Lapsed(number),
            State::Waiting | State::Woken => Happening::Expired(number),
        };
        self.tell(happening);
        Some(number)
    }

    /// A claim is no more; the caller settles.
    pub(super) fn end(&mut self, number: u64) {
        self.claims.retain(|claim| claim.number != number);
        self.raise_barriers();
    }

    /// The next moment at which something falls due; in the past if it fell due before it was told.
    pub(crate) fn next_due(&self) -> u64 {
        let dues = self.claims.iter().map(|claim| match claim.state {
            State::Waiting => alarm(claim).min(self.served_at(claim)),
            State::Woken | State::Granted => alarm(claim),
        });
        dues.min().unwrap_or(NEVER)
    }

    /// When time alone makes a waiting claim eligible.
    fn served_at(&self, claim: &Claim) -> u64 {
        let seniority = claim.seniority();
        let times = claim.demand.iter().map(|&(id, units)| {
            let resource = self.find(id).expect("it is there, or nobody could want it");
            resource.when(units + self.kept(id, seniority, claim.barrier), self.held(id), self.now)
        });
        times.max().unwrap_or(NEVER)
    }
}

/// The end of the wait or of the lease.
pub(super) fn alarm(claim: &Claim) -> u64 {
    match claim.state {
        State::Granted => claim.ends_at,
        State::Waiting | State::Woken => claim.deadline,
    }
}
