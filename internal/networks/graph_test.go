package networks

import (
	"context"
	"math"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/source"
)

// planes are an image with zeros around.
type planes values

func (p planes) value(c, y, x int) float64 {
	if y < 0 || x < 0 || y >= p.height || x >= p.width {
		return 0
	}
	return p.at[(c*p.height+y)*p.width+x]
}

// TestGraph: each kind of a graph's layers, emulated, against its definition.
func TestGraph(t *testing.T) {
	mean := func(x []float64) float64 {
		s := 0.0
		for _, v := range x {
			s += v
		}
		return s / float64(len(x))
	}
	normal := func(group []float64, x float64) float64 {
		m := mean(group)
		var squares []float64
		for _, v := range group {
			squares = append(squares, (v-m)*(v-m))
		}
		return (x - m) / math.Sqrt(mean(squares)+epsilon)
	}
	relu := func(x float64) float64 { return max(x, 0) }
	logistic := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, c := range []struct {
		name  string
		layer func(g *graph, x tensor) tensor
		// want is the result's element; learned are the first buffers of a kind.
		want func(p planes, learned func(string) []float64, c, y, x int) float64
	}{
		{"relu", func(g *graph, x tensor) tensor { return g.relu(x) },
			func(p planes, _ func(string) []float64, c, y, x int) float64 { return relu(p.value(c, y, x)) }},
		{"sigmoid", func(g *graph, x tensor) tensor { return g.sigmoid(x) },
			func(p planes, _ func(string) []float64, c, y, x int) float64 { return logistic(p.value(c, y, x)) }},
		{"swish", func(g *graph, x tensor) tensor { return g.swish(x) },
			func(p planes, _ func(string) []float64, c, y, x int) float64 {
				return p.value(c, y, x) * logistic(p.value(c, y, x))
			}},
		{"scaled", func(g *graph, x tensor) tensor { return g.scaled(x, 0.25) },
			func(p planes, _ func(string) []float64, c, y, x int) float64 { return 0.25 * p.value(c, y, x) }},
		{"scaledAdd", func(g *graph, x tensor) tensor { return g.scaledAdd(x, g.relu(x), 0.5, relu6) },
			func(p planes, _ func(string) []float64, c, y, x int) float64 { return relu(1.5 * p.value(c, y, x)) }},
		{"padded", func(g *graph, x tensor) tensor { return g.pad(x, 2, 1) },
			func(p planes, _ func(string) []float64, c, y, x int) float64 { return p.value(c, y-2, x-2) }},
		{"cut", func(g *graph, x tensor) tensor { return g.pad(x, -1, 1) },
			func(p planes, _ func(string) []float64, c, y, x int) float64 { return p.value(c, y+1, x+1) }},
		{"concat", func(g *graph, x tensor) tensor { return g.concat(x, g.relu(x), x) },
			func(p planes, _ func(string) []float64, c, y, x int) float64 {
				if c/64 == 1 {
					return relu(p.value(c-64, y, x))
				}
				return p.value(c%64, y, x)
			}},
		{"excite", func(g *graph, x tensor) tensor { return g.excite(x, g.mean(x)) },
			func(p planes, _ func(string) []float64, c, y, x int) float64 {
				return p.value(c, y, x) * mean(p.at[c*p.area():][:p.area()])
			}},
		{"bn without gamma and beta", func(g *graph, x tensor) tensor { return g.normalise(x, none, false, false) },
			func(p planes, learned func(string) []float64, c, y, x int) float64 {
				return (p.value(c, y, x) - learned("norm_1.mean")[c]) / math.Sqrt(learned("norm_1.variance")[c]+epsilon)
			}},
		{"gn", func(g *graph, x tensor) tensor { return g.gn(x, relu6) },
			func(p planes, learned func(string) []float64, c, y, x int) float64 {
				group := p.at[c/2*2*p.area():][:2*p.area()]
				return min(6, relu(normal(group, p.value(c, y, x))*learned("norm_1.gamma")[c]+learned("norm_1.beta")[c]))
			}},
		{"standardised", func(g *graph, x tensor) tensor { g.standardised = true; return g.conv(x, 6, 1, 1, 0) },
			func(p planes, learned func(string) []float64, c, y, x int) (sum float64) {
				weights := learned("conv_1.weights")[64*c:][:64]
				for i, w := range weights {
					sum += normal(weights, w) * p.value(i, y, x)
				}
				return sum
			}},
		{"1x7 by 2, same", func(g *graph, x tensor) tensor {
			return g.convolve(x, conv{filters: 6, kernel: 1, width: 7, stride: 2, pad: same, bias: true})
		}, func(p planes, learned func(string) []float64, c, y, x int) float64 {
			sum := learned("conv_1.bias")[c]
			for i := range 64 * 7 {
				sum += learned("conv_1.weights")[c*64*7+i] * p.value(i/7, 2*y, 2*x+i%7-2)
			}
			return sum
		}},
		{"depthwise 3x3 by 2, same", func(g *graph, x tensor) tensor { return g.filter(x, 3, 2) },
			func(p planes, learned func(string) []float64, c, y, x int) (sum float64) {
				for i := range 9 { // the padding is behind
					sum += learned("conv_1.weights")[c*9+i] * p.value(c, 2*y+i/3, 2*x+i%3)
				}
				return sum
			}},
	} {
		b := newBuilder()
		image := tensor{"image", 64, 6, 6}
		b.uniform("image", image.count(), -1, 1)
		out := c.layer(&graph{builder: b, named: map[string]int{}}, image)
		m := manifest{name: "graph", buffers: b.buffers, launches: b.launches, outputs: []string{out.buffer}}
		text, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		learned := map[string][]float64{}
		for name, buffer := range b.byName {
			if buffer.Init != nil && buffer.Init.Uniform != nil {
				learned[name] = buffer.noise()
			}
		}
		got := emulated(t, text)
		input := planes{image, learned["image"]}
		for i, v := range got {
			channel, y, x := i/out.area(), i/out.width%out.height, i%out.width
			if want := c.want(input, func(s string) []float64 { return learned[s] }, channel, y, x); math.Abs(v-want) > 1e-4 {
				t.Errorf("%s: [%d, %d, %d] is %v, by definition %v", c.name, channel, y, x, v, want)
				break
			}
		}
		if len(got) != out.count() {
			t.Errorf("%s: %d elements, not %d", c.name, len(got), out.count())
		}
	}
}

// emulated returns what a manifest's launches leave in its output.
func emulated(t *testing.T, text []byte) (values []float64) {
	t.Helper()
	o := analysis.DefaultOptions()
	o.Mode = analysis.Full
	s, err := analysis.OpenManifest(source.File{Name: folder + "/graph.json", Text: text}, o)
	if err != nil {
		t.Fatal(err)
	}
	outs, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range outs[0].Len() {
		values = append(values, outs[0].Float(i))
	}
	return values
}
