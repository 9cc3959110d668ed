//! What a task asks for.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::attempt::Attempt;
use super::control::Inner;
use super::core::{Backoff, PoolId, Request, Spec};
use super::error::Error;
use super::future_task::Task;
use super::handle::Handle;
use super::mailbox::Mailbox;
use super::shard::{Body, Shard};
use super::thread_task::ThreadTask;

/// A task that has not been submitted yet: see [`Scheduler::submit`](super::Scheduler::submit).
///
/// It demands nothing but what is said here, and is submitted by `start`.
#[must_use = "it submits nothing before `start`"]
pub struct Submission<B, E> {
    inner: Arc<Inner>,
    body: B,
    pool: Option<String>,
    resources: Vec<(String, u64)>,
    shard: Option<u32>,
    priority: i32,
    attempts: u32,
    backoff: Backoff,
    timeout: Option<Duration>,
    retry_if: Option<RetryIf<E>>,
}

/// A body that is a future.
#[derive(Clone, Copy, Debug)]
pub struct InFuture<F>(pub(super) F);

/// A body that blocks.
#[derive(Clone, Copy, Debug)]
pub struct OnThread<F>(pub(super) F);

pub(super) type RetryIf<E> = Box<dyn Fn(&E) -> bool + Send + Sync>;

impl<B, E> Submission<B, E> {
    pub(super) fn new(inner: &Arc<Inner>, body: B) -> Self {
        Submission {
            inner: inner.clone(),
            body,
            pool: None,
            resources: Vec::new(),
            shard: None,
            priority: 0,
            attempts: 1,
            backoff: Backoff::default(),
            timeout: None,
            retry_if: None,
        }
    }

    /// The pool that it belongs to. Default: `default`.
    pub fn pool(mut self, pool: impl AsRef<str>) -> Self {
        self.pool = Some(pool.as_ref().to_owned());
        self
    }

    /// Units of a resource that an attempt holds from its start to its end; each resource once.
    pub fn resource(mut self, name: impl AsRef<str>, units: u64) -> Self {
        self.resources.push((name.as_ref().to_owned(), units));
        self
    }

    /// Units of several resources.
    pub fn resources<K: AsRef<str>>(mut self, demand: impl IntoIterator<Item = (K, u64)>) -> Self {
        let demand = demand.into_iter();
        self.resources.extend(demand.map(|(name, units)| (name.as_ref().to_owned(), units)));
        self
    }

    /// The shard that it belongs to. Default: that of its pool, if that has a concurrency; else that of
    /// its first resource; else 0.
    pub fn shard(mut self, shard: u32) -> Self {
        self.shard = Some(shard);
        self
    }

    /// Higher goes first. Default: 0.
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// How often it may be tried in all, from 1. Default: 1.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// How long to wait between attempts.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// How long one attempt may take. After that it has failed; its body is told
    /// ([`Attempt::is_aborted`]) and the units stay held until it has really ended. Default: no bound.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Whether a failure is worth another attempt, where there is one left. Default: always. Not asked
    /// about an attempt that took too long, which is, nor about a panic, which is not.
    pub fn retry_if(mut self, retry_if: impl Fn(&E) -> bool + Send + Sync + 'static) -> Self {
        self.retry_if = Some(Box::new(retry_if));
        self
    }

    fn admit(&self) -> Result<(Arc<Shard>, Spec), Error> {
        let catalog = self.inner.catalog();
        let pool = match &self.pool {
            None => PoolId::DEFAULT,
            Some(name) => catalog.pool(name).ok_or_else(|| Error::unknown_pool(name, &catalog))?,
        };
        let mut demand = Vec::with_capacity(self.resources.len());
        for (name, units) in &self.resources {
            let id = catalog.resource(name);
            demand.push((id.ok_or_else(|| Error::unknown_resource(name, &catalog))?, *units));
        }
        let request = Request {
            pool,
            shard: self.shard,
            demand: &demand,
            priority: self.priority,
            attempts: self.attempts,
            backoff: self.backoff,
            timeout: self.timeout,
        };
        let admitted = catalog.admit(&request).map_err(|why| Error::refused(why, &catalog))?;
        Ok((self.inner.shards[admitted.shard as usize].clone(), admitted.spec))
    }
}

impl<F, Fut, T, E> Submission<InFuture<F>, E>
where
    F: FnMut(Attempt) -> Fut,
    Fut: Future<Output = Result<T, E>>,
{
    /// Submits it. From here on it has its place in the line; but only polling the [`Task`] (awaiting or
    /// spawning it) runs the body, so a task that is kept without being polled may come to hold its units
    /// for nothing.
    ///
    /// # Errors
    ///
    /// [`Error`] if it could never run: an unknown pool or resource, more than there is, a resource of
    /// another shard; or the scheduler was shut down.
    pub fn start(self) -> Result<Task<F, Fut, T, E>, Error> {
        let (shard, spec) = self.admit()?;
        let mailbox = Arc::new(Mailbox::default());
        let task = shard.submit(spec, Body::Future(mailbox.clone())).map_err(|_| Error::Closed)?;
        let handle = Handle::new(shard, task);
        let timeout = self.timeout.unwrap_or(Duration::MAX);
        Ok(Task::new(handle, mailbox, self.body.0, self.retry_if, timeout))
    }
}

impl<F, T, E> Submission<OnThread<F>, E>
where
    F: FnMut(Attempt) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: Send + 'static,
{
    /// Submits it. It runs whether anybody waits for it or not.
    ///
    /// # Errors
    ///
    /// [`Error`] if it could never run: an unknown pool or resource, more than there is, a resource of
    /// another shard; or the scheduler was shut down.
    pub fn start(self) -> Result<ThreadTask<T, E>, Error> {
        let (shard, spec) = self.admit()?;
        let timeout = self.timeout.unwrap_or(Duration::MAX);
        let (job, cell) = super::thread_task::job(self.body.0, self.retry_if, timeout);
        let task = shard.submit(spec, Body::Thread(job)).map_err(|_| Error::Closed)?;
        Ok(ThreadTask::new(Handle::new(shard, task), cell))
    }
}

impl<B, E> fmt::Debug for Submission<B, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission")
            .field("pool", &self.pool)
            .field("resources", &self.resources)
            .field("priority", &self.priority)
            .finish_non_exhaustive()
    }
}
