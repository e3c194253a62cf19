//! The table of instruction forms: what may follow each opcode, on which operands, and since when.
//!
//! The rows are text in the notation of the PTX manual, bent to be read by a machine; `notation.rs`
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
mod tensor_memory;
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
    tensor_memory::ROWS,
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

/// The modifiers of an instruction in the order of the manual, if that is another than they stand in: `ptxas` takes them in any order behind the
/// words that name the operation.
pub fn ordered(opcode: Opcode, modifiers: &[Modifier]) -> Option<Vec<Modifier>> {
    if forms(opcode).iter().any(|form| form.matches(modifiers).is_ok()) {
        return None;
    }
    let name = &modifiers[..words_of_name(opcode, modifiers)];
    forms(opcode).iter().find_map(|form| notation::ordered(&form.modifiers, modifiers, name))
}

/// The number of modifiers at the front that name the operation: 3 of `cp.async.bulk.tensor.2d.…`.
pub fn words_of_name(opcode: Opcode, modifiers: &[Modifier]) -> usize {
    use Keyword as K;
    let words: &[Keyword] = match opcode {
        Opcode::Bar | Opcode::Barrier => {
            &[K::Cta, K::Cluster, K::Warp, K::Sync, K::Arrive, K::Wait, K::Red, K::Popc, K::And, K::Or]
        }
        Opcode::Clusterlaunchcontrol => &[
            K::Async,
            K::TryCancel,
            K::QueryCancel,
            K::IsCanceled,
            K::GetFirstCtaid,
            K::GetFirstCtaidX,
            K::GetFirstCtaidY,
            K::GetFirstCtaidZ,
        ],
        Opcode::Cp => &[
            K::Reduce,
            K::Async,
            K::Bulk,
            K::Prefetch,
            K::Tensor,
            K::Mbarrier,
            K::Arrive,
            K::CommitGroup,
            K::WaitGroup,
            K::WaitAll,
        ],
        Opcode::Cvt => &[K::Pack],
        Opcode::Fence => {
            &[K::Proxy, K::Alias, K::Async, K::AsyncGeneric, K::TensormapGeneric, K::MbarrierInit]
        }
        Opcode::Mad | Opcode::Madc | Opcode::Mad24 | Opcode::Mul | Opcode::Mul24 => &[K::Lo, K::Hi, K::Wide],
        Opcode::Mbarrier => &[
            K::Init,
            K::Inval,
            K::ExpectTx,
            K::CompleteTx,
            K::Arrive,
            K::ArriveDrop,
            K::NoComplete,
            K::TestWait,
            K::TryWait,
            K::Parity,
            K::PendingCount,
        ],
        Opcode::Multimem => &[K::LdReduce, K::St, K::Red],
        Opcode::Red | Opcode::St => &[K::Async, K::Bulk],
        Opcode::Shf => &[K::L, K::R],
        Opcode::Tcgen05 => &[
            K::Alloc,
            K::Dealloc,
            K::RelinquishAllocPermit,
            K::Ld,
            K::Red,
            K::St,
            K::WaitLd,
            K::WaitSt,
            K::Cp,
            K::Shift,
            K::Mma,
            K::Sp,
            K::Ws,
            K::Commit,
            K::FenceBeforeThreadSync,
            K::FenceAfterThreadSync,
        ],
        Opcode::Tensormap => &[K::Replace, K::CpFenceproxy, K::Tile],
        Opcode::Wgmma => &[K::Fence, K::CommitGroup, K::WaitGroup, K::MmaAsync, K::Sp],
        Opcode::Wmma => &[K::Load, K::Store, K::Mma, K::A, K::B, K::C, K::D, K::And, K::Xor, K::Popc],
        _ => &[],
    };
    let is_of_name =
        |modifier: &&Modifier| matches!(modifier, Modifier::Keyword(word) if words.contains(word));
    modifiers.iter().take_while(is_of_name).count()
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

/// Coordinates of the tensor that an instruction copies: one for each dimension, `.2d`, or a column and four rows; 0 if there is none.
pub fn coordinates_of(instruction: &Instruction) -> usize {
    const ROWS: [Keyword; 2] = [Keyword::TileGather4, Keyword::TileScatter4];
    if ROWS.iter().any(|&word| has(instruction, word)) { 5 } else { dimensions_of(instruction) }
}

/// Offsets behind the coordinates of a tensor that is read by columns of images: one for each dimension of the image, or two along its width.
pub fn image_offsets_of(instruction: &Instruction) -> usize {
    if has(instruction, Keyword::Im2col) { dimensions_of(instruction).saturating_sub(2) } else { 2 }
}

/// Dimensions of the tensor that an instruction copies, `.2d`; 0 if there is none.
fn dimensions_of(instruction: &Instruction) -> usize {
    const WORDS: [Keyword; 5] =
        [Keyword::Dim1d, Keyword::Dim2d, Keyword::Dim3d, Keyword::Dim4d, Keyword::Dim5d];
    WORDS.iter().position(|&word| has(instruction, word)).map_or(0, |index| index + 1)
}

/// Returns true if a word is among the modifiers.
fn has(instruction: &Instruction, word: Keyword) -> bool {
    instruction.modifiers.contains(&word.into())
}

/// Elements of the vector that an access moves: 1 without `.v2`, `.v4`, `.v8`. Of `wgmma` the registers in which a thread has its sums: of 64 rows,
/// a column for every two threads. Of accesses of tensor memory the registers of a thread: those of the shape, so many times.
pub fn vector_of(instruction: &Instruction) -> usize {
    let sums_in = match types_of(instruction).next() {
        Some(ScalarType::F16) => 4,
        _ => 2,
    };
    let factor = |modifier: &Modifier| match modifier {
        Modifier::Keyword(word) => FACTORS.iter().find(|(known, _)| known == word).map(|(_, factor)| *factor),
        Modifier::Shape(shape) if instruction.opcode == Opcode::Wgmma => Some(usize::from(shape.n) / sums_in),
        Modifier::Type(_) | Modifier::Space(_) | Modifier::Shape(_) => None,
    };
    instruction.modifiers.iter().filter_map(factor).product()
}

/// Words that say how many elements an access moves: all that an instruction has are multiplied.
const FACTORS: &[(Keyword, usize)] = &[
    (Keyword::V2, 2),
    (Keyword::V4, 4),
    (Keyword::V8, 8),
    (Keyword::Lanes16x128b, 2),
    (Keyword::Lanes16x256b, 4),
    (Keyword::X2, 2),
    (Keyword::X4, 4),
    (Keyword::X8, 8),
    (Keyword::X16, 16),
    (Keyword::X32, 32),
    (Keyword::X64, 64),
    (Keyword::X128, 128),
];

#[cfg(test)]
mod tests;
