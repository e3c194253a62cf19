//! Floating-point arithmetic as PTX defines it: canonical NaNs, minimum and maximum, flushing, directed rounding.
//!
//! Directed rounding computes the result to nearest together with the sign of its error, and steps to the neighbour
//! when the direction asks for it.

/// Rounding mode of a result that is not representable (PTX ISA, "Rounding Modifiers").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// To nearest, ties to even.
    Nearest,
    /// To nearest, ties away from zero.
    NearestAway,
    /// Towards zero.
    Zero,
    /// Towards −∞.
    Down,
    /// Towards +∞.
    Up,
}

/// The NaN that every f32 instruction returns (PTX ISA, "Floating-Point Data Types").
pub(crate) const NAN32: f32 = f32::from_bits(0x7fff_ffff);
/// The NaN that f64 instructions return for invalid operations (seen on sm_90).
pub(crate) const NAN64: f64 = f64::from_bits(0xfff8_0000_0000_0000);

/// The result of an f64 instruction: a NaN is the first one among the operands `from`, made quiet, or that of invalid
/// operations. The order is that of an H200: the second factor or summand, then the third operand of `fma`, then the
/// first; for quotients the first, then the second.
#[inline(always)]
pub(crate) fn propagate<const N: usize>(value: f64, from: [f64; N]) -> f64 {
    // On the bits: compilers may take a float that is some NaN for any other NaN.
    if !is_nan64(value.to_bits()) {
        return value;
    }
    let operand = from.iter().map(|operand| operand.to_bits()).find(|&bits| is_nan64(bits));
    f64::from_bits(operand.map_or(NAN64.to_bits(), |bits| bits | 1 << 51))
}

#[inline(always)]
fn is_nan64(bits: u64) -> bool {
    bits << 1 > f64::INFINITY.to_bits() << 1
}

/// `cvt` of a NaN between f32 and f64 keeps its sign and what fits of its payload.
pub(crate) fn narrow_nan(value: f64) -> u32 {
    let bits = value.to_bits();
    (bits >> 32) as u32 & 0x8000_0000 | 0x7fc0_0000 | (bits >> 29) as u32 & 0x007f_ffff
}

/// `cvt.f64.f32`: exact, also in the payload of a NaN.
#[inline(always)]
pub(crate) fn widen(value: f32) -> f64 {
    let bits = value.to_bits();
    if bits << 1 > f32::INFINITY.to_bits() << 1 {
        let sign = u64::from(bits >> 31) << 63;
        return f64::from_bits(sign | 0x7ff8_0000_0000_0000 | u64::from(bits & 0x007f_ffff) << 29);
    }
    f64::from(value)
}

/// `cvt.rn.f32.f64`
#[inline(always)]
pub(crate) fn narrow(value: f64) -> f32 {
    if is_nan64(value.to_bits()) { f32::from_bits(narrow_nan(value)) } else { value as f32 }
}

/// `mul.ftz.f32` of flushed factors: zero if the exact product is subnormal, also where it rounds to a normal number.
#[inline(always)]
pub(crate) fn mul32_flushed(a: f32, b: f32) -> f32 {
    let (a, b) = (a.flush(), b.flush());
    let product = a * b;
    let is_tiny = product.abs() == f32::MIN_POSITIVE && (f64::from(a) * f64::from(b)).abs() < TINY;
    if is_tiny { product * 0.0 } else { product.flush() }.canonical()
}

/// `fma.rn.ftz.f32`, flushed as the product is.
#[inline(always)]
pub(crate) fn fma32_flushed(a: f32, b: f32, c: f32) -> f32 {
    let (a, b, c) = (a.flush(), b.flush(), c.flush());
    let sum = a.mul_add(b, c);
    let is_tiny = sum.abs() == f32::MIN_POSITIVE && fma32(a, b, c, Rounding::Zero).abs() < f32::MIN_POSITIVE;
    if is_tiny { sum * 0.0 } else { sum.flush() }.canonical()
}

/// The least normal f32.
const TINY: f64 = f32::MIN_POSITIVE as f64;

/// `div.approx.f32`: a product with a reciprocal that is zero for divisors beyond 2¹²⁶ (PTX ISA, `div`).
#[inline(always)]
pub(crate) fn div32_approx(a: f32, b: f32) -> f32 {
    const LARGE: f32 = f32::from_bits(0x7e80_0000);
    if b.abs() > LARGE { a * 0f32.copysign(b) } else { a / b }.canonical()
}

/// The operations that f32 and f64 share, so that the tables need one row shape for both.
pub(crate) trait Float: Copy + PartialOrd {
    /// The result of an instruction: any NaN becomes the canonical one.
    fn canonical(self) -> Self;
    fn lesser(self, other: Self) -> Self;
    fn greater(self, other: Self) -> Self;
    /// `min.NaN`: NaN if either is.
    fn lesser_or_nan(self, other: Self) -> Self;
    /// `max.NaN`: NaN if either is.
    fn greater_or_nan(self, other: Self) -> Self;
    /// Clamped to [0, 1], NaN to +0.
    fn saturate(self) -> Self;
    /// Subnormals to zero of the same sign.
    fn flush(self) -> Self;
}

macro_rules! float {
    ($ty:ident, $nan:ident) => {
        impl Float for $ty {
            #[inline(always)]
            fn canonical(self) -> $ty {
                // On the bits: compilers may take a float that is some NaN for any other NaN.
                let bits = self.to_bits();
                let exponent = $ty::INFINITY.to_bits();
                $ty::from_bits(if bits << 1 > exponent << 1 { $nan.to_bits() } else { bits })
            }
            #[inline(always)]
            fn lesser(self, other: $ty) -> $ty {
                if self.is_nan() {
                    other.canonical()
                } else if other.is_nan() || self < other || (self == other && self.is_sign_negative()) {
                    self
                } else {
                    other
                }
            }
            #[inline(always)]
            fn greater(self, other: $ty) -> $ty {
                if self.is_nan() {
                    other.canonical()
                } else if other.is_nan() || self > other || (self == other && self.is_sign_positive()) {
                    self
                } else {
                    other
                }
            }
            #[inline(always)]
            fn lesser_or_nan(self, other: $ty) -> $ty {
                if self.is_nan() || other.is_nan() { $nan } else { self.lesser(other) }
            }
            #[inline(always)]
            fn greater_or_nan(self, other: $ty) -> $ty {
                if self.is_nan() || other.is_nan() { $nan } else { self.greater(other) }
            }
            #[inline(always)]
            fn saturate(self) -> $ty {
                // The comparison is false for NaN and for −0.
                if self > 0.0 { if self < 1.0 { self } else { 1.0 } } else { 0.0 }
            }
            #[inline(always)]
            fn flush(self) -> $ty {
                if self.abs() < $ty::MIN_POSITIVE { $ty::copysign(0.0, self) } else { self }
            }
        }
    };
}

float!(f32, NAN32);
float!(f64, NAN64);

/// `value + error` rounded to f32, where `error` is smaller than half a unit of `value` in f64.
pub(crate) fn round32(value: f64, error: f64, rounding: Rounding) -> f32 {
    let nearest = value as f32;
    // With a value halfway between two f32, the error decides what f64 could not say.
    let excess = (value - f64::from(nearest)) + error;
    if value.is_nan() || value.is_infinite() || (excess == 0.0 && error == 0.0) {
        return nearest.canonical();
    }
    let step = match rounding {
        Rounding::Nearest | Rounding::NearestAway => {
            return round32_nearest(value, error, nearest);
        }
        Rounding::Down => excess < 0.0,
        Rounding::Up => excess > 0.0,
        Rounding::Zero => {
            if nearest == 0.0 {
                false
            } else {
                (excess < 0.0) == (nearest > 0.0) && excess != 0.0
            }
        }
    };
    if !step {
        return nearest;
    }
    if excess < 0.0 { nearest.next_down() } else { nearest.next_up() }
}

/// Undoes the double rounding when `value` was a tie that `error` breaks.
fn round32_nearest(value: f64, error: f64, nearest: f32) -> f32 {
    if error == 0.0 || nearest.is_infinite() {
        return nearest;
    }
    let other = if (value - f64::from(nearest)) > 0.0 { nearest.next_up() } else { nearest.next_down() };
    let tie = value - f64::from(nearest) == f64::from(other) - value;
    let towards_other = (error > 0.0) == (other > nearest);
    if tie && towards_other { other } else { nearest }
}

/// The error of `sum = a + b` (Knuth's TwoSum): `a + b = sum + error` exactly.
pub(crate) fn sum_error(a: f64, b: f64, sum: f64) -> f64 {
    let b_part = sum - a;
    (a - (sum - b_part)) + (b - b_part)
}

/// The sum with its exact zero made −0 when rounding down (IEEE 754, 6.3).
fn zero_sign(rounding: Rounding, a_negative: bool, b_negative: bool) -> bool {
    if a_negative == b_negative { a_negative } else { rounding == Rounding::Down }
}

/// `a + b`
pub(crate) fn add32(a: f32, b: f32, rounding: Rounding) -> f32 {
    let (a64, b64) = (f64::from(a), f64::from(b));
    let sum = a64 + b64;
    if sum == 0.0 {
        let negative = zero_sign(rounding, a.is_sign_negative(), b.is_sign_negative());
        return if negative { -0.0 } else { 0.0 };
    }
    round32(sum, sum_error(a64, b64, sum), rounding)
}

/// `a * b`
pub(crate) fn mul32(a: f32, b: f32, rounding: Rounding) -> f32 {
    round32(f64::from(a) * f64::from(b), 0.0, rounding)
}

/// `a * b + c` with one rounding.
pub(crate) fn fma32(a: f32, b: f32, c: f32, rounding: Rounding) -> f32 {
    let product = f64::from(a) * f64::from(b);
    let c64 = f64::from(c);
    let sum = product + c64;
    if sum == 0.0 {
        let negative = zero_sign(rounding, product.is_sign_negative(), c.is_sign_negative());
        return if negative { -0.0 } else { 0.0 };
    }
    round32(sum, sum_error(product, c64, sum), rounding)
}

/// `a / b`
pub(crate) fn div32(a: f32, b: f32, rounding: Rounding) -> f32 {
    let (a64, b64) = (f64::from(a), f64::from(b));
    let quotient = a64 / b64;
    if quotient == 0.0 || !quotient.is_finite() {
        return (quotient as f32).canonical();
    }
    let remainder = (-quotient).mul_add(b64, a64);
    // Only the sign and the smallness of the error matter.
    let error = remainder.signum() * b64.signum() * f64::MIN_POSITIVE;
    round32(quotient, if remainder == 0.0 { 0.0 } else { error }, rounding)
}

/// √a
pub(crate) fn sqrt32(a: f32, rounding: Rounding) -> f32 {
    let a64 = f64::from(a);
    let root = a64.sqrt();
    if !(root > 0.0 && root.is_finite()) {
        return (root as f32).canonical();
    }
    let remainder = (-root).mul_add(root, a64);
    round32(root, if remainder == 0.0 { 0.0 } else { remainder.signum() * f64::MIN_POSITIVE }, rounding)
}

/// Steps a result to nearest, whose error has the sign of `error`, in the direction of `rounding`.
fn step64(nearest: f64, error: f64, rounding: Rounding) -> f64 {
    let (down, up) = match rounding {
        Rounding::Nearest | Rounding::NearestAway => (false, false),
        Rounding::Down => (error < 0.0, false),
        Rounding::Up => (false, error > 0.0),
        Rounding::Zero => (error < 0.0 && nearest > 0.0, error > 0.0 && nearest < 0.0),
    };
    match (down, up) {
        (true, _) => nearest.next_down(),
        (_, true) => nearest.next_up(),
        (false, false) => nearest,
    }
}

/// `a + b`
pub(crate) fn add64(a: f64, b: f64, rounding: Rounding) -> f64 {
    let sum = a + b;
    if !a.is_finite() || !b.is_finite() {
        return propagate(sum, [b, a]);
    }
    if sum == 0.0 {
        let negative = zero_sign(rounding, a.is_sign_negative(), b.is_sign_negative());
        return if negative { -0.0 } else { 0.0 };
    }
    // An overflow to infinity exceeds the exact sum.
    let error = if sum.is_infinite() { -sum } else { sum_error(a, b, sum) };
    step64(sum, error, rounding)
}

/// `a - b`
pub(crate) fn sub64(a: f64, b: f64, rounding: Rounding) -> f64 {
    // The sign of a NaN does not change.
    if b.is_nan() { propagate(b, [b]) } else { add64(a, -b, rounding) }
}

/// `a * b`
pub(crate) fn mul64(a: f64, b: f64, rounding: Rounding) -> f64 {
    let product = a * b;
    if !a.is_finite() || !b.is_finite() || a == 0.0 || b == 0.0 {
        return propagate(product, [b, a]);
    }
    // Compared with the product of the fractions, which neither overflows nor underflows.
    let ((fraction_a, exponent_a), (fraction_b, exponent_b)) = (split64(a), split64(b));
    let exact = fraction_a * fraction_b;
    let rest = fraction_a.mul_add(fraction_b, -exact);
    // In three steps: the exponent goes up to 2,148, and none of its thirds overflows.
    let third = -(exponent_a + exponent_b) / 3;
    let last = -(exponent_a + exponent_b) - 2 * third;
    let scaled = product * 2f64.powi(third) * 2f64.powi(third) * 2f64.powi(last);
    step64(product, (exact - scaled) + rest, rounding)
}

/// A finite number as a fraction in [1, 2), with its sign, and an exponent.
fn split64(value: f64) -> (f64, i32) {
    let is_subnormal = value.abs() < f64::MIN_POSITIVE;
    let scaled = if is_subnormal { value * 2f64.powi(64) } else { value };
    let bits = scaled.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    let fraction = f64::from_bits(bits & !(0x7ff << 52) | 1023 << 52);
    (fraction, if is_subnormal { exponent - 64 } else { exponent })
}

/// Rounds to an integer value, as `cvt.rni` and its like do.
#[inline(always)]
pub(crate) fn integral64(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => value.round_ties_even(),
        Rounding::NearestAway => value.round(),
        Rounding::Zero => value.trunc(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Directed results bracket the exact one: adjacent when it is not representable, equal when it is.
    #[test]
    fn directed_results_bracket_the_nearest() {
        let values =
            [0.0f32, -0.0, 1.0, -1.0, 1.5e-45, 3.0e38, -7.25, 1.0e-20, 0.1, 16_777_217.0, f32::MIN_POSITIVE];
        for a in values {
            for b in values {
                for f in [add32, mul32, div32] {
                    let [n, z, d, u] =
                        [Rounding::Nearest, Rounding::Zero, Rounding::Down, Rounding::Up].map(|r| f(a, b, r));
                    if n.is_nan() {
                        continue;
                    }
                    assert!(d <= n && n <= u, "{a} {b}: {d} {n} {u}");
                    assert!(d == u || d.next_up() == u, "{a} {b}: {d} {u}");
                    assert_eq!(z, if n > 0.0 || u > 0.0 { d } else { u }, "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn nearest_equals_the_native_operation() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f32::from_bits((state >> 32) as u32)
        };
        for _ in 0..200_000 {
            let (a, b, c) = (next(), next(), next());
            let r = Rounding::Nearest;
            assert_eq!(add32(a, b, r).to_bits(), (a + b).canonical().to_bits());
            assert_eq!(mul32(a, b, r).to_bits(), (a * b).canonical().to_bits());
            assert_eq!(div32(a, b, r).to_bits(), (a / b).canonical().to_bits());
            assert_eq!(sqrt32(a, r).to_bits(), a.sqrt().canonical().to_bits());
            assert_eq!(fma32(a, b, c, r).to_bits(), a.mul_add(b, c).canonical().to_bits(), "{a} {b} {c}");
        }
    }

    #[test]
    fn directed_products_of_doubles() {
        let tiny = f64::from_bits(1);
        let cases = [
            (tiny, tiny, 0.0, tiny),
            (-tiny, tiny, -tiny, -0.0),
            (tiny, 0.5, 0.0, tiny),
            (tiny, 3.0, 3.0 * tiny, 3.0 * tiny),
            (f64::MAX, 2.0, f64::MAX, f64::INFINITY),
            (1.1, 1.1, 1.2100000000000002, 1.2100000000000004),
            (1e-160, 1.1e-160, 1.1e-320, 1.1e-320 + tiny),
        ];
        for (a, b, down, up) in cases {
            let found = (mul64(a, b, Rounding::Down), mul64(a, b, Rounding::Up));
            assert_eq!(
                (found.0.to_bits(), found.1.to_bits()),
                (down.to_bits(), up.to_bits()),
                "{a:e} {b:e} {found:?}"
            );
        }
    }

    #[test]
    fn minimum_orders_zeros_and_skips_nan() {
        assert_eq!((-0.0f32).lesser(0.0).to_bits(), (-0.0f32).to_bits());
        assert_eq!(0.0f32.greater(-0.0).to_bits(), 0);
        assert_eq!(f32::NAN.lesser(2.0), 2.0);
        assert_eq!(2.0f64.greater(f64::NAN), 2.0);
        assert_eq!(f32::from_bits(0xffc0_0001).lesser(f32::NAN).to_bits(), 0x7fff_ffff);
        assert_eq!((-1e-40f32).flush().to_bits(), 0x8000_0000);
        assert_eq!(f32::NAN.saturate().to_bits(), 0);
    }
}
