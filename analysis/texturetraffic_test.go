package analysis

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// fetching fetches, for thread x, from element or place x of a texture or surface.
func fetching(access string) string {
	return `.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 t)
{
	.reg .b64 h; .reg .b32 %r<8>; .reg .f32 %f<3>;
	ld.param.u64 h, [t];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	and.b32 %r3, %r1, 7;
	shr.u32 %r4, %r1, 3;
	cvt.rn.f32.u32 %f1, %r3;
	cvt.rn.f32.u32 %f2, %r4;
	` + access + `
	ret;
}`
}

// TestTextureTraffic: what one warp asks of textures and surfaces, worked out by hand.
func TestTextureTraffic(t *testing.T) {
	const (
		row   = `"kind": "linear", "format": "u32", "width": 64`
		array = `"kind": "1d", "format": "u32", "width": 64`
		image = `"kind": "pitch2d", "format": "f32", "width": 32, "height": 8, "pitchBytes": 128, "filter": "linear"`
	)
	for _, c := range []struct {
		name, texture, handle, access       string
		requests, sectors, bytes, footprint uint64
		exactness                           string
	}{
		{"words in a row", row, "texture", "tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [h, {%r1}];", 1, 4, 128, 128, "exact"},
		{"every fourth word", row, "texture", "and.b32 %r2, %r2, 63; tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [h, {%r2}];", 1, 8, 128, 64, "exact"},
		{"beyond the end", row, "texture", "add.u32 %r2, %r1, 48; tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [h, {%r2}];", 1, 2, 64, 64, "exact"},
		{"no lane", row, "texture", "add.u32 %r2, %r1, 64; tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [h, {%r2}];", 0, 0, 0, 0, "exact"},
		{"an array", array, "texture", "tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [h, {%r1}];", 1, 4, 128, 128, "assumed"},
		// Lane n is at x n%8, y n/8 of the corners of elements: it weights those to the left and
		// above, too, and at the edges one twice. Rows 0 to 3 have elements 0 to 7, one sector each.
		{"four elements each", image, "texture", "tex.2d.v4.f32.f32 {%f1, %f2, _, _}, [h, {%f1, %f2}];", 1, 4, 32 * 16, 128, "exact"},
		{"gathered", image, "texture", "tld4.r.2d.v4.f32.f32 {%f1, %f2, _, _}, [h, {%f1, %f2}];", 1, 4, 32 * 16, 128, "exact"},
		{"loads", array, "surface", "suld.b.1d.v2.b32.trap {%r4, %r5}, [h, {%r2}];", 0, 0, 0, 0, "misaligned"},
		{"loads of words", array, "surface", "suld.b.1d.b32.trap %r4, [h, {%r2}];", 1, 4, 128, 128, "assumed"},
		{"stores", array, "surface", "sust.b.1d.b32.trap [h, {%r2}], %r1;", 1, 4, 128, 128, "assumed"},
		{"stores outside", array, "surface", "add.u32 %r2, %r2, 192; sust.b.1d.b32.zero [h, {%r2}], %r1;", 1, 2, 64, 64, "assumed"},
		{"reduces", array, "surface", "sured.b.add.1d.u32.trap [h, {0}], %r1;", 1, 1, 128, 4, "assumed"},
	} {
		text := fmt.Sprintf(`{"version": 1, "buffers": {"a": {"bytes": 1024, "init": "zero"}}, "textures": {"t": {"buffer": "a", %s}},
			"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"%s": "t"}]}]}`, c.texture, c.handle)
		s := program{fetching(c.access), text}.session(t, Memory)
		p, err := s.Profile(context.Background())
		if c.exactness == "misaligned" {
			if err == nil || !strings.Contains(err.Error(), "misaligned") {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := s.Verify(context.Background(), p); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		f, r := &p.Launches[0].Facts, p.Rows[0]
		if got := [4]uint64{f.Of(TexRequests).N, f.Of(TexSectors).N, f.Of(BytesRequested).N, f.Of(FootprintBytes).N}; got != [4]uint64{c.requests, c.sectors, c.bytes, c.footprint} || string(r.MemoryExactness) != c.exactness {
			t.Errorf("%s: %v requests, sectors, bytes, footprint, want %v; %v", c.name, got, []uint64{c.requests, c.sectors, c.bytes, c.footprint}, r.MemoryExactness)
		}
	}
}
