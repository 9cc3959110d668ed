//! Claims under a lease, through the handle: who is served, who is refused, and in what words.

mod common;

use std::task::Poll;
use std::thread;
use std::time::Duration;

use bursar::{Bursar, Error, ManualClock, Resource};

use self::common::{poll, ready, slots};

fn crossing() -> Bursar {
    Bursar::builder()
        .resource(Resource::semaphore("left", 1))
        .resource(Resource::semaphore("right", 2))
        .build()
        .unwrap()
}

#[test]
fn two_threads_that_cross_end_with_one_refusal_and_no_hang() {
    let bursar = crossing();
    let left = bursar.claim([("left", 1)]).blocking().unwrap();
    let right = bursar.claim([("right", 2)]).blocking().unwrap();
    let other = thread::spawn(move || {
        let more = left.claim([("right", 1)]).blocking();
        more.map(drop)
    });
    common::until(|| bursar.waiting() == 1);
    let refused = right.claim([("left", 1)]).timeout(Duration::from_mins(1)).blocking();
    let Err(error @ Error::Deadlock { .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(
        error.to_string(),
        "the claim would wait for ever: its lease holds 2 of \"right\" and wants 1 of \"left\", \
         another holds 1 of \"left\" and wants 1 of \"right\""
    );
    drop(right);
    other.join().unwrap().unwrap();
    assert_eq!((bursar.waiting(), bursar.leases()), (0, 0));
}

#[test]
fn the_circle_names_leases_resources_and_units() {
    let bursar = crossing();
    let left = bursar.claim([("left", 1)]).blocking().unwrap();
    let right = bursar.claim([("right", 2)]).blocking().unwrap();
    let mut waiting = left.claim([("right", 1)]).into_future();
    assert!(poll(&mut waiting).is_pending());
    let Err(Error::Deadlock { cycle }) = right.claim([("left", 1)]).blocking() else { panic!() };
    let seen: Vec<_> = cycle.iter().map(|link| (link.lease, link.claim.is_some())).collect();
    assert_eq!(seen, [(right.ticket(), false), (left.ticket(), true)]);
    assert_eq!(cycle[0].holds, ("right".to_owned(), 2));
    assert_eq!(cycle[0].wants, ("left".to_owned(), 1));
}

#[test]
fn a_claim_under_a_lease_goes_first_and_a_dropped_one_leaves() {
    let bursar = slots(2);
    let job = bursar.claim([("slots", 1)]).blocking().unwrap();
    let holder = bursar.claim([("slots", 1)]).blocking().unwrap();
    let mut urgent = bursar.claim([("slots", 1)]).priority(i32::MAX).into_future();
    let mut given_up = job.claim([("slots", 1)]).into_future();
    let mut under = job.claim([("slots", 1)]).into_future();
    assert!(poll(&mut urgent).is_pending() && poll(&mut given_up).is_pending());
    assert!(poll(&mut under).is_pending());
    drop(given_up);
    drop(holder);
    assert!(poll(&mut urgent).is_pending());
    drop(ready(&mut under).unwrap());
    drop(ready(&mut urgent).unwrap());
    assert_eq!(job.try_claim([("slots", 1)]).unwrap().map(drop), Some(()));
    assert!(job.try_claim([("slots", 2)]).unwrap().is_none());
}

#[test]
fn a_lease_that_has_ended_owns_nothing() {
    let clock = ManualClock::new();
    let bursar = Bursar::builder()
        .resource(Resource::semaphore("slots", 2))
        .clock(clock.clone())
        .build()
        .unwrap();
    let lease = bursar.claim([("slots", 1)]).ttl(Duration::from_secs(1)).blocking().unwrap();
    clock.advance(Duration::from_secs(1));
    let error = lease.try_claim([("slots", 1)]).unwrap_err();
    assert_eq!(error, Error::OwnerEnded);
    assert_eq!(error.to_string(), "the lease that the claim was to be made under has ended");
    let lease = bursar.claim([("slots", 1)]).blocking().unwrap();
    let late = lease.claim([("slots", 1)]);
    drop(lease);
    assert_eq!(late.blocking().unwrap_err(), Error::OwnerEnded);
}

#[test]
fn a_resize_that_closes_the_circle_ends_the_newest_wait() {
    let bursar = Bursar::builder()
        .resource(Resource::semaphore("left", 2))
        .resource(Resource::semaphore("right", 1))
        .build()
        .unwrap();
    let [left, free] = [(); 2].map(|()| bursar.claim([("left", 1)]).blocking().unwrap());
    let right = bursar.claim([("right", 1)]).blocking().unwrap();
    let mut first = left.claim([("right", 1)]).into_future();
    let mut second = right.claim([("left", 1)]).into_future();
    assert!(poll(&mut first).is_pending() && poll(&mut second).is_pending());
    bursar.resize(Resource::semaphore("left", 1)).unwrap();
    let error = ready(&mut second).unwrap_err();
    assert_eq!(error, Error::Deadlock { cycle: Vec::new() });
    assert!(error.to_string().starts_with("since a resource was resized"));
    drop((free, right));
    assert!(matches!(poll(&mut first), Poll::Ready(Ok(_))));
}
