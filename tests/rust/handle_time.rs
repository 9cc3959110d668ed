//! Timeouts, times to live, refills and pauses, on a clock that is moved by hand.

mod common;

use std::time::Duration;

use bursar::{Bursar, ClaimStage, Error, ManualClock, Resource};

use self::common::{Bell, poll, poll_with, ready};

const SECOND: Duration = Duration::from_secs(1);

fn with(resources: impl IntoIterator<Item = Resource>) -> (ManualClock, Bursar) {
    let clock = ManualClock::new();
    let bursar = Bursar::builder().resources(resources).clock(&clock).build().unwrap();
    (clock, bursar)
}

#[test]
fn a_timeout_bounds_the_wait_and_not_the_hold() {
    let (clock, bursar) = with([Resource::semaphore("slots", 1)]);
    let lease = bursar.claim([("slots", 1)]).timeout(SECOND).try_now().unwrap().unwrap();
    let (bell, waker) = Bell::new();
    let mut late = bursar.claim([("slots", 1)]).timeout(5 * SECOND).into_future();
    assert!(poll_with(&mut late, &waker).is_pending());
    clock.advance(Duration::from_nanos(4_999_999_999));
    assert_eq!((bell.rings(), bursar.waiting()), (0, 1));
    clock.advance(Duration::from_nanos(1));
    assert_eq!((bell.rings(), bursar.waiting()), (1, 0), "out of the line at once");
    assert_eq!(ready(&mut late).unwrap_err(), Error::Timeout { timeout: 5 * SECOND });
    assert!(!lease.is_lost());
    lease.release().unwrap();
}

#[test]
fn a_timeout_counts_from_the_first_poll() {
    let (clock, bursar) = with([Resource::semaphore("slots", 1)]);
    let _lease = bursar.try_claim([("slots", 1)]).unwrap();
    let mut claim = bursar.claim([("slots", 1)]).timeout(SECOND).into_future();
    clock.advance(10 * SECOND);
    assert!(poll(&mut claim).is_pending());
    clock.advance(SECOND);
    assert!(ready(&mut claim).is_err());
}

#[test]
fn a_timeout_of_nothing_grants_what_is_free_and_waits_for_nothing() {
    let (_clock, bursar) = with([Resource::semaphore("slots", 1)]);
    let claim = || bursar.claim([("slots", 1)]).timeout(Duration::ZERO);
    let lease = claim().blocking().unwrap();
    assert_eq!(claim().blocking().unwrap_err(), Error::Timeout { timeout: Duration::ZERO });
    drop(lease);
    assert!(claim().blocking().is_ok());
}

#[test]
fn a_large_claim_that_times_out_lets_a_small_one_through_at_once() {
    let clock = ManualClock::new();
    let bursar = Bursar::builder()
        .resource(Resource::semaphore("slots", 2))
        .max_bypass(0)
        .clock(&clock)
        .build()
        .unwrap();
    let _held = bursar.try_claim([("slots", 1)]).unwrap();
    let mut large = bursar.claim([("slots", 2)]).timeout(SECOND).into_future();
    let mut small = bursar.claim([("slots", 1)]).into_future();
    assert!(poll(&mut large).is_pending() && poll(&mut small).is_pending());
    clock.advance(SECOND);
    assert!(ready(&mut small).is_ok());
    assert!(ready(&mut large).is_err());
}

#[test]
fn a_ttl_bounds_the_hold_and_the_holder_can_know() {
    let (clock, bursar) = with([Resource::semaphore("slots", 1)]);
    let lease = bursar.claim([("slots", 1)]).ttl(10 * SECOND).blocking().unwrap();
    let mut next = bursar.claim([("slots", 1)]).into_future();
    assert!(poll(&mut next).is_pending());
    let (bell, waker) = Bell::new();
    let mut lost = lease.lost();
    assert!(poll_with(&mut lost, &waker).is_pending());
    clock.advance(9 * SECOND);
    assert!(!lease.is_lost() && bell.rings() == 0);

    clock.advance(SECOND);
    assert!(lease.is_lost() && bell.rings() == 1);
    ready(&mut lost);
    drop(lost);
    ready(&mut lease.lost());
    let next = ready(&mut next).unwrap();
    assert_eq!(lease.release_part([("slots", 1)]), Err(Error::Lapsed));
    assert_eq!(lease.release(), Err(Error::Lapsed));
    assert_eq!(bursar.held("slots"), Ok(1), "the new holder's");
    drop(next);
}

#[test]
fn dropping_a_lost_lease_gives_nothing_back_twice() {
    let (clock, bursar) = with([Resource::semaphore("slots", 1)]);
    let lost = bursar.claim([("slots", 1)]).ttl(SECOND).blocking().unwrap();
    clock.advance(SECOND);
    let _held = bursar.try_claim([("slots", 1)]).unwrap().unwrap();
    drop(lost);
    assert!(bursar.try_claim([("slots", 1)]).unwrap().is_none());
}

#[test]
fn a_ttl_counts_from_the_grant_even_after_a_long_wait() {
    let (clock, bursar) = with([Resource::semaphore("slots", 1)]);
    let first = bursar.try_claim([("slots", 1)]).unwrap();
    let mut claim = bursar.claim([("slots", 1)]).ttl(SECOND).into_future();
    assert!(poll(&mut claim).is_pending());
    clock.advance(100 * SECOND);
    drop(first);
    let lease = ready(&mut claim).unwrap();
    clock.advance(SECOND / 2);
    assert!(!lease.is_lost());
    clock.advance(SECOND / 2);
    assert!(lease.is_lost());
}

#[test]
fn a_grant_that_nobody_polls_for_is_visible_and_ended_by_its_ttl() {
    let (clock, bursar) = with([Resource::semaphore("slots", 1)]);
    let first = bursar.try_claim([("slots", 1)]).unwrap();
    let mut abandoned = bursar.claim([("slots", 1)]).ttl(SECOND).into_future();
    let mut next = bursar.claim([("slots", 1)]).into_future();
    assert!(poll(&mut abandoned).is_pending() && poll(&mut next).is_pending());
    drop(first);
    let claim = &bursar.snapshot().claims[0];
    assert_eq!((claim.stage, claim.ends_in), (ClaimStage::Granted, Some(SECOND)));
    clock.advance(SECOND);
    assert!(ready(&mut next).is_ok());
    assert_eq!(ready(&mut abandoned).unwrap_err(), Error::Lapsed);
}

#[test]
fn an_outcome_is_kept_for_its_claim_though_the_slot_is_used_again() {
    let (clock, bursar) = with([Resource::semaphore("slots", 1)]);
    let lease = bursar.try_claim([("slots", 1)]).unwrap();
    let mut first = bursar.claim([("slots", 1)]).timeout(SECOND).into_future();
    assert!(poll(&mut first).is_pending());
    clock.advance(SECOND);
    let mut second = bursar.claim([("slots", 1)]).into_future();
    assert!(poll(&mut second).is_pending());
    drop(lease);
    assert_eq!(ready(&mut first).unwrap_err(), Error::Timeout { timeout: SECOND });
    assert!(ready(&mut second).is_ok());
}

#[test]
fn a_waiting_claim_is_granted_at_the_moment_the_bucket_holds_enough() {
    let (clock, bursar) = with([Resource::token_bucket("api", 2.0, 4)]);
    drop(bursar.try_claim([("api", 4)]).unwrap());
    let (bell, waker) = Bell::new();
    let mut claim = bursar.claim([("api", 3)]).into_future();
    assert!(poll_with(&mut claim, &waker).is_pending());
    clock.advance(Duration::from_nanos(1_499_999_999));
    assert_eq!(bell.rings(), 0);
    clock.advance(Duration::from_nanos(1));
    assert_eq!(bell.rings(), 1);
    assert!(ready(&mut claim).is_ok());
}

#[test]
fn small_claims_cannot_keep_a_large_one_from_a_bucket_for_ever() {
    let clock = ManualClock::new();
    let bursar = Bursar::builder()
        .resource(Resource::token_bucket("api", 1.0, 10))
        .max_bypass(5)
        .clock(&clock)
        .build()
        .unwrap();
    drop(bursar.try_claim([("api", 10)]).unwrap());
    let mut large = bursar.claim([("api", 10)]).into_future();
    assert!(poll(&mut large).is_pending());
    let mut passed = 0;
    while poll(&mut large).is_pending() {
        clock.advance(SECOND);
        passed += u32::from(bursar.try_claim([("api", 1)]).unwrap().is_some());
    }
    assert_eq!((passed, clock.elapsed()), (5, 15 * SECOND));
}

#[test]
fn changing_a_quota_keeps_the_level_and_does_not_stop_the_refill() {
    let (clock, bursar) = with([Resource::token_bucket("api", 1.0, 10)]);
    drop(bursar.try_claim([("api", 10)]).unwrap());
    let mut claim = bursar.claim([("api", 4)]).into_future();
    assert!(poll(&mut claim).is_pending());
    clock.advance(2 * SECOND);
    bursar.resize(Resource::token_bucket("api", 4.0, 10)).unwrap();
    assert_eq!(bursar.available("api"), Ok(2), "two seconds at the old rate");
    clock.advance(SECOND / 2);
    assert!(ready(&mut claim).is_ok());
}

#[test]
fn at_most_so_many_in_any_window() {
    let hour = Duration::from_hours(1);
    let (clock, bursar) = with([Resource::at_most("mail", 750, hour, 10)]);
    let mut sent = Vec::new();
    while clock.elapsed() < 3 * hour {
        while bursar.try_claim([("mail", 1)]).unwrap().is_some() {
            sent.push(clock.elapsed());
        }
        clock.advance(SECOND);
    }
    let most = sent
        .iter()
        .map(|&start| sent.iter().filter(|&&at| at >= start && at <= start + hour).count());
    assert_eq!(most.max(), Some(750));
}

#[test]
fn a_pause_holds_everybody_until_its_end_and_can_be_cut_short() {
    let (clock, bursar) = with([Resource::semaphore("slots", 2), Resource::semaphore("db", 2)]);
    bursar.pause("slots", 3 * SECOND).unwrap();
    assert!(bursar.try_claim([("slots", 1)]).unwrap().is_none());
    assert!(bursar.try_claim([("db", 1)]).unwrap().is_some());
    assert_eq!(bursar.snapshot().resources[0].paused_for, Some(3 * SECOND));
    let mut claim = bursar.claim([("slots", 1)]).into_future();
    assert!(poll(&mut claim).is_pending());
    clock.advance(3 * SECOND);
    assert!(ready(&mut claim).is_ok());

    bursar.pause("slots", Duration::MAX).unwrap();
    assert!(bursar.try_claim([("slots", 1)]).unwrap().is_none());
    bursar.pause("slots", Duration::ZERO).unwrap();
    assert!(bursar.try_claim([("slots", 1)]).unwrap().is_some());
}

#[test]
fn a_level_follows_what_a_server_says_remains() {
    let (clock, bursar) = with([Resource::token_bucket("api", 1.0, 10)]);
    bursar.set_level("api", 0).unwrap();
    assert!(bursar.try_claim([("api", 1)]).unwrap().is_none());
    clock.advance(SECOND);
    assert_eq!(bursar.available("api"), Ok(1));
    let above = Error::LevelAboveBurst { name: "api".into(), level: 11, burst: 10 };
    assert_eq!(bursar.set_level("api", 11), Err(above));
}

#[test]
fn one_clock_drives_several_bursars_and_outlives_them() {
    let clock = ManualClock::new();
    let build = || {
        let api = Resource::token_bucket("api", 1.0, 1);
        Bursar::builder().resource(api).clock(&clock).build().unwrap()
    };
    let (one, two) = (build(), build());
    let mut claims = [&one, &two].map(|bursar| {
        drop(bursar.try_claim([("api", 1)]).unwrap());
        let mut claim = bursar.claim([("api", 1)]).into_future();
        assert!(poll(&mut claim).is_pending());
        claim
    });
    clock.advance(SECOND);
    assert!(claims.iter_mut().all(|claim| ready(claim).is_ok()));
    drop((one, two));
    clock.advance(SECOND);
    clock.advance(Duration::MAX);
    assert_eq!(clock.elapsed(), Duration::from_nanos(u64::MAX));
}
