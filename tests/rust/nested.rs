//! Claims under leases: who goes first, what becomes of orphans, what is a deadlock and what is none.

use std::time::Duration;

use bursar::ledger::{
    ClaimError, ClaimOptions, Claimed, Close, Event, Ledger, Limit, Link, Order, Policy, Rate,
    Rejection, ResourceId, Ticket, TicketError, Time,
};

const SECOND: Duration = Duration::from_secs(1);

/// A ledger of single permits, by letter.
fn single<const N: usize>(policy: Policy) -> (Ledger, [ResourceId; N]) {
    permits(policy, [1; N])
}

fn permits<const N: usize>(policy: Policy, permits: [u64; N]) -> (Ledger, [ResourceId; N]) {
    let mut ledger = Ledger::new(policy);
    let mut names = "abcdefgh".chars();
    let ids = permits.map(|permits| {
        let name = names.next().unwrap().to_string();
        ledger.define(&name, Limit::semaphore(permits).unwrap()).unwrap()
    });
    (ledger, ids)
}

fn fair() -> Policy {
    Policy::default()
}

fn under(owner: Ticket) -> ClaimOptions {
    ClaimOptions { owner: Some(owner), ..ClaimOptions::default() }
}

fn hold(ledger: &mut Ledger, demand: &[(ResourceId, u64)]) -> Ticket {
    granted(ledger.claim(demand, &ClaimOptions::default()))
}

fn granted(claimed: Result<Claimed, ClaimError>) -> Ticket {
    match claimed {
        Ok(Claimed::Granted(ticket)) => ticket,
        other => panic!("{other:?} is no grant"),
    }
}

fn waits(claimed: Result<Claimed, ClaimError>) -> Ticket {
    match claimed {
        Ok(Claimed::Waiting(ticket)) => ticket,
        other => panic!("{other:?} does not wait"),
    }
}

fn cycle(claimed: Result<Claimed, ClaimError>) -> Vec<Link> {
    match claimed {
        Err(ClaimError::Deadlock(deadlock)) => deadlock.cycle,
        other => panic!("{other:?} is no deadlock"),
    }
}

fn events(ledger: &mut Ledger) -> Vec<Event> {
    std::iter::from_fn(|| ledger.poll_event()).collect()
}

#[test]
fn two_owners_that_cross_are_a_deadlock() {
    let (mut ledger, [a, b]) = single(fair());
    let first = hold(&mut ledger, &[(a, 1)]);
    let second = hold(&mut ledger, &[(b, 1)]);
    let waiting = waits(ledger.claim(&[(b, 1)], &under(first)));
    let refused = ledger.claim(&[(a, 1)], &under(second));
    let text = refused.as_ref().unwrap_err().to_string();
    assert_eq!(
        text,
        "the claim would wait for ever: ticket 1.0 has 1 of resource 1 and wants 1 of resource 0, \
         ticket 0.0 has 1 of resource 0 and wants 1 of resource 1"
    );
    let links = cycle(refused);
    let seen = |link: &Link| (link.lease, link.holds, link.claim, link.wants);
    assert_eq!(seen(&links[0]), (second, (b, 1), None, (a, 1)));
    assert_eq!(seen(&links[1]), (first, (a, 1), Some(waiting), (b, 1)));
    assert_eq!(links.len(), 2);
    ledger.release(second).unwrap();
    assert_eq!(events(&mut ledger), [Event::Granted(waiting)]);
}

#[test]
fn three_owners_in_a_ring_are_a_deadlock() {
    let (mut ledger, ids @ [a, ..]) = single::<3>(fair());
    let owners = ids.map(|id| hold(&mut ledger, &[(id, 1)]));
    waits(ledger.claim(&[(ids[1], 1)], &under(owners[0])));
    waits(ledger.claim(&[(ids[2], 1)], &under(owners[1])));
    let links = cycle(ledger.claim(&[(a, 1)], &under(owners[2])));
    let leases: Vec<Ticket> = links.iter().map(|link| link.lease).collect();
    assert_eq!(leases, [owners[2], owners[0], owners[1]]);
}

#[test]
fn what_a_lease_holds_itself_cannot_come_to_a_claim_under_it() {
    let (mut ledger, [a]) = permits(fair(), [3]);
    let owner = hold(&mut ledger, &[(a, 2)]);
    let links = cycle(ledger.claim(&[(a, 2)], &under(owner)));
    assert_eq!((links.len(), links[0].lease, links[0].holds), (1, owner, (a, 2)));
    granted(ledger.claim(&[(a, 1)], &under(owner)));
}

#[test]
fn a_circle_through_the_lease_of_a_claim_under_a_lease_is_found() {
    let (mut ledger, [a, b, c]) = single(fair());
    let top = hold(&mut ledger, &[(a, 1)]);
    let below = granted(ledger.claim(&[(b, 1)], &under(top)));
    let other = hold(&mut ledger, &[(c, 1)]);
    waits(ledger.claim(&[(a, 1)], &under(other)));
    let links = cycle(ledger.claim(&[(c, 1)], &under(below)));
    assert_eq!((links[0].lease, links[0].holds), (top, (a, 1)), "what stands above waits too");
    assert_eq!(links[1].lease, other);
}

#[test]
fn while_one_of_several_holders_can_end_nobody_is_refused() {
    let (mut ledger, [a, b]) = permits(fair(), [2, 1]);
    let stuck = hold(&mut ledger, &[(a, 1)]);
    let free = hold(&mut ledger, &[(a, 1)]);
    let owner = hold(&mut ledger, &[(b, 1)]);
    waits(ledger.claim(&[(b, 1)], &under(stuck)));
    let waiting = waits(ledger.claim(&[(a, 1)], &under(owner)));
    ledger.release(free).unwrap();
    assert_eq!(events(&mut ledger), [Event::Granted(waiting)]);
}

#[test]
fn the_last_holder_that_could_end_makes_the_deadlock_by_waiting_too() {
    let (mut ledger, [a, b]) = permits(fair(), [2, 1]);
    let owners = [hold(&mut ledger, &[(a, 1)]), hold(&mut ledger, &[(a, 1)])];
    let other = hold(&mut ledger, &[(b, 1)]);
    waits(ledger.claim(&[(b, 1)], &under(owners[0])));
    waits(ledger.claim(&[(a, 1)], &under(other)));
    assert_eq!(cycle(ledger.claim(&[(b, 1)], &under(owners[1]))).len(), 2);
}

#[test]
fn claims_side_by_side_under_one_lease_wait_for_each_other() {
    let (mut ledger, [a, b]) = single(fair());
    let owner = hold(&mut ledger, &[(a, 1)]);
    let child = granted(ledger.claim(&[(b, 1)], &under(owner)));
    let sibling = waits(ledger.claim(&[(b, 1)], &under(owner)));
    ledger.release(child).unwrap();
    assert_eq!(events(&mut ledger), [Event::Granted(sibling)]);
}

#[test]
fn a_lease_with_a_time_to_live_is_no_deadlock() {
    let (mut ledger, [a, b]) = single(fair());
    let mortal = ClaimOptions { ttl: SECOND, ..ClaimOptions::default() };
    let first = granted(ledger.claim(&[(a, 1)], &mortal));
    let second = hold(&mut ledger, &[(b, 1)]);
    let orphan = waits(ledger.claim(&[(b, 1)], &under(first)));
    let served = waits(ledger.claim(&[(a, 1)], &under(second)));
    ledger.advance(Time::ZERO + SECOND);
    assert_eq!(events(&mut ledger), [Event::Lapsed(first), Event::Granted(served)]);
    ledger.cancel_all([served, second]);
    assert_eq!(events(&mut ledger), [Event::Granted(orphan)]);
}

#[test]
fn a_wait_with_a_deadline_is_no_deadlock_for_others_but_no_excuse_for_itself() {
    let (mut ledger, [a, b]) = single(fair());
    let first = hold(&mut ledger, &[(a, 1)]);
    let second = hold(&mut ledger, &[(b, 1)]);
    let bounded = |owner| ClaimOptions { deadline: Time::ZERO + SECOND, ..under(owner) };
    let expires = waits(ledger.claim(&[(b, 1)], &bounded(first)));
    let waiting = waits(ledger.claim(&[(a, 1)], &under(second)));
    ledger.advance(Time::ZERO + SECOND);
    assert_eq!(events(&mut ledger), [Event::Expired(expires)]);
    cycle(
        ledger
            .claim(&[(b, 1)], &ClaimOptions { deadline: Time::ZERO + 9 * SECOND, ..under(first) }),
    );
    ledger.release(first).unwrap();
    assert_eq!(events(&mut ledger), [Event::Granted(waiting)]);
}

#[test]
fn time_frees_a_bucket_and_a_pause() {
    let (mut ledger, [a]) = single(fair());
    let limit = Limit::token_bucket(Rate::per_second(1.0).unwrap(), 1).unwrap();
    let bucket = ledger.define("bucket", limit).unwrap();
    let first = hold(&mut ledger, &[(bucket, 1)]);
    let second = hold(&mut ledger, &[(a, 1)]);
    let for_permit = waits(ledger.claim(&[(a, 1)], &under(first)));
    let for_units = waits(ledger.claim(&[(bucket, 1)], &under(second)));
    ledger.advance(Time::ZERO + SECOND);
    assert_eq!(events(&mut ledger), [Event::Granted(for_units)]);
    ledger.cancel_all([for_units, second, for_permit, first]);
    events(&mut ledger);
    let owner = hold(&mut ledger, &[(a, 1)]);
    ledger.pause(bucket, Time::NEVER).unwrap();
    waits(ledger.claim(&[(bucket, 1)], &under(owner)));
}

#[test]
fn giving_back_a_part_resolves_what_would_be_a_deadlock() {
    let (mut ledger, [a, b, c]) = permits(fair(), [2, 1, 1]);
    let first = hold(&mut ledger, &[(a, 2), (b, 1)]);
    let second = hold(&mut ledger, &[(c, 1)]);
    let waiting = waits(ledger.claim(&[(c, 1)], &under(first)));
    assert_eq!(cycle(ledger.claim(&[(a, 1)], &under(second))).len(), 2);
    ledger.release_part(first, &[(a, 1)]).unwrap();
    let other = hold(&mut ledger, &[(a, 1)]);
    let served = waits(ledger.claim(&[(a, 1)], &under(second)));
    ledger.release(other).unwrap();
    assert_eq!(events(&mut ledger), [Event::Granted(served)]);
    assert_eq!(cycle(ledger.claim(&[(b, 1)], &under(second))).len(), 2);
    ledger.cancel(waiting).unwrap();
    waits(ledger.claim(&[(b, 1)], &under(second)));
}

#[test]
fn a_resource_that_shrinks_can_bring_a_deadlock_about_and_the_newest_is_rejected() {
    let (mut ledger, [a, b, c]) = permits(fair(), [2, 2, 1]);
    let owners = [a, b].map(|id| hold(&mut ledger, &[(id, 1)]));
    let others = [a, b].map(|id| hold(&mut ledger, &[(id, 1)]));
    let first = waits(ledger.claim(&[(b, 1)], &under(owners[0])));
    let second = waits(ledger.claim(&[(a, 1)], &under(owners[1])));
    // Waits for those two, but nobody waits for it.
    let outside = hold(&mut ledger, &[(c, 1)]);
    let bystander = waits(ledger.claim(&[(a, 1)], &under(outside)));
    ledger.resize(a, Limit::semaphore(1).unwrap()).unwrap();
    assert_eq!(events(&mut ledger), [], "the other holder of b can still end");
    ledger.resize(b, Limit::semaphore(1).unwrap()).unwrap();
    assert_eq!(events(&mut ledger), [Event::Rejected(second, Rejection::Deadlock)]);
    ledger.cancel_all(others);
    ledger.release(owners[1]).unwrap();
    assert_eq!(events(&mut ledger), [Event::Granted(first)]);
    ledger.cancel_all([first, owners[0]]);
    assert_eq!(events(&mut ledger), [Event::Granted(bystander)]);
}

#[test]
fn a_claim_under_a_lease_goes_before_all_others_by_arrival() {
    for order in [Order::Fair, Order::Newest] {
        let (mut ledger, [a, b]) = permits(Policy { order, ..fair() }, [1, 2]);
        let holder = hold(&mut ledger, &[(a, 1)]);
        let owner = hold(&mut ledger, &[(b, 1)]);
        let urgent = ClaimOptions { priority: i32::MAX, ..ClaimOptions::default() };
        let urgent = waits(ledger.claim(&[(a, 1)], &urgent));
        let first = waits(ledger.claim(&[(a, 1)], &under(owner)));
        let hurried = ClaimOptions { priority: 7, ..under(owner) };
        let second = waits(ledger.claim(&[(a, 1)], &hurried));
        let third = waits(ledger.claim(&[(a, 1)], &under(owner)));
        ledger.set_priority(third, 9).unwrap();
        let positions = [first, second, third, urgent].map(|ticket| ledger.position(ticket));
        assert_eq!(positions, [Ok(0), Ok(1), Ok(2), Ok(3)], "{order:?}");
        ledger.release(holder).unwrap();
        for ticket in [first, second, third, urgent] {
            assert_eq!(events(&mut ledger), [Event::Granted(ticket)], "{order:?}");
            ledger.release(ticket).unwrap();
        }
    }
}

#[test]
fn no_barrier_keeps_what_a_lease_needs_that_it_waits_for() {
    for order in [Order::Fair, Order::Newest] {
        let policy = Policy { order, max_bypass: Some(0), ..fair() };
        let (mut ledger, [a, b]) = permits(policy, [2, 1]);
        let owner = hold(&mut ledger, &[(a, 1)]);
        let everything = waits(ledger.claim(&[(a, 2), (b, 1)], &ClaimOptions::default()));
        assert_eq!(ledger.try_claim(&[(a, 1)], &ClaimOptions::default()), Ok(None), "{order:?}");
        let child = granted(ledger.claim(&[(a, 1), (b, 1)], &under(owner)));
        ledger.cancel_all([child, owner]);
        assert_eq!(events(&mut ledger), [Event::Granted(everything)], "{order:?}");
    }
}

#[test]
fn a_passed_claim_under_a_lease_becomes_a_barrier_for_others_only() {
    for order in [Order::Fair, Order::Newest] {
        let (mut ledger, [a, b]) = permits(Policy { order, max_bypass: Some(1), ..fair() }, [2, 1]);
        let owner = hold(&mut ledger, &[(b, 1)]);
        let holders = [(); 2].map(|()| hold(&mut ledger, &[(a, 1)]));
        let all = waits(ledger.claim(&[(a, 2)], &under(owner)));
        ledger.release(holders[0]).unwrap();
        let passer = hold(&mut ledger, &[(a, 1)]);
        ledger.release(passer).unwrap();
        let few = waits(ledger.claim(&[(a, 1)], &ClaimOptions::default()));
        let sibling = granted(ledger.claim(&[(a, 1)], &under(owner)));
        ledger.release(sibling).unwrap();
        ledger.release(holders[1]).unwrap();
        assert_eq!(events(&mut ledger), [Event::Granted(all)], "{order:?}");
        ledger.release(all).unwrap();
        assert_eq!(events(&mut ledger), [Event::Granted(few)], "{order:?}");
    }
}

#[test]
fn an_orphan_keeps_its_place_and_nobody_waits_for_it() {
    let (mut ledger, [a, b]) = single(fair());
    let holder = hold(&mut ledger, &[(a, 1)]);
    let owner = hold(&mut ledger, &[(b, 1)]);
    let ordinary = waits(ledger.claim(&[(a, 1)], &ClaimOptions::default()));
    let orphan = waits(ledger.claim(&[(a, 1)], &under(owner)));
    ledger.release(owner).unwrap();
    let status = ledger.claims().into_iter().find(|claim| claim.ticket == orphan).unwrap();
    assert_eq!((status.owner, status.nested), (None, true));
    let mut ledger = Ledger::restore(&ledger.snapshot()).unwrap();
    ledger.release(holder).unwrap();
    assert_eq!(events(&mut ledger), [Event::Granted(orphan)]);
    ledger.release(orphan).unwrap();
    assert_eq!(events(&mut ledger), [Event::Granted(ordinary)]);
}

#[test]
fn a_restored_ledger_knows_who_stands_under_whom() {
    let (mut ledger, [a, b]) = single(fair());
    let first = hold(&mut ledger, &[(a, 1)]);
    let second = hold(&mut ledger, &[(b, 1)]);
    waits(ledger.claim(&[(b, 1)], &under(first)));
    let mut restored = Ledger::restore(&ledger.snapshot()).unwrap();
    let refused = restored.claim(&[(a, 1)], &under(second));
    assert_eq!(refused, ledger.claim(&[(a, 1)], &under(second)));
    assert_eq!(cycle(refused).len(), 2);
}

#[test]
fn only_a_lease_can_be_an_owner() {
    let (mut ledger, [a]) = single(fair());
    let holder = hold(&mut ledger, &[(a, 1)]);
    let waiting = waits(ledger.claim(&[(a, 1)], &ClaimOptions::default()));
    let before = ledger.claims();
    let refused = ledger.claim(&[(a, 1)], &under(waiting));
    assert_eq!(refused, Err(ClaimError::OwnerIsNoLease(waiting)));
    assert_eq!(ledger.claims(), before);
    ledger.release(holder).unwrap();
    let refused = ledger.try_claim(&[(a, 1)], &under(holder));
    assert_eq!(refused, Err(ClaimError::OwnerIsNoLease(holder)));
    assert_eq!(ledger.release(holder), Err(TicketError::Unknown));
}

#[test]
fn what_is_refused_or_not_granted_leaves_no_trace_under_the_lease() {
    let (mut ledger, [a, b]) = single(Policy { max_waiting: Some(0), ..fair() });
    let first = hold(&mut ledger, &[(a, 1)]);
    let second = hold(&mut ledger, &[(b, 1)]);
    let before = ledger.claims();
    assert_eq!(ledger.try_claim(&[(b, 1)], &under(first)), Ok(None));
    let refused = ledger.claim(&[(b, 1)], &under(first));
    assert_eq!(refused, Err(ClaimError::QueueFull { max_waiting: 0 }));
    assert_eq!(ledger.claims(), before);
    ledger.cancel_all([first, second]);
    ledger.close(Close::Drain);
    assert!(ledger.is_idle());
}
