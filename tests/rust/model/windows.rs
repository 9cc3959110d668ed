//! The token buckets' guarantee: in any window of length t a bucket grants at most `burst + rate * t`.
//!
//! Every grant is checked together with each earlier one as the start of a window. What settlements
//! gave back or took beyond the reservation in between counts on the other side, to the unit. A level
//! that was set and a limit that was changed begin anew.

use std::collections::HashMap;

use bursar::ledger::ResourceId;
use proptest::prelude::prop_assert;
use proptest::test_runner::TestCaseError;

use super::plan::Plan;

#[derive(Default)]
pub(crate) struct Windows {
    buckets: HashMap<ResourceId, Bucket>,
    /// Those of families, which are forgotten and made again.
    names: HashMap<ResourceId, String>,
    forgotten: HashMap<String, Bucket>,
}

struct Bucket {
    burst: i128,
    ratio: (i128, i128),
    /// Moments, and units that were granted then (or settled, and then less than zero if given back).
    taken: Vec<(u64, i128, Taken)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    Granted,
    Settled,
}

impl Windows {
    /// The bucket begins, or begins anew. Semaphores are left alone.
    pub(crate) fn begin(&mut self, id: ResourceId, plan: Plan) {
        self.buckets.remove(&id);
        if let Some(ratio) = plan.ratio() {
            let burst = i128::from(plan.capacity());
            self.buckets.insert(id, Bucket { burst, ratio, taken: Vec::new() });
        }
    }

    /// A member was asked for, and may have been made again: then its windows go on.
    pub(crate) fn member(&mut self, id: ResourceId, name: &str, plan: Plan) {
        if self.names.get(&id).is_some_and(|known| known == name) && self.buckets.contains_key(&id)
        {
            return;
        }
        match self.forgotten.remove(name) {
            Some(bucket) => {
                self.buckets.insert(id, bucket);
            }
            None => self.begin(id, plan),
        }
        self.names.insert(id, name.to_owned());
    }

    pub(crate) fn forget(&mut self, ids: &[ResourceId]) {
        for id in ids {
            if let (Some(name), Some(bucket)) = (self.names.remove(id), self.buckets.remove(id)) {
                self.forgotten.insert(name, bucket);
            }
        }
    }

    /// Families were changed or removed: what is made from now on is new.
    pub(crate) fn forget_names(&mut self) {
        self.forgotten.clear();
    }

    pub(crate) fn end(&mut self, id: ResourceId) {
        self.buckets.remove(&id);
    }

    pub(crate) fn restart(&mut self, id: ResourceId) {
        if let Some(bucket) = self.buckets.get_mut(&id) {
            bucket.taken.clear();
        }
    }

    pub(crate) fn settled(&mut self, now: u64, id: ResourceId, more: i128) {
        if let Some(bucket) = self.buckets.get_mut(&id) {
            bucket.taken.push((now, more, Taken::Settled));
        }
    }

    pub(crate) fn granted(
        &mut self,
        now: u64,
        id: ResourceId,
        units: u64,
    ) -> Result<(), TestCaseError> {
        let Some(bucket) = self.buckets.get_mut(&id) else { return Ok(()) };
        bucket.taken.push((now, i128::from(units), Taken::Granted));
        let (a_nano, parts) = bucket.ratio;
        let mut sum = 0;
        for &(start, units, how) in bucket.taken.iter().rev() {
            sum += units;
            let most = bucket.burst * parts + i128::from(now - start) * a_nano;
            prop_assert!(
                how == Taken::Settled || sum * parts <= most,
                "{id:?} granted {sum} units from {start} to {now}, which is above {most} / {parts}"
            );
        }
        Ok(())
    }
}
