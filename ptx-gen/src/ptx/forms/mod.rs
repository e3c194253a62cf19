//! The table of instruction forms: what may follow each opcode, on which operands, and since when.
//!
//! The rows are text in the notation of the PTX manual, bent to be read by a machine; [`notation`](self::notation)
//! says how. An instruction matches a form if its modifiers follow the form's grammar. To add an instruction, add its
//! rows to the table of its kind: the checker, the requirements and the test against `ptxas` read them from there.

mod arithmetic;
mod control;
mod conversion;
mod logic;
mod matrix;
mod memory;
mod notation;
mod synchronization;
mod video;

use std::sync::OnceLock;

pub use notation::{End, Kind, Needs, Shape, TypeRef};
use notation::{Slot, parse_row};

use super::tree::{Instruction, Keyword, Modifier, Opcode, ScalarType, StateSpace};

/// A row of the table: requirements, modifiers, operands, each a text.
type Row = (&'static str, &'static str, &'static str);

/// The rows of some opcodes.
type Table = &'static [(Opcode, &'static [Row])];

const TABLES: &[Table] = &[
    arithmetic::ROWS,
    logic::ROWS,
    conversion::ROWS,
    memory::ROWS,
    synchronization::ROWS,
    control::ROWS,
    matrix::ROWS,
    video::ROWS,
];

/// One form of an opcode.
#[derive(Debug)]
pub struct Form {
    /// The opcode.
    pub opcode: Opcode,
    /// Requirements of the row, whatever the modifiers.
    pub needs: Needs,
    /// The operands, destination first.
    pub operands: Vec<Shape>,
    modifiers: Vec<Slot>,
    row: Row,
}

/// An instruction whose modifiers follow a form.
#[derive(Clone, Debug)]
pub struct Match {
    /// The form.
    pub form: &'static Form,
    /// Requirements of the form and of the optional words in use; all must be met.
    pub needs: Vec<&'static Needs>,
}

/// A predicate that is read: the guard of every instruction.
pub const PREDICATE: Shape =
    Shape { kind: Kind::Predicate, ty: TypeRef::Fixed(ScalarType::Pred), wider: false, optional: false };

/// All forms of an opcode; none if the table does not have it yet.
pub fn forms(opcode: Opcode) -> &'static [Form] {
    // Rows are parsed when their opcode first occurs: a kernel uses few of them.
    static FORMS: [OnceLock<Vec<Form>>; Opcode::ALL.len()] = [const { OnceLock::new() }; Opcode::ALL.len()];
    FORMS[opcode as usize].get_or_init(|| {
        let rows = TABLES.iter().copied().flatten().filter(|(of, _)| *of == opcode);
        rows.flat_map(|(_, rows)| rows.iter()).map(|row| parse_row(opcode, *row)).collect()
    })
}

impl Form {
    /// Matches the modifiers of an instruction against this form. If they don't match, returns how many of them do.
    pub fn matches(&'static self, modifiers: &[Modifier]) -> Result<Match, usize> {
        let (ends, furthest) = notation::run(&self.modifiers, modifiers);
        let whole = ends.into_iter().find(|end| end.position == modifiers.len());
        whole.map(|end| Match { form: self, needs: [vec![&self.needs], end.needs].concat() }).ok_or(furthest)
    }

    /// The shapes of so many operands, for given modifiers; `None` if the form does not take so many.
    pub fn shapes(&self, modifiers: &[Modifier], count: usize) -> Option<Vec<Shape>> {
        let has_hint = modifiers.contains(&Keyword::L2CacheHint.into());
        let mut shapes = self.operands.clone();
        shapes.retain(|shape| has_hint || shape.kind != Kind::CachePolicy);
        // Optional operands are dropped from the end.
        while shapes.len() > count {
            let last = shapes.iter().rposition(|shape| shape.optional)?;
            shapes.remove(last);
        }
        (shapes.len() == count).then_some(shapes)
    }

    /// Some instructions of this form as modifiers: each word at least once.
    pub fn examples(&'static self) -> Vec<Vec<Modifier>> {
        notation::examples(&self.modifiers)
    }
}

/// Prints the form as its row: `add RND? ftz? sat? f32  d, a, a`.
impl std::fmt::Display for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (_, modifiers, operands) = self.row;
        write!(f, "{}", self.opcode)?;
        for group in modifiers.split_whitespace() {
            let (words, optional) = group.strip_suffix('?').map_or((group, false), |words| (words, true));
            if optional { write!(f, "{{.{words}}}") } else { write!(f, ".{words}") }?;
        }
        write!(f, " {operands}")
    }
}

/// The types among the modifiers, in order: T, U, V of the notation.
pub fn types_of(instruction: &Instruction) -> impl Iterator<Item = ScalarType> {
    instruction.modifiers.iter().filter_map(|modifier| match modifier {
        Modifier::Type(ty) => Some(*ty),
        Modifier::Space(_) | Modifier::Shape(_) | Modifier::Keyword(_) => None,
    })
}

/// The first state space among the modifiers.
pub fn space_of(instruction: &Instruction) -> Option<StateSpace> {
    instruction.modifiers.iter().find_map(|modifier| match modifier {
        Modifier::Space(space) => Some(*space),
        Modifier::Type(_) | Modifier::Shape(_) | Modifier::Keyword(_) => None,
    })
}

/// Dimensions of the tensor that an instruction copies, `.2d`; 0 if there is none.
pub fn dimensions_of(instruction: &Instruction) -> usize {
    const WORDS: [Keyword; 5] =
        [Keyword::Dim1d, Keyword::Dim2d, Keyword::Dim3d, Keyword::Dim4d, Keyword::Dim5d];
    let number = |modifier: &Modifier| match modifier {
        Modifier::Keyword(word) => WORDS.iter().position(|known| known == word),
        Modifier::Type(_) | Modifier::Space(_) | Modifier::Shape(_) => None,
    };
    instruction.modifiers.iter().find_map(number).map_or(0, |index| index + 1)
}

/// Elements of the vector that an access moves: 1 without `.v2`, `.v4`, `.v8`. Of `wgmma` the registers in which a thread has its sums: of 64 rows,
/// a column for every two threads.
pub fn vector_of(instruction: &Instruction) -> usize {
    let sums_in = match types_of(instruction).next() {
        Some(ScalarType::F16) => 4,
        _ => 2,
    };
    let width = |modifier: &Modifier| match modifier {
        Modifier::Keyword(Keyword::V2) => Some(2),
        Modifier::Keyword(Keyword::V4) => Some(4),
        Modifier::Keyword(Keyword::V8) => Some(8),
        Modifier::Shape(shape) if instruction.opcode == Opcode::Wgmma => Some(usize::from(shape.n) / sums_in),
        Modifier::Keyword(_) | Modifier::Type(_) | Modifier::Space(_) | Modifier::Shape(_) => None,
    };
    instruction.modifiers.iter().find_map(width).unwrap_or(1)
}

#[cfg(test)]
mod tests;
