// A step of an LU decomposition: the rest of a row is divided by its diagonal element, and
// the rows below lose their multiples of it.
#include "../kernels/common.cuh"

extern "C" __global__ void luRow(float* a, int k, int n) {
  const int j = globalX();
  if (j > k && j < n) a[k * n + j] /= a[k * n + k];
}

extern "C" __global__ void luUpdate(float* a, int k, int n) {
  const int j = globalX(), i = globalY();
  if (i > k && j > k && i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}
