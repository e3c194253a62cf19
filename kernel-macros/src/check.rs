//! The last phase of the front end: what can be assigned, what fits its type, and the typed tree.

mod expr;
mod place;

use proc_macro2::Ident;

use crate::ast;
use crate::attrs::KernelAttrs;
use crate::diagnostics::{Diagnostics, Loc};
use crate::infer::Types;
use crate::resolve::Names;
use crate::typed::{self, ConstId, LocalId, Scalar, Ty};

/// Static shared memory of a block, on every architecture (CUDA C++ Programming Guide, technical specifications).
const MAX_SHARED: u64 = 48 * 1024;

/// What surrounds a body.
pub struct Header {
    /// The kernel's name.
    pub name: Ident,
    /// Its visibility.
    pub vis: syn::Visibility,
    /// Attributes other than ours.
    pub outer: Vec<syn::Attribute>,
    /// Ours.
    pub attrs: KernelAttrs,
}

/// Checks what types do not say and builds the typed tree, which is of use only if nothing was refused.
pub fn check(
    header: Header,
    kernel: &ast::Kernel,
    names: &Names,
    types: &Types,
    diagnostics: &mut Diagnostics,
) -> typed::Kernel {
    let mut checker = Checker { kernel, names, types, diagnostics, shared_bytes: 0 };
    let consts = checker.consts();
    let body = checker.block(&kernel.body);
    let locals = kernel.locals.iter().enumerate().map(|(id, local)| typed::Local {
        name: local.name.clone(),
        ty: types.local(LocalId(id)).clone(),
        mutable: local.mutable,
    });
    typed::Kernel {
        name: header.name,
        vis: header.vis,
        outer: header.outer,
        attrs: header.attrs,
        param_count: kernel.param_count,
        locals: locals.collect(),
        consts,
        body,
    }
}

struct Checker<'a> {
    kernel: &'a ast::Kernel,
    names: &'a Names,
    types: &'a Types,
    diagnostics: &'a mut Diagnostics,
    /// Of the `shared` calls so far.
    shared_bytes: u64,
}

impl Checker<'_> {
    fn error(&mut self, at: impl Into<Loc>, message: impl Into<String>) {
        self.diagnostics.error(at, message);
    }

    fn consts(&mut self) -> Vec<typed::Const> {
        let kernel = self.kernel;
        let consts = kernel.consts.iter().zip(&self.types.consts).map(|(constant, value)| {
            let init = self.value(&constant.init);
            typed::Const { name: constant.name.clone(), ty: value.ty, value: *value, init }
        });
        consts.collect()
    }

    fn block(&mut self, block: &ast::Block) -> typed::Block {
        let stmts = block.stmts.iter().map(|stmt| self.stmt(stmt)).collect();
        let value = block.value.as_ref().map(|value| Box::new(self.value(value)));
        typed::Block { stmts, value, span: block.loc.start }
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> typed::Stmt {
        match stmt {
            ast::Stmt::Let { local, init, loc, .. } => {
                let init = init.as_ref().map(|init| self.initial(init, *local));
                typed::Stmt::Let { local: *local, init, span: loc.start }
            }
            ast::Stmt::Expr { expr, .. } => typed::Stmt::Expr(self.value(expr)),
            ast::Stmt::Const(id) => typed::Stmt::Const(ConstId(id.0)),
        }
    }

    /// The initial value of a `let`: the only place of `shared`.
    fn initial(&mut self, init: &ast::Expr, local: Option<LocalId>) -> typed::Expr {
        match (self.shared_call(init), local) {
            (Some(_), Some(_)) => {
                self.count_shared(init);
                self.build(init)
            }
            (Some(_), None) | (None, _) => self.value(init),
        }
    }

    fn count_shared(&mut self, init: &ast::Expr) {
        let Ty::Shared(array) = self.types.expr(init.id) else { return };
        let (bytes, align) = layout(array);
        let total = bytes.and_then(|bytes| self.shared_bytes.next_multiple_of(align).checked_add(bytes));
        match total {
            Some(total) if total <= MAX_SHARED => self.shared_bytes = total,
            total => {
                let found = total.map_or("more than 64 bits can count".to_owned(), |total| total.to_string());
                let message = format!(
                    "expected at most {MAX_SHARED} bytes of static shared memory in a kernel, found {found}\nhelp: make the \
                     array smaller"
                );
                self.error(init.loc, message);
            }
        }
    }
}

/// Size and alignment in bytes; no size if 64 bits cannot hold it.
fn layout(ty: &Ty) -> (Option<u64>, u64) {
    match ty {
        Ty::Scalar(Scalar::Bool) => (Some(1), 1),
        Ty::Scalar(scalar) => {
            let bytes = u64::from(scalar.bits() / 8);
            (Some(bytes), bytes)
        }
        Ty::Array(element, len) => {
            let (bytes, align) = layout(element);
            (bytes.and_then(|bytes| bytes.checked_mul(*len)), align)
        }
        Ty::Unit | Ty::Never | Ty::Dim3 | Ty::Slice { .. } | Ty::Shared(_) => (Some(0), 1),
    }
}
