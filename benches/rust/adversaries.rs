//! The worst that a line can be asked, at 100,000 parked: demands and levels that defeat one index or
//! another, many sets of resources that share one, strict order, a barrier that stays, and a bucket
//! that a million wait for.

mod common;

use std::cell::LazyCell;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

use bursar::ledger::{
    ClaimOptions, ClaimStatus, Claimed, Ledger, Limit, Order, Policy, Rate, ResourceId, Ticket,
    Time,
};

use self::common::demands::{Variety, Want, Wants};
use self::common::dice::Dice;
use self::common::parked::Parked;
use self::common::{bench, semaphores};

/// A claim that was passed too often would put an end to these situations: without a bound they last.
const UNBOUNDED: Policy = Policy { order: Order::Fair, max_bypass: None, max_waiting: None };
const STRICT: Policy = Policy { order: Order::Fair, max_bypass: Some(0), max_waiting: None };
const BOUNDED: Policy = Policy { order: Order::Fair, max_bypass: Some(1_000), max_waiting: None };

const DEFAULTS: ClaimOptions =
    ClaimOptions { priority: 0, deadline: Time::NEVER, ttl: Duration::MAX, owner: None };

fn parked() -> u32 {
    common::most().min(100_000)
}

/// Nobody who waits is ever served: units come free that do for none of them, and are taken again.
/// What is measured is how long it takes to see that, for each release.
struct Futile {
    ledger: Ledger,
    ids: Vec<ResourceId>,
    /// By resource, the leases of one block each.
    blocks: Vec<Vec<Ticket>>,
    /// By resource, how many blocks are free.
    free: Vec<u64>,
    block: u64,
    dice: Dice,
}

/// What can be free of the resources: blocks of one size.
struct Levels {
    resources: u32,
    block: u64,
    /// That each resource has.
    blocks: u64,
    /// That are free of all together.
    open: u64,
    /// Units of the first resource that are free besides.
    extra: u64,
}

const PERMITS: u64 = 1 << 40;

impl Futile {
    fn new(levels: &Levels) -> Self {
        let mut ledger = Ledger::new(UNBOUNDED);
        let ids = semaphores(&mut ledger, levels.resources, PERMITS);
        let block = levels.block;
        let mut blocks = Vec::new();
        for (place, &id) in ids.iter().enumerate() {
            let extra = if place == 0 { levels.extra } else { 0 };
            granted(&mut ledger, &[(id, PERMITS - levels.blocks * block - extra)]);
            let leases = (0..levels.blocks).map(|_| granted(&mut ledger, &[(id, block)]));
            blocks.push(leases.collect());
        }
        let free = vec![0; ids.len()];
        let mut futile = Futile { ledger, ids, blocks, free, block, dice: Dice::new(17) };
        for number in 0..levels.open {
            futile.open(number as usize % futile.ids.len());
        }
        futile
    }

    fn park(&mut self, demand: &[(ResourceId, u64)]) {
        let claimed = self.ledger.claim(demand, &DEFAULTS).unwrap();
        assert!(matches!(claimed, Claimed::Waiting(_)), "{demand:?} fits");
    }

    fn open(&mut self, place: usize) {
        let lease = self.blocks[place].pop().expect("not all blocks are free");
        self.ledger.release(lease).unwrap();
        self.free[place] += 1;
    }

    fn close(&mut self, place: usize) {
        let lease = granted(&mut self.ledger, &[(self.ids[place], self.block)]);
        self.blocks[place].push(lease);
        self.free[place] -= 1;
    }

    /// Takes a block of one resource and frees one of another, so many times.
    fn wander(&mut self, times: u64) -> Duration {
        let waiting = self.ledger.waiting();
        let start = Instant::now();
        for _ in 0..times {
            let from = loop {
                let place = self.dice.place(self.ids.len());
                if self.free[place] > 0 {
                    break place;
                }
            };
            let to = (from + 1 + self.dice.place(self.ids.len() - 1)) % self.ids.len();
            self.close(from);
            self.open(to);
        }
        let spent = start.elapsed();
        assert_eq!((self.ledger.poll_event(), self.ledger.waiting()), (None, waiting));
        spent
    }

    /// Frees one block and takes it again, of each resource in turn.
    fn repeat(&mut self, times: u64) -> Duration {
        let waiting = self.ledger.waiting();
        let start = Instant::now();
        for time in 0..times {
            let place = time as usize % self.ids.len();
            self.open(place);
            self.close(place);
        }
        let spent = start.elapsed();
        assert_eq!((self.ledger.poll_event(), self.ledger.waiting()), (None, waiting));
        spent
    }
}

fn granted(ledger: &mut Ledger, demand: &[(ResourceId, u64)]) -> Ticket {
    match ledger.claim(demand, &DEFAULTS).unwrap() {
        Claimed::Granted(ticket) => ticket,
        Claimed::Waiting(_) => panic!("{demand:?} does not fit"),
    }
}

/// Whoever waits wants much of both resources, so that freeing one of them serves nobody.
fn opened_in_turn() -> Futile {
    let block = PERMITS / 2;
    let mut futile = Futile::new(&Levels { resources: 2, block, blocks: 1, open: 0, extra: 0 });
    let mut dice = Dice::new(19);
    for _ in 0..parked() {
        let demand = [0, 1].map(|place| (futile.ids[place], 1 + dice.roll(block)));
        futile.park(&demand);
    }
    futile
}

/// Every second claim wants much of the one resource and one unit of the other, and the rest the
/// other way round: the least that anybody wants of each is always there.
fn halves(levels: &Levels) -> Futile {
    let mut futile = Futile::new(levels);
    let much = levels.blocks * levels.block * 2;
    for number in 0..u64::from(parked()) {
        let [a, b] = [futile.ids[0], futile.ids[1]];
        let (most, least) = if number % 2 == 0 { (a, b) } else { (b, a) };
        futile.park(&[(most, much + number), (least, 1)]);
    }
    futile
}

/// All want the same sum of three resources, each in another way, and one unit less is free.
fn antichain() -> Futile {
    let (block, blocks) = (1 << 20, 96);
    let (open, extra) = (blocks - 1, block - 1);
    let mut futile = Futile::new(&Levels { resources: 3, block, blocks, open, extra });
    let sum = blocks * block;
    let mut dice = Dice::new(23);
    for _ in 0..parked() {
        let (cut, other) = (1 + dice.roll(sum - 2), 1 + dice.roll(sum - 2));
        let (low, high) = (cut.min(other), cut.max(other) + 1);
        let parts = [low, high - low, sum - high];
        let demand = [0, 1, 2].map(|place| (futile.ids[place], parts[place]));
        futile.park(&demand);
    }
    futile
}

fn futile(c: &mut Criterion) {
    let mut group = c.benchmark_group("adversaries, a release");
    let mut case =
        |name: &str, make: &dyn Fn() -> Futile, work: fn(&mut Futile, u64) -> Duration| {
            let mut futile = LazyCell::new(make);
            let id = BenchmarkId::new(name, parked());
            bench(&mut group, id, &mut futile, work);
        };
    case("two resources opened in turn", &opened_in_turn, Futile::repeat);
    let steady = Levels { resources: 2, block: 1, blocks: 16, open: 16, extra: 0 };
    case("half (big, 1), half (1, big)", &|| halves(&steady), Futile::repeat);
    let moving = Levels { resources: 2, block: 1 << 14, blocks: 96, open: 95, extra: 0 };
    case("the same, moving level", &|| halves(&moving), Futile::wander);
    case("antichain of three resources", &antichain, Futile::wander);
    group.finish();
}

/// Everybody wants some of one scarce resource, and some of one of many others that are plentiful.
fn sharing(sets: u32, different: bool, policy: Policy) -> Parked {
    let mut ledger = Ledger::new(policy);
    let most = if different { 1 << 32 } else { 1 };
    let scarce = ledger.define("scarce", Limit::semaphore(16 * most).unwrap()).unwrap();
    let others = semaphores(&mut ledger, sets, 1 << 52);
    let mut dice = Dice::new(29);
    let wants = move || {
        let other = others[dice.place(others.len())];
        Want::new(&[(scarce, 1 + dice.roll(most)), (other, 1 + dice.roll(most))])
    };
    Parked::new((ledger, Box::new(wants)), parked())
}

/// As [`halves`], except that what is free does for some: each release has to find the first of them.
fn halves_granted() -> Parked {
    let mut ledger = Ledger::new(BOUNDED);
    let most = 1 << 32;
    let ids = semaphores(&mut ledger, 2, 16 * most);
    let mut dice = Dice::new(41);
    let wants = move || {
        let place = dice.place(2);
        Want::new(&[(ids[place], 1 + dice.roll(most)), (ids[1 - place], 1)])
    };
    Parked::new((ledger, Box::new(wants)), parked())
}

fn grants(c: &mut Criterion) {
    let mut group = c.benchmark_group("adversaries, a grant");
    let mut halves = LazyCell::new(halves_granted);
    let id = BenchmarkId::new("half (big, 1), half (1, big), moving level", parked());
    bench(&mut group, id, &mut halves, Parked::grant);
    drop(halves);
    let cases = [
        ("100 sets, one shape", 100, false, BOUNDED),
        ("100 sets, all different", 100, true, BOUNDED),
        ("100 sets, all different, unbounded", 100, true, UNBOUNDED),
        ("5000 sets, one shape", 5_000, false, BOUNDED),
        ("100 sets, one shape, strict", 100, false, STRICT),
        ("100 sets, all different, strict", 100, true, STRICT),
        ("1000 sets, one shape, strict", 1_000, false, STRICT),
    ];
    for (name, sets, different, policy) in cases {
        let mut line = LazyCell::new(|| sharing(sets, different, policy));
        let id = BenchmarkId::new(name, parked());
        bench(&mut group, id, &mut line, Parked::grant);
    }
    for variety in [Variety::Few, Variety::Endless] {
        let mut line = LazyCell::new(|| behind_a_barrier(variety));
        let id = BenchmarkId::new(format!("a barrier, {}", variety.name()), parked());
        bench(&mut group, id, &mut line, Parked::grant);
    }
    group.finish();
}

/// Before the usual line stands a claim that was passed too often and is never served: it wants, beside
/// a unit of what all want, what another holds for ever.
fn behind_a_barrier(variety: Variety) -> Parked {
    let (mut ledger, wants) = variety.workload(BOUNDED, false);
    let never = ledger.define("never", Limit::semaphore(1).unwrap()).unwrap();
    let shared = ledger.resources().next().expect("there are eight");
    granted(&mut ledger, &[(never, 1)]);
    let first = ClaimOptions { priority: i32::MAX, ..DEFAULTS };
    let first = ledger.claim(&[(never, 1), (shared, 1)], &first).unwrap().ticket();
    let mut parked = Parked::new((ledger, wants), parked() - 1);
    for _ in 0..100 {
        parked.grant(1_000);
        let is_barrier = |claim: &ClaimStatus| claim.ticket == first && claim.barrier;
        if parked.ledger.claims().iter().any(is_barrier) {
            return parked;
        }
    }
    panic!("passed 100,000 times, and no barrier");
}

/// A hundred resources, of which all who wait want the same one.
fn hot() -> (Parked, Vec<ResourceId>) {
    let mut ledger = Ledger::new(BOUNDED);
    let mut ids = semaphores(&mut ledger, 100, 64);
    let hot = ids.pop().expect("there are a hundred");
    let mut dice = Dice::new(31);
    let wants: Wants = Box::new(move || Want::new(&[(hot, 1 + dice.roll(4))]));
    (Parked::new((ledger, wants), parked()), ids)
}

fn hundred(c: &mut Criterion) {
    let mut group = c.benchmark_group("a hundred resources, one of them hot");
    let mut hot = LazyCell::new(hot);
    let id = BenchmarkId::new("grant of the hot one", parked());
    bench(&mut group, id, &mut hot, |hot, times| hot.0.grant(times));
    group.bench_function(BenchmarkId::new("claim and release of another", parked()), |b| {
        let (parked, cold) = &mut *hot;
        let mut others = cold.iter().cycle();
        b.iter(|| {
            let demand = [(*others.next().expect("it is endless"), 1)];
            let lease = granted(&mut parked.ledger, &demand);
            parked.ledger.release(lease).unwrap();
        });
        assert_eq!(parked.ledger.poll_event(), None);
    });
    group.finish();
}

/// All wait for one bucket that is empty.
fn thirsty(different: bool) -> (Parked, ResourceId) {
    let mut ledger = Ledger::new(BOUNDED);
    let most = 1 << 40;
    let rate = Rate::per_second(most as f64).unwrap();
    let bucket = ledger.define("bucket", Limit::token_bucket(rate, most).unwrap()).unwrap();
    ledger.set_level(bucket, 0).unwrap();
    let mut dice = Dice::new(37);
    let wants = move || Want::new(&[(bucket, if different { 1 + dice.roll(most) } else { most })]);
    (Parked::new((ledger, Box::new(wants)), common::most()), bucket)
}

fn wakeups(c: &mut Criterion) {
    let mut group = c.benchmark_group("next_wakeup, a bucket");
    for (name, different) in [("one demand", false), ("all different", true)] {
        let mut line = LazyCell::new(|| thirsty(different));
        let id = |what: &str| BenchmarkId::new(format!("{what}, {name}"), common::most());
        // A level that a server tells is taken over, so that what was known is worth nothing.
        group.bench_function(id("set_level and next_wakeup"), |b| {
            let (parked, bucket) = &mut *line;
            b.iter(|| {
                parked.ledger.set_level(*bucket, 0).unwrap();
                assert!(parked.ledger.next_wakeup().is_some());
            });
        });
        bench(&mut group, id("grant by time"), &mut line, |line, times| line.0.refill(times));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = common::settings();
    targets = futile, grants, hundred, wakeups
}
criterion_main!(benches);
