//! Meanings of names, and the programs that parsing accepts: the whole language, before types are known.

use super::{check_names, in_kernel};
use expect_test::{Expect, expect};

/// A body that is accepted.
#[track_caller]
fn accepted(body: &str) {
    check_names(&in_kernel(body), expect!["accepted"]);
}

#[track_caller]
fn refused(body: &str, expected: Expect) {
    check_names(&in_kernel(body), expected);
}

#[test]
fn statements_of_every_kind() {
    accepted(
        "let (i, mut j) = (n, 0usize);
        let [first, .., last] = [1, 2, 3];
        let Some(v) = (if p { Some(first) } else { None }) else { return; };
        if let Some(w @ 1..=5) = Some(v) && w > 2 && let Some(z) = Some(w) { y[0] = z as f32; }
        while let Some(q) = Some(j) && q < 3 { j += 1; }
        match v { 0 => {} 1 | 2 => y[0] = 1.0, k @ 3..=9 if k < last => y[k as usize] = 0.0, -1 => return, _ => {} }
        'outer: for (i, v) in x.iter().enumerate() { loop { if i > 3 { continue 'outer; } break 'outer; } y[i] = *v; }
        let found = 'search: { for v in x { if *v > 1.0 { break 'search Some(*v); } } None };
        (j, y[0]) = (1, 2.0);
        _ = found;
        let f = |a: f32, (b, c): (f32, f32)| -> f32 { a + b * c };
        let g = move |v| v + 1;
        y[i] = f(1.0, (2.0, 3.0));
        let part = &x[1..n];
        let grid = [[0.0f32; 4]; 4];
        assert!(n > 0, \"n is {n} and {}, {:?} {{}}\", k, u);
        assert_eq!(n, 1); debug_assert_ne!(k, 2, \"text\");
        if matches!(v, 1 | 2 if p) { panic!(\"no {0} {0}\", n) }
        let t = Some(1).expect(\"one\");
        let _ = (part.len(), grid[0][1], g(t), j);
        unreachable!()",
    );
}

#[test]
fn items_of_a_body() {
    accepted(
        "use core::f32::consts::PI;
        use kernel_runtime::prelude::*;
        const N: usize = 4;
        type Row = [f32; N];
        #[derive(Clone, Copy, PartialEq, Default)]
        #[repr(C)]
        struct Vec3 { x: f32, y: f32, z: f32 }
        struct Pair<T>(T, T);
        #[derive(Clone, Copy)]
        struct Unit;
        #[derive(Clone, Copy, PartialEq)]
        #[repr(u8)]
        enum Mode { Fast = 1, Slow }
        use Mode::Slow;
        impl Vec3 {
            const ZERO: Vec3 = Vec3 { x: 0.0, y: 0.0, z: 0.0 };
            fn new(x: f32, y: f32, z: f32) -> Self { Self { x, y, z } }
            fn dot(&self, other: &Vec3) -> f32 { self.x * other.x + self.y * other.y }
            fn scale(&mut self, by: f32) { self.x *= by; }
        }
        impl core::ops::Add for Vec3 { type Output = Vec3; fn add(self, other: Self) -> Self::Output { Vec3::new(self.x, 0.0, 0.0) } }
        impl<T: Copy> Pair<T> { fn first(&self) -> T { self.0 } }
        fn twice<T: Number, F: Fn(T) -> T, const M: usize>(f: F, v: T) -> T where F: Copy { let _ = [0; M]; f(f(v)) }
        fn apply(f: impl Fn(f32) -> f32) -> f32 { helper(f(PI)) }
        fn helper(v: f32) -> f32 { v + f32::MAX + core::f32::consts::E }
        let v = Vec3::ZERO + Vec3::new(1.0, 2.0, 3.0);
        let Vec3 { x: a, .. } = v;
        let Pair(l, r) = Pair::<f32>(1.0, 2.0);
        let row: Row = [0.0; N];
        match Mode::Fast { Mode::Fast => {} Slow => {} }
        let _ = (twice::<_, _, N>(|v| v * 2.0, 1.0), apply(|v| v), Unit, row, <Vec3>::ZERO, a, l, r);
        match n { N => {} usize::MAX => {} _ => {} }",
    );
}

#[test]
fn the_modules_items() {
    check_names(
        "mod m {
            use kernel_runtime::prelude::*;
            use self::inner::{f, g as h};
            use inner::*;
            const N: usize = 2;
            pub struct S { pub v: f32 }
            mod inner {
                use super::S;
                #[device] pub fn f(v: f32) -> f32 { k(v) }
                #[device] pub fn g(s: S) -> f32 { s.v }
                #[device] pub fn k(v: f32) -> f32 { v + super::N as f32 }
            }
            fn host(gpu: &Gpu) -> Vec<f32> { vec![] }
            #[cfg(test)] mod tests { use super::*; }
            #[kernel] pub fn one(y: &mut [f32]) { y[0] = f(1.0) + h(S { v: 1.0 }) + k(2.0) + inner::f(3.0); }
            #[kernel(launch_bounds(128), instances(T = [f32, f64], M = [1, N]))]
            fn two<T: Float, const M: usize>(y: &mut [T]) { y[M] = T::ZERO; }
        }",
        expect!["accepted"],
    );
}

#[test]
fn unknown_names() {
    refused(
        "let v = foo(1.0);",
        expect![[r#"
        2:9 `foo`: expected a function, found the unknown name `foo`
        help: functions outside the kernel are not seen: write it in the body, or put both into a `#[kernel_module]`"#]],
    );
    refused(
        "let v = Foo::new(1.0);",
        expect![[r#"
        2:9 `Foo::new`: expected a function, found the unknown name `Foo::new`
        help: what is outside is not seen: put `Foo` into the `#[kernel_module]`, or into a `#[device_library]` that it links"#]],
    );
    refused(
        "let v: Vec3 = 1.0;",
        expect![[r#"
            2:8 `Vec3`: expected a type, found `Vec3`
            help: types outside the kernel are not seen: declare it in the body, or put both into a `#[kernel_module]`, or `Vec3` into a `#[device_library]` that it links"#]],
    );
    refused(
        "struct Point; let v: Piont = 1.0;",
        expect![[r#"
        2:22 `Piont`: expected a type, found `Piont`
        help: did you mean `Point`?"#]],
    );
    refused(
        "enum Mode { Fast, Slow } let v = Mode::Fsat;",
        expect![[r#"
        2:34 `Mode::Fsat`: expected a constant, found the unknown name `Mode::Fsat`
        help: did you mean `Mode::Fast`?"#]],
    );
    refused(
        "fn helper() {} helpr();",
        expect![[r#"
        2:16 `helpr`: expected a function, found the unknown name `helpr`
        help: did you mean `helper`?"#]],
    );
    refused(
        "fn inner() -> usize { n }",
        expect![[r#"
        2:23 `n`: expected a variable or a constant, found the unknown name `n`
        help: functions do not see the variables around them: pass it as a parameter, or write a closure"#]],
    );
    refused(
        "struct S { v: f32 } let s = S;",
        expect![[r#"
        2:29 `S`: expected a value, found the struct `S`
        help: write `S { … }`"#]],
    );
    refused(
        "let v = self.x;",
        expect![[r#"
        2:9 `self`: expected a variable or a constant, found the unknown name `self`
        help: only methods in an `impl` have `self`: pass it as a parameter"#]],
    );
    refused(
        "use std::collections::HashMap; let v = HashMap::new();",
        expect![[r#"
            2:40 `HashMap::new`: expected a type, found `HashMap`
            help: use an array and search it"#]],
    );
    // Names of the standard library that the language does not have.
    refused(
        "use core::cell::Cell; let c: Cell<u32> = Cell::new(3);",
        expect![[r#"
        2:30 `Cell<u32>`: expected a type, found `Cell`, and at another place
        help: declare the variable with `let mut`, and pass `&mut`"#]],
    );
    refused(
        "use std::mem::discriminant; let v = discriminant(&n);",
        expect![[r#"
        2:37 `discriminant`: expected a function, found the unknown name `discriminant`
        help: kernels see of the standard library only what the language lists: do it on the host, and pass the result"#]],
    );
    refused(
        "use super::helper; helper();",
        expect![[r#"
        2:20 `helper`: expected a function, found the unknown name `helper`
        help: what is outside is not seen: put `helper` into the `#[kernel_module]`, or into a `#[device_library]` that it links"#]],
    );
    refused(
        "let v = f32::INFINTY;",
        expect![[r#"
        2:9 `f32::INFINTY`: expected a constant, found the unknown name `f32::INFINTY`
        help: did you mean `f32::INFINITY`?"#]],
    );
}

#[test]
fn patterns() {
    refused(
        "match n { 1 | v => {} _ => {} }",
        expect![[r#"
        2:15 `v`: expected each alternative to bind the same names, found `v` in one of them only
        help: bind it in each, or write `_`"#]],
    );
    refused(
        "let (v, v) = (1, 2);",
        expect![[r#"
        2:9 `v`: expected a new name in the pattern, found `v` again
        help: rename one of them"#]],
    );
    refused(
        "const N: usize = 1; let N = 2;",
        expect![[r#"
        2:25 `N`: expected a new variable, found the constant `N`
        help: give the variable another name"#]],
    );
    refused(
        "let f = |v, v| v;",
        expect![[r#"
        2:13 `v`: expected a new name in the pattern, found `v` again
        help: rename one of them"#]],
    );
    refused("match n { Ok(v) => {} _ => {} }", expect!["accepted"]);
}

#[test]
fn labels() {
    refused(
        "'a: { continue 'a; }",
        expect![[r#"
        2:7 `continue 'a`: expected the label of a loop, found that of a block
        help: leave the block with `break`"#]],
    );
    refused(
        "'a: loop { let f = || break 'a; }",
        expect![[r#"
        2:29 `'a`: expected the label of an enclosing loop, found `'a`
        help: write `'a:` before the loop that is meant"#]],
    );
    refused(
        "loop { fn f() { break; } }",
        expect![[r#"
        2:17 `break`: expected `break` inside a loop, found it outside
        help: leave the function with `return`"#]],
    );
    refused(
        "'a: { break; }",
        expect![[r#"
        2:7 `break`: expected `break` inside a loop, found it outside
        help: leave the function with `return`"#]],
    );
}

#[test]
fn what_the_language_has_not() {
    refused(
        "let v = async { 1 };",
        expect![[r#"
        2:9 `async { 1 }`: `async` is not supported in kernels
        help: kernels run to their end: call what you need directly"#]],
    );
    refused(
        "let v = foo()?;",
        expect![[r#"
            2:9 `foo`: expected a function, found the unknown name `foo`
            help: functions outside the kernel are not seen: write it in the body, or put both into a `#[kernel_module]`"#]],
    );
    refused(
        "static mut X: u32 = 1;",
        expect![[r#"
            2:1 `static mut X: u32 = 1;`: `static mut` is not supported in kernels
            help: take a slice of atomics, `&[AtomicU32]`, or use `shared::<[T; N]>()` for memory of the block"#]],
    );
    refused(
        "struct S; impl ToOwned for S {}",
        expect![[r#"
            2:16 `ToOwned`: expected a trait of operators, `Default`, `Clone`, `PartialEq`, `PartialOrd`, `Ord`, `From`, `TryFrom`, or one that the kernel sees, found `ToOwned`
            help: declare the trait beside the `impl`, or move the `impl` out of what the kernel sees"#]],
    );
    refused(
        "let v: Box<dyn Fn(f32) -> f32> = 1;",
        expect![[r#"
            2:12 `dyn Fn(f32) -> f32`: expected a type, found `dyn Fn(f32) -> f32`
            help: there are no trait objects on the GPU: leave the type of a variable out, `let f = |x| …;`, and take a parameter as `impl Fn(f32) -> f32`"#]],
    );
    refused(
        "let v: *const [f32] = 1;",
        expect![[r#"
            2:8 `*const [f32]`: expected a pointer to a value, found one to a slice
            help: take a pointer to the first element, and the length: `*const f32`"#]],
    );
    refused("let v: fn(f32) -> f32 = 1;", expect!["accepted"]);
    refused(
        "let v = format!(\"{}\", n);",
        expect![[r#"
            2:9 `format!("{}", n)`: `format!` is not supported in kernels
            help: there are no strings on the GPU: write numbers to a `&mut [T]` parameter"#]],
    );
    refused(
        "#[cfg(test)] let v = 1;",
        expect![[r#"
            2:1 `#[cfg(test)]`: `#[cfg]` is not supported in kernels
            help: write `#[cfg(…)]` at a statement or an item: the compiler does not know the crate's configuration here"#]],
    );
    refused(
        "let v = \"text\";",
        expect![[r#"
            2:9 `"text"`: strings are not supported in kernels
            help: write an `enum` for an error or a name, and `b"…"` for bytes, or pass them as a `&[u8]` parameter"#]],
    );
    refused(
        "macro_rules! m { () => {} }",
        expect![[r#"
        2:1 `macro_rules! m { () => {} }`: macros of your own are not supported in kernels
        help: write a function, or what the macro expands to"#]],
    );
    refused(
        "async fn f() {}",
        expect![[r#"
        2:1 `async`: expected `fn`, found `async fn`: a function runs to its end
        help: leave `async` out"#]],
    );
    refused(
        "panic!(n);",
        expect![[r#"
        2:8 `n`: expected the message as a string literal
        help: write `"{}"` before the value"#]],
    );
    refused(
        "panic!(\"{} {}\", n);",
        expect![[r#"
        2:8 `"{} {}"`: expected a value for each `{}`, found 1 for `{}`
        help: add it after the string"#]],
    );
    refused(
        "panic!(\"{}\", n, k);",
        expect![[r#"
        2:17 `k`: expected 1 value for the message, found 2
        help: write `{}` for each"#]],
    );
}

#[test]
fn instances() {
    check_names(
        "#[kernel] fn k<T>(y: &mut [T]) {}",
        expect![[r#"
        1:15 `<T>`: expected the instances of a generic kernel, found none
        help: list them: `#[kernel(instances(T = […]))]`"#]],
    );
    check_names(
        "#[kernel(instances(T = [f32]))] fn k(y: &mut [f32]) {}",
        expect![[r#"
        1:20 `T`: expected a generic parameter of the kernel, found `T`
        help: the kernel is not generic: leave `instances` out"#]],
    );
    check_names(
        "#[kernel(instances(U = [f32]))] fn k<T>(y: &mut [T]) {}",
        expect![[r#"
        1:20 `U`: expected a generic parameter of the kernel, found `U`
        help: the parameters are `T`"#]],
    );
    check_names(
        "#[kernel(instances(T = f32))] fn k<T>(y: &mut [T]) {}",
        expect![[r#"
        1:24 `f32`: expected a list of what `T` may be
        help: write `T = […]`"#]],
    );
    check_names(
        "#[kernel(instances(T = []))] fn k<T>(y: &mut [T]) {}",
        expect![[r#"
        1:20 `T`: expected at least one argument for `T`, found none
        help: add one to the list"#]],
    );
    check_names(
        "#[kernel(instances((f32, 1), (f64, 2)))] fn k<T, const N: usize>(y: &mut [T]) {}",
        expect!["accepted"],
    );
    check_names(
        "#[kernel(instances((f32, 1), (f64)))] fn k<T, const N: usize>(y: &mut [T]) {}",
        expect![[r#"
        1:30 `(f64)`: expected 2 arguments, found 1
        help: write one for each of `T`, `N`"#]],
    );
    check_names(
        "#[kernel(instances(T = [f32, Foo]))] fn k<T>(y: &mut [T]) {}",
        expect![[r#"
            1:30 `Foo`: expected a type, found `Foo`
            help: types outside the kernel are not seen: declare it in the body, or put both into a `#[kernel_module]`, or `Foo` into a `#[device_library]` that it links"#]],
    );
}

#[test]
fn parameters_of_kernels() {
    check_names("fn k(v: (f32, f32)) {}", expect!["accepted"]);
    check_names("fn k(v: [f32; 2]) {}", expect!["accepted"]);
    check_names(
        "fn k(v: &f32) {}",
        expect![[r#"
        1:9 `&f32`: expected a slice after `&`, found `f32`
        help: pass it by value: `f32`"#]],
    );
    check_names(
        "fn k(v: &[bool]) {}",
        expect![[r#"
        1:11 `bool`: expected an element type, found `bool`: not every byte is a `bool`
        help: use `u8` and compare with `!= 0`"#]],
    );
    check_names(
        "fn k(v: &[&[f32]]) {}",
        expect![[r#"
        1:11 `&[f32]`: expected plain data as element, found `&[f32]`
        help: pass one slice, and offsets into it"#]],
    );
    check_names(
        "fn k((a, b): (f32, f32)) {}",
        expect![[r#"
        1:6 `(a, b)`: expected a name, found a pattern: patterns in parameters of a kernel are not supported
        help: name the parameter and take it apart in the body"#]],
    );
    check_names(
        "fn k(&self) {}",
        expect![[r#"
        1:6 `&self`: expected a parameter, found `self`: a kernel is a free function
        help: move it out of the `impl` and pass scalars and slices"#]],
    );
    check_names(
        "fn k(f: impl Fn(f32) -> f32) {}",
        expect![[r#"
            1:9 `impl Fn(f32) -> f32`: expected a scalar, a struct or a slice, found a function: the host cannot hand one to the GPU
            help: pass an enum or a number, and choose in the body"#]],
    );
    check_names(
        "fn k(v: Vec<f32>) {}",
        expect![[r#"
        1:9 `Vec<f32>`: expected a type, found `Vec`
        help: pass a slice, or use an array or `shared::<[T; N]>()`"#]],
    );
    check_names(
        "fn k(a: f32, a: f32) {}",
        expect![[r#"
        1:14 `a`: expected a new name, found `a`, which an earlier parameter has
        help: rename one of them"#]],
    );
}

#[test]
fn modules() {
    // Those of strings are the host's.
    check_names(
        "mod m { struct S; impl std::fmt::Display for S { fn f(x: &Formatter) {} } #[kernel] fn k() {} }",
        expect!["accepted"],
    );
    // A function that is called needs no mark; it is held to what a device function is.
    check_names("mod m { fn f() {} #[kernel] fn k() { f(); } }", expect!["accepted"]);
    check_names(
        "mod m { fn f() { g(Vec::new()) } fn g(v: Vec<u8>) {} #[kernel] fn k() {} }",
        expect!["accepted"],
    );
    check_names(
        "mod m { fn f(v: Vec<u8>) {} #[kernel] fn k() { f(0); } }",
        expect![[r#"
            1:17 `Vec<u8>`: expected a type, found `Vec`
            help: pass a slice, or use an array or `shared::<[T; N]>()`"#]],
    );
    check_names(
        "mod m { fn f(x: u32) -> u32 { x } #[kernel] fn k() { Some(1u32).map(f); } }",
        expect!["accepted"],
    );
    check_names(
        "mod m { #[device] fn f() {} }",
        expect![[r#"
        1:5 `m`: expected a kernel in the module, found none
        help: mark one: `#[kernel] pub fn …`; a module of functions alone is a `#[device_library]`"#]],
    );
    check_names(
        "mod m { mod inner { #[kernel] fn k() {} } }",
        expect![[r#"
        1:21 `#[kernel]`: expected a kernel at the top of a `#[kernel_module]` or outside of one, found it inside another item
        help: move it out"#]],
    );
    check_names("mod m { impl std::fmt::LowerHex for f32 {} #[kernel] fn k() {} }", expect!["accepted"]);
    check_names(
        "mod m { const A: u32 = 1; const A: u32 = 2; #[kernel] fn k() {} }",
        expect![[r#"
        1:33 `A`: expected a new name, found the constant `A` again
        help: rename one of them"#]],
    );
    check_names(
        "mod m { use super::other::f; #[kernel] fn k() { f(1.0) } }",
        expect![[r#"
            1:49 `f`: expected a function, found the unknown name `f`
            help: what is outside is not seen: put `f` into the `#[kernel_module]`; if `other` is a `#[device_library]`, link it: `#[kernel_module(link(other))]`"#]],
    );
}

#[test]
fn the_device_library() {
    let mut diagnostics = crate::diagnostics::Diagnostics::default();
    let mut program = crate::ast::Program { modules: vec![Default::default()], ..Default::default() };
    for file in crate::device::library::FILES {
        crate::parse::parse_library(&mut program, file.text, &mut diagnostics);
    }
    crate::parse::parse_library(&mut program, crate::device::library::RESULT, &mut diagnostics);
    crate::resolve::resolve(&program, &mut diagnostics);
    let errors: Vec<String> = diagnostics.into_errors().into_iter().map(|error| error.message).collect();
    expect!["[]"].assert_eq(&format!("{errors:?}"));
}

#[test]
fn tuned_parameters() {
    check_names("#[kernel(tune(N = [1, 2]))] fn k<const N: usize>(y: &mut [f32]) {}", expect!["accepted"]);
    check_names(
        "#[kernel(instances((f32), (f64)), tune(N = [1, 2], M = [true], block = N, per_thread = 4))] fn k<const M: bool, T, const N: usize>(y: &mut [T]) {}",
        expect!["accepted"],
    );
    check_names("#[kernel(tune(block = [64, (8, 8)]))] fn k(y: &mut [f32]) {}", expect!["accepted"]);
    check_names(
        "#[kernel(tune(N = [1]))] fn k<T, const N: usize>(y: &mut [T]) {}",
        expect![[r#"
        1:30 `<T, const N: usize>`: expected the instances of a generic kernel, found none
        help: list them: `#[kernel(instances(T = […]))]`"#]],
    );
    check_names(
        "#[kernel(instances(T = [f32], N = [1]), tune(N = [2]))] fn k<T, const N: usize>(y: &mut [T]) {}",
        expect![[r#"
            1:31 `N`: expected `N` in one list, found it in `instances` and in `tune`
            help: leave it in `tune` to have it chosen, or in `instances` to have the launch say it"#]],
    );
    check_names(
        "#[kernel(tune(M = [1]))] fn k<const N: usize>(y: &mut [f32]) {}",
        expect![[r#"
        1:15 `M`: expected a generic parameter of the kernel, `block` or `per_thread`, found `M`
        help: the parameters are `N`"#]],
    );
    check_names(
        "#[kernel(tune(T = [f32]))] fn k<T>(y: &mut [T]) {}",
        expect![[r#"
        1:39 `&mut [T]`: expected a type without `T`, which is tuned: a launch has the same arguments for every instance
        help: list `T` in `instances(…)` instead, so that the launch says what it is"#]],
    );
    check_names(
        "#[kernel(tune(N = []))] fn k<const N: usize>(y: &mut [f32]) {}",
        expect![[r#"
        1:15 `N`: expected at least one value for `N`, found none
        help: add one to the list"#]],
    );
    check_names(
        "#[kernel(tune(N = 4))] fn k<const N: usize>(y: &mut [f32]) {}",
        expect![[r#"
        1:19 `4`: expected a list of what `N` may be
        help: write `N = […]`"#]],
    );
    check_names(
        "#[kernel(tune(N))] fn k<const N: usize>(y: &mut [f32]) {}",
        expect![[r#"
        1:15 `N`: expected `=` after `N`
        help: write what it may be: `N = […]`"#]],
    );
    check_names(
        "#[kernel(tune)] fn k<const N: usize>(y: &mut [f32]) {}",
        expect![[r#"
        1:10 `tune`: expected what to tune, found nothing
        help: write `tune(N = [1, 2, 4], block = [128, 256])`"#]],
    );
    check_names(
        "#[kernel(tune(block = T))] fn k<T>(y: &mut [T]) {}",
        expect![[r#"
        1:10 `tune(block = T)`: expected what to tune, found nothing
        help: write `tune(N = [1, 2, 4], block = [128, 256])`"#]],
    );
    check_names(
        "#[kernel(tune(N = [0, 64, 2000], block = N))] fn k<const N: usize>(y: &mut [f32]) {}",
        expect![[r#"
            1:20 `0`: expected 1 to 1024 threads per block, found 0
            help: `N` is the block size here: leave the value out
            1:27 `2000`: expected 1 to 1024 threads per block, found 2000
            help: `N` is the block size here: leave the value out"#]],
    );
    check_names(
        "#[kernel(tune(block = [(1, 2, 3, 4), 1.5, f()]))] fn k(y: &mut [f32]) {}",
        expect![[r#"
        1:24 `(1, 2, 3, 4)`: expected 1 to 3 sizes of a block, found 4
        help: write `(x, y)` or `(x, y, z)`
        1:38 `1.5`: expected the number of threads per block, a constant integer, found the float `1.5`
        help: write an integer
        1:43 `f()`: expected the number of threads per block, a constant integer, found `f()`
        help: write the number"#]],
    );
    check_names(
        "#[kernel(tune(per_thread = 0, block = [64]))] fn k(y: &mut [f32]) {}",
        expect![[r#"
            1:28 `0`: expected at least 1 element per thread, found 0
            help: write a number from 1 to 65536"#]],
    );
    check_names(
        "#[kernel(tune(N = [1, 2, 3, 4, 5, 6, 7], M = [1, 2, 3, 4, 5, 6, 7], K = [1, 2, 3, 4, 5, 6]))] fn k<const N: u8, const M: u8, const K: u8>(y: &mut [f32]) {}",
        expect![[r#"
            1:10 `tune(N = [1, 2, 3, 4, 5, 6, 7], M = [1, 2, 3, 4, 5, 6, 7], K = [1, 2, 3, 4, 5, 6])`: expected 1 to 256 instances, found 294
            help: list fewer values: each combination is compiled"#]],
    );
}
