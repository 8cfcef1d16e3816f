package main

import "fmt"

// A network is a chain of layers over one image.
type network struct {
	name   string
	paper  string // where the shapes are published
	image  tensor
	layers []step
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
func (n network) build() (*builder, error) {
	b := newBuilder()
	t := n.image
	t.buffer = "image"
	b.uniform(t.buffer, t.count(), -1, 1)
	for _, s := range n.layers {
		t = s.layer.lower(b, s.name, t)
		if t.count() <= 0 {
			return nil, fmt.Errorf("%s: layer %s: its result is empty (%d x %d x %d)", n.name, s.name, t.channels, t.height, t.width)
		}
	}
	return b, nil
}

// lower returns the network's manifest.
func (n network) lower() (*manifest, error) {
	b, err := n.build()
	if err != nil {
		return nil, err
	}
	return &manifest{
		name:     n.name,
		buffers:  b.buffers,
		launches: b.launches,
		outputs:  []string{"logits", "probabilities"},
		meta:     meta{Paper: n.paper, MultiplyAdds: b.multiplyAdds, Parameters: b.parameters},
	}, nil
}
