package analysis

import (
	"fmt"
	"math"
	"reflect"
)

// finish adds the network's total behind the rows, unless it does not fit 64
// bits.
func (p *Profile) finish(s *Session) error {
	if len(p.Rows) == 0 {
		return nil
	}
	if p.largest() >= math.MaxInt64 {
		return fmt.Errorf("%s: all launches together have more than %.0e instructions or operations: too many for a total; --launch chooses some", s.Manifest.File, float64(math.MaxInt64))
	}
	p.Rows = append(p.Rows, s.total(p))
	return nil
}

// largest bounds every column of the total from above.
func (p *Profile) largest() (n float64) {
	for _, lp := range p.Launches {
		n += max(lp.tally.largest(), float64(lp.Row.StaticThreadInstructions.N))
	}
	return n
}

// summed are the columns of the total that are sums over the launches; of the
// others the maximum, a ratio of sums, or nothing stands there.
var summed = []string{
	"Count", "CTAs", "Warps", "Threads", "StaticInstructions", "SliceInstructions", "StaticThreadInstructions",
	"DependencyGraphs", "CTAClasses", "EmulatedCTAs", "EmulatedWarpInstructions", "AssumedDecisions",
	"EstWarpInstructions", "EstThreadInstructions", "EstInstFP16", "EstInstFP32", "EstInstFP64", "EstInstFP32FMA", "EstInstFP64FMA", "EstInstSpecial", "EstInstInteger",
	"EstInstBitConvert", "EstInstControl", "EstInstLdSt", "EstInstAtomic", "EstInstTexture", "EstInstInterThread", "EstInstBarrier",
	"EstInstTensor", "EstInstMisc",
}

// highest are the columns of the total that are maxima.
var highest = []string{
	"StaticSharedBytes", "DynamicSharedBytes", "LocalBytes", "RegistersPerThread",
	"DivergentBranchesPerCTAMax", "DistinctThreadPathsMax",
}

// total makes the row of a network from its launches' rows.
func (s *Session) total(p *Profile) *Row {
	r := &Row{Network: s.Manifest.Name, Launch: "total"}
	out := reflect.ValueOf(r).Elem()
	for _, row := range p.Rows {
		in := reflect.ValueOf(row).Elem()
		for _, name := range summed {
			addInto(out.FieldByName(name), in.FieldByName(name), func(a, b uint64) uint64 { return a + b })
		}
		for _, name := range highest {
			addInto(out.FieldByName(name), in.FieldByName(name), func(a, b uint64) uint64 { return max(a, b) })
		}
		r.AnalysisMS = Ratio(r.AnalysisMS.X + row.AnalysisMS.X)
		r.Exactness = worse(r.Exactness, row.Exactness)
	}
	r.FileInstructions = p.fileInstructions()
	r.SlicePct = Percent(r.SliceInstructions.N, r.StaticInstructions.N, Ratio(0))
	if s.Options.Mode != Static {
		var t tally
		for _, lp := range p.Launches {
			t.addTimes(lp.tally, 1)
		}
		ctas := uint64(0)
		for _, lp := range p.Launches {
			ctas += lp.plan.ctas() * uint64(lp.plan.launch.Count)
		}
		t.traffic.footprint = p.footprint()
		t.fill(r, ctas)
		s.cacheTotal(p, r)
	}
	return r
}

// fileInstructions sums over the distinct files of the rows.
func (p *Profile) fileInstructions() Int {
	seen := map[any]bool{}
	n := uint64(0)
	for _, lp := range p.Launches {
		if m := lp.Kernel.Module; !seen[m] {
			seen[m] = true
			n += uint64(len(m.Instrs))
		}
	}
	return Count(n)
}

func addInto(out, in reflect.Value, join func(a, b uint64) uint64) {
	a, b := out.Interface().(Int), in.Interface().(Int)
	if b.Known {
		out.Set(reflect.ValueOf(Count(join(a.N, b.N))))
	}
}

// worse returns the weaker of two kinds of exactness.
func worse(a, b string) string {
	rank := map[string]int{"": 0, "exact": 1, "scheduled": 2, "assumed": 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
