package power

import (
	"fmt"
	"io"
	"math"
	"strings"

	"hyptx/internal/table"
)

// mostListed is how many launches a summary names.
const mostListed = 5

// WriteSummary writes in words what the rows of each whole network come to, and
// which launches are implausible, and why.
func WriteSummary(w io.Writer, rows []*Row) error {
	var b strings.Builder
	first := 0
	for i, r := range rows {
		if r.Launch != total {
			continue
		}
		if r.EnergyUJ.Known {
			b.WriteString(r.headline() + "\n")
			if n := i - first; n > 2 {
				b.WriteString(heaviest(rows[first:i]))
			}
		}
		first = i + 1
	}
	for _, line := range lowered(rows) {
		b.WriteString(line + "\n")
	}
	writeReasons(&b, rows)
	_, err := io.WriteString(w, b.String())
	return err
}

// Headlines returns a line for each whole network and one for the launches that
// are implausible, for those who do not see the table.
func Headlines(rows []*Row) (lines []string) {
	launches := 0
	var odd []string
	for _, r := range rows {
		switch {
		case r.Launch == total && r.EnergyUJ.Known:
			lines = append(lines, r.headline())
		case r.Launch == total:
		default:
			if launches++; r.Implausible != "" {
				odd = append(odd, r.name()+" on "+r.GPU)
			}
		}
	}
	lines = append(lines, lowered(rows)...)
	if n := len(odd); n > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d rows are beyond what the hardware can do (column implausible says why): %s", n, launches, some(odd)))
	}
	return lines
}

// lowered says of each GPU how many launches its board's power limit holds the clock down in.
func lowered(rows []*Row) (lines []string) {
	for of := range table.Runs(rows, func(a, b *Row) bool { return a.GPU == b.GPU }) {
		n, least, limitW := 0, math.Inf(1), 0.0
		for _, r := range of {
			if r.LimitW.Known && r.Launch != total {
				n, least, limitW = n+1, min(least, r.ClockMHz.X), r.LimitW.X
			}
		}
		switch {
		case n == 1:
			lines = append(lines, fmt.Sprintf("The board's limit of %g W holds the clock of %s down in one launch, to %.0f MHz.", limitW, of[0].GPU, least))
		case n > 1:
			lines = append(lines, fmt.Sprintf("The board's limit of %g W holds the clock of %s down in %d launches, to %.0f MHz at least.", limitW, of[0].GPU, n, least))
		}
	}
	return lines
}

// headline says what a network comes to.
func (r *Row) headline() string {
	inferences := ""
	if n := math.Round(r.EnergyUJ.X / r.PerInfUJ.X); n > 1 {
		inferences = fmt.Sprintf(" (%.0f inferences of %s)", n, quantity(r.PerInfUJ.X, "J"))
	}
	dynamicUJ, most, _ := r.dynamic()
	return fmt.Sprintf("%s on %s: %s a run%s; %s at %.0f W. %s %% of the energy is dynamic, most by: %s", r.Network, r.GPU, quantity(r.EnergyUJ.X, "J"), inferences,
		quantity(r.TimeUs.X, "s"), r.PowerW.X, fewDigits(100*dynamicUJ/r.EnergyUJ.X), groupTitles[most])
}

// fewDigits writes a percentage without decimals, if it is not below 1.
func fewDigits(pct float64) string {
	if pct < 0.95 {
		return fmt.Sprintf("%.1g", pct)
	}
	return fmt.Sprintf("%.0f", pct)
}

// name is what a row of a launch is called by: counters alone may have no
// number of a launch.
func (r *Row) name() string {
	if r.Launch == "" {
		return r.Kernel
	}
	return "launch " + r.Launch
}

// heaviest says how few launches take four fifths of the energy.
func heaviest(rows []*Row) string {
	const share = 80
	sorted := append([]*Row{}, rows...)
	SortByEnergy(sorted)
	sum, n := 0.0, 0
	var names []string
	for ; n < len(sorted) && sum < share; n++ {
		sum += sorted[n].SharePct.X
		if n < mostListed {
			names = append(names, fmt.Sprintf("%s (%.0f %%)", sorted[n].Launch, sorted[n].SharePct.X))
		}
	}
	if n > mostListed {
		names = append(names, "...")
	}
	return fmt.Sprintf("  %d of %d launches take %.0f %% of the energy: %s\n", n, len(rows), sum, strings.Join(names, ", "))
}

// maxReasons is how many implausible launches are explained.
const maxReasons = 20

// writeReasons says why launches are implausible.
func writeReasons(b *strings.Builder, rows []*Row) {
	n := 0
	for _, r := range rows {
		if r.Implausible == "" || r.Launch == total {
			continue
		}
		if n++; n == 1 {
			b.WriteString("Implausible, beyond what the hardware can do:\n")
		}
		if n <= maxReasons {
			fmt.Fprintf(b, "  %s on %s: %s\n", r.name(), r.GPU, r.Implausible)
		}
	}
	if n > maxReasons {
		fmt.Fprintf(b, "  and %d more; -o has all\n", n-maxReasons)
	}
}

// leastOnAxis is how many of its unit the longest of an axis must have: an axis
// of 1.5 ms reads better as 1500 us.
const leastOnAxis = 2

// unitOf returns the largest unit of which x micro-somethings are at least so
// many: how many micro-somethings it is, and its prefix.
func unitOf(x, least float64) (size float64, prefix string) {
	switch {
	case x >= least*1e6:
		return 1e6, ""
	case x >= least*1e3:
		return 1e3, "m"
	}
	return 1, "u"
}

// quantity writes micro-somethings with a fitting prefix: "368 mJ".
func quantity(micro float64, unit string) string {
	size, prefix := unitOf(micro, 1)
	if x := micro / size; x >= 1000 {
		return fmt.Sprintf("%.0f %s%s", x, prefix, unit)
	}
	return fmt.Sprintf("%.3g %s%s", micro/size, prefix, unit)
}

// SweepSummary says in a line each which clocks are best for each network on each
// GPU, against the highest clock of the sweep.
func SweepSummary(rows []*SweepRow) (lines []string) {
	for one := range table.Runs(rows, func(a, b *SweepRow) bool { return a.Network == b.Network && a.GPU == b.GPU }) {
		odd, top := 0, one[len(one)-1]
		for _, r := range one {
			for _, what := range []string{bestEnergy, bestEDP} {
				if top.EnergyUJ.Known && strings.Contains("+"+r.Best+"+", "+"+what+"+") {
					lines = append(lines, fmt.Sprintf("%s on %s: least %s at %g MHz, %s in %s: %+.0f %% energy and %+.0f %% time against %g MHz%s%s", r.Network, r.GPU, bestTitles[what], r.ClockMHz.X,
						quantity(r.EnergyUJ.X, "J"), quantity(r.TimeUs.X, "s"), change(r.EnergyUJ.X, top.EnergyUJ.X), change(r.TimeUs.X, top.TimeUs.X), top.ClockMHz.X, atEnd(r, one), r.doubt()))
				}
			}
			if r.Implausible != "" {
				odd++
			}
		}
		if odd > 0 {
			lines = append(lines, fmt.Sprintf("%s on %s: at %d of %d clocks launches or the mean are beyond what the hardware can do (column implausible)", one[0].Network, one[0].GPU, odd, len(one)))
		}
	}
	return lines
}

// doubt says what a best clock rests on where nobody measured the voltage.
func (r *SweepRow) doubt() string {
	switch r.Voltage {
	case voltageUnknown:
		return fmt.Sprintf("; the least voltage of %s is unknown and V taken to go with the clock, so that low clocks look better than they are", r.GPU)
	case voltageLike:
		return fmt.Sprintf("; the voltage is that of another family than %s's, which was not measured", r.GPU)
	}
	return ""
}

// bestTitles are the words for what a clock has the least of.
var bestTitles = map[string]string{bestEnergy: "energy", bestEDP: "energy x time"}

// change is in percent of what it is against.
func change(x, against float64) float64 { return 100 * (x/against - 1) }

// atEnd warns of a best clock at an end of the sweep, beyond which a better one
// may lie.
func atEnd(r *SweepRow, rows []*SweepRow) string {
	if len(rows) > 1 && (r == rows[0] || r == rows[len(rows)-1]) {
		return " (an end of the sweep: a better clock may lie beyond)"
	}
	return ""
}
