use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_idx().x;
    y[i] = unsafe {
        inline_ptx!(
            "add.u32 {d}, {a}, 1;",
            "add.rn.u32 {d}, {d}, 1;",
            d = out(u32),
            a = in(u32) x[i],
        )
    };
}

fn main() {}
