//! Operations of the whole warp and asynchronous ones: run by the warp, with what the sanitizer has to know.

use super::exec::access::Memories;
use super::exec::addresses::{Addresses, Wrong, count_access, count_range, window};
use super::exec::asynchronous::{Asynchronous, at};
use super::exec::bulk::{Bulk, Stage, Transfer};
use super::exec::matrix::Matrix;
use super::exec::peers::offset;
use super::exec::{Event, Watch};
use super::fault::{Completion, Misdeed};
use super::op::{Address, Order, Space};
use super::profile::Traffic;
use super::program::Kernel;
use super::registers::{FULL, Registers, Slot, lanes};
use super::sanitize::{Check, Kind, Targets, check_access};
use super::warp::{State, Warp};

/// As many elements of 8 or 4 bytes as an access has: what is in them does not matter here.
fn shape_of(bytes: u32) -> (u32, &'static [Slot]) {
    const SLOTS: &[Slot] = &[Slot(0); 2];
    match bytes {
        16 => (8, SLOTS),
        8 => (8, &SLOTS[..1]),
        _ => (4, &SLOTS[..1]),
    }
}

impl Warp {
    /// Counts what an event moves: rows of matrices, and asynchronous copies, which count where they are issued.
    pub(crate) fn count(&self, event: &Event, kernel: &Kernel, traffic: &mut Traffic) {
        match *event {
            // Lanes that come first wait, and come again.
            Event::Matrix { lanes: on, index } if on == self.live => {
                if let Some((address, rows, _)) = kernel.matrices[index as usize].rows() {
                    count_access(&self.registers, rows & on, address, 16, traffic);
                }
            }
            Event::Asynchronous { lanes: on, index } => match &kernel.asynchronous[index as usize] {
                Asynchronous::Copy { to, from, bytes, .. } => {
                    count_access(&self.registers, on, from, *bytes, traffic);
                    count_access(&self.registers, on, to, *bytes, traffic);
                }
                Asynchronous::Bulk(Bulk { to, from, bytes, .. }) => {
                    for lane in lanes(on) {
                        let count = u64::from(self.registers.w[bytes.index()][lane]);
                        for address in [from, to] {
                            let start = at(&self.registers, address, lane);
                            count_range(address.space, start, count, traffic);
                        }
                    }
                }
                Asynchronous::Commit
                | Asynchronous::Wait { .. }
                | Asynchronous::WaitAll
                | Asynchronous::Tensor(_)
                | Asynchronous::Store(_)
                | Asynchronous::CommitBulk
                | Asynchronous::WaitBulk { .. }
                | Asynchronous::Barrier { .. }
                | Asynchronous::ArriveOnCopies { .. }
                | Asynchronous::PendingCount { .. } => {}
            },
            Event::Matrix { .. }
            | Event::Switched { .. }
            | Event::Called { .. }
            | Event::Returned { .. }
            | Event::Reschedule
            | Event::Diverged { .. }
            | Event::Exited { .. }
            | Event::AwaitsMembers { .. }
            | Event::Cluster { .. }
            | Event::Warpgroup { .. }
            | Event::Barrier { .. } => {}
        }
    }

    /// Lets the sanitizer look at a read, or at an atomic access; the lanes whose access is legal.
    fn look(
        &self,
        watch: &mut Watch<'_, '_>,
        memories: &Memories<'_>,
        pc: usize,
        on: u32,
        (address, bytes, atomic): (&Address, u32, bool),
        targets: Targets,
    ) -> u32 {
        let (size, values) = shape_of(bytes);
        let (kind, order) = match atomic {
            true => (Kind::Atomic, Order::ACQUIRE.and(Order::RELEASE)),
            false => (Kind::Load, Order::WEAK),
        };
        let check = Check { kind, address, size, values, targets, order };
        let addresses = Addresses::compute(&self.registers, on, address, bytes);
        check_access(watch.checks, (&self.registers, &addresses), memories, watch.warp, on, &check, pc).lanes
    }

    /// An operation of the whole warp: lanes that come first wait for the others.
    pub(crate) fn matrix(
        &mut self,
        index: usize,
        on: u32,
        which: u32,
        kernel: &Kernel,
        memories: &mut Memories<'_>,
        watch: Option<&mut Watch<'_, '_>>,
    ) -> Result<(), Wrong> {
        if on != self.live {
            self.wait(index, on, State::Members);
            return Ok(());
        }
        if on != FULL {
            let missing = !on;
            return Err(Box::new((on.trailing_zeros() as usize, Misdeed::PartialWarp { missing })));
        }
        let matrix = &kernel.matrices[which as usize];
        let pc = self.groups[index].pc;
        let Some(watch) = watch else {
            matrix.run(&mut self.registers, memories)?;
            self.products.begun += u64::from(matches!(matrix, Matrix::Group(_)));
            self.groups[index].pc += 1;
            return Ok(());
        };
        if let Some((address, row_lanes, false)) = matrix.rows() {
            self.look(watch, memories, pc, row_lanes, (address, 16, false), Targets::Followed);
        }
        let Watch { checks, warp } = watch;
        checks.follow_matrix(&self.registers, memories, *warp, pc, matrix);
        if let Some((address, row_lanes, true)) = matrix.rows() {
            for lane in lanes(row_lanes) {
                checks.stores_row(*warp, lane, pc, shared_address(&self.registers, address, lane));
            }
        }
        matrix.run(&mut self.registers, memories)?;
        self.products.begun += u64::from(matches!(matrix, Matrix::Group(_)));
        if let Matrix::Store { address, transposed, sources } = matrix {
            for lane in lanes(matrix.rows().map_or(0, |(_, lanes, _)| lanes)) {
                let start = shared_address(&self.registers, address, lane);
                checks.written_shared(*warp, lane, pc, start, 16);
            }
            checks.stored_matrix(&self.registers, memories, *warp, pc, (address, sources, *transposed));
        }
        self.groups[index].pc += 1;
        Ok(())
    }

    /// An asynchronous operation.
    pub(crate) fn asynchronous(
        &mut self,
        index: usize,
        on: u32,
        which: u32,
        kernel: &Kernel,
        memories: &mut Memories<'_>,
        watch: Option<&mut Watch<'_, '_>>,
    ) -> Result<(), Wrong> {
        let what = &kernel.asynchronous[which as usize];
        let pc = self.groups[index].pc;
        let mut written = Vec::new();
        match watch {
            None => what.run(&mut self.registers, memories, on, &mut written)?,
            Some(watch) => {
                // Bytes that others learn of by the barrier are written before they can test it.
                what.deliver(&self.registers, memories, on)?;
                watch_transfers(watch, memories, pc);
                if let Some((address, used)) = what.barrier() {
                    for lane in lanes(on) {
                        let place = offset(address.space, at(&self.registers, address, lane));
                        if memories.elsewhere(place).is_none() {
                            let place = memories.own_offset(place);
                            watch.checks.use_barrier(watch.warp, lane, pc, place, used);
                        }
                    }
                }
                let is_init = what.initializes();
                if let Some((address, bytes, writes)) = what.accesses()
                    && !is_init
                {
                    // Of part of a vector the largest access inside of it; running the copy finds what of the rest is out of bounds.
                    let accessed = |lane| match what.accessed(&self.registers, lane, bytes) {
                        0 => 0,
                        part if part < bytes => 1 << part.ilog2(),
                        _ => bytes,
                    };
                    let mut rest = on;
                    while rest != 0 {
                        let part = accessed(rest.trailing_zeros() as usize);
                        let alike = lanes(rest)
                            .filter(|lane| accessed(*lane) == part)
                            .fold(0, |all, lane| all | 1 << lane);
                        if part > 0 {
                            self.look(watch, memories, pc, alike, (address, part, writes), Targets::Nowhere);
                        }
                        rest &= !alike;
                    }
                }
                if let Some((address, ..)) = what.accesses().filter(|_| is_init) {
                    for lane in lanes(on) {
                        written.push((lane, shared_address(&self.registers, address, lane), 8));
                    }
                }
                what.run(&mut self.registers, memories, on, &mut written)?;
                if let Asynchronous::Copy { to, bytes, .. } = what {
                    for lane in lanes(on) {
                        let start = shared_address(&self.registers, to, lane);
                        let way = Completion::Group;
                        watch.checks.copy_started(
                            watch.warp,
                            lane,
                            pc,
                            (start, u64::from(*bytes)),
                            way,
                            true,
                        );
                    }
                }
                let completes = what.completes();
                for (lane, start, bytes) in written {
                    match completes {
                        true => watch.checks.copy_done(watch.warp, lane, start, bytes),
                        false => watch.checks.written_shared(watch.warp, lane, pc, start, bytes),
                    }
                }
                watch_transfers(watch, memories, pc);
            }
        }
        self.note_polls(on, pc, memories);
        self.groups[index].pc += 1;
        Ok(())
    }
}

/// Reports the effects of bulk copies to the sanitizer.
fn watch_transfers(watch: &mut Watch<'_, '_>, memories: &mut Memories<'_>, pc: usize) {
    // The order between the blocks of a cluster is not followed that far.
    let alone = memories.peers.blocks.is_empty();
    let Watch { checks, warp, .. } = watch;
    for Transfer { lane, start, bytes, stage } in memories.transfers.drain(..) {
        match stage {
            Stage::Coming => {
                checks.copy_started(*warp, lane, pc, (start, bytes), Completion::Barrier, alone);
            }
            Stage::Came => checks.copy_came(*warp, lane, start, bytes),
            Stage::Leaving => checks.source_in_use(*warp, lane, pc, start, bytes),
            Stage::Left => checks.source_free(*warp, lane, start, bytes),
        }
    }
}

/// The offset in shared memory of a lane's address.
fn shared_address(registers: &Registers, address: &Address, lane: usize) -> u64 {
    let address_there = at(registers, address, lane);
    match address.space {
        Space::Generic => address_there.wrapping_sub(window(Space::Shared)),
        _ => address_there,
    }
}
