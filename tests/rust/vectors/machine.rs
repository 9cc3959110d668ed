//! The exports, played to a ledger: numbers in, numbers out. Times are milliseconds.

use std::time::Duration;

use bursar::ledger::{
    ClaimOptions, Claimed, Close, Event, Ledger, Limit, Order, Rate, Rejection, ResourceId, Ticket,
    TicketStatus, Time,
};

use super::errors::Refusal;

/// Order, bypass bound, and how many may wait; infinity is none.
pub(crate) type Policy = (u32, f64, f64);

/// The result of what was refused.
pub(crate) const REFUSED: f64 = -2_147_483_648.0;
/// Number of units for what is none.
const NO_UNITS: u64 = 1 << 53;

pub(crate) struct Machine {
    pub(crate) ledger: Ledger,
    pairs: Vec<(ResourceId, u64)>,
    /// Since the last flush.
    cancelled: Vec<Ticket>,
    defined: u32,
    options: ClaimOptions,
    refusal: Option<Refusal>,
}

/// A result, and the events or the report that go with it.
pub(crate) struct Outcome {
    pub(crate) result: Option<f64>,
    pub(crate) row: Vec<f64>,
}

impl Outcome {
    const NOTHING: Outcome = Outcome { result: None, row: Vec::new() };
}

impl From<f64> for Outcome {
    fn from(result: f64) -> Self {
        Outcome { result: Some(result), row: Vec::new() }
    }
}

impl From<Option<u64>> for Outcome {
    fn from(units: Option<u64>) -> Self {
        units.map_or(f64::NAN, |units| units as f64).into()
    }
}

impl From<Vec<f64>> for Outcome {
    fn from(row: Vec<f64>) -> Self {
        Outcome { result: Some(row.len() as f64), row }
    }
}

type Tried<T> = Result<T, Refusal>;

impl Machine {
    pub(crate) fn new((order, max_bypass, max_waiting): Policy) -> Self {
        let bound = |number: f64| (number < f64::INFINITY).then_some(number as u32);
        let policy = bursar::ledger::Policy {
            order: [Order::Fair, Order::Newest, Order::Greedy][order as usize],
            max_bypass: bound(max_bypass),
            max_waiting: bound(max_waiting),
        };
        Machine {
            ledger: Ledger::new(policy),
            pairs: Vec::new(),
            cancelled: Vec::new(),
            defined: 0,
            options: ClaimOptions::default(),
            refusal: None,
        }
    }

    pub(crate) fn call(&mut self, name: &str, args: &[f64]) -> Outcome {
        match (name, args) {
            ("claim1" | "claim2" | "claim3", pairs) => self.claim(&demand(pairs), false),
            ("try1" | "try2" | "try3", pairs) => self.claim(&demand(pairs), true),
            ("put", pair) => {
                self.pairs.extend(demand(pair));
                Outcome::NOTHING
            }
            ("cancel", &[slot]) => {
                self.cancelled.push(self.ticket(slot));
                Outcome::NOTHING
            }
            ("options", &[priority, deadline, ttl]) => {
                let (priority, deadline) = (priority as i32, moment(deadline));
                self.options = ClaimOptions { priority, deadline, ttl: span(ttl), owner: None };
                Outcome::NOTHING
            }
            ("under", &[slot]) => {
                self.options.owner = Some(self.ticket(slot));
                Outcome::NOTHING
            }
            ("claim_put", &[wait]) => {
                let pairs = std::mem::take(&mut self.pairs);
                self.claim(&pairs, wait == 0.0)
            }
            ("define", &[kind, x, y, z]) => {
                // Names are the package's.
                self.defined += 1;
                let name = self.defined.to_string();
                let id = limit(kind, x, y, z)
                    .and_then(|limit| self.ledger.define(&name, limit).map_err(Refusal::Resource));
                self.told(id.map(|id| f64::from(id.index()).into()))
            }
            ("last_error", []) => {
                self.refusal.take().map(Refusal::report).unwrap_or_default().into()
            }
            _ => self.look(name, args).unwrap_or_else(|| {
                let done = self.change(name, args);
                self.told(done)
            }),
        }
    }

    fn told(&mut self, tried: Tried<Outcome>) -> Outcome {
        tried.unwrap_or_else(|refusal| {
            self.refusal = Some(refusal);
            REFUSED.into()
        })
    }

    /// Who is in a slot.
    fn ticket(&self, slot: f64) -> Ticket {
        let found =
            self.ledger.claims().into_iter().find(|claim| claim.ticket.slot() == slot as u32);
        found.map_or(Ticket::from_number(u64::MAX), |claim| claim.ticket)
    }

    fn claim(&mut self, demand: &[(ResourceId, u64)], only_try: bool) -> Outcome {
        let options = std::mem::take(&mut self.options);
        let result = if only_try {
            let tried = self.ledger.try_claim(demand, &options);
            tried.map(|ticket| ticket.map_or(-1.0, slot))
        } else {
            self.ledger.claim(demand, &options).map(|claimed| match claimed {
                Claimed::Granted(ticket) => slot(ticket),
                Claimed::Waiting(ticket) => -1.0 - slot(ticket),
            })
        };
        self.told(result.map(Outcome::from).map_err(Refusal::Claim))
    }

    /// What changes something, and then tells what became of others.
    fn change(&mut self, name: &str, args: &[f64]) -> Tried<Outcome> {
        let ticket = args.first().map_or(Ticket::from_number(0), |&slot| self.ticket(slot));
        let ledger = &mut self.ledger;
        let pairs = if ["release_part", "settle_use"].contains(&name) {
            std::mem::take(&mut self.pairs)
        } else {
            Vec::new()
        };
        match (name, args) {
            ("release", &[_]) => ledger.release(ticket).map_err(Refusal::Ticket)?,
            ("release_part", &[_]) => {
                ledger.release_part(ticket, &pairs).map_err(Refusal::Ticket)?;
            }
            ("settle_use", &[_]) => {
                ledger.settle_use(ticket, &pairs).map_err(Refusal::Ticket)?;
            }
            ("retry", &[_]) => {
                let claimed = ledger.retry(ticket).map_err(Refusal::Ticket)?;
                return Ok(f64::from(u8::from(matches!(claimed, Claimed::Granted(_)))).into());
            }
            ("set_priority", &[_, priority]) => {
                let priority = priority as i32;
                ledger.set_priority(ticket, priority).map_err(Refusal::Ticket)?;
            }
            ("flush", []) => ledger.cancel_all(self.cancelled.drain(..)),
            ("advance", &[now]) => ledger.advance(moment(now)),
            ("pause", &[id, until]) => {
                ledger.pause(resource(id), moment(until)).map_err(Refusal::Resource)?;
            }
            ("set_level", &[id, level]) => {
                ledger.set_level(resource(id), units(level)).map_err(Refusal::Resource)?;
            }
            ("resize", &[id, kind, x, y, z]) => {
                let limit = limit(kind, x, y, z)?;
                ledger.resize(resource(id), limit).map_err(Refusal::Resource)?;
            }
            ("remove", &[id]) => ledger.remove(resource(id)).map_err(Refusal::Resource)?,
            ("close", &[drain]) => {
                ledger.close(if drain == 0.0 { Close::Now } else { Close::Drain });
            }
            _ => panic!("{name} {args:?} is no call"),
        }
        Ok(self.events())
    }

    fn events(&mut self) -> Outcome {
        let events: Vec<Event> = std::iter::from_fn(|| self.ledger.poll_event()).collect();
        if let [Event::Granted(ticket)] = events[..] {
            return f64::from(ticket.slot()).into();
        }
        let pairs = events.iter().flat_map(|&event| {
            let (kind, ticket) = numbered(event);
            [f64::from(kind), f64::from(ticket.slot())]
        });
        Outcome { result: Some(-1.0 - events.len() as f64), row: pairs.collect() }
    }

    /// What changes nothing.
    fn look(&mut self, name: &str, args: &[f64]) -> Option<Outcome> {
        let ticket = args.first().map_or(Ticket::from_number(0), |&slot| self.ticket(slot));
        let ledger = &mut self.ledger;
        Some(match (name, args) {
            ("next_wakeup", []) => millis(ledger.next_wakeup()).into(),
            ("needs_time", []) => f64::from(u8::from(ledger.needs_time())).into(),
            ("capacity", &[id]) => ledger.capacity(resource(id)).into(),
            ("available", &[id]) => ledger.available(resource(id)).into(),
            ("held", &[id]) => ledger.held(resource(id)).into(),
            ("waiting", []) => f64::from(ledger.waiting()).into(),
            ("leases", []) => f64::from(ledger.leases()).into(),
            ("position", &[_]) => ledger.position(ticket).map_or(-1.0, |ahead| ahead as f64).into(),
            ("shortage", &[_]) => {
                let short = ledger.shortage(ticket).unwrap_or_default();
                flat(&short).into()
            }
            ("is_closed", []) => f64::from(u8::from(ledger.is_closed())).into(),
            ("status", &[id]) => self.status(resource(id)).into(),
            ("snapshot", []) => self.snapshot().into(),
            _ => return None,
        })
    }

    fn status(&self, id: ResourceId) -> Vec<f64> {
        let Some(status) = self.ledger.status(id) else { return Vec::new() };
        let rate = match status.limit {
            Limit::TokenBucket { rate, .. } => rate.as_per_second(),
            _ => 0.0,
        };
        vec![
            status.limit.capacity() as f64,
            rate,
            status.available as f64,
            status.held as f64,
            status.debt as f64,
            status.waiting as f64,
            status.paused_until.map_or(0.0, |until| millis(Some(until))),
        ]
    }

    fn snapshot(&self) -> Vec<f64> {
        let mut row = Vec::new();
        for claim in self.ledger.claims() {
            row.extend([
                f64::from(u8::from(claim.status == TicketStatus::Granted)),
                f64::from(claim.priority),
                f64::from(claim.bypassed),
                f64::from(u8::from(claim.barrier)),
                millis(claim.deadline),
                claim.demand.len() as f64,
            ]);
            row.extend(flat(&claim.demand));
        }
        row
    }
}

fn numbered(event: Event) -> (u32, Ticket) {
    match event {
        Event::Granted(ticket) => (0, ticket),
        Event::Expired(ticket) => (1, ticket),
        Event::Woken(ticket) => (2, ticket),
        Event::Lapsed(ticket) => (3, ticket),
        Event::Rejected(ticket, Rejection::Closed) => (4, ticket),
        Event::Rejected(ticket, Rejection::ExceedsCapacity) => (5, ticket),
        Event::Rejected(ticket, Rejection::ResourceRemoved) => (6, ticket),
        Event::Rejected(ticket, Rejection::Deadlock) => (7, ticket),
        other => panic!("{other:?} has no number"),
    }
}

fn flat(pairs: &[(ResourceId, u64)]) -> Vec<f64> {
    pairs.iter().flat_map(|&(id, units)| [f64::from(id.index()), units as f64]).collect()
}

fn limit(kind: f64, x: f64, y: f64, z: f64) -> Tried<Limit> {
    let limit = match kind as u32 {
        0 => Limit::semaphore(units(x)),
        1 => Rate::per_second(x).and_then(|rate| Limit::token_bucket(rate, units(y))),
        _ => Limit::at_most(units(x), span(y), units(z)),
    };
    limit.map_err(Refusal::Limit)
}

fn demand(pairs: &[f64]) -> Vec<(ResourceId, u64)> {
    pairs.chunks(2).map(|pair| (resource(pair[0]), units(pair[1]))).collect()
}

fn resource(id: f64) -> ResourceId {
    ResourceId::from_index(id as u32)
}

fn slot(ticket: Ticket) -> f64 {
    ticket.slot().into()
}

fn units(number: f64) -> u64 {
    let whole = number.fract() == 0.0 && (0.0..NO_UNITS as f64).contains(&number);
    if whole { number as u64 } else { NO_UNITS }
}

/// The script's times are multiples of half a millisecond, which are exact in nanoseconds.
fn moment(millis: f64) -> Time {
    if millis == f64::INFINITY { Time::NEVER } else { Time::from_nanos(halves(millis) * 500_000) }
}

fn span(millis: f64) -> Duration {
    match millis {
        f64::INFINITY => Duration::MAX,
        _ => Duration::from_nanos(halves(millis) * 500_000),
    }
}

fn halves(millis: f64) -> u64 {
    let halves = millis * 2.0;
    assert!(halves.fract() == 0.0, "{millis}");
    halves as u64
}

fn millis(time: Option<Time>) -> f64 {
    match time {
        None | Some(Time::NEVER) => f64::INFINITY,
        Some(time) => time.as_nanos() as f64 / 1e6,
    }
}
