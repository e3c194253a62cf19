//! PTX of the user's own: its statements as they are, over the registers of what it writes and reads.

use super::lower::Lowering;
use super::machine::{Class, Inst, Operand, VReg};
use crate::inline;
use crate::ir::{InlineAsm, SourceLoc, Type, Value};
use ptx::tree::Opcode;

impl Lowering<'_> {
    /// Puts the statements here; `first` is what they write first, and its register.
    pub(super) fn inline(&mut self, asm: InlineAsm, args: &[Value], first: Option<(Value, VReg)>) {
        let data = &self.func.inlines[asm];
        let types: Vec<Type> = data.outs.iter().chain(&data.ins).copied().collect();
        let statements = inline::parse(&data.text, &types).expect("a verified text is PTX");
        let operand = |(input, &arg): (usize, &Value)| match inline::is_address(data, input) {
            true => self.address(arg, 0),
            false => Operand::Reg(self.reg(arg)),
        };
        let operands = args.iter().enumerate().map(operand).collect();
        let more = match first {
            None => Vec::new(),
            Some((of, _)) => {
                let rest = data.outs.iter().zip(0..).skip(1);
                // Each has a separate register, even if it is unused.
                rest.map(|(&ty, index)| match self.inline_outs.get(&(of, index)) {
                    Some(&reg) => reg,
                    None => self.temp(Class::of(ty)),
                })
                .collect()
            }
        };
        self.emit_inst(Inst {
            opcode: Opcode::Mov,
            modifiers: Vec::new(),
            dst: first.map(|(_, dst)| dst),
            more,
            vector: None,
            operands,
            inline: Some(statements.into()),
            guard: None,
            location: SourceLoc::default(),
        });
    }
}
