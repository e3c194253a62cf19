//! What is written in `#[kernel(…)]`, parsed and checked.

/// The attributes of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelAttrs {
    /// `launch_bounds(max_threads, …)`
    pub max_threads: Option<u32>,
    /// `launch_bounds(…, min_blocks)`
    pub min_blocks: Option<u32>,
    /// `block(x, y, z)`
    pub block: Option<[u32; 3]>,
    /// `fp_contract(off)`: `a * b + c` stays two operations.
    pub fp_contract_off: bool,
}
