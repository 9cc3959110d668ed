//! Coming to an end: shutdown, drain and idleness.

mod common;

use std::thread;

use bursar::ledger::Order;
use bursar::{Bursar, Error, Resource};

use self::common::{Bell, poll, poll_with, ready, slots, until};

#[test]
fn a_shutdown_turns_every_waiter_away_with_a_typed_error() {
    for order in [Order::Fair, Order::Newest, Order::Greedy] {
        let bursar = Bursar::builder()
            .resource(Resource::semaphore("slots", 1))
            .order(order)
            .build()
            .unwrap();
        let lease = bursar.try_claim([("slots", 1)]).unwrap().unwrap();
        let (bell, waker) = Bell::new();
        let mut claims: Vec<_> =
            (0..10).map(|_| bursar.claim([("slots", 1)]).into_future()).collect();
        assert!(claims.iter_mut().all(|claim| poll_with(claim, &waker).is_pending()));
        let thread = {
            let bursar = bursar.clone();
            thread::spawn(move || bursar.claim([("slots", 1)]).blocking().map(drop))
        };
        until(|| bursar.waiting() == 11);

        bursar.shutdown();
        bursar.shutdown();
        assert_eq!((bell.rings(), bursar.waiting()), (10, 0));
        assert!(claims.iter_mut().all(|claim| ready(claim).unwrap_err() == Error::Closed));
        assert_eq!(thread.join().unwrap(), Err(Error::Closed));
        assert_eq!(bursar.try_claim([("slots", 1)]).unwrap_err(), Error::Closed);
        assert!(bursar.is_closed() && bursar.snapshot().closed);
        lease.release().unwrap();
        bursar.idle().blocking();
    }
}

#[test]
fn a_drain_serves_those_who_wait_and_refuses_the_rest() {
    let bursar = slots(1);
    let lease = bursar.try_claim([("slots", 1)]).unwrap();
    let mut waiting = bursar.claim([("slots", 1)]).into_future();
    assert!(poll(&mut waiting).is_pending());
    let mut drained = bursar.drain();
    assert_eq!(bursar.claim([("slots", 1)]).blocking().unwrap_err(), Error::Closed);
    assert!(poll(&mut drained).is_pending());
    drop(lease);
    let served = ready(&mut waiting).unwrap();
    assert!(poll(&mut drained).is_pending());
    drop(served);
    ready(&mut drained);
    bursar.drain().blocking();
}

#[test]
fn a_drain_can_be_cut_short() {
    let bursar = slots(1);
    let _lease = bursar.try_claim([("slots", 1)]).unwrap();
    let mut waiting = bursar.claim([("slots", 1)]).into_future();
    assert!(poll(&mut waiting).is_pending());
    drop(bursar.drain());
    assert!(poll(&mut waiting).is_pending());
    bursar.shutdown();
    assert_eq!(ready(&mut waiting).unwrap_err(), Error::Closed);
}

#[test]
fn idle_ends_at_once_when_nothing_was_ever_claimed() {
    let bursar = slots(1);
    ready(&mut bursar.idle());
    bursar.idle().blocking();
}

#[test]
fn idle_wakes_all_who_wait_for_it_when_the_last_lease_ends() {
    let bursar = slots(2);
    let leases = [(); 2].map(|()| bursar.try_claim([("slots", 1)]).unwrap());
    let (bell, waker) = Bell::new();
    let mut idles = [bursar.idle(), bursar.idle()];
    assert!(idles.iter_mut().all(|idle| poll_with(idle, &waker).is_pending()));
    let thread = {
        let bursar = bursar.clone();
        thread::spawn(move || bursar.idle().blocking())
    };
    for lease in leases {
        assert_eq!(bell.rings(), 0);
        drop(lease);
    }
    assert_eq!(bell.rings(), 2);
    idles.iter_mut().for_each(ready);
    thread.join().unwrap();
}

#[test]
fn idle_counts_a_moment_that_has_gone_by() {
    let bursar = slots(1);
    let lease = bursar.try_claim([("slots", 1)]).unwrap();
    let mut idle = bursar.idle();
    assert!(poll(&mut idle).is_pending());
    drop(lease);
    let _busy_again = bursar.try_claim([("slots", 1)]).unwrap();
    ready(&mut idle);
    assert!(poll(&mut bursar.idle()).is_pending());
}
