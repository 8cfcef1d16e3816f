package gpu

import (
	"errors"
	"math"
	"strings"

	"hyptx/internal/strictjson"
)

// TimingFact is one number of a [Timing], for tables.
type TimingFact struct {
	Field
	From    string // "file", "compute capability 7.0", "memory HBM2" or the field that it follows from
	Assumed bool   // no document states it for this GPU, its memory or its compute capability
}

// fromFile is where facts of a GPU's own block "timing" are from.
const fromFile = "file"

// layer is a set of facts that stand in for each other; the first that has a path
// is taken.
type layer struct {
	from    string
	facts   Given
	assumed bool // of another GPU's kind
}

// resolver fills a [Timing] in the order of its places.
type resolver struct {
	g      *GPU
	t      *Timing
	layers []layer
	mhz    float64
	taken  map[string]TimingFact
}

// Timing returns what a simulation of time needs of the GPU: from its file's block
// "timing", else from other fields of the file, else from what its compute
// capability and its type of memory are known for. What nobody knows is an error
// of [UnknownError]s.
func (g *GPU) Timing() (*Timing, error) {
	capability, err := Need(g, "compute_capability", g.ComputeCapability)
	if err != nil {
		return nil, err
	}
	chain, err := defaultsOf(capability)
	if err != nil {
		return nil, err
	}
	mhz, err := g.ClockMHz()
	if err != nil {
		return nil, err
	}
	r := &resolver{g: g, t: &Timing{Capability: chain[0].name}, mhz: mhz, taken: map[string]TimingFact{}}
	r.stack(capability, chain)
	return r.t, r.fill()
}

// stack lists where facts are from, the best first.
func (r *resolver) stack(capability string, chain []*defaults) {
	var below []layer
	for _, d := range chain {
		below = append(below, layer{"compute capability " + d.name, d.facts, d.name != capability})
	}
	memory, known := "", r.g.DRAM.Type != nil
	if known {
		memory = r.g.DRAM.Type.Value
	} else if f := first(below, "dram.type"); f != nil {
		memory = f.Value.(string)
	}
	r.layers = []layer{{fromFile, r.g.Given, false}}
	if known {
		r.layers = append(r.layers, layer{"dram.type", Given{"dram.type": {Value: memory, Source: r.g.DRAM.Type.Source}}, false})
	}
	for d := memories()[memory]; d != nil; d = memories()[d.like] {
		r.layers = append(r.layers, layer{"memory " + d.name, d.facts, !known || d.name != memory})
	}
	r.layers = append(r.layers, below...)
}

// first returns the first fact of a path, nil if no layer has it.
func first(layers []layer, path string) *Fact[any] {
	for _, l := range layers {
		if f := l.facts[path]; f != nil {
			return f
		}
	}
	return nil
}

// fill finds each number; what has none is the error.
func (r *resolver) fill() error {
	var missing []error
	for _, p := range r.t.places() {
		f, value := r.find(p)
		if value == nil {
			if p.may != "lack" {
				missing = append(missing, r.g.Unknown("timing."+p.path))
			}
			continue
		}
		p.set(value)
		f.Path, f.Unit = p.path, unit(p.path)
		f.Value = inWords(value)
		r.taken[p.path] = f
		r.t.Facts = append(r.t.Facts, f)
		if f.Assumed {
			r.t.Assumed = append(r.t.Assumed, p.path)
		}
	}
	return errors.Join(missing...)
}

// find looks for a number: in the GPU's own block, its other fields, among the
// defaults, among what follows from numbers found before. nil is not found.
func (r *resolver) find(p place) (TimingFact, any) {
	if f := r.g.Given[p.path]; f != nil {
		return TimingFact{Field{Source: f.Source}, fromFile, guessed(f.Source)}, f.Value
	}
	for _, o := range ownFacts[p.path] {
		if v, source, ok := o.fact(r.g); ok {
			f := TimingFact{Field{Source: source}, o.field, guessed(source) || o.rule != ""}
			if o.rule != "" {
				f.Source = "[ours] " + o.rule + "; " + o.field + ": " + source
			}
			if o.turn != nil {
				v = o.turn(r, p.path, v)
			}
			return f, v
		}
	}
	for _, l := range r.layers {
		if f := l.facts[p.path]; f != nil {
			return TimingFact{Field{Source: f.Source}, l.from, l.assumed || guessed(f.Source)}, f.Value
		}
	}
	if d, ok := derived[p.path]; ok && r.taken[d.from].Path != "" {
		base := r.taken[d.from]
		f := TimingFact{Field{Source: base.Source}, d.from, base.Assumed || d.rule != ""}
		if d.rule != "" {
			f.Source = "[ours] " + d.rule
		}
		return f, d.value(r.t)
	}
	return TimingFact{}, nil
}

// below returns the default of a number, were there nothing in the GPU's file.
func (r *resolver) below(path string) float64 {
	if f := first(r.layers[1:], path); f != nil {
		return f.Value.(float64)
	}
	return 0
}

// inWords writes a number for a table, with at most four decimals.
func inWords(value any) string {
	if v, ok := value.(float64); ok {
		value = math.Round(v*1e4) / 1e4
	}
	return (&Fact[any]{Value: value}).text()
}

// guessed reports whether a source says that no document was read.
func guessed(source string) bool {
	return strings.HasPrefix(source, "[") || strings.HasPrefix(source, "guess") || strings.Contains(source, "known by heart")
}

// checkTiming finds numbers of the block "timing" that contradict each other.
func (r *reader) checkTiming(g *GPU) {
	for path, f := range g.Given {
		at := strictjson.KeyPath("timing", path)
		if v, ok := f.Value.(float64); ok && strings.HasSuffix(path, "_share") && v > 1 {
			r.Fail(at+".value", "%v is more than all of it (1)", v)
		} else if ok && v > mostCycles && strings.HasSuffix(path, "_cycles") {
			r.Fail(at+".value", "%v is beyond every GPU (%d)", v, mostCycles)
		}
	}
	for _, kind := range indexNames[len(Timing{}.Kinds)] {
		also := g.Given["kinds."+kind+".also"]
		if also != nil && also.Value != UnitNone.String() && g.Given["kinds."+kind+".also_cycles"] == nil {
			r.Fail("timing.kinds."+kind, "has %q without %q", "also", "also_cycles")
		}
	}
}

const mostCycles = 100_000
