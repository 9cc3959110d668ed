//! The handle to all of it.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use super::attempt::Attempt;
use super::builder::Builder;
use super::core::{Catalog, Core, Counters, LimitId, PoolId, Shutdown};
use super::error::Error;
use super::idle::{Bell, Idle};
use super::shard::Shard;
use super::submission::{InFuture, OnThread, Submission};
use crate::bursar::{Bursar, Resource};

/// Runs tasks in pools, under the limits of named resources. A clone is the same scheduler.
///
/// ```
/// use bursar::{Resource, Scheduler};
/// use std::time::Duration;
///
/// let scheduler = Scheduler::builder()
///     .resource(Resource::semaphore("gpu", 4)) // global: whatever the pool
///     .resource(Resource::token_bucket("api", 50.0, 100))
///     .pool("render", 2) // at most two of its tasks at a time
///     .build()?;
///
/// # futures_lite::future::block_on(async {
/// // A future: awaited here, or spawned on any executor.
/// let frame = scheduler
///     .submit(|attempt| async move { Ok::<_, String>(format!("frame, try {}", attempt.number())) })
///     .pool("render")
///     .resource("gpu", 1)
///     .priority(5)
///     .attempts(3)
///     .timeout(Duration::from_secs(60))
///     .start()?;
/// assert_eq!(frame.await?, "frame, try 1");
///
/// // A plain closure, on a thread of the scheduler's.
/// let sum = scheduler.submit_blocking(|_| Ok::<_, String>(1 + 1)).resource("gpu", 2).start()?;
/// assert_eq!(sum.await?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// # Ok::<(), bursar::scheduler::Error>(())
/// ```
///
/// # What runs next
///
/// All that a task demands is claimed in one call: a slot of its pool and its resources. A task that is
/// short of anything is *parked*, holds nothing, and the next one is looked at. Units that come back, or
/// are refilled, go to parked tasks by priority, then first come, first served, as many as they satisfy;
/// that a task is not passed for ever is seen to as for every claim
/// ([`Bursar`](crate::Bursar#who-goes-first)).
///
/// # Threads and executors
///
/// The scheduler has no thread that waits for work: whoever ends a task, or submits one, sees to what
/// follows. Only blocking bodies, timeouts and backoffs have threads, while they need them. With the last
/// handle, future and running body gone, what still waits is forgotten: [`shutdown`](Self::shutdown)
/// ends or drains it in order.
#[derive(Clone)]
pub struct Scheduler {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) catalog: RwLock<Catalog>,
    pub(super) shards: Vec<Arc<Shard>>,
    pub(super) bell: Arc<Bell>,
}

impl Inner {
    pub(super) fn catalog(&self) -> RwLockReadGuard<'_, Catalog> {
        self.catalog.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scheduler {
    /// Describes a new scheduler: its resources and its pools.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A task whose body is a future: `body` is called for each attempt, and what it gives is polled by
    /// whoever polls the [`Task`](super::Task). Nothing happens before
    /// [`start`](Submission::start).
    pub fn submit<F, Fut, T, E>(&self, body: F) -> Submission<InFuture<F>, E>
    where
        F: FnMut(Attempt) -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        Submission::new(&self.inner, InFuture(body))
    }

    /// A task whose body blocks: `body` is called for each attempt, on a thread of the scheduler's.
    /// There are as many threads as bodies that run at one time, kept for a while for those to come.
    /// Nothing happens before [`start`](Submission::start).
    pub fn submit_blocking<F, T, E>(&self, body: F) -> Submission<OnThread<F>, E>
    where
        F: FnMut(Attempt) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: Send + 'static,
    {
        Submission::new(&self.inner, OnThread(body))
    }

    /// Starts no task of a pool until it [resumes](Self::resume). Those that run, run on; those that wait
    /// keep their order, and hold up nobody. After the pause they come after those that other pools
    /// claimed for at the same priority before.
    ///
    /// # Errors
    ///
    /// If there is no such pool.
    pub fn pause(&self, pool: &str) -> Result<(), Error> {
        self.of_pool(pool, Core::pause)
    }

    /// Ends the pause of a pool.
    ///
    /// # Errors
    ///
    /// If there is no such pool.
    pub fn resume(&self, pool: &str) -> Result<(), Error> {
        self.of_pool(pool, Core::resume)
    }

    fn of_pool(&self, pool: &str, call: impl Fn(&mut Core, PoolId)) -> Result<(), Error> {
        let pool = self.pool(pool)?;
        for shard in &self.inner.shards {
            shard.with(|core| call(core, pool));
        }
        Ok(())
    }

    /// Sets a resource's limit, as [`Bursar::resize`](crate::Bursar::resize) does. Parked tasks that want
    /// more than it has now end with [`TaskError::Refused`](super::TaskError::Refused).
    ///
    /// # Errors
    ///
    /// If there is no such resource, it is of the other kind, or the limit cannot be.
    pub fn resize(&self, resource: Resource) -> Result<(), Error> {
        let id = self.resource(resource.name())?;
        self.resize_limit(id, resource)
    }

    /// Sets how many of a pool's tasks run at a time: at least 1. Those that run, run on.
    ///
    /// # Errors
    ///
    /// If there is no such pool, or it was made without a concurrency.
    pub fn resize_pool(&self, pool: &str, concurrency: u64) -> Result<(), Error> {
        let id = self.inner.catalog().limit_of(self.pool(pool)?);
        let id = id.ok_or_else(|| Error::NoConcurrency { name: pool.to_owned() })?;
        let name = self.inner.catalog().name(id).to_owned();
        self.resize_limit(id, Resource::semaphore(name, concurrency))
    }

    fn resize_limit(&self, id: LimitId, resource: Resource) -> Result<(), Error> {
        let capacity = resource.limit()?.capacity();
        let shard = self.inner.catalog().shard(id).unwrap_or(0);
        self.inner.shards[shard as usize].bursar().resize(resource)?;
        let mut catalog = self.inner.catalog.write().unwrap_or_else(PoisonError::into_inner);
        catalog.resize(id, capacity);
        Ok(())
    }

    /// Takes no more tasks. [`Shutdown::Drain`] serves those that there are, [`Shutdown::Drop`] ends those
    /// that wait; the future ends when the last has ended. Whoever does not care can drop it.
    pub fn shutdown(&self, how: Shutdown) -> Idle {
        for shard in &self.inner.shards {
            shard.with(|core| core.shutdown(how));
        }
        self.idle()
    }

    /// Waits until no task runs, waits, is paused or backs off; ends at once if that is so.
    pub fn idle(&self) -> Idle {
        Idle::new(&self.inner)
    }

    /// What happened so far, in all shards.
    pub fn counters(&self) -> Counters {
        self.count(Core::counters)
    }

    /// What happened so far to tasks of a pool.
    ///
    /// # Errors
    ///
    /// If there is no such pool.
    pub fn pool_counters(&self, pool: &str) -> Result<Counters, Error> {
        let pool = self.pool(pool)?;
        Ok(self.count(|core| core.pool_counters(pool)))
    }

    /// What happened so far to tasks that demand a resource.
    ///
    /// # Errors
    ///
    /// If there is no such resource.
    pub fn resource_counters(&self, resource: &str) -> Result<Counters, Error> {
        let resource = self.resource(resource)?;
        Ok(self.count(|core| core.limit_counters(resource)))
    }

    fn count(&self, of: impl Fn(&Core) -> Counters) -> Counters {
        let mut sum = Counters::default();
        for shard in &self.inner.shards {
            sum.add(&shard.with(|core| of(core)));
        }
        sum
    }

    /// How many tasks there are that have not ended.
    pub fn tasks(&self) -> usize {
        self.inner.shards.iter().map(|shard| shard.with(|core| core.tasks())).sum()
    }

    /// How many shards there are.
    pub fn shards(&self) -> u32 {
        self.inner.shards.len() as u32
    }

    /// A shard's bursar, for figures, snapshots, pauses of a resource, and claims beside those of the
    /// tasks. `None` if there is no such shard. A pool's concurrency is its semaphore `pool:NAME`.
    pub fn bursar(&self, shard: u32) -> Option<&Bursar> {
        self.inner.shards.get(shard as usize).map(|shard| shard.bursar())
    }

    fn pool(&self, name: &str) -> Result<PoolId, Error> {
        let catalog = self.inner.catalog();
        catalog.pool(name).ok_or_else(|| Error::unknown_pool(name, &catalog))
    }

    fn resource(&self, name: &str) -> Result<LimitId, Error> {
        let catalog = self.inner.catalog();
        catalog.resource(name).ok_or_else(|| Error::unknown_resource(name, &catalog))
    }
}

impl fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheduler")
            .field("tasks", &self.tasks())
            .field("counters", &self.counters())
            .finish_non_exhaustive()
    }
}
