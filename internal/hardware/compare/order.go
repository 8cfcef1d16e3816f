package compare

import (
	"context"

	"hyptx/analysis"
)

// needsOrder reports whether a verdict has to know what depends on the order of
// threads: where something differs, and where a run with another order may have
// made it look right.
func needsOrder(v Verdict, order analysis.OrderDependence) bool {
	return v > Within && order != analysis.OrderFixed || v == Within && order == analysis.OrderOpen
}

// followed is how many warp instructions of a launch are followed at most. It is
// dozens of times slower than running them, so that a large network, whose code
// makes no more likely than an update in place, is not worth hours.
var followed = map[analysis.OrderDependence]int64{analysis.OrderUnlessRaces: 1 << 20, analysis.OrderOpen: 1 << 26}

// orderAfter runs a program that was opened as vary.Ordered to the end of a number
// of launches, -1 for all, to see what depends on the order of threads. A program
// that is too large for that, or that fails so, depends on it as a whole if its code
// says that it may.
func orderAfter(ctx context.Context, s *analysis.Session, order analysis.OrderDependence, outputs, launches int) ([][]bool, error) {
	s.Options.MaxInstructions = min(s.Options.MaxInstructions, followed[order])
	failed := s.CanFollowOrder()
	for failed == nil && s.Executed() != launches {
		_, ok, err := s.Step(ctx)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if failed = err; !ok {
			break
		}
	}
	if failed == nil {
		return s.Scheduled()
	}
	if order != analysis.OrderOpen {
		return nil, nil
	}
	all := make([][]bool, outputs)
	outs, err := s.Outputs()
	for i, o := range outs {
		all[i] = make([]bool, o.Len())
		for k := range all[i] {
			all[i][k] = true
		}
	}
	return all, err
}
