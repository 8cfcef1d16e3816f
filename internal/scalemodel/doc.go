// Package scalemodel predicts how fast a large GPU is from two small ones
// (SeyyedAghaei, Naderan-Tahan, Eeckhout: GPU Scale-Model Simulation, HPCA 2024).
//
// A scale model is a GPU with a part of the target's SMs and with the same part
// of all that SMs share: L2, network, DRAM. What a program does on two of them, and
// where its curve of misses over the capacity of the L2 falls, say what it does
// on the target. Time needs two simulations of small GPUs instead of one of a
// large GPU, and simulations of small GPUs are short.
//
// The words are the paper's. Sizes are SMs or chiplets, IPC are thread
// instructions a cycle of the whole GPU, MPKI the misses of the L2 (sectors of
// 32 bytes, reads and writes) for 1000 thread instructions. A cliff is where the
// MPKI falls by more than half as capacity doubles; f_mem is the share of the
// cycles in which an SM of the larger scale model fetches nothing because all of
// its warps wait for memory.
//
// The published tool does not compute the published equations: its factor grows
// with each doubling. The paper's figures are those of the tool, so that both are
// here, [Tool] and [Equation], and the tool is the default.
//
// It knows neither programs nor simulators: IPC, MPKI and f_mem come from whoever
// has them. What is missing stays missing: without f_mem a point at a cliff has
// a range, no value.
//
// Start at [Workload] and [Workload.Predict]; [Judge] holds predictions against
// what was measured, [Scale] says what a scale model is made of, [Sieve] which
// launches are worth simulating.
package scalemodel
