//! Threads and tasks share three database connections and an API that allows twenty calls a second.
//!
//! `cargo run --example connections`

use std::thread;
use std::time::{Duration, Instant};

use bursar::{Bursar, Error, Resource};

/// What this program must not overspend.
#[derive(Clone, Copy)]
enum Limit {
    Connections,
    Api,
}

impl AsRef<str> for Limit {
    fn as_ref(&self) -> &str {
        match self {
            Limit::Connections => "connections",
            Limit::Api => "api",
        }
    }
}

fn main() -> Result<(), Error> {
    let bursar = Bursar::builder()
        .resource(Resource::semaphore(Limit::Connections, 3))
        .resource(Resource::token_bucket(Limit::Api, 20.0, 4))
        .build()?;
    let start = Instant::now();
    let say = |what: String| println!("{:>6.3} s  {what}", start.elapsed().as_secs_f64());

    thread::scope(|scope| {
        // Reports run on plain threads and need two connections for a while.
        for report in 1..=2 {
            let (bursar, say) = (&bursar, &say);
            scope.spawn(move || -> Result<(), Error> {
                let lease = bursar.claim([(Limit::Connections, 2)]).blocking()?;
                say(format!("report {report} runs on two connections"));
                thread::sleep(Duration::from_millis(150));
                lease.release()
            });
        }
        // Uploads are tasks; each needs a connection and a call, in one claim: it never holds the one
        // while it waits for the other.
        smol::block_on(async {
            let uploads = smol::Executor::new();
            let tasks: Vec<_> = (1..=12)
                .map(|upload| {
                    let (bursar, say) = (&bursar, &say);
                    uploads.spawn(async move {
                        let demand = [(Limit::Connections, 1), (Limit::Api, 1)];
                        let urgency = if upload == 12 { 10 } else { 0 };
                        let claim = bursar.claim(demand).priority(urgency);
                        let lease = claim.timeout(Duration::from_secs(5)).await?;
                        say(format!("upload {upload}"));
                        smol::Timer::after(Duration::from_millis(30)).await;
                        lease.release()
                    })
                })
                .collect();
            uploads
                .run(async {
                    for task in tasks {
                        task.await?;
                    }
                    Ok::<(), Error>(())
                })
                .await
        })
    })?;

    bursar.drain().blocking();
    say("everything has been given back".to_owned());
    Ok(())
}
