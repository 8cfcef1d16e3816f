package ir

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"hyptx/parser"
)

// prologue begins the sources of tests; it is one line, so that line numbers
// are those of the rest plus one.
const prologue = ".version 8.0 .target sm_90 .address_size 64\n"

// lowerText parses and lowers a source that must be correct, and checks the
// result's invariants.
func lowerText(t testing.TB, src string) *Module {
	t.Helper()
	m, err := lowerSource(prologue + src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if err := m.sanity(); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return m
}

func lowerSource(src string) (*Module, error) {
	tree, err := parser.Parse("test.ptx", []byte(src))
	if err != nil {
		return nil, err
	}
	return Lower(tree)
}

// wantComment finds the expectations in a source: // want "part" "part".
var wantComment = regexp.MustCompile(`// want (".*")`)

// checkErrors lowers a source whose lines say which errors they cause, and
// compares.
func checkErrors(t *testing.T, src string) {
	t.Helper()
	want := make(map[int32][]string)
	for i, line := range strings.Split(src, "\n") {
		if m := wantComment.FindStringSubmatch(line); m != nil {
			for _, part := range strings.Split(strings.Trim(m[1], `"`), `" "`) {
				want[int32(i+1)] = append(want[int32(i+1)], part)
			}
		}
	}
	m, err := lowerSource(src)
	if len(want) == 0 {
		t.Fatal("the source expects no error")
	}
	if err == nil || m != nil && m.sanity() != nil {
		t.Fatalf("no error; want %v", want)
	}
	var list parser.ErrorList
	if !errors.As(err, &list) {
		t.Fatalf("%T is no parser.ErrorList: %v", err, err)
	}
	for _, e := range list {
		line := want[e.Pos.Line]
		at := -1
		for i, part := range line {
			if strings.Contains(e.Msg, part) {
				at = i
			}
		}
		if at < 0 || e.Pos.Col < 1 || e.File != "test.ptx" {
			t.Errorf("unexpected: %v", e)
			continue
		}
		want[e.Pos.Line] = append(line[:at:at], line[at+1:]...)
	}
	for line, parts := range want {
		for _, part := range parts {
			t.Errorf("line %d: no error about %q; got\n%v", line, part, err)
		}
	}
}

// body wraps statements into a kernel with registers of every kind.
func body(stmts string) string {
	return prologue + `.global .u32 gv[4]; .extern .shared .b8 dyn[]; .shared .u32 sv;
.func (.param .b32 ret) callee (.param .b32 a, .param .b64 b) { ret; } .func (.reg .pred r) decide (.reg .pred q) { ret; }
.entry k (.param .u64 p0, .param .u32 p1) {
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .u32 %u; .reg .f32 %f<4>; .reg .b64 %rd<9>; .reg .f64 %d<4>; .reg .v4 .f32 %v;
` + stmts + "\n}\n"
}

func TestErrors(t *testing.T) {
	tests := map[string]string{
		"unknown opcode": body(`frob.u32 %r1, %r2; // want "frob"`),
		"illegal modifier": body(`add.rn.u32 %r1, %r2, %r3; // want "rn"
			mov.u32 %r1, %r2;`),
		"undeclared register": body(`add.u32 %r1, %x1, %r3; // want "undeclared register or variable %x1"
			add.u32 %r1, %r9, %r3; // want "%r9"
			@%q bra L; // want "undeclared register %q"
			L: ret;`),
		"a register that was meant": body(`.reg .b32 %w<4>; add.u32 %r1, r2, %r3; // want "undeclared register or variable r2; did you mean %r2?"
			.reg .pred %pp; @pp bra L; // want "undeclared register pp; did you mean %pp?"
			add.u32 %r1, %w4, %r3; // want "undeclared register or variable %w4; %w<4>, declared at 6:11, ends at %w3"
			ADD.u32 %r1, %r2, %r3; // want "did you mean"
			mov.u32 %r1, %tid; // want "%tid is a vector; name one of its components, as %tid.x"
			st.global.v2.u32 [%rd1], {%r1, %tid}; // want "%tid is a vector; name one of its components, as %tid.x"
			mov.b64 %rd1, {%r1, _}; // want "operand a of mov.b64 is read; _ cannot stand there"
			L: ret;`),
		"brackets": body(`ld.global.u32 %r1, %rd1; // want "operand a of ld.global.u32 is an address; write it in brackets, as in ld"
			st.global.u32 %r1, [%rd1]; // want "operand a of st.global.u32 is an address; write it in brackets, as in st"
			add.u32 %r1, [%rd1], %r2; // want "operand a of add.u32 is no address; it stands without brackets, as in add.type d, a, b"
			bar.sync; // want "0 operands where bar{.cta}.sync a{, b} is expected"
			add.u32 %r1, %r2; // want "add.u32: 2 operands where add.type d, a, b is expected"`),
		"no ; behind what has no operands": body("exit // want \"expected ; behind exit, which has no operands\"\nret;"),
		"redeclaration": body(`.reg .b32 %r3; // want "%r3 is already declared at 5:46"
			.reg .b32 %n; .reg .f32 %n; // want "%n is already declared"
			.reg .b32 %r<2>; // want "already declared"
			.reg .b32 %r8; // want "already declared"
			.reg .b32 %r9, %r1<2>;
			.reg .b32 %rx<4>, %rx<2>; // want "already declared"
			.reg .b32 %z7, %z6, %z5, %z4, %z3, %z2; .reg .b32 %z<99>; // want "already declared at 12:14"
			{ .reg .b64 %r3; mov.u64 %r3, 1; }`),
		"types": body(`add.u32 %r1, %f1, %r2; // want "type .u32, register %f1 is .f32"
			add.f32 %f1, %u, %f2; // want "type .f32, register %u is .u32"
			add.u32 %h1, %r1, %r2; // want "%h1 is .b16"
			add.u64 %rd1, %r1, %rd2; // want "%r1 is .b32"
			setp.eq.u32 %r1, %r2, %r3; // want "%r1 is .b32"
			selp.u32 %r1, %r2, %r3, %r4; // want "%r4 is .b32"
			@%r1 bra L; // want "guard %r1 is of type .b32"
			shl.b64 %rd1, %rd2, %rd3; // want "type .u32, register %rd3 is .b64"
			mul.wide.u32 %r1, %r2, %r3; // want "%r1 is .b32"
			cvt.u64.u32 %rd1, %rd2;
			ld.global.u8 %r1, [%rd1];
			ld.global.u32 %h1, [%rd1]; // want "%h1 is .b16"
			L: ret;`),
		"operand count": body(`add.u32 %r1, %r2; // want "operand"
			add.u32 %r1, %r2, %r3, %r4; // want "operand"
			ret %r1; // want "operand"`),
		"operand kind": body(`add.u32 %r1, [%rd1], %r2; // want "operand"
			ld.global.u32 %r1, %rd1; // want "operand"
			add.u32 1, %r1, %r2; // want "written"
			add.u32 _, %r1, %r2;
			add.u32 %r1, _, %r2; // want "_ cannot stand there"
			mov.u32 gv, %r1; // want "gv"
			mov.u32 %tid.x, %r1; // want "%tid.x cannot be written"
			add.u32 %r1, !%r1, %r2; // want "cannot be negated"
			add.u32 %r1, %r2+4, %r2; // want "offset"
			add.u32 %r1, -%r2, %r2; // want "negated with -"
			add.u32 %r1, %r2.b0, %r2; // want "no component .b0"
			vadd.u32.u32.u32 %r1.b0, %r2, %r2; // want "needs an operand c to be merged into"
			vadd.u32.u32.u32 %r1, %r2, %r2, %r2; // want "operand c needs a part of d"
			vmad.s32.s32.s32 %r1, -%r2, %r2, -%r2; // want "either the product is negated or c"
			mov.u64 %rd1, generic(gv); // want "initialisers only"
			mov.u16 %h1, gv; // want "does not fit"
			add.u64 %rd1, %tid.x, %rd2; // want "special register %tid.x is .u32"
			mov.u16 %h1, %tid.x; mov.u64 %rd1, %clock64; mov.u32 %r1, %clock64;
			ld.global.L2::cache_hint.u32 %r1, [%rd1]; // want "operand"
			ld.global.u32 %r1, [%rd1], %rd2; // want "operand"
			ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;`),
		"memory operands": body(`ld.global.u32 %r1, [%f1]; // want "cannot hold an address"
			ld.global.u32 %r1, [%h1]; // want "cannot hold an address"
			ld.global.u32 %r1, [sv]; // want "sv lies in .shared"
			ld.shared.u32 %r1, [gv]; // want "gv lies in .global"
			ld.param.u32 %r1, [gv]; // want "gv lies in .global"
			st.param.u32 [p1], %r1; // want "cannot be written"
			ld.global.u32 %r1, [nowhere]; // want "nowhere"
			ld.global.u32 %r1, [%rd1+4294967296]; // want "32 bits"
			ld.global.u32 %r1, [%rd1*2]; // want "%rd1 cannot be an operand of *"
			ld.global.u32 %r1, gv[%f1]; // want "indexing by a register"
			mov.u64 %rd1, gv[%r1]; // want "indexing by a register"`),
		"vectors": body(`ld.global.v2.f32 {%f1, %f2, %f3}, [%rd1]; // want "3 elements, 2 are expected"
			mov.b64 {%r1, %h1}, %rd1; // want "%h1 is .b16"
			mov.b32 {%r1, %r2, %r3}, %r1; // want "vector of 3"
			add.u32 %r1, {%r1, %r2}, %r2; // want "vector of 2"
			add.f32 %f1, %v, %f2; // want "vector of 4"
			add.f32 %f1, %v.q, %f2; // want "no component .q"`),
		"labels": body(`bra LOP; // want "unknown label LOP; did you mean LOOP?"
			call (r), calee, (a, b); // want "unknown function calee; did you mean callee?"
			LOOP: ret;
			bra L1; // want "unknown label L1"
			L2: L2: ret; // want "L2 is already declared"
			T: .branchtargets L2, L3; // want "unknown label L3"
			brx.idx %r1, T;
			brx.idx %r1, L2; // want "no .branchtargets"
			bra T; // want "label of a directive"`),
		"calls": body(`.param .b32 a; .param .b64 b; .param .b32 r; .param .b8 big[16];
			call (r), callee, (a, b);
			call (r), callee, (a); // want "callee has 2 arguments, the call gives 1"
			call callee, (a, b); // want "callee has 1 return values, the call gives 0"
			call (r), callee, (b, b); // want "8 bytes"
			call (r), callee, (a, big); // want "16 bytes"
			call (r), callee, (a, gv); // want "gv of 16 bytes in .global"
			call (r), callee, (p1, b); // want "p1 of 4 bytes in .param::entry"
			call (r), callee, (_, b); // want "_ cannot stand there"
			call (r), callee, (%f1, %rd1); call (%f1), callee, (1, 2);
			call (r), callee, (%rd1, %rd1); // want "register %rd1 is .b64"
			call (7), callee, (a, b); // want "a constant cannot stand there"
			call (%p1), decide, (a); // want "a predicate is expected, a is a variable"
			call (%p1), decide, (%r1); // want "register %r1 is"
			call (r), nobody, (a, b); // want "unknown function nobody"
			call k, (a, b); // want "k is a kernel"
			call (r), %rd1, (a, b); // want "indirect call needs"
			call (r), %rd1, (a, b), P; // want "P is no .callprototype"`),
		"constants": body(`mov.u32 %r1, 1/0; // want "division by zero"
			mov.u32 %r1, 1.5; // want "floating-point"
			add.f32 %f1, %f2, 1; // want "decimal point"
			mov.b32 %r1, 1.5;
			mov.u32 %r1, 0x1FFFFFFFF;`),
		"module": prologue + `.reg .u32 r; // want ".reg variable cannot be declared at module scope"
			.global .pred q; // want "predicates"
			.global .bf16 b; // want "declare it .b16"
			.global .u32 twice; .global .u32 twice; // want "twice is already declared"
			.shared .u32 s = 4; // want "initialiser"
			.global .align 3 .u32 al; // want "power of two"
			.global .u32 short[2] = {1, 2, 3}; // want "more values"
			.global .u32 unsized[]; // want "without a size"
			.global .u64 to = nowhere; // want "nowhere"
			.global .u8 narrow[2] = {0xF0(twice), 0}; // want "mask"
			.alias a, b; // want "no function b"
			.func f (.param .u32 x); .func f (.param .u64 x); // want "declared differently"
			.entry e .maxntid 0 { } // want "between 1 and"
			.entry g .reqntid 1 .maxntid 1 { } // want "both"
			.entry big (.param .b8 s[40000]) { } // want "40000 bytes"
			.func k2 .maxntid 1 { } // want "kernels only"
			.entry ret (.reg .u32 x) { } // want "use .param"`,
		"declarations": body(`.reg .v4 .f64 %a; // want "no vector register"
			.reg .texref %b; // want "cannot be of type .texref"
			.reg .b32 %c[4]; // want "cannot be an array"
			.reg .b32 %e<0-1>; // want "must be between"
			.local .u32 l = 4; // want "initialiser"
			.global .u32 g; // want "move it to the module"
			.local .pred q; // want "predicates"
			.local .texref t; // want ".global or a kernel parameter"
			.local .u32 huge[1099511627776]; // want "too large"
			.local .u32 rows[2][]; // want "only the first"
			.local .u32 n[1.5]; // want "must be an integer"
			.local .u32 m[m]; // want "not a constant"
			.param .b32 x<3>; ld.param.b32 %r1, [x2]; ld.param.b32 %r1, [x3]; // want "x3"
			.local .b32 y<100000>; // want "must be between"`),
		"indirect calls": body(`P: .callprototype (.param .b32 _) _ (.param .b32 _); .param .b32 a, r;
			T: .calltargets callee, k; // want "unknown function k"
			call (r), %rd1, (a), P;
			call (r), %rd1, (a, a), P; // want "P has 1 arguments"
			call (r), %f1, (a), P; // want "%f1 is .f32"
			call (r), gv, (a), P; // want "gv is neither"
			call (r), callee, (a, %rd1), P; // want "takes no prototype"
			call (r), %rd1, (a, %rd2), T;`),
		"gates": `.version 6.0 .target sm_60 .address_size 64
			.entry k { .reg .b32 %r<4>; .reg .b64 %rd<2>;
			cp.async.ca.shared.global [%rd0], [%rd1], 4; // want "7.0"
			}`,
	}
	for name, src := range tests {
		t.Run(name, func(t *testing.T) { checkErrors(t, src) })
	}
}

// TestErrorCap: lowering stops at 50 errors.
func TestErrorCap(t *testing.T) {
	_, err := lowerSource(body(strings.Repeat("frob.u32 %r1;\n", 200)))
	var list parser.ErrorList
	if !errors.As(err, &list) || len(list) != 50 {
		t.Errorf("%d errors, want 50", len(list))
	}
}

// TestStrangeTrees: trees that no text gives are refused, not tripped over.
func TestStrangeTrees(t *testing.T) {
	one := func(i *parser.Instruction) []parser.Item {
		return []parser.Item{&parser.Function{Kernel: true, Name: "k", Body: &parser.Block{Stmts: []parser.Stmt{i}}}}
	}
	operands := func(opcode string, ops ...parser.Operand) []parser.Item {
		return one(&parser.Instruction{Opcode: opcode, Operands: ops})
	}
	trees := map[string][]parser.Item{
		"empty opcode":                operands(""),
		"dots":                        operands("..."),
		"no expression":               operands("bar.sync", parser.Operand{}),
		"empty address":               operands("prefetch.global.L1", parser.Operand{Kind: parser.OperandAddress}),
		"nested address":              operands("prefetch.global.L1", parser.Operand{Kind: parser.OperandAddress, Elems: []parser.Operand{{Kind: parser.OperandAddress}}}),
		"array without index":         operands("prefetch.global.L1", parser.Operand{Kind: parser.OperandArray, Name: "x"}),
		"parentheses":                 operands("bar.sync", parser.Operand{Kind: parser.OperandParens}),
		"half a pair":                 operands("bar.sync", parser.Operand{Kind: parser.OperandPair, Elems: []parser.Operand{{}}}),
		"empty vector":                operands("bar.sync", parser.Operand{Kind: parser.OperandVector}),
		"vector in a vector":          operands("bar.sync", parser.Operand{Kind: parser.OperandVector, Elems: []parser.Operand{{Kind: parser.OperandVector}}}),
		"branch to a constant":        operands("bra", parser.Operand{X: lit(1)}),
		"call of a constant":          operands("call", parser.Operand{X: lit(1)}),
		"call of nothing":             operands("call"),
		"unknown guard":               one(&parser.Instruction{Opcode: "ret", Guard: &parser.Guard{}}),
		"operator with nothing":       operands("bar.sync", parser.Operand{X: &parser.Expr{Kind: parser.ExprUnary, Text: "-"}}),
		"generic of nothing":          operands("bar.sync", parser.Operand{X: &parser.Expr{Kind: parser.ExprGeneric}}),
		"variable in no space":        {&parser.Variable{Type: "u32", Names: []parser.Declarator{{Name: "x"}}}},
		"initialiser without a value": {&parser.Variable{Space: "global", Type: "u32", Names: []parser.Declarator{{Name: "x", Init: &parser.Init{}}}}},
		"alias of itself":             {&parser.Alias{Name: "a", Aliasee: "a"}},
		"directive without a number":  {&parser.Function{Kernel: true, Name: "k", Directives: []parser.Directive{{Name: "maxntid", Args: []parser.DirectiveArg{{}}}}}},
		"unknown directive":           {&parser.Function{Kernel: true, Name: "k", Directives: []parser.Directive{{Name: "frobnicate"}}}},
		"four numbers":                {&parser.Function{Kernel: true, Name: "k", Directives: []parser.Directive{{Name: "reqntid", Args: make([]parser.DirectiveArg, 4)}}}},
	}
	for name, items := range trees {
		tree := &parser.Module{Version: parser.Version{Major: 8}, Targets: []string{"sm_90"}, Items: items}
		if _, err := Lower(tree); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Lower(&parser.Module{}); err == nil {
		t.Error("a module without anything: no error")
	}
}

// TestMisdeclared: that a name is unknown whose declaration is wrong is no second error.
func TestMisdeclared(t *testing.T) {
	checkErrors(t, prologue+`.const .samplerref smp; // want "must be .global"
.entry k() { .reg .b64 %d; mov.u64 %d, smp; ret; }`)
}

// TestAliasRing: aliases of each other have no body.
func TestAliasRing(t *testing.T) {
	checkErrors(t, prologue+`.func a; .func b;
.alias a, b; // want "b has no body"
.alias b, a; // want "a has no body"
.func c;
.alias d, c; // want "c has no body"`)
}
