//! How a bursar is made.

use super::Bursar;
use super::clock::Clock;
use super::error::Error;
use super::manual::ManualClock;
use super::names::Names;
use super::resource::Resource;
use super::shared::Shared;
use super::timer::Timer;
use crate::ledger::{Ledger, Order, Policy};

/// Makes a [`Bursar`]: see [`Bursar::builder`].
#[derive(Clone, Debug, Default)]
#[must_use = "it makes nothing before `build`"]
pub struct Builder {
    resources: Vec<Resource>,
    policy: Policy,
    clock: Option<ManualClock>,
}

impl Builder {
    /// Adds a resource.
    pub fn resource(mut self, resource: Resource) -> Self {
        self.resources.push(resource);
        self
    }

    /// Adds resources.
    pub fn resources(mut self, resources: impl IntoIterator<Item = Resource>) -> Self {
        self.resources.extend(resources);
        self
    }

    /// Who goes first. Default: [`Order::Fair`].
    pub fn order(mut self, order: Order) -> Self {
        self.policy.order = order;
        self
    }

    /// How often the longest-waiting claim may be passed before units are kept for it; `None`: as often
    /// as it happens. Default: 1,000. With 0, a later claim never delays an earlier one. Means nothing
    /// under [`Order::Greedy`].
    pub fn max_bypass(mut self, max_bypass: impl Into<Option<u32>>) -> Self {
        self.policy.max_bypass = max_bypass.into();
        self
    }

    /// How many claims may wait; one more is refused with [`Error::QueueFull`]. Default: `None`, as
    /// many as memory holds, up to 2^24.
    pub fn max_waiting(mut self, max_waiting: impl Into<Option<u32>>) -> Self {
        self.policy.max_waiting = max_waiting.into();
        self
    }

    /// A clock that is moved by hand, for tests. Default: the system's monotonic clock.
    pub fn clock(mut self, clock: impl Into<ManualClock>) -> Self {
        self.clock = Some(clock.into());
        self
    }

    /// Makes the bursar. It starts no thread.
    ///
    /// # Errors
    ///
    /// If there is no resource, two have the same name, a name is empty, or a limit cannot be.
    pub fn build(self) -> Result<Bursar, Error> {
        if self.resources.is_empty() {
            return Err(Error::NoResources);
        }
        self.build_even_empty()
    }

    /// For a shard of a scheduler, which may have no resource.
    pub(crate) fn build_even_empty(self) -> Result<Bursar, Error> {
        let mut ledger = Ledger::new(self.policy);
        for resource in &self.resources {
            resource.define(&mut ledger)?;
        }
        Ok(attach(ledger, Names::Defined, self.clock))
    }
}

pub(super) fn attach(ledger: Ledger, names: Names, clock: Option<ManualClock>) -> Bursar {
    let shared = match clock {
        None => Shared::new(ledger, names, Clock::System(Timer::new())),
        Some(clock) => {
            let shared = Shared::new(ledger, names, Clock::Manual(clock.clone()));
            clock.attach(&shared);
            shared
        }
    };
    Bursar { shared }
}
