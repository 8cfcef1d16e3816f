package ir

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hyptx/parser"
)

// corpus returns the syntax trees of the networks' kernels whose folder
// matches glob, or skips.
func corpus(t testing.TB, glob string) []*parser.Module {
	t.Helper()
	files, err := filepath.Glob("../../shared/cnn/" + glob + "/kernels/*.ptx")
	if err != nil || len(files) == 0 {
		t.Skip("no networks beside the project")
	}
	var trees []*parser.Module
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := parser.Parse(file, src)
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
	}
	return trees
}

// TestCorpus: every kernel of the networks is lowered without an error and
// keeps the invariants.
func TestCorpus(t *testing.T) {
	for _, tree := range corpus(t, "*") {
		m, err := Lower(tree)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if err := m.sanity(); err != nil {
			t.Errorf("%s: %v", m.File, err)
		}
	}
}

// FuzzLower: whatever parses is lowered or refused, without a panic, and what
// is lowered keeps the invariants; the errors are the same where kernels are not kept.
func FuzzLower(f *testing.F) {
	for _, src := range []string{
		body("L: ld.global.u32 %r1, [%rd1+-12]; @%p1 bra L; ret;"),
		body("T: .branchtargets A, B; brx.idx %r1, T; A: ret; B: { .reg .b32 %x; mov.u32 %x, WARP_SZ; }"),
		body(".param .b32 a, r; .param .b64 b; call (r), callee, (a, b); mov.b64 {%r1, %r2}, %rd1;"),
		prologue + ".global .u64 p[3] = {p, generic(p)+8, 0xFF00(p)}; .func f; .alias g, f; .func f { ret; }",
		prologue + ".entry k (.param .align 8 .b8 s[12]) .reqntid 1, 2 { bra L; { L: } }",
		".version 1.3 .target sm_10, map_f64_to_f32 .reg .u32 x<3>; .local .f64 l[2]; .tex .u32 t; .entry k { .reg .f32 %f<9>; " +
			"div.f32 %f1, %f2, %f3; mov.u32 x1, l; ld.const[2].f32 %f1, [x2]; tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, t, {%f1}; exit; }",
		body(".reg .v2 .u32 v; .global .u32 g = 1; add.u32 %r1, %r2+1, v.x; call (%r1), _rt_f, (v, 5); call (v), _rt_f, (%r1); mov.f32 %f1, 1;"),
		prologue + ".func (.reg .v4 .f32 r) f (.reg .v2 .u32 a) { mov.v4.f32 r, {r.x, r.y, r.z, r.w}; } .entry k { .reg .v2 .u32 a; .reg .v4 .f32 r; call (r), f, (a); foo }",
		prologue + ".func (.reg .v8 .b32 A) A { ret; }",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		for _, options := range [][]Option{nil, {Lenient}} {
			tree, err := parser.Parse("fuzz.ptx", []byte(src))
			if tree.Unusable {
				return
			}
			m, wrong := Lower(tree, options...)
			if tree, err = parser.Open("fuzz.ptx", []byte(src), 1); err != nil {
				t.Fatalf("Open: %v", err)
			}
			if _, wrong2 := Lower(tree, append(options, Finished(func(*Func) {}))...); fmt.Sprint(wrong) != fmt.Sprint(wrong2) {
				t.Fatalf("kernels kept:\n%v\nand not kept:\n%v", wrong, wrong2)
			}
			if m == nil {
				continue
			}
			if err := m.sanity(); err != nil {
				t.Fatal(err)
			}
			for _, f := range m.Funcs {
				if f.Defined {
					for pc := f.First; pc < f.End; pc++ {
						f.Text(pc)
					}
				}
			}
		}
	})
}

// BenchmarkLower lowers the kernels of ResNet-50.
func BenchmarkLower(b *testing.B) {
	instrs := 0
	for b.Loop() {
		b.StopTimer() // lowering uses a tree up
		trees := corpus(b, "resnet50-sm_70")
		instrs = 0
		b.StartTimer()
		for _, tree := range trees {
			m, err := Lower(tree)
			if err != nil {
				b.Fatal(err)
			}
			instrs += len(m.Instrs)
		}
	}
	b.ReportMetric(float64(instrs), "instrs/op")
}

// BenchmarkFinished reads one module of 2 MB, made of the networks' kernels again and
// again, body by body, and keeps nothing.
func BenchmarkFinished(b *testing.B) {
	files, _ := filepath.Glob("../../shared/cnn/*-sm_70/kernels/*.ptx")
	if len(files) == 0 {
		b.Skip("no networks beside the project")
	}
	text := []byte(".version 8.0\n.target sm_80\n.address_size 64\n")
	for n := 0; len(text) < 2e6; n++ {
		src, err := os.ReadFile(files[n%len(files)])
		if err != nil {
			b.Fatal(err)
		}
		_, kernel, _ := bytes.Cut(src, []byte(".entry "))
		text = fmt.Appendf(text, ".visible .entry n%d_%s\n", n, kernel)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		tree, err := parser.Open("networks.ptx", text, 1)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Lower(tree, Finished(func(*Func) {})); err != nil {
			b.Fatal(err)
		}
	}
}
