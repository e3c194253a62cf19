//! The values of literals in their types, and integers of every width.

use crate::ast::Literal;
use crate::typed::{ConstValue, Scalar};

/// Integers by width, for advice.
const WIDER: &[Scalar] =
    &[Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16, Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64];

/// A scalar type in a message: "an `i32`", "a `u32`".
pub fn with_article(ty: Scalar) -> String {
    let article = if ty.name().starts_with(['i', 'f']) { "an" } else { "a" };
    format!("{article} `{}`", ty.name())
}

/// The least and the greatest value of an integer type.
pub fn int_range(ty: Scalar) -> (i128, i128) {
    let bits = ty.bits();
    match ty.is_signed() {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    }
}

/// The integer (or `bool`) that these bits are.
pub fn to_int(value: ConstValue) -> i128 {
    let wide = i128::from(value.bits);
    let bits = value.ty.bits();
    if value.ty.is_signed() && value.bits >> (bits - 1) & 1 == 1 { wide - (1 << bits) } else { wide }
}

/// The integer in its type; `None` if it is out of range.
pub fn from_int(ty: Scalar, value: i128) -> Option<ConstValue> {
    let (least, most) = int_range(ty);
    (least..=most).contains(&value).then(|| wrap_int(ty, value))
}

/// The integer cut to its type's width.
pub fn wrap_int(ty: Scalar, value: i128) -> ConstValue {
    // The low 64 bits are what is wanted.
    ConstValue { ty, bits: value as u64 & (u64::MAX >> (64 - ty.bits())) }
}

/// A float in its type, rounded.
pub fn from_float(ty: Scalar, value: f64) -> ConstValue {
    match ty {
        Scalar::F16 => ConstValue { ty, bits: half::f16::from_f64(value).to_bits().into() },
        Scalar::Bf16 => ConstValue { ty, bits: half::bf16::from_f64(value).to_bits().into() },
        Scalar::F32 => ConstValue { ty, bits: u64::from((value as f32).to_bits()) },
        _ => ConstValue { ty, bits: value.to_bits() },
    }
}

/// The float that these bits are; exact, as an `f64` holds every narrower one.
pub fn to_float(value: ConstValue) -> f64 {
    match value.ty {
        Scalar::F16 => half::f16::from_bits(value.bits as u16).to_f64(),
        Scalar::Bf16 => half::bf16::from_bits(value.bits as u16).to_f64(),
        Scalar::F32 => f64::from(f32::from_bits(value.bits as u32)),
        _ => f64::from_bits(value.bits),
    }
}

/// The value of a literal in its type, which has been inferred. Under a minus sign an integer may be one greater; the
/// value is that without the sign. `Err` says what was expected and found.
pub fn value(literal: &Literal, ty: Scalar, negated: bool) -> Result<ConstValue, String> {
    match literal {
        Literal::Bool(value) => Ok(ConstValue { ty: Scalar::Bool, bits: u64::from(*value) }),
        Literal::Int { value, .. } | Literal::Primitive { value, .. } if ty.is_int() => {
            int(*value, ty, negated)
        }
        // `1f32`
        Literal::Int { value, .. } | Literal::Primitive { value, .. } => {
            float(&value.unwrap_or(u128::MAX).to_string(), ty)
        }
        Literal::Float { digits, .. } => float(digits, ty),
    }
}

fn int(value: Option<u128>, ty: Scalar, negated: bool) -> Result<ConstValue, String> {
    let (least, most) = int_range(ty);
    let limit = most as u128 + u128::from(negated && ty.is_signed());
    match value {
        Some(value) if value <= limit => Ok(wrap_int(ty, value as i128)),
        Some(_) | None => {
            let found = match (value, negated) {
                (Some(value), true) => format!("`-{value}`"),
                (Some(value), false) => format!("`{value}`"),
                (None, _) => "a number beyond 128 bits".to_owned(),
            };
            let fits = |wider: &Scalar| value.is_some_and(|value| value <= int_range(*wider).1 as u128);
            let wider = WIDER.iter().copied().filter(|wider| wider.is_signed() == ty.is_signed()).find(fits);
            let help = match wider {
                Some(wider) if !negated || wider.is_signed() => {
                    format!("use a wider type: `{}`", wider.name())
                }
                Some(_) | None => "use a smaller number".to_owned(),
            };
            Err(format!("expected {}, from {least} to {most}, found {found}\nhelp: {help}", with_article(ty)))
        }
    }
}

fn float(digits: &str, ty: Scalar) -> Result<ConstValue, String> {
    // Each width is rounded from the digits, not from the other.
    let (value, infinite) = match ty {
        Scalar::F32 => {
            let value: f32 = digits.parse().unwrap_or(f32::INFINITY);
            (ConstValue { ty, bits: u64::from(value.to_bits()) }, value.is_infinite())
        }
        _ => {
            let value: f64 = digits.parse().unwrap_or(f64::INFINITY);
            (ConstValue { ty, bits: value.to_bits() }, value.is_infinite())
        }
    };
    if infinite {
        let name = ty.name();
        let help = if ty == Scalar::F32 { "use `f64`, or `f32::INFINITY`" } else { "use `f64::INFINITY`" };
        return Err(format!("expected a finite `{name}`, found `{digits}`\nhelp: {help}"));
    }
    Ok(value)
}
