package analysis

import (
	"strings"
	"testing"
)

// tensorText is a module with a kernel of four warps that allocates tensor memory, does
// something, and decides on the word in %r1.
const tensorText = `.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 a)
{
	.shared .align 1024 .b8 matrices[8192];
	.shared .align 8 .b64 done;
	.shared .align 4 .b32 where;
	.reg .b32 %t, %w, %r<4>, %base, %mine, %to; .reg .b64 %rd1, %da, %db; .reg .pred %p, %first, %one;
	ld.param.u64 %rd1, [a];
	mov.u32 %t, %tid.x;
	setp.lt.u32 %first, %t, 32;
	setp.eq.u32 %one, %t, 0;
	ld.global.u32 %w, [%rd1];
	mov.u32 %to, where;
	@!%first bra ALLOCATED;
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%to], 32;
ALLOCATED:
	mov.u32 %r0, done;
	@%one mbarrier.init.shared.b64 [%r0], 1;
	bar.sync 0;
	ld.shared.u32 %base, [%to];
	shr.u32 %mine, %t, 5; shl.b32 %mine, %mine, 21; add.u32 %mine, %mine, %base;
	BODY
	setp.gt.u32 %p, %r1, 5;
	@%p bra END;
	add.u32 %r2, %r2, 1;
END:
	ret;
}`

// TestTensorMemory: what is in tensor memory decides as what is in any other, in every
// mode: exactly where somebody has put it there and it has been waited for.
func TestTensorMemory(t *testing.T) {
	const (
		stored  = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%mine], {%w}; tcgen05.wait::st.sync.aligned;"
		loaded  = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%mine];"
		began   = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%mine], {%w};"
		again   = "mov.u32 %r3, 3; tcgen05.st.sync.aligned.32x32b.x1.b32 [%mine], {%r3};"
		waited  = "tcgen05.wait::ld.sync.aligned;"
		product = `mov.u32 %r0, matrices; mad.lo.u32 %r0, %t, 64, %r0;
	st.shared.v4.u32 [%r0], {%w, %w, %w, %w}; st.shared.v4.u32 [%r0+16], {%w, %w, %w, %w};
	st.shared.v4.u32 [%r0+32], {%w, %w, %w, %w}; st.shared.v4.u32 [%r0+48], {%w, %w, %w, %w};
	fence.proxy.async; tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
	mov.u32 %r0, matrices; shr.u32 %r0, %r0, 4; or.b32 %r0, %r0, 0x80000; mov.b64 %da, {%r0, 0x4010}; add.u32 %r0, %r0, 256; mov.b64 %db, {%r0, 0x4010};
	mov.u32 %r0, 0x8020010; setp.ne.u32 %p, %t, %t;
	@%one tcgen05.mma.cta_group::1.kind::f16 [%base], %da, %db, %r0, ENABLE;
	mov.u32 %r0, done;
	@%one tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r0];
W:	mbarrier.try_wait.parity.shared.b64 %p, [%r0], 0; @!%p bra W;
	`
	)
	for _, c := range []struct{ name, body, want, fact string }{
		{"stored", stored + loaded + waited, "exact", ""},
		{"nobody has stored", loaded + waited, "assumed", ""},
		{"not waited for", stored + loaded, "undefined", "unfinished"},
		{"the store is not waited for", began + loaded + waited, "undefined", "write-read"},
		{"the store is not waited for, behind a barrier", began + "bar.sync 0;" + loaded + waited, "undefined", "write-read"},
		{"the load is waited for in the store's place", began + waited + loaded + waited, "undefined", "write-read"},
		{"stored while it is loaded", stored + loaded + again + waited, "undefined", "read-write"},
		{"stored while it is loaded, behind a barrier", stored + loaded + "bar.sync 0;" + again + waited, "undefined", "read-write"},
		{"stored when it is loaded", stored + loaded + waited + again, "exact", ""},
		{"in another column", stored + "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%mine+1];" + waited, "assumed", ""},
		{"nothing of it", loaded + waited + "mov.u32 %r1, 7;", "exact", ""},
		{"deallocated, and allocated again", stored + "bar.sync 0; @%first bra F; bra G; F: tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 32; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%to], 32; G: bar.sync 0;" +
			loaded + waited, "assumed", ""},
		{"a product", strings.ReplaceAll(product, "ENABLE", "%p") + loaded + waited, "exact", ""},
		{"a product added to what is stored", stored + strings.ReplaceAll(product, "ENABLE", "%one") + loaded + waited, "exact", ""},
		{"a product added to nothing", strings.ReplaceAll(product, "ENABLE", "%one") + loaded + waited, "assumed", ""},
	} {
		p := program{strings.ReplaceAll(tensorText, "BODY", c.body), launch(1, 128, `"a": {"bytes": 4, "type": "u32", "init": {"fill": 1006648320}}`, `{"buffer": "a"}`)}
		counts := uint64(0)
		for _, mode := range []Mode{Control, Memory, Full} {
			prof := p.profile(t, mode)
			row := prof.Rows[0]
			if row.Exactness != c.want {
				t.Errorf("%s, mode %s: %s, want %s", c.name, mode, row.Exactness, c.want)
			}
			if counts == 0 {
				counts = row.ThreadInstructions.N
			}
			if row.ThreadInstructions.N != counts || row.DivergentBranches.N > 1 {
				t.Errorf("%s, mode %s: %d instructions, %d in mode control, %d branches diverge", c.name, mode, row.ThreadInstructions.N, counts, row.DivergentBranches.N)
			}
			var why []string
			for _, r := range prof.Races() {
				why = append(why, r.Kind)
			}
			if got := strings.Join(why, " "); !strings.Contains(got, c.fact) || c.want == "exact" && got != "" {
				t.Errorf("%s, mode %s: facts %v", c.name, mode, why)
			}
		}
	}
}
