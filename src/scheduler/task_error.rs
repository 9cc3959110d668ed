//! How a task can end without a result.

use std::any::Any;
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use super::error::Error;
use crate::bursar::lock;

/// Why a task has no result. `E` is the error of its body.
#[derive(Debug)]
#[non_exhaustive]
pub enum TaskError<E> {
    /// The last attempt failed with this, or one did that was not worth another.
    Failed(E),
    /// The last attempt took longer than it may.
    TimedOut {
        /// What an attempt may take.
        timeout: Duration,
    },
    /// The body panicked. That is not tried again.
    Panicked(Panic),
    /// It was cancelled while it waited.
    Cancelled,
    /// It was still waiting when the scheduler was shut down, or forgotten.
    Dropped,
    /// It was refused: at once, or while it was parked, because a resource has shrunk.
    Refused(Error),
}

impl<E: fmt::Display> fmt::Display for TaskError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskError::Failed(error) => error.fmt(f),
            TaskError::TimedOut { timeout } => {
                write!(f, "the last attempt took longer than {timeout:?}")
            }
            TaskError::Panicked(panic) => panic.fmt(f),
            TaskError::Cancelled => f.write_str("the task was cancelled"),
            TaskError::Dropped => f.write_str("the scheduler was shut down before the task ran"),
            TaskError::Refused(error) => error.fmt(f),
        }
    }
}

/// For any error that can be shown, a `String` too; so a body's error is not among the sources.
impl<E: fmt::Debug + fmt::Display> std::error::Error for TaskError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TaskError::Refused(error) => error.source(),
            _ => None,
        }
    }
}

/// What a body panicked with.
pub struct Panic(Mutex<Box<dyn Any + Send>>);

impl Panic {
    pub(super) fn new(payload: Box<dyn Any + Send>) -> Self {
        Panic(Mutex::new(payload))
    }

    /// The payload, for [`std::panic::resume_unwind`].
    pub fn into_payload(self) -> Box<dyn Any + Send> {
        self.0.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Its message, if it has one.
    pub fn message(&self) -> Option<String> {
        let payload = lock(&self.0);
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| payload.downcast_ref::<String>().cloned())
    }
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message() {
            Some(message) => write!(f, "the task panicked: {message}"),
            None => f.write_str("the task panicked"),
        }
    }
}

impl fmt::Debug for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Panic").field(&self.message()).finish()
    }
}
