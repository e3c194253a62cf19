//! The walk over a text: blocks, statements, expressions, with what is in scope at each place.

use super::help::HOST_CRATES;
use super::items::{Items, Namespace};
use super::{ConstMeaning, Meaning, Table, Text, TypeMeaning, pattern};
use crate::ast::{
    Block, Counts, Expr, ExprKind, Function, GenericArg, GenericParam, GenericParamKind, ImplId,
    InlineOperand, Item, Local, ModuleId, Pattern, Scope, Stmt, Type, TypeKind,
};
use crate::diagnostics::{Diagnostics, did_you_mean};
use crate::typed::{LocalId, LoopId};

/// A name in scope.
#[derive(Clone, Copy)]
pub(super) enum Binding<'a> {
    Local(LocalId),
    /// A constant generic parameter.
    ConstParam(usize),
    /// A type parameter.
    TypeParam(usize),
    /// An item of a block.
    Item(&'a Item),
}

pub(super) struct OpenLoop<'a> {
    id: LoopId,
    pub(super) label: Option<&'a syn::Lifetime>,
    /// The keyword of the loop; "block" for a labelled block.
    keyword: &'static str,
}

/// Resolves one text.
pub(super) struct Resolver<'a, 'd> {
    pub(super) items: &'a Items<'a>,
    pub(super) diagnostics: &'d mut Diagnostics,
    pub(super) table: Table,
    /// The names in scope; the last entry of a name counts.
    pub(super) names: Vec<(String, Binding<'a>)>,
    pub(super) globs: Vec<syn::Path>,
    /// Variables of the function around this one.
    pub(super) outer_variables: &'a [String],
    pub(super) module: ModuleId,
    pub(super) is_library: bool,
    /// The impl that `Self` refers to.
    pub(super) owner: Option<ImplId>,
    pub(super) locals: &'a [Local],
    /// The function's closures, to be walked where they stand.
    closures: &'a [crate::ast::Closure],
    /// The attributes of the function's loops.
    loop_attrs: &'a [crate::ast::LoopAttrs],
    pub(super) loops: Vec<OpenLoop<'a>>,
    /// The name of the function, and whether a closure is around.
    pub(super) in_closure: bool,
    /// Inside the value of a constant or the length of an array.
    pub(super) in_const: bool,
    /// Within the generic argument of `shared`.
    pub(super) in_shared: bool,
    /// Among the parameters of a kernel.
    pub(super) in_signature: bool,
}

/// The meanings in one text.
pub(super) fn text<'a>(items: &'a Items<'a>, text: Text, diagnostics: &mut Diagnostics) -> Table {
    let program = items.program;
    match text {
        Text::Function(id) => {
            let function = &program.functions[id.0];
            let mut resolver =
                Resolver::new(items, &function.scope, function.counts, &function.locals, diagnostics);
            resolver.closures = &function.closures;
            resolver.loop_attrs = &function.loops;
            resolver.own(function.owner);
            resolver.function(function, text);
            resolver.table
        }
        Text::Const(id) => {
            let constant = &program.consts[id.0];
            let mut resolver =
                Resolver::new(items, &constant.scope, constant.counts, &constant.locals, diagnostics);
            resolver.own(constant.owner);
            resolver.ty(&constant.ty);
            resolver.expr(&constant.init);
            resolver.table
        }
        Text::Struct(id) => {
            let item = &program.structs[id.0];
            let mut resolver = Resolver::new(items, &item.scope, item.counts, &[], diagnostics);
            resolver.generics(&item.generics);
            for (_, ty) in &item.fields {
                resolver.ty(ty);
            }
            resolver.table
        }
        Text::Alias(id) => {
            let item = &program.aliases[id.0];
            let mut resolver = Resolver::new(items, &item.scope, item.counts, &[], diagnostics);
            resolver.generics(&item.generics);
            resolver.ty(&item.ty);
            resolver.table
        }
        Text::Impl(id) => {
            let item = &program.impls[id.0];
            let mut resolver = Resolver::new(items, &item.scope, item.counts, &[], diagnostics);
            // Bounds may name `Self`.
            resolver.owner = Some(id);
            resolver.generics_from(0, &item.generics);
            resolver.owner = None;
            resolver.ty(&item.self_ty);
            resolver.owner = Some(id);
            for arg in item.of_trait.iter().flat_map(|(_, args)| args) {
                resolver.generic_arg(arg);
            }
            for (_, ty) in &item.outputs {
                resolver.ty(ty);
            }
            resolver.table
        }
    }
}

impl<'a, 'd> Resolver<'a, 'd> {
    fn new(
        items: &'a Items<'a>,
        scope: &'a Scope,
        counts: Counts,
        locals: &'a [Local],
        diagnostics: &'d mut Diagnostics,
    ) -> Resolver<'a, 'd> {
        let table = Table {
            exprs: vec![Meaning::Nothing; counts.exprs],
            pats: vec![Meaning::Nothing; counts.pats],
            types: vec![TypeMeaning::Nothing; counts.types],
            bound: vec![false; locals.len()],
        };
        let names = scope.blocks.iter().flatten();
        Resolver {
            items,
            diagnostics,
            table,
            names: names.map(|item| (item.name.to_string(), Binding::Item(item))).collect(),
            globs: scope.globs.clone(),
            outer_variables: &scope.variables,
            module: scope.module,
            is_library: scope.is_library,
            owner: None,
            locals,
            closures: &[],
            loop_attrs: &[],
            loops: Vec::new(),
            in_closure: false,
            in_const: false,
            in_shared: false,
            in_signature: false,
        }
    }

    /// Brings in the generic parameters of the impl around, which have the first indices.
    fn own(&mut self, owner: Option<ImplId>) {
        self.owner = owner;
        if let Some(ImplId(index)) = owner {
            let program = self.items.program;
            for (index, param) in program.impls[index].generics.iter().enumerate() {
                self.generic_param(index, param);
            }
        }
    }

    fn generic_param(&mut self, index: usize, param: &GenericParam) {
        let binding = match param.kind {
            GenericParamKind::Type { .. } => Binding::TypeParam(index),
            GenericParamKind::Const(_) => Binding::ConstParam(index),
        };
        self.names.push((param.name.to_string(), binding));
    }

    /// Brings in generic parameters, after those of the impl, and resolves their bounds, which may name any of them.
    fn generics(&mut self, generics: &'a [GenericParam]) {
        let first = self.owner.map_or(0, |ImplId(id)| self.items.program.impls[id].generics.len());
        self.generics_from(first, generics);
    }

    fn generics_from(&mut self, first: usize, generics: &'a [GenericParam]) {
        for (index, param) in generics.iter().enumerate() {
            if generics[..index].iter().any(|earlier| earlier.name == param.name) {
                let name = &param.name;
                let message = format!(
                    "expected a new name, found the parameter `{name}` again\nhelp: rename one of them"
                );
                self.diagnostics.error(name, message);
            }
            self.generic_param(first + index, param);
        }
        for param in generics {
            if let GenericParamKind::Type { item, into, applied, .. } = &param.kind {
                for ty in item.iter().chain(into.as_deref()) {
                    self.ty(ty);
                }
                for arg in applied.iter().flat_map(|bound| &bound.1) {
                    self.generic_arg(arg);
                }
            }
            match &param.kind {
                GenericParamKind::Type { callable: Some((params, result)), .. } => {
                    for ty in params.iter().chain(result) {
                        self.ty(ty);
                    }
                }
                GenericParamKind::Type { callable: None, .. } => {}
                GenericParamKind::Const(ty) => self.ty(ty),
            }
            if let Some(default) = &param.default {
                self.generic_arg(default);
            }
        }
    }

    fn function(&mut self, function: &'a Function, text: Text) {
        // The instances of a kernel are written in its text; they do not see its parameters.
        let program = self.items.program;
        let own = |kernel: &&crate::ast::Kernel| Text::Function(kernel.function) == text;
        for arg in program.kernels.iter().filter(own).flat_map(|kernel| kernel.instances.iter().flatten()) {
            self.generic_arg(arg);
        }
        self.generics(&function.generics);
        for clause in &function.clauses {
            let called = clause.callable.iter().flat_map(|(params, result)| params.iter().chain(result));
            for ty in [&clause.of].into_iter().chain(called).chain(&clause.into) {
                self.ty(ty);
            }
        }
        self.in_signature = program.kernels.iter().any(|kernel| own(&kernel));
        for ty in function.params.iter().map(|param| &param.ty).chain(&function.result) {
            self.ty(ty);
        }
        self.in_signature = false;
        if function.receiver.is_some() {
            self.bind(LocalId(0));
        }
        for param in &function.params {
            self.table.bound[param.local.0] = true;
            if param.pattern.is_none() {
                self.bind_new(param.local, "an earlier parameter");
            }
        }
        for pattern in function.params.iter().filter_map(|param| param.pattern.as_ref()) {
            self.pattern(pattern, pattern::Place::Always);
        }
        self.block(&function.body);
    }

    /// Binds a parameter, unless another has its name.
    fn bind_new(&mut self, id: LocalId, other: &str) {
        let name = &self.locals[id.0].name;
        let written = name.to_string();
        let is_same =
            |entry: &(String, Binding<'_>)| entry.0 == written && matches!(entry.1, Binding::Local(_));
        if self.names.iter().any(is_same) {
            let message =
                format!("expected a new name, found `{name}`, which {other} has\nhelp: rename one of them");
            self.diagnostics.error(name, message);
        }
        self.bind(id);
    }

    pub(super) fn bind(&mut self, id: LocalId) {
        self.table.bound[id.0] = true;
        self.names.push((self.locals[id.0].name.to_string(), Binding::Local(id)));
    }

    pub(super) fn block(&mut self, block: &'a Block) {
        let (names, globs) = (self.names.len(), self.globs.len());
        self.items.check_twice(&block.items, self.diagnostics);
        self.names.extend(block.items.iter().map(|item| (item.name.to_string(), Binding::Item(item))));
        self.globs.extend(block.globs.iter().cloned());
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        if let Some(value) = &block.value {
            self.expr(value);
        }
        self.names.truncate(names);
        self.globs.truncate(globs);
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Let { pattern, ty, init, otherwise, .. } => {
                if let Some(ty) = ty {
                    self.ty(ty);
                }
                if let Some(init) = init {
                    self.expr(init);
                }
                let place =
                    if otherwise.is_some() { pattern::Place::Perhaps } else { pattern::Place::Always };
                if let Some(otherwise) = otherwise {
                    self.block(otherwise);
                }
                self.pattern(pattern, place);
            }
            Stmt::Expr { expr, .. } => self.expr(expr),
        }
    }

    /// A constant within the text: the length of an array, a generic argument.
    fn constant(&mut self, expr: &'a Expr) {
        let outer = std::mem::replace(&mut self.in_const, true);
        let loops = std::mem::take(&mut self.loops);
        self.expr(expr);
        self.loops = loops;
        self.in_const = outer;
    }

    fn exprs(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    pub(super) fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Underscore => {}
            ExprKind::Path { path, of, generics } => {
                self.path_expr(expr, path, of.as_deref(), generics.as_ref(), false);
            }
            ExprKind::Unary { arg, .. } | ExprKind::Deref(arg) => self.expr(arg),
            ExprKind::Cast { arg, ty } => {
                self.expr(arg);
                self.ty(ty);
            }
            ExprKind::Ref { place, .. } => self.expr(place),
            ExprKind::Binary { lhs, rhs, .. } | ExprKind::Logical { lhs, rhs, .. } => {
                self.exprs([&**lhs, &**rhs]);
            }
            ExprKind::Field { base, .. } => self.expr(base),
            ExprKind::Index { base, index } => self.exprs([&**base, &**index]),
            ExprKind::Range { start, end, .. } => self.exprs(start.iter().chain(end).map(|expr| &**expr)),
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => self.exprs(parts),
            ExprKind::Repeat { value, len } => {
                self.expr(value);
                self.constant(len);
            }
            ExprKind::Struct { ty, fields, base } => {
                self.ty(ty);
                self.exprs(fields.iter().map(|field| &field.1));
                self.exprs(base.as_deref());
            }
            ExprKind::Call { callee, args } => {
                let before = self.diagnostics.count();
                match &callee.kind {
                    ExprKind::Path { path, of, generics } => {
                        self.path_expr(callee, path, of.as_deref(), generics.as_ref(), true);
                    }
                    _ => self.expr(callee),
                }
                let after = self.diagnostics.count();
                self.exprs(args);
                // Arguments of a host function are of the host, too: `std::thread::sleep(std::time::Duration::from_micros(1))`.
                if after > before && is_of_host(callee) {
                    self.diagnostics.forget_after(after);
                }
            }
            ExprKind::Method { receiver, generics, args, .. } => {
                self.expr(receiver);
                for arg in generics.iter().flat_map(|generics| &generics.args) {
                    self.generic_arg(arg);
                }
                self.exprs(args);
            }
            ExprKind::Closure(id) => self.closure(&self.closures[id.0]),
            ExprKind::Assign { place, value } | ExprKind::AssignOp { place, value, .. } => {
                self.exprs([&**place, &**value]);
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::Labeled { id, label, body } => self.in_loop(*id, Some(label), "block", body),
            ExprKind::If { cond, then, otherwise, .. } => {
                let names = self.names.len();
                self.expr(cond);
                self.block(then);
                self.names.truncate(names);
                self.exprs(otherwise.as_deref());
            }
            // The bindings are in scope from here on; the end of the condition's statement removes them.
            ExprKind::Let { pattern, value } => {
                self.expr(value);
                self.pattern(pattern, pattern::Place::Perhaps);
            }
            ExprKind::Match { value, arms, .. } => {
                self.expr(value);
                for arm in arms {
                    let names = self.names.len();
                    self.pattern(&arm.pattern, pattern::Place::Perhaps);
                    self.exprs(&arm.guard);
                    self.expr(&arm.body);
                    self.names.truncate(names);
                }
            }
            ExprKind::Loop { id, label, body } => self.in_loop(*id, label.as_ref(), "loop", body),
            ExprKind::While { id, label, cond, body } => {
                let names = self.names.len();
                self.expr(cond);
                self.in_loop(*id, label.as_ref(), "while", body);
                self.names.truncate(names);
            }
            ExprKind::For { id, label, pattern, iter, body } => {
                self.expr(iter);
                let names = self.names.len();
                self.pattern(pattern, pattern::Place::Always);
                self.in_loop(*id, label.as_ref(), "for", body);
                self.names.truncate(names);
            }
            ExprKind::Break { label, value } => {
                self.exprs(value.as_deref());
                let target = self.loop_target(expr, "break", label.as_ref(), value.as_deref());
                self.table.exprs[expr.id.0] = target;
            }
            ExprKind::Continue { label } => {
                self.table.exprs[expr.id.0] = self.loop_target(expr, "continue", label.as_ref(), None);
            }
            ExprKind::Return(value) => self.exprs(value.as_deref()),
            ExprKind::InlinePtx(ptx) => {
                for operand in &ptx.operands {
                    match operand {
                        InlineOperand::In(value) => self.expr(value),
                        InlineOperand::Out(ty) => self.ty(ty),
                        InlineOperand::InOut(value, ty) => {
                            self.expr(value);
                            self.ty(ty);
                        }
                        InlineOperand::Const(value) => self.constant(value),
                    }
                }
                if let Some(cpu) = &ptx.cpu {
                    self.expr(cpu);
                }
            }
            ExprKind::Panic(message) | ExprKind::Print { message, .. } => self.message(message),
            ExprKind::AssertCompare { holds, message } => {
                self.expr(holds);
                self.message(message);
            }
        }
    }

    fn message(&mut self, message: &'a crate::ast::Message) {
        message.args.iter().for_each(|arg| self.expr(&arg.value));
    }

    fn closure(&mut self, closure: &'a crate::ast::Closure) {
        let names = self.names.len();
        let loops = std::mem::take(&mut self.loops);
        let around = std::mem::replace(&mut self.in_closure, true);
        for ty in closure.params.iter().filter_map(|param| param.1.as_ref()).chain(&closure.result) {
            self.ty(ty);
        }
        let patterns: Vec<&Pattern> = closure.params.iter().map(|param| &param.0).collect();
        self.patterns_together(&patterns);
        self.expr(&closure.body);
        self.in_closure = around;
        self.loops = loops;
        self.names.truncate(names);
    }

    pub(super) fn generic_arg(&mut self, arg: &'a GenericArg) {
        match arg {
            GenericArg::Const(expr) => self.constant(expr),
            GenericArg::Type(ty) => {
                if let TypeKind::Path { path, args, .. } = &ty.kind
                    && args.is_empty()
                    && self.find_type(path).is_none()
                    && let Some(constant) = self.constant_meaning(path)
                {
                    self.table.types[ty.id.0] = TypeMeaning::Constant(constant);
                    return;
                }
                self.ty(ty);
            }
        }
    }

    fn constant_meaning(&self, path: &syn::Path) -> Option<ConstMeaning> {
        match self.find_value(path)? {
            Meaning::Const(id) => Some(ConstMeaning::Const(id)),
            Meaning::ConstParam(index) => Some(ConstMeaning::ConstParam(index)),
            Meaning::Known(value) => Some(ConstMeaning::Known(value)),
            _ => None,
        }
    }

    pub(super) fn ty(&mut self, ty: &'a Type) {
        match &ty.kind {
            TypeKind::Path { path, args, .. } => {
                self.table.types[ty.id.0] = self.path_type(ty, path, args);
                for arg in args {
                    self.generic_arg(arg);
                }
            }
            TypeKind::Tuple(parts) => {
                for part in parts {
                    self.ty(part);
                }
            }
            TypeKind::Array { element, len } => {
                self.constant(len);
                self.ty(element);
            }
            TypeKind::Slice { element, .. } | TypeKind::Unsized(element) => self.ty(element),
            TypeKind::Ref { inner, .. } | TypeKind::Ptr { inner, .. } => self.ty(inner),
            TypeKind::ImplFn { params, result } | TypeKind::FnPtr { params, result } => {
                for ty in params.iter().chain(result.as_deref()) {
                    self.ty(ty);
                }
            }
            TypeKind::ImplTrait { item, into, .. } => item.iter().chain(into).for_each(|ty| self.ty(ty)),
            TypeKind::Qualified { of, args, .. } => {
                self.ty(of);
                args.iter().for_each(|arg| self.generic_arg(arg));
            }
            TypeKind::Projected { of, args, .. } => {
                self.ty(of);
                if let TypeMeaning::Param(index) = self.table.types[of.id.0] {
                    self.table.types[ty.id.0] = TypeMeaning::Projection(index);
                }
                args.iter().for_each(|arg| self.generic_arg(arg));
            }
            TypeKind::Infer => {}
        }
    }

    fn in_loop(
        &mut self,
        id: LoopId,
        label: Option<&'a syn::Lifetime>,
        keyword: &'static str,
        body: &'a Block,
    ) {
        let attrs = self.loop_attrs;
        for attr in attrs.get(id.0).into_iter().flat_map(crate::ast::LoopAttrs::each) {
            attr.1.count.iter().for_each(|count| self.constant(count));
        }
        self.loops.push(OpenLoop { id, label, keyword });
        self.block(body);
        self.loops.pop();
    }

    fn loop_target(
        &mut self,
        expr: &Expr,
        word: &str,
        label: Option<&syn::Lifetime>,
        value: Option<&Expr>,
    ) -> Meaning {
        let target = match label {
            None => self.loops.iter().rev().find(|open| open.keyword != "block"),
            Some(label) => self.loops.iter().rev().find(|open| open.label == Some(label)),
        };
        let Some(target) = target else {
            match label {
                None => {
                    let around = if self.in_closure { "closure" } else { "function" };
                    let message = format!(
                        "expected `{word}` inside a loop, found it outside\nhelp: leave the {around} with `return`"
                    );
                    self.diagnostics.error(expr.loc, message);
                }
                Some(label) => {
                    let written = label.to_string();
                    let known: Vec<String> =
                        self.loops.iter().filter_map(|open| open.label).map(ToString::to_string).collect();
                    let help = match did_you_mean(&written, known.iter().map(String::as_str)) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("write `{written}:` before the loop that is meant"),
                    };
                    self.diagnostics.error(
                        label.span(),
                        format!("expected the label of an enclosing loop, found `{written}`\nhelp: {help}"),
                    );
                }
            }
            return Meaning::Error;
        };
        let (id, keyword) = (target.id, target.keyword);
        if let Some(label) = label {
            self.check_label(label);
        }
        if word == "continue" && keyword == "block" {
            let message =
                "expected the label of a loop, found that of a block\nhelp: leave the block with `break`";
            self.diagnostics.error(expr.loc, message);
            return Meaning::Error;
        }
        if let Some(value) = value
            && matches!(keyword, "while" | "for")
        {
            let message = format!(
                "expected `break` without a value, found one in a `{}`: only `loop` has a value\nhelp: assign the value to \
                 a variable before `break`",
                keyword
            );
            self.diagnostics.error(value.loc, message);
            return Meaning::Error;
        }
        Meaning::Loop(id)
    }

    /// The last binding of this name in a namespace.
    pub(super) fn lookup(&self, name: &str, space: Namespace) -> Option<Binding<'a>> {
        let is_in = |binding: &Binding<'a>| match binding {
            Binding::Local(_) | Binding::ConstParam(_) => space == Namespace::Value,
            Binding::TypeParam(_) => space == Namespace::Type,
            Binding::Item(item) => self.items.is_in(item.kind, space),
        };
        self.names.iter().rev().find(|entry| entry.0 == name && is_in(&entry.1)).map(|entry| entry.1)
    }
}

/// Returns true for a path into the standard library.
fn is_of_host(callee: &Expr) -> bool {
    matches!(&callee.kind, ExprKind::Path { path, .. }
        if path.segments.first().is_some_and(|first| HOST_CRATES.contains(&first.ident.to_string().as_str())))
}
