// The kernels of src/clusters.rs in CUDA C++, line for line: what `versus` measures them against.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(8) __launch_bounds__(256)
    blur(const float* __restrict__ x, float* __restrict__ out, unsigned n) {
    constexpr unsigned TILE = 256, SPAN = 8 * TILE, RADIUS = 16;
    __shared__ float tile[TILE];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = i < n ? x[i] : 0.0f;
    cluster.sync();
    unsigned own = TILE * cluster.block_rank() + t, first = i - own;
    float sum = 0.0f;
    for (unsigned step = 0; step < 2 * RADIUS + 1; step++) {
        unsigned place = own + step - RADIUS;
        if (place < SPAN) {
            sum += cluster.map_shared_rank(tile, place / TILE)[place % TILE];
        } else {
            unsigned beyond = first + place;
            sum += beyond < n ? x[beyond] : 0.0f;
        }
    }
    if (i < n) {
        out[i] = sum * (1.0f / 33.0f);
    }
    // No block ends while others read its tile.
    cluster.sync();
}

extern "C" __global__ void __cluster_dims__(8) __launch_bounds__(256)
    cluster_sums(const float* __restrict__ x, unsigned n, float* __restrict__ out) {
    __shared__ float part[1];
    __shared__ float of_warps[8];
    cg::cluster_group cluster = cg::this_cluster();
    float own = 0.0f;
    unsigned t = threadIdx.x;
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        own += x[i];
    }
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        own += __shfl_down_sync(0xffffffff, own, distance);
    }
    if (t % 32 == 0) {
        of_warps[t / 32] = own;
    }
    __syncthreads();
    if (t < 32) {
        float sum = t < 8 ? of_warps[t] : 0.0f;
        for (unsigned distance = 4; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, distance);
        }
        if (t == 0) {
            part[0] = sum;
        }
    }
    cluster.sync();
    if (cluster.block_rank() == 0 && t < 32) {
        float total = t < 8 ? cluster.map_shared_rank(part, t)[0] : 0.0f;
        for (unsigned distance = 16; distance > 0; distance /= 2) {
            total += __shfl_down_sync(0xffffffff, total, distance);
        }
        if (t == 0) {
            out[blockIdx.x / 8] = total;
        }
    }
    cluster.sync();
}

extern "C" __global__ void __cluster_dims__(4) __launch_bounds__(256)
    cluster_histogram(const float* __restrict__ x, unsigned n, unsigned* __restrict__ counts, unsigned bins_len) {
    constexpr unsigned BINS = 2048;
    __shared__ unsigned bins[BINS];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned t = threadIdx.x;
    for (unsigned bin = t; bin < BINS; bin += 256) {
        bins[bin] = 0;
    }
    cluster.sync();
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        unsigned bin = min(static_cast<unsigned>(x[i] * (4 * BINS)), 4 * BINS - 1);
        atomicAdd(&cluster.map_shared_rank(bins, bin / BINS)[bin % BINS], 1u);
    }
    cluster.sync();
    for (unsigned bin = t; bin < BINS; bin += 256) {
        unsigned of_all = BINS * cluster.block_rank() + bin;
        if (of_all < bins_len) {
            atomicAdd(&counts[of_all], bins[bin]);
        }
    }
}
