// The kernels of src/users/hecbench.rs in CUDA C++, line for line.
#include <float.h>

extern "C" __global__ void depthwise_conv(int channels, int height, int width, const float* __restrict__ x,
                                          const float* __restrict__ filters, float* __restrict__ out) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int channel = blockIdx.z;
    if (column < width && row < height && channel < channels) {
        float sum = 0.0f;
        for (int ky = 0; ky < 3; ky++) {
            for (int kx = 0; kx < 3; kx++) {
                int y = row + ky - 1;
                int x_ = column + kx - 1;
                if (y >= 0 && y < height && x_ >= 0 && x_ < width) {
                    sum += x[(channel * height + y) * width + x_] * filters[channel * 9 + ky * 3 + kx];
                }
            }
        }
        out[(channel * height + row) * width + column] = sum;
    }
}

extern "C" __global__ void average_pool(int height, int width, const float* __restrict__ x, float* __restrict__ out) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height / 2 && column < width / 2) {
        float sum = 0.0f;
        for (int y = 0; y < 2; y++) {
            for (int x_ = 0; x_ < 2; x_++) {
                sum += x[(2 * row + y) * width + 2 * column + x_];
            }
        }
        out[row * (width / 2) + column] = sum / 4.0f;
    }
}

extern "C" __global__ void matmul_int(int m, int n, int k, const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ c) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && column < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; i++) {
            sum += a[row * k + i] * b[i * n + column];
        }
        c[row * n + column] = sum;
    }
}

extern "C" __global__ void laplace3d(int nx, int ny, int nz, const float* __restrict__ u1, float* __restrict__ u2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny) {
        int plane = nx * ny;
        int at = i + j * nx;
        for (int k = 0; k < nz; k++) {
            if (i == 0 || i == nx - 1 || j == 0 || j == ny - 1 || k == 0 || k == nz - 1) {
                u2[at] = u1[at];
            } else {
                u2[at] = (u1[at - 1] + u1[at + 1] + u1[at - nx] + u1[at + nx] + u1[at - plane] + u1[at + plane]) * (1.0f / 6.0f);
            }
            at += plane;
        }
    }
}

extern "C" __global__ void haar(int n, const float* __restrict__ x, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int half = n / 2;
    if (i < half) {
        float a = x[2 * i];
        float b = x[2 * i + 1];
        out[i] = (a + b) * 0.70710677f;
        out[half + i] = (a - b) * 0.70710677f;
    }
}

extern "C" __global__ void nearest(int count, float latitude, float longitude, const float* __restrict__ places,
                                   float* __restrict__ distances) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float dy = latitude - places[2 * i];
        float dx = longitude - places[2 * i + 1];
        distances[i] = sqrtf(dx * dx + dy * dy);
    }
}

extern "C" __global__ void causal_scores(int length, int size, float scale, const float* __restrict__ q,
                                         const float* __restrict__ k, float* __restrict__ scores) {
    int key = blockIdx.x * blockDim.x + threadIdx.x;
    int query = blockIdx.y * blockDim.y + threadIdx.y;
    if (query < length && key < length) {
        if (key > query) {
            scores[query * length + key] = -10000.0f;
        } else {
            float sum = 0.0f;
            for (int d = 0; d < size; d++) {
                sum += q[query * size + d] * k[key * size + d];
            }
            scores[query * length + key] = sum * scale;
        }
    }
}

extern "C" __global__ void batchnorm(int total, int channels, int pixels, const float* __restrict__ mean,
                                     const float* __restrict__ variance, const float* __restrict__ x, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < total) {
        int channel = (i / pixels) % channels;
        out[i] = (x[i] - mean[channel]) / sqrtf(variance[channel] * variance[channel] + 1e-5f);
    }
}

extern "C" __global__ void bitonic_step(unsigned n, unsigned j, unsigned k, unsigned* __restrict__ values) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned partner = i ^ j;
    if (i < n && partner < n && partner > i) {
        unsigned a = values[i];
        unsigned b = values[partner];
        bool ascending = (i & k) == 0;
        if ((a > b) == ascending) {
            values[i] = b;
            values[partner] = a;
        }
    }
}

extern "C" __global__ void monte_carlo_pi(unsigned rounds, unsigned* __restrict__ counts, int len) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < len) {
        unsigned state = (unsigned)i * 747796405u + 2891336453u;
        unsigned inside = 0;
        for (unsigned round = 0; round < rounds; round++) {
            state = state * 1664525u + 1013904223u;
            float x = (float)(state >> 8) / 16777216.0f;
            state = state * 1664525u + 1013904223u;
            float y = (float)(state >> 8) / 16777216.0f;
            if (x * x + y * y <= 1.0f) {
                inside += 1;
            }
        }
        counts[i] = inside;
    }
}

extern "C" __global__ void stencil_shared(int n, const float* __restrict__ x, float* __restrict__ out) {
    const int RADIUS = 3;
    __shared__ float tile[256 + 6];
    int global = blockIdx.x * blockDim.x + threadIdx.x;
    int local = threadIdx.x + RADIUS;
    tile[local] = global < n ? x[global] : 0.0f;
    if ((int)threadIdx.x < RADIUS) {
        int left = global - RADIUS;
        int right = global + blockDim.x;
        tile[local - RADIUS] = left >= 0 ? x[left] : 0.0f;
        tile[local + blockDim.x] = right < n ? x[right] : 0.0f;
    }
    __syncthreads();
    if (global < n) {
        float sum = 0.0f;
        for (int offset = -RADIUS; offset <= RADIUS; offset++) {
            sum += tile[local + offset];
        }
        out[global] = sum;
    }
}

extern "C" __global__ void log_softmax(int columns, const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float parts[256];
    int row = blockIdx.x;
    int t = threadIdx.x;
    float most = -FLT_MAX;
    int i = t;
    while (i < columns) {
        most = fmaxf(most, x[row * columns + i]);
        i += 256;
    }
    parts[t] = most;
    __syncthreads();
    int half = 128;
    while (half > 0) {
        if (t < half) {
            parts[t] = fmaxf(parts[t], parts[t + half]);
        }
        __syncthreads();
        half /= 2;
    }
    most = parts[0];
    __syncthreads();
    float sum = 0.0f;
    i = t;
    while (i < columns) {
        sum += expf(x[row * columns + i] - most);
        i += 256;
    }
    parts[t] = sum;
    __syncthreads();
    half = 128;
    while (half > 0) {
        if (t < half) {
            parts[t] += parts[t + half];
        }
        __syncthreads();
        half /= 2;
    }
    float log = logf(parts[0]);
    i = t;
    while (i < columns) {
        out[row * columns + i] = x[row * columns + i] - most - log;
        i += 256;
    }
}

extern "C" __global__ void overlaps(int count, float threshold, const float4* __restrict__ boxes, unsigned* __restrict__ masks) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float4 a = boxes[i];
        float area = (a.z - a.x) * (a.w - a.y);
        unsigned mask = 0;
        for (int bit = 0; bit < 32; bit++) {
            int j = i + 1 + bit;
            if (j < count) {
                float4 b = boxes[j];
                float width = fmaxf(fminf(a.z, b.z) - fmaxf(a.x, b.x), 0.0f);
                float height = fmaxf(fminf(a.w, b.w) - fmaxf(a.y, b.y), 0.0f);
                float both = width * height;
                float all = area + (b.z - b.x) * (b.w - b.y) - both;
                if (both > threshold * all) {
                    mask |= 1u << bit;
                }
            }
        }
        masks[i] = mask;
    }
}

extern "C" __global__ void floyd_warshall(int n, int k, const float* __restrict__ before, float* __restrict__ after) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        float through = before[i * n + k] + before[k * n + j];
        float direct = before[i * n + j];
        after[i * n + j] = through < direct ? through : direct;
    }
}
