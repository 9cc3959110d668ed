//! Claims with options, and all that may happen to a claim: numbers in, a number out.
//!
//! Every export takes the ledger's pointer first. `unsafe`: the pointer is turned into a reference here.
//! A class of wasm-bindgen would do that behind a borrow flag, for 3 to 6 ns more on a call that takes
//! about 20. It is sound because the package keeps the pointer to itself: it comes from `create`, is
//! dropped by `destroy` once the object that has it is gone, and no call runs JavaScript in between, so
//! none can be entered twice.

use alloc::vec::Vec;

use wasm_bindgen::prelude::wasm_bindgen;

use super::face::{Face, NOBODY, moment, slot, span, units};
use crate::ledger::{ClaimOptions, Claimed, Close, ResourceId};

/// The face behind a pointer that [`create`](super::create) gave.
///
/// # Safety
///
/// As the head of this file says: the pointer is live, and nobody else uses it now.
#[allow(unsafe_code, clippy::mut_from_ref)]
pub(super) unsafe fn face<'a>(pointer: *mut Face) -> &'a mut Face {
    // SAFETY: the caller's promise.
    unsafe { &mut *pointer }
}

/// Defines an export whose first parameter is the face.
macro_rules! exports {
    ($($(#[$meta:meta])* fn $name:ident($face:ident $(, $arg:ident: $type:ty)*) -> $out:ty $body:block)*) => {$(
        $(#[$meta])*
        #[wasm_bindgen]
        #[allow(unsafe_code, clippy::not_unsafe_ptr_arg_deref, clippy::many_single_char_names)]
        pub fn $name($face: *mut Face $(, $arg: $type)*) -> $out {
            // SAFETY: see the head of `calls.rs`.
            let $face = unsafe { face($face) };
            $body
        }
    )*};
}
pub(super) use exports;

#[inline(always)]
fn pair(id: u32, number: f64) -> (ResourceId, u64) {
    (ResourceId::from_index(id), units(number))
}

exports! {
    /// Adds to the demand that the next call takes: one that ends in `_put`, `release_part` or
    /// `settle_use`.
    fn put(face, id: u32, number: f64) -> () {
        face.pairs.push(pair(id, number));
    }

    /// The options of the next `claim_put`.
    fn options(face, priority: i32, deadline: f64, ttl: f64) -> () {
        let (deadline, ttl) = (moment(deadline), span(ttl));
        face.options = ClaimOptions { priority, deadline, ttl, owner: None };
    }

    /// The lease that the next `claim_put` is made under: after `options`.
    fn under(face, slot: u32) -> () {
        face.options.owner = Some(face.ticket(slot));
    }

    /// Claims what was put, with options: a slot if granted, `-1 -` the slot if waiting, or `REFUSED`. If it
    /// may not wait and is not granted: `NOBODY`.
    fn claim_put(face, wait: bool) -> i32 {
        let pairs = core::mem::take(&mut face.pairs);
        let options = core::mem::take(&mut face.options);
        let result = if wait {
            face.ledger.claim_anyhow(&pairs, &options).map(|claimed| match claimed {
                Claimed::Granted(ticket) => slot(ticket),
                Claimed::Waiting(ticket) => -1 - slot(ticket),
            })
        } else {
            face.ledger.try_anyhow(&pairs, &options).map(|granted| granted.map_or(NOBODY, slot))
        };
        face.keep(pairs);
        result.unwrap_or_else(|error| face.refuse_claim(&error))
    }

    /// Gives back what was put.
    fn release_part(face, slot: u32) -> i32 {
        let pairs = core::mem::take(&mut face.pairs);
        let result = face.ledger.release_part(face.ticket(slot), &pairs);
        face.keep(pairs);
        face.done_with_ticket(result)
    }

    /// Corrects the use of buckets to what was put.
    fn settle_use(face, slot: u32) -> i32 {
        let pairs = core::mem::take(&mut face.pairs);
        let result = face.ledger.settle_use(face.ticket(slot), &pairs);
        face.keep(pairs);
        face.done_with_ticket(result)
    }

    /// Ends a claim, waiting or granted. Who can be served then is told by `flush`, after the last of those
    /// that end as one: so none of them is served by the end of another.
    fn cancel(face, slot: u32) -> () {
        face.ledger.cancel_unsettled(face.ticket(slot));
    }

    /// Asks again for a woken claim: 1 if it was granted, 0 if it waits on. Events may follow: see
    /// `flush`.
    fn retry(face, slot: u32) -> i32 {
        match face.ledger.retry(face.ticket(slot)) {
            Ok(claimed) => i32::from(matches!(claimed, Claimed::Granted(_))),
            Err(error) => face.refuse_ticket(&error),
        }
    }

    /// Events of a call whose result had no place for them.
    fn flush(face) -> i32 {
        // Of none more: this settles what `cancel` left to be settled.
        face.ledger.cancel_all([]);
        face.done()
    }

    /// Changes a waiting claim's priority.
    fn set_priority(face, slot: u32, priority: i32) -> i32 {
        let result = face.ledger.set_priority(face.ticket(slot), priority);
        face.done_with_ticket(result)
    }

    /// Tells the time.
    fn advance(face, now: f64) -> i32 {
        face.ledger.advance(moment(now));
        face.done()
    }

    /// The next moment to tell the time at, or infinity.
    fn next_wakeup(face) -> f64 {
        face.ledger.next_wakeup().map_or(f64::INFINITY, super::face::millis)
    }

    /// Whether claims and releases need to be told the time.
    fn needs_time(face) -> bool {
        face.ledger.needs_time()
    }

    /// Stops grants from a resource until a moment.
    fn pause(face, id: u32, until: f64) -> i32 {
        let result = face.ledger.pause(ResourceId::from_index(id), moment(until));
        face.done_with_resource(result)
    }

    /// Sets a bucket's level.
    fn set_level(face, id: u32, level: f64) -> i32 {
        let result = face.ledger.set_level(ResourceId::from_index(id), units(level));
        face.done_with_resource(result)
    }

    /// Takes a resource away.
    fn remove(face, id: u32) -> i32 {
        let result = face.ledger.remove(ResourceId::from_index(id));
        face.done_with_resource(result)
    }

    /// Closes the ledger, after serving those who wait or at once.
    fn close(face, drain: bool) -> i32 {
        face.ledger.close(if drain { Close::Drain } else { Close::Now });
        face.done()
    }

    /// Where the last call's events lie: kind and slot of each, as `u32`.
    fn events_at(face) -> *const u32 {
        face.events.as_ptr()
    }
}

impl Face {
    /// Keeps the memory of a demand for the next one.
    fn keep(&mut self, mut pairs: Vec<(ResourceId, u64)>) {
        pairs.clear();
        self.pairs = pairs;
    }
}
