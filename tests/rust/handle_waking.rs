//! Who is woken, when, and by which executor.

mod common;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Wake, Waker};
use std::thread;

use bursar::ledger::Order;
use bursar::{Bursar, Error, Resource};

use self::common::{Bell, block_on, poll, poll_with, ready, slots, until};

#[test]
fn threads_and_tasks_wait_in_one_line_and_are_served_in_its_order() {
    let bursar = slots(1);
    let served = Arc::new(Mutex::new(Vec::new()));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let first = bursar.try_claim([("slots", 1)]).unwrap();
    let mut threads = Vec::new();
    let mut tasks = Vec::new();
    for place in 0..12_u32 {
        let (bursar, line, served) = (bursar.clone(), bursar.clone(), served.clone());
        match place % 3 {
            0 => threads.push(thread::spawn(move || {
                let lease = bursar.claim([("slots", 1)]).blocking().unwrap();
                served.lock().unwrap().push(place);
                drop(lease);
            })),
            1 => tasks.push(runtime.spawn(async move {
                let lease = bursar.claim([("slots", 1)]).await.unwrap();
                served.lock().unwrap().push(place);
                drop(lease);
            })),
            _ => threads.push(thread::spawn(move || {
                block_on(async move {
                    let lease = bursar.claim([("slots", 1)]).await.unwrap();
                    served.lock().unwrap().push(place);
                    drop(lease);
                });
            })),
        }
        until(|| line.waiting() == place + 1);
    }
    drop(first);
    for thread in threads {
        thread.join().unwrap();
    }
    runtime.block_on(async {
        for task in tasks {
            task.await.unwrap();
        }
    });
    assert_eq!(*served.lock().unwrap(), (0..12).collect::<Vec<_>>());
}

#[test]
fn a_higher_priority_is_served_first_and_the_newest_first_if_so_ordered() {
    for (order, expected) in [(Order::Fair, [2, 3, 0, 1]), (Order::Newest, [3, 2, 1, 0])] {
        let bursar = Bursar::builder()
            .resource(Resource::semaphore("slots", 1))
            .order(order)
            .build()
            .unwrap();
        let mut held = bursar.try_claim([("slots", 1)]).unwrap();
        let mut claims: Vec<_> = [0, 0, 5, 5]
            .map(|priority| bursar.claim([("slots", 1)]).priority(priority).into_future())
            .into_iter()
            .enumerate()
            .collect();
        assert!(claims.iter_mut().all(|(_, claim)| poll(claim).is_pending()));
        let mut served = Vec::new();
        while !claims.is_empty() {
            drop(held.take());
            let mut granted = None;
            claims.retain_mut(|(place, claim)| match poll(claim) {
                std::task::Poll::Ready(lease) => {
                    granted = Some((*place, lease.unwrap()));
                    false
                }
                std::task::Poll::Pending => true,
            });
            let (place, lease) = granted.unwrap();
            served.push(place);
            held = Some(lease);
        }
        assert_eq!(served, expected, "{order:?}");
    }
}

#[test]
fn work_that_does_not_need_the_short_resource_is_not_held_up() {
    let bursar = Bursar::builder()
        .resource(Resource::semaphore("gpu", 1))
        .resource(Resource::semaphore("cpu", 4))
        .build()
        .unwrap();
    let _gpu = bursar.try_claim([("gpu", 1)]).unwrap();
    let mut both = bursar.claim([("gpu", 1), ("cpu", 1)]).into_future();
    assert!(poll(&mut both).is_pending());
    assert!(bursar.claim([("cpu", 4)]).blocking().is_ok());
}

#[test]
fn greedy_lets_a_newcomer_race_with_the_one_that_was_woken() {
    let bursar = Bursar::builder()
        .resource(Resource::semaphore("slots", 1))
        .order(Order::Greedy)
        .build()
        .unwrap();
    let held = bursar.try_claim([("slots", 1)]).unwrap();
    let (bell, waker) = Bell::new();
    let mut claim = bursar.claim([("slots", 1)]).into_future();
    assert!(poll_with(&mut claim, &waker).is_pending());
    drop(held);
    assert_eq!(bell.rings(), 1);
    let faster = bursar.try_claim([("slots", 1)]).unwrap();
    assert!(faster.is_some());
    assert!(poll_with(&mut claim, &waker).is_pending());
    drop(faster);
    assert_eq!(bell.rings(), 2, "it is woken again");
    assert!(ready(&mut claim).is_ok());
}

#[test]
fn only_the_last_waker_is_woken() {
    let bursar = slots(1);
    let held = bursar.try_claim([("slots", 1)]).unwrap();
    let ((old, old_waker), (new, new_waker)) = (Bell::new(), Bell::new());
    let mut claim = bursar.claim([("slots", 1)]).into_future();
    assert!(poll_with(&mut claim, &old_waker).is_pending());
    assert!(poll_with(&mut claim, &new_waker).is_pending());
    drop(held);
    assert_eq!((old.rings(), new.rings()), (0, 1));
    assert!(ready(&mut claim).is_ok());
}

/// A waker that uses the bursar when it is woken, and again when it is dropped.
struct Nosy(Bursar, Arc<AtomicUsize>);

impl Nosy {
    fn look(&self) {
        assert!(self.0.try_claim([("other", 1)]).unwrap().is_some());
        self.1.fetch_add(1, Ordering::SeqCst);
    }
}

impl Wake for Nosy {
    fn wake(self: Arc<Self>) {
        self.look();
    }
}

impl Drop for Nosy {
    fn drop(&mut self) {
        self.look();
    }
}

#[test]
fn wakers_are_woken_and_dropped_outside_the_lock() {
    let bursar = Bursar::builder()
        .resource(Resource::semaphore("slots", 1))
        .resource(Resource::semaphore("other", 1))
        .build()
        .unwrap();
    let looks = Arc::new(AtomicUsize::new(0));
    let nosy = || Waker::from(Arc::new(Nosy(bursar.clone(), looks.clone())));
    let seen = || looks.load(Ordering::SeqCst);

    let held = bursar.try_claim([("slots", 1)]).unwrap();
    let mut claim = bursar.claim([("slots", 1)]).into_future();
    assert!(poll_with(&mut claim, &nosy()).is_pending());
    assert!(poll_with(&mut claim, &nosy()).is_pending());
    assert_eq!(seen(), 1, "the first was dropped when it was replaced");
    drop(held);
    assert_eq!(seen(), 3, "the second was woken, and dropped");
    let held = ready(&mut claim).unwrap();

    let mut claim = bursar.claim([("slots", 1)]).into_future();
    assert!(poll_with(&mut claim, &nosy()).is_pending());
    drop(claim);
    assert_eq!(seen(), 4, "dropped with the claim");

    let mut idle = bursar.idle();
    assert!(poll_with(&mut idle, &nosy()).is_pending());
    assert!(poll_with(&mut idle, &nosy()).is_pending());
    assert_eq!(seen(), 5);
    drop(idle);
    assert_eq!(seen(), 6);
    drop(held);

    let held = bursar.try_claim([("slots", 1)]).unwrap();
    let mut claim = bursar.claim([("slots", 1)]).into_future();
    assert!(poll_with(&mut claim, &nosy()).is_pending());
    bursar.remove("slots").unwrap();
    assert_eq!(seen(), 8);
    assert!(matches!(ready(&mut claim), Err(Error::ResourceRemoved { .. })));
    drop(held);
}

#[test]
fn a_waker_that_panics_strikes_neither_the_caller_nor_those_behind_it() {
    struct Mean;
    impl Wake for Mean {
        fn wake(self: Arc<Self>) {
            std::panic::resume_unwind(Box::new("mean"));
        }
    }
    let bursar = slots(1);
    let _held = bursar.try_claim([("slots", 1)]).unwrap();
    let (bell, waker) = Bell::new();
    let mut claims: Vec<_> = (0..4).map(|_| bursar.claim([("slots", 1)]).into_future()).collect();
    for (place, claim) in claims.iter_mut().enumerate() {
        let waker = if place == 1 { Waker::from(Arc::new(Mean)) } else { waker.clone() };
        assert!(poll_with(claim, &waker).is_pending());
    }
    bursar.shutdown();
    assert_eq!(bell.rings(), 3);
    assert!(claims.iter_mut().all(|claim| ready(claim).unwrap_err() == Error::Closed));
}

/// Claims from several tasks at once, which wait for each other.
async fn take_turns(bursar: Bursar, done: Arc<AtomicUsize>) {
    for _ in 0..50 {
        let lease = bursar.claim([("slots", 1)]).await.unwrap();
        futures_lite::future::yield_now().await;
        drop(lease);
        done.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn claims_are_woken_on_tokio() {
    let (bursar, done) = (slots(2), Arc::new(AtomicUsize::new(0)));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    let tasks: Vec<_> =
        (0..20).map(|_| runtime.spawn(take_turns(bursar.clone(), done.clone()))).collect();
    runtime.block_on(async {
        for task in tasks {
            task.await.unwrap();
        }
    });
    assert_eq!((done.load(Ordering::SeqCst), bursar.leases()), (1000, 0));
}

#[test]
fn claims_are_woken_on_smol() {
    let (bursar, done) = (slots(2), Arc::new(AtomicUsize::new(0)));
    let executor = smol::Executor::new();
    let tasks: Vec<_> =
        (0..20).map(|_| executor.spawn(take_turns(bursar.clone(), done.clone()))).collect();
    smol::block_on(executor.run(async {
        for task in tasks {
            task.await;
        }
    }));
    assert_eq!((done.load(Ordering::SeqCst), bursar.leases()), (1000, 0));
}

#[test]
fn claims_are_woken_on_an_executor_made_by_hand() {
    let (bursar, done) = (slots(2), Arc::new(AtomicUsize::new(0)));
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| block_on(take_turns(bursar.clone(), done.clone())));
        }
    });
    assert_eq!((done.load(Ordering::SeqCst), bursar.leases()), (300, 0));
}

#[test]
fn a_thread_that_is_unparked_for_another_reason_waits_on() {
    let bursar = slots(1);
    let held = bursar.try_claim([("slots", 1)]).unwrap();
    let granted = AtomicBool::new(false);
    thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            let lease = bursar.claim([("slots", 1)]).blocking();
            granted.store(true, Ordering::SeqCst);
            drop(lease);
        });
        until(|| bursar.waiting() == 1);
        for _ in 0..100 {
            waiter.thread().unpark();
            thread::yield_now();
        }
        assert!(!granted.load(Ordering::SeqCst) && bursar.waiting() == 1);
        drop(held);
    });
    assert!(granted.load(Ordering::SeqCst));
}
