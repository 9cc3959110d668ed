//! One task, as the core knows it.

use alloc::boxed::Box;
use core::cmp::Reverse;
use core::fmt;
use core::time::Duration;

use super::Rank;
use super::backoff::Backoff;
use super::catalog::{LimitId, PoolId};
use crate::ledger::Time;

/// A task of one core: it ends once, and no later task ever has the same. A number below 2^53: the slot
/// that tasks use one after the other (24 bits), and how often it was used before (29 bits).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(u64);

const SLOT_BITS: u32 = 24;
pub(super) const MAX_SLOTS: usize = 1 << SLOT_BITS;
pub(super) const LAST_GENERATION: u32 = (1 << 29) - 1;

impl TaskId {
    pub(super) const fn new(slot: u32, generation: u32) -> Self {
        TaskId(((generation as u64) << SLOT_BITS) | slot as u64)
    }

    /// The task with this number, as [`TaskId::number`] gave it.
    pub const fn from_number(number: u64) -> Self {
        TaskId(number)
    }

    /// A number below 2^53 that stands for this task.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Small, and unique among the tasks that there are at the same time.
    pub const fn slot(self) -> u32 {
        (self.0 & (MAX_SLOTS as u64 - 1)) as u32
    }

    pub(super) const fn generation(self) -> u32 {
        (self.0 >> SLOT_BITS) as u32
    }
}

impl fmt::Debug for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {}.{}", self.slot(), self.generation())
    }
}

/// What is to be known of a task: made by [`Catalog::admit`](super::Catalog::admit), which checks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    pub(super) pool: PoolId,
    pub(super) demand: Box<[(LimitId, u64)]>,
    pub(super) priority: i32,
    pub(super) attempts: u32,
    pub(super) backoff: Backoff,
    pub(super) timeout: Option<Duration>,
}

/// No task is taken any more: the scheduler was shut down (or has 2^24 tasks).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the scheduler was shut down and takes no task")
    }
}

impl core::error::Error for Closed {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its pool is paused.
    HeldBack,
    /// Its claim is to be made.
    ToClaim,
    /// Its claim was made, and has not been granted.
    Claiming,
    /// It holds its units, and has not started.
    Ready,
    Running,
    /// It waits for its next attempt.
    BackingOff,
    /// Its end has not been polled yet.
    Finished,
}

#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) spec: Spec,
    pub(super) stage: Stage,
    /// When its latest claim was wanted.
    pub(super) arrival: u64,
    /// Attempts that have started.
    pub(super) attempt: u32,
    /// The attempt that runs has outlasted its timeout.
    pub(super) timed_out: bool,
    pub(super) alarm: Option<(Time, u64)>,
}

impl Task {
    pub(super) fn new(spec: Spec) -> Self {
        let stage = Stage::HeldBack;
        Task { spec, stage, arrival: 0, attempt: 0, timed_out: false, alarm: None }
    }

    pub(super) fn rank(&self) -> Rank {
        (Reverse(self.spec.priority), self.arrival)
    }
}
