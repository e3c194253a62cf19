//! The forms of `cvt`: one number, or two at once.

use ptx::tree::{Instruction, Keyword, Operand, ScalarType};

use super::forms::Around;
use super::function::{Decoder, Refusal};
use super::words::{Words, operands};
use crate::exec::binary::Binary;
use crate::exec::convert::{Clamp, Conversion, Number};
use crate::exec::unary::Unary;
use crate::float::Rounding;
use crate::op::Op;
use crate::program::Constant;
use crate::registers::{Class, Slot};

/// The rounding words of `cvt`: how, and whether to an integral value.
const ROUNDINGS: &[(Keyword, (Rounding, bool))] = &[
    (Keyword::Rn, (Rounding::Nearest, false)),
    (Keyword::Rna, (Rounding::NearestAway, false)),
    (Keyword::Rz, (Rounding::Zero, false)),
    (Keyword::Rm, (Rounding::Down, false)),
    (Keyword::Rp, (Rounding::Up, false)),
    (Keyword::Rni, (Rounding::Nearest, true)),
    (Keyword::Rzi, (Rounding::Zero, true)),
    (Keyword::Rmi, (Rounding::Down, true)),
    (Keyword::Rpi, (Rounding::Up, true)),
];

/// Types that hold two numbers, and the type of each.
const PAIRS: &[(ScalarType, Number)] = &[
    (ScalarType::F16x2, Number::F16),
    (ScalarType::Bf16x2, Number::Bf16),
    (ScalarType::E4m3x2, Number::E4m3),
    (ScalarType::E5m2x2, Number::E5m2),
    (ScalarType::E2m3x2, Number::E2m3),
    (ScalarType::E3m2x2, Number::E3m2),
    (ScalarType::E2m1x2, Number::E2m1),
    (ScalarType::Ue8m0x2, Number::Ue8m0),
];

fn half_of(ty: ScalarType) -> Option<Number> {
    PAIRS.iter().find(|(pair, _)| *pair == ty).map(|&(_, number)| number)
}

fn class(number: Number) -> Class {
    if number.bits() == 64 { Class::D } else { Class::W }
}

fn unknown() -> Refusal {
    Refusal::new("the simulator does not have this conversion")
}

pub(super) fn cvt(decoder: &mut Decoder<'_>, instruction: &Instruction) -> Result<(), Refusal> {
    let mut words = Words::new(instruction);
    if words.take(Keyword::Pack) {
        return pack(decoder, instruction, words);
    }
    let flush = words.take(Keyword::Ftz);
    let saturate = words.take(Keyword::Sat);
    let finite = words.take(Keyword::Satfinite);
    let relu = words.take(Keyword::Relu);
    let text = format!("cvt.{}", words.rest());
    let (to_ty, from_ty) = (words.ty()?, words.ty()?);
    let (rounding, integral) = words.take_any(ROUNDINGS).unwrap_or((Rounding::Nearest, false));
    words.finish()?;
    let clamp = match (saturate, finite) {
        (true, _) => Clamp::Saturate,
        (false, true) => Clamp::Finite,
        (false, false) => Clamp::None,
    };
    if let Some(to) = half_of(to_ty) {
        let from = half_of(from_ty).or_else(|| Number::from_text(from_ty.as_str())).ok_or_else(unknown)?;
        let how = Conversion { clamp, relu, ..Conversion::plain(to, from, rounding) };
        return pair(decoder, instruction, how, half_of(from_ty).is_some());
    }
    let to = Number::from_text(to_ty.as_str()).ok_or_else(unknown)?;
    let from = Number::from_text(from_ty.as_str()).ok_or_else(unknown)?;
    let [target, source] = operands(instruction)?;
    let signed = matches!(to, Number::Signed(_));

    let mut source = decoder.relaxed_source(source, class(from), from_ty)?;
    if flush && from == Number::F32 {
        let flushed = decoder.fresh(Class::W)?;
        decoder.push(Op::Unary { f: Unary::FlushSource32, target: flushed, sources: [source] });
        source = flushed;
    }
    let (target, widen) = decoder.relaxed_target(target, class(to), signed)?;
    // Saturation of f32 and f64 is an operation of its own, after the conversion.
    let after = match to {
        Number::F32 if saturate => Some(Unary::Saturate32),
        Number::F64 if saturate => Some(Unary::Saturate64),
        _ => None,
    };
    let clamp = if after.is_some() { Clamp::None } else { clamp };
    match Unary::from_text(&text) {
        Some(f) if clamp == Clamp::None && !relu => decoder.push(Op::Unary { f, target, sources: [source] }),
        Some(_) | None => {
            // Without a word, float to integer is not legal and everything else is exact or integral already.
            let how = Conversion { to, from, rounding, integral, clamp, relu };
            decoder.push(Op::Convert { how, target, source });
        }
    }
    Around { flush: flush && to == Number::F32, saturate: after }.after(decoder, target);
    if let Some(op) = widen {
        decoder.push(op);
    }
    Ok(())
}

/// Two numbers from two registers, the first in the upper half, or from the halves of one register.
fn pair(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    how: Conversion,
    from_pair: bool,
) -> Result<(), Refusal> {
    let mut halves = [Slot(0); 2];
    let target = if from_pair {
        let [target, source] = operands(instruction)?;
        let source = decoder.source(source, Class::W, ScalarType::B32)?;
        let parts = [decoder.fresh(Class::W)?, decoder.fresh(Class::W)?];
        halves = parts;
        let parts = [parts[0], parts[1], parts[0], parts[0]];
        decoder.push(Op::Unpack { source, parts, count: 2, bits: how.from.bits() });
        target
    } else {
        let [target, high, low] = operands(instruction)?;
        for (half, operand) in halves.iter_mut().zip([low, high]) {
            *half = decoder.source(operand, Class::W, ScalarType::F32)?;
        }
        target
    };
    let target = decoder.target(target, Class::W)?;
    pack_halves(decoder, how, halves, target)
}

/// Converts two numbers and puts them side by side.
fn pack_halves(
    decoder: &mut Decoder<'_>,
    how: Conversion,
    halves: [Slot; 2],
    target: Slot,
) -> Result<(), Refusal> {
    let mut parts = [Slot(0); 4];
    for (part, source) in parts.iter_mut().zip(halves) {
        *part = decoder.fresh(Class::W)?;
        decoder.push(Op::Convert { how, target: *part, source });
    }
    decoder.push(Op::Pack { target, parts, count: 2, bits: how.to.bits() });
    Ok(())
}

/// `cvt.pack.sat`: two integers side by side, and above them the low bits of a third operand.
fn pack(decoder: &mut Decoder<'_>, instruction: &Instruction, mut words: Words<'_>) -> Result<(), Refusal> {
    words.take(Keyword::Sat);
    let to = Number::from_text(words.ty()?.as_str()).ok_or_else(unknown)?;
    words.ty()?;
    let with_rest = words.ty().is_ok();
    words.finish()?;
    let how =
        Conversion { clamp: Clamp::Saturate, ..Conversion::plain(to, Number::Signed(32), Rounding::Nearest) };
    let source =
        |decoder: &mut Decoder<'_>, operand: &Operand| decoder.source(operand, Class::W, ScalarType::B32);
    if !with_rest {
        let [target, high, low] = operands(instruction)?;
        let halves = [source(decoder, low)?, source(decoder, high)?];
        let target = decoder.target(target, Class::W)?;
        return pack_halves(decoder, how, halves, target);
    }
    let [target, high, low, rest] = operands(instruction)?;
    let halves = [source(decoder, low)?, source(decoder, high)?];
    let rest = source(decoder, rest)?;
    let target = decoder.target(target, Class::W)?;
    let (packed, above) = (decoder.fresh(Class::W)?, decoder.fresh(Class::W)?);
    let amount = decoder.constant(Class::W, Constant::Immediate(2 * u64::from(to.bits())))?;
    pack_halves(decoder, how, halves, packed)?;
    decoder.push(Op::Binary { f: Binary::Shl32, target: above, sources: [rest, amount] });
    decoder.push(Op::Binary { f: Binary::Or32, target, sources: [packed, above] });
    Ok(())
}
