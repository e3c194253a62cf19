//! Checks a module against the table of [forms](super::forms): is every instruction one that PTX has, are its operands
//! declared and of fitting types, and do `.version` and `.target` suffice.
//!
//! The walk also collects the requirements of the instructions and declarations, from which a header can be made.

mod needs;
mod operand;
mod scope;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use needs::{Needed, directive_needs, registers_needs, variable_needs};
pub use needs::{is_met_by, requirements};
use operand::{Context, Mismatch};
use scope::{Declared, Scope};

use super::forms::{End, Form, Match, Needs, forms};
use super::tree::{
    Function, FunctionDirective, Instruction, Item, Linkage, Location, Modifier, Module, Name, Opcode,
    Operand, Position, PtxVersion, ScalarType, StateSpace, Statement, StatementKind, Variable,
};
use crate::target::Arch;

/// Something in a module that PTX does not allow, or that its header does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckError {
    /// The function that it is in, if it is in one.
    pub function: Option<Name>,
    /// Position in the text, if it was parsed.
    pub position: Position,
    /// Source location of the last `.loc` before it.
    pub source: Option<Location>,
    /// The statement.
    pub statement: String,
    /// The violation.
    pub problem: Problem,
}

/// Violations that the check reports.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The table of forms has no row for the opcode.
    #[error("the table of instruction forms has no `{0}`")]
    UnknownOpcode(Opcode),
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
        /// Number of operands found.
        found: usize,
    },
    /// An operand is not what the form asks for.
    #[error("operand {index}: expected {expected}, found {found}")]
    Operand {
        /// Number of the operand, from one.
        index: usize,
        /// Operand that the form requires.
        expected: String,
        /// Operand found.
        found: String,
    },
    /// The guard is no predicate.
    #[error("expected a predicate register after '@', found {found}")]
    Guard {
        /// Operand found.
        found: String,
    },
    /// `.version` is too low.
    #[error("expected .version {expected} or later, found {found}")]
    Version {
        /// First version that has it.
        expected: PtxVersion,
        /// The module's.
        found: PtxVersion,
    },
    /// A declaration or a directive that PTX does not allow where it stands.
    #[error("expected {expected}, found {found}")]
    Declaration {
        /// Declaration or directive allowed there.
        expected: String,
        /// Declaration or directive found.
        found: String,
    },
    /// The form has ended.
    #[error(
        "expected {expected}: the form without ended with .version {} for sm_{} and later\n\
         help: say `.version` below {} if the text is of that age", .end.version, .end.target, .end.version
    )]
    Removed {
        /// Replacement in newer texts.
        expected: &'static str,
        /// Version and targets from which it is absent.
        end: End,
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
    /// The forms of the opcodes and modifiers so far: there are few beside the instructions.
    matches: RefCell<HashMap<Opcode, HashMap<Vec<Modifier>, Matches>>>,
}

/// Each form of an opcode, with the match of some modifiers or, if they don't match, how many of them do.
type Matches = Rc<[(&'static Form, Result<Match, usize>)]>;

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
            matches: RefCell::default(),
        }
    }

    fn matches(&self, Instruction { opcode, modifiers, .. }: &Instruction) -> Matches {
        let mut known = self.matches.borrow_mut();
        let of_opcode = known.entry(*opcode).or_default();
        if let Some(matches) = of_opcode.get(&modifiers[..]) {
            return Rc::clone(matches);
        }
        let matches: Matches = forms(*opcode).iter().map(|form| (form, form.matches(modifiers))).collect();
        of_opcode.insert(modifiers.clone(), Rc::clone(&matches));
        matches
    }

    fn run(&mut self) {
        let (module, target) = (self.module, self.target);
        match target {
            Some(target) => {
                self.need(&Needs { ptx: target.min_ptx(), until: None, targets: Vec::new() }, &".target")
            }
            None => {
                let found = module.target.first().cloned().unwrap_or_default();
                let expected = "a target of the table".to_owned();
                self.error(&".target", Problem::Target { expected, found });
            }
        }
        if module.address_size != 64 {
            let found = format!(".address_size {}", module.address_size);
            let expected = "64-bit addresses: `ptxas` assembles no others since CUDA 12".to_owned();
            self.error(&".address_size", Problem::Declaration { expected, found });
        }
        self.walk();
    }

    fn walk(&mut self) {
        let module = self.module;
        for item in &module.items {
            match item {
                Item::Variable(variable) => {
                    self.variable(variable);
                    self.module_variable(variable.space, variable);
                }
                Item::Registers(registers) => {
                    self.need(registers_needs(registers), registers);
                    self.module_variable(StateSpace::Reg, registers);
                }
                Item::Function(function) => self.function(function),
                Item::Alias { name, .. } => self.need(needs::alias(), name),
                Item::File(_) | Item::Pragma(_) | Item::Section(_) => {}
            }
        }
    }

    fn variable(&mut self, variable: &Variable) {
        variable_needs(variable, |needs| self.need(needs, variable));
        let has_size = variable.dimensions.iter().all(Option::is_some) || variable.initializer.is_some();
        if !has_size && variable.linkage != Linkage::Extern {
            let expected = "a size, an initial value or `.extern`".to_owned();
            let found = format!("`{}[]` with none of them", variable.name);
            self.error(variable, Problem::Declaration { expected, found });
        }
    }

    /// Registers and local memory of a module are of texts before PTX 3.0, whose calls had no stack.
    fn module_variable(&mut self, space: StateSpace, statement: &impl fmt::Display) {
        let is_of_threads = matches!(space, StateSpace::Reg | StateSpace::Local);
        if is_of_threads && self.module.version >= PtxVersion::new(3, 0) {
            let expected = format!(".{space} inside a function, or .version below 3.0");
            let found = format!("it in a module of .version {}", self.module.version);
            self.error(statement, Problem::Declaration { expected, found });
        }
    }

    fn function(&mut self, function: &'m Function) {
        (self.function, self.position) = (Some(&function.name), function.position);
        self.source = None;
        for directive in &function.directives {
            self.need(directive_needs(directive), directive);
            if let Some(expected) = misplaced(directive, function) {
                let found = format!("`{directive}`");
                self.error(directive, Problem::Declaration { expected: expected.to_owned(), found });
            }
        }
        for variable in &function.parameters {
            if let Some((expected, found)) = bad_parameter(variable, function.is_entry) {
                self.error(variable, Problem::Declaration { expected: expected.to_owned(), found });
            }
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
                StatementKind::Registers(registers) => {
                    self.need(registers_needs(registers), registers);
                    let (ty, elements) = (registers.ty, registers.vector);
                    if elements > 1 && (ty == ScalarType::Pred || elements * ty.bits() > MOST_VECTOR_BITS) {
                        let expected = "a vector of at most 128 bits, not of predicates".to_owned();
                        let found = format!(".v{elements} .{ty}");
                        self.error(registers, Problem::Declaration { expected, found });
                    }
                }
                StatementKind::Variable(variable) => self.variable(variable),
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

    /// An error if the form has ended for the module's target. The table of targets begins with sm_75; forms ended before.
    fn still_there(&mut self, needs: &Needs, instruction: &Instruction) {
        let name = self.module.target.first().map_or("", String::as_str);
        let number = name.strip_prefix("sm_").and_then(|number| number.parse::<u32>().ok());
        let is_from = |target: u32| self.target.is_some() || number.is_some_and(|number| number >= target);
        let Some(end) = needs.until.filter(|end| self.module.version >= end.version && is_from(end.target))
        else {
            return;
        };
        let expected = match instruction.opcode {
            Opcode::Vote | Opcode::Shfl => "`.sync` and a mask of lanes, as `activemask.b32` gives it",
            _ => "a rounding such as `.rn`",
        };
        self.error(instruction, Problem::Removed { expected, end });
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
            Ok(found) => {
                for needs in found.needs {
                    self.need(needs, instruction);
                    self.still_there(needs, instruction);
                }
            }
            Err(problem) => self.error(instruction, problem),
        }
        self.special_registers(instruction);
    }

    /// The form that an instruction has: that whose modifiers and operands both match.
    fn find_form(&self, instruction: &Instruction) -> Result<Match, Problem> {
        let mut closest: Option<(usize, &Form)> = None;
        let mut problem = None;
        for (form, found) in self.matches(instruction).iter() {
            match found {
                Ok(found) => match self.check_operands(instruction, form) {
                    Ok(()) => return Ok(found.clone()),
                    // A mismatch of one operand is a better message than a wrong number of operands.
                    Err(found @ Problem::Operand { .. }) => problem = Some(found),
                    Err(found) => problem = problem.or(Some(found)),
                },
                &Err(reached) => {
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
                && let Some(Declared::Special(special) | Declared::SpecialVector(special)) =
                    self.scope.find(name.as_str())
            {
                self.need(&special.needs, instruction);
            }
        }
    }
}

/// Registers that are named together have this many bits at most (PTX ISA, "Vectors").
const MOST_VECTOR_BITS: u32 = 128;

/// Description, for the error, of where a misplaced directive belongs; `None` if it belongs to this function.
fn misplaced(directive: &FunctionDirective, function: &Function) -> Option<&'static str> {
    match directive {
        FunctionDirective::MaxThreads(_)
        | FunctionDirective::RequiredThreads(_)
        | FunctionDirective::MinBlocksPerSm(_)
        | FunctionDirective::MaxBlocksPerSm(_)
        | FunctionDirective::MaxRegisters(_)
        | FunctionDirective::RequiredCluster(_)
        | FunctionDirective::MaxClusterRank(_)
        | FunctionDirective::ExplicitCluster
        | FunctionDirective::BlocksAreClusters => {
            (!function.is_entry).then_some("a directive of functions: this one is of kernels, `.entry`")
        }
        FunctionDirective::NoReturn if function.is_entry => {
            Some("a directive of kernels: this one is of functions, `.func`")
        }
        FunctionDirective::NoReturn => (!function.returns.is_empty()).then_some("a function without result"),
        FunctionDirective::AbiPreserve(_) | FunctionDirective::AbiPreserveControl(_) => {
            function.is_entry.then_some("a directive of kernels: this one is of functions, `.func`")
        }
        FunctionDirective::Pragma(_) => None,
    }
}

/// Reason to refuse the declaration of a parameter: expected and found.
fn bad_parameter(variable: &Variable, of_entry: bool) -> Option<(&'static str, String)> {
    if let Some(pointer) = variable.pointer {
        if !of_entry {
            return Some(("`.ptr` on parameters of kernels only", "it on one of a function".to_owned()));
        }
        if !pointer.align.is_power_of_two() {
            return Some(("an alignment that is a power of two", format!(".align {}", pointer.align)));
        }
    }
    if variable.vector > 1 && variable.space != StateSpace::Reg {
        return Some(("a parameter without vector: a scalar or an array", format!(".v{}", variable.vector)));
    }
    (variable.ty == ScalarType::Pred && variable.space != StateSpace::Reg)
        .then(|| ("a parameter in memory of another type", ".pred".to_owned()))
}

#[cfg(test)]
mod tests;
