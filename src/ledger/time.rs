//! Time as the ledger sees it: a number that a driver passes in and that never goes back.

use core::fmt;
use core::ops::Add;
use core::time::Duration;

/// A moment: nanoseconds since an epoch of the driver's choice.
///
/// The ledger reads no clock. A driver chooses an epoch (the start of the process, say), takes the
/// moments from a monotonic clock and hands them to [`Ledger::advance`](super::Ledger::advance).
/// A `u64` of nanoseconds lasts 584 years; sums saturate at [`Time::NEVER`].
///
/// ```
/// use bursar::ledger::Time;
/// use std::time::Duration;
///
/// let start = Time::from_nanos(0);
/// assert_eq!(start + Duration::from_millis(3), Time::from_nanos(3_000_000));
/// assert_eq!(Time::NEVER + Duration::from_secs(1), Time::NEVER);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

impl Time {
    /// The epoch itself.
    pub const ZERO: Time = Time(0);
    /// Later than every moment: what a driver need not wait for.
    pub const NEVER: Time = Time(u64::MAX);

    /// The moment this many nanoseconds after the epoch.
    pub const fn from_nanos(nanos: u64) -> Self {
        Time(nanos)
    }

    /// Nanoseconds since the epoch.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// How long from `earlier` to `self`; zero if `earlier` is the later one.
    #[must_use]
    pub const fn saturating_since(self, earlier: Time) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Time {
    type Output = Time;

    fn add(self, span: Duration) -> Time {
        let nanos = span.as_secs().saturating_mul(1_000_000_000);
        Time(self.0.saturating_add(nanos).saturating_add(span.subsec_nanos().into()))
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Time::NEVER => f.write_str("never"),
            Time(nanos) => write!(f, "{nanos}ns"),
        }
    }
}
