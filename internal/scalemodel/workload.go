package scalemodel

import (
	"errors"
	"fmt"
	"math"

	"hyptx/internal/number"
)

// Scenario is how the work grows with the GPU.
type Scenario string

// The scenarios: the same input on all sizes, an input as large as the GPU, and the
// same of chiplets. Only where the input stays can caches begin to hold it, so
// only strong scaling has cliffs.
const (
	Strong Scenario = "strong"
	Weak   Scenario = "weak"
	MCM    Scenario = "mcm"
)

// Workload is what is known of a program: its IPC on two scale models, and on
// larger sizes where these were measured or simulated, too.
type Workload struct {
	Name     string
	Scenario Scenario
	// Sizes ascend: those of the scale models, then the targets'.
	Sizes []int
	// IPC is that of each size; it has to be known of the scale models.
	IPC []number.Real
	// MPKI is that of each size, of strong scaling; nil if nobody knows: then there
	// is no cliff.
	MPKI []float64
	// FMem is the share of cycles, from 0 to less than 1.
	FMem number.Real
	// Assumed is what nobody gave of a program that was simulated, as in profile.csv.
	Assumed string
}

// models is how many sizes are scale models.
const models = 2

// FMemMost is the most that stands for an unknown f_mem: then the prediction is a
// range from none of the cycles to 0.9 of them (specification, 4).
const FMemMost = 0.9

// Check says what is wrong with a workload.
func (w *Workload) Check() error {
	switch {
	case len(w.Sizes) < models+1:
		return fmt.Errorf("%s: %d sizes: two scale models and at least one target are needed", w.Name, len(w.Sizes))
	case len(w.IPC) != len(w.Sizes):
		return fmt.Errorf("%s: %d IPCs of %d sizes", w.Name, len(w.IPC), len(w.Sizes))
	case w.MPKI != nil && len(w.MPKI) != len(w.Sizes):
		return fmt.Errorf("%s: %d MPKIs of %d sizes: the miss-rate curve needs all of them", w.Name, len(w.MPKI), len(w.Sizes))
	case w.FMem.Known && !(w.FMem.X >= 0 && w.FMem.X < 1):
		return fmt.Errorf("%s: f_mem of %v: must be from 0 to less than 1", w.Name, w.FMem.X)
	}
	return errors.Join(w.checkSizes(), w.checkNumbers())
}

func (w *Workload) checkSizes() error {
	for i, size := range w.Sizes {
		if size < 1 || i > 0 && size <= w.Sizes[i-1] {
			return fmt.Errorf("%s: sizes %v: must be positive and ascend", w.Name, w.Sizes)
		}
	}
	return nil
}

func (w *Workload) checkNumbers() error {
	for i, ipc := range w.IPC {
		if i < models && !ipc.Known {
			return fmt.Errorf("%s: the IPC of size %d is unknown: both scale models need theirs", w.Name, w.Sizes[i])
		}
		if ipc.Known && !(ipc.X > 0 && !math.IsInf(ipc.X, 0)) {
			return fmt.Errorf("%s: size %d: IPC of %v: must be above 0", w.Name, w.Sizes[i], ipc.X)
		}
	}
	for i, m := range w.MPKI {
		if !(m >= 0 && !math.IsInf(m, 0)) {
			return fmt.Errorf("%s: size %d: MPKI of %v: must not be negative", w.Name, w.Sizes[i], m)
		}
	}
	return nil
}

// step is how much larger the second scale model is than the first.
func (w *Workload) step() float64 { return float64(w.Sizes[1]) / float64(w.Sizes[0]) }

// C is the correction factor: how much more than proportionally the IPC grows from
// one scale model to the other (equation 1).
func (w *Workload) C() float64 { return w.IPC[1].X / w.IPC[0].X / w.step() }

// ToolC is the published tool's factor, 2 - 1/C: 1 + (IPC_L - r IPC_S) / IPC_L.
func (w *Workload) ToolC() float64 { return 2 - 1/w.C() }
