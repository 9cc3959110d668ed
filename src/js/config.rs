//! Making ledgers and resources from numbers that the package has checked.
//!
//! No plain objects cross: reading and writing them with serde would double the size of the module.

use alloc::boxed::Box;

use wasm_bindgen::prelude::wasm_bindgen;

use super::calls::{exports, face};
use super::face::{Face, span, units};
use crate::ledger::{Ledger, Limit, LimitError, Order, Policy, Rate, ResourceId};

/// A new ledger. Order: 0 fair, 1 newest, 2 greedy; infinity: no bound.
#[wasm_bindgen]
pub fn create(order: u32, max_bypass: f64, max_waiting: f64) -> *mut Face {
    let bound = |number: f64| number.is_finite().then_some(number as u32);
    let order = match order {
        0 => Order::Fair,
        1 => Order::Newest,
        _ => Order::Greedy,
    };
    let policy = Policy { order, max_bypass: bound(max_bypass), max_waiting: bound(max_waiting) };
    Box::into_raw(Box::new(Face::new(Ledger::new(policy))))
}

/// Frees a ledger; its pointer must not be used again.
#[wasm_bindgen]
#[allow(unsafe_code, clippy::not_unsafe_ptr_arg_deref)]
pub fn destroy(face: *mut Face) {
    // SAFETY: the package calls this once, when the object that holds the pointer is gone.
    drop(unsafe { Box::from_raw(face) });
}

/// A limit by kind: 0 semaphore (`x` permits), 1 token bucket (`x` a second, burst `y`), 2 at most (`x`
/// units in `y` milliseconds, burst `z`).
#[inline(never)]
fn limit(kind: u32, x: f64, y: f64, z: f64) -> Result<Limit, LimitError> {
    match kind {
        0 => Limit::semaphore(units(x)),
        1 => Limit::token_bucket(Rate::per_second(x)?, units(y)),
        _ => Limit::at_most(units(x), span(y), units(z)),
    }
}

exports! {
    /// Adds a resource; gives its number, or `REFUSED`. The package keeps the names.
    fn define(face, kind: u32, x: f64, y: f64, z: f64) -> i32 {
        match limit(kind, x, y, z) {
            Ok(limit) => face.ledger.define_unnamed(limit).index().cast_signed(),
            Err(error) => face.refuse_limit(error),
        }
    }

    /// Sets a resource's limit.
    fn resize(face, id: u32, kind: u32, x: f64, y: f64, z: f64) -> i32 {
        match limit(kind, x, y, z) {
            Ok(limit) => {
                let result = face.ledger.resize(ResourceId::from_index(id), limit);
                face.done_with_resource(result)
            }
            Err(error) => face.refuse_limit(error),
        }
    }
}
