//! Limits as a test names them: once for the ledger, once as plain numbers for the reference.

use std::time::Duration;

use bursar::ledger::{Limit, Rate};

/// Rates per second, and the whole units that they mean in so many nanoseconds, in lowest terms.
pub(crate) const RATES: [(f64, i128, i128); 11] = [
    (50.0, 1, 20_000_000),
    (3.0, 3, 1_000_000_000),
    (0.1, 1, 10_000_000_000),
    (1.0 / 3.0, 1, 3_000_000_000),
    (1e6, 1, 1_000),
    (7.5e8, 3, 4),
    (1e9, 1, 1),
    (2.0 / 7.0, 1, 3_500_000_000),
    (1234.5678, 6_172_839, 5_000_000_000_000),
    (1e-9, 1, 1_000_000_000_000_000_000),
    (9_007_199_254_740_991.0, 9_007_199_254_740_991, 1_000_000_000),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    Semaphore(u64),
    /// The rate by its place in [`RATES`].
    Bucket {
        rate: usize,
        burst: u64,
    },
    AtMost {
        units: u64,
        nanos: u64,
        burst: u64,
    },
}

impl Plan {
    pub(crate) fn limit(self) -> Limit {
        match self {
            Plan::Semaphore(permits) => Limit::semaphore(permits).expect("permits are valid"),
            Plan::Bucket { rate, burst } => {
                let rate = Rate::per_second(RATES[rate].0).expect("the rate is valid");
                Limit::token_bucket(rate, burst).expect("the burst is valid")
            }
            Plan::AtMost { units, nanos, burst } => {
                Limit::at_most(units, Duration::from_nanos(nanos), burst)
                    .expect("the window is valid")
            }
        }
    }

    pub(crate) fn capacity(self) -> u64 {
        match self {
            Plan::Semaphore(units)
            | Plan::Bucket { burst: units, .. }
            | Plan::AtMost { burst: units, .. } => units,
        }
    }

    /// `None` for a semaphore; else the units gained in so many nanoseconds, in lowest terms.
    pub(crate) fn ratio(self) -> Option<(i128, i128)> {
        match self {
            Plan::Semaphore(_) => None,
            Plan::Bucket { rate, .. } => Some((RATES[rate].1, RATES[rate].2)),
            Plan::AtMost { units, nanos, burst } => {
                let (mut units, mut nanos) = (i128::from(units - burst), i128::from(nanos));
                for factor in 2..10_000 {
                    while units % factor == 0 && nanos % factor == 0 {
                        (units, nanos) = (units / factor, nanos / factor);
                    }
                }
                Some((units, nanos))
            }
        }
    }
}
