package thesis

import "math"

// Point is a place in the quadrant-split view: bandwidth to the right,
// throughput upwards, both linear. A kernel is a half-line from the origin
// whose slope is its intensity; a GPU above it is memory bound, one below it
// compute bound.
type Point struct{ GBps, GOPS float64 }

// Path is how a GPU's point moves to the kernel's line.
type Path struct {
	Peak     Point // (B_mem, T_op)
	Mix      Point // (B_mem, E_mix T_op)
	Adjusted Point // (B_mem, T'_op)
	OnLine   Point // what is expected: downwards or leftwards from Adjusted
}

// Path returns the points of a prediction for a GPU of that bandwidth.
func (p Prediction) Path(dramGBps float64) Path {
	q := Path{
		Peak: Point{dramGBps, p.PeakGOPS}, Mix: Point{dramGBps, p.MixGOPS}, Adjusted: Point{dramGBps, p.AdjustedGOPS},
		OnLine: Point{p.GOPS / p.KernelIntensity, p.GOPS},
	}
	if p.Bound == Memory {
		q.OnLine.GBps = dramGBps
	}
	return q
}

// DeviationRad is the angle from the kernel's line to the GPU's ray in radians;
// positive is the memory bound side (the toolkit's deviation_angle).
func (p Prediction) DeviationRad() float64 {
	if math.IsInf(p.KernelIntensity, 1) {
		return math.Atan(p.DeviceIntensity) - math.Pi/2
	}
	return math.Atan((p.DeviceIntensity - p.KernelIntensity) / (1 + p.DeviceIntensity*p.KernelIntensity))
}
