//! A task whose body is a future, run by whoever polls it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::attempt::Attempt;
use super::core::{How, Outcome};
use super::handle::{Handle, State};
use super::mailbox::{End, Letter, Mailbox};
use super::shard::Shard;
use super::submission::RetryIf;
use super::task_error::{Panic, TaskError};

/// A submitted task whose body is a future; itself the future of its result. Await it, or spawn it on
/// any executor; until then its body does not run.
///
/// Dropped, it is cancelled: out of the line if it waits, and if it runs its body is dropped and its units
/// come back.
#[must_use = "its body runs only while it is polled"]
pub struct Task<F, Fut, T, E> {
    handle: Handle,
    mailbox: Arc<Mailbox>,
    body: F,
    retry_if: Option<RetryIf<E>>,
    timeout: Duration,
    running: Option<Pin<Box<Fut>>>,
    last: Option<Result<T, Failure<E>>>,
    over: bool,
}

/// The body is pinned in its box, and nothing else ever.
impl<F, Fut, T, E> Unpin for Task<F, Fut, T, E> {}

/// How an attempt has failed.
pub(super) enum Failure<E> {
    Error(E),
    Panic(Panic),
}

impl<F, Fut, T, E> Task<F, Fut, T, E> {
    pub(super) fn new(
        handle: Handle,
        mailbox: Arc<Mailbox>,
        body: F,
        retry_if: Option<RetryIf<E>>,
        timeout: Duration,
    ) -> Self {
        Task { handle, mailbox, body, retry_if, timeout, running: None, last: None, over: false }
    }

    /// To ask about it, or take it back, from elsewhere.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// What it is doing.
    pub fn state(&self) -> State {
        self.handle.state()
    }

    /// Keeps what the attempt came to, and reports it.
    fn ended(&mut self, result: Result<T, Failure<E>>) {
        let shard = self.handle.shard();
        let outcome = judge(shard, &self.handle, &result, self.retry_if.as_ref());
        self.last = Some(result);
        shard.ended(self.handle.task(), outcome);
    }
}

impl<F, Fut, T, E> Future for Task<F, Fut, T, E>
where
    F: FnMut(Attempt) -> Fut,
    Fut: Future<Output = Result<T, E>>,
{
    type Output = Result<T, TaskError<E>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        assert!(!this.over, "a task was polled after it had ended");
        loop {
            if let Some(running) = &mut this.running {
                let polled = catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(cx)));
                let result = match polled {
                    Ok(polled) => ready!(polled).map_err(Failure::Error),
                    Err(payload) => Err(Failure::Panic(Panic::new(payload))),
                };
                // What it holds is gone before its units are somebody else's.
                this.running = None;
                this.ended(result);
            }
            match ready!(this.mailbox.look(cx.waker())) {
                Letter::End(end) => {
                    this.over = true;
                    return Poll::Ready(conclude(end, this.last.take(), this.timeout));
                }
                Letter::Start(number) => {
                    let task = this.handle.task();
                    let Some(signal) = this.handle.shard().started(task) else { continue };
                    let attempt = Attempt::new(number, &signal);
                    match catch_unwind(AssertUnwindSafe(|| (this.body)(attempt))) {
                        Ok(body) => this.running = Some(Box::pin(body)),
                        Err(payload) => this.ended(Err(Failure::Panic(Panic::new(payload)))),
                    }
                }
            }
        }
    }
}

impl<F, Fut, T, E> Drop for Task<F, Fut, T, E> {
    fn drop(&mut self) {
        if !self.over && !self.handle.cancel() {
            self.running = None;
            self.handle.shard().ended(self.handle.task(), Outcome::Gone);
        }
    }
}

impl<F, Fut, T, E> fmt::Debug for Task<F, Fut, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("state", &self.state()).finish_non_exhaustive()
    }
}

/// What is to be told of an attempt. The caller's opinion is asked only where it matters.
pub(super) fn judge<T, E>(
    shard: &Arc<Shard>,
    handle: &Handle,
    result: &Result<T, Failure<E>>,
    retry_if: Option<&RetryIf<E>>,
) -> Outcome {
    let task = handle.task();
    match (result, retry_if) {
        (Ok(_), _) => Outcome::Done,
        (Err(Failure::Panic(_)), _) => Outcome::Failed { retry: false },
        (Err(Failure::Error(_)), None) => Outcome::Failed { retry: true },
        (Err(Failure::Error(error)), Some(retry_if)) => {
            let asked =
                shard.with(|core| core.has_attempts_left(task) && !core.has_timed_out(task));
            Outcome::Failed { retry: !asked || retry_if(error) }
        }
    }
}

/// The result of a task, from how it has ended and what the last attempt came to.
pub(super) fn conclude<T, E>(
    end: End,
    last: Option<Result<T, Failure<E>>>,
    timeout: Duration,
) -> Result<T, TaskError<E>> {
    match (end.how, end.refusal, last) {
        (How::Cancelled, ..) => Err(TaskError::Cancelled),
        (How::Refused, Some(error), _) => Err(TaskError::Refused(error)),
        (How::Failed { .. }, _, Some(Err(Failure::Panic(panic)))) => {
            Err(TaskError::Panicked(panic))
        }
        (How::Failed { timed_out: true }, ..) => Err(TaskError::TimedOut { timeout }),
        (How::Failed { .. }, _, Some(Err(Failure::Error(error)))) => Err(TaskError::Failed(error)),
        (How::Done, _, Some(Ok(value))) => Ok(value),
        _ => Err(TaskError::Dropped),
    }
}
