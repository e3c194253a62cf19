// Floating-point arithmetic in every rounding, conversions, and math functions that stay inline.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256, 8) saxpy(float a, const float* __restrict__ x, float* y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void vectors(const float4* __restrict__ x, float4* y, const double2* u, double2* v) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = x[i];
    y[i] = make_float4(a.w + 1.0f, a.z * 2.0f, fminf(a.y, a.x), fmaxf(a.x, -0.0f));
    double2 b = u[i];
    v[i] = make_double2(sqrt(b.x) / b.y, fma(b.x, b.y, fabs(b.x)));
}

extern "C" __global__ void roundings(float* f, double* d, int* i, long long* l, unsigned char* c) {
    float x = f[0], y = f[1], z = f[2];
    f[3] = __fadd_rz(x, y), f[4] = __fmul_ru(x, y), f[5] = __fmaf_rd(x, y, z), f[6] = __fdiv_rn(x, y);
    f[7] = __fsqrt_rn(x), f[8] = __frcp_rn(y), f[9] = __fdividef(x, y), f[10] = __sinf(x) + __cosf(y);
    f[11] = exp2f(x), f[12] = __log2f(y), f[13] = rsqrtf(z), f[14] = copysignf(x, y), f[15] = floorf(x);
    f[16] = ceilf(y), f[17] = truncf(z), f[18] = rintf(x), f[19] = __saturatef(y), f[20] = tanhf(z);
    f[21] = (float)i[0], f[22] = (float)(unsigned)i[1], f[23] = (float)l[0], f[24] = (float)d[0];
    d[1] = __dadd_rd(d[0], x), d[2] = __drcp_rn(d[0]), d[3] = d[1] / d[2], d[4] = (double)l[1], d[5] = rint(d[2]);
    i[2] = (int)x, i[3] = __float2int_rn(y), i[4] = (unsigned)z, i[5] = __float_as_int(x), i[6] = (int)d[0];
    l[2] = (long long)x, l[3] = __double2ll_rn(d[1]), l[4] = __double_as_longlong(d[2]);
    c[0] = (unsigned char)x, c[1] = isnan(x) || isinf(y) || x != y, c[2] = x < y ? 1 : (z > y ? 2 : 3);
}

extern "C" __global__ void halves(__half* h, __half2* h2, __nv_bfloat16* b, float* f) {
    h[0] = __hfma(h[1], h[2], h[3]), h[4] = __float2half(f[0]), f[1] = __half2float(h[5]);
    h2[0] = __hadd2(h2[1], __hmul2(h2[2], h2[3])), h2[4] = __hmax2(h2[5], h2[6]), h[6] = hexp2(h[7]);
    b[0] = __hfma(b[1], b[2], b[3]), b[4] = __float2bfloat16(f[2]), f[3] = __bfloat162float(b[5]);
    h[8] = __hlt(h[9], h[10]) ? h[11] : h[12], h2[7] = __heq2(h2[8], h2[9]);
}

extern "C" __global__ void trigonometry(float* f, double* d) {
    unsigned i = threadIdx.x;
    f[i] = sinf(f[i]), d[i] = exp(d[i]);
}
