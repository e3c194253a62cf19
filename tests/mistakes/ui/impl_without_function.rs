use kernel_runtime::prelude::*;

#[kernel_module]
mod shapes {
    use kernel_runtime::prelude::*;

    pub trait Surface {
        fn area(&self) -> f32;
        fn twice(&self) -> f32 {
            2.0 * self.area()
        }
    }
    pub struct Ball(f32);
    impl Surface for Ball {}

    #[kernel]
    pub fn areas(x: &[f32], y: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() && i < y.len() {
            y[i] = Ball(x[i]).twice();
        }
    }
}

fn main() {}
