//! What a panic costs: nothing where none can be; else a test, and code that is not run.

use kernel_runtime::prelude::*;
use tests::toolchain::{Ptxas, Sass, require_or_skip};

/// Kernels that do the same to each element, and the statement before it that differs.
macro_rules! kernels {
    ($($name:ident |$i:ident, $v:ident, $x:ident| $before:block)*) => {
        $(
            #[kernel]
            #[allow(dead_code)]
            fn $name(x: &[f32], y: &mut [f32]) {
                let $i = global_idx().x;
                if $i < x.len() && $i < y.len() {
                    let $x = x;
                    let $v = x[$i];
                    $before
                    y[$i] = $v * 2.0;
                }
            }
        )*

        /// Their names, how many they are, and the kernels.
        const KERNELS: &[(&str, &kernel_runtime::Kernel)] = &[$((stringify!($name), &$name::KERNEL)),*];
    };
}

kernels! {
    cannot |i, v, x| {}
    text |i, v, x| { assert!(v > 0.0, "not above zero"); }
    one_value |i, v, x| { assert!(v > 0.0, "{v}"); }
    three_values |i, v, x| { assert!(v > 0.0, "{v} at {i} of {}", x.len()); }
    six_values |i, v, x| { assert!(v > 0.0, "{v} at {i} of {}: {} {} {}", x.len(), v * 3.0, i / 3, v as i32); }
    compared |i, v, x| { assert_eq!(v, 1.0); }
    three_places |i, v, x| {
        assert!(v > 0.0, "{v} at {i} of {}", x.len());
        assert!(v < 9.0, "{v} is too much at {i} of {}", x.len());
        assert!(v != 5.0, "{v} at {i} of {}", x.len());
    }
}

#[kernel]
fn unchecked(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < y.len() {
        // SAFETY: the condition.
        unsafe { *y.get_unchecked_mut(i) = *x.get_unchecked(i) * 2.0 };
    }
}

/// All that a panic needs begins with the record's address, which is a parameter.
#[test]
fn what_cannot_panic_carries_nothing() {
    for (name, kernel) in KERNELS {
        let ptx = kernel.ptx();
        let carries = ptx.contains("$panic");
        assert_eq!(carries, *name != "cannot", "{name}");
        assert_eq!(ptx.contains("atom."), carries, "{name}");
    }
    let lines = |ptx: &str| {
        let lines = ptx.lines().filter(|line| !line.trim_start().starts_with(".loc"));
        lines.map(|line| line.replace("unchecked", "cannot")).collect::<Vec<_>>()
    };
    assert_eq!(
        lines(cannot::KERNEL.ptx()),
        lines(unchecked::KERNEL.ptx()),
        "checked by a condition, and unchecked"
    );
}

/// A thread that does not panic runs the test and no more: the rest is behind the last instruction of the others, and takes no
/// registers from them.
#[test]
fn places_that_panic_cost_a_test() {
    let (Some(ptxas), Some(sass)) = (require_or_skip(Ptxas::find()), require_or_skip(Sass::find())) else {
        return;
    };
    println!("kernel          registers  instructions  before the end of those that do not panic");
    for (name, kernel) in KERNELS {
        let report = ptxas.assemble(kernel.ptx(), Arch::Sm90).expect("assembles");
        let code = sass.of_ptx(kernel.ptx(), "sm_90");
        let exit = code.iter().rposition(|text| text.contains("STG") && !text.contains("STG.E.64"));
        let last = code.iter().position(|text| text.starts_with("EXIT")).unwrap_or(code.len());
        let registers = report.entries[0].registers;
        println!("{name:<14}  {registers:>9}  {:>12}  {last} {exit:?}", code.len());
        assert_eq!(report.entries[0].spill_stores, 0, "{name}");
        assert!(
            registers <= 24,
            "{name}: {registers} registers, of which ptxas gives 24 at least to every thread"
        );
    }
}
