package scalemodel

import (
	"fmt"
	"math"

	"hyptx/internal/number"
)

// Method is a way to predict.
type Method string

// The methods: the tool's rule, the paper's equations, and fits through the two
// scale models. The paper's proportional fit starts from the smallest model, though
// its text starts from the larger one.
const (
	Tool                Method = "scale_model_tool"
	Equation            Method = "scale_model_equation"
	Linear              Method = "linear"
	PowerLaw            Method = "power_law"
	Proportional        Method = "proportional_from_smallest"
	ProportionalLargest Method = "proportional_from_largest"
	Logarithmic         Method = "logarithmic"
)

// Methods are all of them, in the order of rows and of pictures.
var Methods = []Method{Tool, Equation, Linear, PowerLaw, Proportional, ProportionalLargest, Logarithmic}

// Point is what is predicted of one size.
type Point struct {
	Size   int
	Region Region
	// IPC is unknown at a cliff of which f_mem is, and past it; and where the method says
	// nothing at all.
	IPC number.Real
	// Low and High are the range that an unknown f_mem leaves, from 0 to [FMemMost];
	// both are the IPC where that is known.
	Low, High float64
}

// Prediction is what a method predicts of a workload.
type Prediction struct {
	Method Method
	// Cliff is the place of the first size past the cliff, or [NoCliff].
	Cliff  int
	Points []Point // of all sizes; those of the scale models are as measured
	// Missing is why the method says nothing of the targets, "" where it does.
	Missing string
}

// Warning says what the models do not cover; "" if nothing.
func (p *Prediction) Warning() string {
	if p.Cliff > NoCliff && p.Cliff < models {
		return fmt.Sprintf("the cliff lies between the scale models, at size %d: C has it in, and all targets are taken to be past it", p.Points[p.Cliff].Size)
	}
	return ""
}

// Predict predicts the IPC of all sizes. Only the scale models' IPC, the MPKI and
// f_mem are looked at: what is known of the targets is for [Judge].
func (w *Workload) Predict(m Method, d Detector) (*Prediction, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	p := &Prediction{Method: m, Cliff: NoCliff}
	if m == Tool || m == Equation {
		if m == Tool && w.ToolC() <= 0 {
			p.Missing = fmt.Sprintf("the larger scale model has no more than half of the proportional IPC (C = %.4f): the tool's factor 2 - 1/C is not positive", w.C())
		}
		if w.Scenario == Strong {
			p.Cliff = d.Cliff(w.MPKI)
		}
	}
	for i, size := range w.Sizes {
		at := Point{Size: size, Region: region(i, p.Cliff), IPC: number.Ratio(w.ipc(m, i, p.Cliff, w.FMem.X))}
		at.Low, at.High = at.IPC.X, at.IPC.X
		if p.Missing != "" && i >= models {
			at = Point{Size: size, Region: at.Region}
		}
		if p.Cliff >= models && i >= p.Cliff && !w.FMem.Known && p.Missing == "" {
			at.IPC = number.Real{}
			at.Low, at.High = w.ipc(m, i, p.Cliff, 0), w.ipc(m, i, p.Cliff, FMemMost)
		}
		p.Points = append(p.Points, at)
	}
	return p, nil
}

// ipc is what a method says of the i-th size.
func (w *Workload) ipc(m Method, i, cliff int, fMem float64) float64 {
	if i < models {
		return w.IPC[i].X
	}
	s, l, t := float64(w.Sizes[0]), float64(w.Sizes[1]), float64(w.Sizes[i])
	ipcS, ipcL := w.IPC[0].X, w.IPC[1].X
	switch m {
	case Proportional:
		return ipcS * t / s
	case ProportionalLargest:
		return ipcL * t / l
	case Linear:
		return ipcS + (ipcL-ipcS)/(l-s)*(t-s)
	case PowerLaw:
		return ipcS * math.Pow(t/s, math.Log(ipcL/ipcS)/math.Log(l/s))
	case Logarithmic:
		return ipcS + (ipcL-ipcS)/math.Log(l/s)*math.Log(t/s)
	}
	if cliff >= models && i > cliff { // both models start anew from the first size past it
		return w.grown(m, w.ipc(m, cliff, cliff, fMem), float64(w.Sizes[cliff]), t)
	}
	if cliff >= models && i == cliff {
		if m == Equation {
			return ipcL * t / l / (1 - fMem) // equation 3 has no C
		}
		return w.grown(m, ipcL, l, t) / (1 - fMem)
	}
	return w.grown(m, ipcL, l, t)
}

// grown is the IPC of size t where that of a smaller size is known and no cliff
// lies between. Equations 2 and 4 have C once, however far t is. The tool multiplies
// by c, c², c³ from doubling to doubling, which is c^(k(k+1)/2) after k of them; k
// need not be whole.
func (w *Workload) grown(m Method, ipc, from, t float64) float64 {
	if m == Equation {
		return ipc * t / from * w.C()
	}
	k := math.Log(t/from) / math.Log(w.step())
	return ipc * t / from * math.Pow(w.ToolC(), k*(k+1)/2)
}
