//! What a core has its driver do, and what a driver reports.

use super::task::TaskId;

/// What is to be done for a task: see the table on the [module's page](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Claim what the task demands.
    Claim {
        /// The task.
        task: TaskId,
    },
    /// End the task's claim, whatever has become of it: out of the line, or its units back.
    GiveBack {
        /// The task.
        task: TaskId,
    },
    /// Start the task's body.
    Start {
        /// The task.
        task: TaskId,
        /// Which attempt this is, from 1.
        attempt: u32,
    },
    /// Tell the running body that its time is up.
    Abort {
        /// The task.
        task: TaskId,
    },
    /// Hand over the result and forget the task.
    Finish {
        /// The task.
        task: TaskId,
        /// How it has ended.
        how: How,
    },
    /// The last of the tasks has finished.
    Idle,
}

/// How a body has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It has returned.
    Done,
    /// It has failed.
    Failed {
        /// Whether the failure is worth another attempt, if there is one left: the caller's `retry_if`.
        retry: bool,
    },
    /// It was given up, with the caller who wanted its result: the task ends as cancelled.
    Gone,
}

/// How a task has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum How {
    /// With the result of its body.
    Done,
    /// With the failure of its last attempt.
    Failed {
        /// Whether that outlasted its timeout.
        timed_out: bool,
    },
    /// Its claim was refused.
    Refused,
    /// It was cancelled while it waited.
    Cancelled,
    /// It was still waiting at a shutdown that drops what waits.
    Dropped,
}
