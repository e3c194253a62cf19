//! Calls: which functions there are, where arguments go, and who returns where.
//!
//! Lanes that called from the same place share a frame; a group of lanes has one program counter in one frame. Groups are
//! ordered by where their outermost call stands, then by the next, and so on: the callee of a call comes after what
//! stands before the call, and before what stands after it, so lanes reconverge as they do without calls.
//!
//! Registers of a function have their slots for good. A function that may be active more than once saves them when it is
//! called, and its local memory starts where the stack ends.

use std::collections::HashMap;
use std::sync::Arc;

use super::exec::Watch;
use super::exec::access::Memories;
use super::exec::addresses::Wrong;
use super::fault::{Misdeed, Usage};
use super::launch::MOST_PRINTED;
use super::printf;
use super::program::Kernel;
use super::registers::{Class, LANES, Registers, Slot, lanes};
use super::sanitize::{Destination, Missing, Undefined};
use super::warp::{Group, State, Warp};

/// An argument, a parameter or a result: where its bytes are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Parcel {
    /// Local memory, at an offset from where a register says.
    Memory {
        base: Option<Slot>,
        offset: u64,
        bytes: u32,
    },
    Register {
        class: Class,
        slot: Slot,
    },
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(crate) struct Callable {
    pub(crate) name: Arc<str>,
    /// The value of a pointer to it.
    pub(crate) address: u64,
    /// Its first operation.
    pub(crate) entry: u32,
    pub(crate) arguments: Vec<Parcel>,
    pub(crate) results: Vec<Parcel>,
    /// Of one that may be active more than once: the register that says where its local memory is.
    pub(crate) base: Option<Slot>,
    pub(crate) frame_bytes: u32,
    /// Of one that may be active more than once: its registers.
    pub(crate) saved: Vec<(Class, Slot)>,
}

/// The callee of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Callee {
    /// A function of the kernel.
    Function(usize),
    /// The function whose address a register holds.
    Pointer {
        class: Class,
        slot: Slot,
    },
    Builtin(Builtin),
}

/// Functions that are not written in PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    /// `vprintf(format, arguments)`
    Printf,
    /// `__assertfail(message, file, line, function, character size)`
    AssertFail,
    /// `malloc(bytes)`
    Allocate,
    /// `free(address)`: memory of the heap is not used again.
    Free,
}

/// The names of the builtins.
pub(crate) const BUILTINS: &[(&str, Builtin)] = &[
    ("vprintf", Builtin::Printf),
    ("__assertfail", Builtin::AssertFail),
    ("malloc", Builtin::Allocate),
    ("free", Builtin::Free),
];

/// A call in the text.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub(crate) callee: Callee,
    pub(crate) arguments: Vec<Parcel>,
    pub(crate) results: Vec<Parcel>,
}

/// Index of a frame of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FrameId(u32);

impl FrameId {
    /// The frame of the kernel itself.
    pub(crate) const KERNEL: FrameId = FrameId(0);
}

#[derive(Clone, Debug)]
struct Frame {
    parent: FrameId,
    /// The operation that called.
    call: usize,
    callee: usize,
    saved: Vec<Saved>,
}

/// Registers as they were when some lanes called.
#[derive(Clone, Debug)]
struct Saved {
    lanes: u32,
    p: Vec<u32>,
    w: Vec<[u32; LANES]>,
    d: Vec<[u64; LANES]>,
    stack: Option<[u64; LANES]>,
    /// Those without a value.
    undefined: Vec<((Class, Slot), Undefined)>,
}

/// The frames of a warp, each made once: by whom it was called from where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames {
    /// Without that of the kernel.
    frames: Vec<Frame>,
    known: HashMap<(FrameId, usize, usize), FrameId>,
}

impl Frames {
    pub(crate) fn clear(&mut self) {
        self.frames.clear();
        self.known.clear();
    }

    fn enter(&mut self, parent: FrameId, call: usize, callee: usize) -> FrameId {
        let next = FrameId(self.frames.len() as u32 + 1);
        let id = *self.known.entry((parent, call, callee)).or_insert(next);
        if id == next {
            self.frames.push(Frame { parent, call, callee, saved: Vec::new() });
        }
        id
    }

    fn get(&self, id: FrameId) -> Option<&Frame> {
        self.frames.get((id.0 as usize).checked_sub(1)?)
    }

    /// The position by which groups are ordered: the calls that lead to it, outermost first, then its program counter.
    pub(crate) fn position(&self, group: &Group) -> Vec<usize> {
        let mut position = vec![group.pc];
        let mut at = group.frame;
        while let Some(frame) = self.get(at) {
            position.push(frame.call);
            at = frame.parent;
        }
        position.reverse();
        position
    }
}

impl Parcel {
    /// The register, if it is one.
    pub(crate) fn register(&self) -> Option<(Class, Slot)> {
        match *self {
            Parcel::Register { class, slot } => Some((class, slot)),
            Parcel::Memory { .. } => None,
        }
    }

    /// Its place, and its size in bytes.
    fn place(self, registers: &Registers, memories: &Memories<'_>, lane: usize) -> (Destination, usize) {
        match self {
            Parcel::Register { class, slot } => (Destination::Register((class, slot)), 8),
            Parcel::Memory { base, offset, bytes } => {
                (Destination::Local(place(registers, memories, base, offset, lane)), bytes as usize)
            }
        }
    }

    fn read(self, registers: &Registers, memories: &Memories<'_>, lane: usize) -> Vec<u8> {
        match self {
            Parcel::Register { class: Class::D, slot } => {
                registers.d[slot.index()][lane].to_le_bytes().to_vec()
            }
            Parcel::Register { class: Class::W, slot } => {
                registers.w[slot.index()][lane].to_le_bytes().to_vec()
            }
            Parcel::Register { class: Class::P, slot } => vec![(registers.p[slot.index()] >> lane & 1) as u8],
            Parcel::Memory { base, offset, bytes } => {
                let start = place(registers, memories, base, offset, lane);
                memories.local.get(start..start + bytes as usize).unwrap_or_default().to_vec()
            }
        }
    }

    fn write(self, registers: &mut Registers, memories: &mut Memories<'_>, lane: usize, bytes: &[u8]) {
        let mut raw = [0; 8];
        let count = bytes.len().min(8);
        raw[..count].copy_from_slice(&bytes[..count]);
        let value = u64::from_le_bytes(raw);
        match self {
            Parcel::Register { class: Class::D, slot } => registers.d[slot.index()][lane] = value,
            Parcel::Register { class: Class::W, slot } => registers.w[slot.index()][lane] = value as u32,
            Parcel::Register { class: Class::P, slot } => {
                registers.set_predicate(slot, 1 << lane, 0u32.wrapping_sub(value as u32 & 1));
            }
            Parcel::Memory { base, offset, bytes: size } => {
                let start = place(registers, memories, base, offset, lane);
                let count = bytes.len().min(size as usize);
                if let Some(place) = memories.local.get_mut(start..start + count) {
                    place.copy_from_slice(&bytes[..count]);
                    memories.local_writes.push((start, count));
                }
            }
        }
    }
}

/// The place of an offset in the local memory of a warp.
fn place(
    registers: &Registers,
    memories: &Memories<'_>,
    base: Option<Slot>,
    offset: u64,
    lane: usize,
) -> usize {
    let base = base.map_or(0, |slot| registers.d[slot.index()][lane]);
    (lane as u64 * memories.local_bytes + base + offset) as usize
}

impl Warp {
    /// Some lanes of a group call; the others go on after the call.
    pub(crate) fn call(
        &mut self,
        index: usize,
        on: u32,
        site: u32,
        kernel: &Kernel,
        memories: &mut Memories<'_>,
        mut watch: Option<&mut Watch<'_, '_>>,
    ) -> Result<(), Wrong> {
        let pc = self.groups[index].pc;
        let site = &kernel.sites[site as usize];
        let callees: Vec<(usize, u32)> = match site.callee {
            Callee::Builtin(builtin) => {
                for lane in lanes(on) {
                    self.run_builtin(builtin, site, lane, memories)?;
                    if let (Some(watch), Some(result)) = (&mut watch, site.results.first()) {
                        let (to, _) = result.place(&self.registers, memories, lane);
                        watch.checks.hand_over(lane, to, Missing::default());
                    }
                }
                self.groups[index].pc += 1;
                return Ok(());
            }
            Callee::Function(callee) => vec![(callee, on)],
            Callee::Pointer { class, slot } => {
                if let Some(watch) = &mut watch {
                    watch.checks.use_register(watch.warp, on, pc, (class, slot), Usage::Condition);
                }
                self.pointed_at(class, slot, on, kernel)?
            }
        };
        let Group { pc, frame, .. } = self.groups[index];
        self.groups[index].lanes &= !on;
        self.groups[index].pc = pc + 1;
        for (callee, lanes) in callees {
            self.enter(callee, lanes, pc, frame, site, kernel, memories, watch.as_deref_mut())?;
        }
        self.groups.retain(|group| group.lanes != 0);
        Ok(())
    }

    /// The functions that a register points to, each with its lanes.
    fn pointed_at(
        &self,
        class: Class,
        slot: Slot,
        on: u32,
        kernel: &Kernel,
    ) -> Result<Vec<(usize, u32)>, Wrong> {
        let mut callees: Vec<(usize, u32)> = Vec::new();
        for lane in lanes(on) {
            let address = match class {
                Class::D => self.registers.d[slot.index()][lane],
                Class::W | Class::P => u64::from(self.registers.w[slot.index()][lane]),
            };
            let found = kernel.functions.iter().position(|callable| callable.address == address);
            let callee = found.ok_or_else(|| Box::new((lane, Misdeed::NoFunction { address })))?;
            match callees.iter_mut().find(|(known, _)| *known == callee) {
                Some((_, lanes)) => *lanes |= 1 << lane,
                None => callees.push((callee, 1 << lane)),
            }
        }
        Ok(callees)
    }

    #[expect(clippy::too_many_arguments, reason = "a call is that many things")]
    fn enter(
        &mut self,
        callee: usize,
        on: u32,
        call: usize,
        parent: FrameId,
        site: &CallSite,
        kernel: &Kernel,
        memories: &mut Memories<'_>,
        mut watch: Option<&mut Watch<'_, '_>>,
    ) -> Result<(), Wrong> {
        let callable = &kernel.functions[callee];
        if (callable.arguments.len(), callable.results.len()) != (site.arguments.len(), site.results.len()) {
            let misdeed = Misdeed::BadCall {
                function: callable.name.clone(),
                expected: (callable.arguments.len(), callable.results.len()),
                found: (site.arguments.len(), site.results.len()),
            };
            return Err(Box::new((on.trailing_zeros() as usize, misdeed)));
        }
        let mut values = Vec::new();
        let mut missing = Vec::new();
        for lane in lanes(on) {
            for parcel in &site.arguments {
                values.push(parcel.read(&self.registers, memories, lane));
                if let Some(watch) = &mut watch {
                    let (from, bytes) = parcel.place(&self.registers, memories, lane);
                    missing.push(watch.checks.missing_of(watch.warp, lane, call, from, bytes));
                }
            }
        }
        let frame = self.frames.enter(parent, call, callee);
        if kernel.stack.is_some() {
            let undefined = watch.as_ref().map(|watch| watch.checks.save(watch.warp, &callable.saved));
            self.save(frame, on, callable, kernel, undefined.unwrap_or_default());
        }
        if let (Some(base), Some(stack)) = (callable.base, kernel.stack) {
            for lane in lanes(on) {
                let start = self.registers.d[stack.slot.index()][lane].next_multiple_of(16);
                let end = start + u64::from(callable.frame_bytes);
                if end > memories.local_bytes || self.frames.frames.len() > MAX_FRAMES {
                    let bytes = memories.local_bytes - stack.start;
                    return Err(Box::new((lane, Misdeed::StackOverflow { bytes })));
                }
                self.registers.d[base.index()][lane] = start;
                self.registers.d[stack.slot.index()][lane] = end;
            }
        }
        let mut values = values.into_iter();
        let mut missing = missing.into_iter();
        for lane in lanes(on) {
            for (parcel, value) in callable.arguments.iter().zip(&mut values) {
                parcel.write(&mut self.registers, memories, lane, &value);
                if let (Some(watch), Some(missing)) = (&mut watch, missing.next()) {
                    let (to, _) = parcel.place(&self.registers, memories, lane);
                    watch.checks.hand_over(lane, to, missing);
                }
            }
        }
        self.groups.push(Group { pc: callable.entry as usize, frame, lanes: on, state: State::Ready });
        Ok(())
    }

    fn save(
        &mut self,
        frame: FrameId,
        on: u32,
        callable: &Callable,
        kernel: &Kernel,
        undefined: Vec<((Class, Slot), Undefined)>,
    ) {
        let mut saved = Saved {
            undefined,
            lanes: on,
            p: Vec::new(),
            w: Vec::new(),
            d: Vec::new(),
            stack: kernel.stack.map(|stack| self.registers.d[stack.slot.index()]),
        };
        for &(class, slot) in &callable.saved {
            match class {
                Class::P => saved.p.push(self.registers.p[slot.index()]),
                Class::W => saved.w.push(self.registers.w[slot.index()]),
                Class::D => saved.d.push(self.registers.d[slot.index()]),
            }
        }
        self.frames.frames[frame.0 as usize - 1].saved.push(saved);
    }

    /// Gives the lanes the registers back that they had when they called.
    fn restore(
        &mut self,
        frame: FrameId,
        on: u32,
        callable: &Callable,
        kernel: &Kernel,
        mut watch: Option<&mut Watch<'_, '_>>,
    ) {
        let all = &mut self.frames.frames[frame.0 as usize - 1].saved;
        for saved in all.iter_mut() {
            let back = saved.lanes & on;
            saved.lanes &= !on;
            if back == 0 {
                continue;
            }
            if let Some(watch) = &mut watch {
                watch.checks.restore(watch.warp, back, &callable.saved, &saved.undefined);
            }
            let (mut p, mut w, mut d) = (saved.p.iter(), saved.w.iter(), saved.d.iter());
            for &(class, slot) in &callable.saved {
                match class {
                    Class::P => {
                        p.next().into_iter().for_each(|&old| self.registers.set_predicate(slot, back, old));
                    }
                    Class::W => copy(&mut self.registers.w[slot.index()], w.next(), back),
                    Class::D => copy(&mut self.registers.d[slot.index()], d.next(), back),
                }
            }
            if let Some(stack) = kernel.stack {
                copy(&mut self.registers.d[stack.slot.index()], saved.stack.as_ref(), back);
            }
        }
        all.retain(|saved| saved.lanes != 0);
    }

    /// Some lanes of a group return; the others go on after the instruction.
    pub(crate) fn return_from(
        &mut self,
        index: usize,
        on: u32,
        kernel: &Kernel,
        memories: &mut Memories<'_>,
        mut watch: Option<&mut Watch<'_, '_>>,
    ) {
        let group = self.groups[index];
        let Some(&Frame { parent, call, callee, .. }) = self.frames.get(group.frame) else { return };
        let super::op::Op::Call { site } = kernel.code[call].op else { return };
        let (callable, site) = (&kernel.functions[callee], &kernel.sites[site as usize]);
        let mut values = Vec::new();
        let mut missing = Vec::new();
        for lane in lanes(on) {
            for parcel in &callable.results {
                values.push(parcel.read(&self.registers, memories, lane));
                if let Some(watch) = &mut watch {
                    let (from, bytes) = parcel.place(&self.registers, memories, lane);
                    missing.push(watch.checks.missing_of(watch.warp, lane, group.pc, from, bytes));
                }
            }
        }
        if kernel.stack.is_some() {
            self.restore(group.frame, on, callable, kernel, watch.as_deref_mut());
        }
        let mut values = values.into_iter();
        let mut missing = missing.into_iter();
        for lane in lanes(on) {
            for (parcel, value) in site.results.iter().zip(&mut values) {
                parcel.write(&mut self.registers, memories, lane, &value);
                if let (Some(watch), Some(missing)) = (&mut watch, missing.next()) {
                    let (to, _) = parcel.place(&self.registers, memories, lane);
                    watch.checks.hand_over(lane, to, missing);
                }
            }
        }
        self.groups[index].lanes &= !on;
        self.groups[index].pc += 1;
        self.groups.push(Group { pc: call + 1, frame: parent, lanes: on, state: State::Ready });
        self.groups.retain(|group| group.lanes != 0);
    }

    fn run_builtin(
        &mut self,
        builtin: Builtin,
        site: &CallSite,
        lane: usize,
        memories: &mut Memories<'_>,
    ) -> Result<(), Wrong> {
        let mut arguments = [0u64; 5];
        for (argument, parcel) in arguments.iter_mut().zip(&site.arguments) {
            let bytes = parcel.read(&self.registers, memories, lane);
            *argument = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        }
        match builtin {
            Builtin::Printf => {
                let [format, buffer, ..] = arguments;
                let format = memories.string(lane, format)?;
                let text = printf::format(&format, |request| match request {
                    printf::Request::Value { offset, bytes } => {
                        let mut raw = [0; 8];
                        memories.bytes(lane, buffer.wrapping_add(offset), &mut raw[..bytes])?;
                        Ok(printf::Answer::Value(u64::from_le_bytes(raw)))
                    }
                    printf::Request::Text { address } => {
                        memories.string(lane, address).map(printf::Answer::Text)
                    }
                })?;
                let room = MOST_PRINTED.saturating_sub(memories.output.len());
                memories.output.extend_from_slice(&text.bytes[..text.bytes.len().min(room)]);
                if let Some(result) = site.results.first() {
                    let count = text.arguments as u32;
                    result.write(&mut self.registers, memories, lane, &count.to_le_bytes());
                }
                Ok(())
            }
            Builtin::Free => Ok(()),
            Builtin::Allocate => {
                let address = memories.view.take_from_heap(arguments[0]).unwrap_or(0);
                if let Some(result) = site.results.first() {
                    result.write(&mut self.registers, memories, lane, &address.to_le_bytes());
                }
                Ok(())
            }
            Builtin::AssertFail => {
                let [message, file, line, function, _] = arguments;
                let text = |address: u64| -> Result<String, Wrong> {
                    Ok(String::from_utf8_lossy(&memories.string(lane, address)?).into_owned())
                };
                let misdeed = Misdeed::AssertFailed {
                    message: text(message)?,
                    file: text(file)?,
                    line: line as u32,
                    function: text(function)?,
                };
                Err(Box::new((lane, misdeed)))
            }
        }
    }

    /// Some lanes of a group go where a table says, the others go on after the instruction.
    pub(crate) fn switch(
        &mut self,
        index: usize,
        on: u32,
        targets: &[u32],
        which: Slot,
    ) -> Result<(), Wrong> {
        let Group { frame, pc, .. } = self.groups[index];
        let numbers = self.registers.w[which.index()];
        for lane in lanes(on) {
            let number = numbers[lane];
            let Some(&target) = targets.get(number as usize) else {
                let misdeed = Misdeed::NoTarget { index: number, targets: targets.len() as u32 };
                return Err(Box::new((lane, misdeed)));
            };
            let bit = 1 << lane;
            let known = self.groups[index + 1..].iter_mut().find(|group| {
                group.pc == target as usize && group.frame == frame && group.state == State::Ready
            });
            match known {
                Some(group) => group.lanes |= bit,
                None => {
                    let pc = target as usize;
                    self.groups.push(Group { pc, frame, lanes: bit, state: State::Ready });
                }
            }
        }
        self.groups[index].lanes &= !on;
        self.groups[index].pc = pc + 1;
        self.groups.retain(|group| group.lanes != 0);
        Ok(())
    }
}

/// Calls active at once, each from another place or at another depth.
const MAX_FRAMES: usize = 1 << 16;

fn copy<T: Copy>(to: &mut [T; LANES], from: Option<&[T; LANES]>, on: u32) {
    if let Some(from) = from {
        lanes(on).for_each(|lane| to[lane] = from[lane]);
    }
}
