//! PTX that users write in their kernels: statements with the names `%_op0`, `%_op1`, … in place of operands.
//!
//! They are parsed and checked as statements of a function in which the operands are registers of their types: errors of syntax,
//! undeclared names, and operands of the wrong type are found before anything is compiled. The version and target they need are
//! checked with the rest of the kernel.

use crate::ir::Type;
use crate::ptx::check::{Problem, check};
use crate::ptx::parse::parse as parse_module;
use crate::ptx::tree::{Item, Name, Operand, Registers, ScalarType, Statement, StatementKind};

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

/// The statements with registers in place of operands.
pub fn fill(statements: &[Statement], registers: &[Name]) -> Vec<Statement> {
    let fill_one = |statement: &Statement| {
        let kind = match &statement.kind {
            StatementKind::Instruction(instruction) => {
                let mut instruction = instruction.clone();
                if let Some(guard) = &mut instruction.guard {
                    fill_name(&mut guard.predicate, registers);
                }
                instruction.operands.iter_mut().for_each(|operand| fill_operand(operand, registers));
                StatementKind::Instruction(instruction)
            }
            StatementKind::Block(inner) => StatementKind::Block(fill(inner, registers)),
            other => other.clone(),
        };
        Statement::from(kind)
    };
    statements.iter().map(fill_one).collect()
}

fn fill_name(name: &mut Name, registers: &[Name]) {
    let index = name.as_str().strip_prefix(PREFIX).and_then(|digits| digits.parse::<usize>().ok());
    if let Some(register) = index.and_then(|index| registers.get(index)) {
        *name = register.clone();
    }
}

fn fill_operand(operand: &mut Operand, registers: &[Name]) {
    match operand {
        Operand::Name(name) | Operand::Not(name) | Operand::Negative(name) | Operand::Offset(name, _) => {
            fill_name(name, registers);
        }
        Operand::Pair(first, second) => {
            fill_name(first, registers);
            fill_name(second, registers);
        }
        Operand::Address(address) => {
            if let Some(base) = &mut address.base {
                fill_name(base, registers);
            }
            address.coordinates.iter_mut().for_each(|operand| fill_operand(operand, registers));
        }
        Operand::Vector(parts) | Operand::Group(parts) => {
            parts.iter_mut().for_each(|operand| fill_operand(operand, registers));
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
                let names: Vec<Name> =
                    (0..operands.len()).map(|index| Name::new(format!("%x{index}"))).collect();
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
