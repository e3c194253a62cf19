//! Decoding one kernel: names into scopes, statements into a flat list, instructions into operations, blocks into order.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ptx_gen::ptx::tree::{self, FunctionDirective, StateSpace, Statement, StatementKind};

use super::flow::{self, Flow};
use super::names::{Binding, RegisterId, ScopeId, Scopes, Variable};
use super::{Layout, declaration, size_and_align};
use crate::backend::sim::fault::{Code, LoadError, SourceLine};
use crate::backend::sim::op::{Inst, Op, Predicate};
use crate::backend::sim::program::{Constant, Kernel, KernelInfo, Origin, Parameter};
use crate::backend::sim::registers::{Class, FileSizes, Slot};

/// Why an instruction cannot be decoded; where it stands is added by whoever knows.
#[derive(Debug)]
pub(super) struct Refusal(pub(super) String);

impl Refusal {
    pub(super) fn new(problem: impl Into<String>) -> Refusal {
        Refusal(problem.into())
    }
}

/// An instruction in the flat list of a function.
struct Flat<'a> {
    instruction: &'a tree::Instruction,
    scope: ScopeId,
    code: Code,
}

/// Decodes a kernel.
pub(super) fn decode(
    function: &tree::Function,
    body: &[Statement],
    layout: &Layout,
) -> Result<Kernel, LoadError> {
    let name: Arc<str> = Arc::from(function.name.as_str());
    let mut decoder = Decoder::new(layout);
    let root = decoder.scopes.open(None);
    let (parameters, parameter_bytes) = place_parameters(function, &mut decoder, root)?;
    let mut flat = Vec::new();
    decoder.flatten(body, root, &mut None, &mut flat)?;

    let mut pieces = Vec::with_capacity(flat.len());
    let mut flows = Vec::with_capacity(flat.len());
    for item in &flat {
        let refuse = |Refusal(problem): Refusal| LoadError::Instruction {
            line: item.code.ptx_line,
            instruction: item.code.instruction.to_string(),
            problem,
        };
        decoder.scope = item.scope;
        decoder.flow = Flow::Next;
        decoder.instruction(item.instruction).map_err(refuse)?;
        pieces.push(std::mem::take(&mut decoder.out));
        flows.push(decoder.flow);
    }
    // Falling off the end is leaving.
    flows.push(Flow::Exit { conditional: false });
    pieces.push(vec![Inst { op: Op::Exit, guard: Predicate::TRUE }]);
    let mut listing: Vec<Code> = flat.into_iter().map(|item| item.code).collect();
    listing.push(Code { instruction: Arc::from("}"), ..listing.last().cloned().unwrap_or_default() });

    let (code, origins) = lay_out(&flows, &pieces);
    let sizes = FileSizes {
        p: decoder.next[Class::P as usize],
        w: decoder.next[Class::W as usize],
        d: decoder.next[Class::D as usize],
    };
    let has_global_atomics = code.iter().any(|inst| super::access::is_global_atomic(&inst.op));
    let liveness = super::estimate::registers(&code, &decoder.constant_slots());
    let mut info = KernelInfo {
        name,
        parameters,
        parameter_bytes,
        static_shared_bytes: decoder.shared_bytes,
        local_bytes: decoder.local_bytes,
        max_threads: None,
        required_threads: None,
        min_blocks_per_sm: None,
        max_registers: None,
        register_estimate: liveness.pressure,
        barriers: super::estimate::barriers(&code, &decoder.immediates()),
        has_global_atomics,
    };
    for directive in &function.directives {
        apply_directive(&mut info, directive);
    }
    let [constants_w, constants_d] = decoder.constants();
    let undefined = liveness.entry;
    Ok(Kernel { info, code, origins, listing, sizes, constants_w, constants_d, undefined })
}

fn apply_directive(info: &mut KernelInfo, directive: &FunctionDirective) {
    match *directive {
        FunctionDirective::MaxThreads(threads) => info.max_threads = Some(threads),
        FunctionDirective::RequiredThreads(threads) => info.required_threads = Some(threads),
        FunctionDirective::MinBlocksPerSm(blocks) | FunctionDirective::MaxBlocksPerSm(blocks) => {
            info.min_blocks_per_sm = Some(blocks);
        }
        FunctionDirective::MaxRegisters(registers) => info.max_registers = Some(registers),
        FunctionDirective::RequiredCluster(_)
        | FunctionDirective::MaxClusterRank(_)
        | FunctionDirective::ExplicitCluster
        | FunctionDirective::BlocksAreClusters
        | FunctionDirective::AbiPreserve(_)
        | FunctionDirective::AbiPreserveControl(_)
        | FunctionDirective::NoReturn
        | FunctionDirective::Pragma(_) => {}
    }
}

fn place_parameters(
    function: &tree::Function,
    decoder: &mut Decoder<'_>,
    root: ScopeId,
) -> Result<(Vec<Parameter>, u32), LoadError> {
    let mut parameters = Vec::new();
    let mut end = 0u32;
    for variable in &function.parameters {
        let (bytes, align) = size_and_align(variable)?;
        let offset = end.next_multiple_of(align);
        end = offset
            .checked_add(bytes)
            .ok_or_else(|| declaration(variable, "more than 4 GiB of parameters"))?;
        let address = Constant::Immediate(u64::from(offset));
        let binding = Binding::Variable(Variable { space: StateSpace::Param, address });
        decoder.scopes.bind(root, variable.name.as_str(), binding);
        parameters.push(Parameter { name: variable.name.to_string(), offset, bytes });
    }
    Ok((parameters, end))
}

/// Puts the blocks in order and turns targets into indices of operations.
fn lay_out(flows: &[Flow], pieces: &[Vec<Inst>]) -> (Vec<Inst>, Vec<Origin>) {
    let blocks = flow::order(flows);
    let mut code = Vec::new();
    let mut origins = Vec::new();
    // Where each block starts in the result; branches only go to starts of blocks.
    let mut starts = HashMap::new();
    let mut patches = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        starts.insert(block.start, code.len() as u32);
        for instruction in block.clone() {
            for (part, inst) in pieces[instruction].iter().enumerate() {
                if let Flow::Branch { target, .. } = flows[instruction] {
                    patches.push((code.len(), target));
                }
                code.push(*inst);
                origins.push(Origin { instruction: instruction as u32, counts: part == 0 });
            }
        }
        let falls = match flows[block.end - 1] {
            Flow::Next => true,
            Flow::Branch { conditional, .. } | Flow::Exit { conditional } => conditional,
        };
        let next = blocks.get(index + 1).map(|block| block.start);
        if falls && next != Some(block.end) {
            patches.push((code.len(), block.end));
            code.push(Inst { op: Op::Branch { target: 0 }, guard: Predicate::TRUE });
            origins.push(Origin { instruction: (block.end - 1) as u32, counts: false });
        }
    }
    for (at, place) in patches {
        if let (Op::Branch { target }, Some(&start)) = (&mut code[at].op, starts.get(&place)) {
            *target = start;
        }
    }
    (code, origins)
}

/// The state of decoding one kernel.
pub(super) struct Decoder<'a> {
    layout: &'a Layout,
    pub(super) scopes: Scopes,
    pub(super) scope: ScopeId,
    labels: HashMap<(ScopeId, String), usize>,
    registers: HashMap<RegisterId, Slot>,
    constant_w: HashMap<Constant, Slot>,
    constant_d: HashMap<Constant, Slot>,
    /// Slots given out, by class. Slot 0 of the predicates is the true one.
    next: [usize; 3],
    /// Module-scope shared variables that this kernel names.
    shared: HashMap<String, u32>,
    shared_bytes: u32,
    local_bytes: u32,
    /// The carry flag, if used.
    carry: Option<Slot>,
    /// The operations of the current instruction, and where control goes from it.
    pub(super) out: Vec<Inst>,
    pub(super) flow: Flow,
    pub(super) guard: Predicate,
}

impl<'a> Decoder<'a> {
    fn new(layout: &'a Layout) -> Decoder<'a> {
        Decoder {
            layout,
            scopes: Scopes::default(),
            scope: ScopeId(0),
            labels: HashMap::new(),
            registers: HashMap::new(),
            constant_w: HashMap::new(),
            constant_d: HashMap::new(),
            next: [1, 0, 0],
            shared: HashMap::new(),
            shared_bytes: 0,
            local_bytes: 0,
            carry: None,
            out: Vec::new(),
            flow: Flow::Next,
            guard: Predicate::TRUE,
        }
    }

    /// Lists the instructions of a body, binds its names, and notes where its labels are.
    fn flatten<'b>(
        &mut self,
        body: &'b [Statement],
        scope: ScopeId,
        source: &mut Option<SourceLine>,
        flat: &mut Vec<Flat<'b>>,
    ) -> Result<(), LoadError> {
        for statement in body {
            match &statement.kind {
                StatementKind::Registers(registers) => self.scopes.declare(scope, registers)?,
                StatementKind::Variable(variable) => self.place(variable, scope)?,
                StatementKind::Label(name) => {
                    self.labels.insert((scope, name.to_string()), flat.len());
                }
                StatementKind::Instruction(instruction) => {
                    let text = Arc::from(spell(instruction));
                    let code =
                        Code { ptx_line: statement.position.line, instruction: text, source: source.clone() };
                    flat.push(Flat { instruction, scope, code });
                }
                StatementKind::Block(inner) => {
                    let inner_scope = self.scopes.open(Some(scope));
                    self.flatten(inner, inner_scope, source, flat)?;
                }
                StatementKind::Location(location) => *source = self.source_line(location),
                StatementKind::InlinedLocation(inlined) => *source = self.source_line(&inlined.location),
                StatementKind::Pragma(_)
                | StatementKind::BranchTargets { .. }
                | StatementKind::CallTargets { .. }
                | StatementKind::CallPrototype { .. } => {}
            }
        }
        Ok(())
    }

    fn source_line(&self, location: &tree::Location) -> Option<SourceLine> {
        let file = self.layout.files.get(&location.file)?.clone();
        Some(SourceLine { file, line: location.line, column: location.column })
    }

    /// Gives a variable of the function its place.
    fn place(&mut self, variable: &tree::Variable, scope: ScopeId) -> Result<(), LoadError> {
        let (bytes, align) = size_and_align(variable)?;
        let (space, end) = match variable.space {
            StateSpace::Shared | StateSpace::SharedCta => (StateSpace::Shared, &mut self.shared_bytes),
            StateSpace::Local => (StateSpace::Local, &mut self.local_bytes),
            StateSpace::Param | StateSpace::ParamFunc => {
                return Err(declaration(variable, "parameters of calls are not simulated yet"));
            }
            StateSpace::Reg
            | StateSpace::Global
            | StateSpace::Const
            | StateSpace::SharedCluster
            | StateSpace::ParamEntry
            | StateSpace::Tex => {
                return Err(declaration(variable, "this state space has no variables of a function"));
            }
        };
        let address = if variable.linkage == tree::Linkage::Extern && space == StateSpace::Shared {
            Constant::DynamicShared
        } else {
            let offset = end.next_multiple_of(align);
            *end = offset
                .checked_add(bytes)
                .ok_or_else(|| declaration(variable, "more than 4 GiB of memory"))?;
            Constant::Immediate(u64::from(offset))
        };
        self.scopes.bind(scope, variable.name.as_str(), Binding::Variable(Variable { space, address }));
        Ok(())
    }

    /// The register or variable that a name stands for here.
    pub(super) fn find(&mut self, name: &str) -> Result<Binding, Refusal> {
        if let Some(binding) = self.scopes.find(self.scope, name) {
            return Ok(binding);
        }
        if let Some(&variable) = self.layout.variables.get(name) {
            return Ok(Binding::Variable(variable));
        }
        if let Some(&(bytes, align)) = self.layout.shared.get(name) {
            let offset = match self.shared.get(name) {
                Some(&offset) => offset,
                None => {
                    let offset = self.shared_bytes.next_multiple_of(align);
                    self.shared_bytes = offset.saturating_add(bytes);
                    self.shared.insert(name.to_string(), offset);
                    offset
                }
            };
            let address = Constant::Immediate(u64::from(offset));
            return Ok(Binding::Variable(Variable { space: StateSpace::Shared, address }));
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

    fn constants(self) -> [Vec<(Slot, Constant)>; 2] {
        let sorted = |map: HashMap<Constant, Slot>| {
            let mut list: Vec<(Slot, Constant)> =
                map.into_iter().map(|(constant, slot)| (slot, constant)).collect();
            list.sort_by_key(|(slot, _)| slot.0);
            list
        };
        [sorted(self.constant_w), sorted(self.constant_d)]
    }

    /// The 32-bit slots that hold numbers.
    fn immediates(&self) -> HashMap<Slot, u64> {
        let number = |(constant, slot): (&Constant, &Slot)| match *constant {
            Constant::Immediate(value) => Some((*slot, value)),
            Constant::Variable(_) | Constant::DynamicShared | Constant::Special(_) => None,
        };
        self.constant_w.iter().filter_map(number).collect()
    }

    /// The slots that hold constants, with their classes.
    fn constant_slots(&self) -> HashSet<(Class, Slot)> {
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
