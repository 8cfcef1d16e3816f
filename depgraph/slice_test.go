package depgraph

import (
	"strings"
	"testing"

	"hyptx/internal/fold"
	"hyptx/internal/slice"
	"hyptx/ir"
	"hyptx/parser"
)

const prologue = ".version 8.3\n.target sm_90\n.address_size 64\n"

// lower parses and lowers a module.
func lower(t testing.TB, src string) *ir.Module {
	t.Helper()
	tree, err := parser.Parse("test.ptx", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	m, err := ir.Lower(tree)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return m
}

// kernel wraps statements into a kernel with three pointers and a number.
func kernel(body string) string {
	return prologue + `.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
.reg .pred %p<9>;
.reg .b32 %r<30>;
.reg .b64 %d<30>;
.reg .f32 %f<9>;
` + body + "\n}\n"
}

// grid is a launch of the first kernel of m, 4 CTAs of 64 threads, whose
// parameters a, b and c point to the starts of buffers 0, 1 and 2.
func grid(m *ir.Module) *Launch {
	return &Launch{
		Kernel:   m.Kernels()[0],
		Consts:   fold.Consts{NTID: [3]uint32{64, 1, 1}, NCTAID: [3]uint32{4, 1, 1}},
		Pointers: []PointerArg{{ParamOffset: 0}, {ParamOffset: 8, Buffer: 1}, {ParamOffset: 16, Buffer: 2}},
	}
}

// withN gives parameter n, bytes 24 to 27 of the block.
func withN(l *Launch, n byte) *Launch {
	l.Consts.Params, l.Consts.Known = make([]byte, 28), make([]bool, 28)
	l.Consts.Params[24] = n
	for i := 24; i < 28; i++ {
		l.Consts.Known[i] = true
	}
	return l
}

// checkMembers compares the members of f with the lines of src that end in
// "//+".
func checkMembers(t *testing.T, src string, f *Filtered) {
	t.Helper()
	lines := strings.Split(src, "\n")
	m := f.Graph.Kernel.Module
	for pc := range m.Instrs {
		line := lines[m.Instrs[pc].Pos.Line-1]
		want := strings.HasSuffix(line, "//+")
		if got := f.Slice.Run.Has(ir.PC(pc)); got != want {
			t.Errorf("member %v, want %v: %s", got, want, strings.TrimSpace(line))
		}
	}
}

// sliceCases are kernels whose control slice is the lines that end in "//+".
var sliceCases = []struct{ name, body string }{
	{"data through registers", `
ld.param.u64 %d1, [a];
mov.u32 %r1, %tid.x;
mov.u32 %r9, %tid.x;
add.u32 %r2, %r1, 1;        //+
setp.lt.u32 %p1, %r2, 7;    //+
@%p1 bra L;                 //+
st.global.u32 [%d1], %r9;
L: ret;`},
	{"a guarded definition needs guard, new and old", `
mov.u32 %r1, %tid.x;
mov.u32 %r2, 5;             //+
mov.u32 %r3, %laneid;
setp.gt.u32 %p2, %r1, 3;    //+
@%p2 mov.u32 %r2, %r3;      //+
setp.lt.u32 %p1, %r2, 7;    //+
@%p1 bra L;                 //+
mov.u32 %r4, 1;
L: ret;`},
	{"a move of a special register that a shuffle reads of lanes that came another way", `
mov.u32 %r3, %laneid;                  //+
mov.u32 %r1, %tid.x;
mov.u32 %r9, %tid.x;
setp.gt.u32 %p1, %r1, 3;               //+
@%p1 bra L;                            //+
shfl.sync.up.b32 %r3, %r9, 3, 7168, 15;  //+
shfl.sync.down.b32 %r4, %r3, 30, 31, 15; //+
setp.ge.u32 %p2, %r4, 27;              //+
@%p2 bra L;                            //+
mov.u32 %r5, 1;
L: ret;`},
	{"only the guard of what is not needed", `
ld.param.u64 %d1, [a];
mov.u32 %r1, %tid.x;
setp.gt.u32 %p2, %r1, 3;    //+
mov.f32 %f1, 0f00000000;
@%p2 ld.global.f32 %f1, [%d1];
st.global.f32 [%d1], %f1;
ret;`},
	{"definitions in both arms", `
mov.u32 %r1, %tid.x;
setp.gt.u32 %p2, %r1, 3;    //+
@%p2 bra A;                 //+
mov.u32 %r2, 5;             //+
bra B;
A: mov.u32 %r2, 6;          //+
B: setp.lt.u32 %p1, %r2, %r1; //+
@%p1 bra L;                 //+
mov.u32 %r4, 1;
L: ret;`},
	{"carried around a loop", `
ld.param.u64 %d1, [a];
mov.u32 %r1, %tid.x;
mov.u32 %r2, 0;             //+
mov.f32 %f1, 0f00000000;
L: ld.global.f32 %f2, [%d1];
add.f32 %f1, %f1, %f2;
add.u32 %r2, %r2, 3;        //+
setp.lt.u32 %p1, %r2, %r1;  //+
@%p1 bra L;                 //+
st.global.f32 [%d1], %f1;
ret;`},
	{"a loop whose bound is kept in a register", `
mov.u32 %r1, 10;
mov.s32 %r2, -1;            //+
bra E;
L: mov.u32 %r3, %r2;
E: add.s32 %r2, %r2, 1;     //+
setp.lt.s32 %p1, %r2, %r1;  //+
@%p1 bra L;                 //+
ret;`},
	{"a pair of predicates", `
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1|%p2, %r1, 7; //+
@%p2 bra L;                 //+
mov.u32 %r4, 1;
L: ret;`},
	{"constants of the launch prune", `
mov.u32 %r1, %ntid.x;
mov.u32 %r2, %tid.x;
setp.ne.u32 %p1, %r1, 64;
@%p1 bra L;                 //+
ret;
L: setp.lt.u32 %p2, %r2, 7;
@%p2 bra M;
mov.u32 %r4, 1;
M: ret;`},
	{"the extents of the launch decide", `
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %ntid.x;
mov.u32 %r3, %tid.x;
mad.lo.s32 %r4, %r1, %r2, %r3;
setp.ge.s32 %p1, %r4, 256;
@%p1 bra L;                 //+
ld.param.u64 %d1, [a];
L: ret;`},
	{"but only just", `
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %ntid.x;
mov.u32 %r3, %tid.x;
mad.lo.s32 %r4, %r1, %r2, %r3; //+
setp.ge.s32 %p1, %r4, 255;  //+
@%p1 bra L;                 //+
ld.param.u64 %d1, [a];
L: ret;`},
	{"local memory", `
.local .align 4 .b8 loc[64];
.local .align 4 .b8 other[64];
mov.u32 %r1, %tid.x;
mov.u64 %d1, loc;           //+
mov.u64 %d2, other;
st.local.u32 [%d1+4], %r1;  //+
st.local.u32 [%d1+8], %r1;
st.local.u32 [%d2+4], %r1;
ld.local.u32 %r2, [%d1+4];  //+
setp.lt.u32 %p1, %r2, 7;    //+
@%p1 bra L;                 //+
mov.u32 %r4, 1;
L: ret;`},
	{"shared memory and its barriers", `
.shared .align 4 .b8 sh[256];
.shared .align 4 .b8 other[256];
mov.u32 %r1, %tid.x;
mov.u32 %r2, sh;            //+
shl.b32 %r3, %r1, 2;        //+
add.u32 %r4, %r2, %r3;      //+
mov.u32 %r7, other;
add.u32 %r7, %r7, %r3;
st.shared.u32 [%r7], %r1;
st.shared.u32 [%r4], %r1;   //+
bar.sync 0;                 //+
ld.shared.u32 %r5, [%r2+128]; //+
setp.lt.u32 %p1, %r5, 7;    //+
@%p1 bra L;                 //+
mov.u32 %r6, 1;
L: ret;`},
	{"barriers that nobody needs", `
.shared .align 4 .b8 sh[256];
mov.u32 %r1, %tid.x;
mov.u32 %r2, sh;
st.shared.u32 [%r2], %r1;
bar.sync 0;
setp.lt.u32 %p1, %r1, 7;    //+
@%p1 bra L;                 //+
mov.u32 %r6, 1;
L: ret;`},
	{"barriers where threads have parted", `
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 7;    //+
@%p1 bra L;                 //+
bar.sync 0;                 //+
L: bar.sync 1;              //+
ret;`},
	{"atomics read and write", `
ld.param.u64 %d1, [a];      //+
ld.param.u64 %d2, [b];
mov.u32 %r1, %tid.x;
mov.u32 %r8, %ctaid.x;
red.global.add.u32 [%d1], %r8; //+
red.global.add.u32 [%d2], %r1;
atom.global.add.u32 %r2, [%d1], %r1; //+
setp.lt.u32 %p1, %r2, 7;    //+
@%p1 bra L;                 //+
mov.u32 %r6, 1;
L: ret;`},
	{"what a warp exchanges", `
ld.param.u64 %d1, [a];
mov.u32 %r1, %tid.x;
shfl.sync.bfly.b32 %r2|%p2, %r1, 1, 31, -1; //+
vote.sync.any.pred %p3, %p2, -1;
setp.lt.u32 %p1, %r2, 7;    //+
@%p1 bra L;                 //+
mov.u32 %r6, 1;
L: ret;`},
	{"an indexed branch", `
mov.u32 %r1, %tid.x;
and.b32 %r2, %r1, 1;        //+
T: .branchtargets A, B;
brx.idx %r2, T;             //+
A: mov.u32 %r3, 1;
B: ret;`},
	{"a guarded exit", `
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 7;    //+
@%p1 exit;                  //+
mov.u32 %r3, 1;
ret;`},
}

func TestControlSlice(t *testing.T) {
	for _, test := range sliceCases {
		t.Run(test.name, func(t *testing.T) {
			src := kernel(test.body)
			m := lower(t, src)
			checkMembers(t, src, newKernel(m.Kernels()[0]).Specialise(grid(m)).Slice(Control))
		})
	}
}

// TestCallSlice: what goes through calls, in parameter variables and in
// registers.
func TestCallSlice(t *testing.T) {
	src := prologue + `
.func (.param .b32 out) twice(.param .b32 in, .param .b32 unused)
{
.reg .b32 %r<5>;
ld.param.u32 %r1, [in];     //+
ld.param.u32 %r3, [unused];
add.u32 %r2, %r1, %r1;      //+
st.param.b32 [out], %r2;    //+
ret;
}
.func (.reg .b32 out) inc(.reg .b32 in, .reg .b32 unused)
{
add.u32 out, in, 1;         //+
ret;
}
.visible .entry k()
{
.reg .pred %p<3>;
.reg .b32 %r<9>;
mov.u32 %r1, %tid.x;
mov.u32 %r5, %laneid;
{
.param .b32 x;
.param .b32 y;
.param .b32 z;
st.param.b32 [x], %r1;      //+
st.param.b32 [y], %r5;
call.uni (z), twice, (x, y); //+
ld.param.b32 %r2, [z];      //+
}
call.uni (%r3), inc, (%r2, %r5); //+
setp.lt.u32 %p1, %r3, 7;    //+
@%p1 bra L;                 //+
mov.u32 %r4, 1;
L: ret;
}`
	m := lower(t, src)
	l := grid(m)
	l.Pointers = nil
	checkMembers(t, src, newKernel(m.Kernels()[0]).Specialise(l).Slice(Control))
}

// TestFilter: the filtered graph of one branch follows control dependences and
// takes nothing of other branches.
func TestFilter(t *testing.T) {
	src := kernel(`
mov.u32 %r1, %tid.x;
mov.u32 %r5, %laneid;
mov.u32 %r2, 1;             //+
setp.lt.u32 %p3, %r5, 3;
@%p3 bra X;
mov.u32 %r6, 1;
X: setp.lt.u32 %p2, %r1, 3; //+
@%p2 bra M;                 //+
mov.u32 %r2, 2;             //+
M: setp.lt.u32 %p1, %r2, 2; //+
@%p1 bra L;                 //+
mov.u32 %r4, 1;
L: ret;`)
	m := lower(t, src)
	g := newKernel(m.Kernels()[0]).Specialise(grid(m))
	checkMembers(t, src, g.Filter(10))
}

// TestMemorySlice: addresses, but not what is stored.
func TestMemorySlice(t *testing.T) {
	src := kernel(`
ld.param.u64 %d1, [a];      //+
mov.u32 %r1, %tid.x;
mov.u32 %r2, %laneid;
mul.wide.u32 %d2, %r1, 4;   //+
add.u64 %d3, %d1, %d2;      //+
ld.global.u32 %r3, [%d3];   //+
add.u32 %r4, %r3, %r2;
st.global.u32 [%d3+4], %r4; //+
ret;`)
	m := lower(t, src)
	f := newKernel(m.Kernels()[0]).Specialise(grid(m)).Slice(Memory)
	checkMembers(t, src, f)
	if f.Slice.Value.Len() != 1 || !f.Slice.Value.Has(0) {
		t.Errorf("%d values, want only that of ld.param", f.Slice.Value.Len())
	}
}

// TestConsts: constants stand at the uses, and the parameter decides.
func TestConsts(t *testing.T) {
	src := kernel(`
ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x;
shl.b32 %r3, %r1, 2;
setp.lt.u32 %p1, %r2, %r3;  //+
@%p1 bra L;                 //+
setp.eq.u32 %p2, %r1, 3;
@%p2 mov.u32 %r4, 1;
L: ret;`)
	m := lower(t, src)
	f := newKernel(m.Kernels()[0]).Specialise(withN(grid(m), 3)).Slice(Control)
	checkMembers(t, src, f)
	k := m.Kernels()[0]
	want := []slice.ConstUse{{PC: 3, Bits: 12}, {PC: 6, Bits: 1}}
	if len(f.Slice.Consts) != len(want) {
		t.Fatalf("constants %v, want %v", f.Slice.Consts, want)
	}
	for i, c := range f.Slice.Consts {
		if c.PC != want[i].PC || c.Bits != want[i].Bits {
			t.Errorf("constant %d: %d at %d in %s, want %d at %d", i, c.Bits, c.PC, k.Regs[c.Reg].Name, want[i].Bits, want[i].PC)
		}
	}
}

// TestSpecialRegisters: readers read special registers themselves, but a phi
// finds its value in a register.
func TestSpecialRegisters(t *testing.T) {
	src := kernel(`
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;      //+
setp.lt.u32 %p1, %r1, 5;    //+
@%p1 bra L;                 //+
mov.u32 %r2, 7;             //+
L: setp.lt.u32 %p2, %r2, 3; //+
@%p2 bra E;                 //+
mov.u32 %r3, 1;
E: ret;`)
	m := lower(t, src)
	f := newKernel(m.Kernels()[0]).Specialise(grid(m)).Slice(Control)
	checkMembers(t, src, f)
	if n := len(f.Slice.SRegs); n != 1 {
		t.Errorf("%d uses of special registers, want that of %%r1", n)
	}
	if f.sources&sourceTIDX == 0 {
		t.Error("the slice depends on tid.x, which its sources do not say")
	}
}
