//! Shared memory: where it is declared, and how much there is.

use kernel_abi::tensor_map::SWIZZLE_BYTES;
use ptx::target::{Arch, DEFAULT_SHARED_PER_BLOCK};

use super::Checker;
use super::expr::NOTHING;
use crate::ast::{Expr, ExprKind};
use crate::builtins::Builtin;
use crate::device::library;
use crate::diagnostics::Loc;
use crate::infer::Resolved;
use crate::lower::layout::Layout;
use crate::typed::{self, FnId, Scalar, StructDef, Ty};

/// Bytes of shared memory that the compiler may add where blocks access each other's.
const CLUSTER_BYTES: u64 = ptx_gen::passes::cluster_memory::BYTES as u64;

/// Static shared memory of a block, on every architecture.
const MAX_SHARED: u64 = DEFAULT_SHARED_PER_BLOCK as u64;

impl<'p> Checker<'_, '_, 'p> {
    /// A call of `shared` or `shared_dyn`.
    pub(super) fn is_shared_call(&self, expr: &Expr) -> bool {
        match self.infer.resolved(expr.id) {
            Some(Resolved::Builtin(function)) => {
                matches!(function.builtin, Builtin::Shared | Builtin::SharedDyn)
            }
            _ => false,
        }
    }

    /// `shared` as the initial value of a variable, the only place of it.
    pub(super) fn shared_call(&mut self, init: &'p Expr) -> typed::Expr {
        let ty = self.ty(init);
        let builtin = match &ty {
            Ty::Shared(_) => Builtin::Shared,
            _ => Builtin::SharedDyn,
        };
        if let Ty::Shared(of) | Ty::SharedDyn(of) = &ty {
            if let Some(def) = enum_without_layout(of, &self.infer.world.structs) {
                let help = match def.is_library {
                    true => "keep the number of the variant and the data in arrays of their own",
                    false => "write `#[derive(Clone, Copy, Element)]` and `#[repr(C, u32)]` above it",
                };
                let message = format!(
                    "expected a type of which any thread may write a part in shared memory, found `{}`, whose layout is not stated\n\
                     help: {help}",
                    def.name
                );
                self.error(init.loc, message);
            } else if holds_reference(of, &self.infer.world.structs) {
                let found = crate::infer::written(of, &self.infer.world.structs, &self.infer.world.enums);
                self.error(
                    init.loc,
                    format!("expected a type of plain data in shared memory, found `{found}`\nhelp: keep indices instead of references"),
                );
            }
            self.refuse_misplaced_tiles(init, of, builtin);
            if builtin == Builtin::Shared {
                self.count_shared(init, of);
            }
        }
        let kind = typed::ExprKind::Call { builtin, args: Vec::new() };
        typed::Expr { kind, ty, span: init.loc.start }
    }

    /// Groups of warps read tiles by the pattern of their swizzling, of which whole ones lie in memory from its start on.
    fn refuse_misplaced_tiles(&mut self, init: &Expr, of: &Ty, builtin: Builtin) {
        let world = &self.infer.world;
        if !world.attrs.arch_names().contains(&Arch::Sm90a) {
            return;
        }
        // Dynamic memory is an array of as many as there is room for.
        let all = Ty::Array(Box::new(of.clone()), if builtin == Builtin::SharedDyn { 2 } else { 1 });
        let tiles = Layout::of(&world.structs, &world.enums).whole_tiles(&all);
        if let Some(at) = tiles.into_iter().find(|at| !at.is_multiple_of(SWIZZLE_BYTES.into())) {
            let message = format!(
                "expected tiles at multiples of {SWIZZLE_BYTES} bytes, as `sm_90a` multiplies them, found one at byte {at}\nhelp: make a \
                 variable of its own of what lies before it, or that a multiple of {SWIZZLE_BYTES} bytes long"
            );
            self.error(init.loc, message);
        }
    }

    pub(super) fn refuse_shared(&mut self, expr: &Expr, builtin: Builtin) {
        let (name, example) = match builtin {
            Builtin::Shared => ("shared", "shared::<[T; N]>()"),
            _ => ("shared_dyn", "shared_dyn::<T>()"),
        };
        let message = format!(
            "expected `{name}` as the initial value of a variable, found it inside an expression\nhelp: write \
             `let mut tile = {example};`"
        );
        self.error(expr.loc, message);
    }

    /// Another block's variable in shared memory.
    pub(super) fn cluster_shared(
        &mut self,
        expr: &'p Expr,
        builtin: Builtin,
        args: &'p [Expr],
    ) -> typed::ExprKind {
        self.refuse_without_cluster(expr);
        let [Expr { kind: ExprKind::Ref { place, .. }, .. }, rank] = args else {
            return typed::ExprKind::Literal(NOTHING);
        };
        let (variable, rank) = (self.value(place), self.value(rank));
        let structs = &self.infer.world.structs;
        // Tiles and their like; `Reverse`, `Wrapping` and wide integers are values.
        let of_library = |part: &Ty| matches!(part, Ty::Struct(id) if structs[id.0].is_library && !library::is_value(&structs[id.0].name));
        if let Ty::Shared(of) | Ty::SharedDyn(of) = &variable.ty
            && typed::holds(of, structs, of_library)
        {
            let found = crate::infer::written(of, structs, &self.infer.world.enums);
            let message = format!(
                "expected a variable of numbers, vectors, structs or atomics, found one of `{found}`, which only its own block can use\n\
                 help: copy what the others need into an array: `shared::<[f32; 256]>()`"
            );
            self.error(place.loc, message);
        }
        // The compiler adds words of its own in kernels that may panic.
        let so_far = self.infer.world.shared_bytes;
        if !std::mem::replace(&mut self.infer.world.keeps_blocks, true) && so_far <= MAX_SHARED {
            let total = so_far.next_multiple_of(CLUSTER_BYTES) + CLUSTER_BYTES;
            self.infer.world.shared_bytes = total;
            if total > MAX_SHARED {
                let message = format!(
                    "expected at most {MAX_SHARED} bytes of static shared memory in a kernel, found {total} with the {CLUSTER_BYTES} that \
                     `cluster::shared` takes\nhelp: make the kernel's arrays smaller"
                );
                self.error(self.users_place(expr.loc), message);
            }
        }
        typed::ExprKind::Call { builtin, args: vec![variable, rank] }
    }

    fn count_shared(&mut self, init: &Expr, of: &Ty) {
        let layout = Layout::of(&self.infer.world.structs, &self.infer.world.enums);
        let (bytes, align) = (layout.size_of(of), layout.align_of(of));
        let so_far = self.infer.world.shared_bytes;
        let total = so_far.checked_next_multiple_of(align).and_then(|start| start.checked_add(bytes));
        let total = total.filter(|_| bytes < u64::MAX);
        match total {
            Some(total) if total <= MAX_SHARED => self.infer.world.shared_bytes = total,
            // Reported before: further variables are not reported again.
            _ if so_far > MAX_SHARED => {}
            total => {
                self.infer.world.shared_bytes = u64::MAX;
                let found = total.map_or("more than 64 bits can count".to_owned(), |total| total.to_string());
                let world = &self.infer.world;
                let (with, help) = match self.in_library() {
                    true => (" with what this call needs", "make the kernel's arrays smaller".to_owned()),
                    false if bytes <= most_dynamic(&world.attrs.arch_names()) => {
                        let written = crate::infer::written(of, &world.structs, &world.enums);
                        let help = format!(
                            "make it dynamic: `shared_dyn::<{written}>()`, whose element `[0]` is this one, and `.shared({bytes})` at \
                             the launch"
                        );
                        ("", help)
                    }
                    false => ("", "make the array smaller".to_owned()),
                };
                let message = format!(
                    "expected at most {MAX_SHARED} bytes of static shared memory in a kernel, found {found}{with}\nhelp: {help}"
                );
                self.error(self.users_place(init.loc), message);
            }
        }
    }

    /// Maps a location in this function to one in the user's text: in a library function, to the call that leads to it.
    pub(super) fn users_place(&self, loc: Loc) -> Loc {
        let world = &self.infer.world;
        let is_library = |id: FnId| {
            let instance = world.instances.get(id.0);
            instance.is_some_and(|instance| world.program.functions[instance.function.0].is_library)
        };
        let caller = |callee: FnId| {
            world.instances.iter().enumerate().find_map(|(index, instance)| {
                let call = instance.calls.iter().find(|call| call.0 == callee)?;
                Some((FnId(index), call.1))
            })
        };
        let (mut loc, mut function) = (loc, self.infer.me);
        // No chain of calls is longer than there are functions.
        for _ in 0..world.instances.len() {
            match caller(function) {
                Some((by, at)) if is_library(function) => (function, loc) = (by, at),
                Some(_) | None => break,
            }
        }
        loc
    }
}

/// The dynamic shared memory, in bytes, that each of these architectures has for a block; of none, that some architecture has.
fn most_dynamic(archs: &[Arch]) -> u64 {
    let limit = |arch: &Arch| arch.limits().shared_per_block_optin;
    let most = archs.iter().map(limit).min().or_else(|| Arch::ALL.iter().map(limit).max());
    most.map_or(MAX_SHARED, u64::from)
}

/// The first enum with data in a type that may not be an element of a slice: zeros are no value of it, and its variants do not share their
/// bytes, so that a race may leave what the variant does not have in them.
fn enum_without_layout<'t>(ty: &Ty, structs: &'t [StructDef]) -> Option<&'t StructDef> {
    typed::find_part(ty, structs, &|part| match part {
        Ty::Struct(id) if !structs[id.0].variants.is_empty() && !structs[id.0].is_element => {
            Some(&structs[id.0])
        }
        _ => None,
    })
}

fn holds_reference(ty: &Ty, structs: &[StructDef]) -> bool {
    typed::holds(ty, structs, |part| match part {
        Ty::Ref { .. }
        | Ty::Ptr { .. }
        | Ty::Slice { .. }
        | Ty::Shared(_)
        | Ty::SharedDyn(_)
        | Ty::Closure { .. }
        | Ty::Function(_) => true,
        Ty::Unit
        | Ty::Never
        | Ty::Scalar(_)
        | Ty::Dim3
        | Ty::Enum(_)
        | Ty::Atomic(_)
        | Ty::Vector(..)
        | Ty::Tuple(_)
        | Ty::Array(..)
        | Ty::Option(_)
        | Ty::Struct(_) => false,
    })
}

/// Size and alignment in bytes; no size if 64 bits cannot hold it.
pub fn layout(ty: &Ty, structs: &[StructDef]) -> (Option<u64>, u64) {
    let all = |parts: &mut dyn Iterator<Item = (Option<u64>, u64)>, least: u64| {
        let (mut size, mut align) = (Some(0_u64), least);
        for (bytes, part_align) in parts {
            size = size.and_then(|size| size.next_multiple_of(part_align).checked_add(bytes?));
            align = align.max(part_align);
        }
        (size.and_then(|size| size.checked_next_multiple_of(align)), align)
    };
    match ty {
        Ty::Scalar(Scalar::Bool) => (Some(1), 1),
        Ty::Scalar(scalar) => {
            let bytes = u64::from(scalar.bits() / 8);
            (Some(bytes), bytes)
        }
        Ty::Atomic(atomic) => layout(&atomic.kind.value_ty(), structs),
        Ty::Array(element, len) => {
            let (bytes, align) = layout(element, structs);
            (bytes.and_then(|bytes| bytes.checked_mul(*len)), align)
        }
        Ty::Tuple(parts) => all(&mut parts.iter().map(|part| layout(part, structs)), 1),
        Ty::Struct(id) => {
            let extent = structs[id.0].extent.unwrap_or_default();
            (Some(extent.bytes).filter(|&bytes| bytes < u64::MAX), extent.align.max(1))
        }
        Ty::Vector(scalar, lanes) => {
            let bytes = u64::from(scalar.bits() / 8) * u64::from(*lanes);
            (Some(bytes), bytes)
        }
        Ty::Option(some) => all(&mut [layout(some, structs), (Some(1), 1)].into_iter(), 1),
        Ty::Enum(_) => (Some(4), 4),
        Ty::Dim3 => (Some(24), 8),
        Ty::Ptr { .. } => (Some(8), 8),
        Ty::Unit
        | Ty::Never
        | Ty::Ref { .. }
        | Ty::Slice { .. }
        | Ty::Shared(_)
        | Ty::SharedDyn(_)
        | Ty::Closure { .. }
        | Ty::Function(_) => (Some(0), 1),
    }
}
