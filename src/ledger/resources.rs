//! The resources and what is free of each.

use alloc::vec::Vec;

use super::bucket::Bucket;
use super::demand::Demand;
use super::error::{ClaimError, ResourceError};
use super::limit::{Limit, MAX_UNITS};
use super::lookup::{Lookup, hash_text};
use super::resource::{Kind, Resource};
use super::ticket::ResourceId;
use super::time::Time;

/// What the path of a claim needs to know of a resource.
#[derive(Clone, Copy, Debug)]
struct Row {
    free: u64,
    /// The most that a claim can have.
    capacity: u64,
    /// A semaphore, not paused, that owes nothing. Then what is held is what is not free, and taking and
    /// giving need not look further: `Resource::held` is out of date.
    plain: bool,
}

impl Row {
    /// Of what was removed or never was.
    const NONE: Row = Row { free: 0, capacity: 0, plain: false };
}

/// All resources by number. Beside each stands what is free of it, kept up to date by every call
/// that changes it, in a short row: that is all that most calls read.
#[derive(Clone, Debug)]
pub(crate) struct Resources {
    table: Vec<Resource>,
    rows: Vec<Row>,
    /// Numbers of removed resources, the last one used first.
    vacant: Vec<ResourceId>,
    names: Lookup,
    /// Buckets, and resources that have been paused: those that need the time.
    timed: Vec<ResourceId>,
}

impl Resources {
    pub(crate) const fn new() -> Self {
        Resources {
            table: Vec::new(),
            rows: Vec::new(),
            vacant: Vec::new(),
            names: Lookup::new(),
            timed: Vec::new(),
        }
    }

    pub(crate) fn define(
        &mut self,
        name: &str,
        limit: Limit,
        member: bool,
        now: Time,
    ) -> Result<ResourceId, ResourceError> {
        if name.is_empty() {
            return Err(ResourceError::EmptyName);
        }
        if self.id(name).is_some() {
            return Err(ResourceError::DuplicateName);
        }
        let id = self.define_unnamed(limit, now);
        let resource = &mut self.table[id.at()];
        (resource.name, resource.member) = (name.into(), member);
        self.names.insert(hash_text(name), id.0);
        Ok(id)
    }

    /// For a driver that keeps the names itself.
    pub(crate) fn define_unnamed(&mut self, limit: Limit, now: Time) -> ResourceId {
        let kind = match limit {
            Limit::Semaphore { permits } => Kind::Semaphore { permits },
            Limit::TokenBucket { rate, burst } => Kind::Bucket(Bucket::full(rate, burst, now)),
        };
        let resource = Resource::new("", kind, false);
        let id = if let Some(id) = self.vacant.pop() {
            self.table[id.at()] = resource;
            id
        } else {
            self.table.push(resource);
            self.rows.push(Row::NONE);
            ResourceId(self.table.len() as u32 - 1)
        };
        self.track(id, now);
        id
    }

    /// Refreshes what is free, and who needs the time, after a change that `Resource::held` is part of.
    fn track(&mut self, id: ResourceId, now: Time) {
        let resource = &self.table[id.at()];
        self.rows[id.at()] = if resource.retired {
            Row::NONE
        } else {
            Row {
                free: resource.free(now),
                capacity: resource.capacity(),
                plain: resource.paused_until <= now && resource.owes_nothing(),
            }
        };
        let timed = !resource.retired && resource.is_timed(now);
        match self.timed.binary_search(&id) {
            Ok(place) if !timed => {
                self.timed.remove(place);
            }
            Err(place) if timed => self.timed.insert(place, id),
            _ => {}
        }
    }

    /// Every number's resource, used or not, and the unused numbers, the next one last.
    pub(crate) fn parts(&self) -> (&[Resource], &[ResourceId]) {
        (&self.table, &self.vacant)
    }

    /// The other way round, with nothing held yet. Names must differ, retired ones apart.
    pub(crate) fn from_parts(
        table: Vec<Resource>,
        vacant: Vec<ResourceId>,
        now: Time,
    ) -> Option<Self> {
        let rows = alloc::vec![Row::NONE; table.len()];
        let names = Lookup::new();
        let mut resources = Resources { table, rows, vacant, names, timed: Vec::new() };
        for index in 0..resources.table.len() as u32 {
            let resource = &resources.table[index as usize];
            if resource.retired {
                continue;
            }
            if resources.id(&resource.name).is_some() {
                return None;
            }
            resources.names.insert(hash_text(&resource.name), index);
            resources.track(ResourceId(index), now);
        }
        Some(resources)
    }

    /// Whether a lease can have so many units of it: it is live, or retired and still held. What a lease
    /// has given back it still names, even when the resource is no more.
    pub(crate) fn may_have_lent(&self, id: ResourceId, units: u64) -> bool {
        self.table.get(id.at()).is_some_and(|resource| units == 0 || !resource.is_vacant())
    }

    /// Counts a restored lease in.
    pub(crate) fn hold_restored(&mut self, demand: &Demand) {
        for (id, units) in demand.iter() {
            self.table[id.at()].held += u128::from(units);
        }
    }

    /// Works out what is free once all leases are counted. A retired resource must be held by one, and
    /// no semaphore can have lent more than there ever were.
    pub(crate) fn settle_restored(&mut self, now: Time) -> Option<()> {
        for index in 0..self.table.len() as u32 {
            let resource = &self.table[index as usize];
            let semaphore = matches!(resource.kind, Kind::Semaphore { .. });
            let forgotten = resource.retired && resource.held == 0 && !resource.is_vacant();
            if forgotten || (semaphore && resource.held > MAX_UNITS.into()) {
                return None;
            }
            self.track(ResourceId(index), now);
        }
        Some(())
    }

    pub(crate) fn id(&self, name: &str) -> Option<ResourceId> {
        let is = |number: u32| *self.table[number as usize].name == *name;
        self.names.find(hash_text(name), is).map(ResourceId)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = ResourceId> {
        (0..self.table.len() as u32).map(ResourceId).filter(|&id| self.get(id).is_some())
    }

    /// The resource, unless it never was or has been removed.
    pub(crate) fn get(&self, id: ResourceId) -> Option<&Resource> {
        self.table.get(id.at()).filter(|resource| !resource.retired)
    }

    /// Whether a resource that there is is one of a family's.
    pub(crate) fn is_member(&self, id: ResourceId) -> bool {
        self.table[id.at()].member
    }

    /// Notes that it is one.
    pub(crate) fn mark_member(&mut self, id: ResourceId) {
        self.table[id.at()].member = true;
    }

    /// Whether a resource is as if it had been defined now, with this limit.
    pub(crate) fn is_fresh(&self, id: ResourceId, limit: Limit, now: Time) -> bool {
        let same = match (&self.table[id.at()].kind, limit) {
            (Kind::Semaphore { permits }, Limit::Semaphore { permits: own }) => *permits == own,
            (Kind::Bucket(bucket), Limit::TokenBucket { rate, burst }) => {
                bucket.rate == rate && bucket.burst == burst
            }
            _ => false,
        };
        // Within a pause nothing is free, and a bucket's level is whole when it is full.
        same && self.held(id) == 0 && self.free_at(id, now) == limit.capacity()
    }

    pub(crate) fn timed(&self) -> &[ResourceId] {
        &self.timed
    }

    pub(crate) fn free(&self, id: ResourceId) -> u64 {
        self.rows[id.at()].free
    }

    /// Whether every claim of the demand is one that could be granted some day.
    pub(crate) fn check(&self, demand: &Demand) -> Result<(), ClaimError> {
        for (id, wanted) in demand.iter() {
            if self.rows.get(id.at()).is_none_or(|row| wanted > row.capacity) {
                return Err(self.never(id, wanted));
            }
        }
        Ok(())
    }

    #[cold]
    fn never(&self, id: ResourceId, wanted: u64) -> ClaimError {
        match self.get(id).map(Resource::capacity) {
            Some(capacity) => ClaimError::ExceedsCapacity { resource: id, wanted, capacity },
            None => ClaimError::UnknownResource(id),
        }
    }

    pub(crate) fn fits(&self, demand: &Demand) -> bool {
        demand.iter().all(|(id, units)| self.free(id) >= units)
    }

    /// Takes what is wanted if every pair names a plain semaphore that has so many units free, 1 at
    /// least. Whether it has. What is free is within the capacity, and a plain semaphore needs no time, so
    /// nothing else need be checked, except that each is named once.
    #[inline(always)]
    pub(crate) fn take_plainly(&mut self, demand: &[(ResourceId, u64)]) -> bool {
        for (place, &(id, units)) in demand.iter().enumerate() {
            match self.rows.get_mut(id.at()) {
                Some(row) if row.plain && units.wrapping_sub(1) < row.free => row.free -= units,
                _ => {
                    self.untake_plainly(&demand[..place]);
                    return false;
                }
            }
        }
        true
    }

    /// Takes that back, before anything else has happened.
    #[inline(always)]
    pub(crate) fn untake_plainly(&mut self, demand: &[(ResourceId, u64)]) {
        for &(id, units) in demand {
            self.rows[id.at()].free += units;
        }
    }

    /// Gives a lease's units back, if all are of plain semaphores. Whether it has.
    #[inline(always)]
    pub(crate) fn give_plainly(&mut self, demand: &Demand) -> bool {
        if let Some((id, units)) = demand.only() {
            let row = &mut self.rows[id.at()];
            row.free += if row.plain { units } else { 0 };
            return row.plain;
        }
        for (place, (id, units)) in demand.few().enumerate() {
            let row = &mut self.rows[id.at()];
            if !row.plain {
                for (id, units) in demand.few().take(place) {
                    self.rows[id.at()].free -= units;
                }
                return false;
            }
            row.free += units;
        }
        demand.are_few()
    }

    /// Takes what fits.
    pub(crate) fn take(&mut self, demand: &Demand) {
        for (id, units) in demand.iter() {
            let row = &mut self.rows[id.at()];
            row.free -= units;
            if !row.plain {
                self.take_counted(id, units);
            }
        }
    }

    fn take_counted(&mut self, id: ResourceId, units: u64) {
        let resource = &mut self.table[id.at()];
        resource.held += u128::from(units);
        if let Kind::Bucket(bucket) = &mut resource.kind {
            bucket.take(units);
        }
    }

    /// A lease lets go of units: permits come back, a bucket's units do not.
    pub(crate) fn give(&mut self, id: ResourceId, units: u64, now: Time) {
        let row = &mut self.rows[id.at()];
        if row.plain {
            row.free += units;
        } else if units > 0 {
            self.give_counted(id, units, now);
        }
    }

    fn give_counted(&mut self, id: ResourceId, units: u64, now: Time) {
        let resource = &mut self.table[id.at()];
        resource.held -= u128::from(units);
        if resource.retired {
            self.forget_if_empty(id);
        } else {
            self.track(id, now);
        }
    }

    /// Units that leases were granted and have not given back.
    pub(crate) fn held(&self, id: ResourceId) -> u128 {
        let row = self.rows[id.at()];
        if row.plain { (row.capacity - row.free).into() } else { self.table[id.at()].held }
    }

    pub(crate) fn is_bucket(&self, id: ResourceId) -> bool {
        matches!(self.table[id.at()].kind, Kind::Bucket(_))
    }

    /// Corrects what a lease took of a bucket from `reserved` to `used`.
    pub(crate) fn correct(&mut self, id: ResourceId, reserved: u64, used: u64, now: Time) {
        let resource = &mut self.table[id.at()];
        resource.held = resource.held - u128::from(reserved) + u128::from(used);
        if let Kind::Bucket(bucket) = &mut resource.kind {
            bucket.refill(now);
            bucket.correct(reserved, used);
        }
        if resource.retired {
            self.forget_if_empty(id);
        } else {
            self.track(id, now);
        }
    }

    /// Counts the time up to `now` in for what a demand wants.
    pub(crate) fn refresh(&mut self, demand: &Demand, now: Time) {
        if self.timed.is_empty() {
            return;
        }
        for &id in demand.ids() {
            self.refill_one(id, now);
        }
    }

    /// What is free at `now`, which may be later than the last refill.
    pub(crate) fn free_at(&self, id: ResourceId, now: Time) -> u64 {
        let row = self.rows[id.at()];
        if row.plain { row.free } else { self.free_then(id, now) }
    }

    fn free_then(&self, id: ResourceId, now: Time) -> u64 {
        let resource = &self.table[id.at()];
        match resource.kind {
            Kind::Bucket(mut bucket) if resource.paused_until <= now => {
                bucket.refill(now);
                bucket.free()
            }
            _ => resource.free(now),
        }
    }

    fn refill_one(&mut self, id: ResourceId, now: Time) {
        if self.rows[id.at()].plain {
            return;
        }
        let resource = &mut self.table[id.at()];
        if let Kind::Bucket(bucket) = &mut resource.kind {
            bucket.refill(now);
            self.rows[id.at()].free = resource.free(now);
        } else {
            self.track(id, now);
        }
    }

    /// Counts the time up to `now` in, everywhere.
    pub(crate) fn refill(&mut self, now: Time) {
        for place in (0..self.timed.len()).rev() {
            self.refill_one(self.timed[place], now);
        }
    }

    /// The earliest moment at which `units` are free, if nobody takes or gives any.
    pub(crate) fn when(&self, id: ResourceId, units: u64, now: Time) -> Time {
        let resource = &self.table[id.at()];
        let ready = match resource.kind {
            Kind::Bucket(bucket) => bucket.when(units),
            // What will be free at the end of a pause, that is.
            Kind::Semaphore { permits } if self.held(id) + u128::from(units) <= permits.into() => {
                now
            }
            Kind::Semaphore { .. } => Time::NEVER,
        };
        ready.max(resource.paused_until)
    }

    pub(crate) fn resize(
        &mut self,
        id: ResourceId,
        limit: Limit,
        now: Time,
    ) -> Result<(), ResourceError> {
        let resource = self.live_mut(id)?;
        match (&mut resource.kind, limit) {
            (Kind::Semaphore { permits }, Limit::Semaphore { permits: new }) => *permits = new,
            (Kind::Bucket(bucket), Limit::TokenBucket { rate, burst }) => {
                bucket.refill(now);
                bucket.change(rate, burst);
            }
            _ => return Err(ResourceError::KindChanged),
        }
        self.track(id, now);
        Ok(())
    }

    pub(crate) fn pause(
        &mut self,
        id: ResourceId,
        until: Time,
        now: Time,
    ) -> Result<(), ResourceError> {
        self.live_mut(id)?.paused_until = until;
        self.track(id, now);
        Ok(())
    }

    pub(crate) fn set_level(
        &mut self,
        id: ResourceId,
        level: u64,
        now: Time,
    ) -> Result<(), ResourceError> {
        match &mut self.live_mut(id)?.kind {
            Kind::Bucket(bucket) if level <= bucket.burst => {
                bucket.refill(now);
                bucket.set_level(level);
            }
            Kind::Bucket(bucket) => {
                return Err(ResourceError::LevelAboveBurst { level, burst: bucket.burst });
            }
            Kind::Semaphore { .. } => return Err(ResourceError::NotATokenBucket),
        }
        self.track(id, now);
        Ok(())
    }

    pub(crate) fn remove(&mut self, id: ResourceId, now: Time) -> Result<(), ResourceError> {
        self.get(id).ok_or(ResourceError::Unknown)?;
        self.forget(id, now);
        Ok(())
    }

    /// Takes away a resource that there is. What leases have of it keeps the number from others.
    pub(crate) fn forget(&mut self, id: ResourceId, now: Time) {
        let held = self.held(id);
        let resource = &mut self.table[id.at()];
        resource.held = held;
        resource.retired = true;
        let hash = hash_text(&resource.name);
        self.names.remove(hash, |number| number == id.0);
        self.track(id, now);
        self.forget_if_empty(id);
    }

    fn forget_if_empty(&mut self, id: ResourceId) {
        if self.table[id.at()].held == 0 {
            self.table[id.at()] = Resource::vacant();
            self.vacant.push(id);
        }
    }

    /// A resource to be changed; the caller tracks it afterwards.
    fn live_mut(&mut self, id: ResourceId) -> Result<&mut Resource, ResourceError> {
        if self.get(id).is_some() {
            self.table[id.at()].held = self.held(id);
        }
        let resource = self.table.get_mut(id.at()).filter(|resource| !resource.retired);
        resource.ok_or(ResourceError::Unknown)
    }
}
