// Matrix fragments, asynchronous copies, memory barriers and clusters.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <mma.h>

extern "C" __global__ void fragments(const __half* a, const __half* b, float* c) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    load_matrix_sync(fa, a, 16);
    load_matrix_sync(fb, b, 16);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(c, fc, 16, mem_row_major);
}

extern "C" __global__ void copies(const float4* x, float4* y) {
    __shared__ float4 tile[128];
    __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    y[threadIdx.x] = tile[threadIdx.x ^ 1];
}

extern "C" __global__ void inline_assembly(unsigned* u, float* f) {
    extern __shared__ unsigned shared[];
    unsigned address = (unsigned)__cvta_generic_to_shared(shared);
    unsigned r0, r1, r2, r3;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(address));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]) : "r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(u[0]), "r"(u[1]));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(address), "r"(u[2]));
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" :: "l"(u), "r"(4096));
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; @p st.shared.b32 [%0], 1; }" :: "r"(address));
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) clusters(unsigned* u) {
    __shared__ unsigned mine[32];
    namespace cg = cooperative_groups;
    cg::cluster_group cluster = cg::this_cluster();
    mine[threadIdx.x] = u[threadIdx.x];
    cluster.sync();
    u[0] = *cluster.map_shared_rank(&mine[threadIdx.x], cluster.block_rank() ^ 1);
    cluster.sync();
}

extern "C" __global__ void barriers(int* u, __nv_fp8_e4m3* e, float* f) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token = barrier.arrive();
    u[0] = threadIdx.x;
    barrier.wait(std::move(token));
    e[0] = __nv_fp8_e4m3(f[0]), f[1] = (float)e[1];
}
