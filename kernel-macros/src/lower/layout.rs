//! Representation of the source's types: SSA values, bytes in memory, symbols.

use kernel_abi::tensor_map::SWIZZLE_BYTES;
use proc_macro2::Ident;
use ptx_gen::ir::Type;

use crate::typed::{ConstValue, EnumDef, Extent, GenericArg, Kernel, Scalar, StructDef, Ty, VariantDef};

/// The SSA type of a scalar.
pub fn scalar_type(scalar: Scalar) -> Type {
    match scalar {
        Scalar::Bool => Type::Bool,
        Scalar::I8 | Scalar::U8 => Type::I8,
        Scalar::I16 | Scalar::U16 => Type::I16,
        Scalar::I32 | Scalar::U32 => Type::I32,
        Scalar::I64 | Scalar::U64 | Scalar::Isize | Scalar::Usize => Type::I64,
        Scalar::F16 => Type::F16,
        Scalar::Bf16 => Type::BF16,
        Scalar::F32 => Type::F32,
        Scalar::F64 => Type::F64,
    }
}

/// The types of one kernel, for questions about how they lie in registers and in memory.
///
/// In memory structs and tuples are as `repr(C)` has them, an `Option` is its value and then a tag byte. An enum of `repr(C, u32)` is its
/// discriminant and then a union of what its variants hold (RFC 2195).
#[derive(Clone, Copy)]
pub struct Layout<'k> {
    structs: &'k [StructDef],
    enums: &'k [EnumDef],
}

/// A field, element or lane of an aggregate.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its type.
    pub ty: Ty,
    /// The number of its first SSA value among those of the aggregate.
    pub first: usize,
    /// Its offset in memory, in bytes from the aggregate's start.
    pub offset: u64,
}

impl<'k> Layout<'k> {
    /// The types of this kernel.
    pub fn new(kernel: &'k Kernel) -> Layout<'k> {
        Layout::of(&kernel.structs, &kernel.enums)
    }

    /// These types.
    pub fn of(structs: &'k [StructDef], enums: &'k [EnumDef]) -> Layout<'k> {
        Layout { structs, enums }
    }

    /// The extent of a struct with these fields; none if one of them holds the struct itself.
    pub fn of_fields<'t>(self, fields: impl IntoIterator<Item = &'t Ty>, least_align: u64) -> Option<Extent> {
        let mut all = Extent { align: least_align, ..Extent::default() };
        for ty in fields {
            if !self.is_sized(ty) {
                return None;
            }
            let align = self.align_of(ty).max(1);
            all.bytes = round_up(all.bytes, align).saturating_add(self.size_of(ty));
            all.align = all.align.max(align);
            all.scalars = all.scalars.saturating_add(self.count(ty) as u64);
            all.has_array |= self.has_array(ty);
        }
        all.bytes = round_up(all.bytes, all.align);
        Some(all)
    }

    /// The bytes and the alignment of an enum of `repr(C, u32)` with these fields, the discriminant first, and where each of them is: behind
    /// the discriminant is a union of a `repr(C)` struct for each variant (RFC 2195).
    pub fn of_union(self, fields: &[&Ty], variants: &[VariantDef]) -> (u64, u64, Vec<u64>) {
        let mut offsets = vec![0; fields.len()];
        let (mut bytes, mut align) = (0, 1);
        for variant in variants {
            let mut end = 0;
            for (_, index) in &variant.fields {
                let own = self.align_of(fields[*index]).max(1);
                offsets[*index] = round_up(end, own);
                end = offsets[*index].saturating_add(self.size_of(fields[*index]));
                align = align.max(own);
            }
            bytes = bytes.max(end);
        }
        let tag = fields.first().map_or(0, |tag| self.size_of(tag));
        let start = round_up(tag, align);
        offsets.iter_mut().skip(1).for_each(|offset| *offset = offset.saturating_add(start));
        let align = align.max(tag);
        (round_up(round_up(bytes, align).saturating_add(start), align), align, offsets)
    }

    /// The offsets of the fields of an enum whose variants share their bytes.
    fn union_offsets(self, ty: &Ty) -> Option<Vec<u64>> {
        let Ty::Struct(id) = ty else { return None };
        let def = &self.structs[id.0];
        def.is_union().then(|| self.of_union(&self.fields(ty), &def.variants).2)
    }

    /// Returns true if a value of the type has an enum in it whose variants share their bytes.
    pub fn has_union(self, ty: &Ty) -> bool {
        match ty {
            Ty::Struct(id) if self.structs[id.0].is_union() => true,
            Ty::Struct(_) | Ty::Tuple(_) => self.fields(ty).into_iter().any(|field| self.has_union(field)),
            Ty::Array(inner, _) | Ty::Option(inner) => self.has_union(inner),
            _ => false,
        }
    }

    /// The variants of an enum whose variants share their bytes: the number of each, and the indices of its fields.
    pub fn union_variants(self, ty: &Ty) -> Option<Vec<(ConstValue, Vec<usize>)>> {
        let Ty::Struct(id) = ty else { return None };
        let def = self.structs.get(id.0).filter(|def| def.is_union())?;
        let tag = &def.fields.first()?.ty;
        let rows = def.variants.iter().enumerate();
        Some(
            rows.map(|(index, variant)| {
                (self.variant(tag, index), variant.fields.iter().map(|row| row.1).collect())
            })
            .collect(),
        )
    }

    /// Returns true if the extents of all structs in the type are known.
    fn is_sized(self, ty: &Ty) -> bool {
        match ty {
            Ty::Struct(id) => self.structs[id.0].extent.is_some(),
            Ty::Array(inner, _) | Ty::Option(inner) => self.is_sized(inner),
            Ty::Tuple(parts) => parts.iter().all(|part| self.is_sized(part)),
            // The referent of a pointer may have any size.
            _ => true,
        }
    }

    fn extent(self, id: crate::typed::StructId) -> Extent {
        self.structs[id.0].extent.unwrap_or_default()
    }

    /// The scalar that values of this type are made of: of a scalar itself, an enum's `repr`, a vector's lane.
    ///
    /// Operators apply to such types only: whatever else comes here is a mistake of checking.
    pub fn scalar(self, ty: &Ty) -> Scalar {
        match ty {
            Ty::Scalar(scalar) | Ty::Vector(scalar, _) => *scalar,
            Ty::Enum(id) => self.enums[id.0].repr,
            // As operands of casts and comparisons.
            Ty::Ptr { .. } | Ty::Ref { .. } => Scalar::Usize,
            Ty::Atomic(atomic) => atomic.kind.value().0,
            Ty::Unit
            | Ty::Never
            | Ty::Dim3
            | Ty::Tuple(_)
            | Ty::Array(..)
            | Ty::Struct(_)
            | Ty::Option(_)
            | Ty::Slice { .. }
            | Ty::Shared(_)
            | Ty::SharedDyn(_)
            | Ty::Closure { .. }
            | Ty::Function(_) => unreachable!("checking admits operators on scalars only, not on {ty:?}"),
        }
    }

    /// The number of an enum's variant, by its index.
    pub fn variant(self, ty: &Ty, index: usize) -> ConstValue {
        match ty {
            Ty::Enum(id) => crate::literal::wrap_int(self.scalar(ty), self.enums[id.0].variants[index].1),
            _ => unreachable!("checking gives variants the type of their enum, not {ty:?}"),
        }
    }

    /// The SSA types of a value, in order.
    pub fn flatten(self, ty: &Ty) -> Vec<Type> {
        self.scalars(ty).into_iter().map(|(ty, _)| ty).collect()
    }

    /// The SSA types of a value in order, each with where it is in memory.
    pub fn scalars(self, ty: &Ty) -> Vec<(Type, u64)> {
        let mut scalars = Vec::new();
        self.add_scalars(ty, 0, &mut scalars);
        scalars
    }

    fn add_scalars(self, ty: &Ty, at: u64, out: &mut Vec<(Type, u64)>) {
        if self.count(ty) == 0 {
            return;
        }
        match ty {
            Ty::Unit | Ty::Never | Ty::SharedDyn(_) | Ty::Closure { .. } | Ty::Function(_) => {}
            Ty::Scalar(_) | Ty::Enum(_) => out.push((scalar_type(self.scalar(ty)), at)),
            Ty::Dim3 => out.extend((0..3).map(|axis| (Type::I64, at + 8 * axis))),
            // An address in the shared space.
            Ty::Shared(_) => out.push((Type::I32, at)),
            // A generic address.
            Ty::Ref { .. } | Ty::Ptr { .. } => out.push((Type::I64, at)),
            // Address and length.
            Ty::Slice { .. } => out.extend([(Type::I64, at), (Type::I64, at + 8)]),
            // As what lies there.
            Ty::Atomic(atomic) => self.add_scalars(&atomic.kind.value_ty(), at, out),
            Ty::Option(inner) => {
                self.add_scalars(inner, at, out);
                out.push((Type::Bool, at + self.size_of(inner)));
            }
            Ty::Array(element, len) => {
                let size = self.size_of(element);
                (0..*len).for_each(|index| self.add_scalars(element, at + index * size, out));
            }
            Ty::Tuple(_) | Ty::Struct(_) | Ty::Vector(..) => {
                self.parts(ty).into_iter().for_each(|part| self.add_scalars(&part.ty, at + part.offset, out));
            }
        }
    }

    /// Number of SSA values of a value.
    pub fn count(self, ty: &Ty) -> usize {
        match ty {
            Ty::Array(element, len) => self.count(element).saturating_mul(*len as usize),
            Ty::Option(inner) => self.count(inner).saturating_add(1),
            Ty::Tuple(fields) => {
                fields.iter().fold(0, |sum: usize, field| sum.saturating_add(self.count(field)))
            }
            Ty::Struct(id) => self.extent(*id).scalars as usize,
            Ty::Vector(_, lanes) => *lanes as usize,
            Ty::Atomic(atomic) => atomic.kind.value().1 as usize,
            Ty::Unit | Ty::Never | Ty::SharedDyn(_) | Ty::Closure { .. } | Ty::Function(_) => 0,
            Ty::Scalar(_) | Ty::Enum(_) | Ty::Shared(_) | Ty::Ref { .. } | Ty::Ptr { .. } => 1,
            Ty::Slice { .. } => 2,
            Ty::Dim3 => 3,
        }
    }

    /// Number of fields, elements or lanes.
    pub fn part_count(self, ty: &Ty) -> usize {
        match ty {
            Ty::Tuple(fields) => fields.len(),
            Ty::Struct(id) => self.structs[id.0].fields.len(),
            Ty::Array(_, len) => *len as usize,
            Ty::Vector(_, lanes) => *lanes as usize,
            Ty::Dim3 => 3,
            // The value and whether it is there.
            Ty::Option(_) => 2,
            Ty::Unit
            | Ty::Never
            | Ty::Scalar(_)
            | Ty::Enum(_)
            | Ty::Atomic(_)
            | Ty::Ref { .. }
            | Ty::Ptr { .. }
            | Ty::Slice { .. }
            | Ty::Shared(_)
            | Ty::SharedDyn(_)
            | Ty::Closure { .. }
            | Ty::Function(_) => 0,
        }
    }

    /// A field, element or lane; of an `Option` 0 is the value, 1 says whether it is there.
    pub fn part(self, ty: &Ty, index: usize) -> Part {
        let repeated = |ty: Ty| {
            let first = index * self.count(&ty);
            let offset = index as u64 * self.size_of(&ty);
            Part { ty, first, offset }
        };
        match ty {
            Ty::Array(element, _) => repeated((**element).clone()),
            Ty::Vector(lane, _) => repeated(Ty::Scalar(*lane)),
            Ty::Dim3 => repeated(Ty::Scalar(Scalar::Usize)),
            Ty::Option(inner) if index == 0 => Part { ty: (**inner).clone(), first: 0, offset: 0 },
            Ty::Option(inner) => {
                Part { ty: Ty::Scalar(Scalar::Bool), first: self.count(inner), offset: self.size_of(inner) }
            }
            _ => {
                let of_union = self.union_offsets(ty);
                let (mut first, mut offset) = (0, 0);
                for (number, field) in self.fields(ty).into_iter().enumerate() {
                    offset = round_up(offset, self.align_of(field));
                    if number == index {
                        let offset = of_union.map_or(offset, |offsets| offsets[index]);
                        return Part { ty: field.clone(), first, offset };
                    }
                    first += self.count(field);
                    offset += self.size_of(field);
                }
                unreachable!("checking admits only fields that exist: {index} of {ty:?}")
            }
        }
    }

    /// The offsets in memory of tiles whose size is a multiple of the pattern of their swizzling, which `wgmma` takes to begin at such multiples; of an
    /// array those in its first two elements, as far as 64 bits count.
    pub fn whole_tiles(self, ty: &Ty) -> Vec<u64> {
        let count = match ty {
            // Nothing else of the library is aligned.
            Ty::Struct(id) if self.structs[id.0].is_library && self.structs[id.0].align.is_some() => {
                let is_whole = self.size_of(ty).is_multiple_of(SWIZZLE_BYTES.into());
                return if is_whole { vec![0] } else { Vec::new() };
            }
            Ty::Array(_, len) => (*len).min(2) as usize,
            Ty::Struct(_) | Ty::Tuple(_) => self.part_count(ty),
            _ => 0,
        };
        let parts = (0..count).map(|index| self.part(ty, index));
        parts
            .flat_map(|part| {
                self.whole_tiles(&part.ty).into_iter().filter_map(move |at| part.offset.checked_add(at))
            })
            .collect()
    }

    /// All fields, elements or lanes.
    pub fn parts(self, ty: &Ty) -> Vec<Part> {
        let (Ty::Tuple(_) | Ty::Struct(_)) = ty else {
            return (0..self.part_count(ty)).map(|index| self.part(ty, index)).collect();
        };
        let of_union = self.union_offsets(ty);
        let (mut first, mut offset) = (0, 0);
        let parts = self.fields(ty).into_iter().enumerate().map(|(index, field)| {
            offset = round_up(offset, self.align_of(field));
            let at = of_union.as_ref().map_or(offset, |offsets| offsets[index]);
            let part = Part { ty: field.clone(), first, offset: at };
            first += self.count(field);
            offset += self.size_of(field);
            part
        });
        parts.collect()
    }

    /// The types of the fields of a tuple or struct.
    fn fields<'t>(self, ty: &'t Ty) -> Vec<&'t Ty>
    where
        'k: 't,
    {
        match ty {
            Ty::Tuple(fields) => fields.iter().collect(),
            Ty::Struct(id) => self.structs[id.0].fields.iter().map(|field| &field.ty).collect(),
            _ => Vec::new(),
        }
    }

    /// The size in memory in bytes, saturating; zero for what is never in memory.
    pub fn size_of(self, ty: &Ty) -> u64 {
        match ty {
            Ty::Scalar(_) | Ty::Enum(_) => u64::from(scalar_type(self.scalar(ty)).bytes()),
            Ty::Vector(lane, lanes) => u64::from(scalar_type(*lane).bytes() * lanes),
            Ty::Atomic(atomic) => self.size_of(&atomic.kind.value_ty()),
            Ty::Array(element, len) => self.size_of(element).saturating_mul(*len),
            Ty::Ref { .. } | Ty::Ptr { .. } => 8,
            Ty::Slice { .. } => 16,
            Ty::Dim3 => 24,
            Ty::Shared(_) => 4,
            Ty::Option(inner) => round_up(self.size_of(inner).saturating_add(1), self.align_of(inner)),
            Ty::Struct(id) => self.extent(*id).bytes,
            Ty::Tuple(_) => {
                let fields = self.fields(ty);
                let end = fields.iter().fold(0, |end: u64, field| {
                    round_up(end, self.align_of(field)).saturating_add(self.size_of(field))
                });
                round_up(end, self.align_of(ty))
            }
            Ty::Unit | Ty::Never | Ty::SharedDyn(_) | Ty::Closure { .. } | Ty::Function(_) => 0,
        }
    }

    /// The alignment in memory in bytes.
    pub fn align_of(self, ty: &Ty) -> u64 {
        match ty {
            Ty::Array(element, _) | Ty::Option(element) => self.align_of(element),
            Ty::Tuple(_) => self.align_of_fields(ty),
            Ty::Struct(id) => self.extent(*id).align.max(1),
            Ty::Slice { .. } | Ty::Dim3 => 8,
            Ty::Scalar(_)
            | Ty::Enum(_)
            | Ty::Atomic(_)
            | Ty::Vector(..)
            | Ty::Ref { .. }
            | Ty::Ptr { .. }
            | Ty::Shared(_) => self.size_of(ty),
            Ty::Unit | Ty::Never | Ty::SharedDyn(_) | Ty::Closure { .. } | Ty::Function(_) => 1,
        }
    }

    fn align_of_fields(self, ty: &Ty) -> u64 {
        self.fields(ty).into_iter().map(|field| self.align_of(field)).max().unwrap_or(1)
    }

    /// Returns true if a value of this type contains an array.
    pub fn has_array(self, ty: &Ty) -> bool {
        match ty {
            Ty::Array(..) => true,
            Ty::Option(inner) => self.has_array(inner),
            Ty::Struct(id) => self.extent(*id).has_array,
            Ty::Tuple(_) => self.fields(ty).into_iter().any(|field| self.has_array(field)),
            Ty::Unit
            | Ty::Never
            | Ty::Scalar(_)
            | Ty::Dim3
            | Ty::Enum(_)
            | Ty::Atomic(_)
            | Ty::Vector(..)
            | Ty::Ref { .. }
            | Ty::Ptr { .. }
            | Ty::Slice { .. }
            | Ty::Shared(_)
            | Ty::SharedDyn(_)
            | Ty::Closure { .. }
            | Ty::Function(_) => false,
        }
    }

    /// The suffixes of a parameter's scalars: empty for a scalar, `_x`, `_1_x` for those of structs, with `between` in place of `_`.
    pub fn suffixes(self, ty: &Ty, between: &str) -> Vec<String> {
        let names: Vec<String> = match ty {
            Ty::Struct(id) => self.structs[id.0].fields.iter().map(|field| member(&field.member)).collect(),
            Ty::Vector(_, lanes) if *lanes <= 4 => "xyzw".chars().map(String::from).collect(),
            _ => (0..self.part_count(ty)).map(|index| index.to_string()).collect(),
        };
        if self.part_count(ty) == 0 {
            return vec![String::new(); self.count(ty)];
        }
        let parts = self.parts(ty).into_iter().zip(names);
        parts
            .flat_map(|(part, name)| {
                self.suffixes(&part.ty, between).into_iter().map(move |rest| format!("{between}{name}{rest}"))
            })
            .collect()
    }

    /// A type as part of a symbol.
    fn mangled(self, ty: &Ty) -> String {
        match ty {
            Ty::Scalar(scalar) => scalar.name().to_owned(),
            Ty::Struct(id) => ascii(&self.structs[id.0].name),
            Ty::Enum(id) => ascii(&self.enums[id.0].name),
            Ty::Vector(lane, lanes) => format!("{}x{lanes}", lane.name()),
            Ty::Atomic(atomic) => atomic.kind.name().to_owned(),
            Ty::Array(element, len) => format!("{}_{len}", self.mangled(element)),
            Ty::Tuple(fields) => {
                let fields: Vec<String> = fields.iter().map(|field| self.mangled(field)).collect();
                fields.join("_")
            }
            Ty::Option(inner) => format!("option_{}", self.mangled(inner)),
            Ty::Ref { inner, .. } => format!("ref_{}", self.mangled(inner)),
            Ty::Ptr { inner, .. } => format!("ptr_{}", self.mangled(inner)),
            Ty::Slice { element, .. } => format!("slice_{}", self.mangled(element)),
            Ty::Shared(inner) | Ty::SharedDyn(inner) => format!("shared_{}", self.mangled(inner)),
            Ty::Unit => "unit".to_owned(),
            Ty::Never => "never".to_owned(),
            Ty::Dim3 => "dim3".to_owned(),
            Ty::Closure { owner, id } => format!("closure_{}_{}", owner.0, id.0),
            Ty::Function(id) => format!("fn_{}", id.0),
        }
    }
}

/// The kernel's name in PTX: `axpy`, and of an instance `axpy_f32_256`.
pub fn entry_symbol(kernel: &Kernel) -> String {
    let mut name = symbol(&kernel.name);
    for argument in &kernel.instance {
        name.push('_');
        match argument {
            GenericArg::Type(ty) => name.push_str(&Layout::new(kernel).mangled(ty)),
            GenericArg::Const(value) => match crate::literal::to_int(*value) {
                negative if negative < 0 => name.push_str(&format!("m{}", negative.unsigned_abs())),
                value => name.push_str(&value.to_string()),
            },
        }
    }
    name
}

/// An identifier as a symbol of PTX, which knows ASCII only (PTX ISA, "Identifiers").
pub fn symbol(name: &Ident) -> String {
    let text = name.to_string();
    ascii(text.strip_prefix("r#").unwrap_or(&text))
}

fn member(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => symbol(name),
        syn::Member::Unnamed(index) => index.index.to_string(),
    }
}

pub fn ascii(text: &str) -> String {
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

fn round_up(value: u64, align: u64) -> u64 {
    value.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX)
}
