//! The shared memory of the other blocks of a cluster.
//!
//! An address of shared memory has the rank of its block, plus one, in the bits above an offset of 24 bits; without
//! them it is of the block itself. So the addresses of a block are small numbers, and those of all ranks are inside
//! the window of generic addresses.

use super::access::Memories;
use super::addresses::{Wrong, window};
use crate::fault::{Misdeed, Nearest, Touch};
use crate::op::Space;

/// Start of the addresses that name a block by its rank.
pub(crate) const PEER_BYTES: u64 = 1 << 24;

/// The shared memory of another block, which is lent while this one runs.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) memory: Vec<u8>,
    /// All threads of the block have exited: its memory is another's by now.
    pub(crate) ended: bool,
}

/// The cluster as a block sees it.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    /// The rank of the block itself.
    pub(crate) rank: usize,
    /// The others by their ranks; nothing in its own place.
    pub(crate) blocks: Vec<Option<Peer>>,
    /// Writes to the memory of others: rank, start, bytes.
    pub(crate) written: Vec<(usize, u64, u64)>,
}

/// The address in shared memory of an address of it, generic or not.
pub(crate) fn offset(space: Space, address: u64) -> u64 {
    if space == Space::Generic { address.wrapping_sub(window(Space::Shared)) } else { address }
}

/// The address in shared memory of an offset in a block.
pub(crate) fn address_in(rank: usize, offset: u64) -> u64 {
    ((rank as u64 + 1) * PEER_BYTES) | (offset & (PEER_BYTES - 1))
}

/// Bytes from memory that begins at 0 to an address beside it. Small steps back from 0 come out at the end of 32 bits.
pub(crate) fn distance(address: u64, limit: u64) -> i64 {
    let back = if address <= u64::from(u32::MAX) { i64::from(address as i32) } else { address as i64 };
    if back < 0 { back } else { address.saturating_sub(limit) as i64 }
}

impl Memories<'_> {
    /// The offset in the block's own shared memory of an address that is of it, or of no block.
    pub(crate) fn own_offset(&self, address: u64) -> u64 {
        let is_own = (address / PEER_BYTES).checked_sub(1) == Some(self.peers.rank as u64);
        if is_own { address & (PEER_BYTES - 1) } else { address }
    }

    /// The memory and the offset in it of an access to shared memory, of whichever block of the cluster.
    pub(crate) fn shared_at(
        &mut self,
        lane: usize,
        address: u64,
        (bytes, align): (u64, u64),
        write: bool,
    ) -> Result<(&mut [u8], u64), Wrong> {
        let (touch, offset, rank) = (
            Touch { space: "shared", write, address, bytes: bytes as u32 },
            address & (PEER_BYTES - 1),
            (address / PEER_BYTES).checked_sub(1).map(|rank| rank as usize),
        );
        let own = rank.is_none_or(|rank| rank == self.peers.rank);
        let memory = if own {
            Some(&mut *self.shared)
        } else {
            let rank = rank.unwrap_or_default();
            let peer = self.peers.blocks.get_mut(rank).and_then(Option::as_mut);
            if peer.as_ref().is_some_and(|peer| peer.ended) {
                let touch = Touch { address: offset, ..touch };
                return Err(Box::new((lane, Misdeed::BlockEnded { touch: touch.into(), rank: rank as u32 })));
            }
            if write && peer.is_some() {
                self.peers.written.push((rank, offset, bytes));
            }
            peer.map(|peer| peer.memory.as_mut_slice())
        };
        if !offset.is_multiple_of(align.max(1)) {
            return Err(Box::new((lane, Misdeed::Misaligned { touch: touch.into() })));
        }
        let limit = memory.as_ref().map_or(0, |memory| memory.len() as u64);
        match memory {
            Some(memory) if limit.checked_sub(bytes).is_some_and(|end| offset <= end) => Ok((memory, offset)),
            Some(_) => {
                let distance = offset.saturating_sub(limit) as i64;
                let nearest = Some(Nearest { address: 0, bytes: limit, distance });
                Err(Box::new((lane, Misdeed::OutOfBounds { touch: touch.into(), nearest })))
            }
            None => Err(Box::new((lane, Misdeed::OutOfBounds { touch: touch.into(), nearest: None }))),
        }
    }

    /// If an address of shared memory is of another block: its rank, whether it has ended, and the size of its memory.
    pub(crate) fn elsewhere(&self, address: u64) -> Option<(u32, bool, u64)> {
        let rank = (address / PEER_BYTES).checked_sub(1).filter(|rank| *rank != self.peers.rank as u64)?;
        let peer = self.peers.blocks.get(rank as usize)?.as_ref()?;
        Some((rank as u32, peer.ended, peer.memory.len() as u64))
    }
}
