#!/bin/sh
# Compiles every program here to PTX, into sm_70/ and sm_80/ (or into these folders of $1). Needs clang 19
# and nothing of CUDA; CLANG names another clang.
set -eu
cd "$(dirname "$0")"
out=${1:-.}
for sm in 70 80; do
  mkdir -p "$out/sm_$sm"
  for source in *.cu; do
    "${CLANG:-clang-19}" -x cuda --cuda-device-only --cuda-gpu-arch=sm_$sm -nocudainc -nocudalib --cuda-feature=+ptx70 \
      -std=c++17 -Wall -Wextra -Werror -O3 -S -o "$out/sm_$sm/$(basename "$source" .cu).ptx" "$source"
  done
done
