// The kernels of src/occupancy.rs in CUDA C++, line for line: what `versus` measures them against.

extern "C" __global__ void scale(float factor, float* y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] *= factor;
    }
}

extern "C" __global__ void saxpy(float a, const float* __restrict__ x, float* __restrict__ y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

extern "C" __global__ __launch_bounds__(256, 8) void vector_add(const float* __restrict__ x, const float* __restrict__ y,
                                                                float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = x[i] + y[i];
    }
}

extern "C" __global__ void copy_16_bytes(const float4* __restrict__ x, float4* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        out[i] = x[i];
    }
}

extern "C" __global__ __launch_bounds__(256, 8) void vector_add_by_four(const float* __restrict__ x,
                                                                        const float* __restrict__ y,
                                                                        float* __restrict__ out, unsigned n) {
    unsigned i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        out[i] = x[i] + y[i];
        out[i + 1] = x[i + 1] + y[i + 1];
        out[i + 2] = x[i + 2] + y[i + 2];
        out[i + 3] = x[i + 3] + y[i + 3];
    } else {
        for (unsigned j = i; j < n; ++j) {
            out[j] = x[j] + y[j];
        }
    }
}
