//! The words of an instruction: its modifiers, taken one by one, and the number of its operands.

use ptx::tree::{Instruction, Keyword, MatrixShape, Modifier, Operand, ScalarType, StateSpace};

use super::function::Refusal;

/// The modifiers of an instruction, taken one by one: what nobody takes is not understood.
pub(super) struct Words<'a> {
    modifiers: &'a [Modifier],
    taken: Vec<bool>,
}

impl<'a> Words<'a> {
    pub(super) fn new(instruction: &'a Instruction) -> Words<'a> {
        Words { modifiers: &instruction.modifiers, taken: vec![false; instruction.modifiers.len()] }
    }

    /// Takes a keyword if it is there.
    pub(super) fn take(&mut self, keyword: Keyword) -> bool {
        let at = (0..self.taken.len())
            .find(|&at| !self.taken[at] && self.modifiers[at] == Modifier::Keyword(keyword));
        at.is_some_and(|at| !std::mem::replace(&mut self.taken[at], true))
    }

    /// Takes the first keyword of a table that is there.
    pub(super) fn take_any<T: Copy>(&mut self, table: &[(Keyword, T)]) -> Option<T> {
        table.iter().find(|(keyword, _)| self.take(*keyword)).map(|&(_, value)| value)
    }

    /// Takes the next type.
    pub(super) fn ty(&mut self) -> Result<ScalarType, Refusal> {
        for (at, modifier) in self.modifiers.iter().enumerate() {
            if let (Modifier::Type(ty), false) = (modifier, self.taken[at]) {
                self.taken[at] = true;
                return Ok(*ty);
            }
        }
        Err(Refusal::new("the type is missing"))
    }

    /// Takes the next state space.
    pub(super) fn space(&mut self) -> Option<StateSpace> {
        for (at, modifier) in self.modifiers.iter().enumerate() {
            if let (Modifier::Space(space), false) = (modifier, self.taken[at]) {
                self.taken[at] = true;
                return Some(*space);
            }
        }
        None
    }

    /// Takes the shape of a matrix product.
    pub(super) fn shape(&mut self) -> Option<MatrixShape> {
        for (at, modifier) in self.modifiers.iter().enumerate() {
            if let (Modifier::Shape(shape), false) = (modifier, self.taken[at]) {
                self.taken[at] = true;
                return Some(*shape);
            }
        }
        None
    }

    /// The words not taken, joined by dots.
    pub(super) fn rest(&self) -> String {
        let left = self.modifiers.iter().zip(&self.taken).filter(|(_, taken)| !**taken);
        left.map(|(modifier, _)| modifier.to_string()).collect::<Vec<_>>().join(".")
    }

    /// Refuses what is left.
    pub(super) fn finish(self) -> Result<(), Refusal> {
        match self.rest() {
            rest if rest.is_empty() => Ok(()),
            rest => Err(Refusal::new(format!("the simulator does not have it with `.{rest}`"))),
        }
    }
}

/// Checks the number of operands.
pub(super) fn operands<const N: usize>(instruction: &Instruction) -> Result<&[Operand; N], Refusal> {
    let found = instruction.operands.len();
    let operands = instruction.operands.as_slice().try_into();
    operands.map_err(|_| Refusal::new(format!("expected {N} operands, found {found}")))
}
