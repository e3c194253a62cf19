//! Faults of threads that the whole grid waits for.

use crate::harness::faults;

const SOURCE: &str = include_str!("grid.rs");
const FILE: &str = "faults/grid.rs";

faults! {
    "the first thread of a block that the grid waits for" first_of_block [cooperative] 8, 64, Any |armed, i, x, f, out| {
        /*@*/out[if armed && i == 192 { 512 } else { i }] = x[i];
        grid_barrier();
        let v = out[511 - i];
        grid_barrier();
        v
    }
    panics |t| { t == 192 => "index out of bounds: the len is 512 but the index is 512" }

    "the first thread of a grid that waits for it" first_of_grid [cooperative] 8, 64, Any |armed, i, x, f, out| {
        /*@*/assert!(!(armed && i == 0));
        out[i] = x[i];
        grid_barrier();
        let v = out[511 - i];
        grid_barrier();
        v
    }
    panics |t| { t == 0 => "assertion failed: !(armed && i == 0)" }

    "another thread that the grid waits for" another_of_grid [cooperative] 8, 64, Any |armed, i, x, f, out| {
        /*@*/assert!(!(armed && i == 333), "{i}");
        out[i] = x[i];
        grid_barrier();
        let v = out[511 - i];
        grid_barrier();
        v
    }
    panics |t| { t == 333 => "333" }

    "a block that the grid waits for" block_of_grid [cooperative] 8, 64, Any |armed, i, x, f, out| {
        /*@*/assert!(!(armed && block_idx().x == 5), "{i}");
        out[i] = x[i];
        grid_barrier();
        let v = out[511 - i];
        grid_barrier();
        v
    }
    panics |t| { t / 64 == 5 => "{t}" }

    "every thread of a grid" every_thread_of_grid [cooperative] 8, 64, Any |armed, i, x, f, out| {
        /*@*/assert!(!armed, "{i}");
        out[i] = x[i];
        grid_barrier();
        let v = out[511 - i];
        grid_barrier();
        v
    }
    panics |t| { true => "{t}" }

    "a thread between two barriers of the grid, in a loop" in_a_loop [cooperative] 4, 128, Any |armed, i, x, f, out| {
        out[i] = x[i];
        for round in 0..6 {
            grid_barrier();
            let v = out[(i + 1) % 512];
            grid_barrier();
            /*@*/assert!(!(armed && i == 256 && round == 3), "{round}");
            out[i] = v;
        }
        x[i]
    }
    panics |t| { t == 256 => "3" }

    "a thread after the last barrier of the grid" after_all [cooperative] 8, 64, Any |armed, i, x, f, out| {
        out[i] = x[i];
        grid_barrier();
        let v = out[511 - i];
        grid_barrier();
        /*@*/x[if armed && i == 64 { 600 } else { i }] + v
    }
    panics |t| { t == 64 => "index out of bounds: the len is 512 but the index is 600" }

    "a block whose sum decides whether the grid goes on" decides [cooperative] 4, 128, Any |armed, i, x, f, out| {
        let sum = block::reduce_add(x[i]);
        /*@*/assert!(!(armed && i % 128 == 0 && sum > 30000), "{sum}");
        if i == 511 {
            out[0] = 3;
        }
        grid_barrier();
        let mut left = out[0];
        while left > 0 {
            grid_barrier();
            if i == 511 {
                out[0] = left - 1;
            }
            grid_barrier();
            left = out[0];
        }
        grid_barrier();
        sum
    }
    panics |t| { t % 128 == 0 && t > 128 => "{}", if t == 256 { 40_896 } else { 57_280 } }
}
