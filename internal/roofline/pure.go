package roofline

import (
	"errors"

	"hyptx/internal/roofline/thesis"
)

// In closed form (substitute 4.1 to 4.17 into 4.18; the mix of operations cancels) the
// thesis says
//
//	t = max( I_total (C_op + C_ldst + C_other) / (T_SP/2),  W_traf / B_mem )
//
// one pipeline that issues one fp32 multiply-add a slot, against DRAM. A test holds
// the equations as printed to this.

// Thesis is the thesis' model, pure: the longer of the time to issue all
// instructions on a GPU that is full and the time to move W_traf at B_mem. It
// has neither launches nor latency nor caches, and needs of a GPU its rates
// alone.
var Thesis = &Model{
	Name:    "thesis",
	About:   "Konstantinidis 2017, pure",
	Lacks:   func(*Device) error { return nil },
	Predict: predictPure,
}

func predictPure(l *Launch, k thesis.Kernel, d *Device, o Options) (t Time, err error) {
	a, err := thesis.Adjust(k, d.Rates, o.Integer)
	if err != nil {
		return t, err
	}
	t.IssueUs = finite(1e6 * a.IssueSeconds)
	if !l.Traffic.DRAM().Known {
		return t, errors.New("the DRAM traffic is unknown")
	}
	p, err := thesis.Predict(k, d.Rates, o.Integer)
	if err != nil {
		return t, err
	}
	t.MemUs, t.Us, t.Bound = finite(1e6*p.MemorySeconds), finite(1e6*p.Seconds), p.Bound
	t.GOPS, t.UsedGBps = finite(p.GOPS), finite(p.DRAMGBps)
	return t, nil
}
