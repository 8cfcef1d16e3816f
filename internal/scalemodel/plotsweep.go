package scalemodel

import (
	"errors"
	"slices"
	"strconv"

	"hyptx/internal/figure"
)

// PlotSweep draws how all launches scale: a line for each launch, a column for each size, and
// in the cells of launches that have stopped scaling what stops them. Launches without figures
// have no line.
func PlotSweep(rows []*SweepRow, s Scenario, look figure.Look) ([]byte, error) {
	h := figure.Heat{Narrow: true, X: unitOf(s) + ", with L2 and DRAM in proportion"}
	line := map[string]int{}
	for _, r := range rows {
		if r.Missing != "" {
			continue
		}
		h.Title = "IPC of " + r.Network + " over the proportional one [%], and what limits it"
		at, met := line[r.Launch]
		if !met {
			at = len(h.Rows)
			line[r.Launch] = at
			h.Rows, h.Shares, h.Words = append(h.Rows, launchTitle(r)), append(h.Shares, nil), append(h.Words, nil)
		}
		if size := strconv.Itoa(r.Size); !slices.Contains(h.Columns, size) {
			h.Columns = append(h.Columns, size)
		}
		word := ""
		if r.Class == SubLinear {
			word = string(r.Limit)
		}
		h.Shares[at], h.Words[at] = append(h.Shares[at], r.Scaling.X), append(h.Words[at], word)
	}
	if h.Rows == nil {
		return nil, errNoSweep
	}
	return h.Draw(look)
}

// errNoSweep is why there is no picture of a sweep.
var errNoSweep = errors.New("there is nothing to draw: no launch has figures")

// launchTitle is a launch beside a line of a figure.
func launchTitle(r *SweepRow) string {
	const most = 24 // letters of a name: a kernel's may be as long as its loops are many
	name := r.Kernel
	if len(name) > most {
		name = name[:most-3] + "..."
	}
	return r.Launch + " " + name
}
