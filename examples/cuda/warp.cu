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
