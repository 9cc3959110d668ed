//! Claims made under a lease, and the leases that they are made under.
//!
//! A claim that names a lease as its *owner* belongs to work that has begun: the lease will hardly end
//! before the claim has been served and has ended. So it stands before all claims that were not made
//! under a lease, and no barrier restricts it, for the barrier may need just what the owner holds.
//! If the owner ends first, the claim goes on as any other, in the place it has.
//!
//! What is kept here is kept apart from the claims, by slot, so that it costs nothing where no claim is
//! made under a lease. `deadlock.rs` judges whether such a claim can be served at all.

use alloc::vec::Vec;

use super::Ledger;
use super::claims::NONE;
use super::error::ClaimError;
use super::ticket::{ResourceId, Ticket};

#[derive(Clone, Debug)]
pub(crate) struct Kin {
    /// By slot.
    members: Vec<Member>,
    /// By resource: units of semaphores that leases hold which last as long as the claims under them.
    locked: Vec<i64>,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    /// The lease that it was made under. It may have ended since.
    owner: Ticket,
    /// How many claims that were made under it have not ended.
    children: u32,
}

impl Member {
    const ALONE: Member = Member { owner: Ticket::from_number(u64::MAX), children: 0 };
}

impl Kin {
    pub(crate) const fn new() -> Self {
        Kin { members: Vec::new(), locked: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn member(&mut self, slot: u32) -> &mut Member {
        let at = slot as usize;
        while self.members.len() <= at {
            self.members.push(Member::ALONE);
        }
        &mut self.members[at]
    }

    /// How many claims made under each slot's lease have not ended.
    pub(super) fn children(&self) -> Vec<u32> {
        self.members.iter().map(|member| member.children).collect()
    }

    pub(super) fn locked(&self) -> &Vec<i64> {
        &self.locked
    }
}

impl Ledger {
    /// The slot of a lease that a claim is to be made under.
    pub(super) fn owner_slot(&self, owner: Ticket) -> Result<u32, ClaimError> {
        self.held_slot(owner).map_err(|_| ClaimError::OwnerIsNoLease(owner))
    }

    /// The lease that a claim was made under, unless that has ended.
    pub(super) fn owner_of(&self, slot: u32) -> Option<u32> {
        let member = self.kin.members.get(slot as usize)?;
        self.claims.slot_of(member.owner)
    }

    /// Puts a claim under its owner.
    pub(super) fn join_kin(&mut self, slot: u32, owner: u32) {
        self.kin.member(slot).owner = self.claims.ticket(owner);
        for slot in [slot, owner] {
            self.claims.get_mut(slot).kin = true;
        }
        let children = &mut self.kin.member(owner).children;
        *children += 1;
        if *children == 1 {
            self.lock(owner, 1);
        }
    }

    /// Parts a claim that ends, or has come to nothing, from its owner and from those made under it.
    #[cold]
    pub(super) fn leave_kin(&mut self, slot: u32) {
        self.claims.get_mut(slot).kin = false;
        if self.kin.member(slot).children > 0 {
            self.lock(slot, -1);
        }
        let owner = self.owner_of(slot);
        *self.kin.member(slot) = Member::ALONE;
        if let Some(owner) = owner {
            let children = &mut self.kin.member(owner).children;
            *children -= 1;
            if *children == 0 {
                self.lock(owner, -1);
            }
        }
    }

    /// A lease gives back a part of what it holds.
    #[cold]
    pub(super) fn unlock_part(&mut self, lease: u32, id: ResourceId, units: u64) {
        if self.kin.member(lease).children > 0 && self.lasts(lease) {
            self.kin.locked[id.at()] -= units.cast_signed();
        }
    }

    /// A lease lasts as long as the claims under it, unless its own time ends it; or no longer.
    fn lock(&mut self, lease: u32, sign: i64) {
        let mut locked = core::mem::take(&mut self.kin.locked);
        if self.lasts(lease) {
            self.count(lease, sign, &mut locked);
        }
        self.kin.locked = locked;
    }

    /// Adds what a lease holds of semaphores, or takes it away.
    pub(super) fn count(&self, lease: u32, sign: i64, units_of: &mut Vec<i64>) {
        for (id, units) in self.claims.get(lease).demand.iter() {
            while units_of.len() <= id.at() {
                units_of.push(0);
            }
            if !self.resources.is_bucket(id) {
                units_of[id.at()] += sign * units.cast_signed();
            }
        }
    }

    /// Whether no time ends the claim.
    pub(super) fn lasts(&self, slot: u32) -> bool {
        self.claims.get(slot).alarm == NONE
    }
}
