//! `target::at_least(n)`: a constant in each variant, so its argument is one, and there have to be variants.

use ptx::target::Arch;

use super::Checker;
use super::expr::NOTHING;
use crate::ast::Expr;
use crate::builtins::Builtin;
use crate::diagnostics::Loc;
use crate::typed::{self, ConstValue, ExprKind as Typed, Scalar};

impl Checker<'_, '_, '_> {
    pub(super) fn target_at_least(&mut self, expr: &Expr, values: Vec<typed::Expr>) -> Typed {
        // The library asks in every kernel: without a named architecture the answer is no.
        let asked = !self.infer.world.attrs.archs.is_empty() || self.in_library();
        let (Some(mut value), true) = (values.into_iter().next(), asked) else {
            let message = "expected architectures to choose from, found a kernel that names none: it is compiled for the oldest \
                           that has what it needs\nhelp: name them: `#[kernel(arch(sm_75, sm_90))]` compiles a variant for each";
            self.error(expr.loc, message);
            return Typed::Literal(NOTHING);
        };
        let loc = Loc::from(value.span);
        let bits = match self.known_u32(loc, &value) {
            Some(number) if Arch::ALL.iter().any(|arch| u64::from(arch.number()) == number) => number,
            Some(number) => {
                self.error(loc, unknown(number));
                return Typed::Literal(NOTHING);
            }
            None => {
                let message = "expected the number of an architecture, a constant, found a value that is known only when the kernel \
                               runs\nhelp: write the number: `target::at_least(90)`";
                self.error(loc, message);
                return Typed::Literal(NOTHING);
            }
        };
        value.kind = Typed::Literal(ConstValue { ty: Scalar::U32, bits });
        Typed::Call { builtin: Builtin::TargetAtLeast, args: vec![value] }
    }
}

fn unknown(number: u64) -> String {
    let mut numbers: Vec<u32> = Arch::ALL.iter().map(|arch| arch.number()).collect();
    numbers.dedup();
    // 9, 900 and 9.0 are meant as 90.
    let near =
        numbers.iter().find(|known| u64::from(**known) == number * 10 || u64::from(**known) * 10 == number);
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            format!("the numbers are {}", numbers.join(", "))
        }
    };
    format!("expected the number of an architecture, found {number}\nhelp: {help}")
}
