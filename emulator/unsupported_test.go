package emulator

import (
	"errors"
	"testing"

	"hyptx/internal/slice"
	"hyptx/ir"
	"hyptx/parser"
)

// TestUnsupportedBeforeRun: an instruction without semantics is an error of
// Compile, where it is to be executed, even if no thread would come to it; out
// of a slice it is only counted.
func TestUnsupportedBeforeRun(t *testing.T) {
	const text = `.version 9.3
.target sm_100
.address_size 64
.entry k(.param .u64 out)
{
	.reg .b64 p, s;
	.reg .pred never;
	setp.ne.u32 never, 0, 0;
	ld.param.u64 p, [out];
	st.global.u32 [p], 1;
	@never bra L;
	ret;
L:
	fabric.submit;
	ret;
}
`
	src, err := parser.Parse("k.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := ir.Lower(src)
	if err != nil {
		t.Fatal(err)
	}
	m := NewMachine(1 << 20)
	if err := m.Load(mod); err != nil {
		t.Fatal(err)
	}
	kernel := mod.Kernels()[0]
	_, err = m.Compile(t.Context(), kernel, Options{})
	var u *unsupportedError
	if !errors.As(err, &u) {
		t.Fatalf("Compile of the whole kernel gives %v", err)
	}
	const want = "k.ptx:14:2: fabric.submit: not executed by this version: there are no other GPUs"
	if u.Error() != want {
		t.Errorf("%q, want %q", u, want)
	}
	without := &slice.Slice{Run: slice.NewSet(len(mod.Instrs)), Value: slice.NewSet(len(mod.Instrs))}
	prog, err := m.Compile(t.Context(), kernel, Options{Slice: without})
	if err != nil {
		t.Fatalf("Compile of a slice without it: %v", err)
	}
	for i := range prog.segs {
		if s := &prog.segs[i]; s.pcFirst == 5 && s.length != 2 {
			t.Errorf("the block of stacksave counts %d instructions, want 2", s.length)
		}
	}
}
