package endtoend

import (
	"hyptx/internal/accuracy"
	"hyptx/internal/number"
)

// Line is how far off one way to the watts is, over the kernels that have its figure.
type Line struct {
	Name string
	accuracy.Accuracy
	// BestConstantPct is the error of the one constant that fits these kernels best.
	BestConstantPct float64
}

// Summary says of the rows of one variant and time model how far off they are, in the
// predicted time and in the measured one, and so of the published variants: of all their
// kernels, and of those that ours have, too.
func Summary(rows []*Row) (lines []Line) {
	ours := func(r *Row) number.Real { return r.PowerW }
	for _, l := range []struct {
		name   string
		of     func(*Row) number.Real
		shared bool
	}{
		{"ours", ours, false},
		{"ours, in the measured time", func(r *Row) number.Real { return r.TimedW }, false},
		{"SASS SIM", func(r *Row) number.Real { return r.SASSSimW }, false},
		{"SASS SIM, these kernels", func(r *Row) number.Real { return r.SASSSimW }, true},
		{"PTX SIM", func(r *Row) number.Real { return r.PTXSimW }, false},
		{"PTX SIM, these kernels", func(r *Row) number.Real { return r.PTXSimW }, true},
		{"HW", func(r *Row) number.Real { return r.HWW }, false},
		{"HYBRID", func(r *Row) number.Real { return r.HybridW }, false},
	} {
		var pairs []accuracy.Pair
		var measured []float64
		for _, r := range rows {
			if x := l.of(r); x.Known && (!l.shared || ours(r).Known) {
				pairs = append(pairs, accuracy.Pair{Measured: r.MeasuredW.X, Predicted: x.X})
				measured = append(measured, r.MeasuredW.X)
			}
		}
		if len(pairs) > 0 {
			lines = append(lines, Line{l.name, accuracy.Of(pairs), accuracy.BestConstant(measured)})
		}
	}
	return lines
}
