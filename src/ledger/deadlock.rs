//! Whether a claim made under a lease can ever be served.
//!
//! A lease lasts until the claims made under it have been served and have ended; one with a time to live
//! ends by that, whatever is under it. A waiting claim with a deadline ends by that. Buckets fill, and
//! pauses end. Everybody else who holds something can give it back. So these can stand in each other's way
//! for ever: leases without a time to live, with claims under them that wait, without a deadline, for
//! permits of such leases.
//!
//! **Why the judgement is exact.** All are let end who can: `free` is what there is then, if nothing
//! more is granted but to claims under leases. A claim under a lease that fits is served and ends, and its
//! owner with it if nothing else is under that; its permits are free then. This is repeated until
//! nobody else fits. What ends only adds to what is free, so the order does not matter, and
//! whoever is left could not be served by any sequence of releases. Who is served here can be served:
//! claims under leases come before all others, no barrier restricts them, and others who hold something
//! end. As long as that is so for all who wait, it stays so when claims are served, or end, or when one
//! joins that can be served itself: once it has ended, all is as it was. So only the newcomer need
//! be judged. Only where a resource shrinks must all be.
//!
//! **Why a cycle leads back to the newcomer.** Who is left is short of a resource of which leases that are
//! left hold some, and under each of these waits somebody who is left. Take those who wait from whom no
//! chain of this kind leads to the newcomer. What they are short of is held by leases under which
//! only their like wait: nobody of them could have been served before the newcomer came. But all
//! could. So there is no such claim, and from the newcomer itself a chain leads back to it.

use alloc::vec::Vec;
use core::fmt;

use super::Ledger;
use super::claims::{NONE, State};
use super::error::ClaimError;
use super::event::Rejection;
use super::ticket::{ResourceId, Ticket};

/// Why a claim made under a lease could never be served: leases, each held until a claim made under
/// it has been served, which wants what the next one holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The first is the one that the refused claim was made under, or one above that. The claim under
    /// the last wants what the first holds.
    pub cycle: Vec<Link>,
}

/// A lease in a [`Deadlock`], and the claim that keeps it from ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Link {
    /// The lease.
    pub lease: Ticket,
    /// What it holds of the resource that the link before it wants.
    pub holds: (ResourceId, u64),
    /// The claim made under it, or under a lease that was made under it, and so on. `None`: the claim
    /// that was refused.
    pub claim: Option<Ticket>,
    /// What that claim wants of the resource that the next link holds.
    pub wants: (ResourceId, u64),
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the claim would wait for ever:")?;
        for (place, link) in self.cycle.iter().enumerate() {
            let (lease, (held, holds), (wanted, wants)) = (link.lease, link.holds, link.wants);
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma} {lease:?} has {holds} of {held:?} and wants {wants} of {wanted:?}")?;
        }
        Ok(())
    }
}

/// What is left once everybody has ended who can.
struct Rest {
    /// By resource: what leases hold that are left.
    locked: Vec<i64>,
    /// By slot: how many claims under it are left.
    children: Vec<u32>,
    /// Those who wait and cannot be served, by arrival.
    stuck: Vec<u32>,
}

impl Ledger {
    /// Judges a claim that would have to wait. It has joined its family, and nothing else.
    pub(super) fn judge(&self, newcomer: u32) -> Result<(), ClaimError> {
        let ids = self.claims.get(newcomer).demand.ids();
        if ids.iter().all(|&id| !self.is_short(newcomer, id, self.kin.locked())) {
            return Ok(());
        }
        let rest = self.rest(newcomer);
        let cycle = self.cycle(newcomer, &rest);
        if cycle.is_empty() { Ok(()) } else { Err(ClaimError::Deadlock(Deadlock { cycle })) }
    }

    /// Rejects claims that were caught in a cycle by a resource that shrank, the newest first, until none
    /// is; the caller settles.
    pub(super) fn break_deadlocks(&mut self) {
        while !self.kin.is_empty() {
            let rest = self.rest(NONE);
            let caught = |&&slot: &&u32| !self.cycle(slot, &rest).is_empty();
            let Some(&slot) = rest.stuck.iter().rev().find(caught) else { return };
            self.reject(Vec::from([(0, slot)]), Rejection::Deadlock);
        }
    }

    /// Whether a claim wants more of a resource than there is beside what is locked. Buckets fill.
    fn is_short(&self, slot: u32, id: ResourceId, locked: &[i64]) -> bool {
        let locked = locked.get(id.at()).copied().unwrap_or(0);
        let Some(wanted) = self.claims.get(slot).demand.of(id) else { return false };
        let limit = self.resources.get(id).filter(|_| !self.resources.is_bucket(id));
        limit.is_some_and(|limit| wanted.cast_signed() > limit.capacity().cast_signed() - locked)
    }

    /// Lets everybody end who can. `newcomer` is not in the line yet, and its deadline does not count.
    fn rest(&self, newcomer: u32) -> Rest {
        let locked = self.kin.locked().clone();
        let mut rest = Rest { locked, children: self.kin.children(), stuck: Vec::new() };
        // A lease comes before what was made under it: nothing has ended yet under one that is looked at.
        for (_, slot) in self.claims.by_arrival(&|claim| claim.kin) {
            let waits = self.claims.get(slot).state != State::Held;
            if waits && self.lasts(slot) {
                rest.stuck.push(slot);
            } else if waits || rest.children[slot as usize] == 0 || !self.lasts(slot) {
                self.end(slot, &mut rest);
            }
        }
        if newcomer != NONE {
            rest.stuck.push(newcomer);
        }
        // Round and round, until nobody has been served in a whole one.
        let (mut place, mut in_vain) = (0, 0);
        while in_vain < rest.stuck.len() {
            place %= rest.stuck.len();
            let slot = rest.stuck[place];
            let ids = self.claims.get(slot).demand.ids();
            if ids.iter().any(|&id| self.is_short(slot, id, &rest.locked)) {
                (place, in_vain) = (place + 1, in_vain + 1);
            } else {
                rest.stuck.remove(place);
                self.end(slot, &mut rest);
                in_vain = 0;
            }
        }
        rest
    }

    /// Has a claim end, and with it the leases above it that lasted for it alone.
    fn end(&self, mut slot: u32, rest: &mut Rest) {
        while let Some(owner) = self.owner_of(slot) {
            rest.children[owner as usize] -= 1;
            if rest.children[owner as usize] > 0 || !self.lasts(owner) {
                return;
            }
            self.count(owner, -1, &mut rest.locked);
            slot = owner;
        }
    }

    /// The shortest cycle through a claim, if there is one. Searched against the direction of the links,
    /// so that it can be read in it.
    fn cycle(&self, through: u32, rest: &Rest) -> Vec<Link> {
        // By place: who it waits for, and the order in which they were found.
        let mut next = Vec::new();
        next.resize(rest.children.len(), NONE);
        let mut found = Vec::from([through]);
        let mut place = 0;
        while next.get(through as usize) == Some(&NONE) {
            let Some(&claim) = found.get(place) else { return Vec::new() };
            place += 1;
            for &other in &rest.stuck {
                if next[other as usize] == NONE && self.blocks(claim, other, rest).is_some() {
                    next[other as usize] = claim;
                    found.push(other);
                }
            }
        }
        let mut before = through;
        while next[before as usize] != through {
            before = next[before as usize];
        }
        let mut links = Vec::new();
        let mut claim = through;
        loop {
            let then = next[claim as usize];
            if let Some((lease, held)) = self.blocks(claim, before, rest)
                && let Some((_, wanted)) = self.blocks(then, claim, rest)
            {
                links.push(self.link(lease, held, claim, wanted));
            }
            if then == through {
                return links;
            }
            (before, claim) = (claim, then);
        }
    }

    fn link(&self, lease: u32, held: ResourceId, claim: u32, wanted: ResourceId) -> Link {
        let units = |slot: u32, id| (id, self.claims.get(slot).demand.of(id).unwrap_or(0));
        let exists = self.claims.get(claim).state != State::Free;
        Link {
            lease: self.claims.ticket(lease),
            holds: units(lease, held),
            claim: exists.then(|| self.claims.ticket(claim)),
            wants: units(claim, wanted),
        }
    }

    /// A lease that lasts for `claim` and holds something that `other` is short of.
    fn blocks(&self, mut claim: u32, other: u32, rest: &Rest) -> Option<(u32, ResourceId)> {
        while let Some(lease) = self.owner_of(claim) {
            if !self.lasts(lease) {
                break;
            }
            for (id, units) in self.claims.get(lease).demand.iter() {
                if units > 0 && self.is_short(other, id, &rest.locked) {
                    return Some((lease, id));
                }
            }
            claim = lease;
        }
        None
    }
}
