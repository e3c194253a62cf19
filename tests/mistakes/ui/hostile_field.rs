mod evil {
    #[allow(non_camel_case_types)]
    pub type f64 = f32;
}

#[kernel_runtime::prelude::kernel_module]
mod kernels {
    use super::evil::f64;
    use kernel_runtime::prelude::*;

    #[derive(Clone, Copy)]
    #[repr(C)]
    pub struct P {
        pub a: f64,
    }

    #[kernel]
    pub fn fill(p: P, y: &mut [f32]) {
        y[0] = p.a as f32;
    }
}

fn main() {}
