use kernel_runtime::prelude::*;

#[kernel_module]
mod kernels {
    use kernel_runtime::prelude::*;

    const fn warps() -> usize { 4 }
    const BLOCK: usize = 32 * warps();

    #[kernel(block(BLOCK))]
    pub fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
}

fn main() {}
