package manifest

import (
	"iter"
	"math"

	"hyptx/internal/strictjson"
)

// What happens, in order: launches, and between them what a host program does to
// memory. Host steps have no row in a profile; they are there because what a
// launch counts may depend on them, as on a counter that is set to zero between
// two launches.

// Step is one of a launch, a copy, a memset, a write and a repeat; exactly one
// pointer is set.
type Step struct {
	Path   string
	Launch *Launch
	Copy   *Copy
	Memset *Memset
	Write  *Write
	Repeat *Repeat
}

// Copy copies bytes within global memory; the ranges may overlap, as in
// memmove.
type Copy struct {
	From, To Pointer
	Bytes    int64
}

// Memset fills a range with one element.
type Memset struct {
	To    Pointer
	Bytes int64
	Type  Type
	Value Number
	Bits  uint64 // Value in Type, in the low bytes
}

// Write gives a buffer or a symbol contents as if they were initial ones.
type Write struct {
	// Buffer is nil if Symbol is meant.
	Buffer *Buffer
	Symbol SymbolRef
	Init   *Init
	// Source are the contents for Buffer. Those of a symbol depend on its
	// type: Init.Source.
	Source Source
}

// Repeat runs steps several times.
type Repeat struct {
	Times int64
	Steps []Step
}

// All returns the steps in the order in which they happen, with every repeat
// written out: launches and host steps, no Repeat. There are at most MaxSteps.
func (m *Manifest) All() iter.Seq[*Step] {
	return func(yield func(*Step) bool) { walk(m.Steps, yield) }
}

// Labels are those of the launches, in order; "" of one without.
func (m *Manifest) Labels() (labels []string) {
	for step := range m.All() {
		if step.Launch != nil {
			labels = append(labels, step.Launch.Label)
		}
	}
	return labels
}

func walk(steps []Step, yield func(*Step) bool) bool {
	for i := range steps {
		s := &steps[i]
		if s.Repeat == nil {
			if !yield(s) {
				return false
			}
			continue
		}
		if len(s.Repeat.Steps) == 0 { // Times is not bounded then
			continue
		}
		for range s.Repeat.Times {
			if !walk(s.Repeat.Steps, yield) {
				return false
			}
		}
	}
	return true
}

// Fill writes the memset's bytes from offset on, relative to its start.
func (s *Memset) Fill(dst []byte, offset int64) error {
	return fillSource(s.Type.Size(), s.Bits).Fill(dst, offset)
}

func (r *reader) steps(o object, key string) []Step {
	var steps []Step
	for i, n := range o.Elements(key) {
		if r.Full() {
			return nil
		}
		s := Step{Path: strictjson.ElementPath(o.At(key), i)}
		if r.Expect(n, s.Path, strictjson.Map) {
			r.step(&s, n)
			steps = append(steps, s)
		}
	}
	return steps
}

// step reads one step: which it is, a key tells. A launch has no such key, but
// several that it must have, so that a step with a slip in its key reads as a
// launch that lacks them all.
func (r *reader) step(s *Step, n *strictjson.Node) {
	switch {
	case n.Get("repeat") != nil:
		r.repeat(s, n)
	case n.Get("copy") != nil:
		s.Copy = r.copy(n, s.Path)
	case n.Get("memset") != nil:
		s.Memset = r.memset(n, s.Path)
	case n.Get("write") != nil:
		s.Write = r.write(n, s.Path)
	default:
		s.Launch = r.launch(n, s.Path)
	}
}

func (r *reader) repeat(s *Step, n *strictjson.Node) {
	s.Repeat = &Repeat{}
	if o, ok := r.object(n, s.Path, "repeat", "steps"); ok && o.Need("steps") != nil {
		s.Repeat.Times, s.Repeat.Steps = o.Integer("repeat", 0, math.MaxInt32, 0), r.steps(o, "steps")
	}
}

// countSteps checks how many steps there are once repeats are written out: three
// repeats within each other are a line each and may stand for 10^27 launches.
func (r *reader) countSteps() {
	if n := expanded(r.m.Steps); n > MaxSteps {
		r.Fail("launches", "more than %d steps once every repeat is written out", MaxSteps)
	}
}

// expanded counts steps; it stops at one more than MaxSteps. A repeat counts
// itself too: repeating nothing often takes time as well.
func expanded(steps []Step) int64 {
	var n int64
	for i := range steps {
		k := int64(1)
		if rep := steps[i].Repeat; rep != nil {
			k += expanded(rep.Steps) * rep.Times // at most 2^21 * 2^31
		}
		if n += k; n > MaxSteps {
			return MaxSteps + 1
		}
	}
	return n
}

// inner reads the object at the only key of a host step.
func (r *reader) inner(n *strictjson.Node, path, key string, known ...string) (object, bool) {
	o, ok := r.object(n, path, key)
	if !ok {
		return o, false
	}
	return r.object(o.Get(key), o.At(key), known...)
}

func (r *reader) copy(n *strictjson.Node, path string) *Copy {
	o, ok := r.inner(n, path, "copy", "from", "to", "bytes")
	if !ok || o.Need("from") == nil || o.Need("to") == nil || o.Need("bytes") == nil {
		return nil
	}
	c := &Copy{Bytes: o.Integer("bytes", 1, math.MaxInt64, 0), From: r.pointer(o.Get("from"), o.At("from")), To: r.pointer(o.Get("to"), o.At("to"))}
	r.checkRange(o.At("from"), c.From, c.Bytes)
	r.checkRange(o.At("to"), c.To, c.Bytes)
	return c
}

func (r *reader) memset(n *strictjson.Node, path string) *Memset {
	o, ok := r.inner(n, path, "memset", "buffer", "offset", "bytes", "value", "type")
	if !ok || o.Need("bytes") == nil {
		return nil
	}
	sound := r.Watch()
	s := &Memset{To: Pointer{Buffer: o.buffer()}, Value: o.number("value"), Bytes: o.Integer("bytes", 1, math.MaxInt64, 0)}
	s.To.Offset = o.offset()
	if !s.To.Buffer.placed() || !sound() {
		return nil
	}
	s.Type = o.dtype("type", s.To.Buffer.Type)
	r.checkRange(o.Path, s.To, s.Bytes)
	if !sound() {
		return nil
	}
	if s.Bytes%int64(s.Type.Size()) != 0 {
		o.Fail("bytes", "%d bytes are no whole number of %s", s.Bytes, s.Type)
		return nil
	}
	var err error
	if s.Bits, err = s.Value.Bits(s.Type); err != nil {
		o.Fail("value", "%w", err)
	}
	return s
}

func (r *reader) write(n *strictjson.Node, path string) *Write {
	o, ok := r.inner(n, path, "write", "symbol", "buffer", "init")
	if !ok || o.Need("init") == nil {
		return nil
	}
	key, ok := o.One("symbol", "buffer")
	w := &Write{Init: r.init(o.Get("init"), o.At("init"))}
	if w.Init == nil || !ok {
		return nil
	}
	r.checkPointers(w.Init)
	if key == "symbol" {
		w.Symbol = o.symbolAt("symbol", nil)
	} else if w.Buffer = o.buffer(); w.Buffer.placed() {
		var err error
		if w.Source, err = w.Init.Source(w.Buffer.Type, w.Buffer.Bytes); err != nil {
			r.Fail(o.At("init"), "%w", err)
		}
	}
	return w
}
