//! Mistakes with items, aggregates, references, patterns, closures and iterators: each is one error, with what to write.

use super::check_body_error;
use expect_test::{Expect, expect};

#[track_caller]
fn body(source: &str, expected: Expect) {
    check_body_error(source, expected);
}

#[test]
fn matches() {
    body(
        "match u { 0..=9 => {} 11.. => {} }",
        expect![[r#"
        2:7 `u`: expected a `match` with an arm for every value, found none for `10`
        help: add `10 => …`, or `_ => …`"#]],
    );
    body(
        "match (p, u) { (true, _) => {} (false, 0) => {} }",
        expect![[r#"
        2:7 `(p, u)`: expected a `match` with an arm for every value, found none for `(false, 1..)`
        help: add `(false, 1..) => …`, or `_ => …`"#]],
    );
    body(
        "match Some(k) { Some(i32::MIN..=0) => {} None => {} }",
        expect![[r#"
        2:7 `Some(k)`: expected a `match` with an arm for every value, found none for `Some(1..)`
        help: add `Some(1..) => …`, or `_ => …`"#]],
    );
    body(
        "enum E { A, B, C } match E::A { E::A => {} E::C => {} }",
        expect![[r#"
        2:26 `E::A`: expected a `match` with an arm for every value, found none for `E::B`
        help: add `E::B => …`, or `_ => …`"#]],
    );
    body(
        "match x { [] => {} [_, _, ..] => {} }",
        expect![[r#"
        2:7 `x`: expected a `match` with an arm for every value, found none for `[_]`
        help: add `[_] => …`, or `_ => …`"#]],
    );
    body(
        "struct S { b: bool, v: u8 } match (S { b: p, v: 1 }) { S { b: true, .. } => {} S { b: false, v: 0..9 } => {} }",
        expect![[r#"
        2:35 `(S { b: p, v: 1 })`: expected a `match` with an arm for every value, found none for `S { b: false, v: 9.. }`
        help: add `S { b: false, v: 9.. } => …`, or `_ => …`"#]],
    );
    body(
        "match a { 1.0 => {} }",
        expect![[r#"
            2:7 `a`: expected a `match` with an arm for every value, found none for `_`
            help: add `_ => …`"#]],
    );
    body(
        "let Some(v) = Some(u); y[0] = v as f32;",
        expect![[r#"
        2:5 `Some(v)`: expected a pattern that always matches, found one that does not match `None`
        help: write `let … else { … }`, `if let` or `match`"#]],
    );
    body(
        "for (0, v) in x.iter().enumerate() { y[0] = *v; }",
        expect![[r#"
        2:5 `(0, v)`: expected a pattern that always matches, found one that does not match `(1.., _)`
        help: write `let … else { … }`, `if let` or `match`"#]],
    );
    body(
        "match u { 1 if p => {} _ if !p => {} }",
        expect![[r#"
            2:7 `u`: expected a `match` with an arm for every value, found none for `_`
            help: add `_ => …`"#]],
    );
}

#[test]
fn patterns() {
    body(
        "let (a, b, c) = (1, 2);",
        expect![[r#"
        2:5 `(a, b, c)`: expected 2 patterns for the tuple, found 3
        help: leave the rest out"#]],
    );
    body(
        "let Some(v) = u else { return };",
        expect![[r#"
        2:5 `Some(v)`: expected a pattern for `u32`, found one for `Option<_>`
        help: it is no `Option`: leave `Some(…)` out"#]],
    );
    body(
        "match u { 1.5 => {} _ => {} }",
        expect![[r#"
        2:11 `1.5`: expected `u32`, found a float
        help: convert with `as u32`"#]],
    );
    body(
        "match u { 9..=1 => {} _ => {} }",
        expect![[r#"
        2:11 `9..=1`: expected a range that holds a value, found an empty one
        help: write the smaller bound first"#]],
    );
    body(
        "struct S { a: u8, b: u8 } let S { a } = S { a: 1, b: 2 };",
        expect![[r#"
        2:31 `S { a }`: expected every field of `S`, found no pattern for `b`
        help: add it, or `..`"#]],
    );
    body(
        "struct S { a: u8 } let S { c, .. } = S { a: 1 };",
        expect![[r#"
        2:28 `c`: expected a field of `S`, found `c`
        help: leave it out"#]],
    );
    body(
        "let Some(v) = Some(u) else { y[0] = 1.0; };",
        expect![[r#"
        2:42 `}`: expected an `else` that does not come back, found its end
        help: end it with `return`, `break`, `continue` or `panic!`"#]],
    );
    body(
        "let &v = u;",
        expect![[r#"
        2:5 `&v`: expected a pattern for `u32`, found one for a reference
        help: leave the `&` out"#]],
    );
    body(
        "let [b, c] = [1, 2, 3];",
        expect![[r#"
        2:5 `[b, c]`: expected 3 patterns for the array, found 2
        help: write `..` for the rest"#]],
    );
}

#[test]
fn structs() {
    body(
        "struct S { a: u8 } let s = S { a: 1 }; y[0] = s.b as f32;",
        expect![[r#"
        2:49 `b`: expected a field of `S`, found `b`
        help: it has `a`"#]],
    );
    body(
        "struct S { a: u8, b: u8 } let s = S { a: 1 };",
        expect![[r#"
        2:35 `S { a: 1 }`: expected every field of `S`, found none for `b`
        help: add it, or `..base`"#]],
    );
    body(
        "struct S { a: u8 } let s = S { a: 1, a: 2 };",
        expect![[r#"
        2:38 `a`: expected each field once, found `a` again
        help: leave one of them out"#]],
    );
    body(
        "struct S { a: u8 } let s = S { a: 1.5 };",
        expect![[r#"
        2:35 `1.5`: expected `u8`, found a float
        help: convert with `as u8`"#]],
    );
    body(
        "struct S(u8); let s = S(1, 2);",
        expect![[r#"
        2:23 `S(1, 2)`: expected 1 argument to `S`, found 2
        help: leave the rest out"#]],
    );
    body(
        "struct S(u8); let s = S(1) + S(2);",
        expect![[r#"
        2:23 `S(1)`: expected a type that has `+` with `S`, found `S`
        help: write `impl core::ops::Add for S`"#]],
    );
    body(
        "struct S(u8); let s = S(1); s += S(2);",
        expect![[r#"
        2:29 `s`: expected a type that has `+=` with `S`, found `S`
        help: write `impl core::ops::AddAssign for S`"#]],
    );
    body(
        "struct S(u8); let b = S(1) == S(2);",
        expect![[r#"
        2:23 `S(1)`: expected a type that has `==`, found `S`
        help: write `#[derive(PartialEq)]` above it"#]],
    );
    body(
        "struct S(f32); impl S { fn grow(&mut self) { self.0 += 1.0; } fn read(&self) { self.0 = 1.0; } } let s = S(1.0); s.grow();",
        expect![[r#"
        2:114 `s`: expected a mutable variable, found `s`
        help: declare it `let mut s`"#]],
    );
    body(
        "struct S(f32); impl S { fn get(&self) -> f32 { self.0 } } y[0] = S(1.0).gett();",
        expect![[r#"
        2:73 `gett`: expected a method of `S`, found `gett`
        help: did you mean `get`?"#]],
    );
    body(
        "struct S(f32); let s = -S(1.0);",
        expect![[r#"
        2:25 `S(1.0)`: expected a type that has `-`, found `S`
        help: write `impl core::ops::Neg for S`"#]],
    );
    body(
        "struct S(f32); let s = S::default();",
        expect![[r#"
        2:24 `S::default()`: expected a type that has a default, found `S`
        help: write `#[derive(Default)]` above it"#]],
    );
}

#[test]
fn references() {
    body(
        "let v = a; let r = &mut v; *r = 1.0;",
        expect![[r#"
        2:25 `v`: expected a mutable variable, found `v`
        help: declare it `let mut v`"#]],
    );
    body(
        "let r = &a; *r = 1.0;",
        expect![[r#"
        2:13 `*r`: expected a place that can be written, found one behind `r: &f32`
        help: take it by `&mut`"#]],
    );
    body(
        "let r = &mut x[0];",
        expect![[r#"
        2:14 `x[0]`: expected a slice that can be written, found `x: &[f32]`
        help: declare it `x: &mut [f32]`"#]],
    );
    body(
        "let v = *a;",
        expect![[r#"
            2:10 `a`: expected a reference after `*`, found `f32`
            help: leave the `*` out, or write `x.powf(y)` for a power"#]],
    );
    body(
        "fn f(v: &mut f32) {} f(&a);",
        expect![[r#"
        2:24 `&a`: expected `&mut f32`, found `&f32`
        help: it can only be read: take it by `&mut` where it comes from"#]],
    );
    body(
        "fn f(v: &f32) {} f(a);",
        expect![[r#"
        2:20 `a`: expected `&f32`, found `f32`
        help: write `&` before it"#]],
    );
    body(
        "let r = &a; y[0] = r as f32;",
        expect![[r#"
        2:20 `r`: expected a scalar before `as f32`, found `&f32`
        help: write `*` before it"#]],
    );
    body(
        "for v in x.iter_mut() { *v = 0.0; }",
        expect![[r#"
        2:10 `x`: expected a slice that can be written, found `&[f32]`
        help: declare `x` with `&mut`"#]],
    );
    body(
        "let v = [1, 2]; v[0] = 3;",
        expect![[r#"
        2:17 `v[0]`: expected a mutable variable, found `v`
        help: declare it `let mut v`"#]],
    );
}

#[test]
fn generics() {
    body(
        "fn f<T>() {} f();",
        expect![[r#"
        2:14 `f()`: expected a type for `T` of `f`, found nothing that decides it
        help: write it: `f::<f32>(…)`"#]],
    );
    body(
        "fn f<T>(v: T) {} f::<u8, u8>(1);",
        expect![[r#"
        2:21 `<u8, u8>`: expected 1 generic argument of `f`, found 2
        help: leave the rest out"#]],
    );
    body(
        "fn f<T>(a: T, b: T) {} f(1u8, 2u16);",
        expect![[r#"
        2:31 `2u16`: expected `u8`, found `u16`
        help: write the suffix `u8`"#]],
    );
    body(
        "fn f<const N: usize>(v: [f32; N]) -> [f32; N] { v } let v: [f32; 3] = f([a; 2]);",
        expect![[r#"
        2:73 `[a; 2]`: expected `[f32; 3]`, found `[f32; 2]`
        help: make both of the same length and element"#]],
    );
    body(
        "fn f(v: u32) -> u32 { if v == 0 { 0 } else { f(v - 1) } } y[0] = f(u) as f32;",
        expect![[r#"
        2:46 `f(v - 1)`: expected a function that does not call itself, found a call that leads back to `f`
        help: recursion is not possible on the GPU: write a loop"#]],
    );
    body(
        "fn f() { g() } fn g() { f() } f();",
        expect![[r#"
        2:25 `f()`: expected a function that does not call itself, found a call that leads back to `f`
        help: recursion is not possible on the GPU: write a loop"#]],
    );
    body(
        "fn f<T: Number>(v: T) -> T { v & v } y[0] = f(a); y[1] = f(a + 1.0);",
        expect![[r#"
        2:30 `v`: expected an integer or a `bool` for `&`, found `f32`
        help: work on the bits: `f32::from_bits(x.to_bits() & mask)`"#]],
    );
    body(
        "fn f(v: f32) -> f32 { v } y[0] = f(u);",
        expect![[r#"
        2:36 `u`: expected `f32`, found `u32`
        help: convert with `as f32`"#]],
    );
    body(
        "fn f(v: f32) -> f32 { v; } y[0] = f(a);",
        expect![[r#"
        2:23 `v`: expected `f32`, found a block without a value
        help: leave the `;` out after it, so that it is the block's value"#]],
    );
    body(
        "let o = None;",
        expect![[r#"
        2:5 `o`: expected a type for `o`, found nothing that decides it
        help: write it: `let o: Option<f32>`"#]],
    );
}

#[test]
fn closures_and_iterators() {
    body(
        "let f = |v: f32| v; y[0] = f(a, a);",
        expect![[r#"
        2:28 `f(a, a)`: expected 1 argument to `f`, found 2
        help: leave the rest out"#]],
    );
    body(
        "let f = |v: f32| v; y[0] = f(u);",
        expect![[r#"
        2:30 `u`: expected `f32`, found `u32`
        help: convert with `as f32`"#]],
    );
    body(
        "fn apply<F: Fn(f32) -> f32>(f: F) -> f32 { f(1.0) } y[0] = apply(|v, w| v); y[1] = apply(|v| v > 1.0); y[2] = apply(a);",
        expect![[r#"
            2:66 `|v, w| v`: expected a closure that takes 1 argument, found one that takes 2
            help: write it with 1 parameter
            2:94 `v > 1.0`: expected `f32`, found `bool`
            help: write `if b { 1.0 } else { 0.0 }`
            2:111 `apply(a)`: expected a closure or a function, found `f32`
            help: write `|value| …`"#]],
    );
    body(
        "let i = x.iter().map(|v| v + 1.0).collect();",
        expect![[r#"
            2:35 `collect`: expected a method of an iterator, found `collect`
            help: there is no heap on the GPU: write a `for` loop that fills an array or a slice"#]],
    );
    body("for v in x.iter().filter(|v| **v > 0.0).rev() {}", expect!["accepted"]);
    body(
        "let m = x.iter().max();",
        expect![[r#"
            2:18 `max`: expected an iterator of integers before `.max()`, found one of `&f32`
            help: write `.max_by(|a, b| a.total_cmp(b))`"#]],
    );
    body(
        "for v in u {}",
        expect![[r#"
        2:10 `u`: expected something to loop over, found `u32`
        help: write a range: `0..n`"#]],
    );
    body(
        "let s: u32 = x.iter().sum();",
        expect![[r#"
        2:14 `x.iter().sum()`: expected `u32`, found `f32`
        help: convert with `as u32`"#]],
    );
    body(
        "let v = x.iter().map(|v| v.foo());",
        expect![[r#"
            2:28 `foo`: expected a method of `&f32`, found `foo`
            help: this method is not supported yet: write a function for it, `fn foo(value: f32, …) -> … { … }`"#]],
    );
    body(
        "let v = a.foo(|b| b.bar());",
        expect![[r#"
            2:11 `foo`: expected a method of `f32`, found `foo`
            help: this method is not supported yet: write a function for it, `fn foo(value: f32, …) -> … { … }`"#]],
    );
}

#[test]
fn vectors_and_halves() {
    body(
        "let v = F32x4::new(1.0, 2.0);",
        expect![[r#"
        2:9 `F32x4::new(1.0, 2.0)`: expected 4 arguments to `new`, found 2
        help: add what is missing"#]],
    );
    body(
        "let v = F32x4::splat(a) + F32x2::splat(a);",
        expect![[r#"
            2:27 `F32x2::splat(a)`: expected `F32x4`, found `F32x2`
            help: take a value of type `F32x4`"#]],
    );
    body(
        "let v = F32x2::splat(a); y[0] = v.z;",
        expect![[r#"
        2:35 `z`: expected a lane of `F32x2`, found `z`
        help: write `.x`, `.y`, or `v[i]`"#]],
    );
    body(
        "let v = F32x2::splat(a) == F32x2::splat(a); let b = F32x2::splat(a) < F32x2::splat(a);",
        expect![[r#"
        2:53 `F32x2::splat(a)`: expected a type that has `<`, found `F32x2`
        help: write it for each lane: `v.x`, or `v[i]` in a loop"#]],
    );
    body(
        "let h: f16 = 1.0;",
        expect![[r#"
        2:14 `1.0`: expected `f16`, found a float
        help: convert with `f16::from_f32(x)`"#]],
    );
    body(
        "let h = f16::from_f32(a) + a;",
        expect![[r#"
        2:28 `a`: expected `f16`, found `f32`
        help: convert with `f16::from_f32(x)`"#]],
    );
    body(
        "y[0] = f16::from_f32(a) as f32;",
        expect![[r#"
        2:8 `f16::from_f32(a)`: expected a type that `as f32` can convert, found `f16`
        help: write `x.to_f32()`"#]],
    );
}

#[test]
fn constants() {
    body(
        "const fn f(n: u8) -> u8 { n * 2 } const C: u8 = f(200);",
        expect![[r#"
        2:49 `f(200)`: expected a `u8`, from 0 to 255, found a constant that overflows it
        help: use a wider type"#]],
    );
    body(
        "const C: u32 = { let mut i = 0; loop { i = 1 - i; } };",
        expect![[r#"
        2:16 `{ let mut i = 0; loop { i = 1 - i; } }`: expected a value, found an expression that never has one
        help: make it a statement of its own"#]],
    );
    body(
        "const A: [u8; 2] = [1, 2]; const C: u8 = A[2];",
        expect![[r#"
        2:44 `2`: expected an index below 2, the length of the array, found 2
        help: write one from 0 to 1"#]],
    );
    body(
        "const C: u8 = match 3 { 0 => 1, _ => panic!(\"no\") };",
        expect![[r#"
        2:15 `match 3 { 0 => 1, _ => panic!("no") }`: expected a constant that has a value, found one that panics: no
        help: make it one that does not"#]],
    );
    body(
        "let v = [0; n];",
        expect![[r#"
        2:13 `n`: expected a constant, found the variable `n`
        help: declare `const NAME: T = …;` and use that"#]],
    );
    body(
        "const N: usize = 0; let v = [1.0; N];",
        expect![[r#"
        2:35 `N`: expected at least 1 element, found 0
        help: write a length of 1 or more"#]],
    );
}

#[test]
fn what_is_returned_by_a_composition_of_unknown_types() {
    body(
        "fn hold<A>(f: impl Fn(A) -> f32) -> impl Fn(A) -> f32 { move |v| f(v) } let g = hold(|_| 1.0); y[0] = 2.0;",
        expect![[r#"
            2:81 `hold(|_| 1.0)`: expected known types in what is called here, found nothing that decides them
            help: write those of the closures' parameters: `|value: f32| …`"#]],
    );
    body(
        "fn hold<A>(f: impl Fn(A) -> f32) -> impl Fn(A) -> f32 { move |v| f(v) } fn drop_it<T>(_v: T) {} drop_it(hold(|_| 1.0));",
        expect![[r#"
            2:105 `hold(|_| 1.0)`: expected known types in what is called here, found nothing that decides them
            help: write those of the closures' parameters: `|value: f32| …`"#]],
    );
}

#[test]
fn sums_of_types_without_one_in_options() {
    body(
        "#[derive(Clone, Copy)] struct P(f32); let s: Option<P> = [Some(P(1.0)), None].into_iter().sum(); y[0] = s.map_or(0.0, |p| p.0);",
        expect![[r#"
            2:91 `sum`: expected a number for `sum`, found `P`
            help: pick a field"#]],
    );
    body(
        "#[derive(Clone, Copy)] struct P(f32); let s: Option<P> = [Some(P(1.0)), None].into_iter().collect(); y[0] = s.map_or(0.0, |p| p.0);",
        expect![[r#"
            2:91 `collect`: expected a type that can be collected, found `P`
            help: write `impl FromIterator<…> for P`"#]],
    );
}
