//! The exports that nearly every call is. A package of its own because it is compiled for speed, and all
//! else in the .wasm for size.
//!
//! The first parameter is the ledger's pointer, which the package keeps to itself: it comes from `create`,
//! is dropped by `destroy` once the object that has it is gone, and no call runs JavaScript in between.
#![no_std]

use bursar::js::{Face, claim_short, release_short};
use wasm_bindgen::prelude::wasm_bindgen;

macro_rules! exports {
    ($($(#[$meta:meta])* fn $name:ident($ledger:ident $(, $arg:ident: $type:ty)*) = $call:expr;)*) => {$(
        $(#[$meta])*
        #[wasm_bindgen]
        #[allow(clippy::not_unsafe_ptr_arg_deref, clippy::many_single_char_names)]
        pub fn $name($ledger: *mut Face $(, $arg: $type)*) -> i32 {
            // SAFETY: see the head of the file.
            unsafe { $call }
        }
    )*};
}

exports! {
    /// Claims one resource, the short way; -1 says nothing.
    fn claim1(ledger, a: u32, x: f64) = claim_short(ledger, [(a, x)]);

    /// Claims two resources.
    fn claim2(ledger, a: u32, x: f64, b: u32, y: f64) = claim_short(ledger, [(a, x), (b, y)]);

    /// Claims three resources.
    fn claim3(ledger, a: u32, x: f64, b: u32, y: f64, c: u32, z: f64) =
        claim_short(ledger, [(a, x), (b, y), (c, z)]);

    /// Ends a lease.
    fn release(ledger, slot: u32) = release_short(ledger, slot);
}
