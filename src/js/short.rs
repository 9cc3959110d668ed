//! The path that most claims and releases take, for the exports in `js/wasm/short`.
//!
//! Apart from the others because it is compiled apart: as part of that package, for speed, where all
//! else is compiled for size. So everything on the short way has to be inlined into these.

use super::calls::{face, pair};
use super::face::{Face, Refusal, number, ticket};

/// Claims without options, the short way. -1 says nothing: then it is for `put` and `claim_put` or `try_put`.
///
/// # Safety
///
/// The pointer is one that `create` gave and `destroy` has not had, and nobody else uses it now.
#[allow(unsafe_code)]
#[inline(always)]
pub unsafe fn claim_short<const N: usize>(pointer: *mut Face, demand: [(u32, f64); N]) -> f64 {
    // SAFETY: the caller's promise.
    let face = unsafe { face(pointer) };
    let demand = demand.map(|(id, units)| pair(id, units));
    face.ledger.claim_plainly(&demand, 0).map_or(-1.0, number)
}

/// Ends a lease.
///
/// # Safety
///
/// As for [`claim_short`].
#[allow(unsafe_code)]
#[inline(always)]
pub unsafe fn release_short(pointer: *mut Face, lease: f64) -> f64 {
    // SAFETY: the caller's promise.
    let face = unsafe { face(pointer) };
    if face.ledger.release_plainly(ticket(lease)) { -1.0 } else { release_anyhow(face, lease) }
}

#[inline(never)]
fn release_anyhow(face: &mut Face, lease: f64) -> f64 {
    let result = face.ledger.release_anyhow(ticket(lease)).map_err(Refusal::Ticket);
    face.done_or(result)
}
