//! Tasks in pools: priorities, several resources in one request, retries, timeouts, shards.
//!
//! A [`Scheduler`] runs a task when the units that it demands are its own, and gives them back when the
//! attempt has ended. The dispatch of a task is one claim on a [`Bursar`](crate::Bursar): its resources
//! and a slot of its pool, all or nothing, at its priority. So nothing is held by a task that waits, and
//! a task that is short of something lets those pass that are not.
//!
//! [`core`] is what decides: pure, and the same for every driver and language. The rest of this module
//! drives it with threads and futures.
//!
//! # Shards
//!
//! Each shard is a ledger of its own, behind a lock of its own, so shards run in parallel. A resource
//! belongs to exactly one ([`Builder::resource_of`]), and so does a pool with a concurrency
//! ([`Builder::pool_of`]): it is never more than it says. A task belongs to the shard that it names; else
//! to that of its pool, if that has a concurrency; else to that of its first resource; else to shard 0.
//! All that it demands must be of its shard: [`Error::OtherShard`] says what is not.
//!
//! ```
//! use bursar::scheduler::Error;
//! use bursar::{Resource, Scheduler};
//!
//! let scheduler = Scheduler::builder()
//!     .resource_of(0, Resource::semaphore("gpu", 4))
//!     .resource_of(1, Resource::semaphore("db", 20))
//!     .build()?;
//! let task = scheduler.submit(|_| async { Ok::<_, String>(()) }).resource("gpu", 1);
//! let refused = task.resource("db", 1).start().unwrap_err();
//! assert_eq!(refused, Error::OtherShard { name: "db".to_owned(), belongs_to: 1, task: 0 });
//! # Ok::<(), Error>(())
//! ```

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

/// What docs/scheduler.md shows is run.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../../docs/scheduler.md")]
struct Guide;
