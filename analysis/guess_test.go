package analysis

import (
	"cmp"
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
	const many = "more than 4194304 warp instructions"
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
		{"nested", loops, "", many},
		{"calls", manifest.Flags{}, "n=32; with larger scalars calls need too much stack", ""},
		{"endless", manifest.Flags{}, "", many},
	} {
		opts := DefaultOptions()
		opts.Mode, opts.Kernel = Full, c.kernel
		sessions, err := OpenBare(context.Background(), source.File{Name: "k.ptx", Text: []byte(guessed)}, c.flags, opts)
		if err != nil {
			t.Fatal(err)
		}
		*sessions[0].Options.overrun = 5 // as if five launches had met the limit
		p, err := ProfileAll(context.Background(), sessions)
		if c.fails != "" {
			slow := leastTime.String() + " needed" // the other limit, on a machine that is busy or looks for races
			met := err != nil && (strings.Contains(err.Error(), c.fails) || c.fails == many && strings.Contains(err.Error(), slow))
			if !met || p.Rows[0].Error == "" {
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

// TestSettled: what is assumed is the same in every mode, alone and beside other kernels, to
// who profiles and to who executes; full emulation agrees.
func TestSettled(t *testing.T) {
	for _, kernel := range []string{"tile", "row", "beyond", "null", "nested", "calls"} {
		opts := DefaultOptions()
		opts.Kernel, opts.Verify = kernel, true
		open := func() []*Session {
			sessions, err := OpenBare(context.Background(), source.File{Name: "k.ptx", Text: []byte(guessed)}, manifest.Flags{}, opts)
			if err != nil {
				t.Fatal(err)
			}
			return sessions
		}
		var want string
		for _, opts.Mode = range []Mode{Full, Memory, Control} {
			s := open()[0]
			p, err := ProfileAll(context.Background(), []*Session{s})
			if want = cmp.Or(want, strings.Join(s.Assumed, "; ")); err != nil || strings.Join(s.Assumed, "; ") != want {
				t.Errorf("%s, %s: %v, assumed %s, want %s", kernel, opts.Mode, err, s.Assumed, want)
			}
			if !strings.HasPrefix(p.Rows[0].AssumedInputs, want) {
				t.Errorf("%s, %s: the row assumes %s, want %s", kernel, opts.Mode, p.Rows[0].AssumedInputs, want)
			}
		}
		s := open()[0]
		if _, err := s.Run(context.Background()); err != nil || strings.Join(s.Assumed, "; ") != want {
			t.Errorf("%s, executed: %v, assumed %s, want %s", kernel, err, s.Assumed, want)
		}
		opts.Kernel = ""
		for _, s := range open() {
			if s.launches[0].kernel.Name != kernel {
				continue
			}
			if err := s.Execute(context.Background()); err != nil || strings.Join(s.Assumed, "; ") != want {
				t.Errorf("%s, beside others: %v, assumed %s, want %s", kernel, err, s.Assumed, want)
			}
		}
	}
}

// TestSettledInPart: of a kernel that cannot be executed whole, what can be is tried.
func TestSettledInPart(t *testing.T) {
	const text = `.version 9.4
.target sm_100
.address_size 64
.visible .entry k()
{
	.shared .align 4 .b8 s[256];
	.reg .b32 r<4>;
	mov.u32 r1, %tid.x;
	shl.b32 r2, r1, 2;
	mov.u32 r3, s;
	add.u32 r2, r2, r3;
	st.shared.u32 [r2], r1;
	fence.proxy.generic::fabric.alias.acquire.sys;
	ret;
}
`
	for _, mode := range []Mode{Memory, Control} {
		opts := DefaultOptions()
		opts.Mode = mode
		sessions, err := OpenBare(context.Background(), source.File{Name: "k.ptx", Text: []byte(text)}, manifest.Flags{}, opts)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ProfileAll(context.Background(), sessions)
		const want = "grid=1,1,1; block=64,1,1; a block of 256,1,1 ends in a fault"
		if err != nil || p.Rows[0].AssumedInputs != want {
			t.Errorf("%s: %v, assumed %s", mode, err, p.Rows[0].AssumedInputs)
		}
	}
}

// TestGuessedLimit: launches with an assumed grid have less time, the less the more of
// their file met the limit; a limit that was given holds.
func TestGuessedLimit(t *testing.T) {
	for _, c := range []struct {
		kernel      string
		given, want int64
		grid        []int
		overrun     int
	}{
		{"endless", defaultInstructions, guessedInstructions, nil, 0}, {"endless", defaultInstructions, guessedInstructions / 2, nil, 1},
		{"endless", defaultInstructions, leastGuessed, nil, 30}, {"endless", 7, 7, nil, 1},
		{"endless", defaultInstructions, defaultInstructions, []int{1}, 1},
		{"row", defaultInstructions, guessedInstructions, nil, 30}, // which ends, as is known
	} {
		opts := DefaultOptions()
		opts.Kernel, opts.MaxInstructions = c.kernel, c.given
		sessions, err := OpenBare(context.Background(), source.File{Name: "k.ptx", Text: []byte(guessed)}, manifest.Flags{Grid: c.grid}, opts)
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
