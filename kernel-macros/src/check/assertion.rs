//! Assertions of the device library about constants, such as the shapes of tiles and places in them: what never holds is a mistake of the
//! call.

use super::Checker;
use super::collective::is_constant;
use super::interpret::Machine;
use crate::ast::{Expr, ExprKind};
use crate::diagnostics::Loc;
use crate::infer::world::{ConstantCall, InstanceState, World};
use crate::typed::{self, Block, ConstValue, Constant, ExprKind as Typed, FnId, Format, Function, Stmt};

/// The first word of the library's own messages. Others are those of Rust's functions, which panic when they run.
const OURS: &str = "expected ";

impl Checker<'_, '_, '_> {
    /// Reports `if cond { panic!(…) }` of the library whose condition is a constant that holds, at the user's call that leads to it.
    pub(super) fn static_assertion(&mut self, loc: Loc, cond: &typed::Expr, then: &Block) {
        let Some((format, args)) = panic_of(then) else { return };
        let mut message = self.formats[format.0].text.clone();
        if !self.in_library() || !message.starts_with(OURS) || self.known_u32(loc, cond) != Some(1) {
            return;
        }
        for arg in args {
            if let Some(value) = self.known_u32(loc, arg) {
                message = message.replacen("{}", &value.to_string(), 1);
            }
        }
        self.error(self.users_place(loc), message);
    }

    /// Keeps the constants among the arguments of a user's call of the library, until its function is there.
    pub(super) fn note_constants(&mut self, call: &Expr, function: FnId, args: &[typed::Expr]) {
        let world = &self.infer.world;
        let is_library = |id: FnId| {
            let instance = world.instances.get(id.0);
            instance.is_some_and(|instance| world.program.functions[instance.function.0].is_library)
        };
        if !is_library(function) || self.in_library() || !args.iter().any(is_constant) {
            return;
        }
        let locs: Vec<Loc> = match &call.kind {
            ExprKind::Call { args, .. } => args.iter().map(|arg| arg.loc).collect(),
            ExprKind::Method { receiver, args, .. } => {
                std::iter::once(&**receiver).chain(args).map(|arg| arg.loc).collect()
            }
            _ => return,
        };
        let mut loc = None;
        let mut known = Vec::with_capacity(args.len());
        for (arg, at) in args.iter().zip(locs) {
            let mut value = None;
            if is_constant(arg) {
                let machine = Machine::new(self.infer.world, at);
                value = machine.run(arg, Vec::new(), (&self.consts, &self.formats)).ok();
                loc = value.as_ref().map(|_| at).or(loc);
            }
            known.push(value);
        }
        if let Some(loc) = loc {
            self.infer.world.constant_calls.push(ConstantCall { function, args: known, loc });
        }
    }
}

/// Reports calls after which an assertion at the start of the function cannot hold.
pub(super) fn check_constants(world: &mut World<'_>) {
    for call in std::mem::take(&mut world.constant_calls) {
        if world.diagnostics.count() > 0 {
            return;
        }
        // Evaluation may call other functions of the world.
        let state = std::mem::replace(&mut world.instances[call.function.0].state, InstanceState::Open);
        if let InstanceState::Done(function) = &state
            && let Some(message) = refusal(world, function, &call)
        {
            world
                .diagnostics
                .error(call.loc, format!("{message}\nhelp: as it is written, every launch panics here"));
        }
        world.instances[call.function.0].state = state;
    }
}

/// The message of the first assertion that does not hold for these arguments.
fn refusal(world: &mut World<'_>, function: &Function, call: &ConstantCall) -> Option<String> {
    let mut locals = call.args.clone();
    locals.resize(function.locals.len(), None);
    let known: (&[typed::Const], &[Format]) = (&function.consts, &function.formats);
    for stmt in &function.body.stmts {
        // Behind anything else it may not be reached.
        let Stmt::Expr(typed::Expr { kind: Typed::If { cond, then, otherwise: None, .. }, .. }) = stmt else {
            return None;
        };
        let (format, args) = panic_of(then)?;
        let mut scalar =
            |expr: &typed::Expr| match Machine::new(world, call.loc).run(expr, locals.clone(), known) {
                Ok(Constant::Scalar(ConstValue { bits, .. })) => Some(bits),
                Ok(Constant::Aggregate(_) | Constant::Option(_)) | Err(_) => None,
            };
        let text = &function.formats[format.0].text;
        if text.starts_with(OURS) && scalar(cond) == Some(1) {
            let values = args.iter().map(scalar).collect::<Option<Vec<u64>>>()?;
            return Some(
                values.iter().fold(text.clone(), |text, value| text.replacen("{}", &value.to_string(), 1)),
            );
        }
    }
    None
}

/// The panic that a block is, and its values.
fn panic_of(block: &Block) -> Option<(typed::FormatId, &[typed::Expr])> {
    match &block.stmts[..] {
        [Stmt::Expr(typed::Expr { kind: Typed::Panic { format, args }, .. })] => Some((*format, args)),
        _ => None,
    }
}
