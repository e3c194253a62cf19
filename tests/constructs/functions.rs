//! Functions inside a body.

crate::harness::constructs! {
    "a nested function" nested_function -> i32 |i, x, f| { fn square(v: i32) -> i32 { v * v } square(x[i]) + square(3) }
    "functions that call functions" call_chain -> i32 |i, x, f| { fn a(v: i32) -> i32 { b(v) + 1 } fn b(v: i32) -> i32 { v * 2 } a(b(x[i])) }
    "`return`" early_return -> i32 |i, x, f| { fn sign(v: i32) -> i32 { if v > 0 { return 1; } if v < 0 { return -1; } 0 } sign(x[i]) * 10 }
    "`return` from loops" return_from_loop -> i32 |i, x, f| { fn find(x: &[i32], v: i32) -> i32 { for k in 0..x.len() { if x[k] > v { return k as i32; } } -1 } find(x, x[i]) }
    "functions without a result" unit_function -> i32 |i, x, f| { fn bump(v: &mut i32, by: i32) { if by == 0 { return; } *v += by; } let mut v = x[i]; bump(&mut v, 3); bump(&mut v, 0); v }
    "tuples as results" tuple_result -> i32 |i, x, f| { fn divmod(a: i32, b: i32) -> (i32, i32) { (a / b, a % b) } let (q, r) = divmod(x[i], 7); q * 100 + r }
    "arrays as parameters and results" array_parameter -> i32 |i, x, f| { fn rev(a: [i32; 3]) -> [i32; 3] { [a[2], a[1], a[0]] } let r = rev([x[i], 2, 3]); r[0] * 100 + r[2] }
    "patterns in parameters" pattern_parameter -> i32 |i, x, f| { fn cross((a, b): (i32, i32), [c, d]: [i32; 2]) -> i32 { a * d - b * c } cross((x[i], 2), [3, 4]) }
    "`mut` parameters" mut_parameter -> i32 |i, x, f| { fn collatz(mut n: u32) -> i32 { let mut s = 0; while n != 1 { n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 }; s += 1; } s } collatz(i as u32 + 1) }
    "`impl Trait` within the type of a parameter" nested_impl_trait -> i32 |i, x, f| {
        use core::iter::Peekable;
        trait Shape { fn area(&self) -> i32; }
        impl Shape for i32 { fn area(&self) -> i32 { self * self } }
        fn digits<'a>(it: &mut Peekable<impl Iterator<Item = &'a u8>>) -> u32 {
            let mut n = 0;
            while let Some(d) = it.next_if(|c| c.is_ascii_digit()) { n = n * 10 + (d - b'0') as u32; }
            n
        }
        fn total(shapes: &[impl Shape], scale: Option<impl Fn(i32) -> i32>, (add, n): (impl Fn(i32) -> i32, i32)) -> i32 {
            let sum = shapes.iter().map(|shape| shape.area()).sum();
            add(scale.map_or(n, |scale| scale(sum)))
        }
        let mut it = b"12+7".iter().peekable();
        let (a, plus, b) = (digits(&mut it), it.next(), digits(&mut it));
        let k = x[i];
        total(&[k, 2, 3], Some(|v| v * 2 + k), (|v| v + 1, 5)) + (a * 100 + b) as i32 + plus.map_or(0, |c| *c as i32)
    }
    "`const fn`" const_function -> i32 |i, x, f| { const fn cube(v: i32) -> i32 { v * v * v } const C: i32 = cube(3); cube(x[i] % 10) + C }
    "constants of a function" function_const -> i32 |i, x, f| { fn g(v: i32) -> i32 { const K: i32 = 17; v * K } g(x[i]) }
    "structs of a function" function_struct -> i32 |i, x, f| { struct P { a: i32 } fn make(a: i32) -> P { P { a: a + 1 } } fn read(p: &P) -> i32 { p.a * 2 } read(&make(x[i])) }
    "functions called in conditions and loops" call_in_condition -> i32 |i, x, f| { fn small(v: i32) -> bool { v < 20 } let mut v = x[i]; while small(v) { v += 9; } v }
    "a function called many times" called_often -> i32 |i, x, f| { fn step(v: i32, k: i32) -> i32 { let mut w = v; for j in 0..k { w = w * 3 + j; w %= 1001; } w } step(step(step(x[i], 2), 3), 4) + step(1, 2) }
    "never-returning branches" never_result -> i32 |i, x, f| { fn pick(v: i32) -> i32 { match v { 0 => return 100, n if n < 0 => { return -n; } n => n } } pick(x[i]) }
    "shadowed names of functions and variables" shadowed_function -> i32 |i, x, f| { fn v(a: i32) -> i32 { a + 1 } let w = v(x[i]); let v = w * 2; v }
    "floats through functions" float_functions -> f32 |i, x, f| { fn lerp(a: f32, b: f32, t: f32) -> f32 { a + (b - a) * t } lerp(f[i], f[(i + 1) % 50], 0.25) }
    "slices as parameters" slice_parameter -> i32 |i, x, f| { fn sum(s: &[i32], from: usize) -> i32 { let mut t = 0; for k in from..s.len() { t += s[k]; } t } sum(x, i) }
    "`mem::swap`, `mem::replace`, `mem::take`" memory_functions -> i32 |i, x, f| { let (mut a, mut b) = (x[i], 7); core::mem::swap(&mut a, &mut b); let c = core::mem::replace(&mut a, 100); let d = std::mem::take(&mut b); a * 3 + b + c * 5 + d }
    "`hint::spin_loop`" spin_loop -> i32 |i, x, f| { core::hint::spin_loop(); let mut k = 3; while k > 0 { std::hint::spin_loop(); k -= 1; } x[i] + k }
    "`array::from_fn`" array_from_fn -> i32 |i, x, f| { let a: [i32; 4] = core::array::from_fn(|k| x[(i + k) % 50] * k as i32); a[0] + a[1] * 2 + a[3] }
    "`cmp::min`, `cmp::max` and those by a key or an order" least_and_greatest -> i32 |i, x, f| {
        use core::cmp::{self, max, min};
        let near = cmp::min_by_key(x[i], -3, |v| v.abs());
        let last = cmp::max_by_key((1, x[i]), (2, x[i]), |p| p.1).0;
        let low = cmp::min_by(f[i], f[0], |a, b| a.total_cmp(b)) as i32;
        let top = x.iter().copied().fold(x[i], max);
        min(near, 9) * 3 + last * 100 + cmp::max_by(low, 4, |a, b| b.cmp(a)) * 7 + top + max((1, x[i]), (1, 5)).1
    }
    "constructors of the standard library handed over, `drop`, and modules of it by `use`" standard_constructors -> i32 |i, x, f| {
        use std::{cmp, ops::ControlFlow};
        fn less(a: i32, b: i32) -> cmp::Ordering { a.cmp(&b) }
        fn until(v: Option<i32>) -> Option<ControlFlow<i32>> { v.map(ControlFlow::Break) }
        let stop = match until(Some(x[i]).filter(|v| v % 3 != 0)) { Some(ControlFlow::Break(v)) => v, Some(ControlFlow::Continue(())) => 5, None => -2 };
        let least = x[..=i].iter().copied().map(cmp::Reverse).max().map_or(0, |v| v.0);
        let mut next = x[..=i].iter();
        match less(x[i], 10) { cmp::Ordering::Less => drop(next.next()), _ => drop(next.next_back()) }
        stop * 3 + least + next.len() as i32
    }
    "constructors and conversions handed over" constructors -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct Metres(i32);
        #[derive(Clone, Copy)] enum Found { At(usize), Pair(i32, i32), Nothing }
        let m: i32 = x[..=i].iter().copied().map(Metres).map(|m| m.0 % 7).sum();
        let found = x.iter().position(|v| *v == x[i]).map_or(Found::Nothing, Found::At);
        let pair = x[..5].iter().copied().reduce(|a, b| a - b).map(|v| (v, 2)).map_or(Found::Nothing, |(a, b)| Found::Pair(a, b));
        let wide: i64 = [1u8, 2, i as u8].into_iter().map(i64::from).sum();
        let known: i32 = x.iter().copied().map(Some).map(|v: Option<i32>| v.unwrap_or(3) & 3).sum();
        let either: Option<Result<i32, u8>> = Some(x[i]).map(Ok);
        let half: f64 = Some(2u8).map(Into::into).unwrap_or(0.5);
        let found = match found { Found::At(k) => k as i32, Found::Pair(a, b) => a + b, Found::Nothing => -1 };
        let pair = match pair { Found::Pair(a, b) => a * b, _ => 0 };
        m + found * 3 + pair + wide as i32 + known + matches!(either, Some(Ok(_))) as i32 + half as i32
    }
    "pointers to functions as parameters" pointers_to_functions -> i32 |i, x, f| {
        fn twice(v: i32) -> i32 { v * 2 }
        fn apply(g: fn(i32) -> i32, v: i32) -> i32 { g(g(v)) }
        fn pair(op: fn(i32, i32) -> i32, a: i32, b: i32) -> i32 { op(a, b) }
        apply(twice, x[i]) + apply(|v| v - 1, 3) + pair(i32::wrapping_add, x[i], 4) + pair(core::cmp::max, x[i], 5)
    }
    "operators handed over by their names" operators_by_name -> i32 |i, x, f| {
        use core::ops::{Add, BitXor, Mul, Neg};
        #[derive(Clone, Copy)] struct M(i32);
        impl Mul for M { type Output = M; fn mul(self, o: M) -> M { M(self.0 * o.0 + 1) } }
        fn both<T>(op: impl Fn(T, T) -> T, a: T, b: T) -> T { op(a, b) }
        let sum = x[..=i].iter().copied().fold(0, Add::add) + x[..=i].iter().map(Neg::neg).fold(0, core::ops::Sub::sub);
        sum + x.iter().copied().reduce(BitXor::bitxor).unwrap() + both(Mul::mul, M(x[i]), M(3)).0 + both(std::ops::Shl::shl, 1, 4)
    }
    "operators by the names of their types" operators_of_types -> i32 |i, x, f| {
        use core::ops::{Add, BitXor, Neg, Not};
        fn turned<T: Copy + Neg<Output = T>, const N: usize>(v: [T; N]) -> [T; N] { v.map(T::neg) }
        let sum = x[..=i].iter().copied().fold(0, i32::add) - x[..i].iter().copied().map(i32::not).fold(7, i32::bitxor);
        let [a, b] = turned([f[i], 2.0]);
        sum + a as i32 + b as i32 + turned([x[i]; 2])[1]
    }
    "bit fields by a macro" bit_field -> i32 |i, x, f| {
        macro_rules! bits { ($name:ident { $($field:ident : $lo:literal .. $hi:literal),* }) => { #[derive(Clone, Copy)] struct $name(u32); impl $name { $(fn $field(self) -> u32 { self.0 >> $lo & ((1 << ($hi - $lo)) - 1) })* } }; } bits!(Header { kind: 0..3, len: 3..10, id: 10..20 }); let h = Header(x[i] as u32); (h.kind() + h.len() * 3 + h.id() * 5) as i32
    }
    "a generic `const fn` over an array, and constants by it" early_const -> i32 |i, x, f| {
        const fn pick<const N: usize>(table: &[i32; N], k: usize) -> i32 { if k < N { table[k] } else { table[N - 1] } } const FIB: [i32; 10] = { let mut t = [1; 10]; let mut k = 2; while k < 10 { t[k] = t[k - 1] + t[k - 2]; k += 1; } t }; const LAST: i32 = pick(&FIB, 20); pick(&FIB, i) + LAST
    }
    "a macro's value and an operator behind it" macro_then_operator -> i32 |i, x, f| {
        macro_rules! least { ($a:expr) => { $a }; ($a:expr, $($rest:expr),+) => {{ let (a, b) = ($a, least!($($rest),+)); if a < b { a } else { b } }}; }
        fn bounded(v: i32) -> i32 { if v > 20 { return least!(v, 30) + 100; } least!(v, 7) * 2 }
        let v = bounded(x[i]);
        least!(x[i], x[i / 2], 20).abs() * 3 + least![v, 1]
    }
    "pointers to functions, chosen when the kernel runs" chosen_functions -> i32 |i, x, f| {
        fn double(v: i32) -> i32 { v * 2 }
        fn square(v: i32) -> i32 { v * v % 1000 }
        fn pick(k: usize) -> fn(i32) -> i32 { match k % 3 { 0 => double, 1 => square, _ => i32::abs } }
        let op: fn(i32) -> i32 = if x[i] > 0 { double } else { square };
        let kept: Option<fn(i32) -> i32> = (i % 2 == 0).then_some(double);
        op(x[i]) + pick(i)(x[i]) + kept.map_or(7, |g| g(i as i32)) + [x[i], 3].map(pick(i + 1))[0]
    }
    "arrays of functions" function_array -> f32 |i, x, f| {
        fn inc(v: f32) -> f32 { v + 1.0 }
        fn half(v: f32) -> f32 { v * 0.5 }
        const OPS: [fn(f32) -> f32; 3] = [inc, half, f32::abs];
        fn all(ops: &[fn(f32) -> f32], v: f32) -> f32 { ops.iter().fold(v, |v, op| op(v) - 0.25) }
        let [low, high] = [f32::min, f32::max].map(|op| op(f[i], 0.5));
        let mut v = OPS[i % 3](f[i]);
        for op in &OPS { v = op(v); }
        v + all(&OPS[1..], f[i]) + low * 2.0 - high
    }
    "functions in fields" function_fields -> f32 |i, x, f| {
        #[derive(Clone, Copy)]
        struct Rule<T> { when: fn(T) -> bool, then: fn(&mut T) }
        fn big(v: f32) -> bool { v > 1.0 }
        fn small(v: f32) -> bool { v < 0.0 }
        fn halve(v: &mut f32) { *v *= 0.5; }
        fn flip(v: &mut f32) { *v = -*v; }
        let rules: [Rule<f32>; 2] = [Rule { when: big, then: halve }, Rule { when: small, then: flip }];
        let mut v = f[i];
        for rule in &rules { if (rule.when)(v) { (rule.then)(&mut v); } }
        v
    }
    "a closure and a function that take different functions as one parameter" function_parameters -> f32 |i, x, f| {
        fn twice(op: impl Fn(f32) -> f32, v: f32) -> f32 { op(op(v)) }
        fn thrice<F: Fn(f32) -> f32>(op: &F, v: f32) -> f32 { op(op(op(v))) }
        let go = |op: fn(f32, f32) -> f32| op(f[i], 0.5);
        let ops = [f32::abs, f32::floor];
        go(f32::max) - go(f32::min) + twice(ops[i % 2], f[i]) + thrice(&ops[(i + 1) % 2], f[i])
    }
    "closures that become pointers to functions" closure_pointers -> f32 |i, x, f| {
        fn pick(k: usize) -> fn(f32, f32) -> f32 {
            match k % 3 {
                0 => |a, b| a + b,
                1 => |a, b| { let Some(c) = (a > b).then_some(a) else { return b * 0.5 }; c - b },
                _ => |a: f32, b: f32| -> f32 {
                    let mut t = 0.0;
                    for k in 0..3 { if let (1, v) = (k, a) { t += v; } else { t += b; } }
                    match t { v if v > 3.0 => v, w => w * 2.0 }
                },
            }
        }
        let ops = [|v: f32| v + 1.0, |v: f32| v * 2.0];
        let table: [fn(f32) -> f32; 3] = [|v| v - 0.5, f32::abs, |v| -v];
        pick(i)(f[i], 1.5) + ops[i % 2](f[i]) + table[(i + 1) % 3](f[i])
    }
    "methods of numbers that take references, by their names" reference_methods -> i32 |i, x, f| {
        let mut a = [f[i], 2.0, -1.0, 0.5];
        a.sort_unstable_by(f32::total_cmp);
        let best = x[..=i].iter().copied().max_by(i32::cmp).unwrap_or(0);
        let digits = b"1a2 b3".iter().all(u8::is_ascii_alphanumeric) as i32;
        a[1] as i32 * 100 + best + digits + x[i..].iter().copied().map(i32::swap_bytes).fold(0, i32::wrapping_sub)
    }
    "`size_of` and `align_of`" sizes -> i32 |i, x, f| {
        #[derive(Clone, Copy)]
        #[repr(C)]
        struct Packet { kind: u8, of: [f32; 3], id: u64 }
        fn words<T>() -> usize { size_of::<T>() / 4 }
        const BYTES: usize = size_of::<[u16; 5]>();
        let mut bytes = [0u8; size_of::<f32>()];
        bytes.copy_from_slice(&f[i].to_le_bytes());
        bytes[3] as i32 + (BYTES + words::<f64>() * 100 + size_of::<Packet>() * 1000 + align_of::<Packet>()) as i32
    }
    "variants of one name, of which one holds values" variants_of_one_name -> i32 |i, x, f| {
        enum Token { Number(i32), End } #[derive(Clone, Copy)] enum Fault { Number, End(i32) } #[derive(Clone, Copy, PartialEq)] enum Kind { Number, End }
        fn number(v: i32) -> Result<i32, Fault> { if v == 7 { return Err(Fault::Number); } Some(v).filter(|v| *v > -20).ok_or(Fault::Number) }
        let token = x.get(i + 10).copied().map_or(Token::End, Token::Number);
        let fault = number(x[i]).map_err(|fault| match fault { Fault::Number => 3, Fault::End(v) => v }).unwrap_or_else(|v| v);
        let last = Some(x[i]).map(Fault::End); let kind = Some(x[i]).filter(|v| *v > 0).map_or(Kind::Number, |_| Kind::End);
        fault + match token { Token::Number(v) => v * 2, Token::End => 1 } + matches!(last, Some(Fault::End(v)) if v > 0) as i32 + (kind == Kind::End) as i32 * 64
    }
    "a `const fn` that changes what its parameter refers to" const_changes -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct Random(u32);
        impl Random {
            const fn next(&mut self) -> u32 { self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223); self.0 >> 24 }
            const fn skip(&mut self, n: u32) -> &Self { let mut k = 0; while k < n { self.next(); k += 1; } self }
        }
        const fn swap(table: &mut [i32; 8], a: usize, b: usize) { let old = table[a]; table[a] = table[b]; table[b] = old; }
        const fn shuffle(mut seed: u32) -> [i32; 8] {
            let mut table = [0, 1, 2, 3, 4, 5, 6, 7]; let mut random = Random(seed); seed += 1; random.skip(seed % 5);
            let mut k = 7; while k > 0 { swap(&mut table, k, random.next() as usize % (k + 1)); k -= 1; }
            table
        }
        const TABLE: [i32; 8] = shuffle(42); const WIDE: u128 = { let mut w: u128 = 3; w <<= 65; w += 5; w };
        TABLE[i % 8] * 10 + TABLE.iter().enumerate().map(|(k, v)| k as i32 * v).sum::<i32>() * 100 + (WIDE >> 62) as i32 + shuffle(x[i].unsigned_abs())[3]
    }
    "operators of numbers handed over by their names" number_operators_by_name -> i32 |i, x, f| {
        use core::ops::{Add, Neg, Sub};
        fn both<T>(a: T, b: T, op: impl Fn(T, T) -> T) -> T { op(a, b) }
        both(x[i], 3, i32::add) + both(f[i], 0.5, f32::sub) as i32 + x[..=i].iter().copied().fold(0, i32::sub) + [x[i]].map(Neg::neg)[0]
    }
    "methods of one's own traits handed over, `map(Shape::area)`" trait_methods_by_name -> i32 |i, x, f| {
        trait Shape { fn area(&self) -> i32; fn scaled(self, by: i32) -> i32; fn grow(&mut self); }
        #[derive(Clone, Copy)] struct Square(i32);
        impl Shape for Square { fn area(&self) -> i32 { self.0 * self.0 } fn scaled(self, by: i32) -> i32 { self.0 * by } fn grow(&mut self) { self.0 += 1; } }
        impl Shape for i32 { fn area(&self) -> i32 { self + 5 } fn scaled(self, by: i32) -> i32 { self - by } fn grow(&mut self) { *self *= 2; } }
        fn apply<T: Copy>(op: impl Fn(T, i32) -> i32, of: T) -> i32 { op(of, 3) }
        let mut all = [Square(x[i]), Square(2)];
        all.iter_mut().for_each(Shape::grow);
        all.iter().map(Shape::area).sum::<i32>() + apply(Shape::scaled, all[1]) * 10 + x[..=i].iter().map(Shape::area).max().unwrap_or(0) + apply(Shape::scaled, x[i])
    }
    "operators that assign by their names: `AddAssign::add_assign(&mut a, b)`" assigning_by_name -> i32 |i, x, f| {
        use core::ops::{AddAssign, MulAssign, ShlAssign};
        #[derive(Clone, Copy)] struct M(i32);
        impl AddAssign<i32> for M { fn add_assign(&mut self, o: i32) { self.0 += o * 2; } }
        fn raise(v: &mut i32) { AddAssign::add_assign(v, 2); }
        let mut m = M(x[i]);
        AddAssign::add_assign(&mut m, 1);
        x[..=i].iter().for_each(|v| AddAssign::add_assign(&mut m, *v));
        let mut bits = i as u32;
        ShlAssign::shl_assign(&mut bits, 3);
        core::ops::BitXorAssign::bitxor_assign(&mut bits, 5);
        MulAssign::mul_assign(&mut m.0, 3);
        raise(&mut m.0);
        m.0 + bits as i32
    }
    "methods of slices by their paths: `<[T]>::len`" slice_paths -> i32 |i, x, f| {
        let longest = x[i..].chunks(3).map(<[i32]>::len).max().unwrap_or(0);
        let first = <[i32]>::first(&x[i..]).copied().unwrap_or(0);
        let (pairs, rest) = <[i32]>::as_chunks::<2>(x);
        longest as i32 * 100 + first + pairs[i / 2][i % 2] + rest.len() as i32 + <[i32]>::contains(x, &3) as i32 + x.windows(2).filter_map(<[i32]>::last).count() as i32
    }
    "`core::convert::identity`" identity -> i32 |i, x, f| {
        use core::convert::identity;
        struct Pipe<F>(F);
        impl<F: Fn(i32) -> i32> Pipe<F> { fn then<G: Fn(i32) -> i32>(self, g: G) -> Pipe<impl Fn(i32) -> i32> { let f = self.0; Pipe(move |v| g(f(v))) } fn run(&self, v: i32) -> i32 { (self.0)(v) } }
        let found: i32 = [Some(x[i]), None, Some(4)].into_iter().filter_map(identity).sum();
        found + identity(x[i]) * 10 + Pipe(identity).then(|v| v * 2).then(identity).run(x[i])
    }
    "functions that never come back: `-> !`" never_functions -> i32 |i, x, f| {
        struct Limit(i32);
        impl Limit { fn fail(&self, v: i32) -> ! { panic!("{v} is above {}", self.0) } }
        fn wrong(i: usize) -> ! { unreachable!("no element {i}") }
        let limit = Limit(1 << 30);
        let Some(&v) = x.get(i) else { wrong(i) };
        let sign = match v { 0 => 0, 1.. => 1, ..=-1 if v > -(1 << 30) => -1, _ => limit.fail(v) };
        let checked = if v < 1 << 30 { v * 2 } else { limit.fail(v) };
        let found = x.first().copied().unwrap_or_else(|| wrong(0));
        checked + sign * 1000 + found
    }
    "methods of standard traits by their paths" standard_paths -> i32 |i, x, f| {
        use core::cmp;
        #[derive(Clone, Copy, PartialEq, Eq, Debug)] struct Due { at: i32, who: i32 }
        impl PartialOrd for Due { fn partial_cmp(&self, o: &Self) -> Option<cmp::Ordering> { Some(Ord::cmp(self, o)) } }
        impl Ord for Due { fn cmp(&self, o: &Self) -> cmp::Ordering { Ord::cmp(&o.at, &self.at).then_with(|| cmp::Ord::cmp(&self.who, &o.who)) } }
        struct Total(i64);
        impl From<i32> for Total { fn from(v: i32) -> Self { Total(v as i64 * 2) } }
        fn total<T: Into<Total>>(v: Option<T>) -> i64 { v.map_or(Total(1), T::into).0 }
        let due = |k: usize| Due { at: x[k % x.len()] % 4, who: k as i32 };
        let (a, b) = (due(i), due(i + 3));
        let order = PartialOrd::partial_cmp(&a, &b).map_or(5, |order| order as i32) + PartialOrd::lt(&a, &b) as i32 * 10 + PartialEq::eq(&a, &b) as i32 * 20;
        let mut all = [due(0), due(1), a, b];
        all.sort_by(Ord::cmp);
        let most = [3, x[i], 4].into_iter().max_by(Ord::cmp).unwrap_or(0);
        let copy = Clone::clone(&all[3]);
        let converted: Total = Into::into(x[i]);
        order + most + copy.who + Ord::max(x[i], 7) * 3 + Ord::clamp(x[i], -2, 2) + (total(Some(x[i])) + total(None::<i32>) + converted.0) as i32
    }
}
