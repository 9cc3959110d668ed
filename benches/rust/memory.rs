//! What a waiting claim costs in memory, by an allocator that counts.
//!
//! Bytes as they were asked for, without what an allocator adds for itself: those in use with the whole
//! line parked, and the most there were on the way. Vectors grow by doubling, so they hold up to twice
//! what they need.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use bursar::ledger::{ClaimOptions, Policy};

use self::common::demands::Variety;
use self::common::queue::{self, Queue};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn add(bytes: usize) {
    PEAK.fetch_max(NOW.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: everything is the system's allocator, which keeps the contract; nothing is changed on the way.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above, and `at` came from the system's allocator.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old and the new are there at once while what is in them moves.
        add(size);
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes a claim: in use while `count` wait, and the most there were while they came.
struct Weight {
    what: String,
    count: u32,
    in_use: usize,
    at_most: usize,
}

fn weigh<T>(what: String, count: u32, make: impl FnOnce() -> T) -> Weight {
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    let made = make();
    let each = |bytes: &AtomicUsize| (bytes.load(Relaxed) - before) / count as usize;
    let (in_use, at_most) = (each(&NOW), each(&PEAK));
    drop(made);
    Weight { what, count, in_use, at_most }
}

fn ledger(variety: Variety, prioritised: bool, count: u32) -> Weight {
    let (mut ledger, mut wants) = variety.workload(Policy::default(), prioritised);
    let with = if prioritised { ", priorities" } else { "" };
    weigh(format!("ledger, {}{with}", variety.name()), count, move || {
        while ledger.waiting() < count {
            let want = wants();
            let options = ClaimOptions { priority: want.priority, ..ClaimOptions::default() };
            ledger.claim(want.demand(), &options).unwrap();
        }
        ledger
    })
}

/// With the future, its box and its place in a list.
fn futures<F: Future>(peer: &str, count: u32, make: fn(u32) -> Queue<F>) -> Weight {
    let weight = weigh(format!("futures, {peer}"), count, || make(count));
    assert!(weight.in_use > 8);
    weight
}

fn all() -> Vec<Weight> {
    let mut weights = Vec::new();
    for count in common::sizes().filter(|&size| size == common::most() || size == 100_000) {
        for variety in Variety::ALL {
            weights.push(ledger(variety, false, count));
        }
        weights.push(ledger(Variety::Endless, true, count));
        weights.push(futures("bursar", count, queue::of_bursar));
        weights.push(futures("tokio", count, queue::of_tokio));
    }
    weights
}

fn main() {
    let mut free = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).peekable();
    let chosen = free.peek().is_none() || free.any(|filter| "memory".contains(&*filter));
    if !chosen || std::env::args().any(|arg| arg == "--list") {
        return;
    }
    println!("bytes a waiting claim          waiting   in use  at most");
    let mut lines = Vec::new();
    for Weight { what, count, in_use, at_most } in all() {
        println!("{what:28} {count:9} {in_use:8} {at_most:8}");
        lines.push(format!("  \"memory, {what}/{count}\": {in_use}"));
    }
    // For the summary.
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/memory.json");
    std::fs::write(path, format!("{{\n{}\n}}\n", lines.join(",\n"))).unwrap();
}
