//! The ledger's time.

use super::claims::State;
use super::time::Time;
use super::{Event, Ledger};

impl Ledger {
    /// The latest moment that the ledger was told.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Tells the time. A moment before the latest one changes nothing.
    ///
    /// Everything that fell due until `now` happens in its order and at its own moment: buckets fill,
    /// waiting claims are granted, deadlines pass, leases lapse. So a driver that comes late, because
    /// its thread slept or the machine did, finds the ledger as if it had come in time. At one moment
    /// grants come before deadlines.
    ///
    /// Costs nothing to speak of while nothing is due.
    pub fn advance(&mut self, now: Time) {
        loop {
            let due = self.next_due();
            if due > now.max(self.now) || due == Time::NEVER {
                break;
            }
            self.now = due.max(self.now);
            self.happen();
        }
        self.now = now.max(self.now);
    }

    /// The next moment at which something falls due: a deadline, the end of a lease, a bucket that
    /// holds enough for a waiting claim, the end of a pause. `None` while there is nothing to wait for.
    ///
    /// A driver keeps one timer, set to this moment, and calls [`Self::advance`] when it goes off. The
    /// answer can change with every call; it may be early (then `advance` does nothing, and the next
    /// answer is later), never late.
    pub fn next_wakeup(&mut self) -> Option<Time> {
        let due = self.next_due();
        (due != Time::NEVER).then_some(due)
    }

    /// Whether the moment of a call makes a difference: there is a bucket, a family of them or a pause, or a claim waits
    /// whose lease will have a time to live. Where not, a driver can do without reading its clock, unless
    /// the call itself sets a deadline or a time to live.
    pub fn needs_time(&self) -> bool {
        !self.resources.timed().is_empty()
            || self.claims.any_mortal_waits()
            || self.templates.need_time()
    }

    fn next_due(&mut self) -> Time {
        let refill = match self.refill_due {
            _ if self.line.is_empty() => Time::NEVER,
            Some(due) => due,
            None => {
                let due = self.next_refill();
                self.refill_due = Some(due);
                due
            }
        };
        refill.min(self.alarms.next())
    }

    /// What falls due at this very moment.
    fn happen(&mut self) {
        if self.refill_due.is_some_and(|due| due <= self.now) {
            self.refill_due = None;
            // Refilling takes what is no longer paused off the list of what needs the time.
            self.touch_timed();
            self.resources.refill(self.now);
            self.settle();
        }
        while let Some(slot) = self.alarms.due(self.now) {
            let ticket = self.claims.ticket(slot);
            if self.claims.get(slot).state == State::Held {
                self.give_back(slot);
                self.events.push(Event::Lapsed(ticket));
            } else {
                self.turn_away(slot);
                self.events.push(Event::Expired(ticket));
            }
            self.settle();
        }
    }

    fn touch_timed(&mut self) {
        for place in 0..self.resources.timed().len() {
            self.touch(self.resources.timed()[place]);
        }
    }

    /// The earliest moment at which time alone may serve a waiting claim: none can be served before the
    /// gate has opened at which it stands. Early if it is short of something else as well by then.
    fn next_refill(&self) -> Time {
        let when = |&id| self.resources.when(id, self.line.opens(id), self.now);
        self.resources.timed().iter().map(when).min().unwrap_or(Time::NEVER)
    }
}
