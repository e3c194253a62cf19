//! Prints IR as text; [`parse`](super::parse) reads it back.
//!
//! ```text
//! file 0 "src/lib.rs"
//!
//! kernel saxpy(param0 a: f32, param1 x: i64 ptr align 4) bounds(max_threads 256, min_blocks 8) {
//!     shared0 tile: 1024 align 4
//!     local0 row: 32 align 4
//!     panic0 index @0:3:9
//! block0:
//!     v0: i32 = special tid.x
//!     v1: i64 = param1
//!     v2: f32 = load.global v1 + 16 read_only @0:3:5
//!     branch v5, block1(v1), block2
//! block1(v7: i64):
//!     return
//! }
//! ```
//!
//! After the bounds, `ftz` says that arithmetic of `f32` flushes subnormal numbers. `@file:line:column` says where in the Rust source something comes from; it is absent where that is unknown. After `called` come the
//! locations of the calls that lead to a panic site, the innermost first.

use std::fmt::{self, Display, Formatter, Write};

use super::entity::{Block, Entity, Inst, Value};
use super::function::{Collective, ElementLimit, Format, Function, LoopHint, MapOf, Module, SourceLoc};
use super::inst::{BlockCall, BranchHint, InstData};
use kernel_abi::half;
use kernel_abi::operators::MemoryOrder;
use kernel_abi::types::Type;

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, file) in self.files.iter().enumerate() {
            writeln!(f, "file {index} {file:?}")?;
        }
        for (index, function) in self.functions.iter().enumerate() {
            if index > 0 || !self.files.is_empty() {
                writeln!(f)?;
            }
            write!(f, "{function}")?;
        }
        Ok(())
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}(", Name(&self.name))?;
        for (param, data) in self.params.iter() {
            let comma = if param.index() > 0 { ", " } else { "" };
            write!(f, "{comma}{param} {}: {}", Name(&data.name), data.ty)?;
            if let Some(align) = data.pointer_align {
                write!(f, " ptr align {align}")?;
            }
            if data.read_only {
                write!(f, " read_only")?;
            }
            if data.min > 0 {
                write!(f, " min {}", data.min)?;
            }
            if let Some(max) = data.max {
                write!(f, " max {max}")?;
            }
            if let Some(ElementLimit { ty, below }) = data.elements {
                write!(f, " elements {ty} below {below}")?;
            }
            if let Some(MapOf { elements, element_bytes }) = data.map_of {
                write!(f, " map_of {elements} of {element_bytes}")?;
            }
        }
        write!(f, ")")?;
        print_bounds(self, f)?;
        if let Some(coarsen) = self.coarsen {
            write!(f, " coarsen {}{}", coarsen.by, Location(coarsen.location))?;
        }
        if self.flush_subnormals {
            write!(f, " ftz")?;
        }
        if let Some(most) = self.most_threads_x {
            write!(f, " most_threads_x {most}")?;
        }
        for (axis, most) in ["x", "y", "z"].into_iter().zip(self.most_block) {
            if let Some(most) = most {
                write!(f, " most_block_{axis} {most}")?;
            }
        }
        writeln!(f, " {{")?;
        for (var, data) in self.shared.iter() {
            writeln!(f, "    {var} {}: {} align {}", Name(&data.name), data.bytes, data.align)?;
        }
        for (var, data) in self.locals.iter() {
            writeln!(f, "    {var} {}: {} align {}", Name(&data.name), data.bytes, data.align)?;
        }
        for (var, data) in self.consts.iter() {
            let bytes: String = data.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            writeln!(
                f,
                "    {var} {}: {} align {} {bytes:?}",
                Name(&data.name),
                data.bytes.len(),
                data.align
            )?;
        }
        for (asm, data) in self.inlines.iter() {
            write!(f, "    {asm} {:?} out", data.text)?;
            print_list(f, &data.outs, |f, ty| write!(f, "{ty}"))?;
            write!(f, " in")?;
            print_list(f, &data.ins, |f, ty| write!(f, "{ty}"))?;
            let of_warp = data.collective == Some(Collective::Warp);
            let of_group = data.collective == Some(Collective::Warpgroup);
            let of_party = data.collective == Some(Collective::Party);
            let of_block = data.collective == Some(Collective::Block);
            let words = [
                (data.memory, " memory"),
                (of_warp, " collective"),
                (of_group, " collective of warpgroup"),
                (of_party, " collective of party"),
                (of_block, " collective of block"),
            ];
            let words: String = words.iter().filter(|word| word.0).map(|word| word.1).collect();
            writeln!(f, "{words}")?;
        }
        for (site, data) in self.panics.iter() {
            write!(f, "    {site} {}", data.kind.as_str())?;
            if let Some(message) = &data.message {
                write!(f, " {message:?}")?;
            }
            if let Some(format) = data.format {
                write!(f, " {}", FormatUse(format))?;
            }
            write!(f, "{}", Location(data.location))?;
            if !data.calls.is_empty() {
                write!(f, " called")?;
            }
            data.calls.iter().try_for_each(|&call| write!(f, "{}", Location(call)))?;
            writeln!(f)?;
        }
        for (site, data) in self.prints.iter() {
            writeln!(f, "    {site} {}{}", FormatUse(data.format), Location(data.location))?;
        }
        for &block in &self.layout {
            print_block(self, block, f)?;
        }
        writeln!(f, "}}")
    }
}

fn print_bounds(func: &Function, f: &mut Formatter<'_>) -> fmt::Result {
    let bounds = &func.bounds;
    let mut clauses = Vec::new();
    if let Some(threads) = bounds.max_threads {
        clauses.push(format!("max_threads {threads}"));
    }
    if let Some(blocks) = bounds.min_blocks {
        clauses.push(format!("min_blocks {blocks}"));
    }
    if let Some(blocks) = bounds.max_cluster {
        clauses.push(format!("max_cluster {blocks}"));
    }
    if let Some([x, y, z]) = bounds.block {
        clauses.push(format!("block {x} {y} {z}"));
    }
    if let Some([x, y, z]) = bounds.cluster {
        clauses.push(format!("cluster {x} {y} {z}"));
    }
    if let Some(registers) = bounds.max_registers {
        clauses.push(format!("max_registers {registers}"));
    }
    if bounds.cooperative {
        clauses.push("cooperative".into());
    }
    if bounds.nonportable_cluster {
        clauses.push("nonportable_cluster".into());
    }
    if clauses.is_empty() { Ok(()) } else { write!(f, " bounds({})", clauses.join(", ")) }
}

fn print_block(func: &Function, block: Block, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "{block}")?;
    print_list(f, &func.blocks[block].params, |f, &value| write!(f, "{value}: {}", func.ty(value)))?;
    match func.blocks[block].hint {
        Some(LoopHint::Full) => write!(f, " unroll")?,
        Some(LoopHint::By(times)) => write!(f, " unroll {times}")?,
        Some(LoopHint::Prefetch(distance)) => write!(f, " prefetch {distance}")?,
        Some(LoopHint::Never) => write!(f, " nounroll")?,
        None => {}
    }
    if let Some(asked) = func.blocks[block].asked.filter(|_| func.blocks[block].hint.is_some()) {
        write!(f, "{}", Location(asked))?;
    }
    writeln!(f, ":")?;
    for &inst in &func.blocks[block].insts {
        writeln!(f, "    {}", func.display_inst(inst))?;
    }
    Ok(())
}

/// `(a, b, c)`, or nothing for an empty list.
fn print_list<T>(
    f: &mut Formatter<'_>,
    items: &[T],
    mut print: impl FnMut(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    f.write_char('(')?;
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        print(f, item)?;
    }
    f.write_char(')')
}

impl Function {
    /// One instruction as text, with its result and location.
    pub fn display_inst(&self, inst: Inst) -> impl Display {
        InstText { func: self, inst }
    }
}

struct InstText<'a> {
    func: &'a Function,
    inst: Inst,
}

impl Display for InstText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let result = self.func.results[self.inst];
        if let Some(value) = result {
            write!(f, "{value}: {} = ", self.func.ty(value))?;
        }
        print_data(&self.func.insts[self.inst], result.map(|value| self.func.ty(value)), f)?;
        write!(f, "{}", Location(self.func.locations[self.inst]))
    }
}

fn print_data(data: &InstData, ty: Option<Type>, f: &mut Formatter<'_>) -> fmt::Result {
    match data {
        InstData::Const { bits } => {
            write!(f, "const {}", Constant { bits: *bits, ty: ty.unwrap_or(Type::I64) })
        }
        InstData::Unary { op, arg } => write!(f, "{op} {arg}"),
        InstData::Binary { op, args: [a, b], no_unsigned_wrap } => {
            write!(f, "{op} {}{a}, {b}", if *no_unsigned_wrap { "nuw " } else { "" })
        }
        InstData::Fma { args: [a, b, c] } => write!(f, "fma {a}, {b}, {c}"),
        InstData::Select { cond, if_true, if_false } => write!(f, "select {cond}, {if_true}, {if_false}"),
        InstData::IntCompare { cond, args: [a, b] } => write!(f, "icmp {cond} {a}, {b}"),
        InstData::FloatCompare { cond, args: [a, b] } => write!(f, "fcmp {cond} {a}, {b}"),
        InstData::Convert { op, arg } => write!(f, "{op} {arg}"),
        InstData::Special { register } => write!(f, "special {register}"),
        InstData::Inline { asm, args, pure } => {
            write!(f, "inline{} {asm}", if *pure { ".pure" } else { "" })?;
            print_list(f, args, |f, arg| write!(f, "{arg}"))
        }
        InstData::InlineOut { of, index } => write!(f, "inline_out {of}, {index}"),
        InstData::InlineEffect { asm, args } => {
            write!(f, "inline_effect {asm}")?;
            print_list(f, args, |f, arg| write!(f, "{arg}"))
        }
        InstData::Param { param } => write!(f, "{param}"),
        InstData::SharedAddress { var } => write!(f, "address {var}"),
        InstData::LocalAddress { var } => write!(f, "address {var}"),
        InstData::ConstAddress { var } => write!(f, "address {var}"),
        InstData::Pack { args: [low, high] } => write!(f, "pack {low}, {high}"),
        InstData::Extract { arg, lane } => write!(f, "extract.{lane} {arg}"),
        InstData::ToGeneric { space, address } => write!(f, "to_generic.{space} {address}"),
        InstData::Load { space, address, offset, align, read_only, below, cache } => {
            let suffix = if *read_only { " read_only" } else { "" };
            let address = Address { base: *address, offset: *offset };
            write!(f, "load.{space} {address}{}{suffix}", Alignment(*align))?;
            if let Some(below) = below {
                write!(f, " below {below}")?;
            }
            write!(f, "{cache}")
        }
        InstData::Store { space, address, offset, align, value, cache } => {
            let address = Address { base: *address, offset: *offset };
            write!(f, "store.{space} {address}{}{cache}, {value}", Alignment(*align))
        }
        InstData::AtomicCas { space, scope, order, address, expected, desired } => {
            write!(f, "cas.{space}.{scope}{} {address}, {expected}, {desired}", Order(*order))
        }
        InstData::AtomicRmw { op, space, scope, order, address, value } => {
            write!(f, "atomic_{op}.{space}.{scope}{} {address}, {value}", Order(*order))
        }
        InstData::AtomicLoad { space, scope, order, address } => {
            write!(f, "atomic_load.{space}.{scope}{} {address}", Order(*order))
        }
        InstData::AtomicStore { space, scope, order, address, value } => {
            write!(f, "atomic_store.{space}.{scope}{} {address}, {value}", Order(*order))
        }
        InstData::Shuffle { mode, value, lane, clamp, members } => {
            write!(f, "shuffle.{mode} {value}, {lane}, {clamp}, {members}")
        }
        InstData::Vote { mode, pred, members } => write!(f, "vote.{mode} {pred}, {members}"),
        InstData::Match { mode, value, members } => write!(f, "match.{mode} {value}, {members}"),
        InstData::Redux { op, value, members } => write!(f, "redux.{op} {value}, {members}"),
        InstData::ActiveMask => f.write_str("active_mask"),
        InstData::BarrierReduce { op, pred } => write!(f, "barrier.{op} {pred}"),
        InstData::WarpBarrier { members } => write!(f, "warp_barrier {members}"),
        InstData::Fence { scope, order: MemoryOrder::SeqCst } => write!(f, "fence.{scope}"),
        InstData::Fence { scope, order } => write!(f, "fence.{scope}.{order}"),
        InstData::Barrier => f.write_str("barrier"),
        InstData::GridBarrier => f.write_str("grid_barrier"),
        InstData::ClusterBarrier { aligned: true } => f.write_str("cluster_barrier"),
        InstData::ClusterBarrier { aligned: false } => f.write_str("cluster_barrier.divergent"),
        InstData::NamedBarrier { id, threads, waits } => {
            write!(f, "named_barrier.{} {id}, {threads}", if *waits { "sync" } else { "arrive" })
        }
        InstData::MapShared { address, rank } => write!(f, "map_shared {address}, {rank}"),
        InstData::Jump { target } => {
            f.write_str("jump ")?;
            print_call(f, target)
        }
        InstData::Guarded { cond, holds, access } => {
            write!(f, "guard {}{cond} ", if *holds { "" } else { "not " })?;
            print_data(access, ty, f)
        }
        InstData::Branch { cond, if_true, if_false, hint } => {
            match hint {
                Some(BranchHint { wish, .. }) => write!(f, "branch.{wish} {cond}, ")?,
                None => write!(f, "branch {cond}, ")?,
            }
            print_call(f, if_true)?;
            f.write_str(", ")?;
            print_call(f, if_false)
        }
        InstData::Return => f.write_str("return"),
        InstData::Panic { site, args } => {
            write!(f, "panic {site}")?;
            print_list(f, args, |f, arg| write!(f, "{arg}"))
        }
        InstData::Print { site, args } => {
            write!(f, "print {site}")?;
            print_list(f, args, |f, arg| write!(f, "{arg}"))
        }
    }
}

fn print_call(f: &mut Formatter<'_>, call: &BlockCall) -> fmt::Result {
    write!(f, "{}", call.block)?;
    print_list(f, &call.args, |f, arg| write!(f, "{arg}"))
}

/// A name: bare if it is an identifier, else in quotes.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if is_identifier(self.0) { f.write_str(self.0) } else { write!(f, "{:?}", self.0) }
    }
}

/// Returns true if the text is one identifier of textual IR (and of PTX).
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

/// `format 3 words 2`
struct FormatUse(Format);

impl Display for FormatUse {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "format {} words {}", self.0.number, self.0.words)
    }
}

struct Location(SourceLoc);

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let SourceLoc { file, line, column, .. } = self.0;
        if line == 0 { Ok(()) } else { write!(f, " @{}:{line}:{column}", file.0) }
    }
}

struct Address {
    base: Value,
    offset: i32,
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.base)?;
        match self.offset {
            0 => Ok(()),
            offset => write!(f, " {} {}", if offset < 0 { '-' } else { '+' }, offset.unsigned_abs()),
        }
    }
}

/// ` align 16`, where it says more than the type.
struct Alignment(Option<u32>);

impl Display for Alignment {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |align| write!(f, " align {align}"))
    }
}

/// Memory order suffix of an atomic access; empty if it is relaxed.
struct Order(MemoryOrder);

impl Display for Order {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            MemoryOrder::Relaxed => Ok(()),
            order => write!(f, ".{order}"),
        }
    }
}

struct Constant {
    bits: u64,
    ty: Type,
}

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let bits = self.bits;
        match self.ty {
            Type::Bool if bits <= 1 => write!(f, "{}", bits == 1),
            Type::Bool => write!(f, "{bits:#x}"),
            Type::I8 | Type::I16 | Type::I32 | Type::I64 => {
                let shift = 64 - self.ty.bits();
                let signed = (bits << shift) as i64 >> shift;
                // Small negative numbers read better with a sign, large numbers in hexadecimal.
                if (-4096..0).contains(&signed) && signed as u64 & self.ty.mask() == bits {
                    write!(f, "{signed}")
                } else if bits < 1 << 31 {
                    write!(f, "{bits}")
                } else {
                    write!(f, "{bits:#x}")
                }
            }
            Type::F32 => match u32::try_from(bits).map(f32::from_bits) {
                Ok(value) if !value.is_nan() => write!(f, "{value:?}"),
                Ok(_) | Err(_) => write!(f, "{bits:#x}"),
            },
            Type::F64 => match f64::from_bits(bits) {
                value if !value.is_nan() => write!(f, "{value:?}"),
                _ => write!(f, "{bits:#x}"),
            },
            Type::F16 | Type::BF16 if bits & !self.ty.mask() == 0 => {
                match half::widen(self.ty, bits) as f32 {
                    value if !value.is_nan() => write!(f, "{value:?}"),
                    _ => write!(f, "{bits:#x}"),
                }
            }
            Type::F16 | Type::BF16 | Type::F16x2 | Type::BF16x2 => write!(f, "{bits:#x}"),
        }
    }
}
