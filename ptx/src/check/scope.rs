//! Scopes: resolution of the names in a module to their declarations.

use std::collections::HashMap;

use crate::special::{Special, special, special_vector};
use crate::tree::{
    Function, Item, Module, Name, Registers, ScalarType, StateSpace, Statement, StatementKind, Variable,
};

/// Declaration that a name resolves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    /// A register, or one of its components; elements of a vector.
    Register(ScalarType, u32),
    /// A register of PTX itself.
    Special(&'static Special),
    /// Four of them by one name: `%tid`.
    SpecialVector(&'static Special),
    /// A variable or parameter in memory.
    Variable(StateSpace),
    /// A branch target in the function, or a list of them.
    Label,
    /// A function, or a prototype of one.
    Function,
}

/// The names that can be seen, the innermost block last.
#[derive(Default)]
pub(super) struct Scope<'m> {
    blocks: Vec<Block<'m>>,
}

#[derive(Default)]
struct Block<'m> {
    names: HashMap<&'m str, Declared>,
    /// `%r<8>` by its stem, with its count.
    numbered: HashMap<&'m str, (Declared, u32)>,
}

impl<'m> Scope<'m> {
    /// The names of a module.
    pub(super) fn module(module: &'m Module) -> Scope<'m> {
        let mut scope = Scope { blocks: vec![Block::default()] };
        for item in &module.items {
            match item {
                Item::Variable(variable) => scope.declare_variable(variable),
                Item::Registers(registers) => scope.declare_registers(registers),
                Item::Function(function) => scope.declare(&function.name, Declared::Function),
                Item::Alias { name, aliasee: _ } => scope.declare(name, Declared::Function),
                Item::File(_) | Item::Pragma(_) | Item::Section(_) => {}
            }
        }
        scope
    }

    /// Adds the parameters of a function, to be left again.
    pub(super) fn enter_function(&mut self, function: &'m Function) {
        self.blocks.push(Block::default());
        function
            .returns
            .iter()
            .chain(&function.parameters)
            .for_each(|variable| self.declare_variable(variable));
    }

    /// Adds what a block declares, to be left again. Order within a block doesn't matter here.
    pub(super) fn enter(&mut self, statements: &'m [Statement]) {
        self.blocks.push(Block::default());
        for statement in statements {
            match &statement.kind {
                StatementKind::Registers(registers) => self.declare_registers(registers),
                StatementKind::Variable(variable) => self.declare_variable(variable),
                StatementKind::Label(name) | StatementKind::BranchTargets { name, .. } => {
                    self.declare(name, Declared::Label);
                }
                StatementKind::CallTargets { name, .. } | StatementKind::CallPrototype { name, .. } => {
                    self.declare(name, Declared::Function);
                }
                StatementKind::Instruction(_)
                | StatementKind::Block(_)
                | StatementKind::Location(_)
                | StatementKind::InlinedLocation(_)
                | StatementKind::Pragma(_) => {}
            }
        }
    }

    /// Forgets what was entered last.
    pub(super) fn leave(&mut self) {
        self.blocks.pop();
    }

    fn declare(&mut self, name: &'m Name, declared: Declared) {
        if let Some(block) = self.blocks.last_mut() {
            block.names.insert(name.as_str(), declared);
        }
    }

    fn declare_variable(&mut self, variable: &'m Variable) {
        let declared = match variable.space {
            StateSpace::Reg => Declared::Register(variable.ty, variable.vector),
            space => Declared::Variable(space),
        };
        self.declare(&variable.name, declared);
    }

    fn declare_registers(&mut self, registers: &'m Registers) {
        let declared = Declared::Register(registers.ty, registers.vector);
        match (registers.count, self.blocks.last_mut()) {
            (Some(count), Some(block)) => {
                _ = block.numbered.insert(registers.name.as_str(), (declared, count))
            }
            (_, _) => self.declare(&registers.name, declared),
        }
    }

    /// Resolves a name to its declaration, if it has one.
    pub(super) fn find(&self, name: &str) -> Option<Declared> {
        // `%r17` is number 17 of `%r<n>`.
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &name[stem.len()..];
        let number = digits.parse::<u32>().ok().filter(|_| digits == "0" || !digits.starts_with('0'));
        let in_block = |block: &Block<'m>| {
            let numbered = || {
                let (declared, count) = block.numbered.get(stem)?;
                (number? < *count).then_some(*declared)
            };
            block.names.get(name).copied().or_else(numbered)
        };
        let found = self.blocks.iter().rev().find_map(in_block);
        let found = found.or_else(|| special(name).map(Declared::Special));
        let found = found.or_else(|| self.component(name));
        found.or_else(|| special_vector(name).map(Declared::SpecialVector))
    }

    /// `%v.x` is an element of a vector.
    fn component(&self, name: &str) -> Option<Declared> {
        let (whole, component) = name.split_once('.')?;
        match (self.find(whole)?, component) {
            (Declared::Register(ty, vector), component) if vector > 1 => {
                component_index(component).filter(|&at| at < vector).map(|_| Declared::Register(ty, 1))
            }
            _ => None,
        }
    }
}

/// Index of the vector element that a component names (PTX ISA, "Vectors as Operands").
fn component_index(component: &str) -> Option<u32> {
    ["x", "y", "z", "w"]
        .iter()
        .zip(["r", "g", "b", "a"])
        .zip(0..)
        .find_map(|((&one, other), at)| (component == one || component == other).then_some(at))
}
