package networks

// vgg: Simonyan, Zisserman: Very Deep Convolutional Networks for Large-Scale Image
// Recognition, ICLR 2015, table 1; so many convolutions in each of five blocks.
func vgg(blocks [5]int) family {
	return func(g *graph, x tensor) tensor {
		for i, filters := range [5]int{64, 128, 256, 512, 512} {
			for range blocks[i] {
				x = g.convolve(x, conv{filters: filters, kernel: 3, stride: 1, pad: same, bias: true, act: relu})
			}
			x = g.maxPool(x, 2, 2, 0)
		}
		for range 2 {
			x = dense{outputs: 4096, act: relu}.lower(g.builder, g.next("dense"), x)
		}
		return x
	}
}
