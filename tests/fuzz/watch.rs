//! Runs cases until the time is over; one that panics or hangs leaves its text in a file.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use crate::mutate::Random;

/// Time limit of a case: thousands of times what one takes, so that a busy machine does not count as a hang.
const PATIENCE: Duration = Duration::from_secs(60);

fn setting(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|value| value.parse().unwrap_or_else(|_| panic!("{name}={value} is no number")))
}

/// Makes texts and tries them, for `FUZZ_SECONDS` or for `seconds`. Returns how many.
pub fn cases(
    what: &str,
    seconds: u64,
    mut make: impl FnMut(&mut Random) -> String,
    try_it: impl Fn(&str),
) -> u64 {
    let seconds = setting("FUZZ_SECONDS").unwrap_or(seconds);
    let seed = setting("FUZZ_SEED").unwrap_or(1);
    let started = Instant::now();
    let now: Arc<Mutex<String>> = Arc::default();
    let watched = watch(what, seed, Arc::clone(&now));
    let mut count = 0;
    while started.elapsed().as_secs() < seconds {
        let text = make(&mut Random::new(seed << 40 ^ count));
        text.clone_into(&mut now.lock().unwrap_or_else(PoisonError::into_inner));
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| try_it(&text))) {
            eprintln!("{what}: case {count} of seed {seed}: {}", keep(what, seed, &text).display());
            resume_unwind(panic);
        }
        count += 1;
        _ = watched.send(());
    }
    println!("{what}: {count} texts in {:?}", started.elapsed());
    count
}

/// Writes a text down.
fn keep(what: &str, seed: u64, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("fuzz-{what}-{seed}-{}.ptx", std::process::id()));
    _ = std::fs::write(&path, text);
    path
}

/// Ends the process if for a while nothing is sent: a thread that hangs cannot be ended otherwise.
fn watch(what: &str, seed: u64, now: Arc<Mutex<String>>) -> mpsc::Sender<()> {
    let (sender, receiver) = mpsc::channel();
    let what = what.to_owned();
    std::thread::spawn(move || {
        loop {
            match receiver.recv_timeout(PATIENCE) {
                Ok(()) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    let text = now.lock().unwrap_or_else(PoisonError::into_inner);
                    eprintln!("{what}: no end after {PATIENCE:?}: {}", keep(&what, seed, &text).display());
                    std::process::exit(1);
                }
            }
        }
    });
    sender
}
