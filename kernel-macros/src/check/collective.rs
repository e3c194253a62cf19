//! Collectives of a warp: the masks, widths and distances that are constants.

use super::Checker;
use super::interpret::Machine;
use crate::ast::Expr;
use crate::builtins::Form;
use crate::diagnostics::Loc;
use crate::infer::Resolved;
use crate::typed::{self, Constant, ExprKind as Typed, Scalar, Ty};

/// Lanes in a warp.
const LANES: u64 = 32;

/// The positions of a collective's arguments.
struct Roles {
    mask: Option<usize>,
    /// The distance or lane of a shuffle.
    lane: Option<usize>,
    width: Option<usize>,
}

/// By the function's name, after which they are all called.
fn roles(name: &str) -> Roles {
    let mask = (name.ends_with("_sync") || name == "sync_mask").then_some(0);
    let value = usize::from(mask.is_some());
    let lane = (name.starts_with("shfl_") || name.starts_with("broadcast")).then_some(value + 1);
    let width = name.contains("_width").then_some(lane.unwrap_or(value) + 1);
    Roles { mask, lane, width }
}

impl Checker<'_, '_, '_> {
    /// Checks the constants among the arguments of a call, if it is one of a collective.
    pub(super) fn collective(&mut self, resolved: &Resolved, args: &[Expr], values: &[typed::Expr]) {
        let functions = &self.infer.world.program.functions;
        let name = match resolved {
            Resolved::Builtin(row) if row.form == Form::Warp => row.name,
            Resolved::Invoke(function, _) if functions[function.0].is_library => {
                let name = functions[function.0].name.to_string();
                match name.strip_prefix("warp_") {
                    Some(name) => &name.to_owned(),
                    None => return,
                }
            }
            _ => return,
        };
        if self.in_library() {
            return;
        }
        let Roles { mask, lane, width } = roles(name);
        let argument = |index: Option<usize>| Some((args.get(index?)?.loc, values.get(index?)?));
        if let Some((loc, value)) = argument(mask)
            && self.known_u32(loc, value) == Some(0)
        {
            let help = "set the bit of each lane that comes here; without a mask all 32 lanes take part";
            self.error(
                loc,
                format!("expected a mask of the lanes that take part, found 0: no lane\nhelp: {help}"),
            );
        }
        let mut lanes = LANES;
        if let Some((loc, value)) = argument(width) {
            match self.known_u32(loc, value) {
                Some(width @ (1 | 2 | 4 | 8 | 16 | 32)) => lanes = width,
                Some(width) => self.error(
                    loc,
                    format!("expected a width of 1, 2, 4, 8, 16 or 32 lanes, found {width}\nhelp: segments divide the 32 lanes of a warp"),
                ),
                None => self.error(
                    loc,
                    "expected a constant width, found a value that is known only when the kernel runs\nhelp: write 1, 2, 4, 8, 16 or 32, \
                     a `const`, or a const generic parameter",
                ),
            }
        }
        if let Some((loc, value)) = argument(lane)
            && let Some(found) = self.known_u32(loc, value)
            && found >= lanes
        {
            let what = match name {
                name if name.starts_with("shfl_idx") || name.starts_with("broadcast") => "a lane",
                name if name.starts_with("shfl_xor") => "a lane mask",
                _ => "a distance",
            };
            let of = match lanes {
                LANES => "a warp has 32 lanes".to_owned(),
                _ => format!("a segment has {lanes} lanes here"),
            };
            let found = match value.ty {
                Ty::Scalar(Scalar::I32) => i64::from(found as i32),
                _ => found as i64,
            };
            self.error(loc, format!("expected {what} of at most {}, found {found}\nhelp: {of}", lanes - 1));
        }
    }

    /// Returns true if the code is the device library's, which is not checked.
    pub(super) fn in_library(&self) -> bool {
        let world = &self.infer.world;
        let instance = world.instances.get(self.infer.me.0);
        instance.is_some_and(|instance| world.program.functions[instance.function.0].is_library)
    }

    /// The value of an expression that is a constant.
    pub(super) fn known_u32(&mut self, loc: Loc, expr: &typed::Expr) -> Option<u64> {
        if !is_constant(expr) {
            return None;
        }
        match Machine::new(self.infer.world, loc).run(expr, Vec::new(), (&self.consts, &self.formats)) {
            Ok(Constant::Scalar(value)) => Some(value.bits),
            Ok(Constant::Aggregate(_) | Constant::Option(_)) | Err(_) => None,
        }
    }
}

/// Made of literals and constants only.
pub(super) fn is_constant(expr: &typed::Expr) -> bool {
    match &expr.kind {
        Typed::Literal(_) | Typed::Path(_) | Typed::Const(_) => true,
        Typed::Unary { arg, .. } | Typed::Cast(arg) => is_constant(arg),
        Typed::Binary { lhs, rhs, .. } | Typed::Logical { lhs, rhs, .. } => {
            is_constant(lhs) && is_constant(rhs)
        }
        Typed::Index { base, index } => is_constant(base) && is_constant(index),
        Typed::Array(parts) | Typed::Tuple(parts) => parts.iter().all(is_constant),
        Typed::Field { base, .. } => is_constant(base),
        Typed::Call { args, .. } => !args.is_empty() && args.iter().all(is_constant),
        Typed::Block(block) => block.stmts.is_empty() && block.value.as_deref().is_some_and(is_constant),
        _ => false,
    }
}
