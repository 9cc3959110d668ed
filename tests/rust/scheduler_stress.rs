//! Many threads at one scheduler, in real time: nothing is lost, and nothing overspent.

#[path = "model/dice.rs"]
mod dice;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use bursar::scheduler::{Attempt, Backoff, TaskError};
use bursar::{Resource, Scheduler};

use crate::dice::Dice;

const SECOND: Duration = Duration::from_secs(1);

fn leases(scheduler: &Scheduler) -> u32 {
    (0..scheduler.shards()).map(|shard| scheduler.bursar(shard).unwrap().leases()).sum()
}

/// On an executor of several threads, with tasks that are cancelled, dropped and timed out, and pools that
/// are paused meanwhile.
#[test]
fn whatever_is_done_to_them_all_tasks_end() {
    const TASKS: u32 = 1_500;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_time()
        .build()
        .unwrap();
    let scheduler = Scheduler::builder()
        .resource(Resource::semaphore("gpu", 3))
        .resource(Resource::token_bucket("api", 100_000.0, 10))
        .resource_of(1, Resource::semaphore("db", 2))
        .pool("render", 2)
        .pool("open", None)
        .build()
        .unwrap();
    let (over, rendering) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
    let nuisance = thread::spawn({
        let (scheduler, over) = (scheduler.clone(), over.clone());
        move || {
            while !over.load(Ordering::SeqCst) {
                for pool in ["render", "open"] {
                    scheduler.pause(pool).unwrap();
                    thread::yield_now();
                    scheduler.resume(pool).unwrap();
                }
                thread::sleep(Duration::from_micros(200));
            }
        }
    });
    let mut spawned = Vec::new();
    for number in 0..TASKS {
        let mut dice = Dice::new(number.into());
        let rendering = rendering.clone();
        let render = dice.one_in(2);
        let yields = dice.pick(&[0, 1, 2]);
        let body = move |attempt: Attempt| {
            let rendering = rendering.clone();
            async move {
                if render {
                    assert!(rendering.fetch_add(1, Ordering::SeqCst) < 2);
                }
                for _ in 0..yields {
                    tokio::task::yield_now().await;
                }
                if number % 50 == 0 {
                    attempt.aborted().await;
                }
                if render {
                    rendering.fetch_sub(1, Ordering::SeqCst);
                }
                if number % 4 == attempt.number() { Err("again") } else { Ok(number) }
            }
        };
        let mut task = scheduler.submit(body).priority(dice.below(4) as i32).attempts(5);
        task = task.backoff(Backoff::new(Duration::from_micros(100), SECOND));
        task = match (render, dice.below(3)) {
            (true, 0) => task.pool("render"),
            (true, _) => task.pool("render").resource("gpu", dice.within(1, 3)),
            (false, 0) => task.pool("open").resource("api", 1).resource("gpu", 1),
            (false, _) => task.pool("open").resource("db", 1),
        };
        if number % 50 == 0 {
            task = task.attempts(2).timeout(Duration::from_micros(300));
        }
        let task = task.start().unwrap();
        if dice.one_in(20) {
            drop(task);
            continue;
        }
        let handle = task.handle();
        spawned.push(runtime.spawn(task));
        if dice.one_in(10) {
            handle.cancel();
        }
    }
    for (place, task) in spawned.into_iter().enumerate() {
        match runtime.block_on(task).unwrap() {
            Ok(number) => assert!(number as usize >= place),
            Err(TaskError::Cancelled | TaskError::TimedOut { .. }) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    over.store(true, Ordering::SeqCst);
    nuisance.join().unwrap();
    runtime.block_on(scheduler.idle());
    assert_eq!((scheduler.tasks(), leases(&scheduler)), (0, 0));
    assert!(scheduler.counters().dispatched > u64::from(TASKS) / 2);
}

#[test]
fn many_threads_submit_and_nothing_is_lost() {
    let scheduler = Scheduler::builder()
        .resource(Resource::semaphore("gpu", 2))
        .resource_of(1, Resource::semaphore("db", 1))
        .pool("render", 2)
        .build()
        .unwrap();
    let (inside, done) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    thread::scope(|scope| {
        for thread in 0..4 {
            let (scheduler, inside, done) = (&scheduler, &inside, &done);
            scope.spawn(move || {
                for number in 0..200 {
                    let (inside, done) = (inside.clone(), done.clone());
                    let body = move |attempt: Attempt| {
                        if thread % 2 == 0 {
                            assert!(inside.fetch_add(1, Ordering::SeqCst) < 2);
                            inside.fetch_sub(1, Ordering::SeqCst);
                        }
                        if attempt.number() == 1 && number % 3 == 0 {
                            return Err("again");
                        }
                        done.fetch_add(1, Ordering::SeqCst);
                        Ok(())
                    };
                    let task = scheduler.submit_blocking(body).attempts(2);
                    let task = task.backoff(Backoff::new(Duration::from_micros(50), SECOND));
                    let task = if thread % 2 == 0 {
                        task.pool("render").resource("gpu", 1).priority(number % 5)
                    } else {
                        task.resource("db", 1)
                    };
                    let task = task.start().unwrap();
                    if number % 7 == 0 {
                        task.blocking().unwrap();
                    }
                }
            });
        }
    });
    scheduler.idle().blocking();
    assert_eq!(done.load(Ordering::SeqCst), 800);
    let counters = scheduler.counters();
    assert_eq!((counters.dispatched, counters.retried), (800 + 4 * 67, 4 * 67));
    assert_eq!((counters.failed, scheduler.tasks(), leases(&scheduler)), (0, 0, 0));
}
