// Resizes a photo by a texture's bilinear filter, into a surface and as grey values.
// clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -O3 -S resize.cu -o resize.ptx
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

__device__ inline int globalX() { return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x(); }
__device__ inline int globalY() { return __nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_y() + __nvvm_read_ptx_sreg_tid_y(); }

// photo is a texture of normalised coordinates, thumb a surface of width x height elements
// of four channels.
extern "C" __global__ void resize(unsigned long long photo, unsigned long long thumb, float *grey, int width, int height) {
  int x = globalX(), y = globalY();
  if (x >= width || y >= height)
    return;
  float r, g, b, a, u = (x + 0.5f) / width, v = (y + 0.5f) / height;
  asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=f"(r), "=f"(g), "=f"(b), "=f"(a) : "l"(photo), "f"(u), "f"(v));
  grey[y * width + x] = 0.299f * r + 0.587f * g + 0.114f * b;
  asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(thumb), "r"(x), "r"(y), "f"(r), "f"(g), "f"(b), "f"(a) : "memory");
}
