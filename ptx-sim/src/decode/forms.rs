//! The forms of instructions: which decoder each opcode has, and the arithmetic that the tables describe.

use ptx::tree::{Immediate, Instruction, Keyword, Modifier, Opcode, Operand, ScalarType};

use super::UNKNOWN;
use super::flow::Flow;
use super::function::{Decoder, Refusal};
use super::names;
use super::words::{Words, operands};
use super::{access, compare, convert, packed};
use crate::exec::binary::Binary;
use crate::exec::compare::Compare;
use crate::exec::ternary::{Quaternary, Ternary};
use crate::exec::unary::Unary;
use crate::integer::PERMUTE_MODES;
use crate::op::{Logic, Op, Predicate};
use crate::program::Constant;
use crate::registers::{Class, Slot};

type Form = fn(&mut Decoder<'_>, &Instruction) -> Result<(), Refusal>;

/// Opcodes with a decoder of their own. All others are looked up in the tables of arithmetic.
const FORMS: &[(Opcode, Form)] = &[
    (Opcode::Mov, mov),
    (Opcode::Createpolicy, policy),
    (Opcode::Cvt, convert::cvt),
    (Opcode::Setp, compare::setp),
    (Opcode::Set, compare::set),
    (Opcode::Selp, selp),
    (Opcode::Testp, compare::testp),
    (Opcode::And, logic),
    (Opcode::Or, logic),
    (Opcode::Xor, logic),
    (Opcode::Not, logic),
    (Opcode::Add, add),
    (Opcode::Addc, add),
    (Opcode::Sub, add),
    (Opcode::Subc, add),
    (Opcode::Mad, mad),
    (Opcode::Madc, mad),
    (Opcode::Prmt, prmt),
    (Opcode::Lop3, lop3),
    (Opcode::Cvta, |decoder, instruction| decoder.cvta(instruction)),
    (Opcode::Isspacep, |decoder, instruction| decoder.isspacep(instruction)),
    (Opcode::Ld, |decoder, instruction| decoder.load(instruction)),
    (Opcode::Ldu, |decoder, instruction| decoder.load(instruction)),
    (Opcode::St, |decoder, instruction| decoder.store(instruction)),
    (Opcode::Atom, |decoder, instruction| decoder.atomic(instruction)),
    (Opcode::Red, |decoder, instruction| decoder.atomic(instruction)),
    (Opcode::Membar, |decoder, instruction| decoder.fence(instruction)),
    (Opcode::Fence, |decoder, instruction| decoder.fence(instruction)),
    (Opcode::Prefetch, nothing),
    (Opcode::Prefetchu, nothing),
    (Opcode::Applypriority, nothing),
    (Opcode::Discard, nothing),
    (Opcode::Nanosleep, nothing),
    (Opcode::Pmevent, nothing),
    (Opcode::Griddepcontrol, nothing),
    (Opcode::Ldmatrix, |decoder, instruction| decoder.matrix_rows(instruction)),
    (Opcode::Stmatrix, |decoder, instruction| decoder.matrix_rows(instruction)),
    (Opcode::Movmatrix, |decoder, instruction| decoder.matrix_transpose(instruction)),
    (Opcode::Mma, |decoder, instruction| decoder.mma(instruction)),
    (Opcode::Wmma, |decoder, instruction| decoder.wmma(instruction)),
    (Opcode::Wgmma, |decoder, instruction| decoder.wgmma(instruction)),
    (Opcode::Setmaxnreg, |decoder, instruction| decoder.set_registers(instruction)),
    (Opcode::Cp, |decoder, instruction| decoder.copy(instruction)),
    (Opcode::Mbarrier, |decoder, instruction| decoder.mbarrier(instruction)),
    (Opcode::Call, |decoder, instruction| decoder.call(instruction)),
    (Opcode::Brx, |decoder, instruction| decoder.branch_by_table(instruction)),
    (Opcode::Alloca, |decoder, instruction| decoder.alloca(instruction)),
    (Opcode::Stacksave, |decoder, instruction| decoder.stack(instruction)),
    (Opcode::Stackrestore, |decoder, instruction| decoder.stack(instruction)),
    (Opcode::Bra, |decoder, instruction| decoder.branch(instruction)),
    (Opcode::Ret, |decoder, instruction| decoder.leave(instruction)),
    (Opcode::Exit, |decoder, instruction| decoder.leave(instruction)),
    (Opcode::Trap, |decoder, instruction| decoder.trap(instruction)),
    (Opcode::Brkpt, |decoder, instruction| decoder.trap(instruction)),
    (Opcode::Mapa, |decoder, instruction| decoder.cluster_address(instruction)),
    (Opcode::Getctarank, |decoder, instruction| decoder.cluster_address(instruction)),
    (Opcode::Bar, |decoder, instruction| decoder.barrier(instruction)),
    (Opcode::Barrier, |decoder, instruction| decoder.barrier(instruction)),
    (Opcode::Shfl, |decoder, instruction| decoder.shuffle(instruction)),
    (Opcode::Vote, |decoder, instruction| decoder.vote(instruction)),
    (Opcode::Match, |decoder, instruction| decoder.match_lanes(instruction)),
    (Opcode::Redux, |decoder, instruction| decoder.redux(instruction)),
    (Opcode::Elect, |decoder, instruction| decoder.elect(instruction)),
    (Opcode::Activemask, |decoder, instruction| decoder.active_mask(instruction)),
    (Opcode::Vadd, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vsub, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vabsdiff, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vmin, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vmax, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vshl, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vshr, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vmad, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vset, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vadd2, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vsub2, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vavrg2, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vabsdiff2, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vmin2, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vmax2, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vset2, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vadd4, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vsub4, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vavrg4, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vabsdiff4, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vmin4, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vmax4, |decoder, instruction| decoder.video(instruction)),
    (Opcode::Vset4, |decoder, instruction| decoder.video(instruction)),
];

/// Instructions that the simulator refuses, by name.
const REFUSED: &[(&str, &[Opcode])] = {
    use Opcode as O;
    &[
        (
            "textures and surfaces are not simulated\nhelp: read the data through a pointer instead",
            &[O::Tex, O::Tld4, O::Txq, O::Istypep, O::Suld, O::Sust, O::Sured, O::Suq],
        ),
        ("tensor cores of the fifth generation are not simulated", &[O::Tcgen05]),
        ("maps of tensors are simulated as the host makes them only", &[O::Tensormap]),
        ("memory of several devices is not simulated", &[O::Multimem]),
        ("the control of launches of clusters is not simulated", &[O::Clusterlaunchcontrol]),
    ]
};

impl Decoder<'_> {
    /// Decodes an instruction into `out`, and says in `flow` where control goes.
    pub(super) fn instruction(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        self.guard = match &instruction.guard {
            Some(guard) => self.named_predicate(&guard.predicate, guard.negated)?,
            None => Predicate::TRUE,
        };
        match FORMS.iter().find(|(opcode, _)| *opcode == instruction.opcode) {
            Some((_, form)) => form(self, instruction),
            None => arithmetic(self, instruction).map_err(|refusal| {
                let named = REFUSED.iter().find(|(_, opcodes)| opcodes.contains(&instruction.opcode));
                named.map_or(refusal, |(why, _)| Refusal::new(*why))
            }),
        }
    }

    pub(super) fn is_conditional(&self) -> bool {
        self.guard != Predicate::TRUE
    }

    /// Copies sources with their subnormals flushed.
    pub(super) fn flushed<const N: usize>(
        &mut self,
        classes: [Class; N],
        sources: [Slot; N],
    ) -> Result<[Slot; N], Refusal> {
        let mut result = sources;
        for (slot, class) in result.iter_mut().zip(classes) {
            if class == Class::W {
                let target = self.fresh(Class::W)?;
                self.push(Op::Unary { f: Unary::Flush32, target, sources: [*slot] });
                *slot = target;
            }
        }
        Ok(result)
    }
}

/// A policy for caches, which says nothing here: zero.
fn policy(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), Refusal> {
    let Some(target) = instruction.operands.first() else {
        return Err(Refusal::new("the policy is missing"));
    };
    let zero = decoder.source(&Operand::Immediate(Immediate::Int(0)), Class::D, ScalarType::B64)?;
    let target = decoder.target(target, Class::D)?;
    decoder.push(Op::Unary { f: Unary::Move64, target, sources: [zero] });
    Ok(())
}

/// Instructions without an effect on the results of a simulated program.
fn nothing(decoder: &mut Decoder<'_>, _instruction: &Instruction) -> Result<(), Refusal> {
    decoder.push(Op::Nothing);
    Ok(())
}

/// `.ftz` and `.sat` around an instruction of type f32 or f64: operations of their own.
pub(super) struct Around {
    pub(super) flush: bool,
    pub(super) saturate: Option<Unary>,
}

impl Around {
    pub(super) fn after(&self, decoder: &mut Decoder<'_>, target: Slot) {
        if self.flush {
            decoder.push(Op::Unary { f: Unary::Flush32, target, sources: [target] });
        }
        if let Some(f) = self.saturate {
            decoder.push(Op::Unary { f, target, sources: [target] });
        }
    }
}

/// Takes `.sat` of a float; that of an integer belongs to the spelling.
fn take_saturation(words: &mut Words<'_>, ty: ScalarType) -> Option<Unary> {
    match ty {
        ScalarType::F32 if words.take(Keyword::Sat) => Some(Unary::Saturate32),
        ScalarType::F64 if words.take(Keyword::Sat) => Some(Unary::Saturate64),
        _ => None,
    }
}

/// Looks an instruction up in the tables by its spelling.
fn arithmetic(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), Refusal> {
    let mut words = Words::new(instruction);
    let ty = last_type(instruction)?;
    if let Some(element) = packed::element(ty) {
        return packed::arithmetic(decoder, instruction, element);
    }
    let saturate = Around { flush: false, saturate: take_saturation(&mut words, ty) };
    if ty == ScalarType::F32x2 {
        return two_singles(decoder, instruction);
    }
    // The most common instructions that flush have rows of their own; the approximations of f64 flush by themselves.
    let text = format!("{}.{}", instruction.opcode, words.rest());
    if table(decoder, instruction, &text, ty, &saturate)? {
        return Ok(());
    }
    let around = Around { flush: words.take(Keyword::Ftz) && ty == ScalarType::F32, ..saturate };
    let text = format!("{}.{}", instruction.opcode, words.rest());
    if table(decoder, instruction, &text, ty, &around)? {
        return Ok(());
    }
    Err(Refusal::new(UNKNOWN))
}

/// Arithmetic of two f32 side by side: each half by itself.
fn two_singles(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), Refusal> {
    let [target, sources @ ..] = instruction.operands.as_slice() else {
        return Err(Refusal::new("expected operands"));
    };
    let mut halves = Vec::new();
    for source in sources {
        let source = decoder.source(source, Class::D, ScalarType::B64)?;
        let mut parts = [Slot(0); 4];
        parts[0] = decoder.fresh(Class::W)?;
        parts[1] = decoder.fresh(Class::W)?;
        decoder.push(Op::Unpack { source, parts, count: 2, bits: 32 });
        halves.push(parts);
    }
    let mut words = Words::new(instruction);
    let flush = words.take(Keyword::Ftz);
    let around = Around { flush, saturate: None };
    let text = format!("{}.{}", instruction.opcode, words.rest().replace("f32x2", "f32"));
    let mut results = [Slot(0); 4];
    for (half, result) in results.iter_mut().take(2).enumerate() {
        *result = decoder.fresh(Class::W)?;
        let slots: Vec<Slot> = halves.iter().map(|parts| parts[half]).collect();
        if !between(decoder, &text, *result, &slots, &around)? {
            return Err(Refusal::new(UNKNOWN));
        }
    }
    let target = decoder.target(target, Class::D)?;
    decoder.push(Op::Pack { target, parts: results, count: 2, bits: 32 });
    Ok(())
}

/// An instruction of a table between registers of 32 bits; whether there is one.
fn between(
    decoder: &mut Decoder<'_>,
    text: &str,
    target: Slot,
    slots: &[Slot],
    around: &Around,
) -> Result<bool, Refusal> {
    if let (Some(f), &[a, b]) = (Binary::from_text(text), slots) {
        let mut sources = [a, b];
        if around.flush {
            sources = decoder.flushed([Class::W; 2], sources)?;
        }
        decoder.push(Op::Binary { f, target, sources });
    } else if let (Some(f), &[a, b, c]) = (Ternary::from_text(text), slots) {
        let mut sources = [a, b, c];
        if around.flush {
            sources = decoder.flushed([Class::W; 3], sources)?;
        }
        decoder.push(Op::Ternary { f, target, sources });
    } else {
        return Ok(false);
    }
    around.after(decoder, target);
    Ok(true)
}

pub(super) fn last_type(instruction: &Instruction) -> Result<ScalarType, Refusal> {
    let mut types = instruction.modifiers.iter().filter_map(|modifier| match modifier {
        Modifier::Type(ty) => Some(*ty),
        Modifier::Space(_) | Modifier::Shape(_) | Modifier::Keyword(_) => None,
    });
    types.next_back().ok_or_else(|| Refusal::new(UNKNOWN))
}

macro_rules! look_up {
    ($decoder:ident, $instruction:ident, $text:ident, $ty:ident, $around:ident; $($table:ident[$arity:literal]),*) => {
        $(if let Some(f) = $table::from_text($text) {
            let operands: &[Operand; $arity + 1] = operands($instruction)?;
            let (result, classes) = f.classes();
            let mut sources = [Slot(0); $arity];
            for (index, slot) in sources.iter_mut().enumerate() {
                *slot = $decoder.source(&operands[index + 1], classes[index], $ty)?;
            }
            if $around.flush {
                sources = $decoder.flushed(classes, sources)?;
            }
            let target = $decoder.target(&operands[0], result)?;
            $decoder.push(Op::$table { f, target, sources });
            $around.after($decoder, target);
            return Ok(true);
        })*
    };
}

/// Decodes what a table has; whether one does.
fn table(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    text: &str,
    ty: ScalarType,
    around: &Around,
) -> Result<bool, Refusal> {
    look_up!(decoder, instruction, text, ty, around; Unary[1], Binary[2], Ternary[3], Quaternary[4]);
    Ok(false)
}

/// `and`, `or`, `xor` and `not`: of predicates, or arithmetic.
fn logic(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), Refusal> {
    if last_type(instruction)? != ScalarType::Pred {
        return arithmetic(decoder, instruction);
    }
    if instruction.opcode == Opcode::Not {
        let [target, a] = operands(instruction)?;
        let a = decoder.predicate(a)?;
        let target = decoder.target(target, Class::P)?;
        decoder.push(Op::Logic { f: Logic::Xor, target, a, b: Predicate::TRUE });
        return Ok(());
    }
    let f = compare::COMBINATIONS.iter().find(|(keyword, _)| keyword.as_str() == instruction.opcode.as_str());
    let &(_, f) = f.ok_or_else(|| Refusal::new("there is no such operation of predicates"))?;
    let [target, a, b] = operands(instruction)?;
    let (a, b) = (decoder.predicate(a)?, decoder.predicate(b)?);
    let target = decoder.target(target, Class::P)?;
    decoder.push(Op::Logic { f, target, a, b });
    Ok(())
}

/// `mov`: of predicates, clocks, vectors, or one register.
fn mov(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), Refusal> {
    let ty = last_type(instruction)?;
    let [target, source] = operands(instruction)?;
    if let Some(count) = Words::new(instruction).take_any(access::VECTORS) {
        return mov_elements(decoder, target, source, count, ty);
    }
    // A register of a vector type is a vector of its elements.
    let named = [target, source].map(|operand| decoder.named_elements(operand).map(Operand::Vector));
    let [target, source] = [named[0].as_ref().unwrap_or(target), named[1].as_ref().unwrap_or(source)];
    if ty == ScalarType::Pred {
        let a = decoder.predicate(source)?;
        let target = decoder.target(target, Class::P)?;
        decoder.push(Op::Logic { f: Logic::And, target, a, b: Predicate::TRUE });
        return Ok(());
    }
    if let Operand::Name(name) = source
        && let Some(part) = names::clock(name.as_str())
    {
        return clock(decoder, target, part);
    }
    if ty == ScalarType::B128 {
        return decoder.move128(target, source);
    }
    match (target, source) {
        (target, Operand::Vector(parts)) => {
            let (bits, class, part) = part_of(ty, parts.len())?;
            let mut slots = [Slot(0); 4];
            for (slot, operand) in slots.iter_mut().zip(parts) {
                *slot = decoder.source(operand, part, ScalarType::B32)?;
            }
            let target = decoder.target(target, class)?;
            decoder.push(Op::Pack { target, parts: slots, count: parts.len() as u8, bits });
            Ok(())
        }
        (Operand::Vector(parts), source) => {
            let (bits, class, part) = part_of(ty, parts.len())?;
            let source = decoder.source(source, class, ty)?;
            let mut slots = [Slot(0); 4];
            for (slot, operand) in slots.iter_mut().zip(parts) {
                *slot = decoder.target(operand, part)?;
            }
            decoder.push(Op::Unpack { source, parts: slots, count: parts.len() as u8, bits });
            Ok(())
        }
        _ => arithmetic(decoder, instruction),
    }
}

/// `mov.v2` and `mov.v4`: all elements are read before any is written.
fn mov_elements(
    decoder: &mut Decoder<'_>,
    target: &Operand,
    source: &Operand,
    count: usize,
    ty: ScalarType,
) -> Result<(), Refusal> {
    use ScalarType::{B16, B32, B64, F32, F64, S16, S32, S64, U16, U32, U64};
    let (class, f) = match (ty, count) {
        (B16 | U16 | S16 | B32 | U32 | S32 | F32, 2 | 4) => (Class::W, Unary::Move32),
        (B64 | U64 | S64 | F64, 2) => (Class::D, Unary::Move64),
        _ => return Err(Refusal::new(UNKNOWN)),
    };
    let (targets, sources) = (decoder.elements(target, count)?, decoder.elements(source, count)?);
    let mut copies = Vec::with_capacity(count);
    for source in sources.iter() {
        let source = decoder.source(source, class, ty)?;
        let copy = decoder.fresh(class)?;
        decoder.push(Op::Unary { f, target: copy, sources: [source] });
        copies.push(copy);
    }
    for (target, copy) in targets.iter().zip(copies) {
        let target = decoder.target(target, class)?;
        decoder.push(Op::Unary { f, target, sources: [copy] });
    }
    Ok(())
}

/// A register that counts time, or one of its halves.
fn clock(decoder: &mut Decoder<'_>, target: &Operand, part: names::Clock) -> Result<(), Refusal> {
    match part {
        names::Clock::Low | names::Clock::Whole => {
            let wide = part == names::Clock::Whole;
            let target = decoder.target(target, if wide { Class::D } else { Class::W })?;
            decoder.push(Op::Clock { target, wide });
        }
        names::Clock::High => {
            let target = decoder.target(target, Class::W)?;
            let whole = decoder.fresh(Class::D)?;
            let unused = decoder.fresh(Class::W)?;
            decoder.push(Op::Clock { target: whole, wide: true });
            let parts = [unused, target, unused, unused];
            decoder.push(Op::Unpack { source: whole, parts, count: 2, bits: 32 });
        }
    }
    Ok(())
}

/// The bits of a part of a vector `mov`, the class of the whole and of the parts.
fn part_of(ty: ScalarType, count: usize) -> Result<(u8, Class, Class), Refusal> {
    let class = names::class_of(ty).filter(|_| matches!(count, 2 | 4));
    match (class, ty.bits() as usize / count.max(1)) {
        (Some(class @ (Class::W | Class::D)), bits @ (8 | 16 | 32)) => Ok((bits as u8, class, Class::W)),
        _ => Err(Refusal::new(format!("a vector of {count} in a `.{ty}` is not simulated"))),
    }
}

fn selp(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), Refusal> {
    let mut words = Words::new(instruction);
    let ty = words.ty()?;
    words.finish()?;
    let class = names::class_of(ty).ok_or_else(|| Refusal::new("the type is too wide"))?;
    let [target, a, b, condition] = operands(instruction)?;
    let (a, b) = (decoder.source(a, class, ty)?, decoder.source(b, class, ty)?);
    let condition = decoder.predicate(condition)?;
    let target = decoder.target(target, class)?;
    match class {
        Class::W => decoder.push(Op::Select32 { target, a, b, condition }),
        Class::D => decoder.push(Op::Select64 { target, a, b, condition }),
        Class::P => return Err(Refusal::new("`selp` of predicates does not exist")),
    }
    Ok(())
}

/// `add`, `sub` and their forms with the carry flag.
fn add(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), Refusal> {
    let mut words = Words::new(instruction);
    let carry_out = words.take(Keyword::Cc);
    let carry_in = matches!(instruction.opcode, Opcode::Addc | Opcode::Subc);
    if !carry_out && !carry_in {
        return arithmetic(decoder, instruction);
    }
    let ty = words.ty()?;
    words.finish()?;
    let [target, a, b] = operands(instruction)?;
    let subtract = matches!(instruction.opcode, Opcode::Sub | Opcode::Subc);
    let class = carry_class(ty)?;
    let (a, b) = (decoder.source(a, class, ty)?, decoder.source(b, class, ty)?);
    let target = decoder.target(target, class)?;
    let flag = decoder.carry_flag()?;
    decoder.push(Op::Carry { wide: class == Class::D, subtract, carry_in, carry_out, target, a, b, flag });
    Ok(())
}

fn carry_class(ty: ScalarType) -> Result<Class, Refusal> {
    match names::class_of(ty) {
        Some(class @ (Class::W | Class::D)) if ty.bits() >= 32 => Ok(class),
        _ => Err(Refusal::new(format!("there is no carry of `.{ty}`"))),
    }
}

/// The roundings of arithmetic on floats.
const ROUNDINGS: [Keyword; 4] = [Keyword::Rn, Keyword::Rz, Keyword::Rm, Keyword::Rp];

/// `mad`, and `mad.cc` and `madc` as a product followed by an addition with the carry flag.
fn mad(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), Refusal> {
    let mut words = Words::new(instruction);
    let carry_out = words.take(Keyword::Cc);
    let carry_in = instruction.opcode == Opcode::Madc;
    if !carry_out && !carry_in {
        let is_old = last_type(instruction)? == ScalarType::F32
            && !ROUNDINGS.iter().any(|rounding| instruction.modifiers.contains(&(*rounding).into()));
        if is_old {
            // Texts for targets before sm_20 say no rounding: `ptxas` takes `.rn`.
            let mut rounded = instruction.clone();
            rounded.modifiers.insert(0, Keyword::Rn.into());
            return arithmetic(decoder, &rounded);
        }
        return arithmetic(decoder, instruction);
    }
    let text = format!("mul.{}", words.rest());
    let f =
        Binary::from_text(&text).ok_or_else(|| Refusal::new("the simulator does not have this product"))?;
    let ty = words.ty()?;
    let class = carry_class(ty)?;
    let [target, a, b, c] = operands(instruction)?;
    let sources = [decoder.source(a, class, ty)?, decoder.source(b, class, ty)?];
    let c = decoder.source(c, class, ty)?;
    let product = decoder.fresh(class)?;
    decoder.push(Op::Binary { f, target: product, sources });
    let target = decoder.target(target, class)?;
    let flag = decoder.carry_flag()?;
    let wide = class == Class::D;
    decoder.push(Op::Carry { wide, subtract: false, carry_in, carry_out, target, a: product, b: c, flag });
    Ok(())
}

/// `prmt` with a mode: a selector looked up by the two low bits of the third operand.
fn prmt(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), Refusal> {
    let mut words = Words::new(instruction);
    words.ty()?;
    let rest = words.rest();
    if rest.is_empty() {
        return arithmetic(decoder, instruction);
    }
    let mode = PERMUTE_MODES.iter().find(|(name, _)| *name == rest);
    let (_, selectors) = mode.ok_or_else(|| Refusal::new(format!("`prmt` has no mode `{rest}`")))?;
    let [target, a, b, c] = operands(instruction)?;
    let ty = ScalarType::B32;
    let [a, b, c] = [
        decoder.source(a, Class::W, ty)?,
        decoder.source(b, Class::W, ty)?,
        decoder.source(c, Class::W, ty)?,
    ];
    // The selectors are 16 bits each: all four in one constant, shifted by 16 times the mode's number.
    let packed = (0..4).fold(0u64, |packed, index| packed | u64::from(selectors[index]) << (16 * index));
    let packed = decoder.constant(Class::D, Constant::Immediate(packed))?;
    let [three, four] = [3, 4].map(Constant::Immediate);
    let (three, four) = (decoder.constant(Class::W, three)?, decoder.constant(Class::W, four)?);
    let (amount, shifted, selector) =
        (decoder.fresh(Class::W)?, decoder.fresh(Class::D)?, decoder.fresh(Class::W)?);
    decoder.push(Op::Binary { f: Binary::And32, target: amount, sources: [c, three] });
    decoder.push(Op::Binary { f: Binary::Shl32, target: amount, sources: [amount, four] });
    decoder.push(Op::Binary { f: Binary::ShrU64, target: shifted, sources: [packed, amount] });
    decoder.push(Op::Unary { f: Unary::Narrow64, target: selector, sources: [shifted] });
    let target = decoder.target(target, Class::W)?;
    decoder.push(Op::Ternary { f: Ternary::Prmt, target, sources: [a, b, selector] });
    Ok(())
}

/// `lop3`, also with a predicate beside the result: whether it is not zero, combined with another predicate.
fn lop3(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), Refusal> {
    let mut words = Words::new(instruction);
    let Some(combine) = words.take_any(compare::COMBINATIONS) else {
        return arithmetic(decoder, instruction);
    };
    words.ty()?;
    words.finish()?;
    let [target, a, b, c, table, with] = operands(instruction)?;
    let ty = ScalarType::B32;
    let mut sources = [Slot(0); 4];
    for (slot, operand) in sources.iter_mut().zip([a, b, c, table]) {
        *slot = decoder.source(operand, Class::W, ty)?;
    }
    let with = decoder.predicate(with)?;
    let (target, holds) = decoder.target_pair(target, Class::W)?;
    let holds = holds.ok_or_else(|| Refusal::new("expected `d|p`"))?;
    decoder.push(Op::Quaternary { f: Quaternary::Lop3, target, sources });
    let zero = decoder.constant(Class::W, Constant::Immediate(0))?;
    let (f, negated, inverse) = (Compare::Eq32, true, None);
    decoder.push(Op::Compare { f, negated, a: target, b: zero, combine, with, target: holds, inverse });
    Ok(())
}

/// Says that the instruction ends a block of code.
pub(super) fn set_flow(decoder: &mut Decoder<'_>, flow: Flow) {
    decoder.flow = flow;
}
