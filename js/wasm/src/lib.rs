//! The .wasm inside the npm package. What it exports is in the crate's `js` module, compiled for size,
//! but for the short way of a claim, which is compiled for speed: `bursar_wasm_short`.
//!
//! Without the standard library, whose panic messages and allocator would make it half as large again.
//! A panic is a bug of bursar's; it traps, and the engine's stack names the function.
#![cfg_attr(target_arch = "wasm32", no_std)]

pub use bursar::js::*;
pub use bursar_wasm_short::*;

#[cfg(target_arch = "wasm32")]
mod runtime {
    use talc::wasm::{WasmDynamicTalc, new_wasm_dynamic_allocator};

    // SAFETY: the module has one thread: it is built without shared memory.
    #[global_allocator]
    static ALLOCATOR: WasmDynamicTalc = unsafe { new_wasm_dynamic_allocator() };

    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
        core::arch::wasm32::unreachable()
    }
}
