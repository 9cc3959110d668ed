//! Random worlds and random calls.
//!
//! An operation names claims and resources by place ("the third that waits") and units by share of the
//! capacity, so that it still means something when shrinking has removed what came before it. Played,
//! it becomes a call with numbers.

use bursar::ledger::{Close, MAX_UNITS, Order, Policy, ResourceId};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};

use super::calls::{Call, NEVER, Wish};
use super::pair::Pair;
use super::plan::{Plan, RATES};
use super::reference::State;

#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) policy: Policy,
    pub(crate) plans: Vec<Plan>,
    /// Limit and bound of each.
    pub(crate) families: Vec<(Plan, u32)>,
}

#[derive(Clone, Debug)]
pub(crate) enum Op {
    Claim(Ask),
    TryClaim(Ask),
    Retry(Pick),
    Release(Pick),
    ReleasePart(Pick, Want),
    SettleUse(Pick, Vec<(Target, Units)>),
    Cancel(Pick),
    CancelAll(Vec<Pick>),
    SetPriority(Pick, i32),
    Advance(Span),
    /// To the moment when something falls due, or a little beside it.
    AdvanceToDue(i64),
    Define(u8, Plan),
    DefineFamily(u8, Plan, u32),
    /// Of this family, with this key, and beside these.
    Member(u8, u8, Vec<Target>),
    ResizeFamily(u8, Plan),
    RemoveFamily(u8),
    Resize(Target, Plan),
    Remove(Target),
    Pause(Target, Option<Span>),
    SetLevel(Target, Units),
    Close(bool),
    NextWakeup,
    Restore,
}

#[derive(Clone, Debug)]
pub(crate) struct Ask {
    want: Want,
    priority: i32,
    deadline: Option<Span>,
    ttl: Option<Span>,
    owner: Option<Pick>,
}

#[derive(Clone, Debug)]
pub(crate) enum Want {
    /// Each resource once.
    Each(Vec<(Target, Units)>),
    /// As it comes: empty, or with repetitions.
    Raw(Vec<(Target, Units)>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Pick {
    Waiting(usize),
    Woken(usize),
    Granted(usize),
    /// Any that there ever was.
    Old(u64),
    /// One that there never was.
    Never,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// One of those that there are.
    Live(usize),
    /// Whatever has this number, if anything has.
    Number(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Units {
    Few(u64),
    Percent(u64),
    All,
    Zero,
    AboveAll,
    Huge,
}

/// Nanoseconds.
pub(crate) type Span = u64;

impl Op {
    pub(crate) fn call(&self, pair: &Pair) -> Call {
        let reference = &pair.reference;
        let now = reference.now();
        match self {
            Op::Claim(ask) => Call::Claim(ask.wish(pair)),
            Op::TryClaim(ask) => Call::TryClaim(ask.wish(pair)),
            Op::Retry(pick) => Call::Retry(pick.number(pair)),
            Op::Release(pick) => Call::Release(pick.number(pair)),
            Op::ReleasePart(pick, want) => {
                let number = pick.number(pair);
                Call::ReleasePart(number, of_lease(want.demand(pair), number, pair))
            }
            Op::SettleUse(pick, used) => {
                let number = pick.number(pair);
                Call::SettleUse(number, of_lease(pairs(used, pair), number, pair))
            }
            Op::Cancel(pick) => Call::Cancel(pick.number(pair)),
            Op::CancelAll(picks) => {
                Call::CancelAll(picks.iter().map(|pick| pick.number(pair)).collect())
            }
            Op::SetPriority(pick, priority) => Call::SetPriority(pick.number(pair), *priority),
            Op::Advance(span) => Call::Advance(later(now, *span)),
            Op::AdvanceToDue(beside) => {
                let due = reference.next_due();
                let near = if due < NEVER / 2 { due } else { now };
                Call::Advance(near.saturating_add_signed(*beside))
            }
            Op::Define(name, plan) => {
                let name = match name {
                    0 => String::new(),
                    8 => member(1, 1),
                    9 => family(1),
                    _ => format!("r{name}"),
                };
                Call::Define(name, *plan)
            }
            Op::DefineFamily(name, plan, max_keys) => {
                Call::DefineFamily(family(*name), *plan, *max_keys)
            }
            Op::Member(family, key, beside) => {
                let beside = beside.iter().map(|target| (target.id(pair), 1)).collect();
                Call::Member(member(*family, *key), beside)
            }
            Op::ResizeFamily(name, plan) => Call::ResizeFamily(family(*name), *plan),
            Op::RemoveFamily(name) => Call::RemoveFamily(family(*name)),
            Op::Resize(target, plan) => Call::Resize(target.id(pair), *plan),
            Op::Remove(target) => Call::Remove(target.id(pair)),
            Op::Pause(target, span) => {
                Call::Pause(target.id(pair), span.map_or(NEVER, |span| later(now, span)))
            }
            Op::SetLevel(target, units) => {
                let id = target.id(pair);
                Call::SetLevel(id, units.of(reference.capacity(id)))
            }
            Op::Close(true) => Call::Close(Close::Now),
            Op::Close(false) => Call::Close(Close::Drain),
            Op::NextWakeup => Call::NextWakeup,
            Op::Restore => Call::Restore,
        }
    }
}

/// The names of families, and of some that cannot be.
pub(crate) fn family(number: u8) -> String {
    match number {
        0 => "r1".to_owned(),
        4 => String::new(),
        5 => "f1/f".to_owned(),
        _ => format!("f{number}"),
    }
}

/// Some keys are strange.
fn member(of: u8, key: u8) -> String {
    let family = family(of);
    match key {
        0 => format!("{family}/"),
        9 => family,
        key => format!("{family}/{key}/key"),
    }
}

/// Far from the end of time, where sums saturate.
fn later(now: u64, span: Span) -> u64 {
    now.saturating_add(span).min(NEVER / 2)
}

impl Ask {
    fn wish(&self, pair: &Pair) -> Wish {
        let now = pair.reference.now();
        Wish {
            demand: self.want.demand(pair),
            priority: self.priority,
            deadline: self.deadline.map_or(NEVER, |span| later(now, span)),
            ttl: self.ttl.unwrap_or(NEVER),
            owner: self.owner.map(|pick| pick.number(pair)),
        }
    }
}

impl Want {
    fn demand(&self, pair: &Pair) -> Vec<(ResourceId, u64)> {
        match self {
            Want::Raw(wants) => pairs(wants, pair),
            Want::Each(wants) => {
                let mut demand = Vec::<(ResourceId, u64)>::new();
                for (id, units) in pairs(wants, pair) {
                    if demand.iter().all(|pair| pair.0 != id) {
                        demand.push((id, units));
                    }
                }
                demand
            }
        }
    }
}

fn pairs(wants: &[(Target, Units)], pair: &Pair) -> Vec<(ResourceId, u64)> {
    let resolve = |&(target, units): &(Target, Units)| {
        let id = target.id(pair);
        (id, units.of(pair.reference.capacity(id)))
    };
    wants.iter().map(resolve).collect()
}

/// Turns what names other resources than the lease's own to those, most of the time.
fn of_lease(mut part: Vec<(ResourceId, u64)>, number: u64, pair: &Pair) -> Vec<(ResourceId, u64)> {
    let Some(own) = pair.reference.demand(number) else { return part };
    for (place, (id, units)) in part.iter_mut().enumerate() {
        if own.iter().all(|pair| pair.0 != *id) && *units % 7 != 6 {
            *id = own[place % own.len()].0;
        }
        if let Some(&(_, held)) = own.iter().find(|pair| pair.0 == *id)
            && *units > held
            && *units % 2 == 0
        {
            *units = held;
        }
    }
    part
}

impl Pick {
    fn number(self, pair: &Pair) -> u64 {
        let reference = &pair.reference;
        let (state, place) = match self {
            Pick::Waiting(place) => (State::Waiting, place),
            Pick::Woken(place) => (State::Woken, place),
            Pick::Granted(place) => (State::Granted, place),
            Pick::Old(place) => return 1 + place % reference.arrivals().max(1),
            Pick::Never => return 1_000_000,
        };
        let numbers = reference.numbers(state);
        if numbers.is_empty() { 1_000_000 } else { numbers[place % numbers.len()] }
    }
}

impl Target {
    fn id(self, pair: &Pair) -> ResourceId {
        let live = pair.reference.live();
        match self {
            Target::Live(place) if !live.is_empty() => live[place % live.len()],
            Target::Live(_) => ResourceId::from_index(77),
            Target::Number(number) => ResourceId::from_index(number),
        }
    }
}

impl Units {
    fn of(self, capacity: u64) -> u64 {
        match self {
            Units::Few(units) => units.min(capacity),
            Units::Percent(percent) => {
                ((u128::from(capacity) * u128::from(percent) / 100) as u64).max(1)
            }
            Units::All => capacity,
            Units::Zero => 0,
            Units::AboveAll => capacity + 1,
            Units::Huge => MAX_UNITS + 1,
        }
    }
}

pub(crate) fn world() -> impl Strategy<Value = World> {
    let order =
        prop_oneof![3 => Just(Order::Fair), 2 => Just(Order::Newest), 2 => Just(Order::Greedy)];
    let max_bypass = prop_oneof![
        1 => Just(None),
        2 => Just(Some(0)),
        2 => Just(Some(1)),
        2 => Just(Some(2)),
        1 => Just(Some(5)),
        1 => Just(Some(1000)),
    ];
    let max_waiting = prop_oneof![5 => Just(None), 1 => (0..6u32).prop_map(Some)];
    let policy = (order, max_bypass, max_waiting)
        .prop_map(|(order, max_bypass, max_waiting)| Policy { order, max_bypass, max_waiting });
    let families = prop_oneof![
        2 => Just(Vec::new()),
        3 => vec((plan(), prop_oneof![2 => 1..=4u32, 1 => Just(100)]), 1..=2),
    ];
    let parts = (policy, vec(plan(), 1..=5), families);
    parts.prop_map(|(policy, plans, families)| World { policy, plans, families })
}

pub(crate) fn plan() -> impl Strategy<Value = Plan> {
    let burst = || prop_oneof![6 => 1..=10u64, 1 => 50..200u64, 1 => Just(MAX_UNITS)];
    prop_oneof![
        6 => (1..=8u64).prop_map(Plan::Semaphore),
        1 => (50..200u64).prop_map(Plan::Semaphore),
        1 => (MAX_UNITS - 1..=MAX_UNITS).prop_map(Plan::Semaphore),
        5 => (0..RATES.len(), burst()).prop_map(|(rate, burst)| Plan::Bucket { rate, burst }),
        1 => at_most(),
    ]
}

fn at_most() -> impl Strategy<Value = Plan> {
    let units = prop_oneof![Just(75u64), Just(750), 2..50u64];
    let nanos = prop_oneof![
        Just(60_000_000_000u64),
        Just(3_600_000_000_000),
        Just(1_000_000_000),
        Just(999_999_937)
    ];
    (units, nanos, 1..10u64).prop_map(|(units, nanos, burst)| Plan::AtMost {
        units,
        nanos,
        burst: burst.min(units - 1),
    })
}

fn units() -> impl Strategy<Value = Units> {
    prop_oneof![
        12 => (1..=3u64).prop_map(Units::Few),
        6 => (1..=100u64).prop_map(Units::Percent),
        3 => Just(Units::All),
    ]
}

/// One in many is nonsense.
fn any_units() -> impl Strategy<Value = Units> {
    prop_oneof![
        60 => units(),
        1 => Just(Units::Zero),
        1 => Just(Units::AboveAll),
        1 => Just(Units::Huge),
    ]
}

fn target() -> impl Strategy<Value = Target> {
    prop_oneof![
        80 => (0..8usize).prop_map(Target::Live),
        1 => (0..9u32).prop_map(Target::Number),
    ]
}

fn want() -> impl Strategy<Value = Want> {
    prop_oneof![
        40 => vec((target(), any_units()), 1..=4).prop_map(Want::Each),
        40 => vec((target(), any_units()), 1..=2).prop_map(Want::Each),
        1 => vec((target(), any_units()), 0..=6).prop_map(Want::Raw),
    ]
}

fn priority() -> impl Strategy<Value = i32> {
    prop_oneof![6 => Just(0), 4 => -1..=1i32, 1 => any::<i32>(), 1 => Just(i32::MIN)]
}

fn span() -> impl Strategy<Value = Span> {
    prop_oneof![
        1 => 0..4u64,
        2 => 0..3_000u64,
        3 => (0..100u64).prop_map(|tens| tens * 10_000_000),
        3 => (0..200_000u64).prop_map(|tenths| tenths * 100_000),
        2 => 0..20_000_000_000u64,
        1 => 0..10_000_000_000_000u64,
    ]
}

fn ask() -> impl Strategy<Value = Ask> {
    let deadline = prop_oneof![2 => Just(None), 1 => option::of(span())];
    let ttl = prop_oneof![2 => Just(None), 1 => option::of(span())];
    let owner = prop_oneof![3 => Just(None), 2 => option::of(pick(Pick::Granted))];
    let parts = (want(), priority(), deadline, ttl, owner);
    parts.prop_map(|(want, priority, deadline, ttl, owner)| Ask {
        want,
        priority,
        deadline,
        ttl,
        owner,
    })
}

/// A claim in one of the states, or sometimes another.
fn pick(usual: fn(usize) -> Pick) -> impl Strategy<Value = Pick> {
    prop_oneof![
        30 => (0..40usize).prop_map(usual),
        1 => any::<u64>().prop_map(Pick::Old),
        1 => Just(Pick::Never),
    ]
}

fn any_pick() -> impl Strategy<Value = Pick> {
    prop_oneof![
        3 => pick(Pick::Waiting),
        1 => pick(Pick::Woken),
        1 => pick(Pick::Granted),
    ]
}

pub(crate) fn op() -> impl Strategy<Value = Op> {
    let used = || vec((target(), prop_oneof![9 => any_units(), 2 => Just(Units::Zero)]), 0..=3);
    let member = (prop_oneof![20 => 1..=2u8, 1 => 0..=5u8], 0..=9u8, vec(target(), 0..=2))
        .prop_map(|(family, key, beside)| Op::Member(family, key, beside));
    let claiming = prop_oneof![
        9 => ask().prop_map(Op::Claim),
        2 => ask().prop_map(Op::TryClaim),
        2 => any_pick().prop_map(Op::Cancel),
        1 => vec(any_pick(), 0..6).prop_map(Op::CancelAll),
        2 => (pick(Pick::Waiting), priority()).prop_map(|(pick, to)| Op::SetPriority(pick, to)),
        2 => pick(Pick::Woken).prop_map(Op::Retry),
        4 => member,
    ];
    let giving = prop_oneof![
        6 => pick(Pick::Granted).prop_map(Op::Release),
        2 => (pick(Pick::Granted), want()).prop_map(|(pick, want)| Op::ReleasePart(pick, want)),
        2 => (pick(Pick::Granted), used()).prop_map(|(pick, used)| Op::SettleUse(pick, used)),
    ];
    let timing = prop_oneof![
        4 => span().prop_map(Op::Advance),
        6 => (-1..=1i64).prop_map(Op::AdvanceToDue),
        1 => Just(Op::NextWakeup),
        1 => Just(Op::Restore),
    ];
    let pause = (target(), prop_oneof![6 => span().prop_map(Some), 1 => Just(None)]);
    let managing = prop_oneof![
        4 => (0..10u8, plan()).prop_map(|(name, plan)| Op::Define(name, plan)),
        2 => (0..=5u8, plan(), 0..5u32).prop_map(|(name, plan, max)| Op::DefineFamily(name, plan, max)),
        4 => (1..=3u8, plan()).prop_map(|(name, plan)| Op::ResizeFamily(name, plan)),
        1 => (1..=3u8).prop_map(Op::RemoveFamily),
        8 => (target(), plan()).prop_map(|(target, plan)| Op::Resize(target, plan)),
        3 => target().prop_map(Op::Remove),
        5 => pause.prop_map(|(target, span)| Op::Pause(target, span)),
        5 => (target(), any_units()).prop_map(|(target, units)| Op::SetLevel(target, units)),
        1 => any::<bool>().prop_map(Op::Close),
    ];
    prop_oneof![45 => claiming, 25 => giving, 24 => timing, 6 => managing]
}
