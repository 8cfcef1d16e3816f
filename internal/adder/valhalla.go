package adder

// VaLHALLA (Gök and Hardavellas, GLSVLSI 2017) predicts one bit for all slices of an
// adder, by lane. Its algorithm is not public; the paper on ST² says that the
// prediction is static, by the operands, and dynamic, too. So these are three
// reconstructions [ours]: by the signs of the operands, and where they differ by what
// was carried into the highest slice in the lane's add before; by that alone; by the
// signs alone. The last one without correction is CASA, which it extends; the
// original's rule is not in the paper either.
var (
	_ = register("VaLHALLA", maker{predictor: func(*Point) Predictor { return &broadcast{signs: true, history: true} }})
	_ = register("VaLHALLA-hist", maker{predictor: func(*Point) Predictor { return &broadcast{history: true} }})
	_ = register("VaLHALLA-sign", maker{predictor: func(*Point) Predictor { return &broadcast{signs: true} }})
	_ = register("CASA", maker{uncorrected: true, predictor: func(*Point) Predictor { return &broadcast{signs: true} }})
)

type broadcast struct {
	signs, history bool
	// last are the lanes whose last add carried into its highest slice.
	last uint32
}

func (b *broadcast) guess(x *Vectors) uint32 {
	p := b.last
	if b.signs {
		p = p&(x.SignA^x.SignB) | x.SignA&x.SignB
	}
	if b.history && x.Predicted > 0 {
		b.last = b.last&^x.Mask | x.True[x.Predicted-1]
	}
	return p
}

func (b *broadcast) Step(x *Vectors, _, predicted *Masks) {
	p := b.guess(x)
	for i := range x.Predicted {
		predicted[i] = p
	}
}
