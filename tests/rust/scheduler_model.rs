//! The core over a ledger, and the scheduler itself, against a list that is scanned.
//!
//! Random tasks in random circumstances: priorities, pools, pauses, failures, timeouts, resizes,
//! cancelling, shutting down. After every step what has happened, every state, position and counter must
//! be the same, and the ledger must hold what the running tasks demand.
//!
//! `BURSAR_SCHEDULER_ROUNDS` says how many sequences to play (default 300), `BURSAR_SCHEDULER_SEED` from
//! which seed (default: the same each time). A failure prints the seed and the steps.

#[path = "model/dice.rs"]
mod dice;
mod scheduler;

use std::env;
use std::time::Duration;

use bursar::Limit;
use bursar::ledger::Rate;
use bursar::scheduler::core::{Backoff, Outcome, Shutdown};

use crate::dice::Dice;
use crate::scheduler::booth::Booth;
use crate::scheduler::desk::Desk;
use crate::scheduler::reference::Reference;
use crate::scheduler::subject::{Ask, Definition, Subject, Whose};

const POOLS: [&str; 3] = ["default", "render", "train"];
const RESOURCES: [&str; 4] = ["api", "disk", "gpu", "ram"];
const STEPS: u32 = 120;

#[test]
fn the_core_does_what_a_plain_list_does() {
    rounds(300, |seed| {
        round(seed, true, Desk::new, |desk, reference| {
            for name in ["gpu", "disk", "ram", "pool:render"] {
                let ledger = &desk.shards[0].ledger;
                let id = ledger.resource(name).unwrap();
                assert_eq!(ledger.held(id), Some(reference.held(name)), "held of {name}");
            }
        });
    });
}

#[test]
fn the_scheduler_does_what_a_plain_list_does() {
    rounds(50, |seed| round(seed, false, Booth::new, |_, _| {}));
}

fn rounds(default: u64, round: impl Fn(u64)) {
    let number = |name: &str| env::var(name).ok().map(|text| text.parse().expect("a whole number"));
    let first = number("BURSAR_SCHEDULER_SEED").unwrap_or(1);
    for seed in first..first + number("BURSAR_SCHEDULER_ROUNDS").unwrap_or(default) {
        round(seed);
    }
}

fn definitions() -> (Vec<Definition>, Vec<Definition>) {
    let definition = |name: &str, limit| Definition { name: name.to_owned(), limit, shard: 0 };
    let permits = |permits| Some(Limit::semaphore(permits).unwrap());
    // One unit in ten milliseconds.
    let bucket = Limit::token_bucket(Rate::per_second(100.0).unwrap(), 4).unwrap();
    let resources = vec![
        definition("api", Some(bucket)),
        definition("disk", permits(3)),
        definition("gpu", permits(2)),
        definition("ram", permits(8)),
    ];
    (resources, vec![definition("render", permits(2)), definition("train", None)])
}

fn round<S: Subject>(
    seed: u64,
    gives_up_after_timeouts: bool,
    subject: impl Fn(&[Definition], &[Definition]) -> S,
    check: impl Fn(&S, &Reference),
) {
    let (resources, pools) = definitions();
    let mut pair = Pair {
        dice: Dice::new(seed),
        subject: subject(&resources, &pools),
        reference: Reference::new(&resources, &pools),
        names: Vec::new(),
        ram: 8,
        gives_up_after_timeouts,
    };
    eprintln!("seed {seed}"); // all of this is shown if the test fails
    for _ in 0..STEPS {
        let step = pair.step();
        eprintln!("{step}");
        pair.compare();
        check(&pair.subject, &pair.reference);
    }
    pair.come_to_an_end();
    check(&pair.subject, &pair.reference);
}

struct Pair<S> {
    dice: Dice,
    subject: S,
    reference: Reference,
    names: Vec<String>,
    ram: u64,
    /// In Rust a body's error is not that of a timeout, which is always worth another attempt.
    gives_up_after_timeouts: bool,
}

impl<S: Subject> Pair<S> {
    fn both<R: PartialEq + std::fmt::Debug>(&mut self, call: impl Fn(&mut dyn Subject) -> R) -> R {
        let expected = call(&mut self.reference);
        assert_eq!(call(&mut self.subject), expected);
        expected
    }

    fn step(&mut self) -> String {
        match self.dice.below(100) {
            0..35 => {
                let (name, ask) = (format!("t{}", self.names.len()), self.ask());
                let taken = self.both(|subject| subject.submit(&name, &ask));
                let shown = format!("submit {name} {ask:?}");
                if taken.is_ok() {
                    self.names.push(name);
                }
                shown
            }
            35..70 => self.end(),
            70..84 => {
                let span = Duration::from_millis(self.dice.within(1, 25));
                self.both(|subject| subject.advance(span));
                format!("advance {span:?}")
            }
            84..90 if !self.names.is_empty() => {
                let name = self.names[self.dice.below(self.names.len() as u64) as usize].clone();
                format!("cancel {name}: {}", self.both(|subject| subject.cancel(&name)))
            }
            90..96 => {
                let (pool, paused) = (self.dice.pick(&POOLS), self.dice.one_in(3));
                self.both(|subject| subject.pause(pool, paused));
                format!("pause {pool}: {paused}")
            }
            96..99 => {
                let permits = self.dice.within(1, 8);
                self.ram = permits;
                self.both(|subject| subject.resize("ram", permits));
                format!("resize ram to {permits}")
            }
            99 if self.dice.one_in(4) => {
                let how = self.dice.pick(&[Shutdown::Drain, Shutdown::Drop]);
                self.both(|subject| subject.shutdown(how));
                format!("shutdown: {how:?}")
            }
            _ => "nothing".to_owned(),
        }
    }

    fn ask(&mut self) -> Ask {
        let dice = &mut self.dice;
        let mut resources = Vec::new();
        for name in RESOURCES {
            if dice.one_in(3) {
                let most = match name {
                    "ram" => self.ram,
                    "gpu" => 2,
                    _ => 3,
                };
                resources.push((name.to_owned(), dice.within(1, most)));
            }
        }
        let even = |dice: &mut Dice, most| Duration::from_millis(2 * dice.below(most));
        Ask {
            pool: dice.pick(&POOLS).to_owned(),
            shard: None,
            resources,
            priority: dice.within(0, 3) as i32 - 1,
            attempts: dice.within(1, 3) as u32,
            backoff: Backoff::new(even(dice, 8), even(dice, 16)),
            timeout: dice.one_in(3).then(|| Duration::from_millis(dice.within(1, 40))),
        }
    }

    fn end(&mut self) -> String {
        let running = self.reference.running();
        if running.is_empty() {
            return "nobody runs".to_owned();
        }
        let name = running[self.dice.below(running.len() as u64) as usize].clone();
        let failed = |retry| Outcome::Failed { retry };
        let mut outcome =
            self.dice.pick(&[Outcome::Done, Outcome::Done, failed(true), failed(false)]);
        if self.reference.has_timed_out(&name) && !self.gives_up_after_timeouts {
            outcome = failed(true);
        }
        let random = self.dice.pick(&[0, 1 << 63, u64::MAX]);
        self.both(|subject| subject.ended(&name, outcome, random));
        format!("{name} ended: {outcome:?}, random {random}")
    }

    fn compare(&mut self) {
        self.both(|subject| subject.happened());
        for name in self.names.clone() {
            self.both(|subject| (name.clone(), subject.state(&name), subject.position(&name)));
        }
        self.both(|subject| (subject.is_idle(), subject.counters(Whose::All)));
        for pool in POOLS {
            self.both(|subject| (pool, subject.counters(Whose::Pool(pool))));
        }
        for name in RESOURCES {
            self.both(|subject| (name, subject.counters(Whose::Resource(name))));
        }
    }

    /// Whatever was going on, all of it ends.
    fn come_to_an_end(&mut self) {
        for pool in POOLS {
            self.both(|subject| subject.pause(pool, false));
        }
        for _ in 0..10_000 {
            if self.reference.is_idle() {
                break;
            }
            if self.reference.running().is_empty() {
                self.both(|subject| subject.advance(Duration::from_millis(10)));
            } else {
                self.end();
            }
            self.compare();
        }
        assert!(self.subject.is_idle(), "it does not end");
        assert_eq!(self.subject.counters(Whose::All).inversions, 0);
    }
}
