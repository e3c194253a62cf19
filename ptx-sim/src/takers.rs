//! The threads that took locks, or stored what others do not wait for: the last exchanges that put a value other than zero in a word, and the last atomic stores, by
//! address.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

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
    /// A hash, which is not zero.
    fn mixed(self) -> u64 {
        let memory = self.block.map_or(0, |block| block + 1);
        (self.address ^ memory << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
    }
}

/// An exchange that changed a word, or a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taking {
    pub(crate) word: Word,
    /// The value that it put there.
    pub(crate) value: u64,
    /// A store, which takes nothing.
    pub(crate) is_store: bool,
    /// The thread: its block, its warp there, its lane.
    pub(crate) block: u64,
    pub(crate) warp: u32,
    pub(crate) lane: usize,
    /// The operation.
    pub(crate) pc: usize,
}

/// A place of the table, with a lock of its own: threads of the host that exchange different words do not wait for each other.
#[derive(Debug, Default)]
struct Place {
    /// The word's hash; zero where there is none. Operations that find another one need no lock.
    mixed: AtomicU64,
    taking: Mutex<Option<Taking>>,
}

impl Place {
    fn set(&self, taking: Option<Taking>) {
        let mut place = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        *place = taking;
        self.mixed.store(taking.map_or(0, |taking| taking.word.mixed()), Ordering::Relaxed);
    }
}

/// The exchanges of a launch.
#[derive(Debug, Default)]
pub(crate) struct Takers {
    /// Made by the first.
    places: OnceLock<Vec<Place>>,
}

impl Takers {
    fn place(places: &[Place], mixed: u64) -> Option<&Place> {
        places.get((mixed >> 32) as usize % PLACES)
    }

    /// An exchange has changed a word to a value other than zero, or a store has put a value there.
    pub(crate) fn note(&self, taking: Taking) {
        let places = self.places.get_or_init(|| (0..PLACES).map(|_| Place::default()).collect());
        if let Some(place) = Takers::place(places, taking.word.mixed()) {
            place.set(Some(taking));
        }
    }

    /// Another operation has changed a word: its value is no longer that of an exchange, even if it is the same one.
    pub(crate) fn forget(&self, word: Word) {
        let mixed = word.mixed();
        let place = self.places.get().and_then(|places| Takers::place(places, mixed));
        if let Some(place) = place.filter(|place| place.mixed.load(Ordering::Relaxed) == mixed) {
            place.set(None);
        }
    }

    /// The last exchange that changed this word, or the last store there, if it is known and the word still has its value.
    pub(crate) fn last(&self, word: Word, value: u64) -> Option<Taking> {
        let place = Takers::place(self.places.get()?, word.mixed())?;
        let taking = *place.taking.lock().unwrap_or_else(PoisonError::into_inner);
        taking
            .filter(|taking| taking.word == word && taking.value == value && (value != 0 || taking.is_store))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(block: Option<u64>) -> Word {
        Word { block, address: 64 }
    }

    fn taking(word: Word, lane: usize) -> Taking {
        Taking { word, value: 1, is_store: false, block: 3, warp: 0, lane, pc: 7 }
    }

    #[test]
    fn the_last_one_counts() {
        let takers = Takers::default();
        assert_eq!(takers.last(word(None), 1), None);
        takers.note(taking(word(None), 1));
        takers.note(taking(word(None), 2));
        takers.note(taking(word(Some(0)), 3));
        assert_eq!(takers.last(word(None), 1), Some(taking(word(None), 2)));
        assert_eq!(takers.last(word(Some(0)), 1), Some(taking(word(Some(0)), 3)));
        assert_eq!(takers.last(word(Some(1)), 1), None);
    }

    /// Zero is a value like others then.
    #[test]
    fn stores_count() {
        let takers = Takers::default();
        let stored = Taking { value: 0, is_store: true, ..taking(word(None), 4) };
        takers.note(taking(word(None), 1));
        takers.note(stored);
        assert_eq!(takers.last(word(None), 0), Some(stored));
        assert_eq!(takers.last(word(None), 1), None);
    }

    #[test]
    fn a_lock_that_was_given_back_has_no_owner() {
        let takers = Takers::default();
        takers.note(taking(word(None), 1));
        assert_eq!(takers.last(word(None), 0), None);
        // By somebody else, with another value.
        assert_eq!(takers.last(word(None), 2), None);
        assert_eq!(takers.last(word(None), 1), Some(taking(word(None), 1)));
        takers.forget(word(Some(0)));
        assert_eq!(takers.last(word(None), 1), Some(taking(word(None), 1)));
        takers.forget(word(None));
        assert_eq!(takers.last(word(None), 1), None);
    }
}
