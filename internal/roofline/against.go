package roofline

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hyptx/analysis"
	"hyptx/internal/accuracy"
)

// KindRange is the kind of a row that sums launches which were measured together.
const KindRange = "range"

// sums reports whether a row is of several launches.
func (r *Row) sums() bool { return r.Launch == Total || r.Kind == KindRange }

// Range returns the sum of rows of one GPU that were measured together, in us, under
// the name by which the measurement calls them.
func Range(rows []*Row, name string, measuredUs float64, o Options, alone bool) *Row {
	sum := total(rows)
	sum.Launch, sum.Kind, sum.MeasuredUs = name, KindRange, finite(measuredUs)
	if alone && o.Reference.GPU == "" {
		deviations([]*Row{sum})
	}
	return sum
}

// Against says how far the times of rows are off the measured ones, and whether
// their order is right; "" where there are not two to compare.
func Against(rows []*Row) string {
	var pairs []accuracy.Pair
	var of []*Row
	for _, r := range rows {
		if r.Kind != analysis.KindTotal && r.DeviationPct.Known {
			pairs, of = append(pairs, accuracy.Pair{Measured: r.MeasuredUs.X, Predicted: r.TimeUs.X}), append(of, r)
		}
	}
	if len(pairs) < 2 {
		return ""
	}
	a := accuracy.Of(pairs)
	text := fmt.Sprintf("%d measured: mean error without signs %.1f %%, median %.1f %%, with signs %.1f %%", a.N, a.MAPEPct, a.MedianPct, a.BiasPct)
	if !math.IsNaN(a.Rank) {
		text += fmt.Sprintf("; rank correlation %.2f", a.Rank)
	}
	if alternatives(of) {
		fastest := of[a.Fastest]
		text += fmt.Sprintf("; predicted to be fastest is %s, which takes %.2f times the least measured", cmp.Or(fastest.Label, fastest.Launch), a.Pick)
	}
	return text
}

// alternatives reports whether rows look like configurations of one kernel, of which
// somebody would choose one.
func alternatives(rows []*Row) bool {
	return len(rows) > 2 && !slices.ContainsFunc(rows, func(r *Row) bool {
		return r.Kind != analysis.KindLaunch || r.Kernel != rows[0].Kernel
	})
}
