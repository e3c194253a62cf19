//! Copies of what a launch writes: trial runs work on them, so that the buffers of the launch stay as they are.

use half::{bf16, f16};

use crate::backend::Allocation;
use crate::buffer::DeviceBuffer;
use crate::element::{ElementType, ScalarType};
use crate::error::Result;
use crate::gpu::Gpu;
use crate::launch::Output;

/// Bytes that come to the host at once, to be compared there.
const PIECE: usize = 32 << 20;

/// A copy on the device of each slice that a launch writes. They are freed when this is dropped, unless a trial run may still use them.
pub(super) struct Copies<'a> {
    gpu: &'a Gpu,
    outputs: &'a [Output],
    /// In the order of `outputs`.
    copies: Vec<DeviceBuffer<u8>>,
}

impl<'a> Copies<'a> {
    /// Memory for the copies; nothing is in it before [`restore`](Copies::restore).
    pub(super) fn new(gpu: &'a Gpu, outputs: &'a [Output]) -> Result<Copies<'a>> {
        let mut copies = Copies { gpu, outputs, copies: Vec::with_capacity(outputs.len()) };
        for output in outputs {
            // One at a time: what is there is freed when the next has no room.
            copies.copies.push(DeviceBuffer::allocate(gpu, output.bytes())?);
        }
        Ok(copies)
    }

    /// The copies, for trial runs to write.
    pub(super) fn buffers(&self) -> &[DeviceBuffer<u8>] {
        &self.copies
    }

    /// Makes them what the buffers of the launch are.
    pub(super) fn restore(&self) -> Result<()> {
        for (output, copy) in self.outputs.iter().zip(&self.copies) {
            self.gpu.backend().copy(copy.allocation(), output.address)?;
        }
        Ok(())
    }

    /// The first difference between what another instance has written and what is in them.
    pub(super) fn compare(&self, expected: &[Vec<u8>]) -> Result<Option<Difference>> {
        for ((output, copy), expected) in self.outputs.iter().zip(&self.copies).zip(expected) {
            let element = output.element.bytes.max(1);
            let step = (PIECE / element).max(1) * element;
            let mut piece = vec![0; step.min(copy.bytes())];
            for start in (0..copy.bytes()).step_by(step) {
                let bytes = step.min(copy.bytes() - start);
                let there = Allocation { address: copy.address() + start as u64, bytes };
                self.gpu.backend().read(&there, &mut piece[..bytes])?;
                let different =
                    difference(output, start / element, &expected[start..start + bytes], &piece[..bytes]);
                if different.is_some() {
                    return Ok(different);
                }
            }
        }
        Ok(None)
    }

    /// The contents of the copies.
    pub(super) fn read(&self) -> Result<Vec<Vec<u8>>> {
        let read = |copy: &DeviceBuffer<u8>| {
            let mut bytes = vec![0; copy.bytes()];
            self.gpu.backend().read(copy.allocation(), &mut bytes)?;
            Ok(bytes)
        };
        self.copies.iter().map(read).collect()
    }
}

/// A difference between the outputs of two instances.
#[derive(Debug, PartialEq)]
pub(super) struct Difference {
    /// The parameter's name.
    pub(super) argument: &'static str,
    /// The index of the first element that differs.
    pub(super) index: usize,
    /// Its values.
    pub(super) values: [String; 2],
}

/// The first difference between what two instances have written from the element `first` on.
fn difference(output: &Output, first: usize, one: &[u8], other: &[u8]) -> Option<Difference> {
    if one == other {
        return None;
    }
    let byte = one.iter().zip(other).position(|(one, other)| one != other)?;
    let size = output.element.bytes.max(1);
    let index = byte / size;
    let value = |bytes: &[u8]| shown(&output.element, &bytes[index * size..(index + 1) * size]);
    Some(Difference { argument: output.name, index: first + index, values: [value(one), value(other)] })
}

/// A value as Rust prints it; that of a type without a name here as its bytes.
fn shown(element: &ElementType, bytes: &[u8]) -> String {
    let named = |&&(_, name, size): &&(ScalarType, &str, usize)| name == element.name && size == bytes.len();
    let scalar = ScalarType::TABLE.iter().find(named);
    let Some(&(scalar, ..)) = scalar else { return format!("{bytes:02x?}") };
    macro_rules! number {
        ($ty:ty) => {
            format!("{:?}", bytemuck::pod_read_unaligned::<$ty>(bytes))
        };
    }
    match scalar {
        ScalarType::Bool => (bytes != [0]).to_string(),
        ScalarType::I8 => number!(i8),
        ScalarType::I16 => number!(i16),
        ScalarType::I32 => number!(i32),
        ScalarType::I64 | ScalarType::Isize => number!(i64),
        ScalarType::U8 => number!(u8),
        ScalarType::U16 => number!(u16),
        ScalarType::U32 => number!(u32),
        ScalarType::U64 | ScalarType::Usize => number!(u64),
        ScalarType::F16 => number!(f16),
        ScalarType::Bf16 => number!(bf16),
        ScalarType::F32 => number!(f32),
        ScalarType::F64 => number!(f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_told() {
        let output = |name, element| Output { name, element, address: 0, len: 2, at: 0 };
        let x = output("x", ElementType::of::<f32>("f32"));
        let floats = |values: [f32; 2]| bytemuck::bytes_of(&values).to_vec();
        let told = |argument, index, one: &str, other: &str| {
            Some(Difference { argument, index, values: [one.to_owned(), other.to_owned()] })
        };
        let same = floats([1.0, 2.0]);
        assert_eq!(difference(&x, 0, &same, &same), None);
        assert_eq!(difference(&x, 0, &same, &floats([1.0, -0.5])), told("x", 1, "2.0", "-0.5"));
        assert_eq!(difference(&x, 100, &same, &floats([-0.0, 2.0])), told("x", 100, "1.0", "-0.0"));
        let pairs = output("pairs", ElementType::of::<[u8; 2]>("Pair"));
        let different = difference(&pairs, 0, &[1, 2, 3, 4], &[1, 2, 3, 5]);
        assert_eq!(different, told("pairs", 1, "[03, 04]", "[03, 05]"));
    }
}
