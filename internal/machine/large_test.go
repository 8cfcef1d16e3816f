//go:build unix

package machine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hyptx/internal/ssa"
)

// TestLarge estimates programs that are large in one way or another: none may
// take long, or fail.
func TestLarge(t *testing.T) {
	repeat := func(n int, one func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(one(i))
		}
		return b.String()
	}
	for name, body := range map[string]string{
		"a long chain": "mov.u32 %i, %tid.x;" + repeat(50_000, func(int) string { return "xor.b32 %r1, %r1, %i; mul.hi.u32 %r1, %r1, %i;" }),
		"a long sum":   "mov.u32 %i, %tid.x;" + repeat(50_000, func(int) string { return "mad.lo.s32 %r1, %r1, %i, %rn;" }),
		"many branches": "mov.u32 %i, %tid.x;" + repeat(10_000, func(i int) string {
			return fmt.Sprintf("setp.eq.s32 %%p1, %%i, %d; @%%p1 bra L%d; xor.b32 %%r1, %%i, %%rn; st.shared.u32 [sh], %%r1;\nL%d:\n", i, i, i)
		}),
		"many equal arms": "mov.u32 %i, %tid.x;" + repeat(10_000, func(i int) string {
			return fmt.Sprintf("@%%p1 bra L%d; bar.sync 0; xor.b32 %%r1, %%i, %%rn; st.shared.u32 [sh], %%r1;\nL%d:\n", i, i)
		}),
		"nested loops": repeat(200, func(i int) string { return fmt.Sprintf("mov.u32 %%r1, 0;\nL%d:\n", i) }) +
			repeat(200, func(i int) string {
				return fmt.Sprintf("add.s32 %%r1, %%r1, 1; setp.lt.s32 %%p1, %%r1, 3; @%%p1 bra L%d;\n", 199-i)
			}),
		"many counted loops": repeat(3000, func(i int) string {
			return fmt.Sprintf("mov.u32 %%r1, 0;\nL%d: st.shared.u32 [sh], %%r1; add.s32 %%r1, %%r1, 1; setp.lt.s32 %%p1, %%r1, 4000; @%%p1 bra L%d;\n", i, i)
		}),
		"many loops without a known end": repeat(1500, func(i int) string {
			return fmt.Sprintf("mov.u32 %%r1, 0;\nL%d: st.shared.u32 [sh], %%r1; add.s32 %%r1, %%r1, 1; setp.lt.s32 %%p1, %%r1, %%rn; @%%p1 bra L%d;\n", i, i)
		}),
		"a doubling chain": "mov.u32 %r1, 0;\nL: mov.u32 %r2, %r1;" + repeat(60, func(int) string { return "add.s32 %r2, %r2, %r2;" }) +
			"add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r2, 4000; @%p1 bra L;",
	} {
		f := parseKernel(t, "test.ptx", []byte(kernel(70, body+" st.shared.u32 [sh+4], %r1;")))
		s := ssa.Build(f)
		begin := processorTime(t)
		c := codeOf(s, nil, 70)
		took := processorTime(t) - begin
		t.Logf("%-20s %8d instructions, %8d charges, %v", name, len(f.Instrs()), len(c.Charges), took.Round(time.Millisecond))
		if took > 10*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

// processorTime is what the process has had so far: other work on the machine changes
// little of it.
func processorTime(t *testing.T) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
