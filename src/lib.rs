//! One ledger for everything a program must not overspend: slots, connections, memory and rates.
//!
//! A caller claims what it needs in one call, gets all of it or waits its turn, and gives it back.
//!
//! ```
//! use bursar::{Bursar, Error, Resource};
//! use std::time::Duration;
//!
//! # futures_lite::future::block_on(async {
//! let bursar = Bursar::builder()
//!     .resource(Resource::semaphore("db", 20)) // held by a lease, returned when it ends
//!     .resource(Resource::semaphore("ram_mb", 4096))
//!     .resource(Resource::token_bucket("api", 50.0, 100)) // spent, and refilled by time
//!     .build()?;
//!
//! let demand = [("db", 1), ("ram_mb", 512), ("api", 1)];
//! let lease = bursar.claim(demand).timeout(Duration::from_secs(5)).await?;
//! // ... all three are yours ...
//! drop(lease);
//! # Ok::<(), Error>(())
//! # }).unwrap();
//! ```
//!
//! # What is here
//!
//! * [`Bursar`] is the handle that programs use: cheap to clone, for threads and futures alike, which
//!   wait in one line, on any executor.
//! * [`Scheduler`] runs tasks under such limits: pools, priorities, retries, timeouts, shards. What it
//!   decides by, [`scheduler::core`], is as pure as the ledger.
//! * [`ledger::Ledger`] is the state machine inside: no clock, no thread, no I/O, no `std`. It decides
//!   who gets what; everything else waits, wakes and tells the time. Use it directly to build a driver
//!   of your own.
//!
//! # Who goes first
//!
//! Higher priority first, then first come, first served. A claim that does not fit lets later ones
//! pass, so that work which does not need the short resource flows on, but no more than 1,000 times
//! (a setting): then units are kept for it until it is served. [`ledger::Ledger`] states the rules
//! exactly; [`ledger::Order`] has the other orders.
//!
//! # Features
//!
//! * `std` (default): the handle and the scheduler. Without it the crate is the ledger and the scheduler's
//!   core, for `no_std` with `alloc`.
//! * `config`: resources, pools and settings from TOML and JSON files: the `config` module.
//! * `js`: the ledger's face for the npm package. Not an interface for Rust programs.
#![cfg_attr(not(feature = "std"), no_std)]
// The face for JavaScript turns a pointer into a reference; it argues why at the place.
#![cfg_attr(not(feature = "js"), forbid(unsafe_code))]

extern crate alloc;

#[cfg(feature = "std")]
mod bursar;
#[cfg(feature = "config")]
pub mod config;
#[cfg(feature = "js")]
#[doc(hidden)]
pub mod js;
pub mod ledger;
pub mod scheduler;

#[cfg(feature = "std")]
pub use bursar::{
    Builder, Bursar, Claim, ClaimStage, ClaimState, Claiming, DeadlockLink, Error, FamilyState,
    Idle, Lease, Lost, ManualClock, Resource, ResourceState, Snapshot,
};
pub use ledger::{Limit, Order};
#[cfg(feature = "std")]
pub use scheduler::Scheduler;
