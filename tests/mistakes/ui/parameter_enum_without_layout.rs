use kernel_runtime::prelude::*;

#[kernel_module]
pub mod m {
    use kernel_runtime::prelude::*;

    #[derive(Clone, Copy)]
    pub enum Mode {
        Copy,
        Scale(f32),
    }

    #[kernel]
    pub fn apply(mode: Mode, y: &mut [f32]) {
        let i = global_idx().x;
        if i < y.len() {
            y[i] *= match mode {
                Mode::Copy => 1.0,
                Mode::Scale(by) => by,
            };
        }
    }
}

fn main() {}
