//! The threads that took locks: the last exchanges that changed what was there, by address.

use std::sync::{Mutex, PoisonError};

/// Places of the table. An address whose place another one has taken since is not found.
const PLACES: usize = 1024;

/// A word that exchanges change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// The block whose shared memory it is in; none for global memory.
    pub(crate) block: Option<u64>,
    pub(crate) address: u64,
}

impl Word {
    fn place(self) -> usize {
        let memory = self.block.map_or(0, |block| block + 1);
        let mixed = (self.address ^ memory << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize % PLACES
    }
}

/// An exchange that changed a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taking {
    pub(crate) word: Word,
    /// The thread: its block, its warp there, its lane.
    pub(crate) block: u64,
    pub(crate) warp: u32,
    pub(crate) lane: usize,
    /// The operation.
    pub(crate) pc: usize,
}

/// The exchanges of a launch.
#[derive(Debug, Default)]
pub(crate) struct Takers {
    /// Empty until the first.
    places: Mutex<Vec<Option<Taking>>>,
}

impl Takers {
    pub(crate) fn note(&self, taking: Taking) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.resize(PLACES, None);
        places[taking.word.place()] = Some(taking);
    }

    /// The last exchange that changed this word, if it is known.
    pub(crate) fn last(&self, word: Word) -> Option<Taking> {
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.get(word.place()).copied().flatten().filter(|taking| taking.word == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_counts() {
        let takers = Takers::default();
        let word = |block, address| Word { block, address };
        let taking = |word, lane| Taking { word, block: 3, warp: 0, lane, pc: 7 };
        assert_eq!(takers.last(word(None, 64)), None);
        takers.note(taking(word(None, 64), 1));
        takers.note(taking(word(None, 64), 2));
        takers.note(taking(word(Some(0), 64), 3));
        assert_eq!(takers.last(word(None, 64)), Some(taking(word(None, 64), 2)));
        assert_eq!(takers.last(word(Some(0), 64)), Some(taking(word(Some(0), 64), 3)));
        assert_eq!(takers.last(word(Some(1), 64)), None);
    }
}
