//! PTX that users write in their kernels: statements with the names `%_op0`, `%_op1`, … in place of operands.
//!
//! They are parsed and checked as statements of a function in which the operands are registers of their types: errors of syntax,
//! undeclared names, and operands of the wrong type are found before anything is compiled. The version and target they need are
//! checked with the rest of the kernel.

use crate::ir::{InlineData, Space, Type};
use ptx::check::{Problem, check};
use ptx::parse::parse as parse_module;
use ptx::tree::{
    Address, Instruction, Item, Keyword, Modifier, Name, Opcode, Operand, Registers, ScalarType, StateSpace,
    Statement, StatementKind,
};

/// An error in the text of inline PTX.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct InlineError {
    /// The line of the text, from 0.
    pub line: usize,
    /// The error.
    pub message: String,
}

/// The name that stands for an operand.
pub fn placeholder(index: usize) -> String {
    format!("{PREFIX}{index}")
}

const PREFIX: &str = "%_op";

/// Stems of the names that the compiler gives registers.
const OWN: &[&str] = &["%p", "%r", "%rd", "%f", "%fd", "%h"];

/// The type that the register of an operand is declared with; none for narrow integers, which live in wider registers.
pub fn register_type(ty: Type) -> Option<ScalarType> {
    match ty {
        Type::Bool => Some(ScalarType::Pred),
        Type::I32 | Type::F16x2 | Type::BF16x2 => Some(ScalarType::B32),
        Type::I64 => Some(ScalarType::B64),
        Type::F32 => Some(ScalarType::F32),
        Type::F64 => Some(ScalarType::F64),
        Type::F16 | Type::BF16 => Some(ScalarType::B16),
        // In registers of 32 bits, whose upper bits mean nothing.
        Type::I8 | Type::I16 => None,
    }
}

/// The statements of a text with operands of these types.
pub fn parse(text: &str, operands: &[Type]) -> Result<Vec<Statement>, InlineError> {
    // The newest header with everything that is specific to an architecture: the kernel's own is seen to later.
    let mut frame =
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry inline()\n{\n".to_owned();
    for (index, &ty) in operands.iter().enumerate() {
        let Some(register) = register_type(ty) else {
            return Err(InlineError {
                line: 0,
                message: format!("operand {index} has a type without registers: `{ty}`"),
            });
        };
        frame.push_str(&format!(".reg .{register} {};\n", placeholder(index)));
    }
    frame.push_str("{\n");
    let before = frame.lines().count();
    let line_of =
        |line: u32| (line as usize).saturating_sub(before + 1).min(text.lines().count().saturating_sub(1));
    let whole = format!("{frame}{text}\n}}\n}}\n");
    let module = parse_module(&whole).map_err(|error| InlineError {
        line: line_of(error.position.line),
        message: format!("expected {}, found {}", error.expected, error.found),
    })?;
    if let Err(errors) = check(&module) {
        for error in errors {
            match error.problem {
                Problem::Version { .. } | Problem::Target { .. } => {}
                problem => {
                    let line = line_of(error.position.line);
                    let statement = error.statement.trim_end_matches(';');
                    return Err(InlineError { line, message: format!("{problem}, in `{statement}`") });
                }
            }
        }
    }
    let unbalanced = || InlineError {
        line: 0,
        message: "expected braces in pairs, found one that closes nothing".to_owned(),
    };
    let mut items = module.items.into_iter();
    let (Some(Item::Function(function)), None) = (items.next(), items.next()) else {
        return Err(unbalanced());
    };
    let mut body = function.body.unwrap_or_default();
    let (Some(StatementKind::Block(statements)), true) =
        (body.pop().map(|last| last.kind), body.len() == operands.len())
    else {
        return Err(unbalanced());
    };
    for statement in &statements {
        if let StatementKind::Registers(registers) = &statement.kind
            && is_own(registers)
        {
            let message = format!(
                "expected a name of your own, found `{}`, which may be a register of the kernel's: call it `%tmp`",
                registers.name.as_str()
            );
            return Err(InlineError { line: line_of(statement.position.line), message });
        }
    }
    Ok(statements)
}

fn is_own(registers: &Registers) -> bool {
    let name = registers.name.as_str();
    OWN.iter().any(|stem| {
        name.strip_prefix(stem).is_some_and(|rest| {
            registers.count.is_some() && rest.is_empty()
                || !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
        })
    })
}

/// Returns true if the statements have declarations: each copy of them is put in braces then.
pub fn declares(statements: &[Statement]) -> bool {
    !statements.iter().all(|statement| matches!(statement.kind, StatementKind::Instruction(_)))
}

/// The inputs that a text takes as generic addresses only to convert them to those of a space, by `cvta.to.shared.u64 %x, %_op1;` and
/// its like (PTX ISA, `cvta`).
pub fn conversions(data: &InlineData) -> Vec<(usize, Space)> {
    if !data.text.contains("cvta.to.") {
        return Vec::new();
    }
    let Ok(statements) = parse(&data.text, &operand_types(data)) else { return Vec::new() };
    let inputs = (0..data.ins.len()).filter(|&input| {
        let name = placeholder(data.outs.len() + input);
        occurrences(&data.text, &name).count() == 1
    });
    let conversion = |input: usize| {
        let name = Name::new(placeholder(data.outs.len() + input));
        let found = statements.iter().find_map(|statement| conversion_of(statement, &name));
        found.map(|(_, space)| (input, space))
    };
    inputs.filter_map(conversion).collect()
}

/// A text with an address of the space itself in place of an input of [`conversions`].
pub fn without_conversion(data: &InlineData, input: usize) -> InlineData {
    let operand = Name::new(placeholder(data.outs.len() + input));
    let mut statements = parse(&data.text, &operand_types(data)).unwrap_or_default();
    let mut data = data.clone();
    let found = statements
        .iter()
        .enumerate()
        .find_map(|(at, statement)| conversion_of(statement, &operand).map(|(to, space)| (at, to, space)));
    let Some((at, converted, space)) = found else { return data };
    data.ins[input] = space.address_type();
    let others = || statements.iter().enumerate().filter(move |&(index, _)| index != at);
    if others().all(|(_, statement)| is_only_address(statement, &converted)) {
        statements.remove(at);
        let is_its = |statement: &Statement| matches!(&statement.kind, StatementKind::Registers(registers) if registers.name == converted);
        statements.retain(|statement| !is_its(statement));
        statements.iter_mut().for_each(|statement| rename_base(statement, &converted, &operand));
    } else {
        let (opcode, modifiers) = match space.address_type() {
            Type::I32 => (Opcode::Cvt, vec![ScalarType::U64.into(), ScalarType::U32.into()]),
            _ => (Opcode::Mov, vec![ScalarType::U64.into()]),
        };
        let operands = vec![Operand::Name(converted), Operand::Name(operand)];
        statements[at] =
            StatementKind::Instruction(Instruction { guard: None, opcode, modifiers, operands }).into();
    }
    let lines: Vec<String> =
        statements.iter().map(|statement| statement.to_string().trim().to_owned()).collect();
    data.text = lines.join("\n");
    data
}

fn operand_types(data: &InlineData) -> Vec<Type> {
    data.outs.iter().chain(&data.ins).copied().collect()
}

/// Byte positions behind each occurrence of the name of an operand.
fn occurrences<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let ends = text.match_indices(name).map(move |(at, _)| at + name.len());
    ends.filter(move |&end| !text[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$'))
}

/// Returns true if a text only uses an input as `[input]`: constants that are added to it may move into the brackets.
pub fn is_address(data: &InlineData, input: usize) -> bool {
    let name = placeholder(data.outs.len() + input);
    let mut ends = occurrences(&data.text, &name).peekable();
    ends.peek().is_some()
        && ends.all(|end| data.text[end..].starts_with(']') && data.text[..end - name.len()].ends_with('['))
}

/// The register and the space of `cvta.to.SPACE.u64 register, operand`.
fn conversion_of(statement: &Statement, operand: &Name) -> Option<(Name, Space)> {
    let StatementKind::Instruction(Instruction { guard: None, opcode: Opcode::Cvta, modifiers, operands }) =
        &statement.kind
    else {
        return None;
    };
    let [Modifier::Keyword(Keyword::To), Modifier::Space(space), Modifier::Type(ScalarType::U64)] =
        modifiers[..]
    else {
        return None;
    };
    let space = match space {
        StateSpace::Global => Space::Global,
        StateSpace::Shared => Space::Shared,
        StateSpace::Local => Space::Local,
        StateSpace::Const => Space::Const,
        _ => return None,
    };
    match &operands[..] {
        [Operand::Name(to), Operand::Name(from)] if from == operand => Some((to.clone(), space)),
        _ => None,
    }
}

/// Returns true if a name is used in a statement as base of an address only; its declaration is no use.
fn is_only_address(statement: &Statement, name: &Name) -> bool {
    match &statement.kind {
        StatementKind::Registers(registers) => registers.name != *name || registers.count.is_none(),
        StatementKind::Instruction(instruction) => {
            let is_guard = instruction.guard.as_ref().is_some_and(|guard| guard.predicate == *name);
            !is_guard && !instruction.operands.iter().any(|operand| is_other_use(operand, name))
        }
        StatementKind::Label(_) | StatementKind::Location(_) => true,
        // A name of a block may hide this one.
        _ => !statement.to_string().contains(name.as_str()),
    }
}

fn is_other_use(operand: &Operand, name: &Name) -> bool {
    match operand {
        Operand::Name(used) | Operand::Not(used) | Operand::Negative(used) | Operand::Offset(used, _) => {
            used == name
        }
        Operand::Pair(first, second) => first == name || second == name,
        Operand::Address(address) => address.coordinates.iter().any(|operand| is_other_use(operand, name)),
        Operand::Vector(parts) | Operand::Group(parts) => parts.iter().any(|part| is_other_use(part, name)),
        Operand::Immediate(_) | Operand::Discard => false,
    }
}

fn rename_base(statement: &mut Statement, from: &Name, to: &Name) {
    let StatementKind::Instruction(instruction) = &mut statement.kind else { return };
    for operand in &mut instruction.operands {
        if let Operand::Address(Address { base: Some(base), .. }) = operand
            && base == from
        {
            *base = to.clone();
        }
    }
}

/// The statements with registers, or addresses of [`is_address`], in place of operands.
pub fn fill(statements: &[Statement], operands: &[Operand]) -> Vec<Statement> {
    let fill_one = |statement: &Statement| {
        let kind = match &statement.kind {
            StatementKind::Instruction(instruction) => {
                let mut instruction = instruction.clone();
                if let Some(guard) = &mut instruction.guard {
                    fill_name(&mut guard.predicate, operands);
                }
                instruction.operands.iter_mut().for_each(|operand| fill_operand(operand, operands));
                StatementKind::Instruction(instruction)
            }
            StatementKind::Block(inner) => StatementKind::Block(fill(inner, operands)),
            other => other.clone(),
        };
        Statement::from(kind)
    };
    statements.iter().map(fill_one).collect()
}

/// The operand that a name stands for.
fn named<'a>(name: &Name, operands: &'a [Operand]) -> Option<&'a Operand> {
    let index = name.as_str().strip_prefix(PREFIX).and_then(|digits| digits.parse::<usize>().ok());
    index.and_then(|index| operands.get(index))
}

fn fill_name(name: &mut Name, operands: &[Operand]) {
    if let Some(Operand::Name(register)) = named(name, operands) {
        *name = register.clone();
    }
}

fn fill_operand(operand: &mut Operand, operands: &[Operand]) {
    match operand {
        Operand::Name(name) | Operand::Not(name) | Operand::Negative(name) | Operand::Offset(name, _) => {
            fill_name(name, operands);
        }
        Operand::Pair(first, second) => {
            fill_name(first, operands);
            fill_name(second, operands);
        }
        Operand::Address(address) => {
            if let Some(base) = &mut address.base {
                match named(base, operands) {
                    Some(Operand::Address(Address { base: Some(register), offset, .. })) => {
                        *base = register.clone();
                        address.offset += offset;
                    }
                    _ => fill_name(base, operands),
                }
            }
            address.coordinates.iter_mut().for_each(|operand| fill_operand(operand, operands));
        }
        Operand::Vector(parts) | Operand::Group(parts) => {
            parts.iter_mut().for_each(|operand| fill_operand(operand, operands));
        }
        Operand::Immediate(_) | Operand::Discard => {}
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, operands: &[Type], expect: Expect) {
        let found = match parse(text, operands) {
            Ok(statements) => {
                let names: Vec<Operand> =
                    (0..operands.len()).map(|index| Operand::Name(Name::new(format!("%x{index}")))).collect();
                let kinds = fill(&statements, &names);
                format!("{} statements, declares: {}", kinds.len(), declares(&statements))
            }
            Err(error) => error.to_string(),
        };
        expect.assert_eq(&found);
    }

    #[test]
    fn what_is_ptx_is_taken() {
        check("add.rn.f32 %_op0, %_op1, %_op2;", &[Type::F32; 3], expect!["1 statements, declares: false"]);
        check(
            ".reg .b32 %tmp;\nmov.b32 %tmp, %_op1;\nadd.u32 %_op0, %tmp, 1;",
            &[Type::I32; 2],
            expect!["3 statements, declares: true"],
        );
        check("bar.sync 0;", &[], expect!["1 statements, declares: false"]);
    }

    #[test]
    fn what_is_none_is_refused() {
        check(
            "ad.rn.f32 %_op0, %_op0, %_op0;",
            &[Type::F32],
            expect!["line 0: expected an instruction, found 'ad'"],
        );
        check(
            "add.f32 %_op0, %_op0, %_op0;\nadd.rn.f32 %_op0, %_op1, %_op0",
            &[Type::F32, Type::F32],
            expect!["line 1: expected ',' or ';', found '}'"],
        );
        check(
            "add.f32 %_op0, %_op1, %_op0;",
            &[Type::F32, Type::I64],
            expect![
                "line 0: operand 2: expected a register for .f32, found `%_op1`, a .b64 register, in `add.f32 %_op0, %_op1, %_op0`"
            ],
        );
        check(
            "mov.u32 %_op0, %nothing;",
            &[Type::I32],
            expect![
                "line 0: operand 2: expected a name that is declared, found `%nothing`, in `mov.u32 %_op0, %nothing`"
            ],
        );
        check("} {", &[], expect!["line 0: expected braces in pairs, found one that closes nothing"]);
        check(
            ".reg .b32 %r1;",
            &[],
            expect![
                "line 0: expected a name of your own, found `%r1`, which may be a register of the kernel's: call it `%tmp`"
            ],
        );
    }
}
