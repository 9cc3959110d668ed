//! What is to be done once the lock is open again.
//!
//! A waker is the executor's code. It may run the task at once, which may claim or release in turn; so
//! it is called, and dropped, outside the lock.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;

/// Wakers to call, in order, and whether the timer needs its thread. One waker, the usual case, needs
/// no allocation.
#[derive(Default)]
pub(super) struct Outbox {
    first: Option<Waker>,
    rest: VecDeque<Waker>,
    pub(super) start_timer: bool,
}

impl Outbox {
    pub(super) fn wake(&mut self, wakers: impl IntoIterator<Item = Waker>) {
        for waker in wakers {
            match self.first {
                None => self.first = Some(waker),
                Some(_) => self.rest.push_back(waker),
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none() && !self.start_timer
    }

    /// Calls the wakers.
    ///
    /// One that panics is a fault of somebody else's executor, and its panic has reported it. It must
    /// not strike the caller who happens to release what the other waits for, perhaps with a grant of
    /// its own in hand, nor silence those behind it, nor stop the timer.
    pub(super) fn send(self) {
        for waker in self.first.into_iter().chain(self.rest) {
            let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
        }
    }
}
