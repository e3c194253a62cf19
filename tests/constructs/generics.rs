//! Functions with type and const parameters.

crate::harness::constructs! {
    "a type parameter" type_parameter -> i32 |i, x, f| { fn larger<T: PartialOrd>(a: T, b: T) -> T { if a > b { a } else { b } } larger(x[i], 5) + (larger(f[i], 1.5) * 8.0) as i32 }
    "arithmetic bounds" arithmetic_bounds -> f32 |i, x, f| { use core::ops::{Add, Mul}; fn axpy<T: Copy + Add<Output = T> + Mul<Output = T>>(a: T, x: T, y: T) -> T { a * x + y } axpy(f[i], 2.0, 1.0) + axpy(x[i], 3, 4) as f32 }
    "a `where` clause" where_clause -> i32 |i, x, f| { fn first<T>(a: [T; 2]) -> T where T: Copy { a[0] } first([x[i], 1]) }
    "turbofish" turbofish -> i32 |i, x, f| { fn zero<T: Default>() -> T { T::default() } zero::<i32>() + x[i] + zero::<u8>() as i32 }
    "a const parameter" const_parameter -> i32 |i, x, f| { fn sum<const N: usize>(a: [i32; N]) -> i32 { let mut s = 0; for k in 0..N { s += a[k]; } s } sum([x[i], 2, 3]) * 10 + sum([1, 2]) }
    "a const parameter by turbofish" const_turbofish -> i32 |i, x, f| { fn power<const E: u32>(v: i32) -> i32 { let mut r = 1; for _ in 0..E { r *= v; } r } power::<3>(x[i] % 10) + power::<2>(x[i]) }
    "a const parameter in a condition" const_condition -> i32 |i, x, f| { fn pick<const UP: bool>(a: i32, b: i32) -> i32 { if UP { a.max(b) } else { a.min(b) } } pick::<true>(x[i], 3) * 100 + pick::<false>(x[i], 3) }
    "two type parameters" two_parameters -> i32 |i, x, f| { fn swap<A, B>(a: A, b: B) -> (B, A) { (b, a) } let (p, q) = swap(x[i], 2u8); p as i32 * 1000 + q }
    "numeric bounds of the prelude" numeric_bounds -> f32 |i, x, f| { fn dot<T: Number>(a: [T; 3], b: [T; 3]) -> T { let mut s = T::ZERO; for k in 0..3 { s = s + a[k] * b[k]; } s } dot([f[i], 1.0, 2.0], [0.5, 0.25, f[i]]) + dot([x[i], 1, 2], [3, 4, 5]) as f32 }
    "generic functions that call generic functions" generic_chain -> i32 |i, x, f| { fn id<T>(v: T) -> T { v } fn twice<T: Copy>(v: T) -> (T, T) { (id(v), id(v)) } let (a, b) = twice(x[i]); a + b }
    "inference through generics" generic_inference -> u32 |i, x, f| { fn pair<T>(a: T, b: T) -> [T; 2] { [a, b] } let p = pair(1, i as u32); p[0] + p[1] * 2 }
    "a generic function over arrays" generic_array -> f32 |i, x, f| { fn max_of<T: Copy + PartialOrd, const N: usize>(a: [T; N]) -> T { let mut m = a[0]; for k in 1..N { if a[k] > m { m = a[k]; } } m } max_of([f[i], 0.0, f[(i + 3) % 50]]) + max_of([x[i], 2]) as f32 }
    "generic methods" generic_method -> i32 |i, x, f| { struct B(i32); impl B { fn with<T: Into<i32>>(&self, v: T) -> i32 { self.0 + v.into() } } B(x[i]).with(3u8) + B(1).with(2i16) }
    "functions of bools and mixed types" mixed_generics -> i32 |i, x, f| { fn choose<T>(c: bool, a: T, b: T) -> T { if c { a } else { b } } choose(x[i] > 0, 1, 2) + choose(f[i] > 0.0, (1, 2), (3, 4)).1 }
    "matrices of any size" matrices -> i32 |i, x, f| { #[derive(Clone, Copy)] struct M<const R: usize, const C: usize>([[i32; C]; R]); impl<const R: usize, const C: usize> M<R, C> { fn times<const K: usize>(&self, o: &M<C, K>) -> M<R, K> { let mut d = [[0; K]; R]; for a in 0..R { for b in 0..K { for c in 0..C { d[a][b] += self.0[a][c] * o.0[c][b]; } } } M(d) } } let m = M([[1, 2, x[i]], [3, 4, 5]]); let n = M([[1], [x[(i + 1) % 50]], [2]]); let p = m.times(&n); p.0[0][0] * 10 + p.0[1][0] }
    "constants of `T: Float`" float_constants -> f32 |i, x, f| {
        fn largest<T: Float>(v: &[T]) -> T { let mut m = T::NEG_INFINITY; for v in v { m = if *v > m { *v } else { m }; } m + T::EPSILON + T::MIN_POSITIVE }
        largest(&f[..i]) + (largest(&[x[i] as f64, 0.5]) * 1e-3) as f32
    }
    "an index of one's own" own_index -> i32 |i, x, f| { struct G([i32; 6]); impl core::ops::Index<(usize, usize)> for G { type Output = i32; fn index(&self, (r, c): (usize, usize)) -> &i32 { &self.0[r * 3 + c] } } impl core::ops::IndexMut<(usize, usize)> for G { fn index_mut(&mut self, (r, c): (usize, usize)) -> &mut i32 { &mut self.0[r * 3 + c] } } let mut g = G([x[i]; 6]); g[(1, 2)] = 7; g[(0, 1)] += g[(1, 2)] * 2; g.0[5] + g.0[1] * 3 + g[(0, 0)] }
    "the target of `into` by a bound" into_by_bound -> i32 |i, x, f| {
        fn high<T: Copy + Into<u64>>(v: T) -> i32 { let wide = v.into() * 0x8000_0001; (wide >> 30) as i32 & 0xfff }
        fn mean<T: Copy + Into<f64>>(v: &[T]) -> f64 { let mut sum = 0.0; for v in v { sum += (*v).into(); } sum / v.len() as f64 }
        high(x[i] as u32) + high(x[i] as u16) * 3 + high(x[i] as u8) + mean(&f[..=i]) as i32 + mean(&[x[i], 3]) as i32
    }
    "a type parameter decided by a bound on another" bound_decides -> i32 |i, x, f| {
        trait Sample<T> { fn sample(&self, seed: &mut u32) -> T; }
        struct Uniform<T> { low: T, high: T }
        impl Sample<f32> for Uniform<f32> { fn sample(&self, seed: &mut u32) -> f32 { *seed += 3; self.low + (self.high - self.low) * (*seed % 8) as f32 } }
        impl Sample<u32> for Uniform<u32> { fn sample(&self, seed: &mut u32) -> u32 { *seed += 5; self.low + *seed % (self.high - self.low) } }
        fn draw<T, D: Sample<T>>(from: D, seed: &mut u32) -> T { from.sample(seed) }
        let mut seed = i as u32;
        let (a, b) = (draw(Uniform { low: -1.0, high: 1.5f32 }, &mut seed), draw(Uniform { low: 2, high: 40u32 }, &mut seed));
        let inside = draw(Uniform { low: 0.0f32, high: 1.0 }, &mut seed) * a <= 1.0;
        (a * 8.0) as i32 + b as i32 * 3 + inside as i32 + draw(Uniform { low: 1, high: i as u32 + 2 }, &mut seed) as i32
    }
}
