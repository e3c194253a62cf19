use kernel_runtime::prelude::*;

#[kernel_module]
mod kernels {
    use kernel_runtime::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx().x;
        if i < y.len() {
            y.
        }
    }
}

fn main() {}
