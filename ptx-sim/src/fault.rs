//! Faults: modules that cannot be loaded, and illegal operations of threads.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Why a module cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The text is not PTX.
    #[error("{0}")]
    Syntax(String),
    /// An instruction that the simulator does not have, or has in other forms only.
    #[error("ptx:{line}:{column}: `{instruction}`: {problem}")]
    Instruction {
        /// Line of the text, from one; zero for a tree that was never text.
        line: u32,
        /// Column in that line, from one.
        column: u32,
        /// The instruction with its modifiers.
        instruction: String,
        /// The problem.
        problem: String,
    },
    /// A variable, parameter or register that the simulator cannot place.
    #[error("`{name}`: {problem}")]
    Declaration {
        /// The name that is declared.
        name: String,
        /// The problem.
        problem: String,
    },
}

/// A line of source code, from `.file` and `.loc`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// The path as the PTX gives it.
    pub file: Arc<str>,
    /// From one.
    pub line: u32,
    /// From one; zero when unknown.
    pub column: u32,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column != 0 {
            write!(f, ":{}", self.column)?;
        }
        Ok(())
    }
}

/// An instruction of a kernel, as messages name it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Code {
    /// Line of the PTX text, from one.
    pub ptx_line: u32,
    /// The instruction with its modifiers.
    pub instruction: Arc<str>,
    /// The line of source that it comes from, when `.loc` says so.
    pub source: Option<SourceLine>,
    /// The calls that lead there, the innermost first, as far as they are known: of an inlined function the PTX names the call in one that is
    /// not; see [`Program::set_calls`](crate::Program::set_calls).
    pub calls: Arc<[SourceLine]>,
}

impl Code {
    /// Returns true if both come from one line of source, and the PTX says from which.
    pub(crate) fn is_in_line_of(&self, other: &Code) -> bool {
        let line = |code: &Code| code.source.as_ref().map(|source| (source.file.clone(), source.line));
        self.source.is_some() && line(self) == line(other)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX line {}, `{}`", self.ptx_line, self.instruction)?;
        if let Some(source) = &self.source {
            write!(f, ", from {source}")?;
        }
        self.calls.iter().try_for_each(|call| write!(f, ", called at {call}"))
    }
}

/// The thread and the instruction at which something happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The kernel.
    pub kernel: Arc<str>,
    /// Index of the block in the grid.
    pub block: [u32; 3],
    /// Index of the thread in the block.
    pub thread: [u32; 3],
    /// The instruction.
    pub code: Code,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([bx, by, bz], [tx, ty, tz]) = (self.block, self.thread);
        write!(f, "in `{}`, block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz}), {}", self.kernel, self.code)
    }
}

/// The allocation nearest to an address that is in none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Its first address.
    pub address: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Bytes between it and the access: negative before it, positive after its end.
    pub distance: i64,
}

/// Bytes that a thread reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Touch {
    /// The state space, as PTX spells it.
    pub space: &'static str,
    /// True if it writes.
    pub write: bool,
    /// The address in that space.
    pub address: u64,
    /// The size in bytes.
    pub bytes: u32,
}

impl Touch {
    fn verb(&self) -> &'static str {
        if self.write { "write" } else { "read" }
    }

    /// `4 bytes at global address 0x100000000fa0`
    fn location(&self) -> String {
        format!("{} bytes at {} address {:#x}", self.bytes, self.space, self.address)
    }
}

impl fmt::Display for Touch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.verb(), self.location())
    }
}

/// Memory by the name that it has in the program: filled in when a launch is over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subject {
    /// The bytes of the access: `` `x[1000]` ``
    pub part: String,
    /// The distance of an access that is outside: `3 elements past its end`
    pub beyond: Option<String>,
    /// The variable, at the start of a sentence's second half: `` `x` is a buffer of 997 `f32` made at src/main.rs:12:13 ``
    pub whole: String,
}

/// A [`Touch`] as messages name it: by the program's names where they are known, else by its address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamedTouch {
    /// The bytes.
    pub touch: Touch,
    /// Their name.
    pub subject: Option<Arc<Subject>>,
}

impl NamedTouch {
    /// `` `x[1000]` ``, or the address.
    fn part(&self) -> String {
        match &self.subject {
            Some(subject) => subject.part.clone(),
            None => self.touch.location(),
        }
    }

    /// The variable, as an appendix to a sentence.
    fn whole(&self) -> String {
        self.subject.as_ref().map_or_else(String::new, |subject| format!("; {}", subject.whole))
    }
}

impl From<Touch> for NamedTouch {
    fn from(touch: Touch) -> NamedTouch {
        NamedTouch { touch, subject: None }
    }
}

impl Deref for NamedTouch {
    type Target = Touch;

    fn deref(&self) -> &Touch {
        &self.touch
    }
}

impl fmt::Display for NamedTouch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subject {
            Some(subject) => write!(f, "{} of {}", self.touch.verb(), subject.part),
            None => self.touch.fmt(f),
        }
    }
}

/// The access that another one is in conflict with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherAccess {
    /// True if it wrote.
    pub write: bool,
    /// The linear index of its block, if that is another one.
    pub block: Option<u32>,
    /// Its thread.
    pub thread: [u32; 3],
    /// Its thread is of the same warp.
    pub is_in_warp: bool,
    /// It stands in the same line of source as the access that it is in conflict with, or is the same instruction.
    pub is_in_line: bool,
    /// Its thread has the same x in the block as the one that it is in conflict with, but another y or z.
    pub is_above: bool,
    /// Its instruction.
    pub code: Code,
    /// The gap that keeps the kernel's atomic accesses from handing over memory to other blocks, if the other access is of another one.
    pub gap: Option<Box<Gap>>,
}

/// A step that is missing between what one block writes and another one reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// This fence, acquire or release orders threads of a block alone.
    Narrow(Code),
    /// Something releases, but nothing acquires, such as this access.
    NoAcquire(Code),
    /// Something acquires, but nothing releases, such as this access.
    NoRelease(Code),
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gap::Narrow(code) => {
                write!(
                    f,
                    "what is of the scope of a block orders no other blocks: take that of the device ({code})"
                )
            }
            Gap::NoAcquire(code) => {
                write!(
                    f,
                    "the kernel releases, but acquires nothing: let who reads the flag do so, `Ordering::Acquire` ({code})"
                )
            }
            Gap::NoRelease(code) => {
                write!(
                    f,
                    "the kernel acquires, but releases nothing: let who writes the flag do so, `Ordering::Release` ({code})"
                )
            }
        }
    }
}

impl OtherAccess {
    /// The advice on less than a barrier, which orders accesses of this one's warp.
    fn less_than_a_barrier(&self) -> &'static str {
        match self.is_in_warp {
            true => "; `warp::sync()` (PTX `bar.warp.sync`) is enough if only this warp uses it",
            false => "",
        }
    }

    /// Distance of both threads: lanes of a warp, warps of a block, or blocks. The farther, the more it takes to order them.
    pub(crate) fn distance(&self) -> u8 {
        match (self.block, self.is_in_warp) {
            (Some(_), _) => 2,
            (None, false) => 1,
            (None, true) => 0,
        }
    }

    /// Returns true for a read past the memory model: of what the compiler was told that nobody writes.
    fn is_read_only(&self) -> bool {
        !self.write && self.code.instruction.split('.').any(|word| word == "nc")
    }

    /// The advice on ordering an access with this one.
    fn how_to_order(&self) -> String {
        match &self.gap {
            Some(gap) if !self.is_read_only() => format!("{gap}; else {}", self.order_by_distance()),
            Some(_) | None => self.order_by_distance().to_owned(),
        }
    }

    /// The advice by how far both threads are from each other.
    fn order_by_distance(&self) -> &'static str {
        match self.block {
            _ if self.is_read_only() => {
                "`ld.global.nc` reads memory that no thread writes while the kernel runs, that of a `&[T]` parameter: what is written is another buffer, or is passed once, as \
                 `&mut [T]` or a pointer, and then threads that meet in an element are ordered"
            }
            None if self.is_in_line && self.is_above => {
                "both threads have one x and another y or z: the index leaves that out, so that threads one above the other do the same: launch blocks along x alone, or compute \
                 the index from y and z, too; where they are to meet in an element, make it one atomic operation, `fetch_add` say"
            }
            None if self.is_in_line => {
                "no barrier parts what one line does: where threads meet in an element, make it one atomic operation, `fetch_add` say, or give each an \
                 element of its own; where they meet in two iterations of a loop, put a barrier between these"
            }
            None if self.is_in_warp => {
                "lanes of a warp are in no order: put a barrier between them, or, if no other warp accesses this, `warp::sync()`, in PTX `bar.warp.sync`, or make both atomic"
            }
            None => {
                "put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`"
            }
            Some(_) => {
                "no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of \
                 the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, \
                 `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at \
                 `grid_barrier()`"
            }
        }
    }
}

impl fmt::Display for OtherAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.write { "write" } else { "read" };
        let [x, y, z] = self.thread;
        write!(f, "a {verb} of thread ({x}, {y}, {z})")?;
        if let Some(block) = self.block {
            write!(f, " of block number {block}")?;
        }
        write!(f, " ({})", self.code)
    }
}

/// An asynchronous copy that has been started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// The thread that started it.
    pub thread: [u32; 3],
    /// Its instruction.
    pub code: Code,
    /// The completion mechanism of the copy.
    pub completion: Completion,
    /// The start comes before the access, by a barrier say, or both are of one thread.
    pub is_before: bool,
}

impl Started {
    /// The advice on an access that meets it.
    fn how_to_wait(&self) -> String {
        match self.is_before {
            true => format!("wait for it: {}", self.completion.wait()),
            false => format!(
                "nothing orders this access and the start of the {}: if it uses what was there before, put a barrier between it and the start, else wait: {}",
                self.completion.noun(),
                self.completion.wait()
            ),
        }
    }
}

impl fmt::Display for Started {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.thread;
        let verb = match self.completion {
            Completion::Group | Completion::Barrier => "brings",
            Completion::BulkGroup | Completion::Product => "reads",
        };
        let noun = self.completion.noun();
        write!(f, "the {noun} that {verb} these bytes, started by thread ({x}, {y}, {z}) ({})", self.code)
    }
}

/// Completion mechanism of an asynchronous copy, by which threads learn of its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// By the groups of `cp.async`.
    Group,
    /// By a barrier in memory.
    Barrier,
    /// By the groups of `cp.async.bulk`.
    BulkGroup,
    /// By the groups of `wgmma`: a product.
    Product,
}

impl Completion {
    fn noun(self) -> &'static str {
        match self {
            Completion::Group | Completion::Barrier | Completion::BulkGroup => "copy",
            Completion::Product => "product",
        }
    }

    /// The instructions that wait for it.
    fn wait(self) -> &'static str {
        match self {
            Completion::Group => {
                "`cp.async.commit_group` behind it and `cp.async.wait_group`, then a barrier for other threads"
            }
            Completion::Barrier => {
                "`mbarrier.try_wait` for the phase of its barrier, in every thread or before a barrier"
            }
            Completion::BulkGroup => {
                "`cp.async.bulk.commit_group` and `cp.async.bulk.wait_group`, then a barrier for other threads"
            }
            Completion::Product => {
                "`wgmma.commit_group` and `wgmma.wait_group`, then a barrier for other threads"
            }
        }
    }
}

/// A use of a value that has an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// The address of an access.
    Address,
    /// A branch, or the execution of an instruction that others see.
    Condition,
    /// An operand of an atomic operation.
    Atomic,
    /// A reduction or a comparison among the lanes of a warp, the lane that a shuffle reads, or a member mask.
    Collective,
    /// An operand of another instruction.
    Operand,
    /// A value left in global memory at the end of the kernel.
    Store,
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Usage::Address => "the address of this access depends on an uninitialised value",
            Usage::Condition => "whether this is executed depends on an uninitialised value",
            Usage::Atomic => "this atomic operation has an uninitialised operand",
            Usage::Collective => "this operation of the warp has an uninitialised operand",
            Usage::Operand => "the instruction has an uninitialised operand",
            Usage::Store => "the kernel leaves an uninitialised value in global memory",
        })
    }
}

/// A value that is missing, where it was first read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unwritten {
    /// The bytes of memory; none is a register.
    pub touch: Option<NamedTouch>,
    /// The instruction that read it.
    pub code: Code,
}

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.touch {
            Some(touch) => {
                write!(f, "the {touch}, where nothing was written ({}){}", self.code, touch.whole())
            }
            None => write!(f, "a register that nothing has written, read at {}", self.code),
        }
    }
}

/// An illegal operation of a thread.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misdeed {
    /// An access outside every allocation, or outside shared, local or parameter memory.
    #[error("{touch} is out of bounds{}", describe(.touch, .nearest))]
    OutOfBounds {
        /// The access.
        touch: NamedTouch,
        /// The allocation next to it: of global memory, or the whole of another space.
        nearest: Option<Nearest>,
    },
    /// An access to memory that was given back.
    #[error("{touch} uses memory that was freed{}", describe_freed(.touch, *.bytes, *.address))]
    UseAfterFree {
        /// The access.
        touch: NamedTouch,
        /// The first address that the memory had.
        address: u64,
        /// Its size in bytes.
        bytes: u64,
    },
    /// A read of memory that nothing has written.
    #[error("{touch} finds no value: nothing has written there{}", .touch.whole())]
    Uninitialized {
        /// The access.
        touch: NamedTouch,
    },
    /// A use of a value that nothing has written.
    #[error(
        "{usage}: it comes from {origin}\nhelp: write it before it is read: memory and registers have no first value"
    )]
    UninitializedUse {
        /// The use.
        usage: Usage,
        /// Its origin.
        origin: Box<Unwritten>,
    },
    /// Two threads access the same bytes, one of them writes, and nothing orders them. To write what is there already is no race, so
    /// equal numbers as test data may hide one; in shared memory it is one with an earlier read.
    #[error("race: {touch} and {other}, and nothing orders them{}\nhelp: {}", .touch.whole(), .other.how_to_order())]
    Race {
        /// The access that came second this time.
        touch: NamedTouch,
        /// The other.
        other: Box<OtherAccess>,
    },
    /// Two threads of different blocks access the same bytes, one of them at block scope.
    #[error(
        "race: {touch} and {other}, atomic at block scope, in different blocks{}\nhelp: leave `.block()` out of both: then they are atomic among the threads of the device",
        .touch.whole()
    )]
    NarrowScope {
        /// The access that came second this time.
        touch: NamedTouch,
        /// The other.
        other: Box<OtherAccess>,
    },
    /// An atomic access to shared memory that may come before the first write there, also an atomic one.
    #[error(
        "{touch} needs a value that may not be there yet: the first one comes by {other}, and nothing orders them{}\nhelp: put a barrier between the first \
         write and this access{}",
        .touch.whole(),
        .other.less_than_a_barrier()
    )]
    BeforeFirstWrite {
        /// The access that needs a value.
        touch: NamedTouch,
        /// The first write.
        other: Box<OtherAccess>,
    },
    /// A plain read of what other threads change atomically, of which only a compare-and-swap makes use: that finds out whether it
    /// was right. On every GPU this works, and the programming guide does it; the memory model calls it a race. No fault.
    #[error(
        "{touch} and {other}: the read is plain, the other atomic. The memory model calls this a race; it does no harm, as a compare-and-swap checks what was read\nhelp: make the first read of the loop a relaxed atomic load, `volatile` in CUDA C++"
    )]
    PlainGuess {
        /// The read, or the atomic access where that came second.
        touch: NamedTouch,
        /// The other.
        other: Box<OtherAccess>,
    },
    /// An access to the shared memory of a block of the cluster that has ended.
    #[error(
        "{touch} is in block {rank} of the cluster, which has ended\nhelp: let the blocks wait for each other before they end: `cluster::sync()`, in PTX `barrier.cluster`"
    )]
    BlockEnded {
        /// The access.
        touch: NamedTouch,
        /// The rank of the block.
        rank: u32,
    },
    /// An access whose address is not a multiple of its size.
    #[error(
        "{touch} is misaligned: the address must be a multiple of {}{}\nhelp: begin at such an address, or make accesses of fewer bytes",
        .touch.bytes, .touch.whole()
    )]
    Misaligned {
        /// The access.
        touch: NamedTouch,
    },
    /// A write to constant or parameter memory.
    #[error("{touch}: this memory is read-only")]
    ReadOnly {
        /// The access.
        touch: NamedTouch,
    },
    /// `trap`, or another instruction that ends the kernel.
    #[error("the kernel trapped")]
    Trap,
    /// `trap` of a kernel that asks for the memory by which the blocks of a cooperative launch meet, in another launch.
    #[error(
        "the kernel trapped: it synchronises the grid, but the launch is not cooperative\nhelp: launch it with `.cooperative()`"
    )]
    NotCooperative,
    /// A failed `assert` of CUDA C++.
    #[error("assertion `{message}` failed in `{function}`, {file}:{line}")]
    AssertFailed {
        /// The condition.
        message: String,
        /// The source file.
        file: String,
        /// The line.
        line: u32,
        /// The function.
        function: String,
    },
    /// A call through a pointer that is none of a function.
    #[error(
        "{address:#x} is not the address of a function of this module that anything takes the address of"
    )]
    NoFunction {
        /// The value of the pointer.
        address: u64,
    },
    /// A call through a pointer with other arguments than the function has.
    #[error(
        "`{function}` has {} arguments and {} results, the call {} and {}",
        .expected.0, .expected.1, .found.0, .found.1
    )]
    BadCall {
        /// The function.
        function: Arc<str>,
        /// Its arguments and results.
        expected: (usize, usize),
        /// Those of the call.
        found: (usize, usize),
    },
    /// A branch by table with an index beyond the table.
    #[error("the index {index} of a branch by table of {targets} targets is out of range")]
    NoTarget {
        /// The index.
        index: u32,
        /// Number of targets.
        targets: u32,
    },
    /// Recursion too deep, or too much `alloca`.
    #[error("the stack of a thread has {bytes} bytes, which are used up: endless recursion?")]
    StackOverflow {
        /// Its size.
        bytes: u64,
    },
    /// A collective whose member mask does not name the lane that executes it.
    #[error(
        "lane {lane} is not in its own member mask {members:#010x}\nhelp: let the mask name every lane that comes here, and no other: what a ballot \
         on the condition gives, where all lanes are still together"
    )]
    NotMember {
        /// The lane.
        lane: u32,
        /// The mask.
        members: u32,
    },
    /// An operation of the whole warp that some lanes of the warp do not take part in.
    #[error(
        "the operation needs all 32 lanes of the warp, but lanes {missing:#010x} have exited or never were"
    )]
    PartialWarp {
        /// The lanes that are missing.
        missing: u32,
    },
    /// A copy of a tensor that its map does not allow.
    #[error("{reason}")]
    TensorMap {
        /// Why.
        reason: String,
    },
    /// More arrivals at a barrier in memory than its phase waits for.
    #[error(
        "{count} arrivals at a barrier that waits for {pending}\nhelp: let as many threads arrive in each phase as `mbarrier.init` says, each once, \
         and none for the next phase before it has waited for this one"
    )]
    TooManyArrivals {
        /// Number of arrivals.
        count: u32,
        /// Number of pending arrivals.
        pending: u32,
    },
    /// A shuffle that reads a lane which has exited, was never there, or is not in the member mask.
    #[error("lane {lane} reads lane {from}, which {}", why_absent([*.exist, *.exited], *.members, *.from))]
    AbsentLane {
        /// The reader.
        lane: u32,
        /// The lane read.
        from: u32,
        /// The member mask.
        members: u32,
        /// Lanes that are threads of the block.
        exist: u32,
        /// Those of them that have exited.
        exited: u32,
    },
    /// `bar.sync` by a part of a warp while its other lanes do something else.
    #[error(
        "only lanes {arrived:#010x} of the warp have come to this barrier, lanes {elsewhere:#010x} are elsewhere ({other})"
    )]
    DivergentBarrier {
        /// Lanes at the barrier.
        arrived: u32,
        /// Live lanes of the same warp that are not.
        elsewhere: u32,
        /// The instruction that one of those is at.
        other: Code,
    },
    /// A barrier number above 15, or a thread count that is no multiple of 32 or more than the block has.
    #[error(
        "barrier {id} with {count} threads: there are 16 barriers, and counts are multiples of 32 up to the block"
    )]
    BadBarrier {
        /// The number.
        id: u32,
        /// The count.
        count: u32,
    },
    /// Threads come to one barrier for different numbers of threads.
    #[error("barrier {id} for {count} threads, to which others come for {expected} ({other})")]
    MismatchedCounts {
        /// The number of the barrier.
        id: u32,
        /// The count of this thread.
        count: u32,
        /// That of those who came first.
        expected: u32,
        /// The instruction by which the others arrived.
        other: Code,
    },
    /// A barrier that waits for all threads of the block, while some of them wait at another one.
    #[error(
        "barrier {id} waits for all threads of the block, but warp {other_warp} waits at barrier {other_id} ({other})"
    )]
    MismatchedBarrier {
        /// The number of the barrier.
        id: u32,
        /// That of the other.
        other_id: u32,
        /// A warp that is there.
        other_warp: u32,
        /// The instruction that it waits at.
        other: Code,
    },
    /// An operation of several lanes of a warp that one of them does not reach.
    #[error(
        "lanes {missing:#010x} of the member mask {members:#010x} do not come here: they are elsewhere ({other})"
    )]
    MissingLanes {
        /// The lanes that the operation names.
        members: u32,
        /// Those that have not come.
        missing: u32,
        /// The instruction that one of these is at.
        other: Code,
    },
    /// An access to bytes that an asynchronous copy is still to bring.
    #[error(
        "{touch} does not wait for {copy}\nhelp: {}", .copy.how_to_wait()
    )]
    MissingWait {
        /// The access.
        touch: NamedTouch,
        /// The copy.
        copy: Box<Started>,
    },
    /// A bulk copy or a product that is under way when its block ends.
    #[error("nothing waits for this {} before the block ends\nhelp: wait for it: {}", .completion.noun(), .completion.wait())]
    UnfinishedCopy {
        /// The completion mechanism of the copy.
        completion: Completion,
    },
    /// An access of the async proxy to what the generic proxy wrote, without a fence between the proxies (PTX ISA, "Async proxy").
    #[error(
        "{touch} by the async proxy, and {other} by the generic proxy before it, with no proxy fence between them{}\nhelp: put \
         `fence.proxy.async.shared::cta`, behind `mbarrier.init` also `fence.mbarrier_init.release.cluster`, after the write in the thread that \
         makes it, before the barrier that orders the two",
        .touch.whole()
    )]
    MissingProxyFence {
        /// The access of the async proxy.
        touch: NamedTouch,
        /// The write of the generic proxy.
        other: Box<OtherAccess>,
    },
    /// A product whose registers were accessed since the last `wgmma.fence`, or the first one without any.
    #[error(
        "no `wgmma.fence` comes before this product: {}\nhelp: put `wgmma.fence.sync.aligned` in front of the products of a group, behind all that \
         computes their registers",
        accessed_by(.access)
    )]
    MissingProductFence {
        /// The instruction that accesses its registers.
        access: Option<Code>,
    },
    /// An access to registers of a product that has not been waited for.
    #[error(
        "this instruction {} registers of a product under way, started by thread ({}, {}, {}) ({})\nhelp: {}wait for it first: `wgmma.wait_group`",
        if *.write { "writes" } else { "reads" }, .product.thread[0], .product.thread[1], .product.thread[2], .product.code,
        if *.is_committed { "" } else { "the product is in no group: put `wgmma.commit_group` behind it, and " }
    )]
    PendingRegisters {
        /// The product.
        product: Box<Started>,
        /// True if the access writes.
        write: bool,
        /// The product is in a group that can be waited for.
        is_committed: bool,
    },
    /// An instruction of all warps of a group that some of them do not execute.
    #[error(
        "this needs the four warps of its group, but {} not come{}\nhelp: decide for whole groups, by the thread's index divided by 128, who \
         comes here, and launch blocks of whole groups",
        warps(*.missing), elsewhere(.other)
    )]
    PartialGroup {
        /// Warps of the block, a bit for each.
        missing: u32,
        /// The instruction that one of them is at.
        other: Option<Code>,
    },
    /// `setmaxnreg.dec` to more registers than a thread has, or `setmaxnreg.inc` to fewer.
    #[error(
        "`setmaxnreg.{}` to {count} registers in a warp whose threads have {current}\nhelp: `.dec` gives registers back and `.inc` takes some",
        if *.more { "inc" } else { "dec" }
    )]
    WrongRegisters {
        /// True for `.inc`.
        more: bool,
        /// The number that is asked for.
        count: u32,
        /// The number that there is.
        current: u32,
    },
    /// Warps that ask for more registers than the block has.
    #[error(
        "the warps of the block ask for {asked} registers in all, and it has {pool}: on a GPU this waits for ever\nhelp: give as many back elsewhere \
         by `setmaxnreg.dec`, in groups of warps that need few"
    )]
    RegisterPool {
        /// The sum of what the warps ask for.
        asked: u32,
        /// Registers of the block.
        pool: u32,
    },
    /// A use of a barrier in memory where there is none.
    #[error(
        "{touch} finds no barrier there: {}\nhelp: let one thread begin it, `mbarrier.init`, and the others wait at a barrier of the block before \
         they use it",
        match .ended { Some(code) => format!("it has ended ({code})"), None => "nobody has initialised it".to_owned() }
    )]
    NoBarrier {
        /// The access.
        touch: NamedTouch,
        /// The instruction that ended it.
        ended: Option<Box<Code>>,
    },
    /// Bytes that are announced at a barrier in memory and do not come, or that come and are not announced, when the block ends.
    #[error(
        "the block ends with {} at the barrier in {}\nhelp: announce as many bytes as the copies of a phase bring, `expect_tx`, and wait for each phase",
        if *.bytes > 0 { format!("{bytes} bytes announced that have not come") }
        else { format!("{} bytes that nobody has announced", .bytes.unsigned_abs()) },
        .touch.part()
    )]
    WrongBytes {
        /// The barrier.
        touch: NamedTouch,
        /// Bytes that were announced and have not come; negative if more came than were announced.
        bytes: i64,
    },
    /// The initialisation of a barrier in memory that is in use.
    #[error(
        "{touch} begins a barrier that is there already ({first})\nhelp: begin it once, outside of loops, or end it first: `mbarrier.inval`"
    )]
    SecondInit {
        /// The access.
        touch: NamedTouch,
        /// The instruction that began it.
        first: Box<Code>,
    },
    /// A loop that comes back to the state in which it was.
    #[error(
        "the loop never ends: what it depends on is as it was, and nothing changes it\nhelp: change in the loop what its condition \
         depends on; to wait for another thread, read atomically what that thread writes, and launch no more blocks than run at once"
    )]
    EndlessLoop,
    /// A loop that has no effect for long.
    #[error(
        "the loop has had no effect for {seconds} seconds, while nothing else runs: an endless loop?\nhelp: if it is only long, say \
         how long it may take, `.patience(Duration::from_secs(600))` on the launch, or how many steps a warp may make, `.step_limit(1 << 40)`"
    )]
    LongLoop {
        /// Time by the host's clock.
        seconds: u64,
    },
    /// A signal, Ctrl-C, that ends the launch.
    #[error("interrupted: the launch was here")]
    Interrupted,
    /// More steps than a warp may make: a loop that does not end, as far as anyone can wait.
    #[error(
        "the warp has made {steps} steps without ending: an endless loop?\nhelp: if it is only long, say how many steps a warp may make: \
         `.step_limit(1 << 40)` on the launch"
    )]
    StepBudget {
        /// The limit.
        steps: u64,
    },
}

impl Misdeed {
    /// The bytes that a thread reads or writes.
    pub(crate) fn touch_mut(&mut self) -> Option<&mut NamedTouch> {
        match self {
            Misdeed::OutOfBounds { touch, .. }
            | Misdeed::UseAfterFree { touch, .. }
            | Misdeed::Uninitialized { touch }
            | Misdeed::Race { touch, .. }
            | Misdeed::NarrowScope { touch, .. }
            | Misdeed::BeforeFirstWrite { touch, .. }
            | Misdeed::PlainGuess { touch, .. }
            | Misdeed::BlockEnded { touch, .. }
            | Misdeed::Misaligned { touch }
            | Misdeed::ReadOnly { touch }
            | Misdeed::MissingProxyFence { touch, .. }
            | Misdeed::NoBarrier { touch, .. }
            | Misdeed::WrongBytes { touch, .. }
            | Misdeed::SecondInit { touch, .. }
            | Misdeed::MissingWait { touch, .. } => Some(touch),
            Misdeed::UninitializedUse { origin, .. } => origin.touch.as_mut(),
            Misdeed::Trap
            | Misdeed::NotCooperative
            | Misdeed::AssertFailed { .. }
            | Misdeed::NoFunction { .. }
            | Misdeed::BadCall { .. }
            | Misdeed::NoTarget { .. }
            | Misdeed::StackOverflow { .. }
            | Misdeed::NotMember { .. }
            | Misdeed::PartialWarp { .. }
            | Misdeed::TensorMap { .. }
            | Misdeed::TooManyArrivals { .. }
            | Misdeed::AbsentLane { .. }
            | Misdeed::DivergentBarrier { .. }
            | Misdeed::BadBarrier { .. }
            | Misdeed::MismatchedCounts { .. }
            | Misdeed::MismatchedBarrier { .. }
            | Misdeed::MissingLanes { .. }
            | Misdeed::UnfinishedCopy { .. }
            | Misdeed::MissingProductFence { .. }
            | Misdeed::PendingRegisters { .. }
            | Misdeed::PartialGroup { .. }
            | Misdeed::WrongRegisters { .. }
            | Misdeed::RegisterPool { .. }
            | Misdeed::EndlessLoop
            | Misdeed::Interrupted
            | Misdeed::LongLoop { .. }
            | Misdeed::StepBudget { .. } => None,
        }
    }

    /// The instruction of the other access of a conflict.
    pub(crate) fn other(&self) -> Option<&Code> {
        match self {
            Misdeed::Race { other, .. }
            | Misdeed::NarrowScope { other, .. }
            | Misdeed::BeforeFirstWrite { other, .. }
            | Misdeed::PlainGuess { other, .. }
            | Misdeed::MissingProxyFence { other, .. } => Some(&other.code),
            Misdeed::PendingRegisters { product, .. } => Some(&product.code),
            Misdeed::MissingWait { copy, .. } => Some(&copy.code),
            _ => None,
        }
    }

    /// Returns true for a warning: the launch still counts as successful.
    pub fn is_warning(&self) -> bool {
        matches!(self, Misdeed::PlainGuess { .. })
    }
}

fn describe(touch: &NamedTouch, nearest: &Option<Nearest>) -> String {
    if let Some(subject) = &touch.subject {
        let beyond = subject.beyond.as_ref().map_or_else(String::new, |beyond| format!(", {beyond}"));
        return format!(
            "{beyond}: {}\nhelp: compare the index with the length before the access",
            subject.whole
        );
    }
    let Some(Nearest { address, bytes, distance }) = nearest else {
        return ": there is no allocation".to_string();
    };
    let end = format!("{bytes} bytes at {address:#x}");
    match distance {
        d if *d < 0 => format!(": {} bytes before the {end}", d.unsigned_abs()),
        0 => format!(": it goes beyond the end of the {end}"),
        d => format!(": {d} bytes after the end of the {end}"),
    }
}

fn describe_freed(touch: &NamedTouch, bytes: u64, address: u64) -> String {
    match &touch.subject {
        Some(subject) => format!(": {}\nhelp: keep the buffer until the launch is over", subject.whole),
        None => format!(": {bytes} bytes at {address:#x}"),
    }
}

/// The access to registers of a product before it.
fn accessed_by(access: &Option<Code>) -> String {
    match access {
        Some(code) => format!("another instruction accesses registers of it ({code})"),
        None => "it is the first one of the warp".to_owned(),
    }
}

/// `warps 1 and 3 do`
fn warps(mask: u32) -> String {
    let all: Vec<String> =
        (0..32).filter(|warp| mask >> warp & 1 == 1).map(|warp: u32| warp.to_string()).collect();
    match all.split_last() {
        Some((last, [])) => format!("warp {last} does"),
        Some((last, others)) => format!("warps {} and {last} do", others.join(", ")),
        None => "others do".to_owned(),
    }
}

/// The place of threads that do not come.
fn elsewhere(other: &Option<Code>) -> String {
    other.as_ref().map_or_else(String::new, |code| format!(": they are elsewhere ({code})"))
}

/// Why a lane gives nothing, and what to do.
fn why_absent([exist, exited]: [u32; 2], members: u32, from: u32) -> String {
    let (why, help) = if exist >> from & 1 == 0 {
        (
            "is no thread: the number of threads of the block is no multiple of 32",
            "launch blocks of whole warps, with threads that have a neutral value, or leave out of the mask what is no thread",
        )
    } else if exited >> from & 1 == 1 {
        (
            "has exited",
            "let all lanes of the mask come before one of them ends, or leave those out of the mask that do not",
        )
    } else if members >> from & 1 == 0 {
        ("is not in the member mask", "put it into the mask, or read a lane that is in it")
    } else {
        ("does not take part", "let all lanes of the mask come to the same place in the kernel")
    };
    format!("{why}; the mask is {members:#010x}\nhelp: {help}")
}

/// An event that threads wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The other lanes of a member mask.
    Lanes,
    /// A barrier of the block.
    Barrier {
        /// Its number.
        id: u32,
        /// The threads that have come, if it is not for all of the block: of so many.
        come: Option<(u32, u32)>,
        /// A warp that has come again, without waiting, before the others had come, and where.
        twice: Option<Box<(u32, Code)>>,
    },
    /// All threads of the cluster.
    Cluster,
    /// The other warps of a group, which are to begin a product.
    Products,
    /// The end of a phase of a barrier in shared memory.
    Phase {
        /// The barrier.
        touch: NamedTouch,
        /// Arrivals that are missing.
        missing: u64,
        /// Arrivals that a phase has.
        expected: u64,
        /// Bytes that were announced and have not come; negative if more came than were announced.
        bytes: i64,
    },
    /// Another value in memory: they read it in a loop, and nobody changes it.
    Change {
        /// The bytes that they read.
        touch: NamedTouch,
        /// Their value, if they are a word.
        value: Option<u64>,
        /// The thread that has put the value there, if one is known: it has taken a lock, or stored.
        taker: Option<Box<Taker>>,
    },
    /// Nothing: they could go on.
    Nothing,
}

/// A thread that has taken a lock, or stored a value that others do not wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taker {
    /// The value that it stored; none for an exchange.
    pub stored: Option<u64>,
    /// The linear index of its block.
    pub block: u64,
    /// Its index in the block.
    pub thread: [u32; 3],
    /// It is the first of those that wait.
    pub waits: bool,
    /// The exchange.
    pub code: Code,
}

impl fmt::Display for Taker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Taker { stored, block, thread: [x, y, z], waits, code } = self;
        let itself = if *waits { ", which waits here itself," } else { "" };
        match stored {
            Some(value) => {
                write!(
                    f,
                    "it is {value}, as thread ({x}, {y}, {z}) of block number {block}{itself} stored last ({code})"
                )
            }
            None => write!(f, "thread ({x}, {y}, {z}) of block number {block}{itself} took it last ({code})"),
        }
    }
}

/// Threads of a warp that wait for something that never happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The warp in its block.
    pub warp: u32,
    /// Its lanes that wait.
    pub lanes: u32,
    /// The event that they wait for.
    pub awaited: Awaited,
    /// The instruction that they wait at.
    pub code: Code,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "warp {} lanes {:#010x} ", self.warp, self.lanes)?;
        match &self.awaited {
            Awaited::Barrier { id, come, twice } => {
                write!(f, "wait at barrier {id}")?;
                if let Some((come, count)) = come {
                    write!(f, " for {count} threads, of which {come} have come")?;
                }
                if let Some(twice) = twice {
                    let (warp, code) = &**twice;
                    write!(f, "; warp {warp} has come to it twice before others had come ({code})")?;
                }
            }
            Awaited::Cluster => write!(f, "wait for all threads of the cluster")?,
            Awaited::Products => {
                write!(f, "wait for a product that other warps of their group are to begin")?
            }
            Awaited::Lanes => write!(f, "wait for the other lanes of their member mask")?,
            Awaited::Change { touch, value, taker } => {
                match &touch.subject {
                    Some(subject) => write!(f, "loop until {} changes, which nobody does", subject.part)?,
                    None => write!(f, "loop until the {} change, which nobody does", touch.location())?,
                }
                match (taker, value) {
                    (Some(taker), _) => write!(f, ": {taker}")?,
                    (None, Some(value)) => write!(f, ": it is {value}")?,
                    (None, None) => {}
                }
                if let Some(subject) = &touch.subject {
                    write!(f, "; {}", subject.whole)?;
                }
            }
            Awaited::Nothing => write!(f, "are elsewhere")?,
            Awaited::Phase { touch, missing, expected, bytes } => {
                match &touch.subject {
                    Some(subject) => write!(f, "wait for the barrier {}: ", subject.part)?,
                    None => write!(f, "wait for the barrier at shared address {:#x}: ", touch.address)?,
                }
                describe_phase(f, *missing, *expected, *bytes)?;
            }
        }
        write!(f, " ({})", self.code)
    }
}

fn describe_phase(f: &mut fmt::Formatter<'_>, missing: u64, expected: u64, bytes: i64) -> fmt::Result {
    if expected == 0 {
        return write!(f, "nobody has initialised it");
    }
    match (missing, bytes) {
        (0, 0) => write!(f, "nothing is missing"),
        (0, 1..) => write!(f, "all arrivals have come, but not {bytes} bytes that were announced"),
        (0, _) => {
            write!(f, "all arrivals have come, and {} bytes that nobody has announced", bytes.unsigned_abs())
        }
        (_, 0) => write!(f, "{missing} of {expected} arrivals are missing"),
        (_, 1..) => {
            write!(f, "{missing} of {expected} arrivals are missing, and {bytes} bytes that were announced")
        }
        (_, _) => {
            let more = bytes.unsigned_abs();
            write!(
                f,
                "{missing} of {expected} arrivals are missing, and {more} bytes have come that nobody has announced"
            )
        }
    }
}

/// Why a launch did not end well.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The launch itself is impossible.
    #[error("cannot launch `{kernel}`: {problem}")]
    Launch {
        /// The kernel.
        kernel: Arc<str>,
        /// The problem.
        problem: String,
    },
    /// A thread did what it must not.
    #[error("{misdeed}\n  {place}")]
    Thread {
        /// The illegal operation.
        misdeed: Misdeed,
        /// The thread and the instruction.
        place: Box<Place>,
    },
    /// No thread of a block can go on.
    #[error("deadlock in `{kernel}`, block ({}, {}, {}):{}", .block[0], .block[1], .block[2], list(.waiting, *.later))]
    Deadlock {
        /// The kernel.
        kernel: Arc<str>,
        /// The block.
        block: [u32; 3],
        /// The waiting threads of each warp, and the events that they wait for.
        waiting: Vec<Waiting>,
        /// Number of blocks that may begin only when this one is over.
        later: u64,
    },
    /// Somebody asked for the end of the launch.
    #[error("`{kernel}` was cancelled when {done} of {blocks} blocks were done")]
    Cancelled {
        /// The kernel.
        kernel: Arc<str>,
        /// Blocks that were done.
        done: u64,
        /// Blocks of the launch.
        blocks: u64,
    },
}

fn list(waiting: &[Waiting], later: u64) -> String {
    let mut text: String = groups(waiting).map(|group| format!("\n  {group}")).collect();
    let waits = |what: fn(&Awaited) -> bool| waiting.iter().any(|waiting| what(&waiting.awaited));
    if waits(|awaited| matches!(awaited, Awaited::Change { .. })) {
        text += "\nhelp: let a thread that runs write there";
        let is_lock = |taker: &Taker| taker.stored.is_none();
        if waiting.iter().any(|waiting| matches!(&waiting.awaited, Awaited::Change { taker: Some(taker), .. } if is_lock(taker))) {
            text +=
                ", and give a lock back on every path; several locks are taken in one order by all threads";
        }
        if later > 0 {
            let blocks = if later == 1 { "1 block comes" } else { &format!("{later} blocks come") };
            text += &format!(
                ". {blocks} after this one, and may not begin before it is over: wait for earlier blocks only, launch a kernel for each of the \
                 steps, or let all blocks run at once, in a cooperative launch, `#[kernel(cooperative)]`"
            );
        }
    } else if waits(|awaited| matches!(awaited, Awaited::Barrier { twice: Some(_), .. })) {
        text += "\nhelp: who comes twice before the others have come counts for two: wait between both, at a barrier of another number to which the others come when they are done, \
                 `barrier::named`";
    } else if wait_for_each_other(waiting) {
        text += "\nhelp: warps wait at different barriers, each for those at the other: let all come to them in one order";
    } else if waits(|awaited| matches!(awaited, Awaited::Barrier { come: Some(_), .. })) {
        text += "\nhelp: let as many threads come to the barrier as it waits for, or wait for as many as come: the multiple of 32 that is the \
                 threads of their warps";
    }
    text
}

/// Returns true if threads of the block wait at barriers of different numbers.
fn wait_for_each_other(waiting: &[Waiting]) -> bool {
    let number = |waiting: &Waiting| match waiting.awaited {
        Awaited::Barrier { id, .. } => Some(id),
        _ => None,
    };
    let mut numbers = waiting.iter().filter_map(number);
    numbers.next().is_some_and(|first| numbers.any(|other| other != first))
}

/// The waits in words, one for warps that follow each other and do the like.
fn groups(waiting: &[Waiting]) -> impl Iterator<Item = String> {
    let alike = |a: &Waiting, b: &Waiting| {
        b.warp == a.warp + 1 && (a.lanes, &a.awaited, &a.code) == (b.lanes, &b.awaited, &b.code)
    };
    waiting.chunk_by(move |a, b| alike(a, b)).map(|chunk| match chunk {
        [first, .., last] if chunk.len() > 2 => {
            let text = first.to_string();
            let rest = text.strip_prefix(&format!("warp {} ", first.warp)).unwrap_or(&text).to_owned();
            format!("warps {} to {} {rest}", first.warp, last.warp)
        }
        _ => chunk.iter().map(Waiting::to_string).collect::<Vec<_>>().join("\n  "),
    })
}
