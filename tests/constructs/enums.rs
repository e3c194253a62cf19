//! Enums and `Option`.

crate::harness::constructs! {
    "an enum and `match`" plain_enum -> i32 |i, x, f| { #[derive(Clone, Copy)] enum E { A, B, C } let e = match x[i] % 3 { 0 => E::A, 1 | -1 => E::B, _ => E::C }; match e { E::A => 10, E::B => 20, E::C => 30 } }
    "discriminants and `as`" enum_cast -> i32 |i, x, f| { #[derive(Clone, Copy)] enum E { A = 5, B, C = -2 } let e = if x[i] > 20 { E::A } else if x[i] > 0 { E::B } else { E::C }; e as i32 * 3 }
    "`repr` of an enum" enum_repr -> i32 |i, x, f| { #[repr(u8)] #[derive(Clone, Copy)] enum E { A = 200, B = 7 } let e = if x[i] > 0 { E::A } else { E::B }; e as u8 as i32 }
    "comparison of enums" enum_equality -> i32 |i, x, f| { #[derive(Clone, Copy, PartialEq, Eq, PartialOrd)] enum E { A, B, C } let e = if x[i] > 10 { E::C } else if x[i] > 0 { E::B } else { E::A }; (e == E::B) as i32 + (e != E::A) as i32 * 2 + (e >= E::B) as i32 * 4 }
    "`impl` of an enum" enum_impl -> i32 |i, x, f| { #[derive(Clone, Copy)] enum Op { Add, Mul } impl Op { const ALL: i32 = 2; fn apply(self, a: i32, b: i32) -> i32 { match self { Op::Add => a + b, Self::Mul => a * b } } } let op = if i % 2 == 0 { Op::Add } else { Op::Mul }; op.apply(x[i], 7) + Op::ALL }
    "enums in structs and arrays" enum_in_struct -> i32 |i, x, f| { #[derive(Clone, Copy, PartialEq)] enum K { Up, Down } #[derive(Clone, Copy)] struct S { k: K, v: i32 } let s = [S { k: K::Up, v: x[i] }, S { k: K::Down, v: 5 }]; let t = s[i % 2]; if t.k == K::Up { t.v } else { -t.v } }
    "a state machine" state_machine -> i32 |i, x, f| { #[derive(Clone, Copy)] enum S { Start, Even, Odd, Done } let mut s = S::Start; let mut n = 0; for k in 0..20 { s = match (s, x[(i + k) % 50] & 1) { (S::Start, 0) => S::Even, (S::Start, _) => S::Odd, (S::Even, 0) => S::Even, (S::Even, _) => S::Odd, (S::Odd, 0) => S::Done, (S::Odd, _) => S::Odd, (S::Done, _) => break }; n += 1; } n * 10 + s as i32 }
    "enum default" enum_default -> i32 |i, x, f| { #[derive(Clone, Copy, Default)] enum E { A, #[default] B } let e = E::default(); match e { E::A => 1, E::B => 2 + x[i] } }
    "`use` of variants" enum_use -> i32 |i, x, f| { #[derive(Clone, Copy)] enum E { Low, High } use E::*; let e = if x[i] > 0 { High } else { Low }; match e { Low => 1, High => 2 } }
    "`Option` and `match`" option_match -> i32 |i, x, f| { let o = if x[i] > 0 { Some(x[i]) } else { None }; match o { Some(v) if v > 20 => 1, Some(v) => v * 2, None => -5 } }
    "`Option` of tuples" option_tuple -> i32 |i, x, f| { let o = if x[i] > 0 { Some((x[i], 2)) } else { None }; match o { Some((a, b)) => a * b, None => 0 } }
    "`Option` carried by a loop" option_loop -> i32 |i, x, f| { let mut best: Option<i32> = None; for k in 0..i { best = match best { Some(b) if b >= x[k] => Some(b), _ => Some(x[k]) }; } match best { Some(b) => b, None => -1000 } }
    "`Option` methods" option_methods -> i32 |i, x, f| { let o = if x[i] > 0 { Some(x[i]) } else { None }; o.is_some() as i32 + o.is_none() as i32 * 2 + o.unwrap_or(100) + o.unwrap_or_default() }
    "`Option::map` and `and_then`" option_map -> i32 |i, x, f| { let o = if x[i] > 0 { Some(x[i]) } else { None }; let p = o.map(|v| v * 3).and_then(|v| if v > 50 { Some(v - 50) } else { None }); p.unwrap_or(-1) }
    "`Option::map_or`, `filter`, `or`" option_more -> i32 |i, x, f| { let o = if x[i] > 0 { Some(x[i]) } else { None }; o.map_or(5, |v| v + 1) + o.filter(|v| *v > 10).or(Some(3)).unwrap() }
    "`unwrap` and `expect`" option_unwrap -> i32 |i, x, f| { let o = Some(x[i]); o.unwrap() + o.expect("there is one") }
    "`Option` in a struct" option_in_struct -> i32 |i, x, f| { #[derive(Clone, Copy)] struct N { v: i32, next: Option<usize> } let list = [N { v: x[i], next: Some(2) }, N { v: 2, next: None }, N { v: 3, next: Some(1) }]; let mut at = Some(0); let mut s = 0; while let Some(k) = at { s = s * 3 + list[k].v; at = list[k].next; } s }
    "comparison of `Option`s" option_equality -> i32 |i, x, f| { let o = if x[i] > 0 { Some(x[i] & 3) } else { None }; (o == Some(1)) as i32 + (o == None) as i32 * 2 + (o != Some(3)) as i32 * 4 }
    "`Option` of `Option`" option_nested -> i32 |i, x, f| { let o = if x[i] > 20 { Some(Some(x[i])) } else if x[i] > 0 { Some(None) } else { None }; match o { Some(Some(v)) => v, Some(None) => 1, None => 2 } }
    "`take` and `replace`" option_take -> i32 |i, x, f| { let mut o = Some(x[i]); let a = o.take(); let b = o.replace(5); a.unwrap_or(0) + b.is_none() as i32 + o.unwrap_or(1) }
    "`insert`, `get_or_insert`, `get_or_insert_with`" option_insert -> i32 |i, x, f| {
        let mut o = if x[i] > 0 { Some(x[i]) } else { None };
        let mut p = None;
        *o.get_or_insert(7) += 1;
        let first = *o.get_or_insert_with(|| 100);
        *p.insert(x[i]) *= 2;
        let mut q = None;
        if x[i] & 1 == 0 { q.get_or_insert(first); }
        first + p.map_or(0, |v| v * 3) + q.unwrap_or(-1) * 5
    }
    "options of options, and `flatten`" nested_option -> i32 |i, x, f| {
        let v: Option<Option<i32>> = (x[i] > 0).then(|| (x[i] > 20).then_some(x[i])); (match v { Some(Some(n)) => n, Some(None) => -1, None => -2 }) + v.flatten().unwrap_or(5)
    }
}
