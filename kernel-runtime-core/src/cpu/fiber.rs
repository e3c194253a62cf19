//! State of a running thread, and the ways in which it waits.

use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::ptr::{self, NonNull};
use std::rc::Rc;

use kernel_abi::operators::ShuffleMode;
use ptx::target::Arch;

use super::coroutine::Yielder;
use super::memory::{Memory, SharedMemory};
use crate::printed::Printed;
use ptx_sim::matrix;

/// Position of a thread in the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Its index in the block.
    pub thread: [u32; 3],
    /// The block's index in the grid.
    pub block: [u32; 3],
    /// Threads per block.
    pub block_size: [u32; 3],
    /// Blocks per cluster.
    pub cluster_size: [u32; 3],
    /// Blocks per grid.
    pub grid_size: [u32; 3],
    /// The architecture that the launch stands for.
    pub target: Arch,
}

impl Position {
    /// The thread's index in the block, x fastest.
    pub fn linear(&self) -> usize {
        let [x, y, z] = self.thread.map(|axis| axis as usize);
        let [width, height, _] = self.block_size.map(|axis| axis as usize);
        (z * height + y) * width + x
    }

    /// The block's index in its cluster.
    pub fn in_cluster(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.block[axis] % self.cluster_size[axis])
    }

    /// The block's place in its cluster, x fastest.
    pub fn rank(&self) -> usize {
        let [x, y, z] = self.in_cluster().map(|axis| axis as usize);
        let [width, height, _] = self.cluster_size.map(|axis| axis as usize);
        (z * height + y) * width + x
    }
}

/// An event that a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Nothing: it lets the others have their turn, as it may be waiting in a loop for one of them.
    Turn {
        /// The access to an atomic.
        at: &'static Location<'static>,
    },
    /// All threads of the block that have not ended.
    Barrier {
        /// The call.
        at: &'static Location<'static>,
    },
    /// The threads that come to a barrier with a number.
    Named {
        /// Its number.
        id: usize,
        /// The phase that ends when all have come.
        phase: u64,
        /// The call.
        at: &'static Location<'static>,
    },
    /// All threads of the cluster that have not ended.
    Cluster {
        /// The call.
        at: &'static Location<'static>,
    },
    /// All threads of the grid that have not ended.
    Grid {
        /// The call.
        at: &'static Location<'static>,
    },
    /// Lanes of the warp.
    Warp {
        /// For what.
        what: Collective,
        /// The member mask; all lanes that have not ended if there is none.
        mask: Option<u32>,
        /// The bits of the value that this lane offers.
        value: u128,
        /// Those of the right matrix and of the sum, of a product of matrices.
        more: [u128; 2],
        /// Distance, mask or lane of a shuffle.
        operand: u32,
        /// The call.
        at: &'static Location<'static>,
    },
}

/// A collective operation of the lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    /// Each takes the value of another.
    Shuffle(ShuffleMode),
    /// The lanes whose value is not zero.
    Ballot,
    /// True if no lane's value is zero.
    All,
    /// The lanes with the same value.
    MatchAny,
    /// True if all lanes have the same value.
    MatchAll,
    /// D = A B + C with the elements that the lanes hold.
    Product(matrix::Shape),
    /// The elements of four matrices of 8 × 8 that lanes hold, each row of which is one lane's value; true if they are transposed.
    Matrices(bool),
    /// They only wait.
    Sync,
    /// The mask of the active lanes: does not wait for lanes that reach it later.
    ActiveMask,
}

/// A barrier with a number.
#[derive(Clone, Copy, Debug, Default)]
pub struct Named {
    /// Phases that are over.
    pub phase: u64,
    /// Threads that have come in this one.
    pub come: usize,
    /// Threads that the calls say; of nobody before the first has come.
    pub threads: usize,
}

/// Barriers that a block has (PTX ISA, `barrier`): that with the number 0 is `barrier()`.
pub const BARRIERS: usize = 16;

/// State common to the threads of a block, and to the blocks that run together.
pub struct Shared {
    /// The barriers with numbers.
    pub named: [Cell<Named>; BARRIERS],
    /// The block's shared memory.
    pub memory: SharedMemory,
    /// Bytes of its dynamic part.
    pub dynamic_bytes: usize,
    /// State common to all blocks that run together.
    pub together: Rc<Together>,
}

/// State common to blocks that run together.
#[derive(Default)]
pub struct Together {
    /// Number of times that an atomic got a new value.
    pub changes: Cell<u64>,
    /// State of each of the blocks, in their order: of a cluster by their ranks. They are there while the blocks run.
    pub blocks: RefCell<Vec<*const Shared>>,
    /// Texts that threads have printed, in order.
    pub printed: RefCell<Vec<Printed>>,
}

/// The number of the dynamic part.
const DYNAMIC: usize = usize::MAX;

/// State that a running thread can reach.
pub struct Context<'a> {
    /// Accesses to atomics since its turn began.
    pub accesses: Cell<u32>,
    pub position: Position,
    pub shared: &'a Shared,
    pub yielder: &'a Yielder,
}

thread_local! {
    /// The context of the thread that runs now; null outside kernels.
    static CURRENT: Cell<*const Context<'static>> = const { Cell::new(ptr::null()) };
}

/// Keeps what a thread of a kernel prints.
pub fn print(printed: Printed) {
    with_current("println!", |context| context.shared.together.printed.borrow_mut().push(printed));
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

/// Returns true if a thread of a kernel runs now.
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

/// The position of the calling thread. `function` is named in the panic outside kernels.
pub fn position(function: &str) -> Position {
    with_current(function, |context| context.position)
}

/// Waits; answers with what the scheduler passes back: the bits of a collective's result.
pub fn suspend(wait: Wait) -> u128 {
    let function = match wait {
        Wait::Barrier { .. } => "barrier",
        Wait::Named { .. } => "barrier::named",
        Wait::Cluster { .. } => "cluster::sync",
        Wait::Grid { .. } => "grid_barrier",
        Wait::Turn { .. } => "an atomic operation",
        Wait::Warp { .. } => "warp",
    };
    with_current(function, |context| {
        let answer = context.yielder.suspend(wait);
        set_current(context);
        answer
    })
}

/// Comes to a barrier with a number for so many threads, and waits there or not.
///
/// # Panics
/// If others have come to it for another number of threads.
pub fn come(id: usize, threads: usize, waits: bool, at: &'static Location<'static>) {
    // A warp comes as a whole: none of its lanes is here twice before all are here once.
    let sync = Wait::Warp { what: Collective::Sync, mask: None, value: 0, more: [0; 2], operand: 0, at };
    let lanes = suspend(sync) as u32;
    let phase = with_current("barrier::named", |context| {
        let barrier = &context.shared.named[id % BARRIERS];
        let mut state = barrier.get();
        if state.come == 0 {
            state.threads = threads;
        }
        if state.threads != threads {
            return Err(state.threads);
        }
        // Lanes that the block does not have count, too, with the first one.
        let is_first = context.position.linear() as u32 % u32::BITS == lanes.trailing_zeros();
        state.come += if is_first { lanes.count_zeros() as usize + 1 } else { 1 };
        let phase = state.phase;
        if state.come >= threads {
            state = Named { phase: phase + 1, ..Named::default() };
        }
        barrier.set(state);
        Ok((state.phase == phase).then_some(phase))
    });
    match phase {
        Ok(Some(phase)) if waits => {
            suspend(Wait::Named { id, phase, at });
        }
        Ok(_) => {}
        Err(others) => {
            panic!("expected {others} threads at barrier {id}, as others there say, found {threads}")
        }
    }
}

/// Accesses to atomics in a turn.
const TURN: u32 = 64;

/// An access to an atomic: after some of them the others have their turn. `changed` says whether it wrote something new.
pub fn atomic_access(changed: bool, at: &'static Location<'static>) {
    let ends = with_current("an atomic operation", |context| {
        if changed {
            let changes = &context.shared.together.changes;
            changes.set(changes.get() + 1);
        }
        let accesses = context.accesses.get() + 1;
        context.accesses.set(accesses % TURN);
        accesses == TURN
    });
    if ends {
        suspend(Wait::Turn { at });
    }
}

/// Returns true if an address is in the shared memory of the block or of another one of its cluster; false for all outside kernels.
pub fn is_shared(address: *const u8) -> bool {
    is_running()
        && with_current("shared memory", |context| {
            let holds = |block: &*const Shared| {
                // SAFETY: all of them outlive every thread of the blocks, of which this is one.
                unsafe { &**block }.memory.holds(address)
            };
            let in_others = || context.shared.together.blocks.borrow().iter().any(holds);
            context.shared.memory.holds(address) || context.position.cluster_size != [1; 3] && in_others()
        })
}

/// The place in another block of the cluster of a variable that begins at an address in this one.
///
/// # Panics
/// If none does, or no block has that rank.
#[track_caller]
pub fn of_block<T: Memory>(start: *mut T, rank: usize) -> *mut T {
    let (known, block) = with_current("cluster::shared", |context| {
        let block = context.shared.together.blocks.borrow().get(rank).copied();
        (context.shared.memory.number_of(start.cast_const().cast()), block)
    });
    let (Some((number, bytes)), Some(block)) = (known, block) else {
        std::panic::panic_any("internal error: no such variable in the cluster".to_owned())
    };
    // SAFETY: it outlives every thread of the blocks, of which this is one.
    let block = unsafe { &*block };
    block.memory.variable(number, bytes).as_ptr()
}

/// The block's variable of this number: as many elements of a type as so many bytes hold.
#[track_caller]
pub fn shared_variable<T: Memory>(function: &str, number: usize, bytes: usize) -> NonNull<T> {
    let shared = with_current(function, |context| ptr::from_ref(context.shared));
    // SAFETY: it outlives every thread of the block, of which this is one.
    let shared = unsafe { &*shared };
    shared.memory.variable(number, bytes)
}

/// The bytes of the block's dynamic shared memory.
pub fn dynamic_bytes(function: &str) -> usize {
    with_current(function, |context| context.shared.dynamic_bytes)
}

/// The block's dynamic shared memory, and how many elements of a type it holds.
#[track_caller]
pub fn dynamic_shared<T: Memory>(function: &str) -> (NonNull<T>, usize) {
    let bytes = dynamic_bytes(function);
    (shared_variable(function, DYNAMIC, bytes), bytes / size_of::<T>().max(1))
}
