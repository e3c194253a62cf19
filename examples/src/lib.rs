//! Kernels by topic.
