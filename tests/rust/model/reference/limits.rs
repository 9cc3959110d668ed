//! Resources. A bucket's level is one whole number, counted in the fraction of a unit that its rate
//! gains in whole steps each nanosecond.

use bursar::ledger::ResourceId;

use super::super::calls::NEVER;
use super::super::plan::Plan;

#[derive(Clone)]
pub(super) struct Resource {
    pub(super) id: ResourceId,
    pub(super) name: String,
    pub(super) plan: Plan,
    pub(super) removed: bool,
    pub(super) paused_until: u64,
    pub(super) level: Level,
}

/// A bucket's level at a moment, in `1 / parts` of a unit. A semaphore has none.
#[derive(Clone, Copy)]
pub(super) struct Level {
    amount: i128,
    parts: i128,
    a_nano: i128,
    full: i128,
    at: u64,
}

impl Level {
    pub(super) fn full(plan: Plan, now: u64) -> Self {
        let (a_nano, parts) = plan.ratio().unwrap_or((0, 1));
        let full = i128::from(plan.capacity()) * parts;
        Level { amount: full, parts, a_nano, full, at: now }
    }

    pub(super) fn at(mut self, now: u64) -> Self {
        let gained = i128::from(now - self.at) * self.a_nano;
        self.amount = (self.amount + gained).min(self.full);
        self.at = now;
        self
    }

    pub(super) fn plus(mut self, units: i128) -> Self {
        self.amount = (self.amount + units * self.parts).min(self.full);
        self
    }

    pub(super) fn set(mut self, units: u64) -> Self {
        self.amount = i128::from(units) * self.parts;
        self
    }

    /// What there is of a unit beyond the whole ones is rounded down to the new fraction.
    pub(super) fn change(self, plan: Plan) -> Self {
        let new = Level::full(plan, self.at);
        let (units, rest) =
            (self.amount.div_euclid(self.parts), self.amount.rem_euclid(self.parts));
        let amount = units * new.parts + rest * new.parts / self.parts;
        Level { amount: amount.min(new.full), ..new }
    }

    /// Whole units, below zero in debt.
    pub(super) fn units(self) -> i128 {
        self.amount.div_euclid(self.parts)
    }

    pub(super) fn when(self, units: u64) -> u64 {
        let wanted = i128::from(units) * self.parts;
        if wanted <= self.amount {
            return self.at;
        }
        if wanted > self.full {
            return NEVER;
        }
        let missing = wanted - self.amount;
        let nanos = (missing + self.a_nano - 1) / self.a_nano;
        u64::try_from(i128::from(self.at) + nanos).unwrap_or(NEVER)
    }
}

impl Resource {
    pub(super) fn is_bucket(&self) -> bool {
        !matches!(self.plan, Plan::Semaphore(_))
    }

    /// Free units if so many are held.
    pub(super) fn free(&self, held: u64, now: u64) -> u64 {
        if self.removed || self.paused_until > now {
            0
        } else if self.is_bucket() {
            u64::try_from(self.level.at(now).units()).unwrap_or(0)
        } else {
            self.plan.capacity().saturating_sub(held)
        }
    }

    /// When time alone makes so many units free; `now` if they are.
    pub(super) fn when(&self, units: u64, held: u64, now: u64) -> u64 {
        let ready = if self.is_bucket() {
            self.level.at(now).when(units)
        } else if self.plan.capacity().saturating_sub(held) >= units {
            now
        } else {
            NEVER
        };
        ready.max(self.paused_until)
    }
}
