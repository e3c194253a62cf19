//! Collectives on `let`: each is the function of the same meaning.

use crate::harness::same_results;

/// Two kernels that make `out[i]` of `v`, the thread's element or 0: with an attribute on the first `let`, and with the function
/// that it stands for.
macro_rules! pairs {
    ($($test:ident: $file:literal, $ty:ty, |$v:ident| $value:expr, #[$attribute:meta] = |$of:ident| $call:expr, |$r:ident| $result:expr;)*) => {$(
        mod $test {
            pub mod with {
                use kernel_runtime::prelude::*;

                #[kernel]
                pub fn k(x: &[f32], out: &mut [$ty]) {
                    const WIDTH: u32 = 4;
                    const ALL: u32 = u32::MAX;
                    let i = global_idx().x;
                    let $v = if i < x.len() { x[i] } else { 0.0 };
                    #[$attribute]
                    let $r = $value;
                    if i < out.len() {
                        out[i] = $result;
                    }
                }
            }

            pub mod without {
                use kernel_runtime::prelude::*;

                #[kernel]
                pub fn k(x: &[f32], out: &mut [$ty]) {
                    let i = global_idx().x;
                    let $v = if i < x.len() { x[i] } else { 0.0 };
                    let $of = $value;
                    let $r = $call;
                    if i < out.len() {
                        out[i] = $result;
                    }
                }
            }
        }

        #[test]
        fn $test() {
            use $test::{with, without};
            same_results!($file, with, without);
        }
    )*};
}

pairs! {
    shfl_down: "shfl_down", f32, |v| v, #[shfl(down = 16)] = |of| warp::shfl_down(of, 16), |r| r;
    shfl_up: "shfl_up", f64, |v| v as f64, #[shfl(up = 3, width = 8)] = |of| warp::shfl_up_width(of, 3, 8), |r| r;
    shfl_xor: "shfl_xor", u32, |v| v > 0.0, #[shfl(xor = 1)] = |of| warp::shfl_xor(of, 1), |r| r as u32;
    shfl_idx: "shfl_idx", i64, |v| v as i64, #[shfl(idx = 2, mask = ALL, width = WIDTH)]
        = |of| warp::shfl_idx_width_sync(0xffff_ffff, of, 2, 4), |r| r;
    shfl_vector: "shfl_vector", f32, |v| F32x2::new(v, 2.0 * v), #[shfl(xor = 8)] = |of| warp::shfl_xor(of, 8), |r| r.x + r.y;
    shfl_halves: "shfl_halves", f32, |v| F16x4::splat(f16::from_f32(v)), #[shfl(up = 2)] = |of| warp::shfl_up(of, 2),
        |r| r.x.to_f32() + r.w.to_f32();
    warp_reduce: "warp_reduce", f32, |v| v, #[warp_reduce(add)] = |of| warp::reduce_add(of), |r| r;
    warp_reduce_width: "warp_reduce_width", i32, |v| v as i32, #[warp_reduce(max, width = 8)] = |of| warp::reduce_max_width(of, 8), |r| r;
    warp_reduce_mask: "warp_reduce_mask", u32, |v| v as u32, #[warp_reduce(xor, mask = ALL)]
        = |of| warp::reduce_xor_sync(u32::MAX, of), |r| r;
    warp_reduce_all: "warp_reduce_all", u32, |v| v as u32, #[warp_reduce(or, mask = 0xffff_ffff)] = |of| warp::reduce_or(of), |r| r;
    warp_reduce_vector: "warp_reduce_vector", f32, |v| F32x4::splat(v), #[warp_reduce(min)] = |of| warp::reduce_min(of), |r| r.z;
    warp_reduce_bool: "warp_reduce_bool", u32, |v| v > 8.0, #[warp_reduce(or)] = |of| warp::reduce_or(of), |r| r as u32;
    warp_scan: "warp_scan", f32, |v| v, #[warp_scan(add)] = |of| warp::scan_add(of), |r| r;
    warp_scan_exclusive: "warp_scan_exclusive", i64, |v| v as i64, #[warp_scan(max, exclusive, width = 16)]
        = |of| warp::exclusive_scan_max_width(of, 16), |r| r;
    warp_scan_mask: "warp_scan_mask", u32, |v| v as u32, #[warp_scan(or, mask = ALL, exclusive)]
        = |of| warp::exclusive_scan_or_sync(0xffff_ffff, of), |r| r;
    block_reduce: "block_reduce", f32, |v| v, #[block_reduce(add)] = |of| block::reduce_add(of), |r| r;
    block_scan: "block_scan", f32, |v| v, #[block_scan(add)] = |of| block::scan_add(of), |r| r;
    block_scan_exclusive: "block_scan_exclusive", i32, |v| v as i32, #[block_scan(min, exclusive)] = |of| block::exclusive_scan_min(of), |r| r;
    redux: "redux", i32, |v| v as i32, #[redux(min)] = |of| warp::reduce_min(of), |r| r;
    redux_mask: "redux_mask", u32, |v| v as u32, #[redux(add, mask = ALL)] = |of| warp::redux_add_sync(u32::MAX, of), |r| r;
    ballot: "ballot", u32, |v| v > 0.0, #[ballot] = |of| warp::ballot(of), |r| r;
    any: "any", u32, |v| v > 13.0, #[any] = |of| warp::any(of), |r| r as u32;
    all: "all", u32, |v| v > -8.5, #[all(mask = u32::MAX)] = |of| warp::all_sync(u32::MAX, of), |r| r as u32;
    match_any: "match_any", u32, |v| v as i8, #[match_any] = |of| warp::match_any(of), |r| r;
    match_all: "match_all", u32, |v| F32x2::new(1.0, v * 0.0), #[match_all] = |of| warp::match_all(of), |r| r as u32;
}

/// The attribute is seen in functions that a kernel calls, and its operands are those in scope.
mod in_functions {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        fn total<T: Number, const WIDTH: u32>(v: T, mask: u32) -> T {
            #[warp_reduce(add, width = WIDTH, mask = mask)]
            let total = v;
            total
        }
        let i = global_idx().x;
        let of_pair = total::<f32, 2>(if i < x.len() { x[i] } else { 0.0 }, warp::active_mask());
        let distance = 1 + i as u32 / 4096;
        #[shfl(xor = distance)]
        let other: f32 = {
            #[warp_reduce(max)]
            let greatest = of_pair;
            greatest - of_pair
        };
        if i < out.len() {
            out[i] = other;
        }
    }
}

#[test]
fn in_functions_and_blocks() {
    use crate::harness::{LEN, Pair, floats};
    let kernel =
        Pair { cpu: |x, out| in_functions::k::cpu(x, out), device: |x, out| in_functions::k(x, out) };
    let mut x = floats();
    x.resize(LEN.next_multiple_of(32), 0.0);
    let pair = |i: usize| x[i] + x[i ^ 1];
    let expected: Vec<f32> =
        (0..LEN).map(|i| (i / 32 * 32..).take(32).map(pair).fold(f32::MIN, f32::max) - pair(i ^ 1)).collect();
    assert_eq!(kernel.result(), expected);
}

/// A reduction of integers, which is one instruction (`redux.sync`) on architectures that have it.
mod by_architecture {
    use kernel_runtime::prelude::*;

    #[kernel(arch(sm_75, sm_80))]
    pub fn k(x: &[f32], out: &mut [i32]) {
        let i = global_idx().x;
        let v = if i < x.len() { x[i] as i32 } else { 0 };
        #[warp_reduce(max)]
        let greatest = v;
        let sum = warp::reduce_add_sync(u32::MAX, v as u32) as i32;
        if i < out.len() {
            out[i] = greatest * 1000 + sum;
        }
    }
}

#[test]
fn the_hardware_reduces_where_it_can() {
    use crate::harness::{LEN, Pair, floats};
    let kernel =
        Pair { cpu: |x, out| by_architecture::k::cpu(x, out), device: |x, out| by_architecture::k(x, out) };
    let mut x: Vec<i32> = floats().iter().map(|x| *x as i32).collect();
    x.resize(LEN.next_multiple_of(32), 0);
    let expected: Vec<i32> = (0..LEN)
        .map(|i| {
            x[i / 32 * 32..][..32].iter().max().unwrap() * 1000 + x[i / 32 * 32..][..32].iter().sum::<i32>()
        })
        .collect();
    assert_eq!(kernel.result(), expected);
    let variants = by_architecture::k::KERNEL.variants().iter().map(|variant| variant.ptx);
    let counts: Vec<_> =
        variants.map(|ptx| (ptx.matches("redux.sync").count(), ptx.matches("shfl.sync").count())).collect();
    assert_eq!(counts, [(0, 10), (2, 0)]);
}

/// Attributes in the device functions of a module.
#[kernel_runtime::prelude::kernel_module]
mod in_module {
    use kernel_runtime::prelude::*;

    #[device]
    fn total(v: f32) -> f32 {
        #[warp_reduce(add)]
        let total = v;
        2.0 * total
    }

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        let v = 0.5 * total(if i < x.len() { x[i] } else { 0.0 });
        if i < out.len() {
            out[i] = v;
        }
    }
}

#[test]
fn in_modules() {
    use crate::harness::{LEN, Pair, floats};
    let kernel = Pair { cpu: |x, out| in_module::k::cpu(x, out), device: |x, out| in_module::k(x, out) };
    let x = floats();
    let sums = x.chunks(32).flat_map(|of_warp| vec![of_warp.iter().sum::<f32>(); of_warp.len()]);
    assert_eq!(kernel.result(), sums.take(LEN).collect::<Vec<f32>>());
}

/// Blocks need not be whole warps for what is theirs.
mod of_a_warp_and_a_half {
    use kernel_runtime::prelude::*;

    #[kernel(block(48))]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        #[block_reduce(add)]
        let sum = x[i];
        #[block_scan(max, exclusive)]
        let below = x[i];
        out[i] = sum + if thread_idx().x == 0 { 0.0 } else { below };
    }
}

#[test]
fn blocks_of_a_warp_and_a_half() {
    use crate::harness::{devices, floats};
    let x = &floats()[..96];
    let expected: Vec<f32> = (0..96)
        .map(|i| {
            let block = &x[i / 48 * 48..][..48];
            let below = block[..i % 48].iter().copied().reduce(f32::max);
            block.iter().sum::<f32>() + below.unwrap_or(0.0)
        })
        .collect();
    let mut found = vec![0.0; 96];
    of_a_warp_and_a_half::k::cpu(x, &mut found).grid(2).run().expect("it runs on the CPU");
    assert_eq!(found, expected);
    for gpu in devices() {
        let run = || {
            let (x, mut out) = (gpu.upload(x)?, gpu.zeros(96)?);
            of_a_warp_and_a_half::k(&x, &mut out).grid(2).run()?;
            out.to_vec()
        };
        assert_eq!(run().unwrap_or_else(|error| panic!("on {}: {error}", gpu.describe())), expected);
    }
}
