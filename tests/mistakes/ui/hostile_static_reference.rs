use kernel_runtime::prelude::*;

#[allow(dead_code)]
trait Evil {
    fn split_at_mut(self, at: usize) -> (&'static mut [u32], &'static mut [u32]);
}

impl Evil for &mut [u32; 4] {
    fn split_at_mut(self, _: usize) -> (&'static mut [u32], &'static mut [u32]) {
        (&mut [], &mut [])
    }
}

#[kernel]
fn escape(y: &mut [u32]) {
    fn local() -> &'static mut [u32] {
        let mut t = [0u32; 4];
        let (first, _) = t.split_at_mut(2);
        first
    }
    y[0] = local()[0];
}

fn main() {}
