//! What a resource limits: its kind, and the numbers that go with it.

use std::time::Duration;

use super::reader::{Need, Reader, Section};
use crate::ledger::{Limit, LimitError, MAX_UNITS, Rate};

/// The ranges that the constructors take, and as they say it.
pub(super) const UNITS: (u64, u64, &str) = (1, MAX_UNITS, "a whole number from 1 to 2^53 - 1");
const RATE: (f64, f64, &str) =
    (1e-9, MAX_UNITS as f64, "a number from 1e-9 to 2^53 - 1 (units a second)");
const WINDOW: (f64, f64, &str) = (1e-6, 1e13, "a number from 1e-6 to 1e13 (milliseconds)");

/// What any resource has beside its kind's own keys.
const COMMON: [&str; 3] = ["shard", "family", "max_keys"];

/// A kind: its name, as messages call one, and its own keys.
struct Kind {
    name: &'static str,
    one: &'static str,
    keys: &'static [&'static str],
}

const KINDS: [Kind; 3] = [
    Kind { name: "semaphore", one: "a semaphore", keys: &["permits"] },
    Kind { name: "token_bucket", one: "a token bucket", keys: &["rate", "burst"] },
    Kind { name: "at_most", one: "an at_most", keys: &["limit", "per_ms", "burst"] },
];

pub(super) fn read(reader: &mut Reader, section: &Section<'_>) -> Option<Limit> {
    let kind = reader.word(section, "kind", Need::Required, &KINDS.map(|kind| kind.name));
    let one = kind.map_or("a resource", |kind| KINDS[kind].one);
    let own = match kind {
        Some(kind) => KINDS[kind].keys,
        // Any kind's: which one was meant is not known.
        None => &["permits", "rate", "burst", "limit", "per_ms"],
    };
    reader.keys(section, one, &[&["kind"], own, &COMMON].concat());
    let limit = match kind? {
        0 => {
            let permits = reader.whole(section, "permits", Need::Required, UNITS);
            Limit::semaphore(permits?)
        }
        1 => {
            let rate = reader.number(section, "rate", RATE);
            let burst = reader.whole(section, "burst", Need::Required, UNITS);
            token_bucket(rate?, burst?)
        }
        _ => at_most(reader, section)?,
    };
    limit
        .map_err(|why| {
            // Everything that the ledger refuses has been looked for: this is for what it may refuse one day.
            reader.note(section.path.clone(), None, format!("{}: {why}", section.path));
        })
        .ok()
}

fn token_bucket(rate: f64, burst: u64) -> Result<Limit, LimitError> {
    Limit::token_bucket(Rate::per_second(rate)?, burst)
}

fn at_most(reader: &mut Reader, section: &Section<'_>) -> Option<Result<Limit, LimitError>> {
    let limit = reader.whole(section, "limit", Need::Required, UNITS);
    let window = reader.number(section, "per_ms", WINDOW);
    let burst = reader.whole(section, "burst", Need::Optional, UNITS);
    let limit = limit?;
    if section.get("burst").is_none() && limit == 1 {
        let path = section.path_of("limit");
        let place = section.get("limit").and_then(|entry| entry.node.place);
        let message =
            format!("{path} is 1; it must be above the burst, which is 1 if it is not given");
        reader.note(path, place, message);
        return None;
    }
    if let Some(entry) = section.get("burst")
        && burst? >= limit
    {
        let right = format!("below {limit}, the limit of a window");
        reader.wrong(section.path_of("burst"), &entry.node, &right);
        return None;
    }
    let window = Duration::from_nanos((window? * 1e6).round() as u64);
    Some(Limit::at_most(limit, window, burst.unwrap_or(1)))
}
