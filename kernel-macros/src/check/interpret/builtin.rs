//! The functions of the language that Rust evaluates in constants.

use crate::builtins::{Builtin, unsigned};
use crate::literal::{from_float, from_int, to_float, to_int, wrap_int};
use crate::typed::{ConstValue, Constant, Scalar, Ty};

/// The value of a call; `None` if the function is not evaluated in constants.
pub(super) fn call(builtin: Builtin, args: &[Constant], result: &Ty) -> Option<Constant> {
    match (builtin, args) {
        (Builtin::Len, [Constant::Aggregate(parts)]) => {
            return Some(Constant::Scalar(ConstValue { ty: Scalar::Usize, bits: parts.len() as u64 }));
        }
        (Builtin::VectorNew, parts) => return Some(Constant::Aggregate(parts.to_vec())),
        (Builtin::VectorSplat, [lane]) => {
            let Ty::Vector(_, lanes) = result else { return None };
            return Some(Constant::Aggregate(vec![lane.clone(); *lanes as usize]));
        }
        (Builtin::VectorFromArray | Builtin::VectorToArray, [of]) => return Some(of.clone()),
        _ => {}
    }
    let scalars: Option<Vec<ConstValue>> = args.iter().map(super::super::call::scalar).collect();
    let scalars = scalars?;
    let (first, second) = (*scalars.first()?, scalars.get(1).copied());
    let value = match first.ty.is_float() {
        true => float(builtin, first, second, &scalars),
        false => integer(builtin, first, second),
    };
    value.or_else(|| bits(builtin, first, result)).map(Constant::Scalar)
}

fn float(builtin: Builtin, a: ConstValue, b: Option<ConstValue>, all: &[ConstValue]) -> Option<ConstValue> {
    let ty = a.ty;
    let x = to_float(a);
    let y = b.map(to_float);
    let truth = |value: bool| Some(ConstValue { ty: Scalar::Bool, bits: u64::from(value) });
    let value = match builtin {
        Builtin::Abs => x.abs(),
        Builtin::Min => x.min(y?),
        Builtin::Max => x.max(y?),
        Builtin::Clamp => x.max(y?).min(to_float(*all.get(2)?)),
        Builtin::Floor => x.floor(),
        Builtin::Ceil => x.ceil(),
        Builtin::Trunc => x.trunc(),
        Builtin::RoundTiesEven => x.round_ties_even(),
        Builtin::Copysign => x.copysign(y?),
        Builtin::IsNan => return truth(x.is_nan()),
        Builtin::IsInfinite => return truth(x.is_infinite()),
        Builtin::IsFinite => return truth(x.is_finite()),
        _ => return None,
    };
    Some(from_float(ty, value))
}

fn integer(builtin: Builtin, a: ConstValue, b: Option<ConstValue>) -> Option<ConstValue> {
    let ty = a.ty;
    let x = to_int(a);
    let y = b.map(to_int);
    let width = ty.bits();
    let amount = || y.map(|y| (y as u32) % width);
    let count = |value: u32| Some(ConstValue { ty: Scalar::U32, bits: value.into() });
    let value = match builtin {
        Builtin::Abs => return from_int(ty, x.abs()),
        Builtin::Min => x.min(y?),
        Builtin::Max => x.max(y?),
        Builtin::WrappingAdd | Builtin::UncheckedAdd => x + y?,
        Builtin::WrappingSub | Builtin::UncheckedSub => x - y?,
        Builtin::WrappingMul | Builtin::UncheckedMul => x.wrapping_mul(y?),
        Builtin::MulHi => x.wrapping_mul(y?) >> width,
        Builtin::WrappingNeg => -x,
        Builtin::WrappingShl => x << amount()?,
        Builtin::WrappingShr => x >> amount()?,
        Builtin::AbsDiff => return Some(wrap_int(unsigned(ty), (x - y?).abs())),
        Builtin::UnsignedAbs => return Some(wrap_int(unsigned(ty), x.abs())),
        Builtin::Signum => x.signum(),
        Builtin::CountOnes => return count(a.bits.count_ones()),
        Builtin::CountZeros => return count(width - a.bits.count_ones()),
        Builtin::LeadingZeros => return count(a.bits.leading_zeros() - (64 - width)),
        Builtin::TrailingZeros => return count(a.bits.trailing_zeros().min(width)),
        Builtin::ReverseBits => return Some(ConstValue { ty, bits: a.bits.reverse_bits() >> (64 - width) }),
        Builtin::SwapBytes => return Some(ConstValue { ty, bits: a.bits.swap_bytes() >> (64 - width) }),
        Builtin::RotateLeft | Builtin::RotateRight => {
            let by = match builtin {
                Builtin::RotateLeft => amount()?,
                _ => (width - amount()?) % width,
            };
            let wide = u128::from(a.bits);
            return Some(wrap_int(ty, (wide << by | wide >> (width - by)) as i128));
        }
        Builtin::IsPowerOfTwo => {
            return Some(ConstValue { ty: Scalar::Bool, bits: u64::from(a.bits.count_ones() == 1) });
        }
        _ => return None,
    };
    Some(wrap_int(ty, value))
}

/// Reinterprets the bits as another type.
fn bits(builtin: Builtin, a: ConstValue, result: &Ty) -> Option<ConstValue> {
    match (builtin, result) {
        (Builtin::ToBits | Builtin::FromBits, Ty::Scalar(ty)) => Some(ConstValue { ty: *ty, bits: a.bits }),
        _ => None,
    }
}
