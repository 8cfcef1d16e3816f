package analysis

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"hyptx/internal/source"
)

// TestResize holds examples/resize, a photo that a texture's filter makes smaller, against
// bilinear interpolation in double precision. Weights of 8 bits of fraction, rounded, are
// off by at most 2^-9 in each direction, and elements differ by at most 1, so that a
// channel is off by 2^-8; a byte of the surface by half a step more, and the grey value,
// whose weights add up to 1, by roundings of single precision.
func TestResize(t *testing.T) {
	path := filepath.Join("..", "examples", "resize.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	open := func(mode Mode) *Session {
		opts := DefaultOptions()
		opts.Mode = mode
		s, err := OpenManifest(source.File{Name: path, Text: text}, opts)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open(Full)
	out, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	const width, height, smallWidth, smallHeight = 128, 96, 50, 44
	photo := make([]byte, 4*width*height)
	if err := s.Manifest.Buffers[0].Fill(photo, 0); err != nil {
		t.Fatal(err)
	}
	pixel := func(x, y, c int) float64 {
		x, y = min(max(x, 0), width-1), min(max(y, 0), height-1)
		return float64(photo[4*(y*width+x)+c]) / 255
	}
	worst := 0.0
	for y := range smallHeight {
		for x := range smallWidth {
			u, v := (float64(x)+0.5)*width/smallWidth-0.5, (float64(y)+0.5)*height/smallHeight-0.5
			left, top := math.Floor(u), math.Floor(v)
			a, b := u-left, v-top
			var sum [4]float64
			for c := range sum {
				at := func(dx, dy int) float64 { return pixel(int(left)+dx, int(top)+dy, c) }
				sum[c] = (1-b)*((1-a)*at(0, 0)+a*at(1, 0)) + b*((1-a)*at(0, 1)+a*at(1, 1))
				got := float64(out[0].Data[4*(y*smallWidth+x)+c])
				if d := math.Abs(got/255 - sum[c]); d > 1.0/256+0.5/255 {
					t.Fatalf("channel %d of (%d, %d) is %g, want %g", c, x, y, got/255, sum[c])
				}
			}
			grey := 0.299*sum[0] + 0.587*sum[1] + 0.114*sum[2]
			got := float64(math.Float32frombits(binary.LittleEndian.Uint32(out[1].Data[4*(y*smallWidth+x):])))
			if worst = max(worst, math.Abs(got-grey)); worst > 1.0/256+1e-6 {
				t.Fatalf("grey (%d, %d) is %g, want %g", x, y, got, grey)
			}
		}
	}
	t.Logf("grey values are off by at most %.2g", worst)
	control := open(Control)
	p, err := control.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := control.Verify(context.Background(), p); err != nil {
		t.Error(err)
	}
	if p.Rows[0].Exactness != "exact" {
		t.Errorf("the profile is %s", p.Rows[0].Exactness)
	}
}

// TestSurfacesAndJobs: CTAs that store to one place of a surface leave the same, however
// many run side by side.
func TestSurfacesAndJobs(t *testing.T) {
	const ptx = `.version 8.0
.target sm_70
.address_size 64
.entry k(.param .u64 s, .param .u64 t)
{
	.reg .b64 h, g; .reg .b32 %r<9>;
	ld.param.u64 h, [s];
	ld.param.u64 g, [t];
	mov.u32 %r1, 0;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %tid.x;
	tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [g, {%r3}];
	mad.lo.u32 %r4, %r4, 3, %r2;
	shl.b32 %r3, %r3, 2;
	sust.b.1d.b32.trap [h, {%r3}], %r4;
	sured.b.add.1d.u32.trap [h, {%r1}], %r2;
	ret;
}`
	const manifest = `{"version": 1, "buffers": {"a": {"bytes": 256, "init": "zero"}}, "outputs": ["a"],
	  "textures": {"t": {"buffer": "a", "kind": "1d", "format": "u32", "width": 64}},
	  "launches": [{"module": "k.ptx", "kernel": "k", "grid": [40], "block": [64], "args": [{"surface": "t"}, {"texture": "t"}]}]}`
	var want []byte
	for _, jobs := range []int{1, 4} {
		opts := DefaultOptions()
		opts.Mode, opts.Jobs = Full, jobs
		s, err := OpenManifest(program{ptx, manifest}.source(t, t.TempDir()), opts)
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 256)
		copy(got, out[0].Data)
		if want == nil {
			want = got
		} else if string(got) != string(want) {
			t.Errorf("%d jobs leave %x, one %x", jobs, got, want)
		}
	}
}
