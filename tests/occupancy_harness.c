// Answers occupancy questions with NVIDIA's cuda_occupancy.h, one line of numbers in, one line out.
//
// in:  major minor threads_per_sm registers_per_block registers_per_sm shared_per_sm shared_optin reserved
//      registers static_shared barriers max_threads optin carveout  threads dynamic_shared
//      shared_base shared_per_thread sms
// out: active blocks, then what registers, shared memory, warps, blocks and barriers alone allow,
//      then the best block size with shared_base + shared_per_thread * threads of dynamic shared memory, and its grid
// A line `error N` stands for a question that the header refuses.
#include <cuda_occupancy.h>
#include <stdio.h>

static size_t shared_base, shared_per_thread;

static size_t dynamic_shared_of(int threads) { return shared_base + shared_per_thread * (size_t)threads; }

int main(void) {
    cudaOccDeviceProp device = {0};
    cudaOccFuncAttributes kernel = {0};
    cudaOccDeviceState state = {0};
    int optin, threads;
    size_t dynamic_shared;
    device.maxThreadsPerBlock = 1024;
    device.warpSize = 32;
    device.sharedMemPerBlock = 48 * 1024;
    kernel.maxDynamicSharedSizeBytes = 1 << 30;
    while (scanf("%d %d %d %d %d %zu %zu %zu", &device.computeMajor, &device.computeMinor,
                 &device.maxThreadsPerMultiprocessor, &device.regsPerBlock, &device.regsPerMultiprocessor,
                 &device.sharedMemPerMultiprocessor, &device.sharedMemPerBlockOptin,
                 &device.reservedSharedMemPerBlock) == 8 &&
           scanf("%d %zu %d %d %d %d", &kernel.numRegs, &kernel.sharedSizeBytes, &kernel.numBlockBarriers,
                 &kernel.maxThreadsPerBlock, &optin, &state.carveoutConfig) == 6 &&
           scanf("%d %zu %zu %zu %d", &threads, &dynamic_shared, &shared_base, &shared_per_thread,
                 &device.numSms) == 5) {
        cudaOccResult result;
        int best_grid, best_threads;
        kernel.shmemLimitConfig = optin ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
        cudaOccError error =
            cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, dynamic_shared);
        if (!error)
            error = cudaOccMaxPotentialOccupancyBlockSize(&best_grid, &best_threads, &device, &kernel, &state,
                                                          dynamic_shared_of, 0);
        if (error)
            printf("error %d\n", error);
        else
            printf("%d %d %d %d %d %d %d %d\n", result.activeBlocksPerMultiprocessor, result.blockLimitRegs,
                   result.blockLimitSharedMem, result.blockLimitWarps, result.blockLimitBlocks,
                   result.blockLimitBarriers, best_threads, best_grid);
    }
    return 0;
}
