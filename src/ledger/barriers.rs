//! Barriers: claims that have been passed as often as they may be, and for which units are kept.
//!
//! Nobody after a barrier, in seniority, may take units that would leave less free than it demands.
//! For a claim after several barriers the free units are reduced, per resource, by the largest demand
//! among them: each is served in turn, and the next one gathers then.

use alloc::vec::Vec;

use super::claims::Claims;
use super::line::Key;
use super::policy::Order;
use super::ticket::ResourceId;

/// The barriers in the order of seniority.
#[derive(Clone, Debug)]
pub(crate) struct Barriers(Vec<(Key, u32)>);

/// A stretch of the line, exclusive at both ends, and how many barriers are senior to all of it.
pub(crate) struct Stretch {
    pub(crate) after: Key,
    pub(crate) before: Key,
    pub(crate) behind: usize,
}

impl Barriers {
    pub(crate) const fn new() -> Self {
        Barriers(Vec::new())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn insert(&mut self, seniority: Key, slot: u32) {
        let place = self.behind(seniority);
        self.0.insert(place, (seniority, slot));
    }

    pub(crate) fn remove(&mut self, seniority: Key) {
        self.0.remove(self.behind(seniority));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Key, u32)> {
        self.0.iter().copied()
    }

    /// How many barriers are senior to this place.
    pub(crate) fn behind(&self, seniority: Key) -> usize {
        self.0.partition_point(|&(key, _)| key < seniority)
    }

    /// Units of a resource that the first `count` barriers keep.
    pub(crate) fn kept(&self, count: usize, id: ResourceId, claims: &Claims) -> u64 {
        let demands = self.0[..count].iter().map(|&(_, slot)| &claims.get(slot).demand);
        demands.filter_map(|demand| demand.of(id)).max().unwrap_or(0)
    }

    /// What the first `count` barriers leave of the free units.
    pub(crate) fn leave(&self, count: usize, free: &[u64], claims: &Claims) -> Vec<u64> {
        let mut left = free.to_vec();
        for &(_, slot) in &self.0[..count] {
            for (id, units) in claims.get(slot).demand.iter() {
                left[id.at()] = left[id.at()].min(free[id.at()].saturating_sub(units));
            }
        }
        left
    }

    /// Cuts the line, in the order of service, where the barriers that count change: behind each barrier,
    /// or where the newest come first, behind each priority that has one.
    pub(crate) fn stretches(&self, order: Order) -> Vec<Stretch> {
        let mut stretches = Vec::with_capacity(self.0.len() + 1);
        let mut after = Key::FIRST;
        for (behind, &(key, _)) in self.0.iter().enumerate() {
            let before = match order {
                // A barrier does not restrict itself: it belongs to the stretch that it ends.
                Order::Fair | Order::Greedy => Key { rank: key.rank, seq: key.seq + 1 },
                Order::Newest => Key { rank: key.rank, seq: 0 },
            };
            if before > after {
                stretches.push(Stretch { after, before, behind });
            }
            // `after` is exclusive: the last place before the next stretch.
            after = Key { rank: before.rank, seq: before.seq.saturating_sub(1) };
        }
        stretches.push(Stretch { after, before: Key::LAST, behind: self.0.len() });
        stretches
    }
}
