package thesis

import (
	"fmt"
	"math"
)

// Rates is what a GPU can do (table 4.3), measured by micro-benchmarks or, as
// the thesis allows without the hardware, from data sheets. A rate that nobody
// knows is 0.
type Rates struct {
	SPGFLOPS float64 // T_SP: fp32 multiply-adds, two operations each
	DPGFLOPS float64 // T_DP: fp64 multiply-adds, two operations each
	IntGIOPS float64 // T_int: integer multiply-adds, two operations each
	AddGIOPS float64 // T_add: integer additions
	LdStGOPS float64 // T_ldst: loads and stores of shared memory, by threads
	DRAMGBps float64 // B_mem: 1e9 bytes/s
}

// Weights say what an instruction of each kind costs, an fp32 multiply-add
// being 1 (4.10 to 4.12).
type Weights struct{ Op, LdSt, Other float64 }

// Ops returns T_op (4.9), 0 if it is not known.
func (r Rates) Ops(t Type) float64 {
	switch t {
	case FP64:
		return r.DPGFLOPS
	case Integer:
		return r.IntGIOPS
	}
	return r.SPGFLOPS
}

// Weights returns what the kinds of instructions cost in a kernel of a type.
func (r Rates) Weights(t Type) (Weights, error) {
	op := r.Ops(t)
	for _, need := range []struct {
		name string
		rate float64
	}{{"T_SP", r.SPGFLOPS}, {typeRate(t), op}, {"T_ldst", r.LdStGOPS}, {"T_add", r.AddGIOPS}} {
		if !(need.rate > 0) || math.IsInf(need.rate, 0) {
			return Weights{}, fmt.Errorf("%s is %g: a prediction for a kernel of type %s needs it, measured or from a data sheet", need.name, need.rate, t)
		}
	}
	half := r.SPGFLOPS / 2 // instructions, not operations
	return Weights{Op: r.SPGFLOPS / op, LdSt: half / r.LdStGOPS, Other: half / r.AddGIOPS}, nil
}

func typeRate(t Type) string {
	return map[Type]string{FP32: "T_SP", FP64: "T_DP", Integer: "T_int"}[t]
}

// Attainable is the classic roofline (2.3): operations/s at an intensity, in
// the unit of peak (Gops/s), with a bandwidth in GB/s; memoryBound is whether
// bandwidth is what limits it, which it is at the ridge, too.
func Attainable(peak, bandwidth, intensity float64) (gops float64, memoryBound bool) {
	if intensity > peak/bandwidth {
		return peak, false
	}
	return intensity * bandwidth, true
}
