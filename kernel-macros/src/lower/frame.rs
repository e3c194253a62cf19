//! Frames: the variables of each function that is being put in place, calls of functions and closures, `return`.
//!
//! No function calls itself, so at any moment each has one frame at most: a closure's type says whose variables its body
//! means.

use std::collections::HashMap;
use std::rc::Rc;

use ptx_gen::ir::{Block as IrBlock, LocalVar, RemarkKind, Value, Variable};

use super::memory::Memory;
use super::{Diverges, Loop, Lowered, Lowerer, Values, cache, layout, slots};
use crate::device::library;
use crate::typed::{ClosureId, Expr, FnId, Function, LocalId, Ty};

/// A function that is being put in place.
pub(super) struct Frame {
    /// By [`LocalId`]: whether the variable lives in memory.
    in_memory: Rc<[bool]>,
    /// By [`LocalId`].
    storage: Vec<Storage>,
    /// The loops and labelled blocks around the current place, the innermost last.
    pub(super) loops: Vec<Loop>,
}

/// Variables that closures copied when they were made: once in the kernel, as an iterator may keep a closure longer than its
/// function has a frame.
pub(super) type Captured = HashMap<(FnId, ClosureId), Vec<(LocalId, Storage)>>;

/// The variables in memory among [`Captured`], whose address is computed again wherever it is used: no block need come before all others.
pub(super) type CapturedSlots = HashMap<(FnId, ClosureId, LocalId), LocalVar>;

/// The storage of a variable.
#[derive(Clone)]
pub(super) enum Storage {
    /// Not declared yet.
    Unbound,
    /// Never assigned after its declaration.
    Fixed(Values),
    /// Assigned at several places: construction of SSA finds its value.
    Mutable(Vec<Variable>),
    /// In memory.
    Slot(Memory),
}

/// The target of `return` in a function or closure that is inlined.
pub(super) struct Return {
    ty: Ty,
    /// Made by the first `return`.
    exit: Option<(IrBlock, Values)>,
}

impl<'k> Lowerer<'k> {
    /// The frame of the current place.
    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames[self.current.0].as_mut().expect("the current function has a frame")
    }

    /// The function of the current place.
    pub(super) fn function(&self) -> &'k Function {
        self.kernel.function(self.current)
    }

    /// The type of a variable of the current function.
    pub(super) fn local_ty(&self, id: LocalId) -> &'k Ty {
        &self.function().local(id).ty
    }

    fn in_memory(&mut self, function: FnId) -> Rc<[bool]> {
        let (kernel, types) = (self.kernel, self.types);
        let known = self.in_memory[function.0]
            .get_or_insert_with(|| slots::in_memory(kernel.function(function), types).into());
        Rc::clone(known)
    }

    /// Makes the function's frame with these values of its parameters.
    pub(super) fn push_frame(&mut self, id: FnId, mut storage: Vec<Storage>) {
        let function = self.kernel.function(id);
        storage.resize(function.locals.len(), Storage::Unbound);
        let in_memory = self.in_memory(id);
        self.frames[id.0] = Some(Frame { in_memory, storage, loops: Vec::new() });
    }

    // Calls.

    /// A call of a device function: its body in this place.
    pub(super) fn invoke(&mut self, id: FnId, args: &[Expr]) -> Lowered {
        let mut storage = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().enumerate() {
            storage.push(self.argument(id, LocalId(index), arg)?);
        }
        if self.function().is_library {
            return self.inline(id, storage);
        }
        if self.kernel.function(id).is_library
            && let Some(name) = library::exact(&self.kernel.function(id).name.to_string())
        {
            let location = self.location;
            self.b.function().remark(location, RemarkKind::ExactFunction { name });
        }
        let receiver = args.first().filter(|_| self.kernel.function(id).is_library);
        self.receiver = receiver.filter(|arg| self.is_of_library(&arg.ty)).and_then(|arg| self.name_of(arg));
        let values = self.inline(id, storage);
        self.receiver = None;
        values
    }

    /// Returns true for one of the library's structs, and a reference to it.
    fn is_of_library(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Ref { inner, .. } => self.is_of_library(inner),
            Ty::Struct(id) => self.kernel.structs[id.0].is_library,
            _ => false,
        }
    }

    fn argument(&mut self, function: FnId, param: LocalId, arg: &Expr) -> Lowered<Storage> {
        if self.in_memory(function)[param.0] {
            let slot = self.slot_of(function, param);
            self.expr_into(arg, &slot)?;
            return Ok(Storage::Slot(slot));
        }
        let values = self.expr(arg)?;
        Ok(self.new_storage(function, param, values))
    }

    /// A call of a closure, or of a function that was handed over: the type says which.
    pub(super) fn call_value(&mut self, callee: &Ty, args: Vec<Values>) -> Lowered {
        match callee {
            Ty::Function(id) => {
                let params = (0..).map(LocalId).zip(args);
                let storage = params.map(|(param, values)| self.new_storage(*id, param, values)).collect();
                self.inline(*id, storage)
            }
            Ty::Closure { owner, id } => self.call_closure(*owner, *id, args),
            Ty::Ref { inner, .. } => self.call_value(inner, args),
            Ty::Unit
            | Ty::Never
            | Ty::Scalar(_)
            | Ty::Dim3
            | Ty::Tuple(_)
            | Ty::Array(..)
            | Ty::Struct(_)
            | Ty::Enum(_)
            | Ty::Option(_)
            | Ty::Atomic(_)
            | Ty::Vector(..)
            | Ty::Ptr { .. }
            | Ty::Slice { .. }
            | Ty::Shared(_)
            | Ty::SharedDyn(_) => unreachable!("checking admits calls of functions only, not of {callee:?}"),
        }
    }

    /// `callee(args)` with a callee that is a value.
    pub(super) fn invoke_value(&mut self, callee: &Expr, args: &[Expr]) -> Lowered {
        self.expr(callee)?;
        let args = args.iter().map(|arg| self.expr(arg)).collect::<Lowered<Vec<Values>>>()?;
        self.call_value(&callee.ty, args)
    }

    fn inline(&mut self, id: FnId, storage: Vec<Storage>) -> Lowered {
        let function = self.kernel.function(id);
        self.push_frame(id, storage);
        let hints = if function.is_library { cache::hints(function) } else { None };
        let around = self.cache;
        self.cache = hints.unwrap_or(around);
        // The library's code is at the location of its call.
        if !function.is_library {
            self.b.begin_call();
        }
        let values = self.inside(id, &function.result, |this| this.block(&function.body));
        if !function.is_library {
            self.b.end_call();
        }
        self.cache = around;
        values
    }

    fn call_closure(&mut self, owner: FnId, id: ClosureId, args: Vec<Values>) -> Lowered {
        let closure = &self.kernel.function(owner).closures[id.0];
        // In a loop the call may come, in the order of the text, before that of the function which gives the closure.
        if self.frames[owner.0].is_none() {
            self.push_frame(owner, Vec::new());
        }
        self.inside(owner, &closure.result, |this| {
            this.address_copies(id);
            this.swap_captured(id);
            closure.params.iter().zip(args).for_each(|(&param, values)| this.bind(param, values));
            let values = this.expr(&closure.body);
            this.swap_captured(id);
            values
        })
    }

    /// Lowers a body in the frame of its function; `return` in it gives its value.
    fn inside(&mut self, function: FnId, ty: &Ty, body: impl FnOnce(&mut Self) -> Lowered) -> Lowered {
        self.check_length()?;
        let location = self.location;
        let caller = std::mem::replace(&mut self.current, function);
        self.returns.push(Return { ty: ty.clone(), exit: None });
        let values = body(self);
        let exit = self.returns.pop().and_then(|target| target.exit);
        self.current = caller;
        self.back_at(location);
        match exit {
            None => values,
            Some((block, result)) => {
                self.jump_with(block, values);
                self.enter(block)?;
                Ok(result)
            }
        }
    }

    /// `return`: of the kernel itself it ends the thread.
    pub(super) fn return_value(&mut self, value: Option<&Expr>) -> Lowered {
        let values = match value {
            Some(value) => self.expr(value)?,
            None => Values::new(),
        };
        let Some(target) = self.returns.last() else {
            self.b.ret();
            return Err(Diverges);
        };
        let block = match &target.exit {
            Some((block, _)) => *block,
            None => {
                let ty = target.ty.clone();
                let exit = self.block_taking(&ty);
                let block = exit.0;
                if let Some(target) = self.returns.last_mut() {
                    target.exit = Some(exit);
                }
                block
            }
        };
        self.b.jump(block, &values);
        Err(Diverges)
    }

    // Closures.

    /// A closure is made here: it copies what it mentions if it is marked `move`, else the references that may be other ones later.
    pub(super) fn make_closure(&mut self, id: ClosureId) {
        self.declare_captured(id);
        let copies = self.captured[&(self.current, id)].clone();
        for (local, mut copy) in copies {
            self.address_again(id, local, &mut copy);
            match (self.frame().storage[local.0].clone(), copy) {
                (Storage::Unbound, _) => {}
                (Storage::Slot(memory), Storage::Slot(slot)) => self.copy(&memory, &slot),
                (storage, Storage::Mutable(copies)) => {
                    let values = self.values_in(&storage);
                    copies.iter().zip(values).for_each(|(&copy, value)| self.b.define(copy, value));
                }
                (_, Storage::Unbound | Storage::Fixed(_) | Storage::Slot(_)) => {
                    unreachable!("`declare_captured` makes copies as their variables are stored")
                }
            }
        }
    }

    fn values_in(&mut self, storage: &Storage) -> Values {
        match storage {
            Storage::Fixed(values) => values.clone(),
            Storage::Mutable(variables) => variables.iter().map(|&variable| self.b.read(variable)).collect(),
            Storage::Slot(memory) => self.read_memory(memory),
            Storage::Unbound => Values::new(),
        }
    }

    /// The variables that a closure copies, once in the kernel: in a loop its body may come, in the order of the text, before what
    /// makes the closure, when an iterator keeps it.
    fn declare_captured(&mut self, id: ClosureId) {
        if self.captured.contains_key(&(self.current, id)) {
            return;
        }
        let function = self.function();
        let closure = &function.closures[id.0];
        let is_copied = |local: &LocalId| closure.captures.is_some() || function.local(*local).mutable;
        let copies = closure.copied().filter(is_copied).map(|local| {
            let storage = if self.frame().in_memory[local.0] {
                let (slot, var) = {
                    let variable = self.function().local(local);
                    self.new_slot(&variable.ty, layout::symbol(&variable.name))
                };
                if let Some(var) = var {
                    self.captured_slots.insert((self.current, id, local), var);
                }
                Storage::Slot(slot)
            } else {
                let types = self.types.flatten(self.local_ty(local));
                Storage::Mutable(types.into_iter().map(|ty| self.b.declare(ty)).collect())
            };
            (local, storage)
        });
        let copies = copies.collect();
        self.captured.insert((self.current, id), copies);
    }

    /// Computes the addresses of what a closure copied to memory in the current block.
    fn address_copies(&mut self, id: ClosureId) {
        self.declare_captured(id);
        let Some(mut copies) = self.captured.remove(&(self.current, id)) else { return };
        copies.iter_mut().for_each(|(local, copy)| self.address_again(id, *local, copy));
        self.captured.insert((self.current, id), copies);
    }

    /// Exchanges the variables that a closure copied with the function's own.
    fn swap_captured(&mut self, id: ClosureId) {
        self.declare_captured(id);
        let Some(mut copies) = self.captured.remove(&(self.current, id)) else { return };
        for (local, copy) in &mut copies {
            std::mem::swap(&mut self.frame().storage[local.0], copy);
        }
        self.captured.insert((self.current, id), copies);
    }

    /// Computes the address of a copy in memory in the current block.
    fn address_again(&mut self, id: ClosureId, local: LocalId, copy: &mut Storage) {
        if let Storage::Slot(memory) = copy
            && let Some(&var) = self.captured_slots.get(&(self.current, id, local))
        {
            memory.address = self.b.local_address(var);
        }
    }

    // Variables.

    /// A slot in memory for a variable.
    fn slot_of(&mut self, function: FnId, id: LocalId) -> Memory {
        let local = self.kernel.function(function).local(id);
        self.slot(&local.ty, layout::symbol(&local.name))
    }

    /// A new variable that begins with these values.
    fn new_storage(&mut self, function: FnId, id: LocalId, values: Values) -> Storage {
        if self.in_memory(function)[id.0] {
            let slot = self.slot_of(function, id);
            self.write_memory(&slot, &values);
            Storage::Slot(slot)
        } else if self.kernel.function(function).local(id).mutable {
            Storage::Mutable(self.define_new(&values))
        } else {
            Storage::Fixed(values)
        }
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

    /// The variable begins with these values.
    pub(super) fn bind(&mut self, id: LocalId, values: Values) {
        let storage = self.new_storage(self.current, id, values);
        self.frame().storage[id.0] = storage;
    }

    /// The variable begins with the value of an expression.
    pub(super) fn bind_expr(&mut self, id: LocalId, init: &Expr) -> Lowered<()> {
        let storage = self.argument(self.current, id, init)?;
        self.frame().storage[id.0] = storage;
        Ok(())
    }

    /// The variable is declared without a value.
    pub(super) fn declare(&mut self, id: LocalId) -> Storage {
        let storage = if self.frame().in_memory[id.0] {
            Storage::Slot(self.slot_of(self.current, id))
        } else {
            let types = self.types.flatten(self.local_ty(id));
            Storage::Mutable(types.into_iter().map(|ty| self.b.declare(ty)).collect())
        };
        self.frame().storage[id.0] = storage.clone();
        storage
    }

    /// The storage of a variable; declares it if needed.
    pub(super) fn storage(&mut self, id: LocalId) -> Storage {
        match self.frame().storage[id.0].clone() {
            Storage::Unbound => self.declare(id),
            storage => storage,
        }
    }

    /// The SSA values of a variable from number `first`.
    pub(super) fn read_local(&mut self, id: LocalId, first: usize, count: usize) -> Values {
        match self.storage(id) {
            Storage::Fixed(values) => values[first..first + count].to_vec(),
            Storage::Mutable(variables) => {
                variables[first..first + count].iter().map(|&variable| self.b.read(variable)).collect()
            }
            Storage::Slot(memory) => self.read_memory(&memory)[first..first + count].to_vec(),
            Storage::Unbound => unreachable!("`storage` declares the variable"),
        }
    }

    /// Gives SSA values of a variable from number `first` new values.
    pub(super) fn write_local(&mut self, id: LocalId, first: usize, values: &[Value]) {
        let mut storage = self.storage(id);
        if let Storage::Fixed(old) = &storage {
            storage = Storage::Mutable(self.define_new(&old.clone()));
            self.frame().storage[id.0] = storage.clone();
        }
        match storage {
            Storage::Mutable(variables) => {
                let variables = variables[first..].iter();
                variables.zip(values).for_each(|(&variable, &value)| self.b.define(variable, value));
            }
            Storage::Slot(memory) => self.write_scalars(&memory, first, values),
            Storage::Fixed(_) | Storage::Unbound => unreachable!("made mutable above"),
        }
    }
}
