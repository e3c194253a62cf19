use kernel_runtime::prelude::*;

#[kernel_module]
mod kernels {
    use kernel_runtime::prelude::*;

    #[device]
    fn square(v: f32) -> f32 {
        v * v
    }

    fn logged(v: f32) -> f32 {
        v + std::env::args().count() as f32
    }

    #[kernel]
    pub fn squares(x: &mut [f32]) {
        let i = global_idx().x;
        x[i] = square(Some(x[i]).map_or(0.0, logged));
    }
}

fn main() {}
