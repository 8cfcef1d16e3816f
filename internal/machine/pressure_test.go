package machine

import (
	"fmt"
	"strings"
	"testing"

	"hyptx/internal/pipe"
	"hyptx/internal/ssa"
)

// guardedSums is a kernel with n values loaded for two sums, each in a branch of its
// own that stores it, as front ends write them that move arithmetic to its use.
func guardedSums(n int) string {
	var loads, sums [2]strings.Builder
	for i := range n {
		fmt.Fprintf(&loads[0], "ld.shared.f32 %%g%d, [sh+%d];", i, 1024*i)
	}
	for k := range sums {
		fmt.Fprintf(&sums[k], "mov.f32 %%f%d, 0f3F800000;", k)
		for i := range n {
			fmt.Fprintf(&sums[k], "fma.rn.f32 %%f%d, %%f%d, %%g%d, %%g%d;", k, k, i, i)
		}
	}
	return fmt.Sprintf(`.reg .f32 %%g<%d>; mov.u32 %%r1, %%tid.x; setp.gt.u32 %%p1, %%r1, %%rn; setp.gt.u32 %%p2, %%r1, 7; %s
@%%p1 bra A; %s st.global.f32 [%%rda], %%f0; A:
@%%p2 bra B; %s st.global.f32 [%%rdb], %%f1; B:`, n, &loads[0], &sums[0], &sums[1])
}

// TestSharedArms: what two branches make of the same values is computed where the
// values are, and the values need not wait for it.
func TestSharedArms(t *testing.T) {
	for _, c := range []struct{ n, blocks, most int }{
		{minShared, 1, 42}, {200, 1, 60}, {minShared - 1, 4, minShared + 20},
	} {
		l := listingOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(80, guardedSums(c.n))))), nil, 80)
		checkListing(t, l)
		if len(l.Blocks) != c.blocks && c.blocks == 1 || c.blocks > 1 && len(l.Blocks) == 1 {
			t.Errorf("%d values: %d blocks, expected %d", c.n, len(l.Blocks), c.blocks)
		}
		if n := l.Registers; n > c.most {
			t.Errorf("%d values: %d registers, at most %d are needed", c.n, n, c.most)
		}
	}
}

// TestFrugal holds the order against one by hand: a load, then what ends its value,
// the guard's comparison first.
func TestFrugal(t *testing.T) {
	l := &lister{control: &control{bill: &bill{builder: &builder{graph: &graph{x: &expansion{}}}}}, out: &Listing{Regs: []uint8{1, 1, 1, 1, 0, 1}}, numbers: make([]int32, 6)}
	op := func(dst Slot, guards []Slot, srcs ...Slot) draft {
		return draft{Op: Op{Dst: dst, Srcs: append(srcs, guards...)}, guards: guards}
	}
	// 0, 1: loads of x and y; 2: their sum; 3: the product of y; 4: the guard from a
	// value that is there; 5: under the guard.
	ops := []draft{op(0, nil, 5), op(1, nil, 5), op(2, nil, 0, 1), op(3, nil, 1), op(4, nil, 5), op(NoSlot, []Slot{4}, 2, 3)}
	g := &before{ops: ops, count: make([]int32, len(ops))}
	for _, e := range [][2]int{{0, 2}, {1, 2}, {1, 3}, {2, 5}, {3, 5}, {4, 5}} {
		g.add(e[0], e[1], 1)
	}
	g.finish()
	v := l.lives(ops)
	order := v.frugal(g)
	if got := fmt.Sprint(order); got != "[4 0 1 2 3 5]" {
		t.Errorf("the order is %s", got)
	}
	if n := v.pressure(order); n != 2 { // x and y; the sum and y; the sum and the product
		t.Errorf("%d registers are alive at most, by hand 2", n)
	}
}

// TestAddressesGoAhead: a load goes as far ahead as its window lets it although its
// address is computed just before it.
func TestAddressesGoAhead(t *testing.T) {
	var b strings.Builder
	b.WriteString("ld.global.f32 %f0, [%rda];")
	for range 2 * nearAhead {
		b.WriteString("fma.rn.f32 %f0, %f0, %f0, %f0;")
	}
	b.WriteString(`add.s32 %r1, %rn, 7; mul.wide.s32 %rd1, %r1, 32; add.s64 %rd1, %rd1, %rdb;
ld.global.f32 %f1, [%rd1]; add.f32 %f0, %f0, %f1; st.global.f32 [%rda], %f0;`)
	l := listingOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(80, b.String())))), nil, 80)
	checkListing(t, l)
	before := 0
	for _, op := range l.Blocks[0].Ops {
		switch op.Kind {
		case pipe.FP32:
			before++
		case pipe.LoadGlobal:
			if before > nearAhead/2 {
				t.Errorf("a load comes after %d additions and products", before)
			}
		}
	}
}
