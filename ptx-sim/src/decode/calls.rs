//! The forms of calls, of branches by table, and of memory on the stack.

use ptx::tree::{Instruction, Keyword, Operand, ScalarType};

use super::flow::Flow;
use super::forms::set_flow;
use super::function::{Decoder, Refusal};
use super::names::Binding;
use super::words::{Words, operands};
use crate::calls::{BUILTINS, CallSite, Callee, Parcel};
use crate::exec::binary::Binary;
use crate::exec::unary::Unary;
use crate::op::Op;
use crate::program::Constant;
use crate::registers::Class;

impl Decoder<'_> {
    /// `call (results), function, (arguments)`, also through a pointer with its prototype last.
    pub(super) fn call(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        words.take(Keyword::Uni);
        words.finish()?;
        let (results, rest) = match instruction.operands.as_slice() {
            [Operand::Group(results), rest @ ..] => (results.as_slice(), rest),
            rest => (&[][..], rest),
        };
        let [Operand::Name(name), rest @ ..] = rest else {
            return Err(Refusal::new("expected the name of a function or a register with its address"));
        };
        let arguments = match rest {
            [Operand::Group(arguments), ..] => arguments.as_slice(),
            _ => &[],
        };
        let callee = self.callee(name.as_str())?;
        let (results, arguments) =
            (self.parcels(results, &callee, true)?, self.parcels(arguments, &callee, false)?);
        let site = self.sites.len() as u32;
        self.sites.push(CallSite { callee, arguments, results });
        self.push(Op::Call { site });
        Ok(())
    }

    fn callee(&mut self, name: &str) -> Result<Callee, Refusal> {
        if let Some(id) = self.functions.find(name) {
            if let Some(&index) = self.by_function.get(&id) {
                return Ok(Callee::Function(index));
            }
            let builtin = BUILTINS.iter().find(|(text, _)| *text == name);
            let known: Vec<&str> = BUILTINS.iter().map(|(text, _)| *text).collect();
            return builtin.map(|&(_, builtin)| Callee::Builtin(builtin)).ok_or_else(|| {
                Refusal::new(format!(
                    "`{name}` has no body in this module, and the simulator itself has only {}",
                    known.join(", ")
                ))
            });
        }
        match self.find(name)? {
            Binding::Register(register) if register.class != Class::P => {
                Ok(Callee::Pointer { class: register.class, slot: self.slot(register)? })
            }
            Binding::Register(_)
            | Binding::Slot(..)
            | Binding::Wide(_)
            | Binding::Vector(_)
            | Binding::Variable(_) => {
                Err(Refusal::new(format!("`{name}` is neither a function nor a register with its address")))
            }
        }
    }

    /// Locations of the arguments or results of a call.
    fn parcels(
        &mut self,
        operands: &[Operand],
        callee: &Callee,
        results: bool,
    ) -> Result<Vec<Parcel>, Refusal> {
        let formals: Option<Vec<Parcel>> = match *callee {
            Callee::Function(index) => {
                let callable = &self.callables[index];
                Some(if results { callable.results.clone() } else { callable.arguments.clone() })
            }
            Callee::Builtin(_) | Callee::Pointer { .. } => None,
        };
        // Registers of a vector type are passed element by element.
        let elements = |operand: &Operand| match self.named_elements(operand) {
            Some(elements) => elements,
            None => vec![operand.clone()],
        };
        let operands: Vec<Operand> = operands.iter().flat_map(elements).collect();
        if let Some(formals) = &formals
            && formals.len() != operands.len()
        {
            let what = if results { "results" } else { "arguments" };
            let (expected, found) = (formals.len(), operands.len());
            return Err(Refusal::new(format!("the function has {expected} {what}, the call {found}")));
        }
        let mut parcels = Vec::new();
        for (index, operand) in operands.iter().enumerate() {
            let formal = formals.as_ref().map(|formals| formals[index]);
            parcels.push(self.parcel(operand, formal, results)?);
        }
        Ok(parcels)
    }

    fn parcel(&mut self, operand: &Operand, formal: Option<Parcel>, write: bool) -> Result<Parcel, Refusal> {
        if let Operand::Name(name) = operand
            && let Binding::Variable(variable) = self.find(name.as_str())?
            && let Some(parcel) = self.parcel_of(name.as_str(), variable)
        {
            return Ok(parcel);
        }
        // A register or a number, of the size that the function says or the register has.
        let class = match formal {
            Some(Parcel::Register { class, .. }) => class,
            Some(Parcel::Memory { bytes, .. }) => {
                if bytes == 8 {
                    Class::D
                } else {
                    Class::W
                }
            }
            None => self.class_of_register(operand).unwrap_or(Class::W),
        };
        let slot = match (write, class) {
            (true, class) => self.target(operand, class)?,
            (false, Class::P) => return Err(Refusal::new("predicates are no arguments")),
            (false, class) => self.source(operand, class, ScalarType::B64)?,
        };
        Ok(Parcel::Register { class, slot })
    }

    /// `brx.idx`: one of a list of labels.
    pub(super) fn branch_by_table(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        words.take(Keyword::Idx);
        words.take(Keyword::Uni);
        words.finish()?;
        let [index, Operand::Name(list)] = operands(instruction)? else {
            return Err(Refusal::new("expected a register and a list of labels"));
        };
        let index = self.source(index, Class::W, ScalarType::U32)?;
        let labels = self.branch_targets(list.as_str())?;
        let mut targets = Vec::new();
        for label in labels {
            targets.push(self.label(label.as_str())? as u32);
        }
        let table = self.tables.len();
        self.tables.push(targets);
        let conditional = self.is_conditional();
        self.push(Op::Switch { table: table as u32, index });
        set_flow(self, Flow::Switch { table, conditional });
        Ok(())
    }

    /// `alloca`: the stack grows by so many bytes.
    pub(super) fn alloca(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let ty = words.ty()?;
        words.finish()?;
        let [target, size, align @ ..] = instruction.operands.as_slice() else {
            return Err(Refusal::new("expected a target and a size"));
        };
        if ty != ScalarType::U64 {
            return Err(Refusal::new("only 64-bit addresses are simulated"));
        }
        let align = match align {
            [] => 8,
            [Operand::Immediate(align), ..] => super::immediate_bits(*align, ScalarType::U64).max(8),
            _ => return Err(Refusal::new("expected a number as alignment")),
        };
        if !align.is_power_of_two() {
            return Err(Refusal::new("the alignment is no power of two"));
        }
        let size = self.source(size, Class::D, ty)?;
        let target = self.target(target, Class::D)?;
        let pointer = self.stack_pointer()?;
        let start = self.fresh(Class::D)?;
        let [up, mask] = [align - 1, !(align - 1)].map(Constant::Immediate);
        let (up, mask) = (self.constant(Class::D, up)?, self.constant(Class::D, mask)?);
        self.push(Op::Binary { f: Binary::Add64, target: start, sources: [pointer, up] });
        self.push(Op::Binary { f: Binary::And64, target: start, sources: [start, mask] });
        self.push(Op::Binary { f: Binary::Add64, target: pointer, sources: [start, size] });
        self.push(Op::Unary { f: Unary::Move64, target, sources: [start] });
        Ok(())
    }

    /// `stacksave` and `stackrestore`.
    pub(super) fn stack(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let [operand] = operands(instruction)?;
        let pointer = self.stack_pointer()?;
        let (target, source) = if instruction.opcode.as_str() == "stacksave" {
            (self.target(operand, Class::D)?, pointer)
        } else {
            (pointer, self.source(operand, Class::D, ScalarType::U64)?)
        };
        self.push(Op::Unary { f: Unary::Move64, target, sources: [source] });
        Ok(())
    }
}
