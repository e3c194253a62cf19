//! `asin`, `acos`, `atan` and `atan2` for f64: as for f32, with longer polynomials.

/// asin s / s − 1 for z = s², 0 ≤ s ≤ 9/16.
pub fn asin_poly_f64(z: f64) -> f64 {
    let p = 0.05984899368320086_f64;
    let p = p.mul_add(z, -0.07681517838179971);
    let p = p.mul_add(z, 0.06867418979897634);
    let p = p.mul_add(z, -0.021713010776337225);
    let p = p.mul_add(z, 0.01750309517811196);
    let p = p.mul_add(z, 0.007760077710887823);
    let p = p.mul_add(z, 0.011864109325301032);
    let p = p.mul_add(z, 0.013930240884438075);
    let p = p.mul_add(z, 0.01735544789503067);
    let p = p.mul_add(z, 0.02237201773327385);
    let p = p.mul_add(z, 0.03038194924898768);
    let p = p.mul_add(z, 0.04464285704625697);
    let p = p.mul_add(z, 0.07500000000098005);
    let p = p.mul_add(z, 0.1666666666666632);
    p * z
}

/// The arcsine.
pub fn asin_f64(x: f64) -> f64 {
    let a = x.abs();
    let large = a > 0.5625;
    let z = if large { a.mul_add(-0.5, 0.5) } else { a * a };
    let s = if large { z.sqrt() } else { a };
    let r = asin_poly_f64(z).mul_add(s, s);
    // π/2 as a product of two floats, exact to 2⁻⁶⁸.
    let r = if large { 0.8397861366024852_f64.mul_add(1.8704718479276787, -(r + r)) } else { r };
    r.copysign(x)
}

/// The arccosine.
pub fn acos_f64(x: f64) -> f64 {
    let a = x.abs();
    let large = a > 0.5625;
    let z = if large { a.mul_add(-0.5, 0.5) } else { a * a };
    // acos x = c − t·(1 + p): t = x up to 9/16, ±2√z above.
    let s = if large { z.sqrt() } else { a };
    let s = if large { s + s } else { s };
    let p = asin_poly_f64(z);
    let t = if large == (x < 0.0) { s } else { -s };
    let r = p.mul_add(t, t);
    let c = if large { 0.0 } else { 0.8397861366024852_f64 };
    let c = if large && x < 0.0 { 2.0 * 0.8397861366024852_f64 } else { c };
    c.mul_add(1.8704718479276787, -r)
}

/// The arctangent of 0 ≤ a ≤ 1.
pub fn atan_unit_f64(a: f64) -> f64 {
    let z = a * a;
    let p = 1.3230091772371405e-05_f64;
    let p = p.mul_add(z, -0.00015221219870193814);
    let p = p.mul_add(z, 0.0008315652318609962);
    let p = p.mul_add(z, -0.002885627889651036);
    let p = p.mul_add(z, 0.00719792575897647);
    let p = p.mul_add(z, -0.013902640588944897);
    let p = p.mul_add(z, 0.021987149042429332);
    let p = p.mul_add(z, -0.0299058087635479);
    let p = p.mul_add(z, 0.036643201134804834);
    let p = p.mul_add(z, -0.042192457555029254);
    let p = p.mul_add(z, 0.047223492737180406);
    let p = p.mul_add(z, -0.052535270812955864);
    let p = p.mul_add(z, 0.058805298846729526);
    let p = p.mul_add(z, -0.06666404438129865);
    let p = p.mul_add(z, 0.07692279891000552);
    let p = p.mul_add(z, -0.09090907008003227);
    let p = p.mul_add(z, 0.1111111100735493);
    let p = p.mul_add(z, -0.1428571428258855);
    let p = p.mul_add(z, 0.19999999999951756);
    let p = p.mul_add(z, -0.3333333333333307);
    let p = p * z;
    p.mul_add(a, a)
}

/// The arctangent.
pub fn atan_f64(x: f64) -> f64 {
    let a = x.abs();
    let large = a > 1.0;
    let r = atan_unit_f64(if large { a.recip() } else { a });
    let r = if large { 0.8397861366024852_f64.mul_add(1.8704718479276787, -r) } else { r };
    r.copysign(x)
}

/// The angle of the point (x, y).
pub fn atan2_f64(y: f64, x: f64) -> f64 {
    let ax = x.abs();
    let ay = y.abs();
    let high = ax.max(ay);
    let low = ax.min(ay);
    // The equal ones are 1 even if infinite, and 0 / 0 counts as 0.
    let t = if low == high { 1.0 } else { low / high };
    let t = if high == 0.0 { 0.0 } else { t };
    let r = atan_unit_f64(t);
    // c·π/2 ± r
    let steep = ay > ax;
    let left = (x.to_bits() >> 63) != 0;
    let c = if left { 2.0 } else { 0.0 };
    let c = if steep { 1.0 } else { c };
    let r = if steep != left { -r } else { r };
    let r = if c == 0.0 { r } else { (c * 0.8397861366024852_f64).mul_add(1.8704718479276787, r) };
    let r = if x.is_nan() || y.is_nan() { f64::NAN } else { r };
    r.copysign(y)
}
