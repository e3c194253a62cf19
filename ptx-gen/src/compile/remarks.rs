//! The remarks on a kernel for its host, by source location: those of the passes, and those read off its PTX.
//!
//! Wide accesses, generic ones and divisions of 64 bits are known after selection only, so they are read off its PTX.

use std::collections::HashMap;

use crate::ir::{FileId, Function, Remark, RemarkKind, SourceLoc};
use ptx::tree::{self, Instruction, Item, Keyword, Location, Modifier, Opcode, ScalarType, StatementKind};

/// The remarks on a function and its text in the order of the source, one of a kind for each location.
pub(super) fn remarks(func: &Function, tree: &tree::Module) -> Vec<Remark> {
    let mut remarks = func.remarks.clone();
    let texts = tree.items.iter().filter_map(|item| match item {
        Item::Function(text) if text.name.as_str() == func.name => Some(text),
        _ => None,
    });
    let seen = texts.flat_map(in_text);
    remarks.extend(seen.map(|(location, kind)| Remark { location, kind, count: 1 }));
    // Copies of a loop may have different numbers of iterations: the largest counts.
    let mut most: HashMap<SourceLoc, u32> = HashMap::new();
    for remark in &remarks {
        if let RemarkKind::UnrolledWhole { rounds } = remark.kind {
            let most = most.entry(remark.location).or_default();
            *most = rounds.max(*most);
        }
    }
    for remark in &mut remarks {
        if let RemarkKind::UnrolledWhole { rounds } = &mut remark.kind {
            *rounds = most[&remark.location];
        }
    }
    remarks.sort_by(|a, b| (a.location, &a.kind).cmp(&(b.location, &b.kind)));
    remarks.dedup_by(|next, kept| {
        let same = (next.location, &next.kind) == (kept.location, &kept.kind);
        kept.count += if same { next.count } else { 0 };
        same
    });
    remarks
}

/// The remarks on a text, each where the last `.loc` before it says.
fn in_text(function: &tree::Function) -> Vec<(SourceLoc, RemarkKind)> {
    let mut found = Vec::new();
    let mut location = SourceLoc::default();
    for statement in function.body.iter().flatten() {
        match &statement.kind {
            &StatementKind::Location(Location { file, line, column }) => {
                location = SourceLoc { file: FileId(file.saturating_sub(1)), line, column, caller: None };
            }
            StatementKind::Instruction(instruction) => {
                found.extend(remark(instruction).map(|kind| (location, kind)));
                found.extend(is_generic(instruction).then_some((location, RemarkKind::GenericAccess)));
            }
            StatementKind::Registers(_)
            | StatementKind::Variable(_)
            | StatementKind::Label(_)
            | StatementKind::Block(_)
            | StatementKind::InlinedLocation(_)
            | StatementKind::Pragma(_)
            | StatementKind::BranchTargets { .. }
            | StatementKind::CallTargets { .. }
            | StatementKind::CallPrototype { .. } => {}
        }
    }
    found
}

fn remark(instruction: &Instruction) -> Option<RemarkKind> {
    let ty = instruction.modifiers.iter().rev().find_map(|modifier| match modifier {
        Modifier::Type(ty) => Some(*ty),
        _ => None,
    })?;
    let lanes = instruction.modifiers.iter().find_map(|modifier| match modifier {
        Modifier::Keyword(Keyword::V2) => Some(2),
        Modifier::Keyword(Keyword::V4) => Some(4),
        _ => None,
    });
    match (instruction.opcode, lanes) {
        (Opcode::Ld, Some(lanes)) => Some(RemarkKind::WideLoad { bytes: lanes * ty.bits() / 8 }),
        (Opcode::St, Some(lanes)) => Some(RemarkKind::WideStore { bytes: lanes * ty.bits() / 8 }),
        (Opcode::Div | Opcode::Rem, _) if matches!(ty, ScalarType::U64 | ScalarType::S64) => {
            Some(RemarkKind::Division64)
        }
        _ => None,
    }
}

/// Returns true if it accesses memory at a generic address.
fn is_generic(instruction: &Instruction) -> bool {
    let accesses = matches!(instruction.opcode, Opcode::Ld | Opcode::St | Opcode::Atom | Opcode::Red);
    accesses && !instruction.modifiers.iter().any(|modifier| matches!(modifier, Modifier::Space(_)))
}
