//! One resource, and what is free of it.

use alloc::boxed::Box;

use super::bucket::Bucket;
use super::time::Time;

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Semaphore { permits: u64 },
    Bucket(Bucket),
}

#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) name: Box<str>,
    pub(crate) kind: Kind,
    /// Units that live leases were granted. A bucket's are gone all the same; the count tells how long
    /// leases still refer to it, and 2^24 of them can add up beyond 64 bits.
    pub(crate) held: u128,
    /// No grants before this moment.
    pub(crate) paused_until: Time,
    /// Removed, but leases still hold permits of it.
    pub(crate) retired: bool,
    /// One of a family's.
    pub(crate) member: bool,
}

impl Resource {
    pub(crate) fn new(name: &str, kind: Kind, retired: bool) -> Self {
        let (held, paused_until, member) = (0, Time::ZERO, false);
        Resource { name: name.into(), kind, held, paused_until, retired, member }
    }

    /// What stands at a number that no resource has.
    pub(crate) fn vacant() -> Self {
        let kind = Kind::Semaphore { permits: 0 };
        Resource::new("", kind, true)
    }

    /// Nothing is named by the empty string but this.
    pub(crate) fn is_vacant(&self) -> bool {
        self.name.is_empty()
    }

    pub(crate) fn capacity(&self) -> u64 {
        match &self.kind {
            Kind::Semaphore { permits } => *permits,
            Kind::Bucket(bucket) => bucket.burst,
        }
    }

    /// Whether time alone can free units of it.
    pub(super) fn is_timed(&self, now: Time) -> bool {
        matches!(self.kind, Kind::Bucket(_)) || self.paused_until > now
    }

    /// A semaphore whose permits are held or free, and none owed.
    pub(super) fn owes_nothing(&self) -> bool {
        matches!(self.kind, Kind::Semaphore { permits } if self.held <= permits.into())
    }

    #[inline(always)]
    pub(super) fn free(&self, now: Time) -> u64 {
        if self.paused_until > now {
            return 0;
        }
        match &self.kind {
            Kind::Semaphore { permits } => permits.saturating_sub(self.held as u64),
            Kind::Bucket(bucket) => bucket.free(),
        }
    }
}
