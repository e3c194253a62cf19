//! Traits of one's own, with static dispatch.

crate::harness::constructs! {
    "a trait with impls for structs" trait_structs -> f32 |i, x, f| {
        trait Activation { fn apply(self, x: f32) -> f32; }
        #[derive(Clone, Copy)] struct Relu;
        #[derive(Clone, Copy)] struct Leaky(f32);
        impl Activation for Relu { fn apply(self, x: f32) -> f32 { x.max(0.0) } }
        impl Activation for Leaky { fn apply(self, x: f32) -> f32 { if x > 0.0 { x } else { self.0 * x } } }
        fn layer<A: Activation + Copy>(a: A, x: f32) -> f32 { a.apply(x) + a.apply(x - 1.0) }
        layer(Relu, f[i]) + layer(Leaky(0.125), f[i])
    }
    "a trait for scalars and vectors" trait_scalars -> f32 |i, x, f| {
        trait Ext { fn square(self) -> Self; fn lerp(self, to: Self, t: f32) -> Self; }
        impl Ext for f32 { fn square(self) -> f32 { self * self } fn lerp(self, to: f32, t: f32) -> f32 { (to - self).mul_add(t, self) } }
        impl Ext for i32 { fn square(self) -> i32 { self * self } fn lerp(self, to: i32, t: f32) -> i32 { self + (to - self) * t as i32 } }
        f[i].square().lerp(4.0, 0.25) + x[i].square().lerp(7, 2.0) as f32 + Ext::square(3.0f32) + <i32 as Ext>::square(x[i]) as f32
    }
    "constants of one's own traits for numbers" constants_for_numbers -> f32 |i, x, f| {
        trait Real { const HALF: Self; const DIGITS_10: u32; fn half(self) -> Self; }
        impl Real for f32 { const HALF: f32 = 0.5; const DIGITS_10: u32 = 6; fn half(self) -> f32 { self * Self::HALF } }
        f[i].half() + f32::HALF + f32::DIGITS_10 as f32
    }
    "a literal before a method of a trait of one's own" trait_of_literals -> f32 |i, x, f| {
        trait Extent { fn metres(self) -> f32; fn hypot2(self) -> f32; fn twice(&self) -> f32; }
        impl Extent for f32 { fn metres(self) -> f32 { self * 1.5 } fn hypot2(self) -> f32 { self + 100.0 } fn twice(&self) -> f32 { self * 2.0 } }
        impl Extent for u16 { fn metres(self) -> f32 { self as f32 } fn hypot2(self) -> f32 { 7.0 } fn twice(&self) -> f32 { (self + self) as f32 } }
        trait Size: Sized { fn size(self) -> f32 { size_of::<Self>() as f32 } }
        impl Size for f32 {} impl Size for f64 {} impl Size for u8 {} impl Size for i32 {}
        let later = 2.0; let metres = later.metres(); let same: f32 = later;
        0.5.metres() + 3.metres() * 10.0 + 4.0.hypot2() * f[i] + 5.twice() + (-2.5).twice() + 0.5.size() * 3.0 + 3.size() + metres * same + x[i] as f32
    }
    "literals that the bound of an operator decides" operator_bounds -> f32 |i, x, f| {
        use core::ops::{Add, Mul, MulAssign, Sub};
        fn lerp<T, U>(a: T, b: T, t: U) -> T where T: Copy + Add<Output = T> + Sub<Output = T> + Mul<U, Output = T>, U: Copy { a + (b - a) * t }
        fn scaled<S, V: MulAssign<S>>(mut v: V, by: S) -> V { v *= by; v }
        #[derive(Clone, Copy)] struct V(f32, f32);
        impl Add for V { type Output = V; fn add(self, o: V) -> V { V(self.0 + o.0, self.1 + o.1) } }
        impl Sub for V { type Output = V; fn sub(self, o: V) -> V { V(self.0 - o.0, self.1 - o.1) } }
        impl Mul for V { type Output = V; fn mul(self, o: V) -> V { V(self.0 * o.0, self.1 * o.1) } }
        impl Mul<f32> for V { type Output = V; fn mul(self, k: f32) -> V { V(self.0 * k, self.1 * k) } }
        impl MulAssign<f32> for V { fn mul_assign(&mut self, k: f32) { *self = *self * k; } }
        let v = lerp(V(f[i], 1.0), V(2.0, f[i]), 0.25) * V(1.0, 0.5);
        v.0 * 10.0 + v.1 + lerp(f[i], 3.0, 0.5) + lerp(v, V(0.5, 0.25), V(1.0, 2.0)).1 + scaled(v, 3.0).0 + scaled(f[i], 0.125) + scaled(x[i], 3) as f32
    }
    "default methods and associated constants" trait_defaults -> f32 |i, x, f| {
        trait Shape { const SIDES: u32; const SCALE: f32 = 2.0; fn area(&self) -> f32; fn scaled(&self, s: f32) -> f32 { self.area() * s * Self::SIDES as f32 * Self::SCALE } }
        struct Square { side: f32 } struct Circle { r: f32 }
        impl Shape for Square { const SIDES: u32 = 4; fn area(&self) -> f32 { self.side * self.side } }
        impl Shape for Circle { const SIDES: u32 = 0; const SCALE: f32 = 1.0; fn area(&self) -> f32 { 3.0 * self.r * self.r } fn scaled(&self, s: f32) -> f32 { self.area() + s } }
        fn total<A: Shape, B>(a: &A, b: &B) -> f32 where B: Shape { a.scaled(2.0) + b.scaled(3.0) + A::SCALE + B::SCALE + <A as Shape>::SIDES as f32 }
        total(&Square { side: f[i] }, &Circle { r: f[i] + 1.0 })
    }
    "`impl Trait` as a parameter" trait_impl_parameter -> i32 |i, x, f| {
        trait Value { fn value(&self) -> i32; fn set(&mut self, v: i32); }
        struct A(i32); struct B { v: i32, n: i32 }
        impl Value for A { fn value(&self) -> i32 { self.0 } fn set(&mut self, v: i32) { self.0 = v; } }
        impl Value for B { fn value(&self) -> i32 { self.v * self.n } fn set(&mut self, v: i32) { self.v = v; self.n += 1; } }
        fn sum(a: &impl Value, b: &impl Value) -> i32 { a.value() - b.value() }
        fn change(v: &mut impl Value, by: i32) { v.set(v.value() + by); }
        fn take(v: impl Value) -> i32 { v.value() * 2 }
        let (mut a, mut b) = (A(x[i]), B { v: 3, n: 2 }); change(&mut a, 5); change(&mut b, x[i]); sum(&a, &b) + take(a)
    }
    "associated types" trait_types -> i32 |i, x, f| {
        trait Visitor { type Out; fn visit(&mut self, v: i32); fn finish(self) -> Self::Out; }
        struct Stats { n: i32, sum: i32 } struct Largest(Option<i32>);
        impl Visitor for Stats { type Out = (i32, i32); fn visit(&mut self, v: i32) { self.n += 1; self.sum += v; } fn finish(self) -> (i32, i32) { (self.n, self.sum) } }
        impl Visitor for Largest { type Out = Option<i32>; fn visit(&mut self, v: i32) { self.0 = Some(match self.0 { Some(o) if o > v => o, _ => v }); } fn finish(self) -> Self::Out { self.0 } }
        fn walk<V: Visitor>(mut v: V, from: i32) -> V::Out { let mut n = from.abs(); while n > 0 { v.visit(n % 10); n /= 2; } v.finish() }
        let (n, sum) = walk(Stats { n: 0, sum: 0 }, x[i]);
        n * 1000 + sum * 10 + walk(Largest(None), x[i]).unwrap_or(-1)
    }
    "associated functions, made of an associated type" trait_functions -> i32 |i, x, f| {
        trait Rng { type Seed; fn new(seed: Self::Seed) -> Self; fn next(&mut self) -> u32; fn below(&mut self, n: u32) -> u32 { self.next() % n } }
        struct Lcg { state: u32 } struct Xor { a: u32, b: u32 }
        impl Rng for Lcg { type Seed = u32; fn new(seed: u32) -> Self { Lcg { state: seed } } fn next(&mut self) -> u32 { self.state = self.state.wrapping_mul(1664525).wrapping_add(1013904223); self.state >> 8 } }
        impl Rng for Xor { type Seed = (u32, u32); fn new((a, b): (u32, u32)) -> Self { Xor { a, b } } fn next(&mut self) -> u32 { let t = self.a ^ (self.a << 3); self.a = self.b; self.b = t ^ (self.b >> 5); self.b } }
        fn roll<R>(rng: &mut R) -> u32 where R: Rng { rng.below(6) + rng.below(6) }
        fn make<R: Rng>(seed: R::Seed) -> R { R::new(seed) }
        let mut a = Lcg::new(x[i] as u32); let mut b: Xor = make((x[i] as u32, 77)); let mut c = make::<Lcg>(5);
        (roll(&mut a) * 100 + roll(&mut b) + c.next() % 3) as i32
    }
    "a monoid, with constants of `Self`" trait_monoid -> f32 |i, x, f| {
        trait Monoid: Copy { const IDENTITY: Self; fn combine(self, other: Self) -> Self; }
        impl Monoid for f32 { const IDENTITY: f32 = 0.0; fn combine(self, other: f32) -> f32 { self + other } }
        impl Monoid for u32 { const IDENTITY: u32 = 1; fn combine(self, other: u32) -> u32 { self.wrapping_mul(other) } }
        #[derive(Clone, Copy)] struct Max(f32);
        impl Monoid for Max { const IDENTITY: Self = Max(f32::NEG_INFINITY); fn combine(self, other: Self) -> Self { Max(self.0.max(other.0)) } }
        fn reduce<M: Monoid, const N: usize>(values: [M; N]) -> M { let mut acc = M::IDENTITY; for v in values { acc = acc.combine(v); } acc }
        reduce([f[i], 1.0, 2.0]) + reduce([Max(f[i]), Max(3.0)]).0 + reduce([2u32, i as u32]) as f32
    }
    "a generic trait" trait_generic -> i32 |i, x, f| {
        trait Op<T> { fn op(a: T, b: T) -> T; fn twice(a: T, b: T) -> T { Self::op(Self::op(a, b), Self::NONE) } const NONE: T; }
        struct Add; struct Max;
        impl Op<i32> for Add { const NONE: i32 = 0; fn op(a: i32, b: i32) -> i32 { a + b } }
        impl Op<i32> for Max { const NONE: i32 = i32::MIN; fn op(a: i32, b: i32) -> i32 { a.max(b) } }
        fn zip<T: Copy, O: Op<T>>(a: T, b: T) -> T { O::twice(a, b) }
        zip::<i32, Add>(x[i], 4) * 100 + zip::<i32, Max>(x[i], 4)
    }
    "supertraits and a blanket impl" trait_blanket -> f32 |i, x, f| {
        trait Distance { fn distance(&self, p: f32) -> f32; fn inside(&self, p: f32) -> bool { self.distance(p) < 0.0 } }
        trait Field: Distance { fn at(&self, p: f32) -> f32; }
        #[derive(Clone, Copy)] struct Ball { c: f32, r: f32 }
        #[derive(Clone, Copy)] struct Union<A, B>(A, B);
        #[derive(Clone, Copy)] enum Prim { Ball(Ball), Plane(f32) }
        impl Distance for Ball { fn distance(&self, p: f32) -> f32 { (p - self.c).abs() - self.r } }
        impl<A: Distance, B: Distance> Distance for Union<A, B> { fn distance(&self, p: f32) -> f32 { self.0.distance(p).min(self.1.distance(p)) } }
        impl Distance for Prim { fn distance(&self, p: f32) -> f32 { match self { Prim::Ball(b) => b.distance(p), Prim::Plane(h) => p - *h } } }
        impl<D: Distance> Field for D { fn at(&self, p: f32) -> f32 { if self.inside(p) { -1.0 } else { self.distance(p) } } }
        let scene = Union(Ball { c: 5.0, r: 1.0 }, Union(Prim::Plane(-3.0), Prim::Ball(Ball { c: 9.0, r: 0.5 })));
        scene.at(f[i]) + scene.0.at(f[i]) * 0.5
    }
    "a type's own methods beside those of a trait" trait_precedence -> i32 |i, x, f| {
        trait Other { fn power(self, n: u32) -> i32; fn only(&self) -> i32; }
        struct S(i32);
        impl S { fn get(&self) -> i32 { self.0 } }
        impl Other for S { fn power(self, n: u32) -> i32 { self.0 + n as i32 } fn only(&self) -> i32 { self.get() * 3 } }
        impl Other for i32 { fn power(self, n: u32) -> i32 { self.pow(n) - 1 } fn only(&self) -> i32 { *self + 1 } }
        S(x[i]).get() + S(4).only() + S(1).power(2) + (x[i] & 3).pow(2) + (x[i] & 3).power(2) + x[i].only()
    }
    "`TryFrom` of one's own" trait_try_from -> i32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq)] enum Base { A, C }
        #[derive(Clone, Copy)] struct Even(i32);
        impl TryFrom<u8> for Base {
            type Error = u8;
            fn try_from(b: u8) -> Result<Self, u8> { Ok(match b { b'A' => Base::A, b'C' => Base::C, _ => return Err(b) }) }
        }
        impl TryFrom<i32> for Even {
            type Error = i32;
            fn try_from(v: i32) -> Result<Self, Self::Error> { if v & 1 == 0 { Ok(Even(v)) } else { Err(v) } }
        }
        fn both(v: i32) -> Result<i32, i32> { let even = Even::try_from(v)?; Ok(even.0 + Even::try_from(even.0 / 2).map_or(-50, |e| e.0)) }
        let base = match Base::try_from(b"ACGT"[i % 4]) { Ok(b) => b as i32, Err(b) => b as i32 };
        both(x[i]).unwrap_or_else(|v| v * 1000) + base * 7
    }
    "a trait for `&mut T`, and for closures" trait_for_references -> i32 |i, x, f| {
        trait Next { fn next(&mut self) -> i32; fn two(&mut self) -> i32 { self.next() * 10 + self.next() } }
        struct Count(i32);
        impl Next for Count { fn next(&mut self) -> i32 { self.0 += 1; self.0 } }
        impl<N: Next> Next for &mut N { fn next(&mut self) -> i32 { (**self).next() } }
        trait Weigh { fn weigh(&self, v: i32) -> i32; }
        impl Weigh for [i32; 2] { fn weigh(&self, v: i32) -> i32 { self[(v & 1) as usize] } }
        impl<F: Fn(i32) -> i32> Weigh for F { fn weigh(&self, v: i32) -> i32 { self(v) } }
        fn take(mut n: impl Next) -> i32 { n.two() + n.next() }
        fn weighed(by: &impl Weigh, v: i32) -> i32 { by.weigh(v) + by.weigh(v + 1) }
        let mut c = Count(x[i]);
        take(&mut c) + take(&mut c) * 3 + c.0 + weighed(&[3, 5], x[i]) + weighed(&|v: i32| v * c.0, 2)
    }
    "a method that the type has itself, too" inherent_first -> i32 |i, x, f| {
        trait Size { fn abs(self) -> Self; fn pow(self, n: u32) -> Self; fn signum(&self) -> i32; }
        impl Size for i32 { fn abs(self) -> i32 { self * 1000 } fn pow(self, n: u32) -> i32 { n as i32 } fn signum(&self) -> i32 { 77 } }
        fn plain(v: i32, g: impl Fn(i32) -> i32) -> i32 { g(v.abs()) + v.pow(2) + v.signum() }
        struct S(i32);
        impl S { fn get(&self) -> i32 { self.0.abs() } }
        plain(x[i], |v| v.abs() + 1) + S(x[i]).get()
    }
    "`impl Deref` and `impl DerefMut` of one's own" own_deref -> i32 |i, x, f| {
        use core::ops::{Deref, DerefMut};
        struct Counted<T> { inner: T, reads: i32, writes: i32 }
        impl<T> Deref for Counted<T> { type Target = T; fn deref(&self) -> &T { &self.inner } }
        impl<T> DerefMut for Counted<T> { fn deref_mut(&mut self) -> &mut T { self.writes += 1; &mut self.inner } }
        struct Body { at: i32, trail: [i32; 4] }
        impl Body { fn step(&mut self, by: i32) { self.at += by; } fn far(&self) -> bool { self.at > 20 } }
        struct Part<const N: usize> { all: [i32; N], len: usize }
        impl<const N: usize> Deref for Part<N> { type Target = [i32]; fn deref(&self) -> &[i32] { &self.all[..self.len] } }
        impl<const N: usize> DerefMut for Part<N> { fn deref_mut(&mut self) -> &mut [i32] { &mut self.all[..self.len] } }
        fn total(v: &[i32]) -> i32 { v.iter().fold(0, |s, v| s * 3 % 1009 + v) }
        fn at(b: &Body) -> i32 { b.at }
        fn clear(v: &mut [i32]) { v[0] = 0; }
        // It is only read: no `let mut`.
        let fixed = Part { all: [x[i], 1, 2, 3], len: 3 };
        let mut b = Counted { inner: Body { at: x[i], trail: [0; 4] }, reads: 0, writes: 0 };
        let mut n = 0;
        while !b.far() && n < 9 { b.step(7); let at = b.at; b.trail[n % 4] = at; n += 1; }
        b.trail[1..].reverse();
        let seen = at(&b) + b.trail.len() as i32 + b.reads;
        *b = Body { at: b.at + 1, ..*b };
        let held = &mut b;
        held.step(2);
        let mut p = Part { all: [5, x[i], 2, 9, 1], len: 3 + i % 3 };
        p.sort();
        p[0] += 3;
        p[1..].swap(0, 1);
        let before = total(&p);
        clear(&mut p);
        let (first, rest) = p.split_first().unwrap();
        let last = match *p { [.., a, b] => a * 5 - b, [a] => a, [] => 0 };
        let nested = Counted { inner: Counted { inner: [x[i]; 3], reads: 1, writes: 0 }, reads: 2, writes: 0 };
        last + b.writes * 100_000 + seen * 7 + before + total(&p) + *first + (rest.len() + fixed.len()) as i32 + fixed[0] + p.iter().max().unwrap() + nested[2] + nested.reads + total(&**nested)
    }
    "a trait's method with the name of a scalar's own, in generic code" bound_first -> f32 |i, x, f| {
        use core::ops::{Add, Mul};
        trait Real: Copy + Add<Output = Self> + Mul<Output = Self> { const ONE: Self; fn of(x: f32) -> Self; fn sqrt(self) -> Self; fn powi(self, n: i32) -> Self; fn abs(&self) -> f32; }
        // Not what the scalars' own methods do.
        impl Real for f32 { const ONE: f32 = 1.0; fn of(x: f32) -> f32 { x } fn sqrt(self) -> f32 { self + 1000.0 } fn powi(self, n: i32) -> f32 { let mut r = 3.0; for _ in 0..n { r = r * self; } r } fn abs(&self) -> f32 { *self * 2.0 } }
        impl Real for f64 { const ONE: f64 = 1.0; fn of(x: f32) -> f64 { x as f64 } fn sqrt(self) -> f64 { self + 500.0 } fn powi(self, n: i32) -> f64 { self * n as f64 } fn abs(&self) -> f32 { *self as f32 } }
        #[derive(Clone, Copy)] struct Dual<T> { value: T, slope: T }
        impl<T: Real> Add for Dual<T> { type Output = Self; fn add(self, o: Self) -> Self { Dual { value: self.value + o.value, slope: self.slope + o.slope } } }
        impl<T: Real> Mul for Dual<T> { type Output = Self; fn mul(self, o: Self) -> Self { Dual { value: self.value * o.value, slope: self.slope * o.value + self.value * o.slope } } }
        impl<T: Real> Real for Dual<T> {
            const ONE: Self = Dual { value: T::ONE, slope: T::ONE };
            fn of(x: f32) -> Self { Dual { value: T::of(x.abs()), slope: T::of(0.0) } }
            fn sqrt(self) -> Self { let root = self.value.sqrt(); Dual { value: root, slope: self.slope.powi(2) + root } }
            fn powi(self, n: i32) -> Self { Dual { value: self.value.powi(n), slope: self.slope } }
            fn abs(&self) -> f32 { self.value.abs() + self.slope.abs() }
        }
        fn both<T: Real>(x: T, scale: f32) -> f32 {
            let y = x * x + T::ONE;
            let plain = (scale * scale).sqrt() + scale.powi(2);
            let parts = [x, y];
            (y.sqrt() + x.powi(2) + T::of(plain).sqrt()).abs() + plain + parts.iter().fold(0.0, |s, v| s + v.abs())
        }
        both(f[i], f[i]) + both(f[i] as f64, 3.0) + both(Dual { value: f[i], slope: 1.0 }, f[i]) + f[i].abs()
    }
    "operators on references: `&a + &b`, `&a * 2.0`" reference_operators -> f32 |i, x, f| {
        use core::ops::{Add, Mul, Neg};
        #[derive(Clone, Copy)]
        struct V { x: f32, y: f32 }
        impl Add<&V> for &V { type Output = V; fn add(self, o: &V) -> V { V { x: self.x + o.x, y: self.y + o.y } } }
        impl Mul<f32> for &V { type Output = V; fn mul(self, k: f32) -> V { V { x: self.x * k, y: self.y * k } } }
        impl Neg for &V { type Output = V; fn neg(self) -> V { V { x: -self.x, y: -self.y } } }
        let (a, b) = (V { x: f[i], y: 1.0 }, V { x: 2.0, y: f[i] });
        let c = &(&a + &b) * 2.0;
        let d = -&c;
        c.x + d.y * 0.5
    }
    "`impl Mul<T> for Complex<T>` over a trait of numbers" complex_numbers -> f32 |i, x, f| {
        use core::ops::{Add, Mul, Sub};
        trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + PartialOrd { const ZERO: Self; const FOUR: Self; fn from_f64(v: f64) -> Self; }
        impl Real for f32 { const ZERO: Self = 0.0; const FOUR: Self = 4.0; fn from_f64(v: f64) -> Self { v as f32 } }
        impl Real for f64 { const ZERO: Self = 0.0; const FOUR: Self = 4.0; fn from_f64(v: f64) -> Self { v } }
        #[derive(Clone, Copy)]
        struct Complex<T> { re: T, im: T }
        impl<T: Real> Complex<T> { fn new(re: T, im: T) -> Self { Complex { re, im } } fn norm(self) -> T { self.re * self.re + self.im * self.im } }
        impl<T: Real> Add for Complex<T> { type Output = Self; fn add(self, o: Self) -> Self { Self::new(self.re + o.re, self.im + o.im) } }
        impl<T: Real> Mul for Complex<T> { type Output = Self; fn mul(self, o: Self) -> Self { Self::new(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re) } }
        impl<T: Real> Mul<T> for Complex<T> { type Output = Self; fn mul(self, k: T) -> Self { Self::new(self.re * k, self.im * k) } }
        fn escape<T: Real>(c: Complex<T>, limit: u32) -> Option<u32> { let mut z = Complex::new(T::ZERO, T::ZERO); (0..limit).find(|_| { z = z * z + c; z.norm() > T::FOUR }) }
        let n = escape(Complex::new(f[i] * 0.1, 0.3) * 1.5, 20).unwrap_or(99);
        let m = escape(Complex::new(f64::from(f[i]), f64::from_f64(0.1)) * 0.05, 20).map_or(0, |n| n + 1);
        n as f32 + m as f32 * 100.0
    }
    "a monoid with an identity, folded and handed over" monoid -> f32 |i, x, f| {
        trait Monoid: Copy { const IDENTITY: Self; fn combine(self, other: Self) -> Self; fn all(items: impl Iterator<Item = Self>) -> Self { items.fold(Self::IDENTITY, Self::combine) } }
        #[derive(Clone, Copy)] struct Max(f32);
        #[derive(Clone, Copy)] struct ArgMin { value: f32, index: u32 }
        impl Monoid for Max { const IDENTITY: Self = Max(f32::NEG_INFINITY); fn combine(self, Max(other): Self) -> Self { Max(self.0.max(other)) } }
        impl Monoid for ArgMin { const IDENTITY: Self = ArgMin { value: f32::INFINITY, index: u32::MAX }; fn combine(self, o: Self) -> Self { if (o.value, o.index) < (self.value, self.index) { o } else { self } } }
        let Max(most) = Max::all(f[i..].iter().map(|v| Max(*v)));
        let least = ArgMin::all(f[..=i].iter().enumerate().map(|(k, v)| ArgMin { value: *v, index: k as u32 }));
        most + least.value * 2.0 + least.index as f32
    }
    "units by `PhantomData`" phantom_units -> f32 |i, x, f| {
        use core::marker::PhantomData;
        use core::ops::Add;
        trait Unit { const IN_METRES: f32; }
        struct Metre; struct Foot;
        impl Unit for Metre { const IN_METRES: f32 = 1.0; }
        impl Unit for Foot { const IN_METRES: f32 = 0.3048; }
        struct Length<U: Unit>(f32, PhantomData<U>);
        impl<U: Unit> Clone for Length<U> { fn clone(&self) -> Self { *self } }
        impl<U: Unit> Copy for Length<U> {}
        impl<U: Unit> Length<U> { fn new(v: f32) -> Self { Self(v, PhantomData) } fn to<V: Unit>(self) -> Length<V> { Length::new(self.0 * U::IN_METRES / V::IN_METRES) } }
        impl<U: Unit> Add for Length<U> { type Output = Self; fn add(self, o: Self) -> Self { Self::new(self.0 + o.0) } }
        let feet = Length::<Foot>::new(f[i]);
        (feet.to::<Metre>() + Length::new(1.0)).0 + (feet + feet).0
    }
    "a trait's method that takes a closure and calls another" trait_with_closure -> i32 |i, x, f| {
        trait Grid { fn at(&self, x: i32, y: i32) -> i32; fn around(&self, x: i32, y: i32, weigh: impl Fn(i32, i32) -> i32) -> i32 { let mut total = 0; for dy in -1..=1 { for dx in -1..=1 { total += weigh(dx, dy) * self.at(x + dx, y + dy); } } total } }
        struct Rows<'a> { data: &'a [i32], width: i32 }
        impl Grid for Rows<'_> { fn at(&self, x: i32, y: i32) -> i32 { usize::try_from(y * self.width + x).ok().and_then(|at| self.data.get(at)).copied().unwrap_or(0) } }
        let rows = Rows { data: x, width: 10 };
        rows.around(i as i32 % 10, i as i32 / 10, |dx, dy| if dx == 0 && dy == 0 { -8 } else { 1 })
    }
    "borders chosen by a type: `impl Border for Mirror`" border_types -> f32 |i, x, f| {
        trait Border { fn index(at: isize, len: usize) -> Option<usize>; }
        struct Clamp; struct Mirror; struct Zero;
        impl Border for Clamp { fn index(at: isize, len: usize) -> Option<usize> { Some(at.clamp(0, len as isize - 1) as usize) } }
        impl Border for Mirror { fn index(at: isize, len: usize) -> Option<usize> { let last = len as isize - 1; usize::try_from(if at < 0 { -at } else if at > last { 2 * last - at } else { at }).ok() } }
        impl Border for Zero { fn index(at: isize, len: usize) -> Option<usize> { usize::try_from(at).ok().filter(|&at| at < len) } }
        struct Kernel<const N: usize> { weights: [f32; N], norm: f32 }
        impl<const N: usize> Kernel<N> {
            const RADIUS: isize = (N / 2) as isize;
            const fn new(weights: [f32; N], norm: f32) -> Self { assert!(N % 2 == 1); Self { weights, norm } }
            fn apply<B: Border>(&self, row: &[f32], at: usize) -> f32 { (-Self::RADIUS..=Self::RADIUS).zip(self.weights).map(|(offset, weight)| weight * B::index(at as isize + offset, row.len()).map(|k| row[k]).unwrap_or_default()).sum::<f32>() / self.norm }
        }
        const GAUSS: Kernel<5> = Kernel::new([1.0, 4.0, 6.0, 4.0, 1.0], 16.0);
        GAUSS.apply::<Clamp>(f, i) + GAUSS.apply::<Mirror>(f, i) * 2.0 + GAUSS.apply::<Zero>(f, i) * 4.0
    }
    "constant parameters of traits, in default methods" trait_const_parameters -> f32 |i, x, f| {
        use core::ops::{Add, Mul};
        #[derive(Clone, Copy)]
        struct State<const N: usize>([f32; N]);
        impl<const N: usize> Add for State<N> { type Output = Self; fn add(mut self, o: Self) -> Self { self.0.iter_mut().zip(o.0).for_each(|(a, b)| *a += b); self } }
        impl<const N: usize> Mul<State<N>> for f32 { type Output = State<N>; fn mul(self, State(v): State<N>) -> State<N> { State(v.map(|v| self * v)) } }
        trait System<const N: usize> {
            fn slope(&self, y: State<N>) -> State<N>;
            fn step(&self, y: State<N>, h: f32) -> State<N> { let k = self.slope(y); let half: [f32; N] = (y + h / 2.0 * k).0; y + h * self.slope(State(half)) }
            fn trajectory(&self, start: State<N>, h: f32) -> impl Iterator<Item = State<N>> + '_ { core::iter::successors(Some(start), move |&y| Some(self.step(y, h))) }
        }
        struct Sir { beta: f32 }
        impl System<3> for Sir { fn slope(&self, State([s, i, _]): State<3>) -> State<3> { let infected = self.beta * s * i; State([-infected, infected - 0.1 * i, 0.1 * i]) } }
        struct Spring<F: Fn(f32) -> f32>(F);
        impl<F: Fn(f32) -> f32> System<2> for Spring<F> { fn slope(&self, State([x, v]): State<2>) -> State<2> { State([v, (self.0)(x)]) } }
        let most = Sir { beta: f[i].abs() }.trajectory(State([0.99, 0.01, 0.0]), 0.5).take(5).map(|State([_, i, _])| i).fold(0.0, f32::max);
        most + Spring(|x| -x + 0.1).step(State([f[i], 1.0]), 0.25).0[1]
    }
    "a trait for arrays of every length" extension_array -> i32 |i, x, f| {
        trait Dot { fn dot(&self, o: &Self) -> i32; } impl<const N: usize> Dot for [i32; N] { fn dot(&self, o: &Self) -> i32 { self.iter().zip(o).map(|(a, b)| a * b).sum() } } [x[i], 2, 3].dot(&[4, 5, x[i]])
    }
    "an associated type with a bound `Into`" generic_assoc -> i32 |i, x, f| {
        trait Shape { type Scalar: Copy + Into<i64>; fn size(&self) -> Self::Scalar; fn wide(&self) -> i64 { self.size().into() } } struct A(i32); struct B(u8); impl Shape for A { type Scalar = i32; fn size(&self) -> i32 { self.0 } } impl Shape for B { type Scalar = u8; fn size(&self) -> u8 { self.0 } } (A(x[i]).wide() + B(x[i] as u8).wide()) as i32
    }
    "a trait for slices: `impl Stats for [f32]`" extension_slice -> f32 |i, x, f| {
        trait Stats {
            fn mean(&self) -> f32;
            fn scale(&mut self, by: f32);
            fn spread(&self) -> f32 { self.mean() - 1.0 }
        }
        impl Stats for [f32] {
            fn mean(&self) -> f32 { self.iter().sum::<f32>() / self.len() as f32 }
            fn scale(&mut self, by: f32) { for v in self { *v *= by; } }
        }
        trait Mixed<T> { fn mixed(&self) -> T; }
        impl<T: Copy + Default + core::ops::BitXor<Output = T>> Mixed<T> for [T] { fn mixed(&self) -> T { self.iter().fold(T::default(), |a, &b| a ^ b) } }
        let mut a = [f[i], 1.0, 2.0, f[i] * 0.5];
        a.scale(0.5);
        a[1..].scale(2.0);
        let whole: &mut [f32] = &mut a;
        whole.scale(4.0);
        a.mean() + a[..2].spread() + f[..=i].mean() + (x[..i].mixed() ^ [x[i], 3].mixed()) as f32 + [7u8, i as u8].mixed() as f32
    }
    "a trait with a constant parameter, which its bound decides" const_trait -> f32 |i, x, f| {
        trait System<const D: usize> { const ID: i32; fn slope(&self, y: &[f32; D]) -> [f32; D]; } struct Spring(f32); struct Decay; impl System<2> for Spring { const ID: i32 = 2; fn slope(&self, &[y, v]: &[f32; 2]) -> [f32; 2] { [v, -self.0 * y] } } impl System<1> for Decay { const ID: i32 = 5; fn slope(&self, y: &[f32; 1]) -> [f32; 1] { [-y[0]] } } fn euler<S: System<D>, const D: usize>(system: &S, mut y: [f32; D], h: f32) -> [f32; D] { let slope = system.slope(&y); for (y, k) in y.iter_mut().zip(slope) { *y += h * k; } y } fn id<S, const D: usize>(_: &S) -> i32 where S: System<D> { S::ID }
        let [a, b] = euler(&Spring(2.0), [f[i], 1.0], 0.25);
        a + b * 2.0 + euler(&Decay, [f[i]], 0.5)[0] + (id(&Decay) * 10 + id(&Spring(1.0))) as f32
    }
    "`<T as Trait>::NAME` beside another trait's, `<f32>::sqrt` beside a trait's" qualified -> f32 |i, x, f| {
        trait Bits { const BITS: u32; fn code(self) -> i32; } trait Code { const BITS: u32; fn code(self) -> i32; } impl Bits for i16 { const BITS: u32 = 160; fn code(self) -> i32 { self as i32 } } impl Code for i16 { const BITS: u32 = 7; fn code(self) -> i32 { -3 * self as i32 } } trait Real: Copy { fn sqrt(self) -> Self; fn sin_cos(self) -> (Self, Self); } impl Real for f32 { fn sqrt(self) -> Self { <f32>::sqrt(self) } fn sin_cos(self) -> (Self, Self) { <f32>::sin_cos(self) } } fn root<T: Real>(v: T) -> (T, T) { (v.sqrt(), v.sin_cos().0) }
        let v = x[i] as i16;
        let (root, sine) = root(f[i].abs());
        (<i16 as Bits>::code(v) * 2 + <i16 as Code>::code(v)) as f32 + (<i16 as Bits>::BITS + <i16 as Code>::BITS + <i16>::BITS) as f32 + root + sine
    }
    "`Trait::<T>::method(value)` of an `impl` for every `T`" applied -> i32 |i, x, f| {
        use core::cmp::Ordering;
        trait Compare<T> { fn compare(&self, a: &T, b: &T) -> Ordering; fn reversed(self) -> Reversed<Self> where Self: Sized { Reversed(self) } } struct Natural; struct Reversed<C>(C); impl<T: Ord> Compare<T> for Natural { fn compare(&self, a: &T, b: &T) -> Ordering { a.cmp(b) } } impl<T, C: Compare<T>> Compare<T> for Reversed<C> { fn compare(&self, a: &T, b: &T) -> Ordering { self.0.compare(a, b).reverse() } } fn first<T: Copy>(a: T, b: T, by: &impl Compare<T>) -> T { if by.compare(&a, &b).is_le() { a } else { b } }
        first(x[i], 3, &Natural) + 10 * first(x[i], 3, &Compare::<i32>::reversed(Natural)) + first(i as u8, 9, &Natural) as i32
    }
    "literals of the type that the only fitting `impl` has" decided_literals -> f32 |i, x, f| {
        trait Draw { type Value; fn draw(&self, k: f32) -> Self::Value; } struct Uniform<T> { low: T, high: T } impl Draw for Uniform<f32> { type Value = f32; fn draw(&self, k: f32) -> f32 { self.low + k * (self.high - self.low) } } impl Draw for Uniform<i32> { type Value = i32; fn draw(&self, k: f32) -> i32 { self.low + (k * (self.high - self.low) as f32) as i32 } } struct Pair<A, B>(A, B); impl<A: Draw, B: Draw> Draw for Pair<A, B> { type Value = (A::Value, B::Value); fn draw(&self, k: f32) -> Self::Value { (self.0.draw(k), self.1.draw(1.0 - k)) } } fn twice<D: Draw>(d: &D, k: f32) -> (D::Value, D::Value) { (d.draw(k), d.draw(k * 0.5)) } fn once(d: &impl Draw<Value = f32>) -> f32 { d.draw(0.25) }
        let ((a, b), (c, d)) = twice(&Pair(Uniform { low: -1.0, high: 3.0 }, Uniform { low: 1, high: 9 }), (i % 8) as f32 / 8.0);
        a + b as f32 * 8.0 + c + d as f32 * 16.0 + once(&Uniform { low: 0.0, high: f[i] })
    }
    "`From<T> for Option<T>` and its bound `Into`" into_option -> f32 |i, x, f| {
        struct Body { charge: Option<f32>, mass: f32 } impl Body { fn charged(self, charge: impl Into<Option<f32>>) -> Body { Body { charge: charge.into(), ..self } } } fn or_seven<O: Into<Option<i32>>>(value: O) -> i32 { let value: Option<i32> = value.into(); value.unwrap_or(7) }
        let body = || Body { charge: None, mass: 2.0 };
        let charge = |body: Body| body.charge.unwrap_or(-1.0) * body.mass;
        charge(body().charged(0.25)) + charge(body().charged(None)) + charge(body().charged(f[i])) + charge(body().charged(Some(3.0))) + (or_seven(x[i]) + or_seven(None) + or_seven(Some(2)) + or_seven(3)) as f32
    }
    "`map(T::from)` of several `impl From`, and `match` on `try_into()?`" conversions -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct Span { low: i32, high: i32 } impl From<i32> for Span { fn from(v: i32) -> Self { (v..=v).into() } } impl From<core::ops::RangeInclusive<i32>> for Span { fn from(r: core::ops::RangeInclusive<i32>) -> Self { Span { low: *r.start(), high: *r.end() } } } enum Op { Push(i32), Add, Jump { by: i8 } } struct Bad(u8); impl TryFrom<[u8; 2]> for Op { type Error = Bad; fn try_from(code: [u8; 2]) -> Result<Self, Bad> { Ok(match code { [0, v] => Op::Push(v as i32), [1, _] => Op::Add, [2, by] => Op::Jump { by: by as i8 }, [other, _] => return Err(Bad(other)) }) } } fn step(code: [u8; 2], top: i32) -> Result<i32, Bad> { match code.try_into()? { Op::Push(v) => Ok(v), Op::Add => Ok(top + top), Op::Jump { by } => Ok(top - by as i32) } }
        let spans = [x[i], 2].into_iter().map(Span::from).chain([1..=x[i]].into_iter().map(Span::from));
        let wide = spans.fold(0, |t, s| t * 3 + s.high - 2 * s.low);
        match step([x[i] as u8 & 3, i as u8], 5) { Ok(v) => v + wide * 7, Err(Bad(v)) => -(v as i32) - wide }
    }
    "`Self::Target` and `Self::Item` of another `impl` for the type" associated_of_self -> i32 |i, x, f| {
        use core::ops::{Deref, DerefMut};
        struct Ring { items: [i32; 4] }
        struct Mean { ring: Ring, seen: i32 }
        impl Deref for Mean { type Target = Ring; fn deref(&self) -> &Self::Target { &self.ring } }
        impl DerefMut for Mean { fn deref_mut(&mut self) -> &mut Self::Target { &mut self.ring } }
        struct Down(i32);
        impl Iterator for Down { type Item = i32; fn next(&mut self) -> Option<Self::Item> { if self.0 > 0 { self.0 -= 1; Some(self.0) } else { None } } }
        trait Last: Iterator + Sized { fn last_or(self, other: Self::Item) -> Self::Item { let mut last = other; for item in self { last = item; } last } }
        impl Last for Down {}
        let mut mean = Mean { ring: Ring { items: [x[i], 2, 3, 4] }, seen: 1 };
        mean.items[i % 4] += 5;
        mean.items.iter().sum::<i32>() * mean.seen + Down(x[i] % 3).last_or(70)
    }
    "arguments of an `impl` that only its bounds decide" bound_arguments -> f32 |i, x, f| {
        trait Layer<const I: usize, const O: usize> {
            fn forward(&self, input: [f32; I]) -> [f32; O];
            fn then<const P: usize, L: Layer<O, P>>(self, next: L) -> Then<Self, L, O> where Self: Sized { Then { first: self, next } }
        }
        struct Then<A, B, const M: usize> { first: A, next: B }
        impl<A: Layer<I, M>, B: Layer<M, O>, const I: usize, const M: usize, const O: usize> Layer<I, O> for Then<A, B, M> {
            fn forward(&self, input: [f32; I]) -> [f32; O] { self.next.forward(self.first.forward(input)) }
        }
        struct Sums<const I: usize, const O: usize>(f32);
        impl<const I: usize, const O: usize> Layer<I, O> for Sums<I, O> {
            fn forward(&self, input: [f32; I]) -> [f32; O] { core::array::from_fn(|o| input.iter().sum::<f32>() * self.0 + o as f32) }
        }
        struct Pointwise<F>(F);
        impl<F: Fn(f32) -> f32, const N: usize> Layer<N, N> for Pointwise<F> { fn forward(&self, input: [f32; N]) -> [f32; N] { input.map(&self.0) } }
        let gain = f[i];
        let network = Sums::<3, 4>(0.5).then(Pointwise(move |v: f32| v * gain)).then(Sums::<4, 2>(0.25)).then(Pointwise(|v: f32| v + 1.0));
        let [a, b] = network.forward([f[i], 1.0, 2.0]);
        a * 3.0 + b
    }
    "a unit struct with arguments, `Die::<6>`, of which a method's type is inferred" unit_struct_with_arguments -> u32 |i, x, f| {
        trait Chance { fn draw(&self, seed: u32) -> u32; }
        struct Die<const SIDES: u32>;
        impl<const SIDES: u32> Chance for Die<SIDES> { fn draw(&self, seed: u32) -> u32 { seed % SIDES + 1 } }
        struct Pair<A, B>(A, B);
        impl<A: Chance, B: Chance> Chance for Pair<A, B> { fn draw(&self, seed: u32) -> u32 { self.0.draw(seed) * 100 + self.1.draw(seed / 7) } }
        struct Game { seed: u32 }
        impl Game { fn play<C: Chance>(&mut self, chance: &C) -> u32 { self.seed = self.seed % 1009 * 5 + 3; chance.draw(self.seed) } }
        let mut game = Game { seed: x[i] as u32 };
        game.play(&Die::<6>) + game.play(&Pair(Die::<20>, Die::<{ 2 * 2 }>)) * 10
    }
    "an associated type of a tuple, made of those of its parts" associated_of_tuples -> u32 |i, x, f| {
        trait Sum { type State: Copy; const FIRST: Self::State; fn add(state: Self::State, v: u32) -> Self::State; fn end(state: Self::State) -> u32; }
        struct Plain; struct Turned;
        impl Sum for Plain { type State = u32; const FIRST: u32 = 3; fn add(state: u32, v: u32) -> u32 { state.wrapping_add(v) } fn end(state: u32) -> u32 { state } }
        impl Sum for Turned { type State = [u32; 2]; const FIRST: [u32; 2] = [1, 2]; fn add([a, b]: [u32; 2], v: u32) -> [u32; 2] { [b, a ^ v] } fn end([a, b]: [u32; 2]) -> u32 { a.wrapping_mul(b) } }
        impl<A: Sum, B: Sum> Sum for (A, B) {
            type State = (A::State, B::State);
            const FIRST: Self::State = (A::FIRST, B::FIRST);
            fn add((a, b): Self::State, v: u32) -> Self::State { (A::add(a, v), B::add(b, v)) }
            fn end((a, b): Self::State) -> u32 { A::end(a) ^ B::end(b).rotate_left(7) }
        }
        fn of<S: Sum>(x: &[i32]) -> u32 { S::end(x.iter().fold(S::FIRST, |state, v| S::add(state, *v as u32))) }
        of::<(Plain, (Turned, (Plain, Turned)))>(&x[..i]) ^ of::<((Plain, Plain), Turned)>(x)
    }
    "constants of one name of two traits, by the bound" two_constants -> i32 |i, x, f| {
        trait Near { const K: i32; fn near(&self) -> i32 { <Self as Near>::K * 2 } }
        trait Far { const K: i32; fn far(&self, by: i32) -> i32 { by + <Self as Far>::K } }
        struct Point(i32);
        impl Near for Point { const K: i32 = 3; }
        impl Far for Point { const K: i32 = 50; fn far(&self, by: i32) -> i32 { self.0 * by - <Self as Far>::K } }
        impl Near for i32 { const K: i32 = 7; }
        impl Far for i32 { const K: i32 = 11; }
        fn of_near<T: Near>(of: &T) -> i32 { of.near() + T::K }
        fn of_far<T: Far>(of: &T) -> i32 { of.far(2) * T::K }
        let p = Point(x[i]);
        of_near(&p) + of_far(&p) * 3 + of_near(&x[i]) * 5 + of_far(&x[i]) * 7
    }
    "several impls of a generic trait for one type, of which a bound or a path means one" impls_by_bound -> i32 |i, x, f| {
        trait Op<T> { const IDENTITY: T; fn apply(a: T, b: T) -> T; }
        struct Plus; struct Largest;
        impl Op<f32> for Plus { const IDENTITY: f32 = 0.5; fn apply(a: f32, b: f32) -> f32 { a + b } }
        impl Op<i32> for Plus { const IDENTITY: i32 = 7; fn apply(a: i32, b: i32) -> i32 { a + b } }
        impl Op<f32> for Largest { const IDENTITY: f32 = -3.0; fn apply(a: f32, b: f32) -> f32 { a.max(b) } }
        impl Op<i32> for Largest { const IDENTITY: i32 = -3; fn apply(a: i32, b: i32) -> i32 { a.max(b) } }
        struct Sum<T, O> { value: T, op: core::marker::PhantomData<O> }
        impl<T: Copy, O: Op<T>> Sum<T, O> {
            fn new() -> Self { Sum { value: O::IDENTITY, op: core::marker::PhantomData } }
            fn take(mut self, x: T) -> Self { self.value = O::apply(self.value, x); self }
        }
        fn reduce<T: Copy, O: Op<T>>(values: [T; 3]) -> T { values.iter().fold(Sum::<T, O>::new(), |sum, v| sum.take(*v)).value }
        fn by_name<T: Copy, O: Op<T>>(a: T, b: T, c: T) -> T { [a, b, c].into_iter().reduce(O::apply).unwrap_or(O::IDENTITY) }
        let ints = reduce::<i32, Plus>([x[i], 1, 2]) + reduce::<i32, Largest>([x[i], 1, 2]) * 100 + by_name::<i32, Plus>(x[i], 4, 5);
        let floats = reduce::<f32, Plus>([f[i], 1.0, 2.0]) + by_name::<f32, Largest>(f[i], 4.0, 5.0);
        ints + floats as i32 + <Plus as Op<i32>>::IDENTITY + <Plus as Op<f32>>::apply(1.5, f[i]) as i32
    }
    "`Self::NAME` in a default method beside another trait's" self_constants -> i32 |i, x, f| {
        trait Wide { const SIZE: i32; fn width(&self) -> i32 { Self::SIZE * 10 } fn unit() -> i32 { Self::SIZE } }
        trait High { const SIZE: i32; fn height(&self) -> i32 { Self::SIZE + Self::unit() } fn unit() -> i32 { 3 } }
        struct Sheet(i32);
        impl Wide for Sheet { const SIZE: i32 = 4; }
        impl High for Sheet { const SIZE: i32 = 9; }
        let sheet = Sheet(x[i]);
        sheet.width() * 100 + sheet.height() + sheet.0
    }
    "`ZERO` and `ONE` of one's own traits for numbers" own_zero -> f32 |i, x, f| {
        trait Field: Copy { const ZERO: Self; const ONE: Self; fn zero() -> Self { Self::ZERO } fn of(v: i32) -> Self; fn plus(self, o: Self) -> Self { o } }
        impl Field for f32 { const ZERO: f32 = 0.25; const ONE: f32 = Self::ZERO + 1.5; fn of(v: i32) -> f32 { v as f32 * f32::ONE + Self::ZERO } }
        impl Field for i32 { const ZERO: i32 = 0; const ONE: i32 = 3; fn of(v: i32) -> i32 { v - Self::ONE } }
        fn both<T: Field>() -> [T; 2] { [T::ZERO, T::ONE] }
        fn of_number<T: Number>() -> T { T::ONE }
        let halves: Option<f32> = [Some(f[i]), None].into_iter().sum();
        both::<f32>()[1] + both::<i32>()[1] as f32 + both::<f32>()[0] + f32::of(x[i]) + i32::of(x[i]) as f32 * 100.0 + f32::zero().plus(f[i]) + halves.unwrap_or(<f32 as Field>::ONE) * of_number::<f32>()
    }
    "methods of operators beside `impl Mul<V> for f32`" operator_beside_numbers -> f32 |i, x, f| {
        use core::ops::{Add, Mul};
        #[derive(Clone, Copy)] struct V(f32, f32);
        impl Mul for V { type Output = V; fn mul(self, o: V) -> V { V(self.0.mul(o.0), self.1.mul(&o.1)) } }
        impl Mul<f32> for V { type Output = V; fn mul(self, k: f32) -> V { self.mul(V(k, k + 1.0)) } }
        impl Mul<V> for f32 { type Output = V; fn mul(self, v: V) -> V { v.mul(self) } }
        let v = 2.0_f32.mul(V(f[i], 1.0));
        v.0.mul(3.0) + f[i].mul(v).1.add(1.0)
    }
    "literals that a bound `Into` of one's own type decides" into_own -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct R(i64);
        impl From<i64> for R { fn from(v: i64) -> R { R(v) } }
        impl From<bool> for R { fn from(v: bool) -> R { R(v as i64) } }
        impl<T: Into<R>> core::ops::Mul<T> for R { type Output = R; fn mul(self, o: T) -> R { let o = o.into(); R(self.0 * o.0) } }
        fn add(a: R, b: impl Into<R>) -> R { R(a.0 + b.into().0) }
        fn sub<T>(a: R, b: T) -> R where T: Into<R> { R(a.0 - b.into().0) }
        let r = R(x[i] as i64) * 2 * (x[i] > 0);
        sub(add(r, 5), 3).0 as i32
    }
    "functions of one's own traits of slices by their paths" slice_trait_paths -> i32 |i, x, f| {
        trait Total { fn total(&self) -> i32; fn clear(&mut self); }
        trait Twice { fn twice(&self) -> i32; fn clear(&mut self); }
        impl Total for [i32] { fn total(&self) -> i32 { self.iter().sum() } fn clear(&mut self) { self.fill(1) } }
        impl Twice for [i32] { fn twice(&self) -> i32 { Total::total(self) * 2 } fn clear(&mut self) { self.fill(5) } }
        trait By<T> { fn by(&self, k: T) -> i32; }
        impl By<i32> for [i32] { fn by(&self, k: i32) -> i32 { self[0] * k } }
        impl By<bool> for [i32] { fn by(&self, k: bool) -> i32 { self[1] * 7 + k as i32 } }
        let mut a = [x[i], 2, 3];
        let sum = Total::total(&a[..2]) + a.twice() + Twice::twice(&x[..3]);
        Total::clear(&mut a[..2]);
        Twice::clear(&mut a[1..]);
        sum + a.total() + By::<bool>::by(&x[..3], true)
    }
    "associated constants that are pointers to functions, called" constant_pointers -> f32 |i, x, f| {
        fn half(v: f32) -> f32 { v / 2.0 }
        struct Add;
        impl Add { const BY: f32 = 3.0; const F: fn(f32) -> f32 = |v| v + Self::BY; fn run(v: f32) -> f32 { Self::F(v) + (Self::F)(1.0) } }
        trait Act { const F: fn(f32) -> f32; fn go(v: f32) -> f32 { Self::F(v) } }
        struct Relu;
        struct Half;
        impl Act for Relu { const F: fn(f32) -> f32 = |v| v.max(0.0); }
        impl Act for Half { const F: fn(f32) -> f32 = half; }
        Add::run(f[i]) + Add::F(2.0) + Relu::go(f[i]) + <Half as Act>::F(f[i])
    }
    "functions that a scalar has by itself, by the path of its type, beside a trait's of that name" scalars_before_traits -> f32 |i, x, f| {
        trait Small: Copy { fn from_f32(v: f32) -> Self; fn wide(self) -> f32; fn least(self, o: Self) -> Self; const EPSILON: Self; }
        impl Small for f16 {
            fn from_f32(v: f32) -> f16 { f16::from_f32(v * 2.0) }
            fn wide(self) -> f32 { f16::to_f32(self) + 1.0 }
            fn least(self, o: f16) -> f16 { if self < o { self } else { o } }
            const EPSILON: f16 = f16::ONE;
        }
        trait Root { fn sqrt(self) -> Self; fn root(self) -> Self; }
        impl Root for f32 { fn sqrt(self) -> f32 { f32::sqrt(self) + 100.0 } fn root(self) -> f32 { Self::sqrt(self) } }
        fn through<T: Small>(v: f32) -> f32 { T::from_f32(v).least(T::EPSILON).wide() }
        type Real = f32;
        through::<f16>(f[i]) + f16::from_f32(f[i]).wide() * 10.0 + Real::sqrt(f[i].abs()) + <f32 as Root>::sqrt(4.0) + 9.0_f32.root()
    }
    "a derived order and equality beside those with another type, called as methods" derived_beside_other -> i32 |i, x, f| {
        use core::cmp::Ordering;
        #[derive(Clone, Copy, PartialEq, PartialOrd)] struct Half(i32);
        impl PartialEq<i32> for Half { fn eq(&self, o: &i32) -> bool { self.0 == o * 2 } }
        impl PartialOrd<i32> for Half { fn partial_cmp(&self, o: &i32) -> Option<Ordering> { self.0.partial_cmp(&(o * 2)) } }
        let (a, b) = (Half(x[i]), Half(6));
        let own = match a.partial_cmp(&b) { Some(Ordering::Less) => 1, Some(Ordering::Equal) => 2, _ => 3 };
        let other = match a.partial_cmp(&3) { Some(Ordering::Less) => 10, Some(Ordering::Equal) => 20, _ => 30 };
        own + other + a.eq(&3) as i32 * 200 + (a == b) as i32 * 100 + (a < b) as i32 * 1000 + (a < 3) as i32 * 2000
    }
    "functions and constants of a type's own `impl`, by its path, beside a trait's of those names" inherent_before_traits -> i32 |i, x, f| {
        trait Word: Copy { const BITS: u32; const ZERO: i32; fn make(v: i32) -> Self; fn low(self) -> i32; }
        macro_rules! words { ($($ty:ty)*) => { $(impl Word for $ty {
            const BITS: u32 = <$ty>::BITS + 1;
            const ZERO: i32 = 7;
            fn make(v: i32) -> Self { v as $ty }
            fn low(self) -> i32 { (self >> (Self::BITS / 8)) as i32 }
        })* }; }
        words!(u16 u64 u128);
        #[derive(Clone, Copy)] struct Small(i32);
        impl Small { const ZERO: i32 = 1; fn make(v: i32) -> Small { Small(v + 100) } }
        impl Word for Small {
            const BITS: u32 = 5;
            const ZERO: i32 = Small::ZERO + 20;
            fn make(v: i32) -> Self { Small(v) }
            fn low(self) -> i32 { self.0 + Self::make(1).0 }
        }
        fn of<W: Word>(v: i32) -> i32 { W::make(v).low() + W::BITS as i32 * 100 + W::ZERO }
        of::<u16>(x[i]) + of::<u64>(x[i]) + of::<u128>(x[i]) + of::<Small>(x[i]) + Small::make(x[i]).0 + Small::ZERO + <Small as Word>::ZERO
    }
    "a literal for a function `from` of a trait of one's own" own_from -> f32 |i, x, f| {
        trait Unit { fn from(v: i32) -> Self; }
        impl Unit for f32 { fn from(v: i32) -> f32 { v as f32 * 0.5 } }
        fn unit<T: Unit>() -> T { T::from(4) }
        fn exact<T: From<u8>>() -> T { T::from(4) }
        unit::<f32>() * f[i] + exact::<f64>() as f32 * x[i] as f32
    }
    "an associated type by the arguments of its trait" output_by_arguments -> f32 |i, x, f| {
        use core::ops::Mul;
        #[derive(Clone, Copy)] struct At(f32);
        impl Mul<i32> for At { type Output = i32; fn mul(self, by: i32) -> i32 { self.0 as i32 * by } }
        impl Mul<f32> for At { type Output = f32; fn mul(self, by: f32) -> f32 { self.0 * by } }
        fn scaled<I: Iterator>(it: &mut I, by: f32) -> Option<<I::Item as Mul<f32>>::Output> where I::Item: Mul<f32> { Some(it.next()? * by) }
        scaled(&mut f[i..].iter().map(|v| At(*v)), 0.25).unwrap_or(0.0) + (At(f[i]) * x[i]) as f32
    }
    "associated types of other associated types, by qualified paths" qualified_types -> i32 |i, x, f| {
        use core::ops::{Mul, Sub};
        #[derive(Clone, Copy)] struct At(i32);
        #[derive(Clone, Copy)] struct Far(i32);
        impl Sub for At { type Output = Far; fn sub(self, o: At) -> Far { Far(self.0 - o.0) } }
        impl Mul<i32> for At { type Output = At; fn mul(self, by: i32) -> At { At(self.0 * by) } }
        struct Deltas<I: Iterator> { it: I, last: Option<I::Item> }
        impl<I> Iterator for Deltas<I> where I: Iterator, I::Item: Copy + Sub {
            type Item = <I::Item as Sub>::Output;
            fn next(&mut self) -> Option<Self::Item> {
                let last = match self.last { Some(v) => v, None => self.it.next()? };
                let now = self.it.next()?;
                self.last = Some(now);
                Some(now - last)
            }
        }
        fn scaled<I: Iterator>(it: &mut I, by: i32) -> Option<<I::Item as Mul<i32>>::Output> where I::Item: Mul<i32> { Some(it.next()? * by) }
        let far: i32 = Deltas { it: x[i..].iter().map(|v| At(*v)), last: None }.map(|far| far.0.abs()).take(5).sum();
        far + Deltas { it: x.iter().copied(), last: None }.take(3).sum::<i32>() + scaled(&mut x[i..].iter().map(|v| At(*v)), 3).map_or(0, |at| at.0)
    }
    "an associated type of a type by its name, also in another path" type_projection -> i32 |i, x, f| {
        trait Unit { type Base: Unit; type Raw: Copy; const FACTOR: i32; }
        struct Metre; struct Mile;
        impl Unit for Metre { type Base = Metre; type Raw = i32; const FACTOR: i32 = 1; }
        impl Unit for Mile { type Base = Metre; type Raw = i16; const FACTOR: i32 = 1609; }
        fn factor<U: Unit>() -> i32 { U::FACTOR + 10 * <<U as Unit>::Base as Unit>::FACTOR }
        let raw: <Mile as Unit>::Raw = x[i] as _;
        raw as i32 * <Mile as Unit>::FACTOR + <<Mile as Unit>::Base as Unit>::FACTOR + factor::<Mile>() + factor::<<Mile as Unit>::Base>()
    }
    "impls of `AsRef`, `Borrow` and `Hasher`" as_ref -> i32 |i, x, f| {
        use core::borrow::Borrow;
        use core::fmt;
        use core::hash::Hasher;
        struct Name { bytes: [u8; 4], len: usize }
        impl AsRef<[u8]> for Name { fn as_ref(&self) -> &[u8] { &self.bytes[..self.len] } }
        impl fmt::Display for Name { fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result { write!(out, "{}", self.len) } }
        impl Borrow<u8> for Name { fn borrow(&self) -> &u8 { &self.bytes[0] } }
        struct Fnv(u64);
        impl Hasher for Fnv {
            fn finish(&self) -> u64 { self.0 }
            fn write(&mut self, bytes: &[u8]) { for b in bytes { self.0 = (self.0 ^ *b as u64).wrapping_mul(0x0100_0000_01b3); } }
        }
        fn hash(name: &impl AsRef<[u8]>) -> u64 { let mut hasher = Fnv(0xcbf2_9ce4); hasher.write(name.as_ref()); hasher.finish() }
        let name = Name { bytes: [x[i] as u8, 2, 3, 4], len: i % 4 + 1 };
        let first: &u8 = name.borrow();
        hash(&name) as i32 ^ (name.as_ref().len() as i32 * 1000 + *first as i32)
    }
    "a trait for a type and for references to it, by references of references" by_references -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct S(i32);
        trait Depth { fn depth(&self) -> i32; fn change(&mut self) -> i32; }
        impl Depth for S { fn depth(&self) -> i32 { 1 } fn change(&mut self) -> i32 { 10 } }
        impl Depth for &S { fn depth(&self) -> i32 { 2 } fn change(&mut self) -> i32 { 20 } }
        impl Depth for &mut S { fn depth(&self) -> i32 { 3 } fn change(&mut self) -> i32 { 30 } }
        trait Other { fn own(&self) -> i32; }
        impl Other for &S { fn own(&self) -> i32 { self.0 + 7 } }
        impl S { fn own(&self) -> i32 { self.0 } }
        let mut s = S(x[i]);
        let mut r = &s;
        let a = r.depth() + (&r).depth() * 10 + (&&&s).depth() * 100 + (&mut r).change() * 1000;
        let b = s.own() + r.own() * 3 + (&r).own() * 5 + (&&&s).own() * 7;
        let mut q = &mut s;
        a + b + q.depth() * 3 + q.change() * 5 + (&q).depth() * 7 + (&mut q).change() * 11
    }
}
