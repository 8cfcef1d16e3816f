package oracle

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random programs. They are made to be hard for whoever tracks masks: branches
// into loops and out of them, loops entered in the middle, several exits, nested
// breaks, early returns, recursion, calls that only some lanes make. Every
// program ends, because each loop and each recursion counts down something, and
// its threads only touch words of their own.

// program is a random program and how to launch it. Its kernel k has the
// parameters out, a pointer to bytes() of memory, and n, a number.
type program struct {
	ptx         string
	grid, block [3]uint32
	cluster     uint32 // CTAs of a cluster along x; 0 is 1
	n           uint32
	// careful: what its threads share is in order by construction.
	careful bool
}

// slotWords is how many words of memory each thread has for itself.
const slotWords = 8

// bytes is the size of the memory at out.
func (p *program) bytes() int64 {
	n := int64(4 * slotWords)
	for a := range 3 {
		n *= int64(p.grid[a]) * int64(p.block[a])
	}
	return n
}

// randomProgram writes a program with 2 to 14 blocks: jumps into the middle of loops,
// irreducible loops, several exits, guarded instructions, returns and exits,
// switches, calls, recursion and endless loops that nobody enters. Every jump
// backwards takes from a limited supply, so that all threads end. The same
// seed gives the same program.
func randomProgram(seed uint64) *program {
	w := &writer{r: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}
	p := &program{n: w.constant()}
	p.grid = [3]uint32{uint32(1 + w.r.IntN(3)), 1, 1}
	p.block = w.block()
	w.line(".version 8.3\n.target sm_70\n.address_size 64\n")
	w.functions = w.r.IntN(4)
	for i := range w.functions {
		w.function(i)
	}
	w.kernel()
	p.ptx = w.text.String()
	return p
}

// block returns the size of a block: half of the time a partial warp is part
// of it.
func (w *writer) block() [3]uint32 {
	switch w.r.IntN(6) {
	case 0:
		return [3]uint32{uint32(1 + w.r.IntN(7)), uint32(1 + w.r.IntN(5)), uint32(1 + w.r.IntN(2))}
	case 1:
		return [3]uint32{32, 1, 1}
	case 2:
		return [3]uint32{33, 1, 1}
	case 3:
		return [3]uint32{64, 1, 1}
	}
	return [3]uint32{uint32(1 + w.r.IntN(96)), 1, 1}
}

// writer writes one program.
type writer struct {
	r    *rand.Rand
	text strings.Builder
	// functions is how many device functions there are; self is the one being
	// written, functions itself for the kernel.
	functions, self int
	blocks, at      int // blocks of the function, and the one being written
	calls           int
	serial          int  // for names
	stays           bool // functions return, and do not exit
}

// maxCalls bounds the calls that a function contains: their product is how
// long a program runs.
const maxCalls = 2

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

// function writes device function i, which may call itself and those before.
func (w *writer) function(i int) {
	w.self = i
	w.line(".func (.param .b32 ret) f%d (.param .b32 x, .param .b32 depth)\n{", i)
	w.declare()
	w.line("ld.param.b32 %%r0, [x];\nld.param.b32 %%depth, [depth];")
	w.line("st.param.b32 [ret], %%r0;") // an early return has a value, too
	w.start(1 + w.r.IntN(4))
	w.body(2 + w.r.IntN(5))
	w.line("st.param.b32 [ret], %%r%d;\n}", w.r.IntN(registers))
}

// kernel writes the kernel.
func (w *writer) kernel() {
	w.self = w.functions
	w.line(".visible .entry k(.param .u64 out, .param .u32 n)\n{")
	w.declare()
	w.line(".reg .b64 %%out, %%at;")
	w.line("ld.param.u64 %%out, [out];\nld.param.u32 %%r0, [n];")
	// out + ((ctaid*threads + thread number) * slotWords) * 4
	w.line("mov.u32 %%t0, %%tid.z;\nmov.u32 %%t1, %%ntid.y;\nmov.u32 %%t2, %%tid.y;\nmad.lo.u32 %%t0, %%t0, %%t1, %%t2;")
	w.line("mov.u32 %%t1, %%ntid.x;\nmov.u32 %%t2, %%tid.x;\nmad.lo.u32 %%t0, %%t0, %%t1, %%t2;\nmov.b32 %%r1, %%t0;")
	w.line("mov.u32 %%t2, %%ntid.y;\nmul.lo.u32 %%t1, %%t1, %%t2;\nmov.u32 %%t2, %%ntid.z;\nmul.lo.u32 %%t1, %%t1, %%t2;")
	w.line("mov.u32 %%t2, %%ctaid.x;\nmad.lo.u32 %%t0, %%t1, %%t2, %%t0;\nmov.b32 %%r2, %%t0;")
	w.line("mul.wide.u32 %%at, %%t0, %d;\nadd.u64 %%out, %%out, %%at;", 4*slotWords)
	w.line("mov.u32 %%r3, %%laneid;\nmov.b32 %%depth, %d;", w.r.IntN(3))
	w.start(3 + w.r.IntN(10))
	w.body(2 + w.r.IntN(13))
	for i := range 4 {
		w.line("st.global.b32 [%%out+%d], %%r%d;", 4*i, i)
	}
	w.line("}")
}

const (
	registers  = 8
	predicates = 4
)

func (w *writer) declare() {
	w.line(".reg .b32 %%r<%d>, %%fuel, %%depth, %%t<3>;\n.reg .b64 %%fp<2>;\n.reg .pred %%p<%d>, %%q, %%never;", registers, predicates)
}

// start gives the registers their first values.
func (w *writer) start(fuel int) {
	first := 1
	if w.self == w.functions {
		first = 4
	}
	for i := first; i < registers; i++ {
		if w.r.IntN(3) != 0 { // something that differs between threads
			w.line("mov.u32 %%r%d, %s;\nand.b32 %%r%d, %%r%d, %d;", i, w.identity(), i, i, 1+w.r.IntN(31))
			continue
		}
		w.line("mov.b32 %%r%d, %d;", i, w.constant())
	}
	w.line("mov.b32 %%fuel, %d;", fuel)
	// Sometimes the launch, sometimes nothing tells that this is false.
	w.line("%s", []string{"setp.eq.s32 %never, %fuel, 77;", "setp.lt.s32 %never, %r1, -2147483648;", "setp.gt.u32 %never, %r0, %r0;"}[w.r.IntN(3)])
	for i := range predicates {
		w.line("setp.%s.s32 %%p%d, %%r%d, %d;", w.compare(), i, w.r.IntN(registers), w.r.IntN(12))
	}
}

// body writes n blocks. Endless loops stand behind the code.
func (w *writer) body(n int) {
	w.blocks, w.calls = n, 0
	var endless []string
	for w.at = 0; w.at < n; w.at++ {
		// Two names for one place.
		w.line("B%d:\nC%d:", w.at, w.at)
		for range w.r.IntN(5) {
			w.statement()
		}
		if w.r.IntN(9) == 0 {
			w.serial++
			name := fmt.Sprintf("E%d", w.serial)
			w.line("@%%never bra %s;", name)
			endless = append(endless, fmt.Sprintf("%s:\nadd.u32 %%r0, %%r0, 1;\nbra %s;", name, name))
		}
		w.terminator()
	}
	if len(endless) > 0 {
		w.line("bra B%d;\n%s", n, strings.Join(endless, "\n"))
	}
	w.line("B%d:\nC%d:", n, n)
}

// label returns a name of a block.
func (w *writer) label(block int) string {
	return fmt.Sprintf("%c%d", "BC"[w.r.IntN(2)], block)
}

// forward returns a block behind the present one, the end included.
func (w *writer) forward() int { return w.at + 1 + w.r.IntN(w.blocks-w.at) }

// terminator ends the block that is being written.
func (w *writer) terminator() {
	switch w.r.IntN(12) {
	case 0, 1, 2:
		w.line("@%s bra %s;", w.predicate(), w.label(w.forward()))
	case 3:
		w.line("bra %s;", w.label(w.forward()))
	case 4, 5, 6:
		// Back, to any block so far: into the middle of what is a loop, too.
		w.refuel()
		w.line("@%%q bra %s;", w.label(w.r.IntN(w.at+1)))
	case 7, 8:
		w.indexed()
	case 9:
		w.line("@%s %s;", w.predicate(), w.leave())
	case 10:
		if w.r.IntN(3) == 0 {
			w.line("%s;", w.leave())
		}
	}
}

// leave returns what ends a function, or a thread.
func (w *writer) leave() string {
	if name := w.one("ret", "exit"); !w.stays {
		return name
	}
	return "ret"
}

// refuel takes from the supply and says in %q whether to jump backwards.
func (w *writer) refuel() {
	w.line("sub.s32 %%fuel, %%fuel, 1;")
	if w.r.IntN(4) == 0 {
		w.line("setp.gt.s32 %%q, %%fuel, 0;")
		return
	}
	w.line("setp.gt.and.s32 %%q, %%fuel, 0, %s;", w.predicate())
}

// indexed ends a block with a switch; entry 0 leads forwards, and is taken
// when the supply is at its end.
func (w *writer) indexed() {
	n := []int{1, 2, 4, 8}[w.r.IntN(4)]
	targets := []string{w.label(w.forward())}
	for len(targets) < n {
		to := w.r.IntN(w.blocks + 1)
		if w.r.IntN(2) == 0 {
			to = w.forward()
		}
		targets = append(targets, w.label(to))
	}
	w.serial++
	w.line("sub.s32 %%fuel, %%fuel, 1;\nsetp.gt.s32 %%q, %%fuel, 0;")
	w.line("and.b32 %%t0, %%r%d, %d;\nselp.b32 %%t0, %%t0, 0, %%q;", w.r.IntN(registers), n-1)
	w.line("T%d: .branchtargets %s;", w.serial, strings.Join(targets, ", "))
	w.line("%sbrx.idx %%t0, T%d;", w.guard(), w.serial)
}
