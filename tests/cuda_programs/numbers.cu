// Numbers of every kind: halves, bytes, 128 bits, carries, rounding modes, the mathematical library.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

extern "C" __global__ void half_functions(const __half2* x, __half2* y) {
    int i = threadIdx.x;
    __half2 v = x[i];
    __half2* out = y + i * 8;
    out[0] = h2sqrt(v);
    out[1] = __hfma2_relu(v, v, __float2half2_rn(-4));
    out[2] = __hmax2(v, __floats2half2_rn(1.5f, 2.5f));
    out[3] = h2rint(__hmul2(v, __float2half2_rn(1.25f)));
    out[4] = __hadd2_sat(v, __float2half2_rn(-1));
    out[5] = h2ceil(h2log2(v));
    out[6] = __hneg2(__habs2(__hsub2(v, __float2half2_rn(3))));
    out[7] = __hgt2(v, __float2half2_rn(2));
}

extern "C" __global__ void brain_functions(const __nv_bfloat16* x, float* y) {
    int i = threadIdx.x;
    __nv_bfloat16 v = x[i];
    float* out = y + i * 6;
    out[0] = __bfloat162float(__hfma(v, v, v));
    out[1] = __bfloat162float(__hmul(v, __float2bfloat16(3)));
    out[2] = __bfloat162float(__hmin(v, __float2bfloat16(1.5f)));
    out[3] = __bfloat162float(v + __float2bfloat16(0.125f));
    out[4] = __bfloat162float(__hdiv(v, __float2bfloat16(4)));
    out[5] = __hlt(v, __float2bfloat16(2)) ? 1 : 0;
}

// To bytes and back, both kinds.
extern "C" __global__ void bytes_of_floats(const float* x, float* y, unsigned* raw) {
    int i = threadIdx.x;
    __nv_fp8_e4m3 a(x[i]);
    __nv_fp8_e5m2 b(x[i]);
    y[2 * i] = float(a), y[2 * i + 1] = float(b);
    __nv_fp8x4_e4m3 four(make_float4(x[i], -x[i], x[i] * 2, x[i] * 0.5f));
    raw[i] = four.__x;
}

// Products of 64 bits, divisions, shifts and comparisons of 128.
extern "C" __global__ void wide_numbers(const unsigned long long* a, const unsigned long long* b, unsigned __int128* out) {
    int i = threadIdx.x;
    unsigned __int128 product = (unsigned __int128)a[i] * b[i];
    __int128 difference = (__int128)a[i] - (__int128)b[i];
    out[4 * i] = product;
    out[4 * i + 1] = difference >> (i & 63);
    out[4 * i + 2] = product % 1000000007u + (difference < 0);
    out[4 * i + 3] = (product << (i + 7)) | __umul64hi(a[i], b[i]);
}

// Sums of numbers of 256 bits by chains of carries, 32 at a time.
extern "C" __global__ void long_sums(const unsigned* a, const unsigned* b, unsigned* sum, unsigned* difference) {
    a += threadIdx.x * 8, b += threadIdx.x * 8, sum += threadIdx.x * 8, difference += threadIdx.x * 8;
    unsigned s[8], d[8];
    asm("add.cc.u32 %0, %8, %16;\n\taddc.cc.u32 %1, %9, %17;\n\taddc.cc.u32 %2, %10, %18;\n\taddc.cc.u32 %3, %11, %19;\n\t"
        "addc.cc.u32 %4, %12, %20;\n\taddc.cc.u32 %5, %13, %21;\n\taddc.cc.u32 %6, %14, %22;\n\taddc.u32 %7, %15, %23;"
        : "=r"(s[0]), "=r"(s[1]), "=r"(s[2]), "=r"(s[3]), "=r"(s[4]), "=r"(s[5]), "=r"(s[6]), "=r"(s[7])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]), "r"(b[1]), "r"(b[2]),
          "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
    asm("sub.cc.u32 %0, %8, %16;\n\tsubc.cc.u32 %1, %9, %17;\n\tsubc.cc.u32 %2, %10, %18;\n\tsubc.cc.u32 %3, %11, %19;\n\t"
        "subc.cc.u32 %4, %12, %20;\n\tsubc.cc.u32 %5, %13, %21;\n\tsubc.cc.u32 %6, %14, %22;\n\tsubc.u32 %7, %15, %23;"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]), "r"(b[1]), "r"(b[2]),
          "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
    for (int i = 0; i < 8; i++) sum[i] = s[i], difference[i] = d[i];
}

__constant__ unsigned round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// SHA-256 of one block of 64 bytes a thread, padded by the host.
extern "C" __global__ void sha256(const unsigned* blocks, unsigned* digests) {
    unsigned w[16], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, v[8];
    for (int i = 0; i < 16; i++) w[i] = __byte_perm(blocks[threadIdx.x * 16 + i], 0, 0x0123);
    for (int i = 0; i < 8; i++) v[i] = h[i];
    auto turn = [](unsigned x, int n) { return __funnelshift_r(x, x, n); };
#pragma unroll 16
    for (int i = 0; i < 64; i++) {
        unsigned s1 = turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25), choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        unsigned one = v[7] + s1 + choice + round_constants[i] + w[i & 15];
        unsigned s0 = turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22), major = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + one, v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = one + s0 + major;
        unsigned a = w[(i + 1) & 15], b = w[(i + 14) & 15];
        w[i & 15] += (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[(i + 9) & 15] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    for (int i = 0; i < 8; i++) digests[threadIdx.x * 8 + i] = h[i] + v[i];
}

// Four bytes or two halves in a word.
extern "C" __global__ void in_a_word(const unsigned* a, const unsigned* b, unsigned* out) {
    int i = threadIdx.x;
    unsigned x = a[i], y = b[i];
    unsigned* o = out + i * 14;
    o[0] = __vadd4(x, y), o[1] = __vsubus4(x, y), o[2] = __vabsdiffu4(x, y), o[3] = __vmaxs2(x, y);
    o[4] = __vcmpgtu4(x, y), o[5] = __vavgu4(x, y), o[6] = __dp4a((int)x, (int)y, 7), o[7] = __dp4a(x, y, 7u);
    o[8] = __vsadu4(x, y), o[9] = __dp2a_lo((int)x, (int)y, -3), o[10] = __vmins2(x, y), o[11] = __viaddmax_s32(x, y, 5);
    o[12] = __vimax3_s32(x, y, 9), o[13] = __vaddss2(x, y);
}

// Every rounding mode of every operation that has them.
extern "C" __global__ void roundings(const float* a, const float* b, float* f, const double* c, const double* d, double* g) {
    int i = threadIdx.x;
    float x = a[i], y = b[i], *o = f + i * 24;
    o[0] = __fadd_rn(x, y), o[1] = __fadd_rz(x, y), o[2] = __fadd_ru(x, y), o[3] = __fadd_rd(x, y);
    o[4] = __fmul_rn(x, y), o[5] = __fmul_rz(x, y), o[6] = __fmul_ru(x, y), o[7] = __fmul_rd(x, y);
    o[8] = __fmaf_rn(x, y, x), o[9] = __fmaf_rz(x, y, x), o[10] = __fmaf_ru(x, y, x), o[11] = __fmaf_rd(x, y, x);
    o[12] = __fdiv_rn(x, y), o[13] = __fdiv_rz(x, y), o[14] = __fdiv_ru(x, y), o[15] = __fdiv_rd(x, y);
    o[16] = __fsqrt_rn(x), o[17] = __fsqrt_rz(x), o[18] = __fsqrt_ru(x), o[19] = __fsqrt_rd(x);
    o[20] = __frcp_rn(x), o[21] = __frcp_rz(x), o[22] = __frcp_ru(x), o[23] = __frcp_rd(x);
    double u = c[i], v = d[i], *p = g + i * 12;
    p[0] = __dadd_rz(u, v), p[1] = __dadd_ru(u, v), p[2] = __dadd_rd(u, v), p[3] = __dmul_rz(u, v), p[4] = __dmul_ru(u, v);
    p[5] = __dmul_rd(u, v), p[6] = __fma_rz(u, v, u), p[7] = __fma_ru(u, v, u), p[8] = __fma_rd(u, v, u);
    p[9] = __ddiv_rn(u, v), p[10] = __dsqrt_rn(u), p[11] = __drcp_rn(v);
}

extern "C" __global__ void conversions(const double* a, long long* out) {
    int i = threadIdx.x;
    double x = a[i];
    float y = (float)x;
    long long* o = out + i * 16;
    o[0] = __float2int_rn(y), o[1] = __float2int_rz(y), o[2] = __float2int_ru(y), o[3] = __float2int_rd(y);
    o[4] = __double2int_rn(x), o[5] = __double2uint_rz(x), o[6] = __double2ll_ru(x), o[7] = __double2ll_rd(x);
    o[8] = __double2ull_rz(x), o[9] = __float2uint_rn(y), o[10] = (signed char)(int)x, o[11] = (unsigned short)(unsigned)y;
    o[12] = __double_as_longlong(__ll2double_ru(__double2ll_rd(x) * 1234567)), o[13] = __float_as_int(__ll2float_rz(__double2ll_rd(x) * 3));
    o[14] = __float_as_int(__double2float_ru(x)), o[15] = __float_as_int(__double2float_rd(x));
}

// Functions of the library that the first batch lacks.
extern "C" __global__ void library(const double* in, double* out, float* singles, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    double x = in[i], *o = out + i * 16;
    o[0] = lgamma(x + 3.5), o[1] = tgamma(x + 3.5), o[2] = erfc(x), o[3] = erfcinv(0.3 + 0.1 * x), o[4] = normcdf(x), o[5] = j0(x);
    o[6] = y1(x + 4), o[7] = asinh(x), o[8] = acosh(x + 4), o[9] = atanh(x / 4), o[10] = expm1(x), o[11] = log1p(x + 3.2);
    o[12] = rcbrt(x + 4), o[13] = sinpi(x), o[14] = fmod(x, 0.37), o[15] = remainder(x, 0.37);
    float y = x, *s = singles + i * 12;
    s[0] = log2f(y + 4), s[1] = exp10f(y), s[2] = atan2f(y, -1.5f), s[3] = asinf(y / 4), s[4] = sinhf(y), s[5] = cospif(y);
    s[6] = rnorm3df(y, 1, 2), s[7] = ldexpf(y, 5), s[8] = nextafterf(y, 10), s[9] = roundf(y * 3), s[10] = __expf(y), s[11] = __logf(y + 4);
}
