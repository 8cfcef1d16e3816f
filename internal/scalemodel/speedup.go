package scalemodel

import (
	"fmt"

	"hyptx/internal/number"
)

// Duration is how long a simulation of a size took.
type Duration struct {
	Size    int
	Seconds float64
}

// Speedup is how much sooner the two scale models are simulated than a target.
type Speedup struct {
	Bench                  string
	Target                 int
	TargetSeconds, Seconds float64 // of the target, and of both scale models
}

// Times is the quotient.
func (s Speedup) Times() float64 { return s.TargetSeconds / s.Seconds }

// Speedups are those of all targets; the first two durations are the scale models'.
func Speedups(bench string, durations []Duration) ([]Speedup, error) {
	if len(durations) <= models {
		return nil, fmt.Errorf("%s: %d times of simulations: those of two scale models and of a target are needed", bench, len(durations))
	}
	both := 0.0
	var list []Speedup
	for i, d := range durations {
		switch {
		case !(d.Seconds > 0):
			return nil, fmt.Errorf("%s: size %d: %v seconds: must be above 0", bench, d.Size, d.Seconds)
		case i < models:
			both += d.Seconds
		default:
			list = append(list, Speedup{bench, d.Size, d.Seconds, both})
		}
	}
	return list, nil
}

// MeanSpeedup is the mean over the programs of one target.
func MeanSpeedup(list []Speedup, target int) number.Real {
	var times []float64
	for _, s := range list {
		if s.Target == target {
			times = append(times, s.Times())
		}
	}
	if times == nil {
		return number.Real{}
	}
	return number.Ratio(mean(times))
}
