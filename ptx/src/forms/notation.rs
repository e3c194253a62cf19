//! The notation of the rows, and matching.
//!
//! **Since**: `8.6`, `7.8:90` (PTX 7.8 and sm_90), `8.6:100a|120a` (PTX 8.6 and either), `1.2-6.4/70` (from PTX 1.2 on, and on sm_70
//! and later before PTX 6.4 only).
//!
//! **Modifiers**: groups with spaces between them; a group is one word of several (`rn|rz`), `?` after it makes it
//! optional. Words of one alternative that stand together are joined by `+`: `v2+b32`. `@7.4:80` after an alternative says
//! since when it exists. Capitals name sets of words, in the table [`SETS`] and [`shapes_of_groups`].
//!
//! **Operands**: commas between them; each is a kind, then `:` and a type, then `+` if the register may be wider than the
//! type (PTX ISA, "Operand Size Exceeding Instruction-Type Size"), then `?` if it may be left out.
//!
//! | kind | |
//! |---|---|
//! | `d` `d4` `dv` | destination; a vector of four, in braces even if of one; a vector if the modifiers say so |
//! | `d\|p` | destination, and perhaps a predicate after `\|` |
//! | `dp` | destination and a predicate |
//! | `_` | a destination that must be `_` |
//! | `a` `a4` `av` | source, register or number; vectors as above |
//! | `r` | source, register only |
//! | `i` | number only |
//! | `p` | predicate source, perhaps negated |
//! | `s` | source of `mov`: also special registers and addresses of variables and functions |
//! | `dk` `ak` | vector of 2 or 4 whose elements together have the type's size |
//! | `m` | address |
//! | `y` | address in tensor memory, of 32 bits |
//! | `t` | address of a tensor map with coordinates, as many as the modifiers say |
//! | `o` | offsets into the box of a tensor that is read by columns of images: a vector, as long as the modifiers say |
//! | `h` | cache policy: there if the modifiers have `L2::cache_hint` |
//! | `n` | a name: label, function, list of labels |
//! | `v` `vd` | register of which a part may be named, `r.b0`, `r.h1`; to write |
//! | `vn` | as `v`, perhaps with a minus before it |
//! | `w` `wd` | register whose elements may be selected, `r.h10`, `r.b3210`; to write |
//! | `x` | anything |
//!
//! | type | |
//! |---|---|
//! | none, `T` | the first type among the modifiers |
//! | `U`, `V` | the second, the third |
//! | `W` | twice as wide as the first |
//! | `f32` … | itself |

use crate::target::Arch;
use crate::tree::{Keyword, Modifier, Opcode, PtxVersion, ScalarType};

use super::{Form, Row};

/// Sets of words that the rows name.
const SETS: &[(&str, &str)] = &[
    ("RND", "rn|rz|rm|rp"),
    ("IRND", "rni|rzi|rmi|rpi"),
    ("INT", "u16|u32|u64|s16|s32|s64"),
    ("INT32", "u32|s32"),
    ("INT64", "u64|s64"),
    ("CMP", "eq|ne|lt|le|gt|ge"),
    ("UCMP", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"),
    ("FCMP", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"),
    ("BOOL", "and|or|xor"),
    ("SCALAR", "b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64"),
    ("UPTO32", "b8|u8|s8|b16|u16|s16|b32|u32|s32|f32"),
    ("WORD32", "b32|u32|s32|f32"),
    ("WORD64", "b64|u64|s64|f64"),
    // Types that one access moves.
    ("ACCESS", "SCALAR|v2+SCALAR|v4+UPTO32|b128@8.3"),
    ("SHARED", "shared|shared::cta@7.8|shared::cluster@7.8:90"),
    ("STRONG", "SHARED|global"),
    ("SCOPE", "cta|gpu|sys|cluster@7.8:90"),
    ("EVICT1", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"),
    ("EVICT2", "L2::evict_normal|L2::evict_first|L2::evict_last"),
    // Types of atomic operations.
    ("ADDABLE", "u32|s32|u64|f32@2.0|f64@5.0"),
    ("SIGNED", "INT32|INT64"),
    ("ANYBITS", "b32|b64"),
    ("SEM", "relaxed@6.0|acquire@6.0|release@6.0|acq_rel@6.0"),
    ("RSEM", "relaxed@6.0|release@6.0"),
    // Elements of few bits in memory, each in a part of a byte.
    ("NARROW", "b4x16_p64|b6x16_p32"),
    ("F8F6F4", "e4m3|e5m2|e3m2|e2m3|e2m1"),
    ("SP", "sp|sp::ordered_metadata@8.5"),
    (
        "COLLECTOR_B",
        "collector::b0::fill|collector::b0::use|collector::b0::lastuse|collector::b0::discard|collector::b1::fill|collector::b1::use|collector::b1::lastuse|collector::b1::discard|collector::b2::fill|collector::b2::use|collector::b2::lastuse|collector::b2::discard|collector::b3::fill|collector::b3::use|collector::b3::lastuse|collector::b3::discard",
    ),
    ("BYTE_PRODUCT", "s32+u8+u8|s32+s8+s8|s32+u8+s8@8.4|s32+s8+u8@8.4"),
    // Operations of asynchronous reductions on integers.
    ("INT_REDUCTION", "add+u32|add+s32|add+u64|min+INT32|max+INT32|inc+u32|dec+u32|and+b32|or+b32|xor+b32"),
    // Operations of `multimem` on single elements, its orders, and its vectors of 16-bit and 8-bit floats.
    (
        "SCALAR_REDUCTION",
        "add+u32|add+s32|add+u64|add+f32|add+f64|min+SIGNED|max+SIGNED|and+ANYBITS|or+ANYBITS|xor+ANYBITS",
    ),
    ("MULTI_LOAD", "relaxed+SCOPE|acquire+SCOPE"),
    ("MULTI_STORE", "relaxed+SCOPE|release+SCOPE"),
    ("HALVES", "v2+f16|v2+f16x2|v2+bf16|v2+bf16x2|v4+f16|v4+f16x2|v4+bf16|v4+bf16x2|v8+f16|v8+bf16"),
    (
        "BYTES",
        "v2+e4m3x2|v2+e4m3x4|v2+e5m2x2|v2+e5m2x4|v4+e4m3|v4+e4m3x2|v4+e4m3x4|v4+e5m2|v4+e5m2x2|v4+e5m2x4|v8+e4m3|v8+e4m3x2|v8+e5m2|v8+e5m2x2",
    ),
    ("DIM", "1d|2d|3d|4d|5d"),
    // Dimensions of tensors that are read by columns of images.
    ("IMDIM", "3d|4d|5d"),
    ("CTA_GROUP", "cta_group::1@8.6:100f|110f|cta_group::2@8.6:100f|110f"),
    // State spaces of an `mbarrier`.
    ("MSPACE", "shared|shared::cta@7.8"),
    ("ARRIVE", "release+cta|release+cluster|relaxed+cta@8.6|relaxed+cluster@8.6"),
    ("WAIT", "acquire+cta|acquire+cluster|relaxed+cta@8.6|relaxed+cluster@8.6"),
    ("FETCH", "L2::64B|L2::128B|L2::256B@7.4:80"),
];

/// When a form ended: with a `.version`, on targets from one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The first version that does not have it.
    pub version: PtxVersion,
    /// The number of the first target that does not.
    pub target: u32,
}

/// Requirements of a form, a word or a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// The lowest `.version`.
    pub ptx: PtxVersion,
    /// Version and targets from which it is absent.
    pub until: Option<End>,
    /// One of these targets, or what provides all of one; empty if any will do.
    pub targets: Vec<Arch>,
}

impl Needs {
    /// From the notation: `7.8:90`.
    pub(crate) fn parse(text: &str) -> Needs {
        let (version, targets) = text.split_once(':').unwrap_or((text, ""));
        let targets = targets.split('|').filter(|target| !target.is_empty());
        let targets =
            targets.map(|target| format!("sm_{target}").parse().expect("a target in a table of forms"));
        let (version, end) = version.split_once('-').map_or((version, None), |(from, to)| (from, Some(to)));
        let parse = |version: &str| version.parse().expect("a version in a table of forms");
        let until = end.and_then(|end| end.split_once('/')).map(|(version, target)| End {
            version: parse(version),
            target: target.parse().expect("the number of a target in a table of forms"),
        });
        Needs { ptx: parse(version), until, targets: targets.collect() }
    }
}

/// A slot in the grammar of modifiers: one of several sequences, or perhaps none.
#[derive(Debug)]
pub(super) struct Slot {
    alternatives: Vec<Alternative>,
    optional: bool,
}

#[derive(Debug)]
struct Alternative {
    sequence: Vec<Node>,
    needs: Option<Needs>,
}

#[derive(Debug)]
enum Node {
    Word(Modifier),
    Slot(Slot),
}

/// Constraints on an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its syntax.
    pub kind: Kind,
    /// Its type.
    pub ty: TypeRef,
    /// True if a register may be wider than the type.
    pub wider: bool,
    /// True if it may be omitted.
    pub optional: bool,
}

/// Syntax of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A register to write, or `_`.
    Destination,
    /// Registers to write: so many, or as the modifiers say.
    Destinations(Option<usize>),
    /// A register to write, and perhaps a predicate.
    DestinationAndPredicate,
    /// A register to write and a predicate, neither left out.
    DestinationWithPredicate,
    /// `_`
    Sink,
    /// A register or a number.
    Source,
    /// Registers or numbers: so many, or as the modifiers say.
    Sources(Option<usize>),
    /// A register.
    Register,
    /// A number.
    Immediate,
    /// A predicate, perhaps negated.
    Predicate,
    /// A source of `mov`.
    MoveSource,
    /// Two or four registers that together have the size of the type, to be written.
    Unpacked,
    /// Two or four registers that together have the size of the type, to be read.
    Packed,
    /// `[…]`
    Address,
    /// `[…]`, in tensor memory.
    TensorMemory,
    /// `[map, {x, y}]`
    Tensor,
    /// Offsets behind the coordinates of a tensor: a vector of numbers of 16 bits.
    ImageOffsets,
    /// A register with a cache policy.
    CachePolicy,
    /// A name that is no register: label, function, list of labels.
    Name,
    /// A register or a part of it, or a number.
    Part,
    /// A register or a part of it, perhaps negated, or a number.
    SignedPart,
    /// A register or a part of it, to write.
    DestinationPart,
    /// A register, perhaps with a selection of its elements.
    Lanes,
    /// A register to write, perhaps with the elements that are written.
    DestinationLanes,
    /// Anything.
    Any,
}

/// Type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeRef {
    /// That among the modifiers, from zero.
    Modifier(usize),
    /// Twice as wide as the first among the modifiers.
    Wide,
    /// This one.
    Fixed(ScalarType),
}

/// A row as a form. Rows are constants of this crate, and a test parses them all.
pub(super) fn parse_row(opcode: Opcode, row: Row) -> Form {
    let (since, modifiers, operands) = row;
    Form {
        opcode,
        needs: Needs::parse(since),
        modifiers: modifiers.split_whitespace().map(parse_slot).collect(),
        operands: operands
            .split(',')
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(parse_operand)
            .collect(),
        row,
    }
}

fn parse_slot(text: &str) -> Slot {
    let (words, optional) = text.strip_suffix('?').map_or((text, false), |words| (words, true));
    Slot { alternatives: split_alternatives(words).into_iter().map(parse_alternative).collect(), optional }
}

/// Splits at `|`, but not between the targets of `@8.6:100a|120a`.
fn split_alternatives(text: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices('|') {
        // Targets begin with a digit, and so does no word in a set of several.
        let continues_targets =
            text[start..at].contains('@') && text[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        if !continues_targets {
            parts.push(&text[start..at]);
            start = at + 1;
        }
    }
    parts.push(&text[start..]);
    parts
}

fn parse_alternative(text: &str) -> Alternative {
    let (words, needs) =
        text.split_once('@').map_or((text, None), |(words, needs)| (words, Some(Needs::parse(needs))));
    Alternative { sequence: words.split('+').map(parse_node).collect(), needs }
}

/// The shapes of `wgmma` of one depth, `GROUP16`: 8 to 256 columns by 8; of integers, `GROUP32I`, by 16 from 32 on.
fn shapes_of_groups(set: &str) -> Option<String> {
    let depth = set.strip_prefix("GROUP")?;
    let (depth, of_integers) = depth.strip_suffix('I').map_or((depth, false), |depth| (depth, true));
    let columns = (8..=256).step_by(8).filter(|n| !of_integers || *n <= 32 || n % 16 == 0);
    Some(columns.map(|n| format!("m64n{n}k{depth}")).collect::<Vec<_>>().join("|"))
}

fn parse_node(word: &str) -> Node {
    if let Some(shapes) = shapes_of_groups(word) {
        return Node::Slot(parse_slot(&shapes));
    }
    match SETS.iter().find(|(name, _)| *name == word) {
        Some((_, words)) => Node::Slot(parse_slot(words)),
        None => Node::Word(Modifier::from_word(word).expect("a word in a table of forms")),
    }
}

fn parse_operand(text: &str) -> Shape {
    let (text, optional) = text.strip_suffix('?').map_or((text, false), |text| (text, true));
    let (text, wider) = text.strip_suffix('+').map_or((text, false), |text| (text, true));
    let (kind, ty) = text.split_once(':').unwrap_or((text, "T"));
    let count = |digits: &str| digits.parse().ok();
    let (kind, ty) = match kind {
        "d" => (Kind::Destination, ty),
        "d|p" => (Kind::DestinationAndPredicate, ty),
        "dp" => (Kind::DestinationWithPredicate, ty),
        "_" => (Kind::Sink, "b64"),
        "a" => (Kind::Source, ty),
        "r" => (Kind::Register, ty),
        "i" => (Kind::Immediate, ty),
        "p" => (Kind::Predicate, "pred"),
        "s" => (Kind::MoveSource, ty),
        "dk" => (Kind::Unpacked, ty),
        "ak" => (Kind::Packed, ty),
        "m" => (Kind::Address, "b64"),
        "y" => (Kind::TensorMemory, "b32"),
        "t" => (Kind::Tensor, "b64"),
        "o" => (Kind::ImageOffsets, "b16"),
        "h" => (Kind::CachePolicy, "b64"),
        "n" => (Kind::Name, "b64"),
        "v" => (Kind::Part, ty),
        "vn" => (Kind::SignedPart, ty),
        "vd" => (Kind::DestinationPart, ty),
        "w" => (Kind::Lanes, ty),
        "wd" => (Kind::DestinationLanes, ty),
        "x" => (Kind::Any, "b64"),
        _ => match kind.split_at(1) {
            ("d", size) => (Kind::Destinations(count(size)), ty),
            (_, size) => (Kind::Sources(count(size)), ty),
        },
    };
    let ty = match ty {
        "T" => TypeRef::Modifier(0),
        "U" => TypeRef::Modifier(1),
        "V" => TypeRef::Modifier(2),
        "W" => TypeRef::Wide,
        name => TypeRef::Fixed(ScalarType::from_word(name).expect("a type in a table of forms")),
    };
    Shape { kind, ty, wider, optional }
}

/// A way to read some of the modifiers.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    /// Number of modifiers read.
    pub position: usize,
    /// Requirements of the words in use.
    pub needs: Vec<&'static Needs>,
}

/// All ways to read the modifiers by the grammar from the start, and the most modifiers that any way could read.
pub(super) fn run(slots: &'static [Slot], modifiers: &[Modifier]) -> (Vec<Reading>, usize) {
    let (mut ends, mut furthest) = (vec![Reading { position: 0, needs: Vec::new() }], 0);
    for slot in slots {
        ends = ends.iter().flat_map(|start| run_slot(slot, modifiers, start)).collect();
        furthest = ends.iter().map(|end| end.position).fold(furthest, usize::max);
    }
    (ends, furthest)
}

fn run_slot(slot: &'static Slot, modifiers: &[Modifier], start: &Reading) -> Vec<Reading> {
    let mut ends: Vec<Reading> =
        slot.alternatives.iter().flat_map(|way| run_alternative(way, modifiers, start)).collect();
    // Last, so that words are read rather than left to a later slot.
    ends.extend(slot.optional.then(|| start.clone()));
    ends
}

fn run_alternative(way: &'static Alternative, modifiers: &[Modifier], start: &Reading) -> Vec<Reading> {
    let mut ends = vec![start.clone()];
    for node in &way.sequence {
        ends = match node {
            Node::Slot(slot) => ends.iter().flat_map(|end| run_slot(slot, modifiers, end)).collect(),
            Node::Word(word) => {
                ends.retain(|end| modifiers.get(end.position) == Some(word));
                ends.iter_mut().for_each(|end| end.position += 1);
                ends
            }
        };
    }
    ends.iter_mut().for_each(|end| end.needs.extend(&way.needs));
    ends
}

/// Modifiers that have been put into the order of a grammar, and which of those given they are, as bits.
#[derive(Clone, Default)]
struct Ordering {
    taken: u64,
    order: Vec<Modifier>,
}

/// The modifiers in the order of the grammar, if there is one that begins with the name. What only differs in its place keeps the order in which
/// it stands: types, state spaces, layouts of matrices, priorities.
pub(super) fn ordered(slots: &[Slot], modifiers: &[Modifier], name: &[Modifier]) -> Option<Vec<Modifier>> {
    if modifiers.len() >= u64::BITS as usize {
        return None;
    }
    let start = vec![Ordering::default()];
    let ends = slots
        .iter()
        .fold(start, |ends, slot| ends.iter().flat_map(|start| order_slot(slot, modifiers, start)).collect());
    ends.into_iter()
        .map(|end| end.order)
        .find(|order| order.len() == modifiers.len() && order.starts_with(name))
}

fn order_slot(slot: &Slot, modifiers: &[Modifier], start: &Ordering) -> Vec<Ordering> {
    let ways = slot.alternatives.iter().flat_map(|way| {
        way.sequence.iter().fold(vec![start.clone()], |ends, node| match node {
            Node::Slot(slot) => ends.iter().flat_map(|end| order_slot(slot, modifiers, end)).collect(),
            Node::Word(word) => ends.into_iter().filter_map(|end| take(*word, modifiers, end)).collect(),
        })
    });
    ways.chain(slot.optional.then(|| start.clone())).collect()
}

/// Takes the first of the modifiers left that is this word, unless one of its kind stands before it.
fn take(word: Modifier, modifiers: &[Modifier], mut ordering: Ordering) -> Option<Ordering> {
    let left = |at: &usize| ordering.taken & 1 << at == 0;
    let kind = placed(word);
    let is_alike = |modifier: Modifier| modifier == word || kind.is_some() && placed(modifier) == kind;
    let at = (0..modifiers.len()).filter(left).find(|&at| is_alike(modifiers[at]))?;
    if modifiers[at] != word {
        return None;
    }
    ordering.taken |= 1 << at;
    ordering.order.push(word);
    Some(ordering)
}

/// The kinds of modifiers whose meaning depends on their place among those of their kind.
#[derive(PartialEq, Eq)]
enum Placed {
    Type,
    Space,
    Layout,
    Priority,
    /// `xor.popc`
    Operation,
    /// `b8x16.b6x16_p32`: of the destination and of the source.
    Format,
}

fn placed(modifier: Modifier) -> Option<Placed> {
    use Keyword as K;
    match modifier {
        Modifier::Type(_) => Some(Placed::Type),
        Modifier::Space(_) => Some(Placed::Space),
        Modifier::Keyword(K::Row | K::Col) => Some(Placed::Layout),
        Modifier::Keyword(K::L2EvictNormal | K::L2EvictUnchanged | K::L2EvictFirst | K::L2EvictLast) => {
            Some(Placed::Priority)
        }
        Modifier::Keyword(K::And | K::Or | K::Xor | K::Popc) => Some(Placed::Operation),
        Modifier::Keyword(K::B8x16 | K::B4x16P64 | K::B6x16P32) => Some(Placed::Format),
        Modifier::Keyword(_) | Modifier::Shape(_) => None,
    }
}

/// Instructions in which each word occurs: for each slot all its words, the other slots at their first.
pub(super) fn examples(slots: &'static [Slot]) -> Vec<Vec<Modifier>> {
    let words: Vec<Vec<Vec<Modifier>>> = slots.iter().map(words_of).collect();
    let least = |slot: usize| if slots[slot].optional { Vec::new() } else { words[slot][0].clone() };
    let mut examples: Vec<Vec<Modifier>> = vec![(0..slots.len()).flat_map(least).collect()];
    for (at, choices) in words.iter().enumerate() {
        for choice in choices {
            let modifiers =
                (0..slots.len()).flat_map(|slot| if slot == at { choice.clone() } else { least(slot) });
            examples.push(modifiers.collect());
        }
    }
    examples.sort_by_key(|modifiers| modifiers.iter().map(ToString::to_string).collect::<Vec<_>>());
    examples.dedup();
    examples
}

/// Each alternative of a slot in full.
fn words_of(slot: &Slot) -> Vec<Vec<Modifier>> {
    let of_alternative = |way: &Alternative| {
        let mut words: Vec<Vec<Modifier>> = vec![Vec::new()];
        for node in &way.sequence {
            let choices = match node {
                Node::Word(word) => vec![vec![*word]],
                Node::Slot(slot) => words_of(slot),
            };
            let append = |start: &Vec<Modifier>| {
                choices.iter().map(|end| [start.clone(), end.clone()].concat()).collect()
            };
            words = words.iter().flat_map(|start| -> Vec<Vec<Modifier>> { append(start) }).collect();
        }
        words
    };
    slot.alternatives.iter().flat_map(of_alternative).collect()
}
