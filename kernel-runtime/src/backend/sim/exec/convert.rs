//! `cvt` between any two types, for the pairs that have no row of their own in the unary table.

use crate::backend::sim::float::{Rounding, integral64, narrow_nan, propagate, round32};
use crate::backend::sim::registers::{LANES, Registers, Slot, lanes};

/// The types that `cvt` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// An integer of so many bits.
    Unsigned(u8),
    Signed(u8),
    F16,
    Bf16,
    F32,
    F64,
}

impl Number {
    /// The type that PTX spells so.
    pub(crate) fn from_text(text: &str) -> Option<Number> {
        Some(match text {
            "u8" => Number::Unsigned(8),
            "u16" => Number::Unsigned(16),
            "u32" => Number::Unsigned(32),
            "u64" => Number::Unsigned(64),
            "s8" => Number::Signed(8),
            "s16" => Number::Signed(16),
            "s32" => Number::Signed(32),
            "s64" => Number::Signed(64),
            "f16" => Number::F16,
            "bf16" => Number::Bf16,
            "f32" => Number::F32,
            "f64" => Number::F64,
            _ => return None,
        })
    }

    pub(crate) fn bits(self) -> u8 {
        match self {
            Number::Unsigned(bits) | Number::Signed(bits) => bits,
            Number::F16 | Number::Bf16 => 16,
            Number::F32 => 32,
            Number::F64 => 64,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        match self {
            Number::Unsigned(_) | Number::Signed(_) => false,
            Number::F16 | Number::Bf16 | Number::F32 | Number::F64 => true,
        }
    }
}

/// What a `cvt` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conversion {
    pub(crate) to: Number,
    pub(crate) from: Number,
    pub(crate) rounding: Rounding,
    /// `.rni` and its like: to an integral value, also when the result is a float.
    pub(crate) integral: bool,
    /// `.sat` of an integer result. (A float result is saturated by an operation of its own.)
    pub(crate) saturate: bool,
}

impl Conversion {
    pub(crate) fn run(self, registers: &mut Registers, mask: u32, target: Slot, source: Slot) {
        let mut values = [0u64; LANES];
        if self.from.bits() == 64 {
            values = registers.d[source.index()];
        } else {
            for (value, &raw) in values.iter_mut().zip(&registers.w[source.index()]) {
                *value = u64::from(raw);
            }
        }
        for lane in lanes(mask) {
            let result = self.convert(values[lane]);
            if self.to.bits() == 64 {
                registers.d[target.index()][lane] = result;
            } else {
                registers.w[target.index()][lane] = result as u32;
            }
        }
    }

    /// Converts the bits of one value. Narrow results are extended as their type says.
    fn convert(self, raw: u64) -> u64 {
        if (self.from, self.to) == (Number::Bf16, Number::F32) {
            // Exact, also for NaNs.
            return raw << 16 & 0xffff_ffff;
        }
        match (self.from, self.to) {
            (Number::Unsigned(_) | Number::Signed(_), Number::Unsigned(_) | Number::Signed(_)) => {
                self.to_integer(integer(raw, self.from))
            }
            (
                Number::Unsigned(_) | Number::Signed(_),
                Number::F16 | Number::Bf16 | Number::F32 | Number::F64,
            ) => self.to_float(integer(raw, self.from)),
            (
                Number::F16 | Number::Bf16 | Number::F32 | Number::F64,
                Number::Unsigned(_) | Number::Signed(_),
            ) => self.float_to_integer(float(raw, self.from)),
            (
                Number::F16 | Number::Bf16 | Number::F32 | Number::F64,
                Number::F16 | Number::Bf16 | Number::F32 | Number::F64,
            ) => {
                let value = float(raw, self.from);
                if self.integral {
                    self.pack_float(integral64(value, self.rounding), 0.0)
                } else {
                    self.pack_float(value, 0.0)
                }
            }
        }
    }

    fn to_integer(self, value: i128) -> u64 {
        let value = if self.saturate { clamp(value, self.to) } else { value };
        truncate(value, self.to)
    }

    fn to_float(self, value: i128) -> u64 {
        let nearest = value as f64;
        let error = value - nearest as i128;
        if self.to != Number::F64 {
            return self.pack_float(nearest, error as f64);
        }
        let stepped = match self.rounding {
            Rounding::Nearest | Rounding::NearestAway => nearest,
            Rounding::Down if error < 0 => nearest.next_down(),
            Rounding::Up if error > 0 => nearest.next_up(),
            Rounding::Zero if error < 0 && value > 0 => nearest.next_down(),
            Rounding::Zero if error > 0 && value < 0 => nearest.next_up(),
            Rounding::Down | Rounding::Up | Rounding::Zero => nearest,
        };
        stepped.to_bits()
    }

    /// Saturates; NaN gives 0, or the top bit where the source or the destination has 64 bits (as sm_90 does).
    fn float_to_integer(self, value: f64) -> u64 {
        if value.is_nan() {
            let wide = self.from == Number::F64 || self.to.bits() == 64;
            return if wide { truncate(1 << (self.to.bits() - 1), self.to) } else { 0 };
        }
        truncate(clamp(integral64(value, self.rounding) as i128, self.to), self.to)
    }

    /// The bits of `value + error`, which is smaller than a unit of `value`, rounded to the destination.
    fn pack_float(self, value: f64, error: f64) -> u64 {
        match self.to {
            Number::F64 => propagate(value, [value]).to_bits(),
            Number::F32 if value.is_nan() && self.from == Number::F64 => u64::from(narrow_nan(value)),
            Number::F32 => u64::from(round32(value, error, self.rounding).to_bits()),
            Number::F16 => u64::from(round_small(value, error, self.rounding, HALF)),
            Number::Bf16 => u64::from(round_small(value, error, self.rounding, BRAIN)),
            Number::Unsigned(_) | Number::Signed(_) => 0,
        }
    }
}

fn integer(raw: u64, ty: Number) -> i128 {
    let unused = 64 - u32::from(ty.bits());
    match ty {
        Number::Signed(_) => i128::from((raw << unused) as i64 >> unused),
        Number::Unsigned(_) | Number::F16 | Number::Bf16 | Number::F32 | Number::F64 => {
            i128::from(raw << unused >> unused)
        }
    }
}

fn clamp(value: i128, ty: Number) -> i128 {
    let bits = u32::from(ty.bits());
    match ty {
        Number::Signed(_) => value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        Number::Unsigned(_) | Number::F16 | Number::Bf16 | Number::F32 | Number::F64 => {
            value.clamp(0, (1 << bits) - 1)
        }
    }
}

fn truncate(value: i128, ty: Number) -> u64 {
    integer(value as u64, ty) as u64
}

/// A float of 16 bits: bits of the fraction and bias of the exponent.
#[derive(Clone, Copy)]
struct Small {
    fraction: u32,
    bias: i32,
}

const HALF: Small = Small { fraction: 10, bias: 15 };
const BRAIN: Small = Small { fraction: 7, bias: 127 };

fn float(raw: u64, ty: Number) -> f64 {
    match ty {
        Number::F64 => f64::from_bits(raw),
        Number::F32 => f64::from(f32::from_bits(raw as u32)),
        Number::Bf16 => f64::from(f32::from_bits((raw as u32) << 16)),
        Number::F16 => small_to_f64(raw as u16, HALF),
        Number::Unsigned(_) | Number::Signed(_) => 0.0,
    }
}

fn small_to_f64(raw: u16, format: Small) -> f64 {
    let raw = u32::from(raw);
    let exponent_mask = (1 << (15 - format.fraction)) - 1;
    let exponent = raw >> format.fraction & exponent_mask;
    let fraction = f64::from(raw & ((1 << format.fraction) - 1));
    let unit = 2f64.powi(1 - format.bias - format.fraction as i32);
    let magnitude = if exponent == exponent_mask {
        if fraction == 0.0 { f64::INFINITY } else { f64::NAN }
    } else if exponent == 0 {
        fraction * unit
    } else {
        (fraction + f64::from(1u32 << format.fraction)) * unit * 2f64.powi(exponent as i32 - 1)
    };
    if raw >> 15 == 1 { -magnitude } else { magnitude }
}

/// Rounds to a float of 16 bits. The canonical NaN is 0x7fff.
fn round_small(value: f64, error: f64, rounding: Rounding, format: Small) -> u16 {
    if value.is_nan() {
        return 0x7fff;
    }
    let sign = u16::from(value.is_sign_negative()) << 15;
    let top = (1u32 << (15 - format.fraction)) - 1;
    let infinity = (top << format.fraction) as u16;
    if value.is_infinite() {
        return sign | infinity;
    }
    if value == 0.0 {
        return sign;
    }
    // In units of the last place of the result: exact, because it is a multiplication by a power of two.
    let exponent = (((value.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(1 - format.bias);
    let scale = 2f64.powi(format.fraction as i32 - exponent);
    let scaled = value.abs() * scale;
    let (floor, rest) = (scaled.floor(), scaled - scaled.floor());
    if error != 0.0 && (rest == 0.0 || rest == 0.5) {
        // Any step away from the tie or the exact value says as much as the error does.
        let value = if error > 0.0 { value.next_up() } else { value.next_down() };
        return round_small(value, 0.0, rounding, format);
    }
    let negative = value < 0.0;
    let up = match rounding {
        Rounding::Nearest => rest > 0.5 || (rest == 0.5 && floor % 2.0 == 1.0),
        Rounding::NearestAway => rest >= 0.5,
        Rounding::Zero => false,
        Rounding::Down => negative && rest > 0.0,
        Rounding::Up => !negative && rest > 0.0,
    };
    let units = floor as u32 + u32::from(up);
    // A carry out of the fraction moves into the exponent by itself.
    let biased = (exponent + format.bias - 1) as u32;
    let magnitude = (biased << format.fraction) + units;
    if magnitude >= u32::from(infinity) {
        let towards_zero = match rounding {
            Rounding::Nearest | Rounding::NearestAway => false,
            Rounding::Zero => true,
            Rounding::Down => !negative,
            Rounding::Up => negative,
        };
        return sign | if towards_zero { infinity - 1 } else { infinity };
    }
    sign | magnitude as u16
}
