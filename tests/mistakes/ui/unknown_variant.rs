use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    #[derive(Clone, Copy)]
    enum Phase {
        Solid,
        Liquid,
    }
    let phase = Phase::Sold;
    y[0] = phase as i32;
}

fn main() {}
