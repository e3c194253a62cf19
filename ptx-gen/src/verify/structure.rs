//! Do the parts that are named exist, and do they hang together?

use std::collections::HashSet;

use super::{Report, VerifyError};
use crate::ir::{
    Block, EntityMap, Format, Function, Inst, InstData, Module, PanicKind, SourceLoc, Type, Value, ValueDef,
};
use kernel_abi::output::MOST_WORDS;

/// Size of the constant memory of a module (PTX ISA, "Constant State Space").
pub const MAX_CONST_BYTES: usize = 64 << 10;

/// The names of the kernels, and the size of their constant data.
pub(super) fn check_module(module: &Module, errors: &mut Vec<VerifyError>) {
    let mut names = HashSet::new();
    let mut error =
        |message| errors.push(VerifyError { function: String::new(), block: None, inst: None, message });
    for func in &module.functions {
        if !names.insert(func.name.as_str()) {
            error(format!("two kernels are named `{}`", func.name));
        }
        if !is_ptx_identifier(&func.name) {
            error(format!("the kernel's name `{}` is no PTX identifier", func.name));
        }
    }
    let data = module.functions.iter().flat_map(|func| func.consts.values());
    let bytes =
        data.fold(0, |end: usize, data| end.next_multiple_of(data.align.max(1) as usize) + data.bytes.len());
    if bytes > MAX_CONST_BYTES {
        error(format!("the kernels have {bytes} bytes of constant data: expected at most {MAX_CONST_BYTES}"));
    }
}

/// Checks that every entity referred to exists.
pub(super) fn check_references(func: &Function, files: usize, report: &mut Report<'_>) -> bool {
    let before = report.errors.len();
    let file_exists = |location: SourceLoc| location.line == 0 || (location.file.0 as usize) < files;
    for (site, data) in func.panics.iter() {
        if !file_exists(data.location) {
            report.function(format!("file {} of `{site}` does not exist", data.location.file.0));
        }
    }
    for (site, data) in func.prints.iter() {
        if !file_exists(data.location) {
            report.function(format!("file {} of `{site}` does not exist", data.location.file.0));
        }
    }
    for (block, data) in func.layout.iter().filter_map(|&block| Some((block, func.blocks.get(block)?))) {
        for &param in data.params.iter().filter(|&&param| func.values.get(param).is_none()) {
            report.block(block, format!("the parameter `{param}` does not exist"));
        }
        for &inst in &data.insts {
            if func.insts.get(inst).is_none()
                || func.locations.get(inst).is_none()
                || func.results.get(inst).is_none_or(|r| r.is_some_and(|v| func.values.get(v).is_none()))
            {
                report.block(block, format!("`{inst}` does not exist, or its result or location does not"));
                continue;
            }
            for missing in missing_references(func, inst) {
                report.inst(block, inst, format!("`{missing}` does not exist"));
            }
            let location = func.locations[inst];
            if !file_exists(location) {
                report.inst(block, inst, format!("file {} does not exist", location.file.0));
            }
        }
    }
    for &block in func.layout.iter().filter(|&&block| func.blocks.get(block).is_none()) {
        report.function(format!("`{block}` of the layout does not exist"));
    }
    report.errors.len() == before
}

/// Entities that an instruction refers to and that do not exist.
fn missing_references(func: &Function, inst: Inst) -> Vec<String> {
    let data = &func.insts[inst];
    let mut missing = Vec::new();
    data.visit_args(|value| {
        if func.values.get(value).is_none() {
            missing.push(value.to_string());
        }
    });
    let blocks = data.successors().map(|call| call.block).filter(|&block| func.blocks.get(block).is_none());
    missing.extend(blocks.map(|block| block.to_string()));
    match *data {
        InstData::Param { param } if func.params.get(param).is_none() => missing.push(param.to_string()),
        InstData::SharedAddress { var } if func.shared.get(var).is_none() => missing.push(var.to_string()),
        InstData::LocalAddress { var } if func.locals.get(var).is_none() => missing.push(var.to_string()),
        InstData::ConstAddress { var } if func.consts.get(var).is_none() => missing.push(var.to_string()),
        InstData::Inline { asm, .. } | InstData::InlineEffect { asm, .. }
            if func.inlines.get(asm).is_none() =>
        {
            missing.push(asm.to_string());
        }
        InstData::Panic { site, .. } if func.panics.get(site).is_none() => missing.push(site.to_string()),
        InstData::Print { site, .. } if func.prints.get(site).is_none() => missing.push(site.to_string()),
        _ => {}
    }
    missing
}

/// Checks the structure of the function, given that all references hold. Returns true if layout and blocks are sound.
pub(super) fn check(func: &Function, report: &mut Report<'_>) -> bool {
    let before = report.errors.len();
    check_layout(func, report);
    check_blocks(func, report);
    let sound = report.errors.len() == before;
    check_names(func, report);
    check_tables(func, report);
    check_bounds(func, report);
    sound
}

fn check_layout(func: &Function, report: &mut Report<'_>) {
    let Some(&entry) = func.layout.first() else {
        report.function("the kernel has no block");
        return;
    };
    let params = func.blocks[entry].params.len();
    if params > 0 {
        report.block(entry, format!("the entry takes parameters: expected none, found {params}"));
    }
    let mut in_layout = EntityMap::<Block, bool>::filled(func.blocks.len(), false);
    for &block in &func.layout {
        if std::mem::replace(&mut in_layout[block], true) {
            report.block(block, "the block is in the layout twice");
        }
    }
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            for call in func.insts[inst].successors() {
                if call.block == entry {
                    report.inst(block, inst, "the entry is no target of jumps");
                }
                if !in_layout[call.block] {
                    report.inst(block, inst, format!("`{}` is not in the layout", call.block));
                }
            }
        }
    }
}

fn check_blocks(func: &Function, report: &mut Report<'_>) {
    let mut seen_insts = EntityMap::<Inst, bool>::filled(func.insts.len(), false);
    let mut seen_values = EntityMap::<Value, bool>::filled(func.values.len(), false);
    for &block in &func.layout {
        let data = &func.blocks[block];
        for &param in &data.params {
            if std::mem::replace(&mut seen_values[param], true) {
                report.block(block, format!("the parameter `{param}` is in two places"));
            }
            if func.values[param].def != ValueDef::Param(block) {
                let message = format!("`{param}` is a parameter here but says that it is defined elsewhere");
                report.block(block, message);
            }
        }
        for (index, &inst) in data.insts.iter().enumerate() {
            if func.insts[inst].is_terminator() && index + 1 < data.insts.len() {
                report.inst(block, inst, "a terminator stands before the end of the block");
            }
            if std::mem::replace(&mut seen_insts[inst], true) {
                report.inst(block, inst, "the instruction is in two places");
            }
            let Some(value) = func.results[inst] else { continue };
            if func.values[value].def != ValueDef::Result(inst) {
                let message = format!("`{value}` is defined here but says that it is defined elsewhere");
                report.inst(block, inst, message);
            }
        }
        if !data.insts.last().is_some_and(|&inst| func.insts[inst].is_terminator()) {
            report.block(block, "the block does not end in a terminator");
        }
    }
}

fn check_names(func: &Function, report: &mut Report<'_>) {
    let tables = [
        ("parameter", func.params.values().map(|data| data.name.as_str()).collect::<Vec<_>>()),
        ("shared variable", func.shared.values().map(|data| data.name.as_str()).collect()),
    ];
    for (what, table) in tables {
        let mut names = HashSet::new();
        for name in table {
            if !names.insert(name) {
                report.function(format!("two {what}s are named `{name}`"));
            }
            if !is_ptx_identifier(name) {
                report.function(format!("the {what}'s name `{name}` is no PTX identifier"));
            }
        }
    }
}

fn check_tables(func: &Function, report: &mut Report<'_>) {
    let mut aligned = |what: String, align: u32| {
        if !align.is_power_of_two() {
            report.function(format!("`{what}` is aligned to {align} bytes: expected a power of two"));
        }
    };
    for (param, data) in func.params.iter() {
        if let Some(align) = data.pointer_align {
            aligned(param.to_string(), align);
        }
    }
    for (param, data) in func.params.iter() {
        if data.pointer_align.is_some() && data.ty != Type::I64 {
            report.function(format!("`{param}` is a pointer of type `{}`: expected `i64`", data.ty));
        }
    }
    for (site, data) in func.panics.iter() {
        let kind = data.kind.as_str();
        let has_text =
            matches!(data.kind, PanicKind::Message | PanicKind::Formatted) || data.kind.is_indexing();
        if data.message.is_some() && !has_text {
            report.function(format!(
                "`{site}` of kind `{kind}` has a text of its own: expected `message`, `formatted`, or a kind of an index"
            ));
        }
        if data.format.is_some() != (data.kind == PanicKind::Formatted) {
            report.function(format!(
                "`{site}` of kind `{kind}`: only `formatted` has a format, and always has one"
            ));
        }
    }
    let panics = func.panics.iter().filter_map(|(site, data)| Some((site.to_string(), data.format?)));
    let prints = func.prints.iter().map(|(site, data)| (site.to_string(), data.format));
    for (site, Format { words, .. }) in panics.chain(prints) {
        if words as usize > MOST_WORDS {
            report.function(format!("`{site}` takes {words} values: expected at most {MOST_WORDS}"));
        }
    }
    // Dynamic shared memory has no size here: the launch gives it.
    let shared = func.shared.iter().map(|(var, data)| (var.to_string(), None, data.align));
    let locals = func.locals.iter().map(|(var, data)| (var.to_string(), Some(data.bytes), data.align));
    let consts =
        func.consts.iter().map(|(var, data)| (var.to_string(), Some(data.bytes.len() as u32), data.align));
    for (var, bytes, align) in shared.chain(locals).chain(consts) {
        if !align.is_power_of_two() {
            report.function(format!("`{var}` is aligned to {align} bytes: expected a power of two"));
        }
        if bytes == Some(0) {
            report.function(format!("`{var}` has no size"));
        }
    }
    for (param, data) in func.params.iter().filter(|(_, data)| data.max.is_some()) {
        if !data.ty.is_int() || data.pointer_align.is_some() {
            report.function(format!("`{param}` has a greatest number: expected an integer"));
        }
    }
    for (param, data) in func.params.iter().filter(|(_, data)| data.read_only) {
        if data.pointer_align.is_none() {
            report.function(format!("`{param}` is read-only: expected a pointer, found a `{}`", data.ty));
        }
    }
}

fn check_bounds(func: &Function, report: &mut Report<'_>) {
    let bounds = &func.bounds;
    let block = bounds.block.unwrap_or([1; 3]);
    if bounds.max_threads == Some(0) || bounds.min_blocks == Some(0) || block.contains(&0) {
        report.function("the launch bounds promise no threads or blocks");
    }
    let threads: u64 = block.iter().map(|&n| u64::from(n)).fold(1, u64::saturating_mul);
    if let Some(most) = bounds.max_threads.filter(|&most| threads > u64::from(most) && most > 0) {
        report.function(format!("blocks of {threads} threads exceed the launch bound of {most}"));
    }
    let cluster = bounds.cluster.unwrap_or([1; 3]);
    if cluster.contains(&0) || bounds.max_cluster == Some(0) || bounds.max_registers == Some(0) {
        report.function("the launch bounds promise no cluster or no registers");
    }
    if bounds.cluster.is_some() && bounds.max_cluster.is_some() {
        report.function("a fixed cluster and a largest cluster exclude each other");
    }
}

/// PTX ISA, "Identifiers", without `%`, which is for names of the compiler's own.
fn is_ptx_identifier(name: &str) -> bool {
    let follow = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut chars = name.chars();
    match chars.next() {
        Some(first) if first.is_ascii_alphabetic() => chars.all(follow),
        Some('_' | '$') => name.len() > 1 && chars.all(follow),
        Some(_) | None => false,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn ptx_identifiers() {
        for (name, valid) in
            [("a", true), ("_", false), ("_1", true), ("1a", false), ("", false), ("a.b", false)]
        {
            assert_eq!(super::is_ptx_identifier(name), valid, "{name}");
        }
    }
}
