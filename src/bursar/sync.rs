//! The synchronisation that the handle is built on, in one place, so that a model checker can stand in
//! for it.

pub(super) use std::sync::atomic::{AtomicU64, Ordering};
pub(super) use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
pub(super) use std::thread;

/// Locks, poisoned or not.
///
/// No code of a caller's runs under our locks: keys are read, and wakers are cloned, called and dropped,
/// outside. So a panic there can only be a bug of ours. It has been reported by the panic itself;
/// turning it into a panic of every later caller, in their `Drop` too, would make it worse.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
