//! Conversion between floats of 16 bits and `f64`: every one is an `f64`, and an `f64` rounds to one.

use crate::types::Type;

/// Layout of a float: sign, exponent, fraction.
struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
}

impl Format {
    /// Of `bf16`, else of `f16`.
    fn of(ty: Type) -> Format {
        if ty == Type::BF16 {
            Format { exponent_bits: 8, fraction_bits: 7 }
        } else {
            Format { exponent_bits: 5, fraction_bits: 10 }
        }
    }

    /// The exponent of 1, as it is stored.
    fn bias(&self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The bits of the positive infinity: the exponent's.
    fn infinity(&self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }
}

/// The number with these bits, of type `f16` or `bf16`: exact.
pub fn widen(ty: Type, bits: u64) -> f64 {
    let format = Format::of(ty);
    let fraction = bits & ((1 << format.fraction_bits) - 1);
    let exponent = ((bits & format.infinity()) >> format.fraction_bits) as i32;
    let magnitude = if bits & format.infinity() == format.infinity() {
        if fraction == 0 { f64::INFINITY } else { f64::NAN }
    } else if exponent == 0 {
        fraction as f64 * power_of_two(1 - format.bias() - format.fraction_bits as i32)
    } else {
        let fraction = fraction | 1 << format.fraction_bits;
        fraction as f64 * power_of_two(exponent - format.bias() - format.fraction_bits as i32)
    };
    if bits >> 15 & 1 == 1 { -magnitude } else { magnitude }
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The bits of the nearest `f16` or `bf16`, ties to even; of NaN, a quiet one.
pub fn narrow(ty: Type, value: f64) -> u64 {
    let format = Format::of(ty);
    let sign = u64::from(value.is_sign_negative()) << 15;
    if value.is_nan() {
        return sign | format.infinity() | 1 << (format.fraction_bits - 1);
    }
    let bits = value.abs().to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    if exponent > format.bias() {
        return sign | format.infinity();
    }
    let least = 1 - format.bias();
    // A subnormal `f64` is far below half of the least result.
    let shift = 52 - format.fraction_bits as i32 + (least - exponent).max(0);
    if exponent == -1023 || shift > 54 {
        return sign;
    }
    let significand = bits & ((1 << 52) - 1) | 1 << 52;
    let (kept, rest) = (significand >> shift, significand & ((1 << shift) - 1));
    let half = 1 << (shift - 1);
    let kept = kept + u64::from(rest > half || rest == half && kept & 1 == 1);
    // A significand that overflows carries into the exponent, the last one into infinity.
    let base = if exponent < least { 0 } else { (exponent - least) as u64 };
    sign | ((base << format.fraction_bits) + kept).min(format.infinity())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_back() {
        for ty in [Type::F16, Type::BF16] {
            for bits in 0..1u64 << 16 {
                let value = widen(ty, bits);
                if value.is_nan() {
                    assert!(widen(ty, narrow(ty, value)).is_nan(), "{ty} {bits:#x}");
                } else {
                    assert_eq!(narrow(ty, value), bits, "{ty} {value}");
                }
            }
        }
    }

    #[test]
    fn between_two_numbers_the_nearest_is_taken() {
        for ty in [Type::F16, Type::BF16] {
            for low in 0..Format::of(ty).infinity() {
                let (a, b) = (widen(ty, low), widen(ty, low + 1));
                if b.is_infinite() {
                    continue;
                }
                let middle = (a + b) / 2.0;
                let even = if low & 1 == 0 { low } else { low + 1 };
                let nearest = |value| narrow(ty, value);
                assert_eq!(
                    [middle.next_down(), middle, middle.next_up()].map(nearest),
                    [low, even, low + 1],
                    "{ty} between {a} and {b}"
                );
            }
        }
    }

    #[test]
    fn numbers_beyond_the_range() {
        let f16 = |value| narrow(Type::F16, value);
        assert_eq!([65504.0, 65519.9, 65520.0, 1e300].map(f16), [0x7bff, 0x7bff, 0x7c00, 0x7c00]);
        assert_eq!([-1e-300, 5e-324, 2.9e-8, 3e-8].map(f16), [0x8000, 0, 0, 1]);
        assert_eq!([f64::INFINITY, f64::NEG_INFINITY].map(f16), [0x7c00, 0xfc00]);
        // The upper half of an `f32` where its lower half is zero.
        assert_eq!(narrow(Type::BF16, 3.140625), u64::from(3.140625f32.to_bits() >> 16));
    }
}
