//! Making ledgers and resources from numbers that the package has checked, and refusals as numbers.
//!
//! No plain objects cross: reading and writing them with serde would double the size of the module.

use alloc::boxed::Box;

use wasm_bindgen::prelude::wasm_bindgen;

use super::calls::{exports, face};
use super::face::{Face, Refusal, span, units};
use crate::ledger::{
    ClaimError, Ledger, Limit, LimitError, Order, Policy, Rate, ResourceError, ResourceId,
    TicketError,
};

/// What the package makes a message of: a code, the resource in question (-1: none), the units wanted
/// and those there are.
type Report = [f64; 4];

const fn code(code: u8) -> Report {
    [code as f64, -1.0, 0.0, 0.0]
}

fn of(code: u8, id: ResourceId) -> Report {
    short(code, id, 0, 0)
}

fn short(code: u8, id: ResourceId, wanted: u64, has: u64) -> Report {
    [code.into(), id.index().into(), wanted as f64, has as f64]
}

fn about_claim(error: &ClaimError) -> Report {
    match *error {
        ClaimError::EmptyDemand => code(1),
        ClaimError::UnknownResource(id) => of(2, id),
        ClaimError::DuplicateResource(id) => of(3, id),
        ClaimError::ZeroUnits(id) => of(4, id),
        ClaimError::ExceedsCapacity { resource, wanted, capacity } => {
            short(5, resource, wanted, capacity)
        }
        ClaimError::QueueFull { max_waiting } => [6.0, -1.0, 0.0, max_waiting.into()],
        ClaimError::Closed => code(7),
        ClaimError::OutOfTickets => code(8),
        ClaimError::OwnerIsNoLease(_) => code(9),
        ClaimError::Deadlock(_) => code(16),
    }
}

fn about_ticket(error: &TicketError) -> Report {
    match *error {
        TicketError::Unknown => code(10),
        TicketError::NotGranted => code(11),
        TicketError::NotWaiting => code(12),
        TicketError::NotHeld { resource, named, held } => short(13, resource, named, held),
        TicketError::NotASemaphore(id) => of(14, id),
        TicketError::NotATokenBucket(id) => of(15, id),
        TicketError::Invalid(ref error) => about_claim(error),
    }
}

fn about_resource(error: ResourceError) -> Report {
    match error {
        ResourceError::EmptyName => code(20),
        ResourceError::DuplicateName => code(21),
        ResourceError::Unknown => code(22),
        ResourceError::KindChanged => code(23),
        ResourceError::NotATokenBucket => code(24),
        ResourceError::LevelAboveBurst { level, burst } => [25.0, -1.0, level as f64, burst as f64],
    }
}

fn about_limit(error: LimitError) -> Report {
    match error {
        LimitError::ZeroCapacity | LimitError::CapacityTooLarge(_) => code(30),
        LimitError::InvalidRate(_) => code(31),
        LimitError::BurstNotBelowUnits { .. } => code(32),
        LimitError::InvalidWindow(_) => code(33),
    }
}

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
fn limit(kind: u32, x: f64, y: f64, z: f64) -> Result<Limit, Refusal> {
    let limit = match kind {
        0 => Limit::semaphore(units(x)),
        1 => Rate::per_second(x).and_then(|rate| Limit::token_bucket(rate, units(y))),
        _ => Limit::at_most(units(x), span(y), units(z)),
    };
    limit.map_err(Refusal::Limit)
}

exports! {
    /// Adds a resource; gives its number, or `REFUSED`.
    fn define(face, name: &str, kind: u32, x: f64, y: f64, z: f64) -> i32 {
        let define = |limit| face.ledger.define(name, limit).map_err(Refusal::Resource);
        match limit(kind, x, y, z).and_then(define) {
            Ok(id) => id.index().cast_signed(),
            Err(refusal) => face.refuse(refusal),
        }
    }

    /// Sets a resource's limit.
    fn resize(face, id: u32, kind: u32, x: f64, y: f64, z: f64) -> i32 {
        let id = ResourceId::from_index(id);
        let resize = |limit| face.ledger.resize(id, limit).map_err(Refusal::Resource);
        let result = limit(kind, x, y, z).and_then(resize);
        face.done_or(result)
    }

    /// Reports why the last call was refused: see `Report`. A deadlock is followed by its cycle: of each
    /// link the resource and units that are held, and those that are wanted. Gives how many numbers.
    fn last_error(face) -> u32 {
        let refusal = face.refusal.take();
        let report = match &refusal {
            Some(Refusal::Claim(error)) => about_claim(error),
            Some(Refusal::Ticket(error)) => about_ticket(error),
            Some(Refusal::Resource(error)) => about_resource(*error),
            Some(Refusal::Limit(error)) => about_limit(*error),
            None => code(0),
        };
        face.numbers.clear();
        face.numbers.extend(report);
        if let Some(Refusal::Claim(ClaimError::Deadlock(deadlock))) = &refusal {
            for link in &deadlock.cycle {
                let ((held, holds), (wanted, wants)) = (link.holds, link.wants);
                let [held, wanted] = [held, wanted].map(|id| f64::from(id.index()));
                face.numbers.extend([held, holds as f64, wanted, wants as f64]);
            }
        }
        face.numbers.len() as u32
    }
}
