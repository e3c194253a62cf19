//! A kernel on a CUDA device: loaded by the driver's PTX compiler, asked, launched.

use std::ffi::{CString, c_int, c_void};
use std::fmt::Write as _;
use std::ptr;
use std::sync::{Arc, Mutex};

use ptx::target::DEFAULT_SHARED_PER_BLOCK;

use super::CudaDevice;
use super::context::{Context, Current};
use super::cubins::Key;
use super::query;
use super::sys::*;
use crate::backend::{Execution, Function, L2Access, LaunchConfig, Params, Queue, SuggestedSize};
use crate::error::{CudaError, Error, Result};
use crate::gpu::lock;
use crate::kernel::FunctionAttributes;

/// Room for what the assembler says of wrong PTX.
const LOG_BYTES: usize = 16 * 1024;

/// A module in a context. Unloaded when it is dropped.
struct Module {
    context: Arc<Context>,
    handle: CUmodule,
}

// SAFETY: modules may be used from any thread.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Module {
    /// Loads machine code; none if the driver refuses it.
    fn load_code(context: &Arc<Context>, current: &Current, code: &[u8]) -> Option<Module> {
        let mut handle = ptr::null_mut();
        // SAFETY: the code is a whole image, which says itself how long it is: the driver has made it. A context is current.
        let loaded = unsafe {
            current.driver().cuModuleLoadDataEx(
                &mut handle,
                code.as_ptr().cast(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        loaded.ok().map(|()| Module { context: context.clone(), handle })
    }

    /// Compiles PTX for the device. The error has the assembler's log.
    fn load(context: &Arc<Context>, current: &Current, ptx: &str) -> Result<Module, String> {
        let text = CString::new(ptx).map_err(|_| "the PTX has a NUL character".to_owned())?;
        let mut log = vec![0u8; LOG_BYTES];
        let mut options = [
            CU_JIT_ERROR_LOG_BUFFER,
            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
            // Profilers then show the lines that `.loc` names; the code stays the same.
            CU_JIT_GENERATE_LINE_INFO,
        ];
        // Numbers are passed in the place of pointers (manual of the driver API, `CUjit_option`).
        let mut values: [*mut c_void; 3] =
            [log.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG_BYTES), ptr::without_provenance_mut(1)];
        let mut handle = ptr::null_mut();
        // SAFETY: the text ends with NUL, both arrays have three elements, the log has the size that is said, and a
        // context is current.
        let loaded = unsafe {
            current.driver().cuModuleLoadDataEx(
                &mut handle,
                text.as_ptr().cast(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        match loaded {
            Ok(()) => Ok(Module { context: context.clone(), handle }),
            Err(error) => {
                let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
                Err(explain(&error, &String::from_utf8_lossy(&log[..end]), ptx))
            }
        }
    }
}

/// The error and the assembler's log, each complaint with the line of PTX that it is about.
fn explain(error: &CudaError, log: &str, ptx: &str) -> String {
    let mut text = error.to_string();
    for complaint in log.lines().filter(|line| !line.trim().is_empty()) {
        let _ = write!(text, "\n{complaint}");
        let number = complaint.split_once(", line ").and_then(|(_, rest)| rest.split(';').next());
        let number = number.and_then(|digits| digits.trim().parse::<usize>().ok());
        let line = number.and_then(|number| ptx.lines().nth(number.checked_sub(1)?));
        if let Some(line) = line {
            let _ = write!(text, "\n    | {}", line.trim());
        }
    }
    text
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Ok(current) = self.context.enter() {
            // A kernel of it may still be asked for. Where the wait fails it stays loaded: nobody knows what runs.
            // SAFETY: the context is current; loaded once, unloaded once, when nothing of it runs.
            unsafe {
                if current.driver().cuCtxSynchronize().is_ok() {
                    let _ = current.driver().cuModuleUnload(self.handle);
                }
            }
        }
    }
}

/// A PTX text that a CUDA device has loaded.
pub(super) struct CudaModule {
    module: Arc<Module>,
    device: Arc<CudaDevice>,
    /// The PTX, for its target, which the driver does not report.
    ptx: String,
}

impl CudaModule {
    pub(super) fn load(device: Arc<CudaDevice>, ptx: &str) -> Result<CudaModule, String> {
        let current = device.context.enter().map_err(|error| error.to_string())?;
        let module = match CudaModule::load_kept(&device, &current, ptx) {
            Some(module) => module,
            None => Module::load(&device.context, &current, ptx)?,
        };
        let module = Arc::new(module);
        drop(current);
        Ok(CudaModule { module, device, ptx: ptx.to_owned() })
    }

    /// From the folder of what was compiled before, if there is one.
    fn load_kept(device: &CudaDevice, current: &Current, ptx: &str) -> Option<Module> {
        let driver = current.driver().version().ok()?;
        let key = Key { driver, device: device.attributes.compute_capability, ptx };
        let code = device.cubins.code(current, key)?;
        let module = Module::load_code(&device.context, current, &code);
        if module.is_none() {
            device.cubins.forget(key);
        }
        module
    }
}

impl crate::backend::Module for CudaModule {
    fn function(&self, name: &'static str, entry: &str) -> Result<Box<dyn Function>, String> {
        let text = CString::new(entry).map_err(|_| "its name has a NUL character".to_owned())?;
        let current = self.device.context.enter().map_err(|error| error.to_string())?;
        let mut handle = ptr::null_mut();
        // SAFETY: the pointer is valid, the module is loaded, and the name ends with NUL.
        unsafe { current.driver().cuModuleGetFunction(&mut handle, self.module.handle, text.as_ptr()) }
            .map_err(|error| format!("entry `{entry}`: {error}"))?;
        let attributes = query::function_attributes(&current, handle, &self.ptx);
        let attributes = attributes.map_err(|error| error.to_string())?;
        drop(current);
        Ok(Box::new(CudaFunction {
            handle,
            _module: self.module.clone(),
            device: self.device.clone(),
            name,
            attributes,
            allowed_shared: Mutex::new(0),
        }))
    }
}

/// A kernel that a CUDA device has loaded.
pub(super) struct CudaFunction {
    /// Belongs to the module below.
    handle: CUfunction,
    /// Keeps the function alive.
    _module: Arc<Module>,
    device: Arc<CudaDevice>,
    /// The kernel's name.
    name: &'static str,
    attributes: FunctionAttributes,
    /// The dynamic shared memory that the function has been allowed, in bytes.
    allowed_shared: Mutex<u32>,
}

// SAFETY: functions may be used from any thread.
unsafe impl Send for CudaFunction {}
// SAFETY: as above; what changes is behind a mutex.
unsafe impl Sync for CudaFunction {}

impl CudaFunction {
    /// Returns true if a block may have so much dynamic shared memory; asks the driver to allow it beyond the default.
    #[inline]
    fn allow_shared(&self, current: &Current, dynamic_shared: u32) -> Result<bool> {
        let used = self.attributes.static_shared.saturating_add(dynamic_shared);
        if used <= DEFAULT_SHARED_PER_BLOCK {
            Ok(true)
        } else {
            self.allow_more(current, used, dynamic_shared)
        }
    }

    /// Like [`allow_shared`](Self::allow_shared), for an amount beyond the default.
    fn allow_more(&self, current: &Current, used: u32, dynamic_shared: u32) -> Result<bool> {
        if used > self.device.attributes.limits.shared_per_block_optin {
            return Ok(false);
        }
        let mut allowed = lock(&self.allowed_shared);
        if *allowed < dynamic_shared {
            let attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            let bytes = signed(dynamic_shared);
            // SAFETY: the function's module is loaded, and its context current.
            unsafe { current.driver().cuFuncSetAttribute(self.handle, attribute, bytes) }?;
            *allowed = dynamic_shared;
        }
        Ok(true)
    }
}

/// Most attributes of a launch.
const ATTRIBUTES: usize = 3;

/// In places of a list that are not used.
const NO_ATTRIBUTE: CUlaunchAttribute = CUlaunchAttribute {
    id: CU_LAUNCH_ATTRIBUTE_IGNORE,
    pad: [0; 4],
    value: CUlaunchAttributeValue { pad: [0; 64] },
};

/// The attributes of a launch. Most have none, and go to the driver by a shorter way.
#[inline]
fn attributes(config: &LaunchConfig) -> [Option<CUlaunchAttribute>; ATTRIBUTES] {
    [
        config.cluster.map(cluster_attribute),
        config.cooperative.then(cooperative_attribute),
        config.l2.map(window_attribute),
    ]
}

/// The attribute of a launch with so many blocks per cluster.
fn cluster_attribute([x, y, z]: [u32; 3]) -> CUlaunchAttribute {
    // The driver reads as much of the union as the attribute has; the rest is zero.
    let mut value = CUlaunchAttributeValue { pad: [0; 64] };
    value.clusterDim = ClusterDim { x, y, z };
    CUlaunchAttribute { id: CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, pad: [0; 4], value }
}

/// The attribute of a launch whose blocks all run at once.
fn cooperative_attribute() -> CUlaunchAttribute {
    let mut value = CUlaunchAttributeValue { pad: [0; 64] };
    value.cooperative = 1;
    CUlaunchAttribute { id: CU_LAUNCH_ATTRIBUTE_COOPERATIVE, pad: [0; 4], value }
}

/// The attribute of a launch that keeps memory in the second-level cache.
fn window_attribute(L2Access { address, bytes, hit_ratio }: L2Access) -> CUlaunchAttribute {
    let mut value = CUlaunchAttributeValue { pad: [0; 64] };
    value.accessPolicyWindow = CUaccessPolicyWindow {
        base_ptr: ptr::with_exposed_provenance_mut(address as usize),
        num_bytes: bytes as usize,
        hitRatio: hit_ratio,
        hitProp: CU_ACCESS_PROPERTY_PERSISTING,
        missProp: CU_ACCESS_PROPERTY_STREAMING,
    };
    CUlaunchAttribute { id: CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, pad: [0; 4], value }
}

/// For the driver's signed numbers; what does not fit is refused by the driver, or was before.
fn signed(number: u32) -> c_int {
    c_int::try_from(number).unwrap_or(c_int::MAX)
}

impl Function for CudaFunction {
    fn attributes(&self) -> &FunctionAttributes {
        &self.attributes
    }

    fn active_blocks(&self, threads: u32, dynamic_shared: u32) -> Result<Option<u32>> {
        // The driver takes such questions for mistakes; the arithmetic answers them.
        if threads == 0 || threads > self.attributes.max_threads {
            return Ok(None);
        }
        let current = self.device.context.enter()?;
        if !self.allow_shared(&current, dynamic_shared)? {
            return Ok(Some(0));
        }
        let mut blocks: c_int = 0;
        let (threads, dynamic_shared) = (signed(threads), dynamic_shared as usize);
        // SAFETY: the pointer is valid, and the function's module is loaded.
        unsafe {
            current.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                self.handle,
                threads,
                dynamic_shared,
            )
        }?;
        Ok(Some(u32::try_from(blocks).unwrap_or(0)))
    }

    fn active_clusters(
        &self,
        cluster: [u32; 3],
        block: [u32; 3],
        dynamic_shared: u32,
    ) -> Result<Option<u32>> {
        let current = self.device.context.enter()?;
        if !self.allow_shared(&current, dynamic_shared)? {
            return Ok(Some(0));
        }
        let mut attribute = cluster_attribute(cluster);
        // One cluster: how many more a grid has does not matter.
        let launch = CUlaunchConfig {
            gridDimX: cluster[0],
            gridDimY: cluster[1],
            gridDimZ: cluster[2],
            blockDimX: block[0],
            blockDimY: block[1],
            blockDimZ: block[2],
            sharedMemBytes: dynamic_shared,
            hStream: ptr::null_mut(),
            attrs: &mut attribute,
            numAttrs: 1,
        };
        let mut clusters: c_int = 0;
        // SAFETY: the pointers are valid for the call, and the function's module is loaded.
        unsafe { current.driver().cuOccupancyMaxActiveClusters(&mut clusters, self.handle, &launch) }?;
        Ok(Some(u32::try_from(clusters).unwrap_or(0)))
    }

    fn allow_nonportable_clusters(&self) -> Result<()> {
        let current = self.device.context.enter()?;
        let attribute = CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        // SAFETY: the function's module is loaded, and its context current.
        unsafe { current.driver().cuFuncSetAttribute(self.handle, attribute, 1) }?;
        Ok(())
    }

    fn best_block_size(&self, dynamic_shared: u32) -> Result<Option<SuggestedSize>> {
        let current = self.device.context.enter()?;
        if !self.allow_shared(&current, dynamic_shared)? {
            return Ok(None);
        }
        let (mut grid, mut block): (c_int, c_int) = (0, 0);
        // SAFETY: both pointers are valid, and the function's module is loaded. No callback: every block size has
        // the same dynamic shared memory. A limit of 0 is none.
        unsafe {
            current.driver().cuOccupancyMaxPotentialBlockSize(
                &mut grid,
                &mut block,
                self.handle,
                None,
                dynamic_shared as usize,
                0,
            )
        }?;
        let threads = u32::try_from(block).unwrap_or(0);
        let blocks = u32::try_from(grid).unwrap_or(0);
        Ok((threads > 0).then_some(SuggestedSize { threads, blocks }))
    }

    unsafe fn launch(
        &self,
        queue: &dyn Queue,
        config: &LaunchConfig,
        params: Params<'_>,
    ) -> Result<Option<Box<Execution>>> {
        let failed =
            |reason| Error::Failed { kernel: self.name, device: self.device.attributes.name.clone(), reason };
        queue.check().map_err(failed)?;
        let current = self.device.context.enter()?;
        // A launch beyond the limit is refused by the driver.
        self.allow_shared(&current, config.dynamic_shared)?;
        let Params { bytes, starts } = params;
        // A kernel whose parameters the driver itself has to place takes a pointer to each argument.
        let mut each: Vec<*mut c_void> = Vec::new();
        if !starts.is_empty() {
            each.extend(starts.iter().map(|&start| bytes[start..].as_ptr().cast_mut().cast::<c_void>()));
        }
        let mut size = bytes.len();
        // The driver copies the arguments before the call returns, and only reads them.
        let mut extra: [*mut c_void; 5] = [
            ptr::without_provenance_mut(CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT),
            bytes.as_ptr().cast_mut().cast(),
            ptr::without_provenance_mut(CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT),
            (&raw mut size).cast(),
            ptr::without_provenance_mut(CU_LAUNCH_PARAM_END_AS_INT),
        ];
        let (each, extra) = match (each.is_empty(), bytes.is_empty()) {
            (false, _) => (each.as_mut_ptr(), ptr::null_mut()),
            (true, false) => (ptr::null_mut(), extra.as_mut_ptr()),
            (true, true) => (ptr::null_mut(), ptr::null_mut()),
        };
        let (driver, stream) = (current.driver(), queue.raw().cast());
        let LaunchConfig { grid, block, dynamic_shared, .. } = *config;
        let attributes = attributes(config);
        if attributes.iter().all(Option::is_none) {
            let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
            // SAFETY: the function's module is loaded and its context current; the stream is of this context and alive; `bytes`
            // holds the arguments as the PTX lays out its parameters, pointers among them to what is there until the kernel is
            // over, by this function's condition; `each` and `extra` live until the call returns.
            let launched = unsafe {
                driver.cuLaunchKernel(
                    self.handle,
                    gx,
                    gy,
                    gz,
                    bx,
                    by,
                    bz,
                    dynamic_shared,
                    stream,
                    each,
                    extra,
                )
            };
            return launched.map(|()| None).map_err(failed);
        }
        let mut list = [NO_ATTRIBUTE; ATTRIBUTES];
        let mut count = 0;
        for attribute in attributes.into_iter().flatten() {
            list[count] = attribute;
            count += 1;
        }
        let launch = CUlaunchConfig {
            gridDimX: grid[0],
            gridDimY: grid[1],
            gridDimZ: grid[2],
            blockDimX: block[0],
            blockDimY: block[1],
            blockDimZ: block[2],
            sharedMemBytes: dynamic_shared,
            hStream: stream,
            attrs: list.as_mut_ptr(),
            numAttrs: count as u32,
        };
        // SAFETY: as above; `launch` and its attributes live until the call returns, too.
        unsafe { driver.cuLaunchKernelEx(&launch, self.handle, each, extra) }.map_err(failed)?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn complaints_come_with_their_line() {
        let error = CudaError::Call {
            call: "cuModuleLoadDataEx",
            code: 218,
            name: "CUDA_ERROR_INVALID_PTX".to_owned(),
            description: "a PTX JIT compilation failed".to_owned(),
        };
        let log = "ptxas application ptx input, line 2; error   : Unknown modifier '.sink'\n\
                   ptxas fatal   : Ptx assembly aborted due to errors\n";
        let text = explain(&error, log, ".version 8.0\n    bar.sink 0;\n");
        expect![[r#"
            cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX (218), a PTX JIT compilation failed
            help: the PTX is wrong; please report it with the kernel
            ptxas application ptx input, line 2; error   : Unknown modifier '.sink'
                | bar.sink 0;
            ptxas fatal   : Ptx assembly aborted due to errors"#]]
        .assert_eq(&text);
    }
}
