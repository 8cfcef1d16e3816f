package ir

import (
	"fmt"
	"strings"
	"testing"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// kernelOf lowers statements as the body of a kernel.
func kernelOf(t *testing.T, stmts string) *Func {
	t.Helper()
	m, err := lowerSource(body(stmts))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.sanity(); err != nil {
		t.Fatal(err)
	}
	return m.Func("k")
}

// names returns the names of registers.
func (f *Func) regNames(rs []RegID) string {
	var ns []string
	for _, r := range rs {
		ns = append(ns, f.Regs[r].Name)
	}
	return fmt.Sprint(ns)
}

// TestScopes: an inner declaration hides the outer one until its block ends;
// sibling blocks may declare the same name.
func TestScopes(t *testing.T) {
	f := kernelOf(t, `mov.u32 %r1, 1;
		{ .reg .b64 %r1; mov.u64 %r1, 2; { mov.u64 %r1, 3; } }
		{ .reg .b32 %r1; .param .b64 q; mov.u32 %r1, 4; }
		{ .param .b64 q; }
		mov.u32 %r1, 5;`)
	var got []RegID
	for i := range f.Instrs() {
		got = append(got, f.Instrs()[i].Defs()...)
	}
	outer, inner, sibling := got[0], got[1], got[3]
	if got[2] != inner || got[4] != outer || outer == inner || inner == sibling || sibling == outer {
		t.Errorf("definitions %v: want the first and last, and the second and third, to be one", got)
	}
	if f.Regs[inner].Type != isa.B64 || f.Regs[sibling].Type != isa.B32 {
		t.Errorf("types %s %s, want .b64 .b32", f.Regs[inner].Type, f.Regs[sibling].Type)
	}
	if len(f.Vars) != 2 || f.Vars[0] == f.Vars[1] || f.Vars[0].Space != isa.ParamFunc {
		t.Errorf("variables %v: want two call parameters", f.Vars)
	}
}

// TestRegisterRange: a range of 2^31 registers costs what is used of it.
func TestRegisterRange(t *testing.T) {
	f := kernelOf(t, `.reg .b32 %big<2147483648>; mov.u32 %big2147483647, %big0; mov.u32 %big0, %big2147483647;`)
	n := 0
	for _, r := range f.Regs {
		if len(r.Name) > 3 && r.Name[:4] == "%big" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d registers of the range, want 2", n)
	}
	checkErrors(t, body(`.reg .b32 %q<3>, %z1<2>; mov.u32 %q2, %z10;
		mov.u32 %q3, %z11; // want "undeclared register or variable %q3"
		mov.u32 %q02, %z10; // want "%q02"`))
}

// TestSpecialRegisters: a declared name hides a special register.
func TestSpecialRegisters(t *testing.T) {
	f := kernelOf(t, `mov.u32 %r1, %tid.x; mov.u32 %r2, WARP_SZ; { .reg .b32 %laneid; mov.u32 %r1, %laneid; } mov.u32 %r1, %laneid;`)
	ins := f.Instrs()
	if o := ins[0].Ops()[1]; o.Kind != OperandSReg || o.SReg.String() != "%tid.x" {
		t.Errorf("%%tid.x: %+v", o)
	}
	if o := ins[1].Ops()[1]; o.Kind != OperandImm || o.Imm != 32 {
		t.Errorf("WARP_SZ: %+v", o)
	}
	if ins[2].Ops()[1].Kind != OperandReg || ins[3].Ops()[1].Kind != OperandSReg {
		t.Errorf("%%laneid: kinds %d, %d", ins[2].Ops()[1].Kind, ins[3].Ops()[1].Kind)
	}
}

func TestMemoryOperands(t *testing.T) {
	f := kernelOf(t, `ld.global.u32 %r1, [%rd1]; ld.global.u32 %r1, [%rd1+-12]; ld.global.u32 %r1, [%rd1-8];
		ld.global.u32 %r1, [%rd1+288*2+4]; ld.global.u32 %r1, [gv+4]; ld.global.u32 %r1, gv[3]; ld.shared.u32 %r1, [16];
		ld.param.u64 %rd1, [p0+0]; ld.shared.u32 %r1, [%r2+4]; ld.shared.u32 %r1, [dyn];`)
	want := []string{"[%rd1]", "[%rd1+-12]", "[%rd1+-8]", "[%rd1+580]", "[gv+4]", "[gv+12]", "[16]", "[p0]", "[%r2+4]", "[dyn]"}
	for i, w := range want {
		in := &f.Instrs()[i]
		if got := f.operandText(&in.Ops()[1]); got != w {
			t.Errorf("address %d: %s, want %s", i, got, w)
		}
		if hasReg := in.Ops()[1].Reg != NoReg; hasReg != (len(in.Uses()) == 1) {
			t.Errorf("address %d: uses %s", i, f.regNames(in.Uses()))
		}
	}
}

func TestAddresses(t *testing.T) {
	f := kernelOf(t, `mov.u64 %rd1, gv; mov.u64 %rd1, gv+4; mov.u64 %rd1, gv[2]; mov.u64 %rd1, callee; mov.u32 %r1, sv;`)
	want := []string{"gv", "gv+4", "gv+8", "callee", "sv"}
	for i, w := range want {
		if got := f.operandText(&f.Instrs()[i].Ops()[1]); got != w {
			t.Errorf("address %d: %s, want %s", i, got, w)
		}
	}
	if o := f.Instrs()[3].Ops()[1]; o.Kind != OperandFunc || o.Rare.Func.Name != "callee" {
		t.Errorf("address of a function: %+v", o)
	}
}

func TestDefsUses(t *testing.T) {
	tests := []struct{ stmt, defs, uses string }{
		{"add.u32 %r1, %r2, %r2;", "[%r1]", "[%r2]"},
		{"@!%p1 add.u32 %r1, %r1, 4;", "[%r1]", "[%r1 %p1]"},
		{"setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3;", "[%p1 %p2]", "[%r1 %r2 %p3]"},
		{"setp.lt.u32 %p1|_, %r1, %r2;", "[%p1]", "[%r1 %r2]"},
		{"ld.global.v4.f32 {%f0, %f1, _, %f3}, [%rd1];", "[%f0 %f1 %f3]", "[%rd1]"},
		{"st.global.v2.f32 [%rd1], {%f0, %f1};", "[]", "[%rd1 %f0 %f1]"},
		{"mov.b64 {%r1, %r2}, %rd1;", "[%r1 %r2]", "[%rd1]"},
		{"mov.b64 %rd1, {%r1, %r2};", "[%rd1]", "[%r1 %r2]"},
		{"atom.global.add.u32 %r1, [%rd1], %r2;", "[%r1]", "[%rd1 %r2]"},
		{"red.global.add.u32 [%rd1], %r2;", "[]", "[%rd1 %r2]"},
		{"add.cc.u32 %r1, %r2, %r3;", "[%r1 %cc]", "[%r2 %r3]"},
		{"addc.cc.u32 %r1, %r2, %r3;", "[%r1 %cc]", "[%r2 %r3 %cc]"},
		{"addc.u32 %r1, %r2, %r3;", "[%r1]", "[%r2 %r3 %cc]"},
		{"mov.f32 %v.y, %v.x;", "[%v.y]", "[%v.x]"},
		{"ld.global.v4.f32 %v, [%rd1];", "[%v.x %v.y %v.z %v.w]", "[%rd1]"},
		{"mov.v4.u32 {%r1, _, %r2, _}, %ctaid;", "[%r1 %r2]", "[]"},
		{"cp.async.ca.shared.global.L2::cache_hint [%r1], [%rd1], 4, %rd2;", "[]", "[%r1 %rd1 %rd2]"},
		{"bar.red.popc.u32 %r1, 0, !%p1;", "[%r1]", "[%p1]"},
		{"shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;", "[%r1 %p1]", "[%r2]"},
	}
	for _, test := range tests {
		f := kernelOf(t, test.stmt)
		in := &f.Instrs()[0]
		if d, u := f.regNames(in.Defs()), f.regNames(in.Uses()); d != test.defs || u != test.uses {
			t.Errorf("%s defines %s, uses %s; want %s, %s", test.stmt, d, u, test.defs, test.uses)
		}
	}
	if f := kernelOf(t, "add.u32 %r1, %r2, %r3;"); f.CC != NoReg {
		t.Error("CC exists although nothing uses it")
	}
}

func TestImmediates(t *testing.T) {
	tests := []struct {
		stmt string
		want uint64
	}{
		{"mov.u32 %r1, -1;", 0xFFFFFFFF},
		{"mov.b16 %h1, 0x3C00;", 0x3C00},
		{"mov.f32 %f1, 0f7FFFFFFF;", 0x7FFFFFFF},
		{"mov.f32 %f1, 0.5;", 0x3F000000},
		{"mov.f64 %d1, 0d7FF0000000000001;", 0x7FF0000000000001},
		{"mov.b32 %f1, 0f3F800000;", 0x3F800000},
		{"mov.pred %p1, -1;", 1},
		{"add.u64 %rd1, %rd1, 32 * 4;", 128},
		{"shl.b64 %rd1, %rd1, 3;", 3},
	}
	for _, test := range tests {
		ops := kernelOf(t, test.stmt).Instrs()[0].Ops()
		if o := ops[len(ops)-1]; o.Kind != OperandImm || o.Imm != test.want {
			t.Errorf("%s: %+v, want %#x", test.stmt, o, test.want)
		}
	}
}

func TestLoc(t *testing.T) {
	m := lowerText(t, `.file 1 "a.cu"
.entry k { .reg .b32 %r; .loc 1 12 3
mov.u32 %r, 1; mov.u32 %r, 2;
.loc 1 13 0
ret; }
.entry second { ret; }`)
	for i, want := range []int{12, 12, 13, 0} {
		file, line := m.Source(PC(i))
		if line != want || file != m.Files[min(line, 1)] {
			t.Errorf("instruction %d: %s:%d, line %d is right", i, file, line, want)
		}
	}
	if m.Files[1] != "a.cu" || len(m.places) != 3 {
		t.Errorf("files %v", m.Files)
	}
}

// TestOldVersions: before PTX 3.1 a variable's name in an initialiser is its
// generic address; 8.10 is later than 8.9.
func TestOldVersions(t *testing.T) {
	m, err := lowerSource(".version 3.0 .target sm_30\n.global .u32 a; .global .u32 p = a;")
	if err != nil {
		t.Fatal(err)
	}
	if r := m.Vars[1].Relocs; len(r) != 1 || !r[0].Generic || m.AddressSize != 32 {
		t.Errorf("relocations %+v, address size %d", r, m.AddressSize)
	}
	tree := &parser.Module{File: "v", Version: parser.Version{Major: 8, Minor: 10}, Targets: []string{"sm_80"}}
	if m, err := Lower(tree); err != nil || m.PTXVersion != 810 {
		t.Errorf("version 8.10: %v", err)
	}
}

// TestNewestVersion: a version that nobody knows is an error, which --lenient makes a warning;
// the newest of an instruction is known.
func TestNewestVersion(t *testing.T) {
	newest := 0
	for _, f := range isa.Forms() {
		var major, minor int
		if _, err := fmt.Sscanf(f.Since(), "%d.%d", &major, &minor); err != nil {
			t.Fatal(err)
		}
		newest = max(newest, 100*major+minor)
	}
	if newest != newestPTX {
		t.Errorf("the newest instruction has version %d, which is said to be %d", newest, newestPTX)
	}
	const text = ".version 9.5 .target sm_90 .address_size 64\n.entry k() { ret; }"
	if _, err := lowerSource(text); err == nil || err.Error() != "test.ptx:1:10: .version 9.5: the newest that is known is 9.4" {
		t.Errorf("%v", err)
	}
	tree, _ := parser.Parse("test.ptx", []byte(text))
	if m, err := Lower(tree, Lenient); err != nil || len(m.Warnings) != 1 || len(m.Kernels()) != 1 {
		t.Errorf("lenient: %v", err)
	}
}

// TestToldOnce: what is wrong at module scope with what each function has for itself is told
// once, and refuses each.
func TestToldOnce(t *testing.T) {
	m, err := lowerSource(".version 2.3 .target sm_20\n.reg .u32 r;\n.reg .u32 r;\n.entry a() { ret; }\n.entry b() { ret; }")
	if err == nil || err.Error() != "test.ptx:3:11: r is already declared at 2:11" {
		t.Errorf("%v", err)
	}
	for _, f := range m.Funcs {
		if len(f.Refused) != 1 {
			t.Errorf("%s: %v", f.Name, f.Refused)
		}
	}
}

// TestFormsFit: the operands of every form fit into match's array.
func TestFormsFit(t *testing.T) {
	for _, f := range isa.Forms() {
		if len(f.Operands) > maxOperands {
			t.Errorf("%s has %d operands", f.Syntax, len(f.Operands))
		}
	}
}

// TestOptiX: what OptiX links in by name is an error that says how it is taken.
func TestOptiX(t *testing.T) {
	const text = ".version 7.1 .target sm_60 .address_size 64\n.entry k() { .reg .b32 r;\ncall (r), _optix_get_launch_index_x, ();\nret; }"
	const want = "test.ptx:3:11: unknown function _optix_get_launch_index_x, which OptiX links in; option lenient takes the call for its prototype"
	if _, err := lowerSource(text); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v", err)
	}
	tree, _ := parser.Parse("test.ptx", []byte(text))
	if m, err := Lower(tree, Lenient); err != nil || strings.Contains(m.Warnings[0].Msg, "option") {
		t.Errorf("lenient: %v, %v", err, m.Warnings)
	}
}
