//! Configuration files: what is read, what is refused, and in which words.
//!
//! `tests/config/good` and `tests/config/bad` hold the files, with what is wrong beside the bad ones; the
//! same files drive `tests/js/config.test.ts`. `BURSAR_WRITE_CONFIG=1 cargo test --features config --test
//! config` writes the mistakes anew after a deliberate change: read them before they are committed.

use std::fs;
use std::path::{Path, PathBuf};

use bursar::config::{BuildError, Config, ConfigErrors, LoadError};
use bursar::{Bursar, Limit, ManualClock, Order, Resource, Scheduler};
use serde_json::{Value, json};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config").join(name)
}

/// The files of a folder that end so, by name.
fn files(name: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(name)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|file| {
            let text = file.to_str().unwrap();
            text.ends_with(ending) && !text.ends_with(".mistakes.json")
        })
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn mistakes_of(file: &Path) -> ConfigErrors {
    match Config::load(file) {
        Err(LoadError::Mistakes(mistakes)) => mistakes,
        other => panic!("{}: {other:?}", file.display()),
    }
}

fn toml_mistakes(text: &str) -> Vec<String> {
    Config::from_toml(text).unwrap_err().iter().map(ToString::to_string).collect()
}

fn json_mistakes(text: &str) -> Vec<String> {
    Config::from_json(text).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn the_good_files_say_the_same_in_toml_and_json() {
    for file in files("good", ".toml") {
        let toml = Config::load(&file).unwrap_or_else(|error| panic!("{error}"));
        let mut json = Config::load(file.with_extension("json")).unwrap();
        assert_eq!(toml, json, "{}", file.display());
        json.resources.clear();
        assert!(toml.pools.len() == json.pools.len());
    }
}

#[test]
fn every_mistake_of_the_bad_files_is_told_with_its_place() {
    let write = std::env::var_os("BURSAR_WRITE_CONFIG").is_some();
    for file in [files("bad", ".toml"), files("bad", ".json")].concat() {
        let is_toml = file.extension().unwrap() == "toml";
        let found: Vec<Value> = mistakes_of(&file)
            .iter()
            .map(|mistake| match (mistake.line(), mistake.column()) {
                (Some(line), Some(column)) => {
                    let at = format!("{line}:{column}");
                    json!({ "at": at, "path": mistake.path(), "message": mistake.message() })
                }
                _ => json!({ "path": mistake.path(), "message": mistake.message() }),
            })
            .collect();
        let data = PathBuf::from(format!("{}.mistakes.json", file.display()));
        if write {
            let text = serde_json::to_string_pretty(&found).unwrap();
            fs::write(&data, text + "\n").unwrap();
        }
        let expected: Vec<Value> =
            serde_json::from_str(&fs::read_to_string(&data).unwrap()).unwrap();
        assert_eq!(found, expected, "{}", file.display());
        assert!(!is_toml || found.iter().all(|mistake| mistake["at"].is_string()));
    }
}

#[test]
fn both_notations_of_a_bad_file_have_the_same_mistakes() {
    for file in files("bad", ".toml") {
        let twin = file.with_extension("json");
        if !twin.exists() {
            continue;
        }
        let messages = |file: &Path| {
            let mut messages: Vec<_> =
                mistakes_of(file).iter().map(|mistake| mistake.message().to_owned()).collect();
            messages.sort();
            messages
        };
        assert_eq!(messages(&file), messages(&twin), "{}", file.display());
    }
}

#[test]
fn a_file_is_read_into_what_the_constructors_make() {
    let config = Config::load(folder("good/kinds.toml")).unwrap();
    let limits: Vec<_> = config.resources.iter().map(|r| (r.name.as_str(), r.limit)).collect();
    let limit = |resource: Resource| resource.limit().unwrap();
    let hour = std::time::Duration::from_hours(1);
    let half = std::time::Duration::from_micros(500);
    assert_eq!(
        limits,
        [
            ("gpu", Limit::semaphore((1 << 53) - 1).unwrap()),
            ("api", limit(Resource::token_bucket("api", 50.0, 100))),
            ("slow", limit(Resource::token_bucket("slow", 1e-9, 1))),
            ("mail", limit(Resource::at_most("mail", 750, hour, 10))),
            ("even", limit(Resource::at_most("even", 2, half, 1))),
        ]
    );
    assert_eq!(config.policy.order, Order::Newest);
    assert_eq!(config.policy.max_bypass, Some(0));
    assert_eq!(config.policy.max_waiting, Some(10_000));
}

#[test]
fn families_shards_and_pools_are_read() {
    let config = Config::load(folder("good/full.toml")).unwrap();
    let resource = |name: &str| config.resources.iter().find(|r| r.name == name).unwrap();
    assert_eq!(config.policy.max_bypass, None);
    assert_eq!(resource("gpu").shard.as_deref(), Some("render"));
    assert_eq!(resource("origin").family.unwrap().max_keys, Some(10_000));
    assert_eq!(resource("tenant").family.unwrap().max_keys, None);
    assert_eq!(resource("a.b/c d").family, None);
    let pools: Vec<_> = config.pools.iter().map(|p| (p.name.as_str(), p.concurrency)).collect();
    assert_eq!(pools, [("render", Some(4)), ("any", None)]);
}

#[test]
fn a_bursar_is_made_with_the_settings_of_the_file() {
    let text = "max_waiting = 0\n[resources.gpu]\nkind = 'semaphore'\npermits = 2";
    let bursar = Bursar::from_config(&Config::from_toml(text).unwrap()).unwrap();
    let _both = bursar.claim([("gpu", 2)]).blocking().unwrap();
    let refused = bursar.claim([("gpu", 1)]).blocking().unwrap_err();
    assert_eq!(refused, bursar::Error::QueueFull { max_waiting: 0 });
}

#[test]
fn a_family_of_the_file_has_its_keys_and_its_bound() {
    let text = "[resources.origin]\nkind = 'semaphore'\npermits = 2\nfamily = true\nmax_keys = 1";
    let bursar = Bursar::from_config(&Config::from_toml(text).unwrap()).unwrap();
    let _one = bursar.claim([("origin/a", 2)]).blocking().unwrap();
    let refused = bursar.claim([("origin/b", 1)]).blocking().unwrap_err();
    assert_eq!(refused, bursar::Error::FamilyFull { name: "origin".to_owned(), max_keys: 1 });
}

#[test]
fn what_a_bursar_has_not_is_refused_by_name() {
    let gpu = "[resources.gpu]\nkind = 'semaphore'\npermits = 2\n";
    for (more, part, name) in
        [("shard = 'left'", "shard", "left"), ("[pools.render]", "pool", "render")]
    {
        let config = Config::from_toml(&format!("{gpu}{more}")).unwrap();
        let (handle, name) = ("bursar", name.to_owned());
        let refused = Bursar::from_config(&config).unwrap_err();
        assert_eq!(refused, BuildError::Unsupported { handle, part, name });
    }
}

#[test]
fn a_scheduler_is_made_of_shards_and_pools() {
    let text = r#"
        [resources.gpu]
        kind = "semaphore"
        permits = 2
        shard = "render"
        [resources.db]
        kind = "semaphore"
        permits = 20
        [pools.render]
        concurrency = 1
        shard = "render"
    "#;
    let config = Config::from_toml(text).unwrap();
    assert_eq!(config.shards(), [Some("render"), None]);
    let clock = ManualClock::new();
    let scheduler = config.scheduler().unwrap().clock(&clock).build().unwrap();
    let task = scheduler.submit(|_| async { Ok::<_, String>(7) }).pool("render");
    let task = task.resource("gpu", 2).start().unwrap();
    assert_eq!(futures_lite::future::block_on(task).unwrap(), 7);
    let apart = scheduler.submit(|_| async { Ok::<_, String>(7) }).pool("render");
    assert!(apart.resource("db", 1).start().is_err(), "a resource of another shard");
}

#[test]
fn what_a_scheduler_has_not_is_refused_by_name() {
    let gpu = "[resources.gpu]\nkind = 'semaphore'\npermits = 2\n";
    for (text, part, name) in [
        (format!("order = 'newest'\n{gpu}"), "order", "newest"),
        (format!("max_waiting = 7\n{gpu}"), "max_waiting", "7"),
        (format!("{gpu}family = true"), "family", "gpu"),
    ] {
        let config = Config::from_toml(&text).unwrap();
        let (handle, name) = ("scheduler", name.to_owned());
        let refused = Scheduler::from_config(&config).unwrap_err();
        assert_eq!(refused, BuildError::Unsupported { handle, part, name });
    }
}

#[test]
fn broken_toml_hides_no_mistake_of_the_lines_that_are_whole() {
    let text = "order = 'fare'\n[resources.gpu]\nkind = 'semaphore'\npermits = = 4\nshard = 3\n";
    let mistakes = toml_mistakes(text);
    let (first, last) = (mistakes.first().unwrap(), mistakes.last().unwrap());
    assert!(first.starts_with("1:9: order is \"fare\""), "{mistakes:#?}");
    assert!(last.starts_with("5:9: resources.gpu.shard is 3"), "{mistakes:#?}");
    let between = &mistakes[1..mistakes.len() - 1];
    let broken = |line: &String| line.starts_with("4:") && line.contains("this is not TOML: ");
    assert!(!between.is_empty() && between.iter().all(broken), "{mistakes:#?}");
}

#[test]
fn columns_count_characters() {
    let mistakes = toml_mistakes("'ärger' = 1\nresources = { 'ö' = { kind = 1 } }");
    assert!(mistakes[0].starts_with("1:1: \"ärger\": no such key"), "{mistakes:#?}");
    assert!(mistakes[1].starts_with("2:30: resources.\"ö\".kind is 1"), "{mistakes:#?}");
}

#[test]
fn a_byte_order_mark_is_no_mistake() {
    let toml = "\u{feff}[resources.gpu]\nkind = 'semaphore'\npermits = 4";
    Config::from_toml(toml).unwrap();
    assert!(toml_mistakes("\u{feff}ordr = 1")[0].starts_with("1:1: ordr"));
    let json = "\u{feff}{ \"pools\": { \"render\": {} } }";
    Config::from_json(json).unwrap();
}

#[test]
fn text_that_is_no_json_is_told_with_its_place() {
    let mistakes = json_mistakes("{\n  \"resources\": }");
    assert_eq!(mistakes, ["2:16: this is not JSON: expected value"]);
    assert_eq!(json_mistakes(""), ["1:1: this is not JSON: EOF while parsing a value"]);
}

#[test]
fn a_key_that_comes_twice_in_json_is_a_mistake() {
    let text =
        r#"{ "pools": { "a": { "concurrency": 1, "concurrency": 2 }, "a": {} }, "pools": {} }"#;
    assert_eq!(
        json_mistakes(text),
        [
            "pools is given twice; give it once",
            "pools.a is given twice; give it once",
            "pools.a.concurrency is given twice; give it once",
        ]
    );
}

#[test]
fn the_whole_report_can_be_read_in_a_terminal() {
    let text = "[resources.gpu]\npermit = 4";
    assert_eq!(
        Config::from_toml(text).unwrap_err().to_string(),
        "the configuration has 2 mistakes:\n  \
         1:12: resources.gpu.kind is missing; it must be \"semaphore\", \"token_bucket\" or \"at_most\"\n  \
         2:1: resources.gpu.permit: no such key; did you mean \"permits\"?"
    );
}

#[test]
fn a_loaded_file_is_named_in_front_of_the_place() {
    let file = folder("bad/nothing.toml");
    let report = Config::load(&file).unwrap_err().to_string();
    assert!(report.contains(&format!("\n  {}:1:1: there are no resources", file.display())));
    let file = folder("bad/nothing.json");
    let report = Config::load(&file).unwrap_err().to_string();
    assert!(report.contains(&format!("\n  {}: there are no resources", file.display())));
}

#[test]
fn a_file_that_is_not_there_or_of_another_kind_is_refused() {
    let none = Config::load(folder("none.toml")).unwrap_err();
    assert!(matches!(none, LoadError::Read { .. }), "{none}");
    let other = Config::load(folder("bursar.yaml")).unwrap_err();
    assert!(matches!(other, LoadError::Extension { .. }), "{other}");
}

#[test]
fn the_guide_shows_what_is_so() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/configuration.md");
    let guide = fs::read_to_string(guide).unwrap();
    let example = guide.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let config = Config::from_toml(example).unwrap();
    assert_eq!((config.resources.len(), config.pools.len()), (4, 1));

    let text = "order = 'fare'\n\n[resources.gpu]\nkind = 'semaphore'\npermit = 4\n\n\
                [resources.api]\nkind = 'token_bucket'\nrate = 0\nburst = 1\n";
    for mistake in Config::from_toml(text).unwrap_err() {
        assert!(guide.contains(&format!("\n  bursar.toml:{mistake}\n")), "{mistake}");
    }
}
