//! Programs that are large, deep or without an end: what the compiler makes of them, or says.

use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use proc_macro2::TokenStream;

/// The processor time of this thread, if the system reports it; else the elapsed time.
pub fn cpu_time() -> Duration {
    thread_local! {
        static START: Instant = Instant::now();
    }
    // Nanoseconds on a processor come first (Linux, Documentation/scheduler/sched-stats.rst).
    let ran = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = ran.and_then(|text| text.split(' ').next()?.parse().ok());
    ran.map_or_else(|| START.with(Instant::elapsed), Duration::from_nanos)
}

/// The expansion of an item with its attribute, on the stack that the macro allocates.
pub fn expanded(source: &str) -> String {
    let (attr, item) = super::split_attribute(source.parse().expect("Rust's tokens"));
    let is_module = |tokens: &TokenStream| {
        tokens
            .clone()
            .into_iter()
            .take(4)
            .any(|tree| matches!(&tree, proc_macro2::TokenTree::Ident(word) if word == "mod"))
    };
    let expansion = match is_module(&item) {
        true => crate::nesting::with_stack([attr, item], crate::module::expand_module, crate::module::refuse),
        false => crate::nesting::with_stack([attr, item], crate::expand::expand, crate::expand::refuse),
    };
    expansion.to_string()
}

/// The errors in an expansion, one a line with the place left out; the whole is not printed, for it may be large.
pub fn errors_of(expansion: &str) -> Vec<String> {
    let parts = expansion.split("compile_error").skip(1);
    let text = |part: &str| {
        let inner = part.split_once('"')?.1;
        let end = inner.match_indices('"').find(|(at, _)| !inner[..*at].ends_with('\\'))?.0;
        Some(inner[..end].replace("\\n", "\n").replace("\\\"", "\""))
    };
    parts.filter_map(text).collect()
}

#[track_caller]
fn check(source: &str, expected: Expect) {
    let expansion = expanded(source);
    assert!(!expansion.contains("mistake of the compiler"), "{source}");
    let errors = errors_of(&expansion);
    expected.assert_eq(&if errors.is_empty() { "accepted".to_owned() } else { errors.join("\n") });
}

fn kernel(body: &str) -> String {
    format!("fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, u: u32) {{ let mut s = a; {body} y[0] = s; }}")
}

#[test]
fn types_that_stand_for_themselves() {
    check(
        &kernel("type A = A; let v: A = 1.0;"),
        expect![[r#"
        expected a name for another type, found one that stands for itself
        help: write the type in full"#]],
    );
    check(
        &kernel("type A = (B, u32); type B = [A; 2]; let v: Option<A> = None;"),
        expect![[r#"
            expected a name for another type, found one that stands for itself
            help: write the type in full"#]],
    );
    check(
        &kernel("type A<T> = A<(T, T)>; let v: A<f32> = 1.0;"),
        expect![[r#"
        expected a name for another type, found one that stands for itself
        help: write the type in full"#]],
    );
    check(
        &kernel(
            "trait T { type S; fn f() -> Self::S; } struct W<A>(A); impl<A: T> T for W<A> { type S = (A::S, Self::S); fn f() -> Self::S { (A::f(), Self::f()) } } impl T for f32 { type S = f32; fn f() -> f32 { 1.0 } } W::<W<f32>>::f();",
        ),
        expect![[r#"
            expected a name for another type, found one that stands for itself, and at another place
            help: write the type in full"#]],
    );
    check(
        &kernel("struct S { x: f32 } impl Self { fn f(self) -> f32 { self.x } } s = S { x: s }.f();"),
        expect![[r#"
            expected a type, found `Self`
            help: `Self` has a meaning in an `impl` only: write the type"#]],
    );
}

#[test]
fn structs_that_hold_themselves() {
    check(
        &kernel("#[derive(Clone, Copy)] struct S { s: S, t: f32 } fn f(s: S) -> f32 { s.t }"),
        expect!["accepted"],
    );
    check(
        &kernel(
            "#[derive(Clone, Copy)] struct S { s: S, t: f32 } fn f(s: S) -> f32 { s.t } let g = |v: S| f(v);",
        ),
        expect![[r#"
            expected a struct of some size, found `S`, which holds itself
            help: hold an index into a buffer of them instead"#]],
    );
    check(
        &kernel(
            "#[derive(Clone, Copy)] struct S { s: Option<T> } #[derive(Clone, Copy)] struct T { s: [S; 2] } let v: Option<S> = None;",
        ),
        expect![[r#"
            expected a struct of some size, found `T`, which holds itself
            help: hold an index into a buffer of them instead"#]],
    );
    check(
        &kernel(
            "#[derive(Clone, Copy)] struct S<T> { s: *const S<(T, T)>, t: T } let v: Option<S<f32>> = None;",
        ),
        expect![[r#"
            expected a type of at most 1000 parts, as tuples, structs and their generic arguments have them, found more
            help: use an array, or a struct without generic parameters for a part of it"#]],
    );
}

/// Types of which each holds the one before twice.
#[test]
fn types_that_double() {
    let mut lets = "let v0 = (a, a);".to_owned();
    let mut aliases = "type T0 = (f32, f32);".to_owned();
    let mut structs = "#[derive(Clone, Copy)] struct S0 { a: f32 }".to_owned();
    let mut units = "#[derive(Clone, Copy)] struct S0;".to_owned();
    for k in 1..50 {
        lets += &format!("let v{k} = (v{0}, v{0});", k - 1);
        aliases += &format!("type T{k} = (T{0}, T{0});", k - 1);
        structs += &format!("#[derive(Clone, Copy)] struct S{k} {{ a: S{0}, b: S{0} }}", k - 1);
        units += &format!("#[derive(Clone, Copy)] struct S{k} {{ a: S{0}, b: S{0} }}", k - 1);
    }
    check(
        &kernel(&lets),
        expect![[r#"
        expected a type of at most 1000 parts, as tuples, structs and their generic arguments have them, found more, and at 4 other places
        help: use an array, or a struct without generic parameters for a part of it"#]],
    );
    check(
        &kernel(&(aliases + "let v: Option<T49> = None;")),
        expect![[r#"
        expected a type of at most 1000 parts, as tuples, structs and their generic arguments have them, found more, and at 4 other places
        help: use an array, or a struct without generic parameters for a part of it"#]],
    );
    check(
        &kernel(&(structs + "let v: Option<S49> = None;")),
        expect![[r#"
        expected a value of at most 524288 bytes, as much memory as a thread has of its own, found `Option<S49>` with 2251799813685252
        help: keep it in a buffer, which the kernel takes as a slice"#]],
    );
    check(&kernel(&(units + "let v: Option<S49> = None;")), expect!["accepted"]);
}

#[test]
fn calls_without_an_end() {
    check(
        &kernel(
            "fn f<T: Copy>(a: T, n: u32) -> u32 { if n == 0 { 0 } else { f((a, a), n - 1) } } s = f(1.0f32, u) as f32;",
        ),
        expect![[r#"
            expected a function that does not call itself, found a call that leads back to `f`
            help: recursion is not possible on the GPU: write a loop"#]],
    );
    check(
        &kernel(
            "fn f<T: Copy>(a: T, n: u32) -> u32 { if n == 0 { 0 } else { f(Some(a), n - 1) } } s = f(1.0f32, u) as f32;",
        ),
        expect![[r#"
            expected a function that does not call itself, found a call that leads back to `f`
            help: recursion is not possible on the GPU: write a loop"#]],
    );
    check(
        &kernel(
            "fn f<T: Copy>(a: T, n: u32) -> u32 { if n == 0 { 0 } else { f((a, 1u8), n - 1) + f((1u8, a), n - 1) } }
             s = f(1.0f32, u) as f32;",
        ),
        expect![[r#"
            expected a function that does not call itself, found a call that leads back to `f`, and at another place
            help: recursion is not possible on the GPU: write a loop"#]],
    );
    // Many functions that call one another have an end.
    let chain: String =
        (0..200).map(|k| format!("fn f{}(a: f32) -> f32 {{ f{k}(a) + 1.0 }}", k + 1)).collect();
    check(&kernel(&format!("fn f0(a: f32) -> f32 {{ a }} {chain} s = f200(s);")), expect!["accepted"]);
}

/// Each function calls the one before twice.
#[test]
fn calls_that_double() {
    let chain: String = (0..40)
        .map(|k| {
            format!(
                "fn f{}(a: f32) -> f32 {{ f{k}(f{k}(a)) + x_{k}(a) }} fn x_{k}(a: f32) -> f32 {{ a }}",
                k + 1
            )
        })
        .collect();
    check(
        &kernel(&format!("fn f0(a: f32) -> f32 {{ a * 2.0 + 1.0 }} {chain} s = f40(s);")),
        expect![[r#"
        expected a kernel of at most 400000 instructions, found more: this call's are in place of it, as those of every call
        help: call functions in loops rather than many times, or divide the kernel"#]],
    );
}

#[test]
fn values_that_are_too_large() {
    check(
        &kernel("let v = [[0u32; 1 << 32]; 1 << 32]; s = v[0][n] as f32;"),
        expect![[r#"
        expected a value of at most 524288 bytes, as much memory as a thread has of its own, found `[[u32; 4294967296]; 4294967296]` with more bytes than 64 bits can count
        help: keep it in a buffer, which the kernel takes as a slice"#]],
    );
    check(
        &kernel("let v = [0u32; 1 << 33]; s = v[n] as f32;"),
        expect![[r#"
        expected a value of at most 524288 bytes, as much memory as a thread has of its own, found `[u32; 8589934592]` with 34359738368
        help: keep it in a buffer, which the kernel takes as a slice"#]],
    );
    check(
        &kernel("let mut v: [f64; 1 << 32]; v[n] = 1.0; s = v[n] as f32;"),
        expect![[r#"
        expected a value of at most 524288 bytes, as much memory as a thread has of its own, found `[f64; 4294967296]` with 34359738368
        help: keep it in a buffer, which the kernel takes as a slice"#]],
    );
    check(
        &kernel("let v = [(); 1 << 60];"),
        expect![[r#"
        expected a value of at most 524288 bytes, as much memory as a thread has of its own, found `[(); 1152921504606846976]` with 1152921504606846976 elements
        help: keep it in a buffer, which the kernel takes as a slice"#]],
    );
    check(
        &kernel(
            "let mut v = [0.0f32; 100_000]; v[n] = a; let mut w = [0.0f32; 100_000]; w[n] = v[n + 1]; s = w[u as usize];",
        ),
        expect![[r#"
            expected at most 524288 bytes of a thread's own memory, found 800000 in all its variables
            help: use smaller arrays, or buffers that the kernel takes as slices"#]],
    );
    check(
        &kernel("const V: [[u32; 1 << 32]; 1 << 32] = [[0; 1 << 32]; 1 << 32]; s = V[n][n] as f32;"),
        expect![[r#"
            expected a value of at most 524288 bytes, as much memory as a thread has of its own, found `[u32; 4294967296]` with 17179869184
            help: keep it in a buffer, which the kernel takes as a slice
            expected a value of at most 524288 bytes, as much memory as a thread has of its own, found `[[u32; 4294967296]; 4294967296]` with more bytes than 64 bits can count
            help: keep it in a buffer, which the kernel takes as a slice"#]],
    );
    check(
        &kernel("const V: [(); 1 << 60] = [(); 1 << 60];"),
        expect![[r#"
        expected a value of at most 524288 bytes, as much memory as a thread has of its own, found `[(); 1152921504606846976]` with 1152921504606846976 elements
        help: keep it in a buffer, which the kernel takes as a slice"#]],
    );
}

#[test]
fn constant_tables() {
    let numbers: String = (0..100_000).map(|k| format!("{k},")).collect();
    check(
        &kernel(&format!("const T: [u32; 100_000] = [{numbers}]; s = T[n] as f32;")),
        expect![[r#"
        expected at most 65536 bytes of constants that are indexed in a kernel, found 400000 with this one
        help: pass the table in a buffer, as a slice"#]],
    );
    check(
        &kernel("const T: [u32; 100_000] = [7; 100_000]; s = T[n] as f32;"),
        expect![[r#"
        expected at most 65536 bytes of constants that are indexed in a kernel, found 400000 with this one
        help: pass the table in a buffer, as a slice"#]],
    );
    check(&kernel("const T: [u32; 16_384] = [7; 16_384]; s = T[n] as f32;"), expect!["accepted"]);
    check(
        &kernel(
            "const T: [u32; 16_000] = [7; 16_000]; const U: [u8; 2_000] = [8; 2_000]; s = T[n] as f32 + U[n] as f32;",
        ),
        expect![[r#"
            expected at most 65536 bytes of constants that are indexed in a kernel, found 66000 with this one
            help: pass the table in a buffer, as a slice"#]],
    );
}

/// As deep as rustc itself goes, more or less.
#[test]
fn deep_expressions() {
    let nested = |count: usize, open: &str, inner: &str, close: &str| {
        format!("s = {}{inner}{};", open.repeat(count), close.repeat(count))
    };
    for body in [
        nested(1_500, "", "a", " + a"),
        nested(1_500, "", "a", " * x[1] + s"),
        nested(3_000, "if u == 1 { s } else ", "{ a }", ""),
        nested(200, "(", "a", ")"),
        nested(200, "{", "a", "}"),
        nested(1_500, "-", "a", ""),
        nested(1_500, "", "a", ".max(s)"),
        nested(200, "s.max(", "a", ")"),
        nested(200, "if u == 1 { s } else {", "a", "}"),
        nested(200, "match u { 1 => s, _ => ", "a", "}"),
        nested(60, "Some(", "a", ").unwrap()"),
    ] {
        check(&kernel(&body), expect!["accepted"]);
    }
    check(
        &kernel(&nested(300, "(", "a", ")")),
        expect![[r#"
        expected at most 256 brackets in one another, found more
        help: give what is inside a name: a `let`, a `const`, a `type` or a function"#]],
    );
    check(
        &kernel(&nested(20_000, "-", "a", "")),
        expect![[r#"
        expected an expression of at most 10000 operators and calls in one another, found more
        help: give parts of it a name by `let`, or write a loop"#]],
    );
    check(
        &kernel(&format!("let v: {}f32{} = 1.0;", "Option<".repeat(12_000), ">".repeat(12_000))),
        expect![[r#"
            expected an expression of at most 10000 operators and calls in one another, found more
            help: give parts of it a name by `let`, or write a loop"#]],
    );
    check(
        &format!("mod m {{ fn f() {{ {} }} }}", nested(300, "(", "1", ")")),
        expect![[r#"
        expected at most 256 brackets in one another, found more
        help: give what is inside a name: a `let`, a `const`, a `type` or a function"#]],
    );
    check(
        &kernel(&format!("if let {}t{} = Some(s) {{ s = t; }}", "(".repeat(300), ")".repeat(300))),
        expect![[r#"
            expected at most 256 brackets in one another, found more
            help: give what is inside a name: a `let`, a `const`, a `type` or a function"#]],
    );
}

/// The copy for the CPU nests no deeper than what was written: rustc ends with a signal at 600 brackets in one another.
#[test]
fn long_sums_are_not_nested_in_the_copy() {
    let depth = |text: &str| {
        let mut depth = 0_usize;
        text.chars().fold(0, |most, c| {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            most.max(depth)
        })
    };
    for terms in [" + a", " * a + s", ".max(s)", " as f64 as f32", " - x[1] * s"] {
        let expansion = expanded(&kernel(&format!("s = a{};", terms.repeat(1_000))));
        assert!(errors_of(&expansion).is_empty(), "{terms}");
        assert!(depth(&expansion) < 100, "`{terms}`: {} brackets", depth(&expansion));
    }
}
