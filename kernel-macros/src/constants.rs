//! The constants that have a path: `f32::INFINITY`, `u32::BITS`, `core::f32::consts::PI`.

use crate::literal;
use crate::typed::{ConstValue, Scalar};

/// Constants of `f32` and `f64`: `f32::NAME`.
const OF_FLOATS: &[(&str, f32, f64)] = &[
    ("INFINITY", f32::INFINITY, f64::INFINITY),
    ("NEG_INFINITY", f32::NEG_INFINITY, f64::NEG_INFINITY),
    ("NAN", f32::NAN, f64::NAN),
    ("MAX", f32::MAX, f64::MAX),
    ("MIN", f32::MIN, f64::MIN),
    ("MIN_POSITIVE", f32::MIN_POSITIVE, f64::MIN_POSITIVE),
    ("EPSILON", f32::EPSILON, f64::EPSILON),
];

macro_rules! counts {
    ($($name:ident: $ty:ident)*) => {
        &[$((
            stringify!($name),
            Scalar::$ty,
            [f32::$name as i64, f64::$name as i64, half::f16::$name as i64, half::bf16::$name as i64],
        )),*]
    };
}

/// Constants of floats that are integers, of `f32`, `f64`, `f16` and `bf16`: `f32::NAME`.
const COUNTS_OF_FLOATS: &[(&str, Scalar, [i64; 4])] = counts! {
    RADIX: U32 MANTISSA_DIGITS: U32 DIGITS: U32 MIN_EXP: I32 MAX_EXP: I32 MIN_10_EXP: I32 MAX_10_EXP: I32
};

macro_rules! of_consts {
    ($($name:ident)*) => { &[$((stringify!($name), std::f32::consts::$name, std::f64::consts::$name)),*] };
}

/// Constants of the modules `core::f32::consts` and `core::f64::consts`.
const OF_MODULES: &[(&str, f32, f64)] = of_consts! {
    PI TAU E SQRT_2 LN_2 LN_10 LOG2_E LOG2_10 LOG10_E LOG10_2
    FRAC_1_PI FRAC_2_PI FRAC_1_SQRT_2 FRAC_2_SQRT_PI FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8
};

/// Constants of the integers: `u32::NAME`.
const OF_INTS: &[&str] = &["MAX", "MIN", "BITS"];

/// The constant that a path names.
pub fn constant(path: &[String]) -> Option<ConstValue> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path[..] {
        [ty, name] => {
            let ty = Scalar::from_name(ty)?;
            of_scalar(ty, name).filter(|_| !is_of_trait(ty, name))
        }
        ["core" | "std", ty, "consts", name] => of_table(Scalar::from_name(ty)?, OF_MODULES, name),
        _ => None,
    }
}

/// Suggests a replacement for a path that names no constant.
pub fn near(path: &[String]) -> Option<String> {
    let (name, prefix) = path.split_last()?;
    let ty = prefix.iter().find_map(|segment| Scalar::from_name(segment))?;
    if is_of_trait(ty, name) {
        let value = if name == "ONE" { "1" } else { "0" };
        return Some(match ty.is_float() {
            true => format!("write `{value}.0_{}`", ty.name()),
            false => format!("write `{value}_{}`", ty.name()),
        });
    }
    let is_half = matches!(ty, Scalar::F16 | Scalar::Bf16);
    if ty.is_float() && !is_half && OF_MODULES.iter().any(|row| row.0 == name) {
        return Some(format!("write `core::{}::consts::{name}`", ty.name()));
    }
    let names: Vec<&str> = match ty.is_float() {
        true => {
            let names: Vec<&str> = match is_half {
                true => OF_HALVES.iter().map(|row| row.0).collect(),
                false => OF_FLOATS.iter().chain(OF_MODULES).map(|row| row.0).collect(),
            };
            names.into_iter().chain(COUNTS_OF_FLOATS.iter().map(|row| row.0)).collect()
        }
        false => OF_INTS.to_vec(),
    };
    let near = crate::diagnostics::did_you_mean(name, names)?;
    Some(format!("did you mean `{}::{near}`?", prefix.join("::")))
}

/// Returns true for a constant that a scalar has by the bound `Number` of a type parameter only: in `f32::ZERO` it is that of a trait of the
/// user's own, or there is none.
pub fn is_of_trait(ty: Scalar, name: &str) -> bool {
    matches!(name, "ZERO" | "ONE") && !matches!(ty, Scalar::F16 | Scalar::Bf16)
}

/// The constant `ty::name`; `ZERO` and `ONE` are those of the traits for numbers.
pub fn of_scalar(ty: Scalar, name: &str) -> Option<ConstValue> {
    if ty != Scalar::Bool && matches!(name, "ZERO" | "ONE") {
        let value = f64::from(u8::from(name == "ONE"));
        return Some(match ty.is_float() {
            true => literal::from_float(ty, value),
            false => ConstValue { ty, bits: value as u64 },
        });
    }
    if ty.is_float() {
        let value = match ty {
            Scalar::F16 | Scalar::Bf16 => of_half(ty, name),
            _ => of_table(ty, OF_FLOATS, name),
        };
        return value.or_else(|| count_of_float(ty, name));
    }
    if !ty.is_int() {
        return None;
    }
    let width = ty.bits();
    let all_ones = u64::MAX >> (64 - width);
    match name {
        "BITS" => Some(ConstValue { ty: Scalar::U32, bits: u64::from(width) }),
        "MAX" => Some(ConstValue { ty, bits: if ty.is_signed() { all_ones >> 1 } else { all_ones } }),
        "MIN" => Some(ConstValue { ty, bits: if ty.is_signed() { 1 << (width - 1) } else { 0 } }),
        _ => None,
    }
}

fn of_table(ty: Scalar, table: &[(&str, f32, f64)], name: &str) -> Option<ConstValue> {
    let (_, narrow, wide) = table.iter().find(|row| row.0 == name)?;
    match ty {
        Scalar::F32 => Some(ConstValue { ty, bits: u64::from(narrow.to_bits()) }),
        Scalar::F64 => Some(ConstValue { ty, bits: wide.to_bits() }),
        _ => None,
    }
}

fn count_of_float(of: Scalar, name: &str) -> Option<ConstValue> {
    let (_, ty, [single, double, half, brain]) = COUNTS_OF_FLOATS.iter().find(|row| row.0 == name)?;
    let value = match of {
        Scalar::F32 => single,
        Scalar::F64 => double,
        Scalar::F16 => half,
        _ => brain,
    };
    Some(ConstValue { ty: *ty, bits: *value as u64 & (u64::MAX >> (64 - ty.bits())) })
}

macro_rules! of_halves {
    ($($name:ident)*) => { &[$((stringify!($name), half::f16::$name, half::bf16::$name)),*] };
}

/// Constants of `half::f16` and `half::bf16`, `ZERO` and `ONE` apart.
const OF_HALVES: &[(&str, half::f16, half::bf16)] = of_halves! {
    INFINITY NEG_INFINITY NAN MAX MIN MIN_POSITIVE EPSILON NEG_ZERO NEG_ONE MIN_POSITIVE_SUBNORMAL MAX_SUBNORMAL
    PI E SQRT_2 LN_2 LN_10 LOG2_E LOG2_10 LOG10_E LOG10_2
    FRAC_1_PI FRAC_2_PI FRAC_1_SQRT_2 FRAC_2_SQRT_PI FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8
};

fn of_half(ty: Scalar, name: &str) -> Option<ConstValue> {
    let (_, narrow, brain) = OF_HALVES.iter().find(|row| row.0 == name)?;
    let bits = if ty == Scalar::F16 { narrow.to_bits() } else { brain.to_bits() };
    Some(ConstValue { ty, bits: bits.into() })
}
