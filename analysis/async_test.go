package analysis

import (
	"strings"
	"testing"
)

// asyncHead begins a kernel of clusters of two CTAs that copies by itself; thread 0 of each
// has made the barrier mb.
const asyncHead = `.version 8.6
.target sm_90
.address_size 64
.entry k(.param .u64 in, .param .u64 out) .reqnctapercluster 2
{
	.reg .b32 t, c, d, e, f, x, y, z;
	.reg .b64 i, o, s, w;
	.reg .pred p, q;
	.shared .align 128 .b32 sh[64];
	.shared .align 8 .b64 mb;
	mov.u32 t, %tid.x;
	mov.u32 c, %cluster_ctarank;
	setp.eq.u32 p, t, 0;
	ld.param.u64 i, [in];
	ld.param.u64 o, [out];
	mov.u32 x, sh;
	mov.u32 y, mb;
	mad.lo.u32 z, t, 4, x;
	mad.lo.u32 d, c, 32, t;
	mad.wide.u32 w, d, 4, o;
	@p mbarrier.init.shared.b64 [y], 1;
	st.shared.u32 [z], t;
	xor.b32 e, c, 1;
	mapa.shared::cluster.u32 e, z, e;
	fence.proxy.async;
	fence.mbarrier_init.release.cluster;
	barrier.cluster.arrive;
	barrier.cluster.wait;
`

// What follows decides on the word of shared memory at z, or on that at w.
const (
	asyncShared = "\tld.shared.u32 d, [z];\n\tsetp.eq.u32 q, d, 7;\n\t@q bra E;\n\tst.global.u32 [w], d;\nE:\n\tret;\n}\n"
	asyncGlobal = "\tld.global.u32 d, [o+8];\n\tsetp.eq.u32 q, d, 7;\n\t@q bra E;\n\tst.global.u32 [o+4], d;\nE:\n\tret;\n}\n"
	asyncWait   = "W:\n\tmbarrier.try_wait.parity.shared.b64 q, [y], 0;\n\t@!q bra W;\n"
	asyncExpect = "\t@p mbarrier.arrive.expect_tx.shared.b64 s, [y], 128;\n"
	asyncLoad   = asyncExpect + "\t@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [x], [i], 128, [y];\n"
	asyncBoth   = "\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n"
	asyncFirst  = "\tadd.u32 d, t, c;\n\tsetp.ne.u32 q, d, 0;\n\t@q exit;\n"
)

// TestAsyncOrder: what goes on by itself is in order with who has waited for it in the
// way that the manual names, and with nobody else, the thread that began it included.
func TestAsyncOrder(t *testing.T) {
	for _, c := range []struct {
		name, body string
		ordered    bool
	}{
		{"a copy, waited for at its mbarrier", asyncLoad + asyncWait + asyncShared, true},
		{"a copy, and a barrier of the CTA alone", asyncLoad + "\tbar.sync 0;\n" + asyncShared, false},
		{"a copy that nobody waits for", asyncLoad + asyncShared, false},
		{"a store into the other CTA, waited for there", asyncExpect + asyncBoth +
			"\tmapa.shared::cluster.u32 f, y, 0;\n\tsetp.eq.u32 q, c, 1;\n\t@q bra R;\n\tmov.u32 f, y;\nR:\n" +
			"\txor.b32 d, c, 1;\n\tmapa.shared::cluster.u32 f, y, d;\n\tst.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [e], t, [f];\n" + asyncWait + asyncShared, true},
		{"a store into the other CTA, and a barrier of the cluster alone", "\txor.b32 d, c, 1;\n\tmapa.shared::cluster.u32 f, y, d;\n" +
			"\tst.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [e], c, [f];\n" + asyncBoth + asyncShared, false},
		{"a plain store into the other CTA, and a barrier of the cluster", "\tst.shared::cluster.u32 [e], c;\n" + asyncBoth + asyncShared, true},
		{"a plain store into the other CTA, and no barrier", "\tst.shared::cluster.u32 [e], c;\n" + asyncShared, false},
		{"a plain store into the other CTA, and a barrier that is relaxed", "\tst.shared::cluster.u32 [e], c;\n\tbarrier.cluster.arrive.relaxed;\n\tbarrier.cluster.wait;\n" + asyncShared, false},
		{"and a fence before it", "\tst.shared::cluster.u32 [e], c;\n\tfence.acq_rel.cluster;\n\tbarrier.cluster.arrive.relaxed;\n\tbarrier.cluster.wait;\n" + asyncShared, true},
		{"and a fence before the store", "\tfence.acq_rel.cluster;\n\tst.shared::cluster.u32 [e], c;\n\tbarrier.cluster.arrive.relaxed;\n\tbarrier.cluster.wait;\n" + asyncShared, false},
		{"and a fence of the CTA", "\tst.shared::cluster.u32 [e], c;\n\tfence.acq_rel.cta;\n\tbarrier.cluster.arrive.relaxed;\n\tbarrier.cluster.wait;\n" + asyncShared, false},
		{"a group that is waited for", asyncFirst + "\tcp.async.bulk.global.shared::cta.bulk_group [o], [x], 16;\n\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;\n" + asyncGlobal, true},
		{"a group of which the reading is waited for", asyncFirst + "\tcp.async.bulk.global.shared::cta.bulk_group [o], [x], 16;\n\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read 0;\n" + asyncGlobal, false},
		{"a group that is not waited for", asyncFirst + "\tcp.async.bulk.global.shared::cta.bulk_group [o], [x], 16;\n\tcp.async.bulk.commit_group;\n" + asyncGlobal, false},
	} {
		text := `{"version": 1, "buffers": {"in": {"type": "u32", "bytes": 256, "init": {"iota": {"start": 3, "step": 1}}}, "out": {"type": "u32", "bytes": 256, "init": "zero"}},
			"launches": [{"module": "k.ptx", "kernel": "k", "grid": [2], "block": [32], "args": [{"buffer": "in"}, {"buffer": "out"}]}]}`
		s, err := openText(t, asyncHead+c.body, text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		p, err := s.Profile(t.Context())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		raced := false
		for _, r := range p.Races() {
			raced = raced || !r.SameValue && !r.Synchronised && strings.HasPrefix(r.OtherText, "ld.")
		}
		if raced == c.ordered {
			t.Errorf("%s: raced %t; called %s", c.name, raced, p.Rows[0].Exactness)
		}
	}
}

// swizzledPTX copies a box of a tensor whose map is given.
const swizzledPTX = `.version 8.6
.target sm_90
.address_size 64
.entry k(.param .align 64 .b8 tm[128])
{
	.reg .b32 x, y, t;
	.reg .b64 m;
	.reg .pred p;
	.shared .align 128 .b32 sh[128];
	.shared .align 8 .b64 mb;
	mov.u32 t, %tid.x;
	mov.u32 x, sh;
	mov.u32 y, mb;
	mov.b64 m, tm;
	cvta.param.u64 m, m;
	mbarrier.init.shared.b64 [y], 1;
	cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [x], [m, {0, 0}], [y];
	ret;
}
`

// TestSwizzledRows: what is swizzled has rows of at most the swizzle's span.
func TestSwizzledRows(t *testing.T) {
	for _, c := range []struct{ swizzle, box, wrong string }{
		{"none", "64", ""}, {"32B", "8", ""}, {"64B", "16", ""}, {"128B", "32", ""},
		{"32B", "16", "a row of 64 bytes; one that is swizzled has at most 32"},
		{"128B", "64", "a row of 256 bytes; one that is swizzled has at most 128"},
	} {
		text := `{"version": 1, "buffers": {"a": {"type": "u32", "bytes": 4096, "init": "zero"}},
			"tensorMaps": {"T": {"buffer": "a", "type": "u32", "dims": [64, 4], "stridesBytes": [256], "box": [` + c.box + `, 2], "swizzle": "` + c.swizzle + `"}},
			"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [1], "args": [{"tensorMap": "T"}]}]}`
		s, err := openMode(t, Full, swizzledPTX, text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Profile(t.Context())
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("swizzle %s, rows of %s elements: %v, want %q", c.swizzle, c.box, err, c.wrong)
		}
	}
}
