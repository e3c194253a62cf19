// Values that nothing has written: correct programs that load, move and compute with them, and the same with a fault.


struct __align__(16) Padded {
    float x, y, z;
};

struct Tail {
    double d;
    int i;
};

// A struct with padding, copied as a whole through shared memory.
extern "C" __global__ void padding_in_shared(Padded* out, const float* in) {
    __shared__ Padded s[32];
    int i = threadIdx.x;
    s[i].x = in[i];
    s[i].y = in[i] + 1;
    s[i].z = in[i] + 2;
    __syncthreads();
    out[i] = s[31 - i];
}

// As above with a field that is not set.
extern "C" __global__ void missing_in_shared(float* out, const float* in) {
    __shared__ Padded s[32];
    int i = threadIdx.x;
    s[i].x = in[i];
    s[i].y = in[i] + 1;
    __syncthreads();
    Padded p = s[31 - i];
    out[i] = p.x + p.y + p.z;
}

// A struct with padding in local memory.
extern "C" __global__ void padding_in_local(Padded* out, const float* in, int k) {
    Padded a[4];
    int i = threadIdx.x;
    for (int j = 0; j < 4; j++) {
        a[j].x = in[i] * j;
        a[j].y = 1;
        a[j].z = 2;
    }
    out[i] = a[k & 3];
}

// An argument and a result with padding.
__device__ __noinline__ Tail make(Tail from) {
    Tail d;
    d.d = from.d + 1;
    d.i = from.i;
    return d;
}

extern "C" __global__ void padding_in_calls(Tail* out, const int* in) {
    int i = threadIdx.x;
    Tail t;
    t.d = in[i];
    t.i = i;
    out[i] = make(t);
}

extern "C" __global__ void missing_in_calls(Tail* out, const int* in, int k) {
    int i = threadIdx.x;
    Tail t[2];
    t[0].d = in[i];
    t[k].i = i;
    out[i] = make(t[0]);
}

// Loads that are made before it is known that nobody needs them.
extern "C" __global__ void speculated(int* out, const int* in, int k) {
    int a[8];
    int i = threadIdx.x;
    for (int j = 0; j < 4; j++) a[j] = in[i] + j;
    int v = a[(i + k) & 7];
    out[i] = ((i + k) & 7) < 4 ? v : -1;
}

extern "C" __global__ void speculated_too_far(int* out, const int* in, int k) {
    int a[8];
    int i = threadIdx.x;
    for (int j = 0; j < 4; j++) a[j] = in[i] + j;
    int v = a[(i + k) & 7];
    out[i] = ((i + k) & 7) < 5 ? v : -1;
}

extern "C" __global__ void masked_sum(float* out, const float* in, int n) {
    __shared__ float s[32];
    int i = threadIdx.x;
    if (i < n) s[i] = in[i];
    __syncthreads();
    float m = 0;
#pragma unroll
    for (int j = 0; j < 32; j++) {
        float v = s[j];
        m += j < n ? v : 0.f;
    }
    out[i] = m;
}

extern "C" __global__ void unmasked_sum(float* out, const float* in, int n) {
    __shared__ float s[32];
    int i = threadIdx.x;
    if (i < n) s[i] = in[i];
    __syncthreads();
    float m = 0;
#pragma unroll
    for (int j = 0; j < 32; j++) m += s[j];
    out[i] = m;
}

// A word of which only some bits are set.
struct Bits {
    unsigned a : 3;
    unsigned b : 5;
    unsigned c : 24;
};

__device__ __noinline__ void set(Bits* b, int i) {
    b->a = i;
    b->b = i >> 1;
}

extern "C" __global__ void bit_fields(int* out) {
    Bits b;
    int i = threadIdx.x;
    set(&b, i);
    out[i] = b.a + b.b;
}

extern "C" __global__ void missing_bit_field(int* out) {
    Bits b;
    int i = threadIdx.x;
    set(&b, i);
    out[i] = b.a + b.c;
}

// A sum by shuffles of lanes of which some have nothing to add.
extern "C" __global__ void partial_shuffle(int* out, const int* in, int n) {
    int i = threadIdx.x;
    int v;
    if (i < n) v = in[i];
    for (int o = 16; o; o >>= 1) {
        int w = __shfl_down_sync(~0u, v, o);
        if (i + o < n) v += w;
    }
    if (i == 0) out[0] = v;
}

extern "C" __global__ void whole_shuffle(int* out, const int* in, int n) {
    __shared__ int s[32];
    int i = threadIdx.x;
    if (i < n) s[i] = in[i];
    __syncwarp();
    int v = s[i];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (i == 0) out[0] = v;
}

// A value that decides where to go.
extern "C" __global__ void missing_in_branch(int* out, const int* in, int n) {
    __shared__ int s[32];
    int i = threadIdx.x;
    if (i < n) s[i] = in[i];
    __syncthreads();
    if (s[i ^ 1] > 3) atomicAdd(out, 1);
}

extern "C" __global__ void missing_in_address(int* out, const int* in, int n) {
    __shared__ int s[32];
    int i = threadIdx.x;
    if (i < n) s[i] = i;
    __syncthreads();
    out[i] = in[s[i ^ 1]];
}

// Written without a value, then with one before anybody looks.
extern "C" __global__ void overwritten(volatile int* out, int n) {
    __shared__ int s[32];
    int i = threadIdx.x;
    if (i < n) s[i] = i;
    __syncthreads();
    out[i] = s[i];
    if (i >= n) out[i] = -1;
}
