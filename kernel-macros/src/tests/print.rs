//! The typed tree as compact text: operands with their types where these are not plain.

use crate::attrs::KernelAttrs;
use crate::infer::written;
use crate::literal::{to_float, to_int};
use crate::typed::*;

/// The kernel's own function, then the others that it reaches: signature, constants, variables and body of each.
pub fn kernel(kernel: &Kernel) -> String {
    let mut text = String::new();
    let attrs = &kernel.attrs;
    let set = attributes(attrs);
    if !set.is_empty() {
        text.push_str(&format!("{}\n", set.join(", ")));
    }
    for function in kernel.functions.iter().filter(|function| !function.is_library) {
        let mut printer = Printer { kernel, function, text, depth: 0 };
        printer.function();
        text = printer.text;
    }
    text.trim_end().to_owned()
}

/// The attributes that are set.
fn attributes(attrs: &KernelAttrs) -> Vec<String> {
    let bounds = &attrs.bounds;
    let numbers = [
        ("max_threads", bounds.max_threads),
        ("min_blocks", bounds.min_blocks),
        ("max_cluster", bounds.max_cluster),
        ("max_registers", bounds.max_registers),
    ];
    let numbers = numbers.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value?)));
    let shapes = [("block", bounds.block), ("cluster", bounds.cluster)];
    let shapes = shapes.into_iter().filter_map(|(name, shape)| Some(format!("{name} {:?}", shape?)));
    let archs = attrs.archs.iter().map(|(arch, _)| arch.to_string());
    let min_occupancy = attrs.min_occupancy.map(|part| format!("min_occupancy {part}"));
    let flags = [
        ("no_spills", attrs.no_spills),
        ("fp_contract_off", attrs.fp_contract_off),
        ("fast_math", attrs.fast_math),
        ("wide_index", attrs.wide_index),
        ("overflow_checks", attrs.overflow_checks),
        ("deny_checks", attrs.deny_checks),
        ("disjoint", attrs.disjoint),
    ];
    let flags = flags.into_iter().filter(|flag| flag.1).map(|flag| flag.0.to_owned());
    let coarsen = attrs.coarsen.map(|by| format!("coarsen {by}"));
    numbers.chain(shapes).chain(archs).chain(min_occupancy).chain(flags).chain(coarsen).collect()
}

struct Printer<'a> {
    kernel: &'a Kernel,
    function: &'a Function,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(&"    ".repeat(self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn ty(&self, ty: &Ty) -> String {
        match ty {
            Ty::Function(id) => format!("fn {}", self.kernel.function(*id).name),
            other => written(other, &self.kernel.structs, &self.kernel.enums),
        }
    }

    fn function(&mut self) {
        let function = self.function;
        let params: Vec<String> = function
            .params()
            .iter()
            .map(|param| {
                let mutable = if param.mutable { "mut " } else { "" };
                format!("{mutable}{}: {}", param.name, self.ty(&param.ty))
            })
            .collect();
        let result = match &function.result {
            Ty::Unit => String::new(),
            other => format!(" -> {}", self.ty(other)),
        };
        self.line(&format!("fn {}({}){result} {{", function.name, params.join(", ")));
        self.depth += 1;
        for constant in &function.consts {
            let (name, ty) = (&constant.name, self.ty(&constant.ty));
            self.line(&format!("const {name}: {ty} = {};", constant_value(&constant.value)));
        }
        self.depth -= 1;
        self.block(&function.body);
        self.line("}");
    }

    fn local(&self, id: LocalId) -> String {
        let name = &self.function.local(id).name;
        // Shadowed names are told apart by their number.
        let shadowed = self
            .function
            .locals
            .iter()
            .enumerate()
            .any(|(other, local)| local.name == *name && other != id.0);
        if shadowed { format!("{name}#{}", id.0) } else { name.to_string() }
    }

    fn block(&mut self, block: &Block) {
        self.depth += 1;
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        if let Some(value) = &block.value {
            let value = self.expr(value);
            self.line(&value);
        }
        self.depth -= 1;
    }

    fn nested(&mut self, block: &Block) -> String {
        let outer = std::mem::take(&mut self.text);
        self.block(block);
        let inner = std::mem::replace(&mut self.text, outer);
        format!("{{\n{inner}{}}}", "    ".repeat(self.depth))
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let line = match stmt {
            Stmt::Declare(id) => format!("let {};", self.binding(*id)),
            Stmt::Let { pattern, init, otherwise, .. } => {
                let pattern = self.pattern(pattern);
                let init = self.expr(init);
                match otherwise {
                    Some(otherwise) => format!("let {pattern} = {init} else {};", self.nested(otherwise)),
                    None => format!("let {pattern} = {init};"),
                }
            }
            Stmt::Expr(expr) => format!("{};", self.expr(expr)),
        };
        self.line(&line);
    }

    fn binding(&self, id: LocalId) -> String {
        let local = self.function.local(id);
        let mutable = if local.mutable { "mut " } else { "" };
        format!("{mutable}{}: {}", self.local(id), self.ty(&local.ty))
    }

    fn patterns(&mut self, patterns: &[Pattern]) -> String {
        patterns.iter().map(|part| self.pattern(part)).collect::<Vec<_>>().join(", ")
    }

    fn pattern(&mut self, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Wild => "_".to_owned(),
            Pattern::Bind { local, mode, inner } => {
                let by = match mode {
                    BindMode::Value => "",
                    BindMode::Ref { mutable: false } => "ref ",
                    BindMode::Ref { mutable: true } => "ref mut ",
                };
                let inner =
                    inner.as_ref().map(|inner| format!(" @ {}", self.pattern(inner))).unwrap_or_default();
                format!("{by}{}{inner}", self.binding(*local))
            }
            Pattern::Constant(constant) => value(*constant),
            Pattern::Range { start, end, inclusive } => {
                let bound = |bound: &Option<ConstValue>| bound.map(value).unwrap_or_default();
                format!("{}{}{}", bound(start), if *inclusive { "..=" } else { ".." }, bound(end))
            }
            Pattern::Fields(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(index, part)| format!("{index}: {}", self.pattern(part))).collect();
                format!("{{{}}}", fields.join(", "))
            }
            Pattern::Rest { pattern, .. } => format!("{} @ ..", self.pattern(pattern)),
            Pattern::Slice { before, rest, after } => {
                let rest =
                    rest.as_ref().map(|rest| format!("{} @ ..", self.pattern(rest))).unwrap_or_default();
                format!("[{} | {rest} | {}]", self.patterns(before), self.patterns(after))
            }
            Pattern::Some(inner) => format!("Some({})", self.pattern(inner)),
            Pattern::None => "None".to_owned(),
            Pattern::Deref(inner) => format!("&{}", self.pattern(inner)),
            Pattern::Or(cases) => cases.iter().map(|case| self.pattern(case)).collect::<Vec<_>>().join(" | "),
        }
    }

    fn args(&mut self, args: &[Expr]) -> String {
        args.iter().map(|arg| self.expr(arg)).collect::<Vec<_>>().join(", ")
    }

    fn optional(&mut self, expr: Option<&Expr>) -> String {
        expr.map(|expr| self.expr(expr)).unwrap_or_default()
    }

    fn label(label: &Option<syn::Lifetime>, id: LoopId) -> String {
        match label {
            Some(label) => format!("{label}#{}: ", id.0),
            None => format!("#{}: ", id.0),
        }
    }

    fn closure(&mut self, id: ClosureId) -> String {
        let function = self.function;
        let closure = &function.closures[id.0];
        let params: Vec<String> = closure.params.iter().map(|id| self.binding(*id)).collect();
        let moves = match &closure.captures {
            Some(captures) => {
                let names: Vec<String> = captures.iter().map(|id| self.local(*id)).collect();
                format!("move({}) ", names.join(", "))
            }
            None => String::new(),
        };
        format!("{moves}|{}| {}", params.join(", "), self.expr(&closure.body))
    }

    fn expr(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Literal(literal) | ExprKind::Path(literal) => value(*literal),
            ExprKind::Local(id) => self.local(*id),
            ExprKind::Const(id) => self.function.consts[id.0].name.to_string(),
            ExprKind::Closure(id) => self.closure(*id),
            ExprKind::Function => self.ty(&expr.ty),
            ExprKind::Unit => "()".to_owned(),
            ExprKind::Tuple(parts) => format!("({})", self.args(parts)),
            ExprKind::Array(parts) => format!("[{}]", self.args(parts)),
            ExprKind::Repeat(part) => format!("{}[{}; _]", self.ty(&expr.ty), self.expr(part)),
            ExprKind::Struct { fields, base } => {
                let mut parts: Vec<String> =
                    fields.iter().map(|(index, field)| format!("{index}: {}", self.expr(field))).collect();
                parts.extend(base.as_ref().map(|base| format!("..{}", self.expr(base))));
                format!("{} {{ {} }}", self.ty(&expr.ty), parts.join(", "))
            }
            ExprKind::Variant(index) => format!("{}#{index}", self.ty(&expr.ty)),
            ExprKind::Some(part) => format!("Some({})", self.expr(part)),
            ExprKind::None => format!("None.{}", self.ty(&expr.ty)),
            ExprKind::Field { base, index } => format!("{}.{index}", self.expr(base)),
            ExprKind::Deref(arg) => format!("*{}", self.expr(arg)),
            ExprKind::Ref(arg) => {
                let mutable = if matches!(&expr.ty, Ty::Ref { mutable: true, .. }) { "mut " } else { "" };
                format!("&{mutable}{}", self.expr(arg))
            }
            ExprKind::Unsize(arg) => format!("({} as {})", self.expr(arg), self.ty(&expr.ty)),
            ExprKind::Subslice { base, start, end, inclusive } => format!(
                "&{}[{}{}{}]",
                self.expr(base),
                self.optional(start.as_deref()),
                if *inclusive { "..=" } else { ".." },
                self.optional(end.as_deref())
            ),
            ExprKind::Unary { op, arg } => format!("{op:?}({})", self.expr(arg)),
            ExprKind::Binary { op, lhs, rhs } => {
                format!("{op:?}.{}({}, {})", self.ty(&lhs.ty), self.expr(lhs), self.expr(rhs))
            }
            ExprKind::Logical { and, lhs, rhs } => {
                format!("({} {} {})", self.expr(lhs), if *and { "&&" } else { "||" }, self.expr(rhs))
            }
            ExprKind::MulAdd { a, b, c, negate_product, negate_c, product_first } => format!(
                "MulAdd.{}({}{}, {}, {}{}{})",
                self.ty(&expr.ty),
                if *negate_product { "-" } else { "" },
                self.expr(a),
                self.expr(b),
                if *negate_c { "-" } else { "" },
                self.expr(c),
                if *product_first { "" } else { ", c first" }
            ),
            ExprKind::Cast(arg) => {
                format!("({}: {} as {})", self.expr(arg), self.ty(&arg.ty), self.ty(&expr.ty))
            }
            ExprKind::Axis { base, axis } => format!("{}.{}", self.expr(base), ["x", "y", "z"][*axis]),
            ExprKind::Index { base, index } => format!("{}[{}]", self.expr(base), self.expr(index)),
            ExprKind::Call { builtin, args } => {
                format!("{builtin:?}({}) -> {}", self.args(args), self.ty(&expr.ty))
            }
            ExprKind::Invoke { function, args } => {
                format!("{}({})", self.kernel.function(*function).name, self.args(args))
            }
            ExprKind::Atomic(access) => {
                let (op, order, failure) = (access.op, access.order, access.failure);
                let (place, args) = (self.expr(&access.place), self.args(&access.args));
                format!("atomic {op:?}.{:?}.{order:?}.{failure:?} {place} ({args})", access.atomic.scope)
            }
            ExprKind::Fence { order, scope } => format!("fence.{scope:?}.{order:?}"),
            ExprKind::InvokeValue { callee, args } => format!("({})({})", self.expr(callee), self.args(args)),
            ExprKind::Consume { iter, how } => format!("{}{}", self.iter(iter), self.consumer(how)),
            ExprKind::InlinePtx(ptx) => format!("inline_ptx({:?}, {})", ptx.text, self.args(&ptx.ins)),
            ExprKind::Panic { format, args } => {
                format!("panic({:?}, {})", self.function.formats[format.0].text, self.args(args))
            }
            ExprKind::Print { format, args } => {
                format!("print({:?}, {})", self.function.formats[format.0].text, self.args(args))
            }
            ExprKind::Let { pattern, value } => {
                format!("(let {} = {})", self.pattern(pattern), self.expr(value))
            }
            ExprKind::Match { value, arms, .. } => {
                let head = format!("match.{} {} {{", self.ty(&expr.ty), self.expr(value));
                self.depth += 1;
                let indent = "    ".repeat(self.depth);
                let arms: String = arms
                    .iter()
                    .map(|arm| {
                        let pattern = self.pattern(&arm.pattern);
                        let guard = arm
                            .guard
                            .as_ref()
                            .map(|guard| format!(" if {}", self.expr(guard)))
                            .unwrap_or_default();
                        format!("{indent}{pattern}{guard} => {},\n", self.expr(&arm.body))
                    })
                    .collect();
                self.depth -= 1;
                format!("{head}\n{arms}{}}}", "    ".repeat(self.depth))
            }
            ExprKind::Assign { place, value } => format!("{} = {}", self.expr(place), self.expr(value)),
            ExprKind::AssignOp { op, place, value } => {
                format!("{} {op:?}= {}", self.expr(place), self.expr(value))
            }
            ExprKind::AssignMulAdd { place, a, b, negate_product } => format!(
                "{} {}= fused {} * {}",
                self.expr(place),
                if *negate_product { "-" } else { "+" },
                self.expr(a),
                self.expr(b)
            ),
            ExprKind::Block(block) => self.nested(block),
            ExprKind::Labeled { id, label, body } => {
                format!("{label}#{}: {}", id.0, self.nested(body))
            }
            ExprKind::If { cond, then, otherwise, .. } => {
                let head = format!("if.{} {} {}", self.ty(&expr.ty), self.expr(cond), self.nested(then));
                match otherwise {
                    Some(otherwise) => format!("{head} else {}", self.expr(otherwise)),
                    None => head,
                }
            }
            ExprKind::Loop { id, label, body } => {
                format!("{}loop.{} {}", Self::label(label, *id), self.ty(&expr.ty), self.nested(body))
            }
            ExprKind::While { id, label, cond, body } => {
                format!("{}while {} {}", Self::label(label, *id), self.expr(cond), self.nested(body))
            }
            ExprKind::For { id, label, pattern, iter, body } => {
                let (pattern, iter) = (self.pattern(pattern), self.iter(iter));
                format!("{}for {pattern} in {iter} {}", Self::label(label, *id), self.nested(body))
            }
            ExprKind::Break { target, value } => match value {
                Some(value) => format!("break #{} {}", target.0, self.expr(value)),
                None => format!("break #{}", target.0),
            },
            ExprKind::Continue { target } => format!("continue #{}", target.0),
            ExprKind::Return(None) => "return".to_owned(),
            ExprKind::Return(Some(value)) => format!("return {}", self.expr(value)),
        }
    }

    fn iter(&mut self, iter: &Iter) -> String {
        match &iter.kind {
            IterKind::Range { start, end, inclusive } => {
                let dots = if *inclusive { "..=" } else { ".." };
                format!("({}{dots}{})", self.expr(start), self.expr(end))
            }
            IterKind::Slice(slice) => format!("{}.iter()", self.expr(slice)),
            IterKind::Array(array) => format!("each {}", self.expr(array)),
            IterKind::ChunksExact { slice, size } => {
                format!("{}.chunks_exact({})", self.expr(slice), self.expr(size))
            }
            IterKind::Chunks { slice, size } => format!("{}.chunks({})", self.expr(slice), self.expr(size)),
            IterKind::Windows { slice, size } => format!("{}.windows({})", self.expr(slice), self.expr(size)),
            IterKind::Rev(inner) => format!("{}.rev()", self.iter(inner)),
            IterKind::StepBy(inner, step) => format!("{}.step_by({})", self.iter(inner), self.expr(step)),
            IterKind::Enumerate(inner) => format!("{}.enumerate()", self.iter(inner)),
            IterKind::Zip(inner, other) => format!("{}.zip({})", self.iter(inner), self.iter(other)),
            IterKind::Take(inner, count) => format!("{}.take({})", self.iter(inner), self.expr(count)),
            IterKind::Skip(inner, count) => format!("{}.skip({})", self.iter(inner), self.expr(count)),
            IterKind::Chain(inner, other) => format!("{}.chain({})", self.iter(inner), self.iter(other)),
            IterKind::Copied(inner) => format!("{}.copied()", self.iter(inner)),
            IterKind::Map(inner, f) => format!("{}.map({})", self.iter(inner), self.expr(f)),
            IterKind::Filter(inner, f) => format!("{}.filter({})", self.iter(inner), self.expr(f)),
            IterKind::TakeWhile(inner, f) => format!("{}.take_while({})", self.iter(inner), self.expr(f)),
            IterKind::FilterMap(inner, f) => format!("{}.filter_map({})", self.iter(inner), self.expr(f)),
            IterKind::MapWhile(inner, f) => format!("{}.map_while({})", self.iter(inner), self.expr(f)),
            IterKind::SkipWhile(inner, f) => format!("{}.skip_while({})", self.iter(inner), self.expr(f)),
            IterKind::Scan(inner, init, f) => {
                format!("{}.scan({}, {})", self.iter(inner), self.expr(init), self.expr(f))
            }
            IterKind::Cycle(inner) => format!("{}.cycle()", self.iter(inner)),
        }
    }

    fn consumer(&mut self, how: &Consumer) -> String {
        match how {
            Consumer::Sum => ".sum()".to_owned(),
            Consumer::Product => ".product()".to_owned(),
            Consumer::Extreme { max } => format!(".{}()", if *max { "max" } else { "min" }),
            Consumer::ExtremeBy { max, order } => {
                format!(".{}_by({})", if *max { "max" } else { "min" }, self.expr(order))
            }
            Consumer::ExtremeByKey { max, key, .. } => {
                format!(".{}_by_key({})", if *max { "max" } else { "min" }, self.expr(key))
            }
            Consumer::TryFold(init, f) => format!(".try_fold({}, {})", self.expr(init), self.expr(f)),
            Consumer::RPosition(f) => format!(".rposition({})", self.expr(f)),
            Consumer::Fold(init, f) => format!(".fold({}, {})", self.expr(init), self.expr(f)),
            Consumer::Reduce(f) => format!(".reduce({})", self.expr(f)),
            Consumer::ForEach(f) => format!(".for_each({})", self.expr(f)),
            Consumer::Any(f) => format!(".any({})", self.expr(f)),
            Consumer::All(f) => format!(".all({})", self.expr(f)),
            Consumer::Position(f) => format!(".position({})", self.expr(f)),
            Consumer::Find(f) => format!(".find({})", self.expr(f)),
            Consumer::Count => ".count()".to_owned(),
            Consumer::Last => ".last()".to_owned(),
            Consumer::First => ".next()".to_owned(),
        }
    }
}

fn constant_value(constant: &Constant) -> String {
    match constant {
        Constant::Scalar(scalar) => value(*scalar),
        Constant::Aggregate(parts) => {
            format!("[{}]", parts.iter().map(constant_value).collect::<Vec<_>>().join(", "))
        }
        Constant::Option(None) => "None".to_owned(),
        Constant::Option(Some(inner)) => format!("Some({})", constant_value(inner)),
    }
}

fn value(value: ConstValue) -> String {
    let number = match value.ty {
        Scalar::Bool => return (value.bits == 1).to_string(),
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => format!("{:?}", to_float(value)),
        Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::Isize
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::Usize => to_int(value).to_string(),
    };
    format!("{number}{}", value.ty.name())
}
