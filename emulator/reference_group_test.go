package emulator

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// wgmma (PTX ISA 9.7.17.5, .6), spelling by spelling: a program of a warpgroup whose
// matrices in shared memory lie as the manual's canonical layouts have them, in every
// swizzle, with numbers so small that each order of additions gives the same.

// groupCase is a spelling with its matrices.
type groupCase struct {
	x           *isa.Inst
	r           *rand.Rand
	n, k        int
	width       int // bits of an element
	stored      int // columns of a that are there
	registers   bool
	adds        bool
	neg         [2]bool
	transposed  [2]bool
	d, a, b     elements
	left        [64][256]uint64 // bits of what is stored
	right       [256][256]uint64
	acc         [64][256]uint64
	meta        [64][16]uint64 // nibbles by chunk
	selector    int
	numbers     [2][256][256]int64 // what the bits mean
	image       []byte
	descriptors [2]uint64
}

func newGroupCase(x *isa.Inst, r *rand.Rand, registers bool) *groupCase {
	types := x.Matrices()
	c := &groupCase{x: x, r: r, registers: registers, d: fragment(types[0]), a: fragment(types[1]), b: fragment(types[2]), width: types[1].Bits()}
	_, c.n, c.k = x.Shape()
	c.stored = c.k
	if c.sparse() {
		c.stored /= 2
	}
	draw := func(e elements) uint64 {
		if e.format() == nil {
			return low(r.Uint64(), e.width)
		}
		return e.bits(big.NewInt(int64(r.IntN(7) - 3)))
	}
	number := func(e elements, bits uint64) int64 {
		if c.width == 1 {
			return int64(bits)
		}
		return e.value(bits, 0)
	}
	for i := range 64 {
		for k := range c.stored {
			c.left[i][k] = draw(c.a)
			c.numbers[0][i][k] = number(c.a, c.left[i][k])
		}
		for j := range c.n {
			c.acc[i][j] = draw(c.d)
		}
		for chunk := range c.meta[i] {
			valid := []uint64{0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110}
			if c.width == 32 {
				valid = []uint64{0b0100, 0b1110}
			}
			c.meta[i][chunk] = valid[r.IntN(len(valid))]
		}
	}
	for k := range c.k {
		for j := range c.n {
			c.right[k][j] = draw(c.b)
			c.numbers[1][k][j] = number(c.b, c.right[k][j])
		}
	}
	c.adds = r.IntN(4) > 0
	if strings.Contains(x.Form.Syntax, "scaleA") {
		c.neg = [2]bool{r.IntN(2) == 0, r.IntN(2) == 0}
	}
	if strings.Contains(x.Form.Syntax, "transB") {
		c.transposed = [2]bool{!registers && r.IntN(2) == 0, r.IntN(2) == 0}
	}
	if c.sparse() && c.width >= 16 {
		c.selector = r.IntN(2)
	}
	c.lay(0, 64, c.stored, func(i, k int) uint64 { return c.left[i][k] })
	c.lay(1, c.n, c.k, func(j, k int) uint64 { return c.right[k][j] })
	return c
}

func (c *groupCase) sparse() bool { return c.x.Op == isa.OpWgmmaMmaAsyncSp }

// lay puts a matrix into the image of shared memory, in a layout that is drawn: strides
// by the canonical layouts, with T elements in 16 bytes, then the swizzle of 16 bytes.
func (c *groupCase) lay(which, rows, depth int, element func(row, k int) uint64) {
	t := 128 / c.width
	units := []int{1, 2, 4, 8}[c.r.IntN(4)] // 16 bytes in a line
	for !c.transposed[which] && units > 1 && units*t < depth {
		units *= 2
	}
	whole := func(n, of int) int { return (n + of - 1) / of }
	var lead, stride int // in elements
	var at func(row, k int) int
	extra := c.r.IntN(2) * 8 * t // strides need not be the least
	switch {
	case !c.transposed[which] && units == 1: // ((8,m),(T,2k)):((1T,SBO),(1,LBO))
		stride = 8*t + extra
		lead = whole(rows, 8)*stride + extra
		at = func(row, k int) int { return row%8*t + row/8*stride + k%t + k/t*lead }
	case !c.transposed[which]: // ((8,m),(T,2k)):((nT,SBO),(1,T))
		stride = 8*units*t + 8*extra
		at = func(row, k int) int { return row%8*units*t + row/8*stride + k }
	case units == 1: // ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))
		stride = 8*t + extra
		lead = whole(rows, t)*stride + extra
		at = func(row, k int) int { return row%t + row/t*stride + k%8*t + k/8*lead }
	default: // ((T,n,m),(8,k)):((1,T,LBO),(nT,SBO))
		lead = 8 * units * t * whole(depth, 8)
		stride = 8 * units * t
		at = func(row, k int) int {
			return row%t + row/t%units*t + row/(t*units)*lead + k%8*units*t + k/8*stride
		}
	}
	start := (len(c.image) + 1023) &^ 1023
	c.image = append(c.image, make([]byte, start-len(c.image))...)
	for row := range rows {
		for k := range depth {
			bit := at(row, k) * c.width
			unit := start/16 + bit/128
			unit ^= unit >> 3 % units
			place := unit*16 + bit/8%16
			for len(c.image) <= place+8 {
				c.image = append(c.image, 0)
			}
			word := binary.LittleEndian.Uint64(c.image[place:])
			binary.LittleEndian.PutUint64(c.image[place:], word|element(row, k)<<(bit%8))
		}
	}
	mode := map[int]uint64{1: 0, 2: 3, 4: 2, 8: 1}[units]
	field := func(elements int) uint64 { return uint64(elements*c.width/8) >> 4 & 0x3fff }
	c.descriptors[which] = uint64(start)>>4 | field(lead)<<16 | field(stride)<<32 | mode<<62
}

// column returns where a stored element of a row of a belongs.
func (c *groupCase) column(row, n int) int {
	if !c.sparse() {
		return n
	}
	if c.width == 32 {
		return 2*n + map[uint64]int{0b0100: 0, 0b1110: 1}[c.meta[row][n]]
	}
	return n/2*4 + int(c.meta[row][n/2]>>(n%2*2)&3)
}

// metadata returns what a lane of a warp has of it: chunks of rows 16 to a warp.
func (c *groupCase) metadata(warp, lane int) (word uint64) {
	row := 16*warp + lane/4
	t := lane%4 - 2*c.selector
	for i := range 8 {
		switch {
		case c.width >= 16 && (t == 0 || t == 1): // four chunks of the row, and of that 8 below
			word |= c.meta[row+i/4*8][4*t+i%4] << (4 * i)
		case c.width == 8: // eight chunks of one row
			word |= c.meta[row+t%2*8][t/2*8+i] << (4 * i)
		}
	}
	if c.width >= 16 && t != 0 && t != 1 {
		return c.r.Uint64() & 0xffffffff // nobody reads it
	}
	return word
}

// want returns element i,j of the result.
func (c *groupCase) want(i, j int) uint64 {
	var total int64
	for n := range c.stored { // of small numbers, or bits: no overflow
		total += c.numbers[0][i][n] * c.numbers[1][c.column(i, n)][j]
	}
	if c.neg[0] != c.neg[1] {
		total = -total
	}
	if c.adds {
		total += c.d.value(c.acc[i][j], 0)
	}
	sum := big.NewInt(total)
	if c.x.Has(isa.ModSatfinite) {
		sum = clamped(isa.S32, sum)
	}
	return c.d.bits(sum)
}

// registersOf is how many registers of a thread have its part of d.
func (c *groupCase) registersOf() int { return c.n * 64 / 128 / c.d.perRegister }

// place returns the row and column of part e of register r of d.
func (c *groupCase) place(thread, r, e int) (row, col int) {
	lane, i := thread%32, r*c.d.perRegister+e
	return thread/32*16 + lane/4 + i/2%2*8, i/4*8 + lane%4*2 + i%2
}

// inputs are the words of a thread: a, d, metadata.
func (c *groupCase) inputs(thread int) (words []uint32) {
	lane := thread % 32
	per := 32 / c.width
	for r := range 4 {
		word := uint64(0)
		for e := range per {
			k := r/2*4*per + lane%4*per + e
			word |= c.left[thread/32*16+lane/4+r%2*8][k] << (e * c.width)
		}
		words = append(words, uint32(word))
	}
	for r := range c.registersOf() {
		word := uint64(0)
		for e := range c.d.perRegister {
			i, j := c.place(thread, r, e)
			word |= c.acc[i][j] << (e * c.d.width)
		}
		words = append(words, uint32(word))
	}
	meta := uint64(0)
	if c.sparse() {
		meta = c.metadata(thread/32, lane)
	}
	return append(words, uint32(meta), uint32(truth(c.adds)))
}

// text is the program: each thread copies shared memory, loads its words, multiplies.
func (c *groupCase) text() string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, format+"\n", args...) }
	n := c.registersOf()
	typ := "b32"
	if c.d.typ == isa.F32 {
		typ = "f32"
	}
	line(".version 8.4\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{")
	line(".shared .align 1024 .b8 shared[%d];", len(c.image))
	line(".reg .b64 image, in, out, da, db, p; .reg .b32 t, at, s, w; .reg .b32 a<4>; .reg .%s d<%d>; .reg .b32 meta; .reg .pred more, adds;", typ, n)
	line("ld.param.u64 image, [p0]; ld.param.u64 in, [p1]; ld.param.u64 out, [p2];")
	line("mov.u32 t, %%tid.x; mul.lo.u32 at, t, 4; mov.u32 s, shared;")
	line("COPY: cvt.u64.u32 p, at; add.u64 p, p, image; ld.global.b32 w, [p]; add.u32 w, w, 0; { .reg .b32 to; add.u32 to, s, at; st.shared.b32 [to], w; }")
	line("add.u32 at, at, 512; setp.lt.u32 more, at, %d; @more bra COPY;", len(c.image))
	line("bar.sync 0;\nfence.proxy.async;")
	line("mad.wide.u32 in, t, %d, in; mad.wide.u32 out, t, %d, out;", 4*(n+6), 4*n)
	for i := range 4 {
		line("ld.global.b32 a%d, [in+%d];", i, 4*i)
	}
	var list []string
	for i := range n {
		line("ld.global.%s d%d, [in+%d];", typ, i, 4*(4+i))
		list = append(list, fmt.Sprintf("d%d", i))
	}
	line("ld.global.b32 meta, [in+%d]; ld.global.b32 w, [in+%d]; setp.ne.u32 adds, w, 0;", 4*(n+4), 4*(n+5))
	line("mov.b64 da, %#x; mov.b64 db, %#x;", c.descriptors[0], c.descriptors[1])
	line("wgmma.fence.sync.aligned;")
	operands := []string{"{" + strings.Join(list, ", ") + "}", "da", "db"}
	if c.registers {
		operands[1] = "{a0, a1, a2, a3}"
	}
	if c.sparse() {
		operands = append(operands, "meta", fmt.Sprint(c.selector))
	}
	operands = append(operands, "adds")
	scale := map[bool]string{false: "1", true: "-1"}
	if strings.Contains(c.x.Form.Syntax, "scaleA") {
		operands = append(operands, scale[c.neg[0]], scale[c.neg[1]])
	}
	if strings.Contains(c.x.Form.Syntax, "transB") {
		for i, transposed := range c.transposed {
			if i > 0 || !c.registers {
				operands = append(operands, fmt.Sprint(truth(transposed)))
			}
		}
	}
	line("%s %s;", c.x.Opcode, strings.Join(operands, ", "))
	line("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;")
	for i := range n {
		line("st.global.%s [out+%d], d%d;", typ, 4*i, i)
	}
	line("ret;\n}")
	return s.String()
}

// run runs the program and compares.
func (c *groupCase) run(t *testing.T) {
	t.Helper()
	for len(c.image)%512 != 0 {
		c.image = append(c.image, 0)
	}
	text := c.text()
	n := c.registersOf()
	var in []byte
	for thread := range 128 {
		for _, word := range c.inputs(thread) {
			in = binary.LittleEndian.AppendUint32(in, word)
		}
	}
	out := runGroup(t, text, c.image, in, 4*n*128)
	for thread := range 128 {
		for r := range n {
			got := binary.LittleEndian.Uint32(out[4*(thread*n+r):])
			for e := range c.d.perRegister {
				i, j := c.place(thread, r, e)
				if have, want := low(uint64(got)>>(e*c.d.width), c.d.width), c.want(i, j); have != want {
					t.Fatalf("%s: row %d, column %d is %#x, want %#x\n%s", c.x.Opcode, i, j, have, want, text)
				}
			}
		}
	}
}

// runGroup runs a kernel of three buffers with 128 threads, or with a pair of CTAs if it has
// such instructions, and returns the last.
func runGroup(t *testing.T, text string, image, in []byte, bytes int) []byte {
	t.Helper()
	src, err := parser.Parse("group.ptx", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	mod, err := ir.Lower(src)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	m := NewMachine(1 << 30)
	var params []byte
	var last *Buffer
	for i, data := range [][]byte{image, in, make([]byte, bytes)} {
		at := uint64(0x7f0000000000 + i<<32)
		b, err := m.Memory.AddBuffer(fmt.Sprint("b", i), at, int64(len(data)), nil, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Write(data, 0); err != nil {
			t.Fatal(err)
		}
		params, last = binary.LittleEndian.AppendUint64(params, at), b
	}
	if err := m.Load(mod); err != nil {
		t.Fatal(err)
	}
	prog, err := m.Compile(t.Context(), mod.Kernels()[0], Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	cfg := LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{128, 1, 1}, Params: params, Workers: 1, MaxInstructions: 1 << 30}
	if strings.Contains(text, "cta_group::2") {
		cfg.Grid[0], cfg.Cluster = 2, [3]uint32{2, 1, 1}
	}
	if _, err := m.Launch(context.Background(), prog, cfg); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out := make([]byte, bytes)
	if err := last.Read(out, 0); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestGroupProducts proves every spelling of wgmma.mma_async and .sp, with A in
// registers and in shared memory.
func TestGroupProducts(t *testing.T) {
	for _, f := range isa.Forms() {
		if !slices.Contains([]isa.Op{isa.OpWgmmaMmaAsync, isa.OpWgmmaMmaAsyncSp}, f.Op) {
			continue
		}
		t.Run(strings.ReplaceAll(f.Syntax, " ", "_"), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(f.Index), 77))
			spellings := spellingsOf(f)
			if len(spellings) == 0 {
				t.Fatal("no spelling leads to this row")
			}
			for i, x := range spellings {
				if testing.Short() && i%7 > 0 {
					continue
				}
				for _, registers := range []bool{true, false} {
					newGroupCase(x, r, registers).run(t)
				}
			}
		})
	}
}
