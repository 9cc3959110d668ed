//! Waiting for a moment: when nothing is claimed any more, or when a lease is lost.
//!
//! Whoever waits is told even if the moment has gone by when it looks: it was there once.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::block::block_on;
use super::lease::Lease;
use super::shared::{Shared, State};
use super::sync::Arc;
use crate::ledger::Ticket;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moment {
    /// Nobody waits and nobody holds anything.
    Idle,
    /// The lease has lapsed.
    Lost(Ticket),
}

/// Those who wait for a moment and have not been told, by moment and arrival.
#[derive(Default)]
pub(super) struct Moments {
    wakers: BTreeMap<(Moment, u64), Waker>,
    arrivals: u64,
}

impl Moments {
    pub(super) fn is_empty(&self) -> bool {
        self.wakers.is_empty()
    }

    /// The moment has come: those who waited for it, to be woken.
    pub(super) fn come(&mut self, moment: Moment) -> Vec<Waker> {
        let those: Vec<_> = self.wakers.range((moment, 0)..=(moment, u64::MAX)).collect();
        let those: Vec<_> = those.into_iter().map(|(&key, _)| key).collect();
        those.iter().filter_map(|key| self.wakers.remove(key)).collect()
    }
}

/// A future of one moment.
struct Until {
    shared: Arc<Shared>,
    moment: Moment,
    /// Among those who wait.
    arrival: Option<u64>,
}

impl Until {
    fn new(shared: &Arc<Shared>, moment: Moment) -> Self {
        Until { shared: shared.clone(), moment, arrival: None }
    }

    fn has_come(&self, state: &State) -> bool {
        match self.moment {
            Moment::Idle => state.ledger.is_idle(),
            Moment::Lost(ticket) => state.ledger.ticket(ticket).is_none(),
        }
    }

    fn poll(&mut self, waker: &Waker) -> Poll<()> {
        let (waker, arrival) = (waker.clone(), self.arrival);
        let (arrival, _unused) = self.shared.enter(false, |state| {
            let told =
                arrival.is_some_and(|own| !state.moments.wakers.contains_key(&(self.moment, own)));
            if told || self.has_come(state) {
                let own = arrival.and_then(|own| state.moments.wakers.remove(&(self.moment, own)));
                return (None, [own, Some(waker)]);
            }
            let own = arrival.unwrap_or_else(|| {
                state.moments.arrivals += 1;
                state.moments.arrivals
            });
            (Some(own), [state.moments.wakers.insert((self.moment, own), waker), None])
        });
        self.arrival = arrival;
        if arrival.is_some() { Poll::Pending } else { Poll::Ready(()) }
    }
}

impl Drop for Until {
    fn drop(&mut self) {
        if let Some(own) = self.arrival {
            drop(
                self.shared.enter(false, |state| state.moments.wakers.remove(&(self.moment, own))),
            );
        }
    }
}

/// A future that ends when nobody waits and nobody holds anything: see
/// [`Bursar::idle`](super::Bursar::idle).
#[must_use = "it does nothing unless awaited, or waited for with `blocking`"]
pub struct Idle(Until);

impl Idle {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Idle(Until::new(shared, Moment::Idle))
    }

    /// The same from a plain thread, which sleeps meanwhile.
    pub fn blocking(self) {
        block_on(self);
    }
}

impl Future for Idle {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.poll(cx.waker())
    }
}

impl fmt::Debug for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Idle").finish_non_exhaustive()
    }
}

/// A future that ends when a lease's time to live has passed: see [`Lease::lost`].
#[must_use = "it does nothing unless awaited"]
pub struct Lost<'a>(Until, PhantomData<&'a Lease>);

impl Lost<'_> {
    pub(super) fn new(shared: &Arc<Shared>, ticket: Ticket) -> Self {
        Lost(Until::new(shared, Moment::Lost(ticket)), PhantomData)
    }
}

impl Future for Lost<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.poll(cx.waker())
    }
}

impl fmt::Debug for Lost<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lost").finish_non_exhaustive()
    }
}
