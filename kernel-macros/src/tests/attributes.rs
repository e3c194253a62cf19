//! Attributes of kernels.
