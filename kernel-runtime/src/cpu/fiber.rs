//! What a thread knows of itself while it runs, and how it waits.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::ptr;
use std::rc::Rc;

use corosensei::Yielder;
use ptx_gen::ir::ShuffleMode;

use crate::device::Scalar;

/// Where a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Its index in the block.
    pub thread: [u32; 3],
    /// The block's index in the grid.
    pub block: [u32; 3],
    /// Threads per block.
    pub block_size: [u32; 3],
    /// Blocks per grid.
    pub grid_size: [u32; 3],
}

impl Position {
    /// The thread's index in the block, x fastest.
    pub fn linear(&self) -> usize {
        let [x, y, z] = self.thread.map(|axis| axis as usize);
        let [width, height, _] = self.block_size.map(|axis| axis as usize);
        (z * height + y) * width + x
    }
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// All threads of the block that have not ended.
    Barrier {
        /// The call.
        at: &'static Location<'static>,
    },
    /// All lanes of the warp that have not ended.
    Shuffle {
        /// How `operand` is meant.
        mode: ShuffleMode,
        /// The bits of the value that this lane offers.
        value: u64,
        /// Distance, mask or lane.
        operand: u32,
        /// The call.
        at: &'static Location<'static>,
    },
}

/// Which variable in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedKey {
    /// By the number of the call in its kernel.
    Number(usize),
    /// By the place of the call.
    Location(&'static Location<'static>),
}

/// The shared memory of a block: variables by key, each an `Rc<[Cell<T>]>`.
#[derive(Default)]
pub struct SharedMemory(RefCell<Vec<(SharedKey, Box<dyn Any>)>>);

/// What a running thread can reach.
pub struct Context<'a> {
    pub position: Position,
    pub shared: &'a SharedMemory,
    pub yielder: &'a Yielder<u64, Wait>,
}

thread_local! {
    /// The context of the thread that runs now; null outside kernels.
    static CURRENT: Cell<*const Context<'static>> = const { Cell::new(ptr::null()) };
}

/// Runs a thread's body with its context in reach of the device functions.
pub fn enter(context: &Context<'_>, body: &dyn Fn()) {
    set_current(context);
    body();
}

fn set_current(context: &Context<'_>) {
    CURRENT.set(ptr::from_ref(context).cast());
}

/// No thread of a kernel runs now: to be called whenever control comes back from a fiber.
pub fn leave() {
    CURRENT.set(ptr::null());
}

/// Whether a thread of a kernel runs now.
pub fn is_running() -> bool {
    !CURRENT.get().is_null()
}

fn with_current<R>(function: &str, use_it: impl FnOnce(&Context<'_>) -> R) -> R {
    let current = CURRENT.get();
    assert!(
        !current.is_null(),
        "`{function}` was called outside a kernel: it has a meaning only in the body of a `#[kernel]` function"
    );
    // SAFETY: the pointer was set by `enter` or `suspend` in the fiber that runs now and whose stack holds the context
    // for as long as its body runs; `leave` clears it when control goes back to the scheduler. The shortened lifetime
    // keeps `use_it` from storing the reference.
    use_it(unsafe { &*current })
}

/// Where the calling thread is. `function` is named in the panic outside kernels.
pub fn position(function: &str) -> Position {
    with_current(function, |context| context.position)
}

/// Waits; answers with what the scheduler passes back: the bits of a shuffle's result.
pub fn suspend(wait: Wait) -> u64 {
    let function = match wait {
        Wait::Barrier { .. } => "barrier",
        Wait::Shuffle { .. } => "warp::shfl",
    };
    with_current(function, |context| {
        let answer = context.yielder.suspend(wait);
        set_current(context);
        answer
    })
}

/// The block's variable of this key, made at the first call: `len` scalars.
pub fn shared_variable<T: Scalar>(key: SharedKey, len: usize) -> Rc<[Cell<T>]> {
    with_current("shared", |context| {
        let mut variables = context.shared.0.borrow_mut();
        let known = variables.iter().filter(|(other, _)| *other == key);
        if let Some(cells) = known.filter_map(|(_, cells)| cells.downcast_ref::<Rc<[Cell<T>]>>()).next() {
            return Rc::clone(cells);
        }
        let cells: Rc<[Cell<T>]> = (0..len).map(|_| Cell::new(T::POISON)).collect();
        variables.push((key, Box::new(Rc::clone(&cells))));
        cells
    })
}
