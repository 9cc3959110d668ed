//! What a configuration has, and what each part must be. Mistakes come in the order of this file, the
//! same as in `js/config/schema.ts`.

use super::error::ConfigError;
use super::limits::{self, UNITS};
use super::parts::{Config, FamilyConfig, PoolConfig, ResourceConfig};
use super::reader::{Need, Reader, Section};
use super::shown;
use super::tree::{Entry, Format, Node, Value};
use crate::ledger::{Order, Policy};

const COUNT: (u64, u64, &str) = (0, u32::MAX as u64, "a whole number from 0 to 2^32 - 1");
const KEYS: (u64, u64, &str) = (1, u32::MAX as u64, "a whole number from 1 to 2^32 - 1");
const ORDERS: [&str; 3] = ["fair", "newest", "greedy"];
/// `$schema` is a note to editors.
const ROOT: [&str; 6] = ["order", "max_bypass", "max_waiting", "resources", "pools", "$schema"];
const POOL: [&str; 2] = ["concurrency", "shard"];

pub(super) fn read(root: &Node, format: Format) -> (Config, Vec<ConfigError>) {
    let mut reader = Reader::new(format);
    let mut config = Config::default();
    if let Some(root) = reader.root(root) {
        reader.keys(&root, "a configuration", &ROOT);
        config.policy = policy(&mut reader, &root);
        let resources = named(&mut reader, &root, "resources");
        for (name, section) in &resources {
            config.resources.extend(resource(&mut reader, section, name));
        }
        for (name, section) in named(&mut reader, &root, "pools") {
            config.pools.push(pool(&mut reader, &section, name));
        }
        let is_empty = |key| match root.get(key).map(|entry| &entry.node.value) {
            None => true,
            Some(Value::Table(entries)) => entries.is_empty(),
            Some(_) => false,
        };
        if is_empty("resources") && is_empty("pools") {
            reader.nothing("resources", "there are no resources; name at least one");
        }
        families(&mut reader, &resources);
    }
    (config, reader.finish())
}

fn policy(reader: &mut Reader, root: &Section<'_>) -> Policy {
    let default = Policy::default();
    let order = match reader.word(root, "order", Need::Optional, &ORDERS) {
        Some(1) => Order::Newest,
        Some(2) => Order::Greedy,
        _ => Order::Fair,
    };
    let unlimited =
        |entry: &Entry| matches!(&entry.node.value, Value::Text(text) if text == "unlimited");
    let max_bypass = if root.get("max_bypass").is_some_and(unlimited) {
        None
    } else {
        let right = format!("{}, or \"unlimited\"", COUNT.2);
        let bound = reader.whole(root, "max_bypass", Need::Optional, (COUNT.0, COUNT.1, &right));
        bound.map_or(default.max_bypass, |bound| Some(bound as u32))
    };
    let max_waiting = reader.whole(root, "max_waiting", Need::Optional, COUNT);
    Policy { order, max_bypass, max_waiting: max_waiting.map(|bound| bound as u32) }
}

/// The tables of `[key.NAME]`, by name.
fn named<'a>(reader: &mut Reader, root: &Section<'a>, key: &str) -> Vec<(&'a str, Section<'a>)> {
    let Some(section) = root.get(key).and_then(|entry| reader.section(root.path_of(key), entry))
    else {
        return Vec::new();
    };
    reader.twice(&section);
    let mut parts = Vec::new();
    for entry in section.entries() {
        let path = section.path_of(&entry.key);
        if entry.key.is_empty() {
            let message = format!("{path}: the name is \"\"; it must not be empty");
            reader.note(path.clone(), entry.place, message);
        }
        let part = reader.section(path, entry);
        parts.extend(part.map(|part| (entry.key.as_str(), part)));
    }
    parts
}

fn resource(reader: &mut Reader, section: &Section<'_>, name: &str) -> Option<ResourceConfig> {
    let limit = limits::read(reader, section);
    let shard = reader.name(section, "shard");
    let is_family = reader.flag(section, "family");
    let max_keys = reader.whole(section, "max_keys", Need::Optional, KEYS);
    let is_none =
        section.get("family").is_none_or(|entry| matches!(entry.node.value, Value::Bool(false)));
    if let Some(entry) = section.get("max_keys")
        && is_none
    {
        let path = section.path_of("max_keys");
        let message = format!("{path} is for a family; add family = true, or leave it out");
        reader.note(path, entry.place, message);
    }
    let family = is_family.then(|| FamilyConfig { max_keys: max_keys.map(|bound| bound as u32) });
    Some(ResourceConfig { name: name.to_owned(), limit: limit?, shard, family })
}

fn pool(reader: &mut Reader, section: &Section<'_>, name: &str) -> PoolConfig {
    reader.keys(section, "a pool", &POOL);
    let concurrency = reader.whole(section, "concurrency", Need::Optional, UNITS);
    let shard = reader.name(section, "shard");
    PoolConfig { name: name.to_owned(), concurrency, shard }
}

/// The key of `origin/KEY` begins behind the first stroke. So a family's own name has none, and what
/// begins with a family's name and a stroke is of that family.
fn families(reader: &mut Reader, resources: &[(&str, Section<'_>)]) {
    let is_family = |section: &Section<'_>| {
        section.get("family").is_some_and(|entry| matches!(entry.node.value, Value::Bool(true)))
    };
    for (name, section) in resources {
        let Some((first, _)) = name.split_once('/') else { continue };
        let path = &section.path;
        let message = if is_family(section) {
            format!("{path}: the name of a family must have no \"/\"")
        } else if resources.iter().any(|(other, section)| *other == first && is_family(section)) {
            let family = shown::quoted(first);
            format!("{path}: the name is one of the family {family}; choose another")
        } else {
            continue;
        };
        reader.note(path.clone(), section.place, message);
    }
}
