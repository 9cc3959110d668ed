//! What a refusal for a deadlock must say: a circle that is really there, and begins with the claim refused.

use bursar::ledger::{Deadlock, Ledger, Link, ResourceId, Ticket, TicketStatus};

/// Panics unless each link's lease lasts, holds what the link before wants, and waits for its claim.
pub(crate) fn check(
    ledger: &Ledger,
    owner: Ticket,
    demand: &[(ResourceId, u64)],
    deadlock: &Deadlock,
) {
    let claims = ledger.claims();
    let find = |ticket| claims.iter().find(|claim| claim.ticket == ticket).expect("it is live");
    let cycle = &deadlock.cycle;
    assert!(!cycle.is_empty());
    for (place, link) in cycle.iter().enumerate() {
        let Link { lease, holds, claim, wants, .. } = *link;
        let next = cycle[(place + 1) % cycle.len()];
        assert_eq!(wants.0, next.holds.0, "{deadlock:?}");
        let lease = find(lease);
        assert_eq!((lease.status, lease.deadline), (TicketStatus::Granted, None), "{deadlock:?}");
        assert!(holds.1 > 0 && lease.demand.contains(&holds), "{deadlock:?}");
        assert_eq!(claim.is_none(), place == 0, "{deadlock:?}");
        let mut under = match claim {
            None => {
                assert!(demand.contains(&wants), "{deadlock:?}");
                Some(owner)
            }
            Some(claim) => {
                let claim = find(claim);
                assert_eq!((claim.status, claim.deadline), (TicketStatus::Waiting, None));
                assert!(claim.demand.contains(&wants), "{deadlock:?}");
                claim.owner
            }
        };
        while under != Some(lease.ticket) {
            under = find(under.expect("the claim is under the lease")).owner;
        }
    }
}
