//! `asin`, `acos`, `atan` and `atan2` for f32.
//!
//! Minimax polynomials (Sollya's `fpminimax`) on [0, 9/16] for the arcsine, [0, 1] for the arctangent, reached by
//! asin x = π/2 − 2·asin √((1 − x)/2) and atan x = π/2 − atan 1/x (Cody and Waite, chapters 10 and 11).

use super::vocabulary::*;

/// asin s / s − 1 for z = s², 0 ≤ s ≤ 9/16.
pub fn asin_poly_f32(z: f32) -> f32 {
    let p = 0.047493175_f32;
    let p = p.mul_add(z, 0.006735486);
    let p = p.mul_add(z, 0.03401266);
    let p = p.mul_add(z, 0.04423199);
    let p = p.mul_add(z, 0.075020984);
    let p = p.mul_add(z, 0.16666631);
    p * z
}

/// The arcsine.
pub fn asin_f32(x: f32) -> f32 {
    let a = x.abs();
    let large = a > 0.5625;
    let z = if large { a.mul_add(-0.5, 0.5) } else { a * a };
    let s = if large { z.sqrt() } else { a };
    let r = asin_poly_f32(z).mul_add(s, s);
    // π/2 as a product of two floats, exact to 2⁻⁴⁵.
    let r = if large { 0.93318945_f32.mul_add(1.6832556, -(r + r)) } else { r };
    r.copysign(x)
}

/// The arccosine.
pub fn acos_f32(x: f32) -> f32 {
    let a = x.abs();
    let large = a > 0.5625;
    let z = if large { a.mul_add(-0.5, 0.5) } else { a * a };
    // acos x = c − t·(1 + p): t = x up to 9/16, ±2√z above.
    let s = if large { z.sqrt() } else { a };
    let s = if large { s + s } else { s };
    let p = asin_poly_f32(z);
    let t = if large == (x < 0.0) { s } else { -s };
    let r = p.mul_add(t, t);
    let c = if large { 0.0 } else { 0.93318945_f32 };
    let c = if large && x < 0.0 { 2.0 * 0.93318945_f32 } else { c };
    c.mul_add(1.6832556, -r)
}

/// The arctangent of 0 ≤ a ≤ 1.
pub fn atan_unit_f32(a: f32) -> f32 {
    let z = a * a;
    let p = -0.001791502_f32;
    let p = p.mul_add(z, 0.010904537);
    let p = p.mul_add(z, -0.031157766);
    let p = p.mul_add(z, 0.0579358);
    let p = p.mul_add(z, -0.08402056);
    let p = p.mul_add(z, 0.109516546);
    let p = p.mul_add(z, -0.14264126);
    let p = p.mul_add(z, 0.19998536);
    let p = p.mul_add(z, -0.333333);
    let p = p * z;
    p.mul_add(a, a)
}

/// The arctangent.
pub fn atan_f32(x: f32) -> f32 {
    let a = x.abs();
    let large = a > 1.0;
    let r = atan_unit_f32(if large { fast::recip_ftz(a) } else { a });
    let r = if large { 0.93318945_f32.mul_add(1.6832556, -r) } else { r };
    r.copysign(x)
}

/// The angle of the point (x, y).
pub fn atan2_f32(y: f32, x: f32) -> f32 {
    let ax = x.abs();
    let ay = y.abs();
    let high = ax.max(ay);
    let low = ax.min(ay);
    // The equal ones are 1 even if infinite, and 0 / 0 counts as 0.
    let t = if low == high { 1.0 } else { low / high };
    let t = if high == 0.0 { 0.0 } else { t };
    let r = atan_unit_f32(t);
    // c·π/2 ± r
    let steep = ay > ax;
    let left = (x.to_bits() >> 31) != 0;
    let c = if left { 2.0 } else { 0.0 };
    let c = if steep { 1.0 } else { c };
    let r = if steep != left { -r } else { r };
    let r = if c == 0.0 { r } else { (c * 0.93318945_f32).mul_add(1.6832556, r) };
    let r = if x.is_nan() || y.is_nan() { f32::NAN } else { r };
    r.copysign(y)
}
