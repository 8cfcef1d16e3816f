package analysis

import (
	"slices"
	"strings"
	"testing"
)

// TestAsyncClusters: what goes on by itself between CTAs of a cluster is there for who has
// seen the phase of the mbarrier over that it tells, of its own CTA or another.
func TestAsyncClusters(t *testing.T) {
	const (
		peer   = "\txor.b32 d, c, 1;\n\tmapa.shared::cluster.u32 f, y, d;\n\tmapa.shared::cluster.u32 g, x, d;\n"
		expect = "\t@p mbarrier.arrive.expect_tx.shared.b64 s, [y], 16;\n"
		copied = expect + "\t@p cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [g+128], [x], 16, [f];\n"
		store  = "\t@p st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [g+128], 5, [f];\n"
		few    = "\t@p mbarrier.arrive.expect_tx.shared.b64 s, [y], 4;\n" + asyncBoth
		both   = expect + "\tsetp.eq.u32 q, c, 0;\n\tand.pred q, q, p;\n\tmov.b16 m, 3;\n" +
			"\t@q cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [x+128], [i], 16, [y], m;\n"
		over = "\t@p st.shared.u32 [x], 77;\n\tbar.sync 0;\n"
		read = "\tld.shared.u32 d, [x+128];\n"
		far  = "\tld.shared::cluster.u32 d, [g+128];\n"
		end  = "\tsetp.eq.u32 q, d, 7;\n\t@q bra E;\n\tst.global.u32 [w], d;\nE:\n" + asyncBoth + "\tret;\n}\n"
	)
	for _, c := range []struct {
		name, body string
		ordered    bool
	}{
		{"a copy to the other CTA", copied + asyncWait + read, true},
		{"a copy to the other CTA, behind a barrier", copied + asyncBoth + read, false},
		{"its source is written when the other CTA has told that it came", copied + asyncWait + asyncBoth + over + read, true},
		{"its source is written when another copy came", copied + asyncWait + over + read, false},
		{"its source is written behind a barrier", copied + asyncBoth + over + asyncWait + read, false},
		{"a copy to both", both + asyncWait + read, true},
		{"a copy to both, behind a barrier", both + asyncBoth + read, false},
		{"a copy to both, read in the other", both + asyncWait + far, false},
		{"a copy to both, read in the other behind a barrier", both + asyncWait + asyncBoth + far, true},
		{"a store", few + store + asyncWait + read, true},
		{"a plain store before it", few + "\t@p st.shared::cluster.u32 [g+192], 3;\n" + store + asyncWait + "\tld.shared.u32 d, [x+192];\n", false},
	} {
		head := strings.Replace(asyncHead, ".reg .b32 t,", ".reg .b16 m;\n\t.reg .b32 g, t,", 1) + peer
		text := `{"version": 1, "buffers": {"in": {"type": "u32", "bytes": 256, "init": {"iota": {"start": 3, "step": 1}}}, "out": {"type": "u32", "bytes": 256, "init": "zero"}},
			"launches": [{"module": "k.ptx", "kernel": "k", "grid": [2], "block": [32], "args": [{"buffer": "in"}, {"buffer": "out"}]}]}`
		for _, mode := range []Mode{Control, Memory, Full} {
			s, err := openMode(t, mode, head+c.body+end, text)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			p, err := s.Profile(t.Context())
			if err != nil {
				t.Errorf("%s, mode %s: %v", c.name, mode, err)
				continue
			}
			raced := slices.ContainsFunc(p.Races(), func(r *RaceRow) bool { return !r.SameValue && !r.Synchronised })
			if raced == c.ordered {
				t.Errorf("%s, mode %s: raced %t, %s", c.name, mode, raced, p.Rows[0].Exactness)
			}
		}
	}
}
