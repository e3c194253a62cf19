//! Operators on constants: integers do not overflow, floats are rounded in their own precision.

use std::cmp::Ordering;

use crate::literal::{self, from_float, from_int, to_float, to_int};
use crate::typed::{BinaryOp, ConstValue, Constant, Scalar, UnaryOp};

/// `-a`, `!a`. The bits of a literal one beyond the greatest value are those of the least.
pub(crate) fn unary(op: UnaryOp, value: ConstValue, literal: bool) -> Result<ConstValue, String> {
    let ty = value.ty;
    match op {
        UnaryOp::Neg if ty.is_float() => Ok(from_float(ty, -to_float(value))),
        UnaryOp::Neg if literal && to_int(value) < 0 => Ok(value),
        UnaryOp::Neg => in_range(ty, from_int(ty, -to_int(value))),
        UnaryOp::Not => {
            let mask = u64::MAX >> (64 - ty.bits());
            Ok(ConstValue { ty, bits: !value.bits & mask })
        }
    }
}

/// The mistake of a right operand that no left one of this type goes with: zero as a divisor, as many bits as it has to shift by.
pub(crate) fn refused(op: BinaryOp, ty: Scalar, right: i128) -> Option<String> {
    match op {
        BinaryOp::Div | BinaryOp::Rem if right == 0 => {
            Some("expected a divisor other than 0, found 0\nhelp: divide by something else".to_owned())
        }
        BinaryOp::Shl | BinaryOp::Shr if !(0..i128::from(ty.bits())).contains(&right) => Some(format!(
            "expected a shift by less than {}, the width of `{}`, found {right}\nhelp: shift by less, or a wider type: `x as u64`",
            ty.bits(),
            ty.name()
        )),
        _ => None,
    }
}

/// Operators on two scalars.
pub(crate) fn binary(op: BinaryOp, left: ConstValue, right: ConstValue) -> Result<ConstValue, String> {
    if let Some(holds) = compare(op, left, right) {
        return Ok(ConstValue { ty: Scalar::Bool, bits: u64::from(holds) });
    }
    let ty = left.ty;
    if ty.is_float() {
        return Ok(float(op, left, right));
    }
    if ty == Scalar::Bool {
        let bits = match op {
            BinaryOp::And => left.bits & right.bits,
            BinaryOp::Or => left.bits | right.bits,
            _ => left.bits ^ right.bits,
        };
        return Ok(ConstValue { ty, bits });
    }
    let (a, b) = (to_int(left), to_int(right));
    if let Some(mistake) = refused(op, ty, b) {
        return Err(mistake);
    }
    let value = match op {
        BinaryOp::Add => from_int(ty, a + b),
        BinaryOp::Sub => from_int(ty, a - b),
        BinaryOp::Mul => a.checked_mul(b).and_then(|product| from_int(ty, product)),
        BinaryOp::Div => from_int(ty, a / b),
        // `MIN % -1` overflows as the division does.
        BinaryOp::Rem => from_int(ty, a / b).and(from_int(ty, a % b)),
        BinaryOp::And => Some(literal::wrap_int(ty, a & b)),
        BinaryOp::Or => Some(literal::wrap_int(ty, a | b)),
        BinaryOp::Xor => Some(literal::wrap_int(ty, a ^ b)),
        BinaryOp::Shl => Some(literal::wrap_int(ty, a << b)),
        BinaryOp::Shr => Some(literal::wrap_int(ty, a >> b)),
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => None,
    };
    in_range(ty, value)
}

fn in_range(ty: Scalar, value: Option<ConstValue>) -> Result<ConstValue, String> {
    value.ok_or_else(|| {
        let (least, most) = literal::int_range(ty);
        format!(
            "expected {}, from {least} to {most}, found a constant that overflows it\nhelp: use a wider type",
            literal::with_article(ty)
        )
    })
}

/// The result of a comparison; `None` for other operators.
fn compare(op: BinaryOp, left: ConstValue, right: ConstValue) -> Option<bool> {
    holds(op, order_of_scalars(left, right))
}

fn order_of_scalars(left: ConstValue, right: ConstValue) -> Option<Ordering> {
    match left.ty.is_float() {
        true => to_float(left).partial_cmp(&to_float(right)),
        false => Some(to_int(left).cmp(&to_int(right))),
    }
}

/// The result of a comparison of operands in this order, `None` if they have none; `None` for other operators.
fn holds(op: BinaryOp, order: Option<Ordering>) -> Option<bool> {
    use Ordering::{Equal, Greater, Less};
    Some(match op {
        BinaryOp::Eq => order == Some(Equal),
        BinaryOp::Ne => order != Some(Equal),
        BinaryOp::Lt => order == Some(Less),
        BinaryOp::Le => matches!(order, Some(Less | Equal)),
        BinaryOp::Gt => order == Some(Greater),
        BinaryOp::Ge => matches!(order, Some(Greater | Equal)),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr => return None,
    })
}

/// Comparisons of anything, part by part; `None` for other operators.
pub(super) fn compare_whole(op: BinaryOp, left: &Constant, right: &Constant) -> Option<Constant> {
    let equal = equal(left, right);
    let holds = match op {
        BinaryOp::Eq => equal,
        BinaryOp::Ne => !equal,
        _ => holds(op, order(left, right))?,
    };
    Some(super::boolean(holds))
}

/// The order of the first parts that differ.
fn order(left: &Constant, right: &Constant) -> Option<Ordering> {
    match (left, right) {
        (Constant::Scalar(left), Constant::Scalar(right)) => order_of_scalars(*left, *right),
        (Constant::Aggregate(left), Constant::Aggregate(right)) => {
            let mut orders = left.iter().zip(right).map(|(left, right)| order(left, right));
            orders.find(|order| *order != Some(Ordering::Equal)).unwrap_or(Some(Ordering::Equal))
        }
        (Constant::Option(Some(left)), Constant::Option(Some(right))) => order(left, right),
        (Constant::Option(left), Constant::Option(right)) => Some(left.is_some().cmp(&right.is_some())),
        _ => None,
    }
}

fn equal(left: &Constant, right: &Constant) -> bool {
    match (left, right) {
        (Constant::Scalar(left), Constant::Scalar(right)) => {
            compare(BinaryOp::Eq, *left, *right) == Some(true)
        }
        (Constant::Aggregate(left), Constant::Aggregate(right)) => {
            left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Constant::Option(Some(left)), Constant::Option(Some(right))) => equal(left, right),
        (Constant::Option(None), Constant::Option(None)) => true,
        _ => false,
    }
}

/// Arithmetic in the type's own precision: of the narrower ones the exact result in `f64` or one that rounds alike.
fn float(op: BinaryOp, left: ConstValue, right: ConstValue) -> ConstValue {
    let (a, b) = (to_float(left), to_float(right));
    let value = match left.ty {
        Scalar::F32 => f64::from(arithmetic(op, a as f32, b as f32)),
        _ => arithmetic(op, a, b),
    };
    from_float(left.ty, value)
}

fn arithmetic<T>(op: BinaryOp, a: T, b: T) -> T
where
    T: std::ops::Add<Output = T>
        + std::ops::Sub<Output = T>
        + std::ops::Mul<Output = T>
        + std::ops::Div<Output = T>
        + std::ops::Rem<Output = T>,
{
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Rem => a % b,
        _ => a / b,
    }
}

/// `value as ty`: integers wrap, floats saturate and NaN is 0, as in Rust.
pub(crate) fn cast(value: ConstValue, ty: Scalar) -> ConstValue {
    match (value.ty.is_float(), ty.is_float()) {
        (true, true) => from_float(ty, to_float(value)),
        (true, false) => {
            let (least, most) = literal::int_range(ty);
            literal::wrap_int(ty, (to_float(value) as i128).clamp(least, most))
        }
        // From the integer straight to each width: no double rounding.
        (false, true) if ty == Scalar::F32 => {
            ConstValue { ty, bits: u64::from((to_int(value) as f32).to_bits()) }
        }
        (false, true) => from_float(ty, to_int(value) as f64),
        (false, false) => literal::wrap_int(ty, to_int(value)),
    }
}
