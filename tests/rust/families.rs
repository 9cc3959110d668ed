//! Families: a limit for every key. A key takes room while it is used, and no longer.

mod common;

use std::task::Poll;
use std::time::Duration;

use bursar::ledger::{ClaimOptions, Claimed, Ledger, Limit, Policy, Rate, ResourceError, Time};
use bursar::{Bursar, Error, ManualClock, Resource};

use self::common::{poll, ready};

/// So many idle ones may be there beside those in use.
const FEW: u32 = 8;

fn ledger(limit: Limit, max_keys: u32) -> Ledger {
    let mut ledger = Ledger::new(Policy::default());
    ledger.define_family("origin", limit, max_keys).unwrap();
    ledger
}

fn keys(ledger: &Ledger) -> u32 {
    ledger.family("origin").unwrap().keys
}

#[test]
fn a_million_keys_one_after_the_other_take_the_room_of_a_few() {
    let mut ledger = ledger(Limit::semaphore(2).unwrap(), 100);
    for key in 0..1_000_000 {
        let origin = ledger.member(&format!("origin/{key}"), &[]).unwrap();
        let claimed = ledger.claim(&[(origin, 1)], &ClaimOptions::default()).unwrap();
        assert!(matches!(claimed, Claimed::Granted(_)));
        ledger.release(claimed.ticket()).unwrap();
        assert!(keys(&ledger) <= FEW, "{} after {key}", keys(&ledger));
        assert!(origin.index() <= FEW, "numbers are used again");
    }
}

#[test]
fn a_million_buckets_are_there_until_they_are_full_again() {
    let rate = Rate::per_second(1000.0).unwrap();
    let mut ledger = ledger(Limit::token_bucket(rate, 5).unwrap(), 100);
    for key in 0..1_000_000_u64 {
        ledger.advance(Time::from_nanos(key * 1_000_000));
        let origin = ledger.member(&format!("origin/{key}"), &[]).unwrap();
        let lease = ledger.claim(&[(origin, 5)], &ClaimOptions::default()).unwrap();
        ledger.release(lease.ticket()).unwrap();
        // Five milliseconds pass before one is full again: so many keys later.
        assert!(keys(&ledger) <= 5 + FEW, "{} after {key}", keys(&ledger));
    }
}

#[test]
fn what_a_key_has_spent_is_not_forgotten() {
    let rate = Rate::per_second(1.0).unwrap();
    let mut ledger = ledger(Limit::token_bucket(rate, 2).unwrap(), 1000);
    let first = ledger.member("origin/a", &[]).unwrap();
    let lease = ledger.claim(&[(first, 2)], &ClaimOptions::default()).unwrap();
    ledger.release(lease.ticket()).unwrap();
    for key in 0..100 {
        ledger.member(&format!("origin/{key}"), &[]).unwrap();
    }
    assert_eq!(ledger.member("origin/a", &[]), Ok(first));
    assert_eq!(ledger.available(first), Some(0));
}

#[test]
fn who_is_paused_held_or_waited_for_stays() {
    let mut ledger = ledger(Limit::semaphore(1).unwrap(), 1000);
    let [paused, held, wanted] = ["origin/p", "origin/h", "origin/w"].map(|name| {
        let id = ledger.member(name, &[]).unwrap();
        if name == "origin/p" {
            ledger.pause(id, Time::NEVER).unwrap();
        } else {
            ledger.claim(&[(id, 1)], &ClaimOptions::default()).unwrap();
        }
        id
    });
    let waits = ledger.claim(&[(wanted, 1)], &ClaimOptions::default()).unwrap();
    for key in 0..100 {
        ledger.member(&format!("origin/{key}"), &[]).unwrap();
    }
    let found = ["origin/p", "origin/h", "origin/w"].map(|name| ledger.resource(name));
    assert_eq!(found, [Some(paused), Some(held), Some(wanted)]);
    assert!(ledger.position(waits.ticket()).is_ok());
}

#[test]
fn at_the_bound_one_more_is_refused_and_nothing_is_lost() {
    let mut ledger = ledger(Limit::semaphore(1).unwrap(), 3);
    let leases: Vec<_> = ["a", "b", "c"]
        .iter()
        .map(|key| {
            let id = ledger.member(&format!("origin/{key}"), &[]).unwrap();
            ledger.claim(&[(id, 1)], &ClaimOptions::default()).unwrap().ticket()
        })
        .collect();
    assert_eq!(ledger.member("origin/d", &[]), Err(ResourceError::FamilyFull { max_keys: 3 }));
    assert_eq!((keys(&ledger), ledger.leases()), (3, 3));
    ledger.release(leases[1]).unwrap();
    assert!(ledger.member("origin/d", &[]).is_ok());
    assert_eq!(ledger.resource("origin/b"), None);
}

fn crawler() -> Bursar {
    Bursar::builder()
        .resource(Resource::semaphore("sockets", 3))
        .resource(Resource::semaphore("origin", 2).per_key())
        .build()
        .unwrap()
}

#[test]
fn each_origin_has_its_own_limit_beside_that_of_all() {
    let bursar = crawler();
    let claim = |origin: &'static str| bursar.claim([(origin, 1), ("sockets", 1)]).into_future();
    let _held: Vec<_> = (0..2).map(|_| ready(&mut claim("origin/one")).unwrap()).collect();
    let mut third = claim("origin/one");
    assert!(poll(&mut third).is_pending(), "two at one origin");
    let other = ready(&mut claim("origin/two")).unwrap();
    let mut last = claim("origin/three");
    assert!(poll(&mut last).is_pending(), "three sockets");
    drop(other);
    assert!(
        matches!(poll(&mut last), Poll::Ready(Ok(_))),
        "who waits for another does not stand before it"
    );
}

#[test]
fn a_key_is_any_text() {
    let bursar = crawler();
    for key in ["", "/", "a/b/c", "origin", "__proto__", "größe ☂"] {
        let name = format!("origin/{key}");
        let _lease = bursar.claim([(name.as_str(), 2)]).blocking().unwrap();
        assert_eq!(bursar.available(&name).unwrap(), 0, "{name}");
    }
    let refused = bursar.claim([("origin", 1)]).blocking();
    assert!(matches!(refused, Err(Error::UnknownResource { .. })), "{refused:?}");
}

#[test]
fn thousands_of_keys_are_waited_for_at_once() {
    let bursar = Bursar::builder()
        .resource(Resource::semaphore("origin", 1).max_keys(5000))
        .build()
        .unwrap();
    let names: Vec<String> = (0..5000).map(|key| format!("origin/{key}")).collect();
    let claim = |name: &String| bursar.claim([(name.clone(), 1)]).into_future();
    let held: Vec<_> = names.iter().map(|name| ready(&mut claim(name)).unwrap()).collect();
    let mut waiting: Vec<_> = names.iter().map(claim).collect();
    for future in &mut waiting {
        assert!(poll(future).is_pending());
    }
    let one_more = bursar.claim([("origin/x", 1)]).blocking();
    assert!(matches!(one_more, Err(Error::FamilyFull { .. })), "{one_more:?}");
    drop(held);
    for future in &mut waiting {
        assert!(matches!(poll(future), Poll::Ready(Ok(_))));
    }
}

#[test]
fn the_limit_of_all_keys_changes_at_once() {
    let bursar = crawler();
    let _held: Vec<_> =
        (0..2).map(|_| bursar.claim([("origin/a", 1)]).blocking().unwrap()).collect();
    let mut waits = bursar.claim([("origin/a", 1)]).into_future();
    assert!(poll(&mut waits).is_pending());
    bursar.resize(Resource::semaphore("origin", 3)).unwrap();
    assert!(matches!(poll(&mut waits), Poll::Ready(Ok(_))));
    assert_eq!(bursar.available("origin/b").unwrap(), 3, "also for those to come");
}

#[test]
fn a_key_is_not_removed_which_would_lend_its_permits_twice() {
    let bursar = crawler();
    let _held: Vec<_> =
        (0..2).map(|_| bursar.claim([("origin/a", 1)]).blocking().unwrap()).collect();
    let refused = bursar.remove("origin/a");
    assert!(matches!(refused, Err(Error::NameInFamily { .. })), "{refused:?}");
    assert_eq!(bursar.available("origin/a").unwrap(), 0);
    bursar.remove("origin").unwrap();
    assert!(matches!(bursar.available("origin/a"), Err(Error::UnknownResource { .. })));
}

#[test]
fn a_rate_for_each_key_goes_by_the_clock() {
    let clock = ManualClock::new();
    let bursar = Bursar::builder()
        .clock(clock.clone())
        .resource(Resource::token_bucket("host", 1.0, 1).per_key())
        .build()
        .unwrap();
    drop(ready(&mut bursar.claim([("host/a", 1)]).into_future()).unwrap());
    let mut again = bursar.claim([("host/a", 1)]).into_future();
    assert!(poll(&mut again).is_pending());
    drop(ready(&mut bursar.claim([("host/b", 1)]).into_future()).unwrap());
    clock.advance(Duration::from_secs(1));
    assert!(matches!(poll(&mut again), Poll::Ready(Ok(_))));
}
