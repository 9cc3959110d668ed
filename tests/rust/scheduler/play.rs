//! Plays a scenario: `tests/scenarios/README.md` says what the words mean. A word that is not known
//! fails, so that nothing is believed to be tested that is not.

use std::time::Duration;

use serde_json::{Map, Value};

use bursar::Limit;
use bursar::ledger::Rate;
use bursar::scheduler::core::{Backoff, Counters, Outcome, Shutdown};

use super::subject::{Ask, Definition, Happened, Subject, Whose};

type Fields = Map<String, Value>;

pub(crate) fn play<S: Subject>(
    scenario: &Value,
    subject: impl Fn(&[Definition], &[Definition]) -> S,
) {
    let scenario = scenario.as_object().unwrap();
    known(scenario, &["rule", "resources", "pools", "steps"]);
    let definitions = |key: &str| -> Vec<Definition> {
        let fields = scenario.get(key).and_then(Value::as_object);
        fields.into_iter().flatten().map(|(name, value)| definition(name, value)).collect()
    };
    let mut player = Player {
        subject: subject(&definitions("resources"), &definitions("pools")),
        happened: Vec::new(),
    };
    for (number, step) in scenario["steps"].as_array().unwrap().iter().enumerate() {
        eprintln!("step {}: {step}", number + 1); // shown if the test fails
        player.step(step.as_object().unwrap());
    }
}

fn definition(name: &str, value: &Value) -> Definition {
    let name = name.to_owned();
    let Some(fields) = value.as_object() else {
        let limit = value.as_u64().map(|permits| Limit::semaphore(permits).unwrap());
        return Definition { name, limit, shard: 0 };
    };
    known(fields, &["permits", "rate", "burst", "shard"]);
    let number = |key: &str| fields.get(key).and_then(Value::as_u64);
    let limit = match (number("permits"), fields.get("rate").and_then(Value::as_f64)) {
        (Some(permits), None) => Some(Limit::semaphore(permits).unwrap()),
        (None, Some(rate)) => {
            let rate = Rate::per_second(rate).unwrap();
            Some(Limit::token_bucket(rate, number("burst").unwrap()).unwrap())
        }
        _ => None,
    };
    Definition { name, limit, shard: number("shard").unwrap_or(0) as u32 }
}

struct Player<S> {
    subject: S,
    /// Since the last look.
    happened: Vec<Happened>,
}

impl<S: Subject> Player<S> {
    fn step(&mut self, step: &Fields) {
        let verbs = [
            "submit", "end", "fail", "cancel", "advance", "pause", "resume", "resize", "shutdown",
            "expect",
        ];
        let verb = verbs.into_iter().find(|&verb| step.contains_key(verb)).expect("a known verb");
        let object = &step[verb];
        let name = object.as_str().unwrap_or_default();
        match verb {
            "submit" => self.submit(name, step),
            "end" => {
                known(step, &["end"]);
                self.subject.ended(name, Outcome::Done, 0);
            }
            "fail" => {
                known(step, &["fail", "retry", "random"]);
                let retry = step.get("retry").is_none_or(|retry| retry.as_bool().unwrap());
                let random = step.get("random").map_or(0.5, |random| random.as_f64().unwrap());
                let random = ((random * (1_u64 << 53) as f64) as u64) << 11;
                self.subject.ended(name, Outcome::Failed { retry }, random);
            }
            "cancel" => {
                known(step, &["cancel", "answer"]);
                let answer = self.subject.cancel(name);
                assert_eq!(answer, step["answer"].as_bool().unwrap(), "cancel {name}");
            }
            "advance" => self.subject.advance(millis(object)),
            "pause" | "resume" => self.subject.pause(name, verb == "pause"),
            "resize" => {
                known(step, &["resize", "permits"]);
                self.subject.resize(name, step["permits"].as_u64().unwrap());
            }
            "shutdown" => self.subject.shutdown(match name {
                "drain" => Shutdown::Drain,
                "drop" => Shutdown::Drop,
                other => panic!("shutdown {other}"),
            }),
            _ => self.expect(object.as_object().unwrap()),
        }
        self.happened.extend(self.subject.happened());
    }

    fn submit(&mut self, name: &str, step: &Fields) {
        let options = [
            "submit",
            "pool",
            "shard",
            "resources",
            "priority",
            "attempts",
            "backoff",
            "timeout",
            "refused",
        ];
        known(step, &options);
        let answer = self.subject.submit(name, &ask(step));
        let expected = step.get("refused").map(|refused| refused.as_str().unwrap().to_owned());
        assert_eq!(answer.err(), expected, "submit {name}");
    }

    fn expect(&mut self, fields: &Fields) {
        let looked = std::mem::take(&mut self.happened);
        for (key, expected) in fields {
            match key.as_str() {
                "started" => {
                    let started = looked.iter().filter_map(|what| match what {
                        Happened::Started(name, 1) => Some(name.clone()),
                        Happened::Started(name, attempt) => {
                            Some(format!("{name} again, {attempt}"))
                        }
                        _ => None,
                    });
                    assert_eq!(started.collect::<Vec<_>>(), strings(expected), "started");
                }
                "finished" => {
                    let finished = looked.iter().filter_map(|what| match what {
                        Happened::Finished(name, _) => Some(name.clone()),
                        _ => None,
                    });
                    assert_eq!(finished.collect::<Vec<_>>(), strings(expected), "finished");
                }
                "aborted" => {
                    let aborted = looked.iter().filter_map(|what| match what {
                        Happened::Aborted(name) => Some(name.clone()),
                        _ => None,
                    });
                    assert_eq!(aborted.collect::<Vec<_>>(), strings(expected), "aborted");
                }
                "idle" => {
                    assert_eq!(self.subject.is_idle(), expected.as_bool().unwrap(), "idle");
                    let ended = |what: &Happened| matches!(what, Happened::Finished(..));
                    if self.subject.is_idle() && looked.iter().any(ended) {
                        assert_eq!(looked.last(), Some(&Happened::Idle), "it is told");
                    }
                }
                "states" => {
                    for (name, state) in expected.as_object().unwrap() {
                        assert_eq!(self.subject.state(name), state.as_str().unwrap(), "{name}");
                    }
                }
                "positions" => {
                    for (name, position) in expected.as_object().unwrap() {
                        let position = position.as_u64().map(|position| position as usize);
                        assert_eq!(self.subject.position(name), position, "{name}");
                    }
                }
                "counters" => {
                    compare(&self.subject.counters(Whose::All), expected, "in all");
                }
                "pools" | "resources" => {
                    for (name, expected) in expected.as_object().unwrap() {
                        let pool = key == "pools";
                        let whose = if pool { Whose::Pool(name) } else { Whose::Resource(name) };
                        compare(&self.subject.counters(whose), expected, name);
                    }
                }
                other => panic!("expect {other}"),
            }
        }
    }
}

fn ask(step: &Fields) -> Ask {
    let number = |key: &str, default: i64| step.get(key).map_or(default, |it| it.as_i64().unwrap());
    let resources = step.get("resources").and_then(Value::as_object).into_iter().flatten();
    let units = |(name, units): (&String, &Value)| (name.clone(), units.as_u64().unwrap());
    Ask {
        pool: step.get("pool").map_or("default", |pool| pool.as_str().unwrap()).to_owned(),
        shard: step.get("shard").map(|shard| shard.as_u64().unwrap() as u32),
        resources: resources.map(units).collect(),
        priority: number("priority", 0) as i32,
        attempts: number("attempts", 1) as u32,
        backoff: step.get("backoff").map_or(Backoff::NONE, backoff),
        timeout: step.get("timeout").map(millis),
    }
}

fn compare(counters: &Counters, expected: &Value, whose: &str) {
    for (key, expected) in expected.as_object().unwrap() {
        let count = match key.as_str() {
            "dispatched" => counters.dispatched,
            "parked" => counters.parked,
            "retried" => counters.retried,
            "failed" => counters.failed,
            "inversions" => counters.inversions,
            other => panic!("counter {other}"),
        };
        assert_eq!(count, expected.as_u64().unwrap(), "{key} of {whose}");
    }
}

fn backoff(value: &Value) -> Backoff {
    let fields = value.as_object().unwrap();
    known(fields, &["base", "factor", "max"]);
    let factor = fields.get("factor").map_or(2.0, |factor| factor.as_f64().unwrap());
    Backoff {
        base: millis(&fields["base"]),
        factor_thousandths: (factor * 1_000.0) as u32,
        max: fields.get("max").map_or(Backoff::default().max, millis),
    }
}

fn millis(value: &Value) -> Duration {
    Duration::from_millis(value.as_u64().unwrap())
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|value| value.as_str().unwrap().to_owned()).collect()
}

fn known(fields: &Fields, words: &[&str]) {
    for key in fields.keys() {
        assert!(words.contains(&key.as_str()), "{key:?} means nothing here");
    }
}
