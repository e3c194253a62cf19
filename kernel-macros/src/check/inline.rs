//! PTX of the user's own: what its operands are, and whether it is PTX.

use ptx_gen::inline;
use ptx_gen::ir::Type;

use super::Checker;
use crate::ast::{Expr, InlineOperand, InlinePiece, InlinePtx};
use crate::diagnostics::Loc;
use crate::infer::written;
use crate::literal;
use crate::lower::scalar_type;
use crate::typed::{self, ConstValue, Constant, ExprKind as Typed, Scalar, Ty};

impl<'p> Checker<'_, '_, 'p> {
    pub(super) fn inline_ptx(&mut self, expr: &Expr, ptx: &'p InlinePtx) -> Typed {
        self.inline_ptx_in_unsafe(expr);
        let mistakes = self.infer.world.diagnostics.count();
        // PTX operand numbers: the outputs come first.
        let writes =
            |operand: &&InlineOperand| matches!(operand, InlineOperand::Out(_) | InlineOperand::InOut(..));
        let count = ptx.operands.iter().filter(writes).count();
        let (mut outs, mut ins, mut texts, mut types) =
            (Vec::new(), Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
        let mut moves = String::new();
        for operand in &ptx.operands {
            let mut read = |checker: &mut Self, value: &'p Expr| {
                let loc = value.loc;
                let value = checker.value(value);
                let ty = checker.register(&value.ty, loc);
                types[1].push(ty);
                ins.push(value);
                (inline::placeholder(count + ins.len() - 1), ty)
            };
            let text = match operand {
                InlineOperand::In(value) => read(self, value).0,
                InlineOperand::Out(ty) => {
                    let written = self.inline_type(ty);
                    types[0].push(self.register(&written, ty.loc));
                    outs.push(written);
                    inline::placeholder(outs.len() - 1)
                }
                InlineOperand::InOut(value, ty) => {
                    let (from, register) = read(self, value);
                    types[0].push(register);
                    outs.push(self.inline_type(ty));
                    let to = inline::placeholder(outs.len() - 1);
                    if let Some(register) = inline::register_type(register) {
                        moves += &format!("mov.{register} {to}, {from};\n");
                    }
                    to
                }
                InlineOperand::Const(value) => {
                    let env = self.infer.env.clone();
                    match self.infer.world.evaluate_any(&env, value) {
                        Some(Constant::Scalar(value)) => number(value),
                        Some(Constant::Aggregate(_) | Constant::Option(_)) => {
                            self.error(value.loc, "expected a number, found a constant of another type\nhelp: pick one of its parts");
                            String::new()
                        }
                        None => String::new(),
                    }
                }
            };
            texts.push(text);
        }
        let text: String = ptx
            .template
            .iter()
            .map(|piece| match piece {
                InlinePiece::Text(text) => text.as_str(),
                InlinePiece::Operand(index) => &texts[*index],
            })
            .collect();
        if self.infer.world.diagnostics.count() > mistakes {
            return Typed::Unit;
        }
        let types = types.concat();
        if let Err(error) = inline::parse(&text, &types) {
            let mut message = error.message;
            // The longest first: `%_op1` begins `%_op10`.
            for (text, name) in texts.iter().zip(&ptx.names).rev() {
                if text.starts_with('%') {
                    message = message.replace(text.as_str(), name);
                }
            }
            let line = match ptx.lines.len() {
                1 => String::new(),
                _ => format!("line {}: ", error.line + 1),
            };
            let at = ptx.lines.get(error.line).or(ptx.lines.first()).copied().unwrap_or(expr.loc);
            self.error(at, format!("{line}{message}\nhelp: see the instruction in NVIDIA's PTX ISA"));
        }
        let cpu = ptx.cpu.as_ref().map(|cpu| self.value(cpu));
        Typed::InlinePtx(Box::new(typed::InlinePtx {
            text: moves + &text,
            outs,
            ins,
            pure: ptx.pure,
            memory: !ptx.nomem,
            cpu,
        }))
    }

    fn inline_type(&mut self, ty: &'p crate::ast::Type) -> Ty {
        let env = self.infer.env.clone();
        let ty = self.infer.world.lower_type(&mut self.infer.vars, &env, ty);
        self.infer.intern(&ty)
    }

    /// The type in registers.
    fn register(&mut self, ty: &Ty, loc: Loc) -> Type {
        let found = match ty {
            Ty::Scalar(scalar) => Some(scalar_type(*scalar)),
            // Reported before.
            Ty::Never => return Type::I32,
            _ => None,
        };
        match found.filter(|ty| inline::register_type(*ty).is_some()) {
            Some(ty) => ty,
            None => {
                let name = written(ty, &self.infer.world.structs, &self.infer.world.enums);
                let help = match ty {
                    Ty::Scalar(scalar) if scalar.is_int() => {
                        "convert with `as u32`: registers of integers have 32 or 64 bits"
                    }
                    Ty::Ptr { .. } | Ty::Ref { .. } => "hand over its address: `in(usize) pointer as usize`",
                    Ty::Vector(..) => "hand over each lane",
                    _ => "hand over each part",
                };
                self.error(
                    loc,
                    format!("expected a type that fits a register, found `{name}`\nhelp: {help}"),
                );
                Type::I32
            }
        }
    }
}

/// A constant as PTX writes it.
fn number(value: ConstValue) -> String {
    match value.ty {
        Scalar::F32 => format!("0f{:08X}", value.bits),
        Scalar::F64 => format!("0d{:016X}", value.bits),
        _ => literal::to_int(value).to_string(),
    }
}
