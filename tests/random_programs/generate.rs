//! Generates random programs as text.

use std::fmt::Write;

/// Number of kernels.
pub const KERNELS: usize = 200;
/// Number of programs in each of them.
pub const PROGRAMS_PER_KERNEL: usize = 51;

/// Largest depth of expressions.
const DEPTH: u32 = 4;

/// A pseudorandom sequence (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Scalar {
    name: &'static str,
    bits: u32,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
}

const fn scalar(name: &'static str, bits: u32, kind: Kind) -> Scalar {
    Scalar { name, bits, kind }
}

const BOOL: Scalar = scalar("bool", 1, Kind::Bool);
const U32: Scalar = scalar("u32", 32, Kind::Unsigned);
const INTS: [Scalar; 10] = [
    scalar("i8", 8, Kind::Signed),
    scalar("i16", 16, Kind::Signed),
    scalar("i32", 32, Kind::Signed),
    scalar("i64", 64, Kind::Signed),
    scalar("isize", 64, Kind::Signed),
    scalar("u8", 8, Kind::Unsigned),
    scalar("u16", 16, Kind::Unsigned),
    U32,
    scalar("u64", 64, Kind::Unsigned),
    scalar("usize", 64, Kind::Unsigned),
];
const FLOATS: [Scalar; 2] = [scalar("f32", 32, Kind::Float), scalar("f64", 64, Kind::Float)];

impl Scalar {
    /// The unsigned integer of the same width, as `abs_diff` and `to_bits` have it.
    fn unsigned(self) -> Scalar {
        match self.name {
            "isize" => INTS[9],
            _ => INTS.into_iter().find(|s| s.kind == Kind::Unsigned && s.bits == self.bits).unwrap_or(self),
        }
    }
}

/// The text of the file: modules `k0`, `k1`, … each with a kernel and its programs' texts, and a table of them.
pub fn file(seed: u64, kernels: usize, programs: usize) -> String {
    let mut random = Random(seed);
    let mut text = String::new();
    for kernel in 0..kernels {
        module(&mut text, &mut random, kernel, programs);
    }
    let inputs: String = INTS.into_iter().chain(FLOATS).map(|ty| format!("&inputs.{}s, ", ty.name)).collect();
    text.push_str("/// Every kernel.\npub const KERNELS: &[crate::Programs] = &[\n");
    for kernel in 0..kernels {
        let args = format!("({inputs}&mut out.ints, &mut out.f32s, &mut out.f64s)");
        writeln!(
            text,
            "crate::Programs {{ name: \"k{kernel}\", kernel: &k{kernel}::run::KERNEL, sources: k{kernel}::SOURCES, \
             cpu: |inputs, out| k{kernel}::run::cpu{args}, device: |inputs, out| k{kernel}::run{args} }},"
        )
        .unwrap();
    }
    text.push_str("];\n");
    text
}

/// One kernel. Its outputs are by class of result: integers and `bool` as `u64`, `f32`, `f64`.
fn module(text: &mut String, random: &mut Random, kernel: usize, programs: usize) {
    let mut body = String::new();
    for ty in INTS.into_iter().chain(FLOATS) {
        let name = ty.name;
        writeln!(body, "let {name}_0 = {name}s[2 * row]; let {name}_1 = {name}s[2 * row + 1];").unwrap();
    }
    body.push_str("let bool_0 = u8_0 > 100; let bool_1 = f32_0 < f32_1;\n");
    let mut sources = String::new();
    for class in 0..3 {
        for slot in 0..programs / 3 {
            let mut generator = Generator { random, locals: Vec::new(), next_local: 0 };
            let (out, source) = match class {
                0 => {
                    let all: Vec<Scalar> = INTS.into_iter().chain([BOOL]).collect();
                    let ty = generator.random.pick(&all);
                    ("ints", format!("({}) as u64", generator.expr(ty, DEPTH)))
                }
                1 => ("f32s_out", generator.expr(FLOATS[0], DEPTH)),
                _ => ("f64s_out", generator.expr(FLOATS[1], DEPTH)),
            };
            writeln!(body, "{out}[row * {} + {slot}] = {source};", programs / 3).unwrap();
            writeln!(sources, "{source:?},").unwrap();
        }
    }
    let contract = if kernel % 8 == 7 { "(fp_contract(off))" } else { "" };
    let params: String =
        INTS.into_iter().chain(FLOATS).map(|ty| format!("{0}s: &[{0}], ", ty.name)).collect();
    writeln!(
        text,
        "pub mod k{kernel} {{\n\
         use kernel_runtime::prelude::*;\n\
         pub const SOURCES: &[&str] = &[\n{sources}];\n\
         #[kernel{contract}]\n\
         pub fn run({params}ints: &mut [u64], f32s_out: &mut [f32], f64s_out: &mut [f64]) {{\n\
         let row = global_idx().x;\n{body}}}\n}}"
    )
    .unwrap();
}

/// Generates one program.
struct Generator<'r> {
    random: &'r mut Random,
    /// Variables that are bound where the generator is.
    locals: Vec<(String, Scalar)>,
    next_local: u32,
}

impl Generator<'_> {
    /// An expression of this type, in parentheses unless it is a leaf.
    fn expr(&mut self, ty: Scalar, depth: u32) -> String {
        if depth == 0 || self.random.below(8) == 0 {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        match self.random.below(16) {
            0 => {
                let cond = self.expr(BOOL, depth);
                format!("(if {cond} {{ {} }} else {{ {} }})", self.expr(ty, depth), self.expr(ty, depth))
            }
            1 => self.let_block(ty, depth),
            2 if depth > 1 => self.loop_block(ty, depth),
            _ => match ty.kind {
                Kind::Bool => self.bool(depth),
                Kind::Signed | Kind::Unsigned => self.int(ty, depth),
                Kind::Float => self.float(ty, depth),
            },
        }
    }

    /// A variable or a constant.
    fn leaf(&mut self, ty: Scalar) -> String {
        let locals: Vec<&String> =
            self.locals.iter().filter(|(_, other)| *other == ty).map(|(name, _)| name).collect();
        if !locals.is_empty() && self.random.below(2) == 0 {
            return locals[self.random.below(locals.len())].clone();
        }
        let name = ty.name;
        match self.random.below(10) {
            0 => self.literal(ty),
            1 if ty.kind != Kind::Bool => {
                let float = ["MAX", "MIN", "INFINITY", "NEG_INFINITY", "EPSILON", "MIN_POSITIVE"];
                let int = ["MAX", "MIN"];
                let constant =
                    if ty.kind == Kind::Float { self.random.pick(&float) } else { self.random.pick(&int) };
                format!("{name}::{constant}")
            }
            _ => format!("{name}_{}", self.random.below(2)),
        }
    }

    fn literal(&mut self, ty: Scalar) -> String {
        let name = ty.name;
        match ty.kind {
            Kind::Bool => self.random.pick(&["true", "false"]).to_owned(),
            Kind::Signed => format!("({}{name})", self.random.below(256) as i64 - 128),
            Kind::Unsigned => format!("{}{name}", self.random.below(256)),
            Kind::Float => {
                let value =
                    self.random.pick(&["0.0", "1.0", "2.0", "0.1", "3.0e7", "1.5e-9", "1e30", "123.456"]);
                format!("{value}{name}")
            }
        }
    }

    /// `{ let v = …; … }`
    fn let_block(&mut self, ty: Scalar, depth: u32) -> String {
        let other = self.any_type();
        let name = self.fresh();
        let value = self.expr(other, depth);
        let is_mutable = self.random.below(3) == 0 && other.kind == Kind::Float;
        let update =
            if is_mutable { format!(" {name} += {};", self.expr(other, depth)) } else { String::new() };
        self.locals.push((name.clone(), other));
        let rest = self.expr(ty, depth);
        self.locals.pop();
        let mutable = if is_mutable { "mut " } else { "" };
        format!("{{ let {mutable}{name}: {} = {value};{update} {rest} }}", other.name)
    }

    /// `{ let mut v = …; for … { v = … } v }`
    fn loop_block(&mut self, ty: Scalar, depth: u32) -> String {
        let (name, counter) = (self.fresh(), self.fresh());
        let start = self.expr(ty, depth - 1);
        let count_type = self.random.pick(&INTS);
        self.locals.push((name.clone(), ty));
        self.locals.push((counter.clone(), count_type));
        let next = self.expr(ty, depth - 1);
        self.locals.truncate(self.locals.len() - 2);
        let ranges = ["0..3", "1..=4", "(0..5).rev()", "(2..9).step_by(3)", "(0..=6).step_by(2).rev()"];
        // `rev` after `step_by` needs an exact length, which Rust gives to ranges of narrow types only.
        let range =
            if count_type.bits <= 16 { self.random.pick(&ranges) } else { self.random.pick(&ranges[..4]) };
        let range = range.replacen("..", &format!("{}..", count_type.name), 1);
        format!(
            "{{ let mut {name}: {} = {start}; for {counter} in {range} {{ {name} = {next}; }} {name} }}",
            ty.name
        )
    }

    fn fresh(&mut self) -> String {
        self.next_local += 1;
        format!("v{}", self.next_local)
    }

    fn any_type(&mut self) -> Scalar {
        let all: Vec<Scalar> = INTS.into_iter().chain(FLOATS).chain(FLOATS).chain([BOOL]).collect();
        self.random.pick(&all)
    }

    fn bool(&mut self, depth: u32) -> String {
        match self.random.below(8) {
            0 => {
                let op = self.random.pick(&["&&", "||", "&", "|", "^", "==", "!=", "<", ">="]);
                format!("({} {op} {})", self.expr(BOOL, depth), self.expr(BOOL, depth))
            }
            1 => format!("(!{})", self.expr(BOOL, depth)),
            2 => {
                let ty = self.random.pick(&FLOATS);
                let method = self.random.pick(&["is_nan", "is_infinite", "is_finite"]);
                format!("{}.{method}()", self.expr(ty, depth))
            }
            3 => {
                let ty = INTS[5 + self.random.below(5)];
                format!("{}.is_power_of_two()", self.expr(ty, depth))
            }
            _ => {
                let ty = self.any_type();
                let op = self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
            }
        }
    }

    fn int(&mut self, ty: Scalar, depth: u32) -> String {
        let name = ty.name;
        match self.random.below(20) {
            0..=6 => {
                let op = self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            7 | 8 => {
                let op = self.random.pick(&["/", "%"]);
                format!("({} {op} (({} | 1) & {name}::MAX))", self.expr(ty, depth), self.expr(ty, depth))
            }
            9 | 10 => {
                let amount = self.random.pick(&INTS);
                let op = self.random.pick(&["<<", ">>"]);
                // A literal beyond the width is a mistake.
                format!("({} {op} ({} | 0))", self.expr(ty, depth), self.expr(amount, depth))
            }
            11 => {
                let op = if ty.kind == Kind::Signed { self.random.pick(&["!", "-"]) } else { "!" };
                format!("({op}{})", self.expr(ty, depth))
            }
            12..=14 => {
                let from = self.any_type();
                format!("({} as {name})", self.expr(from, depth))
            }
            15 => self.counted(ty, depth),
            16 => self.made_unsigned(ty, depth),
            17 => {
                let method =
                    self.random.pick(&["wrapping_shl", "wrapping_shr", "rotate_left", "rotate_right"]);
                format!("{}.{method}({})", self.expr(ty, depth), self.expr(U32, depth))
            }
            18 => {
                let signed = ["wrapping_neg", "reverse_bits", "swap_bytes", "abs", "signum"];
                let methods = if ty.kind == Kind::Signed { &signed[..] } else { &signed[..3] };
                format!("{}.{}()", self.expr(ty, depth), self.random.pick(methods))
            }
            _ => {
                let method = self.random.pick(&[
                    "min",
                    "max",
                    "wrapping_add",
                    "wrapping_sub",
                    "wrapping_mul",
                    "clamp",
                ]);
                let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                match method {
                    "clamp" => format!("{a}.clamp({b}, {})", self.expr(ty, depth)),
                    _ => format!("{a}.{method}({b})"),
                }
            }
        }
    }

    /// A method whose result is a `u32`, as this type.
    fn counted(&mut self, ty: Scalar, depth: u32) -> String {
        let from = self.random.pick(&INTS);
        let method = self.random.pick(&["count_ones", "count_zeros", "leading_zeros", "trailing_zeros"]);
        format!("({}.{method}() as {})", self.expr(from, depth), ty.name)
    }

    /// A method whose result is unsigned, as this type. The bits of a NaN are the machine's affair: `to_bits` gets none.
    fn made_unsigned(&mut self, ty: Scalar, depth: u32) -> String {
        let from = self.random.pick(&INTS);
        let a = self.expr(from, depth);
        match self.random.below(3) {
            0 => format!("({a}.abs_diff({}) as {})", self.expr(from, depth), ty.name),
            1 if from.kind == Kind::Signed => format!("({a}.unsigned_abs() as {})", ty.name),
            _ => {
                let float = self.random.pick(&FLOATS);
                format!("(({a} as {}).to_bits() as {})", float.name, ty.name)
            }
        }
    }

    fn float(&mut self, ty: Scalar, depth: u32) -> String {
        let name = ty.name;
        match self.random.below(20) {
            0..=4 => {
                let op = self.random.pick(&["+", "-", "*", "/"]);
                format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            // Multiply-adds, which contraction fuses.
            5..=7 => {
                let (a, b, c) = (self.expr(ty, depth), self.expr(ty, depth), self.expr(ty, depth));
                let op = self.random.pick(&["+", "-"]);
                if self.random.below(2) == 0 {
                    format!("({a} * {b} {op} {c})")
                } else {
                    format!("({c} {op} {a} * {b})")
                }
            }
            8 => format!("(-{})", self.expr(ty, depth)),
            9..=11 => {
                let from = self.any_type();
                match from.kind {
                    Kind::Bool => self.leaf(ty),
                    Kind::Signed | Kind::Unsigned | Kind::Float => {
                        format!("({} as {name})", self.expr(from, depth))
                    }
                }
            }
            12 => {
                let bits = self.expr(ty.unsigned(), depth);
                format!("{name}::from_bits({bits})")
            }
            // The sign of a NaN is the machine's affair: `copysign` takes none.
            13 => {
                let sign = self.random.pick(&INTS);
                format!("{}.copysign({} as {name})", self.expr(ty, depth), self.expr(sign, depth))
            }
            14 => format!(
                "{}.mul_add({}, {})",
                self.expr(ty, depth),
                self.expr(ty, depth),
                self.expr(ty, depth)
            ),
            15 => {
                format!("{}.clamp({}, {})", self.expr(ty, depth), self.expr(ty, depth), self.expr(ty, depth))
            }
            16 => format!(
                "{}.{}({})",
                self.expr(ty, depth),
                self.random.pick(&["min", "max"]),
                self.expr(ty, depth)
            ),
            _ => {
                let method =
                    self.random.pick(&["sqrt", "abs", "floor", "ceil", "trunc", "round_ties_even", "recip"]);
                format!("{}.{method}()", self.expr(ty, depth))
            }
        }
    }
}
