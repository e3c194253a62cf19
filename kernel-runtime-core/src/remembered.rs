//! Answers that are remembered: the last few, so that what programs ask without end takes no more memory.

use std::sync::Mutex;

use crate::gpu::lock;

/// Answers that are remembered. Programs ask the same again, with few shapes of launches; whoever asks for a thousand pays the arithmetic.
const MOST: usize = 16;

/// The last answers to questions of a kind. It asks the heap for nothing.
pub(crate) struct Remembered<Q, A> {
    last: Mutex<Last<Q, A>>,
}

struct Last<Q, A> {
    answers: [Option<(Q, A)>; MOST],
    /// The place of the next, in a circle.
    next: usize,
}

impl<Q: Copy, A: Copy> Default for Remembered<Q, A> {
    fn default() -> Remembered<Q, A> {
        Remembered { last: Mutex::new(Last { answers: [None; MOST], next: 0 }) }
    }
}

impl<Q: Copy + PartialEq, A: Copy> Remembered<Q, A> {
    /// The answer, if it is remembered.
    pub(crate) fn get(&self, question: Q) -> Option<A> {
        let last = lock(&self.last);
        let known = last.answers.iter().flatten().find(|(known, _)| *known == question);
        known.map(|&(_, answer)| answer)
    }

    /// Remembers an answer in place of the oldest.
    pub(crate) fn insert(&self, question: Q, answer: A) {
        let mut last = lock(&self.last);
        // Two threads may have found it out at once.
        let known = last.answers.iter().position(|known| known.is_some_and(|(known, _)| known == question));
        let place = known.unwrap_or(last.next);
        last.answers[place] = Some((question, answer));
        if known.is_none() {
            last.next = (place + 1) % MOST;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_are_remembered() {
        let remembered = Remembered::default();
        for number in 0..100 {
            assert_eq!(remembered.get(number), None);
            remembered.insert(number, 2 * number);
            remembered.insert(number, 3 * number);
            assert_eq!(remembered.get(number), Some(3 * number));
        }
        let known = (0..100).filter(|&number| remembered.get(number) == Some(3 * number));
        assert!(known.eq(100 - MOST as i32..100));
    }
}
