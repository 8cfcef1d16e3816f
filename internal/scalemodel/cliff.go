package scalemodel

import "math"

// Detector is a rule that says where a miss-rate curve has its cliff.
type Detector string

// The detectors: the paper's text, and what its tool tests besides.
const (
	RatioDetector Detector = "ratio"
	ToolDetector  Detector = "tool"
)

// cliffRatio: the MPKI falls by more than this as capacity doubles (paper, III).
const cliffRatio = 2

// NoCliff: the curve has none.
const NoCliff = -1

// Cliff returns the first size past the cliff of a curve, by its place in the
// curve, or [NoCliff].
//
// The tool asks besides that the MPKI be off its running mean by more than twice the
// variance of the running means. That has squared units, so whether it holds depends
// on the unit: of 10, 10, 1, 1, 1 it sees no cliff.
func (d Detector) Cliff(mpki []float64) int {
	means := runningMeans(mpki)
	spread := variance(means)
	for i := 1; i < len(mpki); i++ {
		falls := mpki[i] > 0 && mpki[i-1]/mpki[i] > cliffRatio || mpki[i] == 0 && mpki[i-1] > 0
		if falls && (d != ToolDetector || math.Abs(mpki[i]-means[i]) > 2*spread) {
			return i
		}
	}
	return NoCliff
}

// runningMeans are those of the first i values.
func runningMeans(values []float64) []float64 {
	sum, means := 0.0, make([]float64, len(values))
	for i, v := range values {
		sum += v
		means[i] = sum / float64(i+1)
	}
	return means
}

// mean is 0 of no values.
func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return runningMeans(values)[len(values)-1]
}

// variance is that of the values as a whole population.
func variance(values []float64) float64 {
	m, sum := mean(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return sum / float64(max(len(values), 1))
}

// Region is where a size lies.
type Region string

// The regions.
const (
	PreCliff  Region = "pre"
	AtCliff   Region = "cliff"
	PostCliff Region = "post"
)

// region is that of the i-th size. A cliff between the scale models is past for
// all targets.
func region(i, cliff int) Region {
	switch {
	case cliff == NoCliff || i < cliff:
		return PreCliff
	case i == cliff && i >= models:
		return AtCliff
	}
	return PostCliff
}
