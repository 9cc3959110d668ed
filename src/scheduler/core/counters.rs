//! What happened so far, in all, by pool and by resource.

use alloc::collections::BTreeMap;

use super::catalog::{LimitId, PoolId};
use super::task::Spec;

/// How often things happened. Of a resource: to tasks that demand it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Attempts that have started.
    pub dispatched: u64,
    /// Claims that had to wait. Of a resource: for lack of this resource.
    pub parked: u64,
    /// Attempts that failed and were to be made again.
    pub retried: u64,
    /// Tasks that ended without a result of their own doing: their last attempt failed or outlasted its
    /// timeout, or their claim was refused. Neither cancelled nor dropped ones.
    pub failed: u64,
    /// Priority inversions: attempts that started while a more urgent task was ready to, which had its
    /// units and only needed to be run. Tasks that are parked are not ready.
    pub inversions: u64,
}

impl Counters {
    /// Adds those of another shard.
    pub fn add(&mut self, other: &Counters) {
        self.dispatched += other.dispatched;
        self.parked += other.parked;
        self.retried += other.retried;
        self.failed += other.failed;
        self.inversions += other.inversions;
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    total: Counters,
    pools: BTreeMap<PoolId, Counters>,
    limits: BTreeMap<LimitId, Counters>,
}

impl Tally {
    pub(super) fn total(&self) -> Counters {
        self.total
    }

    pub(super) fn pool(&self, pool: PoolId) -> Counters {
        self.pools.get(&pool).copied().unwrap_or_default()
    }

    pub(super) fn limit(&self, limit: LimitId) -> Counters {
        self.limits.get(&limit).copied().unwrap_or_default()
    }

    pub(super) fn parked(&mut self, spec: &Spec, short_of: &[LimitId]) {
        self.total.parked += 1;
        self.pools.entry(spec.pool).or_default().parked += 1;
        for &limit in short_of {
            self.limits.entry(limit).or_default().parked += 1;
        }
    }

    pub(super) fn dispatched(&mut self, spec: &Spec, passed_over: bool) {
        self.each(spec, |counters| {
            counters.dispatched += 1;
            counters.inversions += u64::from(passed_over);
        });
    }

    pub(super) fn retried(&mut self, spec: &Spec) {
        self.each(spec, |counters| counters.retried += 1);
    }

    pub(super) fn failed(&mut self, spec: &Spec) {
        self.each(spec, |counters| counters.failed += 1);
    }

    fn each(&mut self, spec: &Spec, count: impl Fn(&mut Counters)) {
        count(&mut self.total);
        count(self.pools.entry(spec.pool).or_default());
        for &(limit, _) in &spec.demand {
            count(self.limits.entry(limit).or_default());
        }
    }
}
