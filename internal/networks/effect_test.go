package networks

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

// A window is a kernel's height, and its width where it is not square, with the padding
// before it; the convolution may have less behind it.
type window struct{ kernel, stride, pad, width, left int }

// fits reports whether a window over a plane can give another: the last output begins in
// the padded plane, and what is padded behind is at most one more than before.
func (w window) fits(in, out planeSize) bool {
	along := func(in, out, kernel, before int) bool {
		behind := (out-1)*w.stride + kernel - before - in
		return behind <= before+1 && behind > before-w.stride
	}
	if w.width == 0 {
		w.width, w.left = w.kernel, w.pad
	}
	return along(in.height, out.height, w.kernel, w.pad) && along(in.width, out.width, w.width, w.left)
}

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
	"conv_window":         convWindow,
	"group_norm":          groupNormEffect,
	"scaled_add":          scaledAdd,
	"scale_channels":      scaleChannels,
	"relu":                elementwise,
	"sigmoid":             elementwise,
	"concat":              concatEffect,
	"pad":                 padEffect,
}

func convDirect(_ *testing.T, c call) effect {
	channels, in, out, w := c.v[4], planeSize{c.v[5], c.v[6]}, planeSize{c.v[7], c.v[8]}, window{kernel: c.v[9], stride: c.v[10], pad: c.v[11]}
	filters := c.g[2]
	return convolution(filters, channels, in, out, w, [][2]int{{c.across(0), out.width}, {c.across(1), out.height}})
}

func convTiled(t *testing.T, c call) effect {
	channels, in, filters, out, w := c.v[4], planeSize{c.v[5], c.v[6]}, c.v[7], planeSize{c.v[8], c.v[9]}, window{kernel: c.v[10], stride: c.v[11], pad: c.v[12]}
	patch := ((c.b[0]-1)*w.stride + w.kernel) * ((c.b[1]-1)*w.stride + w.kernel)
	if need := 4 * (patch + 4*w.kernel*w.kernel); c.l.DynamicSharedBytes != need {
		t.Errorf("%s: %d bytes of dynamic shared memory, the kernel uses %d", c.l.Label, c.l.DynamicSharedBytes, need)
	}
	return convolution(filters, channels, in, out, w, [][2]int{{c.across(0), out.width}, {c.across(1), out.height}, {4 * c.g[2], filters}})
}

func convPointwise(_ *testing.T, c call) effect {
	channels, in, filters, out, w := c.v[4], planeSize{c.v[5], c.v[6]}, c.v[7], planeSize{c.v[8], c.v[9]}, window{kernel: 1, stride: c.v[10]}
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
	in, out, w := planeSize{c.v[4], c.v[5]}, planeSize{c.v[6], c.v[7]}, window{kernel: c.v[8], stride: c.v[9], pad: c.v[10]}
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
	in, out, w := planeSize{c.v[2], c.v[3]}, planeSize{c.v[4], c.v[5]}, window{kernel: c.v[6], stride: c.v[7], pad: c.v[8]}
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
	in, out, w := planeSize{c.v[2], c.v[3]}, planeSize{c.v[4], c.v[5]}, window{kernel: c.v[6], stride: c.v[7], pad: c.v[8]}
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
	return effect{out: planeSize{1, 1}, covers: [][2]int{{c.across(1), channels}}, writes: map[int]int{0: channels}, reads: map[int]int{1: channels * area}}
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

func convWindow(_ *testing.T, c call) effect {
	channels, in, filters, out := c.v[4], planeSize{c.v[5], c.v[6]}, c.v[7], planeSize{c.v[8], c.v[9]}
	w := window{kernel: c.v[10], width: c.v[11], stride: c.v[12], pad: c.v[13], left: c.v[14]}
	e := convolution(filters, channels, in, out, w, [][2]int{{c.across(0), out.width}, {c.across(1), out.height}, {4 * c.g[2], filters}})
	e.reads[2] = filters * channels * w.kernel * w.width
	e.multiplyAdds = e.writes[0] * channels * w.kernel * w.width
	return e
}

func groupNormEffect(t *testing.T, c call) effect {
	groups, channels, area := c.g[0], c.v[5], c.v[6]
	if c.b[0] != 256 {
		t.Errorf("%s: block %v, the kernel is for 256", c.l.Label, c.b)
	}
	count := groups * channels
	return effect{writes: map[int]int{0: count * area}, reads: map[int]int{1: count * area, 2: count, 3: count}}
}

func scaledAdd(_ *testing.T, c call) effect {
	count := c.v[4]
	return effect{covers: [][2]int{{c.across(0), count}}, writes: map[int]int{0: count}, reads: map[int]int{1: count, 2: count}}
}

func scaleChannels(_ *testing.T, c call) effect {
	channels, area := c.g[1], c.v[3]
	return effect{covers: [][2]int{{c.across(0), area}}, writes: map[int]int{0: channels * area}, reads: map[int]int{1: channels * area, 2: channels}}
}

func elementwise(_ *testing.T, c call) effect {
	count := c.v[2]
	return effect{covers: [][2]int{{c.across(0), count}}, writes: map[int]int{0: count}, reads: map[int]int{1: count}}
}

func concatEffect(_ *testing.T, c call) effect {
	first, second := c.v[3], c.v[4]
	return effect{covers: [][2]int{{c.across(0), first + second}}, writes: map[int]int{0: first + second}, reads: map[int]int{1: first, 2: second}}
}

func padEffect(t *testing.T, c call) effect {
	channels, in, out := c.g[2], planeSize{c.v[2], c.v[3]}, planeSize{c.v[4], c.v[5]}
	if c.v[6] != c.v[7] || out.height-in.height < c.v[6] || out.width-in.width < c.v[7] {
		t.Errorf("%s: %+v padded by %d, %d is no %+v", c.l.Label, in, c.v[6], c.v[7], out)
	}
	return effect{
		in: in, out: out, covers: [][2]int{{c.across(0), out.width}, {c.across(1), out.height}},
		writes: map[int]int{0: channels * out.height * out.width}, reads: map[int]int{1: channels * in.height * in.width},
	}
}

// wholeWarps: the kernel's rows are warps.
func wholeWarps(t *testing.T, c call) {
	if c.b[0] != 32 || c.g[0] != 1 {
		t.Errorf("%s: grid %v, block %v, the kernel is for one warp along x", c.l.Label, c.g, c.b)
	}
}
