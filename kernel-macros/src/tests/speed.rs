//! How long the front end takes.

use std::time::{Duration, Instant};

/// A kernel of 30 lines.
const KERNEL: &str = r#"
#[kernel(launch_bounds(256, 4))]
pub fn transpose_and_scale(scale: f32, width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    const TILE: usize = 32;
    const ROWS: usize = TILE / 4;
    let mut tile = shared::<[[f32; TILE + 1]; TILE]>();
    let column = block_idx().x * TILE + thread_idx().x;
    let row = block_idx().y * TILE + thread_idx().y;
    for j in (0..TILE).step_by(ROWS) {
        if column < width && row + j < height {
            tile[thread_idx().y + j][thread_idx().x] = x[(row + j) * width + column];
        }
    }
    barrier();
    let column = block_idx().y * TILE + thread_idx().x;
    let row = block_idx().x * TILE + thread_idx().y;
    let mut sum = 0.0;
    for j in (0..TILE).step_by(ROWS) {
        if column < height && row + j < width {
            let v: f32 = tile[thread_idx().x][thread_idx().y + j];
            let bounded = if v > 1.0 { 1.0 } else if v < -1.0 { -1.0 } else { v * scale + 0.5 };
            y[(row + j) * height + column] = bounded.mul_add(2.0, v).abs().sqrt();
            sum += bounded * v;
        }
    }
    let total = warp::shfl_down(sum, 16) + warp::shfl_xor(sum, 1);
    if warp::lane_id() == 0 {
        y[global_idx().x] = total.max(f32::NEG_INFINITY);
    }
}
"#;

#[test]
fn thirty_lines_in_less_than_four_milliseconds() {
    let mut best = Duration::MAX;
    for _ in 0..20 {
        // Tokens are rustc's work.
        let tokens: proc_macro2::TokenStream = KERNEL.parse().expect("tokens");
        let (attr, item) = super::split_attribute(tokens);
        let start = Instant::now();
        let kernel = crate::analyze::analyze(attr, item);
        best = best.min(start.elapsed());
        assert!(
            kernel.is_ok(),
            "{}",
            super::errors_in(KERNEL, &kernel.err().map(|e| e.errors).unwrap_or_default())
        );
    }
    eprintln!("analysis of 30 lines: {best:?}");
    assert!(best < Duration::from_millis(4), "took {best:?}");
}
