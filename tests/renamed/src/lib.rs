//! A user's crate that knows `kernel-runtime` as `gpu`, forbids `unsafe`, and makes errors of rustc's warnings.
//!
//! That it compiles is the test: expansions are no reason for any of these lints, and need none of them
//! to be allowed.

#![forbid(unsafe_code)]
#![deny(warnings, unused, future_incompatible, nonstandard_style, rust_2018_idioms, keyword_idents)]
#![deny(
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    trivial_casts,
    trivial_numeric_casts
)]
#![deny(unreachable_pub, unused_qualifications, unused_lifetimes, single_use_lifetimes)]
#![deny(clippy::all, clippy::pedantic)]

use gpu::prelude::*;

/// Plain data.
#[derive(Clone, Copy, Debug, Element)]
#[repr(C)]
pub struct Pair {
    /// The first.
    pub first: f32,
    /// The second.
    pub second: f32,
}

/// An array of any length.
#[derive(Clone, Copy, Debug, Element)]
#[repr(C)]
pub struct Padded<const N: usize> {
    /// A number.
    pub count: u32,
    /// Numbers that need no more alignment than the count.
    pub values: [f32; N],
}

/// `y = a x + y`
#[kernel(launch_bounds(256))]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// Adds the same to every element.
#[kernel(instances(T = [f32, u32], N = [1, 2]))]
pub fn add<T: Number, const N: usize>(value: T, y: &mut [T]) {
    let i = global_idx().x * N;
    for k in 0..N {
        if i + k < y.len() {
            y[i + k] = y[i + k] + value;
        }
    }
}

/// The block size is chosen.
#[kernel(tune(block = [64, 128]))]
pub fn count(counts: &[AtomicU32], x: &[u32]) {
    let i = global_idx().x;
    if i < x.len() && !counts.is_empty() {
        counts[x[i] as usize % counts.len()].fetch_add(1, Ordering::Relaxed);
    }
}

/// Kernels that share something.
#[kernel_module]
pub mod shared_functions {
    use gpu::prelude::*;

    /// Three numbers.
    #[derive(Clone, Copy, Debug, Element)]
    #[repr(C)]
    pub struct Triple {
        /// All of them.
        pub values: [f32; 3],
    }

    #[device]
    fn sum(of: &Triple) -> f32 {
        of.values.iter().copied().sum::<f32>()
    }

    /// The sum of each.
    #[kernel]
    pub fn sums(x: &[Triple], y: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && i < y.len() {
            y[i] = sum(&x[i]);
        }
    }
}

macro_rules! kernel_with_body {
    ($(#[$attr:meta])* $name:ident($($param:ident: $ty:ty),*) $body:block) => {
        $(#[$attr])*
        #[kernel]
        pub fn $name($($param: $ty),*) $body
    };
}

kernel_with_body! {
    /// Its body was handed over by a macro.
    double(x: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() {
            x[i] *= 2.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_run() -> Result<()> {
        let gpu = Gpu::simulator(Arch::Sm90);
        let x = gpu.upload(&[1.0f32, 2.0, 3.0])?;
        let mut y = gpu.upload(&[10.0f32, 20.0, 30.0])?;
        let _ = saxpy(2.0, &x, &mut y).over(3).run()?;
        let _ = double(&mut y).over(3).run()?;
        let _ = add::<f32, 2>(1.0, &mut y).over(3).run()?;
        assert_eq!(y.to_vec()?, [25.0, 49.0, 73.0]);
        let triples = gpu.upload(&[shared_functions::Triple { values: [1.0, 2.0, 3.0] }])?;
        let _ = shared_functions::sums(&triples, &mut y).over(1).run()?;
        assert_eq!(y.to_vec()?[0].to_bits(), 6.0f32.to_bits());
        let (mut counts, of) = (gpu.zeros::<u32>(2)?, gpu.upload(&[1u32, 1, 0])?);
        let _ = count(&mut counts, &of).over(3).run()?;
        assert_eq!(counts.to_vec()?, [1, 2]);
        let mut on_cpu = [10.0f32];
        saxpy::cpu(2.0, &[1.0], &mut on_cpu).over(1).run()?;
        assert_eq!(on_cpu[0].to_bits(), 12.0f32.to_bits());
        let padded = gpu.upload(&[Padded { count: 1, values: [2.0; 3] }])?;
        assert_eq!(padded.to_vec()?[0].count, 1);
        Ok(())
    }
}

/// Kernels in a module that imports by name what only their bodies use.
pub mod imports {
    use core::sync::atomic::Ordering;

    use gpu::device;
    use gpu::prelude::{AtomicU32, block_dim, global_idx, kernel, thread_idx, warp};

    /// Counts the odd elements of `x`, a warp at a time.
    #[kernel(block(64))]
    pub fn count_odd(x: &[u32], count: &[AtomicU32]) {
        let i = global_idx().x;
        let odd = i < x.len() && x[i] % 2 == 1;
        let lanes = warp::ballot(odd).count_ones();
        device::barrier();
        if thread_idx().x.is_multiple_of(32) && thread_idx().x < block_dim().x {
            count[0].fetch_add(lanes, Ordering::Relaxed);
        }
    }
}
