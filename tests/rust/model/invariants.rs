//! What must hold of a ledger after every call, from what it shows alone.

use std::cmp::Reverse;
use std::collections::HashMap;

use bursar::ledger::{Limit, Order, Policy, ResourceId, TicketStatus};
use proptest::prelude::{prop_assert, prop_assert_eq};
use proptest::test_runner::TestCaseError;

use super::calls::{Answer, Happening};
use super::view::{ClaimView, ResourceView, View};

type Checked = Result<(), TestCaseError>;

pub(crate) fn check(policy: Policy, view: &View) -> Checked {
    let waiting = view.claims.iter().filter(|claim| waits(claim)).count();
    prop_assert_eq!(view.waiting as usize, waiting);
    prop_assert_eq!(view.leases as usize, view.claims.len() - waiting);
    prop_assert_eq!(view.idle, view.claims.is_empty());
    if let Some(max_waiting) = policy.max_waiting {
        prop_assert!(view.waiting <= max_waiting);
    }
    for resource in &view.resources {
        check_resource(resource, view)?;
    }
    for claim in &view.claims {
        prop_assert!(claim.bypassed <= policy.max_bypass.unwrap_or(0), "{claim:?}");
        prop_assert!(!claim.barrier || waits(claim), "{claim:?}");
    }
    if policy.order != Order::Greedy {
        nobody_eligible_waits(policy.order, view)?;
    }
    Ok(())
}

fn waits(claim: &ClaimView) -> bool {
    claim.status == TicketStatus::Waiting
}

fn wants(claim: &ClaimView, id: ResourceId) -> u64 {
    claim.demand.iter().find(|pair| pair.0 == id).map_or(0, |pair| pair.1)
}

fn check_resource(resource: &ResourceView, view: &View) -> Checked {
    let leases = view.claims.iter().filter(|claim| !waits(claim));
    let held: u64 = leases.map(|claim| wants(claim, resource.id)).sum();
    prop_assert_eq!(resource.held, held, "{:?}", resource);
    prop_assert!(resource.available == 0 || resource.paused_until.is_none(), "{resource:?}");
    prop_assert!(resource.available == 0 || resource.debt == 0, "{resource:?}");
    let capacity = resource.limit.capacity();
    match resource.limit {
        Limit::Semaphore { .. } if resource.paused_until.is_none() => {
            prop_assert_eq!(capacity + resource.debt, held + resource.available, "{:?}", resource);
        }
        Limit::Semaphore { .. } => prop_assert_eq!(resource.debt, held.saturating_sub(capacity)),
        _ => prop_assert!(resource.available <= capacity, "{resource:?}"),
    }
    let waiting = view.claims.iter().filter(|claim| waits(claim) && wants(claim, resource.id) > 0);
    for claim in waiting.clone() {
        prop_assert!(wants(claim, resource.id) <= capacity, "{claim:?} waits for ever");
    }
    prop_assert_eq!(resource.waiting, waiting.count());
    Ok(())
}

fn nobody_eligible_waits(order: Order, view: &View) -> Checked {
    let seniority = |claim: &ClaimView| (!claim.nested, Reverse(claim.priority), claim.number);
    let free: HashMap<_, _> =
        view.resources.iter().map(|resource| (resource.id, resource.available)).collect();
    for claim in view.claims.iter().filter(|claim| waits(claim)) {
        let restricts = |other: &&ClaimView| match order {
            _ if claim.nested => false,
            Order::Newest if !claim.barrier => {
                other.barrier && (other.nested || other.priority >= claim.priority)
            }
            _ => other.barrier && seniority(other) < seniority(claim),
        };
        let short = claim.demand.iter().any(|&(id, units)| {
            let barriers = view.claims.iter().filter(restricts);
            free[&id] < units + barriers.map(|other| wants(other, id)).max().unwrap_or(0)
        });
        prop_assert!(short, "{claim:?} waits although it may be granted");
    }
    Ok(())
}

/// What has become of every ticket: each is granted at most once and ends exactly once.
#[derive(Default)]
pub(crate) struct Lives(HashMap<u64, Life>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Waiting,
    Granted,
    Ended,
}

impl Lives {
    pub(crate) fn answered(&mut self, answer: &Answer) -> Checked {
        match *answer {
            Answer::Granted(number) => {
                let before = self.0.insert(number, Life::Granted);
                prop_assert!(matches!(before, None | Some(Life::Waiting)), "{answer:?} {before:?}");
            }
            Answer::Waiting(number) => {
                let before = self.0.insert(number, Life::Waiting);
                prop_assert!(matches!(before, None | Some(Life::Waiting)), "{answer:?} {before:?}");
            }
            _ => {}
        }
        Ok(())
    }

    /// A release or a cancellation.
    pub(crate) fn ended(&mut self, number: u64) -> Checked {
        let before = self.0.insert(number, Life::Ended);
        prop_assert!(matches!(before, Some(Life::Waiting | Life::Granted)), "{number} {before:?}");
        Ok(())
    }

    pub(crate) fn happened(&mut self, happening: Happening) -> Checked {
        let (number, before, after) = match happening {
            Happening::Granted(number) => (number, Life::Waiting, Life::Granted),
            Happening::Expired(number) | Happening::Rejected(number, _) => {
                (number, Life::Waiting, Life::Ended)
            }
            Happening::Woken(number) => (number, Life::Waiting, Life::Waiting),
            Happening::Lapsed(number) => (number, Life::Granted, Life::Ended),
        };
        prop_assert_eq!(self.0.insert(number, after), Some(before), "{:?}", happening);
        Ok(())
    }

    pub(crate) fn check(&self, view: &View) -> Checked {
        let alive = self.0.values().filter(|&&life| life != Life::Ended).count();
        prop_assert_eq!(alive, view.claims.len());
        for claim in &view.claims {
            let life = if waits(claim) { Life::Waiting } else { Life::Granted };
            prop_assert_eq!(self.0.get(&claim.number), Some(&life), "{:?}", claim);
        }
        Ok(())
    }
}
