// Algorithms as people write them: sorts, transforms, simulations, tables of functions, printing.
#include <cstdio>
#include <cassert>

// Sorts by merging: each block a tile in shared memory, by ranks found with binary searches.
extern "C" __global__ void merge_sort(const int* in, int* out) {
    __shared__ int s[2][1024];
    int t = threadIdx.x, from = 0;
    in += blockIdx.x * 1024, out += blockIdx.x * 1024;
    for (int i = t; i < 1024; i += blockDim.x) s[0][i] = in[i];
    for (int run = 1; run < 1024; run *= 2, from ^= 1) {
        __syncthreads();
        for (int i = t; i < 1024; i += blockDim.x) {
            int start = i / (2 * run) * 2 * run, mine = i - start, value = s[from][i];
            bool left = mine < run;
            int low = left ? start + run : start, high = low + run, begin = low;
            while (low < high) {
                int middle = (low + high) / 2, other = s[from][middle];
                if (other < value || (!left && other == value)) low = middle + 1; else high = middle;
            }
            s[from ^ 1][start + (left ? mine : mine - run) + (low - begin)] = value;
        }
    }
    __syncthreads();
    for (int i = t; i < 1024; i += blockDim.x) out[i] = s[from][i];
}

// A Fourier transform of 256 complex numbers in shared memory.
extern "C" __global__ void fourier(float2* data) {
    __shared__ float2 s[256];
    int t = threadIdx.x;
    float2* mine = data + blockIdx.x * 256;
    for (int i = t; i < 256; i += 128) s[__brev(i) >> 24] = mine[i];
    for (int half = 1; half < 256; half *= 2) {
        __syncthreads();
        int group = t / half, k = t % half, i = group * 2 * half + k;
        float sine, cosine;
        sincospif(-(float)k / half, &sine, &cosine);
        float2 a = s[i], b = s[i + half];
        float2 turned = {b.x * cosine - b.y * sine, b.x * sine + b.y * cosine};
        s[i] = {a.x + turned.x, a.y + turned.y};
        s[i + half] = {a.x - turned.x, a.y - turned.y};
    }
    __syncthreads();
    for (int i = t; i < 256; i += 128) mine[i] = s[i];
}

// Accelerations of bodies, tile by tile.
extern "C" __global__ void bodies(const float4* body, float4* acceleration, int n) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[i];
    float x = 0, y = 0, z = 0;
    for (int start = 0; start < n; start += blockDim.x) {
        tile[threadIdx.x] = body[start + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < blockDim.x; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float pull = tile[k].w * inverse * inverse * inverse;
            x += dx * pull, y += dy * pull, z += dz * pull;
        }
        __syncthreads();
    }
    acceleration[i] = make_float4(x, y, z, 0);
}

extern "C" __global__ void mandelbrot(unsigned char* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    double cx = -2.0 + 3.0 * x / width, cy = -1.5 + 3.0 * y / height, zx = 0, zy = 0;
    int n = 0;
    while (n < 200 && zx * zx + zy * zy < 4) {
        double next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy, zx = next, n++;
    }
    out[y * width + x] = n;
}

// The game of life, 32 cells in a word, rows around a torus.
extern "C" __global__ void life(const unsigned* in, unsigned* out, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    unsigned ones = 0, twos = 0, fours = 0;
    auto add = [&](unsigned x) {
        unsigned c = ones & x; ones ^= x;
        unsigned d = twos & c; twos ^= c;
        fours |= d;
    };
    unsigned here = in[row];
    for (int d = -1; d <= 1; d++) {
        unsigned w = in[(row + d + rows) % rows];
        add(__funnelshift_l(w, w, 1)), add(__funnelshift_r(w, w, 1));
        if (d) add(w);
    }
    out[row] = ~fours & twos & (ones | here);
}

// Five points of a plane with a halo in shared memory, several iterations in one launch of one block.
extern "C" __global__ void stencil(float* plane, int rounds) {
    __shared__ float s[2][34][34];
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 2 * 34 * 34; i += 1024) (&s[0][0][0])[i] = 0;
    __syncthreads();
    s[0][y][x] = plane[threadIdx.y * 32 + threadIdx.x];
    for (int round = 0; round < rounds; round++) {
        __syncthreads();
        float (*now)[34] = s[round & 1];
        s[~round & 1][y][x] = 0.25f * (now[y - 1][x] + now[y + 1][x] + now[y][x - 1] + now[y][x + 1]);
    }
    __syncthreads();
    plane[threadIdx.y * 32 + threadIdx.x] = s[rounds & 1][y][x];
}

// A machine with a stack: a jump table.
extern "C" __global__ void machine(const unsigned char* program, int length, int* out) {
    int stack[8], top = 0, x = threadIdx.x;
    for (int at = 0; at < length; at++) {
        switch (program[at]) {
            case 0: stack[top++ & 7] = x; break;
            case 1: stack[top++ & 7] = program[++at]; break;
            case 2: top--, stack[(top - 1) & 7] += stack[top & 7]; break;
            case 3: top--, stack[(top - 1) & 7] -= stack[top & 7]; break;
            case 4: top--, stack[(top - 1) & 7] *= stack[top & 7]; break;
            case 5: stack[top & 7] = stack[(top - 1) & 7], top++; break;
            case 6: { int a = stack[(top - 1) & 7]; stack[(top - 1) & 7] = stack[(top - 2) & 7]; stack[(top - 2) & 7] = a; } break;
            case 7: if (stack[--top & 7] & 1) at += program[at + 1]; at++; break;
            case 8: stack[(top - 1) & 7] = -stack[(top - 1) & 7]; break;
            case 9: stack[(top - 1) & 7] ^= stack[(top - 1) & 7] << 1; break;
        }
    }
    out[x] = stack[(top - 1) & 7];
}

using Function = float (*)(float);
__device__ float square(float x) { return x * x; }
__device__ float cube(float x) { return x * x * x; }
__device__ float half_of(float x) { return x / 2; }
__device__ Function functions[] = {square, cube, half_of};

extern "C" __global__ void table_of_functions(float* x) { x[threadIdx.x] = functions[threadIdx.x % 3](x[threadIdx.x]); }

extern "C" __global__ void prints(int n) {
    assert(n > 0);
    if (threadIdx.x < n)
        printf("block %d thread %u: %5.2f %s %c %lld %x%%\n", blockIdx.x, threadIdx.x, threadIdx.x * 0.5, "text", 'a' + threadIdx.x,
               -1234567890123ll * threadIdx.x, 255 + threadIdx.x);
}

// Numbers modulo a prime: a transform of 512 elements.
__device__ unsigned mulmod(unsigned a, unsigned b) { return (unsigned long long)a * b % 998244353u; }
extern "C" __global__ void number_transform(unsigned* data, const unsigned* roots) {
    __shared__ unsigned s[512];
    int t = threadIdx.x;
    for (int i = t; i < 512; i += 256) s[__brev(i) >> 23] = data[i];
    for (int half = 1; half < 512; half *= 2) {
        __syncthreads();
        int k = t & (half - 1), i = 2 * (t - k) + k;
        unsigned a = s[i], b = mulmod(s[i + half], roots[k * (256 / half)]), sum = a + b;
        s[i] = sum >= 998244353u ? sum - 998244353u : sum;
        s[i + half] = a >= b ? a - b : a + 998244353u - b;
    }
    __syncthreads();
    for (int i = t; i < 512; i += 256) data[i] = s[i];
}

// Breadth-first distances in a graph of up to 1024 vertices, one block.
extern "C" __global__ void distances(const int* offsets, const int* targets, int* distance, int n) {
    __shared__ int changed;
    for (int i = threadIdx.x; i < n; i += blockDim.x) distance[i] = i == 0 ? 0 : 1 << 30;
    for (int level = 0;; level++) {
        __syncthreads();
        if (threadIdx.x == 0) changed = 0;
        __syncthreads();
        for (int v = threadIdx.x; v < n; v += blockDim.x)
            if (*(volatile int*)&distance[v] == level)
                for (int e = offsets[v]; e < offsets[v + 1]; e++)
                    if (atomicMin(&distance[targets[e]], level + 1) > level + 1) changed = 1;
        __syncthreads();
        if (!changed) break;
    }
}
