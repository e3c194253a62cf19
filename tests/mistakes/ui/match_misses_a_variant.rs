use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    #[derive(Clone, Copy)]
    enum Phase {
        Solid,
        Liquid,
        Gas,
    }
    let phase = if n > 0 { Phase::Solid } else { Phase::Gas };
    y[0] = match phase {
        Phase::Solid => 1,
        Phase::Gas => 2,
    };
}

fn main() {}
