package analysis

import (
	"fmt"
	"strings"
	"testing"
)

// entry wraps statements into a kernel with the given parameters, for sm_70.
func entry(params, body string) string { return module("", params, body) }

// module is entry with functions or variables before the kernel.
func module(before, params, body string) string {
	return ".version 8.3\n.target sm_70\n.address_size 64\n" + before + ".visible .entry k(" + params + ")\n{\n" + declared + body + "\n}\n"
}

const declared = `.reg .b32 %r<20>;
.reg .b64 %d<20>;
.reg .f32 %f<9>;
.reg .pred %p<9>;
`

// launch is a manifest with one launch of kernel k.
func launch(grid, block int, buffers, args string) string {
	return fmt.Sprintf(`{"version": 1, "buffers": {%s}, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [%d], "block": [%d], "args": [%s]}]}`,
		buffers, grid, block, args)
}

// known holds a program against a model of its only launch, and sees that
// every instruction of its slice matters.
func known(t *testing.T, p program, m *model) {
	t.Helper()
	knownCounts(t, p, m)
	dropEach(t, p)
}

// knownCounts holds a program against a model of its only launch, in control
// mode and in full.
func knownCounts(t *testing.T, p program, m *model) {
	t.Helper()
	for _, mode := range []Mode{Control, Full} {
		prof := p.profile(t, mode)
		m.check(t, string(mode), prof.Rows[0])
		m.check(t, string(mode)+", total", prof.Rows[len(prof.Rows)-1])
	}
	if t.Failed() {
		t.Logf("\n%s", numbered(p.ptx))
	}
}

func TestVectorAdd(t *testing.T) {
	const n, grid, block = 1000, 8, 128
	ptx := entry(".param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n", `
	ld.param.u64 %d1, [a];
	ld.param.u64 %d2, [b];
	ld.param.u64 %d3, [c];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.s32 %p1, %r5, %r1;
	@%p1 bra END;
	cvta.to.global.u64 %d4, %d1;
	mul.wide.s32 %d5, %r5, 4;
	add.s64 %d6, %d4, %d5;
	ld.global.f32 %f1, [%d6];
	cvta.to.global.u64 %d7, %d2;
	add.s64 %d8, %d7, %d5;
	ld.global.f32 %f2, [%d8];
	add.f32 %f3, %f1, %f2;
	cvta.to.global.u64 %d9, %d3;
	add.s64 %d10, %d9, %d5;
	st.global.f32 [%d10], %f3;
END:
	ret;`)
	m := newModel()
	const threads = grid * block
	const warps = threads / 32
	full, tail := uint64(n/32), uint64(n%32) // warps of which all threads add, threads that do in the next one
	m.run(warps, threads, "misc*7 integer*2")
	m.branch(warps, threads, threads-n, 1)
	m.run(full+1, full*32+tail, "integer*7 compute_ld_st*3 fadd")
	m.run(warps, threads, "control")
	m.divergentInCTA = 1
	known(t, program{ptx, launch(grid, block,
		`"a": {"bytes": 4000, "init": "zero"}, "b": {"bytes": 4000, "init": "zero"}, "c": {"bytes": 4000}`,
		`{"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"value": 1000}`)}, m)
}

func TestNestedLoops(t *testing.T) {
	const n, grid, block = 7, 3, 64
	ptx := entry(".param .u32 n", `
	ld.param.u32 %r1, [n];
	mov.u32 %r2, 0; // idle: registers begin as zero
	mov.f32 %f1, 0f3F800000;
OUTER:
	mov.u32 %r3, 0;
INNER:
	fma.rn.f32 %f1, %f1, %f1, %f1;
	add.u32 %r3, %r3, 1;
	setp.le.u32 %p1, %r3, %r2;
	@%p1 bra INNER;
	mul.f32 %f1, %f1, 0f3F000000;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p2, %r2, %r1;
	@%p2 bra OUTER;
	ret;`)
	m := newModel()
	const w, l = grid * block / 32, grid * block
	const inner = n * (n + 1) / 2 // 1 + 2 + ... + n
	m.run(w, l, "misc*3")
	m.run(n*w, n*l, "misc")
	m.run(inner*w, inner*l, "fma integer*2")
	m.branch(inner*w, inner*l, (inner-n)*l, 0)
	m.run(n*w, n*l, "fmul integer*2")
	m.branch(n*w, n*l, (n-1)*l, 0)
	m.run(w, l, "control")
	known(t, program{ptx, launch(grid, block, "", `{"value": 7}`)}, m)
}

func TestTriangularLoop(t *testing.T) {
	const block, grid = 40, 2
	ptx := entry("", `
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, 0; // idle: registers begin as zero
LOOP:
	add.u32 %r2, %r2, 1;
	setp.le.u32 %p1, %r2, %r1;
	@%p1 bra LOOP;
	ret;`)
	m := newModel()
	m.run(2*grid, block*grid, "misc*2")
	// Thread t goes round t+1 times; a warp as often as its last thread, and
	// it splits whenever a thread leaves and another stays.
	rounds := uint64(block * (block + 1) / 2)
	issues := uint64(32 + 40)
	m.run(grid*issues, grid*rounds, "integer*2")
	m.branch(grid*issues, grid*rounds, grid*(rounds-block), grid*(31+7))
	m.run(2*grid, block*grid, "control")
	m.divergentInCTA = 31 + 7
	known(t, program{ptx, launch(grid, block, "", "")}, m)
}

// TestSplit splits each warp k ways, by a switch and by a ladder of branches.
func TestSplit(t *testing.T) {
	const grid, block = 2, 64
	const w, l = grid * block / 32, grid * block
	for k := uint64(1); k <= 32; k++ {
		// Threads of a warp whose number is i modulo k, in both warps.
		var lanes [32]uint64
		for tid := range uint64(block) {
			lanes[tid%k]++
		}
		var labels, cases, ladder strings.Builder
		for i := range k {
			if i > 0 {
				labels.WriteString(", ")
			}
			fmt.Fprintf(&labels, "L%d", i)
			fmt.Fprintf(&cases, "L%d:\nadd.u32 %%r4, %%r4, %d;\nbra END;\n", i, i)
			fmt.Fprintf(&ladder, "setp.ne.u32 %%p1, %%r3, %d;\n@%%p1 bra L%d;\nadd.u32 %%r4, %%r4, 1;\nL%d:\n", i, i, i)
		}
		head := "ld.param.u32 %r1, [k];\nmov.u32 %r2, %tid.x;\nrem.u32 %r3, %r2, %r1;\nmov.u32 %r4, 0;\n"
		args := launch(grid, block, "", fmt.Sprintf(`{"value": %d}`, k))

		m := newModel()
		m.run(w, l, "misc*3 integer")
		parts := k
		if k == 1 {
			parts = 0
		}
		m.branch(w, l, l, min(parts, 1)*w)
		m.targets += w * (max(k, 2) - 2) // branch counts two of a divergent one
		for i := range k {
			// With k > 32 threads of one warp some part may be missing; not here.
			m.run(w, grid*lanes[i], "integer")
			m.jump(w, grid*lanes[i])
		}
		m.run(w, l, "control")
		knownCounts(t, program{entry(".param .u32 k", head+"T: .branchtargets "+labels.String()+";\nbrx.idx %r3, T;\n"+cases.String()+"END:\nret;"), args}, m)

		m = newModel()
		m.run(w, l, "misc*3 integer")
		for i := range k {
			m.run(w, l, "integer")
			m.branch(w, l, l-grid*lanes[i], min(parts, 1)*w)
			m.run(w, grid*lanes[i], "integer")
		}
		m.run(w, l, "control")
		knownCounts(t, program{entry(".param .u32 k", head+ladder.String()+"ret;"), args}, m)
	}
}

func TestParity(t *testing.T) {
	const block = 33 // the second warp has one thread, an even one
	ptx := entry("", `
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 1;
	setp.eq.u32 %p1, %r2, 1;
	@%p1 bra ODD;
	mul.f32 %f1, %f1, %f1;
	bra END;
ODD:
	add.f32 %f1, %f1, %f1;
	add.f32 %f1, %f1, %f1;
END:
	ret;`)
	m := newModel()
	m.run(2, 33, "misc integer*2")
	m.branch(2, 33, 16, 1)
	m.run(2, 17, "fmul")
	m.jump(2, 17)
	m.run(1, 16, "fadd*2")
	m.run(2, 33, "control")
	known(t, program{ptx, launch(1, block, "", "")}, m)
}

// TestCollatz follows 3n+1 from numbers of the manifest.
func TestCollatz(t *testing.T) {
	const block = 48
	var start []uint64
	var list []string
	for i := range uint64(block) {
		start = append(start, 1+i*7%97)
		list = append(list, fmt.Sprint(start[i]))
	}
	ptx := entry(".param .u64 v", `
	ld.param.u64 %d1, [v];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d2, %r1, 4;
	add.u64 %d1, %d1, %d2;
	ld.global.u32 %r2, [%d1];
	bra TEST;
BODY:
	and.b32 %r3, %r2, 1;
	setp.ne.u32 %p1, %r3, 0;
	@%p1 bra ODD;
	shr.u32 %r2, %r2, 1;
	bra TEST;
ODD:
	mad.lo.u32 %r2, %r2, 3, 1;
TEST:
	setp.ne.u32 %p2, %r2, 1;
	@%p2 bra BODY;
	ret;`)
	m := newModel()
	m.run(2, block, "misc*2 integer*2 compute_ld_st")
	m.jump(2, block)
	for first := 0; first < block; first += 32 {
		collatzWarp(m, start[first:min(first+32, block)])
	}
	m.run(2, block, "control")
	known(t, program{ptx, launch(1, block, `"v": {"type": "u32", "init": {"values": [`+strings.Join(list, ",")+`]}}`, `{"buffer": "v"}`)}, m)
}

// collatzWarp goes round the loop until all numbers are 1: a round is one
// issue, the threads whose number is 1 have left.
func collatzWarp(m *model, start []uint64) {
	v := append([]uint64(nil), start...)
	for len(v) > 0 {
		var stay []uint64
		for _, x := range v {
			if x != 1 {
				stay = append(stay, x)
			}
		}
		split := uint64(0)
		if len(stay) > 0 && len(stay) < len(v) {
			split = 1
		}
		m.run(1, uint64(len(v)), "integer")
		m.branch(1, uint64(len(v)), uint64(len(stay)), split)
		if v = stay; len(v) == 0 {
			return
		}
		odd := uint64(0)
		for i, x := range v {
			if x%2 == 1 {
				odd++
				v[i] = 3*x + 1
			} else {
				v[i] = x / 2
			}
		}
		n := uint64(len(v))
		split = 0
		if odd > 0 && odd < n {
			split = 1
		}
		m.run(1, n, "integer*2")
		m.branch(1, n, odd, split)
		if odd < n {
			m.run(1, n-odd, "integer")
			m.jump(1, n-odd)
		}
		if odd > 0 {
			m.run(1, odd, "integer")
		}
	}
}
