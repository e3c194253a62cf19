//! Functions: kernels, device functions, nested ones, methods.

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;

use super::{Item, Parser, no_statements};
use crate::ast::{self, FunctionId, GenericArg, ImplId, Local, Origin, PatKind, Receiver};
use crate::attrs::{Instances, KernelAttrs};
use crate::diagnostics::{Loc, shown};
use crate::typed::LocalId;
use crate::views;

/// The name in a pattern that is nothing but a name.
pub(super) fn plain_name(pat: &syn::Pat) -> Option<&syn::PatIdent> {
    match pat {
        syn::Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(pat),
        syn::Pat::Paren(paren) => plain_name(&paren.pat),
        _ => None,
    }
}

/// A name for a parameter that has none.
pub(super) fn made_up(index: usize, span: Span) -> Ident {
    Ident::new(&format!("arg{index}"), span)
}

/// The parameters of a signature.
struct Inputs {
    receiver: Option<Receiver>,
    params: Option<Vec<ast::Param>>,
}

impl Parser<'_> {
    pub(super) fn kernel_qualifiers(&mut self, sig: &syn::Signature) {
        if let Some(token) = &sig.constness {
            self.error(
                token.span(),
                "expected `fn`, found `const fn`: a kernel runs on the GPU only\nhelp: leave `const` out",
            );
        }
        let name = sig.ident.to_string();
        if !name.is_ascii() {
            let message =
                format!("expected an ASCII name, found `{name}`: PTX has no others\nhelp: rename the kernel");
            self.error(&sig.ident, message);
        }
        if let syn::ReturnType::Type(_, ty) = &sig.output
            && !is_unit(ty)
        {
            let message = format!(
                "expected a kernel without a return type, found `-> {}`\nhelp: return nothing and write results to a \
                 `&mut [T]` parameter",
                shown(ty)
            );
            self.error(Loc::of(ty), message);
        }
    }

    fn qualifiers(&mut self, sig: &syn::Signature, what: &str) {
        if let Some(token) = &sig.asyncness {
            let message =
                format!("expected `fn`, found `async fn`: a {what} runs to its end\nhelp: leave `async` out");
            self.error(token.span(), message);
        }
        if let syn::Safety::Safe(token) = &sig.safety {
            self.error(token.span(), "expected `fn`, found `safe fn`\nhelp: leave `safe` out");
        }
        if let Some(abi) = &sig.abi {
            let help = if what == "kernel" {
                "leave `extern` out: the kernel's PTX entry has its name"
            } else {
                "leave `extern` out"
            };
            self.error(Loc::of(abi), format!("expected a Rust function, found `extern`\nhelp: {help}"));
        }
        if let Some(variadic) = &sig.variadic {
            let message =
                format!("expected a parameter, found `...`\nhelp: a {what} takes a fixed number of them");
            self.error(Loc::of(variadic), message);
        }
    }

    /// Reads a kernel's function, and its instances, which are numbered in its text.
    pub(super) fn kernel_function(
        &mut self,
        id: FunctionId,
        item: &Item,
        attrs: &KernelAttrs,
        instances: Option<&Instances>,
    ) -> Vec<Vec<GenericArg>> {
        self.qualifiers(&item.sig, "kernel");
        let (sig, views) = views::take_apart(&item.sig);
        let ((function, instances), text) = self.in_text(|parser| {
            let generics = parser.generics(&item.sig.generics);
            let inputs = parser.inputs(&sig, true);
            parser.attributes(&item.inner);
            let body = match &item.stmts {
                Ok(stmts) => {
                    let (start, end) = (item.body.span_open(), item.body.span_close());
                    if views.is_empty() {
                        parser.stmts(stmts, Loc { start, end })
                    } else {
                        let stmts: Vec<syn::Stmt> = views.iter().chain(stmts).cloned().collect();
                        parser.stmts(&stmts, Loc { start, end })
                    }
                }
                Err(error) => {
                    parser.diagnostics.syntax_of_item(error);
                    no_statements(&item.body)
                }
            };
            let instances = parser.instances(&item.sig, attrs, instances);
            ((generics, inputs, body), instances)
        });
        let (generics, inputs, body) = function;
        if let (Some(generics), Some(params)) = (generics, inputs.params) {
            let function = ast::Function {
                name: item.sig.ident.clone(),
                generics,
                clauses: Vec::new(),
                owner: None,
                receiver: None,
                params,
                result: None,
                locals: text.locals,
                closures: text.closures.into_iter().flatten().collect(),
                loops: text.loops,
                body,
                counts: text.counts,
                scope: self.scope.clone(),
                is_library: false,
                is_private: false,
                is_unsafe: is_unsafe(&item.sig),
                diverges: false,
                unsafe_exprs: text.unsafe_exprs,
            };
            self.draft.functions[id.0] = Some(function);
        }
        instances
    }

    /// Reads any other function.
    pub(super) fn function(
        &mut self,
        id: FunctionId,
        sig: &syn::Signature,
        block: &syn::Block,
        owner: Option<ImplId>,
    ) {
        self.qualifiers(sig, "function");
        let (function, text) = self.in_text(|parser| {
            let generics = parser.generics(&sig.generics).zip(parser.clauses(&sig.generics));
            let inputs = parser.inputs(sig, false);
            let result = match &sig.output {
                syn::ReturnType::Default => Some(None),
                syn::ReturnType::Type(_, ty) if is_unit(ty) || diverges(sig) => Some(None),
                syn::ReturnType::Type(_, ty) => parser.ty(ty).map(Some),
            };
            (generics, inputs, result, parser.block(block))
        });
        let (generics, inputs, result, body) = function;
        if inputs.receiver.is_some() && owner.is_none() {
            let message = "expected a parameter, found `self`: this function is not in an `impl`\nhelp: give it a type: \
                           `value: Type`";
            let first = sig.inputs.first().map_or_else(|| Loc::from(&sig.ident), Loc::of);
            self.error(first, message);
            return;
        }
        if let (Some((generics, clauses)), Some(params), Some(result)) = (generics, inputs.params, result) {
            let function = ast::Function {
                name: sig.ident.clone(),
                generics,
                clauses,
                owner,
                receiver: inputs.receiver,
                params,
                result,
                locals: text.locals,
                closures: text.closures.into_iter().flatten().collect(),
                loops: text.loops,
                body,
                counts: text.counts,
                scope: self.scope_of_function(),
                is_library: self.scope.is_library,
                is_private: false,
                is_unsafe: is_unsafe(sig),
                diverges: diverges(sig),
                unsafe_exprs: text.unsafe_exprs,
            };
            self.draft.functions[id.0] = Some(function);
        }
    }

    fn scope_of_function(&self) -> ast::Scope {
        let variables = self.text.locals.iter().map(|local| local.name.to_string()).collect();
        ast::Scope { variables, ..self.scope.clone() }
    }

    fn inputs(&mut self, sig: &syn::Signature, is_kernel: bool) -> Inputs {
        let receiver = match sig.inputs.first() {
            Some(syn::FnArg::Receiver(receiver)) if is_kernel => {
                self.error(
                    Loc::of(receiver),
                    "expected a parameter, found `self`: a kernel is a free function\nhelp: move it out of the `impl` and \
                     pass scalars and slices",
                );
                None
            }
            Some(syn::FnArg::Receiver(receiver)) => self.receiver(receiver),
            Some(syn::FnArg::Typed(_)) | None => None,
        };
        // Parameters come first among the locals, the names in their patterns after them.
        let typed: Vec<&syn::PatType> = sig
            .inputs
            .iter()
            .filter_map(|input| match input {
                syn::FnArg::Typed(param) => Some(param),
                syn::FnArg::Receiver(_) => None,
            })
            .collect();
        let locals: Vec<LocalId> =
            typed.iter().enumerate().map(|(index, param)| self.param_local(index, &param.pat)).collect();
        let params = typed.iter().zip(locals).map(|(param, local)| self.param(param, local, is_kernel));
        let params: Vec<_> = params.collect();
        Inputs { receiver, params: params.into_iter().collect() }
    }

    fn receiver(&mut self, receiver: &syn::Receiver) -> Option<Receiver> {
        self.refuse_attributes(&receiver.attrs, "a parameter");
        let kind = match &receiver.kind {
            syn::ReceiverKind::Value => Receiver::Value,
            syn::ReceiverKind::Reference(_, _, None) => Receiver::Ref,
            syn::ReceiverKind::Reference(_, _, Some(_)) => Receiver::RefMut,
            _ => {
                let message = "expected `self`, `&self` or `&mut self`, found `self` with a type\nhelp: write one of these";
                self.error(Loc::of(receiver), message);
                return None;
            }
        };
        let name = Ident::new("self", receiver.self_token.span);
        let mutable = receiver.mutability.is_some();
        self.text.locals.push(Local { name, mutable, origin: Origin::Param });
        Some(kind)
    }

    fn param_local(&mut self, index: usize, pat: &syn::Pat) -> LocalId {
        let (name, mutable) = match plain_name(pat) {
            Some(pat) => (pat.ident.clone(), pat.mutability.is_some()),
            None => (made_up(index, pat.span()), false),
        };
        self.text.locals.push(Local { name, mutable, origin: Origin::Param });
        LocalId(self.text.locals.len() - 1)
    }

    fn param(&mut self, param: &syn::PatType, local: LocalId, is_kernel: bool) -> Option<ast::Param> {
        self.refuse_attributes(&param.attrs, "a parameter");
        let pattern = match plain_name(&param.pat) {
            Some(_) => Some(None),
            None => self.pattern(&param.pat).map(Some),
        };
        if is_kernel && !matches!(&pattern, Some(None)) && !matches!(&*param.pat, syn::Pat::Wild(_)) {
            let message = "expected a name, found a pattern: patterns in parameters of a kernel are not supported\nhelp: \
                           name the parameter and take it apart in the body";
            self.error(Loc::of(&param.pat), message);
            return None;
        }
        if is_kernel && let Some(Some(ast::Pattern { kind: PatKind::Wild, loc, .. })) = &pattern {
            self.error(*loc, "expected a name, found `_`\nhelp: name the parameter: `_unused`");
        }
        let ty = if is_kernel { self.kernel_param_type(&param.ty) } else { self.param_type(&param.ty) };
        Some(ast::Param { local, pattern: pattern?, ty: ty? })
    }

    /// `instances(…)` and `tune(…)` as generic arguments, in the order of the parameters.
    fn instances(
        &mut self,
        sig: &syn::Signature,
        attrs: &KernelAttrs,
        instances: Option<&Instances>,
    ) -> Vec<Vec<GenericArg>> {
        let params: Vec<&Ident> = sig
            .generics
            .params
            .iter()
            .filter_map(|param| match param {
                syn::GenericParam::Type(param) => Some(&param.ident),
                syn::GenericParam::Const(param) => Some(&param.ident),
                syn::GenericParam::Lifetime(_) => None,
            })
            .collect();
        let tune = attrs.tune.as_ref();
        if let Some(tune) = tune {
            let mistakes = self.diagnostics.count();
            tune.check(sig, attrs.bounds.max_threads, self.diagnostics);
            // An empty list was reported when it was parsed.
            if self.diagnostics.count() > mistakes || tune.combinations() == 0 {
                return Vec::new();
            }
        }
        let is_open = |param: &&&Ident| !tune.is_some_and(|tune| tune.tunes(param));
        let open: Vec<&Ident> = params.iter().filter(is_open).copied().collect();
        let none = tune.map(|tune| Instances::none(tune.loc()));
        let Some(instances) = instances.or(none.as_ref().filter(|_| open.is_empty())) else {
            if params.is_empty() {
                return vec![Vec::new()];
            }
            if let Some(param) = sig.generics.type_params().find(|param| is_callable(param, &sig.generics)) {
                let name = &param.ident;
                let message = format!(
                    "expected parameters that instances can name, found `{name}`, which is a function: a kernel takes none of the host's\n\
                     help: declare a trait with the function, bound `{name}` by it, and list the types that have it: \
                     `#[kernel(instances({name} = […]))]`"
                );
                self.error(Loc::of(name), message);
                return Vec::new();
            }
            let lists: Vec<String> = open.iter().map(|param| format!("{param} = […]")).collect();
            let message = format!(
                "expected the instances of a generic kernel, found none\nhelp: list them: `#[kernel(instances({}))]`",
                lists.join(", ")
            );
            self.error(Loc::of(&sig.generics), message);
            return Vec::new();
        };
        let Some(rows) = instances.rows(&params, tune, self.diagnostics) else { return Vec::new() };
        let rows: Option<Vec<Vec<GenericArg>>> =
            rows.iter().map(|row| row.iter().map(|arg| self.generic_arg(arg)).collect()).collect();
        rows.unwrap_or_default()
    }
}

/// Returns true for `F: Fn(f32) -> f32`.
fn is_callable(param: &syn::TypeParam, generics: &syn::Generics) -> bool {
    let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let of_param = predicates.flat_map(|predicate| match predicate {
        syn::WherePredicate::Type(clause)
            if matches!(&clause.bounded_ty, syn::Type::Path(path) if path.path.is_ident(&param.ident)) =>
        {
            clause.bounds.iter().collect()
        }
        _ => Vec::new(),
    });
    param.bounds.iter().chain(of_param).any(|bound| super::generics::callable(bound).is_some())
}

fn is_unsafe(sig: &syn::Signature) -> bool {
    matches!(sig.safety, syn::Safety::Unsafe(_))
}

/// Returns true for a function of type `-> !`.
fn diverges(sig: &syn::Signature) -> bool {
    matches!(&sig.output, syn::ReturnType::Type(_, ty) if matches!(**ty, syn::Type::Never(_)))
}

fn is_unit(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty())
}
