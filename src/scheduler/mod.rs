//! Tasks in pools: priorities, several resources in one request, retries, timeouts, shards.
//!
//! A [`Scheduler`] runs a task when the units that it demands are its own, and gives them back when the
//! attempt has ended. The dispatch of a task is one claim on a [`Bursar`](crate::Bursar): its resources
//! and a slot of its pool, all or nothing, at its priority. So nothing is held by a task that waits, and
//! a task that is short of something lets those pass that are not.
//!
//! [`core`] is what decides: pure, and the same for every driver and language. The rest of this module
//! drives it with threads and futures.

pub mod core;

#[cfg(feature = "std")]
mod attempt;
#[cfg(feature = "std")]
mod builder;
#[cfg(feature = "std")]
mod crew;
#[cfg(feature = "std")]
mod error;
#[cfg(feature = "std")]
mod future_task;
#[cfg(feature = "std")]
mod handle;
#[cfg(feature = "std")]
mod idle;
#[cfg(feature = "std")]
mod mailbox;
#[cfg(feature = "std")]
mod shard;
#[cfg(feature = "std")]
mod submission;
#[cfg(feature = "std")]
mod task_error;
#[cfg(feature = "std")]
mod thread_task;

#[cfg(feature = "std")]
mod control;

#[cfg(feature = "std")]
pub use self::{
    attempt::{Aborted, Attempt},
    builder::Builder,
    control::Scheduler,
    error::Error,
    future_task::Task,
    handle::{Handle, State},
    idle::Idle,
    submission::{InFuture, OnThread, Submission},
    task_error::{Panic, TaskError},
    thread_task::ThreadTask,
};

pub use self::core::{Backoff, Counters, Shutdown};
