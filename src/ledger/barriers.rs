//! What is kept of the free units: for barriers, and for claims that were woken.
//!
//! A barrier is a claim that has been passed as often as it may be. Nobody after it, in seniority, may
//! take units that would leave less free than it demands. For a claim after several barriers the
//! largest demand among them counts, resource by resource: each is served in turn, and the next one
//! gathers then. Only those that demand more than every more senior one make a difference, so beside
//! each barrier stands the most that it and those before it keep: to look up what is kept is a binary
//! search, and a barrier that comes or goes passes once over those of its resources.

use alloc::vec::Vec;

use super::demand::Demand;
use super::line::Key;
use super::ticket::ResourceId;

#[derive(Clone, Debug)]
pub(crate) struct Barriers {
    count: usize,
    /// By resource.
    kept: Vec<Kept>,
}

#[derive(Clone, Debug, Default)]
struct Kept {
    /// Those that want the resource, in the order of seniority.
    barriers: Vec<Barrier>,
    /// Greedy: units of woken claims that have not asked again yet.
    promised: u64,
}

#[derive(Clone, Copy, Debug)]
struct Barrier {
    seniority: Key,
    units: u64,
    /// The most units that it or a more senior one wants.
    most: u64,
    slot: u32,
}

impl Barriers {
    pub(crate) const fn new() -> Self {
        Barriers { count: 0, kept: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn insert(&mut self, seniority: Key, slot: u32, demand: &Demand) {
        self.count += 1;
        for (id, units) in demand.iter() {
            let kept = self.of_mut(id);
            let place = kept.behind(seniority);
            kept.barriers.insert(place, Barrier { seniority, units, most: 0, slot });
            kept.sum_up(place);
        }
    }

    pub(crate) fn remove(&mut self, seniority: Key, demand: &Demand) {
        self.count -= 1;
        for &id in demand.ids() {
            let kept = self.of_mut(id);
            let place = kept.behind(seniority);
            kept.barriers.remove(place);
            kept.sum_up(place);
        }
    }

    /// The barriers that want a resource, by number.
    pub(crate) fn nth(&self, id: ResourceId, place: usize) -> Option<u32> {
        Some(self.kept.get(id.at())?.barriers.get(place)?.slot)
    }

    /// Whether any units of a resource are kept from anybody.
    pub(crate) fn keep_any(&self, id: ResourceId) -> bool {
        self.kept.get(id.at()).is_some_and(|kept| !kept.barriers.is_empty() || kept.promised > 0)
    }

    /// Units of a resource that are kept from a claim at this place in seniority.
    pub(crate) fn kept(&self, id: ResourceId, seniority: Key) -> u64 {
        let Some(kept) = self.kept.get(id.at()) else { return 0 };
        match kept.behind(seniority) {
            0 => kept.promised,
            behind => kept.barriers[behind - 1].most,
        }
    }

    /// Units that woken claims count on.
    pub(crate) fn promised_mut(&mut self, id: ResourceId) -> &mut u64 {
        &mut self.of_mut(id).promised
    }

    fn of_mut(&mut self, id: ResourceId) -> &mut Kept {
        if self.kept.len() <= id.at() {
            self.kept.resize_with(id.at() + 1, Kept::default);
        }
        &mut self.kept[id.at()]
    }
}

impl Kept {
    /// How many barriers are senior to this place.
    fn behind(&self, seniority: Key) -> usize {
        self.barriers.partition_point(|barrier| barrier.seniority < seniority)
    }

    /// Works out again what is most, from this place on.
    fn sum_up(&mut self, place: usize) {
        let mut most = if place == 0 { 0 } else { self.barriers[place - 1].most };
        for barrier in &mut self.barriers[place..] {
            most = most.max(barrier.units);
            barrier.most = most;
        }
    }
}
