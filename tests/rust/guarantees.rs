//! What the ledger promises, each promise on its own: rates over any window, no starvation, strictness.

use std::collections::HashMap;

use bursar::ledger::{
    ClaimOptions, Claimed, Event, Ledger, Limit, Order, Policy, Rate, ResourceId, Ticket, Time,
};

use crate::model::dice::Dice;
use crate::model::plan::{Plan, RATES};
use crate::model::windows::Windows;

const ORDERS: [Order; 2] = [Order::Fair, Order::Newest];
/// At fifty a second, one unit in 20 ms.
const TICK: u64 = 20_000_000;

fn ledger(order: Order, max_bypass: Option<u32>) -> Ledger {
    Ledger::new(Policy { order, max_bypass, max_waiting: None })
}

fn semaphore(ledger: &mut Ledger, name: &str, permits: u64) -> ResourceId {
    ledger.define(name, Limit::semaphore(permits).unwrap()).unwrap()
}

fn fifty_a_second(ledger: &mut Ledger, name: &str, burst: u64) -> ResourceId {
    let rate = Rate::per_second(50.0).unwrap();
    ledger.define(name, Limit::token_bucket(rate, burst).unwrap()).unwrap()
}

fn claim(ledger: &mut Ledger, demand: &[(ResourceId, u64)]) -> Claimed {
    ledger.claim(demand, &ClaimOptions::default()).unwrap()
}

/// The tickets of a ledger's grants since the last look, newcomers' apart. Who is woken asks again.
fn granted(ledger: &mut Ledger) -> Vec<Ticket> {
    let mut granted = Vec::new();
    while let Some(event) = ledger.poll_event() {
        match event {
            Event::Granted(ticket) => granted.push(ticket),
            Event::Woken(ticket) => {
                if let Ok(Claimed::Granted(ticket)) = ledger.retry(ticket) {
                    granted.push(ticket);
                }
            }
            other => panic!("{other:?}"),
        }
    }
    granted
}

// ---- rates

/// One random schedule: claims of one or two buckets, all wanting more than there is.
fn overload(order: Order, seed: u64) {
    let mut dice = Dice::new(seed);
    let mut ledger = ledger(order, dice.pick(&[None, Some(0), Some(3)]));
    let mut windows = Windows::default();
    let mut buckets = Vec::new();
    for name in ["a", "b"] {
        let plan = if dice.one_in(3) {
            Plan::AtMost { units: dice.within(11, 99), nanos: 1_000_000_007, burst: 10 }
        } else {
            Plan::Bucket { rate: dice.below(RATES.len() as u64) as usize, burst: 10 }
        };
        let id = ledger.define(name, plan.limit()).unwrap();
        windows.begin(id, plan);
        buckets.push(id);
    }
    let mut demands = HashMap::new();
    let mut now = 0;
    for _ in 0..600 {
        let demand: Vec<_> = match dice.below(3) {
            0 => buckets.iter().map(|&id| (id, dice.within(1, 10))).collect(),
            _ => vec![(dice.pick(&buckets), dice.within(1, 10))],
        };
        let claimed = claim(&mut ledger, &demand);
        let mut taken = match claimed {
            Claimed::Granted(ticket) => vec![ticket],
            Claimed::Waiting(_) => Vec::new(),
        };
        demands.insert(claimed.ticket(), demand);
        // Sometimes a moment later, sometimes when the next one is due, sometimes after an idle time.
        let next = ledger.next_wakeup().map_or(now, Time::as_nanos);
        now = match dice.below(9) {
            0 => now + dice.below(3_000_000_000),
            1..=5 => next.min(now + 100_000_000_000).max(now),
            _ => now,
        };
        taken.extend(granted(&mut ledger));
        take(&mut windows, &demands, ledger.now(), &taken);
        while let Some(due) = ledger.next_wakeup().filter(|due| due.as_nanos() <= now) {
            ledger.advance(due);
            let taken = granted(&mut ledger);
            take(&mut windows, &demands, due, &taken);
        }
        ledger.advance(Time::from_nanos(now));
    }
}

fn take(
    windows: &mut Windows,
    demands: &HashMap<Ticket, Vec<(ResourceId, u64)>>,
    at: Time,
    taken: &[Ticket],
) {
    for (id, units) in taken.iter().flat_map(|ticket| &demands[ticket]) {
        windows.granted(at.as_nanos(), *id, *units).unwrap();
    }
}

#[test]
fn no_window_grants_more_than_burst_and_rate_allow() {
    for seed in 0..60 {
        for order in [Order::Fair, Order::Newest, Order::Greedy] {
            overload(order, seed);
        }
    }
}

// ---- starvation

/// A large claim, and small ones without end: as soon as one ends another asks. Gives how many of those
/// that came later were granted before it, or `None` if it still waits after so many.
fn later_ones_before_a_large_one(order: Order, bound: Option<u32>, patience: u32) -> Option<u32> {
    let mut ledger = ledger(order, bound);
    let permits = semaphore(&mut ledger, "permits", 10);
    let mut leases: Vec<_> =
        (0..10).map(|_| claim(&mut ledger, &[(permits, 1)]).ticket()).collect();
    let large = claim(&mut ledger, &[(permits, 10)]).ticket();
    let mut later = 0;
    for _ in 0..patience {
        if let Claimed::Granted(ticket) = claim(&mut ledger, &[(permits, 1)]) {
            leases.push(ticket);
            later += 1;
        }
        if !leases.is_empty() {
            ledger.release(leases.remove(0)).unwrap();
        }
        for ticket in granted(&mut ledger) {
            if ticket == large {
                return Some(later);
            }
            leases.push(ticket);
            later += 1;
        }
    }
    None
}

#[test]
fn a_large_claim_is_served_after_as_many_small_ones_as_the_bound_allows() {
    for order in ORDERS {
        for bound in [0, 1, 7, 1000] {
            let later = later_ones_before_a_large_one(order, Some(bound), 5_000);
            assert_eq!(later, Some(bound), "{order:?} {bound}");
        }
    }
}

#[test]
fn without_a_bound_small_claims_starve_a_large_one() {
    for order in ORDERS {
        assert_eq!(later_ones_before_a_large_one(order, None, 5_000), None, "{order:?}");
    }
}

/// The same for a bucket of 50 a second: small ones take every unit when it comes.
fn later_ones_before_a_burst(order: Order, bound: Option<u32>, patience: u32) -> Option<u32> {
    let mut ledger = ledger(order, bound);
    let api = fifty_a_second(&mut ledger, "api", 10);
    claim(&mut ledger, &[(api, 10)]);
    let large = claim(&mut ledger, &[(api, 10)]).ticket();
    let mut later = 0;
    for tick in 1..=u64::from(patience) {
        if let Claimed::Granted(_) = claim(&mut ledger, &[(api, 1)]) {
            later += 1;
        }
        ledger.advance(Time::from_nanos(tick * TICK));
        for ticket in granted(&mut ledger) {
            if ticket == large {
                // The bound, and the time that a full burst takes.
                assert_eq!(tick, u64::from(later) + 10);
                return Some(later);
            }
            later += 1;
        }
    }
    None
}

#[test]
fn a_burst_is_served_after_as_many_small_claims_as_the_bound_allows() {
    for order in ORDERS {
        for bound in [0, 1, 7, 1000] {
            let later = later_ones_before_a_burst(order, Some(bound), 5_000);
            assert_eq!(later, Some(bound), "{order:?} {bound}");
        }
    }
}

#[test]
fn without_a_bound_small_claims_starve_a_burst() {
    for order in ORDERS {
        assert_eq!(later_ones_before_a_burst(order, None, 5_000), None, "{order:?}");
    }
}

#[test]
fn a_claim_of_two_resources_is_served_though_never_both_are_free_by_chance() {
    for order in ORDERS {
        let mut ledger = ledger(order, Some(20));
        let pair = ["a", "b"].map(|name| semaphore(&mut ledger, name, 1));
        let mut leases = pair.map(|id| claim(&mut ledger, &[(id, 1)]).ticket());
        let both = claim(&mut ledger, &[(pair[0], 1), (pair[1], 1)]).ticket();
        let mut turns = 0;
        while ledger.ticket(both) != Some(bursar::ledger::TicketStatus::Granted) {
            assert!(turns <= 21, "{order:?}");
            let side = turns % 2;
            // The next one asks before the last one ends.
            let next = claim(&mut ledger, &[(pair[side], 1)]).ticket();
            ledger.release(leases[side]).unwrap();
            if granted(&mut ledger).contains(&next) {
                leases[side] = next;
            }
            turns += 1;
        }
    }
}

#[test]
fn newest_first_the_longest_waiting_is_served_within_the_bound() {
    for bound in [1, 3, 10] {
        let mut ledger = ledger(Order::Newest, Some(bound));
        let one = semaphore(&mut ledger, "one", 1);
        let mut lease = claim(&mut ledger, &[(one, 1)]).ticket();
        let mut line: Vec<Ticket> = Vec::new();
        let mut passed = 0;
        for _ in 0..500 {
            line.extend((0..2).map(|_| claim(&mut ledger, &[(one, 1)]).ticket()));
            ledger.release(lease).unwrap();
            lease = granted(&mut ledger)[0];
            let place = line.iter().position(|&ticket| ticket == lease).unwrap();
            passed = if place == 0 { 0 } else { passed + 1 };
            assert!(passed <= bound, "the longest-waiting was passed {passed} times");
            line.remove(place);
        }
    }
}

// ---- strictness

/// The step at which the one claim that waits first is granted, with later claims or without.
fn served_at(order: Order, seed: u64, with_later_ones: bool) -> Option<u64> {
    let mut dice = Dice::new(seed);
    let mut ledger = ledger(order, Some(0));
    let mut ids: Vec<_> = ["a", "b"].map(|name| semaphore(&mut ledger, name, 8)).into();
    ids.push(fifty_a_second(&mut ledger, "c", 8));
    let mut ends: Vec<(u64, Ticket)> = Vec::new();
    for _ in 0..12 {
        let demand = some_of(&ids, &mut dice);
        let until = dice.within(1, 60);
        if let Some(ticket) = ledger.try_claim(&demand, &ClaimOptions::default()).unwrap() {
            ends.push((until, ticket));
        }
    }
    let demand = some_of(&ids, &mut dice);
    let Claimed::Waiting(first) = claim(&mut ledger, &demand) else { return Some(0) };
    for step in 1..200 {
        ledger.advance(Time::from_nanos(step * TICK / 4));
        let mut taken = granted(&mut ledger);
        for (_, ticket) in ends.extract_if(.., |end| end.0 <= step) {
            ledger.release(ticket).unwrap();
            taken.extend(granted(&mut ledger));
        }
        if taken.contains(&first) {
            return Some(step);
        }
        if with_later_ones {
            let priority = -(dice.below(2) as i32);
            let options = ClaimOptions { priority, ..ClaimOptions::default() };
            let claimed = ledger.claim(&some_of(&ids, &mut dice), &options).unwrap();
            if let Claimed::Granted(ticket) = claimed {
                taken.push(ticket);
            }
        }
        ends.extend(taken.into_iter().map(|ticket| (step + dice.within(1, 60), ticket)));
    }
    None
}

/// One to three of the resources, one to all units of each.
fn some_of(ids: &[ResourceId], dice: &mut Dice) -> Vec<(ResourceId, u64)> {
    let which = dice.within(1, 7);
    let chosen = ids.iter().enumerate().filter(|(place, _)| which & (1 << place) != 0);
    chosen.map(|(_, &id)| (id, dice.within(1, 8))).collect()
}

#[test]
fn strict_means_that_later_claims_never_delay_the_first_in_line() {
    let mut waited = 0;
    for order in ORDERS {
        for seed in 0..2_000 {
            let alone = served_at(order, seed, false);
            assert!(alone.is_some(), "everything ends");
            assert_eq!(alone, served_at(order, seed, true), "{order:?} {seed}");
            waited += u32::from(alone != Some(0));
        }
    }
    assert!(waited > 1_000, "only {waited} had to wait");
}
