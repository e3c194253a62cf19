//! Kernels that are ready to launch, for those who want only the result: [products of matrices](matmul()) and [attention](attention()) on tensor
//! cores. They are ordinary kernels of the language, a page each: copy one to change it.
//!
//! ```
//! use kernel_library::{Activation, matmul};
//! use kernel_runtime::prelude::*;
//!
//! let gpu = Gpu::new()?;
//! let (a, b) = (gpu.upload(&[f16::ONE; 30 * 40])?, gpu.upload(&[f16::ONE; 40 * 20])?);
//! let bias = gpu.upload(&[-100.0f32; 20])?;
//! let mut c = gpu.zeros::<f16>(30 * 20)?;
//! matmul(a.matrix(30, 40)?, b.matrix(40, 20)?, c.matrix_mut(30, 20)?)
//!     .bias(&bias)
//!     .activation(Activation::Relu)
//!     .run()?;
//! assert_eq!(c.to_vec()?, [f16::ZERO; 30 * 20]);
//! # Ok::<(), kernel_library::Error>(())
//! ```

#![warn(clippy::missing_errors_doc)]

mod attention;
mod error;
mod matmul;
mod workspace;

/// The kernels themselves, for their reports, occupancy and PTX.
pub mod kernels {
    pub use crate::attention::kernels as attention;
    pub use crate::matmul::kernels as matmul;
}

pub use attention::{Attention, AttentionBackward, AttentionElement, Layout, attention};
pub use error::{Error, Result};
pub use matmul::{Activation, HasPrecisions, Matmul, MatmulElement, Precision, matmul};
pub use workspace::Workspace;
