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
	var words strings.Builder // sixteen loads of four words, of which one stays alive; the others say where the next load is
	last := ""
	for i := range 16 {
		fmt.Fprintf(&words, "mul.wide.u32 %%rd1, %%r19, 4; add.u64 %%rd1, %%rda, %%rd1; ld.global.v4.u32 {%%r%d, %%r16, %%r17, %%r18}, [%%rd1]; mul.lo.u32 %%r19, %%r16, %%r17; mul.lo.u32 %%r19, %%r19, %%r18;", i)
		last += fmt.Sprintf("mul.lo.u32 %%r19, %%r19, %%r%d;", i)
	}
	quads := "mov.u32 %r19, %tid.x;" + words.String() + last + "st.global.u32 [%rdb], %r19;"
	many := "mov.f32 %f19, 0f3F800000;" + loads.String() + "bar.sync 0;" + sums.String() + "st.global.f32 [%rdb], %f19;"
	for _, c := range []struct {
		what, body, directive string
		want                  int
	}{
		{"a floor", "st.global.u32 [%rda], %rn;", "", minRegisters},
		{"sixteen loads, the product, and a pointer", many, "", 16 + 1 + 2 + fixedRegisters},
		{"a word of each load but the last one, of which all four, and a pointer", quads, "", 15 + 4 + 2 + fixedRegisters},
		{"as many as .maxnreg allows", many, ".maxnreg 18", 18},
		{"32 CTAs of 128 threads on an SM", many, ".maxntid 128, 1, 1 .minnctapersm 32", minRegisters},
	} {
		text := strings.Replace(kernel(70, c.body), ")\n{", ") "+c.directive+"\n{", 1)
		if got := listingOf(ssa.Build(parseKernel(t, "test.ptx", []byte(text))), nil, 70).Registers; got != c.want {
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
		l := listingOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(70, c.body)))), nil, 70)
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

// TestRegistersOfLaunch: a launch that somebody makes is possible.
func TestRegistersOfLaunch(t *testing.T) {
	var loads, first, second strings.Builder // two hundred values that are read again when all have been
	for i := range 200 {
		fmt.Fprintf(&loads, "ld.global.f32 %%g%d, [%%rda+%d];", i, 256*i)
		fmt.Fprintf(&first, "mul.rn.f32 %%f19, %%f19, %%g%d;", i)
		fmt.Fprintf(&second, "fma.rn.f32 %%f19, %%f19, %%f19, %%g%d;", i)
	}
	body := ".reg .f32 %g<200>; mov.f32 %f19, 0f3F800000;" + loads.String() + first.String() + second.String() + "st.global.f32 [%rdb], %f19;"
	s := ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(70, body))))
	for _, c := range []struct {
		launch *Launch
		want   int
	}{
		{nil, 200 + 2 + fixedRegisters}, {&Launch{NTID: [3]uint32{128, 1, 1}}, 200 + 2 + fixedRegisters}, // with a pointer, or the product and the next
		{&Launch{NTID: [3]uint32{32, 16, 1}}, 128}, {&Launch{NTID: [3]uint32{1024, 1, 1}}, 64},
	} {
		if got := listingOf(s, c.launch, 70).Registers; got != c.want {
			t.Errorf("%v: %d registers, by hand %d", c.launch, got, c.want)
		}
	}
}

// TestMadeAgain: what few instructions make from parameters and special registers is
// not kept where it is not used; what was loaded is.
func TestMadeAgain(t *testing.T) {
	const (
		made   = "mov.u32 %r1, %tid.x; mad.lo.s32 %r2, %r1, 5, %rn; xor.b32 %r3, %r1, 77;"
		loaded = "ld.global.v2.u32 {%r2, %r3}, [%rdb];"
		use    = "st.global.u32 [%rda+8], %r2; st.global.u32 [%rda+12], %r3;"
	)
	registers := func(first, use string) int {
		busy := ".reg .f32 %g<40>; mov.u32 %i, 0; mov.f32 %f1, 0f00000000; L: "
		for i := range 40 {
			busy += fmt.Sprintf("ld.global.f32 %%g%d, [%%rda+%d];", i, 256*i)
		}
		busy += "bar.sync 0;"
		for i := range 40 {
			busy += fmt.Sprintf("add.rn.f32 %%f1, %%f1, %%g%d;", i)
		}
		busy += "add.s32 %i, %i, 1; setp.lt.s32 %p1, %i, %rn; @%p1 bra L; st.global.f32 [%rda], %f1;"
		return listingOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(70, first+busy+use)))), nil, 70).Registers
	}
	none := registers("", "")
	if n := registers(made, use); n != none {
		t.Errorf("%d registers with values that can be made again, %d without", n, none)
	}
	if n := registers(loaded, use); n != none+2 {
		t.Errorf("%d registers with two loaded values, %d without", n, none)
	}
}

// TestRegistersInWindows: slots that are looked at by windows are alive where they are
// if all are looked at together.
func TestRegistersInWindows(t *testing.T) {
	was := setBytes
	defer func() { setBytes = was }()
	several := 0
	eachFunction(t, filepath.Join("..", "..", "ptx-samples"), func(f *ir.Func) {
		l := listingOf(ssa.Build(f), nil, 70)
		setBytes = was
		want := l.live(nil).pressure()
		setBytes = 1
		v := l.live(nil)
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

// registersOf returns what a kernel of a body needs on Volta, beside the fixed ones.
func registersOf(t *testing.T, body string) int {
	t.Helper()
	return listingOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(70, body)))), nil, 70).Registers - fixedRegisters
}

// TestHeldAddresses: of loads that wait for a store each no more addresses are computed ahead
// than are near.
func TestHeldAddresses(t *testing.T) {
	const rounds = 3 * nearAhead
	held := "ld.global.u32 %r1, [%rdb]; mov.u32 %r2, %tid.x;"
	for i := range rounds {
		held += fmt.Sprintf("mad.lo.s32 %%r3, %%r1, %d, %%r2; mul.wide.s32 %%rd1, %%r3, 4; add.s64 %%rd1, %%rda, %%rd1; ld.global.u32 %%r4, [%%rd1]; st.global.u32 [%%rdb+%d], %%r4;", 2*i+3, 4*i+4)
	}
	// A round is IMAD, IMAD.WIDE, a load and a store. An address has two registers, and both
	// pointers, and the two words that are loaded first.
	if got, most := registersOf(t, held), 2*nearAhead/4+4+2+3; got > most {
		t.Errorf("%d registers, at most %d", got, most)
	}
}
