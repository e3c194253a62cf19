//! Functions of the device library: the same bits on the CPU copy, the simulator and a GPU, and close to `std`'s.

use kernel_runtime::Gpu;

use crate::harness::{LEN, devices, floats};

/// Functions of an `f32` and of an `f64`, each with what it is given for an input `v` of the harness, and with `std`'s.
macro_rules! functions {
    ($($title:literal $name:ident |$v:ident: $ty:ident| $argument:expr => |$a:ident| $ours:expr, $theirs:expr;)*) => {
        /// Titles with the names of their tests.
        pub const TABLE: &[(&str, &str)] = &[$(($title, concat!(module_path!(), "::", stringify!($name)))),*];

        /// The kernels' names and PTX, in which each has a name of its own: so one run of `ptxas` takes many.
        pub fn modules() -> Vec<(&'static str, String)> {
            vec![$((
                stringify!($name),
                $name::construct::KERNEL.ptx().replace("construct", concat!("construct_", stringify!($name)))
            )),*]
        }

        $(
            mod $name {
                use kernel_runtime::prelude::*;

                #[kernel]
                #[allow(clippy::all)]
                pub fn construct(x: &[$ty], out: &mut [$ty]) {
                    let i = global_idx().x;
                    if i < out.len() {
                        let $a = x[i];
                        out[i] = $ours;
                    }
                }
            }

            #[test]
            fn $name() {
                let x: Vec<$ty> = floats().into_iter().map(|$v| { let $v = $v as $ty; $argument }).collect();
                let mut cpu = vec![0.0; LEN];
                $name::construct::cpu(&x, &mut cpu).grid(1).block(64).run().expect("it runs on the CPU");
                for ($a, &found) in x.iter().copied().zip(&cpu) {
                    let want: $ty = $theirs;
                    let bound = 4.0 * <$ty>::EPSILON * want.abs() + <$ty>::MIN_POSITIVE;
                    assert!((found - want).abs() <= bound || found.to_bits() == want.to_bits() || (found.is_nan() && want.is_nan()),
                        "{}({}) is {found}, std has {want}", stringify!($name), $a);
                }
                let run = |gpu: &Gpu| {
                    let x = gpu.upload(&x)?;
                    let mut out = gpu.zeros::<$ty>(LEN)?;
                    $name::construct(&x, &mut out).grid(1).block(64).run()?;
                    out.to_vec()
                };
                for gpu in devices() {
                    let found = run(&gpu).unwrap_or_else(|error| panic!("on {}: {error}", gpu.describe()));
                    for i in 0..LEN {
                        assert!(found[i].to_bits() == cpu[i].to_bits() || (found[i].is_nan() && cpu[i].is_nan()),
                            "{}({}) is {} on the CPU and {} on {}", stringify!($name), x[i], cpu[i], found[i], gpu.describe());
                    }
                }
            }
        )*
    };
}

functions! {
    "`sin`" sin |v: f32| v => |a| a.sin(), a.sin();
    "`sin` of large arguments" sin_large |v: f32| v * 1e9 => |a| a.sin(), a.sin();
    "`cos`" cos |v: f32| v => |a| a.cos(), a.cos();
    "`tan`" tan |v: f32| v => |a| a.tan(), a.tan();
    "`sin_cos`" sin_cos |v: f32| v => |a| { let (s, c) = a.sin_cos(); if a > 0.0 { s } else { c } }, if a > 0.0 { a.sin() } else { a.cos() };
    "`asin`" asin |v: f32| v / 16.0 => |a| a.asin(), a.asin();
    "`acos`" acos |v: f32| v / 16.0 => |a| a.acos(), a.acos();
    "`atan`" atan |v: f32| v => |a| a.atan(), a.atan();
    "`atan2`" atan2 |v: f32| v => |a| a.atan2(1.5), a.atan2(1.5);
    "`sinh`" sinh |v: f32| v => |a| a.sinh(), a.sinh();
    "`cosh`" cosh |v: f32| v => |a| a.cosh(), a.cosh();
    "`tanh`" tanh |v: f32| v => |a| a.tanh(), a.tanh();
    "`asinh`" asinh |v: f32| v => |a| a.asinh(), (a as f64).asinh() as f32;
    "`acosh`" acosh |v: f32| v.abs() + 1.0 => |a| a.acosh(), (a as f64).acosh() as f32;
    "`atanh`" atanh |v: f32| v / 16.0 => |a| a.atanh(), (a as f64).atanh() as f32;
    "`exp`" exp |v: f32| v => |a| a.exp(), a.exp();
    "`exp2`" exp2 |v: f32| v => |a| a.exp2(), a.exp2();
    "`exp` at the ends of its range" exp_ends |v: f32| v * 12.0 => |a| a.exp(), a.exp();
    "`exp2` of subnormal results" exp2_ends |v: f32| v * 16.25 => |a| a.exp2(), a.exp2();
    "`exp10`" exp10 |v: f32| v * 4.5 => |a| a.exp10(), (a as f64 * std::f64::consts::LN_10).exp() as f32;
    "`rsqrt`" rsqrt |v: f32| v.abs() => |a| a.rsqrt(), 1.0 / a.sqrt();
    "`fast::exp2`" fast_exp2 |v: f32| v * 0.3 => |a| fast::exp2(a), a.exp2();
    "`fast::exp2_ftz`" fast_exp2_ftz |v: f32| v * 16.0 => |a| fast::exp2_ftz(a), if a < -126.0 { 0.0 } else { a.exp2() };
    "`fast::recip`" fast_recip |v: f32| v => |a| fast::recip(a), 1.0 / a;
    "`fast::recip_ftz`" fast_recip_ftz |v: f32| v * 1e38 => |a| fast::recip_ftz(a), if a.abs() > 8.5070587e37 { 0f32.copysign(a) } else { 1.0 / a };
    "`fast::rsqrt`" fast_rsqrt |v: f32| v => |a| fast::rsqrt(a), 1.0 / a.sqrt();
    "`fast::saturate`" fast_saturate |v: f32| v * 0.2 => |a| fast::saturate(a.sqrt() * a), if a > 0.0 { (a.sqrt() * a).min(1.0) } else { 0.0 };
    "`exp_m1`" exp_m1 |v: f32| v => |a| a.exp_m1(), a.exp_m1();
    "`ln`" ln |v: f32| v => |a| a.ln(), a.ln();
    "`log2`" log2 |v: f32| v => |a| a.log2(), a.log2();
    "`log10`" log10 |v: f32| v => |a| a.log10(), a.log10();
    "`ln_1p`" ln_1p |v: f32| v * 0.1 => |a| a.ln_1p(), a.ln_1p();
    "`powf`" powf |v: f32| v.abs() => |a| a.powf(1.7), a.powf(1.7);
    "`powi`" powi |v: f32| v => |a| a.powi(3), a * a * a;
    "`cbrt`" cbrt |v: f32| v => |a| a.cbrt(), a.cbrt();
    "`hypot`" hypot |v: f32| v => |a| a.hypot(3.0), a.hypot(3.0);
    "`sin` of `f64`" sin_f64 |v: f64| v * 1.1 => |a| a.sin(), a.sin();
    "`cos` of `f64`" cos_f64 |v: f64| v * 1.1 => |a| a.cos(), a.cos();
    "`exp` of `f64`" exp_f64 |v: f64| v * 1.1 => |a| a.exp(), a.exp();
    "`ln` of `f64`" ln_f64 |v: f64| v.abs() * 1.1 => |a| a.ln(), a.ln();
    "`powf` of `f64`" powf_f64 |v: f64| v.abs() * 1.1 => |a| a.powf(2.3), a.powf(2.3);
    "`tanh` of `f64`" tanh_f64 |v: f64| v * 0.3 => |a| a.tanh(), a.tanh();
    "`cbrt` of `f64`" cbrt_f64 |v: f64| v * 1.1 => |a| a.cbrt(), a.cbrt();
    "`atan2` of `f64`" atan2_f64 |v: f64| v * 1.1 => |a| a.atan2(-0.7), a.atan2(-0.7);
}
