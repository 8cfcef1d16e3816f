package networks

import "fmt"

// Networks that are no chains. A graph's methods are the layers of Keras' and BiT's
// definitions: each takes tensors, appends its launches and returns its result, so that a
// network is a function and a block that is repeated is one, too. Layers are named by kind
// and number. Which algorithm computes a convolution follows from its shape.

// A graph is a network on its way to launches.
type graph struct {
	*builder
	named map[string]int // layers of each kind so far
	// standardised: convolutions standardise their weights.
	standardised bool
}

// next names a layer.
func (g *graph) next(kind string) string {
	g.named[kind]++
	return fmt.Sprintf("%s_%d", kind, g.named[kind])
}

// convolve appends a convolution.
func (g *graph) convolve(x tensor, c conv) tensor {
	c.by, c.standardised = windowed, g.standardised
	switch {
	case c.groups > 1:
		c.by = depthwise
	case c.kernel == 1 && c.columns() == 1:
		c.by, c.pad = pointwise, 0
	}
	return c.lower(g.builder, g.next("conv"), x)
}

// conv is a convolution without bias.
func (g *graph) conv(x tensor, filters, kernel, stride, pad int) tensor {
	return g.convolve(x, conv{filters: filters, kernel: kernel, stride: stride, pad: pad})
}

// biased is one with bias.
func (g *graph) biased(x tensor, filters, kernel, stride, pad int) tensor {
	return g.convolve(x, conv{filters: filters, kernel: kernel, stride: stride, pad: pad, bias: true})
}

// filter convolves each channel by itself.
func (g *graph) filter(x tensor, kernel, stride int) tensor {
	return g.convolve(x, conv{filters: x.channels, kernel: kernel, stride: stride, pad: same, groups: x.channels})
}

// separable is a convolution of each channel by itself, then of pixels by themselves.
func (g *graph) separable(x tensor, filters, kernel, stride int) tensor {
	return g.conv(g.filter(x, kernel, stride), filters, 1, 1, 0)
}

// bn is a batch normalisation with the activation that follows it.
func (g *graph) bn(x tensor, act activation) tensor { return g.normalise(x, act, true, true) }

// normalise is one that learns gamma and beta or does not.
func (g *graph) normalise(x tensor, act activation, gamma, beta bool) tensor {
	out := g.like("norm", x)
	factor, shift := g.constant(out.buffer+".gamma", x.channels, 1, gamma), g.constant(out.buffer+".beta", x.channels, 0, beta)
	launchBatchNorm(g.builder, out.buffer, out.buffer, out, x, factor, shift, act)
	return out
}

// constant declares a factor or shift for each channel, learned or always the same.
func (g *graph) constant(name string, channels int, value float64, learned bool) arg {
	if learned {
		return g.learned(name, channels, value-0.1, value+0.1)
	}
	g.fresh(name)
	g.scratch(name, channels)
	g.byName[name].Init = &initial{Fill: &value}
	return ref(name)
}

// gn is a group normalisation in 32 groups with the activation that follows it.
func (g *graph) gn(x tensor, act activation) tensor {
	const groups = 32
	out := g.like("norm", x)
	gamma, beta := g.constant(out.buffer+".gamma", x.channels, 1, true), g.constant(out.buffer+".beta", x.channels, 0, true)
	groupNorm(g.builder, out, ref(x.buffer), gamma, beta, groups, x.channels/groups, x.area(), act)
	return out
}

// like declares the result of a layer that keeps the shape.
func (g *graph) like(kind string, x tensor) tensor {
	return g.result(g.next(kind), x.channels, x.height, x.width)
}

// each launches a kernel with a thread an element of a result that has x's shape.
func (g *graph) each(kind, kernel string, x tensor, args ...arg) tensor {
	out := g.like(kind, x)
	g.launch(out.buffer, kernel, even(out.count()), append([]arg{ref(out.buffer)}, args...)...)
	return out
}

func (g *graph) relu(x tensor) tensor {
	return g.each("relu", "relu", x, ref(x.buffer), num(x.count()))
}

func (g *graph) sigmoid(x tensor) tensor {
	return g.each("sigmoid", "sigmoid", x, ref(x.buffer), num(x.count()), num(0))
}

func (g *graph) swish(x tensor) tensor {
	return g.each("swish", "sigmoid", x, ref(x.buffer), num(x.count()), num(1))
}

// scaled multiplies by a constant.
func (g *graph) scaled(x tensor, scale float64) tensor {
	return g.each("scaled", "scaled_add", x, arg{Null: true}, ref(x.buffer), num(scale), num(x.count()), num(int(none)))
}

// scaledAdd is x + scale * y.
func (g *graph) scaledAdd(x, y tensor, scale float64, act activation) tensor {
	return g.each("add", "scaled_add", x, ref(x.buffer), ref(y.buffer), num(scale), num(x.count()), num(int(act)))
}

func (g *graph) add(x, y tensor, act activation) tensor {
	return g.each("add", "residual_add", x, ref(x.buffer), ref(y.buffer), num(x.count()), num(int(act)))
}

// excite multiplies each channel by a factor.
func (g *graph) excite(x, factors tensor) tensor {
	out := g.like("excite", x)
	g.launch(out.buffer, "scale_channels", plane(x.area(), x.channels), ref(out.buffer), ref(x.buffer), ref(factors.buffer), num(x.area()))
	return out
}

// concat joins channels, two tensors a launch.
func (g *graph) concat(x tensor, others ...tensor) tensor {
	for _, y := range others {
		out := g.result(g.next("concat"), x.channels+y.channels, x.height, x.width)
		g.launch(out.buffer, "concat", even(x.count(), y.count()), ref(out.buffer), ref(x.buffer), ref(y.buffer), num(x.count()), num(y.count()))
		x = out
	}
	return x
}

// pad writes zeros around each plane. A negative number of them cuts.
func (g *graph) pad(x tensor, before, after int) tensor {
	out := g.result(g.next("pad"), x.channels, x.height+before+after, x.width+before+after)
	shift := num(before)
	shift.Type = "s32"
	g.launch(out.buffer, "pad", volume(out), ref(out.buffer), ref(x.buffer), num(x.height), num(x.width), num(out.height), num(out.width), shift, shift)
	return out
}

func (g *graph) maxPool(x tensor, kernel, stride, pad int) tensor {
	return pooling{kernel: kernel, stride: stride, pad: pad}.lower(g.builder, g.next("max_pool"), x)
}

func (g *graph) avgPool(x tensor, kernel, stride, pad int) tensor {
	return pooling{average: true, kernel: kernel, stride: stride, pad: pad}.lower(g.builder, g.next("avg_pool"), x)
}

func (g *graph) mean(x tensor) tensor {
	return globalAvgPool{}.lower(g.builder, g.next("mean"), x)
}
