//! Instances of generic kernels: their arguments as a type, which `k: Instance<(f32, UsizeArg<256>)>` is implemented for.

use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::visit::Visit;

use super::dump;
use super::variants::{self, CompiledVariant};
use crate::atomics::Scope;
use crate::contract::contract;
use crate::diagnostics::{Diagnostic, Diagnostics, once_each};
use crate::host;
use crate::typed::{ConstValue, GenericArg, Kernel, Scalar, Ty};

/// An instance and its PTX.
pub struct Compiled {
    pub kernel: Kernel,
    /// Oldest architecture first. Empty after a mistake, which was reported.
    pub variants: Vec<CompiledVariant>,
}

impl Compiled {
    /// All instances of a kernel, from the typed tree to PTX, and the mistakes that show when they are compiled, each once: instances often share
    /// them.
    pub fn all(mut instances: Vec<Kernel>) -> (Vec<Compiled>, Vec<Diagnostic>) {
        let mut diagnostics = Diagnostics::default();
        instances.iter_mut().for_each(contract);
        let variants = variants::compile(&instances, &mut diagnostics);
        let compiled: Vec<Compiled> = instances
            .into_iter()
            .zip(variants)
            .map(|(kernel, variants)| Compiled { kernel, variants })
            .collect();
        compiled.iter().for_each(|compiled| dump::dump(compiled, &mut diagnostics));
        (compiled, once_each(diagnostics.into_errors()))
    }

    /// Its arguments as one type.
    pub fn arguments(&self) -> TokenStream {
        self.arguments_of(|_| true)
    }

    /// Some of its arguments as one type.
    pub fn arguments_of(&self, is_one: impl Fn(usize) -> bool) -> TokenStream {
        let chosen = self.kernel.instance.iter().enumerate().filter(|(index, _)| is_one(*index));
        let arguments = chosen.map(|(_, argument)| match argument {
            GenericArg::Type(ty) => user_type(&self.kernel, ty),
            GenericArg::Const(value) => {
                let (name, value) = (const_argument(value.ty.name()), const_value(*value));
                quote!(::kernel_runtime::instance::#name<#value>)
            }
        });
        quote!((#(#arguments,)*))
    }

    /// Its arguments as written: `f32, 256`.
    pub fn arguments_text(&self) -> String {
        let count = self.kernel.instance.len();
        (0..count).map(|index| self.argument_text(index)).collect::<Vec<_>>().join(", ")
    }

    /// The argument with this index as written.
    pub fn argument_text(&self, index: usize) -> String {
        match &self.kernel.instance[index] {
            GenericArg::Type(ty) => type_text(&self.kernel, ty),
            GenericArg::Const(value) => const_value(*value).to_string().replace(' ', ""),
        }
    }
}

/// The type that stands for a constant argument.
fn const_argument(scalar: &str) -> Ident {
    let (first, rest) = scalar.split_at(1);
    format_ident!("{}{rest}Arg", first.to_uppercase())
}

fn const_value(value: ConstValue) -> TokenStream {
    let shift = 64 - value.ty.bits().min(64);
    if value.ty == Scalar::Bool {
        let value = value.bits != 0;
        return quote!(#value);
    }
    let signed = ((value.bits << shift) as i64) >> shift;
    if value.ty.is_signed() && signed < 0 {
        let literal = Literal::u64_unsuffixed(signed.unsigned_abs());
        return quote!({ -#literal });
    }
    Literal::u64_unsuffixed(value.bits).into_token_stream()
}

/// A type in the scope of the kernel: a type of the language by a path that no name there can change, a type of the user's by its own.
pub fn user_type(kernel: &Kernel, ty: &Ty) -> TokenStream {
    match ty {
        Ty::Struct(id) => kernel.structs[id.0].path.clone(),
        Ty::Enum(id) => kernel.enums[id.0].path.clone(),
        Ty::Scalar(scalar @ (Scalar::F16 | Scalar::Bf16)) => {
            let name = format_ident!("{}", scalar.name());
            quote!(::kernel_runtime::device::#name)
        }
        Ty::Scalar(scalar) => {
            let name = format_ident!("{}", scalar.name());
            quote!(::kernel_runtime::vocabulary::core::primitive::#name)
        }
        Ty::Vector(scalar, lanes) => {
            let name = host::vector_name(*scalar, *lanes);
            quote!(::kernel_runtime::device::#name)
        }
        Ty::Tuple(parts) => {
            let parts = parts.iter().map(|part| user_type(kernel, part));
            quote!((#(#parts,)*))
        }
        Ty::Array(element, len) => {
            let (element, len) = (user_type(kernel, element), Literal::u64_unsuffixed(*len));
            quote!([#element; #len])
        }
        Ty::Option(value) => {
            let value = user_type(kernel, value);
            quote!(::kernel_runtime::vocabulary::core::option::Option<#value>)
        }
        // No argument of a kernel is of these types.
        Ty::Unit
        | Ty::Never
        | Ty::Dim3
        | Ty::Atomic(_)
        | Ty::Ref { .. }
        | Ty::Ptr { .. }
        | Ty::Slice { .. }
        | Ty::Shared(_)
        | Ty::SharedDyn(_)
        | Ty::Closure { .. }
        | Ty::Function(_) => quote!(()),
    }
}

/// A type that consists of the language's alone.
pub fn language_type(kernel: &Kernel, ty: &Ty) -> Option<TokenStream> {
    fn is_of_language(ty: &Ty) -> bool {
        match ty {
            Ty::Scalar(_) | Ty::Vector(..) => true,
            Ty::Tuple(parts) => parts.iter().all(is_of_language),
            Ty::Array(element, _) => is_of_language(element),
            _ => false,
        }
    }
    match ty {
        Ty::Atomic(_) => data_type(kernel, ty),
        ty => is_of_language(ty).then(|| user_type(kernel, ty)),
    }
}

/// A type that a parameter or its elements may have, in the scope of the kernel; an atomic among them.
pub fn data_type(kernel: &Kernel, ty: &Ty) -> Option<TokenStream> {
    match ty {
        Ty::Scalar(_) | Ty::Vector(..) | Ty::Struct(_) | Ty::Enum(_) => Some(user_type(kernel, ty)),
        Ty::Tuple(parts) => {
            let parts = parts.iter().map(|part| data_type(kernel, part)).collect::<Option<Vec<_>>>()?;
            Some(quote!((#(#parts,)*)))
        }
        Ty::Array(element, len) => {
            let (element, len) = (data_type(kernel, element)?, Literal::u64_unsuffixed(*len));
            Some(quote!([#element; #len]))
        }
        Ty::Atomic(atomic) => {
            let name = format_ident!("{}", atomic.kind.name());
            let place = quote!(::kernel_runtime::device::#name);
            let view = Scope::VIEWS.iter().find(|view| view.2 == atomic.scope);
            Some(view.map_or(place.clone(), |view| {
                let view = format_ident!("{}", view.1);
                quote!(::kernel_runtime::device::#view<#place>)
            }))
        }
        _ => None,
    }
}

/// A type as a user writes it.
fn type_text(kernel: &Kernel, ty: &Ty) -> String {
    match ty {
        Ty::Struct(id) => kernel.structs[id.0].name.clone(),
        Ty::Enum(id) => kernel.enums[id.0].name.clone(),
        Ty::Scalar(scalar) => scalar.name().to_owned(),
        Ty::Vector(scalar, lanes) => host::vector_name(*scalar, *lanes).to_string(),
        Ty::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| type_text(kernel, part)).collect();
            match &parts[..] {
                [only] => format!("({only},)"),
                parts => format!("({})", parts.join(", ")),
            }
        }
        Ty::Array(element, len) => format!("[{}; {len}]", type_text(kernel, element)),
        _ => user_type(kernel, ty).to_string(),
    }
}

/// Returns true if one of these names is among the tokens.
fn names_any(tokens: &impl ToTokens, is_one: &impl Fn(&Ident) -> bool) -> bool {
    tokens.to_token_stream().into_iter().any(|tree| match tree {
        TokenTree::Group(group) => names_any(&group.stream(), is_one),
        TokenTree::Ident(name) => is_one(&name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Collects a type parameter where it is data, and its associated types, each once.
struct DataTypes<'a> {
    name: &'a Ident,
    data: &'a mut Vec<TokenStream>,
}

impl<'ast> Visit<'ast> for DataTypes<'_> {
    fn visit_type_path(&mut self, ty: &'ast syn::TypePath) {
        let of = match &ty.qself {
            Some(qself) => match &*qself.ty {
                syn::Type::Path(of) => of.path.get_ident(),
                _ => None,
            },
            None => ty.path.segments.first().map(|first| &first.ident),
        };
        if of == Some(self.name) {
            let found = ty.to_token_stream();
            if !self.data.iter().any(|other| other.to_string() == found.to_string()) {
                self.data.push(found);
            }
        } else {
            syn::visit::visit_type_path(self, ty);
        }
    }
}

/// The generic parameters of a kernel.
pub struct Generics {
    /// As written, lifetimes among them; without bounds after a mistake.
    params: Vec<TokenStream>,
    /// The generic arguments in scope, each as a type.
    arguments: Vec<TokenStream>,
    /// The type parameters that are data of the kernel's parameters, and the associated types of others: `T`, `R::Item`. Other type
    /// parameters choose code, and are no data.
    data: Vec<TokenStream>,
    /// The `where` clause's predicates.
    predicates: TokenStream,
}

impl Generics {
    pub fn new(sig: &syn::Signature, failed: bool) -> Generics {
        Generics::without(sig, failed, |_| false)
    }

    /// Without those that launches do not name.
    pub fn without(sig: &syn::Signature, failed: bool, is_left_out: impl Fn(&Ident) -> bool) -> Generics {
        let (mut params, mut arguments, mut data) = (Vec::new(), Vec::new(), Vec::new());
        for param in &sig.generics.params {
            if let syn::GenericParam::Type(syn::TypeParam { ident, .. })
            | syn::GenericParam::Const(syn::ConstParam { ident, .. }) = param
                && is_left_out(ident)
            {
                continue;
            }
            match param {
                syn::GenericParam::Lifetime(param) => {
                    let lifetime = &param.lifetime;
                    params.push(quote!(#lifetime));
                }
                syn::GenericParam::Type(param) => {
                    let (name, bounds) = (&param.ident, &param.bounds);
                    let bounds = (!failed && !bounds.is_empty()).then(|| quote!(: #bounds));
                    params.push(quote!(#name #bounds));
                    let mut found = DataTypes { name, data: &mut data };
                    sig.inputs.iter().for_each(|input| found.visit_fn_arg(input));
                    arguments.push(name.to_token_stream());
                }
                syn::GenericParam::Const(param) => {
                    let (name, ty) = (&param.ident, &param.ty);
                    params.push(quote!(const #name: #ty));
                    let wrapper = const_argument(&ty.to_token_stream().to_string());
                    arguments.push(quote!(::kernel_runtime::instance::#wrapper<#name>));
                }
            }
        }
        let predicates = match &sig.generics.where_clause {
            Some(clause) if !failed => {
                let kept = clause.predicates.iter().filter(|predicate| !names_any(predicate, &is_left_out));
                quote!(#(#kept,)*)
            }
            Some(_) | None => TokenStream::new(),
        };
        Generics { params, arguments, data, predicates }
    }

    /// `<'gpu, T: Float, const N: usize>`
    pub fn declared(&self, lifetime: TokenStream) -> TokenStream {
        let (params, comma) = (&self.params, (!lifetime.is_empty()).then(|| quote!(,)));
        quote!(<#lifetime #comma #(#params),*>)
    }

    /// `(T, UsizeArg<N>)`; none if the kernel is not generic.
    pub fn arguments(&self) -> Option<TokenStream> {
        let arguments = &self.arguments;
        (!arguments.is_empty()).then(|| quote!((#(#arguments,)*)))
    }

    /// The type parameters and associated types of such that data of the kernel has.
    pub fn data_types(&self) -> &[TokenStream] {
        &self.data
    }

    /// The predicates of the `where` clause.
    pub fn user_bounds(&self) -> &TokenStream {
        &self.predicates
    }
}
