//! Waiting from a plain thread: a future, polled by the thread that wants it.
//!
//! So a thread waits in the very line that tasks wait in, and is woken the same way; there is no
//! second kind of waiter.

use std::pin::{Pin, pin};
use std::task::{Context, Poll, Wake, Waker};

use super::sync::{Arc, thread};

struct Unpark(thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

fn own_waker() -> Waker {
    Waker::from(Arc::new(Unpark(thread::current())))
}

thread_local! {
    /// Made once for each thread that waits.
    static WAKER: Waker = own_waker();
}

/// Runs a future to its end. The thread sleeps while it is pending.
///
/// A wake-up that is left over from before, or meant for somebody else, does no harm: the future is
/// asked and says that it is still pending.
#[inline]
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    // What is there already needs no waker.
    let mut context = Context::from_waker(Waker::noop());
    if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
        return output;
    }
    match WAKER.try_with(|waker| run(future.as_mut(), waker)) {
        Ok(output) => output,
        // A thread that is ending may have lost its waker already.
        Err(_) => run(future, &own_waker()),
    }
}

#[cold]
fn run<F: Future>(mut future: Pin<&mut F>, waker: &Waker) -> F::Output {
    let mut context = Context::from_waker(waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
