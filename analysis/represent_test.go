package analysis

import (
	"bytes"
	"fmt"
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
			if err := prof.WritePerCTA(&out, Stamp{}); err != nil {
				t.Fatal(err)
			}
			perCTA[i] = regexp.MustCompile(`(?m),[^,]*$`).ReplaceAllString(out.String(), "")
		}
		if perCTA[0] != perCTA[1] {
			t.Error(fmt.Sprintf("%s: --per-cta differs:\n%s\nfull emulation\n%s", c.read, perCTA[0], perCTA[1]))
		}
	}
}
