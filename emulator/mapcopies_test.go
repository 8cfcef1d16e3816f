package emulator

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hyptx/internal/tensormap"
	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// mapCase is a load, a store or a reduction by a tensor map that is drawn (PTX ISA 5.5,
// 9.7.10.28.5.3 and .4): of a tile, of four rows, of a column of pixels.
type mapCase struct {
	x      *isa.Inst
	r      *rand.Rand
	m      tensormap.Map
	at     []int64 // the coordinates
	op     string  // of a reduction
	shared []byte
	global []byte
}

// reducedTypes are types of tensors that may be reduced so, stored ones all.
var reducedTypes = map[string][]tensormap.Type{
	"":    {tensormap.U8, tensormap.U16, tensormap.U32, tensormap.S64, tensormap.F16, tensormap.BF16, tensormap.F64},
	"add": {tensormap.U32, tensormap.S32, tensormap.U64, tensormap.F32}, "min": {tensormap.U32, tensormap.S32, tensormap.U64, tensormap.S64},
	"max": {tensormap.U32, tensormap.S32, tensormap.U64, tensormap.S64}, "inc": {tensormap.U32}, "dec": {tensormap.U32},
	"and": {tensormap.U32, tensormap.U64}, "or": {tensormap.U32, tensormap.U64}, "xor": {tensormap.U32, tensormap.U64},
}

// TestMappedStores runs every spelling of stores and reductions by tensor maps, with maps and
// places that are drawn, and holds the tensor afterwards against plain loops over its elements.
func TestMappedStores(t *testing.T) {
	seen, least := 0, 60
	if testing.Short() {
		least = 15 // each alternative once
	}
	for _, f := range isa.Forms() {
		if f.Op != isa.OpCpAsyncBulkTensor && f.Op != isa.OpCpReduceAsyncBulkTensor || !strings.Contains(f.Syntax, ".global.shared::cta") {
			continue
		}
		for i, x := range spellingsOf(f) {
			// The width alone is for samples, and so are overrides and attributes.
			if strings.Contains(x.Opcode, "::w") || strings.Contains(x.Opcode, ".override") || strings.Contains(x.Opcode, "L2::") || strings.Contains(x.Opcode, "attribute") {
				continue
			}
			if strings.Contains(x.Opcode, "im2col") && x.Opcode[strings.Index(x.Opcode, "d.")-1] < '3' || strings.Contains(x.Opcode, "scatter4") && !strings.Contains(x.Opcode, ".2d.") {
				continue
			}
			for k := range 3 {
				c := &mapCase{x: x, r: rand.New(rand.NewPCG(uint64(f.Index), uint64(100*i+k)))}
				c.draw()
				c.prove(t)
			}
			seen++
		}
	}
	if seen < least {
		t.Errorf("%d spellings were seen", seen)
	}
}

func (c *mapCase) im2col() bool { return strings.Contains(c.x.Opcode, "im2col") }

func (c *mapCase) scatters() bool {
	return strings.Contains(c.x.Opcode, "scatter4") || strings.Contains(c.x.Opcode, "gather4")
}

// swizzle draws how rows lie in shared memory, and returns how many bytes they have.
func (c *mapCase) swizzle() (bytes int64) {
	c.m.Swizzle = oneAmong(c.r, tensormap.NoSwizzle, tensormap.NoSwizzle, tensormap.Swizzle32, tensormap.Swizzle64, tensormap.Swizzle128)
	if c.m.Swizzle == tensormap.NoSwizzle {
		return 16 * int64(1+c.r.IntN(2))
	}
	return 16 << c.m.Swizzle
}

// place is where a byte of the box lies in shared memory: of each row its pieces of 16 bytes change
// places, by the number of the row within 128 bytes times so many (PTX ISA 5.5.7).
func (c *mapCase) place(at int) int {
	rows := 1<<c.m.Swizzle - 1 // 0, 1, 3, 7
	return at ^ at>>7&rows<<4
}

// draw draws a map whose rows are whole pieces of 16 bytes, and a place that may be beyond its edges.
func (c *mapCase) draw() {
	r := c.r
	for _, op := range []string{"add", "min", "max", "inc", "dec", "and", "or", "xor"} {
		if strings.Contains(c.x.Opcode, "."+op+".") {
			c.op = op
		}
	}
	c.m = tensormap.Map{Address: 0x7f0200000000, Type: oneAmong(r, reducedTypes[c.op]...), Im2col: c.im2col()}
	c.m.Rank = int(c.x.Opcode[strings.Index(c.x.Opcode, "d.")-1] - '0')
	size := int64(c.m.Size())
	c.m.Strides[0] = uint64(size)
	pitch, rows := int64(0), int64(1)
	for i := range c.m.Rank {
		c.m.Dims[i], c.m.Box[i], c.m.Steps[i] = uint64(1+r.IntN(6)), uint32(1+r.IntN(3)), 1
		if i == 0 {
			n := c.swizzle() / size // of a row
			c.m.Dims[0], c.m.Box[0], c.m.Channels = uint64(n+r.Int64N(2*n)), uint32(n), uint32(n)
			pitch = (int64(c.m.Dims[0])*size + 15) &^ 15
			continue
		}
		if c.m.Steps[i] = uint32(1 + r.IntN(2)); c.scatters() {
			c.m.Box[i], c.m.Steps[i] = 1, 1
		}
		pitch += 16 * r.Int64N(2)
		c.m.Strides[i] = uint64(pitch)
		pitch *= int64(c.m.Dims[i])
		rows *= (int64(c.m.Box[i]) + int64(c.m.Steps[i]) - 1) / int64(c.m.Steps[i])
	}
	c.m.Pixels = uint32(1 + r.IntN(9))
	for i := range c.m.Rank { // some of it is inside
		c.at = append(c.at, r.Int64N(int64(c.m.Dims[i])+2)-2)
	}
	switch {
	case c.scatters():
		rows, c.at = 4, append(c.at[:1], c.rows()...)
	case c.im2col():
		rows = int64(c.m.Pixels)
		for i := 1; i < c.m.Rank-1; i++ { // a box that the place is in
			c.m.Lower[i-1], c.m.Upper[i-1] = int16(-r.IntN(2)), int16(r.IntN(2))
			c.at[i] = int64(c.m.Lower[i-1]) + r.Int64N(int64(c.m.Dims[i])+int64(c.m.Upper[i-1])-int64(c.m.Lower[i-1]))
		}
		c.at[c.m.Rank-1] = r.Int64N(int64(c.m.Dims[c.m.Rank-1]))
	}
	full := (1024/size + int64(c.m.Box[0]) - 1) / int64(c.m.Box[0]) // rows, within which pieces change places
	c.shared, c.global = c.numbers((rows+full)*int64(c.m.Box[0])), c.numbers(max(pitch, 16)/size+16)
}

// rows draws four rows, no two the same.
func (c *mapCase) rows() (list []int64) {
	for _, row := range c.r.Perm(int(c.m.Dims[1]) + 4)[:4] {
		list = append(list, int64(row)-2)
	}
	return list
}

// numbers draws elements: small whole ones where they are added as numbers with a point.
func (c *mapCase) numbers(n int64) (b []byte) {
	for range n {
		v := c.r.Uint64()
		if c.r.IntN(2) == 0 {
			v = oneAmong(c.r, 0, 1, ^uint64(0), 1<<63, 1<<31, 1<<31-1)
		}
		if c.m.Type == tensormap.F32 {
			v = uint64(math.Float32bits(float32(c.r.IntN(2001) - 1000)))
		}
		b = append(b, binary.LittleEndian.AppendUint64(nil, v)[:c.m.Size()]...)
	}
	return b
}

// each calls do for the places of all elements in the order in which they lie in shared memory.
func (c *mapCase) each(do func(at []int64)) {
	switch {
	case c.scatters():
		for _, row := range c.at[1:] {
			for k := range int64(c.m.Box[0]) {
				do([]int64{c.at[0] + k, row})
			}
		}
	case c.im2col():
		at := append([]int64(nil), c.at...)
		for range c.m.Pixels {
			for k := range int64(c.m.Channels) {
				do(append([]int64{at[0] + k}, at[1:]...))
			}
			carry := true // as the digits of a number, the images the first
			for i := 1; i < c.m.Rank && carry; i++ {
				if i == c.m.Rank-1 {
					at[i]++
					break
				}
				at[i] += int64(c.m.Steps[i])
				if carry = at[i] >= int64(c.m.Dims[i])+int64(c.m.Upper[i-1]); carry {
					at[i] = int64(c.m.Lower[i-1])
				}
			}
		}
	default:
		var loop func(i int, at []int64)
		loop = func(i int, at []int64) {
			if i < 0 {
				do(at)
				return
			}
			for k := int64(0); k < int64(c.m.Box[i]); k += int64(c.m.Steps[i]) {
				loop(i-1, append([]int64{c.at[i] + k}, at...))
			}
		}
		loop(c.m.Rank-1, nil)
	}
}

// combined is what an element of the tensor becomes.
func (c *mapCase) combined(old, v uint64) uint64 {
	bits := int(8 * c.m.Size())
	signed := func(v uint64) int64 { return int64(v<<(64-bits)) >> (64 - bits) }
	less := old < v
	if c.m.Type == tensormap.S32 || c.m.Type == tensormap.S64 {
		less = signed(old) < signed(v)
	}
	switch c.op {
	case "add":
		if c.m.Type == tensormap.F32 {
			return uint64(math.Float32bits(math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(v))))
		}
		return low(old+v, bits)
	case "and":
		return old & v
	case "or":
		return old | v
	case "xor":
		return old ^ v
	case "inc":
		if old >= v {
			return 0
		}
		return old + 1
	case "dec":
		if old == 0 || old > v {
			return v
		}
		return old - 1
	case "min", "max":
		if less == (c.op == "min") {
			return old
		}
	}
	return v
}

func (c *mapCase) prove(t *testing.T) {
	t.Helper()
	want := append([]byte(nil), c.global...)
	size, n := int(c.m.Size()), 0
	c.each(func(at []int64) {
		offset, inside := uint64(0), true
		for i, x := range at {
			offset += uint64(x) * c.m.Strides[i]
			inside = inside && x >= 0 && x < int64(c.m.Dims[i])
		}
		if inside {
			putWord(want[offset:], 0, 8*size, c.combined(wordAt(want[offset:], 0, 8*size), wordAt(c.shared[c.place(n*size):], 0, 8*size)))
		}
		n++
	})
	got := c.run(t)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s at %v of %+v: byte %d of the tensor is %#x, want %#x", c.x.Opcode, c.at, c.m, i, got[i], want[i])
		}
	}
}

// run has a thread fill shared memory and store it.
func (c *mapCase) run(t *testing.T) []byte {
	t.Helper()
	var coords []string
	for _, at := range c.at {
		coords = append(coords, fmt.Sprint(at))
	}
	var s strings.Builder
	fmt.Fprintf(&s, ".version 9.4\n.target sm_100a\n.address_size 64\n.entry k(.param .u64 p0, .param .u64 p1)\n{\n.shared .align 1024 .b8 s[%d]; .reg .b64 from, map, v;\n", len(c.shared))
	fmt.Fprintf(&s, "ld.param.u64 from, [p0]; ld.param.u64 map, [p1];\n")
	for at := 0; at < len(c.shared); at += 8 {
		fmt.Fprintf(&s, "ld.global.b64 v, [from+%d]; st.shared.b64 [s+%d], v;\n", at, at)
	}
	fmt.Fprintf(&s, "fence.proxy.async;\n%s [map, {%s}], [s];\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nret;\n}\n", c.x.Opcode, strings.Join(coords, ", "))
	src, err := parser.Parse("mapped.ptx", []byte(s.String()))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := ir.Lower(src)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.String())
	}
	m := NewMachine(1 << 30)
	packed := c.m.Pack()
	var params []byte
	var tensor *Buffer
	for i, data := range [][]byte{c.shared, packed[:], c.global} {
		at := uint64(0x7f0000000000 + i<<32)
		b, err := m.Memory.AddBuffer(fmt.Sprint("b", i), at, int64(len(data)), nil, false)
		if err == nil {
			err = b.Write(data, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		params, tensor = binary.LittleEndian.AppendUint64(params, at), b
	}
	if err := m.Load(mod); err != nil {
		t.Fatal(err)
	}
	prog, err := m.Compile(t.Context(), mod.Kernels()[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: params[:16], Workers: 1, MaxInstructions: 1 << 20}
	if _, err := m.Launch(context.Background(), prog, cfg); err != nil {
		t.Fatalf("%s: %v", c.x.Opcode, err)
	}
	got := make([]byte, len(c.global))
	if err := tensor.Read(got, 0); err != nil {
		t.Fatal(err)
	}
	return got
}
