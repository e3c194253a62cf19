//! `unsafe fn` kernels, and pointers as their parameters and into shared memory.

use kernel_runtime::prelude::*;

use crate::devices;

/// # Safety
/// There are `n` elements behind each pointer.
#[kernel]
unsafe fn axpy(a: f32, x: *const f32, y: *mut f32, n: usize) {
    let i = global_idx().x;
    if i < n {
        // SAFETY: by the condition of the kernel.
        unsafe { *y.add(i) += a * *x.add(i) };
    }
}

#[test]
fn pointers_from_the_host() {
    let (x, y) = ([1.0f32, 2.0, 3.0, 4.0, 5.0], [10.0f32; 5]);
    let expected = [12.0, 14.0, 16.0, 18.0, 20.0];
    let mut on_cpu = y;
    // SAFETY: both have five elements.
    unsafe { axpy::cpu(2.0, x.as_ptr(), on_cpu.as_mut_ptr(), 5) }.over(5).run().expect("it runs");
    assert_eq!(on_cpu, expected);
    for gpu in devices() {
        let (x, mut y) = (gpu.upload(&x).expect("there is room"), gpu.upload(&y).expect("there is room"));
        // SAFETY: both have five elements.
        unsafe { axpy(2.0, &x, &mut y, 5) }.over(5).run().expect("it runs");
        assert_eq!(y.to_vec().expect("it is there"), expected);
        // Bare pointers name no device. The last two of `x` go to the first two of `y`.
        let (from, to) = (x.as_device_ptr().wrapping_add(3), y.as_device_ptr());
        // SAFETY: two elements are left of `x` there, and `y` has five.
        unsafe { axpy(1.0, from, to, 2) }.over(2).on(&gpu).run().expect("it runs");
        assert_eq!(y.to_vec().expect("it is there"), [16.0, 19.0, 16.0, 18.0, 20.0]);
        // SAFETY: nothing is followed, since the launch is refused.
        let refused = unsafe { axpy(1.0, from, to, 2) }.over(2).run().expect_err("no device is known");
        assert!(refused.to_string().contains("device"), "{refused}");
    }
}

#[test]
fn both_pointers_may_go_to_one_buffer() {
    for gpu in devices() {
        let x = gpu.upload(&[1.0f32, 2.0, 3.0]).expect("there is room");
        // SAFETY: there are three elements, and each thread reads and writes its own.
        unsafe { axpy(3.0, x.as_device_ptr(), x.as_device_ptr(), 3) }
            .over(3)
            .on(&gpu)
            .run()
            .expect("it runs");
        assert_eq!(x.to_vec().expect("it is there"), [4.0, 8.0, 12.0]);
    }
}

#[test]
fn what_is_outside_is_found_by_the_sanitizer() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let (x, mut y) =
        (gpu.zeros::<f32>(4).expect("there is room"), gpu.zeros::<f32>(4).expect("there is room"));
    // SAFETY: the simulator keeps what is outside apart, which this test is about.
    let fault = unsafe { axpy(1.0, &x, &mut y, 5) }.over(5).run().expect_err("element 4 is outside");
    let text = fault.to_string();
    assert!(text.contains("pointers.rs:14"), "{text}");
}

#[test]
fn buffers_of_another_device_are_refused() {
    let (gpu, other) = (Gpu::simulator(Arch::Sm90), Gpu::simulator(Arch::Sm90));
    let (x, mut y) =
        (other.zeros::<f32>(4).expect("there is room"), gpu.zeros::<f32>(4).expect("there is room"));
    // SAFETY: the launch is refused.
    let error = unsafe { axpy(1.0, &x, &mut y, 4) }.over(4).run().expect_err("`y` is elsewhere");
    assert!(error.to_string().contains('y'), "{error}");
}

/// # Safety
/// `index` holds numbers below the length of `x`.
#[kernel(instances(T = [f32, u8, F32x2]))]
unsafe fn gather<T: Copy>(x: &[T], index: *const u32, out: &mut [T]) {
    let i = global_idx().x;
    if i < out.len() {
        // SAFETY: by the condition of the kernel, which is launched with as many indices as results.
        unsafe { *out.get_unchecked_mut(i) = *x.get_unchecked(*index.add(i) as usize) };
    }
}

#[test]
fn generic_kernels_are_unsafe_too() {
    let index = [3u32, 0, 2];
    let mut on_cpu = [0u8; 3];
    // SAFETY: the indices are below 4.
    unsafe { gather::cpu::<u8>(&[10, 11, 12, 13], index.as_ptr(), &mut on_cpu) }
        .over(3)
        .run()
        .expect("it runs");
    assert_eq!(on_cpu, [13, 10, 12]);
    for gpu in devices() {
        let x: Vec<F32x2> = (0..4u8).map(|k| F32x2::new(f32::from(k), -1.0)).collect();
        let (x, index) = (gpu.upload(&x).expect("there is room"), gpu.upload(&index).expect("there is room"));
        let mut out = gpu.zeros::<F32x2>(3).expect("there is room");
        // SAFETY: the indices are below 4.
        unsafe { gather::<F32x2>(&x, &index, &mut out) }.over(3).run().expect("it runs");
        let found: Vec<f32> = out.to_vec().expect("it is there").iter().map(|v| v.x).collect();
        assert_eq!(found, [3.0, 0.0, 2.0]);
    }
}

#[test]
fn the_unchecked_variant_has_no_checks() {
    let ptx = gather::kernel::<f32>().ptx();
    assert!(!ptx.contains("panic"), "{ptx}");
    // Stores and loads of elements go straight to global memory.
    assert!(ptx.contains("ld.global") && ptx.contains("st.global.f32") && !ptx.contains("ld.f32"), "{ptx}");
}

/// Each thread writes to its neighbour's place in shared memory by a pointer.
#[kernel(block(64))]
fn rotate(x: &[i32], out: &mut [i32]) {
    let mut tile = shared::<[i32; 64]>();
    let (t, i) = (thread_idx().x, global_idx().x);
    let p = tile.as_mut_ptr();
    // SAFETY: `t` is below 64.
    unsafe { p.add((t + 1) % 64).write(x[i]) };
    barrier();
    // SAFETY: as before.
    out[i] = unsafe { p.wrapping_add(t).read() };
}

#[test]
fn pointers_into_shared_memory() {
    let x: Vec<i32> = (0..128).collect();
    let expected: Vec<i32> = x.iter().map(|&k| k / 64 * 64 + (k + 63) % 64).collect();
    let mut on_cpu = vec![0; 128];
    rotate::cpu(&x, &mut on_cpu).grid(2).run().expect("it runs");
    assert_eq!(on_cpu, expected);
    for gpu in devices() {
        let (x, mut out) = (gpu.upload(&x).expect("there is room"), gpu.zeros(128).expect("there is room"));
        rotate(&x, &mut out).grid(2).run().expect("it runs");
        assert_eq!(out.to_vec().expect("it is there"), expected);
    }
    // The pass that finds spaces knows where the pointer goes.
    let ptx = rotate::KERNEL.ptx();
    assert!(ptx.contains("st.shared") && ptx.contains("ld.shared"), "{ptx}");
}

#[kernel_module]
mod lists {
    use kernel_runtime::prelude::*;

    /// # Safety
    /// `k` is below the length of `x`.
    #[device]
    unsafe fn element(x: &[f32], k: usize) -> f32 {
        // SAFETY: by the condition above.
        unsafe { *x.get_unchecked(k) }
    }

    /// # Safety
    /// `x` has twice as many elements as `out`.
    #[kernel]
    pub unsafe fn pairs(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            // SAFETY: by the condition of the kernel.
            out[i] = unsafe { element(x, 2 * i) + element(x, 2 * i + 1) };
        }
    }
}

#[test]
fn device_functions_of_modules() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let x = gpu.upload(&[1.0f32, 2.0, 3.0, 4.0]).expect("there is room");
    let mut out = gpu.zeros::<f32>(2).expect("there is room");
    // SAFETY: `x` has four elements, `out` two.
    unsafe { lists::pairs(&x, &mut out) }.over(2).run().expect("it runs");
    assert_eq!(out.to_vec().expect("it is there"), [3.0, 7.0]);
}

/// The CPU copy checks what a GPU does not.
#[test]
fn the_copy_on_the_cpu_tells_of_unchecked_indices() {
    let mut out = [0.0];
    // SAFETY: the copy checks the index, which this test is about.
    let error =
        unsafe { lists::pairs::cpu(&[1.0], &mut out) }.over(1).run().expect_err("element 1 is outside");
    assert!(
        error.to_string().contains("`get_unchecked` requires that the index is within the slice"),
        "{error}"
    );
}

/// One thread waits for another by volatile accesses, of which none is left out.
#[kernel]
fn hand_over(y: &mut [u32]) {
    let i = global_idx().x;
    let len = y.len();
    if len >= 3 && i < 64 {
        // SAFETY: references to elements; who reads what another writes does so as often as written.
        unsafe {
            if i == 32 {
                core::ptr::write_volatile(&mut y[1], 7);
                thread_fence();
                core::ptr::write_volatile(&mut y[0], 1);
                core::ptr::write_volatile(&mut y[0], 1);
            } else if i == 0 {
                while core::ptr::read_volatile(&y[0]) == 0 {}
                thread_fence();
                core::ptr::write_volatile(
                    &mut y[2],
                    core::ptr::read_volatile(&y[1]) + core::ptr::read_volatile(&y[1]),
                );
            }
        }
    }
}

#[test]
fn volatile_accesses_are_as_many_as_written() {
    let ptx = hand_over::KERNEL.ptx();
    let count = |words: &str| ptx.matches(words).count() / ptx.matches(".entry").count();
    assert_eq!((count("ld.volatile.global.u32"), count("st.volatile.global.u32")), (3, 4), "{ptx}");
    let mut on_cpu = [0; 3];
    hand_over::cpu(&mut on_cpu).over(64).block(64).run().expect("it runs");
    assert_eq!(on_cpu, [1, 7, 14]);
    for gpu in devices() {
        let mut y = gpu.zeros::<u32>(3).expect("there is room");
        hand_over(&mut y).over(64).block(64).run().expect("it runs");
        assert_eq!(y.to_vec().expect("it is there"), [1, 7, 14]);
    }
}
