package analysis

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// edge is a program in which one dependence decides a branch: of the kind named,
// from the instruction whose line says "// source".
type edge struct {
	name string
	program
}

// edges has at least one program for each kind of dependence that a slice
// follows. Registers and memory begin as zero, so the value that the source
// gives is never the one that is read without it.
var edges = []edge{
	{"data", single("", `
	mov.u32 %r1, %tid.x;
	add.u32 %r2, %r1, 3; // source
	setp.gt.u32 %p1, %r2, 9;
	@%p1 bra END;
END:
	ret;`)},
	{"guard that is only counted", single("", `
	mov.u32 %r1, %tid.x;
	setp.gt.u32 %p1, %r1, 9; // source
	@%p1 add.u32 %r2, %r1, 3;
	ret;`)},
	{"select, new value", single("", `
	mov.u32 %r1, %tid.x;
	setp.gt.u32 %p1, %r1, 9;
	mov.u32 %r2, 1;
	@%p1 add.u32 %r2, %r1, 5; // source
	setp.gt.u32 %p2, %r2, 20;
	@%p2 bra END;
END:
	ret;`)},
	{"select, old value", single("", `
	mov.u32 %r1, %tid.x;
	setp.gt.u32 %p1, %r1, 9;
	add.u32 %r2, %r1, 20; // source
	@%p1 mov.u32 %r2, 1;
	setp.gt.u32 %p2, %r2, 20;
	@%p2 bra END;
END:
	ret;`)},
	{"select, guard", single("", `
	mov.u32 %r1, %tid.x;
	setp.gt.u32 %p1, %r1, 9; // source
	mov.u32 %r2, %r1;
	@%p1 mov.u32 %r2, 30;
	setp.gt.u32 %p2, %r2, 20;
	selp.u32 %r3, 1, 0, %p2;
	setp.ne.u32 %p3, %r3, 0;
	@%p3 bra END;
END:
	ret;`)},
	{"phi", single("", `
	mov.u32 %r1, %tid.x;
	setp.gt.u32 %p1, %r1, 9;
	@%p1 bra HIGH;
	mov.u32 %r2, 1;
	bra JOIN;
HIGH:
	mov.u32 %r2, 2; // source
JOIN:
	setp.eq.u32 %p2, %r2, 2;
	@%p2 bra END;
	add.f32 %f1, %f1, %f1;
END:
	ret;`)},
	{"control, by which a phi chooses", single("", `
	mov.u32 %r1, %tid.x;
	and.b32 %r3, %r1, 1; // source
	setp.ne.u32 %p1, %r3, 0;
	@%p1 bra ODD;
	mov.u32 %r2, 1;
	bra JOIN;
ODD:
	mov.u32 %r2, 2;
JOIN:
	setp.eq.u32 %p2, %r2, 2;
	@%p2 bra END;
	add.f32 %f1, %f1, %f1;
END:
	ret;`)},
	{"loop", single("", `
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, 0;
	mov.u32 %r3, 0;
HEAD:
	add.u32 %r2, %r2, 1;
	add.u32 %r3, %r3, %r2; // source
	add.u32 %r4, %r3, %r2;
	setp.le.u32 %p1, %r4, %r1;
	@%p1 bra HEAD;
	ret;`)},
	{"index of a switch", single("", `
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 1; // source
T: .branchtargets A, B;
	brx.idx %r2, T;
A:
	add.f32 %f1, %f1, %f1;
B:
	ret;`)},
	{"another lane's register", single("", `
	mov.u32 %r1, %tid.x;
	add.u32 %r2, %r1, 10; // source
	shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;
	setp.gt.u32 %p1, %r3, 20;
	@%p1 bra END;
END:
	ret;`)},
	{"shared memory", single("", stage("st.shared.u32 [%r3], %r1; // source", "bar.sync 0;"))},
	{"barrier", single("", stage("st.shared.u32 [%r3], %r1;", "bar.sync 0; // source"))},
	{"address of a store", single("", `
	.shared .align 4 .b8 cell[256];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, cell;
	shl.b32 %r3, %r1, 2; // source
	add.u32 %r3, %r2, %r3;
	st.shared.u32 [%r3], %r1;
	bar.sync 0;
	ld.shared.u32 %r4, [cell+124];
	setp.lt.u32 %p1, %r1, %r4;
	@%p1 bra END;
END:
	ret;`)},
	{"local memory", single("", `
	.local .align 4 .b8 slot[16];
	mov.u32 %r1, %tid.x;
	st.local.u32 [slot+4], %r1; // source
	ld.local.u32 %r2, [slot+4];
	setp.gt.u32 %p1, %r2, 9;
	@%p1 bra END;
END:
	ret;`)},
	{"generic address", single("", `
	.local .align 4 .b8 slot[16];
	mov.u32 %r1, %tid.x;
	mov.u64 %d1, slot;
	cvta.local.u64 %d1, %d1;
	st.u32 [%d1], %r1; // source
	ld.local.u32 %r2, [slot];
	setp.gt.u32 %p1, %r2, 9;
	@%p1 bra END;
END:
	ret;`)},
	{".param of a call, argument", single(half("add.u32 %r1, %r1, 3;"), called("st.param.b32 [x], %r1; // source"))},
	{".param of a call, what the callee makes of it", single(half("add.u32 %r1, %r1, 3; // source"), called("st.param.b32 [x], %r1;"))},
	{".param of a call, result", single(strings.Replace(half("add.u32 %r1, %r1, 3;"), "[out], %r1;", "[out], %r1; // source", 1), called("st.param.b32 [x], %r1;"))},
	{"register of a call", single(`.func (.reg .b32 o) inc(.reg .b32 i)
{
	add.u32 o, i, 7; // source
	ret;
}
`, `
	mov.u32 %r1, %tid.x;
	call (%r2), inc, (%r1);
	setp.gt.u32 %p1, %r2, 9;
	@%p1 bra END;
END:
	ret;`)},
	{"atomic, what it leaves", single("", `
	.shared .align 4 .b8 sum[4];
	mov.u32 %r1, %tid.x;
	red.shared.add.u32 [sum], 1; // source
	bar.sync 0;
	ld.shared.u32 %r2, [sum];
	setp.lt.u32 %p1, %r1, %r2;
	@%p1 bra END;
END:
	ret;`)},
	{"atomic, what it returns", single("", `
	.shared .align 4 .b8 ticket[4];
	atom.shared.add.u32 %r2, [ticket], 1; // source
	setp.gt.u32 %p1, %r2, 20;
	@%p1 bra END;
END:
	ret;`)},
	{"global memory, across launches", relayed("st.global.u32 [%d1], %r1; // source")},
	{"global atomic, across launches", relayed("red.global.add.u32 [%d1], %r1; // source")},
}

// single is a program of one launch of two CTAs of 64 threads.
func single(before, body string) program {
	return program{module(before, "", body), launch(2, 64, "", "")}
}

// stage has each thread read what one of the other warp stored.
func stage(store, barrier string) string {
	return `
	.shared .align 4 .b8 cell[256];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, cell;
	shl.b32 %r3, %r1, 2;
	add.u32 %r3, %r2, %r3;
	` + store + `
	` + barrier + `
	xor.b32 %r4, %r1, 32;
	shl.b32 %r4, %r4, 2;
	add.u32 %r4, %r2, %r4;
	ld.shared.u32 %r5, [%r4];
	setp.gt.u32 %p1, %r5, 9;
	@%p1 bra END;
END:
	ret;`
}

// half is a function with .param arguments.
func half(work string) string {
	return `.func (.param .b32 out) half(.param .b32 in)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [in];
	` + work + `
	st.param.b32 [out], %r1;
	ret;
}
`
}

// called calls it.
func called(argument string) string {
	return `
	.param .b32 x;
	.param .b32 z;
	mov.u32 %r1, %tid.x;
	` + argument + `
	call (z), half, (x);
	ld.param.b32 %r2, [z];
	setp.gt.u32 %p1, %r2, 9;
	@%p1 bra END;
END:
	ret;`
}

// relayed is a program whose second launch branches on what the first one, k,
// has left in memory.
func relayed(store string) program {
	ptx := entry(".param .u64 v", `
	ld.param.u64 %d1, [v];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d2, %r1, 4;
	add.u64 %d1, %d1, %d2;
	`+store+`
	ret;`) + `.visible .entry reader(.param .u64 v)
{
` + declared + `
	ld.param.u64 %d1, [v];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d2, %r1, 4;
	add.u64 %d1, %d1, %d2;
	ld.global.u32 %r2, [%d1];
	setp.gt.u32 %p1, %r2, 9;
	@%p1 bra END;
END:
	ret;
}
`
	return program{ptx, `{"version": 1, "buffers": {"v": {"type": "u32", "bytes": 256, "init": "zero"}}, "launches": [
		{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [64], "args": [{"buffer": "v"}]},
		{"module": "k.ptx", "kernel": "reader", "grid": [1], "block": [64], "args": [{"buffer": "v"}]}]}`}
}

// TestEdges takes the source of one dependence out of a slice and sees that
// Verify fails, while it holds for the slice as it is: what the other tests
// compare can fail for every kind of dependence.
func TestEdges(t *testing.T) {
	for _, e := range edges {
		t.Run(e.name, func(t *testing.T) {
			e.profile(t, Control)
			s := e.session(t, Control)
			filters := s.plan(nil)
			mod := s.launches[0].kernel.Module
			lines := strings.Split(e.ptx, "\n")
			dropped := false
			for pc := range mod.Instrs {
				in := &mod.Instrs[pc]
				if strings.Contains(lines[in.Pos.Line-1], "// source") {
					filters[0], dropped = without(filters[0], in.PC)
				}
			}
			if !dropped {
				t.Fatalf("the source is no member of the slice\n%s", numbered(e.ptx))
			}
			p := &Profile{}
			for i, l := range s.launches {
				lp, err := s.profileLaunch(context.Background(), l, filters[i], filters[i])
				if err != nil {
					t.Fatal(err)
				}
				p.Launches = append(p.Launches, lp)
			}
			var mismatch *mismatchError
			if err := s.Verify(context.Background(), p); !errors.As(err, &mismatch) {
				t.Errorf("without the source Verify says: %v\n%s", err, numbered(e.ptx))
			}
		})
	}
}
