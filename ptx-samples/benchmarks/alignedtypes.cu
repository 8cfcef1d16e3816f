// Copies in words of 1 to 16 bytes: threads go through the data together.
#include "../kernels/common.cuh"

typedef unsigned vector2 __attribute__((ext_vector_type(2)));
typedef unsigned vector4 __attribute__((ext_vector_type(4)));

#define COPY(name, type)                                                                     \
  extern "C" __global__ void name(type* __restrict__ to, const type* __restrict__ from, int n) { \
    _Pragma("unroll 1") for (int i = globalX(); i < n; i += blockWidth() * __nvvm_read_ptx_sreg_nctaid_x()) to[i] = from[i]; \
  }

COPY(copy1, unsigned char)
COPY(copy2, unsigned short)
COPY(copy4, unsigned)
COPY(copy8, vector2)
COPY(copy16, vector4)
