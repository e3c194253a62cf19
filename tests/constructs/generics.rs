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
    "default generic arguments of structs and aliases" default_arguments -> i32 |i, x, f| {
        #[derive(Clone, Copy)]
        struct Set<const WORDS: usize = 2> { words: [u32; WORDS] }
        impl<const WORDS: usize> Set<WORDS> { const fn empty() -> Self { Set { words: [0; WORDS] } } fn insert(&mut self, at: usize) { self.words[at / 32 % WORDS] |= 1 << (at % 32); } fn len(&self) -> i32 { self.words.iter().map(|w| w.count_ones() as i32).sum() } }
        struct Pair<A, B = A> { a: A, b: B }
        type Outcome<T = (), E = i32> = Result<T, E>;
        fn check(v: i32) -> Outcome { if v < 0 { Err(v) } else { Ok(()) } }
        fn double(v: i32) -> Outcome<i32> { check(v)?; Ok(v * 2) }
        fn fill(set: &mut Set, x: &[i32]) { for v in x { set.insert((*v + 50) as usize); } }
        let mut set = <Set>::empty();
        fill(&mut set, &x[..i]);
        let pair: Pair<i32> = Pair { a: x[i], b: 3 };
        set.len() * 1000 + double(x[i]).unwrap_or_else(|e| e - 7) + pair.a * pair.b
    }
    "a stack of any type and depth" generic_stack -> i32 |i, x, f| {
        struct Stack<T, const N: usize> { items: [T; N], len: usize }
        impl<T: Copy + Default, const N: usize> Stack<T, N> {
            fn new() -> Self { Self { items: [T::default(); N], len: 0 } }
            fn push(&mut self, item: T) -> Result<(), T> { if self.len == N { return Err(item); } self.items[self.len] = item; self.len += 1; Ok(()) }
            fn pop(&mut self) -> Option<T> { self.len = self.len.checked_sub(1)?; Some(self.items[self.len]) }
            fn last_mut(&mut self) -> Option<&mut T> { match self.len { 0 => None, n => Some(&mut self.items[n - 1]) } }
        }
        let mut stack = Stack::<(i32, u8), 4>::new();
        let mut refused = 0;
        for (k, v) in x[..=i].iter().enumerate() { if stack.push((*v, k as u8)).is_err() { refused += 1; } }
        if let Some(top) = stack.last_mut() { top.0 += 100; }
        let mut total = refused;
        while let Some((v, k)) = stack.pop() { total = total * 7 % 10_007 + v * k as i32; }
        total
    }
    "const generics in operators: a matrix product" const_matrix_product -> f32 |i, x, f| {
        use core::ops::{Index, IndexMut, Mul};
        #[derive(Clone, Copy)]
        struct Mat<const R: usize, const C: usize> { rows: [[f32; C]; R] }
        impl<const R: usize, const C: usize> Mat<R, C> {
            const ZERO: Self = Mat { rows: [[0.0; C]; R] };
            fn from_fn(f: impl Fn(usize, usize) -> f32) -> Self { let mut m = Self::ZERO; for r in 0..R { for c in 0..C { m[(r, c)] = f(r, c); } } m }
            fn transpose(&self) -> Mat<C, R> { Mat::from_fn(|r, c| self[(c, r)]) }
            fn column(&self, c: usize) -> impl Iterator<Item = f32> + '_ { self.rows.iter().map(move |row| row[c]) }
        }
        impl<const R: usize, const C: usize> Index<(usize, usize)> for Mat<R, C> { type Output = f32; fn index(&self, (r, c): (usize, usize)) -> &f32 { &self.rows[r][c] } }
        impl<const R: usize, const C: usize> IndexMut<(usize, usize)> for Mat<R, C> { fn index_mut(&mut self, (r, c): (usize, usize)) -> &mut f32 { &mut self.rows[r][c] } }
        impl<const R: usize, const K: usize, const C: usize> Mul<&Mat<K, C>> for &Mat<R, K> { type Output = Mat<R, C>; fn mul(self, o: &Mat<K, C>) -> Mat<R, C> { Mat::from_fn(|r, c| self.rows[r].iter().zip(o.column(c)).map(|(a, b)| a * b).sum()) } }
        let m = Mat::<2, 3>::from_fn(|r, c| f[(i + r * 3 + c) % 50]);
        let gram = &m * &m.transpose();
        gram[(0, 0)] + gram[(0, 1)] * gram[(1, 1)]
    }
    "operators of `T: Add<Output = T>` called as methods" operator_methods -> i32 |i, x, f| {
        use core::ops::{Add, BitAnd, BitXor, Mul, Shl, Shr, Sub};
        fn mixed<T: Copy + Add<Output = T> + Mul<Output = T> + Sub<Output = T>>(a: T, b: T) -> T { a.add(b).mul(a.sub(b)) }
        let v = x[i] as u32;
        mixed(x[i], 3) + (mixed(f[i], 0.5) * 4.0) as i32 + v.shl(3u32).bitxor(v.shr(2u32)).bitand(0xffff) as i32
    }
    "associated constants as default and overridden" associated_defaults -> f32 |i, x, f| {
        trait Force { const SOFTENING: f32 = 0.25; const NAME: u32; fn at(r: f32) -> f32; }
        struct Gravity; struct Spring;
        impl Force for Gravity { const NAME: u32 = 1; fn at(r: f32) -> f32 { 1.0 / (r * r + Self::SOFTENING) } }
        impl Force for Spring { const SOFTENING: f32 = 0.5; const NAME: u32 = 2; fn at(r: f32) -> f32 { Self::SOFTENING - r } }
        fn pull<F: Force>(x: &[f32]) -> f32 { x.iter().map(|r| F::at(*r)).sum::<f32>() * F::NAME as f32 }
        pull::<Gravity>(&f[..=i]) + pull::<Spring>(&f[..=i])
    }
    "states as types" typestate -> i32 |i, x, f| {
        use core::marker::PhantomData; struct Open; struct Closed; struct Door<S> { n: i32, state: PhantomData<S> } impl Door<Closed> { fn new(n: i32) -> Self { Door { n, state: PhantomData } } fn open(self) -> Door<Open> { Door { n: self.n + 1, state: PhantomData } } } impl Door<Open> { fn walk(&self) -> i32 { self.n * 2 } fn close(self) -> Door<Closed> { Door { n: self.n + 10, state: PhantomData } } } Door::new(x[i]).open().close().open().walk()
    }
    "`impl From<T> for W<T>`, and an order that is derived for it" tuple_struct_generic -> i32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq, PartialOrd)] struct W<T>(T); impl<T: core::ops::Add<Output = T>> core::ops::Add for W<T> { type Output = W<T>; fn add(self, o: Self) -> Self { W(self.0 + o.0) } } impl<T> From<T> for W<T> { fn from(v: T) -> Self { W(v) } } let W(a) = W(x[i]) + W::from(3); let b: W<f32> = f[i].into(); a + (b > W(0.0)) as i32
    }
    "`0.0.into()` where a bound says of what" literal_into -> f64 |i, x, f| {
        trait Real: Copy + PartialOrd + From<f32> + core::ops::Add<Output = Self> {
            fn relu(self) -> Self { if self > 0.0.into() { self } else { 0.0.into() } }
            fn more(self) -> Self { self + 1.5.into() }
        }
        impl Real for f32 {}
        impl Real for f64 {}
        fn both<T: Real>(x: T) -> T { let y: T = 0.25.into(); x.relu().more() + y }
        both(f[i]) as f64 + both(f[i] as f64 * 3.0)
    }
    "`f32::from` of a `bool`" float_from_bool -> f64 |i, x, f| {
        f32::from(x[i] > 0) as f64 + f64::from(f[i] < 1.0) * 2.0 + i32::from(i % 2 == 0) as f64 * 4.0
    }
    "functions of an associated type, `T::Item::new`, and literals as constant arguments of a constructor" nested_associated -> i32 |i, x, f| {
        trait Kind { type Acc: Default + Copy; const N: i32; fn add(a: Self::Acc, v: i32) -> Self::Acc; fn end(a: Self::Acc) -> i32; fn fresh() -> Self::Acc { Self::Acc::default() } }
        struct Sum; struct Pair;
        impl Kind for Sum { type Acc = i32; const N: i32 = 1; fn add(a: i32, v: i32) -> i32 { a + v } fn end(a: i32) -> i32 { a } }
        impl Kind for Pair { type Acc = (i32, u8); const N: i32 = 2; fn add(a: (i32, u8), v: i32) -> (i32, u8) { (a.0.max(v), a.1 + 1) } fn end(a: (i32, u8)) -> i32 { a.0 * a.1 as i32 } }
        fn run<K: Kind>(x: &[i32]) -> i32 { let mut acc = K::Acc::default(); for v in x { acc = K::add(acc, *v); } K::end(acc) * K::N + K::end(K::add(K::fresh(), 3)) }
        #[derive(Clone, Copy, PartialEq)] struct Scaled<T, const SHIFT: u32>(T);
        impl<T: core::ops::Add<Output = T>, const S: u32> core::ops::Add for Scaled<T, S> { type Output = Self; fn add(self, o: Self) -> Self { Scaled(self.0 + o.0) } }
        let one: Scaled<i32, 4> = Scaled(1 << 4); let all = [x[i], 2].map(Scaled::<i32, 4>); let sum = all[0] + all[1] + one + Scaled::<_, 4>(1);
        run::<Sum>(&x[..i]) + run::<Pair>(&x[..i]) + sum.0
    }
    "bounds that name `Self`" self_bounds -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct Wide(i64);
        impl From<i32> for Wide { fn from(v: i32) -> Self { Wide(v as i64) } }
        impl<R: Into<Self>> core::ops::Add<R> for Wide { type Output = Self; fn add(self, o: R) -> Self { let o: Wide = o.into(); Wide(self.0 + o.0) } }
        (Wide(3) + x[i] + Wide(i as i64)).0 as i32
    }
    "a constant of an `impl` that only its trait names" by_bound -> f32 |i, x, f| {
        trait Corners<const N: usize> { fn corners(&self) -> [f32; N]; }
        struct Regular(f32);
        impl<const N: usize> Corners<N> for Regular {
            fn corners(&self) -> [f32; N] { core::array::from_fn(|i| self.0 * (i + 1) as f32) }
        }
        struct Turned<S>(S);
        impl<S: Corners<N>, const N: usize> Corners<N> for Turned<S> {
            fn corners(&self) -> [f32; N] { let all = self.0.corners().map(|v| v + 1.0); all }
        }
        fn total<S, const N: usize>(s: &S) -> f32 where S: Corners<N> {
            let all = s.corners().map(f32::abs);
            all.iter().sum::<f32>() + all.len() as f32
        }
        total::<_, 3>(&Turned(Regular(f[i]))) + total::<Regular, 2>(&Regular(f[i]))
    }
    "integer literals that a bound `From` of a type parameter decides" literals_from -> f32 |i, x, f| {
        use core::ops::{Add, Mul, Neg};
        trait Real: Copy + Add<Output = Self> + Mul<Output = Self> + Neg<Output = Self> + From<u8> {
            fn half(self) -> Self;
            fn cubed(self) -> Self { self * self * self + Self::from(3) }
        }
        impl Real for f32 { fn half(self) -> f32 { self * 0.5 } }
        impl Real for f64 { fn half(self) -> f64 { self * 0.5 } }
        fn poly<T: Real>(v: T) -> T { -T::from(1) + v * T::from(200) + v.half() * T::from(0) + v.cubed() }
        fn signed<T: From<i8> + Add<Output = T>>(v: T) -> T { v + T::from(-5) }
        poly(f[i]) + poly(f[i] as f64) as f32 + signed(f[i]) + signed(x[i] as f64) as f32
    }
    "generic arguments with defaults, left out in the paths of expressions" omitted_defaults -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct Mat<T, const R: usize, const C: usize = R> { rows: [[T; C]; R] }
        impl<T: Copy + Default, const R: usize, const C: usize> Mat<T, R, C> {
            fn zero() -> Self { Mat { rows: [[T::default(); C]; R] } }
            fn turned(&self) -> Mat<T, C, R> { Mat { rows: core::array::from_fn(|r| core::array::from_fn(|c| self.rows[c][r])) } }
        }
        impl<const N: usize> Mat<i32, N, N> { fn identity() -> Self { let mut m = Mat::zero(); for k in 0..N { m.rows[k][k] = 1; } m } fn trace(&self) -> i32 { (0..N).map(|k| self.rows[k][k]).sum() } }
        let mut wide: Mat<i32, 2, 3> = Mat::<i32, 2, 3>::zero();
        wide.rows[1][2] = x[i];
        let square: Mat<i32, 4> = Mat::<i32, 4>::zero();
        Mat::<i32, 3>::identity().trace() + wide.turned().rows[2][1] * 10 + square.trace()
    }
}
