//! The token bucket, in whole numbers.
//!
//! The level is kept as whole units plus a remainder counted in `1 / nanos` of a unit, where the rate
//! is `units / nanos` per nanosecond. Each nanosecond therefore adds the whole number `units` to the
//! remainder: refilling in one step or in a million gives the same level, and nothing drifts.
//!
//! The guarantee: at the start of a window of length t the level is at most `burst`, and time adds at
//! most `rate * t`; a grant takes only whole units that are there. So the window grants at most
//! `burst + rate * t`.

use core::time::Duration;

use super::division::{div_ceil, div_rem};
use super::limit::{MAX_UNITS, Rate};
use super::time::Time;

/// A debt that has grown to 2^62 units grows no more: 512 settlements of the largest use there is.
const DEEPEST_DEBT: i64 = -(1 << 62);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bucket {
    pub(super) rate: Rate,
    pub(super) burst: u64,
    /// Whole units; below zero after a settlement beyond what was reserved.
    pub(super) level: i64,
    /// What time has added beyond the whole units, in `1 / rate.nanos` of a unit; zero when full.
    pub(super) part: u128,
    /// The moment up to which the level counts.
    pub(super) at: Time,
}

impl Bucket {
    pub(crate) fn full(rate: Rate, burst: u64, now: Time) -> Self {
        Bucket { rate, burst, level: burst.cast_signed(), part: 0, at: now }
    }

    /// Whole units that can be taken at the moment of the last refill.
    pub(crate) fn free(&self) -> u64 {
        u64::try_from(self.level).unwrap_or(0)
    }

    /// Counts the time up to `now` in.
    pub(crate) fn refill(&mut self, now: Time) {
        let nanos = now.as_nanos() - self.at.as_nanos();
        self.at = now;
        if nanos == 0 || self.is_full() {
            return;
        }
        let part = self.part + u128::from(nanos) * u128::from(self.rate.units);
        let (gained, rest) = div_rem(part, self.rate.nanos);
        let missing = (i128::from(self.burst) - i128::from(self.level)).unsigned_abs();
        if gained >= missing {
            self.level = self.burst.cast_signed();
            self.part = 0;
        } else {
            self.level += gained as i64;
            self.part = rest;
        }
    }

    /// The earliest moment at which `units` are there, if nobody takes any.
    pub(crate) fn when(&self, units: u64) -> Time {
        if self.level >= units.cast_signed() {
            return self.at;
        }
        if units > self.burst {
            return Time::NEVER;
        }
        let missing = (i128::from(units) - i128::from(self.level)).unsigned_abs();
        // What needs more than 128 bits lies beyond the end of time, for a rate is below 2^53.
        let Some(parts) = missing.checked_mul(self.rate.nanos) else { return Time::NEVER };
        let nanos = div_ceil(parts - self.part, self.rate.units.into());
        u64::try_from(nanos).map_or(Time::NEVER, |nanos| self.at + Duration::from_nanos(nanos))
    }

    pub(crate) fn take(&mut self, units: u64) {
        self.level -= units.cast_signed();
    }

    /// Corrects a reservation of `reserved` to what was `used`: the rest goes back, an excess is owed.
    pub(crate) fn correct(&mut self, reserved: u64, used: u64) {
        let level = self.level + reserved.cast_signed() - used.cast_signed();
        self.set(level.max(DEEPEST_DEBT));
    }

    pub(crate) fn set_level(&mut self, units: u64) {
        self.part = 0;
        self.set(units.cast_signed());
    }

    /// Changes rate and burst from now on; what the past earned at the old rate stays.
    pub(crate) fn change(&mut self, rate: Rate, burst: u64) {
        // The remainder moves to the new denominator, rounded down: under one part is lost, once.
        self.part = rescale(self.part, self.rate.nanos, rate.nanos);
        self.rate = rate;
        self.burst = burst;
        self.set(self.level);
    }

    /// Whether its numbers fit together; those of a snapshot may not.
    pub(crate) fn is_sound(&self) -> bool {
        self.rate.units > 0
            && self.rate.units <= MAX_UNITS
            && self.rate.nanos > 0
            && self.rate.nanos < 1 << 84
            && self.part < self.rate.nanos
            && (DEEPEST_DEBT..=self.burst.cast_signed()).contains(&self.level)
            && (self.part == 0 || !self.is_full())
    }

    pub(crate) fn is_full(&self) -> bool {
        self.level == self.burst.cast_signed()
    }

    fn set(&mut self, level: i64) {
        self.level = level;
        if level >= self.burst.cast_signed() {
            self.level = self.burst.cast_signed();
            self.part = 0;
        }
    }
}

/// `part * to / from`, rounded down, for `part < from`. The product may need more than 128 bits, so
/// both are shifted down together; that only rounds further down.
fn rescale(part: u128, from: u128, to: u128) -> u128 {
    let excess = 128u32.saturating_sub(part.leading_zeros() + to.leading_zeros());
    let from = (from >> excess) + u128::from(excess > 0);
    div_rem((part >> excess) * to, from).0.min(to - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(rate: f64, burst: u64) -> Bucket {
        Bucket::full(Rate::per_second(rate).unwrap(), burst, Time::ZERO)
    }

    #[test]
    fn ten_million_claims_do_not_drift() {
        for rate in [50.0, 3.0, 0.1, 1e6] {
            let mut bucket = bucket(rate, 10);
            bucket.take(10);
            let mut now = Time::ZERO;
            for taken in 1..=10_000_000_u64 {
                now = bucket.when(1);
                bucket.refill(now);
                let (units, nanos) = (u128::from(bucket.rate.units), bucket.rate.nanos);
                let due = (u128::from(taken) * nanos).div_ceil(units);
                assert_eq!(u128::from(now.as_nanos()), due, "{rate} {taken}");
                bucket.take(1);
            }
            assert_eq!(bucket.level, 0);
            assert!(now > Time::ZERO);
        }
    }

    #[test]
    fn many_small_refills_equal_one() {
        for rate in [50.0, 1.0 / 3.0, 1e6, 7.77e-3, 123_456.789] {
            let (mut small, mut large) = (bucket(rate, 1 << 40), bucket(rate, 1 << 40));
            small.set_level(0);
            large.set_level(0);
            let mut now = 0;
            for step in 0..10_000_u64 {
                now += step * 7919;
                small.refill(Time::from_nanos(now));
            }
            large.refill(Time::from_nanos(now));
            assert_eq!(small, large);
        }
    }

    #[test]
    fn what_is_promised_is_there_at_that_moment_and_not_before() {
        for rate in [50.0, 3.0, 0.1, 1e6, 1e-9, 9e15] {
            let mut bucket = bucket(rate, 10);
            bucket.take(10);
            bucket.refill(Time::from_nanos(17));
            let due = bucket.when(4);
            if bucket.free() >= 4 {
                continue;
            }
            let mut early = bucket;
            early.refill(Time::from_nanos(due.as_nanos() - 1));
            assert!(early.free() < 4, "{rate}");
            bucket.refill(due);
            assert!(bucket.free() >= 4, "{rate}");
        }
    }

    #[test]
    fn a_debt_is_paid_before_anything_is_granted() {
        let mut bucket = bucket(1.0, 10);
        bucket.take(5);
        bucket.correct(5, 25);
        assert_eq!((bucket.level, bucket.free()), (-15, 0));
        assert_eq!(bucket.when(1), Time::from_nanos(16_000_000_000));
    }

    #[test]
    fn a_change_of_rate_keeps_what_was_earned() {
        let mut bucket = bucket(3.0, 10);
        bucket.take(10);
        bucket.refill(Time::from_nanos(500_000_000)); // one and a half units
        bucket.change(Rate::per_second(0.5).unwrap(), 4);
        assert_eq!(bucket.free(), 1);
        assert_eq!(bucket.when(2), Time::from_nanos(1_500_000_000), "half a unit at 0.5 a second");
        bucket.change(Rate::per_second(1.0).unwrap(), 1);
        assert!(bucket.is_full());
    }

    #[test]
    fn rescaling_rounds_down_and_stays_below_one_unit() {
        let large = (1u128 << 72) - 3;
        assert_eq!(rescale(5, 10, 1000), 500);
        assert!(rescale(large - 1, large, 1 << 71) < 1 << 71);
        assert!(rescale(large - 1, large, 1 << 71) > (1 << 71) - (1 << 30));
    }
}
