//! What a resource limits: permits that are held and returned, or tokens that are consumed and
//! refilled by time. Rates become exact ratios here, once; nothing later computes with floats.

use core::time::Duration;

use super::division::div_rem;
use super::error::LimitError;

/// The most units that a limit or a claim can name: 2^53 - 1, the largest whole number that both a
/// `u64` and a JavaScript `number` represent exactly.
pub const MAX_UNITS: u64 = (1 << 53) - 1;

/// The slowest rate: one unit in about 31 years.
const SLOWEST: f64 = 1e-9;
/// The fastest rate, units per second.
const FASTEST: f64 = MAX_UNITS as f64;
const NANOS_PER_SECOND: u128 = 1_000_000_000;

/// A limit: what is there, and how it comes back.
///
/// ```
/// use bursar::ledger::{Limit, Rate};
///
/// let gpus = Limit::semaphore(4)?;
/// let api = Limit::token_bucket(Rate::per_second(50.0)?, 100)?;
/// assert_eq!(api.capacity(), 100);
/// # Ok::<(), bursar::ledger::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Permits that are held by a lease and given back by it.
    Semaphore {
        /// How many there are, 1 to [`MAX_UNITS`].
        permits: u64,
    },
    /// Tokens that a grant consumes and that time refills. Starts full.
    TokenBucket {
        /// How fast it refills.
        rate: Rate,
        /// How many it holds at most, 1 to [`MAX_UNITS`].
        burst: u64,
    },
}

impl Limit {
    /// A semaphore of `permits` permits, 1 to [`MAX_UNITS`].
    ///
    /// # Errors
    ///
    /// [`LimitError`] for any other number.
    pub fn semaphore(permits: u64) -> Result<Self, LimitError> {
        match permits {
            0 => Err(LimitError::ZeroCapacity),
            1..=MAX_UNITS => Ok(Limit::Semaphore { permits }),
            _ => Err(LimitError::CapacityTooLarge(permits)),
        }
    }

    /// A token bucket that refills at `rate` up to `burst`, 1 to [`MAX_UNITS`].
    ///
    /// In any window of length t it grants at most `burst + rate * t` units.
    ///
    /// # Errors
    ///
    /// [`LimitError`] for any other burst.
    pub fn token_bucket(rate: Rate, burst: u64) -> Result<Self, LimitError> {
        match burst {
            0 => Err(LimitError::ZeroCapacity),
            1..=MAX_UNITS => Ok(Limit::TokenBucket { rate, burst }),
            _ => Err(LimitError::CapacityTooLarge(burst)),
        }
    }

    /// Never more than `units` in any window of length `per`, of which `burst` may come at once.
    ///
    /// This is a token bucket whose rate is `(units - burst) / per`: what the burst spends, the
    /// refill must do without. A small burst spreads the units evenly; `burst` must be below `units`.
    ///
    /// ```
    /// use bursar::ledger::Limit;
    /// use std::time::Duration;
    ///
    /// let hourly = Limit::at_most(750, Duration::from_secs(3600), 10)?;
    /// assert_eq!(hourly.capacity(), 10);
    /// # Ok::<(), bursar::ledger::LimitError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LimitError`] for a burst that is 0 or not below the units, or a window of no length.
    pub fn at_most(units: u64, per: Duration, burst: u64) -> Result<Self, LimitError> {
        if units > MAX_UNITS {
            return Err(LimitError::CapacityTooLarge(units));
        }
        if burst >= units {
            return Err(LimitError::BurstNotBelowUnits { burst, units });
        }
        let window = per.as_nanos();
        if window == 0 || window > u128::from(u64::MAX) {
            return Err(LimitError::InvalidWindow(per));
        }
        Limit::token_bucket(Rate::reduced(units - burst, window), burst)
    }

    /// The most that one claim can ask: permits or burst.
    pub const fn capacity(&self) -> u64 {
        match *self {
            Limit::Semaphore { permits } => permits,
            Limit::TokenBucket { burst, .. } => burst,
        }
    }

    /// Whether both are of one kind.
    pub(super) const fn is_like(self, other: Limit) -> bool {
        matches!(self, Limit::Semaphore { .. }) == matches!(other, Limit::Semaphore { .. })
    }
}

/// A refill rate, an exact ratio: `units` units every `nanos` nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub(super) units: u64,
    pub(super) nanos: u128,
}

impl Rate {
    /// Units per second, from 1e-9 to 2^53 - 1.
    ///
    /// A float stands for the *simplest* ratio that rounds to it: `0.1` is one unit in ten seconds and
    /// `1.0 / 3.0` is one in three, not the nearest dyadic fraction. The ratio is found on the
    /// Stern-Brocot tree (Graham, Knuth, Patashnik, *Concrete Mathematics*, section 4.5).
    ///
    /// # Errors
    ///
    /// [`LimitError`] for a rate out of range.
    pub fn per_second(rate: f64) -> Result<Self, LimitError> {
        if !(SLOWEST..=FASTEST).contains(&rate) {
            return Err(LimitError::InvalidRate(rate));
        }
        let (units, seconds) = simplest_ratio(rate);
        Ok(Rate::reduced(units, u128::from(seconds) * NANOS_PER_SECOND))
    }

    /// The rate as a float, for people to read.
    pub fn as_per_second(self) -> f64 {
        self.units as f64 * 1e9 / self.nanos as f64
    }

    #[inline(never)]
    pub(super) fn reduced(units: u64, nanos: u128) -> Self {
        let common = gcd(u128::from(units), nanos);
        Rate { units: div_rem(units.into(), common).0 as u64, nanos: div_rem(nanos, common).0 }
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, div_rem(a, b).1);
    }
    a
}

/// The ratio with the smallest denominator among those that round to `value`, which lies within the
/// bounds of [`Rate::per_second`].
fn simplest_ratio(value: f64) -> (u64, u64) {
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1075;
    let mantissa = u128::from((bits & ((1 << 52) - 1)) | (1 << 52));
    if exponent >= 0 {
        return ((mantissa << exponent) as u64, 1);
    }
    // Half a unit in the last place on either side. With SLOWEST above 2^-30 the exponent is above
    // -84, so all of this fits into 128 bits, and the ratio found fits into 64 each.
    let scale = 1u128 << (1 - exponent);
    let (mut low, mut low_scale) = (2 * mantissa - 1, scale);
    let (mut high, mut high_scale) = (2 * mantissa + 1, scale);
    // Common prefix of both ends' continued fractions, then one more step: the convergents p/q.
    let (mut p, mut q, mut p_before, mut q_before) = (1u128, 0u128, 0u128, 1u128);
    loop {
        let (whole, rest_low) = div_rem(low, low_scale);
        let ends_here = whole < div_rem(high, high_scale).0;
        let term = if ends_here { whole + 1 } else { whole };
        (p, p_before) = (term * p + p_before, p);
        (q, q_before) = (term * q + q_before, q);
        if ends_here || rest_low == 0 {
            return (p as u64, q as u64);
        }
        let rest_high = high - whole * high_scale;
        (low, low_scale, high, high_scale) = (high_scale, rest_high, low_scale, rest_low);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_stands_for_the_simplest_ratio() {
        for (value, ratio) in [
            (50.0, (50, 1)),
            (3.0, (3, 1)),
            (0.1, (1, 10)),
            (1e6, (1_000_000, 1)),
            (1.0 / 3.0, (1, 3)),
            (2.0 / 7.0, (2, 7)),
            (1e-9, (1, 1_000_000_000)),
            (0.5, (1, 2)),
            (1234.5678, (6_172_839, 5000)),
            (9_007_199_254_740_991.0, (9_007_199_254_740_991, 1)),
        ] {
            assert_eq!(simplest_ratio(value), ratio, "{value}");
        }
    }

    #[test]
    fn every_ratio_rounds_back_to_its_float() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..100_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let exponent = 1023 - 29 + (bits >> 33) % 80;
            let value = f64::from_bits((exponent << 52) | (bits >> 12));
            let (units, seconds) = simplest_ratio(value);
            let back = units as f64 / seconds as f64;
            assert!((back - value).abs() <= value * f64::EPSILON, "{value} {units}/{seconds}");
        }
    }

    #[test]
    fn rates_out_of_range_are_refused() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-10, 1e16] {
            assert!(matches!(Rate::per_second(rate), Err(LimitError::InvalidRate(_))), "{rate}");
        }
    }
}
