package emulator

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hyptx/ir/isa"
)

// TestTensorCopies proves every spelling of tcgen05.cp.
func TestTensorCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, f := range isa.Forms() {
		if f.Op != isa.OpTcgen05Cp {
			continue
		}
		for _, x := range spellingsOf(f) {
			for range 4 {
				newTensorCopy(x, r).prove(t)
			}
		}
	}
}

// copyCase is a copy: what lies in the rows of each CTA's shared memory, and how many bits
// the numbers have that become bytes.
type copyCase struct {
	x          *isa.Inst
	rows, bits int
	pairs      string
	packed     int
	content    [2][][]byte
	program    tensorProgram
	at, lane   int
}

func newTensorCopy(x *isa.Inst, r *rand.Rand) *copyCase {
	c := &copyCase{x: x, at: r.IntN(3)}
	for _, mod := range x.Mods {
		word := mod.String()
		if n, _ := fmt.Sscanf(word, "%dx%db", &c.rows, &c.bits); n == 2 {
			continue
		}
		fmt.Sscanf(word, "b%dx16_p", &c.packed)
		if _, after, ok := strings.Cut(word, "warpx2::"); ok {
			c.pairs = after
		}
	}
	if c.rows == 4 {
		c.lane = r.IntN(32)
	}
	c.program = tensorProgram{pair: has(x, "cta_group::2"), columns: c.at + c.bits/32 + 1, declare: ".reg .b64 desc;", ptx: 900, target: "sm_100a"}
	sides := 1
	if c.program.pair {
		sides, c.program.issuer = 2, r.IntN(2)
	}
	seed, images, descriptor := r.Uint64(), [2][]byte{}, uint64(0)
	for side := range sides {
		c.content[side] = make([][]byte, c.rows)
		for i := range c.rows {
			for range c.bits / 8 {
				c.content[side][i] = append(c.content[side][i], byte(r.Uint32()))
			}
		}
		image := &groupCase{r: rand.New(rand.NewPCG(seed, 1)), width: 8}
		image.lay(0, c.rows, c.bits/8, func(row, k int) uint64 { return uint64(c.content[side][row][k]) })
		images[side], descriptor = image.image, image.descriptors[0]
	}
	c.program.image, c.program.second = images[0], images[1]
	c.program.cells = randomCells(r, sides*c.program.columns)
	c.program.op = fmt.Sprintf("mov.b64 desc, %#x; @one %s [base+%d], desc;", tensorDescriptor(descriptor), x.Opcode, c.at+c.lane<<16)
	return c
}

// row is the row of the content that a lane gets, if any: the first warp of a pair has the
// first half.
func (c *copyCase) row(lane int) (row int, ok bool) {
	warp := lane / 32
	switch {
	case c.rows == 4:
		return warp, lane%32 == c.lane
	case c.rows == 32:
		return lane % 32, true
	case c.pairs == "02_13":
		return lane%32 + map[int]int{0: 0, 1: 0, 2: 32, 3: 32}[warp], true
	case c.pairs == "01_23":
		return lane%32 + map[int]int{0: 0, 1: 32, 2: 0, 3: 32}[warp], true
	}
	return lane, true
}

// byte is a byte of a row as it comes: itself, or a number of 4 bits in the middle of a byte,
// of 6 in the lower bits, of those that stand packed at the beginning of 16 bytes.
func (c *copyCase) byte(row []byte, k int) (b byte) {
	if c.packed == 0 {
		return row[k]
	}
	for n := range c.packed {
		bit := k%16*c.packed + n
		b |= row[k/16*16+bit/8] >> (bit % 8) & 1 << n
	}
	if c.packed == 4 {
		b <<= 2
	}
	return b
}

func (c *copyCase) prove(t *testing.T) {
	t.Helper()
	p := &c.program
	got, _ := p.run(t)
	for cell, have := range got {
		lane, column := cell/p.columns, cell%p.columns
		want := p.cells[cell]
		if row, ok := c.row(lane % 128); ok && column >= c.at && column < c.at+c.bits/32 {
			var word [4]byte
			for k := range word {
				word[k] = c.byte(c.content[lane/128][row], 4*(column-c.at)+k)
			}
			want = binary.LittleEndian.Uint32(word[:])
		}
		if have != want {
			t.Fatalf("%s: lane %d, column %d is %#x, want %#x", c.x.Opcode, lane, column, have, want)
		}
	}
}

// TestTensorShifts proves every spelling of tcgen05.shift: of 32 lanes and 8 columns each
// lane gets what the next one had, and the last keeps its own.
func TestTensorShifts(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	for _, f := range isa.Forms() {
		if f.Op != isa.OpTcgen05Shift {
			continue
		}
		for _, x := range spellingsOf(f) {
			at, warp := r.IntN(3), r.IntN(4)
			p := &tensorProgram{pair: has(x, "cta_group::2"), columns: at + 10, ptx: 900, target: "sm_100a"}
			p.cells = randomCells(r, p.columns)
			if p.pair {
				p.cells = append(p.cells, randomCells(r, p.columns)...)
			}
			p.op = fmt.Sprintf("@one %s [base+%d];", x.Opcode, at+warp<<21)
			got, _ := p.run(t)
			for cell, have := range got {
				lane, column := cell/p.columns, cell%p.columns
				from := cell
				if lane%128/32 == warp && lane%32 != 31 && column >= at && column < at+8 {
					from += p.columns
				}
				if have != p.cells[from] {
					t.Fatalf("%s: lane %d, column %d is %#x, want %#x", x.Opcode, lane, column, have, p.cells[from])
				}
			}
		}
	}
}

// tensorDescriptor makes a descriptor of tcgen05 of one of wgmma (PTX ISA 9.7.18.4.1).
func tensorDescriptor(group uint64) uint64 {
	return group&(1<<46-1) | 1<<46 | map[uint64]uint64{0: 0, 1: 2, 2: 4, 3: 6}[group>>62]<<61
}
