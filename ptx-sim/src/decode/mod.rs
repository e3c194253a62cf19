//! Decoding: the PTX tree becomes flat lists of compact operations, with every name resolved.

mod access;
mod asynchronous;
mod calls;
mod compare;
mod control;
mod convert;
mod estimate;
mod flow;
mod forms;
mod function;
mod graph;
mod kernel;
mod matrix;
mod names;
mod operand;
mod packed;
mod video;
mod words;

use std::collections::HashMap;
use std::sync::Arc;

use ptx::tree::{
    self, Immediate, Initializer, Linkage, Position, ScalarType, StateSpace, Statement, StatementKind,
};

use super::fault::LoadError;
use super::program::{Constant, Image, ImageVariable, Kernel, Relocation};
pub(crate) use estimate::touched;
use graph::Functions;
pub(super) use names::RESERVED_SHARED;
use names::Variable;

/// Why an instruction is refused that has no form here at all.
pub(super) const UNKNOWN: &str = "the simulator does not have this instruction";

/// Decodes the kernels of a module and the image of its variables.
pub(super) fn decode_module(module: &tree::Module) -> Result<(Vec<Kernel>, Image), LoadError> {
    let mut layout = Layout::default();
    // Constants first: `isspacep` knows them by their place.
    layout.place_all(module, |space| space == StateSpace::Const)?;
    layout.place_inner(module, StateSpace::Const)?;
    layout.constant_bytes = layout.image.bytes.len() as u64;
    layout.place_all(module, |space| space != StateSpace::Const)?;
    layout.place_inner(module, StateSpace::Global)?;
    for item in &module.items {
        match item {
            tree::Item::File(file) => {
                layout.files.insert(file.index, Arc::from(file.path.as_str()));
            }
            tree::Item::Registers(registers) => layout.registers.push(registers.clone()),
            tree::Item::Variable(_)
            | tree::Item::Function(_)
            | tree::Item::Pragma(_)
            | tree::Item::Alias { .. }
            | tree::Item::Section(_) => {}
        }
    }
    if let Some(name) = layout.external.iter().find(|name| !layout.variables.contains_key(*name)) {
        return Err(LoadError::Declaration {
            name: name.clone(),
            problem: "an external variable that no definition in this module stands for".to_string(),
        });
    }
    let mut functions = Functions::new(module);
    layout.initialize(&mut functions)?;
    let mut kernels = Vec::new();
    for item in &module.items {
        match item {
            tree::Item::Function(function) if function.is_entry => {
                if let Some(body) = &function.body {
                    kernels.push(kernel::decode(function, body, &layout, &functions)?);
                }
            }
            // Functions matter only when something calls them, which the call reports.
            tree::Item::Function(_)
            | tree::Item::Variable(_)
            | tree::Item::Registers(_)
            | tree::Item::File(_)
            | tree::Item::Pragma(_)
            | tree::Item::Alias { .. }
            | tree::Item::Section(_) => {}
        }
    }
    Ok((kernels, layout.image))
}

/// Memory layout of the variables of a module.
#[derive(Default)]
struct Layout {
    files: HashMap<u32, Arc<str>>,
    variables: HashMap<String, Variable>,
    /// Sizes and alignments of the module's shared variables; every kernel places those that it names.
    shared: HashMap<String, (u32, u32)>,
    image: Image,
    /// Bytes of `.const` variables, at the start of the image.
    constant_bytes: u64,
    /// Variables that are declared only.
    external: Vec<String>,
    /// Registers of the module, and its variables in local memory: every thread of every kernel has them.
    registers: Vec<tree::Registers>,
    locals: Vec<tree::Variable>,
    /// Variables of global and constant memory that are declared in functions, by where and by name.
    inner: HashMap<(Position, tree::Name), Variable>,
    pending: Vec<(usize, ScalarType, Initializer)>,
}

impl Layout {
    /// Places the variables of the spaces that are chosen.
    fn place_all(
        &mut self,
        module: &tree::Module,
        chosen: impl Fn(StateSpace) -> bool,
    ) -> Result<(), LoadError> {
        for item in &module.items {
            if let tree::Item::Variable(variable) = item
                && chosen(variable.space)
            {
                self.place(variable)?;
            }
        }
        Ok(())
    }

    /// Places the variables of a space that functions declare.
    fn place_inner(&mut self, module: &tree::Module, space: StateSpace) -> Result<(), LoadError> {
        for item in &module.items {
            if let tree::Item::Function(tree::Function { body: Some(body), .. }) = item {
                self.place_in(body, space)?;
            }
        }
        Ok(())
    }

    fn place_in(&mut self, body: &[Statement], space: StateSpace) -> Result<(), LoadError> {
        for statement in body {
            match &statement.kind {
                StatementKind::Variable(variable) if variable.space == space => {
                    let placed = self.place_in_image(variable)?;
                    self.inner.insert((statement.position, variable.name.clone()), placed);
                }
                StatementKind::Block(inner) => self.place_in(inner, space)?,
                StatementKind::Registers(_)
                | StatementKind::Variable(_)
                | StatementKind::Label(_)
                | StatementKind::Instruction(_)
                | StatementKind::Location(_)
                | StatementKind::InlinedLocation(_)
                | StatementKind::Pragma(_)
                | StatementKind::BranchTargets { .. }
                | StatementKind::CallTargets { .. }
                | StatementKind::CallPrototype { .. } => {}
            }
        }
        Ok(())
    }

    /// Gives a variable of global or constant memory its place, and notes its initial value.
    fn place_in_image(&mut self, variable: &tree::Variable) -> Result<Variable, LoadError> {
        let (bytes, align) = size_and_align(variable)?;
        let offset = self.image.bytes.len().next_multiple_of(align as usize);
        let end = offset.saturating_add(bytes as usize);
        if end > MOST_GLOBAL_BYTES {
            return Err(declaration(variable, "more than 1 GiB of variables"));
        }
        self.image.bytes.resize(end, 0);
        let (offset64, bytes) = (offset as u64, u64::from(bytes));
        let name = variable.name.to_string();
        self.image.variables.push(ImageVariable { name, offset: offset64, bytes });
        if let Some(initializer) = &variable.initializer {
            self.pending.push((offset, variable.ty, initializer.clone()));
        }
        Ok(Variable { space: variable.space, address: Constant::Variable(offset64), frame: None })
    }

    fn place(&mut self, variable: &tree::Variable) -> Result<(), LoadError> {
        let name = variable.name.to_string();
        match variable.space {
            StateSpace::Global | StateSpace::Const => {
                if variable.linkage == Linkage::Extern {
                    self.external.push(name);
                    return Ok(());
                }
                let placed = self.place_in_image(variable)?;
                self.variables.insert(name, placed);
            }
            StateSpace::Shared | StateSpace::SharedCta => {
                if variable.linkage == Linkage::Extern {
                    let address = Constant::DynamicShared;
                    let shared = Variable { space: StateSpace::Shared, address, frame: None };
                    self.variables.insert(name.clone(), shared);
                }
                self.shared.insert(name, size_and_align(variable)?);
            }
            StateSpace::Local => self.locals.push(variable.clone()),
            StateSpace::Reg
            | StateSpace::Param
            | StateSpace::SharedCluster
            | StateSpace::ParamEntry
            | StateSpace::ParamFunc
            | StateSpace::Tex => {
                return Err(declaration(variable, "this state space has no variables of a module here"));
            }
        }
        Ok(())
    }

    /// Writes the initial values, after every variable has its place.
    fn initialize(&mut self, functions: &mut Functions<'_>) -> Result<(), LoadError> {
        for (offset, ty, initializer) in std::mem::take(&mut self.pending) {
            self.initialize_at(offset, ty, &initializer, functions)?;
        }
        Ok(())
    }

    fn initialize_at(
        &mut self,
        at: usize,
        ty: ScalarType,
        value: &Initializer,
        functions: &mut Functions<'_>,
    ) -> Result<usize, LoadError> {
        let bytes = (ty.bits() as usize).div_ceil(8);
        match value {
            Initializer::Immediate(immediate) => {
                let raw = immediate_bits(*immediate, ty).to_le_bytes();
                self.write(at, &raw[..bytes.min(8)]);
            }
            Initializer::Address { .. } => self.relocate(at, value, 0, bytes, functions)?,
            Initializer::Masked { mask, value } => {
                let shift = mask.trailing_zeros();
                if mask.checked_shr(shift) != Some(0xff) {
                    return Err(LoadError::Declaration {
                        name: format!("{mask:#x}(…)"),
                        problem: "a mask of an initial value selects one byte".to_string(),
                    });
                }
                match **value {
                    Initializer::Immediate(immediate) => {
                        let raw = immediate_bits(immediate, ScalarType::B64) >> shift;
                        self.write(at, &[raw as u8]);
                    }
                    Initializer::Address { .. } | Initializer::Masked { .. } | Initializer::List(_) => {
                        self.relocate(at, value, shift, 1, functions)?;
                    }
                }
            }
            Initializer::List(values) => {
                let mut at = at;
                for value in values {
                    at = self.initialize_at(at, ty, value, functions)?;
                }
                return Ok(at);
            }
        }
        Ok(at + bytes)
    }

    /// Notes that some bytes of an address belong at a place.
    fn relocate(
        &mut self,
        at: usize,
        value: &Initializer,
        shift: u32,
        bytes: usize,
        functions: &mut Functions<'_>,
    ) -> Result<(), LoadError> {
        let unknown = |name: String| LoadError::Declaration {
            name,
            problem: "its address is not known when the module is loaded".to_string(),
        };
        let Initializer::Address { name, offset, generic: _ } = value else {
            return Err(unknown(format!("{value:?}")));
        };
        if let Some(id) = functions.find(name.as_str()) {
            functions.point_at(id);
            let raw = (id.address().wrapping_add_signed(*offset) >> shift).to_le_bytes();
            self.write(at, &raw[..bytes.min(8)]);
            return Ok(());
        }
        let Some(Variable { address: Constant::Variable(place), .. }) = self.variables.get(name.as_str())
        else {
            return Err(unknown(name.to_string()));
        };
        let offset = place.wrapping_add_signed(*offset);
        self.image.relocations.push(Relocation { at, bytes, offset, shift });
        Ok(())
    }

    fn write(&mut self, at: usize, bytes: &[u8]) {
        if let Some(place) = self.image.bytes.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }
}

fn declaration(variable: &tree::Variable, problem: &str) -> LoadError {
    LoadError::Declaration { name: variable.name.to_string(), problem: problem.to_string() }
}

/// The size and alignment of a variable in bytes. `[]` without an initial value has size 0, with one as many as it.
fn size_and_align(variable: &tree::Variable) -> Result<(u32, u32), LoadError> {
    let element = u64::from(variable.ty.bits().div_ceil(8)) * u64::from(variable.vector);
    let given = match &variable.initializer {
        Some(Initializer::List(values)) => values.len() as u64,
        Some(Initializer::Immediate(_) | Initializer::Address { .. } | Initializer::Masked { .. }) | None => {
            0
        }
    };
    let mut bytes = Some(element);
    for dimension in &variable.dimensions {
        bytes = bytes.and_then(|bytes| bytes.checked_mul(dimension.unwrap_or(given)));
    }
    let align = variable.align.unwrap_or(element as u32).max(1);
    let bytes = bytes.and_then(|bytes| u32::try_from(bytes).ok());
    let bytes = bytes.ok_or_else(|| declaration(variable, "more than 4 GiB"))?;
    if !align.is_power_of_two() {
        return Err(declaration(variable, "the alignment is no power of two"));
    }
    if align > MOST_ALIGN {
        return Err(declaration(variable, "an alignment beyond 1 MiB"));
    }
    Ok((bytes, align))
}

/// No variable wants more: what swizzles tiles wants 1 KiB.
const MOST_ALIGN: u32 = 1 << 20;
/// The memory of a thread, a block or the parameters at most: hundreds of times what a GPU has.
const MOST_BYTES: u32 = 1 << 26;
/// The variables in global memory at most.
const MOST_GLOBAL_BYTES: usize = 1 << 30;

/// Places a variable behind others.
fn place_after(end: &mut u32, variable: &tree::Variable) -> Result<(u32, u32), LoadError> {
    let (bytes, align) = size_and_align(variable)?;
    let offset =
        after(end, bytes, align).ok_or_else(|| declaration(variable, "more than 64 MiB of memory"))?;
    Ok((offset, bytes))
}

/// Adds bytes behind others; none if they become too many.
fn after(end: &mut u32, bytes: u32, align: u32) -> Option<u32> {
    let offset = end.checked_next_multiple_of(align)?;
    *end = offset.checked_add(bytes).filter(|&end| end <= MOST_BYTES)?;
    Some(offset)
}

/// The bits of a literal as a value of type `ty`.
fn immediate_bits(immediate: Immediate, ty: ScalarType) -> u64 {
    match (immediate, ty) {
        (Immediate::Int(value), ScalarType::F32) => u64::from((value as f32).to_bits()),
        (Immediate::Int(value), ScalarType::F64) => (value as f64).to_bits(),
        (Immediate::Int(value), _) => value as u64,
        (Immediate::Unsigned(value), _) => value,
        (Immediate::F32(bits), ScalarType::F64) => f64::from(f32::from_bits(bits)).to_bits(),
        (Immediate::F32(bits), _) => u64::from(bits),
        (Immediate::F64(bits), ScalarType::F32) => u64::from((f64::from_bits(bits) as f32).to_bits()),
        (Immediate::F64(bits), _) => bits,
    }
}
