//! Two threads that submit tasks and run them: time per task, both threads together.
//!
//! Each thread has a resource of its own, so no task ever waits for another. In *one shard* both resources
//! are of the same ledger, behind the same lock; in *two shards* nothing is shared. What the body does
//! makes no difference to the scheduler, but the more it does, the less matters what the scheduler costs.

mod common;

use std::hint::spin_loop;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use futures_lite::future::block_on;

use bursar::{Resource, Scheduler};

const THREADS: u64 = 2;
const NAMES: [&str; THREADS as usize] = ["a", "b"];

fn scheduler(shards: u32) -> Scheduler {
    let builder = (0..).zip(NAMES).fold(Scheduler::builder(), |builder, (place, name)| {
        builder.resource_of(place % shards, Resource::semaphore(name, 1))
    });
    builder.build().unwrap()
}

/// Has each thread run its half of so many tasks.
fn run(scheduler: &Scheduler, tasks: u64, work: u32) -> Duration {
    let (start, each) = (Barrier::new(NAMES.len()), tasks.div_ceil(THREADS));
    let spans: Vec<_> = thread::scope(|scope| {
        let threads = NAMES.map(|name| {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                let started = Instant::now();
                for _ in 0..each {
                    let task = scheduler.submit(|_| async move {
                        (0..work).for_each(|_| spin_loop());
                        Ok::<_, String>(())
                    });
                    block_on(task.resource(name, 1).start().unwrap()).unwrap();
                }
                (started, Instant::now())
            })
        });
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let first = spans.iter().map(|&(started, _)| started).min().expect("there are threads");
    let last = spans.iter().map(|&(_, ended)| ended).max().expect("there are threads");
    common::scale(last - first, THREADS * each, tasks)
}

fn shards(c: &mut Criterion) {
    for (work, name) in [(0, "tasks that do nothing"), (1_000, "tasks of a few microseconds")] {
        let mut group = c.benchmark_group(format!("two threads, {name}"));
        group.throughput(Throughput::Elements(1));
        for count in [1, 2] {
            let scheduler = scheduler(count);
            group.bench_function(BenchmarkId::new("shards", count), |b| {
                b.iter_custom(|tasks| run(&scheduler, tasks, work));
            });
            assert_eq!((scheduler.tasks(), scheduler.counters().parked), (0, 0));
        }
        group.finish();
    }
}

criterion_group! { name = benches; config = common::settings(); targets = shards }
criterion_main!(benches);
