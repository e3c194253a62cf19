//! Memory of the host that the device sees: for copies while the host does other things, and for records that kernels write.

use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use super::context::Context;
use super::sys::*;
use crate::backend::{HostMemory, Mailbox};
use crate::error::{CudaError, Result};

/// Page-locked memory, mapped into the device's addresses.
#[derive(Debug)]
pub(super) struct Pinned {
    context: Arc<Context>,
    /// Valid for reads and writes of `bytes` bytes until this is dropped.
    host: NonNull<u8>,
    bytes: usize,
    device: u64,
}

// SAFETY: memory that belongs to this value alone.
unsafe impl Send for Pinned {}
// SAFETY: through a shared reference it is only read and written by `Mailbox`, whose callers exclude each other and kernels.
unsafe impl Sync for Pinned {}

impl Pinned {
    pub(super) fn new(context: &Arc<Context>, bytes: usize) -> Result<Pinned, CudaError> {
        let current = context.enter()?;
        // The driver refuses to allocate nothing.
        let bytes = bytes.max(1);
        let mut host: *mut c_void = ptr::null_mut();
        let flags = CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE;
        // SAFETY: the pointer is valid, and a context is current.
        unsafe { current.driver().cuMemHostAlloc(&mut host, bytes, flags) }?;
        let host = NonNull::new(host.cast::<u8>()).ok_or_else(|| CudaError::Call {
            call: "cuMemHostAlloc",
            code: 0,
            name: "CUDA_SUCCESS".to_owned(),
            description: "but it gave no memory".to_owned(),
        })?;
        let mut memory = Pinned { context: context.clone(), host, bytes, device: 0 };
        // SAFETY: the pointer is to memory just allocated with `DEVICEMAP`.
        unsafe {
            current.driver().cuMemHostGetDevicePointer_v2(&mut memory.device, host.as_ptr().cast(), 0)
        }?;
        // SAFETY: so many bytes were just allocated.
        unsafe { host.as_ptr().write_bytes(0, bytes) };
        Ok(memory)
    }
}

impl Mailbox for Pinned {
    fn address(&self) -> u64 {
        self.device
    }

    fn read(&self, at: usize, into: &mut [u8]) -> Result<()> {
        let inside = into.len().min(self.bytes.saturating_sub(at));
        for (offset, byte) in into[..inside].iter_mut().enumerate() {
            // SAFETY: inside the memory, by the line above. Volatile because the device writes to it.
            *byte = unsafe { self.host.as_ptr().add(at + offset).read_volatile() };
        }
        Ok(())
    }

    fn write(&self, at: usize, from: &[u8]) -> Result<()> {
        let inside = from.len().min(self.bytes.saturating_sub(at));
        for (offset, &byte) in from[..inside].iter().enumerate() {
            // SAFETY: inside the memory, as in `read`.
            unsafe { self.host.as_ptr().add(at + offset).write_volatile(byte) };
        }
        Ok(())
    }

    fn clear(&self, at: usize, bytes: usize) -> Result<()> {
        for offset in 0..bytes.min(self.bytes.saturating_sub(at)) {
            // SAFETY: inside the memory, as in `read`.
            unsafe { self.host.as_ptr().add(at + offset).write_volatile(0) };
        }
        Ok(())
    }
}

impl HostMemory for Pinned {
    fn start(&self) -> NonNull<u8> {
        self.host
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Ok(current) = self.context.enter() {
            // SAFETY: allocated once, freed once; whoever owns it has waited for the work that uses it.
            let _ = unsafe { current.driver().cuMemFreeHost(self.host.as_ptr().cast()) };
        }
    }
}
