//! What can be seen of the reference.

use bursar::ledger::{ResourceId, TicketStatus};

use super::super::calls::NEVER;
use super::super::view::{ClaimView, FamilyView, ResourceView, View};
use super::families::Family;
use super::limits::Resource;
use super::time::alarm;
use super::{Claim, Mode, Reference, State};

impl Reference {
    pub(crate) fn view(&self) -> View {
        let waiting = self.claims.iter().filter(|claim| claim.state != State::Granted).count();
        let live = self.live();
        let live = live.iter().filter_map(|&id| self.find(id));
        View {
            now: self.now,
            waiting: waiting as u32,
            leases: (self.claims.len() - waiting) as u32,
            idle: self.claims.is_empty(),
            closed: self.mode != Mode::Open,
            resources: live.map(|resource| self.resource_view(resource)).collect(),
            families: self.families.iter().map(|family| self.family_view(family)).collect(),
            claims: self.claims.iter().map(|claim| self.claim_view(claim)).collect(),
        }
    }

    fn family_view(&self, family: &Family) -> FamilyView {
        let (limit, max_keys) = (family.plan.limit(), family.max_keys);
        let keys = self.members(&family.name).len() as u32;
        FamilyView { name: family.name.clone(), limit, max_keys, keys }
    }

    fn resource_view(&self, resource: &Resource) -> ResourceView {
        let id = resource.id;
        let held = self.held(id);
        let debt = if resource.is_bucket() {
            u64::try_from(-resource.level.at(self.now).units()).unwrap_or(0)
        } else {
            held.saturating_sub(resource.plan.capacity())
        };
        let waits = |claim: &&Claim| claim.state != State::Granted && claim.wants(id) > 0;
        ResourceView {
            id,
            name: resource.name.clone(),
            limit: resource.plan.limit(),
            available: self.free(id),
            held,
            debt,
            paused_until: Some(resource.paused_until).filter(|&until| until > self.now),
            waiting: self.claims.iter().filter(waits).count(),
        }
    }

    fn claim_view(&self, claim: &Claim) -> ClaimView {
        let waits = claim.state != State::Granted;
        let place = self.service(claim);
        let ahead = |other: &&Claim| other.state != State::Granted && self.service(other) < place;
        ClaimView {
            number: claim.number,
            status: if waits { TicketStatus::Waiting } else { TicketStatus::Granted },
            demand: claim.demand.clone(),
            priority: claim.priority,
            bypassed: claim.bypassed,
            barrier: claim.barrier,
            deadline: Some(alarm(claim)).filter(|&at| at != NEVER),
            owner: claim.owner.filter(|&owner| self.claims.iter().any(|c| c.number == owner)),
            nested: waits && claim.owner.is_some(),
            position: waits.then(|| self.claims.iter().filter(ahead).count()),
            shortage: waits.then(|| self.shortage(claim)),
        }
    }

    fn shortage(&self, claim: &Claim) -> Vec<(ResourceId, u64)> {
        let short = claim.demand.iter().filter_map(|&(id, units)| {
            let kept = match claim.state {
                // It has been told to ask again: then it may have whatever is free.
                State::Woken => 0,
                _ => self.kept(id, claim.seniority(), claim.barrier),
            };
            let missing = (units + kept).saturating_sub(self.free(id));
            (missing > 0).then_some((id, missing))
        });
        short.collect()
    }
}
