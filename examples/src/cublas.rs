//! cuBLAS, where it is found: NVIDIA's product of two matrices, which ours is measured against.
//!
//! The library is opened when a program asks for it, and its functions looked up by name: nothing of CUDA is needed to build. (`cudarc`
//! has them too, but not in the library of CUDA 13, and twice as long to compile.)

use std::env;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::Arc;

use cudarc::driver::CudaStream;
use libloading::Library;

use crate::toolchain::{repository, search_path};

/// `cublasHandle_t`
type Handle = *mut c_void;
/// `cublasStatus_t`
type Status = c_int;
type Sgemm = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const f32,
    *const f32,
    c_int,
    *const f32,
    c_int,
    *const f32,
    *mut f32,
    c_int,
) -> Status;

type GemmEx = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const c_void,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    *mut c_void,
    c_int,
    c_int,
    c_int,
    c_int,
) -> Status;

/// An element of two bytes of matrices that cuBLAS multiplies, with sums in `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// `f16`
    F16,
    /// `bf16`
    Bf16,
}

impl Half {
    /// `cudaDataType`: `CUDA_R_16F`, `CUDA_R_16BF`.
    fn data_type(self) -> c_int {
        match self {
            Half::F16 => 2,
            Half::Bf16 => 14,
        }
    }
}

/// `CUBLAS_COMPUTE_32F`
const COMPUTE_F32: c_int = 68;
/// `CUBLAS_COMPUTE_32F_FAST_TF32`
const COMPUTE_TF32: c_int = 77;
/// `CUBLAS_COMPUTE_32I`
const COMPUTE_I32: c_int = 72;
/// `CUDA_R_32F`
const F32: c_int = 0;
/// `CUDA_R_8I`
const I8: c_int = 3;
/// `CUDA_R_32I`
const I32: c_int = 10;
/// `CUBLAS_GEMM_DEFAULT`
const DEFAULT_ALGORITHM: c_int = -1;
/// `CUBLAS_DEFAULT_MATH`: an `f32` is multiplied as one, not as `tf32`.
const DEFAULT_MATH: c_int = 0;
/// `CUBLAS_OP_N`
const AS_IT_IS: c_int = 0;
/// `CUBLAS_OP_T`
const TRANSPOSED: c_int = 1;

/// Errors of a product by cuBLAS.
#[derive(Debug, thiserror::Error)]
pub enum CublasError {
    /// There is no such library.
    #[error(
        "cuBLAS was not found: {tried}\n\
         help: install CUDA's toolkit or the Python package `nvidia-cublas`, or set CUBLAS to the path of `libcublas.so.13` or `.12`"
    )]
    Missing {
        /// The system's message about the last one tried.
        tried: String,
    },
    /// It lacks a function.
    #[error("{library} is not cuBLAS, or too old: {reason}")]
    Lacking {
        /// The library.
        library: String,
        /// The system's message.
        reason: String,
    },
    /// A function failed.
    #[error("{call} failed: {said} ({status})")]
    Call {
        /// The function.
        call: &'static str,
        /// The status that it returned.
        status: c_int,
        /// The message of cuBLAS for that status.
        said: String,
    },
    /// The sizes of a matrix are beyond the numbers of the library.
    #[error("a matrix of {size} × {size} is too large for cuBLAS")]
    TooLarge {
        /// The size.
        size: usize,
    },
}

/// cuBLAS on a stream.
pub struct Cublas {
    handle: Handle,
    destroy: unsafe extern "C" fn(Handle) -> Status,
    get_version: unsafe extern "C" fn(Handle, *mut c_int) -> Status,
    sgemm: Sgemm,
    gemm_ex: GemmEx,
    status_string: unsafe extern "C" fn(Status) -> *const c_char,
    path: PathBuf,
    /// The stream of the handle.
    _stream: Arc<CudaStream>,
    /// The library that holds the functions.
    _library: Library,
}

impl Cublas {
    /// Opens the library for a stream, whose context becomes current.
    ///
    /// # Errors
    /// [`CublasError::Missing`] and its like.
    pub fn on(stream: &Arc<CudaStream>) -> Result<Cublas, CublasError> {
        let (path, library) = open(candidates())?;
        let lacking = |error: libloading::Error| CublasError::Lacking {
            library: path.display().to_string(),
            reason: said(&error),
        };
        // SAFETY: the types are those of NVIDIA's header `cublas_v2.h`, whose enumerations and pointers have these sizes.
        let (create, set_stream, set_math_mode, mut cublas) = unsafe {
            type Set<T> = unsafe extern "C" fn(Handle, T) -> Status;
            let create = *library
                .get::<unsafe extern "C" fn(*mut Handle) -> Status>("cublasCreate_v2")
                .map_err(lacking)?;
            let set_stream = *library.get::<Set<*mut c_void>>("cublasSetStream_v2").map_err(lacking)?;
            let set_math_mode = *library.get::<Set<c_int>>("cublasSetMathMode").map_err(lacking)?;
            let cublas = Cublas {
                handle: ptr::null_mut(),
                destroy: *library.get("cublasDestroy_v2").map_err(lacking)?,
                get_version: *library.get("cublasGetVersion_v2").map_err(lacking)?,
                sgemm: *library.get("cublasSgemm_v2").map_err(lacking)?,
                gemm_ex: *library.get("cublasGemmEx").map_err(lacking)?,
                status_string: *library.get("cublasGetStatusString").map_err(lacking)?,
                path,
                _stream: stream.clone(),
                _library: library,
            };
            (create, set_stream, set_math_mode, cublas)
        };
        // A failure here recurs in the first call below, which reports it.
        let _ = stream.context().bind_to_thread();
        // SAFETY: the pointer is valid for the call.
        let status = unsafe { create(&mut cublas.handle) };
        cublas.check("cublasCreate_v2", status)?;
        // SAFETY: the handle was just made, and the stream lives as long as it.
        let status = unsafe { set_stream(cublas.handle, stream.cu_stream().cast()) };
        cublas.check("cublasSetStream_v2", status)?;
        // SAFETY: as above.
        let status = unsafe { set_math_mode(cublas.handle, DEFAULT_MATH) };
        cublas.check("cublasSetMathMode", status)?;
        Ok(cublas)
    }

    /// The library's path and version: `/opt/cuda/lib64/libcublas.so.13 (13.1.0)`.
    ///
    /// # Errors
    /// Errors of cuBLAS.
    pub fn describe(&self) -> Result<String, CublasError> {
        let mut version = 0;
        // SAFETY: the handle is alive, and the pointer valid for the call.
        self.check("cublasGetVersion_v2", unsafe { (self.get_version)(self.handle, &mut version) })?;
        // From version 12 on there are two digits for each of the others.
        let (major, minor, patch) = (version / 10_000, version / 100 % 100, version % 100);
        Ok(format!("{} ({major}.{minor}.{patch})", self.path.display()))
    }

    /// Asks for C = A × B, square matrices row by row, by their addresses.
    ///
    /// # Errors
    /// Errors of cuBLAS.
    ///
    /// # Safety
    /// A matrix of this size is at each address until the stream has done it; nobody writes A and B meanwhile, and nobody else uses C.
    pub unsafe fn product(&self, size: usize, a: u64, b: u64, c: u64) -> Result<(), CublasError> {
        let n = c_int::try_from(size).map_err(|_| CublasError::TooLarge { size })?;
        let at = |address: u64| ptr::with_exposed_provenance_mut::<f32>(address as usize);
        let (one, zero) = (1.0, 0.0);
        // Column by column, as cuBLAS sees matrices, these are Aᵀ, Bᵀ and Cᵀ = Bᵀ × Aᵀ.
        // SAFETY: the handle is alive; the matrices are there, by this function's condition. The factors are read before the call returns.
        let status = unsafe {
            (self.sgemm)(self.handle, AS_IT_IS, AS_IT_IS, n, n, n, &one, at(b), n, at(a), n, &zero, at(c), n)
        };
        self.check("cublasSgemm_v2", status)
    }

    /// As [`product`](Cublas::product) for elements of two bytes, by the tensor cores.
    ///
    /// # Errors
    /// Errors of cuBLAS.
    ///
    /// # Safety
    /// As of [`product`](Cublas::product), for matrices of these elements.
    pub unsafe fn half_product(
        &self,
        element: Half,
        size: usize,
        matrices: [u64; 3],
    ) -> Result<(), CublasError> {
        // SAFETY: this function's condition.
        unsafe { self.product_of([element.data_type(); 2], COMPUTE_F32, AS_IT_IS, size, matrices) }
    }

    /// As [`product`](Cublas::product) by the tensor cores, with elements rounded to tf32.
    ///
    /// # Errors
    /// Errors of cuBLAS.
    ///
    /// # Safety
    /// As of [`product`](Cublas::product).
    pub unsafe fn tf32_product(&self, size: usize, matrices: [u64; 3]) -> Result<(), CublasError> {
        // SAFETY: this function's condition.
        unsafe { self.product_of([F32; 2], COMPUTE_TF32, AS_IT_IS, size, matrices) }
    }

    /// C = A × Bᵀ of matrices of `i8`, with sums in `i32`.
    ///
    /// # Errors
    /// Errors of cuBLAS.
    ///
    /// # Safety
    /// As of [`product`](Cublas::product), for matrices of these elements.
    pub unsafe fn byte_product(&self, size: usize, matrices: [u64; 3]) -> Result<(), CublasError> {
        // SAFETY: this function's condition.
        unsafe { self.product_of([I8, I32], COMPUTE_I32, TRANSPOSED, size, matrices) }
    }

    /// A product of elements of a `cudaDataType` with results of another one, of the second matrix as it is or transposed.
    ///
    /// # Safety
    /// As of [`product`](Cublas::product), for matrices of these elements.
    unsafe fn product_of(
        &self,
        [ty, result]: [c_int; 2],
        compute: c_int,
        second: c_int,
        size: usize,
        [a, b, c]: [u64; 3],
    ) -> Result<(), CublasError> {
        let n = c_int::try_from(size).map_err(|_| CublasError::TooLarge { size })?;
        let at = |address: u64| ptr::with_exposed_provenance_mut::<c_void>(address as usize);
        let (one, zero) = (if compute == COMPUTE_I32 { 1 } else { 1.0f32.to_bits() }, 0u32);
        let (one, zero) = (ptr::from_ref(&one).cast(), ptr::from_ref(&zero).cast());
        // SAFETY: as in `product`; the factors have the type of the sums.
        let status = unsafe {
            (self.gemm_ex)(
                self.handle,
                second,
                AS_IT_IS,
                n,
                n,
                n,
                one,
                at(b),
                ty,
                n,
                at(a),
                ty,
                n,
                zero,
                at(c),
                result,
                n,
                compute,
                DEFAULT_ALGORITHM,
            )
        };
        self.check("cublasGemmEx", status)
    }

    fn check(&self, call: &'static str, status: Status) -> Result<(), CublasError> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: any number may be asked for; the text is the library's own.
        let text = unsafe { (self.status_string)(status) };
        let said = if text.is_null() {
            "an error without a name".to_owned()
        } else {
            // SAFETY: a string that ends, as the library is there as long as it.
            unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
        };
        Err(CublasError::Call { call, status, said })
    }
}

impl Drop for Cublas {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: made once, destroyed once. There is nobody to tell of a failure.
            let _ = unsafe { (self.destroy)(self.handle) };
        }
    }
}

/// The names of the library, newest first.
const NAMES: [&str; 3] = ["libcublas.so.13", "libcublas.so.12", "libcublas.so"];

/// Paths to try: only that of CUBLAS if it is set; else Python's wheels, the toolkits that `PATH` leads to, the system's search path.
fn candidates() -> Vec<PathBuf> {
    if let Some(named) = env::var_os("CUBLAS").filter(|value| !value.is_empty()) {
        return vec![named.into()];
    }
    let roots = [repository().join(".venv")].into_iter();
    let roots = roots.chain(search_path().filter_map(|dir| dir.parent().map(Path::to_owned)));
    let folders = roots.flat_map(|root| {
        let pythons = fs::read_dir(root.join("lib")).into_iter().flatten().flatten();
        let pythons = pythons.filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"));
        let wheels = pythons.flat_map(|python| {
            let packages = python.path().join("site-packages/nvidia");
            ["cu13/lib", "cublas/lib"].map(|folder| packages.join(folder))
        });
        let toolkit = ["lib64", "lib"].map(|folder| root.join(folder));
        wheels.collect::<Vec<_>>().into_iter().chain(toolkit)
    });
    let files = folders.flat_map(|folder| NAMES.map(|name| folder.join(name)));
    files.filter(|file| file.is_file()).chain(NAMES.map(PathBuf::from)).collect()
}

/// Opens the first of these that the system opens.
pub fn open(candidates: Vec<PathBuf>) -> Result<(PathBuf, Library), CublasError> {
    let mut tried = String::new();
    for path in candidates {
        let name: &OsStr = path.as_os_str();
        // SAFETY: this runs the initialisers of cuBLAS, which has none that matter.
        match unsafe { Library::new(name) } {
            Ok(library) => return Ok((path, library)),
            Err(error) => tried = said(&error),
        }
    }
    Err(CublasError::Missing { tried })
}

/// The system's message about a library or a function that it does not find.
fn said(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}
