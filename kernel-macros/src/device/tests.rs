//! The device library against the host's: special values exactly, the rest within a bound, on samples.

use syn::spanned::Spanned as _;

use super::library::{FILES, Form, Method, Receiver, files_for, find, methods};
use super::*;
use crate::typed::Scalar;

mod collectives;
mod integers;

/// Inputs that every function is tried at.
const SPECIAL: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    -2.0,
    2.0,
    3.0,
    -3.0,
    10.0,
    0.49999997,
    8388607.5,
    1e-45,
    -1e-45,
    1e-39,
    f32::MIN_POSITIVE as f64,
    f32::MAX as f64,
    f32::MIN as f64,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    16777215.0,
];

/// The error of `got` in ulps of f32; infinite when a NaN, an infinity or the sign of a zero is wrong.
fn ulps_f32(got: f32, want: f64) -> f64 {
    let limit = 2f64.powi(128);
    if want.is_nan() || got.is_nan() {
        return if want.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if (got == 0.0 || want == 0.0)
        && (got.is_sign_negative() != want.is_sign_negative() || want == 0.0 && got != 0.0)
    {
        return f64::INFINITY;
    }
    let got = if got.is_infinite() { limit.copysign(got.into()) } else { got.into() };
    let want = want.clamp(-limit, limit);
    let exponent = (want.abs().to_bits() >> 52) as i32 - 1023;
    (got - want).abs() * 2f64.powi(23 - exponent.clamp(-126, 127))
}

/// The distance of `got` from `want` in ulps of f64; infinite when a NaN, an infinity or the sign of a zero is wrong.
fn ulps_f64(got: f64, want: f64) -> f64 {
    if want.is_nan() || got.is_nan() {
        return if want.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got.is_sign_negative() != want.is_sign_negative() || want == 0.0 && got != 0.0 {
        return f64::INFINITY;
    }
    got.to_bits().abs_diff(want.to_bits()) as f64
}

/// Bit patterns that cover a type evenly, by Weyl's sequence.
fn samples(count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(|i| i.wrapping_mul(0x9e3779b97f4a7c15))
}

#[track_caller]
fn check_f32(f: fn(f32) -> f32, reference: fn(f64) -> f64, bound: f64) {
    let all = SPECIAL.iter().map(|&x| x as f32);
    for x in all.chain(samples(50_000).map(|bits| f32::from_bits((bits >> 32) as u32))) {
        let (got, want) = (f(x), reference(x.into()));
        assert!(ulps_f32(got, want) <= bound, "{x:e}: got {got:e}, expected {want:e}");
    }
}

#[track_caller]
fn check_f32x2(f: fn(f32, f32) -> f32, reference: fn(f64, f64) -> f64, bound: f64) {
    let pairs = SPECIAL.iter().flat_map(|&x| SPECIAL.iter().map(move |&y| (x as f32, y as f32)));
    let random =
        samples(50_000).map(|bits| (f32::from_bits((bits >> 32) as u32), f32::from_bits(bits as u32)));
    let near =
        samples(50_000).map(|bits| ((bits >> 40) as f32 / 1e6, (bits as u32 >> 8) as f32 / 3e5 - 20.0));
    for (x, y) in pairs.chain(random).chain(near) {
        let (got, want) = (f(x, y), reference(x.into(), y.into()));
        assert!(ulps_f32(got, want) <= bound, "{x:e}, {y:e}: got {got:e}, expected {want:e}");
    }
}

/// The host's functions are within about 1 ulp themselves.
#[track_caller]
fn check_f64(f: fn(f64) -> f64, reference: fn(f64) -> f64, bound: f64) {
    let moderate = samples(20_000).map(|bits| (bits >> 11) as f64 * 2f64.powi(-50) - 4.0);
    let all = SPECIAL.iter().copied().chain(samples(20_000).map(f64::from_bits)).chain(moderate);
    for x in all.chain([5e-324, -5e-324, f64::MIN_POSITIVE, f64::MAX, f64::MIN]) {
        let (got, want) = (f(x), reference(x));
        assert!(ulps_f64(got, want) <= bound, "{x:e}: got {got:e}, expected {want:e}");
    }
}

#[track_caller]
fn check_f64x2(f: fn(f64, f64) -> f64, reference: fn(f64, f64) -> f64, bound: f64) {
    let pairs = SPECIAL.iter().flat_map(|&x| SPECIAL.iter().map(move |&y| (x, y)));
    let random = samples(20_000).zip(samples(40_000).skip(20_000));
    let random = random.map(|(x, y)| (f64::from_bits(x), f64::from_bits(y)));
    let near =
        samples(20_000).map(|bits| ((bits >> 40) as f64 / 1e6, (bits as u32 >> 8) as f64 / 3e4 - 250.0));
    for (x, y) in pairs.chain(random).chain(near) {
        let (got, want) = (f(x, y), reference(x, y));
        assert!(ulps_f64(got, want) <= bound, "{x:e}, {y:e}: got {got:e}, expected {want:e}");
    }
}

/// Checks that both give equal bits; any NaN equals any NaN.
#[track_caller]
fn check_exact(f: fn(f32, f32) -> f32, reference: fn(f32, f32) -> f32) {
    let pairs = SPECIAL.iter().flat_map(|&x| SPECIAL.iter().map(move |&y| (x as f32, y as f32)));
    let random =
        samples(50_000).map(|bits| (f32::from_bits((bits >> 32) as u32), f32::from_bits(bits as u32)));
    for (x, y) in pairs.chain(random) {
        let (got, want) = (f(x, y), reference(x, y));
        assert!(
            got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
            "{x:e}, {y:e}: {got:e}, {want:e}"
        );
    }
}

#[test]
fn exponentials_f32() {
    check_f32(exp_f32, f64::exp, 2.0);
    check_f32(exp2_f32, f64::exp2, 2.1);
    check_f32(exp10_f32, |x| 10f64.powf(x), 2.0);
    check_f32(exp_m1_f32, f64::exp_m1, 1.5);
}

#[test]
fn logarithms_f32() {
    check_f32(ln_f32, f64::ln, 1.0);
    check_f32(log2_f32, f64::log2, 1.0);
    check_f32(log10_f32, f64::log10, 1.0);
    check_f32(ln_1p_f32, f64::ln_1p, 1.2);
}

#[test]
fn trigonometry_f32() {
    check_f32(sin_f32, f64::sin, 1.6);
    check_f32(cos_f32, f64::cos, 1.6);
    check_f32(tan_f32, f64::tan, 1.6);
    check_f32(|x| sin_cos_f32(x).0, |x| sin_f32(x as f32).into(), 0.0);
    check_f32(|x| sin_cos_f32(x).1, |x| cos_f32(x as f32).into(), 0.0);
    check_f32(sinpi_f32, sinpi, 1.6);
    check_f32(cospi_f32, cospi, 1.6);
    check_f32(asin_f32, f64::asin, 1.5);
    check_f32(acos_f32, f64::acos, 1.5);
    check_f32(atan_f32, f64::atan, 1.5);
    check_f32x2(atan2_f32, f64::atan2, 2.0);
}

/// sin πx: a whole number of turns and quarters taken off exactly.
fn sinpi(x: f64) -> f64 {
    let turn = (x % 2.0).abs();
    let quarter = (2.0 * turn).round();
    let rest = (turn - 0.5 * quarter) * std::f64::consts::PI;
    let sine = match quarter as i32 {
        0 | 4 => rest.sin(),
        1 => rest.cos(),
        2 => -rest.sin(),
        _ => -rest.cos(),
    };
    if sine == 0.0 {
        sine.abs().copysign(x)
    } else if x < 0.0 {
        -sine
    } else {
        sine
    }
}

/// cos πx, likewise.
fn cospi(x: f64) -> f64 {
    let turn = (x % 2.0).abs();
    let quarter = (2.0 * turn).round();
    let rest = (turn - 0.5 * quarter) * std::f64::consts::PI;
    let cosine = match quarter as i32 {
        0 | 4 => rest.cos(),
        1 => -rest.sin(),
        2 => -rest.cos(),
        _ => rest.sin(),
    };
    if cosine == 0.0 { 0.0 } else { cosine }
}

#[test]
fn hyperbolic_functions_f32() {
    check_f32(sinh_f32, f64::sinh, 1.8);
    check_f32(cosh_f32, f64::cosh, 1.5);
    check_f32(tanh_f32, f64::tanh, 1.7);
    // The host's own asinh and acosh lose small and large arguments.
    check_f32(asinh_f32, |x| if x.abs() < 1e-4 { x * (1.0 - x * x / 6.0) } else { x.asinh() }, 2.0);
    check_f32(acosh_f32, f64::acosh, 2.0);
    check_f32(atanh_f32, f64::atanh, 2.0);
}

#[test]
fn powers_f32() {
    check_f32x2(powf_f32, f64::powf, 1.6);
    check_f32x2(hypot_f32, f64::hypot, 1.0);
    check_f32(cbrt_f32, f64::cbrt, 1.0);
    check_f32(rsqrt_f32, |x| 1.0 / x.sqrt(), 1.6);
    check_f32(rcbrt_f32, |x| 1.0 / x.cbrt(), 1.0);
    check_f32x2(|x, y| norm3d_f32(x, y, 0.5), |x, y| x.hypot(y).hypot(0.5), 1.6);
    for n in [0, 1, -1, 2, -2, 3, -3, 4, 5, -7, 64, 127, -150, 16_777_217, -33_554_435, i32::MAX, i32::MIN] {
        let close = |x: f32| (x.abs().ln() * n as f32).abs() < 120.0 || x.abs() <= 0.0 || x.is_infinite();
        let all = SPECIAL.iter().map(|&x| x as f32);
        for x in all.chain(samples(5000).map(|bits| 1.0 + (bits >> 40) as f32 * 1e-7)).filter(|&x| close(x)) {
            let (got, want) = (powi_f32(x, n), f64::powf(x.into(), n.into()));
            assert!(ulps_f32(got, want) <= 2.0, "{x:e}^{n}: got {got:e}, expected {want:e}");
        }
    }
}

#[test]
fn functions_f64() {
    check_f64(exp_f64, f64::exp, 1.0);
    check_f64(exp2_f64, f64::exp2, 1.0);
    check_f64(exp10_f64, |x| 10f64.powf(x), 2.0);
    check_f64(exp_m1_f64, f64::exp_m1, 2.0);
    check_f64(ln_f64, f64::ln, 1.0);
    check_f64(log2_f64, f64::log2, 1.0);
    check_f64(log10_f64, f64::log10, 2.0);
    check_f64(ln_1p_f64, f64::ln_1p, 2.0);
    check_f64(sin_f64, f64::sin, 2.0);
    check_f64(cos_f64, f64::cos, 2.0);
    check_f64(tan_f64, f64::tan, 2.0);
    check_f64(|x| sin_cos_f64(x).0, sin_f64, 0.0);
    check_f64(|x| sin_cos_f64(x).1, cos_f64, 0.0);
    check_f64(sinpi_f64, sinpi, 2.0);
    check_f64(cospi_f64, cospi, 2.0);
    check_f64(rsqrt_f64, |x| 1.0 / x.sqrt(), 0.0);
    check_f64(rcbrt_f64, |x| 1.0 / x.cbrt(), 2.0);
    check_f64(asin_f64, f64::asin, 2.0);
    check_f64(acos_f64, f64::acos, 2.0);
    check_f64(atan_f64, f64::atan, 2.0);
    check_f64(sinh_f64, f64::sinh, 3.0);
    check_f64(cosh_f64, f64::cosh, 3.0);
    check_f64(tanh_f64, f64::tanh, 3.0);
    // The host's asinh overflows for very large arguments.
    let asinh = |x: f64| if x.abs() > 1e150 { (x.abs().ln() + 2f64.ln()).copysign(x) } else { x.asinh() };
    check_f64(asinh_f64, asinh, 4.0);
    // The host's atanh is inaccurate for negative arguments near −1.
    check_f64(atanh_f64, |x| x.abs().atanh().copysign(x), 4.0);
    check_f64(cbrt_f64, f64::cbrt, 1.0);
    check_f64x2(atan2_f64, f64::atan2, 2.0);
    check_f64x2(|x, y| norm3d_f64(x, y, 0.5), |x, y| x.hypot(y).hypot(0.5), 2.0);
    check_f64x2(powf_f64, f64::powf, 2.0);
    check_f64x2(hypot_f64, f64::hypot, 1.0);
    check_f64x2(|x, _| powi_f64(x, 37), |x, _| x.powf(37.0), 2.0);
    check_f64x2(|x, _| powi_f64(x, -6), |x, _| x.powf(-6.0), 2.0);
    check_f64x2(|x, _| powi_f64(x, 4), |x, _| x.powf(4.0), 2.0);
}

#[test]
fn acosh_f64_by_its_logarithm() {
    for x in samples(20_000).map(|bits| 1.5 + (bits >> 11) as f64 * 2f64.powi(-48)) {
        let want = x.acosh();
        assert!(ulps_f64(acosh_f64(x), want) <= 4.0, "{x:e}: got {:e}, expected {want:e}", acosh_f64(x));
    }
    assert!(acosh_f64(0.5).is_nan() && acosh_f64(f64::NAN).is_nan() && acosh_f64(-f64::INFINITY).is_nan());
    assert_eq!((acosh_f64(1.0), acosh_f64(f64::INFINITY)), (0.0, f64::INFINITY));
}

/// x, erf x and erfc x, to the nearest f64, by mpmath.
const ERF: &[(f64, f64, f64)] = &[
    (0.001, 0.0011283787909692365, 0.9988716212090307),
    (-0.25, -0.27632639016823696, 1.276326390168237),
    (0.5, 0.5204998778130465, 0.4795001221869535),
    (-0.9375, -0.8151024010343998, 1.8151024010344),
    (1.0, 0.8427007929497149, 0.15729920705028513),
    (1.75, 0.9866716712191824, 0.013328328780817557),
    (-2.5, -0.999593047982555, 1.999593047982555),
    (3.875, 0.999999957486056, 4.2513944082491124e-08),
    (5.0, 0.9999999999984626, 1.537459794428035e-12),
    (-6.0, -1.0, 2.0),
    (9.25, 1.0, 4.202037214919711e-39),
    (10.0, 1.0, 2.088487583762545e-45),
];

#[test]
fn error_functions() {
    for &(x, erf, erfc) in ERF {
        assert!(ulps_f64(erf_f64(x), erf) <= 1.0, "erf {x}: {:e}", erf_f64(x));
        assert!(ulps_f64(erfc_f64(x), erfc) <= 2.0, "erfc {x}: {:e}", erfc_f64(x));
    }
    for (zero, infinite) in [(0.0, f64::INFINITY), (-0.0, f64::NEG_INFINITY)] {
        assert_eq!(erf_f64(zero).to_bits(), zero.to_bits());
        assert_eq!((erf_f64(infinite), erfc_f64(zero)), (1f64.copysign(zero), 1.0));
        assert_eq!(erfc_f64(infinite), 1.0 - 1f64.copysign(zero));
    }
    assert!(erf_f64(f64::NAN).is_nan() && erfc_f64(f64::NAN).is_nan());
    check_f32(erf_f32, erf_f64, 1.3);
    check_f32(erfc_f32, erfc_f64, 2.0);
}

/// x and Γ(x), to the nearest f64, by mpmath.
const GAMMA: &[(f64, f64)] = &[
    (1e-30, 9.999999999999999e+29),
    (0.125, 7.533941598797612),
    (0.5, 1.772453850905516),
    (1.0, 1.0),
    (1.461632144968362, 0.8856031944108887),
    (2.0, 1.0),
    (3.5, 3.3233509704478426),
    (10.0, 362880.0),
    (33.25, 6.288735965374881e+35),
    (100.5, 9.320963104082716e+156),
    (171.5, 9.4833675668248e+307),
    (-1e-12, -1000000000000.5773),
    (-0.5, -3.544907701811032),
    (-1.25, 3.9213334478885686),
    (-3.875, 0.41219561595772414),
    (-10.0625, -3.830328107020317e-06),
    (-30.5, -2.1357974436941745e-33),
    (-170.25, -1.6938387496514192e-307),
];

#[test]
fn gamma_functions() {
    for &(x, gamma) in GAMMA {
        assert!(ulps_f64(tgamma_f64(x), gamma) <= 4.0, "gamma {x}: {:e}", tgamma_f64(x));
    }
    for (x, gamma) in
        [(0.0, f64::INFINITY), (-0.0, f64::NEG_INFINITY), (172.0, f64::INFINITY), (-200.5, -0.0)]
    {
        assert_eq!(tgamma_f64(x).to_bits(), f64::to_bits(gamma), "gamma {x}: {:e}", tgamma_f64(x));
    }
    for x in [-1.0, -2.0, -1e300, f64::NEG_INFINITY, f64::NAN] {
        assert!(tgamma_f64(x).is_nan(), "gamma {x}: {:e}", tgamma_f64(x));
    }
    check_f32(tgamma_f32, tgamma_f64, 4.0);
}

#[test]
fn logarithms_of_gamma() {
    use kernel_runtime::device::Float;
    // Below −½ the bound is absolute, or relative where the result is large.
    let loose = |got: f64, want: f64, unit: f64| (got - want).abs() <= 6.0 * unit * want.abs().max(4.0);
    for x in samples(20_000).map(|bits| (bits >> 11) as f64 * 2f64.powi(-47) - 16.0) {
        let (got, single) = (lgamma_f64(x), lgamma_f32(x as f32));
        let (want, want_single) = (Float::lgamma(x), Float::lgamma(f64::from(x as f32)));
        if x > -0.5 {
            assert!(ulps_f64(got, want) <= 6.0, "{x:e}: {got:e}, {want:e}");
            assert!(ulps_f32(single, want_single) <= 4.0, "{x:e}: {single:e}, {want_single:e}");
        } else if (x - x.round()).abs() > 1e-3 {
            assert!(loose(got, want, f64::EPSILON), "{x:e}: {got:e}, {want:e}");
            assert!(
                loose(single.into(), want_single, f32::EPSILON.into()),
                "{x:e}: {single:e}, {want_single:e}"
            );
        }
    }
    for x in [0.0, -0.0, -1.0, -7.0, f64::INFINITY, f64::NEG_INFINITY, -1e300] {
        assert_eq!((lgamma_f64(x), lgamma_f32(x as f32)), (f64::INFINITY, f32::INFINITY));
    }
    assert_eq!((lgamma_f64(1.0), lgamma_f64(2.0), lgamma_f32(1.0), lgamma_f32(2.0)), (0.0, 0.0, 0.0, 0.0));
    assert!(lgamma_f64(f64::NAN).is_nan() && lgamma_f32(f32::NAN).is_nan());
}

#[test]
fn exact_functions() {
    check_exact(|x, _| round_f32(x), |x, _| x.round());
    check_exact(|x, _| fract_f32(x), |x, _| x.fract());
    check_exact(|x, _| signum_f32(x), |x, _| x.signum());
    check_exact(|x, _| to_degrees_f32(x), |x, _| x.to_degrees());
    check_exact(|x, _| to_radians_f32(x), |x, _| x.to_radians());
    check_exact(|x, _| next_up_f32(x), |x, _| x.next_up());
    check_exact(|x, _| next_down_f32(x), |x, _| x.next_down());
    check_exact(midpoint_f32, f32::midpoint);
    check_exact(rem_f32, |x, y| x % y);
    check_exact(rem_euclid_f32, f32::rem_euclid);
    check_exact(div_euclid_f32, f32::div_euclid);
    for (x, y) in samples(20_000).zip(samples(40_000).skip(20_000)) {
        let (x, y) = (f64::from_bits(x), f64::from_bits(y));
        let kinds = [is_sign_negative_f64(x), is_sign_positive_f64(x), is_normal_f64(x), is_subnormal_f64(x)];
        assert_eq!(kinds, [x.is_sign_negative(), x.is_sign_positive(), x.is_normal(), x.is_subnormal()]);
        let (a, b) = (x as f32, f32::from_bits((x.to_bits() >> 32) as u32));
        for x in [a, b] {
            let kinds =
                [is_sign_negative_f32(x), is_sign_positive_f32(x), is_normal_f32(x), is_subnormal_f32(x)];
            assert_eq!(kinds, [x.is_sign_negative(), x.is_sign_positive(), x.is_normal(), x.is_subnormal()]);
        }
        for (got, want) in [
            (round_f64(x), x.round()),
            (fract_f64(x), x.fract()),
            (signum_f64(x), x.signum()),
            (to_degrees_f64(x), x.to_degrees()),
            (to_radians_f64(x), x.to_radians()),
            (next_up_f64(x), x.next_up()),
            (next_down_f64(x), x.next_down()),
            (midpoint_f64(x, y), x.midpoint(y)),
            (rem_f64(x, y), x % y),
            (rem_euclid_f64(x, y), x.rem_euclid(y)),
            (div_euclid_f64(x, y), x.div_euclid(y)),
        ] {
            assert!(ulps_f64(got, want) == 0.0, "{x:e}, {y:e}: got {got:e}, expected {want:e}");
        }
    }
}

/// Finds sums of products, which the compiler would contract where rustc doesn't.
struct Contractions(Vec<String>);

impl<'ast> syn::visit::Visit<'ast> for Contractions {
    fn visit_expr_binary(&mut self, sum: &'ast syn::ExprBinary) {
        fn product(expr: &syn::Expr) -> bool {
            match expr {
                syn::Expr::Paren(inner) => product(&inner.expr),
                syn::Expr::Unary(inner) => product(&inner.expr),
                syn::Expr::Binary(inner) => matches!(inner.op, syn::BinOp::Mul(_)),
                _ => false,
            }
        }
        use syn::BinOp::{Add, AddAssign, Sub, SubAssign};
        let is_sum = matches!(sum.op, Add(_) | Sub(_) | AddAssign(_) | SubAssign(_));
        if is_sum && (product(&sum.left) || product(&sum.right)) {
            let start = sum.op.span().start();
            self.0.push(format!("line {} column {}", start.line, start.column));
        }
        syn::visit::visit_expr_binary(self, sum);
    }
}

#[test]
fn sources_are_one_flat_module_without_contractions() {
    use syn::visit::Visit as _;
    let mut names = std::collections::BTreeMap::new();
    for file in FILES {
        let parsed = syn::parse_file(file.text).unwrap();
        let mut contractions = Contractions(Vec::new());
        contractions.visit_file(&parsed);
        assert!(contractions.0.is_empty(), "{}: {:?}", file.name, contractions.0);
        let mut uses = Vec::new();
        for item in &parsed.items {
            let name = match item {
                syn::Item::Fn(item) => item.sig.ident.to_string(),
                syn::Item::Const(item) => item.ident.to_string(),
                syn::Item::Enum(item) => item.ident.to_string(),
                syn::Item::Use(item) => {
                    uses.push(quote::quote!(#item).to_string());
                    continue;
                }
                other => {
                    panic!(
                        "{}: an item that the language has not, line {}",
                        file.name,
                        other.span().start().line
                    )
                }
            };
            assert_eq!(names.insert(name.clone(), file.name), None, "{name} is defined twice");
        }
        uses.retain(|path| !path.contains("vocabulary"));
        let listed: Vec<String> =
            file.uses.iter().map(|name| format!("use super :: {name} :: * ;")).collect();
        assert_eq!(uses, listed, "{}", file.name);
    }
    for row in methods() {
        // The iterators are in no file that rustc compiles.
        if row.file == "iterators" {
            let text = format!("pub fn {}<", row.function);
            assert!(library::ITERATORS.contains(&text), "{}", row.function);
            continue;
        }
        assert_eq!(names.get(row.function), Some(&row.file), "{}", row.function);
    }
}

#[test]
fn what_is_mentioned_brings_the_files_that_it_uses() {
    let files = |mentioned: &[&str]| {
        let mentioned = mentioned.iter().map(|name| (*name).to_owned()).collect();
        files_for(&mentioned).iter().map(|file| file.name).collect::<Vec<_>>()
    };
    assert_eq!(files(&["len"]), [] as [&str; 0]);
    assert_eq!(files(&["isqrt"]), ["integer_roots"]);
    assert_eq!(files(&["tgamma"]).len(), 9);
    let function = |form, name, receiver| find(form, name, receiver).map(|method| method.function);
    assert_eq!(function(Form::Method, "sin", Scalar::F64), Some("sin_f64"));
    assert_eq!(function(Form::Method, "rem_euclid", Scalar::U8), Some("rem_euclid_int"));
    assert_eq!(function(Form::Path("block"), "reduce_min", Scalar::F32), Some("block_reduce_min"));
    assert_eq!(function(Form::Path("warp"), "reduce_and", Scalar::Bool), Some("warp_reduce_and_bool"));
    assert_eq!(function(Form::Method, "is_positive", Scalar::U8), None);
    for (index, row) in methods().enumerate() {
        // One for a single type may stand before one for many.
        let same = methods().take(index).filter(|other| {
            let special = |row: &Method| matches!(row.receiver, Receiver::Only(_));
            other.form == row.form && other.name == row.name && special(other) == special(row)
        });
        for (scalar, ..) in Scalar::TABLE {
            let twice =
                same.clone().any(|other| other.receiver.holds(*scalar)) && row.receiver.holds(*scalar);
            assert!(!twice, "{} of {}", row.name, scalar.name());
        }
    }
}

#[test]
fn powers_of_two_are_rounded_once() {
    for bits in samples(20_000) {
        let (x, n) = (f64::from_bits(bits), (bits % 4500) as i32 - 2250);
        // Two exact steps and one that rounds, by the host's means.
        let (a, b) = (n.clamp(-1000, 1000), (n - n.clamp(-1000, 1000)).clamp(-1000, 1000));
        let exact = x.abs() >= 1.0 || n > 0;
        let want = if n < 0 && x.abs() >= 1.0 {
            x * 2f64.powi(b) * 2f64.powi(a)
        } else {
            x * 2f64.powi(a) * 2f64.powi(b)
        };
        if exact && n.abs() <= 1000 {
            assert!(ulps_f64(ldexp_f64(x, n), want) == 0.0, "{x:e}, {n}: {:e}, {want:e}", ldexp_f64(x, n));
        }
        let (x, n) = (f32::from_bits((bits >> 32) as u32), (bits % 600) as i32 - 300);
        assert_eq!(ulps_f32(ldexp_f32(x, n), ((f64::from(x) * 2f64.powi(n)) as f32).into()), 0.0);
    }
    assert_eq!(
        (ldexp_f64(5e-324, 2000), ldexp_f64(f64::MAX, -2098)),
        (5e-324 * 2f64.powi(1000) * 2f64.powi(1000), 5e-324)
    );
    assert_eq!((ldexp_f64(1.0, i32::MAX), ldexp_f64(-1.0, i32::MIN)), (f64::INFINITY, -0.0));
}

#[test]
fn a_logarithm_to_a_base_is_a_quotient() {
    assert_eq!(log_f32(8.0, 2.0), 3.0);
    assert_eq!(log_f32(1.0, 10.0), 0.0);
    assert_eq!(log_f32(0.0, 10.0), f32::NEG_INFINITY);
    assert!((log_f64(1000.0, 10.0) - 3.0).abs() < 1e-15);
    assert!(log_f64(-1.0, 10.0).is_nan());
}
