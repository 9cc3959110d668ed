//! How long to wait before the next attempt: exponential backoff with full jitter.
//!
//! The method is that of M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015:
//! callers that failed together do not come back together.

use core::time::Duration;

/// Before attempt n + 1: a random span, uniform in 0 to min(`max`, `base` * `factor`^(n - 1)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The longest delay before the second attempt. Default: 100 ms.
    pub base: Duration,
    /// By how much, in thousandths, the longest delay grows with each attempt: 2,000 doubles it, which is
    /// the default. At least 1,000.
    pub factor_thousandths: u32,
    /// The longest delay of all. Default: 30 s.
    pub max: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Backoff {
            base: Duration::from_millis(100),
            factor_thousandths: 2_000,
            max: Duration::from_secs(30),
        }
    }
}

impl Backoff {
    /// No delay at all.
    pub const NONE: Backoff =
        Backoff { base: Duration::ZERO, factor_thousandths: 1_000, max: Duration::ZERO };

    /// Delays of up to `base` at first, doubling with each attempt up to `max`.
    pub const fn new(base: Duration, max: Duration) -> Self {
        Backoff { base, factor_thousandths: 2_000, max }
    }

    /// Grows by this factor instead of doubling. Rounded to thousandths; below 1 counts as 1.
    #[must_use]
    pub fn factor(self, factor: f64) -> Self {
        Backoff { factor_thousandths: (factor * 1_000.0 + 0.5) as u32, ..self }
    }

    /// The longest delay after this many attempts, of which there is at least one.
    pub fn longest(&self, attempts: u32) -> Duration {
        let max = nanos(self.max);
        let mut longest = u128::from(nanos(self.base));
        let factor = u128::from(self.factor_thousandths.max(1_000));
        for _ in 1..attempts {
            if factor == 1_000 || longest == 0 || longest >= u128::from(max) {
                break;
            }
            // Rounded up, so that a span of few nanoseconds grows as well.
            longest = (longest * factor).div_ceil(1_000);
        }
        Duration::from_nanos(longest.min(max.into()) as u64)
    }

    /// The delay, from 64 random bits.
    pub fn delay(&self, attempts: u32, random: u64) -> Duration {
        let spans = u128::from(nanos(self.longest(attempts))) + 1;
        Duration::from_nanos(((spans * u128::from(random)) >> 64) as u64)
    }
}

/// Up to 584 years.
fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn the_longest_delay_doubles_up_to_the_most() {
        let backoff = Backoff { base: 100 * MS, max: 500 * MS, ..Backoff::default() };
        let longest = [1, 2, 3, 4, 5, u32::MAX].map(|attempts| backoff.longest(attempts));
        assert_eq!(longest, [100 * MS, 200 * MS, 400 * MS, 500 * MS, 500 * MS, 500 * MS]);
    }

    #[test]
    fn the_delay_is_anything_from_nothing_to_the_longest() {
        let backoff = Backoff { base: 100 * MS, ..Backoff::default() };
        assert_eq!(backoff.delay(1, 0), Duration::ZERO);
        assert_eq!(backoff.delay(1, 1 << 63), 50 * MS);
        assert_eq!(backoff.delay(1, u64::MAX), 100 * MS);
        assert_eq!(backoff.delay(2, 1 << 63), 100 * MS);
        assert_eq!(Backoff::NONE.delay(7, u64::MAX), Duration::ZERO);
    }

    #[test]
    fn extremes_saturate() {
        let most =
            Backoff { base: Duration::MAX, factor_thousandths: u32::MAX, max: Duration::MAX };
        assert_eq!(most.delay(u32::MAX, u64::MAX), Duration::from_nanos(u64::MAX));
        let slow = Backoff { base: Duration::from_nanos(1), factor_thousandths: 1_001, max: MS };
        assert_eq!(slow.longest(u32::MAX), MS);
    }
}
