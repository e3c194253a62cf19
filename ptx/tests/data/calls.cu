// Functions that stay calls, calls through pointers, printf, assert, constants, managed and mixed initial values.
#include <cassert>
#include <cstdio>

struct Mixed { const char* text; char letter; int number; };
__device__ int table[4] = {1, 2, 3, -4};
__device__ int* pointer_into_table = table + 2;
__device__ Mixed mixed[2] = {{"one", 'a', 1}, {"two", 'b', 2}};
__constant__ float weights[3] = {0.5f, 1.0f, -2.0f};
__constant__ double scale = 0.1;
__managed__ unsigned long long counter = 18446744073709551615ull;

struct Big { int values[6]; };

__device__ __noinline__ float weigh(float x, int which) { return x * weights[which] + (float)scale; }
__device__ __noinline__ Big rotate(Big big, int by) {
    Big result;
    for (int i = 0; i < 6; i++) result.values[i] = big.values[(i + by) % 6];
    return result;
}
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int thrice(int x) { return 3 * x; }
__device__ int (*functions[2])(int) = {twice, thrice};
__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

extern "C" __global__ void calls(float* f, int* i, Big big) {
    f[0] = weigh(f[1], i[0]);
    Big turned = rotate(big, i[1]);
    i[2] = turned.values[i[3]];
    i[4] = functions[i[5] & 1](i[6]);
    i[7] = factorial(i[8]);
    i[9] = *pointer_into_table + mixed[i[10]].number;
    counter++;
    assert(i[11] > 0);
    printf("%s %d %f\n", mixed[i[12]].text, i[13], f[2]);
}

extern "C" __global__ void heap(int n, int** out) {
    int* memory = (int*)malloc(n * sizeof(int));
    memory[threadIdx.x] = n;
    *out = memory;
    int local[8];
    for (int k = 0; k < 8; k++) local[k] = out[k] != nullptr;
    out[1] = (int*)(size_t)local[n & 7];
    free(out[2]);
}
