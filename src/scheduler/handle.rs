//! What can be done about a task by those who do not wait for its result.

use std::fmt;
use std::sync::Arc;

use super::core::{TaskId, TaskState};
use super::shard::Shard;

/// A task, for those who want to know about it or take it back. A clone is the same.
#[derive(Clone)]
pub struct Handle {
    shard: Arc<Shard>,
    task: TaskId,
}

/// What a task is doing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// It waits, and holds nothing.
    Parked {
        /// The resources of which it wants more than there is for it now. `pool:NAME` is the concurrency
        /// of its pool. Empty for the moment in which its claim is made or granted.
        short_of: Vec<String>,
    },
    /// It waits because its pool is paused.
    Paused,
    /// It waits for its next attempt.
    BackingOff,
    /// It has its units, and whoever runs it has not started yet. A task that stays so is a future that
    /// nobody polls.
    Ready,
    /// Its body runs.
    Running,
    /// It has ended.
    Done,
}

impl Handle {
    pub(super) fn new(shard: Arc<Shard>, task: TaskId) -> Self {
        Handle { shard, task }
    }

    /// Takes the task back if it does not run: it ends with
    /// [`TaskError::Cancelled`](super::TaskError::Cancelled). `false` if it runs or has ended, and so it
    /// does; to stop one that runs is its body's business.
    pub fn cancel(&self) -> bool {
        self.shard.with(|core| core.cancel(self.task))
    }

    /// What it is doing.
    pub fn state(&self) -> State {
        let (state, short_of) = self.shard.state_of(self.task);
        match state {
            TaskState::Parked => State::Parked { short_of },
            TaskState::Paused => State::Paused,
            TaskState::BackingOff => State::BackingOff,
            TaskState::Ready => State::Ready,
            TaskState::Running => State::Running,
            TaskState::Done => State::Done,
        }
    }

    /// How many parked tasks of its shard come before it, if it is parked. Looks at every task.
    pub fn position(&self) -> Option<usize> {
        self.shard.with(|core| core.position(self.task))
    }

    /// How many attempts have started. 0 once it has ended.
    pub fn attempts(&self) -> u32 {
        self.shard.with(|core| core.attempt(self.task))
    }

    pub(super) fn shard(&self) -> &Arc<Shard> {
        &self.shard
    }

    pub(super) fn task(&self) -> TaskId {
        self.task
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("state", &self.state()).finish_non_exhaustive()
    }
}
