//! Follows values that are missing through operations, and reports where one is used.
//!
//! To load, move, compute with or exchange such a value is no mistake, as long as nothing depends on it: compilers load and compute
//! before they know whether they need it, and copy structs with their padding. It is used where it decides something that
//! others see: as an address, as the condition of a branch, as an operand of an atomic operation or of a reduction of a
//! warp, and where it is stored to global memory (`escape`).

use super::rules::{self, Operand};
use super::values::{Origin, Register, Undefined, Values};
use super::{BlockChecks, values};
use crate::exec::collective::source_lane;
use crate::fault::{Misdeed, Usage};
use crate::op::{Address, Collective, Inst, Op, Predicate, VoteMode};
use crate::program::Kernel;
use crate::registers::{Class, Registers, Slot, lanes};

/// The registers that each operation of a kernel touches.
#[derive(Debug)]
pub(crate) struct Touched {
    /// Start of the list of each operation; the last is the end.
    starts: Vec<u32>,
    /// By `values::index`.
    registers: Vec<u32>,
}

impl Touched {
    pub(crate) fn of(kernel: &Kernel) -> Touched {
        let (mut starts, mut registers) = (vec![0], Vec::new());
        for inst in &kernel.code {
            let touched = crate::decode::touched(kernel, inst);
            registers.extend(touched.into_iter().map(|(class, slot, _)| values::index((class, slot)) as u32));
            starts.push(registers.len() as u32);
        }
        Touched { starts, registers }
    }

    /// Returns true for an operation that touches a register with undefined bits.
    fn any(&self, pc: usize, values: &Values) -> bool {
        let range = self.starts[pc] as usize..self.starts[pc + 1] as usize;
        self.registers[range].iter().any(|&register| values.has(register as usize))
    }
}

/// Undefined bits of the target of an exchange among lanes.
#[derive(Debug)]
pub(crate) struct Exchanged {
    target: Register,
    undefined: Undefined,
}

fn base(address: &Address) -> Register {
    (if address.wide { Class::D } else { Class::W }, address.base)
}

/// The class of values of so many bytes.
fn sized(bytes: u8) -> Class {
    if bytes == 8 { Class::D } else { Class::W }
}

/// Returns true for an operation without effects besides writing its targets.
fn is_pure(op: &Op) -> bool {
    op.computes() || matches!(op, Op::ActiveMask { .. } | Op::Clock { .. })
}

impl BlockChecks<'_> {
    /// Follows an operation that is about to happen in the lanes `on` of those that are `active`. Returns the lanes whose access has
    /// an address without a value: it is reported, and they end there.
    #[inline(always)]
    pub(crate) fn follow(
        &mut self,
        registers: &Registers,
        warp: usize,
        (active, on): (u32, u32),
        pc: usize,
        inst: &Inst,
    ) -> u32 {
        if self.group_registers.is_some() {
            self.access_registers(warp, on, pc);
        }
        if self.values[warp].is_clean() {
            0
        } else {
            self.follow_undefined(registers, warp, (active, on), pc, inst)
        }
    }

    #[inline(never)]
    fn follow_undefined(
        &mut self,
        registers: &Registers,
        warp: usize,
        (active, on): (u32, u32),
        pc: usize,
        inst: &Inst,
    ) -> u32 {
        if !self.kernel.touched().any(pc, &self.values[warp]) {
            return 0;
        }
        let values = std::mem::take(&mut self.values[warp]);
        let mut step = Step { checks: self, values, registers, warp, pc, on };
        let lost = step.run(active, inst);
        let Step { values, .. } = step;
        self.values[warp] = values;
        self.failed |= lost != 0;
        lost
    }

    /// Lanes use a register: reports those in which it has no value.
    pub(crate) fn use_register(&mut self, warp: usize, on: u32, pc: usize, register: Register, usage: Usage) {
        let missing = self.values[warp].lanes(register, on);
        if missing == 0 {
            return;
        }
        self.values[warp].note_read(register, missing, pc);
        if let Some(undefined) = self.values[warp].get(register) {
            for lane in lanes(missing) {
                self.report_use(warp, lane, pc, usage, undefined.origins[lane]);
            }
        }
        self.values[warp].define(register, missing);
    }

    /// Returns true if no register of a warp has undefined bits.
    #[inline(always)]
    pub(crate) fn is_clean(&self, warp: usize) -> bool {
        self.values[warp].is_clean()
    }

    /// An exchange among lanes has happened for these.
    #[inline(always)]
    pub(crate) fn exchanged(&mut self, warp: usize, done: u32) {
        if !self.exchanged.is_empty() {
            self.take_exchanged(warp, done);
        }
    }

    #[inline(never)]
    fn take_exchanged(&mut self, warp: usize, done: u32) {
        for Exchanged { target, undefined } in std::mem::take(&mut self.exchanged) {
            self.values[warp].set(target, done, &undefined);
        }
    }
}

/// An operation that touches undefined registers.
struct Step<'c, 'b> {
    checks: &'c mut BlockChecks<'b>,
    values: Values,
    registers: &'c Registers,
    warp: usize,
    pc: usize,
    on: u32,
}

impl Step<'_, '_> {
    fn run(&mut self, active: u32, inst: &Inst) -> u32 {
        use Class::{D, P, W};
        let guard = (P, inst.guard.slot);
        let mut doubtful = self.values.lanes(guard, active);
        if doubtful != 0 && !is_pure(&inst.op) {
            self.uses(guard, active, Usage::Condition);
            doubtful = 0;
        }
        let lost = match inst.op {
            Op::Load(ref access) => {
                let lost = self.uses(base(&access.address), self.on, Usage::Address);
                let class = sized(access.size);
                for &slot in &access.values[..usize::from(access.count)] {
                    self.values.define((class, slot), self.on & !lost);
                }
                lost
            }
            Op::Store(ref access) => self.uses(base(&access.address), self.on, Usage::Address),
            Op::Atomic(ref atomic) => {
                let lost = self.uses(base(&atomic.address), self.on, Usage::Address);
                let class = sized(atomic.size);
                self.uses((class, atomic.operand), self.on, Usage::Atomic);
                self.uses((class, atomic.replacement), self.on, Usage::Atomic);
                atomic.old.into_iter().for_each(|slot| self.values.define((class, slot), self.on & !lost));
                lost
            }
            Op::AtomicWide(ref atomic) => {
                let lost = self.uses(base(&atomic.address), self.on, Usage::Address);
                for slot in atomic.expected.into_iter().flatten().chain(atomic.new) {
                    self.uses((D, slot), self.on, Usage::Atomic);
                }
                atomic.old.into_iter().for_each(|slot| self.values.define((D, slot), self.on & !lost));
                lost
            }
            Op::Unary { f, target, sources } => {
                let (to, [a]) = f.classes();
                self.compute((to, target), [(a, sources[0])], |[a]| rules::unary(f, a))
            }
            Op::Binary { f, target, sources } => {
                let (to, classes) = f.classes();
                self.compute((to, target), of(classes, sources), |[a, b]| rules::binary(f, a, b))
            }
            Op::Ternary { f, target, sources } => {
                let (to, classes) = f.classes();
                self.compute((to, target), of(classes, sources), |operands| rules::ternary(f, operands))
            }
            Op::Quaternary { f, target, sources } => {
                let (to, classes) = f.classes();
                self.compute((to, target), of(classes, sources), |operands| rules::quaternary(f, operands))
            }
            Op::Convert { how, target, source } => {
                let (from, to) = (sized(how.from.bits() / 8), sized(how.to.bits() / 8));
                self.compute((to, target), [(from, source)], |[a]| rules::convert(how, a))
            }
            Op::Packed { how, target, sources } => {
                self.compute((W, target), of([W; 3], sources), |operands| rules::packed(how, operands))
            }
            Op::Video { target, sources, .. } => {
                self.compute((W, target), sources.map(|slot| (W, slot)), |operands| {
                    let any = operands.iter().any(|operand| operand.undefined != 0);
                    if any { rules::ones(32) } else { 0 }
                })
            }
            Op::Compare { f, a, b, combine, with, target, inverse, negated } => {
                let holds = f.run(self.registers, a, b) ^ 0u32.wrapping_sub(u32::from(negated));
                let class = f.class();
                let found = self.result([(class, a), (class, b), (P, with.slot)], |[a, b, _]| {
                    u64::from(rules::compare(f, a, b))
                });
                let undefined = found.lanes();
                let (with_value, with_undefined) =
                    (with.lanes(self.registers), self.values.lanes((P, with.slot), self.on));
                for (slot, holds) in [(Some(target), holds), (inverse, !holds)] {
                    let Some(slot) = slot else { continue };
                    let lanes = rules::logic(combine, (holds, undefined), (with_value, with_undefined));
                    self.set_predicate(slot, lanes, &found);
                }
                0
            }
            Op::Select32 { target, a, b, condition } => self.select(32, (W, target), a, b, condition),
            Op::Select64 { target, a, b, condition } => self.select(64, (D, target), a, b, condition),
            Op::Logic { f, target, a, b } => {
                let found = self.result([(P, a.slot), (P, b.slot)], |[a, b]| a.undefined | b.undefined);
                let of = |predicate: Predicate| {
                    (predicate.lanes(self.registers), self.values.lanes((P, predicate.slot), self.on))
                };
                let lanes = rules::logic(f, of(a), of(b));
                self.set_predicate(target, lanes, &found);
                0
            }
            Op::Carry { wide, target, a, b, carry_in, carry_out, flag, .. } => {
                let (class, bits) = if wide { (D, 64) } else { (W, 32) };
                let flags = if carry_in { (P, flag) } else { (P, Predicate::TRUE.slot) };
                let found = self.result([(class, a), (class, b), flags], |[a, b, flag]| {
                    rules::carry(bits, a, b, flag.undefined != 0)
                });
                self.values.set((class, target), self.on, &found);
                if carry_out {
                    self.set_predicate(flag, found.lanes(), &found);
                }
                0
            }
            Op::Pack { target, parts, count, bits } => {
                let wide = u32::from(count) * u32::from(bits) == 64;
                let parts = parts.map(|slot| (W, slot));
                let found = self.result(parts, |operands| {
                    let part = |operand: &Operand| operand.undefined & rules::ones(bits.into());
                    let parts = operands[..usize::from(count)].iter().rev();
                    parts.fold(0, |whole, operand| whole << bits | part(operand))
                });
                self.values.set((if wide { D } else { W }, target), self.on, &found);
                0
            }
            Op::Unpack { source, parts, count, bits } => {
                let wide = u32::from(count) * u32::from(bits) == 64;
                let source = (if wide { D } else { W }, source);
                let found: Vec<Undefined> = (0..u32::from(count))
                    .map(|part| {
                        self.result([source], |[whole]| {
                            whole.undefined >> (part * u32::from(bits)) & rules::ones(bits.into())
                        })
                    })
                    .collect();
                for (&slot, found) in parts.iter().zip(&found) {
                    self.values.set((W, slot), self.on, found);
                }
                0
            }
            Op::IsSpace { target, address, .. } => {
                let found = self.result([(D, address)], |[address]| u64::from(address.undefined != 0));
                self.set_predicate(target, found.lanes(), &found);
                0
            }
            Op::ActiveMask { target } => self.defines((W, target)),
            Op::Clock { target, wide } => self.defines((if wide { D } else { W }, target)),
            Op::Collective { members, what } => {
                self.uses((W, members), self.on, Usage::Collective);
                self.collective(members, what)
            }
            Op::Switch { index, .. } => {
                self.uses((W, index), self.on, Usage::Condition);
                0
            }
            Op::Barrier(_) | Op::Asynchronous { .. } => self.uses_all(inst),
            // The callee, the arguments and the matrices are looked at where they are handed over.
            Op::Call { .. }
            | Op::Matrix { .. }
            | Op::Branch { .. }
            | Op::Return
            | Op::Exit
            | Op::Trap
            | Op::Fence { .. }
            | Op::ProxyFence { .. }
            | Op::Warpgroup(_)
            | Op::ClusterBarrier { .. }
            | Op::Nothing => 0,
        };
        if doubtful != 0 {
            self.doubt(guard, doubtful, inst);
        }
        lost
    }

    /// Reports the lanes in which a register that is used has undefined bits; it counts as defined from there on.
    fn uses(&mut self, register: Register, on: u32, usage: Usage) -> u32 {
        let missing = self.values.lanes(register, on);
        if missing != 0 {
            self.values.note_read(register, missing, self.pc);
            if let Some(undefined) = self.values.get(register) {
                for lane in lanes(missing) {
                    self.checks.report_use(self.warp, lane, self.pc, usage, undefined.origins[lane]);
                }
            }
            self.values.define(register, missing);
        }
        missing
    }

    fn uses_all(&mut self, inst: &Inst) -> u32 {
        for (class, slot, write) in crate::decode::touched(self.checks.kernel, inst) {
            if !write && (class, slot) != (Class::P, inst.guard.slot) {
                self.uses((class, slot), self.on, Usage::Operand);
            }
        }
        for (class, slot, write) in crate::decode::touched(self.checks.kernel, inst) {
            if write {
                self.values.define((class, slot), self.on);
            }
        }
        0
    }

    fn defines(&mut self, register: Register) -> u32 {
        self.values.define(register, self.on);
        0
    }

    /// The undefined bits of a result in each lane, with the origin of the first operand that has any.
    fn result<const N: usize>(
        &mut self,
        sources: [Register; N],
        rule: impl Fn([Operand; N]) -> u64,
    ) -> Undefined {
        let mut found = Undefined::none();
        for source in sources {
            self.values.note_read(source, self.on, self.pc);
        }
        let undefined = sources.map(|source| self.values.get(source));
        for lane in lanes(self.on) {
            let mut origin = None;
            let operands = std::array::from_fn(|operand| {
                let (class, slot) = sources[operand];
                let value = match class {
                    Class::P => u64::from(self.registers.p[slot.index()] >> lane & 1),
                    Class::W => u64::from(self.registers.w[slot.index()][lane]),
                    Class::D => self.registers.d[slot.index()][lane],
                };
                let bits = undefined[operand].map_or(0, |undefined| undefined.bits[lane]);
                if bits != 0 {
                    origin = origin.or(undefined[operand].map(|undefined| undefined.origins[lane]));
                }
                Operand { value, undefined: bits }
            });
            if let Some(origin) = origin {
                found.set(lane, rule(operands), origin);
            }
        }
        found
    }

    fn compute<const N: usize>(
        &mut self,
        target: Register,
        sources: [Register; N],
        rule: impl Fn([Operand; N]) -> u64,
    ) -> u32 {
        let found = self.result(sources, rule);
        self.values.set(target, self.on, &found);
        0
    }

    fn select(&mut self, bits: u32, target: Register, a: Slot, b: Slot, condition: Predicate) -> u32 {
        let negated = condition.negated;
        let sources = [(target.0, a), (target.0, b), (Class::P, condition.slot)];
        let found = self.result(sources, |[a, b, condition]| {
            let holds = (condition.value & 1 == 1) != negated;
            rules::select(bits, a, b, (holds, condition.undefined == 0))
        });
        self.values.set(target, self.on, &found);
        0
    }

    /// A predicate is undefined in some lanes, of the origin that is found there.
    fn set_predicate(&mut self, slot: Slot, undefined: u32, origins: &Undefined) {
        let mut bits = Undefined::none();
        lanes(undefined & self.on).for_each(|lane| bits.set(lane, 1, origins.origins[lane]));
        self.values.set((Class::P, slot), self.on, &bits);
    }

    /// Lanes of which nobody can say whether they execute an operation: its targets have no value there.
    fn doubt(&mut self, guard: Register, doubtful: u32, inst: &Inst) {
        self.values.note_read(guard, doubtful, self.pc);
        let Some(origins) = self.values.get(guard).map(|undefined| undefined.origins) else { return };
        for (class, slot, write) in crate::decode::touched(self.checks.kernel, inst) {
            if write {
                let bits = match class {
                    Class::P => 1,
                    Class::W => rules::ones(32),
                    Class::D => u64::MAX,
                };
                lanes(doubtful)
                    .for_each(|lane| self.values.set_lane((class, slot), lane, bits, origins[lane]));
            }
        }
    }

    /// An exchange among lanes. What comes of it is noted when it has happened: some of them may still wait for others.
    fn collective(&mut self, members: Slot, what: Collective) -> u32 {
        use Class::{D, P, W};
        match what {
            Collective::Shuffle { mode, target, valid, source, lane: offset, clamp } => {
                self.uses((W, offset), self.on, Usage::Collective);
                self.uses((W, clamp), self.on, Usage::Collective);
                self.values.note_read((W, source), self.on, self.pc);
                let (offsets, clamps) = (&self.registers.w[offset.index()], &self.registers.w[clamp.index()]);
                let mut undefined = Undefined::none();
                if let Some(from) = self.values.get((W, source)) {
                    for lane in lanes(self.on) {
                        let (other, _) = source_lane(mode, lane as u32, offsets[lane], clamps[lane]);
                        undefined.set(lane, from.bits[other as usize], from.origins[other as usize]);
                    }
                }
                self.checks.exchanged.push(Exchanged { target: (W, target), undefined });
                if let Some(valid) = valid {
                    self.checks
                        .exchanged
                        .push(Exchanged { target: (P, valid), undefined: Undefined::none() });
                }
            }
            Collective::Vote { mode, target, source } => {
                let undefined = self.vote(members, mode, source);
                let class = if mode == VoteMode::Ballot { W } else { P };
                self.checks.exchanged.push(Exchanged { target: (class, target), undefined });
            }
            Collective::Match { wide, target, valid, source, .. } => {
                self.uses((if wide { D } else { W }, source), self.on, Usage::Collective);
                let targets = [Some((W, target)), valid.map(|slot| (P, slot))];
                targets.into_iter().flatten().for_each(|register| self.values.define(register, self.on));
            }
            Collective::Redux { target, source, .. } => {
                self.uses((W, source), self.on, Usage::Collective);
                self.values.define((W, target), self.on);
            }
            Collective::Elect { target, leader } => {
                self.values.define((P, target), self.on);
                self.values.define((W, leader), self.on);
            }
            Collective::Synchronize => {}
        }
        0
    }

    /// The undefined bits of a vote: those of a ballot are those of its lanes; `any` is known where one holds, `all` where one
    /// does not.
    fn vote(&mut self, members: Slot, mode: VoteMode, source: Predicate) -> Undefined {
        let register = (Class::P, source.slot);
        self.values.note_read(register, self.on, self.pc);
        let missing = self.values.lanes(register, self.on);
        let holds = source.lanes(self.registers) & !missing;
        let fails = !source.lanes(self.registers) & !missing;
        let masks = &self.registers.w[members.index()];
        let mut undefined = Undefined::none();
        for lane in lanes(self.on) {
            let group = masks[lane] & self.on;
            let missing = missing & group;
            let bits = match mode {
                VoteMode::Ballot => u64::from(missing),
                VoteMode::Any => u64::from(missing != 0 && holds & group == 0),
                VoteMode::All => u64::from(missing != 0 && fails & group == 0),
                VoteMode::Uniform => u64::from(missing != 0 && (holds & group == 0 || fails & group == 0)),
            };
            if let (true, Some(from)) = (bits != 0, self.values.get(register)) {
                undefined.set(lane, bits, from.origins[missing.trailing_zeros() as usize]);
            }
        }
        undefined
    }
}

fn of<const N: usize>(classes: [Class; N], slots: [Slot; N]) -> [Register; N] {
    std::array::from_fn(|operand| (classes[operand], slots[operand]))
}

impl BlockChecks<'_> {
    /// Reports that a lane uses a value that is missing.
    pub(super) fn report_use(&self, warp: usize, lane: usize, pc: usize, usage: Usage, origin: Origin) {
        let at = if origin.pc == values::UNREAD { pc } else { origin.pc };
        let misdeed = Misdeed::UninitializedUse { usage, origin: Box::new(self.describe(at, origin)) };
        self.report(warp, lane, pc, at, misdeed);
    }
}
