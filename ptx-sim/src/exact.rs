//! Directed rounding of f64 products, sums, quotients and roots: the exact result as an integer of 128 bits with a
//! sticky bit, rounded once.

use super::float::{Rounding, propagate};

/// `units × 2^exponent`; the lowest bit of `units` is set for what lies between two of the others.
#[derive(Clone, Copy)]
struct Exact {
    negative: bool,
    units: u128,
    exponent: i32,
}

/// A finite number that is not zero.
fn split(value: f64) -> Exact {
    let bits = value.to_bits();
    let field = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (units, exponent) = if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    Exact { negative: value.is_sign_negative(), units: u128::from(units), exponent }
}

/// Position of the highest bit in sums: above it is room for a carry.
const TOP: u32 = 124;

impl Exact {
    /// Normalises: an equal value with its highest bit at [`TOP`]. No bit is lost: operands have at most 106 bits.
    fn normal(self) -> Exact {
        let shift = self.units.leading_zeros() as i32 - (127 - TOP as i32);
        Exact { units: self.units << shift, exponent: self.exponent - shift, ..self }
    }

    fn plus(self, other: Exact) -> Exact {
        let (a, b) = (self.normal(), other.normal());
        let (large, small) = if (a.exponent, a.units) >= (b.exponent, b.units) { (a, b) } else { (b, a) };
        let shift = (large.exponent - small.exponent) as u32;
        let shifted = if shift > TOP {
            1
        } else {
            small.units >> shift | u128::from(small.units & ((1 << shift) - 1) != 0)
        };
        let units =
            if large.negative == small.negative { large.units + shifted } else { large.units - shifted };
        Exact { units, ..large }
    }

    /// The nearest f64 in a direction.
    fn round(self, rounding: Rounding) -> f64 {
        let bits = 128 - self.units.leading_zeros() as i32;
        // The exponent of the unit of the result.
        let unit = (self.exponent + bits - 53).max(-1074);
        let shift = unit - self.exponent;
        let (kept, inexact, up_when_nearest) = match shift {
            ..=0 => ((self.units << -shift) as u64, false, false),
            1..=127 => {
                let kept = (self.units >> shift) as u64;
                let rest = self.units & ((1 << shift) - 1);
                let half = 1u128 << (shift - 1);
                (kept, rest != 0, rest > half || (rest == half && kept & 1 == 1))
            }
            _ => (0, true, false),
        };
        let up = match rounding {
            Rounding::Nearest | Rounding::NearestAway => up_when_nearest,
            Rounding::Zero => false,
            Rounding::Down => self.negative && inexact,
            Rounding::Up => !self.negative && inexact,
        };
        let units = kept + u64::from(up);
        // Subnormal numbers have the exponent field zero; a carry moves into it by itself.
        let field = (unit + 1074) as u64;
        let magnitude = if units >> 52 == 0 { units } else { (field << 52) + units };
        let infinity = f64::INFINITY.to_bits();
        let magnitude = if magnitude < infinity {
            magnitude
        } else {
            let stays = match rounding {
                Rounding::Nearest | Rounding::NearestAway => false,
                Rounding::Zero => true,
                Rounding::Down => !self.negative,
                Rounding::Up => self.negative,
            };
            if stays { infinity - 1 } else { infinity }
        };
        f64::from_bits(u64::from(self.negative) << 63 | magnitude)
    }
}

/// `a * b + c` with one rounding.
pub(crate) fn fma64(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return propagate(a.mul_add(b, c), [b, c, a]);
    }
    let negative = a.is_sign_negative() != b.is_sign_negative();
    if a == 0.0 || b == 0.0 {
        if c != 0.0 {
            return c;
        }
        let same = negative == c.is_sign_negative();
        let sign = if same { negative } else { rounding == Rounding::Down };
        return if sign { -0.0 } else { 0.0 };
    }
    let (x, y) = (split(a), split(b));
    // One more bit below is free for what the sum loses.
    let product = Exact { negative, units: (x.units * y.units) << 1, exponent: x.exponent + y.exponent - 1 };
    if c == 0.0 {
        return product.round(rounding);
    }
    let sum = product.plus(split(c));
    if sum.units == 0 {
        return if rounding == Rounding::Down { -0.0 } else { 0.0 };
    }
    sum.round(rounding)
}

/// `a / b`
pub(crate) fn div64(a: f64, b: f64, rounding: Rounding) -> f64 {
    if !(a.is_finite() && b.is_finite()) || a == 0.0 || b == 0.0 {
        return propagate(a / b, [a, b]);
    }
    let (x, y) = (split(a).normal(), split(b));
    let negative = x.negative != y.negative;
    let quotient = x.units / y.units;
    let sticky = u128::from(x.units % y.units != 0);
    Exact { negative, units: quotient << 1 | sticky, exponent: x.exponent - y.exponent - 1 }.round(rounding)
}

/// √a
pub(crate) fn sqrt64(a: f64, rounding: Rounding) -> f64 {
    if !(a > 0.0 && a.is_finite()) {
        return propagate(a.sqrt(), [a]);
    }
    let mut x = split(a).normal();
    if x.exponent % 2 != 0 {
        x = Exact { units: x.units << 1, exponent: x.exponent - 1, ..x };
    }
    let root = x.units.isqrt();
    let sticky = u128::from(root * root != x.units);
    Exact { negative: false, units: root << 1 | sticky, exponent: x.exponent / 2 - 1 }.round(rounding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_equals_the_native_operation() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Exponents near each other often, so that sums cancel.
            let raw = state ^ state >> 29;
            if raw & 1 == 0 {
                f64::from_bits(raw)
            } else {
                f64::from_bits(raw & !(0x7ff << 52) | 1020 << 52 | (raw & 6) << 51)
            }
        };
        for _ in 0..200_000 {
            let (a, b, c) = (next(), next(), next());
            let r = Rounding::Nearest;
            assert_eq!(
                fma64(a, b, c, r).to_bits(),
                propagate(a.mul_add(b, c), [b, c, a]).to_bits(),
                "{a:e} {b:e} {c:e}"
            );
            assert_eq!(div64(a, b, r).to_bits(), propagate(a / b, [a, b]).to_bits(), "{a:e} {b:e}");
            assert_eq!(sqrt64(a, r).to_bits(), propagate(a.sqrt(), [a]).to_bits(), "{a:e}");
            let near = -(a * b);
            assert_eq!(fma64(a, b, near, r).to_bits(), propagate(a.mul_add(b, near), [b, near, a]).to_bits());
        }
    }
}
