//! The waiting claims that want the same set of resources.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Key;
use super::fifo::Fifo;
use super::trie::Trie;
use crate::ledger::claims::Claims;
use crate::ledger::heap::{Entry, Heap};
use crate::ledger::ticket::ResourceId;

#[derive(Clone, Debug)]
pub(crate) struct Set {
    resources: Box<[ResourceId]>,
    /// Beside the resources: its place at the gate.
    places: Vec<u32>,
    trie: Trie,
    /// By line number, as the trie gives them.
    lines: Vec<Fifo>,
    /// Where the newest come first, the order of service does not tell who is most senior.
    seniors: Option<Heap>,
}

impl Set {
    pub(super) fn new(resources: &[ResourceId], places: Vec<u32>, newest_first: bool) -> Self {
        Set {
            resources: resources.into(),
            places,
            trie: Trie::new(resources.len()),
            lines: Vec::new(),
            seniors: newest_first.then(|| Heap::new(|claim| &mut claim.senior)),
        }
    }

    pub(super) fn resources(&self) -> &[ResourceId] {
        &self.resources
    }

    pub(super) fn places(&self) -> &[u32] {
        &self.places
    }

    /// It has another place at the gate of this resource.
    pub(super) fn moved(&mut self, resource: ResourceId, place: u32) {
        if let Ok(dim) = self.resources.binary_search(&resource) {
            self.places[dim] = place;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.trie.is_empty()
    }

    pub(super) fn insert(&mut self, slot: u32, key: Key, claims: &mut Claims) {
        let newest_first = self.seniors.is_some();
        if let Some(seniors) = &mut self.seniors {
            let Key { rank, seq } = claims.get(slot).seniority();
            seniors.insert(Entry { at: rank.into(), then: seq, slot }, claims);
        }
        let found = self.trie.locate(claims.get(slot).demand.units(), key.rank);
        let line = found.unwrap_or_else(|| self.open(claims.get(slot).demand.units(), key));
        claims.get_mut(slot).place.line = line;
        let fifo = &mut self.lines[line as usize];
        fifo.insert(slot, key.seq, newest_first, claims);
        if found.is_some() && fifo.head() == slot {
            self.trie.rekey(line, key);
        }
    }

    fn open(&mut self, units: &[u64], key: Key) -> u32 {
        let line = self.trie.insert(units, key);
        if self.lines.len() <= line as usize {
            self.lines.resize_with(line as usize + 1, Fifo::new);
        }
        line
    }

    pub(super) fn remove(&mut self, slot: u32, claims: &mut Claims) {
        let newest_first = self.seniors.is_some();
        if let Some(seniors) = &mut self.seniors {
            seniors.remove(slot, claims);
        }
        let line = claims.get(slot).place.line;
        let fifo = &mut self.lines[line as usize];
        let was_head = fifo.head() == slot;
        fifo.remove(slot, newest_first, claims);
        if fifo.is_empty() {
            self.trie.remove(line);
        } else if was_head {
            let head = claims.get(fifo.head()).seniority();
            self.trie.rekey(line, head.service(newest_first));
        }
    }

    /// The key of the first in service, and the first in seniority.
    pub(super) fn firsts(&self) -> (Key, u32) {
        let (key, line) = self.trie.least().expect("a set is not empty");
        let senior = self.seniors.as_ref().and_then(Heap::first);
        (key, senior.map_or(self.head_of(line), |senior| senior.slot))
    }

    fn head_of(&self, line: u32) -> u32 {
        self.lines[line as usize].head()
    }

    /// The first in service before `before` that fits, as for [`Trie::first`].
    pub(super) fn first(
        &self,
        before: Key,
        fits: &mut impl FnMut(Key, &[u64]) -> bool,
    ) -> Option<(Key, u32)> {
        let found = self.trie.first(before, fits);
        found.map(|(key, line)| (key, self.head_of(line)))
    }
}
