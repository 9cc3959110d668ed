//! The calls, and which of them are refused.

use bursar::ledger::{
    Cancelled, ClaimError, Close, MAX_UNITS, Rejection, ResourceError, ResourceId, TicketError,
};

use super::super::calls::{Answer, Call, Happening, NEVER, Wish};
use super::super::plan::Plan;
use super::limits::{Level, Resource};
use super::{Claim, Mode, Reference, State};

type Demand = Vec<(ResourceId, u64)>;

impl Reference {
    /// Plays a call. Which number a new resource gets is the ledger's to say.
    pub(crate) fn call(&mut self, call: &Call, ledger_said: &Answer) -> Answer {
        match call {
            Call::Claim(wish) => self.ask(wish, true).unwrap_or_else(Answer::ClaimRefused),
            Call::TryClaim(wish) => self.ask(wish, false).unwrap_or_else(Answer::ClaimRefused),
            Call::Retry(number) => self.retry(*number).unwrap_or_else(Answer::TicketRefused),
            Call::Release(number) => self.release(*number).into(),
            Call::ReleasePart(number, part) => self.release_part(*number, part).into(),
            Call::SettleUse(number, used) => self.settle_use(*number, used).into(),
            Call::Cancel(number) => {
                self.cancel(*number).map_or_else(Answer::TicketRefused, Answer::Cancelled)
            }
            Call::SetPriority(number, priority) => self.set_priority(*number, *priority).into(),
            Call::Define(name, plan) => self
                .define(name, *plan, ledger_said)
                .map_or_else(Answer::ResourceRefused, Answer::Defined),
            Call::DefineFamily(name, plan, max_keys) => {
                self.define_family(name, *plan, *max_keys).into()
            }
            Call::Member(name, demand) => self.member(name, demand, ledger_said),
            Call::ResizeFamily(name, plan) => self.resize_family(name, *plan).into(),
            Call::RemoveFamily(name) => self.remove_family(name).into(),
            Call::Resize(id, plan) => self.resize(*id, *plan).into(),
            Call::Remove(id) => self.remove(*id).into(),
            Call::Pause(id, until) => self.pause(*id, *until).into(),
            Call::SetLevel(id, units) => self.set_level(*id, *units).into(),
            Call::Advance(to) => {
                self.advance(*to);
                Answer::Done
            }
            Call::CancelAll(numbers) => {
                for &number in numbers {
                    self.end(number);
                }
                self.settle();
                Answer::Done
            }
            Call::Close(how) => {
                self.close(*how);
                Answer::Done
            }
            Call::NextWakeup | Call::Restore => Answer::Done,
        }
    }

    fn state(&self, number: u64) -> Option<State> {
        self.claims.iter().find(|claim| claim.number == number).map(|claim| claim.state)
    }

    fn must_be_granted(&self, number: u64) -> Result<(), TicketError> {
        match self.state(number) {
            Some(State::Granted) => Ok(()),
            Some(_) => Err(TicketError::NotGranted),
            None => Err(TicketError::Unknown),
        }
    }

    fn check_part(
        &self,
        number: u64,
        part: &[(ResourceId, u64)],
        settles: bool,
    ) -> Result<(), TicketError> {
        self.must_be_granted(number)?;
        if part.is_empty() {
            return Err(TicketError::Invalid(ClaimError::EmptyDemand));
        }
        let mut seen = Vec::new();
        for &(resource, units) in part {
            if seen.contains(&resource) {
                return Err(TicketError::Invalid(ClaimError::DuplicateResource(resource)));
            }
            seen.push(resource);
            if units == 0 && !settles {
                return Err(TicketError::Invalid(ClaimError::ZeroUnits(resource)));
            }
            let held = self.claim(number).wants(resource);
            if held == 0 || (units > held && !settles) {
                return Err(TicketError::NotHeld { resource, named: units, held });
            }
            if settles && !self.was_bucket(resource) {
                return Err(TicketError::NotATokenBucket(resource));
            }
            if !settles && self.was_bucket(resource) {
                return Err(TicketError::NotASemaphore(resource));
            }
            if units > MAX_UNITS {
                let (wanted, capacity) = (units, MAX_UNITS);
                let excess = ClaimError::ExceedsCapacity { resource, wanted, capacity };
                return Err(TicketError::Invalid(excess));
            }
        }
        Ok(())
    }

    fn must_wait(&self, number: u64) -> Result<State, TicketError> {
        match self.state(number) {
            Some(State::Granted) => Err(TicketError::NotWaiting),
            Some(state) => Ok(state),
            None => Err(TicketError::Unknown),
        }
    }

    fn ask(&mut self, wish: &Wish, waits: bool) -> Result<Answer, ClaimError> {
        if self.mode != Mode::Open {
            return Err(ClaimError::Closed);
        }
        let demand = checked(&wish.demand)?;
        for &(id, wanted) in &demand {
            let Some(resource) = self.find(id) else { return Err(ClaimError::UnknownResource(id)) };
            let capacity = resource.plan.capacity();
            if wanted > capacity {
                return Err(ClaimError::ExceedsCapacity { resource: id, wanted, capacity });
            }
        }
        if wish.owner.is_some_and(|owner| self.state(owner) != Some(State::Granted)) {
            return Ok(Answer::OwnerRefused);
        }
        let granted = self.may_have(&demand, wish.priority, wish.owner.is_some());
        if !granted && !waits {
            return Ok(Answer::NotNow);
        }
        let waiting = self.claims.iter().filter(|claim| claim.state != State::Granted).count();
        if let Some(max_waiting) = self.policy.max_waiting
            && !granted
            && waiting >= max_waiting as usize
        {
            return Err(ClaimError::QueueFull { max_waiting });
        }
        self.arrivals += 1;
        let number = self.arrivals;
        self.claims.push(Claim {
            number,
            state: State::Waiting,
            demand,
            priority: if wish.owner.is_some() { i32::MAX } else { wish.priority },
            deadline: wish.deadline,
            ttl: wish.ttl,
            ends_at: NEVER,
            bypassed: 0,
            barrier: false,
            owner: wish.owner,
        });
        if !granted && wish.owner.is_some() && self.is_deadlocked(number) {
            self.claims.pop();
            self.arrivals -= 1;
            return Ok(Answer::Deadlock);
        }
        if granted {
            self.grant(number);
            // Whom this passed once too often is a barrier now, and others restrict it no longer.
            self.settle();
            Ok(Answer::Granted(number))
        } else {
            self.raise_barriers();
            Ok(Answer::Waiting(number))
        }
    }

    fn retry(&mut self, number: u64) -> Result<Answer, TicketError> {
        if self.must_wait(number)? == State::Waiting {
            return Ok(Answer::Waiting(number));
        }
        self.claim_mut(number).state = State::Waiting;
        if self.fits(&self.claim(number).demand) {
            self.grant(number);
            return Ok(Answer::Granted(number));
        }
        self.settle();
        Ok(Answer::Waiting(number))
    }

    fn release(&mut self, number: u64) -> Result<(), TicketError> {
        self.must_be_granted(number)?;
        self.end(number);
        self.settle();
        Ok(())
    }

    fn release_part(&mut self, number: u64, part: &[(ResourceId, u64)]) -> Result<(), TicketError> {
        self.check_part(number, part, false)?;
        for pair in &mut self.claim_mut(number).demand {
            pair.1 -= part.iter().find(|part| part.0 == pair.0).map_or(0, |part| part.1);
        }
        self.settle();
        Ok(())
    }

    fn settle_use(&mut self, number: u64, used: &[(ResourceId, u64)]) -> Result<(), TicketError> {
        self.check_part(number, used, true)?;
        let now = self.now;
        for &(id, units) in used {
            let reserved = self.claim(number).wants(id);
            for pair in self.claim_mut(number).demand.iter_mut().filter(|pair| pair.0 == id) {
                pair.1 = units;
            }
            if let Some(resource) = self.find_mut(id) {
                let back = i128::from(reserved) - i128::from(units);
                resource.level = resource.level.at(now).plus(back);
            }
        }
        self.settle();
        Ok(())
    }

    fn cancel(&mut self, number: u64) -> Result<Cancelled, TicketError> {
        let state = self.state(number).ok_or(TicketError::Unknown)?;
        self.end(number);
        self.settle();
        Ok(if state == State::Granted { Cancelled::Granted } else { Cancelled::Waiting })
    }

    fn set_priority(&mut self, number: u64, priority: i32) -> Result<(), TicketError> {
        self.must_wait(number)?;
        let claim = self.claim_mut(number);
        if claim.owner.is_some() {
            return Ok(());
        }
        claim.priority = priority;
        claim.barrier = false;
        self.raise_barriers();
        self.settle();
        Ok(())
    }

    /// The kind of a resource that a lease has units of, even if it has been removed since.
    fn was_bucket(&self, id: ResourceId) -> bool {
        self.resources.iter().any(|resource| resource.id == id && resource.is_bucket())
    }

    fn define(
        &mut self,
        name: &str,
        plan: Plan,
        ledger_said: &Answer,
    ) -> Result<ResourceId, ResourceError> {
        if name.is_empty() {
            return Err(ResourceError::EmptyName);
        }
        self.allows(name)?;
        let &Answer::Defined(id) = ledger_said else {
            panic!("the ledger should have defined {name}, and said {ledger_said:?}");
        };
        self.add(id, name, plan);
        Ok(id)
    }

    pub(super) fn add(&mut self, id: ResourceId, name: &str, plan: Plan) {
        assert!(self.find(id).is_none(), "{id:?} is a live resource's number");
        assert_eq!(self.held(id), 0, "leases still have units of the former {id:?}");
        self.resources.retain(|resource| resource.id != id);
        self.resources.push(Resource {
            id,
            name: name.to_owned(),
            plan,
            removed: false,
            paused_until: 0,
            level: Level::full(plan, self.now),
        });
    }

    fn resize(&mut self, id: ResourceId, plan: Plan) -> Result<(), ResourceError> {
        let now = self.now;
        let resource = self.find_mut(id).ok_or(ResourceError::Unknown)?;
        if resource.plan.ratio().is_some() != plan.ratio().is_some() {
            return Err(ResourceError::KindChanged);
        }
        resource.plan = plan;
        if resource.is_bucket() {
            resource.level = resource.level.at(now).change(plan);
        }
        self.reject(Rejection::ExceedsCapacity, |claim| claim.wants(id) > plan.capacity());
        while let Some(number) = self.newest_in_a_circle() {
            self.reject(Rejection::Deadlock, |claim| claim.number == number);
        }
        self.settle();
        Ok(())
    }

    fn remove(&mut self, id: ResourceId) -> Result<(), ResourceError> {
        let name = self.find(id).ok_or(ResourceError::Unknown)?.name.clone();
        if self.families.iter().any(|family| family.has(&name)) {
            return Err(ResourceError::NameInFamily);
        }
        self.reject(Rejection::ResourceRemoved, |claim| claim.wants(id) > 0);
        for resource in self.resources.iter_mut().filter(|resource| resource.id == id) {
            resource.removed = true;
        }
        self.settle();
        Ok(())
    }

    fn pause(&mut self, id: ResourceId, until: u64) -> Result<(), ResourceError> {
        self.find_mut(id).ok_or(ResourceError::Unknown)?.paused_until = until;
        self.settle();
        Ok(())
    }

    fn set_level(&mut self, id: ResourceId, level: u64) -> Result<(), ResourceError> {
        let now = self.now;
        let resource = self.find_mut(id).ok_or(ResourceError::Unknown)?;
        let burst = resource.plan.capacity();
        if !resource.is_bucket() {
            return Err(ResourceError::NotATokenBucket);
        }
        if level > burst {
            return Err(ResourceError::LevelAboveBurst { level, burst });
        }
        resource.level = resource.level.at(now).set(level);
        self.settle();
        Ok(())
    }

    fn close(&mut self, how: Close) {
        match how {
            Close::Now => {
                self.mode = Mode::Closed;
                self.reject(Rejection::Closed, |_| true);
            }
            Close::Drain if self.mode == Mode::Open => self.mode = Mode::Draining,
            Close::Drain => {}
        }
    }

    /// Turns away the waiting claims that `which` names, by arrival; the caller settles.
    pub(super) fn reject(&mut self, why: Rejection, which: impl Fn(&Claim) -> bool) {
        let waiting = self.claims.iter().filter(|claim| claim.state != State::Granted);
        let named: Vec<u64> =
            waiting.filter(|claim| which(claim)).map(|claim| claim.number).collect();
        self.claims.retain(|claim| !named.contains(&claim.number));
        for number in named {
            self.tell(Happening::Rejected(number, why));
        }
        self.raise_barriers();
    }
}

/// The demand in the order of the resources' numbers, if it is one at all.
fn checked(pairs: &[(ResourceId, u64)]) -> Result<Demand, ClaimError> {
    let mut demand = pairs.to_vec();
    demand.sort_unstable();
    if demand.is_empty() {
        return Err(ClaimError::EmptyDemand);
    }
    for (place, &(id, _)) in demand.iter().enumerate() {
        if demand[..place].iter().any(|pair| pair.0 == id) {
            return Err(ClaimError::DuplicateResource(id));
        }
    }
    match demand.iter().find(|pair| pair.1 == 0) {
        Some(&(id, _)) => Err(ClaimError::ZeroUnits(id)),
        None => Ok(demand),
    }
}
