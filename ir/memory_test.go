package ir

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"hyptx/parser"
)

// TestMemory: reading a module takes at most 30 times its text, all garbage included,
// also where nearly all is labels and short instructions, and of ret alone, each of which is
// a block in five bytes. What is counted is what was allocated, which is the same in each run.
func TestMemory(t *testing.T) {
	const n = 20000
	line := func(format string, args func(i int) []any) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, args(i)...)
		}
		return b.String()
	}
	for name, body := range map[string]string{
		"ret alone":            strings.Repeat("ret;\n", 4*n),
		"labels and branches":  line("L%d: setp.eq.u32 %%p, %%r, %d; @%%p bra L%d;\n", func(i int) []any { return []any{i, i % 7, i * 7 % n} }),
		"additions":            line("add.u32 %%r,%%r,%d;\n", func(i int) []any { return []any{i} }),
		"labels":               line("L%d:\n", func(i int) []any { return []any{i} }),
		"lines of source":      line(".loc 1 %d 3\n", func(i int) []any { return []any{i} }),
		"registers":            line(".reg .b32 %%a%d;mov.b32 %%a%d,1;\n", func(i int) []any { return []any{i, i} }),
		"as compilers write":   line("$L__BB0_%d:\n\tld.global.f32 \t%%f1, [%%rd1+%d];\n\tfma.rn.f32 \t%%f2, %%f1, %%f1, %%f2;\n", func(i int) []any { return []any{i, 4 * i} }),
		"loads of vectors":     line("ld.global.v4.f32 {%%f1,%%f2,%%f1,%%f2},[%%rd1+%d];\n", func(i int) []any { return []any{i * 16} }),
		"guarded short blocks": line("@%%p bra L%d;\nL%d: add.u32 %%r,%%r,1;\n", func(i int) []any { return []any{i, i} }),
	} {
		text := []byte(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n" +
			".reg .pred %p;\n.reg .b32 %r;\n.reg .f32 %f<4>;\n.reg .b64 %rd<4>;\n" + body + "ret;\n}\n")
		const most = 30
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tree, err := parser.Open("k.ptx", text, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Lower(tree); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		took := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %.1f", name, float64(took)/float64(len(text)))
		if took > most*uint64(len(text)) {
			t.Errorf("%s: %d bytes for a text of %d, %.1f times as many", name, took, len(text), float64(took)/float64(len(text)))
		}
	}
}
