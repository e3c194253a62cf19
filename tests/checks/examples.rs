//! Every kernel of the examples: no check is left where the launch guards hold, and both versions do what they should.

use kernel_runtime::prelude::*;
use kernel_runtime::{ChecksTaken, Kernel, RemarkKind};

/// Numbers of checks without launch guards, and with them.
fn before_and_after(kernel: &Kernel) -> (usize, usize) {
    let variant = kernel.variants().last().expect("a kernel is compiled to something");
    let left = |remark: &kernel_runtime::Remark| matches!(remark.kind, RemarkKind::CheckLeft { .. });
    let count = |remarks: &[kernel_runtime::Remark]| remarks.iter().filter(|remark| left(remark)).count();
    (count(variant.remarks), count(variant.usual().remarks))
}

/// Remarks about checks that are left by design: groups of warps wait for each other, and look whether another one panicked; and a tile has
/// rows for each group that multiplies it.
fn allowed(kernel: &Kernel) -> usize {
    match kernel.name() {
        name if name.starts_with("matmul_groups::<") => 1,
        name if name.starts_with("attention_128::<") => 2,
        _ => 0,
    }
}

#[test]
fn no_check_is_left() {
    let mut total = (0, 0);
    let mut wrong = Vec::new();
    for kernel in examples::kernels() {
        let (before, after) = before_and_after(kernel);
        println!("{}: {before} checks, {after} where the host's tests hold", kernel.name());
        total = (total.0 + before, total.1 + after);
        if after != allowed(kernel) {
            wrong.push(format!("{}", kernel.report()));
        }
    }
    println!("all: {} checks, {}", total.0, total.1);
    assert!(total.0 > 0, "there was nothing to prove");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each example launches its kernel as one does, so its tests hold.
#[test]
fn examples_run_without_checks() {
    let gpu = Gpu::simulator(Arch::Sm90);
    for example in examples::examples() {
        let outcome = (example.run)(&gpu, 3000).expect("the example runs");
        let name = example.kernel.name();
        outcome.check().unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        let checks = outcome.report.checks;
        let is_free = matches!(checks, ChecksTaken::Only | ChecksTaken::CheckFree);
        assert!(is_free, "{name} took {checks}");
    }
}
