// Package nsight reads the CSV of NVIDIA's profilers: Nsight Compute's in both
// its forms (`ncu --csv`, a metric a line, and with --page raw a launch a line)
// and nvprof's. What comes out are launches with metrics in base units.
//
// It does not know what a metric means: which are wanted, and in which unit, is
// the caller's table ([Wanted]). It judges no launch, either: whether metrics
// fit together is for those to say who know what they are.
//
// Start with [Read].
//
//	nsight.go  launches, what is wanted of them, Read
//	table.go   finding the table among what else was printed; its rows
//	ncu.go     Nsight Compute's two forms
//	nvprof.go  nvprof's
//	unit.go    units, and numbers with commas
package nsight

// MaxLaunches is how many launches a profiler's file may be of.
const MaxLaunches = 100_000

// Launch is one launch that Nsight Compute counted, or all invocations of a
// kernel on one GPU that nvprof did.
type Launch struct {
	// ID is Nsight Compute's, "" from nvprof.
	ID     string
	Kernel string
	// Device is nvprof's name of the GPU, "" if the file does not say.
	Device string
	// Invocations is 1 from Nsight Compute.
	Invocations float64
	// CTAs and BlockThreads are 0 if the file does not say.
	CTAs, BlockThreads float64
	// Metrics are those that were wanted, each once, in the order of the file.
	Metrics []Metric
	// PassedOver are the names of the others, but for nvprof's, that no launch before it has.
	PassedOver []string
	// Levels are nvprof's utilizations from 0 to 10 by their names without
	// "_utilization".
	Levels map[string]int
	// Line is the first one in the file that is about the launch.
	Line int
}

// Metric is what was counted, over all invocations.
type Metric struct {
	// Name is the profiler's.
	Name string
	// Value is in the unit that was wanted; finite and not negative.
	Value float64
}

// Wanted says which metrics of a profiler are read; others are passed over.
type Wanted struct {
	// Units are what the metrics' values are wanted in, by their names. (nvprof
	// prints counts without a unit, so that of its metrics is not looked at.)
	// Without any, the profiler's files are refused.
	Units map[string]Unit
	// Hint ends the errors about metrics that nobody knows, as "needed are a, b".
	Hint string
}

// Read reads a profiler's CSV, which may stand between other things that were
// printed. Its launches are in the order of the file. name is the file's: errors
// begin with it, and name the line. Of many errors the first ten are returned.
func Read(name string, text []byte, ncu, nvprof Wanted) ([]*Launch, error) {
	t := &table{file: name, byKey: map[string]*Launch{}, passed: map[string]bool{}}
	if err := t.read(text, ncu, nvprof); err != nil {
		return nil, err
	}
	return t.launches, nil
}

// IsNsight reports whether a text has a table of Nsight Compute's in it.
func IsNsight(text []byte) bool {
	f, _ := find(text, nsightForms)
	return f.columns != nil
}
