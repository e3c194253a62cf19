//! Functions and modules: the containers of the IR.

use super::entity::{
    Block, Call, ConstVar, Entity, EntityMap, InlineAsm, Inst, LocalVar, PanicSite, Param, PrintSite,
    SharedVar, Value,
};
use super::inst::InstData;
use super::remark::Remark;
use kernel_abi::panic::{PANIC_PARAM, PanicKind, PanicRecord};
use kernel_abi::remark::RemarkKind;
use kernel_abi::shape::BlockShape;
use kernel_abi::types::Type;

/// A closed set of kernels that become one PTX text.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The source files that locations name, in the order of [`FileId`].
    pub files: Vec<String>,
    /// The kernels.
    pub functions: Vec<Function>,
}

/// Index of a source file in its [`Module`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A location in the Rust source. Line zero means unknown.
///
/// Locations are equal if the source has them in one place, whatever the calls that lead there: remarks on a function are for all its callers.
#[derive(Clone, Copy, Debug, Default)]
pub struct SourceLoc {
    /// The file.
    pub file: FileId,
    /// Line, from one.
    pub line: u32,
    /// Column, from one.
    pub column: u32,
    /// The call of the function that it is in, in a kernel that this was put into; its [`Function::calls`] has it. Textual IR leaves it out.
    pub caller: Option<Call>,
}

impl SourceLoc {
    fn place(self) -> (FileId, u32, u32) {
        (self.file, self.line, self.column)
    }
}

impl PartialEq for SourceLoc {
    fn eq(&self, other: &SourceLoc) -> bool {
        self.place() == other.place()
    }
}

impl Eq for SourceLoc {}

impl std::hash::Hash for SourceLoc {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.place().hash(state);
    }
}

impl PartialOrd for SourceLoc {
    fn partial_cmp(&self, other: &SourceLoc) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SourceLoc {
    fn cmp(&self, other: &SourceLoc) -> std::cmp::Ordering {
        self.place().cmp(&other.place())
    }
}

/// Launch bounds that a kernel promises (PTX ISA, "Performance-Tuning Directives").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchBounds {
    /// Most threads per block: `.maxntid`.
    pub max_threads: Option<u32>,
    /// Blocks per multiprocessor to keep room for: `.minnctapersm`.
    pub min_blocks: Option<u32>,
    /// Most blocks per cluster: `.maxclusterrank`.
    pub max_cluster: Option<u32>,
    /// Exact block size: `.reqntid`.
    pub block: Option<[u32; 3]>,
    /// Exact cluster size in blocks: `.reqnctapercluster`.
    pub cluster: Option<[u32; 3]>,
    /// Most registers per thread: `.maxnreg`.
    pub max_registers: Option<u32>,
    /// All blocks of the grid run at once, and may wait for each other.
    pub cooperative: bool,
    /// Clusters may have more blocks than every device with clusters holds.
    pub nonportable_cluster: bool,
}

/// Coarsening request: number of elements that each thread of an element-wise kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coarsen {
    /// The factor, of consecutive elements: a power of two from 2 to 16.
    pub by: u32,
    /// Location of the request in the source.
    pub location: SourceLoc,
}

/// Inline PTX of the user: statements, with `%_op0`, `%_op1`, … in place of operands, the outputs first (see
/// [`inline`](crate::inline)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineData {
    /// The statements.
    pub text: String,
    /// The types of what it writes.
    pub outs: Vec<Type>,
    /// The types of what it reads.
    pub ins: Vec<Type>,
    /// It may read and write memory.
    pub memory: bool,
    /// Those who execute it together, as PTX's `.aligned` instructions demand: instructions of the compiler's own
    /// that have several results, such as `mma`. It neither orders nor publishes the lanes' other accesses.
    pub collective: Option<Collective>,
}

/// Threads that execute an instruction together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    /// All lanes of a warp.
    Warp,
    /// Four warps, the first of which is number 0, 4, 8, … of its block (PTX ISA, "warpgroup").
    Warpgroup,
    /// Those that executed the last instruction of this kind before it together: some warps of a block. The first one parts them from the others. It
    /// has no text, and is gone once this is checked.
    Party,
    /// All threads of a block. It has no text either: it stands where threads share work without waiting for each other.
    Block,
}

/// Instructions whose results are functions of their operands.
const FUNCTIONS: &[&str] = &[
    "isspacep", "selp", "setp", "cvt", "add", "sub", "mul", "mad", "min", "max", "and", "or", "xor", "not",
    "shl", "shr", "lop3", "prmt", "bfe", "bfi", "popc", "clz", "brev",
];

/// The beginning of the names of what a text reads and writes.
const OPERAND: &str = "_op";

impl InlineData {
    /// Returns true if the results are functions of what it reads: it has such instructions only, and no registers but its own.
    pub fn computes_alone(&self) -> bool {
        let names = |text: &str| -> Vec<String> {
            let parts = text.split('%').skip(1);
            let name = |part: &str| {
                part.split(|c: char| !(c.is_alphanumeric() || "_$.".contains(c))).next().map(str::to_owned)
            };
            parts.filter_map(name).collect()
        };
        let mut own = Vec::new();
        !self.memory
            && self.collective.is_none()
            && self.text.split(';').map(str::trim).filter(|statement| !statement.is_empty()).all(
                |statement| {
                    if statement.starts_with(".reg ") {
                        own.extend(names(statement));
                        return true;
                    }
                    let opcode = statement.split(['.', ' ']).next().unwrap_or_default();
                    FUNCTIONS.contains(&opcode)
                        && names(statement).iter().all(|name| name.starts_with(OPERAND) || own.contains(name))
                },
            )
    }

    /// Returns true if other threads may have written memory by the time that it ends, as far as is known.
    pub fn sees_memory(&self) -> bool {
        self.memory || self.collective.is_none()
    }
}

/// A kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// Its name in PTX.
    pub name: String,
    /// Its launch bounds.
    pub bounds: LaunchBounds,
    /// Arithmetic, comparisons and conversions of `f32` take subnormal numbers for zeros of their sign and give such zeros in
    /// their place (PTX ISA, `.ftz`). Moves, loads, stores, selections and other types do not.
    pub flush_subnormals: bool,
    /// Each of its threads does several elements, once the pass for that has run.
    pub coarsen: Option<Coarsen>,
    /// Shape required of its blocks.
    pub shape: BlockShape,
    /// Most threads along x, where a launch guard keeps other launches away.
    pub most_threads_x: Option<u64>,
    /// Most threads of a block along each axis, where a launch guard keeps other launches away.
    pub most_block: [Option<u32>; 3],
    /// Its parameters, in order.
    pub params: EntityMap<Param, ParamData>,
    /// Its static shared memory.
    pub shared: EntityMap<SharedVar, SharedData>,
    /// Each thread's own memory.
    pub locals: EntityMap<LocalVar, LocalData>,
    /// Its constant data.
    pub consts: EntityMap<ConstVar, ConstData>,
    /// Its inline PTX.
    pub inlines: EntityMap<InlineAsm, InlineData>,
    /// The panic sites.
    pub panics: EntityMap<PanicSite, PanicSiteData>,
    /// The print sites.
    pub prints: EntityMap<PrintSite, PrintSiteData>,
    /// Locations of the calls whose functions were put in place; that of a call within such a function has a caller itself.
    pub calls: EntityMap<Call, SourceLoc>,
    /// Every block that was made; those that run are in `layout`.
    pub blocks: EntityMap<Block, BlockData>,
    /// Every instruction that was made; those that run are in a block's list.
    pub insts: EntityMap<Inst, InstData>,
    /// Source location of each instruction, by instruction.
    pub locations: EntityMap<Inst, SourceLoc>,
    /// The result of each instruction, by instruction.
    pub results: EntityMap<Inst, Option<Value>>,
    /// Every value.
    pub values: EntityMap<Value, ValueData>,
    /// The blocks in the order of the text; the first is the entry and takes no arguments.
    pub layout: Vec<Block>,
    /// Remarks of the passes that ran so far.
    pub remarks: Vec<Remark>,
}

/// A kernel parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamData {
    /// A name for the reader; printed in PTX after the kernel's.
    pub name: String,
    /// The type; `bool` is passed as one byte.
    pub ty: Type,
    /// An address of global memory, aligned to this many bytes.
    pub pointer_align: Option<u32>,
    /// No one writes the memory that it points to while the kernel runs.
    pub read_only: bool,
    /// The least number that is passed, where launch guards keep others away.
    pub min: u64,
    /// The greatest number that is passed, where launch guards or the host keep others away.
    pub max: Option<u64>,
    /// A limit of all elements of the memory that it points to, which the host has checked.
    pub elements: Option<ElementLimit>,
    /// A tensor map is passed, and the parameter stands for its generic address.
    pub map_of: Option<MapOf>,
    /// The expression that the source calls it by, as `x.len()`; empty if that is the name.
    pub source: String,
}

impl ParamData {
    /// The expression that the source calls it by.
    pub fn source_name(&self) -> &str {
        if self.source.is_empty() { &self.name } else { &self.source }
    }
}

/// A limit of the elements behind a pointer: each of them, as an unsigned number, is below a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementLimit {
    /// Type of the elements.
    pub ty: Type,
    /// The parameter.
    pub below: Param,
}

/// The matrix of a [tensor map](kernel_abi::tensor_map).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapOf {
    /// The parameter with the address of its elements. Behind it are their number, rows, columns, and elements from a row to the next.
    pub elements: Param,
    /// Size of an element in bytes.
    pub element_bytes: u32,
}

/// A variable in shared memory.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedData {
    /// A name for the reader; unique in the kernel.
    pub name: String,
    /// Size in bytes; 0 for the block's dynamic shared memory, whose size the launch says.
    pub bytes: u32,
    /// Alignment in bytes.
    pub align: u32,
}

impl SharedData {
    /// Returns true for the block's dynamic shared memory. All such variables are at one address.
    pub fn is_dynamic(&self) -> bool {
        self.bytes == 0
    }
}

/// A variable in a thread's own memory.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalData {
    /// A name for the reader.
    pub name: String,
    /// Size in bytes.
    pub bytes: u32,
    /// Alignment in bytes.
    pub align: u32,
}

/// Constant data: the same for every thread.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstData {
    /// A name for the reader.
    pub name: String,
    /// The data, numbers little end first.
    pub bytes: Vec<u8>,
    /// Alignment in bytes.
    pub align: u32,
}

/// A panic site: a location that can panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanicSiteData {
    /// The kind of panic.
    pub kind: PanicKind,
    /// The text of a [`PanicKind::Message`]; of an index or a range what it is in, as the source names it; of a [`PanicKind::Formatted`] of
    /// the library what it is about.
    pub message: Option<String>,
    /// The format of the text of a [`PanicKind::Formatted`].
    pub format: Option<Format>,
    /// Its location in the source.
    pub location: SourceLoc,
    /// The calls that lead there, the innermost first: of the function that it is in, of the one with that call, and so on.
    pub calls: Vec<SourceLoc>,
}

impl PanicSiteData {
    /// Number of `i64` values that come with it.
    pub fn arity(&self) -> usize {
        self.format.map_or(self.kind.arity(), |format| format.words as usize)
    }
}

/// A print site: a location that prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintSiteData {
    /// The format of the text.
    pub format: Format,
    /// Its location in the source.
    pub location: SourceLoc,
}

/// A text made of values by the host: the front end has a function for it, which knows what the values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The front end's number for it.
    pub number: u32,
    /// Number of `i64` values that it takes, at most [`MOST_WORDS`](kernel_abi::output::MOST_WORDS).
    pub words: u32,
}

/// A block: its parameters and its instructions, a terminator last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockData {
    /// Parameters.
    pub params: Vec<Value>,
    /// Instructions in order.
    pub insts: Vec<Inst>,
    /// Source location of the loop that this block is the header of; absent from textual IR.
    pub source: SourceLoc,
    /// Hint for the loop that this block is the header of.
    pub hint: Option<LoopHint>,
    /// Location of the user's request for the hint. The compiler's own hint is dropped where it cannot be followed, the
    /// user's is refused there.
    pub asked: Option<SourceLoc>,
}

/// Transformation of a loop that the source asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopHint {
    /// Full unrolling: one copy of the body for each iteration, and no loop.
    Full,
    /// Unrolling: so many copies of the body for each iteration that is left: at least two.
    By(u32),
    /// Software prefetch: loads are made so many iterations before they are needed: at least one.
    Prefetch(u32),
    /// No unrolling, in ptxas either.
    Never,
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// Its definition.
    pub def: ValueDef,
}

/// Definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// The result of an instruction.
    Result(Inst),
    /// A parameter of a block.
    Param(Block),
}

impl Function {
    /// Returns true if groups of four warps compute products together (`wgmma`). Such kernels fill their registers: what saves instructions
    /// around the products in others made ptxas 13.0 spill in attention with 128 and 256 elements of a head.
    pub fn has_group_products(&self) -> bool {
        self.inlines.values().any(|data| data.collective == Some(Collective::Warpgroup))
    }

    /// The entry block.
    ///
    /// # Panics
    /// If the function has no blocks; a verified one has.
    pub fn entry(&self) -> Block {
        self.layout[0]
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// The instruction that makes a value, if it is no block parameter.
    pub fn def(&self, value: Value) -> Option<&InstData> {
        match self.values[value].def {
            ValueDef::Result(inst) => Some(&self.insts[inst]),
            ValueDef::Param(_) => None,
        }
    }

    /// The bits of a value that is a constant.
    pub fn constant(&self, value: Value) -> Option<u64> {
        match self.def(value) {
            Some(InstData::Const { bits }) => Some(*bits),
            _ => None,
        }
    }

    /// The last instruction of a block.
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        self.blocks[block].insts.last().copied()
    }

    /// The blocks that a block goes to.
    pub fn successors(&self, block: Block) -> impl Iterator<Item = Block> {
        self.terminator(block)
            .into_iter()
            .flat_map(|inst| self.insts[inst].successors().map(|call| call.block))
    }

    /// Makes a block that is not in the layout yet.
    pub fn make_block(&mut self) -> Block {
        self.blocks.push(BlockData::default())
    }

    /// Adds a parameter to a block; callers must pass a value for it.
    pub fn add_block_param(&mut self, block: Block, ty: Type) -> Value {
        let value = self.values.push(ValueData { ty, def: ValueDef::Param(block) });
        self.blocks[block].params.push(value);
        value
    }

    /// Makes an instruction that is in no block yet; `result` is the type of its value, if it has one.
    pub fn make_inst(&mut self, data: InstData, result: Option<Type>, location: SourceLoc) -> Inst {
        let inst = self.insts.push(data);
        self.locations.push(location);
        let value = result.map(|ty| self.values.push(ValueData { ty, def: ValueDef::Result(inst) }));
        self.results.push(value);
        inst
    }

    /// Makes an instruction with a result, as [`make_inst`](Self::make_inst), and says which value that is.
    pub fn make_value(&mut self, data: InstData, ty: Type, location: SourceLoc) -> (Inst, Value) {
        let inst = self.make_inst(data, None, location);
        let value = self.values.push(ValueData { ty, def: ValueDef::Result(inst) });
        self.results[inst] = Some(value);
        (inst, value)
    }

    /// For each value the block that defines it, if it is one of these.
    pub fn homes<'b>(&self, blocks: impl IntoIterator<Item = &'b Block>) -> EntityMap<Value, Option<Block>> {
        let mut homes = EntityMap::filled(self.values.len(), None);
        for &block in blocks {
            let BlockData { params, insts, .. } = &self.blocks[block];
            let results = insts.iter().filter_map(|&inst| self.results[inst]);
            params.iter().copied().chain(results).for_each(|value| homes[value] = Some(block));
        }
        homes
    }

    /// Removes the block parameters that `keep` refuses, and the arguments that jumps pass for them.
    pub fn retain_block_params(&mut self, keep: impl Fn(Value) -> bool) {
        let Function { layout, blocks, insts, .. } = self;
        for &block in layout.iter() {
            let Some(&terminator) = blocks[block].insts.last() else { continue };
            for call in insts[terminator].successors_mut() {
                let mut params = blocks[call.block].params.iter();
                call.args.retain(|_| params.next().is_none_or(|&param| keep(param)));
            }
        }
        for &block in layout.iter() {
            blocks[block].params.retain(|&param| keep(param));
        }
    }

    /// Adds a remark on a source location.
    pub fn remark(&mut self, location: SourceLoc, kind: RemarkKind) {
        self.remarks.push(Remark { location, kind, count: 1 });
    }

    /// Returns true if it has addresses of other blocks' shared memory.
    pub fn maps_shared(&self) -> bool {
        let mut insts = self.layout.iter().flat_map(|&block| &self.blocks[block].insts);
        insts.any(|&inst| matches!(self.insts[inst], InstData::MapShared { .. }))
    }

    /// The hidden parameter with the address of the panic record, if the function has one: that named
    /// [`PANIC_PARAM`](kernel_abi::panic::PANIC_PARAM).
    pub fn panic_param(&self) -> Option<Param> {
        self.hidden_param(PANIC_PARAM)
    }

    /// Returns true if an instruction reads the panic record, or claims it.
    pub fn reads_panic_record(&self, inst: Inst) -> bool {
        let (InstData::AtomicCas { address, .. } | InstData::AtomicLoad { address, .. }) = self.insts[inst]
        else {
            return false;
        };
        let record = self.panic_param();
        matches!(self.def(address), Some(&InstData::Param { param }) if Some(param) == record)
    }

    /// Returns true if a parameter is the length of the slice before it, or the limit of a slice's elements, which is as large as another
    /// length.
    pub fn is_length(&self, param: Param) -> bool {
        let before = param.index().checked_sub(1).map(Param::from_index);
        self.params[param].pointer_align.is_none()
            && before.is_some_and(|before| self.params[before].pointer_align.is_some())
            || self.params.values().any(|slice| slice.elements.is_some_and(|limit| limit.below == param))
    }

    /// The address of the slice that a parameter is the length of: it is the parameter before, and the source calls both by one slice. A text of the IR, which
    /// has no source, calls them `x` and `x_len`.
    pub fn slice_of(&self, length: Param) -> Option<Param> {
        let slice = Param::from_index(length.index().checked_sub(1)?);
        let [address, count] = [slice, length].map(|param| &self.params[param]);
        let called = address.source_name();
        let is_its = match count.source.strip_suffix(".len()") {
            Some(name) => called.strip_suffix(".as_ptr()").unwrap_or(called) == name,
            None => {
                let has_source = !address.source.is_empty() || !count.source.is_empty();
                !has_source && count.name.strip_suffix("_len") == Some(called)
            }
        };
        (is_its && address.pointer_align.is_some() && count.pointer_align.is_none()).then_some(slice)
    }

    /// That parameter, the last one; added if there is none.
    pub fn last_panic_param(&mut self) -> Param {
        let Some(param) = self.panic_param() else {
            return self.params.push(ParamData {
                name: PANIC_PARAM.into(),
                ty: Type::I64,
                read_only: false,
                min: 0,
                max: None,
                elements: None,
                map_of: None,
                source: String::new(),
                pointer_align: Some(PanicRecord::ALIGN as u32),
            });
        };
        let others = self.params.keys().filter(|&other| other != param);
        self.keep_params(others.chain([param]).collect());
        Param::from_index(self.params.len() - 1)
    }

    /// Makes these the parameters, in this order. No instruction reads another.
    pub(crate) fn keep_params(&mut self, kept: Vec<Param>) {
        let mut places = EntityMap::filled(self.params.len(), Param::from_index(0));
        let mut params = EntityMap::new();
        for param in kept {
            places[param] = params.push(self.params[param].clone());
        }
        self.params = params;
        for inst in self.insts.keys() {
            if let InstData::Param { param } = &mut self.insts[inst] {
                *param = places[*param];
            }
        }
    }

    /// The hidden parameter with the address of the buffer for what is printed, if the function has one: that named
    /// [`PRINT_PARAM`](kernel_abi::output::PRINT_PARAM).
    pub fn print_param(&self) -> Option<Param> {
        self.hidden_param(kernel_abi::output::PRINT_PARAM)
    }

    /// Hidden parameters come last.
    fn hidden_param(&self, name: &str) -> Option<Param> {
        self.params.iter().rev().find(|(_, data)| data.name == name).map(|(param, _)| param)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{FunctionBuilder, parse_function};
    use super::*;

    /// A number that a user calls `a_len` is no length of `a`, and none that follows a raw pointer is one.
    #[test]
    fn lengths_of_slices() {
        let slices = |params: &[(&str, &str, Option<u32>)]| -> Vec<Option<usize>> {
            let mut b = FunctionBuilder::new("k");
            for (name, source, align) in params {
                let param = b.add_param(*name, if align.is_some() { Type::I64 } else { Type::I32 }, *align);
                b.set_source(param, *source);
            }
            let func = b.function();
            func.params.keys().map(|param| func.slice_of(param).map(|slice| slice.index())).collect()
        };
        let slice = [("a", "a.as_ptr()", Some(4)), ("a_len_", "a.len()", None), ("a_len", "", None)];
        assert_eq!(slices(&slice), [None, Some(0), None]);
        let other = [("a", "a.as_ptr()", Some(4)), ("a_len", "", None), ("b_len", "b.len()", None)];
        assert_eq!(slices(&other), [None; 3]);
        assert_eq!(slices(&[("p", "p", Some(4)), ("p_len", "", None)]), [None; 2]);
        let text =
            "kernel k(param0 a: i64 ptr align 4, param1 a_len: i32, param2 n: i32) {\nblock0:\n return\n}";
        let func = parse_function(text).unwrap();
        let found: Vec<_> = func.params.keys().map(|param| func.slice_of(param).is_some()).collect();
        assert_eq!(found, [false, true, false]);
    }

    #[test]
    fn every_panic_has_its_message() {
        let lines = PanicKind::TABLE.iter().enumerate().map(|(index, &(kind, name, _))| {
            assert_eq!(kind as usize, index, "the table is in the order of the kinds");
            format!("{name}: {}\n", kind.message(Some("the site's text"), &[7, 5]))
        });
        expect![[r#"
            index: index out of bounds: the len is 5 but the index is 7
            divide_by_zero: attempt to divide by zero
            remainder_by_zero: attempt to calculate the remainder with a divisor of zero
            divide_overflow: attempt to divide with overflow
            remainder_overflow: attempt to calculate the remainder with overflow
            add_overflow: attempt to add with overflow
            sub_overflow: attempt to subtract with overflow
            mul_overflow: attempt to multiply with overflow
            neg_overflow: attempt to negate with overflow
            shl_overflow: attempt to shift left with overflow
            shr_overflow: attempt to shift right with overflow
            zero_step: assertion failed: step != 0
            unwrap: called `Option::unwrap()` on a `None` value
            message: the site's text
            misaligned: misaligned vector access: counted from the start of the buffer, the index must be a multiple of 5; in this slice it is 7
            slice_order: slice index starts at 7 but ends at 5
            slice_start: range start index 7 out of range for slice of length 5
            slice_end: range end index 7 out of range for slice of length 5
            formatted: the site's text
        "#]]
        .assert_eq(&lines.collect::<String>());
    }
}
