package analysis

import (
	"slices"
	"strings"
	"testing"
)

// TestProxyFence: what threads have written is there for bulk copies and products only behind
// a fence.proxy.async, of who has written it or of who knows of it.
func TestProxyFence(t *testing.T) {
	const (
		write  = "\tshl.b32 u, t, 2;\n\tadd.u32 u, u, x;\n\tst.shared.u32 [u+64], t;\n"
		fence  = "\tfence.proxy.async;\n"
		out    = "\t@p cp.async.bulk.global.shared::cta.bulk_group [o+64], [x+64], 256;\n\t@p cp.async.bulk.commit_group;\n\t@p cp.async.bulk.wait_group 0;\n" + lateBar
		read   = "\tld.global.u32 d, [o+68];\n\tsetp.eq.u32 q, d, 7;\n" + lateDecide
		end    = lateBar + out + read
		inner  = "\t@p cp.async.bulk.global.shared::cta.bulk_group [o+64], [x], 16;\n\t@p cp.async.bulk.commit_group;\n\t@p cp.async.bulk.wait_group 0;\n" + lateBar + read
		copied = "\t@p cp.async.ca.shared.global [x], [i], 16;\n\tcp.async.wait_all;\n"
		stored = "\t@p st.global.u32 [o], 9;\n"
		bytes  = "\t@p1 mbarrier.arrive.expect_tx.shared.b64 s, [y], 16;\n\t@p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [x], [o], 16, [y];\n"
	)
	head := strings.Replace(lateHead, "sh[64]", "sh[128]", 1)
	loaded := lateBytes + lateBulk + lateWait("W", "y", "0")
	global := lateBar + bytes + lateWait("W", "y", "0") + lateRead
	work := strings.NewReplacer("MEET", workMeet, "BODY", workCopy+workCommit+workWait("W", "0")+workLoad).Replace(workText)
	product := strings.NewReplacer("MEET", workMeet, "BODY", workAdds+workCommit+workWait("W", "0")+workLoad).Replace(workText)
	for _, c := range []struct {
		name, text string
		fenced     bool
	}{
		{"fenced", head + write + fence + end, true},
		{"not fenced", head + write + end, false},
		{"fenced before", head + fence + write + end, false},
		{"each fenced but one", head + write + "\t@!p " + fence[1:] + end, false},
		{"fenced by one before the barrier", head + write + "\t@p " + fence[1:] + end, false},
		{"fenced behind the barrier", head + write + lateBar + "\t@p " + fence[1:] + end, true},
		{"fenced by another thread, which may come later than the copy", head + write + lateBar + "\t@p1 " + fence[1:] + out + read, false},
		{"fenced by another thread, and a barrier", head + write + lateBar + "\t@p1 " + fence[1:] + lateBar + out + read, true},
		{"fenced for shared memory", head + write + strings.Replace(fence, ";", ".shared::cta;", 1) + end, true},
		{"another fence", head + write + "\tfence.acq_rel.gpu;\n" + end, false},
		{"written again", head + write + fence + lateBar + "\t@p1 st.shared.u32 [x+68], 9;\n" + end, false},
		{"written again, and fenced", head + write + fence + lateBar + "\t@p1 st.shared.u32 [x+68], 9;\n" + fence + end, true},
		{"loaded by another copy", head + loaded + inner, true},
		{"loaded by cp.async", head + copied + lateBar + inner, false},
		{"loaded by cp.async, and fenced", head + copied + fence + lateBar + inner, true},
		{"written over by a copy", head + "\t@p st.shared.u32 [x], 9;\n" + lateBar + loaded + lateRead, false},
		{"written over by a copy, and fenced", head + "\t@p st.shared.u32 [x], 9;\n" + fence + lateBar + loaded + lateRead, true},
		{"written over by a thread that has waited", head + loaded + lateBar + "\t@p st.shared.u32 [x], 9;\n" + lateBar + lateRead, true},
		{"global memory", head + stored + global, false},
		{"global memory, fenced", head + stored + fence + global, true},
		{"tensor memory", work, true},
		{"tensor memory, not fenced", strings.Replace(work, "fence.proxy.async;", "", 1), false},
		{"a product", product, true},
		{"a product, not fenced", strings.Replace(product, "fence.proxy.async;", "", 1), false},
	} {
		threads := 64
		if strings.Contains(c.text, "tcgen05") {
			threads = 128
		}
		for _, mode := range []Mode{Control, Memory, Full} {
			p := lateProfile(t, mode, c.text, threads)
			missing := slices.ContainsFunc(p.Races(), func(r *RaceRow) bool { return r.Kind == "no-proxy-fence" })
			if got := p.Rows[0].Exactness; missing == c.fenced || !c.fenced && got != "undefined" || c.fenced && got == "undefined" {
				t.Errorf("%s, mode %s: fenced %t, %s", c.name, mode, !missing, got)
			}
		}
	}
}
