//! What the language has.

use super::{check, check_body};
use expect_test::expect;

#[test]
fn saxpy() {
    check(
        "#[kernel(launch_bounds(256, 8))] pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
            let i = global_idx().x;
            if i < y.len() { y[i] = a * x[i] + y[i]; }
        }",
        expect![[r#"
            launch_bounds Some(256) Some(8) block None fp_contract_off false
            fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
                let i: usize = GlobalIdx() -> Dim3.x;
                if.() Lt.usize(i, Len(y) -> usize) {
                    y[i] = Add.f32(Mul.f32(a, x[i]), y[i]);
                }
            }"#]],
    );
}
