//! Waiting until there is no task.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use super::control::Inner;
use super::mailbox::wake;
use crate::bursar::{block_on, lock};

/// Those who wait for idleness. Rung when a shard has become idle; whether all are, they look themselves.
#[derive(Default)]
pub(super) struct Bell(Mutex<Vec<Waker>>);

impl Bell {
    pub(super) fn ring(&self) {
        let wakers = std::mem::take(&mut *lock(&self.0));
        wakers.into_iter().for_each(wake);
    }
}

/// A future that ends when the scheduler has no task: see [`Scheduler::idle`](super::Scheduler::idle).
#[must_use = "it does nothing unless awaited, or waited for with `blocking`"]
pub struct Idle(Arc<Inner>);

impl Idle {
    pub(super) fn new(inner: &Arc<Inner>) -> Self {
        Idle(inner.clone())
    }

    /// The same from a plain thread, which sleeps meanwhile.
    pub fn blocking(self) {
        block_on(self);
    }
}

impl Future for Idle {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        {
            let mut wakers = lock(&self.0.bell.0);
            if !wakers.iter().any(|waker| waker.will_wake(cx.waker())) {
                wakers.push(cx.waker().clone());
            }
        }
        // After that, so that nothing is missed.
        if self.0.shards.iter().all(|shard| shard.with(|core| core.is_idle())) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl fmt::Debug for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Idle").finish_non_exhaustive()
    }
}
