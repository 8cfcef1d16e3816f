package beside

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/nsight"
	"hyptx/internal/number"
)

// Row is a metric of a launch, or of all launches of a kernel that nvprof counted
// together: then both sides are the mean of one launch.
type Row struct {
	Launch   string      `csv:"launch" json:"launch" doc:"number of the launch, or of the first of those that nvprof counted together"`
	Kernel   string      `csv:"kernel" json:"kernel" doc:"its kernel"`
	Metric   string      `csv:"metric" json:"metric" doc:"the profiler's name"`
	Measured float64     `csv:"measured" json:"measured" doc:"what the profiler counted, of one launch"`
	Ours     number.Real `csv:"hyptx" json:"hyptx" doc:"what hyptx counts; empty where nobody can without the GPU"`
	Percent  number.Real `csv:"difference_pct" json:"difference_pct" doc:"100 (hyptx - measured) / measured"`
	Basis    string      `csv:"basis" json:"basis" doc:"what hyptx's number rests on: the PTX; the machine code or the caches, which are estimated; or that PTX cannot know it, and what it is"`
}

// Read reads a profiler's CSV, of Nsight Compute or nvprof.
func Read(name string, text []byte) ([]*nsight.Launch, error) {
	wanted := nsight.Wanted{Units: map[string]nsight.Unit{}, Hint: "see `hyptx compare --help`"}
	nvprof := nsight.Wanted{Units: map[string]nsight.Unit{}, Hint: wanted.Hint}
	for _, m := range metrics {
		for _, n := range m.names {
			if strings.Contains(n, "__") {
				wanted.Units[n] = m.unit
			} else {
				nvprof.Units[n] = nsight.None
			}
		}
	}
	launches, err := nsight.Read(name, text, wanted, nvprof)
	if err == nil && len(launches) == 0 {
		err = fmt.Errorf("%s: there is no launch in it", name)
	}
	return launches, err
}

// PassedOver are the metrics of launches that hyptx knows nothing of.
func PassedOver(launches []*nsight.Launch) (names []string) {
	for _, l := range launches {
		names = append(names, l.PassedOver...)
	}
	slices.Sort(names)
	return names
}

// Rows joins a profiler's launches with those of a profile: Nsight Compute's in their
// order, each with the next one of its kernel and of its size, where the file says that;
// nvprof's with all of their kernel.
func Rows(measured []*nsight.Launch, p *analysis.Profile) ([]*Row, error) {
	var rows []*Row
	next := 0
	for _, l := range measured {
		var of []*analysis.LaunchProfile
		var other *analysis.LaunchProfile // the first one that is left, of another size
		for i, lp := range p.Launches {
			switch {
			case !isKernel(lp, l.Kernel):
			case l.ID == "": // nvprof's
				of = append(of, lp)
			case i < next || of != nil:
			case !fits(lp, l):
				other = cmp.Or(other, lp)
			default:
				of, next = []*analysis.LaunchProfile{lp}, i+1
			}
		}
		switch {
		case of == nil && other != nil:
			return nil, fmt.Errorf("line %d: no launch of kernel %s that is left has %s; launch %s has %.0f CTAs of %d threads", l.Line, l.Kernel, size(l), other.Name(), ctas(other), other.BlockThreads())
		case of == nil:
			return nil, fmt.Errorf("line %d: no launch that is left is of kernel %s", l.Line, l.Kernel)
		}
		rows = append(rows, rowsOf(l, of)...)
	}
	return rows, nil
}

// isKernel reports whether a launch is of a kernel by a profiler's name of it, as
// "void a::b<int>(float *)".
func isKernel(lp *analysis.LaunchProfile, given string) bool {
	if given == lp.Demangled || given == lp.KernelName {
		return true
	}
	if end := strings.IndexAny(given, "(<"); end >= 0 {
		given = given[:end]
	}
	given = given[strings.LastIndexAny(given, " :")+1:]
	return given != "" && strings.Contains(lp.KernelName, given)
}

// fits reports whether a launch has the size that a profiler's file says, if it does.
func fits(lp *analysis.LaunchProfile, l *nsight.Launch) bool {
	return (l.CTAs == 0 || l.CTAs == ctas(lp)) && (l.BlockThreads == 0 || l.BlockThreads == float64(lp.BlockThreads()))
}

// ctas are those of one repetition.
func ctas(lp *analysis.LaunchProfile) float64 {
	return float64(lp.Grid[0]) * float64(lp.Grid[1]) * float64(lp.Grid[2])
}

// size is what a profiler's file says of a launch's.
func size(l *nsight.Launch) string {
	switch {
	case l.CTAs == 0:
		return fmt.Sprintf("CTAs of %.0f threads", l.BlockThreads)
	case l.BlockThreads == 0:
		return fmt.Sprintf("%.0f CTAs", l.CTAs)
	}
	return fmt.Sprintf("%.0f CTAs of %.0f threads", l.CTAs, l.BlockThreads)
}

// rowsOf are the metrics that a profiler has of some launches.
func rowsOf(l *nsight.Launch, of []*analysis.LaunchProfile) (rows []*Row) {
	for _, given := range l.Metrics {
		i := slices.IndexFunc(metrics, func(m metric) bool { return slices.Contains(m.names, given.Name) })
		m := &metrics[i]
		r := &Row{Launch: of[0].Name(), Kernel: of[0].Demangled, Metric: given.Name, Measured: given.Value / max(l.Invocations, 1), Basis: m.basis}
		if m.why != "" {
			r.Basis += ": " + m.why
		}
		sum, known := 0.0, true
		failed := ""
		for _, lp := range of {
			x := m.ours(&lp.Facts)
			sum, known, failed = sum+x.X, known && x.Known, cmp.Or(failed, lp.Error)
		}
		switch {
		case known:
			r.Ours = number.Ratio(sum / float64(len(of)))
			if r.Measured != 0 {
				r.Percent = number.Ratio(100 * (r.Ours.X - r.Measured) / r.Measured)
			}
		case failed != "":
			r.Basis = failed
		case m.basis == fromCaches:
			r.Basis += ": of a GPU, which nobody named"
		}
		rows = append(rows, r)
	}
	return rows
}
