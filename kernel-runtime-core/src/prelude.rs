//! Everything that a program with kernels needs, in one `use`, but for the attributes: the functions of the language, the host's side.

pub use crate::device::{
    AtomicF16x2, AtomicF32, AtomicF64, AtomicI32, AtomicI64, AtomicU32, AtomicU64, BlockScope, Ordering,
    Scope, SystemScope, fence,
};
pub use crate::device::{
    Bf16x2, Bf16x4, Bf16x8, E2M1, E2M1x2, E2M3, E3M2, E4M3, E5M2, E8M0, F16x2, F16x4, F16x8, F32x2, F32x4,
    F64x2, I32x2, I32x4, U32x2, U32x4, UE4M3, bf16, f16,
};
pub use crate::device::{
    Dim3, Float, Indices, Int, Matrix, MatrixElement, MatrixMut, Number, OfSum, Partition, Pcg32, Philox4x32,
    Shared, SharedDyn, SharedTile, Stages, Volume, VolumeMut, barrier, block, block_dim, block_idx, cache,
    cluster, dot4, fast, global_idx, global_size, grid_barrier, grid_dim, nanosleep, shared, shared_dyn,
    special, target, thread_fence, thread_fence_block, thread_fence_system, thread_idx, warp,
};
pub use crate::inline_ptx;
pub use crate::{
    Arch, BufferMatrix, BufferMatrixMut, BufferSlice, BufferSliceMut, BufferVolume, BufferVolumeMut,
    ChecksTaken, Coarsening, CopyKind, DeviceBuffer, DevicePtr, Element, Error, Gpu, IndexBuffer,
    LaunchReport, Lent, LentMatrix, LentVolume, PinnedBuffer, PtxModule, Result, Stream,
};
