//! `ln`, `log2`, `log10`, `ln_1p` and `log` to any base for f32.
//!
//! x = 2ⁱ·m with m in [2/3, 4/3), i and m by integer arithmetic on the bits; the logarithm of m is a minimax polynomial
//! (Sollya's `fpminimax`) in m − 1.

/// x, or x · 2²³ where x is below the normal range.
pub fn log_normal_f32(x: f32) -> f32 {
    if x < f32::MIN_POSITIVE { x * 8388608.0 } else { x }
}

/// The bits of 2ⁱ below those of 1 for a normal x = 2ⁱ·m: i · 2²³.
pub fn log_exponent_f32(x: f32) -> i32 {
    (x.to_bits() as i32).wrapping_sub(0x3f2aaaab) & (0xff800000_u32 as i32)
}

/// The correction of the binary exponent after [`log_normal_f32`]: −23 below the normal range, else 0.
pub fn log_offset_f32(x: f32) -> f32 {
    if x < f32::MIN_POSITIVE { -23.0 } else { 0.0 }
}

/// `r` for positive finite x, the special value of a logarithm for any other.
pub fn log_special_f32(x: f32, r: f32) -> f32 {
    // −∞ + ∞ for what is negative.
    let r = if x.to_bits() >= 0x7f800000 { x.mul_add(f32::INFINITY, f32::INFINITY) } else { r };
    if x == 0.0 { -f32::INFINITY } else { r }
}

/// The natural logarithm.
pub fn ln_f32(x: f32) -> f32 {
    let a = log_normal_f32(x);
    let e = log_exponent_f32(a);
    let i = (e as f32).mul_add(1.1920929e-7, log_offset_f32(x));
    let f = f32::from_bits((a.to_bits() as i32).wrapping_sub(e) as u32) - 1.0;
    let p = -0.12893032_f32;
    let p = p.mul_add(f, 0.13986897);
    let p = p.mul_add(f, -0.121839724);
    let p = p.mul_add(f, 0.14005306);
    let p = p.mul_add(f, -0.16680506);
    let p = p.mul_add(f, 0.20010446);
    let p = p.mul_add(f, -0.24999797);
    let p = p.mul_add(f, 0.33333215);
    let p = p.mul_add(f, -0.5);
    let s = f * f;
    let p = p.mul_add(s, f);
    log_special_f32(x, i.mul_add(0.6931472, p))
}

/// The logarithm to base 2.
pub fn log2_f32(x: f32) -> f32 {
    let a = log_normal_f32(x);
    // m in [√½, √2) here, so that the sum of i and log₂ m does not cancel below a half.
    let e = (a.to_bits() as i32).wrapping_sub(0x3f3504f3) & (0xff800000_u32 as i32);
    let i = (e as f32).mul_add(1.1920929e-7, log_offset_f32(x));
    let f = f32::from_bits((a.to_bits() as i32).wrapping_sub(e) as u32) - 1.0;
    let p = -0.110205844_f32;
    let p = p.mul_add(f, 0.18655086);
    let p = p.mul_add(f, -0.19115256);
    let p = p.mul_add(f, 0.2045412);
    let p = p.mul_add(f, -0.23959637);
    let p = p.mul_add(f, 0.28857023);
    let p = p.mul_add(f, -0.36069787);
    let p = p.mul_add(f, 0.4808982);
    let p = p.mul_add(f, -0.72134733);
    // log₂ e in two parts.
    let p = p.mul_add(f, 1.925963e-8);
    let p = f.mul_add(1.442695, p * f);
    log_special_f32(x, i + p)
}

/// The logarithm to base 10.
pub fn log10_f32(x: f32) -> f32 {
    let a = log_normal_f32(x);
    // From 1.33356/2 here: the sum of i and log₁₀ m would cancel below 1/8 for x above 4/3.
    let e = (a.to_bits() as i32).wrapping_sub(0x3f2ab218) & (0xff800000_u32 as i32);
    let i = (e as f32).mul_add(1.1920929e-7, log_offset_f32(x));
    let f = f32::from_bits((a.to_bits() as i32).wrapping_sub(e) as u32) - 1.0;
    let p = -0.056203213_f32;
    let p = p.mul_add(f, 0.060809493);
    let p = p.mul_add(f, -0.052849736);
    let p = p.mul_add(f, 0.06080912);
    let p = p.mul_add(f, -0.07244962);
    let p = p.mul_add(f, 0.08690537);
    let p = p.mul_add(f, -0.108572416);
    let p = p.mul_add(f, 0.14476429);
    let p = p.mul_add(f, -0.21714725);
    // log₁₀ e and log₁₀ 2 in two parts each.
    let p = p.mul_add(f, -1.010305e-8);
    let p = f.mul_add(0.4342945, p * f);
    let p = i.mul_add(4.6050390e-6, p);
    log_special_f32(x, i.mul_add(0.30102539, p))
}

/// ln(1 + x).
pub fn ln_1p_f32(x: f32) -> f32 {
    // 1 + x = 2ⁱ(1 + m), so m = x·2⁻ⁱ + (2⁻ⁱ − 1).
    let e = ((1.0 + x).to_bits() as i32).wrapping_sub(0x3f400001) & (0xff800000_u32 as i32);
    let scaled = f32::from_bits((x.to_bits() as i32).wrapping_sub(e) as u32);
    let m = f32::from_bits(0x40800000_i32.wrapping_sub(e) as u32).mul_add(0.25, -1.0) + scaled;
    let i = (e as f32) * 1.1920929e-7;
    let p = -0.045180406_f32;
    let p = p.mul_add(m, 0.10480297);
    let p = p.mul_add(m, -0.13169748);
    let p = p.mul_add(m, 0.14478594);
    let p = p.mul_add(m, -0.16646431);
    let p = p.mul_add(m, 0.19990714);
    let p = p.mul_add(m, -0.25000116);
    let p = p.mul_add(m, 0.33333454);
    let p = p.mul_add(m, -0.5);
    let s = m * m;
    let r = i.mul_add(0.6931472, p.mul_add(s, m));
    let r = if x > -1.0 && x < f32::INFINITY { r } else { x.mul_add(f32::INFINITY, f32::INFINITY) };
    let r = if x == -1.0 { -f32::INFINITY } else { r };
    if x == 0.0 { x } else { r }
}

/// ln(1 + x + low) for 0 ≤ x ≤ ∞ and |low| below the last place of x.
pub fn ln_1p_sum_f32(x: f32, low: f32) -> f32 {
    // 1 + x = 2ⁱ(1 + m), so m = x·2⁻ⁱ + (2⁻ⁱ − 1).
    let e = ((1.0 + x).to_bits() as i32).wrapping_sub(0x3f400001) & (0xff800000_u32 as i32);
    let scaled = f32::from_bits((x.to_bits() as i32).wrapping_sub(e) as u32);
    let unit = 0.25 * f32::from_bits(0x40800000_i32.wrapping_sub(e) as u32);
    let m = (unit - 1.0) + scaled;
    let i = (e as f32) * 1.1920929e-7;
    let p = -0.045180406_f32;
    let p = p.mul_add(m, 0.10480297);
    let p = p.mul_add(m, -0.13169748);
    let p = p.mul_add(m, 0.14478594);
    let p = p.mul_add(m, -0.16646431);
    let p = p.mul_add(m, 0.19990714);
    let p = p.mul_add(m, -0.25000116);
    let p = p.mul_add(m, 0.33333454);
    let p = p.mul_add(m, -0.5);
    let tail = p.mul_add(m * m, low * unit);
    let r = i.mul_add(0.6931472, m + tail);
    if x < f32::INFINITY { r } else { x }
}

/// The logarithm of x to a base, as a quotient of natural ones, like Rust's.
pub fn log_f32(x: f32, base: f32) -> f32 {
    ln_f32(x) / ln_f32(base)
}
