//! One ledger behind one lock, for all who share it.
//!
//! Everything goes through [`Shared::enter`]: lock, tell the time if it matters, make the call, pass the
//! outcomes on to those who wait for them, set the timer, unlock, wake. What is decided is decided by
//! the ledger; this file only carries messages.
//!
//! The lock is held for as long as a call of the ledger takes, well below a microsecond, and no code of
//! a caller's runs under it: so it is a plain mutex for tasks and threads alike.

use std::task::{Poll, Waker};
use std::time::Duration;

use super::appointments::Appointments;
use super::clock::Clock;
use super::error::Error;
use super::moments::{Moment, Moments};
use super::names::Names;
use super::outbox::Outbox;
use super::sync::{Arc, Mutex, lock};
use super::waiters::{Ended, Stage, Waiters};
use crate::ledger::{ClaimOptions, Claimed, Event, Ledger, Rejection, Ticket, Time};

pub(super) struct Shared {
    state: Mutex<State>,
    clock: Clock,
}

pub(super) struct State {
    pub(super) ledger: Ledger,
    pub(super) names: Names,
    pub(super) waiters: Waiters,
    pub(super) moments: Moments,
    pub(super) appointments: Appointments,
    outbox: Outbox,
    /// When the timer comes: not later than the next moment at which something falls due.
    timer_at: Time,
}

/// What a claim may add to its demand, as the caller gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) priority: i32,
    /// Bounds the wait; `MAX`: for ever.
    pub(super) timeout: Duration,
    /// Bounds the hold; `MAX`: for ever.
    pub(super) ttl: Duration,
    /// The lease that it is made under.
    pub(super) owner: Option<Ticket>,
}

impl Terms {
    pub(super) const DEFAULT: Terms =
        Terms { priority: 0, timeout: Duration::MAX, ttl: Duration::MAX, owner: None };

    fn are_timed(&self) -> bool {
        self.timeout != Duration::MAX || self.ttl != Duration::MAX
    }

    fn at(&self, now: Time) -> ClaimOptions {
        let deadline = match self.timeout {
            Duration::MAX => Time::NEVER,
            timeout => now + timeout,
        };
        ClaimOptions { priority: self.priority, deadline, ttl: self.ttl, owner: self.owner }
    }
}

/// The change under which claims are turned away.
pub(super) struct Change<'a> {
    pub(super) name: &'a str,
    pub(super) capacity: u64,
}

impl Shared {
    pub(super) fn new(ledger: Ledger, names: Names, clock: Clock) -> Arc<Self> {
        let state = State {
            ledger,
            names,
            waiters: Waiters::default(),
            moments: Moments::default(),
            appointments: Appointments::default(),
            outbox: Outbox::default(),
            timer_at: Time::NEVER,
        };
        Arc::new(Shared { state: Mutex::new(state), clock })
    }

    pub(super) fn now(&self) -> Time {
        self.clock.now()
    }

    /// Makes a call. `timed` says that its moment makes a difference, which the state knows for itself
    /// where anything there depends on time.
    #[inline]
    pub(super) fn enter<R>(self: &Arc<Self>, timed: bool, call: impl FnOnce(&mut State) -> R) -> R {
        let mut state = lock(&self.state);
        if timed || state.needs_time() {
            state.ledger.advance(self.clock.now());
            // Now, and not with what the call brings: it may use the slot of a ticket that has ended.
            state.pass_on(None);
        }
        let answer = call(&mut state);
        state.pass_on(None);
        state.set_timer(&self.clock);
        if !state.outbox.is_empty() {
            let outbox = std::mem::take(&mut state.outbox);
            drop(state);
            self.send(outbox);
        }
        answer
    }

    #[cold]
    fn send(self: &Arc<Self>, outbox: Outbox) {
        if outbox.start_timer && !self.clock.start(self) {
            // The system refuses a thread. The next call, whoever makes it, asks for one again; until
            // then, timeouts are late.
            lock(&self.state).timer_at = Time::NEVER;
        }
        outbox.send();
    }

    /// The timer's call.
    pub(super) fn tick(self: &Arc<Self>) {
        self.enter(true, |state| state.timer_at = Time::NEVER);
    }

    /// Claims, and waits if it must.
    pub(super) fn join(
        self: &Arc<Self>,
        named: &[(&str, u64)],
        terms: &Terms,
    ) -> Result<Claimed, Box<Error>> {
        self.enter(terms.are_timed(), |state| {
            let options = terms.at(state.ledger.now());
            let call = |ledger: &mut Ledger, units: &_| ledger.claim(units, &options);
            let claimed = state.names.claim(&mut state.ledger, named, call);
            if let Ok(Claimed::Waiting(ticket)) = claimed {
                state.waiters.join(ticket);
            }
            claimed
        })
    }

    /// Claims, and does not wait.
    pub(super) fn try_join(
        self: &Arc<Self>,
        named: &[(&str, u64)],
        terms: &Terms,
    ) -> Result<Option<Ticket>, Box<Error>> {
        self.enter(terms.ttl != Duration::MAX, |state| {
            let options = terms.at(state.ledger.now());
            let call = |ledger: &mut Ledger, units: &_| ledger.try_claim(units, &options);
            state.names.claim(&mut state.ledger, named, call)
        })
    }

    /// Asks what has become of a waiting claim; the waker is for when something does.
    pub(super) fn look(
        self: &Arc<Self>,
        ticket: Ticket,
        waker: &Waker,
        timeout: Duration,
    ) -> Poll<Result<(), Error>> {
        let waker = waker.clone();
        let (outcome, _unused) = self.enter(false, |state| state.look(ticket, waker, timeout));
        outcome
    }

    /// Gives up a claim whose caller does not wait any more, whatever has become of it.
    pub(super) fn forget(self: &Arc<Self>, ticket: Ticket) {
        let waker = self.enter(false, |state| {
            // Fails if the claim has ended, which is as good.
            let _ = state.ledger.cancel(ticket);
            state.waiters.ended(ticket);
            state.waiters.leave(ticket)
        });
        drop(waker);
    }
}

impl State {
    /// Whether the moment of a call makes a difference.
    fn needs_time(&self) -> bool {
        self.ledger.needs_time() || self.timer_at != Time::NEVER
    }

    /// Passes the ledger's outcomes on to those who wait for them.
    #[inline]
    pub(super) fn pass_on(&mut self, change: Option<&Change<'_>>) {
        while let Some(event) = self.ledger.poll_event() {
            self.pass(event, change);
        }
        if !self.moments.is_empty() && self.ledger.is_idle() {
            self.outbox.wake(self.moments.come(Moment::Idle));
        }
        if self.appointments.first() <= self.ledger.now() {
            self.outbox.wake(self.appointments.come(self.ledger.now()));
        }
    }

    #[cold]
    fn pass(&mut self, event: Event, change: Option<&Change<'_>>) {
        let waiters = &mut self.waiters;
        let waker = match event {
            Event::Granted(ticket) => waiters.advance(ticket, Stage::Granted),
            Event::Woken(ticket) => waiters.advance(ticket, Stage::Woken),
            Event::Expired(ticket) => waiters.end(ticket, Ended::Expired),
            Event::Rejected(ticket, why) => {
                waiters.end(ticket, Ended::Failed(rejected(why, change)))
            }
            Event::Lapsed(ticket) => {
                self.outbox.wake(self.moments.come(Moment::Lost(ticket)));
                waiters.end(ticket, Ended::Failed(Error::Lapsed))
            }
        };
        self.outbox.wake(waker);
    }

    #[inline]
    fn next_due(&mut self) -> Time {
        self.ledger.next_wakeup().unwrap_or(Time::NEVER).min(self.appointments.first())
    }

    #[inline]
    fn set_timer(&mut self, clock: &Clock) {
        let due = self.next_due();
        if due.min(self.timer_at) != Time::NEVER {
            self.move_timer(due, clock);
        }
    }

    fn move_timer(&mut self, mut due: Time, clock: &Clock) {
        if due <= self.ledger.now() {
            // A timeout of nothing, or of less than the clock can tell.
            self.ledger.advance(self.ledger.now());
            self.pass_on(None);
            due = self.next_due();
        }
        // A moment that moved later is left as it is: the timer comes, finds nothing, and asks again.
        if due < self.timer_at || (due == Time::NEVER && self.timer_at != Time::NEVER) {
            self.timer_at = due;
            self.outbox.start_timer |= clock.call_at(due, self.ledger.now());
        }
    }

    /// The second part of the answer is only to be dropped, outside the lock.
    fn look(
        &mut self,
        ticket: Ticket,
        waker: Waker,
        timeout: Duration,
    ) -> (Poll<Result<(), Error>>, [Option<Waker>; 2]) {
        let Some(stage) = self.waiters.stage(ticket) else {
            let error = match self.waiters.ended(ticket) {
                Some(Ended::Failed(error)) => error,
                Some(Ended::Expired) => Error::Timeout { timeout },
                None => unreachable!("a claim that waits is at a stage, or has ended"),
            };
            return (Poll::Ready(Err(error)), [Some(waker), None]);
        };
        let granted = match stage {
            Stage::Waiting(_) => false,
            Stage::Granted => true,
            Stage::Woken => matches!(self.ledger.retry(ticket), Ok(Claimed::Granted(_))),
        };
        if granted {
            return (Poll::Ready(Ok(())), [Some(waker), self.waiters.leave(ticket)]);
        }
        (Poll::Pending, [self.waiters.advance(ticket, Stage::Waiting(waker)), None])
    }
}

fn rejected(why: Rejection, change: Option<&Change<'_>>) -> Error {
    let (name, capacity) = change.map_or(("", 0), |change| (change.name, change.capacity));
    match why {
        Rejection::Closed => Error::Closed,
        Rejection::ExceedsCapacity => Error::NoLongerFits { name: name.to_owned(), capacity },
        Rejection::Deadlock => Error::Deadlock { cycle: Vec::new() },
        Rejection::ResourceRemoved => Error::ResourceRemoved { name: name.to_owned() },
    }
}

/// With a clock that nobody ticks for: as if the timer's thread were late.
#[cfg(test)]
mod tests {
    use super::super::manual::ManualClock;
    use super::*;
    use crate::ledger::{Limit, Policy};
    use std::task::Wake;

    const SECOND: Duration = Duration::from_secs(1);
    const TERMS: Terms = Terms::DEFAULT;

    struct Task;

    impl Wake for Task {
        fn wake(self: Arc<Self>) {}
    }

    fn one_slot() -> (ManualClock, Arc<Shared>) {
        let mut ledger = Ledger::new(Policy::default());
        ledger.define("slots", Limit::semaphore(1).unwrap()).unwrap();
        let clock = ManualClock::new();
        let shared = Shared::new(ledger, Names::Defined, Clock::Manual(clock.clone()));
        (clock, shared)
    }

    fn claim(shared: &Arc<Shared>, terms: Terms) -> Ticket {
        shared.join(&[("slots", 1)], &terms).unwrap().ticket()
    }

    fn look(shared: &Arc<Shared>, ticket: Ticket) -> Poll<Result<(), Error>> {
        shared.look(ticket, Waker::noop(), SECOND)
    }

    #[test]
    fn a_late_timer_makes_no_life_shorter() {
        let (clock, shared) = one_slot();
        let holder = claim(&shared, TERMS);
        let waiter = claim(&shared, Terms { ttl: SECOND, ..TERMS });
        clock.advance(10 * SECOND);
        shared.forget(holder);
        assert_eq!(look(&shared, waiter), Poll::Ready(Ok(())));
        clock.advance(SECOND / 2);
        shared.enter(false, |state| assert!(state.ledger.ticket(waiter).is_some()));
        clock.advance(SECOND / 2);
        shared.enter(false, |state| assert!(state.ledger.ticket(waiter).is_none()));
    }

    #[test]
    fn an_outcome_that_comes_with_a_claim_reaches_the_one_it_is_for() {
        let (clock, shared) = one_slot();
        let _holder = claim(&shared, TERMS);
        let early = claim(&shared, Terms { timeout: SECOND, ..TERMS });
        let task = Arc::new(Task);
        let waker = Waker::from(task.clone());
        assert_eq!(shared.look(early, &waker, SECOND), Poll::Pending);
        drop(waker);
        clock.advance(SECOND);
        let late = claim(&shared, TERMS);
        assert_eq!((early.slot(), early == late), (late.slot(), false), "the slot is used again");
        assert_eq!(Arc::strong_count(&task), 1, "its waker was woken, and is gone");
        assert_eq!(look(&shared, early), Poll::Ready(Err(Error::Timeout { timeout: SECOND })));
        assert_eq!(look(&shared, late), Poll::Pending);
    }

    #[test]
    fn nothing_is_kept_of_claims_that_have_ended() {
        let (clock, shared) = one_slot();
        let holder = claim(&shared, TERMS);
        for asks in [true, false] {
            let timed_out = claim(&shared, Terms { timeout: SECOND, ttl: SECOND, ..TERMS });
            let cancelled = claim(&shared, Terms { ttl: SECOND, ..TERMS });
            clock.advance(SECOND);
            shared.tick();
            assert!(!asks || look(&shared, timed_out).is_ready());
            shared.forget(timed_out);
            shared.forget(cancelled);
        }
        shared.forget(holder);
        shared.enter(false, |state| {
            assert!(state.ledger.is_idle() && state.waiters.is_empty());
            assert_eq!(state.timer_at, Time::NEVER);
        });
    }
}
