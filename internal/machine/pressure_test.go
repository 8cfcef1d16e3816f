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

// TestPatience: of sixteen products and what is added to each no more are alive at a time than
// their latency asks for, in the order in which they stand: 17 values and two factors that come
// from elsewhere are kept, and few of the products.
func TestPatience(t *testing.T) {
	const n = 16
	var b strings.Builder
	b.WriteString("mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f0, %r1;")
	for i := range n {
		fmt.Fprintf(&b, "add.f32 %%g%d, %%f0, 0f%08X;", i, 0x3F800000+i<<16)
	}
	fmt.Fprintf(&b, "add.f32 %%g%d, %%f0, %%f0; ld.shared.f32 %%f1, [sh]; ld.shared.f32 %%f2, [sh+4]; LOOP: bar.sync 0;", n)
	for i := range n {
		fmt.Fprintf(&b, "mul.f32 %%h%d, %%f1, %%g%d; fma.rn.f32 %%g%d, %%f2, %%g%d, %%h%d;", i, i, i, i+1, i)
	}
	b.WriteString("add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %rn; @%p1 bra LOOP;")
	for i := range n {
		fmt.Fprintf(&b, "st.global.f32 [%%rda+%d], %%g%d;", 4*i, i)
	}
	l := listingOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(70, ".reg .f32 %g<17>; .reg .f32 %h<16>;"+b.String())))), nil, 70)
	checkListing(t, l)
	if most := 17 + 2 + fixedRegisters + 10; l.Registers > most {
		t.Errorf("%d registers, at most %d are needed", l.Registers, most)
	}
}

// TestProductsOfTiles: of the machine's instructions for one product only those wait for one
// another that add to the same tile, so that a chain is as long as the product is deep.
func TestProductsOfTiles(t *testing.T) {
	const product = `.reg .b32 %a<8>; .reg .f32 %c<8>; .reg .f32 %m<8>;
wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%m0,%m1,%m2,%m3,%m4,%m5,%m6,%m7}, {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7};
st.global.f32 [%rda], %m0;`
	for _, c := range []struct{ sm, instrs, chain int }{{70, 16, 4}, {75, 4, 2}, {80, 2, 1}} {
		l := listingOf(ssa.Build(parseKernel(t, "test.ptx", []byte(kernel(c.sm, product)))), nil, c.sm)
		checkListing(t, l)
		depth, instrs, most := map[Slot]int{}, 0, 0
		for _, o := range l.Blocks[0].Ops {
			if o.Kind != pipe.Matrix {
				continue
			}
			instrs++
			for _, s := range o.Srcs {
				depth[o.Dst] = max(depth[o.Dst], depth[s])
			}
			depth[o.Dst]++
			most = max(most, depth[o.Dst])
		}
		if instrs != c.instrs || most != c.chain {
			t.Errorf("sm_%d: %d instructions in a chain of %d, expected %d and %d", c.sm, instrs, most, c.instrs, c.chain)
		}
	}
}
