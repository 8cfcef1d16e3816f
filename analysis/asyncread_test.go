package analysis

import (
	"slices"
	"strings"
	"testing"
)

// TestAsyncReads: what goes on by itself reads until it is waited for, and has written for
// those only who know of the wait: a barrier of the CTA in between tells nothing of it.
func TestAsyncReads(t *testing.T) {
	const (
		begin  = "\t@p cp.async.bulk.global.shared::cta.bulk_group [o], [x], 16;\n\t@p cp.async.bulk.commit_group;\n"
		reduce = "\t@p cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [o], [x], 16;\n\t@p cp.async.bulk.commit_group;\n"
		read   = "\t@p cp.async.bulk.wait_group.read 0;\n"
		wait   = "\t@p cp.async.bulk.wait_group 0;\n"
		bar    = "\tbar.sync 0;\n"
		later  = "\tsetp.eq.u32 q, t, 1;\n\t@q st.shared.u32 [x+8], 99;\n"
		decide = "\tsetp.ne.u32 q, t, 0;\n\t@q exit;\n" + asyncGlobal
	)
	one := strings.NewReplacer(" .reqnctapercluster 2", "", "\tmapa.shared::cluster.u32 e, z, e;\n", "").Replace(asyncHead)
	for _, c := range []struct{ name, body, want string }{
		{"the source is written when it has been read", begin + read + bar + later + bar + wait + decide, "exact"},
		{"the source is written when all is done", begin + wait + bar + later + decide, "exact"},
		{"the source is written behind a barrier", begin + bar + later + bar + wait + decide, "scheduled"},
		{"the source of a reduction", reduce + bar + later + bar + wait + decide, "scheduled"},
		{"the source is written by the lane itself", begin + "\t@p st.shared.u32 [x+8], 99;\n" + wait + decide, "scheduled"},
		{"what is reduced, behind the wait and a barrier", reduce + wait + bar + asyncGlobal, "exact"},
		{"what is reduced, behind a barrier alone", reduce + bar + asyncGlobal, "scheduled"},
		{"an older group is waited for", begin + "\t@p cp.async.bulk.commit_group;\n\t@p cp.async.bulk.wait_group.read 1;\n" + bar + later + bar + wait + decide, "exact"},
		{"a younger group is not", begin + "\t@p cp.async.bulk.wait_group.read 1;\n" + bar + later + bar + wait + decide, "scheduled"},
		{"all wait for what comes", asyncLoad + asyncWait + asyncShared, "exact"},
		{"one waits, and a barrier tells others", asyncLoad + "\t@!p bra B;\n" + asyncWait + "B:\n" + bar + asyncShared, "exact"},
		{"one waits behind the barrier", asyncLoad + bar + "\t@!p bra B;\n" + asyncWait + "B:\n" + asyncShared, "scheduled"},
	} {
		for _, mode := range []Mode{Control, Full} {
			s, err := openMode(t, mode, one+c.body, `{"version": 1, "buffers": {"in": {"type": "u32", "bytes": 256, "init": {"iota": {"start": 3, "step": 1}}}, "out": {"type": "u32", "bytes": 512, "init": "zero"}},
				"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [64], "args": [{"buffer": "in"}, {"buffer": "out"}]}]}`)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			p, err := s.Profile(t.Context())
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			raced := slices.ContainsFunc(p.Races(), func(r *RaceRow) bool { return !r.SameValue && !r.Synchronised })
			got := string(p.Rows[0].Exactness)
			if raced == (c.want == "exact") || got != c.want {
				t.Errorf("%s, mode %s: %s, raced %t; want %s", c.name, mode, got, raced, c.want)
			}
		}
	}
}
