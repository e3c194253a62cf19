//! Generates whole kernels as text: items, traits, control flow, arrays, structs, enums with data, `?`, references, closures, chains of
//! iterators, shared memory, collectives.
//!
//! Generation is directed by types, so every kernel compiles. Kernels end: loops count to small constants. They never
//! panic: indices are taken modulo the length, divisors are odd and positive. Barriers and collectives stand only where
//! all threads come, or under conditions on the scalar parameter, which is the same for all. A kernel's result is a hash of
//! every variable that is alive at its end.

mod chains;
mod types;

use std::fmt::Write;

use types::{Shape, Ty, Types, Variant};

/// A pseudorandom sequence (splitmix64).
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// Once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// The text of a file with kernels `k0`, `k1`, … and a table of them.
pub fn file(seed: u64, count: usize) -> String {
    let mut text = String::new();
    for index in 0..count {
        let kernel = kernel(seed, index);
        writeln!(
            text,
            "pub mod k{index} {{\nuse kernel_runtime::prelude::*;\npub const TEXT: &str = {kernel:?};\n{kernel}}}"
        )
        .expect("a `String` takes it");
    }
    text.push_str("/// Every kernel.\npub const KERNELS: &[crate::Program] = &[\n");
    for index in 0..count {
        writeln!(
            text,
            "crate::Program {{ text: k{index}::TEXT, kernel: &k{index}::run::KERNEL, cpu: |n, x, f, out| k{index}::run::cpu(n, x, f, out), \
             device: |n, x, f, out| k{index}::run(n, x, f, out) }},"
        )
        .expect("a `String` takes it");
    }
    text.push_str("];\n");
    text
}

const BRANCH: bool = false;
/// One kernel of the sequence that a seed gives.
pub fn kernel(seed: u64, index: usize) -> String {
    let mut random = Random(seed ^ (index as u64).wrapping_mul(0xd134_2543_de82_ef95));
    let types = Types::new(&mut random);
    let mut generator = Generator {
        random,
        types,
        scope: Vec::new(),
        functions: Vec::new(),
        traits: Vec::new(),
        tries: None,
        next: 0,
        uniform: true,
        in_kernel: false,
        loops: 0,
        budget: 0,
    };
    let items = generator.items();
    generator.in_kernel = true;
    let body = generator.body();
    let contract = if index % 8 == 7 { "(fp_contract(off))" } else { "" };
    format!(
        "#[kernel{contract}]\npub fn run(n: i32, x: &[i32], f: &[f32], out: &mut [u64]) {{\n{items}{body}}}\n"
    )
}

/// A variable in scope.
#[derive(Clone)]
struct Var {
    name: String,
    ty: Ty,
    mutable: bool,
}

/// A nested function. Parameters that are `&mut` say so; `t`, the thread's index, comes before them.
#[derive(Clone)]
struct Function {
    name: String,
    params: Vec<(Ty, bool)>,
    result: Ty,
}

/// A trait: `m(&self, t, v)` and `d(&self, t, v)` give the result, `K` is a `u32`.
#[derive(Clone)]
struct Trait {
    number: usize,
    result: Ty,
    implemented_for: Vec<Ty>,
}

struct Generator {
    random: Random,
    types: Types,
    scope: Vec<Var>,
    functions: Vec<Function>,
    traits: Vec<Trait>,
    /// The result of the function around the place, if a `?` may stand in it.
    tries: Option<Ty>,
    next: usize,
    /// True if all threads of the block get here together.
    uniform: bool,
    /// True if the text is the kernel's own, which sees its parameters.
    in_kernel: bool,
    /// Loops around the place.
    loops: usize,
    /// Statements that may still be made.
    budget: usize,
}

impl Generator {
    fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    /// Structs, enums and functions.
    fn items(&mut self) -> String {
        let mut text = self.types.items();
        for number in 0..self.random.below(3) {
            text += &self.trait_with_impls(number);
        }
        for _ in 0..self.random.below(4) {
            text += &self.function();
        }
        text
    }

    /// A trait with a method that its impls have and one that they may leave out, and a function for all of them.
    fn trait_with_impls(&mut self, number: usize) -> String {
        let result = self.types.int(&mut self.random);
        let name = self.types.name(&result);
        let (default, own) = (self.random.below(50), self.random.one_in(2));
        let mut text = format!(
            "trait T{number} {{ const K: u32; fn m{number}(&self, t: usize, v: i32) -> {name};\n\
             fn d{number}(&self, t: usize, v: i32) -> {name} {{ self.m{number}(t, v ^ <Self as T{number}>::K as i32) ^ {default} }} }}\n"
        );
        let mut implemented_for: Vec<Ty> = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let ty = self.types.named(&mut self.random);
            if implemented_for.contains(&ty) {
                continue;
            }
            let constant = self.random.below(1000);
            let method = self.method(&ty, &result);
            let other = match own {
                true => {
                    format!("fn d{number}(&self, t: usize, v: i32) -> {name} {}\n", self.method(&ty, &result))
                }
                false => String::new(),
            };
            writeln!(
                text,
                "impl T{number} for {} {{ const K: u32 = {constant}; fn m{number}(&self, t: usize, v: i32) -> {name} {method}\n{other}}}",
                self.types.name(&ty)
            )
            .expect("a `String` takes it");
            implemented_for.push(ty);
        }
        writeln!(
            text,
            "fn any{number}<X: T{number}>(of: &X, t: usize, v: i32) -> {name} {{ of.m{number}(t, v) ^ of.d{number}(t, 3) ^ X::K as {name} }}"
        )
        .expect("a `String` takes it");
        self.traits.push(Trait { number, result, implemented_for });
        text
    }

    /// The body of a method with `&self`, `t` and `v`.
    fn method(&mut self, of: &Ty, result: &Ty) -> String {
        self.scope.push(Var { name: "(*self)".into(), ty: of.clone(), mutable: false });
        self.scope.push(Var { name: "v".into(), ty: Ty::I32, mutable: false });
        let outer = (std::mem::replace(&mut self.uniform, false), std::mem::replace(&mut self.budget, 2));
        let body = self.statements(1);
        let value = match self.types.shape(of) {
            Shape::Data(variants) => self.match_on("*self", &self.types.name(of), &variants, result, 1),
            _ => self.expr(result, 2),
        };
        (self.uniform, self.budget) = outer;
        self.scope.clear();
        format!("{{\n{body}{value}\n}}")
    }

    /// A `match` on an enum with data, an expression.
    fn match_on(&mut self, value: &str, of: &str, variants: &[Variant], ty: &Ty, depth: usize) -> String {
        let mut arms = String::new();
        for variant in variants {
            let outer = self.scope.len();
            let names: Vec<String> =
                variant.fields.iter().map(|field| self.bind(field.clone(), false)).collect();
            let body = self.expr(ty, depth);
            self.scope.truncate(outer);
            write!(arms, "{} => {body}, ", variant.text(of, &names)).expect("a `String` takes it");
        }
        format!("(match {value} {{ {arms} }})")
    }

    fn function(&mut self) -> String {
        let name = self.fresh("g");
        let mut params = Vec::new();
        let mut header = String::from("t: usize, ");
        for _ in 0..1 + self.random.below(3) {
            let ty = self.any_type();
            let by_reference = self.random.one_in(4);
            let param = self.fresh("p");
            let written = self.types.name(&ty);
            if by_reference {
                write!(header, "{param}: &mut {written}, ").expect("a `String` takes it");
            } else {
                write!(header, "mut {param}: {written}, ").expect("a `String` takes it");
            }
            let place = if by_reference { format!("(*{param})") } else { param };
            self.scope.push(Var { name: place, ty: ty.clone(), mutable: true });
            params.push((ty, by_reference));
        }
        let result = match self.random.below(4) {
            0 => Ty::Result(Box::new(self.any_scalar())),
            1 => Ty::Option(Box::new(self.any_scalar())),
            _ => self.any_type(),
        };
        self.tries = Some(result.clone()).filter(|ty| matches!(ty, Ty::Option(_) | Ty::Result(_)));
        let outer = (std::mem::replace(&mut self.uniform, false), std::mem::replace(&mut self.budget, 4));
        let mut body = self.statements(2);
        if self.random.one_in(3) {
            let (cond, value) = (self.expr(&Ty::BOOL, 1), self.expr(&result, 1));
            writeln!(body, "if {cond} {{ return {value}; }}").expect("a `String` takes it");
        }
        body += &self.expr(&result, 2);
        (self.uniform, self.budget) = outer;
        self.tries = None;
        self.scope.clear();
        let text = format!("fn {name}({header}) -> {} {{\n{body}\n}}\n", self.types.name(&result));
        self.functions.push(Function { name, params, result });
        text
    }

    /// The kernel's body behind its items.
    fn body(&mut self) -> String {
        let mut text = String::from("let i = global_idx().x; let t = thread_idx().x;\n");
        for (name, init, ty) in [
            ("a0", "x[i]", Ty::I32),
            ("a1", "x[i + 128]", Ty::I32),
            ("b0", "f[i]", Ty::F32),
            ("b1", "f[i + 128]", Ty::F32),
            ("c0", "(i * 7) as u64", Ty::U64),
        ] {
            writeln!(text, "let mut {name} = {init};").expect("a `String` takes it");
            self.scope.push(Var { name: name.into(), ty, mutable: true });
        }
        self.scope.push(Var { name: "n".into(), ty: Ty::I32, mutable: false });
        self.budget = 14;
        text += &self.statements(4);
        text += "let mut h = 0xcbf2_9ce4_8422_2325u64;\n";
        for var in self.scope.clone() {
            text += &self.hash(&var.name, &var.ty);
        }
        text += "out[i] = h;\n";
        text
    }

    /// Mixes a value into `h`.
    fn hash(&mut self, place: &str, ty: &Ty) -> String {
        let mix = |value: String| format!("h = (h ^ ({value})).wrapping_mul(0x100_0000_01b3);\n");
        match self.types.shape(ty) {
            Shape::Float => mix(format!("if {place}.is_nan() {{ 7 }} else {{ {place}.to_bits() as u64 }}")),
            Shape::Int | Shape::Bool => mix(format!("{place} as u64")),
            Shape::Enum(_) => mix(format!("{place} as u64")),
            Shape::Data(variants) => {
                let of = self.types.name(ty);
                let mut arms = String::new();
                for variant in &variants {
                    let names: Vec<String> = variant.fields.iter().map(|_| self.fresh("q")).collect();
                    let number = self.random.below(1000);
                    let fields: String =
                        variant.fields.iter().zip(&names).map(|(ty, name)| self.hash(name, ty)).collect();
                    writeln!(
                        arms,
                        "{} => {{ {}{fields} }}",
                        variant.text(&of, &names),
                        mix(number.to_string())
                    )
                    .expect("a `String` takes it");
                }
                format!("match {place} {{ {arms} }}\n")
            }
            Shape::Result(inner) => {
                let ok = self.hash("v", &inner);
                format!(
                    "match {place} {{ Ok(v) => {{ {ok} }} Err(v) => {{ {} }} }}\n",
                    mix("v as u64".into())
                )
            }
            Shape::Option(inner) => {
                let some = self.hash("v", &inner);
                format!("match {place} {{ Some(v) => {{ {some} }} None => {{ {} }} }}\n", mix("11".into()))
            }
            Shape::Fields(fields) => {
                fields.iter().map(|(member, ty)| self.hash(&format!("{place}.{member}"), ty)).collect()
            }
            Shape::Array(element, _) => {
                let each = self.hash("(*v)", &element);
                format!("for v in {place}.iter() {{ {each} }}\n")
            }
        }
    }

    // Statements.

    /// Statements; what they bind stays in scope.
    fn statements(&mut self, depth: usize) -> String {
        let mut text = String::new();
        for _ in 0..2 + self.random.below(4) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            text += &self.statement(depth);
            text.push('\n');
        }
        text
    }

    /// `{ … }` whose variables end with it.
    fn block(&mut self, depth: usize) -> String {
        let outer = self.scope.len();
        let body = self.statements(depth);
        self.scope.truncate(outer);
        format!("{{\n{body}}}")
    }

    /// A block where threads need not be together.
    fn apart(&mut self, depth: usize) -> String {
        let uniform = std::mem::replace(&mut self.uniform, false);
        let block = self.block(depth);
        self.uniform = uniform;
        block
    }

    /// A block in a loop.
    fn repeated(&mut self, depth: usize) -> String {
        self.loops += 1;
        let block = self.block(depth);
        self.loops -= 1;
        block
    }

    fn statement(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.assignment();
        }
        match self.random.below(30) {
            25 => self.match_data(depth),
            26 => self.change_data(),
            27 => self.kept_chain(),
            28 if self.tries.is_some() && self.loops == 0 => self.question_mark(),
            28 => self.if_ok(depth),
            29 => self.call_of_trait(),
            0..=3 => self.let_value(),
            4 => self.let_pattern(),
            5..=7 => self.assignment(),
            8 | 9 => {
                let cond = self.expr(&Ty::BOOL, 2);
                let then = self.apart(depth - 1);
                let attr = if BRANCH && self.random.one_in(4) { "#[branch] " } else { "" };
                if self.random.one_in(2) {
                    return format!("{attr}if {cond} {then}");
                }
                let otherwise = self.apart(depth - 1);
                format!("{attr}if {cond} {then} else {otherwise}")
            }
            10 if self.uniform => {
                let bound = self.random.below(60) as i32 - 30;
                let then = self.block(depth - 1);
                format!("if n > {bound} {then}")
            }
            11 | 12 => self.counted_loop(depth),
            13 => self.loop_over_array(depth),
            14 => self.while_loop(depth),
            15 => self.labelled_loop(depth),
            16 => self.match_statement(depth),
            17 => self.if_let(depth),
            18 => self.closure(),
            19 => self.call_with_reference(),
            20 if self.uniform => self.exchange(),
            21 | 22 if self.uniform => self.collective(),
            23 if self.in_kernel => self.reduction(),
            _ => self.block(depth - 1),
        }
    }

    /// `let v = …?;`
    fn question_mark(&mut self) -> String {
        let inner = self.any_type();
        let ty = match self.tries {
            Some(Ty::Option(_)) => Ty::Option(Box::new(inner.clone())),
            _ => Ty::Result(Box::new(inner.clone())),
        };
        let value = self.expr(&ty, 2);
        let name = self.bind(inner, true);
        format!("let mut {name} = {value}?;")
    }

    /// A `match` on an enum with data.
    fn match_data(&mut self, depth: usize) -> String {
        let ty = self.types.some_data(&mut self.random);
        let Shape::Data(variants) = self.types.shape(&ty) else { return String::new() };
        let (value, of) = (self.expr(&ty, 2), self.types.name(&ty));
        let uniform = std::mem::replace(&mut self.uniform, false);
        let mut arms = String::new();
        for variant in &variants {
            let outer = self.scope.len();
            let names: Vec<String> =
                variant.fields.iter().map(|field| self.bind(field.clone(), false)).collect();
            let body = self.block(depth - 1);
            self.scope.truncate(outer);
            writeln!(arms, "{} => {body}", variant.text(&of, &names)).expect("a `String` takes it");
        }
        self.uniform = uniform;
        format!("match {value} {{ {arms} }}")
    }

    /// Changes what a variable of an enum with data holds, where it holds something.
    fn change_data(&mut self) -> String {
        let is_data = |(_, ty): &(String, Ty)| matches!(ty, Ty::Data(_));
        let places: Vec<(String, Ty)> = self.places(true).into_iter().filter(is_data).collect();
        if places.is_empty() {
            let ty = self.types.some_data(&mut self.random);
            let value = self.expr(&ty, 2);
            let name = self.bind(ty, true);
            return format!("let mut {name} = {value};");
        }
        let (place, ty) = places[self.random.below(places.len())].clone();
        let Shape::Data(variants) = self.types.shape(&ty) else { return String::new() };
        let variant = &variants[self.random.below(variants.len())];
        let (values, names): (Vec<String>, Vec<String>) =
            variant.fields.iter().map(|field| (self.expr(field, 1), self.fresh("q"))).unzip();
        let (kept, of) = (self.fresh("v"), self.types.name(&ty));
        let writes: String =
            names.iter().enumerate().map(|(index, name)| format!("*{name} = {kept}.{index}; ")).collect();
        let values: String = values.iter().map(|value| format!("{value}, ")).collect();
        format!(
            "let {kept} = ({values});\nif let {} = &mut {place} {{ {writes} }}",
            variant.text(&of, &names)
        )
    }

    /// `if let Ok(v) = … else …`
    fn if_ok(&mut self, depth: usize) -> String {
        let inner = self.any_scalar();
        let value = self.expr(&Ty::Result(Box::new(inner.clone())), 2);
        let uniform = std::mem::replace(&mut self.uniform, false);
        let outer = self.scope.len();
        let name = self.bind(inner, false);
        let then = self.block(depth - 1);
        self.scope.truncate(outer);
        let error = self.bind(Ty::I32, false);
        let otherwise = self.block(depth - 1);
        self.scope.truncate(outer);
        self.uniform = uniform;
        format!("match {value} {{ Ok({name}) => {then}, Err({error}) => {otherwise} }}")
    }

    /// Methods of a trait, of a type that has it and through a function for all of them.
    fn call_of_trait(&mut self) -> String {
        if self.traits.is_empty() {
            return self.let_value();
        }
        let of = self.traits[self.random.below(self.traits.len())].clone();
        let ty = of.implemented_for[self.random.below(of.implemented_for.len())].clone();
        let (value, first, second) = (self.expr(&ty, 2), self.expr(&Ty::I32, 2), self.expr(&Ty::I32, 1));
        let (receiver, number) = (self.fresh("v"), of.number);
        let method = self.random.pick(&["m", "d"]);
        let name = self.bind(of.result, true);
        format!(
            "let {receiver} = {value};\nlet mut {name} = {receiver}.{method}{number}(t, {first}) ^ any{number}(&{receiver}, t, {second}) \
             ^ <{} as T{number}>::K as {};",
            self.types.name(&ty),
            self.types.name(&self.scope[self.scope.len() - 1].ty.clone())
        )
    }

    fn bind(&mut self, ty: Ty, mutable: bool) -> String {
        let name = self.fresh("v");
        self.scope.push(Var { name: name.clone(), ty, mutable });
        name
    }

    fn let_value(&mut self) -> String {
        let ty = self.any_type();
        let value = self.expr(&ty, 3);
        let written =
            if self.random.one_in(2) { format!(": {}", self.types.name(&ty)) } else { String::new() };
        let name = self.bind(ty, true);
        format!("let mut {name}{written} = {value};")
    }

    /// Takes a tuple or struct apart.
    fn let_pattern(&mut self) -> String {
        let ty = self.types.some_fields(&mut self.random);
        let value = self.expr(&ty, 2);
        let Shape::Fields(fields) = self.types.shape(&ty) else { return self.assignment() };
        let names: Vec<(String, String)> =
            fields.iter().map(|(member, ty)| (member.clone(), self.bind(ty.clone(), false))).collect();
        let is_tuple = matches!(ty, Ty::Tuple(_));
        let parts: Vec<String> = names
            .iter()
            .map(|(member, name)| if is_tuple { name.clone() } else { format!("{member}: {name}") })
            .collect();
        let parts = parts.join(", ");
        if is_tuple {
            format!("let ({parts}) = {value};")
        } else {
            format!("let {} {{ {parts} }} = {value};", self.types.name(&ty))
        }
    }

    fn assignment(&mut self) -> String {
        let places: Vec<(String, Ty)> = self.places(true);
        if places.is_empty() {
            return String::new();
        }
        let (place, ty) = places[self.random.below(places.len())].clone();
        let value = self.expr(&ty, 3);
        match self.types.shape(&ty) {
            Shape::Int if self.random.one_in(2) => {
                let op = self.random.pick(&["+=", "-=", "*=", "^=", "|=", "&="]);
                format!("{place} {op} {value};")
            }
            Shape::Float if self.random.one_in(2) => {
                let op = self.random.pick(&["+=", "-=", "*="]);
                format!("{place} {op} {value};")
            }
            _ => format!("{place} = {value};"),
        }
    }

    fn counted_loop(&mut self, depth: usize) -> String {
        let ty = self.types.int(&mut self.random);
        let name = self.fresh("k");
        let range = self.random.pick(&["0..3", "1..=4", "(0..5).rev()", "(2..9).step_by(3)", "0..7"]);
        let range = range.replacen("..", &format!("{}..", self.types.name(&ty)), 1);
        self.scope.push(Var { name: name.clone(), ty, mutable: false });
        let body = self.repeated(depth - 1);
        self.scope.retain(|var| var.name != name);
        let exit = if self.random.one_in(3) { self.exit_of_loop() } else { String::new() };
        let attr = self.loop_attribute(&["#[unroll]", "#[unroll(2)]", "#[unroll(3)]", "#[unroll(1)]"]);
        format!("{attr}for {name} in {range} {{ {exit} {body} }}")
    }

    /// One of these, or none.
    fn loop_attribute(&mut self, attrs: &[&'static str]) -> &'static str {
        if self.random.one_in(3) { self.random.pick(attrs) } else { "" }
    }

    /// A loop that reduces, with several accumulators; one that reads ahead.
    fn reduction(&mut self) -> String {
        let (k, sum) = (self.fresh("k"), self.fresh("v"));
        let rounds = self.random.pick(&["0..7", "1..=8", "0..n.rem_euclid(9)"]);
        let (ty, value, op) = match self.random.below(4) {
            0 => {
                let op = self.random.pick(&["+=", "^=", "|=", "&=", "*="]);
                let value = self.expr(&Ty::I32, 2);
                (Ty::I32, format!("({value}) ^ {k}"), op)
            }
            1 => (Ty::I32, format!("x[t + {k} as usize]"), "^="),
            2 => (Ty::F32, format!("f[t + {k} as usize]"), "+="),
            _ => (Ty::F32, format!("f[t + {k} as usize] * {}", self.expr(&Ty::F32, 1)), "+="),
        };
        let first = self.expr(&ty, 1);
        let attrs: &[&'static str] = if value.contains("[t +") {
            &["#[ilp(2)] ", "#[ilp(4)] ", "#[prefetch(1)] ", "#[prefetch(2)] ", "#[unroll(4)] "]
        } else {
            &["#[ilp(2)] ", "#[ilp(3)] ", "#[unroll(4)] "]
        };
        let (attr, name) = (self.random.pick(attrs), self.types.name(&ty));
        // An unused sum is no reduction.
        let used = if ty == Ty::I32 { format!("a0 ^= {sum};") } else { format!("b0 += {sum};") };
        format!(
            "let mut {sum}: {name} = {first};\n{attr}for {k} in {rounds} {{ {sum} {op} {value}; }}\n{used}"
        )
    }

    /// `if … { break; }` or the like, which parts the threads: only where they need not be together after it.
    fn exit_of_loop(&mut self) -> String {
        if self.uniform {
            return String::new();
        }
        let cond = self.expr(&Ty::BOOL, 2);
        let word = self.random.pick(&["break", "continue"]);
        format!("if {cond} {{ {word}; }}")
    }

    fn loop_over_array(&mut self, depth: usize) -> String {
        let arrays: Vec<(String, Ty)> = self
            .all_places(true)
            .into_iter()
            .filter(|(_, ty)| matches!(self.types.shape(ty), Shape::Array(..)))
            .collect();
        if arrays.is_empty() {
            return self.let_value();
        }
        let (place, ty) = arrays[self.random.below(arrays.len())].clone();
        let Shape::Array(element, _) = self.types.shape(&ty) else { return String::new() };
        let name = self.fresh("e");
        // Expressions inside the borrow of the array must not mention its variable.
        let root: String =
            place.trim_start_matches(['(', '*']).chars().take_while(|c| c.is_alphanumeric()).collect();
        let hidden: Vec<Var> = self.scope.iter().filter(|var| var.name.contains(&root)).cloned().collect();
        match self.random.below(3) {
            0 => {
                let kept = std::mem::take(&mut self.scope);
                self.scope = kept.iter().filter(|var| !var.name.contains(&root)).cloned().collect();
                self.scope.push(Var { name: format!("(*{name})"), ty: (*element).clone(), mutable: true });
                let body = self.repeated(depth - 1);
                self.scope = kept;
                format!("for {name} in {place}.iter_mut() {body}")
            }
            1 => {
                let index = self.fresh("k");
                let kept = self.scope.clone();
                for var in &mut self.scope {
                    var.mutable &= !hidden.iter().any(|other| other.name == var.name);
                }
                self.scope.push(Var { name: format!("(*{name})"), ty: (*element).clone(), mutable: false });
                self.scope.push(Var { name: index.clone(), ty: Ty::USIZE, mutable: false });
                let body = self.repeated(depth - 1);
                self.scope = kept;
                format!("for ({index}, {name}) in {place}.iter().enumerate() {body}")
            }
            _ => {
                let kept = self.scope.len();
                self.scope.push(Var { name: name.clone(), ty: (*element).clone(), mutable: false });
                let body = self.repeated(depth - 1);
                self.scope.truncate(kept);
                format!("for {name} in {place} {body}")
            }
        }
    }

    fn while_loop(&mut self, depth: usize) -> String {
        let counter = self.fresh("w");
        let limit = 2 + self.random.below(5);
        let uniform = self.uniform;
        let cond = if self.random.one_in(2) {
            self.uniform = false;
            format!(" && {}", self.expr(&Ty::BOOL, 2))
        } else {
            String::new()
        };
        let body = self.repeated(depth - 1);
        self.uniform = uniform;
        let attr = self.loop_attribute(&["#[unroll(2)] ", "#[unroll(3)] "]);
        format!("let mut {counter} = 0;\n{attr}while {counter} < {limit}{cond} {{ {counter} += 1; {body} }}")
    }

    fn labelled_loop(&mut self, depth: usize) -> String {
        let (label, counter) = (self.fresh("'l"), self.fresh("w"));
        let (ty, limit) = (self.any_type(), 2 + self.random.below(4));
        let uniform = std::mem::replace(&mut self.uniform, false);
        let (cond, early, last) = (self.expr(&Ty::BOOL, 2), self.expr(&ty, 2), self.expr(&ty, 2));
        let body = self.repeated(depth - 1);
        let inner = self.expr(&Ty::BOOL, 1);
        self.uniform = uniform;
        let name = self.bind(ty, true);
        format!(
            "let mut {counter} = 0;\nlet mut {name} = {label}: loop {{ {counter} += 1; if {counter} > {limit} {{ break {last}; }}\n\
             for _ in 0..2 {{ if {cond} {{ break {label} {early}; }} if {inner} {{ continue {label}; }} }}\n{body} }};"
        )
    }

    fn match_statement(&mut self, depth: usize) -> String {
        let uniform = std::mem::replace(&mut self.uniform, false);
        let text = match self.random.below(3) {
            0 => {
                let value = self.expr(&Ty::I32, 2);
                let (guard, bound) = (self.expr(&Ty::BOOL, 1), self.fresh("m"));
                let arms: Vec<String> = (0..4).map(|_| self.block(depth - 1)).collect();
                self.scope.push(Var { name: bound.clone(), ty: Ty::I32, mutable: false });
                let last = self.block(depth - 1);
                self.scope.retain(|var| var.name != bound);
                format!(
                    "match {value} {{ 0 | 3 => {}, -20..=-1 => {}, {bound} if {bound} > 25 && {guard} => {}, 5.. => {}, {bound} => {last} }}",
                    arms[0], arms[1], arms[2], arms[3]
                )
            }
            1 => {
                let (left, right) = (self.expr(&Ty::BOOL, 2), self.expr(&Ty::I32, 2));
                let arms: Vec<String> = (0..3).map(|_| self.block(depth - 1)).collect();
                format!(
                    "match ({left}, {right}) {{ (true, 0..=9) => {}, (false, _) => {}, (true, _) => {} }}",
                    arms[0], arms[1], arms[2]
                )
            }
            _ => {
                let ty = self.types.some_enum(&mut self.random);
                let value = self.expr(&ty, 2);
                let Shape::Enum(variants) = self.types.shape(&ty) else { return String::new() };
                let name = self.types.name(&ty);
                let first = self.block(depth - 1);
                let rest = self.block(depth - 1);
                format!("match {value} {{ {name}::{} => {first}, _ => {rest} }}", variants[0])
            }
        };
        self.uniform = uniform;
        text
    }

    fn if_let(&mut self, depth: usize) -> String {
        let inner = self.any_scalar();
        let ty = Ty::Option(Box::new(inner.clone()));
        let value = self.expr(&ty, 2);
        let name = self.fresh("o");
        let uniform = std::mem::replace(&mut self.uniform, false);
        self.scope.push(Var { name: name.clone(), ty: inner, mutable: false });
        let chain =
            if self.random.one_in(3) { format!(" && {}", self.expr(&Ty::BOOL, 1)) } else { String::new() };
        let then = self.block(depth - 1);
        self.scope.retain(|var| var.name != name);
        let otherwise = self.block(depth - 1);
        self.uniform = uniform;
        format!("if let Some({name}) = {value}{chain} {then} else {otherwise}")
    }

    /// A closure and two calls of it.
    fn closure(&mut self) -> String {
        let (name, param) = (self.fresh("c"), self.fresh("p"));
        let (takes, gives) = (self.any_scalar(), self.any_scalar());
        self.scope.push(Var { name: param.clone(), ty: takes.clone(), mutable: false });
        let body = self.expr(&gives, 3);
        self.scope.retain(|var| var.name != param);
        let (first, second) = (self.expr(&takes, 2), self.expr(&takes, 2));
        let (left, right) = (self.fresh("v"), self.fresh("v"));
        for result in [&left, &right] {
            self.scope.push(Var { name: result.clone(), ty: gives.clone(), mutable: true });
        }
        // A reference would be moved, and could not be used after.
        let has_references = self.scope.iter().any(|var| var.name.starts_with("(*"));
        let moves = if self.random.one_in(3) && !has_references { "move " } else { "" };
        format!(
            "let {name} = {moves}|{param}: {}| {body};\nlet mut {left} = {name}({first});\nlet mut {right} = {name}({second});",
            self.types.name(&takes)
        )
    }

    /// Calls a function, with variables of its own for what it changes.
    fn call_with_reference(&mut self) -> String {
        if self.functions.is_empty() {
            return self.let_value();
        }
        let function = self.functions[self.random.below(self.functions.len())].clone();
        let mut text = String::new();
        let mut args = Vec::new();
        let mut made = Vec::new();
        for (ty, by_reference) in &function.params {
            let value = self.expr(ty, 2);
            if *by_reference {
                let name = self.fresh("v");
                writeln!(text, "let mut {name} = {value};").expect("a `String` takes it");
                args.push(format!("&mut {name}"));
                made.push(Var { name, ty: ty.clone(), mutable: true });
            } else {
                args.push(value);
            }
        }
        self.scope.extend(made);
        let name = self.bind(function.result.clone(), true);
        format!("{text}let mut {name} = {}(t, {});", function.name, args.join(", "))
    }

    /// Threads exchange values through shared memory.
    fn exchange(&mut self) -> String {
        let ty = self.any_scalar();
        let (tile, value, shift) = (self.fresh("tile"), self.expr(&ty, 2), 1 + self.random.below(63));
        if matches!(self.types.shape(&ty), Shape::Bool) {
            return self.collective();
        }
        let written = self.types.name(&ty);
        let name = self.bind(ty, true);
        format!(
            "let mut {tile} = shared::<[{written}; 64]>();\nbarrier();\n{tile}[t] = {value};\nbarrier();\n\
             let mut {name} = {tile}[(t + {shift}) % 64];\nbarrier();"
        )
    }

    /// A warp's threads exchange values.
    fn collective(&mut self) -> String {
        let lane = self.random.below(32);
        match self.random.below(4) {
            0 => {
                let cond = self.expr(&Ty::BOOL, 2);
                let name = self.bind(Ty::U32, true);
                format!("let mut {name} = warp::ballot({cond});")
            }
            1 => {
                let value = self.expr(&Ty::I32, 2);
                let name = self.bind(Ty::I32, true);
                let reduce = self.random.pick(&["reduce_add", "reduce_max", "scan_add"]);
                format!("let mut {name} = warp::{reduce}({value});")
            }
            _ => {
                let ty = self.types.lane(&mut self.random);
                let value = self.expr(&ty, 2);
                let name = self.bind(ty, true);
                let shuffle = self.random.pick(&["shfl_xor", "shfl_down", "shfl_up", "shfl_idx"]);
                format!("let mut {name} = warp::{shuffle}({value}, {lane});")
            }
        }
    }

    // Types and places.

    fn any_scalar(&mut self) -> Ty {
        self.types.scalar(&mut self.random)
    }

    fn any_type(&mut self) -> Ty {
        self.types.any(&mut self.random)
    }

    /// Everything of scalar type that can be read (or written, with `mutable`).
    fn places(&mut self, mutable: bool) -> Vec<(String, Ty)> {
        let mut places = self.all_places(mutable);
        places.retain(|(_, ty)| self.types.is_leaf(ty));
        places
    }

    fn all_places(&mut self, mutable: bool) -> Vec<(String, Ty)> {
        let mut places = Vec::new();
        for var in self.scope.clone() {
            if var.mutable || !mutable {
                self.parts(var.name, var.ty, &mut places);
            }
        }
        places
    }

    fn parts(&mut self, place: String, ty: Ty, places: &mut Vec<(String, Ty)>) {
        match self.types.shape(&ty) {
            Shape::Fields(fields) => {
                for (member, ty) in fields {
                    self.parts(format!("{place}.{member}"), ty, places);
                }
            }
            Shape::Array(element, len) => {
                let index = if self.random.one_in(2) {
                    self.random.below(len).to_string()
                } else {
                    let shift = self.random.below(9);
                    format!("(t + {shift}) % {len}")
                };
                self.parts(format!("{place}[{index}]"), *element, places);
            }
            Shape::Bool
            | Shape::Int
            | Shape::Float
            | Shape::Enum(_)
            | Shape::Data(_)
            | Shape::Option(_)
            | Shape::Result(_) => {}
        }
        places.push((place, ty));
    }

    // Expressions.

    /// An expression of this type.
    fn expr(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.random.one_in(6) {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        match self.random.below(14) {
            0 => {
                let cond = self.expr(&Ty::BOOL, depth);
                format!("(if {cond} {{ {} }} else {{ {} }})", self.expr(ty, depth), self.expr(ty, depth))
            }
            1 => {
                let other = self.any_scalar();
                let value = self.expr(&other, depth);
                let name = self.fresh("v");
                self.scope.push(Var { name: name.clone(), ty: other, mutable: false });
                let rest = self.expr(ty, depth);
                self.scope.retain(|var| var.name != name);
                format!("{{ let {name} = {value}; {rest} }}")
            }
            2 => {
                let value = self.expr(&Ty::I32, depth);
                let arms: Vec<String> = (0..3).map(|_| self.expr(ty, depth)).collect();
                format!(
                    "(match {value} {{ 0..=12 => {}, -7 | -3 => {}, _ => {} }})",
                    arms[0], arms[1], arms[2]
                )
            }
            3 => self.call(ty, depth).unwrap_or_else(|| self.leaf(ty)),
            _ => self.operation(ty, depth),
        }
    }

    /// A call of a function with this result that takes everything by value.
    fn call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let fitting =
            |f: &&Function| f.result == *ty && f.params.iter().all(|(_, by_reference)| !by_reference);
        let fitting: Vec<Function> = self.functions.iter().filter(fitting).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let function = &fitting[self.random.below(fitting.len())];
        let args: Vec<String> = function.params.iter().map(|(ty, _)| self.expr(ty, depth)).collect();
        Some(format!("{}(t, {})", function.name, args.join(", ")))
    }

    /// A variable, or a value made on the spot.
    fn leaf(&mut self, ty: &Ty) -> String {
        let places: Vec<String> = self
            .all_places(false)
            .into_iter()
            .filter(|(_, other)| other == ty)
            .map(|(place, _)| place)
            .collect();
        if !places.is_empty() && !self.random.one_in(5) {
            return places[self.random.below(places.len())].clone();
        }
        self.made(ty, 0)
    }

    /// A value from its parts.
    fn made(&mut self, ty: &Ty, depth: usize) -> String {
        let name = self.types.name(ty);
        match self.types.shape(ty) {
            Shape::Bool => self.random.pick(&["true", "false"]).into(),
            Shape::Int => format!("{}{name}", self.random.below(100)),
            Shape::Float => {
                format!("{}{name}", self.random.pick(&["0.0", "1.0", "2.5", "0.1", "1e-3", "123.5"]))
            }
            Shape::Enum(variants) => format!("{name}::{}", variants[self.random.below(variants.len())]),
            Shape::Data(variants) => {
                let variant = &variants[self.random.below(variants.len())];
                let parts: Vec<String> = variant.fields.iter().map(|ty| self.expr(ty, depth)).collect();
                format!("({})", variant.text(&name, &parts))
            }
            Shape::Result(inner) => match self.random.one_in(3) {
                true => format!("Err::<{}, i32>({})", self.types.name(&inner), self.expr(&Ty::I32, depth)),
                false => format!("Ok::<{}, i32>({})", self.types.name(&inner), self.expr(&inner, depth)),
            },
            Shape::Option(inner) => {
                if self.random.one_in(3) {
                    format!("None::<{}>", self.types.name(&inner))
                } else {
                    format!("Some({})", self.expr(&inner, depth))
                }
            }
            Shape::Array(element, len) => {
                if self.random.one_in(2) {
                    return format!("[{}; {len}]", self.expr(&element, depth));
                }
                let elements: Vec<String> = (0..len).map(|_| self.expr(&element, depth)).collect();
                format!("[{}]", elements.join(", "))
            }
            Shape::Fields(fields) => {
                let is_tuple = matches!(ty, Ty::Tuple(_));
                let parts: Vec<String> = fields
                    .iter()
                    .map(|(member, ty)| {
                        let value = self.expr(ty, depth);
                        if is_tuple { value } else { format!("{member}: {value}") }
                    })
                    .collect();
                if is_tuple {
                    format!("({})", parts.join(", "))
                } else {
                    format!("({name} {{ {} }})", parts.join(", "))
                }
            }
        }
    }

    fn operation(&mut self, ty: &Ty, depth: usize) -> String {
        match self.types.shape(ty) {
            Shape::Bool => self.bool(depth),
            Shape::Int => self.int(ty, depth),
            Shape::Float => self.float(ty, depth),
            Shape::Option(inner) if self.random.one_in(3) => {
                let from = Ty::Result(inner);
                format!("{}.ok()", self.expr(&from, depth))
            }
            Shape::Result(inner) if self.random.one_in(3) => {
                let from = Ty::Option(inner);
                format!("{}.ok_or({})", self.expr(&from, depth), self.expr(&Ty::I32, depth))
            }
            Shape::Enum(_)
            | Shape::Data(_)
            | Shape::Option(_)
            | Shape::Result(_)
            | Shape::Array(..)
            | Shape::Fields(_) => self.made(ty, depth),
        }
    }

    fn bool(&mut self, depth: usize) -> String {
        match self.random.below(8) {
            6 => {
                let ty = Ty::Result(Box::new(self.any_scalar()));
                format!("{}.is_ok()", self.expr(&ty, depth))
            }
            7 => self.chain_to_bool(depth),
            0 => {
                let op = self.random.pick(&["&&", "||", "^", "=="]);
                format!("({} {op} {})", self.expr(&Ty::BOOL, depth), self.expr(&Ty::BOOL, depth))
            }
            1 => format!("(!{})", self.expr(&Ty::BOOL, depth)),
            2 => {
                let ty = Ty::Option(Box::new(self.any_scalar()));
                format!("{}.is_some()", self.expr(&ty, depth))
            }
            _ => {
                let ty = self.any_scalar();
                let op = self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                format!("({} {op} {})", self.expr(&ty, depth), self.expr(&ty, depth))
            }
        }
    }

    fn int(&mut self, ty: &Ty, depth: usize) -> String {
        let name = self.types.name(ty);
        match self.random.below(14) {
            10 | 11 => self.chain_to_int(ty, depth),
            12 => {
                let of = self.types.some_data(&mut self.random);
                let Shape::Data(variants) = self.types.shape(&of) else { return String::new() };
                let value = self.expr(&of, depth);
                self.match_on(&value, &self.types.name(&of), &variants, ty, depth)
            }
            13 => {
                let from = Ty::Result(Box::new(ty.clone()));
                format!("{}.unwrap_or({})", self.expr(&from, depth), self.expr(ty, depth))
            }
            0..=3 => {
                let op = self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            4 => {
                let op = self.random.pick(&["/", "%"]);
                format!("({} {op} (({} | 1) & {name}::MAX))", self.expr(ty, depth), self.expr(ty, depth))
            }
            5 => {
                let op = self.random.pick(&["<<", ">>"]);
                format!("({} {op} ({} & 31))", self.expr(ty, depth), self.expr(&Ty::U32, depth))
            }
            6 => {
                let from = self.any_scalar();
                format!("({} as {name})", self.expr(&from, depth))
            }
            7 => format!("(!{})", self.expr(ty, depth)),
            8 => {
                let inner = Ty::Option(Box::new(ty.clone()));
                format!("{}.unwrap_or({})", self.expr(&inner, depth), self.expr(ty, depth))
            }
            _ => {
                let method = self.random.pick(&["min", "max", "wrapping_mul", "wrapping_add"]);
                format!("{}.{method}({})", self.expr(ty, depth), self.expr(ty, depth))
            }
        }
    }

    fn float(&mut self, ty: &Ty, depth: usize) -> String {
        let name = self.types.name(ty);
        match self.random.below(9) {
            0..=3 => {
                let op = self.random.pick(&["+", "-", "*", "/"]);
                format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            4 => {
                let from = self.types.int(&mut self.random);
                format!("({} as {name})", self.expr(&from, depth))
            }
            5 => format!("(-{})", self.expr(ty, depth)),
            6 => format!("{}.abs().sqrt()", self.expr(ty, depth)),
            7 => format!(
                "{}.mul_add({}, {})",
                self.expr(ty, depth),
                self.expr(ty, depth),
                self.expr(ty, depth)
            ),
            _ => {
                let method = self.random.pick(&["min", "max"]);
                format!("{}.{method}({})", self.expr(ty, depth), self.expr(ty, depth))
            }
        }
    }
}
