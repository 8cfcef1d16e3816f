package thesis

import (
	"fmt"
	"maps"
	"slices"
)

// The filter of the thesis' experiments (5.1.4): smaller launches do not fill a
// GPU, and the model does not know it.
const (
	MinBlockThreads = 64
	MinBlocks       = 90
)

// Eligible reports whether a launch passes the filter.
func Eligible(blockThreads, blocks float64) bool {
	return blockThreads >= MinBlockThreads && blocks >= MinBlocks
}

// Evidence is what is known of a kernel besides the model's inputs; a zero
// value is not known.
type Evidence struct {
	BlockThreads, Blocks float64
	Invocations          float64
	ReferenceSeconds     float64 // measured, of all invocations
	DRAMBytes, L2Bytes   float64
	// Utilization holds nvprof's *_utilization metrics, 0 to 10, by their names
	// without that suffix.
	Utilization map[string]int
}

// Thresholds of the warnings.
const (
	trustedUtilization = 7      // 5.2.5: High (7-9) or Max (10)
	lowUtilization     = 5      // the toolkit
	shortThesis        = 0.5e-3 // s per invocation, 5.2.6
	shortToolkit       = 0.1e-3 // s per invocation, the toolkit
	l2Ratio            = 2      // L2 to DRAM bytes, the toolkit
)

// Warnings returns the reasons not to trust a prediction, in a fixed order.
func (e Evidence) Warnings() []string {
	var out []string
	warn := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if e.BlockThreads > 0 && e.BlockThreads < MinBlockThreads {
		warn("threads a block: %.0f, fewer than %d", e.BlockThreads, MinBlockThreads)
	}
	if e.Blocks > 0 && e.Blocks < MinBlocks {
		warn("blocks: %.0f, fewer than %d", e.Blocks, MinBlocks)
	}
	if per := e.ReferenceSeconds / max(e.Invocations, 1); per > 0 && per < shortThesis {
		limit := shortThesis
		if per < shortToolkit {
			limit = shortToolkit
		}
		warn("%.3g ms an invocation on the reference GPU, less than %g ms", per*1e3, limit*1e3)
	}
	if e.DRAMBytes > 0 && e.L2Bytes > l2Ratio*e.DRAMBytes {
		warn("L2 moves %.1f times the bytes of DRAM and is not in the model", e.L2Bytes/e.DRAMBytes)
	}
	if len(e.Utilization) > 0 {
		if w := e.utilization(); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// modelled are the resources that the model has: DRAM and what executes in an
// SM. l1_shared and shared are the load/store path.
var modelled = []string{"dram", "alu_fu", "ldst_fu", "l1_shared", "shared", "single_precision_fu", "double_precision_fu",
	"half_precision_fu", "special_fu", "cf_fu", "tex_fu"}

// utilization judges the most utilised resource: the prediction is to be
// trusted if it is one of the model's and at least 7 (5.2.5).
func (e Evidence) utilization() string {
	name, most := "", -1
	for _, n := range slices.Sorted(maps.Keys(e.Utilization)) {
		u := e.Utilization[n]
		better := u > most || u == most && !slices.Contains(modelled, name) && slices.Contains(modelled, n)
		if better && n != "issue_slot" { // a percentage
			name, most = n, u
		}
	}
	switch {
	case most < 0:
		return ""
	case most < lowUtilization:
		return fmt.Sprintf("nothing is utilised (most: %s, %d of 10): bound by latency, the time is a lower bound", name, most)
	case most < trustedUtilization:
		return fmt.Sprintf("nothing is utilised highly (most: %s, %d of 10): the time may be a lower bound", name, most)
	case !slices.Contains(modelled, name):
		return fmt.Sprintf("%s is utilised most (%d of 10) and is not in the model", name, most)
	}
	return ""
}
