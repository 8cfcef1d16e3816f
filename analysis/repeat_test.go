package analysis

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

// TestRepeatedLaunch has a launch with a count: one run of it stands for all,
// and every view counts all.
func TestRepeatedLaunch(t *testing.T) {
	ptx := entry("", `
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 5;
	@%p1 bra END;
	add.f32 %f1, %f1, %f1;
END:
	ret;`)
	p := program{ptx, strings.Replace(launch(2, 64, "", ""), `"grid"`, `"count": 3, "grid"`, 1)}
	const runs, ctas, warps = 3, 2, 2
	for _, mode := range []Mode{Control, Full} {
		s := p.session(t, mode)
		s.Options.PerCTA = true
		prof, err := s.Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Verify(context.Background(), prof); err != nil {
			t.Errorf("mode %s: %v", mode, err)
		}
		var issues []uint64
		for _, r := range prof.PerInstruction() {
			issues = append(issues, r.WarpExecutions)
		}
		if n := uint64(runs * ctas * warps); !reflect.DeepEqual(issues, []uint64{n, n, n, n, n}) {
			t.Errorf("mode %s: the instructions are issued %d times, by hand each %d times", mode, issues, n)
		}
		err = prof.perCTA(func(r *CTARow) error {
			if r.WarpInstructions != 5*runs*warps || r.Branches != runs*warps || r.DivergentBranches != runs {
				t.Errorf("mode %s: CTA %d has %d instructions, %d branches, %d divergent; by hand %d, %d, %d",
					mode, r.CTA, r.WarpInstructions, r.Branches, r.DivergentBranches, 5*runs*warps, runs*warps, runs)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
