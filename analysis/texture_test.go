package analysis

import (
	"context"
	"strings"
	"testing"

	"hyptx/internal/manifest"
	"hyptx/internal/source"
)

// textured are kernels that hand a number on through textures and surfaces, and loops
// that go as often as it says.
const textured = `.version 8.0
.target sm_70
.address_size 64
.global .surfref canvas;
.global .texref photo;
.entry paint(.param .u64 s)
{
	.reg .b64 h; .reg .b32 %r<3>;
	ld.param.u64 h, [s];
	mov.u32 %r1, 0;
	mov.u32 %r2, 5;
	sust.b.1d.b32.trap [h, {%r1}], %r2;
	ret;
}
.entry draw()
{
	.reg .b32 %r<3>;
	mov.u32 %r1, 0;
	mov.u32 %r2, 5;
	sust.p.1d.b32.trap [canvas, {%r1}], %r2;
	ret;
}
.entry store(.param .u64 to)
{
	.reg .b64 p; .reg .b32 %r<3>;
	ld.param.u64 p, [to];
	mov.u32 %r1, 5;
	st.global.u32 [p], %r1;
	ret;
}
.entry loop(.param .u64 n)
{
	.reg .b32 %r<3>; .reg .b64 %rd<2>; .reg .pred %p;
	ld.param.u64 %rd1, [n];
	ld.global.u32 %r1, [%rd1];
L:	sub.u32 %r1, %r1, 1;
	setp.gt.s32 %p, %r1, 0;
	@%p bra L;
	ret;
}
.entry look()
{
	.reg .b32 %r<6>; .reg .pred %p;
	mov.u32 %r1, 0;
	tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [photo, {%r1}];
L:	sub.u32 %r2, %r2, 1;
	setp.gt.s32 %p, %r2, 0;
	@%p bra L;
	ret;
}
.entry lookup(.param .u64 t, .param .u64 to, .param .u32 channel)
{
	.reg .b32 %r<6>; .reg .b64 h, p; .reg .pred %p, c;
	ld.param.u64 h, [t];
	ld.param.u64 p, [to];
	ld.param.u32 %r1, [channel];
	setp.ne.u32 c, %r1, 0;
	mov.u32 %r1, 5;
	st.global.u32 [p], %r1;
	mov.u32 %r1, 0;
	tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [h, {%r1}];
	@c mov.b32 %r2, %r3;
	setp.eq.u32 %p, %r2, 5;
	@%p bra L;
	ret;
L:	ret;
}`

func texturedProgram(t *testing.T, textures, symbols, launches string) *Profile {
	t.Helper()
	text := `{"version": 1, "buffers": {"a": {"bytes": 64, "init": "zero"}, "b": {"bytes": 64, "init": "zero"}},
	  "textures": {` + textures + `}, "symbols": [` + symbols + `], "launches": [` + launches + `], "outputs": ["a"]}`
	s := program{textured, strings.ReplaceAll(text, `"kernel"`, `"module": "k.ptx", "grid": [1], "block": [32], "kernel"`)}.session(t, Control)
	p, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(context.Background(), p); err != nil {
		t.Error(err)
	}
	return p
}

const (
	inA       = `"t": {"buffer": "a", "kind": "1d", "format": "u32", "width": 16}`
	loopsOver = `{"kernel": "loop", "args": [{"buffer": "a"}]}`
)

// TestSurfacesDecide: what is stored into a surface and decides later is in the slice,
// whether a parameter or a variable names the surface, and what lies in another buffer is
// not.
func TestSurfacesDecide(t *testing.T) {
	for _, c := range []struct {
		name, textures, symbols, launches string
		rounds                            uint64
		members                           int
	}{
		{"by a parameter", inA, "", `{"kernel": "paint", "args": [{"surface": "t"}]}, ` + loopsOver, 5, 1},
		{"by a variable", inA, `{"module": "k.ptx", "name": "canvas", "surface": "t"}`, `{"kernel": "draw", "args": []}, ` + loopsOver, 5, 1},
		{"another buffer", `"t": {"buffer": "b", "kind": "1d", "format": "u32", "width": 16}`, "",
			`{"kernel": "paint", "args": [{"surface": "t"}]}, {"kernel": "store", "args": [{"buffer": "a"}]}, ` + loopsOver, 5, 0},
		{"fetched", inA, `{"module": "k.ptx", "name": "photo", "texture": "t"}`, `{"kernel": "store", "args": [{"buffer": "a"}]}, {"kernel": "look", "args": []}`, 5, 1},
	} {
		p := texturedProgram(t, c.textures, c.symbols, c.launches)
		first, last := p.Rows[0], p.Rows[len(p.Launches)-1]
		if last.Exactness != "exact" || p.Launches[len(p.Launches)-1].Facts.Of(WarpInstructions).N < 3*c.rounds {
			t.Errorf("%s: %v warp instructions, %s", c.name, last.WarpInstructions, last.Exactness)
		}
		if first.SliceInstructions.N != uint64(c.members) {
			t.Errorf("%s: %v members of the first slice, want %d", c.name, first.SliceInstructions, c.members)
		}
	}
}

// TestTextureOrigins: decisions on what the manual leaves open of a texture are
// undefined, on one that nobody gave assumed.
func TestTextureOrigins(t *testing.T) {
	lookup := func(to, channel string) string {
		return `{"kernel": "lookup", "args": [{"texture": "t"}, {"buffer": "` + to + `"}, {"value": ` + channel + `}]}`
	}
	for _, c := range []struct {
		name, symbols, launch, want string
	}{
		{"an element", "", lookup("b", "0"), "exact"},
		{"what the launch has stored", "", lookup("a", "0"), "undefined"},
		{"a channel that is not there", "", lookup("b", "1"), "undefined"},
		{"an unbound variable", "", `{"kernel": "look", "args": []}`, "assumed"},
	} {
		p := texturedProgram(t, inA, c.symbols, c.launch)
		if r := p.Rows[0]; r.Exactness != c.want || c.want == "assumed" && !strings.Contains(r.AssumedInputs, "photo=texture"+nothingKnown) {
			t.Errorf("%s: %s, %q", c.name, r.Exactness, r.AssumedInputs)
		}
	}
}

// TestBareTextures: of a bare file's textures nothing is known.
func TestBareTextures(t *testing.T) {
	opts := DefaultOptions()
	opts.Kernel = "lookup"
	sessions, err := OpenBare(context.Background(), source.File{Name: "k.ptx", Text: []byte(textured)}, manifest.Flags{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	p, err := sessions[0].Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r := p.Rows[0]; r.Exactness != "assumed" || !strings.Contains(r.AssumedInputs, "t=texture"+nothingKnown) {
		t.Errorf("%s, %q", r.Exactness, r.AssumedInputs)
	}
}

// TestTextureFaults: what is no texture, or not the one that an instruction takes it for,
// ends the run.
func TestTextureFaults(t *testing.T) {
	for _, c := range []struct{ textures, launch, want string }{
		{inA, `{"kernel": "lookup", "args": [{"surface": "t"}, {"buffer": "b"}, {"value": 0}]}`, "t is a surface, no texture"},
		{inA, `{"kernel": "lookup", "args": [{"buffer": "a"}, {"buffer": "b"}, {"value": 0}]}`, "0x7f0000000000 is no texture"},
		{strings.Replace(inA, `"1d"`, `"2d", "height": 1`, 1), `{"kernel": "lookup", "args": [{"texture": "t"}, {"buffer": "b"}, {"value": 0}]}`, "t is .2d, not .1d"},
		{strings.Replace(inA, "u32", "f32", 1) + `, "s": ` + strings.TrimPrefix(inA, `"t": `), `{"kernel": "paint", "args": [{"texture": "s"}]}`, "s is a texture, no surface"},
	} {
		text := `{"version": 1, "buffers": {"a": {"bytes": 64, "init": "zero"}, "b": {"bytes": 64, "init": "zero"}}, "textures": {` + c.textures + `}, "launches": [` + c.launch + `]}`
		s := program{textured, strings.ReplaceAll(text, `"kernel"`, `"module": "k.ptx", "grid": [1], "block": [32], "kernel"`)}.session(t, Full)
		if _, err := s.Run(context.Background()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestKeptHandle: a handle that goes over the stack, as in code that nobody optimised, is
// one, and so is a pointer; what is read from another place of the stack is neither.
func TestKeptHandle(t *testing.T) {
	const ptx = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 t, .param .u64 p, .param .u64 n)
{
	.local .align 8 .b8 stack[32];
	.reg .b64 sp, d<8>;
	.reg .f32 f<5>;
	mov.u64 sp, stack;
	cvta.local.u64 sp, sp;
	ld.param.u64 d1, [t];
	ld.param.u64 d2, [p];
	ld.param.u64 d3, [n];
	st.u64 [sp], d1;
	st.u64 [sp+8], d2;
	st.u64 [sp+16], d3;
	ld.u64 d4, [sp];
	tex.2d.v4.f32.f32 {f1, f2, f3, f4}, [d4, {f1, f2}];
	ld.u64 d5, [sp+8];
	ld.u64 d6, [sp+16];
	shl.b64 d7, d6, 2;
	add.u64 d0, d5, d7;
	st.f32 [d0], f1;
	ret;
}
`
	opts := DefaultOptions()
	opts.Mode = Full
	sessions, err := OpenBare(context.Background(), source.File{Name: "k.ptx", Text: []byte(ptx)}, manifest.Flags{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ProfileAll(context.Background(), sessions)
	const want = "t=texture of which nothing is known; p=buffer of unspecified contents; n=1024"
	if err != nil || !strings.HasSuffix(p.Rows[0].AssumedInputs, want) {
		t.Errorf("%v, assumed %s; want %s", err, p.Rows[0].AssumedInputs, want)
	}
}
