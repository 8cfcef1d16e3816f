package thesis

import (
	"errors"
	"fmt"
	"math"
)

// Bound is what limits a kernel on a GPU.
type Bound string

// The bounds. A kernel on the ridge is memory bound (4.18).
const (
	Compute Bound = "Compute"
	Memory  Bound = "Memory"
)

// IntegerMode says what an integer instruction of an integer kernel costs.
type IntegerMode string

// The modes. MAD charges a multiply-add for each, which may be pessimistic; Add
// an addition (5.2.6, 6.2.1; the toolkit's "optimistic").
const (
	MAD IntegerMode = "mad"
	Add IntegerMode = "add"
)

// Adjusted is what a GPU can do for a kernel, its memory aside.
type Adjusted struct {
	Weights
	PeakGOPS              float64 // T_op
	MixGOPS               float64 // E_mix T_op
	AdjustedGOPS          float64 // T'_op (4.17)
	MixEfficiency         float64 // E_mix that was used: 1 in mode Add
	OpCost                float64 // C_op (4.13)
	LdStCost              float64 // C_ldst (4.14)
	OtherCost             float64 // C_other (4.15)
	InstructionEfficiency float64 // E_instr (4.16)
	IssueSeconds          float64 // all instructions, one after the other
}

// Prediction is what the model says of a kernel on a GPU.
type Prediction struct {
	Adjusted
	KernelIntensity float64 // O_krn, operations/byte; +Inf without traffic
	DeviceIntensity float64 // O_dev of the adjusted rate
	Bound           Bound
	GOPS            float64 // T_predicted (4.18), 0 for a kernel without operations
	DRAMGBps        float64 // bandwidth in use
	MemorySeconds   float64 // W_traf / B_mem
	Seconds         float64
}

// Adjust computes 4.9 to 4.17.
func Adjust(k Kernel, r Rates, mode IntegerMode) (Adjusted, error) {
	w, err := r.Weights(k.Type)
	if err != nil {
		return Adjusted{}, err
	}
	a := Adjusted{Weights: w, PeakGOPS: r.Ops(k.Type), MixEfficiency: k.MixEfficiency}
	if k.Type == Integer && mode == Add {
		a.PeakGOPS, a.MixEfficiency, a.Weights.Op = r.AddGIOPS, 1, w.Other
	}
	a.OpCost = k.OpsDensity * a.Weights.Op
	a.LdStCost = k.LdStDensity * a.Weights.LdSt
	a.OtherCost = k.OtherDensity * a.Weights.Other
	sum := a.OpCost + a.LdStCost + a.OtherCost
	if !(sum > 0) {
		return Adjusted{}, fmt.Errorf("densities of %g, %g and %g: the instructions cost nothing", k.OpsDensity, k.LdStDensity, k.OtherDensity)
	}
	a.InstructionEfficiency = a.OpCost / sum
	a.MixGOPS = a.MixEfficiency * a.PeakGOPS
	a.AdjustedGOPS = a.MixEfficiency * a.InstructionEfficiency * a.PeakGOPS
	a.IssueSeconds = k.slots() * sum / (r.SPGFLOPS / 2 * 1e9)
	return a, nil
}

// Predict computes 4.9 to 4.18 and the time.
//
// E_mix cancels: for every K_type the time is the larger of IssueSeconds and
// MemorySeconds. A kernel without operations, of which 4.18 knows no rate, is
// given that time.
func Predict(k Kernel, r Rates, mode IntegerMode) (Prediction, error) {
	a, err := Adjust(k, r, mode)
	if err != nil {
		return Prediction{}, err
	}
	if !(r.DRAMGBps > 0) || math.IsInf(r.DRAMGBps, 0) {
		return Prediction{}, errors.New("B_mem is not known: a prediction needs it, measured or from a data sheet")
	}
	p := Prediction{Adjusted: a, KernelIntensity: k.Intensity(), DeviceIntensity: a.AdjustedGOPS / r.DRAMGBps,
		MemorySeconds: k.TrafficBytes / (r.DRAMGBps * 1e9), Bound: Compute}
	if k.Ops == 0 {
		p.Seconds = max(p.IssueSeconds, p.MemorySeconds)
		if p.MemorySeconds >= p.IssueSeconds {
			p.Bound = Memory
		}
	} else {
		var memory bool
		if p.GOPS, memory = Attainable(a.AdjustedGOPS, r.DRAMGBps, p.KernelIntensity); memory {
			p.Bound = Memory
		}
		p.Seconds = k.Ops / (p.GOPS * 1e9)
	}
	if p.Seconds > 0 {
		p.DRAMGBps = k.TrafficBytes / p.Seconds / 1e9
	}
	return p, nil
}
