//! Operations whose results on the GPU differ in something from those of Rust's own of the same name.

/// `f32` and `f64`.
pub trait Float: super::Scalar + PartialOrd {
    /// Whether it is not a number.
    fn is_nan(self) -> bool;
    /// Whether its sign bit is set.
    fn is_negative(self) -> bool;
    /// `self * b + c`, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
}

macro_rules! floats {
    ($($ty:ident)*) => {$(
        impl Float for $ty {
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            fn is_negative(self) -> bool {
                self.is_sign_negative()
            }
            fn fma(self, b: $ty, c: $ty) -> $ty {
                self.mul_add(b, c)
            }
        }
    )*};
}
floats! { f32 f64 }

/// The operand that is not NaN, or the smaller one; −0 is below +0 (PTX ISA, `min`).
pub fn min<T: Float>(a: T, b: T) -> T {
    if a.is_nan() || b < a || (a == b && b.is_negative()) { b } else { a }
}

/// The operand that is not NaN, or the larger one; −0 is below +0 (PTX ISA, `max`).
pub fn max<T: Float>(a: T, b: T) -> T {
    if a.is_nan() || b > a || (a == b && a.is_negative()) { b } else { a }
}

/// `max` with `low`, then `min` with `high`; NaN stays.
pub fn clamp<T: Float>(value: T, low: T, high: T) -> T {
    if value.is_nan() { value } else { min(max(value, low), high) }
}

/// `a * b + c`, rounded once.
pub fn mul_add<T: Float>(a: T, b: T, c: T) -> T {
    a.fma(b, c)
}

/// [`mul_add`] with the summand evaluated first: what `c + a * b` becomes.
pub fn add_mul<T: Float>(c: T, a: T, b: T) -> T {
    a.fma(b, c)
}

/// The argument of `step_by`, checked here so that the panic's place is the kernel's and not the standard library's.
///
/// # Panics
/// If it is zero, with the message of `step_by`.
#[track_caller]
pub fn step(step: usize) -> usize {
    assert!(step != 0, "assertion failed: step != 0");
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum_and_maximum_are_those_of_ptx() {
        assert_eq!(min(f32::NAN, 1.0), 1.0);
        assert_eq!(min(1.0, f32::NAN), 1.0);
        assert_eq!(max(f64::NAN, -1.0), -1.0);
        assert!(min(f32::NAN, f32::NAN).is_nan());
        assert!(min(0.0f32, -0.0).is_sign_negative() && min(-0.0f32, 0.0).is_sign_negative());
        assert!(max(0.0f32, -0.0).is_sign_positive() && max(-0.0f32, 0.0).is_sign_positive());
        assert_eq!((min(2.0f32, 3.0), max(2.0f64, 3.0)), (2.0, 3.0));
    }

    #[test]
    fn clamping_keeps_nan_and_prefers_the_upper_end() {
        assert!(clamp(f32::NAN, 0.0, 1.0).is_nan());
        assert_eq!(clamp(5.0f32, 0.0, 1.0), 1.0);
        assert_eq!(clamp(0.5f32, 2.0, 1.0), 1.0);
    }
}
