//! Resources as the caller describes them.

use std::time::Duration;

use super::error::Error;
use super::names::{limit_error, resource_error};
use crate::ledger::{Ledger, Limit, LimitError, Rate};

/// A named limit, to be given to a [`Builder`](super::Builder), [`Bursar::define`](super::Bursar::define)
/// or [`Bursar::resize`](super::Bursar::resize).
///
/// A limit that cannot be (no permits, a rate that is not a number) is refused there, with the name of
/// the resource. Capacities are whole units from 1 to 2^53 - 1.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Resource {
    name: String,
    limit: Result<Limit, LimitError>,
    max_keys: Option<u32>,
}

/// How many keys of a family can be in use at one time, if nothing else is said.
const MAX_KEYS: u32 = 100_000;

impl Resource {
    /// Permits that a lease holds and gives back: slots, connections, megabytes, GPUs.
    pub fn semaphore(name: impl AsRef<str>, permits: u64) -> Self {
        Self::from_limit(name, Limit::semaphore(permits))
    }

    /// Tokens that a grant spends, and that time refills at `rate` units a second, up to `burst`. It
    /// starts full. `rate` is from 1e-9 to 2^53 - 1.
    ///
    /// In any window of t seconds, at most `burst + rate * t` units are granted.
    pub fn token_bucket(name: impl AsRef<str>, rate: f64, burst: u64) -> Self {
        let rate = Rate::per_second(rate);
        Self::from_limit(name, rate.and_then(|rate| Limit::token_bucket(rate, burst)))
    }

    /// Never more than `units` in any window of length `per`, of which `burst` may come at once:
    /// [`Limit::at_most`].
    ///
    /// ```
    /// # use bursar::Resource;
    /// # use std::time::Duration;
    /// let hourly = Resource::at_most("mail", 750, Duration::from_secs(3600), 10);
    /// ```
    pub fn at_most(name: impl AsRef<str>, units: u64, per: Duration, burst: u64) -> Self {
        Self::from_limit(name, Limit::at_most(units, per, burst))
    }

    /// A resource with this limit.
    pub fn new(name: impl AsRef<str>, limit: Limit) -> Self {
        Self::from_limit(name, Ok(limit))
    }

    fn from_limit(name: impl AsRef<str>, limit: Result<Limit, LimitError>) -> Self {
        Resource { name: name.as_ref().to_owned(), limit, max_keys: None }
    }

    /// Makes it a *family*: not one resource, but one for every key, each with this limit. That of the
    /// family `origin` and the key `https://example.org` has the name `origin/https://example.org`; the key
    /// is any text. It springs up when it is first asked for, and is forgotten some time after it is idle: when
    /// nobody holds or waits for any of it, its bucket is full, and it is not paused. So room is taken by
    /// the keys in use and a few more, however many there have been; at most 100,000 at one time.
    ///
    /// ```
    /// # use bursar::{Bursar, Error, Resource};
    /// let bursar = Bursar::builder()
    ///     .resource(Resource::semaphore("sockets", 50))
    ///     .resource(Resource::semaphore("origin", 6).per_key())
    ///     .build()?;
    /// let lease = bursar.claim([("origin/https://example.org", 1), ("sockets", 1)]).blocking()?;
    /// assert_eq!(bursar.available("origin/https://example.org")?, 5);
    /// assert_eq!(bursar.available("origin/https://example.net")?, 6);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn per_key(self) -> Self {
        self.max_keys(MAX_KEYS)
    }

    /// The same, with another bound: a claim for one more key than may be in use at one time is refused
    /// with [`Error::FamilyFull`].
    pub fn max_keys(self, max_keys: u32) -> Self {
        Resource { max_keys: Some(max_keys), ..self }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its limit.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidResource`] if there can be no such limit.
    pub fn limit(&self) -> Result<Limit, Error> {
        self.limit.map_err(|why| limit_error(&self.name, why))
    }

    /// Adds it to a ledger.
    pub(super) fn define(&self, ledger: &mut Ledger) -> Result<(), Error> {
        let limit = self.limit()?;
        let defined = match self.max_keys {
            None => ledger.define(&self.name, limit).map(drop),
            Some(max_keys) => ledger.define_family(&self.name, limit, max_keys),
        };
        defined.map_err(|error| resource_error(ledger, &self.name, error))
    }

    pub(super) fn into_parts(self) -> Result<(String, Limit), Error> {
        match self.limit {
            Ok(limit) => Ok((self.name, limit)),
            Err(why) => Err(limit_error(&self.name, why)),
        }
    }
}

/// What docs/families.md shows is run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/families.md")]
struct Guide;
