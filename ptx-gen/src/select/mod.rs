//! Selection: from verified IR to the PTX tree.
//!
//! ```text
//! flow → lower (op, carry, half, compare, convert, extend, flush, address, wide, atomic, warp) → latches → leave_ssa (live) → rotate → layout (invert) → write
//! ```
//!
//! Lowering walks each function backwards into PTX over [virtual registers](machine) that are still in SSA; then the
//! parameters of blocks become copies, blocks get their order, and registers their names. This file makes the frame:
//! module, parameters, shared variables, launch bounds.

mod address;
mod atomic;
mod carry;
mod compare;
mod convert;
mod extend;
mod flow;
mod flush;
mod half;
mod inline;
mod invert;
mod latches;
mod layout;
mod leave_ssa;
mod live;
mod lower;
mod machine;
mod op;
mod outline;
mod rotate;
mod warp;
mod wide;
mod write;

#[cfg(test)]
mod checker;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::analysis::{Cfg, DomTree, Loops};
use crate::ir::{self, Call, EntityMap};
use crate::verify::Verified;
use kernel_abi::tensor_map;
use ptx::target::Arch;
use ptx::tree::{
    File, Function, FunctionDirective, Immediate, Initializer, Instruction, Item, Linkage, Module, Name,
    Opcode, Pointer, Position, ScalarType, StateSpace, Statement, StatementKind, Variable,
};

/// A module as PTX.
pub struct Selected {
    /// The tree.
    pub tree: Module,
    /// The caller of each `.loc` of each function, in the order of the text.
    pub callers: Vec<Vec<Option<Call>>>,
}

/// Selects PTX for a module, with instructions that `target` has where there is a choice. The version and target of the
/// tree are the lowest known here; the instructions may need more.
pub fn select(module: &Verified<'_>, target: Arch) -> Selected {
    let files = module.files.iter().zip(1..);
    let files = files.map(|(path, index)| Item::File(File { index, path: path.clone() }));
    let functions = module.functions.iter().zip(all_names(&module.functions)).enumerate();
    let count = module.functions.len();
    let mut callers = Vec::new();
    let functions = functions.flat_map(|(index, (func, names))| {
        let (functions, of_functions) = function(func, &names, target, [index, count + index]);
        callers.push(of_functions);
        let functions = functions.into_iter().map(Item::Function);
        constants(func, &names).into_iter().chain(dynamic_shared(func, &names)).chain(functions)
    });
    let tree = Module {
        version: Arch::FLOOR.min_ptx(),
        target: vec![Arch::FLOOR.name().to_owned()],
        address_size: 64,
        items: files.chain(functions).collect(),
    };
    Selected { tree, callers }
}

/// The entry, behind the function that its threads call when they panic, and the callers of the locations of both. Their numbers make labels unique
/// in the module.
fn function(
    func: &ir::Function,
    names: &lower::Names,
    target: Arch,
    [index, index_of_panics]: [usize; 2],
) -> (Vec<Function>, Vec<Option<Call>>) {
    let flow = flow::Flow::new(func);
    let mut body = lower::lower(func, &flow, names, target);
    let outlined = if has_checks_in_loops(func, &flow) {
        outline::outline_panics(&mut body, &names.panics)
    } else {
        None
    };
    let mut callers = Vec::new();
    let panics = outlined.map(|outlined| {
        let (body, of_panics) = code(outlined.body, Vec::new(), index_of_panics);
        callers = of_panics;
        Function {
            linkage: Linkage::Internal,
            is_entry: false,
            name: names.panics.clone(),
            returns: Vec::new(),
            parameters: outlined.parameters,
            directives: Vec::new(),
            body: Some(ending_threads(body)),
            position: Position::default(),
        }
    });
    latches::fill_latches(&mut body);
    let (body, of_entry) = code(body, variables(func, names), index);
    let entry = Function {
        linkage: Linkage::Visible,
        is_entry: true,
        name: Name::new(func.name.as_str()),
        returns: Vec::new(),
        parameters: parameters(func, names),
        directives: directives(&func.bounds),
        body: Some(body),
        position: Position::default(),
    };
    callers.extend(of_entry);
    (panics.into_iter().chain([entry]).collect(), callers)
}

/// Returns true if threads may leave a loop by a panic.
fn has_checks_in_loops(func: &ir::Function, flow: &flow::Flow) -> bool {
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg, &DomTree::new(&cfg));
    let mut blocks = loops.loops().iter().flat_map(|around| &around.blocks);
    blocks.any(|&block| cfg.successors(block).iter().any(|&next| flow.cold[next]))
}

/// The statements of a function that ends its thread instead of going back: ptxas keeps fewer registers for the caller.
fn ending_threads(mut statements: Vec<Statement>) -> Vec<Statement> {
    for statement in &mut statements {
        if let StatementKind::Instruction(Instruction { opcode: opcode @ Opcode::Ret, .. }) =
            &mut statement.kind
        {
            *opcode = Opcode::Exit;
        }
    }
    statements
}

/// The statements of a body with these variables, and the callers of its locations.
fn code(
    mut body: machine::Body,
    variables: Vec<Statement>,
    index: usize,
) -> (Vec<Statement>, Vec<Option<Call>>) {
    leave_ssa::leave_ssa(&mut body);
    rotate::rotate(&mut body);
    let layout = layout::lay_out(&mut body);
    let write::Written { mut declarations, statements, callers } = write::write(&body, &layout, index);
    declarations.extend(variables);
    declarations.extend(statements);
    (declarations, callers)
}

/// PTX names of each function's parameters and variables. A symbol is defined once in a module: the kernels keep their names, and
/// of others with equal names the later ones get a number.
fn all_names(functions: &[ir::Function]) -> Vec<lower::Names> {
    let mut taken: HashSet<String> = functions.iter().map(|func| func.name.clone()).collect();
    functions.iter().map(|func| names(func, &mut taken)).collect()
}

/// Parameters and variables are called after the kernel, so that no name of the source is taken for a word of PTX. Local
/// variables, of which several may have one name, have a number too.
fn names(func: &ir::Function, taken: &mut HashSet<String>) -> lower::Names {
    let mut names = lower::Names {
        params: EntityMap::new(),
        shared: EntityMap::new(),
        locals: EntityMap::new(),
        consts: EntityMap::new(),
        panics: Name::new(""),
    };
    let mut name = |name: &str| unique(format!("{}_{}", func.name, identifier(name)), taken);
    names.panics = name("$panics");
    for param in func.params.values() {
        names.params.push(name(&param.name));
    }
    for shared in func.shared.values() {
        names.shared.push(name(&shared.name));
    }
    for (local, data) in func.locals.iter() {
        names.locals.push(name(&format!("{}${local}", data.name)));
    }
    for (var, data) in func.consts.iter() {
        names.consts.push(name(&format!("{}${var}", data.name)));
    }
    names
}

/// The name, with a number if it is taken.
fn unique(name: String, taken: &mut HashSet<String>) -> Name {
    let numbered = (2..).map(|number| format!("{name}${number}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
    let free = free.unwrap_or(name);
    taken.insert(free.clone());
    Name::new(free)
}

/// A name of the source with only characters that PTX allows in one: the others are written as `$` and their number.
fn identifier(name: &str) -> String {
    let mut identifier = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '$') {
            identifier.push(c);
        } else {
            identifier.push_str(&format!("${:x}", u32::from(c)));
        }
    }
    identifier
}

fn parameters(func: &ir::Function, names: &lower::Names) -> Vec<Variable> {
    let parameters = func.params.iter().map(|(param, data)| {
        let is_map = data.map_of.is_some();
        let pointer = data.pointer_align.filter(|_| !is_map);
        Variable {
            linkage: Linkage::Internal,
            space: StateSpace::Param,
            align: is_map.then_some(tensor_map::ALIGN),
            vector: 1,
            ty: if is_map { ScalarType::B8 } else { lower::memory_scalar(data.ty) },
            pointer: pointer.map(|align| Pointer { space: Some(StateSpace::Global), align }),
            managed: false,
            name: names.params[param].clone(),
            dimensions: if is_map { vec![Some(tensor_map::BYTES.into())] } else { Vec::new() },
            initializer: None,
        }
    });
    parameters.collect()
}

/// The constant data that is used; passes read some of it themselves.
fn constants(func: &ir::Function, names: &lower::Names) -> Vec<Item> {
    let mut used = EntityMap::filled(func.consts.len(), false);
    for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        if let ir::InstData::ConstAddress { var } = func.insts[inst] {
            used[var] = true;
        }
    }
    let constants = func.consts.iter().filter(|&(var, _)| used[var]).map(|(var, data)| {
        let bytes = data.bytes.iter().map(|&byte| Initializer::Immediate(Immediate::Int(byte.into())));
        Item::Variable(Variable {
            align: Some(data.align),
            dimensions: vec![Some(data.bytes.len() as u64)],
            initializer: Some(Initializer::List(bytes.collect())),
            ..Variable::new(StateSpace::Const, ScalarType::B8, names.consts[var].clone())
        })
    });
    constants.collect()
}

/// The dynamic shared memory: PTX wants it outside functions.
fn dynamic_shared(func: &ir::Function, names: &lower::Names) -> Vec<Item> {
    let dynamic = func.shared.iter().filter(|(_, data)| data.is_dynamic());
    let dynamic = dynamic.map(|(var, data)| {
        Item::Variable(Variable {
            linkage: Linkage::Extern,
            align: Some(data.align),
            dimensions: vec![None],
            ..Variable::new(StateSpace::Shared, ScalarType::B8, names.shared[var].clone())
        })
    });
    dynamic.collect()
}

/// The static shared variables, and the local ones that are used.
fn variables(func: &ir::Function, names: &lower::Names) -> Vec<Statement> {
    let fixed = || func.shared.iter().filter(|(_, data)| !data.is_dynamic());
    let last = fixed().next_back().map(|(var, _)| var);
    let shared = fixed().map(|(var, data)| {
        let padding = if Some(var) == last { shared_padding(func) } else { 0 };
        variable(StateSpace::Shared, &names.shared[var], data.bytes.saturating_add(padding), data.align)
    });
    let used = used_locals(func);
    let locals = func
        .locals
        .iter()
        .filter(|&(var, _)| used[var])
        .map(|(var, data)| variable(StateSpace::Local, &names.locals[var], data.bytes, data.align));
    shared.chain(locals).collect()
}

/// Bytes of the static shared variables, each at its alignment.
pub fn shared_end(func: &ir::Function) -> u32 {
    let fixed = func.shared.values().filter(|var| !var.is_dynamic());
    fixed.fold(0, |end: u32, var| end.next_multiple_of(var.align.max(1)).saturating_add(var.bytes))
}

/// Bytes between the static shared variables and the dynamic one behind them, which begins at a multiple of 16 bytes at least. Drivers that compile PTX
/// count them as static; their linker, which makes the machine code that is kept, puts the dynamic memory at the very end of the variables
/// (seen with CUDA 13.0), so that the last one is larger by these.
pub fn shared_padding(func: &ir::Function) -> u32 {
    let dynamic = func.shared.values().filter(|var| var.is_dynamic());
    let align = dynamic.map(|var| var.align.max(16)).max().unwrap_or(1);
    let end = shared_end(func);
    end.checked_next_multiple_of(align).map_or(0, |start| start - end)
}

/// The local variables whose address is taken; passes turn many into values.
pub fn used_locals(func: &ir::Function) -> EntityMap<ir::LocalVar, bool> {
    let mut used = EntityMap::filled(func.locals.len(), false);
    for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        if let ir::InstData::LocalAddress { var } = func.insts[inst] {
            used[var] = true;
        }
    }
    used
}

/// An array of bytes.
fn variable(space: StateSpace, name: &Name, bytes: u32, align: u32) -> Statement {
    StatementKind::Variable(Variable {
        linkage: Linkage::Internal,
        space,
        align: Some(align),
        vector: 1,
        ty: ScalarType::B8,
        pointer: None,
        managed: false,
        name: name.clone(),
        dimensions: vec![Some(bytes.into())],
        initializer: None,
    })
    .into()
}

/// PTX ISA, "Performance-Tuning Directives" and "Cluster Dimension Directives". `.maxntid` and `.reqntid` exclude each other.
/// A kernel with a fixed cluster shape is launched with it: `.explicitcluster`.
fn directives(bounds: &ir::LaunchBounds) -> Vec<FunctionDirective> {
    let threads = match (bounds.block, bounds.max_threads) {
        (Some(block), _) => Some(FunctionDirective::RequiredThreads(block)),
        (None, Some(threads)) => Some(FunctionDirective::MaxThreads([threads, 1, 1])),
        (None, None) => None,
    };
    let cluster = bounds
        .cluster
        .map(|shape| [FunctionDirective::ExplicitCluster, FunctionDirective::RequiredCluster(shape)]);
    threads
        .into_iter()
        .chain(bounds.min_blocks.map(FunctionDirective::MinBlocksPerSm))
        .chain(bounds.max_registers.map(FunctionDirective::MaxRegisters))
        .chain(bounds.max_cluster.map(FunctionDirective::MaxClusterRank))
        .chain(cluster.into_iter().flatten())
        .collect()
}
