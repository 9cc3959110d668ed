//! The path that most claims and releases take, for the exports in `js/wasm/short`.
//!
//! Apart from the others because it is compiled apart: as part of that package, for speed, where all
//! else is compiled for size. So everything on the short way has to be inlined into these.

use super::calls::face;
use super::face::{Face, NOBODY, slot};
use crate::ledger::ResourceId;

/// Claims without options, the short way. `NOBODY` says nothing: then it is for `put` and `claim_put`.
///
/// # Safety
///
/// The pointer is one that `create` gave and `destroy` has not had, and nobody else uses it now.
#[allow(unsafe_code)]
#[inline(always)]
pub unsafe fn claim_short<const N: usize>(pointer: *mut Face, demand: [(u32, f64); N]) -> i32 {
    // SAFETY: the caller's promise.
    let face = unsafe { face(pointer) };
    // The package has seen that these are whole numbers. Out of range is more than there ever is.
    let demand =
        demand.map(|(id, units)| (ResourceId::from_index(id), (units as i64).cast_unsigned()));
    face.ledger.claim_plainly(&demand, 0).map_or(NOBODY, slot)
}

/// Ends a lease.
///
/// # Safety
///
/// As for [`claim_short`].
#[allow(unsafe_code)]
#[inline(always)]
pub unsafe fn release_short(pointer: *mut Face, slot: u32) -> i32 {
    // SAFETY: the caller's promise.
    let face = unsafe { face(pointer) };
    if face.ledger.release_plainly(slot) { NOBODY } else { release_anyhow(face, slot) }
}

#[inline(never)]
fn release_anyhow(face: &mut Face, slot: u32) -> i32 {
    let result = face.ledger.release_anyhow(face.ticket(slot));
    face.done_with_ticket(result)
}
