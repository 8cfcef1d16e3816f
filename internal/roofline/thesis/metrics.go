package thesis

import (
	"errors"
	"fmt"
	"math"
)

// Type is the kind of operation that a kernel is for: the thesis' K_type.
type Type string

// The types.
const (
	FP32    Type = "fp32"
	FP64    Type = "fp64"
	Integer Type = "int"
)

// Rule says how K_type is chosen.
type Rule string

// The rules. Any is the thesis' (4.2.2): fp64 if there is any fp64 instruction,
// else fp32 if there is any, else integer. Most is that of the author's
// toolkit: the floating-point type with the most instructions, integer only if
// there is none.
const (
	Any  Rule = "any"
	Most Rule = "most"
)

// Metrics are the counters that the model reads (table 4.1), over all
// invocations of a kernel. All but WarpInstructions and the DRAM sectors count
// active lanes whose guard holds.
type Metrics struct {
	FMA32, FMA64         float64 // multiply-adds; each counts 1
	FP32, FP64           float64 // floating-point instructions; a multiply-add counts 1
	Integer              float64 // integer instructions
	LdSt                 float64 // loads and stores; one each, however wide
	WarpInstructions     float64 // instructions executed by warps
	DRAMReads, DRAMWrite float64 // 32-byte sectors
}

// SectorBytes is the size of a DRAM transaction (4.2).
const SectorBytes = 32

// warpLanes turns warp instructions into thread-instruction slots (4.5). It is
// 32 for AMD's GPUs, too: the metrics come from NVIDIA's.
const warpLanes = 32

// Type returns K_type by a rule.
func (m Metrics) Type(rule Rule) Type {
	switch {
	case rule == Most && m.FP64 > 0 && m.FP64 >= m.FP32, rule != Most && m.FP64 > 0:
		return FP64
	case m.FP32 > 0:
		return FP32
	}
	return Integer
}

// Kernel is a kernel as the model sees it (table 4.2). Efficiencies and
// densities are fractions.
type Kernel struct {
	Type          Type
	Ops           float64 // W_comp: operations of the type
	TrafficBytes  float64 // W_traf: bytes to and from DRAM
	MixEfficiency float64 // E_mix: share of the rate that the mix of multiply-adds and others can use
	OpsDensity    float64 // D_ops: instructions of the type per slot
	LdStDensity   float64 // D_ldst
	OtherDensity  float64 // D_other: the rest, idle lanes among it
	// Slots are I_total, thread-instruction slots; 0 if nobody knows. Only a
	// kernel without operations needs them.
	Slots float64
}

// Kernel returns the kernel parameters (4.1 to 4.8).
func (m Metrics) Kernel(rule Rule) (Kernel, error) {
	if err := m.check(); err != nil {
		return Kernel{}, err
	}
	k := Kernel{Type: m.Type(rule), TrafficBytes: SectorBytes * (m.DRAMReads + m.DRAMWrite), Slots: warpLanes * m.WarpInstructions}
	instructions, fma := m.Integer, 0.0 // 4.4
	switch k.Type {
	case FP32:
		instructions, fma = m.FP32, m.FMA32
	case FP64:
		instructions, fma = m.FP64, m.FMA64
	}
	k.Ops = instructions + fma // 4.1
	k.MixEfficiency = 0.5      // 4.3, integer
	if instructions > 0 {
		k.MixEfficiency = (instructions + fma) / (2 * instructions)
	}
	k.OpsDensity = instructions / k.Slots
	k.LdStDensity = m.LdSt / k.Slots
	k.OtherDensity = 1 - k.OpsDensity - k.LdStDensity
	return k, nil
}

func (m Metrics) check() error {
	for _, x := range []float64{m.FMA32, m.FMA64, m.FP32, m.FP64, m.Integer, m.LdSt, m.WarpInstructions, m.DRAMReads, m.DRAMWrite} {
		if x < 0 || math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("a counter is %g: counts are finite and not negative", x)
		}
	}
	if m.WarpInstructions == 0 {
		return errors.New("no warp instructions: nothing was executed")
	}
	return nil
}

// Intensity is O_krn in operations per byte; +Inf without traffic.
func (k Kernel) Intensity() float64 {
	if k.TrafficBytes == 0 {
		return math.Inf(1)
	}
	return k.Ops / k.TrafficBytes
}

// slots returns I_total: given, or what W_comp, E_mix and D_ops imply.
func (k Kernel) slots() float64 {
	if k.Slots == 0 && k.OpsDensity > 0 {
		return k.Ops / (2 * k.MixEfficiency * k.OpsDensity)
	}
	return k.Slots
}

// Plus adds the counters of two kernels.
func (m Metrics) Plus(n Metrics) Metrics {
	return Metrics{m.FMA32 + n.FMA32, m.FMA64 + n.FMA64, m.FP32 + n.FP32, m.FP64 + n.FP64, m.Integer + n.Integer, m.LdSt + n.LdSt,
		m.WarpInstructions + n.WarpInstructions, m.DRAMReads + n.DRAMReads, m.DRAMWrite + n.DRAMWrite}
}
