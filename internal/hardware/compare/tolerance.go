package compare

import (
	"context"
	"fmt"
	"slices"

	"hyptx/analysis"
	"hyptx/internal/vary"
	"hyptx/ir/isa"
)

// Opener opens the program anew, to be run on its own memory as a variation
// says (analysis.Options.Variation; nil for the emulator as it is).
type Opener func(*vary.Variation) (*analysis.Session, error)

// Tolerance is what runs of the program as other machines left.
type Tolerance struct {
	// Runs each are as right as the emulator's own.
	Runs []Run
	// Probe, if not nil, is the run in which results without a documented bound
	// are moved: what it changes has no bound.
	Probe *Run
	// Order says which elements of each output may depend on the order of threads:
	// nil if it is not known, or if none does.
	Order [][]bool
}

// Run is what one variation left in the outputs, or the error it ended with.
type Run struct {
	Variation *vary.Variation
	Outputs   []analysis.Output
	Err       error
}

// Vary runs the program as each variation that its open results need. A
// variation that ends in an error (a moved result may become a wrong address)
// is kept with it; only an interrupted run is an error of Vary itself.
func Vary(ctx context.Context, open Opener, results []Open, order analysis.OrderDependence) (*Tolerance, error) {
	t := &Tolerance{}
	sums, err := recorded(ctx, open, results)
	if err != nil {
		return nil, err
	}
	for _, v := range variations(sums, results, order) {
		r, err := runAs(ctx, open, v)
		switch {
		case err != nil:
			return nil, err
		case v.Unbounded:
			t.Probe = &r
		default:
			t.Runs = append(t.Runs, r)
		}
	}
	return t, nil
}

// variations lists those that a program's open results and its order need.
func variations(sums *vary.Sums, results []Open, order analysis.OrderDependence) []*vary.Variation {
	var list []*vary.Variation
	if len(results) > 0 {
		list = vary.Standard(sums)
	}
	if order == analysis.OrderOpen {
		list = append(list, vary.Reversed())
	}
	if slices.ContainsFunc(results, func(o Open) bool { return o.unbounded }) {
		list = append(list, vary.Unbounded())
	}
	return list
}

// recorded runs the program to record the totals of its atomic additions; nil
// if it has none.
func recorded(ctx context.Context, open Opener, results []Open) (*vary.Sums, error) {
	if !slices.ContainsFunc(results, func(o Open) bool { return o.reason == isa.Reordered }) {
		return nil, nil
	}
	sums := &vary.Sums{}
	r, err := runAs(ctx, open, &vary.Variation{Name: "recording", Record: true, Sums: sums})
	switch {
	case err != nil:
		return nil, err
	case r.Err != nil:
		return nil, r.Err
	case sums.Full():
		return nil, fmt.Errorf("atomic floating-point additions at more than %d places: their totals cannot be kept, and so there is no bound", sums.Len())
	}
	return sums, nil
}

// runAs runs the program as a variation. The error is one of opening it, or of
// an end that was asked for.
func runAs(ctx context.Context, open Opener, v *vary.Variation) (Run, error) {
	r := Run{Variation: v}
	s, err := open(v)
	if err != nil {
		return r, err
	}
	r.Outputs, r.Err = s.Run(ctx)
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	return r, nil
}
