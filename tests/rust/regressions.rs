//! Short sequences that once went wrong, or nearly did, each played to the ledger and to the
//! reference, with every check after every call.

use bursar::ledger::{Close, Order, Policy, ResourceId};

use crate::model::calls::Answer::{self, Granted, Waiting};
use crate::model::calls::{Call, NEVER, Wish};
use crate::model::pair::Pair;
use crate::model::plan::Plan;
use crate::model::reference::State;

/// Fifty a second: one in 20 ms.
const FAST: usize = 0;
const TICK: u64 = 20_000_000;

fn pair(order: Order, max_bypass: Option<u32>, plans: &[Plan]) -> Pair {
    let mut pair = Pair::new(Policy { order, max_bypass, max_waiting: None });
    for (place, &plan) in plans.iter().enumerate() {
        play(&mut pair, &Call::Define(format!("r{place}"), plan));
    }
    pair
}

fn play(pair: &mut Pair, call: &Call) -> Answer {
    match pair.play(call) {
        Ok(answer) => answer,
        Err(why) => panic!("{}\n{why}", pair.transcript.join("\n")),
    }
}

fn wish(demand: &[(u32, u64)], priority: i32) -> Wish {
    let demand = demand.iter().map(|&(id, units)| (ResourceId::from_index(id), units)).collect();
    Wish { demand, priority, deadline: NEVER, ttl: NEVER, owner: None }
}

fn claim(pair: &mut Pair, demand: &[(u32, u64)]) -> Answer {
    play(pair, &Call::Claim(wish(demand, 0)))
}

fn finish(mut pair: Pair) {
    if let Err(why) = pair.finish() {
        panic!("{}\n{why}", pair.transcript.join("\n"));
    }
}

#[test]
fn a_change_of_priority_makes_no_barrier_of_who_is_not_first() {
    let mut pair = pair(Order::Fair, Some(0), &[Plan::Semaphore(1)]);
    for expected in [Granted(1), Waiting(2), Waiting(3)] {
        assert_eq!(claim(&mut pair, &[(0, 1)]), expected);
    }
    play(&mut pair, &Call::SetPriority(2, 0));
    play(&mut pair, &Call::SetPriority(2, 1));
    play(&mut pair, &Call::SetPriority(2, -1));
    finish(pair);
}

#[test]
fn a_woken_claim_is_not_short_of_what_is_kept_for_it() {
    let mut pair = pair(Order::Greedy, None, &[Plan::Semaphore(1)]);
    assert_eq!(claim(&mut pair, &[(0, 1)]), Granted(1));
    assert_eq!(claim(&mut pair, &[(0, 1)]), Waiting(2));
    play(&mut pair, &Call::Release(1));
    finish(pair);
}

#[test]
fn no_wakeup_is_left_when_the_last_waiting_claim_has_gone() {
    let mut pair = pair(Order::Fair, None, &[Plan::Bucket { rate: FAST, burst: 1 }]);
    assert_eq!(claim(&mut pair, &[(0, 1)]), Granted(1));
    assert_eq!(claim(&mut pair, &[(0, 1)]), Waiting(2));
    play(&mut pair, &Call::NextWakeup);
    play(&mut pair, &Call::Cancel(2));
    finish(pair);
}

#[test]
fn a_woken_claim_that_is_granted_brings_the_next_wakeup_forward() {
    let plans = [Plan::Bucket { rate: FAST, burst: 1 }, Plan::Bucket { rate: FAST, burst: 2 }];
    let mut pair = pair(Order::Greedy, None, &plans);
    assert_eq!(claim(&mut pair, &[(0, 1)]), Granted(1));
    assert_eq!(claim(&mut pair, &[(0, 1)]), Waiting(2));
    play(&mut pair, &Call::Advance(TICK));
    assert_eq!(claim(&mut pair, &[(1, 2)]), Granted(3));
    assert_eq!(claim(&mut pair, &[(0, 1), (1, 1)]), Waiting(4));
    play(&mut pair, &Call::NextWakeup);
    assert_eq!(play(&mut pair, &Call::Retry(2)), Granted(2));
    play(&mut pair, &Call::Advance(2 * TICK));
    finish(pair);
}

#[test]
fn the_end_of_a_semaphores_pause_serves_who_waits_for_it() {
    for order in [Order::Fair, Order::Newest, Order::Greedy] {
        let mut pair = pair(order, None, &[Plan::Semaphore(1)]);
        play(&mut pair, &Call::Pause(ResourceId::from_index(0), TICK));
        assert_eq!(claim(&mut pair, &[(0, 1)]), Waiting(1));
        play(&mut pair, &Call::Advance(TICK));
        finish(pair);
    }
}

#[test]
fn newest_first_a_barrier_is_served_although_a_newer_claim_like_it_waits() {
    for max_bypass in [0, 1, 2] {
        let mut pair = pair(Order::Newest, Some(max_bypass), &[Plan::Semaphore(1)]);
        for expected in [Granted(1), Waiting(2), Waiting(3), Waiting(4), Waiting(5)] {
            assert_eq!(claim(&mut pair, &[(0, 1)]), expected);
        }
        while let Some(&lease) = pair.reference.numbers(State::Granted).first() {
            play(&mut pair, &Call::Release(lease));
        }
        finish(pair);
    }
}

#[test]
fn newest_first_a_claim_before_a_barrier_is_served_although_a_newer_one_like_it_is_not() {
    // 2 and 5 are alike, 3 is a barrier between them: 2 may pass it, 5 may not.
    let plans = [Plan::Semaphore(4), Plan::Semaphore(1)];
    let mut pair = pair(Order::Newest, Some(0), &plans);
    assert_eq!(claim(&mut pair, &[(0, 4), (1, 1)]), Granted(1));
    assert_eq!(claim(&mut pair, &[(0, 3)]), Waiting(2));
    assert_eq!(claim(&mut pair, &[(0, 2), (1, 1)]), Waiting(3));
    assert_eq!(claim(&mut pair, &[(0, 3)]), Waiting(4));
    play(&mut pair, &Call::ReleasePart(1, vec![(ResourceId::from_index(0), 3)]));
    finish(pair);
}

#[test]
fn newest_first_the_wakeup_is_that_of_the_barrier() {
    for max_bypass in [0, 1] {
        let plans = [Plan::Bucket { rate: FAST, burst: 1 }];
        let mut pair = pair(Order::Newest, Some(max_bypass), &plans);
        for expected in [Granted(1), Waiting(2), Waiting(3), Waiting(4)] {
            assert_eq!(claim(&mut pair, &[(0, 1)]), expected);
        }
        for tick in 1..4 {
            play(&mut pair, &Call::Advance(tick * TICK));
        }
        finish(pair);
    }
}

#[test]
fn strict_newest_first_serves_the_newest_that_leaves_enough() {
    let mut pair = pair(Order::Newest, Some(0), &[Plan::Semaphore(2)]);
    assert_eq!(claim(&mut pair, &[(0, 2)]), Granted(1));
    assert_eq!(claim(&mut pair, &[(0, 1)]), Waiting(2));
    assert_eq!(claim(&mut pair, &[(0, 1)]), Waiting(3));
    play(&mut pair, &Call::Release(1));
    finish(pair);
}

#[test]
fn a_strict_line_serves_who_leaves_enough_for_every_barrier() {
    // 2 waits for r1. 3 wants 2 of r0 and must leave 2; 4 wants 1 and must leave 2.
    let mut pair = pair(Order::Fair, Some(0), &[Plan::Semaphore(4), Plan::Semaphore(1)]);
    assert_eq!(claim(&mut pair, &[(0, 1), (1, 1)]), Granted(1));
    assert_eq!(claim(&mut pair, &[(0, 1)]), Granted(2));
    assert_eq!(claim(&mut pair, &[(0, 2), (1, 1)]), Waiting(3));
    assert_eq!(claim(&mut pair, &[(0, 2)]), Waiting(4));
    assert_eq!(claim(&mut pair, &[(0, 1)]), Waiting(5));
    play(&mut pair, &Call::Release(2));
    finish(pair);
}

#[test]
fn closing_rejects_every_waiting_claim_once() {
    let mut pair = pair(Order::Fair, Some(0), &[Plan::Semaphore(1)]);
    for expected in [Granted(1), Waiting(2), Waiting(3)] {
        assert_eq!(claim(&mut pair, &[(0, 1)]), expected);
    }
    for how in [Close::Drain, Close::Now, Close::Now, Close::Drain] {
        play(&mut pair, &Call::Close(how));
    }
    finish(pair);
}

#[test]
fn newest_first_whom_a_newcomer_makes_a_barrier_is_served_at_once() {
    for call in [Call::Claim, Call::TryClaim] {
        let plans = [Plan::Semaphore(10), Plan::Semaphore(1)];
        let mut pair = pair(Order::Newest, Some(1), &plans);
        assert_eq!(claim(&mut pair, &[(1, 1)]), Granted(1));
        assert_eq!(claim(&mut pair, &[(0, 10)]), Granted(2));
        assert_eq!(claim(&mut pair, &[(0, 3)]), Waiting(3));
        assert_eq!(claim(&mut pair, &[(0, 8), (1, 1)]), Waiting(4));
        play(&mut pair, &Call::Release(1));
        // 4 is passed and a barrier: 3 must leave what it wants, and waits.
        assert_eq!(claim(&mut pair, &[(1, 1)]), Granted(5));
        play(&mut pair, &Call::Release(2));
        assert_eq!(pair.reference.numbers(State::Waiting), [3, 4]);
        // 3 is passed and a barrier, the more senior one.
        assert_eq!(play(&mut pair, &call(wish(&[(0, 1)], 0))), Granted(6));
        assert_eq!(pair.reference.numbers(State::Waiting), [4]);
        finish(pair);
    }
}

#[test]
fn newest_first_whom_a_cancellation_makes_a_barrier_is_served_at_once() {
    let plans = [Plan::Semaphore(10), Plan::Semaphore(1)];
    let mut pair = pair(Order::Newest, Some(1), &plans);
    assert_eq!(claim(&mut pair, &[(1, 1)]), Granted(1));
    assert_eq!(claim(&mut pair, &[(0, 9)]), Granted(2));
    assert_eq!(claim(&mut pair, &[(0, 3)]), Waiting(3));
    assert_eq!(play(&mut pair, &Call::Claim(wish(&[(0, 8), (1, 1)], -1))), Waiting(4));
    assert_eq!(claim(&mut pair, &[(0, 10)]), Waiting(5));
    // 3 is passed, and steps back behind 5.
    assert_eq!(claim(&mut pair, &[(0, 1)]), Granted(6));
    play(&mut pair, &Call::SetPriority(3, -1));
    // 4 is passed and a barrier: 3 must leave what it wants, and waits.
    play(&mut pair, &Call::Release(1));
    assert_eq!(play(&mut pair, &Call::Claim(wish(&[(1, 1)], -1))), Granted(7));
    play(&mut pair, &Call::Release(2));
    assert_eq!(pair.reference.numbers(State::Waiting), [3, 4, 5]);
    // 3 is the first again, and a barrier, the more senior one.
    play(&mut pair, &Call::Cancel(5));
    assert_eq!(pair.reference.numbers(State::Waiting), [4]);
    finish(pair);
}

#[test]
fn a_lease_that_gave_back_all_it_had_of_a_removed_resource_survives_a_snapshot() {
    let mut pair = pair(Order::Fair, None, &[Plan::Semaphore(1), Plan::Semaphore(1)]);
    let removed = ResourceId::from_index(0);
    assert_eq!(claim(&mut pair, &[(0, 1), (1, 1)]), Granted(1));
    play(&mut pair, &Call::Remove(removed));
    play(&mut pair, &Call::ReleasePart(1, vec![(removed, 1)]));
    play(&mut pair, &Call::Restore);
    // Another takes the number.
    play(&mut pair, &Call::Define("r2".to_owned(), Plan::Semaphore(2)));
    play(&mut pair, &Call::Restore);
    finish(pair);
}
