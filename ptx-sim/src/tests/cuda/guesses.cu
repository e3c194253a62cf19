// Compare-and-swap loops whose first read is plain, as the CUDA C++ programming guide has them, and plain reads beside atomic
// operations that nothing checks.

__device__ double atomicAddG(double* address, double val) {
  unsigned long long int* address_as_ull = (unsigned long long int*)address;
  unsigned long long int old = *address_as_ull, assumed;
  do { assumed = old;
    old = atomicCAS(address_as_ull, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
extern "C" __global__ void cas_sum(double* out) { atomicAddG(out, 1.0); }
__device__ float atomicMaxF(float* a, float v) {
  int* p=(int*)a; int old=*p, assumed;
  while (v > __int_as_float(old)) { assumed = old; old = atomicCAS(p, assumed, __float_as_int(v)); if (old==assumed) break; }
  return __int_as_float(old);
}
extern "C" __global__ void cas_max(float* out) { atomicMaxF(out, (float)(threadIdx.x+blockIdx.x)); }
__device__ void atomicAddShared(float* a, float v) {
  unsigned* p=(unsigned*)a; unsigned old=*p, assumed;
  do { assumed = old; old = atomicCAS(p, assumed, __float_as_uint(v + __uint_as_float(assumed))); } while (assumed != old);
}
extern "C" __global__ void cas_shared(float* out) {
  __shared__ float s; if (threadIdx.x==0) s=0; __syncthreads();
  atomicAddShared(&s, 1.f); __syncthreads(); if (threadIdx.x==0) out[blockIdx.x]=s; }
// The value that is read is used as it is.
extern "C" __global__ void plain_read(int* out) {
  atomicAdd(out, 1);
  out[1 + threadIdx.x + blockIdx.x * blockDim.x] = *out;
}

// Somebody stores without an atomic operation.
extern "C" __global__ void plain_write(double* out) {
  if (blockIdx.x == 1 && threadIdx.x == 0) *out = 5;
  atomicAddG(out, 1.0);
}
