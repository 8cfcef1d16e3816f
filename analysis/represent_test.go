package analysis

import (
	"bytes"
	"regexp"
	"testing"
)

// TestAxes: of an axis of the grid that nothing reads, one CTA is run, and all
// CTAs get its counts.
func TestAxes(t *testing.T) {
	for _, c := range []struct {
		read string // what the guard is made from
		ctas uint64
	}{
		{"mov.u32 %r1, %ctaid.x;", 5}, {"mov.u32 %r1, %ctaid.y;", 3}, {"mov.u32 %r1, %ctaid.z;", 2}, {"mov.u32 %r1, %nctaid.x;", 1},
		{"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.z; mad.lo.u32 %r1, %r2, 2, %r1;", 10},
		{"mov.u32 %r1, %ctaid.y; mov.u32 %r2, %ctaid.z; mad.lo.u32 %r1, %r2, 3, %r1; mov.u32 %r3, %tid.x; add.u32 %r1, %r1, %r3;", 6},
		{"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;", 30},
	} {
		body := "\t" + c.read + `
	setp.lt.u32 %p1, %r1, 1;
	@%p1 bra E;
L:	sub.u32 %r1, %r1, 1;
	setp.gt.u32 %p2, %r1, 1;
	@%p2 bra L;
E:	ret;`
		manifest := `{"version": 1, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [5, 3, 2], "block": [40], "args": []}]}`
		p := program{module("", "", body), manifest}
		var perCTA [2]string
		for i, mode := range []Mode{Control, Full} {
			s := p.session(t, mode)
			s.Options.PerCTA = true
			prof, err := s.Profile(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Verify(t.Context(), prof); err != nil {
				t.Error(err)
			}
			if r := prof.Rows[0]; mode == Control && r.EmulatedCTAs.N != c.ctas {
				t.Errorf("%s: %d CTAs were run, expected %d", c.read, r.EmulatedCTAs.N, c.ctas)
			}
			var out bytes.Buffer
			if err := prof.WritePerCTA(t.Context(), RowWriter(&out, Stamp{})); err != nil {
				t.Fatal(err)
			}
			perCTA[i] = regexp.MustCompile(`(?m),[^,]*$`).ReplaceAllString(out.String(), "")
		}
		if perCTA[0] != perCTA[1] {
			t.Errorf("%s: --per-cta differs:\n%s\nfull emulation\n%s", c.read, perCTA[0], perCTA[1])
		}
	}
}

// groupCases are kernels in which %ctaid decides guards, launched with 5 x 3
// CTAs of 40 threads: how many CTAs are run, and how many do different things.
var groupCases = []struct {
	name, body    string
	emulated      uint64
	graphs, class uint64
}{
	// Of each side one CTA: what is left in its graph does not read %ctaid.
	{"a border", `
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra E;
	setp.lt.u32 %p2, %r2, 7;
	@%p2 bra E;
	add.u32 %r3, %r3, 1;
E:	ret;`, 2, 2, 2},
	// Two axes decide: a corner, two sides and the middle.
	{"two borders", `
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ctaid.y;
	setp.eq.u32 %p1, %r1, 0;
	setp.eq.u32 %p2, %r2, 2;
	@%p1 bra A;
	add.u32 %r3, %r3, 1;
A:	@%p2 bra E;
	add.u32 %r4, %r4, 1;
E:	ret;`, 4, 4, 4},
	// Behind the border %ctaid.y is read: three CTAs there, one at the border.
	{"a border and a trip count", `
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ctaid.y;
	setp.lt.u32 %p1, %r1, 2;
	@%p1 bra E;
L:	sub.u32 %r2, %r2, 1;
	setp.gt.s32 %p2, %r2, 0;
	@%p2 bra L;
E:	ret;`, 4, 2, 3},
	// The diagonal: groups whose CTAs are no rectangles.
	{"a diagonal", `
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ctaid.y;
	setp.eq.u32 %p1, %r1, %r2;
	@%p1 bra E;
	add.u32 %r3, %r3, 1;
E:	ret;`, 2, 2, 2},
	// The outcomes differ, the counts do not: two names of one target.
	{"alike in different groups", `
	mov.u32 %r1, %ctaid.x;
	min.u32 %r2, %r1, 1;
T:	.branchtargets L, L;
	brx.idx %r2, T;
L:	ret;`, 2, 1, 1},
}

// TestGroups: the CTAs of each specialised graph run the slice of their own,
// and the views show what full emulation shows.
func TestGroups(t *testing.T) {
	for _, c := range groupCases {
		manifest := `{"version": 1, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [5, 3], "block": [40], "args": []}]}`
		p := program{module("", "", c.body), manifest}
		var views [3]string
		for i, mode := range []Mode{Control, Memory, Full} {
			s := p.session(t, mode)
			s.Options.PerCTA = true
			prof, err := s.Profile(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Verify(t.Context(), prof); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			r := prof.Rows[0]
			if mode != Full && r.EmulatedCTAs.N != c.emulated {
				t.Errorf("%s: %d CTAs were run, by hand %d", c.name, r.EmulatedCTAs.N, c.emulated)
			}
			if r.DependencyGraphs.N != c.graphs || r.CTAClasses.N != c.class {
				t.Errorf("%s, mode %s: %d graphs and %d classes, by hand %d and %d", c.name, mode, r.DependencyGraphs.N, r.CTAClasses.N, c.graphs, c.class)
			}
			if f := prof.Launches[0].filter; mode == Control {
				for _, g := range f.Groups().Filters() {
					if g == f {
						t.Errorf("%s: a group runs the slice of the whole launch", c.name)
					}
				}
			}
			var out bytes.Buffer
			if err := prof.WritePerCTA(t.Context(), RowWriter(&out, Stamp{})); err != nil {
				t.Fatal(err)
			}
			views[i] = out.String()
		}
		if views[0] != views[2] || views[1] != views[2] {
			t.Errorf("%s: --per-cta differs:\n%s\n%s\nfull emulation\n%s", c.name, views[0], views[1], views[2])
		}
	}
}

// TestGroupsWithOrigins: where a decision of some CTAs rests on what nobody gave, groups
// are no shortcut: what %ctaid decides alone, as a selection, a comparison of ranges or
// which definition arrives, would be exact in the groups' slices and not in the launch's.
func TestGroupsWithOrigins(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"a selection", `
	selp.b32 %r4, %r3, 9, %p1;`},
		{"a comparison of ranges", `
	and.b32 %r4, %r3, 7;
	mul.lo.u32 %r5, %r1, 8;
	add.u32 %r5, %r5, 1;
	max.u32 %r4, %r4, %r5;`},
		{"and with nothing", `
	sub.u32 %r5, 0, %r1;
	and.b32 %r4, %r3, %r5;`},
	} {
		p := program{module("", "", `
	mov.u32 %r1, %ctaid.x;
	setp.eq.u32 %p1, %r1, 1;`+c.body+`
	setp.gt.u32 %p2, %r4, 4;
	@%p1 bra E;
	@%p2 bra E;
	add.u32 %r6, %r6, 1;
E:	ret;`), `{"version": 1, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [3], "block": [40], "args": []}]}`}
		for _, mode := range runningModes {
			if r := p.profile(t, mode).Rows[0]; r.Exactness != assumedCounts {
				t.Errorf("%s, mode %s: %s", c.name, mode, r.Exactness)
			}
		}
	}
}
