//! A clock that is moved by hand, for tests.

use std::fmt;
use std::time::Duration;

use super::shared::Shared;
use super::sync::{Arc, AtomicU64, Mutex, Ordering, Weak, lock};
use crate::ledger::Time;

/// A clock that stands still until it is told to move, for tests without sleeping.
///
/// Clones are the same clock, and it can serve several bursars. A bursar with a manual clock starts no
/// thread. [`advance`](Self::advance) makes everything happen that falls due, in order and each thing
/// at its own moment, and has woken all callers concerned when it returns.
///
/// ```
/// use bursar::{Bursar, Error, ManualClock, Resource};
/// use std::time::Duration;
///
/// let clock = ManualClock::new();
/// let bursar = Bursar::builder()
///     .resource(Resource::token_bucket("api", 2.0, 1))
///     .clock(&clock)
///     .build()?;
///
/// assert!(bursar.try_claim([("api", 1)])?.is_some());
/// clock.advance(Duration::from_millis(499));
/// assert!(bursar.try_claim([("api", 1)])?.is_none());
/// clock.advance(Duration::from_millis(1));
/// assert!(bursar.try_claim([("api", 1)])?.is_some());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Default)]
pub struct ManualClock(Arc<Hands>);

#[derive(Default)]
struct Hands {
    nanos: AtomicU64,
    attached: Mutex<Vec<Weak<Shared>>>,
}

impl ManualClock {
    /// A clock at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// How far it was moved since it was made.
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.0.nanos.load(Ordering::SeqCst))
    }

    /// Moves the clock forward, and with it every bursar that it serves.
    pub fn advance(&self, span: Duration) {
        let moved = |nanos| Some((Time::from_nanos(nanos) + span).as_nanos());
        let _ = self.0.nanos.fetch_update(Ordering::SeqCst, Ordering::SeqCst, moved);
        let attached: Vec<_> = lock(&self.0.attached).iter().filter_map(Weak::upgrade).collect();
        for shared in attached {
            shared.tick();
        }
    }

    pub(super) fn time(&self) -> Time {
        Time::from_nanos(self.0.nanos.load(Ordering::SeqCst))
    }

    pub(super) fn attach(&self, shared: &Arc<Shared>) {
        let mut attached = lock(&self.0.attached);
        attached.retain(|other| other.strong_count() > 0);
        attached.push(Arc::downgrade(shared));
    }
}

impl From<&ManualClock> for ManualClock {
    fn from(clock: &ManualClock) -> Self {
        clock.clone()
    }
}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ManualClock").field(&self.elapsed()).finish()
    }
}
