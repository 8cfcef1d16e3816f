package machine

import (
	"hyptx/internal/pipe"
	"hyptx/ir/isa"
)

// tally is how many integer instructions of each kind compute something.
type tally struct{ mul, wide, shift, add int }

func (w tally) all() int { return w.mul + w.wide + w.shift + w.add }

func (w tally) plus(v tally) tally {
	return tally{w.mul + v.mul, w.wide + v.wide, w.shift + v.shift, w.add + v.add}
}

// integers charges for a tally on node d: products first, then what adds them up.
func (p *bill) integers(d *node, w tally) {
	p.chargeFloat(d, w.shift, 0, isa.Integer, pipe.IntShift)
	p.chargeFloat(d, w.mul, 0, isa.Integer, pipe.IntMul)
	p.chargeFloat(d, w.wide, 0, isa.Integer, pipe.IntMulWide)
	p.chargeFloat(d, w.add, 0, isa.Integer, pipe.IntAdd)
}
