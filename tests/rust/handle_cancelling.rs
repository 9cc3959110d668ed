//! Callers that give up: at every point, nothing is lost and nobody behind them is held up.

mod common;

use std::sync::Arc;
use std::time::Duration;

use bursar::ledger::Order;
use bursar::{Bursar, Claiming, Error, ManualClock, Resource};

use self::common::{Bell, poll, poll_with, ready, slots};

type Future = Claiming<[(&'static str, u64); 1]>;

const ORDERS: [Order; 3] = [Order::Fair, Order::Newest, Order::Greedy];

fn ordered(order: Order) -> (ManualClock, Bursar) {
    let clock = ManualClock::new();
    let bursar = Bursar::builder()
        .resource(Resource::semaphore("slots", 1))
        .order(order)
        .clock(&clock)
        .build()
        .unwrap();
    (clock, bursar)
}

#[test]
fn a_future_dropped_at_any_point_leaves_nothing_behind() {
    /// What happens to a claim, step by step; the sweep stops after each, and drops it there.
    const STEPS: [fn(&mut Future, &mut Option<bursar::Lease>, &ManualClock); 6] = [
        |_, _, _| {},                                          // never polled
        |claim, _, _| assert!(poll(claim).is_pending()),       // in the line
        |claim, _, _| assert!(poll(claim).is_pending()),       // polled again
        |_, _, clock| clock.advance(Duration::from_millis(1)), // time goes by
        |_, held, _| drop(held.take()),                        // granted, not polled
        |claim, _, _| drop(ready(claim).unwrap()),             // granted, taken, given back
    ];
    for order in ORDERS {
        for last in 0..STEPS.len() {
            for terms in 0..4 {
                let (clock, bursar) = ordered(order);
                let mut held = bursar.try_claim([("slots", 1)]).unwrap();
                let mut claim = bursar.claim([("slots", 1)]).priority(1);
                if terms & 1 > 0 {
                    claim = claim.timeout(Duration::from_secs(1));
                }
                if terms & 2 > 0 {
                    claim = claim.ttl(Duration::from_secs(1));
                }
                let mut claim = claim.into_future();
                for step in &STEPS[..=last] {
                    step(&mut claim, &mut held, &clock);
                }
                let (bell, waker) = Bell::new();
                let mut behind = bursar.claim([("slots", 1)]).into_future();
                let waits = poll_with(&mut behind, &waker).is_pending();
                drop(claim);
                drop(held);
                if waits {
                    assert_eq!(bell.rings(), 1, "{order:?}, step {last}, terms {terms}");
                    assert!(ready(&mut behind).is_ok());
                }
                drop(behind);
                let state = (bursar.available("slots"), bursar.waiting(), bursar.leases());
                assert_eq!(state, (Ok(1), 0, 0), "{order:?}, step {last}, terms {terms}");
                clock.advance(Duration::from_secs(10));
                assert_eq!(bursar.available("slots"), Ok(1));
            }
        }
    }
}

#[test]
fn a_future_dropped_after_its_timeout_leaves_nothing_behind() {
    let (clock, bursar) = ordered(Order::Fair);
    let held = bursar.try_claim([("slots", 1)]).unwrap();
    let mut claim = bursar.claim([("slots", 1)]).timeout(Duration::from_secs(1)).into_future();
    assert!(poll(&mut claim).is_pending());
    clock.advance(Duration::from_secs(1));
    let mut other = bursar.claim([("slots", 1)]).into_future(); // in the same slot
    assert!(poll(&mut other).is_pending());
    drop(claim);
    drop(held);
    assert!(ready(&mut other).is_ok());
}

#[test]
fn a_cancelled_claim_is_out_of_the_line_at_once() {
    let bursar = slots(1);
    let _held = bursar.try_claim([("slots", 1)]).unwrap();
    let mut claim = bursar.claim([("slots", 1)]).into_future();
    assert!(poll(&mut claim).is_pending());
    assert_eq!(bursar.waiting(), 1);
    drop(claim);
    assert_eq!(bursar.waiting(), 0);
}

#[test]
fn a_cancelled_barrier_lets_the_line_move() {
    let bursar =
        Bursar::builder().resource(Resource::semaphore("slots", 2)).max_bypass(0).build().unwrap();
    let _held = bursar.try_claim([("slots", 1)]).unwrap();
    let mut large = bursar.claim([("slots", 2)]).into_future();
    let mut small = bursar.claim([("slots", 1)]).into_future();
    let (bell, waker) = Bell::new();
    assert!(poll(&mut large).is_pending() && poll_with(&mut small, &waker).is_pending());
    drop(large);
    assert_eq!(bell.rings(), 1);
    assert!(ready(&mut small).is_ok());
}

#[test]
fn a_claim_that_is_never_polled_is_never_made() {
    let bursar = slots(1);
    drop(bursar.claim([("slots", 1)]).into_future());
    let _kept = bursar.claim([("slots", 1)]).into_future();
    assert_eq!((bursar.waiting(), bursar.leases()), (0, 0));
}

#[test]
fn tasks_that_are_aborted_at_random_points_give_everything_back() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    for order in ORDERS {
        let bursar = Bursar::builder()
            .resource(Resource::semaphore("slots", 3))
            .order(order)
            .build()
            .unwrap();
        runtime.block_on(async {
            let tasks: Vec<_> = (0..400)
                .map(|task| {
                    let bursar = bursar.clone();
                    tokio::spawn(async move {
                        for round in 0..5 {
                            let lease = bursar.claim([("slots", 1 + (task + round) % 3)]).await;
                            tokio::task::yield_now().await;
                            drop(lease.unwrap());
                        }
                    })
                })
                .collect();
            for (place, task) in tasks.iter().enumerate() {
                if place % 3 > 0 {
                    task.abort();
                    tokio::task::yield_now().await;
                }
            }
            for task in tasks {
                let _ = task.await;
            }
        });
        let state = (bursar.available("slots"), bursar.waiting(), bursar.leases());
        assert_eq!(state, (Ok(3), 0, 0), "{order:?}");
    }
}

#[test]
fn a_dropped_future_lets_go_of_its_task() {
    let bursar = slots(1);
    let held = bursar.try_claim([("slots", 1)]).unwrap();
    let (bell, waker) = Bell::new();
    let mut claim = bursar.claim([("slots", 1)]).into_future();
    let mut idle = bursar.idle();
    assert!(poll_with(&mut claim, &waker).is_pending());
    assert!(poll_with(&mut idle, &waker).is_pending());
    drop(waker);
    assert_eq!(Arc::strong_count(&bell), 3);
    drop((claim, idle));
    assert_eq!(Arc::strong_count(&bell), 1);
    drop(held);
    assert_eq!(bell.rings(), 0);
}

#[test]
fn futures_dropped_when_a_shutdown_has_turned_them_away_forget_the_answer() {
    let bursar = slots(1);
    let _held = bursar.try_claim([("slots", 1)]).unwrap();
    let mut claims: Vec<_> = (0..3).map(|_| bursar.claim([("slots", 1)]).into_future()).collect();
    assert!(claims.iter_mut().all(|claim| poll(claim).is_pending()));
    bursar.shutdown();
    drop(claims.remove(1));
    assert!(claims.iter_mut().all(|claim| ready(claim).unwrap_err() == Error::Closed));
}
