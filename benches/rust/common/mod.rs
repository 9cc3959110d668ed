//! What the benches share.

#![allow(dead_code)] // Each bench uses its own part.

pub(crate) mod demands;
pub(crate) mod dice;
pub(crate) mod parked;
pub(crate) mod queue;

use std::cell::LazyCell;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion};

use bursar::ledger::{Ledger, Limit, ResourceId};

/// Short measurements of few samples: a whole run stays below ten minutes, and the cases differ by
/// more than the noise.
pub(crate) fn settings() -> Criterion {
    Criterion::default()
        .without_plots()
        .sample_size(20)
        .nresamples(10_000)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600))
}

/// How many claims wait, at most: a million, unless `BURSAR_BENCH_MAX` says less, or the benches are
/// only tried out (`cargo bench -- --test`).
pub(crate) fn most() -> u32 {
    let tried_out = std::env::args().any(|arg| arg == "--test");
    let set = std::env::var("BURSAR_BENCH_MAX").ok();
    match set.map(|set| set.parse().expect("BURSAR_BENCH_MAX is a whole number")) {
        Some(most) => most,
        None if tried_out => 1_000,
        None => 1_000_000,
    }
}

/// The sizes that are to be measured.
pub(crate) fn sizes() -> impl Iterator<Item = u32> {
    let most = most();
    [1_000, 10_000, 100_000, 1_000_000].into_iter().filter(move |&size| size <= most)
}

/// A case that works on something large, which is made when the first case asks for it: before the
/// clock runs, and never where other cases are chosen.
pub(crate) fn bench<T, F: FnOnce() -> T>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: BenchmarkId,
    subject: &mut LazyCell<T, F>,
    work: impl Fn(&mut T, u64) -> Duration,
) {
    group.bench_function(id, |b| {
        let subject = &mut **subject;
        b.iter_custom(|times| work(subject, times));
    });
}

/// The time of `wanted` operations, from that of as many as were done.
pub(crate) fn scale(spent: Duration, done: u64, wanted: u64) -> Duration {
    assert!(done >= wanted, "{done} of {wanted} operations took place");
    spent.mul_f64(wanted as f64 / done as f64)
}

/// Adds so many semaphores of equal size.
pub(crate) fn semaphores(ledger: &mut Ledger, count: u32, permits: u64) -> Vec<ResourceId> {
    let limit = Limit::semaphore(permits).unwrap();
    let first = ledger.resources().count();
    (first..first + count as usize)
        .map(|number| ledger.define(&format!("r{number}"), limit).unwrap())
        .collect()
}
