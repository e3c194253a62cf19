//! `cvt` between any two types, for the pairs that have no row of their own in the unary table.

use crate::float::{Float, Rounding, integral64, narrow_nan, propagate, round32};
use crate::narrow::{BRAIN, E2M1, E2M3, E3M2, E4M3, E5M2, Format, HALF, TENSOR};
use crate::registers::{LANES, Registers, Slot, lanes};

/// The types that `cvt` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// An integer of so many bits.
    Unsigned(u8),
    Signed(u8),
    E4m3,
    E5m2,
    /// In the low six bits of a byte.
    E2m3,
    E3m2,
    E2m1,
    /// A power of two.
    Ue8m0,
    F16,
    Bf16,
    /// An f32 whose 13 low bits are zero.
    Tf32,
    F32,
    F64,
}

impl Number {
    /// The type that PTX spells so.
    pub(crate) fn from_text(text: &str) -> Option<Number> {
        Some(match text {
            "u2" => Number::Unsigned(2),
            "u4" => Number::Unsigned(4),
            "u8" => Number::Unsigned(8),
            "u16" => Number::Unsigned(16),
            "u32" => Number::Unsigned(32),
            "u64" => Number::Unsigned(64),
            "s2" => Number::Signed(2),
            "s4" => Number::Signed(4),
            "s8" => Number::Signed(8),
            "s16" => Number::Signed(16),
            "s32" => Number::Signed(32),
            "s64" => Number::Signed(64),
            "e4m3" => Number::E4m3,
            "e5m2" => Number::E5m2,
            "f16" => Number::F16,
            "bf16" => Number::Bf16,
            "tf32" => Number::Tf32,
            "f32" => Number::F32,
            "f64" => Number::F64,
            _ => return None,
        })
    }

    pub(crate) fn bits(self) -> u8 {
        match self {
            Number::Unsigned(bits) | Number::Signed(bits) => bits,
            Number::E2m1 => 4,
            Number::E4m3 | Number::E5m2 | Number::E2m3 | Number::E3m2 | Number::Ue8m0 => 8,
            Number::F16 | Number::Bf16 => 16,
            Number::F32 | Number::Tf32 => 32,
            Number::F64 => 64,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        match self {
            Number::Unsigned(_) | Number::Signed(_) => false,
            Number::E4m3
            | Number::E5m2
            | Number::E2m3
            | Number::E3m2
            | Number::E2m1
            | Number::Ue8m0
            | Number::F16
            | Number::Bf16
            | Number::Tf32
            | Number::F32
            | Number::F64 => true,
        }
    }

    /// The format of a float narrower than f32.
    fn format(self) -> Option<Format> {
        match self {
            Number::E4m3 => Some(E4M3),
            Number::E5m2 => Some(E5M2),
            Number::E2m3 => Some(E2M3),
            Number::E3m2 => Some(E3M2),
            Number::E2m1 => Some(E2M1),
            Number::F16 => Some(HALF),
            Number::Bf16 => Some(BRAIN),
            Number::Tf32 => Some(TENSOR),
            Number::F32 | Number::F64 | Number::Ue8m0 | Number::Unsigned(_) | Number::Signed(_) => None,
        }
    }
}

/// Treatment of values that the destination type does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clamp {
    /// Integers wrap, floats overflow.
    None,
    /// `.sat`: integers to the nearest that the destination has, floats narrower than f32 to [0, 1]. (Wider ones are
    /// saturated by an operation of their own.)
    Saturate,
    /// `.satfinite`: to the largest finite number.
    Finite,
}

/// The types and modifiers of a `cvt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conversion {
    pub(crate) to: Number,
    pub(crate) from: Number,
    pub(crate) rounding: Rounding,
    /// `.rni` and its like: to an integral value, also when the result is a float.
    pub(crate) integral: bool,
    pub(crate) clamp: Clamp,
    /// `.relu`: what is negative becomes zero.
    pub(crate) relu: bool,
}

impl Conversion {
    /// Without any word but the rounding.
    pub(crate) fn plain(to: Number, from: Number, rounding: Rounding) -> Conversion {
        Conversion { to, from, rounding, integral: false, clamp: Clamp::None, relu: false }
    }

    #[inline(never)]
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
        match (self.from.is_float(), self.to.is_float()) {
            (false, false) => self.to_integer(integer(raw, self.from)),
            (false, true) => self.to_float(integer(raw, self.from)),
            (true, false) => self.float_to_integer(float(raw, self.from)),
            (true, true) => {
                let value = float(raw, self.from);
                let value = if self.integral { integral64(value, self.rounding) } else { value };
                self.pack_float(value, 0.0)
            }
        }
    }

    fn to_integer(self, value: i128) -> u64 {
        let value = if self.clamp == Clamp::Saturate { clamp(value, self.to) } else { value };
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
        let Some(format) = self.to.format() else {
            return match self.to {
                Number::F64 => propagate(value, [value]).to_bits(),
                Number::Ue8m0 => self.power_of_two(value),
                _ if value.is_nan() && self.from == Number::F64 => u64::from(narrow_nan(value)),
                _ => u64::from(round32(value, error, self.rounding).to_bits()),
            };
        };
        let (value, error) = match self.clamp {
            Clamp::Saturate if value > 1.0 || value <= 0.0 || value.is_nan() => (value.saturate(), 0.0),
            Clamp::None | Clamp::Saturate | Clamp::Finite => (value, error),
        };
        let negative = value < 0.0 || (value == 0.0 && value.is_sign_negative());
        let (value, error) = if self.relu && negative { (0.0, 0.0) } else { (value, error) };
        let raw = format.round(value, error, self.rounding, self.clamp == Clamp::Finite);
        match self.to {
            // Keeps its sign and what fits of its payload, as sm_90 does.
            Number::F16 if value.is_nan() && self.from == Number::F64 => narrow_half_nan(value),
            // NaN is that of f32; the bits below the fraction are zero otherwise.
            Number::Tf32 if value.is_nan() => 0x7fff_ffff,
            Number::Tf32 => u64::from(raw) << 13,
            _ => u64::from(raw),
        }
    }
}

impl Conversion {
    /// The exponent of a number's magnitude, rounded up or down.
    fn power_of_two(self, value: f64) -> u64 {
        const NAN: u64 = 0xff;
        let (up, finite) = (self.rounding == Rounding::Up, self.clamp == Clamp::Finite);
        let magnitude = (value as f32).abs().to_bits();
        let exponent = u64::from(magnitude >> 23);
        let between = magnitude & 0x7f_ffff != 0 && magnitude > 0x40_0000;
        match exponent + u64::from(up && between) {
            _ if value.is_nan() => NAN,
            NAN.. if finite => NAN - 1,
            exponent => exponent.min(NAN),
        }
    }
}

fn narrow_half_nan(value: f64) -> u64 {
    let bits = value.to_bits();
    bits >> 63 << 15 | 0x7e00 | bits >> 42 & 0x3ff
}

fn integer(raw: u64, ty: Number) -> i128 {
    let unused = 64 - u32::from(ty.bits());
    match ty {
        Number::Signed(_) => i128::from((raw << unused) as i64 >> unused),
        _ => i128::from(raw << unused >> unused),
    }
}

fn clamp(value: i128, ty: Number) -> i128 {
    let bits = u32::from(ty.bits());
    match ty {
        Number::Signed(_) => value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => value.clamp(0, (1 << bits) - 1),
    }
}

fn truncate(value: i128, ty: Number) -> u64 {
    integer(value as u64, ty) as u64
}

fn float(raw: u64, ty: Number) -> f64 {
    match (ty, ty.format()) {
        (Number::Tf32 | Number::F32, _) => f64::from(f32::from_bits(raw as u32)),
        (Number::Ue8m0, _) if raw & 0xff == 0xff => f64::NAN,
        (Number::Ue8m0, _) => f64::from_bits(((raw & 0xff) + 1023 - 127) << 52),
        (_, Some(format)) => format.value(raw as u32 & (u32::MAX >> (32 - format.bits))),
        _ => f64::from_bits(raw),
    }
}
