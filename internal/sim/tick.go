package sim

import "math"

// Tick is a time, or a span of it, in parts of a cycle of the SMs' clock.
type Tick int64

// ticksPerCycle divides a cycle finely enough for units whose interval is no whole
// number of cycles, as Kepler's (2/3).
const ticksPerCycle = 64

// never is later than all times.
const never Tick = math.MaxInt64 / 4

// Cycles returns a span of cycles as ticks, to the nearest.
func Cycles(c float64) Tick { return Tick(math.Round(c * ticksPerCycle)) }

// Cycles returns a span in cycles.
func (t Tick) Cycles() float64 { return float64(t) / ticksPerCycle }

// roundUp returns the first beginning of a cycle that is not before t.
func (t Tick) roundUp() Tick { return (t + ticksPerCycle - 1) &^ (ticksPerCycle - 1) }
