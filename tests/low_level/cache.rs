//! Accesses that say something to the caches: the same values as without, and the modifiers in the PTX.

use kernel_runtime::prelude::*;

use crate::devices;

/// Every load and every store once; each gives what plain indexing gives.
#[kernel]
fn all(x: &[u32], y: &mut [u32], out: &mut [u32]) {
    let i = global_idx().x;
    if i < x.len() && i < y.len() && i < out.len() {
        let mut s = cache::load_ca(&x[i]) + 3 * cache::load_cg(&x[x.len() - 1 - i]);
        cache::store_wb(&mut y[i], s);
        s += 5 * cache::load_cv(&y[i]);
        cache::store_cg(&mut y[i], s);
        s += 7 * cache::load_cv(&y[i]);
        cache::store_cs(&mut y[i], s);
        s += 9 * cache::load_cv(&y[i]);
        cache::store_wt(&mut y[i], s);
        s += 11 * cache::load_cv(&y[i]);
        cache::store_evict_first(&mut y[i], s);
        cache::store_evict_last(&mut out[i], s);
        cache::store_no_allocate(&mut out[i], s + cache::load_lu(&y[i]));
    }
}

fn expected(x: u32, mirrored: u32) -> u32 {
    let mut s = x.wrapping_add(mirrored.wrapping_mul(3));
    for factor in [5, 7, 9, 11] {
        s = s.wrapping_add(s.wrapping_mul(factor));
    }
    s.wrapping_mul(2)
}

#[test]
fn every_operator() {
    let x: Vec<u32> = (0..100u32).map(|k| k * 77_777).collect();
    let want: Vec<u32> = x.iter().zip(x.iter().rev()).map(|(&x, &mirrored)| expected(x, mirrored)).collect();
    let (mut y, mut out) = ([0; 100], [0; 100]);
    all::cpu(&x, &mut y, &mut out).over(100).run().expect("the CPU runs it");
    assert_eq!(out[..], want, "on the CPU");
    for gpu in devices() {
        let x = gpu.upload(&x).expect("there is room");
        let (mut y, mut out) =
            (gpu.zeros(100).expect("there is room"), gpu.zeros(100).expect("there is room"));
        all(&x, &mut y, &mut out).over(100).run().expect("it runs");
        assert_eq!(out.to_vec().expect("it is there"), want, "on {gpu}");
    }
    let ptx = all::KERNEL.ptx();
    for text in [
        "ld.global.ca.nc.u32",
        "ld.global.cg.nc.u32",
        "ld.global.cv.u32",
        "st.global.wb.u32",
        "st.global.cg.u32",
        "st.global.cs.u32",
        "st.global.wt.u32",
        "st.global.L1::evict_first.u32",
        "st.global.L1::no_allocate.u32",
    ] {
        assert!(ptx.contains(text), "{text} in {ptx}");
    }
    assert!(ptx.matches("ld.global.cv.u32").count() >= 4, "each of them reads: {ptx}");
}

#[kernel_module]
mod whole {
    use kernel_runtime::prelude::*;

    /// Four floats that lie together.
    #[derive(Clone, Copy, Element)]
    #[repr(C, align(16))]
    pub struct Quad {
        pub lanes: [f32; 4],
    }

    #[kernel]
    pub fn wide(x: &[Quad], v: &[F32x4], out: &mut [F32x4]) {
        let i = global_idx().x;
        if i < x.len() && i < v.len() && i < out.len() {
            let quad = cache::load_no_allocate_l2_256b(&x[i]);
            let sum = cache::load_cs(&v[i]) + F32x4::from_array(quad.lanes);
            cache::store_cs(&mut out[i], sum);
        }
    }
}

use whole::{Quad, wide};

#[test]
fn vectors_and_structs_whole() {
    let x: Vec<Quad> = (0..50).map(|k| Quad { lanes: [k as f32, 0.5, 1.5, -1.0] }).collect();
    let v: Vec<F32x4> = (0..50).map(|k| F32x4::new(1.0, k as f32, 2.0, 3.0)).collect();
    let want: Vec<[f32; 4]> = (0..50).map(|k| [k as f32 + 1.0, k as f32 + 0.5, 3.5, 2.0]).collect();
    for gpu in devices() {
        let (x, v) = (gpu.upload(&x).expect("there is room"), gpu.upload(&v).expect("there is room"));
        let mut out = gpu.zeros::<F32x4>(50).expect("there is room");
        wide(&x, &v, &mut out).over(50).run().expect("it runs");
        let found: Vec<[f32; 4]> = out.to_vec().expect("it is there").iter().map(|v| v.to_array()).collect();
        assert_eq!(found, want, "on {gpu}");
    }
    let ptx = wide::KERNEL.ptx();
    for text in
        ["ld.global.nc.L1::no_allocate.L2::256B.v4.f32", "ld.global.cs.nc.v4.f32", "st.global.cs.v4.f32"]
    {
        assert!(ptx.contains(text), "{text} in {ptx}");
    }
    assert_eq!(wide::KERNEL.variants()[0].target, Arch::Sm80);
}

/// As ordinary indexing: the guard proves the first, the second is checked.
#[kernel]
fn checked(x: &[f32], at: &[u32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < at.len() && i < out.len() {
        cache::prefetch_l1(&x[0]);
        cache::prefetch_l2(&at[i]);
        let at = cache::load_cs(&at[i]) as usize;
        cache::store_cs(&mut out[i], cache::load_evict_last(&x[at]));
    }
}

#[test]
fn indices_are_checked() {
    for gpu in devices() {
        let x = gpu.upload(&[1.0f32, 2.0, 4.0]).expect("there is room");
        let mut out = gpu.zeros::<f32>(3).expect("there is room");
        let at = gpu.upload(&[2u32, 0, 1]).expect("there is room");
        checked(&x, &at, &mut out).over(3).run().expect("it runs");
        assert_eq!(out.to_vec().expect("it is there"), [4.0, 1.0, 2.0], "on {gpu}");
        let at = gpu.upload(&[2u32, 3, 1]).expect("there is room");
        let error = checked(&x, &at, &mut out).over(3).run().expect_err("there is no element 3");
        assert!(error.to_string().contains("the len is 3 but the index is 3"), "{error}");
    }
    let ptx = checked::KERNEL.ptx();
    assert!(ptx.contains("prefetch.global.L1") && ptx.contains("prefetch.global.L2"), "{ptx}");
}

/// Of memory that is not global nothing is said.
#[kernel(block(32))]
fn shared_memory(out: &mut [u32]) {
    let mut tile = shared::<[u32; 32]>();
    let t = thread_idx().x;
    cache::store_cs(&mut tile[t], t as u32);
    barrier();
    if t < out.len() {
        out[t] = cache::load_no_allocate(&tile[31 - t]);
    }
}

#[test]
fn shared_memory_has_no_caches() {
    for gpu in devices() {
        let mut out = gpu.zeros::<u32>(32).expect("there is room");
        shared_memory(&mut out).grid(1).run().expect("it runs");
        assert_eq!(out.to_vec().expect("it is there"), (0..32).rev().collect::<Vec<u32>>());
    }
    let ptx = shared_memory::KERNEL.ptx();
    assert!(!ptx.contains(".cs") && !ptx.contains("no_allocate"), "{ptx}");
}

/// Copies of the body, and elements together, keep what they say.
#[kernel(coarsen(4))]
fn coarse(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        cache::store_cs(&mut out[i], 2.0 * cache::load_cs(&x[i]));
    }
}

#[test]
fn coarsened_kernels_keep_them() {
    let x: Vec<f32> = (0..1001).map(|k| k as f32).collect();
    for gpu in devices() {
        let (x, mut out) =
            (gpu.upload(&x).expect("there is room"), gpu.zeros::<f32>(1001).expect("there is room"));
        coarse(&x, &mut out).over(1001).run().expect("it runs");
        assert!(out.to_vec().expect("it is there").iter().zip(0..).all(|(&v, k)| v == 2.0 * k as f32));
    }
    let ptx = coarse::KERNEL.ptx();
    assert!(ptx.contains("ld.global.cs.nc.v4.f32") && ptx.contains("st.global.cs.v4.f32"), "{ptx}");
}

#[test]
fn ptxas_takes_them() {
    for ptx in [all::KERNEL.ptx(), wide::KERNEL.ptx(), checked::KERNEL.ptx(), coarse::KERNEL.ptx()] {
        if tests::toolchain::assemble_all_everywhere(&[("cache", ptx)]).is_none() {
            return;
        }
    }
}
