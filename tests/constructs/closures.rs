//! Closures that do not escape.

crate::harness::constructs! {
    "a closure" plain_closure -> i32 |i, x, f| { let double = |v: i32| v * 2; double(x[i]) + double(4) }
    "inferred parameters" inferred_closure -> i32 |i, x, f| { let add = |a, b| a + b; add(x[i], 3) }
    "captures by reference" capturing_closure -> i32 |i, x, f| { let k = x[i]; let scale = |v: i32| v * k + 1; scale(2) + scale(3) }
    "closures that change what they capture" mutating_closure -> i32 |i, x, f| { let mut n = 0; let mut count = |v: i32| { if v > 0 { n += v; } }; count(x[i]); count(5); count(-7); n }
    "`move` closures" move_closure -> i32 |i, x, f| { let mut k = x[i]; let g = move |v: i32| v + k; k = 1000; g(1) + k }
    "closures with blocks and `return`" closure_return -> i32 |i, x, f| { let clip = |v: i32| -> i32 { if v > 10 { return 10; } if v < -10 { return -10; } v }; clip(x[i]) }
    "closures as arguments" closure_argument -> i32 |i, x, f| { fn apply<F: Fn(i32) -> i32>(g: F, v: i32) -> i32 { g(g(v)) } let k = 3; apply(|v| v * k - 1, x[i]) }
    "`impl Fn` parameters" impl_fn -> i32 |i, x, f| { fn sum(n: usize, g: impl Fn(usize) -> i32) -> i32 { let mut s = 0; for k in 0..n { s += g(k); } s } sum(6, |k| x[(i + k) % 50] * k as i32) }
    "`FnMut` parameters" fn_mut -> i32 |i, x, f| { fn each(n: i32, mut g: impl FnMut(i32)) { for k in 0..n { g(k); } } let mut s = x[i]; each(5, |k| s = s * 2 + k); s }
    "functions as arguments" function_argument -> i32 |i, x, f| { fn inc(v: i32) -> i32 { v + 1 } fn apply(g: impl Fn(i32) -> i32, v: i32) -> i32 { g(v) * 2 } apply(inc, x[i]) }
    "closures that call closures" nested_closures -> i32 |i, x, f| { let a = |v: i32| v + 1; let b = |v: i32| a(v) * a(v + 1); b(x[i]) }
    "closures of tuples and arrays" closure_patterns -> i32 |i, x, f| { let cross = |(a, b): (i32, i32), [c, d]: [i32; 2]| a * d - b * c; cross((x[i], 2), [5, 7]) }
    "closures called in loops" closure_in_loop -> i32 |i, x, f| { let at = |k: usize| x[(i + k) % 50]; let mut s = 0; for k in 0..8 { s = s * 3 + at(k); s %= 1009; } s }
    "closures passed on" closure_passed_on -> i32 |i, x, f| { fn outer(g: impl Fn(i32) -> i32, v: i32) -> i32 { inner(&g, v) + g(1) } fn inner(g: &impl Fn(i32) -> i32, v: i32) -> i32 { g(v) } let k = x[i]; outer(|v| v * 2 + k, 5) }
    "closures in structs of one's own" stored_closures -> i32 |i, x, f| {
        struct Repeat<F: Fn(i32) -> i32> { f: F, n: i32 }
        impl<F: Fn(i32) -> i32> Repeat<F> {
            fn call(&self, v: i32) -> i32 { let mut v = v; for _ in 0..self.n { v = (self.f)(v); } v }
        }
        let k = x[i] % 3;
        Repeat { f: |v: i32| v * 2 + k, n: 3 }.call(x[i]) + Repeat { f: |v: i32| v - k, n: 2 }.call(5)
    }
}
