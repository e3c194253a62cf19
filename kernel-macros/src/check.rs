//! The last phase of the front end: the typed tree of a kernel and of everything that it calls; what can be assigned, what
//! matches always, what fits shared memory.

mod assertion;
mod atomic;
mod bytes;
mod call;
mod closure;
mod collective;
mod constant;
mod expr;
mod inline;
mod interpret;
mod iter;
mod keyed;
mod loops;
mod message;
mod params;
mod pattern;
mod place;
mod pointers;
mod recursion;
mod shared;
pub use shared::layout;
mod target;
mod unsafety;
mod usefulness;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use proc_macro2::{Ident, Span};

use crate::ast::{self, ConstDeclId, FunctionId, GenericArg, Kernel, Program};
use crate::declarative::name_as_written;
use crate::device::library;
use crate::diagnostics::{Diagnostics, Loc};
use crate::infer::world::{InstanceState, World};
use crate::infer::{Env, Infer, NO_INSTANCE, Ty};
use crate::lower::layout::Layout;
use crate::resolve::{Meaning, Names, Text};
use crate::typed::{self, ConstId, FnId, LocalId};

/// Local memory of a thread, in bytes, on every architecture (CUDA C++ Programming Guide, technical specifications).
pub const MAX_LOCAL: u64 = 512 * 1024;

/// Infers and checks one instance of a kernel with all that it calls; of use only if nothing was refused.
pub fn check<'p>(
    program: &'p Program,
    names: &'p Names,
    kernel: &'p Kernel,
    instance: &'p [GenericArg],
    diagnostics: &'p mut Diagnostics,
) -> typed::Kernel {
    let mut world = World::new(program, names, kernel, diagnostics);
    let args = instance_args(&mut world, kernel.function, instance);
    let entry = world.instance(kernel.function, args.clone(), None);
    build(&mut world, entry);
    params::check(&mut world, entry);
    let mut next = 1;
    while next < world.instances.len() {
        // Errors in the library that follow from a mistake of a call are reported at the call.
        let is_library = program.functions[world.instances[next].function.0].is_library;
        if !is_library || world.diagnostics.count() == 0 {
            build(&mut world, FnId(next));
        }
        next += 1;
    }
    pointers::build(&mut world);
    recursion::check(&mut world);
    assertion::check_constants(&mut world);
    let instance = args.iter().map(|arg| match arg {
        Ty::Const(value) => typed::GenericArg::Const(*value),
        ty => typed::GenericArg::Type(world.intern(ty)),
    });
    let instance = instance.collect();
    let function = &program.functions[kernel.function.0];
    let functions = std::mem::take(&mut world.instances).into_iter().map(|instance| match instance.state {
        InstanceState::Done(function) => *function,
        // Reported: the tree is not used then.
        InstanceState::Pending | InstanceState::Open | InstanceState::Failed => {
            empty(program, instance.function)
        }
    });
    typed::Kernel {
        name: function.name.clone(),
        attrs: kernel.attrs.clone(),
        instance,
        functions: functions.collect(),
        structs: world.structs,
        enums: world.enums,
    }
}

fn instance_args<'p>(world: &mut World<'p>, function: FunctionId, instance: &'p [GenericArg]) -> Rc<[Ty]> {
    let program = world.program;
    let env = Env::new(Text::Function(function), Rc::from([]));
    let mut infer = Infer::new(world, env.clone(), NO_INSTANCE);
    let args = instance.iter().map(|arg| infer.world.lower_arg(&mut infer.vars, &env, arg)).collect();
    infer.world.fit_args(&program.functions[function.0].generics, instance, args).into()
}

fn empty(program: &Program, function: FunctionId) -> typed::Function {
    let function = &program.functions[function.0];
    typed::Function {
        name: function.name.clone(),
        param_count: 0,
        locals: Vec::new(),
        consts: Vec::new(),
        closures: Vec::new(),
        loops: Vec::new(),
        formats: Vec::new(),
        result: typed::Ty::Unit,
        body: typed::Block { stmts: Vec::new(), value: None, span: function.name.span() },
        is_library: function.is_library,
        checks_overflow: false,
    }
}

/// Infers and checks an instance, once.
fn build(world: &mut World<'_>, id: FnId) {
    let instance = &mut world.instances[id.0];
    if !matches!(instance.state, InstanceState::Pending) {
        return;
    }
    let (function, args) = (instance.function, instance.args.clone());
    instance.state = InstanceState::Failed;
    if world.failed.contains(&function) {
        return;
    }
    world.instances[id.0].state = InstanceState::Open;
    let errors = world.diagnostics.count();
    let mut infer = Infer::new(world, Env::new(Text::Function(function), args), id);
    infer.function(function);
    let built = (infer.world.diagnostics.count() == errors && !infer.world.only_infer)
        .then(|| Checker::new(&mut infer).function(function));
    let failed = world.diagnostics.count() > errors;
    world.instances[id.0].state = match built {
        Some(built) if !failed => InstanceState::Done(Box::new(built)),
        _ => {
            world.failed.insert(function);
            InstanceState::Failed
        }
    };
}

/// Builds the typed tree of one text.
struct Checker<'c, 'w, 'p> {
    infer: &'c mut Infer<'w, 'p>,
    /// Variables, those of the text first.
    locals: Vec<typed::Local>,
    consts: Vec<typed::Const>,
    const_ids: HashMap<(ConstDeclId, Rc<[Ty]>), ConstId>,
    closures: Vec<Option<typed::Closure>>,
    formats: Vec<typed::Format>,
    /// Variables that were mentioned and bound since the last closure began.
    mentioned: BTreeSet<LocalId>,
    bound: BTreeSet<LocalId>,
    /// Variables that a plain `let` declares.
    by_let: BTreeSet<LocalId>,
    /// A value that no thread can hold was reported.
    is_too_large: bool,
}

impl<'c, 'w, 'p> Checker<'c, 'w, 'p> {
    fn new(infer: &'c mut Infer<'w, 'p>) -> Checker<'c, 'w, 'p> {
        let text_locals = infer.text_locals;
        let locals = text_locals.iter().enumerate().map(|(index, local)| {
            let ty = infer.local_ty(LocalId(index));
            let holds_pointer = crate::infer::holds_pointer(&ty);
            // Resolved: variables are told apart by their numbers from here on.
            let name = name_as_written(&local.name);
            typed::Local { name, ty: infer.intern(&ty), mutable: local.mutable, holds_pointer }
        });
        let locals = locals.collect();
        let closures = infer.text_closures.iter().map(|_| None).collect();
        Checker {
            infer,
            locals,
            consts: Vec::new(),
            const_ids: HashMap::new(),
            closures,
            formats: Vec::new(),
            mentioned: BTreeSet::new(),
            bound: BTreeSet::new(),
            by_let: BTreeSet::new(),
            is_too_large: false,
        }
    }

    /// Refuses a value that no thread can hold.
    fn check_size(&mut self, ty: &typed::Ty, loc: Loc) {
        use typed::Ty::{Array, Option, Struct, Tuple};
        let (Array(..) | Option(_) | Struct(_) | Tuple(_)) = ty else { return };
        let world = &mut *self.infer.world;
        let layout = Layout::of(&world.structs, &world.enums);
        let (parts, bytes) = (layout.part_count(ty) as u64, layout.size_of(ty));
        if bytes.max(parts) <= MAX_LOCAL || std::mem::replace(&mut self.is_too_large, true) {
            return;
        }
        let found = match bytes {
            u64::MAX => "more bytes than 64 bits can count".to_owned(),
            bytes if bytes < parts => format!("{parts} elements"),
            bytes => format!("{bytes}"),
        };
        let message = format!(
            "expected a value of at most {MAX_LOCAL} bytes, as much memory as a thread has of its own, found `{}` with {found}\nhelp: keep \
             it in a buffer, which the kernel takes as a slice",
            crate::infer::written(ty, &world.structs, &world.enums)
        );
        world.diagnostics.error(loc, message);
    }

    fn function(mut self, id: FunctionId) -> typed::Function {
        let function = &self.infer.world.program.functions[id.0];
        for index in 0..self.locals.len() {
            let (ty, name) = (self.locals[index].ty.clone(), self.locals[index].name.span());
            self.check_size(&ty, name.into());
        }
        let mut stmts = Vec::new();
        for param in &function.params {
            if let Some(pattern) = &param.pattern {
                let init = self.local(param.local, pattern.loc.start);
                let pattern = self.irrefutable(pattern, &init.ty);
                stmts.push(typed::Stmt::Let { pattern, init, otherwise: None, span: function.name.span() });
            }
        }
        let mut body = self.block(&function.body);
        if !stmts.is_empty() {
            stmts.append(&mut body.stmts);
            body.stmts = stmts;
        }
        let args = self.infer.env.args.clone();
        let (_, result) = self.infer.world.signature(&mut self.infer.vars, id, &args);
        let result = self.infer.intern(&result);
        let nothing = |span| typed::Closure {
            params: Vec::new(),
            result: typed::Ty::Unit,
            captures: None,
            references: Vec::new(),
            body: Box::new(typed::Expr { kind: typed::ExprKind::Unit, ty: typed::Ty::Unit, span }),
        };
        let closures = std::mem::take(&mut self.closures).into_iter();
        let closures = closures.map(|closure| closure.unwrap_or_else(|| nothing(function.name.span())));
        let loops = function.loops.iter().map(|attrs| self.loop_attr(attrs)).collect();
        typed::Function {
            name: function.name.clone(),
            param_count: function.params.len() + usize::from(function.receiver.is_some()),
            closures: closures.collect(),
            loops,
            locals: self.locals,
            consts: self.consts,
            formats: self.formats,
            result,
            body,
            is_library: function.is_library,
            checks_overflow: self.infer.world.attrs.overflow_checks
                && (!function.is_library || library::checks_overflow(&function.name.to_string())),
        }
    }

    fn error(&mut self, at: impl Into<Loc>, message: impl Into<String>) {
        self.infer.world.diagnostics.error(at, message);
    }

    /// A variable that the user did not write.
    fn temporary(&mut self, name: &str, ty: typed::Ty, span: Span) -> LocalId {
        let name = Ident::new(name, span);
        self.locals.push(typed::Local { name, ty, mutable: false, holds_pointer: false });
        let id = LocalId(self.locals.len() - 1);
        self.bound.insert(id);
        id
    }

    fn local(&mut self, id: LocalId, span: Span) -> typed::Expr {
        self.mentioned.insert(id);
        typed::Expr { kind: typed::ExprKind::Local(id), ty: self.locals[id.0].ty.clone(), span }
    }

    fn block(&mut self, block: &'p ast::Block) -> typed::Block {
        // Rust evaluates constants that nothing mentions, too.
        for item in &block.items {
            if let ast::ItemKind::Const(id) = item.kind {
                self.infer.world.const_value(id, &Rc::from([]));
            }
        }
        let stmts = block.stmts.iter().fold(Vec::new(), |mut stmts, stmt| {
            self.stmt(stmt, &mut stmts);
            stmts
        });
        let value = block.value.as_ref().map(|value| Box::new(self.value(value)));
        typed::Block { stmts, value, span: block.loc.start }
    }

    fn stmt(&mut self, stmt: &'p ast::Stmt, stmts: &mut Vec<typed::Stmt>) {
        match stmt {
            ast::Stmt::Let { pattern, init: None, .. } => {
                let pattern = self.pattern(pattern);
                let mut bound = Vec::new();
                bindings(&pattern, &mut bound);
                stmts.extend(bound.into_iter().map(typed::Stmt::Declare));
            }
            ast::Stmt::Let { pattern, init: Some(init), otherwise, loc, .. } => {
                let init = match self.is_shared_call(init) && is_name(pattern) {
                    true => self.shared_call(init),
                    false => self.expr(init),
                };
                if is_name(pattern)
                    && let Meaning::Local(local) = self.infer.table.pat(pattern.id)
                {
                    self.by_let.insert(local);
                }
                let (pattern, otherwise) = match otherwise {
                    Some(block) => (self.pattern(pattern), Some(self.block(block))),
                    None => (self.irrefutable(pattern, &init.ty), None),
                };
                stmts.push(typed::Stmt::Let { pattern, init, otherwise, span: loc.start });
            }
            ast::Stmt::Expr { expr, .. } => match &expr.kind {
                ast::ExprKind::Assign { place, value } if crate::infer::is_destructuring(place) => {
                    self.destructure(place, value, stmts);
                }
                _ => stmts.push(typed::Stmt::Expr(self.value(expr))),
            },
        }
    }
}

/// A plain name, or `_`… whose whole value is kept.
fn is_name(pattern: &ast::Pattern) -> bool {
    matches!(pattern.kind, ast::PatKind::Bind { by_ref: None, inner: None, .. })
}

/// The variables that a pattern binds.
pub(crate) fn bindings(pattern: &typed::Pattern, found: &mut Vec<LocalId>) {
    use typed::Pattern;
    match pattern {
        Pattern::Wild | Pattern::Constant(_) | Pattern::Range { .. } | Pattern::None => {}
        Pattern::Bind { local, inner, .. } => {
            found.push(*local);
            inner.iter().for_each(|inner| bindings(inner, found));
        }
        Pattern::Fields(fields) => fields.iter().for_each(|(_, part)| bindings(part, found)),
        Pattern::Slice { before, rest, after } => {
            before.iter().chain(after).for_each(|part| bindings(part, found));
            rest.iter().for_each(|rest| bindings(rest, found));
        }
        Pattern::Some(inner) | Pattern::Deref(inner) | Pattern::Rest { pattern: inner, .. } => {
            bindings(inner, found);
        }
        // Each alternative binds the same.
        Pattern::Or(parts) => parts.iter().take(1).for_each(|part| bindings(part, found)),
    }
}
