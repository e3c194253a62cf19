//! What constructs look like in the run copy.

use expect_test::{Expect, expect};
use proc_macro2::{Ident, Span};

use super::instance;
use crate::analyze::analyze;
use crate::contract::contract;

/// The functions of a kernel in the copy, one statement a line.
#[track_caller]
fn check(params: &str, body: &str, expected: Expect) {
    let item = format!("fn k({params}) {{ {body} }}").parse().expect("the test's source has Rust's tokens");
    let analysis = analyze(Default::default(), item);
    assert!(
        analysis.errors.is_empty(),
        "{:?}",
        analysis.errors.iter().map(|error| &error.message).collect::<Vec<_>>()
    );
    let mut text = String::new();
    for mut kernel in analysis.kernels.into_iter().flat_map(|kernel| kernel.instances) {
        contract(&mut kernel);
        let tokens = instance(&kernel, &Ident::new("copy", Span::call_site())).to_string();
        let (_, functions) = tokens.split_once(":: prelude :: * ;").unwrap_or(("", &tokens));
        text += functions.trim().trim_end_matches('}').trim();
    }
    let text = text.replace(" :: ", "::").replace(" ; ", " ;\n").replace("} unsafe", "}\n\nunsafe");
    let text = text.replace("# [derive", "\n# [derive").replace(" . ", ".").replace("run::", "");
    // The entry only passes the arguments on.
    let shown = text.split("\n\n").filter(|part| !part.contains("fn entry"));
    expected.assert_eq(&shown.collect::<Vec<_>>().join("\n\n"));
}

#[test]
fn elements_are_places_behind_checked_pointers() {
    check("x: &[f32], y: &mut [f32]", "let i = global_idx().x; y[i] = x[i]; y[i] += 1.0;", expect![[]]);
}

#[test]
fn integers_wrap_and_shifts_mask() {
    check("y: &mut [i32], a: i32, b: u8", "y[0] = (a + 1) * -a << b; y[1] -= -128i8 as i32;", expect![[]]);
}

#[test]
fn fused_sums_keep_the_order_of_evaluation() {
    check(
        "y: &mut [f32], a: f32, b: f32",
        "let mut s = a * b - 1.0; s += a * b; y[0] = b - a * s;",
        expect![[]],
    );
}

#[test]
fn shared_memory_is_told_apart_by_number() {
    check(
        "y: &mut [u32]",
        "let mut t = shared::<[[u32; 4]; 2]>(); let u = shared::<[u32; 4]>(); t[1][2] = u[3]; barrier(); y[0] = t[0][1];",
        expect![[]],
    );
}

#[test]
fn references_are_pointers() {
    check(
        "y: &mut [f32]",
        "fn bump(v: &mut f32) { *v += 1.0; } let mut a = [0.0; 3]; bump(&mut a[1]); let r = &a; y[0] = r[1]; bump(&mut 2.0);",
        expect![[]],
    );
}

#[test]
fn structs_are_printed_again() {
    check(
        "y: &mut [f32]",
        "#[derive(Clone, Copy)] struct P { a: f32, b: (i32, bool) } let p = P { b: (1, true), a: y[0] }; let P { a, b: (n, _) } = p; y[n as usize] = a + P { a: 2.0, ..p }.a;",
        expect![[]],
    );
}

#[test]
fn patterns_are_conditions() {
    check(
        "y: &mut [i32], a: i32",
        "let v = Some(a); if let Some(n @ 1..=5) = v && n != 3 { y[0] = n; } y[1] = match (a, v) { (0, _) => 1, (k, Some(j)) if j > k => j, _ => 2 };",
        expect![[]],
    );
}

#[test]
fn a_pattern_that_does_not_match_leaves() {
    check(
        "y: &mut [i32], a: i32",
        "let Some(b) = (if a > 0 { Some(a) } else { None }) else { return; }; y[0] = b;",
        expect![[]],
    );
}

#[test]
fn closures_live_in_slots_and_capture_by_pointer() {
    check(
        "y: &mut [f32], k: f32",
        "let mut sum = 0.0; let mut add = |v: f32| sum += v * k; add(1.0); fn twice(f: impl Fn(f32) -> f32) -> f32 { f(f(1.0)) } y[0] = twice(move |v| v + k); y[1] = sum;",
        expect![[]],
    );
}

#[test]
fn iterators_are_the_standard_library_s() {
    check(
        "x: &[f32], y: &mut [f32]",
        "for (i, v) in x.iter().enumerate().skip(1).step_by(2) { y[i] = *v; } y[0] = x.chunks_exact(4).map(|c| c[0]).sum(); let m = x.iter().copied().filter(|v| *v > 0.0).fold(0.0, |a, b| a + b); y[1] = m;",
        expect![[]],
    );
}

#[test]
fn loops_and_blocks_have_labels() {
    check(
        "y: &mut [i32], n: i32",
        "let mut i = 0; let k = 'a: loop { if i > n { break i; } let b = 'b: { if i == 2 { break 'b 1; } if i == 3 { continue 'a; } 2 }; i += b; }; y[0] = k;",
        expect![[]],
    );
}

#[test]
fn what_differs_from_rust_is_a_function() {
    check(
        "y: &mut [f32], a: f32, k: i32",
        "y[0] = a.max(1.0).sqrt(); y[1] = k.abs().clamp(0, 9) as f32; y[2] = f32::from_bits(7);",
        expect![[]],
    );
}

#[test]
fn constants_are_values() {
    check(
        "y: &mut [u32]",
        "const N: u32 = 1 << 4; const T: [u32; 3] = [1, N, 3]; y[0] = T[y.len() % 3] + u32::MAX;",
        expect![[]],
    );
}
