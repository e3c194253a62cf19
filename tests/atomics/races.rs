//! Kernels with a planted race, which the sanitizer locates, and versions without one, of which it reports nothing.
//!
//! Two blocks of 64 threads; `flags` are eight zeros, `data` as many. The kernels without a race leave 7 in `data[4]`.

use kernel_runtime::{Arch, DeviceBuffer, Gpu, Launch};

use crate::devices;

fn run(
    gpu: &Gpu,
    launch: impl for<'a> Fn(&'a mut DeviceBuffer<u32>, &'a mut DeviceBuffer<u32>) -> Launch<'a>,
) -> Result<Vec<u32>, kernel_runtime::Error> {
    let (mut flags, mut data) = (gpu.zeros::<u32>(8)?, gpu.zeros::<u32>(8)?);
    launch(&mut flags, &mut data).grid(2).block(64).run()?;
    data.to_vec()
}

/// A planted race and a version without it: statements, with `flags`, `data`, the block `b` and the thread `t`.
macro_rules! races {
    (($flags:ident, $data:ident, $b:ident, $t:ident) $($name:ident: $fault:block says $says:literal at $at:literal, $clean:block;)*) => {$(
        mod $name {
            pub mod fault {
                use kernel_runtime::prelude::*;

                #[kernel(block(64))]
                #[allow(unused_variables, clippy::all)]
                pub fn planted($flags: &[AtomicU32], $data: &mut [u32]) {
                    let $b = block_idx().x;
                    let $t = thread_idx().x;
                    $fault
                }
            }

            pub mod clean {
                use kernel_runtime::prelude::*;

                #[kernel(block(64))]
                #[allow(unused_variables, clippy::all)]
                pub fn twin($flags: &[AtomicU32], $data: &mut [u32]) {
                    let $b = block_idx().x;
                    let $t = thread_idx().x;
                    $clean
                }
            }
        }

        #[test]
        fn $name() {
            let error = run(&Gpu::simulator(Arch::Sm90), |flags, data| $name::fault::planted(flags, data));
            let error = error.map(|data| format!("{data:?}")).expect_err("the race is not found").to_string();
            let is_told = error.contains($says) && error.contains("races.rs:") && error.contains($at);
            assert!(is_told, "expected `{}` in `{}`, found:\n{error}", $says, $at);
            for gpu in devices() {
                let data = run(&gpu, |flags, data| $name::clean::twin(flags, data));
                let data = data.unwrap_or_else(|error| panic!("on {}: {error}", gpu.describe()));
                assert_eq!(data[4], 7, "on {}", gpu.describe());
            }
        }
    )*};
}

races! {
    (flags, data, b, t)
    // Block 0 leaves data and sets a flag; block 1 waits for it.
    relaxed_hand_over: {
        if b == 0 && t == 0 { data[1] = 7; flags[0].store(1, Ordering::Relaxed); }
        if b == 1 && t == 0 {
            while flags[0].load(Ordering::Relaxed) == 0 {}
            data[4] = data[1];
        }
    } says "and nothing orders them" at "ld.global", {
        if b == 0 && t == 0 { data[1] = 7; flags[0].store(1, Ordering::Release); }
        if b == 1 && t == 0 {
            while flags[0].load(Ordering::Acquire) == 0 {}
            data[4] = data[1];
        }
    };
    // Ordered on the writer's side only; the version without a race has a fence behind the relaxed loads.
    relaxed_wait: {
        if b == 0 && t == 0 { data[1] = 7; flags[0].store(1, Ordering::Release); }
        if b == 1 && t == 0 {
            while flags[0].load(Ordering::Relaxed) == 0 {}
            data[4] = data[1];
        }
    } says "and nothing orders them" at "ld.global", {
        if b == 0 && t == 0 { data[1] = 7; fence(Ordering::Release, Scope::Device); flags[0].store(1, Ordering::Relaxed); }
        if b == 1 && t == 0 {
            while flags[0].load(Ordering::Relaxed) == 0 {}
            fence(Ordering::Acquire, Scope::Device);
            data[4] = data[1];
        }
    };
    // Atomic at block scope between blocks; in the version without a race each block keeps to its own elements.
    narrow_hand_over: {
        if b == 0 && t == 0 { data[1] = 7; flags[0].block().store(1, Ordering::Release); }
        if b == 1 && t == 0 {
            while flags[0].block().load(Ordering::Acquire) == 0 {}
            data[4] = data[1];
        }
    } says "atomic at block scope, in different blocks" at "acquire.cta", {
        if t == 0 { data[b] = 7; flags[b].block().store(1, Ordering::Release); }
        if t == 32 {
            while flags[b].block().load(Ordering::Acquire) == 0 {}
            data[4 + b] = data[b];
        }
    };
    // Counted at block scope by both blocks.
    narrow_counter: {
        flags[0].block().fetch_add(1, Ordering::Relaxed);
    } says "atomic at block scope, in different blocks" at "red.relaxed.cta", {
        flags[b].block().fetch_add(1, Ordering::Relaxed);
        flags[2].fetch_add(1, Ordering::Relaxed);
        if b == 0 && t == 0 { data[4] = 7; }
    };
    // Written after the flag was set.
    late_write: {
        if b == 0 && t == 0 { data[1] = 6; flags[0].store(1, Ordering::Release); data[2] = 7; }
        if b == 1 && t == 0 {
            while flags[0].load(Ordering::Acquire) == 0 {}
            data[4] = data[2];
        }
    } says "and nothing orders them" at "ld.global", {
        if b == 0 && t == 0 { data[1] = 6; data[2] = 7; flags[0].store(1, Ordering::Release); }
        if b == 1 && t == 0 {
            while flags[0].load(Ordering::Acquire) == 0 {}
            data[4] = data[2];
        }
    };
    // One thread of the block has waited, all read.
    wait_without_barrier: {
        if b == 0 && t == 0 { data[1] = 7; flags[0].store(1, Ordering::Release); }
        if b == 1 {
            if t == 0 { while flags[0].load(Ordering::Acquire) == 0 {} }
            if t == 32 { data[4] = data[1]; }
        }
    } says "and nothing orders them" at "ld.global", {
        if b == 0 && t == 0 { data[1] = 7; flags[0].store(1, Ordering::Release); }
        if b == 1 {
            if t == 0 { while flags[0].load(Ordering::Acquire) == 0 {} }
            barrier();
            if t == 32 { data[4] = data[1]; }
        }
    };
    // The last block takes what both have left; the fault counts with a relaxed order.
    last_block: {
        if t == 0 {
            data[b] = 3 + b as u32;
            if flags[0].fetch_add(1, Ordering::Relaxed) == 1 { data[4] = data[0] + data[1]; }
        }
    } says "and nothing orders them" at "ld.global", {
        if t == 0 {
            data[b] = 3 + b as u32;
            if flags[0].fetch_add(1, Ordering::AcqRel) == 1 { data[4] = data[0] + data[1]; }
        }
    };
    // A lock that is given back with a relaxed store.
    leaky_lock: {
        if t % 32 == 0 {
            while flags[0].swap(1, Ordering::Acquire) == 1 {}
            data[3] += 1;
            flags[0].store(0, Ordering::Relaxed);
        }
    } says "and nothing orders them" at "ld.global", {
        if t % 32 == 0 {
            while flags[0].swap(1, Ordering::Acquire) == 1 {}
            data[3] += 1;
            if data[3] == 4 { data[4] = 7; }
            flags[0].store(0, Ordering::Release);
        }
    };
}
