//! The forms of arithmetic of 16-bit numbers: `.f16`, `.bf16`, and pairs.

use ptx::tree::{Instruction, Keyword, Opcode, ScalarType};

use super::UNKNOWN;
use super::function::{Decoder, Refusal};
use super::words::Words;
use crate::exec::convert::Number;
use crate::exec::packed::{Element, Finish, Function, Packed};
use crate::op::Op;
use crate::registers::{Class, Slot};

/// The types: what an element is, and whether there are two.
const TYPES: &[(ScalarType, Element, bool)] = &[
    (ScalarType::F16, Element::Half, false),
    (ScalarType::F16x2, Element::Half, true),
    (ScalarType::Bf16, Element::Brain, false),
    (ScalarType::Bf16x2, Element::Brain, true),
    (ScalarType::U16x2, Element::Unsigned, true),
    (ScalarType::S16x2, Element::Signed, true),
];

/// The element type of a type, and true if it is a pair.
pub(super) fn element(ty: ScalarType) -> Option<(Element, bool)> {
    TYPES.iter().find(|(name, ..)| *name == ty).map(|&(_, element, pair)| (element, pair))
}

fn number_of(element: Element) -> Option<Number> {
    match element {
        Element::Half => Some(Number::F16),
        Element::Brain => Some(Number::Bf16),
        Element::Unsigned | Element::Signed => None,
    }
}

/// The 16-bit float that a register of this type holds.
pub(super) fn number(ty: ScalarType) -> Option<Number> {
    element(ty).filter(|(_, pair)| !pair).and_then(|(element, _)| number_of(element))
}

/// The 16-bit floats of which a register of this type holds two.
pub(super) fn pair_of(ty: ScalarType) -> Option<Number> {
    element(ty).filter(|(_, pair)| *pair).and_then(|(element, _)| number_of(element))
}

/// The functions by opcode, with the number of their operands and the rounding word that they take.
const FUNCTIONS: &[(Opcode, Function, usize, Option<Keyword>)] = &[
    (Opcode::Add, Function::Add, 2, Some(Keyword::Rn)),
    (Opcode::Sub, Function::Sub, 2, Some(Keyword::Rn)),
    (Opcode::Mul, Function::Mul, 2, Some(Keyword::Rn)),
    (Opcode::Fma, Function::Fma, 3, Some(Keyword::Rn)),
    (Opcode::Neg, Function::Neg, 1, None),
    (Opcode::Abs, Function::Abs, 1, None),
    (Opcode::Min, Function::Min, 2, None),
    (Opcode::Max, Function::Max, 2, None),
    (Opcode::Ex2, Function::Exp2, 1, Some(Keyword::Approx)),
    (Opcode::Tanh, Function::Tanh, 1, Some(Keyword::Approx)),
];

/// Minimum and maximum with `.NaN`, and with `.xorsign.abs`.
fn with_words(function: Function, nan: bool, xorsign: bool) -> Function {
    match (function, nan, xorsign) {
        (Function::Min, true, false) => Function::MinNan,
        (Function::Min, false, true) => Function::MinXorsign,
        (Function::Min, true, true) => Function::MinNanXorsign,
        (Function::Max, true, false) => Function::MaxNan,
        (Function::Max, false, true) => Function::MaxXorsign,
        (Function::Max, true, true) => Function::MaxNanXorsign,
        (function, ..) => function,
    }
}

pub(super) fn arithmetic(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    (element, pair): (Element, bool),
) -> Result<(), Refusal> {
    let found = FUNCTIONS.iter().find(|(opcode, ..)| *opcode == instruction.opcode);
    let &(_, function, arity, rounding) = found.ok_or_else(|| Refusal::new(UNKNOWN))?;
    let mut words = Words::new(instruction);
    let ty = words.ty()?;
    if let Some(rounding) = rounding {
        words.take(rounding);
    }
    let flush = words.take(Keyword::Ftz);
    let finish = if words.take(Keyword::Sat) {
        Finish::Saturate
    } else if words.take(Keyword::Relu) {
        Finish::Relu
    } else {
        Finish::Plain
    };
    let nan = words.take(Keyword::Nan);
    let xorsign = words.take(Keyword::Xorsign) && words.take(Keyword::Abs);
    words.finish()?;
    let [target, operands @ ..] = instruction.operands.as_slice() else {
        return Err(Refusal::new("expected operands"));
    };
    if operands.len() != arity {
        return Err(Refusal::new(format!("expected {} operands, found {}", arity + 1, operands.len() + 1)));
    }
    let mut sources = [Slot(0); 3];
    for (index, operand) in operands.iter().enumerate() {
        sources[index] = decoder.source(operand, Class::W, ty)?;
    }
    for index in arity..3 {
        sources[index] = sources[0];
    }
    let target = decoder.target(target, Class::W)?;
    let how = Packed { function: with_words(function, nan, xorsign), element, pair, flush, finish };
    decoder.push(Op::Packed { how, target, sources });
    Ok(())
}

/// A 16-bit float with a subnormal number flushed.
pub(super) fn flushed(decoder: &mut Decoder<'_>, source: Slot, number: Number) -> Result<Slot, Refusal> {
    let target = decoder.fresh(Class::W)?;
    let element = if number == Number::F16 { Element::Half } else { Element::Brain };
    // The lesser of a number and itself is the number; NaNs stay NaNs.
    let how = Packed { function: Function::Min, element, pair: false, flush: true, finish: Finish::Plain };
    decoder.push(Op::Packed { how, target, sources: [source; 3] });
    Ok(target)
}
