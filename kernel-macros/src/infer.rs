//! Types: what every expression and variable is, found by unification with expected types pushed down, as rustc does.

use crate::typed::{EnumDef, StructDef, Ty};

/// A type as written in Rust; the structs and enums are the kernel's.
pub fn written(ty: &Ty, structs: &[StructDef], enums: &[EnumDef]) -> String {
    let inner = |ty: &Ty| written(ty, structs, enums);
    match ty {
        Ty::Unit => "()".to_owned(),
        Ty::Never => "!".to_owned(),
        Ty::Scalar(scalar) => scalar.name().to_owned(),
        Ty::Dim3 => "Dim3".to_owned(),
        Ty::Tuple(parts) => match &parts[..] {
            [only] => format!("({},)", inner(only)),
            parts => format!("({})", parts.iter().map(inner).collect::<Vec<_>>().join(", ")),
        },
        Ty::Array(element, len) => format!("[{}; {len}]", inner(element)),
        Ty::Struct(id) => structs[id.0].name.clone(),
        Ty::Enum(id) => enums[id.0].name.clone(),
        Ty::Option(some) => format!("Option<{}>", inner(some)),
        Ty::Vector(scalar, lanes) => vector_name(*scalar, *lanes),
        Ty::Ref { inner: to, mutable: false } => format!("&{}", inner(to)),
        Ty::Ref { inner: to, mutable: true } => format!("&mut {}", inner(to)),
        Ty::Slice { element, mutable: false } => format!("&[{}]", inner(element)),
        Ty::Slice { element, mutable: true } => format!("&mut [{}]", inner(element)),
        Ty::Shared(of) => format!("Shared<{}>", inner(of)),
        Ty::SharedDyn(of) => format!("SharedDyn<{}>", inner(of)),
        Ty::Closure { owner, id } => format!("closure {}.{}", owner.0, id.0),
        Ty::Function(id) => format!("function {}", id.0),
    }
}

/// `F32x4`
pub fn vector_name(scalar: crate::typed::Scalar, lanes: u32) -> String {
    let name = scalar.name();
    format!("{}{}x{lanes}", name[..1].to_uppercase(), &name[1..])
}
