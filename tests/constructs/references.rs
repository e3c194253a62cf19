//! References to variables, slices and parts of slices.

crate::harness::constructs! {
    "`&` and `*`" reference -> i32 |i, x, f| { let v = x[i]; let r = &v; *r * 2 }
    "`&mut`" mutable_reference -> i32 |i, x, f| { let mut v = x[i]; { let r = &mut v; *r += 5; *r *= 2; } v }
    "references chosen at run time" chosen_reference -> i32 |i, x, f| { let (mut a, mut b) = (x[i], 7); { let r = if x[i] > 0 { &mut a } else { &mut b }; *r += 100; } a * 2 + b }
    "references to fields" field_reference -> i32 |i, x, f| { let mut t = (x[i], [1, 2, 3]); { let r = &mut t.1[i % 3]; *r += 10; } { let s = &mut t.0; *s -= 1; } t.0 + t.1[0] + t.1[1] * 2 + t.1[2] * 3 }
    "references as parameters" reference_parameter -> i32 |i, x, f| { fn swap(a: &mut i32, b: &mut i32) { let t = *a; *a = *b; *b = t; } let (mut a, mut b) = (x[i], 4); swap(&mut a, &mut b); a * 100 + b }
    "references as results" reference_result -> i32 |i, x, f| { fn larger<'a>(a: &'a i32, b: &'a i32) -> &'a i32 { if *a > *b { a } else { b } } let (a, b) = (x[i], 4); *larger(&a, &b) }
    "references to elements of parameters" element_reference -> i32 |i, x, f| { let r = &x[i]; let s = &x[(i + 1) % 50]; *r * *s }
    "arithmetic on references" reference_arithmetic -> i32 |i, x, f| { let a = &x[i]; let b = &3; a * b + a - *b }
    "reborrowing" reborrow -> i32 |i, x, f| { fn inc(v: &mut i32) { *v += 1; } fn twice(v: &mut i32) { inc(v); inc(&mut *v); } let mut v = x[i]; twice(&mut v); v }
    "references in structs' methods" reference_chain -> i32 |i, x, f| { struct A { b: B } struct B { v: i32 } impl B { fn up(&mut self) -> i32 { self.v += 1; self.v } } impl A { fn up(&mut self) -> i32 { self.b.up() * 2 } } let mut a = A { b: B { v: x[i] } }; a.up() + a.up() + a.b.v }
    "a slice of an array" array_slice -> i32 |i, x, f| { fn sum(s: &[i32]) -> i32 { let mut t = 0; for k in 0..s.len() { t += s[k]; } t } let a = [x[i], 2, 3, 4]; sum(&a) * 10 + sum(&a[1..3]) }
    "a mutable slice of an array" array_slice_mut -> i32 |i, x, f| { fn fill(s: &mut [i32], v: i32) { for k in 0..s.len() { s[k] = v + k as i32; } } let mut a = [0; 5]; fill(&mut a[1..4], x[i]); a[0] + a[1] + a[2] * 2 + a[3] * 3 + a[4] }
    "parts of slices" subslices -> i32 |i, x, f| { let s = &x[i..]; let t = &x[..i]; let u = &x[i / 2..=i]; s.len() as i32 * 10_000 + t.len() as i32 * 100 + u[0] + s[0] }
    "parts of parts" subslice_of_subslice -> i32 |i, x, f| { let s = &x[5..45]; let t = &s[i % 20..]; let u = &t[1..4]; u[0] + u[1] * 2 + u[2] * 3 + t.len() as i32 }
    "`split_at`, `first`, `last`" slice_methods -> i32 |i, x, f| { let (a, b) = x.split_at(i); let p = match a.last() { Some(v) => *v, None => 500 }; let q = *b.first().unwrap(); p * 2 + q + a.len() as i32 }
    "`get`" slice_get -> i32 |i, x, f| { let a = x.get(i).copied().unwrap_or(0); let b = match x.get(i + 20) { Some(v) => *v, None => -99 }; a + b * 2 }
    "`is_empty`, `swap`, `fill`, `reverse`" slice_changes -> i32 |i, x, f| { let mut a = [x[i], 2, 3, 4, 5]; a.swap(0, i % 5); a[2..4].fill(7); a.reverse(); a[0] + a[1] * 2 + a[2] * 3 + a[3] * 4 + a[4] * 5 + a[..0].is_empty() as i32 }
    "`copy_from_slice` and `contains`" slice_copy -> i32 |i, x, f| { let mut a = [0; 4]; a[1..].copy_from_slice(&x[i % 40..i % 40 + 3]); a[0] + a[1] + a[2] * 2 + a[3] * 3 + a.contains(&x[i % 40]) as i32 }
    "slices chosen at run time" chosen_slice -> i32 |i, x, f| { let a = [7, 8, 9]; let s: &[i32] = if x[i] > 0 { &a } else { &x[i..] }; s[0] + s.len() as i32 }
    "slices of floats in loops" slice_window -> f32 |i, x, f| { let w = &f[i % 40..]; let mut s = 0.0; for k in 0..8 { s += w[k] * (k as f32 - 3.5); } s }
    "pointers into a struct carried by a loop" reference_loop -> i32 |i, x, f| { let mut a = [1, 2, 3]; let mut r = &mut a[0]; *r += x[i]; r = &mut a[1]; *r *= 2; a[0] + a[1] + a[2] }
    "nested references" nested_reference -> i32 |i, x, f| { let v = x[i]; let r = &v; let rr = &r; **rr + 1 }
    "loads, stores and prefetches that say something to the caches" cache_operators -> i32 |i, x, f| { let mut a = [1, 2, 3]; cache::store_cs(&mut a[i % 3], cache::load_cg(&x[i])); cache::prefetch_l2(&x[i]); a[0] + a[1] * 2 + a[2] * 3 + cache::load_no_allocate(&x[49 - i]) }
    "`get` and `get_mut` of ranges" range_get -> i32 |i, x, f| {
        let sum = |part: Option<&[i32]>| part.map_or(-7, |part| part.iter().sum::<i32>() + part.len() as i32 * 1000);
        let r = i..i + 3;
        let mut a = [1, 2, 3, 4, 5];
        if let Some(part) = a.get_mut(i % 4..i % 7) { part.fill(x[i]); }
        if let Some(part) = a.get_mut(..=i % 6) { part[0] += 1; }
        if let Some(part) = a.get_mut(i % 6..) { part.reverse(); }
        let s = sum(x.get(i..i + 5)) + 3 * sum(x.get(i..=45)) + 5 * sum(x.get(i + 10..)) + 7 * sum(x.get(..i * 2)) + 11 * sum(x.get(..=i * 2));
        s + 13 * sum(x.get(r)) + 17 * sum(x.get(i..i / 2)) + sum(x.get(..)) + sum(a.get(i % 5..=i % 3)) + a[0] + a[1] * 2 + a[2] * 3 + a[3] * 4 + a[4] * 5
    }
    "`first_chunk`, `last_chunk`, `split_first_chunk`, `split_last_chunk`" slice_chunk_ends -> i32 |i, x, f| {
        let part = &x[i / 2..i];
        let first = match part.first_chunk::<3>() { Some([a, b, c]) => a + b * 2 + c * 3, None => -5 };
        let last = part.last_chunk::<2>().map_or(-9, |last| last[0] * 3 - last[1]);
        let mut s = first + last;
        if let Some((head, rest)) = part.split_first_chunk::<4>() { s += head[i % 4] * 7 + rest.len() as i32; }
        if let Some((rest, &[a, b])) = part.split_last_chunk() { s += a * b + rest.len() as i32 * 100; }
        let own = [x[i], 4, 5];
        s + own.first_chunk::<2>().map_or(0, |two| two[0] - two[1])
    }
    "`try_into` of a slice to an array" slice_try_into -> i32 |i, x, f| {
        fn sum(x: &[i32]) -> Option<i32> { let [a, b, c]: [i32; 3] = x.try_into().ok()?; Some(a + b * 2 + c * 3) }
        let bytes = [x[i] as u8, 2, 3, 4, 5, 6, 7, 8];
        let word = u32::from_le_bytes(bytes[i % 5..][..4].try_into().unwrap());
        let pair: [i32; 2] = x[i..i + 2 - i / 49].try_into().unwrap_or([40, 50]);
        let three: [i32; 3] = x[i / 2..i / 2 + i % 4].try_into().unwrap_or([1, 2, 3]);
        let last = <[i32; 2]>::try_from(&x[i / 2..i / 2 + i % 3]).map_or(x[i], |[a, b]| a - b);
        let four = <&[i32; 4]>::try_from(&x[i / 3..i / 2]).map_or(3, |four| four[i % 4]);
        last * 3 + four + sum(&x[i / 3..i / 2]).unwrap_or(-1) + pair[0] * 5 + pair[1] * 7 + three[2] + (word >> 3) as i32
    }
    "`==` of slices and arrays" slice_equality -> u32 |i, x, f| {
        let own = [x[i], x[i] + 37, 3];
        let dynamic = &x[i / 2..i / 2 + i % 3];
        let s = (own[..2] == x[i..i + 2 - i / 49]) as u32 | ((dynamic == [x[i / 2]]) as u32) << 1 | ((dynamic != &own[..i % 3]) as u32) << 2;
        let text = *b"GPU kernels";
        s | ((&text[i % 9..i % 9 + 2] == b"ke") as u32) << 3 | ((x[..i] == x[..i]) as u32) << 4 | ((&own[1..] == &own[1..=2]) as u32) << 5
    }
    "`copy_within` of ranges" copy_within -> i32 |i, x, f| {
        let mut a = [x[i], 2, 3, 4, 5, 6, 7, 8];
        a.copy_within(i % 5..i % 5 + 3, i % 4);
        a.copy_within(..=i % 4, 3);
        a.copy_within(6.., i % 6);
        a[2..].copy_within(1..=3, 0);
        a[..4].copy_within(..3, 1);
        a.copy_within(.., 0);
        a.iter().fold(0, |n, v| n * 7 % 100_003 + v)
    }
    "`swap_with_slice`, `as_chunks_mut`, `as_flattened`, `as_flattened_mut`" slice_shapes -> i32 |i, x, f| {
        let mut a = [x[i], 2, 3, 4, 5, 6, 7];
        let (low, high) = a.split_at_mut(3);
        low.swap_with_slice(&mut high[i % 2..i % 2 + 3]);
        let (pairs, rest) = a.as_chunks_mut::<2>();
        pairs[i % 3].reverse();
        rest[0] += pairs.len() as i32;
        let (triples, _) = a.as_chunks::<3>();
        let mut s = triples[i % 2][2] * 100 + triples.as_flattened()[i % 6];
        let mut grid = [[0; 3]; 2];
        grid.as_flattened_mut()[i % 6] = x[i];
        for row in grid { s = s * 3 + row[0] + row[1] * 2 + row[2] * 5; }
        s + a.iter().sum::<i32>()
    }
    "`try_into` of a slice to a reference to an array" slice_try_into_reference -> i32 |i, x, f| {
        fn sum(three: &[i32; 3]) -> i32 { three[0] + three[1] * 2 + three[2] * 3 }
        let part: &[i32; 2] = x[i / 2..i / 2 + 2].try_into().unwrap();
        let mut a = [x[i], 4, 5, 6];
        let middle: &mut [i32; 2] = (&mut a[1..3]).try_into().unwrap();
        middle[i % 2] *= 3;
        let none: Result<&[i32; 4], _> = x[..i % 5].try_into();
        part[0] + part[1] + a[1] * 7 + a[2] * 11 + sum(a[1..].try_into().unwrap()) + none.map_or(-3, |four| four[3])
    }
    "comparison of references in options and tuples" references_compared -> i32 |i, x, f| {
        let at = x.iter().position(|v| Some(v) == x.iter().max()).unwrap_or(0);
        let same = x[..i].iter().filter(|v| Some(*v) != x.get(i) && x.get(i + 49) == None).count();
        let (a, b) = ((&x[i], 1), (&x[0], i as i32));
        let (p, q) = ((Some(&x[i]), 1), (x.get(48 + i % 4), i % 3));
        let order = (a < b) as i32 + (a >= b) as i32 * 2 + (x.get(i + 1) > Some(&3)) as i32 * 4 + (x.first() <= None) as i32 * 8;
        at as i32 * 1000 + same as i32 * 50 + order + (p == q) as i32 * 16 + (p <= q) as i32 * 32 + (Some(&[1, x[i]]) == x.first_chunk::<2>()) as i32 * 64
            + (x.get(i).cmp(&x.get(i + 1)) as i32) * 128
    }
    "`as_ref`, `as_slice` and `as_mut` of arrays" array_as_ref -> i32 |i, x, f| {
        fn sum(v: &[i32]) -> i32 { v.iter().sum() }
        fn of<T: AsRef<[i32]>>(v: T) -> i32 { v.as_ref().iter().fold(0, |s, v| s * 3 % 1009 + v) }
        let mut v = [x[i], 5, 7];
        let part: &mut [i32] = v.as_mut();
        part[1] += 2;
        sum(v.as_slice()) + of(v) + of([x[i]; 2])
    }
    "`get` and `get_mut` of every kind of range" get_ranges -> i32 |i, x, f| {
        let mut own = [1, 2, 3, 4, 5, 6, 7, 8];
        if let Some(part) = own.get_mut(i % 5..) { part[0] += 10; }
        if let Some([first, .., last]) = own.get_mut(1..=i % 9) { core::mem::swap(first, last); }
        let parts = [x.get(i..i + 3), x.get(..i), x.get(i + 45..), x.get(i..=i + 1), own.get(..)];
        let kept: i32 = parts.iter().flatten().map(|part| part.iter().sum::<i32>() + part.len() as i32).sum();
        kept + x[..i].get(1..).map_or(0, |part| part.len() as i32) * 7 + own.iter().fold(0, |s, v| s * 3 + v)
    }
    "butterflies by `chunks_exact_mut` and `split_at_mut`" butterflies -> i32 |i, x, f| {
        let mut v: [i32; 8] = core::array::from_fn(|k| x[(i + k) % 50]);
        let mut half = 1;
        while half < 8 {
            for block in v.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for (a, b) in low.iter_mut().zip(high) { (*a, *b) = (*a + *b, *a - *b); }
            }
            half <<= 1;
        }
        v.iter().fold(0i32, |s, v| s.wrapping_mul(31).wrapping_add(*v))
    }
    "`split_first` in a loop, `first` and `last`" split_first_loop -> i32 |i, x, f| {
        let mut rest = &x[i..];
        let mut runs = 0;
        while let Some((first, tail)) = rest.split_first() { if tail.first().is_none_or(|next| next < first) { runs += 1; } rest = tail; }
        runs * 10 + x[..i].last().copied().unwrap_or(3)
    }
    "`split_first_mut`, `split_last_mut`, `split_at_checked`, `strip_prefix` and `fill_with`" slice_ends -> i32 |i, x, f| {
        struct Writer<'a> { rest: &'a mut [i32] }
        impl Writer<'_> {
            fn push(&mut self, v: i32) -> Result<(), ()> { let (first, rest) = core::mem::take(&mut self.rest).split_first_mut().ok_or(())?; *first = v; self.rest = rest; Ok(()) }
        }
        let mut a = [0; 6];
        let mut next = x[i];
        a[2..].fill_with(|| { next += 3; next });
        if let Some((last, before)) = a.split_last_mut() { *last += before.len() as i32; }
        let mut w = Writer { rest: &mut a[..3] };
        let mut full = 0i32;
        for k in 0..i % 6 { if w.push(k as i32 + x[k]).is_err() { full += 1; } }
        if let Some((low, high)) = a.split_at_mut_checked(i % 9) { low.reverse(); high.reverse(); }
        let parts = x[..i].split_at_checked(7).map_or(-1, |(low, high)| low.len() as i32 * 5 - high.len() as i32);
        let stripped = x[i..].strip_prefix(&[x[i]]).map_or(0, |part| part.len()) + x[..=i].strip_suffix(&x[i / 2..=i]).map_or(99, |part| part.len()) + a.strip_prefix(&[1, 2]).map_or(7, |rest| rest.len());
        a.iter().fold(full, |s, v| s.wrapping_mul(31).wrapping_add(*v)) + parts + stripped as i32
    }
    "`copy_from_slice` into parts, and `fill`" copied_parts -> i32 |i, x, f| {
        let mut block = [0u8; 16];
        let rest = &b"hello kernels"[..i % 13];
        block[..rest.len()].copy_from_slice(rest);
        block[rest.len()] = 0x80;
        block[8..12].fill(i as u8);
        block[12..].copy_from_slice(&(x[i] as u32).to_be_bytes());
        block.chunks_exact(4).fold(0u32, |h, b| h.rotate_left(7) ^ u32::from_le_bytes(b.try_into().unwrap())) as i32
    }
    "a reader that moves its slice on" reader -> i32 |i, x, f| {
        struct Reader<'a>(&'a [i32]);
        impl<'a> Reader<'a> {
            fn one(&mut self) -> Option<i32> { let (&first, rest) = self.0.split_first()?; self.0 = rest; Some(first) }
            fn many<const N: usize>(&mut self) -> Option<[i32; N]> { let mut out = [0; N]; for slot in &mut out { *slot = self.one()?; } Some(out) }
            fn take(&mut self, n: usize) -> Option<&'a [i32]> { if n > self.0.len() { return None; } let (part, rest) = self.0.split_at(n); self.0 = rest; Some(part) }
        }
        let mut reader = Reader(&x[i..]);
        let first = reader.many::<2>().map_or(-1, |[a, b]| a * 3 + b);
        let part = reader.take(4).map(|part| part.iter().sum::<i32>());
        first + part.unwrap_or(50) * 7 + reader.one().unwrap_or(9)
    }
    "two elements changed through `for` over an array of `&mut`" array_of_references -> i32 |i, x, f| {
        let (mut a, mut b) = (x[i], 7);
        for (v, by) in [(&mut a, 3), (&mut b, i as i32)] { *v = *v * by + 1; }
        for v in [&mut a, &mut b] { *v -= 2; }
        a * 100 + b
    }
    "`core::mem::take`, `replace` and `swap`" mem_functions -> i32 |i, x, f| {
        let mut a = Some(x[i]); let mut b = [1, 2]; let old = core::mem::take(&mut a); let c = core::mem::replace(&mut b, [x[i], 7]); core::mem::swap(&mut b[0], &mut 5); old.unwrap_or(0) + c[1] + b[0] + a.is_none() as i32
    }
    "`split_at`, `contains`, `starts_with` and `first_chunk`" slice_parts -> i32 |i, x, f| {
        let p = &x[..=i]; let (a, b) = p.split_at(p.len() / 2); a.iter().chain(b.iter().rev()).copied().reduce(|s, v| s * 2 % 1009 + v).unwrap_or(0) + p.contains(&7) as i32 + p.starts_with(&[x[0]]) as i32 + p.iter().rev().step_by(2).count() as i32 + p.first_chunk::<2>().map_or(0, |c| c[0] - c[1])
    }
    "compound assignment of references and through them" add_assign_refs -> i32 |i, x, f| {
        let mut t = 0; for v in &x[..i] { t += v; t ^= &3; } let r = &mut t; *r <<= 1; *r -= &x[i]; t
    }
    "`each_ref`" each_ref -> i32 |i, x, f| {
        let a = [x[i], 7, i as i32];
        let [p, q, _] = a.each_ref();
        *p * *q + a.each_ref().map(|v| *v * 2).iter().sum::<i32>()
    }
    "`first_chunk_mut`, `last_chunk_mut`, `split_first_chunk_mut`, `split_last_chunk_mut`" slice_chunk_ends_mut -> i32 |i, x, f| {
        let mut a = [x[i], 2, 3, 4, 5, 6, 7, 8];
        let part = &mut a[i % 3..4 + i % 5];
        if let Some([p, q]) = part.first_chunk_mut::<2>() { core::mem::swap(p, q); }
        if let Some(last) = part.last_chunk_mut::<3>() { last[i % 3] *= 7; last.reverse(); }
        if let Some((head, rest)) = part.split_first_chunk_mut::<4>() { head[1] += rest.len() as i32 * 100; if let [first, ..] = rest { *first -= head[0]; } }
        if let Some((rest, [p])) = part.split_last_chunk_mut() { *p ^= rest[0]; }
        let none = part.first_chunk_mut::<9>().is_none() as i32;
        a.iter().fold(none, |s, v| s * 3 + v)
    }
}
