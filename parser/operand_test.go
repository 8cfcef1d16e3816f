package parser

import "testing"

func TestInstructions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// registers, names, immediates
		{"ret;", "ret"},
		{"add.s32 %r1, %r2, -4;", "add.s32 %r1, %r2, (- 4)"},
		{"mov.u32 %r1, %tid.x;", "mov.u32 %r1, %tid.x"},
		{"mov.u32 r, V.b;", "mov.u32 r, V.b"},
		{"mov.u32 %r1, WARP_SZ;", "mov.u32 %r1, WARP_SZ"},
		{"mov.f32 %f1, 0fFF800000;", "mov.f32 %f1, f32:FF800000"},
		{"mov.b32 a, stack+2912;", "mov.b32 a, (stack + 2912)"},
		{"mov.u32 s, a[1];", "mov.u32 s, arr a[1]"},
		{"mov.b16 %h, 0x3C00;", "mov.b16 %h, 15360"},
		{"add.u64 %a, %a, 32 * 4;", "add.u64 %a, %a, (32 * 4)"},
		{"add.u64 %a, %a, (32*4);", "add.u64 %a, %a, (32 * 4)"},
		{"mov.pred %p1, -1;", "mov.pred %p1, (- 1)"},
		{"mov.u32 a, 8 %3;", "mov.u32 a, (8 % 3)"},
		{"mov.u32 a, 8%3;", "mov.u32 a, (8 % 3)"},
		{"mov.u32 a, 1+(8)%3;", "mov.u32 a, (1 + (8 % 3))"},
		{"mov.u32 a, WARP_SZ%3;", "mov.u32 a, (WARP_SZ % 3)"},
		{"mov.f32 a, .5;", "mov.f32 a, f64:3FE0000000000000"},
		// signs that belong to operands
		{"vmad.u32.u32.u32 d, -a.h1, b.b0, c;", "vmad.u32.u32.u32 d, neg a.h1, b.b0, c"},
		{"setp.lt.and.s32 p|q, a, b, !c;", "setp.lt.and.s32 pair<p, q>, a, b, not c"},
		{"vadd4.u32.u32.u32 d.b3210, a.b7654, b, c;", "vadd4.u32.u32.u32 d.b3210, a.b7654, b, c"},
		{"bar.red.popc.u32 r1, 0, ! p;", "bar.red.popc.u32 r1, 0, not p"},
		{"mov.u32 a, -b+1;", "mov.u32 a, ((- b) + 1)"},
		{"mov.u32 a, !0;", "mov.u32 a, (! 0)"},
		// guards
		{"@p bra L;", "@p bra L"},
		{"@!%p0 bra L;", "@!%p0 bra L"},
		{"@ ! %p0 exit;", "@!%p0 exit"},
		{"@%p bra.uni\nL;", "@%p bra.uni L"},
		{"@%p/* guard */ret;", "@%p ret"},
		// vectors
		{"ld.volatile.v4.f32{a,b,c,d},[x];", "ld.volatile.v4.f32 vec{a, b, c, d}, mem[x]"},
		{"st.global.b32 [ %p ], { %r };", "st.global.b32 mem[%p], vec{%r}"},
		{"mov.b32 a, {0, %h};", "mov.b32 a, vec{0, %h}"},
		{"mov.b64 {_, %r2}, %rd1;", "mov.b64 vec{_, %r2}, %rd1"},
		{"mov.b32 { a\n,\tb } , c;", "mov.b32 vec{a, b}, c"},
		// pairs
		{"shfl.sync.up.b32 d | p, a, 1, 0, -1;", "shfl.sync.up.b32 pair<d, p>, a, 1, 0, (- 1)"},
		{"elect.sync _|%p, -1;", "elect.sync pair<_, %p>, (- 1)"},
		{"tex.2d.v4.f32.f32 {r,g,b,a}|p, [t, {x,y}];", "tex.2d.v4.f32.f32 pair<vec{r, g, b, a}, p>, mem[t, vec{x, y}]"},
		{"mov.u32 a, 5|3;", "mov.u32 a, (5 | 3)"},
		{"mov.u32 a, WARP_SZ|1;", "mov.u32 a, (WARP_SZ | 1)"},
		{"mov.u32 a, (b|c);", "mov.u32 a, pair<b, c>"},
		{"mov.u32 {(b|c)}, d;", "mov.u32 vec{(b | c)}, d"},
		// addresses
		{"ld.u32 a, [%rd4+-12];", "ld.u32 a, mem[(%rd4 + (- 12))]"},
		{"ld.u32 a, [%rd4-12];", "ld.u32 a, mem[(%rd4 - 12)]"},
		{"ld.u32 a, [ %r + 0 ];", "ld.u32 a, mem[(%r + 0)]"},
		{"ld.u32 a, [%p+288*2+4];", "ld.u32 a, mem[((%p + (288 * 2)) + 4)]"},
		{"ld.u32 a, [%p+0+2560*0];", "ld.u32 a, mem[((%p + 0) + (2560 * 0))]"},
		{"ld.u32 a, [64];", "ld.u32 a, mem[64]"},
		{"ld.u32 a, [ID + 0x00000000];", "ld.u32 a, mem[(ID + 0)]"},
		{"ld.global.u32 a, [b].unified;", "ld.global.u32 a, mem[b].unified"},
		{"ld.global.u32 a, [b+4] .unified , pol;", "ld.global.u32 a, mem[(b + 4)].unified, pol"},
		{"ld.shared.u32 a, s[4];", "ld.shared.u32 a, arr s[4]"},
		{"ld.shared.u32 a, s[%r1+4];", "ld.shared.u32 a, arr s[(%r1 + 4)]"},
		{"ld.shared.u32 a, [s[4]];", "ld.shared.u32 a, mem[arr s[4]]"},
		{"tex.2d.v4.f32.f32 {r,g,b,a}, [tex, sampler, {x,y}], e, {dx,dy}, {dx,dy};",
			"tex.2d.v4.f32.f32 vec{r, g, b, a}, mem[tex, sampler, vec{x, y}], e, vec{dx, dy}, vec{dx, dy}"},
		{"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [d], [map, {c0, c1}], [bar], {o};",
			"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes mem[d], mem[map, vec{c0, c1}], mem[bar], vec{o}"},
		{"tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r1}, [t + 8];", "tcgen05.ld.sync.aligned.16x64b.x1.b32 vec{%r1}, mem[(t + 8)]"},
		// calls
		{"call f;", "call f"},
		{"call.uni f, (a, b);", "call.uni f, args(a, b)"},
		{"call (r), f, (a);", "call args(r), f, args(a)"},
		{"call(%r1),f,(%r2);", "call args(%r1), f, args(%r2)"},
		{"call (r1,r2), f, (a);", "call args(r1, r2), f, args(a)"},
		{"call (_), f, (x);", "call args(_), f, args(x)"},
		{"call (r), %rd, (a), proto;", "call args(r), %rd, args(a), proto"},
		{"call f, ();", "call f, args()"},
		{"call (r), f, ( );", "call args(r), f, args()"},
		{"call.uni (retval0), \nf, \n(\nparam0\n);", "call.uni args(retval0), f, args(param0)"},
		{"call.uni (retval0), sqrt, (4, 0f00000000, -1, (1+2)*3);",
			"call.uni args(retval0), sqrt, args(4, f32:00000000, (- 1), ((1 + 2) * 3))"},
		{"@p call g, (callq);", "@p call g, args(callq)"},
		// opcodes are no reserved words
		{"add.s32 add, mov, sub;", "add.s32 add, mov, sub"},
		{"brx.idx idx, ts;", "brx.idx idx, ts"},
		{"_internal.op x;", "_internal.op x"},
		// :: and the single colon
		{"tcgen05.fence::before_thread_sync;", "tcgen05.fence::before_thread_sync"},
		{"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col d, a, b, c, e, 0x0;", "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col d, a, b, c, e, 0"},
		{"ld.const[2].f32 a, [b];", "ld.const[2].f32 a, mem[b]"},
		{"ld.const[2].f32 a, [b];", "ld.const[2].f32 a, mem[b]"},
		{"ld.global.L2::cache_hint.L2::128B.b32 a, [b], c;", "ld.global.L2::cache_hint.L2::128B.b32 a, mem[b], c"},
		{"tcgen05.mma.collector::a::fill.kind::mxf8f6f4.scale_vec::4X [d], a;", "tcgen05.mma.collector::a::fill.kind::mxf8f6f4.scale_vec::4X mem[d], a"},
	} {
		in := one[*Instruction](t, c.text)
		if got := showInstruction(in); got != c.want {
			t.Errorf("%s\n gives %s\n  want %s", c.text, got, c.want)
		}
	}
}

func TestStatements(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"L1: L2:\n add.s32 a, b, c; ret; end:", "L1: ; L2: ; add.s32 a, b, c ; ret ; end:"},
		{"$L__BB0_1:\n\t.loc 1 2 3\n\t.pragma \"nounroll\";\nret;", "$L__BB0_1: ; *parser.LocDirective ; *parser.Pragma ; ret"},
		{"L :\nret;", "L: ; ret"},
		{"L: /* c */ bra L;", "L: ; bra L"},
		{"L:mov.u32 a, b;", "L: ; mov.u32 a, b"},
		{"mov: mov.u32 a, b;", "mov: ; mov.u32 a, b"},
		{"{ .reg .b64 t; { ret; } } { .reg .b64 t; }", "{ reg b64 t ; { ret } } ; { reg b64 t }"},
		{"{ }", "{  }"},
		{"ret;;; ;ret;", "ret ; ret"},
		{"ret; .reg .b32 late;", "ret ; reg b32 late"},
		{"ts: .branchtargets a, b; brx.idx i, ts;", "*parser.BranchTargets ; brx.idx i, ts"},
		{"a: ts: .branchtargets a, b;", "a: ; *parser.BranchTargets"},
		{"{ tg: .calltargets f, g; { p : .callprototype _ (); } }", "{ *parser.CallTargets ; { *parser.CallPrototype } }"},
		{"mov.b32 {a,b}, c; }\n.func g () {ret;", "mov.b32 vec{a, b}, c"},
		{"# 12 \"file.cu\"\nret;\n#line 4\n", "ret"},
		{"add.s32 a,\n# 13 \"file.cu\"\n b, c;", "add.s32 a, b, c"},
		{"mov.u32 a, // ; }\n b; /* ; { */ ret;", "mov.u32 a, b ; ret"},
		{"ret;\r\n\t\v\fret;", "ret ; ret"},
		{"// caf\xe9 \xff\nret; /* \xf0\x9f */", "ret"},
		{".reg .u32 %tid;", "reg u32 %tid"},
	} {
		if got := showStmts(parseBody(t, c.text)); got != c.want {
			t.Errorf("%s\n gives %s\n  want %s", c.text, got, c.want)
		}
	}
}

func TestPositions(t *testing.T) {
	m, err := Parse("p.ptx", body("  @%p add.s32 %r1,\n\t[x + 4], {a, b} ; // end\nL: ret;"))
	if err != nil {
		t.Fatal(err)
	}
	stmts := m.Items[0].(*Function).Body.Stmts
	in := stmts[0].(*Instruction)
	for _, c := range []struct {
		what      string
		got, want Pos
	}{
		{"guard sign", in.Pos, Pos{2, 3}},
		{"guard name", in.Guard.Pos, Pos{2, 4}},
		{"opcode", in.OpcodePos, Pos{2, 7}},
		{"first operand", in.Operands[0].Pos, Pos{2, 15}},
		{"address", in.Operands[1].Pos, Pos{3, 2}},
		{"base", in.Operands[1].Elems[0].Pos, Pos{3, 3}},
		{"offset", in.Operands[1].Elems[0].X.Y.Pos, Pos{3, 7}},
		{"second element", in.Operands[2].Elems[1].Pos, Pos{3, 15}},
		{"semicolon", in.End, Pos{3, 18}},
		{"label", stmts[1].(*LabelStmt).Pos, Pos{4, 1}},
		{"after a label", stmts[2].(*Instruction).Pos, Pos{4, 4}},
		{"brace", m.Items[0].(*Function).Body.Pos, Pos{1, 39}},
		{"closing brace", m.Items[0].(*Function).Body.End, Pos{5, 1}},
		{"name", m.Items[0].(*Function).NamePos, Pos{1, 35}},
	} {
		if c.got != c.want {
			t.Errorf("%s at %v, want %v", c.what, c.got, c.want)
		}
	}
}
