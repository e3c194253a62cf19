use kernel_runtime::prelude::*;

#[kernel]
fn find(x: &[f32], out: &mut [u32]) {
    let mut place = 0;
    for i in 0..x.len() {
        #[predicate]
        if x[i] > 1.0 {
            break;
        }
        place += 1;
    }
    out[0] = place;
}

fn main() {}
