//! Floats narrower than f32: their formats, what their bits mean, and rounding to them.

use super::float::Rounding;

/// A float of at most 19 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Bits in all.
    pub(crate) bits: u32,
    /// Bits of the fraction.
    pub(crate) fraction: u32,
    /// Bias of the exponent.
    pub(crate) bias: i32,
    /// The bits of the largest finite magnitude.
    pub(crate) largest: u32,
    /// The bits of infinity, where the format has one.
    pub(crate) infinity: Option<u32>,
    /// Result of instructions for NaN: where the format has none, the largest number.
    pub(crate) nan: u32,
}

/// `.f16`
pub(crate) const HALF: Format =
    Format { bits: 16, fraction: 10, bias: 15, largest: 0x7bff, infinity: Some(0x7c00), nan: 0x7fff };
/// `.bf16`
pub(crate) const BRAIN: Format =
    Format { bits: 16, fraction: 7, bias: 127, largest: 0x7f7f, infinity: Some(0x7f80), nan: 0x7fff };
/// `.tf32`, without the 13 bits below its fraction that it has in a register.
pub(crate) const TENSOR: Format =
    Format { bits: 19, fraction: 10, bias: 127, largest: 0x3_fbff, infinity: Some(0x3_fc00), nan: 0x3_ffff };
/// `.e4m3`
pub(crate) const E4M3: Format =
    Format { bits: 8, fraction: 3, bias: 7, largest: 0x7e, infinity: None, nan: 0x7f };
/// `.e5m2`
pub(crate) const E5M2: Format =
    Format { bits: 8, fraction: 2, bias: 15, largest: 0x7b, infinity: Some(0x7c), nan: 0x7f };

/// `.e2m3`, in the low bits of a byte.
pub(crate) const E2M3: Format =
    Format { bits: 6, fraction: 3, bias: 1, largest: 0x1f, infinity: None, nan: 0x1f };
/// `.e3m2`, in the low bits of a byte.
pub(crate) const E3M2: Format =
    Format { bits: 6, fraction: 2, bias: 3, largest: 0x1f, infinity: None, nan: 0x1f };
/// `.e2m1`
pub(crate) const E2M1: Format =
    Format { bits: 4, fraction: 1, bias: 1, largest: 0x7, infinity: None, nan: 0x7 };

impl Format {
    const fn sign(self) -> u32 {
        1 << (self.bits - 1)
    }

    /// The value of so many low bits.
    #[inline]
    pub(crate) fn value(self, raw: u32) -> f64 {
        let magnitude = raw & (self.sign() - 1);
        let exponent = (magnitude >> self.fraction) as i32;
        let fraction = u64::from(magnitude) & ((1 << self.fraction) - 1);
        let absolute = if magnitude > self.largest {
            if Some(magnitude) == self.infinity { f64::INFINITY } else { f64::NAN }
        } else if exponent == 0 {
            fraction as f64 * f64::from_bits(((1024 - self.bias - self.fraction as i32) as u64) << 52)
        } else {
            f64::from_bits(((exponent - self.bias + 1023) as u64) << 52 | fraction << (52 - self.fraction))
        };
        if raw & self.sign() != 0 { -absolute } else { absolute }
    }

    /// A subnormal number becomes the zero of its sign.
    #[inline]
    pub(crate) fn flush(self, raw: u32) -> u32 {
        if (raw & (self.sign() - 1)) >> self.fraction == 0 { raw & self.sign() } else { raw }
    }

    /// The bits of `value + error`, where the error is smaller than half a unit of `value`, rounded. With `finite`, what
    /// is too large becomes the largest finite number.
    pub(crate) fn round(self, value: f64, error: f64, rounding: Rounding, finite: bool) -> u32 {
        if value.is_nan() {
            return self.nan;
        }
        let negative = value.is_sign_negative();
        let sign = if negative { self.sign() } else { 0 };
        let beyond = if finite { self.largest } else { self.infinity.unwrap_or(self.nan) };
        if value.is_infinite() {
            return sign | beyond;
        }
        if value == 0.0 {
            return sign;
        }
        let bits = value.abs().to_bits();
        let field = (bits >> 52) as i32;
        let fraction = bits & ((1 << 52) - 1);
        let (exponent, units) =
            if field == 0 { (-1022, fraction) } else { (field - 1023, fraction | 1 << 52) };
        // Two more bits say on which side of it the exact value lies. One below a power of two has too small an exponent
        // then, which comes out right: the units of the next lower exponent are half as large.
        let exact = match error {
            0.0 => units << 2,
            error if (error < 0.0) == negative => (units << 2) + 1,
            _ => (units << 2) - 1,
        };
        let least = exponent.max(1 - self.bias);
        let shift = (54 - self.fraction as i32 + (least - exponent)).min(63) as u32;
        let (kept, rest, half) = (exact >> shift, exact & ((1 << shift) - 1), 1u64 << (shift - 1));
        let up = match rounding {
            Rounding::Nearest => rest > half || (rest == half && kept & 1 == 1),
            Rounding::NearestAway => rest >= half,
            Rounding::Zero => false,
            Rounding::Down => negative && rest > 0,
            Rounding::Up => !negative && rest > 0,
        };
        // A carry out of the fraction moves into the exponent by itself; exponents far too large saturate.
        let biased = ((least + self.bias - 1) as u64).min(4096);
        let magnitude = (biased << self.fraction) + kept + u64::from(up);
        if magnitude > u64::from(self.largest) {
            let towards_zero = match rounding {
                Rounding::Nearest | Rounding::NearestAway => false,
                Rounding::Zero => true,
                Rounding::Down => !negative,
                Rounding::Up => negative,
            };
            return sign | if towards_zero { self.largest } else { beyond };
        }
        sign | magnitude as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_a_format_rounds_to_itself() {
        for format in [HALF, BRAIN, E4M3, E5M2, E2M3, E3M2, E2M1] {
            for raw in 0..1u32 << format.bits {
                let value = format.value(raw);
                let expected = if value.is_nan() { format.nan } else { raw };
                assert_eq!(
                    format.round(value, 0.0, Rounding::Nearest, false),
                    expected,
                    "{format:?} {raw:x}"
                );
            }
        }
    }

    #[test]
    fn between_two_numbers() {
        for format in [HALF, BRAIN, E4M3, E5M2, E2M3, E3M2, E2M1] {
            for raw in 0..format.largest {
                let (low, high) = (format.value(raw), format.value(raw + 1));
                let middle = low + (high - low) / 2.0;
                let even = if raw % 2 == 0 { raw } else { raw + 1 };
                assert_eq!(format.round(middle, 0.0, Rounding::Nearest, false), even);
                assert_eq!(format.round(middle, 1e-300, Rounding::Nearest, false), raw + 1);
                assert_eq!(format.round(middle, -1e-300, Rounding::Nearest, false), raw);
                assert_eq!(format.round(high, -1e-300, Rounding::Zero, false), raw);
                assert_eq!(format.round(middle, 0.0, Rounding::Up, false), raw + 1);
                assert_eq!(format.round(middle, 0.0, Rounding::NearestAway, false), raw + 1);
                assert_eq!(format.round(-middle, 0.0, Rounding::Down, false), (raw + 1) | format.sign());
            }
        }
    }
}
