//! How everything stands, for people to read.

use std::time::Duration;

use super::names::name_of;
use super::shared::State;
use super::waiters::Stage;
use crate::ledger::{Limit, Ticket, TicketStatus};

/// Everything that a bursar knows at one moment: see [`Bursar::snapshot`](super::Bursar::snapshot).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Every resource. Of a family's keys all that are in use, and some that are idle.
    pub resources: Vec<ResourceState>,
    /// Every family.
    pub families: Vec<FamilyState>,
    /// Every claim that waits or holds, by arrival.
    pub claims: Vec<ClaimState>,
    /// Whether new claims are refused.
    pub closed: bool,
}

/// One resource.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResourceState {
    /// Its name.
    pub name: String,
    /// Its limit.
    pub limit: Limit,
    /// Units that a claim could have, if nobody waited for them.
    pub available: u64,
    /// Units that leases were granted and have not given back.
    pub held: u64,
    /// What must come back before anything is free: permits held above a capacity that shrank, or what
    /// was used of a bucket beyond what was claimed.
    pub debt: u64,
    /// How long it is paused for.
    pub paused_for: Option<Duration>,
    /// How many waiting claims want it.
    pub waiting: usize,
}

/// One [family](super::Resource::per_key).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FamilyState {
    /// Its name.
    pub name: String,
    /// The limit that each key has.
    pub limit: Limit,
    /// How many keys can be in use at one time.
    pub max_keys: u32,
    /// How many there are: all that are in use, and some that are idle and not forgotten yet.
    pub keys: u32,
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaimState {
    /// Its identity.
    pub ticket: Ticket,
    /// What it is doing.
    pub stage: ClaimStage,
    /// What it wants, or has.
    pub demand: Vec<(String, u64)>,
    /// Its priority.
    pub priority: i32,
    /// How often it was passed while it was the first of those that want the same resources.
    pub bypassed: u32,
    /// Whether units are kept for it, because it was passed as often as may be.
    pub barrier: bool,
    /// How long it still may wait, or hold.
    pub ends_in: Option<Duration>,
}

/// What a claim is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClaimStage {
    /// It waits in the line.
    Waiting,
    /// It was granted, and its caller has not asked since. A claim that stays so is a future that is
    /// kept without being polled.
    Granted,
    /// Its caller has the lease.
    Leased,
}

impl Snapshot {
    pub(super) fn of(state: &mut State) -> Self {
        let ledger = &state.ledger;
        let from_now = |at: crate::ledger::Time| at.saturating_since(ledger.now());
        let resources = ledger.resources().filter_map(|id| ledger.status(id));
        let resources = resources.map(|status| ResourceState {
            name: status.name.to_owned(),
            limit: status.limit,
            available: status.available,
            held: status.held,
            debt: status.debt,
            paused_for: status.paused_until.map(from_now),
            waiting: status.waiting,
        });
        let waiters = &mut state.waiters;
        let claims = ledger.claims().into_iter().map(|claim| ClaimState {
            ticket: claim.ticket,
            stage: match (claim.status, waiters.stage(claim.ticket)) {
                (TicketStatus::Waiting, _) => ClaimStage::Waiting,
                (TicketStatus::Granted, Some(Stage::Granted)) => ClaimStage::Granted,
                (TicketStatus::Granted, _) => ClaimStage::Leased,
            },
            demand: claim.demand.iter().map(|&(id, units)| (name_of(ledger, id), units)).collect(),
            priority: claim.priority,
            bypassed: claim.bypassed,
            barrier: claim.barrier,
            ends_in: claim.deadline.map(from_now),
        });
        let families = ledger.families().map(|family| FamilyState {
            name: family.name.to_owned(),
            limit: family.limit,
            max_keys: family.max_keys,
            keys: family.keys,
        });
        Snapshot {
            resources: resources.collect(),
            families: families.collect(),
            claims: claims.collect(),
            closed: ledger.is_closed(),
        }
    }
}
