// Package fatbin finds the PTX in programs: executables, libraries, object files and
// archives that nvcc or clang has made, and fat binaries by themselves (.fatbin). Their
// sections .nv_fatbin and __nv_relfatbin hold containers, each with the same code for
// several GPUs, as PTX or as machine code, compressed or not. A debug build of machine code
// alone (.cubin) may hold its PTX, too.
//
// NVIDIA documents cuobjdump, not the format. What stands here is what others found out
// and what files of many versions of CUDA agree with: the layout of headers and the flag
// of LZ4 in github.com/n-eiling/cuda-fatbin-decompression and in gdev, that of zstd in
// CUDA 12.4 and later. Every length is held against what there is, and all text together
// against a limit.
//
// Start at [Modules].
package fatbin
