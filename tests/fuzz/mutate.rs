//! Mistakes: of bytes, of tokens, of lines, of nesting and of numbers.

/// Numbers that look random, the same ones for the same seed (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Less than `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// Tokens of the language, tokens that are none, and numbers larger than any that is meant.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    ";",
    ":",
    "@",
    "!",
    "|",
    "+",
    "-",
    "~",
    "?",
    "=",
    "_",
    "%",
    "$",
    ".",
    "::",
    "//",
    "/*",
    "*/",
    "\"",
    "\\",
    "\n",
    "é",
    "\0",
    "0",
    "0x",
    "0f",
    "0d",
    "1.5e",
    "-1",
    ".reg",
    ".f32",
    ".f64",
    ".b128",
    ".pred",
    ".v4",
    ".param",
    ".loc",
    ".section",
    ".shared",
    ".local",
    ".global",
    ".const",
    ".align",
    "add",
    "call",
    "brx.idx",
    "bar.sync",
    "generic",
    "WARP_SZ",
    "%r1",
    "%rd1",
    "%p1",
    "%f1",
    "%tid.x",
    "%clock64",
    "x",
    "0xFF(",
    "[%rd1+-8]",
    "{%r1, %r2}",
];

/// Numbers at the edges of what holds them.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "3",
    "7",
    "31",
    "32",
    "33",
    "63",
    "64",
    "65",
    "127",
    "255",
    "256",
    "1023",
    "1025",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999999999",
    "0xFFFFFFFFFFFFFFFF",
    "1e999",
    "1.0",
    "0f7FC00000",
    "0d7FF0000000000000",
    "(1 << 62) * 4 - 1",
    "-9223372036854775808 / -1",
    "1 << 64",
];

/// Changes the text once to a few times.
pub fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..[1, 1, 1, 2, 3, 8][random.below(6)] {
        let change = CHANGES[random.below(CHANGES.len())];
        text = change(&text, other, random);
    }
    text
}

type Change = fn(&str, &str, &mut Random) -> String;

const CHANGES: &[Change] = &[
    flip_bytes,
    |text, _, random| with_tokens(text, random, |tokens, at, _| _ = tokens.remove(at)),
    |text, _, random| with_tokens(text, random, |tokens, at, _| tokens.insert(at, tokens[at])),
    swap_tokens,
    swap_tokens,
    replace_by_alike,
    replace_by_alike,
    replace_by_alike,
    |text, other, random| {
        let tokens = tokens(other);
        let from = random.below(tokens.len());
        let run = &tokens[from..tokens.len().min(from + 1 + random.below(8))];
        let run = run.concat();
        with_tokens(text, random, |tokens, at, _| tokens.insert(at, &run))
    },
    |text, _, random| {
        let at = boundary(text, random.below(text.len() + 1));
        text[..at].to_owned()
    },
    nest,
    number,
    number,
    |text, _, random| {
        with_tokens(text, random, |tokens, at, random| tokens.insert(at, PIECES[random.below(PIECES.len())]))
    },
    |text, _, random| with_lines(text, random, |lines, at, _| _ = lines.remove(at)),
    |text, _, random| with_lines(text, random, |lines, at, _| lines.insert(at, lines[at])),
    |text, _, random| {
        with_lines(text, random, |lines, at, random| {
            let with = random.below(lines.len());
            lines.swap(at, with);
        })
    },
    |text, other, random| {
        let from: Vec<&str> = other.split_inclusive('\n').collect();
        let line = from[random.below(from.len())];
        with_lines(text, random, |lines, at, _| lines.insert(at, line))
    },
];

/// The next place at which a character begins.
fn boundary(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

fn flip_bytes(text: &str, _: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if bytes.is_empty() {
        return String::new();
    }
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len());
        bytes[at] = if random.one_in(3) { random.next() as u8 } else { bytes[at] ^ 1 << random.below(7) };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Words with their dots, numbers, blanks, single characters: all of the text, in order.
fn tokens(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let (mut tokens, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let more = &rest[first.len_utf8()..];
        let length = match first {
            '.' => more.find(|c| !is_word(c)).unwrap_or(more.len()) + 1,
            first if is_word(first) => more.find(|c| !is_word(c)).unwrap_or(more.len()) + 1,
            first => first.len_utf8(),
        };
        let (token, left) = rest.split_at(length);
        tokens.push(token);
        rest = left;
    }
    tokens
}

fn with_tokens<'a>(
    text: &'a str,
    random: &mut Random,
    change: impl FnOnce(&mut Vec<&'a str>, usize, &mut Random),
) -> String {
    with_parts(tokens(text), random, change)
}

fn with_lines<'a>(
    text: &'a str,
    random: &mut Random,
    change: impl FnOnce(&mut Vec<&'a str>, usize, &mut Random),
) -> String {
    with_parts(text.split_inclusive('\n').collect(), random, change)
}

fn with_parts<'a>(
    mut parts: Vec<&'a str>,
    random: &mut Random,
    change: impl FnOnce(&mut Vec<&'a str>, usize, &mut Random),
) -> String {
    if !parts.is_empty() {
        let at = random.below(parts.len());
        change(&mut parts, at, random);
    }
    parts.concat()
}

fn swap_tokens(text: &str, _: &str, random: &mut Random) -> String {
    with_tokens(text, random, |tokens, at, random| {
        let near = (at + 1 + random.below(6)).min(tokens.len() - 1);
        let with = if random.one_in(4) { random.below(tokens.len()) } else { near };
        tokens.swap(at, with);
    })
}

/// A register by another register, a modifier by another modifier, a number by another number, of the text or another one: what
/// this makes often parses.
fn replace_by_alike(text: &str, other: &str, random: &mut Random) -> String {
    let more = if random.one_in(2) { tokens(other) } else { Vec::new() };
    let kind = |token: &str| match token.chars().next() {
        Some('0'..='9') => 1,
        Some('%') => 2,
        Some('.') => 3,
        Some('a'..='z') => 4,
        Some('$' | '_') => 5,
        Some(' ' | '\t' | '\n') => 6,
        _ => 0,
    };
    with_tokens(text, random, |tokens, at, random| {
        let wanted = (at..tokens.len()).find(|&at| (1..=5).contains(&kind(tokens[at]))).unwrap_or(at);
        let source = if more.is_empty() { tokens.clone() } else { more };
        let from = random.below(source.len());
        let alike =
            source[from..].iter().chain(&source[..from]).find(|token| kind(token) == kind(tokens[wanted]));
        tokens[wanted] = alike.copied().unwrap_or(tokens[wanted]);
    })
}

/// Opens something many times, and at times closes it as often.
fn nest(text: &str, _: &str, random: &mut Random) -> String {
    let (open, close) = [
        ("{", "}"),
        ("(", ")"),
        ("[", "]"),
        ("-", ""),
        ("!", ""),
        ("0xFF(", ")"),
        ("1 ? ", " : 2"),
        ("//", "\n"),
        ("/*", "*/"),
    ][random.below(9)];
    let times = [3, 60, 66, 1000, 100_000][random.below(5)];
    let at = boundary(text, random.below(text.len() + 1));
    let close = if random.one_in(2) { close.repeat(times) } else { String::new() };
    format!("{}{}1{close}{}", &text[..at], open.repeat(times), &text[at..])
}

/// Another number, where there is a number.
fn number(text: &str, _: &str, random: &mut Random) -> String {
    with_tokens(text, random, |tokens, at, random| {
        let is_number = |token: &&str| token.starts_with(|c: char| c.is_ascii_digit());
        let place = tokens[at..].iter().position(is_number).map_or(at, |ahead| at + ahead);
        tokens[place] = NUMBERS[random.below(NUMBERS.len())];
    })
}
