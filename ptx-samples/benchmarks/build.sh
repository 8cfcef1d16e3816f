#!/bin/sh
# Compiles every program here to PTX, into sm_70/ (or into this folder of $1). Needs clang 19
# and nothing of CUDA; CLANG names another clang.
set -eu
cd "$(dirname "$0")"
out=${1:-.}
mkdir -p "$out/sm_70"
for source in *.cu; do
  "${CLANG:-clang-19}" -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib --cuda-feature=+ptx70 \
    -std=c++17 -Wall -Wextra -Werror -O3 -S -o "$out/sm_70/${source%.cu}.ptx" "$source"
done
