package networks

// epsilon keeps batch normalisation's division away from zero.
const epsilon = 1e-5

// batchNorm normalises t in place.
func batchNorm(b *builder, name string, t tensor, gamma scale, act activation) {
	g := b.learned(name+".gamma", t.channels, gamma.low, gamma.high)
	beta := b.learned(name+".beta", t.channels, -0.1, 0.1)
	launchBatchNorm(b, name+".norm", name, t, t, g, beta, act)
}

// launchBatchNorm normalises a tensor by statistics near those of a unit normal
// distribution; they are measured, not learned.
func launchBatchNorm(b *builder, label, name string, out, in tensor, gamma, beta arg, act activation) {
	b.uniform(name+".mean", in.channels, -0.1, 0.1)
	b.uniform(name+".variance", in.channels, 0.9, 1.1)
	b.launch(label, "batch_norm", plane(in.area(), in.channels), ref(out.buffer), ref(in.buffer),
		gamma, beta, ref(name+".mean"), ref(name+".variance"), num(epsilon), num(in.area()), num(int(act)))
}

// groupNorm normalises groups of channels by their own statistics, gamma and beta, which
// may be null.
func groupNorm(b *builder, out tensor, in, gamma, beta arg, groups, channels, area int, act activation) {
	const threads = 256 // group_norm.cu
	b.launch(out.buffer, "group_norm", shape{grid: [3]int{groups, 1, 1}, block: [3]int{threads, 1, 1}},
		ref(out.buffer), in, gamma, beta, num(epsilon), num(channels), num(area), num(int(act)))
}

// standardise normalises the weights of each filter.
func standardise(b *builder, name string, weights arg, filters, fanIn int) tensor {
	out := b.result(name, filters, 1, fanIn)
	groupNorm(b, out, weights, arg{Null: true}, arg{Null: true}, filters, 1, fanIn, none)
	return out
}

// localResponse is the local response normalisation across channels.
type localResponse struct {
	window          int
	k, alpha, power float64
}

func (l localResponse) lower(b *builder, name string, in tensor) tensor {
	out := b.result(name, in.channels, in.height, in.width)
	b.launch(name, "local_response_norm", plane(in.area(), in.channels), ref(out.buffer), ref(in.buffer),
		num(in.channels), num(in.area()), num(l.window), num(l.k), num(l.alpha), num(l.power))
	b.means(name, l, out, in)
	return out
}

// pooling is what a pooling layer makes of the elements under a window, padding not
// counted: their maximum, or their mean.
type pooling struct {
	average             bool
	kernel, stride, pad int
}

func (p pooling) lower(b *builder, name string, in tensor) tensor {
	kernelName := "max_pool"
	if p.average {
		kernelName = "avg_pool"
	}
	out, pad, _ := over(in, in.channels, p.kernel, p.kernel, p.stride, p.pad)
	out = b.result(name, out.channels, out.height, out.width)
	b.launch(name, kernelName, volume(out), ref(out.buffer), ref(in.buffer),
		num(in.height), num(in.width), num(out.height), num(out.width), num(p.kernel), num(p.stride), num(pad))
	b.means(name, p, out, in)
	return out
}

// globalAvgPool is the mean of each channel.
type globalAvgPool struct{}

func (globalAvgPool) lower(b *builder, name string, in tensor) tensor {
	out := b.result(name, in.channels, 1, 1)
	b.launch(name, "global_avg_pool", warps(in.channels), ref(out.buffer), ref(in.buffer), num(in.channels), num(in.area()))
	b.means(name, globalAvgPool{}, out, in)
	return out
}

// dense is a fully connected layer, with bias, over all elements of its input.
type dense struct {
	outputs int
	act     activation
}

func (d dense) lower(b *builder, name string, in tensor) tensor {
	weights := b.weights(name, d.outputs*in.count(), in.count(), d.act)
	bias := b.bias(name, d.outputs, true)
	out := b.result(name, d.outputs, 1, 1)
	b.multiplyAdds += d.outputs * in.count()
	b.launch(name, "fully_connected", warps(d.outputs), ref(out.buffer), ref(in.buffer), weights, bias,
		num(in.count()), num(d.outputs), num(int(d.act)))
	b.means(name, d, out, in)
	return out
}

// softmax turns logits into probabilities. The reference ends before it, at the
// logits.
type softmax struct{}

func (softmax) lower(b *builder, name string, in tensor) tensor {
	const threads = 256 // softmax.cu
	out := b.result(name, in.channels, in.height, in.width)
	b.launch(name, "softmax", shape{grid: [3]int{1, 1, 1}, block: [3]int{threads, 1, 1}},
		ref(out.buffer), ref(in.buffer), num(in.count()))
	return out
}
