//! The rules of dispatching, one file each: `tests/scenarios`. Played to the core over ledgers, and
//! to the scheduler, on fake time. `tests/scenarios/README.md` explains the files.

mod scheduler;

use std::path::Path;
use std::{fs, panic};

use crate::scheduler::booth::Booth;
use crate::scheduler::desk::Desk;
use crate::scheduler::play::play;

#[test]
fn the_core_follows_every_rule() {
    each_file(|scenario| {
        play(scenario, Desk::new);
    });
}

#[test]
fn the_scheduler_follows_every_rule() {
    each_file(|scenario| {
        play(scenario, Booth::new);
    });
}

fn each_file(test: impl Fn(&serde_json::Value)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    assert!(files.len() > 15, "the scenarios are there");
    let mut failed = Vec::new();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).unwrap();
        let scenario =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        if panic::catch_unwind(panic::AssertUnwindSafe(|| test(&scenario))).is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
