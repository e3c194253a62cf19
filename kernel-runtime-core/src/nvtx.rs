//! Ranges and marks of the host's own on the timelines of profilers: NVTX, NVIDIA's Tools Extension, version 3.
//!
//! ```
//! use kernel_runtime::nvtx;
//! use kernel_runtime::prelude::*;
//!
//! let gpu = Gpu::simulator(Arch::Sm90);
//! let x = {
//!     let _range = nvtx::range("upload"); // to the end of this block
//!     gpu.upload(&[1.0f32; 100])?
//! };
//! nvtx::mark("uploaded");
//! # assert_eq!(x.len(), 100);
//! # Ok::<(), Error>(())
//! ```
//!
//! Kernels have their names on timelines without this. A profiler such as `nsys` names a library in the environment variable
//! `NVTX_INJECTION64_PATH`; the first range loads it, and from then on it is told of each. Without one a range costs next to nothing,
//! and nothing of CUDA is needed.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::marker::PhantomData;
use std::mem::transmute;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A range of this thread's time. It ends when it is dropped; ranges of a thread lie within each other.
#[must_use = "a range ends when it is dropped"]
#[derive(Debug)]
pub struct Range {
    /// Ranges are a stack of each thread.
    not_send: PhantomData<*const ()>,
}

/// Begins a range with this name.
#[doc(alias("nvtxRangePush", "nvtxRangePop"))]
pub fn range(name: &str) -> Range {
    if let Some(push) = function(CoreFunction::RangePushA) {
        let name = text(name);
        // SAFETY: whoever put the function there did so at this function's place of the table: `int (const char*)`.
        let push = unsafe { transmute::<*mut c_void, unsafe extern "C" fn(*const c_char) -> c_int>(push) };
        // SAFETY: the name ends with NUL and lives until the call returns.
        unsafe { push(name.as_ptr()) };
    }
    Range { not_send: PhantomData }
}

/// A point in time with a name.
#[doc(alias = "nvtxMark")]
pub fn mark(name: &str) {
    if let Some(mark) = function(CoreFunction::MarkA) {
        let name = text(name);
        // SAFETY: as in `range`: `void (const char*)`.
        let mark = unsafe { transmute::<*mut c_void, unsafe extern "C" fn(*const c_char)>(mark) };
        // SAFETY: the name ends with NUL and lives until the call returns.
        unsafe { mark(name.as_ptr()) };
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        if let Some(pop) = function(CoreFunction::RangePop) {
            // SAFETY: as in `range`: `int (void)`.
            let pop = unsafe { transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(pop) };
            // SAFETY: it takes nothing; this thread has begun a range that has not ended.
            unsafe { pop() };
        }
    }
}

/// Text as profilers get it: without the character that ends it.
fn text(name: &str) -> CString {
    CString::new(name.replace('\0', "␀")).unwrap_or_default()
}

/// Functions that a profiler may put into the table, by their number there (`NvtxCallbackIdCore` in NVIDIA's `nvtxTypes.h`).
#[derive(Clone, Copy)]
enum CoreFunction {
    MarkA = 2,
    RangePushA = 9,
    RangePop = 11,
}

/// Functions of the module "core", and one for none.
const CORE_FUNCTIONS: usize = 16;
/// `NVTX_CB_MODULE_CORE`
const CORE_MODULE: c_uint = 1;
/// `NVTX_ETID_CALLBACKS`
const CALLBACKS_TABLE: u32 = 1;
/// `NVTX_ETID_VERSIONINFO`
const VERSION_TABLE: u32 = 3;
/// `NVTX_VERSION`
const VERSION: u32 = 3;

/// Function pointers that a profiler fills in.
static FUNCTIONS: [AtomicPtr<c_void>; CORE_FUNCTIONS + 1] =
    [const { AtomicPtr::new(ptr::null_mut()) }; CORE_FUNCTIONS + 1];

/// The addresses of these places, which is what it is given.
struct Places([*const AtomicPtr<c_void>; CORE_FUNCTIONS + 1]);

// SAFETY: the pointers are to a static of atomics.
unsafe impl Sync for Places {}

static PLACES: Places = {
    let mut places = [ptr::null(); CORE_FUNCTIONS + 1];
    let mut index = 1;
    while index < CORE_FUNCTIONS {
        places[index] = &raw const FUNCTIONS[index];
        index += 1;
    }
    Places(places)
};

/// `NvtxExportTableCallbacks`
#[repr(C)]
struct Callbacks {
    bytes: usize,
    module_functions: extern "C" fn(c_uint, *mut *const *const AtomicPtr<c_void>, *mut c_uint) -> c_int,
}

/// `NvtxExportTableVersionInfo`
#[repr(C)]
struct VersionInfo {
    bytes: usize,
    version: u32,
    reserved: u32,
    set_version: extern "C" fn(u32),
}

static CALLBACKS: Callbacks = Callbacks { bytes: size_of::<Callbacks>(), module_functions };

static VERSION_INFO: VersionInfo =
    VersionInfo { bytes: size_of::<VersionInfo>(), version: VERSION, reserved: 0, set_version };

/// Passes a profiler the places of its functions; 0 for modules that there are not here.
extern "C" fn module_functions(
    module: c_uint,
    places: *mut *const *const AtomicPtr<c_void>,
    count: *mut c_uint,
) -> c_int {
    if module != CORE_MODULE {
        return 0;
    }
    // SAFETY: each is null or valid, says the header.
    unsafe {
        if let Some(places) = places.as_mut() {
            *places = PLACES.0.as_ptr();
        }
        if let Some(count) = count.as_mut() {
            *count = CORE_FUNCTIONS as c_uint;
        }
    }
    1
}

/// The profiler's version, which makes no difference here.
extern "C" fn set_version(_: u32) {}

/// Entry point of a profiler, by which it finds the tables.
extern "C" fn export_table(table: u32) -> *const c_void {
    match table {
        CALLBACKS_TABLE => (&raw const CALLBACKS).cast(),
        VERSION_TABLE => (&raw const VERSION_INFO).cast(),
        _ => ptr::null(),
    }
}

/// The profiler's function, if there is a profiler that has it.
fn function(which: CoreFunction) -> Option<*mut c_void> {
    static START: Once = Once::new();
    START.call_once(attach);
    let function = FUNCTIONS[which as usize].load(Ordering::Acquire);
    (!function.is_null()).then_some(function)
}

/// Loads the library that the environment names, for the rest of the program, as NVIDIA's header does. What is wrong with it is the
/// profiler's to tell.
fn attach() {
    type Initialize = unsafe extern "C" fn(extern "C" fn(u32) -> *const c_void) -> c_int;
    let variable =
        if cfg!(target_pointer_width = "64") { "NVTX_INJECTION64_PATH" } else { "NVTX_INJECTION32_PATH" };
    let Some(path) = std::env::var_os(variable) else { return };
    // SAFETY: whoever started the program asked for this library to be loaded into it.
    let Ok(library) = (unsafe { libloading::Library::new(path) }) else { return };
    // SAFETY: the type is that of NVIDIA's header.
    let initialized = unsafe { library.get::<Initialize>("InitializeInjectionNvtx2") }
        // SAFETY: the function that it is given has the type that the header says.
        .map(|initialize| unsafe { initialize(export_table) });
    match initialized {
        // Its functions are called as long as the program runs.
        Ok(1..) => std::mem::forget(library),
        Ok(_) | Err(_) => {
            for function in &FUNCTIONS {
                function.store(ptr::null_mut(), Ordering::Release);
            }
        }
    }
}
