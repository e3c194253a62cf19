//! A kernel that needs many registers, with attributes that leave it few.

/// The kernel under a name, with attributes: each thread carries 64 values through a loop.
macro_rules! carries_many {
    ($name:ident, $($attribute:tt)*) => {
        #[doc = concat!("`", stringify!($($attribute)*), "`")]
        #[kernel_runtime::prelude::kernel($($attribute)*)]
        pub fn $name(rounds: u32, x: &[f32], y: &mut [f32]) {
            let i = global_idx().x;
            let mut values = [0.0f32; 64];
            #[unroll]
            for k in 0..64 {
                values[k] = x[(i + k) % x.len()];
            }
            for _ in 0..rounds {
                let first = values[0];
                #[unroll]
                for k in 0..63 {
                    values[k] = values[k] * 0.5 + values[k + 1];
                }
                values[63] = values[63] * 0.5 + first;
            }
            let mut sum = 0.0;
            #[unroll]
            for k in 0..64 {
                sum += values[k];
            }
            if i < y.len() {
                y[i] = sum;
            }
        }
    };
}

carries_many!(free, launch_bounds(256));
carries_many!(unbounded,);
carries_many!(largest_block, launch_bounds(1024));
carries_many!(eight_blocks, launch_bounds(256, 8));
carries_many!(at_most_40, maxnreg(40));
carries_many!(never_spills, launch_bounds(256, 8), spills(0));
carries_many!(half_full, launch_bounds(256), occupancy(min = 0.75));
