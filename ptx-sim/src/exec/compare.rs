//! The table of comparisons of `setp` and `set`.

use std::cmp::Ordering;

use crate::registers::{Class, Lane, Registers, Slot, compare};

macro_rules! comparisons {
    ($($name:ident: $t:ty = |$a:ident, $b:ident| $body:expr;)*) => {
        /// A comparison of two operands. The others are these negated or with their operands exchanged.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Compare { $($name),* }

        impl Compare {
            /// The class of the operands.
            pub(crate) fn class(self) -> Class {
                match self { $(Compare::$name => <$t as Lane>::CLASS),* }
            }

            /// The lanes in which the comparison holds.
            #[inline(always)]
            pub(crate) fn run(self, registers: &Registers, a: Slot, b: Slot) -> u32 {
                match self { $(Compare::$name => compare(registers, a, b, |$a: $t, $b: $t| $body)),* }
            }
        }
    };
}

comparisons! {
    Eq16: u16 = |a, b| a == b;
    Eq32: u32 = |a, b| a == b;
    Eq64: u64 = |a, b| a == b;
    LtU16: u16 = |a, b| a < b;
    LtS16: i16 = |a, b| a < b;
    LtU32: u32 = |a, b| a < b;
    LtS32: i32 = |a, b| a < b;
    LtU64: u64 = |a, b| a < b;
    LtS64: i64 = |a, b| a < b;
    EqF32: f32 = |a, b| a == b;
    LtF32: f32 = |a, b| a < b;
    LeF32: f32 = |a, b| a <= b;
    LessOrGreaterF32: f32 = |a, b| matches!(a.partial_cmp(&b), Some(Ordering::Less | Ordering::Greater));
    OrderedF32: f32 = |a, b| !a.is_nan() && !b.is_nan();
    EqF64: f64 = |a, b| a == b;
    LtF64: f64 = |a, b| a < b;
    LeF64: f64 = |a, b| a <= b;
    LessOrGreaterF64: f64 = |a, b| matches!(a.partial_cmp(&b), Some(Ordering::Less | Ordering::Greater));
    OrderedF64: f64 = |a, b| !a.is_nan() && !b.is_nan();
    // `testp`: the second operand is the first.
    FiniteF32: f32 = |a, _b| a.is_finite();
    InfiniteF32: f32 = |a, _b| a.is_infinite();
    NormalF32: f32 = |a, _b| a.is_normal() || a == 0.0;
    SubnormalF32: f32 = |a, _b| a.is_subnormal();
    FiniteF64: f64 = |a, _b| a.is_finite();
    InfiniteF64: f64 = |a, _b| a.is_infinite();
    NormalF64: f64 = |a, _b| a.is_normal() || a == 0.0;
    SubnormalF64: f64 = |a, _b| a.is_subnormal();
}

/// A comparison as PTX spells it: which row, whether negated, whether with its operands exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(crate) f: Compare,
    pub(crate) negated: bool,
    pub(crate) exchanged: bool,
}

/// Kinds of operands with rows of their own: the types that share them, the row of equality, of less than.
const INTEGERS: &[(&[&str], Compare, Compare)] = &[
    (&["b16", "u16"], Compare::Eq16, Compare::LtU16),
    (&["s16"], Compare::Eq16, Compare::LtS16),
    (&["b32", "u32"], Compare::Eq32, Compare::LtU32),
    (&["s32"], Compare::Eq32, Compare::LtS32),
    (&["b64", "u64"], Compare::Eq64, Compare::LtU64),
    (&["s64"], Compare::Eq64, Compare::LtS64),
];

/// Rows of the floating-point types: equal, less, less or equal, less or greater, ordered.
const FLOATS: &[(&str, [Compare; 5])] = &[
    ("f32", [Compare::EqF32, Compare::LtF32, Compare::LeF32, Compare::LessOrGreaterF32, Compare::OrderedF32]),
    ("f64", [Compare::EqF64, Compare::LtF64, Compare::LeF64, Compare::LessOrGreaterF64, Compare::OrderedF64]),
];

/// The integer comparisons: spelling, whether of equality, negated, exchanged.
const INTEGER_WORDS: &[(&str, bool, bool, bool)] = &[
    ("eq", true, false, false),
    ("ne", true, true, false),
    ("lt", false, false, false),
    ("lo", false, false, false),
    ("gt", false, false, true),
    ("hi", false, false, true),
    ("ge", false, true, false),
    ("hs", false, true, false),
    ("le", false, true, true),
    ("ls", false, true, true),
];

/// The floating-point comparisons: spelling, row, negated, exchanged. The `u` forms hold for NaN.
const FLOAT_WORDS: &[(&str, usize, bool, bool)] = &[
    ("eq", 0, false, false),
    ("ne", 3, false, false),
    ("lt", 1, false, false),
    ("le", 2, false, false),
    ("gt", 1, false, true),
    ("ge", 2, false, true),
    ("equ", 3, true, false),
    ("neu", 0, true, false),
    ("ltu", 2, true, true),
    ("leu", 1, true, true),
    ("gtu", 2, true, false),
    ("geu", 1, true, false),
    ("num", 4, false, false),
    ("nan", 4, true, false),
    ("NaN", 4, true, false),
];

/// The comparison `word` of operands of type `ty`, if PTX has it.
pub(crate) fn find(word: &str, ty: &str) -> Option<Comparison> {
    if let Some((_, rows)) = FLOATS.iter().find(|(name, _)| *name == ty) {
        let &(_, row, negated, exchanged) = FLOAT_WORDS.iter().find(|(name, ..)| *name == word)?;
        return Some(Comparison { f: rows[row], negated, exchanged });
    }
    let &(_, equal, less) = INTEGERS.iter().find(|(names, ..)| names.contains(&ty))?;
    let &(_, equality, negated, exchanged) = INTEGER_WORDS.iter().find(|(name, ..)| *name == word)?;
    Some(Comparison { f: if equality { equal } else { less }, negated, exchanged })
}

/// The class `word` of `testp` for type `ty`: the row and whether it is negated.
pub(crate) fn find_class(word: &str, ty: &str) -> Option<(Compare, bool)> {
    Some(match (word, ty) {
        ("finite", "f32") => (Compare::FiniteF32, false),
        ("infinite", "f32") => (Compare::InfiniteF32, false),
        ("number", "f32") => (Compare::OrderedF32, false),
        ("notanumber", "f32") => (Compare::OrderedF32, true),
        ("normal", "f32") => (Compare::NormalF32, false),
        ("subnormal", "f32") => (Compare::SubnormalF32, false),
        ("finite", "f64") => (Compare::FiniteF64, false),
        ("infinite", "f64") => (Compare::InfiniteF64, false),
        ("number", "f64") => (Compare::OrderedF64, false),
        ("notanumber", "f64") => (Compare::OrderedF64, true),
        ("normal", "f64") => (Compare::NormalF64, false),
        ("subnormal", "f64") => (Compare::SubnormalF64, false),
        _ => return None,
    })
}
