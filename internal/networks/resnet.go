package networks

// The stages of ResNets with 50, 101 and 152 layers: blocks of three convolutions
// (He et al. 2016, table 1).
var resnet50, resnet101, resnet152 = [4]int{3, 4, 6, 3}, [4]int{3, 4, 23, 3}, [4]int{3, 8, 36, 3}

// resnet: He, Zhang, Ren, Sun: Deep Residual Learning for Image Recognition, CVPR 2016, as in
// Keras: a stage's stride is in its first 1x1 convolution, and convolutions have a bias.
func resnet(stages [4]int) family {
	return func(g *graph, x tensor) tensor {
		x = g.maxPool(g.bn(g.biased(x, 64, 7, 2, 3), relu), 3, 2, 1)
		for stage, blocks := range stages {
			f := 64 << stage
			for i := range blocks {
				stride, shortcut := 1, x
				if i == 0 {
					stride = min(stage, 1) + 1
					shortcut = g.bn(g.biased(x, 4*f, 1, stride, 0), none)
				}
				y := g.bn(g.biased(x, f, 1, stride, 0), relu)
				y = g.bn(g.biased(y, f, 3, 1, same), relu)
				x = g.add(shortcut, g.bn(g.biased(y, 4*f, 1, 1, 0), none), relu)
			}
		}
		return g.mean(x)
	}
}

// resnetV2: He, Zhang, Ren, Sun: Identity Mappings in Deep Residual Networks, ECCV 2016, as in
// Keras: normalisation and activation come first, and a stage's stride is in its last block.
func resnetV2(stages [4]int) family {
	return func(g *graph, x tensor) tensor {
		x = g.biased(x, 64, 7, 2, 3)
		x = g.maxPool(g.pad(x, 1, 1), 3, 2, 0) // the zeros count: no activation stands before
		for stage, blocks := range stages {
			f := 64 << stage
			for i := range blocks {
				stride := 1
				if i == blocks-1 && stage < 3 {
					stride = 2
				}
				y := g.bn(x, relu)
				switch {
				case i == 0:
					x = g.biased(y, 4*f, 1, stride, 0)
				case stride > 1:
					x = g.maxPool(x, 1, stride, 0)
				}
				y = g.bn(g.conv(y, f, 1, 1, 0), relu)
				y = g.bn(g.conv(y, f, 3, stride, 1), relu)
				x = g.add(x, g.biased(y, 4*f, 1, 1, 0), none)
			}
		}
		return g.mean(g.bn(x, relu))
	}
}

// bit: Kolesnikov et al.: Big Transfer (BiT), ECCV 2020: ResNet v2 with group normalisation and
// standardised weights, some times as wide, a stage's stride in its first block
// (google-research/big_transfer, bit_pytorch/models.py).
func bit(stages [4]int, width int) family {
	return func(g *graph, x tensor) tensor {
		g.standardised = true
		x = g.conv(x, 64*width, 7, 2, 3)
		x = g.maxPool(g.pad(x, 1, 1), 3, 2, 0)
		for stage, blocks := range stages {
			f := 64 * width << stage
			for i := range blocks {
				stride := 1
				y := g.gn(x, relu)
				if i == 0 {
					stride = min(stage, 1) + 1
					x = g.conv(y, 4*f, 1, stride, 0)
				}
				y = g.gn(g.conv(y, f, 1, 1, 0), relu)
				y = g.gn(g.conv(y, f, 3, stride, 1), relu)
				x = g.add(g.conv(y, 4*f, 1, 1, 0), x, none)
			}
		}
		return g.mean(g.gn(x, relu))
	}
}
