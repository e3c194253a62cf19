//! What the text of a kernel shows, by place of the source: wide accesses, generic ones, divisions of 64 bits.
//!
//! Selection decides these, so they are read off what it made.

use crate::ir::{FileId, RemarkKind, SourceLoc};
use crate::ptx::tree::{
    Function, Instruction, Keyword, Location, Modifier, Opcode, ScalarType, StatementKind,
};

/// The remarks on a kernel, each where the last `.loc` before it says.
pub(super) fn remarks(function: &Function) -> Vec<(SourceLoc, RemarkKind)> {
    let mut found = Vec::new();
    let mut location = SourceLoc::default();
    for statement in function.body.iter().flatten() {
        match &statement.kind {
            &StatementKind::Location(Location { file, line, column }) => {
                location = SourceLoc { file: FileId(file.saturating_sub(1)), line, column };
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

/// Whether it accesses memory at an address that does not say which memory it is in.
fn is_generic(instruction: &Instruction) -> bool {
    let accesses = matches!(instruction.opcode, Opcode::Ld | Opcode::St | Opcode::Atom | Opcode::Red);
    accesses && !instruction.modifiers.iter().any(|modifier| matches!(modifier, Modifier::Space(_)))
}
