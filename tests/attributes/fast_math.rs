//! `fast_math`: results within a tolerance of the exact ones, and the instructions of nvcc's `-use_fast_math`.

#![allow(dead_code)]

use kernel_runtime::Kernel;
use kernel_runtime::prelude::*;
use tests::toolchain::Sass;
use tests::toolchain::{Tool, require_or_skip};

use crate::harness::{check_ptx, devices};

macro_rules! kernels {
    ($($attribute:ident $name:ident),*) => {$(
        /// Everything that the attribute changes, for x > 0.
        #[kernel($attribute)]
        fn $name(x: &[f32], y: &[f32], out: &mut [[f32; 20]]) {
            let i = global_idx().x;
            if i < x.len() && i < y.len() && i < out.len() {
                let (x, y) = (x[i], y[i]);
                out[i] = [
                    x / y,
                    1.0 / x,
                    x.recip(),
                    x.sqrt(),
                    1.0 / x.sqrt(),
                    y / x.sqrt(),
                    x.rsqrt(),
                    x / 3.0 * 0.7,
                    x + y + 0.25 + x + y,
                    y.sin(),
                    y.cos(),
                    (y * 0.25).tan(),
                    y.exp(),
                    y.exp2(),
                    (y * 0.5).exp10(),
                    x.ln(),
                    x.log2(),
                    x.log10(),
                    x.powf(y),
                    y.tanh(),
                ];
            }
        }
    )*};
}
kernels! { fast_math fast }

/// A copy of the kernel without the attribute.
mod exact {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], y: &[f32], out: &mut [[f32; 20]]) {
        let i = global_idx().x;
        if i < x.len() && i < y.len() && i < out.len() {
            let (x, y) = (x[i], y[i]);
            out[i] = [
                x / y,
                1.0 / x,
                x.recip(),
                x.sqrt(),
                1.0 / x.sqrt(),
                y / x.sqrt(),
                x.rsqrt(),
                x / 3.0 * 0.7,
                x + y + 0.25 + x + y,
                y.sin(),
                y.cos(),
                (y * 0.25).tan(),
                y.exp(),
                y.exp2(),
                (y * 0.5).exp10(),
                x.ln(),
                x.log2(),
                x.log10(),
                x.powf(y),
                y.tanh(),
            ];
        }
    }
}

const LEN: usize = 500;

/// Numbers from 0.1 to 10, and from −3 to 3 without 0.
fn inputs() -> (Vec<f32>, Vec<f32>) {
    let x = (0..LEN).map(|i| 0.1 + 9.9 * i as f32 / LEN as f32);
    let y = (0..LEN).map(|i| -2.997 + 6.0 * (i * 37 % LEN) as f32 / LEN as f32);
    (x.collect(), y.collect())
}

#[test]
fn results_are_near_the_exact_ones() {
    let (x, y) = inputs();
    let mut exact = vec![[0.0; 20]; LEN];
    exact::k::cpu(&x, &y, &mut exact).over(LEN).run().unwrap_or_else(|error| panic!("{error}"));
    let compare = |place: &str, found: &[[f32; 20]]| {
        for (i, (found, exact)) in found.iter().zip(&exact).enumerate() {
            for (which, (found, exact)) in found.iter().zip(exact).enumerate() {
                let off = (found - exact).abs();
                // `tanh.approx` has 11 bits; the others 20 relative to the result or to 1.
                let tolerance = if which == 19 { 1e-3 } else { 4e-6 };
                assert!(
                    off <= tolerance * exact.abs().max(1.0),
                    "on {place}: {which} of {}, {}: {found} for {exact}",
                    x[i],
                    y[i]
                );
            }
        }
    };
    let mut found = vec![[0.0; 20]; LEN];
    fast::cpu(&x, &y, &mut found).over(LEN).run().unwrap_or_else(|error| panic!("{error}"));
    compare("the CPU", &found);
    for gpu in devices() {
        let run = || {
            let (x, y, mut out) = (gpu.upload(&x)?, gpu.upload(&y)?, gpu.zeros::<[f32; 20]>(LEN)?);
            fast(&x, &y, &mut out).over(LEN).run()?;
            out.to_vec()
        };
        compare(&gpu.describe(), &run().unwrap_or_else(|error| panic!("{error}")));
    }
    check_ptx("fast_math", &fast::KERNEL);
}

/// Subnormal numbers are zeros where `f32` is computed, and keep their bits where it is copied. The CPU keeps them.
#[kernel(fast_math)]
fn tiny(x: &[f32], d: &[f64], out: &mut [f32], wide: &mut [f64], same: &mut [u32]) {
    let tiny = x[0];
    out[0] = tiny + 0.0;
    out[1] = tiny * 0.5;
    out[2] = tiny.min(1.0);
    out[3] = -tiny;
    out[4] = tiny;
    wide[0] = d[0] * 0.5;
    wide[1] = tiny as f64;
    same[0] = (tiny == 0.0) as u32;
    same[1] = (tiny as f64 > 0.0) as u32;
}

#[test]
fn subnormal_numbers_are_flushed_on_devices() {
    let least = f32::from_bits(1);
    for gpu in devices() {
        let run = || {
            let (x, d) = (gpu.upload(&[least])?, gpu.upload(&[f64::from_bits(2)])?);
            let (mut out, mut wide, mut same) =
                (gpu.zeros::<f32>(5)?, gpu.zeros::<f64>(2)?, gpu.zeros::<u32>(2)?);
            tiny(&x, &d, &mut out, &mut wide, &mut same).grid(1).block(1).run()?;
            Ok((out.to_vec()?, wide.to_vec()?, same.to_vec()?))
        };
        let (out, wide, same) = run().unwrap_or_else(|error: Error| panic!("{error}"));
        let bits: Vec<u32> = out.iter().map(|value| value.to_bits()).collect();
        assert_eq!(bits, [0, 0, 0, 1 << 31, 1], "on {}", gpu.describe());
        assert_eq!(wide.iter().map(|value| value.to_bits()).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(same, [1, 0]);
    }
    let (mut out, mut wide, mut same) = ([0.0; 5], [0.0; 2], [0; 2]);
    let run =
        tiny::cpu(&[least], &[f64::from_bits(2)], &mut out, &mut wide, &mut same).grid(1).block(1).run();
    run.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((out[0], same), (least, [0, 1]), "the CPU's arithmetic is that of IEEE");
}

macro_rules! elementwise {
    ($($name:ident |$x:ident, $y:ident| $value:expr;)*) => {$(
        #[kernel(fast_math, coarsen(1))]
        fn $name(x: &[f32], y: &[f32], out: &mut [f32]) {
            let i = global_idx().x;
            if i < x.len().min(y.len()).min(out.len()) {
                let ($x, $y) = (x[i], y[i]);
                out[i] = $value;
            }
        }
    )*};
}
elementwise! {
    quotient |x, y| x / y;
    by_root |x, y| x / y.sqrt();
    norm |x, y| (x * x + y * y).sqrt() / (x + y);
    gauss |x, y| (-(x * x) / (2.0 * y * y)).exp() / y;
    power |x, y| x.powf(y) + x.ln() - y.log10();
}

/// The kernels with their expressions in CUDA C++, in the same order.
const IN_CUDA: &[(&Kernel, &str)] = &[
    (&quotient::KERNEL, "x / y"),
    (&by_root::KERNEL, "x / sqrtf(y)"),
    (&norm::KERNEL, "sqrtf(x * x + y * y) / (x + y)"),
    (&gauss::KERNEL, "expf(-(x * x) / (2.0f * y * y)) / y"),
    (&power::KERNEL, "powf(x, y) + logf(x) - log10f(y)"),
];

#[test]
fn as_many_instructions_as_nvcc_makes() {
    let (Some(sass), Some(nvcc)) = (require_or_skip(Sass::find()), require_or_skip(Tool::Nvcc.find())) else {
        return;
    };
    for (kernel, value) in IN_CUDA {
        let source = format!(
            "extern \"C\" __global__ void k(const float* __restrict__ a, unsigned na, const float* __restrict__ b, unsigned nb,
                 float* out, unsigned n) {{
                 unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
                 if (i < min(min(na, nb), n)) {{ float x = a[i], y = b[i]; out[i] = {value}; }}
             }}"
        );
        let theirs = sass.of_cuda(&nvcc, &["-use_fast_math"], &source, "sm_90").len();
        let ours = sass.of_ptx(kernel.ptx(), "sm_90").len();
        assert!(ours <= theirs, "{}: {ours} instructions, nvcc makes {theirs}", kernel.name());
    }
}
