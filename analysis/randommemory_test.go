package analysis

import "fmt"

// The statements of randomPTX by which threads reach memory and each other.

// callWithParams passes a word through the .param space.
func (g *randomPTX) callWithParams() {
	g.printf("{\n.param .b32 x;\n.param .b32 z;\nst.param.b32 [x], %s;\ncall.uni (z), fn, (x);\nld.param.b32 %s, [z];\n}\n", g.register(), g.register())
}

// callWithRegisters calls by a part of the lanes, too.
func (g *randomPTX) callWithRegisters() {
	g.printf("%scall (%s), fr, (%s, %s);\n", g.guard(), g.register(), g.register(), g.register())
}

// place is a buffer of 64 words: its space and the name, or the register, of
// its address.
type place struct{ space, base string }

var (
	globalA = place{"global", "%a"}
	globalB = place{"global", "%b"}
	shared  = place{"shared", "sh"}
	shared2 = place{"shared", "sg"}
	local   = place{"local", "lo"}
)

// address leaves in %d0 the address of one of a place's first n words.
func (g *randomPTX) address(p place, n int) {
	g.printf("and.b32 %%t0, %s, %d;\nmov.u64 %%d0, %s;\nmul.wide.u32 %%d1, %%t0, 4;\nadd.u64 %%d0, %%d0, %%d1;\n", g.register(), n-1, p.base)
}

// offset is that of one of the first words.
func (g *randomPTX) offset() string { return fmt.Sprint(4 * g.IntN(3)) }

func (g *randomPTX) load() {
	p := pick(g, globalA, globalB, shared, shared2, local)
	g.address(p, 32)
	g.printf("%sld.%s.u32 %s, [%%d0+%s];\n", g.guard(), p.space, g.register(), g.offset())
}

func (g *randomPTX) store() {
	p := pick(g, globalA, globalB, shared, shared2, local)
	g.address(p, 32)
	g.printf("%sst.%s.u32 [%%d0+%s], %s;\n", g.guard(), p.space, g.offset(), g.register())
}

// vectorAccess loads and stores pairs at fixed addresses.
func (g *randomPTX) vectorAccess() {
	g.printf("%sld.shared.v2.u32 {%s, _}, [sh+%d];\n", g.guard(), g.register(), 8*g.IntN(4))
	g.printf("%sst.shared.v2.u32 [sh+%d], {%s, %s};\n", g.guard(), 8*g.IntN(4), g.register(), g.register())
}

// genericAccess goes by a generic address.
func (g *randomPTX) genericAccess() {
	p := pick(g, shared, local, place{"global", "gv"})
	g.printf("and.b32 %%t0, %s, 15;\nmov.u64 %%d0, %s;\ncvta.%s.u64 %%d0, %%d0;\nmul.wide.u32 %%d1, %%t0, 4;\nadd.u64 %%d0, %%d0, %%d1;\n", g.register(), p.base, p.space)
	if g.IntN(2) == 0 {
		g.printf("%sld.u32 %s, [%%d0+%s];\n", g.guard(), g.register(), g.offset())
		return
	}
	g.printf("%sst.u32 [%%d0+%s], %s;\n", g.guard(), g.offset(), g.register())
}

// variableAccess is of the module's variable, by name.
func (g *randomPTX) variableAccess() {
	if g.IntN(2) == 0 {
		g.printf("%sld.global.u32 %s, [gv+%s];\n", g.guard(), g.register(), g.offset())
		return
	}
	g.printf("%sst.global.u32 [gv+%s], %s;\n", g.guard(), g.offset(), g.register())
}

func (g *randomPTX) atomic() {
	p := pick(g, globalA, globalB, shared)
	g.address(p, 32)
	op := pick(g, "add.u32", "exch.b32", "max.s32")
	g.printf("%satom.%s.%s %s, [%%d0], %s;\n", g.guard(), p.space, op, g.register(), g.register())
}

func (g *randomPTX) reduction() {
	p := pick(g, globalA, shared2)
	g.address(p, 32)
	g.printf("%sred.%s.add.u32 [%%d0], %s;\n", g.guard(), p.space, g.register())
}

// together reports whether all threads come here, so that they may wait for
// each other.
func (g *randomPTX) together() bool { return g.depth == 0 && !g.exited }

func (g *randomPTX) barrier() {
	if g.together() {
		g.printf("bar.sync 0;\n")
	}
}

func (g *randomPTX) barrierReduction() {
	if g.together() {
		g.printf("bar.red.popc.u32 %s, 0, %s;\n", g.register(), g.predicate())
	}
}

func (g *randomPTX) shuffle() {
	if g.together() {
		g.printf("shfl.sync.%s.b32 %s, %s, %d, 31, -1;\n", pick(g, "bfly", "idx"), g.register(), g.register(), g.IntN(32))
	}
}

func (g *randomPTX) vote() {
	if g.together() {
		g.printf("vote.sync.%s.pred %s, %s, -1;\n", pick(g, "any", "all"), g.predicate(), g.predicate())
	}
}

func (g *randomPTX) activeMask() { g.printf("activemask.b32 %s;\n", g.register()) }
