package analysis

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// The kernels of racesplanted_test.go and racesplantedchain_test.go have one mistake
// each, those of racesordered_test.go and racesorderedchain_test.go the same without the mistake, or something that looks like one.
// What each must show follows from PTX ISA 8 and docs/design.md; nothing was copied from
// what the detector says.

// raceKernel is the body of a kernel, and what must be found of it.
//
// In the body %tN is true in thread N of each CTA, %wN in warp N, %cN in CTA N, and
// %lo in lanes 0 to 15; %id, %cta and %lane are numbers. %g is the address of 1 MiB
// of zeros, of and sh are 1 KiB of shared memory each. What the body leaves in %x
// decides a branch, so that the accesses that it comes from are in the slice.
// Lines end in a letter after // where an access is named below.
type raceKernel struct {
	name        string
	ctas, block int
	body        string
	want        string // rows (see rows), separated by ", "
	exactness   string
}

const (
	racePrelude = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 from)
{
	.reg .b16 %h<4>; .reg .b32 %x, %id, %cta, %lane, %warp, %r<8>; .reg .b64 %g, %d<8>; .reg .f32 %f<4>;
	.reg .pred %p<4>, %t0, %t1, %t32, %w0, %w1, %w2, %w3, %c0, %c1, %c2, %lo;
	.shared .align 16 .b8 sh[1024];
	.shared .align 16 .b8 of[1024];
	ld.param.u64 %g, [from];
	mov.u32 %id, %tid.x;
	mov.u32 %cta, %ctaid.x;
	and.b32 %lane, %id, 31;
	shr.u32 %warp, %id, 5;
	setp.eq.u32 %t0, %id, 0;
	setp.eq.u32 %t1, %id, 1;
	setp.eq.u32 %t32, %id, 32;
	setp.eq.u32 %w0, %warp, 0;
	setp.eq.u32 %w1, %warp, 1;
	setp.eq.u32 %w2, %warp, 2;
	setp.eq.u32 %w3, %warp, 3;
	setp.eq.u32 %c0, %cta, 0;
	setp.eq.u32 %c1, %cta, 1;
	setp.eq.u32 %c2, %cta, 2;
	setp.lt.u32 %lo, %lane, 16;
	mov.u32 %x, 0;
`
	raceEnd = `
	setp.gt.s32 %p3, %x, 5;
	@%p3 bra END;
	add.u32 %x, %x, 1;
END:	ret;
}`
	// zeroShared makes the first 32 bytes of shared memory zero, in order with all
	// that comes.
	zeroShared = `
	@%t0 st.shared.v4.u32 [sh], {0, 0, 0, 0};
	@%t0 st.shared.v4.u32 [sh+16], {0, 0, 0, 0};
	bar.sync 0;`
)

// text is the kernel's PTX.
func (k *raceKernel) text() string { return racePrelude + k.body + raceEnd }

// launchOf is a launch in a manifest.
func launchOf(kernel string, ctas, block int) string {
	return fmt.Sprintf(`{"module": "k.ptx", "kernel": "%s", "grid": [%d], "block": [%d], "args": [{"buffer": "b"}]}`, kernel, ctas, block)
}

// profile profiles the kernel in a mode.
func (k *raceKernel) profile(t *testing.T, mode Mode) *Profile {
	t.Helper()
	return k.run(t, mode, k.text(), launchOf("k", k.ctas, k.block))
}

// beforeReader profiles a number of CTAs of the kernel, and then one thread that
// decides on the first word of the buffer.
func (k *raceKernel) beforeReader(t *testing.T, mode Mode, ctas int) *Profile {
	t.Helper()
	_, head, _ := strings.Cut(racePrelude, "entry k")
	return k.run(t, mode, k.text()+"\n.visible .entry reader"+head+"\n	ld.global.u32 %x, [%g];"+raceEnd,
		launchOf("k", ctas, k.block)+", "+launchOf("reader", 1, 1))
}

func (k *raceKernel) run(t *testing.T, mode Mode, ptx, launches string) *Profile {
	t.Helper()
	p := program{ptx, `{"version": 1, "buffers": {"b": {"bytes": 1048576, "type": "u32", "init": "zero"}}, "launches": [` + launches + `]}`}
	prof, err := p.session(t, mode).Profile(context.Background())
	if err != nil {
		t.Fatalf("%s: %v\n%s", mode, err, numbered(k.body))
	}
	return prof
}

// rows are what was found, each "kind A B", where A and B are the letters of the lines,
// with the words warp, value and sync where the two are of one warp, give one value,
// are synchronised. Equal rows are one.
func (k *raceKernel) rows(t *testing.T, p *Profile) []string {
	t.Helper()
	text := strings.Split(k.text(), "\n")
	letter := func(line uint64) string {
		_, mark, ok := strings.Cut(text[line-1], "//")
		if !ok {
			return fmt.Sprintf("(line %d: %s)", line, text[line-1])
		}
		return mark
	}
	found := map[string]bool{}
	for _, r := range p.Races() {
		row := r.Kind + " " + letter(uint64(r.Line))
		if r.OtherLine.Known {
			row += " " + letter(r.OtherLine.N)
			if one, other := warpOf(r.Thread), warpOf(r.OtherThread); (one == other) != r.SameWarp {
				t.Errorf("%s: threads %q and %q, same_warp %t", row, r.Thread, r.OtherThread, r.SameWarp)
			}
		}
		for i, is := range []bool{r.Synchronised, r.SameWarp, r.SameValue} {
			if is {
				row += []string{" sync", " warp", " value"}[i]
			}
		}
		found[row] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// warpOf cuts the lane off a thread.
func warpOf(thread string) string {
	warp, _, _ := strings.Cut(thread, " lane")
	return warp
}

// check profiles the kernel in all modes and compares what is found.
func (k *raceKernel) check(t *testing.T) {
	want := slices.DeleteFunc(strings.Split(k.want, ", "), func(s string) bool { return s == "" })
	slices.Sort(want)
	for _, mode := range runningModes {
		p := k.profile(t, mode)
		if got := k.rows(t, p); !slices.Equal(got, want) {
			t.Errorf("%s: found %q, by hand %q", mode, got, want)
		}
		if r := p.Rows[0]; r.Exactness != k.exactness {
			t.Errorf("%s: %s, by hand %s", mode, r.Exactness, k.exactness)
		}
		p.Explain() // must know all that it names
	}
}
