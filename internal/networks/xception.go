package networks

// xception: Chollet: Xception: Deep Learning with Depthwise Separable Convolutions, CVPR 2017,
// figure 5.
func xception(g *graph, x tensor) tensor {
	separable := func(x tensor, filters int, act activation) tensor {
		return g.bn(g.separable(x, filters, 3, 1), act)
	}
	shrink := func(x, y tensor, first, last int) tensor {
		shortcut := g.bn(g.conv(x, last, 1, 2, 0), none)
		y = separable(separable(y, first, relu), last, none)
		return g.add(g.maxPool(y, 3, 2, same), shortcut, none)
	}
	x = g.bn(g.conv(x, 32, 3, 2, 0), relu)
	x = g.bn(g.conv(x, 64, 3, 1, 0), relu)
	x = shrink(x, x, 128, 128)
	x = shrink(x, g.relu(x), 256, 256)
	x = shrink(x, g.relu(x), 728, 728)
	for range 8 {
		y := separable(g.relu(x), 728, relu)
		x = g.add(separable(separable(y, 728, relu), 728, none), x, none)
	}
	x = shrink(x, g.relu(x), 728, 1024)
	return g.mean(separable(separable(x, 1536, relu), 2048, relu))
}
