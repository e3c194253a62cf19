//! The record that a panicking thread leaves: its layout, which generated code and the host agree on.
//!
//! A kernel that can panic takes its address as a hidden last parameter. The first thread to swap `claimed` from 0
//! to 1 writes the other fields; every panicking thread then ends. The host reads the record after the launch and
//! clears it.

use std::mem::offset_of;

/// The name of the hidden parameter: no Rust parameter can have it.
pub const PANIC_PARAM: &str = "$panic";

/// What the first panicking thread writes, in device memory or in memory of the host that the device sees.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PanicRecord {
    /// 0 while no thread has panicked, then 1.
    pub claimed: u32,
    /// The index of the place in the kernel's list of panic sites.
    pub site: u32,
    /// The values of the message, as many as its kind takes; the rest is arbitrary.
    pub args: [u64; PanicRecord::ARGS],
    /// The block of the thread: x, y, z.
    pub block: [u32; 3],
    /// The thread in its block: x, y, z.
    pub thread: [u32; 3],
}

impl PanicRecord {
    /// The most values that a message takes.
    pub const ARGS: usize = 2;
    /// Its size in bytes.
    pub const BYTES: usize = size_of::<PanicRecord>();
    /// Its alignment in bytes.
    pub const ALIGN: usize = align_of::<PanicRecord>();
    /// Where `claimed` is, in bytes.
    pub const CLAIMED: usize = offset_of!(PanicRecord, claimed);
    /// Where `site` is.
    pub const SITE: usize = offset_of!(PanicRecord, site);
    /// Where the first of `args` is; they are 8 bytes each.
    pub const FIRST_ARG: usize = offset_of!(PanicRecord, args);
    /// Where `block` begins; its numbers are 4 bytes each.
    pub const BLOCK: usize = offset_of!(PanicRecord, block);
    /// Where `thread` begins; its numbers are 4 bytes each.
    pub const THREAD: usize = offset_of!(PanicRecord, thread);

    /// Reads it from memory; none while no thread has claimed it.
    pub fn read(bytes: &[u8; PanicRecord::BYTES]) -> Option<PanicRecord> {
        let word = |at: usize| bytes[at..].first_chunk().copied().map_or(0, u32::from_ne_bytes);
        let long = |at: usize| bytes[at..].first_chunk().copied().map_or(0, u64::from_ne_bytes);
        let axes = |at: usize| [word(at), word(at + 4), word(at + 8)];
        let record = PanicRecord {
            claimed: word(PanicRecord::CLAIMED),
            site: word(PanicRecord::SITE),
            args: [long(PanicRecord::FIRST_ARG), long(PanicRecord::FIRST_ARG + 8)],
            block: axes(PanicRecord::BLOCK),
            thread: axes(PanicRecord::THREAD),
        };
        (record.claimed != 0).then_some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_has_no_holes() {
        let offsets = [
            PanicRecord::CLAIMED,
            PanicRecord::SITE,
            PanicRecord::FIRST_ARG,
            PanicRecord::BLOCK,
            PanicRecord::THREAD,
        ];
        assert_eq!((offsets, PanicRecord::BYTES), ([0, 4, 8, 24, 36], 48));
    }

    #[test]
    fn a_record_is_read_when_it_is_claimed() {
        let mut bytes = [0; PanicRecord::BYTES];
        assert_eq!(PanicRecord::read(&bytes), None);
        for (index, word) in [1u32, 7, 10, 0, 20, 0, 1, 2, 3, 4, 5, 6].into_iter().enumerate() {
            bytes[4 * index..][..4].copy_from_slice(&word.to_ne_bytes());
        }
        let record = PanicRecord { claimed: 1, site: 7, args: [10, 20], block: [1, 2, 3], thread: [4, 5, 6] };
        assert_eq!(PanicRecord::read(&bytes), Some(record));
    }
}
