use kernel_runtime::prelude::*;

#[allow(dead_code)]
trait Evil {
    fn get_unchecked(&self, i: usize) -> &u32;
}

impl Evil for [u32; 4] {
    fn get_unchecked(&self, _: usize) -> &u32 {
        &self[0]
    }
}

#[kernel]
fn read(y: &mut [u32]) {
    let t = [0u32; 4];
    y[0] = *t.get_unchecked(1 << 20);
}

fn main() {}
