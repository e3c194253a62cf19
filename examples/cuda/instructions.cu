// The kernels of src/instructions in CUDA C++, line for line: what `versus` measures them against.

constexpr int EVALUATIONS = 32;

// 1, 1/2, 1/3, …: constants once the loop over them is unrolled.
static __device__ constexpr float coefficient(int k) { return 1.0f / (k + 1.0f); }

static __device__ float place(float x, int k) { return x * (1.0f - k / 64.0f); }

extern "C" __global__ void running_power(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k < EVALUATIONS; ++k) {
            float at = place(x[i], k);
            float power = 1.0f;
#pragma unroll
            for (int c = 0; c < 65; ++c) {
                sum += coefficient(c) * power;
                power *= at;
            }
        }
        out[i] = sum;
    }
}

extern "C" __global__ void horner_unfused(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k < EVALUATIONS; ++k) {
            float at = __fmul_rn(x[i], __fadd_rn(1.0f, -(k / 64.0f)));
            float value = 0.0f;
#pragma unroll
            for (int power = 64; power >= 0; --power) {
                value = __fadd_rn(__fmul_rn(value, at), coefficient(power));
            }
            sum = __fadd_rn(sum, value);
        }
        out[i] = sum;
    }
}

extern "C" __global__ void horner_fused(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k < EVALUATIONS; ++k) {
            float at = place(x[i], k);
            float value = 0.0f;
#pragma unroll
            for (int power = 64; power >= 0; --power) {
                value = value * at + coefficient(power);
            }
            sum += value;
        }
        out[i] = sum;
    }
}

extern "C" __global__ void estrin_horner(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k < EVALUATIONS; ++k) {
            float at = place(x[i], k);
            float squared = at * at;
            float fourth = squared * squared;
            float value = coefficient(64);
#pragma unroll
            for (int group = 15; group >= 0; --group) {
                float low = coefficient(4 * group + 1) * at + coefficient(4 * group);
                float high = coefficient(4 * group + 3) * at + coefficient(4 * group + 2);
                value = value * fourth + (high * squared + low);
            }
            sum += value;
        }
        out[i] = sum;
    }
}

extern "C" __global__ void exp_accurate(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = expf(x[i]);
    }
}

extern "C" __global__ void exp_fast(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = __expf(x[i]);
    }
}

extern "C" __global__ void sin_accurate(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(x[i]);
    }
}

extern "C" __global__ void sin_fast(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = __sinf(x[i]);
    }
}
