//! Structs, impls, operators, associated items.

crate::harness::constructs! {
    "a struct" plain_struct -> i32 |i, x, f| { struct P { a: i32, b: i32 } let p = P { a: x[i], b: 3 }; p.a * p.b }
    "a tuple struct" tuple_struct -> i32 |i, x, f| { struct P(i32, i32); let p = P(x[i], 3); p.0 * p.1 }
    "a unit struct" unit_struct -> i32 |i, x, f| { struct U; impl U { fn v(&self) -> i32 { 5 } } let u = U; u.v() + x[i] }
    "field shorthand and order" field_shorthand -> i32 |i, x, f| { struct P { a: i32, b: i32 } let b = x[i]; let a = 2; let p = P { b, a }; p.a * 100 + p.b }
    "struct update syntax" struct_update -> i32 |i, x, f| { #[derive(Clone, Copy)] struct P { a: i32, b: i32, c: i32 } let p = P { a: 1, b: 2, c: x[i] }; let q = P { b: 9, ..p }; q.a + q.b * q.c }
    "operators by the functions of their traits" operator_functions -> i32 |i, x, f| {
        use core::ops::{Add, Mul, Neg, Not, Sub};
        #[derive(Clone, Copy)] struct M(i32);
        impl Add for M { type Output = M; fn add(self, o: M) -> M { M(Add::add(self.0, o.0)) } }
        impl Mul<i32> for M { type Output = M; fn mul(self, k: i32) -> M { M(Mul::mul(self.0, k)) } }
        macro_rules! both { ($Trait:ident::$method:ident, $a:expr, $b:expr) => { $Trait::$method($a, $b) }; }
        let m = Add::add(M(x[i]), Mul::mul(M(3), 2 + 1)).0;
        both!(Sub::sub, m, 1 + x[i]) * core::ops::BitXor::bitxor(7, 2) + Neg::neg(x[i] - 1) + i32::from(Not::not(x[i] > 3 && m > 2))
    }
    "a collection on the right of an operator" collected_operand -> u32 |i, x, f| {
        use core::ops::BitOrAssign;
        #[derive(Clone, Copy)] struct Set(u32);
        impl FromIterator<usize> for Set { fn from_iter<I: IntoIterator<Item = usize>>(it: I) -> Self { Set(it.into_iter().fold(0, |s, k| s | 1 << k)) } }
        impl BitOrAssign for Set { fn bitor_assign(&mut self, o: Set) { self.0 |= o.0; } }
        let mut set = Set(1 << 20);
        set |= [i % 7, i % 11].into_iter().collect();
        set |= (0..3).map(|k| 8 + k * (i % 3)).collect();
        set.0
    }
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
    "`Self` handed over as a constructor" self_constructor -> i32 |i, x, f| {
        #[derive(Clone, Copy)]
        struct Metres(i32);
        impl Metres {
            fn checked(v: i32) -> Option<Self> { Some(v).filter(|v| *v >= 0).map(Self) }
            fn all(v: [i32; 3]) -> [Self; 3] { v.map(Self) }
        }
        Metres::checked(x[i]).map_or(-1, |m| m.0) + Metres::all([x[i], 2, 3]).iter().map(|m| m.0).sum::<i32>()
    }
    "fixed-point numbers" fixed_point -> i32 |i, x, f| {
        use core::ops::{Add, Div, Mul, MulAssign, Neg, Sub};
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
        struct Fixed<const FRAC: u32>(i32);
        type Q8 = Fixed<8>;
        impl<const FRAC: u32> Fixed<FRAC> {
            const ONE: Self = Self(1 << FRAC);
            const fn from_int(v: i32) -> Self { Self(v << FRAC) }
            fn sqrt(self) -> Option<Self> {
                if self.0 < 0 { return None; }
                let (mut low, mut high) = (Self(0), self.max(Self::ONE));
                while high - low > Self(1) { let middle = Self((low.0 + high.0) / 2); if middle * middle <= self { low = middle } else { high = middle } }
                Some(low)
            }
        }
        impl<const FRAC: u32> From<i32> for Fixed<FRAC> { fn from(v: i32) -> Self { Self::from_int(v) } }
        impl<const FRAC: u32> From<Fixed<FRAC>> for f32 { fn from(v: Fixed<FRAC>) -> f32 { v.0 as f32 / (1u32 << FRAC) as f32 } }
        macro_rules! forward { ($($trait:ident :: $method:ident => $op:ident),* $(,)?) => { $(impl<const FRAC: u32> $trait for Fixed<FRAC> { type Output = Self; fn $method(self, o: Self) -> Self { Self(self.0.$op(o.0)) } })* }; }
        forward!(Add::add => wrapping_add, Sub::sub => wrapping_sub);
        impl<const FRAC: u32> Mul for Fixed<FRAC> { type Output = Self; fn mul(self, o: Self) -> Self { Self(((self.0 as i64 * o.0 as i64) >> FRAC) as i32) } }
        impl<const FRAC: u32> Div for Fixed<FRAC> { type Output = Self; fn div(self, o: Self) -> Self { Self((((self.0 as i64) << FRAC) / o.0 as i64) as i32) } }
        impl<const FRAC: u32> Neg for Fixed<FRAC> { type Output = Self; fn neg(self) -> Self { Self(-self.0) } }
        impl<const FRAC: u32> MulAssign for Fixed<FRAC> { fn mul_assign(&mut self, o: Self) { *self = *self * o; } }
        let mut v: Q8 = x[i].into();
        v *= -Q8::ONE + 2.into();
        let third = v / Fixed::from(3);
        let as_float: f32 = third.into();
        v.sqrt().unwrap_or(-Q8::ONE).0 + third.0 + (as_float * 8.0) as i32
    }
    "quaternions" quaternions -> f32 |i, x, f| {
        use core::ops::{Add, Mul};
        #[derive(Clone, Copy, Default)]
        struct Vec3 { x: f32, y: f32, z: f32 }
        impl Vec3 {
            const X: Vec3 = Vec3::new(1.0, 0.0, 0.0);
            const fn new(x: f32, y: f32, z: f32) -> Self { Self { x, y, z } }
            fn cross(self, o: Self) -> Self { Self::new(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x) }
            fn dot(self, o: Self) -> f32 { self.x * o.x + self.y * o.y + self.z * o.z }
            fn unit(self) -> Option<Self> { let l = self.dot(self).sqrt(); (l > f32::EPSILON).then(|| self * l.recip()) }
        }
        impl Add for Vec3 { type Output = Self; fn add(self, Self { x, y, z }: Self) -> Self { Self::new(self.x + x, self.y + y, self.z + z) } }
        impl Mul<f32> for Vec3 { type Output = Self; fn mul(self, k: f32) -> Self { Self { x: self.x * k, y: self.y * k, z: self.z * k } } }
        impl Mul<Vec3> for f32 { type Output = Vec3; fn mul(self, v: Vec3) -> Vec3 { v * self } }
        impl From<[f32; 3]> for Vec3 { fn from([x, y, z]: [f32; 3]) -> Self { Self { x, y, z } } }
        #[derive(Clone, Copy)]
        struct Quat { v: Vec3, w: f32 }
        impl Default for Quat { fn default() -> Self { Quat { v: Vec3::default(), w: 1.0 } } }
        impl Quat {
            fn turned(axis: Vec3, c: f32, s: f32) -> Option<Self> { let axis = axis.unit()?; Some(Quat { v: axis * s, w: c }) }
            fn conjugate(self) -> Self { Quat { v: self.v * -1.0, ..self } }
        }
        impl Mul for Quat { type Output = Self; fn mul(self, o: Self) -> Self { Quat { v: self.w * o.v + o.w * self.v + self.v.cross(o.v), w: self.w * o.w - self.v.dot(o.v) } } }
        impl Mul<Vec3> for Quat { type Output = Vec3; fn mul(self, v: Vec3) -> Vec3 { (self * Quat { v, w: 0.0 } * self.conjugate()).v } }
        let q = Quat::turned(Vec3::from([f[i], f[(i + 1) % 50], 1.0]), 0.8, 0.6).unwrap_or_default();
        let p = q * (q * Vec3::X);
        p.x + p.y * 2.0 + p.z * 3.0
    }
    "a bit set with `|`, `&`, `!` and `|=`" bit_set -> i32 |i, x, f| {
        use core::ops::{BitAnd, BitOr, BitOrAssign, Not};
        #[derive(Clone, Copy, PartialEq, Eq)]
        struct BitSet<const WORDS: usize>([u64; WORDS]);
        impl<const WORDS: usize> Default for BitSet<WORDS> { fn default() -> Self { BitSet([0; WORDS]) } }
        impl<const WORDS: usize> BitSet<WORDS> {
            fn insert(&mut self, at: usize) -> bool { let (word, bit) = (at / 64, 1u64 << (at % 64)); let new = self.0[word] & bit == 0; self.0[word] |= bit; new }
            fn contains(&self, at: usize) -> bool { self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 != 0) }
            fn len(&self) -> u32 { self.0.iter().map(|w| w.count_ones()).sum() }
        }
        impl<const WORDS: usize> BitOr for BitSet<WORDS> { type Output = Self; fn bitor(mut self, o: Self) -> Self { self |= o; self } }
        impl<const WORDS: usize> BitOrAssign for BitSet<WORDS> { fn bitor_assign(&mut self, o: Self) { for (a, b) in self.0.iter_mut().zip(&o.0) { *a |= b; } } }
        impl<const WORDS: usize> BitAnd for BitSet<WORDS> { type Output = Self; fn bitand(self, o: Self) -> Self { let mut words = self.0; words.iter_mut().zip(o.0).for_each(|(a, b)| *a &= b); Self(words) } }
        impl<const WORDS: usize> Not for BitSet<WORDS> { type Output = Self; fn not(self) -> Self { Self(self.0.map(|w| !w)) } }
        let (mut a, mut b) = (BitSet::<2>::default(), BitSet::default());
        let new = x[..=i].iter().filter(|v| a.insert((**v + 50) as usize)).count();
        for k in (0..100).step_by(3) { b.insert(k); }
        (a & !b | b & !a).len() as i32 * 100 + new as i32 + a.contains(77) as i32 * 7 + (a == b) as i32 + a.contains(500) as i32
    }
    "a hasher by a trait with a default method" own_hasher -> i32 |i, x, f| {
        trait Hasher: Default { fn write(&mut self, byte: u8); fn finish(&self) -> u64; fn write_i32(&mut self, v: i32) { for byte in v.to_le_bytes() { self.write(byte); } } }
        struct Fnv(u64);
        impl Default for Fnv { fn default() -> Self { Fnv(0xcbf2_9ce4_8422_2325) } }
        impl Hasher for Fnv { fn write(&mut self, byte: u8) { self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3); } fn finish(&self) -> u64 { self.0 } }
        fn hash<H: Hasher>(key: i32) -> usize { let mut h = H::default(); h.write_i32(key); h.finish() as usize }
        hash::<Fnv>(x[i]) as i32
    }
    "methods that return `&mut Self`, chained" chained_setters -> f32 |i, x, f| {
        #[derive(Default, Clone, Copy)]
        struct Stats { n: u32, mean: f32, m2: f32 }
        impl Stats { fn push(&mut self, v: f32) -> &mut Self { self.n += 1; let d = v - self.mean; self.mean += d / self.n as f32; self.m2 += d * (v - self.mean); self } fn variance(&self) -> Option<f32> { match self.n { 0 | 1 => None, n => Some(self.m2 / (n - 1) as f32) } } }
        let mut s = Stats::default();
        s.push(f[i]).push(0.5).push(-0.5);
        let t = Stats { n: s.n + 1, ..s };
        s.variance().map(f32::sqrt).unwrap_or(9.0) + t.n as f32
    }
    "a builder by values" builder -> i32 |i, x, f| {
        #[derive(Clone, Copy, Default)] struct Config { a: i32, b: Option<i32>, c: bool } impl Config { fn a(mut self, a: i32) -> Self { self.a = a; self } fn b(self, b: i32) -> Self { Config { b: Some(b), ..self } } fn c(self) -> Self { Self { c: true, ..self } } } let c = Config::default().a(x[i]).b(3).c(); c.a + c.b.unwrap_or(0) + c.c as i32
    }
    "comparison with what `into` makes" compared_with_into -> f32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq, PartialOrd)]
        struct Meters(f32);
        impl From<f32> for Meters { fn from(v: f32) -> Meters { Meters(v) } }
        #[derive(Clone, Copy)]
        struct Key(i32);
        impl From<i32> for Key { fn from(v: i32) -> Key { Key(v % 10) } }
        impl PartialEq for Key { fn eq(&self, o: &Key) -> bool { self.0 == o.0 } }
        impl PartialOrd for Key { fn partial_cmp(&self, o: &Key) -> Option<core::cmp::Ordering> { o.0.partial_cmp(&self.0) } }
        let (m, k): (Meters, Key) = (f[i].into(), x[i].into());
        let mut t = if m > 0.5f32.into() { m.0 } else { 0.5 };
        if m != f[i / 2].into() { t += 2.0; }
        if k <= x[i / 2].into() { t += 4.0; }
        if k == 13.into() { t += 8.0; }
        t
    }
}
