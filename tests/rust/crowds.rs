//! Many sets of resources at once, which share some: more than the random worlds have, so that sets
//! come and go, stand at the same gates, and have barriers beside each other.

use bursar::ledger::{Order, Policy, ResourceId};

use crate::model::calls::{Call, NEVER, Wish};
use crate::model::dice::Dice;
use crate::model::pair::Pair;
use crate::model::plan::Plan;
use crate::model::reference::State;

const RESOURCES: u64 = 10;

/// Half of the demands want the first resource, and one to three others.
fn demand(dice: &mut Dice, plans: &[Plan]) -> Vec<(ResourceId, u64)> {
    let mut demand: Vec<(u64, u64)> = Vec::new();
    for place in 0..dice.within(1, 4) {
        let id = if place == 0 && dice.one_in(2) { 0 } else { dice.within(1, RESOURCES - 1) };
        let most = plans[id as usize].capacity().min(if dice.one_in(3) { 6 } else { 2 });
        if demand.iter().all(|pair| pair.0 != id) {
            demand.push((id, dice.within(1, most)));
        }
    }
    let pairs = demand.iter().map(|&(id, units)| (ResourceId::from_index(id as u32), units));
    pairs.collect()
}

/// Some that waits or holds. Most are old: then the lines are long.
fn any_of(pair: &Pair, state: State, dice: &mut Dice) -> u64 {
    let numbers = pair.reference.numbers(state);
    numbers.get(dice.below(numbers.len() as u64 + 1) as usize).copied().unwrap_or(1_000_000)
}

fn call(pair: &Pair, plans: &[Plan], grows: bool, dice: &mut Dice) -> Call {
    match dice.below(if grows { 40 } else { 24 }) {
        0..9 => Call::Release(any_of(pair, State::Granted, dice)),
        9..12 => Call::Cancel(any_of(pair, State::Waiting, dice)),
        12..15 => Call::Retry(any_of(pair, State::Woken, dice)),
        15 => Call::SetPriority(any_of(pair, State::Waiting, dice), dice.within(0, 2) as i32 - 1),
        16 => Call::CancelAll((0..3).map(|_| any_of(pair, State::Waiting, dice)).collect()),
        17..20 => Call::Advance(pair.reference.now() + dice.below(60_000_000)),
        20 => Call::Restore,
        _ => Call::Claim(Wish {
            demand: demand(dice, plans),
            priority: if dice.one_in(8) { dice.within(0, 2) as i32 - 1 } else { 0 },
            deadline: NEVER,
            ttl: NEVER,
            owner: dice.one_in(4).then(|| any_of(pair, State::Granted, dice)),
        }),
    }
}

fn crowd(order: Order, max_bypass: Option<u32>, seed: u64) {
    let mut dice = Dice::new(seed);
    let mut pair = Pair::new(Policy { order, max_bypass, max_waiting: None });
    let play = |pair: &mut Pair, call: &Call| {
        if let Err(why) = pair.play(call) {
            panic!("{order:?} {max_bypass:?} {seed}\n{}\n{why}", pair.transcript.join("\n"));
        }
    };
    let mut plans = Vec::new();
    for number in 0..RESOURCES {
        // The first one is scarce in some worlds, and plentiful in others.
        let units = if number == 0 { dice.pick(&[3, 8, 40]) } else { dice.within(1, 6) };
        let bucket = Plan::Bucket { rate: dice.below(3) as usize, burst: units };
        let plan = if dice.one_in(5) { bucket } else { Plan::Semaphore(units) };
        play(&mut pair, &Call::Define(format!("r{number}"), plan));
        plans.push(plan);
    }
    for step in 0..600 {
        // Up to some eighty wait, and then few.
        let next = call(&pair, &plans, step % 300 < 180, &mut dice);
        play(&mut pair, &next);
    }
    if let Err(why) = pair.finish() {
        panic!("{order:?} {max_bypass:?} {seed}\n{}\n{why}", pair.transcript.join("\n"));
    }
}

fn crowds(order: Order, bounds: &[Option<u32>]) {
    for seed in 0..8 {
        for &bound in bounds {
            crowd(order, bound, seed);
        }
    }
}

#[test]
fn many_sets_are_served_as_a_list_would_be() {
    crowds(Order::Fair, &[None, Some(0), Some(1), Some(4)]);
}

#[test]
fn many_sets_are_served_newest_first_as_a_list_would_be() {
    crowds(Order::Newest, &[None, Some(0), Some(1), Some(4)]);
}

#[test]
fn many_sets_are_woken_as_a_list_would_be() {
    crowds(Order::Greedy, &[None]);
}
