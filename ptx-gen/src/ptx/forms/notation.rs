//! The notation of the rows, and matching.
//!
//! **Since**: `8.6`, `7.8:90` (PTX 7.8 and sm_90), `8.6:100a|120a` (PTX 8.6 and either), `1.2-6.4/70` (from PTX 1.2 on, and on sm_70
//! and later before PTX 6.4 only).
//!
//! **Modifiers**: groups with spaces between them; a group is one word of several (`rn|rz`), `?` after it makes it
//! optional. Words of one alternative that stand together are joined by `+`: `v2+b32`. `@7.4:80` after an alternative says
//! since when it exists. Capitals name sets of words, in the table [`SETS`].
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
//! | `t` | address of a tensor map with coordinates, as many as the modifiers say |
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

use crate::ptx::tree::{Modifier, Opcode, PtxVersion, ScalarType};
use crate::target::Arch;

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
    // Shapes of `wgmma`: of 16-bit elements, of tf32, of 8-bit floats, of integers.
    (
        "GROUP16",
        "m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|m64n72k16|m64n80k16|m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|m64n136k16|m64n144k16|m64n152k16|m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|m64n200k16|m64n208k16|m64n216k16|m64n224k16|m64n232k16|m64n240k16|m64n248k16|m64n256k16",
    ),
    (
        "GROUP8",
        "m64n8k8|m64n16k8|m64n24k8|m64n32k8|m64n40k8|m64n48k8|m64n56k8|m64n64k8|m64n72k8|m64n80k8|m64n88k8|m64n96k8|m64n104k8|m64n112k8|m64n120k8|m64n128k8|m64n136k8|m64n144k8|m64n152k8|m64n160k8|m64n168k8|m64n176k8|m64n184k8|m64n192k8|m64n200k8|m64n208k8|m64n216k8|m64n224k8|m64n232k8|m64n240k8|m64n248k8|m64n256k8",
    ),
    (
        "GROUP32",
        "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n40k32|m64n48k32|m64n56k32|m64n64k32|m64n72k32|m64n80k32|m64n88k32|m64n96k32|m64n104k32|m64n112k32|m64n120k32|m64n128k32|m64n136k32|m64n144k32|m64n152k32|m64n160k32|m64n168k32|m64n176k32|m64n184k32|m64n192k32|m64n200k32|m64n208k32|m64n216k32|m64n224k32|m64n232k32|m64n240k32|m64n248k32|m64n256k32",
    ),
    (
        "GROUP32I",
        "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n48k32|m64n64k32|m64n80k32|m64n96k32|m64n112k32|m64n128k32|m64n144k32|m64n160k32|m64n176k32|m64n192k32|m64n208k32|m64n224k32|m64n240k32|m64n256k32",
    ),
    ("DIM", "1d|2d|3d|4d|5d"),
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
    /// `[map, {x, y}]`
    Tensor,
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

fn parse_node(word: &str) -> Node {
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
        "t" => (Kind::Tensor, "b64"),
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
