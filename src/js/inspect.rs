//! What people read: single numbers, and reports as rows of numbers, which the package gives names.

use wasm_bindgen::prelude::wasm_bindgen;

use super::calls::{exports, face};
use super::face::{Face, millis};
use crate::ledger::{Limit, ResourceId, TicketStatus, Time};

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
        let Face { ledger, report, .. } = face;
        report.clear();
        for (id, units) in ledger.shortage(ledger.ticket_in(slot)).unwrap_or_default() {
            report.say_units(id, units);
        }
        report.len()
    }

    /// Reports a resource: capacity, rate a second (0: a semaphore), available, held, debt, how many wait
    /// for it, end of a pause (0: none). Gives how many numbers, 0 if there is no such resource.
    fn status(face, id: u32) -> u32 {
        let Face { ledger, report, .. } = face;
        report.clear();
        if let Some(status) = ledger.status(ResourceId::from_index(id)) {
            let rate = match status.limit {
                Limit::Semaphore { .. } => 0.0,
                Limit::TokenBucket { rate, .. } => rate.as_per_second(),
            };
            let row = [
                status.limit.capacity() as f64,
                rate,
                status.available as f64,
                status.held as f64,
                status.debt as f64,
                status.waiting as f64,
                status.paused_until.map_or(0.0, millis),
            ];
            for number in row {
                report.say(number);
            }
        }
        report.len()
    }

    /// Whether new claims are refused.
    fn is_closed(face) -> bool {
        face.ledger.is_closed()
    }

    /// Reports every claim by arrival: whether granted, priority, how often bypassed, whether a barrier,
    /// deadline; then how many pairs of resource and units follow, and those. Gives how many numbers.
    fn snapshot(face) -> u32 {
        let Face { ledger, report, .. } = face;
        report.clear();
        for status in ledger.each_claim() {
            let granted = status.status == TicketStatus::Granted;
            let deadline = millis(status.deadline.unwrap_or(Time::NEVER));
            report.say(u32::from(granted).into());
            report.say(status.priority.into());
            report.say(status.bypassed.into());
            report.say(u32::from(status.barrier).into());
            report.say(deadline);
            report.say(status.demand.len() as f64);
            for &(id, units) in &status.demand {
                report.say_units(id, units);
            }
        }
        report.len()
    }

    /// How many numbers tell why the last call was refused: `refusal.rs` says which. Before any other call.
    fn last_error(face) -> u32 {
        face.report.len()
    }

    /// Where the last report lies, as `f64`.
    fn numbers_at(face) -> *const f64 {
        face.report.as_ptr()
    }
}
