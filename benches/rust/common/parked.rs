//! A ledger with many claims in its line, kept as many while it is measured.

use std::time::{Duration, Instant};

use bursar::ledger::{Cancelled, ClaimOptions, Claimed, Event, Ledger, Ticket, TicketStatus, Time};

use super::demands::Wants;
use super::dice::Dice;
use super::scale;

/// Operations between two looks at the clock, which is itself as slow as some of them.
const BATCH: u64 = 256;

pub(crate) struct Parked {
    pub(crate) ledger: Ledger,
    pub(crate) held: Vec<Ticket>,
    /// All that wait, and some that did.
    queued: Vec<Ticket>,
    wants: Wants,
    count: u32,
    /// Claims wait no longer than this many nanoseconds, and half of it on average.
    patience: Option<u64>,
    dice: Dice,
}

impl Parked {
    /// Claims until `count` wait.
    pub(crate) fn new((ledger, wants): (Ledger, Wants), count: u32) -> Self {
        let (held, queued, dice) = (Vec::new(), Vec::new(), Dice::new(11));
        let mut parked = Parked { ledger, held, queued, wants, count, patience: None, dice };
        parked.fill();
        parked
    }

    /// The same, where each claim has a deadline, as many a nanosecond as half a claim.
    pub(crate) fn with_deadlines((ledger, wants): (Ledger, Wants), count: u32) -> Self {
        let mut parked = Parked::new((ledger, wants), 0);
        parked.patience = Some(2 * u64::from(count));
        parked.count = count;
        parked.fill();
        parked
    }

    fn batch(&self, wanted: u64) -> u64 {
        wanted.min(BATCH).min(u64::from(self.count) / 8).max(1)
    }

    /// Claims until as many wait as should.
    pub(crate) fn fill(&mut self) {
        while self.ledger.waiting() < self.count {
            self.claim();
        }
        if self.queued.len() > 2 * self.count as usize + 1_000 {
            let waits = |&ticket: &_| self.ledger.ticket(ticket) == Some(TicketStatus::Waiting);
            self.queued.retain(waits);
        }
    }

    fn claim(&mut self) {
        let want = (self.wants)();
        let deadline = match self.patience {
            None => Time::NEVER,
            Some(most) => Time::from_nanos(self.ledger.now().as_nanos() + 1 + self.dice.roll(most)),
        };
        let options = ClaimOptions { priority: want.priority, deadline, ..ClaimOptions::default() };
        match self.ledger.claim(want.demand(), &options).unwrap() {
            Claimed::Granted(ticket) => self.held.push(ticket),
            Claimed::Waiting(ticket) => self.queued.push(ticket),
        }
    }

    /// Takes in what has happened: how many were granted.
    #[inline]
    fn outcomes(&mut self) -> u64 {
        let mut granted = 0;
        while let Some(event) = self.ledger.poll_event() {
            match event {
                Event::Granted(ticket) => self.held.push(ticket),
                Event::Woken(ticket) => {
                    let answer = self.ledger.retry(ticket).unwrap();
                    assert_eq!(answer, Claimed::Granted(ticket), "nobody else asks");
                    self.held.push(ticket);
                }
                other => panic!("not expected: {other:?}"),
            }
            granted += 1;
        }
        granted
    }

    /// Releases leases until so many parked claims have been granted; then others like them park.
    pub(crate) fn grant(&mut self, wanted: u64) -> Duration {
        let (mut done, mut spent) = (0, Duration::ZERO);
        while done < wanted {
            let batch = self.batch(wanted - done);
            let (mut granted, mut releases) = (0, 0);
            let start = Instant::now();
            while granted < batch {
                let lease = self.held.swap_remove(self.dice.place(self.held.len()));
                self.ledger.release(lease).unwrap();
                granted += self.outcomes();
                releases += 1;
            }
            spent += start.elapsed();
            assert!(releases < 100 * (batch + 100), "{releases} releases for {granted} grants");
            done += granted;
            self.fill();
            assert_eq!(self.ledger.waiting(), self.count);
        }
        scale(spent, done, wanted)
    }

    /// Parks so many claims more, a batch at a time.
    pub(crate) fn park(&mut self, wanted: u64) -> Duration {
        let mut spent = Duration::ZERO;
        let mut done = 0;
        while done < wanted {
            let batch = self.batch(wanted - done);
            let wants: Vec<_> = (0..batch).map(|_| (self.wants)()).collect();
            let mut tickets = Vec::with_capacity(wants.len());
            let start = Instant::now();
            for want in &wants {
                let options = ClaimOptions { priority: want.priority, ..ClaimOptions::default() };
                tickets.push(self.ledger.claim(want.demand(), &options).unwrap());
            }
            spent += start.elapsed();
            let waiting = u64::from(self.ledger.waiting() - self.count);
            // A small newcomer may fit where all who wait want more.
            assert!(2 * waiting >= batch, "{waiting} of {batch} had to wait");
            done += batch;
            self.ledger.cancel_all(tickets.iter().map(|claimed| claimed.ticket()));
            self.outcomes();
            self.fill();
        }
        spent
    }

    /// Cancels so many claims, wherever they stand in the line.
    pub(crate) fn cancel(&mut self, wanted: u64) -> Duration {
        let mut spent = Duration::ZERO;
        let mut done = 0;
        while done < wanted {
            let batch = self.batch(wanted - done);
            let drawn: Vec<_> = (0..batch).map(|_| self.draw()).collect();
            let mut crossed = 0;
            let start = Instant::now();
            for &ticket in &drawn {
                crossed += u64::from(self.ledger.cancel(ticket).unwrap() == Cancelled::Granted);
            }
            spent += start.elapsed();
            let granted = self.outcomes();
            if crossed > 0 {
                // The end of a barrier had served those just before it was their turn to be cancelled.
                self.held.retain(|&ticket| self.ledger.ticket(ticket).is_some());
            }
            let waiting = u64::from(self.ledger.waiting()) + batch + granted - crossed;
            assert_eq!(waiting, u64::from(self.count));
            done += batch;
            self.fill();
        }
        spent
    }

    /// One that waits, taken off the list.
    fn draw(&mut self) -> Ticket {
        loop {
            let ticket = self.queued.swap_remove(self.dice.place(self.queued.len()));
            if self.ledger.ticket(ticket) == Some(TicketStatus::Waiting) {
                return ticket;
            }
        }
    }

    /// Lets time pass until so many claims have expired.
    pub(crate) fn expire(&mut self, wanted: u64) -> Duration {
        let (mut done, mut spent) = (0, Duration::ZERO);
        while done < wanted {
            let batch = self.batch(wanted - done);
            let mut granted = Vec::new();
            let mut expired = 0;
            let start = Instant::now();
            while expired < batch {
                let due = self.ledger.next_wakeup().expect("all have deadlines");
                self.ledger.advance(due);
                while let Some(event) = self.ledger.poll_event() {
                    match event {
                        Event::Expired(_) => expired += 1,
                        Event::Granted(ticket) => granted.push(ticket),
                        other => panic!("not expected: {other:?}"),
                    }
                }
            }
            spent += start.elapsed();
            self.held.append(&mut granted);
            done += expired;
            self.fill();
        }
        scale(spent, done, wanted)
    }

    /// Lets time pass until so many claims have been granted by it alone.
    pub(crate) fn refill(&mut self, wanted: u64) -> Duration {
        let (mut done, mut spent) = (0, Duration::ZERO);
        while done < wanted {
            let batch = self.batch(wanted - done);
            let mut granted = 0;
            let start = Instant::now();
            while granted < batch {
                let due = self.ledger.next_wakeup().expect("somebody can be served");
                self.ledger.advance(due);
                granted += self.outcomes();
            }
            spent += start.elapsed();
            done += granted;
            // What was taken of a bucket is spent.
            for lease in self.held.drain(..) {
                self.ledger.release(lease).unwrap();
            }
            self.fill();
        }
        scale(spent, done, wanted)
    }
}
