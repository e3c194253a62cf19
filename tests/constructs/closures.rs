//! Closures that do not escape.

crate::harness::constructs! {
    "a closure" plain_closure -> i32 |i, x, f| { let double = |v: i32| v * 2; double(x[i]) + double(4) }
    "inferred parameters" inferred_closure -> i32 |i, x, f| { let add = |a, b| a + b; add(x[i], 3) }
    "captures by reference" capturing_closure -> i32 |i, x, f| { let k = x[i]; let scale = |v: i32| v * k + 1; scale(2) + scale(3) }
    "closures that change what they capture" mutating_closure -> i32 |i, x, f| { let mut n = 0; let mut count = |v: i32| { if v > 0 { n += v; } }; count(x[i]); count(5); count(-7); n }
    "`move` closures" move_closure -> i32 |i, x, f| { let mut k = x[i]; let g = move |v: i32| v + k; k = 1000; g(1) + k }
    "a closure that captured what a reference refers to, which is another one later" captured_reference -> i32 |i, x, f| {
        struct P { v: i32 }
        let (a, b) = (P { v: x[i] }, P { v: 100 });
        let mut r = &a;
        let get = || r.v;
        r = &b;
        get() + r.v * 10
    }
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
    "parameters of closures from `-> impl Fn`" returned_signature -> f32 |i, x, f| {
        fn polynomial<const N: usize>(c: [f32; N]) -> impl Fn(f32) -> f32 { move |v| c.iter().rev().fold(0.0, |s, c| s * v + c) }
        fn scaled(by: f32) -> impl Fn(f32) -> f32 { let g = move |v| v * by + 0.1; g }
        polynomial([1.0, -2.0, 0.5])(f[i]) + scaled(0.3)(f[i])
    }
    "composition of functions and closures of any type" composed -> i32 |i, x, f| {
        fn compose<A, B, C>(f: impl Fn(A) -> B, g: impl Fn(B) -> C) -> impl Fn(A) -> C { move |v| g(f(v)) }
        fn halved(v: i32) -> f32 { v as f32 * 0.5 }
        let both = compose(halved, |v| v + 1.25);
        let all = compose(&both, |v| (v * 4.0) as i32);
        all(x[i]) + compose(|v: i32| v * 3, |v| v - 1)(x[i])
    }
    "composition of closures whose types what comes later decides" composed_later -> f32 |i, x, f| {
        fn compose<A, B, C>(f: impl Fn(A) -> B, g: impl Fn(B) -> C) -> impl Fn(A) -> C { move |v| g(f(v)) }
        fn curried<A: Copy, B, C>(f: impl Fn(A, B) -> C, a: A) -> impl Fn(B) -> C { move |b| f(a, b) }
        let root = compose(|v| v + 1.0, f32::sqrt);
        let floor = compose(f32::abs, compose(|v| v * 1.5, f32::floor));
        let next = compose(&floor, |v| (v, v as i32));
        let (a, b) = next(f[i]);
        let sum: f32 = f[..4].iter().copied().map(compose(&floor, |v| v + 0.5)).sum();
        root(f[i].abs()) + floor(f[i]) + a + b as f32 + sum + curried(|a, b| a - b, 1.5)(f[i])
    }
    "literals of closures in structs" struct_closure_literals -> f32 |i, x, f| {
        struct Curve<F: Fn(f32) -> f32> { f: F, steps: u32 }
        struct Pair<F: Fn(f32) -> f32, G>(F, G) where G: Fn(i32) -> i32;
        impl<F: Fn(f32) -> f32> Curve<F> { fn new(f: F) -> Self { Curve { f, steps: 3 } } fn sum(&self) -> f32 { (0..self.steps).map(|k| (self.f)(k as f32)).sum() } }
        let pair = Pair(|v| v * 2.5 + 0.1, |k| k * 3);
        Curve { f: |v| v * 0.1 + 0.7, steps: 4 }.sum() + Curve::new(|v| v - 0.3).sum() * f[i] + (pair.0)(f[i]) + (pair.1)(x[i]) as f32
    }
    "`impl FnMut` that changes what it captured" fn_mut_argument -> i32 |i, x, f| {
        fn times(n: usize, mut step: impl FnMut(usize)) { for k in 0..n { step(k); } }
        let (mut total, mut largest) = (0, None);
        times(i % 7, |k| { total += k as i32 * x[i]; largest = largest.max(Some(k)); });
        total * 10 + largest.map_or(9, |k| k as i32)
    }
    "a closure that counts, called several times" counter -> i32 |i, x, f| {
        let mut state = x[i] as u32;
        let mut next = || { state = state.wrapping_mul(1664525).wrapping_add(1013904223); (state >> 16) as i32 };
        let drawn = [next(), next(), next()];
        drawn[0] ^ drawn[1] ^ drawn[2]
    }
    "`where` clauses with `Fn`" where_fn -> f32 |i, x, f| {
        fn newton<F, D>(f: F, d: D, start: f32) -> Result<f32, u32> where F: Fn(f32) -> f32, D: Fn(f32) -> f32 {
            let mut at = start;
            for step in 0..8 { let slope = d(at); if slope == 0.0 { return Err(step); } at = at - f(at) / slope; }
            Ok(at)
        }
        newton(|v| v * v - 2.0, |v| 2.0 * v, f[i]).unwrap_or(-1.0)
    }
    "methods of a struct that take closures, chained" struct_method_chain -> f32 |i, x, f| {
        #[derive(Clone, Copy)] struct V([f32; 3]); impl V { fn map(self, g: impl Fn(f32) -> f32) -> Self { V(self.0.map(|v| g(v))) } fn zip(self, o: Self, g: impl Fn(f32, f32) -> f32) -> Self { V(core::array::from_fn(|k| g(self.0[k], o.0[k]))) } fn sum(self) -> f32 { self.0.into_iter().sum() } } V([f[i], 1.0, 2.0]).map(f32::abs).zip(V([3.0; 3]), |a, b| a * b).map(|v| v + 0.5).sum()
    }
    "a parameter that an operator beside a number decides" decided_by_number -> i32 |i, x, f| {
        trait Round { fn round(&self, half: u32, key: u32) -> u32; }
        impl<F: Fn(u32, u32) -> u32> Round for F { fn round(&self, half: u32, key: u32) -> u32 { self(half, key) } }
        struct Cipher<R> { function: R }
        impl<R: Round> Cipher<R> { fn run(&self, v: u32) -> u32 { (1..5).fold(v, |v, key| self.function.round(v, key)) } }
        Cipher { function: |half: u32, key| half.wrapping_mul(key | 1).rotate_left(11) ^ key }.run(x[i] as u32) as i32
    }
    "a closure handed to an iterator by `&mut`" by_mut_reference -> i32 |i, x, f| {
        let (mut n, mut calls) = (0, 0); let mut visit = |v: i32| { n = n * 3 % 1009 + v; calls += 1; };
        x[..i].iter().copied().for_each(&mut visit); visit(7); x[i..].iter().copied().take(3).for_each(&mut visit);
        let twice = |v: &i32| *v * 2; let s: i32 = x[..i].iter().map(&twice).sum(); n + calls * 1000 + s
    }
    "closures within what a function returns: `S<impl Fn(T) -> T>`" opaque_within -> f32 |i, x, f| {
        struct Line<F> { f: F, steps: u32 } fn start<T>() -> Line<impl Fn(T) -> T + Copy> { Line { f: |v| v, steps: 0 } } impl<F> Line<F> { fn then<A, B, C, G>(self, g: G) -> Line<impl Fn(A) -> C> where F: Fn(A) -> B, G: Fn(B) -> C { let f = self.f; Line { f: move |v| g(f(v)), steps: self.steps + 1 } } fn run<A, B>(&self, v: A) -> (B, u32) where F: Fn(A) -> B { ((self.f)(v), self.steps) } } fn both(k: f32) -> (impl Fn(f32) -> f32, impl Fn(f32) -> f32) { (move |v| v + k, move |v| v * k) }
        let (v, steps) = start::<i32>().then(|v| v * 3).then(|v| v as f32 * 0.5).then(|v: f32| v + 1.0).run(x[i]);
        let (add, scale) = both(f[i]);
        v + steps as f32 * 100.0 + add(2.0) * scale(3.0)
    }
    "methods handed over by the path of their type: `and_then(Option::take)`" methods_by_path -> i32 |i, x, f| {
        let mut kept = [Some(x[i]), None, Some(i as i32), (x[i] > 3).then_some(8)];
        let taken = kept.iter_mut().find(|slot| slot.is_some_and(|v| v != x[0])).and_then(Option::take).unwrap_or(-1);
        let some = kept.iter().copied().filter(Option::is_some).count() as i32;
        taken + some * 10 + [Ok(x[i]), Err(2u8)].into_iter().filter_map(Result::ok).sum::<i32>()
    }
    "`default` handed over" default_value -> i32 |i, x, f| {
        #[derive(Clone, Copy, Default)]
        struct Pair { a: i32, b: Option<i32> }
        #[derive(Clone, Copy)]
        struct Seven(i32);
        impl Default for Seven { fn default() -> Seven { Seven(7) } }
        type P = Pair;
        let found = x.get(i).filter(|v| **v > 0);
        let p = found.map_or_else(P::default, |v| Pair { a: *v, b: None });
        let n: i32 = found.map_or_else(Default::default, |v| v + 1);
        p.a + p.b.unwrap_or(100) + n * 3 + found.map_or_else(Seven::default, |v| Seven(*v)).0 + found.copied().unwrap_or_else(i32::default)
    }
    "closures in constants" const_closures -> i32 |i, x, f| {
        type Op = fn(i32, i32) -> i32;
        const OPS: [Op; 3] = [|a, b| a - b, |a, b| a * b, i32::max];
        #[derive(Clone, Copy)]
        struct Rule { weight: i32, holds: fn(i32) -> bool }
        impl Rule { const ODD: Rule = Rule { weight: 5, holds: |v| v % 2 != 0 }; }
        let rule = Rule::ODD;
        let mut sum = if (rule.holds)(x[i]) { rule.weight } else { 0 };
        for op in OPS { sum += op(x[i], 3); }
        sum * 3 + OPS[i % 3](x[i], 4)
    }
    "`move` closures that copied arrays, and the arrays afterwards" move_arrays -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct Pool { free: [i32; 3], used: i32 }
        let mut pool = Pool { free: [1, 2, 3], used: x[i] };
        let mut take = move |k: usize| { pool.free[k] += 10; pool.used += 1; pool.free[k] + pool.used };
        pool.free[0] = 50;
        pool.used = 0;
        let first = take(0) + take(1);
        let mut s = 0;
        for k in 0..3 { s = s * 7 + take(k); pool.free[k] += 1; }
        let mut a = [1, 2, 3];
        let get = move |k: usize| a[k];
        a[i % 3] = 50;
        first + s * 3 + pool.free[0] * 5 + pool.free[1] * 7 + pool.free[2] * 11 + pool.used + get(i % 3) * 13 + a[i % 3] * 17
    }
}
