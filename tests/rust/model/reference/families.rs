//! Families. Which idle members are forgotten, and when, is the ledger's to say within bounds; here is
//! what it must not forget, and when it must forget.

use bursar::ledger::{Rejection, ResourceError, ResourceId};

use super::super::calls::Answer;
use super::super::plan::Plan;
use super::Reference;

/// The most that are forgotten where there is room.
const LOOKS: usize = 4;

pub(super) struct Family {
    pub(super) name: String,
    pub(super) plan: Plan,
    pub(super) max_keys: u32,
}

impl Family {
    pub(super) fn has(&self, name: &str) -> bool {
        name.strip_prefix(self.name.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }
}

impl Reference {
    pub(super) fn members(&self, name: &str) -> Vec<ResourceId> {
        let Some(family) = self.families.iter().find(|family| family.name == name) else {
            return Vec::new();
        };
        let live = self.resources.iter().filter(|resource| !resource.removed);
        live.filter(|resource| family.has(&resource.name)).map(|resource| resource.id).collect()
    }

    fn is_named(&self, name: &str) -> bool {
        self.resources.iter().any(|resource| !resource.removed && resource.name == name)
    }

    /// Whether a resource can have this name.
    pub(super) fn allows(&self, name: &str) -> Result<(), ResourceError> {
        if self.families.iter().any(|family| family.has(name)) {
            return Err(ResourceError::NameInFamily);
        }
        if self.is_named(name) || self.families.iter().any(|family| family.name == name) {
            return Err(ResourceError::DuplicateName);
        }
        Ok(())
    }

    pub(super) fn define_family(
        &mut self,
        name: &str,
        plan: Plan,
        max_keys: u32,
    ) -> Result<(), ResourceError> {
        match name {
            "" => return Err(ResourceError::EmptyName),
            _ if name.contains('/') => return Err(ResourceError::SlashInFamilyName),
            _ if max_keys == 0 => return Err(ResourceError::ZeroKeys),
            _ => {}
        }
        if self.is_named(name) || self.families.iter().any(|family| family.name == name) {
            return Err(ResourceError::DuplicateName);
        }
        let family = Family { name: name.to_owned(), plan, max_keys };
        let live = self.resources.iter().filter(|resource| !resource.removed);
        if live.map(|resource| &resource.name).any(|name| family.has(name)) {
            return Err(ResourceError::NamesInUse);
        }
        self.families.push(family);
        Ok(())
    }

    pub(super) fn member(
        &mut self,
        name: &str,
        demand: &[(ResourceId, u64)],
        ledger_said: &Answer,
    ) -> Answer {
        let named = self.resources.iter().find(|other| !other.removed && other.name == name);
        if let Some(resource) = named {
            return Answer::Member(resource.id, Vec::new());
        }
        let Some(family) = self.families.iter().find(|family| family.has(name)) else {
            return Answer::ResourceRefused(ResourceError::Unknown);
        };
        let (plan, max_keys) = (family.plan, family.max_keys);
        let mut members = self.members(&family.name.clone());
        let full = members.len() >= max_keys as usize;
        let kept = |id: ResourceId| demand.iter().any(|pair| pair.0 == id);
        let &Answer::Member(id, ref forgotten) = ledger_said else {
            let idle = members.iter().find(|&&id| !kept(id) && self.is_idle(id, plan));
            assert!(full && idle.is_none(), "{name} is refused although {idle:?} is idle");
            return Answer::ResourceRefused(ResourceError::FamilyFull { max_keys });
        };
        assert!(forgotten.len() <= LOOKS, "{forgotten:?} were forgotten for {name}");
        for &id in forgotten {
            assert!(members.contains(&id), "{id:?} was forgotten for {name}");
            assert!(!kept(id), "{id:?} was forgotten, which the same demand names");
            assert!(self.is_idle(id, plan), "{id:?} was forgotten, which is in use");
            members.retain(|&other| other != id);
            self.resources.retain(|resource| resource.id != id);
        }
        assert!(members.len() < max_keys as usize, "{name} is one key too many");
        self.add(id, name, plan);
        Answer::Member(id, forgotten.clone())
    }

    /// Whether a resource is as one that is made now.
    fn is_idle(&self, id: ResourceId, plan: Plan) -> bool {
        let resource = self.find(id).expect("it is a member");
        resource.plan.limit() == plan.limit()
            && self.claims.iter().all(|claim| claim.wants(id) == 0)
            && self.free(id) == plan.capacity()
    }

    pub(super) fn resize_family(&mut self, name: &str, plan: Plan) -> Result<(), ResourceError> {
        let family = self.families.iter_mut().find(|family| family.name == name);
        let family = family.ok_or(ResourceError::Unknown)?;
        if family.plan.ratio().is_some() != plan.ratio().is_some() {
            return Err(ResourceError::KindChanged);
        }
        family.plan = plan;
        let (now, members) = (self.now, self.members(name));
        for &id in &members {
            let resource = self.find_mut(id).expect("it is a member");
            resource.plan = plan;
            if resource.is_bucket() {
                resource.level = resource.level.at(now).change(plan);
            }
        }
        self.reject(Rejection::ExceedsCapacity, |claim| {
            members.iter().any(|&id| claim.wants(id) > plan.capacity())
        });
        while let Some(number) = self.newest_in_a_circle() {
            self.reject(Rejection::Deadlock, |claim| claim.number == number);
        }
        self.settle();
        Ok(())
    }

    pub(super) fn remove_family(&mut self, name: &str) -> Result<(), ResourceError> {
        let place = self.families.iter().position(|family| family.name == name);
        let place = place.ok_or(ResourceError::Unknown)?;
        let members = self.members(name);
        self.families.remove(place);
        self.reject(Rejection::ResourceRemoved, |claim| {
            members.iter().any(|&id| claim.wants(id) > 0)
        });
        for resource in &mut self.resources {
            resource.removed |= members.contains(&resource.id);
        }
        self.settle();
        Ok(())
    }
}
