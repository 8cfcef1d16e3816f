package depgraph

import "testing"

// TestControlFlow: branches, exits and calls that can be reached, and no
// others.
func TestControlFlow(t *testing.T) {
	src := kernel(`
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 7;
@%p1 bra L;                 //+
@!%p1 exit;                 //+
mov.u32 %r3, 1;
bra E;                      //+
L: mov.u32 %r3, 2;
E: ret;                     //+`)
	m := lower(t, src)
	g := NewKernel(m.Kernels()[0]).Specialise(grid(m))
	want := []string{"bra", "exit", "bra", "ret"}
	list := g.ControlFlow()
	if len(list) != len(want) {
		t.Fatalf("%d instructions, want %d", len(list), len(want))
	}
	for i, pc := range list {
		if got := m.Instrs[pc].Inst.Op.String(); got != want[i] {
			t.Errorf("instruction %d is %s, want %s", i, got, want[i])
		}
	}
	if n := g.Filter(list[0]).Len(); n != 2 {
		t.Errorf("the filtered graph of the first branch has %d members, want setp and bra", n)
	}
}
