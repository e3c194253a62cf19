//! What a program that launches kernels needs, in one `use`.

pub use crate::{Arch, DeviceBuffer, Error, Gpu, Result};
