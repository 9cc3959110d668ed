//! What operators want: settings, figures, idleness, shutdown.

use std::time::Duration;

use super::Bursar;
use super::error::Error;
use super::moments::Idle;
use super::names::{self, Found, Names};
use super::resource::Resource;
use super::shared::Change;
use super::snapshot::Snapshot;
use crate::ledger::{Close, Ledger, Limit, MAX_UNITS, ResourceError, ResourceId};

/// Settings. They hold at once, for those who wait as well.
impl Bursar {
    /// Adds a resource, or a [family](Resource::per_key). A token bucket starts full.
    ///
    /// # Errors
    ///
    /// If a resource of this name exists, the name is empty or that of a family's key, or the limit cannot
    /// be.
    #[allow(clippy::needless_pass_by_value)] // As everywhere that a resource is given.
    pub fn define(&self, resource: Resource) -> Result<(), Error> {
        resource.limit()?;
        self.shared.enter(true, |state| match state.names {
            Names::Defined => resource.define(&mut state.ledger),
            Names::Unlimited(_) => Ok(()),
        })
    }

    /// Sets a resource's limit. Its kind stays.
    ///
    /// A semaphore that shrinks below what is held owes the difference: it shows as `debt` in the
    /// [snapshot](Self::snapshot), and is paid by releases before anybody is granted. A token bucket
    /// keeps its level, clamped to the new burst, and is not charged for the past at the new rate.
    /// Waiting claims that want more than the new capacity end with [`Error::NoLongerFits`].
    ///
    /// A family's name sets the limit of all its keys, `family/key` that of one, which keeps it until the
    /// family is resized: it is not forgotten in the meantime.
    ///
    /// # Errors
    ///
    /// If there is no such resource, it is of the other kind, or the limit cannot be.
    ///
    /// ```
    /// # use bursar::{Bursar, Error, Resource};
    /// # let bursar = Bursar::builder().resource(Resource::semaphore("gpu", 4)).build()?;
    /// bursar.resize(Resource::semaphore("gpu", 8))?;
    /// assert_eq!(bursar.capacity("gpu")?, 8);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn resize(&self, resource: Resource) -> Result<(), Error> {
        let (name, limit) = resource.into_parts()?;
        self.change(&name, limit.capacity(), |ledger| {
            if ledger.family(&name).is_some() {
                return ledger.resize_family(&name, limit);
            }
            let id = ledger.member(&name, &[])?;
            ledger.resize(id, limit)
        })
    }

    /// Takes a resource away, or a family with all its keys. Waiting claims that want it end with
    /// [`Error::ResourceRemoved`]; leases are given back as ever.
    ///
    /// # Errors
    ///
    /// If there is no such resource, or it is a family's key.
    pub fn remove(&self, name: impl AsRef<str>) -> Result<(), Error> {
        let name = name.as_ref();
        self.change(name, 0, |ledger| {
            if ledger.family(name).is_some() {
                return ledger.remove_family(name);
            }
            let id = ledger.member(name, &[])?;
            ledger.remove(id)
        })
    }

    /// Grants nothing of a resource for this long: what a server asks for with `Retry-After`. Replaces
    /// an earlier pause; a span of zero ends it. Leases keep what they hold, and buckets fill on.
    ///
    /// # Errors
    ///
    /// If there is no such resource.
    pub fn pause(&self, name: impl AsRef<str>, span: Duration) -> Result<(), Error> {
        let name = name.as_ref();
        self.change(name, 0, |ledger| {
            let id = ledger.member(name, &[])?;
            ledger.pause(id, ledger.now() + span)
        })
    }

    /// Sets what a token bucket holds now, 0 up to its burst: what a server says remains.
    ///
    /// # Errors
    ///
    /// If there is no such resource, it is a semaphore, or the level is above its burst.
    pub fn set_level(&self, name: impl AsRef<str>, units: u64) -> Result<(), Error> {
        let name = name.as_ref();
        self.change(name, 0, |ledger| {
            let id = ledger.member(name, &[])?;
            ledger.set_level(id, units)
        })
    }

    fn change(
        &self,
        name: &str,
        capacity: u64,
        call: impl FnOnce(&mut Ledger) -> Result<(), ResourceError>,
    ) -> Result<(), Error> {
        self.shared.enter(true, |state| {
            if let Names::Unlimited(_) = state.names {
                return Ok(());
            }
            let changed = call(&mut state.ledger);
            state.pass_on(Some(&Change { name, capacity }));
            changed.map_err(|error| names::resource_error(&state.ledger, name, error))
        })
    }
}

/// Figures, as they are at this moment.
impl Bursar {
    /// The most that one claim can have of a resource: its permits, or its burst.
    ///
    /// # Errors
    ///
    /// If there is no such resource.
    pub fn capacity(&self, name: impl AsRef<str>) -> Result<u64, Error> {
        self.figure(name.as_ref(), MAX_UNITS, Limit::capacity, Ledger::capacity)
    }

    /// Units of a resource that a claim could have now, if nobody waits for them.
    ///
    /// # Errors
    ///
    /// If there is no such resource.
    pub fn available(&self, name: impl AsRef<str>) -> Result<u64, Error> {
        self.figure(name.as_ref(), MAX_UNITS, Limit::capacity, Ledger::available)
    }

    /// Units of a resource that leases were granted and have not given back.
    ///
    /// # Errors
    ///
    /// If there is no such resource.
    pub fn held(&self, name: impl AsRef<str>) -> Result<u64, Error> {
        self.figure(name.as_ref(), 0, |_| 0, Ledger::held)
    }

    /// How many claims wait.
    pub fn waiting(&self) -> u32 {
        self.shared.enter(false, |state| state.ledger.waiting())
    }

    /// How many leases there are.
    pub fn leases(&self) -> u32 {
        self.shared.enter(false, |state| state.ledger.leases())
    }

    /// Everything at one moment: every resource, and every claim that waits or holds. For people and
    /// dashboards; it looks at every claim.
    ///
    /// ```
    /// # use bursar::{Bursar, Error, Resource};
    /// # let bursar = Bursar::builder().resource(Resource::semaphore("gpu", 4)).build()?;
    /// let lease = bursar.claim([("gpu", 3)]).blocking()?;
    /// let snapshot = bursar.snapshot();
    /// assert_eq!(snapshot.resources[0].available, 1);
    /// assert_eq!(snapshot.claims[0].demand, [("gpu".to_owned(), 3)]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn snapshot(&self) -> Snapshot {
        self.shared.enter(false, Snapshot::of)
    }

    fn figure(
        &self,
        name: &str,
        without_limit: u64,
        fresh: fn(&Limit) -> u64,
        get: fn(&Ledger, ResourceId) -> Option<u64>,
    ) -> Result<u64, Error> {
        self.shared.enter(false, |state| {
            Ok(match state.names.look(&state.ledger, name)? {
                Found::Resource(id) => get(&state.ledger, id).unwrap_or(0),
                Found::Template(limit) => fresh(&limit),
                Found::Unlimited => without_limit,
            })
        })
    }
}

/// Coming to an end.
impl Bursar {
    /// Waits until nobody waits and nobody holds anything; ends at once if that is so. It is enough that
    /// it was so for a moment since the future was first polled.
    ///
    /// ```
    /// # use bursar::{Bursar, Error, Resource};
    /// # let bursar = Bursar::builder().resource(Resource::semaphore("gpu", 4)).build()?;
    /// bursar.idle().blocking();
    /// # Ok::<(), Error>(())
    /// ```
    pub fn idle(&self) -> Idle {
        Idle::new(&self.shared)
    }

    /// Closes now: every waiting claim, and every later one, ends with [`Error::Closed`]. Leases are
    /// given back as ever; [`idle`](Self::idle) waits for them. Closing twice changes nothing.
    pub fn shutdown(&self) {
        self.shared.enter(true, |state| state.ledger.close(Close::Now));
    }

    /// Refuses new claims from now on, with [`Error::Closed`], and serves those that wait. The future
    /// ends when the last lease is given back; whoever does not care can drop it.
    ///
    /// ```
    /// # use bursar::{Bursar, Error, Resource};
    /// # let bursar = Bursar::builder().resource(Resource::semaphore("gpu", 4)).build()?;
    /// bursar.drain().blocking();
    /// assert_eq!(bursar.try_claim([("gpu", 1)]).unwrap_err(), Error::Closed);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn drain(&self) -> Idle {
        self.shared.enter(true, |state| state.ledger.close(Close::Drain));
        self.idle()
    }

    /// Whether new claims are refused.
    pub fn is_closed(&self) -> bool {
        self.shared.enter(false, |state| state.ledger.is_closed())
    }
}
