//! Partitions of slices (`y.per_thread()`, …): the receiver is a `&mut [T]` parameter of the kernel. With
//! `#[kernel(disjoint)]` such parameters are accessed through partitions alone, each through one partition throughout the kernel.
//!
//! The parts of one partition are disjoint (`device/partition.rs`), and of a parameter no other access exists, so no two threads access
//! one element: a data race in global memory cannot be written without `unsafe`.

use std::collections::HashMap;

use proc_macro2::Span;

use crate::builtins::Builtin;
use crate::device::library;
use crate::diagnostics::Diagnostics;
use crate::typed::{ConstId, ConstValue, Expr, ExprKind, Function, Kernel, LocalId, Ty};
use crate::{views, walk};

/// A partition of one slice: the method and its argument.
#[derive(Clone, Copy, PartialEq)]
struct Partition {
    method: &'static str,
    size: Option<Size>,
}

/// A number that no thread can change.
#[derive(Clone, Copy, PartialEq)]
enum Size {
    Literal(ConstValue),
    Const(ConstId),
    Param(LocalId),
}

/// Checks one instance of a kernel.
pub fn check(kernel: &mut Kernel, diagnostics: &mut Diagnostics) {
    let methods: Vec<Option<&'static str>> =
        kernel.functions.iter().map(|function| method_of(function)).collect();
    let disjoint = kernel.attrs.disjoint;
    if !disjoint && methods.iter().all(Option::is_none) {
        return;
    }
    for (index, function) in kernel.functions.iter_mut().enumerate().filter(|(_, f)| !f.is_library) {
        let is_entry = index == 0;
        let params = function.locals.iter().take(if is_entry { function.param_count } else { 0 });
        let params: Vec<Param> = params
            .map(|local| Param {
                name: views::shown(&local.name),
                kind: Kind::of(&local.ty, local.mutable),
                is_view: views::plain(&local.name).is_some(),
            })
            .collect();
        if disjoint && is_entry {
            for local in function.locals.iter().take(function.param_count) {
                if matches!(&local.ty, Ty::Ptr { mutable: true, .. }) {
                    let message = format!(
                        "expected no pointer to write through in a kernel that is `disjoint`, found `{}`\nhelp: take a slice, `&mut \
                         [T]`, or leave `disjoint` out",
                        local.name
                    );
                    diagnostics.error(&local.name, message);
                }
            }
        }
        let mut checker = Checker { methods: &methods, params, disjoint, found: HashMap::new(), diagnostics };
        walk::function(function, &mut |e| checker.expr(e));
    }
}

/// The method of slices behind a function of the library: a partition, or `is_empty`.
fn method_of(function: &Function) -> Option<&'static str> {
    let name = function.name.to_string();
    let method = name.strip_prefix("slice_").filter(|_| function.is_library)?;
    library::partitions().chain([IS_EMPTY]).find(|known| *known == method)
}

/// A method of slices that accesses no element.
const IS_EMPTY: &str = "is_empty";

struct Param {
    name: String,
    kind: Kind,
    /// A part of a view.
    is_view: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// `&mut [T]`
    Slice,
    /// A value that stays.
    Constant,
    Other,
}

impl Kind {
    fn of(ty: &Ty, mutable: bool) -> Kind {
        match ty {
            Ty::Slice { mutable: true, .. } => Kind::Slice,
            Ty::Scalar(_) if !mutable => Kind::Constant,
            _ => Kind::Other,
        }
    }
}

struct Checker<'c> {
    /// The method that each function is.
    methods: &'c [Option<&'static str>],
    /// Those of the kernel, in its own function; none in others.
    params: Vec<Param>,
    disjoint: bool,
    /// The first partition of each parameter.
    found: HashMap<LocalId, Partition>,
    diagnostics: &'c mut Diagnostics,
}

impl Checker<'_> {
    fn expr(&mut self, e: &mut Expr) {
        let span = e.span;
        match &mut e.kind {
            ExprKind::Invoke { function, args } => {
                if self.methods[function.0] == Some(IS_EMPTY)
                    && let [arg] = &args[..]
                    && self.slice(arg).is_some()
                {
                    return;
                }
                if let Some(method) = self.methods[function.0].filter(|method| *method != IS_EMPTY)
                    && let Some((receiver, rest)) = args.split_first_mut()
                {
                    self.partition(method, receiver, rest);
                    rest.iter_mut().for_each(|arg| self.expr(arg));
                    return;
                }
            }
            ExprKind::Call { builtin: Builtin::Len, args } => {
                if let [arg] = &args[..]
                    && self.slice(arg).is_some()
                {
                    return;
                }
            }
            ExprKind::Local(id) if self.disjoint => {
                let param = self.params.get(id.0).filter(|param| param.kind == Kind::Slice);
                if let Some(Param { name, is_view: true, .. }) = param {
                    let message = format!(
                        "expected no view that is written in a kernel that is `disjoint`, found `{name}`, which every thread has\nhelp: take \
                         a slice, `&mut [T]`, or leave `disjoint` out"
                    );
                    self.diagnostics.error(span, message);
                } else if let Some(Param { name, .. }) = param {
                    let message = format!(
                        "expected a part of `{name}` that one thread has for itself, as the kernel is `disjoint`, found the whole slice, \
                         which every thread has\nhelp: write `{name}.per_thread()`, `{name}.chunk_per_thread(n)`, `{name}.per_warp()` or \
                         `{name}.per_block()`; take `&[T]` for what is only read, a slice of atomics for what several threads change"
                    );
                    self.diagnostics.error(span, message);
                }
                return;
            }
            _ => {}
        }
        walk::children(e, &mut |part| self.expr(part));
    }

    /// The parameter that is a mutable slice which an expression names.
    fn slice(&self, e: &Expr) -> Option<LocalId> {
        let id = match &e.kind {
            ExprKind::Local(id) => *id,
            // The whole of it, lent to be read.
            ExprKind::Subslice { base, start: None, end: None, .. } => return self.slice(base),
            _ => return None,
        };
        self.params.get(id.0).filter(|param| param.kind == Kind::Slice).map(|_| id)
    }

    /// `receiver.method(args)`
    fn partition(&mut self, method: &'static str, receiver: &mut Expr, args: &[Expr]) {
        let Some(param) = self.slice(receiver) else {
            let message = format!(
                "expected a `&mut [T]` parameter of the kernel, in the kernel itself, found another place: the parts of `{method}` are \
                 those of a whole buffer\nhelp: index the slice: `thread_idx()` is the thread in its block"
            );
            return self.diagnostics.error(receiver.span, message);
        };
        if !self.disjoint {
            return;
        }
        let size = match args.first() {
            None => None,
            Some(arg) => match self.size(arg) {
                Some(size) => Some(size),
                None => return self.refuse_size(method, arg.span),
            },
        };
        let partition = Partition { method, size };
        let first = *self.found.entry(param).or_insert(partition);
        if first != partition {
            let name = &self.params[param.0].name;
            let message = if first.method == method {
                format!(
                    "expected chunks of `{name}` of one size in a kernel that is `disjoint`, found another size\nhelp: the sizes are to be the same constant or parameter"
                )
            } else {
                format!(
                    "expected one partition of `{name}` in a kernel that is `disjoint`, found `{method}` beside `{}`, whose parts overlap\nhelp: \
                     use `{}` here, too, or another buffer",
                    first.method, first.method
                )
            };
            self.diagnostics.error(receiver.span, message);
        }
    }

    fn size(&self, arg: &Expr) -> Option<Size> {
        match &arg.kind {
            ExprKind::Literal(value) | ExprKind::Path(value) => Some(Size::Literal(*value)),
            ExprKind::Const(id) => Some(Size::Const(*id)),
            ExprKind::Local(id) => {
                let is_constant = self.params.get(id.0).is_some_and(|param| param.kind == Kind::Constant);
                is_constant.then_some(Size::Param(*id))
            }
            _ => None,
        }
    }

    fn refuse_size(&mut self, method: &str, span: Span) {
        let message = format!(
            "expected a constant or a parameter as the size of `{method}`, as the kernel is `disjoint`: all threads have the same then; \
             found another expression\nhelp: compute it on the host and pass it, or write a `const`"
        );
        self.diagnostics.error(span, message);
    }
}
