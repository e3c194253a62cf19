//! Global memory: allocations with guard gaps, shared by every block of a launch.
//!
//! Blocks run in parallel and kernels may race. Memory is therefore made of relaxed atomic words: a racing kernel reads
//! one value or another, as on a GPU, and never is undefined behaviour here. Accesses narrower than a word exchange the
//! word, wider ones take two.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use super::fault::{Misdeed, Nearest, Touch};
use super::names::Label;

/// First address of the first allocation. Below are the windows of the other spaces, and null.
const FIRST_ADDRESS: u64 = 0x0000_1000_0000_0000;
/// Gap between two allocations, so that an index far out of range still meets nothing.
const GUARD_BYTES: u64 = 16 << 20;
/// So many allocations that were freed are remembered, to explain an access to one.
const MOST_FREED: usize = 1024;
/// Allocations are aligned to this at least, as those of `cudaMalloc`.
const MIN_ALIGN: u64 = 256;

/// Identifies the module whose variables are placed in a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ModuleId(pub(crate) u64);

/// The global memory of a simulated device. Addresses are never used twice.
#[derive(Debug, Default)]
pub struct Memory {
    state: RwLock<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Sorted by address.
    allocations: Vec<Arc<Allocation>>,
    heap: Option<Arc<Heap>>,
    /// The last buffers freed, sorted by address.
    freed: Arc<Vec<Freed>>,
    next: u64,
    /// The addresses of the variables of modules.
    modules: HashMap<ModuleId, u64>,
}

/// An allocation that is no more.
#[derive(Clone, Copy, Debug)]
struct Freed {
    base: u64,
    bytes: u64,
    label: Option<Label>,
}

/// The memory that kernels take with `malloc`: as large as CUDA's is by default. It is not given out twice.
#[derive(Debug)]
struct Heap {
    next: AtomicU64,
    end: u64,
}

const HEAP_BYTES: u64 = 8 << 20;

/// An address that is not inside any allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes at {address:#x} are not inside one allocation")]
pub struct NotAllocated {
    /// The address.
    pub address: u64,
    /// The number of bytes wanted.
    pub bytes: u64,
}

impl Memory {
    /// An empty memory.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Reserves `bytes` zeroed bytes at a multiple of `align`, and returns their address. It is never null, also when
    /// there are no bytes.
    ///
    /// # Panics
    /// If the host has not so much memory, as `Vec` does.
    pub fn allocate(&self, bytes: u64, align: u64) -> u64 {
        self.write_state(|state| state.allocate(bytes, align))
    }

    /// Ends an allocation. Later accesses to it are out of bounds.
    pub fn free(&self, address: u64) -> Result<(), NotAllocated> {
        self.write_state(|state| {
            let found = state.allocations.binary_search_by_key(&address, |allocation| allocation.base);
            let index = found.map_err(|_| NotAllocated { address, bytes: 0 })?;
            let allocation = state.allocations.remove(index);
            let freed = Arc::make_mut(&mut state.freed);
            let place = freed.partition_point(|freed| freed.base < address);
            let label = allocation.label.get().copied();
            freed.insert(place, Freed { base: address, bytes: allocation.bytes, label });
            if freed.len() > MOST_FREED {
                // The entry at the lowest address, the first that was allocated.
                freed.remove(0);
            }
            Ok(())
        })
    }

    /// Notes the origin of an allocation, for messages.
    pub fn label(&self, address: u64, label: Label) {
        if let Ok((allocation, _)) = self.range(address, 0) {
            // It has one at most: that of who asked for it.
            let _ = allocation.label.set(label);
        }
    }

    /// Copies bytes to the host.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), NotAllocated> {
        let (allocation, offset) = self.range(address, bytes.len() as u64)?;
        allocation.read(offset, bytes);
        Ok(())
    }

    /// Copies bytes from the host.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), NotAllocated> {
        let (allocation, offset) = self.range(address, bytes.len() as u64)?;
        allocation.write(offset, bytes);
        Ok(())
    }

    /// Sets `bytes` bytes to `value`.
    pub fn fill(&self, address: u64, value: u8, bytes: u64) -> Result<(), NotAllocated> {
        let (allocation, offset) = self.range(address, bytes)?;
        let chunk = [value; 4096];
        let mut done = 0;
        while done < bytes {
            let step = (bytes - done).min(chunk.len() as u64);
            allocation.write(offset + done, &chunk[..step as usize]);
            done += step;
        }
        // Known at once rather than chunk by chunk.
        allocation.initialize(offset, bytes);
        Ok(())
    }

    /// Makes sure that there is a heap.
    pub(crate) fn reserve_heap(&self) {
        self.write_state(|state| {
            if state.heap.is_none() {
                let start = state.allocate(HEAP_BYTES, 16);
                let (next, end) = (AtomicU64::new(start), start + HEAP_BYTES);
                state.heap = Some(Arc::new(Heap { next, end }));
            }
        });
    }

    /// The allocations as they are now. They live as long as the view does.
    pub(crate) fn view(&self) -> View {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        View { allocations: state.allocations.clone(), freed: state.freed.clone(), heap: state.heap.clone() }
    }

    /// The address of the variables of a module; `place` gives their initial bytes for an address when they are not placed yet.
    pub(crate) fn module(&self, id: ModuleId, bytes: u64, place: impl FnOnce(u64) -> Vec<u8>) -> u64 {
        if bytes == 0 {
            return 0;
        }
        self.write_state(|state| {
            if let Some(&address) = state.modules.get(&id) {
                return address;
            }
            let address = state.allocate(bytes, MIN_ALIGN);
            if let Some(allocation) = state.allocations.last() {
                allocation.write(0, &place(address));
            }
            state.modules.insert(id, address);
            address
        })
    }

    fn write_state<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.write().unwrap_or_else(PoisonError::into_inner))
    }

    fn range(&self, address: u64, bytes: u64) -> Result<(Arc<Allocation>, u64), NotAllocated> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let index = state.allocations.partition_point(|allocation| allocation.base <= address);
        let allocation = index.checked_sub(1).map(|index| &state.allocations[index]);
        let inside = allocation.filter(|allocation| {
            bytes <= allocation.bytes && address - allocation.base <= allocation.bytes - bytes
        });
        let allocation = inside.ok_or(NotAllocated { address, bytes })?;
        Ok((allocation.clone(), address - allocation.base))
    }
}

impl State {
    fn allocate(&mut self, bytes: u64, align: u64) -> u64 {
        let align = align.max(MIN_ALIGN).next_power_of_two();
        let base = self.next.max(FIRST_ADDRESS).next_multiple_of(align);
        self.allocations.push(Arc::new(Allocation::new(base, bytes)));
        self.next = base + bytes.max(1) + GUARD_BYTES;
        base
    }
}

/// Bytes that are somewhere in global memory.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub(crate) base: u64,
    pub(crate) bytes: u64,
    pub(crate) words: Box<[AtomicU32]>,
    /// Every byte has been written.
    all_initialized: AtomicBool,
    /// Bytes that have been written, by 64, if not all have.
    initialized: Box<[AtomicU64]>,
    /// Held while bits are taken back.
    forgetting: Mutex<()>,
    label: OnceLock<Label>,
}

impl Allocation {
    fn new(base: u64, bytes: u64) -> Allocation {
        let words = std::iter::repeat_with(|| AtomicU32::new(0)).take(bytes.div_ceil(4) as usize).collect();
        let bits = std::iter::repeat_with(|| AtomicU64::new(0)).take(bytes.div_ceil(64) as usize).collect();
        Allocation {
            base,
            bytes,
            words,
            all_initialized: AtomicBool::new(false),
            initialized: bits,
            forgetting: Mutex::new(()),
            label: OnceLock::new(),
        }
    }

    /// Notes that bytes have been written.
    pub(crate) fn initialize(&self, offset: u64, bytes: u64) {
        if self.all_initialized.load(Ordering::Relaxed) {
            return;
        }
        if bytes == self.bytes {
            self.all_initialized.store(true, Ordering::Relaxed);
        }
        for (index, mask) in bit_masks(offset, bytes) {
            if let Some(bits) = self.initialized.get(index) {
                bits.fetch_or(mask, Ordering::Relaxed);
            }
        }
    }

    /// Notes that a byte has been written with a value that is missing.
    pub(crate) fn forget(&self, offset: u64) {
        // The bits count from now on: nobody has kept them while all were known to be set.
        let _one_at_a_time = self.forgetting.lock().unwrap_or_else(PoisonError::into_inner);
        if self.all_initialized.load(Ordering::Relaxed) {
            self.initialized.iter().for_each(|bits| bits.store(u64::MAX, Ordering::Relaxed));
        }
        for (index, mask) in bit_masks(offset, 1) {
            if let Some(bits) = self.initialized.get(index) {
                bits.fetch_and(!mask, Ordering::Relaxed);
            }
        }
        self.all_initialized.store(false, Ordering::Relaxed);
    }

    /// Returns true if every byte has been written.
    #[inline]
    pub(crate) fn is_all_initialized(&self) -> bool {
        self.all_initialized.load(Ordering::Relaxed)
    }

    /// Returns true if any of these bytes has been written.
    #[inline]
    pub(crate) fn any_initialized(&self, offset: u64, bytes: u64) -> bool {
        self.all_initialized.load(Ordering::Relaxed)
            || bit_masks(offset, bytes).any(|(index, mask)| {
                self.initialized.get(index).is_none_or(|bits| bits.load(Ordering::Relaxed) & mask != 0)
            })
    }

    /// Returns true if all of these bytes have been written.
    #[inline]
    pub(crate) fn all_initialized(&self, offset: u64, bytes: u64) -> bool {
        self.all_initialized.load(Ordering::Relaxed)
            || bit_masks(offset, bytes).all(|(index, mask)| {
                self.initialized.get(index).is_none_or(|bits| bits.load(Ordering::Relaxed) & mask == mask)
            })
    }

    fn read(&self, offset: u64, mut bytes: &mut [u8]) {
        let mut index = (offset / 4) as usize;
        let mut skip = (offset % 4) as usize;
        if skip == 0 {
            // Whole words first: copies are large and nearly always aligned.
            let (whole, rest) = bytes.as_chunks_mut::<4>();
            for (chunk, word) in whole.iter_mut().zip(&self.words[index..]) {
                *chunk = word.load(Ordering::Relaxed).to_le_bytes();
            }
            (index, bytes) = (index + whole.len(), rest);
        }
        while !bytes.is_empty() {
            let word = self.words[index].load(Ordering::Relaxed).to_le_bytes();
            let count = bytes.len().min(4 - skip);
            let (now, rest) = bytes.split_at_mut(count);
            now.copy_from_slice(&word[skip..skip + count]);
            (bytes, index, skip) = (rest, index + 1, 0);
        }
    }

    fn write(&self, offset: u64, mut bytes: &[u8]) {
        self.initialize(offset, bytes.len() as u64);
        let mut index = (offset / 4) as usize;
        let mut skip = (offset % 4) as usize;
        if skip == 0 {
            let (whole, rest) = bytes.as_chunks::<4>();
            for (chunk, word) in whole.iter().zip(&self.words[index..]) {
                word.store(u32::from_le_bytes(*chunk), Ordering::Relaxed);
            }
            (index, bytes) = (index + whole.len(), rest);
        }
        while !bytes.is_empty() {
            let count = bytes.len().min(4 - skip);
            let (now, rest) = bytes.split_at(count);
            let mut word = [0; 4];
            word[skip..skip + count].copy_from_slice(now);
            let mut mask = [0; 4];
            mask[skip..skip + count].fill(0xff);
            self.merge(index, u32::from_le_bytes(word), u32::from_le_bytes(mask));
            (bytes, index, skip) = (rest, index + 1, 0);
        }
    }

    /// Writes the bits of `mask` in a word.
    fn merge(&self, index: usize, value: u32, mask: u32) {
        let word = &self.words[index];
        if mask == u32::MAX {
            word.store(value, Ordering::Relaxed);
        } else {
            // The closure always gives a value, so the update cannot fail.
            let _ = word
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(old & !mask | value & mask));
        }
    }

    /// The `size` bytes (1, 2, 4 or 8) at an offset that is a multiple of it and inside.
    #[inline(always)]
    pub(crate) fn load(&self, offset: u64, size: u32) -> u64 {
        let index = (offset / 4) as usize;
        let word = u64::from(self.words[index].load(Ordering::Relaxed));
        match size {
            8 => word | u64::from(self.words[index + 1].load(Ordering::Relaxed)) << 32,
            4 => word,
            2 => word >> (8 * (offset & 2)) & 0xffff,
            _ => word >> (8 * (offset & 3)) & 0xff,
        }
    }

    /// Writes the `size` bytes (1, 2, 4 or 8) at an offset that is a multiple of it and inside.
    #[inline(always)]
    pub(crate) fn store(&self, offset: u64, size: u32, value: u64) {
        let index = (offset / 4) as usize;
        match size {
            8 => {
                self.words[index].store(value as u32, Ordering::Relaxed);
                self.words[index + 1].store((value >> 32) as u32, Ordering::Relaxed);
            }
            4 => self.words[index].store(value as u32, Ordering::Relaxed),
            2 => {
                let shift = 8 * (offset & 2);
                self.merge(index, (value as u32) << shift, 0xffff << shift);
            }
            _ => {
                let shift = 8 * (offset & 3);
                self.merge(index, (value as u32) << shift, 0xff << shift);
            }
        }
    }
}

/// The words and bits of a bitmap that a range of bits is in.
fn bit_masks(start: u64, count: u64) -> impl Iterator<Item = (usize, u64)> {
    let end = start + count;
    // Of no bits there is no word, also where they would begin within one.
    let words = if count == 0 { 0..0 } else { start / 64..end.div_ceil(64) };
    words.map(move |word| {
        let (low, high) = (start.max(word * 64) - word * 64, end.min(word * 64 + 64) - word * 64);
        (word as usize, (u64::MAX >> (64 - (high - low))) << low)
    })
}

/// A bit for each byte of a memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    pub(crate) fn new(bytes: u64) -> Bits {
        Bits(vec![0; bytes.div_ceil(64) as usize])
    }

    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    pub(crate) fn set(&mut self, start: u64, count: u64) {
        for (index, mask) in bit_masks(start, count) {
            if let Some(word) = self.0.get_mut(index) {
                *word |= mask;
            }
        }
    }

    pub(crate) fn unset(&mut self, start: u64, count: u64) {
        for (index, mask) in bit_masks(start, count) {
            if let Some(word) = self.0.get_mut(index) {
                *word &= !mask;
            }
        }
    }

    /// Returns true if all of these are set; false if there are so many that the check takes long.
    pub(crate) fn all(&self, start: u64, count: u64) -> bool {
        const MANY: u64 = 1024;
        count <= MANY
            && bit_masks(start, count)
                .all(|(index, mask)| self.0.get(index).is_some_and(|word| word & mask == mask))
    }

    pub(crate) fn any(&self, start: u64, count: u64) -> bool {
        bit_masks(start, count).any(|(index, mask)| self.0.get(index).is_some_and(|word| word & mask != 0))
    }
}

/// The allocations that a launch sees.
#[derive(Clone, Debug)]
pub(crate) struct View {
    allocations: Vec<Arc<Allocation>>,
    freed: Arc<Vec<Freed>>,
    heap: Option<Arc<Heap>>,
}

impl View {
    /// The address of so many bytes of the heap, if it has them.
    pub(crate) fn take_from_heap(&self, bytes: u64) -> Option<u64> {
        let heap = self.heap.as_ref()?;
        let bytes = bytes.max(1).checked_next_multiple_of(16).filter(|&bytes| bytes <= HEAP_BYTES)?;
        let start = heap.next.fetch_add(bytes, Ordering::Relaxed);
        (start.checked_add(bytes)? <= heap.end).then_some(start)
    }

    pub(crate) fn allocations(&self) -> impl Iterator<Item = &Allocation> {
        self.allocations.iter().map(|allocation| &**allocation)
    }

    /// Takes everything as initialised: nobody looks at what a kernel writes.
    pub(crate) fn assume_initialized(&self) {
        for allocation in &self.allocations {
            allocation.all_initialized.store(true, Ordering::Relaxed);
        }
    }

    /// The allocation that holds `address`, with its index.
    #[inline]
    pub(crate) fn find_index(&self, address: u64) -> Option<(usize, &Allocation)> {
        let index =
            self.allocations.partition_point(|allocation| allocation.base <= address).checked_sub(1)?;
        let allocation = &self.allocations[index];
        (address - allocation.base < allocation.bytes).then_some((index, &**allocation))
    }

    /// The fault of an access that is in no allocation.
    pub(crate) fn outside(&self, touch: Touch) -> Misdeed {
        let at = touch.address;
        match self.freed_at(at) {
            Some(Freed { base: address, bytes, .. }) => {
                Misdeed::UseAfterFree { touch: touch.into(), address, bytes }
            }
            None => Misdeed::OutOfBounds { touch: touch.into(), nearest: self.nearest(at) },
        }
    }

    /// The freed buffer that had this address.
    fn freed_at(&self, address: u64) -> Option<Freed> {
        let index = self.freed.partition_point(|freed| freed.base <= address);
        let freed = self.freed[index.checked_sub(1)?];
        (address - freed.base < freed.bytes).then_some(freed)
    }

    /// Address, size and origin of the allocation that holds an address, was freed there, or is nearest; true of one that was freed.
    pub(crate) fn nearest_labelled(&self, address: u64) -> Option<(u64, u64, Option<Label>, bool)> {
        let of = |allocation: &Allocation| {
            (allocation.base, allocation.bytes, allocation.label.get().copied(), false)
        };
        if let Some(allocation) = self.find(address) {
            return Some(of(allocation));
        }
        if let Some(Freed { base, bytes, label }) = self.freed_at(address) {
            return Some((base, bytes, label, true));
        }
        let nearest = self.nearest(address)?;
        self.find(nearest.address).map(of)
    }

    /// The allocation that holds `address`, if any does.
    #[inline]
    pub(crate) fn find(&self, address: u64) -> Option<&Allocation> {
        let index = self.allocations.partition_point(|allocation| allocation.base <= address);
        let allocation = &self.allocations[index.checked_sub(1)?];
        (address - allocation.base < allocation.bytes).then_some(allocation)
    }

    /// The allocation nearest to an access that is in none.
    pub(crate) fn nearest(&self, address: u64) -> Option<Nearest> {
        let index = self.allocations.partition_point(|allocation| allocation.base <= address);
        let before = index.checked_sub(1).map(|index| &self.allocations[index]).map(|allocation| Nearest {
            address: allocation.base,
            bytes: allocation.bytes,
            distance: address.saturating_sub(allocation.base + allocation.bytes) as i64,
        });
        let after = self.allocations.get(index).map(|allocation| Nearest {
            address: allocation.base,
            bytes: allocation.bytes,
            distance: (address as i64).wrapping_sub(allocation.base as i64),
        });
        match (before, after) {
            (Some(before), Some(after)) if after.distance.unsigned_abs() < before.distance.unsigned_abs() => {
                Some(after)
            }
            (before, after) => before.or(after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bits_are_in_no_word() {
        for start in [0, 1, 63, 64, 4095] {
            assert_eq!(bit_masks(start, 0).count(), 0);
        }
        let mut bits = Bits::new(256);
        bits.set(70, 0);
        assert!(!bits.any(0, 256));
        bits.set(0, 256);
        bits.unset(3, 0);
        assert!(bits.all(0, 256));
    }

    #[test]
    fn bytes_come_back_from_any_offset() {
        let memory = Memory::new();
        let address = memory.allocate(11, 1);
        let bytes: Vec<u8> = (1..=9).collect();
        memory.write(address + 1, &bytes).unwrap();
        let mut all = [0; 11];
        memory.read(address, &mut all).unwrap();
        assert_eq!(all, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0]);
        memory.fill(address + 3, 7, 5).unwrap();
        memory.read(address, &mut all).unwrap();
        assert_eq!(all, [0, 1, 2, 7, 7, 7, 7, 7, 8, 9, 0]);
    }

    #[test]
    fn outside_is_an_error() {
        let memory = Memory::new();
        let address = memory.allocate(8, 4096);
        assert_eq!(address % 4096, 0);
        assert_eq!(memory.write(address, &[0; 9]), Err(NotAllocated { address, bytes: 9 }));
        assert!(memory.read(address + 9, &mut []).is_err());
        assert_eq!(memory.view().nearest(address + 24).unwrap().distance, 16);
        memory.free(address).unwrap();
        assert!(memory.free(address).is_err());
        assert!(memory.read(address, &mut [0]).is_err());
    }
}
