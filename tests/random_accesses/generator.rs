//! Generates kernels that access memory at indices of every origin, as text: data of all integer types, rotated, shifted and cast,
//! what searches and shuffles give, parts of slices, matrices and volumes with strides, shared memory and local arrays.
//!
//! Generation is directed by types, so every kernel compiles. Indices may be anything, so kernels panic where the lengths of a launch
//! are too small. They end: loops go by steps of at least one to ends that are lengths or masked numbers. Threads write only elements of
//! their own, `EACH * i` to `EACH * i + EACH - 1`, so that nothing races.

use std::fmt::Write;

use super::generator::Random;

/// The text of a file with kernels `k0`, `k1`, … and a table of them.
pub fn file(seed: u64, count: usize) -> String {
    let mut text = String::new();
    for index in 0..count {
        let kernel = kernel(seed, index);
        let _ = writeln!(
            text,
            "pub mod k{index} {{\nuse kernel_runtime::prelude::*;\npub const TEXT: &str = {kernel:?};\n{kernel}}}"
        );
    }
    text.push_str("/// Every kernel.\npub const KERNELS: &[crate::Program] = &[\n");
    for index in 0..count {
        let _ = writeln!(
            text,
            "crate::Program {{ text: k{index}::TEXT, \
             cpu: |n, m, i, o| k{index}::run::cpu(n, m, &i.x, &i.b, &i.h, &i.w, &i.g, &mut o.out, &mut o.y), \
             device: |n, m, i, o| k{index}::run(n, m, &i.x, &i.b, &i.h, &i.w, &i.g, &mut o.out, &mut o.y) }},"
        );
    }
    text.push_str("];\n");
    text
}

/// Slices that are read, with the types of their elements.
const SLICES: [(&str, &str); 5] = [("x", "i32"), ("b", "u8"), ("h", "u16"), ("w", "i64"), ("g", "u32")];

const TYPES: [&str; 7] = ["i32", "u8", "u16", "i64", "u32", "usize", "i8"];

/// One kernel of the sequence that a seed gives.
pub fn kernel(seed: u64, index: usize) -> String {
    let mut random = Random(seed ^ (index as u64).wrapping_mul(0xd134_2543_de82_ef95));
    let each = random.pick(&[1, 1, 2, 4]);
    let mut writer = Writer {
        random,
        text: String::new(),
        each,
        vars: vec![("i".into(), "usize"), ("t".into(), "usize"), ("m".into(), "usize"), ("n".into(), "i32")],
        parts: SLICES.map(|(name, ty)| (name.to_owned(), ty)).to_vec(),
        next: 0,
        loops: 0,
    };
    writer.prologue();
    for _ in 0..2 + writer.random.below(4) {
        writer.statement(2);
    }
    writer.own_write();
    let body = writer.text;
    format!(
        "#[kernel]\npub fn run(n: i32, m: usize, x: &[i32], b: &[u8], h: &[u16], w: &[i64], g: &[u32], out: &mut [u32], y: &mut [u8]) {{\n\
         let i = global_idx().x; let t = thread_idx().x; let mut s = 1u32;\n{body}}}\n"
    )
}

struct Writer {
    random: Random,
    text: String,
    /// Elements of `out` and `y` that a thread has for its own.
    each: usize,
    /// Numbers in scope.
    vars: Vec<(String, &'static str)>,
    /// Slices in scope that are only read.
    parts: Vec<(String, &'static str)>,
    next: usize,
    /// Loops around the place.
    loops: usize,
}

macro_rules! line {
    ($writer:expr, $($arg:tt)*) => {{ let line = format!($($arg)*); $writer.text += &line; $writer.text.push('\n'); }};
}

impl Writer {
    fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    /// Writes `{ … }`, whose names end with it.
    fn block(&mut self, depth: usize) {
        let (vars, parts) = (self.vars.len(), self.parts.len());
        for _ in 0..1 + self.random.below(2) {
            self.statement(depth);
        }
        self.vars.truncate(vars);
        self.parts.truncate(parts);
    }

    /// Mixes a number into the result.
    fn mix(&mut self, value: &str) {
        line!(self, "s = s.wrapping_mul(31).wrapping_add(({value}) as u32);");
    }

    /// Code of all threads together, before one of them may panic: indices from other lanes, and from shared memory.
    fn prologue(&mut self) {
        if self.random.one_in(3) {
            let lane = self.random.pick(&[
                "(x.len() as u32 + t as u32 * 7) % 32",
                "31 - warp::lane_id()",
                "t as u32 & 5",
            ]);
            let value = self.random.pick(&[
                "i as u32 * 3",
                "x.get(i).map_or(5, |v| *v as u32)",
                "m as u32 ^ t as u32",
            ]);
            let (shuffled, votes) = (self.fresh("v"), self.fresh("v"));
            line!(self, "let {shuffled} = warp::shfl_idx({value}, {lane});");
            line!(self, "let {votes} = warp::ballot({shuffled} & 3 == 1).count_ones();");
            self.vars.extend([(shuffled, "u32"), (votes, "u32")]);
        }
        if self.random.one_in(3) {
            let (tile, ty) = (self.fresh("tile"), self.random.pick(&["u32", "u8", "i64"]));
            line!(self, "let mut {tile} = shared::<[{ty}; 64]>();");
            let value = self.random.pick(&["g.get(i).map_or(3, |v| *v)", "(t * 5 + 1)", "(63 - t)"]);
            line!(self, "{tile}[t] = {value} as {ty};\nbarrier();");
            self.parts.push((format!("{tile}[..]"), ty));
        }
        if self.random.one_in(4) {
            let scan = self.fresh("v");
            line!(self, "let {scan} = block::exclusive_scan_add((x.len() as u32 >> 2) & 3);");
            self.vars.push((scan, "u32"));
        }
    }

    fn any_part(&mut self) -> (String, &'static str) {
        let at = self.random.below(self.parts.len());
        self.parts[at].clone()
    }

    fn len(&mut self) -> String {
        format!("{}.len()", self.any_part().0)
    }

    fn constant(&mut self) -> usize {
        self.random.pick(&[0, 1, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 63])
    }

    fn leaf(&mut self, ty: &'static str) -> String {
        let fitting: Vec<String> =
            self.vars.iter().filter(|var| var.1 == ty).map(|var| var.0.clone()).collect();
        match self.random.below(6) {
            0 => format!("{}{ty}", self.constant()),
            1 if ty == "usize" => self.len(),
            _ if fitting.is_empty() => {
                let at = self.random.below(self.vars.len());
                format!("({} as {ty})", self.vars[at].0)
            }
            _ => fitting[self.random.below(fitting.len())].clone(),
        }
    }

    /// An element, checked.
    fn element(&mut self, depth: usize) -> (String, &'static str) {
        let (part, ty) = self.any_part();
        let index = self.index(&part, depth);
        (format!("{part}[{index}]"), ty)
    }

    /// A number of any value.
    fn number(&mut self, ty: &'static str, depth: usize) -> String {
        if depth == 0 || self.random.one_in(5) {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        let bits = if ty == "usize" || ty == "i64" { 64 } else { ty[1..].parse().unwrap_or(32) };
        match self.random.below(17) {
            0 | 1 => {
                let (element, of) = self.element(depth);
                if of == ty { element } else { format!("({element} as {ty})") }
            }
            2 => {
                let other = self.random.pick(&TYPES);
                format!("({} as {ty})", self.number(other, depth))
            }
            3 | 4 => {
                let op = self.random.pick(&["wrapping_add", "wrapping_sub", "wrapping_mul", "min", "max"]);
                format!("{}.{op}({})", self.number(ty, depth), self.number(ty, depth))
            }
            5 | 6 => {
                let op = self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {op} {})", self.number(ty, depth), self.number(ty, depth))
            }
            7 => {
                let op = self.random.pick(&["<<", ">>", ">>"]);
                format!("({} {op} {})", self.number(ty, depth), self.random.below(bits))
            }
            8 => {
                let op = self.random.pick(&["/", "%"]);
                let by = self.random.pick(&[1, 2, 3, 7, 8, 10, 32, 100]);
                format!("({} {op} {by})", self.number(ty, depth))
            }
            9 => {
                let op = self.random.pick(&["rotate_left", "rotate_right"]);
                format!("{}.{op}({})", self.number(ty, depth), self.number("u32", depth))
            }
            10 => {
                let op = self.random.pick(&["leading_zeros", "trailing_zeros", "count_ones"]);
                format!("({}.{op}() as {ty})", self.number(ty, depth))
            }
            11 => format!("({}.abs_diff({}) as {ty})", self.number(ty, depth), self.number(ty, depth)),
            12 => format!("{}.saturating_sub({})", self.number(ty, depth), self.number(ty, depth)),
            13 => {
                format!(
                    "(if {} {{ {} }} else {{ {} }})",
                    self.cond(depth),
                    self.number(ty, depth),
                    self.number(ty, depth)
                )
            }
            14 => format!("{}.rem_euclid({})", self.number(ty, depth), 1 + self.constant()),
            15 => {
                let (low, more) = (self.constant(), self.constant());
                format!("{}.clamp({low}, {})", self.number(ty, depth), low + more)
            }
            _ => {
                let arms: Vec<String> = (0..3).map(|_| self.number(ty, depth)).collect();
                format!(
                    "(match {} & 3 {{ 0 => {}, 1 | 3 => {}, _ => {} }})",
                    self.number("u32", depth),
                    arms[0],
                    arms[1],
                    arms[2]
                )
            }
        }
    }

    fn cond(&mut self, depth: usize) -> String {
        match self.random.below(5) {
            0 => format!("({} && {})", self.cond(0), self.cond(0)),
            1 => format!("({} || {})", self.cond(0), self.cond(0)),
            2 => format!("({} < {})", self.number("usize", depth), self.len()),
            _ => {
                let ty = self.random.pick(&TYPES);
                let op = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {op} {})", self.number(ty, depth), self.number(ty, depth))
            }
        }
    }

    /// An index of a slice, as a rule inside of it.
    fn index(&mut self, part: &str, depth: usize) -> String {
        let depth = depth.min(2);
        match self.random.below(14) {
            0 | 1 => "i".into(),
            2 => format!("i + {}", self.constant()),
            3 => format!("{} * i + {}", self.random.pick(&[2, 3, 4]), self.constant()),
            4 => format!("{} % {part}.len().max(1)", self.number("usize", depth)),
            5 => format!("{}.min({part}.len() - 1)", self.number("usize", depth)),
            6 => format!(
                "({} & {}) as usize",
                self.number("i32", depth),
                self.random.pick(&[0, 1, 3, 7, 15, 31, 63])
            ),
            7 => format!("{} as usize", self.number("u8", depth)),
            8 => {
                format!("({} >> {}) as usize", self.number("u32", depth), self.random.pick(&[24, 26, 28, 30]))
            }
            9 => format!("{part}.len() - 1 - {}", self.leaf("usize")),
            10 => format!("{}.rem_euclid({}) as usize", self.number("i64", depth), 1 + self.constant()),
            11 => format!("({} as usize).saturating_sub(1)", self.number("u16", depth)),
            12 => format!("(i * m + {}) % {part}.len().max(1)", self.leaf("usize")),
            _ => self.number("usize", depth),
        }
    }

    /// An end of a loop or a range: the length of a slice at most, and few in a loop.
    fn end(&mut self) -> String {
        match self.random.below(7) {
            _ if self.loops > 0 => format!("({} & 7)", self.number("usize", 1)),
            0 | 1 => self.len(),
            2 => format!("({} & 15)", self.number("usize", 1)),
            3 => format!("{}.min({})", self.len(), self.number("usize", 1)),
            4 => format!("({} / {})", self.len(), self.random.pick(&[2, 3, 4])),
            5 => format!("({}.min(20).max(-3) as usize & 31)", self.number("i32", 1)),
            _ => format!("({} as usize & 31)", self.number("u8", 1)),
        }
    }

    fn step(&mut self) -> String {
        match self.random.below(5) {
            0 => self.random.pick(&["1", "2", "3", "7", "32"]).into(),
            1 => "global_size().x".into(),
            2 => format!("({} as usize + 1)", self.number("u8", 1)),
            3 => format!("{}.max(1)", self.number("usize", 1)),
            _ => format!("(({} & 7) as usize + 1)", self.number("i32", 1)),
        }
    }

    fn statement(&mut self, depth: usize) {
        if depth == 0 {
            let (element, _) = self.element(1);
            return self.mix(&element);
        }
        match self.random.below(24) {
            0 | 1 => self.let_number(),
            2 | 3 => {
                let (element, _) = self.element(2);
                self.mix(&element);
            }
            4 => self.guarded(depth),
            5 | 6 => self.while_loop(depth),
            7 | 8 => self.for_loop(depth),
            9 => self.search(),
            10 | 11 => self.part(depth),
            12 => self.pieces(),
            13 | 14 => self.matrix(),
            15 => self.chosen_part(),
            16 | 17 => self.local_array(),
            18 => self.exits(),
            19 => self.merge(),
            20 => self.downwards(),
            21 => self.iterators(),
            22 => self.own_write(),
            _ => {
                let cond = self.cond(1);
                line!(self, "if {cond} {{");
                self.block(depth - 1);
                line!(self, "}} else {{");
                self.block(depth - 1);
                line!(self, "}}");
            }
        }
    }

    fn let_number(&mut self) {
        let (ty, name) = (self.random.pick(&TYPES), self.fresh("v"));
        let value = self.number(ty, 3);
        line!(self, "let {name} = {value};");
        self.vars.push((name, ty));
    }

    fn guarded(&mut self, depth: usize) {
        let ((part, _), name) = (self.any_part(), self.fresh("v"));
        let value = self.number("usize", 2);
        line!(self, "let {name} = {value};");
        self.vars.push((name.clone(), "usize"));
        let (more, width) = (self.constant(), self.constant());
        match self.random.below(5) {
            0 => line!(self, "if {name} < {part}.len() {{ s ^= {part}[{name}] as u32;"),
            1 => {
                line!(self, "if {name} + {more} < {part}.len() {{ s ^= {part}[{name} + {}] as u32;", more / 2)
            }
            2 => line!(self, "if let Some(v) = {part}.get({name}) {{ s = s.wrapping_add(*v as u32);"),
            3 => line!(
                self,
                "if {name} >= {more} && {name} < {part}.len() {{ s ^= {part}[{name} - {more}] as u32;"
            ),
            _ => line!(
                self,
                "if {name} * {width} + {more} < {part}.len() {{ s ^= {part}[{name} * {width} + {more}] as u32;"
            ),
        }
        self.block(depth - 1);
        line!(self, "}}");
    }

    fn while_loop(&mut self, depth: usize) {
        let (at, end) = (self.fresh("k"), self.end());
        let start = match self.random.below(3) {
            0 => "i".into(),
            1 => "0usize".into(),
            _ => self.number("usize", 1),
        };
        line!(self, "let mut {at}: usize = {start};");
        let also = if self.random.one_in(4) { format!(" && {}", self.cond(1)) } else { String::new() };
        line!(self, "while {at} < {end}{also} {{");
        let vars = self.vars.len();
        self.vars.push((at.clone(), "usize"));
        self.loops += 1;
        if self.loops < 2 {
            self.block(depth - 1)
        } else {
            self.statement(0)
        }
        self.loops -= 1;
        let step = self.step();
        if self.random.one_in(5) {
            let cond = self.cond(1);
            line!(self, "if {cond} {{ break; }}");
        }
        self.vars.truncate(vars);
        // An index that wraps would start again.
        line!(self, "{at} = {at}.saturating_add({step});\n}}");
        self.mix(&at);
    }

    fn for_loop(&mut self, depth: usize) {
        let (at, end, step) = (self.fresh("k"), self.end(), self.step());
        let start = match self.random.below(3) {
            0 => self.number("usize", 1),
            1 => format!("{}.min({end})", self.number("usize", 1)),
            _ => "0usize".into(),
        };
        let ty = match self.random.below(9) {
            0 => {
                line!(self, "for {at} in ({start}..{end}).rev() {{");
                "usize"
            }
            1 | 2 => {
                line!(self, "for {at} in ({start}..{end}).step_by({step}) {{");
                "usize"
            }
            3 => {
                line!(self, "for {at} in ({start}..{end}).rev().step_by({step}) {{");
                "usize"
            }
            4 => {
                line!(self, "for {at} in {}u8..={} as u8 {{", self.constant(), self.constant());
                "u8"
            }
            5 => {
                line!(self, "for {at} in -{}i32..{} as i32 {{", self.constant(), end);
                "i32"
            }
            6 => {
                line!(self, "for {at} in (0..{} as u16).step_by({}) {{", end, 1 + self.constant());
                "u16"
            }
            7 => {
                line!(
                    self,
                    "for {at} in ({start}..{start}.saturating_add({})).map(|v| v ^ 1) {{",
                    self.constant()
                );
                "usize"
            }
            _ => {
                line!(self, "for {at} in {start}..{end} {{");
                "usize"
            }
        };
        let vars = self.vars.len();
        self.vars.push((at, ty));
        self.loops += 1;
        if self.loops < 2 {
            self.block(depth - 1)
        } else {
            self.statement(0)
        }
        self.loops -= 1;
        if self.random.one_in(6) {
            let (cond, word) = (self.cond(1), self.random.pick(&["break", "continue"]));
            line!(self, "if {cond} {{ {word}; }}");
        }
        self.vars.truncate(vars);
        line!(self, "}}");
    }

    /// Binary searches by hand and by the library, whose result is an index.
    fn search(&mut self) {
        let ((part, ty), found) = (self.any_part(), self.fresh("v"));
        let (key, end) = (self.number(ty, 1), self.end());
        match self.random.below(6) {
            0 => line!(
                self,
                "let {found} = {{ let key = {key}; let (mut lo, mut hi) = (0usize, {end}); while lo < hi {{ let mid = lo + (hi - lo) / 2; if {part}[mid] < key {{ lo = mid + 1 }} else {{ hi = mid }} }} lo }};"
            ),
            1 => line!(
                self,
                "let {found} = {{ let key = {key}; let (mut lo, mut hi) = (0usize, {part}.len()); while lo < hi {{ let mid = (lo + hi) >> 1; if {part}[mid] <= key {{ lo = mid + 1 }} else {{ hi = mid }} }} lo.wrapping_sub(1) }};"
            ),
            2 => line!(
                self,
                "let {found} = {{ let key = {key}; let (mut lo, mut hi) = (-1i32, {end} as i32); while hi - lo > 1 {{ let mid = (lo + hi) / 2; if {part}[mid as usize] < key {{ lo = mid }} else {{ hi = mid }} }} hi as usize }};"
            ),
            3 => line!(
                self,
                "let {found} = {{ let key = {key}; let (mut at, mut step) = (0usize, 64usize); while step > 0 {{ if at + step < {part}.len() && {part}[at + step] < key {{ at += step; }} step >>= 1; }} at }};"
            ),
            4 => line!(self, "let {found} = {part}.binary_search(&({key})).unwrap_or_else(|at| at);"),
            _ => line!(self, "let {found} = {{ let key = {key}; {part}.partition_point(|v| *v < key) }};"),
        }
        line!(self, "if {found} < {part}.len() {{ s ^= {part}[{found}] as u32; }}");
        self.vars.push((found, "usize"));
    }

    /// A part of a slice, which is a slice like others.
    fn part(&mut self, depth: usize) {
        let ((part, ty), name) = (self.any_part(), self.fresh("p"));
        let (a, b) = (self.number("usize", 1), self.number("usize", 1));
        match self.random.below(9) {
            0 => line!(self, "let {name} = &{part}[{a}..];"),
            1 => line!(self, "let {name} = &{part}[..{b}];"),
            2 => line!(self, "let {name} = &{part}[{a}..{b}];"),
            3 => line!(self, "let {name} = {{ let a = {a}; &{part}[a..a + {}] }};", self.constant()),
            4 => line!(
                self,
                "let {name} = {{ let (from, to) = ({a}.min({part}.len()), {b}.min({part}.len())); &{part}[from.min(to)..to.max(from)] }};"
            ),
            5 => line!(self, "let {name} = {part}.get({a}..{b}).unwrap_or(&{part}[..0]);"),
            6 => line!(self, "let {name} = {part}.split_at({a}).{};", self.random.below(2)),
            7 => line!(self, "let {name} = {part}.split_at({a}.min({part}.len())).{};", self.random.below(2)),
            _ => line!(
                self,
                "let {name} = {{ let a = i * {}; &{part}[a..][..{}] }};",
                self.constant(),
                self.constant()
            ),
        }
        self.parts.push((name, ty));
        self.statement(depth - 1);
    }

    /// Chunks and windows.
    fn pieces(&mut self) {
        let (part, _) = self.any_part();
        let (size, at) =
            (self.random.pick(&["1", "2", "3", "4", "8", "(m & 7) + 1"]), self.number("usize", 1));
        let (offset, skip) = (self.constant(), self.constant());
        match self.random.below(5) {
            0 => line!(
                self,
                "if let Some(c) = {part}.chunks({size}).nth({at}) {{ s ^= c[c.len() - 1] as u32; s ^= c[c.len() / 2] as u32; }}"
            ),
            1 => line!(
                self,
                "for c in {part}.chunks_exact({size}).skip({skip}) {{ s = s * 3 + c[{size} - 1] as u32; }}"
            ),
            2 => line!(
                self,
                "for c in {part}.windows({size}).step_by({offset} + 1) {{ s = s * 3 + c[0] as u32 - c[{size} - 1] as u32; }}"
            ),
            3 => line!(
                self,
                "for c in {part}.rchunks({size}).take({offset}) {{ s = s * 3 + c[0] as u32 + c.len() as u32; }}"
            ),
            _ => line!(
                self,
                "if let Some(c) = {part}.windows({size}).nth({at}) {{ s ^= c[{size} / 2] as u32; }}"
            ),
        }
    }

    /// Elements of a matrix or volume made of a slice.
    fn matrix(&mut self) {
        let ((part, _), name) = (self.any_part(), self.fresh("a"));
        let sizes = ["4", "8", "3", "m & 15", "m", "1"];
        let [rows, columns, depth] = [(); 3].map(|()| self.random.pick(&sizes));
        let [r, c, d] = [(); 3].map(|()| self.number("usize", 1));
        let more = self.constant() & 3;
        match self.random.below(5) {
            0 => {
                line!(self, "let {name} = Matrix::new(&{part}[..], [{rows}, {columns}]);");
                line!(self, "s ^= {name}[[{r}, {c}]] as u32;");
            }
            1 => {
                line!(
                    self,
                    "let {name} = Matrix::with_stride(&{part}[..], [{rows}, {columns}], {columns} + {more});"
                );
                line!(
                    self,
                    "let (r, c) = ({r}, {c}); if r < {name}.rows() && c + {more} < {name}.columns() {{ s ^= {name}[[r, c + {more}]] as u32; }}"
                );
            }
            2 => {
                line!(self, "let {name} = Volume::new(&{part}[..], [{depth}, {rows}, {columns}]);");
                line!(
                    self,
                    "let (d, r, c) = ({d}, {r}, {c}); if d < {name}.depth() && r < {name}.rows() && c < {name}.columns() {{ s ^= {name}[[d, r, c]] as u32; s ^= {name}.plane(d).row(r)[c] as u32; }}"
                );
            }
            3 => {
                line!(
                    self,
                    "let {name} = Matrix::new(&{part}[..], [{part}.len() / {}, {}]);",
                    more + 1,
                    more + 1
                );
                line!(
                    self,
                    "for r in 0..{name}.rows() {{ for c in (0..{name}.columns()).rev() {{ s = s * 3 + {name}[[r, c]] as u32; }} }}"
                );
            }
            _ => {
                line!(self, "let {name} = Matrix::new(&{part}[..], [{rows}, {columns}]);");
                line!(self, "let row = {name}.row({r}); s ^= row[{c}] as u32; s ^= row.len() as u32;");
            }
        }
    }

    /// One of several slices and arrays, chosen by data.
    fn chosen_part(&mut self) {
        let ty = self.any_part().1;
        let fitting: Vec<String> =
            self.parts.iter().filter(|part| part.1 == ty).map(|part| part.0.clone()).collect();
        let [first, second] = [(); 2].map(|()| fitting[self.random.below(fitting.len())].clone());
        let (name, key, a) = (self.fresh("p"), self.number("u32", 2), self.number("usize", 1));
        line!(
            self,
            "let {name}: &[{ty}] = match {key} & 3 {{ 0 => &{first}[..], 1 => &{second}[{a}.min({second}.len())..], 2 => &[1, 2, 3, 4, 5], _ => &{first}[..{first}.len() / 2] }};"
        );
        self.parts.push((name.clone(), ty));
        let index = self.index(&name, 2);
        self.mix(&format!("{name}[{index}]"));
    }

    /// An array of the thread, written and read at indices from data.
    fn local_array(&mut self) {
        let (name, ty, len) = (
            self.fresh("l"),
            self.random.pick(&["u32", "u8", "i64", "i32"]),
            self.random.pick(&[3, 4, 8, 16]),
        );
        line!(self, "let mut {name} = [{}{ty}; {len}];", self.constant());
        for _ in 0..1 + self.random.below(3) {
            let (index, value) = (self.index(&name, 1), self.number(ty, 1));
            match self.random.below(4) {
                0 => line!(
                    self,
                    "for k in 0..{len} {{ {name}[k] = {name}[(k + 1) % {len}].wrapping_add(k as {ty}); }}"
                ),
                1 => line!(self, "{name}[{index}] ^= {value};"),
                2 => line!(
                    self,
                    "let k = {index}; if k < {name}.len() {{ {name}[..=k].reverse(); {name}[k] = {value}; }}"
                ),
                _ => line!(self, "{name}[{index}] = {value};"),
            }
        }
        self.parts.push((name.clone(), ty));
        self.mix(&format!("{name}.iter().fold(0, |s: {ty}, v| s.wrapping_mul(5).wrapping_add(*v))"));
    }

    /// A loop with several exits and a value, which is an index.
    fn exits(&mut self) {
        let ((part, _), name) = (self.any_part(), self.fresh("v"));
        let (start, step, cond, index) =
            (self.number("usize", 1), self.step(), self.cond(1), self.number("usize", 1));
        line!(self, "let {name} = {{ let mut k: usize = {start}; loop {{");
        line!(
            self,
            "if k >= {part}.len() {{ break k; }}\nif {part}[k] as u32 & 7 == 3 {{ break k / 2; }}\nif {cond} {{ break {index}; }}"
        );
        line!(
            self,
            "k = k.saturating_add({step}); }} }};\nif {name} < {part}.len() {{ s ^= {part}[{name}] as u32; }}"
        );
        self.vars.push((name, "usize"));
    }

    /// Two cursors that one loop moves.
    fn merge(&mut self) {
        let [(p, _), (q, _)] = [self.any_part(), self.any_part()];
        let [a, b] = [self.end(), self.end()];
        let start = self.leaf("usize");
        line!(
            self,
            "{{ let (mut at, mut to) = ({start}, 0usize); while at < {a} && to < {b} {{ if ({p}[at] as i64) < {q}[to] as i64 {{ s = s * 3 + at as u32; at += 1; }} else {{ to += 1; }} }} s ^= to as u32; }}"
        );
    }

    /// A loop that counts down to zero.
    fn downwards(&mut self) {
        let ((part, _), end, index) = (self.any_part(), self.end(), self.constant());
        match self.random.below(3) {
            0 => line!(
                self,
                "{{ let mut k = {end}; while k > 0 {{ k -= 1; s = s * 3 + {part}[k] as u32; }} }}"
            ),
            1 => line!(
                self,
                "{{ let mut k = {end} as isize - 1; while k >= 0 {{ s = s * 3 + {part}[k as usize] as u32; k -= {}; }} }}",
                index + 1
            ),
            _ => line!(
                self,
                "{{ let mut k = {end}; while k >= {0} {{ s = s * 3 + {part}[k - {0}] as u32; k -= {0}; }} }}",
                index + 1
            ),
        }
    }

    /// Chains whose lengths differ.
    fn iterators(&mut self) {
        let [(p, _), (q, _)] = [self.any_part(), self.any_part()];
        let (skip, take, step) = (self.number("usize", 1), self.constant(), self.step());
        match self.random.below(4) {
            0 => line!(
                self,
                "for (a, b) in {p}.iter().skip({skip}).zip({q}.iter().rev()) {{ s = s * 3 + *a as u32 ^ *b as u32; }}"
            ),
            1 => line!(
                self,
                "for (k, a) in {p}.iter().enumerate().step_by({step}).skip({take}) {{ s = s * 3 + *a as u32; if k < {q}.len() {{ s ^= {q}[k] as u32; }} }}"
            ),
            2 => line!(
                self,
                "s ^= {p}.iter().take({skip}).zip({q}.iter().skip({take})).map(|(a, b)| *a as u32 * *b as u32).fold(0, |s, v| s * 7 + v);"
            ),
            _ => line!(
                self,
                "if let Some(k) = {p}.iter().position(|v| *v as u32 & 7 == 2) {{ s ^= {p}[k] as u32; s ^= {q}[k % {q}.len().max(1)] as u32; }}"
            ),
        }
    }

    /// Writes elements that are the thread's own.
    fn own_write(&mut self) {
        let (to, each, k) = (self.random.pick(&["out", "out", "y"]), self.each, self.random.below(self.each));
        let ty = if to == "y" { "u8" } else { "u32" };
        match self.random.below(8) {
            0 => line!(self, "if {each} * i + {k} < {to}.len() {{ {to}[{each} * i + {k}] = s as {ty}; }}"),
            1 => line!(self, "{to}[{each} * i + {k}] = s as {ty};"),
            2 => line!(self, "{to}[{each} * i..{each} * i + {each}].fill(s as {ty});"),
            3 => {
                line!(self, "if let Some(c) = {to}.chunks_exact_mut({each}).nth(i) {{ c[{k}] = s as {ty}; }}")
            }
            4 => line!(self, "if let Some(v) = {to}.get_mut(i * {each} + {k}) {{ *v ^= s as {ty}; }}"),
            5 => line!(self, "for k in 0..{each} {{ {to}[i * {each} + k] = (s as usize + k) as {ty}; }}"),
            6 if each == 1 => line!(
                self,
                "{{ let mut k = i; while k < {to}.len() {{ {to}[k] = s as {ty}; k += global_size().x; }} }}"
            ),
            6 => line!(self, "if i < {to}.len() / {each} {{ {to}[{each} * i + {k}] += s as {ty}; }}"),
            _ => line!(self, "{{ let part = &mut {to}[{each} * i..]; part[{k}] = s as {ty}; }}"),
        }
    }
}
