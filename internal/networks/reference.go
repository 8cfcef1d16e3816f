package networks

// An operation is a step of the computation that the launches carry out: what a
// layer means, without kernels. Operations make the reference results.
type operation struct {
	name string
	arithmetic
	in  []tensor
	out tensor
}

// arithmetic is a layer that is one operation, as it is defined, in float64.
type arithmetic interface {
	// compute returns the elements of out.
	compute(learned func(suffix string) []float64, in []values, out tensor) []float64
}

// values is a tensor with its elements.
type values struct {
	tensor
	at []float64
}

// Logits computes a chain of layers by its operations.
func (n Network) Logits() ([]float64, error) {
	b, err := n.build()
	if err != nil {
		return nil, err
	}
	results := map[string][]float64{"image": b.byName["image"].noise()}
	for _, op := range b.operations {
		learned := func(suffix string) []float64 { return b.byName[op.name+suffix].noise() }
		var in []values
		for _, t := range op.in {
			in = append(in, values{t, results[t.buffer]})
		}
		results[op.out.buffer] = op.compute(learned, in, op.out)
	}
	return results["logits"], nil
}

// noise returns a buffer's initial elements, as the manifest's format defines
// them, rounded to f32.
func (b *buffer) noise() []float64 {
	elements := make([]float64, b.Bytes/bytesPerElement)
	u := b.Init.Uniform
	for i := range elements {
		unit := float64(splitmix64(u.Seed*0x9E3779B97F4A7C15+uint64(i))>>40) / (1 << 24)
		scaled := float64((u.High - u.Low) * unit) // rounded before the sum
		elements[i] = float64(float32(u.Low + scaled))
	}
	return elements
}

// splitmix64 is one step of Steele, Lea and Flood's generator (OOPSLA 2014).
func splitmix64(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
