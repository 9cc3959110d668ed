//! Snapshots that were damaged on their way: refused, or a ledger as sound as any. Never a panic.

use bursar::ledger::{ClaimOptions, Close, Ledger, SnapshotError, TicketStatus, Time};
use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::model::calls::Call;
use crate::model::dice::Dice;
use crate::model::ops;
use crate::model::reference::State;
use crate::random::played;

/// Snapshots of ledgers in the middle of their lives, some with events that nobody has polled.
fn snapshots(count: usize) -> Vec<Vec<u8>> {
    let config = Config { rng_seed: RngSeed::Fixed(7), ..Config::default() };
    let mut runner = TestRunner::new(config);
    let lives = (ops::world(), vec(ops::op(), 20..120));
    let snapshot = |_| {
        let (world, ops) = lives.new_tree(&mut runner).expect("nothing is filtered").current();
        let pair = played(&world, &ops).expect("the model test plays these");
        let mut subject = pair.subject;
        for lease in pair.reference.numbers(State::Granted).into_iter().take(2) {
            subject.call(&Call::Release(lease));
        }
        subject.ledger.snapshot()
    };
    (0..count).map(snapshot).collect()
}

/// Reads the bytes. What they give, if anything, must be whole.
fn read(bytes: &[u8]) -> bool {
    let Ok(ledger) = Ledger::restore(bytes) else { return false };
    assert_eq!(ledger.snapshot(), bytes, "a state has one snapshot");
    live_on(ledger);
    true
}

/// Nothing that a ledger accepted may make it stumble later.
fn live_on(mut ledger: Ledger) {
    for claim in ledger.claims() {
        ledger.position(claim.ticket).ok();
        ledger.shortage(claim.ticket).ok();
    }
    for id in ledger.resources().collect::<Vec<_>>() {
        ledger.status(id).expect("it is listed");
        ledger.claim(&[(id, 1)], &ClaimOptions::default()).ok();
    }
    for _ in 0..3 {
        if let Some(wakeup) = ledger.next_wakeup() {
            ledger.advance(wakeup);
        }
    }
    for (place, claim) in ledger.claims().into_iter().enumerate() {
        match claim.status {
            TicketStatus::Granted => ledger.release(claim.ticket).unwrap(),
            // A release may have served it by now.
            TicketStatus::Waiting if place % 2 == 0 => {
                ledger.set_priority(claim.ticket, 1).ok();
            }
            TicketStatus::Waiting => {
                ledger.retry(claim.ticket).ok();
            }
        }
        while ledger.poll_event().is_some() {}
    }
    ledger.advance(Time::from_nanos(u64::MAX / 2));
    ledger.close(Close::Now);
    assert_eq!(ledger.waiting(), 0);
}

#[test]
fn a_truncated_snapshot_is_refused() {
    for bytes in snapshots(40) {
        assert!(read(&bytes));
        for end in 0..bytes.len() {
            assert!(!read(&bytes[..end]), "{end} of {}", bytes.len());
        }
        let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
        assert_eq!(Ledger::restore(&longer).unwrap_err(), SnapshotError::Damaged);
    }
}

#[test]
fn a_changed_snapshot_is_refused_or_sound() {
    let mut dice = Dice::new(1);
    let (mut accepted, mut refused) = (0, 0);
    for bytes in snapshots(60) {
        for _ in 0..400 {
            let mut damaged = bytes.clone();
            for _ in 0..dice.within(1, 3) {
                let place = dice.below(bytes.len() as u64) as usize;
                damaged[place] = match dice.below(3) {
                    0 => damaged[place] ^ (1 << dice.below(8)),
                    1 => damaged[place].wrapping_add_signed(dice.pick(&[-1, 1])),
                    _ => dice.bits() as u8,
                };
            }
            if read(&damaged) {
                accepted += 1;
            } else {
                refused += 1;
            }
        }
    }
    assert!(accepted > 1_000 && refused > 1_000, "{accepted} {refused}");
}

#[test]
fn noise_is_refused() {
    let mut dice = Dice::new(2);
    for len in 0..2_000 {
        let noise: Vec<u8> = (0..len).map(|_| dice.bits() as u8).collect();
        assert!(!read(&noise));
        let headed: Vec<u8> = b"BURS\x01".iter().chain(&noise).copied().collect();
        read(&headed);
    }
}
