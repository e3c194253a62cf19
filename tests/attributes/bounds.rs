//! `launch_bounds`, `block`

use crate::harness::same_results;

mod plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = 2.0 * x[i] + 1.0;
        }
    }
}

mod launch_bounds {
    use kernel_runtime::prelude::*;

    #[kernel(launch_bounds(256, 8))]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = 2.0 * x[i] + 1.0;
        }
    }
}

mod block {
    use kernel_runtime::prelude::*;

    #[kernel(block(128))]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = 2.0 * x[i] + 1.0;
        }
    }
}

#[test]
fn launch_bounds_change_nothing() {
    same_results!("launch_bounds", launch_bounds, plain);
}

#[test]
fn a_fixed_block_changes_nothing() {
    same_results!("block", block, plain);
}
