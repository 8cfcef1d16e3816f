package networks

// densenet: Huang, Liu, van der Maaten, Weinberger: Densely Connected Convolutional Networks,
// CVPR 2017, table 1: so many layers in each of four blocks, growth rate 32.
func densenet(blocks [4]int) family {
	const growth = 32
	return func(g *graph, x tensor) tensor {
		x = g.maxPool(g.bn(g.conv(x, 64, 7, 2, 3), relu), 3, 2, 1)
		for block, layers := range blocks {
			if block > 0 {
				x = g.avgPool(g.conv(g.bn(x, relu), x.channels/2, 1, 1, 0), 2, 2, 0)
			}
			for range layers {
				y := g.bn(g.conv(g.bn(x, relu), 4*growth, 1, 1, 0), relu)
				x = g.concat(x, g.conv(y, growth, 3, 1, same))
			}
		}
		return g.mean(g.bn(x, relu))
	}
}
