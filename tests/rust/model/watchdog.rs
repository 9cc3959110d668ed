//! A call that never returns must fail the test, not hang it: the last sequence is printed, and the
//! process ends.

use std::io::{self, Write};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);

static CURRENT: Mutex<Option<(Instant, String)>> = Mutex::new(None);

/// Notes that a call begins.
pub(crate) fn begin(transcript: &[String], policy: &str) {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        std::thread::spawn(watch);
    });
    let text = format!("{policy}\n{}", transcript.join("\n"));
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), text));
}

pub(crate) fn end() {
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

fn watch() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((since, text)) = &*current
            && since.elapsed() > PATIENCE
        {
            // Not `eprintln`: what that writes in a test is lost at an abort.
            let _ = writeln!(io::stderr(), "The last of these calls does not return:\n{text}");
            std::process::abort();
        }
    }
}
