//! The forms of `setp`, `set` and `testp`.

use ptx::tree::{Instruction, Keyword, Operand, ScalarType};

use super::function::{Decoder, Refusal};
use super::packed;
use super::words::{Words, operands};
use crate::exec::compare::{self, Comparison};
use crate::exec::convert::{Conversion, Number};
use crate::float::Rounding;
use crate::op::{Logic, Op, Predicate};
use crate::program::Constant;
use crate::registers::{Class, Slot};

/// Functions that combine the result of a comparison with a predicate.
pub(super) const COMBINATIONS: &[(Keyword, Logic)] =
    &[(Keyword::And, Logic::And), (Keyword::Or, Logic::Or), (Keyword::Xor, Logic::Xor)];

/// The parts that `setp` and `set` share.
struct Form<'a> {
    /// The type of the operands.
    ty: ScalarType,
    how: Comparison,
    flush: bool,
    combine: Logic,
    with: Predicate,
    operands: [&'a Operand; 2],
}

/// Reads the comparison, its combination and the type of the operands from the words that are left.
fn form<'a>(
    decoder: &mut Decoder<'_>,
    words: &mut Words<'_>,
    operands: &'a [Operand],
) -> Result<Form<'a>, Refusal> {
    let flush = words.take(Keyword::Ftz);
    let ty = words.ty()?;
    let combine = words.take_any(COMBINATIONS);
    let word = words.rest();
    // Halves are compared as f32, which has them all.
    let name = if packed::element(ty).is_some() { "f32" } else { ty.as_str() };
    let how = compare::find(&word, name)
        .ok_or_else(|| Refusal::new(format!("there is no comparison `{word}` of `.{ty}`")))?;
    let (operands, with) = match (operands, combine) {
        ([a, b], None) => ([a, b], Predicate::TRUE),
        ([a, b, with], Some(_)) => ([a, b], decoder.predicate(with)?),
        _ => return Err(Refusal::new("the number of operands does not fit the comparison")),
    };
    Ok(Form { ty, how, flush, combine: combine.unwrap_or(Logic::And), with, operands })
}

impl Form<'_> {
    /// Compares two registers.
    fn compare(&self, decoder: &mut Decoder<'_>, sources: [Slot; 2], target: Slot, inverse: Option<Slot>) {
        let Comparison { f, negated, exchanged } = self.how;
        let [a, b] = if exchanged { [sources[1], sources[0]] } else { sources };
        let (combine, with) = (self.combine, self.with);
        decoder.push(Op::Compare { f, negated, a, b, combine, with, target, inverse });
    }

    /// Compares numbers that have a register each.
    fn single(&self, decoder: &mut Decoder<'_>, target: Slot, inverse: Option<Slot>) -> Result<(), Refusal> {
        let class = self.how.f.class();
        let mut sources = [Slot(0); 2];
        for (slot, operand) in sources.iter_mut().zip(self.operands) {
            *slot = decoder.source(operand, class, self.ty)?;
        }
        match packed::number(self.ty) {
            Some(number) => {
                let [a, b] = sources;
                sources = [self.widen(decoder, a, number)?, self.widen(decoder, b, number)?];
            }
            None if self.flush && self.ty == ScalarType::F32 => {
                sources = decoder.flushed([Class::W; 2], sources)?;
            }
            None => {}
        }
        self.compare(decoder, sources, target, inverse);
        Ok(())
    }

    /// Compares the halves of two registers, the lower ones first.
    fn halves(&self, decoder: &mut Decoder<'_>, number: Number, targets: [Slot; 2]) -> Result<(), Refusal> {
        let mut parts = [[Slot(0); 2]; 2];
        for (parts, operand) in parts.iter_mut().zip(self.operands) {
            let source = decoder.source(operand, Class::W, ScalarType::B32)?;
            *parts = [decoder.fresh(Class::W)?, decoder.fresh(Class::W)?];
            let [low, high] = *parts;
            decoder.push(Op::Unpack { source, parts: [low, high, low, low], count: 2, bits: 16 });
        }
        // Both before any result: the combined predicate may be a target.
        let mut results = [Slot(0); 2];
        for (half, result) in results.iter_mut().enumerate() {
            let a = self.widen(decoder, parts[0][half], number)?;
            let b = self.widen(decoder, parts[1][half], number)?;
            *result = decoder.fresh(Class::P)?;
            self.compare(decoder, [a, b], *result, None);
        }
        for (target, slot) in targets.into_iter().zip(results) {
            let (a, b) = (Predicate { slot, negated: false }, Predicate::TRUE);
            decoder.push(Op::Logic { f: Logic::And, target, a, b });
        }
        Ok(())
    }

    /// A half as f32.
    fn widen(&self, decoder: &mut Decoder<'_>, mut source: Slot, number: Number) -> Result<Slot, Refusal> {
        if self.flush {
            source = packed::flushed(decoder, source, number)?;
        }
        let target = decoder.fresh(Class::W)?;
        let how = Conversion::plain(Number::F32, number, Rounding::Nearest);
        decoder.push(Op::Convert { how, target, source });
        Ok(target)
    }
}

pub(super) fn setp(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), Refusal> {
    let mut words = Words::new(instruction);
    let Some((target, sources)) = instruction.operands.split_first() else {
        return Err(Refusal::new("expected operands"));
    };
    let form = form(decoder, &mut words, sources)?;
    let (target, second) = decoder.target_pair(target, Class::P)?;
    match packed::pair_of(form.ty) {
        Some(number) => {
            let second = second.ok_or_else(|| Refusal::new("expected `p|q`: one for each half"))?;
            form.halves(decoder, number, [target, second])
        }
        None => form.single(decoder, target, second),
    }
}

/// Values that `set` writes for true: by the type of the result, and by that of the halves of pairs.
const TRUTHS: &[(ScalarType, u64, u64)] = &[
    (ScalarType::F32, 0x3f80_0000, 0),
    (ScalarType::U32, 0xffff_ffff, 0xffff),
    (ScalarType::S32, 0xffff_ffff, 0xffff),
    (ScalarType::U16, 0xffff, 0),
    (ScalarType::S16, 0xffff, 0),
    (ScalarType::F16, 0x3c00, 0),
    (ScalarType::Bf16, 0x3f80, 0),
    (ScalarType::F16x2, 0, 0x3c00),
    (ScalarType::Bf16x2, 0, 0x3f80),
];

/// `set`: all ones or 1.0 where the comparison holds.
pub(super) fn set(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), Refusal> {
    let mut words = Words::new(instruction);
    let result = words.ty()?;
    let truth = TRUTHS.iter().find(|(ty, ..)| *ty == result);
    let &(_, whole, half) =
        truth.ok_or_else(|| Refusal::new(format!("there is no `set` with a `.{result}` result")))?;
    let Some((target, sources)) = instruction.operands.split_first() else {
        return Err(Refusal::new("expected operands"));
    };
    let form = form(decoder, &mut words, sources)?;
    let zero = decoder.constant(Class::W, Constant::Immediate(0))?;
    let choose = |decoder: &mut Decoder<'_>, slot: Slot, target: Slot, truth: u64| {
        let a = decoder.constant(Class::W, Constant::Immediate(truth))?;
        let condition = Predicate { slot, negated: false };
        decoder.push(Op::Select32 { target, a, b: zero, condition });
        Ok::<(), Refusal>(())
    };
    let slot = decoder.fresh(Class::P)?;
    let Some(number) = packed::pair_of(form.ty) else {
        form.single(decoder, slot, None)?;
        let target = decoder.target(target, Class::W)?;
        return choose(decoder, slot, target, whole);
    };
    let slots = [slot, decoder.fresh(Class::P)?];
    form.halves(decoder, number, slots)?;
    let mut parts = [Slot(0); 4];
    for (part, slot) in parts.iter_mut().zip(slots) {
        *part = decoder.fresh(Class::W)?;
        choose(decoder, slot, *part, half)?;
    }
    let target = decoder.target(target, Class::W)?;
    decoder.push(Op::Pack { target, parts, count: 2, bits: 16 });
    Ok(())
}

pub(super) fn testp(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), Refusal> {
    let mut words = Words::new(instruction);
    let ty = words.ty()?;
    let found = compare::find_class(&words.rest(), ty.as_str());
    let (f, negated) = found.ok_or_else(|| Refusal::new("the simulator does not have this test"))?;
    let [target, a] = operands(instruction)?;
    let a = decoder.source(a, f.class(), ty)?;
    let target = decoder.target(target, Class::P)?;
    let (combine, with) = (Logic::And, Predicate::TRUE);
    decoder.push(Op::Compare { f, negated, a, b: a, combine, with, target, inverse: None });
    Ok(())
}
