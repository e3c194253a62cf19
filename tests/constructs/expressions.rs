//! Variables, operators, casts, blocks as values, constants.

crate::harness::constructs! {
    "`let` with a type" typed_let -> i32 |i, x, f| { let v: i32 = x[i]; v + 1 }
    "`let` with an inferred type" inferred_let -> u32 |i, x, f| { let v = 7; let w: u32 = v; w * 3 + i as u32 }
    "shadowing" shadowing -> i32 |i, x, f| { let v = x[i]; let v = v * 2; { let v = v + 100; let _ = v; } v }
    "`let mut` and assignment" assignment -> i32 |i, x, f| { let mut v = x[i]; v = v - 3; v }
    "compound assignment" compound_assignment -> i32 |i, x, f| {
        let mut v = x[i]; v += 3; v *= 2; v -= 1; v ^= 5; v |= 64; v &= 0xff; v <<= 2; v >>= 1; v %= 91; v /= 2; v
    }
    "`let` assigned later" late_initialisation -> i32 |i, x, f| { let v; if x[i] > 0 { v = 1; } else { v = -1; } v }
    "a block as a value" block_value -> i32 |i, x, f| { let v = { let a = x[i]; let b = a * a; b - a }; v }
    "`if` as a value" if_value -> f32 |i, x, f| { if f[i] < 0.0 { -f[i] } else if f[i] < 4.0 { 0.5 } else { f[i] } }
    "`&&` and `||` stop early" short_circuit -> i32 |i, x, f| {
        let mut n = 0;
        if x[i] > 0 && { n += 1; x[i] > 20 } || { n += 10; x[i] < -20 } { n += 100; }
        n
    }
    "integer arithmetic" integer_arithmetic -> i64 |i, x, f| {
        let a = x[i] as i64; (a * a - 7) / 5 + (a * 13) % 11 - (-a)
    }
    "unsigned arithmetic" unsigned_arithmetic -> u64 |i, x, f| {
        let a = (x[i] + 60) as u64; (a * a + 7) / 5 + (a * 13) % 11
    }
    "bit operations" bit_operations -> u32 |i, x, f| { let a = x[i] as u32; (a & 0xf0f0) | (a ^ 0x1234) & !a }
    "shifts" shifts -> i32 |i, x, f| { (x[i] >> 2) + ((x[i] as u32 >> 28) as i32) + (1 << (i % 20)) }
    "comparisons" comparisons -> u32 |i, x, f| {
        (x[i] < 3) as u32 | ((x[i] <= 3) as u32) << 1 | ((x[i] == 11) as u32) << 2 | ((f[i] >= 1.5) as u32) << 3
            | ((f[i] != 0.0) as u32) << 4 | ((x[i] > 0) as u32) << 5
    }
    "float arithmetic" float_arithmetic -> f32 |i, x, f| { (f[i] * f[i] + 1.25) / (f[i] - 0.1) - -f[i] }
    "f64 arithmetic" double_arithmetic -> f64 |i, x, f| { let d = f[i] as f64; (d * d + 1.1) / (d - 0.3) }
    "float remainder" float_remainder -> f32 |i, x, f| { f[i] % 1.7 + (f[i] * 1e6) % 0.3 }
    "f64 remainder" double_remainder -> f64 |i, x, f| { (f[i] as f64 * 1e9) % 0.7 }
    "`as` between integers" integer_casts -> i64 |i, x, f| { x[i] as i8 as i64 + x[i] as u16 as i64 + x[i] as u32 as i64 }
    "`as` from float to integer" float_to_integer -> i64 |i, x, f| {
        (f[i] * 1e8) as i32 as i64 + (f[i] * 30.0) as u8 as i64 + (f[i] * 1e4) as i16 as i64 + f[i] as i64
    }
    "`as` from integer to float" integer_to_float -> f64 |i, x, f| { x[i] as f32 as f64 * 0.5 + (x[i] as u64) as f64 }
    "`as` between floats" float_casts -> f32 |i, x, f| { (f[i] as f64 / 3.0) as f32 }
    "`bool as` integer" bool_cast -> i32 |i, x, f| { (x[i] > 0) as i32 * 5 }
    "literals in all forms" literals -> i64 |i, x, f| { i as i64 + 1_000 + 0xff + 0o17 + 0b1011 + 5i64 + b'a' as i64 + 1e3 as i64 }
    "char-free byte literals" byte_literals -> u32 |i, x, f| { b'Z' as u32 - b'A' as u32 + i as u32 }
    "byte strings" byte_strings -> u32 |i, x, f| {
        const DIGITS: [u8; 16] = *b"0123456789abcdef";
        let word = b"GPU\x01\n";
        let mut s = word.len() as u32;
        for c in word { s = s * 31 + *c as u32; }
        s + DIGITS[i % 16] as u32 + (word[1] == b'P') as u32 + b"xyz"[i % 3] as u32
    }
    "negative literals" negative_literals -> i32 |i, x, f| { -128i8 as i32 + x[i] * -3 }
    "`const` in a body" body_const -> i32 |i, x, f| { const STEP: i32 = 3 * 4 + 1; const TWICE: i32 = STEP * 2; x[i] * STEP + TWICE }
    "`const` of an array" const_array -> i32 |i, x, f| { const TABLE: [i32; 5] = [3, 1, 4, 1, 5]; TABLE[i % 5] * x[i] }
    "`const` of a table made by a loop in a `const fn`" const_fn_table -> u32 |i, x, f| {
        const fn table() -> [u32; 8] {
            let mut t = [0; 8];
            let mut k = 0;
            while k < 8 { t[k] = (k * k) as u32 + 1; k += 1; }
            t
        }
        const T: [u32; 8] = table();
        T[i % 8]
    }
    "`const` of a tuple and of a float" const_tuple -> f32 |i, x, f| { const P: (f32, i32) = (1.5, 2); f[i] * P.0 + P.1 as f32 }
    "`const` array of arrays" const_matrix -> f32 |i, x, f| {
        const M: [[f32; 3]; 2] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        M[i % 2][i % 3] * f[i]
    }
    "constants with a path" path_constants -> f32 |i, x, f| { f[i] * core::f32::consts::PI + f32::EPSILON + u8::MAX as f32 }
    "parentheses and precedence" precedence -> i32 |i, x, f| { 2 + x[i] * 3 - (4 - x[i]) * 2 << 1 & 0xfff ^ 3 | 8 }
    "unit values" unit_values -> i32 |i, x, f| { let u = (); let v = { x[i]; }; let _ = (u, v); x[i] }
    "nested blocks with shadowing" nested_blocks -> i32 |i, x, f| { let a = 1; { let a = a + 1; { let a = a * 10; a + x[i] } } }
    "`usize` and `isize` arithmetic" index_arithmetic -> i64 |i, x, f| { let k = (i * 3 + 5) % 50; let d = k as isize - i as isize; x[k] as i64 * d as i64 }
    "`const` blocks" const_block -> i32 |i, x, f| {
        fn of<const N: u32>(v: i32) -> i32 { (v + const { 1 << (N - 1) }) >> N }
        of::<3>(x[i]) + const { let mut s = 0; let mut k = 0; while k < 5 { s += k * k; k += 1; } s } + [const { 7 }; 4][i % 4]
    }
    "`static` tables, and constants that are references" static_tables -> u32 |i, x, f| {
        static PRIMES: [u16; 6] = [2, 3, 5, 7, 11, 13];
        const HEX: &[u8; 16] = b"0123456789abcdef";
        const ROWS: [&[u8; 2]; 3] = [b"ab", b"cd", b"ef"];
        let hex = HEX;
        PRIMES[i % 6] as u32 * 1000 + HEX[x[i] as usize & 15] as u32 + hex[3] as u32 + ROWS[i % 3][i % 2] as u32 * 7 + PRIMES.len() as u32
    }
    "constants that are slices" slice_constants -> u32 |i, x, f| {
        const PRIMES: &[u32] = &[2, 3, 5, 7, 11];
        const ROWS: [&[u32]; 2] = [&[1, 2, 3], PRIMES];
        const SUM: u32 = { let mut sum = 0; let mut k = 0; while k < PRIMES.len() { sum += PRIMES[k]; k += 1; } sum };
        struct Table { weights: &'static [u32], scale: u32 }
        const TABLE: Table = Table { weights: &[4, 5], scale: 3 };
        let row = ROWS[i % 2];
        let mut sum = PRIMES[i % PRIMES.len()] + SUM * 100;
        for p in PRIMES { sum += *p; }
        sum + row.iter().sum::<u32>() + row.len() as u32 * 7 + TABLE.weights[i % TABLE.weights.len()] * TABLE.scale
    }
    "`u128`" wide_unsigned -> u64 |i, x, f| {
        let at = |k: usize| (x[(i + k) % 50] as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let a = (at(0) as u128) << 64 | at(1) as u128;
        let b = if i % 3 == 0 { u128::from(at(2)) + 1 } else { (at(2) as u128 | 1) << (i % 64) };
        const M: u128 = (1u128 << 89) - 1;
        let mut sum = a.wrapping_add(b).wrapping_mul(a) % M;
        sum += 5;
        sum ^= a / b;
        sum = sum.rotate_left(i as u32 * 7) - (sum & 0xff);
        let n = a.leading_zeros() + a.trailing_zeros() * 200 + (!b).count_ones() + (a.checked_add(b).is_none() as u32) * 5000;
        let order = (a < b) as u64 + (a.cmp(&b) as i32 as u64 & 7) * 2 + (a.max(b) == a) as u64 * 16;
        let kind = match a { 0 => 1, u128::MAX => 2, _ if 3 * a.min(b) % 7 == 2 => 3, _ => 4 };
        (sum >> 64) as u64 ^ sum as u64 ^ (a as f64).to_bits() ^ (n as u64) ^ order ^ kind
    }
    "`i128`" wide_signed -> i64 |i, x, f| {
        let a = (x[i] as i128 - 25) << 70 | x[(i + 1) % 50] as i128;
        let b = -(x[(i + 2) % 50] as i128) * 0x1234_5678_9abc_def0 + 1;
        let q = a / b + a % b - (a >> 3);
        let r = (a * (b >> 20)).abs() ^ i128::from(x[i]);
        let order = (a < b) as i64 + (a.signum() as i64) * 10 + (b.is_negative() as i64) * 100 + (r.unsigned_abs() >> 90) as i64;
        q as i64 ^ (q >> 64) as i64 ^ r as i64 ^ (r >> 64) as i64 ^ order ^ ((a as f32).to_bits() as i64)
    }
    "`char`" characters -> u32 |i, x, f| {
        fn class(c: char) -> u32 {
            match c {
                'a' | 'e' | 'i' => 1,
                'b'..='z' => 2,
                '0'..='9' => 3 + c.to_digit(10).unwrap_or(90),
                ' ' | '\n' => 20,
                c if c.is_ascii_punctuation() => 30,
                _ => 40,
            }
        }
        const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
        let c = ((x[i] * 5 + i as i32) as u8 & 127) as char;
        let next = char::from_u32(c as u32 + 1).unwrap_or(char::MAX);
        let upper = c.to_ascii_uppercase();
        class(c) + VOWELS.contains(&c.to_ascii_lowercase()) as u32 * 100 + (next > c && upper == 'B') as u32 * 1000
            + upper as u32 * 10000 + c.is_ascii_alphanumeric() as u32 * 7 + char::from_digit(x[i] as u32 % 16, 16).map_or(0, u32::from)
    }
    "constants that are arrays of structs" const_structs -> i32 |i, x, f| {
        #[derive(Clone, Copy)] struct Rule { from: i32, to: i32, weight: f32 } const RULES: [Rule; 3] = [Rule { from: -50, to: -10, weight: 0.5 }, Rule { from: -10, to: 10, weight: 1.0 }, Rule { from: 10, to: 50, weight: 2.0 }]; RULES.iter().find(|r| (r.from..r.to).contains(&x[i])).map_or(0, |r| (x[i] as f32 * r.weight) as i32)
    }
    "constants that are arrays of enums with data" const_enums -> i32 |i, x, f| {
        #[derive(Clone, Copy)] enum Op { Add(i32), Mul(i32), Nop } const PROGRAM: [Op; 4] = [Op::Add(3), Op::Mul(2), Op::Nop, Op::Add(-1)]; PROGRAM.iter().fold(x[i], |v, op| match op { Op::Add(n) => v + n, Op::Mul(n) => v * n, Op::Nop => v })
    }
    "`static` slices of enums with data" static_enums -> i32 |i, x, f| {
        #[derive(Clone, Copy)] enum Op { Add(i32), Mul(i32) } static PROGRAM: &[Op] = &[Op::Add(3), Op::Mul(2)]; let mut v = x[i]; for op in PROGRAM { v = match *op { Op::Add(n) => v + n, Op::Mul(n) => v * n }; } v
    }
    "ranges of `char` with `contains`, and bytes as characters" char_ops -> i32 |i, x, f| {
        let c = char::from(b'a' + (x[i] + 50) as u8 % 26); let up = c.to_ascii_uppercase(); (up as u32 + c.is_ascii_lowercase() as u32 + char::from_digit(7, 10).map_or(0, |d| d as u32) + ('a'..='f').contains(&c) as u32) as i32
    }
    "chains of `as`, `from` and `try_from`" cast_chain -> i32 |i, x, f| {
        let b = x[i] as u8 as i8 as i16 as u32 as f32 as u64 as usize; (b & 0xffff) as i32 + i64::from(x[i]) as i32 + u32::try_from(x[i]).unwrap_or(u32::MAX) as i32 + usize::try_from(x[i]).map_or(0, |v| v as i32) + i8::try_from(x[i] * 4).is_err() as i32
    }
    "what is evaluated first in a compound assignment" compound_order -> i32 |i, x, f| {
        let mut wide = [1u128, 10, 100];
        let mut at = 0;
        wide[at] += { at = 2; x[i].unsigned_abs() as u128 };
        wide[at] <<= { at = 1; x[i] & 3 };
        let mut halves = [f16::from_f32(1.0), f16::from_f32(2.0), f16::from_f32(3.0)];
        halves[at] += { at = 0; f16::from_f32(x[i] as f32) };
        let mut numbers = [1, 2, 3];
        numbers[at] -= &{ at = 2; x[i] };
        numbers[at] += { at = 1; x[i] };
        wide[0] as i32 + wide[1] as i32 * 3 + wide[2] as i32 * 5 + (halves[0].to_f32() + halves[1].to_f32() * 2.0) as i32 * 7 + numbers[0] * 11 + numbers[1] * 13 + numbers[2] * 17 + at as i32
    }
    "an array assigned to a place whose index changes it" array_into_changed_place -> i32 |i, x, f| {
        fn spoil(a: &mut [i32; 40], v: i32) -> usize { a[39] = v; a[0] = v + 1; 1 }
        let mut source = [x[i], 6];
        let mut table = [[1, 2], [3, 4]];
        table[{ source[0] = 99; 1 }] = source;
        let mut long = [x[i]; 40];
        let mut rows = [[0; 40]; 2];
        rows[spoil(&mut long, 77)] = long;
        table[1][0] + table[1][1] * 3 + source[0] * 5 + rows[1][39] * 7 + rows[1][0] * 11 + long[39]
    }
    "parts of tuples, arrays, sums and structs that change what others read" changed_between_parts -> i32 |i, x, f| {
        struct Parts { a: i32, b: i32, c: (i32, i32) }
        let mut a = x[i];
        let sum = a + { a += 5; a } * { a *= 2; a } + { a += 1; a } - a;
        let tuple = (a, { a = 3; a }, a);
        let array = [a, { a += 1; a }, a];
        let mut n = 0;
        let mut next = || { n += 1; n };
        let parts = Parts { c: (next(), next()), b: next(), a: next() };
        let other = Parts { b: next(), ..Parts { a: next(), b: next(), c: (next(), 0) } };
        sum + tuple.0 * 3 + tuple.1 * 5 + tuple.2 * 7 + array[0] * 11 + array[1] * 13 + array[2] * 17
            + parts.a * 19 + parts.b * 23 + parts.c.0 * 29 + parts.c.1 * 31 + other.a * 37 + other.b * 41 + other.c.0 * 43
    }
}
