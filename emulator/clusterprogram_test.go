package emulator

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/slice"
	"hyptx/internal/vary"
	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// What threads of a cluster do to each other's memory, and copies that go on by themselves, are
// proven by programs of steps. A step has threads execute a spelling, each with operands of its
// own, and waits until all is done. While a step is drawn, its reference does to a model of the
// memory what the manual says; the program's memory and registers are held against that at the
// end. Between steps the cluster meets, so that what a step does is defined.

// clusterProof is such a program. Its threads are those of one cluster, by rank: the inputs and
// results of a proof are theirs.
type clusterProof struct {
	proof
	ctas, each int // CTAs of the cluster, threads of each
	version    isa.Target
	shared     [][]modelByte // of each CTA
	global     []modelByte
	objects    int         // mbarrier objects, the first two of which are for copies
	phases     [2]int      // that the objects for copies have gone through
	want       [][]outcome // [result][thread]
	names      []string    // of the results
	holds      []uint64    // threads whose guards hold, of the instructions that have one
	texts      []string    // of the steps
	asked      bool        // for a cluster to be cancelled
}

// modelByte is a byte: what it holds first, what it must hold in the end, which may be anything,
// and the step that has said so.
type modelByte struct {
	first, last byte
	open        bool
	by          int32 // of clusterProof.texts, from 1 on
}

// sliceBytes is what each thread has of an area.
const sliceBytes = 64

// area adds room for each thread, filled with values of a type, to the shared memory of all
// CTAs or to global memory; it returns where it begins.
func (p *clusterProof) area(space isa.Space, t isa.Type) (at int) {
	fill := func(to *[]modelByte, n int) {
		at = len(*to)
		bits := min(max(t.Elem().Bits(), 8), 64)
		for len(*to) < at+n {
			v := p.draw(t.Elem(), bits)
			for k := range bits / 8 {
				b := byte(v >> (8 * k))
				*to = append(*to, modelByte{first: b, last: b})
			}
		}
	}
	if space == isa.Global {
		fill(&p.global, sliceBytes*p.threads())
		return at
	}
	for rank := range p.shared {
		fill(&p.shared[rank], sliceBytes*p.each)
	}
	return at
}

// rank and tid are a thread's CTA and its number there.
func (p *clusterProof) rank(thread int) int { return thread / p.each }
func (p *clusterProof) tid(thread int) int  { return thread % p.each }

// write leaves bytes in memory.
func (p *clusterProof) write(to []modelByte, b []byte) {
	for i := range b {
		to[i].last, to[i].open, to[i].by = b[i], false, int32(len(p.texts))
	}
}

// read returns what bytes hold.
func read(from []modelByte) (b []byte) {
	for _, m := range from {
		if m.open {
			panic("a step reads what may be anything")
		}
		b = append(b, m.last)
	}
	return b
}

// give loads a value for each thread into a register.
func (p *clusterProof) give(bits int, value func(thread int) uint64) (name string) {
	bits = max(bits, 16)
	p.regs++
	name = fmt.Sprintf("r_b%d_%d", bits, 40+p.regs)
	at := 8 * len(p.in)
	for thread := range p.threads() {
		p.in = append(p.in, low(value(thread), bits))
	}
	p.line("ld.global.b%d %s, [in+%d];", bits, name, at)
	return name
}

// guard returns a guard that holds for some threads, "" if it does for all.
func (p *clusterProof) guard(holds []bool) string {
	n := uint64(0)
	for _, is := range holds {
		n += truth(is)
	}
	if n == uint64(len(holds)) && p.r.IntN(2) == 0 {
		return ""
	}
	not := p.r.IntN(2) == 0
	name := p.give(32, func(thread int) uint64 { return truth(holds[thread] != not) })
	p.regs++
	pred := fmt.Sprintf("r_pred_%d", 40+p.regs)
	p.line("setp.ne.u32 %s, %s, 0;", pred, name)
	p.holds = append(p.holds, n)
	return guard{pred, not}.text()
}

// spot is a byte that an operand of a thread names: of a CTA's data, of one of its objects, or
// of global memory.
type spot struct {
	rank, at int
	object   bool
}

// address returns the text of an address in a space, of a place for each thread.
func (p *clusterProof) address(space isa.Space, of func(thread int) spot) string {
	imm := oneAmong(p.r, 0, 0, 8, -16, 1<<12)
	return fmt.Sprintf("[%s+%d]", p.pointer(space, imm, of), imm)
}

// pointer has the program make addresses that are less by some bytes.
func (p *clusterProof) pointer(space isa.Space, less int, of func(thread int) spot) (name string) {
	if space == isa.Global {
		return p.give(64, func(thread int) uint64 { return uint64(proofMem + of(thread).at - less) })
	}
	name = p.give(64, func(thread int) uint64 { return uint64(of(thread).at) })
	symbol, remote := "data", false
	for thread := range p.threads() {
		remote = remote || of(thread).rank != p.rank(thread)
	}
	if of(0).object {
		symbol = "objects"
	}
	p.line("mov.u64 r_b64_36, %s; add.u64 %s, %s, r_b64_36;", symbol, name, name)
	mapped := space != isa.Shared && p.clusters() && (remote || p.r.IntN(2) == 0)
	switch {
	case remote && !mapped:
		panic("an address of another CTA in the wrong space")
	case mapped:
		rank := p.give(32, func(thread int) uint64 { return uint64(of(thread).rank) })
		if space == isa.Generic {
			p.line("cvta.shared.u64 %s, %s; mapa.u64 %s, %s, %s;", name, name, name, name, rank)
		} else {
			p.line("mapa.shared::cluster.u64 %s, %s, %s;", name, name, rank)
		}
	case space == isa.Generic:
		p.line("cvta.shared.u64 %s, %s;", name, name)
	}
	if less != 0 {
		p.line("sub.s64 %s, %s, %d;", name, name, less)
	}
	return name
}

// clusters reports whether the target has them.
func (p *clusterProof) clusters() bool { return p.version.SM >= 90 }

// meet has all threads wait for each other.
func (p *clusterProof) meet() {
	if p.clusters() {
		p.line("fence.proxy.async; barrier.cluster.arrive; barrier.cluster.wait;")
		return
	}
	p.line("bar.sync 0;")
}

// result has the program store a register, which must then hold what is wanted of each thread.
func (p *clusterProof) result(name string, bits int, want func(thread int) outcome) {
	o := proofOperand{bits: bits, names: []string{name}}
	p.store(&o)
	list := make([]outcome, p.threads())
	for thread := range list {
		list[thread] = want(thread)
	}
	p.want, p.names = append(p.want, list), append(p.names, fmt.Sprintf("%s of %s", name, p.texts[len(p.texts)-1]))
}

// made is how many objects for copies the target can have, of which the second has .layout::v1.
func (p *clusterProof) made() int {
	switch {
	case !p.clusters():
		return 0
	case p.ptx < 903:
		return 1
	}
	return 2
}

// first is the guard of a CTA's first thread.
func (p *clusterProof) first() string {
	p.holds = append(p.holds, uint64(p.ctas))
	return "@first "
}

// kernel returns the text of the module.
func (p *clusterProof) kernel() string {
	var s strings.Builder
	size := len(p.shared[0])
	fmt.Fprintf(&s, ".version %d.%d\n.target %s\n.address_size 64\n.const .align 64 .b8 constants[%d] = {%s};\n", p.ptx/100, p.ptx%100, p.target, len(constantBytes), commas(constantBytes))
	s.WriteString(".global .texref opaque_texref; .global .samplerref opaque_samplerref; .global .surfref opaque_surfref; .global .u64 opaque_plain;\n")
	fmt.Fprintf(&s, ".entry k(.param .u64 i, .param .u64 o, .param .u64 m, .param .u64 z, .param .align 64 .b8 given[64])\n{\n.shared .align 1024 .b8 data[%d];\n.shared .align 8 .b64 objects[%d];\n.local .align 64 .b8 private[64];\n",
		max(size, 16), p.objects)
	fmt.Fprintf(&s, ".reg .b64 in, out, image, dump, mine;\n.reg .b32 rank, t, all;\n.reg .pred first;\n%s", registers())
	fmt.Fprintf(&s, "ld.param.u64 in, [i]; ld.param.u64 out, [o]; ld.param.u64 image, [m]; ld.param.u64 dump, [z];\nmov.u32 rank, %%ctaid.x; mov.u32 t, %%tid.x; mad.lo.u32 all, rank, %d, t;\n", p.each)
	fmt.Fprintf(&s, "mad.wide.u32 in, all, 8, in; mad.wide.u32 out, all, 8, out; mul.lo.u32 all, rank, %d; mad.lo.u32 all, t, %d, all; mad.wide.u32 image, all, 1, image; mad.wide.u32 dump, all, 1, dump;\n", size, sliceBytes)
	fmt.Fprintf(&s, "add.u64 image, image, %d; mov.u64 mine, data; mad.wide.u32 mine, t, %d, mine; setp.eq.u32 first, t, 0;\n", len(p.global), sliceBytes)
	each := func(text string) {
		for at := 0; at < size; at += sliceBytes * p.each {
			for k := 0; k < sliceBytes; k += 8 {
				fmt.Fprintf(&s, text, at+k, at+k)
			}
		}
	}
	each("ld.global.b64 r_b64_36, [image+%d]; st.shared.b64 [mine+%d], r_b64_36;\n")
	for i, layout := range []string{"", ".layout::v1"}[:p.made()] {
		fmt.Fprintf(&s, "@first mbarrier.init%s.shared::cta.b64 [objects+%d], 1;\n", layout, 8*i)
	}
	s.WriteString(p.body.String())
	each("ld.shared.b64 r_b64_36, [mine+%d]; st.global.b64 [dump+%d], r_b64_36;\n")
	s.WriteString("ret;\n}\n")
	return s.String()
}

// options draws how the program is run: with traffic counted, with what values depend on followed,
// or with warps in other orders. What it leaves is defined, and always the same.
func (p *clusterProof) options(mod *ir.Module) (o Options) {
	switch p.r.IntN(6) {
	case 0:
		o.Traffic = true
	case 1:
		all := &slice.Slice{Run: slice.NewSet(len(mod.Instrs)), Value: slice.NewSet(len(mod.Instrs))}
		for pc := range mod.Instrs {
			all.Run.Add(ir.PC(pc))
			all.Value.Add(ir.PC(pc))
		}
		o.Origins, o.Traffic = all, p.r.IntN(2) == 0
	case 2:
		o.Variation = &vary.Variation{Reverse: true}
	case 3:
		o.Variation = &vary.Variation{Shuffle: true, Seed: p.r.Uint64()}
	}
	return o
}

// clusterBuffers are the memory of a run: of threads' results, of global memory behind which the
// CTAs' shared memory lies before, and of that afterwards.
type clusterBuffers struct{ out, mem, dump *Buffer }

// prove runs the program and holds its memory, its registers and its counts against the model.
func (p *clusterProof) prove(t testing.TB) {
	t.Helper()
	p.meet()
	src, err := parser.Parse("cluster.ptx", []byte(p.kernel()))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := ir.Lower(src, ir.Lenient)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.body.String())
	}
	m := NewMachine(1 << 30)
	b := p.buffers(t, m)
	if err := m.Load(mod); err != nil {
		t.Fatal(err)
	}
	o := p.options(mod)
	prog, err := m.Compile(t.Context(), mod.Kernels()[0], o)
	if err != nil {
		t.Fatal(err)
	}
	var params []byte
	for _, at := range []uint64{proofIn, proofDump, proofMem, proofShared, 0, 0, 0, 0} {
		params = binary.LittleEndian.AppendUint64(params, at)
	}
	params = append(params, constantBytes[:64]...)
	cfg := LaunchConfig{Grid: [3]uint32{uint32(p.ctas), 1, 1}, Block: [3]uint32{uint32(p.each), 1, 1}, Params: params, StackBytes: 4096, Workers: 1, MaxInstructions: 1 << 30}
	if p.clusters() {
		cfg.Cluster, cfg.ExplicitCluster = [3]uint32{uint32(p.ctas), 1, 1}, true
	}
	r, err := m.Launch(context.Background(), prog, cfg)
	if err != nil {
		t.Fatalf("%v (%+v)\n%s", err, o, p.body.String())
	}
	p.checkMemory(t, "global memory", p.global, bytesOf(t, b.mem, len(p.global)))
	size := len(p.shared[0])
	dumped := bytesOf(t, b.dump, p.ctas*size)
	for rank, part := range p.shared {
		p.checkMemory(t, fmt.Sprintf("shared memory of CTA %d", rank), part, dumped[rank*size:])
	}
	p.checkResults(t, bytesOf(t, b.out, 8*p.threads()*p.outs))
	p.countsAre(t, r, append(slices.Repeat([]uint64{uint64(p.ctas)}, p.made()), p.holds...))
}

// buffers makes them, and that of the inputs.
func (p *clusterProof) buffers(t testing.TB, m *Machine) (b clusterBuffers) {
	t.Helper()
	var image []byte
	for _, part := range append([][]modelByte{p.global}, p.shared...) {
		for _, b := range part {
			image = append(image, b.first)
		}
	}
	in := make([]byte, 0, 8*len(p.in))
	for _, v := range p.in {
		in = binary.LittleEndian.AppendUint64(in, v)
	}
	buffer := func(name string, at uint64, data []byte) *Buffer {
		b, err := m.Memory.AddBuffer(name, at, int64(max(len(data), 8)), nil, false)
		if err == nil {
			err = b.Write(data, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	buffer("i", proofIn, in)
	b.mem = buffer("m", proofMem, image)
	b.dump = buffer("z", proofShared, make([]byte, len(image)-len(p.global)))
	b.out = buffer("o", proofDump, make([]byte, 8*p.threads()*p.outs))
	return b
}

// bytesOf are the first bytes of a buffer.
func bytesOf(t testing.TB, b *Buffer, n int) []byte {
	t.Helper()
	data := make([]byte, n)
	if err := b.Read(data, 0); err != nil {
		t.Fatal(err)
	}
	return data
}

func (p *clusterProof) checkMemory(t testing.TB, what string, model []modelByte, got []byte) {
	t.Helper()
	for i, b := range model {
		if !b.open && b.last != got[i] {
			by := "nobody"
			if b.by > 0 {
				by = p.texts[b.by-1]
			}
			t.Fatalf("%s: byte %d (thread %d) is %#x, want %#x, which %s has left (%d CTAs of %d)", what, i, i/sliceBytes%p.each, got[i], b.last, by, p.ctas, p.each)
		}
	}
}

// stepText is what the program has of the step that a result is of.
func (p *clusterProof) stepText(result string) string {
	_, step, _ := strings.Cut(result, " of ")
	_, text, _ := strings.Cut(p.body.String(), "// "+step)
	text, _, _ = strings.Cut(text, "// step")
	return text
}

func (p *clusterProof) checkResults(t testing.TB, got []byte) {
	t.Helper()
	for i, list := range p.want {
		for thread, o := range list {
			if v := binary.LittleEndian.Uint64(got[8*(i*p.threads()+thread):]); !o.holds(v) {
				t.Fatalf("%s: thread %d of CTA %d has %#x, want %#x (%d CTAs of %d)\n%s", p.names[i], p.tid(thread), p.rank(thread), v, o.bits, p.ctas, p.each, p.stepText(p.names[i]))
			}
		}
	}
}
