package analysis

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// randomPTX writes a random kernel whose threads share data in every way that
// a slice has to follow: registers, guards, loops, switches, calls, shared,
// local, global and generic memory, atomics, barriers and shuffles. Unlike the
// programs of package oracle it may have races; the emulator's order of warps
// settles them.
//
// A kernel's state is eight words %r0 to %r7 and four predicates %p0 to %p3,
// which every statement reads and writes at random, and buffers of 64 words in
// each space.
type randomPTX struct {
	*rand.Rand
	text   strings.Builder
	kinds  []statement
	labels int
	// depth is how many blocks enclose what is written now; 0 is the body.
	depth int
	// exited: threads may have exited, so that nothing may wait for all.
	exited bool
	// clusters: two CTAs form one. made: there is an mbarrier object. loops enclose what is written.
	clusters, made bool
	loops          int
}

// statement is a kind of statement and how often it comes.
type statement struct {
	weight int
	write  func(*randomPTX)
}

func statements() []statement {
	return []statement{
		{4, (*randomPTX).arithmetic},
		{3, (*randomPTX).compare},
		{1, (*randomPTX).choose},
		{1, (*randomPTX).combine},
		{1, (*randomPTX).pack},
		{2, (*randomPTX).branch},
		{1, (*randomPTX).loop},
		{1, (*randomPTX).jumpTable},
		{1, (*randomPTX).exit},
		{1, (*randomPTX).callWithParams},
		{1, (*randomPTX).callWithRegisters},
		{2, (*randomPTX).load},
		{2, (*randomPTX).store},
		{1, (*randomPTX).vectorAccess},
		{1, (*randomPTX).genericAccess},
		{2, (*randomPTX).variableAccess},
		{1, (*randomPTX).atomic},
		{1, (*randomPTX).reduction},
		{1, (*randomPTX).barrier},
		{1, (*randomPTX).barrierReduction},
		{1, (*randomPTX).shuffle},
		{1, (*randomPTX).vote},
		{1, (*randomPTX).activeMask},
	}
}

// randomHead has a function with .param arguments and one with registers,
// either of which may return early. Its figures are three constants. fx is not to
// return, and does for small numbers.
const randomHead = `.version 8.3
.target sm_90
.address_size 64
.global .align 8 .b8 gv[256];
.func (.param .b32 out) fn(.param .b32 in)
{
.reg .b32 %%r<4>;
.reg .pred %%p;
ld.param.u32 %%r1, [in];
setp.gt.s32 %%p, %%r1, 9;
@%%p bra X;
add.u32 %%r1, %%r1, %d;
X:
and.b32 %%r2, %%r1, 127;
st.param.b32 [out], %%r2;
ret;
}
.func (.reg .b32 o) fr(.reg .b32 i, .reg .b32 j)
{
.reg .pred %%p;
setp.lt.u32 %%p, i, j;
sub.u32 o, i, %d;
@%%p ret;
xor.b32 o, j, 5;
ret;
}
.func fx(.reg .b32 i) .noreturn
{
.reg .pred %%p;
setp.lt.u32 %%p, i, %d;
@%%p ret;
exit;
}
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
{
.reg .pred %%p<4>, %%again;
.reg .b32 %%r<8>, %%c<9>, %%t<2>;
.reg .b64 %%d<3>, %%a, %%b;
.shared .align 8 .b8 sh[256];
.shared .align 8 .b8 sg[256];
.shared .align 8 .b64 mb;
.local .align 8 .b8 lo[256];
ld.param.u64 %%a, [a];
ld.param.u64 %%b, [b];
ld.param.u32 %%r7, [n];
mov.u32 %%r0, %%tid.x;
mov.u32 %%r1, %%ctaid.x;
mov.u32 %%r2, %%ntid.x;
mov.u32 %%r3, %%laneid;
`

// randomStart gives what is left of the state a value; without it, registers
// are read that nobody wrote.
const randomStart = `mov.u32 %%r4, 4;
mov.u32 %%r5, 1;
mad.lo.u32 %%r6, %%r1, %%r2, %%r0;
setp.lt.u32 %%p0, %%r0, 9;
setp.eq.u32 %%p1, %%r1, 1;
setp.gt.u32 %%p2, %%r7, 5;
setp.lt.u32 %%p3, %%r6, 40;
`

// randomProgram is a random kernel launched twice; the second launch reads
// what the first one wrote.
func randomProgram(seed uint64) program {
	g := &randomPTX{Rand: rand.New(rand.NewPCG(seed, 1)), kinds: statements()}
	if g.IntN(2) == 0 {
		g.kinds = append(g.kinds, openStatements()...)
		g.clusters = g.IntN(3) == 0
	}
	g.printf(randomHead, g.IntN(9), g.IntN(9), pick(g, 0, 1, 9))
	if g.IntN(4) > 0 {
		g.printf(randomStart)
	}
	for range 6 + g.IntN(14) {
		g.statement()
	}
	g.printf("ret;\n}\n")
	return program{g.text.String(), g.launches()}
}

// launches is a manifest of two launches, the first perhaps repeated, with the
// buffers in other roles.
func (g *randomPTX) launches() string {
	block := pick(g, 32, 64, 40, 7, 33)
	buffer := func(seed int) string {
		return fmt.Sprintf(`{"bytes": 256, "type": "s32", "init": {"uniform": {"seed": %d, "low": -5, "high": 60}}}`, seed)
	}
	grid, cluster := 1+g.IntN(3), ""
	if g.clusters {
		grid, cluster = 2*(1+g.IntN(2)), `"cluster": [2], `
	}
	return fmt.Sprintf(`{"version": 1, "buffers": {"A": %s, "B": %s}, "launches": [
		{"module": "k.ptx", "kernel": "k", %s"grid": [%d], "block": [%d], "count": %d, "args": [{"buffer": "A"}, {"buffer": "B"}, {"value": %d}]},
		{"module": "k.ptx", "kernel": "k", %s"grid": [2], "block": [%d], "args": [{"buffer": "B"}, {"buffer": "A"}, {"value": %d}]}]}`,
		buffer(3), buffer(4), cluster, grid, block, 1+g.IntN(4)/3, g.IntN(12), cluster, block, g.IntN(12))
}

func (g *randomPTX) printf(format string, args ...any) { fmt.Fprintf(&g.text, format, args...) }

// pick returns one of its arguments.
func pick[T any](g *randomPTX, from ...T) T { return from[g.IntN(len(from))] }

// statement writes one of the kinds, by their weights.
func (g *randomPTX) statement() {
	total := 0
	for _, k := range g.kinds {
		total += k.weight
	}
	at := g.IntN(total)
	for _, k := range g.kinds {
		if at -= k.weight; at < 0 {
			k.write(g)
			return
		}
	}
}

// block writes a few statements, one level deeper.
func (g *randomPTX) block() {
	g.depth++
	for range 1 + g.IntN(5) {
		g.statement()
	}
	g.depth--
}

func (g *randomPTX) register() string  { return fmt.Sprintf("%%r%d", g.IntN(8)) }
func (g *randomPTX) predicate() string { return fmt.Sprintf("%%p%d", g.IntN(4)) }

// source is a register or a small number.
func (g *randomPTX) source() string {
	if g.IntN(3) == 0 {
		return fmt.Sprint(g.IntN(70) - 3)
	}
	return g.register()
}

// guard is empty two times in three.
func (g *randomPTX) guard() string {
	switch g.IntN(6) {
	case 0:
		return "@" + g.predicate() + " "
	case 1:
		return "@!" + g.predicate() + " "
	}
	return ""
}

// label numbers a new label.
func (g *randomPTX) label() int {
	g.labels++
	return g.labels
}

func (g *randomPTX) arithmetic() {
	op := pick(g, "add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32", "xor.b32", "min.s32", "max.u32", "shl.b32", "shr.u32", "shr.s32")
	g.printf("%s%s %s, %s, %s;\n", g.guard(), op, g.register(), g.register(), g.source())
}

func (g *randomPTX) compare() {
	g.printf("%ssetp.%s.%s %s, %s, %s;\n", g.guard(), pick(g, "lt", "le", "gt", "ge", "eq", "ne"), pick(g, "s32", "u32"), g.predicate(), g.register(), g.source())
}

func (g *randomPTX) choose() {
	g.printf("%sselp.b32 %s, %s, %s, %s;\n", g.guard(), g.register(), g.source(), g.source(), g.predicate())
}

func (g *randomPTX) combine() {
	g.printf("%s%s %s, %s, %s;\n", g.guard(), pick(g, "and.pred", "or.pred", "xor.pred"), g.predicate(), g.predicate(), g.predicate())
}

// pack moves bits through a 64-bit register.
func (g *randomPTX) pack() {
	g.printf("mov.b64 %%d2, {%s, %s};\nshr.u64 %%d2, %%d2, %d;\nmov.b64 {%s, _}, %%d2;\n", g.register(), g.register(), g.IntN(40), g.register())
}

// branch is an if, perhaps with an else.
func (g *randomPTX) branch() {
	if g.depth > 3 {
		return
	}
	other := g.label()
	g.printf("@%s%s bra L%d;\n", pick(g, "", "!"), g.predicate(), other)
	g.block()
	if g.IntN(2) == 0 {
		g.printf("L%d:\n", other)
		return
	}
	end := g.label()
	g.printf("bra L%d;\nL%d:\n", end, other)
	g.block()
	g.printf("L%d:\n", end)
}

// loop goes up to four rounds or, now and then, up to sixteen, so that rounds
// may be counted without being run; the same for all threads or not.
func (g *randomPTX) loop() {
	if g.depth > 2 {
		return
	}
	head, counter := g.label(), fmt.Sprintf("%%c%d", g.depth)
	rounds, most := g.register(), pick(g, 3, 3, 15)
	if g.IntN(2) == 0 {
		rounds = fmt.Sprint(g.IntN(most + 1))
	}
	g.printf("and.b32 %s, %s, %d;\nL%d:\n", counter, rounds, most, head)
	g.loops++
	g.block()
	g.loops--
	g.printf("sub.s32 %s, %s, 1;\nsetp.ge.s32 %%again, %s, 0;\n@%%again bra L%d;\n", counter, counter, counter, head)
}

// jumpTable is a switch of three arms that may name an arm twice and fall
// through.
func (g *randomPTX) jumpTable() {
	if g.depth > 2 {
		return
	}
	a, b, c, end := g.label(), g.label(), g.label(), g.label()
	g.printf("and.b32 %%t1, %s, 3;\n", g.register())
	if g.IntN(2) == 0 {
		g.printf("min.u32 %%t1, %%t1, 2;\nT%d: .branchtargets L%d, L%d, L%d;\nbrx.idx %%t1, T%d;\n", a, a, b, c, a)
	} else {
		g.printf("T%d: .branchtargets L%d, L%d, L%d, L%d;\n%sbrx.idx %%t1, T%d;\n", a, a, b, a, c, g.guard(), a)
	}
	g.printf("L%d:\n", a)
	g.block()
	g.printf("bra L%d;\nL%d:\n", end, b)
	g.block()
	g.printf("L%d:\n", c)
	g.block()
	g.printf("L%d:\n", end)
}

func (g *randomPTX) exit() {
	if g.IntN(3) == 0 && g.depth < 2 {
		g.printf("@%s exit;\n", g.predicate())
		g.exited = true
	}
}
