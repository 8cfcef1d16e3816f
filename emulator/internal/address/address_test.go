package address

import (
	"testing"

	"hyptx/ir/isa"
)

// The windows do not overlap, and Window is what Resolve takes off, at both
// ends.
func TestResolveUndoesWindow(t *testing.T) {
	for _, s := range []isa.Space{isa.Shared, isa.Local, isa.Const, isa.Param} {
		for _, off := range []uint64{0, 1, WindowBytes - 1} {
			if space, at := Resolve(isa.Generic, Window(s, 64)+off); space != s || at != off {
				t.Errorf("generic %v + %d is %v %d", s, off, space, at)
			}
			if space, at := Resolve(s, off); space != s || at != off {
				t.Errorf("%v %d is %v %d", s, off, space, at)
			}
		}
		for _, addr := range []uint64{Window(s, 64) - 1, Window(s, 64) + WindowBytes} {
			if space, at := Resolve(isa.Generic, addr); space != isa.Global || at != addr {
				t.Errorf("%#x, outside the window of %v, is %v %#x", addr, s, space, at)
			}
		}
	}
	for _, s := range []isa.Space{isa.Shared, isa.Local, isa.Const, isa.Param} {
		for _, off := range []uint64{0, 1, 1<<20 - 1} {
			if space, at := Resolve(isa.Generic, Window(s, 32)+off); space != s || at != off || Window(s, 32)+off >= Narrow {
				t.Errorf("generic %v + %d of 32 bits is %v %d", s, off, space, at)
			}
		}
	}
	for _, addr := range []uint64{narrowShared - 1, Narrow} {
		if space, at := Resolve(isa.Generic, addr); space != isa.Global || at != addr {
			t.Errorf("%#x is %v %#x", addr, space, at)
		}
	}
	if space, at := Resolve(isa.Generic, 0); space != isa.Global || at != 0 {
		t.Errorf("the null pointer is %v %d", space, at)
	}
}

func TestFunctionAt(t *testing.T) {
	for _, bits := range []int{32, 64} {
		for i := range 3 {
			if got, ok := FunctionAt(Function(i, bits), 3, bits); !ok || got != i {
				t.Errorf("function %d is %d, %v", i, got, ok)
			}
		}
		for _, addr := range []uint64{0, Function(0, bits) - 16, Function(0, bits) + 1, Function(3, bits), Function(1, 96-bits)} {
			if got, ok := FunctionAt(addr, 3, bits); ok {
				t.Errorf("%#x is function %d of 3", addr, got)
			}
		}
	}
	if last := Function(1<<20-1, 32); last >= narrowShared {
		t.Errorf("the millionth function is at %#x, in a window", last)
	}
}
