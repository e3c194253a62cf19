#![allow(unused_macros)]

macro_rules! inline_ptx {
    ($($tokens:tt)*) => {
        0
    };
}

mod kernels {
    use kernel_runtime::prelude::{kernel, global_idx};

    #[kernel]
    fn read(y: &mut [u64]) {
        let i = global_idx().x;
        y[i] = inline_ptx!("ld.global.u64 {d}, [{a}];", d = out(u64), a = in(u64) 0);
    }
}

fn main() {}
