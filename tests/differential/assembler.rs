//! Code that ptxas 13.0 miscompiles unless it is written otherwise: random kernels found each on an H200.

use crate::harness::cases;

mod kernels {
    use kernel_runtime::prelude::*;

    /// A predicate that nested loops carry.
    #[kernel]
    pub fn carried_flag(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let mut done = false;
        let mut steps = 0u64;
        let mut value = ints[i];
        while !done {
            for k in 0..n {
                value = value.wrapping_mul(5) ^ k;
                steps += 1;
                if value & 7 == 3 || steps > 60 {
                    done = true;
                    break;
                }
            }
        }
        out[i] = steps;
        results[i] = floats[i];
    }

    /// A minimum with 1 and a maximum with 0, of NaN and of the zeros.
    #[kernel]
    pub fn saturations(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let x = floats[i] * 1.5;
        let both = [
            x.min(1.0).max(0.0),
            x.max(0.0).min(1.0),
            x.max(-0.0).min(1.0),
            x.min(1.0).max(-0.0),
            if x < 1.0 { x } else { 1.0 }.max(0.0),
            x.clamp(0.0, 1.0),
        ];
        let mut bits = 7u64;
        for value in both {
            bits = bits * 31 + if value.is_nan() { 7 } else { value.to_bits() as u64 };
        }
        let wide = (x as f64 * 3.0).min(1.0).max(0.0);
        let half = f16::from_f32(x).min(f16::ONE).max(f16::ZERO);
        out[i] = bits ^ wide.to_bits();
        results[i] = half.to_f32() + (ints[i] - n) as f32 * 0.0;
    }

    /// A selection among selections in a loop that is left in its middle, to the next iteration of the loop around it.
    #[kernel(fp_contract(off))]
    pub fn latches(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let (mut a, mut b) = (floats[i], floats[i + 128]);
        let kind = ints[i];
        let mut rounds = 0;
        loop {
            rounds += 1;
            out[i] = rounds;
            if rounds > 2 {
                break;
            }
            let product = a * b;
            let mut k = 2;
            loop {
                a -= product;
                b += match kind {
                    0..=12 => product,
                    -7 | -3 => b,
                    _ => a,
                };
                if k > n {
                    break;
                }
                k += 9;
            }
        }
        results[i] = a * 0.5 + b;
    }
}

cases! { kernels:
    carried_flag: 4, 128;
    saturations: 4, 128;
    latches: 4, 96;
}
