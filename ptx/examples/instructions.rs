//! Counts the instructions of a PTX file by opcode, checks each against the table, and names the least target that has all:
//!
//! ```text
//! cargo run -p ptx --example instructions -- ptx-sim/examples/saxpy.ptx
//! ```

use std::collections::BTreeMap;
use std::error::Error;

use ptx::check::{check, requirements};
use ptx::tree::{Item, Statement, StatementKind};

fn count(statements: &[Statement], counts: &mut BTreeMap<String, usize>) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Instruction(instruction) => {
                *counts.entry(instruction.opcode.to_string()).or_default() += 1
            }
            StatementKind::Block(inner) => count(inner, counts),
            _ => {}
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("expected the name of a PTX file")?;
    let module = ptx::parse::parse(&std::fs::read_to_string(&file)?)?;
    for error in check(&module).err().unwrap_or_default() {
        println!("{file}:{error}");
    }
    let mut counts = BTreeMap::new();
    for item in &module.items {
        if let Item::Function(function) = item {
            count(function.body.as_deref().unwrap_or_default(), &mut counts);
        }
    }
    for (opcode, count) in counts {
        println!("{count:>8} {opcode}");
    }
    let (version, target) = requirements(&module);
    println!("needs PTX {version} and {target}");
    Ok(())
}
