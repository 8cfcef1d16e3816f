package parser

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestModuleHeader(t *testing.T) {
	m := roundTrip(t, "m.ptx", []byte("// first\n.version 8.10\r\n.target sm_90a, debug\r\n.address_size 64\r\n.target texmode_independent\n"))
	if m.Version.Major != 8 || m.Version.Minor != 10 || m.Version.Pos != (Pos{2, 10}) {
		t.Errorf("version %+v, want 8.10 at 2:10", m.Version)
	}
	if want := []string{"sm_90a", "debug", "texmode_independent"}; !slices.Equal(m.Targets, want) {
		t.Errorf("targets %v, want %v", m.Targets, want)
	}
	if m.AddressSize != 64 || m.TargetPos != (Pos{3, 1}) {
		t.Errorf("address size %d, target at %v", m.AddressSize, m.TargetPos)
	}
	if m := roundTrip(t, "m.ptx", []byte(".version 1.4\n.address_size 32")); m.AddressSize != 32 || m.Targets != nil {
		t.Errorf("address size %d, targets %v", m.AddressSize, m.Targets)
	}
}

// showFunction writes a function's header.
func showFunction(f *Function) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s kernel=%v", f.Linkage, f.Kernel)
	for _, a := range f.Attribute {
		fmt.Fprintf(&b, " %s%s", a.Name, showExprs(a.Args))
	}
	list := func(what string, vars []*Variable) {
		if vars == nil {
			return
		}
		parts := []string{}
		for _, v := range vars {
			parts = append(parts, showVariable(v))
		}
		fmt.Fprintf(&b, " %s(%s)", what, strings.Join(parts, ", "))
	}
	list("returns", f.Returns)
	fmt.Fprintf(&b, " %s", f.Name)
	list("params", f.Params)
	for _, d := range f.Directives {
		b.WriteString(" " + showDirective(d))
	}
	if f.Body != nil {
		b.WriteString(" {" + showStmts(f.Body.Stmts) + "}")
	}
	return b.String()
}

func showDirective(d Directive) string {
	parts := []string{}
	for _, a := range d.Args {
		if a.String != nil {
			parts = append(parts, `"`+*a.String+`"`)
		} else {
			parts = append(parts, show(a.Expr))
		}
	}
	return d.Name + "[" + strings.Join(parts, ", ") + "]"
}

func TestFunctions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{".entry k { ret; }", " kernel=true k {ret}"},
		{".entry k() { }", " kernel=true k params() {}"},
		{".visible .entry k(.param .u64 a) { }", "visible kernel=true k params(param u64 a) {}"},
		{".extern .entry k (.param .u64 a);", "extern kernel=true k params(param u64 a)"},
		{".func f;", " kernel=false f"},
		{".func f { }", " kernel=false f {}"},
		{".func f () { }", " kernel=false f params() {}"},
		{".weak .func f(.reg .u32 a) { ret; }", "weak kernel=false f params(reg u32 a) {ret}"},
		{".func (.reg .u32 r) f (.reg .u32 a);", " kernel=false returns(reg u32 r) f params(reg u32 a)"},
		{".func () f (.param .b32 a) { }", " kernel=false returns() f params(param b32 a) {}"},
		{".func (.reg .u32 r, .reg .f32 s) f { }", " kernel=false returns(reg u32 r, reg f32 s) f {}"},
		{".extern .func (.param .b32 r) sqrt(.param .b32 a);", "extern kernel=false returns(param b32 r) sqrt params(param b32 a)"},
		{".func .attribute(.unified(1, 2)) (.param .b32 r) f();", " kernel=false unified(1, 2) returns(param b32 r) f params()"},
		{".func f() .noreturn;", " kernel=false f params() noreturn[]"},
		{".func f() .noreturn .abi_preserve 4 .abi_preserve_control 2 { }", " kernel=false f params() noreturn[] abi_preserve[4] abi_preserve_control[2] {}"},
		{".func f() .language \"PTX\", 0x7 { }", " kernel=false f params() language[\"PTX\", 7] {}"},
		{".func f() .language 5 { }", " kernel=false f params() language[5] {}"},
		{".func f() .language 1, 2, \"c\" { }", " kernel=false f params() language[1, 2, \"c\"] {}"},
		{".func .attribute(.managed, .managed, .unified(1, 2)) f;", " kernel=false managed() managed() unified(1, 2) f"},
		{".func f(.reg .b32 a, .reg .b32 b, .reg .b32 c);", " kernel=false f params(reg b32 a, reg b32 b, reg b32 c)"},
		{".entry k() .maxntid 128 { }", " kernel=true k params() maxntid[128] {}"},
		{".entry k() .maxntid 128, 2\n.minnctapersm 4 { }", " kernel=true k params() maxntid[128, 2] minnctapersm[4] {}"},
		{".entry k() .reqntid 128, 1, 1 .maxnreg 32 .maxnctapersm 2{ }", " kernel=true k params() reqntid[128, 1, 1] maxnreg[32] maxnctapersm[2] {}"},
		{".entry k() .reqnctapercluster 2, 1, 1 .explicitcluster .blocksareclusters .maxclusterrank 8 { }",
			" kernel=true k params() reqnctapercluster[2, 1, 1] explicitcluster[] blocksareclusters[] maxclusterrank[8] {}"},
		{".entry k() .maxntid 16*2, WARP_SZ { }", " kernel=true k params() maxntid[(16 * 2), WARP_SZ] {}"},
		{".entry k() .pragma \"nounroll\"; { }", " kernel=true k params() pragma[\"nounroll\"] {}"},
		{".entry k .pragma \"a;{\", \"b\"; .maxnreg 1 { }", " kernel=true k pragma[\"a;{\", \"b\"] maxnreg[1] {}"},
		{".entry k() .minperctamemory 1024; { }", " kernel=true k params() minperctamemory[1024] {}"},
		{".entry k() .minperctamemory 1024 .maxnreg 1 { }", " kernel=true k params() minperctamemory[1024] maxnreg[1] {}"},
		{".entry k() .minperctamemory 1024; .maxnreg 1 { }", " kernel=true k params() minperctamemory[1024] maxnreg[1] {}"},
		{".entry k() .minperctamemory 1024;", " kernel=true k params() minperctamemory[1024]"},
	} {
		if got := showFunction(item[*Function](t, c.text)); got != c.want {
			t.Errorf("%s\n gives %s\n  want %s", c.text, got, c.want)
		}
	}
}

// The ; of .minperctamemory is its own before any other directive of a header.
func TestMemorySemicolon(t *testing.T) {
	for _, word := range []string{".maxntid 1", ".reqntid 1", ".reqnctapercluster 1", ".minnctapersm 1", ".maxnreg 1", ".maxnctapersm 1",
		".maxclusterrank 1", ".abi_preserve 1", ".abi_preserve_control 1", ".noreturn", ".explicitcluster", ".blocksareclusters", ".language 1", ".pragma \"\";"} {
		f := item[*Function](t, ".entry k() .minperctamemory 8; "+word+" { }")
		if len(f.Directives) != 2 || f.Body == nil {
			t.Errorf("%s: %d directives", word, len(f.Directives))
		}
	}
}

// Each header directive with a ; of its own is followed by the next item.
func TestPrototypesThenItems(t *testing.T) {
	m := roundTrip(t, "m.ptx", []byte(`.version 8.0
.entry a() .minperctamemory 5;
.entry b() .pragma "x"; ;
.func c();
.func c();
.pragma "nounroll", "y";
.entry d() { ret; } .entry e() { ret; }
.alias f, c;
`))
	var got []string
	for _, it := range m.Items {
		switch x := it.(type) {
		case *Function:
			got = append(got, x.Name)
		case *Alias:
			got = append(got, x.Name+"="+x.Aliasee)
		case *Pragma:
			got = append(got, strings.Join(x.Strings, "+"))
		}
	}
	if want := []string{"a", "b", "c", "c", "nounroll+y", "d", "e", "f=c"}; !slices.Equal(got, want) {
		t.Errorf("items %v, want %v", got, want)
	}
}

// A ; behind a body says nothing; among the words of a directive it is an error.
func TestEmptyItems(t *testing.T) {
	m := roundTrip(t, "m.ptx", []byte(".version 8.0\n.target sm_90\n.entry a() { ret; };\n; ;\n.func b() { ; ret; } ;\n"))
	if len(m.Items) != 2 {
		t.Errorf("%d items", len(m.Items))
	}
	if _, err := Parse("m.ptx", []byte(".version 8.0\n.target ; sm_90\n")); err == nil {
		t.Error("a ; within a directive is taken")
	}
}

func TestFileDirective(t *testing.T) {
	f := item[*FileDirective](t, `.file 1 "a dir/x\"y.cu", 1386612144, 0x10`)
	if f.Index != 1 || f.Name != `a dir/x\"y.cu` || *f.Time != 1386612144 || *f.Size != 16 {
		t.Errorf("%+v", f)
	}
	if f := item[*FileDirective](t, `.file 2 "b.cu"`); f.Time != nil || f.Size != nil || f.Index != 2 {
		t.Errorf("%+v", f)
	}
}

func TestSections(t *testing.T) {
	payload := "\n.b8 0\n.b32 .debug_abbrev\nL$0: .b64 $L__a-$L__b // }\n.b32 .debug_loc+0x4 /* } */\n.b8 116,108 "
	s := item[*Section](t, ".section .debug_info\n{"+payload+"}")
	if s.Name != ".debug_info" || s.Text != payload {
		t.Errorf("%q %q", s.Name, s.Text)
	}
	if s := item[*Section](t, ".section .nv_debug_ptx_txt { .b8 1 }"); s.Name != ".nv_debug_ptx_txt" || s.Text != " .b8 1 " {
		t.Errorf("%q %q", s.Name, s.Text)
	}
	if s := item[*Section](t, ".section .nv .info {}"); s.Name != ".nv.info" || s.Text != "" {
		t.Errorf("%q %q", s.Name, s.Text)
	}
	if s := item[*Section](t, ".section .nv.18x {}"); s.Name != ".nv.18x" {
		t.Errorf("name %q", s.Name)
	}
	d := item[*Section](t, "@@DWARF .section .debug_info, \"\", @progbits\r\n")
	if d.Name != dwarfLine || d.Text != ` .section .debug_info, "", @progbits` {
		t.Errorf("%q %q", d.Name, d.Text)
	}
	m := roundTrip(t, "m.ptx", []byte(".version 1.4\n@@DWARF .byte 1\n@@DWARF .4byte 2\n.entry k {\n@@DWARF .quad 3\nret; }"))
	if got := showStmts(m.Items[2].(*Function).Body.Stmts); got != "*parser.Section ; ret" {
		t.Errorf("in a body: %s", got)
	}
	m = roundTrip(t, "m.ptx", []byte(".version 8.0\n.section .a { }\n.entry k() { .section .b { } ret; }\n.section .c {x}"))
	if len(m.Items) != 3 || m.Items[2].(*Section).Text != "x" {
		t.Errorf("%d items", len(m.Items))
	}
}

func TestIntermediateSource(t *testing.T) {
	text := `{ .code_block { .ir_name: "tile }{" .sourceFileName: 1 .source_begin
 it's "raw { text /* with .entry
.source_end } }`
	r := item[*rawDirective](t, ".nv_intermediate_source_section "+text)
	if r.Name != "nv_intermediate_source_section" || r.Text != text {
		t.Errorf("%q %q", r.Name, r.Text)
	}
}

func TestLoc(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{".loc 1 9 3", "1 9 3  nil []"},
		{".loc\t2\n4237 0", "2 4237 0  nil []"},
		{".loc 1 9 3, function_name $L__info_string0, inlined_at 1 21 5", "1 9 3 $L__info_string0 nil [1 21 5]"},
		{".loc 1 9 3, function_name .debug_str+16, inlined_at 1 21 5", "1 9 3 .debug_str 16 [1 21 5]"},
		{".loc 1 9 3, function_name L + 0x10", "1 9 3 L 16 []"},
		{".loc 1 9 3, inlined_at 1 21 5", "1 9 3  nil [1 21 5]"},
		{".loc 1 9 3, inlined_at 1 2 3, inlined_at 1 21 5", "1 9 3  nil [1 21 5]"},
	} {
		for _, after := range []string{"", "@p ret;", "L: ret;", "ret;", "{ }", ".loc 1 2 3", ".reg .b32 x;"} {
			stmts := parseBody(t, c.text+"\n"+after)
			loc, ok := stmts[0].(*LocDirective)
			if !ok {
				t.Fatalf("%s gives a %T", c.text, stmts[0])
			}
			at := "[]"
			if loc.InlinedAt != nil {
				at = fmt.Sprint(*loc.InlinedAt)
			}
			got := fmt.Sprintf("%d %d %d %s %s %s", loc.File, loc.Line, loc.Col, loc.FunctionName, show(loc.FunctionOffset), at)
			if got != c.want || after != "" && len(stmts) < 2 {
				t.Errorf("%s, then %q: %s and %d statements, want %s", c.text, after, got, len(stmts), c.want)
			}
		}
	}
	r := parseBody(t, ".loc 1 2 3\n.loc_intermediate 2 7 9\nret;")[1].(*rawDirective)
	if r.Name != "loc_intermediate" || r.Text != "2 7 9" {
		t.Errorf("%q %q", r.Name, r.Text)
	}
}

func TestTargetsAndPrototypes(t *testing.T) {
	b := one[*BranchTargets](t, "ts : .branchtargets L1, L2<3>, L3;")
	if b.Name != "ts" || len(b.Labels) != 3 || b.Labels[1].Name != "L2" || show(b.Labels[1].Count) != "3" || b.Labels[0].Count != nil {
		t.Errorf("%+v", b)
	}
	c := one[*CallTargets](t, "tg: .calltargets f1,f2 , f3;")
	if c.Name != "tg" || len(c.Functions) != 3 || c.Functions[1].Name != "f2" {
		t.Errorf("%+v", c)
	}
	for _, c := range []struct{ text, want string }{
		{"p: .callprototype _;", " kernel=false p"},
		{"p : .callprototype ()_ (.param .b64 _, .param .align 8 .b8 _[12]);", " kernel=false returns() p params(param b64 _, param align 8 b8 _[12])"},
		{"prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn .abi_preserve 3;",
			" kernel=false returns(param b32 _) prototype_0 params(param b32 _) noreturn[] abi_preserve[3]"},
	} {
		p := one[*CallPrototype](t, c.text)
		got := showFunction(&Function{Name: p.Name, Returns: p.Returns, Params: p.Params, Directives: p.Directives})
		if got != c.want {
			t.Errorf("%s\n gives %s\n  want %s", c.text, got, c.want)
		}
	}
}

func TestPragmas(t *testing.T) {
	p := one[*Pragma](t, `.pragma "used_bytes_mask 0xfff", "quote \" ; }", "";`)
	if want := []string{"used_bytes_mask 0xfff", `quote \" ; }`, ""}; !slices.Equal(p.Strings, want) {
		t.Errorf("%q, want %q", p.Strings, want)
	}
}

// TestUnusable: errors within bodies stand at their functions; any other makes the
// whole module useless.
func TestUnusable(t *testing.T) {
	const bodies = ".entry a() { mov.u32 %r, ; add ,; }\n.entry b() { ret; }\n.func c() { .reg %x; }\n"
	for src, want := range map[string]bool{bodies: false, bodies + ".global x;": true, bodies + ".entry d() { ret;": false} {
		m, err := Parse("x.ptx", []byte(".version 7.0\n.target sm_70\n"+src))
		if err == nil || m.Unusable != want {
			t.Errorf("%q: %v, unusable: %v", src, err, m.Unusable)
		}
		told := 0
		for _, item := range m.Items {
			if f, ok := item.(*Function); ok {
				told += len(f.Errors)
				if right := map[string]int{"a": 2, "b": 0, "c": 1, "d": 1}[f.Name]; len(f.Errors) != right {
					t.Errorf("%q: %s has %d errors, want %d", src, f.Name, len(f.Errors), right)
				}
			}
		}
		if n := len(err.(ErrorList)); want == (n == told) {
			t.Errorf("%q: %d errors, %d of them within bodies", src, n, told)
		}
	}
}
