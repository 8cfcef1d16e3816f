package sim

import (
	"slices"
	"testing"

	"hyptx/internal/machine"
	"hyptx/internal/ssa"
	"hyptx/internal/traffic/stream"
	"hyptx/ir"
	"hyptx/parser"
)

// lower returns the kernel of a text, its linker and its first instruction.
func lower(t *testing.T, text string) (*ir.Func, *Linker) {
	t.Helper()
	src, err := parser.Parse("k.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := ir.Lower(src)
	if err != nil {
		t.Fatal(err)
	}
	var listings []*machine.Listing
	for _, f := range m.Funcs {
		listing, err := machine.List(t.Context(), ssa.Build(f), nil, 70)
		if err != nil {
			t.Fatal(err)
		}
		listings = append(listings, listing)
	}
	linker, err := NewLinker(t.Context(), m, listings, 70)
	if err != nil {
		t.Fatal(err)
	}
	return m.Funcs[0], linker
}

const looping = `
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
	.reg .b32 %r<9>;
	.reg .b64 %rd<9>;
	.reg .pred %p<3>;
	.shared .align 4 .b8 s[128];
	ld.param.u64 %rd1, [a];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, 0;
loop:
	ld.global.u32 %r3, [%rd1];
	st.shared.u32 [s], %r3;
	bar.sync 0;
	add.u64 %rd1, %rd1, 128;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, %r1;
	@%p1 bra loop;
	st.global.u32 [%rd1], %r2;
	ret;
}
`

// The records of a block stand in the order of its instructions, whatever the order in
// which the emulator made the accesses; one that nobody made has an empty record.
func TestLink(t *testing.T) {
	f, l := lower(t, looping)
	code, err := Compile(l.Program(), volta(1))
	if err != nil {
		t.Fatal(err)
	}
	pcs := map[string]uint32{}
	for i := range f.Instrs() {
		in := &f.Instrs()[i]
		pcs[in.Inst.Opcode] = uint32(in.PC)
	}
	block := func(i int) uint32 { return uint32(f.Blocks[i].First) }
	var steps stream.Trace
	steps.Enter(block(0), 32)
	const rounds = 3
	for i := range rounds {
		steps.Enter(block(1), 32)
		steps.Touch(pcs["ld.global.u32"], 1, stream.GlobalStep, uint64(1000+4*i), []stream.Cell{{Sector: 0, Bytes: 1<<32 - 1}, {Sector: 1, Bytes: 1}})
		steps.Access(pcs["st.shared.u32"], 5, false)
		steps.Meet(pcs["bar.sync"], 2, 64, false, false)
		steps.Enter(pcs["bar.sync"]+1, 32) // behind the barrier
	}
	steps.Enter(block(2), 7)
	trace := l.Link(nil, steps, false)
	if cut := l.Link(nil, steps, true); len(cut) >= len(trace) || len(cut) == 0 || !slices.Equal(cut, trace[:len(cut)]) || uint32(trace[len(cut)]) != uint32(len(code.blocks)-1) {
		t.Errorf("without its last block a trace is %#x, with it %#x", cut, trace)
	}
	var got []uint64
	for i := 0; i < len(trace); i++ {
		b := &code.blocks[uint32(trace[i])]
		for _, o := range code.ops[b.first:b.end] {
			switch {
			case o.memory:
				i++
				got = append(got, trace[i])
				n := int(uint8(trace[i] >> blocksShift))
				got = append(got, trace[i+1:i+1+n]...)
				i += n
			case o.record:
				i++
				got = append(got, trace[i])
			}
		}
	}
	var want Trace
	for i := range rounds {
		want = want.Access(Global, 1, Sectors(uint64(250+i), 3, 1))
		want = want.Access(Shared, 5)
		want = want.Barrier(2, 64, false)
	}
	want = want.None() // the store, which no lane made
	if len(got) != len(want) {
		t.Fatalf("%#x, want %#x", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("record %d: %#x, want %#x", i, got[i], want[i])
		}
	}
}
