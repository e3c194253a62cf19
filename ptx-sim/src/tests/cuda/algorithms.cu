// Programs as people write them: products, sorts, scans, histograms, with shared memory, warps and CUB.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda_fp16.h>

// C = A B, 32 x 32 tiles of 16.
extern "C" __global__ void product(const float* a, const float* b, float* c, int n) {
    __shared__ float left[16][16], right[16][17];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int tile = 0; tile < n; tile += 16) {
        left[y][x] = a[row * n + tile + x];
        right[y][x] = b[(tile + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void transpose(const int* x, int* y, int n) {
    __shared__ int tile[32][33];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = x[(row + k) * n + column];
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) y[(row + k) * n + column] = tile[threadIdx.x][threadIdx.y + k];
}

// Sorts 2 * blockDim.x numbers.
extern "C" __global__ void bitonic(int* data) {
    extern __shared__ int s[];
    unsigned n = 2 * blockDim.x;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) s[i] = data[i];
    for (unsigned size = 2; size <= n; size *= 2)
        for (unsigned distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            unsigned i = 2 * threadIdx.x - (threadIdx.x & (distance - 1));
            bool up = (i & size) == 0;
            if ((s[i] > s[i + distance]) == up) { int t = s[i]; s[i] = s[i + distance]; s[i + distance] = t; }
        }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) data[i] = s[i];
}

extern "C" __global__ void histogram(const unsigned char* x, unsigned* bins, int n) {
    __shared__ unsigned mine[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[x[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], mine[i]);
}

extern "C" __global__ void cub_reduce(const int* x, int* sum) {
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ typename Reduce::TempStorage storage;
    int total = Reduce(storage).Sum(x[blockIdx.x * 128 + threadIdx.x]);
    if (threadIdx.x == 0) sum[blockIdx.x] = total;
}

extern "C" __global__ void cub_scan(int* x) {
    using Scan = cub::BlockScan<int, 128>;
    __shared__ typename Scan::TempStorage storage;
    int items[4];
    for (int k = 0; k < 4; k++) items[k] = x[threadIdx.x * 4 + k];
    Scan(storage).InclusiveSum(items, items);
    for (int k = 0; k < 4; k++) x[threadIdx.x * 4 + k] = items[k];
}

extern "C" __global__ void cub_sort(unsigned* x) {
    using Sort = cub::BlockRadixSort<unsigned, 64, 4>;
    __shared__ typename Sort::TempStorage storage;
    unsigned items[4];
    for (int k = 0; k < 4; k++) items[k] = x[threadIdx.x * 4 + k];
    Sort(storage).Sort(items);
    for (int k = 0; k < 4; k++) x[threadIdx.x * 4 + k] = items[k];
}

// The last block to finish adds what the others left.
__device__ unsigned finished;
extern "C" __global__ void last_block(const float* x, float* partial, float* result, int n) {
    namespace cg = cooperative_groups;
    __shared__ float sums[32];
    __shared__ bool is_last;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0;
        for (unsigned w = 0; w < blockDim.x / 32; w++) all += sums[w];
        partial[blockIdx.x] = all;
        __threadfence();
        is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        float all = 0;
        for (unsigned b = 0; b < gridDim.x; b++) all += ((volatile float*)partial)[b];
        *result = all;
    }
}

extern "C" __global__ void mathematics(const double* x, double* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i];
    y[i * 8] = sin(v), y[i * 8 + 1] = exp(v), y[i * 8 + 2] = log(fabs(v) + 1e-3), y[i * 8 + 3] = pow(fabs(v), 1.7);
    y[i * 8 + 4] = tanh(v), y[i * 8 + 5] = erf(v), y[i * 8 + 6] = cbrt(v), y[i * 8 + 7] = atan2(v, 2.5);
}

extern "C" __global__ void singles(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    y[i * 8] = sinf(v), y[i * 8 + 1] = expf(v), y[i * 8 + 2] = logf(fabsf(v) + 1e-3f), y[i * 8 + 3] = powf(fabsf(v), 1.7f);
    y[i * 8 + 4] = tanf(v), y[i * 8 + 5] = erff(v), y[i * 8 + 6] = fmodf(v, 0.7f), y[i * 8 + 7] = hypotf(v, 2.5f);
}

// y = a x + y in halves, two at once.
extern "C" __global__ void halves(__half2 a, const __half2* x, __half2* y) { y[threadIdx.x] = __hfma2(a, x[threadIdx.x], y[threadIdx.x]); }

extern "C" __global__ void divide(const unsigned __int128* a, unsigned __int128* b) {
    unsigned __int128 d = b[threadIdx.x];
    b[threadIdx.x] = a[threadIdx.x] / d ^ a[threadIdx.x] % d;
}

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
extern "C" __global__ void recursion(unsigned* x) { x[threadIdx.x] = ackermann(threadIdx.x / 4, threadIdx.x % 4); }

struct Shape { __device__ virtual float area() const = 0; };
struct Square : Shape { float a; __device__ Square(float a) : a(a) {} __device__ float area() const override { return a * a; } };
struct Circle : Shape { float r; __device__ Circle(float r) : r(r) {} __device__ float area() const override { return 3 * r * r; } };
extern "C" __global__ void virtual_calls(float* x) {
    float v = x[threadIdx.x];
    Square square(v);
    Circle circle(v);
    const Shape* shape = threadIdx.x % 3 == 0 ? (const Shape*)&square : (const Shape*)&circle;
    x[threadIdx.x] = shape->area();
}

extern "C" __global__ void lists(int n, int* sum) {
    struct Node { int value; Node* next; };
    Node* head = nullptr;
    for (int k = 0; k < n; k++) { Node* node = (Node*)malloc(sizeof(Node)); node->value = k + threadIdx.x; node->next = head; head = node; }
    int total = 0;
    while (head) { total += head->value; Node* next = head->next; free(head); head = next; }
    sum[threadIdx.x] = total;
}
