//! The ledger under test, with its tickets turned into numbers.

use std::collections::HashMap;
use std::time::Duration;

use bursar::ledger::{
    ClaimError, ClaimOptions, Claimed, Event, FamilyStatus, Ledger, Policy, ResourceId, Ticket,
    TicketStatus, Time,
};

use super::calls::{Answer, Call, Happening, NEVER, Wish};
use super::circle;
use super::view::{ClaimView, FamilyView, ResourceView, View};

pub(crate) struct Subject {
    pub(crate) ledger: Ledger,
    /// By number, from 1 on.
    tickets: Vec<Ticket>,
    numbers: HashMap<Ticket, u64>,
    /// The ledger that went on when the one here was restored from its snapshot: it does the same.
    twin: Option<Box<Subject>>,
}

impl Subject {
    pub(crate) fn new(policy: Policy) -> Self {
        let ledger = Ledger::new(policy);
        Subject { ledger, tickets: Vec::new(), numbers: HashMap::new(), twin: None }
    }

    /// The same ledger, to try something out.
    pub(crate) fn copy(&self) -> Self {
        let (tickets, numbers) = (self.tickets.clone(), self.numbers.clone());
        Subject { ledger: self.ledger.clone(), tickets, numbers, twin: None }
    }

    /// Goes on with a ledger that is made from the snapshot of this one.
    pub(crate) fn restore(&mut self) {
        let bytes = self.ledger.snapshot();
        let restored = Ledger::restore(&bytes).expect("what a ledger writes, it reads");
        assert_eq!(restored.snapshot(), bytes);
        self.twin = Some(Box::new(self.copy()));
        self.ledger = restored;
    }

    pub(crate) fn ticket(&self, number: u64) -> Ticket {
        let place = number.checked_sub(1).and_then(|place| usize::try_from(place).ok());
        let known = place.and_then(|place| self.tickets.get(place)).copied();
        known.unwrap_or(Ticket::from_number((1 << 52) + number))
    }

    pub(crate) fn number(&self, ticket: Ticket) -> u64 {
        self.numbers[&ticket]
    }

    /// A ticket that was not there before gets the next number.
    fn enter(&mut self, ticket: Ticket) -> u64 {
        self.tickets.push(ticket);
        let number = self.tickets.len() as u64;
        let before = self.numbers.insert(ticket, number);
        assert_eq!(before, None, "{ticket:?} was given out twice");
        assert_eq!(Ticket::from_number(ticket.number()), ticket);
        assert!(ticket.number() < 1 << 53);
        number
    }

    pub(crate) fn call(&mut self, call: &Call) -> Answer {
        let answer = self.call_alone(call);
        if let Some(twin) = &mut self.twin {
            assert_eq!(answer, twin.call_alone(call), "(left: the restored ledger)");
            assert_eq!(self.ledger.snapshot(), twin.ledger.snapshot(), "(left: the restored)");
        }
        answer
    }

    fn call_alone(&mut self, call: &Call) -> Answer {
        match call {
            Call::Claim(wish) => match self.ledger.claim(&wish.demand, &self.options(wish)) {
                Ok(Claimed::Granted(ticket)) => Answer::Granted(self.enter(ticket)),
                Ok(Claimed::Waiting(ticket)) => Answer::Waiting(self.enter(ticket)),
                Err(error) => self.refused(wish, error),
            },
            Call::TryClaim(wish) => {
                match self.ledger.try_claim(&wish.demand, &self.options(wish)) {
                    Ok(Some(ticket)) => Answer::Granted(self.enter(ticket)),
                    Ok(None) => Answer::NotNow,
                    Err(error) => self.refused(wish, error),
                }
            }
            Call::Retry(number) => match self.ledger.retry(self.ticket(*number)) {
                Ok(Claimed::Granted(ticket)) => Answer::Granted(self.number(ticket)),
                Ok(Claimed::Waiting(ticket)) => Answer::Waiting(self.number(ticket)),
                Err(error) => Answer::TicketRefused(error),
            },
            Call::Release(number) => self.ledger.release(self.ticket(*number)).into(),
            Call::ReleasePart(number, part) => {
                self.ledger.release_part(self.ticket(*number), part).into()
            }
            Call::SettleUse(number, used) => {
                self.ledger.settle_use(self.ticket(*number), used).into()
            }
            Call::Cancel(number) => self
                .ledger
                .cancel(self.ticket(*number))
                .map_or_else(Answer::TicketRefused, Answer::Cancelled),
            Call::SetPriority(number, priority) => {
                self.ledger.set_priority(self.ticket(*number), *priority).into()
            }
            Call::Define(name, plan) => self
                .ledger
                .define(name, plan.limit())
                .map_or_else(Answer::ResourceRefused, Answer::Defined),
            Call::DefineFamily(name, plan, max_keys) => {
                self.ledger.define_family(name, plan.limit(), *max_keys).into()
            }
            Call::Member(name, demand) => match self.ledger.member(name, demand) {
                Ok(id) => Answer::Member(id, self.ledger.forgotten().to_vec()),
                Err(error) => Answer::ResourceRefused(error),
            },
            Call::ResizeFamily(name, plan) => self.ledger.resize_family(name, plan.limit()).into(),
            Call::RemoveFamily(name) => self.ledger.remove_family(name).into(),
            Call::Resize(id, plan) => self.ledger.resize(*id, plan.limit()).into(),
            Call::Remove(id) => self.ledger.remove(*id).into(),
            Call::Pause(id, until) => self.ledger.pause(*id, Time::from_nanos(*until)).into(),
            Call::SetLevel(id, units) => self.ledger.set_level(*id, *units).into(),
            _ => self.call_without_answer(call),
        }
    }

    fn call_without_answer(&mut self, call: &Call) -> Answer {
        match call {
            Call::Advance(to) => self.ledger.advance(Time::from_nanos(*to)),
            Call::CancelAll(numbers) => {
                let tickets: Vec<Ticket> = numbers.iter().map(|&n| self.ticket(n)).collect();
                self.ledger.cancel_all(tickets);
            }
            Call::Close(how) => self.ledger.close(*how),
            Call::NextWakeup => {
                self.ledger.next_wakeup();
            }
            Call::Restore => self.restore(),
            _ => {}
        }
        Answer::Done
    }

    fn options(&self, wish: &Wish) -> ClaimOptions {
        ClaimOptions {
            priority: wish.priority,
            deadline: Time::from_nanos(wish.deadline),
            ttl: if wish.ttl == NEVER { Duration::MAX } else { Duration::from_nanos(wish.ttl) },
            owner: wish.owner.map(|owner| self.ticket(owner)),
        }
    }

    fn refused(&self, wish: &Wish, error: ClaimError) -> Answer {
        match error {
            ClaimError::OwnerIsNoLease(owner) => {
                assert_eq!(wish.owner.map(|owner| self.ticket(owner)), Some(owner));
                Answer::OwnerRefused
            }
            ClaimError::Deadlock(deadlock) => {
                let owner = self.ticket(wish.owner.expect("only claims under leases can be stuck"));
                circle::check(&self.ledger, owner, &wish.demand, &deadlock);
                Answer::Deadlock
            }
            other => Answer::ClaimRefused(other),
        }
    }

    pub(crate) fn take_events(&mut self) -> Vec<Happening> {
        if let Some(twin) = &mut self.twin {
            // The snapshots told that they are the same.
            twin.take_events();
        }
        let mut happenings = Vec::new();
        while let Some(event) = self.ledger.poll_event() {
            happenings.push(match event {
                Event::Granted(ticket) => Happening::Granted(self.number(ticket)),
                Event::Expired(ticket) => Happening::Expired(self.number(ticket)),
                Event::Rejected(ticket, why) => Happening::Rejected(self.number(ticket), why),
                Event::Woken(ticket) => Happening::Woken(self.number(ticket)),
                Event::Lapsed(ticket) => Happening::Lapsed(self.number(ticket)),
                other => panic!("{other:?} is not known to the model"),
            });
        }
        happenings
    }

    pub(crate) fn next_wakeup(&mut self) -> u64 {
        self.ledger.next_wakeup().map_or(NEVER, Time::as_nanos)
    }

    pub(crate) fn view(&self) -> View {
        View {
            now: self.ledger.now().as_nanos(),
            waiting: self.ledger.waiting(),
            leases: self.ledger.leases(),
            idle: self.ledger.is_idle(),
            closed: self.ledger.is_closed(),
            resources: self.ledger.resources().map(|id| self.resource_view(id)).collect(),
            families: self.ledger.families().map(|family| self.family_view(&family)).collect(),
            claims: self.claim_views(),
        }
    }

    fn family_view(&self, family: &FamilyStatus<'_>) -> FamilyView {
        let (name, limit) = (family.name.to_owned(), family.limit);
        assert_eq!(self.ledger.family(&name).as_ref(), Some(family));
        assert_eq!(self.ledger.template(&format!("{name}/any/key")), Some(limit));
        FamilyView { name, limit, max_keys: family.max_keys, keys: family.keys }
    }

    fn resource_view(&self, id: ResourceId) -> ResourceView {
        let status = self.ledger.status(id).expect("it is listed");
        assert_eq!(self.ledger.resource(status.name), Some(id));
        assert_eq!(self.ledger.name(id), Some(status.name));
        assert_eq!(self.ledger.limit(id), Some(status.limit));
        assert_eq!(self.ledger.capacity(id), Some(status.limit.capacity()));
        assert_eq!(self.ledger.available(id), Some(status.available));
        assert_eq!(self.ledger.held(id), Some(status.held));
        ResourceView {
            id,
            name: status.name.to_owned(),
            limit: status.limit,
            available: status.available,
            held: status.held,
            debt: status.debt,
            paused_until: status.paused_until.map(Time::as_nanos),
            waiting: status.waiting,
        }
    }

    fn claim_views(&self) -> Vec<ClaimView> {
        let claims = self.ledger.claims().into_iter().map(|claim| {
            let waits = claim.status == TicketStatus::Waiting;
            assert_eq!(self.ledger.ticket(claim.ticket), Some(claim.status));
            assert_eq!(self.ledger.position(claim.ticket).is_ok(), waits);
            ClaimView {
                number: self.number(claim.ticket),
                status: claim.status,
                demand: claim.demand,
                priority: claim.priority,
                bypassed: claim.bypassed,
                barrier: claim.barrier,
                deadline: claim.deadline.map(Time::as_nanos),
                owner: claim.owner.map(|owner| self.number(owner)),
                nested: claim.nested,
                position: self.ledger.position(claim.ticket).ok(),
                shortage: self.ledger.shortage(claim.ticket).ok(),
            }
        });
        claims.collect()
    }
}
