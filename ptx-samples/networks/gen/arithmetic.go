package main

import "math"

// apply is the activation of one element.
func (a activation) apply(x float64) float64 {
	if a != none {
		x = max(x, 0)
	}
	if a == relu6 {
		x = min(x, 6)
	}
	return x
}

// compute adds, for every filter and tap, the tap's share to the filter's plane.
func (c conv) compute(learned func(string) []float64, in []values, out tensor) []float64 {
	weights := learned(".weights")
	groups := max(c.groups, 1)
	channels, filters := in[0].channels/groups, c.filters/groups
	sum := make([]float64, out.count())
	for f := range c.filters {
		plane := sum[f*out.area():][:out.area()]
		for ch := range channels {
			source := values{in[0].tensor, in[0].at[(f/filters*channels+ch)*in[0].area():][:in[0].area()]}
			for tap := range c.kernel * c.kernel {
				weight := weights[(f*channels+ch)*c.kernel*c.kernel+tap]
				c.addTap(plane, out, source, tap/c.kernel-c.pad, tap%c.kernel-c.pad, weight)
			}
		}
	}
	c.finish(learned, sum, out)
	return sum
}

// addTap adds weight times the input, moved by dy and dx, to a plane of outputs.
func (c conv) addTap(plane []float64, out tensor, in values, dy, dx int, weight float64) {
	for y := range out.height {
		row := y*c.stride + dy
		if row < 0 || row >= in.height {
			continue
		}
		for x := range out.width {
			if column := x*c.stride + dx; column >= 0 && column < in.width {
				plane[y*out.width+x] += weight * in.at[row*in.width+column]
			}
		}
	}
}

// finish applies bias, batch normalisation and activation.
func (c conv) finish(learned func(string) []float64, sum []float64, out tensor) {
	scale, shift := make([]float64, c.filters), make([]float64, c.filters)
	for f := range scale {
		scale[f] = 1
	}
	if c.bias {
		copy(shift, learned(".bias"))
	}
	if c.norm != nil {
		gamma, beta, mean, variance := learned(".gamma"), learned(".beta"), learned(".mean"), learned(".variance")
		for f := range scale {
			scale[f] = gamma[f] / math.Sqrt(variance[f]+epsilon)
			shift[f] = beta[f] + scale[f]*(shift[f]-mean[f])
		}
	}
	for i := range sum {
		f := i / out.area()
		sum[i] = c.act.apply(scale[f]*sum[i] + shift[f])
	}
}

func (l localResponse) compute(_ func(string) []float64, in []values, out tensor) []float64 {
	result := make([]float64, out.count())
	for i := range result {
		channel, pixel := i/out.area(), i%out.area()
		squares := 0.0
		for c := max(0, channel-l.window/2); c <= min(out.channels-1, channel+l.window/2); c++ {
			squares += math.Pow(in[0].at[c*out.area()+pixel], 2)
		}
		result[i] = in[0].at[i] / math.Pow(l.k+l.alpha*squares, l.power)
	}
	return result
}

func (p maxPool) compute(_ func(string) []float64, in []values, out tensor) []float64 {
	return eachWindow(in[0], out, p.kernel, p.stride, p.pad, func(under []float64) float64 {
		maximum := math.Inf(-1)
		for _, x := range under {
			maximum = max(maximum, x)
		}
		return maximum
	})
}

func (p avgPool) compute(_ func(string) []float64, in []values, out tensor) []float64 {
	return eachWindow(in[0], out, p.kernel, p.stride, p.pad, mean)
}

// eachWindow gives every output f of the elements under its window, padding not
// among them.
func eachWindow(in values, out tensor, kernel, stride, pad int, f func([]float64) float64) []float64 {
	result := make([]float64, out.count())
	var under []float64
	for i := range result {
		c, y, x := i/out.area(), i/out.width%out.height, i%out.width
		under = under[:0]
		for row := max(0, y*stride-pad); row < min(in.height, y*stride-pad+kernel); row++ {
			for column := max(0, x*stride-pad); column < min(in.width, x*stride-pad+kernel); column++ {
				under = append(under, in.at[c*in.area()+row*in.width+column])
			}
		}
		result[i] = f(under)
	}
	return result
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func (globalAvgPool) compute(_ func(string) []float64, in []values, out tensor) []float64 {
	result := make([]float64, out.count())
	for c := range result {
		result[c] = mean(in[0].at[c*in[0].area():][:in[0].area()])
	}
	return result
}

func (d dense) compute(learned func(string) []float64, in []values, out tensor) []float64 {
	weights := learned(".weights")
	result := learned(".bias")
	for o := range result {
		for i, x := range in[0].at {
			result[o] += weights[o*len(in[0].at)+i] * x
		}
		result[o] = d.act.apply(result[o])
	}
	return result
}

func (r residual) compute(_ func(string) []float64, in []values, out tensor) []float64 {
	result := make([]float64, out.count())
	for i := range result {
		result[i] = r.act.apply(in[0].at[i] + in[1].at[i])
	}
	return result
}
