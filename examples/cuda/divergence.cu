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

__device__ float dive(float value) {
    for (int step = 0; step < 256; step++) {
        value = value * 0.75f + 0.125f;
    }
    return value;
}

extern "C" __global__ __launch_bounds__(256) void dive_alone(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i] = x[i] >= 0.375f ? dive(x[i]) : 0.0f;
    }
}

extern "C" __global__ __launch_bounds__(256) void dive_from_queue(const float* __restrict__ x, float* __restrict__ out,
                                                                  unsigned n) {
    constexpr unsigned BLOCK = 256, CAPACITY = 1024;
    __shared__ unsigned queue[CAPACITY];
    __shared__ unsigned of_warps[BLOCK / 32];
    unsigned thread = threadIdx.x, lane = thread % 32, waiting = 0;
    for (unsigned start = BLOCK * blockIdx.x; start < n; start += gridDim.x * BLOCK) {
        unsigned i = start + thread;
        bool wanted = i < n && x[i] >= 0.375f;
        unsigned of_warp = __ballot_sync(~0u, wanted);
        if (lane == 0) {
            of_warps[thread / 32] = __popc(of_warp);
        }
        __syncthreads();
        unsigned before = __popc(of_warp & ((1u << lane) - 1)), found = 0;
        for (unsigned warp = 0; warp < BLOCK / 32; warp++) {
            before += warp < thread / 32 ? of_warps[warp] : 0;
            found += of_warps[warp];
        }
        if (wanted) {
            queue[waiting + before] = i;
        } else if (i < n) {
            out[i] = 0.0f;
        }
        waiting += found;
        __syncthreads();
        if (waiting > CAPACITY - BLOCK) {
            unsigned rest = waiting % 32;
            for (unsigned place = rest + thread; place < waiting; place += BLOCK) {
                out[queue[place]] = dive(x[queue[place]]);
            }
            __syncthreads();
            waiting = rest;
        }
    }
    for (unsigned place = thread; place < waiting; place += BLOCK) {
        out[queue[place]] = dive(x[queue[place]]);
    }
}
