//! The parser on what nvcc 13.0 wrote for the CUDA sources in `data` (`data/regenerate.sh` makes it again).

use expect_test::{Expect, expect};
use ptx::check::{check as forms_check, requirements};
use ptx::parse::parse;
use ptx::tree::{Item, Module, Statement, StatementKind};

/// Parses a text, prints it, parses that again; shows what was in it, and what the table of forms says to it.
fn check(text: &str, expect: Expect) {
    let module = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let printed = module.to_string();
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error} in\n{printed}"));
    assert_eq!(again.to_string(), printed);
    let errors = forms_check(&module).err().unwrap_or_default();
    let errors: String = errors.iter().map(|error| format!("\n{error}")).collect();
    let (version, target) = requirements(&module);
    expect.assert_eq(&format!("{}, needs {version} {target}{errors}", summary(&module)));
}

/// Numbers of variables, functions and instructions.
fn summary(module: &Module) -> String {
    let (mut variables, mut functions, mut instructions) = (0, 0, 0);
    for item in &module.items {
        match item {
            Item::Variable(_) => variables += 1,
            Item::Function(function) => {
                functions += 1;
                instructions += count(function.body.as_deref().unwrap_or_default());
            }
            Item::Registers(_) | Item::File(_) | Item::Pragma(_) | Item::Alias { .. } | Item::Section(_) => {}
        }
    }
    format!("{variables} variables, {functions} functions, {instructions} instructions")
}

fn count(statements: &[Statement]) -> usize {
    let count_one = |statement: &Statement| match &statement.kind {
        StatementKind::Instruction(_) => 1,
        StatementKind::Block(inner) => count(inner),
        _ => 0,
    };
    statements.iter().map(count_one).sum()
}

#[test]
fn floats() {
    check(
        include_str!("data/floats.ptx"),
        expect!["1 variables, 5 functions, 434 instructions, needs 7.1 sm_80"],
    );
}

#[test]
fn integers() {
    check(
        include_str!("data/integers.ptx"),
        expect!["0 variables, 4 functions, 397 instructions, needs 8.0 sm_90"],
    );
}

#[test]
fn collectives() {
    check(
        include_str!("data/collectives.ptx"),
        expect!["1 variables, 4 functions, 296 instructions, needs 7.2 sm_80"],
    );
}

#[test]
fn calls() {
    check(
        include_str!("data/calls.ptx"),
        expect!["13 variables, 13 functions, 288 instructions, needs 6.3 sm_75"],
    );
}

#[test]
fn tensor() {
    check(
        include_str!("data/tensor.ptx"),
        expect!["1 variables, 5 functions, 137 instructions, needs 8.1 sm_90"],
    );
}
