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
	_ = register("CASA", maker{predictor: func(*Point) Predictor { return &broadcast{signs: true} }})
)

type broadcast struct {
	signs, history bool
	// last are the lanes whose last add carried into its highest slice.
	last uint32
}

// predict returns what the lanes of an addition are predicted, and learns: highest are those
// that carried into the highest slice.
func (b *broadcast) predict(lanes, signA, signB, highest uint32, slices int) uint32 {
	p := b.last
	if b.signs {
		p = p&(signA^signB) | signA&signB
	}
	if b.history && slices > 0 {
		b.last = b.last&^lanes | highest
	}
	return p
}

func (b *broadcast) guess(q *batch) {
	for i := range q.n {
		r := q.visit(i)
		to, highest := &r.guess[0], &r.truth[max(r.predicted-1, 0)]
		for k := r.from; k < r.n; k++ {
			k &= pageLength - 1
			to[k] = b.predict(r.lanes[0][k], r.signA[k], r.signB[k], highest[k], r.predicted)
		}
	}
}

func (b *broadcast) Step(x *Vectors, predicted *Masks) (doubtful uint32) {
	p := b.predict(x.Mask, x.SignA, x.SignB, x.True[max(x.Predicted-1, 0)], x.Predicted)
	for i := range x.Predicted {
		predicted[i] = p
	}
	return x.Mask
}
