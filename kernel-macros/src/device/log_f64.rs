//! `ln`, `log2`, `log10`, `ln_1p` and `log` to any base for f64.
//!
//! x = 2ⁱ·m with m in [√½, √2), i and m by integer arithmetic on the bits, and ln m = u + u³/12 + … in
//! u = 2(m − 1)/(m + 1) with the division's error added back (Tang, *Table-driven implementation of the logarithm
//! function*, 1990, without the table); the series as a minimax polynomial (Sollya's `fpminimax`).

/// x, or x · 2⁵⁴ where x is below the normal range.
pub fn log_normal_f64(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE { x * 18014398509481984.0 } else { x }
}

/// The high word of the bits of 2ⁱ less that of 1, for a normal x = 2ⁱ·m: i · 2²⁰.
pub fn log_exponent_f64(x: f64) -> i32 {
    ((x.to_bits() >> 32) as i32).wrapping_sub(0x3fe6a09e) & (0xfff00000_u32 as i32)
}

/// The i of x = 2ⁱ·m, from [`log_exponent_f64`] of [`log_normal_f64`].
pub fn log_integer_f64(x: f64, e: i32) -> f64 {
    let i = e >> 20;
    let i = if x < f64::MIN_POSITIVE { i.wrapping_sub(54) } else { i };
    i as f64
}

/// x · 2⁻ⁱ for the i of an exponent i · 2²⁰.
pub fn log_unscale_f64(x: f64, e: i32) -> f64 {
    f64::from_bits(x.to_bits().wrapping_sub((e as u32 as u64) << 32))
}

/// ln(1 + f) less its first term u = 2f/(2 + f) as rounded, for r = 1/(2 + f).
pub fn log_tail_f64(f: f64, u: f64, r: f64) -> f64 {
    let d = f - u;
    let u_low = u.mul_add(-f, d + d) * r;
    let z = u * u;
    let p = 4.515290947546331e-06_f64;
    let p = p.mul_add(z, 1.8693945868698475e-05);
    let p = p.mul_add(z, 8.878692830720347e-05);
    let p = p.mul_add(z, 0.0004340273165157642);
    let p = p.mul_add(z, 0.002232142870469485);
    let p = p.mul_add(z, 0.012499999999817732);
    let p = p.mul_add(z, 0.08333333333333418);
    (u * z).mul_add(p, u_low)
}

/// `r` for positive finite x, the special value of a logarithm for any other.
pub fn log_special_f64(x: f64, r: f64) -> f64 {
    // −∞ + ∞ for what is negative.
    let r = if x.to_bits() >= 0x7ff0000000000000 { x.mul_add(f64::INFINITY, f64::INFINITY) } else { r };
    if x == 0.0 { -f64::INFINITY } else { r }
}

/// The natural logarithm.
pub fn ln_f64(x: f64) -> f64 {
    let a = log_normal_f64(x);
    let e = log_exponent_f64(a);
    let i = log_integer_f64(x, e);
    let f = log_unscale_f64(a, e) - 1.0;
    let r = (f + 2.0).recip();
    let u = (f + f) * r;
    let tail = log_tail_f64(f, u, r);
    // ln 2 in two parts: i times the first, of 40 bits, is exact.
    let sum = i.mul_add(0.6931471805592082, u);
    let rest = u + i.mul_add(0.6931471805592082, -sum);
    let low = i.mul_add(7.371002565167799e-13, tail + rest);
    log_special_f64(x, sum + low)
}

/// The logarithm to base 2.
pub fn log2_f64(x: f64) -> f64 {
    let a = log_normal_f64(x);
    let e = log_exponent_f64(a);
    let i = log_integer_f64(x, e);
    let f = log_unscale_f64(a, e) - 1.0;
    let r = (f + 2.0).recip();
    let u = (f + f) * r;
    let tail = log_tail_f64(f, u, r);
    // log₂ e in two parts.
    let high = u * 1.4426950408889634;
    let low = u.mul_add(1.4426950408889634, -high);
    let low = tail.mul_add(1.4426950408889634, u.mul_add(2.0355273740931033e-17, low));
    let sum = i + high;
    let rest = (i - sum) + high;
    log_special_f64(x, sum + (low + rest))
}

/// The logarithm to base 10.
pub fn log10_f64(x: f64) -> f64 {
    let a = log_normal_f64(x);
    let e = log_exponent_f64(a);
    let i = log_integer_f64(x, e);
    let f = log_unscale_f64(a, e) - 1.0;
    let r = (f + 2.0).recip();
    let u = (f + f) * r;
    let tail = log_tail_f64(f, u, r);
    // log₁₀ e and log₁₀ 2 in two parts each.
    let high = u * 0.4342944819032518;
    let low = u.mul_add(0.4342944819032518, -high);
    let low = tail.mul_add(0.4342944819032518, u.mul_add(1.098319650216765e-17, low));
    let sum = i.mul_add(0.30102999566361177, high);
    let rest = high + i.mul_add(0.30102999566361177, -sum);
    let low = i.mul_add(3.694239077158931e-13, low + rest);
    log_special_f64(x, sum + low)
}

/// ln(1 + x).
pub fn ln_1p_f64(x: f64) -> f64 {
    ln_1p_sum_f64(x, 0.0)
}

/// ln(1 + x + low) for |low| below the last place of x.
pub fn ln_1p_sum_f64(x: f64, low: f64) -> f64 {
    // 1 + x = 2ⁱ(1 + f), so f = x·2⁻ⁱ + (2⁻ⁱ − 1), and what that sum loses.
    let e = log_exponent_f64(1.0 + x);
    let i = (e >> 20) as f64;
    let scaled = log_unscale_f64(x, e);
    let offset = log_unscale_f64(4.0, e).mul_add(0.25, -1.0);
    let f = scaled + offset;
    let f_back = f - offset;
    let f_low = (scaled - f_back) + (offset - (f - f_back));
    let r = (f + 2.0).recip();
    let u = (f + f) * r;
    // The derivative, 1/(1 + f), matters only where f is small and low counts: there it is about 1.
    let f_low = low.mul_add(log_unscale_f64(4.0, e) * 0.25, f_low);
    let tail = log_tail_f64(f, u, r) + f_low;
    let sum = i.mul_add(0.6931471805592082, u);
    let rest = u + i.mul_add(0.6931471805592082, -sum);
    let low = i.mul_add(7.371002565167799e-13, tail + rest);
    let r = sum + low;
    let r = if x > -1.0 && x < f64::INFINITY { r } else { x.mul_add(f64::INFINITY, f64::INFINITY) };
    let r = if x == -1.0 { -f64::INFINITY } else { r };
    if x.abs() < 1e-300 { x } else { r }
}

/// The logarithm of x to a base, as a quotient of natural ones, like Rust's.
pub fn log_f64(x: f64, base: f64) -> f64 {
    ln_f64(x) / ln_f64(base)
}
