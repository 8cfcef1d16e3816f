package analysis

import (
	"context"
	"strings"
	"testing"

	"hyptx/internal/manifest"
	"hyptx/internal/source"
)

// guessed has a kernel for each way in which an assumed launch may fail: a tile of 8 by 8,
// a row of 64, a place in shared memory that no block has, a null pointer, loops three
// deep, calls as deep as a scalar, a loop without an end, and a wait for what nobody writes.
const guessed = `.version 8.0
.target sm_80
.address_size 64
.func (.reg .u32 r) deep(.reg .u32 n)
{
	.local .align 8 .b8 kept[16];
	.reg .pred p;
	.reg .b32 r1;
	setp.eq.u32 p, n, 0;
	mov.u32 r, kept;
	@p ret;
	sub.u32 r1, n, 1;
	call (r), deep, (r1);
	ret;
}
.visible .entry tile(.param .u64 p)
{
	.shared .align 4 .b8 s[256];
	.reg .b32 r<5>;
	mov.u32 r1, %tid.x;
	mov.u32 r2, %tid.y;
	mad.lo.u32 r3, r2, 8, r1;
	shl.b32 r3, r3, 2;
	mov.u32 r4, s;
	add.u32 r3, r3, r4;
	st.shared.u32 [r3], r1;
	ret;
}
.visible .entry row(.param .u64 p)
{
	.shared .align 4 .b8 s[256];
	.reg .b32 r<5>;
	mov.u32 r1, %tid.x;
	shl.b32 r3, r1, 2;
	mov.u32 r4, s;
	add.u32 r3, r3, r4;
	st.shared.u32 [r3], r1;
	ret;
}
.visible .entry beyond()
{
	.shared .align 4 .b8 s[4];
	.reg .b32 r1;
	ld.shared.u32 r1, [s+4];
	ret;
}
.visible .entry null(.param .u64 .ptr.global p)
{
	.reg .b64 d<3>;
	ld.param.u64 d1, [p];
	ld.global.u64 d1, [d1];
	ld.global.u64 d2, [d1+8];
	ret;
}
.visible .entry nested(.param .u32 n)
{
	.reg .b32 r<6>;
	.reg .pred p;
	ld.param.u32 r1, [n];
	mov.u32 r2, 0;
	mul.lo.u32 r3, r1, r1;
	mul.lo.u32 r3, r3, r1;
	shr.u32 r3, r3, 3;
L:	mad.lo.u32 r2, r2, 5, 1;
	and.b32 r4, r2, 0x3fffffff;
	setp.ne.u32 p, r4, r3;
	sub.u32 r3, r3, 1;
	setp.ne.and.u32 p, r3, 0, p;
	@p bra L;
	ret;
}
.visible .entry calls(.param .u32 n)
{
	.reg .b32 r<3>;
	ld.param.u32 r1, [n];
	call (r2), deep, (r1);
	ret;
}
.visible .entry endless()
{
L:	bra L;
}
`

// TestGuesses: a launch that fails by what was assumed is tried with other assumptions, and
// its row says which; what cannot be mended so fails as before, and what was given stays.
func TestGuesses(t *testing.T) {
	block, loops := manifest.Flags{Block: []int{16, 16}}, manifest.Flags{DefaultScalar: "2000"}
	for _, c := range []struct {
		kernel string
		flags  manifest.Flags
		want   string // in the column assumed_inputs
		fails  string
	}{
		{"tile", manifest.Flags{}, "block=8,8,1; p=1024; a block of 16,16,1 ends in a fault", ""},
		{"tile", block, "", "shared address"},
		{"row", manifest.Flags{}, "block=64,1,1; p=1024; a block of 256,1,1 ends in a fault", ""},
		{"beyond", manifest.Flags{}, "accesses that hit no memory are no faults", ""},
		{"null", manifest.Flags{}, "block=256,1,1; p=buffer of unspecified contents; accesses that hit no memory are no faults", ""},
		{"null", manifest.Flags{Grid: []int{1}, Block: []int{32}}, "", "a null pointer"},
		{"nested", manifest.Flags{}, "n=32; with larger scalars it takes more than 4194304 warp instructions", ""},
		{"nested", loops, "", "more than 4194304 warp instructions"},
		{"calls", manifest.Flags{}, "n=32; with larger scalars calls need too much stack", ""},
		{"endless", manifest.Flags{}, "", "more than 4194304 warp instructions"},
	} {
		opts := DefaultOptions()
		opts.Mode, opts.Kernel = Full, c.kernel
		sessions, err := OpenBare(source.File{Name: "k.ptx", Text: []byte(guessed)}, c.flags, opts)
		if err != nil {
			t.Fatal(err)
		}
		*sessions[0].Options.overrun = 5 // as if five launches had met the limit
		p, err := ProfileAll(context.Background(), sessions)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) || p.Rows[0].Error == "" {
				t.Errorf("%s: error %v, want %q", c.kernel, err, c.fails)
			}
			continue
		}
		if err != nil || p.Rows[0].Error != "" || !strings.Contains(p.Rows[0].AssumedInputs, c.want) {
			t.Errorf("%s: %v, assumed %s; want %s", c.kernel, err, p.Rows[0].AssumedInputs, c.want)
		}
		if forgiven := strings.Contains(c.want, "no faults"); forgiven != (len(sessions[0].Forgiven()) > 0) {
			t.Errorf("%s: forgiven %v", c.kernel, sessions[0].Forgiven())
		}
	}
}

// TestGuessedLimit: launches with an assumed grid have less time, the less the more of
// their file met the limit; a limit that was given holds.
func TestGuessedLimit(t *testing.T) {
	for _, c := range []struct {
		given, want int64
		grid        []int
		overrun     int
	}{
		{defaultInstructions, guessedInstructions, nil, 0}, {defaultInstructions, guessedInstructions / 2, nil, 1},
		{defaultInstructions, leastGuessed, nil, 30}, {7, 7, nil, 1}, {defaultInstructions, defaultInstructions, []int{1}, 1},
	} {
		opts := DefaultOptions()
		opts.Kernel, opts.MaxInstructions = "row", c.given
		sessions, err := OpenBare(source.File{Name: "k.ptx", Text: []byte(guessed)}, manifest.Flags{Grid: c.grid}, opts)
		if err != nil {
			t.Fatal(err)
		}
		s := sessions[0]
		*s.Options.overrun = c.overrun
		l := s.launches[0]
		if got := s.maxInstructions(l); got != c.want {
			t.Errorf("limit %d, want %d", got, c.want)
		}
		if got, limited := s.launchTimeout(l), c.grid == nil && c.given == defaultInstructions; limited != (got >= leastTime) || !limited != (got == 0) {
			t.Errorf("limit %v, of a launch of which all is assumed: %v", got, limited)
		}
	}
}
