use kernel_runtime::prelude::*;

#[kernel_module]
mod particles {
    use kernel_runtime::prelude::*;

    #[derive(Clone, Copy)]
    pub struct Particle {
        pub x: f32,
        pub id: u32,
    }

    #[kernel]
    pub fn shift(by: f32, particles: &mut [Particle]) {
        let i = global_idx().x;
        particles[i].x += by;
    }
}

fn main() {}
