package order

// Some work on tensor memory is in order with other work, though nobody has waited for that:
// it is enough that the one was begun before the other, for the thread that begins the other
// knows that (PTX ISA, tcgen05 memory consistency model: pipelined instructions).

// The pipelines of work on tensor memory: copies, shifts, and from TensorProduct on products,
// one for each accumulator and shape.
const (
	TensorCopy uint16 = 1 + iota
	TensorShift
	TensorProduct uint16 = 1 << 15
)

// Pipelines are those that work is in order with: some by name, and if Products all of products.
type Pipelines struct {
	Some     [3]uint16
	Products bool
}

// Issue begins work of a lane now, in a pipeline, that is in order with that of some.
func (w *Warp) Issue(lane int, pipeline uint16, after Pipelines) {
	w.tick, w.pipeline = w.of.now(), pipeline
	w.Acquire(1<<lane, w.of.Release(1<<lane))
	w.After(after)
}

// After says which pipelines the next accesses are in order with.
func (w *Warp) After(after Pipelines) { w.after = after }

// follows reports whether the work is in order with that of a pipeline.
func (w *Warp) follows(pipeline uint16) bool { return w.after.Has(pipeline) }

// Has reports whether a pipeline is one of them.
func (p *Pipelines) Has(pipeline uint16) bool {
	switch {
	case pipeline == 0:
		return false
	case p.Products && pipeline >= TensorProduct:
		return true
	}
	return pipeline == p.Some[0] || pipeline == p.Some[1] || pipeline == p.Some[2]
}

// begun returns an access by work as one by the thread that began it, when it did; up is how
// much higher its warp's number is.
func (a *access) begun(up uint8) *access {
	b := *a
	if b.stream != 0 {
		b.stream, b.tick = 0, b.arg
	}
	b.flags &^= async
	b.warp -= up
	return &b
}
