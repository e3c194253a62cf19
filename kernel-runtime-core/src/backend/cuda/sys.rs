//! Types and constants of the CUDA driver API that the runtime uses, by their names in `cuda.h` of CUDA 12.0.
//!
//! Enumerations are numbers: a newer driver may return values that an older header does not have.

#![allow(non_camel_case_types, non_snake_case)]

use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

/// Declares handles: pointers to what only the driver knows.
macro_rules! handles {
    ($($name:ident)*) => {$(pub(crate) type $name = *mut c_void;)*};
}

handles! { CUcontext CUevent CUfunction CUgraph CUgraphExec CUgraphNode CUlinkState CUmodule CUstream }

/// Declares enumerations as numbers, with those of their values that are used.
macro_rules! enumerations {
    ($($name:ident { $($value:ident = $number:literal,)* })*) => {$(
        pub(crate) type $name = c_uint;
        $(pub(crate) const $value: $name = $number;)*
    )*};
}

enumerations! {
    CUresult {
        CUDA_SUCCESS = 0,
        CUDA_ERROR_OUT_OF_MEMORY = 2,
        CUDA_ERROR_NO_DEVICE = 100,
        CUDA_ERROR_NOT_READY = 600,
        CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
    }
    CUdevice_attribute {
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
        CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
        CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
        CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
        CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE = 108,
        CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE = 109,
        CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
    }
    CUfunction_attribute {
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
        CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
        CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
        CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
        CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
        CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
        CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
    }
    CUjit_option {
        CU_JIT_ERROR_LOG_BUFFER = 5,
        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
        CU_JIT_GENERATE_LINE_INFO = 13,
    }
    CUjitInputType { CU_JIT_INPUT_PTX = 1, }
    CUlimit { CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 6, }
    CUlaunchAttributeID {
        CU_LAUNCH_ATTRIBUTE_IGNORE = 0,
        CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
        CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
        CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
    }
    CUaccessProperty {
        CU_ACCESS_PROPERTY_STREAMING = 1,
        CU_ACCESS_PROPERTY_PERSISTING = 2,
    }
    CUgraphExecUpdateResult {}
    CUstream_flags { CU_STREAM_NON_BLOCKING = 1, }
    CUstreamCaptureMode { CU_STREAM_CAPTURE_MODE_RELAXED = 2, }
    CUstreamCaptureStatus { CU_STREAM_CAPTURE_STATUS_NONE = 0, }
    CUtensorMapDataType {
        CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
        CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
        CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
        CU_TENSOR_MAP_DATA_TYPE_INT32 = 3,
        CU_TENSOR_MAP_DATA_TYPE_UINT64 = 4,
        CU_TENSOR_MAP_DATA_TYPE_INT64 = 5,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = 8,
        CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9,
        CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 = 11,
    }
    CUtensorMapFloatOOBfill {
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA = 1,
    }
    CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE = 0, }
    CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_NONE = 0, }
    CUtensorMapSwizzle {
        CU_TENSOR_MAP_SWIZZLE_NONE = 0,
        CU_TENSOR_MAP_SWIZZLE_32B = 1,
        CU_TENSOR_MAP_SWIZZLE_64B = 2,
        CU_TENSOR_MAP_SWIZZLE_128B = 3,
    }
}

pub(crate) type CUdevice = c_int;
pub(crate) type CUdeviceptr = c_ulonglong;

/// Returns the dynamic shared memory that a block of so many threads needs, in bytes.
pub(crate) type CUoccupancyB2DSize = Option<unsafe extern "C" fn(block: c_int) -> usize>;

// Markers in the `extra` list of a launch.
pub(crate) const CU_LAUNCH_PARAM_END_AS_INT: usize = 0;
pub(crate) const CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT: usize = 1;
pub(crate) const CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT: usize = 2;

// Flags of `cuMemHostAlloc`.
pub(crate) const CU_MEMHOSTALLOC_PORTABLE: c_uint = 1;
pub(crate) const CU_MEMHOSTALLOC_DEVICEMAP: c_uint = 2;

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct CUaccessPolicyWindow {
    pub(crate) base_ptr: *mut c_void,
    pub(crate) num_bytes: usize,
    pub(crate) hitRatio: f32,
    pub(crate) hitProp: CUaccessProperty,
    pub(crate) missProp: CUaccessProperty,
}

/// Blocks in a cluster, along each axis.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct ClusterDim {
    pub(crate) x: c_uint,
    pub(crate) y: c_uint,
    pub(crate) z: c_uint,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union CUlaunchAttributeValue {
    pub(crate) pad: [c_char; 64],
    pub(crate) accessPolicyWindow: CUaccessPolicyWindow,
    pub(crate) cooperative: c_int,
    pub(crate) clusterDim: ClusterDim,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct CUlaunchAttribute {
    pub(crate) id: CUlaunchAttributeID,
    pub(crate) pad: [c_char; 4],
    pub(crate) value: CUlaunchAttributeValue,
}

#[repr(C)]
pub(crate) struct CUlaunchConfig {
    pub(crate) gridDimX: c_uint,
    pub(crate) gridDimY: c_uint,
    pub(crate) gridDimZ: c_uint,
    pub(crate) blockDimX: c_uint,
    pub(crate) blockDimY: c_uint,
    pub(crate) blockDimZ: c_uint,
    pub(crate) sharedMemBytes: c_uint,
    pub(crate) hStream: CUstream,
    pub(crate) attrs: *mut CUlaunchAttribute,
    pub(crate) numAttrs: c_uint,
}

#[repr(C)]
pub(crate) struct CUgraphExecUpdateResultInfo {
    pub(crate) result: CUgraphExecUpdateResult,
    pub(crate) errorNode: CUgraphNode,
    pub(crate) errorFromNode: CUgraphNode,
}

/// Tensor map, opaque. Its alignment is that of CUDA 13's header, which is the larger.
#[repr(C, align(128))]
pub(crate) struct CUtensorMap {
    pub(crate) opaque: [u64; 16],
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use cudarc::driver::sys;

    use super::*;

    /// `cudarc` generates its declarations from NVIDIA's header.
    #[test]
    fn numbers_are_those_of_the_header() {
        macro_rules! same {
            ($($kind:ident: $($name:ident)*;)*) => {$($(
                assert_eq!($name, sys::$kind::$name as c_uint, stringify!($name));
            )*)*};
        }
        same! {
            CUresult: CUDA_SUCCESS CUDA_ERROR_OUT_OF_MEMORY CUDA_ERROR_NO_DEVICE
                CUDA_ERROR_NOT_READY CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
            CUdevice_attribute: CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X
                CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z
                CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y
                CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK
                CU_DEVICE_ATTRIBUTE_CLOCK_RATE CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
                CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH
                CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR
                CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
                CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
                CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR
                CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
                CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR
                CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE
                CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE
                CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK;
            CUfunction_attribute: CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
                CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES CU_FUNC_ATTRIBUTE_NUM_REGS
                CU_FUNC_ATTRIBUTE_PTX_VERSION CU_FUNC_ATTRIBUTE_BINARY_VERSION
                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            CUjit_option: CU_JIT_ERROR_LOG_BUFFER CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES CU_JIT_GENERATE_LINE_INFO;
            CUjitInputType: CU_JIT_INPUT_PTX;
            CUlimit: CU_LIMIT_PERSISTING_L2_CACHE_SIZE;
            CUlaunchAttributeID: CU_LAUNCH_ATTRIBUTE_IGNORE CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
                CU_LAUNCH_ATTRIBUTE_COOPERATIVE CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
            CUaccessProperty: CU_ACCESS_PROPERTY_STREAMING CU_ACCESS_PROPERTY_PERSISTING;
            CUstreamCaptureMode: CU_STREAM_CAPTURE_MODE_RELAXED;
            CUstreamCaptureStatus: CU_STREAM_CAPTURE_STATUS_NONE;
            CUtensorMapDataType: CU_TENSOR_MAP_DATA_TYPE_UINT8 CU_TENSOR_MAP_DATA_TYPE_UINT16
                CU_TENSOR_MAP_DATA_TYPE_UINT32 CU_TENSOR_MAP_DATA_TYPE_INT32 CU_TENSOR_MAP_DATA_TYPE_UINT64
                CU_TENSOR_MAP_DATA_TYPE_INT64 CU_TENSOR_MAP_DATA_TYPE_FLOAT16 CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                CU_TENSOR_MAP_DATA_TYPE_FLOAT64 CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
            CUtensorMapFloatOOBfill: CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
            CUtensorMapInterleave: CU_TENSOR_MAP_INTERLEAVE_NONE;
            CUtensorMapL2promotion: CU_TENSOR_MAP_L2_PROMOTION_NONE;
            CUtensorMapSwizzle: CU_TENSOR_MAP_SWIZZLE_NONE CU_TENSOR_MAP_SWIZZLE_32B CU_TENSOR_MAP_SWIZZLE_64B
                CU_TENSOR_MAP_SWIZZLE_128B;
        }
        assert_eq!(CU_STREAM_NON_BLOCKING, sys::CUstream_flags::CU_STREAM_NON_BLOCKING as c_uint);
        assert_eq!(CU_LAUNCH_PARAM_END_AS_INT, sys::CU_LAUNCH_PARAM_END_AS_INT as usize);
        assert_eq!(
            CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT,
            sys::CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT as usize
        );
        assert_eq!(CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT, sys::CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT as usize);
        assert_eq!(CU_MEMHOSTALLOC_PORTABLE, sys::CU_MEMHOSTALLOC_PORTABLE);
        assert_eq!(CU_MEMHOSTALLOC_DEVICEMAP, sys::CU_MEMHOSTALLOC_DEVICEMAP);
    }

    #[test]
    fn layouts_are_those_of_the_header() {
        macro_rules! same {
            ($($name:ident: $($field:ident)*;)*) => {$(
                assert_eq!(size_of::<$name>(), size_of::<sys::$name>(), stringify!($name));
                $(assert_eq!(offset_of!($name, $field), offset_of!(sys::$name, $field), "{}.{}", stringify!($name), stringify!($field));)*
            )*};
        }
        same! {
            CUaccessPolicyWindow: base_ptr num_bytes hitRatio hitProp missProp;
            CUlaunchAttributeValue: pad accessPolicyWindow cooperative clusterDim;
            CUlaunchAttribute: id pad value;
            CUlaunchConfig: gridDimX gridDimY gridDimZ blockDimX blockDimY blockDimZ sharedMemBytes hStream attrs numAttrs;
            CUgraphExecUpdateResultInfo: result errorNode errorFromNode;
            CUtensorMap: opaque;
        }
    }
}
