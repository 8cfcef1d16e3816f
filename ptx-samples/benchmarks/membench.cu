// On-chip memories: 8,192 reads a thread of a range that a step makes large, swaps of
// words in shared memory, and sums of constants that all threads read together.
#include "../kernels/common.cuh"

typedef int vector2 __attribute__((ext_vector_type(2)));
typedef int vector4 __attribute__((ext_vector_type(4)));

__device__ inline int join(int v) { return v; }
__device__ inline int join(vector2 v) { return v.x + v.y; }
__device__ inline int join(vector4 v) { return v.x + v.y + v.z + v.w; }

template <class T>
__device__ inline void cache(int* out, const T* data, int step) {
  const T* const mine = data + step * 256 * blockX() + threadX();
  T sum = 0;
  int offset = 0;
#pragma unroll 16
  for (int i = 0; i < 8192; i++) {
    sum += mine[offset];
    offset += 256;
    if (offset == step * 256) offset = 0;
  }
  out[globalX()] = join(sum);
}

extern "C" __global__ void cache1(int* out, const int* data, int step) { cache(out, data, step); }
extern "C" __global__ void cache2(int* out, const vector2* data, int step) { cache(out, data, step); }
extern "C" __global__ void cache4(int* out, const vector4* data, int step) { cache(out, data, step); }

template <class T>
__device__ inline void swap(T& a, T& b) {
  const T x = a;
  a = b;
  b = x;
  asm volatile("" ::: "memory"); // each swap is made
}

template <class T>
__device__ inline void swaps(int* out) {
  __shared__ T words[6 * 256];
  const int thread = threadX();
  for (int i = 0; i < 6; i++) words[i * 256 + thread] = (T)(globalX() + i);
  asm volatile("" ::: "memory");
#pragma unroll 1
  for (int i = 0; i < 1024; i++)
#pragma unroll
    for (int j = 0; j < 5; j++) swap(words[j * 256 + thread], words[(j + 1) * 256 + thread]);
  T sum = 0;
  for (int i = 0; i < 6; i++) sum = sum * 3 + words[i * 256 + thread];
  out[globalX()] = join(sum);
}

extern "C" __global__ void shared1(int* out) { swaps<int>(out); }
extern "C" __global__ void shared2(int* out) { swaps<vector2>(out); }
extern "C" __global__ void shared4(int* out) { swaps<vector4>(out); }

extern "C" {
__attribute__((constant, aligned(16))) int words[1024];
}

template <class T>
__device__ inline void constants(int* out) {
  const T* const of = reinterpret_cast<const T*>(words);
  T sum = 0;
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll 8
    for (int j = i; j < 4096 / (int)sizeof(T); j += 4) sum += of[j];
  if (threadX() == 0) out[blockX()] = join(sum);
}

extern "C" __global__ void constants1(int* out) { constants<int>(out); }
extern "C" __global__ void constants2(int* out) { constants<vector2>(out); }
extern "C" __global__ void constants4(int* out) { constants<vector4>(out); }
