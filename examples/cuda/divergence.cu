// The kernels of src/divergence.rs in CUDA C++, line for line: what `versus` measures them against.

extern "C" __global__ void threshold_branch(float threshold, const float* __restrict__ x, float* __restrict__ out,
                                            unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float value = x[i];
        if (value > threshold) {
            out[i] = value;
        } else {
            out[i] = 0.0f;
        }
    }
}

extern "C" __global__ void threshold_select(float threshold, const float* __restrict__ x, float* __restrict__ out,
                                            unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float value = x[i];
        out[i] = value > threshold ? value : 0.0f;
    }
}

extern "C" __global__ void threshold_max(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = fmaxf(x[i], 0.0f);
    }
}

extern "C" __global__ void costly_branch(float threshold, const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float value = x[i];
        if (value > threshold) {
            out[i] = __sinf(value) * __cosf(value) + sqrtf(value + 1.0f);
        } else {
            out[i] = __expf(value) + __logf(fabsf(value) + 1.0f);
        }
    }
}

extern "C" __global__ __launch_bounds__(256) void branch_by_warp(const float* __restrict__ x, float* __restrict__ out,
                                                                 unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (threadIdx.x / 32 % 2 == 0) {
            out[i] = sqrtf(x[i] + 1.0f) / (x[i] + 2.0f);
        } else {
            out[i] = __frcp_rn(x[i] + 3.0f) * x[i] + 0.5f;
        }
    }
}

extern "C" __global__ __launch_bounds__(256) void branch_by_lane(const float* __restrict__ x, float* __restrict__ out,
                                                                 unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (threadIdx.x % 2 == 0) {
            out[i] = sqrtf(x[i] + 1.0f) / (x[i] + 2.0f);
        } else {
            out[i] = __frcp_rn(x[i] + 3.0f) * x[i] + 0.5f;
        }
    }
}
