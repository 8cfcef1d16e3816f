package networks

import "fmt"

// Network is a network over one image: a chain of layers, or a graph of them that ends in
// a dense layer of 1000 classes.
type Network struct {
	Name   string
	paper  string // where the shapes are published
	image  tensor
	layers []step
	family family // of a graph
}

// A step is a layer with its name, which its launches and buffers carry.
type step struct {
	name  string
	layer layer
}

// A layer lowers itself to launches.
type layer interface {
	// lower appends the layer's buffers and launches, and returns its result.
	lower(b *builder, name string, in tensor) tensor
}

// A tensor is an f32 buffer in CHW order.
type tensor struct {
	buffer                  string
	channels, height, width int
}

// area returns the elements of one channel.
func (t tensor) area() int { return t.height * t.width }

// count returns the elements of the whole tensor.
func (t tensor) count() int { return t.channels * t.area() }

// build lowers the layers in turn.
func (n Network) build() (*builder, error) {
	b := newBuilder()
	t := n.image
	t.buffer = "image"
	b.uniform(t.buffer, t.count(), -1, 1)
	layers := n.layers
	if n.family != nil {
		t = n.family(&graph{builder: b, named: map[string]int{}}, t)
		layers = []step{{"logits", dense{outputs: 1000}}, {"probabilities", softmax{}}}
	}
	for _, s := range layers {
		t = s.layer.lower(b, s.name, t)
		if t.count() <= 0 {
			return nil, fmt.Errorf("%s: layer %s: its result is empty (%d x %d x %d)", n.Name, s.name, t.channels, t.height, t.width)
		}
	}
	return b, nil
}

// Manifest returns the network's launch manifest. Its modules are named relative to a
// folder beside that of the kernels.
func (n Network) Manifest() ([]byte, error) {
	b, err := n.build()
	if err != nil {
		return nil, err
	}
	m := manifest{
		name:     n.Name,
		buffers:  b.buffers,
		launches: b.launches,
		outputs:  []string{"logits", "probabilities"},
		meta:     meta{Paper: n.paper, MultiplyAdds: b.multiplyAdds, Parameters: b.parameters},
	}
	return m.encode()
}
