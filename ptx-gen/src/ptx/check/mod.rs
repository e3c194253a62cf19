//! Checks a module against the table of [forms](super::forms): is every instruction one that PTX has, are its operands
//! declared and of fitting types, and do `.version` and `.target` suffice.
//!
//! The same walk collects what a module needs, from which a header can be made.

mod needs;
mod operand;
mod scope;

use std::fmt;

pub use needs::requirements;
use needs::{Needed, directive_needs, registers_needs, variable_needs};
use operand::{Context, Mismatch};
use scope::{Declared, Scope};

use super::forms::{Form, Match, Needs, forms};
use super::tree::{
    Instruction, Item, Location, Module, Name, Operand, Position, PtxVersion, Statement, StatementKind,
};
use crate::target::Arch;

/// Something in a module that PTX does not allow, or that its header does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckError {
    /// The function that it is in, if it is in one.
    pub function: Option<Name>,
    /// Where in the text, if it was parsed.
    pub position: Position,
    /// What the last `.loc` before it said.
    pub source: Option<Location>,
    /// The statement.
    pub statement: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The table of forms has no row for the opcode.
    #[error("the table of instruction forms has no `{0}`")]
    UnknownOpcode(super::tree::Opcode),
    /// The modifiers follow no form.
    #[error("expected modifiers as in `{closest}`, found `{found}`")]
    Modifiers {
        /// The form that more of them follow than any other.
        closest: String,
        /// The first modifier that does not follow it.
        found: String,
    },
    /// Too many or too few operands.
    #[error("expected operands as in `{form}`, found {found} of them")]
    OperandCount {
        /// The form.
        form: String,
        /// How many there are.
        found: usize,
    },
    /// An operand is not what the form asks for.
    #[error("operand {index}: expected {expected}, found {found}")]
    Operand {
        /// Which, from one.
        index: usize,
        /// What the form asks for.
        expected: String,
        /// What it is.
        found: String,
    },
    /// The guard is no predicate.
    #[error("expected a predicate register after '@', found {found}")]
    Guard {
        /// What it is.
        found: String,
    },
    /// `.version` is too low.
    #[error("expected .version {expected} or later, found {found}")]
    Version {
        /// Since when.
        expected: PtxVersion,
        /// The module's.
        found: PtxVersion,
    },
    /// `.target` does not have it.
    #[error("expected a target that provides {expected}, found {found}")]
    Target {
        /// One of these.
        expected: String,
        /// The module's.
        found: String,
    },
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.position != Position::default() {
            write!(f, "ptx:{}:{}: ", self.position.line, self.position.column)?;
        }
        if let Some(function) = &self.function {
            write!(f, "in `{function}`: ")?;
        }
        write!(f, "{}\n    {}", self.problem, self.statement)
    }
}

impl std::error::Error for CheckError {}

/// Checks every instruction and directive; all that is wrong, in order.
pub fn check(module: &Module) -> Result<(), Vec<CheckError>> {
    let mut checker = Checker::new(module);
    checker.run();
    if checker.errors.is_empty() { Ok(()) } else { Err(checker.errors) }
}

/// Walks a module; collects errors and needs.
struct Checker<'m> {
    module: &'m Module,
    /// `None` where the table of targets does not know it.
    target: Option<Arch>,
    scope: Scope<'m>,
    function: Option<&'m Name>,
    position: Position,
    source: Option<Location>,
    errors: Vec<CheckError>,
    needed: Needed,
}

impl<'m> Checker<'m> {
    fn new(module: &'m Module) -> Checker<'m> {
        Checker {
            module,
            target: module.target.first().and_then(|target| target.parse().ok()),
            scope: Scope::module(module),
            function: None,
            position: Position::default(),
            source: None,
            errors: Vec::new(),
            needed: Needed::default(),
        }
    }

    fn run(&mut self) {
        let (module, target) = (self.module, self.target);
        match target {
            Some(target) => self.need(&Needs { ptx: target.min_ptx(), targets: Vec::new() }, &".target"),
            None => {
                let found = module.target.first().cloned().unwrap_or_default();
                let expected = "a target of the table".to_owned();
                self.error(&".target", Problem::Target { expected, found });
            }
        }
        self.walk();
    }

    fn walk(&mut self) {
        let module = self.module;
        for item in &module.items {
            match item {
                Item::Variable(variable) => variable_needs(variable, |needs| self.need(needs, variable)),
                Item::Function(function) => self.function(function),
                Item::Alias { name, .. } => self.need(needs::alias(), name),
                Item::File(_) | Item::Pragma(_) | Item::Section(_) => {}
            }
        }
    }

    fn function(&mut self, function: &'m super::tree::Function) {
        (self.function, self.position) = (Some(&function.name), function.position);
        self.source = None;
        for directive in &function.directives {
            self.need(directive_needs(directive), directive);
        }
        for variable in function.returns.iter().chain(&function.parameters) {
            variable_needs(variable, |needs| self.need(needs, variable));
        }
        if let Some(body) = &function.body {
            self.scope.enter_function(function);
            self.block(body);
            self.scope.leave();
        }
        (self.function, self.position) = (None, Position::default());
    }

    fn block(&mut self, statements: &'m [Statement]) {
        self.scope.enter(statements);
        for statement in statements {
            self.position = statement.position;
            match &statement.kind {
                StatementKind::Instruction(instruction) => self.instruction(instruction),
                StatementKind::Block(inner) => self.block(inner),
                StatementKind::Registers(registers) => self.need(registers_needs(registers), registers),
                StatementKind::Variable(variable) => {
                    variable_needs(variable, |needs| self.need(needs, variable));
                }
                StatementKind::InlinedLocation(_) => self.need(needs::inlined_location(), &statement.kind),
                StatementKind::Location(location) => self.source = Some(*location),
                StatementKind::Label(_)
                | StatementKind::Pragma(_)
                | StatementKind::BranchTargets { .. }
                | StatementKind::CallTargets { .. }
                | StatementKind::CallPrototype { .. } => {}
            }
        }
        self.scope.leave();
    }

    fn error(&mut self, statement: &impl fmt::Display, problem: Problem) {
        let function = self.function.cloned();
        let (statement, position) = (statement.to_string(), self.position);
        self.errors.push(CheckError { function, position, source: self.source, statement, problem });
    }

    /// Notes that something is needed; an error if the header does not give it.
    fn need(&mut self, needs: &Needs, statement: &impl fmt::Display) {
        self.needed.add(needs);
        let version = self.module.version;
        if needs.ptx > version {
            self.error(statement, Problem::Version { expected: needs.ptx, found: version });
        }
        // An unknown target has been reported.
        let Some(target) = self.target else { return };
        if !needs.targets.is_empty() && !needs.targets.iter().any(|needed| target.provides(*needed)) {
            let expected = needs.targets.iter().map(Arch::to_string).collect::<Vec<_>>().join(" or ");
            self.error(statement, Problem::Target { expected, found: target.to_string() });
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        if let Some(guard) = &instruction.guard {
            let shape = super::forms::PREDICATE;
            let context = Context { instruction, scope: &self.scope };
            if let Err((_, found)) = context.check(&Operand::Name(guard.predicate.clone()), shape) {
                self.error(instruction, Problem::Guard { found });
            }
        }
        match self.find_form(instruction) {
            Ok(found) => found.needs.into_iter().for_each(|needs| self.need(needs, instruction)),
            Err(problem) => self.error(instruction, problem),
        }
        self.special_registers(instruction);
    }

    /// The form that an instruction has: that whose modifiers and operands both match.
    fn find_form(&self, instruction: &Instruction) -> Result<Match, Problem> {
        let forms = forms(instruction.opcode);
        let mut closest: Option<(usize, &Form)> = None;
        let mut problem = None;
        for form in forms {
            match form.matches(&instruction.modifiers) {
                Ok(found) => match self.check_operands(instruction, form) {
                    Ok(()) => return Ok(found),
                    // What is wrong with an operand says more than what is wrong with their number.
                    Err(found @ Problem::Operand { .. }) => problem = Some(found),
                    Err(found) => problem = problem.or(Some(found)),
                },
                Err(reached) => {
                    if closest.is_none_or(|(most, _)| reached > most) {
                        closest = Some((reached, form));
                    }
                }
            }
        }
        Err(match (problem, closest) {
            (Some(problem), _) => problem,
            (None, Some((reached, form))) => {
                let found = instruction.modifiers.get(reached);
                let found =
                    found.map_or_else(|| "nothing more".to_owned(), |modifier| format!(".{modifier}"));
                Problem::Modifiers { closest: form.to_string(), found }
            }
            (None, None) => Problem::UnknownOpcode(instruction.opcode),
        })
    }

    fn check_operands(&self, instruction: &Instruction, form: &Form) -> Result<(), Problem> {
        let found = instruction.operands.len();
        let shapes = form.shapes(&instruction.modifiers, found);
        let shapes = shapes.ok_or_else(|| Problem::OperandCount { form: form.to_string(), found })?;
        let context = Context { instruction, scope: &self.scope };
        for (index, (operand, shape)) in instruction.operands.iter().zip(shapes).enumerate() {
            let mismatch =
                |(expected, found): Mismatch| Problem::Operand { index: index + 1, expected, found };
            context.check(operand, shape).map_err(mismatch)?;
        }
        Ok(())
    }

    /// Notes since when the special registers exist that an instruction reads.
    fn special_registers(&mut self, instruction: &Instruction) {
        for operand in &instruction.operands {
            if let Operand::Name(name) = operand
                && let Some(Declared::Special(_, needs)) = self.scope.find(name.as_str())
            {
                self.need(needs, instruction);
            }
        }
    }
}

#[cfg(test)]
mod tests;
