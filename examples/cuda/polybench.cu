// The kernels of src/users/polybench.rs in CUDA C++, line for line.

extern "C" __global__ void atax_rows(int nx, int ny, const float* __restrict__ a, const float* __restrict__ x,
                                     float* __restrict__ tmp) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nx) {
        float sum = 0.0f;
        for (int j = 0; j < ny; j++) {
            sum += a[i * ny + j] * x[j];
        }
        tmp[i] = sum;
    }
}

extern "C" __global__ void atax_columns(int nx, int ny, const float* __restrict__ a, const float* __restrict__ tmp,
                                        float* __restrict__ y) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < ny) {
        float sum = 0.0f;
        for (int i = 0; i < nx; i++) {
            sum += a[i * ny + j] * tmp[i];
        }
        y[j] = sum;
    }
}

extern "C" __global__ void gesummv(int n, float alpha, float beta, const float* __restrict__ a, const float* __restrict__ b,
                                   const float* __restrict__ x, float* __restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float tmp = 0.0f;
        float sum = 0.0f;
        for (int j = 0; j < n; j++) {
            tmp += a[i * n + j] * x[j];
            sum += b[i * n + j] * x[j];
        }
        y[i] = alpha * tmp + beta * sum;
    }
}

extern "C" __global__ void gemm(int ni, int nj, int nk, float alpha, float beta, const float* __restrict__ a,
                                const float* __restrict__ b, float* __restrict__ c) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < nj) {
        float sum = c[i * nj + j] * beta;
        for (int k = 0; k < nk; k++) {
            sum += alpha * a[i * nk + k] * b[k * nj + j];
        }
        c[i * nj + j] = sum;
    }
}

extern "C" __global__ void syrk(int n, int m, float alpha, float beta, const float* __restrict__ a, float* __restrict__ c) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        float sum = c[i * n + j] * beta;
        for (int k = 0; k < m; k++) {
            sum += alpha * a[i * m + k] * a[j * m + k];
        }
        c[i * n + j] = sum;
    }
}

extern "C" __global__ void jacobi2d(int n, const float* __restrict__ a, float* __restrict__ b) {
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 && i < n - 1 && j >= 1 && j < n - 1) {
        b[i * n + j] =
            0.2f * (a[i * n + j] + a[i * n + (j - 1)] + a[i * n + (1 + j)] + a[(1 + i) * n + j] + a[(i - 1) * n + j]);
    }
}

extern "C" __global__ void fdtd2d_ey(int nx, int ny, float source, const float* __restrict__ hz, float* __restrict__ ey) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny) {
        if (i == 0) {
            ey[i * ny + j] = source;
        } else {
            ey[i * ny + j] = ey[i * ny + j] - 0.5f * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
        }
    }
}

extern "C" __global__ void fdtd2d_hz(int nx, int ny, const float* __restrict__ ex, const float* __restrict__ ey,
                                     float* __restrict__ hz) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny) {
        hz[i * ny + j] =
            hz[i * ny + j] -
            0.7f * (ex[i * (ny + 1) + (j + 1)] - ex[i * (ny + 1) + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
    }
}

extern "C" __global__ void conv2d(int ni, int nj, const float* __restrict__ a, float* __restrict__ b) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni - 1 && j < nj - 1 && i > 0 && j > 0) {
        b[i * nj + j] = 0.2f * a[(i - 1) * nj + (j - 1)] + 0.5f * a[(i - 1) * nj + j] + -0.8f * a[(i - 1) * nj + (j + 1)] +
                        -0.3f * a[i * nj + (j - 1)] + 0.6f * a[i * nj + j] + -0.9f * a[i * nj + (j + 1)] +
                        0.4f * a[(i + 1) * nj + (j - 1)] + 0.7f * a[(i + 1) * nj + j] + 0.1f * a[(i + 1) * nj + (j + 1)];
    }
}

extern "C" __global__ void heat3d(int width, int height, int depth, const float* __restrict__ a, float* __restrict__ b) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= 1 && x + 1 < width && y >= 1 && y + 1 < height && z >= 1 && z + 1 < depth) {
        int at = (z * height + y) * width + x;
        int layer = width * height;
        b[at] = a[at] + 0.125f * (a[at - layer] - 2.0f * a[at] + a[at + layer]) +
                0.125f * (a[at - width] - 2.0f * a[at] + a[at + width]) + 0.125f * (a[at - 1] - 2.0f * a[at] + a[at + 1]);
    }
}

extern "C" __global__ void correlation_mean(int n, int m, const float* __restrict__ data, float* __restrict__ mean) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) {
        float sum = 0.0f;
        for (int i = 0; i < n; i++) {
            sum += data[i * m + j];
        }
        mean[j] = sum / (float)n;
    }
}

extern "C" __global__ void correlation_reduce(int n, int m, const float* __restrict__ mean, const float* __restrict__ deviation,
                                              float* __restrict__ data) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < m) {
        float centred = data[i * m + j] - mean[j];
        data[i * m + j] = centred / (sqrtf((float)n) * (deviation[j] + 2.0f));
    }
}
