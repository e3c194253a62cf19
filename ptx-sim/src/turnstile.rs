//! The order of what blocks do to each other: pieces of the grid run in parallel, until one must be the first that is left.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

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
    /// Workers that may change memory: neither waiting here, nor in loops that see the same for ever, nor at their end.
    running: usize,
    /// Workers whose piece loops without an effect, and those of them for whom this holds since the last change of who runs.
    looping: usize,
    confirmed: usize,
    /// Number of changes of who runs.
    changes: u64,
}

impl Progress {
    fn change(&mut self, running: isize) {
        self.running = self.running.saturating_add_signed(running);
        self.changes += 1;
        self.confirmed = 0;
    }
}

/// A worker whose piece may loop without an effect.
#[derive(Debug, Default)]
pub(crate) struct Looping {
    /// It does not count as running.
    entered: bool,
    /// The last change after which it was found to loop still.
    confirmed: Option<u64>,
}

/// A piece of work that is being done; it is done when this is dropped.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    turnstile: &'a Turnstile,
    ticket: u64,
}

impl Turnstile {
    /// A worker begins. Those that have not begun do not count as running: nobody knows when they will.
    pub(crate) fn join(&self) {
        self.lock().change(1);
    }

    /// A worker has no more pieces.
    pub(crate) fn leave(&self) {
        self.lock().change(-1);
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn enter(&self, ticket: u64) -> Entry<'_> {
        Entry { turnstile: self, ticket }
    }
}

impl Entry<'_> {
    /// Waits until all pieces with lower tickets are done.
    pub(crate) fn be_first(&self) {
        let mut progress = self.turnstile.lock();
        if progress.first >= self.ticket {
            return;
        }
        progress.change(-1);
        while progress.first < self.ticket {
            progress = self.turnstile.changed.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
        progress.change(1);
    }

    /// The number of times that it has changed who runs.
    pub(crate) fn changes(&self) -> u64 {
        self.turnstile.lock().changes
    }

    /// Returns true if other workers may change memory.
    pub(crate) fn others_run(&self, looping: &Looping) -> bool {
        self.turnstile.lock().running > usize::from(!looping.entered)
    }

    /// The piece is in the state in which it was when it had changed so often who runs, and nothing has had an effect since: whether
    /// this is so for ever, as nobody runs who could change anything.
    pub(crate) fn loops(&self, looping: &mut Looping, since: u64) -> bool {
        let mut progress = self.turnstile.lock();
        if !std::mem::replace(&mut looping.entered, true) {
            progress.looping += 1;
            progress.change(-1);
            return false;
        }
        if since == progress.changes && looping.confirmed != Some(since) {
            looping.confirmed = Some(since);
            progress.confirmed += 1;
        }
        progress.running == 0 && progress.confirmed == progress.looping
    }

    /// The piece goes on, or is at its end.
    pub(crate) fn goes_on(&self, looping: &mut Looping) {
        if std::mem::take(looping).entered {
            let mut progress = self.turnstile.lock();
            progress.looping -= 1;
            progress.change(1);
        }
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        let mut progress = self.turnstile.lock();
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
