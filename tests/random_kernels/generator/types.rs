//! The types of a generated kernel: scalars, and its own structs and enums.

use std::fmt::Write;

use super::Random;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    /// By its name.
    Scalar(&'static str),
    Tuple(Vec<Ty>),
    Array(Box<Ty>, usize),
    Option(Box<Ty>),
    /// By number.
    Struct(usize),
    /// By number.
    Enum(usize),
    /// An enum with data, by number.
    Data(usize),
    /// With an `i32` as the error.
    Result(Box<Ty>),
}

/// A variant of an enum with data.
#[derive(Clone)]
pub struct Variant {
    pub name: &'static str,
    pub fields: Vec<Ty>,
    /// `V { f0: … }` rather than `V(…)`.
    pub is_named: bool,
}

impl Variant {
    /// A value or a pattern of it with these parts: `D0::B(…)`.
    pub fn text(&self, of: &str, parts: &[String]) -> String {
        let name = self.name;
        if parts.is_empty() {
            return format!("{of}::{name}");
        }
        if !self.is_named {
            return format!("{of}::{name}({})", parts.join(", "));
        }
        let parts: Vec<String> =
            parts.iter().enumerate().map(|(index, part)| format!("f{index}: {part}")).collect();
        format!("{of}::{name} {{ {} }}", parts.join(", "))
    }
}

impl Ty {
    pub const BOOL: Ty = Ty::Scalar("bool");
    pub const I32: Ty = Ty::Scalar("i32");
    pub const U32: Ty = Ty::Scalar("u32");
    pub const U64: Ty = Ty::Scalar("u64");
    pub const USIZE: Ty = Ty::Scalar("usize");
    pub const F32: Ty = Ty::Scalar("f32");
}

/// The structure of a type.
pub enum Shape {
    Bool,
    Int,
    Float,
    Option(Box<Ty>),
    Array(Box<Ty>, usize),
    /// Members by name or number.
    Fields(Vec<(String, Ty)>),
    /// Variants.
    Enum(Vec<&'static str>),
    Data(Vec<Variant>),
    Result(Box<Ty>),
}

const INTS: [&str; 10] = ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize"];
const FLOATS: [&str; 2] = ["f32", "f64"];
/// Types of values that shuffles take.
const LANES: [&str; 6] = ["i32", "u32", "i64", "u64", "f32", "f64"];
const REPRS: [&str; 5] = ["", "", "#[repr(C, u8)]", "#[repr(C, u32)]", "#[repr(C, i16)]"];
const VARIANTS: [&str; 4] = ["A", "B", "C", "D"];

/// A kernel's own types.
pub struct Types {
    structs: Vec<Vec<(String, Ty)>>,
    enums: Vec<usize>,
    /// The `repr` of each, or nothing, and its variants.
    data: Vec<(&'static str, Vec<Variant>)>,
}

impl Types {
    pub fn new(random: &mut Random) -> Types {
        let enums = (0..1 + random.below(2)).map(|_| 2 + random.below(3)).collect();
        let mut types = Types { structs: Vec::new(), enums, data: Vec::new() };
        for _ in 0..1 + random.below(3) {
            let fields =
                (0..1 + random.below(4)).map(|field| (format!("f{field}"), types.field(random))).collect();
            types.structs.push(fields);
        }
        for _ in 0..1 + random.below(2) {
            let mut variants = Vec::new();
            for name in &VARIANTS[..2 + random.below(3)] {
                let least = usize::from(*name == VARIANTS[1]);
                let fields = (0..least + random.below(4 - least)).map(|_| types.field(random)).collect();
                variants.push(Variant { name, fields, is_named: random.one_in(2) });
            }
            types.data.push((random.pick(&REPRS), variants));
        }
        types
    }

    /// A type for a part of something: seldom an aggregate.
    fn field(&self, random: &mut Random) -> Ty {
        match random.below(8) {
            0 => Ty::Array(Box::new(self.scalar(random)), 2 + random.below(4)),
            1 => Ty::Tuple(vec![self.scalar(random), self.scalar(random)]),
            2 => Ty::Enum(random.below(self.enums.len())),
            3 => Ty::Option(Box::new(self.scalar(random))),
            4 if !self.structs.is_empty() => Ty::Struct(random.below(self.structs.len())),
            5 if !self.data.is_empty() && random.one_in(2) => Ty::Data(random.below(self.data.len())),
            _ => self.scalar(random),
        }
    }

    /// The text of the structs and enums.
    pub fn items(&self) -> String {
        let mut text = String::new();
        for (index, fields) in self.structs.iter().enumerate() {
            let fields: Vec<String> =
                fields.iter().map(|(name, ty)| format!("{name}: {}", self.name(ty))).collect();
            writeln!(text, "#[derive(Clone, Copy)] struct S{index} {{ {} }}", fields.join(", "))
                .expect("a `String` takes it");
        }
        for (index, count) in self.enums.iter().enumerate() {
            let variants = VARIANTS[..*count].join(", ");
            writeln!(text, "#[derive(Clone, Copy, PartialEq, PartialOrd)] enum E{index} {{ {variants} }}")
                .expect("a `String` takes it");
        }
        for (index, (repr, variants)) in self.data.iter().enumerate() {
            let variants: Vec<String> = variants
                .iter()
                .map(|variant| {
                    let fields: Vec<String> = variant.fields.iter().map(|ty| self.name(ty)).collect();
                    variant.text("", &fields).replacen("::", "", 1)
                })
                .collect();
            let variants = variants.join(", ");
            writeln!(text, "#[derive(Clone, Copy)] {repr} enum D{index} {{ {variants} }}")
                .expect("a `String` takes it");
        }
        text
    }

    pub fn name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Scalar(name) => (*name).into(),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.name(part)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Array(element, len) => format!("[{}; {len}]", self.name(element)),
            Ty::Option(inner) => format!("Option<{}>", self.name(inner)),
            Ty::Struct(index) => format!("S{index}"),
            Ty::Enum(index) => format!("E{index}"),
            Ty::Data(index) => format!("D{index}"),
            Ty::Result(inner) => format!("Result<{}, i32>", self.name(inner)),
        }
    }

    pub fn shape(&self, ty: &Ty) -> Shape {
        match ty {
            Ty::Scalar("bool") => Shape::Bool,
            Ty::Scalar(name) if FLOATS.contains(name) => Shape::Float,
            Ty::Scalar(_) => Shape::Int,
            Ty::Tuple(parts) => Shape::Fields(
                parts.iter().enumerate().map(|(index, ty)| (index.to_string(), ty.clone())).collect(),
            ),
            Ty::Array(element, len) => Shape::Array(element.clone(), *len),
            Ty::Option(inner) => Shape::Option(inner.clone()),
            Ty::Struct(index) => Shape::Fields(self.structs[*index].clone()),
            Ty::Enum(index) => Shape::Enum(VARIANTS[..self.enums[*index]].to_vec()),
            Ty::Data(index) => Shape::Data(self.data[*index].1.clone()),
            Ty::Result(inner) => Shape::Result(inner.clone()),
        }
    }

    /// Returns true if the type has no parts that can be written on their own.
    pub fn is_leaf(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Scalar(_) | Ty::Option(_) | Ty::Enum(_) | Ty::Data(_) | Ty::Result(_) => true,
            Ty::Tuple(_) | Ty::Array(..) | Ty::Struct(_) => false,
        }
    }

    pub fn int(&self, random: &mut Random) -> Ty {
        Ty::Scalar(random.pick(&INTS))
    }

    pub fn lane(&self, random: &mut Random) -> Ty {
        Ty::Scalar(random.pick(&LANES))
    }

    pub fn scalar(&self, random: &mut Random) -> Ty {
        match random.below(8) {
            0 => Ty::BOOL,
            1 | 2 => Ty::Scalar(random.pick(&FLOATS)),
            3 | 4 => Ty::I32,
            _ => self.int(random),
        }
    }

    pub fn any(&self, random: &mut Random) -> Ty {
        match random.below(12) {
            10 => self.some_data(random),
            11 => Ty::Result(Box::new(self.field(random))),
            0 => Ty::Struct(random.below(self.structs.len())),
            1 => Ty::Array(Box::new(self.field(random)), 2 + random.below(5)),
            2 => Ty::Tuple((0..2 + random.below(2)).map(|_| self.field(random)).collect()),
            3 => Ty::Option(Box::new(self.scalar(random))),
            4 => self.some_enum(random),
            _ => self.scalar(random),
        }
    }

    pub fn some_data(&self, random: &mut Random) -> Ty {
        Ty::Data(random.below(self.data.len()))
    }

    /// A type that a trait is implemented for.
    pub fn named(&self, random: &mut Random) -> Ty {
        match random.below(5) {
            0 => Ty::Struct(random.below(self.structs.len())),
            1 => self.some_enum(random),
            2 | 3 => self.some_data(random),
            _ => self.int(random),
        }
    }

    pub fn some_enum(&self, random: &mut Random) -> Ty {
        Ty::Enum(random.below(self.enums.len()))
    }

    /// A tuple or struct.
    pub fn some_fields(&self, random: &mut Random) -> Ty {
        match random.below(2) {
            0 => Ty::Struct(random.below(self.structs.len())),
            _ => Ty::Tuple(vec![self.field(random), self.scalar(random)]),
        }
    }
}
