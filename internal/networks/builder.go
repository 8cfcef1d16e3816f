package networks

import (
	"fmt"
	"math"
	"path"
)

// bytesPerElement is the size of an f32.
const bytesPerElement = 4

// Lowering. A layer is turned into buffers and launches in one pass, in the order
// of the network: it gets the tensor before it, declares what it learns and what
// it leaves, and appends its launches. Buffers stand
// in the order in which they were declared, and seeds are counted in that order, so
// that the same table always makes the same file. Every layer has a buffer of its
// own for its result; scratch is shared and grows to the largest use.

// A builder collects what the layers lower to.
type builder struct {
	buffers      []*buffer
	byName       map[string]*buffer
	launches     []launch
	operations   []operation // what the launches compute
	seed         uint64      // of the last seeded buffer: every one has its own
	multiplyAdds int         // of convolutions and dense layers
	parameters   int         // what training would learn: weights, biases, gamma, beta
}

func newBuilder() *builder {
	return &builder{byName: map[string]*buffer{}}
}

// scratch makes sure that the named buffer exists, without contents, and holds
// at least count elements. Layers that share a scratch buffer use it in turn.
func (b *builder) scratch(name string, count int) {
	buf := b.byName[name]
	if buf == nil {
		buf = &buffer{Name: name, Type: "f32"}
		b.byName[name] = buf
		b.buffers = append(b.buffers, buf)
	}
	buf.Bytes = max(buf.Bytes, count*bytesPerElement)
}

// result declares the buffer of a layer's result.
func (b *builder) result(name string, channels, height, width int) tensor {
	t := tensor{buffer: name, channels: channels, height: height, width: width}
	b.fresh(name)
	b.scratch(name, t.count())
	return t
}

// uniform declares a buffer of seeded noise in [low, high].
func (b *builder) uniform(name string, count int, low, high float64) {
	b.fresh(name)
	b.scratch(name, count)
	b.seed++
	b.byName[name].Init = &initial{Uniform: &uniform{Seed: b.seed, Low: low, High: high}}
}

func (b *builder) fresh(name string) {
	if b.byName[name] != nil {
		panic(fmt.Sprintf("BUG: two buffers are named %s", name))
	}
}

// learned is uniform for what training would learn.
func (b *builder) learned(name string, count int, low, high float64) arg {
	b.uniform(name, count, low, high)
	b.parameters += count
	return ref(name)
}

// weights declares weights over fanIn inputs each, with a variance that keeps
// the second moment of the activations: 2/fanIn before a ReLU, which halves it
// (He et al. 2015, Delving Deep into Rectifiers, equation 10), 1/fanIn where
// nothing follows. The variance of a uniform distribution in ±b is b²/3.
func (b *builder) weights(name string, count, fanIn int, act activation) arg {
	gain := 6.0
	if act == none {
		gain = 3.0
	}
	bound := math.Sqrt(gain / float64(fanIn))
	bound = math.Round(bound*1e6) / 1e6
	return b.learned(name+".weights", count, -bound, bound)
}

// bias declares a small bias per channel, or passes null where there is none.
func (b *builder) bias(name string, channels int, present bool) arg {
	if !present {
		return arg{Null: true}
	}
	return b.learned(name+".bias", channels, -0.05, 0.05)
}

// An operation is a step of the computation that the launches carry out: what a layer
// means, without kernels. The reference results are made of operations.
type operation struct {
	name  string
	layer any
	in    []tensor
	out   tensor
}

// means notes what a layer's launches compute.
func (b *builder) means(name string, layer any, out tensor, in ...tensor) {
	b.operations = append(b.operations, operation{name, layer, in, out})
}

// launch appends a launch of a kernel, which stands in a file of its name.
func (b *builder) launch(label, kernel string, s shape, args ...arg) {
	b.launches = append(b.launches, launch{
		Label:              label,
		Module:             path.Join("..", "kernels", "sm_70", kernel+".ptx"),
		Kernel:             kernel,
		Grid:               trimmed(s.grid),
		Block:              trimmed(s.block),
		DynamicSharedBytes: s.dynamicSharedBytes,
		Args:               args,
	})
}
