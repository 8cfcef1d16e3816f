package networks

import "math"

// mobilenet: Howard et al.: MobileNets, 2017, table 1. Its last 1x1 convolution, on a 1x1
// plane, is a dense layer.
func mobilenet(g *graph, x tensor) tensor {
	x = g.bn(g.conv(x, 32, 3, 2, same), relu6)
	for _, row := range []struct{ filters, stride, times int }{{64, 1, 1}, {128, 2, 1}, {128, 1, 1}, {256, 2, 1}, {256, 1, 1}, {512, 2, 1},
		{512, 1, 5}, {1024, 2, 1}, {1024, 1, 1}} {
		for range row.times {
			x = g.bn(g.filter(x, 3, row.stride), relu6)
			x = g.bn(g.conv(x, row.filters, 1, 1, 0), relu6)
		}
	}
	return g.mean(x)
}

// mobilenetV2: Sandler et al.: MobileNetV2, CVPR 2018, table 2.
func mobilenetV2(g *graph, x tensor) tensor {
	x = g.bn(g.conv(x, 32, 3, 2, same), relu6)
	for _, row := range []struct{ expand, filters, times, stride int }{{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2},
		{6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}} {
		for i := range row.times {
			stride := row.stride
			if i > 0 {
				stride = 1
			}
			y := x
			if row.expand > 1 {
				y = g.bn(g.conv(x, row.expand*x.channels, 1, 1, 0), relu6)
			}
			y = g.bn(g.filter(y, 3, stride), relu6)
			y = g.bn(g.conv(y, row.filters, 1, 1, 0), none)
			if i > 0 {
				y = g.add(x, y, none)
			}
			x = y
		}
	}
	return g.mean(g.bn(g.conv(x, 1280, 1, 1, 0), relu6))
}

// efficientnet: Tan, Le: EfficientNet, ICML 2019, table 1, with all widths and depths times a
// factor. Width is rounded to multiples of 8, by at most a tenth down; depth up.
func efficientnet(width, depth float64) family {
	channels := func(filters int) int {
		wide := float64(filters) * width
		n := max(8, int(wide+4)/8*8)
		if float64(n) < 0.9*wide {
			n += 8
		}
		return n
	}
	return func(g *graph, x tensor) tensor {
		x = g.scaled(x, 1.0/255)
		x = g.normalise(x, none, false, false)
		x = g.swish(g.bn(g.conv(x, channels(32), 3, 2, same), none))
		for _, row := range []struct{ kernel, times, filters, expand, stride int }{{3, 1, 16, 1, 1}, {3, 2, 24, 6, 2}, {5, 2, 40, 6, 2},
			{3, 3, 80, 6, 2}, {5, 3, 112, 6, 1}, {5, 4, 192, 6, 2}, {3, 1, 320, 6, 1}} {
			for i := range int(math.Ceil(float64(row.times) * depth)) {
				stride := row.stride
				if i > 0 {
					stride = 1
				}
				x = g.invertedExcited(x, row.kernel, channels(row.filters), row.expand, stride)
			}
		}
		return g.mean(g.swish(g.bn(g.conv(x, channels(1280), 1, 1, 0), none)))
	}
}

// invertedExcited is EfficientNet's block: MobileNetV2's with squeeze and excitation
// (Hu, Shen, Sun: Squeeze-and-Excitation Networks, CVPR 2018).
func (g *graph) invertedExcited(x tensor, kernel, filters, expand, stride int) tensor {
	y := x
	if expand > 1 {
		y = g.swish(g.bn(g.conv(x, expand*x.channels, 1, 1, 0), none))
	}
	y = g.swish(g.bn(g.filter(y, kernel, stride), none))
	squeezed := g.swish(g.biased(g.mean(y), max(1, x.channels/4), 1, 1, 0))
	y = g.excite(y, g.sigmoid(g.biased(squeezed, y.channels, 1, 1, 0)))
	y = g.bn(g.conv(y, filters, 1, 1, 0), none)
	if stride == 1 && x.channels == filters {
		y = g.add(y, x, none)
	}
	return y
}
