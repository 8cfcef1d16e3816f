package emulator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"hyptx/ir/isa"
)

// Tensor memory (PTX ISA 9.7.18), spelling by spelling: a program of a warpgroup fills it
// with given words, a lane to a thread, does something, and writes down what it finds.

// randomCells are words of columns of all lanes.
func randomCells(r *rand.Rand, columns int) (cells []uint32) {
	for range 128 * columns {
		cells = append(cells, r.Uint32())
	}
	return cells
}

// holder says which register of which thread has a column of a lane, of 16 or 32, as the
// manual's figures 183 to 187 show them; half is the second access of .16x32bx2.
func holder(shape string, lane, column int, half bool) (thread, register int) {
	switch shape {
	case "16x32bx2":
		if half {
			return 16 + lane, column
		}
		return lane, column
	case "16x64b":
		return lane%8*4 + lane/8*2 + column%2, column / 2
	case "16x128b":
		return lane%8*4 + column%4, column/4*2 + lane/8
	case "16x256b":
		return lane%8*4 + column%8/2, column/8*4 + lane/8*2 + column%2
	}
	return lane, column
}

// moved is a piece of tensor memory that an instruction moves.
type moved struct {
	x            *isa.Inst
	shape        string
	lanes, width int // width in columns, before two are packed
	registers    int
	packed       bool
	split, at    int // columns
	upper        bool
}

func newMoved(x *isa.Inst, r *rand.Rand) *moved {
	m := &moved{x: x, lanes: 16, at: r.IntN(4), upper: r.IntN(2) == 0}
	times := 0
	for _, mod := range x.Mods {
		switch word := mod.String(); {
		case strings.HasPrefix(word, "16x"), strings.HasPrefix(word, "32x"):
			m.shape = word
		case strings.HasPrefix(word, "x"):
			times, _ = strconv.Atoi(word[1:])
		case strings.HasSuffix(word, "pack::16b"):
			m.packed = true
		}
	}
	per := map[string]int{"16x64b": 2, "16x128b": 4, "16x256b": 8}[m.shape]
	m.width = max(per, 1) * times
	m.registers = max(per/2, 1) * times
	if m.shape == "32x32b" {
		m.lanes, m.upper = 32, false
	}
	if m.shape == "16x32bx2" {
		m.split = m.span() + r.IntN(3)
	}
	return m
}

// span are the columns that one access takes.
func (m *moved) span() int {
	if m.packed {
		return 2 * m.width
	}
	return m.width
}

// columns is how many a program needs.
func (m *moved) columns() int { return m.at + m.split + m.span() }

// each goes through all columns of all lanes that are moved, and who has them.
func (m *moved) each(visit func(warp, cell, thread, register int)) {
	for warp := range 4 {
		for lane := range m.lanes {
			for column := range m.width {
				for half := range 2 {
					if half == 1 && m.shape != "16x32bx2" {
						continue
					}
					thread, register := holder(m.shape, lane, column, half == 1)
					at := column
					if m.packed {
						at *= 2
					}
					row := warp*32 + lane
					if m.upper {
						row += 16
					}
					visit(warp, row*m.columns()+m.at+half*m.split+at, thread, register)
				}
			}
		}
	}
}

func (m *moved) text(list string) string {
	address := m.at
	if m.upper {
		address += 16 << 16
	}
	split := ""
	if m.shape == "16x32bx2" {
		split = fmt.Sprintf(", %d", m.split)
	}
	if m.x.IsStore() || m.x.Form.Tensor == isa.Writes {
		return fmt.Sprintf("%s [mine+%d]%s, {%s};", m.x.Opcode, address, split, list)
	}
	return fmt.Sprintf("%s {%s}, RED[mine+%d]%s;", m.x.Opcode, list, address, split)
}

func registerList(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint("r", i))
	}
	return strings.Join(list, ", ")
}

// TestTensorMoves proves every spelling of tcgen05.ld, .ld.red and .st.
func TestTensorMoves(t *testing.T) {
	for _, f := range isa.Forms() {
		if f.Op != isa.OpTcgen05Ld && f.Op != isa.OpTcgen05LdRed && f.Op != isa.OpTcgen05St {
			continue
		}
		t.Run(strings.ReplaceAll(f.Syntax, " ", "_"), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(f.Index), 5))
			proven := 0
			for i, x := range spellingsOf(f) {
				m := newMoved(x, r)
				if m.registers > 128 || m.columns() > 512 || testing.Short() && i%5 > 0 {
					continue
				}
				m.prove(t, r)
				proven++
			}
			if proven == 0 {
				t.Error("no spelling leads to this row")
			}
		})
	}
}

func (m *moved) prove(t *testing.T, r *rand.Rand) {
	t.Helper()
	p := &tensorProgram{columns: m.columns(), declare: fmt.Sprintf(".reg .b32 r<%d>, red;", m.registers), ptx: 900, target: "sm_100a"}
	p.cells = randomCells(r, p.columns)
	if m.x.Form.Tensor == isa.Writes {
		for i := range m.registers { // word i of thread t is (1000t + i) * an odd number
			p.op += fmt.Sprintf("mad.lo.u32 r%d, t, 1000, %d; mul.lo.u32 r%d, r%d, 2654435761;\n", i, i, i, i)
		}
		p.op += m.text(registerList(m.registers)) + " tcgen05.wait::st.sync.aligned;"
		want := append([]uint32(nil), p.cells...)
		m.each(func(warp, cell, thread, register int) {
			word := uint32(1000*(32*warp+thread)+register) * 2654435761
			if want[cell] = word; m.packed {
				want[cell], want[cell+1] = word&0xffff, word>>16
			}
		})
		got, _ := p.run(t)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s: lane %d, column %d is %#x, want %#x", m.x.Opcode, i/p.columns, i%p.columns, got[i], want[i])
			}
		}
		return
	}
	red := m.x.Op == isa.OpTcgen05LdRed
	text := strings.ReplaceAll(m.text(registerList(m.registers)), "RED", map[bool]string{true: "red, "}[red])
	if p.words = m.registers; red {
		p.target = "sm_103a"
		p.words++
		if m.x.Type() == isa.F32 {
			p.declare = fmt.Sprintf(".reg .f32 r<%d>, red;", m.registers)
			special := []uint32{0, 1 << 31, 0x7fc00000, 0xffc00001, 0x7f800000, 0xff800000, 1, 0x80000001}
			for i := range p.cells {
				if r.IntN(3) == 0 {
					p.cells[i] = special[r.IntN(len(special))]
				}
			}
		}
	}
	p.op = text + " tcgen05.wait::ld.sync.aligned;\n"
	for i := range m.registers {
		p.op += fmt.Sprintf("st.global.b32 [out+%d], r%d;\n", 4*i, i)
	}
	if red {
		p.op += fmt.Sprintf("st.global.b32 [out+%d], red;\n", 4*m.registers)
	}
	_, words := p.run(t)
	loaded := make([][]uint32, 128)
	m.each(func(warp, cell, thread, register int) {
		word := p.cells[cell]
		if m.packed {
			word = word&0xffff | p.cells[cell+1]<<16
		}
		thread += 32 * warp
		loaded[thread] = append(loaded[thread], word)
		if got := words[thread*p.words+register]; got != word {
			t.Fatalf("%s: register %d of thread %d is %#x, want %#x", m.x.Opcode, register, thread, got, word)
		}
	})
	for thread := range loaded {
		if !red {
			break
		}
		if got, want := words[thread*p.words+m.registers], m.reduced(loaded[thread]); got != want {
			t.Fatalf("%s: of %#x in thread %d comes %#x, want %#x", m.x.Opcode, loaded[thread], thread, got, want)
		}
	}
}

// reduced is the least or the greatest number (PTX ISA 9.7.18.8.3, 9.7.3.11).
func (m *moved) reduced(words []uint32) uint32 {
	has := func(word string) bool { return strings.Contains(m.x.Opcode+".", "."+word+".") }
	if m.x.Type() != isa.F32 {
		best := number(m.x.Type(), uint64(words[0]))
		for _, w := range words {
			if v := number(m.x.Type(), uint64(w)); v.Cmp(best) < 0 == has("min") && v.Cmp(best) != 0 {
				best = v
			}
		}
		return uint32(cut(best, 32))
	}
	var best float64
	found, lost := false, false
	for _, w := range words {
		v := float64(math.Float32frombits(w))
		if has("abs") {
			v = math.Abs(v)
		}
		switch {
		case v != v:
			lost = true
		case !found:
			best, found = v, true
		case has("min"):
			best = math.Min(best, v)
		default:
			best = math.Max(best, v)
		}
	}
	if !found || lost && has("NaN") {
		return 0x7fffffff
	}
	return math.Float32bits(float32(best))
}
