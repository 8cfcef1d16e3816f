package thesis

import (
	"cmp"
	"context"
	"fmt"

	"hyptx/analysis"
	"hyptx/internal/csvfile"
	"hyptx/internal/gpu"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	model "hyptx/internal/roofline/thesis"
)

// An Experiment is a part of what the thesis did.
type Experiment struct {
	Name, About string
	// Programs are those that ship with hyptx and are emulated, by their names in folder
	// benchmarks, at published and at small sizes.
	Programs, Small []string
	run             func(context.Context, *Result, Lab) error
}

// Experiments are all of them.
var Experiments = []Experiment{
	{Name: "counters", About: "the model on the counters and parameters that are printed", run: runCounters},
	{Name: "programs", About: "SOR, LMSOR and SGEMM, emulated", Programs: []string{"sor", "lmsor", "matmul"},
		Small: []string{"sor-small", "lmsor-small", "matmul-small"}, run: runPrograms},
	{Name: "mixbench", About: "operations against bytes over the rooflines", Programs: []string{"mixbench-sweep"}, Small: []string{"mixbench-small"}, run: runMixbench},
	{Name: "memory", About: "bandwidth of caches, shared memory and constants", Programs: []string{"membench"}, Small: []string{"membench-small"}, run: runMemory},
}

// Result has the rows of the experiments that ran.
type Result struct {
	Kernels  []*KernelRow
	Times    []*TimeRow
	Mixbench []*MixbenchRow
	Memory   []*MemoryRow
}

// Table is a table of rows.
type Table struct {
	// Name is a file's, without its ending; Experiments are those that it has rows of.
	Name        string
	Experiments []string
	Rows        func(*Result) any
	Len         func(*Result) int
}

// Tables are all of them.
var Tables = []Table{
	{"thesis_kernels", ofKernels, func(r *Result) any { return r.Kernels }, func(r *Result) int { return len(r.Kernels) }},
	{"thesis_times", ofKernels, func(r *Result) any { return r.Times }, func(r *Result) int { return len(r.Times) }},
	{"thesis_mixbench", []string{"mixbench"}, func(r *Result) any { return r.Mixbench }, func(r *Result) int { return len(r.Mixbench) }},
	{"thesis_memory", []string{"memory"}, func(r *Result) any { return r.Memory }, func(r *Result) int { return len(r.Memory) }},
}

// ofKernels are the experiments that have kernels.
var ofKernels = []string{"counters", "programs"}

// Lab is where experiments are made.
type Lab struct {
	// Programs to emulate: the experiment's, or its small ones.
	Programs []string
	// Open opens a program by its name.
	Open func(name string, o analysis.Options) (*analysis.Session, error)
	// Analysis has the limits of emulation.
	Analysis analysis.Options
	// Memories are the GPUs whose memories are simulated.
	Memories []*roofline.Device
}

// Run makes an experiment and adds its rows to the result. What is complete stands there
// beside an error.
func (e Experiment) Run(ctx context.Context, r *Result, lab Lab) error {
	if err := e.run(ctx, r, lab); err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	return nil
}

// reference is the GPU that the thesis profiled on.
const reference = "gtx-480"

// emulate runs a program for a time model of a device.
func (l Lab) emulate(ctx context.Context, program string, d *roofline.Device, m *roofline.Model) ([]*roofline.Launch, error) {
	s, err := l.Open(program, l.Analysis)
	if err != nil {
		return nil, err
	}
	var lacks error
	choice := predict.Choice{Model: m}
	err = choice.Prepare([]*analysis.Session{s}, []*roofline.Device{d}, func(_ *roofline.Device, why *gpu.UnknownError) { lacks = why })
	if err != nil || lacks != nil {
		return nil, fmt.Errorf("%s on %s: %w", program, d.Name, cmp.Or(err, lacks))
	}
	p, err := analysis.ProfileAll(ctx, []*analysis.Session{s})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	return roofline.FromProfile(p.On(d.Spec), roofline.Machine)
}

// count runs a program for its instructions alone, which is much quicker.
func (l Lab) count(ctx context.Context, program string) ([]*roofline.Launch, error) {
	s, err := l.Open(program, l.Analysis)
	if err != nil {
		return nil, err
	}
	p, err := analysis.ProfileAll(ctx, []*analysis.Session{s})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	return roofline.FromProfile(p, roofline.Machine)
}

// printed reads a table that the thesis prints.
func printed[T any](name string) ([]T, error) {
	text, err := model.Data.ReadFile("data/" + name)
	if err != nil {
		return nil, err
	}
	return csvfile.Into[T](csvfile.Format{Comma: '\t', Comment: '#'}, name, text)
}

// rateRow is a row of tables 5.2 and 6.2: what micro-benchmarks measured of a GPU.
type rateRow struct {
	GPU  string  `csv:"gpu"`
	SP   float64 `csv:"T_SP_GFLOPS"`
	DP   float64 `csv:"T_DP_GFLOPS"`
	Int  float64 `csv:"T_int_GIOPS"`
	Add  float64 `csv:"T_add_GIOPS"`
	DRAM float64 `csv:"B_mem_GBps"`
	LdSt float64 `csv:"T_ldst_GOPS"`
	ECC  string  `csv:"ecc"`
}

func (r rateRow) rates() model.Rates {
	return model.Rates{SPGFLOPS: r.SP, DPGFLOPS: r.DP, IntGIOPS: r.Int, AddGIOPS: r.Add, LdStGOPS: r.LdSt, DRAMGBps: r.DRAM}
}
