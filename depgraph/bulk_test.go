package depgraph

import (
	"strings"
	"testing"
)

// TestBulkSlice: a thread waits for a bulk copy by an mbarrier object, and stores what came.
// How often it waits rests on the copy's being told, at its place and of its size, not on
// the bytes: who wrote these is no member, in either mode. They are needed where the copy
// looks at them, and where a decision reads them.
func TestBulkSlice(t *testing.T) {
	const body = `
	.shared .align 128 .b8 tile[256];
	.shared .align 8 .b64 bar;
	mov.u32 %r0, %tid.x;
	mbarrier.init.shared.b64 [bar], 1;
	ld.param.u64 %d0, [a];
	ld.param.u64 %d1, [b];
	ld.global.u32 %r1, [%d1];
	st.global.u32 [%d0], %r1; // what is copied
	mbarrier.arrive.expect_tx.shared.b64 %d2, [bar], 256;
	COPY // copy
WAIT:
	mbarrier.try_wait.shared.b64 %p0, [bar], %d2;
	@!%p0 bra WAIT;
	DECIDE
	ld.shared.u32 %r2, [tile]; // what came
	ld.param.u64 %d3, [c];
	st.global.u32 [%d3], %r2; // its way out
	ret;`
	const (
		plain  = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d0], 256, [bar];"
		report = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_16bytes::80000000 [tile], [%d0], 256, [bar];"
	)
	for _, c := range []struct {
		name, copy, decide string
		mode               Mode
		source             bool
	}{
		{"a wait", plain, "", Control, false},
		{"a wait, and addresses", plain, "", Memory, false},
		{"a report", report, "", Control, true},
		{"a decision on what came", plain, "ld.shared.u32 %r3, [tile+4];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 exit;", Control, true},
	} {
		src := strings.Replace(kernel(strings.NewReplacer("COPY", c.copy, "DECIDE", c.decide).Replace(body)), ".version 8.3\n.target sm_90\n", ".version 9.4\n.target sm_90\n", 1)
		m := lower(t, src)
		f := new(Planner).Kernel(m.Kernels()[0]).Specialise(grid(m)).Slice(c.mode)
		lines := strings.Split(src, "\n")
		for i := range m.Instrs {
			in := &m.Instrs[i]
			switch line := lines[in.Pos.Line-1]; {
			case strings.HasSuffix(line, "// copy"):
				if !f.Slice.Run.Has(in.PC) || f.Slice.Value.Has(in.PC) != c.source {
					t.Errorf("%s: the copy is a member: %t, its bytes are needed: %t", c.name, f.Slice.Run.Has(in.PC), f.Slice.Value.Has(in.PC))
				}
			case strings.HasSuffix(line, "// what is copied"):
				if f.Slice.Run.Has(in.PC) && f.Slice.Value.Has(in.PC) != c.source || f.Slice.Run.Has(in.PC) != (c.source || c.mode == Memory) {
					t.Errorf("%s: who stores what is copied is a member: %t, with its value: %t", c.name, f.Slice.Run.Has(in.PC), f.Slice.Value.Has(in.PC))
				}
			case strings.HasSuffix(line, "// its way out"):
				if f.Slice.Value.Has(in.PC) {
					t.Errorf("%s: what nobody reads is stored", c.name)
				}
			}
		}
	}
}
