//! Runs the threads of one block as fibers, or of all blocks of a cluster or a grid that wait for each other, and lets them meet at
//! barriers and warp collectives.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::rc::Rc;

use kernel_abi::operators::ShuffleMode;

use super::coroutine::{Coroutine, Resumed, Stack, Yielder};
use super::fiber::{self, Collective, Context, Position, Shared, Wait};
use super::memory::SharedMemory;
use super::panics::{self, Caught};
use crate::device::warp;
use ptx_sim::matrix;

/// Why a kernel did not run to its end on the CPU.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum CpuError {
    /// A thread panicked. The others ran on.
    #[error("thread {thread:?} of block {block:?} panicked at {file}:{line}:{column}: {message}")]
    Panicked { message: String, file: String, line: u32, column: u32, block: [u32; 3], thread: [u32; 3] },
    /// Threads wait for each other at different places.
    #[error(
        "block {block:?} hangs: {first}, but {second}; a barrier needs every thread of the block at the same call, \
         a warp collective every lane of the warp"
    )]
    Diverged { block: [u32; 3], first: String, second: String },
    /// Threads wait at barriers with numbers to which not enough others come.
    #[error("block {block:?} hangs: {}; each barrier opens when as many threads have come as it is for", .waiting.join("; "))]
    Named { block: [u32; 3], waiting: Vec<String> },
    /// Threads wait in a loop for what nobody does.
    #[error(
        "block {block:?} hangs: thread {thread:?} waits for an atomic to change at {at}, and no thread of the block \
         changes one; blocks run one after the other on the CPU, so none may wait for a later one"
    )]
    Spins { block: [u32; 3], thread: [u32; 3], at: String },
    /// A lane takes its value from one that is not there.
    #[error(
        "lane {lane} of warp {warp} in block {block:?} takes a value from lane {source_lane}, which has ended or is \
         not in the block, at {at}"
    )]
    InactiveLane { block: [u32; 3], warp: usize, lane: usize, source_lane: usize, at: String },
    /// A lane is missing at an instruction of the whole warp.
    #[error(
        "lane {lane} of warp {warp} in block {block:?} has ended or is not in the block, and the instruction on matrices at {at} \
         needs all 32 lanes"
    )]
    IncompleteWarp { block: [u32; 3], warp: usize, lane: usize, at: String },
    /// The system gives no memory for the threads' stacks.
    #[error(
        "no memory for the stack of a thread, {bytes} bytes: {reason}\n\
         help: ask for less with `.stack(bytes)`, launch smaller blocks, or keep large arrays in buffers"
    )]
    Stack { bytes: usize, reason: String },
}

crate::error::debug_by_display!(CpuError);

/// A thread of the block.
enum Thread {
    /// It has ended.
    Ended,
    /// It has ended by a panic.
    Panicked,
    /// It waits in its fiber.
    Waiting { fiber: Coroutine, wait: Wait },
}

/// Stacks of fibers that have ended, for those to come; all of one size.
pub struct Stacks {
    kept: RefCell<Vec<Stack>>,
    /// Memory is taken only as it is touched.
    bytes: usize,
}

impl Stacks {
    /// Of so many bytes each.
    pub fn of(bytes: usize) -> Stacks {
        Stacks { kept: RefCell::default(), bytes }
    }

    fn take(&self) -> Result<Stack, CpuError> {
        let kept = self.kept.borrow_mut().pop();
        kept.map_or_else(|| Stack::new(self.bytes), Ok).map_err(|reason| self.none(reason))
    }

    fn none(&self, reason: String) -> CpuError {
        CpuError::Stack { bytes: self.bytes, reason }
    }
}

/// Runs every thread of some blocks to its end: of one, of a cluster, or of a whole grid whose blocks wait for each other. Each block is given
/// by the position of its first thread. The first panic is reported after the others have ended. What threads print is left in `together`.
///
/// The body is run on fibers that are all dropped before this returns.
pub fn run(
    body: &dyn Fn(),
    firsts: &[Position],
    dynamic_shared: u32,
    stacks: &Stacks,
    together: &Rc<fiber::Together>,
) -> Result<(), CpuError> {
    // Dropped after the fibers, which are declared later.
    let _kept = super::run::Kept;
    let shared = || Shared {
        memory: SharedMemory::default(),
        dynamic_bytes: dynamic_shared as usize,
        together: together.clone(),
        named: Default::default(),
    };
    let shared: Vec<Shared> = firsts.iter().map(|_| shared()).collect();
    together.blocks.replace(shared.iter().map(std::ptr::from_ref).collect());
    let mut together = Together { blocks: Vec::new(), shared: together.clone(), idle: Idle::default() };
    for (first, shared) in firsts.iter().zip(&shared) {
        let [width, height, depth] = first.block_size;
        let mut block = BlockRun {
            block: first.block,
            shared,
            first_panic: None,
            stacks,
            threads: Vec::new(),
            positions: Vec::new(),
        };
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width {
                    let position = Position { thread: [x, y, z], ..*first };
                    // SAFETY: `body` and `shared` outlive the fiber: it is owned by a `BlockRun` (or a local of its methods) that this
                    // function drops before either of them, as it declares it after them, and it is never forgotten.
                    let fiber = unsafe { start(body, position, shared, stacks.take()?) };
                    let fiber = fiber.map_err(|reason| stacks.none(reason))?;
                    block.positions.push(position);
                    block.threads.push(Thread::Ended);
                    block.resume(block.threads.len() - 1, fiber, 0);
                }
            }
        }
        together.blocks.push(block);
    }
    while together.step()? {}
    let hang = together.hang();
    match (together.first_panic(), hang) {
        (Some(panicked), _) => Err(panicked),
        (None, Some(hang)) => Err(hang),
        (None, None) => Ok(()),
    }
}

/// Makes the fiber of a thread; it does not run yet.
///
/// # Safety
/// The body and the shared memory outlive the fiber, which is dropped.
unsafe fn start(
    body: &dyn Fn(),
    position: Position,
    shared: &Shared,
    stack: Stack,
) -> Result<Coroutine, String> {
    let thread = move |yielder: &Yielder| {
        let context = Context { accesses: Cell::new(0), position, shared, yielder };
        catch_unwind(AssertUnwindSafe(|| fiber::enter(&context, body)))
            .err()
            .map(|payload| panics::take(&*payload))
    };
    // SAFETY: by this function's condition.
    unsafe { Coroutine::new(stack, thread) }
}

/// A block while it runs.
struct BlockRun<'s> {
    block: [u32; 3],
    shared: &'s Shared,
    threads: Vec<Thread>,
    positions: Vec<Position>,
    stacks: &'s Stacks,
    first_panic: Option<CpuError>,
}

impl BlockRun<'_> {
    /// Runs a thread until it waits or ends.
    fn resume(&mut self, index: usize, fiber: Coroutine, answer: u128) {
        let result = fiber.resume(answer);
        fiber::leave();
        match result {
            Resumed::Waits(fiber, wait) => self.threads[index] = Thread::Waiting { fiber, wait },
            Resumed::Ended(stack, caught) => {
                self.stacks.kept.borrow_mut().push(stack);
                let Some(Caught { message, file, line, column }) = caught else { return };
                self.threads[index] = Thread::Panicked;
                if self.first_panic.is_none() {
                    let thread = self.positions[index].thread;
                    let block = self.block;
                    self.first_panic =
                        Some(CpuError::Panicked { message, file, line, column, block, thread });
                }
            }
        }
    }

    /// Lets a waiting thread go on.
    fn go_on(&mut self, index: usize, answer: u128) {
        match std::mem::replace(&mut self.threads[index], Thread::Ended) {
            Thread::Waiting { fiber, .. } => self.resume(index, fiber, answer),
            ended @ (Thread::Ended | Thread::Panicked) => self.threads[index] = ended,
        }
    }

    fn wait(&self, index: usize) -> Option<Wait> {
        match self.threads.get(index)? {
            Thread::Waiting { wait, .. } => Some(*wait),
            Thread::Ended | Thread::Panicked => None,
        }
    }

    fn has_panicked(&self, index: usize) -> bool {
        matches!(self.threads.get(index), Some(Thread::Panicked))
    }

    /// Lets lanes go on that wait for each other at a collective, and are all there; says whether there were any.
    fn exchange_in_warps(&mut self) -> Result<bool, CpuError> {
        let mut any = false;
        for first in (0..self.threads.len()).step_by(warp::SIZE) {
            let lanes: [Option<Wait>; warp::SIZE] = std::array::from_fn(|lane| self.wait(first + lane));
            let alive = mask_of(&lanes, |_| true);
            let mut seen = 0;
            // All sources are read before any lane goes on and offers something else.
            let mut answers = [None; warp::SIZE];
            for lane in 0..warp::SIZE {
                let Some(wait @ Wait::Warp { what, mask, .. }) = lanes[lane] else { continue };
                let group = mask_of(&lanes, |other| call_of(*other) == call_of(wait));
                if seen & group != 0 || what == Collective::ActiveMask {
                    continue;
                }
                seen |= group;
                // A lane that has ended, or that the block does not have, holds nobody up.
                if mask.unwrap_or(u32::MAX) & alive & !group != 0 {
                    continue;
                }
                let number = first / warp::SIZE;
                let whole = self.whole_warp(number, &lanes, what)?;
                for member in (0..warp::SIZE).filter(|member| group >> member & 1 == 1) {
                    answers[member] = Some(match &whole {
                        Some(answers) => answers[member],
                        None => self.answer(number, &lanes, member, group)?,
                    });
                }
            }
            for (lane, answer) in answers.into_iter().enumerate() {
                if let Some(answer) = answer {
                    self.go_on(first + lane, answer);
                    any = true;
                }
            }
        }
        Ok(any)
    }

    /// Answers lanes that ask for the active mask, when nothing else goes on: with the lanes that wait at the same call.
    fn tell_active(&mut self) -> bool {
        for first in (0..self.threads.len()).step_by(warp::SIZE) {
            let lanes: [Option<Wait>; warp::SIZE] = std::array::from_fn(|lane| self.wait(first + lane));
            let asks = |wait: &&Wait| matches!(wait, Wait::Warp { what: Collective::ActiveMask, .. });
            let Some(&wait) = lanes.iter().flatten().find(asks) else { continue };
            let group = mask_of(&lanes, |other| call_of(*other) == call_of(wait));
            for lane in (0..warp::SIZE).filter(|lane| group >> lane & 1 == 1) {
                self.go_on(first + lane, group.into());
            }
            return true;
        }
        false
    }

    /// The results of an instruction on matrices, by lane, as the simulator computes them; `None` of the other collectives.
    fn whole_warp(
        &self,
        number: usize,
        lanes: &[Option<Wait>; warp::SIZE],
        what: Collective,
    ) -> Result<Option<[u128; warp::SIZE]>, CpuError> {
        if !matches!(what, Collective::Product(..) | Collective::Matrices(_)) {
            return Ok(None);
        }
        let mut operands = [[[0; 4]; warp::SIZE]; 3];
        let mut metadata = [0; warp::SIZE];
        let first_at = lanes.iter().flatten().find_map(|wait| match wait {
            Wait::Warp { at, .. } => Some(*at),
            _ => None,
        });
        for (lane, wait) in lanes.iter().enumerate() {
            match wait {
                Some(Wait::Warp { value, more: [right, sum], operand, .. }) => {
                    metadata[lane] = *operand;
                    for (words, value) in operands.iter_mut().zip([value, right, sum]) {
                        words[lane] = std::array::from_fn(|word| (value >> (32 * word)) as u32);
                    }
                }
                // Its panic is the error of the launch; what the others compute of it does not matter.
                None if self.has_panicked(number * warp::SIZE + lane) => {}
                Some(_) | None => {
                    return Err(CpuError::IncompleteWarp {
                        block: self.block,
                        warp: number,
                        lane,
                        at: first_at.map_or_else(String::new, ToString::to_string),
                    });
                }
            }
        }
        let [a, b, c] = &operands;
        let words = match what {
            Collective::Product(shape) => matrix::product_of_words(shape, [a, b, c], &metadata),
            Collective::Matrices(transposed) => matrix::matrices_of_rows(a, transposed),
            _ => return Ok(None),
        };
        let join = |words: [u32; 4]| words.iter().rev().fold(0, |bits, &word| bits << 32 | u128::from(word));
        Ok(Some(words.map(join)))
    }

    /// The result of a collective of the lanes in `group` for one of them.
    fn answer(
        &self,
        number: usize,
        lanes: &[Option<Wait>; warp::SIZE],
        lane: usize,
        group: u32,
    ) -> Result<u128, CpuError> {
        let Some(Wait::Warp { what, value, operand, at, .. }) = lanes[lane] else { return Ok(0) };
        let in_group = |test: &dyn Fn(u128) -> bool| {
            group & mask_of(lanes, |wait| matches!(wait, Wait::Warp { value, .. } if test(*value)))
        };
        match what {
            Collective::Ballot => Ok(in_group(&|value| value != 0).into()),
            Collective::All => Ok((in_group(&|value| value != 0) == group).into()),
            Collective::MatchAny => Ok(in_group(&|other| other == value).into()),
            Collective::MatchAll => Ok((in_group(&|other| other == value) == group).into()),
            Collective::Sync | Collective::ActiveMask | Collective::Product(..) | Collective::Matrices(_) => {
                Ok(group.into())
            }
            Collective::Shuffle(mode) => {
                let Some(from) = source(mode, lane, operand) else { return Ok(value) };
                match lanes[from] {
                    Some(Wait::Warp { value, .. }) if group >> from & 1 == 1 => Ok(value),
                    // Its panic is the error of the launch; what the others compute of it does not matter.
                    None if self.has_panicked(number * warp::SIZE + from) => Ok(value),
                    Some(_) | None => Err(CpuError::InactiveLane {
                        block: self.block,
                        warp: number,
                        lane,
                        source_lane: from,
                        at: at.to_string(),
                    }),
                }
            }
        }
    }

    /// The threads that wait, each with for what.
    fn waiting(&self) -> impl Iterator<Item = (usize, Wait)> {
        (0..self.threads.len()).filter_map(|index| Some((index, self.wait(index)?)))
    }

    /// The threads that gave their turn to the others.
    fn turns(&self) -> Vec<(usize, &'static Location<'static>)> {
        let turn = |(index, wait)| match wait {
            Wait::Turn { at } => Some((index, at)),
            Wait::Barrier { .. }
            | Wait::Named { .. }
            | Wait::Cluster { .. }
            | Wait::Grid { .. }
            | Wait::Warp { .. } => None,
        };
        self.waiting().filter_map(turn).collect()
    }

    /// Lets all go on if all that have not ended wait at the same barrier; says whether they did.
    fn release_barrier(&mut self) -> bool {
        let waiting: Vec<(usize, Wait)> = self.waiting().collect();
        let Some(&(_, first)) = waiting.first() else { return false };
        let is_barrier = matches!(first, Wait::Barrier { .. });
        if !is_barrier || waiting.iter().any(|(_, wait)| call_of(*wait) != call_of(first)) {
            return false;
        }
        for (index, _) in waiting {
            self.go_on(index, 0);
        }
        true
    }

    /// Lets those go on whose barrier with a number has opened; says whether there were any.
    fn release_named(&mut self) -> bool {
        let is_open = |(index, wait): (usize, Wait)| match wait {
            Wait::Named { id, phase, .. } => (self.shared.named[id].get().phase > phase).then_some(index),
            _ => None,
        };
        let open: Vec<usize> = self.waiting().filter_map(is_open).collect();
        open.iter().for_each(|&index| self.go_on(index, 0));
        !open.is_empty()
    }

    /// The error if threads wait at barriers with numbers: each warp with what it waits for.
    fn hang_at_named(&self) -> Option<CpuError> {
        let mut is_named = false;
        let mut waiting: Vec<(usize, String)> = Vec::new();
        for (index, wait) in self.waiting() {
            let number = index / warp::SIZE;
            let described = match wait {
                Wait::Named { id, at, .. } => {
                    is_named = true;
                    let fiber::Named { come, threads, .. } = self.shared.named[id].get();
                    format!(
                        "warp {number} waits at barrier {id} for {threads} threads, of which {come} have come, at {at}"
                    )
                }
                _ => self.describe(index, wait),
            };
            // One line for the lanes that wait alike.
            let is_known = |(warp, _): &(usize, String)| *warp == number;
            if !waiting.iter().any(is_known) {
                waiting.push((number, described));
            }
        }
        let waiting = waiting.into_iter().map(|(_, described)| described).collect();
        is_named.then_some(CpuError::Named { block: self.block, waiting })
    }

    fn describe(&self, index: usize, wait: Wait) -> String {
        let thread = self.positions[index].thread;
        match wait {
            Wait::Barrier { at } => format!("thread {thread:?} waits at the barrier at {at}"),
            Wait::Named { id, at, .. } => format!("thread {thread:?} waits at barrier {id} at {at}"),
            Wait::Cluster { at } => format!("thread {thread:?} waits for the cluster at {at}"),
            Wait::Grid { at } => format!("thread {thread:?} waits for the grid at {at}"),
            Wait::Turn { at } => format!("thread {thread:?} accesses an atomic at {at}"),
            Wait::Warp { what: Collective::Shuffle(_), at, .. } => {
                format!("thread {thread:?} waits at the shuffle at {at}")
            }
            Wait::Warp { at, .. } => format!("thread {thread:?} waits at the warp collective at {at}"),
        }
    }
}

/// Blocks that run together.
struct Together<'s> {
    blocks: Vec<BlockRun<'s>>,
    shared: Rc<fiber::Together>,
    idle: Idle,
}

/// Detector of threads that only poll atomics.
#[derive(Default)]
struct Idle {
    /// The state at the last turn: new values of atomics, threads that took turns, and threads that waited at all.
    seen: (u64, usize, usize),
    /// Turns since then.
    turns: u32,
}

/// So many turns without anything new are a hang: about a million accesses of each thread.
const MOST_IDLE_TURNS: u32 = 16_384;

impl Together<'_> {
    /// Lets threads go on that can; says whether there were any.
    fn step(&mut self) -> Result<bool, CpuError> {
        let mut any = false;
        for block in &mut self.blocks {
            any |= block.exchange_in_warps()?;
            any |= block.release_named();
        }
        if any || self.take_turns()? {
            return Ok(true);
        }
        for block in &mut self.blocks {
            any |= block.release_barrier();
        }
        if any || self.release_all() {
            self.idle = Idle::default();
            return Ok(true);
        }
        for block in &mut self.blocks {
            any |= block.tell_active();
        }
        Ok(any)
    }

    /// Resumes threads that gave their turn to the others, and those of their blocks and others that a barrier no longer holds
    /// up. Returns true if there were any.
    fn take_turns(&mut self) -> Result<bool, CpuError> {
        let turns: Vec<_> = self.blocks.iter().map(BlockRun::turns).collect();
        let first = self.blocks.iter().zip(&turns).find_map(|(block, turns)| Some((block, turns.first()?)));
        let Some((block, &(thread, at))) = first else { return Ok(false) };
        let waiting = self.blocks.iter().map(|block| block.waiting().count()).sum();
        let seen = (self.shared.changes.get(), turns.iter().map(Vec::len).sum(), waiting);
        self.idle.turns = if seen == self.idle.seen { self.idle.turns + 1 } else { 0 };
        self.idle.seen = seen;
        if self.idle.turns > MOST_IDLE_TURNS {
            let (thread, block) = (block.positions[thread].thread, block.block);
            return Err(CpuError::Spins { block, thread, at: at.to_string() });
        }
        for (block, turns) in self.blocks.iter_mut().zip(turns) {
            let takes_turns = !turns.is_empty();
            for (index, _) in turns {
                block.go_on(index, 0);
            }
            // It may be what those of another block look for.
            if !takes_turns && block.release_barrier() {
                self.idle = Idle::default();
            }
        }
        Ok(true)
    }

    /// Lets all go on if all that have not ended wait for the cluster or the grid at the same call; says whether they did. If one
    /// has panicked, it never comes to the grid's; clusters go on without it.
    fn release_all(&mut self) -> bool {
        let waits: Vec<Wait> =
            self.blocks.iter().flat_map(|block| block.waiting().map(|(_, wait)| wait)).collect();
        let Some(first) = waits.first().copied() else { return false };
        let goes_on = match first {
            Wait::Cluster { .. } => true,
            Wait::Grid { .. } => self.first_panic().is_none(),
            Wait::Turn { .. } | Wait::Barrier { .. } | Wait::Named { .. } | Wait::Warp { .. } => false,
        };
        if !goes_on || waits.iter().any(|wait| call_of(*wait) != call_of(first)) {
            return false;
        }
        for block in &mut self.blocks {
            let waiting: Vec<(usize, Wait)> = block.waiting().collect();
            waiting.into_iter().for_each(|(index, _)| block.go_on(index, 0));
        }
        true
    }

    fn first_panic(&self) -> Option<CpuError> {
        self.blocks.iter().find_map(|block| block.first_panic.clone())
    }

    /// The error if threads still wait: two that wait at different places.
    fn hang(&self) -> Option<CpuError> {
        if let Some(hang) = self.blocks.iter().find_map(BlockRun::hang_at_named) {
            return Some(hang);
        }
        let places = |block: &'_ BlockRun<'_>| {
            block
                .waiting()
                .map(|(index, wait)| (block.block, block.describe(index, wait), call_of(wait)))
                .collect::<Vec<_>>()
        };
        let mut waiting = self.blocks.iter().flat_map(places);
        let (block, first, call) = waiting.next()?;
        let (other, mut second, _) = waiting.find(|(.., other)| *other != call)?;
        if other != block {
            second += &format!(" in block {other:?}");
        }
        Some(CpuError::Diverged { block, first, second })
    }
}

/// The lane that a lane takes its value from (PTX ISA, `shfl.sync`); none beyond the warp. The operand counts modulo the
/// number of lanes.
fn source(mode: ShuffleMode, lane: usize, operand: u32) -> Option<usize> {
    let operand = operand as usize % warp::SIZE;
    match mode {
        ShuffleMode::Up => lane.checked_sub(operand),
        ShuffleMode::Down => Some(lane + operand).filter(|&from| from < warp::SIZE),
        ShuffleMode::Xor => Some(lane ^ operand),
        ShuffleMode::Idx => Some(operand),
    }
}

/// The lanes whose wait is such, a bit each.
fn mask_of(lanes: &[Option<Wait>; warp::SIZE], test: impl Fn(&Wait) -> bool) -> u32 {
    let holds = |lane: &usize| lanes[*lane].as_ref().is_some_and(&test);
    (0..warp::SIZE).filter(holds).fold(0, |mask, lane| mask | 1 << lane)
}

/// Threads meet if this is equal: the collective and its mask, none for a barrier, and the call.
#[allow(clippy::type_complexity)]
fn call_of(wait: Wait) -> (Option<(Collective, Option<u32>)>, &'static Location<'static>) {
    match wait {
        Wait::Barrier { at }
        | Wait::Named { at, .. }
        | Wait::Cluster { at }
        | Wait::Grid { at }
        | Wait::Turn { at } => (None, at),
        Wait::Warp { what, mask, at, .. } => (Some((what, mask)), at),
    }
}
