//! The plainest ledger that obeys the rules: a list of claims, scanned in order.
//!
//! Nothing is kept that can be counted afresh: what is held is the sum over the leases, what is free
//! follows from that and the time, who comes first is searched among all. It shares no idea with the
//! ledger's index, so the two are wrong together only where the rules are.

mod calls;
mod families;
mod limits;
mod nested;
mod rules;
mod shown;
mod time;

use std::cmp::Reverse;

use bursar::ledger::{Policy, ResourceId};

use self::families::Family;
use self::limits::Resource;
use super::calls::Happening;
use super::plan::Plan;

pub(crate) struct Reference {
    policy: Policy,
    mode: Mode,
    now: u64,
    /// Every resource ever, the removed ones too while leases have units of them.
    resources: Vec<Resource>,
    families: Vec<Family>,
    /// The live claims, by arrival.
    claims: Vec<Claim>,
    /// How many claims there have been.
    arrivals: u64,
    /// With the moment of each.
    events: Vec<(u64, Happening)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Open,
    Draining,
    Closed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Waiting,
    Woken,
    Granted,
}

#[derive(Clone)]
struct Claim {
    number: u64,
    state: State,
    /// In the order of the resources' numbers.
    demand: Vec<(ResourceId, u64)>,
    priority: i32,
    /// Of the wait.
    deadline: u64,
    ttl: u64,
    /// Of the lease.
    ends_at: u64,
    bypassed: u32,
    barrier: bool,
    /// The lease that it was made under; that may have ended since.
    owner: Option<u64>,
}

/// Whether it was not made under a lease; its priority, if it was not; its arrival. Smaller is more
/// senior.
type Seniority = (bool, Reverse<i32>, u64);

fn seniority(nested: bool, priority: i32, number: u64) -> Seniority {
    (!nested, Reverse(if nested { 0 } else { priority }), number)
}

impl Claim {
    fn seniority(&self) -> Seniority {
        seniority(self.owner.is_some(), self.priority, self.number)
    }

    fn wants(&self, id: ResourceId) -> u64 {
        self.demand.iter().find(|pair| pair.0 == id).map_or(0, |pair| pair.1)
    }

    fn set(&self) -> Vec<ResourceId> {
        self.demand.iter().map(|pair| pair.0).collect()
    }
}

impl Reference {
    pub(crate) fn new(policy: Policy) -> Self {
        Reference {
            policy,
            mode: Mode::Open,
            now: 0,
            resources: Vec::new(),
            families: Vec::new(),
            claims: Vec::new(),
            arrivals: 0,
            events: Vec::new(),
        }
    }

    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    pub(crate) fn arrivals(&self) -> u64 {
        self.arrivals
    }

    /// The numbers of all live claims in this state.
    pub(crate) fn numbers(&self, state: State) -> Vec<u64> {
        self.claims.iter().filter(|claim| claim.state == state).map(|claim| claim.number).collect()
    }

    pub(crate) fn demand(&self, number: u64) -> Option<&[(ResourceId, u64)]> {
        let claim = self.claims.iter().find(|claim| claim.number == number)?;
        Some(&claim.demand)
    }

    /// The resources that have not been removed, by number.
    pub(crate) fn live(&self) -> Vec<ResourceId> {
        let live = self.resources.iter().filter(|resource| !resource.removed);
        let mut live: Vec<_> = live.map(|resource| resource.id).collect();
        live.sort();
        live
    }

    /// The resource's name and limit.
    pub(crate) fn named(&self, id: ResourceId) -> Option<(&str, Plan)> {
        self.find(id).map(|resource| (resource.name.as_str(), resource.plan))
    }

    pub(crate) fn ids_of_family(&self, name: &str) -> Vec<ResourceId> {
        self.members(name)
    }

    pub(crate) fn capacity(&self, id: ResourceId) -> u64 {
        self.find(id).map_or(10, |resource| resource.plan.capacity())
    }

    pub(crate) fn take_events(&mut self) -> Vec<(u64, Happening)> {
        std::mem::take(&mut self.events)
    }

    fn tell(&mut self, happening: Happening) {
        self.events.push((self.now, happening));
    }

    fn find(&self, id: ResourceId) -> Option<&Resource> {
        self.resources.iter().find(|resource| resource.id == id && !resource.removed)
    }

    fn find_mut(&mut self, id: ResourceId) -> Option<&mut Resource> {
        self.resources.iter_mut().find(|resource| resource.id == id && !resource.removed)
    }

    fn claim(&self, number: u64) -> &Claim {
        self.claims.iter().find(|claim| claim.number == number).expect("the claim is live")
    }

    fn claim_mut(&mut self, number: u64) -> &mut Claim {
        self.claims.iter_mut().find(|claim| claim.number == number).expect("the claim is live")
    }
}
