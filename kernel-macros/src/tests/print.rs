//! The typed tree as compact text: operands with their types where these are not plain.

use crate::infer::written;
use crate::literal::{to_float, to_int};
use crate::typed::*;

/// Signature, variables and body.
pub fn kernel(kernel: &Kernel) -> String {
    let mut printer = Printer { kernel, text: String::new(), depth: 0 };
    let attrs = &kernel.attrs;
    if *attrs != Default::default() {
        printer.line(&format!(
            "launch_bounds {:?} {:?} block {:?} fp_contract_off {}",
            attrs.max_threads, attrs.min_blocks, attrs.block, attrs.fp_contract_off
        ));
    }
    let params: Vec<String> = kernel
        .params()
        .iter()
        .map(|param| {
            format!("{}{}: {}", if param.mutable { "mut " } else { "" }, param.name, written(&param.ty))
        })
        .collect();
    printer.line(&format!("fn {}({}) {{", kernel.name, params.join(", ")));
    printer.block(&kernel.body);
    printer.line("}");
    printer.text.trim_end().to_owned()
}

struct Printer<'a> {
    kernel: &'a Kernel,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(&"    ".repeat(self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn local(&self, id: LocalId) -> String {
        let name = &self.kernel.local(id).name;
        // Shadowed names are told apart by their number.
        let shadowed =
            self.kernel.locals.iter().enumerate().any(|(other, local)| local.name == *name && other != id.0);
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
            Stmt::Let { local, init, .. } => {
                let name = match local {
                    Some(id) => {
                        let local = self.kernel.local(*id);
                        let mutable = if local.mutable { "mut " } else { "" };
                        format!("{mutable}{}: {}", self.local(*id), written(&local.ty))
                    }
                    None => "_".to_owned(),
                };
                let init = init.as_ref().map(|init| format!(" = {}", self.expr(init))).unwrap_or_default();
                format!("let {name}{init};")
            }
            Stmt::Expr(expr) => format!("{};", self.expr(expr)),
            Stmt::Const(id) => {
                let constant = &self.kernel.consts[id.0];
                format!("const {}: {} = {};", constant.name, constant.ty.name(), value(constant.value))
            }
        };
        self.line(&line);
    }

    fn args(&mut self, args: &[Expr]) -> String {
        args.iter().map(|arg| self.expr(arg)).collect::<Vec<_>>().join(", ")
    }

    fn label(label: &Option<syn::Lifetime>, id: LoopId) -> String {
        match label {
            Some(label) => format!("{label}#{}: ", id.0),
            None => format!("#{}: ", id.0),
        }
    }

    fn expr(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Literal(literal) => value(*literal),
            ExprKind::Path { value: known, .. } => value(*known),
            ExprKind::Local(id) => self.local(*id),
            ExprKind::Const(id) => self.kernel.consts[id.0].name.to_string(),
            ExprKind::Unary { op, arg } => format!("{op:?}({})", self.expr(arg)),
            ExprKind::Binary { op, lhs, rhs } => {
                let ty = written(&lhs.ty);
                format!("{op:?}.{ty}({}, {})", self.expr(lhs), self.expr(rhs))
            }
            ExprKind::Logical { and, lhs, rhs } => {
                format!("({} {} {})", self.expr(lhs), if *and { "&&" } else { "||" }, self.expr(rhs))
            }
            ExprKind::MulAdd { a, b, c, negate_product, negate_c, product_first } => format!(
                "MulAdd.{}({}{}, {}, {}{}{})",
                written(&expr.ty),
                if *negate_product { "-" } else { "" },
                self.expr(a),
                self.expr(b),
                if *negate_c { "-" } else { "" },
                self.expr(c),
                if *product_first { "" } else { ", c first" }
            ),
            ExprKind::Cast(arg) => {
                format!("({}: {} as {})", self.expr(arg), written(&arg.ty), written(&expr.ty))
            }
            ExprKind::Axis { base, axis } => format!("{}.{}", self.expr(base), ["x", "y", "z"][*axis]),
            ExprKind::Index { base, index } => format!("{}[{}]", self.expr(base), self.expr(index)),
            ExprKind::Call { builtin, args } => {
                format!("{builtin:?}({}) -> {}", self.args(args), written(&expr.ty))
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
            ExprKind::If { cond, then, otherwise } => {
                let head = format!("if.{} {} {}", written(&expr.ty), self.expr(cond), self.nested(then));
                match otherwise {
                    Some(otherwise) => format!("{head} else {}", self.expr(otherwise)),
                    None => head,
                }
            }
            ExprKind::Loop { id, label, body } => {
                format!("{}loop.{} {}", Self::label(label, *id), written(&expr.ty), self.nested(body))
            }
            ExprKind::While { id, label, cond, body } => {
                format!("{}while {} {}", Self::label(label, *id), self.expr(cond), self.nested(body))
            }
            ExprKind::For { id, label, local, range, body } => {
                let name = local.map_or("_".to_owned(), |local| self.local(local));
                let dots = if range.inclusive { "..=" } else { ".." };
                let mut head = format!("({}{dots}{})", self.expr(&range.start), self.expr(&range.end));
                for adaptor in &range.adaptors {
                    match adaptor {
                        RangeAdaptor::Rev => head.push_str(".rev()"),
                        RangeAdaptor::StepBy(step) => {
                            head.push_str(&format!(".step_by({})", self.expr(step)));
                        }
                    }
                }
                let ty = range.ty.name();
                format!("{}for {name}: {ty} in {head} {}", Self::label(label, *id), self.nested(body))
            }
            ExprKind::Break { target, value, .. } => match value {
                Some(value) => format!("break #{} {}", target.0, self.expr(value)),
                None => format!("break #{}", target.0),
            },
            ExprKind::Continue { target, .. } => format!("continue #{}", target.0),
            ExprKind::Return => "return".to_owned(),
        }
    }
}

fn value(value: ConstValue) -> String {
    let number = match value.ty {
        Scalar::Bool => return (value.bits == 1).to_string(),
        Scalar::F32 | Scalar::F64 => format!("{:?}", to_float(value)),
        _ => to_int(value).to_string(),
    };
    format!("{number}{}", value.ty.name())
}
