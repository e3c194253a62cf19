//! Iterators that are values: kept in variables, handed over, returned, and written by the user.

crate::harness::constructs! {
    "iterators in variables" kept -> i32 |i, x, f| {
        let mut it = x[i..].iter();
        let mut s = 0;
        while let Some(v) = it.next() { if *v > 30 { break; } s = s * 3 % 1009 + v; }
        for v in it { s = s * 5 % 1013 + *v; }
        let mut squares = x[..=i].iter().map(|v| v * v).enumerate();
        if let Some((k, v)) = squares.next() { s += k as i32 + v; }
        s + squares.map(|(k, v)| k as i32 * (v & 7)).sum::<i32>()
    }
    "`next_back`, `len` and `nth` of an iterator in a variable" from_both_ends -> i32 |i, x, f| {
        let mut it = x[..=i].iter().copied();
        let (mut s, mut n) = (0, 0);
        while let (Some(a), Some(b)) = (it.next(), it.next_back()) { s = s * 7 % 1009 + a * 2 - b; n += it.len() as i32; }
        let mut from = x[i..].iter();
        s + n * 10 + from.nth(2).map_or(-1, |v| *v) + from.next().map_or(-2, |v| *v) + from.len() as i32
    }
    "`chunks_exact` with `remainder`" remainder -> i32 |i, x, f| {
        let mut chunks = x[i..].chunks_exact(4);
        let mut s = 0;
        for c in &mut chunks { s = s * 3 % 1009 + c[0] * c[3] - c[1]; }
        for v in chunks.remainder() { s = s * 5 % 1013 + v; }
        let mut mine = [0; 7];
        let mut parts = mine.chunks_exact_mut(3);
        while let Some(part) = parts.next() { part[0] = x[i]; part[2] = 1; }
        s + mine.iter().fold(0, |s, v| s * 3 + v) % 1019
    }
    "`by_ref`" by_ref -> i32 |i, x, f| {
        let mut it = x[i..].iter().copied();
        let head: i32 = it.by_ref().take(3).sum();
        let found = it.by_ref().find(|v| v % 3 == 0);
        head + found.unwrap_or(1000) * 3 + it.fold(0, |s, v| s * 3 % 1009 + v)
    }
    "`peekable`, `next_if` and `peek`" peekable -> i32 |i, x, f| {
        let (mut a, mut b) = (x[..i].iter().copied().peekable(), x[i..].iter().copied().peekable());
        let mut s = 0;
        loop {
            let next = match (a.peek(), b.peek()) {
                (Some(p), Some(q)) => if p <= q { a.next() } else { b.next() },
                (Some(_), None) => a.next(),
                (None, _) => b.next(),
            };
            let Some(v) = next else { break };
            s = s * 3 % 1009 + v;
        }
        let mut rest = x[..=i].iter().peekable();
        let mut groups = 0;
        while let Some(v) = rest.next() { while rest.next_if(|w| (**w < 0) == (*v < 0)).is_some() {} groups += 1; }
        s * 100 + groups
    }
    "`iter::repeat`, `repeat_n`, `once`, `from_fn` and `successors`" sources -> i32 |i, x, f| {
        let halves = core::iter::successors(Some(x[i].wrapping_abs()), |v| (*v > 1).then_some(v / 2));
        let mut step = 0;
        let steps = core::iter::from_fn(|| { step += 3; (step < 20).then_some(step) });
        let padded = core::iter::once(x[i]).chain(core::iter::repeat_n(7, i % 4)).chain(core::iter::repeat(1).take(2));
        let runs = x[..3].iter().flat_map(|v| core::iter::repeat(*v).take((v & 3) as usize));
        let sum = halves.zip(steps).fold(0, |s, (a, b)| s * 3 % 1009 + a + b);
        runs.chain(padded).fold(sum, |s, v| s * 5 % 1013 + v)
    }
    "`flat_map` and `flatten`" flat_map -> i32 |i, x, f| {
        let pairs = (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b)));
        let turned = pairs.filter(|&(a, b)| x[(i + a) % 50] > x[(i + b) % 50]).count() as i32;
        let sum: i32 = x[..=i].chunks(4).flat_map(|c| c.iter()).map(|v| v & 15).sum();
        let rows = [[x[i], 2, 3], [4, 5, x[0]]];
        let flat = rows.iter().flatten().fold(0, |s, v| s * 3 % 1009 + v);
        let halves = x.iter().map(|v| if v % 2 == 0 { Some(v / 2) } else { None }).flatten().filter(|v| *v > 0).count();
        let slots = [Some(x[i]), None, Some(7)];
        let kept = slots.iter().flatten().fold(0, |s, v| s * 3 % 1009 + *v) + (&slots[0]).into_iter().sum::<i32>();
        turned * 1_000_000 + sum * 1000 + flat + halves as i32 + kept
    }
    "any adaptor after `filter`" after_filter -> i32 |i, x, f| {
        let mut s = 0;
        for (k, v) in x.iter().filter(|v| **v > x[i]).enumerate() { s = s * 3 % 1009 + k as i32 * v; }
        for (v, w) in x[i..].iter().filter(|v| **v % 2 == 0).zip(x.iter().rev()) { s = s * 5 % 1013 + v * w; }
        let some: i32 = x.iter().copied().filter(|v| *v < 10).skip(2).take(5).step_by(2).sum();
        let last = x.iter().filter(|v| **v > 0).rev().next().copied().unwrap_or(0);
        s * 100 + some + last + x[..i].iter().take_while(|v| **v > -45).chain(x[..2].iter()).count() as i32
    }
    "ranges without an end" open_ranges -> i32 |i, x, f| {
        let sum: i32 = x[..i].iter().zip(3..).map(|(v, k)| v * k).sum();
        sum + (1..).map(|k| k * k).take_while(|v| *v < 200 + i as i32).sum::<i32>() + (i..).find(|k| k % 7 == 0).unwrap() as i32
    }
    "functions that take iterators" taken -> f32 |i, x, f| {
        fn mean(it: impl Iterator<Item = f32>) -> f32 { let (mut n, mut s) = (0, 0.0); for v in it { n += 1; s += v; } s / n as f32 }
        fn largest<I: Iterator<Item = f32>>(mut it: I) -> Option<f32> { let first = it.next()?; Some(it.fold(first, |a, b| if b > a { b } else { a })) }
        fn total<T: Copy + core::ops::Add<Output = T>, I>(it: I, zero: T) -> T where I: IntoIterator<Item = T> { let mut s = zero; for v in it { s = s + v; } s }
        fn skip_two(it: &mut impl Iterator<Item = f32>) -> f32 { it.next(); it.next(); it.next().unwrap_or(-1.0) }
        let mut it = f[i..].iter().copied();
        let third = skip_two(&mut it);
        mean(f[..=i].iter().copied()) + mean(it.chain(f.iter().map(|v| v * 0.5))) + third
            + largest(f[..i].iter().copied()).unwrap_or(100.0) + total([f[i], 2.0, 3.0], 0.0) + total(f[..4].iter().map(|v| v + 1.0), 0.5)
    }
    "functions that return iterators" returned -> i32 |i, x, f| {
        fn bits(word: u32) -> impl Iterator<Item = u32> { (0..32).filter(move |b| word >> b & 1 == 1) }
        fn around(i: usize, n: usize) -> impl Iterator<Item = usize> { [-5, -1, 1, 5].into_iter().map(move |o| i as i32 + o).filter(move |j| *j >= 0 && (*j as usize) < n).map(|j| j as usize) }
        fn evens<'a>(x: &'a [i32], from: usize) -> impl Iterator<Item = &'a i32> + 'a { x.iter().skip(from).step_by(2) }
        let mut s = 0;
        for j in around(i, x.len()) { s = s * 3 % 1009 + x[j]; }
        let common = bits(x[i] as u32).zip(bits(i as u32 | 64)).map(|(a, b)| a * 7 + b).fold(0, |s, v| (s * 3 + v) % 1013) as i32;
        s + common * 10 + evens(x, i).map(|v| v & 3).sum::<i32>() + bits(5).chain(bits(9)).sum::<u32>() as i32
    }
    "functions that return closures" returned_closures -> i32 |i, x, f| {
        fn scale(k: i32) -> impl Fn(i32) -> i32 { move |v| v * k }
        fn twice(f: impl Fn(i32) -> i32) -> impl Fn(i32) -> i32 { move |v| f(f(v)) }
        let (double, triple) = (scale(2), scale(3));
        double(x[i]) + triple(i as i32) * 100 + twice(scale(x[0]))(x[i])
    }
    "a method of one's own with the name of an iterator's" own_before_iterators -> u32 |i, x, f| {
        struct Bytes { rest: u32, taken: u32 }
        impl Bytes {
            fn take_while(&mut self, keep: impl Fn(u32) -> bool) -> u32 {
                let mut n = 0;
                while self.rest != 0 && keep(self.rest % 16) { self.rest /= 16; n += 1; }
                self.taken += n;
                n
            }
            fn skip(&mut self) -> u32 { self.take_while(|digit| digit < 8) }
        }
        impl Iterator for Bytes {
            type Item = u32;
            fn next(&mut self) -> Option<u32> { let n = self.skip(); let digit = self.rest % 16; if self.rest == 0 { return None; } self.rest /= 16; Some(digit * 10 + n) }
        }
        let mut all = Bytes { rest: (x[i] as u32).wrapping_mul(2654435761), taken: 0 };
        let bytes = &mut all;
        let first = bytes.take_while(|digit| digit % 2 == 0);
        let second = bytes.take_while(|digit| digit % 2 == 1);
        first + second * 10 + bytes.by_ref().take(2).sum::<u32>() * 100 + bytes.taken
    }
    "`impl Iterator` of one's own" own -> i32 |i, x, f| {
        struct Collatz { value: u64 }
        impl Iterator for Collatz {
            type Item = u64;
            fn next(&mut self) -> Option<u64> {
                if self.value == 1 { return None; }
                self.value = if self.value % 2 == 0 { self.value / 2 } else { 3 * self.value + 1 };
                Some(self.value)
            }
        }
        struct Lcg(u32);
        impl Iterator for Lcg { type Item = u32; fn next(&mut self) -> Option<Self::Item> { self.0 = self.0.wrapping_mul(1664525).wrapping_add(1013904223); Some(self.0 >> 24) } }
        let mut n = 0;
        for _ in (Collatz { value: i as u64 + 1 }) { n += 1; }
        let peak = Collatz { value: i as u64 + 1 }.max().unwrap_or(1);
        let mut rng = Lcg(i as u32);
        let first = rng.next().unwrap();
        let some: u32 = rng.by_ref().filter(|v| v % 2 == 0).take(3).sum();
        n + (peak % 1000) as i32 * 100 + (first + some + Lcg(1).zip(x.iter()).map(|(a, _)| a).take(4).sum::<u32>()) as i32 * 7
    }
    "`impl Sum` of one's own" sums -> f32 |i, x, f| {
        use core::ops::{Add, Mul};
        #[derive(Clone, Copy)] struct V { x: f32, y: f32 }
        impl Add for V { type Output = V; fn add(self, o: V) -> V { V { x: self.x + o.x, y: self.y + o.y } } }
        impl Mul<f32> for V { type Output = V; fn mul(self, k: f32) -> V { V { x: self.x * k, y: self.y * k } } }
        impl Mul<V> for V { type Output = f32; fn mul(self, o: V) -> f32 { self.x * o.x + self.y * o.y } }
        impl core::iter::Sum for V { fn sum<I: Iterator<Item = V>>(iter: I) -> V { iter.fold(V { x: 0.0, y: 0.0 }, |a, b| a + b) } }
        impl<'a> core::iter::Sum<&'a V> for V { fn sum<I: Iterator<Item = &'a V>>(iter: I) -> V { iter.copied().sum() } }
        let all = [V { x: f[i], y: 1.0 }, V { x: 2.0, y: f[0] }, V { x: 0.5, y: 0.25 }];
        let total: V = all.iter().sum();
        let scaled = all.iter().map(|v| *v * 2.0).sum::<V>();
        total * scaled + total.x
    }
    "`impl Extend` of one's own" extended -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct Least<const K: usize>([i32; K]);
        impl<const K: usize> Least<K> {
            fn push(&mut self, v: i32) { let mut v = v; for kept in self.0.iter_mut() { if v < *kept { core::mem::swap(kept, &mut v); } } }
        }
        impl<const K: usize> Extend<i32> for Least<K> {
            fn extend<I: IntoIterator<Item = i32>>(&mut self, items: I) { for v in items { self.push(v); } }
        }
        let mut least = Least([1000; { 2 + 1 }]);
        least.extend(x[i..].iter().copied().filter(|v| v % 2 == 0));
        least.extend([5, 3]);
        least.0[0] + least.0[1] * 3 + least.0[2] * 7
    }
    "ranges as parameters, results and fields" range_values -> i32 |i, x, f| {
        use core::ops::Range;
        #[derive(Clone)] struct Part { rows: Range<usize>, weight: i32 }
        fn row(k: usize) -> Range<usize> { k * 3..(k + 1) * 3 }
        fn total(r: Range<usize>, x: &[i32]) -> i32 { r.map(|k| x[k]).sum() }
        fn longer(a: Range<usize>, b: Range<usize>) -> Range<usize> { if a.len() >= b.len() { a } else { b } }
        let r = longer(row(i % 10), i / 2..i);
        let part = Part { rows: r.clone(), weight: 3 };
        let mut s = total(r.clone(), x) + (r.start * 100 + r.end) as i32 + r.contains(&4) as i32 + r.is_empty() as i32;
        for k in part.rows { s += x[k] * part.weight; }
        let mut left = 0..i as i32;
        while let Some(v) = left.next() { s += v; if left.next_back().is_none() { break; } }
        s
    }
    "`split` by a closure" split -> i32 |i, x, f| {
        let parts = x[..=i].split(|v| *v > 35).filter(|part| !part.is_empty()).count() as i32;
        let mut s = 0;
        for part in x[i..].split(|v| v % 9 == 0) { s = s * 3 % 1009 + part.len() as i32; }
        parts * 10_000 + s + x.split(|v| *v == x[i]).map(|part| part.len()).max().unwrap() as i32 * 20_000
    }
    "slices in tuples behind references" slices_behind_references -> i32 |i, x, f| {
        let pair = (i as i32, &x[i..]);
        let len = |(k, part): &(i32, &[i32])| *k * 100 + part.len() as i32 + part[0];
        let parts = x.chunks(i + 1).enumerate().filter(|(k, part)| (k + part.len()) % 2 == 0).map(|(_, part)| part[0]).sum::<i32>();
        len(&pair) * 1000 + parts
    }
    "a trait's method that is the type's own" forwarded -> f32 |i, x, f| {
        trait Real: Copy + core::ops::Mul<Output = Self> { const ZERO: Self; fn sqrt(self) -> Self; fn abs(self) -> Self; fn of(v: f64) -> Self; }
        impl Real for f32 { const ZERO: f32 = 0.0; fn sqrt(self) -> f32 { f32::sqrt(self) } fn abs(self) -> f32 { self.abs() } fn of(v: f64) -> f32 { v as f32 } }
        impl Real for f64 { const ZERO: f64 = 0.5; fn sqrt(self) -> f64 { self.sqrt() } fn abs(self) -> f64 { f64::abs(self) } fn of(v: f64) -> f64 { v } }
        fn norm<T: Real>(v: T) -> (T, T) { ((v * v).sqrt().abs() * T::of(2.0), T::ZERO) }
        let (a, zero) = norm(f[i]); let (b, half) = norm(x[i] as f64);
        a + zero + (b + half) as f32 + (-4.0f32).abs().sqrt()
    }
    "`rev` of `step_by`, `chunks` and `windows` in variables" reversed_values -> i32 |i, x, f| {
        let mut steps = x[i / 2..].iter().step_by(i % 4 + 1);
        let mut s = steps.len() as i32 + if i % 3 == 0 { steps.next().copied().unwrap_or(0) } else { 0 };
        for v in steps.rev() { s = s * 3 % 10_007 + v; }
        let mut chunks = x[..i].chunks(i % 5 + 2);
        s += chunks.next().map_or(0, |part| part[0]);
        for part in chunks.rev() { s = s * 7 % 10_007 + part[0] + part.len() as i32; }
        let mut windows = x[i / 3..i].windows(3);
        s += windows.len() as i32 + windows.next().map_or(0, |w| w[2]);
        windows.rev().fold(s, |s, w| s * 5 % 10_007 + w[0] - w[2])
    }
    "indices by ranges that are values" range_index -> i32 |i, x, f| {
        use core::ops::Range;
        struct Rows<'a> { of: &'a [i32], ends: [usize; 4] }
        impl<'a> Rows<'a> {
            fn range(&self, k: usize) -> Range<usize> { self.ends[k]..self.ends[k + 1] }
            fn row(&self, k: usize) -> &'a [i32] { &self.of[self.range(k)] }
        }
        let rows = Rows { of: x, ends: [i / 4, i / 2, i, 50] };
        let mut own = [1, 2, 3, 4, 5, 6];
        let middle = Range { start: 1, end: 2 + i % 4 };
        for v in own[middle.clone()].iter_mut() { *v *= x[i]; }
        own[middle.clone()].swap(0, middle.len() - 1);
        let parts: i32 = x[rows.range(1)].iter().zip(&x[rows.range(2)]).map(|(a, b)| a * b).sum();
        let (first, rest) = (rows.row(0), &x[rows.range(2)][1..]);
        parts + first.len() as i32 + rest.iter().sum::<i32>() + own.iter().rev().fold(0, |s, v| s * 3 + v)
    }
    "`core::iter::zip`" iter_zip -> i32 |i, x, f| { let mut a = [1, 2, 3]; for (a, v) in core::iter::zip(&mut a, &x[i..]) { *a += v; } std::iter::zip(a, x).map(|(a, b)| a * b).sum() }
    "`zip` and `repeat_with` by `use`" imported_sources -> i32 |i, x, f| {
        use core::iter::{repeat_with, zip};
        let mut n = x[i] & 7;
        let made: i32 = repeat_with(|| { n = n * 5 % 11; n }).take_while(|v| *v != 3).take(6).sum();
        let mut low = [1, 2, 3];
        for (a, v) in zip(&mut low, &x[i..]) { *a += v; }
        made + zip(low, x).map(|(a, b)| a * b).sum::<i32>()
    }
    "an open range by steps in `zip`" open_steps -> i32 |i, x, f| {
        let of_slice = x.iter().zip((i..).step_by(1_000_000)).map(|(v, k)| v * (k % 97) as i32).sum::<i32>();
        let mut by_threes = (5u8..).step_by(3);
        of_slice + by_threes.next().map_or(0, i32::from) + by_threes.nth(2).map_or(0, i32::from) * 10
    }
    "an iterator of closures that captured what `self` refers to" captured_self -> i32 |i, x, f| {
        struct List { nodes: [(i32, Option<u8>); 4], head: Option<u8> }
        impl List {
            fn iter(&self) -> impl Iterator<Item = i32> + '_ {
                core::iter::successors(self.head, |&at| self.nodes[at as usize].1).map(|at| self.nodes[at as usize].0)
            }
        }
        let list = List { nodes: [(x[i], None), (2, Some(0)), (3, Some(1)), (4, Some(2))], head: Some(i as u8 % 4) };
        list.iter().fold(0, |a, v| a * 10 + v)
    }
    "`eq`, `ne`, `cmp` and `partial_cmp` of iterators" iterators_compared -> i32 |i, x, f| {
        let (a, b) = (&x[i % 3..i % 3 + 2], &x[(i + 1) % 3..(i + 1) % 3 + 1 + i % 2]);
        let low = |v: &i32| *v & 1;
        let order = a.iter().map(low).cmp(b.iter().map(low)) as i32;
        let partial = f[i..].iter().rev().partial_cmp(&f[..i]).map_or(5, |order| order as i32);
        let nan = f[..=i].iter().map(|v| *v * 0.0 / 0.0).partial_cmp(f.iter().copied()).is_none() as i32;
        let same = a.iter().rev().rev().eq(a) as i32 + (0..3).map(|k| k * x[i]).ne([0, x[i], 2 * x[i]]) as i32 * 2 + x[..i].iter().eq(&x[..i / 2]) as i32 * 4;
        order + partial * 10 + nan * 100 + same * 1000
    }
    "`rchunks` and `rchunks_exact`" rchunks -> i32 |i, x, f| {
        let n = i % 5 + 1;
        let ends: i32 = x[..i].rchunks(n).map(|part| part[0] * part.len() as i32).sum();
        let mut parts = x[i / 2..].rchunks(n);
        let (last, first) = (parts.next().map_or(0, |part| part[0]), parts.next_back().map_or(0, |part| part.len() as i32));
        let s = parts.len() as i32 + parts.enumerate().fold(0, |s, (k, part)| s * 3 % 10_007 + part[part.len() - 1] + k as i32);
        let exact = x[..=i].rchunks_exact(n).rev().fold(0, |s, part| s * 5 % 10_007 + part[0]);
        ends + last * 3 + first * 7 + s + exact * 11
    }
    "`lt`, `le`, `gt` and `ge` of iterators" iterators_ordered -> i32 |i, x, f| {
        let (a, b) = (&x[i..(i + 3).min(x.len())], &x[49 - i % 4..]);
        let of = |a: &[i32], b: &[i32]| a.iter().lt(b.iter()) as i32 + a.iter().le(b.iter()) as i32 * 2 + a.iter().gt(b.iter()) as i32 * 4 + a.iter().ge(b.iter()) as i32 * 8;
        let floats = f[..i].iter().copied().lt(f[..i + 1].iter().copied()) as i32 + f.iter().take(3).map(|v| v * 2.0).ge(f.iter().take(2).copied()) as i32 * 2;
        let nan = [f32::NAN, 1.0];
        let undecided = (nan.iter().lt(f.iter()) || nan.iter().ge(f.iter())) as i32;
        of(a, b) + of(b, a) * 16 + of(a, a) * 256 + of(&a[..1], a) * 4096 + floats * 65536 + undecided * 524288
    }
    "`rchunks_mut` and `rchunks_exact_mut`" rchunks_mut -> i32 |i, x, f| {
        let mut v = [0; 11];
        for (k, part) in v.rchunks_mut(1 + i % 5).enumerate() { part[0] = k as i32 + 1; part[part.len() - 1] += x[i]; }
        let mut parts = v.rchunks_exact_mut(4);
        let n = parts.len() as i32;
        while let Some(part) = parts.next() { part.reverse(); part[1] += 7; }
        v.iter().fold(n, |s, v| s * 3 % 1_000_003 + v)
    }
    "`Peekable<Iter<'a, T>>` and its like as types of fields" adaptor_types -> i32 |i, x, f| {
        use core::iter::{Enumerate, Peekable, Rev};
        use core::slice::Iter;
        struct Groups<'a> { it: Peekable<Iter<'a, i32>> }
        impl<'a> Groups<'a> {
            fn new(x: &'a [i32]) -> Self { Groups { it: x.iter().peekable() } }
            fn skip_negative(&mut self) { while self.it.next_if(|v| **v < 0).is_some() {} }
            fn sum(&mut self) -> Option<i32> { let mut s = *self.it.next()?; while let Some(&&v) = self.it.peek() { if v < 0 { break; } s += v; self.it.next(); } Some(s) }
        }
        struct Last<I: Iterator> { it: Peekable<I>, seen: i32 }
        impl<I: Iterator<Item = i32>> Iterator for Last<I> { type Item = (i32, bool); fn next(&mut self) -> Option<(i32, bool)> { let v = self.it.next()?; self.seen += 1; Some((v, self.it.peek().is_none())) } }
        fn numbered<'a>(x: &'a [i32]) -> Enumerate<Rev<Iter<'a, i32>>> { x.iter().rev().enumerate() }
        let mut groups = Groups::new(&x[i..]);
        groups.skip_negative();
        let mut total = 0;
        while let Some(s) = groups.sum() { total = total * 3 % 1009 + s; groups.skip_negative(); }
        for (v, last) in (Last { it: x[..=i].iter().copied().peekable(), seen: 0 }) { total = total * 5 % 1013 + v * if last { 7 } else { 1 }; }
        numbered(&x[..=i]).fold(total, |s, (k, v)| s * 3 % 1009 + k as i32 * v)
    }
    "`for` over an `impl IntoIterator` of one's own, by value and by reference" own_into_iterator -> i32 |i, x, f| {
        #[derive(Clone, Copy)]
        struct Bits(u64);
        struct Ones(u64);
        impl Iterator for Ones { type Item = u32; fn next(&mut self) -> Option<u32> { if self.0 == 0 { return None; } let at = self.0.trailing_zeros(); self.0 &= self.0 - 1; Some(at) } }
        impl IntoIterator for Bits { type Item = u32; type IntoIter = Ones; fn into_iter(self) -> Ones { Ones(self.0) } }
        struct Bag { items: [i32; 4], len: usize }
        impl<'a> IntoIterator for &'a Bag { type Item = &'a i32; type IntoIter = core::slice::Iter<'a, i32>; fn into_iter(self) -> Self::IntoIter { self.items[..self.len].iter() } }
        let bits = Bits((x[i] as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut total = 0;
        for at in bits { if at > 40 { break; } total = total * 3 % 10_007 + at as i32; }
        'outer: for at in bits { for v in &x[..i] { if *v == at as i32 { continue 'outer; } } total += 1; }
        let bag = Bag { items: [x[i], 1, 2, 3], len: i % 5 };
        for v in &bag { total += v * 5; }
        total + bits.into_iter().map(|at| at as i32).sum::<i32>()
    }
    "`collect` by an `impl FromIterator` of one's own" collected -> f32 |i, x, f| {
        #[derive(Clone, Copy, Default)]
        struct Stats { n: u32, sum: f32, max: f32 }
        impl FromIterator<f32> for Stats {
            fn from_iter<I: IntoIterator<Item = f32>>(iter: I) -> Self { let mut s = Stats::default(); for v in iter { s.n += 1; s.sum += v; s.max = s.max.max(v); } s }
        }
        impl<'a> FromIterator<&'a f32> for Stats { fn from_iter<I: IntoIterator<Item = &'a f32>>(iter: I) -> Self { iter.into_iter().copied().collect() } }
        let one: Stats = f[..i].iter().copied().filter(|v| *v > 0.0).collect();
        let two = f[i..].iter().collect::<Stats>();
        let three = Stats::from_iter([1.0, 2.0]);
        one.sum + two.max * 2.0 + (one.n + two.n * 3 + three.n) as f32 + three.sum
    }
    "`by_ref` of `&mut self`" by_ref_of_self -> i32 |i, x, f| {
        struct Reader<'a> { words: &'a [i32], at: usize }
        impl Iterator for Reader<'_> { type Item = bool; fn next(&mut self) -> Option<bool> { let w = self.words.get(self.at / 32)?; let bit = *w as u32 >> (self.at % 32) & 1; self.at += 1; Some(bit == 1) } }
        impl Reader<'_> {
            fn read(&mut self, n: usize) -> u32 { self.by_ref().take(n).fold(0, |v, bit| v << 1 | bit as u32) }
            fn zeros(&mut self) -> usize { self.by_ref().take_while(|bit| !bit).count() }
        }
        let mut reader = Reader { words: &x[i..], at: 0 };
        let (a, z, b) = (reader.read(5), reader.zeros(), reader.read(7));
        a as i32 * 1000 + z as i32 * 129 + b as i32
    }
    "`sum` and `product` of one's own types by aliases, generics and references" alias_sums -> i32 |i, x, f| {
        use core::iter::{Product, Sum};
        use core::ops::{Add, Mul};
        #[derive(Clone, Copy, PartialEq)]
        struct Mod<const P: u32>(u32);
        type Field = Mod<10007>;
        impl<const P: u32> Add for Mod<P> { type Output = Self; fn add(self, o: Self) -> Self { Mod((self.0 + o.0) % P) } }
        impl<const P: u32> Mul for Mod<P> { type Output = Self; fn mul(self, o: Self) -> Self { Mod(self.0 * o.0 % P) } }
        impl<const P: u32> Sum for Mod<P> { fn sum<I: Iterator<Item = Self>>(iter: I) -> Self { iter.fold(Mod(0), |a, b| a + b) } }
        impl<const P: u32> Product for Mod<P> { fn product<I>(iter: I) -> Self where I: Iterator<Item = Self> { iter.fold(Mod(1), Mul::mul) } }
        let values = [1, 2, 3, 4].map(|k: u32| Mod((x[i] + 50) as u32 * k + 1));
        let sum = values.iter().copied().sum::<Field>();
        let product: Field = values.into_iter().product();
        let pow = |base: Field, n: u32| core::iter::successors(Some(base), |v| Some(*v * *v)).zip((0..16).map(|bit| n >> bit)).take_while(|&(_, rest)| rest != 0).filter(|(_, rest)| rest & 1 == 1).map(|(square, _)| square).product::<Field>();
        (sum.0 + product.0 * 3 + pow(values[0], i as u32).0 * 7) as i32
    }
    "`scan` with a run, and `max` of it" longest_run -> i32 |i, x, f| {
        x[..=i].iter().map(|v| v % 3 != 0).scan(0, |run, hit| { *run = if hit { *run + 1 } else { 0 }; Some(*run) }).max().unwrap_or(0)
    }
    "palindromes and prefixes by iterators" palindromes -> i32 |i, x, f| {
        let word = &x[i..(i + 5).min(x.len())];
        let prefix = word.iter().zip(x).take_while(|(a, b)| **a > **b).count();
        word.iter().map(|v| v & 1).eq(word.iter().rev().map(|v| v & 1)) as i32 * 100 + prefix as i32
    }
    "an iterator behind a method with a lifetime" neighbours -> i32 |i, x, f| {
        struct Graph<'g> { offsets: &'g [usize], targets: &'g [i32] }
        impl<'g> Graph<'g> {
            fn range(&self, node: usize) -> core::ops::Range<usize> { self.offsets[node]..self.offsets[node + 1] }
            fn neighbours(&self, node: usize) -> impl Iterator<Item = usize> + 'g { self.targets[self.range(node)].iter().map(|t| (*t + 50) as usize) }
        }
        let offsets = [0, i / 3, i / 2, i];
        let graph = Graph { offsets: &offsets, targets: x };
        (0..3).map(|node| graph.neighbours(node).fold(node as i32, |s, t| s * 3 % 10_007 + t as i32)).sum()
    }
    "`zip` of three columns in a struct" columns -> f32 |i, x, f| {
        struct Bodies<'a> { x: &'a [f32], y: &'a [f32], m: &'a [i32] }
        impl<'a> Bodies<'a> { fn iter(&self) -> impl Iterator<Item = (f32, f32, i32)> + 'a { self.x.iter().zip(self.y).zip(self.m).map(|((&x, &y), &m)| (x, y, m)) } }
        let bodies = Bodies { x: &f[..i], y: &f[i / 2..], m: x };
        let (mut ax, mut ay) = (0.0, 0.0);
        for (j, (bx, by, m)) in bodies.iter().enumerate() { if j == 3 { continue; } let d = bx - by; ax += d * m as f32; ay -= d; }
        ax + ay * 0.5
    }
    "`core::array::IntoIter`, `Copied`, `Zip` and `Chain` as types of iterators" named_adaptors -> i32 |i, x, f| {
        struct Bag([i32; 4]);
        impl IntoIterator for Bag { type Item = i32; type IntoIter = core::array::IntoIter<i32, 4>; fn into_iter(self) -> Self::IntoIter { self.0.into_iter() } }
        struct Part<'a> { low: &'a [i32], high: &'a [i32] }
        impl<'a> IntoIterator for Part<'a> {
            type Item = i32;
            type IntoIter = core::iter::Copied<core::iter::Chain<core::slice::Iter<'a, i32>, core::slice::Iter<'a, i32>>>;
            fn into_iter(self) -> Self::IntoIter { self.low.iter().chain(self.high).copied() }
        }
        fn pairs<'a>(a: &'a [i32], b: &'a [f32]) -> core::iter::Zip<core::slice::Iter<'a, i32>, core::iter::Cloned<core::slice::Iter<'a, f32>>> { a.iter().zip(b.iter().cloned()) }
        let mut total = 0;
        for v in Bag([x[i], 2, 3, i as i32]) { total = total * 3 + v; }
        for v in (Part { low: &x[..i / 2], high: &x[i..] }) { total = total * 3 % 10_007 + v; }
        for (a, b) in pairs(&x[i..], f) { total = total * 5 % 10_007 + a * b as i32; }
        total
    }
    "`try_for_each` with a `Result` and an `Option`" try_for_each -> i32 |i, x, f| {
        struct Output { bytes: [u8; 8], len: usize }
        impl Output {
            fn push(&mut self, byte: u8) -> Result<(), i32> { let slot = self.bytes.get_mut(self.len).ok_or(self.len as i32)?; *slot = byte; self.len += 1; Ok(()) }
            fn extend(&mut self, bytes: &[i32]) -> Result<(), i32> { bytes.iter().try_for_each(|b| self.push(*b as u8)) }
        }
        let mut out = Output { bytes: [0; 8], len: 0 };
        let state = match out.extend(&x[..i % 11]) { Ok(()) => 100, Err(at) => at };
        let mut seen = 0;
        let whole = x[i..].iter().enumerate().try_for_each(|(k, v)| { seen += k as i32; (*v < 30).then_some(()) });
        state + out.len as i32 * 1000 + seen * 7 + whole.is_some() as i32
    }
    "a trait of one's own for every iterator" extension_iterator -> i32 |i, x, f| {
        trait Ext: Iterator { fn alternating(self) -> i32 where Self: Sized + Iterator<Item = i32> { let mut sign = 1; let mut total = 0; for v in self { total += sign * v; sign = -sign; } total } } impl<I: Iterator> Ext for I {} x[..=i].iter().copied().alternating()
    }
    "an adaptor of one's own over any iterator" own_adaptor -> i32 |i, x, f| {
        struct Pairs<I: Iterator> { it: I } impl<I: Iterator> Iterator for Pairs<I> { type Item = (I::Item, I::Item); fn next(&mut self) -> Option<Self::Item> { Some((self.it.next()?, self.it.next()?)) } } let p = Pairs { it: x[..i].iter() }; p.map(|(a, b)| a * b).sum()
    }
    "options as iterators: `iter`, `chain` and `flatten`" opt_iter -> i32 |i, x, f| {
        let a = Some(x[i]); let mut t = 0; for v in a.iter().chain(&[1, 2]) { t += v; } t + [Some(1), None, a].iter().flatten().sum::<i32>() + [Some(1), None].into_iter().flatten().count() as i32
    }
    "`inspect`, `skip_while` and `last`" inspect_last -> i32 |i, x, f| {
        let mut n = 0; let last = x[..=i].iter().inspect(|v| n += **v).skip_while(|v| **v < 0).last(); last.copied().unwrap_or(0) + n
    }
    "`impl IntoIterator` and `impl Iterator + Clone` as parameters" impl_trait_arg -> i32 |i, x, f| {
        fn total<'a>(it: impl IntoIterator<Item = &'a i32>) -> i32 { it.into_iter().sum() } fn weigh(items: impl Iterator<Item = (usize, i32)> + Clone) -> i32 { items.clone().map(|(k, v)| k as i32 * v).sum::<i32>() + items.count() as i32 } total(&x[..i]) + total(x.iter().rev().take(2)) + total(&[1, 2]) + weigh(x[..=i].iter().copied().enumerate())
    }
    "results as iterators" result_iterators -> i32 |i, x, f| {
        fn half(v: i32) -> Result<i32, u8> { if v % 2 == 0 { Ok(v / 2) } else { Err(v as u8) } }
        let mut r = half(x[i]);
        let mut n = 0;
        for v in &mut r { *v += 1; }
        for v in r { n += v; }
        for v in r.iter() { n += 10 * v; }
        let most = x[..=i].iter().map(|v| half(*v)).flatten().filter_map(|v| v.checked_sub(1)).max().unwrap_or(0);
        n + most * 100 + half(x[i]).into_iter().chain(half(x[i] + 1)).map(|v| v * 3).sum::<i32>()
    }
    "`for` over an `Option`, by value and by reference" for_option -> i32 |i, x, f| {
        let mut t = 0;
        for v in x[i].checked_sub(3) { t += v; }
        let mut kept = (x[i] > 0).then_some(x[i]);
        for v in &mut kept { *v *= 2; }
        for v in &kept { t = t * 3 + v; }
        t
    }
    "`is_empty`, `start` and `end` of ranges" range_ends -> i32 |i, x, f| {
        let (r, s) = (x[i]..10, -20..=x[i]);
        r.is_empty() as i32 + s.is_empty() as i32 * 2 + r.start * 4 + r.end + s.start() * 3 + *s.end() * 5
    }
    "`chunk_by`" chunk_by -> i32 |i, x, f| {
        let mut t = 0;
        for run in x[i / 2..].chunk_by(|a, b| a < b) { t = t * 3 % 10_007 + run.len() as i32 * run[0]; }
        t + x[..i].chunk_by(|a, b| (*a < 0) == (*b < 0)).count() as i32
    }
    "`is_sorted`, `is_sorted_by` and `is_sorted_by_key` of iterators" sorted_items -> i32 |i, x, f| {
        let p = &x[i..(i + 3).min(50)];
        p.iter().is_sorted() as i32
            + p.iter().map(|v| v % 7).is_sorted() as i32 * 2
            + p.iter().is_sorted_by(|a, b| a >= b) as i32 * 4
            + f[i..].iter().take(4).is_sorted_by_key(|v| (*v * 4.0) as i32) as i32 * 8
    }
    "`chain` of literals" chained_literals -> i64 |i, x, f| {
        core::iter::once(x[i] as i64).chain(core::iter::repeat(2).take(3)).fold(1, |a, b| a * b % 10_007 + 5)
    }
    "`into_inner` of an inclusive range, and an `impl` of a trait for ranges of one number each" range_parts -> i32 |i, x, f| {
        trait Pick<T> { fn pick(self, seed: u32) -> T; }
        impl Pick<u32> for core::ops::Range<u32> { fn pick(self, seed: u32) -> u32 { let core::ops::Range { start, end } = self; start + seed % (end - start) } }
        impl Pick<u32> for core::ops::RangeInclusive<u32> { fn pick(self, seed: u32) -> u32 { let (low, high) = self.into_inner(); (low..high + 1).pick(seed) } }
        impl Pick<f32> for core::ops::Range<f32> { fn pick(self, seed: u32) -> f32 { self.start + (seed % 4) as f32 * 0.25 * (self.end - self.start) } }
        fn any<T, R: Pick<T>>(range: R, seed: u32) -> T { range.pick(seed) }
        let seed = x[i] as u32; (any(1..=6, seed) + any(10..20u32, seed)) as i32 + (any(-2.0..2.0f32, seed) * 4.0) as i32
    }
    "`find`, `position`, `any`, `all`, `find_map`, `try_fold` and `try_for_each` leave the rest of an iterator" kept_rest -> i64 |i, x, f| {
        let part = &x[..i];
        let mut it = part.iter().copied().peekable();
        let a = it.find(|v| *v > 3).unwrap_or(-1) as i64 * 7 + it.next().unwrap_or(-2) as i64;
        let b = it.position(|v| v % 3 == 0).map_or(-1, |at| at as i64) * 11 + it.next().unwrap_or(-2) as i64;
        let mut it = part.iter();
        let c = it.any(|v| v % 5 == 0) as i64 * 13 + *it.next().unwrap_or(&-3) as i64;
        let d = it.all(|v| *v != 4) as i64 * 17 + it.len() as i64;
        let e = it.find_map(|&v| (v > 0).then_some(v * 10)).unwrap_or(0) as i64 + it.len() as i64;
        let mut it = part.iter().rev();
        let g = it.try_fold(0i32, |t, &v| if v > 4 { Some(t + v) } else { None }).unwrap_or(-9) as i64 * 19 + it.len() as i64;
        let mut t = 0;
        let h = it.try_for_each(|&v| { t = (t * 3 + v as i64) % 1_009; if t % 7 == 1 { Err(v) } else { Ok(()) } });
        [a, b, c, d, e, g, t, h.err().unwrap_or(5) as i64, it.len() as i64].iter().fold(0, |all: i64, part| all.wrapping_mul(31).wrapping_add(*part))
    }
    "`rfold`, `rfind` and `nth_back`" from_back -> i32 |i, x, f| {
        let mut it = x[..=i].iter();
        let last = it.nth_back(1).copied().unwrap_or(1) * 5 + it.next_back().copied().unwrap_or(2);
        let found = x[..i].iter().enumerate().rfind(|(_, v)| **v > 2).map_or(-1, |(at, _)| at as i32);
        last + found * 7 + x[..=i].iter().rfold(0, |t, v| (t * 3 + v) % 10_007) + (0..i as i32).rfold(1, |t, v| (t * 5 + v) % 1_009)
    }
    "`zip` with what a method of a field gives" zip_of_field -> f32 |i, x, f| {
        struct Ring { kept: [f32; 4], head: usize } impl Ring { fn iter(&self) -> impl Iterator<Item = f32> + '_ { self.kept.iter().cycle().skip(self.head).take(3).copied() } } struct Filter { rings: [Ring; 2] } impl Filter { fn all(&self) -> [f32; 3] { let mut out = [0.0; 3]; for (slot, v) in out.iter_mut().zip(self.rings[1].iter()) { *slot += v; } for (slot, v) in out.iter_mut().zip(self.rings[0].iter()) { *slot = *slot * 0.5 + v; } out } }
        let ring = |head| Ring { kept: [f[i], 1.0, 2.0, 3.0], head };
        let [a, b, c] = Filter { rings: [ring(1), ring(i % 4)] }.all();
        a + 2.0 * b + 4.0 * c
    }
    "`next_back` and `rev` of a chain, of `filter_map` and `inspect`" chains_from_behind -> i32 |i, x, f| {
        struct Ring<'a> { items: &'a [i32], head: usize }
        impl<'a> Ring<'a> { fn iter(&self) -> impl DoubleEndedIterator<Item = &'a i32> { let (new, old) = self.items.split_at(self.head); old.iter().chain(new) } }
        let ring = Ring { items: &x[..=i], head: i / 2 };
        let mut both = ring.iter();
        let ends = both.next_back().copied().unwrap_or(9) * 7 + both.next().copied().unwrap_or(5);
        let mut seen = 0;
        let found = x[..=i].iter().filter_map(|v| (v % 2 == 0).then_some(v * 3)).inspect(|v| seen += v).rev().take(3).fold(0, |s, v| s * 5 + v);
        let mut own = [x[i], 2, 3, 4, 5];
        let mut pairs = own.chunks_exact_mut(2);
        if let Some(last) = pairs.next_back() { last[0] += 7; }
        if let Some(first) = pairs.next_back() { first[1] *= 3; }
        let rest = pairs.next_back().is_none() as i32;
        let mut same = core::iter::repeat_n(x[i], i % 3);
        let behind = same.next_back().unwrap_or(11) + same.len() as i32 + Some(x[i]).into_iter().next_back().unwrap_or(1);
        behind * 5 + rest + own.iter().fold(0, |s, v| (s * 3 + v) % 1009) + ends + found % 10007 + seen + ring.iter().rev().fold(0, |s, v| (s * 3 + v) % 1009) + both.count() as i32
    }
    "`IntoIter` and `Item` of arrays, references, options and ranges" projections -> i32 |i, x, f| {
        struct Pairs<I: Iterator> { it: I } impl<I: Iterator<Item = i32>> Iterator for Pairs<I> { type Item = (i32, i32); fn next(&mut self) -> Option<(i32, i32)> { Some((self.it.next()?, self.it.next()?)) } } fn pairs<A: IntoIterator<Item = i32>>(of: A) -> Pairs<A::IntoIter> { Pairs { it: of.into_iter() } } fn first<A: IntoIterator>(of: A) -> Option<A::Item> { let mut it = of.into_iter(); it.next() } fn total<A: IntoIterator>(of: A) -> i64 where A::Item: Into<i64> { let mut t = 0; for v in of { t += v.into(); } t }
        let weigh = |t: i32, (a, b): (i32, i32)| t * 3 + a - b;
        pairs([x[i], 2, 3, 4]).fold(0, weigh) + pairs(1..6).fold(1, weigh) + pairs(Some(3)).count() as i32 + first(&x[i..]).copied().unwrap_or(0) + first([7u8, 1]).map_or(0, i32::from) + total([x[i], 2]) as i32 + total(3u8..9) as i32
    }
    "ends of `skip`, `step_by`, `take` and `flatten`" ends_of_adaptors -> i32 |i, x, f| {
        let limit = x[i] & 3;
        let mut calls = 0;
        let mut skipped = core::iter::from_fn(|| { calls += 1; if calls % (limit + 1) == limit { None } else { Some(calls) } }).skip(5);
        let first = skipped.next().unwrap_or(1000);
        let mut n = 0;
        let mut flat = core::iter::from_fn(|| { n += 1; if n % 2 == limit % 2 { Some(Some(n)) } else { None } }).flatten();
        let (a, b) = (flat.next().unwrap_or(50), flat.next().unwrap_or(60));
        let mut stepped = x[i..].iter().step_by(4);
        let (c, d) = (stepped.next().copied().unwrap_or(7), stepped.next().copied().unwrap_or(8));
        let mut rest = x.iter();
        let none = rest.by_ref().take(0).next_back().is_none();
        first + a * 3 + b * 5 + c + d * 2 + rest.len() as i32 + none as i32 + n * 100
    }
    "lengths of ranges and chains at the ends of their types" lengths_at_ends -> u64 |i, x, f| {
        let mut bytes = -100i8 - (x[i] & 3) as i8..100;
        bytes.next();
        let found = (0..=u64::MAX).zip(x.iter()).map(|(k, v)| k * 10 + (*v as u64 & 7)).sum::<u64>();
        let chained = x.iter().cycle().chain([7, 8].iter()).take(i + 3).map(|v| *v as u64 & 15).sum::<u64>();
        bytes.len() as u64 + found * 3 + chained * 5 + (i64::MIN..=i64::MAX).take(3).map(|v| v as u64 & 3).sum::<u64>()
    }
    "slices by ranges that are values" ranges_as_indices -> i32 |i, x, f| {
        use core::ops::RangeInclusive;
        fn around(at: usize, len: usize) -> RangeInclusive<usize> { at.saturating_sub(1)..=(at + 1).min(len - 1) }
        let near = |at: usize| at / 2..=at;
        let mut used = 1..=1usize;
        let one = used.next();
        x[around(i, x.len())].iter().sum::<i32>() + x[near(i)].len() as i32 * 100 + x[used].len() as i32 + one.map_or(0, |v| v as i32)
    }
    "`rposition` and `rfind` of iterators in variables" rposition_of_values -> i32 |i, x, f| {
        let mut it = x[..=i].iter();
        let last = it.rposition(|v| *v > 20).map_or(-1, |k| k as i32);
        let mut left = it.len() as i32;
        let mut squares = x[i..].iter().copied().map(|v| v * v % 97).enumerate();
        let at = squares.rposition(|(k, v)| k % 2 == 0 && v > 40).map_or(-2, |k| k as i32);
        let found = squares.rfind(|(_, v)| v % 3 == 0).map_or(-3, |(k, v)| k as i32 * 100 + v);
        left = left * 64 + squares.len() as i32;
        let mut pairs = x.iter().zip(x[i..].iter()).skip(1).step_by(2).inspect(|_| left += 1);
        let both = pairs.by_ref().rposition(|(a, b)| a < b).map_or(-4, |k| k as i32);
        let numbers = 3..i + 9;
        let of_range = numbers.clone().rposition(|v| v % 5 == 2).unwrap_or(77) as i32;
        let mut chars = [x[i], 2, 3].into_iter().rev();
        let of_array = chars.rposition(|v| v > 2).map_or(-5, |k| k as i32);
        ((last * 53 + at) * 59 + found) % 100_003 + both * 61 + of_range * 67 + of_array * 71 + left
    }
    "patterns that give the type of `sum`, `product`, `collect`, `into` and `default`" sums_by_pattern -> i32 |i, x, f| {
        use core::iter::{Product, Sum};
        #[derive(Clone, Copy, Default)] struct Total(i32);
        #[derive(Clone, Copy)] struct Scale { by: i32 }
        impl Sum for Total { fn sum<I: Iterator<Item = Total>>(it: I) -> Total { it.fold(Total(1), |a, b| Total(a.0 * 3 % 1009 + b.0)) } }
        impl Sum<i32> for Total { fn sum<I: Iterator<Item = i32>>(it: I) -> Total { it.fold(Total(2), |a, b| Total(a.0 * 5 % 1013 + b)) } }
        impl Product for Scale { fn product<I: Iterator<Item = Scale>>(it: I) -> Scale { it.fold(Scale { by: 1 }, |a, b| Scale { by: a.by * b.by % 1019 }) } }
        impl FromIterator<i32> for Total { fn from_iter<I: IntoIterator<Item = i32>>(it: I) -> Total { it.into_iter().fold(Total(0), |a, b| Total(a.0 ^ b)) } }
        impl From<i32> for Total { fn from(v: i32) -> Total { Total(v * 2) } }
        let Total(sum) = x[..=i].iter().map(|v| Total(*v)).sum();
        let Scale { by } = x[i..].iter().map(|v| Scale { by: v | 1 }).product();
        let Total(all) = x[..i].iter().copied().collect();
        let (Total(into), Total(default), Scale { by: kept }) = (x[i].into(), Default::default(), &Scale { by: x[i] });
        let whole @ Total(_) = if i % 2 == 0 { x[i..].iter().copied().sum() } else { Total(7) };
        let matched = match x[..3].iter().map(|v| Total(*v + i as i32)).sum() { Total(..=9) => 1, Total(v) if v > 500 => 2, Total(v) => v };
        let rest = if let Total(v @ 0..) = x[i / 2..].iter().copied().sum() { v } else { -5 };
        sum + by * 3 + all * 5 + into + kept + default + whole.0 * 7 + matched * 11 + rest
    }
    "`nth` after adaptors that drop items" nth_after_filter -> i32 |i, x, f| {
        let third = x[i..].iter().filter(|v| **v > 0).nth(2).map_or(-1, |v| *v);
        let halved = x.iter().filter_map(|v| (v % 2 == 0).then_some(v / 2)).map(|v| v + 1).nth(i % 7).unwrap_or(-2);
        let before = (0..i as i32).take_while(|k| *k < 9).nth(4).unwrap_or(-3);
        third * 10_000 + halved * 100 + before + x[..i].iter().skip_while(|v| **v < 20).nth(1).copied().unwrap_or(-4)
    }
    "`nth` beyond the end of a range" nth_beyond_range -> i32 |i, x, f| {
        let (mut a, mut b, mut c) = (5..3, 0..4u32, i as i32..9);
        let found = [a.nth(1).is_none(), b.nth(9).is_none(), c.nth(2).is_none(), c.nth(i).is_none()];
        found.iter().fold(a.start + b.start as i32 * 10 + c.start * 100, |sum, none| sum * 2 + *none as i32)
    }
    "`sum` of results by a written type, with `?`" sum_of_results_tried -> i32 |i, x, f| {
        fn sum(x: &[i32]) -> Result<i32, i64> {
            let own: i32 = x.iter().map(|v| if *v < 15 { Ok(*v) } else { Err(*v as i16) }).sum::<Result<i32, i16>>()?;
            Ok(own * x.iter().take(2).map(|v| v.checked_mul(2).ok_or(1i16)).product::<Result<i32, i16>>()?)
        }
        sum(&x[i..(i + 5).min(50)]).unwrap_or_else(|e| -e as i32)
    }
    "`impl FusedIterator`, and `zip` by another name" fused -> i32 |i, x, f| {
        use core::iter::{FusedIterator, zip as pairs};
        struct Down(u32);
        impl Iterator for Down { type Item = u32; fn next(&mut self) -> Option<u32> { self.0 = self.0.checked_sub(1)?; Some(self.0) } }
        impl FusedIterator for Down {}
        fn total(it: impl Iterator<Item = u32> + FusedIterator) -> u32 { it.sum() }
        pairs(Down(i as u32), x).map(|(a, b)| a as i32 * b).sum::<i32>() + total(Down(i as u32 % 5)) as i32
    }
    "sums, products and collections of one's own types of the values in options and results" own_within -> i32 |i, x, f| {
        use core::iter::{Product, Sum};
        #[derive(Clone, Copy)] struct P(i32);
        struct Bits(i32);
        impl Sum for P { fn sum<I: Iterator<Item = P>>(it: I) -> P { P(it.fold(7, |a, b| (a * 3 + b.0) % 1009)) } }
        impl<'a> Sum<&'a P> for P { fn sum<I: Iterator<Item = &'a P>>(it: I) -> P { P(it.fold(9, |a, b| (a * 5 + b.0) % 1009)) } }
        impl Product for P { fn product<I: Iterator<Item = P>>(it: I) -> P { P(it.fold(100, |a, b| a * b.0 % 1013)) } }
        impl FromIterator<i32> for Bits { fn from_iter<I: IntoIterator<Item = i32>>(it: I) -> Bits { Bits(it.into_iter().fold(0, |a, b| a ^ b)) } }
        #[derive(Clone, Copy, PartialEq)] enum Parity { Even, Odd }
        impl Sum for Parity { fn sum<I: Iterator<Item = Parity>>(it: I) -> Parity { it.fold(Parity::Even, |a, b| if a == b { Parity::Even } else { Parity::Odd }) } }
        let few = &x[i / 2..][..3];
        let parity = |v: &i32| if v % 2 == 0 { Parity::Even } else { Parity::Odd };
        let whole = few.iter().map(parity).sum::<Parity>() as i32;
        let within = few.iter().map(|v| (v % 5 != 0).then(|| parity(v))).sum::<Option<Parity>>().map_or(5, |p| p as i32);
        let checked = |v: i32| if v % 5 == 0 { Err(v) } else { Ok(P(v)) };
        let product: Result<P, i32> = few.iter().map(|v| checked(*v)).product();
        let sum = few.iter().map(|v| checked(*v).ok()).sum::<Option<P>>();
        let of_references: Option<P> = [P(1), P(x[i])].iter().map(Some).sum();
        let bits: Option<Bits> = few.iter().map(|v| v.checked_mul(1 << 26)).collect();
        let odd: Result<Bits, i32> = few.iter().map(|v| if v % 2 == 0 { Err(v * 2) } else { Ok(*v) }).collect();
        whole * 11 + within * 23 + product.map_or_else(|v| v, |p| p.0) + sum.map_or(-1, |p| p.0) * 3 + of_references.map_or(-2, |p| p.0) * 5 + bits.map_or(-3, |b| b.0 % 1000) + odd.map_or_else(|v| v, |b| b.0)
    }
    "`repeat` of a number of times, zipped and from the back" repeated_back -> i32 |i, x, f| {
        let woven = core::iter::zip([1, 2, 3], core::iter::repeat(x[i]).take(3)).fold(0, |s, (a, b)| s * 7 % 1009 + a * b);
        let back = [4, 5, 6, 7].into_iter().zip(core::iter::repeat(x[i]).take(3)).rev().fold(0, |s, (a, b)| s * 3 + a * b);
        woven + back + core::iter::repeat(2).take(i % 4).rev().fold(1, |s, v| s * 3 + v) + (0..10).map(|k| k * k).take(4).rev().fold(0, |s, v| s * 3 + v)
    }
    "`into` of a literal that one's own conversion takes, by what comes later" later_conversion -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct W(i64);
        impl From<i64> for W { fn from(v: i64) -> W { W(v) } }
        impl From<bool> for W { fn from(v: bool) -> W { W(v as i64) } }
        impl core::ops::Add for W { type Output = W; fn add(self, o: W) -> W { W(self.0 + o.0) } }
        let sum: W = (1..=i as i64).map(W::from).fold(0.into(), |a, b| a + b);
        let mut last = 5.into();
        for k in 0..3_i64 { last = last + W(k); }
        let W(last) = last;
        (sum.0 + last) as i32 + x[i]
    }
    "`len` of one's own iterator by its `size_hint`" own_exact_len -> i32 |i, x, f| {
        struct Bits(u64);
        impl Iterator for Bits {
            type Item = usize;
            fn next(&mut self) -> Option<usize> { if self.0 == 0 { None } else { let k = self.0.trailing_zeros() as usize; self.0 &= self.0 - 1; Some(k) } }
            fn size_hint(&self) -> (usize, Option<usize>) { let left = self.0.count_ones() as usize; (left, Some(left)) }
        }
        impl ExactSizeIterator for Bits {}
        let mut bits = Bits(x[i] as u64 ^ 0b1011);
        let all = bits.len();
        bits.next();
        (all * 100 + bits.len()) as i32
    }
    "iterators with a state of their own, which a function gives, in `flat_map`" stateful_inner -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct Filter { gain: i32, seen: [i32; 3] }
        impl Filter {
            fn push(&mut self, v: i32) -> i32 { let at = (v & 7) as usize % 3; self.seen[at] += v; self.gain * self.seen[at] }
            fn run<'a>(mut self, x: &'a [i32]) -> impl Iterator<Item = i32> + 'a { x.iter().map(move |&v| self.push(v)) }
        }
        fn sums<'a>(mut sum: i32, x: &'a [i32]) -> impl Iterator<Item = i32> + 'a { x.iter().map(move |v| { sum += v; sum }) }
        let filters = [Filter { gain: 1, seen: [0; 3] }, Filter { gain: x[i], seen: [5; 3] }];
        let filtered: i32 = filters.into_iter().flat_map(|filter| filter.run(&x[..=i])).take(40).sum();
        let mut nested = x[..3].iter().flat_map(|v| sums(*v, &x[i..]));
        let first = [nested.next(), nested.next(), nested.nth(3)].map(|v| v.unwrap_or(7));
        let (mut low, mut high) = (sums(1, x), sums(1000, x));
        let alternate = [low.next(), high.next(), low.next(), high.next()].map(|v| v.unwrap_or(0));
        filtered + first[0] * 3 + first[1] * 5 + first[2] + alternate[0] - alternate[1] + alternate[2] * 2 - alternate[3] * 2
    }
    "methods of one's own iterators by reference, beside those of `Iterator` by value" own_beside_iterators -> i32 |i, x, f| {
        struct Down(i32);
        impl Iterator for Down {
            type Item = i32;
            fn next(&mut self) -> Option<i32> { if self.0 > 0 { self.0 -= 1; Some(self.0) } else { None } }
        }
        impl Down {
            fn count(&self) -> i32 { 99 }
            fn last(&mut self) -> Option<i32> { Some(5) }
            fn sum(&self) -> i32 { 8 }
            fn nth(&mut self, k: usize) -> Option<i32> { Some(k as i32 * 50) }
            fn map(self, by: i32) -> i32 { by }
        }
        let down = || Down(x[i] & 7);
        let numbers = down().count() as i32 + down().last().map_or(9, |v| v * 3) + down().sum::<i32>() * 5;
        numbers + down().nth(2).map_or(1, |v| v * 7) + down().map(3) * 1000
    }
    "`zip` that takes from the first before the second ends, and what is left" zip_leaves -> i32 |i, x, f| {
        let (mut a, mut b) = ([1, 2].iter(), [3, 4, 5].iter());
        let s: i32 = a.by_ref().zip(b.by_ref()).map(|(p, q)| p * q).sum();
        let (mut c, mut d) = (x[..i.min(5)].iter(), [3].iter());
        for (p, q) in c.by_ref().zip(d.by_ref()) { let _ = p + q; }
        s * 1000 + b.next().copied().unwrap_or(-1) * 100 + c.next().copied().unwrap_or(-2) * 10 + c.len() as i32
    }
}
