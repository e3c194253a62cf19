//! The cost of a panic: nothing where none can be; else a test, and code that is not run.

use kernel_runtime::prelude::*;
use tests::toolchain::{Ptxas, Sass, require_or_skip};

/// Kernels that do the same to each element, and the statement before it that differs.
macro_rules! kernels {
    ($($name:ident |$i:ident, $v:ident, $x:ident| $before:block)*) => {
        $(
            #[kernel]
            #[allow(dead_code)]
            fn $name($x: &[f32], y: &mut [f32]) {
                let $i = global_idx().x;
                if $i < $x.len() && $i < y.len() {
                    let $v = $x[$i];
                    $before;
                    y[$i] = $v * 2.0;
                }
            }
        )*

        /// Their names and the kernels.
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
#[allow(dead_code)]
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

/// Threads that do not panic run the test and no more; but the code of the others is there, and has registers.
#[test]
fn places_that_panic_cost_code() {
    let (Some(ptxas), Some(sass)) = (require_or_skip(Ptxas::find()), require_or_skip(Sass::find())) else {
        return;
    };
    println!("kernel        registers  instructions");
    for (name, kernel) in KERNELS {
        let entry = &ptxas.assemble(kernel.ptx(), Arch::Sm90).expect("assembles").entries[0];
        let code = sass.of_ptx(kernel.ptx(), "sm_90");
        println!("{name:<12}  {:>9}  {:>12}", entry.registers, code.len());
        assert_eq!(entry.spill_stores, 0, "{name}");
        // So many there are for each thread where 2048 are on a multiprocessor.
        assert!(entry.registers <= 32, "{name}: {} registers", entry.registers);
    }
}
