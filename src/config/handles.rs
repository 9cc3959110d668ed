//! Bursars and schedulers from a configuration.

use std::fmt;

use super::parts::{Config, FamilyConfig, ResourceConfig};
use crate::ledger::Order;
use crate::{Builder, Bursar, Resource, Scheduler, scheduler};

/// Why nothing could be made of a configuration that is right in itself.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// It has something that this handle has not: a pool or a shard, say, for a [`Bursar`].
    Unsupported {
        /// What was to be made: `bursar` or `scheduler`.
        handle: &'static str,
        /// What it does not have: `pool`, `shard`, `family`, `order` or `max_waiting`.
        part: &'static str,
        /// Its name, or its value.
        name: String,
    },
    /// What [`Builder::build`] refuses.
    Bursar(crate::Error),
    /// What [`scheduler::Builder::build`] refuses.
    Scheduler(scheduler::Error),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Unsupported { handle, part, name } => {
                write!(
                    f,
                    "the configuration has the {part} {name:?}, which a {handle} cannot have"
                )?;
                if *handle == "bursar" && matches!(*part, "pool" | "shard") {
                    write!(f, "; a scheduler can")?;
                }
                Ok(())
            }
            BuildError::Bursar(error) => error.fmt(f),
            BuildError::Scheduler(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BuildError::Unsupported { .. } => None,
            BuildError::Bursar(error) => error.source(),
            BuildError::Scheduler(error) => error.source(),
        }
    }
}

impl Bursar {
    /// A bursar with what a configuration says. For a clock by hand, see [`Config::bursar`].
    ///
    /// # Errors
    ///
    /// [`BuildError::Unsupported`] if it has pools or shards: a [`Scheduler`] has those.
    pub fn from_config(config: &Config) -> Result<Self, BuildError> {
        config.bursar()?.build().map_err(BuildError::Bursar)
    }
}

impl Scheduler {
    /// A scheduler with what a configuration says. For a clock by hand, see [`Config::scheduler`].
    ///
    /// # Errors
    ///
    /// [`BuildError::Unsupported`] if it has families, another order than `fair`, or a bound on those who
    /// wait; [`BuildError::Scheduler`] if a resource has a name that is kept for pools.
    pub fn from_config(config: &Config) -> Result<Self, BuildError> {
        config.scheduler()?.build().map_err(BuildError::Scheduler)
    }
}

impl Config {
    /// What [`Bursar::from_config`] builds, for more settings first.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn bursar(&self) -> Result<Builder, BuildError> {
        let unsupported = |part, name: &str| {
            Err(BuildError::Unsupported { handle: "bursar", part, name: name.to_owned() })
        };
        if let Some(pool) = self.pools.first() {
            return unsupported("pool", &pool.name);
        }
        if let Some(shard) = self.resources.iter().find_map(|resource| resource.shard.as_ref()) {
            return unsupported("shard", shard);
        }
        let builder = Bursar::builder()
            .order(self.policy.order)
            .max_bypass(self.policy.max_bypass)
            .max_waiting(self.policy.max_waiting);
        Ok(builder.resources(self.resources.iter().map(described)))
    }

    /// What [`Scheduler::from_config`] builds, for more settings first. Shards are numbered in the order
    /// in which their names come, resources first; those without a name are one shard as well.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn scheduler(&self) -> Result<scheduler::Builder, BuildError> {
        let unsupported =
            |part, name: String| Err(BuildError::Unsupported { handle: "scheduler", part, name });
        let order = match self.policy.order {
            Order::Fair => None,
            Order::Newest => Some("newest"),
            Order::Greedy => Some("greedy"),
        };
        if let Some(order) = order {
            return unsupported("order", order.to_owned());
        }
        if let Some(bound) = self.policy.max_waiting {
            return unsupported("max_waiting", bound.to_string());
        }
        if let Some(family) = self.resources.iter().find(|resource| resource.family.is_some()) {
            return unsupported("family", family.name.clone());
        }
        let shards = self.shards();
        let number = |name: &Option<String>| {
            let place = shards.iter().position(|shard| *shard == name.as_deref());
            place.unwrap_or_default() as u32
        };
        let mut builder = Scheduler::builder().max_bypass(self.policy.max_bypass);
        for resource in &self.resources {
            builder = builder.resource_of(number(&resource.shard), described(resource));
        }
        for pool in &self.pools {
            builder = builder.pool_of(number(&pool.shard), &pool.name, pool.concurrency);
        }
        Ok(builder)
    }

    /// The shards' names, by their numbers in [`scheduler`](Self::scheduler); `None` is that of all that
    /// names none.
    pub fn shards(&self) -> Vec<Option<&str>> {
        let resources = self.resources.iter().map(|resource| resource.shard.as_deref());
        let mut shards = Vec::new();
        for shard in resources.chain(self.pools.iter().map(|pool| pool.shard.as_deref())) {
            if !shards.contains(&shard) {
                shards.push(shard);
            }
        }
        shards
    }
}

/// A resource as builders take it.
fn described(config: &ResourceConfig) -> Resource {
    let resource = Resource::new(&config.name, config.limit);
    match config.family {
        None => resource,
        Some(FamilyConfig { max_keys: None }) => resource.per_key(),
        Some(FamilyConfig { max_keys: Some(max_keys) }) => resource.max_keys(max_keys),
    }
}
