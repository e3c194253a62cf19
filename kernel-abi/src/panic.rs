//! Reasons for panics, and the record that a panicking thread leaves: its layout, which generated code and the host agree on.
//!
//! A kernel that can panic takes its address as a hidden parameter. The first thread to swap `claimed` from 0
//! to 1 writes the other fields; every panicking thread then ends. The host reads the record after the launch and
//! clears it.

use crate::output::MOST_WORDS;

/// Reason for a panic, which determines the values that come with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PanicKind {
    /// Index out of bounds: the index and the length.
    Index,
    /// Division by zero.
    DivideByZero,
    /// Remainder by zero.
    RemainderByZero,
    /// `MIN / -1`.
    DivideOverflow,
    /// `MIN % -1`.
    RemainderOverflow,
    /// A sum beyond its type, where the kernel asks for the check; so are those up to `ShrOverflow`.
    AddOverflow,
    /// A difference beyond its type.
    SubOverflow,
    /// A product beyond its type.
    MulOverflow,
    /// `-MIN`.
    NegOverflow,
    /// A left shift by the width or more.
    ShlOverflow,
    /// A right shift by the width or more.
    ShrOverflow,
    /// A step of zero in `step_by`.
    ZeroStep,
    /// `unwrap` of `None`.
    Unwrap,
    /// `panic!`, `assert!`, `expect` and their like: the site has the text.
    Message,
    /// A vector at an index that its alignment forbids: the index, and what it must be a multiple of.
    Misaligned,
    /// A slice of a slice that starts after its end: the start and the end.
    SliceOrder,
    /// A slice of a slice that starts after the end of that: the start and the length.
    SliceStart,
    /// A slice of a slice that ends after the end of that: the end and the length.
    SliceEnd,
    /// As `Message`, with values: the site has the format.
    Formatted,
}

impl PanicKind {
    /// Every kind, with its name in textual IR and how many values its message takes.
    pub const TABLE: &[(PanicKind, &str, usize)] = &[
        (PanicKind::Index, "index", 2),
        (PanicKind::DivideByZero, "divide_by_zero", 0),
        (PanicKind::RemainderByZero, "remainder_by_zero", 0),
        (PanicKind::DivideOverflow, "divide_overflow", 0),
        (PanicKind::RemainderOverflow, "remainder_overflow", 0),
        (PanicKind::AddOverflow, "add_overflow", 0),
        (PanicKind::SubOverflow, "sub_overflow", 0),
        (PanicKind::MulOverflow, "mul_overflow", 0),
        (PanicKind::NegOverflow, "neg_overflow", 0),
        (PanicKind::ShlOverflow, "shl_overflow", 0),
        (PanicKind::ShrOverflow, "shr_overflow", 0),
        (PanicKind::ZeroStep, "zero_step", 0),
        (PanicKind::Unwrap, "unwrap", 0),
        (PanicKind::Message, "message", 0),
        (PanicKind::Misaligned, "misaligned", 2),
        (PanicKind::SliceOrder, "slice_order", 2),
        (PanicKind::SliceStart, "slice_start", 2),
        (PanicKind::SliceEnd, "slice_end", 2),
        (PanicKind::Formatted, "formatted", 0),
    ];

    /// The name in textual IR.
    pub fn as_str(self) -> &'static str {
        Self::TABLE[self as usize].1
    }

    /// The kind with this name.
    pub fn from_mnemonic(text: &str) -> Option<PanicKind> {
        Self::TABLE.iter().find(|(_, name, _)| *name == text).map(|(kind, ..)| *kind)
    }

    /// Number of `i64` values that come with it; of [`Formatted`](PanicKind::Formatted) the site says so.
    pub fn arity(self) -> usize {
        Self::TABLE[self as usize].2
    }

    /// Returns true for an index or a range that is out of bounds: the text of the site, if it has one, names what it is in.
    pub fn is_indexing(self) -> bool {
        matches!(self, PanicKind::Index | PanicKind::SliceOrder | PanicKind::SliceStart | PanicKind::SliceEnd)
    }

    /// The message, in the words of Rust's own panics; `text` is the site's, or what its format made of the values.
    pub fn message(self, text: Option<&str>, args: &[u64]) -> String {
        // A record always holds as many values as its kind takes.
        let [a, b] = [0, 1].map(|index| args.get(index).copied().unwrap_or_default());
        match self {
            PanicKind::Index => format!("index out of bounds: the len is {b} but the index is {a}"),
            PanicKind::DivideByZero => "attempt to divide by zero".into(),
            PanicKind::RemainderByZero => "attempt to calculate the remainder with a divisor of zero".into(),
            PanicKind::DivideOverflow => "attempt to divide with overflow".into(),
            PanicKind::RemainderOverflow => "attempt to calculate the remainder with overflow".into(),
            PanicKind::AddOverflow => "attempt to add with overflow".into(),
            PanicKind::SubOverflow => "attempt to subtract with overflow".into(),
            PanicKind::MulOverflow => "attempt to multiply with overflow".into(),
            PanicKind::NegOverflow => "attempt to negate with overflow".into(),
            PanicKind::ShlOverflow => "attempt to shift left with overflow".into(),
            PanicKind::ShrOverflow => "attempt to shift right with overflow".into(),
            PanicKind::ZeroStep => "assertion failed: step != 0".into(),
            PanicKind::Unwrap => "called `Option::unwrap()` on a `None` value".into(),
            PanicKind::Message | PanicKind::Formatted => text.unwrap_or("explicit panic").into(),
            PanicKind::Misaligned => {
                format!(
                    "misaligned vector access: counted from the start of the buffer, the index must be a multiple of {b}; in \
                     this slice it is {a}"
                )
            }
            PanicKind::SliceOrder => format!("slice index starts at {a} but ends at {b}"),
            PanicKind::SliceStart => {
                format!("range start index {a} out of range for slice of length {b}")
            }
            PanicKind::SliceEnd => format!("range end index {a} out of range for slice of length {b}"),
        }
    }
}

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
