//! One ledger, with the small things that its JavaScript side needs.

use alloc::vec::Vec;
use core::time::Duration;

use crate::ledger::{ClaimOptions, Event, Ledger, MAX_UNITS, Rejection, ResourceId, Ticket, Time};

/// The result of a call that concerns nobody else, or that grants nothing.
pub(super) const NOBODY: i32 = -1;

/// A ledger as JavaScript holds it: by pointer.
pub struct Face {
    pub(super) ledger: Ledger,
    /// Of the next claim; then the defaults again.
    pub(super) options: ClaimOptions,
    /// A demand too long to be passed as arguments, pair by pair.
    pub(super) pairs: Vec<(ResourceId, u64)>,
    /// Kind and slot of each event of the last call.
    pub(super) events: Vec<u32>,
    /// The last report or refusal.
    pub(super) report: Report,
}

/// What is longer than one number.
pub(super) struct Report(Vec<f64>);

impl Report {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    #[inline(never)]
    pub(super) fn say(&mut self, number: f64) {
        self.0.push(number);
    }

    pub(super) fn say_units(&mut self, id: ResourceId, units: u64) {
        self.say(id.index().into());
        self.say(units as f64);
    }

    pub(super) fn len(&self) -> u32 {
        self.0.len() as u32
    }

    pub(super) fn as_ptr(&self) -> *const f64 {
        self.0.as_ptr()
    }
}

impl core::fmt::Debug for Face {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Face").finish_non_exhaustive()
    }
}

impl Face {
    pub(super) fn new(ledger: Ledger) -> Self {
        Face {
            ledger,
            options: ClaimOptions::default(),
            pairs: Vec::new(),
            events: Vec::new(),
            report: Report(Vec::new()),
        }
    }

    /// Who is in a slot now. A slot suffices between the package and the ledger: an event tells the
    /// package of every ticket that does not end by its own call, before anything else is called. What it
    /// keeps of a claim is then small, and a number that needs no memory.
    #[inline(always)]
    pub(super) fn ticket(&self, slot: u32) -> Ticket {
        self.ledger.ticket_in(slot)
    }

    /// The result of a call that was carried out.
    #[inline(never)]
    pub(super) fn done(&mut self) -> i32 {
        match self.ledger.poll_event() {
            None => NOBODY,
            Some(first) => self.tell(first),
        }
    }

    fn tell(&mut self, first: Event) -> i32 {
        let second = self.ledger.poll_event();
        if let (Event::Granted(ticket), None) = (first, second) {
            return slot(ticket);
        }
        self.events.clear();
        let mut next = Some(first);
        let mut then = second;
        while let Some(event) = next {
            let (kind, ticket) = event_number(event);
            self.events.extend([kind, ticket.slot()]);
            next = then.or_else(|| self.ledger.poll_event());
            then = None;
        }
        -1 - (self.events.len() as u32 / 2).cast_signed()
    }
}

fn event_number(event: Event) -> (u32, Ticket) {
    match event {
        Event::Granted(ticket) => (0, ticket),
        Event::Expired(ticket) => (1, ticket),
        Event::Woken(ticket) => (2, ticket),
        Event::Lapsed(ticket) => (3, ticket),
        Event::Rejected(ticket, Rejection::Closed) => (4, ticket),
        Event::Rejected(ticket, Rejection::ExceedsCapacity) => (5, ticket),
        Event::Rejected(ticket, Rejection::ResourceRemoved) => (6, ticket),
        Event::Rejected(ticket, Rejection::Deadlock) => (7, ticket),
    }
}

/// A ticket's slot as a result: 24 bits.
#[inline(always)]
pub(super) const fn slot(ticket: Ticket) -> i32 {
    ticket.slot().cast_signed()
}

/// A number of units. What is not a whole number becomes one that every call refuses.
#[inline(always)]
pub(super) fn units(number: f64) -> u64 {
    // Signed on the way, because an engine turns those in one instruction.
    let units = number as i64;
    #[allow(clippy::float_cmp)]
    let whole = units as f64 == number;
    if whole && units >= 0 { units.cast_unsigned() } else { MAX_UNITS + 1 }
}

/// Milliseconds since the driver's epoch. Infinity is never.
#[inline]
pub(super) fn moment(millis: f64) -> Time {
    // Rounded: what the ledger said as a float must come back as the same moment.
    Time::from_nanos((millis * 1e6 + 0.5) as u64)
}

#[inline]
pub(super) fn span(millis: f64) -> Duration {
    if millis.is_finite() { Duration::from_nanos((millis * 1e6) as u64) } else { Duration::MAX }
}

#[inline]
pub(super) fn millis(time: Time) -> f64 {
    if time == Time::NEVER { f64::INFINITY } else { time.as_nanos() as f64 / 1e6 }
}
