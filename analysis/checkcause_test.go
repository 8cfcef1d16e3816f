package analysis

import (
	"fmt"
	"strings"
	"testing"
)

// Reports name the cause: a fence where a flag or a lock is there, a barrier where a copy
// comes too early, a bound that is off by one. What is wrong follows from the text of each.
func TestCheckCauses(t *testing.T) {
	copyOf := `shl.b32 %r1, %id, 2;
	mov.u32 %r2, sh;
	add.u32 %r2, %r2, %r1;
	cvt.u64.u32 %d1, %r1;
	add.u64 %d1, %b, %d1;
	`
	for _, c := range []struct {
		name        string
		ctas, block int
		body        string
		want, not   string
	}{
		{"update", 1, 64, "ld.global.u32 %r1, [%b];\nadd.u32 %r1, %r1, %id;\nst.global.u32 [%b], %r1;", "one update gets lost: an atomic (atomicAdd and its like) is missing", "fence"},
		{"flag", 2, 1, "@%c0 st.global.u32 [%b], 5;\n@%c0 st.volatile.global.u32 [%b+128], 1;\n@%c0 bra END;\nL: ld.volatile.global.u32 %r1, [%b+128];\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra L;\nld.global.u32 %x, [%b];",
			"a __threadfence or fence.acq_rel.gpu before a flag is set and after it was seen", "update gets lost"},
		{"flag, fences of the CTA", 2, 1, "@%c0 st.global.u32 [%b], 5;\nmembar.cta;\n@%c0 st.volatile.global.u32 [%b+128], 1;\n@%c0 bra END;\nL: ld.volatile.global.u32 %r1, [%b+128];\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra L;\nmembar.cta;\nld.global.u32 %x, [%b];",
			"is for threads of one CTA: a release and an acquire of a wider scope", "update gets lost"},
		{"lock", 2, 1, "L: atom.global.cas.b32 %r1, [%b+128], 0, 1;\nsetp.ne.u32 %p0, %r1, 0;\n@%p0 bra L;\nld.global.u32 %r2, [%b];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%b], %r2;\natom.global.exch.b32 %r3, [%b+128], 0;",
			"take and release a lock, a fence (__threadfence) after taking it and before releasing it is missing; if not, an atomic", ""},
		{"copy, no wait", 1, 64, copyOf + "cp.async.ca.shared.global [%r2], [%d1], 4;\nbar.sync 0;\nld.shared.u32 %x, [sh+252];", "nobody has waited for the copy", "neither"},
		{"copy over what is read", 1, 64, copyOf + "st.shared.u32 [%r2], 1;\nbar.sync 0;\n@%t0 ld.shared.u32 %x, [sh+252];\ncp.async.ca.shared.global [%r2], [%d1], 4;\ncp.async.wait_all;\nbar.sync 0;",
			"no barrier (__syncthreads, bar.sync) between the load at ", "nobody has waited"},
		{"one past", 1, 1, "ld.global.u32 %x, [%s+256];", "element 64 of buffer s, which has 64 elements of 4 bytes (0 to 63): the index goes 1 element past the end", "no bound"},
		{"rows past", 1, 64, "mul.wide.u32 %d1, %id, 8;\nadd.u64 %d1, %s, %d1;\nld.global.u32 %x, [%d1];", "element 64 of buffer s, which has 64 elements of 4 bytes (0 to 63): the index goes up to 63 elements past the end", "no bound"},
		{"past both ends", 1, 64, "mul.wide.u32 %d1, %id, 4;\nadd.u64 %d1, %s, %d1;\nsub.u64 %d1, %d1, 8;\n@%t0 ld.global.u32 %x, [%d1];\n@!%t0 ld.global.u32 %x, [%d1+16];", "the index goes up to 2 elements past the end", "no bound"},
		{"rounds of a loop", 1, 64, "mov.u32 %r1, 0;\nmov.u32 %r2, sh;\nshl.b32 %r3, %id, 2;\nadd.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %id;\nst.shared.u32 [%r2+128], %id;\nbar.sync 0;\nL: ld.shared.u32 %x, [%r2+128];\nst.shared.u32 [%r2], %x;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, 3;\n@%p0 bra L;",
			"and this store, in each round of their loop", ""},
		{"two before", 1, 1, "ld.global.u32 %x, [%s+-8];", "2 elements before the beginning", "no bound"},
		{"far", 1, 1, "ld.shared.u32 %x, [sh+100000];", "no bound that keeps it inside, or one that is too wide", ""},
		{"part", 1, 1, "st.global.u8 [%u], 1;\nld.global.u64 %d1, [%u];\ncvt.u32.u64 %x, %d1;", "reads 8 bytes at byte 0 of buffer u, and no thread has stored 7 of them yet", "stored there yet"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := find(t, program{checkPrelude + c.body + checkEnd, fmt.Sprintf(checkManifest, c.ctas, c.block)})
			var all strings.Builder
			for _, f := range list {
				all.WriteString(f.Why + "\n")
			}
			if got := all.String(); !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("says %s\nwant %q and not %q", got, c.want, c.not)
			}
		})
	}
}
