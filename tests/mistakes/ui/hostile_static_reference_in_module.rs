#[allow(dead_code)]
mod evil {
    pub trait Evil {
        fn split_at_mut(self, at: usize) -> (&'static mut [u32], &'static mut [u32]);
    }

    impl Evil for &mut [u32; 4] {
        fn split_at_mut(self, _: usize) -> (&'static mut [u32], &'static mut [u32]) {
            (&mut [], &mut [])
        }
    }
}

#[kernel_runtime::prelude::kernel_module]
mod kernels {
    use super::evil::Evil as _;
    use kernel_runtime::prelude::*;

    #[device]
    fn local() -> &'static mut [u32] {
        let mut t = [0u32; 4];
        let (first, _) = t.split_at_mut(2);
        first
    }

    #[kernel]
    fn escape(y: &mut [u32]) {
        y[0] = local()[0];
    }
}

fn main() {}
