use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], out: &mut [f32]) {
    let mut sum = 0.0f32;
    'rows: for row in 0..16 {
        #[ilp(2)]
        for i in 0..x.len() {
            if x[i] < 0.0 {
                continue 'rows;
            }
            sum += x[i] * row as f32;
        }
    }
    out[0] = sum;
}

fn main() {}
