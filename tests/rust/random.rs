//! Random sequences of calls, played to the ledger and to the reference.

use std::env;
use std::panic::{self, AssertUnwindSafe};

use proptest::collection::vec;
use proptest::prelude::Strategy;
use proptest::test_runner::{
    Config, FileFailurePersistence, RngSeed, TestCaseError, TestError, TestRunner,
};

use crate::model::calls::Call;
use crate::model::ops::{self, Op, World};
use crate::model::pair::Pair;

const STEPS: u32 = 150_000;
const LONGEST: usize = 200;

fn number_from_env<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}, which is not a number")))
}

/// Plays a sequence.
pub(crate) fn played(world: &World, ops: &[Op]) -> Result<Pair, TestCaseError> {
    let mut pair = Pair::new(world.policy);
    play_on(world, ops, &mut pair)?;
    Ok(pair)
}

/// Plays a sequence to its end, and ends what it left.
fn play(world: &World, ops: &[Op], pair: &mut Pair) -> Result<(), TestCaseError> {
    play_on(world, ops, pair)?;
    pair.finish()
}

fn play_on(world: &World, ops: &[Op], pair: &mut Pair) -> Result<(), TestCaseError> {
    for (place, &plan) in world.plans.iter().enumerate() {
        pair.play(&Call::Define(format!("r{}", place + 1), plan))?;
    }
    for (number, &(plan, max_keys)) in (1..).zip(&world.families) {
        pair.play(&Call::DefineFamily(ops::family(number), plan, max_keys))?;
    }
    for op in ops {
        let call = op.call(pair);
        pair.play(&call)?;
    }
    Ok(())
}

#[test]
fn the_ledger_does_what_the_reference_does() {
    let seed = number_from_env("BURSAR_MODEL_SEED").unwrap_or_else(rand_seed);
    let steps = number_from_env("BURSAR_MODEL_STEPS").unwrap_or(STEPS);
    let config = Config {
        cases: steps.div_ceil(LONGEST as u32 / 2),
        rng_seed: RngSeed::Fixed(seed),
        max_shrink_iters: 50_000,
        source_file: Some(file!()),
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(
            "tests/rust/proptest-regressions/ledger_model.txt",
        ))),
        ..Config::default()
    };
    let sequences = (ops::world(), vec(ops::op(), 1..LONGEST)).prop_map(Box::new);
    let result = TestRunner::new(config).run(&sequences, |sequence| {
        let (world, ops) = *sequence;
        play(&world, &ops, &mut Pair::new(world.policy))
    });
    match result {
        Ok(()) => {}
        Err(TestError::Abort(why)) => panic!("seed {seed}: given up: {why}"),
        Err(TestError::Fail(why, sequence)) => {
            let (world, ops) = *sequence;
            panic!(
                "BURSAR_MODEL_SEED={seed}: {why}\nAs short as it gets:\n{}",
                report(&world, &ops)
            );
        }
    }
}

/// The sequence without whatever can be left out, as calls.
fn report(world: &World, ops: &[Op]) -> String {
    let mut ops = ops.to_vec();
    let mut shortest = replay(world, &ops);
    let mut place = ops.len();
    while place > 0 {
        place -= 1;
        let mut fewer = ops.clone();
        fewer.remove(place);
        let replayed = replay(world, &fewer);
        if replayed.is_err() {
            (ops, shortest) = (fewer, replayed);
            place = ops.len();
        }
    }
    shortest.err().unwrap_or_else(|| "which passes when played again".to_owned())
}

fn replay(world: &World, ops: &[Op]) -> Result<(), String> {
    let mut pair = Pair::new(world.policy);
    let played = panic::catch_unwind(AssertUnwindSafe(|| play(world, ops, &mut pair)));
    let why = match played {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(why)) => why.to_string(),
        Err(_) => "panicked".to_owned(),
    };
    Err(format!("{:?}\n{}\n{why}", world.policy, pair.transcript.join("\n")))
}

fn rand_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id())
}
