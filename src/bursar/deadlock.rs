//! A deadlock in the caller's words.

use std::fmt;

use super::names::name_of;
use crate::ledger::{Deadlock, Ledger, Ticket};

/// One of the leases that wait for each other in a circle, see [`Error::Deadlock`](super::Error::Deadlock):
/// what it holds, and what a claim under it wants, which the next one holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeadlockLink {
    /// The lease, as [`Lease::ticket`](super::Lease::ticket) names it.
    pub lease: Ticket,
    /// What it holds of the resource that the one before it wants.
    pub holds: (String, u64),
    /// The claim made under it, or under a lease that was made under it. `None`: the one that was refused.
    pub claim: Option<Ticket>,
    /// What that claim wants of the resource that the next one holds.
    pub wants: (String, u64),
}

pub(super) fn links(ledger: &Ledger, deadlock: &Deadlock) -> Vec<DeadlockLink> {
    let named = |(id, units)| (name_of(ledger, id), units);
    let link = |link: &crate::ledger::Link| DeadlockLink {
        lease: link.lease,
        holds: named(link.holds),
        claim: link.claim,
        wants: named(link.wants),
    };
    deadlock.cycle.iter().map(link).collect()
}

impl fmt::Display for DeadlockLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((held, holds), (wanted, wants)) = (&self.holds, &self.wants);
        let whose = if self.claim.is_none() { "its lease" } else { "another" };
        write!(f, "{whose} holds {holds} of {held:?} and wants {wants} of {wanted:?}")
    }
}
