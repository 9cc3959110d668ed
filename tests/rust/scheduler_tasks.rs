//! Tasks as users meet them: futures and threads, panics, timeouts, cancelling, shutting down.

mod common;

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use bursar::scheduler::{Backoff, Error, Shutdown, State, TaskError};
use bursar::{ManualClock, Resource, Scheduler};

use crate::common::{block_on, poll, ready, until};

const SECOND: Duration = Duration::from_secs(1);

fn gpu(permits: u64) -> Scheduler {
    Scheduler::builder().resource(Resource::semaphore("gpu", permits)).build().unwrap()
}

fn held(scheduler: &Scheduler) -> u64 {
    scheduler.bursar(0).unwrap().held("gpu").unwrap()
}

#[test]
fn a_future_runs_when_it_is_polled_and_gives_back_before_its_result_is_there() {
    let scheduler = gpu(1);
    let own = scheduler.clone();
    let mut task = scheduler
        .submit(move |_| {
            let own = own.clone();
            async move { Ok::<_, String>(held(&own)) }
        })
        .resource("gpu", 1)
        .start()
        .unwrap();
    assert_eq!((task.state(), held(&scheduler)), (State::Ready, 1));
    assert_eq!(ready(&mut task).unwrap(), 1);
    assert_eq!((task.state(), held(&scheduler)), (State::Done, 0));
}

#[test]
fn a_parked_future_says_what_it_is_short_of_and_where_it_stands() {
    let scheduler = Scheduler::builder()
        .resource(Resource::semaphore("gpu", 1))
        .pool("render", 1)
        .build()
        .unwrap();
    let submit = |priority| {
        let task = scheduler.submit(|_| async { Ok::<_, String>(()) });
        task.pool("render").resource("gpu", 1).priority(priority).start().unwrap()
    };
    let mut first = submit(0);
    let (low, high) = (submit(0), submit(1));
    let short_of = vec!["gpu".to_owned(), "pool:render".to_owned()];
    assert_eq!(low.state(), State::Parked { short_of });
    assert_eq!((high.handle().position(), low.handle().position()), (Some(0), Some(1)));
    ready(&mut first).unwrap();
    assert_eq!((high.state(), low.handle().position()), (State::Ready, Some(0)));
}

#[test]
fn a_dropped_future_leaves_the_line_or_gives_back_what_it_holds() {
    let scheduler = gpu(1);
    let submit = || {
        let task = scheduler.submit(|_| std::future::pending::<Result<(), String>>());
        task.resource("gpu", 1).start().unwrap()
    };
    let (mut running, parked, mut last) = (submit(), submit(), submit());
    assert!(poll(&mut running).is_pending());
    drop(parked);
    drop(running);
    assert!(poll(&mut last).is_pending());
    assert_eq!((last.state(), scheduler.tasks()), (State::Running, 1));
    drop(last);
    assert_eq!((held(&scheduler), scheduler.tasks(), scheduler.counters().failed), (0, 0, 0));
}

#[test]
fn a_panic_gives_the_units_back_and_is_handed_over() {
    let scheduler = gpu(1);
    let submission = scheduler.submit_blocking(|_| -> Result<(), String> { panic!("at {}", 7) });
    let error = submission.resource("gpu", 1).attempts(3).start().unwrap().blocking().unwrap_err();
    let TaskError::Panicked(panic) = error else { panic!("{error:?}") };
    assert_eq!(panic.message().as_deref(), Some("at 7"));

    let body = |_| async { Err::<(), _>("").inspect_err(|_| panic!("in a future")) };
    let task = scheduler.submit(body).resource("gpu", 1).start().unwrap();
    let error = block_on(task).unwrap_err();
    assert_eq!(error.to_string(), "the task panicked: in a future");
    let counters = scheduler.counters();
    assert_eq!((held(&scheduler), counters.dispatched, counters.failed), (0, 2, 2));
}

#[test]
fn a_panic_of_retry_if_is_a_panic_of_the_task() {
    let scheduler = gpu(1);
    let submission = scheduler.submit_blocking(|_| Err::<(), _>("no"));
    let submission = submission.attempts(2).retry_if(|_| panic!("of two minds"));
    let error = submission.start().unwrap().blocking().unwrap_err();
    assert!(matches!(error, TaskError::Panicked(_)), "{error:?}");
    scheduler.idle().blocking();
}

#[test]
fn a_failure_is_tried_again_and_the_last_one_handed_over() {
    let clock = ManualClock::new();
    let scheduler = Scheduler::builder().clock(&clock).random(|| u64::MAX).build().unwrap();
    let task = scheduler.submit(|attempt| async move { Err::<(), _>(attempt.number()) });
    let backoff = Backoff::new(SECOND, 10 * SECOND);
    let mut task =
        task.attempts(3).backoff(backoff).retry_if(|number| *number < 3).start().unwrap();
    assert!(poll(&mut task).is_pending());
    clock.advance(Duration::from_millis(999));
    assert_eq!(task.state(), State::BackingOff);
    clock.advance(Duration::from_millis(1));
    assert_eq!(task.state(), State::Ready);
    assert!(poll(&mut task).is_pending());
    clock.advance(2 * SECOND);
    assert!(matches!(ready(&mut task), Err(TaskError::Failed(3))));
    assert_eq!(scheduler.counters().retried, 2);
}

#[test]
fn a_timeout_tells_the_body_and_waits_for_its_end() {
    let clock = ManualClock::new();
    let slots = Resource::semaphore("gpu", 1);
    let scheduler = Scheduler::builder().resource(slots).clock(&clock).build().unwrap();
    let finished = Arc::new(AtomicU32::new(0));
    let own = finished.clone();
    let task = scheduler.submit(move |attempt| {
        let own = own.clone();
        async move {
            attempt.aborted().await;
            assert!(attempt.is_aborted());
            own.fetch_add(1, Ordering::SeqCst);
            Ok::<_, String>("too late")
        }
    });
    let mut task = task.resource("gpu", 1).timeout(SECOND).start().unwrap();
    assert!(poll(&mut task).is_pending());
    clock.advance(SECOND);
    assert_eq!((held(&scheduler), task.state()), (1, State::Running));
    let Poll::Ready(Err(TaskError::TimedOut { timeout })) = poll(&mut task) else { panic!() };
    assert_eq!((timeout, finished.load(Ordering::SeqCst), held(&scheduler)), (SECOND, 1, 0));
}

#[test]
fn real_timeouts_and_backoffs_need_nobody_to_call() {
    let scheduler = gpu(1);
    let task = scheduler.submit_blocking(|attempt| {
        if attempt.number() == 1 {
            until(|| attempt.is_aborted());
            return Err("aborted");
        }
        Ok(attempt.number())
    });
    let backoff = Backoff::new(Duration::from_millis(2), SECOND);
    let task = task.timeout(Duration::from_millis(5)).backoff(backoff);
    let result = task.resource("gpu", 1).attempts(20).start().unwrap().blocking();
    assert!(result.unwrap() >= 2);
}

#[test]
fn blocking_bodies_run_on_as_many_threads_as_run_at_one_time() {
    let scheduler = gpu(3);
    let threads = Arc::new(Mutex::new(HashSet::new()));
    let running = Arc::new(AtomicU32::new(0));
    let submit = |_| {
        let (threads, running) = (threads.clone(), running.clone());
        let body = move |_| {
            threads.lock().unwrap().insert(thread::current().id());
            assert!(running.fetch_add(1, Ordering::SeqCst) < 3);
            thread::yield_now();
            running.fetch_sub(1, Ordering::SeqCst);
            Ok::<_, String>(())
        };
        scheduler.submit_blocking(body).resource("gpu", 1).start().unwrap()
    };
    let tasks: Vec<_> = (0..300).map(submit).collect();
    for task in tasks {
        task.blocking().unwrap();
    }
    let threads = threads.lock().unwrap().len();
    assert!(threads <= 4, "{threads} threads"); // one may have been ending its last body
}

#[test]
fn a_blocking_task_runs_without_anybody_waiting_for_it() {
    let scheduler = gpu(1);
    let (done, told) = mpsc::channel();
    for number in 0..10 {
        let done = done.clone();
        let task = scheduler.submit_blocking(move |_| done.send(number));
        drop(task.resource("gpu", 1).start().unwrap());
    }
    scheduler.idle().blocking();
    assert_eq!(told.try_iter().collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
}

#[test]
fn futures_and_threads_wait_in_one_line() {
    let scheduler = gpu(1);
    let (release, wait) = mpsc::channel();
    let wait = Mutex::new(wait);
    let holder = scheduler.submit_blocking(move |_| wait.lock().unwrap().recv());
    let holder = holder.resource("gpu", 1).start().unwrap();
    until(|| holder.state() == State::Running);
    let order = Arc::new(Mutex::new(Vec::new()));
    let own = order.clone();
    let future = scheduler.submit(move |_| {
        own.lock().unwrap().push("future");
        async { Ok::<_, String>(()) }
    });
    let future = future.resource("gpu", 1).priority(1).start().unwrap();
    let own = order.clone();
    let closure = scheduler.submit_blocking(move |_| {
        own.lock().unwrap().push("closure");
        Ok::<_, String>(())
    });
    let closure = closure.resource("gpu", 1).priority(2).start().unwrap();
    release.send(()).unwrap();
    block_on(future).unwrap();
    block_on(closure).unwrap();
    block_on(holder).unwrap();
    assert_eq!(*order.lock().unwrap(), ["closure", "future"]);
}

#[test]
fn a_cancelled_task_tells_those_who_wait_for_it() {
    let scheduler = gpu(1);
    let lease = scheduler.bursar(0).unwrap().claim([("gpu", 1)]).blocking().unwrap();
    let task = scheduler.submit_blocking(|_| Ok::<_, String>(())).resource("gpu", 1);
    let task = task.start().unwrap();
    let handle = task.handle();
    let waiting = thread::spawn(move || task.blocking());
    assert!(handle.cancel());
    assert!(matches!(waiting.join().unwrap(), Err(TaskError::Cancelled)));
    assert!(!handle.cancel());
    assert_eq!(handle.state(), State::Done);
    drop(lease);
    assert_eq!(scheduler.counters().dispatched, 0);
}

#[test]
fn a_shutdown_drains_or_drops() {
    let scheduler = gpu(1);
    let lease = scheduler.bursar(0).unwrap().claim([("gpu", 1)]).blocking().unwrap();
    let submit = || scheduler.submit_blocking(|_| Ok::<_, String>(())).resource("gpu", 1).start();
    let served = submit().unwrap();
    let drained = scheduler.shutdown(Shutdown::Drain);
    assert_eq!(submit().unwrap_err(), Error::Closed);
    drop(lease);
    drained.blocking();
    served.blocking().unwrap();

    let scheduler = gpu(1);
    let _lease = scheduler.bursar(0).unwrap().claim([("gpu", 1)]).blocking().unwrap();
    let task = scheduler.submit_blocking(|_| Ok::<_, String>(())).resource("gpu", 1);
    let task = task.start().unwrap();
    scheduler.shutdown(Shutdown::Drop).blocking();
    assert!(matches!(task.blocking(), Err(TaskError::Dropped)));
}

#[test]
fn whoever_waits_for_a_task_that_is_forgotten_is_told() {
    let scheduler = gpu(1);
    let bursar = scheduler.bursar(0).unwrap().clone();
    let lease = bursar.claim([("gpu", 1)]).blocking().unwrap();
    let alive = Arc::new(());
    let own = alive.clone();
    let task = scheduler.submit_blocking(move |_| Ok::<_, String>(Arc::strong_count(&own)));
    drop(task.resource("gpu", 1).start().unwrap());
    assert_eq!((Arc::strong_count(&alive), bursar.waiting()), (2, 1));
    drop(scheduler);
    assert_eq!((Arc::strong_count(&alive), bursar.waiting()), (1, 0), "nothing is left");
    drop(lease);
}

#[test]
fn shards_have_lines_of_their_own() {
    let builder = Scheduler::builder().resource_of(0, Resource::semaphore("a", 1));
    let builder = builder.resource_of(1, Resource::semaphore("b", 1)).pool_of(1, "writes", 1);
    let scheduler = builder.build().unwrap();
    let submit = || scheduler.submit_blocking(|_| Ok::<_, String>(()));
    let refused = submit().resources([("a", 1), ("b", 1)]).start().unwrap_err();
    assert_eq!(refused, Error::OtherShard { name: "b".to_owned(), belongs_to: 1, task: 0 });
    assert_eq!(
        refused.to_string(),
        "\"b\" belongs to shard 1, and the task to shard 0; a task can only use what is of its own \
         shard"
    );
    let refused = submit().pool("writes").resource("a", 1).start().unwrap_err();
    assert_eq!(refused, Error::OtherShard { name: "a".to_owned(), belongs_to: 0, task: 1 });
    submit().pool("writes").resource("b", 1).start().unwrap().blocking().unwrap();
    assert_eq!(scheduler.resource_counters("b").unwrap().dispatched, 1);
    assert_eq!(scheduler.pool_counters("writes").unwrap().dispatched, 1);
    assert_eq!(scheduler.shards(), 2);
}

#[test]
fn a_future_that_is_polled_late_shows_as_an_inversion() {
    let scheduler = gpu(2);
    let submit = |priority| {
        let task = scheduler.submit(|_| async { Ok::<_, String>(()) });
        task.resource("gpu", 1).priority(priority).start().unwrap()
    };
    let (mut urgent, mut other) = (submit(1), submit(0));
    ready(&mut other).unwrap();
    ready(&mut urgent).unwrap();
    assert_eq!(scheduler.counters().inversions, 1);
    assert_eq!(scheduler.resource_counters("gpu").unwrap().inversions, 1);
}

#[test]
fn a_pause_takes_back_what_has_not_started() {
    let scheduler = Scheduler::builder()
        .resource(Resource::semaphore("gpu", 1))
        .pool("render", 1)
        .build()
        .unwrap();
    let submit = |pool| {
        let task = scheduler.submit(|_| async { Ok::<_, String>(()) });
        task.pool(pool).resource("gpu", 1).start().unwrap()
    };
    let (mut paused, mut other) = (submit("render"), submit("default"));
    scheduler.pause("render").unwrap();
    assert!(poll(&mut paused).is_pending(), "though its start was announced");
    assert_eq!((paused.state(), other.state()), (State::Paused, State::Ready));
    scheduler.resume("render").unwrap();
    assert_eq!(paused.handle().position(), Some(0));
    ready(&mut other).unwrap();
    ready(&mut paused).unwrap();
    assert_eq!(scheduler.counters().inversions, 0);
}

#[test]
fn a_pool_can_be_resized() {
    let scheduler = Scheduler::builder().pool("render", 1).pool("open", None).build().unwrap();
    let submit = || {
        let task = scheduler.submit(|_| async { Ok::<_, String>(()) });
        task.pool("render").start().unwrap()
    };
    let tasks = [submit(), submit(), submit()];
    scheduler.resize_pool("render", 2).unwrap();
    let states = tasks.each_ref().map(bursar::scheduler::Task::state);
    let short_of = vec!["pool:render".to_owned()];
    assert_eq!(states, [State::Ready, State::Ready, State::Parked { short_of }]);
    let error = scheduler.resize_pool("open", 2).unwrap_err();
    assert_eq!(error, Error::NoConcurrency { name: "open".to_owned() });
    let error = scheduler.resize_pool("rendr", 2).unwrap_err();
    let known = "there is no pool \"rendr\"; there is \"default\", \"render\", \"open\"";
    assert_eq!(error.to_string(), known);
}

#[test]
fn what_cannot_be_is_refused_where_it_is_built() {
    let message = |builder: bursar::scheduler::Builder| builder.build().unwrap_err().to_string();
    let resource = |name: &str| Scheduler::builder().resource(Resource::semaphore(name, 1));
    assert_eq!(
        message(resource("pool:x")),
        "resource \"pool:x\": names that begin with \"pool:\" are kept for the pools' semaphores"
    );
    let twice = "resource \"gpu\": there is one of this name already";
    assert_eq!(message(resource("gpu").resource(Resource::semaphore("gpu", 2))), twice);
    let none = "pool \"x\": the capacity is 0; it must be 1 to 9007199254740991";
    assert_eq!(message(Scheduler::builder().pool("x", 0)), none);
    let far = "resource \"gpu\": the shard is 1024; it must be 0 to 1023";
    let builder = Scheduler::builder().resource_of(1024, Resource::semaphore("gpu", 1));
    assert_eq!(message(builder), far);
    Scheduler::builder().pool("default", 3).build().unwrap();
}
