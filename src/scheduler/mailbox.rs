//! What a shard tells the holder of a task: start, or it is over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::task::{Poll, Waker};

use super::core::How;
use super::error::Error;
use crate::bursar::lock;

#[derive(Default)]
pub(super) struct Mailbox(Mutex<Letters>);

#[derive(Default)]
struct Letters {
    start: Option<u32>,
    end: Option<End>,
    waker: Option<Waker>,
}

pub(super) enum Letter {
    /// Start this attempt.
    Start(u32),
    End(End),
}

pub(super) struct End {
    pub(super) how: How,
    /// Why it was refused, if it was.
    pub(super) refusal: Option<Error>,
}

impl Mailbox {
    pub(super) fn start(&self, attempt: u32) {
        self.put(|letters| letters.start = Some(attempt));
    }

    pub(super) fn end(&self, end: End) {
        self.put(|letters| letters.end = Some(end));
    }

    fn put(&self, write: impl FnOnce(&mut Letters)) {
        let waker = {
            let mut letters = lock(&self.0);
            write(&mut letters);
            letters.waker.take()
        };
        waker.into_iter().for_each(wake);
    }

    /// Takes what there is; the waker is for what comes.
    pub(super) fn look(&self, waker: &Waker) -> Poll<Letter> {
        let waker = waker.clone();
        let mut letters = lock(&self.0);
        if let Some(end) = letters.end.take() {
            return Poll::Ready(Letter::End(end));
        }
        if let Some(attempt) = letters.start.take() {
            return Poll::Ready(Letter::Start(attempt));
        }
        let old = letters.waker.replace(waker);
        drop(letters);
        drop(old);
        Poll::Pending
    }
}

/// A waker that panics is a fault of somebody else's executor, and not of whoever happens to end a task.
pub(super) fn wake(waker: Waker) {
    let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
}
