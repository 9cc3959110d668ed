//! Questions that change nothing.

use alloc::vec::Vec;

use super::claims::{Claim, State};
use super::error::TicketError;
use super::limit::Limit;
use super::resource::Kind;
use super::ticket::{ResourceId, Ticket};
use super::time::Time;
use super::{Ledger, Mode, Policy};

/// How a resource stands.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResourceStatus<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its limit.
    pub limit: Limit,
    /// Units that a claim could take now, if nobody else wanted any.
    pub available: u64,
    /// Units that leases were granted and have not given back.
    pub held: u64,
    /// What must come back, by release or by refill, before anything is free: permits held above a
    /// capacity that shrank, or a bucket's use beyond what was reserved.
    pub debt: u64,
    /// Until when it is paused.
    pub paused_until: Option<Time>,
    /// Waiting claims that want it.
    pub waiting: usize,
}

/// What a live ticket is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketStatus {
    /// In the line.
    Waiting,
    /// A lease.
    Granted,
}

/// One live claim.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaimStatus {
    /// Its ticket.
    pub ticket: Ticket,
    /// Waiting or granted.
    pub status: TicketStatus,
    /// What it wants or has.
    pub demand: Vec<(ResourceId, u64)>,
    /// Its priority; the highest, if it was made under a lease.
    pub priority: i32,
    /// How often it was passed while it was the first of its set.
    pub bypassed: u32,
    /// Whether units are kept for it.
    pub barrier: bool,
    /// When it expires, if it does: the end of its wait, or of its life as a lease.
    pub deadline: Option<Time>,
    /// The lease that it was made under, if that has not ended.
    pub owner: Option<Ticket>,
    /// Whether it waits before all that were not made under a lease.
    pub nested: bool,
}

/// Leases of a bucket can add up to more than a number of units holds; nobody reads the difference.
fn saturated(held: u128) -> u64 {
    u64::try_from(held).unwrap_or(u64::MAX)
}

impl Claim {
    fn status(&self) -> TicketStatus {
        if self.is_waiting() { TicketStatus::Waiting } else { TicketStatus::Granted }
    }
}

impl Ledger {
    /// What the ledger was told at its making.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// The resource of this name.
    pub fn resource(&self, name: &str) -> Option<ResourceId> {
        self.resources.id(name)
    }

    /// All resources, by number.
    pub fn resources(&self) -> impl Iterator<Item = ResourceId> {
        self.resources.ids()
    }

    /// The resource's name.
    pub fn name(&self, id: ResourceId) -> Option<&str> {
        self.resources.get(id).map(|resource| &*resource.name)
    }

    /// The resource's limit.
    pub fn limit(&self, id: ResourceId) -> Option<Limit> {
        Some(match &self.resources.get(id)?.kind {
            Kind::Semaphore { permits } => Limit::Semaphore { permits: *permits },
            Kind::Bucket(bucket) => Limit::TokenBucket { rate: bucket.rate, burst: bucket.burst },
        })
    }

    /// The most that one claim can have of it: permits, or burst.
    pub fn capacity(&self, id: ResourceId) -> Option<u64> {
        Some(self.limit(id)?.capacity())
    }

    /// Units that a claim could take now, if nobody else wanted any.
    pub fn available(&self, id: ResourceId) -> Option<u64> {
        self.resources.get(id)?;
        Some(self.resources.free_at(id, self.now))
    }

    /// Units that leases were granted and have not given back.
    pub fn held(&self, id: ResourceId) -> Option<u64> {
        self.resources.get(id)?;
        Some(saturated(self.resources.held(id)))
    }

    /// How a resource stands. Looks at every claim: for people, not for the path of a claim.
    pub fn status(&self, id: ResourceId) -> Option<ResourceStatus<'_>> {
        let resource = self.resources.get(id)?;
        let held = saturated(self.resources.held(id));
        let debt = match &resource.kind {
            Kind::Semaphore { permits } => held.saturating_sub(*permits),
            Kind::Bucket(bucket) => {
                let mut bucket = *bucket;
                bucket.refill(self.now);
                u64::try_from(-bucket.level).unwrap_or(0)
            }
        };
        let wants = |claim: &Claim| claim.is_waiting() && claim.demand.of(id).is_some();
        Some(ResourceStatus {
            name: &resource.name,
            limit: self.limit(id)?,
            available: self.resources.free_at(id, self.now),
            held,
            debt,
            paused_until: Some(resource.paused_until).filter(|&until| until > self.now),
            waiting: self.claims.iter().filter(|(_, claim)| wants(claim)).count(),
        })
    }

    /// How many claims wait.
    pub fn waiting(&self) -> u32 {
        self.claims.waiting()
    }

    /// How many leases there are.
    pub fn leases(&self) -> u32 {
        self.claims.held()
    }

    /// Whether nobody waits and nobody holds anything.
    pub fn is_idle(&self) -> bool {
        self.claims.waiting() == 0 && self.claims.held() == 0
    }

    /// Whether new claims are refused.
    pub fn is_closed(&self) -> bool {
        self.mode != Mode::Open
    }

    /// What the ticket is doing; `None` once it has ended.
    pub fn ticket(&self, ticket: Ticket) -> Option<TicketStatus> {
        let slot = self.claims.slot_of(ticket)?;
        Some(self.claims.get(slot).status())
    }

    /// Every live claim, by arrival.
    pub fn claims(&self) -> Vec<ClaimStatus> {
        self.each_claim().collect()
    }

    pub(crate) fn each_claim(&self) -> impl Iterator<Item = ClaimStatus> {
        self.claims.by_arrival(&|_| true).into_iter().map(|(_, slot)| {
            let claim = self.claims.get(slot);
            ClaimStatus {
                ticket: self.claims.ticket(slot),
                status: claim.status(),
                demand: claim.demand.iter().collect(),
                priority: claim.priority,
                bypassed: claim.bypassed,
                barrier: claim.barrier,
                deadline: Some(self.alarms.of(claim.alarm)).filter(|&at| at != Time::NEVER),
                nested: claim.is_waiting() && claim.is_nested(),
                owner: self.owner_of(slot).map(|owner| self.claims.ticket(owner)),
            }
        })
    }

    /// How many waiting claims come before this one. Looks at every claim.
    ///
    /// # Errors
    ///
    /// [`TicketError`] if the ticket does not wait.
    pub fn position(&self, ticket: Ticket) -> Result<usize, TicketError> {
        let slot = self.waiting_slot(ticket)?;
        let own = self.line.service(self.claims.get(slot).seniority());
        let ahead =
            |claim: &Claim| claim.is_waiting() && self.line.service(claim.seniority()) < own;
        Ok(self.claims.iter().filter(|(_, claim)| ahead(claim)).count())
    }

    /// What a waiting claim is short of, and by how many units: free units that are missing, those
    /// kept for claims before it counted as missing.
    ///
    /// # Errors
    ///
    /// [`TicketError`] if the ticket does not wait.
    pub fn shortage(&self, ticket: Ticket) -> Result<Vec<(ResourceId, u64)>, TicketError> {
        let slot = self.waiting_slot(ticket)?;
        let claim = self.claims.get(slot);
        let place = self.place_of(claim.seniority(), claim.barrier);
        let woken = claim.state == State::Woken;
        let mut short = Vec::new();
        for (id, units) in claim.demand.iter() {
            let wanted = units + if woken { 0 } else { self.barriers.kept(id, place) };
            let free = self.resources.free_at(id, self.now);
            if wanted > free {
                short.push((id, wanted - free));
            }
        }
        Ok(short)
    }
}
