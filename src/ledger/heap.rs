//! A binary heap of claims in which each claim knows its place, so that one that leaves early takes its
//! entry along. Deadlines use it, and the strays of a line.

use alloc::vec::Vec;

use super::claims::{Claim, Claims, NONE};

/// First by `at`, then by `then`, which no two in a heap share: an order of its own, whatever the heap's
/// shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) at: u64,
    pub(crate) then: u64,
    pub(crate) slot: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Heap {
    entries: Vec<Entry>,
    /// Where a claim keeps its place in this heap.
    place: fn(&mut Claim) -> &mut u32,
}

impl Heap {
    pub(crate) const fn new(place: fn(&mut Claim) -> &mut u32) -> Self {
        Heap { entries: Vec::new(), place }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn first(&self) -> Option<&Entry> {
        self.entries.first()
    }

    pub(crate) fn get(&self, place: u32) -> Option<&Entry> {
        self.entries.get(place as usize)
    }

    pub(crate) fn insert(&mut self, entry: Entry, claims: &mut Claims) {
        self.entries.push(entry);
        self.up(self.entries.len() - 1, claims);
    }

    /// Takes the claim's entry out, if it has one.
    pub(crate) fn remove(&mut self, slot: u32, claims: &mut Claims) {
        let place = core::mem::replace((self.place)(claims.get_mut(slot)), NONE);
        if place == NONE {
            return;
        }
        let last = self.entries.len() - 1;
        let moved = self.entries[last];
        self.entries.truncate(last);
        let place = place as usize;
        if place < last {
            self.entries[place] = moved;
            let place = self.up(place, claims);
            self.down(place, claims);
        }
    }

    fn up(&mut self, mut place: usize, claims: &mut Claims) -> usize {
        let entry = self.entries[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.entries[parent] <= entry {
                break;
            }
            self.put(place, self.entries[parent], claims);
            place = parent;
        }
        self.put(place, entry, claims);
        place
    }

    fn down(&mut self, mut place: usize, claims: &mut Claims) {
        let entry = self.entries[place];
        loop {
            let left = 2 * place + 1;
            let Some(&first) = self.entries.get(left) else { break };
            let (child, least) = match self.entries.get(left + 1) {
                Some(&right) if right < first => (left + 1, right),
                _ => (left, first),
            };
            if entry <= least {
                break;
            }
            self.put(place, least, claims);
            place = child;
        }
        self.put(place, entry, claims);
    }

    fn put(&mut self, place: usize, entry: Entry, claims: &mut Claims) {
        self.entries[place] = entry;
        *(self.place)(claims.get_mut(entry.slot)) = place as u32;
    }
}
