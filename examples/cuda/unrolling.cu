// The kernels of src/unrolling.rs in CUDA C++, line for line: what `versus` measures them against.

extern "C" __global__ void dot(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out,
                               unsigned columns) {
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < columns) {
        float sum = 0.0f;
        for (unsigned row = 0; row < 16; ++row) {
            unsigned i = row * columns + column;
            sum += x[i] * y[i];
        }
        out[column] = sum;
    }
}

extern "C" __global__ void dot_by_two(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out,
                                      unsigned columns) {
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < columns) {
        float sum = 0.0f;
        for (unsigned half = 0; half < 8; ++half) {
            unsigned i = 2 * half * columns + column;
            unsigned j = i + columns;
            sum += x[i] * y[i];
            sum += x[j] * y[j];
        }
        out[column] = sum;
    }
}

extern "C" __global__ void four_taps(const float* __restrict__ weights, const float* __restrict__ x, float* __restrict__ out,
                                     unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (unsigned tap = 0; tap < 4; ++tap) {
            sum += weights[tap] * x[i + tap];
        }
        out[i] = sum;
    }
}

extern "C" __global__ void four_taps_written_out(float w0, float w1, float w2, float w3, const float* __restrict__ x,
                                                 float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = w0 * x[i];
        sum += w1 * x[i + 1];
        sum += w2 * x[i + 2];
        sum += w3 * x[i + 3];
        out[i] = sum;
    }
}

extern "C" __global__ void horner(float* x, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float at = x[i];
        float value = 0.0f;
#pragma unroll
        for (int k = 64; k >= 0; --k) {
            value = value * at + 1.0f / (k + 1.0f);
        }
        x[i] = value;
    }
}
