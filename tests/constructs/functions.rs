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
    "pointers to functions as parameters" function_pointers -> i32 |i, x, f| {
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
    "bit fields by a macro" bit_field -> i32 |i, x, f| {
        macro_rules! bits { ($name:ident { $($field:ident : $lo:literal .. $hi:literal),* }) => { #[derive(Clone, Copy)] struct $name(u32); impl $name { $(fn $field(self) -> u32 { self.0 >> $lo & ((1 << ($hi - $lo)) - 1) })* } }; } bits!(Header { kind: 0..3, len: 3..10, id: 10..20 }); let h = Header(x[i] as u32); (h.kind() + h.len() * 3 + h.id() * 5) as i32
    }
    "a generic `const fn` over an array, and constants by it" early_const -> i32 |i, x, f| {
        const fn pick<const N: usize>(table: &[i32; N], k: usize) -> i32 { if k < N { table[k] } else { table[N - 1] } } const FIB: [i32; 10] = { let mut t = [1; 10]; let mut k = 2; while k < 10 { t[k] = t[k - 1] + t[k - 2]; k += 1; } t }; const LAST: i32 = pick(&FIB, 20); pick(&FIB, i) + LAST
    }
}
