// Copies that go on by themselves: pipelines, barriers in memory, tensors; and clusters of blocks.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#pragma nv_diag_suppress 20054
namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Sums of tiles that are two ahead.
extern "C" __global__ void pipeline_sums(const float4* x, float* sums, int tiles) {
    __shared__ float4 stage[3][64];
    float total = 0;
    const float4* mine = x + blockIdx.x * tiles * 64;
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&stage[i][threadIdx.x], &mine[i * 64 + threadIdx.x], 16);
        __pipeline_commit();
    }
    for (int i = 0; i < tiles; i++) {
        if (i + 2 < tiles) __pipeline_memcpy_async(&stage[(i + 2) % 3][threadIdx.x], &mine[(i + 2) * 64 + threadIdx.x], 16);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        float4 v = stage[i % 3][63 - threadIdx.x];
        total += v.x + v.y + v.z + v.w;
        __syncthreads();
    }
    atomicAdd(&sums[blockIdx.x], total);
}

// Sums of tiles that are two ahead, by the pipeline of libcu++.
extern "C" __global__ void pipeline_groups(const int* x, int* out, int tiles) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ alignas(16) int stage[2][128];
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int fetched = 0, i = 0; i < tiles; i++) {
        for (; fetched < tiles && fetched < i + 2; fetched++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, stage[fetched % 2], x + fetched * 128, cuda::aligned_size_t<16>(512), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += stage[i % 2][(block.thread_rank() + 1) % 128];
        pipeline.consumer_release();
    }
    out[block.thread_rank()] = sum;
}

// A bulk copy in and one out, signalled by a barrier.
extern "C" __global__ void bulk_reverse(const int* x, int* y) {
    __shared__ alignas(128) int in[256], out[256];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    Barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_global_to_shared(in, x + blockIdx.x * 256, sizeof in, barrier);
        token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof in);
    } else {
        token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    for (int i = threadIdx.x; i < 256; i += blockDim.x) out[i] = in[255 - i];
    cuda::device::experimental::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_shared_to_global(y + blockIdx.x * 256, out, sizeof out);
        cuda::device::experimental::cp_async_bulk_commit_group();
        cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
    }
}

// Adds what blocks have in shared memory to global memory, in bulk.
extern "C" __global__ void bulk_add(int* sums) {
    __shared__ alignas(128) int mine[64];
    mine[threadIdx.x] = blockIdx.x * threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;"
                     :: "l"(sums), "r"((unsigned)__cvta_generic_to_shared(mine)), "r"(256) : "memory");
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__device__ void wait(unsigned barrier, int parity) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra done; bra again; done: }"
                 :: "r"(barrier), "r"(parity) : "memory");
}

// Tiles of 32 x 32 of a plane, with what is outside as zero, out again transposed.
extern "C" __global__ void tensor_transpose(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
    __shared__ alignas(128) int tile[32][32], turned[32][32];
    __shared__ alignas(8) unsigned long long barrier;
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.proxy.async.shared::cta;" :: "r"(at) : "memory");
        asm volatile("prefetch.tensormap [%0];" :: "l"(&in) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" :: "r"(at) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     :: "r"(to), "l"(&in), "r"(blockIdx.x * 32 - 8), "r"(blockIdx.y * 32), "r"(at) : "memory");
    }
    __syncthreads();
    wait(at, 0);
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) turned[i % 32][i / 32] = tile[i / 32][i % 32];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                     :: "l"(&out), "r"(blockIdx.y * 32), "r"(blockIdx.x * 32), "r"((unsigned)__cvta_generic_to_shared(turned)) : "memory");
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// Boxes of three dimensions, of every second row, added to another tensor.
extern "C" __global__ void tensor_add(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
    __shared__ alignas(128) float box[4][4][8];
    __shared__ alignas(8) unsigned long long barrier;
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(box);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.proxy.async.shared::cta;" :: "r"(at) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" :: "r"(at) : "memory");
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];"
                 :: "r"(to), "l"(&in), "r"(blockIdx.x * 8), "r"(2), "r"(blockIdx.y * 4), "r"(at) : "memory");
    wait(at, 0);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2, %3}], [%4];"
                 :: "l"(&out), "r"(blockIdx.x * 8), "r"(0), "r"(blockIdx.y * 4), "r"(to) : "memory");
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
}

// 64 x 64 by rows times 64 x 32 by columns of brain floats: both come as tensors, swizzled by 128 bytes, to `wgmma`.
extern "C" __global__ void tensor_product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c) {
    extern __shared__ __align__(1024) unsigned char shared[];
    unsigned left = (unsigned)__cvta_generic_to_shared(shared), right = left + 8192, at = right + 4096;
    int t = threadIdx.x;
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.proxy.async.shared::cta;" :: "r"(at) : "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 12288;" :: "r"(at) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     :: "r"(left), "l"(&a), "r"(0), "r"(0), "r"(at) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     :: "r"(right), "l"(&b), "r"(0), "r"(0), "r"(at) : "memory");
    }
    wait(at, 0);
    auto matrix = [](unsigned address) { return (unsigned long long)(address >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62; };
    float d[16] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int k = 0; k < 4; k++)
        asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, 1, 1, 1, 0, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]),
                       "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
                     : "l"(matrix(left + 32 * k)), "l"(matrix(right + 32 * k)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    int row = t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;
    for (int i = 0; i < 16; i++) c[(row + i / 2 % 2 * 8) * 32 + column + i % 2 + i / 4 * 8] = d[i];
}

// A histogram in the shared memory of four blocks: bin b is in block b / 64.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_histogram(const unsigned char* x, unsigned* bins, int n) {
    __shared__ unsigned mine[64];
    auto cluster = cg::this_cluster();
    if (threadIdx.x < 64) mine[threadIdx.x] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(cluster.map_shared_rank(&mine[x[i] % 64], x[i] / 64), 1u);
    cluster.sync();
    if (threadIdx.x < 64) atomicAdd(&bins[cluster.block_rank() * 64 + threadIdx.x], mine[threadIdx.x]);
}

// Each block reads its neighbour's numbers, in clusters whose size the launch says.
extern "C" __global__ void cluster_ring(int* out, int rounds) {
    __shared__ int mine[32];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), size = cluster.num_blocks();
    int value = blockIdx.x * 100 + threadIdx.x;
    for (int round = 0; round < rounds; round++) {
        mine[threadIdx.x] = value;
        cluster.sync();
        value = cluster.map_shared_rank(mine, (rank + 1) % size)[threadIdx.x ^ 1] + 1;
        cluster.sync();
    }
    out[blockIdx.x * 32 + threadIdx.x] = value + (cluster.query_shared_rank(cluster.map_shared_rank(mine, size - 1)) == size - 1 ? 0 : 1000000);
}

// The first block of a cluster sends a tile to all; blocks tell each other's barriers by remote arrivals and `st.async`.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_multicast(const __grid_constant__ CUtensorMap in, int* out) {
    __shared__ alignas(128) int tile[8][16];
    __shared__ alignas(8) unsigned long long barriers[3];
    __shared__ int word[4];
    auto cluster = cg::this_cluster();
    unsigned at = (unsigned)__cvta_generic_to_shared(barriers), rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tmbarrier.init.shared::cta.b64 [%0+8], 64;\n\tmbarrier.init.shared::cta.b64 [%0+16], 1;\n\t"
                     "fence.mbarrier_init.release.cluster;" :: "r"(at) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;\n\tmbarrier.arrive.expect_tx.shared::cta.b64 _, [%0+16], 16;" :: "r"(at) : "memory");
    }
    cluster.sync();
    if (rank == 0 && threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                     :: "r"((unsigned)__cvta_generic_to_shared(tile)), "l"(&in), "r"(16), "r"(blockIdx.x / 2 * 8), "r"(at), "h"((unsigned short)3) : "memory");
    wait(at, 0);
    int sum = 0;
    for (int i = threadIdx.x; i < 128; i += 32) sum += tile[i / 16][i % 16];
    for (unsigned other = 0; other < 2; other++)
        asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }"
                     :: "r"(at + 8), "r"(other) : "memory");
    wait(at + 8, 0);
    if (threadIdx.x < 4)
        asm volatile("{ .reg .b32 there, barrier; mapa.shared::cluster.u32 there, %0, %2; mapa.shared::cluster.u32 barrier, %1, %2;"
                     " st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [there], %3, [barrier]; }"
                     :: "r"((unsigned)__cvta_generic_to_shared(word + threadIdx.x)), "r"(at + 16), "r"(rank ^ 1), "r"(sum) : "memory");
    wait(at + 16, 0);
    out[blockIdx.x * 32 + threadIdx.x] = sum * 1000 + word[threadIdx.x % 4];
    cluster.sync();
}
