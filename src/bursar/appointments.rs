//! Calls at a moment: what the scheduler uses a bursar's timer for.

use std::collections::BTreeMap;
use std::task::Waker;

use super::Bursar;
use crate::ledger::{ResourceId, Ticket, Time};

/// Whom to wake when, in the order of asking where it is at the same moment.
pub(super) struct Appointments {
    wakers: BTreeMap<(Time, u64), Waker>,
    made: u64,
    /// The first of the moments: looked at by every call, so it is at hand.
    first: Time,
}

impl Default for Appointments {
    fn default() -> Self {
        Appointments { wakers: BTreeMap::new(), made: 0, first: Time::NEVER }
    }
}

impl Appointments {
    /// [`Time::NEVER`] if there is none.
    #[inline]
    pub(super) fn first(&self) -> Time {
        self.first
    }

    fn make(&mut self, at: Time, waker: Waker) {
        self.made += 1;
        self.wakers.insert((at, self.made), waker);
        self.first = self.first.min(at);
    }

    /// Those whose moment has come.
    #[cold]
    pub(super) fn come(&mut self, now: Time) -> Vec<Waker> {
        let mut those = Vec::new();
        while let Some(entry) = self.wakers.first_entry()
            && entry.key().0 <= now
        {
            those.push(entry.remove());
        }
        self.first = self.wakers.first_key_value().map_or(Time::NEVER, |(&(at, _), _)| at);
        those
    }
}

/// For the scheduler.
impl Bursar {
    pub(crate) fn now(&self) -> Time {
        self.shared.now()
    }

    /// Wakes once, at this moment or soon after.
    pub(crate) fn wake_at(&self, at: Time, waker: Waker) {
        self.shared.enter(true, |state| state.appointments.make(at, waker));
    }

    /// What a waiting claim is short of; nothing, if it does not wait.
    pub(crate) fn shortage(&self, ticket: Ticket) -> Vec<ResourceId> {
        let short = self.shared.enter(false, |state| state.ledger.shortage(ticket));
        short.unwrap_or_default().into_iter().map(|(id, _)| id).collect()
    }
}
