//! Iterators over ranges, slices and arrays.

crate::harness::constructs! {
    "`for` over a slice" for_slice -> i32 |i, x, f| { let mut s = 0; for v in x { s += v * 2; } s + x[i] }
    "`iter`" iter -> i32 |i, x, f| { let mut s = 0; for v in x[..i].iter() { s = s * 2 + *v; s %= 1007; } s }
    "`iter_mut`" iter_mut -> i32 |i, x, f| { let mut a = [1, 2, 3, 4]; for v in a.iter_mut() { *v *= x[i]; } for v in &mut a { *v += 1; } a[0] + a[1] * 2 + a[2] * 3 + a[3] * 4 }
    "`for` over an array" for_array -> i32 |i, x, f| { let mut s = 0; for v in [x[i], 5, 7] { s = s * 10 + v; } s }
    "`for` over a reference to an array" for_array_reference -> i32 |i, x, f| { let a = [x[i], 5, 7]; let mut s = 0; for v in &a { s = s * 10 + *v; } for &v in &a { s += v; } s }
    "`enumerate`" enumerate -> i32 |i, x, f| { let mut s = 0; for (k, v) in x.iter().enumerate() { s += k as i32 * *v; } s + x[i] }
    "`zip`" zip -> f32 |i, x, f| { let mut s = 0.0; for (a, b) in x.iter().zip(f.iter()) { s += *a as f32 * *b; } s + f[i] }
    "`rev` of a slice" reversed_slice -> i32 |i, x, f| { let mut s = 0; for v in x[..8].iter().rev() { s = s * 2 + v; } s + x[i] }
    "`step_by` of a slice" stepped_slice -> i32 |i, x, f| { let mut s = 0; for v in x.iter().step_by(i % 7 + 1) { s += v; } s }
    "`skip` and `take`" skip_take -> i32 |i, x, f| { let mut s = 0; for v in x.iter().skip(i).take(5) { s = s * 3 + v; s %= 1013; } s }
    "`chunks_exact`" chunks_exact -> i32 |i, x, f| { let mut s = 0; for c in x.chunks_exact(7) { s += c[0] * c[6]; } s + x[i] }
    "`chunks`" chunks -> i32 |i, x, f| { let mut s = 0; for c in x.chunks(8) { s = s * 3 + c.len() as i32 + c[0]; s %= 1019; } s + x[i] }
    "`windows`" windows -> i32 |i, x, f| { let mut n = 0; for w in x.windows(3) { if w[1] > w[0] && w[1] > w[2] { n += 1; } } n + x[i] }
    "`chain`" chain -> i32 |i, x, f| { let mut s = 0; for v in x[..3].iter().chain(x[i..].iter()) { s = s * 2 + v; s %= 1021; } s }
    "`map` and `sum`" map_sum -> i32 |i, x, f| { x[..i].iter().map(|v| v * v).sum::<i32>() }
    "`sum` of floats" float_sum -> f32 |i, x, f| { f[..i].iter().sum::<f32>() + f.iter().copied().map(|v| v * 0.5).sum::<f32>() }
    "`product`" product -> i32 |i, x, f| { (1..=(i as i32 % 8)).product::<i32>() + x[..3].iter().product::<i32>() }
    "`fold`" fold -> i32 |i, x, f| { x.iter().fold(i as i32, |a, v| (a * 31 + v) % 10_007) }
    "`filter` and `count`" filter_count -> i32 |i, x, f| { x.iter().filter(|v| **v > x[i]).count() as i32 }
    "`filter` and `map` in a loop" filter_map_loop -> i32 |i, x, f| { let mut s = 0; for v in x.iter().filter(|v| **v % 2 == 0).map(|v| v / 2) { s = s * 3 + v; s %= 1031; } s + i as i32 }
    "`any` and `all`" any_all -> i32 |i, x, f| { x.iter().any(|v| *v == x[i] + 1) as i32 + x[..i].iter().all(|v| *v < 49) as i32 * 2 }
    "`position` and `find`" position_find -> i32 |i, x, f| { x.iter().position(|v| *v > x[i]).map_or(-1, |k| k as i32) * 100 + *x.iter().find(|v| **v < 0).unwrap() }
    "`min` and `max`" extremes -> i32 |i, x, f| { *x[i..].iter().min().unwrap() * 100 + x[..=i].iter().copied().max().unwrap() }
    "`reduce`, `last`, `for_each`" reduce_last -> i32 |i, x, f| { let a = x[..=i].iter().copied().reduce(|a, b| if b > a { b } else { a }).unwrap(); let b = *x[..=i].iter().last().unwrap(); let mut s = 0; x[..4].iter().for_each(|v| s += v); a * 100 + b + s }
    "ranges as iterators" range_iterator -> i32 |i, x, f| { (0..i).map(|k| x[k] * (k as i32 + 1)).sum::<i32>() + (0..10).rev().step_by(3).fold(0, |a, v| a * 10 + v) }
    "calls of a closure for items that are passed over" passed_over -> i32 |i, x, f| {
        let mut calls = [0; 9];
        let mut sums = [0; 9];
        sums[0] = x.windows(2).map(|w| { calls[0] += 1; w[0] + w[1] }).skip(3).sum::<i32>();
        sums[1] = x.iter().map(|v| { calls[1] += *v; *v }).step_by(i % 3 + 1).sum::<i32>();
        sums[2] = x.iter().map(|v| { calls[2] += 1; *v }).nth(5).unwrap_or(7);
        sums[3] = x.iter().map(|v| { calls[3] += 1; *v }).rev().skip(2).take(3).sum::<i32>();
        sums[4] = x[..4].iter().map(|v| { calls[4] += 1; *v }).chain(x.iter().copied()).skip(6).sum::<i32>();
        for (k, v) in x.iter().map(|v| { calls[5] += 1; *v }).enumerate().skip(i % 5) { sums[5] += k as i32 * v; }
        let mut state = 17u32;
        let mut draw = || { state = state.wrapping_mul(1664525).wrapping_add(1013904223); (state >> 24) as i32 };
        sums[6] = (0..8).map(|_| draw()).skip(2).step_by(3).fold(0, |a, b| a * 3 + b);
        sums[7] = (0..8).map(|k| { let mut square = k; square *= k; square }).skip(2).sum::<i32>();
        let count = |v: &i32| { calls[8] += 1; v * 2 };
        sums[8] = x.iter().map(count).skip(1).sum::<i32>();
        calls.iter().chain(&sums).fold(0i32, |a, b| a.wrapping_mul(31).wrapping_add(*b))
    }
    "`filter_map`" filter_map -> i32 |i, x, f| {
        let halves: i32 = x[..i].iter().filter_map(|&v| if v % 2 == 0 { Some(v / 2) } else { None }).sum();
        let firsts = x[i..].windows(3).filter_map(|w| (w[0] < w[1]).then_some(w[2])).filter(|v| *v > 0).count();
        let first = x.iter().enumerate().filter_map(|(k, v)| v.checked_rem(k as i32 - i as i32)).find(|v| *v == 3);
        halves * 50 + firsts as i32 + first.unwrap_or(-1)
    }
    "`map_while`" map_while -> i32 |i, x, f| { let mut s = 0; for v in x[i..].iter().map_while(|v| v.checked_sub(-40).filter(|v| *v > 0)) { s = s * 3 % 1009 + v; } s }
    "`next` and `nth`" next_and_nth -> i32 |i, x, f| {
        let rows = x.chunks(7).nth(i / 5).map_or(0, |row| row[0] * 10 + row.len() as i32);
        let past = x[i..].iter().rev().nth(30).is_none() as i32;
        let first = x[i..].iter().filter(|v| **v > 20).next().copied().unwrap_or(-1);
        rows + past * 1000 + first * 3 + x[..i].iter().next().map_or(5, |v| *v) + (3..i).nth(1).unwrap_or(0) as i32
    }
    "`min_by` and `max_by`" extremes_by -> f32 |i, x, f| {
        let least = f[i..].iter().copied().min_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
        let most = f[..=i].iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(-1.0, |(k, v)| k as f32 + *v);
        let none = f[..0].iter().min_by(|a, b| a.total_cmp(b)).is_none() as u32 as f32;
        let last = x.iter().enumerate().max_by(|a, b| (a.1 & 3).cmp(&(b.1 & 3))).unwrap().0 as f32;
        let first = x.iter().enumerate().min_by(|a, b| (a.1 & 3).cmp(&(b.1 & 3))).unwrap().0 as f32;
        least + most * 2.0 + none * 100.0 + last * 200.0 + first * 1000.0
    }
    "`min_by_key` and `max_by_key`" extremes_by_key -> i32 |i, x, f| {
        let near = *x.iter().min_by_key(|v| (**v - x[i] - 2).abs()).unwrap();
        let far = x[..=i].iter().enumerate().max_by_key(|(k, v)| (**v & 7, k & 1)).unwrap().0 as i32;
        let first = (0..50).min_by_key(|k| x[*k] & 3).unwrap() as i32;
        near + far * 100 + first * 10_000 + x[..0].iter().max_by_key(|v| **v).copied().unwrap_or(7)
    }
    "`find_map`, `skip_while`, `rposition`" find_map_skip_while -> i32 |i, x, f| {
        let found = x[i..].iter().find_map(|v| if v % 7 == 0 { Some(v / 7) } else { None }).unwrap_or(-100);
        let mut tested = 0;
        let rest: i32 = x[i..].iter().skip_while(|v| { tested += 1; **v < 20 }).map(|v| v & 15).sum();
        let from_back = x[..i].iter().rposition(|v| *v > 20).map_or(-1, |k| k as i32);
        found + rest * 10 + from_back * 10_000 + tested * 1_000_000
    }
    "`scan`" scan -> i32 |i, x, f| {
        let mut s = 0;
        for v in x[i..].iter().scan(1, |state, v| { *state = *state * 3 % 101 + v; if *state > 100 { None } else { Some(*state) } }) { s = s * 5 % 1009 + v; }
        s + x.iter().scan((0, 0), |s, &v| { *s = (s.1, v); Some(s.0 + s.1) }).filter(|v| v & 1 == 0).max().unwrap_or(0) * 10_000
    }
    "`try_fold` with a `Result`" try_fold_result -> i32 |i, x, f| {
        #[derive(Clone, Copy)] enum Bad { Low(i32), High { at: usize } }
        fn checked(total: i32, v: i32) -> Result<i32, Bad> { if total + v < -30 { Err(Bad::Low(total)) } else { Ok(total + v) } }
        let sum = x[i..].iter().copied().try_fold(0, checked);
        let steps: Result<(u32, i32), Bad> = x.iter().enumerate().try_fold((0, 1), |(n, p), (k, v)| {
            let p = checked(p, *v)?;
            if p > 60 { return Err(Bad::High { at: k }); }
            Ok((n + 1, p))
        });
        let kept = x.iter().filter(|v| **v > 0).skip(1).try_fold(1u8, |s, v| s.checked_add(*v as u8).ok_or(*v));
        let code = |bad: Bad| match bad { Bad::Low(v) => v, Bad::High { at } => 1000 + at as i32 };
        let sum = sum.unwrap_or_else(|bad| code(bad) * 3);
        let steps = steps.map_or_else(code, |(n, p)| n as i32 * 100 + p);
        sum * 10_000 + steps * 10 + kept.map_or_else(|v| v, |s| s as i32)
    }
    "`try_fold`" try_fold -> i32 |i, x, f| {
        let sum: Option<i32> = x[i..].iter().try_fold(0, |s: i32, v| if s + v < -40 { None } else { Some(s + v) });
        let product = x[..i].iter().map(|v| *v as i8).try_fold(1i8, |p, v| p.checked_mul(v | 1));
        sum.unwrap_or(-1000) + product.map_or(5000, |p| p as i32 * 10_000)
    }
    "`cycle` with `take` and `zip`" cycle -> i32 |i, x, f| {
        let weights = [1, -2, 3];
        let weighted: i32 = x.iter().zip(weights.iter().cycle()).map(|(v, w)| v * w).sum();
        let again = x[..i % 5].iter().map(|v| v + 1).cycle().skip(2).take(i).fold(0, |s, v| s * 3 % 1009 + v);
        weighted + again * 1000
    }
    "`take_while`" take_while -> i32 |i, x, f| { x[i..].iter().take_while(|v| **v != 0).map(|v| v & 3).sum::<i32>() }
    "`zip` of ranges, slices and `enumerate`" mixed_zip -> i32 |i, x, f| { let mut s = 0; for (k, (a, b)) in (10..20).zip(x[i..].iter().rev()).enumerate() { s += k as i32 * a + b; } s }
    "`iter_mut` with `zip`" iter_mut_zip -> i32 |i, x, f| { let mut a = [0; 6]; for (d, s) in a.iter_mut().zip(x[i..].iter()) { *d = *s * 2; } a.iter().sum() }
    "`chunks_exact_mut`" chunks_exact_mut -> i32 |i, x, f| { let mut a = [1; 8]; for (k, c) in a.chunks_exact_mut(2).enumerate() { c[0] = x[i] * k as i32; c[1] += k as i32; } a.iter().enumerate().map(|(k, v)| v * (k as i32 + 1)).sum() }
    "nested iterators" nested_iterators -> i32 |i, x, f| { let mut s = 0; for (k, a) in x[..5].iter().enumerate() { for b in x[k..5].iter() { s += a * b; } } s + i as i32 }
    "methods handed over by their paths" method_paths -> f32 |i, x, f| { f[..=i].iter().copied().fold(f32::NEG_INFINITY, f32::max) + f[..4].iter().copied().map(f32::abs).fold(0.0, f32::min) + f.iter().copied().map(f32::floor).sum::<f32>() }
    "ranges in variables" range_variables -> i32 |i, x, f| {
        let all = 0..50usize;
        let part = i / 2..i;
        let values = -5..=x[i];
        let from = i..;
        let mut s = 0;
        for k in all.clone().rev().step_by(7) { s = s * 3 % 1009 + x[k]; }
        for k in part.clone() { if all.contains(&(k + 30)) { s += x[k]; } }
        let twice = |v: i32| if values.contains(&v) { v * 2 } else { 0 };
        let (start, len) = (part.start, part.end - part.start);
        s + x[part].iter().sum::<i32>() + x[from].len() as i32 + twice(4) + (start * len) as i32 + all.map(|k| x[k] & 1).sum::<i32>()
    }
    "ranges in variables of nested blocks and closures" range_blocks -> i32 |i, x, f| {
        let of = |n: usize| { let low = n / 2..=n; let high = (n..n + 3); low.map(|k| x[k]).sum::<i32>() - x[high].len() as i32 };
        let mut s: i32 = { let r = 0..i + 1; r.map(|k| x[k]).sum() };
        let r = 1..4;
        if i > 3 { for k in r.clone() { if k == i % 4 { s += x[k]; } } }
        s + of(i / 2) + r.fold(0, |a, k| a * 3 + x[k])
    }
    "the largest float by `max_by` and `partial_cmp`" largest_float -> f32 |i, x, f| {
        let most = f[..=i].iter().copied().max_by(|a, b| a.partial_cmp(b).unwrap()).unwrap_or(0.0);
        let (at, least) = f[i..].iter().enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap_or((99, &0.0));
        most + least * 2.0 + at as f32
    }
    "`fold` to a tuple: mean and variance" fold_tuple -> f32 |i, x, f| {
        let (n, mean, m2) = f[..=i].iter().fold((0, 0.0, 0.0), |(n, mean, m2), v| { let n = n + 1; let d = v - mean; let next = mean + d / n as f32; (n, next, m2 + d * (v - next)) });
        mean + if n > 1 { m2 / (n - 1) as f32 } else { 0.0 }
    }
    "pairs `a < b` by `flat_map` of ranges" pairs -> i32 |i, x, f| {
        let n = 2 + i % 4;
        (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).map(|(a, b)| x[a] * x[b] + (b - a) as i32).sum()
    }
    "the largest sum of neighbours: `windows`, `enumerate` and `max_by_key`" largest_window -> i32 |i, x, f| {
        let best = x[..i + 1].windows(1 + i % 3).map(|w| w.iter().sum::<i32>()).enumerate().max_by_key(|&(_, sum)| sum);
        best.map_or(-1, |(at, sum)| sum * 64 + at as i32)
    }
    "`match` on the parts of `chunks`" match_chunks -> i32 |i, x, f| {
        x[..i].chunks(3).map(|part| match part { [a, b, c] => a * b - c, [a, b] => a - b, [a] => a * 2, _ => 0 }).fold(0i32, |s, v| s.wrapping_mul(5).wrapping_add(v))
    }
    "a row of a matrix by `chunks_exact` and `nth`" matrix_row -> i32 |i, x, f| {
        match x.chunks_exact(7).nth(i % 9) { Some(row) => row.iter().sum::<i32>() + row[i % 7], None => -1 }
    }
    "functions of floats by their paths in `map` and `fold`" float_paths -> f32 |i, x, f| {
        f[..=i].iter().copied().map(f32::abs).fold(0.0, f32::max) + f[i..].iter().copied().map(f32::floor).reduce(f32::min).unwrap_or(0.0) + f[..i].iter().map(|v| v.sqrt()).filter(|v| !v.is_nan()).sum::<f32>()
    }
    "Hamming distance, dot product and prefix by `zip`" zipped_measures -> i32 |i, x, f| {
        let (a, b) = (&x[..i / 2], &x[i / 2..]);
        let hamming: u32 = a.iter().zip(b).map(|(p, q)| (p ^ q).count_ones()).sum();
        let dot = a.iter().zip(b.iter().rev()).fold(0, |s, (p, q)| s + p * q);
        hamming as i32 + dot + a.iter().zip(b).take_while(|(p, q)| **p != **q).count() as i32
    }
    "`rev` and `enumerate` in either order, `step_by` of a reversed range" reversed_orders -> i32 |i, x, f| {
        let a: i32 = x[..=i].iter().enumerate().rev().map(|(k, v)| k as i32 * v).sum();
        let b = x[..=i].iter().rev().enumerate().fold(0, |s, (k, v)| s * 3 % 10_007 + k as i32 - v);
        let mut c = 0;
        for k in (0..=i).rev().step_by(3) { c = c * 2 % 10_007 + x[k]; }
        for k in (1..i as i32).step_by(2).rev() { c -= k; }
        a + b + c
    }
    "a search by `position` over pairs with `&(a, b)`" position_pairs -> i32 |i, x, f| {
        const TABLE: [(i32, i32); 5] = [(-50, 1), (-20, 2), (0, 3), (20, 4), (50, 5)];
        let at = TABLE.iter().position(|&(limit, _)| x[i] < limit).unwrap_or(TABLE.len());
        let name = TABLE.iter().rev().find(|(limit, _)| x[i] >= *limit).map(|&(_, name)| name);
        at as i32 * 10 + name.unwrap_or(0)
    }
    "Horner's scheme and a power by `(1..=n).product()`" horner -> f32 |i, x, f| {
        const C: [f32; 4] = [0.5, -1.0, 0.25, 2.0];
        let p = C.iter().rev().copied().reduce(|sum, c| sum * f[i] + c).unwrap();
        let factorial: u32 = (1..=(i as u32 % 6)).product();
        p + factorial as f32
    }
    "`start`, `end`, `len` and `contains` of ranges in variables" range_fields -> i32 |i, x, f| {
        let r = 2..i + 3; let q = 1..=x[i].abs() % 7; (r.end - r.start) as i32 + r.len() as i32 + q.contains(&3) as i32 * 100
    }
    "sums of two kinds by one `fold`" partition_fold -> i32 |i, x, f| {
        let (even, odd) = x[..=i].iter().fold((0, 0), |(e, o), v| if v % 2 == 0 { (e + v, o) } else { (e, o + v) }); even * 3 - odd
    }
    "the extremes of floats by one `fold`" min_max_partial -> f32 |i, x, f| {
        let (lo, hi) = f[..=i].iter().fold((f32::MAX, f32::MIN), |(lo, hi), &v| (lo.min(v), hi.max(v))); hi - lo + f[i..].iter().cloned().fold(f32::NAN, f32::min)
    }
    "two arrays filled by nested `zip`" unzip_like -> i32 |i, x, f| {
        let mut a = [0; 4]; let mut b = [0.0; 4]; for ((a, b), (p, q)) in a.iter_mut().zip(&mut b).zip(x[i..].iter().zip(&f[..])) { (*a, *b) = (*p, *q); } a.iter().sum::<i32>() + b.iter().sum::<f32>() as i32
    }
    "`sum` and `product` of the type that a comparison says" compared_sums -> i32 |i, x, f| {
        let least = x[i].abs() as i64 * 3;
        (x[i] < x[..i].iter().sum()) as i32 + (least > x[i..].iter().map(|v| i64::from(*v)).sum()) as i32 * 2
            + (i >= (1..=i % 4).product()) as i32 * 4 + (f[i] >= f[..4].iter().copied().product()) as i32 * 8
    }
    "`sum` and `product` of options and results" tried_sums -> i32 |i, x, f| {
        let part = &x[i..(i + 6).min(50)];
        let total: Option<i32> = part.iter().map(|v| v.checked_add(3).filter(|v| v % 7 != 2)).sum();
        let product = part.iter().enumerate().map(|(k, v)| if *v == 13 { Err(k as i32) } else { Ok(*v as i64 % 5 + 1) }).product::<Result<i64, i32>>();
        let late: Option<f32> = part.iter().filter(|v| **v % 2 == 0).enumerate().map(|(k, v)| (*v > -45).then_some(*v as f32 * k as f32)).sum();
        let kept: Result<u32, i32> = part.iter().skip_while(|v| **v < 0).take(3).map(|v| u32::try_from(*v).map_err(|_| *v)).sum();
        total.unwrap_or(-1000) + product.map_or_else(|k| -k, |v| (v % 1000) as i32) + late.map_or(-7, |v| v as i32) + kept.map_or_else(|v| v * 2, |v| v as i32)
    }
}
