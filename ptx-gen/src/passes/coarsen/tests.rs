//! Coarsened kernels as IR.
