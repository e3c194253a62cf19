//! CUDA devices, through the driver that is found when the program runs.
//!
//! Nothing of CUDA is needed to build, and a machine without a driver gives an error, not a panic: the functions are
//! looked up, all of them, before the first is called.

mod context;
mod cubins;
mod driver;
mod function;
mod graph;
mod host;
mod query;
mod queue;
mod sys;

#[cfg(feature = "cudarc")]
use std::any::Any;
use std::ffi::c_int;
use std::path::PathBuf;
use std::ptr;
use std::sync::Arc;

use self::context::Context;
use self::cubins::Cubins;
use self::driver::Driver;
use crate::attributes::DeviceAttributes;
use crate::backend::{Allocation, Backend, HostMemory, Mailbox, Module, Queue, Recorded, Side, Work};
use crate::error::{CudaError, Error, Result};
use crate::kernel::Called;
use ptx_sim::{ElementKind, Swizzle, TensorMap};

/// A CUDA device, by its primary context. Fields are dropped in this order.
#[derive(Debug)]
pub(crate) struct CudaDevice {
    context: Arc<Context>,
    attributes: DeviceAttributes,
    #[cfg(feature = "cudarc")]
    ordinal: u32,
    /// Cache of the machine code that the driver has compiled.
    cubins: Cubins,
}

impl CudaDevice {
    /// The number of devices that the driver finds.
    pub(crate) fn count() -> Result<u32> {
        let mut count: c_int = 0;
        // SAFETY: the pointer is valid for the call.
        unsafe { Driver::get()?.cuDeviceGetCount(&mut count) }?;
        Ok(u32::try_from(count).unwrap_or(0))
    }

    /// Opens the device with this number.
    pub(crate) fn open(ordinal: u32) -> Result<CudaDevice> {
        let (driver, count) = (Driver::get()?, CudaDevice::count()?);
        if count == 0 {
            return Err(CudaError::NoDevice { reason: None }.into());
        }
        let number = c_int::try_from(ordinal).ok().filter(|_| ordinal < count);
        let number = number.ok_or(CudaError::NoSuchDevice { ordinal, count })?;
        let mut device = 0;
        // SAFETY: the pointer is valid for the call.
        unsafe { driver.cuDeviceGet(&mut device, number) }?;
        let attributes = query::device_attributes(driver, device, ordinal)?;
        let context = Context::retain(driver, device)?;
        Ok(CudaDevice {
            context,
            attributes,
            #[cfg(feature = "cudarc")]
            ordinal,
            cubins: Cubins::from_environment(),
        })
    }

    /// Keeps what is compiled in this folder.
    pub(crate) fn keep_cubins_in(&self, folder: PathBuf) {
        self.cubins.keep_in(folder);
    }

    /// The number that the driver has for it.
    #[cfg(feature = "cudarc")]
    pub(crate) fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// Returns true if this is the context that everything here is in.
    #[cfg(feature = "cudarc")]
    pub(crate) fn is_context(&self, handle: sys::CUcontext) -> bool {
        self.context.is(handle)
    }

    /// A stream that somebody else destroys as a queue.
    ///
    /// # Safety
    ///
    /// The handle is one of a stream of this device's context, which lives as long as the owner.
    #[cfg(feature = "cudarc")]
    pub(crate) unsafe fn adopt(
        &self,
        handle: sys::CUstream,
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Result<Box<dyn Queue>, CudaError> {
        // SAFETY: by this function's condition.
        Ok(Box::new(unsafe { queue::Stream::adopt(&self.context, handle, owner) }?))
    }

    /// A queue that stands for the work that a stream of somebody else's has been given by now.
    ///
    /// # Safety
    ///
    /// As for [`adopt`](CudaDevice::adopt).
    #[cfg(feature = "cudarc")]
    pub(crate) unsafe fn past(
        &self,
        handle: sys::CUstream,
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Result<Box<dyn Queue>, CudaError> {
        // SAFETY: by this function's condition.
        Ok(Box::new(unsafe { queue::Stream::past(&self.context, handle, owner) }?))
    }

    /// The error of an allocation that failed.
    fn allocation_failed(&self, bytes: usize, error: CudaError) -> Error {
        let out_of_memory = sys::CUDA_ERROR_OUT_OF_MEMORY;
        match error {
            CudaError::Call { code, .. } if code == out_of_memory => {
                let (mut free, mut total) = (0, 0);
                // SAFETY: both pointers are valid for the call; a failure leaves zeros, which is what is then known.
                let _ = unsafe { self.context.driver().cuMemGetInfo_v2(&mut free, &mut total) };
                Error::OutOfMemory {
                    device: self.attributes.name.clone(),
                    requested: bytes as u64,
                    free: free as u64,
                    total: total as u64,
                }
            }
            other => other.into(),
        }
    }
}

/// Asks a stream of this context, which is that of one of both devices, for a copy between GPUs: by the way between both if there is one,
/// else the driver takes it by way of the host. False where a side is no GPU.
///
/// # Safety
///
/// The stream is one of this context. Both sides are there until the copy is done; nobody else uses that of `to`, and nobody writes that of `from`.
unsafe fn copy_between(
    context: &Context,
    stream: sys::CUstream,
    to: Side<'_>,
    from: Side<'_>,
) -> Result<bool, CudaError> {
    let (Some(there), Some(here)) = (to.device.as_cuda(), from.device.as_cuda()) else { return Ok(false) };
    let bytes = to.memory.bytes.min(from.memory.bytes);
    if bytes > 0 {
        there.context.connect(&here.context);
        here.context.connect(&there.context);
        let current = context.enter()?;
        let (target, source) = (there.context.handle(), here.context.handle());
        let driver = current.driver();
        // SAFETY: by this function's condition; both contexts are retained.
        unsafe {
            driver.cuMemcpyPeerAsync(to.memory.address, target, from.memory.address, source, bytes, stream)
        }?;
    }
    Ok(true)
}

/// The limit for the part of the second-level cache that is set aside for persisting accesses.
const PERSISTING: sys::CUlimit = sys::CU_LIMIT_PERSISTING_L2_CACHE_SIZE;

impl Backend for CudaDevice {
    fn attributes(&self) -> &DeviceAttributes {
        &self.attributes
    }

    fn allocate(&self, bytes: usize) -> Result<Allocation> {
        let mut address = 0;
        // The driver refuses to allocate nothing.
        if bytes > 0 {
            let current = self.context.enter()?;
            // SAFETY: the pointer is valid for the call, and a context is current.
            let allocated = unsafe { current.driver().cuMemAlloc_v2(&mut address, bytes) };
            allocated.map_err(|error| self.allocation_failed(bytes, error))?;
        }
        Ok(Allocation { address, bytes })
    }

    fn free_memory(&self) -> Result<u64> {
        let current = self.context.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both pointers are valid for the call, and a context is current.
        unsafe { current.driver().cuMemGetInfo_v2(&mut free, &mut total) }?;
        Ok(free as u64)
    }

    fn free(&self, allocation: &Allocation) {
        if allocation.bytes == 0 {
            return;
        }
        // A context that is lost has freed its memory; there is nobody to tell of other failures.
        if let Ok(current) = self.context.enter() {
            // SAFETY: the memory is of this context, by the invariant of `Allocation`; its owner is being dropped, and has
            // waited for the work that uses it.
            let _ = unsafe { current.driver().cuMemFree_v2(allocation.address) };
        }
    }

    fn zero(&self, allocation: &Allocation) -> Result<()> {
        if allocation.bytes == 0 {
            return Ok(());
        }
        let current = self.context.enter()?;
        // SAFETY: the allocation has so many bytes, by its invariant.
        unsafe { current.driver().cuMemsetD8_v2(allocation.address, 0, allocation.bytes) }?;
        // A set of device memory may return before it is done.
        // SAFETY: the null stream is always there.
        unsafe { current.driver().cuStreamSynchronize(ptr::null_mut()) }?;
        Ok(())
    }

    fn write(&self, to: &Allocation, from: &[u8]) -> Result<()> {
        let bytes = from.len().min(to.bytes);
        if bytes == 0 {
            return Ok(());
        }
        let current = self.context.enter()?;
        // SAFETY: both sides have at least `bytes` bytes. A copy from pageable memory has left it when the call returns.
        unsafe { current.driver().cuMemcpyHtoD_v2(to.address, from.as_ptr().cast(), bytes) }?;
        // It need not have arrived (manual of the driver API, "API synchronization behavior"), and streams do not wait.
        // SAFETY: the null stream is always there.
        unsafe { current.driver().cuStreamSynchronize(ptr::null_mut()) }?;
        Ok(())
    }

    fn read(&self, from: &Allocation, into: &mut [u8]) -> Result<()> {
        let bytes = into.len().min(from.bytes);
        if bytes == 0 {
            return Ok(());
        }
        let current = self.context.enter()?;
        // SAFETY: both sides have at least `bytes` bytes, and the host's side is borrowed until the copy is complete.
        unsafe { current.driver().cuMemcpyDtoH_v2(into.as_mut_ptr().cast(), from.address, bytes) }?;
        Ok(())
    }

    fn copy(&self, to: &Allocation, from: u64) -> Result<()> {
        if to.bytes == 0 {
            return Ok(());
        }
        let current = self.context.enter()?;
        // SAFETY: both sides have so many bytes.
        unsafe { current.driver().cuMemcpyDtoD_v2(to.address, from, to.bytes) }?;
        // A copy on the device may return before it is done.
        // SAFETY: the null stream is always there.
        unsafe { current.driver().cuStreamSynchronize(ptr::null_mut()) }?;
        Ok(())
    }

    fn copy_across(&self, to: &Allocation, from: Side<'_>) -> Result<()> {
        let stream = ptr::null_mut();
        let to = Side { device: self, memory: to };
        // SAFETY: the memory is there by the invariant of `Allocation`, and the copy is waited for. The null stream is always there.
        if !unsafe { copy_between(&self.context, stream, to, from) }? {
            return to.copy_by_host(from);
        }
        let current = self.context.enter()?;
        // SAFETY: the null stream is always there.
        unsafe { current.driver().cuStreamSynchronize(stream) }?;
        Ok(())
    }

    fn set_aside_l2(&self, bytes: u64) -> Result<()> {
        let current = self.context.enter()?;
        // SAFETY: a context is current.
        unsafe { current.driver().cuCtxSetLimit(PERSISTING, bytes as usize) }?;
        Ok(())
    }

    fn l2_set_aside(&self) -> Result<u64> {
        let current = self.context.enter()?;
        let mut bytes = 0;
        // SAFETY: the pointer is valid for the call, and a context is current.
        unsafe { current.driver().cuCtxGetLimit(&mut bytes, PERSISTING) }?;
        Ok(bytes as u64)
    }

    fn reset_l2(&self) -> Result<()> {
        let current = self.context.enter()?;
        // SAFETY: a context is current.
        unsafe { current.driver().cuCtxResetPersistingL2Cache() }?;
        Ok(())
    }

    fn load_module(self: Arc<Self>, ptx: &str, _called: &Called) -> Result<Box<dyn Module>, String> {
        Ok(Box::new(function::CudaModule::load(self, ptx)?))
    }

    fn as_cuda(&self) -> Option<&CudaDevice> {
        Some(self)
    }

    fn tensor_map(&self, map: &TensorMap) -> Result<[u8; TensorMap::BYTES]> {
        let kind = match (map.kind, map.element) {
            (ElementKind::Float, 2) => sys::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
            (ElementKind::Float, 4) => sys::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
            (ElementKind::Float, _) => sys::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
            (ElementKind::Brain, _) => sys::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
            (ElementKind::Tensor, _) => sys::CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
            (ElementKind::Signed, 4) => sys::CU_TENSOR_MAP_DATA_TYPE_INT32,
            (ElementKind::Signed, 8) => sys::CU_TENSOR_MAP_DATA_TYPE_INT64,
            (ElementKind::Unsigned | ElementKind::Signed, 1) => sys::CU_TENSOR_MAP_DATA_TYPE_UINT8,
            (ElementKind::Unsigned | ElementKind::Signed, 2) => sys::CU_TENSOR_MAP_DATA_TYPE_UINT16,
            (ElementKind::Unsigned, 4) => sys::CU_TENSOR_MAP_DATA_TYPE_UINT32,
            (ElementKind::Unsigned | ElementKind::Signed, _) => sys::CU_TENSOR_MAP_DATA_TYPE_UINT64,
        };
        let swizzle = match map.swizzle {
            Swizzle::None => sys::CU_TENSOR_MAP_SWIZZLE_NONE,
            Swizzle::B32 => sys::CU_TENSOR_MAP_SWIZZLE_32B,
            Swizzle::B64 => sys::CU_TENSOR_MAP_SWIZZLE_64B,
            Swizzle::B128 => sys::CU_TENSOR_MAP_SWIZZLE_128B,
        };
        let outside = match map.outside {
            0 => sys::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
            _ => sys::CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
        };
        let mut encoded = sys::CUtensorMap { opaque: [0; 16] };
        let current = self.context.enter()?;
        // SAFETY: the pointers are valid for the call, with as many numbers as there are dimensions, one less of strides; the
        // driver only looks at the address, which is one of a buffer.
        unsafe {
            current.driver().cuTensorMapEncodeTiled(
                &mut encoded,
                kind,
                map.size.len() as u32,
                ptr::with_exposed_provenance_mut(map.address as usize),
                map.size.as_ptr(),
                map.strides.as_ptr(),
                map.box_size.as_ptr(),
                map.steps.as_ptr(),
                sys::CU_TENSOR_MAP_INTERLEAVE_NONE,
                swizzle,
                sys::CU_TENSOR_MAP_L2_PROMOTION_NONE,
                outside,
            )
        }?;
        let mut bytes = [0; TensorMap::BYTES];
        for (bytes, word) in bytes.chunks_exact_mut(8).zip(encoded.opaque) {
            bytes.copy_from_slice(&word.to_ne_bytes());
        }
        Ok(bytes)
    }

    fn queue(self: Arc<Self>) -> Result<Box<dyn Queue>> {
        Ok(Box::new(queue::Stream::new(&self.context)?))
    }

    fn recorded(self: Arc<Self>, work: Work<'_>) -> Result<Option<Box<dyn Recorded>>> {
        Ok(Some(Box::new(graph::Graph::new(&self.context, work)?)))
    }

    fn mailbox(self: Arc<Self>, bytes: usize) -> Result<Box<dyn Mailbox>> {
        Ok(Box::new(host::Pinned::new(&self.context, bytes)?))
    }

    fn host_memory(self: Arc<Self>, bytes: usize) -> Result<Box<dyn HostMemory>> {
        Ok(Box::new(host::Pinned::new(&self.context, bytes)?))
    }
}
