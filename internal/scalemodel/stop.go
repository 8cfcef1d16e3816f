package scalemodel

import "hyptx/internal/number"

// Stop says how far a launch scales, and what stops it.
type Stop struct {
	Launch, Kernel string
	CTAs           uint64
	// To is the largest size up to which its scaling is not sub-linear; At the one after it,
	// 0 if there is none.
	To, At int
	// Why is what limits it on that size, Limited on the largest.
	Why, Limited Limit
	// Scaling is that of the largest size. Warps are those of an SM on the smallest and where
	// it stops.
	Scaling          float64
	Warps, WarpsThen number.Real
	// Share is its part of the program's time on the largest size.
	Share float64
}

// Stops are those of all launches that have figures, in their order.
func Stops(rows []*SweepRow) (list []*Stop) {
	of := map[string]*Stop{}
	var cycles float64
	largest := 0
	if len(rows) > 0 {
		largest = rows[len(rows)-1].Size
	}
	for _, r := range rows {
		if r.Missing != "" {
			continue
		}
		s := of[r.Launch]
		if s == nil {
			s = &Stop{Launch: r.Launch, Kernel: r.Kernel, CTAs: r.CTAs, Warps: r.Warps}
			of[r.Launch], list = s, append(list, s)
		}
		switch {
		case s.At != 0:
		case r.Class == SubLinear:
			s.At, s.Why, s.WarpsThen = r.Size, r.Limit, r.Warps
		default:
			s.To = r.Size
		}
		if r.Size == largest {
			s.Scaling, s.Limited, s.Share = r.Scaling.X, r.Limit, r.Cycles.X
			cycles += r.Cycles.X
		}
	}
	for _, s := range list {
		s.Share /= cycles
	}
	return list
}
