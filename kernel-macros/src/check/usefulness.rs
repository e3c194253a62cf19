//! Exhaustiveness of patterns, with a witness for the values that they miss (Maranget, *Warnings for pattern matching*, 2007).
//!
//! A row of patterns is matched against a row of values, one column at a time. A column's type is split into constructors:
//! the fields of a struct, `Some` and `None`, `true` and `false`, an enum's variants, and ranges of integers between
//! the bounds that patterns name.

use crate::device::primitives;
use crate::literal::{int_range, to_int, wrap_int};
use crate::typed::{ConstValue, EnumDef, Pattern, Scalar, StructDef, Ty};

/// Patterns against one row of columns: `None` stands for `_`.
type Row<'a> = Vec<Option<&'a Pattern>>;

/// A constructor of a column's values.
#[derive(Clone, Debug)]
enum Constructor {
    /// The only one: a struct, tuple, array, reference.
    Only(Vec<Ty>),
    /// `Some`
    Some(Ty),
    /// `None`
    None,
    /// Integers from the first to the last, `bool`, variants by number.
    Range(i128, i128),
    /// A slice of so many elements, or more.
    Slice { len: usize, more: bool, element: Ty },
    /// Anything else, of a type whose values cannot be listed.
    Other,
}

struct Context<'a> {
    structs: &'a [StructDef],
    enums: &'a [EnumDef],
}

/// A value that none of the patterns matches, as a pattern in Rust.
pub(super) fn missing(
    patterns: &[&Pattern],
    ty: &Ty,
    structs: &[StructDef],
    enums: &[EnumDef],
) -> Option<String> {
    let context = Context { structs, enums };
    let mut rows = Vec::new();
    for pattern in patterns {
        context.push(&mut rows, vec![Some(pattern)]);
    }
    context.witness(&rows, std::slice::from_ref(ty)).map(|mut row| row.remove(0))
}

impl<'a> Context<'a> {
    /// Adds a row, its first column's alternatives and names resolved.
    fn push(&self, rows: &mut Vec<Row<'a>>, row: Row<'a>) {
        match row.first() {
            Some(Some(Pattern::Or(parts))) => {
                for part in parts {
                    let mut row = row.clone();
                    row[0] = Some(part);
                    self.push(rows, row);
                }
            }
            Some(Some(Pattern::Bind { inner, .. })) => {
                let mut row = row.clone();
                row[0] = inner.as_deref();
                self.push(rows, row);
            }
            Some(Some(Pattern::Wild)) => {
                let mut row = row.clone();
                row[0] = None;
                rows.push(row);
            }
            _ => rows.push(row),
        }
    }

    /// A row of values that no row of patterns matches.
    fn witness(&self, rows: &[Row<'a>], types: &[Ty]) -> Option<Vec<String>> {
        let Some((ty, others)) = types.split_first() else {
            return rows.is_empty().then(Vec::new);
        };
        // The patterns make no distinction in this column.
        if rows.iter().all(|row| row[0].is_none()) {
            let rows: Vec<Row<'a>> = self.without_first(rows);
            let mut found = self.witness(&rows, others)?;
            found.insert(0, "_".to_owned());
            return Some(found);
        }
        for constructor in self.constructors(ty, rows) {
            let fields = self.fields(&constructor);
            let mut inner = Vec::new();
            for row in rows {
                if let Some(parts) = self.specialised(row[0], &constructor, fields.len()) {
                    let row: Row<'a> = parts.into_iter().chain(row[1..].iter().copied()).collect();
                    self.push(&mut inner, row);
                }
            }
            let columns: Vec<Ty> = fields.iter().chain(others).cloned().collect();
            if let Some(mut found) = self.witness(&inner, &columns) {
                let rest = found.split_off(fields.len());
                let mut row = vec![self.shown(ty, &constructor, found)];
                row.extend(rest);
                return Some(row);
            }
        }
        None
    }

    fn without_first(&self, rows: &[Row<'a>]) -> Vec<Row<'a>> {
        let mut inner = Vec::new();
        for row in rows {
            self.push(&mut inner, row[1..].to_vec());
        }
        inner
    }

    fn fields(&self, constructor: &Constructor) -> Vec<Ty> {
        match constructor {
            Constructor::Only(fields) => fields.clone(),
            Constructor::Some(ty) => vec![ty.clone()],
            Constructor::None | Constructor::Range(..) | Constructor::Other => Vec::new(),
            Constructor::Slice { len, element, .. } => vec![element.clone(); *len],
        }
    }

    /// All constructors of the type, as far as the patterns distinguish them.
    fn constructors(&self, ty: &Ty, rows: &[Row<'a>]) -> Vec<Constructor> {
        match ty {
            Ty::Scalar(Scalar::Bool) => vec![Constructor::Range(0, 0), Constructor::Range(1, 1)],
            Ty::Scalar(scalar) if scalar.is_int() => self.ranges(*scalar, rows),
            Ty::Enum(id) => {
                let variants = &self.enums[id.0].variants;
                variants.iter().map(|variant| Constructor::Range(variant.1, variant.1)).collect()
            }
            Ty::Option(some) => vec![Constructor::Some((**some).clone()), Constructor::None],
            Ty::Tuple(parts) => vec![Constructor::Only(parts.clone())],
            Ty::Struct(id) => {
                let fields = self.structs[id.0].fields.iter().map(|field| field.ty.clone());
                vec![Constructor::Only(fields.collect())]
            }
            Ty::Array(element, len) => vec![Constructor::Only(vec![(**element).clone(); *len as usize])],
            Ty::Vector(scalar, lanes) => {
                vec![Constructor::Only(vec![Ty::Scalar(*scalar); *lanes as usize])]
            }
            Ty::Dim3 => vec![Constructor::Only(vec![Ty::Scalar(Scalar::Usize); 3])],
            Ty::Ref { inner, .. } | Ty::Shared(inner) => vec![Constructor::Only(vec![(**inner).clone()])],
            Ty::Unit => vec![Constructor::Only(Vec::new())],
            Ty::Slice { element, .. } => {
                let longest = rows.iter().filter_map(|row| match row[0] {
                    Some(Pattern::Slice { before, after, rest }) => {
                        Some(before.len() + after.len() + usize::from(rest.is_none()))
                    }
                    _ => None,
                });
                let longest = longest.max().unwrap_or(0);
                let slice =
                    |len| Constructor::Slice { len, more: len == longest, element: (**element).clone() };
                (0..=longest).map(slice).collect()
            }
            Ty::Scalar(_)
            | Ty::Never
            | Ty::Atomic(_)
            | Ty::Ptr { .. }
            | Ty::SharedDyn(_)
            | Ty::Closure { .. }
            | Ty::Function(_) => {
                vec![Constructor::Other]
            }
        }
    }

    /// The integers between the bounds that the patterns name.
    fn ranges(&self, scalar: Scalar, rows: &[Row<'a>]) -> Vec<Constructor> {
        let (least, most) = int_range(scalar);
        let mut starts = vec![least];
        for row in rows {
            let bounds = match row[0] {
                Some(Pattern::Constant(value)) => Some((to_int(*value), to_int(*value))),
                Some(Pattern::Range { start, end, inclusive }) => {
                    Some(bounds(scalar, *start, *end, *inclusive))
                }
                _ => None,
            };
            if let Some((first, last)) = bounds {
                starts.push(first);
                starts.push(last + 1);
            }
        }
        starts.sort_unstable();
        starts.dedup();
        starts.retain(|start| (least..=most).contains(start));
        let ends = starts.iter().skip(1).map(|start| start - 1).chain([most]);
        starts.iter().zip(ends).map(|(start, end)| Constructor::Range(*start, end)).collect()
    }

    /// The patterns of the constructor's fields, if the pattern matches it.
    fn specialised(
        &self,
        pattern: Option<&'a Pattern>,
        constructor: &Constructor,
        count: usize,
    ) -> Option<Row<'a>> {
        let Some(pattern) = pattern else { return Some(vec![None; count]) };
        match (pattern, constructor) {
            (Pattern::Fields(fields), _) => {
                let mut row = vec![None; count];
                for (index, field) in fields {
                    if let Some(place) = row.get_mut(*index) {
                        *place = (!matches!(field, Pattern::Rest { .. })).then_some(field);
                    }
                }
                Some(row)
            }
            (Pattern::Deref(inner) | Pattern::Some(inner), Constructor::Only(_) | Constructor::Some(_)) => {
                Some(vec![Some(inner)])
            }
            (Pattern::None, Constructor::None) => Some(Vec::new()),
            (Pattern::Constant(value), Constructor::Range(first, last)) => {
                let value = to_int(*value);
                (*first == value && *last == value).then(Vec::new)
            }
            (Pattern::Range { start, end, inclusive }, Constructor::Range(first, last)) => {
                let scalar = start.or(*end)?.ty;
                let (low, high) = bounds(scalar, *start, *end, *inclusive);
                (low <= *first && *last <= high).then(Vec::new)
            }
            (Pattern::Slice { before, rest, after }, Constructor::Slice { len, more, .. }) => {
                let given = before.len() + after.len();
                match rest {
                    None if given != *len || *more => return None,
                    Some(_) if given > *len => return None,
                    _ => {}
                }
                let middle = std::iter::repeat_n(None, len - given);
                Some(before.iter().map(Some).chain(middle).chain(after.iter().map(Some)).collect())
            }
            _ => None,
        }
    }

    /// A value as a pattern in Rust.
    fn shown(&self, ty: &Ty, constructor: &Constructor, fields: Vec<String>) -> String {
        match (constructor, ty) {
            (Constructor::Some(_), _) => format!("Some({})", fields.join(", ")),
            (Constructor::None, _) => "None".to_owned(),
            (Constructor::Other, _) => "_".to_owned(),
            (Constructor::Range(value, _), Ty::Scalar(Scalar::Bool)) => (*value == 1).to_string(),
            (Constructor::Range(value, _), Ty::Enum(id)) => {
                let def = &self.enums[id.0];
                match def.variants.iter().find(|variant| variant.1 == *value) {
                    Some((name, _)) => format!("{}::{name}", def.name),
                    None => "_".to_owned(),
                }
            }
            (Constructor::Range(first, last), Ty::Scalar(scalar)) => {
                let (least, most) = int_range(*scalar);
                let name = |value: i128| match value {
                    value if value == most => format!("{}::MAX", scalar.name()),
                    value if value == least && scalar.is_signed() => format!("{}::MIN", scalar.name()),
                    value => to_int(wrap_int(*scalar, value)).to_string(),
                };
                match (first == last, *first == least && *last == most, *last == most) {
                    (true, ..) => name(*first),
                    (_, true, _) => "_".to_owned(),
                    (.., true) => format!("{}..", name(*first)),
                    _ => format!("{}..={}", name(*first), name(*last)),
                }
            }
            (Constructor::Range(..), _) => "_".to_owned(),
            (Constructor::Slice { more, .. }, _) => {
                let mut fields = fields;
                if *more {
                    fields.push("..".to_owned());
                }
                format!("[{}]", fields.join(", "))
            }
            (Constructor::Only(_), Ty::Tuple(_)) if fields.len() == 1 => format!("({},)", fields[0]),
            (Constructor::Only(_), Ty::Tuple(_) | Ty::Unit) => format!("({})", fields.join(", ")),
            (Constructor::Only(_), Ty::Ref { mutable: false, .. }) => format!("&{}", fields.join("")),
            (Constructor::Only(_), Ty::Ref { mutable: true, .. }) => format!("&mut {}", fields.join("")),
            (Constructor::Only(_), Ty::Struct(id)) if !self.structs[id.0].variants.is_empty() => {
                self.shown_variant(&self.structs[id.0], &fields)
            }
            (Constructor::Only(_), Ty::Struct(id))
                if primitives::WIDE.contains(&self.structs[id.0].name.as_str()) =>
            {
                let words: Vec<u64> = fields.iter().filter_map(|word| word.parse().ok()).collect();
                let [low, high] = words[..] else { return "_".to_owned() };
                let value = u128::from(high) << 64 | u128::from(low);
                match self.structs[id.0].name == primitives::WIDE[1] {
                    true => value.cast_signed().to_string(),
                    false => value.to_string(),
                }
            }
            (Constructor::Only(_), Ty::Struct(id)) => {
                let def = &self.structs[id.0];
                let named = def.fields.iter().zip(&fields).map(|(field, pattern)| match &field.member {
                    syn::Member::Named(name) => format!("{name}: {pattern}"),
                    syn::Member::Unnamed(_) => pattern.clone(),
                });
                let list = named.collect::<Vec<_>>().join(", ");
                match def.fields.first().map(|field| &field.member) {
                    Some(syn::Member::Unnamed(_)) => format!("{}({list})", def.name),
                    _ => format!("{} {{ {list} }}", def.name),
                }
            }
            (Constructor::Only(_), Ty::Array(..)) => format!("[{}]", fields.join(", ")),
            (Constructor::Only(_), _) => "_".to_owned(),
        }
    }
}

impl Context<'_> {
    /// A variant of an enum with data, by the patterns of its discriminant and of all fields.
    fn shown_variant(&self, def: &StructDef, fields: &[String]) -> String {
        let name = fields[0].rsplit("::").next().unwrap_or_default();
        let Some(variant) = def.variants.iter().find(|variant| variant.name == name) else {
            return "_".to_owned();
        };
        let of = def.name.split('<').next().unwrap_or_default();
        let path = if of == "Result" { name.to_owned() } else { format!("{of}::{name}") };
        let part = |index: usize| fields[index].clone();
        let parts: Vec<String> = match variant.is_tuple {
            true => variant.fields.iter().map(|(_, index)| part(*index)).collect(),
            false => {
                let member = |member: &syn::Member| match member {
                    syn::Member::Named(name) => name.to_string(),
                    syn::Member::Unnamed(index) => index.index.to_string(),
                };
                let named = variant.fields.iter().filter(|(_, index)| fields[*index] != "_");
                let named = named.map(|(name, index)| format!("{}: {}", member(name), part(*index)));
                let rest = variant.fields.iter().any(|(_, index)| fields[*index] == "_");
                named.chain(rest.then(|| "..".to_owned())).collect()
            }
        };
        match (variant.is_tuple, parts.is_empty()) {
            (true, true) => path,
            (true, false) => format!("{path}({})", parts.join(", ")),
            (false, _) => format!("{path} {{ {} }}", parts.join(", ")),
        }
    }
}

/// The first and the last value of a range pattern.
fn bounds(
    scalar: Scalar,
    start: Option<ConstValue>,
    end: Option<ConstValue>,
    inclusive: bool,
) -> (i128, i128) {
    let (least, most) = int_range(scalar);
    let last = end.map_or(most, |end| to_int(end) - i128::from(!inclusive));
    (start.map_or(least, to_int), last)
}
