//! The kernels that a device has loaded. A launch looks its kernel up without a lock and without counting who uses it.

use std::ptr;
use std::sync::{Arc, Mutex, OnceLock};

use ptx::occupancy::{BestBlockSize, Occupancy};

use super::lock;
use crate::backend::Function;
use crate::error::Result;
use crate::kernel::{KernelData, Variant};
use crate::remembered::Remembered;

/// A kernel on a device, and what was found out about it there.
pub(crate) struct LoadedKernel {
    pub(crate) function: Box<dyn Function>,
    /// The variant that was loaded; empty for PTX of the user's own.
    pub(crate) variant: &'static Variant,
    /// Number of consecutive elements that each of its threads does.
    pub(crate) elements: u32,
    /// Its versions with fewer checks, in the order in which a launch tries them.
    pub(crate) check_free: Vec<Arc<LoadedKernel>>,
    /// Its coarsened version, if there is one.
    pub(crate) coarsened: Option<Arc<LoadedKernel>>,
    /// Best block sizes by dynamic shared memory.
    pub(crate) best: Remembered<u32, BestBlockSize>,
    /// Block sizes of launches that leave them open, by dynamic shared memory; of kernels that ignore blocks.
    pub(crate) sizes: Remembered<u32, u32>,
    /// Occupancies that launches asked for, by threads per block and dynamic shared memory.
    pub(crate) occupancies: Remembered<(u32, u32), Occupancy>,
}

impl LoadedKernel {
    pub(crate) fn new(function: Box<dyn Function>, variant: &'static Variant, elements: u32) -> LoadedKernel {
        let (best, sizes, occupancies) = Default::default();
        LoadedKernel {
            function,
            variant,
            elements,
            check_free: Vec::new(),
            coarsened: None,
            best,
            sizes,
            occupancies,
        }
    }
}

/// Kernels by the address of their data, which lives as long as the program. None is taken out before the device is closed.
#[derive(Default)]
pub(super) struct Kernels {
    table: Table,
    /// Held by who adds a kernel: each is loaded once.
    loading: Mutex<()>,
}

impl Kernels {
    /// A kernel that is known; else `load` loads it.
    #[inline]
    pub(super) fn get_or_load(
        &self,
        kernel: &'static KernelData,
        load: impl FnOnce() -> Result<LoadedKernel>,
    ) -> Result<&Arc<LoadedKernel>> {
        match self.table.get(kernel) {
            Some(known) => Ok(known),
            None => self.add(kernel, load),
        }
    }

    #[cold]
    fn add(
        &self,
        kernel: &'static KernelData,
        load: impl FnOnce() -> Result<LoadedKernel>,
    ) -> Result<&Arc<LoadedKernel>> {
        let _alone = lock(&self.loading);
        // Another thread may have loaded it meanwhile.
        match self.table.get(kernel) {
            Some(known) => Ok(known),
            None => Ok(self.table.insert(kernel, Arc::new(load()?))),
        }
    }
}

/// Places of a table; more than most programs have kernels.
const PLACES: usize = 128;

/// Places that a kernel may be in, one after the other.
const TRIES: usize = 4;

/// A hash table that only grows: what is in it stays where it is.
struct Table {
    places: [OnceLock<(&'static KernelData, Arc<LoadedKernel>)>; PLACES],
    /// For those whose places here are taken.
    more: OnceLock<Box<Table>>,
}

impl Default for Table {
    fn default() -> Table {
        Table { places: [const { OnceLock::new() }; PLACES], more: OnceLock::new() }
    }
}

impl Table {
    /// The places that a kernel may be in. Addresses differ enough as they are; the golden ratio spreads them.
    #[inline]
    fn tries(kernel: &'static KernelData) -> impl Iterator<Item = usize> {
        let hash = (ptr::from_ref(kernel) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        (0..TRIES).map(move |offset| (hash as usize + offset) % PLACES)
    }

    #[inline]
    fn get(&self, kernel: &'static KernelData) -> Option<&Arc<LoadedKernel>> {
        let mut table = self;
        loop {
            for place in Table::tries(kernel) {
                // Places are taken in this order: behind one that is free is nothing.
                let (known, loaded) = table.places[place].get()?;
                if ptr::eq(*known, kernel) {
                    return Some(loaded);
                }
            }
            table = table.more.get()?;
        }
    }

    /// Of a kernel that is not there yet. One thread at a time calls this.
    fn insert(&self, kernel: &'static KernelData, loaded: Arc<LoadedKernel>) -> &Arc<LoadedKernel> {
        match Table::tries(kernel).find(|&place| self.places[place].get().is_none()) {
            Some(place) => &self.places[place].get_or_init(|| (kernel, loaded)).1,
            None => self.more.get_or_init(Box::default).insert(kernel, loaded),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::Gpu;
    use ptx::target::Arch;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn thousands_of_kernels_are_loaded_once_each() {
        let gpu = Gpu::simulator(Arch::Sm90);
        let ptx = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n";
        let module = gpu.load_module(ptx).unwrap();
        let all: &'static [KernelData] = vec![KernelData::EMPTY; 2000].leak();
        let (kernels, loads) = (Kernels::default(), AtomicUsize::new(0));
        let load = || {
            loads.fetch_add(1, Ordering::Relaxed);
            Ok(LoadedKernel::new(module.function("k", "k").unwrap(), &Variant::EMPTY, 1))
        };
        let look_up = || -> Vec<_> {
            all.iter()
                .map(|kernel| Arc::as_ptr(kernels.get_or_load(kernel, load).unwrap()) as usize)
                .collect()
        };
        let found = thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(look_up));
            threads.map(|thread| thread.join().unwrap())
        });
        assert!(found.iter().all(|others| *others == found[0]));
        assert_eq!(loads.into_inner(), all.len());
    }

    #[test]
    fn what_cannot_be_loaded_is_tried_again() {
        let (kernels, kernel) = (Kernels::default(), Box::leak(Box::new(KernelData::EMPTY)));
        for _ in 0..2 {
            let failed = kernels.get_or_load(kernel, || Err(crate::Error::CopyLength { from: 1, to: 2 }));
            assert!(failed.is_err());
        }
    }
}
