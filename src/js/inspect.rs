//! What people read: single numbers, and reports as rows of numbers, which the package gives names.

use alloc::vec::Vec;

use wasm_bindgen::prelude::wasm_bindgen;

use super::calls::{exports, face};
use super::face::{Face, millis};
use crate::ledger::{ClaimStatus, Ledger, Limit, ResourceId, TicketStatus, Time};

/// Number, kind (0 semaphore, 1 token bucket), capacity, rate a second, available, held, debt, waiting,
/// end of a pause. `NaN` where there is none.
fn resource(ledger: &Ledger, id: ResourceId) -> Option<[f64; 9]> {
    let status = ledger.status(id)?;
    let (kind, rate) = match status.limit {
        Limit::Semaphore { .. } => (0.0, f64::NAN),
        Limit::TokenBucket { rate, .. } => (1.0, rate.as_per_second()),
    };
    Some([
        id.index().into(),
        kind,
        status.limit.capacity() as f64,
        rate,
        status.available as f64,
        status.held as f64,
        status.debt as f64,
        status.waiting as f64,
        status.paused_until.map_or(f64::NAN, millis),
    ])
}

/// Whether granted, priority, how often bypassed, whether a barrier, deadline; then how many pairs of
/// resource and units follow, and those.
fn claim(status: &ClaimStatus, numbers: &mut Vec<f64>) {
    numbers.extend([
        f64::from(u8::from(status.status == TicketStatus::Granted)),
        status.priority.into(),
        status.bypassed.into(),
        f64::from(u8::from(status.barrier)),
        millis(status.deadline.unwrap_or(Time::NEVER)),
        status.demand.len() as f64,
    ]);
    for &(id, units) in &status.demand {
        numbers.extend([id.index().into(), units as f64]);
    }
}

exports! {
    /// The most that one claim can have.
    fn capacity(face, id: u32) -> f64 {
        face.ledger.capacity(ResourceId::from_index(id)).map_or(f64::NAN, |units| units as f64)
    }

    /// Units that are free.
    fn available(face, id: u32) -> f64 {
        face.ledger.available(ResourceId::from_index(id)).map_or(f64::NAN, |units| units as f64)
    }

    /// Units that leases have.
    fn held(face, id: u32) -> f64 {
        face.ledger.held(ResourceId::from_index(id)).map_or(f64::NAN, |units| units as f64)
    }

    /// How many claims wait.
    fn waiting(face) -> u32 {
        face.ledger.waiting()
    }

    /// How many leases there are.
    fn leases(face) -> u32 {
        face.ledger.leases()
    }

    /// How many claims come before this one, or -1 if it does not wait.
    fn position(face, slot: u32) -> i32 {
        face.ledger.position(face.ticket(slot)).map_or(-1, |ahead| (ahead as u32).cast_signed())
    }

    /// Reports what a waiting claim is short of, in pairs of resource and units; gives how many numbers.
    fn shortage(face, slot: u32) -> u32 {
        face.numbers.clear();
        for (id, units) in face.ledger.shortage(face.ticket(slot)).unwrap_or_default() {
            face.numbers.extend([id.index().into(), units as f64]);
        }
        face.numbers.len() as u32
    }

    /// Reports the whole ledger: whether closed, how many resources, each, then each claim. Gives how
    /// many numbers.
    fn snapshot(face) -> u32 {
        let ledger = &face.ledger;
        face.numbers.clear();
        let resources: Vec<_> = ledger.resources().filter_map(|id| resource(ledger, id)).collect();
        face.numbers.extend([f64::from(u8::from(ledger.is_closed())), resources.len() as f64]);
        face.numbers.extend(resources.into_iter().flatten());
        for status in ledger.claims() {
            claim(&status, &mut face.numbers);
        }
        face.numbers.len() as u32
    }

    /// Where the last report lies, as `f64`.
    fn numbers_at(face) -> *const f64 {
        face.numbers.as_ptr()
    }
}
