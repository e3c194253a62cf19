//! Functions and methods that the language knows: where a thread is, shared memory, lengths.

use kernel_abi::tensor_map::SWIZZLE_BYTES;
use ptx::target::Arch;
use ptx_gen::inline::placeholder;
use ptx_gen::ir::{
    BarrierOp, BinaryOp as Op, Collective, ConvertOp, InlineData, IntCond, MatchMode, MemoryOrder,
    MemoryScope, PanicKind, ReduxOp, ShuffleMode, Space, SpecialRegister, Type, Value, VoteMode,
};

use super::{Lowered, Lowerer, Values};
use crate::builtins::Builtin;
use crate::typed::{Expr, ExprKind, Ty};

const THREAD: [SpecialRegister; 3] = [SpecialRegister::TidX, SpecialRegister::TidY, SpecialRegister::TidZ];
const BLOCK: [SpecialRegister; 3] =
    [SpecialRegister::CtaidX, SpecialRegister::CtaidY, SpecialRegister::CtaidZ];
const BLOCK_SIZE: [SpecialRegister; 3] =
    [SpecialRegister::NtidX, SpecialRegister::NtidY, SpecialRegister::NtidZ];
const GRID_SIZE: [SpecialRegister; 3] =
    [SpecialRegister::NctaidX, SpecialRegister::NctaidY, SpecialRegister::NctaidZ];

impl Lowerer<'_> {
    /// A call of a builtin, of type `ty`.
    pub(super) fn call(&mut self, builtin: Builtin, args: &[Expr], ty: &Ty) -> Lowered {
        match builtin {
            Builtin::ThreadIdx
            | Builtin::BlockIdx
            | Builtin::BlockDim
            | Builtin::GridDim
            | Builtin::GlobalIdx
            | Builtin::GlobalSize
            | Builtin::SpecialAxes(_) => Ok((0..3).map(|axis| self.position(builtin, axis)).collect()),
            Builtin::SpecialIndex(register) => {
                let index = self.b.special(register);
                Ok(vec![self.b.convert(ConvertOp::ZeroExtend, index, Type::I64)])
            }
            Builtin::WarpId => Ok(vec![self.warp_id()]),
            Builtin::Special(register) => Ok(vec![self.b.special(register)]),
            Builtin::Nanosleep => {
                let time = self.expr(&args[0])?;
                let (text, ins) = (format!("nanosleep.u32 {};", placeholder(0)), vec![Type::I32]);
                let asm = self.b.add_inline(InlineData {
                    text,
                    outs: Vec::new(),
                    ins,
                    memory: false,
                    collective: None,
                });
                self.b.inline(asm, time, false);
                Ok(Values::new())
            }
            Builtin::Barrier => {
                self.b.barrier();
                Ok(Values::new())
            }
            Builtin::NamedBarrier { waits } => self.named_barrier(waits, args),
            Builtin::ClusterBarrier => {
                self.b.cluster_barrier();
                Ok(Values::new())
            }
            Builtin::ClusterShared { .. } => self.cluster_shared(&args[0], &args[1]),
            Builtin::ClusterAddress => {
                let (address, rank) = (self.scalar(&args[0])?, self.scalar(&args[1])?);
                Ok(vec![self.b.map_shared(address, rank)])
            }
            Builtin::GridBarrier => {
                self.b.grid_barrier();
                Ok(Values::new())
            }
            Builtin::Shared => Ok(self.shared_variable(ty, "shared".into())),
            Builtin::Len => self.len(&args[0]),
            Builtin::GetUnchecked => self.get_unchecked(&args[0], &args[1]),
            Builtin::PtrAdd
            | Builtin::PtrOffset
            | Builtin::PtrSub
            | Builtin::PtrByteOffset
            | Builtin::PtrByteSub
            | Builtin::PtrRead
            | Builtin::PtrWrite
            | Builtin::PtrReadVolatile
            | Builtin::PtrWriteVolatile
            | Builtin::PtrIsNull
            | Builtin::PtrOffsetFrom
            | Builtin::PtrNull
            | Builtin::SliceAsPtr
            | Builtin::SliceFromRaw => self.pointer_call(builtin, args, ty),
            Builtin::ShflUp | Builtin::ShflUpSync => self.shuffle(ShuffleMode::Up, args, false),
            Builtin::ShflUpWidth | Builtin::ShflUpWidthSync => self.shuffle(ShuffleMode::Up, args, true),
            Builtin::ShflDown | Builtin::ShflDownSync => self.shuffle(ShuffleMode::Down, args, false),
            Builtin::ShflDownWidth | Builtin::ShflDownWidthSync => {
                self.shuffle(ShuffleMode::Down, args, true)
            }
            Builtin::ShflXor | Builtin::ShflXorSync => self.shuffle(ShuffleMode::Xor, args, false),
            Builtin::ShflXorWidth | Builtin::ShflXorWidthSync => self.shuffle(ShuffleMode::Xor, args, true),
            Builtin::ShflIdx | Builtin::ShflIdxSync => self.shuffle(ShuffleMode::Idx, args, false),
            Builtin::ShflIdxWidth | Builtin::ShflIdxWidthSync => self.shuffle(ShuffleMode::Idx, args, true),
            Builtin::VectorNew => self.concat(args),
            Builtin::VectorSplat => self.repeated(&args[0], ty),
            // An array is its elements one after the other, as a vector its lanes.
            Builtin::VectorFromArray | Builtin::VectorToArray => self.expr(&args[0]),
            Builtin::VectorSum => self.sum_of_lanes(&args[0]),
            Builtin::VectorLoad => self.load_vector(args, ty),
            Builtin::LoadMatrix
            | Builtin::LoadMatrixTransposed
            | Builtin::LoadMatrixUnchecked
            | Builtin::LoadMatrixTransposedUnchecked => self.load_matrix(builtin, args, ty),
            Builtin::VectorStore => self.store_vector(args),
            Builtin::FenceBlock => Ok(self.fence(MemoryScope::Block)),
            Builtin::FenceDevice => Ok(self.fence(MemoryScope::Device)),
            Builtin::FenceSystem => Ok(self.fence(MemoryScope::System)),
            Builtin::Fence => unreachable!("checking makes an expression of its own of `fence`"),
            // Whoever uses it says which type it is of.
            Builtin::SharedDyn => Ok(Values::new()),
            Builtin::TargetAtLeast => {
                let holds = self.target_at_least(args);
                Ok(vec![self.bool(holds)])
            }
            Builtin::SizeOf
            | Builtin::AlignOf
            | Builtin::TargetMayHaveWarpgroups
            | Builtin::TargetBlockThreads => {
                unreachable!("checking makes a literal of it")
            }
            Builtin::TargetHasWarpgroups => {
                let holds = self.target_has_warpgroups();
                Ok(vec![self.bool(holds)])
            }
            Builtin::TargetConvertsSmallFloats => {
                let holds = self.target_converts_small_floats();
                Ok(vec![self.bool(holds)])
            }
            Builtin::HasPanicked => Ok(vec![self.b.has_panicked()]),
            Builtin::TensorMap => self.tensor_map(&args[0]),
            Builtin::Party => Ok(self.marker(Collective::Party)),
            Builtin::WholeBlock => Ok(self.marker(Collective::Block)),
            Builtin::WarpSync | Builtin::WarpSyncMask => self.warp_sync(args),
            Builtin::ActiveMask => Ok(vec![self.b.active_mask()]),
            Builtin::Ballot | Builtin::BallotSync => self.vote(VoteMode::Ballot, args),
            Builtin::WarpAny | Builtin::WarpAnySync => self.vote(VoteMode::Any, args),
            Builtin::WarpAll | Builtin::WarpAllSync => self.vote(VoteMode::All, args),
            Builtin::MatchAny | Builtin::MatchAnySync => self.match_lanes(MatchMode::Any, args),
            Builtin::MatchAll | Builtin::MatchAllSync => self.match_lanes(MatchMode::All, args),
            Builtin::BlockCount => self.vote_of_block(BarrierOp::Count, args),
            Builtin::BlockAny => self.vote_of_block(BarrierOp::Or, args),
            Builtin::BlockAll => self.vote_of_block(BarrierOp::And, args),
            Builtin::Dot4 => self.dot4(args),
            Builtin::Mma | Builtin::MmaSparse => self.matrix_product(None, args),
            Builtin::MmaOf(product) => self.matrix_product(Some(product), args),
            Builtin::GroupProducts(operands) => self.group_products(operands, args),
            Builtin::ReduxAdd => self.redux(args, [ReduxOp::Add; 2]),
            Builtin::ReduxMin => self.redux(args, [ReduxOp::SMin, ReduxOp::UMin]),
            Builtin::ReduxMax => self.redux(args, [ReduxOp::SMax, ReduxOp::UMax]),
            Builtin::ReduxAnd => self.redux(args, [ReduxOp::And; 2]),
            Builtin::ReduxOr => self.redux(args, [ReduxOp::Or; 2]),
            Builtin::ReduxXor => self.redux(args, [ReduxOp::Xor; 2]),
            Builtin::FastSin
            | Builtin::FastCos
            | Builtin::FastExp2
            | Builtin::FastExp2Ftz
            | Builtin::FastLog2
            | Builtin::FastTanh
            | Builtin::FastSqrt
            | Builtin::FastRsqrt
            | Builtin::FastRecip
            | Builtin::FastRecipFtz
            | Builtin::FastSaturate
            | Builtin::FastDiv
            | Builtin::Sqrt
            | Builtin::Abs
            | Builtin::Min
            | Builtin::Max
            | Builtin::Clamp
            | Builtin::MulAdd
            | Builtin::Floor
            | Builtin::Ceil
            | Builtin::Trunc
            | Builtin::RoundTiesEven
            | Builtin::Copysign
            | Builtin::Recip
            | Builtin::IsNan
            | Builtin::IsInfinite
            | Builtin::IsFinite
            | Builtin::ToBits
            | Builtin::FromBits
            | Builtin::WrappingAdd
            | Builtin::WrappingSub
            | Builtin::WrappingMul
            | Builtin::UncheckedAdd
            | Builtin::UncheckedSub
            | Builtin::UncheckedMul
            | Builtin::MulHi
            | Builtin::WrappingNeg
            | Builtin::WrappingShl
            | Builtin::WrappingShr
            | Builtin::AbsDiff
            | Builtin::UnsignedAbs
            | Builtin::Signum
            | Builtin::CountOnes
            | Builtin::CountZeros
            | Builtin::LeadingZeros
            | Builtin::TrailingZeros
            | Builtin::RotateLeft
            | Builtin::RotateRight
            | Builtin::ReverseBits
            | Builtin::SwapBytes
            | Builtin::IsPowerOfTwo => {
                let args =
                    args.iter().map(|arg| Ok((self.expr(arg)?, &arg.ty))).collect::<Lowered<Vec<_>>>()?;
                let receiver = self.types.scalar(args[0].1);
                let result = self.types.scalar(ty);
                let lanes: Vec<&[Value]> = args.iter().map(|(values, _)| values.as_slice()).collect();
                Ok(self.by_lane(&lanes, |this, values| {
                    this.arithmetic_builtin(builtin, values, receiver, result)
                }))
            }
        }
    }

    /// `target::at_least(n)`, whose argument checking has made a constant. Without an architecture the answer is no, and what was asked is
    /// kept.
    pub(super) fn target_at_least(&mut self, args: &[Expr]) -> bool {
        let number = match args {
            [Expr { kind: ExprKind::Literal(value), .. }] => value.bits,
            _ => 0,
        };
        match self.target {
            Some(target) => u64::from(target.number()) >= number,
            None => {
                let number = number as u32;
                let arch = Arch::from_compute_capability(number / 10, number % 10);
                self.asked.extend(arch.filter(|arch| *arch > Arch::FLOOR));
                false
            }
        }
    }

    /// `target::has_warpgroups()`: `wgmma` is in `sm_90a` only.
    pub(super) fn target_has_warpgroups(&self) -> bool {
        self.target == Some(Arch::Sm90a)
    }

    /// `target::converts_small_floats()`: such instructions of `cvt` are in the targets of two chips (PTX ISA, "cvt").
    pub(super) fn target_converts_small_floats(&self) -> bool {
        matches!(self.target, Some(Arch::Sm100a | Arch::Sm120a))
    }

    fn fence(&mut self, scope: MemoryScope) -> Values {
        self.b.fence(scope, MemoryOrder::SeqCst);
        Values::new()
    }

    /// `.x`, `.y`, `.z`; of a call only the axis asked for is computed.
    pub(super) fn axis(&mut self, base: &Expr, axis: usize) -> Lowered {
        match &base.kind {
            ExprKind::Call { builtin, args } if args.is_empty() => Ok(vec![self.position(*builtin, axis)]),
            _ => Ok(vec![self.expr(base)?[axis]]),
        }
    }

    /// One axis of where a thread is, as a `usize`. Special registers have 32 bits, and a launch checks that products fit,
    /// unless the kernel has `index(u64)`.
    fn position(&mut self, builtin: Builtin, axis: usize) -> Value {
        // The library's collectives of blocks do less where they know the block.
        if let (Builtin::BlockDim, Some(block), true) =
            (builtin, self.kernel.attrs.bounds.block, self.function().is_library)
        {
            return self.i64(block[axis].into());
        }
        let value = if builtin == Builtin::GlobalIdx {
            let block = self.index_register(BLOCK[axis]);
            let size = self.index_register(BLOCK_SIZE[axis]);
            let before = self.b.binary_nuw(Op::Mul, block, size);
            let thread = self.index_register(THREAD[axis]);
            self.b.binary_nuw(Op::Add, before, thread)
        } else if builtin == Builtin::GlobalSize {
            let grid = self.index_register(GRID_SIZE[axis]);
            let size = self.index_register(BLOCK_SIZE[axis]);
            self.b.binary_nuw(Op::Mul, grid, size)
        } else {
            let named = [
                (Builtin::ThreadIdx, THREAD),
                (Builtin::BlockIdx, BLOCK),
                (Builtin::BlockDim, BLOCK_SIZE),
                (Builtin::GridDim, GRID_SIZE),
            ];
            let registers = match builtin {
                Builtin::SpecialAxes(registers) => registers,
                builtin => {
                    named.iter().find(|row| row.0 == builtin).expect("only these have the type Dim3").1
                }
            };
            self.b.special(registers[axis])
        };
        match self.b.ty(value) {
            Type::I64 => value,
            _ => self.b.convert(ConvertOp::ZeroExtend, value, Type::I64),
        }
    }

    /// A special register at the width of the kernel's indices.
    fn index_register(&mut self, register: SpecialRegister) -> Value {
        let value = self.b.special(register);
        match self.kernel.attrs.wide_index {
            true => self.b.convert(ConvertOp::ZeroExtend, value, Type::I64),
            false => value,
        }
    }

    /// The thread's index in its block, x fastest, over 32. A block has at most 1024 threads.
    fn warp_id(&mut self) -> Value {
        let z = self.b.special(THREAD[2]);
        let height = self.b.special(BLOCK_SIZE[1]);
        let rows = self.b.binary_nuw(Op::Mul, z, height);
        let y = self.b.special(THREAD[1]);
        let row = self.b.binary_nuw(Op::Add, rows, y);
        let width = self.b.special(BLOCK_SIZE[0]);
        let before = self.b.binary_nuw(Op::Mul, row, width);
        let x = self.b.special(THREAD[0]);
        let linear = self.b.binary_nuw(Op::Add, before, x);
        let five = self.b.constant(Type::I32, 5);
        let warp = self.b.binary(Op::LShr, linear, five);
        self.b.convert(ConvertOp::ZeroExtend, warp, Type::I64)
    }

    /// Declares a variable in static shared memory; its value is its address. `ty` is that of the call: a function that is
    /// put in several places has one variable for each call in its text, as one with `static` has in CUDA.
    pub(super) fn shared_variable(&mut self, ty: &Ty, name: String) -> Values {
        let Ty::Shared(inner) = ty else { unreachable!("checking gives `shared` its type") };
        let var = match self.shared.get(&std::ptr::from_ref(ty)) {
            Some(var) => *var,
            None => {
                let bytes = u32::try_from(self.types.size_of(inner)).unwrap_or(u32::MAX);
                let align = self.shared_align(inner);
                let name = self.unique_shared_name(name);
                let var = self.b.add_shared(name, bytes, align);
                self.shared.insert(std::ptr::from_ref(ty), var);
                var
            }
        };
        vec![self.b.shared_address(var)]
    }

    /// Another block's variable in shared memory.
    fn cluster_shared(&mut self, variable: &Expr, rank: &Expr) -> Lowered {
        let (address, len) = match &variable.ty {
            Ty::SharedDyn(element) => {
                let (address, len) = self.dynamic_address(element);
                (address, Some(len))
            }
            _ => (self.scalar(variable)?, None),
        };
        let rank = self.scalar(rank)?;
        let blocks = self.b.special(SpecialRegister::ClusterNctaRank);
        let blocks = self.b.convert(ConvertOp::ZeroExtend, blocks, Type::I64);
        let inside = self.b.int_compare(IntCond::ULt, rank, blocks);
        self.check(inside, PanicKind::Index, vec![rank, blocks]);
        let rank = self.b.convert(ConvertOp::Truncate, rank, Type::I32);
        let address = self.b.map_shared(address, rank);
        let address = self.b.to_generic(Space::Cluster, address);
        Ok([address].into_iter().chain(len).collect())
    }

    /// The block's dynamic shared memory as a slice.
    pub(super) fn dynamic_shared(&mut self, element: &Ty) -> Values {
        let (address, len) = self.dynamic_address(element);
        vec![self.b.to_generic(Space::Shared, address), len]
    }

    /// The address of the dynamic shared memory, and how many elements it holds.
    fn dynamic_address(&mut self, element: &Ty) -> (Value, Value) {
        let known = self.b.function().shared.iter().find(|(_, data)| data.is_dynamic()).map(|(var, _)| var);
        let var = match known {
            Some(var) => var,
            None => {
                let name = self.dynamic_name.clone().unwrap_or_else(|| "dynamic".to_owned());
                let name = self.unique_shared_name(name);
                self.b.add_shared(name, 0, 16)
            }
        };
        let align = self.shared_align(element);
        self.b.align_shared(var, align);
        let address = self.b.shared_address(var);
        let bytes = self.b.special(SpecialRegister::DynamicSharedSize);
        let bytes = self.b.convert(ConvertOp::ZeroExtend, bytes, Type::I64);
        let size = self.i64(self.types.size_of(element).max(1));
        (address, self.b.binary(Op::UDiv, bytes, size))
    }

    /// The alignment of a shared variable. Where `wgmma` multiplies tiles, whole patterns of their swizzling begin at multiples of their size.
    fn shared_align(&self, ty: &Ty) -> u32 {
        let holds_patterns = self.target_has_warpgroups() && !self.types.whole_tiles(ty).is_empty();
        if holds_patterns { SWIZZLE_BYTES } else { self.types.align_of(ty) as u32 }
    }

    fn unique_shared_name(&mut self, name: String) -> String {
        let mut unique = name.clone();
        let mut number = 1;
        while self.b.function().shared.values().any(|data| data.name == unique) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        unique
    }

    /// `.len()`: a slice knows its own, an array has that of its type.
    fn len(&mut self, of: &Expr) -> Lowered {
        let ty = match &of.ty {
            Ty::Ref { inner, .. } | Ty::Shared(inner) => inner,
            ty => ty,
        };
        if let Ty::SharedDyn(element) = ty {
            return Ok(vec![self.dynamic_shared(element)[1]]);
        }
        if let Ty::Array(_, len) = ty {
            let len = *len;
            self.place(of)?;
            return Ok(vec![self.i64(len)]);
        }
        Ok(vec![self.expr(of)?[1]])
    }
}
