//! Who waits for the outcome of a claim, by the slot of its ticket.
//!
//! A slot is used again once its ticket has ended, perhaps before the caller has asked what became of
//! it. So an end is kept apart, by ticket, until it is asked for; a grant stays in the slot, which it
//! holds.

use std::collections::BTreeMap;
use std::task::Waker;

use super::error::Error;
use crate::ledger::Ticket;

#[derive(Default)]
pub(super) struct Waiters {
    slots: Vec<Option<Waiter>>,
    ended: BTreeMap<Ticket, Ended>,
}

struct Waiter {
    ticket: Ticket,
    stage: Stage,
}

/// Where a claim stands that its caller has not picked up yet.
pub(super) enum Stage {
    /// In the line. Whom to wake.
    Waiting(Waker),
    /// Told to ask again.
    Woken,
    /// Granted.
    Granted,
}

/// How a claim ended without its caller's doing.
pub(super) enum Ended {
    /// Its deadline passed.
    Expired,
    /// It was turned away, or granted and lapsed since.
    Failed(Error),
}

impl Waiters {
    /// A claim begins to wait. Whom to wake is not known yet.
    pub(super) fn join(&mut self, ticket: Ticket) {
        let slot = ticket.slot() as usize;
        if self.slots.len() <= slot {
            self.slots.resize_with(slot + 1, || None);
        }
        let stage = Stage::Waiting(Waker::noop().clone());
        self.slots[slot] = Some(Waiter { ticket, stage });
    }

    pub(super) fn stage(&mut self, ticket: Ticket) -> Option<&mut Stage> {
        let waiter = self.slots.get_mut(ticket.slot() as usize)?.as_mut()?;
        (waiter.ticket == ticket).then_some(&mut waiter.stage)
    }

    /// Changes the stage; the waker, if there is one, is to be woken.
    pub(super) fn advance(&mut self, ticket: Ticket, stage: Stage) -> Option<Waker> {
        match std::mem::replace(self.stage(ticket)?, stage) {
            Stage::Waiting(waker) => Some(waker),
            Stage::Woken | Stage::Granted => None,
        }
    }

    /// The caller has what it waited for, or waits no more. A waker is left to be dropped.
    pub(super) fn leave(&mut self, ticket: Ticket) -> Option<Waker> {
        self.stage(ticket)?;
        let waiter = self.slots[ticket.slot() as usize].take()?;
        match waiter.stage {
            Stage::Waiting(waker) => Some(waker),
            Stage::Woken | Stage::Granted => None,
        }
    }

    /// The ticket has ended; if its caller still waits, it will be told. The waker is to be woken.
    pub(super) fn end(&mut self, ticket: Ticket, how: Ended) -> Option<Waker> {
        self.stage(ticket)?;
        self.ended.insert(ticket, how);
        self.leave(ticket)
    }

    /// What became of a claim that waits no more; forgotten once asked for.
    pub(super) fn ended(&mut self, ticket: Ticket) -> Option<Ended> {
        self.ended.remove(&ticket)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.slots.iter().all(Option::is_none) && self.ended.is_empty()
    }
}
