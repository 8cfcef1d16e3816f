// The few CUDA builtins that the kernels use, so that they compile without CUDA's headers.
//
// Tensors are f32, batch 1, laid out channel by channel (CHW); weights are
// [filter][channel][ky][kx]. Sizes are counts of elements.
#ifndef HYPTX_COMMON_CUH
#define HYPTX_COMMON_CUH

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

// DYNAMIC_SHARED declares the CTA's dynamic shared memory, whose size the launch gives.
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]

__device__ inline int threadX() { return __nvvm_read_ptx_sreg_tid_x(); }
__device__ inline int threadY() { return __nvvm_read_ptx_sreg_tid_y(); }
__device__ inline int blockX() { return __nvvm_read_ptx_sreg_ctaid_x(); }
__device__ inline int blockY() { return __nvvm_read_ptx_sreg_ctaid_y(); }
__device__ inline int blockZ() { return __nvvm_read_ptx_sreg_ctaid_z(); }
__device__ inline int blockWidth() { return __nvvm_read_ptx_sreg_ntid_x(); }
__device__ inline int blockHeight() { return __nvvm_read_ptx_sreg_ntid_y(); }
__device__ inline void barrier() { __syncthreads(); }

// shuffleDown returns the value that the lane `delta` lanes above holds.
__device__ inline float shuffleDown(float value, int delta) {
  return __nvvm_shfl_sync_down_f32(0xffffffff, value, delta, 31);
}

// exp2Approx and log2Approx are ex2.approx.f32 and lg2.approx.f32.
__device__ inline float exp2Approx(float x) { return __nvvm_ex2_approx_f(x); }
__device__ inline float log2Approx(float x) { return __nvvm_lg2_approx_f(x); }
__device__ inline float squareRoot(float x) { return __nvvm_sqrt_rn_f(x); }

// globalX and globalY are the thread's coordinates in the grid.
__device__ inline int globalX() { return blockX() * blockWidth() + threadX(); }
__device__ inline int globalY() { return blockY() * blockHeight() + threadY(); }

__device__ inline float larger(float a, float b) { return __builtin_fmaxf(a, b); }
__device__ inline float smaller(float a, float b) { return __builtin_fminf(a, b); }
__device__ inline int larger(int a, int b) { return a > b ? a : b; }
__device__ inline int smaller(int a, int b) { return a < b ? a : b; }

// What is applied to a result before it is stored.
enum Activation { NONE = 0, RELU = 1, RELU6 = 2 };

__device__ inline float activate(float x, int activation) {
  if (activation != NONE) x = larger(x, 0.0f);
  if (activation == RELU6) x = smaller(x, 6.0f);
  return x;
}

#endif
