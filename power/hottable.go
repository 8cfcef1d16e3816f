package power

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/number"
	"hyptx/internal/table"
)

// WriteHotTable writes the hottest instructions as a table.
func WriteHotTable(w io.Writer, rows []*HotRow, width int) error {
	times, unit := tableUnit(rows, func(r *HotRow) float64 { return r.EnergyUJ.X })
	columns := []table.Column{{Heading: unit}, {Heading: "of it memory", Rank: 2}, {Heading: "fetch, pipeline", Rank: 3}, {Heading: "%"}, {Heading: "gpu", Text: true}, {Heading: "kernel", Text: true}, {Heading: "PTX line"}, {Heading: "source", Text: true, Rank: 1}, {Heading: "instruction", Text: true}}
	cells := make([][]string, len(rows))
	for i, r := range rows {
		source := ""
		if r.SourceLine.Known {
			source = filepath.Base(r.SourceFile) + ":" + r.SourceLine.String()
		}
		cells[i] = []string{r.EnergyUJ.Scaled(times).String(), r.MemoryUJ.Scaled(times).String(), r.FetchUJ.Scaled(times).String(), r.SharePct.String(), r.GPU, analysis.ShortKernel(r.Kernel), r.PTXLine.String(), source, r.Text}
	}
	return table.Write(w, columns, cells, nil, width)
}

// WriteClassTable writes the energy of instruction classes as a table for each
// network on each GPU, with their sum.
func WriteClassTable(w io.Writer, rows []*ClassRow, width int) error {
	var b strings.Builder
	for one := range table.Runs(rows, func(a, b *ClassRow) bool { return a.Network == b.Network && a.GPU == b.GPU }) {
		fmt.Fprintf(&b, "\nDynamic energy by class of instruction, %s on %s:\n", one[0].Network, one[0].GPU)
		sum := &ClassRow{Class: total, EnergyUJ: number.Ratio(0), SharePct: number.Ratio(0)}
		for _, r := range one {
			sum.add(r.WarpInstructions, r.EnergyUJ.X, r.SharePct.X)
		}
		writeClasses(&b, append(slices.Clone(one), sum), width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeClasses writes the classes of one network, the last row their sum.
func writeClasses(b *strings.Builder, rows []*ClassRow, width int) {
	times, unit := tableUnit(rows, func(r *ClassRow) float64 { return r.EnergyUJ.X })
	columns := []table.Column{{Heading: "class", Text: true}, {Heading: "warp inst"}, {Heading: unit}, {Heading: "%"}, {Heading: "pJ each"}}
	cells := make([][]string, len(rows))
	for i, r := range rows {
		cells[i] = []string{r.Class, strconv.FormatUint(r.WarpInstructions, 10), r.EnergyUJ.Scaled(times).String(), r.SharePct.String(), r.PerWarpPJ.String()}
	}
	table.Write(b, columns, cells, func(i int) bool { return i == len(rows)-1 }, width)
}

// tableUnit returns the largest unit in which the least energy of a table, in uJ,
// has digits, and how many of it are one uJ.
func tableUnit[T any](rows []T, uj func(T) float64) (times float64, unit string) {
	least := math.Inf(1)
	for _, r := range rows {
		if x := uj(r); x > 0 {
			least = min(least, x)
		}
	}
	switch {
	case least >= 0.1:
		return 1, "uJ"
	case least >= 1e-4:
		return 1e3, "nJ"
	}
	return 1e6, "pJ"
}
