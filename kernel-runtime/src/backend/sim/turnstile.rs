//! The order of what blocks do to each other: pieces of the grid run in parallel, until one must be the first that is left.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, PoisonError};

/// Pieces of work with tickets 0, 1, …, handed out in this order. Whoever has the lowest ticket that is not done never
/// waits, so that waiting for all lower ones always ends.
#[derive(Debug, Default)]
pub(crate) struct Turnstile {
    progress: Mutex<Progress>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Progress {
    /// Every ticket below is done.
    first: u64,
    /// Those above that are done.
    done: BTreeSet<u64>,
}

/// A piece of work that is being done; it is done when this is dropped.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    turnstile: &'a Turnstile,
    ticket: u64,
}

impl Turnstile {
    pub(crate) fn enter(&self, ticket: u64) -> Entry<'_> {
        Entry { turnstile: self, ticket }
    }
}

impl Entry<'_> {
    /// Waits until all pieces with lower tickets are done.
    pub(crate) fn be_first(&self) {
        let mut progress = self.turnstile.progress.lock().unwrap_or_else(PoisonError::into_inner);
        while progress.first < self.ticket {
            progress = self.turnstile.changed.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        let mut progress = self.turnstile.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.done.insert(self.ticket);
        while let Some(&least) = progress.done.first()
            && least == progress.first
        {
            progress.done.pop_first();
            progress.first += 1;
        }
        self.turnstile.changed.notify_all();
    }
}
