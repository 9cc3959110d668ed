//! The timer thread, in real time: it comes when something is due and goes when nothing is.
//!
//! One test, in steps: the threads of the process are counted. All waits are bounded from below only,
//! so that a busy machine makes it slower and not wrong.
#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use bursar::{Bursar, Error, Resource};

use self::common::{Bell, block_on, poll, poll_with, ready, until};

const HOUR: Duration = Duration::from_hours(1);
const SHORT: Duration = Duration::from_millis(20);

/// Threads of this process that are timers of ours.
fn timers() -> usize {
    let threads = fs::read_dir("/proc/self/task").unwrap();
    let names =
        threads.filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("comm")).ok());
    names.filter(|name| name.trim() == "bursar timer").count()
}

fn bursar() -> Bursar {
    Bursar::builder()
        .resource(Resource::semaphore("slots", 1))
        .resource(Resource::token_bucket("api", 50.0, 1))
        .build()
        .unwrap()
}

struct Mean(AtomicUsize);

impl Wake for Mean {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
        std::panic::resume_unwind(Box::new("mean"));
    }
}

#[test]
fn the_timer_is_there_only_while_something_is_due() {
    let main = bursar();

    // Nothing that is granted at once needs it, a timeout or a bucket notwithstanding.
    for _ in 0..100 {
        drop(main.claim([("slots", 1)]).timeout(HOUR).blocking().unwrap());
    }
    drop(main.try_claim([("api", 1)]).unwrap().unwrap());
    assert_eq!(timers(), 0);

    // It refills for threads and for tasks.
    let start = Instant::now();
    drop(main.claim([("api", 1)]).blocking().unwrap());
    drop(block_on(main.claim([("api", 1)]).into_future()).unwrap());
    drop(main.claim([("api", 1)]).blocking().unwrap());
    // Three units in a window of length t: 3 <= burst + rate * t.
    assert!(start.elapsed() >= Duration::from_millis(39), "{:?}", start.elapsed());
    until(|| timers() == 0);

    // It ends waits.
    let held = main.try_claim([("slots", 1)]).unwrap().unwrap();
    let start = Instant::now();
    let timed_out = main.claim([("slots", 1)]).timeout(SHORT).blocking();
    assert_eq!(timed_out.unwrap_err(), Error::Timeout { timeout: SHORT });
    assert!(start.elapsed() >= SHORT);

    // A wait that ends early takes its timer along; it does not stay for the hour.
    let (bell, waker) = Bell::new();
    let mut long = main.claim([("slots", 1)]).timeout(HOUR).into_future();
    assert!(poll_with(&mut long, &waker).is_pending());
    until(|| timers() == 1);
    thread::sleep(2 * Duration::from_millis(100));
    assert_eq!((timers(), main.waiting(), bell.rings()), (1, 1, 0), "it stays while needed");
    held.release().unwrap();
    drop(ready(&mut long).unwrap());
    until(|| timers() == 0);

    // An earlier moment moves it forward, a later one does not keep it from coming.
    let held = main.claim([("slots", 1)]).ttl(HOUR).blocking().unwrap();
    let mut long = main.claim([("slots", 1)]).timeout(HOUR).into_future();
    assert!(poll(&mut long).is_pending());
    let timed_out = main.claim([("slots", 1)]).timeout(SHORT).blocking();
    assert_eq!(timed_out.unwrap_err(), Error::Timeout { timeout: SHORT });
    drop(long);
    drop(held);
    until(|| timers() == 0);

    // It takes back what was held too long.
    let lost = main.claim([("slots", 1)]).ttl(SHORT).blocking().unwrap();
    let next = main.claim([("slots", 1)]).blocking().unwrap();
    block_on(lost.lost());
    assert_eq!(lost.release(), Err(Error::Lapsed));

    // A waker that panics on it does not stop it.
    let mean = Arc::new(Mean(AtomicUsize::new(0)));
    let mut claim = main.claim([("slots", 1)]).timeout(SHORT).into_future();
    assert!(poll_with(&mut claim, &Waker::from(mean.clone())).is_pending());
    until(|| mean.0.load(Ordering::SeqCst) == 1);
    assert!(ready(&mut claim).is_err());
    let timed_out = main.claim([("slots", 1)]).timeout(SHORT).blocking();
    assert_eq!(timed_out.unwrap_err(), Error::Timeout { timeout: SHORT });
    drop(next);

    // The last handle takes it along, though something is due.
    let lease = main.claim([("slots", 1)]).ttl(HOUR).blocking().unwrap();
    until(|| timers() == 1);
    drop(main);
    assert_eq!(timers(), 1, "the lease lives");
    drop(lease);
    until(|| timers() == 0);

    // Bursars that come and go leave nothing behind.
    for _ in 0..50 {
        let one = bursar();
        let held = one.claim([("slots", 1)]).ttl(HOUR).blocking().unwrap();
        drop(one);
        drop(held);
    }
    until(|| timers() == 0);
}
