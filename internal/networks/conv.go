package networks

import (
	"cmp"
	"fmt"
	"strconv"
)

// One convolution can be computed in several ways that have nothing in common for a
// profiler. A direct one is a thread an output and reads each input once for every
// tap that touches it (121 times for AlexNet's first layer); a tiled one reads it
// into shared memory first; im2col writes a matrix of all patches, nine times the
// input for a 3x3 kernel, and leaves the work to a matrix product. The table picks
// one a layer so that every network shows several of them, at sizes for which each
// would be a reasonable choice.
//
// Groups (AlexNet's two towers) are launches of their own, with operands that
// begin in the middle of the buffers: channels lie one after the other, so that the
// second of two groups begins half way through each. Depthwise convolutions have
// as many groups as channels, and a kernel that takes them all at once.

// An algorithm is the way a convolution is computed.
type algorithm int

const (
	direct    algorithm = iota // conv_direct: one thread an output
	tiled                      // conv_tiled: patches in shared memory
	gemm                       // im2col, then gemm_tiled
	pointwise                  // conv_pointwise: 1x1 only
	depthwise                  // conv_depthwise: one channel a group
	windowed                   // conv_window: four filters of a pixel a thread, any kernel
)

// An activation is what is applied to a result; the values are the kernels'.
type activation int

const (
	none  activation = 0
	relu  activation = 1
	relu6 activation = 2
)

// A scale is the range of a batch normalisation's gamma; nil is no normalisation.
type scale struct{ low, high float64 }

var (
	unitScale = &scale{0.9, 1.1}
	// smallScale ends a residual branch: sums along the chain of blocks would
	// double at each. Training starts there, at zero (Goyal et al. 2017,
	// Accurate, Large Minibatch SGD, section 5.1), and stays small.
	smallScale = &scale{0.2, 0.3}
)

// conv is a convolution with what follows it: a bias or a batch normalisation,
// and the activation. groups 0 is one group, width 0 a square kernel.
type conv struct {
	filters, kernel, width, stride, pad, groups int

	bias bool
	norm *scale
	act  activation
	by   algorithm
	// standardised: weights are normalised filter by filter before they are used
	// (Qiao et al. 2019, Weight Standardization). The reference arithmetic does not do that.
	standardised bool
}

// same is TensorFlow's padding: as many outputs as strides begin in the plane. What
// cannot be halved is behind the plane.
const same = -1

// along returns the outputs along an axis of `size` inputs, and the padding before it.
func along(size, kernel, stride, pad int) (out, before int) {
	if pad == same {
		out = ceilDiv(size, stride)
		return out, max((out-1)*stride+kernel-size, 0) / 2
	}
	return (size+2*pad-kernel)/stride + 1, pad
}

// over returns the plane that a kernel leaves of another, and the padding above and
// at the left.
func over(in tensor, channels, height, width, stride, pad int) (out tensor, top, left int) {
	out.channels = channels
	out.height, top = along(in.height, height, stride, pad)
	out.width, left = along(in.width, width, stride, pad)
	if height == width && top != left {
		panic(fmt.Sprintf("BUG: kernels take one padding for both axes, not %d and %d", top, left))
	}
	return out, top, left
}

// columns is the width of the kernel.
func (c conv) columns() int { return cmp.Or(c.width, c.kernel) }

func (c conv) lower(b *builder, name string, in tensor) tensor {
	groups := max(c.groups, 1)
	if in.channels%groups != 0 || c.filters%groups != 0 {
		panic(fmt.Sprintf("BUG: layer %s: %d channels and %d filters in %d groups", name, in.channels, c.filters, groups))
	}
	fanIn := in.channels / groups * c.kernel * c.columns()
	weights := b.weights(name, c.filters*fanIn, fanIn, c.act)
	bias := b.bias(name, c.filters, c.bias)
	if c.standardised {
		weights = ref(standardise(b, name+".standard", weights, c.filters, fanIn).buffer)
	}
	out, top, left := over(in, c.filters, c.kernel, c.columns(), c.stride, c.pad)
	out = b.result(name, out.channels, out.height, out.width)
	b.multiplyAdds += out.count() * fanIn

	// The activation comes last: after the normalisation, if there is one.
	act := c.act
	if c.norm != nil {
		act = none
	}
	switch c.by {
	case depthwise:
		c.launchDepthwise(b, name, out, in, weights, bias, act, top)
	case windowed:
		c.launchWindow(b, name, out, in, weights, bias, act, top, left)
	default:
		c.launchGroups(b, name, groups, out, in, weights, bias, act)
	}
	if c.norm != nil {
		batchNorm(b, name, out, *c.norm, c.act)
	}
	b.means(name, c, out, in)
	return out
}

// launchGroups launches the convolution group by group: a group is a slice of
// the channels of every operand, which lie one after the other.
func (c conv) launchGroups(b *builder, name string, groups int, out, in tensor, weights, bias arg, act activation) {
	label := name
	in.channels /= groups
	out.channels /= groups
	fanIn := in.channels * c.kernel * c.kernel
	launchGroup := map[algorithm]func(*builder, string, group){
		direct: c.launchDirect, tiled: c.launchTiled, gemm: c.launchGEMM, pointwise: c.launchPointwise}[c.by]
	for g := range groups {
		if groups > 1 {
			label = name + ".g" + strconv.Itoa(g+1)
		}
		launchGroup(b, label, group{
			out: ref(out.buffer).at(g * out.count()), in: ref(in.buffer).at(g * in.count()),
			weights: weights.at(g * out.channels * fanIn), bias: bias.at(g * out.channels),
			outShape: out, inShape: in, act: act,
		})
	}
}

// A group is one group's operands.
type group struct {
	out, in, weights, bias arg
	outShape, inShape      tensor // of the group alone
	act                    activation
}

func (c conv) launchDirect(b *builder, label string, g group) {
	in, out := g.inShape, g.outShape
	b.launch(label, "conv_direct", volume(out), g.out, g.in, g.weights, g.bias,
		num(in.channels), num(in.height), num(in.width), num(out.height), num(out.width),
		num(c.kernel), num(c.stride), num(c.pad), num(int(g.act)))
}

func (c conv) launchDepthwise(b *builder, label string, out, in tensor, weights, bias arg, act activation, pad int) {
	b.launch(label, "conv_depthwise", volume(out), ref(out.buffer), ref(in.buffer), weights, bias,
		num(in.height), num(in.width), num(out.height), num(out.width),
		num(c.kernel), num(c.stride), num(pad), num(int(act)))
}

// launchWindow: a thread is one pixel of four filters (conv_window.cu).
func (c conv) launchWindow(b *builder, label string, out, in tensor, weights, bias arg, act activation, top, left int) {
	const filters = 4
	threads := out
	threads.channels = ceilDiv(out.channels, filters)
	b.launch(label, "conv_window", volume(threads), ref(out.buffer), ref(in.buffer), weights, bias,
		num(in.channels), num(in.height), num(in.width), num(out.channels), num(out.height), num(out.width),
		num(c.kernel), num(c.columns()), num(c.stride), num(top), num(left), num(int(act)))
}

// launchTiled: a CTA is 16 x 16 pixels of four filters (conv_tiled.cu).
func (c conv) launchTiled(b *builder, label string, g group) {
	const side, filters = 16, 4
	in, out := g.inShape, g.outShape
	patch := (side-1)*c.stride + c.kernel
	s := shape{
		grid:               [3]int{ceilDiv(out.width, side), ceilDiv(out.height, side), ceilDiv(out.channels, filters)},
		block:              [3]int{side, side, 1},
		dynamicSharedBytes: (patch*patch + filters*c.kernel*c.kernel) * bytesPerElement,
	}
	b.launch(label, "conv_tiled", s, g.out, g.in, g.weights, g.bias,
		num(in.channels), num(in.height), num(in.width), num(out.channels), num(out.height), num(out.width),
		num(c.kernel), num(c.stride), num(c.pad), num(int(g.act)))
}

// launchPointwise: a thread is one pixel of four filters (conv_pointwise.cu).
func (c conv) launchPointwise(b *builder, label string, g group) {
	const filters = 4
	if c.kernel != 1 || c.pad != 0 {
		panic(fmt.Sprintf("BUG: layer %s: a pointwise convolution has kernel 1 and no padding", label))
	}
	in, out := g.inShape, g.outShape
	b.launch(label, "conv_pointwise", plane(out.area(), ceilDiv(out.channels, filters)), g.out, g.in, g.weights, g.bias,
		num(in.channels), num(in.height), num(in.width), num(out.channels), num(out.height), num(out.width),
		num(c.stride), num(int(g.act)))
}

// launchGEMM unfolds the input into the scratch matrix "columns" and multiplies
// (gemm_tiled.cu: a CTA is a 64 x 64 tile by 16 x 16 threads). Bias and activation
// follow in place.
func (c conv) launchGEMM(b *builder, label string, g group) {
	const side, tile = 16, 64
	in, out := g.inShape, g.outShape
	depth := in.channels * c.kernel * c.kernel
	b.scratch("columns", depth*out.area())
	b.launch(label+".im2col", "im2col", plane(out.area(), depth), ref("columns"), g.in,
		num(in.height), num(in.width), num(out.height), num(out.width), num(c.kernel), num(c.stride), num(c.pad))
	s := shape{
		grid:  [3]int{ceilDiv(out.area(), tile), ceilDiv(out.channels, tile), 1},
		block: [3]int{side, side, 1},
	}
	b.launch(label+".gemm", "gemm_tiled", s, g.out, g.weights, ref("columns"), num(out.channels), num(out.area()), num(depth))
	if !g.bias.Null || g.act != none {
		b.launch(label+".bias", "bias_act", plane(out.area(), out.channels), g.out, g.bias, num(out.area()), num(int(g.act)))
	}
}
