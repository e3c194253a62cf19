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
}
