//! Threads that claim and release as fast as they can: time per claim, all threads together.
//!
//! On *one* permit every claim fights for it. A fair order hands it to the thread that has waited
//! longest, which has to be woken first; without an order the running thread takes it again. On *plenty*
//! of permits only the lock is fought for. Peers that hand over fairly stand beside `fair`, the others
//! beside `greedy`.

mod common;

use std::hint::black_box;
use std::sync::{Barrier, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use futures_lite::future::block_on;

use bursar::ledger::Order;
use bursar::{Bursar, Resource};

use self::common::dice::Dice;

const THREADS: [u64; 3] = [2, 4, 8];
const ORDERS: [(&str, Order); 2] = [("fair", Order::Fair), ("greedy", Order::Greedy)];

/// Lets so many threads do so many rounds together, and tells how long they take.
fn contend(threads: u64, rounds: u64, round: impl Fn(u64) + Sync) -> Duration {
    let each = rounds.div_ceil(threads);
    let start = Barrier::new(threads as usize + 1);
    let spent = thread::scope(|scope| {
        let (start, round) = (&start, &round);
        let running: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    start.wait();
                    for number in 0..each {
                        round(thread * each + number);
                    }
                })
            })
            .collect();
        start.wait();
        let started = Instant::now();
        for thread in running {
            thread.join().unwrap();
        }
        started.elapsed()
    });
    common::scale(spent, threads * each, rounds)
}

fn bench(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    threads: u64,
    round: impl Fn(u64) + Sync,
) {
    group.throughput(Throughput::Elements(1));
    group.bench_function(BenchmarkId::new(name, threads), |b| {
        b.iter_custom(|rounds| contend(threads, rounds, &round));
    });
}

/// The plainest semaphore there is, without an order.
struct Plain {
    free: Mutex<u64>,
    freed: Condvar,
}

impl Plain {
    fn acquire(&self) {
        let mut free = self.freed.wait_while(self.free.lock().unwrap(), |free| *free == 0).unwrap();
        *free -= 1;
    }

    fn release(&self) {
        *self.free.lock().unwrap() += 1;
        self.freed.notify_one();
    }
}

fn one_resource(c: &mut Criterion) {
    for plenty in [false, true] {
        let name = if plenty { "threads, plenty of permits" } else { "threads, one permit" };
        let mut group = c.benchmark_group(name);
        for threads in THREADS {
            let permits = if plenty { threads } else { 1 };
            for (name, order) in ORDERS {
                let slots = Resource::semaphore("slots", permits);
                let bursar = Bursar::builder().resource(slots).order(order).build().unwrap();
                bench(&mut group, &format!("bursar, {name}"), threads, |_| {
                    drop(black_box(bursar.claim([("slots", 1)]).blocking().unwrap()));
                });
                assert_eq!((bursar.leases(), bursar.waiting()), (0, 0));
            }
            let tokio = tokio::sync::Semaphore::new(permits as usize);
            bench(&mut group, "tokio", threads, |_| {
                drop(black_box(block_on(tokio.acquire()).unwrap()));
            });
            let async_lock = async_lock::Semaphore::new(permits as usize);
            bench(&mut group, "async-lock", threads, |_| {
                drop(black_box(async_lock.acquire_blocking()));
            });
            let plain = Plain { free: Mutex::new(permits), freed: Condvar::new() };
            bench(&mut group, "Mutex and Condvar", threads, |_| {
                plain.acquire();
                black_box(&plain);
                plain.release();
            });
        }
        group.finish();
    }
}

/// Every second claim wants the hot one of a hundred resources, the others any of the rest.
fn hundred(c: &mut Criterion) {
    let names: Vec<String> = (0..100).map(|number| format!("r{number}")).collect();
    let mut group = c.benchmark_group("threads, a hundred resources, one of them hot");
    for threads in THREADS {
        for (name, order) in ORDERS {
            let slots = names.iter().map(|name| Resource::semaphore(name, 1));
            let bursar = Bursar::builder().resources(slots).order(order).build().unwrap();
            bench(&mut group, &format!("bursar, {name}"), threads, |number| {
                let other = 1 + Dice::new(number).place(names.len() - 1);
                let place = if number % 2 == 0 { 0 } else { other };
                drop(black_box(bursar.claim([(&names[place], 1)]).blocking().unwrap()));
            });
            assert_eq!((bursar.leases(), bursar.waiting()), (0, 0));
        }
    }
    group.finish();
}

criterion_group! { name = benches; config = common::settings(); targets = one_resource, hundred }
criterion_main!(benches);
