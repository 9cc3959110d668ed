//! The waiting line: an index that answers, without looking at every waiter, who is the first in
//! order that fits.
//!
//! Claims are kept apart by the *set* of resources that they want. Within a set, claims with the same
//! units and priority form a *line*, first come, first served, of which only the head is indexed: if
//! the head does not fit, nobody behind it does. So a thousand alike waiters cost what one costs.
//!
//! The rest of the ledger sees this file only. It decides nothing about who may pass whom: it searches
//! between two places in order, in the free units that it is given.

mod bits;
mod fifo;
mod key;
mod set;
mod slots;
mod trie;
#[cfg(test)]
mod trie_tests;

use alloc::vec::Vec;

use self::set::Set;
use super::claims::{Claims, Place};
use super::lookup::{Lookup, hash};
use super::policy::Order;
use super::ticket::ResourceId;
use super::time::Time;
pub(crate) use key::Key;

/// A set of resources that at least one waiting claim wants.
pub(crate) type SetId = u32;

/// When a claim at this place in service could have these units of these resources.
pub(crate) type Exact<'a> = dyn FnMut(Key, &[ResourceId], &[u64]) -> Time + 'a;

#[derive(Clone, Debug)]
pub(crate) struct WaitingLine {
    order: Order,
    sets: Vec<Set>,
    vacant: Vec<SetId>,
    by_resources: Lookup,
    /// By resource: the sets that contain it.
    on: Vec<Vec<SetId>>,
    round: u64,
}

impl WaitingLine {
    pub(crate) const fn new(order: Order) -> Self {
        WaitingLine {
            order,
            sets: Vec::new(),
            vacant: Vec::new(),
            by_resources: Lookup::new(),
            on: Vec::new(),
            round: 0,
        }
    }

    /// The place in the order of service.
    pub(crate) fn service(&self, seniority: Key) -> Key {
        match self.order {
            Order::Newest => Key { rank: seniority.rank, seq: !seniority.seq },
            Order::Fair | Order::Greedy => seniority,
        }
    }

    /// The other way round: [`Self::service`] is its own inverse.
    pub(crate) fn seniority(&self, service: Key) -> Key {
        self.service(service)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_resources.is_empty()
    }

    /// Whether any claim of this set waits.
    pub(crate) fn holds(&self, set: SetId) -> bool {
        !self.sets[set as usize].is_empty()
    }

    pub(crate) fn insert(&mut self, slot: u32, claims: &mut Claims) -> SetId {
        let id = self.set_for(claims.get(slot).demand.ids());
        let key = self.service(claims.get(slot).seniority());
        let claim = claims.get_mut(slot);
        claim.place = Place { set: id, ..Place::NOWHERE };
        self.sets[id as usize].insert(slot, key, claims);
        id
    }

    pub(crate) fn remove(&mut self, slot: u32, claims: &mut Claims) {
        let id = claims.get(slot).place.set;
        let set = &mut self.sets[id as usize];
        set.remove(slot, claims);
        claims.get_mut(slot).place = Place::NOWHERE;
        if set.is_empty() {
            self.forget(id);
        }
    }

    fn set_for(&mut self, resources: &[ResourceId]) -> SetId {
        let hash = hash_of(resources);
        let is = |id: SetId| self.sets[id as usize].resources() == resources;
        if let Some(id) = self.by_resources.find(hash, is) {
            return id;
        }
        let set = Set::new(resources, self.order == Order::Newest);
        let id = if let Some(id) = self.vacant.pop() {
            self.sets[id as usize] = set;
            id
        } else {
            self.sets.push(set);
            self.sets.len() as SetId - 1
        };
        self.by_resources.insert(hash, id);
        for resource in resources {
            if self.on.len() <= resource.at() {
                self.on.resize_with(resource.at() + 1, Vec::new);
            }
            self.on[resource.at()].push(id);
        }
        id
    }

    fn forget(&mut self, id: SetId) {
        let set = core::mem::replace(&mut self.sets[id as usize], Set::new(&[], false));
        for resource in set.resources() {
            self.on[resource.at()].retain(|&other| other != id);
        }
        self.by_resources.remove(hash_of(set.resources()), |other| other == id);
        self.vacant.push(id);
    }

    /// The sets that contain this resource.
    pub(crate) fn sets_on(&self, resource: ResourceId) -> &[SetId] {
        self.on.get(resource.at()).map_or(&[], Vec::as_slice)
    }

    /// The sets that contain any of these resources, each once.
    pub(crate) fn sets_on_any(&mut self, resources: &[ResourceId], found: &mut Vec<SetId>) {
        found.clear();
        for &resource in resources {
            found.extend_from_slice(self.sets_on(resource));
        }
        self.keep_each_once(found);
    }

    /// Drops what a list of sets names again, by marking each set with the number of this round.
    pub(crate) fn keep_each_once(&mut self, sets: &mut Vec<SetId>) {
        if sets.len() > 1 {
            self.round += 1;
            let round = self.round;
            sets.retain(|&set| self.sets[set as usize].see_first(round));
        }
    }

    /// The first in seniority of a set: its longest-waiting claim of the highest priority.
    pub(crate) fn most_senior(&self, set: SetId) -> u32 {
        self.sets[set as usize].most_senior()
    }

    /// The first in order among these sets that fits and stands strictly between two places.
    pub(crate) fn first(
        &self,
        sets: &[SetId],
        free: &[u64],
        after: Key,
        before: Key,
    ) -> Option<u32> {
        let (mut best, mut limit) = (None, before);
        for &set in sets {
            if let Some((key, slot)) = self.sets[set as usize].first(free, after, limit) {
                (best, limit) = (Some(slot), key);
            }
        }
        best
    }

    /// The earliest moment at which a claim of this set could be served by time alone, at or before
    /// which nobody else of it could. `bound` says when so many units of a resource are free,
    /// `exact` when the claim at this place could have its units.
    pub(crate) fn earliest(
        &self,
        set: SetId,
        bound: &mut dyn FnMut(ResourceId, u64) -> Time,
        exact: &mut Exact<'_>,
    ) -> Time {
        self.sets[set as usize].earliest(bound, exact)
    }
}

fn hash_of(resources: &[ResourceId]) -> u32 {
    hash(resources.iter().map(|resource| resource.index()))
}
