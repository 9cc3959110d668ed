//! What the ledger answers to given calls, so that other builds of it can be held against it.
//!
//! From fixed seeds come sequences of calls, in terms of the exports that the JavaScript package calls
//! (`src/js`). They are played to the ledger natively, through an encoder that shares no code with
//! `src/js`; calls and answers are committed as `tests/vectors/calls.json`. This test plays them again
//! and compares; `tests/js/vectors.test.ts` plays them to the WebAssembly.
//!
//! `BURSAR_WRITE_VECTORS=1 cargo test --test ledger_vectors` writes the file anew.

#[path = "model/dice.rs"]
mod dice;
mod vectors;

use std::collections::HashSet;
use std::{env, fs};

use crate::vectors::machine::Policy;
use crate::vectors::script::{Line, script};
use crate::vectors::shown;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/calls.json");
const NONE: f64 = f64::INFINITY;

/// Order, bypass bound, and how many may wait.
const POLICIES: [Policy; 9] = [
    (0, 1_000.0, NONE),
    (0, 2.0, NONE),
    (0, 0.0, 6.0),
    (0, NONE, NONE),
    (1, 1_000.0, NONE),
    (1, 1.0, NONE),
    (1, 0.0, NONE),
    (2, NONE, NONE),
    (2, 5.0, 4.0),
];

#[test]
fn the_ledger_answers_as_the_committed_vectors_say() {
    let sequences: Vec<(Policy, Vec<Line>)> =
        (1..).zip(POLICIES).map(|(seed, policy)| (policy, script(seed, policy))).collect();
    everything_occurs(&sequences);
    let text = json(&sequences);
    assert!(text.len() < 300_000, "{} bytes", text.len());
    if env::var_os("BURSAR_WRITE_VECTORS").is_some() {
        fs::write(FILE, &text).expect("the file can be written");
    }
    let committed = fs::read_to_string(FILE).expect("tests/vectors/calls.json is there");
    let mut lines = text.lines().zip(committed.lines()).zip(1..);
    if let Some(((now, then), number)) = lines.find(|((now, then), _)| now != then) {
        panic!("line {number} of tests/vectors/calls.json:\n{then}\nis now\n{now}");
    }
    assert_eq!(text, committed);
}

/// The vectors are worth what they cover: every export, every event, every refusal.
fn everything_occurs(sequences: &[(Policy, Vec<Line>)]) {
    let lines = || sequences.iter().flat_map(|(_, lines)| lines);
    let names: HashSet<&str> = lines().map(|line| line.name).collect();
    for name in EXPORTS {
        assert!(names.contains(name), "nothing calls {name}");
    }
    let rows = |name: &'static str| lines().filter(move |line| line.name == name);
    let codes: HashSet<u32> = rows("last_error").map(|line| line.row[0] as u32).collect();
    for code in [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 22, 23, 24, 25] {
        assert!(codes.contains(&code), "nothing is refused with {code}");
    }
    for code in 30..=33 {
        assert!(codes.contains(&code), "no limit is refused with {code}");
    }
    let events: HashSet<u32> = lines()
        .filter(|line| !["snapshot", "status", "shortage", "last_error"].contains(&line.name))
        .flat_map(|line| line.row.iter().step_by(2).map(|&kind| kind as u32))
        .collect();
    assert_eq!(events.len(), 8, "{events:?}");
}

#[rustfmt::skip]
const EXPORTS: [&str; 36] = [
    "advance", "available", "cancel", "capacity", "claim1", "claim2", "claim3",
    "claim_put", "close", "define", "flush", "held", "is_closed", "last_error", "leases", "needs_time",
    "next_wakeup", "options", "pause", "position", "put", "release", "release_part", "remove", "resize", "retry", "set_level",
    "set_priority", "settle_use", "shortage", "snapshot", "status", "try1", "try2", "try3", "under",
];

/// One call a line: its name, its arguments, an arrow and the result; after a colon the events or the
/// report that go with it.
fn json(sequences: &[(Policy, Vec<Line>)]) -> String {
    let sequence = |((order, max_bypass, max_waiting), lines): &(Policy, Vec<Line>)| {
        let (max_bypass, max_waiting) = (shown(*max_bypass), shown(*max_waiting));
        let calls: Vec<String> = lines.iter().map(|line| format!("        \"{line}\"")).collect();
        let calls = calls.join(",\n");
        let policy = format!("      \"policy\": \"{order} {max_bypass} {max_waiting}\"");
        format!("    {{\n{policy},\n      \"calls\": [\n{calls}\n      ]\n    }}")
    };
    let sequences: Vec<String> = sequences.iter().map(sequence).collect();
    format!("{{\n  \"sequences\": [\n{}\n  ]\n}}\n", sequences.join(",\n"))
}
