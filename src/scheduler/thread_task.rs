//! A task whose body blocks, run by a thread of the scheduler's.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::attempt::Attempt;
use super::core::{Outcome, TaskId};
use super::future_task::{Failure, conclude, judge};
use super::handle::{Handle, State};
use super::mailbox::{End, wake};
use super::shard::Shard;
use super::submission::RetryIf;
use super::task_error::{Panic, TaskError};
use crate::bursar::{block_on, lock};

/// A submitted task whose body blocks. Await its result, wait for it with [`blocking`](Self::blocking), or
/// drop this: the task runs all the same.
pub struct ThreadTask<T, E> {
    handle: Handle,
    cell: Arc<Cell<T, E>>,
}

/// Where the result is left.
pub(super) struct Cell<T, E>(Mutex<Contents<T, E>>);

struct Contents<T, E> {
    result: Option<Result<T, TaskError<E>>>,
    waker: Option<Waker>,
}

/// A body as a thread sees it.
pub(super) trait Job: Send + Sync {
    /// One attempt. Never panics.
    fn run(&self, shard: &Arc<Shard>, task: TaskId, attempt: Attempt) -> Outcome;

    /// The task is over.
    fn end(&self, end: End);
}

struct Blocking<F, T, E> {
    body: Mutex<F>,
    retry_if: Option<RetryIf<E>>,
    timeout: Duration,
    last: Mutex<Option<Result<T, Failure<E>>>>,
    cell: Arc<Cell<T, E>>,
}

pub(super) fn job<F, T, E>(
    body: F,
    retry_if: Option<RetryIf<E>>,
    timeout: Duration,
) -> (Arc<dyn Job>, Arc<Cell<T, E>>)
where
    F: FnMut(Attempt) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: Send + 'static,
{
    let cell = Arc::new(Cell(Mutex::new(Contents { result: None, waker: None })));
    let (body, last) = (Mutex::new(body), Mutex::new(None));
    (Arc::new(Blocking { body, retry_if, timeout, last, cell: cell.clone() }), cell)
}

impl<F, T, E> Job for Blocking<F, T, E>
where
    F: FnMut(Attempt) -> Result<T, E> + Send,
    T: Send,
    E: Send,
{
    fn run(&self, shard: &Arc<Shard>, task: TaskId, attempt: Attempt) -> Outcome {
        let handle = Handle::new(shard.clone(), task);
        let attempted = catch_unwind(AssertUnwindSafe(|| {
            // Nobody else has it: a task has one attempt at a time.
            let result = (*lock(&self.body))(attempt).map_err(Failure::Error);
            let outcome = judge(shard, &handle, &result, self.retry_if.as_ref());
            (result, outcome)
        }));
        let (result, outcome) = attempted.unwrap_or_else(|payload| {
            let failure = Failure::Panic(Panic::new(payload));
            (Err(failure), Outcome::Failed { retry: false })
        });
        *lock(&self.last) = Some(result);
        outcome
    }

    fn end(&self, end: End) {
        let last = lock(&self.last).take();
        let result = conclude(end, last, self.timeout);
        let waker = {
            let mut contents = lock(&self.cell.0);
            contents.result = Some(result);
            contents.waker.take()
        };
        waker.into_iter().for_each(wake);
    }
}

impl<F, T, E> Drop for Blocking<F, T, E> {
    /// Forgotten with the scheduler, it must not leave anybody waiting.
    fn drop(&mut self) {
        let waker = {
            let mut contents = lock(&self.cell.0);
            if contents.result.is_none() {
                contents.result = Some(Err(TaskError::Dropped));
            }
            contents.waker.take()
        };
        waker.into_iter().for_each(wake);
    }
}

impl<T, E> ThreadTask<T, E> {
    pub(super) fn new(handle: Handle, cell: Arc<Cell<T, E>>) -> Self {
        ThreadTask { handle, cell }
    }

    /// To ask about it, or take it back, from elsewhere.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// What it is doing.
    pub fn state(&self) -> State {
        self.handle.state()
    }

    /// Waits on this thread for its result.
    ///
    /// # Errors
    ///
    /// [`TaskError`] if it has none.
    pub fn blocking(self) -> Result<T, TaskError<E>> {
        block_on(self)
    }
}

impl<T, E> Future for ThreadTask<T, E> {
    type Output = Result<T, TaskError<E>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let waker = cx.waker().clone();
        let mut contents = lock(&self.cell.0);
        // Whoever polls again after the result waits for ever.
        if let Some(result) = contents.result.take() {
            return Poll::Ready(result);
        }
        let old = contents.waker.replace(waker);
        drop(contents);
        drop(old);
        Poll::Pending
    }
}

impl<T, E> fmt::Debug for ThreadTask<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadTask").field("state", &self.state()).finish_non_exhaustive()
    }
}
