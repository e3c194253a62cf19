//! Launch guards of the check-free version, as constants for the runtime.

use kernel_abi::guard::HostOp;
use proc_macro2::{Ident, Span, TokenStream};
use ptx_gen::host_test::HostTest;
use ptx_gen::ir::FileId;
use quote::quote;

/// The launch guards as a `&'static [HostTest]`.
pub fn host_tests<'f>(tests: &[HostTest], file_of: impl Fn(FileId) -> &'f str) -> TokenStream {
    let tests = tests.iter().map(|HostTest { location, text, ops }| {
        let (file, line, column) = (file_of(location.file), location.line, location.column);
        let ops = ops.iter().copied().map(host_op);
        quote! {
            ::kernel_runtime::HostTest {
                text: #text, file: #file, line: #line, column: #column, ops: &[#(#ops),*]
            }
        }
    });
    quote!(&[#(#tests),*])
}

/// A step, in the words of the enums of `ptx_gen`, which the runtime passes on.
fn host_op(op: HostOp) -> TokenStream {
    let name = |name: &dyn std::fmt::Debug| Ident::new(&format!("{name:?}"), Span::call_site());
    let words = quote!(::kernel_runtime::abi);
    match op {
        HostOp::Param { at, ty } => {
            let ty = name(&ty);
            quote!(#words::HostOp::Param { at: #at, ty: #words::Type::#ty })
        }
        HostOp::Launch(register) => {
            let register = name(&register);
            quote!(#words::HostOp::Launch(#words::SpecialRegister::#register))
        }
        HostOp::Number(number) => quote!(#words::HostOp::Number(#number)),
        HostOp::Unary(op, ty) => {
            let (op, ty) = (name(&op), name(&ty));
            quote!(#words::HostOp::Unary(#words::UnaryOp::#op, #words::Type::#ty))
        }
        HostOp::Binary(op, ty) => {
            let (op, ty) = (name(&op), name(&ty));
            quote!(#words::HostOp::Binary(#words::BinaryOp::#op, #words::Type::#ty))
        }
        HostOp::Compare(cond, ty) => {
            let (cond, ty) = (name(&cond), name(&ty));
            quote!(#words::HostOp::Compare(#words::IntCond::#cond, #words::Type::#ty))
        }
        HostOp::Convert(op, from, to) => {
            let (op, from, to) = (name(&op), name(&from), name(&to));
            quote!(#words::HostOp::Convert(#words::ConvertOp::#op, #words::Type::#from, #words::Type::#to))
        }
        HostOp::Fma(ty) => {
            let ty = name(&ty);
            quote!(#words::HostOp::Fma(#words::Type::#ty))
        }
        HostOp::Over
        | HostOp::Add
        | HostOp::Sub
        | HostOp::Mul
        | HostOp::Div
        | HostOp::Max
        | HostOp::Select
        | HostOp::AtMost
        | HostOp::Not
        | HostOp::And
        | HostOp::Or => {
            let op = name(&op);
            quote!(#words::HostOp::#op)
        }
    }
}
