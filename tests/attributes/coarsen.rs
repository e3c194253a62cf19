//! `coarsen`

use crate::harness::same_results;

mod plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            let value = x[i];
            if value > 0.5 {
                out[i] = 2.0 * value + 1.0;
            } else {
                out[i] = 0.0;
            }
        }
    }
}

mod coarse {
    use kernel_runtime::prelude::*;

    #[kernel(coarsen(4))]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            let value = x[i];
            if value > 0.5 {
                out[i] = 2.0 * value + 1.0;
            } else {
                out[i] = 0.0;
            }
        }
    }
}

#[test]
fn four_elements_a_thread() {
    same_results!("coarsen", coarse, plain);
}
