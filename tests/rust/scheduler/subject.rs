//! What scenarios are played to: the same for every scheduler.

use std::time::Duration;

use bursar::Limit;
use bursar::scheduler::core::{Backoff, Counters, How, Outcome, Shutdown};

/// A resource or a pool, as a scenario defines it.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) limit: Option<Limit>,
    pub(crate) shard: u32,
}

/// What a task asks for.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) pool: String,
    pub(crate) shard: Option<u32>,
    pub(crate) resources: Vec<(String, u64)>,
    pub(crate) priority: i32,
    pub(crate) attempts: u32,
    pub(crate) backoff: Backoff,
    pub(crate) timeout: Option<Duration>,
}

/// What has happened, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Happened {
    Started(String, u32),
    Aborted(String),
    Finished(String, How),
    Idle,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Whose<'a> {
    All,
    Pool(&'a str),
    Resource(&'a str),
}

pub(crate) trait Subject {
    /// Refused with the kind of the error and whom it is about.
    fn submit(&mut self, name: &str, ask: &Ask) -> Result<(), String>;
    fn ended(&mut self, name: &str, outcome: Outcome, random: u64);
    fn cancel(&mut self, name: &str) -> bool;
    fn advance(&mut self, span: Duration);
    fn pause(&mut self, pool: &str, paused: bool);
    fn resize(&mut self, name: &str, permits: u64);
    fn shutdown(&mut self, how: Shutdown);
    /// Since this was last asked.
    fn happened(&mut self) -> Vec<Happened>;
    fn state(&self, name: &str) -> String;
    fn position(&self, name: &str) -> Option<usize>;
    fn is_idle(&self) -> bool;
    fn counters(&self, whose: Whose<'_>) -> Counters;
}

/// The word for how a task has ended.
pub(crate) fn word(how: How) -> String {
    let word = match how {
        How::Done => "done",
        How::Failed { timed_out: true } => "timed out",
        How::Failed { timed_out: false } => "failed",
        How::Refused => "refused",
        How::Cancelled => "cancelled",
        How::Dropped => "dropped",
    };
    word.to_owned()
}
