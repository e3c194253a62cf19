mod mine {
    use kernel_runtime::prelude::*;

    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    pub struct F32x4 {
        pub x: f32,
    }

    #[kernel]
    pub fn fill(v: F32x4, y: &mut [F32x4]) {
        let i = global_idx().x;
        if i < y.len() {
            y[i] = v;
        }
    }
}

fn main() {
    let _ = mine::F32x4 { x: 1.0 };
}
