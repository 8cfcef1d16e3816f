//go:build unix

package depgraph

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// repeated is the text of n pieces.
func repeated(n int, one func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(one(i))
	}
	return b.String()
}

// chains are programs in which n values are made of each other, one by one.
func chains(n int) map[string]string {
	function := func(name, body string) string {
		return fmt.Sprintf(".func (.reg .b64 %%o) %s(.reg .b64 %%i)\n{\n%s\nret;\n}\n", name, body)
	}
	with := func(functions, body string) string {
		k := kernel(body)
		return k[:len(prologue)] + functions + k[len(prologue):]
	}
	return map[string]string{
		"branches": kernel("ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x;\n" + repeated(n, func(i int) string {
			return fmt.Sprintf("setp.gt.u32 %%p1, %%r1, %d; @%%p1 bra L%d; add.u64 %%d1, %%d1, 4;\nL%d:\n", i, i, i)
		}) + "st.global.u32 [%d1], %r1; ret;"),
		"loops": kernel("ld.param.u64 %d1, [a]; ld.param.u32 %r2, [n];\n" + repeated(n, func(i int) string {
			return fmt.Sprintf("L%d: add.u64 %%d1, %%d1, 4; setp.gt.u64 %%p1, %%d1, %d; @%%p1 bra L%d;\n", i, i, i)
		}) + "st.global.u32 [%d1], %r2; ret;"),
		"calls in calls": with(function("f0", "add.u64 %o, %i, 4;")+repeated(n, func(i int) string {
			return function(fmt.Sprint("f", i+1), fmt.Sprintf("call (%%o), f%d, (%%i);", i))
		}), fmt.Sprintf("ld.param.u64 %%d1, [a]; call (%%d2), f%d, (%%d1); st.global.u64 [%%d2], %%d1; ret;", n)),
		"calls in a row": with(repeated(n, func(i int) string { return function(fmt.Sprint("f", i), "add.u64 %o, %i, 4;") }),
			"ld.param.u64 %d1, [a];\n"+repeated(n, func(i int) string { return fmt.Sprintf("call (%%d1), f%d, (%%d1);\n", n-1-i) })+"st.global.u64 [%d1], %d1; ret;"),
		"variables": with(repeated(n, func(i int) string { return fmt.Sprintf(".global .u32 v%d = %d;\n", i, i) }),
			repeated(n, func(i int) string { return fmt.Sprintf("ld.global.u32 %%r1, [v%d];\n", i) })+"st.global.u32 [v0], %r1; ret;"),
	}
}

// TestChains: where addresses lead is found of each chain in the time of a few rounds
// over it, and one more round over all finds nothing new.
func TestChains(t *testing.T) {
	for _, n := range []int{20, 10_000} {
		for name, src := range chains(n) {
			m := lower(t, src)
			begin := processorTime(t)
			k := newKernel(m.Kernels()[0])
			ps := newPointers(k)
			ps.solve()
			ps.round()
			if len(ps.changed) > 0 {
				t.Errorf("%s, %d: %d values were not settled", name, n, len(ps.changed))
			}
			k.Specialise(grid(m)).Slice(Full)
			if took := processorTime(t) - begin; took > 5*time.Second {
				t.Errorf("%s, %d: %v", name, n, took)
			} else if n > 1000 {
				t.Logf("%s: %v", name, took.Round(time.Millisecond))
			}
		}
	}
}

// processorTime is what the process has had so far.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
