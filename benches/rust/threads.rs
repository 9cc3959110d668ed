//! Threads that claim and release as fast as they can: time per claim, all threads together.
//!
//! On *one* permit every claim fights for it: the holder lets others run before it releases, so that they
//! find it taken however few processors there are. A fair order hands it to the thread that has waited
//! longest, which has to be woken first; without an order the running thread takes it again. On *plenty*
//! of permits only the lock is fought for. Tokio hands over fairly as well; the others have no order.

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

/// Lets so many threads do so many rounds together, and tells how long they take: from the first that
/// starts to the last that ends, since this thread may sleep through all of it.
fn contend(threads: u64, rounds: u64, round: impl Fn(u64) + Sync) -> Duration {
    let each = rounds.div_ceil(threads);
    let start = Barrier::new(threads as usize);
    let spans = thread::scope(|scope| {
        let (start, round) = (&start, &round);
        let running = (0..threads).map(|thread| {
            scope.spawn(move || {
                start.wait();
                let started = Instant::now();
                for number in 0..each {
                    round(thread * each + number);
                }
                (started, Instant::now())
            })
        });
        let running: Vec<_> = running.collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let first = spans.iter().map(|&(started, _)| started).min().expect("there are threads");
    let last = spans.iter().map(|&(_, ended)| ended).max().expect("there are threads");
    common::scale(last - first, threads * each, rounds)
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

/// Keeps a permit, where there are not plenty of them until others have had the chance to ask for it.
fn hold<T>(permit: T, plenty: bool) {
    black_box(&permit);
    if !plenty {
        thread::yield_now();
    }
    drop(permit);
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
                    hold(bursar.claim([("slots", 1)]).blocking().unwrap(), plenty);
                });
                assert_eq!((bursar.leases(), bursar.waiting()), (0, 0));
            }
            let tokio = tokio::sync::Semaphore::new(permits as usize);
            bench(&mut group, "tokio", threads, |_| {
                hold(block_on(tokio.acquire()).unwrap(), plenty);
            });
            let async_lock = async_lock::Semaphore::new(permits as usize);
            bench(&mut group, "async-lock", threads, |_| {
                hold(async_lock.acquire_blocking(), plenty);
            });
            let plain = Plain { free: Mutex::new(permits), freed: Condvar::new() };
            bench(&mut group, "Mutex and Condvar", threads, |_| {
                plain.acquire();
                hold((), plenty);
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
                hold(bursar.claim([(&names[place], 1)]).blocking().unwrap(), false);
            });
            assert_eq!((bursar.leases(), bursar.waiting()), (0, 0));
        }
    }
    group.finish();
}

criterion_group! { name = benches; config = common::settings(); targets = one_resource, hundred }
criterion_main!(benches);
