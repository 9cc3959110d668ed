//! Where those who wait stand: each claim at the gate of one resource that it is short of.
//!
//! A set has a place at the gate of each of its resources, and on it a *note*: no claim of the set that
//! stands there needs less. So nobody stands where as much is free as he needs, as long as less is free
//! than is noted, at every place. **That is why a settling step is exact** that searches those sets only
//! at whose place as much is free as is noted: a claim of any other set is short of what it stands for.
//! If the search of a set finds nobody, it has dismissed every claim of it, alone or with all below a node
//! of the trie, for one resource; these stand there from now on, and the notes are what was least
//! needed, more than is free. A claim that joins is put down likewise. If the search finds somebody, all
//! stay where they were. So a set that waits for one resource is not disturbed by another.
//!
//! What a claim needs of a resource is its units and what is kept from it. That can fall only when a
//! barrier or a promise ends, and by no more than the units of that: then the notes of its resources
//! are lowered as much. Free units fall as much if the barrier ends by its grant.
//!
//! The note of a gate is no more than the least of its places: while less is free, a release, or the
//! time, need not look at the places. For the same reason no time before the moment when a bucket holds
//! as much as is noted can serve anybody; at that moment it may turn out that it does not either, for those
//! who stood there are short of something else. They stand there then.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::SetId;
use super::key::Key;
use crate::ledger::barriers::Barriers;
use crate::ledger::resources::Resources;
use crate::ledger::ticket::ResourceId;
use crate::ledger::time::Time;

/// What there is for those who wait.
#[derive(Clone, Copy)]
pub(crate) struct Supply<'a> {
    pub(crate) resources: &'a Resources,
    pub(crate) barriers: &'a Barriers,
    pub(crate) now: Time,
}

#[derive(Clone, Debug)]
pub(super) struct Gates(Vec<Gate>);

#[derive(Clone, Debug)]
struct Gate {
    places: Vec<Place>,
    /// No more than the least of its notes.
    note: u64,
    /// The last round in which it was looked at.
    round: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) set: SetId,
    pub(super) note: u64,
}

/// More than is ever free: nobody stands here.
pub(super) const NOBODY: u64 = i64::MAX as u64;

/// What a search has to know of one resource of a set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) id: ResourceId,
    free: u64,
    /// Whether any of it is kept from anybody.
    kept: bool,
    /// How many sets are disturbed when its gate opens.
    crowd: usize,
    /// The least that is needed by those who are put down here.
    pub(super) note: u64,
}

impl Gates {
    pub(super) const fn new() -> Self {
        Gates(Vec::new())
    }

    /// Gives a new set a place at the gate of a resource, and says which.
    pub(super) fn add(&mut self, id: ResourceId, set: SetId) -> u32 {
        if self.0.len() <= id.at() {
            let gate = || Gate { places: Vec::new(), note: NOBODY, round: 0 };
            self.0.resize_with(id.at() + 1, gate);
        }
        let places = &mut self.0[id.at()].places;
        places.push(Place { set, note: NOBODY });
        places.len() as u32 - 1
    }

    /// Notes what is needed at least by those of a set who stand at a gate.
    pub(super) fn put_down(&mut self, id: ResourceId, place: u32, note: u64) {
        let gate = &mut self.0[id.at()];
        gate.places[place as usize].note = note;
        gate.note = gate.note.min(note);
    }

    /// Takes the place of a set away, and names the set that has it now, if another has.
    pub(super) fn remove(&mut self, id: ResourceId, place: u32) -> Option<SetId> {
        let places = &mut self.0[id.at()].places;
        places.swap_remove(place as usize);
        places.get(place as usize).map(|place| place.set)
    }

    pub(super) fn places(&self, id: ResourceId) -> &[Place] {
        self.0.get(id.at()).map_or(&[], |gate| &gate.places)
    }

    /// The least that anybody needs who stands at this gate.
    pub(super) fn note(&self, id: ResourceId) -> u64 {
        self.0.get(id.at()).map_or(NOBODY, |gate| gate.note)
    }

    /// Whoever stands here may need so many units fewer.
    pub(super) fn lower(&mut self, id: ResourceId, units: u64) {
        if let Some(gate) = self.0.get_mut(id.at()) {
            gate.note = gate.note.saturating_sub(units);
            for place in gate.places.iter_mut().filter(|place| place.note < NOBODY) {
                place.note = place.note.saturating_sub(units);
            }
        }
    }

    /// Whether a gate is open that has not been looked at in this round.
    pub(super) fn enter(&mut self, id: ResourceId, free: u64, round: u64) -> bool {
        let Some(gate) = self.0.get_mut(id.at()) else { return false };
        gate.note <= free && core::mem::replace(&mut gate.round, round) != round
    }

    /// Sees again what is the least of a gate's notes.
    pub(super) fn leave(&mut self, id: ResourceId) {
        let gate = &mut self.0[id.at()];
        gate.note = gate.places.iter().map(|place| place.note).min().unwrap_or(NOBODY);
    }

    /// Begins a search among those who want these resources.
    pub(super) fn sides(&self, ids: &[ResourceId], supply: Supply<'_>, sides: &mut Vec<Side>) {
        sides.clear();
        for &id in ids {
            let free = supply.resources.free_at(id, supply.now);
            let kept = supply.barriers.keep_any(id);
            sides.push(Side { id, free, kept, crowd: self.0[id.at()].places.len(), note: NOBODY });
        }
    }
}

/// Whether a claim at this place in seniority that wants so many units is short of something; or all that
/// want no less and from which no less is kept. When time alone would help it.
///
/// It is put down where it is short, if it is to be `noted`. If it is short of several resources: where
/// time does not help or helps last; then, where the fewest sets are disturbed.
pub(super) fn is_short(
    sides: &mut [Side],
    place: Key,
    units: &[u64],
    supply: Supply<'_>,
    noted: bool,
) -> Option<Time> {
    let mut found: Option<((Time, Reverse<usize>), usize, u64)> = None;
    for (dim, (side, &units)) in sides.iter().zip(units).enumerate() {
        let kept = if side.kept { supply.barriers.kept(side.id, place) } else { 0 };
        let needed = units + kept;
        if needed <= side.free {
            continue;
        }
        if !noted {
            return Some(Time::NEVER);
        }
        let rank = (supply.resources.when(side.id, needed, supply.now), Reverse(side.crowd));
        if found.is_none_or(|(other, ..)| rank > other) {
            found = Some((rank, dim, needed));
        }
    }
    let ((when, _), dim, needed) = found?;
    sides[dim].note = sides[dim].note.min(needed);
    Some(when)
}
