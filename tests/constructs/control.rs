//! Loops, labels, early exits.

crate::harness::constructs! {
    "`while`" while_loop -> i32 |i, x, f| { let mut n = x[i].abs(); let mut c = 0; while n > 0 { n /= 2; c += 1; } c }
    "`loop` with `break`" endless_loop -> i32 |i, x, f| { let mut n = x[i]; loop { n += 7; if n > 100 { break; } } n }
    "`loop` with a value" loop_value -> i32 |i, x, f| { let mut n = 0; let v = loop { n += 3; if n * n > x[i] * 3 + 200 { break n - 1; } }; v }
    "`for` over a range" for_range -> i32 |i, x, f| { let mut s = 0; for k in 0..i { s += x[k]; } s }
    "`for` over an inclusive range" for_inclusive -> i32 |i, x, f| { let mut s = 0; for k in 1..=5 { s = s * 3 + k; } s + x[i] }
    "`rev`" for_reversed -> i32 |i, x, f| { let mut s = 0; for k in (0..6).rev() { s = s * 2 + x[(i + k) % 50]; } s }
    "`step_by`" for_step -> i32 |i, x, f| { let mut s = 0; for k in (i..50).step_by(7) { s += x[k]; } s }
    "`for` over a range of variables" for_variable_range -> i32 |i, x, f| { let mut s = 0; for v in x[i] - 3..x[i] + 2 { s += v * v; } s }
    "`continue`" continue_loop -> i32 |i, x, f| { let mut s = 0; for k in 0..i { if x[k] < 0 { continue; } s += x[k]; } s }
    "`break` from `for`" break_for -> i32 |i, x, f| { let mut s = 0; for k in 0..50 { if x[k] == x[i] { break; } s += 1; } s }
    "labels" labels -> i32 |i, x, f| {
        let mut s = 0;
        'outer: for a in 0..6 {
            for b in 0..6 {
                if a * b == 12 { break 'outer; }
                if (a + b + x[i]) % 4 == 0 { continue 'outer; }
                s += a * b + 1;
            }
        }
        s
    }
    "labelled block" labelled_block -> i32 |i, x, f| {
        let v = 'done: { if x[i] > 20 { break 'done 1; } if x[i] > 0 { break 'done 2; } x[i] };
        v * 3
    }
    "a label with a value from an inner loop" label_value -> i32 |i, x, f| {
        'search: loop { for k in 0..50 { if x[k] > x[i] { break 'search k as i32; } } break -1; }
    }
    "nested loops" nested_loops -> i32 |i, x, f| { let mut s = 0; for a in 0..4 { for b in a..4 { s += x[(i + a * 4 + b) % 50] * (b as i32 - 1); } } s }
    "`while` with two conditions" while_and -> i32 |i, x, f| { let mut k = i; while k < 50 && x[k] != 0 && x[k] % 7 != 0 { k += 1; } k as i32 }
    "loops that carry several values" carried_values -> u32 |i, x, f| { let (mut a, mut b) = (0u32, 1u32); for _ in 0..i { let t = a.wrapping_add(b); a = b; b = t; } a }
    "`for _`" for_unused -> i32 |i, x, f| { let mut v = x[i]; for _ in 0..3 { v = v * 2 - 1; } v }
    "empty ranges" empty_range -> i32 |i, x, f| { let mut s = 5; for _ in 3..3 { s += 1; } for k in 5..(i as i32 % 9) { s += k; } s }
    "a branch that never comes back" diverging_branch -> i32 |i, x, f| { let mut s = 0; for k in 0..20 { let v = if x[k] < x[i] { x[k] } else { continue; }; s += v; } s }
    "the greatest common divisor" gcd -> u32 |i, x, f| { let (mut a, mut b) = (x[i].unsigned_abs() + 1, 36u32); while b != 0 { (a, b) = (b, a % b); } a }
    "`?` on an `Option`" question_mark -> i32 |i, x, f| {
        fn half(v: i32) -> Option<i32> { if v % 2 == 0 { Some(v / 2) } else { None } }
        fn quarter(v: i32) -> Option<i32> { half(half(v)?) }
        fn sum(x: &[i32], i: usize) -> Option<i64> { let v = quarter(*x.get(i)?)?; let w = quarter(x[(i + 1) % 50]).or(Some(3))?; Some(v as i64 + w as i64) }
        sum(x, i).map_or(-1, |v| v as i32) + sum(x, i + 50).map_or(-1, |v| v as i32)
    }
    "`?` in a closure and in a loop" question_mark_in_closure -> i32 |i, x, f| {
        fn product(x: &[i32]) -> Option<i32> { let mut p = 1i32; for v in x { p = p.checked_mul(*v)?; } Some(p) }
        let scaled = |k: usize| -> Option<i32> { Some(x.get(k)?.checked_add(1)? * 2) };
        product(&x[i..(i + 6).min(50)]).unwrap_or(7) ^ scaled(i * 2).unwrap_or(11)
    }
    "`let else`" let_else_in_loop -> i32 |i, x, f| {
        let mut s = 0;
        for k in 0..10 {
            let (1, v) = (x[(i + k) % 50] & 1, x[k]) else { continue };
            s += v;
        }
        s
    }
    "a labelled block that is left with a value" labelled_block_value -> i32 |i, x, f| {
        let found = 'found: { for (k, v) in x.iter().enumerate().skip(i) { if *v > 20 { break 'found k as i32; } } -1 };
        let sign = 'sign: { if found < 0 { break 'sign -1; } if found % 2 == 0 { break 'sign 0; } 1 };
        found * 3 + sign
    }
    "`continue` and `break` of an outer loop in a `match`" outer_in_match -> i32 |i, x, f| {
        let (mut k, mut total) = (i, 0);
        'words: while k < x.len() {
            for step in 0.. {
                match (x[k] + step) % 7 { 0 => break, 3 | -3 => { k += 2; continue 'words; } 5 if step > 1 => break 'words, r => total += r }
            }
            k += 1;
        }
        total * 100 + k as i32
    }
    "`loop` with `let else`" loop_let_else -> i32 |i, x, f| {
        let mut rest = &x[..=i];
        let mut total = 0;
        loop { let [first, tail @ ..] = rest else { break }; let Some(v) = first.checked_mul(3) else { continue }; total += v; rest = tail; }
        total
    }
    "`else if let` after `if let`" else_if_let -> i32 |i, x, f| {
        let (a, b) = (x.get(i + 40), x[..i].iter().position(|v| *v == 7));
        if let Some(v) = a { *v } else if let Some(at) = b && at > 3 { at as i32 * 100 } else if b.is_some() { -1 } else { -2 }
    }
    "a state machine by `match` on a tuple" state_machine -> i32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq)]
        enum State { Start, Sign, Digits(i32), Failed }
        let state = x[..=i].iter().fold(State::Start, |state, v| match (state, v.rem_euclid(12)) {
            (State::Start, 10) => State::Sign,
            (State::Start | State::Sign, d @ 0..=9) => State::Digits(d),
            (State::Digits(n), d @ 0..=9) => State::Digits((n * 10 + d) % 1_000_003),
            (State::Digits(_) | State::Failed, 11) => State::Start,
            _ => State::Failed,
        });
        match state { State::Start => -1, State::Sign => -2, State::Digits(n) => n, State::Failed => -3 }
    }
    "`for` over a range without an end" open_for -> i32 |i, x, f| {
        let mut total = 0;
        for k in i.. { if k >= x.len() || x[k] > 30 { break; } total = total * 3 % 10_007 + x[k]; }
        for step in 1u8.. { if step as usize > i { break; } total += step as i32; }
        total
    }
    "a queue in an array, read by `while let`" while_let_pop -> i32 |i, x, f| {
        let mut q = [0usize; 16]; let (mut head, mut tail) = (0, 1); q[0] = i; let mut n = 0; while let Some(&v) = q.get(head).filter(|_| head < tail) { head += 1; n += v as i32; for next in [v / 2, v / 3] { if next > 0 && tail < q.len() { q[tail] = next; tail += 1; } } } n
    }
    "`ControlFlow` by `?`, `try_fold` and `try_for_each`" control_flow -> i32 |i, x, f| {
        use core::ops::ControlFlow;
        fn step(v: i32) -> ControlFlow<i32> { if v % 7 == 3 { ControlFlow::Break(v) } else { ControlFlow::Continue(()) } }
        fn visit(x: &[i32]) -> ControlFlow<i32, usize> { for v in x { step(*v)?; } ControlFlow::Continue(x.len()) }
        let sum = x[..=i].iter().try_fold(0, |sum: i32, v| if sum > 60 { ControlFlow::Break(sum) } else { ControlFlow::Continue(sum + v) });
        let first = x.iter().enumerate().skip(i).try_for_each(|(k, v)| { if *v < -20 { return ControlFlow::Break(k); } ControlFlow::Continue(()) });
        let sum = match sum { ControlFlow::Break(v) => v * 2, ControlFlow::Continue(v) => v };
        let seen = match visit(&x[i..]).map_break(|v| v * 5).map_continue(|n| n as i32 + 1000) { ControlFlow::Break(v) | ControlFlow::Continue(v) => v };
        seen + sum + first.break_value().map_or(-1, |k| k as i32) * 3 + first.is_continue() as i32 + visit(&x[..i]).continue_value().unwrap_or(7) as i32
    }
    "`concat!` and `stringify!` in the messages of assertions" composed_messages -> i32 |i, x, f| {
        macro_rules! check { ($cond:expr, $of:expr) => { assert!($cond, concat!("not so: ", stringify!($cond), " for {}, ", 1, 'a', true), $of) }; }
        check!(i < 50, x[i]);
        if i > 99 { panic!(concat!("beyond ", "{}"), i) }
        x[i]
    }
    "conditions and operands that `break` and `continue`" jumps_in_operands -> i32 |i, x, f| {
        let (mut s, mut k) = (0, 0);
        while { k += 1; k < 20 } {
            let v = if k % 3 == 0 { continue } else { k };
            s += v * match v { 5 if x[i] > 0 => break, q if q % 2 == 0 => { s += 1000; continue } q => q };
        }
        s + k
    }
}
