//! The functions of the CUDA driver, looked up by name in its library when the first of them is needed: all at once, and a missing one is
//! an error.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

use super::sys::*;

use crate::error::CudaError;

/// The lowest version of the driver, as `cuDriverGetVersion` counts: CUDA 12.0.
const LOWEST_VERSION: c_int = 12_000;

/// Writes the name or the description of an error.
type Describe = unsafe extern "C" fn(u32, *mut *const c_char) -> u32;

/// Declares the functions: a field with the address, and a method that turns a failure into an error.
macro_rules! driver_functions {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        /// The functions of the driver.
        #[allow(non_snake_case)]
        #[derive(Debug)]
        pub(super) struct Driver {
            // Not in the table: they take an error by value, as a number here.
            error_name: Describe,
            error_string: Describe,
            $($name: unsafe extern "C" fn($($ty),*) -> u32,)*
        }

        impl Driver {
            /// Looks every function up; an error names the first that is missing.
            ///
            /// # Safety
            ///
            /// The library is the driver's, and stays loaded.
            unsafe fn look_up(library: &Library) -> Result<Driver, &'static str> {
                // SAFETY: by this function's condition these are the functions of the driver API, whose signatures the table has
                // (the test `signatures_are_those_of_the_header`).
                unsafe {
                    Ok(Driver {
                        error_name: *library.get("cuGetErrorName").map_err(|_| "cuGetErrorName")?,
                        error_string: *library.get("cuGetErrorString").map_err(|_| "cuGetErrorString")?,
                        $($name: *library.get(stringify!($name)).map_err(|_| stringify!($name))?,)*
                    })
                }
            }

            /// Sizes of what each function takes and returns: its name, as declared here, as `cudarc` declares it.
            #[cfg(test)]
            fn signatures() -> Vec<(&'static str, Vec<usize>, Vec<usize>)> {
                use tests::Signature;
                vec![$({
                    let theirs: unsafe fn($(tests::infer!($arg)),*) -> _ = cudarc::driver::sys::$name;
                    (stringify!($name), <unsafe fn($($ty),*) -> u32>::sizes(), tests::sizes_of(theirs))
                }),*]
            }

            $(
                /// The function of the same name in NVIDIA's manual of the driver API.
                ///
                /// # Safety
                ///
                /// As the manual says: pointers are valid, handles alive, and a context is current where one is needed.
                #[allow(non_snake_case, clippy::too_many_arguments)]
                #[inline]
                pub(super) unsafe fn $name(&self, $($arg: $ty),*) -> Result<(), CudaError> {
                    // SAFETY: by this function's condition.
                    let code = unsafe { (self.$name)($($arg),*) };
                    self.check(stringify!($name), code)
                }
            )*
        }
    };
}

driver_functions! {
    cuInit(flags: c_uint);
    cuDeviceGetCount(count: *mut c_int);
    cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice);
    cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
    cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
    cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    cuDevicePrimaryCtxRelease_v2(device: CUdevice);
    cuCtxGetCurrent(context: *mut CUcontext);
    cuCtxSetCurrent(context: CUcontext);
    cuCtxSynchronize();
    cuCtxSetLimit(limit: CUlimit, value: usize);
    cuCtxGetLimit(value: *mut usize, limit: CUlimit);
    cuCtxResetPersistingL2Cache();
    cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);
    cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint);
    cuCtxPushCurrent_v2(context: CUcontext);
    cuCtxPopCurrent_v2(context: *mut CUcontext);
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
    cuMemFree_v2(address: CUdeviceptr);
    cuMemsetD8_v2(address: CUdeviceptr, value: c_uchar, bytes: usize);
    cuMemcpyHtoD_v2(to: CUdeviceptr, from: *const c_void, bytes: usize);
    cuMemcpyDtoH_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize);
    cuMemcpyDtoD_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize);
    cuMemcpyPeerAsync(
        to: CUdeviceptr,
        to_context: CUcontext,
        from: CUdeviceptr,
        from_context: CUcontext,
        bytes: usize,
        stream: CUstream
    );
    cuMemsetD8Async(address: CUdeviceptr, value: c_uchar, bytes: usize, stream: CUstream);
    cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: c_uint);
    cuMemHostGetDevicePointer_v2(device: *mut CUdeviceptr, host: *mut c_void, flags: c_uint);
    cuMemFreeHost(address: *mut c_void);
    cuModuleLoadDataEx(
        module: *mut CUmodule,
        image: *const c_void,
        count: c_uint,
        options: *mut CUjit_option,
        values: *mut *mut c_void
    );
    cuModuleUnload(module: CUmodule);
    cuLinkCreate_v2(
        count: c_uint,
        options: *mut CUjit_option,
        values: *mut *mut c_void,
        state: *mut CUlinkState
    );
    cuLinkAddData_v2(
        state: CUlinkState,
        kind: CUjitInputType,
        data: *mut c_void,
        bytes: usize,
        name: *const c_char,
        count: c_uint,
        options: *mut CUjit_option,
        values: *mut *mut c_void
    );
    cuLinkComplete(state: CUlinkState, code: *mut *mut c_void, bytes: *mut usize);
    cuLinkDestroy(state: CUlinkState);
    cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction);
    cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int,
        function: CUfunction,
        threads: c_int,
        dynamic_shared: usize
    );
    cuOccupancyMaxPotentialBlockSize(
        min_grid: *mut c_int,
        block: *mut c_int,
        function: CUfunction,
        shared_of_block: CUoccupancyB2DSize,
        dynamic_shared: usize,
        block_limit: c_int
    );
    cuOccupancyMaxActiveClusters(clusters: *mut c_int, function: CUfunction, config: *const CUlaunchConfig);
    cuLaunchKernel(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_shared: c_uint,
        stream: CUstream,
        params: *mut *mut c_void,
        extra: *mut *mut c_void
    );
    cuLaunchKernelEx(
        config: *const CUlaunchConfig,
        function: CUfunction,
        params: *mut *mut c_void,
        extra: *mut *mut c_void
    );
    cuTensorMapEncodeTiled(
        map: *mut CUtensorMap,
        kind: CUtensorMapDataType,
        rank: u32,
        address: *mut c_void,
        size: *const u64,
        strides: *const u64,
        box_size: *const u32,
        steps: *const u32,
        interleave: CUtensorMapInterleave,
        swizzle: CUtensorMapSwizzle,
        promotion: CUtensorMapL2promotion,
        outside: CUtensorMapFloatOOBfill
    );
    cuStreamCreate(stream: *mut CUstream, flags: c_uint);
    cuStreamDestroy_v2(stream: CUstream);
    cuStreamSynchronize(stream: CUstream);
    cuStreamQuery(stream: CUstream);
    cuStreamIsCapturing(stream: CUstream, status: *mut CUstreamCaptureStatus);
    cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
    cuStreamBeginCapture_v2(stream: CUstream, mode: CUstreamCaptureMode);
    cuStreamEndCapture(stream: CUstream, graph: *mut CUgraph);
    cuGraphInstantiateWithFlags(exec: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong);
    cuGraphExecUpdate_v2(exec: CUgraphExec, graph: CUgraph, info: *mut CUgraphExecUpdateResultInfo);
    cuGraphLaunch(exec: CUgraphExec, stream: CUstream);
    cuGraphExecDestroy(exec: CUgraphExec);
    cuGraphDestroy(graph: CUgraph);
    cuEventCreate(event: *mut CUevent, flags: c_uint);
    cuEventRecord(event: CUevent, stream: CUstream);
    cuEventSynchronize(event: CUevent);
    cuEventQuery(event: CUevent);
    cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, stop: CUevent);
    cuEventDestroy_v2(event: CUevent);
    cuDriverGetVersion(version: *mut c_int);
}

/// Takes the answer "not ready" for one: whether that is it.
pub(super) fn is_not_ready(answer: Result<(), CudaError>) -> Result<bool, CudaError> {
    match answer {
        Ok(()) => Ok(false),
        Err(CudaError::Call { code, .. }) if code == CUDA_ERROR_NOT_READY => Ok(true),
        Err(other) => Err(other),
    }
}

/// The library as the driver installs it, then as its development package does.
const LIBRARIES: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };

impl Driver {
    /// The driver, initialised by the first call. Its error stays: a driver that is installed while the program runs
    /// is found by the next program.
    pub(super) fn get() -> Result<&'static Driver, CudaError> {
        static DRIVER: OnceLock<Result<Driver, CudaError>> = OnceLock::new();
        DRIVER.get_or_init(Driver::initialise).as_ref().map_err(CudaError::clone)
    }

    fn initialise() -> Result<Driver, CudaError> {
        // SAFETY: this runs the initialisers of the driver's library, which has none that matter.
        let library = LIBRARIES.iter().find_map(|name| unsafe { Library::new(*name) }.ok());
        let library = library.ok_or(CudaError::NoDriver { library: LIBRARIES[0] })?;
        // The driver's addresses are valid as long as the program runs: its library is never unloaded.
        let library = Box::leak(Box::new(library));
        // SAFETY: a library of this name is the driver's, and it stays loaded.
        let driver = unsafe { Driver::look_up(library) }.map_err(|symbol| CudaError::DriverTooOld {
            expected: LOWEST_VERSION,
            found: None,
            symbol: Some(symbol),
        })?;
        let mut version = 0;
        // SAFETY: the pointer is valid; this function may be called before `cuInit`.
        unsafe { driver.cuDriverGetVersion(&mut version) }?;
        if version < LOWEST_VERSION {
            return Err(CudaError::DriverTooOld {
                expected: LOWEST_VERSION,
                found: Some(version),
                symbol: None,
            });
        }
        // SAFETY: the flags have to be 0.
        match unsafe { driver.cuInit(0) } {
            Ok(()) => Ok(driver),
            Err(CudaError::Call { code, description, .. }) if code == CUDA_ERROR_NO_DEVICE => {
                Err(CudaError::NoDevice { reason: Some(description) })
            }
            Err(error) => Err(error),
        }
    }

    /// The version of CUDA that the driver supports, as (major, minor).
    pub(super) fn version(&self) -> Result<(u32, u32), CudaError> {
        let mut version = 0;
        // SAFETY: the pointer is valid for the call.
        unsafe { self.cuDriverGetVersion(&mut version) }?;
        let version = version.unsigned_abs();
        Ok((version / 1000, version % 1000 / 10))
    }

    #[inline]
    fn check(&self, call: &'static str, code: u32) -> Result<(), CudaError> {
        if code == CUDA_SUCCESS { Ok(()) } else { Err(self.failure(call, code)) }
    }

    #[cold]
    fn failure(&self, call: &'static str, code: u32) -> CudaError {
        let name = self.describe(self.error_name, code).unwrap_or("unknown error".to_owned());
        let description = self.describe(self.error_string, code);
        let description = description.unwrap_or("which the driver does not describe".to_owned());
        CudaError::Call { call, code, name, description }
    }

    fn describe(&self, function: Describe, code: u32) -> Option<String> {
        let mut text: *const c_char = ptr::null();
        // SAFETY: the pointer is valid for the call; a code that the driver does not know leaves null.
        let result = unsafe { function(code, &mut text) };
        if result != CUDA_SUCCESS || text.is_null() {
            return None;
        }
        // SAFETY: the driver gives a string of its own that lives as long as the program.
        Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::mem::size_of;

    use super::*;

    /// The sizes of what a function takes and returns.
    pub(super) trait Signature {
        fn sizes() -> Vec<usize>;
    }

    pub(super) fn sizes_of<F: Signature>(_: F) -> Vec<usize> {
        F::sizes()
    }

    macro_rules! infer {
        ($_argument:ident) => {
            _
        };
    }
    pub(super) use infer;

    macro_rules! signatures {
        ($($($parameter:ident)*;)*) => {$(
            impl<R, $($parameter),*> Signature for unsafe fn($($parameter),*) -> R {
                fn sizes() -> Vec<usize> {
                    vec![size_of::<R>(), $(size_of::<$parameter>()),*]
                }
            }
        )*};
    }

    signatures! {
        ;
        A;
        A B;
        A B C;
        A B C D;
        A B C D E;
        A B C D E F;
        A B C D E F G H;
        A B C D E F G H I J K;
        A B C D E F G H I J K L;
    }

    /// `cudarc` generates its declarations from NVIDIA's header.
    #[test]
    fn signatures_are_those_of_the_header() {
        for (name, ours, theirs) in Driver::signatures() {
            assert_eq!(ours, theirs, "{name}");
        }
    }

    #[test]
    fn without_a_driver_there_is_an_error_that_says_so() {
        // On a machine with a driver this only shows that nothing panics.
        if let Err(error @ CudaError::NoDriver { .. }) = Driver::get() {
            assert!(error.to_string().starts_with("no CUDA driver: the library libcuda.so.1 was not found"));
        }
    }
}
