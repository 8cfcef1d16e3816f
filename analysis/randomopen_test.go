package analysis

import "fmt"

// The statements of randomPTX of which the manual leaves something open, or that depend on
// who does what first in ways of their own.

// openStatements are those that come in every other program.
func openStatements() []statement {
	return []statement{
		{2, (*randomPTX).quotient},
		{1, (*randomPTX).twice},
		{1, (*randomPTX).nan},
		{2, (*randomPTX).members},
		{2, (*randomPTX).copy},
		{2, (*randomPTX).everybody},
		{1, (*randomPTX).equalAtomics},
		{1, (*randomPTX).vectorReduction},
		{1, (*randomPTX).forgotten},
		{1, (*randomPTX).comeBack},
		{1, (*randomPTX).object},
		{1, (*randomPTX).allocate},
		{2, (*randomPTX).far},
		{1, (*randomPTX).meet},
		{1, (*randomPTX).leave},
	}
}

// quotient divides by what may be zero, or takes remainders of two signs.
func (g *randomPTX) quotient() {
	g.printf("%s%s %s, %s, %s;\n", g.guard(), pick(g, "rem.s32", "rem.s32", "rem.u32", "div.s32", "div.u32"), g.register(), g.register(), g.source())
}

// twice writes a register twice.
func (g *randomPTX) twice() {
	r := g.register()
	if g.IntN(2) == 0 {
		g.printf("%sld.shared.v2.u32 {%s, %s}, [sh+%d];\n", g.guard(), r, r, 8*g.IntN(4))
		return
	}
	g.printf("mov.b64 %%d2, {%s, %s};\n%smov.b64 {%s, %s}, %%d2;\n", g.register(), g.register(), g.guard(), r, pick(g, r, g.register()))
}

// nan makes a number, or a NaN, of a word's bits.
func (g *randomPTX) nan() {
	r := g.register()
	g.printf("%sor.b32 %s, %s, %d;\n%s%s.f32 %s, %s;\n", g.guard(), r, r, pick(g, 0x7f800000, 0x3f800000), g.guard(), pick(g, "neg", "abs"), g.register(), r)
}

// members lets the lanes of parts of a warp exchange words, each naming the members of its own part.
func (g *randomPTX) members() {
	if !g.together() {
		return
	}
	width := pick(g, 8, 16)
	g.printf("mov.u32 %%t0, %%laneid;\nand.b32 %%t0, %%t0, %d;\nmov.b32 %%t1, %d;\nshl.b32 %%t1, %%t1, %%t0;\n", 32-width, 1<<width-1)
	switch to, from := g.register(), g.register(); g.IntN(5) {
	case 0:
		g.printf("shfl.sync.%s.b32 %s, %s, %d, 31, %%t1;\n", pick(g, "bfly", "idx", "down"), to, from, g.IntN(32))
	case 1:
		g.printf("redux.sync.%s %s, %s, %%t1;\n", pick(g, "add.u32", "min.s32", "xor.b32"), to, from)
	case 2:
		g.printf("match.any.sync.b32 %s, %s, %%t1;\n", to, from)
	case 3:
		g.printf("vote.sync.ballot.b32 %s, %s, %%t1;\n", to, g.predicate())
	case 4:
		g.printf("vote.sync.%s.pred %s, %s, %%t1;\n", pick(g, "any", "all"), g.predicate(), g.predicate())
	}
}

// copy begins an asynchronous copy, and perhaps writes over its source, or waits for it.
func (g *randomPTX) copy() {
	g.address(pick(g, globalA, globalB), 32)
	at := 4 * g.IntN(8)
	g.printf("%scp.async.ca.shared.global [sh+%d], [%%d0], 4;\n", g.guard(), at)
	if g.IntN(3) == 0 {
		g.printf("%sst.global.u32 [%%d0], %s;\n", g.guard(), g.register())
	}
	g.printf("cp.async.commit_group;\n")
	if g.IntN(3) > 0 {
		g.printf("%s;\n", pick(g, "cp.async.wait_group 0", "cp.async.wait_group 1", "cp.async.wait_all"))
	}
	if g.IntN(2) == 0 {
		g.printf("%sld.shared.u32 %s, [sh+%d];\n", g.guard(), g.register(), at)
	}
	if g.IntN(3) == 0 {
		g.printf("%sst.global.u32 [%%d0], %s;\n", g.guard(), g.register())
	}
}

// everybody stores one number to one word, and reads it.
func (g *randomPTX) everybody() {
	at, guard := 4*g.IntN(4), g.guard()
	p := pick(g, place{"shared", "sh"}, place{"shared", "sg"}, place{"global", "gv"})
	if g.IntN(4) == 0 {
		g.printf("%sst.%s.u32 [%s+%d], %s;\n", g.guard(), p.space, p.base, at, g.register())
	}
	if g.IntN(3) == 0 {
		g.barrier()
	}
	g.printf("%sst.%s.u32 [%s+%d], %d;\n%sld.%s.u32 %s, [%s+%d];\n", guard, p.space, p.base, at, g.IntN(3), guard, p.space, g.register(), p.base, at)
}

// equalAtomics does what commutes with itself only, at two places.
func (g *randomPTX) equalAtomics() {
	at, by := 4*g.IntN(4), g.IntN(4)
	for range 2 {
		op := pick(g, "inc.u32", "inc.u32", "dec.u32")
		g.printf("%sred.shared.%s [sg+%d], %d;\n", g.guard(), op, at, by+g.IntN(8)/7)
	}
	g.barrier()
	g.printf("%sld.shared.u32 %s, [sg+%d];\n", g.guard(), g.register(), at)
}

// vectorReduction adds to two words, to one of them always the same.
func (g *randomPTX) vectorReduction() {
	at := 8 * g.IntN(4)
	g.printf("%sred.global.add.v2.f32 [gv+%d], {%s, 0f3f800000};\n", g.guard(), at, g.register())
	g.barrier()
	g.printf("%sld.global.u32 %s, [gv+%d];\n", g.guard(), g.register(), at+4*g.IntN(2))
}

// forgotten calls a function whose parameter not all threads have stored.
func (g *randomPTX) forgotten() {
	g.printf("{\n.param .b32 x;\n.param .b32 z;\n@%s st.param.b32 [x], %s;\ncall.uni (z), fn, (x);\nld.param.b32 %s, [z];\n}\n", g.predicate(), g.register(), g.register())
}

// comeBack calls a function that is not to return, and may.
func (g *randomPTX) comeBack() {
	if g.IntN(3) == 0 && g.depth < 2 {
		g.printf("@%s call fx, (%s);\n", g.predicate(), g.register())
		g.exited = true
	}
}

// object arrives at an mbarrier object, and asks for its phase by what it says, or by a number.
func (g *randomPTX) object() {
	if !g.together() || g.loops > 0 {
		return
	}
	if !g.made {
		g.printf("mov.u32 %%t0, %%tid.x;\nsetp.eq.u32 %%again, %%t0, 0;\nmov.u32 %%t0, %%ntid.x;\n@%%again mbarrier.init.shared.b64 [mb], %%t0;\nbar.sync 0;\n")
		g.made = true
	}
	g.printf("mbarrier.arrive.shared.b64 %%d2, [mb];\n")
	if g.IntN(4) == 0 {
		g.printf("@%s mov.b64 %%d2, %d;\n", g.predicate(), g.IntN(9))
	}
	g.barrier()
	switch g.IntN(3) {
	case 0:
		g.printf("mbarrier.test_wait.shared.b64 %s, [mb], %%d2;\n", g.predicate())
	case 1:
		g.printf("mbarrier.test_wait.parity.shared.b64 %s, [mb], %d;\n", g.predicate(), g.IntN(3))
	case 2:
		g.printf("mbarrier.pending_count.b64 %s, %%d2;\n", g.register())
	}
	g.barrier() // nobody is a phase behind
}

// allocate takes a few bytes of the thread's stack.
func (g *randomPTX) allocate() {
	if g.depth > 0 {
		return
	}
	g.printf("alloca.u64 %%d0, 16;\n%sst.local.u32 [%%d0], %s;\n%sld.local.u32 %s, [%%d0+%d];\n", g.guard(), g.register(), g.guard(), g.register(), 4*g.IntN(2))
}

// far accesses the shared memory of the other CTA of the cluster.
func (g *randomPTX) far() {
	if !g.clusters {
		return
	}
	g.printf("mov.u32 %%t0, %%cluster_ctarank;\nxor.b32 %%t0, %%t0, %d;\nmov.u64 %%d0, %s;\nmapa.shared::cluster.u64 %%d0, %%d0, %%t0;\n", pick(g, 1, 1, 0), pick(g, "sh", "sg"))
	switch g.IntN(3) {
	case 0:
		g.printf("%sst.shared::cluster.u32 [%%d0+%s], %s;\n", g.guard(), g.offset(), g.register())
	case 1:
		g.printf("%sld.shared::cluster.u32 %s, [%%d0+%s];\n", g.guard(), g.register(), g.offset())
	case 2:
		g.printf("%s%s.shared::cluster.add.u32 [%%d0+%s], %s;\n", g.guard(), pick(g, "red", fmt.Sprintf("atom.shared::cluster.add.u32 %s, [%%d0+0], 1;\nred", g.register())), g.offset(), g.register())
	}
}

// meet waits for the threads of the cluster.
func (g *randomPTX) meet() {
	if g.clusters && g.together() {
		g.printf("barrier.cluster.arrive%s;\nbarrier.cluster.wait;\n", pick(g, "", ".relaxed", ".release"))
	}
}

// leave ends a CTA of the cluster, or one of several.
func (g *randomPTX) leave() {
	if g.IntN(4) == 0 && g.depth == 0 {
		g.printf("mov.u32 %%t0, %%ctaid.x;\nsetp.eq.u32 %%again, %%t0, %d;\n@%%again exit;\n", g.IntN(2))
		g.exited = true
	}
}
