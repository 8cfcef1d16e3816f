package accelwattch

import (
	"fmt"

	"hyptx/internal/accuracy"
)

// Line is a line of a summary: ours, and what the paper prints of the same, "" for nothing.
type Line struct{ What, Ours, Paper string }

// Summary says of an experiment what the paper says of it in its text.
func (e *Experiment) Summary() []Line { return e.summary() }

// printedErrors are the mean errors of the sheets by the paper's text, in percent (section
// 6 and 7 of it).
var printedErrors = map[string]string{
	"Volta SASS SIM": "9.2", "Volta PTX SIM": "13.7", "Volta HW": "7.5", "Volta HYBRID": "8.2", "Pascal SASS SIM": "11", "Pascal PTX SIM": "10.8",
	"Turing SASS SIM": "13", "Turing PTX SIM": "14", "Volta GPUWattch, counts of SASS SIM": "219", "Volta GPUWattch, counts of PTX SIM": "225",
}

// sheetLines are the mean errors of all sheets.
func sheetLines() (lines []Line) {
	rows := Kernels()
	for len(rows) > 0 {
		var pairs []accuracy.Pair
		sheet := rows[0].Sheet
		for ; len(rows) > 0 && rows[0].Sheet == sheet; rows = rows[1:] {
			pairs = append(pairs, accuracy.Pair{Measured: rows[0].MeasuredW.X, Predicted: rows[0].PowerW.X})
		}
		a := accuracy.Of(pairs)
		lines = append(lines, Line{fmt.Sprintf("%s (%d kernels)", sheet, a.N), fmt.Sprintf("%.2f %% off", a.MAPEPct), printedErrors[sheet] + " %"})
	}
	return lines
}

// printedRelative are the gaps between modelled and measured means by the paper's text, in
// points, and how many kernels have the wrong sign.
var printedRelative = map[string]string{"Pascal/Volta": "1 point, 0 wrong", "Turing/Volta": "3 points, 4 wrong", "Turing/Pascal": "1 point, 2 wrong"}

// relativeLines are the means of figure 12.
func relativeLines() (lines []Line) {
	for _, pair := range pairs {
		n, wrong, modelled, measured := 0, 0, 0.0, 0.0
		for _, r := range Relative() {
			if r.GPU != pair[0] || r.Over != pair[1] {
				continue
			}
			n, modelled, measured = n+1, modelled+r.ModelledPct.X, measured+r.MeasuredPct.X
			if r.ModelledPct.X*r.MeasuredPct.X < 0 {
				wrong++
			}
		}
		lines = append(lines, Line{fmt.Sprintf("%s over %s (%d kernels)", pair[0], pair[1], n),
			fmt.Sprintf("%.1f points apart (%.2f, %.2f %%), %d wrong", abs(modelled-measured)/float64(n), modelled/float64(n), measured/float64(n), wrong),
			printedRelative[pair[0]+"/"+pair[1]]})
	}
	return lines
}

func abs(x float64) float64 { return max(x, -x) }

// laneLines are the ratios of section 4.3, here of static power. The paper's are measured.
func laneLines() []Line {
	at := map[[2]int]*LaneRow{}
	for _, r := range Lanes() {
		if r.Mix == mixes[0].category.String() {
			at[[2]int{r.Lanes, r.SMs}] = r
		}
	}
	static := func(lanes, sms int) float64 { return at[[2]int{lanes, sms}].StaticW.X }
	gated := func(lanes, sms int) float64 { return at[[2]int{lanes, sms}].GatedW.X }
	ratio := func(x, y float64) string { return fmt.Sprintf("%.2f", x/y) }
	return []Line{
		{"first lane over a later one, all SMs", ratio(static(1, 80), static(2, 80)-static(1, 80)), "31"},
		{"8 lanes over 1 lane, all SMs", ratio(static(8, 80), static(1, 80)), "1.10 (all power)"},
		{"first SM over a later one", ratio(static(1, 1), static(1, 2)-static(1, 1)), "47"},
		{"first SM over a later one, gated", ratio(gated(1, 1), gated(1, 2)-gated(1, 1)), "47"},
	}
}
