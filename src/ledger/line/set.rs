//! The waiting claims that want the same set of resources.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::fifo::Fifo;
use super::trie::Trie;
use super::{Exact, Key};
use crate::ledger::claims::Claims;
use crate::ledger::heap::{Entry, Heap};
use crate::ledger::ticket::ResourceId;
use crate::ledger::time::Time;

/// Sets of up to so many resources are searched without allocating.
const FEW: usize = 8;

#[derive(Clone, Debug)]
pub(crate) struct Set {
    resources: Box<[ResourceId]>,
    trie: Trie,
    /// By line number, as the trie gives them.
    lines: Vec<Fifo>,
    /// Where the newest come first, the order of service does not tell who is most senior.
    seniors: Option<Heap>,
    /// The last round in which it was seen: see `WaitingLine::keep_each_once`.
    round: u64,
}

impl Set {
    pub(super) fn new(resources: &[ResourceId], newest_first: bool) -> Self {
        Set {
            resources: resources.into(),
            trie: Trie::new(resources.len()),
            lines: Vec::new(),
            seniors: newest_first.then(|| Heap::new(|claim| &mut claim.senior)),
            round: 0,
        }
    }

    /// Whether this is the first time that the set is seen in this round.
    pub(super) fn see_first(&mut self, round: u64) -> bool {
        core::mem::replace(&mut self.round, round) != round
    }

    pub(super) fn resources(&self) -> &[ResourceId] {
        &self.resources
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
            let seq = if newest_first { !head.seq } else { head.seq };
            self.trie.rekey(line, Key { rank: head.rank, seq });
        }
    }

    pub(super) fn most_senior(&self) -> u32 {
        match &self.seniors {
            Some(seniors) => seniors.first().expect("a set is not empty").slot,
            None => self.head_of(self.trie.least().expect("a set is not empty").1),
        }
    }

    fn head_of(&self, line: u32) -> u32 {
        self.lines[line as usize].head()
    }

    pub(super) fn first(&self, free: &[u64], after: Key, before: Key) -> Option<(Key, u32)> {
        let found = if self.resources.len() <= FEW {
            let mut own = [0; FEW];
            for (own, resource) in own.iter_mut().zip(&self.resources) {
                *own = free[resource.at()];
            }
            self.trie.first(&own[..self.resources.len()], after, before)
        } else {
            let own: Vec<u64> = self.resources.iter().map(|resource| free[resource.at()]).collect();
            self.trie.first(&own, after, before)
        };
        found.map(|(key, line)| (key, self.head_of(line)))
    }

    pub(super) fn earliest(
        &self,
        bound: &mut dyn FnMut(ResourceId, u64) -> Time,
        exact: &mut Exact<'_>,
    ) -> Time {
        let resources = &self.resources;
        self.trie.earliest(&mut |dim, units| bound(resources[dim], units), &mut |key, units| {
            exact(key, resources, units)
        })
    }
}
