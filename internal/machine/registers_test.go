package machine

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/internal/ssa"
	"hyptx/ir"
)

// TestRegisters holds how many registers a listing needs beside the fixed ones.
func TestRegisters(t *testing.T) {
	var loads, sums strings.Builder // sixteen values that are alive together
	for i := range 16 {
		fmt.Fprintf(&loads, "ld.global.f32 %%f%d, [%%rda+%d];", i, 256*i)
		fmt.Fprintf(&sums, "mul.rn.f32 %%f19, %%f19, %%f%d;", i)
	}
	many := "mov.f32 %f19, 0f3F800000;" + loads.String() + "bar.sync 0;" + sums.String() + "st.global.f32 [%rdb], %f19;"
	for _, c := range []struct {
		what, body, directive string
		want                  int
	}{
		{"a floor", "st.global.u32 [%rda], %rn;", "", minRegisters},
		{"sixteen loads, the product, and a pointer", many, "", 16 + 1 + 2 + fixedRegisters},
		{"as many as .maxnreg allows", many, ".maxnreg 18", 18},
		{"32 CTAs of 128 threads on an SM", many, ".maxntid 128, 1, 1 .minnctapersm 32", minRegisters},
	} {
		text := strings.Replace(kernel(70, c.body), ")\n{", ") "+c.directive+"\n{", 1)
		if got := List(ssa.Build(parseKernel(t, "test.ptx", []byte(text))), nil, 70).Registers(); got != c.want {
			t.Errorf("%s: %d registers, by hand %d", c.what, got, c.want)
		}
	}
}

// TestIssueOrder holds what scheduling is for: loads are issued before what needs
// one of them, but not before a store that may meet them, or a barrier.
func TestIssueOrder(t *testing.T) {
	for _, c := range []struct{ what, body, want string }{
		{"loads go first", "ld.global.f32 %f1, [%rda]; mul.rn.f32 %f1, %f1, %f1; ld.global.f32 %f2, [%rdb]; mul.rn.f32 %f2, %f2, %f1; st.global.f32 [%rda], %f2;", "LLMMS"},
		{"a store to who knows where stands before", "ld.global.f32 %f1, [%rda]; st.global.f32 [%rdb], %f1; ld.global.f32 %f2, [%rda+4]; mul.rn.f32 %f2, %f2, %f1; st.global.f32 [%rda+4], %f2;", "LSLMS"},
		{"what nobody writes passes it", "ld.global.f32 %f1, [%rda]; st.global.f32 [%rdb], %f1; ld.global.nc.f32 %f2, [%rda+4]; mul.rn.f32 %f2, %f2, %f1; st.global.f32 [%rda+4], %f2;", "LLSMS"},
		{"so does another word of the same pointer", "ld.global.f32 %f1, [%rda]; st.global.f32 [%rda+8], %f1; ld.global.f32 %f2, [%rda+4]; mul.rn.f32 %f2, %f2, %f1; st.global.f32 [%rda+4], %f2;", "LLSMS"},
		{"nothing passes a barrier", "ld.global.f32 %f1, [%rda]; bar.sync 0; ld.global.f32 %f2, [%rdb]; mul.rn.f32 %f2, %f2, %f1; st.global.f32 [%rda], %f2;", "LBLMS"},
	} {
		l := List(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(70, c.body)))), nil, 70)
		got := ""
		for i := range l.Blocks[0].Ops {
			if at := strings.Index("load_global store_global barrier fp32", l.Blocks[0].Ops[i].Kind.String()); at >= 0 {
				got += map[int]string{0: "L", 12: "S", 25: "B", 33: "M"}[at]
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, by hand %s", c.what, got, c.want)
		}
	}
}

// TestRegistersInWindows: slots that are looked at by windows are alive where they are
// if all are looked at together.
func TestRegistersInWindows(t *testing.T) {
	was := setBytes
	defer func() { setBytes = was }()
	several := 0
	eachFunction(t, filepath.Join("..", "..", "ptx-samples"), func(f *ir.Func) {
		l := List(ssa.Build(f), nil, 70)
		setBytes = was
		want := l.live().pressure()
		setBytes = 1
		v := l.live()
		if got := v.pressure(); got != want {
			t.Errorf("%s: %d registers, in windows %d", f.Name, want, got)
		}
		if len(v.wide) > 64 {
			several++
		}
	})
	if several < 3 {
		t.Errorf("%d functions have several windows", several)
	}
}
