package networks

import "fmt"

// Blocks are rows of the papers' tables: the shapes of their convolutions follow
// from one or two numbers. A block's result is a sum along a chain of up to sixteen
// of them, which is why its last normalisation has a small scale (conv.go): with
// unit scales the activations would grow by 2^16 on the way.

// bottlenecks is a stage of ResNet: blocks of 1x1, 3x3 and 1x1 convolutions
// around a shortcut, which in the first block is a projection (He et al. 2016,
// figure 5 and option B). The stride is the first block's.
type bottlenecks struct {
	planes, blocks, stride int
	by                     algorithm // of the 3x3 convolutions
}

func (s bottlenecks) lower(b *builder, name string, in tensor) tensor {
	const expansion = 4
	out := in
	for i := range s.blocks {
		block := fmt.Sprintf("%s_%d", name, i+1)
		stride := 1
		shortcut := out
		if i == 0 {
			stride = s.stride
			shortcut = conv{filters: expansion * s.planes, kernel: 1, stride: stride, norm: unitScale, by: pointwise}.lower(b, block+".shortcut", out)
		}
		t := conv{filters: s.planes, kernel: 1, stride: 1, norm: unitScale, act: relu, by: pointwise}.lower(b, block+".a", out)
		t = conv{filters: s.planes, kernel: 3, stride: stride, pad: 1, norm: unitScale, act: relu, by: s.by}.lower(b, block+".b", t)
		t = conv{filters: expansion * s.planes, kernel: 1, stride: 1, norm: smallScale, by: pointwise}.lower(b, block+".c", t)
		out = residual{relu}.lower(b, block, t, shortcut)
	}
	return out
}

// invertedResiduals is a row of MobileNetV2's table 2: blocks that expand by a
// 1x1 convolution, filter each channel, and project linearly, with a shortcut
// where the shape stays the same. The stride is the first block's. An expansion
// by 1 has no expanding convolution.
type invertedResiduals struct {
	expand, filters, blocks, stride int
}

func (s invertedResiduals) lower(b *builder, name string, in tensor) tensor {
	out := in
	for i := range s.blocks {
		block := fmt.Sprintf("%s_%d", name, i+1)
		stride := 1
		if i == 0 {
			stride = s.stride
		}
		shortcut := stride == 1 && out.channels == s.filters
		projection := unitScale
		if shortcut {
			projection = smallScale
		}
		t := out
		if s.expand != 1 {
			t = conv{filters: s.expand * t.channels, kernel: 1, stride: 1, norm: unitScale, act: relu6, by: pointwise}.lower(b, block+".expand", t)
		}
		t = conv{filters: t.channels, kernel: 3, stride: stride, pad: 1, groups: t.channels, norm: unitScale, act: relu6, by: depthwise}.lower(b, block+".filter", t)
		t = conv{filters: s.filters, kernel: 1, stride: 1, norm: projection, by: pointwise}.lower(b, block+".project", t)
		if shortcut {
			t = residual{none}.lower(b, block, t, out)
		}
		out = t
	}
	return out
}

// residual adds two tensors of one shape.
type residual struct{ act activation }

func (r residual) lower(b *builder, name string, x, y tensor) tensor {
	if x.channels != y.channels || x.height != y.height || x.width != y.width {
		panic(fmt.Sprintf("BUG: %s adds %+v and %+v", name, x, y))
	}
	out := b.result(name, x.channels, x.height, x.width)
	b.launch(name, "residual_add", line(out.count()), ref(out.buffer), ref(x.buffer), ref(y.buffer), num(out.count()), num(int(r.act)))
	b.means(name, r, out, x, y)
	return out
}
