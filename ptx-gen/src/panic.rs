//! The record that a panicking thread leaves: its layout, which generated code and the host agree on.
//!
//! A kernel that can panic takes its address as a hidden parameter. The first thread to swap `claimed` from 0
//! to 1 writes the other fields; every panicking thread then ends. The host reads the record after the launch and
//! clears it.

use crate::output::MOST_WORDS;

/// The name of the hidden parameter: no Rust parameter can have it.
pub const PANIC_PARAM: &str = "$panic";

/// Record of the first panicking thread, in device memory or in memory of the host that the device sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanicRecord {
    /// The index of the site in the kernel's list of panic sites.
    pub site: u32,
    /// The block of the thread: x, y, z.
    pub block: [u32; 3],
    /// The thread in its block: x, y, z.
    pub thread: [u32; 3],
    /// The values of the message, as many as its site takes; the rest is arbitrary.
    pub args: Vec<u64>,
}

impl PanicRecord {
    /// The most values that a message takes.
    pub const ARGS: usize = MOST_WORDS;
    /// Its size in bytes.
    pub const BYTES: usize = PanicRecord::MORE + 8 * (PanicRecord::ARGS - PanicRecord::FIRST_ARGS);
    /// Its alignment in bytes.
    pub const ALIGN: usize = 8;
    /// Offset of the claim, a number of 4 bytes that is 0 while no thread has panicked, then 1.
    pub const CLAIMED: usize = 0;
    /// Offset of the site.
    pub const SITE: usize = 4;
    /// Offset of the block; its numbers are 4 bytes each.
    pub const BLOCK: usize = 24;
    /// Offset of the thread; its numbers are 4 bytes each.
    pub const THREAD: usize = 36;
    /// So many values are before the block, beginning at 8; the others are behind the thread.
    const FIRST_ARGS: usize = 2;
    /// Offset of the others.
    const MORE: usize = 48;

    /// Offset of the value with this index; 8 bytes.
    pub const fn arg(index: usize) -> usize {
        if index < PanicRecord::FIRST_ARGS {
            8 + 8 * index
        } else {
            PanicRecord::MORE + 8 * (index - PanicRecord::FIRST_ARGS)
        }
    }

    /// Returns true if a thread has claimed it, by its first bytes.
    pub fn is_claimed(first: [u8; 4]) -> bool {
        first != [0; 4]
    }

    /// Reads it from memory; none while no thread has claimed it.
    pub fn read(bytes: &[u8; PanicRecord::BYTES]) -> Option<PanicRecord> {
        let word = |at: usize| bytes[at..].first_chunk().copied().map_or(0, u32::from_ne_bytes);
        let long = |at: usize| bytes[at..].first_chunk().copied().map_or(0, u64::from_ne_bytes);
        let axes = |at: usize| [word(at), word(at + 4), word(at + 8)];
        (word(PanicRecord::CLAIMED) != 0).then(|| PanicRecord {
            site: word(PanicRecord::SITE),
            block: axes(PanicRecord::BLOCK),
            thread: axes(PanicRecord::THREAD),
            args: (0..PanicRecord::ARGS).map(|index| long(PanicRecord::arg(index))).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_has_no_holes() {
        let fields = [
            PanicRecord::CLAIMED,
            PanicRecord::SITE,
            PanicRecord::arg(0),
            PanicRecord::arg(1),
            PanicRecord::BLOCK,
            PanicRecord::THREAD,
            PanicRecord::arg(2),
            PanicRecord::arg(3),
        ];
        assert_eq!(fields, [0, 4, 8, 16, 24, 36, 48, 56]);
        assert_eq!(PanicRecord::arg(PanicRecord::ARGS), PanicRecord::BYTES);
    }

    #[test]
    fn a_record_is_read_when_it_is_claimed() {
        let mut bytes = [0; PanicRecord::BYTES];
        assert_eq!(PanicRecord::read(&bytes), None);
        for (index, word) in [1u32, 7, 10, 0, 20, 0, 1, 2, 3, 4, 5, 6, 30].into_iter().enumerate() {
            bytes[4 * index..][..4].copy_from_slice(&word.to_ne_bytes());
        }
        let mut args = vec![0; PanicRecord::ARGS];
        args[..3].copy_from_slice(&[10, 20, 30]);
        let record = PanicRecord { site: 7, block: [1, 2, 3], thread: [4, 5, 6], args };
        assert_eq!(PanicRecord::read(&bytes), Some(record));
        let [a, b, c, d, ..] = bytes;
        assert!(PanicRecord::is_claimed([a, b, c, d]));
    }
}
