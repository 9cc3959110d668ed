//! The timer: one thread, which exists only while something is due.
//!
//! It is started when a moment is set and none is running, sleeps until the earliest moment, and ends
//! when nothing has been due for [`LINGER`], so that a program which waits now and then does not start
//! a thread each time. It holds the bursar weakly: when the last handle, lease and future is gone, it
//! ends at once.
//!
//! Moments often come and go while nobody needs them: a claim with a timeout waits and is granted. To
//! wake the thread each time would cost more than the claim. So it is woken early only if it would
//! sleep past an earlier moment, or linger too long; a moment that moved later finds out for itself.

use std::time::{Duration, Instant};

use super::shared::Shared;
use super::sync::{Arc, Condvar, Mutex, Weak, lock, thread};
use crate::ledger::Time;

/// How long the thread stays when nothing is due.
const LINGER: Duration = Duration::from_millis(100);

pub(super) struct Timer {
    epoch: Instant,
    alarm: Arc<Alarm>,
}

struct Alarm {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// When to tick; [`Time::NEVER`] if nothing is due.
    due: Time,
    /// When the thread wakes by itself; [`Time::ZERO`] while it is awake or not there.
    asleep_until: Time,
    /// There is a thread, or there will be.
    running: bool,
    /// The bursar is gone.
    over: bool,
}

impl Timer {
    pub(super) fn new() -> Self {
        let state =
            State { due: Time::NEVER, asleep_until: Time::ZERO, running: false, over: false };
        let alarm = Alarm { state: Mutex::new(state), changed: Condvar::new() };
        Timer { epoch: Instant::now(), alarm: Arc::new(alarm) }
    }

    pub(super) fn now(&self) -> Time {
        Time::ZERO + self.epoch.elapsed()
    }

    pub(super) fn call_at(&self, due: Time, now: Time) -> bool {
        let mut state = lock(&self.alarm.state);
        state.due = due;
        if !state.running {
            state.running = due != Time::NEVER;
            return state.running;
        }
        let needed_at = if due == Time::NEVER { now + LINGER } else { due };
        if needed_at < state.asleep_until {
            self.alarm.changed.notify_one();
        }
        false
    }

    /// Starts the thread. Where the system has no more threads to give, says so.
    pub(super) fn start(&self, shared: &Arc<Shared>) -> bool {
        let (epoch, alarm, shared) = (self.epoch, self.alarm.clone(), Arc::downgrade(shared));
        let thread = thread::Builder::new().name("bursar timer".to_owned());
        let started = thread.spawn(move || run(epoch, &alarm, &shared)).is_ok();
        if !started {
            lock(&self.alarm.state).running = false;
        }
        started
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        lock(&self.alarm.state).over = true;
        self.alarm.changed.notify_one();
    }
}

fn run(epoch: Instant, alarm: &Alarm, shared: &Weak<Shared>) {
    while alarm.sleep(epoch) {
        let Some(shared) = shared.upgrade() else { return };
        shared.tick();
    }
}

impl Alarm {
    /// Sleeps until something is due; false if nothing was for a while, or the bursar is gone.
    fn sleep(&self, epoch: Instant) -> bool {
        let mut state = lock(&self.state);
        let mut lingered = false;
        loop {
            let now = Time::ZERO + epoch.elapsed();
            let nothing_due = state.due == Time::NEVER;
            if state.over || (nothing_due && lingered) {
                state.running = false;
                return false;
            }
            if state.due <= now {
                state.due = Time::NEVER;
                return true;
            }
            let until = if nothing_due { now + LINGER } else { state.due };
            state.asleep_until = until;
            let span = until.saturating_since(now);
            let (woken, wait) = match self.changed.wait_timeout(state, span) {
                Ok(woken) => woken,
                Err(poisoned) => poisoned.into_inner(),
            };
            state = woken;
            state.asleep_until = Time::ZERO;
            lingered = nothing_due && wait.timed_out();
        }
    }
}
