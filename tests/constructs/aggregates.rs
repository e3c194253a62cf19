//! Tuples and arrays.

crate::harness::constructs! {
    "tuples" tuple -> i32 |i, x, f| { let t = (x[i], 3, x[i] > 0); if t.2 { t.0 * t.1 } else { t.1 } }
    "tuples of tuples" nested_tuple -> i32 |i, x, f| { let t = ((1, x[i]), (x[i] * 2, (4, 5))); (t.0).1 + t.1.0 * t.1.1.0 - t.0.0 }
    "assignment to a tuple's field" tuple_field -> i32 |i, x, f| { let mut t = (x[i], 1); t.1 += 4; t.0 *= t.1; t.0 + t.1 }
    "tuples as values of `if`" tuple_if -> i32 |i, x, f| { let t = if x[i] > 0 { (1, x[i]) } else { (2, -x[i]) }; t.0 * t.1 }
    "tuples carried by a loop" tuple_loop -> i32 |i, x, f| { let mut t = (0, 1); for k in 0..8 { t = (t.1, t.0 + t.1 * (x[(i + k) % 50] & 1)); } t.0 * 3 + t.1 }
    "swap by destructuring assignment" swap_assignment -> i32 |i, x, f| { let (mut a, mut b) = (x[i], 5); (a, b) = (b, a); a * 100 + b }
    "destructuring assignment with `_` and fields" destructuring_assignment -> i32 |i, x, f| { let mut t = (0, 0); let mut v = 0; (t.1, _, v) = (x[i], 7, 3); t.0 + t.1 * v }
    "destructuring assignment to structs, and with `..`" assignment_to_structs -> i32 |i, x, f| {
        #[derive(Clone, Copy)]
        struct Pair { left: i32, both: (i32, i32) }
        struct Triple(i32, i32, i32);
        let (mut a, mut c) = (0, [0; 3]);
        Pair { left: a, both: (_, c[1]) } = Pair { left: x[i], both: (i as i32, 5) };
        Triple(c[0], .., c[2]) = Triple(7, 8, a);
        let b;
        (b, ..) = (a + 1, 4, 5);
        ([.., a], Pair { both: (c[1], ..), .. }) = ([b, 2, 3], Pair { left: a, both: (c[1] + 2, 0) });
        a * 10000 + b * 1000 + c[0] * 100 + c[1] * 10 + c[2]
    }
    "comparison of tuples" tuple_equality -> i32 |i, x, f| { ((x[i] & 1, 2) == (1, 2)) as i32 + ((1, 2.5f32) != (1, f[i])) as i32 * 2 }
    "arrays" array -> i32 |i, x, f| { let a = [x[i], x[i] + 1, 7]; a[0] * a[1] + a[2] }
    "array with a repeated value" array_repeat -> i32 |i, x, f| { let a = [x[i]; 4]; a[0] + a[3] }
    "assignment to elements" array_elements -> i32 |i, x, f| { let mut a = [0; 4]; a[1] = x[i]; a[2] += a[1] * 2; a[3] = a[2] - 1; a[0] + a[1] + a[2] + a[3] }
    "an array indexed by a constant loop" array_constant_loop -> i32 |i, x, f| { let mut a = [0; 8]; for k in 0..8 { a[k] = x[(i + k) % 50]; } let mut s = 0; for k in 0..8 { s = s * 3 + a[k]; } s }
    "an array indexed dynamically" array_dynamic -> i32 |i, x, f| { let mut a = [1, 2, 3, 4, 5]; a[i % 5] = x[i]; a[(i + 1) % 5] * 10 + a[i % 5] }
    "arrays of arrays" array_of_arrays -> i32 |i, x, f| { let mut m = [[0; 3]; 2]; m[1][2] = x[i]; m[0][i % 3] = 5; m[1][2] + m[0][0] * 2 + m[0][1] * 3 + m[i % 2][i % 3] }
    "arrays of tuples" array_of_tuples -> i32 |i, x, f| { let mut a = [(0, 0i64); 3]; a[i % 3].0 = x[i]; a[1].1 = 9; a[0].0 + a[1].0 + a[2].0 + a[1].1 as i32 }
    "tuples with arrays" tuple_of_arrays -> i32 |i, x, f| { let mut t = ([1, 2, 3], [0u8; 2]); t.0[i % 3] = x[i]; t.1[1] = 200; t.0[0] + t.0[1] + t.0[2] + t.1[1] as i32 }
    "copying arrays" array_copy -> i32 |i, x, f| { let a = [x[i], 2, 3]; let mut b = a; b[1] = 10; a[1] + b[0] + b[1] }
    "arrays as values of `if`" array_if -> i32 |i, x, f| { let a = if x[i] > 0 { [1, 2, 3] } else { [4, 5, x[i]] }; a[0] + a[1] * a[2] }
    "`len` of an array" array_len -> i32 |i, x, f| { let a = [0u8; 12]; a.len() as i32 + x[i] }
    "comparison of arrays" array_equality -> i32 |i, x, f| { let a = [x[i] & 1, 1]; (a == [1, 1]) as i32 * 4 + (a != [0, 1]) as i32 }
    "the length of an array from a constant" array_const_length -> i32 |i, x, f| { const N: usize = 2 * 3; let mut a = [0; N]; for k in 0..N { a[k] = k as i32 * x[i]; } a[N - 1] + a[N / 2] }
    "a stack in an array" array_stack -> i32 |i, x, f| {
        let mut stack = [0; 16]; let mut top = 0; let mut n = x[i].unsigned_abs();
        while n > 0 { stack[top] = (n % 3) as i32; top += 1; n /= 3; }
        let mut v = 0;
        while top > 0 { top -= 1; v = v * 10 + stack[top]; }
        v
    }
    "insertion sort in an array" array_sort -> i32 |i, x, f| {
        let mut a = [0; 6];
        for k in 0..6 { a[k] = x[(i + k * 7) % 50]; }
        for k in 1..6 { let v = a[k]; let mut j = k; while j > 0 && a[j - 1] > v { a[j] = a[j - 1]; j -= 1; } a[j] = v; }
        a[0] + a[1] * 2 + a[2] * 3 + a[3] * 4 + a[4] * 5 + a[5] * 6
    }
    "arrays of `bool` and bytes" small_elements -> i32 |i, x, f| { let mut b = [false; 5]; let mut y = [0u8; 5]; b[i % 5] = true; y[i % 5] = x[i] as u8; let mut s = 0; for k in 0..5 { if b[k] { s += y[k] as i32 * (k as i32 + 1); } } s }
    "arrays of `f64`" double_array -> f64 |i, x, f| { let mut a = [0.5f64; 4]; a[i % 4] = f[i] as f64; a[0] * a[1] - a[2] / a[3] }
    "constant indices into a repeated tuple" repeat_tuple -> i32 |i, x, f| { let a = [(x[i], 2); 3]; a[2].0 * a[0].1 }
    "a matrix product in registers" register_matrix -> f32 |i, x, f| {
        let a = [[f[i], 1.0], [0.5, f[(i + 1) % 50]]];
        let mut c = [[0.0; 2]; 2];
        for r in 0..2 { for s in 0..2 { for k in 0..2 { c[r][s] += a[r][k] * a[k][s]; } } }
        c[0][0] + c[0][1] * 2.0 + c[1][0] * 4.0 + c[1][1] * 8.0
    }
    "arrays made of tuples, and tuples of arrays" tuple_array_from -> i32 |i, x, f| {
        let pair: [i32; 2] = (x[i], 2).into();
        let (a, b, c) = <(i32, i32, i32)>::from([x[i], 4, 5]);
        let four = <[u8; 4]>::from((1, 2, 3, x[i] as u8));
        let (p, q): (f32, f32) = [f[i], 1.0].into();
        let mut at = 0;
        let mut next = || { at += 1; at };
        let order: [i32; 2] = (next(), next()).into();
        pair[i % 2] + a * b - c + four[i % 4] as i32 + (p * q) as i32 + order[0] * 100 + order[1] * 1000
    }
}
