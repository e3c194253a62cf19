//! Mistakes of those who come from CUDA C++, or know Rust and no GPU: one error each, with what to write instead.

use super::{check_body_error, check_error};
use expect_test::{Expect, expect};

#[track_caller]
fn body(body: &str, expected: Expect) {
    check_body_error(body, expected);
}

#[test]
fn from_cuda() {
    body(
        "let i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i];",
        expect![[r#"
            2:9 `blockIdx`: expected a variable or a constant, found the unknown name `blockIdx`
            help: write `block_idx()`, with its axis: `block_idx().x`
            2:22 `blockDim`: expected a variable or a constant, found the unknown name `blockDim`
            help: write `block_dim()`, with its axis: `block_dim().x`
            2:35 `threadIdx`: expected a variable or a constant, found the unknown name `threadIdx`
            help: write `thread_idx()`, with its axis: `thread_idx().x`"#]],
    );
    body(
        "let i = block_idx().x * blockDim.x + thread_idx().x; y[i] = x[i];",
        expect![[r#"
            2:25 `blockDim`: expected a variable or a constant, found the unknown name `blockDim`
            help: write `block_dim()`, with its axis: `block_dim().x`"#]],
    );
    body(
        "__syncthreads(); y[0] = x[0];",
        expect![[r#"
        2:1 `__syncthreads`: expected a function, found the unknown name `__syncthreads`
        help: write `barrier()`"#]],
    );
    body(
        "let i = global_idx().x; atomicAdd(&mut y[0], x[i]);",
        expect![[r#"
        2:25 `atomicAdd`: expected a function, found the unknown name `atomicAdd`
        help: take a `&[AtomicU32]` and write `x[i].fetch_add(value, Ordering::Relaxed)`"#]],
    );
    body(
        "let i = global_idx().x; y[i] = sqrtf(x[i]);",
        expect![[r#"
        2:32 `sqrtf`: expected a function, found the unknown name `sqrtf`
        help: write `x.sqrt()`"#]],
    );
    body(
        "let i = global_idx().x; y[i] = __ldg(&x[i]);",
        expect![[r#"
        2:32 `__ldg`: expected a function, found the unknown name `__ldg`
        help: index a `&[T]`: what is read through it is read by `ld.global.nc` as it is"#]],
    );
    body(
        "let i = global_idx().x; let v = x[i]; let w = __shfl_down_sync(0xffffffff, v, 16); y[i] = v + w;",
        expect![[r#"
            2:47 `__shfl_down_sync`: expected a function, found the unknown name `__shfl_down_sync`
            help: write `warp::shfl_down(value, delta)`, or `warp::shfl_down_sync` with the mask"#]],
    );
    body(
        "let i = thread_idx.x; y[i] = x[i];",
        expect![[r#"
        2:9 `thread_idx`: expected a variable or a constant, found the unknown name `thread_idx`
        help: call it: `thread_idx()`"#]],
    );
    body(
        "if thread_idx() == 0 { y[0] = 1.0; }",
        expect![[r#"
        2:4 `thread_idx()`: expected a scalar for `==`, found `Dim3`
        help: pick an axis: `.x`, `.y` or `.z`"#]],
    );
    body(
        "let i = global_idx().x as i32; y[i] = x[i];",
        expect![[r#"
            2:34 `i`: expected `usize`, found `i32`
            help: convert with `as usize`"#]],
    );
    body(
        "let i: i32 = global_idx().x; y[i as usize] = 1.0;",
        expect![[r#"
        2:14 `global_idx().x`: expected `i32`, found `usize`
        help: convert with `as i32`"#]],
    );
    body(
        "let i = global_idx().x; y[i] = x[i] * 2;",
        expect![[r#"
        2:39 `2`: expected `f32`, found an integer
        help: write `2.0`"#]],
    );
    body(
        "let v: float4 = F32x4::splat(0.0); y[0] = v.x;",
        expect![[r#"
        2:8 `float4`: expected a type, found `float4`
        help: use `F32x4`"#]],
    );
    body(
        "let i = global_idx().x; y[i] = max(x[i], 0.0);",
        expect![[r#"
        2:32 `max`: expected a function, found the unknown name `max`
        help: write `value.max(…)`"#]],
    );
    body(
        "let i = global_idx().x; y[i] = fmaxf(x[i], 0.0);",
        expect![[r#"
        2:32 `fmaxf`: expected a function, found the unknown name `fmaxf`
        help: write `a.max(b)`"#]],
    );
    body(
        "printf(\"%f\", x[0]);",
        expect![[r#"
            2:1 `printf`: expected a function, found the unknown name `printf`
            help: write `println!("{}", value)`"#]],
    );
    body(
        "y[0] = sizeof(f32) as f32;",
        expect![[r#"
            2:8 `sizeof`: expected a function, found the unknown name `sizeof`
            help: write `size_of::<f32>()`
            2:15 `f32`: expected a variable or a constant, found the unknown name `f32`
            help: declare it with `let`, or pass it as a parameter"#]],
    );
    body(
        "let i = global_idx().x; y[i] = pow(x[i], 2.0);",
        expect![[r#"
            2:32 `pow`: expected a function, found the unknown name `pow`
            help: write `x.powf(y)`; with an integer exponent `x.powi(k)`, of integers `i.pow(j)`"#]],
    );
    body(
        "let mut tile = shared::<f32, 256>(); tile[0] = x[0]; y[0] = tile[0];",
        expect![[r#"
        2:24 `<f32, 256>`: expected the type of the shared array
        help: write `shared::<[f32; 256]>()`"#]],
    );
    body(
        "let n = block_dim().x; let mut tile = [0.0f32; n]; tile[0] = x[0]; y[0] = tile[0];",
        expect![[r#"
        2:48 `n`: expected a constant, found the variable `n`
        help: declare `const NAME: T = …;` and use that"#]],
    );
    body(
        "block::sync(); y[0] = x[0];",
        expect![[r#"
            2:1 `block::sync`: expected a function, found the unknown name `block::sync`
            help: write `barrier()`"#]],
    );
    body(
        "let i = global_idx().x; y[i] = warp::reduce_sum(x[i]);",
        expect![[r#"
        2:32 `warp::reduce_sum`: expected a function, found the unknown name `warp::reduce_sum`
        help: did you mean `warp::reduce_add(…)`?"#]],
    );
    body(
        "return 0;",
        expect![[r#"
            2:8 `0`: expected `return` without a value, found an integer
            help: write `return`; results go to a `&mut [T]` parameter"#]],
    );
}

#[test]
fn from_rust() {
    body(
        "let i = global_idx().x; x[i] = 1.0;",
        expect![[r#"
        2:25 `x[i]`: expected a slice that can be written, found `x: &[f32]`
        help: declare it `x: &mut [f32]`"#]],
    );
    body(
        "let v: Vec<f32> = vec![0.0; 4]; y[0] = v[0];",
        expect![[r#"
        2:19 `vec![0.0; 4]`: `vec!` is not supported in kernels
        help: there is no heap on the GPU: use an array, or `shared::<[T; N]>()`"#]],
    );
    body(
        "let v: Vec<f32> = x.iter().map(|v| v * 2.0).collect(); y[0] = v[0];",
        expect![[r#"
        2:8 `Vec<f32>`: expected a type, found `Vec`
        help: pass a slice, or use an array or `shared::<[T; N]>()`"#]],
    );
    body(
        "let v = Box::new(x[0]); y[0] = *v;",
        expect![[r#"
            2:9 `Box::new`: expected a type, found `Box`
            help: there is no heap on the GPU: use the value itself, or an index into an array of them"#]],
    );
    body(
        "let total: f32 = x.iter().sum; y[0] = total;",
        expect![[r#"
            2:27 `sum`: expected a struct, a tuple or a `Dim3` before `.sum`, found an iterator
            help: call the method: `.sum()`"#]],
    );
    body(
        "y[0] = *x.iter().max().unwrap();",
        expect![[r#"
            2:18 `max`: expected an iterator of integers before `.max()`, found one of `&f32`
            help: write `.max_by(|a, b| a.total_cmp(b))`"#]],
    );
    body(
        "y[0] = x.par_iter().sum();",
        expect![[r#"
            2:10 `par_iter`: expected a method of `&[f32]`, found `par_iter`
            help: each thread runs the whole kernel: take the element of this one, `x[global_idx().x]`, or all by `iter`"#]],
    );
    body(
        "let i = global_idx().x; let a = x[i..i + 4]; y[i] = a[0];",
        expect![[r#"
        2:29 `a`: expected a pattern for elements, found the name `a` for the slice itself, whose length is not known
        help: take a reference: `&x[a..b]` instead of `x[a..b]`, `x` instead of `*x`"#]],
    );
    body(
        "let i = global_idx().x; y[i] = x.get(i);",
        expect![[r#"
            2:32 `x.get(i)`: expected `f32`, found `Option<&f32>`
            help: take the value out of it: `*….unwrap()`, or `if let Some(&v) = …`"#]],
    );
    body(
        "let i = global_idx().x; y[i] = x.get(i).unwrap();",
        expect![[r#"
        2:32 `x.get(i).unwrap()`: expected `f32`, found `&f32`
        help: write `*` before it"#]],
    );
    body(
        "let a = &x[0..3] + &x[3..6]; y[0] = a[0];",
        expect![[r#"
        2:9 `&x[0..3]`: expected a number for `+`, found `&[f32]`
        help: pick an element: `[i]`"#]],
    );
    body(
        "let i = global_idx().x; y[i] = match i { 0 => 1.0, 1 => 2.0 };",
        expect![[r#"
        2:38 `i`: expected a `match` with an arm for every value, found none for `2..`
        help: add `2.. => …`, or `_ => …`"#]],
    );
    body(
        "let i = global_idx().x; if i = 0 { y[i] = 1.0; }",
        expect![[r#"
            2:28 `i = 0`: expected `bool`, found `()`
            help: compare with `==`"#]],
    );
    body(
        "fn fact(n: u32) -> u32 { if n == 0 { 1 } else { n * fact(n - 1) } } y[0] = fact(5) as f32;",
        expect![[r#"
            2:53 `fact(n - 1)`: expected a function that does not call itself, found a call that leads back to `fact`
            help: recursion is not possible on the GPU: write a loop"#]],
    );
    body("let f: fn(f32) -> f32 = f32::sqrt; y[0] = f(x[0]);", expect!["accepted"]);
    body(
        "let f: Box<dyn Fn(f32) -> f32> = Box::new(|v| v * 2.0); y[0] = f(x[0]);",
        expect![[r#"
        2:12 `dyn Fn(f32) -> f32`: expected a type, found `dyn Fn(f32) -> f32`
        help: there are no trait objects on the GPU: leave the type of a variable out, `let f = |x| …;`, and take a parameter as `impl Fn(f32) -> f32`"#]],
    );
    body(
        "y.push(1.0);",
        expect![[r#"
            2:3 `push`: expected a method of `&mut [f32]`, found `push`
            help: a slice keeps its length: write to an element, `x[i] = value`"#]],
    );
    body("let c = 'a'; y[0] = c as u32 as f32;", expect!["accepted"]);
    body(
        "let a = AtomicU32::new(0); a.fetch_add(1, Ordering::Relaxed); y[0] = a.load(Ordering::Relaxed) as f32;",
        expect![[r#"
            2:9 `AtomicU32::new(0)`: expected a function of `AtomicU32`, found the unknown name `new`
            help: take a `&[AtomicU32]`, or write `shared::<[AtomicU32; 1]>()` for one of the block"#]],
    );
    body("use std::collections::HashMap; y[0] = 1.0;", expect!["accepted"]);
    body(
        "const N: usize = x.len(); y[0] = N as f32;",
        expect![[r#"
        2:18 `x`: expected a variable or a constant, found the unknown name `x`
        help: declare it with `let`, or pass it as a parameter"#]],
    );
    body(
        "for v in x { *v += 1.0; }",
        expect![[r#"
        2:14 `*v`: expected a place that can be written, found one behind `v: &f32`
        help: take it by `&mut`"#]],
    );
    body(
        "y[0] = \"1.5\".parse().unwrap();",
        expect![[r#"
            2:8 `"1.5"`: strings are not supported in kernels
            help: write an `enum` for an error or a name, and `b"…"` for bytes, or pass them as a `&[u8]` parameter"#]],
    );
    body(
        "let v = x.to_vec(); y[0] = v[0];",
        expect![[r#"
            2:11 `to_vec`: expected a method of `&[f32]`, found `to_vec`
            help: there is no heap on the GPU: use the slice itself, or an array"#]],
    );
    body("let mut a = [x[0], x[1], x[2]]; a.sort(); y[0] = a[1];", expect!["accepted"]);
    body(
        "#[derive(Clone, Copy)] struct S { a: f32 } let a = [S { a: 1.0 }; 2]; y[0] = (a[..1] == a[1..]) as u32 as f32;",
        expect![[r#"
            2:79 `a[..1]`: expected a type that has `==`, found `S`
            help: write `#[derive(PartialEq)]` above it"#]],
    );
    body(
        "let a: [u32; 4] = x[..4].try_into().unwrap(); let b = x[..4].try_into().unwrap(); y[0] = b;",
        expect![[r#"
            2:19 `x[..4].try_into()`: expected `[u32; 4]`, found `[f32; _]`
            help: make both of the same length and element
            2:55 `x[..4].try_into()`: expected an array to make of a slice, found `f32`
            help: write its type: `let value: [u8; 4] = x[a..b].try_into().unwrap();`"#]],
    );
    body("let a = <[f32; 4]>::try_from(&x[..4]).unwrap(); y[0] = a[1];", expect!["accepted"]);
    body(
        "let a = warp::shfl_down(16, x[0]); y[0] = a;",
        expect![[r#"
        2:29 `x[0]`: expected `u32`, found `f32`
        help: convert with `as u32`"#]],
    );
    body(
        "#[cfg(__CUDA_ARCH__ >= 800)] { y[0] = 1.0; }",
        expect![[r#"
        2:7 `__CUDA_ARCH__ >= 800`: expected a predicate in `#[cfg(…)]`, found `__CUDA_ARCH__>= 800`
        help: write `feature = "name"`; the GPU's architecture is asked by `if target::at_least(80) { … }`"#]],
    );
    body(
        "y[0] = square!(x[0]);",
        expect![[r#"
        2:8 `square!(x[0])`: `square!` is not supported in kernels
        help: write what it expands to; if it is yours, move `macro_rules! square` into the body, or both into a `#[kernel_module]`"#]],
    );
    body(
        "let a = <[f32; 4]>::try_from(7u32).unwrap(); y[0] = a[1];",
        expect![[r#"
        2:30 `7u32`: expected a slice for `<[f32; 4]>::try_from`, found `u32`
        help: give it a part: `<[f32; 4]>::try_from(&x[a..b])`"#]],
    );
    body(
        "let a = <[u32; 4]>::try_from(&x[..4]).unwrap(); y[0] = a[1];",
        expect![[r#"
        2:9 `<[u32; 4]>::try_from(&x[..4])`: expected `[u32; 4]`, found `[f32; _]`
        help: make both of the same length and element
        2:56 `a[1]`: expected `f32`, found `u32`
        help: convert with `as f32`"#]],
    );
    body(
        "let a: &mut [f32; 4] = x[..4].try_into().unwrap(); y[0] = a[0];",
        expect![[r#"
        2:24 `x[..4]`: expected a slice that can be written, found `&[f32]`
        help: declare `x` with `&mut`"#]],
    );
    body(
        "y.copy_within(..2);",
        expect![[r#"
        2:1 `y.copy_within(..2)`: expected 2 arguments to `copy_within`, found 1
        help: add what is missing"#]],
    );
    body(
        "let a = [Some(core::cmp::Reverse(1)), None]; y[0] = (a[0] < a[1]) as u32 as f32;",
        expect!["accepted"],
    );
    body(
        "let mut last = None; for k in 0..3 { let f = move |v: f32| v + k as f32; last = Some(f); } if let Some(g) = last { y[0] = g(1.0); }",
        expect![[r#"
            2:74 `last`: expected a value that can be assigned, found a closure that captures by `move`: two values of one closure would share what it captured
            help: keep what it captures in variables, and write the closure where it is called"#]],
    );
}

#[test]
fn sources_of_iterators() {
    body("y[0] = core::iter::repeat(2.0f32).take(3).sum::<f32>();", expect!["accepted"]);
    body(
        "for v in core::iter::once(x[0]).chain(core::iter::repeat_n(x[1], 3)) { y[0] += v; }",
        expect!["accepted"],
    );
    body(
        "y[0] = core::iter::successors(Some(1.0f32), |v| (*v < 9.0).then_some(v * 2.0)).last().unwrap_or(0.0);",
        expect!["accepted"],
    );
    body(
        "let mut n = 0; y[0] = core::iter::from_fn(|| { n += 1; (n < 4).then_some(n as f32) }).sum();",
        expect!["accepted"],
    );
    body("y[0] = core::iter::repeat_with(|| 2.0f32).take(3).sum::<f32>();", expect!["accepted"]);
}

#[test]
fn lesser_and_greater() {
    body(
        "use core::cmp::{max, min}; y[0] = max(min(n, 7), 2) as f32;
        y[1] = core::cmp::min_by_key(3i32, -2, |v| v.abs()) as f32;
        y[2] = core::cmp::max_by(x[0], x[1], |a, b| a.total_cmp(b));
        y[3] = (0..n).fold(0, max) as f32;",
        expect!["accepted"],
    );
    body(
        "y[0] = core::cmp::minmax(x[0], x[1])[0];",
        expect![[r#"
            2:8 `core::cmp::minmax`: expected a function, found the unknown name `core::cmp::minmax`
            help: kernels see of the standard library only what the language lists: do it on the host, and pass the result"#]],
    );
}

#[test]
fn constructors_and_conversions_handed_over() {
    body(
        "struct Metres(f32); struct Pair(u32, u32); enum Found { At(usize), Nothing }
        let m = Some(x[0]).map(Metres).map_or(0.0, |m| m.0);
        let found = (0..n).find(|i| x[*i] > 1.0).map_or(Found::Nothing, Found::At);
        let pair = (0..3u32).zip(4..7u32).map(|(a, b)| Pair(a, b)).fold(0, |s, p| s + p.0 * p.1);
        let wide: u64 = [1u8, 2, 3].iter().copied().map(u64::from).sum();
        let either: Option<Result<f32, u8>> = Some(x[1]).map(Ok);
        let all = x.iter().copied().map(Some).map(|v| v.unwrap_or(0.0)).sum::<f32>();
        let half: f64 = Some(2u8).map(Into::into).unwrap_or(0.5);
        if let Found::At(i) = found { y[i] = m + wide as f32 + pair as f32 + all + half as f32; }
        if let Some(Ok(v)) = either { y[1] = v; }",
        expect!["accepted"],
    );
    body(
        "struct Pair(u32, u32); y[0] = Some(3u32).map(Pair).map_or(0, |p| p.0) as f32;",
        expect![[r#"
            2:46 `Pair`: expected a closure that takes 1 argument, found one that takes 2
            help: write it with 1 parameter"#]],
    );
}

#[test]
fn lengths_of_arrays_that_inference_decides() {
    body(
        "trait Scale { type Part: Copy; const ONE: Self::Part; fn next<P: Copy, const A: usize>(a: [P; A], b: Self::Part) -> [P; A]; }
        struct Plain;
        impl Scale for Plain { type Part = u16; const ONE: u16 = 1; fn next<P: Copy, const A: usize>(mut a: [P; A], b: u16) -> [P; A] { a[0] = a[b as usize]; a } }
        struct Sums<S: Scale, const M: usize, const N: usize> { parts: [S::Part; M * N / 2], some: [S::Part; { N }] }
        impl<S: Scale, const M: usize, const N: usize> Sums<S, M, N> { fn new() -> Self { Sums { parts: [S::ONE; M * N / 2], some: [S::ONE; { N }] } } }
        fn step<S: Scale, const M: usize, const N: usize>(mut sum: Sums<S, M, N>) -> Sums<S, M, { N }> { sum.parts = S::next(sum.parts, S::ONE); sum.some = S::next(sum.some, S::ONE); sum }
        let mut sum = Sums::new();
        sum = step::<Plain, 4, 2>(sum);
        sum.parts = Plain::next(sum.parts, 1);
        sum.some = Plain::next(sum.some, 1);
        y[0] = sum.parts[3] as f32;",
        expect!["accepted"],
    );
}

#[test]
fn options_of_references_are_flattened() {
    body(
        "let slots = [Some(x[0]), None]; y[0] = slots.iter().flatten().sum();
        struct Top<T, const K: usize> { items: [Option<T>; K] }
        impl<T: Copy, const K: usize> Top<T, K> { fn iter(&self) -> impl Iterator<Item = &T> { self.items.iter().flatten() } }
        for v in (Top { items: slots }).iter() { y[1] += *v; }",
        expect!["accepted"],
    );
    body(
        "let mut slots = [Some(x[0]), None]; for v in slots.iter_mut().flatten() { *v += 1.0; }
        for v in (&mut slots[0]).into_iter() { *v += 1.0; } y[0] = slots[0].unwrap();",
        expect!["accepted"],
    );
    body(
        "let slots = [Some(x[0]), None]; for v in slots.iter().flatten() { *v += 1.0; }",
        expect![[r#"
            2:67 `*v`: expected a place that can be written, found one behind `v: &f32`
            help: take it by `&mut`"#]],
    );
}

#[test]
fn folds_that_may_fail() {
    body(
        "let sum: Result<f32, usize> = x.iter().enumerate().try_fold(0.0, |s, (i, v)| if *v < 0.0 { Err(i) } else { Ok(s + v) });
        y[0] = sum.unwrap_or(-1.0);
        y[1] = x.iter().filter(|v| **v > 0.0).skip(1).try_fold(0.0, |s, v| if *v > 9.0 { None } else { Some(s + v) }).unwrap_or(2.0);",
        expect!["accepted"],
    );
    body(
        "y[0] = x.iter().try_fold(0.0, |s, v| s + v).unwrap_or(0.0);",
        expect![[r#"
            2:31 `|s, v| s + v`: expected a closure that gives an `Option` or a `Result` of `f32`, found one that gives `f32`
            help: write `Some(value)` or `Ok(value)`, or `.fold(…)` if it never ends early"#]],
    );
    body(
        "y[0] = x.iter().filter(|v| **v > 0.0).skip(1).try_fold(0.0, |s, v| s + v).unwrap_or(0.0);",
        expect![[r#"
            2:61 `|s, v| s + v`: expected a closure that gives an `Option` or a `Result` of `f32`, found one that gives `f32`
            help: write `Some(value)` or `Ok(value)`, or `.fold(…)` if it never ends early"#]],
    );
    body(
        "y[0] = x.iter().try_fold(0.0, |s, v| Ok::<u32, u32>(3)).unwrap_or(0) as f32;",
        expect![[r#"
            2:31 `|s, v| Ok::<u32, u32>(3)`: expected a closure that gives an `Option` or a `Result` of a float, found one that gives `Result<u32, u32>`
            help: write `Some(value)` or `Ok(value)`, or `.fold(…)` if it never ends early"#]],
    );
}

#[test]
fn conversions_by_a_bound() {
    // Without the bound the literal would make it an `i32`, which `u32` does not fit.
    body(
        "fn high<T: Copy + Into<u64>>(v: T) -> usize { ((v.into() << 40) >> 39) as usize }
        struct Scaled<T> { v: T }
        impl<T: Copy> Scaled<T> where T: Into<f64> { fn half(&self) -> f64 { let w = self.v.into(); w / 2.0 } }
        y[high(3u32) + high(7u16)] = (Scaled { v: 3u8 }).half() as f32;",
        expect!["accepted"],
    );
    body(
        "fn high<T: Copy + Into<u32> + Into<u64>>(v: T) -> usize { (v.into() << 40) as usize } y[high(3u32)] = 1.0;",
        expect![[r#"
            2:60 `v.into()`: expected a known type to convert to, found nothing that decides it
            help: write `let value: f64 = x.into();`, or `f64::from(x)`"#]],
    );
}

#[test]
fn conversions_by_a_bound_of_an_associated_type() {
    // The bound says `u64`, and the literal alone would say `i32`.
    body(
        "trait Stream { type Item; fn at(&self) -> Self::Item; } struct S; impl Stream for S { type Item = u16; fn at(&self) -> u16 { 7 } }
        fn scaled<T: Stream>(s: T) -> u32 where T::Item: Into<u64> { ((s.at().into() * 3_000_000_000) >> 30) as u32 } y[scaled(S) as usize] = 1.0;",
        expect!["accepted"],
    );
    body(
        "trait Stream { type Item; fn at(&self) -> Self::Item; } struct S; impl Stream for S { type Item = u16; fn at(&self) -> u16 { 7 } }
        fn scaled<T: Stream>(s: T) -> u32 where T::Item: Into<u64> { let wide: u64 = s.at().into(); ((wide * 3_000_000_000) >> 30) as u32 } y[scaled(S) as usize] = 1.0;",
        expect!["accepted"],
    );
}

#[test]
fn conversions_that_may_fail() {
    body(
        "let n: u32 = 7; let a: u8 = n.try_into().unwrap(); let b = i8::try_from(a).ok(); y[0] = a as f32 + b.map_or(0.0, |b| b as f32);",
        expect!["accepted"],
    );
    body(
        "let n: u32 = 7; let a: f32 = n.try_into().unwrap(); y[0] = a;",
        expect![[r#"
        2:30 `n.try_into()`: expected an integer to make of an integer, found `f32`
        help: convert with `as f32`"#]],
    );
    body(
        "let a = u8::try_from(x[0]).unwrap(); y[0] = a as f32;",
        expect![[r#"
        2:22 `x[0]`: expected an integer for `u8::try_from`, found `f32`
        help: convert with `as u8`"#]],
    );
    body(
        "let n: u32 = 7; let a = n.try_into().unwrap(); y[0] = 1.0;",
        expect![[r#"
        2:25 `n.try_into()`: expected an integer to make of an integer, found a value
        help: write its type: `let value: u32 = x.try_into().unwrap();`"#]],
    );
    body(
        "struct P(u8); impl TryFrom<u32> for P { type Error = (); fn try_from(v: u32) -> Result<P, ()> { Ok(P(v as u8)) } }
        let p: P = 7u32.try_into().unwrap(); y[0] = p.0 as f32;",
        expect!["accepted"],
    );
    body(
        "struct P(u8); let p: P = 7u32.try_into().unwrap(); y[0] = p.0 as f32;",
        expect![[r#"
            2:26 `7u32.try_into()`: expected an integer to make of an integer, found `P`
            help: write `impl TryFrom<u32> for P`"#]],
    );
}

#[test]
fn operands_of_the_other_sign() {
    body(
        "let by: i8 = -1; let at = n.checked_add_signed(by.into()).unwrap_or(1); y[0] = x[at];",
        expect!["accepted"],
    );
    body(
        "let by = 1u64; let at = n.checked_add_signed(by).unwrap_or(1); y[0] = x[at];",
        expect![[r#"
        2:46 `by`: expected `isize`, found `u64`
        help: convert with `as isize`"#]],
    );
}

#[test]
fn constants_by_references_that_change() {
    let random = "const fn next(state: &mut u32) -> u32 { *state = *state * 3 + 1; *state >> 4 }";
    body(
        &format!(
            "{random} const V: u32 = {{ let mut s = 7; next(&mut s); next(&mut s) }}; y[V as usize] = 1.0;"
        ),
        expect!["accepted"],
    );
    body(
        &format!(
            "{random} const V: u32 = {{ let mut s = 7; let r = &mut s; *r += 1; next(r) }}; y[V as usize] = 1.0;"
        ),
        expect![[r#"
            2:95 `{ let mut s = 7; let r = &mut s; *r += 1; next(r) }`: expected a constant expression, found one that is not supported in constants yet
            help: use literals, constants, operators, `as`, `if`, loops, and functions of these"#]],
    );
    body(
        "const fn same(state: &mut u32) -> &mut u32 { state } const V: u32 = { let mut s = 7; *same(&mut s) = 4; s }; y[V as usize] = 1.0;",
        expect![[r#"
            2:69 `{ let mut s = 7; *same(&mut s) = 4; s }`: expected a constant expression, found one that is not supported in constants yet
            help: use literals, constants, operators, `as`, `if`, loops, and functions of these"#]],
    );
    body(
        "const V: u32 = { let mut s = Some(3); match &mut s { Some(v) => *v = 5, None => {} } match s { Some(v) => v, None => 0 } }; y[V as usize] = 1.0;",
        expect![[r#"
            2:16 `{ let mut s = Some(3); match &mut s { Some(v) => *v = 5, None => {} } match s { Some(v) => v, None => 0 } }`: expected a constant expression, found one that is not supported in constants yet
            help: use literals, constants, operators, `as`, `if`, loops, and functions of these"#]],
    );
}

#[test]
fn values_without_a_first_value() {
    let used = "use core::mem::MaybeUninit;";
    body(
        &format!(
            "{used} let mut v = MaybeUninit::<f32>::uninit(); v.write(a); y[0] = unsafe {{ v.assume_init() }};"
        ),
        expect!["accepted"],
    );
    body(
        &format!("{used} let mut v = MaybeUninit::<f32>::uninit(); v.write(a); y[0] = v.assume_init();"),
        expect![[r#"
            2:90 `v.assume_init()`: expected an `unsafe` block around the call of `assume_init`, found none: `assume_init` is an `unsafe fn`
            help: write `unsafe { … }` around it, and keep what its `# Safety` asks for"#]],
    );
    body(
        &format!("{used} let v: MaybeUninit<f32> = MaybeUninit {{}}; y[0] = 1.0;"),
        expect![[r#"
        2:55 `MaybeUninit {}`: expected every field of `MaybeUninit`, found none for `value`
        help: add it, or `..base`"#]],
    );
    body(
        &format!("{used} let v = MaybeUninit::<f32>::uninit(); y[0] = v;"),
        expect![[r#"
        2:74 `v`: expected `f32`, found `MaybeUninit<f32>`
        help: pick a field"#]],
    );
}

#[test]
fn indices_by_values() {
    body(
        "fn part(n: u32) -> core::ops::Range<u32> { 0..n } y[0] = x[part(3)].iter().sum();",
        expect![[r#"
            2:60 `part(3)`: expected `usize` or `Range<usize>`, found `Range<u32>`
            help: make its ends `usize`"#]],
    );
    body(
        "fn part(n: usize) -> core::ops::Range<usize> { 0..n } let v = F32x4::splat(1.0); y[0] = v[part(3)];",
        expect![[r#"
            2:91 `part(3)`: expected `usize`, found `Range<usize>`
            help: pick a field"#]],
    );
}

#[test]
fn methods_of_own_traits_that_scalars_have() {
    let abs = "trait Size { fn abs(self) -> Self; } impl Size for f32 { fn abs(self) -> f32 { self * 2.0 } }";
    body(&format!("{abs} y[0] = x[0].abs();"), expect!["accepted"]);
    body(
        &format!("{abs} fn f<T: Size>(v: T) -> T {{ v.abs() }} y[0] = f(x[0]);"),
        expect![[r#"
        2:122 `v.abs()`: expected one `abs` of `f32`, found that of `Size` and that of a method or constant of the language
        help: give the one of `Size` another name"#]],
    );
    body(
        "trait Order { fn total_cmp(self, o: f32) -> f32; } impl Order for f32 { fn total_cmp(self, o: f32) -> f32 { o } } y[0] = x[0].total_cmp(1.0);",
        expect![[r#"
            2:122 `x[0].total_cmp(1.0)`: expected one `total_cmp` of `f32`, found that of `Order` and that of a method or constant of the language
            help: give the one of `Order` another name"#]],
    );
}

#[test]
fn constants_of_own_traits_that_numbers_have() {
    let field = "trait Field: Copy { const ONE: Self; fn one(self) -> Self { Self::ONE } } impl Field for f32 { const ONE: f32 = 2.0; }";
    body(&format!("{field} y[0] = x[0].one() + f32::ONE;"), expect!["accepted"]);
    let least = "trait Least: Copy { const MIN: Self; fn least(self) -> Self { Self::MIN } } impl Least for f32 { const MIN: f32 = 2.0; }";
    body(&format!("{least} y[0] = x[0].least();"), expect!["accepted"]);
    // In an `impl` it is the number's own, as of any type that is known.
    let least = "trait Least: Copy { const MIN: Self; fn least(self) -> Self; } impl Least for f32 { const MIN: f32 = 2.0; fn least(self) -> f32 { Self::MIN } }";
    body(&format!("{least} y[0] = x[0].least();"), expect!["accepted"]);
    body(
        "trait Field: Copy { const ZERO: Self; const ONE: Self; fn of(v: f32) -> Self; }
        impl Field for f32 { const ZERO: f32 = 0.5; const ONE: f32 = Self::ZERO + 2.0; fn of(v: f32) -> f32 { v * f32::ONE } }
        impl Field for i32 { const ZERO: i32 = 0; const ONE: i32 = 1; fn of(v: f32) -> i32 { Self::ZERO + v as i32 } }
        fn sum<T: Number>(v: [T; 2]) -> T { let mut s = T::ZERO; for v in v { s += v * T::ONE; } s }
        y[0] = f32::of(a) + i32::of(a) as f32 + <f32 as Field>::ZERO + sum([a, 1.0]);",
        expect!["accepted"],
    );
    body(
        "y[0] = f32::ZERO; let k = u64::ONE;",
        expect![[r#"
        2:8 `f32::ZERO`: expected a constant, found the unknown name `f32::ZERO`
        help: write `0.0_f32`
        2:27 `u64::ONE`: expected a constant, found the unknown name `u64::ONE`
        help: write `1_u64`"#]],
    );
    body(
        "trait Field { const ONE: Self; } impl Field for i32 { const ONE: i32 = 2; } y[0] = f32::ONE + i32::ONE as f32;",
        expect![[r#"
            2:84 `f32::ONE`: expected a constant of `f32`, found the unknown name `ONE`
            help: write `1.0_f32`"#]],
    );
    body("y[0] = f32::MANTISSA_DIGITS as f32 + f64::MIN_EXP as f32;", expect!["accepted"]);
    body(
        "y[0] = f32::MANTISSA_DIGIT as f32;",
        expect![[r#"
        2:8 `f32::MANTISSA_DIGIT`: expected a constant, found the unknown name `f32::MANTISSA_DIGIT`
        help: did you mean `f32::MANTISSA_DIGITS`?"#]],
    );
}

#[test]
fn patterns_of_axes_and_lanes() {
    body(
        "let Dim3 { x: t, .. } = thread_idx(); let F32x2 { x: a, y: b } = F32x2::splat(1.0); y[t] = a + b;",
        expect!["accepted"],
    );
    body(
        "let Dim3 { x: t, w, .. } = thread_idx();",
        expect![[r#"
        2:18 `w`: expected a field of `Dim3`, found `w`
        help: leave it out"#]],
    );
    body(
        "let F32x2 { x: a } = F32x2::splat(1.0);",
        expect![[r#"
        2:5 `F32x2 { x: a }`: expected every field of `F32x2`, found no pattern for `y`
        help: add it, or `..`"#]],
    );
}

#[test]
fn orders_of_their_own_in_tuples() {
    let down = "use core::cmp::Ordering; #[derive(Clone, Copy, PartialEq)] struct D(f32); impl PartialOrd for D { fn partial_cmp(&self, o: &D) -> Option<Ordering> { o.0.partial_cmp(&self.0) } } let (a, b) = (D(x[0]), D(x[1]));";
    body(
        &format!(
            "{down} y[0] = ((a, 1, 2, 3) < (b, 1, 2, 3) && [a, b] < [b, a] && Some((1, a)) > None) as u32 as f32;"
        ),
        expect!["accepted"],
    );
    body(
        &format!("{down} y[0] = ((a, 1, 2, 3, 4) < (b, 1, 2, 3, 4)) as u32 as f32;"),
        expect![[r#"
        2:220 `(a, 1, 2, 3, 4)`: expected a type that has `<`, found `D`
        help: compare it alone, or as a part of a tuple of up to four: there its `impl PartialOrd` is asked"#]],
    );
    body(
        "struct D(f32); impl PartialEq for D { fn eq(&self, o: &D) -> bool { o.0 == self.0 } } y[0] = ((D(1.0), 1) < (D(2.0), 2)) as u32 as f32;",
        expect![[r#"
            2:95 `(D(1.0), 1)`: expected a type that has `<`, found `D`
            help: write `#[derive(PartialEq, PartialOrd)]` above it"#]],
    );
}

#[test]
fn iterators_from_the_back() {
    body(
        "y[0] = x.iter().rfold(0.0, |a, b| a + b) + x.iter().rfind(|v| **v > 0.0).copied().unwrap_or(1.0);",
        expect!["accepted"],
    );
    body(
        "y[0] = x.iter().take_while(|v| **v > 0.0).rfold(0.0, |a, b| a + b);",
        expect![[r#"
        2:43 `rfold`: expected an iterator that also gives items from the back before `.rfold()`, found `TakeWhile<Iter<f32>, &f32, a closure>`
        help: write `.rfold()` at a range or a slice, before what drops items"#]],
    );
}

#[test]
fn functions_handed_over() {
    body(
        "fn twice(v: f32) -> f32 { 2.0 * v } fn apply(f: fn(f32) -> f32, v: f32) -> f32 { f(v) } y[0] = apply(twice, x[0]) + apply(|v| v + 1.0, 2.0);",
        expect!["accepted"],
    );
    body(
        "fn apply(f: fn(f32) -> f32, v: f32) -> f32 { f(v) } y[0] = apply(|v, w| v + w, 2.0);",
        expect![[r#"
            2:66 `|v, w| v + w`: expected a closure that takes 1 argument, found one that takes 2
            help: write it with 1 parameter"#]],
    );
    body("let f: fn(f32) -> f32 = |v| v; y[0] = f(1.0);", expect!["accepted"]);
    body(
        "use core::ops::{Add, Neg}; y[0] = x.iter().copied().map(Neg::neg).fold(0.0, Add::add) + x.iter().copied().reduce(core::ops::Mul::mul).unwrap_or(1.0);",
        expect!["accepted"],
    );
    body(
        "y[0] = x.iter().copied().fold(0.0, core::ops::Add::sub);",
        expect![[r#"
        2:36 `core::ops::Add::sub`: expected a constant, found the unknown name `core::ops::Add::sub`
        help: kernels see of the standard library only what the language lists: do it on the host, and pass the result"#]],
    );
}

#[test]
fn methods_of_traits_handed_over() {
    body(
        "trait Shape { fn area(&self) -> f32; fn scaled(self, by: f32) -> f32; }
        #[derive(Clone, Copy)] struct Square(f32);
        impl Shape for Square { fn area(&self) -> f32 { self.0 * self.0 } fn scaled(self, by: f32) -> f32 { self.0 * by } }
        fn apply(op: impl Fn(Square, f32) -> f32) -> f32 { op(Square(2.0), 3.0) }
        let all = [Square(a), Square(2.0)];
        y[0] = all.iter().map(Shape::area).sum::<f32>() + apply(Shape::scaled);",
        expect!["accepted"],
    );
    body(
        "trait Shape { fn area(&self) -> f32; fn unit() -> Self; } struct Square(f32);
        impl Shape for Square { fn area(&self) -> f32 { self.0 * self.0 } fn unit() -> Self { Square(1.0) } }
        let f = Shape::area; y[0] = Some(1.0).map_or_else(Shape::unit, Square).0;",
        expect![[r#"
            4:17 `Shape::area`: expected a value, found `area` of a trait
            help: write a closure: `|value| value.area()`
            4:59 `Shape::unit`: expected a value, found `unit` of a trait
            help: name the type whose it is: `T::unit`"#]],
    );
}

#[test]
fn methods_of_slices_by_their_paths() {
    body(
        "let longest = x.chunks(3).map(<[f32]>::len).max().unwrap_or(0); let first = <[f32]>::first(x); let [_, rest] = <[f32]>::as_chunks::<2>(x).0[0];
        y[0] = longest as f32 + *first.unwrap_or(&0.0) + <[f32]>::get(x, 1).copied().unwrap_or(rest);",
        expect!["accepted"],
    );
    body(
        "y[0] = x.chunks(3).map(<[f32]>::size).sum();",
        expect![[r#"
        2:33 `size`: expected a method of `&[f32]`, found `size`
        help: did you mean `len`?"#]],
    );
}

#[test]
fn operators_that_assign_by_their_names() {
    body(
        "use core::ops::{AddAssign, ShlAssign}; #[derive(Clone, Copy)] struct M(f32); impl AddAssign<f32> for M { fn add_assign(&mut self, o: f32) { self.0 += o; } }
        fn raise(v: &mut f32) { AddAssign::add_assign(v, 2.0); }
        let mut m = M(a); AddAssign::add_assign(&mut m, 1.0); let mut bits = u; ShlAssign::shl_assign(&mut bits, 3); core::ops::MulAssign::mul_assign(&mut m.0, 2.0);
        raise(&mut m.0); x.iter().for_each(|v| AddAssign::add_assign(&mut m, *v)); y[0] = m.0 + bits as f32;",
        expect!["accepted"],
    );
    body(
        "use core::ops::AddAssign; AddAssign::add_assign(a, 1.0);",
        expect![[r#"
        2:38 `add_assign`: expected a reference after `*`, found `f32`
        help: leave the `*` out, or write `x.powf(y)` for a power"#]],
    );
}

#[test]
fn a_struct_with_the_name_of_an_operator() {
    body(
        "#[derive(Clone, Copy)] struct Add { by: f32 } impl Add { fn add(v: f32) -> f32 { v + 1.0 } } y[0] = Some(a).map(Add::add).unwrap_or(Add { by: 2.0 }.by);",
        expect!["accepted"],
    );
    body(
        "struct Add { by: f32 } impl Add { fn add(v: f32) -> f32 { v + 1.0 } } y[0] = Some((a, a)).map(Add::add).unwrap_or(Add { by: 2.0 }.by);",
        expect![[r#"
            2:78 `Some((a, a)).map(Add::add)`: expected a closure that takes `(f32, f32)`, found one that takes `f32`
            help: leave the parameter's type out, or write `(f32, f32)`"#]],
    );
}

#[test]
fn imports_by_another_name() {
    body(
        "use core::iter::zip as pairs; y[0] = pairs(x, [1.0, 2.0]).map(|(a, b)| a * b).sum();",
        expect!["accepted"],
    );
    body(
        "use core::iter::zip as pairs; y[0] = pairs(x).count() as f32;",
        expect![[r#"
        2:38 `pairs(x)`: expected 2 arguments to `pairs`, found 1
        help: write `pairs(a, b)`"#]],
    );
}

#[test]
fn identity() {
    body(
        "use core::convert::identity; let all = [Some(a), None]; y[0] = all.into_iter().filter_map(identity).sum::<f32>() + core::convert::identity(a);
        fn run(f: impl Fn(f32) -> f32) -> f32 { f(1.0) } y[1] = run(std::convert::identity);",
        expect!["accepted"],
    );
    body(
        "y[0] = core::convert::identity(u);",
        expect![[r#"
        2:32 `u`: expected `f32`, found `u32`
        help: convert with `as f32`"#]],
    );
}

#[test]
fn methods_of_operators_beside_an_impl_for_numbers() {
    body(
        "use core::ops::{Add, Mul}; #[derive(Clone, Copy)] struct V(f32, f32);
        impl Mul for V { type Output = V; fn mul(self, o: V) -> V { V(self.0.mul(o.0), self.1.mul(&o.1)) } }
        impl Mul<f32> for V { type Output = V; fn mul(self, k: f32) -> V { self.mul(V(k, k)) } }
        impl Mul<V> for f32 { type Output = V; fn mul(self, v: V) -> V { v.mul(self) } }
        let v = 2.0_f32.mul(V(a, 1.0)); y[0] = v.0.mul(3.0) + a.mul(v).1.add(1.0);",
        expect!["accepted"],
    );
    body(
        "use core::ops::Mul; struct V(f32); impl Mul<V> for f32 { type Output = V; fn mul(self, v: V) -> V { v } } y[0] = a.mul(u);",
        expect![[r#"
            2:120 `u`: expected `f32`, found `u32`
            help: convert with `as f32`"#]],
    );
}

#[test]
fn sums_converted() {
    body(
        "let s = x.iter().sum(); let k: u32 = s; y[0] = k as f32;",
        expect![[r#"
        2:9 `x.iter().sum()`: expected `u32`, found `f32`
        help: write `.sum::<f32>() as u32`"#]],
    );
    body("let s = x.iter().sum::<f32>() as u32; let k: u32 = s; y[0] = k as f32;", expect!["accepted"]);
}

#[test]
fn conversions_of_operators() {
    body(
        "y[0] = n * 2; y[1] = (n + 1);",
        expect![[r#"
        2:8 `n * 2`: expected `f32`, found `usize`
        help: convert with `(…) as f32`
        2:22 `(n + 1)`: expected `f32`, found `usize`
        help: convert with `(…) as f32`"#]],
    );
    body("y[0] = (n * 2) as f32; y[1] = (n + 1) as f32;", expect!["accepted"]);
}

#[test]
fn kernels_that_take_functions() {
    check_error(
        "fn map<F>(f: F, y: &mut [f32]) where F: Fn(f32) -> f32 { y[0] = f(y[0]); }",
        expect![[r#"
            1:8 `F`: expected parameters that instances can name, found `F`, which is a function: a kernel takes none of the host's
            help: declare a trait with the function, bound `F` by it, and list the types that have it: `#[kernel(instances(F = […]))]`"#]],
    );
    check_error(
        "mod m { trait Op { fn apply(x: f32) -> f32; } struct Twice; impl Op for Twice { fn apply(x: f32) -> f32 { 2.0 * x } }
        #[kernel(instances(F = [Twice]))] fn map<F: Op>(y: &mut [f32]) { y[0] = F::apply(y[0]); } }",
        expect!["accepted"],
    );
}

#[test]
fn aliases_of_slices() {
    check_error(
        "mod m { type Counts = [AtomicU32]; #[kernel] fn k(c: &Counts) { c[0].store(1, Ordering::Relaxed); } }",
        expect![[r#"
        1:23 `[AtomicU32]`: expected a type whose size is known, found a slice
        help: make it a reference: `type Counts<'a> = &'a [AtomicU32];`"#]],
    );
    check_error(
        "mod m { type Counts<'a> = &'a [AtomicU32]; #[kernel] fn k(c: Counts<'_>) { c[0].store(1, Ordering::Relaxed); } }",
        expect!["accepted"],
    );
}

#[test]
fn functions_that_never_return() {
    body("fn fail() -> ! { panic!() } y[0] = fail();", expect!["accepted"]);
    body("y[0] = if p { a } else { panic!() };", expect!["accepted"]);
}

#[test]
fn fused_iterators() {
    body(
        "use core::iter::FusedIterator; struct Ones(u32);
        impl Iterator for Ones { type Item = f32; fn next(&mut self) -> Option<f32> { self.0 = self.0.checked_sub(1)?; Some(1.0) } }
        impl FusedIterator for Ones {} y[0] = Ones(u).sum();",
        expect!["accepted"],
    );
    body(
        "use core::iter::TrustedLen; struct Ones; impl TrustedLen for Ones {} y[0] = 1.0;",
        expect![[r#"
        2:47 `TrustedLen`: expected a trait of operators, `Default`, `Clone`, `PartialEq`, `PartialOrd`, `Ord`, `From`, `TryFrom`, or one that the kernel sees, found `TrustedLen`
        help: declare the trait beside the `impl`, or move the `impl` out of what the kernel sees"#]],
    );
}

#[test]
fn iterators_compared() {
    body(
        "use core::cmp::Ordering; let less = x.iter().rev().partial_cmp(y.iter()) == Some(Ordering::Less); let k = (0..4).eq([0, 1, 2, 3]) && less; y[0] = k as u32 as f32;",
        expect!["accepted"],
    );
    body("let k = x.iter().lt(y.iter()); y[0] = k as u32 as f32;", expect!["accepted"]);
}

#[test]
fn characters() {
    body(
        "let c = x[0] as u8 as char; if c.is_alphabetic() { y[0] = 1.0; }",
        expect![[r#"
            2:34 `is_alphabetic`: expected a method of `char`, found `is_alphabetic`
            help: write `is_ascii_alphabetic()`, which knows ASCII: the tables of Unicode are not there"#]],
    );
    body("y[0] = match x[0] as u8 as char { 'a' => 1.0, 'b' | 'c' => 2.0, _ => 0.0 };", expect!["accepted"]);
    body(
        "let c = n as char;",
        expect![[r#"
        2:9 `n`: expected a type that `as char` can convert, found `usize`
        help: only a byte is one: `x as u8 as char`, or `char::from_u32(x)`"#]],
    );
    body("let c = 'a'; println!(\"{c}\");", expect!["accepted"]);
    body(
        "let c = 'a' + 1;",
        expect![[r#"
            2:9 `'a'`: expected a type that has `+` with an integer, found `char`
            help: write `(c as u8 + 1) as char`, or `c as u32 + 1`"#]],
    );
    body(
        "match 'b' { 'z'..='a' => {}, _ => {} }",
        expect![[r#"
        2:13 `'z'..='a'`: expected a range that holds a value, found an empty one
        help: write the smaller bound first"#]],
    );
    check_error(
        "fn k(c: char, y: &mut [f32]) {}",
        expect![[r#"
        1:9 `char`: expected plain data as a kernel's parameter, found `char`
        help: take a `u32`, and make it one in the kernel: `char::from_u32(v)`"#]],
    );
}

#[test]
fn integers_of_128_bits() {
    body("let v = u128::MAX - 1; y[0] = (3 * v >> 64) as u64 as f32;", expect!["accepted"]);
    body("let v = 5u128; println!(\"{}\", v);", expect!["accepted"]);
    body("match 5u128 { 1..=5 => {}, _ => {} }", expect!["accepted"]);
    body(
        "match 5i128 { 5..=-1 => {}, _ => {} }",
        expect![[r#"
        2:15 `5..=-1`: expected a range that holds a value, found an empty one
        help: write the smaller bound first"#]],
    );
    body(
        "match 5u128 { 0..=9 => {}, 11.. => {} }",
        expect![[r#"
        2:7 `5u128`: expected a `match` with an arm for every value, found none for `10`
        help: add `10 => …`, or `_ => …`"#]],
    );
    // Names without a type of the language.
    body(
        "let v = b\"+-\"; if \"+-*\".contains('+') { y[0] = 1.0; }",
        expect![[r#"
        2:19 `"+-*"`: strings are not supported in kernels
        help: write `matches!(c, '+' | '-' | '*')`"#]],
    );
    body(
        "use core::cmp::Reverse; let less = |a: &u32, b: &u32| Reverse(a) < Reverse(b); if less(&u, &3) { y[0] = 1.0; }",
        expect!["accepted"],
    );
    body(
        "let add = |a: f32| move |b: f32| a + b; y[0] = add(1.0)(2.0);",
        expect![[r#"
        2:20 `move |b: f32| a + b`: expected a value, found a closure that would outlive what it captures
        help: take all parameters at once, `|a, b| …`, or write a function that returns it: `fn add(a: f32) -> impl Fn(f32) -> f32 { move |b| a + b }`"#]],
    );
    body("let v = 2.5f32 as u128;", expect!["accepted"]);
    body(
        "let v: i128 = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff;",
        expect![[r#"
        2:15 `0xffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff`: expected a number that fits `i128`, found a larger one
        help: use `i128::MAX`, or a smaller number"#]],
    );
    body("for k in 0..5u128 { y[0] += k as f32; }", expect!["accepted"]);
    body("let least = -1; for k in least..5i128 { y[0] += k as f32; }", expect!["accepted"]);
    body(
        "let v = 5u128 + n;",
        expect![[r#"
            2:17 `n`: expected a type that has `+` with `usize`, found `u128`
            help: convert with `as u128`"#]],
    );
    body("let v: u128 = [1u128, 2].iter().sum();", expect!["accepted"]);
    body(
        "let a = [0; 4]; let v = a[1u128];",
        expect![[r#"
            2:27 `1u128`: expected `usize`, found `u128`
            help: convert with `as u64`, after `>> 64` to the upper half"#]],
    );
}

#[test]
fn parameters_together() {
    check_error(
        "fn k(a: [f32; 600], b: [f64; 240], y: &mut [f32]) { y[0] = a[0] + b[0] as f32; }",
        expect!["accepted"],
    );
    check_error(
        "fn k(a: [f32; 600], b: [f64; 244], y: &mut [f32]) { y[0] = a[0] + b[0] as f32; }",
        expect![[r#"
            1:9 `[f32; 600]`: expected parameters of at most 4352 bytes together, found 4368, of which this one takes 2400
            help: take a slice, which takes 16 bytes"#]],
    );
    check_error(
        "fn k(a: [f32; 600], b: &[f64], y: &mut [f32]) { y[0] = a[0] + b[0] as f32; }",
        expect!["accepted"],
    );
}

#[test]
fn copied_closures_with_a_state() {
    const COUNT: &str = "let mut n = 0; let mut c = move || { n += 1; n };";
    let refused = |uses: &str, expected| body(&format!("{COUNT} {uses}"), expected);
    refused(
        "let mut d = c; y[0] = c() as f32; y[1] = d() as f32;",
        expect![[r#"
        2:63 `c`: expected a closure without a state, found a copy of `c`, which assigns to what it captured by `move`: the copy and `c` would share it
        help: write `&mut c` if they are to share it, else write the closure once more"#]],
    );
    refused(
        "fn one(mut f: impl FnMut() -> i32) -> i32 { f() } y[0] = (one(c) + one(c)) as f32;",
        expect![[r#"
            2:113 `c`: expected a closure without a state, found a copy of `c`, which assigns to what it captured by `move`: the copy and `c` would share it
            help: write `&mut c` if they are to share it, else write the closure once more"#]],
    );
    refused(
        "fn one(mut f: impl FnMut() -> i32) -> i32 { f() } for k in 0..3 { y[k] = one(c) as f32; }",
        expect![[r#"
            2:128 `c`: expected a closure without a state, found a copy of `c`, which assigns to what it captured by `move`: the copy and `c` would share it
            help: write `&mut c` if they are to share it, else write the closure once more"#]],
    );
    // Moved once, behind `&mut`, or without a state.
    refused("let mut d = c; y[0] = d() as f32; y[1] = d() as f32;", expect!["accepted"]);
    refused("let d = &mut c; y[0] = d() as f32; y[1] = c() as f32;", expect!["accepted"]);
    refused(
        "for k in 0..3 { let mut m = 0; let mut d = move || { m += 1; m }; let mut e = d; y[k] = (e() + c()) as f32; }",
        expect!["accepted"],
    );
    body(
        "let n = 2.0f32; let c = move |v: f32| v * n; let d = c; y[0] = c(1.0) + d(2.0);",
        expect!["accepted"],
    );
}

#[test]
fn shared_memory_by_an_attribute() {
    body(
        "#[shared] let mut tile = [0.0f32; 32]; tile[0] = a; y[0] = tile[0];",
        expect![[r#"
            2:1 `#[shared]`: `#[shared]` is not supported in kernels
            help: leave it out, and give the variable its memory: `let mut tile = shared::<[f32; 32]>();`"#]],
    );
}

#[test]
fn names_of_other_crates() {
    body(
        "let i = thread::index_1d(); y[i] = a;",
        expect![[r#"
        2:9 `thread::index_1d`: expected a function, found the unknown name `thread::index_1d`
        help: write `global_idx().x`"#]],
    );
    body(
        "let i = thread::grid(); y[i] = a;",
        expect![[r#"
        2:9 `thread::grid`: expected a function, found the unknown name `thread::grid`
        help: write `global_idx()`, or its parts: `thread_idx()`, `block_idx()`, `block_dim()`"#]],
    );
}

#[test]
fn constants_that_are_not_seen_as_generic_arguments() {
    body(
        "struct Ring<const N: usize> { v: [f32; N] } fn first<const N: usize>(r: Ring<N>) -> f32 { r.v[0] } y[0] = first::<DEPTH>(Ring { v: [a; 4] });",
        expect![[r#"
            2:115 `DEPTH`: expected a type or a constant, found the unknown name `DEPTH`
            help: constants outside the kernel are not seen: declare `const DEPTH: T = …;` in the body, or put both into a `#[kernel_module]`"#]],
    );
}

#[test]
fn strings_among_constants() {
    // The host may read it.
    body("const NAME: &str = \"k\"; y[0] = a;", expect![["accepted"]]);
    body(
        "trait Named { const NAME: &'static str; } impl Named for f32 { const NAME: &'static str = \"f\"; } y[0] = <f32 as Named>::NAME.len() as f32;",
        expect![[r#"
            2:105 `<f32 as Named>::NAME`: strings are not supported in kernels
            help: write an `enum` for an error or a name, and `b"…"` for bytes, or pass them as a `&[u8]` parameter"#]],
    );
}

#[test]
fn references_in_what_is_compared() {
    body("if x.get(n) == Some(&1.0) && x.first() < x.last() { y[0] = a; }", expect![["accepted"]]);
    body(
        "#[derive(PartialEq)] struct Named<'a> { value: &'a f32 } if (Named { value: &x[0] }) == (Named { value: &a }) { y[0] = a; }",
        expect!["accepted"],
    );
    body(
        "struct Named<'a> { value: &'a f32 } if (Named { value: &x[0] }) == (Named { value: &a }) { y[0] = a; }",
        expect![[r#"
            2:40 `(Named { value: &x[0] })`: expected a type that has `==`, found `Named`
            help: write `#[derive(PartialEq)]` above it"#]],
    );
    body(
        "if [&x[0], &x[1]] == [&a, &a] { y[0] = a; }",
        expect![[r#"
            2:4 `[&x[0], &x[1]]`: expected a type that has `==`, found `&f32`
            help: compare its parts: what the references in them lead to"#]],
    );
}

#[test]
fn dereferences_of_ones_own() {
    body(
        "struct B { v: f32 } impl core::ops::Deref for B { type Target = f32; fn deref(&self) -> &f32 { &self.v } } let mut b = B { v: a }; y[0] = b.sqrt() + *b; *b = 1.0;",
        expect![[r#"
            2:154 `*b`: expected a place that can be written, found one behind a `&f32`
            help: take it by `&mut`"#]],
    );
    body(
        "struct B { v: f32 } let b = B { v: a }; y[0] = *b;",
        expect![[r#"
        2:49 `b`: expected a reference after `*`, found `B`
        help: leave the `*` out"#]],
    );
}

#[test]
fn collected() {
    body(
        "let a: [f32; 4] = x.iter().take(4).map(|v| v * 2.0).collect(); y[0] = a[0];",
        expect![[r#"
        2:53 `collect`: expected a type that can be collected, found `[f32; 4]`
        help: write `core::array::from_fn(|k| …)`, or a `for` loop that fills it"#]],
    );
    body(
        "struct Stats { sum: f32 } let s: Stats = x.iter().copied().filter(|v| *v > 0.0).collect(); y[0] = s.sum;",
        expect![[r#"
        2:81 `collect`: expected a type that can be collected, found `Stats`
        help: write `impl FromIterator<…> for Stats`"#]],
    );
    body(
        "struct T(i32); impl FromIterator<i32> for T { fn from_iter<I: IntoIterator<Item = i32>>(it: I) -> T { T(it.into_iter().sum()) } } let t: T = x.iter().copied().collect(); y[0] = t.0 as f32;",
        expect![[r#"
        2:160 `collect`: expected a type that can be collected, found `T`
        help: convert the items by `.map(…)` to those of its `impl FromIterator`"#]],
    );
    body(
        "struct T(f32); impl FromIterator<f32> for T { fn from_iter<I: IntoIterator<Item = f32>>(it: I) -> T { T(it.into_iter().sum()) } } y[0] = x.iter().copied().collect::<T>().0;",
        expect!["accepted"],
    );
}

#[test]
fn loops_over_structs() {
    body(
        "struct Bag { items: [f32; 4] } for v in (Bag { items: [1.0; 4] }) { y[0] += v; }",
        expect![[r#"
        2:41 `(Bag { items: [1.0; 4] })`: expected something to loop over, found `Bag`
        help: loop over a field that is an array or a slice, or write `impl IntoIterator for Bag`"#]],
    );
    body(
        "struct Bag(u32); struct It(u32); impl IntoIterator for Bag { type Item = f32; type IntoIter = It; fn into_iter(self) -> It { It(self.0) } } for v in Bag(3) { y[0] += v; }",
        expect![[r#"
        2:150 `Bag(3)`: expected something to loop over, found `Bag`
        help: loop over a field that is an array or a slice, or write `impl IntoIterator for Bag`"#]],
    );
    body(
        "struct Bag([f32; 4]); impl IntoIterator for Bag { type Item = f32; type IntoIter = core::array::IntoIter<f32, 4>; fn into_iter(self) -> Self::IntoIter { self.0.into_iter() } } for v in Bag([1.0; 4]) { y[0] += v; }",
        expect!["accepted"],
    );
}

#[test]
fn defaults_of_parameters() {
    body(
        "struct Set<const W: usize = 2> { words: [u32; W] } let s: Set<2, 3> = Set { words: [0; 2] };",
        expect![[r#"
        2:59 `Set<2, 3>`: expected 1 generic argument of `Set`, found 2
        help: leave the rest out"#]],
    );
    body(
        "struct Set<const W: usize = 2> { words: [u32; W] } let s: Set = Set { words: [0; 3] }; y[0] = s.words[0] as f32;",
        expect![[r#"
        2:78 `[0; 3]`: expected `[u32; 2]`, found `[u32; 3]`
        help: make both of the same length and element"#]],
    );
    body(
        "type Outcome<T = ()> = Result<T, u32>; fn check(v: f32) -> Outcome { if v < 0.0 { Err(1) } else { v } } y[0] = check(x[0]).is_ok() as u32 as f32;",
        expect![[r#"
        2:99 `v`: expected `Result<(), u32>`, found `f32`
        help: make both of the same type"#]],
    );
    body(
        "struct Pair<A, B = A> { a: A, b: B } let p: Pair<f32> = Pair { a: 1.0, b: 2u32 }; y[0] = p.a;",
        expect![[r#"
        2:75 `2u32`: expected `f32`, found `u32`
        help: convert with `as f32`"#]],
    );
}

#[test]
fn functions_as_values() {
    body(
        "let f = if p { f32::max } else { f32::min }; y[0] = f(x[0], 0.0);",
        expect![[r#"
            2:34 `f32::min`: expected the function `max`, found the function `min`
            help: every function is a type of its own: write that of the variable, `let f: fn(f32) -> f32 = …;`"#]],
    );
    body(
        "struct Op { f: unsafe fn(f32) -> f32 }",
        expect![[r#"
            2:16 `unsafe fn(f32) -> f32`: expected a type, found `unsafe fn(f32) -> f32`
            help: write a pointer to a safe function of Rust's: `fn(f32) -> f32`"#]],
    );
    body(
        "let f: fn(f32) -> f32 = f32::max; y[0] = f(x[0]);",
        expect![[r#"
            2:25 `f32::max`: expected `fn(f32) -> f32`, found the function `max`
            help: hand over a function with these parameters and this result, or write `fn(…) -> …` as it has them"#]],
    );
    body(
        "let f: fn(f32) -> f32 = |v| { let all = [v].map(|w| w * 2.0); all[0] }; y[0] = f(x[0]);",
        expect![[r#"
            2:25 `|v| { let all = [v].map(|w| w * 2.0); all[0] }`: expected a closure without others in it to point to, found one with such
            help: write a function, `fn name(…) -> … { … }`, and its name here"#]],
    );
    body(
        "let f: fn(f32) -> f32 = |v| v * a; y[0] = f(x[0]);",
        expect![[r#"
            2:25 `|v| v * a`: expected a closure that captures nothing to point to, found one that captures `a`
            help: keep each closure in a variable of its own, and choose where they are called: `match i { 0 => f(v), _ => g(v) }`"#]],
    );
    body(
        "fn f(v: f32) -> f32 { go(f, v) } fn go(g: fn(f32) -> f32, v: f32) -> f32 { let p: fn(f32) -> f32 = g; p(v) } y[0] = f(x[0]);",
        expect![[r#"
            2:26 `f`: expected a function that does not call itself, found a call that leads back to `f`, and at another place
            help: recursion is not possible on the GPU: write a loop"#]],
    );
    body(
        "let fs = [f32::abs, f32::sqrt]; if fs[0] == fs[1] { y[0] = 1.0; }",
        expect![[r#"
        2:36 `fs[0]`: expected a type that has `==`, found `fn(f32) -> f32`
        help: compare its parts"#]],
    );
    body(
        "fn even(n: u32) -> bool { let f: fn(u32) -> bool = odd; n == 0 || f(n - 1) } fn odd(n: u32) -> bool { let f: fn(u32) -> bool = even; n != 0 && f(n - 1) } p_of(even(u)); fn p_of(_p: bool) {}",
        expect![[r#"
            2:128 `even`: expected a function that does not call itself, found a call that leads back to `even`, and at another place
            help: recursion is not possible on the GPU: write a loop
            2:52 `odd`: expected a function that does not call itself, found a call that leads back to `odd`
            help: recursion is not possible on the GPU: write a loop"#]],
    );
    body(
        "fn apply<F>(f: F, v: f32) -> f32 { f(v) } y[0] = apply(|v| v * 2.0, x[0]);",
        expect![[r#"
        2:36 `f`: expected a bound of `F` that says how it is called, found none
        help: write it: `F: Fn(f32) -> …`"#]],
    );
    body(
        "fn scale(by: f32) -> impl Fn(f32) -> f32 { move |v, w| v * by * w } y[0] = scale(2.0)(x[0]);",
        expect![[r#"
        2:44 `move |v, w| v * by * w`: expected a closure that takes 1 argument, found one that takes 2
        help: write it with 1 parameter"#]],
    );
    body(
        "fn scale(by: f32) -> impl Fn(f32) -> f32 { move |v| (v * by) as i32 } y[0] = scale(2.0)(x[0]);",
        expect![[r#"
        2:53 `(v * by) as i32`: expected `f32`, found `i32`
        help: convert with `as f32`"#]],
    );
    body(
        "struct C<F: Fn(f32) -> f32> { f: F } let c = C { f: |v| v as i32 }; y[0] = (c.f)(x[0]);",
        expect![[r#"
        2:57 `v as i32`: expected `f32`, found `i32`
        help: convert with `as f32`"#]],
    );
    body(
        "use core::ops::Add; y[0] = x[0].add(1);",
        expect![[r#"
        2:37 `1`: expected `f32`, found an integer
        help: write `1.0`"#]],
    );
    body(
        "use core::ops::Shl; y[0] = x[0].shl(1);",
        expect![[r#"
        2:28 `x[0]`: expected an integer for `<<`, found `f32`
        help: convert with `as usize`"#]],
    );
}

#[test]
fn from_other_languages() {
    body(
        "while n > 3 { break 5; }",
        expect![[r#"
            2:21 `5`: expected `break` without a value, found one in a `while`: only `loop` has a value
            help: assign the value to a variable before `break`"#]],
    );
    check_error(
        "mod m { #[derive(Clone, Copy)] #[repr(C)] struct Layer { weight: f32, activation: fn(f32) -> f32 } #[derive(Clone, Copy)] #[repr(C)] struct Net { layers: [Layer; 2] } #[kernel] fn k(net: Net, y: &mut [f32]) { y[0] = (net.layers[0].activation)(1.0); } }",
        expect![[r#"
            1:188 `Net`: expected plain data as a kernel's parameter, found `Layer`
            help: a pointer to a function of the host means nothing to the GPU: pass a number, and choose the function in the kernel"#]],
    );
    body(
        "y[0] = core::mem::size_of() as f32;",
        expect![[r#"
        2:8 `core::mem::size_of()`: expected the type that `size_of` is to look at
        help: write `size_of::<f32>()`"#]],
    );
    body(
        "struct S { a: u8, b: f32 } y[0] = size_of::<S>() as f32;",
        expect![[r#"
        2:35 `size_of::<S>()`: expected a scalar, a vector, an atomic, an array of these, or a struct with `#[repr(C)]`, found `S`: Rust leaves its layout open
        help: write `#[repr(C)]` above a struct of your own"#]],
    );
    body(
        "y[0] = x[0] ** 2.0;",
        expect![[r#"
        2:16 `2.0`: expected a reference after `*`, found a float
        help: leave the `*` out, or write `x.powf(y)` for a power"#]],
    );
    body(
        "if n == 0 { return 0; }",
        expect![[r#"
            2:20 `0`: expected `return` without a value, found an integer
            help: write `return`; results go to a `&mut [T]` parameter"#]],
    );
    body(
        "y[0] = x[0] * p;",
        expect![[r#"
        2:15 `p`: expected a number for `*`, found `bool`
        help: convert with `as u32`, to a float with `as u32 as f32`, or use `&&`, `||`, `!`"#]],
    );
    body(
        "let m = std::sync::Mutex::new(0);",
        expect![[r#"
            2:9 `std::sync::Mutex::new`: expected a type, found `Mutex`
            help: use an atomic: `&[AtomicU32]` as a parameter, or `shared::<AtomicU32>()`"#]],
    );
    body(
        "let s = block::scan(u, |a, b| a.max(b)); y[0] = s as f32;",
        expect![[r#"
        2:9 `block::scan(u, |a, b| a.max(b))`: expected 3 arguments to `block::scan`, found 2
        help: for a sum call `block::scan_add(v)`, and give an operator of your own with the rest: `block::scan(v, identity, |a, b| …)`"#]],
    );
    check_error(
        "mod m { trait Real: Copy + PartialOrd + From<f32> {} impl Real for f64 {} fn low<T: Real>(v: T) -> T { if v > 0.1.into() { v } else { T::from(0.1) } } #[kernel] fn k(y: &mut [f64]) { y[0] = low(y[0]); } }",
        expect![[r#"
            1:111 `0.1`: expected a known type before `.into()`, found a float whose type is not decided yet
            help: write the literal with its type, as in `2.0_f32`
            1:143 `0.1`: expected a literal with its type, found one that a bound `From<…>` of the type parameter decides
            help: write the type after it, as in `0.5_f32`"#]],
    );
}

/// rustc's own errors would be of types that do not match, one for each literal.
#[test]
fn numbers_of_a_parameter_without_from() {
    check_error(
        "#[kernel(instances(T = [f32, f64]))] fn k<T: Float>(y: &mut [T]) { y[0] = T::from(-0.5); }",
        expect![[r#"
            1:83 `-0.5`: expected a bound `From<…>` of the type parameter `T`, found `Float`
            help: write `T: Float + From<f32>`, and `T::from(0.5_f32)`"#]],
    );
    check_error(
        "#[kernel(instances(T = [f32]))] fn k<T: Number>(y: &mut [T]) { fn twice<N>(v: N) -> N where N: Number + Copy { v * N::from(2) } y[0] = twice(y[0]); }",
        expect![[r#"
            1:124 `2`: expected a bound `From<…>` of the type parameter `N`, found `Number`
            help: write `N: Number + From<u8>`, and `N::from(2_u8)`"#]],
    );
}

#[test]
fn traits_left_open() {
    body(
        "trait Surface { fn area(&self) -> f32; fn twice(&self) -> f32 { 2.0 * self.area() } } struct Ball(f32); impl Surface for Ball {} y[0] = Ball(x[0]).twice();",
        expect![[r#"
            2:122 `Ball`: expected every function of `Surface` in the `impl`, found none for `area`
            help: write `fn area(&self) -> f32 { … }`"#]],
    );
    body(
        "struct Guard(u32); impl Drop for Guard { fn drop(&mut self) {} }",
        expect![[r#"
        2:25 `Drop`: expected a trait that the language has, found `Drop`: nothing is dropped on the GPU
        help: write a method, and call it where the value ends"#]],
    );
    body(
        "struct Node { next: Option<Box<f32>> }",
        expect![[r#"
        2:28 `Box<f32>`: expected a type, found `Box`
        help: there is no heap on the GPU: use the value itself, or an index into an array of them"#]],
    );
    body(
        "let mut seen = std::collections::HashMap::new(); y[0] = seen[&3];",
        expect![[r#"
            2:16 `std::collections::HashMap::new`: expected a type, found `HashMap`
            help: use an array and search it"#]],
    );
}

#[test]
fn operands_and_elements() {
    body(
        "let i = global_idx().x; y[i] = i * 2.0;",
        expect![[r#"
        2:36 `2.0`: expected `usize`, found a float
        help: write `2`, or convert the other operand with `as f32`"#]],
    );
    body(
        "let pixels = [1u8, 2]; y[0] = 0.3 * pixels[0];",
        expect![[r#"
        2:31 `0.3`: expected `u8`, found a float
        help: convert the other operand with `as f32`"#]],
    );
    body(
        "let n = 3u32; let at = n + -1;",
        expect![[r#"
        2:28 `-1`: expected a signed integer or a float for `-`, found `u32`
        help: write `a - x` to subtract it, `x.wrapping_neg()` for the two's complement, or use a signed type"#]],
    );
    body(
        "y[0] = x.get(0).unwrap_or(0.0);",
        expect![[r#"
            2:27 `0.0`: expected `&f32`, found a float
            help: write `.copied()` before `.unwrap_or(…)`"#]],
    );
    body(
        "let bins = shared::<[AtomicU32; 4]>(); bins[thread_idx().x] = 0;",
        expect![[r#"
        2:63 `0`: expected `AtomicU32`, found an integer
        help: write it by `.store(value, Ordering::Relaxed)`"#]],
    );
    body(
        "let m = Matrix::new(x, [2, 2]); y[0] = m[0][1];",
        expect![[r#"
        2:42 `0`: expected `[usize; 2]` as the index of `Matrix<f32>`, found an integer
        help: write all in one: `x[[i, j]]`"#]],
    );
    body(
        "let m = Matrix::new(x, [2, 2]); y[0] = m.height() as f32;",
        expect![[r#"
        2:42 `height`: expected a method of `Matrix<f32>`, found `height`
        help: write `rows()`"#]],
    );
    body(
        "let m = Matrix::new(x, [2, 2]); let left = warp::Left::<f32, 16, 16>::load(&m, [0, 0]);",
        expect![[r#"
            2:76 `&m`: expected `&SharedTile<f32, _, _>`, found `&Matrix<f32>`
            help: copy a part of the matrix to a tile first: `tile.load(&matrix, [row, column])`"#]],
    );
    body(
        "let mut random = rand::thread_rng();",
        expect![[r#"
            2:18 `rand::thread_rng`: expected a function, found the unknown name `rand::thread_rng`
            help: make a generator for each thread: `let mut rng = Pcg32::new(seed, global_idx().x as u64);`, then `rng.next_f32()`"#]],
    );
    body(
        "let d = 3u8.abs();",
        expect![[r#"
        2:13 `abs`: expected a method of `u8`, found `abs`
        help: `abs` is a method of signed integers or floats: convert with `as`"#]],
    );
    body(
        "std::thread::sleep(1);",
        expect![[r#"
        2:1 `std::thread::sleep`: expected a function, found the unknown name `std::thread::sleep`
        help: the launch starts the threads, `.over(n)` as many as there are elements; `nanosleep(ns)` lets one sleep"#]],
    );
    body(
        "let a = 1u32 << 32; let b = 1u64 << 32; let mut c = 7u8; c >>= 8;",
        expect![[r#"
            2:17 `32`: expected a shift by less than 32, the width of `u32`, found 32
            help: shift by less, or a wider type: `x as u64`
            2:64 `8`: expected a shift by less than 8, the width of `u8`, found 8
            help: shift by less, or a wider type: `x as u64`"#]],
    );
    body(
        "let n = thread_idx().x; let a = n / 0; let b = n % 0; let c = x[0] / 0.0; let mut d = n; d /= 0;",
        expect![[r#"
            2:37 `0`: expected a divisor other than 0, found 0
            help: divide by something else
            2:52 `0`: expected a divisor other than 0, found 0
            help: divide by something else
            2:95 `0`: expected a divisor other than 0, found 0
            help: divide by something else"#]],
    );
    body(
        "let p = x.as_ptr(); y[0] = unsafe { p[1] };",
        expect![[r#"
        2:37 `p`: expected a slice or an array before `[`, found `*const f32`
        help: take a slice instead of the pointer, or write `*pointer.add(i)` in `unsafe`"#]],
    );
}

#[test]
fn an_index_without_its_axis_is_one_mistake() {
    body(
        "let i = global_idx(); if i < x.len() { y[i] = x[i]; }",
        expect![[r#"
        2:26 `i`: expected a scalar for `<`, found `Dim3`
        help: pick an axis: `.x`, `.y` or `.z`"#]],
    );
    body(
        "let i = thread_idx(); y[i] = x[i]; y[i + 1] = 0.0;",
        expect![[r#"
        2:25 `i`: expected `usize`, found `Dim3`
        help: pick an axis: `.x`, `.y` or `.z`"#]],
    );
}

#[test]
fn arguments_of_the_form_with_a_mask() {
    body(
        "y[0] = warp::shfl_xor(0xffff_ffff, x[0], 1);",
        expect![[r#"
            2:8 `warp::shfl_xor(0xffff_ffff, x[0], 1)`: expected 2 arguments to `shfl_xor`, found 3
            help: with so many write `warp::shfl_xor_sync(mask, …)` or `warp::shfl_xor_width(…, width)`"#]],
    );
    body(
        "y[0] = warp::shfl_down(u32::MAX, x[0], 1, 32);",
        expect![[r#"
            2:8 `warp::shfl_down(u32::MAX, x[0], 1, 32)`: expected 2 arguments to `shfl_down`, found 4
            help: with so many write `warp::shfl_down_width_sync(mask, …, width)`"#]],
    );
    body(
        "y[0] = warp::ballot(u32::MAX, x[0] > 0.0) as f32;",
        expect![[r#"
            2:8 `warp::ballot(u32::MAX, x[0] > 0.0)`: expected 1 argument to `ballot`, found 2
            help: with so many write `warp::ballot_sync(mask, …)`"#]],
    );
}

#[test]
fn conversions_of_printf() {
    body(
        "println!(\"thread %d: %5.2f\", thread_idx().x, x[0]);",
        expect![[r#"
        2:30 `thread_idx().x`: expected 0 values for the message, found 2
        help: write `{}` in place of C's `%d`"#]],
    );
    body(
        "println!(\"100% of {}\", thread_idx().x, x[0]);",
        expect![[r#"
            2:40 `x[0]`: expected 1 value for the message, found 2
            help: write `{}` for each"#]],
    );
}

#[test]
fn shared_memory_of_a_length_that_is_no_constant() {
    body(
        "let n = x.len(); let mut row = shared::<[f32; n]>(); row[0] = 1.0;",
        expect![[r#"
        2:47 `n`: expected a constant, found the variable `n`
        help: declare `const NAME: T = …;` and use that, or take memory of the size that the launch gives: `shared_dyn::<f32>()`, and `.shared(bytes)` there"#]],
    );
}

#[test]
fn impl_trait_within_the_type_of_a_parameter() {
    check_error(
        "fn k(x: &[impl f32], y: &mut [f32]) { y[0] = x[0]; }",
        expect![[r#"
        1:11 `impl f32`: expected a type, found `impl f32`, in the type of a kernel's parameter
        help: write the type that the host passes"#]],
    );
    check_error(
        "fn k(x: Option<impl Copy>, y: &mut [f32]) { y[0] = 1.0; }",
        expect![[r#"
        1:16 `impl Copy`: expected a type, found `impl Copy`, in the type of a kernel's parameter
        help: write the type that the host passes"#]],
    );
    check_error(
        "fn k(x: &impl Copy, y: &mut [f32]) { y[0] = 1.0; }",
        expect![[r#"
        1:10 `impl Copy`: expected a type, found `impl Copy`, in the type of a kernel's parameter
        help: write the type that the host passes"#]],
    );
}

#[test]
fn generic_arguments_of_the_other_kind() {
    body(
        "fn f<const N: usize>(v: f32) -> f32 { v * N as f32 } y[0] = f::<f32>(x[0]);",
        expect![[r#"
        2:65 `f32`: expected a constant for `N`, found a type
        help: write a number"#]],
    );
    body(
        "fn f<T: Copy>(v: T) -> T { v } y[0] = f::<3>(x[0]);",
        expect![[r#"
        2:43 `3`: expected a type for `T`, found a constant
        help: write a type, such as `f32`"#]],
    );
    body(
        "fn f<const N: usize>(v: f32) -> f32 { v * N as f32 } y[0] = f::<1i128>(x[0]);",
        expect![[r#"
        2:65 `1i128`: expected a number of at most 64 bits or a `bool`, found another constant
        help: write a number without a suffix, or convert it with `as usize`"#]],
    );
    check_error(
        "#[kernel(instances(N = [f32]))] fn k<const N: usize>(y: &mut [f32]) { y[0] = N as f32; }",
        expect![[r#"
            1:25 `f32`: expected a constant for `N`, found a type
            help: write a number"#]],
    );
    check_error(
        "#[kernel(instances(T = [3]))] fn k<T: Copy>(v: T, y: &mut [f32]) { y[0] = 1.0; }",
        expect![[r#"
            1:25 `3`: expected a type for `T`, found a constant
            help: write a type, such as `f32`"#]],
    );
    body(
        "struct S; impl impl S { fn f(&self) -> f32 { 1.0 } } y[0] = S.f();",
        expect![[r#"
        2:16 `impl S`: expected the type that the `impl` is for, found another `impl`
        help: leave one of them out"#]],
    );
}

#[test]
fn placeholders_in_the_types_of_items() {
    body(
        "fn f(a: _) -> f32 { a } y[0] = f(x[0]);",
        expect![[r#"
        2:9 `_`: expected a type, found `_`: an item says its types
        help: write the type"#]],
    );
    body(
        "fn f(a: f32) -> _ { a } const C: _ = 1.0; y[0] = f(x[0]) + C;",
        expect![[r#"
        2:17 `_`: expected a type, found `_`: an item says its types
        help: write the type
        2:34 `_`: expected a type, found `_`: an item says its types
        help: write the type"#]],
    );
    body(
        "struct S { a: f32, b: Option<_> } let s = S { a: x[0], b: None }; y[0] = s.a;",
        expect![[r#"
        2:30 `_`: expected a type, found `_`: an item says its types
        help: write the type"#]],
    );
    body(
        "enum E { A(_), B } let e = E::A(x[0]); if let E::A(v) = e { y[0] = v; }",
        expect![[r#"
        2:12 `_`: expected a type, found `_`: an item says its types
        help: write the type"#]],
    );
    body(
        "static T: [_; 2] = [1.0, 2.0]; type A = _; y[0] = T[1];",
        expect![[r#"
        2:12 `_`: expected a type, found `_`: an item says its types
        help: write the type
        2:41 `_`: expected a type, found `_`: an item says its types
        help: write the type"#]],
    );
    body(
        "fn f<T: Copy>(v: T) -> T { let w: _ = v; w } let a: [_; 2] = [x[0]; 2]; y[0] = f::<_>(a[0]);",
        expect!["accepted"],
    );
}

/// rustc takes a trait's method of an array before the slice's, and of a tuple by value before `Clone`'s: one text, one meaning.
#[test]
fn names_of_built_in_methods_in_own_traits() {
    body(
        "trait Own { fn iter_mut(&mut self) -> u32; } impl Own for [u32; 4] { fn iter_mut(&mut self) -> u32 { 7 } }
        let mut t = [1u32, 2, 3, 4]; for v in t.iter_mut() { *v += 1; } y[0] = t[0] as f32;",
        expect![[r#"
            3:47 `t.iter_mut()`: expected one `iter_mut` of `[u32; 4]`, found that of `Own` and that of a method or constant of the language
            help: give the one of `Own` another name"#]],
    );
    body(
        "trait Own { fn clone(self) -> Self; } impl Own for (u32, u32) { fn clone(self) -> Self { (7, 7) } }
        let t = (1u32, 2u32); y[0] = t.clone().0 as f32;",
        expect![[r#"
            3:38 `t.clone()`: expected one `clone` of `(u32, u32)`, found that of `Own` and that of a method or constant of the language
            help: give the one of `Own` another name"#]],
    );
}

#[test]
fn an_if_without_else_has_no_value() {
    body(
        "let i = global_idx().x; let v = if i < x.len() { x[i] }; y[i] = v;",
        expect![[r#"
        2:33 `if i < x.len() { x[i] }`: expected `f32`, found an `if` without `else`
        help: add an `else` with a value"#]],
    );
    body(
        "y[0] = 1.0 + if n > 2 { 1.0 };",
        expect![[r#"
        2:14 `if n > 2 { 1.0 }`: expected a float, found an `if` without `else`
        help: add an `else` with a value"#]],
    );
    body(
        "if n > 2 { x[0] } y[0] = 1.0;",
        expect![[r#"
        2:12 `x[0]`: expected `()`, found `f32`
        help: end it with `;`"#]],
    );
}

#[test]
fn an_index_of_another_type_is_one_mistake() {
    body(
        "let i = global_idx().x as i32; if i < y.len() { y[i] = x[i]; }",
        expect![[r#"
        2:39 `y.len()`: expected `i32`, found `usize`
        help: make `i` a `usize`, as indices and lengths are, or convert with `as i32`"#]],
    );
    body(
        "let i = thread_idx().x as u32; y[i] = x[i] + x[i + 1];",
        expect![[r#"
        2:34 `i`: expected `usize`, found `u32`
        help: convert with `as usize`"#]],
    );
    body(
        "let i = global_idx().x as i32; let k: f32 = i; y[0] = i;",
        expect![[r#"
        2:45 `i`: expected `f32`, found `i32`
        help: convert with `as f32`
        2:55 `i`: expected `f32`, found `i32`
        help: convert with `as f32`"#]],
    );
}

#[test]
fn names_of_functions_of_c() {
    body(
        "y[0] = double(x[0]);",
        expect![[r#"
        2:8 `double`: expected a function, found the unknown name `double`
        help: convert with `as f64`; a function outside the kernel is not seen: write it in the body, or put both into a `#[kernel_module]`"#]],
    );
    body(
        "y[0] = int(x[0]) as f32;",
        expect![[r#"
        2:8 `int`: expected a function, found the unknown name `int`
        help: convert with `as i32`; a function outside the kernel is not seen: write it in the body, or put both into a `#[kernel_module]`"#]],
    );
    body(
        "y[0] = sin(x[0]) + sqrt(x[1]);",
        expect![[r#"
        2:8 `sin`: expected a function, found the unknown name `sin`
        help: write `x.sin()`; faster and less accurate is `fast::sin(x)`
        2:20 `sqrt`: expected a function, found the unknown name `sqrt`
        help: write `value.sqrt()`"#]],
    );
    body(
        "y[0].fetch_add(x[0], Ordering::Relaxed);",
        expect![[r#"
        2:6 `fetch_add`: expected a method of `f32`, found `fetch_add`
        help: it is a method of atomics: take a `&[AtomicF32]` instead of a `&mut [f32]`"#]],
    );
    body(
        "y[0] = x[0].fetch_xor(1, Ordering::Relaxed);",
        expect![[r#"
        2:13 `fetch_xor`: expected a method of `f32`, found `fetch_xor`
        help: this method is not supported yet: write a function for it, `fn fetch_xor(value: f32, …) -> … { … }`"#]],
    );
}

#[test]
fn what_a_function_of_the_host_takes_is_no_second_mistake() {
    body(
        "std::thread::sleep(std::time::Duration::from_micros(1));",
        expect![[r#"
        2:1 `std::thread::sleep`: expected a function, found the unknown name `std::thread::sleep`
        help: the launch starts the threads, `.over(n)` as many as there are elements; `nanosleep(ns)` lets one sleep"#]],
    );
}

#[test]
fn a_trait_that_a_type_lacks() {
    body(
        "trait Area { fn area(&self) -> f32; } struct A(f32); struct B(f32); impl Area for A { fn area(&self) -> f32 { self.0 } } \
         y[0] = A(1.0).area() + B(2.0).area();",
        expect![[r#"
            2:152 `area`: expected a method of `B`, found `area`
            help: write `impl Area for B { … }`, or declare it in an `impl B`"#]],
    );
}

#[test]
fn a_library_that_is_not_linked() {
    body(
        "use super::geometry::Interval; y[0] = Interval::of(x[0]);",
        expect![[r#"
        2:39 `Interval::of`: expected a function, found the unknown name `Interval::of`
        help: what is outside is not seen: put `Interval` into the `#[kernel_module]`; if `geometry` is a `#[device_library]`, link it: `#[kernel_module(link(geometry))]`"#]],
    );
    body(
        "use super::geometry; y[0] = geometry::of(x[0]);",
        expect![[r#"
        2:29 `geometry::of`: expected a function, found the unknown name `geometry::of`
        help: what is outside is not seen: put `geometry` into the `#[kernel_module]`; if `geometry` is a `#[device_library]`, link it: `#[kernel_module(link(geometry))]`"#]],
    );
    body(
        "y[0] = super::geometry::of(x[0]);",
        expect![[r#"
        2:8 `super::geometry::of`: expected a function, found the unknown name `super::geometry::of`
        help: what is outside is not seen: put `of` into the `#[kernel_module]`; if `geometry` is a `#[device_library]`, link it: `#[kernel_module(link(geometry))]`"#]],
    );
}

#[test]
fn a_power_by_the_operator_of_other_languages() {
    body(
        "y[0] = x[0] ^ 2.0;",
        expect![[r#"
            2:8 `x[0]`: expected an integer or a `bool` for `^`, found `f32`
            help: write `x.powi(2)` for a power, and work on the bits for an exclusive or: `f32::from_bits(x.to_bits() ^ mask)`"#]],
    );
}

#[test]
fn functions_that_never_come_back() {
    body(
        "fn no(i: usize) -> ! { panic!(\"{i}\") } y[0] = if x[0] > 0.0 { x[0] } else { no(3) };",
        expect!["accepted"],
    );
    body(
        "let f: fn(f32) -> ! = |v| panic!(\"{v}\");",
        expect![[r#"
        2:19 `!`: expected a type, found `!`
        help: leave the result out, and write `panic!(…)` itself where a value is expected"#]],
    );
    body(
        "let v: ! = panic!();",
        expect![[r#"
        2:8 `!`: expected a type, found `!`
        help: leave the result out, and write `panic!(…)` itself where a value is expected"#]],
    );
}

#[test]
fn ranges_of_own_types() {
    let level = "#[derive(Clone, Copy, PartialEq, PartialOrd)] struct Level(f32);";
    body(
        &format!(
            "{level} let range: core::ops::Range<Level> = Level(0.0)..Level(1.0); if range.contains(&Level(x[0])) {{ y[0] = 1.0; }}"
        ),
        expect!["accepted"],
    );
    body(
        &format!("{level} if (Level(0.0)..Level(1.0)).contains(&Level(x[0])) {{ y[0] = 1.0; }}"),
        expect!["accepted"],
    );
    body(
        &format!("{level} for v in Level(0.0)..Level(1.0) {{ y[0] += v.0; }}"),
        expect![[r#"
        2:75 `Level(0.0)`: expected a number for `..`, found `Level`
        help: pick a field"#]],
    );
    body(
        "struct Other(f32); let range: core::ops::Range<Other> = Other(0.0)..Other(1.0);",
        expect![[r#"
        2:57 `Other(0.0)`: expected a number for `..`, found `Other`
        help: pick a field"#]],
    );
}

#[test]
fn constants_that_other_crates_have_as_functions() {
    check_error(
        "#[kernel(instances(T = [f32, i32]))] fn k<T: Number>(y: &mut [T]) { y[0] = T::zero(); }",
        expect![[r#"
        1:76 `T::zero()`: expected a function of `f32`, found the unknown name `zero`
        help: the constant is `T::ZERO`, without `()`"#]],
    );
    body(
        "y[0] = f32::infinity();",
        expect![[r#"
        2:8 `f32::infinity()`: expected a function of `f32`, found the unknown name `infinity`
        help: write `f32::INFINITY`"#]],
    );
    body(
        "y[0] = f32::zero();",
        expect![[r#"
        2:8 `f32::zero()`: expected a function of `f32`, found the unknown name `zero`
        help: write the literal: `0.0`"#]],
    );
}

#[test]
fn values_in_options_and_arrays() {
    body(
        "y[0] = x.get(n);",
        expect![[r#"
        2:8 `x.get(n)`: expected `f32`, found `Option<&f32>`
        help: take the value out of it: `*….unwrap()`, or `if let Some(&v) = …`"#]],
    );
    body(
        "let seed = n as u64; y[0] = Philox4x32::block(seed, [0; 4])[0] as f32;",
        expect![[r#"
        2:47 `seed`: expected `[u32; 2]`, found `u64`
        help: write its halves: `[v as u32, (v >> 32) as u32]`"#]],
    );
    body(
        "fn f(v: [f32; 3]) -> f32 { v[0] } y[0] = f(x[0]);",
        expect![[r#"
        2:44 `x[0]`: expected `[f32; 3]`, found `f32`
        help: write an array of `f32`: `[v; 3]`"#]],
    );
    body(
        "let s = x[0]; let ops = [|v: f32| v * s, |v: f32| v + s]; y[0] = ops[n % 2](1.0);",
        expect![[r#"
        2:26 `|v: f32| v * s`: expected a closure that captures nothing to point to, found one that captures `s`, and at another place
        help: keep each closure in a variable of its own, and choose where they are called: `match i { 0 => f(v), _ => g(v) }`"#]],
    );
}

#[test]
fn tuples_of_other_arrays() {
    body(
        "let v: [f32; 3] = (x[0], 1.0).into();",
        expect![[r#"
        2:19 `(x[0], 1.0).into()`: expected a value that `[f32; 3]` can be made from without loss, found `(f32, _)`
        help: write `impl From<(f32, _)> for [f32; 3]`"#]],
    );
    body(
        "let v: [f32; 2] = (x[0], 1u32).into();",
        expect![[r#"
        2:19 `(x[0], 1u32).into()`: expected a value that `[f32; 2]` can be made from without loss, found `(f32, u32)`
        help: write `impl From<(f32, u32)> for [f32; 2]`"#]],
    );
}

/// Mistakes beside `tests/constructs`' methods of standard traits by their paths, associated types by qualified paths, `T::from(1)`,
/// arguments with defaults, an order of slices, and names of a type's own beside a trait's.
#[test]
fn beside_standard_paths() {
    body(
        "use core::cmp::Ordering; if Ord::least(&u, &3) == Ordering::Less { y[0] = a; }",
        expect![[r#"
        2:29 `Ord::least`: expected a function, found the unknown name `Ord::least`
        help: what is outside is not seen: put `Ord` into the `#[kernel_module]`, or into a `#[device_library]` that it links"#]],
    );
    body(
        "let order = Ord::cmp(&u); y[0] = order as i32 as f32;",
        expect![[r#"
        2:13 `Ord::cmp`: expected a function, found the unknown name `Ord::cmp`
        help: what is outside is not seen: put `Ord` into the `#[kernel_module]`, or into a `#[device_library]` that it links"#]],
    );
    body("if x[1..] < x[..2] && x[..1] >= x[1..] { y[0] = a; }", expect![["accepted"]]);
    body(
        "y[0] = f32::from(1);",
        expect![[r#"
        2:18 `1`: expected a value that `f32` can be made from without loss, found an integer
        help: convert with `as f32`"#]],
    );
    body(
        "fn of<T: From<u8>>(v: u32) -> T { T::from(v) } y[0] = of::<f32>(u);",
        expect![[r#"
        2:43 `v`: expected a value that `f32` can be made from without loss, found `u32`
        help: convert with `as f32`"#]],
    );
    body(
        "struct D<I>(I); impl<I: Iterator> Iterator for D<I> where I::Item: core::ops::Sub {
            type Item = <I::Item as core::ops::Sub>::Result; fn next(&mut self) -> Option<Self::Item> { None } }
        y[0] = D(x.iter().copied()).count() as f32;",
        expect![[r#"
            3:25 `<I::Item as core::ops::Sub>::Result`: expected a type that has an associated type `Result`, found `f32`
            help: write the `impl` with `type Result = …;`"#]],
    );
    body(
        "struct M<T, const R: usize, const C: usize = R>([[T; R]; C]); impl<T: Copy, const R: usize> M<T, R> { fn one() -> u32 { 1 } }
        y[0] = M::<f32>::one() as f32;",
        expect![[r#"
            3:16 `M::<f32>`: expected 3 generic arguments of `M`, found 1
            help: add what is missing"#]],
    );
    body(
        "trait A { const N: u32; } trait B { const N: u32; } struct S; impl A for S { const N: u32 = 1; } impl B for S { const N: u32 = 2; }
        y[0] = S::N as f32;",
        expect![[r#"
            3:16 `S::N`: expected one `N` of `S`, found that of `A` and that of another `impl`
            help: give the one of `A` another name"#]],
    );
    body(
        "trait A { fn n() -> u32; } struct S; impl S { fn n() -> u32 { 3 } } impl A for S { fn n() -> u32 { 1 } }
        fn of<T: A>() -> u32 { T::n() } y[0] = (S::n() + of::<S>()) as f32;",
        expect![["accepted"]],
    );
}

/// A comparison of numbers says what its right side sums up; an addition does not.
#[test]
fn sums_beside_numbers() {
    body(
        "if x[0] > x.iter().sum() && n >= [n, 2].into_iter().product() { y[0] = 1.0; }",
        expect!["accepted"],
    );
    body(
        "y[0] = x[0] + x.iter().sum();",
        expect![[r#"
            2:24 `sum`: expected the type of the `sum`, which nothing decides here
            help: write `.sum::<f32>()`"#]],
    );
    body(
        "if n > x.iter().sum() { y[0] = 1.0; }",
        expect![[r#"
            2:8 `x.iter().sum()`: expected `usize`, found `f32`
            help: convert with `as usize`"#]],
    );
}

/// A macro without its `!`, a kernel as a function, an operator of values beside a reference.
#[test]
fn calls_and_operators_of_others() {
    body(
        "println(\"{}\", x[0]);",
        expect![[r#"
        2:1 `println`: expected a function, found the unknown name `println`
        help: it is a macro: write `println!(…)`"#]],
    );
    check_error(
        "mod m { #[kernel] fn inner(y: &mut [f32]) { y[0] = 1.0; } #[kernel] fn outer(y: &mut [f32]) { inner(y); } }",
        expect![[r#"
            1:95 `inner`: expected a function, found the unknown name `inner`
            help: `inner` is a kernel, which only the host launches: write what both do as a function of the module, and call that"#]],
    );
    let own = "#[derive(Clone, Copy)] struct V(f32); impl core::ops::Mul<f32> for V { type Output = V; fn mul(self, k: f32) -> V { V(self.0 * k) } }";
    body(
        &format!("{own} let v = V(x[0]); let r = &v; y[0] = (r * 2.0).0;"),
        expect![[r#"
        2:172 `r`: expected a type that has `*` with a float, found `&V`
        help: write `*` before it"#]],
    );
    body(
        &format!("{own} let v = V(x[0]); y[0] = (v - 2.0).0;"),
        expect![[r#"
        2:160 `v`: expected a type that has `-` with a float, found `V`
        help: write `impl core::ops::Sub<f32> for V`"#]],
    );
}

/// A struct with a reference is no parameter, whatever it derives.
#[test]
fn structs_of_references_as_parameters() {
    check_error(
        "mod m { #[derive(Clone, Copy)] struct View<'a> { data: &'a [f32], scale: f32 } #[kernel] fn k(v: View<'_>, y: &mut [f32]) { y[0] = v.data[0]; } }",
        expect![[r#"
            1:98 `View<'_>`: expected plain data as a kernel's parameter, found `View`
            help: a reference means nothing to the GPU by itself: take the slice as a parameter of its own, `&[T]`, and make the struct of it in the kernel"#]],
    );
    check_error(
        "mod m { #[derive(Clone, Copy)] #[repr(C)] struct View<'a> { data: &'a [f32], scale: f32 } #[kernel] fn k(v: View<'_>, y: &mut [f32]) { y[0] = v.data[0]; } }",
        expect![[r#"
            1:109 `View<'_>`: expected plain data as a kernel's parameter, found `View`
            help: a reference means nothing to the GPU by itself: take the slice as a parameter of its own, `&[T]`, and make the struct of it in the kernel"#]],
    );
}

/// A type argument without an impl that a bound asks for is told at the call, not in the function's body.
#[test]
fn bounds_without_an_impl() {
    let best = "trait Score { fn score(&self) -> u32; } struct Card(u32); struct Dice(u32);
        impl Score for Card { fn score(&self) -> u32 { self.0 } }
        fn best<T: Score>(items: &[T]) -> u32 { items.iter().map(|item| item.score()).max().unwrap_or(0) }";
    body(
        &format!("{best} y[0] = (best(&[Card(1)]) + best(&[Dice(6)])) as f32;"),
        expect![[r#"
            4:135 `best(&[Dice(6)])`: expected a type with `Score` for `T` of `best`, found `Dice`
            help: write `impl Score for Dice { … }`"#]],
    );
    body(
        &format!(
            "{best} impl<T: Copy> Score for [T; 2] {{ fn score(&self) -> u32 {{ 2 }} }} y[0] = best(&[[1u32, 2]]) as f32;"
        ),
        expect![["accepted"]],
    );
}

/// Mistakes beside `tests/constructs`' assignments to structs, constants of `half`, and lengths as fields.
#[test]
fn places_constants_and_lengths() {
    body(
        "struct Pair { left: f32, right: f32 } let a = 0.0; Pair { left: a, .. } = Pair { left: x[0], right: 1.0 }; y[0] = a;",
        expect![[r#"
            2:65 `a`: expected a mutable variable, found `a`
            help: declare it `let mut a`"#]],
    );
    body(
        "struct Pair { left: f32 } let mut a = 0.0; Pair { right: a } = Pair { left: x[0] }; y[0] = a;",
        expect![[r#"
            2:58 `a`: expected a field of `Pair`, found `right`
            help: leave it out
            2:44 `Pair { right: a }`: expected every field of `Pair`, found no pattern for `left`
            help: add it, or `..`"#]],
    );
    body(
        "let mut a = 0.0; Some(a) = x.first().copied(); y[0] = a;",
        expect![[r#"
        2:18 `Some(a)`: expected a pattern that always matches, found one that does not match `None`
        help: write `let … else { … }`, `if let` or `match`"#]],
    );
    body(
        "fn at(i: usize) -> usize { i } at(0) = 1; y[0] = x[0];",
        expect![[r#"
        2:32 `at(0)`: expected a variable or an element before `=`, found a value
        help: assign to a variable, or compare with `==`"#]],
    );
    body(
        "y[0] = (f16::NEG_ON * f16::from_f32(x[0])).to_f32();",
        expect![[r#"
        2:9 `f16::NEG_ON`: expected a constant, found the unknown name `f16::NEG_ON`
        help: did you mean `f16::NEG_ONE`?"#]],
    );
    body(
        "let i = global_idx().x; if i < x.length { y[i] = x[i]; }",
        expect![[r#"
        2:34 `length`: expected a struct, a tuple or a `Dim3` before `.length`, found `&[f32]`
        help: write `.len()`"#]],
    );
    check_error(
        "mod m { #[derive(Clone, Copy)] pub enum Mode { Fast, Exact }
        #[kernel] fn k(mode: Mode, y: &mut [f32]) { y[0] = match mode { Mode::Fast => 1.0, Mode::Exact => 2.0 }; } }",
        expect![[r#"
            2:30 `Mode`: expected an enum with a `repr` in a kernel's parameter, found `Mode`
            help: write `#[repr(i32)]` before it, or another integer"#]],
    );
}
