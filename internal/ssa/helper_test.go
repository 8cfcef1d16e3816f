package ssa

import (
	"os"
	"path/filepath"
	"testing"

	"hyptx/ir"
	"hyptx/parser"
)

// lower lowers a source that must be correct.
func lower(t testing.TB, src string) *ir.Module {
	t.Helper()
	return lowerFile(t, "test.ptx", []byte(".version 8.0 .target sm_90 .address_size 64\n"+src))
}

func lowerFile(t testing.TB, name string, src []byte) *ir.Module {
	t.Helper()
	tree, err := parser.Parse(name, src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	m, err := ir.Lower(tree)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return m
}

// TestCorpus: the forms of all functions of the networks keep the invariants,
// and none of their kernels waits.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("../../../shared/cnn/*/kernels/*.ptx")
	if err != nil || len(files) == 0 {
		t.Skip("no networks beside the project")
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range lowerFile(t, file, src).Funcs {
			if !f.Defined || f.AliasOf != nil {
				continue
			}
			s := Build(f)
			if err := s.sanity(); err != nil {
				t.Error(err)
			}
			for _, l := range f.Loops() {
				if waits, _ := s.Waits(l); waits {
					t.Errorf("%s: a loop of a network that waits", f.Name)
				}
			}
		}
	}
}

// FuzzBuild: whatever is lowered has a form that keeps the invariants, and its
// loops wait or not, without a panic.
func FuzzBuild(f *testing.F) {
	const head = ".version 8.0 .target sm_90 .address_size 64 .entry k (.param .u64 p) { .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
	for _, stmts := range []string{
		"L: ld.volatile.global.u32 %r1, [%rd1+-12]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret; }",
		"T: .branchtargets A, B; brx.idx %r1, T; A: ret; B: @%p1 add.u32 %r1, %r1, 1; @!%p1 bra A; }",
		"L: add.u64 %rd2, %rd1, 8; atom.global.cas.b32 %r1, [%rd2], 0, 1; @%p1 exit; bra L; }",
	} {
		f.Add(head + stmts)
	}
	f.Fuzz(func(t *testing.T, src string) {
		tree, err := parser.Parse("test.ptx", []byte(src))
		if err != nil {
			return
		}
		m, err := ir.Lower(tree)
		if err != nil {
			return
		}
		for _, fn := range m.Funcs {
			if !fn.Defined {
				continue
			}
			s := Build(fn)
			if err := s.sanity(); err != nil {
				t.Fatal(err)
			}
			for _, l := range fn.Loops() {
				s.Waits(l)
			}
		}
	})
}
