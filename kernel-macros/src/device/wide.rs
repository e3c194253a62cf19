
impl u128 {
    pub const fn is_power_of_two(self) -> bool {
        self.count_ones() == 1
    }
    const fn cannot_divide(self, b: u128) -> bool {
        b.lo | b.hi == 0
    }
    const fn overflows_divided_by(self, b: u128) -> bool {
        false
    }
    pub const fn div_euclid(self, b: u128) -> u128 {
        self / b
    }
    pub const fn rem_euclid(self, b: u128) -> u128 {
        self % b
    }
    pub const fn div_ceil(self, b: u128) -> u128 {
        let q = self / b;
        if q * b == self { q } else { q + u128 { lo: 1, hi: 0 } }
    }
    pub const fn abs_diff(self, b: u128) -> u128 {
        if self.less(b) { b - self } else { self - b }
    }
    pub const fn checked_mul(self, b: u128) -> Option<u128> {
        if self.hi != 0 && b.hi != 0 {
            return None;
        }
        let over = self.hi.mul_hi(b.lo) | self.lo.mul_hi(b.hi);
        let crossed = self.lo.wrapping_mul(b.hi) | self.hi.wrapping_mul(b.lo);
        let hi = self.lo.mul_hi(b.lo).wrapping_add(crossed);
        if over != 0 || hi < crossed { None } else { Some(u128 { lo: self.lo.wrapping_mul(b.lo), hi }) }
    }
    pub const fn saturating_add(self, b: u128) -> u128 {
        self.checked_add(b).unwrap_or(u128::MAX)
    }
    pub const fn saturating_sub(self, b: u128) -> u128 {
        self.checked_sub(b).unwrap_or(u128::MIN)
    }
    pub const fn saturating_mul(self, b: u128) -> u128 {
        self.checked_mul(b).unwrap_or(u128::MAX)
    }
}

impl i128 {
    /// By zero, or the least by -1.
    const fn cannot_divide(self, b: i128) -> bool {
        b.lo | b.hi == 0 || self.overflows_divided_by(b)
    }
    /// The least by -1.
    const fn overflows_divided_by(self, b: i128) -> bool {
        b.lo & b.hi == !0 && self.lo == 0 && self.hi == 1 << 63
    }
    pub const fn div_euclid(self, b: i128) -> i128 {
        let q = self / b;
        let one = i128 { lo: 1, hi: 0 };
        if !(self - q * b).is_negative() {
            q
        } else if b.is_negative() {
            q + one
        } else {
            q - one
        }
    }
    pub const fn rem_euclid(self, b: i128) -> i128 {
        let r = self % b;
        if r.is_negative() { r + b.abs() } else { r }
    }
    pub const fn abs_diff(self, b: i128) -> u128 {
        let diff = if self.less(b) { b - self } else { self - b };
        u128 { lo: diff.lo, hi: diff.hi }
    }
    pub const fn checked_neg(self) -> Option<i128> {
        if self.lo == 0 && self.hi == 1 << 63 { None } else { Some(-self) }
    }
    pub const fn checked_abs(self) -> Option<i128> {
        if self.is_negative() { self.checked_neg() } else { Some(self) }
    }
    pub const fn wrapping_abs(self) -> i128 {
        self.abs()
    }
    pub const fn checked_mul(self, b: i128) -> Option<i128> {
        let negative = self.is_negative() != b.is_negative();
        match self.unsigned_abs().checked_mul(b.unsigned_abs()) {
            Some(abs) => {
                let abs = i128 { lo: abs.lo, hi: abs.hi };
                let product = if negative { -abs } else { abs };
                if product.is_negative() == negative || abs.lo | abs.hi == 0 { Some(product) } else { None }
            }
            None => None,
        }
    }
    pub const fn saturating_add(self, b: i128) -> i128 {
        self.checked_add(b).unwrap_or(if self.is_negative() { i128::MIN } else { i128::MAX })
    }
    pub const fn saturating_sub(self, b: i128) -> i128 {
        self.checked_sub(b).unwrap_or(if self.is_negative() { i128::MIN } else { i128::MAX })
    }
    pub const fn saturating_mul(self, b: i128) -> i128 {
        let negative = self.is_negative() != b.is_negative();
        self.checked_mul(b).unwrap_or(if negative { i128::MIN } else { i128::MAX })
    }
    pub const fn abs(self) -> i128 {
        if self.is_negative() { -self } else { self }
    }
    pub const fn unsigned_abs(self) -> u128 {
        let abs = self.abs();
        u128 { lo: abs.lo, hi: abs.hi }
    }
    pub const fn is_negative(self) -> bool {
        (self.hi as i64) < 0
    }
    pub const fn is_positive(self) -> bool {
        (self.hi as i64) >= 0 && self.hi | self.lo != 0
    }
    pub const fn signum(self) -> i128 {
        if self.is_negative() {
            i128 { lo: !0, hi: !0 }
        } else {
            i128 { lo: (self.hi | self.lo != 0) as u64, hi: 0 }
        }
    }
}

impl Neg for i128 {
    type Output = i128;
    fn neg(self) -> i128 {
        i128 { lo: 0, hi: 0 } - self
    }
}

impl From<i8> for i128 {
    fn from(v: i8) -> i128 {
        int_as_i128(v)
    }
}
impl From<i16> for i128 {
    fn from(v: i16) -> i128 {
        int_as_i128(v)
    }
}
impl From<i32> for i128 {
    fn from(v: i32) -> i128 {
        int_as_i128(v)
    }
}
impl From<i64> for i128 {
    fn from(v: i64) -> i128 {
        int_as_i128(v)
    }
}

/// `(2^128 - 1) / d - 2^64` for a `d` whose upper bit is set, by Newton's iterations from a quotient of 11 bits (Möller and Granlund, "Improved
/// division by invariant integers", 2011, algorithm 3).
fn wide_reciprocal(d: u64) -> u64 {
    let d40 = (d >> 24) + 1;
    let d63 = (d >> 1) + (d & 1);
    let v0 = (0x7_fd00u32 / (d >> 55) as u32) as u64;
    let v1 = (v0 << 11) - (v0 * v0 * d40 >> 40) - 1;
    let v2 = (v1 << 13) + (v1 * ((1 << 60) - v1 * d40) >> 47);
    let half = if d & 1 == 1 { v2 >> 1 } else { 0 };
    let e = half.wrapping_sub(v2.wrapping_mul(d63));
    let v3 = (v2 << 31).wrapping_add(v2.mul_hi(e) >> 1);
    let low = v3.wrapping_mul(d);
    let carry = if low.wrapping_add(d) < low { 1 } else { 0 };
    v3.wrapping_sub(v3.mul_hi(d).wrapping_add(d).wrapping_add(carry))
}

/// Quotient and remainder of `hi:lo` by `d`, whose upper bit is set, where `hi < d`, with the reciprocal of `d` (algorithm 4).
fn wide_digit(hi: u64, lo: u64, d: u64, reciprocal: u64) -> (u64, u64) {
    let below = reciprocal.wrapping_mul(hi).wrapping_add(lo);
    let carry = if below < lo { 1 } else { 0 };
    let mut q = reciprocal.mul_hi(hi).wrapping_add(hi).wrapping_add(carry).wrapping_add(1);
    let mut rest = lo.wrapping_sub(q.wrapping_mul(d));
    if rest > below {
        q = q.wrapping_sub(1);
        rest = rest.wrapping_add(d);
    }
    if rest >= d {
        q = q.wrapping_add(1);
        rest -= d;
    }
    (q, rest)
}

/// Quotient and remainder.
fn wide_divide(a: u128, b: u128) -> (u128, u128) {
    if b.hi == 0 {
        if b.lo == 0 {
            panic!("attempt to divide by zero");
        }
        let n = b.lo.leading_zeros();
        let d = b.lo << n;
        let reciprocal = wide_reciprocal(d);
        // The dividend has three words then.
        let top = a.hi >> 1 >> (63 - n);
        let shifted = a << n;
        let (hi, rest) = wide_digit(top, shifted.hi, d, reciprocal);
        let (lo, rest) = wide_digit(rest, shifted.lo, d, reciprocal);
        return (u128 { lo, hi }, u128 { lo: rest >> n, hi: 0 });
    }
    let n = b.hi.leading_zeros();
    let half = a >> 1u32;
    let d = (b << n).hi;
    let (q, _) = wide_digit(half.hi, half.lo, d, wide_reciprocal(d));
    let q = q >> (63 - n);
    let mut q = u128 { lo: if q == 0 { 0 } else { q - 1 }, hi: 0 };
    let mut rest = a - q * b;
    if !rest.less(b) {
        rest = rest - b;
        q.lo += 1;
    }
    (q, rest)
}

impl Div for u128 {
    type Output = u128;
    fn div(self, b: u128) -> u128 {
        wide_divide(self, b).0
    }
}
impl Rem for u128 {
    type Output = u128;
    fn rem(self, b: u128) -> u128 {
        wide_divide(self, b).1
    }
}
impl Div for i128 {
    type Output = i128;
    fn div(self, b: i128) -> i128 {
        assert!(!self.overflows_divided_by(b), "attempt to divide with overflow");
        let q = u128_as_i128(wide_divide(self.unsigned_abs(), b.unsigned_abs()).0);
        if self.is_negative() != b.is_negative() { -q } else { q }
    }
}
impl Rem for i128 {
    type Output = i128;
    fn rem(self, b: i128) -> i128 {
        assert!(!self.overflows_divided_by(b), "attempt to calculate the remainder with overflow");
        let r = u128_as_i128(wide_divide(self.unsigned_abs(), b.unsigned_abs()).1);
        if self.is_negative() { -r } else { r }
    }
}

/// The upper 64 significant bits with the rest in the last are rounded once, by the conversion of a `u64`.
fn u128_as_float<T: Float>(v: u128) -> T {
    if v.hi == 0 {
        return v.lo as T;
    }
    let n = v.hi.leading_zeros();
    let top = v << n;
    let mut scaled = (top.hi | (top.lo != 0) as u64) as T;
    let mut left = 64 - n;
    while left > 0 {
        scaled = scaled + scaled;
        left -= 1;
    }
    scaled
}
fn i128_as_float<T: Float>(v: i128) -> T {
    let abs: T = u128_as_float(v.unsigned_abs());
    if v.is_negative() { -abs } else { abs }
}

/// Towards zero, within the bounds of the type; 0 for what is no number. A float below 2^128 has all of its digits above or below 2^64
/// after they are taken apart.
fn float_as_u128<T: Float>(v: T) -> u128 {
    let word = u64::MAX as T;
    if v >= word * word {
        return u128::MAX;
    }
    if v < word {
        return u128 { lo: v as u64, hi: 0 };
    }
    let hi = (v / word) as u64;
    u128 { lo: (v - hi as T * word) as u64, hi }
}
fn float_as_i128<T: Float>(v: T) -> i128 {
    let most = (1u64 << 63) as T * u64::MAX as T;
    if v >= most {
        return i128::MAX;
    }
    if v <= -most {
        return i128::MIN;
    }
    let abs = u128_as_i128(float_as_u128(if v < T::ZERO { -v } else { v }));
    if v < T::ZERO { -abs } else { abs }
}
