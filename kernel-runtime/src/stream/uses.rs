//! Who uses memory while the host does other things: what has to be waited for before it is used again.

use std::fmt;
use std::sync::{Arc, Mutex};

use super::inner::{Inner, Ticket};
use crate::error::Result;
use crate::gpu::lock;

/// So many streams that read are remembered before those that have ended are looked for.
const MANY: usize = 16;

/// How memory is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Read: beside others that read.
    Read,
    /// Written, or both: by nobody else.
    Write,
}

/// What streams may still be doing with a piece of memory.
///
/// A use is entered before the borrow of the memory ends that asked for it. So whoever borrows the memory exclusively finds here
/// every use that can still be going on, and whoever borrows it shared finds every write.
#[derive(Default)]
pub(crate) struct Uses {
    going_on: Mutex<GoingOn>,
}

#[derive(Default)]
struct GoingOn {
    write: Option<Use>,
    /// After the write, and not waited for by one: at most one of each stream.
    reads: Vec<Use>,
}

struct Use {
    stream: Arc<Inner>,
    ticket: Ticket,
}

impl Use {
    fn is_done(&self) -> bool {
        self.stream.is_done(self.ticket)
    }
}

impl GoingOn {
    /// What an access must not be at the same time with.
    fn conflicts(&self, access: Access) -> impl Iterator<Item = &Use> {
        let reads = match access {
            Access::Read => &[],
            Access::Write => &self.reads[..],
        };
        self.write.iter().chain(reads)
    }

    /// Forgets what an access came after.
    fn forget(&mut self, access: Access) {
        self.write = None;
        match access {
            Access::Read => {}
            Access::Write => self.reads.clear(),
        }
    }

    /// Forgets reads that are over: nobody may ever write or wait, and they keep their streams.
    fn tidy(&mut self) {
        // To look for what nobody knows to be over asks the device.
        if self.reads.len() >= MANY {
            for read in &self.reads {
                if read.stream.queue().is_idle().unwrap_or(false) {
                    let _ = read.stream.settle();
                }
            }
        }
        self.reads.retain(|read| !read.is_done() || read.stream.has_error());
    }
}

impl Uses {
    /// Makes a stream wait for what an access must not be at the same time with. What its own work comes after needs no waiting.
    pub(crate) fn order(&self, access: Access, stream: &Arc<Inner>) -> Result<()> {
        let going_on = lock(&self.going_on);
        let elsewhere = |known: &&Use| !known.is_done() && !Arc::ptr_eq(&known.stream, stream);
        for known in going_on.conflicts(access).filter(elsewhere) {
            stream.queue().wait_for(known.stream.queue())?;
        }
        Ok(())
    }

    /// Enters a use that was asked for after [`order`](Uses::order).
    pub(crate) fn enter(&self, access: Access, stream: &Arc<Inner>, ticket: Ticket) {
        let mut going_on = lock(&self.going_on);
        match access {
            Access::Read => {
                let known = going_on.reads.iter_mut().find(|read| Arc::ptr_eq(&read.stream, stream));
                match known {
                    Some(read) => read.ticket = read.ticket.max(ticket),
                    None => {
                        going_on.tidy();
                        going_on.reads.push(Use { stream: stream.clone(), ticket });
                    }
                }
            }
            Access::Write => {
                going_on.reads.clear();
                match &mut going_on.write {
                    Some(write) if Arc::ptr_eq(&write.stream, stream) => write.ticket = ticket,
                    write => *write = Some(Use { stream: stream.clone(), ticket }),
                }
            }
        }
    }

    /// Forgets what was going on before a use that has ended, which [`order`](Uses::order) made wait for it.
    pub(crate) fn ended(&self, access: Access) {
        lock(&self.going_on).forget(access);
    }

    /// Waits until the host may do such an access. The streams that were waited for tell what went wrong in them.
    ///
    /// # Errors
    /// The first of those errors; all is waited for nevertheless.
    pub(crate) fn wait(&self, access: Access) -> Result<()> {
        let streams: Vec<Arc<Inner>> =
            lock(&self.going_on).conflicts(access).map(|known| known.stream.clone()).collect();
        // Not locked: others may read meanwhile. None may write, for the caller borrows the memory.
        let mut first = Ok(());
        for stream in streams {
            first = first.and(stream.finish());
        }
        lock(&self.going_on).forget(access);
        first
    }

    /// Waits until nobody uses the memory any more. What went wrong is left for the streams to tell.
    pub(crate) fn settle(&mut self) {
        let going_on = self.going_on.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        for known in going_on.conflicts(Access::Write).filter(|known| !known.is_done()) {
            // A failure says that the device is lost, and with it the use; the stream tells of it.
            let _ = known.stream.settle();
        }
        going_on.forget(Access::Write);
    }
}

impl fmt::Debug for Uses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let going_on = lock(&self.going_on);
        f.debug_struct("Uses")
            .field("written", &going_on.write.is_some())
            .field("read_by", &going_on.reads.len())
            .finish()
    }
}
