// The kernels of src/users/samples.rs in CUDA C++, line for line.

extern "C" __global__ void transpose_naive(unsigned width, unsigned height, const float* __restrict__ x,
                                           float* __restrict__ out) {
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height) {
        out[column * height + row] = x[row * width + column];
    }
}

extern "C" __global__ void histogram(int n, const unsigned char* __restrict__ x, unsigned* __restrict__ counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < n) {
        atomicAdd(&counts[x[i]], 1u);
        i += blockDim.x * gridDim.x;
    }
}

static __device__ float cumulative(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float polynomial =
        k * (0.31938153f + k * (-0.35656378f + k * (1.7814779f + k * (-1.8212559f + k * 1.3302745f))));
    float tail = 0.3989423f * expf(-0.5f * d * d) * polynomial;
    return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(int n, float rate, float volatility, const float* __restrict__ stock,
                                         const float* __restrict__ strike, const float* __restrict__ years,
                                         float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = stock[i] + 5.0f;
        float x = strike[i] + 5.0f;
        float t = years[i] + 1.0f;
        float root = sqrtf(t);
        float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
        float d2 = d1 - volatility * root;
        float discounted = x * expf(-rate * t);
        out[i] = s * cumulative(d1) - discounted * cumulative(d2);
        out[n + i] = discounted * (1.0f - cumulative(d2)) - s * (1.0f - cumulative(d1));
    }
}

extern "C" __global__ void mandelbrot(int width, int height, unsigned rounds, unsigned* __restrict__ counts) {
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px < width && py < height) {
        float cx = (float)px / (float)width * 3.0f - 2.0f;
        float cy = (float)py / (float)height * 2.0f - 1.0f;
        float x = 0.0f;
        float y = 0.0f;
        unsigned round = 0;
        while (round < rounds && x * x + y * y < 4.0f) {
            float next = x * x - y * y + cx;
            y = 2.0f * x * y + cy;
            x = next;
            round += 1;
        }
        counts[py * width + px] = round;
    }
}

extern "C" __global__ void game_of_life(int width, int height, const unsigned char* __restrict__ now,
                                        unsigned char* __restrict__ next) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int left = (x + width - 1) % width;
        int right = (x + 1) % width;
        int up = (y + height - 1) % height;
        int down = (y + 1) % height;
        int neighbours = (now[up * width + left] & 1) + (now[up * width + x] & 1) + (now[up * width + right] & 1) +
                         (now[y * width + left] & 1) + (now[y * width + right] & 1) + (now[down * width + left] & 1) +
                         (now[down * width + x] & 1) + (now[down * width + right] & 1);
        bool lives = neighbours == 3 || (neighbours == 2 && (now[y * width + x] & 1) == 1);
        next[y * width + x] = lives;
    }
}

extern "C" __global__ __launch_bounds__(256) void scan_block(int n, const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float sums[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    int offset = 1;
    while (offset < 256) {
        float value = sums[t];
        if (t >= offset) {
            value += sums[t - offset];
        }
        __syncthreads();
        sums[t] = value;
        __syncthreads();
        offset *= 2;
    }
    if (i < n) {
        out[i] = sums[t];
    }
}

extern "C" __global__ __launch_bounds__(256) void nbody(int n, const float4* __restrict__ bodies,
                                                        float4* __restrict__ accelerations) {
    __shared__ float4 tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = i < n ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float ax = 0.0f;
    float ay = 0.0f;
    float az = 0.0f;
    int first = 0;
    while (first < n) {
        int j = first + threadIdx.x;
        tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            float4 other = tile[k];
            float dx = other.x - own.x;
            float dy = other.y - own.y;
            float dz = other.z - own.z;
            float squares = dx * dx + dy * dy + dz * dz + 0.01f;
            float inverse = 1.0f / sqrtf(squares);
            float pull = other.w * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        __syncthreads();
        first += 256;
    }
    if (i < n) {
        accelerations[i] = make_float4(ax, ay, az, 0.0f);
    }
}

extern "C" __global__ void rgb_to_grey(int width, int height, const unsigned char* __restrict__ rgb,
                                       unsigned char* __restrict__ grey) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int at = y * width + x;
        float r = rgb[3 * at];
        float g = rgb[3 * at + 1];
        float b = rgb[3 * at + 2];
        grey[at] = (unsigned char)(0.299f * r + 0.587f * g + 0.114f * b);
    }
}

extern "C" __global__ void sobel(int width, int height, const float* __restrict__ x, float* __restrict__ out) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= 1 && column < width - 1 && row >= 1 && row < height - 1) {
        int at = row * width + column;
        float gx = x[at - width + 1] + 2.0f * x[at + 1] + x[at + width + 1] - x[at - width - 1] - 2.0f * x[at - 1] -
                   x[at + width - 1];
        float gy = x[at + width - 1] + 2.0f * x[at + width] + x[at + width + 1] - x[at - width - 1] - 2.0f * x[at - width] -
                   x[at - width + 1];
        out[at] = sqrtf(gx * gx + gy * gy);
    }
}

extern "C" __global__ void median(int width, int height, const float* __restrict__ x, float* __restrict__ out) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column > 0 && row > 0 && column + 1 < width && row + 1 < height) {
        float window[9];
        for (int dy = 0; dy < 3; dy++) {
            for (int dx = 0; dx < 3; dx++) {
                window[dy * 3 + dx] = x[(row + dy - 1) * width + column + dx - 1];
            }
        }
        for (int i = 0; i < 5; i++) {
            for (int j = i + 1; j < 9; j++) {
                float a = window[i], b = window[j];
                window[i] = fminf(a, b);
                window[j] = fmaxf(a, b);
            }
        }
        out[row * width + column] = window[4];
    }
}

extern "C" __global__ void box_blur(int width, int height, int radius, const float* __restrict__ x, float* __restrict__ out) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height) {
        float sum = 0.0f;
        int count = 0;
        for (int dy = -radius; dy <= radius; dy++) {
            for (int dx = -radius; dx <= radius; dx++) {
                int cx = column + dx;
                int cy = row + dy;
                if (cx >= 0 && cx < width && cy >= 0 && cy < height) {
                    sum += x[cy * width + cx];
                    count += 1;
                }
            }
        }
        out[row * width + column] = sum / (float)count;
    }
}

extern "C" __global__ void bilinear(int width, int height, int out_width, int out_height, const float* __restrict__ x,
                                    float* __restrict__ out) {
    int ox = blockIdx.x * blockDim.x + threadIdx.x;
    int oy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ox < out_width && oy < out_height) {
        float sx = (float)ox * (float)(width - 1) / (float)out_width;
        float sy = (float)oy * (float)(height - 1) / (float)out_height;
        int x0 = (int)sx;
        int y0 = (int)sy;
        int x1 = min(x0 + 1, width - 1);
        int y1 = min(y0 + 1, height - 1);
        float fx = sx - (float)x0;
        float fy = sy - (float)y0;
        float above = x[y0 * width + x0] * (1.0f - fx) + x[y0 * width + x1] * fx;
        float below = x[y1 * width + x0] * (1.0f - fx) + x[y1 * width + x1] * fx;
        out[oy * out_width + ox] = above * (1.0f - fy) + below * fy;
    }
}

extern "C" __global__ __launch_bounds__(128) void convolution_rows(int width, int height, const float* __restrict__ weights,
                                                                   const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float tile[144];
    int t = threadIdx.x;
    int column = blockIdx.x * 128 + t;
    int row = blockIdx.y;
    if (row < height) {
        tile[t + 8] = column < width ? x[row * width + column] : 0.0f;
        if (t < 8) {
            tile[t] = column >= 8 ? x[row * width + column - 8] : 0.0f;
            tile[t + 136] = column + 128 < width ? x[row * width + column + 128] : 0.0f;
        }
        __syncthreads();
        if (column < width) {
            float sum = 0.0f;
            for (int k = 0; k < 17; k++) {
                sum += weights[k] * tile[t + k];
            }
            out[row * width + column] = sum;
        }
    }
}

extern "C" __global__ void reduce(int n, const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float sums[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x * 2 + t;
    float sum = 0.0f;
    while (i < n) {
        sum += x[i];
        if (i + (int)blockDim.x < n) {
            sum += x[i + blockDim.x];
        }
        i += blockDim.x * 2 * gridDim.x;
    }
    sums[t] = sum;
    __syncthreads();
    int half = blockDim.x / 2;
    while (half > 0) {
        if (t < half) {
            sums[t] += sums[t + half];
        }
        __syncthreads();
        half /= 2;
    }
    if (t == 0) {
        out[blockIdx.x] = sums[0];
    }
}
