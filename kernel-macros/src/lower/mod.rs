//! Lowering: the typed tree to the IR. Here is the frame: parameters, variables, locations and failed checks.
//!
//! A value of the source becomes a list of SSA values ([`Values`]), as many as its type flattens to: none for `()`, one
//! for a scalar, three for a `Dim3`, pointer and length for a slice. Code after an expression that never finishes is not
//! lowered: such an expression answers [`Diverges`], and `?` skips the rest.

mod arith;
mod builtin;
mod control;
mod expr;
mod layout;
mod place;
mod range;
#[cfg(test)]
mod tests;

use proc_macro2::Span;
use ptx_gen::ir::{
    Block, ConvertOp, FileId, FunctionBuilder, IntCond, LaunchBounds, Module, PanicKind, PanicSite,
    SourceLoc, Type, Value, Variable,
};

use crate::typed::{Kernel, LocalId, LoopId, Scalar, Ty};

/// The SSA values of one value of the source.
type Values = Vec<Value>;

/// Control does not come past this expression.
struct Diverges;

/// What lowering an expression gives, if control comes past it.
type Lowered<T = Values> = Result<T, Diverges>;

/// Lowers a kernel to a module with one function.
pub fn lower(kernel: &Kernel) -> Module {
    let mut lowerer = Lowerer::new(kernel);
    lowerer.params();
    if lowerer.block(&kernel.body).is_ok() {
        lowerer.at(kernel.body.span);
        lowerer.b.ret();
    }
    lowerer.finish()
}

/// The state of lowering one kernel.
struct Lowerer<'k> {
    kernel: &'k Kernel,
    b: FunctionBuilder,
    /// By [`LocalId`].
    storage: Vec<Storage>,
    /// The loops around the current place, the innermost last.
    loops: Vec<Loop>,
    /// Blocks of failed checks: put at the end of the text, out of the way of the code that runs.
    failures: Vec<Failure>,
    location: SourceLoc,
}

/// Where a variable lives.
#[derive(Clone)]
enum Storage {
    /// Not declared yet.
    Unbound,
    /// Never assigned after its declaration.
    Fixed(Values),
    /// Assigned at several places: construction of SSA finds its value.
    Mutable(Vec<Variable>),
}

/// A loop around the current place.
struct Loop {
    id: LoopId,
    /// Where `break` goes, with the loop's value.
    exit: Block,
    /// Where `continue` goes.
    next: Block,
}

/// The block of a failed check.
struct Failure {
    block: Block,
    site: PanicSite,
    args: Values,
    location: SourceLoc,
}

impl<'k> Lowerer<'k> {
    fn new(kernel: &'k Kernel) -> Lowerer<'k> {
        let mut b = FunctionBuilder::new(layout::symbol(&kernel.name));
        b.function().bounds = LaunchBounds {
            max_threads: kernel.attrs.max_threads,
            min_blocks: kernel.attrs.min_blocks,
            block: kernel.attrs.block,
        };
        let entry = b.create_block();
        b.seal(entry);
        b.switch_to(entry);
        Lowerer {
            kernel,
            b,
            storage: vec![Storage::Unbound; kernel.locals.len()],
            loops: Vec::new(),
            failures: Vec::new(),
            location: SourceLoc::default(),
        }
    }

    /// Declares the kernel's parameters and reads them.
    fn params(&mut self) {
        let kernel = self.kernel;
        for (index, local) in kernel.params().iter().enumerate() {
            self.at(local.name.span());
            let name = layout::symbol(&local.name);
            let values = match &local.ty {
                Ty::Slice { element, .. } => {
                    let pointer =
                        self.b.add_param(&*name, Type::I64, Some(layout::scalar_type(*element).bytes()));
                    let len_name = self.unique_param_name(format!("{name}_len"));
                    let len = self.b.add_param(len_name, Type::I32, None);
                    let pointer = self.b.param(pointer);
                    let len = self.b.param(len);
                    vec![pointer, self.b.convert(ConvertOp::ZeroExtend, len, Type::I64)]
                }
                Ty::Unit | Ty::Never | Ty::Scalar(_) | Ty::Dim3 | Ty::Array(..) | Ty::Shared(_) => {
                    let params: Vec<_> = layout::flatten(&local.ty)
                        .into_iter()
                        .map(|ty| self.b.add_param(&*name, ty, None))
                        .collect();
                    params.into_iter().map(|param| self.b.param(param)).collect()
                }
            };
            self.bind(LocalId(index), values);
        }
    }

    /// `name`, or the first longer one that no parameter of the kernel has.
    fn unique_param_name(&self, mut name: String) -> String {
        while self.kernel.params().iter().any(|param| layout::symbol(&param.name) == name) {
            name.push('_');
        }
        name
    }

    fn finish(mut self) -> Module {
        for failure in std::mem::take(&mut self.failures) {
            self.b.switch_to(failure.block);
            self.b.set_location(failure.location);
            self.b.panic(failure.site, &failure.args);
        }
        Module { files: vec![self.kernel.name.span().file()], functions: vec![self.b.finish()] }
    }

    // Locations.

    /// Code that follows comes from here. Returns where the code before it came from.
    fn at(&mut self, span: Span) -> SourceLoc {
        let start = span.start();
        let location =
            SourceLoc { file: FileId(0), line: start.line as u32, column: start.column as u32 + 1 };
        self.back_at(location)
    }

    fn back_at(&mut self, location: SourceLoc) -> SourceLoc {
        self.b.set_location(location);
        std::mem::replace(&mut self.location, location)
    }

    // Variables.

    /// The variable begins with these values.
    fn bind(&mut self, id: LocalId, values: Values) {
        self.storage[id.0] = if self.kernel.local(id).mutable {
            Storage::Mutable(self.define_new(&values))
        } else {
            Storage::Fixed(values)
        };
    }

    fn define_new(&mut self, values: &[Value]) -> Vec<Variable> {
        let variables: Vec<Variable> = values
            .iter()
            .map(|&value| {
                let ty = self.b.ty(value);
                self.b.declare(ty)
            })
            .collect();
        variables.iter().zip(values).for_each(|(&variable, &value)| self.b.define(variable, value));
        variables
    }

    /// The variable is declared without a value.
    fn declare(&mut self, id: LocalId) -> Vec<Variable> {
        let variables: Vec<Variable> =
            layout::flatten(&self.kernel.local(id).ty).into_iter().map(|ty| self.b.declare(ty)).collect();
        self.storage[id.0] = Storage::Mutable(variables.clone());
        variables
    }

    fn read_local(&mut self, id: LocalId) -> Values {
        match self.storage[id.0].clone() {
            Storage::Fixed(values) => values,
            Storage::Mutable(variables) => variables.into_iter().map(|v| self.b.read(v)).collect(),
            Storage::Unbound => self.declare(id).into_iter().map(|v| self.b.read(v)).collect(),
        }
    }

    fn write_local(&mut self, id: LocalId, values: &[Value]) {
        let variables = match self.storage[id.0].clone() {
            Storage::Mutable(variables) => variables,
            Storage::Fixed(_) | Storage::Unbound => self.declare(id),
        };
        variables.iter().zip(values).for_each(|(&variable, &value)| self.b.define(variable, value));
    }

    // Checks.

    /// Goes on if `holds`; the thread panics if not.
    fn check(&mut self, holds: Value, kind: PanicKind, args: Values) {
        let (proceed, block) = (self.b.create_block(), self.b.create_block());
        let site = self.b.panic_site(kind);
        self.b.branch(holds, proceed, block);
        self.b.seal(proceed);
        self.b.seal(block);
        self.failures.push(Failure { block, site, args, location: self.location });
        self.b.switch_to(proceed);
    }

    // Small values.

    fn i64(&mut self, value: u64) -> Value {
        self.b.constant(Type::I64, value)
    }

    fn is_zero(&mut self, value: Value, cond: IntCond) -> Value {
        let ty = self.b.ty(value);
        let zero = self.b.constant(ty, 0);
        self.b.int_compare(cond, value, zero)
    }

    /// An integer of type `from`, widened or cut to the width of `to`.
    fn resize(&mut self, value: Value, from: Scalar, to: Type) -> Value {
        let bits = self.b.ty(value).bits();
        match to.bits() {
            wanted if wanted == bits => value,
            wanted if wanted < bits => self.b.convert(ConvertOp::Truncate, value, to),
            _ if from.is_signed() => self.b.convert(ConvertOp::SignExtend, value, to),
            _ => self.b.convert(ConvertOp::ZeroExtend, value, to),
        }
    }
}
