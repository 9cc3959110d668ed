//! One line: claims with the same units and the same priority, in the order of service.
//!
//! Nearly all join at an end: the newest arrival at the back, or at the front where the newest are
//! served first. They are linked through the claims themselves. One that comes in out of order (its
//! priority was changed, or it was woken and came too late) is a *stray* and stands in a heap
//! instead. The head is the first of both, so that joining and leaving never walk the line.

use alloc::boxed::Box;

use crate::ledger::claims::{Claims, NONE};
use crate::ledger::heap::{Entry, Heap};

#[derive(Clone, Debug)]
pub(super) struct Fifo {
    linked_head: u32,
    linked_tail: u32,
    /// Boxed: hardly any line has one.
    strays: Option<Box<Strays>>,
}

#[derive(Clone, Debug)]
struct Strays {
    /// By sequence; each keeps its place where the others keep who is after them. Not empty.
    heap: Heap,
    /// Of the whole line.
    head: u32,
}

/// Marks a stray where a linked claim has its neighbour.
const STRAY: u32 = NONE - 1;

impl Fifo {
    pub(super) const fn new() -> Self {
        Fifo { linked_head: NONE, linked_tail: NONE, strays: None }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.head() == NONE
    }

    /// The first in the order of service, or `NONE`.
    pub(super) fn head(&self) -> u32 {
        self.strays.as_ref().map_or(self.linked_head, |strays| strays.head)
    }

    pub(super) fn insert(&mut self, slot: u32, seq: u64, newest_first: bool, claims: &mut Claims) {
        let seq_of = |claims: &Claims, other: u32| seq_of(claims, other, newest_first);
        if self.linked_head == NONE {
            (self.linked_head, self.linked_tail) = (slot, slot);
        } else if seq_of(claims, self.linked_tail) < seq {
            claims.get_mut(self.linked_tail).place.after = slot;
            claims.get_mut(slot).place.before = self.linked_tail;
            self.linked_tail = slot;
        } else if seq < seq_of(claims, self.linked_head) {
            claims.get_mut(self.linked_head).place.before = slot;
            claims.get_mut(slot).place.after = self.linked_head;
            self.linked_head = slot;
        } else {
            claims.get_mut(slot).place.before = STRAY;
            let none = || Strays { heap: Heap::new(|claim| &mut claim.place.after), head: NONE };
            let strays = self.strays.get_or_insert_with(|| Box::new(none()));
            strays.heap.insert(Entry { at: seq, then: 0, slot }, claims);
        }
        self.see_head(newest_first, claims);
    }

    pub(super) fn remove(&mut self, slot: u32, newest_first: bool, claims: &mut Claims) {
        let place = claims.get(slot).place;
        if place.before == STRAY {
            if let Some(strays) = &mut self.strays {
                strays.heap.remove(slot, claims);
                if strays.heap.is_empty() {
                    self.strays = None;
                }
            }
        } else {
            match place.before {
                NONE => self.linked_head = place.after,
                before => claims.get_mut(before).place.after = place.after,
            }
            match place.after {
                NONE => self.linked_tail = place.before,
                after => claims.get_mut(after).place.before = place.before,
            }
        }
        self.see_head(newest_first, claims);
    }

    /// Sees again who is first.
    fn see_head(&mut self, newest_first: bool, claims: &Claims) {
        let linked = self.linked_head;
        if let Some(strays) = &mut self.strays
            && let Some(stray) = strays.heap.first()
        {
            let linked_first = linked != NONE && seq_of(claims, linked, newest_first) < stray.at;
            strays.head = if linked_first { linked } else { stray.slot };
        }
    }
}

fn seq_of(claims: &Claims, slot: u32, newest_first: bool) -> u64 {
    claims.get(slot).seniority().service(newest_first).seq
}
