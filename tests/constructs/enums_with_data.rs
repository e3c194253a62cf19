//! Enums with data, `Result`, `?`.

crate::harness::constructs! {
    "an enum with data" enum_data -> f32 |i, x, f| {
        #[derive(Clone, Copy)] enum Hit { Miss, At { t: f32, id: u32 } }
        let hit = if x[i] > 0 { Hit::At { t: f[i], id: x[i] as u32 } } else { Hit::Miss };
        match hit { Hit::Miss => -1.0, Hit::At { t, id } => t + id as f32 }
    }
    "tuple variants, and a `match` on two enums" enum_tuple_variants -> i32 |i, x, f| {
        #[derive(Clone, Copy)] enum Op { Add(i32), Mul(i32, i32), Neg }
        let op = |v: i32| match v.rem_euclid(3) { 0 => Op::Add(v), 1 => Op::Mul(v, 2), _ => Op::Neg };
        match (op(x[i]), op(i as i32)) {
            (Op::Add(a), Op::Add(b)) => a + b,
            (Op::Mul(a, b), Op::Neg) | (Op::Neg, Op::Mul(b, a)) => a * 10 + b,
            (Op::Mul(a, ..), Op::Mul(.., b)) => a - b,
            (Op::Neg, _) => -1,
            (_, other) => match other { Op::Add(v) => v, Op::Mul(v, w) => v * w, Op::Neg => 7 },
        }
    }
    "guards, ranges and `@` in variants" enum_guards -> i32 |i, x, f| {
        enum E { A(i32), B { v: i32, w: bool } }
        let e = if x[i] & 1 == 0 { E::A(x[i]) } else { E::B { v: x[i], w: x[i] > 5 } };
        match e { E::A(v) if v > 10 => v, E::A(v @ 0..=10) => v * 2, E::A(_) => 3, E::B { w: true, .. } => 4, E::B { v, w } => v + w as i32 }
    }
    "an enum in an enum" enum_nested -> i32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq)] enum Inner { X(i32), Y }
        #[derive(Clone, Copy, PartialEq)] enum Outer { One(Inner), Two { a: Inner, b: Option<i32> } }
        let inner = if x[i] > 0 { Inner::X(x[i]) } else { Inner::Y };
        let outer = if i % 2 == 0 { Outer::One(inner) } else { Outer::Two { a: inner, b: Some(x[i] + 1) } };
        let n = match outer { Outer::One(Inner::X(v)) => v, Outer::One(Inner::Y) => -1, Outer::Two { a: Inner::X(v), b: Some(w) } => v * w, Outer::Two { b, .. } => b.unwrap_or(9) };
        n + (outer == Outer::One(Inner::Y)) as i32 * 1000
    }
    "`if let`, `let else`, `while let` and `matches!` on an enum" enum_let -> i32 |i, x, f| {
        #[derive(Clone, Copy)] enum Step { Go(i32), Stop }
        let mut step = Step::Go(x[i].abs()); let mut n = 0;
        while let Step::Go(v) = step { n += 1; step = if v > 3 { Step::Go(v / 2) } else { Step::Stop }; }
        let first = if x[i] > 0 { Step::Go(x[i]) } else { Step::Stop };
        if let Step::Go(v) = first && v > 20 { n += 100; }
        'b: { let Step::Go(v) = first else { break 'b n - matches!(step, Step::Stop) as i32 }; v * 1000 + n }
    }
    "methods of an enum, and changing what it holds" enum_methods -> f32 |i, x, f| {
        #[derive(Clone, Copy)] enum Shape { Circle(f32), Rect { w: f32, h: f32 }, Empty }
        impl Shape {
            const UNIT: Shape = Shape::Rect { w: 1.0, h: 1.0 };
            fn area(&self) -> f32 { match self { Shape::Circle(r) => 3.0 * r * r, Self::Rect { w, h } => w * h, Shape::Empty => 0.0 } }
            fn grow(&mut self, by: f32) { match self { Self::Circle(r) => *r += by, Self::Rect { w, h } => { *w += by; *h -= by; } Self::Empty => *self = Self::UNIT } }
        }
        let mut s = match i % 3 { 0 => Shape::Circle(f[i]), 1 => Shape::Rect { w: f[i], h: 2.0 }, _ => Shape::Empty };
        s.grow(0.5); let a = s.area(); s.grow(1.0); a + s.area() * 2.0
    }
    "an array of enums, indexed dynamically" enum_array -> i32 |i, x, f| {
        #[derive(Clone, Copy)] enum Op { Push(i32), Add, Neg, Skip { n: usize } }
        const PROGRAM: [Op; 6] = [Op::Push(3), Op::Skip { n: 1 }, Op::Neg, Op::Push(4), Op::Add, Op::Neg];
        let mut stack = [x[i], 0, 0, 0]; let (mut top, mut pc) = (0usize, i % 2);
        while pc < 6 {
            match PROGRAM[pc] { Op::Push(v) => { top += 1; stack[top] = v; } Op::Add => { if top > 0 { top -= 1; stack[top] += stack[top + 1]; } } Op::Neg => stack[top] = -stack[top], Op::Skip { n } => pc += n }
            pc += 1;
        }
        stack[0] * 100 + stack[1]
    }
    "an enum with data in a struct, by derive" enum_in_struct -> i32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq, Debug, Default)] enum Cell { #[default] Free, Key(u8), Pair(i32, i32) }
        #[derive(Clone, Copy, PartialEq, Debug, Default)] struct Room { left: Cell, right: Cell }
        let mut room = Room::default(); let fresh = room == Room::default();
        room.left = if x[i] > 0 { Cell::Key(x[i] as u8) } else { Cell::Pair(x[i], 2) };
        match room { Room { left: Cell::Key(k), right: Cell::Free } => k as i32, Room { left: Cell::Pair(a, b), .. } => a * b + fresh as i32, _ => -7 }
    }
    "a generic enum" enum_generic -> f32 |i, x, f| {
        #[derive(Clone, Copy)] enum Either<L, R> { Left(L), Right(R) }
        impl<L: Copy, R: Copy> Either<L, R> {
            fn left(self) -> Option<L> { match self { Left(l) => Some(l), Right(_) => None } }
            fn map_right<S>(self, g: impl Fn(R) -> S) -> Either<L, S> { match self { Left(l) => Left(l), Right(r) => Right(g(r)) } }
        }
        use Either::*;
        let e: Either<f32, i32> = if x[i] > 3 { Left(f[i]) } else { Right(x[i]) };
        let m = e.map_right(|v| v as f32 * 0.5);
        m.left().unwrap_or(-1.0) + match m { Left(v) => v, Right(v) => v * 8.0 }
    }
    "an enum of one variant" enum_one_variant -> i32 |i, x, f| { enum Only { It { a: i32, b: i32 } } let Only::It { a, b } = (Only::It { b: 3, a: x[i] }); a - b }
    "a variant's numbers with data" enum_discriminants -> i32 |i, x, f| {
        #[derive(Clone, Copy)] #[repr(u8)] enum E { A = 3, B(i32) = 7, C = 1 }
        let e = [E::A, E::B(x[i]), E::C][i % 3];
        match e { E::C => 1, E::A => 2, E::B(v) => v }
    }
    "a reference to what a variant holds" enum_references -> i32 |i, x, f| {
        enum E { A((i32, i32)), B([i32; 3]) }
        let mut e = if x[i] > 0 { E::A((x[i], 2)) } else { E::B([x[i], 5, 6]) };
        let part = match &mut e { E::A(pair) => &mut pair.0, E::B(items) => &mut items[i % 3] };
        *part += 10;
        match &e { E::A((a, b)) => a * b, E::B([a, .., c]) => a - c }
    }
    "`Result` as a value" result_value -> i32 |i, x, f| {
        fn div(a: i32, b: i32) -> Result<i32, u8> { if b == 0 { return Err(1); } if a < 0 { Err(2) } else { Ok(a / b) } }
        match div(x[i], x[i] % 4) { Ok(v) => v, Err(code) => -(code as i32) }
    }
    "`?` on a `Result`" result_question_mark -> i32 |i, x, f| {
        fn div(a: i32, b: i32) -> Result<i32, u8> { if b == 0 { Err(1) } else if a < 0 { Err(2) } else { Ok(a / b) } }
        fn twice(a: i32, b: i32) -> Result<i32, u8> { if a == 7 { Err(7)?; } let c = div(a, b)?; Ok(c + div(c * 10, b - 1)?) }
        let mut sum = 0;
        for k in 0..4 { let g = |v: i32| -> Result<i32, u8> { Ok(div(v, 3)? + 1) }; sum += match twice(x[i], k) { Ok(v) => v, Err(e) => -(e as i32) } + g(x[i] - k).unwrap_or(0); }
        sum
    }
    "`?` that converts the error by `From`" result_from -> i32 |i, x, f| {
        #[derive(Clone, Copy)] enum Parse { Empty, Bad(i32) }
        #[derive(Clone, Copy)] enum App { Parse(Parse), Odd, Wide(i64) }
        impl From<Parse> for App { fn from(e: Parse) -> Self { App::Parse(e) } }
        impl From<i64> for App { fn from(e: i64) -> Self { App::Wide(e) } }
        fn parse(v: i32) -> Result<i32, Parse> { match v { 0 => Err(Parse::Empty), v if v < 0 => Err(Parse::Bad(v)), v => Ok(v) } }
        fn small(v: i32) -> Result<i32, i64> { if v > 40 { Err(v as i64 + 1) } else { Ok(v) } }
        fn even(v: i32) -> Result<i32, App> { let v = small(parse(v)?)?; if v % 2 == 1 { Err(App::Odd) } else { Ok(v / 2) } }
        match even(x[i]) { Ok(v) => v, Err(App::Odd) => -1, Err(App::Parse(Parse::Empty)) => -2, Err(App::Parse(Parse::Bad(b))) => b * 100, Err(App::Wide(w)) => w as i32 * 3 }
    }
    "the methods of `Result`" result_methods -> f32 |i, x, f| {
        fn root(v: f32) -> Result<f32, i32> { if v >= 0.0 { Ok(v) } else { Err(v as i32) } }
        let r = root(f[i]);
        let a = r.map(|v| v + 1.0).map_err(|e| e * 2).unwrap_or_else(|e| e as f32);
        let b = r.and_then(|v| if v > 3.0 { Err(7) } else { Ok(v) }).unwrap_or(9.0) + r.or_else(|e| if e > -4 { Ok(0.5) } else { Err(e as f32) }).unwrap_or_else(|e| e * 0.25);
        let c = r.ok().unwrap_or_default() + r.err().unwrap_or(5) as f32 + r.unwrap_or_default();
        let d = r.map_or(3.0, |v| v * 2.0) + r.map_or_else(|e| e as f32, |v| v * 4.0);
        let e = r.is_ok() as i32 + r.is_err() as i32 * 2 + r.is_ok_and(|v| v > 1.0) as i32 * 4 + r.is_err_and(|e| e < -2) as i32 * 8;
        let g = Ok::<f32, i32>(1.5).and(r).or(Ok::<f32, u8>(2.0)).unwrap() + Err::<f32, i32>(4).unwrap_err() as f32 + Ok::<f32, i32>(2.5).expect("there");
        a + 3.0 * b + 5.0 * c + d + e as f32 + g
    }
    "`ok_or` of an `Option`" option_ok_or -> i32 |i, x, f| {
        let o = if x[i] > 0 { Some(x[i]) } else { None };
        let g = |o: Option<i32>| -> Result<i32, i32> { Ok(o.ok_or(-3i32)? + o.filter(|v| *v > 9).ok_or_else(|| x[i] * 2)?) };
        match g(o) { Ok(v) => v, Err(e) => e }
    }
    "comparison of `Result`s" result_equality -> i32 |i, x, f| {
        let r = if x[i] > 0 { Ok(x[i] % 3) } else { Err(x[i] as i64) };
        (r == Ok(1)) as i32 + (r != Err(-2)) as i32 * 2 + matches!(r, Ok(0..=1) | Err(-9..0)) as i32 * 4
    }
    "errors converted by `?` from two types" two_errors -> i32 |i, x, f| {
        enum Parse { Empty, Bad(i32) }
        struct Range(i32);
        enum Error { Parse(Parse), Range { at: i32 } }
        impl From<Parse> for Error { fn from(e: Parse) -> Self { Error::Parse(e) } }
        impl From<Range> for Error { fn from(Range(at): Range) -> Self { Self::Range { at } } }
        fn parse(v: i32) -> Result<i32, Parse> { match v { 0 => Err(Parse::Empty), ..0 => Err(Parse::Bad(v)), _ => Ok(v) } }
        fn limit(v: i32) -> Result<i32, Range> { if v > 30 { Err(Range(v)) } else { Ok(v * 2) } }
        fn both(v: i32) -> Result<i32, Error> { let v = limit(parse(v)?)?; Ok(v + 1) }
        match both(x[i]) { Ok(v) => v, Err(Error::Parse(Parse::Empty)) => -1, Err(Error::Parse(Parse::Bad(v))) => v * 10, Err(Error::Range { at }) => at * 100 }
    }
    "`take`, `replace`, `insert` and `get_or_insert_with` of an `Option`" option_places -> i32 |i, x, f| {
        let mut slot = (x[i] > 0).then_some(x[i]);
        let old = slot.take();
        let made = *slot.get_or_insert_with(|| old.map_or(5, |v| v * 2));
        let before = slot.replace(3);
        if let Some(v) = slot.as_mut() { *v += i as i32; }
        *slot.insert(slot.unwrap_or(0) + 1) += 10;
        made + before.unwrap_or(100) * 3 + slot.map_or(0, |v| v * 7) + old.xor(None).unwrap_or(-1)
    }
    "`take_if` of an `Option`" option_take_if -> i32 |i, x, f| {
        let mut slot = (x[i] != 0).then_some(x[i]);
        let mut asked = 0;
        let taken = slot.take_if(|v| {
            asked += 1;
            *v = v.wrapping_add(i as i32);
            *v % 2 == 0
        });
        let pair = Some((x[i], 3)).take_if(|(v, w)| { *w += 1; *v > 4 });
        let (v, w) = pair.unwrap_or((-2, -3));
        asked * 1000 + taken.map_or(7, |v| v ^ 5) + slot.map_or(70, |v| v * 3) + v * w
    }
    "an expression as postfix operations on a stack" postfix -> i32 |i, x, f| {
        #[derive(Clone, Copy)]
        enum Token { Number(i32), Op(char), Neg }
        let tokens = [Token::Number(x[i]), Token::Number(3), Token::Op('+'), Token::Neg, Token::Number(i as i32), Token::Op(if i % 2 == 0 { '*' } else { '-' })];
        let (mut stack, mut top) = ([0; 4], 0);
        for token in tokens {
            match token {
                Token::Number(v) => { stack[top] = v; top += 1; }
                Token::Op(op) => { let [a, b] = [stack[top - 2], stack[top - 1]]; top -= 1; stack[top - 1] = match op { '+' => a + b, '-' => a - b, '*' => a * b, _ => unreachable!() }; }
                Token::Neg => stack[top - 1] = -stack[top - 1],
            }
        }
        stack[0]
    }
    "`impl Default` of an enum, and methods by `matches!`" enum_default_matches -> i32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq)]
        enum Light { Off, On { level: i32 }, Blink(i32, i32) }
        impl Default for Light { fn default() -> Self { Light::On { level: 3 } } }
        impl Light { fn is_bright(&self) -> bool { matches!(self, Light::On { level: 10.. } | Light::Blink(_, 20..)) } fn dim(self) -> Self { match self { Self::On { level } if level > 0 => Self::On { level: level / 2 }, Self::Blink(a, b) => Self::Blink(b, a), _ => Self::Off } } }
        let lights = [Light::default(), Light::On { level: x[i] }, Light::Blink(x[i], 25), Light::Off];
        lights.iter().map(|l| l.is_bright() as i32 * 2 + (l.dim().dim() == *l) as i32).fold(0, |s, v| s * 4 + v)
    }
    "`zip`, `unzip`, `and`, `or_else`, `is_none_or` and `filter` of options together" options_together -> i32 |i, x, f| {
        let (a, b) = ((x[i] > 0).then(|| x[i]), x.get(i + 20).copied());
        let both = a.zip(b).unzip().0.zip(a.zip(b).unzip().1).map(|(a, b)| a * 3 - b).filter(|v| v % 2 == 0);
        let either = a.or_else(|| b.map(|v| v - 1)).and_then(|v| v.checked_sub(5));
        both.unwrap_or(7) + either.map_or(-3, |v| v * 2) + a.and(b).unwrap_or_default() + a.is_none_or(|v| v > 10) as i32 * 1000
    }
    "`transpose` of an `Option` of a `Result`" transpose -> i32 |i, x, f| {
        fn half(v: i32) -> Result<i32, i32> { if v % 2 == 0 { Ok(v / 2) } else { Err(v) } } let r = (x[i] > 0).then_some(x[i]).map(half).transpose(); match r { Ok(Some(v)) => v, Ok(None) => 0, Err(e) => -e }
    }
    "`and_then`, `or_else`, `map_err`, `is_ok_and` and `ok` in one chain" result_chain -> i32 |i, x, f| {
        fn half(v: i32) -> Result<i32, i32> { if v % 2 == 0 { Ok(v / 2) } else { Err(v) } } half(x[i]).and_then(half).or_else(|e| if e > 0 { Ok(e) } else { Err(e) }).map_err(|e| e * 2).unwrap_or_else(|e| e + 1) + half(x[i]).is_ok_and(|v| v > 3) as i32 + half(x[i]).ok().unwrap_or_default()
    }
    "`inspect` and `inspect_err`" inspected -> i32 |i, x, f| {
        fn half(v: i32) -> Result<i32, i32> { if v % 2 == 0 { Ok(v / 2) } else { Err(v) } }
        let (mut seen, mut failed) = (0, 0);
        let v = half(x[i]).inspect(|v| seen += *v).inspect_err(|e| failed = *e).ok().inspect(|v| seen += 10 * *v);
        v.unwrap_or(3) + 100 * seen + 10_000 * failed
    }
    "`as_ref`, `as_mut`, `copied` of `Result`" result_refs -> i32 |i, x, f| {
        let mut r: Result<[i32; 3], (i32, i32)> = if x[i] % 3 == 0 { Err((x[i], 2)) } else { Ok([x[i], i as i32, 5]) };
        if let Ok(a) = r.as_mut() { a[2] += 4; }
        let first = r.as_ref().map(|a| &a[0]).map_err(|e| &e.1); first.copied().unwrap_or_else(|e| *e * 100) + r.as_ref().map_or_else(|e| e.0, |a| a[2])
    }
    "an enum of `repr(C, u32)`, whose variants share their bytes, in arrays and behind references" enum_union -> i32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq)] #[repr(C, u16)] enum Cell { Free, One(i32), Two { a: i8, b: i64 }, Row([i16; 5], Option<u8>) }
        fn grow(cell: &mut Cell, by: i32) {
            match cell {
                Cell::Free => *cell = Cell::One(by),
                Cell::One(v) if *v > 20 => *cell = Cell::Two { a: *v as i8, b: -1 },
                Cell::One(v) => *v += by,
                Cell::Two { b, .. } if *b > 0 => *cell = Cell::Row([by as i16; 5], None),
                Cell::Two { a, b } => (*a, *b) = (a.wrapping_add(1), by as i64 + 1),
                Cell::Row(row, last) => { row[by as usize % 5] -= 3; *last = Some(by as u8); }
            }
        }
        let value = |cell: &Cell| match *cell { Cell::Free => 1, Cell::One(v) => v * 2, Cell::Two { a, b } => a as i32 * 3 + b as i32, Cell::Row(row, last) => row.iter().fold(7, |s, v| s * 3 % 1009 + *v as i32) + last.map_or(-5, |v| v as i32) };
        const FIRST: [Cell; 4] = [Cell::Two { a: -3, b: 1 << 33 }, Cell::Free, Cell::Row([1, -2, 3, -4, 5], Some(9)), Cell::One(-1)];
        let mut cells = [FIRST[i % 4], Cell::Free, FIRST[(i + 3) % 4], Cell::Two { a: 1, b: x[i] as i64 }];
        for k in 0..9 { grow(&mut cells[(i + k * k) % 4], (x[i] + k as i32).rem_euclid(50)); }
        let copy = cells;
        cells[(i + 1) % 4] = copy[i % 4];
        let same = (cells[i % 4] == cells[(i + 1) % 4]) as i32 + (copy == cells) as i32 * 2 + (cells[i % 4] == Cell::Free) as i32 * 4;
        cells.iter().map(value).fold(same, |s, v| s * 31 % 100_003 + v)
    }
    "comparison of enums in an array that is made of them" compared_in_array -> i64 |i, x, f| {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)] enum Kind { A, #[default] B, C(u8, i8), D { z: bool } }
        let all = [Kind::default(), Kind::C(x[i] as u8, -1), Kind::C(3, x[i] as i8), Kind::D { z: x[i] > 0 }, Kind::A];
        let one = all[i % 5];
        let mut h = 0i64;
        for v in all { h = h * 3 + v.cmp(&one) as i64; h = h * 4 + (v >= one) as i64 + (v == one) as i64 * 2; }
        h
    }
}
