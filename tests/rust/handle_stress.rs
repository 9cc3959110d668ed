//! Many threads and tasks at once: the limit is never exceeded, nobody is forgotten, all comes back.

mod common;

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use bursar::ledger::Order;
use bursar::{Bursar, Error, Resource};

use self::common::block_on;

const A: u64 = 3;
const B: u64 = 5;

/// Counts units in use, and fails if there are ever more than there may be.
#[derive(Default)]
struct Gauge(AtomicU64);

impl Gauge {
    fn enter(&self, units: u64, limit: u64) {
        let before = self.0.fetch_add(units, Ordering::SeqCst);
        assert!(before + units <= limit, "{} in use, {limit} may be", before + units);
    }

    fn leave(&self, units: u64) {
        self.0.fetch_sub(units, Ordering::SeqCst);
    }
}

/// A small generator (xorshift), so that runs differ by thread and not by chance.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

#[derive(Default)]
struct Gauges {
    a: Gauge,
    b: Gauge,
    granted: AtomicU64,
    timed_out: AtomicU64,
}

async fn one_task(bursar: &Bursar, gauges: &Gauges, seed: u64) {
    let mut dice = Dice(seed * 0x9e37_79b9 + 1);
    for _ in 0..60 {
        let (a, b) = (dice.roll(A + 1), dice.roll(B + 1));
        let demand = [("a", a), ("b", b)].into_iter().filter(|&(_, units)| units > 0);
        let claim = bursar.claim(demand).priority(dice.roll(3) as i32);
        let lease = match dice.roll(4) {
            0 => claim.timeout(Duration::from_micros(dice.roll(200))).await,
            1 => claim.blocking(),
            _ => claim.await,
        };
        let lease = match lease {
            Ok(lease) => lease,
            Err(Error::EmptyDemand) => continue,
            Err(Error::Timeout { .. }) => {
                gauges.timed_out.fetch_add(1, Ordering::SeqCst);
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        gauges.granted.fetch_add(1, Ordering::SeqCst);
        gauges.a.enter(a, A);
        gauges.b.enter(b, B);
        if dice.roll(2) == 0 {
            thread::yield_now();
        }
        if a > 0 && dice.roll(3) == 0 {
            gauges.a.leave(a);
            lease.release_part([("a", a)]).unwrap();
        } else {
            gauges.a.leave(a);
        }
        gauges.b.leave(b);
        lease.release().unwrap();
    }
}

#[test]
fn the_limit_holds_under_load_in_every_order() {
    for (order, max_bypass) in [
        (Order::Fair, Some(1000)),
        (Order::Fair, Some(2)),
        (Order::Fair, Some(0)),
        (Order::Newest, Some(4)),
        (Order::Greedy, None),
    ] {
        let bursar = Bursar::builder()
            .resource(Resource::semaphore("a", A))
            .resource(Resource::semaphore("b", B))
            .order(order)
            .max_bypass(max_bypass)
            .build()
            .unwrap();
        let gauges = Gauges::default();
        thread::scope(|scope| {
            for seed in 0..8 {
                let (bursar, gauges) = (&bursar, &gauges);
                scope.spawn(move || {
                    // Tasks of one thread in turn, so that a blocking one holds no other up.
                    for task in 0..8 {
                        block_on(one_task(bursar, gauges, seed * 8 + task));
                    }
                });
            }
        });
        let settled = (bursar.available("a"), bursar.available("b"), bursar.waiting());
        assert_eq!(settled, (Ok(A), Ok(B), 0), "{order:?}");
        assert_eq!(bursar.leases(), 0);
        assert!(gauges.granted.load(Ordering::SeqCst) > 2000);
    }
}

#[test]
fn the_limit_holds_for_a_thousand_tasks_on_tokio() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(8).build().unwrap();
    for order in [Order::Fair, Order::Newest, Order::Greedy] {
        let bursar =
            Bursar::builder().resource(Resource::semaphore("a", A)).order(order).build().unwrap();
        let gauge = std::sync::Arc::new(Gauge::default());
        runtime.block_on(async {
            let tasks: Vec<_> = (0..1000_u64)
                .map(|task| {
                    let (bursar, gauge) = (bursar.clone(), gauge.clone());
                    tokio::spawn(async move {
                        for round in 0..5 {
                            let units = 1 + (task + round) % A;
                            let lease = bursar.claim([("a", units)]).await.unwrap();
                            gauge.enter(units, A);
                            tokio::task::yield_now().await;
                            gauge.leave(units);
                            drop(lease);
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
        });
        assert_eq!((bursar.available("a"), bursar.leases()), (Ok(A), 0), "{order:?}");
    }
}
