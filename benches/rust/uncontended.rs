//! A claim that is granted at once, and its release: what a program pays for a limit it never reaches.
//!
//! Futures are awaited in a loop inside one `block_on`, so that no executor is measured.

mod common;

use std::hint::black_box;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use criterion::{
    BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime,
};
use futures_lite::future::block_on;
use governor::clock::{Clock, FakeRelativeClock, MonotonicClock, QuantaClock};
use governor::{Quota, RateLimiter};

use bursar::ledger::{ClaimOptions, Claimed, Ledger, Limit, Policy, Rate};
use bursar::{Bursar, Resource};

const PERMITS: u64 = 1_000;
const MANY: usize = 1_000;
/// A rate that the loop cannot spend.
const FAST: u32 = 1_000_000_000;
const ONE: [(&str, u64); 1] = [("a", 1)];
const THREE: [(&str, u64); 3] = [("a", 1), ("b", 1), ("c", 1)];

type Group<'a> = BenchmarkGroup<'a, WallTime>;

fn slots() -> Bursar {
    let slots = ["a", "b", "c"].map(|name| Resource::semaphore(name, PERMITS));
    Bursar::builder().resources(slots).build().unwrap()
}

/// Awaits, keeps and drops what the expressions give, one after another, in a loop.
macro_rules! awaited {
    ($group:expr, $name:expr, $($taken:expr),+) => {
        $group.bench_function($name, |b| {
            b.iter_custom(|iters| {
                block_on(async {
                    let start = Instant::now();
                    for _ in 0..iters {
                        let taken = ($($taken,)+);
                        black_box(&taken);
                    }
                    start.elapsed()
                })
            });
        })
    };
}

/// A bursar, in each way of asking.
fn bursar<const N: usize>(group: &mut Group<'_>, bursar: &Bursar, demand: [(&str, u64); N]) {
    let claim = || bursar.claim(demand);
    awaited!(group, "bursar, await", claim().await.unwrap());
    let timeout = Duration::from_secs(5);
    awaited!(group, "bursar, await with a timeout", claim().timeout(timeout).await.unwrap());
    group.bench_function("bursar, blocking", |b| b.iter(|| claim().blocking().unwrap()));
    group.bench_function("bursar, try", |b| {
        b.iter(|| bursar.try_claim(demand).unwrap().expect("it is free"));
    });
    assert_eq!(bursar.leases(), 0);
}

/// The ledger alone: no lock, no names, no lease.
fn ledger(group: &mut Group<'_>, resources: usize) {
    let mut ledger = Ledger::new(Policy::default());
    let ids = common::semaphores(&mut ledger, resources as u32, PERMITS);
    let demand: Vec<_> = ids.into_iter().map(|id| (id, 1)).collect();
    let options = ClaimOptions::default();
    group.bench_function("bursar, ledger alone", |b| {
        b.iter(|| {
            let claimed = ledger.claim(black_box(&demand), &options).unwrap();
            assert!(matches!(claimed, Claimed::Granted(_)));
            ledger.release(claimed.ticket()).unwrap();
        });
    });
}

/// Tokio's semaphores: one, or three in sequence.
fn tokio_one(group: &mut Group<'_>) {
    let a = Arc::new(tokio::sync::Semaphore::new(MANY));
    awaited!(group, "tokio, acquire", a.acquire().await.unwrap());
    awaited!(group, "tokio, acquire_owned", a.clone().acquire_owned().await.unwrap());
    group.bench_function("tokio, try_acquire", |b| b.iter(|| a.try_acquire().unwrap()));
    assert_eq!(a.available_permits(), MANY);
}

fn tokio_three(group: &mut Group<'_>) {
    let [a, b, c] = [(); 3].map(|()| Arc::new(tokio::sync::Semaphore::new(MANY)));
    awaited!(
        group,
        "tokio, acquire",
        a.acquire().await.unwrap(),
        b.acquire().await.unwrap(),
        c.acquire().await.unwrap()
    );
    awaited!(
        group,
        "tokio, acquire_owned",
        a.clone().acquire_owned().await.unwrap(),
        b.clone().acquire_owned().await.unwrap(),
        c.clone().acquire_owned().await.unwrap()
    );
    group.bench_function("tokio, try_acquire", |bencher| {
        bencher.iter(|| {
            (a.try_acquire().unwrap(), b.try_acquire().unwrap(), c.try_acquire().unwrap())
        });
    });
    assert!([a, b, c].iter().all(|semaphore| semaphore.available_permits() == MANY));
}

fn async_lock_one(group: &mut Group<'_>) {
    let a = async_lock::Semaphore::new(MANY);
    awaited!(group, "async-lock, acquire", a.acquire().await);
    group.bench_function("async-lock, try_acquire", |b| b.iter(|| a.try_acquire().unwrap()));
}

fn async_lock_three(group: &mut Group<'_>) {
    let [a, b, c] = [(); 3].map(|()| async_lock::Semaphore::new(MANY));
    awaited!(group, "async-lock, acquire", a.acquire().await, b.acquire().await, c.acquire().await);
    group.bench_function("async-lock, try_acquire", |bencher| {
        bencher.iter(|| {
            (a.try_acquire().unwrap(), b.try_acquire().unwrap(), c.try_acquire().unwrap())
        });
    });
}

/// The least that any limit shared by threads can be: counters under one lock.
fn counters<const N: usize>(group: &mut Group<'_>) {
    let counters = Mutex::new([PERMITS; N]);
    group.bench_function("std Mutex", |b| {
        b.iter(|| {
            let mut free = counters.lock().unwrap();
            assert!(free.iter().all(|&free| free >= 1));
            free.iter_mut().for_each(|free| *free -= black_box(1));
            drop(free);
            let mut free = counters.lock().unwrap();
            free.iter_mut().for_each(|free| *free += black_box(1));
        });
    });
    assert_eq!(*counters.lock().unwrap(), [PERMITS; N]);
}

fn semaphores(c: &mut Criterion) {
    let mut group = c.benchmark_group("uncontended, 1 resource");
    bursar(&mut group, &slots(), ONE);
    ledger(&mut group, 1);
    tokio_one(&mut group);
    async_lock_one(&mut group);
    counters::<1>(&mut group);
    group.finish();

    let mut group = c.benchmark_group("uncontended, 3 resources");
    bursar(&mut group, &slots(), THREE);
    ledger(&mut group, 3);
    tokio_three(&mut group);
    async_lock_three(&mut group);
    counters::<3>(&mut group);
    group.finish();
}

fn governor_with<C: Clock>(group: &mut Group<'_>, name: &str, clock: C) {
    let per_second = NonZeroU32::new(FAST).unwrap();
    let limiter = RateLimiter::direct_with_clock(Quota::per_second(per_second), clock);
    group.bench_function(name, |b| b.iter(|| assert!(black_box(&limiter).check().is_ok())));
}

/// Tokens are spent by the claim; the release gives nothing back.
fn rates(c: &mut Criterion) {
    let mut group = c.benchmark_group("uncontended, a rate");
    let bucket = |name| Resource::token_bucket(name, f64::from(FAST), FAST.into());
    let api = Bursar::builder().resource(bucket("a")).build().unwrap();
    bursar(&mut group, &api, ONE);

    let mut ledger = Ledger::new(Policy::default());
    let rate = Rate::per_second(f64::from(FAST)).unwrap();
    // No time passes: the bucket has to last.
    let limit = Limit::token_bucket(rate, bursar::ledger::MAX_UNITS).unwrap();
    let id = ledger.define("a", limit).unwrap();
    let options = ClaimOptions::default();
    group.bench_function("bursar, ledger alone", |b| {
        b.iter(|| {
            let claimed = ledger.claim(black_box(&[(id, 1)]), &options).unwrap();
            assert!(matches!(claimed, Claimed::Granted(_)));
            ledger.release(claimed.ticket()).unwrap();
        });
    });

    governor_with(&mut group, "governor, quanta clock", QuantaClock::default());
    governor_with(&mut group, "governor, std clock", MonotonicClock);
    // At one unit a nanosecond, this is the time that the loop needs, and takes no time to tell.
    let clock = FakeRelativeClock::default();
    let quota = Quota::per_second(NonZeroU32::new(FAST).unwrap());
    let limiter = RateLimiter::direct_with_clock(quota, clock.clone());
    group.bench_function("governor, clock by hand", |b| {
        b.iter_custom(|iters| {
            clock.advance(Duration::from_nanos(iters));
            let start = Instant::now();
            for _ in 0..iters {
                assert!(black_box(&limiter).check().is_ok());
            }
            start.elapsed()
        });
    });
    group.bench_function("Instant::now", |b| b.iter(Instant::now));
    group.finish();

    let mut group = c.benchmark_group("uncontended, slots and a rate");
    let slots = ["a", "b"].map(|name| Resource::semaphore(name, PERMITS));
    let mixed = Bursar::builder().resources(slots).resource(bucket("c")).build().unwrap();
    bursar(&mut group, &mixed, THREE);
    group.finish();
}

criterion_group! { name = benches; config = common::settings(); targets = semaphores, rates }
criterion_main!(benches);
