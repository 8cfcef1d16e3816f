// Sums of absolute differences of 4x4 blocks of a frame against a window of another.
#include "../kernels/common.cuh"

extern "C" __global__ void sad(unsigned short* __restrict__ out, const unsigned short* __restrict__ frame, const unsigned short* __restrict__ other,
                               int width, int height, int range) {
  const int side = 2 * range + 1, block = blockY() * (width / 4) + blockX();
  const int left = blockX() * 4, top = blockY() * 4;
  for (int at = threadX(); at < side * side; at += blockWidth()) {
    const int dx = at % side - range, dy = at / side - range;
    unsigned sum = 0;
    for (int y = 0; y < 4; y++) {
      const int row = smaller(larger(top + y + dy, 0), height - 1);
      for (int x = 0; x < 4; x++) {
        const int column = smaller(larger(left + x + dx, 0), width - 1);
        const int d = (int)frame[(top + y) * width + left + x] - (int)other[row * width + column];
        sum += d < 0 ? -d : d;
      }
    }
    out[block * side * side + at] = sum;
  }
}
