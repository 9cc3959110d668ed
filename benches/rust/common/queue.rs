//! Futures that wait for one permit, bursar's or a peer's, polled by hand, so that no executor is
//! measured.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bursar::{Bursar, Claiming, Error, Lease, Resource};
use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};

use super::dice::Dice;

const BATCH: u64 = 256;

pub(crate) struct Queue<F: Future> {
    acquire: Box<dyn Fn() -> F>,
    /// The permit. If it were an error, nobody would get it next, and the benches notice.
    held: Option<F::Output>,
    waiting: VecDeque<Pin<Box<F>>>,
    count: usize,
    dice: Dice,
}

pub(crate) fn of_bursar(count: u32) -> Queue<impl Future<Output = Result<Lease, Error>> + use<>> {
    let slot = Resource::semaphore("slot", 1);
    let bursar = Bursar::builder().resource(slot).build().unwrap();
    let acquire = move || -> Claiming<_> { bursar.claim([("slot", 1)]).into_future() };
    Queue::new(Box::new(acquire), count)
}

pub(crate) fn of_tokio(
    count: u32,
) -> Queue<impl Future<Output = Result<SemaphorePermit<'static>, AcquireError>> + use<>> {
    let semaphore: &'static Semaphore = Box::leak(Box::new(Semaphore::new(1)));
    Queue::new(Box::new(move || semaphore.acquire()), count)
}

fn poll<F: Future>(future: &mut Pin<Box<F>>) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

impl<F: Future> Queue<F> {
    fn new(acquire: Box<dyn Fn() -> F>, count: u32) -> Self {
        let Poll::Ready(held) = poll(&mut Box::pin(acquire())) else { panic!("it is free") };
        let waiting = VecDeque::with_capacity(count as usize + BATCH as usize);
        let (held, count) = (Some(held), count as usize);
        let mut queue = Queue { acquire, held, waiting, count, dice: Dice::new(13) };
        queue.fill();
        queue
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    fn fill(&mut self) {
        while self.waiting.len() < self.count {
            let mut future = Box::pin((self.acquire)());
            assert!(poll(&mut future).is_pending());
            self.waiting.push_back(future);
        }
    }

    fn batches(&self, wanted: u64) -> impl Iterator<Item = u64> + use<F> {
        let most = BATCH.min(self.count as u64 / 8).max(1);
        (0..wanted.div_ceil(most)).map(move |batch| most.min(wanted - batch * most))
    }

    /// Polls so many futures for the first time.
    pub(crate) fn park(&mut self, wanted: u64) -> Duration {
        let mut spent = Duration::ZERO;
        for batch in self.batches(wanted) {
            let mut more: Vec<_> = (0..batch).map(|_| Box::pin((self.acquire)())).collect();
            let start = Instant::now();
            for future in &mut more {
                assert!(poll(future).is_pending());
            }
            spent += start.elapsed();
        }
        spent
    }

    /// Passes the permit on so many times, each time to the future that has waited longest.
    pub(crate) fn grant(&mut self, wanted: u64) -> Duration {
        let mut spent = Duration::ZERO;
        for batch in self.batches(wanted) {
            let start = Instant::now();
            for _ in 0..batch {
                drop(self.held.take());
                let mut first = self.waiting.pop_front().expect("they are many");
                let Poll::Ready(permit) = poll(&mut first) else { panic!("it is its turn") };
                self.held = Some(permit);
            }
            spent += start.elapsed();
            self.fill();
        }
        spent
    }

    /// Drops so many futures, wherever they stand. Nobody can be granted in order afterwards.
    pub(crate) fn cancel(&mut self, wanted: u64) -> Duration {
        let mut spent = Duration::ZERO;
        for batch in self.batches(wanted) {
            let drawn = (0..batch).map(|_| {
                let place = self.dice.place(self.waiting.len());
                self.waiting.swap_remove_back(place)
            });
            let drawn: Vec<_> = drawn.collect();
            let start = Instant::now();
            drop(drawn);
            spent += start.elapsed();
            self.fill();
        }
        spent
    }
}
