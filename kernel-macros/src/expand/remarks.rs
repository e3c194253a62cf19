//! Optimisation remarks of a kernel, as constants for `KERNEL.report()`.

use proc_macro2::TokenStream;
use ptx_gen::ir::{FileId, Remark, RemarkKind};
use quote::{format_ident, quote};

/// The remarks as a `&'static [Remark]`.
pub fn remarks<'f>(remarks: &[Remark], file_of: impl Fn(FileId) -> &'f str) -> TokenStream {
    // Refusals are reported as errors.
    let made = remarks
        .iter()
        .filter(|remark| !matches!(remark.kind, RemarkKind::Refused(_) | RemarkKind::RefusedLoop(_)));
    let made = made.map(|Remark { location, kind, count }| {
        let (file, line, column) = (file_of(location.file), location.line, location.column);
        let kind = match kind {
            RemarkKind::CheckTested { check, test } => {
                let check = format_ident!("{check:?}");
                quote!(CheckTested { check: #check, test: ::kernel_runtime::vocabulary::std::borrow::Cow::Borrowed(#test) })
            }
            RemarkKind::NotCoarsened { found } => {
                quote!(NotCoarsened { found: ::kernel_runtime::vocabulary::std::borrow::Cow::Borrowed(#found) })
            }
            // Its variants and those of `PanicKind` are written as they are printed.
            kind => format!("{kind:?}").parse().unwrap_or_default(),
        };
        quote! {
            ::kernel_runtime::Remark { kind: #kind, count: #count, file: #file, line: #line, column: #column }
        }
    });
    let made: Vec<TokenStream> = made.collect();
    if made.is_empty() {
        return quote!(&[]);
    }
    quote! {
        {
            #[allow(unused_imports, clippy::enum_glob_use)]
            use ::kernel_runtime::{PanicKind::*, RemarkKind::*};
            // A constant, for kinds may own a text, and what is dropped is not kept for ever elsewhere.
            const REMARKS: &[::kernel_runtime::Remark] = &[#(#made),*];
            REMARKS
        }
    }
}
