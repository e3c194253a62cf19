//! Tensors in global memory as copies of boxes know them: what CUDA calls a `CUtensorMap`.
//!
//! PTX copies boxes of tensors with `cp.async.bulk.tensor` (compute capability 9.0): the map, an argument of the kernel, says
//! where the tensor is, how large it is and its boxes are. On a GPU the driver encodes it; the simulator has an encoding of
//! its own. Kernels of PTX text take maps ([`load_ptx`](crate::Gpu::load_ptx)); launches of `#[kernel]` functions make those that tiles are
//! filled by.
//!
//! ```
//! use kernel_runtime::prelude::*;
//! use kernel_runtime::TensorMap;
//!
//! # fn main() -> Result<()> {
//! let gpu = Gpu::simulator(Arch::Sm90);
//! let plane = gpu.zeros::<f32>(100 * 64)?;
//! // 100 rows of 64 numbers, copied in boxes of 8 rows of 32 numbers.
//! let map = TensorMap::of(&plane, &[64, 100], &[32, 8]).build()?;
//! # let _ = map;
//! # Ok(())
//! # }
//! ```

use std::any::TypeId;

use kernel_abi::tensor_map;

use crate::buffer::DeviceBuffer;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::stream::{Access, Uses};
use ptx_sim as sim;
pub use ptx_sim::Swizzle;

/// A tensor in the memory of a device, as an argument of a launch of PTX.
///
/// A copy of a box begins at a multiple of 16 bytes of a row: the first coordinate, in elements, is a multiple of 16 bytes. A GPU stops with an illegal
/// instruction otherwise (measured on an H200), the simulator with a message.
#[doc(alias("cuTensorMapEncodeTiled", "CUtensorMap"))]
#[derive(Clone, Copy, Debug)]
pub struct TensorMap<'data> {
    pub(crate) gpu: &'data Gpu,
    pub(crate) bytes: [u8; TensorMap::BYTES],
    pub(crate) uses: &'data Uses,
    pub(crate) access: Access,
}

/// A [`TensorMap`] that is being described.
#[derive(Clone, Debug)]
#[must_use = "a description is no map until `.build()`"]
pub struct TensorMapBuilder<'data> {
    gpu: &'data Gpu,
    uses: &'data Uses,
    access: Access,
    /// Bytes of the buffer.
    available: u64,
    element: &'static str,
    map: sim::TensorMap,
}

impl<'data> TensorMap<'data> {
    /// The size of a map.
    pub const BYTES: usize = sim::TensorMap::BYTES;

    /// A tensor that kernels read: its size in elements along up to 5 dimensions, that of neighbours in memory first, and the
    /// box that a copy takes.
    pub fn of<T: Element>(
        buffer: &'data DeviceBuffer<T>,
        size: &[u64],
        box_size: &[u32],
    ) -> TensorMapBuilder<'data> {
        TensorMapBuilder::new(buffer, Access::Read, size, box_size)
    }

    /// As [`of`](TensorMap::of), of a tensor that kernels write too.
    pub fn of_mut<T: Element>(
        buffer: &'data mut DeviceBuffer<T>,
        size: &[u64],
        box_size: &[u32],
    ) -> TensorMapBuilder<'data> {
        TensorMapBuilder::new(buffer, Access::Write, size, box_size)
    }
}

/// The kind of elements of a type, if tensors have them.
fn kind<T: 'static>() -> Option<sim::ElementKind> {
    use sim::ElementKind::{Brain, Float, Signed, Unsigned};
    let kinds = [
        (TypeId::of::<u8>(), Unsigned),
        (TypeId::of::<i8>(), Signed),
        (TypeId::of::<u16>(), Unsigned),
        (TypeId::of::<u32>(), Unsigned),
        (TypeId::of::<i32>(), Signed),
        (TypeId::of::<u64>(), Unsigned),
        (TypeId::of::<i64>(), Signed),
        (TypeId::of::<half::f16>(), Float),
        (TypeId::of::<half::bf16>(), Brain),
        (TypeId::of::<f32>(), Float),
        (TypeId::of::<f64>(), Float),
    ];
    kinds.into_iter().find(|(id, _)| *id == TypeId::of::<T>()).map(|(_, kind)| kind)
}

/// The map that a kernel takes for a matrix with rows, columns and so many elements from a row to the next; zeros if no map describes it. Tiles of
/// elements of four bytes are of `f32` for products of tf32: copies round them.
pub(crate) fn map_of_matrix(
    gpu: &Gpu,
    address: u64,
    [rows, columns, stride]: [u32; 3],
    element_bytes: u32,
) -> Result<[u8; TensorMap::BYTES]> {
    let pitch = u64::from(stride) * u64::from(element_bytes);
    if rows == 0 || columns == 0 || !pitch.is_multiple_of(16) || !address.is_multiple_of(16) {
        return Ok([0; TensorMap::BYTES]);
    }
    gpu.backend().tensor_map(&sim::TensorMap {
        element: element_bytes as u8,
        kind: if element_bytes == 4 { sim::ElementKind::Tensor } else { sim::ElementKind::Unsigned },
        swizzle: Swizzle::B128,
        outside: 0,
        address,
        size: vec![columns.into(), rows.into()],
        strides: vec![pitch],
        box_size: vec![tensor_map::ROW_BYTES / element_bytes, tensor_map::ROWS],
        steps: vec![1; 2],
    })
}

impl<'data> TensorMapBuilder<'data> {
    fn new<T: Element>(
        buffer: &'data DeviceBuffer<T>,
        access: Access,
        size: &[u64],
        box_size: &[u32],
    ) -> TensorMapBuilder<'data> {
        let bytes = size_of::<T>() as u64;
        let strides = size.iter().scan(bytes, |stride, size| {
            *stride = stride.saturating_mul(*size);
            Some(*stride)
        });
        let kind = kind::<T>();
        let map = sim::TensorMap {
            // None of these sizes is 0, which says below that there is no such tensor.
            element: if kind.is_some() { bytes as u8 } else { 0 },
            kind: kind.unwrap_or(sim::ElementKind::Unsigned),
            swizzle: Swizzle::None,
            outside: 0,
            address: buffer.address(),
            size: size.to_vec(),
            strides: strides.take(size.len().saturating_sub(1)).collect(),
            box_size: box_size.to_vec(),
            steps: vec![1; size.len()],
        };
        let (available, element) = (buffer.bytes() as u64, std::any::type_name::<T>());
        TensorMapBuilder { gpu: buffer.gpu(), uses: buffer.uses(), access, available, element, map }
    }

    /// Bytes between neighbours of each dimension but the first, multiples of 16. Without this there is nothing between them.
    pub fn strides(mut self, bytes: &[u64]) -> TensorMapBuilder<'data> {
        self.map.strides = bytes.to_vec();
        self
    }

    /// Of each dimension of the box, every so manieth element is copied. The first has to be 1.
    pub fn steps(mut self, steps: &[u32]) -> TensorMapBuilder<'data> {
        self.map.steps = steps.to_vec();
        self
    }

    /// Swizzles pieces of 16 bytes in shared memory, against bank conflicts and as `wgmma` wants it.
    pub fn swizzle(mut self, swizzle: Swizzle) -> TensorMapBuilder<'data> {
        self.map.swizzle = swizzle;
        self
    }

    /// Fills elements outside of the tensor with "not a number", not with zero.
    pub fn outside_is_nan(mut self) -> TensorMapBuilder<'data> {
        self.map.outside = 0xff;
        self
    }

    /// The map.
    ///
    /// # Errors
    ///
    /// [`Error::TensorMap`] when a tensor cannot be described so, by the rules of `cuTensorMapEncodeTiled`.
    pub fn build(self) -> Result<TensorMap<'data>> {
        if let Some(reason) = self.wrong() {
            return Err(Error::TensorMap { reason });
        }
        let bytes = self.gpu.backend().tensor_map(&self.map)?;
        Ok(TensorMap { gpu: self.gpu, bytes, uses: self.uses, access: self.access })
    }

    /// The mistake in the description, if there is one.
    fn wrong(&self) -> Option<String> {
        let sim::TensorMap { element, kind, swizzle, outside, address, size, strides, box_size, steps } =
            &self.map;
        let element_bytes = u64::from(*element);
        let rank = size.len();
        let lengths = [box_size.len(), strides.len() + 1, steps.len()];
        if *element == 0 {
            return Some(format!("tensors have no elements of type `{}`", self.element));
        }
        if !(1..=5).contains(&rank) || lengths != [rank; 3] {
            return Some(format!(
                "expected 1 to 5 dimensions, and of each a size, a box and a step, and a stride of all but the first: found {rank}, {}, {} and {}",
                box_size.len(),
                steps.len(),
                strides.len()
            ));
        }
        if !address.is_multiple_of(16) || size.iter().any(|size| *size == 0 || *size > 1 << 32) {
            return Some(format!("expected sizes from 1 to 2^32 elements, found {size:?}"));
        }
        if let Some(stride) = strides.iter().find(|stride| !stride.is_multiple_of(16) || **stride >= 1 << 40)
        {
            return Some(format!(
                "expected strides that are multiples of 16 below 2^40 bytes, found {stride}"
            ));
        }
        if let Some(side) = box_size.iter().find(|side| !(1..=256).contains(*side)) {
            return Some(format!("expected a box of 1 to 256 elements along each dimension, found {side}"));
        }
        if steps.iter().any(|step| !(1..=8).contains(step)) || steps[0] != 1 {
            return Some(format!(
                "expected steps from 1 to 8, and 1 for the first dimension, found {steps:?}"
            ));
        }
        let row = u64::from(box_size[0]) * element_bytes;
        if !row.is_multiple_of(16) {
            return Some(format!(
                "expected rows of the box that are multiples of 16 bytes, found {row} bytes"
            ));
        }
        if *swizzle != Swizzle::None && row > swizzle.width() {
            let width = swizzle.width();
            return Some(format!(
                "expected rows of the box of at most the {width} bytes that are swizzled, found {row}"
            ));
        }
        if *outside != 0 && matches!(kind, sim::ElementKind::Unsigned | sim::ElementKind::Signed) {
            return Some(format!("`{}` has no \"not a number\"", self.element));
        }
        let last = size.iter().skip(1).zip(strides).map(|(size, stride)| (size - 1).saturating_mul(*stride));
        let end = last.fold(size[0].saturating_mul(element_bytes), u64::saturating_add);
        if end > self.available {
            return Some(format!("the tensor has {end} bytes, the buffer only {}", self.available));
        }
        None
    }
}
