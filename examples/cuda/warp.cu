// The kernels of src/warp.rs in CUDA C++, line for line: what `versus` measures them against.

static __device__ float strided_sum(const float* __restrict__ x, unsigned n) {
    float sum = 0.0f;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i];
    }
    return sum;
}

extern "C" __global__ __launch_bounds__(256) void sum_shared(const float* __restrict__ x, unsigned n, float* __restrict__ sums) {
    __shared__ float tile[256];
    unsigned thread = threadIdx.x;
    tile[thread] = strided_sum(x, n);
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (thread < half) {
            tile[thread] += tile[thread + half];
        }
        __syncthreads();
    }
    if (thread == 0) {
        sums[blockIdx.x] = tile[0];
    }
}

extern "C" __global__ __launch_bounds__(256) void sum_shuffles(const float* __restrict__ x, unsigned n,
                                                               float* __restrict__ sums) {
    __shared__ float of_warps[8];
    float sum = strided_sum(x, n);
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    unsigned lane = threadIdx.x % 32;
    if (lane == 0) {
        of_warps[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x / 32 == 0) {
        float total = lane < 8 ? of_warps[lane] : 0.0f;
        for (unsigned distance = 4; distance > 0; distance /= 2) {
            total += __shfl_down_sync(0xffffffff, total, distance);
        }
        if (lane == 0) {
            sums[blockIdx.x] = total;
        }
    }
}

static __device__ float strided_max(const float* __restrict__ x, unsigned n) {
    float largest = -INFINITY;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        largest = fmaxf(largest, x[i]);
    }
    return largest;
}

extern "C" __global__ __launch_bounds__(256) void max_shared(const float* __restrict__ x, unsigned n,
                                                             float* __restrict__ maxima) {
    __shared__ float tile[256];
    unsigned thread = threadIdx.x;
    tile[thread] = strided_max(x, n);
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (thread < half) {
            tile[thread] = fmaxf(tile[thread], tile[thread + half]);
        }
        __syncthreads();
    }
    if (thread == 0) {
        maxima[blockIdx.x] = tile[0];
    }
}

extern "C" __global__ __launch_bounds__(256) void max_shuffles(const float* __restrict__ x, unsigned n,
                                                               float* __restrict__ maxima) {
    __shared__ float of_warps[8];
    float own = strided_max(x, n);
#pragma unroll
    for (int step = 0; step < 5; ++step) {
        own = fmaxf(own, __shfl_xor_sync(0xffffffff, own, 16 >> step));
    }
    unsigned lane = threadIdx.x % 32;
    if (lane == 0) {
        of_warps[threadIdx.x / 32] = own;
    }
    __syncthreads();
    if (threadIdx.x / 32 == 0) {
        own = of_warps[lane % 8];
#pragma unroll
        for (int step = 0; step < 3; ++step) {
            own = fmaxf(own, __shfl_xor_sync(0xffffffff, own, 4 >> step));
        }
        if (lane == 0) {
            maxima[blockIdx.x] = own;
        }
    }
}

static __device__ float strided_products(const float* __restrict__ x, const float* __restrict__ y, unsigned n) {
    float sum = 0.0f;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i] * y[i];
    }
    return sum;
}

extern "C" __global__ __launch_bounds__(256) void dot_shared(const float* __restrict__ x, const float* __restrict__ y,
                                                             unsigned n, float* __restrict__ sums) {
    __shared__ float tile[256];
    unsigned thread = threadIdx.x;
    tile[thread] = strided_products(x, y, n);
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (thread < half) {
            tile[thread] += tile[thread + half];
        }
        __syncthreads();
    }
    if (thread == 0) {
        sums[blockIdx.x] = tile[0];
    }
}

extern "C" __global__ __launch_bounds__(256) void dot_shuffles(const float* __restrict__ x, const float* __restrict__ y,
                                                               unsigned n, float* __restrict__ sums) {
    __shared__ float of_warps[8];
    float own = strided_products(x, y, n);
#pragma unroll
    for (int step = 0; step < 5; ++step) {
        own += __shfl_xor_sync(0xffffffff, own, 16 >> step);
    }
    unsigned lane = threadIdx.x % 32;
    if (lane == 0) {
        of_warps[threadIdx.x / 32] = own;
    }
    __syncthreads();
    if (threadIdx.x / 32 == 0) {
        own = of_warps[lane % 8];
#pragma unroll
        for (int step = 0; step < 3; ++step) {
            own += __shfl_xor_sync(0xffffffff, own, 4 >> step);
        }
        if (lane == 0) {
            sums[blockIdx.x] = own;
        }
    }
}

extern "C" __global__ __launch_bounds__(256) void scan_shared(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    __shared__ float tile[256];
    unsigned thread = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[thread] = i < n ? x[i] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int step = 0; step < 8; ++step) {
        unsigned distance = 1 << step;
        float below = thread >= distance ? tile[thread - distance] : 0.0f;
        __syncthreads();
        tile[thread] += below;
        __syncthreads();
    }
    if (i < n) {
        out[i] = tile[thread];
    }
}

extern "C" __global__ __launch_bounds__(256) void scan_shuffles(const float* __restrict__ x, float* __restrict__ out,
                                                                unsigned n) {
    __shared__ float of_warps[8];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float own = i < n ? x[i] : 0.0f;
#pragma unroll
    for (int step = 0; step < 5; ++step) {
        float below = __shfl_up_sync(0xffffffff, own, 1 << step);
        if (lane >= 1u << step) {
            own += below;
        }
    }
    if (lane == 31) {
        of_warps[warp] = own;
    }
    __syncthreads();
    for (unsigned before = 0; before < warp; ++before) {
        own += of_warps[before];
    }
    if (i < n) {
        out[i] = own;
    }
}
