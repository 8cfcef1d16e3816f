package networks

import (
	"math"
	"slices"
)

// The reference arithmetic. Each layer is computed by the formula that defines it,
// one element after the other, in float64. It shares nothing with the kernels but
// the table of layers: not their tiles, not im2col, not the order in which they
// sum. What the launches compute in f32 may therefore differ from it by rounding
// and by nothing else; a kernel, a shape or an argument that is wrong shows as a
// difference that rounding does not explain.

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
	channels, filters, taps := in[0].channels/groups, c.filters/groups, c.kernel*c.columns()
	_, top, left := over(in[0].tensor, c.filters, c.kernel, c.columns(), c.stride, c.pad)
	sum := make([]float64, out.count())
	for f := range c.filters {
		plane := sum[f*out.area():][:out.area()]
		for ch := range channels {
			source := values{in[0].tensor, in[0].at[(f/filters*channels+ch)*in[0].area():][:in[0].area()]}
			for tap := range taps {
				weight := weights[(f*channels+ch)*taps+tap]
				c.addTap(plane, out, source, tap/c.columns()-top, tap%c.columns()-left, weight)
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

func (p pooling) compute(_ func(string) []float64, in []values, out tensor) []float64 {
	of := slices.Max[[]float64]
	if p.average {
		of = mean
	}
	result := make([]float64, out.count())
	var under []float64
	for i := range result {
		c, y, x := i/out.area(), i/out.width%out.height, i%out.width
		top, left := y*p.stride-p.pad, x*p.stride-p.pad
		under = under[:0]
		for row := max(0, top); row < min(in[0].height, top+p.kernel); row++ {
			for column := max(0, left); column < min(in[0].width, left+p.kernel); column++ {
				under = append(under, in[0].at[c*in[0].area()+row*in[0].width+column])
			}
		}
		result[i] = of(under)
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
