package networks

import (
	"slices"
	"testing"
)

// A span is the elements [from, to) of a buffer.
type span struct{ from, to int }

// covered tells whether the union of spans contains s.
func covered(spans []span, s span) bool {
	sorted := slices.SortedFunc(slices.Values(spans), func(a, b span) int { return a.from - b.from })
	for _, x := range sorted {
		if x.from <= s.from {
			s.from = max(s.from, x.to)
		}
	}
	return s.from >= s.to
}

// A flow follows a network's launches through its buffers.
type flow struct {
	*testing.T
	f             *file
	written, read map[string][]span
	planes        map[string]planeSize // as last written
}

// TestDataflow follows every network launch by launch: no access leaves its
// buffer, nothing is read before it is written, what a layer takes for its
// input's plane is the plane that was written, every output element has a
// thread, and every buffer is written whole and read whole.
func TestDataflow(t *testing.T) {
	for _, n := range all() {
		t.Run(n.Name, func(t *testing.T) {
			d := &flow{T: t, f: read(t, n), written: map[string][]span{}, read: map[string][]span{}, planes: map[string]planeSize{}}
			for name, b := range d.f.Buffers {
				if b.Init != nil {
					d.written[name] = []span{{0, b.Bytes / 4}}
				}
			}
			d.planes["image"] = planeSize{n.image.height, n.image.width}
			for _, l := range d.f.Launches {
				d.launch(l)
			}
			d.finish()
		})
	}
}

func (d *flow) launch(l fileLaunch) {
	effectOf, known := effects[l.Kernel]
	if !known {
		d.Fatalf("%s: kernel %s has no row in effects", l.Label, l.Kernel)
	}
	e := effectOf(d.T, newCall(l))
	for _, c := range e.covers {
		if c[0] < c[1] {
			d.Errorf("%s: %d launched, %d needed", l.Label, c[0], c[1])
		}
	}
	if w := e.window; w != nil {
		if !w.fits(e.in, e.out) {
			d.Errorf("%s: a window %+v over %+v does not give %+v", l.Label, *w, e.in, e.out)
		}
	}
	if e.in != (planeSize{}) {
		if in := d.planes[l.Args[1].Buffer]; in != e.in {
			d.Errorf("%s: takes %s for %+v, it is %+v", l.Label, l.Args[1].Buffer, e.in, in)
		}
	}
	for i, count := range e.reads {
		if !l.Args[i].Null {
			d.access(l, i, count, d.read)
		}
	}
	for i, count := range e.writes {
		d.access(l, i, count, d.written)
	}
	d.plane(l, e)
}

// access records an access and checks it: inside the buffer, and a read only of
// what has been written.
func (d *flow) access(l fileLaunch, i, count int, into map[string][]span) {
	a := l.Args[i]
	b := d.f.Buffers[a.Buffer]
	if b == nil {
		d.Fatalf("%s: no buffer %s", l.Label, a.Buffer)
	}
	s := span{a.Offset / 4, a.Offset/4 + count}
	if a.Offset%4 != 0 || s.to > b.Bytes/4 {
		d.Errorf("%s: argument %d: elements %v of %s, which has %d", l.Label, i, s, a.Buffer, b.Bytes/4)
	}
	into[a.Buffer] = append(into[a.Buffer], s)
	if !covered(d.written[a.Buffer], s) {
		d.Errorf("%s: argument %d: reads %v of %s, which is not all written", l.Label, i, s, a.Buffer)
	}
}

// plane notes the plane of what a launch has written. A kernel that works on
// rows of elements keeps its input's; gemm_tiled's is that of the im2col before.
func (d *flow) plane(l fileLaunch, e effect) {
	switch l.Kernel {
	case "gemm_tiled":
		d.planes[l.Args[0].Buffer] = d.planes[l.Args[2].Buffer]
	case "bias_act":
	case "scaled_add":
		d.planes[l.Args[0].Buffer] = d.planes[l.Args[2].Buffer]
	case "group_norm", "batch_norm", "local_response_norm", "residual_add", "concat", "relu", "sigmoid", "scale_channels":
		d.planes[l.Args[0].Buffer] = d.planes[l.Args[1].Buffer]
	default:
		d.planes[l.Args[0].Buffer] = e.out
	}
}

// finish checks that no part of a buffer is left over.
func (d *flow) finish() {
	for name, b := range d.f.Buffers {
		whole := span{0, b.Bytes / 4}
		if !covered(d.written[name], whole) {
			d.Errorf("%s is not written whole", name)
		}
		if name != "probabilities" && !covered(d.read[name], whole) {
			d.Errorf("%s is not read whole", name)
		}
	}
	for _, o := range d.f.Outputs {
		if d.f.Buffers[o] == nil {
			d.Errorf("output %s is no buffer", o)
		}
	}
}

func TestCovered(t *testing.T) {
	spans := []span{{6, 9}, {0, 4}, {2, 5}}
	for s, want := range map[span]bool{{0, 5}: true, {1, 4}: true, {6, 9}: true, {4, 7}: false, {5, 6}: false, {8, 10}: false} {
		if got := covered(spans, s); got != want {
			t.Errorf("covered(%v, %v) = %v", spans, s, got)
		}
	}
}
