//! Panics of the whole language: the same message and place on the CPU and on devices.

use expect_test::{Expect, expect};

use crate::harness::agree;

/// Kernels whose thread 70 panics.
macro_rules! kernels {
    ($($name:ident |$i:ident, $n:ident, $ints:ident, $floats:ident| $body:block)*) => {
        mod kernels {
            use kernel_runtime::prelude::*;
            $(
                #[kernel]
                #[allow(unused_variables, clippy::all)]
                pub fn $name($n: i32, $ints: &[i32], $floats: &[f32], out: &mut [u64], results: &mut [f32]) {
                    let $i = global_idx().x;
                    results[$i] = $floats[$i];
                    out[$i] = $body as u64;
                }
            )*
        }
    };
}

kernels! {
    asserted |i, n, ints, floats| {
        fn check(v: usize) -> i32 { assert!(v < 70); 3 }
        if i <= 70 { check(i) } else { 1 }
    }
    said |i, n, ints, floats| { if i == 70 { panic!("nothing to do") } else { 1 } }
    said_what |i, n, ints, floats| { assert!(i != 70, "{} of {{{}}}", n - 40, floats[2] * 0.5); 1 }
    equal |i, n, ints, floats| { assert_eq!(i.min(70), if i == 70 { 3 } else { i }); 1 }
    never |i, n, ints, floats| { match i { 70 => unreachable!(), _ => 2 } }
    unwrapped |i, n, ints, floats| {
        let o = if i == 70 { None } else { Some(n) };
        o.unwrap()
    }
    expected |i, n, ints, floats| {
        let o = if i == 70 { None } else { Some(n) };
        o.expect("a number")
    }
    cut_order |i, n, ints, floats| { let s = &ints[i..if i == 70 { 60 } else { i + 1 }]; s.len() }
    cut_end |i, n, ints, floats| { let s = &ints[if i == 70 { 500 } else { 0 }..i + 443]; s.len() }
    cut_start |i, n, ints, floats| { let s = &ints[if i == 70 { 513 } else { 0 }..]; s.len() }
    loaded |i, n, ints, floats| { F32x4::load(floats, if i == 70 { 510 } else { 4 }).x }
    misaligned |i, n, ints, floats| { F32x4::load(floats, if i == 70 { 2 } else { 4 }).x }
    no_chunks |i, n, ints, floats| {
        let mut s = 0;
        for c in ints[..6].chunks_exact(if i == 70 { 0 } else { 2 }) { s += c[0]; }
        s
    }
    in_closure |i, n, ints, floats| {
        let at = |k: usize| ints[k * 8];
        at(if i == 70 { i } else { 1 })
    }
    of_array |i, n, ints, floats| { let a = [n, 2, 3]; a[if i == 70 { i } else { i % 3 }] }
    of_library |i, n, ints, floats| {
        let mut a = [0; 4];
        a.copy_from_slice(&ints[..if i == 70 { 5 } else { 4 }]);
        a[0]
    }
}

macro_rules! tests {
    ($($name:ident: $expected:expr;)*) => {$(
        #[test]
        fn $name() {
            let outcome = agree(
                &kernels::$name::KERNEL,
                1,
                71,
                |n, ints, floats, out, results| kernels::$name::cpu(n, ints, floats, out, results),
                |n, ints, floats, out, results| kernels::$name(n, ints, floats, out, results),
            );
            check_ending(outcome, $expected);
        }
    )*};
}

fn check_ending(outcome: crate::harness::Outcome, expected: Expect) {
    let ending = outcome.expect_err("a thread panics");
    // The path depends on where cargo was started.
    let (_, ending) = ending.split_once("more_panics.rs:").expect("the place is in this file");
    expected.assert_eq(ending);
}

tests! {
    asserted: expect!["27:37: assertion failed: v < 70 in [70, 0, 0] of [0, 0, 0]"];
    said: expect!["30:46: nothing to do in [70, 0, 0] of [0, 0, 0]"];
    said_what: expect!["31:38: -3 of {0.5} in [70, 0, 0] of [0, 0, 0]"];
    equal: expect![[r#"
        32:34: assertion `left == right` failed
          left: 70
         right: 3 in [70, 0, 0] of [0, 0, 0]"#]];
    never: expect!["33:50: internal error: entered unreachable code in [70, 0, 0] of [0, 0, 0]"];
    unwrapped: expect!["36:11: called `Option::unwrap()` on a `None` value in [70, 0, 0] of [0, 0, 0]"];
    expected: expect!["40:11: a number in [70, 0, 0] of [0, 0, 0]"];
    cut_order: expect!["42:47: slice index starts at 70 but ends at 60 in [70, 0, 0] of [0, 0, 0]"];
    cut_end: expect!["43:45: range end index 513 out of range for slice of length 512 in [70, 0, 0] of [0, 0, 0]"];
    cut_start: expect!["44:47: range start index 513 out of range for slice of length 512 in [70, 0, 0] of [0, 0, 0]"];
    loaded: expect!["45:35: range end index 514 out of range for slice of length 512 in [70, 0, 0] of [0, 0, 0]"];
    misaligned: expect!["46:39: misaligned vector access: counted from the start of the buffer, the index must be a multiple of 4; in this slice it is 2 in [70, 0, 0] of [0, 0, 0]"];
    no_chunks: expect!["49:28: chunk size must be non-zero in [70, 0, 0] of [0, 0, 0]"];
    in_closure: expect!["53:29: index out of bounds: the len is 512 but the index is 560 in [70, 0, 0] of [0, 0, 0]"];
    of_array: expect!["56:56: index out of bounds: the len is 3 but the index is 70 in [70, 0, 0] of [0, 0, 0]"];
    of_library: expect!["59:11: copy_from_slice: source slice length (5) does not match destination slice length (4) in [70, 0, 0] of [0, 0, 0]"];
}
