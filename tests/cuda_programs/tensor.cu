// Products of matrices on every path of the tensor cores that one warp has, and on groups of four warps.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>
using namespace nvcuda;

// C = A B: A is 16 x k by rows, B is k x 16 by columns.
template <typename Fragment, typename T, typename C, int K>
__device__ void product_of_16(const T* a, const T* b, C* c, int k) {
    wmma::fragment<wmma::matrix_a, 16, 16, K, Fragment, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, K, Fragment, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, K, C> sum;
    wmma::fill_fragment(sum, C(0));
    for (int i = 0; i < k; i += K) {
        wmma::load_matrix_sync(left, a + i, k);
        wmma::load_matrix_sync(right, b + i, k);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

extern "C" __global__ void wmma_half(const half* a, const half* b, float* c, int k) { product_of_16<half, half, float, 16>(a, b, c, k); }
extern "C" __global__ void wmma_half_sums(const half* a, const half* b, half* c, int k) { product_of_16<half, half, half, 16>(a, b, c, k); }
extern "C" __global__ void wmma_brain(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int k) {
    product_of_16<__nv_bfloat16, __nv_bfloat16, float, 16>(a, b, c, k);
}
extern "C" __global__ void wmma_tf32(const float* a, const float* b, float* c, int k) { product_of_16<wmma::precision::tf32, float, float, 8>(a, b, c, k); }
extern "C" __global__ void wmma_bytes(const signed char* a, const signed char* b, int* c, int k) {
    product_of_16<signed char, signed char, int, 16>(a, b, c, k);
}
extern "C" __global__ void wmma_unsigned(const unsigned char* a, const unsigned char* b, int* c, int k) {
    product_of_16<unsigned char, unsigned char, int, 16>(a, b, c, k);
}
// 8 x k by rows, k x 8 by columns.
extern "C" __global__ void wmma_doubles(const double* a, const double* b, double* c, int k) {
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
    wmma::fill_fragment(sum, 0.0);
    for (int i = 0; i < k; i += 4) {
        wmma::load_matrix_sync(left, a + i, k);
        wmma::load_matrix_sync(right, b + i, k);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
}

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

// 16 x 16 by rows times 16 x 8 by rows, by way of shared memory and `ldmatrix`.
extern "C" __global__ void ldmatrix_half(const half* a, const half* b, float* c) {
    __shared__ alignas(16) half left[16 * 16], right[16 * 8];
    int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32) left[i] = a[i];
    for (int i = lane; i < 128; i += 32) right[i] = b[i];
    __syncwarp();
    unsigned x[4], y[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(shared_address(left + lane % 16 * 16 + lane / 16 * 8)));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(shared_address(right + lane % 16 * 8)));
    float d[4] = {};
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    int row = lane / 4, column = lane % 4 * 2;
    c[row * 8 + column] = d[0], c[row * 8 + column + 1] = d[1], c[row * 8 + 64 + column] = d[2], c[row * 8 + 65 + column] = d[3];
}

__device__ void store_16x8(float* c, const float* d) {
    int lane = threadIdx.x % 32, row = lane / 4, column = lane % 4 * 2;
    c[row * 8 + column] = d[0], c[row * 8 + column + 1] = d[1], c[row * 8 + 64 + column] = d[2], c[row * 8 + 65 + column] = d[3];
}

// 16 x 32 by rows times 32 x 8 by columns, in bytes.
extern "C" __global__ void mma_fp8(const unsigned* a, const unsigned* b, float* c) {
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    float d[4] = {};
    unsigned x[4] = {a[g * 8 + t], a[(g + 8) * 8 + t], a[g * 8 + t + 4], a[(g + 8) * 8 + t + 4]}, y[2] = {b[g * 8 + t], b[g * 8 + t + 4]};
    asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    store_16x8(c, d);
}

// 16 x 64 of four bits by rows times 64 x 8 by columns.
extern "C" __global__ void mma_nibbles(const unsigned* a, const unsigned* b, int* c) {
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    int d[4] = {};
    unsigned x[4] = {a[g * 8 + t], a[(g + 8) * 8 + t], a[g * 8 + t + 4], a[(g + 8) * 8 + t + 4]}, y[2] = {b[g * 8 + t], b[g * 8 + t + 4]};
    asm("mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    int row = lane / 4, column = lane % 4 * 2;
    c[row * 8 + column] = d[0], c[row * 8 + column + 1] = d[1], c[row * 8 + 64 + column] = d[2], c[row * 8 + 65 + column] = d[3];
}

// 16 x 256 bits by rows times 256 x 8 by columns: how many both have.
extern "C" __global__ void mma_bits(const unsigned* a, const unsigned* b, int* c) {
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    int d[4] = {};
    unsigned x[4] = {a[g * 8 + t], a[(g + 8) * 8 + t], a[g * 8 + t + 4], a[(g + 8) * 8 + t + 4]}, y[2] = {b[g * 8 + t], b[g * 8 + t + 4]};
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    int row = lane / 4, column = lane % 4 * 2;
    c[row * 8 + column] = d[0], c[row * 8 + column + 1] = d[1], c[row * 8 + 64 + column] = d[2], c[row * 8 + 65 + column] = d[3];
}

// A is 16 x 32 of which of each four neighbours two are there: values 16 x 16 by rows, and which (two bits each); B 32 x 8 by columns.
extern "C" __global__ void mma_sparse(const unsigned* values, const unsigned* which, const unsigned* b, float* c) {
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    float d[4] = {};
    unsigned x[4] = {values[g * 8 + t], values[(g + 8) * 8 + t], values[g * 8 + t + 4], values[(g + 8) * 8 + t + 4]};
    unsigned y[4] = {b[g * 16 + t], b[g * 16 + t + 4], b[g * 16 + t + 8], b[g * 16 + t + 12]};
    // Of each four lanes the first two say it: of the rows g and g + 8, of the first half of the columns or of the second.
    unsigned meta = which[lane];
    asm("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0x0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(meta));
    store_16x8(c, d);
}

// The descriptor by which `wgmma` finds a matrix in shared memory.
__device__ unsigned long long matrix(const void* p, unsigned leading, unsigned stride, unsigned long long swizzle) {
    return (unsigned long long)(shared_address(p) >> 4 & 0x3fff) | (unsigned long long)(leading >> 4) << 16 | (unsigned long long)(stride >> 4) << 32 | swizzle << 62;
}

#define D8(x) "+f"(d[x]), "+f"(d[x + 1]), "+f"(d[x + 2]), "+f"(d[x + 3]), "+f"(d[x + 4]), "+f"(d[x + 5]), "+f"(d[x + 6]), "+f"(d[x + 7])

// 64 x 32 by rows times 32 x 16 by columns, both as cores of 8 x 16 bytes: A's of a column of cores side by side.
extern "C" __global__ void wgmma_half(const half* a, const half* b, float* c) {
    __shared__ alignas(128) half left[4][8][8][8], right[4][2][8][8];
    int t = threadIdx.x;
    for (int i = t; i < 64 * 32; i += 128) left[i % 32 / 8][i / 32 / 8][i / 32 % 8][i % 8] = a[i];
    for (int i = t; i < 16 * 32; i += 128) right[i % 32 / 8][i / 32 / 8][i / 32 % 8][i % 8] = b[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    float d[8];
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int k = 0; k < 2; k++)
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16"
                     " {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1, 0, 0; }"
                     : D8(0) : "l"(matrix(left[2 * k], 1024, 128, 0)), "l"(matrix(right[2 * k], 256, 128, 0)), "r"(k));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    int row = t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;
    for (int i = 0; i < 8; i++) c[(row + i / 2 % 2 * 8) * 16 + column + i % 2 + i / 4 * 8] = d[i];
}

// A, 64 x 16, in registers; B, 16 x 8 by rows (transposed as it is read); minus A times B, plus ones.
extern "C" __global__ void wgmma_brain_registers(const __nv_bfloat162* a, const __nv_bfloat16* b, float* c) {
    __shared__ alignas(128) __nv_bfloat16 right[2][8][8];
    int t = threadIdx.x, row = t / 32 * 16 + t % 32 / 4, column = t % 4;
    right[t / 64][t / 8 % 8][t % 8] = b[t];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const unsigned* words = (const unsigned*)a;
    unsigned x[4] = {words[row * 8 + column], words[(row + 8) * 8 + column], words[row * 8 + column + 4], words[(row + 8) * 8 + column + 4]};
    float d[4] = {1, 1, 1, 1};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, -1, 1, 1;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(matrix(right, 128, 128, 0)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; i++) c[(row + i / 2 * 8) * 8 + column * 2 + i % 2] = d[i];
}

// Bytes: 64 x 32 by rows times 32 x 8 by columns.
extern "C" __global__ void wgmma_bytes(const signed char* a, const unsigned char* b, int* c) {
    __shared__ alignas(128) signed char left[2][8][8][16];
    __shared__ alignas(128) unsigned char right[2][1][8][16];
    int t = threadIdx.x;
    for (int i = t; i < 64 * 32; i += 128) left[i % 32 / 16][i / 32 / 8][i / 32 % 8][i % 16] = a[i];
    for (int i = t; i < 8 * 32; i += 128) right[i % 32 / 16][0][i / 32][i % 16] = b[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    int d[4];
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%0, %1, %2, %3}, %4, %5, 0;"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "l"(matrix(left, 1024, 128, 0)), "l"(matrix(right, 128, 128, 0)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    int row = t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;
    for (int i = 0; i < 4; i++) c[(row + i / 2 * 8) * 8 + column + i % 2] = d[i];
}
