package emulator

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// check runs the program and compares.
func (p *proof) check(t testing.TB, ref warpReference) {
	t.Helper()
	out, memory := p.run(t)
	p.verify(t, out, memory, func(*spelled) warpReference { return ref })
}

// verify holds what the program left against references.
func (p *proof) verify(t testing.TB, out []uint64, memory []byte, of func(*spelled) warpReference) {
	t.Helper()
	value, result := 0, 0
	for _, c := range p.cases {
		results := 0
		for i := range c.ops {
			if c.ops[i].spec.Write {
				results += len(c.ops[i].names) * c.ops[i].words()
				if c.ops[i].pair != "" {
					results++
				}
			}
		}
		if c.inst.ReadsCC() || c.inst.WritesCC() {
			results++
		}
		values := 0
		for w := range p.warps {
			var sources [][]uint64
			sources, values = p.sourcesOf(c, value, w)
			before := c.area.before(p, w)
			want, err := c.ask(of(c), sources, before)
			if err != nil {
				t.Fatal(err)
			}
			c.keepOld(p, w, value+values, want, before)
			if i := c.area.differs(p, w, before, memory); i >= 0 {
				t.Fatalf("%s of %#x leaves %x in memory, want %x", c.text, sources[i], c.area.of(memory, w, i), before[i])
			}
			for lane, outcomes := range want {
				if len(outcomes) < results { // it may know a pair that the program leaves out
					t.Fatalf("%s: %d results, of which the reference knows %d", c.text, results, len(outcomes))
				}
				for i := range results {
					if got := out[(result+i)*p.threads()+32*w+lane]; !outcomes[i].holds(got) {
						t.Fatalf("%s of %#x: result %d is %#x, want %#x", c.text, sources[lane], i, got, outcomes[i].bits)
					}
				}
			}
		}
		value, result = value+values+c.oldValues(), result+results
	}
}

// ask asks a reference, which may have been written for other forms of the opcode and
// come to anything with this one.
func (c *spelled) ask(ref warpReference, sources [][]uint64, mem [][]byte) (want [][]outcome, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the reference does not know %s (%s): %v", c.text, c.inst.Form.Syntax, fault)
		}
	}()
	if want = ref(c.inst, sources, mem); want == nil {
		err = fmt.Errorf("the reference does not know %s (%s)", c.text, c.inst.Form.Syntax)
	}
	return want, err
}

// sourcesOf returns the sources of a warp's lanes.
func (p *proof) sourcesOf(c *spelled, first, warp int) (sources [][]uint64, values int) {
	sources = make([][]uint64, 32)
	sources[0], values = p.sources(c, first, 32*warp, nil)
	n := len(sources[0])
	all := make([]uint64, 32*n)
	for lane := 1; lane < 32; lane++ {
		sources[lane], _ = p.sources(c, first, 32*warp+lane, all[lane*n:lane*n:lane*n+n])
	}
	return sources, values
}

// sources appends what a thread's operands hold, and how many loaded values they
// take.
func (p *proof) sources(c *spelled, first, thread int, to []uint64) (in []uint64, values int) {
	in = to
	for i := range c.ops {
		o := &c.ops[i]
		if o.spec.Write {
			in = append(in, o.partWords()...)
			continue
		}
		if o.spec.Kind == isa.Address || o.spec.Kind == isa.Policy {
			continue
		}
		if o.spec.Kind == isa.Immediate {
			in = append(in, o.imm)
			continue
		}
		for range len(o.names) * o.words() {
			v := p.in[(first+values)*p.threads()+thread]
			if o.not {
				v ^= 1
			}
			in = append(in, v)
			values++
		}
		in = append(in, o.partWords()...)
	}
	return in, values
}

const (
	proofIn  = 0x7f0000000000
	proofMem = 0x7f1000000000
	proofOut = 0x7e0000000000
	// of programs of clusters
	proofDump   = 0x7f2000000000
	proofShared = 0x7f3000000000
)

// run lowers the program and runs it in full, and returns what it wrote.
func (p *proof) run(t testing.TB) ([]uint64, []byte) {
	t.Helper()
	text := fmt.Sprintf(`.version %d.%d
.target %s
.address_size 64
.const .align 64 .b8 constants[%d] = {%s};
.entry k(.param .u64 i, .param .u64 o, .param .u64 m, .param .align 64 .b8 given[64])
{
.shared .align 64 .b8 shared[2048];
.local .align 64 .b8 private[64];
.reg .b64 in, out, mem, all, sh, lo, co;
.reg .b32 t0, t1, t2;
%sld.param.u64 in, [i]; ld.param.u64 out, [o]; ld.param.u64 mem, [m]; mov.u64 all, mem;
mov.u32 t0, %%ctaid.x; mov.u32 t1, %%tid.x; mad.lo.u32 t2, t0, 32, t1;
mad.wide.u32 in, t2, 8, in; mad.wide.u32 out, t2, 8, out; mad.wide.u32 mem, t2, 64, mem;
mad.wide.u32 all, t0, 2048, all;
mov.u64 sh, shared; mad.wide.u32 sh, t1, 64, sh; mov.u64 lo, private; mov.u64 co, constants; mad.wide.u32 co, t1, 64, co;
%sret;
}
`, p.ptx/100, p.ptx%100, p.target, len(constantBytes), commas(constantBytes), registers(), p.body.String())
	src, err := parser.Parse("proof.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := ir.Lower(src, ir.Lenient) // some forms are not the manual's
	if err != nil {
		t.Fatalf("%v\n%s", err, p.cases[0].text)
	}
	m := NewMachine(1 << 30)
	data := make([]byte, 0, 8*len(p.in))
	for _, v := range p.in {
		data = binary.LittleEndian.AppendUint64(data, v)
	}
	bytes := int64(max(8*p.threads()*p.outs, 8))
	i, err := m.Memory.AddBuffer("i", proofIn, int64(max(len(data), 8)), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Write(data, 0); err != nil {
		t.Fatal(err)
	}
	area, err := m.Memory.AddBuffer("m", proofMem, int64(max(len(p.mem), 8)), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := area.Write(p.mem, 0); err != nil {
		t.Fatal(err)
	}
	b, err := m.Memory.AddBuffer("o", proofOut, bytes, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.bindTextures(m); err != nil {
		t.Fatal(err)
	}
	if err := m.Load(mod); err != nil {
		t.Fatal(err)
	}
	prog, err := m.Compile(t.Context(), mod.Kernels()[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, proofIn), proofOut)
	params = append(binary.LittleEndian.AppendUint64(params, proofMem), make([]byte, 64-24)...)
	params = append(params, constantBytes[:64]...)
	cfg := LaunchConfig{Grid: [3]uint32{uint32(p.warps), 1, 1}, Block: [3]uint32{32, 1, 1}, Params: params, Workers: 1, MaxInstructions: 1 << 30}
	r, err := m.Launch(context.Background(), prog, cfg)
	if err != nil {
		t.Fatal(err)
	}
	p.checkCounts(t, r)
	memory := make([]byte, bytes)
	if err := b.Read(memory, 0); err != nil {
		t.Fatal(err)
	}
	out := make([]uint64, len(memory)/8)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(memory[8*i:])
	}
	after := make([]byte, len(p.mem))
	if err := area.Read(after, 0); err != nil {
		t.Fatal(err)
	}
	return out, after
}
