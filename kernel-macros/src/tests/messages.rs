//! Texts of panics and prints: what formats take, what they refuse, what `assert_eq!` keeps.

use expect_test::expect;

use super::{check, check_body as body};

#[test]
fn formats_and_their_arguments() {
    body(
        "println!(); print!(\"{n:>8} {a:.3} {0:#x} {p:?}\", u); eprintln!(\"{:?}\", (n, [a; 3], Some(k)));",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            print("\n", );
            print("{n:>8} {a:.3} {0:#x} {p:?}", u, n, a, p);
            print("{:?}\n", (n, [f32; 3][a; _], Some(k)));
        }"#]],
    );
    body(
        "println!(\"{:w$.*}\", 2, a, w = n); panic!(\"{a}\");",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            print("{:w$.*}\n", 2usize, a, n);
            panic("{a}", a);
        }"#]],
    );
}

#[test]
fn mistakes_in_format_strings() {
    body(
        "println!(\"{\");",
        expect![[r#"
        2:10 `"{"`: expected `}` after `{` in the format string
        help: write `{{` for a brace"#]],
    );
    body(
        "println!(\"}\");",
        expect![[r#"
        2:10 `"}"`: expected `{` before `}` in the format string
        help: write `}}` for a brace"#]],
    );
    body(
        "println!(\"{:y}\", n);",
        expect![[r#"
        2:10 `"{:y}"`: expected a format as of `std::fmt`, such as `{}`, `{name}`, `{:>8.3}` or `{:#x}`, found `{:y}`
        help: write `{{` for a brace that is to be printed"#]],
    );
    body(
        "println!(\"{:p}\", n);",
        expect![[r#"
        2:10 `"{:p}"`: expected a format for a value, found `{:p}` for an address
        help: leave the `p` out"#]],
    );
    body(
        "println!(\"{missing}\");",
        expect![[r#"
        2:10 `"{missing}"`: expected a variable or a constant, found the unknown name `missing`
        help: declare it with `let`, or pass it as a parameter"#]],
    );
    body(
        "println!(n);",
        expect![[r#"
        2:10 `n`: expected the message as a string literal
        help: write `"{}"` before the value"#]],
    );
    body(
        "println!(concat!(\"a\", \"b\"));",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                print("ab\n", );
            }"#]],
    );
}

#[test]
fn mistakes_in_arguments() {
    body(
        "println!(\"{}\");",
        expect![[r#"
        2:10 `"{}"`: expected a value for each `{}`, found 0 for `{}`
        help: add it after the string"#]],
    );
    body(
        "println!(\"{} {2}\", n, u);",
        expect![[r#"
        2:10 `"{} {2}"`: expected a value for each `{}`, found 2 for `{2}`
        help: add it after the string"#]],
    );
    body(
        "println!(\"{}\", n, u);",
        expect![[r#"
        2:19 `u`: expected 1 value for the message, found 2
        help: write `{}` for each"#]],
    );
    body(
        "println!(\"{}\", n, v = u);",
        expect![[r#"
        2:19 `v = u`: expected `v` in the format string, found an argument of that name only
        help: write `{v}`, or leave it out"#]],
    );
    body(
        "println!(\"{v} {v}\", v = n, v = u);",
        expect![[r#"
        2:28 `v = u`: expected one argument `v`, found another
        help: rename one of them"#]],
    );
    body(
        "println!(\"{v} {}\", v = n, u);",
        expect![[r#"
        2:27 `u`: expected a name for each argument after the first named one, found none
        help: move it before those"#]],
    );
}

#[test]
fn types_in_arguments() {
    body(
        "println!(\"{:x}\", a);",
        expect![[r#"
        2:18 `a`: expected an integer for `{:x}`, found `f32`
        help: convert with `as usize`"#]],
    );
    body(
        "println!(\"{:e}\", p);",
        expect![[r#"
            2:18 `p`: expected a number for `{:e}`, found `bool`
            help: convert with `as u32`, to a float with `as u32 as f32`, or use `&&`, `||`, `!`"#]],
    );
    body(
        "println!(\"{}\", (n, u));",
        expect![[r#"
        2:16 `(n, u)`: expected a scalar for `{}`, found `(usize, u32)`
        help: pick a field: `.0`"#]],
    );
    body(
        "println!(\"{:1$}\", n, u);",
        expect![[r#"
        2:22 `u`: expected `usize`, found `u32`
        help: convert with `as usize`"#]],
    );
    body(
        "println!(\"{:?}\", x);",
        expect![[r#"
        2:18 `x`: expected a value that a message can show, found one of type `&[f32]`
        help: show its elements, in a loop"#]],
    );
    body(
        "println!(\"{:?}\", |v: u32| v);",
        expect![[r#"
        2:18 `|v: u32| v`: expected a value that a message can show, found one of type `closure 0.0`
        help: call it"#]],
    );
    body(
        "println!(\"{:?}\", [0u8; 125]);",
        expect![[r#"
        2:18 `[0u8; 125]`: expected at most 124 scalars in one message, found 125 up to here
        help: show them in several"#]],
    );
    body(
        "println!(\"{}\", \"text\");",
        expect![[r#"
            2:16 `"text"`: strings are not supported in kernels
            help: write an `enum` for an error or a name, and `b"…"` for bytes, or pass them as a `&[u8]` parameter"#]],
    );
}

#[test]
fn assertions_keep_their_operands() {
    check(
        "fn k(x: &[f32], n: usize) { assert_eq!(x[n], 1.0, \"at {n}\"); assert_ne!(n + 1, 3); }",
        expect![[r#"
            fn k(x: &[f32], n: usize) {
                {
                    let left#2: f32 = x[n];
                    let right#3: f32 = 1.0f32;
                    if.() Not(Eq.f32(left#2, right#3)) {
                        panic("assertion `left == right` failed: at {n}\n  left: {left__:?}\n right: {right__:?}", n, left#2, right#3);
                    };
                };
                {
                    let left#4: usize = Add.usize(n, 1usize);
                    let right#5: usize = 3usize;
                    if.() Not(Ne.usize(left#4, right#5)) {
                        panic("assertion `left != right` failed\n  left: {left__:?}\n right: {right__:?}", left#4, right#5);
                    };
                };
            }"#]],
    );
}

/// Messages show types with a derived `Debug`; an `impl` written by hand could print another text.
#[test]
fn debug_is_derived() {
    check(
        "fn k(y: &mut [i32]) { struct P { x: i32 } let p = P { x: 1 }; println!(\"{:?}\", (p, 2)); }",
        expect![[r#"
            1:80 `(p, 2)`: expected `#[derive(Debug)]` on `P`, which the message shows, found none
            help: write it above the type; an `impl` of one's own is not supported"#]],
    );
    check(
        "fn k(y: &mut [i32]) { #[derive(Clone, Copy)] enum E { A, B } #[derive(Debug)] struct P { e: [E; 2] } println!(\"{:?}\", Some(P { e: [E::A; 2] })); }",
        expect![[r#"
            1:119 `Some(P { e: [E::A; 2] })`: expected `#[derive(Debug)]` on `E`, which the message shows, found none
            help: write it above the type; an `impl` of one's own is not supported"#]],
    );
    check(
        "fn k(y: &mut [i32]) { #[derive(PartialEq)] enum E { A, B } let e = E::A; assert_eq!(e, E::A); }",
        expect![[r#"
            1:85 `e, E::A`: expected `#[derive(Debug)]` on `E`, which the message shows, found none
            help: write it above the type; an `impl` of one's own is not supported"#]],
    );
}

#[test]
fn conditions_are_as_written() {
    body(
        "assert!(n+1<x.len()&&!p, );",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                if.() Not((Lt.usize(Add.usize(n, 1usize), Len(x) -> usize) && Not(p))) {
                    panic("assertion failed: n + 1 < x.len() && !p", );
                };
            }"#]],
    );
}

#[test]
fn slices_are_too_long_to_show() {
    body(
        "assert_eq!(x[..2], x[1..3]);",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                {
                    let left: &[f32] = &x[..2usize];
                    let right: &[f32] = &x[1usize..3usize];
                    if.() Not(slice_eq(left, right)) {
                        panic("assertion `left == right` failed", );
                    };
                };
            }"#]],
    );
    body(
        "assert_eq!([u; 100], [1; 100]);",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            {
                let left: [u32; 100] = [u32; 100][u; _];
                let right: [u32; 100] = [u32; 100][1u32; _];
                if.() Not(Eq.[u32; 100](left, right)) {
                    panic("assertion `left == right` failed", );
                };
            };
        }"#]],
    );
}
