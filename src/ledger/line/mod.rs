//! The waiting line: an index that answers, without looking at every waiter, who is the first in
//! order that fits.
//!
//! Claims are kept apart by the *set* of resources that they want. Within a set, claims with the same
//! units and priority form a *line*, first come, first served, of which only the head is indexed: if
//! the head does not fit, nobody behind it does. So a thousand alike waiters cost what one costs.
//!
//! The rest of the ledger sees this file only. It decides nothing about who may pass whom: it searches
//! those who wait for what is free and not kept from them.
//!
//! **Why a search is exact.** It looks at every set that may hold somebody eligible: `gates` says why no
//! other does. It leaves out a set whose first claim comes after one already found, and what `trie`
//! leaves out. The order in which sets are looked at decides what it costs, never what it answers.
//!
//! **What it costs.** A search passes over the sets that want a resource whose gate has opened, one short
//! row each, a few nanoseconds; and searches those that have somebody there who may fit. Sets that were
//! emptied stay for a while, so that a resource for which now and then one claim waits allocates
//! nothing. Measured, a release with the grant that follows, at 100,000 parked: few different demands 0.3
//! to 0.4 us, all different 6 to 12 us; of a hundred sets that share what is scarce 0.8 us, all different
//! 12 to 20 us, for each of them has to be searched; of five thousand 20 to 60 us.

mod bits;
mod fifo;
mod gates;
mod key;
mod set;
mod slots;
mod trie;
#[cfg(test)]
mod trie_tests;

use alloc::vec::Vec;

use self::gates::{Gates, NOBODY, Side, is_short};
use self::set::Set;
use super::claims::{Claim, Claims, NONE, Place};
use super::lookup::{Lookup, hash};
use super::policy::Order;
use super::ticket::ResourceId;
use super::time::Time;
pub(crate) use gates::Supply;
pub(crate) use key::Key;

/// A set of resources that a waiting claim wants, or wanted a short while ago.
pub(crate) type SetId = u32;

#[derive(Clone, Debug)]
pub(crate) struct WaitingLine {
    order: Order,
    sets: Vec<Set>,
    /// Beside the sets.
    heads: Vec<Head>,
    vacant: Vec<SetId>,
    by_resources: Lookup,
    /// How many sets have claims.
    occupied: usize,
    gates: Gates,
    round: u64,
    /// Scratch of a search.
    sides: Vec<Side>,
}

/// What is asked of every set of a resource at every grant, apart from the rest: one short row.
#[derive(Clone, Copy, Debug)]
struct Head {
    /// The first in service.
    least: Key,
    /// The first in seniority, and its claim or `NONE`.
    senior: Key,
    first: u32,
    /// The last round in which it was seen.
    round: u64,
}

impl Head {
    const NONE: Head = Head { least: Key::LAST, senior: Key::LAST, first: NONE, round: 0 };
}

/// So many sets without claims may be kept, beside as many as have some.
const IDLE: usize = 32;

impl WaitingLine {
    pub(crate) const fn new(order: Order) -> Self {
        WaitingLine {
            order,
            sets: Vec::new(),
            heads: Vec::new(),
            vacant: Vec::new(),
            by_resources: Lookup::new(),
            occupied: 0,
            gates: Gates::new(),
            round: 0,
            sides: Vec::new(),
        }
    }

    /// The place in the order of service.
    pub(crate) fn service(&self, seniority: Key) -> Key {
        seniority.service(self.order == Order::Newest)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    pub(crate) fn insert(&mut self, slot: u32, claims: &mut Claims) -> SetId {
        let id = self.set_for(claims.get(slot).demand.ids());
        let key = self.service(claims.get(slot).seniority());
        let claim = claims.get_mut(slot);
        claim.place = Place { set: id, ..Place::NOWHERE };
        let set = &mut self.sets[id as usize];
        self.occupied += usize::from(set.is_empty());
        set.insert(slot, key, claims);
        self.look_up(id, claims);
        id
    }

    pub(crate) fn remove(&mut self, slot: u32, claims: &mut Claims) {
        let id = claims.get(slot).place.set;
        let set = &mut self.sets[id as usize];
        set.remove(slot, claims);
        claims.get_mut(slot).place = Place::NOWHERE;
        if !set.is_empty() {
            return self.look_up(id, claims);
        }
        for (&resource, &place) in set.resources().iter().zip(set.places()) {
            self.gates.put_down(resource, place, NOBODY);
        }
        self.heads[id as usize] = Head::NONE;
        self.occupied -= 1;
        if self.by_resources.len() > 2 * self.occupied + IDLE {
            self.forget_idle();
        }
    }

    /// Sees again who is first in a set.
    fn look_up(&mut self, id: SetId, claims: &Claims) {
        let (least, first) = self.sets[id as usize].firsts();
        let senior = match self.order {
            Order::Newest => claims.get(first).seniority(),
            Order::Fair | Order::Greedy => least,
        };
        self.heads[id as usize] = Head { least, senior, first, ..self.heads[id as usize] };
    }

    fn set_for(&mut self, resources: &[ResourceId]) -> SetId {
        let hash = hash_of(resources);
        let is = |id: SetId| self.sets[id as usize].resources() == resources;
        if let Some(id) = self.by_resources.find(hash, is) {
            return id;
        }
        let id = self.vacant.pop().unwrap_or(self.sets.len() as SetId);
        let places = resources.iter().map(|&resource| self.gates.add(resource, id)).collect();
        let set = Set::new(resources, places, self.order == Order::Newest);
        if let Some(vacant) = self.sets.get_mut(id as usize) {
            *vacant = set;
        } else {
            self.sets.push(set);
            self.heads.push(Head::NONE);
        }
        self.by_resources.insert(hash, id);
        id
    }

    /// Gives up the sets without claims.
    fn forget_idle(&mut self) {
        for id in 0..self.sets.len() as SetId {
            let set = &mut self.sets[id as usize];
            if !set.is_empty() || set.resources().is_empty() {
                continue;
            }
            let set = core::mem::replace(set, Set::new(&[], Vec::new(), false));
            for (&resource, &place) in set.resources().iter().zip(set.places()) {
                if let Some(moved) = self.gates.remove(resource, place) {
                    self.sets[moved as usize].moved(resource, place);
                }
            }
            self.by_resources.remove(hash_of(set.resources()), |other| other == id);
            self.vacant.push(id);
        }
    }

    /// With so many free units of a resource somebody who waits may become eligible. As long as no
    /// resource has so many free, nobody is.
    pub(crate) fn opens(&self, id: ResourceId) -> u64 {
        self.gates.note(id)
    }

    /// Whether anybody in the line wants a resource.
    pub(crate) fn is_wanted(&self, id: ResourceId) -> bool {
        self.gates.places(id).iter().any(|place| !self.sets[place.set as usize].is_empty())
    }

    pub(crate) fn sets(&self) -> core::ops::Range<SetId> {
        0..self.sets.len() as SetId
    }

    /// Has all of a set looked at, if its gate is entered that is named.
    pub(crate) fn summon(&mut self, set: SetId) -> Option<ResourceId> {
        let set = self.sets.get(set as usize)?;
        let (&id, &place) = set.resources().first().zip(set.places().first())?;
        self.gates.put_down(id, place, 0);
        Some(id)
    }

    /// Somebody who waits for a resource may need so many units fewer than before.
    pub(crate) fn lower(&mut self, id: ResourceId, units: u64) {
        self.gates.lower(id, units);
    }

    /// Notes what a claim of the line is short of, if it stands at this place in seniority, and says when
    /// time alone could serve it. `None` if it is short of nothing.
    pub(crate) fn stand(&mut self, place: Key, claim: &Claim, supply: Supply<'_>) -> Option<Time> {
        let set = &self.sets[claim.place.set as usize];
        self.gates.sides(set.resources(), supply, &mut self.sides);
        let when = is_short(&mut self.sides, place, claim.demand.units(), supply, true);
        for (side, &place) in self.sides.iter().zip(set.places()) {
            let note = self.gates.places(side.id)[place as usize].note;
            self.gates.put_down(side.id, place, note.min(side.note));
        }
        when
    }

    /// The first in service that is short of nothing, if every resource of which as much is free as it
    /// `opens` at is among these. Also, when time alone could serve somebody who was looked at.
    pub(crate) fn first(
        &mut self,
        ids: &[ResourceId],
        supply: Supply<'_>,
    ) -> (Option<(Key, u32)>, Time) {
        self.round += 1;
        let (mut first, mut due) = (None, Time::NEVER);
        for &id in ids {
            let free = supply.resources.free_at(id, supply.now);
            if !self.gates.enter(id, free, self.round) {
                continue;
            }
            for place in 0..self.gates.places(id).len() {
                let gates::Place { set, note } = self.gates.places(id)[place];
                let limit = first.map_or(Key::LAST, |(key, _)| key);
                if note <= free && self.heads[set as usize].least < limit && self.see(set) {
                    first = self.search(set, limit, supply, &mut due).or(first);
                }
            }
            self.gates.leave(id);
        }
        (first, due)
    }

    /// The first in service of a set, before `limit`, that is short of nothing.
    fn search(
        &mut self,
        set: SetId,
        limit: Key,
        supply: Supply<'_>,
        due: &mut Time,
    ) -> Option<(Key, u32)> {
        let set = &self.sets[set as usize];
        let sides = &mut self.sides;
        self.gates.sides(set.resources(), supply, sides);
        let newest = self.order == Order::Newest;
        let all = limit == Key::LAST;
        let found = set.first(limit, &mut |key: Key, units: &[u64]| {
            let place = key.place(newest);
            let when = is_short(sides, place, units, supply, all);
            *due = when.map_or(*due, |when| when.min(*due));
            when.is_none()
        });
        if all && found.is_none() {
            for (side, &place) in sides.iter().zip(set.places()) {
                self.gates.put_down(side.id, place, side.note);
            }
        }
        found
    }

    /// The firsts, in seniority, of the sets that want any of these resources, if they are senior to this
    /// place.
    pub(crate) fn passed(&mut self, ids: &[ResourceId], by: Key, found: &mut Vec<u32>) {
        found.clear();
        self.round += 1;
        for &id in ids {
            for place in 0..self.gates.places(id).len() {
                let set = self.gates.places(id)[place].set;
                if self.heads[set as usize].senior < by && self.see(set) {
                    found.push(self.heads[set as usize].first);
                }
            }
        }
    }

    /// Whether this is the first time that the set is seen in this round.
    fn see(&mut self, set: SetId) -> bool {
        core::mem::replace(&mut self.heads[set as usize].round, self.round) != self.round
    }

    /// The first in seniority of a set: its longest-waiting claim of the highest priority. Or `NONE`.
    pub(crate) fn most_senior(&self, set: SetId) -> u32 {
        self.heads[set as usize].first
    }
}

fn hash_of(resources: &[ResourceId]) -> u32 {
    hash(resources.iter().map(|resource| resource.index()))
}
