//! The attributes of loops: what the typed tree becomes, and what is refused.

use expect_test::{Expect, expect};

use super::{check, check_body, check_body_error, check_error, check_refusals};

#[test]
fn chains_of_a_sum() {
    check_body(
        "let mut sum = a;
        #[ilp(3)]
        for i in 0..n { sum += x[i] * a; }
        y[0] = sum;",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let mut sum: f32 = a;
                {
                    let mut sum_chain#9: f32 = -0.0f32;
                    let mut sum_chain#10: f32 = -0.0f32;
                    #0: for i: usize in (0usize..n) {
                        let mut sum_turn: f32 = sum;
                        sum = sum_chain#9;
                        sum_chain#9 = sum_chain#10;
                        sum_chain#10 = sum_turn;
                        sum Add= Mul.f32(x[i], a);
                    };
                    sum = Add.f32(Add.f32(sum, sum_chain#9), sum_chain#10);
                };
                y[0usize] = sum;
            }"#]],
    );
}

#[test]
fn chains_of_several_reductions_and_a_value() {
    check_body(
        "let (mut least, mut bits, mut i) = (a, u, 0);
        #[ilp(2)]
        'outer: loop {
            if i >= n { break 'outer; }
            least = x[i].min(least);
            if p { bits ^= 3; continue; }
            i += 1;
        }
        y[0] = least + bits as f32;",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let {0: mut least: f32, 1: mut bits: u32, 2: mut i: usize} = (a, u, 0usize);
                {
                    let mut least_chain: f32 = least;
                    let mut bits_chain: u32 = 0u32;
                    'outer#0: loop.() {
                        let mut least_turn: f32 = least;
                        least = least_chain;
                        least_chain = least_turn;
                        let mut bits_turn: u32 = bits;
                        bits = bits_chain;
                        bits_chain = bits_turn;
                        if.() Ge.usize(i, n) {
                            break #0;
                        };
                        least = Min(x[i], least) -> f32;
                        if.() p {
                            bits Xor= 3u32;
                            continue #0;
                        };
                        i Add= 1usize;
                    };
                    least = Min(least, least_chain) -> f32;
                    bits = Xor.u32(bits, bits_chain);
                };
                y[0usize] = Add.f32(least, (bits: u32 as f32));
            }"#]],
    );
}

/// The errors of a body with a loop on its second line.
#[track_caller]
fn refused(attribute: &str, body: &str, expected: Expect) {
    check_body_error(
        &format!("let (mut s, mut t) = (a, u);\n{attribute} {body}\ny[0] = s + t as f32;"),
        expected,
    );
}

#[test]
fn numbers() {
    refused("#[unroll(1 + 1)]", "for i in 0..n { s += a; }", expect!["accepted"]);
    refused(
        "#[unroll(2 - 2)]",
        "for i in 0..n { s += a; }",
        expect![[r#"
        3:1 `#[unroll(2 - 2)]`: expected at least 1 in `#[unroll(n)]`, found 0
        help: `#[unroll(1)]` leaves the loop as it is, `#[unroll]` unrolls it whole"#]],
    );
    refused(
        "#[unroll(5000)]",
        "for i in 0..n { s += a; }",
        expect![[r#"
        3:1 `#[unroll(5000)]`: expected at most 4096 in `#[unroll(n)]`, found 5000
        help: unroll by fewer rounds"#]],
    );
    refused(
        "#[unroll(1.5)]",
        "for i in 0..n { s += a; }",
        expect![[r#"
        3:1 `#[unroll(1.5)]`: expected an integer in `#[unroll(n)]`, found `f64`
        help: write a number, as `#[unroll(4)]`"#]],
    );
    refused(
        "#[unroll()]",
        "for i in 0..n { s += a; }",
        expect![[r#"
        3:1 `#[unroll()]`: expected one number in `#[unroll]`, found `unroll()`
        help: write `#[unroll]` or `#[unroll(n)]`"#]],
    );
    refused(
        "#[unroll(2, 3)]",
        "for i in 0..n { s += a; }",
        expect![[r#"
        3:1 `#[unroll(2, 3)]`: expected one number in `#[unroll]`, found `unroll(2, 3)`
        help: write `#[unroll]` or `#[unroll(n)]`"#]],
    );
    refused(
        "#[unroll] #[unroll(2)]",
        "for i in 0..n { s += a; }",
        expect![[r#"
        3:11 `#[unroll(2)]`: expected each attribute once, found `#[unroll]` again
        help: leave one of them out"#]],
    );
    refused(
        "#[ilp(33)]",
        "for i in 0..n { s += a; }",
        expect![[r#"
        3:1 `#[ilp(33)]`: expected at most 32 in `#[ilp(n)]`, found 33
        help: use fewer chains: four to eight hide what one addition waits for"#]],
    );
    refused(
        "#[prefetch(17)]",
        "for i in 0..n { s += a; }",
        expect![[r#"
        3:1 `#[prefetch(17)]`: expected at most 16 in `#[prefetch(n)]`, found 17
        help: load fewer rounds ahead: what was loaded waits in registers"#]],
    );
}

#[test]
fn what_is_no_reduction() {
    let ilp = "#[ilp(4)]";
    refused(ilp, "for i in 0..n { s -= a; t += 1; }", expect!["accepted"]);
    refused(
        ilp,
        "for i in 0..n { s = a - s; }",
        expect![[r#"
        3:1 `#[ilp(4)]`: expected a loop that carries a reduction, as `sum += x[i]` or `most = most.max(x[i])`, found none: what it makes of `s` depends on the order
        help: add, multiply, `min`, `max`, `&`, `|` or `^` to a variable that the loop does nothing else with, or use `#[unroll(n)]`"#]],
    );
    refused(
        ilp,
        "for i in 0..n { s = s + s; }",
        expect![[r#"
        3:1 `#[ilp(4)]`: expected a loop that carries a reduction, as `sum += x[i]` or `most = most.max(x[i])`, found none: the loop also uses `s` for something else
        help: add, multiply, `min`, `max`, `&`, `|` or `^` to a variable that the loop does nothing else with, or use `#[unroll(n)]`"#]],
    );
    refused(
        ilp,
        "for i in 0..n { s += s * a; }",
        expect![[r#"
        3:1 `#[ilp(4)]`: expected a loop that carries a reduction, as `sum += x[i]` or `most = most.max(x[i])`, found none: the loop also uses `s` for something else
        help: add, multiply, `min`, `max`, `&`, `|` or `^` to a variable that the loop does nothing else with, or use `#[unroll(n)]`"#]],
    );
    refused(
        ilp,
        "for i in 0..n { s /= a; }",
        expect![[r#"
        3:1 `#[ilp(4)]`: expected a loop that carries a reduction, as `sum += x[i]` or `most = most.max(x[i])`, found none: what it makes of `s` depends on the order
        help: add, multiply, `min`, `max`, `&`, `|` or `^` to a variable that the loop does nothing else with, or use `#[unroll(n)]`"#]],
    );
    refused(
        ilp,
        "for i in 0..n { t <<= 1; }",
        expect![[r#"
        3:1 `#[ilp(4)]`: expected a loop that carries a reduction, as `sum += x[i]` or `most = most.max(x[i])`, found none: what it makes of `t` depends on the order
        help: add, multiply, `min`, `max`, `&`, `|` or `^` to a variable that the loop does nothing else with, or use `#[unroll(n)]`"#]],
    );
    refused(
        ilp,
        "for i in 0..n { if a > s { s = a; } }",
        expect![[r#"
        3:1 `#[ilp(4)]`: expected a loop that carries a reduction, as `sum += x[i]` or `most = most.max(x[i])`, found none: it only does other things
        help: add, multiply, `min`, `max`, `&`, `|` or `^` to a variable that the loop does nothing else with, or use `#[unroll(n)]`"#]],
    );
    refused(
        ilp,
        "while (t as usize) < n { t += 1; }",
        expect![[r#"
        3:1 `#[ilp(4)]`: expected a loop that carries a reduction, as `sum += x[i]` or `most = most.max(x[i])`, found none: the loop also uses `t` for something else
        help: add, multiply, `min`, `max`, `&`, `|` or `^` to a variable that the loop does nothing else with, or use `#[unroll(n)]`"#]],
    );
    refused(
        ilp,
        "for i in 0..n { let mut r = 0.0; r += a; y[i] = r; }",
        expect![[r#"
        3:1 `#[ilp(4)]`: expected a loop that carries a reduction, as `sum += x[i]` or `most = most.max(x[i])`, found none: nothing reads `r` after the loop
        help: add, multiply, `min`, `max`, `&`, `|` or `^` to a variable that the loop does nothing else with, or use `#[unroll(n)]`"#]],
    );
    refused(
        ilp,
        "for i in 0..n { let f = || s; s += a; y[i] = f(); }",
        expect![[r#"
        3:1 `#[ilp(4)]`: expected a loop that carries a reduction, as `sum += x[i]` or `most = most.max(x[i])`, found none: the loop also uses `s` for something else
        help: add, multiply, `min`, `max`, `&`, `|` or `^` to a variable that the loop does nothing else with, or use `#[unroll(n)]`"#]],
    );
    refused(ilp, "for i in 0..n { s += a; if p { return; } }", expect!["accepted"]);
}

/// The number may be a constant of the function's, also a generic one; each instance has its own.
#[test]
fn numbers_of_instances() {
    check_error(
        "#[kernel(instances(N = [0, 2]))]
        fn k<const N: usize>(x: &mut [f32]) { #[unroll(N)] for i in 0..x.len() { x[i] += 1.0; } }",
        expect![[r#"
            2:47 `#[unroll(N)]`: expected at least 1 in `#[unroll(n)]`, found 0
            help: `#[unroll(1)]` leaves the loop as it is, `#[unroll]` unrolls it whole"#]],
    );
    check_refusals(
        "#[kernel(instances(N = [4, 5000]))]
        fn k<const N: usize>(x: &mut [f32]) { #[unroll] for i in 0..N { x[i] += 1.0; } }",
        expect![[r#"
            2:47 `#[unroll]`: expected a loop of at most 4096 rounds, found 5000
            help: unroll by some of them: `#[unroll(8)]`"#]],
    );
}

/// A loop in a device function is refused where its bound is no constant at one of the calls.
#[test]
fn loops_of_device_functions_and_closures() {
    check_refusals(
        "fn k(n: usize, x: &mut [f32]) {
            fn clear(x: &mut [f32], n: usize) {
                #[unroll]
                for i in 0..n { x[i] = 0.0; }
            }
            clear(x, 4);
            let more = |k: usize| {
                #[unroll]
                for i in 0..k { x[i] += 1.0; }
            };
            more(3);
        }",
        expect![[""]],
    );
    check_refusals(
        "fn k(n: usize, x: &mut [f32]) {
            fn clear(x: &mut [f32], n: usize) {
                #[unroll]
                for i in 0..n { x[i] = 0.0; }
            }
            clear(x, 4);
            clear(x, n);
        }",
        expect![[r#"
            3:17 `#[unroll]`: expected a loop whose number of rounds is known at compile time, found one that is known only when the kernel runs
            help: unroll by some of them, `#[unroll(4)]`, or make the bounds constants"#]],
    );
    check(
        "fn k(x: &[u32], out: &mut [u32]) {
            let mut total = 1u32;
            let add = |k: usize| {
                #[ilp(2)]
                for i in 0..k { total += x[i]; }
            };
            add(out.len());
            out[0] = total;
        }",
        expect![[r#"
            fn k(x: &[u32], out: &mut [u32]) {
                let mut total: u32 = 1u32;
                let add: closure 0.0 = |k: usize| {
                    {
                        let mut total_chain: u32 = 0u32;
                        #0: for i: usize in (0usize..k) {
                            let mut total_turn: u32 = total;
                            total = total_chain;
                            total_chain = total_turn;
                            total Add= x[i];
                        };
                        total = Add.u32(total, total_chain);
                    }
                };
                (add)(Len(out) -> usize);
                out[0usize] = total;
            }"#]],
    );
}

/// Prefetched loads that turn out to be dead are accepted.
#[test]
fn loads_that_nobody_needs() {
    check_refusals(
        "fn k(n: i32, x: &[i32], out: &mut [i32]) {
            let mut sum = 0;
            #[prefetch(2)]
            for i in 0..n { sum += x[i as usize]; }
            #[unroll(2)]
            for i in 0..n { out[i as usize] = 0; }
            sum = n;
            out[0] = sum;
        }",
        expect![[""]],
    );
    // One mistake is one error.
    check_refusals(
        "fn k(n: i32, x: &[i32], out: &mut [i32]) {
            let mut sum = 0;
            #[prefetch(2)]
            for i in 0..n { sum += x[i as usize]; if sum > 9 { break; } }
            #[unroll(2)]
            for i in 0..n { out[i as usize] = sum; }
        }",
        expect![[r#"
            3:13 `#[prefetch(2)]`: expected a loop that runs to its bound, found one that may end before, where it would load what it does not need
            help: take out `break` and `return`, or leave the attribute out"#]],
    );
}
