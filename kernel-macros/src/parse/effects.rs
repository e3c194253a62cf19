//! Functions handed to `map` whose calls can be seen: as in Rust they are called for items, too, that `skip`, `step_by` and `nth` pass over.

use syn::visit::{self, Visit};

use crate::builtins;
use crate::infer::is_iterator_method;

/// Methods that change what a shared reference or a pointer refers to.
const WRITES: &[&str] =
    &["store", "swap", "write", "write_volatile", "compare_exchange", "compare_exchange_weak"];

/// Macros whose use can be seen.
const MACROS: &[&str] = &["print", "println", "eprint", "eprintln", "inline_ptx"];

/// Returns true for an adaptor that passes items over without a look at them.
pub(crate) fn passes_over(method: &str) -> bool {
    matches!(method, "skip" | "step_by" | "nth")
}

/// Returns true for a chain with a `map` whose function may have effects.
pub(super) fn maps_with_effects(chain: &syn::Expr) -> bool {
    match chain {
        syn::Expr::MethodCall(call) => {
            call.method == "map" && call.args.iter().any(has_effects) || maps_with_effects(&call.receiver)
        }
        syn::Expr::Paren(paren) => maps_with_effects(&paren.expr),
        _ => false,
    }
}

/// Returns true for a function that may do more than compute a value of its arguments, as far as its text tells: it assigns to what it
/// has not declared, borrows that mutably, calls a function by its name or a method that the language does not know.
fn has_effects(function: &syn::Expr) -> bool {
    match function {
        syn::Expr::Closure(closure) => closure_has_effects(closure),
        other => variable(other).is_some(),
    }
}

/// Returns true for a closure that [has effects](has_effects).
pub(super) fn closure_has_effects(closure: &syn::ExprClosure) -> bool {
    let mut declared = Declared::default();
    declared.visit_expr_closure(closure);
    let mut effects = Effects { declared, found: false };
    effects.visit_expr(&closure.body);
    effects.found
}

/// The name of a variable, or of a function: `f`.
fn variable(expr: &syn::Expr) -> Option<String> {
    let syn::Expr::Path(path) = expr else { return None };
    let name = path.path.get_ident()?.to_string();
    name.starts_with(|first: char| first.is_lowercase() || first == '_').then_some(name)
}

/// The variable that a place is in.
fn root(place: &syn::Expr) -> Option<String> {
    match place {
        syn::Expr::Field(field) => root(&field.base),
        syn::Expr::Index(index) => root(&index.expr),
        syn::Expr::Paren(paren) => root(&paren.expr),
        other => variable(other),
    }
}

/// Variables that a closure declares.
#[derive(Default)]
struct Declared {
    all: Vec<String>,
    mutable: Vec<String>,
}

impl Visit<'_> for Declared {
    fn visit_pat_ident(&mut self, pattern: &syn::PatIdent) {
        let name = pattern.ident.to_string();
        if pattern.mutability.is_some() {
            self.mutable.push(name.clone());
        }
        self.all.push(name);
        visit::visit_pat_ident(self, pattern);
    }
}

struct Effects {
    declared: Declared,
    found: bool,
}

impl Effects {
    fn writes(&mut self, place: &syn::Expr) {
        self.found |= root(place).is_none_or(|name| !self.declared.mutable.contains(&name));
    }
}

impl Visit<'_> for Effects {
    fn visit_expr_assign(&mut self, assign: &syn::ExprAssign) {
        self.writes(&assign.left);
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_binary(&mut self, binary: &syn::ExprBinary) {
        use syn::BinOp::{
            AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign, ShlAssign,
            ShrAssign, SubAssign,
        };
        if let AddAssign(_) | SubAssign(_) | MulAssign(_) | DivAssign(_) | RemAssign(_) | BitXorAssign(_)
        | BitAndAssign(_) | BitOrAssign(_) | ShlAssign(_) | ShrAssign(_) = binary.op
        {
            self.writes(&binary.left);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_reference(&mut self, reference: &syn::ExprReference) {
        if reference.mutability.is_some() {
            self.writes(&reference.expr);
        }
        visit::visit_expr_reference(self, reference);
    }

    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        self.found |= variable(&call.func).is_some();
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        let name = call.method.to_string();
        let is_captured = root(&call.receiver).is_some_and(|root| !self.declared.all.contains(&root));
        let is_known = builtins::method(&name).is_some() || is_iterator_method(&name);
        self.found |=
            WRITES.contains(&name.as_str()) || name.starts_with("fetch_") || is_captured && !is_known;
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &syn::Macro) {
        self.found |= MACROS.iter().any(|name| call.path.is_ident(name));
    }
}
