// Package judge lets a GPU judge hyptx: one command that runs all that is to be
// known of a GPU, within a budget of time, on a machine with a driver but without
// Go, network or, for the most part, CUDA's tools. It writes a folder for the GPU:
//
//	outputs.jsonl     what each sample left in memory        (package golden)
//	sass.tsv          what ptxas made of the PTX             (package sass)
//	calibration.*     rates of the units, by micro-benchmarks; every measurement;
//	                  power of the networks (hyptx calibrate)
//	power.csv         power of micro-benchmarks (hyptx calibrate)
//	counters.csv      Nsight Compute's counters of the networks' launches
//	judge.json        the device, the date, the tools, and what came of each part
//
// The parts run in this order, and each file is there as soon as its part has
// something to say, so that the end of the budget, Ctrl-C or a crash of the
// driver costs only what was not done yet.
//
// Nothing here decides what is right: tests hold the emulator and the models
// against what was written and committed (testdata/golden). No part of it is in
// the process that talks to the driver: a GPU program that fails or hangs takes
// its process along ([Serve]), and the next one gets a new process.
//
// Start with [Run]; then
//
//	judge.go     the parts, their order and their time
//	status.go    judge.json
//	outputs.go   part 1: samples, by a worker process
//	client.go    the worker process as its parent sees it
//	worker.go    the worker process
//	gpu.go       the worker's GPU
//	compile.go   part 2: ptxas and its like
//	measure.go   parts 3 and 4: hyptx calibrate
//	counters.go  part 5: Nsight Compute
package judge
