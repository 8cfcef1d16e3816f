package roofline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hyptx/internal/table"
)

// Summary returns a line for each GPU: its launches, the sum of their times and
// how many of them have which bound; and how far off these may be where a part was simulated.
func Summary(rows []*Row) []string {
	var lines []string
	for _, of := range table.Groups(rows, func(r *Row) string { return r.GPU }) {
		lines = append(lines, summary(of[0].GPU, slices.DeleteFunc(of, (*Row).sums)))
	}
	return lines
}

// worthTelling is from how many percent on a line tells how far times of a part that was simulated may
// be off (own choice).
const worthTelling = 10

// summary is the line of one GPU with its launches.
func summary(gpu string, launches []*Row) string {
	us, open, unknown := 0.0, 0.0, 0
	bounds := map[string]int{}
	for _, r := range launches {
		if !r.TimeUs.Known {
			unknown++
			continue
		}
		us += r.TimeUs.X
		open += r.TimeUs.X * r.ErrorPct.X
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
	within := ""
	if off := open / us; off >= worthTelling {
		within = fmt.Sprintf(" (a part was simulated: within %.0f %% of all of it)", off)
	}
	return fmt.Sprintf("%s: %s, %.2f us%s: %s", gpu, of, us, within, strings.Join(counts, ", "))
}
