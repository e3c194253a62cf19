//! Operations that require `unsafe`: the compiler requires it itself, whatever rustc finds under the same names.

use super::{check_body, check_body_error, check_error};
use expect_test::expect;

#[test]
fn unchecked_access() {
    check_body_error(
        "y[0] = *x.get_unchecked(n);",
        expect![[r#"
        2:9 `x.get_unchecked(n)`: expected an `unsafe` block around `get_unchecked`, found none: its index is not checked
        help: write `unsafe { … }` around it, or `x[i]`, which is checked and costs nothing where a condition before it bounds the index"#]],
    );
    check_body_error(
        "*y.get_unchecked_mut(n) = 1.0;",
        expect![[r#"
        2:2 `y.get_unchecked_mut(n)`: expected an `unsafe` block around `get_unchecked`, found none: its index is not checked
        help: write `unsafe { … }` around it, or `x[i]`, which is checked and costs nothing where a condition before it bounds the index"#]],
    );
    check_body_error(
        "let t = [1.0f32; 4]; y[0] = *t.get_unchecked(n);",
        expect![[r#"
        2:30 `t.get_unchecked(n)`: expected an `unsafe` block around `get_unchecked`, found none: its index is not checked
        help: write `unsafe { … }` around it, or `x[i]`, which is checked and costs nothing where a condition before it bounds the index"#]],
    );
    check_body_error("y[0] = unsafe { *x.get_unchecked(n) };", expect!["accepted"]);
    check_body_error("let f = unsafe { |i: usize| *x.get_unchecked(i) }; y[0] = f(n);", expect!["accepted"]);
    check_body_error(
        "y[0] = unsafe { a } + *x.get_unchecked(n);",
        expect![[r#"
        2:24 `x.get_unchecked(n)`: expected an `unsafe` block around `get_unchecked`, found none: its index is not checked
        help: write `unsafe { … }` around it, or `x[i]`, which is checked and costs nothing where a condition before it bounds the index"#]],
    );
}

#[test]
fn pointers() {
    check_body_error(
        "let p = x.as_ptr(); y[0] = *p;",
        expect![[r#"
        2:28 `*p`: expected an `unsafe` block around an access through a raw pointer, found none: nothing checks where it leads
        help: write `unsafe { … }` around it, or take a slice and index it"#]],
    );
    check_body_error(
        "let p = y.as_mut_ptr(); *p = 1.0;",
        expect![[r#"
        2:25 `*p`: expected an `unsafe` block around an access through a raw pointer, found none: nothing checks where it leads
        help: write `unsafe { … }` around it, or take a slice and index it"#]],
    );
    check_body_error(
        "let p = x.as_ptr(); y[0] = unsafe { *p.add(1) } + unsafe { p.read() };",
        expect!["accepted"],
    );
    check_body_error(
        "let p = x.as_ptr().add(n);",
        expect![[r#"
        2:9 `x.as_ptr().add(n)`: expected an `unsafe` block around `add`, found none: nothing checks where the pointer leads
        help: write `unsafe { … }` around it, and say in a `// SAFETY:` comment why it stays inside of the memory"#]],
    );
    check_body_error("let p = x.as_ptr().wrapping_add(n);", expect!["accepted"]);
    check_body_error(
        "y[0] = x.as_ptr().read();",
        expect![[r#"
        2:8 `x.as_ptr().read()`: expected an `unsafe` block around `read`, found none: nothing checks where the pointer leads
        help: write `unsafe { … }` around it, and say in a `// SAFETY:` comment why it stays inside of the memory"#]],
    );
    check_body_error(
        "y.as_mut_ptr().write(a);",
        expect![[r#"
        2:1 `y.as_mut_ptr().write(a)`: expected an `unsafe` block around `write`, found none: nothing checks where the pointer leads
        help: write `unsafe { … }` around it, and say in a `// SAFETY:` comment why it stays inside of the memory"#]],
    );
    check_body_error(
        "let s = slice::from_raw_parts(x.as_ptr(), n); y[0] = s[0];",
        expect![[r#"
        2:9 `slice::from_raw_parts(x.as_ptr(), n)`: expected an `unsafe` block around `from_raw_parts`, found none: nothing checks what the pointer leads to
        help: write `unsafe { … }` around it, or take the slice as a parameter"#]],
    );
    check_body_error("let p = x.as_ptr(); let q = &raw const *p;", expect!["accepted"]);
    check_body_error(
        "let p = y.as_mut_ptr(); *p += 1.0;",
        expect![[r#"
        2:25 `*p`: expected an `unsafe` block around an access through a raw pointer, found none: nothing checks where it leads
        help: write `unsafe { … }` around it, or take a slice and index it"#]],
    );
    check_body_error(
        "let p = x.as_ptr(); let r = &*p; y[0] = *r;",
        expect![[r#"
        2:30 `*p`: expected an `unsafe` block around an access through a raw pointer, found none: nothing checks where it leads
        help: write `unsafe { … }` around it, or take a slice and index it"#]],
    );
}

#[test]
fn volatile_accesses() {
    check_body_error("y[0] = unsafe { core::ptr::read_volatile(&x[0]) };", expect!["accepted"]);
    check_body_error(
        "y[0] = core::ptr::read_volatile(&x[0]);",
        expect![[r#"
        2:8 `core::ptr::read_volatile(&x[0])`: expected an `unsafe` block around `read_volatile`, found none: nothing checks where the pointer leads
        help: write `unsafe { … }` around it, and say in a `// SAFETY:` comment why it stays inside of the memory"#]],
    );
    check_body_error(
        "core::ptr::write_volatile(&mut y[0], 1.0);",
        expect![[r#"
        2:1 `core::ptr::write_volatile(&mut y[0], 1.0)`: expected an `unsafe` block around `write_volatile`, found none: nothing checks where the pointer leads
        help: write `unsafe { … }` around it, and say in a `// SAFETY:` comment why it stays inside of the memory"#]],
    );
    check_body_error(
        "unsafe { core::ptr::write_volatile(&x[0], 1.0) };",
        expect![[r#"
        2:36 `&x[0]`: expected `*mut _`, found `&f32`
        help: write `*` before it"#]],
    );
    check_body_error(
        "unsafe { core::ptr::write_volatile(&mut y[0], 1) };",
        expect![[r#"
        2:47 `1`: expected `f32`, found an integer
        help: write `1.0`"#]],
    );
    check_body_error(
        "unsafe { x.as_ptr().write_volatile(1.0) };",
        expect![[r#"
        2:10 `x.as_ptr()`: expected a pointer that can be written, found `*const f32`
        help: take a `*mut f32` where it comes from"#]],
    );
    check_body_error(
        "y[0] = unsafe { core::ptr::read_volatile(x) };",
        expect![[r#"
        2:42 `x`: expected `*const _`, found `&[f32]`
        help: write `.as_ptr()`"#]],
    );
    check_body_error(
        "y[0] = unsafe { core::ptr::read_volatile() };",
        expect![[r#"
        2:17 `core::ptr::read_volatile()`: expected 1 argument to `read_volatile`, found 0
        help: add what is missing"#]],
    );
}

#[test]
fn inline_ptx() {
    check_body_error(
        "inline_ptx!(\"membar.gl;\");",
        expect![[r#"
        2:1 `inline_ptx!("membar.gl;")`: expected an `unsafe` block around `inline_ptx!`, found none: nothing checks what the PTX does
        help: write `unsafe { … }` around it, and say in a `// SAFETY:` comment which memory it accesses"#]],
    );
    check_body_error("unsafe { inline_ptx!(\"membar.gl;\") }", expect!["accepted"]);
}

#[test]
fn functions_that_are_unsafe() {
    check_body_error(
        "unsafe fn f(v: f32) -> f32 { v } y[0] = f(a);",
        expect![[r#"
        2:41 `f(a)`: expected an `unsafe` block around the call of `f`, found none: `f` is an `unsafe fn`
        help: write `unsafe { … }` around it, and keep what its `# Safety` asks for"#]],
    );
    check_body_error("unsafe fn f(v: f32) -> f32 { v } y[0] = unsafe { f(a) };", expect!["accepted"]);
    check_body_error(
        "unsafe fn f(v: f32) -> f32 { v } fn g(v: f32) -> f32 { f(v) } y[0] = g(a);",
        expect![[r#"
            2:56 `f(v)`: expected an `unsafe` block around the call of `f`, found none: `f` is an `unsafe fn`
            help: write `unsafe { … }` around it, and keep what its `# Safety` asks for"#]],
    );
    check_body_error(
        "unsafe fn f(v: f32) -> f32 { v } unsafe fn g(v: f32) -> f32 { f(v) } y[0] = unsafe { g(a) };",
        expect!["accepted"],
    );
    check_body_error(
        "unsafe fn f(v: f32) -> f32 { v } fn twice(g: impl Fn(f32) -> f32) -> f32 { g(g(1.0)) } y[0] = twice(f);",
        expect![[r#"
            2:101 `f`: expected a safe function, found `f`, an `unsafe fn`
            help: hand over a closure that calls it: `|value| unsafe { f(value) }`"#]],
    );
    check_body_error(
        "struct S { v: f32 } impl S { unsafe fn f(&self) -> f32 { self.v } } y[0] = S { v: a }.f();",
        expect![[r#"
            2:76 `S { v: a }.f()`: expected an `unsafe` block around the call of `f`, found none: `f` is an `unsafe fn`
            help: write `unsafe { … }` around it, and keep what its `# Safety` asks for"#]],
    );
    // The blocks around a nested function are not around its body.
    check_body_error(
        "unsafe { fn f(x: &[f32]) -> f32 { *x.get_unchecked(1) } y[0] = f(x); }",
        expect![[r#"
        2:36 `x.get_unchecked(1)`: expected an `unsafe` block around `get_unchecked`, found none: its index is not checked
        help: write `unsafe { … }` around it, or `x[i]`, which is checked and costs nothing where a condition before it bounds the index"#]],
    );
    check_error("unsafe fn k(p: *const f32, y: &mut [f32]) { y[0] = *p; }", expect!["accepted"]);
}

#[test]
fn imports_in_arguments_of_macros() {
    check_body_error(
        "assert!({ use crate::evil::Trait as _; n > 0 });",
        expect![[r#"
        2:11 `use`: expected expressions in the arguments of a macro, found a `use`
        help: move it before the macro"#]],
    );
}

#[test]
fn arithmetic_without_overflow() {
    check_body_error(
        "y[0] = u.unchecked_add(1) as f32;",
        expect![[r#"
        2:8 `u.unchecked_add(1)`: expected an `unsafe` block around `unchecked_add`, found none: its overflow is undefined behaviour
        help: write `unsafe { … }` around it, and say in a `// SAFETY:` comment why it does not overflow, or use the operator, which wraps"#]],
    );
    check_body_error(
        "y[0] = unsafe { u.unchecked_mul(2).unchecked_sub(1) as f32 + k.unchecked_add(1) as f32 };",
        expect!["accepted"],
    );
}

/// Functions of the library's types that rustc does not know, under names that a trait of the user's makes known to it.
#[test]
fn functions_of_the_library_alone() {
    let of = "trait Of<'a> { fn of_parameter(e: &'a [f32], r: u32, c: u32, s: u32) -> Self; }
        impl<'a> Of<'a> for Matrix<'a, f32> {
            fn of_parameter(e: &'a [f32], r: u32, c: u32, s: u32) -> Self { Matrix::new(e, [1, 1]) }
        }";
    check_body_error(
        &format!("{of} let m = Matrix::<f32>::of_parameter(x, 9, 9, 9); y[0] = m[[8, 8]];"),
        expect![[r#"
            5:19 `Matrix::<f32>::of_parameter(x, 9, 9, 9)`: expected one `of_parameter` of `Matrix<f32>`, found that of `Of` and that of another `impl`
            help: give the one of `Of` another name"#]],
    );
    // That of the user's trait, as rustc has it.
    check_body(
        &format!("{of} let m = <Matrix<'_, f32> as Of>::of_parameter(x, 9, 9, 9); y[0] = m[[8, 8]];"),
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let m: Matrix<f32> = of_parameter(x, 9u32, 9u32, 9u32);
                y[0usize] = *index(&m, [8usize, 8usize]);
            }
            fn of_parameter(e: &[f32], r: u32, c: u32, s: u32) -> Matrix<f32> {
                new(e, [1usize, 1usize])
            }"#]],
    );
    check_body(
        &format!(
            "{of} fn make<'a, M: Of<'a>>(x: &'a [f32]) -> M {{ M::of_parameter(x, 9, 9, 9) }}
            let m = make::<Matrix<'_, f32>>(x); y[0] = m[[8, 8]];"
        ),
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let m: Matrix<f32> = make(x);
                y[0usize] = *index(&m, [8usize, 8usize]);
            }
            fn make(x: &[f32]) -> Matrix<f32> {
                of_parameter(x, 9u32, 9u32, 9u32)
            }
            fn of_parameter(e: &[f32], r: u32, c: u32, s: u32) -> Matrix<f32> {
                new(e, [1usize, 1usize])
            }"#]],
    );
    // Methods of the library's own are none, whatever the trait is for.
    let own = "fn is_mine() -> bool { true } let m = Matrix::new(x, [1, 1]);";
    check_body(
        &format!(
            "trait Seen {{ fn is_mapped(&self) -> bool; }}
            impl<'a> Seen for Matrix<'a, f32> {{ fn is_mapped(&self) -> bool {{ is_mine() }} }} {own}
            if m.is_mapped() {{ y[0] = 1.0; }}"
        ),
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let m: Matrix<f32> = new(x, [1usize, 1usize]);
                if.() is_mapped(&m) {
                    y[0usize] = 1.0f32;
                }
            }
            fn is_mapped(self: &Matrix<f32>) -> bool {
                is_mine()
            }
            fn is_mine() -> bool {
                true
            }"#]],
    );
    check_body(
        &format!(
            "trait Seen {{ fn is_mapped(self) -> bool; }}
            impl<'a, 'b> Seen for &'b Matrix<'a, f32> {{ fn is_mapped(self) -> bool {{ is_mine() }} }} {own}
            if m.is_mapped() {{ y[0] = 1.0; }}"
        ),
        expect![[r#"
            4:18 `is_mapped`: expected a method of `Matrix<f32>`, found `is_mapped`
            help: its methods are `at`, `columns`, `first_rows`, `row`, `rows`, `stride`"#]],
    );
    check_body_error(
        "let m = Matrix::new(x, [1, 1]); if m.is_mapped() { y[0] = 1.0; }",
        expect![[r#"
            2:38 `is_mapped`: expected a method of `Matrix<f32>`, found `is_mapped`
            help: its methods are `at`, `columns`, `first_rows`, `row`, `rows`, `stride`"#]],
    );
    check_body_error(
        "trait Back { fn values_of_iter(self) -> usize; } impl Back for usize { fn values_of_iter(self) -> usize { 9 } }
        y[n.values_of_iter()] = 1.0;",
        expect!["accepted"],
    );
}
