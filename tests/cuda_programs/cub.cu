// CUB: algorithms of the whole device as their dispatch launches them, and of blocks and warps.
#include <cub/cub.cuh>

// The kernels that these calls launch are in the text; the tests launch them.
void instantiate(void* storage, size_t& bytes, int* in, int* out, unsigned* keys, unsigned* sorted, int n) {
    cub::DeviceReduce::Sum(storage, bytes, in, out, n);
    cub::DeviceScan::InclusiveSum(storage, bytes, in, out, n);
    cub::DeviceRadixSort::SortPairs(storage, bytes, keys, sorted, in, out, n);
}

// Number of elements that a block takes: the dispatch derives it from the types.
extern "C" __global__ void tile_sizes(unsigned* out) {
    using Reduce = cub::detail::reduce::policy_hub<int, unsigned, cuda::std::plus<>>::MaxPolicy::ActivePolicy::ReducePolicy;
    using Scan = cub::detail::scan::policy_hub<int, int, int, unsigned, cuda::std::plus<>>::MaxPolicy::ActivePolicy::ScanPolicyT;
    using Sort = cub::detail::radix::policy_hub<unsigned, int, unsigned>::MaxPolicy::ActivePolicy::OnesweepPolicy;
    out[0] = Reduce::BLOCK_THREADS * Reduce::ITEMS_PER_THREAD;
    out[1] = Scan::BLOCK_THREADS * Scan::ITEMS_PER_THREAD;
    out[2] = Sort::BLOCK_THREADS * Sort::ITEMS_PER_THREAD;
}

extern "C" __global__ void block_merge_sort(int* x) {
    using Sort = cub::BlockMergeSort<int, 128, 4>;
    __shared__ typename Sort::TempStorage storage;
    int items[4];
    cub::LoadDirectBlockedVectorized(threadIdx.x, x, items);
    Sort(storage).Sort(items, [](int a, int b) { return a > b; });
    cub::StoreDirectBlocked(threadIdx.x, x, items);
}

extern "C" __global__ void block_histogram(const unsigned char* x, unsigned* bins) {
    using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 64>;
    __shared__ typename Histogram::TempStorage storage;
    __shared__ unsigned mine[64];
    unsigned char items[4];
    cub::LoadDirectStriped<128>(threadIdx.x, x, items);
    Histogram(storage).Histogram(items, mine);
    __syncthreads();
    if (threadIdx.x < 64) bins[threadIdx.x] = mine[threadIdx.x];
}

struct Longest {
    __device__ int2 operator()(int2 a, int2 b) const { return a.x >= b.x ? a : b; }
};

extern "C" __global__ void warps(const int* x, int* out, int2* longest) {
    __shared__ typename cub::WarpScan<int>::TempStorage scan[4];
    __shared__ typename cub::WarpReduce<int2>::TempStorage reduce[4];
    int warp = threadIdx.x / 32, i = threadIdx.x, sum, total;
    cub::WarpScan<int>(scan[warp]).ExclusiveSum(x[i], sum, total);
    out[i] = sum + 1000 * total;
    int2 best = cub::WarpReduce<int2>(reduce[warp]).Reduce(make_int2(x[i], i), Longest());
    if (i % 32 == 0) longest[warp] = best;
}

extern "C" __global__ void exchange(const int* x, int* out) {
    using Exchange = cub::BlockExchange<int, 64, 4>;
    __shared__ typename Exchange::TempStorage storage;
    int items[4];
    cub::LoadDirectStriped<64>(threadIdx.x, x, items);
    Exchange(storage).StripedToBlocked(items, items);
    for (int k = 0; k < 4; k++) out[threadIdx.x * 4 + k] = items[k];
}
