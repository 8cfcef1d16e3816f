package main

import "testing"

// An effect is what a launch does to memory, read off its kernel's source: how
// many elements each pointer argument reads or writes, from its offset on.
type effect struct {
	out, in      planeSize   // of one channel; zero where the kernel does not know it
	reads        map[int]int // argument -> elements
	writes       map[int]int
	covers       [][2]int // threads (or threads' tiles) launched, and needed
	window       *window
	multiplyAdds int
}

type planeSize struct{ height, width int }

type window struct{ kernel, stride, pad int }

// A call is a launch with its arguments as integers.
type call struct {
	v    []int // argument -> value; 0 for pointers and floats
	g, b [3]int
	l    fileLaunch
}

func newCall(l fileLaunch) call {
	c := call{v: make([]int, len(l.Args)), g: triple(l.Grid), b: triple(l.Block), l: l}
	for i, a := range l.Args {
		if a.Value != nil {
			c.v[i] = int(*a.Value)
		}
	}
	return c
}

// across returns the threads launched along an axis.
func (c call) across(axis int) int { return c.g[axis] * c.b[axis] }

// effects has one row a kernel that the networks launch.
var effects = map[string]func(*testing.T, call) effect{
	"conv_direct":         convDirect,
	"conv_tiled":          convTiled,
	"conv_pointwise":      convPointwise,
	"conv_depthwise":      convDepthwise,
	"im2col":              im2col,
	"gemm_tiled":          gemmTiled,
	"bias_act":            biasAct,
	"batch_norm":          batchNormEffect,
	"local_response_norm": localResponseNorm,
	"max_pool":            pool,
	"avg_pool":            pool,
	"global_avg_pool":     globalPool,
	"residual_add":        residualAdd,
	"fully_connected":     fullyConnected,
	"softmax":             softmaxEffect,
}

func convDirect(_ *testing.T, c call) effect {
	channels, in, out, w := c.v[4], planeSize{c.v[5], c.v[6]}, planeSize{c.v[7], c.v[8]}, window{c.v[9], c.v[10], c.v[11]}
	filters := c.g[2]
	return convolution(filters, channels, in, out, w, [][2]int{{c.across(0), out.width}, {c.across(1), out.height}})
}

func convTiled(t *testing.T, c call) effect {
	channels, in, filters, out, w := c.v[4], planeSize{c.v[5], c.v[6]}, c.v[7], planeSize{c.v[8], c.v[9]}, window{c.v[10], c.v[11], c.v[12]}
	patch := ((c.b[0]-1)*w.stride + w.kernel) * ((c.b[1]-1)*w.stride + w.kernel)
	if need := 4 * (patch + 4*w.kernel*w.kernel); c.l.DynamicSharedBytes != need {
		t.Errorf("%s: %d bytes of dynamic shared memory, the kernel uses %d", c.l.Label, c.l.DynamicSharedBytes, need)
	}
	return convolution(filters, channels, in, out, w, [][2]int{{c.across(0), out.width}, {c.across(1), out.height}, {4 * c.g[2], filters}})
}

func convPointwise(_ *testing.T, c call) effect {
	channels, in, filters, out, w := c.v[4], planeSize{c.v[5], c.v[6]}, c.v[7], planeSize{c.v[8], c.v[9]}, window{1, c.v[10], 0}
	return convolution(filters, channels, in, out, w, [][2]int{{c.across(0), out.height * out.width}, {4 * c.g[1], filters}})
}

func convolution(filters, channels int, in, out planeSize, w window, covers [][2]int) effect {
	fanIn := channels * w.kernel * w.kernel
	outputs := filters * out.height * out.width
	return effect{
		in: in, out: out, window: &w, covers: covers,
		writes:       map[int]int{0: outputs},
		reads:        map[int]int{1: channels * in.height * in.width, 2: filters * fanIn, 3: filters},
		multiplyAdds: outputs * fanIn,
	}
}

func convDepthwise(_ *testing.T, c call) effect {
	in, out, w := planeSize{c.v[4], c.v[5]}, planeSize{c.v[6], c.v[7]}, window{c.v[8], c.v[9], c.v[10]}
	channels, taps := c.g[2], c.v[8]*c.v[8]
	outputs := channels * out.height * out.width
	return effect{
		in: in, out: out, window: &w, covers: [][2]int{{c.across(0), out.width}, {c.across(1), out.height}},
		writes:       map[int]int{0: outputs},
		reads:        map[int]int{1: channels * in.height * in.width, 2: channels * taps, 3: channels},
		multiplyAdds: outputs * taps,
	}
}

func im2col(t *testing.T, c call) effect {
	in, out, w := planeSize{c.v[2], c.v[3]}, planeSize{c.v[4], c.v[5]}, window{c.v[6], c.v[7], c.v[8]}
	rows, taps := c.g[1], w.kernel*w.kernel
	if rows%taps != 0 {
		t.Errorf("%s: %d rows are no multiple of %d taps", c.l.Label, rows, taps)
	}
	area := out.height * out.width
	return effect{
		in: in, window: &w, covers: [][2]int{{c.across(0), area}},
		// The window's relation is checked against out, which is not the plane of what is written.
		out:    out,
		writes: map[int]int{0: rows * area},
		reads:  map[int]int{1: rows / taps * in.height * in.width},
	}
}

func gemmTiled(t *testing.T, c call) effect {
	rows, columns, depth := c.v[3], c.v[4], c.v[5]
	if c.b != [3]int{16, 16, 1} {
		t.Errorf("%s: block %v, the kernel is for 16 x 16", c.l.Label, c.b)
	}
	return effect{
		covers:       [][2]int{{64 * c.g[0], columns}, {64 * c.g[1], rows}},
		writes:       map[int]int{0: rows * columns},
		reads:        map[int]int{1: rows * depth, 2: depth * columns},
		multiplyAdds: rows * columns * depth,
	}
}

func biasAct(_ *testing.T, c call) effect {
	channels, area := c.g[1], c.v[2]
	return effect{
		covers: [][2]int{{c.across(0), area}},
		writes: map[int]int{0: channels * area},
		reads:  map[int]int{0: channels * area, 1: channels},
	}
}

func batchNormEffect(_ *testing.T, c call) effect {
	channels, area := c.g[1], c.v[7]
	return effect{
		covers: [][2]int{{c.across(0), area}},
		writes: map[int]int{0: channels * area},
		reads:  map[int]int{1: channels * area, 2: channels, 3: channels, 4: channels, 5: channels},
	}
}

func localResponseNorm(_ *testing.T, c call) effect {
	channels, area := c.v[2], c.v[3]
	return effect{
		covers: [][2]int{{c.across(0), area}, {c.g[1], channels}},
		writes: map[int]int{0: channels * area},
		reads:  map[int]int{1: channels * area},
	}
}

func pool(_ *testing.T, c call) effect {
	in, out, w := planeSize{c.v[2], c.v[3]}, planeSize{c.v[4], c.v[5]}, window{c.v[6], c.v[7], c.v[8]}
	channels := c.g[2]
	return effect{
		in: in, out: out, window: &w, covers: [][2]int{{c.across(0), out.width}, {c.across(1), out.height}},
		writes: map[int]int{0: channels * out.height * out.width},
		reads:  map[int]int{1: channels * in.height * in.width},
	}
}

func globalPool(t *testing.T, c call) effect {
	channels, area := c.v[2], c.v[3]
	wholeWarps(t, c)
	return effect{covers: [][2]int{{c.across(1), channels}}, writes: map[int]int{0: channels}, reads: map[int]int{1: channels * area}}
}

func residualAdd(_ *testing.T, c call) effect {
	count := c.v[3]
	return effect{covers: [][2]int{{c.across(0), count}}, writes: map[int]int{0: count}, reads: map[int]int{1: count, 2: count}}
}

func fullyConnected(t *testing.T, c call) effect {
	inputs, outputs := c.v[4], c.v[5]
	wholeWarps(t, c)
	return effect{
		covers:       [][2]int{{c.across(1), outputs}},
		writes:       map[int]int{0: outputs},
		reads:        map[int]int{1: inputs, 2: inputs * outputs, 3: outputs},
		multiplyAdds: inputs * outputs,
	}
}

func softmaxEffect(t *testing.T, c call) effect {
	if c.b[0] != 256 {
		t.Errorf("%s: block %v, the kernel is for 256", c.l.Label, c.b)
	}
	count := c.g[0] * c.v[2]
	return effect{writes: map[int]int{0: count}, reads: map[int]int{1: count}}
}

// wholeWarps: the kernel's rows are warps.
func wholeWarps(t *testing.T, c call) {
	if c.b[0] != 32 || c.g[0] != 1 {
		t.Errorf("%s: grid %v, block %v, the kernel is for one warp along x", c.l.Label, c.g, c.b)
	}
}
