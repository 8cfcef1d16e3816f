package networks

// A kernelSize is the height and width of a kernel.
type kernelSize struct{ height, width int }

func square(n int) kernelSize { return kernelSize{n, n} }

// cbr is the Inceptions' convolution: stride 1, same padding, normalised without gamma.
func (g *graph) cbr(x tensor, filters int, w kernelSize) tensor {
	return g.strided(x, filters, w, 1, same)
}

func (g *graph) strided(x tensor, filters int, w kernelSize, stride, pad int) tensor {
	x = g.convolve(x, conv{filters: filters, kernel: w.height, width: w.width, stride: stride, pad: pad})
	return g.normalise(x, relu, false, true)
}

// A tower is convolutions one after the other.
type tower []struct {
	filters int
	kernelSize
}

func (g *graph) tower(x tensor, t tower) tensor {
	for _, c := range t {
		x = g.cbr(x, c.filters, c.kernelSize)
	}
	return x
}

// reduced is a tower that ends in a 3x3 convolution with stride 2.
func (g *graph) reduced(x tensor, filters int, t tower) tensor {
	return g.strided(g.tower(x, t), filters, square(3), 2, 0)
}

// pooled is an average and a 1x1 convolution of it.
func (g *graph) pooled(x tensor, filters int) tensor {
	return g.cbr(g.avgPool(x, 3, 1, same), filters, square(1))
}

// inceptionStem begins both Inceptions.
func (g *graph) inceptionStem(x tensor) tensor {
	x = g.strided(x, 32, square(3), 2, 0)
	x = g.strided(x, 32, square(3), 1, 0)
	x = g.maxPool(g.cbr(x, 64, square(3)), 3, 2, 0)
	x = g.cbr(x, 80, square(1))
	return g.maxPool(g.strided(x, 192, square(3), 1, 0), 3, 2, 0)
}

// inceptionA is the block of three depths that both begin with.
func (g *graph) inceptionA(x tensor, first, pooled int) tensor {
	return g.concat(g.cbr(x, first, square(1)), g.tower(x, tower{{48, square(1)}, {64, square(5)}}),
		g.tower(x, tower{{64, square(1)}, {96, square(3)}, {96, square(3)}}), g.pooled(x, pooled))
}

// inceptionV3: Szegedy, Vanhoucke, Ioffe, Shlens, Wojna: Rethinking the Inception Architecture for
// Computer Vision, CVPR 2016, as in Keras.
func inceptionV3(g *graph, x tensor) tensor {
	wide, high := kernelSize{1, 7}, kernelSize{7, 1}
	x = g.inceptionStem(x)
	for _, pooled := range []int{32, 64, 64} {
		x = g.inceptionA(x, 64, pooled)
	}
	x = g.concat(g.reduced(x, 384, nil), g.reduced(x, 96, tower{{64, square(1)}, {96, square(3)}}), g.maxPool(x, 3, 2, 0))
	for _, f := range []int{128, 160, 160, 192} {
		x = g.concat(g.cbr(x, 192, square(1)), g.tower(x, tower{{f, square(1)}, {f, wide}, {192, high}}),
			g.tower(x, tower{{f, square(1)}, {f, high}, {f, wide}, {f, high}, {192, wide}}), g.pooled(x, 192))
	}
	x = g.concat(g.reduced(x, 320, tower{{192, square(1)}}), g.reduced(x, 192, tower{{192, square(1)}, {192, wide}, {192, high}}), g.maxPool(x, 3, 2, 0))
	fork := func(x tensor) tensor {
		return g.concat(g.cbr(x, 384, kernelSize{1, 3}), g.cbr(x, 384, kernelSize{3, 1}))
	}
	for range 2 {
		x = g.concat(g.cbr(x, 320, square(1)), fork(g.cbr(x, 384, square(1))),
			fork(g.tower(x, tower{{448, square(1)}, {384, square(3)}})), g.pooled(x, 192))
	}
	return g.mean(x)
}

// inceptionResNetV2: Szegedy, Ioffe, Vanhoucke, Alemi: Inception-v4, Inception-ResNet and the Impact of
// Residual Connections on Learning, AAAI 2017, as in Keras.
func inceptionResNetV2(g *graph, x tensor) tensor {
	x = g.inceptionA(g.inceptionStem(x), 96, 64)
	// The residual's scale (section 3.3) is Keras'.
	residual := func(x, branches tensor, scale float64, act activation) tensor {
		return g.scaledAdd(x, g.biased(branches, x.channels, 1, 1, 0), scale, act)
	}
	for range 10 {
		x = residual(x, g.concat(g.cbr(x, 32, square(1)), g.tower(x, tower{{32, square(1)}, {32, square(3)}}),
			g.tower(x, tower{{32, square(1)}, {48, square(3)}, {64, square(3)}})), 0.17, relu)
	}
	x = g.concat(g.reduced(x, 384, nil), g.reduced(x, 384, tower{{256, square(1)}, {256, square(3)}}), g.maxPool(x, 3, 2, 0))
	for range 20 {
		x = residual(x, g.concat(g.cbr(x, 192, square(1)), g.tower(x, tower{{128, square(1)}, {160, kernelSize{1, 7}}, {192, kernelSize{7, 1}}})), 0.1, relu)
	}
	x = g.concat(g.reduced(x, 384, tower{{256, square(1)}}), g.reduced(x, 288, tower{{256, square(1)}}),
		g.reduced(x, 320, tower{{256, square(1)}, {288, square(3)}}), g.maxPool(x, 3, 2, 0))
	for i := range 10 {
		scale, act := 0.2, relu
		if i == 9 {
			scale, act = 1, none
		}
		x = residual(x, g.concat(g.cbr(x, 192, square(1)), g.tower(x, tower{{192, square(1)}, {224, kernelSize{1, 3}}, {256, kernelSize{3, 1}}})), scale, act)
	}
	return g.mean(g.cbr(x, 1536, square(1)))
}
