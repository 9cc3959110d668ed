//! The largest numbers: nothing overflows, wherever the limits end.

use bursar::ledger::{ClaimOptions, Ledger, Limit, MAX_UNITS, Policy, Rate, Time};

const FAR: u64 = u64::MAX / 2;

#[test]
fn the_moment_of_the_largest_demand_at_a_slow_and_crooked_rate_is_computed() {
    // The next float after 1e-9 stands for a ratio with a denominator of some 2^82.
    for rate in [1e-9_f64, 1e-9_f64.next_up(), 1.000_000_1e-9, 0.1_f64.next_up(), 1.0_f64.next_up()]
    {
        let mut ledger = Ledger::new(Policy::default());
        let limit = Limit::token_bucket(Rate::per_second(rate).unwrap(), MAX_UNITS).unwrap();
        let bucket = ledger.define("bucket", limit).unwrap();
        let all = ledger.claim(&[(bucket, MAX_UNITS)], &ClaimOptions::default()).unwrap();
        ledger.claim(&[(bucket, MAX_UNITS)], &ClaimOptions::default()).unwrap();
        let due = ledger.next_wakeup();
        assert!(due.is_none_or(|due| due > Time::from_nanos(FAR / 1_000_000)), "{rate:e} {due:?}");
        ledger.settle_use(all.ticket(), &[(bucket, MAX_UNITS)]).unwrap();
        ledger.advance(Time::from_nanos(FAR));
        assert_eq!(ledger.waiting(), u32::from(MAX_UNITS as f64 / rate > FAR as f64 / 1e9));
    }
}

#[test]
fn what_leases_hold_of_a_bucket_may_add_up_beyond_64_bits() {
    let mut ledger = Ledger::new(Policy::default());
    let limit = Limit::token_bucket(Rate::per_second(MAX_UNITS as f64).unwrap(), MAX_UNITS);
    let bucket = ledger.define("bucket", limit.unwrap()).unwrap();
    let mut tickets = Vec::new();
    for second in 0..3000 {
        ledger.advance(Time::from_nanos(second * 1_000_000_000));
        tickets.push(ledger.try_claim(&[(bucket, MAX_UNITS)], &ClaimOptions::default()).unwrap());
    }
    for ticket in tickets {
        ledger.release(ticket.expect("it was full again")).unwrap();
    }
    assert_eq!(ledger.held(bucket), Some(0));
}

#[test]
fn the_deepest_debt_is_shown() {
    let mut ledger = Ledger::new(Policy::default());
    let limit = Limit::token_bucket(Rate::per_second(50.0).unwrap(), 3000).unwrap();
    let bucket = ledger.define("bucket", limit).unwrap();
    let claim = |ledger: &mut Ledger| ledger.claim(&[(bucket, 1)], &ClaimOptions::default());
    let tickets: Vec<_> = (0..3000).map(|_| claim(&mut ledger).unwrap().ticket()).collect();
    for &ticket in &tickets {
        // Refused where the books would run out of numbers.
        let _ = ledger.settle_use(ticket, &[(bucket, MAX_UNITS)]);
    }
    let status = ledger.status(bucket).unwrap();
    assert_eq!(status.available, 0);
    assert!(status.debt >= MAX_UNITS);
    for ticket in tickets {
        ledger.release(ticket).unwrap();
    }
    assert_eq!(ledger.held(bucket), Some(0));
}
