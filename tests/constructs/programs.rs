//! Programs of many constructs, as they are ported from elsewhere.

crate::harness::constructs! {
    "a tree walked with a stack that starts as zeros" zeroed_stack -> i32 |i, x, f| {
        let mut stack = [(0i32, 0u8); 24];
        let mut top = 1;
        stack[0] = (x[i], 0);
        let mut sum = 0i32;
        while top > 0 {
            top -= 1;
            let (node, depth) = stack[top];
            sum = sum.wrapping_mul(31).wrapping_add(node ^ depth as i32);
            if depth < 5 {
                if node % 3 != 0 { stack[top] = (node / 2, depth + 1); top += 1; }
                stack[top] = (node - 7, depth + 1 + (node & 1) as u8);
                top += 1;
            }
        }
        sum
    }
    "a list of candidates that starts as zeros" zeroed_list -> i32 |i, x, f| {
        let mut found = [0i32; 12];
        let mut count = 0u32;
        for k in 0..50 { if (x[(i + k) % 50] & 3) == 1 && (count as usize) < found.len() { found[count as usize] = x[k]; count += 1; } }
        let mut sum = 0i32;
        for k in 0..count as usize { sum = sum.wrapping_mul(17) ^ found[k]; }
        sum
    }
    "a stack that is read above its height" stack_with_old_values -> i32 |i, x, f| {
        let mut stack = [0i32; 8];
        let mut top = 0usize;
        let mut sum = 0i32;
        for k in 0..6 {
            let v = x[(i + k) % 50];
            if v > 0 { stack[top] = v; top += 1; } else if top > 0 { top -= 1; }
            sum = sum.wrapping_mul(5).wrapping_add(stack[top + 1] - stack[top]);
        }
        sum
    }
    "a stack that shrinks beyond nothing and grows again" stack_that_wraps -> i32 |i, x, f| {
        let mut stack = [0i32; 8];
        let mut top = (i % 4) as u32;
        if top == 0 { stack[0] = 9; }
        top = top.wrapping_sub(2).wrapping_add(4);
        top -= 1;
        let mut sum = stack[top as usize];
        while top > 0 { top -= 1; sum = sum.wrapping_mul(3) + stack[top as usize]; }
        sum
    }
    "ChaCha's block" chacha -> i32 |i, x, f| {
        const SIGMA: &[u8; 16] = b"expand 32-byte k";
        macro_rules! quarter { ($s:ident, $a:expr, $b:expr, $c:expr, $d:expr) => {
            $s[$a] = $s[$a].wrapping_add($s[$b]); $s[$d] = ($s[$d] ^ $s[$a]).rotate_left(16);
            $s[$c] = $s[$c].wrapping_add($s[$d]); $s[$b] = ($s[$b] ^ $s[$c]).rotate_left(12);
            $s[$a] = $s[$a].wrapping_add($s[$b]); $s[$d] = ($s[$d] ^ $s[$a]).rotate_left(8);
            $s[$c] = $s[$c].wrapping_add($s[$d]); $s[$b] = ($s[$b] ^ $s[$c]).rotate_left(7);
        }; }
        let mut start = [0u32; 16];
        for (word, bytes) in start.iter_mut().zip(SIGMA.chunks_exact(4)) { *word = u32::from_le_bytes(bytes.try_into().unwrap()); }
        let key: [u32; 8] = core::array::from_fn(|k| x[(i + k) % 50] as u32);
        start[4..12].copy_from_slice(&key);
        start[12] = i as u32;
        start[13..].copy_from_slice(&[1, 2, 3]);
        let mut s = start;
        for _ in 0..4 {
            quarter!(s, 0, 4, 8, 12); quarter!(s, 1, 5, 9, 13); quarter!(s, 2, 6, 10, 14); quarter!(s, 3, 7, 11, 15);
            quarter!(s, 0, 5, 10, 15); quarter!(s, 1, 6, 11, 12); quarter!(s, 2, 7, 8, 13); quarter!(s, 3, 4, 9, 14);
        }
        s.iter().zip(&start).fold(0u32, |h, (a, b)| h.rotate_left(3) ^ a.wrapping_add(*b)) as i32
    }
    "SHA-256's rounds" sha256 -> i32 |i, x, f| {
        const K: [u32; 16] = [0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174];
        const fn sigma(v: u32, [a, b, c]: [u32; 3]) -> u32 { v.rotate_right(a) ^ v.rotate_right(b) ^ v.rotate_right(c) }
        let mut bytes = [0u8; 64];
        for (b, v) in bytes.iter_mut().zip(&x[i..]) { *b = *v as u8; }
        let mut w = [0u32; 16];
        for (word, chunk) in w.iter_mut().zip(bytes.chunks_exact(4)) { *word = u32::from_be_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]); }
        let state = [0x6a09e667u32, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
        let [mut a, mut b, mut c, mut d, mut e, mut f1, mut g, mut h] = state;
        for (&k, &w) in K.iter().zip(&w) {
            let t1 = h.wrapping_add(sigma(e, [6, 11, 25])).wrapping_add((e & f1) ^ (!e & g)).wrapping_add(k).wrapping_add(w);
            let t2 = sigma(a, [2, 13, 22]).wrapping_add((a & b) ^ (a & c) ^ (b & c));
            (h, g, f1, e, d, c, b, a) = (g, f1, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
        }
        (a ^ b ^ c ^ d ^ e ^ f1 ^ g ^ h) as i32
    }
    "AES's round: a table made by `const fn`, `map` and `from_fn`" aes -> i32 |i, x, f| {
        const fn xtime(v: u8) -> u8 { (v << 1) ^ if v & 0x80 != 0 { 0x1b } else { 0 } }
        const fn gf_mul(mut a: u8, mut b: u8) -> u8 { let mut p = 0; while b != 0 { if b & 1 == 1 { p ^= a; } a = xtime(a); b >>= 1; } p }
        const fn make() -> [u8; 256] {
            let mut table = [0u8; 256];
            let mut k = 0;
            while k < 256 {
                let v = k as u8;
                let square = gf_mul(v, v);
                let b = gf_mul(square, gf_mul(square, square));
                table[k] = b ^ b.rotate_left(1) ^ b.rotate_left(4) ^ 0x63;
                k += 1;
            }
            table
        }
        const SBOX: [u8; 256] = make();
        type Block = [[u8; 4]; 4];
        fn shift_rows(s: Block) -> Block { core::array::from_fn(|c| core::array::from_fn(|r| s[(c + r) % 4][r])) }
        fn sub(column: [u8; 4]) -> [u8; 4] { column.map(|b| SBOX[b as usize]) }
        fn mix([a, b, c, d]: [u8; 4]) -> [u8; 4] { let all = a ^ b ^ c ^ d; [a ^ all ^ xtime(a ^ b), b ^ all ^ xtime(b ^ c), c ^ all ^ xtime(c ^ d), d ^ all ^ xtime(d ^ a)] }
        let mut state: Block = core::array::from_fn(|c| x[(i + c) % 50].to_le_bytes());
        let key: Block = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]];
        for _ in 0..2 {
            state = shift_rows(state.map(sub)).map(mix);
            for (s, k) in state.iter_mut().flatten().zip(key.iter().flatten()) { *s ^= *k; }
        }
        state.iter().fold(0u32, |h, column| h.rotate_left(5) ^ u32::from_le_bytes(*column)) as i32
    }
    "a parser of numbers by slice patterns" number_parser -> i32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq)]
        enum ParseError { Empty, BadDigit { at: usize, byte: u8 }, Overflow }
        fn digit(byte: u8) -> Option<u32> { match byte { b'0'..=b'9' => Some((byte - b'0') as u32), b'a'..=b'f' => Some((byte - b'a' + 10) as u32), _ => None } }
        fn parse(text: &[u8]) -> Result<i32, ParseError> {
            let (negative, rest) = match text { [] => return Err(ParseError::Empty), [b'-', rest @ ..] => (true, rest), [b'+', rest @ ..] => (false, rest), rest => (false, rest) };
            let (radix, digits) = match rest { [b'0', b'x' | b'X', hex @ ..] => (16, hex), [b'0', b'b', binary @ ..] => (2, binary), _ => (10, rest) };
            if digits.is_empty() { return Err(ParseError::Empty); }
            let mut value = 0i32;
            for (at, &byte) in digits.iter().enumerate() {
                let d = digit(byte).filter(|&d| d < radix).ok_or(ParseError::BadDigit { at, byte })?;
                value = value.checked_mul(radix as i32).and_then(|v| v.checked_add(d as i32)).ok_or(ParseError::Overflow)?;
            }
            Ok(if negative { -value } else { value })
        }
        let text = b"-170xff0b1012zz99999999999-0x1f+5";
        let part = &text[i % 20..(i % 20 + 2 + i % 9).min(text.len())];
        match parse(part) { Ok(v) => v, Err(ParseError::Empty) => 1_000_001, Err(ParseError::BadDigit { at, byte }) => 2_000_000 + at as i32 * 256 + byte as i32, Err(ParseError::Overflow) => 3_000_000 }
    }
    "fields of a line by `split` and `trim`" split_fields -> i32 |i, x, f| {
        fn trim(text: &[u8]) -> &[u8] {
            let start = text.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(text.len());
            let end = text.iter().rposition(|b| !b.is_ascii_whitespace()).map_or(start, |at| at + 1);
            &text[start..end]
        }
        fn field(line: &[u8], n: usize) -> Option<&[u8]> { line.split(|&b| b == b',').nth(n) }
        let cell = field(b" one,two ,, three four ,5", i % 7).unwrap_or(b"none");
        trim(cell).iter().fold(cell.len() as i32, |h, b| h.wrapping_mul(31) ^ *b as i32)
    }
    "UTF-8 by slice patterns with guards" utf8 -> i32 |i, x, f| {
        fn continuation(byte: u8) -> Option<u32> { matches!(byte, 0x80..=0xbf).then_some((byte & 0x3f) as u32) }
        fn decode(bytes: &[u8]) -> Option<(char, &[u8])> {
            let (code, rest) = match *bytes {
                [a @ 0..=0x7f, ref rest @ ..] => (a as u32, rest),
                [a, b, ref rest @ ..] if a & 0xe0 == 0xc0 => ((a as u32 & 0x1f) << 6 | continuation(b)?, rest),
                [a, b, c, ref rest @ ..] if a & 0xf0 == 0xe0 => ((a as u32 & 0xf) << 12 | continuation(b)? << 6 | continuation(c)?, rest),
                _ => return None,
            };
            char::from_u32(code).map(|c| (c, rest))
        }
        struct Chars<'a>(&'a [u8]);
        impl<'a> Iterator for Chars<'a> {
            type Item = char;
            fn next(&mut self) -> Option<Self::Item> {
                if self.0.is_empty() { return None; }
                let Some((c, rest)) = decode(self.0) else { self.0 = &self.0[1..]; return Some(char::REPLACEMENT_CHARACTER); };
                self.0 = rest;
                Some(c)
            }
        }
        let text = b"na\xc3\xafve \xe6\x97\xa5\xe6\x9c\xac \xff text 42";
        let line = &text[i % 12..];
        let upper: u32 = Chars(line).filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_uppercase()).filter_map(|c| c.to_digit(16)).sum();
        Chars(line).fold(upper, |h, c| h.wrapping_mul(31).wrapping_add(c as u32)) as i32
    }
    "a machine of bytecode: `TryFrom`, `?` and enums of enums" bytecode -> i32 |i, x, f| {
        #[derive(Clone, Copy)]
        enum Fault { Underflow, Overflow, Unknown(u8), DivideByZero { pc: usize }, Fuel }
        impl From<Fault> for i32 { fn from(fault: Fault) -> i32 { match fault { Fault::Underflow => 1, Fault::Overflow => 2, Fault::Unknown(op) => 0x100 | op as i32, Fault::DivideByZero { pc } => 0x200 + pc as i32, Fault::Fuel => 3 } } }
        #[derive(Clone, Copy)]
        enum Binary { Add, Sub, Mul, Div }
        #[derive(Clone, Copy)]
        enum Op { Push(i32), Binary(Binary), Dup, JumpIfZero(usize), Halt }
        impl TryFrom<[u8; 2]> for Op {
            type Error = Fault;
            fn try_from([code, argument]: [u8; 2]) -> Result<Self, Self::Error> {
                Ok(match code { 0 => Op::Halt, 1 => Op::Push(argument as i8 as i32), 2 => Op::Binary(Binary::Add), 3 => Op::Binary(Binary::Sub), 4 => Op::Binary(Binary::Mul), 5 => Op::Binary(Binary::Div), 6 => Op::Dup, 7 => Op::JumpIfZero(argument.into()), unknown => return Err(Fault::Unknown(unknown)) })
            }
        }
        type Outcome<T = ()> = Result<T, Fault>;
        struct Machine<const DEPTH: usize> { stack: [i32; DEPTH], top: usize, pc: usize }
        impl<const DEPTH: usize> Machine<DEPTH> {
            fn push(&mut self, v: i32) -> Outcome { *self.stack.get_mut(self.top).ok_or(Fault::Overflow)? = v; self.top += 1; Ok(()) }
            fn pop(&mut self) -> Outcome<i32> { if self.top == 0 { return Err(Fault::Underflow); } self.top -= 1; Ok(self.stack[self.top]) }
            fn binary(&mut self, op: Binary) -> Outcome {
                let (b, a) = (self.pop()?, self.pop()?);
                let pc = self.pc;
                let v = match op { Binary::Add => a.wrapping_add(b), Binary::Sub => a.wrapping_sub(b), Binary::Mul => a.wrapping_mul(b), Binary::Div => a.checked_div(b).ok_or(Fault::DivideByZero { pc })? };
                self.push(v)
            }
            fn run(&mut self, program: &[[u8; 2]], fuel: u32) -> Outcome<i32> {
                for _ in 0..fuel {
                    let code = program.get(self.pc).copied().unwrap_or([0, 0]);
                    self.pc += 1;
                    match Op::try_from(code)? {
                        Op::Push(v) => self.push(v)?,
                        Op::Binary(op) => self.binary(op)?,
                        Op::Dup => { let top = self.pop()?; self.push(top).and_then(|()| self.push(top))?; }
                        Op::JumpIfZero(to) if self.pop()? == 0 => self.pc = to,
                        Op::JumpIfZero(_) => {}
                        Op::Halt => return self.pop(),
                    }
                }
                Err(Fault::Fuel)
            }
        }
        let programs: [[[u8; 2]; 4]; 5] = [[[6, 0], [4, 0], [1, 3], [2, 0]], [[1, 0], [5, 0], [0, 0], [0, 0]], [[6, 0], [6, 0], [7, 0], [9, 0]], [[2, 0], [0, 0], [0, 0], [0, 0]], [[6, 0], [1, 0], [7, 0], [0, 0]]];
        let mut machine = Machine::<3> { stack: [0; 3], top: 0, pc: 0 };
        match machine.push(x[i]).and_then(|_| machine.run(&programs[i % 5], 20)) { Ok(v) => v * 10, Err(fault) => fault.into() }
    }
    "an image codec: runs, differences and an index of pixels" image_codec -> i32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq)]
        struct Pixel { r: u8, g: u8, b: u8 }
        enum Op { Rgb([u8; 3]), Index(usize), Diff(i8, i8, i8), Run(u8) }
        struct Reader<'a>(&'a [u8]);
        impl Reader<'_> {
            fn byte(&mut self) -> Option<u8> { let (&first, rest) = self.0.split_first()?; self.0 = rest; Some(first) }
            fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> { let mut out = [0; N]; for slot in &mut out { *slot = self.byte()?; } Some(out) }
            fn op(&mut self) -> Option<Op> {
                let tag = self.byte()?;
                let low = tag & 0x3f;
                Some(match tag { 0xfe => Op::Rgb(self.bytes()?), _ => match tag >> 6 { 0b00 => Op::Index(low as usize), 0b01 => { let part = |shift: u32| ((low >> shift) & 3) as i8 - 2; Op::Diff(part(4), part(2), part(0)) } _ => Op::Run(low + 1) } })
            }
        }
        let data = [0xfe, 10, 20, 30, 0xc2, 0x7f, 0x55, 0x37, 0xfe, 9, x[i] as u8, 1, 0x41];
        let mut reader = Reader(&data[(i % 3) * 4..]);
        let mut seen = [Pixel { r: 0, g: 0, b: 0 }; 64];
        let mut last = Pixel { r: 0, g: 0, b: 0 };
        let (mut at, mut hash) = (0, 0i32);
        'pixels: while at < 8 {
            let Some(op) = reader.op() else { break 'pixels };
            last = match op {
                Op::Run(n) => { for _ in 0..n { if at == 8 { break 'pixels; } hash = hash.wrapping_mul(31).wrapping_add(last.g as i32); at += 1; } continue 'pixels; }
                Op::Rgb([r, g, b]) => Pixel { r, g, b },
                Op::Index(k) => seen[k],
                Op::Diff(r, g, b) => Pixel { r: last.r.wrapping_add_signed(r), g: last.g.wrapping_add(g as u8), b: last.b.wrapping_add(b as u8) },
            };
            seen[(last.r as usize * 3 + last.g as usize * 5 + last.b as usize * 7) % 64] = last;
            hash = hash.wrapping_mul(31).wrapping_add(last.r as i32 + last.b as i32);
            at += 1;
        }
        hash.wrapping_mul(10).wrapping_add(at as i32)
    }
    "eight queens by a stack of frames" queens -> i32 |i, x, f| {
        #[derive(Clone, Copy, Default)]
        struct Frame { columns: u32, left: u32, right: u32, free: u32 }
        fn place(board: u32, frame: Frame, bit: u32) -> Frame { let (columns, left, right) = (frame.columns | bit, (frame.left | bit) << 1, (frame.right | bit) >> 1); Frame { columns, left, right, free: board & !(columns | left | right) } }
        let n = 4 + i as u32 % 3;
        let board = (1u32 << n) - 1;
        let mut stack = [Frame::default(); 8];
        let mut len = 1usize;
        stack[0] = place(board, Frame::default(), 1 << (i as u32 % n));
        let mut count = 0;
        while let Some(top) = len.checked_sub(1).map(|at| &mut stack[at]) {
            if top.columns == board { count += 1; len -= 1; continue; }
            if top.free == 0 { len -= 1; continue; }
            let bit = top.free & top.free.wrapping_neg();
            top.free ^= bit;
            stack[len] = place(board, *top, bit);
            len += 1;
        }
        count
    }
    "a sorting network over references and closures" sorting_network -> i32 |i, x, f| {
        const SORT4: &[(usize, usize)] = &[(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)];
        fn sort_by<T: Copy, const N: usize>(values: &mut [T; N], pairs: &[(usize, usize)], less: impl Fn(&T, &T) -> bool) { for &(a, b) in pairs { if less(&values[b], &values[a]) { values.swap(a, b); } } }
        fn insertion<T: Ord + Copy>(a: &mut [T]) { for i in 1..a.len() { let v = a[i]; let mut j = i; while j > 0 && a[j - 1] > v { a[j] = a[j - 1]; j -= 1; } a[j] = v; } }
        let mut group: [f32; 4] = core::array::from_fn(|k| f[(i + k) % 50]);
        sort_by(&mut group, SORT4, |a, b| a < b);
        let mut keys = [x[i], x[(i + 1) % 50], 7, -3];
        sort_by(&mut keys, SORT4, |a, b| b < a);
        let descending = keys.windows(2).all(|pair| pair[0] >= pair[1]);
        insertion(&mut keys[..]);
        (group[1] + group[2]) as i32 + keys.iter().fold(0, |s, k| s * 7 + k) + descending as i32
    }
    "Levenshtein's distance with two rows" levenshtein -> i32 |i, x, f| {
        let (a, b) = (&x[i..(i + 6).min(50)], &x[i / 2..i / 2 + 5]);
        let mut previous: [usize; 6] = core::array::from_fn(|k| k);
        let mut current = [0; 6];
        for (k, p) in a.iter().enumerate() {
            current[0] = k + 1;
            for (j, q) in b.iter().enumerate() { let cost = usize::from(p & 7 != q & 7); current[j + 1] = (previous[j] + cost).min(previous[j + 1] + 1).min(current[j] + 1); }
            core::mem::swap(&mut previous, &mut current);
        }
        previous[b.len()] as i32
    }
    "colours from and to other models" colours -> i32 |i, x, f| {
        #[derive(Clone, Copy)]
        struct Rgb { r: f32, g: f32, b: f32 }
        #[derive(Clone, Copy)]
        struct Hsv { h: f32, s: f32, v: f32 }
        impl From<u32> for Rgb { fn from(packed: u32) -> Self { let [_, r, g, b] = packed.to_be_bytes().map(|c| f32::from(c) / 255.0); Rgb { r, g, b } } }
        impl From<Rgb> for u32 { fn from(Rgb { r, g, b }: Rgb) -> u32 { let byte = |c: f32| (c.clamp(0.0, 1.0) * 255.0).round() as u8; u32::from_be_bytes([0xff, byte(r), byte(g), byte(b)]) } }
        impl From<Rgb> for Hsv {
            fn from(Rgb { r, g, b }: Rgb) -> Self {
                let (max, min) = (r.max(g).max(b), r.min(g).min(b));
                let d = max - min;
                let h = if d == 0.0 { 0.0 } else if max == r { 60.0 * ((g - b) / d).rem_euclid(6.0) } else if max == g { 60.0 * ((b - r) / d + 2.0) } else { 60.0 * ((r - g) / d + 4.0) };
                Hsv { h, s: if max > 0.0 { d / max } else { 0.0 }, v: max }
            }
        }
        impl From<Hsv> for Rgb {
            fn from(hsv: Hsv) -> Self {
                let Hsv { h, s, v } = hsv;
                let c = v * s;
                let y = c * (1.0 - ((h / 60.0) % 2.0 - 1.0).abs());
                let (r, g, b) = match (h / 60.0) as u32 { 0 => (c, y, 0.0), 1 => (y, c, 0.0), 2 => (0.0, c, y), 3 => (0.0, y, c), 4 => (y, 0.0, c), _ => (c, 0.0, y) };
                Self { r: r + v - c, g: g + v - c, b: b + v - c }
            }
        }
        enum Effect { Hue(f32), Grey, Invert }
        let effects: &[Effect] = match i % 3 { 0 => &[Effect::Hue(90.0), Effect::Invert], 1 => &[Effect::Grey], _ => &[] };
        let colour = effects.iter().fold(Rgb::from((x[i] as u32).wrapping_mul(0x0101_5793)), |c, effect| match *effect {
            Effect::Hue(by) => { let hsv = Hsv::from(c); Hsv { h: (hsv.h + by) % 360.0, ..hsv }.into() }
            Effect::Grey => { let y = 0.25 * c.r + 0.5 * c.g + 0.25 * c.b; Rgb { r: y, g: y, b: y } }
            Effect::Invert => Rgb { r: 1.0 - c.r, g: 1.0 - c.g, b: 1.0 - c.b },
        });
        u32::from(colour) as i32
    }
    "rays against an array of shapes" ray_tracer -> f32 |i, x, f| {
        use core::ops::{Add, Mul, Neg, Sub};
        #[derive(Clone, Copy, PartialEq)]
        struct V(f32, f32, f32);
        impl Add for V { type Output = V; fn add(self, o: V) -> V { V(self.0 + o.0, self.1 + o.1, self.2 + o.2) } }
        impl Neg for V { type Output = V; fn neg(self) -> V { V(-self.0, -self.1, -self.2) } }
        impl Sub for V { type Output = V; fn sub(self, o: V) -> V { self + -o } }
        impl Mul<f32> for V { type Output = V; fn mul(self, k: f32) -> V { V(self.0 * k, self.1 * k, self.2 * k) } }
        impl V { fn dot(self, o: V) -> f32 { self.0 * o.0 + self.1 * o.1 + self.2 * o.2 } fn unit(self) -> V { self * (1.0 / self.dot(self).sqrt()) } }
        #[derive(Clone, Copy)]
        struct Ray { origin: V, direction: V }
        #[derive(Clone, Copy)]
        enum Material { Matte(f32), Mirror { loss: f32 } }
        #[derive(Clone, Copy)]
        enum Shape { Sphere { centre: V, radius: f32 }, Plane { normal: V, offset: f32 } }
        struct Hit { t: f32, normal: V, material: Material }
        struct Object { shape: Shape, material: Material }
        impl Object {
            fn hit(&self, ray: &Ray) -> Option<Hit> {
                let (t, normal) = match self.shape {
                    Shape::Sphere { centre, radius } => {
                        let oc = ray.origin - centre;
                        let (b, c) = (oc.dot(ray.direction), oc.dot(oc) - radius * radius);
                        let d = b * b - c;
                        if d < 0.0 { return None; }
                        let root = d.sqrt();
                        let t = [-b - root, -b + root].into_iter().find(|&t| t > 1e-3)?;
                        (t, (ray.origin + ray.direction * t - centre).unit())
                    }
                    Shape::Plane { normal, offset } => { let slope = ray.direction.dot(normal); if slope.abs() < 1e-6 { return None; } ((offset - ray.origin.dot(normal)) / slope, if slope < 0.0 { normal } else { -normal }) }
                };
                (t > 1e-3).then_some(Hit { t, normal, material: self.material })
            }
        }
        fn nearest(scene: &[Object], ray: &Ray) -> Option<Hit> { scene.iter().filter_map(|o| o.hit(ray)).min_by(|a, b| a.t.partial_cmp(&b.t).unwrap()) }
        let scene = [Object { shape: Shape::Sphere { centre: V(0.0, 0.0, -3.0), radius: 1.0 }, material: Material::Mirror { loss: 0.1 } }, Object { shape: Shape::Plane { normal: V(0.0, 1.0, 0.0), offset: -1.0 }, material: Material::Matte(0.5) }];
        let mut ray = Ray { origin: V(0.0, 0.0, 0.0), direction: V(f[i] * 0.1, x[i] as f32 * 0.02, -1.0).unit() };
        let mut weight = 1.0;
        for _ in 0..3 {
            let Some(Hit { t, normal, material }) = nearest(&scene, &ray) else { weight *= 0.5 + 0.5 * ray.direction.1.max(0.0); break };
            match material {
                Material::Matte(albedo) => { weight *= albedo * t; break; }
                Material::Mirror { loss } => { weight *= 1.0 - loss; ray = Ray { origin: ray.origin + ray.direction * t, direction: ray.direction - normal * (2.0 * ray.direction.dot(normal)) }; }
            }
        }
        weight
    }
    "Base64 by chunks, and decoded by a table" base64 -> i32 |i, x, f| {
        const ALPHABET: [u8; 64] = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const DECODE: [u8; 256] = { let mut table = [0xff; 256]; let mut k = 0; while k < ALPHABET.len() { table[ALPHABET[k] as usize] = k as u8; k += 1; } table };
        fn encode(chunk: &[u8]) -> [u8; 4] {
            let symbol = |bits: u32| ALPHABET[(bits & 63) as usize];
            match *chunk {
                [a, b, c] => { let n = u32::from_be_bytes([0, a, b, c]); [symbol(n >> 18), symbol(n >> 12), symbol(n >> 6), symbol(n)] }
                [a, b] => { let n = (a as u32) << 16 | (b as u32) << 8; [symbol(n >> 18), symbol(n >> 12), symbol(n >> 6), b'='] }
                [a] => { let n = u32::from(a) << 16; [symbol(n >> 18), symbol(n >> 12), b'=', b'='] }
                _ => unreachable!("chunks of 1 to 3 bytes"),
            }
        }
        fn decode(symbols: [u8; 4]) -> Result<([u8; 3], usize), u8> {
            let padding = symbols.iter().rev().take_while(|&&s| s == b'=').count();
            let mut n = 0u32;
            for symbol in symbols.iter().take(4 - padding) { n = n << 6 | match DECODE[*symbol as usize] { 0xff => return Err(*symbol), v => v as u32 }; }
            n <<= 6 * padding;
            let [_, bytes @ ..] = n.to_be_bytes();
            Ok((bytes, 3 - padding))
        }
        let text: [u8; 11] = core::array::from_fn(|k| x[(i + k) % 50] as u8);
        let mut total = 0;
        for chunk in text.chunks(3) {
            let symbols = encode(chunk);
            total = symbols.iter().fold(total, |s: i32, b| s.wrapping_mul(31).wrapping_add(*b as i32));
            if let Ok((bytes, len)) = decode(symbols) && bytes[..len] == *chunk { total += 1; }
        }
        total
    }
    "the game of life on a torus" life -> i32 |i, x, f| {
        #[derive(Clone, Copy, PartialEq)]
        enum Cell { Dead, Alive }
        use Cell::{Alive, Dead};
        const NEIGHBOURS: [(i32, i32); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];
        struct Torus<'a> { width: usize, height: usize, cells: &'a [i32] }
        impl Torus<'_> {
            fn at(&self, x: i32, y: i32) -> Cell { let (x, y) = (x.rem_euclid(self.width as i32) as usize, y.rem_euclid(self.height as i32) as usize); if self.cells[y * self.width + x] > 0 { Alive } else { Dead } }
            fn around(&self, x: i32, y: i32) -> usize { NEIGHBOURS.iter().map(|(dx, dy)| self.at(x + dx, y + dy)).filter(|&cell| cell == Alive).count() }
            fn next(&self, x: i32, y: i32) -> Cell { match (self.at(x, y), self.around(x, y)) { (Alive, 2 | 3) => Alive, (Alive, _) => Dead, (Dead, 3) => Alive, (cell, _) => cell } }
        }
        let torus = Torus { width: 10, height: 5, cells: x };
        torus.next(i as i32 % 10, i as i32 / 10) as i32 * 100 + torus.around(i as i32 % 10, i as i32 / 10) as i32
    }
    "random numbers by a trait with default and generic methods" random_numbers -> f32 |i, x, f| {
        trait Rng {
            fn seeded(seed: u64) -> Self where Self: Sized;
            fn next_u32(&mut self) -> u32;
            fn next_f32(&mut self) -> f32 { (self.next_u32() >> 8) as f32 * (1.0 / (1 << 24) as f32) }
            fn below(&mut self, n: u32) -> u32 { ((self.next_u32() as u64 * n as u64) >> 32) as u32 }
            fn normal(&mut self) -> f32 { loop { let (x, y) = (2.0 * self.next_f32() - 1.0, 2.0 * self.next_f32() - 1.0); let s = x * x + y * y; if s > 0.0 && s < 1.0 { break x * s; } } }
            fn shuffle<T: Copy, const N: usize>(&mut self, values: &mut [T; N]) { for i in (1..N).rev() { let j = self.below(i as u32 + 1) as usize; values.swap(i, j); } }
        }
        struct Pcg { state: u64, increment: u64 }
        impl Rng for Pcg {
            fn seeded(seed: u64) -> Self { let mut rng = Self { state: 0, increment: (seed << 1) | 1 }; rng.next_u32(); rng.state = rng.state.wrapping_add(seed); rng }
            fn next_u32(&mut self) -> u32 { let old = self.state; self.state = old.wrapping_mul(6364136223846793005).wrapping_add(self.increment); let mixed = (((old >> 18) ^ old) >> 27) as u32; mixed.rotate_right((old >> 59) as u32) }
        }
        struct Xorshift([u32; 4]);
        impl Rng for Xorshift {
            fn seeded(seed: u64) -> Self { let mut z = seed; let mut mix = || { z = z.wrapping_add(0x9e3779b97f4a7c15); let v = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9); (v >> 32) as u32 }; Self([mix(), mix(), mix(), mix()]) }
            fn next_u32(&mut self) -> u32 { let [a, b, c, d] = &mut self.0; let out = a.wrapping_add(*d); let t = *b << 9; *c ^= *a; *d ^= *b; *b ^= *c; *a ^= *d; *c ^= t; *d = d.rotate_left(11); out }
        }
        fn inside(rng: &mut impl Rng, n: u32) -> usize { (0..n).filter(|_| { let (x, y) = (rng.next_f32(), rng.next_f32()); x * x + y * y <= 1.0 }).count() }
        fn run<R: Rng>(seed: u64) -> f32 { let mut rng = R::seeded(seed); let mut deck = [0, 1, 2, 3, 4]; rng.shuffle(&mut deck); inside(&mut rng, 6) as f32 + rng.normal() + deck[0] as f32 * 8.0 }
        run::<Pcg>(x[i] as u64) + run::<Xorshift>(i as u64)
    }
}
