//! Patterns: `let`, `match`, `if let`, `while let`, `matches!`.

crate::harness::constructs! {
    "`let` with a tuple pattern" let_tuple -> i32 |i, x, f| { let (a, b) = (x[i], 4); a * b }
    "`let` with nested patterns" let_nested -> i32 |i, x, f| { let ((a, _), [b, c]) = ((x[i], 9), [2, 3]); a * b + c }
    "patterns of vectors" axis_patterns -> f32 |i, x, f| { let F32x2 { x: a, y } = F32x2::new(f[i], 3.0); let F32x4 { w, .. } = F32x4::splat(f[i] - 1.0); w + a * y }
    "`..` in a tuple pattern" let_rest -> i32 |i, x, f| { let (a, .., d) = (x[i], 1, 2, 3); a * d }
    "`mut` in a pattern" let_mut_pattern -> i32 |i, x, f| { let (mut a, b) = (x[i], 2); a += b; a }
    "`match` on integers" match_integers -> i32 |i, x, f| { match x[i] % 5 { 0 => 10, 1 => 20, -1 => 30, 2 | -2 => 40, _ => 50 } }
    "`match` with ranges" match_ranges -> i32 |i, x, f| { match x[i] { ..=-30 => 1, -29..0 => 2, 0 => 3, 1..=20 => 4, 21.. => 5 } }
    "`match` on `bool`" match_bool -> i32 |i, x, f| { match x[i] > 0 { true => 1, false => -1 } }
    "`match` with guards" match_guards -> i32 |i, x, f| { match x[i] { v if v > 25 => v * 2, v if v < -25 => v * 3, 0 => 7, v => v } }
    "`match` on tuples" match_tuples -> i32 |i, x, f| { match (x[i] > 0, x[i] & 1) { (true, 0) => 1, (true, _) => 2, (false, 1) => 3, (false, n) => n + 4 } }
    "bindings with `@`" match_at -> i32 |i, x, f| { match x[i] { n @ 0..=9 => n + 1000, n @ (-9..=-1 | 30..=40) => n - 1000, n => n } }
    "or-patterns that bind" match_or_binds -> i32 |i, x, f| { match (x[i] & 1, x[i]) { (0, v) | (1, v) => v * 2, _ => 0 } }
    "`match` on constants" match_constants -> i32 |i, x, f| { const LOW: i32 = -3; const HIGH: i32 = 11; match x[i] { LOW => 1, HIGH => 2, LOW..=HIGH => 3, _ => 4 } }
    "`match` with blocks and early exits" match_control -> i32 |i, x, f| { let mut s = 0; for k in i..50 { match x[k] { 0 => break, v if v % 2 == 0 => continue, v => { let w = v * 2; s += w; } } } s }
    "`match` as an operand" match_operand -> i32 |i, x, f| { 3 * match x[i] & 3 { 0 => 5, 1 => 7, 2 => 9, _ => 11 } + 1 }
    "dense `match`" match_dense -> i32 |i, x, f| { match i % 10 { 0 => 3, 1 => 1, 2 => 4, 3 => 1, 4 => 5, 5 => 9, 6 => 2, 7 => 6, 8 => 5, _ => 35 } }
    "`match` on bytes" match_bytes -> i32 |i, x, f| { match (x[i] + 100) as u8 { b'0'..=b'9' => 1, b'A'..=b'Z' => 2, b'a'..=b'z' => 3, _ => 4 } }
    "`match` on arrays" match_arrays -> i32 |i, x, f| { match [x[i] & 1, x[i] & 2] { [0, 0] => 1, [1, b] => b + 10, [_, b] => b } }
    "`match` on floats by guard" match_float_guard -> f32 |i, x, f| { match f[i] { v if v < 0.0 => -v, v if v > 5.0 => 5.0, v => v } }
    "`match` on float literals and ranges" match_float_range -> i32 |i, x, f| { match f[i] { 0.0 => 1, 0.375..=5.0 => 2, _ => 3 } }
    "nested `match`" match_nested -> i32 |i, x, f| { match x[i] & 1 { 0 => match x[i] & 2 { 0 => 1, _ => 2 }, _ => match (x[i] & 2, x[i] & 4) { (0, 0) => 3, (0, _) => 4, _ => 5 } } }
    "`if let`" if_let -> i32 |i, x, f| { let o = if x[i] > 0 { Some(x[i]) } else { None }; if let Some(v) = o { v * 2 } else { -1 } }
    "`if let` chains" if_let_chain -> i32 |i, x, f| { let o = if x[i] > 0 { Some(x[i]) } else { None }; if let Some(v) = o && v > 10 && let (w, 1) = (v, v & 1) { w } else { 0 } }
    "`while let`" while_let -> i32 |i, x, f| { let mut n = Some(x[i].abs()); let mut c = 0; while let Some(v) = n { c += v; n = if v > 3 { Some(v / 2) } else { None }; } c }
    "`let else`" let_else -> i32 |i, x, f| { 'b: { let o = if x[i] > 0 { Some(x[i]) } else { None }; let Some(v) = o else { break 'b -7 }; v + 1 } }
    "`matches!`" matches_macro -> i32 |i, x, f| { matches!(x[i], -10..=10) as i32 + matches!((x[i], 1), (v, 1) if v > 20) as i32 * 2 }
    "patterns in `for`" for_pattern -> i32 |i, x, f| { let mut s = 0; for (a, b) in [(1, x[i]), (2, 5), (3, -1)] { s += a * b; } s }
    "references in patterns" reference_patterns -> i32 |i, x, f| { let t = (x[i], 2); let &(a, b) = &t; match &t { (n, 2) if *n > 0 => *n, &(n, m) => n * m + a - b } }
    "`ref` and `ref mut`" ref_patterns -> i32 |i, x, f| { let mut t = (x[i], 2); { let (ref a, ref mut b) = t; *b += *a; } t.0 + t.1 * 3 }
    "default binding modes" binding_modes -> i32 |i, x, f| { let mut t = (x[i], (2, 3)); { let (a, (b, _)) = &mut t; *a += 1; *b *= *a; } t.0 + t.1.0 + t.1.1 }
    "slice patterns on arrays" array_patterns -> i32 |i, x, f| { let a = [x[i], 2, 3, 4]; let [first, .., last] = a; let [p, q, ..] = a; first * last + p - q }
    "slice patterns on slices" slice_patterns -> i32 |i, x, f| { match &x[i..] { [] => 0, [a] => *a, [a, b] => a * b, [a, rest @ ..] => a + rest.len() as i32 } }
    "the rest of an array by its name" array_rest -> i32 |i, x, f| {
        let [low, high @ ..] = (x[i] as u32).to_be_bytes();
        let mut a = [x[i], 2, x[49 - i], 4, 5];
        let [first, middle @ .., last] = &mut a;
        middle[0] += *first;
        middle.swap(1, 2);
        *last -= middle.len() as i32;
        let [all @ ..] = a;
        let [_, _, _, _, none @ ..] = [1, 2, 3, x[i]];
        let key = match [x[i] & 1, x[i] & 2, x[i] & 4] { [0, rest @ ..] => rest[0] + rest[1], [rest @ .., 0] => rest[1] * 8, [a, ..] => -a };
        let sum = |[a, rest @ ..]: [i32; 3]| a * 100 + rest.iter().sum::<i32>();
        low as i32 + high.iter().map(|b| *b as i32).sum::<i32>() + all.iter().fold(0, |s, v| s * 3 + v) + none.len() as i32 + key + sum([x[i], 1, 2])
    }
    "the ends of a slice: `[first, .., last]`" slice_ends -> i32 |i, x, f| {
        fn ends(part: &[i32]) -> i32 { match part { [] => -1, [only] => *only, [first, last] => first - last, [first, .., before, last] => first * 3 + before * 2 + last } }
        ends(&x[i..]) + ends(&x[..i % 3])
    }
    "half-open ranges in patterns" half_open_ranges -> i32 |i, x, f| {
        let class = match x[i] { ..-20 => 1, -20..0 => 2, 0 => 3, 1..=9 => 4, 10.. => 5 };
        let byte = match x[i] as u8 { 0..10 => b'0', 10.. => b'a' };
        class * 1000 + byte as i32
    }
    "or-patterns within variants" or_within_variants -> i32 |i, x, f| {
        enum Op { Add(i32), Sub(i32), Jump { to: i32, far: bool } }
        let op = match i % 4 { 0 => Op::Add(x[i]), 1 => Op::Sub(x[i]), 2 => Op::Jump { to: 3, far: true }, _ => Op::Jump { to: x[i], far: false } };
        match op { Op::Add(n @ (1 | 2 | 3..=20)) | Op::Sub(n @ 5..) => n, Op::Add(n) | Op::Sub(n) if n < 0 => -n * 100, Op::Add(_) | Op::Sub(_) => 7, Op::Jump { to: 3, .. } => 8, Op::Jump { to, far } => to * 10 + far as i32 }
    }
    "associated constants as patterns" associated_const_patterns -> i32 |i, x, f| {
        struct Code(i32);
        impl Code { const STOP: i32 = 3; const GO: i32 = -4; fn name(&self) -> i32 { match self.0 % 6 { Self::STOP => 100, Self::GO => 200, i32::MAX => 300, other => other } } }
        Code(x[i]).name()
    }
    "options of results" option_of_result -> i32 |i, x, f| {
        fn read(v: i32) -> Option<Result<i32, u8>> { match v.rem_euclid(5) { 0 => None, 1 | 2 => Some(Err(v as u8)), _ => Some(Ok(v)) } }
        match read(x[i]) { Some(Ok(n)) if n > 10 => n, Some(Ok(n)) => n * 2, Some(Err(e @ 0..=99)) => e as i32 + 1000, Some(Err(_)) => 2000, None => -1 }
    }
    "patterns in the parameters of functions and closures" parameter_patterns -> i32 |i, x, f| {
        #[derive(Clone, Copy)]
        struct P { a: i32, b: i32 }
        fn area([a, b]: [i32; 2], (c, mut d): (i32, i32), P { a: e, b: _ }: P) -> i32 { d += c; a * b + d - e }
        let pairs = [(x[i], 2), (3, x[i])];
        area([x[i], 3], (4, 5), P { a: 6, b: 7 }) + pairs.iter().map(|&(a, b)| a * b).sum::<i32>() + pairs.map(|(a, _)| a)[0]
    }
    "destructuring an array of structs in `for`" for_struct_pattern -> i32 |i, x, f| {
        struct Rect { w: i32, h: i32, tag: Option<i32> }
        let rects = [Rect { w: x[i], h: 2, tag: None }, Rect { w: 3, h: 4, tag: Some(i as i32) }];
        let mut total = 0;
        for Rect { w, h, tag } in &rects { total += w * h + tag.unwrap_or(1); }
        total
    }
    "`mut` and `ref mut` within a tuple of arrays" let_tuple_mut -> i32 |i, x, f| {
        let (mut a, b, [mut c, d]) = (x[i], 2, [3, 4]); a += b; c *= d; let (ref mut p, q) = (a, c); *p += q; *p + a
    }
    "`matches!` with guards and half-open ranges" matches_guard -> i32 |i, x, f| {
        let p = (x[i], i); matches!(p, (a, b) if a > 0 && b % 2 == 0) as i32 + matches!(x.get(i + 45), Some(v) if *v < 0) as i32 * 2 + !matches!(p.0, -10..=10 | 40..) as i32 * 4
    }
    "ranges of `u128` and `i128`" wide_ranges -> i32 |i, x, f| {
        let v = (x[i] as i128) << (i * 2 % 90); let u = (x[i].unsigned_abs() as u128) << (i * 2 % 90);
        let signed = match v { i128::MIN..=-0x1_0000_0000_0000_0000 => 1, -0xffff_ffff_ffff_ffff..-40 => 2, -40..=0 => 3, 1..0x10_0000 => 4, 0x10_0000..=0xf_ffff_ffff_ffff_ffff => 5, _ => 6 };
        let unsigned = match u { 0 => 1, 1..=9 => 2, 10..=0xffff_ffff => 3, 0x1_0000_0000..0x5_0000_0000_0000_0000 => 4, 0x5_0000_0000_0000_0000.. => 5 };
        signed * 10 + unsigned
    }
    "`contains` of a range of references" range_of_references -> i32 |i, x, f| {
        fn matches(class: &[i32], v: &[i32]) -> i32 { match (class, v) { ([low, high, rest @ ..], [c, ..]) if (low..=high).contains(&c) => rest.len() as i32 + 10, ([low, .., high], [c, ..]) if (low..high).contains(&c) => 3, _ => 0 } }
        matches(&x[i..], &x[i / 2..]) + 100 * matches(&[-5, 40, 7], &x[i..])
    }
    "byte strings" byte_strings -> i32 |i, x, f| {
        let text = b"true false null tru"; let words: [&[u8]; 4] = [&text[..4], &text[5..10], &text[11..15], &text[16..]];
        let word = words[i % 4];
        let kind = match (word[0], &word[1..]) { (b't', b"rue") => 1, (b'f', b"alse") | (b'n', b"ull") => 2, _ => 3 };
        kind * 10 + if let b"null" = word { 5 } else { 0 } + matches!(text.first_chunk::<2>(), Some(b"tr")) as i32
    }
    "a guard asked for each alternative that matches" guard_of_alternatives -> i32 |i, x, f| {
        let (a, b) = (x[i], x[(i + 1) % x.len()]);
        let pair = (Some(a), Some(b));
        let either = match pair { (Some(v), _) | (_, Some(v)) if v % 3 == 0 => v, (None, _) => 50, _ => 200 };
        let ends = match &x[..=i] { [v, ..] | [.., v] if *v > 5 => *v, _ => 500 };
        let mut changed = (a, b, 5);
        match &mut changed { (v, _, 5) | (_, v, 5) if *v > 4 => *v += 100, (_, _, w) => *w = 9 }
        let mut asked = 0;
        let counted = match (a & 1, b & 3) { (1, v) | (v, 3) if { asked += 1; v == 1 } => v, _ => 600 };
        let nested = match (pair, i % 3) { ((Some(v) , Some(1)) | (Some(_), Some(v)), 0 | 2) if v < 3 => v * 7, _ => 11 };
        either + ends * 3 + changed.0 + changed.1 * 5 + changed.2 * 7 + counted + asked * 1000 + nested + matches!((a, b), (v, _) | (_, v) if v == 7) as i32
    }
    "alternatives within alternatives" nested_alternatives -> i32 |i, x, f| {
        #[derive(Clone, Copy)] enum Shape { Box(i32, i32), Line { from: i32, to: i32 }, Ends([i32; 2]), Point }
        use Shape::*;
        let shape = match x[i] & 3 { 0 => Box(x[i], 1), 1 => Line { from: 2, to: x[i] }, 2 => Ends([x[i], 4]), _ => Point };
        let a = match shape { Box(v, _) | Line { to: v, .. } | Ends([10, v] | [v, _]) => v, Point => 0 };
        let t = (x[i] & 3, (x[i] >> 2) & 3, x[i] & 1);
        let b = match t { (0, v, _) | (v, 0 | 1, 0) | ((1 | 2), v, 1) => v * 10, ((v, _, 0 | 1) | (_, v, _)) => v + 100 };
        let c = if let ((1, v) | (v, 1 | 2)) = (t.0, t.1) && (v == 2 || v == 1) { v } else { 7 };
        a * 10_000 + b * 10 + c
    }
    "constants that are slices, references and enums with data" constants_of_any_type -> i32 |i, x, f| {
        #[repr(C, u32)] #[derive(Clone, Copy, PartialEq, Eq)] enum Shared { None, Pair(u8, i8), Wide { v: i32 }, Long(i64) }
        #[derive(PartialEq, Eq)] struct Named { name: &'static [u8], of: &'static i32 }
        const PAIR: Shared = Shared::Pair(3, -1);
        const WIDE: Shared = Shared::Wide { v: 9 };
        const SOME: Option<Shared> = Some(Shared::Long(7));
        const AB: Named = Named { name: b"ab", of: &5 };
        const ROWS: &[(i32, bool)] = &[(1, true), (2, false)];
        const WORDS: [&[u8]; 2] = [b"x", b"yz"];
        let all = [Shared::Pair(3, -1), Shared::None, Shared::Wide { v: x[i] | 9 }, Shared::Pair(3, x[i] as i8), Shared::Long((x[i] & 7) as i64)];
        let v = all[i % 5];
        let a = match (v, Some(v)) { (_, SOME) => 1, (PAIR, _) => 2, (Shared::Pair(..), _) => 3, (WIDE, _) => 4, (Shared::None, _) => 5, _ => 6 };
        let named = Named { name: if i % 3 == 0 { b"ab" } else { b"ac" }, of: &5 };
        let b = match named { AB => 1, _ => 2 };
        let rows = [(1, true), (2, i % 2 == 0)];
        let c = match &rows[..] { ROWS => 1, [_, (2, true)] => 2, _ => 3 };
        let letters = [b'x', b'x' + (i % 3) as u8, b'z'];
        let d = match [&letters[..1], &letters[1..]] { WORDS => 1, _ => 2 };
        a * 1000 + b * 100 + c * 10 + d
    }
}
