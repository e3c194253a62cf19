//! Lowering: the typed tree to the IR. Here is the frame around it: the kernel's parameters, locations, failed checks.
//!
//! A value of the source becomes a list of SSA values ([`Values`]), as many as its type flattens to: none for `()`, one
//! for a scalar, three for a `Dim3`, address and length for a slice, one for each scalar of a struct. Calls are put in
//! place. Code after an expression that never finishes is not lowered: such an expression answers [`Diverges`], and `?`
//! skips the rest.

mod aggregate;
mod arith;
mod atomic;
mod builtin;
mod cache;
mod constant;
mod consume;
mod control;
mod expr;
mod fast_math;
mod frame;
mod iter;
pub(crate) mod layout;
mod memory;
mod message;
mod number;
mod overflow;
mod pattern;
mod place;
mod pointer;
mod range;
mod slots;
mod switch;
#[cfg(test)]
mod tests;
mod vector;
pub mod visit;
mod warp;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::Span;
use ptx_gen::ir::{
    Block, BranchHint, CacheHints, Coarsen, ConvertOp, ElementLimit, Entity, FileId, FunctionBuilder,
    IntCond, MapOf, Module, PanicKind, PanicSite, Param, RemarkKind, SharedVar, SourceLoc, Space, Type,
    Value,
};

use ptx::target::Arch;

use self::frame::{Frame, Return, Storage};
use self::layout::Layout;
pub use self::layout::scalar_type;
use crate::diagnostics::Loc;
use crate::typed::{FnId, Kernel, LoopId, Scalar, Ty};
use crate::views;

/// The SSA values of one value of the source.
type Values = Vec<Value>;

/// Control does not come past this expression.
struct Diverges;

/// The values of a lowered expression; `Err` if it diverges.
type Lowered<T = Values> = Result<T, Diverges>;

/// A kernel in IR, and the source locations of its code.
pub struct LoweredKernel {
    /// The module with its one function.
    pub module: Module,
    /// The token at each location of the IR.
    pub places: Places,
    /// The calls of functions of the device library with loops that are unrolled.
    pub library_loops: HashSet<SourceLoc>,
    /// The architectures from which on the library does something another way, of a kernel that is lowered for none.
    pub asked: BTreeSet<Arch>,
}

/// Tokens by the locations that the IR knows them by.
pub type Places = HashMap<SourceLoc, Loc>;

/// Lowers a kernel to a module with one function, for this architecture where one is named.
pub fn lower(kernel: &Kernel, target: Option<Arch>) -> LoweredKernel {
    let mut lowerer = Lowerer::new(kernel, target);
    lowerer.coarsen();
    lowerer.params();
    let body = &kernel.entry().body;
    if lowerer.block(body).is_ok() {
        lowerer.at(body.span);
        lowerer.b.ret();
    }
    lowerer.finish()
}

/// The most instructions of a kernel once every call is put in place: hours of work for an assembler.
const MOST_INSTRUCTIONS: usize = 400_000;

/// The kernel's own function.
const ENTRY: FnId = FnId(0);

/// The state of lowering one kernel.
struct Lowerer<'k> {
    kernel: &'k Kernel,
    /// The architecture that the code is for, if one is named.
    target: Option<Arch>,
    types: Layout<'k>,
    b: FunctionBuilder,
    /// By [`FnId`]: the functions around the current place, and what is left of others.
    frames: Vec<Option<Frame>>,
    captured: frame::Captured,
    captured_slots: frame::CapturedSlots,
    /// By [`FnId`]: which variables live in memory, once it was asked for.
    in_memory: Vec<Option<Rc<[bool]>>>,
    /// The function whose code is lowered.
    current: FnId,
    /// Targets of `return`, the innermost call last; none in the kernel itself.
    returns: Vec<Return>,
    /// Blocks of failed checks: put at the end of the text, out of the way of the code that runs.
    failures: Vec<Failure>,
    location: SourceLoc,
    /// The name of the value of one of the library's structs whose method the user's code calls around the current place.
    receiver: Option<String>,
    /// The hint for the branches of the current condition or `match`.
    hint: Option<BranchHint>,
    places: Places,
    library_loops: HashSet<SourceLoc>,
    asked: BTreeSet<Arch>,
    /// By [`FileId`].
    files: Vec<String>,
    /// The shared variables that were declared, by the type of the call in the tree.
    shared: HashMap<*const Ty, SharedVar>,
    /// The first variable that the dynamic shared memory is bound to.
    dynamic_name: Option<String>,
    /// The addresses of the tensor maps of matrices that are parameters, by the address of their elements.
    maps: HashMap<Value, Value>,
    /// Cache hints of the accesses being lowered.
    cache: CacheHints,
    /// Accesses to memory are volatile.
    is_volatile: bool,
    /// Bytes in constant tables.
    table_bytes: u64,
    /// More than [`MOST_INSTRUCTIONS`] were made, and that was said.
    is_too_large: bool,
}

/// A loop or labelled block around the current place.
#[derive(Clone, Copy)]
struct Loop {
    id: LoopId,
    /// Target of `break`, with the loop's value as argument.
    exit: Block,
    /// Target of `continue`.
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
    fn new(kernel: &'k Kernel, target: Option<Arch>) -> Lowerer<'k> {
        let mut b = FunctionBuilder::new(layout::entry_symbol(kernel));
        b.function().bounds = kernel.attrs.bounds;
        b.function().flush_subnormals = kernel.attrs.fast_math;
        let entry = b.create_block();
        b.seal(entry);
        b.switch_to(entry);
        let count = kernel.functions.len();
        Lowerer {
            kernel,
            target,
            types: Layout::new(kernel),
            b,
            frames: (0..count).map(|_| None).collect(),
            captured: frame::Captured::new(),
            captured_slots: frame::CapturedSlots::new(),
            in_memory: vec![None; count],
            current: ENTRY,
            returns: Vec::new(),
            failures: Vec::new(),
            location: SourceLoc::default(),
            receiver: None,
            hint: None,
            places: Places::new(),
            library_loops: HashSet::new(),
            asked: BTreeSet::new(),
            files: vec![kernel.name.span().file()],
            shared: HashMap::new(),
            dynamic_name: None,
            maps: HashMap::new(),
            cache: CacheHints::NORMAL,
            is_volatile: false,
            table_bytes: 0,
            is_too_large: false,
        }
    }

    /// Refuses something at the current place.
    fn refuse(&mut self, message: String) {
        let location = self.location;
        self.b.function().remark(location, RemarkKind::Refused(message));
    }

    /// Ends lowering if the kernel grows without measure: functions that call others twice double it each.
    fn check_length(&mut self) -> Lowered<()> {
        if self.b.function().insts.len() <= MOST_INSTRUCTIONS {
            return Ok(());
        }
        if !std::mem::replace(&mut self.is_too_large, true) {
            self.refuse(format!(
                "expected a kernel of at most {MOST_INSTRUCTIONS} instructions, found more: this call's are in place of it, as those \
                 of every call\nhelp: call functions in loops rather than many times, or divide the kernel"
            ));
        }
        Err(Diverges)
    }

    /// Asks for several elements a thread, if the kernel does.
    fn coarsen(&mut self) {
        let attrs = &self.kernel.attrs;
        if let (Some(by), Some(&loc)) = (attrs.coarsen, attrs.written.get("coarsen")) {
            let location = self.locate(loc);
            self.b.function().coarsen = Some(Coarsen { by, location });
        }
    }

    /// Declares the kernel's parameters and reads them. A struct is one parameter for each of its scalars.
    fn params(&mut self) {
        let kernel = self.kernel;
        self.push_frame(ENTRY, Vec::<Storage>::new());
        let mut slice = None;
        let mut matrices = Vec::new();
        for (index, local) in kernel.entry().params().iter().enumerate() {
            self.at(local.name.span());
            let name = match views::plain(&local.name) {
                Some(part) => self.unique_param_name(layout::ascii(&part)),
                None => layout::symbol(&local.name),
            };
            let values = match &local.ty {
                Ty::Slice { element, mutable } => {
                    let source = views::shown(&local.name);
                    let written = *mutable || matches!(**element, Ty::Atomic(_));
                    let pointer = Param::from_index(self.b.function().params.len());
                    slice = Some((pointer, &**element));
                    let values = self.slice_param(&name, &source, element, written);
                    // Elements of tiles: of four bytes `f32` alone.
                    let bytes = self.types.size_of(element) as u32;
                    let has_tiles = matches!(bytes, 1 | 2) || **element == Ty::Scalar(Scalar::F32);
                    let params = kernel.entry().params();
                    let is_matrix = params.get(index + 3).is_some_and(|last| views::is_stride(&last.name));
                    if self.target_has_warpgroups() && is_matrix && !written && has_tiles {
                        let of = MapOf { elements: pointer, element_bytes: bytes };
                        matrices.push((values[0], of));
                    }
                    values
                }
                Ty::Ref { inner, mutable } => {
                    let source = format!("ptr::from_ref({})", local.name);
                    vec![self.pointer_param(&name, source, inner, *mutable)]
                }
                // Others may write what is behind a `*const T`.
                Ty::Ptr { inner, .. } => {
                    vec![self.pointer_param(&name, local.name.to_string(), inner, true)]
                }
                ty => {
                    let source = views::shown(&local.name);
                    let paths = self.types.suffixes(ty, ".").into_iter();
                    let types =
                        self.types.flatten(ty).into_iter().zip(self.types.suffixes(ty, "_")).zip(paths);
                    let params: Vec<_> = types
                        .map(|((ty, suffix), path)| {
                            let name = match suffix.as_str() {
                                "" => name.clone(),
                                suffix => self.unique_param_name(format!("{name}{suffix}")),
                            };
                            let param = self.b.add_param(name, ty, None);
                            self.b.set_source(param, format!("{source}{path}"));
                            param
                        })
                        .collect();
                    if let (Some((pointer, Ty::Scalar(element))), [below]) = (slice, &params[..])
                        && views::is_bound(&local.name)
                    {
                        let bits = element.bits() - u32::from(element.is_signed());
                        let limit = ElementLimit { ty: scalar_type(*element), below: *below };
                        self.b.set_element_limit(pointer, limit, 1u64.checked_shl(bits));
                    }
                    let read: Values = params.into_iter().map(|param| self.b.param(param)).collect();
                    self.of_places(ty, &read)
                }
            };
            self.bind(crate::typed::LocalId(index), values);
        }
        for (address, of) in matrices {
            let map = self.b.add_tensor_map(of);
            let map = self.b.param(map);
            self.maps.insert(address, map);
        }
    }

    /// `tensor_map(slice)`: 0 if it is not that of a parameter.
    fn tensor_map(&mut self, slice: &crate::typed::Expr) -> Lowered {
        let address = self.expr(slice)?[0];
        Ok(vec![self.maps.get(&address).copied().unwrap_or_else(|| self.b.constant(Type::I64, 0))])
    }

    fn pointer_param(&mut self, name: &str, source: String, pointee: &Ty, mutable: bool) -> Value {
        let align = self.types.align_of(pointee) as u32;
        let param = self.b.add_param(name, Type::I64, Some(align));
        self.b.set_source(param, source);
        if !mutable {
            self.b.set_read_only(param);
        }
        let address = self.b.param(param);
        self.b.to_generic(Space::Global, address)
    }

    fn slice_param(&mut self, name: &str, source: &str, element: &Ty, mutable: bool) -> Values {
        let len_name = self.unique_param_name(format!("{name}_len"));
        let address = self.pointer_param(name, format!("{source}.as_ptr()"), element, mutable);
        let is_wide = self.kernel.attrs.wide_index;
        let len = self.b.add_param(len_name, if is_wide { Type::I64 } else { Type::I32 }, None);
        self.b.set_source(len, format!("{source}.len()"));
        let len = self.b.param(len);
        vec![address, if is_wide { len } else { self.b.convert(ConvertOp::ZeroExtend, len, Type::I64) }]
    }

    /// `name`, or the first longer one that no parameter of the kernel has.
    fn unique_param_name(&mut self, mut name: String) -> String {
        let params = self.kernel.entry().params();
        while params.iter().any(|param| layout::symbol(&param.name) == name)
            || self.b.function().params.values().any(|param| param.name == name)
        {
            name.push('_');
        }
        name
    }

    fn finish(mut self) -> LoweredKernel {
        for failure in std::mem::take(&mut self.failures) {
            self.b.switch_to(failure.block);
            self.b.set_location(failure.location);
            self.b.panic(failure.site, &failure.args);
        }
        let module = Module { files: self.files, functions: vec![self.b.finish()] };
        let Lowerer { places, library_loops, asked, .. } = self;
        LoweredKernel { module, places, library_loops, asked }
    }

    // Locations.

    /// Code that follows comes from here. Returns where the code before it came from. Code of the device library has the
    /// place of the call.
    fn at(&mut self, span: Span) -> SourceLoc {
        if self.function().is_library {
            return self.location;
        }
        let location = self.locate(span.into());
        self.back_at(location)
    }

    /// The location of tokens of the user's. An error there underlines them: the tokens that came first, if several begin
    /// there.
    fn locate(&mut self, loc: Loc) -> SourceLoc {
        let start = loc.start.start();
        let file = self.file(loc.start);
        let (line, column) = (start.line as u32, start.column as u32 + 1);
        let location = SourceLoc { file, line, column, caller: None };
        self.places.entry(location).or_insert(loc);
        location
    }

    fn file(&mut self, span: Span) -> FileId {
        let file = span.file();
        let known = self.files.iter().position(|known| *known == file);
        let index = known.unwrap_or_else(|| {
            self.files.push(file);
            self.files.len() - 1
        });
        FileId(index as u32)
    }

    fn back_at(&mut self, location: SourceLoc) -> SourceLoc {
        self.b.set_location(location);
        std::mem::replace(&mut self.location, location)
    }

    // Checks.

    /// Goes on if `holds`; the thread panics if not.
    fn check(&mut self, holds: Value, kind: PanicKind, args: Values) {
        let site = self.b.panic_site(kind);
        self.check_site(holds, site, args);
    }

    /// Goes on if `holds`; the thread panics with an index or a range in what has this name if not.
    fn check_in(&mut self, holds: Value, kind: PanicKind, args: Values, indexed: Option<String>) {
        let site = self.b.panic_in(kind, indexed);
        self.check_site(holds, site, args);
    }

    /// Goes on if `holds`; the thread panics with this message if not.
    fn check_message(&mut self, holds: Value, message: &str) {
        let site = self.b.panic_message(message);
        self.check_site(holds, site, Values::new());
    }

    fn check_site(&mut self, holds: Value, site: PanicSite, args: Values) {
        let (proceed, block) = (self.b.create_block(), self.b.create_block());
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
