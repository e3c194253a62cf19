//! Tensor maps: descriptions of matrices in global memory by which boxes of them are copied to shared memory (PTX ISA, "Tensors").
//!
//! A kernel takes one for each matrix that it asks for, as a hidden parameter behind those of the source: the host encodes it from the
//! matrix's address and sizes, or passes zeros where no map describes it. Boxes have [`ROWS`] rows of [`ROW_BYTES`] bytes, swizzled by that
//! width.

/// The matrix of a tensor map that a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMapParam {
    /// Offset in the arguments, in bytes, of the address of its elements. Behind it are their number, rows, columns, and elements from a row
    /// to the next.
    pub at: u16,
    /// Size of an element in bytes.
    pub element_bytes: u32,
}

/// Size in bytes.
pub const BYTES: u32 = 128;

/// Alignment in bytes.
pub const ALIGN: u32 = 64;

/// Rows of a box.
pub const ROWS: u32 = 64;

/// Bytes of a row of a box.
pub const ROW_BYTES: u32 = 128;

/// Bytes after which the swizzling of such rows repeats: boxes begin at multiples of them in shared memory.
pub const SWIZZLE_BYTES: u32 = 8 * ROW_BYTES;
