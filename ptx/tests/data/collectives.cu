// Shared memory, barriers, shuffles, votes, matches, atomics, fences and scopes. Compiled with line information.
#include <cuda/atomic>

template <typename T> __device__ T warp_sum(T value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}

extern "C" __global__ void sum(const float* __restrict__ x, float* result, unsigned n) {
    __shared__ float partial[32];
    extern __shared__ double dynamic[];
    float mine = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += x[i];
    mine = warp_sum(mine);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = mine;
    dynamic[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = warp_sum(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0);
        if (threadIdx.x == 0) atomicAdd(result, mine + (float)dynamic[n]);
    }
}

extern "C" __global__ void warps(unsigned* u, int* i, unsigned long long* q) {
    unsigned t = threadIdx.x;
    u[0] = __ballot_sync(0xffffffff, u[t] > 3), u[1] = __any_sync(u[5], u[2]), u[3] = __all_sync(0xffff, u[4]);
    u[6] = __match_any_sync(0xffffffff, u[t]), u[7] = __match_all_sync(0xffffffff, q[t], i);
    u[8] = __reduce_add_sync(0xffffffff, u[t]), i[1] = __reduce_min_sync(0xffffffff, i[t]), u[9] = __reduce_or_sync(1, u[t]);
    u[10] = __shfl_sync(0xffffffff, u[t], 5), u[11] = __shfl_up_sync(0xffffffff, u[t], 1, 8), q[1] = __shfl_xor_sync(0xffffffff, q[t], 4);
    __syncwarp();
    u[12] = __syncthreads_count(u[13]), u[14] = __syncthreads_and(u[15]), u[16] = __syncthreads_or(u[17]);
    u[18] = __popc(__activemask()), u[19] = __fns(u[20], 0, 3);
}

extern "C" __global__ void atomics(int* i, unsigned* u, unsigned long long* q, float* f, double* d) {
    __shared__ unsigned counters[32];
    counters[threadIdx.x % 32] = 0;
    __syncthreads();
    atomicInc(&counters[u[0]], 7), atomicDec(&counters[1], u[1]), atomicExch(&counters[2], 3), atomicOr(&counters[3], 4);
    i[0] = atomicAdd(&i[1], 2), i[2] = atomicMin(&i[3], 4), u[2] = atomicMax(&u[3], 5), atomicXor(&u[4], 6), atomicSub(&i[5], 7);
    q[0] = atomicCAS(&q[1], q[2], q[3]), u[5] = atomicCAS(&u[6], 1, 2), atomicAdd(&q[4], 1ull), f[0] = atomicAdd(&f[1], 1.0f);
    d[0] = atomicAdd(&d[1], 1.0), atomicAdd_system(&u[7], 1), atomicAdd_block(&u[8], 2), q[5] = atomicExch(&q[6], 9ull);
    __threadfence(), __threadfence_block(), __threadfence_system();
    __syncthreads();
    u[9] = counters[threadIdx.x % 32];
}

extern "C" __global__ void scopes(unsigned* u) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> device(u[0]);
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> block(u[1]);
    u[2] = device.load(cuda::memory_order_acquire), device.store(3, cuda::memory_order_release);
    u[3] = device.fetch_add(1, cuda::memory_order_acq_rel), u[4] = block.fetch_min(5, cuda::memory_order_relaxed);
    u[5] = device.exchange(7), u[6] = __ldcg(&u[7]), __stcs(&u[8], 1), u[9] = __ldg(&u[10]), u[11] = ((volatile unsigned*)u)[12];
}
