//! The types that a kernel's parameters may have: plain data by value, and slices of it.

use crate::ast;
use crate::atomics::Scope;
use crate::attrs::KernelAttrs;
use crate::check::layout;
use crate::device::primitives;
use crate::diagnostics::Loc;
use crate::infer::world::{InstanceState, World};
use crate::infer::written;
use crate::typed::{EnumDef, FnId, Function, Scalar, StructDef, Ty, find_part, holds};
use crate::views;

/// Most bytes that the parameters of a kernel take on every architecture (PTX ISA, "Kernel Function Parameters").
const MOST_BYTES: u64 = 4352;
/// Bytes of a slice: its address and its length.
const SLICE_BYTES: u64 = 16;

/// Checks the parameters of the kernel itself.
pub(super) fn check(world: &mut World<'_>, entry: FnId) {
    let instance = &world.instances[entry.0];
    let InstanceState::Done(function) = &instance.state else { return };
    let program = world.program;
    let decl = &program.functions[instance.function.0];
    let mut errors = Vec::new();
    let mut lacking = Vec::new();
    let next = function.params().iter().skip(1).map(Some).chain([None]);
    for ((param, local), next) in decl.params.iter().zip(function.params()).zip(next) {
        let is_indices = next.is_some_and(|next| views::is_bound(&next.name));
        if let (true, Ty::Slice { element, .. }) = (is_indices, &local.ty)
            && !matches!(**element, Ty::Scalar(scalar) if scalar.is_int())
        {
            let found = written(element, &world.structs, &world.enums);
            let message =
                format!("expected integers as indices, found `{found}`\nhelp: write `Indices<'_, u32>`");
            errors.push((param.ty.loc, message));
            continue;
        }
        if views::is_value(&local.name) && !matches!(local.ty, Ty::Slice { .. } | Ty::Scalar(_) | Ty::Never) {
            let found = written(&local.ty, &world.structs, &world.enums);
            let message = format!(
                "expected a scalar or a slice in the `Option` of a kernel's parameter, found `{found}`\nhelp: take the value, and a `bool` that \
                 says whether it counts"
            );
            errors.push((param.ty.loc, message));
            continue;
        }
        if let Ty::Ptr { .. } = local.ty
            && let Some(message) = pointer_refused(decl.is_unsafe, world.attrs)
        {
            errors.push((param.ty.loc, message.to_owned()));
            continue;
        }
        match (accepted(&local.ty, world), lacks_layout(&local.ty, &world.structs, &world.enums)) {
            (Err(message), true) => lacking.push((param.ty.loc, message)),
            (Err(message), false) => errors.push((param.ty.loc, message)),
            (Ok(()), true) => {
                lacking.push((param.ty.loc, "expected an enum with a `repr`, found one without".to_owned()));
            }
            (Ok(()), false) => {}
        }
    }
    if errors.is_empty() {
        errors.extend(too_many_bytes(world, decl, function));
    }
    for (loc, message) in errors {
        world.diagnostics.error(loc, message);
    }
    for (loc, message) in lacking {
        world.diagnostics.error_known_to_rustc(loc, message);
    }
}

/// Returns true for data whose `#[derive(Element)]` asks for the layout that is missing, and says so.
fn lacks_layout(ty: &Ty, structs: &[StructDef], enums: &[EnumDef]) -> bool {
    match ty {
        Ty::Slice { element, .. } | Ty::Array(element, _) => lacks_layout(element, structs, enums),
        Ty::Struct(id) => structs[id.0].is_element && !structs[id.0].repr_c,
        Ty::Enum(id) => enums[id.0].lacks_repr,
        _ => false,
    }
}

/// The mistake of parameters that are too large together, at the largest.
fn too_many_bytes(world: &World<'_>, decl: &ast::Function, function: &Function) -> Option<(Loc, String)> {
    let mut total = Some(0_u64);
    let mut largest = None;
    for (param, local) in decl.params.iter().zip(function.params()) {
        let (size, align) = match local.ty {
            Ty::Slice { .. } => (Some(SLICE_BYTES), 8),
            ref ty => layout(ty, &world.structs),
        };
        total = total.and_then(|total| total.checked_next_multiple_of(align)?.checked_add(size?));
        let size = size.unwrap_or(u64::MAX);
        largest = largest.filter(|(_, most)| *most >= size).or(Some((param, size)));
    }
    if total.is_some_and(|total| total <= MOST_BYTES) {
        return None;
    }
    let (param, size) = largest?;
    let total = total.map_or_else(|| "more".to_owned(), |total| total.to_string());
    let message = format!(
        "expected parameters of at most {MOST_BYTES} bytes together, found {total}, of which this one takes {size}\nhelp: take a slice, \
         which takes {SLICE_BYTES} bytes"
    );
    Some((param.ty.loc, message))
}

/// Why a kernel may not take pointers.
fn pointer_refused(is_unsafe: bool, attrs: &KernelAttrs) -> Option<&'static str> {
    if !is_unsafe {
        return Some(
            "expected a slice, found a raw pointer: a kernel that is launched safely cannot trust one\nhelp: take a slice, or \
             declare the kernel `unsafe fn`, which is launched in `unsafe`",
        );
    }
    if attrs.tune.is_some() {
        return Some(
            "expected a slice, found a raw pointer: tuning runs each instance on copies of what the kernel writes, and nothing \
             says how much is behind a pointer\nhelp: take a slice",
        );
    }
    if attrs.coarsen.is_some_and(|by| by > 1) {
        return Some(
            "expected a slice, found a raw pointer: `coarsen` has to know that what is written and what is read are apart\nhelp: \
             take a slice, or leave `coarsen` out",
        );
    }
    None
}

fn accepted(ty: &Ty, world: &World<'_>) -> Result<(), String> {
    let name = |ty: &Ty| written(ty, &world.structs, &world.enums);
    match ty {
        Ty::Slice { element, mutable } if let Ty::Atomic(atomic) = **element => match (mutable, atomic.scope) {
            (false, Scope::Device) => Ok(()),
            (true, _) => Err(format!(
                "expected a slice of atomics that all threads share, found `{}`\nhelp: write `&[{}]`: atomics are changed through it",
                name(ty),
                atomic.kind.name()
            )),
            (false, Scope::Block | Scope::System) => Err(format!(
                "expected a slice of atomics, found `{}`\nhelp: write `&[{}]`, and say the scope at the access: `.system()`",
                name(ty),
                atomic.kind.name()
            )),
        },
        Ty::Slice { element, .. } => match plain(element, &world.structs) {
            Ok(()) => match **element {
                Ty::Struct(id) if !world.structs[id.0].is_element => {
                    Err(refused(element, &name(element), "a slice of plain data", &world.structs))
                }
                Ty::Scalar(Scalar::Bool) => Err("expected a slice of numbers, found one of `bool`\nhelp: take a `&[u8]` and compare with `!= 0`".to_owned()),
                _ => Ok(()),
            },
            Err(Ty::Never) => Ok(()),
            Err(part) => Err(refused(&part, &name(&part), "a slice of plain data", &world.structs)),
        },
        Ty::Ref { inner, mutable } => Err(format!(
            "expected a value or a slice as a kernel's parameter, found `{}`\nhelp: {}",
            name(ty),
            match (&**inner, mutable) {
                (Ty::Array(element, _), false) => format!("take a slice: `&[{}]`", name(element)),
                (Ty::Array(element, _), true) => format!("take a slice: `&mut [{}]`", name(element)),
                (inner, false) => format!("take it by value: `{}`", name(inner)),
                (inner, true) => format!("take a slice: `&mut [{}]`", name(inner)),
            }
        )),
        Ty::Ptr { inner, .. } => match plain(inner, &world.structs) {
            Ok(()) if **inner != Ty::Scalar(Scalar::Bool) => Ok(()),
            Ok(()) => Err("expected a pointer to numbers, found one to `bool`\nhelp: take a `*const u8` and compare with `!= 0`".to_owned()),
            Err(Ty::Never) => Ok(()),
            Err(part) => Err(refused(&part, &name(&part), "a pointer to plain data", &world.structs)),
        },
        // Reported where it is written.
        Ty::Never => Ok(()),
        Ty::Tuple(parts) => parts.iter().try_for_each(in_tuple).map_err(|part| {
            let expected = "a tuple of scalars, vectors and arrays of these as a kernel's parameter";
            refused(&part, &name(&part), expected, &world.structs)
        }),
        ty => accepted_value(ty, world),
    }
}

/// The part of a tuple's part that has another name in the copies, of which the tuple's layout may be another.
fn in_tuple(ty: &Ty) -> Result<(), Ty> {
    match ty {
        Ty::Scalar(_) | Ty::Vector(..) => Ok(()),
        Ty::Array(element, _) => in_tuple(element),
        Ty::Tuple(parts) => parts.iter().try_for_each(in_tuple),
        other => Err(other.clone()),
    }
}

/// A parameter by value is plain data, of which enums with data are those that buffers hold.
fn accepted_value(ty: &Ty, world: &World<'_>) -> Result<(), String> {
    let structs = &world.structs;
    let is_no_element = |part: &Ty| match part {
        Ty::Struct(id) if !structs[id.0].variants.is_empty() => {
            (!structs[id.0].is_union() || !structs[id.0].is_element).then(|| part.clone())
        }
        _ => None,
    };
    let is_of_unknown_size = |part: &Ty| match part {
        Ty::Enum(id) if !world.enums[id.0].has_repr && !world.enums[id.0].lacks_repr => Some(*id),
        _ => None,
    };
    if let Some(id) = find_part(ty, structs, &is_of_unknown_size) {
        return Err(format!(
            "expected an enum with a `repr` in a kernel's parameter, found `{}`\nhelp: write `#[repr(i32)]` before it, or another integer",
            world.enums[id.0].name
        ));
    }
    match find_part(ty, structs, &is_no_element) {
        Some(part) => Err(part),
        None => plain(ty, structs),
    }
    .map_err(|part| {
        refused(&part, &written(&part, structs, &world.enums), "plain data as a kernel's parameter", structs)
    })
}

fn refused(part: &Ty, name: &str, expected: &str, structs: &[StructDef]) -> String {
    if let (Ty::Struct(_), Some((view, rest))) = (part, name.split_once('<'))
        && views::is_view(view)
    {
        return format!("expected {expected}, found `{name}`\nhelp: write its lifetime: `{view}<'_, {rest}`");
    }
    let help = match part {
        Ty::Struct(id) if structs[id.0].is_library && name == primitives::CHAR => {
            "take a `u32`, and make it one in the kernel: `char::from_u32(v)`"
        }
        Ty::Struct(_) if holds_reference(part, structs) => {
            "a reference means nothing to the GPU by itself: take the slice as a parameter of its own, `&[T]`, and make the struct of it in the kernel"
        }
        Ty::Struct(id) if !structs[id.0].variants.is_empty() => {
            "write `#[derive(Clone, Copy, Element)]` and `#[repr(C, u32)]` above it"
        }
        Ty::Struct(id) if structs[id.0].holds_pointer => {
            "a pointer to a function of the host means nothing to the GPU: pass a number, and choose the function in the kernel"
        }
        Ty::Struct(_) if expected.contains("slice") => {
            "write `#[derive(Clone, Copy, Element)]` and `#[repr(C)]` above it"
        }
        Ty::Struct(_) => "write `#[repr(C)]` above it, and derive `Clone` and `Copy`",
        Ty::Unit => "leave the parameter out",
        Ty::Tuple(_) => {
            "declare a struct of the parts with `#[repr(C)]` and `#[derive(Clone, Copy, Element)]`: the layout of a tuple is not stated"
        }
        Ty::Option(_) | Ty::Enum(_) => "take a number instead",
        Ty::Closure { .. } | Ty::Function(_) => "write the function in the kernel's body",
        Ty::Atomic(_) => "take a slice of atomics: `&[AtomicU32]`",
        _ => "take scalars, vectors, structs of these, and slices",
    };
    format!("expected {expected}, found `{name}`\nhelp: {help}")
}

fn holds_reference(ty: &Ty, structs: &[StructDef]) -> bool {
    holds(ty, structs, |part| matches!(part, Ty::Ref { .. } | Ty::Slice { .. }))
}

/// The part that is no plain data of a known layout. An enum in memory has a number of its own: rustc asks for `Element`, whose derive
/// asks for a `repr` and checks what comes back.
fn plain(ty: &Ty, structs: &[StructDef]) -> Result<(), Ty> {
    match ty {
        Ty::Scalar(_) | Ty::Vector(..) => Ok(()),
        Ty::Enum(_) => Ok(()),
        Ty::Array(element, _) => plain(element, structs),
        Ty::Struct(id)
            if structs[id.0].repr_c && !structs[id.0].holds_pointer && !holds_reference(ty, structs) =>
        {
            structs[id.0].fields.iter().try_for_each(|field| plain(&field.ty, structs))
        }
        other => Err(other.clone()),
    }
}
