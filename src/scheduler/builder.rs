//! How a scheduler is made.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, RwLock};

use super::control::{Inner, Scheduler};
use super::core::Catalog;
use super::error::Error;
use super::idle::Bell;
use super::shard::{Random, Shard};
use crate::bursar::{Bursar, ManualClock, Resource};

/// Makes a [`Scheduler`]: see [`Scheduler::builder`].
#[derive(Clone)]
#[must_use = "it makes nothing before `build`"]
pub struct Builder {
    resources: Vec<(u32, Resource)>,
    pools: Vec<(u32, String, Option<u64>)>,
    max_bypass: Option<u32>,
    clock: Option<ManualClock>,
    random: Random,
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            resources: Vec::new(),
            pools: Vec::new(),
            max_bypass: Some(1_000),
            clock: None,
            // Seeded by the system, once for each thread, and another for each hasher.
            random: Arc::new(|| RandomState::new().build_hasher().finish()),
        }
    }
}

impl Builder {
    /// Adds a resource, to shard 0. Resources are global: tasks of all pools can demand them.
    pub fn resource(self, resource: Resource) -> Self {
        self.resource_of(0, resource)
    }

    /// Adds a resource to a shard. It belongs to that one alone.
    ///
    /// Each shard is a ledger of its own, behind a lock of its own, so shards do not wait for each other.
    /// There are as many as the highest number says, from 0.
    pub fn resource_of(mut self, shard: u32, resource: Resource) -> Self {
        self.resources.push((shard, resource));
        self
    }

    /// Adds a pool, to shard 0. With a concurrency, at most so many of its tasks run at a time. With
    /// `None`, any number, in whichever shard.
    ///
    /// The pool `default` is for tasks that name none. It is there, without a concurrency, unless it is
    /// added with one.
    pub fn pool(self, name: impl AsRef<str>, concurrency: impl Into<Option<u64>>) -> Self {
        self.pool_of(0, name, concurrency)
    }

    /// Adds a pool to a shard. A pool with a concurrency is counted in that shard alone, and its tasks run
    /// there.
    pub fn pool_of(
        mut self,
        shard: u32,
        name: impl AsRef<str>,
        concurrency: impl Into<Option<u64>>,
    ) -> Self {
        self.pools.push((shard, name.as_ref().to_owned(), concurrency.into()));
        self
    }

    /// How often a parked task may be passed by later ones that take what it wants, before units are kept
    /// for it; `None`: as often as it happens. Default: 1,000. See
    /// [`Bursar`'s](crate::Builder::max_bypass).
    pub fn max_bypass(mut self, max_bypass: impl Into<Option<u32>>) -> Self {
        self.max_bypass = max_bypass.into();
        self
    }

    /// A clock that is moved by hand, for tests. Default: the system's monotonic clock.
    pub fn clock(mut self, clock: impl Into<ManualClock>) -> Self {
        self.clock = Some(clock.into());
        self
    }

    /// Where the jitter of the [backoff](super::Backoff) comes from: 64 random bits a call. For tests.
    /// Default: the system's, through the standard library's hash maps.
    pub fn random(mut self, random: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.random = Arc::new(random);
        self
    }

    /// Makes the scheduler. It starts no thread.
    ///
    /// # Errors
    ///
    /// If two resources or two pools have the same name, a name is empty or kept, or a limit or a shard
    /// cannot be.
    pub fn build(self) -> Result<Scheduler, Error> {
        let mut catalog = Catalog::new();
        let mut resources = Vec::new();
        for (shard, resource) in self.resources {
            let (name, capacity) = (resource.name(), resource.limit()?.capacity());
            let id = catalog.define_resource(name, capacity, shard);
            let id = id.map_err(|why| Error::InvalidResource { name: name.to_owned(), why })?;
            resources.push((id, resource));
        }
        for (shard, name, concurrency) in self.pools {
            let pool = catalog.define_pool(&name, concurrency, shard);
            let pool = pool.map_err(|why| Error::InvalidPool { name, why })?;
            if let (Some(id), Some(permits)) = (catalog.limit_of(pool), concurrency) {
                resources.push((id, Resource::semaphore(catalog.name(id), permits)));
            }
        }
        let bell = Arc::new(Bell::default());
        let names: Arc<[Arc<str>]> =
            resources.iter().map(|(_, resource)| Arc::from(resource.name())).collect();
        let mut shards = Vec::new();
        for shard in 0..catalog.shards() {
            let own = resources.iter().filter(|&&(id, _)| catalog.shard(id) == Some(shard));
            let limits = own.clone().map(|&(id, _)| id).collect();
            let mut bursar = Bursar::builder()
                .resources(own.map(|(_, resource)| resource.clone()))
                .max_bypass(self.max_bypass);
            if let Some(clock) = &self.clock {
                bursar = bursar.clock(clock);
            }
            let bursar = bursar.build_even_empty()?;
            let (names, bell, random) = (names.clone(), bell.clone(), self.random.clone());
            shards.push(Arc::new(Shard::new(bursar, names, limits, bell, random)));
        }
        let catalog = RwLock::new(catalog);
        Ok(Scheduler { inner: Arc::new(Inner { catalog, shards, bell }) })
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("resources", &self.resources)
            .field("pools", &self.pools)
            .finish_non_exhaustive()
    }
}
