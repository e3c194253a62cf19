//! The kernels: one for each function and type, all of the same form.

use kernel_runtime::prelude::*;

use crate::reference;

/// A function of one argument.
pub struct Unary {
    /// Its name.
    pub name: &'static str,
    /// f32: computes it for the numbers with the bits `first`, `first + step`, …
    pub run_f32: fn(u32, u32, &mut DeviceBuffer<f32>) -> Result<()>,
    /// f64: computes it for the numbers in the first buffer.
    pub run_f64: fn(&DeviceBuffer<f64>, &mut DeviceBuffer<f64>) -> Result<()>,
    /// The exact function of an f32, to within an ulp of f64.
    pub near: fn(f64) -> f64,
    /// The function rounded correctly to f64.
    pub rounded: fn(f64) -> f64,
    /// Arguments below are not compared.
    pub from: f64,
    /// Ranges of f64 arguments that matter; the bit patterns at random are measured besides.
    pub ranges: &'static [(f64, f64)],
    /// The largest error of f32 that is allowed, in ulp.
    pub bound_f32: f64,
    /// The largest distance from the correctly rounded f64 that is allowed, in ulp.
    pub bound_f64: u64,
}

/// Runs a function of two arguments over two buffers into a third.
pub type Pairwise<T> = fn(&DeviceBuffer<T>, &DeviceBuffer<T>, &mut DeviceBuffer<T>) -> Result<()>;

/// A function of two arguments.
pub struct Binary {
    /// Its name.
    pub name: &'static str,
    /// Computes it for the pairs in the first two buffers.
    pub run_f32: Pairwise<f32>,
    /// Computes it for the pairs in the first two buffers.
    pub run_f64: Pairwise<f64>,
    /// The function rounded correctly to f64.
    pub rounded: fn(f64, f64) -> f64,
    /// The distribution of pairs.
    pub pairs: Pairs,
    /// The largest error of f32 that is allowed, in ulp.
    pub bound_f32: f64,
    /// The largest distance from the correctly rounded f64 that is allowed, in ulp.
    pub bound_f64: u64,
}

/// Distributions of the arguments of a function of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairs {
    /// Bit patterns at random, and neighbours in size.
    Plane,
    /// A base and an exponent whose power is mostly finite.
    Power,
    /// A base and a whole exponent whose power is mostly finite.
    WholePower,
}

macro_rules! unary {
    ($($name:ident $f32:ident $f64:ident, $near:expr, $rounded:expr, [$($range:expr),*], $bound_f32:literal,
       $bound_f64:literal $(, from $from:literal)?;)*) => {
        $(
            #[kernel]
            fn $f32(first: u32, step: u32, y: &mut [f32]) {
                let i = global_idx().x;
                if i < y.len() {
                    let x = f32::from_bits(first.wrapping_add(step.wrapping_mul(i as u32)));
                    y[i] = x.$name();
                }
            }

            #[kernel]
            fn $f64(x: &[f64], y: &mut [f64]) {
                let i = global_idx().x;
                if i < y.len() {
                    y[i] = x[i].$name();
                }
            }
        )*

        /// Every function of one argument.
        pub const UNARY: &[Unary] = &[$(Unary {
            name: stringify!($name),
            run_f32: |first, step, y| {
                let count = y.len();
                $f32(first, step, y).over(count).run().map(drop)
            },
            run_f64: |x, y| {
                let count = y.len();
                $f64(x, y).over(count).run().map(drop)
            },
            near: $near,
            rounded: $rounded,
            from: [$($from,)? f64::NEG_INFINITY][0],
            ranges: &[$($range),*],
            bound_f32: $bound_f32,
            bound_f64: $bound_f64,
        }),*];
    };
}

// The near functions are the host's where they are known to be within an ulp: glibc's are.
#[rustfmt::skip]
unary! {
    exp    exp_f32    exp_f64,    f64::exp,       reference::exp, [(-750.0, 712.0), (-1.0, 1.0)],                     2.0, 1;
    exp2   exp2_f32   exp2_f64,   f64::exp2,      pxfm::f_exp2,   [(-1080.0, 1030.0), (-1.0, 1.0)],                   2.5, 1;
    exp10  exp10_f32  exp10_f64,  reference::exp10, reference::exp10, [(-325.0, 310.0), (-1.0, 1.0)],                     2.2, 1;
    exp_m1 exp_m1_f32 exp_m1_f64, f64::exp_m1,    pxfm::f_expm1,  [(-40.0, 712.0), (-1.0, 1.0), (1e-5, 1.0)],         2.0, 1;
    ln     ln_f32     ln_f64,     f64::ln,        pxfm::f_log,    [(0.5, 2.0), (0.0, 100.0), (0.999, 1.001)],         2.0, 1;
    log2   log2_f32   log2_f64,   f64::log2,      pxfm::f_log2,   [(0.5, 2.0), (0.0, 100.0), (0.999, 1.001)],         2.0, 1;
    log10  log10_f32  log10_f64,  f64::log10,     pxfm::f_log10,  [(0.5, 2.0), (0.0, 100.0), (0.999, 1.001)],         2.0, 1;
    ln_1p  ln_1p_f32  ln_1p_f64,  f64::ln_1p,     pxfm::f_log1p,  [(-0.99999, 2.0), (0.0, 100.0), (-0.01, 0.01)],     2.0, 1;
    sin    sin_f32    sin_f64,    f64::sin,       pxfm::f_sin,    [(-10.0, 10.0), (-1e9, 1e9), (1e8, 1e300)],         2.0, 2;
    cos    cos_f32    cos_f64,    f64::cos,       pxfm::f_cos,    [(-10.0, 10.0), (-1e9, 1e9), (1e8, 1e300)],         2.0, 2;
    tan    tan_f32    tan_f64,    f64::tan,       pxfm::f_tan,    [(-10.0, 10.0), (-1e9, 1e9), (1e8, 1e300)],         2.0, 2;
    sinpi  sinpi_f32  sinpi_f64,  reference::sinpi, reference::sinpi, [(-4.0, 4.0), (-1e6, 1e6)],                     2.0, 2;
    cospi  cospi_f32  cospi_f64,  reference::cospi, reference::cospi, [(-4.0, 4.0), (-1e6, 1e6)],                     2.0, 2;
    asin   asin_f32   asin_f64,   f64::asin,      pxfm::f_asin,   [(-1.0, 1.0), (0.5, 0.6)],                          2.0, 2;
    acos   acos_f32   acos_f64,   f64::acos,      pxfm::f_acos,   [(-1.0, 1.0), (0.5, 0.6), (0.999, 1.0)],            2.0, 2;
    atan   atan_f32   atan_f64,   f64::atan,      pxfm::f_atan,   [(-2.0, 2.0), (-100.0, 100.0)],                     2.0, 2;
    sinh   sinh_f32   sinh_f64,   f64::sinh,      reference::sinh,  [(-2.0, 2.0), (-712.0, 712.0)],                     2.0, 2;
    cosh   cosh_f32   cosh_f64,   f64::cosh,      pxfm::f_cosh,   [(-2.0, 2.0), (-712.0, 712.0)],                     2.0, 2;
    tanh   tanh_f32   tanh_f64,   f64::tanh,      pxfm::f_tanh,   [(-1.0, 1.0), (-22.0, 22.0)],                       2.0, 2;
    asinh  asinh_f32  asinh_f64,  pxfm::f_asinh,  pxfm::f_asinh,  [(-2.0, 2.0), (-100.0, 100.0)],                     2.0, 2;
    acosh  acosh_f32  acosh_f64,  pxfm::f_acosh,  pxfm::f_acosh,  [(1.0, 2.0), (1.0, 100.0), (1.0, 1.01)],            2.0, 2;
    atanh  atanh_f32  atanh_f64,  pxfm::f_atanh,  pxfm::f_atanh,  [(-1.0, 1.0), (0.01, 0.5)],                         2.0, 2;
    cbrt   cbrt_f32   cbrt_f64,   f64::cbrt,      pxfm::f_cbrt,   [(1.0, 8.0)],                                       2.0, 1;
    rsqrt  rsqrt_f32  rsqrt_f64,  reference::rsqrt, reference::rsqrt, [(0.5, 4.0)],                                   2.0, 2;
    rcbrt  rcbrt_f32  rcbrt_f64,  reference::rcbrt, reference::rcbrt, [(1.0, 8.0)],                                   2.0, 2;
    erf    erf_f32    erf_f64,    pxfm::f_erf,    pxfm::f_erf,    [(-1.5, 1.5), (0.5, 6.0)],                          2.0, 2;
    erfc   erfc_f32   erfc_f64,   pxfm::f_erfc,   pxfm::f_erfc,   [(-1.0, 1.0), (0.4, 5.0), (0.5, 27.4)],             2.0, 2;
    tgamma tgamma_f32 tgamma_f64, reference::tgamma, reference::tgamma, [(0.0, 5.0), (-20.0, 172.0), (-190.0, -1.0)], 4.0, 8;
    // Near the zeros of the logarithm between the negative integers no digit is right.
    lgamma lgamma_f32 lgamma_f64, reference::lgamma, reference::lgamma, [(-0.5, 3.0), (0.5, 200.0)],                  4.0, 4, from -0.5;
}

macro_rules! binary {
    ($($name:ident $f32:ident $f64:ident, |$x:ident, $y:ident| $value:expr, $rounded:expr, $pairs:ident, $bound_f32:literal,
       $bound_f64:literal;)*) => {
        $(
            #[kernel]
            fn $f32(x: &[f32], y: &[f32], z: &mut [f32]) {
                let i = global_idx().x;
                if i < z.len() {
                    let $x = x[i];
                    let $y = y[i];
                    z[i] = $value;
                }
            }

            #[kernel]
            fn $f64(x: &[f64], y: &[f64], z: &mut [f64]) {
                let i = global_idx().x;
                if i < z.len() {
                    let $x = x[i];
                    let $y = y[i];
                    z[i] = $value;
                }
            }
        )*

        /// Every function of two arguments.
        pub const BINARY: &[Binary] = &[$(Binary {
            name: stringify!($name),
            run_f32: |x, y, z| {
                let count = z.len();
                $f32(x, y, z).over(count).run().map(drop)
            },
            run_f64: |x, y, z| {
                let count = z.len();
                $f64(x, y, z).over(count).run().map(drop)
            },
            rounded: $rounded,
            pairs: Pairs::$pairs,
            bound_f32: $bound_f32,
            bound_f64: $bound_f64,
        }),*];
    };
}

#[rustfmt::skip]
binary! {
    powf  powf_f32  powf_f64,  |a, b| a.powf(b),        reference::pow,   Power,      4.0, 2;
    powi  powi_f32  powi_f64,  |a, b| a.powi(b as i32), reference::pow,   WholePower, 4.0, 2;
    atan2 atan2_f32 atan2_f64, |a, b| a.atan2(b),       reference::atan2, Plane,      2.0, 2;
    hypot hypot_f32 hypot_f64, |a, b| a.hypot(b),       pxfm::f_hypot,    Plane,      2.0, 1;
}
