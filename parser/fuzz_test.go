package parser

import (
	"bytes"
	"flag"
	"testing"
)

// FuzzReference: Parse and the grammar alone make the same of any text, the
// same tree or the same errors.
func FuzzReference(f *testing.F) {
	for _, src := range seedModules() {
		f.Add(src)
	}
	if flag.Lookup("test.fuzz").Value.String() != "" { // without fuzzing TestReferenceMutations has them
		for i, src := range seedModules() {
			for _, mutant := range mutations(src, 37, i) {
				f.Add(mutant)
			}
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if d := disagreement(src); d != "" {
			t.Fatalf("%s\n%q", d, src)
		}
	})
}

// FuzzParse: no text makes Parse or Open panic, what they read is equal, and for a text that parses, parsing
// what printTree writes gives the same tree.
func FuzzParse(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(".version 8.0\n" + seed))
		f.Add(body(seed))
	}
	f.Add(synthetic(1, true)[:2500])
	f.Add(callModule(1))
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := Parse("f.ptx", src)
		if d := disagreesLater(m, err, "f.ptx", src); d != "" {
			t.Fatal(d)
		}
		if err != nil {
			if list, ok := err.(ErrorList); !ok || len(list) == 0 || len(list) > maxErrors+1 {
				t.Fatalf("error %T of length %d", err, len(list))
			}
			return
		}
		var text bytes.Buffer
		if err := printTree(&text, m); err != nil {
			t.Fatal(err)
		}
		again, err := Parse("f.ptx", text.Bytes())
		if err != nil {
			t.Fatalf("printed text does not parse: %v\n%s", err, text.Bytes())
		}
		if d := difference(m, again); d != "" {
			t.Fatalf("%s\n%s", d, text.Bytes())
		}
	})
}

var seeds = []string{
	".target sm_80, debug\n.address_size 64\n.file 1 \"a\", 1, 2\n.alias a, b;\n.pragma \"x\";",
	".visible .global .attribute(.managed, .unified(1,2)) .align 8 .v2 .b32 a[2][] = {{1,x+4},{generic(y),0xFF(z)}}, b = -1;",
	".global .texref t = {width = 4, filter_mode = nearest}; .const[2] .f32 c = 0f3F800000;",
	".func .attribute(.unified(1,2)) (.reg .b32 r) f (.param .b32 a, .param .align 4 .b8 b[8]) .noreturn .abi_preserve 3;",
	".entry k(.param .u64 .ptr .global .align 16 p, .hidden .param .b8 q[]) .maxntid 1,2,3 .pragma \"y\"; .minperctamemory 4; .language \"c\", 1 { ret; }",
	".section .debug_info { .b8 1 L: .b32 L-M }\n@@DWARF .byte 1\n.nv_intermediate_source_section { .source_begin } .source_end }",
	"L: @!p bra L; { .reg .b32 a<4>, b; .param .align 8 .b8 c[8]; }",
	"call (r), f, (a, 1, -2), p; tex.2d {a,b}|q, [t, s, {x,y}], e; ld.v2.f32 {a,_}, [b+-4].unified;",
	"mov.u32 a, ((1+2)*3 << 4 | 5 & ~6) ? -7 : !8 % 9 && (.u64)1.5e3; setp p|q, a, !c; x -a.b0, s[4+r];",
	"t: .branchtargets a, b<3>; u: .calltargets f; v : .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn;",
	".extern .shared .align 4 .b8 s[]; .weak .local .v4 .f32 l; .common .tex .u32 t; .surf .u64 u; .visible .global .v8 .b16 g = 1 || 2 ^ 3 == 4 != 5 <= 6 >= 7 >> 8 / 9;",
	".func f(.reg .b32 a) .noreturn { call.uni (r), f, (), p; call g; @p ret; .reg .b32 t; } .func (.param .b32 r) h;",
	".entry k(.param .u64 .ptr .local p, .param .u64 .ptr .shared .align (.s64)8 q, .param .u64 .ptr .const c) .reqntid 1,2 .reqnctapercluster 1 .minnctapersm 2 .maxnreg 3 .maxnctapersm 4 .maxclusterrank 5 .explicitcluster .blocksareclusters .abi_preserve_control 2;",
	"{ .section .b { .b8 1 } @@DWARF .byte 1\nL: M: bra L; mov.u32 generic, x[generic + generic(x)]; }",
	".loc 1 2 3, function_name L+4, inlined_at 1 2 3\n.loc_intermediate 1 2 3\n.pragma \"z\";",
}
