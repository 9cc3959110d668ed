//! The resources' own calls: define, resize, pause, remove; and closing the ledger.

use alloc::vec::Vec;

use super::error::ResourceError;
use super::event::Rejection;
use super::limit::Limit;
use super::ticket::ResourceId;
use super::time::Time;
use super::{Event, Ledger, Mode};

/// How a ledger closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Close {
    /// Refuse new claims and let the waiting ones be served.
    Drain,
    /// Refuse new claims and reject the waiting ones.
    Now,
}

impl Ledger {
    /// Adds a resource. A token bucket starts full.
    ///
    /// # Errors
    ///
    /// [`ResourceError`] if the name is empty, in use, or that of a family's key.
    pub fn define(&mut self, name: &str, limit: Limit) -> Result<ResourceId, ResourceError> {
        self.templates.allow(name)?;
        self.resources.define(name, limit, false, self.now)
    }

    /// Adds a resource whose name the driver keeps. Such a ledger has no snapshot.
    #[cfg(feature = "js")]
    pub(crate) fn define_unnamed(&mut self, limit: Limit) -> ResourceId {
        self.resources.define_unnamed(limit, self.now)
    }

    /// Sets a resource's limit, at once. Its kind stays.
    ///
    /// A semaphore that shrinks below what is held owes the difference: releases pay it before anybody
    /// is granted. Waiting claims that can never fit any more are rejected; so is the newest of those made
    /// under leases that now wait for each other. A bucket keeps its level,
    /// clamped to the new burst; the past is paid at the old rate.
    ///
    /// # Errors
    ///
    /// [`ResourceError`] if there is no such resource, or it is of the other kind.
    pub fn resize(&mut self, id: ResourceId, limit: Limit) -> Result<(), ResourceError> {
        let shrinks = self.resources.get(id).is_some_and(|old| limit.capacity() < old.capacity());
        self.resources.resize(id, limit, self.now)?;
        if shrinks {
            self.reject_all(id, limit.capacity(), Rejection::ExceedsCapacity);
            self.break_deadlocks();
        }
        self.resource_changed(id);
        Ok(())
    }

    /// Takes a resource away. Waiting claims that want it are rejected; leases keep what they have
    /// and are released as ever.
    ///
    /// # Errors
    ///
    /// [`ResourceError`] if there is no such resource, or it is a family's: with permits of it held, it would
    /// spring up again with all of them.
    pub fn remove(&mut self, id: ResourceId) -> Result<(), ResourceError> {
        if self.resources.get(id).is_none() {
            return Err(ResourceError::Unknown);
        }
        if self.resources.is_member(id) {
            return Err(ResourceError::NameInFamily);
        }
        self.reject_all(id, 0, Rejection::ResourceRemoved);
        self.resources.remove(id, self.now)?;
        self.refill_due = None;
        self.settle();
        Ok(())
    }

    /// Grants nothing from a resource before `until`; what is held stays held, and buckets fill on.
    /// Replaces an earlier pause: a moment that has passed ends it.
    ///
    /// # Errors
    ///
    /// [`ResourceError`] if there is no such resource.
    pub fn pause(&mut self, id: ResourceId, until: Time) -> Result<(), ResourceError> {
        self.resources.pause(id, until, self.now)?;
        self.resource_changed(id);
        Ok(())
    }

    /// Sets what a token bucket holds, 0 up to its burst: what a server says remains.
    ///
    /// # Errors
    ///
    /// [`ResourceError`] if there is no such resource, it is no bucket, or holds less at most.
    pub fn set_level(&mut self, id: ResourceId, units: u64) -> Result<(), ResourceError> {
        self.resources.set_level(id, units, self.now)?;
        self.resource_changed(id);
        Ok(())
    }

    /// Closes the ledger for new claims. Leases are released as ever. Closing twice changes nothing,
    /// except that `Now` may follow `Drain`.
    pub fn close(&mut self, how: Close) {
        match how {
            Close::Drain if self.mode == Mode::Open => self.mode = Mode::Draining,
            Close::Drain => {}
            Close::Now => {
                self.mode = Mode::Closed;
                let all = self.claims.waiting_where(&|_| true);
                self.reject(all, Rejection::Closed);
                self.touched.clear();
            }
        }
    }

    fn resource_changed(&mut self, id: ResourceId) {
        self.refill_due = None;
        self.touch(id);
        self.settle();
    }

    /// Rejects those who want more of a resource than it can ever give; the caller settles.
    fn reject_all(&mut self, id: ResourceId, capacity: u64, why: Rejection) {
        let never = self
            .claims
            .waiting_where(&|claim| claim.demand.of(id).is_some_and(|units| units > capacity));
        self.reject(never, why);
    }

    pub(super) fn reject(&mut self, claims: Vec<(u64, u32)>, why: Rejection) {
        for (_, slot) in claims {
            let ticket = self.claims.ticket(slot);
            self.turn_away(slot);
            self.events.push(Event::Rejected(ticket, why));
        }
    }
}
