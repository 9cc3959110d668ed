//! Bytes to ledger.

use alloc::vec::Vec;

use super::codec::Reader;
use super::{FORMAT, MAGIC, SnapshotError};
use crate::ledger::bucket::Bucket;
use crate::ledger::claims::{Claim, Claims, NONE, State};
use crate::ledger::event::{Event, Rejection};
use crate::ledger::limit::{MAX_UNITS, Rate};
use crate::ledger::line::Key;
use crate::ledger::resource::{Kind, Resource};
use crate::ledger::resources::Resources;
use crate::ledger::ticket::{LAST_GENERATION, MAX_SLOTS, ResourceId, Ticket};
use crate::ledger::time::Time;
use crate::ledger::{Ledger, Mode, Order, Policy};

pub(super) const DAMAGED: SnapshotError = SnapshotError::Damaged;

pub(super) fn ensure(sound: bool) -> Result<(), SnapshotError> {
    if sound { Ok(()) } else { Err(DAMAGED) }
}

impl Ledger {
    /// The ledger that a [snapshot](Self::snapshot) was taken of. Its tickets are valid here, and it
    /// goes on from the time it had.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`] for bytes that no snapshot has.
    pub fn restore(bytes: &[u8]) -> Result<Ledger, SnapshotError> {
        let bytes = bytes.strip_prefix(MAGIC).ok_or(SnapshotError::NotASnapshot)?;
        let mut from = Reader(bytes);
        match from.number()? {
            FORMAT => {}
            other => return Err(SnapshotError::UnknownFormat(other)),
        }
        let order = match from.number()? {
            0u8 => Order::Fair,
            1 => Order::Newest,
            2 => Order::Greedy,
            _ => return Err(DAMAGED),
        };
        let policy = Policy { order, max_bypass: from.option()?, max_waiting: from.option()? };
        let mut ledger = Ledger::new(policy);
        ledger.mode = match from.number()? {
            0u8 => Mode::Open,
            1 => Mode::Draining,
            2 => Mode::Closed,
            _ => return Err(DAMAGED),
        };
        ledger.now = Time::from_nanos(from.number()?);
        ledger.resources = read_resources(&mut from, ledger.now)?;
        ledger.read_families(&mut from)?;
        ledger.read_claims(&mut from)?;
        for _ in 0..from.count()? {
            ledger.events.push(read_event(&mut from)?);
        }
        ensure(from.0.is_empty() && ledger.is_settled())?;
        Ok(ledger)
    }

    fn read_claims(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let arrivals: u64 = from.number()?;
        ensure(arrivals < Key::ORDINARY)?;
        let count = from.count()?;
        ensure(count <= MAX_SLOTS)?;
        let mut slots = Vec::with_capacity(count);
        let mut alarms = Vec::with_capacity(count);
        let mut owners = Vec::with_capacity(count);
        for _ in 0..count {
            let generation = from.number()?;
            ensure(generation <= LAST_GENERATION)?;
            let (claim, alarm, owner) = self.read_claim(generation, from)?;
            ensure(claim.number() <= arrivals)?;
            alarms.push(alarm);
            owners.push(owner);
            slots.push(claim);
        }
        let reusable = slots
            .iter()
            .filter(|claim| claim.state == State::Free && claim.generation < LAST_GENERATION)
            .count();
        let mut free = Vec::with_capacity(reusable);
        for _ in 0..reusable {
            free.push(from.number()?);
        }
        self.claims = Claims::from_parts(slots, &free, arrivals).ok_or(DAMAGED)?;
        let live = self.claims.by_arrival(&|_| true);
        ensure(live.windows(2).all(|pair| pair[0].0 < pair[1].0))?;
        for &(_, slot) in &live {
            self.alarms.set(slot, alarms[slot as usize], &mut self.claims);
            self.reinstate(slot)?;
        }
        self.resources.settle_restored(self.now).ok_or(DAMAGED)?;
        for (arrival, slot) in live {
            self.reunite(slot, arrival, owners[slot as usize])?;
        }
        Ok(())
    }

    /// Puts a restored claim under its owner. A lease comes before what is made under it.
    fn reunite(&mut self, slot: u32, arrival: u64, owner: u32) -> Result<(), SnapshotError> {
        if owner == NONE {
            return Ok(());
        }
        let (slots, _) = self.claims.parts();
        let lease = slots.get(owner as usize).ok_or(DAMAGED)?;
        ensure(lease.state == State::Held && lease.number() < arrival)?;
        self.join_kin(slot, owner);
        Ok(())
    }

    fn read_claim(
        &self,
        generation: u32,
        from: &mut Reader<'_>,
    ) -> Result<(Claim, Time, u32), SnapshotError> {
        let mut claim = Claim::unused(generation);
        claim.state = match from.number()? {
            0u8 => return Ok((claim, Time::NEVER, NONE)),
            1 => State::Waiting,
            2 => State::Woken,
            3 => State::Held,
            _ => return Err(DAMAGED),
        };
        claim.priority = i32::try_from(from.signed()?).map_err(|_| DAMAGED)?;
        let marks: u8 = from.number()?;
        ensure(marks < 8)?;
        claim.barrier = marks & 1 != 0;
        let nested = marks & 2 != 0;
        let owner = if marks & 4 != 0 { from.number()? } else { NONE };
        claim.bypassed = from.number()?;
        claim.arrival = from.number()?;
        ensure(claim.arrival < Key::ORDINARY && (!nested || claim.priority == i32::MAX))?;
        if !nested {
            claim.arrival |= Key::ORDINARY;
        }
        let alarm = Time::from_nanos(from.number()?);
        claim.ttl = Time::from_nanos(from.number()?);
        let mut pairs = Vec::new();
        for _ in 0..from.count()? {
            pairs.push((ResourceId::from_index(from.number()?), from.number()?));
        }
        ensure(pairs.windows(2).all(|pair| pair[0].0 < pair[1].0))?;
        claim.demand.sort(&pairs);
        self.check_claim(&claim)?;
        // Only a time to live ends a lease.
        ensure(claim.is_waiting() || alarm == Time::NEVER || claim.ttl != Time::NEVER)?;
        // All that wait under a lease are nested; of those that hold it is not told.
        ensure(if claim.is_waiting() { owner == NONE || nested } else { !nested })?;
        Ok((claim, alarm, owner))
    }

    fn check_claim(&self, claim: &Claim) -> Result<(), SnapshotError> {
        let greedy = self.policy.order == Order::Greedy;
        let demand = &claim.demand;
        ensure(claim.number() > 0 && !demand.ids().is_empty())?;
        if claim.state == State::Held {
            ensure(!claim.barrier && claim.bypassed == 0)?;
            let lent = |(id, units)| self.resources.may_have_lent(id, units);
            ensure(demand.iter().all(|pair| lent(pair) && pair.1 <= MAX_UNITS))
        } else {
            ensure(claim.state == State::Waiting || greedy)?;
            ensure(claim.bypassed <= self.policy.max_bypass.unwrap_or(0))?;
            let passed_enough = !greedy && self.policy.max_bypass == Some(claim.bypassed);
            ensure(!claim.barrier || passed_enough)?;
            ensure(demand.units().iter().all(|&units| units > 0))?;
            self.resources.check(demand).map_err(|_| DAMAGED)
        }
    }

    /// Puts a restored claim back where its state says that it stands.
    fn reinstate(&mut self, slot: u32) -> Result<(), SnapshotError> {
        let claim = self.claims.get(slot);
        let seniority = claim.seniority();
        match claim.state {
            State::Held => {
                self.resources.hold_restored(&claim.demand);
            }
            State::Woken => {
                self.promise(slot);
                // What was free when they were woken was never more.
                let promised = |&id| self.barriers.kept(id, seniority) <= MAX_UNITS;
                ensure(self.claims.get(slot).demand.ids().iter().all(promised))?;
            }
            State::Waiting | State::Free => {
                if claim.barrier {
                    self.barriers.insert(seniority, slot, &claim.demand);
                }
                self.line.insert(slot, &mut self.claims);
            }
        }
        Ok(())
    }
}

fn read_resources(from: &mut Reader<'_>, now: Time) -> Result<Resources, SnapshotError> {
    let count = from.count()?;
    let mut is_vacant = alloc::vec![false; count];
    let mut vacant = Vec::new();
    for _ in 0..from.count()? {
        let id = ResourceId::from_index(from.number()?);
        let marked = is_vacant.get_mut(id.at()).ok_or(DAMAGED)?;
        ensure(!core::mem::replace(marked, true))?;
        vacant.push(id);
    }
    let mut table = Vec::new();
    for is_vacant in is_vacant {
        table.push(if is_vacant { Resource::vacant() } else { read_resource(from, now)? });
    }
    Resources::from_parts(table, vacant, now).ok_or(DAMAGED)
}

fn read_resource(from: &mut Reader<'_>, now: Time) -> Result<Resource, SnapshotError> {
    let name = from.text()?;
    ensure(!name.is_empty())?;
    let retired = match from.number()? {
        0u8 => false,
        1 => true,
        _ => return Err(DAMAGED),
    };
    let paused_until = Time::from_nanos(from.number()?);
    ensure(paused_until == Time::ZERO || paused_until > now)?;
    let kind = match from.number()? {
        0u8 => Kind::Semaphore { permits: from.number()? },
        1 => {
            let rate = Rate { units: from.number()?, nanos: from.number()? };
            let (burst, level, part) = (from.number()?, from.signed()?, from.number()?);
            let bucket = Bucket { rate, burst, level, part, at: now };
            ensure(bucket.is_sound())?;
            Kind::Bucket(bucket)
        }
        _ => return Err(DAMAGED),
    };
    let mut resource = Resource::new(name, kind, retired);
    resource.paused_until = paused_until;
    ensure((1..=MAX_UNITS).contains(&resource.capacity()))?;
    Ok(resource)
}

fn read_event(from: &mut Reader<'_>) -> Result<Event, SnapshotError> {
    let (kind, number) = (from.number()?, from.number()?);
    let ticket = Ticket::from_number(number);
    Ok(match kind {
        0u8 => Event::Granted(ticket),
        1 => Event::Expired(ticket),
        2 => Event::Woken(ticket),
        3 => Event::Lapsed(ticket),
        4 => Event::Rejected(ticket, Rejection::Closed),
        5 => Event::Rejected(ticket, Rejection::ExceedsCapacity),
        6 => Event::Rejected(ticket, Rejection::ResourceRemoved),
        7 => Event::Rejected(ticket, Rejection::Deadlock),
        _ => return Err(DAMAGED),
    })
}
