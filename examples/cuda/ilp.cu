// The kernels of src/ilp.rs in CUDA C++, line for line: what `versus` measures them against.

extern "C" __global__ __launch_bounds__(256) void sum_one(const float* __restrict__ x, unsigned n, float* __restrict__ sums) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned i = thread; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i];
    }
    sums[thread] = sum;
}

extern "C" __global__ __launch_bounds__(256) void sum_four(const float* __restrict__ x, unsigned n, float* __restrict__ sums) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned stride = gridDim.x * blockDim.x;
    float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
    unsigned i = thread;
    while (i + 3 * stride < n) {
        a += x[i];
        b += x[i + stride];
        c += x[i + 2 * stride];
        d += x[i + 3 * stride];
        i += 4 * stride;
    }
    while (i < n) {
        a += x[i];
        i += stride;
    }
    sums[thread] = (a + b) + (c + d);
}

extern "C" __global__ void chain_dependent(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = x[i];
        for (int k = 0; k < 64; ++k) {
            a = a * 0.75f + 0.125f;
        }
        out[i] = a;
    }
}

extern "C" __global__ void chain_independent(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = x[i];
        float b = a + 1.0f;
        float c = a + 2.0f;
        float d = a + 3.0f;
        for (int k = 0; k < 16; ++k) {
            a = a * 0.75f + 0.125f;
            b = b * 0.75f + 0.125f;
            c = c * 0.75f + 0.125f;
            d = d * 0.75f + 0.125f;
        }
        out[i] = (a + b) + (c + d);
    }
}

extern "C" __global__ void hypotenuse(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out,
                                      unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = x[i];
        float b = y[i];
        out[i] = sqrtf(fmaf(a, a, b * b));
    }
}
