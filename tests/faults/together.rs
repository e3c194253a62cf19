//! Faults of several threads, and of threads that others wait for.

use crate::harness::faults;

const SOURCE: &str = include_str!("together.rs");
const FILE: &str = "faults/together.rs";

faults! {
    "a thread of each block" each_block [] 8, 64, Others |armed, i, x, f, out| {
        let own = armed && thread_idx().x == 5 + block_idx().x;
        /*@*/x[if own { 1000 + block_idx().x } else { i }]
    }
    panics |t| { t % 64 == 5 + t / 64 => "index out of bounds: the len is 512 but the index is {}", 1000 + t / 64 }

    "every thread" every_thread [] 8, 64, Others |armed, i, x, f, out| {
        /*@*/x[if armed { 1000 + i } else { i }]
    }
    panics |t| { true => "index out of bounds: the len is 512 but the index is {}", 1000 + t }

    "every thread, with many values" every_thread_values [] 8, 64, Others |armed, i, x, f, out| {
        if armed {
            /*@*/panic!("{i} {} {:?} {} {}", x[i], f[i], block_idx().x, thread_idx().x)
        }
        x[i]
    }
    panics |t| { true => "{t} {t} {:?} {} {}", t as f32 / 2.0, t / 64, t % 64 }

    "a warp's lanes at two places" two_places [] 2, 32, Others |armed, i, x, f, out| {
        if armed && i % 32 < 4 {
            /*@*/x[512 + i]
        } else if armed && i % 32 > 29 {
            /*@*/panic!("{i}")
        } else {
            x[i]
        }
    }
    panics |t| {
        t % 32 < 4 => "index out of bounds: the len is 512 but the index is {}", 512 + t;
        t % 32 > 29 => "{t}";
    }

    "a thread that others wait for at a barrier" before_a_barrier [] 2, 128, Any |armed, i, x, f, out| {
        let mut tile = shared::<[i32; 128]>();
        let t = thread_idx().x;
        tile[t] = 3;
        barrier();
        /*@*/assert!(!(armed && i == 200));
        tile[t] = x[i];
        barrier();
        tile[127 - t]
    }
    panics |t| { t == 200 => "assertion failed: !(armed && i == 200)" }

    "a warp that others wait for at a barrier" warp_before_a_barrier [] 2, 128, Any |armed, i, x, f, out| {
        let mut tile = shared::<[i32; 128]>();
        let t = thread_idx().x;
        tile[t] = 3;
        barrier();
        /*@*/assert!(!(armed && t / 32 == 2), "{i}");
        tile[t] = x[i];
        barrier();
        tile[127 - t]
    }
    panics |t| { t % 128 / 32 == 2 => "{t}" }

    "all but one thread, which waits at a barrier" all_but_one [] 2, 128, Others |armed, i, x, f, out| {
        /*@*/assert!(!armed || i == 131, "{i}");
        barrier();
        x[i]
    }
    panics |t| { t != 131 => "{t}" }

    "a thread in a loop with barriers" loop_of_barriers [] 2, 64, Any |armed, i, x, f, out| {
        let mut partial = shared::<[i32; 64]>();
        let t = thread_idx().x;
        partial[t] = x[i];
        barrier();
        let mut width = 32;
        while width > 0 {
            if t < width {
                /*@*/assert!(!(armed && i == 67 && width == 4), "width {width}: {}", partial[t] > 0);
                partial[t] += partial[t + width];
            }
            barrier();
            width /= 2;
        }
        partial[0]
    }
    panics |t| { t == 67 => "width 4: true" }

    "a thread after a barrier" after_a_barrier [] 2, 64, Others |armed, i, x, f, out| {
        let mut tile = shared::<[i32; 64]>();
        tile[thread_idx().x] = x[i];
        barrier();
        let other = tile[63 - thread_idx().x];
        /*@*/assert!(!(armed && i == 70), "{other}");
        other
    }
    panics |t| { t == 70 => "121" }

    "a lane after a shuffle" after_a_shuffle [] 2, 64, Others |armed, i, x, f, out| {
        let mut other = warp::shfl_xor(x[i], 5);
        let by = if armed && i == 71 { 0 } else { 2 };
        /*@*/other / by
    }
    panics |t| { t == 71 => "attempt to divide by zero" }

    "a lane before a shuffle" before_a_shuffle [] 2, 64, Any |armed, i, x, f, out| {
        /*@*/assert!(!(armed && i == 72), "{}", f[i]);
        warp::shfl_xor(x[i], 5)
    }
    panics |t| { t == 72 => "36" }

    "a lane before a reduction of the warp" before_a_reduction [] 2, 64, Any |armed, i, x, f, out| {
        /*@*/assert!(!(armed && i == 73), "{}", f[i]);
        warp::reduce_add(x[i])
    }
    panics |t| { t == 73 => "36.5" }

    "a thread before a reduction of the block" before_a_block_reduction [] 2, 64, Any |armed, i, x, f, out| {
        /*@*/assert!(!(armed && i == 74), "{}", f[i]);
        #[block_reduce(add)]
        let sum = x[i];
        sum
    }
    panics |t| { t == 74 => "37" }

    "a whole warp before a reduction of the block" warp_before_a_block_reduction [] 2, 64, Any |armed, i, x, f, out| {
        /*@*/assert!(!(armed && i / 32 == 1), "{}", f[i]);
        block::reduce_add(x[i])
    }
    panics |t| { t / 32 == 1 => "{}", t as f32 / 2.0 }

    "a lane before a vote" before_a_vote [] 2, 64, Any |armed, i, x, f, out| {
        /*@*/assert!(!(armed && i == 75), "{}", f[i]);
        warp::ballot(x[i] % 2 == 0) as i32 + warp::match_any(x[i] / 4) as i32
    }
    panics |t| { t == 75 => "37.5" }

    "a value of shared memory, of another thread" of_another_thread [] 2, 64, Others |armed, i, x, f, out| {
        let mut tile = shared::<[usize; 64]>();
        let t = thread_idx().x;
        tile[t] = if armed && i == 76 { 700 } else { i };
        barrier();
        /*@*/x[tile[(t + 1) % 64]]
    }
    panics |t| { t == 75 => "index out of bounds: the len is 512 but the index is 700" }
}
