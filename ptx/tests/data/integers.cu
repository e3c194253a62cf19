// Integer arithmetic of every width, bit operations, wide products and carries.
extern "C" __global__ void arithmetic(int* i, unsigned* u, long long* l, unsigned long long* q, short* s, signed char* c) {
    i[0] = i[1] / i[2], i[3] = i[4] % 7, u[0] = u[1] / u[2], u[3] = u[4] % u[5], l[0] = l[1] / l[2], q[0] = q[1] % q[2];
    i[5] = __mulhi(i[6], i[7]), u[6] = __umulhi(u[7], u[8]), q[3] = __umul64hi(q[4], q[5]), l[3] = (long long)i[1] * i[2];
    i[8] = min(i[9], i[10]), u[9] = max(u[10], u[11]), l[4] = min(l[5], l[6]), i[11] = abs(i[12]), l[7] = llabs(l[8]);
    s[0] = s[1] * s[2] + s[3], s[4] = s[5] / s[6], c[0] = c[1] + c[2], i[13] = -i[14], i[15] = ~i[16] & i[17] | i[18] ^ 5;
    i[19] = i[20] << (i[21] & 31), u[12] = u[13] >> u[14], i[22] = i[23] >> 3, q[6] = q[7] << u[15], l[9] = l[10] >> 5;
    i[24] = __sad(i[25], i[26], u[16]), i[27] = __mul24(i[28], i[29]), u[17] = __uhadd(u[18], u[19]), i[30] = i[1] * i[2] + i[3];
}

extern "C" __global__ void bits(unsigned* u, unsigned long long* q, int* i) {
    u[0] = __popc(u[1]), u[2] = __clz(u[3]), u[4] = __brev(u[5]), u[6] = __ffs(u[7]), u[8] = __byte_perm(u[9], u[10], u[11]);
    u[12] = __popcll(q[0]), u[13] = __clzll(q[1]), q[2] = __brevll(q[3]), u[14] = __ffsll(q[4]);
    u[15] = __funnelshift_l(u[16], u[17], u[18]), u[19] = __funnelshift_rc(u[20], u[21], u[22]);
    u[23] = (u[24] >> 3) & 31, u[25] = (u[26] & ~0xFF0u) | ((u[27] & 0xFF) << 4), i[0] = (i[1] << 11) >> 23;
    u[28] = __dp4a(u[29], u[30], u[31]), i[2] = __dp2a_lo(i[3], i[4], i[5]), u[32] = (u[33] & u[34]) ^ ~u[35];
    u[36] = __vadd4(u[37], u[38]), u[39] = __vmaxs2(u[40], u[41]), u[42] = __vabsdiffu4(u[43], u[44]);
}

extern "C" __global__ void wide(unsigned __int128* w, __int128* v, unsigned long long* q) {
    w[0] = w[1] + w[2] * w[3], v[0] = v[1] - v[2], w[4] = w[5] << q[0], v[3] = v[4] >> 7;
    w[6] = (unsigned __int128)q[1] * q[2], q[3] = v[5] < v[6];
}

extern "C" __global__ void switches(unsigned* u) {
    unsigned i = threadIdx.x;
    switch (u[i]) {
        case 0: u[i] = clock(); break;
        case 1: u[i] = u[i + 1] * 3; break;
        case 2: u[i] /= 7; break;
        case 3: u[i] ^= u[i + 2]; break;
        case 4: __nanosleep(u[i + 1]); break;
        case 5: u[i] = __activemask(); break;
        case 6: __trap(); break;
        case 7: return;
        default: u[i] = 0;
    }
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < u[1]; k++) sum += u[k] * k;
    u[2] = sum;
}
