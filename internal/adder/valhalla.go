package adder

// VaLHALLA (Gök and Hardavellas, GLSVLSI 2017) predicts one bit for all slices of an
// adder, by lane. Its algorithm is not public; the paper on ST² says that the
// prediction is static, by the operands, and dynamic, too. So these are three
// reconstructions [ours]: by the signs of the operands, and where they differ by what
// was carried into the highest slice in the lane's add before; by that alone; by the
// signs alone. The last one without correction is CASA, which it extends; the
// original's rule is not in the paper either.
var (
	_ = register("VaLHALLA", maker{uniform: func(*Point) uniform { return &broadcast{signs: true, history: true} }})
	_ = register("VaLHALLA-hist", maker{uniform: func(*Point) uniform { return &broadcast{history: true} }})
	_ = register("VaLHALLA-sign", maker{uniform: func(*Point) uniform { return &broadcast{signs: true} }})
	_ = register("CASA", maker{predictor: func(*Point) Predictor { return bySigns{} }})
)

type broadcast struct {
	signs, history bool
	// last are the lanes whose last add carried into its highest slice.
	last uint32
}

// guess predicts without a branch: signs and history are all ones in designs that look at them.
func (b *broadcast) guess(q *batch) {
	var signs, history uint32
	if b.signs {
		signs = ^signs
	}
	if b.history {
		history = ^history
	}
	last := b.last
	for i := range q.n {
		r := &q.runs[i]
		p := r.page
		to, lanes, highest := &p.guess[0], &p.lanes[0], &p.truth[max(p.predicted-1, 0)]
		learns := history
		if p.predicted == 0 {
			learns = 0
		}
		for k := r.from; k < r.n; k++ {
			k := k & (pageLength - 1)
			x, y := p.signA[k], p.signB[k]
			to[k] = last&(x^y|^signs) | x&y&signs
			last = last&^(lanes[k]&learns) | highest[k]&learns
		}
	}
	b.last = last
}

// bySigns is what VaLHALLA-sign predicts.
type bySigns struct{}

func (bySigns) Step(x *Vectors, predicted *Masks) (doubtful uint32) {
	p := x.SignA & x.SignB
	for i := range x.Predicted {
		predicted[i] = p
	}
	return x.Mask
}
