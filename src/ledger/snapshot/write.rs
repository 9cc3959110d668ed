//! Ledger to bytes.

use alloc::vec::Vec;

use super::codec::Writer;
use super::{FORMAT, MAGIC};
use crate::ledger::claims::{Claim, State};
use crate::ledger::event::{Event, Rejection};
use crate::ledger::resource::{Kind, Resource};
use crate::ledger::time::Time;
use crate::ledger::{Ledger, Mode, Order};

impl Ledger {
    /// The whole ledger as bytes, in a versioned format: policy, time, resources, families, every claim that
    /// waits or holds, and events that were not polled yet.
    ///
    /// ```
    /// use bursar::ledger::*;
    ///
    /// let mut ledger = Ledger::new(Policy::default());
    /// let gpu = ledger.define("gpu", Limit::semaphore(2)?)?;
    /// let ticket = ledger.claim(&[(gpu, 2)], &ClaimOptions::default())?.ticket();
    ///
    /// let mut again = Ledger::restore(&ledger.snapshot())?;
    /// again.release(ticket)?;
    /// assert_eq!(again.available(gpu), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = Writer(MAGIC.to_vec());
        out.number(FORMAT);
        out.number(match self.policy.order {
            Order::Fair => 0u8,
            Order::Newest => 1,
            Order::Greedy => 2,
        });
        out.option(self.policy.max_bypass);
        out.option(self.policy.max_waiting);
        out.number(match self.mode {
            Mode::Open => 0u8,
            Mode::Draining => 1,
            Mode::Closed => 2,
        });
        out.number(self.now.as_nanos());
        self.write_resources(&mut out);
        self.write_families(&mut out);
        self.write_claims(&mut out);
        out.number(self.events.unpolled().len() as u64);
        for &event in self.events.unpolled() {
            write_event(event, &mut out);
        }
        out.0
    }

    fn write_resources(&self, out: &mut Writer) {
        let (table, vacant) = self.resources.parts();
        out.number(table.len() as u64);
        out.number(vacant.len() as u64);
        for id in vacant {
            out.number(id.index());
        }
        for resource in table.iter().filter(|resource| !resource.is_vacant()) {
            write_resource(resource, self.now, out);
        }
    }

    fn write_claims(&self, out: &mut Writer) {
        let (slots, free) = self.claims.parts();
        out.number(self.claims.arrivals());
        out.number(slots.len() as u64);
        for (slot, claim) in (0..).zip(slots) {
            out.number(claim.generation);
            self.write_claim(slot, claim, out);
        }
        for slot in free {
            out.number(slot);
        }
    }

    fn write_claim(&self, slot: u32, claim: &Claim, out: &mut Writer) {
        out.number(match claim.state {
            State::Free => 0u8,
            State::Waiting => 1,
            State::Woken => 2,
            State::Held => 3,
        });
        if claim.state == State::Free {
            return;
        }
        out.signed(claim.priority.into());
        // A lease's own place in the order means nothing any more.
        let nested = claim.is_waiting() && claim.is_nested();
        let owner = self.owner_of(slot);
        out.number(
            u8::from(claim.barrier) | u8::from(nested) << 1 | u8::from(owner.is_some()) << 2,
        );
        if let Some(owner) = owner {
            out.number(owner);
        }
        out.number(claim.bypassed);
        out.number(claim.number());
        out.number(self.alarms.of(claim.alarm).as_nanos());
        out.number(claim.ttl.as_nanos());
        out.number(claim.demand.ids().len() as u64);
        for (id, units) in claim.demand.iter() {
            out.number(id.index());
            out.number(units);
        }
    }
}

fn write_resource(resource: &Resource, now: Time, out: &mut Writer) {
    out.text(&resource.name);
    out.number(u8::from(resource.retired));
    let pause = if resource.paused_until > now { resource.paused_until } else { Time::ZERO };
    out.number(pause.as_nanos());
    match resource.kind {
        Kind::Semaphore { permits } => {
            out.number(0u8);
            out.number(permits);
        }
        Kind::Bucket(mut bucket) => {
            bucket.refill(now);
            out.number(1u8);
            out.number(bucket.rate.units);
            out.number(bucket.rate.nanos);
            out.number(bucket.burst);
            out.signed(bucket.level);
            out.number(bucket.part);
        }
    }
}

fn write_event(event: Event, out: &mut Writer) {
    let (kind, ticket) = match event {
        Event::Granted(ticket) => (0u8, ticket),
        Event::Expired(ticket) => (1, ticket),
        Event::Woken(ticket) => (2, ticket),
        Event::Lapsed(ticket) => (3, ticket),
        Event::Rejected(ticket, Rejection::Closed) => (4, ticket),
        Event::Rejected(ticket, Rejection::ExceedsCapacity) => (5, ticket),
        Event::Rejected(ticket, Rejection::ResourceRemoved) => (6, ticket),
        Event::Rejected(ticket, Rejection::Deadlock) => (7, ticket),
    };
    out.number(kind);
    out.number(ticket.number());
}
