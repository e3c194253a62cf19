//! Comparisons, sorted arrays, and what searches in them.

crate::harness::constructs! {
    "`cmp` of integers, `match` on `Ordering`" integers -> i32 |i, x, f| {
        let of = |a: i32, b: i32| match a.cmp(&b) {
            core::cmp::Ordering::Less => -1,
            core::cmp::Ordering::Equal => 0,
            core::cmp::Ordering::Greater => 1,
        };
        of(x[i], 3) + 3 * of(x[i], x[0]) + 9 * of(7, x[i]) + 27 * of(x[i], x[i])
    }
    "`cmp` and `partial_cmp` of literals" of_literals -> i32 |i, x, f| {
        let pairs = [(1, x[i]), (3, 2), (3, 5), (1, 9)];
        let last = pairs.iter().rev().max_by(|a, b| a.0.cmp(&b.0)).unwrap();
        let mut weights = [0.5, 2.5, -1.5];
        weights.sort_by(|a, b| b.partial_cmp(a).unwrap());
        let near = [3.0, 1.0].iter().copied().min_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
        last.1 + (weights[0] * 2.0) as i32 + 3.cmp(&4) as i32 * 10 + 2.5.partial_cmp(&near).map_or(50, |o| o as i32) * 100 + i as i32
    }
    "methods of `Ordering`" ordering_methods -> i32 |i, x, f| {
        use core::cmp::Ordering;
        let first = (x[i] / 10).cmp(&2);
        let both = first.then(x[i].cmp(&24)).then_with(|| Ordering::Greater);
        let n = both.is_lt() as i32 + 2 * both.is_ge() as i32 + 4 * both.reverse().is_gt() as i32 + 8 * first.is_eq() as i32;
        n + 16 * (first == Ordering::Less) as i32 + 32 * first.is_ne() as i32 + 64 * both.is_le() as i32 + (first as i8) as i32 * 128
    }
    "`partial_cmp` and `total_cmp` of floats" floats -> i32 |i, x, f| {
        let odd = [f[i], 0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::from_bits(0xffc0_0001), f32::MIN_POSITIVE / 4.0];
        let mut s = 0;
        for a in odd {
            for b in odd {
                s = s % 1_000_003 * 3 + a.total_cmp(&b) as i32;
                s = s % 1_000_003 * 5 + a.partial_cmp(&b).map_or(2, |o| o as i32);
                let wide = |v: f32| f64::from_bits((v.to_bits() as u64) << 32 | 7);
                s = s % 1_000_003 * 3 + wide(a).total_cmp(&wide(b)) as i32;
            }
        }
        s
    }
    "tuples, arrays and options in order" aggregates -> i32 |i, x, f| {
        let (a, b) = ((x[i] / 16, f[i]), (1, f[(i + 7) % 50]));
        let (c, d) = ([x[i] & 1, x[i] & 6, 3], [1, 2, x[i] & 3]);
        let (some, none) = (if x[i] > 0 { Some(x[i] & 3) } else { None }, None::<i32>);
        let n = (a < b) as i32 + 2 * (a <= b) as i32 + 4 * (a > b) as i32 + 8 * (c >= d) as i32 + 16 * (c < d) as i32;
        n + 32 * (some > none) as i32 + 64 * (some <= Some(2)) as i32 + 128 * ((f32::NAN, 1) >= (f32::NAN, 0)) as i32
            + 256 * (some < Some(1)) as i32 + 512 * (Some(2) >= some) as i32 + 1024 * (&a <= &b) as i32
            + 2048 * (a.partial_cmp(&b).is_some_and(|o| o.is_lt())) as i32
    }
    "structs and enums with a derived order" derived -> i32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        enum Level { Low = 5, High = -3, Top = 9 }
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        struct Key { level: Level, at: (i32, Option<u8>) }
        #[derive(Clone, Copy, PartialEq, PartialOrd)]
        struct Weight(f32, i32);
        let level = |v: i32| if v < -10 { Level::High } else if v < 20 { Level::Low } else { Level::Top };
        let key = |v: i32| Key { level: level(v), at: (v & 3, if v & 4 == 0 { None } else { Some(v as u8 & 8) }) };
        let (a, b) = (key(x[i]), key(x[(i + 1) % 50]));
        let most = a.max(b).min(key(30));
        let all = x.iter().map(|v| key(*v)).max().unwrap();
        let first = x[i..].iter().map(|v| key(*v)).min().unwrap();
        let light = Weight(f[i], x[i]) < Weight(f[(i + 3) % 50], 0);
        (a < b) as i32 + 2 * (a.cmp(&b) as i32) + 8 * most.at.0 + 64 * (all > a) as i32 + 128 * first.at.0 + 512 * light as i32
    }
    "`sort`, `sort_by`, `sort_by_key` of an array" sorted_array -> f32 |i, x, f| {
        let mut a = [f[i], f[(i + 1) % 50], f[(i + 5) % 50], f[(i + 9) % 50], -1.0];
        a.sort_by(|a, b| a.total_cmp(b));
        let mut b = [x[i], x[(i + 3) % 50], 7, x[(i + 4) % 50]];
        b.sort();
        let mut c = [(1, x[i] & 3), (2, x[(i + 1) % 50] & 3), (3, 1), (4, 1), (5, 2)];
        c.sort_by_key(|c| c.1);
        c[1..].sort_unstable_by(|a, b| b.cmp(a));
        let n = c.iter().fold(0, |n, c| n * 10 + c.0) + b[0] * 3 + b[1] * 5 + b[2] * 7 + b[3] * 11;
        a[0] + a[1] * 2.0 + a[2] * 3.0 + a[3] * 4.0 + a[4] * 5.0 + n as f32
    }
    "`sort` of a longer array and of a part" sorted_part -> i32 |i, x, f| {
        let mut a = [0; 20];
        for (to, from) in a.iter_mut().zip(x[i..].iter().chain(x.iter())) { *to = *from; }
        a[..7].sort_unstable();
        let part = a[..7].is_sorted() as i32;
        let first = a.iter().fold(0, |n, v| (n * 31 + v) % 10_007);
        a.sort();
        part + a.is_sorted() as i32 * 2 + first * 4 + a.partition_point(|v| *v < 3) as i32 * 100_000 + a[i % 20]
    }
    "`rotate_left`, `rotate_right`" rotations -> i32 |i, x, f| {
        let mut a = [1, 2, 3, 4, 5, 6, x[i]];
        a.rotate_left(i % 8);
        a[1..].rotate_right(i % 5);
        a.iter().fold(0, |n, v| n * 7 % 100_003 + v)
    }
    "`binary_search`, `binary_search_by`, `binary_search_by_key`" searches -> i32 |i, x, f| {
        let code = |found: Result<usize, usize>| match found { Ok(at) => at as i32 * 2 + 1, Err(at) => at as i32 * 2 };
        let mut all = [0; 20];
        for (to, from) in all.iter_mut().zip(x.iter()) { *to = *from & 15; }
        all.sort();
        let floats = [-4.0f32, -1.5, -0.0, 0.0, 0.5, 0.5, 0.5, 9.0];
        let pairs = [(1, 10), (3, 20), (3, 30), (7, 40)];
        let by = floats.binary_search_by(|value| value.total_cmp(&(f[i] * 0.5)));
        let by_key = pairs.binary_search_by_key(&(x[i] & 7), |&(key, _)| key);
        let none = all[..0].binary_search(&3).is_err() as i32;
        code(all.binary_search(&(x[i] & 15))) + 64 * code(all[3..i % 17 + 3].binary_search(&7)) + 4096 * code(by) + 131_072 * code(by_key) + none
    }
    "`impl PartialOrd` and `impl Ord` of one's own" own_order -> i32 |i, x, f| {
        use core::cmp::Ordering;
        #[derive(Clone, Copy, PartialEq, Eq)] struct Back(i32);
        impl Ord for Back { fn cmp(&self, other: &Self) -> Ordering { other.0.cmp(&self.0) } }
        impl PartialOrd for Back { fn partial_cmp(&self, other: &Self) -> Option<Ordering> { Some(self.cmp(other)) } }
        #[derive(Clone, Copy, PartialEq)] struct Near(f32);
        impl PartialOrd for Near { fn partial_cmp(&self, other: &Near) -> Option<Ordering> { self.0.abs().partial_cmp(&other.0.abs()) } }
        let (a, b) = (Back(x[i]), Back(x[49 - i]));
        let mut all = [a, b, Back(3), Back(-8)];
        all.sort();
        let (n, zero) = (Near(f[i]), Near(f[i] * 0.0 / 0.0));
        let flags = (a < b) as i32 | ((a <= b) as i32) << 1 | ((a > b) as i32) << 2 | ((n >= Near(2.0)) as i32) << 3 | ((n < zero) as i32) << 4 | ((n >= zero) as i32) << 5;
        all[0].0 * 100 + all[3].0 + a.max(b).0 * 7 + flags * 10_000 + a.cmp(&b) as i32
    }
    "a type's own `max` by reference, with and without an `Ord`" own_max -> i32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq, PartialOrd)] struct Span { low: i32, high: i32 }
        impl Span { fn max(&self, other: Self) -> Self { Span { low: self.low.max(other.low), high: self.high.max(other.high) } } }
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)] struct Rank(i32);
        impl Rank { #[allow(dead_code)] fn max(&self, other: Self) -> Self { Rank(self.0 * 1000 + other.0) } }
        let span = Span { low: x[i], high: 7 }.max(Span { low: 2, high: i as i32 });
        span.low * 100 + span.high + Rank(x[i]).max(Rank(3)).0 * 10 + Rank(x[i]).min(Rank(5)).0
    }
    "enums with data in a derived order" enum_data_order -> i32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)] enum Key { None, First { b: u32, a: i32 }, Last(i32, u32), Only(i32) }
        fn key(v: i32) -> Key { match v & 3 { 0 => Key::None, 1 => Key::First { b: v as u32 & 12, a: -v }, 2 => Key::Last(v / 8, v as u32 & 7), _ => Key::Only(v) } }
        let (a, b, c) = (key(x[i]), key(x[49 - i]), key(x[(i + 7) % 50]));
        let most = [a, b, c].iter().copied().max().unwrap();
        (a < b) as i32 + (a <= c) as i32 * 2 + (b.max(c) == b) as i32 * 4 + (most == c) as i32 * 8 + a.cmp(&c) as i32 * 16
    }
    "`core::cmp::Reverse`" reverse -> i32 |i, x, f| {
        use core::cmp::Reverse;
        let mut a = [x[i], 3, x[49 - i], -8];
        a.sort_by_key(|v| Reverse(*v));
        let least = a.iter().max_by(|a, b| Reverse(**a).cmp(&Reverse(**b))).map_or(0, |v| *v);
        let Reverse(inner) = Reverse(x[i]);
        a[0] * 1000 + a[3] + (Reverse(a[1]) < Reverse(x[i])) as i32 * 7 + least * 11 + Reverse(x[i]).max(Reverse(4)).0 + inner
    }
    "`Reverse` in tuples, options and keys" reverse_parts -> i32 |i, x, f| {
        use core::cmp::Reverse;
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)] enum Kind { A, B, C }
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)] struct Key { kind: Reverse<Kind>, v: i32 }
        let kind = |v: i32| match v & 3 { 0 => Kind::A, 1 => Kind::B, _ => Kind::C };
        let at = |k: usize| (x[(i + k) % 50] / 8, Reverse(x[(i + 3 * k) % 50]));
        let (a, b) = (at(0), at(1));
        let best = (0..7).max_by_key(|&k| at(k)).unwrap() as i32;
        let key = |k: usize| Key { kind: Reverse(kind(x[k])), v: x[k] };
        let last = [key(i), key(49 - i), key(7)].into_iter().max().unwrap();
        let options = [Some(Reverse(x[i])), None, Some(Reverse(3))];
        let mut sorted = [at(2), at(3), at(4)];
        sorted.sort();
        let nan = (1, Reverse(f[i] * 0.0 / 0.0));
        (a < b) as i32 + (a >= b) as i32 * 2 + best * 4 + last.v * 32 + (options[0] < options[2]) as i32 * 8000 + (options[1] < options[0]) as i32 * 16_000
            + (a.max(b) == a) as i32 * 32_000 + sorted[0].0 * 64_000 + a.cmp(&b) as i32 * 7 + (nan < nan) as i32 + (nan.partial_cmp(&nan).is_none()) as i32
    }
    "`cmp` with `then` and `then_with`" then_with -> i32 |i, x, f| {
        let mut v: [(i32, i32); 5] = core::array::from_fn(|k| (x[(i + k) % 50] % 3, k as i32));
        v.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
        let other = v[0].0.cmp(&v[1].0).then(v[1].1.cmp(&v[0].1)).is_lt();
        v.iter().fold(other as i32, |s, (a, b)| s * 7 + a * 2 + b)
    }
    "`sort_unstable_by` of floats, the median, and `dedup` by hand" float_median -> f32 |i, x, f| {
        let mut v: [f32; 7] = core::array::from_fn(|k| f[(i + k * 3) % 50]);
        v.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap());
        let mut kept = 1;
        for k in 1..v.len() { if v[k] != v[kept - 1] { v[kept] = v[k]; kept += 1; } }
        v[kept / 2] + kept as f32 * 100.0
    }
    "`core::cmp::min` and `max`, `clamp` and `max_by` of the library" cmp_functions -> i32 |i, x, f| {
        use core::cmp::{max, min};
        max(x[i], min(10, i as i32)) + x[i].clamp(-5, 5) * 100 + max((x[i], 1), (x[i], 2)).1 * 1000 + i32::max(x[i], 3)
    }
    "insertion into a sorted array by `partition_point`" sorted_insert -> i32 |i, x, f| {
        let (mut kept, mut len) = ([0; 6], 0);
        for v in &x[..=i] {
            let at = kept[..len].partition_point(|k| k < v);
            if len < 6 { len += 1; } else if at == 6 { continue; }
            kept[at..len].rotate_right(1);
            kept[at] = *v;
        }
        kept[..len].iter().fold(len as i32, |s, v| s.wrapping_mul(31).wrapping_add(*v))
    }
    "options of a type with an `impl Ord` of its own" own_order_in_options -> i32 |i, x, f| {
        use core::cmp::Ordering as Cmp;
        #[derive(Clone, Copy)]
        struct State { cost: i32, node: i32 }
        impl PartialEq for State { fn eq(&self, o: &Self) -> bool { self.cost == o.cost } }
        impl Eq for State {}
        impl Ord for State { fn cmp(&self, o: &Self) -> Cmp { o.cost.cmp(&self.cost) } }
        impl PartialOrd for State { fn partial_cmp(&self, o: &Self) -> Option<Cmp> { Some(self.cmp(o)) } }
        let items: [Option<State>; 4] = core::array::from_fn(|k| (x[(i + k) % 50] > -20).then(|| State { cost: x[(i + k) % 50] % 4, node: k as i32 }));
        let least = items.iter().enumerate().max_by(|(_, a), (_, b)| a.cmp(b)).map_or(9, |(k, _)| k as i32);
        let nested = Some(items[0]) >= Some(items[2]);
        let order = items[1].partial_cmp(&items[2]).map_or(7, |o| o as i32);
        least * 100 + (items[0] < items[1]) as i32 + (items[2] == items[3]) as i32 * 2 + (items[0] != None) as i32 * 4 + nested as i32 * 8 + order * 1000
    }
    "`is_sorted`, `is_sorted_by` and `is_sorted_by_key`" is_sorted -> i32 |i, x, f| {
        let p = &x[i..(i + 3).min(50)]; p.is_sorted() as i32 + p.is_sorted_by(|a, b| a >= b) as i32 * 4 + f[i..].is_sorted_by_key(|v| (*v * 4.0) as i32) as i32 * 8
    }
    "keys that are tuples with `Reverse`" max_by_key_rev -> i32 |i, x, f| {
        use core::cmp::Reverse; let best = x[..=i].iter().enumerate().max_by_key(|&(k, v)| (v % 5, Reverse(k))); let least = x[..=i].iter().enumerate().min_by_key(|(_, v)| (**v - 3).abs()).map(|(k, _)| k); best.map_or(-1, |(k, _)| k as i32) * 100 + least.unwrap_or(0) as i32
    }
    "`min`, `max` and comparisons of references of a type with an order of its own" own_extremes -> i32 |i, x, f| {
        use core::cmp::Ordering;
        #[derive(Clone, Copy, PartialEq, Eq)] struct Item { key: i32, id: usize }
        impl Ord for Item { fn cmp(&self, other: &Self) -> Ordering { other.key.cmp(&self.key).then_with(|| self.id.cmp(&other.id)) } }
        impl PartialOrd for Item { fn partial_cmp(&self, other: &Self) -> Option<Ordering> { Some(self.cmp(other)) } }
        let items: [Item; 6] = core::array::from_fn(|k| Item { key: x[(i + k * 7) % 50] % 4, id: k });
        let less = |a: &Item, b: &Item| a < b;
        let (best, worst) = (items.iter().max().map_or(9, |item| item.id), items.iter().copied().min().map_or(9, |item| item.id));
        let ascents = items.windows(2).filter(|pair| less(&pair[0], &pair[1])).count();
        let least = items.iter().filter(|item| **item >= items[0]).min();
        (best + worst * 10 + ascents * 100) as i32 + least.map_or(0, |item| item.key * 1000) + items.iter().any(|item| item != &items[0]) as i32
    }
    "`select_nth_unstable` and its like" select_nth -> i32 |i, x, f| {
        let mut a: [i32; 7] = core::array::from_fn(|k| x[(i * 3 + k * 11) % 50]); let mut b = a; let mut c = a;
        let (before, median, after) = a.select_nth_unstable(3); let m = *median; let sides = before.iter().all(|v| *v <= m) as i32 + after.iter().all(|v| *v >= m) as i32 * 2 + after.len() as i32 * 4;
        let (_, largest, _) = b.select_nth_unstable_by(0, |p, q| q.cmp(p)); let l = *largest;
        let (_, third, _) = c[1..].select_nth_unstable_by_key(2, |v| v.abs()); m * 1000 + sides * 100 + l + third.abs() * 7
    }
    "`min_by_key` and `max_by_key` by keys with an order of their own" own_keys -> i32 |i, x, f| {
        use core::cmp::Ordering;
        #[derive(Clone, Copy, PartialEq)] struct Total(f32);
        impl Eq for Total {} impl Ord for Total { fn cmp(&self, other: &Self) -> Ordering { self.0.total_cmp(&other.0) } }
        impl PartialOrd for Total { fn partial_cmp(&self, other: &Self) -> Option<Ordering> { Some(self.cmp(other)) } }
        let best = f[..=i].iter().enumerate().max_by_key(|(_, v)| Total((**v * 3.0).floor())).map_or(-1, |(k, _)| k as i32);
        let least = f[i..].iter().min_by_key(|v| Total(v.abs())).copied().unwrap_or(9.0); let keyed: [Option<Total>; 4] = core::array::from_fn(|k| (k != i % 4).then(|| Total(f[(i + k) % 50])));
        best * 100 + (least * 8.0) as i32 + (0..4).max_by_key(|&k| keyed[k]).map_or(7, |k| k as i32) * 1000 + (0..4).min_by_key(|&k: &usize| keyed[k]).map_or(7, |k| k as i32)
    }
    "an order of one's own in tuples, arrays, options and `Reverse`" own_in_aggregates -> i32 |i, x, f| {
        use core::cmp::{Ordering, Reverse};
        #[derive(Clone, Copy, PartialEq)]
        struct Down(f32);
        impl Eq for Down {}
        impl PartialOrd for Down { fn partial_cmp(&self, o: &Self) -> Option<Ordering> { Some(self.cmp(o)) } }
        impl Ord for Down { fn cmp(&self, o: &Self) -> Ordering { o.0.total_cmp(&self.0) } }
        #[derive(Clone, Copy)]
        struct Mod7(i32);
        impl PartialEq for Mod7 { fn eq(&self, o: &Self) -> bool { self.0.rem_euclid(7) == o.0.rem_euclid(7) } }
        let (a, b) = (Down(f[i]), Down(f[(i + 3) % 50]));
        let less = [(a, x[i]) < (b, 3), (x[i] % 2, a) <= (0, b), [a, b] < [b, a], Some(a) > Some(b), Reverse(a) < Reverse(b), Reverse((a, 1)) >= Reverse((b, 2)), (1, Some(a), b) < (1, Some(b), a), (a, 1, 2, x[i]) > (a, 1, 2, 4)];
        let same = [(Mod7(x[i]), 1) == (Mod7(3), 1), [Mod7(x[i]), Mod7(1)] == [Mod7(0), Mod7(8)], Some(Mod7(x[i])) != Some(Mod7(14))];
        let most = (a, 7).max((b, 2)).clamp((Down(3.0), 0), (Down(-1.0), 9));
        let mut sorted = [(a, 1), (b, 2), (Down(0.5), 3)];
        sorted.sort();
        let best = sorted.iter().map(|&(key, n)| (n % 2, key)).min().unwrap_or((5, a));
        let n = less.iter().chain(&same).fold(0, |n, &one| n * 2 + one as i32);
        n + most.1 * 10_000 + sorted.iter().fold(0, |n, s| n * 4 + s.1) * 100_000 + best.0 + (a, 2).cmp(&(b, 1)) as i32 * 3
    }
    "an order of one's own in derived structs and enums with data" own_in_derived -> i32 |i, x, f| {
        use core::cmp::Ordering;
        #[derive(Clone, Copy, PartialEq, Eq)]
        struct Down(i32);
        impl PartialOrd for Down { fn partial_cmp(&self, o: &Self) -> Option<Ordering> { Some(self.cmp(o)) } }
        impl Ord for Down { fn cmp(&self, o: &Self) -> Ordering { o.0.cmp(&self.0) } }
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        struct Entry<T> { key: Down, tag: T }
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        enum Event { Never, At(Down), Span { from: Down, len: i32 }, Last(Entry<u8>) }
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        struct Plain { a: i32, b: i8 }
        let event = |k: i32| match k & 3 { 0 => Event::Never, 1 => Event::At(Down(k / 8)), 2 => Event::Span { from: Down(k / 16), len: k % 3 }, _ => Event::Last(Entry { key: Down(k % 5), tag: k as u8 }) };
        let events = [event(x[i]), event(x[i] + 1), event(x[(i + 1) % 50]), event(x[(i + 2) % 50])];
        let best = events.iter().max().copied().unwrap_or(Event::Never);
        let first = events.iter().position(|e| *e == best).unwrap_or(9) as i32;
        let entry = |k: usize| Entry { key: Down(x[k % 50] & 3), tag: x[k % 50] };
        let mut entries = [entry(i), entry(i + 1), entry(i + 2)];
        entries.sort();
        let plain = Plain { a: x[i], b: 1 } < Plain { a: x[(i + 1) % 50], b: 0 };
        events[0].cmp(&events[1]) as i32 + events[1].partial_cmp(&events[2]).map_or(9, |o| o as i32) * 3 + first * 9 + plain as i32 * 64 + entries.iter().fold(0, |n, e| n * 31 % 10_007 + e.tag) + entries[0].max(entries[2]).tag * 128 + (Some(entries[0]) < Some(entries[1])) as i32 * 256
    }
    "`Default` of `Reverse`, `Wrapping` and `Saturating`" default_wrappers -> i32 |i, x, f| {
        use core::{cmp::Reverse, num::{Saturating, Wrapping}};
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)] struct Best { score: i32, end: Reverse<u32> }
        #[derive(Clone, Copy, Default)] struct Sums { wraps: Wrapping<i32>, stops: Saturating<i8>, last: Option<Reverse<i32>> }
        let mut best = Best::default(); let mut sums = Sums::default();
        for (k, v) in x[..=i].iter().enumerate() { best = best.max(Best { score: *v % 5, end: Reverse(k as u32) }); sums.wraps += Wrapping(*v); sums.stops += Saturating(*v as i8); }
        best.score * 1000 + best.end.0 as i32 * 10 + sums.wraps.0 + i32::from(sums.stops.0) + sums.last.is_none() as i32 + Reverse::<i32>::default().0
    }
    "methods of an order by their paths" order_by_path -> i32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)] struct Far { d: i32, i: usize }
        let far = |k: usize| Far { d: x[k % x.len()] % 5, i: k };
        let most = (0..=i).map(far).reduce(Far::max).map_or(0, |far| far.i as i32);
        let least = Far::min(far(i), far(i + 3));
        most * 100 + least.d + least.i as i32 + Far::clamp(far(i), far(1), Far { d: 9, i: 0 }).d * 7
    }
    "methods that `PartialEq` and `PartialOrd` provide, of one's own" own_provided -> i32 |i, x, f| {
        use core::cmp::Ordering;
        #[derive(Clone, Copy)] struct V(i32);
        impl PartialEq for V { fn eq(&self, o: &V) -> bool { self.0 == o.0 } fn ne(&self, o: &V) -> bool { self.0 / 5 != o.0 / 5 } }
        impl PartialOrd for V { fn partial_cmp(&self, o: &V) -> Option<Ordering> { self.0.partial_cmp(&o.0) } fn lt(&self, o: &V) -> bool { self.0 + 3 < o.0 } }
        let (a, b) = (V(x[i]), V(x[(i + 1) % x.len()]));
        (a == b) as i32 + 2 * (a != b) as i32 + 4 * (a < b) as i32 + 8 * (&a <= &b) as i32 + 16 * (&a < &b) as i32
    }
    "ranges of a type with an order of its own, asked by `contains`" own_ranges -> u32 |i, x, f| {
        use core::ops::{Range, RangeInclusive};
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)] struct Level(i32);
        #[derive(Clone, Copy, PartialEq)] struct Turned(i32);
        impl PartialOrd for Turned { fn partial_cmp(&self, o: &Self) -> Option<core::cmp::Ordering> { o.0.partial_cmp(&self.0) } }
        struct Band { from: Level, to: Level }
        impl Band { fn levels(&self) -> RangeInclusive<Level> { self.from..=self.to } }
        let band = Band { from: Level(0), to: Level(x[3]) };
        let range: Range<Turned> = Turned(5)..Turned(-3);
        let open = (Level(1)..).contains(&Level(x[i]));
        band.levels().contains(&Level(x[i])) as u32 | (range.contains(&Turned(x[i])) as u32) << 1 | (open as u32) << 2
            | ((Level(-2)..Level(4)).contains(&Level(x[i])) as u32) << 3 | (band.levels().end() > &Level(2)) as u32 * 16
    }
    "an order of slices" slice_order -> i32 |i, x, f| {
        use core::cmp::Ordering;
        #[derive(Clone, Copy, PartialEq, Eq)] struct Down(i32);
        impl PartialOrd for Down { fn partial_cmp(&self, o: &Self) -> Option<Ordering> { Some(self.cmp(o)) } }
        impl Ord for Down { fn cmp(&self, o: &Self) -> Ordering { o.0.cmp(&self.0) } }
        let bytes: [u8; 12] = core::array::from_fn(|k| (x[k] & 1) as u8);
        let mut suffixes: [u8; 12] = core::array::from_fn(|k| k as u8);
        suffixes.sort_by(|a, b| bytes[*a as usize..].cmp(&bytes[*b as usize..]));
        let down = [Down(x[i] % 3), Down(1), Down(2)];
        let (a, b) = (&x[i..], &x[..i]);
        let part = &x[i..(i + 4).min(x.len())];
        let own = down[..i % 4].cmp(&down[..2]) as i32 + 10 * (down[1..] < down[..2]) as i32;
        let floats = f[i..].partial_cmp(&f[..3]).map_or(9, |order| order as i32);
        suffixes[i % 12] as i32 * 1000 + a.cmp(b) as i32 * 100 + (a < b) as i32 * 200 + (part >= a) as i32 * 400 + own + floats * 3
    }
    "derived comparisons of what holds slices in other types" derived_of_parts -> i32 |i, x, f| {
        static TWICE: [u8; 4] = *b"abab";
        #[derive(Clone, Copy, PartialEq)] struct Maybe { name: Option<&'static [u8]>, number: i32 }
        #[derive(Clone, Copy, PartialEq)] struct Both { names: (&'static [u8], i32) }
        let maybe = |at: usize| Maybe { name: TWICE.get(at..at + 2), number: x[i] % 2 };
        let both = |at: usize| Both { names: (&TWICE[at..at + 2], x[i] % 2) };
        (maybe(0) == maybe(2)) as i32 + 2 * (maybe(0) == maybe(1)) as i32 + 4 * (maybe(0) == maybe(3)) as i32
            + 8 * (both(0) == both(2)) as i32 + 16 * (both(0) != both(1)) as i32
    }
    "`<` of slices without a mention of their order" slices_less -> i32 |i, x, f| {
        (x[i..] < x[..3]) as i32 + 2 * (x[i..] >= x[..3]) as i32 + 4 * (x[..i] <= x[..5]) as i32 + 8 * (f[i..] > f[..2]) as i32
    }
    "functions of standard traits beside a type's own" standard_beside_own -> i32 |i, x, f| {
        use core::cmp::Ordering;
        #[derive(Clone, Copy, PartialEq, Eq)] struct V(i32);
        impl PartialOrd for V { fn partial_cmp(&self, o: &V) -> Option<Ordering> { Some(Ord::cmp(self, o)) } }
        impl Ord for V { fn cmp(&self, o: &V) -> Ordering { self.0.cmp(&o.0) } }
        impl V { fn max(self, o: V) -> V { V(self.0 * 100 + o.0) } fn cmp(&self, _: &V) -> Ordering { Ordering::Greater } }
        let (a, b) = (V(x[i]), V(x[(i + 7) % x.len()]));
        let mut sorted = [a, b, V(3)];
        sorted.sort_by(Ord::cmp);
        Ord::max(a, b).0 + a.max(b).0 * 3 + Ord::cmp(&a, &b) as i32 * 7 + a.cmp(&b) as i32 * 11 + sorted[0].0 * 13 + sorted[2].0 * 17
    }
    "derived comparisons of what holds slices and references" derived_of_references -> i32 |i, x, f| {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)] enum Token<'a> { Text(&'a [i32]), Number(i32), Of(&'a i32), End }
        #[derive(Clone, Copy, PartialEq, PartialOrd)] struct Pair<'a> { first: Token<'a>, rest: Option<&'a [i32]>, near: &'a i32 }
        let token = |k: usize| match x[k % x.len()].rem_euclid(4) { 0 => Token::Text(&x[k % x.len()..]), 1 => Token::Number(x[k % x.len()] % 8), 2 => Token::Of(&x[k % x.len()]), _ => Token::End };
        let (a, b) = (token(i), token(i + 7));
        let pair = |k: usize| Pair { first: token(k), rest: x.get(k..k + 2), near: &x[k % 5] };
        let same = Token::Text(&x[..2]) == Token::Text(&[x[0], x[1]]);
        let turned = core::cmp::Reverse(&x[i]) < core::cmp::Reverse(&x[9]);
        #[derive(Clone, Copy, PartialEq)] struct Named { name: &'static [u8] }
        let named = |v: i32| if v % 2 == 0 { Named { name: b"even" } } else { Named { name: b"odd" } };
        static TWICE: [u8; 4] = *b"abab";
        let equal = Named { name: &TWICE[..2] } == Named { name: &TWICE[2..] };
        let (near, far) = (x[i], x[i]);
        let alike = Pair { first: Token::Of(&near), rest: None, near: &near } == Pair { first: Token::Of(&far), rest: None, near: &far };
        (a == b) as i32 + 2 * (a == Token::End) as i32 + 4 * (a < b) as i32 + 8 * (a.cmp(&b) as i32 + 1) + 32 * same as i32
            + 64 * (pair(i) == pair(i + 5)) as i32 + 128 * (pair(i) <= pair(i + 1)) as i32 + 256 * (pair(i) != pair(i)) as i32 + 512 * turned as i32 + 1024 * (named(x[i]) == named(x[4])) as i32
            + 2048 * equal as i32 + 4096 * alike as i32
    }
}
