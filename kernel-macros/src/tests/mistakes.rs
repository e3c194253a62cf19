//! Refused programs: one error for a mistake, at the right token.

use super::{check_body_error, check_error};
use expect_test::{Expect, expect};

#[track_caller]
fn body(body: &str, expected: Expect) {
    check_body_error(body, expected);
}

/// Operators by the names of types that do not have them.
#[test]
fn operators_of_types() {
    body("let v = [1i32, -2].map(i32::neg); let w = [true].map(bool::not);", expect!["accepted"]);
    body(
        "let v: [u32; 2] = [1u32, 2].map(u32::neg);",
        expect![[r#"
            2:33 `u32::neg`: expected a function of `u32`, found the unknown name `neg`
            help: `u32` has no sign: write `u32::wrapping_neg`, or convert with `as`"#]],
    );
    body(
        "let v: [f32; 1] = [a].map(f32::not);",
        expect![[r#"
            2:27 `f32::not`: expected a function of `f32`, found the unknown name `not`
            help: `f32` has no such function"#]],
    );
    body(
        "let v = [1.0f32].into_iter().fold(0.0, f32::bitand);",
        expect![[r#"
            2:40 `f32::bitand`: expected a function of `f32`, found the unknown name `bitand`
            help: `f32` has no such function"#]],
    );
}

#[test]
fn signatures() {
    check_error(
        "fn k(x: &[f32]) -> f32 { x[0] }",
        expect![[r#"
        1:20 `f32`: expected a kernel without a return type, found `-> f32`
        help: return nothing and write results to a `&mut [T]` parameter"#]],
    );
    check_error(
        "fn k<T>(x: &[f32]) {}",
        expect![[r#"
            1:5 `<T>`: expected the instances of a generic kernel, found none
            help: list them: `#[kernel(instances(T = […]))]`"#]],
    );
    check_error(
        "async fn k() {}",
        expect![[r#"
        1:1 `async`: expected `fn`, found `async fn`: a kernel runs to its end
        help: leave `async` out"#]],
    );
    check_error(
        "const fn k() {}",
        expect![[r#"
        1:1 `const`: expected `fn`, found `const fn`: a kernel runs on the GPU only
        help: leave `const` out"#]],
    );
    check_error(
        "extern \"C\" fn k() {}",
        expect![[r#"
        1:1 `extern "C"`: expected a Rust function, found `extern`
        help: leave `extern` out: the kernel's PTX entry has its name"#]],
    );
    check_error(
        "fn k(&self, x: f32) {}",
        expect![[r#"
        1:6 `&self`: expected a parameter, found `self`: a kernel is a free function
        help: move it out of the `impl` and pass scalars and slices"#]],
    );
    check_error(
        "fn k((a, b): (f32, f32)) {}",
        expect![[r#"
            1:6 `(a, b)`: expected a name, found a pattern: patterns in parameters of a kernel are not supported
            help: name the parameter and take it apart in the body"#]],
    );
    check_error(
        "fn k(_: f32) {}",
        expect![[r#"
        1:6 `_`: expected a name, found `_`
        help: name the parameter: `_unused`"#]],
    );
    check_error(
        "fn k(a: f32, a: f32) {}",
        expect![[r#"
        1:14 `a`: expected a new name, found `a`, which an earlier parameter has
        help: rename one of them"#]],
    );
    check_error(
        "fn größe() {}",
        expect![[r#"
        1:4 `größe`: expected an ASCII name, found `größe`: PTX has no others
        help: rename the kernel"#]],
    );
    check_error(
        "struct K { a: f32 }",
        expect![[r#"
        1:1 `struct`: expected a function under `#[kernel]`, found a struct
        help: put it on a `fn` with the kernel's body"#]],
    );
    check_error(
        "pub mod k {}",
        expect![[r#"
            1:9 `k`: expected a kernel in the module, found none
            help: mark one: `#[kernel] pub fn …`; a module of functions alone is a `#[device_library]`"#]],
    );
    check_error(
        "fn k();",
        expect![[r#"
        1:7 `;`: expected a function body, found `;`
        help: write the kernel between `{` and `}`"#]],
    );
    check_error("fn k(#[allow(unused)] x: f32) {}", expect!["accepted"]);
}

#[test]
fn parameter_types() {
    check_error(
        "fn k(x: &[f23]) {}",
        expect![[r#"
            1:11 `f23`: expected a type, found `f23`
            help: did you mean `f32`?"#]],
    );
    check_error(
        "fn k(x: float) {}",
        expect![[r#"
            1:9 `float`: expected a type, found `float`
            help: use `f32`"#]],
    );
    check_error(
        "fn k(f: &dyn Fn(f32) -> f32) {}",
        expect![[r#"
        1:9 `&dyn Fn(f32) -> f32`: expected a slice after `&`, found `dyn Fn(f32) -> f32`
        help: what is called has to be known when the kernel is compiled: pass an enum or a number, and choose in the body"#]],
    );
    check_error(
        "fn k(x: &f32, y: &mut f32) {}",
        expect![[r#"
        1:9 `&f32`: expected a slice after `&`, found `f32`
        help: pass it by value: `f32`
        1:18 `&mut f32`: expected a slice after `&mut`, found `f32`
        help: pass a slice of length 1: `&mut [f32]`"#]],
    );
    check_error(
        "fn k(count: &AtomicU32, y: &mut AtomicF32) {}",
        expect![[r#"
        1:13 `&AtomicU32`: expected a slice after `&`, found `AtomicU32`
        help: pass a slice of length 1: `&[AtomicU32]`
        1:28 `&mut AtomicF32`: expected a slice after `&mut`, found `AtomicF32`
        help: pass a slice of length 1: `&[AtomicF32]`"#]],
    );
    check_error("fn k(x: [f32; 4]) {}", expect!["accepted"]);
    check_error(
        "fn k(x: &[f32; 4]) {}",
        expect![[r#"
        1:10 `[f32; 4]`: expected a slice, found a reference to an array
        help: pass a slice: `&[f32]`"#]],
    );
    check_error(
        "fn k(x: Vec<f32>, y: String) {}",
        expect![[r#"
            1:9 `Vec<f32>`: expected a type, found `Vec`
            help: pass a slice, or use an array or `shared::<[T; N]>()`
            1:22 `String`: expected a type, found `String`
            help: use `&[u8]`"#]],
    );
    check_error(
        "fn k(x: &[bool]) {}",
        expect![[r#"
        1:11 `bool`: expected an element type, found `bool`: not every byte is a `bool`
        help: use `u8` and compare with `!= 0`"#]],
    );
    check_error("fn k(x: &'static [f32]) {}", expect!["accepted"]);
    check_error(
        "fn k(x: &[&[f32]]) {}",
        expect![[r#"
            1:11 `&[f32]`: expected plain data as element, found `&[f32]`
            help: pass one slice, and offsets into it"#]],
    );
    check_error(
        "fn k(x: impl Fn(), y: (f32, f32), z: *const f32, w: f16, v: u128, c: char) {}",
        expect![[r#"
            1:9 `impl Fn()`: expected a scalar, a struct or a slice, found a function: the host cannot hand one to the GPU
            help: pass an enum or a number, and choose in the body"#]],
    );
    check_error(
        "fn k(x: std::f32) {}",
        expect![[r#"
            1:9 `std::f32`: expected a type, found `std::f32`
            help: kernels see of the standard library only what the language lists: do it on the host, and pass the result"#]],
    );
}

#[test]
fn unsupported_expressions() {
    body("let f = |v: f32| v + 1.0;", expect!["accepted"]);
    body("match u { 0 => {}, _ => {} }", expect!["accepted"]);
    body(
        "let s = \"text\"; let c = 'c';",
        expect![[r#"
            2:9 `"text"`: strings are not supported in kernels
            help: write an `enum` for an error or a name, and `b"…"` for bytes, or pass them as a `&[u8]` parameter"#]],
    );
    body("let r = &a;", expect!["accepted"]);
    body(
        "let v = *x;",
        expect![[r#"
        2:5 `v`: expected a pattern for elements, found the name `v` for the slice itself, whose length is not known
        help: take a reference: `&x[a..b]` instead of `x[a..b]`, `x` instead of `*x`"#]],
    );
    body("let t = (1, 2);", expect!["accepted"]);
    body("let t = [0.0; 4]; let q = [1, 2];", expect!["accepted"]);
    body("let t: [f32; 4] = [0.0; 4];", expect!["accepted"]);
    body(
        "let v = u?;",
        expect![[r#"
            2:9 `u?`: expected an `Option` or a `Result` before `?`, found `u32`
            help: leave the `?` out"#]],
    );
    body(
        "let v = x.first()?;",
        expect![[r#"
            2:9 `x.first()?`: expected `?` in a function that gives an `Option`, found it in one without a value
            help: write `let Some(value) = … else { return };`"#]],
    );
    body(
        "fn f(x: &[f32]) -> f32 { let v = x.first()?; *v } y[0] = f(x);",
        expect![[r#"
            2:34 `x.first()?`: expected `?` in a function that gives an `Option`, found it in one that gives `f32`
            help: write `let Some(value) = … else { return … };`, or let the function give an `Option`"#]],
    );
    body(
        "fn f(a: &AtomicU32) -> Option<u32> { let v = a.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed)?; Some(v) } let s = shared::<[AtomicU32; 1]>(); y[0] = f(&s[0]).is_some() as u32 as f32;",
        expect![[r#"
            2:46 `a.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed)?`: expected `?` in a function that gives a `Result`, found it in one that gives an `Option`
            help: write `.ok()?`"#]],
    );
    body(
        "const C: u32 = Some(3)?;",
        expect![[r#"
            2:16 `Some(3)?`: expected `?` in a function that gives an `Option`, found it in a constant
            help: write a `match`"#]],
    );
    body(
        "use core::ops::ControlFlow; fn f(v: Option<u32>) -> ControlFlow<u32> { v?; ControlFlow::Continue(()) } f(None);",
        expect![[r#"
            2:72 `v?`: expected `?` in a function that gives an `Option`, found it in one that gives `ControlFlow<u32, ()>`
            help: write `let Some(value) = … else { return ControlFlow::Break(…) };`"#]],
    );
    body(
        "use core::ops::ControlFlow; fn f(v: ControlFlow<u32>) -> Option<u32> { v?; Some(1) } f(ControlFlow::Break(1));",
        expect![[r#"
            2:72 `v?`: expected `?` in a function that gives a `ControlFlow`, found it in one that gives an `Option`
            help: write `.continue_value()?`"#]],
    );
    body("let v = (0..n).filter(|v| *v > 3).nth(2);", expect!["accepted"]);
    body(
        "let v = a.then_some(3);",
        expect![[r#"
            2:11 `then_some`: expected a method of `f32`, found `then_some`
            help: `then_some` is a method of `bool`s: write a condition before it"#]],
    );
    body(
        "let v = a.is_ascii_digit();",
        expect![[r#"
        2:11 `is_ascii_digit`: expected a method of `f32`, found `is_ascii_digit`
        help: `is_ascii_digit` is a method of `u8`s: convert with `as`"#]],
    );
    body(
        "let v: [u8; 3] = b\"abc\";",
        expect![[r#"
        2:18 `b"abc"`: expected `[u8; 3]`, found `&[u8; 3]`
        help: write `*` before it"#]],
    );
    body("let t = x.first().map(|v| -> Option<f32> { Some(*v + *x.get(1)?) });", expect!["accepted"]);
    body(
        "let t = x.iter().filter_map(|v| *v).sum::<f32>();",
        expect![[r#"
            2:33 `*v`: expected `Option<_>`, found `f32`
            help: make both of the same type"#]],
    );
    body(
        "async { }; const { 3 }; const { async { } };",
        expect![[r#"
            2:1 `async { }`: `async` is not supported in kernels
            help: kernels run to their end: call what you need directly
            2:33 `async { }`: `async` is not supported in kernels
            help: kernels run to their end: call what you need directly"#]],
    );
    body(
        "let p = Point { x: 1.0 };",
        expect![[r#"
            2:9 `Point`: expected a type, found `Point`
            help: types outside the kernel are not seen: declare it in the body, or put both into a `#[kernel_module]`, or `Point` into a `#[device_library]` that it links"#]],
    );
    body(
        "let r = 0..n; let s = 1..=k; for i in r.clone() {} if r.contains(&n) && s.contains(&k) {}",
        expect!["accepted"],
    );
    body(
        "let r = 0..n; let _: i32 = r.start;",
        expect![[r#"
        2:5 `r`: expected `i32`, found `usize`
        help: convert with `as i32`"#]],
    );
    body(
        "let s = x[1..3];",
        expect![[r#"
        2:5 `s`: expected a pattern for elements, found the name `s` for the slice itself, whose length is not known
        help: take a reference: `&x[a..b]` instead of `x[a..b]`, `x` instead of `*x`"#]],
    );
    body("if let 3 = u {}", expect!["accepted"]);
    body("while let 3 = u {}", expect!["accepted"]);
    body("let 3 = u else { return };", expect!["accepted"]);
    body(
        "let (v, w) = u;",
        expect![[r#"
            2:5 `(v, w)`: expected a pattern for `u32`, found one for a tuple
            help: write a pattern of that type, or a name"#]],
    );
    body("println!(\"{}\", a);", expect!["accepted"]);
    body(
        "dbg!(a);",
        expect![[r#"
        2:1 `dbg!(a)`: `dbg!` is not supported in kernels
        help: use `eprintln!`"#]],
    );
    body("let v = if p { panic!() } else { 1 };", expect!["accepted"]);
    body("assert!(n > 0); assert_eq!(n, 0)", expect!["accepted"]);
    body("let v = 'a: { break 'a 3 };", expect!["accepted"]);
    body("for v in x {} for v in x.iter() {} for i in 0.. {}", expect!["accepted"]);
    body(
        "for i in (0..n).map(u) {}",
        expect![[r#"
            2:21 `u`: expected a closure or a function, found `u32`
            help: write `|value| …`"#]],
    );
    body(
        "for i in (0..n).rev(1) {} for i in (0..n).step_by() {}",
        expect![[r#"
            2:10 `(0..n).rev(1)`: expected 0 arguments to `rev`, found 1
            help: leave the rest out
            2:36 `(0..n).step_by()`: expected 1 argument to `step_by`, found 0
            help: add what is missing"#]],
    );
    body(
        "#[vectorize] for i in 0..4 {}",
        expect![[r#"
        2:1 `#[vectorize]`: `#[vectorize]` is not supported in kernels
        help: leave it out: a body has no attributes but those of lints"#]],
    );
    body(
        "#[cfg(test)] let v = 3;",
        expect![[r#"
            2:1 `#[cfg(test)]`: `#[cfg]` is not supported in kernels
            help: write `#[cfg(…)]` at a statement or an item: the compiler does not know the crate's configuration here"#]],
    );
    body(
        "let v = 3i128; let w = 1.0f16; let z = 1q;",
        expect![[r#"
            2:40 `1q`: expected the suffix of a scalar type, found `q`
            help: write one of `i32`, `u32`, `usize`, `f32`, …"#]],
    );
    body(
        "return 3;",
        expect![[r#"
            2:8 `3`: expected `return` without a value, found an integer
            help: write `return`; results go to a `&mut [T]` parameter"#]],
    );
    body("_ = u;", expect!["accepted"]);
    body("let v = <f32>::MAX;", expect!["accepted"]);
    body(
        "let v = thread_idx().0;",
        expect![[r#"
            2:22 `0`: expected a field of `Dim3`, found `0`
            help: write `.x`, `.y` or `.z`"#]],
    );
}

#[test]
fn unsupported_items() {
    body("fn helper() {}", expect!["accepted"]);
    body(
        "static mut S: u32 = 3;",
        expect![[r#"
            2:1 `static mut S: u32 = 3;`: `static mut` is not supported in kernels
            help: take a slice of atomics, `&[AtomicU32]`, or use `shared::<[T; N]>()` for memory of the block"#]],
    );
    body("struct P { x: f32 }", expect!["accepted"]);
    body("use core::f32::consts::PI;", expect!["accepted"]);
    body("type F = f32;", expect!["accepted"]);
    body(
        "impl P {}",
        expect![[r#"
            2:6 `P`: expected a type, found `P`
            help: types outside the kernel are not seen: declare it in the body, or put both into a `#[kernel_module]`, or `P` into a `#[device_library]` that it links"#]],
    );
}

#[test]
fn syntax() {
    body("let v = ;", expect!["2:9 `;`: expected an expression"]);
    body(
        "y[0] = a +* 3;",
        expect![[r#"
            2:13 `3`: expected a reference after `*`, found an integer
            help: leave the `*` out, or write `x.pow(y)` for a power"#]],
    );
    body("if n < u < 3 {}", expect!["2:10 `<`: comparison operators cannot be chained"]);
}

#[test]
fn names() {
    body(
        "y[0] = b;",
        expect![[r#"
        2:8 `b`: expected a variable or a constant, found the unknown name `b`
        help: declare it with `let`, or pass it as a parameter"#]],
    );
    body(
        "let value = a; y[0] = valeu + vlaue;",
        expect![[r#"
        2:23 `valeu`: expected a variable or a constant, found the unknown name `valeu`
        help: did you mean `value`?
        2:31 `vlaue`: expected a variable or a constant, found the unknown name `vlaue`
        help: did you mean `value`?"#]],
    );
    body(
        "y[0] = SCALE;",
        expect![[r#"
            2:8 `SCALE`: expected a variable or a constant, found the unknown name `SCALE`
            help: constants outside the kernel are not seen: declare `const SCALE: T = …;` in the body, or put both into a `#[kernel_module]`"#]],
    );
    body(
        "y[0] = config::SCALE;",
        expect![[r#"
            2:8 `config::SCALE`: expected a constant, found the unknown name `config::SCALE`
            help: what is outside is not seen: put `config` into the `#[kernel_module]`, or into a `#[device_library]` that it links"#]],
    );
    body(
        "let i = threadIdx.x;",
        expect![[r#"
            2:9 `threadIdx`: expected a variable or a constant, found the unknown name `threadIdx`
            help: write `thread_idx()`, with its axis: `thread_idx().x`"#]],
    );
    body(
        "let i = thread_idx.x;",
        expect![[r#"
        2:9 `thread_idx`: expected a variable or a constant, found the unknown name `thread_idx`
        help: call it: `thread_idx()`"#]],
    );
    body(
        "let i = thread_indx().x;",
        expect![[r#"
            2:9 `thread_indx`: expected a function, found the unknown name `thread_indx`
            help: did you mean `thread_idx()`?"#]],
    );
    body(
        "let i = lane_id();",
        expect![[r#"
            2:9 `lane_id`: expected a function, found the unknown name `lane_id`
            help: write `warp::lane_id()`"#]],
    );
    body(
        "let i = foo::thread_idx();",
        expect![[r#"
            2:9 `foo::thread_idx`: expected a function, found the unknown name `foo::thread_idx`
            help: write `thread_idx()`"#]],
    );
    body(
        "__syncthreads();",
        expect![[r#"
            2:1 `__syncthreads`: expected a function, found the unknown name `__syncthreads`
            help: write `barrier()`"#]],
    );
    body(
        "atomicAdd(a, 1);",
        expect![[r#"
            2:1 `atomicAdd`: expected a function, found the unknown name `atomicAdd`
            help: take a `&[AtomicU32]` and write `x[i].fetch_add(value, Ordering::Relaxed)`"#]],
    );
    body(
        "helper(a);",
        expect![[r#"
            2:1 `helper`: expected a function, found the unknown name `helper`
            help: functions outside the kernel are not seen: write it in the body, or put both into a `#[kernel_module]`"#]],
    );
    body(
        "k(x, y);",
        expect![[r#"
            2:1 `k`: expected a function or a closure, found `i32`
            help: only these can be called"#]],
    );
    body(
        "a(3);",
        expect![[r#"
            2:1 `a`: expected a function or a closure, found `f32`
            help: only these can be called"#]],
    );
    body(
        "let v = f32(n);",
        expect![[r#"
            2:9 `f32`: expected a function, found the unknown name `f32`
            help: convert with `as f32`"#]],
    );
    body(
        "let v = sqrt(a);",
        expect![[r#"
            2:9 `sqrt`: expected a function, found the unknown name `sqrt`
            help: write `value.sqrt()`"#]],
    );
    body(
        "let v = u32::sqrt(3);",
        expect![[r#"
            2:9 `u32::sqrt(3)`: expected a function of `u32`, found the unknown name `sqrt`
            help: `sqrt` needs a float: convert with `as`"#]],
    );
    body(
        "let v = f32::PI; let w = f32::INFINTY; let z = u32::MXA;",
        expect![[r#"
        2:9 `f32::PI`: expected a constant, found the unknown name `f32::PI`
        help: write `core::f32::consts::PI`
        2:26 `f32::INFINTY`: expected a constant, found the unknown name `f32::INFINTY`
        help: did you mean `f32::INFINITY`?
        2:48 `u32::MXA`: expected a constant, found the unknown name `u32::MXA`
        help: did you mean `u32::MAX`?"#]],
    );
    body(
        "{ let inner = 1; } y[0] = inner;",
        expect![[r#"
        2:27 `inner`: expected a variable or a constant, found the unknown name `inner`
        help: declare it with `let`, or pass it as a parameter"#]],
    );
    body(
        "const N: usize = 3; let N = 4;",
        expect![[r#"
        2:25 `N`: expected a new variable, found the constant `N`
        help: give the variable another name"#]],
    );
    body(
        "const N: usize = 3; const N: usize = 4;",
        expect![[r#"
        2:27 `N`: expected a new name, found the constant `N` again
        help: rename one of them"#]],
    );
    body(
        "let v = v + 1;",
        expect![[r#"
        2:9 `v`: expected a variable or a constant, found the unknown name `v`
        help: declare it with `let`, or pass it as a parameter"#]],
    );
    body(
        "(a)(3); thread_idx()();",
        expect![[r#"
            2:1 `(a)`: expected a function or a closure, found `f32`
            help: only these can be called
            2:9 `thread_idx()`: expected a function or a closure, found `Dim3`
            help: only these can be called"#]],
    );
}

#[test]
fn loops() {
    body(
        "break;",
        expect![[r#"
            2:1 `break`: expected `break` inside a loop, found it outside
            help: leave the function with `return`"#]],
    );
    body(
        "if p { continue }",
        expect![[r#"
            2:8 `continue`: expected `continue` inside a loop, found it outside
            help: leave the function with `return`"#]],
    );
    body(
        "'a: loop { break 'b; }",
        expect![[r#"
        2:18 `'b`: expected the label of an enclosing loop, found `'b`
        help: write `'b:` before the loop that is meant"#]],
    );
    body(
        "'outer: loop { loop { continue 'outr; } }",
        expect![[r#"
        2:32 `'outr`: expected the label of an enclosing loop, found `'outr`
        help: did you mean `'outer`?"#]],
    );
    body(
        "while p { break 3; }",
        expect![[r#"
        2:17 `3`: expected `break` without a value, found one in a `while`: only `loop` has a value
        help: assign the value to a variable before `break`"#]],
    );
    body(
        "let v: u32 = loop { break; };",
        expect![[r#"
        2:21 `break`: expected `u32` as the loop's value, found `break` without one
        help: write `break value`"#]],
    );
    body(
        "let v: u32 = loop { if p { break 1.0; } break 2; };",
        expect![[r#"
        2:34 `1.0`: expected `u32`, found a float
        help: write `1`"#]],
    );
}

#[test]
fn mismatches() {
    body(
        "let v: f32 = 1;",
        expect![[r#"
        2:14 `1`: expected `f32`, found an integer
        help: write `1.0`"#]],
    );
    body(
        "let v: u32 = 1.0;",
        expect![[r#"
        2:14 `1.0`: expected `u32`, found a float
        help: write `1`"#]],
    );
    body(
        "let v: f32 = k;",
        expect![[r#"
        2:14 `k`: expected `f32`, found `i32`
        help: convert with `as f32`"#]],
    );
    body(
        "let v: f64 = a;",
        expect![[r#"
        2:14 `a`: expected `f64`, found `f32`
        help: convert with `as f64`"#]],
    );
    body(
        "y[0] = 1;",
        expect![[r#"
        2:8 `1`: expected `f32`, found an integer
        help: write `1.0`"#]],
    );
    body(
        "y[0] = a * n;",
        expect![[r#"
        2:12 `n`: expected `f32`, found `usize`
        help: convert with `as f32`"#]],
    );
    body(
        "y[0] = 2 * a;",
        expect![[r#"
        2:8 `2`: expected `f32`, found an integer
        help: write `2.0`"#]],
    );
    body(
        "y[0] = a * 2;",
        expect![[r#"
        2:12 `2`: expected `f32`, found an integer
        help: write `2.0`"#]],
    );
    body(
        "y[u] = a;",
        expect![[r#"
        2:3 `u`: expected `usize`, found `u32`
        help: convert with `as usize`"#]],
    );
    body(
        "y[-1] = a;",
        expect![[r#"
            2:3 `-1`: expected a signed integer or a float for `-`, found `usize`
            help: write `a - x` to subtract it, `x.wrapping_neg()` for the two's complement, or use a signed type"#]],
    );
    body(
        "y[1.0] = a;",
        expect![[r#"
        2:3 `1.0`: expected `usize`, found a float
        help: write `1`"#]],
    );
    body(
        "let i = thread_idx(); y[i] = a;",
        expect![[r#"
        2:25 `i`: expected `usize`, found `Dim3`
        help: pick an axis: `.x`, `.y` or `.z`"#]],
    );
    body(
        "let i: usize = global_idx();",
        expect![[r#"
        2:16 `global_idx()`: expected `usize`, found `Dim3`
        help: pick an axis: `.x`, `.y` or `.z`"#]],
    );
    body(
        "if n { }",
        expect![[r#"
        2:4 `n`: expected `bool`, found `usize`
        help: compare: `!= 0`"#]],
    );
    body(
        "if a == 0 { }",
        expect![[r#"
        2:9 `0`: expected `f32`, found an integer
        help: write `0.0`"#]],
    );
    body(
        "while 1 { }",
        expect![[r#"
        2:7 `1`: expected `bool`, found an integer
        help: compare: `!= 0`"#]],
    );
    body(
        "let v = if p { 1.0 } else { 2 };",
        expect![[r#"
        2:29 `2`: expected a float, found an integer
        help: make both of the same type"#]],
    );
    body(
        "let v: f32 = if p { 1.0 };",
        expect![[r#"
        2:14 `if p { 1.0 }`: expected `f32`, found an `if` without `else`
        help: add an `else` with a value"#]],
    );
    body(
        "let v: f32 = { a; };",
        expect![[r#"
        2:16 `a`: expected `f32`, found a block without a value
        help: leave the `;` out after it, so that it is the block's value"#]],
    );
    body(
        "let v: f32 = { let w = a; };",
        expect![[r#"
        2:27 `}`: expected `f32`, found a block without a value
        help: end the block with `f32`"#]],
    );
    body(
        "if p { a } else { 2.0 }",
        expect![[r#"
        2:8 `a`: expected `()`, found `f32`
        help: end it with `;`"#]],
    );
    body(
        "if p { a }",
        expect![[r#"
        2:8 `a`: expected `()`, found `f32`
        help: end it with `;`"#]],
    );
    body(
        "a * 2.0",
        expect![[r#"
        2:1 `a * 2.0`: expected `()`, found `f32`
        help: end it with `;`"#]],
    );
    body(
        "y[0] = x;",
        expect![[r#"
        2:8 `x`: expected `f32`, found `&[f32]`
        help: pick an element: `[i]`"#]],
    );
    body(
        "let v = n + u;",
        expect![[r#"
        2:13 `u`: expected `usize`, found `u32`
        help: convert with `as usize`"#]],
    );
    body(
        "let mut v = 0u32; v += n;",
        expect![[r#"
        2:24 `n`: expected `u32`, found `usize`
        help: convert with `as u32`"#]],
    );
    body(
        "let v: bool = 1; let w: u32 = true; let z: f32 = p;",
        expect![[r#"
        2:15 `1`: expected `bool`, found an integer
        help: compare: `!= 0`
        2:31 `true`: expected `u32`, found `bool`
        help: convert with `as u32`
        2:50 `p`: expected `f32`, found `bool`
        help: write `if b { 1.0 } else { 0.0 }`"#]],
    );
    body(
        "for i in 0..a {}",
        expect![[r#"
        2:13 `a`: expected an integer for `..`, found `f32`
        help: convert with `as usize`"#]],
    );
    body(
        "for i in n..u {}",
        expect![[r#"
        2:13 `u`: expected `usize`, found `u32`
        help: convert with `as usize`"#]],
    );
    body(
        "for i in (0..u).step_by(u) {}",
        expect![[r#"
        2:25 `u`: expected `usize`, found `u32`
        help: convert with `as usize`"#]],
    );
    body(
        "for i in 0.0..1.0 {}",
        expect![[r#"
        2:10 `0.0`: expected an integer for `..`, found `f64`
        help: convert with `as usize`"#]],
    );
    body(
        "let v: u32 = barrier();",
        expect![[r#"
        2:14 `barrier()`: expected `u32`, found `()`
        help: write an expression with a value"#]],
    );
    body(
        "a && p;",
        expect![[r#"
            2:1 `a`: expected `bool`, found `f32`
            help: compare: `!= 0.0`"#]],
    );
    body(
        "let v; v = 1u32; v = 2.0;",
        expect![[r#"
        2:22 `2.0`: expected `u32`, found a float
        help: write `2`"#]],
    );
    body(
        "let v: f32 = -1;",
        expect![[r#"
        2:14 `-1`: expected `f32`, found an integer
        help: write `-1.0`"#]],
    );
    body(
        "let v: u8 = 1u16;",
        expect![[r#"
        2:13 `1u16`: expected `u8`, found `u16`
        help: write the suffix `u8`"#]],
    );
}

#[test]
fn operands() {
    body("let v = a % 2.0;", expect!["accepted"]);
    body("let v = 5.0 % 2.0;", expect!["accepted"]);
    body(
        "let v = a & 1.0;",
        expect![[r#"
        2:9 `a`: expected an integer or a `bool` for `&`, found `f32`
        help: work on the bits: `f32::from_bits(x.to_bits() & mask)`"#]],
    );
    body(
        "let v = p + p;",
        expect![[r#"
            2:9 `p`: expected a number for `+`, found `bool`
            help: convert with `as u32`, to a float with `as u32 as f32`, or use `&&`, `||`, `!`"#]],
    );
    body(
        "let v = -u;",
        expect![[r#"
            2:10 `u`: expected a signed integer or a float for `-`, found `u32`
            help: write `a - x` to subtract it, `x.wrapping_neg()` for the two's complement, or use a signed type"#]],
    );
    body(
        "let v = !a;",
        expect![[r#"
        2:10 `a`: expected an integer or a `bool` for `!`, found `f32`
        help: write `-x` for the negative, or compare with `== 0.0`"#]],
    );
    body(
        "let v = a << 1;",
        expect![[r#"
        2:9 `a`: expected an integer for `<<`, found `f32`
        help: convert with `as usize`"#]],
    );
    body(
        "let v = u << 1.0;",
        expect![[r#"
        2:14 `1.0`: expected an integer for `<<`, found `f64`
        help: convert with `as usize`"#]],
    );
    body(
        "let v = -1 as u32;",
        expect![[r#"
            2:9 `-1`: expected a signed integer or a float for `-`, found `u32`
            help: write `a - x` to subtract it, `x.wrapping_neg()` for the two's complement, or use a signed type"#]],
    );
    body(
        "let v = x + y;",
        expect![[r#"
        2:9 `x`: expected a number for `+`, found `&[f32]`
        help: pick an element: `[i]`"#]],
    );
    body(
        "let v = thread_idx() + 1;",
        expect![[r#"
        2:9 `thread_idx()`: expected a number for `+`, found `Dim3`
        help: pick an axis: `.x`, `.y` or `.z`"#]],
    );
    body(
        "let v = thread_idx() == block_idx();",
        expect![[r#"
            2:9 `thread_idx()`: expected a type that has `==`, found `Dim3`
            help: pick an axis: `.x`, `.y` or `.z`"#]],
    );
    body(
        "let v = 1 + return;",
        expect![[r#"
        2:13 `return`: expected a value, found an expression that never has one
        help: make it a statement of its own"#]],
    );
    body(
        "y[return] = 1.0;",
        expect![[r#"
        2:3 `return`: expected a value, found an expression that never has one
        help: make it a statement of its own"#]],
    );
}

#[test]
fn casts() {
    body(
        "let v = a as bool; let w = n as bool; let z = p as f32;",
        expect![[r#"
        2:9 `a`: expected a type that `as bool` can convert, found `f32`
        help: compare: `!= 0.0`
        2:28 `n`: expected a type that `as bool` can convert, found `usize`
        help: compare: `!= 0`
        2:47 `p`: expected a type that `as f32` can convert, found `bool`
        help: write `if b { 1.0 } else { 0.0 }`, or `b as u8 as f32`"#]],
    );
    body(
        "let v = x as usize;",
        expect![[r#"
        2:9 `x`: expected a scalar before `as usize`, found `&[f32]`
        help: pick an element: `[i]`"#]],
    );
    body(
        "let v = thread_idx() as u32;",
        expect![[r#"
        2:9 `thread_idx()`: expected a scalar before `as u32`, found `Dim3`
        help: pick an axis: `.x`, `.y` or `.z`"#]],
    );
    body(
        "let v = a as f16;",
        expect![[r#"
            2:14 `f16`: expected a type that `as` can convert to, found `f16`
            help: write `f16::from_f32(x)`"#]],
    );
    body(
        "let v = a as _;",
        expect![[r#"
            2:5 `v`: expected a type for `v`, found nothing that decides it
            help: write it: `let v: f32`"#]],
    );
}

#[test]
fn calls() {
    body(
        "let v = a.sqrt(2.0);",
        expect![[r#"
        2:9 `a.sqrt(2.0)`: expected 0 arguments to `sqrt`, found 1
        help: leave the rest out"#]],
    );
    body(
        "let v = a.max();",
        expect![[r#"
        2:9 `a.max()`: expected 1 argument to `max`, found 0
        help: add what is missing"#]],
    );
    body(
        "let v = a.max(1);",
        expect![[r#"
        2:15 `1`: expected `f32`, found an integer
        help: write `1.0`"#]],
    );
    body(
        "let v = a.squrt();",
        expect![[r#"
        2:11 `squrt`: expected a method of `f32`, found `squrt`
        help: did you mean `sqrt`?"#]],
    );
    body("let v = a.sin();", expect!["accepted"]);
    body(
        "let v = u.sqrt();",
        expect![[r#"
        2:11 `sqrt`: expected a method of `u32`, found `sqrt`
        help: `sqrt` is a method of floats: convert with `as`"#]],
    );
    body(
        "let v = u.sin();",
        expect![[r#"
        2:11 `sin`: expected a method of `u32`, found `sin`
        help: `sin` is a method of floats: convert with `as`"#]],
    );
    body(
        "let v = f64::sin(u);",
        expect![[r#"
        2:18 `u`: expected `f64`, found `u32`
        help: convert with `as f64`"#]],
    );
    body(
        "let v = exp(a);",
        expect![[r#"
        2:9 `exp`: expected a function, found the unknown name `exp`
        help: write `value.exp(…)`"#]],
    );
    body(
        "let v = a.len();",
        expect![[r#"
        2:11 `len`: expected a method of `f32`, found `len`
        help: slices and shared arrays have a `len`"#]],
    );
    body(
        "let v = x.max(y);",
        expect![[r#"
            2:11 `max`: expected a method of `&[f32]`, found `max`
            help: this method is not supported yet: write a loop over the elements, `for value in x.iter() { … }`"#]],
    );
    body(
        "let v = x.leng();",
        expect![[r#"
        2:11 `leng`: expected a method of `&[f32]`, found `leng`
        help: did you mean `len`?"#]],
    );
    body(
        "let v = thread_idx().len();",
        expect![[r#"
        2:22 `len`: expected a method of `Dim3`, found `len`
        help: slices and shared arrays have a `len`"#]],
    );
    body(
        "let v = thread_idx().w;",
        expect![[r#"
        2:22 `w`: expected a field of `Dim3`, found `w`
        help: write `.x`, `.y` or `.z`"#]],
    );
    body(
        "let v = a.x; let w = x.len;",
        expect![[r#"
            2:11 `x`: expected a struct, a tuple or a `Dim3` before `.x`, found `f32`
            help: a number has no fields
            2:24 `len`: expected a struct, a tuple or a `Dim3` before `.len`, found `&[f32]`
            help: call the method: `.len()`"#]],
    );
    body(
        "let v = 2.0.sqrt();",
        expect![[r#"
        2:9 `2.0`: expected a known type before `.sqrt()`, found a float whose type is not decided yet
        help: write the literal with its type, as in `2.0_f32`"#]],
    );
    body(
        "y[0] = x.iter().sum() / 3.0;",
        expect![[r#"
        2:17 `sum`: expected the type of the `sum`, which nothing decides here
        help: write `.sum::<f32>()`"#]],
    );
    body(
        "y[0] = x.iter().map(|v| v * v).sum().sqrt();",
        expect![[r#"
        2:32 `sum`: expected the type of the `sum`, which nothing decides here
        help: write `.sum::<f32>()`"#]],
    );
    body(
        "let s = x.iter().sum(); y[0] = s / 2.0;",
        expect![[r#"
        2:18 `sum`: expected the type of the `sum`, which nothing decides here
        help: write `.sum::<f32>()`"#]],
    );
    body(
        "let s = x.iter().product(); y[0] = s.sqrt();",
        expect![[r#"
        2:18 `product`: expected the type of the `product`, which nothing decides here
        help: write `.product::<f32>()`"#]],
    );
    body(
        "let s = x.iter().sum(); y[0] = 2.0 * s;",
        expect![[r#"
        2:18 `sum`: expected the type of the `sum`, which nothing decides here
        help: write `.sum::<f32>()`"#]],
    );
    body(
        "let s = x.iter().sum(); let k: u32 = s;",
        expect![[r#"
            2:9 `x.iter().sum()`: expected `u32`, found `f32`
            help: write `.sum::<f32>() as u32`"#]],
    );
    body("let s = x.iter().sum(); y[0] = s; let p = x.iter().product(); y[1] = p;", expect!["accepted"]);
    body(
        "let v = x.iter().map(|v| v.to_bits()).map(u32::neg).max(); y[0] = v.unwrap_or(0) as f32;",
        expect![[r#"
        2:43 `u32::neg`: expected a function of `u32`, found the unknown name `neg`
        help: `u32` has no sign: write `u32::wrapping_neg`, or convert with `as`"#]],
    );
    body(
        "let v = f32::HALF; y[0] = v;",
        expect![[r#"
        2:9 `f32::HALF`: expected a constant, found the unknown name `f32::HALF`
        help: what is outside is not seen: put `f32` into the `#[kernel_module]`, or into a `#[device_library]` that it links"#]],
    );
    body(
        "y[0] = 3.0 + x.iter().sum::<f32>() / 3.0; let s: f32 = x.iter().product(); y[1] = s;",
        expect!["accepted"],
    );
    body(
        "y[0] = x.get(n).unwrap_or(0.0);",
        expect![[r#"
        2:27 `0.0`: expected `&f32`, found a float
        help: write `.copied()` before `.unwrap_or(…)`"#]],
    );
    body(
        "for v in y.iter_mut() { v = 1.0; }",
        expect![[r#"
        2:29 `1.0`: expected `&mut f32`, found a float
        help: write `*v` on the left: `v` refers to what is written"#]],
    );
    body(
        "for (v, w) in y.iter_mut().zip(x) { v = *w; }",
        expect![[r#"
        2:41 `*w`: expected `&mut f32`, found `f32`
        help: write `*v` on the left: `v` refers to what is written"#]],
    );
    body(
        "trait Size: Sized { fn size(self) -> u32 { 1 } } impl Size for f32 {} impl Size for u8 {} let v = 2.0.size() + 3.size() + (-1.5).size();",
        expect!["accepted"],
    );
    body(
        "trait Size: Sized { fn size(self) -> u32 { 1 } } impl Size for f32 {} impl Size for f64 {} let v = 2.0; v.size();",
        expect![[r#"
            2:105 `v`: expected a known type before `.size()`, found a float whose type is not decided yet
            help: write the type of `v` where it is declared: `v: f32`"#]],
    );
    body(
        "trait Size: Sized { fn size(self) -> u32 { 1 } } impl Size for u8 {} impl Size for i64 {} let v = 2.size();",
        expect![[r#"
            2:99 `2`: expected a known type before `.size()`, found an integer whose type is not decided yet
            help: write the literal with its type, as in `2_u32`"#]],
    );
    body(
        "let mut s = 0.0; s = s.max(a);",
        expect![[r#"
        2:22 `s`: expected a known type before `.max()`, found a float whose type is not decided yet
        help: write the type of `s` where it is declared: `s: f32`"#]],
    );
    body("let mut i = 0; i = i.min(3);", expect!["accepted"]);
    body(
        "let mut i = 0; for k in 0..4 { i = i.max(k as u8).clamp(1, 7); } let byte: u8 = i;",
        expect!["accepted"],
    );
    body(
        "let mut i = 0; let v = -3i64; i = i.wrapping_add(v);",
        expect![[r#"
        2:35 `i`: expected a known type before `.wrapping_add()`, found an integer whose type is not decided yet
        help: write the type of `i` where it is declared: `i: i64`"#]],
    );
    body(
        "let mut i = 0; i = i.max(1.5f32);",
        expect![[r#"
        2:26 `1.5f32`: expected an integer, found `f32`
        help: make both of the same type"#]],
    );
    body(
        "let v; v.sqrt(); v = 1.0;",
        expect![[r#"
        2:8 `v`: expected a known type before `.sqrt()`, found a value whose type is not decided yet
        help: write the type of `v` where it is declared: `v: f32`"#]],
    );
    body(
        "for i in 0..n.rev() {}",
        expect![[r#"
        2:15 `rev`: expected a method of `usize`, found `rev`
        help: put the range in parentheses: `(start..end).rev()`"#]],
    );
    body(
        "let v = a[0];",
        expect![[r#"
            2:9 `a`: expected a slice or an array before `[`, found `f32`
            help: index a `&[T]` parameter or an array"#]],
    );
    body(
        "barrier(1);",
        expect![[r#"
        2:1 `barrier(1)`: expected 0 arguments to `barrier`, found 1
        help: leave the rest out"#]],
    );
    body(
        "let v = thread_idx(0).x;",
        expect![[r#"
        2:9 `thread_idx(0)`: expected 0 arguments to `thread_idx`, found 1
        help: leave the rest out"#]],
    );
    body("let v = warp::shfl_down(p, 1); let w = warp::shfl_down(1u8, 1);", expect!["accepted"]);
    body(
        "let v = warp::shfl_down(a, 1.0);",
        expect![[r#"
        2:28 `1.0`: expected `u32`, found a float
        help: write `1`"#]],
    );
    body(
        "let v = warp::shfl_down(a, n as u64);",
        expect![[r#"
        2:28 `n as u64`: expected `u32`, found `u64`
        help: convert with `as u32`"#]],
    );
    body(
        "let v = warp::shfl_down(x, 1);",
        expect![[r#"
            2:25 `x`: expected a scalar for `shfl_down`, found `&[f32]`
            help: pick an element: `[i]`"#]],
    );
    body(
        "let v = f32::from_bits(1.0);",
        expect![[r#"
        2:24 `1.0`: expected `u32`, found a float
        help: write `1`"#]],
    );
    body(
        "barrier::<f32>();",
        expect![[r#"
            2:10 `<f32>`: expected no generic arguments to `barrier`
            help: leave them out"#]],
    );
}

#[test]
fn unknown_types() {
    body(
        "let v;",
        expect![[r#"
        2:5 `v`: expected a type for `v`, found nothing that decides it
        help: write it: `let v: f32`"#]],
    );
    body(
        "let v: f23 = 1.0; let w = v + 1;",
        expect![[r#"
            2:8 `f23`: expected a type, found `f23`
            help: did you mean `f32`?"#]],
    );
    body("let v: &[f32] = x;", expect!["accepted"]);
    body(
        "let v: Vec<f32> = x;",
        expect![[r#"
            2:8 `Vec<f32>`: expected a type, found `Vec`
            help: pass a slice, or use an array or `shared::<[T; N]>()`"#]],
    );
}

#[test]
fn assignments() {
    body(
        "x[0] = a;",
        expect![[r#"
        2:1 `x[0]`: expected a slice that can be written, found `x: &[f32]`
        help: declare it `x: &mut [f32]`"#]],
    );
    body(
        "x[n] += a;",
        expect![[r#"
        2:1 `x[n]`: expected a slice that can be written, found `x: &[f32]`
        help: declare it `x: &mut [f32]`"#]],
    );
    body(
        "a = 1.0;",
        expect![[r#"
        2:1 `a`: expected a mutable variable, found the parameter `a`
        help: declare it `mut a`"#]],
    );
    body(
        "let v = 1; v = 2;",
        expect![[r#"
        2:12 `v`: expected a mutable variable, found `v`
        help: declare it `let mut v`"#]],
    );
    body(
        "let v; v = 1; v += 1;",
        expect![[r#"
        2:15 `v`: expected a mutable variable, found `v`
        help: declare it `let mut v`"#]],
    );
    body(
        "for i in 0..n { i += 1; }",
        expect![[r#"
            2:17 `i`: expected a mutable variable, found `i`
            help: declare it `mut i`"#]],
    );
    body(
        "const N: u32 = 3; N = 4;",
        expect![[r#"
        2:19 `N`: expected a variable or an element before `=`, found a constant
        help: assign to a variable"#]],
    );
    body(
        "u32::MAX = 4;",
        expect![[r#"
        2:1 `u32::MAX`: expected a variable or an element before `=`, found a constant
        help: assign to a variable"#]],
    );
    body(
        "thread_idx().x = 3;",
        expect![[r#"
        2:1 `thread_idx().x`: expected a variable or an element before `=`, found a field of a `Dim3`, which is a copy
        help: assign to a variable"#]],
    );
    body(
        "a + 1.0 = 2.0;",
        expect![[r#"
        2:1 `a + 1.0`: expected a variable or an element before `=`, found a value
        help: assign to a variable, or compare with `==`"#]],
    );
    body(
        "y = x;",
        expect![[r#"
            2:5 `x`: expected `&mut [f32]`, found `&[f32]`
            help: it can only be read: declare it `&mut [T]` where it comes from"#]],
    );
    body("let z = x;", expect!["accepted"]);
    body("x;", expect!["accepted"]);
    body("let z = if p { x } else { x };", expect!["accepted"]);
    body(
        "y[0] = 1.0 = 2.0;",
        expect![[r#"
        2:8 `1.0 = 2.0`: expected `f32`, found `()`
        help: write an expression with a value"#]],
    );
}

#[test]
fn shared() {
    body(
        "let tile = shared::<[f32; 4]>(); tile[0] = a;",
        expect![[r#"
        2:34 `tile[0]`: expected a mutable shared array, found `tile`
        help: declare it `let mut tile`"#]],
    );
    body(
        "let mut tile = shared::<[[f32; 4]; 4]>(); tile[0] = a;",
        expect![[r#"
            2:53 `a`: expected `[f32; 4]`, found `f32`
            help: write an array of `f32`: `[v; 4]`"#]],
    );
    body("let mut tile = shared::<[[f32; 4]; 4]>(); let t = tile[0]; let s = tile;", expect!["accepted"]);
    body("let mut tile = shared::<f32>();", expect!["accepted"]);
    body(
        "let mut tile = shared();",
        expect![[r#"
        2:16 `shared()`: expected the type of the shared array
        help: write `shared::<[f32; 256]>()`"#]],
    );
    body(
        "let mut tile = shared::<[f32; 4], [f32; 5]>();",
        expect![[r#"
        2:24 `<[f32; 4], [f32; 5]>`: expected the type of the shared array
        help: write `shared::<[f32; 256]>()`"#]],
    );
    body("let mut tile = shared::<[bool; 4]>();", expect!["accepted"]);
    body(
        "let mut tile = shared::<[f32; 0]>();",
        expect![[r#"
        2:31 `0`: expected at least 1 element, found 0
        help: write a length of 1 or more"#]],
    );
    body(
        "let mut tile = shared::<[f32; n]>();",
        expect![[r#"
            2:31 `n`: expected a constant, found the variable `n`
            help: declare `const NAME: T = …;` and use that, or take memory of the size that the launch gives: `shared_dyn::<f32>()`, and `.shared(bytes)` there"#]],
    );
    body(
        "let mut tile = shared::<[f32; N]>(); tile[0] = 1;",
        expect![[r#"
            2:31 `N`: expected a variable or a constant, found the unknown name `N`
            help: constants outside the kernel are not seen: declare `const N: T = …;` in the body, or put both into a `#[kernel_module]`; or did you mean `n`?"#]],
    );
    body(
        "let mut tile = shared::<[f32; 1.5]>();",
        expect![[r#"
        2:31 `1.5`: expected `usize`, found a float
        help: convert with `as usize`"#]],
    );
    body(
        "let mut tile = shared::<[f32; -1]>();",
        expect![[r#"
            2:31 `-1`: expected a signed integer or a float for `-`, found `usize`
            help: write `a - x` to subtract it, `x.wrapping_neg()` for the two's complement, or use a signed type"#]],
    );
    body(
        "let mut tile = shared::<[f64; 128 * 128]>();",
        expect![[r#"
            2:16 `shared::<[f64; 128 * 128]>()`: expected at most 49152 bytes of static shared memory in a kernel, found 131072
            help: make it dynamic: `shared_dyn::<[f64; 16384]>()`, whose element `[0]` is this one, and `.shared(131072)` at the launch"#]],
    );
    body(
        "let mut t = shared::<[f32; 8192]>(); let mut s = shared::<[f32; 8192]>();",
        expect![[r#"
            2:50 `shared::<[f32; 8192]>()`: expected at most 49152 bytes of static shared memory in a kernel, found 65536
            help: make it dynamic: `shared_dyn::<[f32; 8192]>()`, whose element `[0]` is this one, and `.shared(32768)` at the launch"#]],
    );
    body(
        "y[0] = shared::<[f32; 4]>()[0];",
        expect![[r#"
        2:8 `shared::<[f32; 4]>()`: expected `shared` as the initial value of a variable, found it inside an expression
        help: write `let mut tile = shared::<[T; N]>();`"#]],
    );
    body(
        "let _ = shared::<[f32; 4]>();",
        expect![[r#"
        2:9 `shared::<[f32; 4]>()`: expected `shared` as the initial value of a variable, found it inside an expression
        help: write `let mut tile = shared::<[T; N]>();`"#]],
    );
    body(
        "let mut tile = shared::<[f32; 0xffff_ffff_ffff_ffff]>();",
        expect![[r#"
        2:16 `shared::<[f32; 0xffff_ffff_ffff_ffff]>()`: expected at most 49152 bytes of static shared memory in a kernel, found more than 64 bits can count
        help: make the array smaller"#]],
    );
}

#[test]
fn literals_out_of_range() {
    body(
        "let v = 256u8; let w: i8 = 128; let z: i8 = -129;",
        expect![[r#"
        2:9 `256u8`: expected a `u8`, from 0 to 255, found `256`
        help: use a wider type: `u16`
        2:28 `128`: expected an `i8`, from -128 to 127, found `128`
        help: use a wider type: `i16`
        2:46 `129`: expected an `i8`, from -128 to 127, found `-129`
        help: use a wider type: `i16`"#]],
    );
    body(
        "let v = 3_000_000_000;",
        expect![[r#"
        2:9 `3_000_000_000`: expected an `i32`, from -2147483648 to 2147483647, found `3000000000`
        help: use a wider type: `i64`"#]],
    );
    body(
        "let v = 99999999999999999999999999999999999999999999;",
        expect![[r#"
        2:9 `99999999999999999999999999999999999999999999`: expected an `i32`, from -2147483648 to 2147483647, found a number beyond 128 bits
        help: use a smaller number"#]],
    );
    body(
        "let v: f32 = 1e39; let w = 1e400;",
        expect![[r#"
        2:14 `1e39`: expected a finite `f32`, found `1e39`
        help: use `f64`, or `f32::INFINITY`
        2:28 `1e400`: expected a finite `f64`, found `1e400`
        help: use `f64::INFINITY`"#]],
    );
    body(
        "let v = 300 as u8;",
        expect![[r#"
        2:9 `300`: expected a `u8`, from 0 to 255, found `300`
        help: use a wider type: `u16`"#]],
    );
}

#[test]
fn constants() {
    body(
        "const N: u8 = 200 + 100;",
        expect![[r#"
        2:15 `200 + 100`: expected a `u8`, from 0 to 255, found a constant that overflows it
        help: use a wider type"#]],
    );
    body(
        "const N: u32 = 0 - 1;",
        expect![[r#"
        2:16 `0 - 1`: expected a `u32`, from 0 to 4294967295, found a constant that overflows it
        help: use a wider type"#]],
    );
    body(
        "const N: i32 = 1 / 0;",
        expect![[r#"
            2:20 `0`: expected a divisor other than 0, found 0
            help: divide by something else"#]],
    );
    body(
        "const N: u32 = 1 << 32;",
        expect![[r#"
            2:21 `32`: expected a shift by less than 32, the width of `u32`, found 32
            help: shift by less, or a wider type: `x as u64`"#]],
    );
    body(
        "const N: u32 = M; const M: u32 = N;",
        expect![[r#"
        2:7 `N`: expected a constant with a value, found `N`, which depends on itself
        help: write its value"#]],
    );
    body(
        "const N: u32 = u;",
        expect![[r#"
            2:16 `u`: expected a variable or a constant, found the unknown name `u`
            help: declare it with `let`, or pass it as a parameter"#]],
    );
    body(
        "const N: f32 = 1;",
        expect![[r#"
        2:16 `1`: expected `f32`, found an integer
        help: write `1.0`"#]],
    );
    body(
        "const N: usize = thread_idx().x;",
        expect![[r#"
            2:18 `thread_idx().x`: expected a constant expression, found one that is not supported in constants yet
            help: use literals, constants, operators, `as`, `if`, loops, and functions of these"#]],
    );
    body("const N: usize = 3usize.count_ones() as usize;", expect!["accepted"]);
    body("const N: [u32; 3] = [1, 2, 3];", expect!["accepted"]);
    body(
        "const N: i32 = -2147483648 - 1;",
        expect![[r#"
        2:16 `-2147483648 - 1`: expected an `i32`, from -2147483648 to 2147483647, found a constant that overflows it
        help: use a wider type"#]],
    );
    body(
        "const N: i32 = -(-2147483648);",
        expect![[r#"
        2:16 `-(-2147483648)`: expected an `i32`, from -2147483648 to 2147483647, found a constant that overflows it
        help: use a wider type"#]],
    );
    body(
        "const N: u8 = 256;",
        expect![[r#"
        2:15 `256`: expected a `u8`, from 0 to 255, found `256`
        help: use a wider type: `u16`"#]],
    );
    body("const N = 3;", expect!["2:9 `=`: expected `:`"]);
}

#[test]
fn several_mistakes_are_all_reported() {
    body(
        "y[0] = b; y[u] = 1; let v: f32 = k;",
        expect![[r#"
            2:8 `b`: expected a variable or a constant, found the unknown name `b`
            help: declare it with `let`, or pass it as a parameter
            2:13 `u`: expected `usize`, found `u32`
            help: convert with `as usize`
            2:18 `1`: expected `f32`, found an integer
            help: write `1.0`
            2:34 `k`: expected `f32`, found `i32`
            help: convert with `as f32`"#]],
    );
    check_error(
        "#[kernel(launch_bounds(0))] fn k(x: &[f23]) -> f32 { match x { _ => {} } }",
        expect![[r#"
            1:24 `0`: expected at least 1 thread per block, found 0
            help: write a number from 1 to 1024
            1:48 `f32`: expected a kernel without a return type, found `-> f32`
            help: return nothing and write results to a `&mut [T]` parameter"#]],
    );
}

#[test]
fn one_mistake_gives_one_error() {
    body(
        "let v = b; let w = v + 1.0; y[w] = v.sqrt(); if v { } v[0] = w;",
        expect![[r#"
        2:9 `b`: expected a variable or a constant, found the unknown name `b`
        help: declare it with `let`, or pass it as a parameter"#]],
    );
    body(
        "let v = a + n; let w: u32 = v; y[v] = v;",
        expect![[r#"
        2:13 `n`: expected `f32`, found `usize`
        help: convert with `as f32`"#]],
    );
    body(
        "let mut s = 0.0; s += u; y[0] = s.sqrt();",
        expect![[r#"
        2:23 `u`: expected a float, found `u32`
        help: make both of the same type"#]],
    );
}

#[test]
fn collectives() {
    body(
        "let v = warp::shfl_down(a, 32);",
        expect![[r#"
        2:28 `32`: expected a distance of at most 31, found 32
        help: a warp has 32 lanes"#]],
    );
    body(
        "let v = warp::shfl_down(a, -1);",
        expect![[r#"
        2:28 `-1`: expected a distance of at most 31, found -1
        help: a warp has 32 lanes"#]],
    );
    body(
        "const D: u32 = 8; let v = warp::shfl_up_width(a, D * 2, 16);",
        expect![[r#"
        2:50 `D * 2`: expected a distance of at most 15, found 16
        help: a segment has 16 lanes here"#]],
    );
    body(
        "let v = warp::shfl_idx_width(a, 8, 8);",
        expect![[r#"
        2:33 `8`: expected a lane of at most 7, found 8
        help: a segment has 8 lanes here"#]],
    );
    body(
        "let v = warp::shfl_xor_sync(0xff, a, 33);",
        expect![[r#"
        2:38 `33`: expected a lane mask of at most 31, found 33
        help: a warp has 32 lanes"#]],
    );
    body(
        "let v = warp::shfl_down_width(a, 1, 12);",
        expect![[r#"
        2:37 `12`: expected a width of 1, 2, 4, 8, 16 or 32 lanes, found 12
        help: segments divide the 32 lanes of a warp"#]],
    );
    body(
        "let w = 8; let v = warp::reduce_add_width(a, w);",
        expect![[r#"
        2:46 `w`: expected a constant width, found a value that is known only when the kernel runs
        help: write 1, 2, 4, 8, 16 or 32, a `const`, or a const generic parameter"#]],
    );
    body(
        "let v = warp::reduce_add_width(a, 64);",
        expect![[r#"
        2:35 `64`: expected a width of 1, 2, 4, 8, 16 or 32 lanes, found 64
        help: segments divide the 32 lanes of a warp"#]],
    );
    body(
        "let v = warp::reduce_add_sync(0, a);",
        expect![[r#"
        2:31 `0`: expected a mask of the lanes that take part, found 0: no lane
        help: set the bit of each lane that comes here; without a mask all 32 lanes take part"#]],
    );
    body(
        "let v = warp::ballot_sync(0, a > 0.0);",
        expect![[r#"
        2:27 `0`: expected a mask of the lanes that take part, found 0: no lane
        help: set the bit of each lane that comes here; without a mask all 32 lanes take part"#]],
    );
    body(
        "warp::sync_mask(!u32::MAX);",
        expect![[r#"
        2:17 `!u32::MAX`: expected a mask of the lanes that take part, found 0: no lane
        help: set the bit of each lane that comes here; without a mask all 32 lanes take part"#]],
    );
    body(
        "let v = warp::broadcast(a, 40);",
        expect![[r#"
        2:28 `40`: expected a lane of at most 31, found 40
        help: a warp has 32 lanes"#]],
    );
    body(
        "let v = warp::scan_max_width_sync(7, a, 0);",
        expect![[r#"
        2:41 `0`: expected a width of 1, 2, 4, 8, 16 or 32 lanes, found 0
        help: segments divide the 32 lanes of a warp"#]],
    );
    body(
        "fn f<const W: u32>(v: f32) -> f32 { warp::reduce_add_width(v, W) } let v = f::<24>(a);",
        expect![[r#"
        2:63 `W`: expected a width of 1, 2, 4, 8, 16 or 32 lanes, found 24
        help: segments divide the 32 lanes of a warp"#]],
    );
    body(
        "let v = warp::reduce_add(a > 0.0);",
        expect![[r#"
        2:26 `a > 0.0`: expected a number or a vector of such for `warp::reduce_add`, found `bool`
        help: convert with `as`"#]],
    );
    body(
        "let v = warp::reduce_and(a);",
        expect![[r#"
        2:26 `a`: expected an integer or a `bool` or a vector of such for `warp::reduce_and`, found `f32`
        help: convert with `as`"#]],
    );
    body(
        "let v = warp::exclusive_scan_mul(F32x2::splat(a));",
        expect![[r#"
        2:34 `F32x2::splat(a)`: expected a number for `warp::exclusive_scan_mul`, found `F32x2`
        help: convert with `as`"#]],
    );
    body("let v = warp::match_any(a as u8) + warp::reduce_add_width(8u32, 4 + 4);", expect!["accepted"]);
}

#[test]
fn attributes_of_let() {
    body(
        "#[shfl(down = 32)] let v = a;",
        expect![[r#"
        2:15 `32`: expected a distance of at most 31, found 32
        help: a warp has 32 lanes"#]],
    );
    body(
        "#[shfl(down = -1)] let v = a;",
        expect![[r#"
            2:15 `-1`: expected 0 or more for `down`, found `-1`
            help: `up` and `down` say the direction"#]],
    );
    body(
        "#[shfl(down = 1.5)] let v = a;",
        expect![[r#"
        2:15 `1.5`: expected `u32`, found a float
        help: convert with `as u32`"#]],
    );
    body(
        "#[shfl(up = 8, width = 8)] let v = a;",
        expect![[r#"
        2:13 `8`: expected a distance of at most 7, found 8
        help: a segment has 8 lanes here"#]],
    );
    body(
        "let w = 8; #[shfl(xor = 1, width = w)] let v = a;",
        expect![[r#"
        2:36 `w`: expected a constant width, found a value that is known only when the kernel runs
        help: write 1, 2, 4, 8, 16 or 32, a `const`, or a const generic parameter"#]],
    );
    body(
        "#[shfl(idx = 1, width = 24)] let v = a;",
        expect![[r#"
        2:25 `24`: expected a width of 1, 2, 4, 8, 16 or 32 lanes, found 24
        help: segments divide the 32 lanes of a warp"#]],
    );
    body(
        "#[shfl] let v = a;",
        expect![[r#"
        2:1 `#[shfl]`: expected `up`, `down`, `xor` or `idx` in `#[shfl]`, found nothing
        help: write `#[shfl(down = 16)]`"#]],
    );
    body(
        "#[shfl(down)] let v = a;",
        expect![[r#"
        2:8 `down`: expected `down = n`, found `down`
        help: say how far, or which lane: `#[shfl(down = 1)]`"#]],
    );
    body(
        "#[shfl(16)] let v = a;",
        expect![[r#"
        2:8 `16`: expected `up`, `down`, `xor` or `idx` in `#[shfl]`, found `16`
        help: write `#[shfl(down = 16)]`"#]],
    );
    body(
        "#[shfl(left = 16)] let v = a;",
        expect![[r#"
        2:8 `left`: expected `up`, `down`, `xor` or `idx` in `#[shfl]`, found `left`
        help: write `#[shfl(down = 16)]`"#]],
    );
    body(
        "#[shfl(index = 16)] let v = a;",
        expect![[r#"
        2:8 `index`: expected `up`, `down`, `xor` or `idx` in `#[shfl]`, found `index`
        help: write `#[shfl(idx = …)]`"#]],
    );
    body(
        "#[shfl(down = 1, up = 1)] let v = a;",
        expect![[r#"
        2:18 `up`: expected one of `up`, `down`, `xor` or `idx`, found `up` after `down`
        help: leave one of them out"#]],
    );
    body(
        "#[shfl(down = 1, width = 8, width = 4)] let v = a;",
        expect![[r#"
        2:29 `width`: expected `width` once, found it again
        help: leave one of them out"#]],
    );
    body(
        "#[shfl(down = 1, mask = 0)] let v = a;",
        expect![[r#"
        2:25 `0`: expected a mask of the lanes that take part, found 0: no lane
        help: set the bit of each lane that comes here; without a mask all 32 lanes take part"#]],
    );
    body(
        "#[shfl(down = 1, lanes = 3)] let v = a;",
        expect![[r#"
        2:18 `lanes`: expected `width = n` or `mask = m` in `#[shfl]`, found `lanes`
        help: leave it out"#]],
    );
    body(
        "#[shfl = 3] let v = a;",
        expect![[r#"
        2:10 `3`: expected `up`, `down`, `xor` or `idx` in `#[shfl]`, found a value after `=`
        help: write `#[shfl(down = 16)]`"#]],
    );
    body(
        "#[shfl(down = 1)] let v;",
        expect![[r#"
        2:1 `#[shfl(down = 1)]`: expected `#[shfl]` on a `let` with an initial value, found none
        help: write `let name = value;`: the attribute is about the value"#]],
    );
    body(
        "#[shfl(down = 1)] y[0] = a;",
        expect![[r#"
        2:1 `#[shfl(down = 1)]`: expected `#[shfl]` on a `let`, found it elsewhere
        help: put it directly before a `let`"#]],
    );
    body(
        "#[warp_reduce(add)] for i in 0..3 { }",
        expect![[r#"
        2:1 `#[warp_reduce(add)]`: expected `#[warp_reduce]` on a `let`, found it elsewhere
        help: put it directly before a `let`"#]],
    );
    body(
        "#[warp_reduce] let v = a;",
        expect![[r#"
        2:1 `#[warp_reduce]`: expected `add`, `mul`, `min`, `max`, `and`, `or` or `xor` in `#[warp_reduce]`, found nothing
        help: write `#[warp_reduce(add)]`"#]],
    );
    body(
        "#[warp_reduce(sum)] let v = a;",
        expect![[r#"
        2:15 `sum`: expected `add`, `mul`, `min`, `max`, `and`, `or` or `xor` in `#[warp_reduce]`, found `sum`
        help: write `#[warp_reduce(add)]`"#]],
    );
    body(
        "#[warp_reduce(addd)] let v = a;",
        expect![[r#"
        2:15 `addd`: expected `add`, `mul`, `min`, `max`, `and`, `or` or `xor` in `#[warp_reduce]`, found `addd`
        help: write `#[warp_reduce(add)]`"#]],
    );
    body(
        "#[warp_reduce(add, mul)] let v = a;",
        expect![[r#"
        2:20 `mul`: expected one of `add`, `mul`, `min`, `max`, `and`, `or` or `xor`, found `mul` after `add`
        help: leave one of them out"#]],
    );
    body(
        "#[warp_reduce(add = 1)] let v = a;",
        expect![[r#"
        2:15 `add`: expected `add`, found `add = …`
        help: write `#[warp_reduce(add)]`"#]],
    );
    body(
        "#[warp_reduce(add, exclusive)] let v = a;",
        expect![[r#"
        2:20 `exclusive`: expected `width = n` or `mask = m` in `#[warp_reduce]`, found `exclusive`
        help: leave it out"#]],
    );
    body(
        "#[warp_reduce(add, width)] let v = a;",
        expect![[r#"
        2:20 `width`: expected `width = n`, found `width`
        help: say which"#]],
    );
    body(
        "#[warp_reduce(add)] let v = a > 0.0;",
        expect![[r#"
        2:29 `a > 0.0`: expected a number or a vector of such for `warp::reduce_add`, found `bool`
        help: convert with `as`"#]],
    );
    body(
        "#[warp_reduce(xor)] let v = a;",
        expect![[r#"
        2:29 `a`: expected an integer or a `bool` or a vector of such for `warp::reduce_xor`, found `f32`
        help: convert with `as`"#]],
    );
    body(
        "#[warp_scan(max, exclusive = true)] let v = a;",
        expect![[r#"
        2:18 `exclusive`: expected `exclusive`, found `exclusive = …`
        help: write `exclusive` alone"#]],
    );
    body(
        "#[block_reduce(add, mask = 3)] let v = a;",
        expect![[r#"
        2:21 `mask`: expected nothing about lanes in `#[block_reduce]`, found `mask`
        help: every thread of the block takes part: `#[warp_reduce(…)]` knows `mask`"#]],
    );
    body(
        "#[block_scan(add, fast)] let v = a;",
        expect![[r#"
        2:19 `fast`: expected `exclusive` in `#[block_scan]`, found `fast`
        help: leave it out"#]],
    );
    body(
        "#[ballot(add)] let v = a > 0.0;",
        expect![[r#"
        2:10 `add`: expected `mask = m` in `#[ballot]`, found `add`
        help: leave it out"#]],
    );
    body(
        "#[ballot] let v = a;",
        expect![[r#"
            2:19 `a`: expected `bool`, found `f32`
            help: compare: `!= 0.0`"#]],
    );
    body(
        "#[ballot] #[any] let v = a > 0.0;",
        expect![[r#"
        2:11 `#[any]`: expected one collective on a `let`, found `#[any]` after `#[ballot]`
        help: write one `let` for each"#]],
    );
    body(
        "#[any] #[any] let v = a > 0.0;",
        expect![[r#"
        2:8 `#[any]`: expected each attribute once, found `#[any]` again
        help: leave one of them out"#]],
    );
    body(
        "#[shfl(down = 1)] let v: u32 = a;",
        expect![[r#"
        2:3 `shfl`: expected `u32`, found `f32`
        help: convert with `as u32`"#]],
    );
}

/// Help that can be followed.
#[test]
fn what_to_write_instead() {
    check_error(
        "fn k(s: &str, y: &mut [f32]) {}",
        expect![[r#"
        1:9 `&str`: expected a slice after `&`, found `str`
        help: pass a slice: `&[u8]`"#]],
    );
    check_error(
        "fn k(y: &mut Vec<f32>, z: &Box<[u8]>) {}",
        expect![[r#"
        1:9 `&mut Vec<f32>`: expected a slice after `&mut`, found `Vec<f32>`
        help: pass a slice: `&mut [f32]`
        1:27 `&Box<[u8]>`: expected a slice after `&`, found `Box<[u8]>`
        help: pass a slice: `&[u8]`"#]],
    );
    check_error(
        "fn k(p: P, y: &mut [P]) {}",
        expect![[r#"
        1:9 `P`: expected a type, found `P`, and at another place
        help: types outside the kernel are not seen: put both into a `#[kernel_module]`, or `P` into a `#[device_library]` that it links"#]],
    );
    check_error(
        "mod m { use super::types::P; fn host() {} #[kernel] fn k(p: P, y: &mut [f32]) {} }",
        expect![[r#"
            1:61 `P`: expected a type, found `P`
            help: what is outside is not seen: put `P` into the `#[kernel_module]`; if `types` is a `#[device_library]`, link it: `#[kernel_module(link(types))]`"#]],
    );
    body(
        "std::thread::spawn(|| {}); let t = std::time::Instant::now();",
        expect![[r#"
            2:1 `std::thread::spawn`: expected a function, found the unknown name `std::thread::spawn`
            help: the launch starts the threads, `.over(n)` as many as there are elements; `nanosleep(ns)` lets one sleep
            2:36 `std::time::Instant::now`: expected a function, found the unknown name `std::time::Instant::now`
            help: read the clock of the GPU: `special::clock64()`, or time the launch on the host"#]],
    );
    body(
        "#[unrol(4)] for v in 0..n { y[v] = x[v]; }",
        expect![[r#"
        2:1 `#[unrol(4)]`: `#[unrol]` is not supported in kernels
        help: did you mean `#[unroll]`?"#]],
    );
    body(
        "if y[0] { y[1] = 1.0; } if 1.0 { y[1] = 1.0; } if k {}",
        expect![[r#"
        2:4 `y[0]`: expected `bool`, found `f32`
        help: compare: `!= 0.0`
        2:28 `1.0`: expected `bool`, found a float
        help: compare: `!= 0.0`
        2:51 `k`: expected `bool`, found `i32`
        help: compare: `!= 0`"#]],
    );
    body(
        "let mut v = shared::<[u32]>(); v[0] = 1;",
        expect![[r#"
        2:22 `[u32]`: expected an array with its length in shared memory, found `[u32]`
        help: write the length, `shared::<[u32; N]>()`, or leave it to the launch: `shared_dyn::<u32>()`"#]],
    );
    body(
        "y[0] = x.length() as f32; let s = shared::<[u32; 4]>(); y[1] = s.size() as f32;",
        expect![[r#"
        2:10 `length`: expected a method of `&[f32]`, found `length`
        help: did you mean `len`?
        2:66 `size`: expected a method of a shared `[u32; 4]`, found `size`
        help: did you mean `len`?"#]],
    );
    body(
        "let n = usize::try_from(x[0]).unwrap();",
        expect![[r#"
            2:25 `x[0]`: expected an integer for `usize::try_from`, found `f32`
            help: convert with `as usize`"#]],
    );
    body(
        "let v = shared::<[AtomicU32; 4]>(); v[0] += 1; v[1] |= 2; v[2] *= 2;",
        expect![[r#"
            2:37 `v[0]`: expected a number for `+=`, found `AtomicU32`
            help: write `.fetch_add(value, Ordering::Relaxed)`
            2:48 `v[1]`: expected a number for `|=`, found `AtomicU32`
            help: write `.fetch_or(value, Ordering::Relaxed)`
            2:59 `v[2]`: expected a number for `*=`, found `AtomicU32`
            help: write `.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |value| Some(…))`"#]],
    );
    body(
        "let v = x.iter().map(|v| v * 2.0).collect::<Vec<_>>();",
        expect![[r#"
        2:45 `Vec<_>`: expected a type, found `Vec`
        help: pass a slice, or use an array or `shared::<[T; N]>()`"#]],
    );
    body(
        "let v: Vec<f32> = x.iter().map(|v| v * 2.0).collect();",
        expect![[r#"
        2:8 `Vec<f32>`: expected a type, found `Vec`
        help: pass a slice, or use an array or `shared::<[T; N]>()`"#]],
    );
}

/// A constant of the host is reported once, and first as not visible.
#[test]
fn a_constant_of_the_host_is_told_once() {
    body(
        "let mut tile = shared::<[[f32; TILE + 1]; TILE]>();
        let i = block_idx().x * TILE;
        for k in (0..TILE).step_by(8) { tile[k][0] = i as f32; }",
        expect![[r#"
            2:32 `TILE`: expected a variable or a constant, found the unknown name `TILE`, and at 3 other places
            help: constants outside the kernel are not seen: declare `const TILE: T = …;` in the body, or put both into a `#[kernel_module]`"#]],
    );
    body(
        "let tile_rows = 1; let i = TILE_ROWS; const TILE_COLS: usize = 3; let j = TILE_COLD;",
        expect![[r#"
        2:28 `TILE_ROWS`: expected a variable or a constant, found the unknown name `TILE_ROWS`
        help: constants outside the kernel are not seen: declare `const TILE_ROWS: T = …;` in the body, or put both into a `#[kernel_module]`; or did you mean `tile_rows`?
        2:75 `TILE_COLD`: expected a variable or a constant, found the unknown name `TILE_COLD`
        help: did you mean `TILE_COLS`?"#]],
    );
}

/// Shared memory beyond the limit is reported once.
#[test]
fn too_much_shared_memory_is_told_once() {
    body(
        "let mut s = shared::<[f32; 12288]>(); s[0] = block::reduce_add(1.0f32);
        let mut t = shared::<[f32; 4]>(); t[0] = s[0];",
        expect![[r#"
            3:21 `shared::<[f32; 4]>()`: expected at most 49152 bytes of static shared memory in a kernel, found 49168
            help: make it dynamic: `shared_dyn::<[f32; 4]>()`, whose element `[0]` is this one, and `.shared(16)` at the launch"#]],
    );
}

/// Attributes know the constants of a module that are made of integers, operators and each other.
#[test]
fn constants_of_a_module_in_attributes() {
    check_error(
        "mod m { const BLOCK: usize = 128; const N: u32 = 2; #[kernel(launch_bounds(BLOCK, N), coarsen(N))] fn k(y: &mut [f32]) {} }",
        expect!["accepted"],
    );
    check_error(
        "mod m { const BLOCK: usize = 2048; #[kernel(block(BLOCK / 2, 1))] fn a() {} #[kernel(block(BLOCK))] fn b() {} }",
        expect![[r#"
            1:92 `BLOCK`: expected at most 1024 threads along x, found 2048
            help: write a number from 1 to 1024"#]],
    );
    check_error(
        "mod m { const HALF: usize = N as usize / 2; const N: u32 = 1 << LOG; pub const LOG: u32 = 6; #[kernel(block(HALF, HALF))] fn a() {} }",
        expect!["accepted"],
    );
    check_error(
        "mod m { const N: usize = 2; const HALF: usize = N - 2; #[kernel(block(HALF))] fn a() {} }",
        expect![[r#"
            1:71 `HALF`: expected at least 1 thread along x, found 0
            help: write a number from 1 to 1024"#]],
    );
    check_error(
        "mod m { const fn twice(n: usize) -> usize { 2 * n } const BLOCK: usize = twice(64); #[kernel(block(BLOCK))] fn a() {} }",
        expect![[r#"
            1:100 `BLOCK`: expected the block's size along x, a constant integer, found the name `BLOCK`, whose value attributes do not know
            help: write the number, or the name of a constant of the `#[kernel_module]` that is one: `const BLOCK: usize = 128;`"#]],
    );
}

#[test]
fn orders() {
    body(
        "struct P { v: f32 } let p = P { v: a }; let b = p < P { v: 2.0 };",
        expect![[r#"
        2:49 `p`: expected a type that has `<`, found `P`
        help: write `#[derive(PartialEq, PartialOrd)]` above it"#]],
    );
    body(
        "let m = (0..3).map(|k| F32x2::splat(k as f32)).max();",
        expect![[r#"
            2:48 `max`: expected an iterator of integers before `.max()`, found one of `F32x2`
            help: compare by a number: `.max_by_key(|value| …)`"#]],
    );
    body(
        "let m = x.iter().max_by(|a, b| a > b);",
        expect![[r#"
        2:32 `a > b`: expected `Ordering`, found `bool`
        help: make both of the same type"#]],
    );
    body(
        "let m = x.iter().min_by_key(|a| F32x2::splat(**a));",
        expect![[r#"
        2:29 `|a| F32x2::splat(**a)`: expected a key that has an order, found `F32x2`
        help: give a number, or a tuple of numbers"#]],
    );
    body(
        "let o = a.cmp(&2.0);",
        expect![[r#"
            2:11 `cmp`: expected a method of `f32`, found `cmp`
            help: NaN is in no order with the others: write `.total_cmp(…)`, or `.partial_cmp(…)`"#]],
    );
    body(
        "let o = 2.into(); y[0] = o;",
        expect![[r#"
            2:9 `2.into()`: expected a value that `f32` can be made from without loss, found `i32`
            help: leave `.into()` out: a literal is of the type that is needed"#]],
    );
    body(
        "let v = x.iter().scan(0.0, |s, v| *s + *v).last();",
        expect![[r#"
        2:35 `*s + *v`: expected `Option<_>`, found `f32`
        help: make both of the same type
        2:5 `v`: expected a type for `v`, found nothing that decides it
        help: write it: `let v: Option<f32>`"#]],
    );
    body(
        "let v = x.iter().filter(|v| **v > 0.0).rposition(|v| *v > 1.0);",
        expect![[r#"
            2:40 `rposition`: expected an iterator that knows its length before `.rposition()`, found `Filter<Iter<f32>, &f32, a closure>`
            help: write `.rposition()` before what drops or joins items, or count from the front by `.position(…)`"#]],
    );
    body(
        "let mut it = x.iter().filter(|v| **v > 0.0); let v = it.rposition(|v| *v > 1.0);",
        expect![[r#"
            2:57 `rposition`: expected an iterator that knows its length before `.rposition()`, found `Filter<Iter<f32>, &f32, a closure>`
            help: write `.rposition()` before what drops or joins items, or count from the front by `.position(…)`"#]],
    );
    body(
        "let mut it = x.iter().take_while(|v| **v > 0.0); let v = it.rposition(|v| *v > 1.0);",
        expect![[r#"
        2:61 `rposition`: expected an iterator that also gives items from the back before `.rposition()`, found `TakeWhile<Iter<f32>, &f32, a closure>`
        help: write `.rposition()` at a range or a slice, before what drops items"#]],
    );
    body(
        "let mut it = x.iter().chain(x); let v = it.rposition(|v| *v > 1.0);",
        expect![[r#"
        2:44 `rposition`: expected an iterator that knows its length before `.rposition()`, found `Chain<Iter<f32>, &f32, Iter<f32>>`
        help: write `.rposition()` before what drops or joins items, or count from the front by `.position(…)`"#]],
    );
    body(
        "struct Total(f32); let Total(v) = x.iter().map(|v| Total(*v)).sum();",
        expect![[r#"
        2:63 `sum`: expected a number for `sum`, found `Total`
        help: pick a field"#]],
    );
    body(
        "struct Total(f32); let Total(v) = x.iter().sum();",
        expect![[r#"
        2:24 `Total(v)`: expected a pattern for `f32`, found one for `Total`
        help: write a pattern of that type, or a name"#]],
    );
    body(
        "struct Total { v: f32 } let Total { v } = x.iter().copied().collect();",
        expect![[r#"
        2:61 `collect`: expected a type that can be collected, found `Total`
        help: write `impl FromIterator<…> for Total`"#]],
    );
    body(
        "let o = core::cmp::Ordering::Lesser;",
        expect![[r#"
        2:9 `core::cmp::Ordering::Lesser`: expected a constant, found the unknown name `core::cmp::Ordering::Lesser`
        help: kernels see of the standard library only what the language lists: do it on the host, and pass the result"#]],
    );
    body(
        "let o = u.cmp(&3); y[0] = o;",
        expect![[r#"
        2:27 `o`: expected `f32`, found `Ordering`
        help: convert with `as u32`, or use `match`"#]],
    );
}

#[test]
fn enums_with_data() {
    let shape = |rest: &str| {
        format!(
            "#[derive(Clone, Copy)] enum Shape {{ Circle(f32), Rect {{ w: f32, h: f32 }}, Empty }} {rest}"
        )
    };
    let body = |rest: &str, expected| body(&shape(rest), expected);
    body(
        "let s = Shape::Circle(x[0]); y[0] = match s { Shape::Circle(r) => r, Shape::Rect { w, .. } => w };",
        expect![[r#"
            2:125 `s`: expected a `match` with an arm for every value, found none for `Shape::Empty`
            help: add `Shape::Empty => …`, or `_ => …`"#]],
    );
    body(
        "let s = Shape::Circle(x[0]); y[0] = match s { Shape::Circle(0.0..) => 1.0, Shape::Rect { .. } | Shape::Empty => 2.0 };",
        expect![[r#"
            2:125 `s`: expected a `match` with an arm for every value, found none for `Shape::Circle(_)`
            help: add `Shape::Circle(_) => …`, or `_ => …`"#]],
    );
    body(
        "let s = (Shape::Empty, n); y[0] = match s { (Shape::Rect { .. }, _) | (_, 1..) => 1.0, (Shape::Circle(_), _) => 2.0 };",
        expect![[r#"
            2:123 `s`: expected a `match` with an arm for every value, found none for `(Shape::Empty, 0)`
            help: add `(Shape::Empty, 0) => …`, or `_ => …`"#]],
    );
    body(
        "let Shape::Circle(r) = Shape::Circle(x[0]); y[0] = r;",
        expect![[r#"
        2:87 `Shape::Circle(r)`: expected a pattern that always matches, found one that does not match `Shape::Rect { .. }`
        help: write `let … else { … }`, `if let` or `match`"#]],
    );
    body(
        "let s = Shape::Circle;",
        expect![[r#"
        2:91 `Shape::Circle`: expected a value, found `Shape::Circle` without what it holds
        help: write a closure: `|v0| Shape::Circle(v0)`"#]],
    );
    body(
        "let s = Shape::Circle(1.0, 2.0);",
        expect![[r#"
        2:91 `Shape::Circle(1.0, 2.0)`: expected 1 argument to `Shape::Circle`, found 2
        help: leave the rest out"#]],
    );
    body(
        "let s = Shape::Circle { r: 1.0 };",
        expect![[r#"
        2:107 `r`: expected a field of `Shape::Circle`, found `r`
        help: it has `0`"#]],
    );
    body(
        "let s = Shape::Rect(1.0, 2.0);",
        expect![[r#"
        2:91 `Shape::Rect(1.0, 2.0)`: expected a variant with values in parentheses, found `Shape::Rect`
        help: write `Shape::Rect { … }`"#]],
    );
    body(
        "let s = Shape::Rect { w: 1.0 };",
        expect![[r#"
        2:91 `Shape::Rect { w: 1.0 }`: expected every field of `Shape::Rect`, found none for `h`
        help: add it"#]],
    );
    body(
        "let s = Shape::Rect { w: 1.0, h: 1.0, d: 2.0 };",
        expect![[r#"
        2:121 `d`: expected a field of `Shape::Rect`, found `d`
        help: it has `w`, `h`"#]],
    );
    body(
        "let s = Shape::Empty(1.0);",
        expect![[r#"
        2:91 `Shape::Empty(1.0)`: expected a variant with values in parentheses, found `Shape::Empty`
        help: write `Shape::Empty`"#]],
    );
    body(
        "let s = Shape::Circel(1.0);",
        expect![[r#"
        2:91 `Shape::Circel(1.0)`: expected a function of `Shape`, found the unknown name `Circel`
        help: declare it in an `impl Shape`"#]],
    );
    body(
        "let s = Shape::Circle(n);",
        expect![[r#"
        2:105 `n`: expected `f32`, found `usize`
        help: convert with `as f32`"#]],
    );
    body(
        "let s = Shape { w: 1.0 };",
        expect![[r#"
        2:91 `Shape`: expected a variant, found the enum `Shape`
        help: name one: `Shape::…`"#]],
    );
    body(
        "let s = Shape::Empty; y[0] = s.w;",
        expect![[r#"
        2:114 `w`: expected a field of `Shape`, found `w`
        help: take it apart with `match` or `if let`"#]],
    );
    body(
        "let s = Shape::Empty; y[0] = s as u32 as f32;",
        expect![[r#"
        2:112 `s`: expected a scalar before `as u32`, found `Shape`
        help: pick a field"#]],
    );
    body(
        "let s = Shape::Empty; if s == Shape::Empty { y[0] = 1.0; }",
        expect![[r#"
        2:108 `s`: expected a type that has `==`, found `Shape`
        help: write `#[derive(PartialEq)]` above it"#]],
    );
    body(
        "let s = Shape::default();",
        expect![[r#"
        2:91 `Shape::default()`: expected a type that has a default, found `Shape`
        help: write `#[derive(Default)]` above it"#]],
    );
    body(
        "let s = Shape::Empty; println!(\"{s:?}\");",
        expect![[r#"
        2:114 `"{s:?}"`: expected `#[derive(Debug)]` on `Shape`, which the message shows, found none
        help: write it above the type; an `impl` of one's own is not supported"#]],
    );
    body(
        "if let Shape::Rect(w, h) = Shape::Empty { y[0] = w + h; }",
        expect![[r#"
        2:90 `Shape::Rect(w, h)`: expected a variant with fields in parentheses, found `Shape::Rect`
        help: write `Shape::Rect { … }`"#]],
    );
    body(
        "if let Shape::Rect { w } = Shape::Empty { y[0] = w; }",
        expect![[r#"
        2:90 `Shape::Rect { w }`: expected every field of `Shape::Rect`, found no pattern for `h`
        help: add it, or `..`"#]],
    );
    body(
        "if let Shape::Circle = Shape::Empty { y[0] = 1.0; }",
        expect![[r#"
        2:90 `Shape::Circle`: expected a pattern for what `Shape::Circle` holds, found none
        help: write `Shape::Circle(..)`"#]],
    );
    body(
        "if let Shape::Circle(a, b) = Shape::Empty { y[0] = a; }",
        expect![[r#"
        2:90 `Shape::Circle(a, b)`: expected 1 pattern for `Shape::Circle`, found 2
        help: leave the rest out"#]],
    );
    body(
        "if let Some(v) = Shape::Empty { y[0] = 1.0; }",
        expect![[r#"
        2:90 `Some(v)`: expected a pattern for `Shape`, found one for `Option<_>`
        help: it is no `Option`: leave `Some(…)` out"#]],
    );
    body(
        "let s = shared::<[Shape; 4]>();",
        expect![[r#"
        2:91 `shared::<[Shape; 4]>()`: expected a type of which any thread may write a part in shared memory, found `Shape`, whose layout is not stated
        help: write `#[derive(Clone, Copy, Element)]` and `#[repr(C, u32)]` above it"#]],
    );
    body(
        "let s = shared::<[(u32, Option<Shape>); 4]>();",
        expect![[r#"
        2:91 `shared::<[(u32, Option<Shape>); 4]>()`: expected a type of which any thread may write a part in shared memory, found `Shape`, whose layout is not stated
        help: write `#[derive(Clone, Copy, Element)]` and `#[repr(C, u32)]` above it"#]],
    );
    body(
        "enum List { Nil, Cons(f32, List) } let l = List::Nil;",
        expect![[r#"
        2:88 `List`: expected an enum of some size, found `List`, which holds itself
        help: hold an index into a buffer of them instead"#]],
    );
}

#[test]
fn results() {
    body(
        "fn f(x: f32) -> Result<f32, u32> { if x > 0.0 { Ok(x) } else { Err(1) } } y[0] = match f(x[0]) { Ok(v) => v };",
        expect![[r#"
            2:88 `f(x[0])`: expected a `match` with an arm for every value, found none for `Err(_)`
            help: add `Err(_) => …`, or `_ => …`"#]],
    );
    body(
        "fn f(x: f32) -> Result<f32, u32> { Ok(x) } fn g(x: f32) -> Result<f32, i8> { let v = f(x)?; Ok(v) } y[0] = g(x[0]).unwrap_or(0.0);",
        expect![[r#"
            2:86 `f(x)?`: expected an error before `?` that `i8` can be made from, found `u32`
            help: convert it: `.map_err(|error| …)?`"#]],
    );
    body(
        "struct E; fn f(x: f32) -> Result<f32, u32> { Ok(x) } fn g(x: f32) -> Result<f32, E> { let v = f(x)?; Ok(v) } y[0] = g(x[0]).unwrap_or(0.0);",
        expect![[r#"
            2:95 `f(x)?`: expected an error before `?` that `E` can be made from, found `u32`
            help: write `impl From<u32> for E`, or `.map_err(|error| …)?`"#]],
    );
    body(
        "fn f(x: f32) -> Result<f32, u32> { Ok(x) } y[0] = f(x[0])?;",
        expect![[r#"
        2:51 `f(x[0])?`: expected `?` in a function that gives a `Result`, found it in one without a value
        help: write `let Ok(value) = … else { return };`"#]],
    );
    body(
        "fn f(x: f32) -> Result<f32, u32> { Ok(x) } fn g(x: f32) -> Option<f32> { Some(f(x)?) } y[0] = g(x[0]).unwrap_or(0.0);",
        expect![[r#"
            2:79 `f(x)?`: expected `?` in a function that gives a `Result`, found it in one that gives an `Option`
            help: write `.ok()?`"#]],
    );
    body(
        "fn f(x: f32) -> Option<f32> { Some(x) } fn g(x: f32) -> Result<f32, u32> { Ok(f(x)?) } y[0] = g(x[0]).unwrap_or(0.0);",
        expect![[r#"
            2:79 `f(x)?`: expected `?` in a function that gives an `Option`, found it in one that gives `Result<f32, u32>`
            help: write `.ok_or(…)?`"#]],
    );
    body(
        "fn f(x: f32) -> Result<f32, u32> { Ok(x) } y[0] = f(x[0]) + 1.0;",
        expect![[r#"
        2:51 `f(x[0])`: expected a type that has `+` with a float, found `Result<f32, u32>`
        help: write `impl core::ops::Add<f32> for Result<f32, u32>`"#]],
    );
    body(
        "fn f(x: f32) -> Result<f32, u32> { Ok(x) } y[0] = f(x[0]);",
        expect![[r#"
        2:51 `f(x[0])`: expected `f32`, found `Result<f32, u32>`
        help: pick a field"#]],
    );
    body(
        "let r = Ok(x[0]); y[0] = r.unwrap_or(0.0);",
        expect![[r#"
        2:5 `r`: expected a type for `r`, found nothing that decides it
        help: write it: `let r: f32`"#]],
    );
}

#[test]
fn traits() {
    body(
        "trait A { fn a(&self) -> f32; } fn f(a: &dyn A) -> f32 { a.a() }",
        expect![[r#"
        2:42 `dyn A`: expected a type, found `dyn A`
        help: there are no trait objects on the GPU: take `impl Trait` or a type parameter, or use an enum and `match`"#]],
    );
    body(
        "trait A { fn a(&self) -> f32; } impl A for f32 { fn a(&self) -> f32 { *self } } y[0] = A::a;",
        expect![[r#"
            2:88 `A::a`: expected a value, found `a` of a trait
            help: write a closure: `|value| value.a()`"#]],
    );
    body(
        "trait A { fn a(&self) -> f32; } impl A for f32 { fn a(&self) -> f32 { *self } } y[0] = A::a(&n);",
        expect![[r#"
            2:93 `&n`: expected `&f32`, found `&usize`
            help: refer to a value of type `f32`"#]],
    );
    body(
        "trait A { fn a(&self) -> f32; } impl A for f32 { fn a(&self) -> f32 { *self } } y[0] = n.a();",
        expect![[r#"
            2:90 `a`: expected a method of `usize`, found `a`
            help: this method is not supported yet: write a function for it, `fn a(value: usize, …) -> … { … }`"#]],
    );
    body(
        "trait A { type T; } impl A for f32 { type T = u32; } fn f<V: A>(v: V::T) {} f::<u32>(1);",
        expect![[r#"
            2:68 `V::T`: expected a type that has an associated type `T`, found `u32`
            help: write the `impl` with `type T = …;`"#]],
    );
    body(
        "trait A { type T<U>; }",
        expect![[r#"
        2:17 `<U>`: expected an associated type without parameters, found `T<…>`
        help: give the trait the parameter"#]],
    );
    let two = "struct S; trait A { const C: f32 = 1.0; type T; fn a(&self) -> f32 { 1.0 } } trait B { const C: f32 = 2.0; type T; fn a(&self) -> f32 { 2.0 } } \
               impl A for S { type T = u32; } impl B for S { type T = i32; }";
    body(&format!("{two} y[0] = <S as B>::a(&S);"), expect!["accepted"]);
    body(&format!("{two} y[0] = <S as B>::C;"), expect!["accepted"]);
    body(
        &format!("{two} fn f<V: B>(v: V) -> f32 {{ v.a() }} y[0] = f(S);"),
        expect![[r#"
        2:233 `v.a()`: expected one `a` of `S`, found that of `A` and that of another `impl`
        help: give the one of `A` another name"#]],
    );
    let run = "trait Run { fn run(&self, v: f32) -> f32; } struct Wrap<F>(F); \
               impl<F: Fn(f32) -> f32> Run for Wrap<F> { fn run(&self, v: f32) -> f32 { (self.0)(v) } } \
               fn compose<A, B, C>(f: impl Fn(A) -> B, g: impl Fn(B) -> C) -> impl Fn(A) -> C { move |v| g(f(v)) }";
    body(
        &format!("{run} y[0] = Run::run(&Wrap(compose(|v| v + 1.0, f32::sqrt)), 2.0);"),
        expect!["accepted"],
    );
    let parity = "use core::iter::Sum; #[derive(Clone, Copy)] enum Parity { Even, Odd } \
                  impl Sum for Parity { fn sum<I: Iterator<Item = Parity>>(it: I) -> Parity { it.last().unwrap_or(Parity::Odd) } }";
    body(
        &format!("{parity} y[0] = [1, 2].iter().map(|_| Parity::Even).sum::<Parity>() as u32 as f32;"),
        expect!["accepted"],
    );
    body(
        &format!(
            "{parity} y[0] = [1, 2].iter().map(|_| Some(Parity::Even)).sum::<Option<Parity>>().is_some() as u32 as f32;"
        ),
        expect!["accepted"],
    );
    let slices = "trait A { fn total(&self) -> f32; } trait B { fn total(&self) -> f32; } \
                  impl A for [f32] { fn total(&self) -> f32 { 1.0 } } impl B for [f32] { fn total(&self) -> f32 { 2.0 } }";
    body(&format!("{slices} y[0] = B::total(&x[..3]);"), expect!["accepted"]);
    body(
        &format!("{slices} y[0] = x[..3].total();"),
        expect![[r#"
        2:184 `x[..3].total()`: expected one `total` of `&[f32]`, found that of `A` and that of another `impl`
        help: give the one of `A` another name"#]],
    );
    body(
        &format!("{two} fn f<V: B>(t: V::T) -> f32 {{ t as f32 }} y[0] = f::<S>(1);"),
        expect![[r#"
        2:221 `V::T`: expected one associated type `T` of `S`, found 2
        help: give each trait's another name"#]],
    );
    body(
        "struct S; trait A { fn a(&self) -> f32; } impl A for S { fn a(&self) -> f32 { 1.0 } } impl S { fn a(&self) -> f32 { 2.0 } } fn f<V: A>(v: V) -> f32 { v.a() } y[0] = f(S);",
        expect![[r#"
            2:151 `v.a()`: expected one `a` of `S`, found that of `A` and that of another `impl`
            help: give the one of `A` another name"#]],
    );
    body(
        "trait A { fn max(self, o: f32) -> f32; } impl A for f32 { fn max(self, o: f32) -> f32 { o } } fn f<V: A>(v: V) -> f32 { v.max(1.0) } y[0] = f(2.0f32);",
        expect![[r#"
            2:121 `v.max(1.0)`: expected one `max` of `f32`, found that of `A` and that of a method or constant of the language
            help: give the one of `A` another name"#]],
    );
    body(
        "trait A { const MAX: f32; } impl A for f32 { const MAX: f32 = 1.0; } type V = f32; y[0] = V::MAX;",
        expect!["accepted"],
    );
    body(
        "trait A<T> { fn a(self, t: T) -> T; } impl A<u32> for f32 { fn a(self, t: u32) -> u32 { t } } impl A<i32> for f32 { fn a(self, t: i32) -> i32 { -t } } y[0] = x[0].a(1) as f32;",
        expect![[r#"
            2:159 `x[0].a(1)`: expected one `a` of `f32`, found that of `A` and that of another `impl`
            help: give the one of `A` another name"#]],
    );
    body("impl core::fmt::Display for S {} struct S;", expect!["accepted"]);
}

#[test]
fn products_of_sparse_matrices() {
    body(
        "let v = warp::mma_sparse(F16x8::splat(f16::ONE), F16x4::splat(f16::ONE), F32x4::splat(a), 0);",
        expect![[r#"
            2:50 `F16x4::splat(f16::ONE)`: expected `F16x8`, found `F16x4`
            help: take a value of type `F16x8`"#]],
    );
    body(
        "let v = warp::mma_sparse(F16x8::splat(f16::ONE), F16x8::splat(f16::ONE), F32x4::splat(a));",
        expect![[r#"
            2:9 `warp::mma_sparse(F16x8::splat(f16::ONE), F16x8::splat(f16::ONE), F32x4::splat(a))`: expected 4 arguments to `mma_sparse`, found 3
            help: add what is missing"#]],
    );
    body(
        "let v = warp::mma_sparse(F16x8::splat(f16::ONE), F16x8::splat(f16::ONE), F32x4::splat(a), a);",
        expect![[r#"
            2:91 `a`: expected `u32`, found `f32`
            help: convert with `as u32`"#]],
    );
}

#[test]
fn products_of_matrices() {
    body(
        "let v = warp::mma(F32x4::splat(a), F16x4::splat(f16::ONE), F32x4::splat(a));",
        expect![[r#"
        2:19 `F32x4::splat(a)`: expected the lane's elements of a left matrix, found `F32x4`
        help: it is an `F16x8` or a `Bf16x8` of 16 × 16 elements, an `F16x4` or a `Bf16x4` of 16 × 8"#]],
    );
    body(
        "let v = warp::mma(a, F16x4::splat(f16::ONE), F32x4::splat(a));",
        expect![[r#"
        2:19 `a`: expected the lane's elements of a left matrix, found `f32`
        help: it is an `F16x8` or a `Bf16x8` of 16 × 16 elements, an `F16x4` or a `Bf16x4` of 16 × 8"#]],
    );
    body(
        "let v = warp::mma(F16x2::splat(f16::ONE), F16x2::splat(f16::ONE), F32x4::splat(a));",
        expect![[r#"
            2:19 `F16x2::splat(f16::ONE)`: expected the lane's elements of a left matrix, found `F16x2`
            help: it is an `F16x8` or a `Bf16x8` of 16 × 16 elements, an `F16x4` or a `Bf16x4` of 16 × 8"#]],
    );
    body(
        "let v = warp::mma(F16x8::splat(f16::ONE), F16x2::splat(f16::ONE), F32x4::splat(a));",
        expect![[r#"
            2:43 `F16x2::splat(f16::ONE)`: expected `F16x4`, found `F16x2`
            help: take a value of type `F16x4`"#]],
    );
    body(
        "let v = warp::mma(F16x8::splat(f16::ONE), Bf16x4::splat(bf16::ONE), F32x4::splat(a));",
        expect![[r#"
            2:43 `Bf16x4::splat(bf16::ONE)`: expected `F16x4`, found `Bf16x4`
            help: take a value of type `F16x4`"#]],
    );
    body(
        "let v = warp::mma(F16x8::splat(f16::ONE), F16x4::splat(f16::ONE), F32x2::splat(a));",
        expect![[r#"
            2:67 `F32x2::splat(a)`: expected `F32x4`, found `F32x2`
            help: take a value of type `F32x4`"#]],
    );
    body(
        "let v = warp::mma(F16x8::splat(f16::ONE), F16x4::splat(f16::ONE));",
        expect![[r#"
        2:9 `warp::mma(F16x8::splat(f16::ONE), F16x4::splat(f16::ONE))`: expected 3 arguments to `mma`, found 2
        help: add what is missing"#]],
    );
    body(
        "let tile = shared::<[f32; 64]>(); let v = F32x4::load_matrix(&tile[..], 0);",
        expect![[r#"
        2:43 `F32x4::load_matrix(&tile[..], 0)`: expected a function of `F32x4`, found the unknown name `load_matrix`
        help: declare it in an `impl F32x4`"#]],
    );
    body(
        "let tile = shared::<[bf16; 64]>(); let v = F16x4::load_matrix(&tile[..], 0);",
        expect![[r#"
        2:63 `&tile[..]`: expected `&[f16]`, found `&[bf16]`
        help: pick an element: `[i]`"#]],
    );
}

#[test]
fn parts_of_slices() {
    body(
        "let v = [1, 2, 3].binary_search(&2).is_ok(); let w = x.binary_search_by(|v| v.total_cmp(&a));",
        expect!["accepted"],
    );
    body(
        "let v = [3u32, 4].binary_search(&1.5);",
        expect![[r#"
            2:33 `&1.5`: expected `&u32`, found `&_`
            help: refer to a value of type `u32`"#]],
    );
    body("let v = x.binary_search(&a);", expect!["accepted"]);
    body(
        "let v = x.get(1..n).map_or(0, |part| part.len()); let w = y.get_mut(..=n).is_some();",
        expect!["accepted"],
    );
    body(
        "let v = x.get(1u32..);",
        expect![[r#"
        2:15 `1u32`: expected `usize`, found `u32`
        help: write the suffix `usize`"#]],
    );
    body(
        "let v = x.get_mut(1..);",
        expect![[r#"
        2:9 `x`: expected a slice that can be written, found `&[f32]`
        help: declare `x` with `&mut`"#]],
    );
    body("if let Some([b, c]) = x.first_chunk::<2>() { y[0] = b * c; }", expect!["accepted"]);
    body(
        "if let Some([b, c]) = x.first_chunk::<3>() { y[0] = b * c; }",
        expect![[r#"
        2:13 `[b, c]`: expected 3 patterns for the array, found 2
        help: write `..` for the rest"#]],
    );
    body("let v: [f32; 4] = x[..4].try_into().unwrap();", expect!["accepted"]);
    body(
        "let v: [u32; 4] = x[..4].try_into().unwrap();",
        expect![[r#"
            2:19 `x[..4].try_into()`: expected `[u32; 4]`, found `[f32; _]`
            help: make both of the same length and element"#]],
    );
    body(
        "let v = x.concat();",
        expect![[r#"
            2:11 `concat`: expected a method of `&[f32]`, found `concat`
            help: there is no heap on the GPU: use the slice itself, or an array"#]],
    );
    body(
        "let v = x.frist();",
        expect![[r#"
        2:11 `frist`: expected a method of `&[f32]`, found `frist`
        help: did you mean `first`?"#]],
    );
    body(
        "let v = Some(1.0).foo();",
        expect![[r#"
        2:19 `foo`: expected a method of `Option<_>`, found `foo`
        help: match it: `Some(value)`, `None`"#]],
    );
    body(
        "let v = (1, 2).first();",
        expect![[r#"
        2:16 `first`: expected a method of `(_, _)`, found `first`
        help: take a part of it first: `.0`"#]],
    );
}

#[test]
fn names_for_slices_themselves() {
    body(
        "match x[1..] { s => y[0] = s[0] }",
        expect![[r#"
        2:16 `s`: expected a pattern for elements, found the name `s` for the slice itself, whose length is not known
        help: take a reference: `&x[a..b]` instead of `x[a..b]`, `x` instead of `*x`"#]],
    );
    body("match *x { [b] => y[0] = b, ref s => y[0] = s[0] }", expect!["accepted"]);
    body("match *x { [b] => y[0] = b, ref s @ [_, _] => y[0] = s[0], _ => {} }", expect!["accepted"]);
    body("match x { [b] => y[0] = *b, s => y[0] = s[0] }", expect!["accepted"]);
}

#[test]
fn unknown_functions_of_modules() {
    body(
        "enum Shape { Circle { r: f32 }, Square(f32) } let s = Circle { r: a };",
        expect![[r#"
        2:55 `Circle`: expected a type, found `Circle`
        help: did you mean `Shape::Circle`?"#]],
    );
    body(
        "enum Shape { Circle { r: f32 }, Square(f32) } let s = Square(a);",
        expect![[r#"
        2:55 `Square`: expected a function, found the unknown name `Square`
        help: did you mean `Shape::Square`?"#]],
    );
    body(
        "y[0] = warp::reduce_sum(a);",
        expect![[r#"
        2:8 `warp::reduce_sum`: expected a function, found the unknown name `warp::reduce_sum`
        help: did you mean `warp::reduce_add(…)`?"#]],
    );
    body(
        "y[0] = block::sum(a);",
        expect![[r#"
        2:8 `block::sum`: expected a function, found the unknown name `block::sum`
        help: write `value.sum()`"#]],
    );
    body(
        "y[0] = block::scan(a);",
        expect![[r#"
            2:8 `block::scan(a)`: expected 3 arguments to `block::scan`, found 1
            help: for a sum call `block::scan_add(v)`, and give an operator of your own with the rest: `block::scan(v, identity, |a, b| …)`"#]],
    );
    body(
        "y[0] = warp::shuffle_down(a, 1);",
        expect![[r#"
            2:8 `warp::shuffle_down`: expected a function, found the unknown name `warp::shuffle_down`
            help: write `warp::shfl_down(value, 1)`"#]],
    );
    body(
        "y[0] = warp::prefix(a);",
        expect![[r#"
        2:8 `warp::prefix`: expected a function, found the unknown name `warp::prefix`
        help: what is outside is not seen: put `warp` into the `#[kernel_module]`, or into a `#[device_library]` that it links"#]],
    );
}
/// The length is evaluated before the block that it is in.
#[test]
fn named_lengths_in_blocks_of_constants() {
    check_error(
        "fn k(y: &mut [f64]) {
            const N: usize = 8;
            static T: [f64; N] = { let mut t = [0.0; N]; let mut k = 0; while k < N { t[k] = k as f64; k += 1; } t };
            y[0] = T[1];
        }",
        expect!["accepted"],
    );
}

/// The help names what there is.
#[test]
fn parts_that_products_and_clusters_do_not_have() {
    check_error(
        "#[kernel(cluster(2))] fn k(y: &mut [f32]) { let mut s = shared::<[f32; 4]>(); s[0] = 1.0; cluster::shared(&s, 0)[1] = 2.0; cluster::sync(); y[0] = s[1]; }",
        expect![[r#"
            1:91 `cluster::shared(&s, 0)[1]`: expected a place that can be written, found one behind a `&[f32; 4]`
            help: write `cluster::shared_mut(…)`"#]],
    );
    check_error(
        "fn k(y: &mut [f32]) { cluster::sync(); y[0] = cluster::block_rank() as f32; cluster::sync(); }",
        expect![[r#"
            1:23 `cluster::sync()`: expected a kernel whose blocks come in clusters, found one that says nothing of them
            help: write `#[kernel(cluster(2))]`, or a largest cluster, which the launch may choose: `#[kernel(launch_bounds(256, 1, 8))]`"#]],
    );
    check_error(
        "fn k(x: &[f32], y: &mut [f32]) { fn f(a: &[f32; 4]) -> f32 { a[0] } y[0] = f(&x[1..5]); }",
        expect![[r#"
            1:78 `&x[1..5]`: expected `&[f32; 4]`, found `&[f32]`
            help: write `.first_chunk::<4>().unwrap()` behind the slice, without the `&`"#]],
    );
    check_error(
        "fn k(x: TensorMap, y: &mut [f32]) { y[0] = 0.0; }",
        expect![[r#"
        1:9 `TensorMap`: expected a type, found `TensorMap`
        help: take the matrix, `x: Matrix<'_, f16>`: `load` of a tile uses TMA where the GPU has it; tensor maps are for loaded PTX"#]],
    );
    check_error(
        "#[kernel(block(32))] fn k(y: &mut [f32]) { let mut sum = warp::Acc::<f32, 16, 16>::zero(); sum.x[0] *= 2.0; y[0] = 0.0; }",
        expect![[r#"
            1:96 `x`: expected a field of `Acc<f32, 16, 16>`, found `x`
            help: its elements have no number: change each by `sum.map(|value| …)`, or by `map_at`, which knows its row and column"#]],
    );
}

#[test]
fn arguments_of_into_iter() {
    check_error(
        "fn k(y: &mut [f32]) { let mut sum = 0.0; for v in [1.0f32; 4].into_iter({}) { sum += v; } y[0] = sum; }",
        expect![[r#"
            1:51 `[1.0f32; 4].into_iter({})`: expected 0 arguments to `into_iter`, found 1
            help: leave the rest out"#]],
    );
}

/// Plain values of the library are shared in clusters as a user's structs are; tiles are not.
#[test]
fn values_of_the_library_in_clusters() {
    check_error(
        "#[kernel(cluster(2))] fn k(y: &mut [u32]) {
            use core::cmp::Reverse;
            let mut s = shared::<[Reverse<u32>; 4]>();
            s[0] = Reverse(1);
            cluster::sync();
            y[0] = cluster::shared(&s, 1)[0].0;
            cluster::sync();
        }",
        expect!["accepted"],
    );
    check_error(
        "#[kernel(cluster(2), block(32))] fn k(y: &mut [u32]) {
            let tile = shared::<SharedTile<f16, 16, 16>>();
            let other = cluster::shared(&tile, 1);
            y[0] = 0;
        }",
        expect![[r#"
            3:42 `tile`: expected a variable of numbers, vectors, structs or atomics, found one of `SharedTile<f16, 16, 16>`, which only its own block can use
            help: copy what the others need into an array: `shared::<[f32; 256]>()`"#]],
    );
}

/// `T` is the item of the iterator within.
#[test]
fn item_types_by_bounds_of_an_impl() {
    check_error(
        "fn k(x: &[u32], y: &mut [u32]) {
            struct Runs<I: Iterator> { items: core::iter::Peekable<I> }
            impl<T: Copy + PartialEq, I: Iterator<Item = T>> Iterator for Runs<I> {
                type Item = (T, usize);
                fn next(&mut self) -> Option<(T, usize)> { let first = self.items.next()?; Some((first, 1)) }
            }
            let runs = Runs { items: x.iter().copied().peekable() };
            for (place, (value, run)) in y.iter_mut().zip(runs) { *place = value + run as u32; }
        }",
        expect!["accepted"],
    );
}

#[test]
fn enums_with_data_in_slices() {
    let kernel = |item: &str, param: &str, expected| {
        check_error(
            &format!("mod m {{ #[derive(Clone, Copy)] {item} #[kernel] fn k(x: {param}) {{}} }}"),
            expected,
        );
    };
    let hit = "enum Hit { Miss, At(f32) }";
    kernel(&format!("#[derive(Element)] #[repr(C, u32)] {hit}"), "&mut [Hit]", expect!["accepted"]);
    kernel(
        hit,
        "&[Hit]",
        expect![[r#"
        1:77 `&[Hit]`: expected a slice of plain data, found `Hit`
        help: write `#[derive(Clone, Copy, Element)]` and `#[repr(C, u32)]` above it"#]],
    );
    kernel(
        &format!("#[derive(Element)] #[repr(u32)] {hit}"),
        "&[Hit]",
        expect![[r#"
            1:109 `&[Hit]`: expected a slice of plain data, found `Hit`
            help: write `#[derive(Clone, Copy, Element)]` and `#[repr(C, u32)]` above it"#]],
    );
    kernel(
        &format!("#[derive(Element)] #[repr(C)] {hit}"),
        "&[Hit]",
        expect![[r#"
            1:107 `&[Hit]`: expected a slice of plain data, found `Hit`
            help: write `#[derive(Clone, Copy, Element)]` and `#[repr(C, u32)]` above it"#]],
    );
    kernel(
        &format!("#[repr(C, u8)] {hit}"),
        "&[Hit]",
        expect![[r#"
        1:92 `&[Hit]`: expected a slice of plain data, found `Hit`
        help: write `#[derive(Clone, Copy, Element)]` and `#[repr(C, u32)]` above it"#]],
    );
    kernel(&format!("#[derive(Element)] #[repr(C, u32)] {hit}"), "Hit", expect!["accepted"]);
    kernel(&format!("#[derive(Element)] #[repr(C, u32)] {hit}"), "[Hit; 2]", expect!["accepted"]);
    kernel(
        "#[derive(Element)] #[repr(C, u32)] enum Hit { Miss, At(Option<u32>) }",
        "&[Hit]",
        expect![[r#"
        1:120 `&[Hit]`: expected a slice of plain data, found `Option<u32>`
        help: take a number instead"#]],
    );
    kernel(
        "#[derive(Element)] #[repr(C, u32)] enum Hit { Miss, At((f32, u32)) }",
        "&[Hit]",
        expect![[r#"
        1:119 `&[Hit]`: expected a slice of plain data, found `(f32, u32)`
        help: declare a struct of the parts with `#[repr(C)]` and `#[derive(Clone, Copy, Element)]`: the layout of a tuple is not stated"#]],
    );
}

#[test]
fn options_as_parameters() {
    let kernel = |param: &str, expected| {
        check_error(&format!("fn k(x: {param}, y: &mut [f32]) {{ y[0] = 1.0; }}"), expected)
    };
    kernel("Option<&[f32]>", expect!["accepted"]);
    kernel("std::option::Option<bool>", expect!["accepted"]);
    kernel(
        "Option<[f32; 4]>",
        expect![[r#"
        1:16 `[f32; 4]`: expected a scalar or a slice in the `Option` of a kernel's parameter, found `[f32; 4]`
        help: take the value, and a `bool` that says whether it counts"#]],
    );
    kernel(
        "Option<Option<f32>>",
        expect![[r#"
        1:16 `Option<f32>`: expected a scalar or a slice in the `Option` of a kernel's parameter, found `Option<f32>`
        help: take the value, and a `bool` that says whether it counts"#]],
    );
    kernel(
        "Option<&f32>",
        expect![[r#"
        1:16 `&f32`: expected a slice after `&`, found `f32`
        help: pass it by value: `f32`"#]],
    );
    kernel(
        "Option<&mut [bool]>",
        expect![[r#"
        1:22 `bool`: expected an element type, found `bool`: not every byte is a `bool`
        help: use `u8` and compare with `!= 0`"#]],
    );
    kernel(
        "Option<*const f32>",
        expect![[r#"
        1:16 `*const f32`: expected a scalar or a slice in the `Option` of a kernel's parameter, found `*const f32`
        help: take the value, and a `bool` that says whether it counts"#]],
    );
    kernel(
        "Option",
        expect![[r#"
        1:6 `x`: expected a type for `x`, found nothing that decides it
        help: write it: `let x: Option<f32>`"#]],
    );
    check_body_error(
        "let o: Option<&[f32]> = Some(y); if let Some(o) = o { o[0] = 1.0; }",
        expect![[r#"
        2:55 `o[0]`: expected a slice that can be written, found `o: &[f32]`
        help: declare it `o: &mut [f32]`"#]],
    );
}

#[test]
fn methods_that_iterators_do_not_have() {
    body(
        "let (a, b) = x.iter().map(|v| (*v, 1)).unzip();",
        expect![[r#"
        2:40 `unzip`: expected a method of an iterator, found `unzip`
        help: there is no heap on the GPU: write a `for` loop that fills two arrays or slices, or fold into a pair: `.fold((a, b), |(a, b), (x, y)| …)`"#]],
    );
    body(
        "let (a, b): (Vec<f32>, Vec<i32>) = x.iter().map(|v| (*v, 1)).unzip();",
        expect![[r#"
        2:14 `Vec<f32>`: expected a type, found `Vec`, and at another place
        help: pass a slice, or use an array or `shared::<[T; N]>()`"#]],
    );
    body(
        "let (a, b) = x.iter().partition(|v| **v > 0.0);",
        expect![[r#"
        2:23 `partition`: expected a method of an iterator, found `partition`
        help: there is no heap on the GPU: write `.filter(…)` twice, or fold into a pair: `.fold((yes, no), |(yes, no), item| …)`"#]],
    );
    body(
        "let it = x.iter().peekable(); let (a, b) = it.partition(|v| **v > 0.0);",
        expect![[r#"
        2:47 `partition`: expected a method of an iterator, found `partition`
        help: there is no heap on the GPU: write `.filter(…)` twice, or fold into a pair: `.fold((yes, no), |(yes, no), item| …)`"#]],
    );
    body(
        "let n = x.iter().size_hint();",
        expect![[r#"
        2:18 `size_hint`: expected a method of an iterator, found `size_hint`
        help: write `.len()`, or `.count()`"#]],
    );
    body(
        "let it = x.iter().fuse();",
        expect![[r#"
        2:19 `fuse`: expected a method of an iterator, found `fuse`
        help: leave it out: iterators of ranges and slices go on giving `None`; of another one stop at the first"#]],
    );
    body(
        "let s = x.iter().sorted();",
        expect![[r#"
        2:18 `sorted`: expected a method of an iterator, found `sorted`
        help: sort an array or a part of a slice: `values.sort_unstable()`"#]],
    );
}

#[test]
fn values_with_their_indices() {
    body(
        "let (v, i) = warp::arg_max(p, u);",
        expect![[r#"
        2:28 `p`: expected a number for `warp::arg_max`, found `bool`
        help: convert with `as`"#]],
    );
    body(
        "let (v, i) = warp::arg_max(a);",
        expect![[r#"
            2:14 `warp::arg_max(a)`: expected 2 arguments to `warp::arg_max`, found 1
            help: add what is missing"#]],
    );
    body(
        "let (v, i) = block::arg_min(F32x2::new(a, a), u);",
        expect![[r#"
        2:29 `F32x2::new(a, a)`: expected a number for `block::arg_min`, found `F32x2`
        help: convert with `as`"#]],
    );
    super::check_refusals(
        "fn k(x: &[f32], y: &mut [f32]) { if x[thread_idx().x] > 0.0 { y[0] = block::arg_max(x[1], 0u32).0; } }",
        expect![[r#"
            1:70 `block`: expected all threads of the block to come here together, found a condition at 1:37 that varies between threads, as it depends on `thread_idx().x`, read at 1:39
            help: move it out of the condition"#]],
    );
}

#[test]
fn random_numbers() {
    body("let mut rng = Pcg32::new(u as u64, 3); y[0] = rng.next_f32();", expect!["accepted"]);
    body(
        "let mut rng = Pcg32::new(1); y[0] = rng.next_f32();",
        expect![[r#"
        2:15 `Pcg32::new(1)`: expected 2 arguments to `new`, found 1
        help: add what is missing"#]],
    );
    body(
        "let rng = Philox4x32::new(1, 2); y[0] = rng.next_f32();",
        expect![[r#"
        2:41 `rng`: expected a mutable variable, found `rng`
        help: declare it `let mut rng`"#]],
    );
    body(
        "let mut rng = Pcg32::new(1, 2); y[0] = rng.random();",
        expect![[r#"
        2:44 `random`: expected a method of `Pcg32`, found `random`
        help: it has `next_u32`, `next_u64`, `next_f32`, `next_f64` and `skip`"#]],
    );
    body(
        "let w = Philox4x32::block(u, [0; 4]);",
        expect![[r#"
            2:27 `u`: expected `[u32; 2]`, found `u32`
            help: write an array of `u32`: `[v; 2]`"#]],
    );
}
