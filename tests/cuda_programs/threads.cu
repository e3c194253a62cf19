// Threads that work together: groups, votes, locks, atomic operations, barriers of the grid, looking back.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#pragma nv_diag_suppress 20054
namespace cg = cooperative_groups;

extern "C" __global__ void groups(const int* x, int* out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int i = block.thread_rank(), v = x[i], *o = out + i * 8;
    o[0] = cg::reduce(tile, v, cg::plus<int>());
    o[1] = cg::inclusive_scan(tile, v, cg::plus<int>());
    o[2] = tile.shfl_xor(v, 3) + tile.meta_group_rank();
    auto warp = cg::tiled_partition<32>(block);
    auto same = cg::labeled_partition(warp, v & 3);
    o[3] = cg::reduce(same, v, cg::greater<int>());
    o[4] = same.size() * 100 + same.thread_rank();
    o[5] = -1;
    if (v & 1) {
        auto odd = cg::coalesced_threads();
        o[5] = cg::exclusive_scan(odd, v) * 64 + odd.num_threads();
    }
    o[6] = tile.any(v > 900) * 4 + tile.all(v > 100) * 2 + (tile.ballot(v & 4) & 1);
    auto half = cg::binary_partition(warp, v % 3 == 0);
    o[7] = cg::reduce(half, 1u << (v % 31), cg::bit_or<unsigned>());
}

// All blocks meet, twice.
extern "C" __global__ void whole_grid(int* data, int* sums, int rounds) {
    auto grid = cg::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    for (int round = 0; round < rounds; round++) {
        int next = data[(i + 1) % n], mine = data[i];
        grid.sync();
        data[i] = next + mine;
        grid.sync();
    }
    atomicAdd(&sums[blockIdx.x], data[i]);
}

// A scan of everything in one pass: blocks look at what those before them have said.
extern "C" __global__ void look_back(const unsigned* in, unsigned* out, unsigned long long* state, unsigned* ticket) {
    __shared__ unsigned warps[8], before;
    __shared__ unsigned tile;
    if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
    __syncthreads();
    unsigned i = tile * 256 + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x / 32, sum = in[i];
    for (int d = 1; d < 32; d *= 2) {
        unsigned other = __shfl_up_sync(~0u, sum, d);
        if (lane >= d) sum += other;
    }
    if (lane == 31) warps[warp] = sum;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) sum += warps[w];
    if (threadIdx.x == 255) {
        cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> mine(state[tile]);
        mine.store((tile ? 1ull : 2ull) << 32 | sum, cuda::memory_order_release);
        unsigned total = 0;
        for (int back = (int)tile - 1; back >= 0; back--) {
            cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> theirs(state[back]);
            unsigned long long said;
            do said = theirs.load(cuda::memory_order_acquire); while (said >> 32 == 0);
            total += (unsigned)said;
            if (said >> 32 == 2) break;
        }
        if (tile) mine.store(2ull << 32 | (sum + total), cuda::memory_order_release);
        before = total;
    }
    __syncthreads();
    out[i] = sum + before;
}

// Keeps what is even; each warp asks for its places at once.
extern "C" __global__ void compact(const int* in, int* out, int* count, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        if (v % 2 == 0) {
            unsigned active = __activemask(), rank = __popc(active & ((1u << (threadIdx.x & 31)) - 1));
            int leader = __ffs(active) - 1, base;
            if ((threadIdx.x & 31) == leader) base = atomicAdd(count, __popc(active));
            base = __shfl_sync(active, base, leader);
            out[base + rank] = v;
        }
    }
}

// Counts of equal keys, those of a warp together.
extern "C" __global__ void matched_histogram(const unsigned char* x, unsigned* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned peers = __match_any_sync(__activemask(), x[i]);
    if (__ffs(peers) - 1 == (threadIdx.x & 31)) atomicAdd(&bins[x[i]], __popc(peers));
}

// Every thread takes the lock.
extern "C" __global__ void locked(int* lock, volatile int* value, int rounds) {
    for (int round = 0; round < rounds; round++) {
        bool done = false;
        while (!done) {
            if (atomicCAS(lock, 0, 1) == 0) {
                __threadfence();
                *value = *value + 1;
                __threadfence();
                atomicExch(lock, 0);
                done = true;
            }
        }
    }
}

extern "C" __global__ void atomics(int* ints, unsigned* words, unsigned long long* longs, float* floats, double* doubles) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&ints[0], i), atomicSub(&ints[1], i), atomicMin(&ints[2], -i), atomicMax(&ints[3], i), atomicXor(&ints[4], i);
    atomicAnd(&words[0], ~(1u << (i & 31))), atomicOr(&words[1], 1u << (i & 31)), atomicInc(&words[2], 10), atomicDec(&words[3], 7);
    atomicAdd(&longs[0], (unsigned long long)i << 30), atomicMax(&longs[1], (unsigned long long)i * i);
    atomicAdd(&floats[0], 0.5f), atomicAdd(&doubles[0], 0.25 * i);
    cuda::atomic_ref<float, cuda::thread_scope_device> most(floats[1]);
    most.fetch_max((float)(i % 77), cuda::memory_order_relaxed);
    cuda::atomic_ref<double, cuda::thread_scope_block> product(doubles[1 + blockIdx.x]);
    double old = product.load();
    while (!product.compare_exchange_weak(old, old * (i % 2 ? 2.0 : 0.5), cuda::memory_order_acq_rel)) {}
    cuda::atomic_ref<long long, cuda::thread_scope_system> far((long long&)longs[2]);
    far.fetch_sub(3, cuda::memory_order_seq_cst);
}

// Producers and consumers with barriers that are split into arriving and waiting.
extern "C" __global__ void split_barriers(const int* in, int* out, int rounds) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ Barrier full, empty;
    __shared__ int buffer[32];
    if (threadIdx.x == 0) init(&full, 64), init(&empty, 64);
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int round = 0; round < rounds; round++) {
            if (round) empty.arrive_and_wait();
            buffer[threadIdx.x] = in[round * 32 + threadIdx.x] * 2;
            (void)full.arrive();
        }
    } else {
        int t = threadIdx.x - 32, sum = 0;
        for (int round = 0; round < rounds; round++) {
            full.arrive_and_wait();
            sum += buffer[t] + buffer[(t + 1) % 32];
            if (round + 1 < rounds) (void)empty.arrive();
        }
        out[t] = sum;
    }
}

#if __CUDA_ARCH__ >= 900
// 16 bytes at once.
extern "C" __global__ void of_16_bytes(unsigned long long* pair, unsigned long long* old) {
    int i = threadIdx.x;
    unsigned long long low = 0, high = 0;
    bool done = false;
    while (!done) {
        unsigned long long was_low, was_high;
        asm volatile("{ .reg .b128 c, n, o; mov.b128 c, {%3, %4}; mov.b128 n, {%5, %6}; atom.relaxed.gpu.global.cas.b128 o, [%2], c, n;"
                     " mov.b128 {%0, %1}, o; }"
                     : "=l"(was_low), "=l"(was_high) : "l"(pair), "l"(low), "l"(high), "l"(low + i), "l"(high + 2 * i + 1) : "memory");
        done = was_low == low && was_high == high;
        low = was_low, high = was_high;
    }
    asm volatile("{ .reg .b128 n, o; mov.b128 n, {%3, %4}; atom.exch.b128 o, [%2], n; mov.b128 {%0, %1}, o; }"
                 : "=l"(old[2 * i]), "=l"(old[2 * i + 1]) : "l"(pair + 2), "l"(low), "l"(high) : "memory");
}
#endif
