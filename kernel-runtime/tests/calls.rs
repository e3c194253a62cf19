//! Functions that kernels call: where they were called, and what they cost.

use expect_test::expect;
use kernel_runtime::prelude::*;

#[kernel_module]
mod means {
    use kernel_runtime::prelude::*;

    fn ratio(a: u32, b: u32) -> u32 {
        a / b
    }

    fn mean(sum: u32, count: u32) -> u32 {
        ratio(sum + count / 2, count)
    }

    #[kernel]
    pub fn once(sums: &[u32], counts: &[u32], y: &mut [u32]) {
        let i = global_idx().x;
        if i < sums.len() && i < counts.len() && i < y.len() {
            y[i] = mean(sums[i], counts[i]);
        }
    }

    /// Two calls lead to the division.
    #[kernel]
    pub fn twice(sums: &[u32], counts: &[u32], y: &mut [u32]) {
        let i = global_idx().x;
        if i < sums.len() && i < counts.len() && i < y.len() {
            y[i] = mean(sums[i], counts[i] + 1);
            y[i] += ratio(y[i], counts[i]);
        }
    }
}

/// A panic says where the function was called that it is in, up to the kernel.
#[test]
fn calls_that_lead_to_a_panic() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let (sums, counts) = ([7u32, 8], [2u32, 0]);
    let (x, n) = (gpu.upload(&sums)?, gpu.upload(&counts)?);
    let error = means::once(&x, &n, &mut gpu.zeros(2)?).over(2).run().unwrap_err().to_string();
    expect![[r#"
        kernel `once` panicked at kernel-runtime/tests/calls.rs:11:9: attempt to divide by zero
        in a function called at kernel-runtime/tests/calls.rs:15:9, in one called at kernel-runtime/tests/calls.rs:22:20
        in thread (1, 0, 0) of block (0, 0, 0)
        help: test the divisor before, or write `checked_div` or `checked_rem`, which give an `Option`"#]].assert_eq(&error);
    assert_eq!(means::once::cpu(&sums, &counts, &mut [0; 2]).over(2).run().unwrap_err().to_string(), error);

    let error = means::twice(&x, &n, &mut gpu.zeros(2)?).over(2).run().unwrap_err().to_string();
    expect![[r#"
        kernel `twice` panicked at kernel-runtime/tests/calls.rs:11:9: attempt to divide by zero
        in a function called at kernel-runtime/tests/calls.rs:32:21
        in thread (1, 0, 0) of block (0, 0, 0)
        help: test the divisor before, or write `checked_div` or `checked_rem`, which give an `Option`"#]]
    .assert_eq(&error);
    // The CPU reference does not know which of both it was.
    let error = means::twice::cpu(&sums, &counts, &mut [0; 2]).over(2).run().unwrap_err().to_string();
    expect![[r#"
        kernel `twice` panicked at kernel-runtime/tests/calls.rs:11:9: attempt to divide by zero
        in thread (1, 0, 0) of block (0, 0, 0)
        help: test the divisor before, or write `checked_div` or `checked_rem`, which give an `Option`"#]]
    .assert_eq(&error);
    Ok(())
}

#[kernel]
fn exact(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < y.len() {
        y[i] = x[i].powf(1.5) + x[i].sqrt();
    }
}

#[kernel(fast_math)]
fn approximate(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < y.len() {
        y[i] = x[i].powf(1.5) + fast::sin(x[i]);
    }
}

/// The report names functions of which the hardware has an approximation, where they are exact.
#[test]
fn exact_functions_are_remarked_on() {
    let report = exact::KERNEL.report().to_string();
    assert!(report.contains("`powf` to the last bits"), "{report}");
    assert_eq!(report.matches("to the last bits").count(), 1, "{report}");
    let report = approximate::KERNEL.report().to_string();
    assert!(!report.contains("to the last bits"), "{report}");
}
