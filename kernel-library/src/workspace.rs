//! Memory that is kept from call to call.

use std::any::Any;
use std::fmt;

use kernel_runtime::{DeviceBuffer, Element, Gpu};

use crate::error::Result;

/// Memory that products of matrices and the backward pass of attention need besides their matrices, kept from one call to the next:
/// [`Matmul::workspace`](crate::Matmul::workspace), [`AttentionBackward::workspace`](crate::AttentionBackward::workspace). It grows to what the largest
/// call takes.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(crate) slots: [Slot; 3],
}

/// A buffer of any elements, or none yet.
#[derive(Default)]
pub(crate) struct Slot(Option<Box<dyn Any + Send + Sync>>);

impl Slot {
    /// The buffer, or another one if it is too small, of other elements or of another device.
    pub(crate) fn buffer<T: Element>(&mut self, gpu: &Gpu, len: usize) -> Result<&mut DeviceBuffer<T>> {
        let kept = self.0.take().and_then(|buffer| buffer.downcast::<DeviceBuffer<T>>().ok());
        let buffer = match kept.filter(|buffer| buffer.len() >= len && buffer.gpu() == gpu) {
            Some(buffer) => buffer,
            None => Box::new(gpu.zeros::<T>(len)?),
        };
        match self.0.insert(buffer).downcast_mut() {
            Some(buffer) => Ok(buffer),
            None => unreachable!("a buffer of these elements was just put there"),
        }
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Slot(a buffer)" } else { "Slot(none)" })
    }
}
