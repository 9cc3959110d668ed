//! What a body is told: which attempt it is, and whether its time is up.

use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use super::mailbox::wake;
use crate::bursar::lock;

/// One attempt at a task. A clone is the same.
#[derive(Clone)]
pub struct Attempt {
    number: u32,
    signal: Arc<Signal>,
}

#[derive(Default)]
pub(super) struct Signal {
    raised: AtomicBool,
    wakers: Mutex<Vec<Waker>>,
}

impl Signal {
    pub(super) fn raise(&self) {
        self.raised.store(true, Ordering::SeqCst);
        let wakers = std::mem::take(&mut *lock(&self.wakers));
        wakers.into_iter().for_each(wake);
    }
}

impl Attempt {
    pub(super) fn new(number: u32, signal: &Arc<Signal>) -> Self {
        Attempt { number, signal: signal.clone() }
    }

    /// 1 for the first.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether the attempt has outlasted its timeout. It has failed then, whatever comes of it; its units
    /// stay held until the body ends, so it should end soon.
    pub fn is_aborted(&self) -> bool {
        self.signal.raised.load(Ordering::SeqCst)
    }

    /// Ends when the attempt outlasts its timeout; never, if it has none. To be raced with the work.
    pub fn aborted(&self) -> Aborted {
        Aborted { signal: self.signal.clone() }
    }
}

impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt")
            .field("number", &self.number)
            .field("aborted", &self.is_aborted())
            .finish_non_exhaustive()
    }
}

/// A future that ends when an attempt outlasts its timeout: see [`Attempt::aborted`].
#[must_use = "it does nothing unless awaited"]
pub struct Aborted {
    signal: Arc<Signal>,
}

impl Future for Aborted {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut wakers = lock(&self.signal.wakers);
        if self.signal.raised.load(Ordering::SeqCst) {
            return Poll::Ready(());
        }
        if !wakers.iter().any(|waker| waker.will_wake(cx.waker())) {
            wakers.push(cx.waker().clone());
        }
        Poll::Pending
    }
}

impl fmt::Debug for Aborted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aborted").finish_non_exhaustive()
    }
}
