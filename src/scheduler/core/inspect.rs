//! Questions that change nothing.

use super::catalog::{LimitId, PoolId};
use super::counters::Counters;
use super::task::{Stage, TaskId};
use super::{Core, Mode};

/// What a task is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TaskState {
    /// Its pool is paused.
    Paused,
    /// Its claim waits. What it is short of, its bursar knows.
    Parked,
    /// It has its units, and is about to start.
    Ready,
    /// Its body runs.
    Running,
    /// It waits for its next attempt.
    BackingOff,
    /// It has ended.
    Done,
}

impl Core {
    /// What a task is doing.
    pub fn state(&self, task: TaskId) -> TaskState {
        match self.tasks.get(task).map(|entry| entry.stage) {
            Some(Stage::HeldBack) => TaskState::Paused,
            Some(Stage::ToClaim | Stage::Claiming) => TaskState::Parked,
            Some(Stage::Ready) => TaskState::Ready,
            Some(Stage::Running) => TaskState::Running,
            Some(Stage::BackingOff) => TaskState::BackingOff,
            Some(Stage::Finished) | None => TaskState::Done,
        }
    }

    /// What a claim for the task names: its resources, and the semaphore of a pool with a concurrency.
    pub fn demand(&self, task: TaskId) -> &[(LimitId, u64)] {
        self.tasks.get(task).map_or(&[], |entry| &*entry.spec.demand)
    }

    /// The task's priority.
    pub fn priority(&self, task: TaskId) -> i32 {
        self.tasks.get(task).map_or(0, |entry| entry.spec.priority)
    }

    /// How many of the task's attempts have started.
    pub fn attempt(&self, task: TaskId) -> u32 {
        self.tasks.get(task).map_or(0, |entry| entry.attempt)
    }

    /// Whether a failure of the attempt that runs could be tried again: whether the caller's `retry_if`
    /// is worth asking.
    pub fn has_attempts_left(&self, task: TaskId) -> bool {
        let left = |entry: &super::task::Task| entry.attempt < entry.spec.attempts;
        self.mode != Mode::Dropping && self.tasks.get(task).is_some_and(left)
    }

    /// Whether the attempt that runs has outlasted its timeout.
    pub fn has_timed_out(&self, task: TaskId) -> bool {
        self.tasks.get(task).is_some_and(|entry| entry.timed_out)
    }

    /// How many parked tasks come before this one; `None` if it is not parked. Looks at every task.
    pub fn position(&self, task: TaskId) -> Option<usize> {
        let parked = [Stage::ToClaim, Stage::Claiming];
        let own = self.tasks.get(task).filter(|entry| parked.contains(&entry.stage))?.rank();
        let before =
            |entry: &super::task::Task| parked.contains(&entry.stage) && entry.rank() < own;
        Some(self.tasks.iter().filter(|(_, entry)| before(entry)).count())
    }

    /// How many tasks there are that have not ended.
    pub fn tasks(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there is no task.
    pub fn is_idle(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Whether new tasks are refused.
    pub fn is_closed(&self) -> bool {
        self.mode != Mode::Open
    }

    /// What happened so far.
    pub fn counters(&self) -> Counters {
        self.tally.total()
    }

    /// What happened so far to tasks of a pool.
    pub fn pool_counters(&self, pool: PoolId) -> Counters {
        self.tally.pool(pool)
    }

    /// What happened so far to tasks that demand this.
    pub fn limit_counters(&self, limit: LimitId) -> Counters {
        self.tally.limit(limit)
    }
}
