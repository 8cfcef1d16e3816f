package emulator

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// TestMappedLoads runs every spelling of loads by tensor maps but those of the width alone, with
// maps and places that are drawn, and holds shared memory afterwards against plain loops over the
// box: what is beyond the edges of the tensor is zero, and counts among the bytes.
func TestMappedLoads(t *testing.T) {
	seen := 0
	for _, f := range isa.Forms() {
		if f.Op != isa.OpCpAsyncBulkTensor || strings.Contains(f.Syntax, ".global.shared::cta") {
			continue
		}
		for i, opcode := range f.AllSpellings(maxSpellings) {
			x, err := isa.Decode(opcode)
			if err != nil || x.Form != f || testing.Short() && i%3 > 0 {
				continue
			}
			if strings.Contains(x.Opcode, "::w") || strings.Contains(x.Opcode, ".override") || strings.Contains(x.Opcode, "attribute") || strings.Contains(x.Opcode, "validity") {
				continue
			}
			if strings.Contains(x.Opcode, "im2col") && x.Opcode[strings.Index(x.Opcode, "d.")-1] < '3' || strings.Contains(x.Opcode, "gather4") && !strings.Contains(x.Opcode, ".2d.") {
				continue
			}
			for k := range 3 {
				c := &mapLoad{mapCase: mapCase{x: x, r: rand.New(rand.NewPCG(uint64(f.Index), uint64(100*i+k)))}}
				c.draw()
				c.prove(t)
			}
			seen++
		}
	}
	if seen < 20 {
		t.Errorf("%d spellings were seen", seen)
	}
}

// mapLoad is a load; offsets are what a column of pixels is moved by, of each dimension between
// the channels and the images.
type mapLoad struct {
	mapCase
	offsets []int64
}

// want is the shared memory after the load, and how many bytes have come.
func (c *mapLoad) want() (want []byte, bytes int) {
	want = append([]byte(nil), c.shared...)
	size := int(c.m.Size())
	c.each(func(at []int64) {
		offset, inside := uint64(0), true
		for i, x := range at {
			if i > 0 && i < len(at)-1 && c.offsets != nil {
				x += c.offsets[i-1]
			}
			offset += uint64(x) * c.m.Strides[i]
			inside = inside && x >= 0 && x < int64(c.m.Dims[i])
		}
		v := uint64(0)
		if inside {
			v = wordAt(c.global[offset:], 0, 8*size)
		}
		putWord(want[c.mapCase.place(bytes):], 0, 8*size, v)
		bytes += size
	})
	return want, bytes
}

func (c *mapLoad) prove(t *testing.T) {
	t.Helper()
	if c.im2col() {
		for range c.m.Rank - 2 {
			c.offsets = append(c.offsets, c.r.Int64N(3))
		}
	}
	c.m.Address = 0x7f0300000000
	want, bytes := c.want()
	got, done := c.run(t, bytes)
	if !done {
		t.Fatalf("%s at %v of %+v: %d bytes have not come, or more", c.x.Opcode, c.at, c.m, bytes)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s at %v + %v of %+v: byte %d of shared memory is %#x, want %#x", c.x.Opcode, c.at, c.offsets, c.m, i, got[i], want[i])
		}
	}
}

// text is the program: a thread fills shared memory, loads and writes down what is there then, and
// before it whether the phase is over for which so many bytes were announced.
func (c *mapLoad) text(bytes int) string {
	var s strings.Builder
	list := func(numbers []int64) string {
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
	}
	fmt.Fprintf(&s, ".version 9.4\n.target %s\n.address_size 64\n.entry k(.param .u64 p0, .param .u64 p1, .param .u64 p3)\n{\n.shared .align 1024 .b8 s[%d]; .shared .b64 o; .reg .b64 from, map, to, v, policy; .reg .pred p; .reg .b32 w, m32; .reg .b16 m16, x<3>;\n",
		mapTarget(c.x), len(c.shared))
	fmt.Fprintf(&s, "ld.param.u64 from, [p0]; ld.param.u64 map, [p1]; ld.param.u64 to, [p3]; createpolicy.fractional.L2::evict_last.b64 policy; mov.u16 m16, 1; mov.u32 m32, 1;\n")
	for at := 0; at < len(c.shared); at += 8 {
		fmt.Fprintf(&s, "ld.global.b64 v, [from+%d]; st.shared.b64 [s+%d], v;\n", at, at)
	}
	operands := fmt.Sprintf("[s], [map, {%s}], [o]", list(c.at))
	if c.offsets != nil {
		var names []string
		for i, v := range c.offsets {
			fmt.Fprintf(&s, "mov.u16 x%d, %d;\n", i, v)
			names = append(names, fmt.Sprint("x", i))
		}
		operands += ", {" + strings.Join(names, ", ") + "}"
	}
	switch {
	case has(c.x, "multicast::cluster::32b"):
		operands += ", m32"
	case strings.Contains(c.x.Opcode, "multicast"):
		operands += ", m16"
	}
	if strings.Contains(c.x.Opcode, "cache_hint") {
		operands += ", policy"
	}
	fmt.Fprintf(&s, "mbarrier.init.shared.b64 [o], 1; fence.proxy.async; mbarrier.arrive.expect_tx.shared.b64 _, [o], %d;\n%s %s;\n", bytes, c.x.Opcode, operands)
	fmt.Fprintf(&s, "mbarrier.try_wait.parity.shared.b64 p, [o], 0; selp.u32 w, 1, 0, p; st.global.u32 [to], w;\n")
	for at := 0; at < len(c.shared); at += 8 {
		fmt.Fprintf(&s, "ld.shared.b64 v, [s+%d]; st.global.b64 [to+%d], v;\n", at, at+8)
	}
	return s.String() + "ret;\n}\n"
}

// mapTarget is a target that has a spelling.
func mapTarget(x *isa.Inst) string {
	for _, name := range []string{"sm_100a", "sm_107a"} {
		if target, err := isa.ParseTarget([]string{name}); err == nil && x.Check(904, target) == nil {
			return name
		}
	}
	return "sm_90a"
}

func (c *mapLoad) run(t *testing.T, bytes int) (shared []byte, done bool) {
	t.Helper()
	src, err := parser.Parse("mapped.ptx", []byte(c.text(bytes)))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := ir.Lower(src)
	if err != nil {
		t.Fatalf("%v\n%s", err, c.text(bytes))
	}
	m := NewMachine(1 << 30)
	packed := c.m.Pack()
	var params []byte
	var result *Buffer
	for i, data := range [][]byte{c.shared, packed[:], make([]byte, 8+len(c.shared)), c.global} {
		at := uint64(0x7f0000000000 + i<<32)
		if i == 3 {
			at = c.m.Address
		}
		b, err := m.Memory.AddBuffer(fmt.Sprint("b", i), at, int64(len(data)), nil, false)
		if err == nil {
			err = b.Write(data, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			result = b
		}
		params = binary.LittleEndian.AppendUint64(params, at)
	}
	if err := m.Load(mod); err != nil {
		t.Fatal(err)
	}
	prog, err := m.Compile(t.Context(), mod.Kernels()[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: params[:24], Workers: 1, MaxInstructions: 1 << 20}
	if _, err := m.Launch(context.Background(), prog, cfg); err != nil {
		t.Fatalf("%s: %v", c.x.Opcode, err)
	}
	got := make([]byte, 8+len(c.shared))
	if err := result.Read(got, 0); err != nil {
		t.Fatal(err)
	}
	return got[8:], got[0] == 1
}
