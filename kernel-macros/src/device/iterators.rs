//! Iterators as values: kept in variables, handed to functions, given by them, written by the user.
//!
//! In no file that rustc compiles: there they are the standard library's. A chain of adaptors that is consumed where it is written is
//! compiled as one loop instead, and needs none of this. `A` is the type of the items in every function that takes an iterator.

pub struct Iter<'a, T> {
    // Invariant: `front <= back <= elements.len()`.
    elements: &'a [T],
    front: usize,
    back: usize,
}

pub fn values_of_iter<'a, T>(elements: &'a [T]) -> Iter<'a, T> {
    Iter { elements, front: 0, back: elements.len() }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;
    fn next(&mut self) -> Option<&'a T> {
        let at = self.front;
        if at < self.back {
            self.front = at + 1;
            Some(unsafe { self.elements.get_unchecked(at) })
        } else {
            None
        }
    }
}

impl<'a, T> Iter<'a, T> {
    pub fn next_back(&mut self) -> Option<&'a T> {
        if self.front < self.back {
            self.back -= 1;
            Some(unsafe { self.elements.get_unchecked(self.back) })
        } else {
            None
        }
    }
    pub fn len(&self) -> usize {
        self.back - self.front
    }
    pub fn as_slice(&self) -> &'a [T] {
        &self.elements[self.front..self.back]
    }
}

pub struct IterMut<'a, T> {
    // Invariant: `front <= back <= elements.len()`.
    elements: &'a mut [T],
    front: usize,
    back: usize,
}

pub fn values_of_iter_mut<'a, T>(elements: &'a mut [T]) -> IterMut<'a, T> {
    let back = elements.len();
    IterMut { elements, front: 0, back }
}

impl<'a, T> Iterator for IterMut<'a, T> {
    type Item = &'a mut T;
    fn next(&mut self) -> Option<&'a mut T> {
        let at = self.front;
        if at < self.back {
            self.front = at + 1;
            Some(unsafe { self.elements.get_unchecked_mut(at) })
        } else {
            None
        }
    }
}

impl<'a, T> IterMut<'a, T> {
    pub fn next_back(&mut self) -> Option<&'a mut T> {
        if self.front < self.back {
            self.back -= 1;
            Some(unsafe { self.elements.get_unchecked_mut(self.back) })
        } else {
            None
        }
    }
    pub fn len(&self) -> usize {
        self.back - self.front
    }
}

pub struct ArrayIter<T, const N: usize> {
    elements: [T; N],
    front: usize,
    back: usize,
}

pub fn values_of_array<T, const N: usize>(elements: [T; N]) -> ArrayIter<T, N> {
    ArrayIter { elements, front: 0, back: N }
}

impl<T, const N: usize> Iterator for ArrayIter<T, N> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        let at = self.front;
        if at < self.back {
            self.front = at + 1;
            Some(self.elements[at])
        } else {
            None
        }
    }
}

impl<T, const N: usize> ArrayIter<T, N> {
    pub fn next_back(&mut self) -> Option<T> {
        if self.front < self.back {
            self.back -= 1;
            Some(self.elements[self.back])
        } else {
            None
        }
    }
    pub fn len(&self) -> usize {
        self.back - self.front
    }
}

pub struct ChunksExact<'a, T> {
    // Invariant: `front <= back <= elements.len()`, and `back - front` is a multiple of `size`.
    elements: &'a [T],
    size: usize,
    front: usize,
    back: usize,
    whole: usize,
}

pub fn values_of_chunks_exact<'a, T>(elements: &'a [T], size: usize) -> ChunksExact<'a, T> {
    assert!(size != 0, "chunk size must be non-zero");
    let whole = elements.len() - elements.len() % size;
    ChunksExact { elements, size, front: 0, back: whole, whole }
}

impl<'a, T> Iterator for ChunksExact<'a, T> {
    type Item = &'a [T];
    fn next(&mut self) -> Option<&'a [T]> {
        let at = self.front;
        if at < self.back {
            self.front = at + self.size;
            Some(&self.elements[at..at + self.size])
        } else {
            None
        }
    }
}

impl<'a, T> ChunksExact<'a, T> {
    pub fn next_back(&mut self) -> Option<&'a [T]> {
        if self.front < self.back {
            self.back -= self.size;
            Some(&self.elements[self.back..self.back + self.size])
        } else {
            None
        }
    }
    pub fn remainder(&self) -> &'a [T] {
        &self.elements[self.whole..]
    }
    pub fn len(&self) -> usize {
        (self.back - self.front) / self.size
    }
}

pub struct ChunksExactMut<'a, T> {
    // Invariant: that of `ChunksExact`.
    elements: &'a mut [T],
    size: usize,
    front: usize,
    back: usize,
    whole: usize,
}

pub fn values_of_chunks_exact_mut<'a, T>(elements: &'a mut [T], size: usize) -> ChunksExactMut<'a, T> {
    assert!(size != 0, "chunk size must be non-zero");
    let whole = elements.len() - elements.len() % size;
    ChunksExactMut { elements, size, front: 0, back: whole, whole }
}

impl<'a, T> Iterator for ChunksExactMut<'a, T> {
    type Item = &'a mut [T];
    fn next(&mut self) -> Option<&'a mut [T]> {
        let at = self.front;
        if at < self.back {
            self.front = at + self.size;
            Some(&mut self.elements[at..at + self.size])
        } else {
            None
        }
    }
}

impl<'a, T> ChunksExactMut<'a, T> {
    pub fn next_back(&mut self) -> Option<&'a mut [T]> {
        if self.front < self.back {
            self.back -= self.size;
            Some(&mut self.elements[self.back..self.back + self.size])
        } else {
            None
        }
    }
    pub fn into_remainder(self) -> &'a mut [T] {
        &mut self.elements[self.whole..]
    }
    pub fn len(&self) -> usize {
        (self.back - self.front) / self.size
    }
}

pub struct Chunks<'a, T> {
    // Invariant: `front <= back <= elements.len()`.
    elements: &'a [T],
    size: usize,
    front: usize,
    back: usize,
}

pub fn values_of_chunks<'a, T>(elements: &'a [T], size: usize) -> Chunks<'a, T> {
    assert!(size != 0, "chunk size must be non-zero");
    Chunks { elements, size, front: 0, back: elements.len() }
}

impl<'a, T> Iterator for Chunks<'a, T> {
    type Item = &'a [T];
    fn next(&mut self) -> Option<&'a [T]> {
        let at = self.front;
        if at < self.back {
            let end = (at + self.size).min(self.back);
            self.front = end;
            Some(&self.elements[at..end])
        } else {
            None
        }
    }
}

impl<'a, T> Chunks<'a, T> {
    pub fn next_back(&mut self) -> Option<&'a [T]> {
        let end = self.back;
        if self.front < end {
            // The last chunk alone is shorter.
            let over = (end - self.front) % self.size;
            self.back = end - if over == 0 { self.size } else { over };
            Some(&self.elements[self.back..end])
        } else {
            None
        }
    }
    pub fn len(&self) -> usize {
        (self.back - self.front).div_ceil(self.size)
    }
}

pub struct Windows<'a, T> {
    // Invariant: `front <= back + 1` and `back <= elements.len()`.
    elements: &'a [T],
    size: usize,
    front: usize,
    back: usize,
}

pub fn values_of_windows<'a, T>(elements: &'a [T], size: usize) -> Windows<'a, T> {
    assert!(size != 0, "window size must be non-zero");
    Windows { elements, size, front: 0, back: elements.len() }
}

impl<'a, T> Iterator for Windows<'a, T> {
    type Item = &'a [T];
    fn next(&mut self) -> Option<&'a [T]> {
        let at = self.front;
        if at + self.size <= self.back {
            self.front = at + 1;
            Some(&self.elements[at..at + self.size])
        } else {
            None
        }
    }
}

impl<'a, T> Windows<'a, T> {
    pub fn next_back(&mut self) -> Option<&'a [T]> {
        let end = self.back;
        if self.front + self.size <= end {
            self.back = end - 1;
            Some(&self.elements[end - self.size..end])
        } else {
            None
        }
    }
    pub fn len(&self) -> usize {
        (self.back + 1).saturating_sub(self.front + self.size)
    }
}

pub struct Split<'a, T, F> {
    elements: &'a [T],
    is_between: F,
    front: usize,
    is_done: bool,
}

pub fn slice_split<'a, T, F: FnMut(&T) -> bool>(elements: &'a [T], is_between: F) -> Split<'a, T, F> {
    Split { elements, is_between, front: 0, is_done: false }
}

impl<'a, T, F> Iterator for Split<'a, T, F> {
    type Item = &'a [T];
    fn next(&mut self) -> Option<&'a [T]> {
        if self.is_done {
            return None;
        }
        let start = self.front;
        let mut end = start;
        while end < self.elements.len() && !(self.is_between)(&self.elements[end]) {
            end += 1;
        }
        self.is_done = end == self.elements.len();
        self.front = end + 1;
        Some(&self.elements[start..end])
    }
}

pub struct ChunkBy<'a, T, F> {
    elements: &'a [T],
    front: usize,
    is_same: F,
}

pub fn slice_chunk_by<'a, T, F: FnMut(&T, &T) -> bool>(elements: &'a [T], is_same: F) -> ChunkBy<'a, T, F> {
    ChunkBy { elements, front: 0, is_same }
}

impl<'a, T, F> Iterator for ChunkBy<'a, T, F> {
    type Item = &'a [T];
    fn next(&mut self) -> Option<&'a [T]> {
        let start = self.front;
        if start == self.elements.len() {
            return None;
        }
        let mut end = start + 1;
        while end < self.elements.len() && (self.is_same)(&self.elements[end - 1], &self.elements[end]) {
            end += 1;
        }
        self.front = end;
        Some(&self.elements[start..end])
    }
}

pub struct RChunks<'a, T> {
    elements: &'a [T],
    size: usize,
}

pub fn slice_rchunks<'a, T>(elements: &'a [T], size: usize) -> RChunks<'a, T> {
    assert!(size != 0, "chunk size must be non-zero");
    RChunks { elements, size }
}

/// `rchunks_exact`: what is left over is at the front.
pub fn slice_rchunks_exact<'a, T>(elements: &'a [T], size: usize) -> RChunks<'a, T> {
    assert!(size != 0, "chunk size must be non-zero");
    let over = elements.len() % size;
    RChunks { elements: &elements[over..], size }
}

impl<'a, T> Iterator for RChunks<'a, T> {
    type Item = &'a [T];
    fn next(&mut self) -> Option<&'a [T]> {
        let len = self.elements.len();
        if len == 0 {
            return None;
        }
        let part = &self.elements[len.saturating_sub(self.size)..];
        self.elements = &self.elements[..len.saturating_sub(self.size)];
        Some(part)
    }
}

impl<'a, T> RChunks<'a, T> {
    pub fn next_back(&mut self) -> Option<&'a [T]> {
        let len = self.elements.len();
        if len == 0 {
            return None;
        }
        // The first chunk alone is shorter.
        let over = len % self.size;
        let first = if over == 0 { self.size } else { over };
        let part = &self.elements[..first];
        self.elements = &self.elements[first..];
        Some(part)
    }
    pub fn len(&self) -> usize {
        self.elements.len().div_ceil(self.size)
    }
}

pub struct RChunksMut<'a, T> {
    elements: &'a mut [T],
    size: usize,
    // Invariant: at most the length. What is before it is not given yet.
    back: usize,
    // Invariant: at most `back`. What is before it is never given.
    front: usize,
}

pub fn slice_rchunks_mut<'a, T>(elements: &'a mut [T], size: usize) -> RChunksMut<'a, T> {
    assert!(size != 0, "chunk size must be non-zero");
    let back = elements.len();
    RChunksMut { elements, size, back, front: 0 }
}

/// `rchunks_exact_mut`: what is left over is at the front.
pub fn slice_rchunks_exact_mut<'a, T>(elements: &'a mut [T], size: usize) -> RChunksMut<'a, T> {
    assert!(size != 0, "chunk size must be non-zero");
    let back = elements.len();
    RChunksMut { elements, size, back, front: back % size }
}

impl<'a, T> Iterator for RChunksMut<'a, T> {
    type Item = &'a mut [T];
    fn next(&mut self) -> Option<&'a mut [T]> {
        let end = self.back;
        if end == self.front {
            return None;
        }
        self.back = if end - self.front < self.size { self.front } else { end - self.size };
        Some(&mut self.elements[self.back..end])
    }
}

impl<'a, T> RChunksMut<'a, T> {
    pub fn len(&self) -> usize {
        (self.back - self.front).div_ceil(self.size)
    }
}

#[derive(Clone, Copy, PartialEq)]
pub struct Range<T> {
    pub start: T,
    pub end: T,
}

pub fn values_of_range<T>(start: T, end: T) -> Range<T> {
    Range { start, end }
}

impl<T> Iterator for Range<T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        let at = self.start;
        if at < self.end {
            self.start = at + 1;
            Some(at)
        } else {
            None
        }
    }
}

impl<T> Range<T> {
    pub fn next_back(&mut self) -> Option<T> {
        if self.start < self.end {
            self.end -= 1;
            Some(self.end)
        } else {
            None
        }
    }
    pub fn len(&self) -> usize {
        // The distance of two signed numbers may have no sign to spare.
        if self.start < self.end { (self.end as usize).wrapping_sub(self.start as usize) } else { 0 }
    }
    pub fn is_empty(&self) -> bool {
        !(self.start < self.end)
    }
    pub fn contains(&self, value: &T) -> bool {
        self.start <= *value && *value < self.end
    }
    /// Beyond its end the range is used up, also one that has begun behind it.
    pub fn nth(&mut self, count: usize) -> Option<T> {
        if count < self.len() {
            let at = self.start + count as T;
            self.start = at + 1;
            Some(at)
        } else {
            self.start = self.end;
            None
        }
    }
}

pub struct RangeInclusive<T> {
    start: T,
    end: T,
    is_done: bool,
}

pub fn values_of_range_inclusive<T>(start: T, end: T) -> RangeInclusive<T> {
    RangeInclusive { start, end, is_done: !(start <= end) }
}

/// The range without its end of which `x[range]` is.
pub fn index_of_range_inclusive(range: RangeInclusive<usize>) -> Range<usize> {
    assert!(range.end != usize::MAX, "attempted to index slice up to maximum usize");
    let end = range.end + 1;
    // A range that has been used up is empty at its end; one that begins behind it is out of order.
    let start = if range.is_done && range.start < end { end } else { range.start };
    Range { start, end }
}

impl<T> Iterator for RangeInclusive<T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        if self.is_done {
            return None;
        }
        let at = self.start;
        if at < self.end {
            self.start = at + 1;
        } else {
            self.is_done = true;
        }
        Some(at)
    }
}

impl<T> RangeInclusive<T> {
    pub fn start(&self) -> &T {
        &self.start
    }
    pub fn end(&self) -> &T {
        &self.end
    }
    pub fn into_inner(self) -> (T, T) {
        (self.start, self.end)
    }
    pub fn is_empty(&self) -> bool {
        self.is_done
    }
    pub fn next_back(&mut self) -> Option<T> {
        if self.is_done {
            return None;
        }
        let at = self.end;
        if self.start < at {
            self.end = at - 1;
        } else {
            self.is_done = true;
        }
        Some(at)
    }
    pub fn contains(&self, value: &T) -> bool {
        self.start <= *value && *value <= self.end
    }
}

pub struct RangeFrom<T> {
    start: T,
}

pub fn values_of_range_from<T>(start: T) -> RangeFrom<T> {
    RangeFrom { start }
}

impl<T> Iterator for RangeFrom<T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        let at = self.start;
        self.start = iterator_successor(at);
        Some(at)
    }
}

impl<T> RangeFrom<T> {
    pub fn contains(&self, value: &T) -> bool {
        self.start <= *value
    }
    pub fn nth(&mut self, count: usize) -> Option<T> {
        let at = self.start + count as T;
        self.start = iterator_successor(at);
        Some(at)
    }
}

fn iterator_successor<T>(at: T) -> T {
    at + 1
}

/// `len` of the user's own iterators, which say it in `size_hint`.
pub fn iterator_len<I, A>(it: &I) -> usize {
    it.size_hint().0
}

pub fn iterator_into_iter<I, A>(it: I) -> I {
    it
}

pub fn iterator_by_ref<'a, I, A>(it: &'a mut I) -> &'a mut I {
    it
}

pub struct Copied<I, B> {
    it: I,
}

pub fn iterator_copied<I, B>(it: I) -> Copied<I, B> {
    Copied { it }
}

pub fn iterator_cloned<I, B>(it: I) -> Copied<I, B> {
    Copied { it }
}

impl<I, B> Iterator for Copied<I, B> {
    type Item = B;
    fn next(&mut self) -> Option<B> {
        match self.it.next() {
            Some(item) => Some(*item),
            None => None,
        }
    }
}

impl<I, B> Copied<I, B> {
    pub fn next_back(&mut self) -> Option<B> {
        match self.it.next_back() {
            Some(item) => Some(*item),
            None => None,
        }
    }
    pub fn len(&self) -> usize {
        self.it.len()
    }
}

pub struct Map<I, A, B, F> {
    it: I,
    f: F,
}

pub fn iterator_map<I, A, B, F: FnMut(A) -> B>(it: I, f: F) -> Map<I, A, B, F> {
    Map { it, f }
}

impl<I, A, B, F> Iterator for Map<I, A, B, F> {
    type Item = B;
    fn next(&mut self) -> Option<B> {
        match self.it.next() {
            Some(item) => Some((self.f)(item)),
            None => None,
        }
    }
}

impl<I, A, B, F> Map<I, A, B, F> {
    pub fn next_back(&mut self) -> Option<B> {
        match self.it.next_back() {
            Some(item) => Some((self.f)(item)),
            None => None,
        }
    }
    pub fn len(&self) -> usize {
        self.it.len()
    }
}

pub struct Filter<I, A, F> {
    it: I,
    f: F,
}

pub fn iterator_filter<I, A, F: FnMut(&A) -> bool>(it: I, f: F) -> Filter<I, A, F> {
    Filter { it, f }
}

impl<I, A, F> Iterator for Filter<I, A, F> {
    type Item = A;
    fn next(&mut self) -> Option<A> {
        while let Some(item) = self.it.next() {
            if (self.f)(&item) {
                return Some(item);
            }
        }
        None
    }
}

impl<I, A, F> Filter<I, A, F> {
    pub fn next_back(&mut self) -> Option<A> {
        while let Some(item) = self.it.next_back() {
            if (self.f)(&item) {
                return Some(item);
            }
        }
        None
    }
}

pub struct Inspect<I, A, F> {
    it: I,
    f: F,
}

pub fn iterator_inspect<I, A, F: FnMut(&A)>(it: I, f: F) -> Inspect<I, A, F> {
    Inspect { it, f }
}

impl<I, A, F> Iterator for Inspect<I, A, F> {
    type Item = A;
    fn next(&mut self) -> Option<A> {
        match self.it.next() {
            Some(item) => {
                (self.f)(&item);
                Some(item)
            }
            None => None,
        }
    }
}

impl<I, A, F> Inspect<I, A, F> {
    pub fn len(&self) -> usize {
        self.it.len()
    }
    pub fn next_back(&mut self) -> Option<A> {
        match self.it.next_back() {
            Some(item) => {
                (self.f)(&item);
                Some(item)
            }
            None => None,
        }
    }
}

pub struct FilterMap<I, A, B, F> {
    it: I,
    f: F,
}

pub fn iterator_filter_map<I, A, B, F: FnMut(A) -> Option<B>>(it: I, f: F) -> FilterMap<I, A, B, F> {
    FilterMap { it, f }
}

impl<I, A, B, F> Iterator for FilterMap<I, A, B, F> {
    type Item = B;
    fn next(&mut self) -> Option<B> {
        while let Some(item) = self.it.next() {
            if let Some(found) = (self.f)(item) {
                return Some(found);
            }
        }
        None
    }
}

impl<I, A, B, F> FilterMap<I, A, B, F> {
    pub fn next_back(&mut self) -> Option<B> {
        while let Some(item) = self.it.next_back() {
            if let Some(found) = (self.f)(item) {
                return Some(found);
            }
        }
        None
    }
}

pub struct TakeWhile<I, A, F> {
    it: I,
    f: F,
    is_done: bool,
}

pub fn iterator_take_while<I, A, F: FnMut(&A) -> bool>(it: I, f: F) -> TakeWhile<I, A, F> {
    TakeWhile { it, f, is_done: false }
}

impl<I, A, F> Iterator for TakeWhile<I, A, F> {
    type Item = A;
    fn next(&mut self) -> Option<A> {
        if self.is_done {
            return None;
        }
        match self.it.next() {
            Some(item) => {
                if (self.f)(&item) {
                    Some(item)
                } else {
                    self.is_done = true;
                    None
                }
            }
            None => None,
        }
    }
}

pub struct MapWhile<I, A, B, F> {
    it: I,
    f: F,
}

pub fn iterator_map_while<I, A, B, F: FnMut(A) -> Option<B>>(it: I, f: F) -> MapWhile<I, A, B, F> {
    MapWhile { it, f }
}

impl<I, A, B, F> Iterator for MapWhile<I, A, B, F> {
    type Item = B;
    fn next(&mut self) -> Option<B> {
        match self.it.next() {
            Some(item) => (self.f)(item),
            None => None,
        }
    }
}

pub struct SkipWhile<I, A, F> {
    it: I,
    f: F,
    is_started: bool,
}

pub fn iterator_skip_while<I, A, F: FnMut(&A) -> bool>(it: I, f: F) -> SkipWhile<I, A, F> {
    SkipWhile { it, f, is_started: false }
}

impl<I, A, F> Iterator for SkipWhile<I, A, F> {
    type Item = A;
    fn next(&mut self) -> Option<A> {
        while let Some(item) = self.it.next() {
            if self.is_started || !(self.f)(&item) {
                self.is_started = true;
                return Some(item);
            }
        }
        None
    }
}

pub struct Scan<I, A, S, B, F> {
    it: I,
    state: S,
    f: F,
}

pub fn iterator_scan<I, A, S, B, F: FnMut(&mut S, A) -> Option<B>>(it: I, state: S, f: F) -> Scan<I, A, S, B, F> {
    Scan { it, state, f }
}

impl<I, A, S, B, F> Iterator for Scan<I, A, S, B, F> {
    type Item = B;
    fn next(&mut self) -> Option<B> {
        match self.it.next() {
            Some(item) => (self.f)(&mut self.state, item),
            None => None,
        }
    }
}

pub struct Enumerate<I, A> {
    it: I,
    count: usize,
}

pub fn iterator_enumerate<I, A>(it: I) -> Enumerate<I, A> {
    Enumerate { it, count: 0 }
}

impl<I, A> Iterator for Enumerate<I, A> {
    type Item = (usize, A);
    fn next(&mut self) -> Option<(usize, A)> {
        match self.it.next() {
            Some(item) => {
                let at = self.count;
                self.count = at + 1;
                Some((at, item))
            }
            None => None,
        }
    }
}

impl<I, A> Enumerate<I, A> {
    pub fn next_back(&mut self) -> Option<(usize, A)> {
        match self.it.next_back() {
            Some(item) => Some((self.count + self.it.len(), item)),
            None => None,
        }
    }
    pub fn len(&self) -> usize {
        self.it.len()
    }
}

pub struct Zip<I, A, J, C> {
    it: I,
    other: J,
}

pub fn iterator_zip<I, A, K, J, C>(it: I, other: K) -> Zip<I, A, J, C> {
    Zip { it, other: other.into_iter() }
}

impl<I, A, J, C> Iterator for Zip<I, A, J, C> {
    type Item = (A, C);
    fn next(&mut self) -> Option<(A, C)> {
        match self.it.next() {
            Some(item) => match self.other.next() {
                Some(other) => Some((item, other)),
                None => None,
            },
            None => None,
        }
    }
}

impl<I, A, J, C> Zip<I, A, J, C> {
    pub fn len(&self) -> usize {
        let (len, other) = (self.it.len(), self.other.len());
        if other < len { other } else { len }
    }
    pub fn next_back(&mut self) -> Option<(A, C)> {
        let (len, other) = (self.it.len(), self.other.len());
        for _ in other..len {
            self.it.next_back();
        }
        for _ in len..other {
            self.other.next_back();
        }
        match self.it.next_back() {
            Some(item) => match self.other.next_back() {
                Some(other) => Some((item, other)),
                None => None,
            },
            None => None,
        }
    }
}

pub struct Chain<I, A, J> {
    it: I,
    other: J,
    is_second: bool,
}

pub fn iterator_chain<I, A, K, J, C>(it: I, other: K) -> Chain<I, A, J> {
    Chain { it, other: other.into_iter(), is_second: false }
}

impl<I, A, J> Iterator for Chain<I, A, J> {
    type Item = A;
    fn next(&mut self) -> Option<A> {
        if !self.is_second {
            if let Some(item) = self.it.next() {
                return Some(item);
            }
            self.is_second = true;
        }
        self.other.next()
    }
}

impl<I, A, J> Chain<I, A, J> {
    pub fn next_back(&mut self) -> Option<A> {
        if let Some(item) = self.other.next_back() {
            return Some(item);
        }
        if self.is_second { None } else { self.it.next_back() }
    }
}

pub struct Take<I, A> {
    it: I,
    left: usize,
}

pub fn iterator_take<I, A>(it: I, count: usize) -> Take<I, A> {
    Take { it, left: count }
}

impl<I, A> Iterator for Take<I, A> {
    type Item = A;
    fn next(&mut self) -> Option<A> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        self.it.next()
    }
}

impl<I, A> Take<I, A> {
    pub fn len(&self) -> usize {
        let len = self.it.len();
        if len < self.left { len } else { self.left }
    }
    pub fn next_back(&mut self) -> Option<A> {
        if self.left == 0 {
            return None;
        }
        let len = self.it.len();
        if len > self.left {
            self.it.nth_back(len - self.left - 1);
        }
        self.left -= 1;
        self.it.next_back()
    }
}

pub struct Skip<I, A> {
    it: I,
    left: usize,
}

pub fn iterator_skip<I, A>(it: I, count: usize) -> Skip<I, A> {
    Skip { it, left: count }
}

impl<I, A> Iterator for Skip<I, A> {
    type Item = A;
    fn next(&mut self) -> Option<A> {
        let left = self.left;
        self.left = 0;
        for _ in 0..left {
            if let None = self.it.next() {
                return None;
            }
        }
        self.it.next()
    }
}

impl<I, A> Skip<I, A> {
    pub fn len(&self) -> usize {
        let len = self.it.len();
        if len < self.left { 0 } else { len - self.left }
    }
    pub fn next_back(&mut self) -> Option<A> {
        if self.it.len() > self.left { self.it.next_back() } else { None }
    }
}

pub struct StepBy<I, A> {
    it: I,
    // One less than the step.
    skipped: usize,
    is_started: bool,
}

pub fn iterator_step_by<I, A>(it: I, step: usize) -> StepBy<I, A> {
    assert!(step != 0, "assertion failed: step != 0");
    StepBy { it, skipped: step - 1, is_started: false }
}

impl<I, A> Iterator for StepBy<I, A> {
    type Item = A;
    fn next(&mut self) -> Option<A> {
        let skipped = if self.is_started { self.skipped } else { 0 };
        self.is_started = true;
        self.it.nth(skipped)
    }
}

impl<I, A> StepBy<I, A> {
    pub fn next_back(&mut self) -> Option<A> {
        let before = if self.is_started { self.skipped } else { 0 };
        let left = self.it.len();
        if left <= before {
            return None;
        }
        for _ in 0..(left - 1 - before) % (self.skipped + 1) {
            self.it.next_back();
        }
        self.it.next_back()
    }
    pub fn len(&self) -> usize {
        let before = if self.is_started { self.skipped } else { 0 };
        self.it.len().saturating_sub(before).div_ceil(self.skipped + 1)
    }
}

pub struct Rev<I, A> {
    it: I,
}

pub fn iterator_rev<I, A>(it: I) -> Rev<I, A> {
    Rev { it }
}

impl<I, A> Iterator for Rev<I, A> {
    type Item = A;
    fn next(&mut self) -> Option<A> {
        self.it.next_back()
    }
}

impl<I, A> Rev<I, A> {
    pub fn next_back(&mut self) -> Option<A> {
        self.it.next()
    }
    pub fn len(&self) -> usize {
        self.it.len()
    }
}

pub struct Cycle<I, A> {
    it: I,
    first: I,
}

pub fn iterator_cycle<I, A>(it: I) -> Cycle<I, A> {
    Cycle { it, first: it }
}

impl<I, A> Iterator for Cycle<I, A> {
    type Item = A;
    fn next(&mut self) -> Option<A> {
        match self.it.next() {
            Some(item) => Some(item),
            None => {
                self.it = self.first;
                self.it.next()
            }
        }
    }
}

pub struct Peekable<I, A> {
    it: I,
    is_ahead: bool,
    ahead: Option<A>,
}

pub fn iterator_peekable<I, A>(it: I) -> Peekable<I, A> {
    Peekable { it, is_ahead: false, ahead: None }
}

impl<I, A> Iterator for Peekable<I, A> {
    type Item = A;
    fn next(&mut self) -> Option<A> {
        if self.is_ahead {
            self.is_ahead = false;
            self.ahead
        } else {
            self.it.next()
        }
    }
}

impl<I, A> Peekable<I, A> {
    pub fn peek(&mut self) -> Option<&A> {
        if !self.is_ahead {
            self.ahead = self.it.next();
            self.is_ahead = true;
        }
        self.ahead.as_ref()
    }
    pub fn next_if(&mut self, holds: impl FnOnce(&A) -> bool) -> Option<A> {
        match self.next() {
            Some(item) => {
                if holds(&item) {
                    Some(item)
                } else {
                    self.is_ahead = true;
                    self.ahead = Some(item);
                    None
                }
            }
            None => {
                self.is_ahead = true;
                self.ahead = None;
                None
            }
        }
    }
    pub fn next_if_eq(&mut self, expected: &A) -> Option<A> {
        match self.next() {
            Some(item) => {
                if item == *expected {
                    Some(item)
                } else {
                    self.is_ahead = true;
                    self.ahead = Some(item);
                    None
                }
            }
            None => {
                self.is_ahead = true;
                self.ahead = None;
                None
            }
        }
    }
    pub fn len(&self) -> usize {
        let mut len = self.it.len();
        if self.is_ahead {
            if let Some(_) = self.ahead {
                len += 1;
            }
        }
        len
    }
}

pub struct Flatten<I, J, C> {
    it: I,
    current: Option<J>,
    // No part is asked for after the last.
    is_done: bool,
}

pub fn iterator_flatten<I, A, J, C>(it: I) -> Flatten<I, J, C> {
    Flatten { it, current: None, is_done: false }
}

pub fn iterator_flat_map<I, A, K, J, C, F: FnMut(A) -> K>(it: I, f: F) -> Flatten<Map<I, A, K, F>, J, C> {
    Flatten { it: Map { it, f }, current: None, is_done: false }
}

impl<I, J, C> Iterator for Flatten<I, J, C> {
    type Item = C;
    fn next(&mut self) -> Option<C> {
        loop {
            if let Some(mut current) = self.current {
                let found = current.next();
                self.current = Some(current);
                if let Some(item) = found {
                    return Some(item);
                }
            }
            if self.is_done {
                return None;
            }
            match self.it.next() {
                Some(part) => self.current = Some(part.into_iter()),
                None => {
                    self.is_done = true;
                    self.current = None;
                }
            }
        }
    }
}

pub struct OptionIter<T> {
    item: Option<T>,
}

pub fn option_into_iter<T>(o: Option<T>) -> OptionIter<T> {
    OptionIter { item: o }
}

pub fn option_iter<'a, T>(o: &'a Option<T>) -> OptionIter<&'a T> {
    OptionIter { item: o.as_ref() }
}

pub fn option_iter_mut<'a, T>(o: &'a mut Option<T>) -> OptionIter<&'a mut T> {
    OptionIter { item: o.as_mut() }
}

pub fn result_into_iter<T, E>(r: Result<T, E>) -> OptionIter<T> {
    OptionIter { item: r.ok() }
}

pub fn result_iter<'a, T, E>(r: &'a Result<T, E>) -> OptionIter<&'a T> {
    OptionIter { item: r.as_ref().ok() }
}

pub fn result_iter_mut<'a, T, E>(r: &'a mut Result<T, E>) -> OptionIter<&'a mut T> {
    OptionIter { item: r.as_mut().ok() }
}

impl<T> Iterator for OptionIter<T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        let item = self.item;
        self.item = None;
        item
    }
}

impl<T> OptionIter<T> {
    pub fn len(&self) -> usize {
        self.item.is_some() as usize
    }
    pub fn next_back(&mut self) -> Option<T> {
        self.next()
    }
}

pub fn iterator_fold<I, A, S, F: FnMut(S, A) -> S>(mut it: I, init: S, mut f: F) -> S {
    let mut total = init;
    while let Some(item) = it.next() {
        total = f(total, item);
    }
    total
}

pub fn iterator_rfold<I, A, S, F: FnMut(S, A) -> S>(mut it: I, init: S, mut f: F) -> S {
    let mut total = init;
    while let Some(item) = it.next_back() {
        total = f(total, item);
    }
    total
}

pub fn iterator_rfind<I, A, F: FnMut(&A) -> bool>(it: &mut I, mut f: F) -> Option<A> {
    while let Some(item) = it.next_back() {
        if f(&item) {
            return Some(item);
        }
    }
    None
}

pub fn iterator_nth_back<I, A>(it: &mut I, count: usize) -> Option<A> {
    for _ in 0..count {
        if let None = it.next_back() {
            return None;
        }
    }
    it.next_back()
}

pub fn iterator_reduce<I, A, F: FnMut(A, A) -> A>(mut it: I, mut f: F) -> Option<A> {
    match it.next() {
        Some(first) => {
            let mut total = first;
            while let Some(item) = it.next() {
                total = f(total, item);
            }
            Some(total)
        }
        None => None,
    }
}

pub fn option_or_stop<T>(o: Option<T>) -> Option<T> {
    o
}

pub fn result_or_stop<T, E>(r: Result<T, E>) -> Option<T> {
    match r {
        Ok(value) => Some(value),
        Err(_) => None,
    }
}

impl<T> Option<T> {
    fn going_on(value: T) -> Option<T> {
        Some(value)
    }
}

impl<T, E> Result<T, E> {
    fn going_on(value: T) -> Result<T, E> {
        Ok(value)
    }
}

pub fn iterator_try_fold<I, A, S, R, F: FnMut(S, A) -> R>(it: &mut I, init: S, mut f: F) -> R {
    let mut total = R::going_on(init);
    loop {
        // Before the next item is taken: what ends early leaves it.
        let Some(before) = total.or_stop() else { return total };
        match it.next() {
            Some(item) => total = f(before, item),
            None => return total,
        }
    }
}

pub fn iterator_try_for_each<I, A, R, F: FnMut(A) -> R>(it: &mut I, mut f: F) -> R {
    let mut result = R::going_on(());
    loop {
        let Some(()) = result.or_stop() else { return result };
        match it.next() {
            Some(item) => result = f(item),
            None => return result,
        }
    }
}

pub fn iterator_for_each<I, A, F: FnMut(A)>(mut it: I, mut f: F) {
    while let Some(item) = it.next() {
        f(item);
    }
}

pub fn iterator_any<I, A, F: FnMut(A) -> bool>(it: &mut I, mut f: F) -> bool {
    while let Some(item) = it.next() {
        if f(item) {
            return true;
        }
    }
    false
}

pub fn iterator_all<I, A, F: FnMut(A) -> bool>(it: &mut I, mut f: F) -> bool {
    while let Some(item) = it.next() {
        if !f(item) {
            return false;
        }
    }
    true
}

pub fn iterator_position<I, A, F: FnMut(A) -> bool>(it: &mut I, mut f: F) -> Option<usize> {
    let mut at = 0usize;
    while let Some(item) = it.next() {
        if f(item) {
            return Some(at);
        }
        at += 1;
    }
    None
}

pub fn iterator_rposition<I, A, F: FnMut(A) -> bool>(it: &mut I, mut f: F) -> Option<usize> {
    let mut at = it.len();
    while let Some(item) = it.next_back() {
        at -= 1;
        if f(item) {
            return Some(at);
        }
    }
    None
}

pub fn iterator_find<I, A, F: FnMut(&A) -> bool>(it: &mut I, mut f: F) -> Option<A> {
    while let Some(item) = it.next() {
        if f(&item) {
            return Some(item);
        }
    }
    None
}

pub fn iterator_find_map<I, A, B, F: FnMut(A) -> Option<B>>(it: &mut I, mut f: F) -> Option<B> {
    while let Some(item) = it.next() {
        if let Some(found) = f(item) {
            return Some(found);
        }
    }
    None
}

pub fn iterator_count<I, A>(mut it: I) -> usize {
    let mut count = 0usize;
    while let Some(_) = it.next() {
        count += 1;
    }
    count
}

pub fn iterator_last<I, A>(mut it: I) -> Option<A> {
    let mut last = None;
    while let Some(item) = it.next() {
        last = Some(item);
    }
    last
}

pub fn iterator_nth<I, A>(it: &mut I, count: usize) -> Option<A> {
    for _ in 0..count {
        if let None = it.next() {
            return None;
        }
    }
    it.next()
}

pub fn iterator_sum_of_values<I, A>(mut it: I) -> A {
    let mut total = match it.next() {
        Some(item) => item,
        None => return A::default(),
    };
    while let Some(item) = it.next() {
        total = total + item;
    }
    total
}

pub fn iterator_sum_of_options<I, A, B>(mut it: I) -> Option<B> {
    let mut total = B::default();
    while let Some(item) = it.next() {
        match item {
            Some(value) => total = total + value,
            None => return None,
        }
    }
    Some(total)
}

pub fn iterator_product_of_options<I, A, B>(mut it: I) -> Option<B> {
    let mut total = 1u8 as B;
    while let Some(item) = it.next() {
        match item {
            Some(value) => total = total * value,
            None => return None,
        }
    }
    Some(total)
}

pub fn iterator_sum_of_results<I, A, B, E>(mut it: I) -> Result<B, E> {
    let mut total = B::default();
    while let Some(item) = it.next() {
        match item {
            Ok(value) => total = total + value,
            Err(error) => return Err(error),
        }
    }
    Ok(total)
}

pub fn iterator_product_of_results<I, A, B, E>(mut it: I) -> Result<B, E> {
    let mut total = 1u8 as B;
    while let Some(item) = it.next() {
        match item {
            Ok(value) => total = total * value,
            Err(error) => return Err(error),
        }
    }
    Ok(total)
}

/// The values of options up to the first `None`.
pub struct ValuesOfOptions<I, C> {
    it: I,
    has_ended: bool,
}

impl<I, C> Iterator for ValuesOfOptions<I, C> {
    type Item = C;
    fn next(&mut self) -> Option<C> {
        match self.it.next() {
            Some(Some(value)) => Some(value),
            Some(None) => {
                self.has_ended = true;
                None
            }
            None => None,
        }
    }
}

/// The values of results up to the first `Err`.
pub struct ValuesOfResults<I, C, E> {
    it: I,
    error: Option<E>,
}

impl<I, C, E> Iterator for ValuesOfResults<I, C, E> {
    type Item = C;
    fn next(&mut self) -> Option<C> {
        match self.it.next() {
            Some(Ok(value)) => Some(value),
            Some(Err(error)) => {
                self.error = Some(error);
                None
            }
            None => None,
        }
    }
}

pub fn iterator_sum_of_own_options<I, A, B, C>(it: I) -> Option<B> {
    let mut values: ValuesOfOptions<I, C> = ValuesOfOptions { it, has_ended: false };
    let made = <B as Sum<C>>::sum(&mut values);
    if values.has_ended { None } else { Some(made) }
}

pub fn iterator_product_of_own_options<I, A, B, C>(it: I) -> Option<B> {
    let mut values: ValuesOfOptions<I, C> = ValuesOfOptions { it, has_ended: false };
    let made = <B as Product<C>>::product(&mut values);
    if values.has_ended { None } else { Some(made) }
}

pub fn iterator_collect_of_own_options<I, A, B, C>(it: I) -> Option<B> {
    let mut values: ValuesOfOptions<I, C> = ValuesOfOptions { it, has_ended: false };
    let made = <B as FromIterator<C>>::from_iter(&mut values);
    if values.has_ended { None } else { Some(made) }
}

pub fn iterator_sum_of_own_results<I, A, B, C, E>(it: I) -> Result<B, E> {
    let mut values: ValuesOfResults<I, C, E> = ValuesOfResults { it, error: None };
    let made = <B as Sum<C>>::sum(&mut values);
    match values.error {
        Some(error) => Err(error),
        None => Ok(made),
    }
}

pub fn iterator_product_of_own_results<I, A, B, C, E>(it: I) -> Result<B, E> {
    let mut values: ValuesOfResults<I, C, E> = ValuesOfResults { it, error: None };
    let made = <B as Product<C>>::product(&mut values);
    match values.error {
        Some(error) => Err(error),
        None => Ok(made),
    }
}

pub fn iterator_collect_of_own_results<I, A, B, C, E>(it: I) -> Result<B, E> {
    let mut values: ValuesOfResults<I, C, E> = ValuesOfResults { it, error: None };
    let made = <B as FromIterator<C>>::from_iter(&mut values);
    match values.error {
        Some(error) => Err(error),
        None => Ok(made),
    }
}

pub fn iterator_sum_of_references<I, A, B>(mut it: I) -> B {
    let mut total = match it.next() {
        Some(item) => *item,
        None => return B::default(),
    };
    while let Some(item) = it.next() {
        total = total + *item;
    }
    total
}

pub fn iterator_product_of_references<I, A, B>(mut it: I) -> B {
    let mut total = match it.next() {
        Some(item) => *item,
        None => return 1u8 as B,
    };
    while let Some(item) = it.next() {
        total = total * *item;
    }
    total
}

pub fn iterator_product_of_values<I, A>(mut it: I) -> A {
    let mut total = match it.next() {
        Some(item) => item,
        None => return 1u8 as A,
    };
    while let Some(item) = it.next() {
        total = total * item;
    }
    total
}

pub fn iterator_min<I, A>(mut it: I) -> Option<A> {
    let mut least = match it.next() {
        Some(item) => item,
        None => return None,
    };
    while let Some(item) = it.next() {
        if item < least {
            least = item;
        }
    }
    Some(least)
}

pub fn iterator_max<I, A>(mut it: I) -> Option<A> {
    let mut greatest = match it.next() {
        Some(item) => item,
        None => return None,
    };
    while let Some(item) = it.next() {
        if !(item < greatest) {
            greatest = item;
        }
    }
    Some(greatest)
}

pub fn iterator_min_by<I, A, F: FnMut(&A, &A) -> core::cmp::Ordering>(mut it: I, mut f: F) -> Option<A> {
    let mut least = match it.next() {
        Some(item) => item,
        None => return None,
    };
    while let Some(item) = it.next() {
        if let core::cmp::Ordering::Greater = f(&least, &item) {
            least = item;
        }
    }
    Some(least)
}

pub fn iterator_max_by<I, A, F: FnMut(&A, &A) -> core::cmp::Ordering>(mut it: I, mut f: F) -> Option<A> {
    let mut greatest = match it.next() {
        Some(item) => item,
        None => return None,
    };
    while let Some(item) = it.next() {
        match f(&greatest, &item) {
            core::cmp::Ordering::Greater => {}
            _ => greatest = item,
        }
    }
    Some(greatest)
}

pub fn iterator_min_by_key<I, A, K, F: FnMut(&A) -> K>(mut it: I, mut f: F) -> Option<A> {
    let mut least = match it.next() {
        Some(item) => item,
        None => return None,
    };
    let mut key = f(&least);
    while let Some(item) = it.next() {
        let next = f(&item);
        if next < key {
            least = item;
            key = next;
        }
    }
    Some(least)
}

pub fn iterator_max_by_key<I, A, K, F: FnMut(&A) -> K>(mut it: I, mut f: F) -> Option<A> {
    let mut greatest = match it.next() {
        Some(item) => item,
        None => return None,
    };
    let mut key = f(&greatest);
    while let Some(item) = it.next() {
        let next = f(&item);
        if !(next < key) {
            greatest = item;
            key = next;
        }
    }
    Some(greatest)
}

pub fn iterator_is_sorted<I, A>(mut it: I) -> bool {
    if let Some(first) = it.next() {
        let mut last = first;
        while let Some(item) = it.next() {
            if !(last <= item) {
                return false;
            }
            last = item;
        }
    }
    true
}

pub fn iterator_is_sorted_by<I, A, F: FnMut(&A, &A) -> bool>(mut it: I, mut f: F) -> bool {
    if let Some(first) = it.next() {
        let mut last = first;
        while let Some(item) = it.next() {
            if !f(&last, &item) {
                return false;
            }
            last = item;
        }
    }
    true
}

pub fn iterator_is_sorted_by_key<I, A, K, F: FnMut(A) -> K>(mut it: I, mut f: F) -> bool {
    if let Some(first) = it.next() {
        let mut last = f(first);
        while let Some(item) = it.next() {
            let key = f(item);
            if !(last <= key) {
                return false;
            }
            last = key;
        }
    }
    true
}

pub struct Repeat<T> {
    item: T,
}

pub fn iter_repeat<T>(item: T) -> Repeat<T> {
    Repeat { item }
}

impl<T> Iterator for Repeat<T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        Some(self.item)
    }
}

impl<T> Repeat<T> {
    pub fn next_back(&mut self) -> Option<T> {
        Some(self.item)
    }
    pub fn nth_back(&mut self, _count: usize) -> Option<T> {
        Some(self.item)
    }
    /// More than anyone takes of it: `Take` of it has a length.
    pub fn len(&self) -> usize {
        usize::MAX
    }
}

pub struct RepeatN<T> {
    item: T,
    left: usize,
}

pub fn iter_repeat_n<T>(item: T, count: usize) -> RepeatN<T> {
    RepeatN { item, left: count }
}

pub fn iter_once<T>(item: T) -> RepeatN<T> {
    RepeatN { item, left: 1 }
}

impl<T> Iterator for RepeatN<T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        Some(self.item)
    }
}

impl<T> RepeatN<T> {
    pub fn next_back(&mut self) -> Option<T> {
        self.next()
    }
    pub fn len(&self) -> usize {
        self.left
    }
}

pub struct FromFn<T, F> {
    f: F,
}

pub fn iter_from_fn<T, F: FnMut() -> Option<T>>(f: F) -> FromFn<T, F> {
    FromFn { f }
}

impl<T, F> Iterator for FromFn<T, F> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        (self.f)()
    }
}

pub struct RepeatWith<T, F> {
    f: F,
}

pub fn iter_repeat_with<T, F: FnMut() -> T>(f: F) -> RepeatWith<T, F> {
    RepeatWith { f }
}

impl<T, F> Iterator for RepeatWith<T, F> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        Some((self.f)())
    }
}

pub struct Successors<T, F> {
    ahead: Option<T>,
    f: F,
}

pub fn iter_successors<T, F: FnMut(&T) -> Option<T>>(first: Option<T>, f: F) -> Successors<T, F> {
    Successors { ahead: first, f }
}

impl<T, F> Iterator for Successors<T, F> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        match self.ahead {
            Some(item) => {
                self.ahead = (self.f)(&item);
                Some(item)
            }
            None => None,
        }
    }
}

/// `cmp` of iterators
pub fn iterator_cmp<I, A, K, J, C>(mut it: I, other: K) -> core::cmp::Ordering {
    let mut other = other.into_iter();
    while let Some(left) = it.next() {
        match other.next() {
            Some(right) if left < right => return core::cmp::Ordering::Less,
            Some(right) if left == right => {}
            _ => return core::cmp::Ordering::Greater,
        }
    }
    if other.next().is_some() { core::cmp::Ordering::Less } else { core::cmp::Ordering::Equal }
}

/// `partial_cmp` of iterators
pub fn iterator_partial_cmp<I, A, K, J, C>(mut it: I, other: K) -> Option<core::cmp::Ordering> {
    let mut other = other.into_iter();
    while let Some(left) = it.next() {
        match other.next() {
            Some(right) if left < right => return Some(core::cmp::Ordering::Less),
            Some(right) if left == right => {}
            Some(right) if left > right => return Some(core::cmp::Ordering::Greater),
            Some(_) => return None,
            None => return Some(core::cmp::Ordering::Greater),
        }
    }
    Some(if other.next().is_some() { core::cmp::Ordering::Less } else { core::cmp::Ordering::Equal })
}

/// `eq` of iterators
pub fn iterator_eq<I, A, K, J, C>(mut it: I, other: K) -> bool {
    let mut other = other.into_iter();
    while let Some(left) = it.next() {
        match other.next() {
            Some(right) if left == right => {}
            _ => return false,
        }
    }
    other.next().is_none()
}

/// `ne` of iterators
pub fn iterator_ne<I, A, K, J, C>(mut it: I, other: K) -> bool {
    let mut other = other.into_iter();
    while let Some(left) = it.next() {
        match other.next() {
            Some(right) if left == right => {}
            _ => return true,
        }
    }
    other.next().is_some()
}

/// `lt` of iterators
pub fn iterator_lt<I, A, K, J, C>(mut it: I, other: K) -> bool {
    let mut other = other.into_iter();
    while let Some(left) = it.next() {
        match other.next() {
            Some(right) if left == right => {}
            Some(right) => return left < right,
            None => return false,
        }
    }
    other.next().is_some()
}

/// `le` of iterators
pub fn iterator_le<I, A, K, J, C>(mut it: I, other: K) -> bool {
    let mut other = other.into_iter();
    while let Some(left) = it.next() {
        match other.next() {
            Some(right) if left == right => {}
            Some(right) => return left < right,
            None => return false,
        }
    }
    true
}

/// `gt` of iterators
pub fn iterator_gt<I, A, K, J, C>(mut it: I, other: K) -> bool {
    let mut other = other.into_iter();
    while let Some(left) = it.next() {
        match other.next() {
            Some(right) if left == right => {}
            Some(right) => return left > right,
            None => return true,
        }
    }
    false
}

/// `ge` of iterators
pub fn iterator_ge<I, A, K, J, C>(mut it: I, other: K) -> bool {
    let mut other = other.into_iter();
    while let Some(left) = it.next() {
        match other.next() {
            Some(right) if left == right => {}
            Some(right) => return left > right,
            None => return true,
        }
    }
    other.next().is_none()
}
