//! Which pools and resources there are, in which shards, and whether a task can be taken.
//!
//! A *limit* is what a claim can name: a resource, or the concurrency of a pool, which is a semaphore
//! `pool:NAME`. Each belongs to exactly one shard. A pool without a concurrency has no limit, and so
//! belongs to no shard. A task belongs to the shard that it names; else to that of its pool's limit; else
//! to that of its first resource; else to shard 0. All its limits must be of that shard.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use core::time::Duration;

use super::backoff::Backoff;
use super::refusal::{CatalogError, Refusal};
use super::task::Spec;
use crate::ledger::MAX_UNITS;

/// Something of which a claim can want units, by its place in the order of definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LimitId(pub u32);

/// A pool, by its place in the order of definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolId(pub u32);

impl PoolId {
    /// The pool of tasks that name none: `default`. It is there from the start, without a concurrency.
    pub const DEFAULT: PoolId = PoolId(0);
}

/// What a task asks for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Its pool.
    pub pool: PoolId,
    /// The shard that it names, if it does.
    pub shard: Option<u32>,
    /// Units of resources; each resource once.
    pub demand: &'a [(LimitId, u64)],
    /// Higher goes first.
    pub priority: i32,
    /// How often it may be tried in all, from 1.
    pub attempts: u32,
    /// How long to wait between attempts.
    pub backoff: Backoff,
    /// How long one attempt may take.
    pub timeout: Option<Duration>,
}

impl Default for Request<'_> {
    fn default() -> Self {
        Request {
            pool: PoolId::DEFAULT,
            shard: None,
            demand: &[],
            priority: 0,
            attempts: 1,
            backoff: Backoff::default(),
            timeout: None,
        }
    }
}

/// A task that can be taken, and by which shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// The shard whose core is to have it.
    pub shard: u32,
    /// For [`Core::submit`](super::Core::submit).
    pub spec: Spec,
}

/// Pools and resources: see the [module's page](super).
#[derive(Clone, Debug)]
pub struct Catalog {
    limits: Vec<Limit>,
    pools: Vec<Pool>,
    resources_by_name: BTreeMap<Box<str>, LimitId>,
    pools_by_name: BTreeMap<Box<str>, PoolId>,
    shards: u32,
}

#[derive(Clone, Debug)]
struct Limit {
    name: Box<str>,
    capacity: u64,
    shard: u32,
}

#[derive(Clone, Debug)]
struct Pool {
    name: Box<str>,
    limit: Option<LimitId>,
}

impl Default for Catalog {
    fn default() -> Self {
        Self::new()
    }
}

impl Catalog {
    /// Without resources, and with the pool `default` alone.
    pub fn new() -> Self {
        Catalog {
            limits: Vec::new(),
            pools: [Pool { name: "default".into(), limit: None }].into(),
            resources_by_name: BTreeMap::new(),
            pools_by_name: [("default".into(), PoolId::DEFAULT)].into(),
            shards: 1,
        }
    }

    /// Adds a resource of this capacity (permits, or burst) to a shard.
    ///
    /// # Errors
    ///
    /// [`CatalogError`] if the name is empty, begins with `pool:`, or is in use, or the capacity or the
    /// shard is out of range.
    pub fn define_resource(
        &mut self,
        name: &str,
        capacity: u64,
        shard: u32,
    ) -> Result<LimitId, CatalogError> {
        if name.starts_with("pool:") {
            return Err(CatalogError::ReservedName);
        }
        check_name(name, self.resources_by_name.contains_key(name))?;
        let id = self.define(name.into(), capacity, shard)?;
        self.resources_by_name.insert(name.into(), id);
        Ok(id)
    }

    /// Adds a pool of which at most `concurrency` tasks run at a time, in one shard; or as many as there
    /// are, in all shards. `default` can be defined once more.
    ///
    /// # Errors
    ///
    /// [`CatalogError`] if the name is empty or in use, or the concurrency or the shard is out of range.
    pub fn define_pool(
        &mut self,
        name: &str,
        concurrency: Option<u64>,
        shard: u32,
    ) -> Result<PoolId, CatalogError> {
        let known = self.pools_by_name.get(name).copied();
        let redefined = known == Some(PoolId::DEFAULT) && self.pools[0].limit.is_none();
        check_name(name, known.is_some() && !redefined)?;
        let limit = match concurrency {
            Some(permits) => Some(self.define(format!("pool:{name}").into(), permits, shard)?),
            None => None,
        };
        if redefined {
            self.pools[0].limit = limit;
            return Ok(PoolId::DEFAULT);
        }
        let id = PoolId(self.pools.len() as u32);
        self.pools.push(Pool { name: name.into(), limit });
        self.pools_by_name.insert(name.into(), id);
        Ok(id)
    }

    fn define(
        &mut self,
        name: Box<str>,
        capacity: u64,
        shard: u32,
    ) -> Result<LimitId, CatalogError> {
        if capacity == 0 || capacity > MAX_UNITS {
            return Err(CatalogError::InvalidCapacity(capacity));
        }
        if shard >= MAX_SHARDS {
            return Err(CatalogError::InvalidShard(shard));
        }
        self.shards = self.shards.max(shard + 1);
        self.limits.push(Limit { name, capacity, shard });
        Ok(LimitId(self.limits.len() as u32 - 1))
    }

    /// Notes that the capacity is another now: tasks to come are measured by it.
    pub fn resize(&mut self, id: LimitId, capacity: u64) {
        if let Some(limit) = self.limits.get_mut(id.0 as usize) {
            limit.capacity = capacity;
        }
    }

    /// The resource of this name. The concurrency of a pool is none.
    pub fn resource(&self, name: &str) -> Option<LimitId> {
        self.resources_by_name.get(name).copied()
    }

    /// The pool of this name.
    pub fn pool(&self, name: &str) -> Option<PoolId> {
        self.pools_by_name.get(name).copied()
    }

    /// The pool's concurrency, if it has one.
    pub fn limit_of(&self, pool: PoolId) -> Option<LimitId> {
        self.pools.get(pool.0 as usize)?.limit
    }

    /// What the limit is called in the bursar of its shard.
    pub fn name(&self, id: LimitId) -> &str {
        self.limits.get(id.0 as usize).map_or("", |limit| &*limit.name)
    }

    /// The pool's name.
    pub fn pool_name(&self, pool: PoolId) -> &str {
        self.pools.get(pool.0 as usize).map_or("", |pool| &*pool.name)
    }

    /// The names of the resources.
    pub fn resource_names(&self) -> impl Iterator<Item = &str> {
        self.resources_by_name.keys().map(|name| &**name)
    }

    /// The names of the pools.
    pub fn pool_names(&self) -> impl Iterator<Item = &str> {
        self.pools.iter().map(|pool| &*pool.name)
    }

    /// The shard to which the limit belongs.
    pub fn shard(&self, id: LimitId) -> Option<u32> {
        self.limits.get(id.0 as usize).map(|limit| limit.shard)
    }

    /// How many shards there are: one more than the highest that a definition names.
    pub fn shards(&self) -> u32 {
        self.shards
    }

    /// Checks what a task asks for, and says which shard is to have it.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if it could never run.
    pub fn admit(&self, request: &Request<'_>) -> Result<Admitted, Refusal> {
        if request.attempts == 0 {
            return Err(Refusal::ZeroAttempts);
        }
        let pool = self.pools.get(request.pool.0 as usize).ok_or(Refusal::UnknownPool)?;
        for (place, &(id, wanted)) in request.demand.iter().enumerate() {
            let limit = self.limits.get(id.0 as usize).ok_or(Refusal::UnknownResource)?;
            let capacity = limit.capacity;
            if request.demand[..place].iter().any(|&(other, _)| other == id) {
                return Err(Refusal::DuplicateResource(id));
            }
            if wanted == 0 {
                return Err(Refusal::ZeroUnits(id));
            }
            if wanted > capacity {
                return Err(Refusal::ExceedsCapacity { limit: id, wanted, capacity });
            }
        }
        let slot = pool.limit.map(|id| (id, 1));
        let demand: Box<[_]> = slot.into_iter().chain(request.demand.iter().copied()).collect();
        let followed = demand.first().and_then(|&(id, _)| self.shard(id));
        let shard = request.shard.or(followed).unwrap_or(0);
        if shard >= self.shards {
            return Err(Refusal::UnknownShard { shard, shards: self.shards });
        }
        for &(limit, _) in &demand {
            let other = self.shard(limit).unwrap_or(shard);
            if other != shard {
                return Err(Refusal::OtherShard { limit, belongs_to: other, task: shard });
            }
        }
        let &Request { pool, priority, attempts, backoff, timeout, .. } = request;
        Ok(Admitted { shard, spec: Spec { pool, demand, priority, attempts, backoff, timeout } })
    }
}

/// More would be a typing error.
pub(super) const MAX_SHARDS: u32 = 1024;

fn check_name(name: &str, in_use: bool) -> Result<(), CatalogError> {
    match (name, in_use) {
        ("", _) => Err(CatalogError::EmptyName),
        (_, true) => Err(CatalogError::DuplicateName),
        (_, false) => Ok(()),
    }
}
