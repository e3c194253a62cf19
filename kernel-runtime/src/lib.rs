//! Load, launch, simulate and measure kernels.
