//! The state of decoding one kernel and its functions: names in scopes, slots, statements as a flat list.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use ptx::tree::{self, StateSpace, Statement, StatementKind};

use super::flow::Flow;
use super::graph::{FunctionId, Functions};
use super::names::{self, Binding, RegisterId, ScopeId, Scopes, Variable};
use super::{Layout, after, declaration, place_after, size_and_align};
use crate::calls::{CallSite, Callable, Parcel};
use crate::exec::asynchronous::Asynchronous;
use crate::exec::matrix::Matrix;
use crate::fault::{Code, LoadError, SourceLine};
use crate::op::{Inst, Op, Predicate};
use crate::program::{Constant, SharedVariable};
use crate::registers::{Class, Slot};

/// The alignment of dynamic shared memory that is declared with none, or with less, in bytes.
const LEAST_DYNAMIC_ALIGN: u32 = 16;

/// Why an instruction cannot be decoded; where it stands is added by whoever knows.
#[derive(Debug)]
pub(super) struct Refusal(pub(super) String);

impl Refusal {
    pub(super) fn new(problem: impl Into<String>) -> Refusal {
        Refusal(problem.into())
    }
}

/// The lines of source that the statements of a function come from.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// That of the next instruction.
    line: Option<SourceLine>,
    /// The call of the inlined function that this line is of, in one that is not inlined; nothing elsewhere.
    call: Arc<[SourceLine]>,
    /// The location of the call of the function that a location is in, if that was inlined.
    calls: HashMap<tree::Location, tree::Location>,
}

/// Calls within each other that are followed: PTX may have them go round.
const MOST_CALLS: usize = 256;

impl Sources {
    /// The location of the call that all others are within (PTX ISA, ".loc": `inlined_at` gives that of the innermost).
    fn outermost_call(&mut self, inlined: &tree::InlinedLocation) -> tree::Location {
        self.calls.insert(inlined.location, inlined.at);
        let outwards = std::iter::successors(Some(&inlined.at), |call| self.calls.get(call));
        outwards.take(MOST_CALLS).last().copied().unwrap_or(inlined.at)
    }
}

/// An instruction in the flat list of a function.
pub(super) struct Flat<'a> {
    pub(super) instruction: &'a tree::Instruction,
    pub(super) scope: ScopeId,
    pub(super) code: Code,
    /// The column in its line.
    pub(super) column: u32,
}

/// The local memory of a function that may be active more than once: it starts where a register says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) base: Slot,
    pub(super) bytes: u32,
}

/// The state of decoding one kernel and the functions that it calls.
pub(super) struct Decoder<'a> {
    layout: &'a Layout,
    pub(super) functions: &'a Functions<'a>,
    pub(super) callables: Vec<Callable>,
    pub(super) by_function: HashMap<FunctionId, usize>,
    pub(super) sites: Vec<CallSite>,
    /// The targets of branches by table.
    pub(super) tables: Vec<Vec<u32>>,
    pub(super) matrices: Vec<Matrix>,
    pub(super) asynchronous: Vec<Asynchronous>,
    /// Lists of labels by name, of the bodies so far.
    branch_targets: HashMap<(ScopeId, String), Vec<tree::Name>>,
    /// Of the function that is being decoded; none in kernels and functions that are active once at most.
    pub(super) frame: Option<Frame>,
    /// A function is being decoded, not the kernel.
    pub(super) is_function: bool,
    /// The register with the end of the local memory that a thread has in use, if the kernel has recursion or `alloca`.
    pub(super) stack_pointer: Option<Slot>,
    /// The sizes of variables that can be arguments of calls.
    parcels: HashMap<(Option<Slot>, Constant), u32>,
    pub(super) scopes: Scopes,
    /// That of the module.
    pub(super) module: ScopeId,
    pub(super) scope: ScopeId,
    labels: HashMap<(ScopeId, String), usize>,
    registers: HashMap<RegisterId, Slot>,
    constant_w: HashMap<Constant, Slot>,
    constant_d: HashMap<Constant, Slot>,
    /// Slots given out, by class. Slot 0 of the predicates is the true one.
    pub(super) next: [usize; 3],
    /// Module-scope shared variables that this kernel names.
    shared: HashMap<String, u32>,
    /// All variables in shared memory that the kernel has, for messages.
    pub(super) shared_variables: Vec<SharedVariable>,
    /// End of the shared memory that has been allocated, as on a GPU.
    pub(super) shared_bytes: u32,
    /// Bytes that the next variable is moved up by: the gaps before it.
    pub(super) shared_shift: u32,
    /// Places of the variables in shared memory, with gaps between them.
    pub(super) shared_places: Vec<Range<u32>>,
    /// Bytes of it that are reserved for the system: at its start, as on a GPU.
    pub(super) reserved_shared_bytes: u32,
    /// The alignment of the dynamic shared memory behind it.
    pub(super) dynamic_align: u32,
    pub(super) local_bytes: u32,
    /// The part of these that the parameters of calls take.
    pub(super) parcel_bytes: u32,
    /// The carry flag, if used.
    carry: Option<Slot>,
    /// The operations of the current instruction, and where control goes from it.
    pub(super) out: Vec<Inst>,
    pub(super) flow: Flow,
    pub(super) guard: Predicate,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(layout: &'a Layout, functions: &'a Functions<'a>) -> Decoder<'a> {
        Decoder {
            layout,
            functions,
            callables: Vec::new(),
            by_function: HashMap::new(),
            sites: Vec::new(),
            tables: Vec::new(),
            matrices: Vec::new(),
            asynchronous: Vec::new(),
            branch_targets: HashMap::new(),
            frame: None,
            is_function: false,
            stack_pointer: None,
            parcels: HashMap::new(),
            scopes: Scopes::default(),
            module: ScopeId(0),
            scope: ScopeId(0),
            labels: HashMap::new(),
            registers: HashMap::new(),
            constant_w: HashMap::new(),
            constant_d: HashMap::new(),
            next: [1, 0, 0],
            shared: HashMap::new(),
            shared_variables: Vec::new(),
            shared_bytes: 0,
            shared_shift: 0,
            shared_places: Vec::new(),
            reserved_shared_bytes: 0,
            dynamic_align: LEAST_DYNAMIC_ALIGN,
            local_bytes: 0,
            parcel_bytes: 0,
            carry: None,
            out: Vec::new(),
            flow: Flow::Next,
            guard: Predicate::TRUE,
        }
    }

    /// Lists the instructions of a body, binds its names, and notes where its labels are.
    pub(super) fn flatten<'b>(
        &mut self,
        body: &'b [Statement],
        scope: ScopeId,
        source: &mut Sources,
        flat: &mut Vec<Flat<'b>>,
    ) -> Result<(), LoadError> {
        for statement in body {
            match &statement.kind {
                StatementKind::Registers(registers) => self.scopes.declare(scope, registers)?,
                StatementKind::Variable(variable) => self.place(variable, statement.position, scope)?,
                StatementKind::Label(name) => {
                    self.labels.insert((scope, name.to_string()), flat.len());
                }
                StatementKind::Instruction(instruction) => {
                    let text = Arc::from(spell(instruction));
                    let Sources { line, call, .. } = &*source;
                    let (source, calls) = (line.clone(), call.clone());
                    let code = Code { ptx_line: statement.position.line, instruction: text, source, calls };
                    flat.push(Flat { instruction, scope, code, column: statement.position.column });
                }
                StatementKind::Block(inner) => {
                    let inner_scope = self.scopes.open(Some(scope));
                    self.flatten(inner, inner_scope, source, flat)?;
                }
                StatementKind::Location(location) => {
                    (source.line, source.call) = (self.source_line(location), Arc::default());
                }
                StatementKind::InlinedLocation(inlined) => {
                    let call = source.outermost_call(inlined);
                    source.line = self.source_line(&inlined.location);
                    source.call = self.source_line(&call).into_iter().collect();
                }
                StatementKind::BranchTargets { name, targets } => {
                    self.branch_targets.insert((scope, name.to_string()), targets.clone());
                }
                StatementKind::Pragma(_)
                | StatementKind::CallTargets { .. }
                | StatementKind::CallPrototype { .. } => {}
            }
        }
        Ok(())
    }

    /// Opens the scope of a module, in which those of its functions are: its registers, and its variables in local memory.
    pub(super) fn open_module(&mut self) -> Result<(), LoadError> {
        let layout = self.layout;
        self.module = self.scopes.open(None);
        for registers in &layout.registers {
            self.scopes.declare(self.module, registers)?;
        }
        for variable in &layout.locals {
            self.place_local(variable, self.module)?;
        }
        Ok(())
    }

    /// Gives the shared memory that is reserved for the system its place, before anything else has one.
    pub(super) fn reserve_shared(&mut self) {
        (self.reserved_shared_bytes, self.shared_bytes) = (names::RESERVED_SHARED, names::RESERVED_SHARED);
    }

    /// Gives so many bytes of shared memory a place, behind a gap if they are not the first: an access beyond the end of a variable then meets
    /// nothing. None if they become too many.
    fn place_shared(&mut self, bytes: u32, align: u32) -> Option<u32> {
        if !self.shared_places.is_empty() {
            self.shared_shift = next_shift(self.shared_shift, align)?;
        }
        let offset = after(&mut self.shared_bytes, bytes, align)?.checked_add(self.shared_shift)?;
        self.shared_places.push(offset..offset.checked_add(bytes)?);
        Some(offset)
    }

    /// The shift of the dynamic shared memory, behind all variables.
    pub(super) fn dynamic_shift(&self) -> u32 {
        match self.shared_places.is_empty() {
            true => 0,
            false => next_shift(self.shared_shift, self.dynamic_align).unwrap_or(self.shared_shift),
        }
    }

    fn source_line(&self, location: &tree::Location) -> Option<SourceLine> {
        let file = self.layout.files.get(&location.file)?.clone();
        Some(SourceLine { file, line: location.line, column: location.column })
    }

    /// Gives a variable of the function its place.
    fn place(
        &mut self,
        variable: &tree::Variable,
        position: tree::Position,
        scope: ScopeId,
    ) -> Result<(), LoadError> {
        match variable.space {
            StateSpace::Shared | StateSpace::SharedCta => {}
            StateSpace::Global | StateSpace::Const => {
                let placed = self.layout.inner.get(&(position, variable.name.clone()));
                let &placed = placed.ok_or_else(|| declaration(variable, "no place in the module"))?;
                self.scopes.bind(scope, variable.name.as_str(), Binding::Variable(placed));
                return Ok(());
            }
            StateSpace::Local => return self.place_local(variable, scope).map(|_| ()),
            StateSpace::Param | StateSpace::ParamFunc => {
                return self.place_parcel(variable, scope).map(|_| ());
            }
            StateSpace::Reg | StateSpace::SharedCluster | StateSpace::ParamEntry | StateSpace::Tex => {
                return Err(declaration(variable, "this state space has no variables of a function"));
            }
        }
        let address = if variable.linkage == tree::Linkage::Extern {
            Constant::DynamicShared
        } else {
            let (bytes, align) = size_and_align(variable)?;
            let offset = self
                .place_shared(bytes, align)
                .ok_or_else(|| declaration(variable, "more than 64 MiB of memory"))?;
            self.note_shared(variable.name.as_str(), Some((offset, bytes)));
            Constant::Immediate(u64::from(offset))
        };
        let variable_here = Variable { space: StateSpace::Shared, address, frame: None };
        self.scopes.bind(scope, variable.name.as_str(), Binding::Variable(variable_here));
        Ok(())
    }

    /// Gives a variable its place in the local memory of the function.
    fn place_local(&mut self, variable: &tree::Variable, scope: ScopeId) -> Result<Variable, LoadError> {
        let end = match &mut self.frame {
            Some(frame) => &mut frame.bytes,
            None => &mut self.local_bytes,
        };
        let (offset, _) = place_after(end, variable)?;
        let address = Constant::Immediate(u64::from(offset));
        let frame = self.frame.map(|frame| frame.base);
        let place = Variable { space: StateSpace::Local, address, frame };
        self.scopes.bind(scope, variable.name.as_str(), Binding::Variable(place));
        Ok(place)
    }

    /// Gives a parameter of a call its place: they are in local memory.
    pub(super) fn place_parcel(
        &mut self,
        variable: &tree::Variable,
        scope: ScopeId,
    ) -> Result<Parcel, LoadError> {
        let (bytes, _) = size_and_align(variable)?;
        let before = self.local_bytes;
        let place = self.place_local(variable, scope)?;
        self.parcel_bytes += self.local_bytes - before;
        self.parcels.insert((place.frame, place.address), bytes);
        let parcel = self.parcel_of(variable.name.as_str(), place);
        parcel.ok_or_else(|| declaration(variable, "no place in local memory"))
    }

    /// A variable as an argument or result of a call.
    pub(super) fn parcel_of(&self, _name: &str, variable: Variable) -> Option<Parcel> {
        let &bytes = self.parcels.get(&(variable.frame, variable.address))?;
        match (variable.space, variable.address) {
            (StateSpace::Local, Constant::Immediate(offset)) => {
                Some(Parcel::Memory { base: variable.frame, offset, bytes })
            }
            _ => None,
        }
    }

    /// The register that says where the free part of local memory starts.
    pub(super) fn stack_pointer(&mut self) -> Result<Slot, Refusal> {
        if let Some(slot) = self.stack_pointer {
            return Ok(slot);
        }
        let slot = self.fresh(Class::D)?;
        self.stack_pointer = Some(slot);
        Ok(slot)
    }

    /// The labels of a list.
    pub(super) fn branch_targets(&self, name: &str) -> Result<Vec<tree::Name>, Refusal> {
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            if let Some(targets) = self.branch_targets.get(&(scope, name.to_string())) {
                return Ok(targets.clone());
            }
            at = self.scopes.parent(scope);
        }
        Err(Refusal::new(format!("there is no list of labels `{name}`")))
    }

    fn note_shared(&mut self, name: &str, place: Option<(u32, u32)>) {
        if self.shared_variables.iter().all(|known| known.name != name) {
            self.shared_variables.push(SharedVariable { name: name.to_owned(), place });
        }
    }

    /// The register or variable that a name stands for here.
    pub(super) fn find(&mut self, name: &str) -> Result<Binding, Refusal> {
        if let Some(binding) = self.scopes.find(self.scope, name) {
            return Ok(binding);
        }
        if let Some(&variable) = self.layout.variables.get(name) {
            if variable.address == Constant::DynamicShared {
                let align = self.layout.shared.get(name).map_or(1, |&(_, align)| align);
                self.dynamic_align = self.dynamic_align.max(align);
                self.note_shared(name, None);
            }
            return Ok(Binding::Variable(variable));
        }
        if let Some(&(bytes, align)) = self.layout.shared.get(name) {
            let offset = match self.shared.get(name) {
                Some(&offset) => offset,
                None => {
                    let offset = self
                        .place_shared(bytes, align)
                        .ok_or_else(|| Refusal::new("more than 64 MiB of shared memory".to_owned()))?;
                    self.shared.insert(name.to_string(), offset);
                    self.note_shared(name, Some((offset, bytes)));
                    offset
                }
            };
            let address = Constant::Immediate(u64::from(offset));
            return Ok(Binding::Variable(Variable { space: StateSpace::Shared, address, frame: None }));
        }
        if let Some(id) = self.functions.find(name) {
            let address = Constant::Immediate(id.address());
            return Ok(Binding::Variable(Variable { space: StateSpace::Global, address, frame: None }));
        }
        Err(Refusal::new(format!("`{name}` is not declared")))
    }

    /// The instruction that a label stands before.
    pub(super) fn label(&self, name: &str) -> Result<usize, Refusal> {
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            if let Some(&index) = self.labels.get(&(scope, name.to_string())) {
                return Ok(index);
            }
            at = self.scopes.parent(scope);
        }
        Err(Refusal::new(format!("there is no label `{name}`")))
    }

    /// The slot of a declared register.
    pub(super) fn slot(&mut self, register: RegisterId) -> Result<Slot, Refusal> {
        if let Some(&slot) = self.registers.get(&register) {
            return Ok(slot);
        }
        let slot = self.fresh(register.class)?;
        self.registers.insert(register, slot);
        Ok(slot)
    }

    /// A slot that no name has.
    pub(super) fn fresh(&mut self, class: Class) -> Result<Slot, Refusal> {
        let next = &mut self.next[class as usize];
        let slot =
            u16::try_from(*next).map_err(|_| Refusal::new("more than 65,536 registers of one class"))?;
        *next += 1;
        Ok(Slot(slot))
    }

    /// The slot that always holds this.
    pub(super) fn constant(&mut self, class: Class, constant: Constant) -> Result<Slot, Refusal> {
        let constant = match (class, constant) {
            (Class::W, Constant::Immediate(value)) => Constant::Immediate(value & 0xffff_ffff),
            (Class::P | Class::W | Class::D, constant) => constant,
        };
        let known = if class == Class::D { &self.constant_d } else { &self.constant_w };
        if let Some(&slot) = known.get(&constant) {
            return Ok(slot);
        }
        let slot = self.fresh(class)?;
        let known = if class == Class::D { &mut self.constant_d } else { &mut self.constant_w };
        known.insert(constant, slot);
        Ok(slot)
    }

    /// The carry flag of `add.cc` and its like.
    pub(super) fn carry_flag(&mut self) -> Result<Slot, Refusal> {
        if let Some(slot) = self.carry {
            return Ok(slot);
        }
        let slot = self.fresh(Class::P)?;
        self.carry = Some(slot);
        Ok(slot)
    }

    /// Bytes of the constants of the module.
    pub(super) fn constant_bytes(&self) -> u64 {
        self.layout.constant_bytes
    }

    /// Adds an operation under the guard of the current instruction.
    pub(super) fn push(&mut self, op: Op) {
        self.out.push(Inst { op, guard: self.guard });
    }

    pub(super) fn constants(self) -> [Vec<(Slot, Constant)>; 2] {
        let sorted = |map: HashMap<Constant, Slot>| {
            let mut list: Vec<(Slot, Constant)> =
                map.into_iter().map(|(constant, slot)| (slot, constant)).collect();
            list.sort_by_key(|(slot, _)| slot.0);
            list
        };
        [sorted(self.constant_w), sorted(self.constant_d)]
    }

    /// The 32-bit slots that hold numbers.
    pub(super) fn immediates(&self) -> HashMap<Slot, u64> {
        let number = |(constant, slot): (&Constant, &Slot)| match *constant {
            Constant::Immediate(value) => Some((*slot, value)),
            Constant::Variable(_) | Constant::DynamicShared | Constant::Special(_) => None,
        };
        self.constant_w.iter().filter_map(number).collect()
    }

    /// The slots that hold what is the same in all lanes of a warp.
    pub(super) fn uniform_slots(&self) -> HashSet<(Class, Slot)> {
        let narrow = self.constant_w.iter().map(|(constant, &slot)| (constant, (Class::W, slot)));
        let wide = self.constant_d.iter().map(|(constant, &slot)| (constant, (Class::D, slot)));
        narrow.chain(wide).filter(|(constant, _)| !constant.varies()).map(|(_, slot)| slot).collect()
    }

    /// The slots that hold constants, with their classes.
    pub(super) fn constant_slots(&self) -> HashSet<(Class, Slot)> {
        let narrow = self.constant_w.values().map(|&slot| (Class::W, slot));
        let wide = self.constant_d.values().map(|&slot| (Class::D, slot));
        narrow.chain(wide).collect()
    }
}

/// The opcode with its modifiers.
pub(super) fn spell(instruction: &tree::Instruction) -> String {
    let mut text = instruction.opcode.as_str().to_string();
    for modifier in &instruction.modifiers {
        text.push('.');
        text.push_str(&modifier.to_string());
    }
    text
}

/// The shift of a variable of shared memory whose predecessor has this one: by a gap of a line of all banks, so that each stays at the bank
/// where it is on a GPU.
fn next_shift(shift: u32, align: u32) -> Option<u32> {
    shift.checked_add(SHARED_GAP)?.checked_next_multiple_of(align.max(SHARED_GAP))
}

/// Bytes between two variables of shared memory: 32 banks of four.
const SHARED_GAP: u32 = 128;
