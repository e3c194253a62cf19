//! The error of a result against the exact one, and the worst of many.

/// The worst result of a function.
#[derive(Clone, Copy, Debug, Default)]
pub struct Worst {
    /// The error: for f32 in ulp of the exact value, for f64 in steps from the correctly rounded one.
    pub error: f64,
    /// The arguments.
    pub at: [f64; 2],
    /// Number of results that are a NaN, an infinity or a zero of a sign where the exact one is not, or the other way round.
    pub wrong_specials: u64,
    /// Number of results.
    pub count: u64,
}

impl Worst {
    /// Takes in one more error.
    pub fn add(&mut self, at: [f64; 2], error: f64) {
        self.count += 1;
        if error.is_infinite() {
            if self.wrong_specials == 0 {
                self.at = at;
            }
            self.wrong_specials += 1;
        } else if error > self.error && self.wrong_specials == 0 {
            (self.error, self.at) = (error, at);
        }
    }

    /// The worst of both.
    pub fn or(self, other: Worst) -> Worst {
        let worse = (other.wrong_specials, other.error) > (self.wrong_specials, self.error);
        let mut worst = if worse { other } else { self };
        worst.wrong_specials = self.wrong_specials + other.wrong_specials;
        worst.count = self.count + other.count;
        worst
    }
}

/// Of an f32 in ulp of the exact value; infinite when a NaN, an infinity or the sign of a zero is wrong.
pub fn of_f32(got: f32, want: f64) -> f64 {
    let limit = 2f64.powi(128);
    if want.is_nan() || got.is_nan() {
        return if want.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if (got == 0.0 || want == 0.0)
        && (got.is_sign_negative() != want.is_sign_negative() || (want == 0.0 && got != 0.0))
    {
        return f64::INFINITY;
    }
    // An infinity counts as 2¹²⁸: right for what rounds to it.
    let got = if got.is_infinite() { limit.copysign(got.into()) } else { got.into() };
    let want = want.clamp(-limit, limit);
    let exponent = ((want.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let unit = exponent.clamp(-126, 127) - 23;
    (got - want).abs() * f64::from_bits(((1023 - unit) as u64) << 52)
}

/// Of an f64 in steps from the correctly rounded value; infinite when a NaN, an infinity or the sign of a zero is wrong.
pub fn of_f64(got: f64, want: f64) -> f64 {
    if want.is_nan() || got.is_nan() {
        return if want.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got.is_sign_negative() != want.is_sign_negative() || (want == 0.0 && got != 0.0) {
        return f64::INFINITY;
    }
    got.to_bits().abs_diff(want.to_bits()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_in_units_of_the_last_place() {
        assert_eq!(of_f32(1.0, 1.0 + 2f64.powi(-24)), 0.5);
        assert_eq!(of_f32(f32::from_bits(1), 0.0), f64::INFINITY);
        assert_eq!(of_f32(0.0, 2f64.powi(-150)), 0.5);
        assert_eq!(of_f32(f32::INFINITY, 1e300), 0.0);
        assert_eq!(of_f32(f32::MAX, 1e300), 1.0);
        assert_eq!(of_f32(-0.0, 0.0), f64::INFINITY);
        assert_eq!(of_f64(1.0, 1.0 - f64::EPSILON), 2.0);
        assert_eq!(of_f64(f64::NAN, f64::NAN), 0.0);
    }

    #[test]
    fn the_worst_is_kept() {
        let mut worst = Worst::default();
        worst.add([1.0, 0.0], 0.5);
        worst.add([2.0, 0.0], 0.75);
        worst.add([3.0, 0.0], f64::INFINITY);
        let other = Worst { error: 3.0, at: [4.0, 0.0], wrong_specials: 0, count: 7 };
        let both = other.or(worst);
        assert_eq!((both.at, both.wrong_specials, both.count), ([3.0, 0.0], 1, 10));
    }
}
