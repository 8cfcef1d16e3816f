package roofline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Summary returns a line for each GPU: its launches, the sum of their times and
// how many of them have which bound.
func Summary(rows []*Row) []string {
	var gpus, lines []string
	for _, r := range rows {
		if !slices.Contains(gpus, r.GPU) {
			gpus = append(gpus, r.GPU)
		}
	}
	for _, g := range gpus {
		lines = append(lines, summary(g, slices.DeleteFunc(slices.Clone(rows), func(r *Row) bool { return r.GPU != g || r.sums() })))
	}
	return lines
}

// summary is the line of one GPU with its launches.
func summary(gpu string, launches []*Row) string {
	us, unknown := 0.0, 0
	bounds := map[string]int{}
	for _, r := range launches {
		if !r.TimeUs.Known {
			unknown++
			continue
		}
		us += r.TimeUs.X
		bounds[r.boundText()]++
	}
	counts := slices.SortedFunc(maps.Keys(bounds), func(a, b string) int {
		return cmp.Or(cmp.Compare(bounds[b], bounds[a]), cmp.Compare(a, b))
	})
	for i, b := range counts {
		counts[i] = fmt.Sprintf("%d %s", bounds[b], b)
	}
	if unknown > 0 {
		counts = append(counts, fmt.Sprintf("%d without a time (column missing says why)", unknown))
	}
	of := fmt.Sprintf("%d launches", len(launches))
	if len(launches) == 1 {
		of = "1 launch"
	}
	if unknown == len(launches) {
		return fmt.Sprintf("%s: %s: %s", gpu, of, strings.Join(counts, ", "))
	}
	return fmt.Sprintf("%s: %s, %.2f us: %s", gpu, of, us, strings.Join(counts, ", "))
}
