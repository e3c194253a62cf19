//! Decoding one kernel together with the functions that it calls: one list of operations, the kernel's first.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ptx::tree::{self, FunctionDirective, StateSpace, Statement};

use super::flow::{self, Flow, Piece};
use super::function::{Decoder, Flat, Frame, Refusal, Sources};
use super::graph::{FunctionId, Functions};
use super::names::{Binding, ScopeId, Variable};
use super::{Layout, declaration, names, place_after};
use crate::calls::{Callable, Parcel};
use crate::fault::{Code, LoadError};
use crate::op::{Inst, Op, Predicate};
use crate::program::{Constant, Kernel, KernelInfo, Origin, Parameter, Stack};
use crate::registers::{Class, FileSizes, Slot};

/// Local memory of a thread for functions that are active more than once, and for `alloca`.
const STACK_BYTES: u32 = 32 << 10;

/// Decodes a kernel.
pub(super) fn decode(
    function: &tree::Function,
    body: &[Statement],
    layout: &Layout,
    functions: &Functions<'_>,
) -> Result<Kernel, LoadError> {
    let name: Arc<str> = Arc::from(function.name.as_str());
    let mut decoder = Decoder::new(layout, functions);
    decoder.open_module()?;
    let root = decoder.scopes.open(Some(decoder.module));
    let (parameters, parameter_bytes) = place_parameters(function, &mut decoder, root)?;
    let mut output = Output::default();
    let reachable = match functions.find(function.name.as_str()) {
        Some(id) => functions.reachable(id),
        None => Vec::new(),
    };
    // Every function is known before any call of it is decoded.
    let mut bodies = Vec::new();
    let of_functions = reachable.iter().filter_map(|&id| functions.get(id).body.as_deref());
    if of_functions.chain([body]).any(names::names_reserved_shared) {
        decoder.reserve_shared();
    }
    for id in reachable {
        if let Some(body) = &functions.get(id).body {
            bodies.push((declare(&mut decoder, functions, id)?, body));
        }
    }
    add_body(&mut decoder, body, root, &mut output)?;
    for (declared, body) in bodies {
        add_function(&mut decoder, declared, body, &mut output)?;
    }

    let Output { code, origins, listing, .. } = output;
    let stack = decoder.stack_pointer.map(|slot| {
        let start = decoder.local_bytes.next_multiple_of(16);
        decoder.local_bytes = start + STACK_BYTES;
        Stack { slot, start: u64::from(start) }
    });
    let sizes = FileSizes {
        p: decoder.next[Class::P as usize],
        w: decoder.next[Class::W as usize],
        d: decoder.next[Class::D as usize],
    };
    let has_global_atomics = code.iter().any(|inst| super::access::is_global_atomic(&inst.op));
    let warp_wide = super::estimate::WarpWide {
        sites: &decoder.sites,
        matrices: &decoder.matrices,
        asynchronous: &decoder.asynchronous,
    };
    let entries: Vec<usize> = decoder.callables.iter().map(|callable| callable.entry as usize).collect();
    let liveness = super::estimate::registers(
        &code,
        &decoder.constant_slots(),
        &decoder.uniform_slots(),
        listing.len(),
        &entries,
        &warp_wide,
        &decoder.tables,
    );
    let mut info = KernelInfo {
        name,
        parameters,
        parameter_bytes,
        static_shared_bytes: decoder.shared_bytes - decoder.reserved_shared_bytes,
        reserved_shared_bytes: decoder.reserved_shared_bytes,
        dynamic_align: decoder.dynamic_align,
        shared_gaps: [decoder.shared_shift, decoder.dynamic_shift()],
        local_bytes: decoder.local_bytes - decoder.parcel_bytes,
        frame_bytes: decoder.local_bytes,
        max_threads: None,
        required_threads: None,
        required_cluster: None,
        meets_cluster: meets_cluster(&listing),
        min_blocks_per_sm: None,
        max_registers: None,
        register_estimate: liveness.registers,
        barriers: super::estimate::barriers(&code, &decoder.immediates()),
        has_global_atomics,
    };
    for directive in &function.directives {
        apply_directive(&mut info, directive);
    }
    let shared = std::mem::take(&mut decoder.shared_variables);
    let shared_gaps = gaps(&decoder.shared_places, info.dynamic_offset());
    let (functions, sites) = (std::mem::take(&mut decoder.callables), std::mem::take(&mut decoder.sites));
    let tables = std::mem::take(&mut decoder.tables);
    let matrices = std::mem::take(&mut decoder.matrices);
    let asynchronous = std::mem::take(&mut decoder.asynchronous);
    let [constants_w, constants_d] = decoder.constants();
    let undefined = liveness.entry;
    // Calls write these, whatever the code says.
    let by_calls: HashSet<(Class, Slot)> = functions
        .iter()
        .flat_map(|callable| callable.arguments.iter().chain(&callable.results).filter_map(Parcel::register))
        .chain(functions.iter().filter_map(|callable| callable.base).map(|slot| (Class::D, slot)))
        .chain(stack.map(|stack| (Class::D, stack.slot)))
        .collect();
    let doubtful: Vec<(Class, Slot)> =
        undefined.iter().filter(|register| !by_calls.contains(register)).copied().collect();
    Ok(Kernel {
        info,
        code,
        origins,
        listing,
        sizes,
        constants_w,
        constants_d,
        undefined,
        functions,
        sites,
        tables,
        stack,
        shared,
        shared_gaps,
        matrices,
        asynchronous,
        doubtful,
        touched: OnceLock::new(),
        group_registers: OnceLock::new(),
        guesses: OnceLock::new(),
        gap: OnceLock::new(),
        deciding: OnceLock::new(),
    })
}

/// Returns true if blocks of a cluster can meet: by a barrier of the cluster, or by shared memory of another block.
/// Names of registers (`%cluster_ctaid`) and the scope of a fence do not count.
fn meets_cluster(listing: &[Code]) -> bool {
    listing.iter().any(|code| {
        let words = &code.instruction;
        words.contains("barrier.cluster")
            || words.contains("::cluster")
            || words.starts_with("mapa")
            || words.starts_with("getctarank")
    })
}

fn apply_directive(info: &mut KernelInfo, directive: &FunctionDirective) {
    match *directive {
        FunctionDirective::MaxThreads(threads) => info.max_threads = Some(threads),
        FunctionDirective::RequiredThreads(threads) => info.required_threads = Some(threads),
        FunctionDirective::MinBlocksPerSm(blocks) | FunctionDirective::MaxBlocksPerSm(blocks) => {
            info.min_blocks_per_sm = Some(blocks);
        }
        FunctionDirective::MaxRegisters(registers) => info.max_registers = Some(registers),
        FunctionDirective::RequiredCluster(blocks) => info.required_cluster = Some(blocks),
        FunctionDirective::MaxClusterRank(_)
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
        let (offset, bytes) = place_after(&mut end, variable)?;
        let address = Constant::Immediate(u64::from(offset));
        let binding = Binding::Variable(Variable { space: StateSpace::Param, address, frame: None });
        decoder.scopes.bind(root, variable.name.as_str(), binding);
        parameters.push(Parameter { name: variable.name.to_string(), offset, bytes });
    }
    Ok((parameters, end))
}

/// A function whose parameters have their places, and whose body comes later.
struct Declared {
    index: usize,
    root: ScopeId,
    frame: Option<Frame>,
}

/// Gives the parameters of a function their places, so that calls of it can be decoded.
fn declare(
    decoder: &mut Decoder<'_>,
    functions: &Functions<'_>,
    id: FunctionId,
) -> Result<Declared, LoadError> {
    let function = functions.get(id);
    let root = decoder.scopes.open(Some(decoder.module));
    let recursive = functions.is_recursive(id);
    let too_many =
        |Refusal(problem): Refusal| LoadError::Declaration { name: function.name.to_string(), problem };
    decoder.frame = None;
    if recursive {
        let base = decoder.fresh(Class::D).map_err(too_many)?;
        decoder.stack_pointer().map_err(too_many)?;
        decoder.frame = Some(Frame { base, bytes: 0 });
    }
    let mut owned = Vec::new();
    let mut parcels = |decoder: &mut Decoder<'_>, variables: &[tree::Variable]| {
        let mut parcels = Vec::new();
        for variable in variables {
            parcels.extend(formal(decoder, variable, root, &mut owned)?);
        }
        Ok::<Vec<Parcel>, LoadError>(parcels)
    };
    let results = parcels(decoder, &function.returns)?;
    let arguments = parcels(decoder, &function.parameters)?;
    let frame = decoder.frame.take();
    owned.extend(frame.map(|frame| (Class::D, frame.base)));
    let index = decoder.callables.len();
    decoder.by_function.insert(id, index);
    decoder.callables.push(Callable {
        name: Arc::from(function.name.as_str()),
        address: id.address(),
        entry: 0,
        arguments,
        results,
        base: frame.map(|frame| frame.base),
        frame_bytes: 0,
        saved: if recursive { owned } else { Vec::new() },
    });
    Ok(Declared { index, root, frame })
}

/// The place of a parameter or result of a function; of a register of a vector type the places of its elements.
fn formal(
    decoder: &mut Decoder<'_>,
    variable: &tree::Variable,
    root: ScopeId,
    owned: &mut Vec<(Class, Slot)>,
) -> Result<Vec<Parcel>, LoadError> {
    if variable.space != StateSpace::Reg {
        return decoder.place_parcel(variable, root).map(|parcel| vec![parcel]);
    }
    let class = names::class_of(variable.ty)
        .ok_or_else(|| declaration(variable, "registers of 128 bits are no parameters here"))?;
    let name = variable.name.as_str();
    if variable.vector > 1 {
        decoder.scopes.bind(root, name, Binding::Vector(variable.vector));
    }
    let mut parcels = Vec::new();
    for spellings in names::element_spellings(name, variable.vector) {
        let slot = decoder.fresh(class).map_err(|Refusal(problem)| declaration(variable, &problem))?;
        spellings.iter().for_each(|name| decoder.scopes.bind(root, name, Binding::Slot(class, slot)));
        owned.push((class, slot));
        parcels.push(Parcel::Register { class, slot });
    }
    Ok(parcels)
}

/// Decodes the body of a function.
fn add_function(
    decoder: &mut Decoder<'_>,
    declared: Declared,
    body: &[Statement],
    output: &mut Output,
) -> Result<(), LoadError> {
    let Declared { index, root, frame } = declared;
    decoder.callables[index].entry = output.code.len() as u32;
    decoder.frame = frame;
    decoder.is_function = true;
    let before = decoder.next;
    add_body(decoder, body, root, output)?;
    decoder.is_function = false;
    let frame = decoder.frame.take();
    let callable = &mut decoder.callables[index];
    callable.frame_bytes = frame.map_or(0, |frame| frame.bytes.next_multiple_of(16));
    if callable.base.is_some() {
        for class in [Class::P, Class::W, Class::D] {
            let slots = before[class as usize]..decoder.next[class as usize];
            callable.saved.extend(slots.map(|slot| (class, Slot(slot as u16))));
        }
    }
    Ok(())
}

/// Output of decoding: the operations, their origins and the listing.
#[derive(Default)]
struct Output {
    code: Vec<Inst>,
    origins: Vec<Origin>,
    listing: Vec<Code>,
}

/// Decodes a body and adds its operations.
fn add_body(
    decoder: &mut Decoder<'_>,
    body: &[Statement],
    root: ScopeId,
    output: &mut Output,
) -> Result<(), LoadError> {
    let mut flat: Vec<Flat<'_>> = Vec::new();
    decoder.flatten(body, root, &mut Sources::default(), &mut flat)?;
    let first_table = decoder.tables.len();
    let mut pieces = Vec::with_capacity(flat.len());
    let mut flows = Vec::with_capacity(flat.len());
    for item in &flat {
        let refuse = |Refusal(problem): Refusal| LoadError::Instruction {
            line: item.code.ptx_line,
            column: item.column,
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
    let leave = if decoder.is_function { Op::Return } else { Op::Exit };
    pieces.push(vec![Inst { op: leave, guard: Predicate::TRUE }]);
    let first_line = output.listing.len() as u32;
    let end = flat.last().map(|item| item.code.clone()).unwrap_or_default();
    output.listing.extend(flat.into_iter().map(|item| item.code));
    output.listing.push(Code { instruction: Arc::from("}"), ..end });
    lay_out(&flows, &pieces, &mut decoder.tables, first_table, first_line, output);
    Ok(())
}

/// Puts the blocks of a body in order and turns targets into indices of operations. Tables from `first_table` on hold
/// indices of instructions before, and of operations after.
fn lay_out(
    flows: &[Flow],
    pieces: &[Vec<Inst>],
    tables: &mut [Vec<u32>],
    first_table: usize,
    first_line: u32,
    output: &mut Output,
) {
    let layout = flow::order(flows, tables);
    let Output { code, origins, .. } = output;
    // The position of each block and of each latch in the result; branches only go to starts of blocks.
    let (mut starts, mut latches) = (HashMap::new(), HashMap::new());
    let mut patches = Vec::new();
    // Branches that the decoder adds are not counted as instructions.
    let jump = Inst { op: Op::Branch { target: 0 }, guard: Predicate::TRUE };
    let mut last = 0;
    for (index, piece) in layout.iter().enumerate() {
        let block = match piece {
            Piece::Block(block) => block,
            &Piece::Latch(header) => {
                latches.insert(header, code.len() as u32);
                patches.push((code.len(), header));
                code.push(jump);
                origins.push(Origin { instruction: first_line + last as u32, counts: false });
                continue;
            }
        };
        starts.insert(block.start, code.len() as u32);
        last = block.end - 1;
        for instruction in block.clone() {
            for (part, inst) in pieces[instruction].iter().enumerate() {
                if let Flow::Branch { target, .. } = flows[instruction] {
                    patches.push((code.len(), target));
                }
                code.push(*inst);
                origins.push(Origin { instruction: first_line + instruction as u32, counts: part == 0 });
            }
        }
        let falls = match flows[last] {
            Flow::Next => true,
            Flow::Branch { conditional, .. }
            | Flow::Switch { conditional, .. }
            | Flow::Exit { conditional } => conditional,
        };
        let is_next = matches!(layout.get(index + 1), Some(Piece::Block(next)) if next.start == block.end);
        if falls && !is_next {
            patches.push((code.len(), block.end));
            code.push(jump);
            origins.push(Origin { instruction: first_line + last as u32, counts: false });
        }
    }
    for (at, place) in patches {
        let (Op::Branch { target }, Some(&start)) = (&mut code[at].op, starts.get(&place)) else { continue };
        let latch = latches.get(&place).copied().filter(|&latch| (start..latch).contains(&(at as u32)));
        *target = latch.unwrap_or(start);
    }
    for target in tables[first_table..].iter_mut().flatten() {
        *target = starts.get(&(*target as usize)).copied().unwrap_or(0);
    }
}

/// The bytes between these places, which lie in order, and between the last one and the dynamic shared memory.
fn gaps(places: &[Range<u32>], dynamic: u32) -> Vec<Range<u64>> {
    let starts = places.iter().skip(1).map(|place| place.start).chain([dynamic]);
    places.iter().zip(starts).map(|(place, next)| place.end.into()..next.into()).collect()
}
