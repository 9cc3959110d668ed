//! What a claim may ask for, what it is answered, and what it is told when it asks for the impossible.

mod common;

use std::time::Duration;

use bursar::ledger::{Limit, LimitError};
use bursar::{Bursar, Error, ManualClock, Resource};

use self::common::{poll, ready, slots};

fn two() -> Bursar {
    Bursar::builder()
        .resource(Resource::semaphore("gpu", 4))
        .resource(Resource::token_bucket("api", 50.0, 100))
        .build()
        .unwrap()
}

#[derive(Clone, Copy)]
enum Key {
    Gpu,
    Api,
}

impl AsRef<str> for Key {
    fn as_ref(&self) -> &str {
        match self {
            Key::Gpu => "gpu",
            Key::Api => "api",
        }
    }
}

#[test]
fn a_claim_takes_all_it_wants_in_one_step_and_gives_it_back_on_drop() {
    let bursar = two();
    let lease = bursar.claim([("gpu", 3), ("api", 40)]).blocking().unwrap();
    assert_eq!((bursar.held("gpu").unwrap(), bursar.held("api").unwrap()), (3, 40));
    drop(lease);
    assert_eq!((bursar.available("gpu").unwrap(), bursar.held("api").unwrap()), (4, 0));
}

#[test]
fn keys_are_strings_of_any_kind_or_an_enum_of_the_callers() {
    let bursar = Bursar::builder()
        .resource(Resource::semaphore(Key::Gpu, 4))
        .resource(Resource::token_bucket(Key::Api, 50.0, 100))
        .build()
        .unwrap();
    let a = bursar.try_claim([(Key::Gpu, 1), (Key::Api, 1)]).unwrap();
    let b = bursar.try_claim(vec![(String::from("gpu"), 1)]).unwrap();
    let c = bursar.try_claim(std::iter::once((&Key::Gpu, 1))).unwrap();
    let d = bursar.try_claim(Some(("gpu", 1))).unwrap();
    assert_eq!(bursar.available(Key::Gpu), Ok(0));
    drop((a, b, c, d));
}

#[test]
fn a_demand_may_name_many_resources() {
    let names: Vec<String> = (0..20).map(|n| format!("r{n}")).collect();
    let resources = names.iter().map(|name| Resource::semaphore(name, 2));
    let bursar = Bursar::builder().resources(resources).build().unwrap();
    for len in 1..=names.len() {
        let lease = bursar.try_claim(names[..len].iter().map(|name| (name, 2))).unwrap().unwrap();
        for (place, name) in names.iter().enumerate() {
            assert_eq!(bursar.available(name), Ok(if place < len { 0 } else { 2 }));
        }
        drop(lease);
    }
}

#[test]
fn what_can_never_be_granted_is_refused_at_once() {
    let bursar = two();
    let name = || String::from("gpu");
    let exceeds = |name: &str, wanted, capacity| Error::ExceedsCapacity {
        name: name.into(),
        wanted,
        capacity,
    };
    let unknown =
        Error::UnknownResource { name: "gpuu".into(), known: vec!["gpu".into(), "api".into()] };
    let table: [(&[(&str, u64)], Error); 8] = [
        (&[], Error::EmptyDemand),
        (&[("gpuu", 1)], unknown),
        (&[("gpu", 0)], Error::ZeroUnits { name: name() }),
        (&[("gpu", 1), ("api", 1), ("gpu", 1)], Error::DuplicateResource { name: name() }),
        (&[("gpu", 5)], exceeds("gpu", 5, 4)),
        (&[("gpu", u64::MAX)], exceeds("gpu", u64::MAX, 4)),
        (&[("api", 101)], exceeds("api", 101, 100)),
        (&[("gpu", 1), ("api", 1 << 60)], exceeds("api", 1 << 60, 100)),
    ];
    for (demand, error) in table {
        let demand = || demand.iter().copied();
        assert_eq!(bursar.try_claim(demand()).unwrap_err(), error);
        assert_eq!(bursar.claim(demand()).blocking().unwrap_err(), error);
        assert_eq!(bursar.claim(demand()).try_now().unwrap_err(), error);
        assert_eq!(ready(&mut bursar.claim(demand()).into_future()).unwrap_err(), error);
        assert_eq!((bursar.waiting(), bursar.leases()), (0, 0), "{error}");
    }
    assert!(bursar.try_claim([("api", 100), ("gpu", 4)]).unwrap().is_some(), "the most there is");
}

#[test]
fn messages_say_what_was_asked_what_there_is_and_what_would_be_right() {
    let bursar = two();
    for (demand, message) in [
        ([("gpu", 5)], r#"5 units of "gpu" can never be had; it has 4"#),
        ([("gpuu", 1)], r#"there is no resource "gpuu"; there is "gpu", "api""#),
        ([("gpu", 0)], r#"0 units of "gpu"; at least 1 must be wanted"#),
    ] {
        assert_eq!(bursar.try_claim(demand).unwrap_err().to_string(), message);
    }
    let many = (0..14).map(|n| Resource::semaphore(n.to_string(), 1));
    let bursar = Bursar::builder().resources(many).build().unwrap();
    let message = bursar.try_claim([("x", 1)]).unwrap_err().to_string();
    assert!(message.ends_with(r#""8", "9" and 4 more"#), "{message}");
}

#[test]
fn a_builder_refuses_what_cannot_be_and_names_the_resource() {
    let hour = Duration::from_hours(1);
    let invalid = |name: &str, why| Error::InvalidResource { name: name.into(), why };
    let table = [
        (vec![], Error::NoResources),
        (vec![Resource::semaphore("", 1)], Error::EmptyName),
        (vec![Resource::semaphore("a", 0)], invalid("a", LimitError::ZeroCapacity)),
        (
            vec![Resource::semaphore("a", 1 << 53)],
            invalid("a", LimitError::CapacityTooLarge(1 << 53)),
        ),
        (vec![Resource::token_bucket("b", 0.0, 1)], invalid("b", LimitError::InvalidRate(0.0))),
        (vec![Resource::token_bucket("b", 1.0, 0)], invalid("b", LimitError::ZeroCapacity)),
        (
            vec![Resource::at_most("c", 10, hour, 10)],
            invalid("c", LimitError::BurstNotBelowUnits { burst: 10, units: 10 }),
        ),
        (
            vec![Resource::semaphore("a", 1), Resource::token_bucket("a", 1.0, 1)],
            Error::ResourceExists { name: "a".into() },
        ),
    ];
    for (resources, error) in table {
        assert_eq!(Bursar::builder().resources(resources).build().unwrap_err(), error);
    }
    let nan = Bursar::builder().resource(Resource::token_bucket("b", f64::NAN, 1)).build();
    assert_eq!(
        nan.unwrap_err().to_string(),
        "\"b\": the rate is NaN; it must be 0.000000001 to 9007199254740991 units a second"
    );
    let limit = Limit::semaphore(3).unwrap();
    let bursar = Bursar::builder().resource(Resource::new("a", limit)).build().unwrap();
    assert_eq!(bursar.capacity("a"), Ok(3));
}

#[test]
fn trying_never_waits() {
    let bursar = slots(1);
    let lease = bursar.try_claim([("slots", 1)]).unwrap();
    assert!(bursar.try_claim([("slots", 1)]).unwrap().is_none());
    assert!(bursar.claim([("slots", 1)]).priority(9).try_now().unwrap().is_none());
    assert_eq!(bursar.waiting(), 0);
    drop(lease);
    assert!(bursar.try_claim([("slots", 1)]).unwrap().is_some());
}

#[test]
fn trying_does_not_take_what_is_kept_for_others_but_a_higher_priority_may() {
    let bursar =
        Bursar::builder().resource(Resource::semaphore("slots", 2)).max_bypass(0).build().unwrap();
    let first = bursar.try_claim([("slots", 1)]).unwrap();
    let mut large = bursar.claim([("slots", 2)]).into_future();
    assert!(poll(&mut large).is_pending());
    assert!(bursar.try_claim([("slots", 1)]).unwrap().is_none());
    let urgent = bursar.claim([("slots", 1)]).priority(1).try_now().unwrap();
    assert!(urgent.is_some());
    drop((first, urgent));
    assert!(ready(&mut large).is_ok());
}

#[test]
fn one_more_than_may_wait_is_refused_and_not_queued() {
    let bursar =
        Bursar::builder().resource(Resource::semaphore("slots", 1)).max_waiting(2).build().unwrap();
    let lease = bursar.try_claim([("slots", 1)]).unwrap();
    let mut waiting: Vec<_> = (0..2).map(|_| bursar.claim([("slots", 1)]).into_future()).collect();
    assert!(waiting.iter_mut().all(|claim| poll(claim).is_pending()));
    let full = Error::QueueFull { max_waiting: 2 };
    assert_eq!(bursar.claim([("slots", 1)]).blocking().unwrap_err(), full);
    waiting.pop();
    let mut third = bursar.claim([("slots", 1)]).into_future();
    assert!(poll(&mut third).is_pending(), "a place in the line came free");
    drop(lease);
}

#[test]
fn a_part_is_given_back_once_and_mints_nothing() {
    let bursar = two();
    let lease = bursar.claim([("gpu", 3), ("api", 10)]).blocking().unwrap();
    lease.release_part([("gpu", 2)]).unwrap();
    assert_eq!(bursar.available("gpu"), Ok(3));
    let too_much = Error::NotHeld { name: "gpu".into(), named: 2, held: 1 };
    assert_eq!(lease.release_part([("gpu", 2)]), Err(too_much));
    assert_eq!(
        lease.release_part([("gpu", 1), ("api", 1)]),
        Err(Error::NotASemaphore { name: "api".into() })
    );
    assert_eq!(lease.release_part(None::<(&str, u64)>), Err(Error::EmptyDemand));
    assert_eq!(bursar.available("gpu"), Ok(3), "a refused part gives nothing back");
    lease.release_part([("gpu", 1)]).unwrap();
    lease.release().unwrap();
    assert_eq!((bursar.available("gpu"), bursar.leases()), (Ok(4), 0));
}

#[test]
fn what_was_reserved_and_not_used_goes_back() {
    let clock = ManualClock::new();
    let bursar = Bursar::builder()
        .resource(Resource::token_bucket("tokens", 1.0, 1000))
        .resource(Resource::semaphore("slots", 1))
        .clock(clock.clone())
        .build()
        .unwrap();
    let lease = bursar.try_claim([("tokens", 900), ("slots", 1)]).unwrap().unwrap();
    let mut next = bursar.claim([("tokens", 700)]).into_future();
    assert!(poll(&mut next).is_pending());
    lease.settle([("tokens", 200)]).unwrap();
    assert!(ready(&mut next).is_ok(), "at once, for those who wait");
    assert_eq!(bursar.available("tokens"), Ok(100));
    assert_eq!(lease.settle([("slots", 1)]), Err(Error::NotATokenBucket { name: "slots".into() }));

    lease.settle([("tokens", 400)]).unwrap();
    assert_eq!(bursar.available("tokens"), Ok(0));
    assert_eq!(bursar.snapshot().resources[0].debt, 100, "what was used beyond is owed");
    clock.advance(Duration::from_secs(101));
    assert_eq!(bursar.available("tokens"), Ok(1));
}

#[test]
fn a_holder_that_panics_gives_back() {
    let bursar = slots(1);
    let claimed = std::panic::catch_unwind(|| {
        let _lease = bursar.claim([("slots", 1)]).blocking().unwrap();
        std::panic::resume_unwind(Box::new("the holder's own affair"));
    });
    assert!(claimed.is_err());
    assert!(bursar.try_claim([("slots", 1)]).unwrap().is_some());
}

#[test]
fn a_key_that_panics_or_claims_harms_nobody() {
    struct Mean<'a>(&'a Bursar);
    impl AsRef<str> for Mean<'_> {
        fn as_ref(&self) -> &str {
            drop(self.0.try_claim([("slots", 1)]).unwrap()); // Our lock is not held.
            panic!("no name");
        }
    }
    let bursar = slots(1);
    let claim = std::panic::AssertUnwindSafe(|| bursar.claim([(Mean(&bursar), 1)]).blocking());
    assert!(std::panic::catch_unwind(claim).is_err());
    assert!(bursar.try_claim([("slots", 1)]).unwrap().is_some());
    assert_eq!((bursar.waiting(), bursar.leases()), (0, 0));
}

#[test]
fn a_resize_shows_its_debt_and_holds_at_once() {
    let bursar = slots(4);
    let leases: Vec<_> = (0..4).map(|_| bursar.try_claim([("slots", 1)]).unwrap()).collect();
    let mut large = bursar.claim([("slots", 3)]).into_future();
    let mut small = bursar.claim([("slots", 1)]).into_future();
    assert!(poll(&mut large).is_pending() && poll(&mut small).is_pending());

    bursar.resize(Resource::semaphore("slots", 2)).unwrap();
    assert_eq!((bursar.available("slots"), bursar.snapshot().resources[0].debt), (Ok(0), 2));
    let shrunk = Error::NoLongerFits { name: "slots".into(), capacity: 2 };
    assert_eq!(ready(&mut large).unwrap_err(), shrunk);
    let mut leases = leases.into_iter();
    drop((leases.next(), leases.next()));
    assert!(poll(&mut small).is_pending(), "what came back paid the debt");

    bursar.resize(Resource::semaphore("slots", 3)).unwrap();
    assert!(ready(&mut small).is_ok());
    let kind = Error::KindChanged { name: "slots".into() };
    assert_eq!(bursar.resize(Resource::token_bucket("slots", 1.0, 1)), Err(kind));
}

#[test]
fn resources_come_and_go() {
    let bursar = slots(1);
    bursar.define(Resource::semaphore("extra", 1)).unwrap();
    let exists = Error::ResourceExists { name: "extra".into() };
    assert_eq!(bursar.define(Resource::semaphore("extra", 2)), Err(exists));
    let lease = bursar.try_claim([("extra", 1)]).unwrap().unwrap();
    let mut waiting = bursar.claim([("extra", 1), ("slots", 1)]).into_future();
    assert!(poll(&mut waiting).is_pending());
    bursar.remove("extra").unwrap();
    let removed = Error::ResourceRemoved { name: "extra".into() };
    assert_eq!(ready(&mut waiting).unwrap_err(), removed);
    assert!(matches!(bursar.remove("extra"), Err(Error::UnknownResource { .. })));
    bursar.define(Resource::semaphore("extra", 2)).unwrap();
    lease.release().unwrap();
    assert_eq!(bursar.available("extra"), Ok(2), "the old lease was not of the new resource");
}

#[test]
fn a_snapshot_tells_who_holds_and_who_waits() {
    let bursar = two();
    let lease = bursar.try_claim([("gpu", 3), ("api", 1)]).unwrap().unwrap();
    let mut claim = bursar.claim([("gpu", 2)]).priority(7).timeout(Duration::MAX).into_future();
    assert!(poll(&mut claim).is_pending());
    let snapshot = bursar.snapshot();
    let [gpu, api] = &snapshot.resources[..] else { panic!() };
    assert_eq!((&*gpu.name, gpu.available, gpu.held, gpu.waiting), ("gpu", 1, 3, 1));
    assert_eq!((&*api.name, api.held, api.limit.capacity()), ("api", 1, 100));
    let [holder, waiter] = &snapshot.claims[..] else { panic!() };
    assert_eq!((holder.ticket, holder.stage), (lease.ticket(), bursar::ClaimStage::Leased));
    assert_eq!((waiter.stage, waiter.priority), (bursar::ClaimStage::Waiting, 7));
    assert_eq!(waiter.demand, [("gpu".to_owned(), 2)]);
    assert_eq!(format!("{bursar:?}"), "Bursar { waiting: 1, leases: 1, .. }");
}

#[test]
fn without_limits_everything_is_granted_and_nothing_is_counted_but_leases() {
    let bursar = Bursar::unlimited();
    let leases: Vec<_> = (0..100)
        .map(|_| bursar.claim([("gpu", u64::MAX), ("any name", 1)]).blocking().unwrap())
        .collect();
    assert_eq!((bursar.held("gpu"), bursar.waiting(), bursar.leases()), (Ok(0), 0, 100));
    leases[0].release_part([("gpu", 5)]).unwrap();
    leases[0].settle([("gpu", 5)]).unwrap();
    bursar.resize(Resource::semaphore("gpu", 1)).unwrap();
    bursar.define(Resource::semaphore("gpu", 1)).unwrap();
    bursar.pause("gpu", Duration::MAX).unwrap();
    bursar.set_level("gpu", 0).unwrap();
    bursar.remove("gpu").unwrap();
    assert!(bursar.try_claim([("gpu", 2)]).unwrap().is_some());
    assert_eq!(bursar.try_claim(None::<(&str, u64)>).unwrap_err(), Error::EmptyDemand);
    assert!(bursar.try_claim([("gpu", 1), ("api", 0)]).is_err());
    drop(leases);
    bursar.drain().blocking();
    assert_eq!(bursar.try_claim([("gpu", 2)]).unwrap_err(), Error::Closed);
}

#[test]
fn handles_futures_and_leases_cross_threads() {
    fn crosses<T: Send + 'static>(_: &T) {}
    fn is_shared<T: Sync>(_: &T) {}
    let bursar = slots(2);
    let claim = bursar.claim([("slots", 1)]);
    let future = bursar.claim([("slots", 1)]).into_future();
    let lease = bursar.try_claim([("slots", 1)]).unwrap().unwrap();
    let idle = bursar.idle();
    crosses(&bursar);
    crosses(&claim);
    crosses(&future);
    crosses(&lease);
    crosses(&idle);
    crosses(&Error::Closed);
    is_shared(&bursar);
    is_shared(&lease);
    is_shared(&Error::Closed);
}
