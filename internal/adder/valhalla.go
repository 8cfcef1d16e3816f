package adder

// VaLHALLA (Gök and Hardavellas, GLSVLSI 2017) predicts one bit for all slices of an
// adder, by lane. Its algorithm is not public; the paper on ST² says that the
// prediction is static, by the operands, and dynamic, too. So these are three
// reconstructions [ours]: by the signs of the operands, and where they differ by what
// was carried into the highest slice in the lane's add before; by that alone; by the
// signs alone. The last one without correction is CASA, which it extends; the
// original's rule is not in the paper either.
var (
	_ = register("VaLHALLA", maker{signs: true, predictor: func(*Point, *width) Predictor { return &broadcast{signs: true, history: true} }})
	_ = register("VaLHALLA-hist", maker{predictor: func(*Point, *width) Predictor { return &broadcast{history: true} }})
	_ = register("VaLHALLA-sign", maker{signs: true, predictor: func(*Point, *width) Predictor { return &broadcast{signs: true} }})
	_ = register("CASA", maker{signs: true, uncorrected: true, predictor: func(*Point, *width) Predictor { return &broadcast{signs: true} }})
)

type broadcast struct {
	signs, history bool
	// last has all bits of lanes set whose last add carried into its highest slice.
	last Words
}

func (b *broadcast) Step(x *Vectors, _, predicted *Words) {
	for i := range x.words {
		p := b.last[i]
		if b.signs {
			p = p&(x.SignA[i]^x.SignB[i]) | x.SignA[i]&x.SignB[i]
		}
		predicted[i] = p
		if b.history {
			highest := uint64(0)
			if x.slices > 1 {
				highest = x.True[i] >> (x.slices - 2) & x.ones
			}
			active := x.whole(x.Valid[i])
			b.last[i] = b.last[i]&^active | (highest<<(x.element-1)-highest)&active
		}
	}
}
