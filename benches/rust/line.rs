//! The line: what it costs to join it, to be granted from it, to leave it and to expire in it, however
//! many wait. One to three of eight resources, released one lease at a time.
//!
//! A grant is a release and what follows from it, divided by the parked claims that it granted.

mod common;

use std::cell::LazyCell;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};

use bursar::ledger::{Order, Policy};

use self::common::bench;
use self::common::demands::Variety;
use self::common::parked::Parked;
use self::common::queue::{self, Queue};

type Group<'a> = BenchmarkGroup<'a, WallTime>;

fn id(function: &str, size: u32) -> BenchmarkId {
    BenchmarkId::new(function, size)
}

/// The whole of the line. A population is made once, when a case asks for it.
fn line(c: &mut Criterion) {
    for size in common::sizes() {
        for variety in Variety::ALL {
            for prioritised in [false, true] {
                let with = if prioritised { ", priorities" } else { "" };
                let mut group = c.benchmark_group(format!("line, {}{with}", variety.name()));
                let make = || variety.workload(Policy::default(), prioritised);

                let mut parked = LazyCell::new(|| Parked::new(make(), size));
                bench(&mut group, id("park", size), &mut parked, Parked::park);
                bench(&mut group, id("grant", size), &mut parked, Parked::grant);
                bench(&mut group, id("cancel", size), &mut parked, Parked::cancel);
                drop(parked);

                let mut parked = LazyCell::new(|| Parked::with_deadlines(make(), size));
                bench(&mut group, id("expire", size), &mut parked, Parked::expire);
                group.finish();
            }
        }
    }
}

/// The same under other rules than the usual ones.
fn policies(c: &mut Criterion) {
    let policies = [
        ("strict", Policy { max_bypass: Some(0), ..Policy::default() }),
        ("unbounded", Policy { max_bypass: None, ..Policy::default() }),
        ("newest", Policy { order: Order::Newest, ..Policy::default() }),
        ("greedy", Policy { order: Order::Greedy, ..Policy::default() }),
    ];
    let size = common::most().min(100_000);
    for (name, policy) in policies {
        let mut group = c.benchmark_group(format!("line, {name}"));
        for variety in [Variety::Few, Variety::Endless] {
            let mut parked = LazyCell::new(|| Parked::new(variety.workload(policy, false), size));
            let id = BenchmarkId::new(format!("grant, {}", variety.name()), size);
            bench(&mut group, id, &mut parked, Parked::grant);
        }
        group.finish();
    }
}

/// Futures of one semaphore, beside tokio's.
fn futures(c: &mut Criterion) {
    fn all<F: Future>(group: &mut Group<'_>, name: &str, size: u32, make: fn(u32) -> Queue<F>) {
        let mut queue = LazyCell::new(|| make(size));
        let id = |what: &str| BenchmarkId::new(format!("{name}, {what}"), size);
        bench(group, id("park"), &mut queue, Queue::park);
        bench(group, id("grant"), &mut queue, Queue::grant);
        bench(group, id("cancel"), &mut queue, Queue::cancel);
    }
    for size in common::sizes() {
        let mut group = c.benchmark_group("futures of one permit");
        all(&mut group, "bursar", size, queue::of_bursar);
        all(&mut group, "tokio", size, queue::of_tokio);
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = common::settings();
    targets = futures, line, policies
}
criterion_main!(benches);
