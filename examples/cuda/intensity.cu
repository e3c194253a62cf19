// The kernels of src/intensity in CUDA C++, line for line: what `versus` measures them against.
#include <cuda_fp16.h>

extern "C" __global__ void squares_loaded(const float* __restrict__ x, const float* __restrict__ squares,
                                          float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = squares[i] + x[i];
    }
}

extern "C" __global__ void squares_again(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = x[i] * x[i] + x[i];
    }
}

extern "C" __global__ void filter_plain(const float* __restrict__ weights, const float* __restrict__ x,
                                        float* __restrict__ out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
#pragma unroll
        for (int tap = 0; tap < 32; ++tap) {
            sum += weights[tap] * x[i + tap];
        }
        out[i] = sum;
    }
}

extern "C" __global__ __launch_bounds__(256) void filter_staged(const float* __restrict__ weights, const float* __restrict__ x,
                                                                float* __restrict__ out, unsigned n) {
    __shared__ float staged[32];
    if (threadIdx.x < 32) {
        staged[threadIdx.x] = weights[threadIdx.x];
    }
    __syncthreads();
    unsigned i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        float4 window = *reinterpret_cast<const float4*>(x + i);
#pragma unroll
        for (int group = 0; group < 8; ++group) {
            float4 next = *reinterpret_cast<const float4*>(x + i + 4 * group + 4);
            float values[7] = {window.x, window.y, window.z, window.w, next.x, next.y, next.z};
#pragma unroll
            for (int tap = 0; tap < 4; ++tap) {
                float weight = staged[4 * group + tap];
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    sums[k] = fmaf(weight, values[tap + k], sums[k]);
                }
            }
            window = next;
        }
        *reinterpret_cast<float4*>(out + i) = make_float4(sums[0], sums[1], sums[2], sums[3]);
    }
}

extern "C" __global__ __launch_bounds__(256) void double_along_rows(unsigned rows, unsigned columns,
                                                                    const float* __restrict__ x, float* __restrict__ out) {
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        out[row * columns + column] = 2.0f * x[row * columns + column];
    }
}

extern "C" __global__ __launch_bounds__(256) void double_along_columns(unsigned rows, unsigned columns,
                                                                       const float* __restrict__ x, float* __restrict__ out) {
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        out[row * columns + column] = 2.0f * x[row * columns + column];
    }
}

extern "C" __global__ __launch_bounds__(256) void transpose_direct(unsigned rows, unsigned columns,
                                                                   const float* __restrict__ x, float* __restrict__ out) {
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        out[column * rows + row] = x[row * columns + column];
    }
}

template <int PITCH>
static __device__ void transpose_tiles(unsigned rows, unsigned columns, const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float tile[32][PITCH];
    unsigned column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        unsigned y = threadIdx.y + 8 * k;
        if (row + y < rows && column < columns) {
            tile[y][threadIdx.x] = x[(row + y) * columns + column];
        }
    }
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        unsigned y = threadIdx.y + 8 * k;
        if (row + y < columns && column < rows) {
            out[(row + y) * rows + column] = tile[threadIdx.x][y];
        }
    }
}

extern "C" __global__ __launch_bounds__(256) void transpose_tiles_32(unsigned rows, unsigned columns,
                                                                     const float* __restrict__ x, float* __restrict__ out) {
    transpose_tiles<32>(rows, columns, x, out);
}

extern "C" __global__ __launch_bounds__(256) void transpose_tiles_33(unsigned rows, unsigned columns,
                                                                     const float* __restrict__ x, float* __restrict__ out) {
    transpose_tiles<33>(rows, columns, x, out);
}

// The sum and the maximum over a block of 256 threads, given to all of them: shuffles in each warp, then over the warps' results.
template <typename Combine>
static __device__ float of_block(float own, Combine combine) {
    __shared__ float of_warps[8];
    __syncthreads();
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        own = combine(own, __shfl_xor_sync(0xffffffff, own, distance));
    }
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = own;
    }
    __syncthreads();
    own = of_warps[threadIdx.x % 8];
#pragma unroll
    for (int distance = 4; distance > 0; distance /= 2) {
        own = combine(own, __shfl_xor_sync(0xffffffff, own, distance));
    }
    return own;
}

static __device__ float sum_of_block(float own) {
    return of_block(own, [](float a, float b) { return a + b; });
}

static __device__ float max_of_block(float own) {
    return of_block(own, [](float a, float b) { return fmaxf(a, b); });
}

extern "C" __global__ __launch_bounds__(256) void l2_two_passes(const float* __restrict__ x, float* __restrict__ out) {
    constexpr unsigned WIDTH = 8192;
    unsigned first = blockIdx.x * WIDTH;
    float own = 0.0f;
    for (unsigned k = threadIdx.x; k < WIDTH; k += 256) {
        own += x[first + k] * x[first + k];
    }
    float scale = 1.0f / sqrtf(sum_of_block(own));
    for (unsigned k = threadIdx.x; k < WIDTH; k += 256) {
        out[first + k] = x[first + k] * scale;
    }
}

// A row of 8,192 elements, eight vectors a thread.
struct Row {
    float4 part[8];

    __device__ explicit Row(const float4* __restrict__ x) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            part[k] = x[blockIdx.x * 2048 + threadIdx.x + k * 256];
        }
    }

    // Each element changed in place.
    template <typename Change>
    __device__ void each(Change change) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            part[k] = make_float4(change(part[k].x), change(part[k].y), change(part[k].z), change(part[k].w));
        }
    }

    // The sum of something of each element, four sums side by side.
    template <typename Of>
    __device__ float sum(Of of) const {
        float4 own = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            own.x += of(part[k].x);
            own.y += of(part[k].y);
            own.z += of(part[k].z);
            own.w += of(part[k].w);
        }
        return (own.x + own.y) + (own.z + own.w);
    }

    __device__ void store(float4* __restrict__ out) const {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            out[blockIdx.x * 2048 + threadIdx.x + k * 256] = part[k];
        }
    }
};

extern "C" __global__ __launch_bounds__(256) void l2_registers(const float4* __restrict__ x, float4* __restrict__ out) {
    Row row(x);
    float scale = 1.0f / sqrtf(sum_of_block(row.sum([](float value) { return value * value; })));
    row.each([=](float value) { return value * scale; });
    row.store(out);
}

extern "C" __global__ __launch_bounds__(256) void softmax(const float4* __restrict__ x, float4* __restrict__ out) {
    Row row(x);
    float4 own = row.part[0];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        own.x = fmaxf(own.x, row.part[k].x);
        own.y = fmaxf(own.y, row.part[k].y);
        own.z = fmaxf(own.z, row.part[k].z);
        own.w = fmaxf(own.w, row.part[k].w);
    }
    float largest = max_of_block(fmaxf(fmaxf(own.x, own.y), fmaxf(own.z, own.w)));
    row.each([=](float value) { return __expf(value - largest); });
    float scale = 1.0f / sum_of_block(row.sum([](float value) { return value; }));
    row.each([=](float value) { return value * scale; });
    row.store(out);
}

extern "C" __global__ __launch_bounds__(256) void layer_norm(const float4* __restrict__ x, float4* __restrict__ out) {
    Row row(x);
    float mean = sum_of_block(row.sum([](float value) { return value; })) / 8192.0f;
    row.each([=](float value) { return value - mean; });
    float squares = sum_of_block(row.sum([](float value) { return value * value; }));
    float scale = 1.0f / sqrtf(squares / 8192.0f + 1e-5f);
    row.each([=](float value) { return value * scale; });
    row.store(out);
}

extern "C" __global__ __launch_bounds__(256) void rms_norm(const float4* __restrict__ x, float4* __restrict__ out) {
    Row row(x);
    float squares = sum_of_block(row.sum([](float value) { return value * value; }));
    float scale = 1.0f / sqrtf(squares / 8192.0f + 1e-5f);
    row.each([=](float value) { return value * scale; });
    row.store(out);
}

extern "C" __global__ __launch_bounds__(256) void matmul_naive(unsigned size, const float* __restrict__ a,
                                                               const float* __restrict__ b, float* __restrict__ c) {
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < size && column < size) {
        float sum = 0.0f;
        for (unsigned k = 0; k < size; ++k) {
            sum += a[row * size + k] * b[k * size + column];
        }
        c[row * size + column] = sum;
    }
}

extern "C" __global__ __launch_bounds__(1024) void matmul_tiled(unsigned size, const float* __restrict__ a,
                                                                const float* __restrict__ b, float* __restrict__ c) {
    __shared__ float tile_a[32][32];
    __shared__ float tile_b[32][32];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned column = blockIdx.x * blockDim.x + x, row = blockIdx.y * blockDim.y + y;
    float sum = 0.0f;
    for (unsigned first = 0; first < size; first += 32) {
        tile_a[y][x] = a[row * size + first + x];
        tile_b[y][x] = b[(first + y) * size + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            sum += tile_a[y][k] * tile_b[k][x];
        }
        __syncthreads();
    }
    c[row * size + column] = sum;
}

static __device__ float at(const float4& vector, int lane) {
    return lane == 0 ? vector.x : lane == 1 ? vector.y : lane == 2 ? vector.z : vector.w;
}

static __device__ float4 multiply_add(float factor, float4 vector, float4 sum) {
    return make_float4(fmaf(factor, vector.x, sum.x), fmaf(factor, vector.y, sum.y), fmaf(factor, vector.z, sum.z),
                       fmaf(factor, vector.w, sum.w));
}

extern "C" __global__ __launch_bounds__(256) void matmul_double_buffered(unsigned size, const float4* __restrict__ a,
                                                                         const float4* __restrict__ b, float4* __restrict__ c) {
    __shared__ float4 tiles_a[2][8][32];
    __shared__ float4 tiles_b[2][8][32];
    unsigned thread = threadIdx.x;
    unsigned width = size / 4;
    unsigned first_row = blockIdx.y * 128, first_column = blockIdx.x * 32;
    unsigned row_of_a = thread / 2, part_of_a = thread % 2;
    unsigned row_of_b = thread / 32, part_of_b = thread % 32;
    unsigned x = thread % 16, y = thread / 16;
    float4 sums[8][2] = {};
    float4 of_a = a[(first_row + row_of_a) * width + part_of_a];
    float4 of_b = b[row_of_b * width + first_column + part_of_b];
    unsigned buffer = 0;
    for (unsigned first = 0; first < size; first += 8) {
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            float* vector = reinterpret_cast<float*>(&tiles_a[buffer][4 * part_of_a + lane][row_of_a / 4]);
            vector[row_of_a % 4] = at(of_a, lane);
        }
        tiles_b[buffer][row_of_b][part_of_b] = of_b;
        __syncthreads();
        unsigned next = first + 8;
        if (next < size) {
            of_a = a[(first_row + row_of_a) * width + next / 4 + part_of_a];
            of_b = b[(next + row_of_b) * width + first_column + part_of_b];
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float4 column[2] = {tiles_a[buffer][k][y], tiles_a[buffer][k][16 + y]};
            float4 row[2] = {tiles_b[buffer][k][x], tiles_b[buffer][k][16 + x]};
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                float factor = at(column[i / 4], i % 4);
                sums[i][0] = multiply_add(factor, row[0], sums[i][0]);
                sums[i][1] = multiply_add(factor, row[1], sums[i][1]);
            }
        }
        buffer = 1 - buffer;
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        unsigned row = first_row + 64 * (i / 4) + 4 * y + i % 4;
        c[row * width + first_column + x] = sums[i][0];
        c[row * width + first_column + 16 + x] = sums[i][1];
    }
}

// Tiles of a block, as many as every number of stages divides.
constexpr unsigned TILES = 12;

static __device__ void start_copy(const float* __restrict__ x, unsigned n, unsigned i, float* to) {
    bool is_there = i < n;
    const float* from = x + (is_there ? i : 0);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(is_there ? 4 : 0)
                 : "memory");
}

static __device__ void start_vector(const float4* __restrict__ x, unsigned n, unsigned i, float4* to) {
    bool is_there = i < n;
    const float4* from = x + (is_there ? i : 0);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(is_there ? 16 : 0)
                 : "memory");
}

extern "C" __global__ __launch_bounds__(256) void matmul_async(unsigned size, const float* __restrict__ a,
                                                               const float4* __restrict__ b, float4* __restrict__ c) {
    __shared__ float4 tiles_a[2][8][32];
    __shared__ float4 tiles_b[2][8][32];
    unsigned thread = threadIdx.x;
    unsigned width = size / 4;
    unsigned first_row = blockIdx.y * 128, first_column = blockIdx.x * 32;
    unsigned row_of_a = thread / 2, part_of_a = 4 * (thread % 2);
    unsigned row_of_b = thread / 32, part_of_b = thread % 32;
    unsigned x = thread % 16, y = thread / 16;
    unsigned of_a = (first_row + row_of_a) * size + part_of_a;
    unsigned of_b = row_of_b * width + first_column + part_of_b;
    float4 sums[8][2] = {};
#pragma unroll
    for (unsigned lane = 0; lane < 4; ++lane) {
        start_copy(a, size * size, of_a + lane, reinterpret_cast<float*>(tiles_a[0][part_of_a + lane]) + row_of_a);
    }
    start_vector(b, size * width, of_b, &tiles_b[0][row_of_b][part_of_b]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    unsigned buffer = 0;
    for (unsigned first = 0; first < size; first += 8) {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        unsigned next = first + 8;
        if (next < size) {
#pragma unroll
            for (unsigned lane = 0; lane < 4; ++lane) {
                float* row = reinterpret_cast<float*>(tiles_a[1 - buffer][part_of_a + lane]);
                start_copy(a, size * size, of_a + next + lane, row + row_of_a);
            }
            start_vector(b, size * width, of_b + next * width, &tiles_b[1 - buffer][row_of_b][part_of_b]);
            asm volatile("cp.async.commit_group;" ::: "memory");
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float4 column[2] = {tiles_a[buffer][k][y], tiles_a[buffer][k][16 + y]};
            float4 row[2] = {tiles_b[buffer][k][x], tiles_b[buffer][k][16 + x]};
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                float factor = at(column[i / 4], i % 4);
                sums[i][0] = multiply_add(factor, row[0], sums[i][0]);
                sums[i][1] = multiply_add(factor, row[1], sums[i][1]);
            }
        }
        buffer = 1 - buffer;
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        unsigned row = first_row + 64 * (i / 4) + 4 * y + i % 4;
        c[row * width + first_column + x] = sums[i][0];
        c[row * width + first_column + 16 + x] = sums[i][1];
    }
}

static __device__ float neighbours(const float* tile, unsigned thread) {
    float sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) {
        sum += tile[(thread + k) % 256];
    }
    return sum;
}

extern "C" __global__ __launch_bounds__(256) void tiles_in_turn(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    __shared__ float tile[256];
    unsigned thread = threadIdx.x;
    for (unsigned turn = 0; turn < TILES; ++turn) {
        unsigned i = (blockIdx.x * TILES + turn) * 256 + thread;
        tile[thread] = i < n ? x[i] : 0.0f;
        __syncthreads();
        float sum = neighbours(tile, thread);
        if (i < n) {
            out[i] = sum;
        }
        __syncthreads();
    }
}

extern "C" __global__ __launch_bounds__(256) void tiles_async(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    constexpr unsigned STAGES = 3;
    __shared__ float tiles[STAGES][256];
    unsigned thread = threadIdx.x;
    unsigned first = blockIdx.x * TILES * 256 + thread;
#pragma unroll
    for (unsigned stage = 0; stage < STAGES - 1; ++stage) {
        start_copy(x, n, first + stage * 256, &tiles[stage][thread]);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (unsigned group = 0; group < TILES / STAGES; ++group) {
#pragma unroll
        for (unsigned stage = 0; stage < STAGES; ++stage) {
            unsigned turn = group * STAGES + stage;
            asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
            __syncthreads();
            if (turn + STAGES - 1 < TILES) {
                start_copy(x, n, first + (turn + STAGES - 1) * 256, &tiles[(stage + STAGES - 1) % STAGES][thread]);
            }
            asm volatile("cp.async.commit_group;" ::: "memory");
            float sum = neighbours(tiles[stage], thread);
            unsigned i = first + turn * 256;
            if (i < n) {
                out[i] = sum;
            }
        }
    }
}

extern "C" __global__ __launch_bounds__(256) void matmul_dp4a(unsigned n, const unsigned* __restrict__ a, const unsigned* __restrict__ b, unsigned* __restrict__ c) {
    __shared__ unsigned left[8][64], right[8][64];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = 64 * blockIdx.y, column = 64 * blockIdx.x, thread = 16 * y + x, words = n / 4;
    unsigned sum[4][4] = {};
#pragma unroll 1
    for (unsigned step = 0; step < words / 8; ++step) {
#pragma unroll
        for (unsigned part = 0; part < 2; ++part) {
            unsigned of = (thread + 256 * part) / 8, k = thread % 8;
            left[k][of] = a[(row + of) * words + 8 * step + k];
            right[k][of] = b[(column + of) * words + 8 * step + k];
        }
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < 8; ++k)
#pragma unroll
            for (unsigned i = 0; i < 4; ++i)
#pragma unroll
                for (unsigned j = 0; j < 4; ++j) sum[i][j] = __dp4a(left[k][y + 16 * i], right[k][x + 16 * j], sum[i][j]);
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) c[(row + y + 16 * i) * n + column + x + 16 * j] = sum[i][j];
}

extern "C" __global__ __launch_bounds__(256) void matmul_half2(unsigned n, const __half* __restrict__ a, const __half2* __restrict__ b, __half2* __restrict__ c) {
    __shared__ __half left[16][64];
    __shared__ __half2 right[16][32];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = 64 * blockIdx.y, pair = 32 * blockIdx.x, thread = 16 * y + x, pairs = n / 2;
    __half2 sum[4][2];
    for (auto& row : sum)
        for (auto& two : row) two = __float2half2_rn(0.0f);
#pragma unroll 1
    for (unsigned step = 0; step < n / 16; ++step) {
#pragma unroll
        for (unsigned part = 0; part < 4; ++part) {
            unsigned of = (thread + 256 * part) / 16, k = thread % 16;
            left[k][of] = a[(row + of) * n + 16 * step + k];
        }
#pragma unroll
        for (unsigned part = 0; part < 2; ++part) {
            unsigned k = (thread + 256 * part) / 32, of = thread % 32;
            right[k][of] = b[(16 * step + k) * pairs + pair + of];
        }
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < 16; ++k)
#pragma unroll
            for (unsigned i = 0; i < 4; ++i) {
                __half2 factor = __half2half2(left[k][y + 16 * i]);
#pragma unroll
                for (unsigned j = 0; j < 2; ++j) sum[i][j] = __hfma2(factor, right[k][x + 16 * j], sum[i][j]);
            }
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
#pragma unroll
        for (unsigned j = 0; j < 2; ++j) c[(row + y + 16 * i) * pairs + pair + x + 16 * j] = sum[i][j];
}

static __device__ unsigned two_halves(const __half* at) { return *reinterpret_cast<const unsigned*>(at); }

extern "C" __global__ __launch_bounds__(128) void matmul_sparse(unsigned columns, unsigned inner, const __half* __restrict__ values,
                                                                const unsigned* __restrict__ metadata, const __half* __restrict__ b, float* __restrict__ c) {
    unsigned lane = threadIdx.x % 32, g = lane / 4, t = 2 * (lane % 4);
    unsigned row = 64 * blockIdx.y + 16 * (threadIdx.x / 32), column = 32 * blockIdx.x, kept = inner / 2;
    float sums[4][4] = {};
#pragma unroll 1
    for (unsigned step = 0; step < inner / 32; ++step) {
        unsigned left[4];
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) left[i] = two_halves(&values[(row + g + 8 * (i % 2)) * kept + 16 * step + t + 8 * (i / 2)]);
        unsigned places = metadata[16 * (row / 16 * (inner / 32) + step) + 2 * g + lane % 2];
#pragma unroll
        for (unsigned part = 0; part < 4; ++part) {
            unsigned right[4];
#pragma unroll
            for (unsigned i = 0; i < 4; ++i) right[i] = two_halves(&b[(column + 8 * part + g) * inner + 32 * step + t + 8 * i]);
            float(&d)[4] = sums[part];
            asm("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0;"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]), "r"(right[2]), "r"(right[3]), "r"(places));
        }
    }
#pragma unroll
    for (unsigned part = 0; part < 4; ++part)
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) c[(row + g + 8 * (i / 2)) * columns + column + 8 * part + t + i % 2] = sums[part][i];
}
