//! The buffer that printing threads write to: its layout, which generated code and the host agree on.
//!
//! A kernel that prints takes its address as a hidden parameter. It begins with two numbers of 64 bits: the number of bytes
//! left, and the number of lost records. Records fill the rest from its end to its beginning: a thread subtracts the
//! record's size from the bytes left, and if there were as many, the record is its own. One without room is counted
//! as lost. So the records of one thread are in its order, and no thread waits for another.
//!
//! A record is its values of 8 bytes each, then block (x, y, z), thread (x, y, z), site and a mark, of 4 bytes each. The
//! host reads from the end: the site gives the number of values before it. The mark distinguishes a record from
//! memory not yet written.

/// The name of the hidden parameter: no Rust parameter can have it.
pub const PRINT_PARAM: &str = "$print";
/// The most values of 64 bits that a text, printed or of a panic, takes.
pub const MOST_WORDS: usize = 124;
/// Offset of the number of bytes left, a signed number of 64 bits: it goes below zero when there is too little.
pub const LEFT: usize = 0;
/// Offset of the number of lost records, of 64 bits.
pub const LOST: usize = 8;
/// Offset of the memory for records.
pub const RECORDS: usize = 16;
/// The alignment of the buffer.
pub const ALIGN: usize = 8;
/// Size of the part of a record after its values: block, thread, site, mark.
pub const TAIL: usize = 32;
/// Offset of the block in the tail.
pub const BLOCK: usize = 0;
/// Offset of the thread in the tail.
pub const THREAD: usize = 12;
/// Offset of the site in the tail.
pub const SITE: usize = 24;
/// Offset of the mark in the tail.
pub const MARK: usize = 28;
/// Value of the mark in a complete record.
pub const WRITTEN: u32 = 1;

/// The size of a record with so many values.
pub const fn record_bytes(words: usize) -> usize {
    8 * words + TAIL
}

/// A record that a thread printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintRecord {
    /// The index of the site in the kernel's list of print sites.
    pub site: u32,
    /// The block of the thread: x, y, z.
    pub block: [u32; 3],
    /// The thread in its block: x, y, z.
    pub thread: [u32; 3],
    /// The values.
    pub args: Vec<u64>,
}

/// Reads the memory for records: those in it, the first one first; `words` is the number of values in the records of a site.
/// Stops at memory not yet written, or at an unknown site.
pub fn records(memory: &[u8], words: impl Fn(u32) -> Option<usize>) -> Vec<PrintRecord> {
    let mut found = Vec::new();
    let mut rest = memory;
    while let Some((before, tail)) = rest.split_last_chunk::<TAIL>() {
        let word = |at: usize| tail[at..].first_chunk().copied().map_or(0, u32::from_ne_bytes);
        let axes = |at: usize| [word(at), word(at + 4), word(at + 8)];
        let Some(words) = words(word(SITE)).filter(|_| word(MARK) == WRITTEN) else { break };
        let Some(start) = before.len().checked_sub(8 * words) else { break };
        let (earlier, args) = before.split_at(start);
        let args = args.chunks_exact(8).map(|arg| arg.first_chunk().copied().map_or(0, u64::from_ne_bytes));
        found.push(PrintRecord {
            site: word(SITE),
            block: axes(BLOCK),
            thread: axes(THREAD),
            args: args.collect(),
        });
        rest = earlier;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record as a thread writes it.
    fn written(site: u32, args: &[u64]) -> Vec<u8> {
        let tail = [1, 2, 3, 4, 5, 6, site, WRITTEN];
        let args = args.iter().flat_map(|arg| arg.to_ne_bytes());
        args.chain(tail.iter().flat_map(|word: &u32| word.to_ne_bytes())).collect()
    }

    #[test]
    fn records_are_read_from_the_end() {
        let memory = [vec![0; 40], written(1, &[7, 8]), written(0, &[])].concat();
        let record = |site, args| PrintRecord { site, block: [1, 2, 3], thread: [4, 5, 6], args };
        let words = |site: u32| [0, 2].get(site as usize).copied();
        assert_eq!(records(&memory, words), [record(0, vec![]), record(1, vec![7, 8])]);
        assert_eq!(
            records(&memory, |site| (site == 0).then_some(0)),
            [record(0, vec![])],
            "an unknown place"
        );
        assert_eq!(records(&memory[48..], words), [record(0, vec![])], "no room for the values");
        assert_eq!(records(&[], words), []);
    }

    #[test]
    fn the_tail_has_no_holes() {
        assert_eq!((THREAD - BLOCK, SITE - THREAD, MARK - SITE, TAIL - MARK), (12, 12, 4, 4));
    }
}
