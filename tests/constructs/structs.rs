//! Structs, impls, operators, associated items.

crate::harness::constructs! {
    "a struct" plain_struct -> i32 |i, x, f| { struct P { a: i32, b: i32 } let p = P { a: x[i], b: 3 }; p.a * p.b }
    "a tuple struct" tuple_struct -> i32 |i, x, f| { struct P(i32, i32); let p = P(x[i], 3); p.0 * p.1 }
    "a unit struct" unit_struct -> i32 |i, x, f| { struct U; impl U { fn v(&self) -> i32 { 5 } } let u = U; u.v() + x[i] }
    "field shorthand and order" field_shorthand -> i32 |i, x, f| { struct P { a: i32, b: i32 } let b = x[i]; let a = 2; let p = P { b, a }; p.a * 100 + p.b }
    "struct update syntax" struct_update -> i32 |i, x, f| { #[derive(Clone, Copy)] struct P { a: i32, b: i32, c: i32 } let p = P { a: 1, b: 2, c: x[i] }; let q = P { b: 9, ..p }; q.a + q.b * q.c }
    "assignment to a field" field_assignment -> i32 |i, x, f| { struct P { a: i32, b: [i32; 3] } let mut p = P { a: x[i], b: [1, 2, 3] }; p.a += 5; p.b[i % 3] = p.a; p.b[0] + p.b[1] * 2 + p.b[2] * 3 }
    "structs in structs" nested_struct -> f32 |i, x, f| { #[derive(Clone, Copy)] struct V { x: f32, y: f32 } struct S { a: V, b: V } let mut s = S { a: V { x: f[i], y: 1.0 }, b: V { x: 2.0, y: 3.0 } }; s.b.x += s.a.x; s.b = V { y: s.a.y, ..s.b }; s.b.x * s.b.y }
    "methods by value, reference and mutable reference" methods -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct C { n: i32 }
        impl C { fn twice(self) -> i32 { self.n * 2 } fn get(&self) -> i32 { self.n } fn add(&mut self, k: i32) { self.n += k; } }
        let mut c = C { n: x[i] }; c.add(3); c.add(c.n); c.get() + c.twice()
    }
    "associated functions and `Self`" associated_functions -> i32 |i, x, f| {
        struct P { a: i32, b: i32 }
        impl P { fn new(a: i32) -> Self { Self { a, b: Self::default_b() } } fn default_b() -> i32 { 6 } fn mul(&self) -> i32 { self.a * self.b } }
        P::new(x[i]).mul()
    }
    "associated constants" associated_constants -> i32 |i, x, f| { struct P(i32); impl P { const SCALE: i32 = 4; const MORE: i32 = Self::SCALE + 1; fn v(&self) -> i32 { self.0 * Self::SCALE } } P(x[i]).v() + P::MORE }
    "operators on own types" operators -> f32 |i, x, f| {
        use core::ops::{Add, Mul, Neg, Sub};
        #[derive(Clone, Copy)] struct V3 { x: f32, y: f32, z: f32 }
        impl Add for V3 { type Output = V3; fn add(self, o: V3) -> V3 { V3 { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z } } }
        impl Sub for V3 { type Output = V3; fn sub(self, o: V3) -> V3 { V3 { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z } } }
        impl Mul<f32> for V3 { type Output = V3; fn mul(self, s: f32) -> V3 { V3 { x: self.x * s, y: self.y * s, z: self.z * s } } }
        impl Mul for V3 { type Output = f32; fn mul(self, o: V3) -> f32 { self.x * o.x + self.y * o.y + self.z * o.z } }
        impl Neg for V3 { type Output = V3; fn neg(self) -> V3 { V3 { x: -self.x, y: -self.y, z: -self.z } } }
        let a = V3 { x: f[i], y: 1.0, z: 2.0 }; let b = V3 { x: 0.5, y: f[(i + 1) % 50], z: -1.0 };
        (a + b * 2.0 - -a) * b
    }
    "compound operators on own types" compound_operators -> i32 |i, x, f| {
        use core::ops::{AddAssign, MulAssign};
        struct P(i32, i32);
        impl AddAssign<i32> for P { fn add_assign(&mut self, k: i32) { self.0 += k; self.1 -= k; } }
        impl MulAssign<i32> for P { fn mul_assign(&mut self, k: i32) { self.0 *= k; self.1 *= k; } }
        let mut p = P(x[i], 1); p += 4; p *= 3; p.0 * 2 + p.1
    }
    "derived equality" derived_equality -> i32 |i, x, f| { #[derive(Clone, Copy, PartialEq)] struct P { a: i32, b: (i32, bool) } let p = P { a: x[i] & 1, b: (1, true) }; (p == P { a: 1, b: (1, true) }) as i32 + (p != P { a: 0, b: (1, true) }) as i32 * 2 }
    "own equality" own_equality -> i32 |i, x, f| { struct M(i32); impl PartialEq for M { fn eq(&self, o: &M) -> bool { (self.0 - o.0) % 7 == 0 } } (M(x[i]) == M(3)) as i32 + (M(x[i]) != M(4)) as i32 * 2 }
    "derived and own `Default`" defaults -> i32 |i, x, f| { #[derive(Default)] struct P { a: i32, b: [i32; 2] } struct Q(i32); impl Default for Q { fn default() -> Q { Q(8) } } let p = P { a: x[i], ..P::default() }; let q = Q::default(); p.a + p.b[1] + q.0 }
    "`From` and `into`" conversions -> i32 |i, x, f| { struct P(i32); impl From<i32> for P { fn from(v: i32) -> P { P(v * 3) } } let p: P = x[i].into(); let q = P::from(2); p.0 + q.0 }
    "`clone`" clones -> i32 |i, x, f| { #[derive(Clone)] struct P { a: i32 } let p = P { a: x[i] }; let mut q = p.clone(); q.a += 1; p.a * q.a }
    "struct patterns" struct_patterns -> i32 |i, x, f| { struct P { a: i32, b: i32, c: i32 } let p = P { a: x[i], b: 1, c: 2 }; let P { a, b: second, .. } = p; match p { P { a: 0, .. } => 5, P { c, a: n @ 1..=20, .. } => n * c, P { .. } => a + second } }
    "arrays of structs" array_of_structs -> i32 |i, x, f| { #[derive(Clone, Copy)] struct P { a: i32, b: i32 } let mut s = [P { a: 1, b: 2 }; 4]; s[i % 4].a = x[i]; s[1].b += s[1].a; s[0].a + s[1].b + s[2].a * 2 + s[3].b }
    "methods that return structs" method_chain -> i32 |i, x, f| { #[derive(Clone, Copy)] struct P(i32); impl P { fn add(self, k: i32) -> P { P(self.0 + k) } fn dbl(self) -> P { P(self.0 * 2) } } P(x[i]).add(3).dbl().add(1).0 }
    "generic structs" generic_struct -> f32 |i, x, f| { #[derive(Clone, Copy)] struct Pair<T> { a: T, b: T } impl<T: Copy> Pair<T> { fn swap(self) -> Pair<T> { Pair { a: self.b, b: self.a } } } let p = Pair { a: f[i], b: 2.0 }.swap(); let q = Pair { a: x[i], b: 7 }.swap(); p.a * p.b + q.a as f32 }
    "structs with const parameters" const_struct -> i32 |i, x, f| { struct Ring<const N: usize> { v: [i32; N] } impl<const N: usize> Ring<N> { fn at(&self, k: usize) -> i32 { self.v[k % N] } } let r = Ring::<3> { v: [x[i], 5, 6] }; r.at(i) + r.at(i + 1) * 2 }
    "complex numbers" complex -> f32 |i, x, f| {
        use core::ops::{Add, Mul};
        #[derive(Clone, Copy)] struct C { re: f32, im: f32 }
        impl Mul for C { type Output = C; fn mul(self, o: C) -> C { C { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re } } }
        impl Add for C { type Output = C; fn add(self, o: C) -> C { C { re: self.re + o.re, im: self.im + o.im } } }
        let c = C { re: f[i] * 0.1, im: 0.3 }; let mut z = c;
        for _ in 0..5 { z = z * z + c; }
        z.re + z.im
    }
    "alias of a type" type_alias -> i32 |i, x, f| { type Number = i32; type Pair = (Number, Number); let p: Pair = (x[i], 2); p.0 * p.1 }
    "a random generator as a struct" generator_struct -> u32 |i, x, f| { struct Rng(u32); impl Rng { fn next(&mut self) -> u32 { self.0 ^= self.0 << 13; self.0 ^= self.0 >> 17; self.0 ^= self.0 << 5; self.0 } } let mut r = Rng(i as u32 + 1); let a = r.next(); let b = r.next(); a.wrapping_add(b).wrapping_mul(r.next()) }
    "two indices of one's own" two_indices -> i32 |i, x, f| {
        use core::ops::{Index, IndexMut};
        struct Grid { v: [i32; 12] }
        impl Index<usize> for Grid { type Output = i32; fn index(&self, k: usize) -> &i32 { &self.v[k] } }
        impl Index<(usize, usize)> for Grid { type Output = i32; fn index(&self, (r, c): (usize, usize)) -> &i32 { &self.v[r * 4 + c] } }
        impl IndexMut<(usize, usize)> for Grid { fn index_mut(&mut self, (r, c): (usize, usize)) -> &mut i32 { &mut self.v[r * 4 + c] } }
        impl IndexMut<usize> for Grid { fn index_mut(&mut self, k: usize) -> &mut i32 { &mut self.v[k] } }
        let mut g = Grid { v: [0; 12] };
        g[(1, i % 4)] = x[i];
        g[i % 12] += 3;
        g[(2, 1)] += g[(1, 1)] * 5 + g[7];
        g.v.iter().fold(0, |s, v| s * 3 % 1009 + v)
    }
    "strings for the host among constants" host_strings -> i32 |i, x, f| {
        trait Named { const NAME: &'static str; const BY: i32; }
        struct A; struct B;
        impl Named for A { const NAME: &'static str = "a"; const BY: i32 = 3; }
        impl Named for B { const NAME: &'static str = "b"; const BY: i32 = 5; }
        const TITLE: &str = "named";
        fn scaled<N: Named>(v: i32) -> i32 { v * N::BY }
        scaled::<A>(x[i]) + scaled::<B>(i as i32)
    }
    "`PhantomData`" phantom_data -> i32 |i, x, f| {
        use core::marker::PhantomData;
        trait Unit { const SCALE: i32; }
        struct Metres;
        struct Feet;
        impl Unit for Metres { const SCALE: i32 = 100; }
        impl Unit for Feet { const SCALE: i32 = 30; }
        #[derive(Clone, Copy, PartialEq, Default)]
        struct Length<U> { value: i32, unit: PhantomData<U> }
        struct Of<'a, T>(&'a [i32], PhantomData<fn(&'a i32) -> T>);
        impl<U: Unit> Length<U> {
            fn new(value: i32) -> Self { Length { value, unit: PhantomData } }
            fn centimetres(&self) -> i32 { self.value * U::SCALE }
        }
        let of = Of::<Feet>(x, PhantomData);
        let _unit: PhantomData<Feet> = PhantomData;
        Length::<Metres>::new(x[i]).centimetres() + Length::<Feet>::new(of.0[0]).centimetres()
    }
}
