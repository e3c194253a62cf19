//! What types of the source become: SSA types, sizes in memory, symbols.

use proc_macro2::Ident;
use ptx_gen::ir::Type;

use crate::typed::{Scalar, Ty};

/// The SSA type of a scalar.
pub fn scalar_type(scalar: Scalar) -> Type {
    match scalar {
        Scalar::Bool => Type::Bool,
        Scalar::I8 | Scalar::U8 => Type::I8,
        Scalar::I16 | Scalar::U16 => Type::I16,
        Scalar::I32 | Scalar::U32 => Type::I32,
        Scalar::I64 | Scalar::U64 | Scalar::Isize | Scalar::Usize => Type::I64,
        Scalar::F32 => Type::F32,
        Scalar::F64 => Type::F64,
    }
}

/// The SSA types of a value, in order.
pub fn flatten(ty: &Ty) -> Vec<Type> {
    match ty {
        Ty::Unit | Ty::Never => vec![],
        Ty::Scalar(scalar) => vec![scalar_type(*scalar)],
        Ty::Dim3 => vec![Type::I64; 3],
        // Address and length.
        Ty::Slice { .. } => vec![Type::I64; 2],
        Ty::Array(element, len) => {
            let element = flatten(element);
            (0..*len).flat_map(|_| element.iter().copied()).collect()
        }
        // An address in the shared space.
        Ty::Shared(_) => vec![Type::I32],
    }
}

/// The size in memory in bytes, saturating; zero for what is never in memory.
pub fn size_of(ty: &Ty) -> u64 {
    match ty {
        Ty::Scalar(scalar) => u64::from(scalar_type(*scalar).bytes()),
        Ty::Array(element, len) => size_of(element).saturating_mul(*len),
        Ty::Unit | Ty::Never | Ty::Dim3 | Ty::Slice { .. } | Ty::Shared(_) => 0,
    }
}

/// The alignment in memory in bytes.
pub fn align_of(ty: &Ty) -> u64 {
    match ty {
        Ty::Array(element, _) => align_of(element),
        Ty::Scalar(_) | Ty::Unit | Ty::Never | Ty::Dim3 | Ty::Slice { .. } | Ty::Shared(_) => {
            size_of(ty).max(1)
        }
    }
}

/// An identifier as a symbol of PTX, which knows ASCII only (PTX ISA, "Identifiers").
pub fn symbol(name: &Ident) -> String {
    let text = name.to_string();
    let text = text.strip_prefix("r#").unwrap_or(&text);
    let mut symbol = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            symbol.push(c);
        } else {
            symbol.push_str(&format!("_u{:x}", u32::from(c)));
        }
    }
    symbol
}
