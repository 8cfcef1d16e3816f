package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hyptx/ir/isa"
)

// position gives the row and column of element i of a lane's fragment.
type position func(lane, i int) (row, col int)

// fragmentTest is an mma shape with the manual's formulas for its fragments
// (PTX ISA 9.7.16.5.1 to .14, written out for each shape) and the numbers of
// elements a lane holds.
type fragmentTest struct {
	name       string
	m          Matrix
	a, b, c    position
	na, nb, nc int
}

// c16 and c8 are the accumulators of the shapes with 16 and 8 rows.
func c16(lane, i int) (int, int) { return lane>>2 + i/2*8, lane%4*2 + i&1 }
func c8(lane, i int) (int, int)  { return lane >> 2, lane%4*2 + i&1 }

// pickRow returns g for the elements of the first row, g+8 otherwise.
func pickRow(lane int, first bool) int {
	if first {
		return lane >> 2
	}
	return lane>>2 + 8
}

func upper(lane int) int { return lane / 16 * 4 }

var fragmentTests = []fragmentTest{
	{"m16n8k16.f16", Matrix{M: 16, K: 16, D: isa.F32, A: isa.F16, B: isa.F16, C: isa.F32},
		func(l, i int) (int, int) {
			col := l%4*2 + i&1
			if i >= 4 {
				col += 8
			}
			return pickRow(l, i < 2 || 4 <= i && i < 6), col
		},
		func(l, i int) (int, int) {
			row := l%4*2 + i&1
			if i >= 2 {
				row += 8
			}
			return row, l >> 2
		}, c16, 8, 4, 4},
	{"m16n8k8.f16", Matrix{M: 16, K: 8, D: isa.F16, A: isa.F16, B: isa.F16, C: isa.F16},
		func(l, i int) (int, int) { return pickRow(l, i < 2), l%4*2 + i&1 },
		func(l, i int) (int, int) { return l%4*2 + i, l >> 2 }, c16, 4, 2, 4},
	{"m16n8k8.tf32", Matrix{M: 16, K: 8, D: isa.F32, A: isa.TF32, B: isa.TF32, C: isa.F32},
		func(l, i int) (int, int) { return pickRow(l, i == 0 || i == 2), l%4 + i/2*4 },
		func(l, i int) (int, int) { return l%4 + i*4, l >> 2 }, c16, 4, 2, 4},
	{"m16n8k4.tf32", Matrix{M: 16, K: 4, D: isa.F32, A: isa.TF32, B: isa.TF32, C: isa.F32},
		func(l, i int) (int, int) { return pickRow(l, i == 0), l % 4 },
		func(l, i int) (int, int) { return l % 4, l >> 2 }, c16, 2, 1, 4},
	{"m8n8k4.f64", Matrix{M: 8, K: 4, D: isa.F64, A: isa.F64, B: isa.F64, C: isa.F64},
		func(l, i int) (int, int) { return l >> 2, l % 4 },
		func(l, i int) (int, int) { return l % 4, l >> 2 }, c8, 1, 1, 2},
	{"m16n8k16.f64", Matrix{M: 16, K: 16, D: isa.F64, A: isa.F64, B: isa.F64, C: isa.F64},
		func(l, i int) (int, int) {
			if i%2 == 0 {
				return pickRow(l, true), i*2 + l%4
			}
			return pickRow(l, false), i*2 - 2 + l%4
		},
		func(l, i int) (int, int) { return l%4 + i*4, l >> 2 }, c16, 8, 4, 4},
	{"m8n8k16.s8", Matrix{M: 8, K: 16, D: isa.S32, A: isa.S8, B: isa.S8, C: isa.S32},
		func(l, i int) (int, int) { return l >> 2, l%4*4 + i },
		func(l, i int) (int, int) { return l%4*4 + i, l >> 2 }, c8, 4, 4, 2},
	{"m16n8k32.s8", Matrix{M: 16, K: 32, D: isa.S32, A: isa.S8, B: isa.U8, C: isa.S32},
		func(l, i int) (int, int) {
			col := l%4*4 + i&3
			if i >= 8 {
				col += 16
			}
			return pickRow(l, i < 4 || 8 <= i && i < 12), col
		},
		func(l, i int) (int, int) {
			row := l%4*4 + i&3
			if i >= 4 {
				row += 16
			}
			return row, l >> 2
		}, c16, 16, 8, 4},
	{"m16n8k64.s4", Matrix{M: 16, K: 64, SubByte: 4, D: isa.S32, A: isa.S8, B: isa.S8, C: isa.S32},
		func(l, i int) (int, int) {
			col := l%4*8 + i&7
			if i >= 16 {
				col += 32
			}
			return pickRow(l, i < 8 || 16 <= i && i < 24), col
		},
		func(l, i int) (int, int) {
			row := l%4*8 + i&7
			if i >= 8 {
				row += 32
			}
			return row, l >> 2
		}, c16, 32, 16, 4},
}

// TestMMAFragments multiplies small integers, which every type holds exactly,
// through the manual's layouts.
func TestMMAFragments(t *testing.T) {
	for _, f := range fragmentTests {
		t.Run(f.name, func(t *testing.T) { checkMMA(t, f, 0, Width) })
	}
	for _, colA := range []bool{false, true} {
		for _, rowB := range []bool{false, true} {
			for _, acc := range []isa.Type{isa.F16, isa.F32} {
				t.Run(fmt.Sprintf("m8n8k4.f16/%v/%v/%v", colA, rowB, acc), func(t *testing.T) {
					f := quadTest(colA, rowB, acc)
					for q := range 4 {
						checkMMA(t, f, q, 8)
					}
				})
			}
		}
	}
}

// quadTest has the formulas of 9.7.16.5.1, for a quad pair's eight lanes with
// their numbers in the warp.
func quadTest(colA, rowB bool, acc isa.Type) fragmentTest {
	f := fragmentTest{m: Matrix{M: 8, K: 4, D: acc, A: isa.F16, B: isa.F16, C: acc, ColA: colA, RowB: rowB},
		na: 4, nb: 4, nc: 8}
	f.a = func(l, i int) (int, int) { return l%4 + upper(l), i }
	if colA {
		f.a = func(l, i int) (int, int) { return i%4 + upper(l), l % 4 }
	}
	f.b = func(l, i int) (int, int) { return i, l%4 + upper(l) }
	if rowB {
		f.b = func(l, i int) (int, int) { return l % 4, i + upper(l) }
	}
	f.c = func(l, i int) (int, int) { return l%4 + upper(l), i }
	if acc == isa.F32 {
		f.c = func(l, i int) (int, int) { return l&1 + i&2 + upper(l), i&4 + l&2 + i&1 }
	}
	return f
}

// checkMMA runs one product; with eight lanes, that of quad pair q.
func checkMMA(t *testing.T, f fragmentTest, q, nlanes int) {
	r := rand.New(rand.NewPCG(7, uint64(q)))
	lanes := make([]int, nlanes)
	for i := range lanes {
		lanes[i] = i
		if nlanes == 8 {
			lanes[i] = 4*q + i%4 + i/4*16
		}
	}
	a, b, c := matrix(r, f.m.M, f.m.K, f.m.A), matrix(r, f.m.K, 8, f.m.B), matrix(r, f.m.M, 8, f.m.C)
	ra, rb, rc, rd := fragmentRegs(), fragmentRegs(), fragmentRegs(), fragmentRegs()
	for _, l := range lanes {
		for i := range f.na {
			row, col := f.a(l, i)
			setElement(ra, f.m.A, f.m.SubByte, l, i, a[row][col])
		}
		for i := range f.nb {
			row, col := f.b(l, i)
			setElement(rb, f.m.B, f.m.SubByte, l, i, b[row][col])
		}
		for i := range f.nc {
			row, col := f.c(l, i)
			setElement(rc, f.m.C, 0, l, i, c[row][col])
		}
	}
	fn := MMA(f.m)
	if fn == nil {
		t.Fatal("no such mma")
	}
	fn(rd, ra, rb, rc, nil)
	want := fragmentRegs()
	for _, l := range lanes {
		for i := range f.nc {
			row, col := f.c(l, i)
			sum := c[row][col]
			for k := range f.m.K {
				sum += a[row][k] * b[k][col]
			}
			setElement(want, f.m.D, 0, l, i, sum)
		}
		for reg := range want {
			got, w := uint64(rd[reg][l]), uint64(want[reg][l])
			if f.m.D == isa.F64 {
				got, w = Wide(rd[reg])[l], Wide(want[reg])[l]
			}
			if got != w {
				t.Fatalf("lane %d register %d: %#x, want %#x", l, reg, got, w)
			}
		}
	}
}

// matrix draws integers that the type and, summed up, its accumulator hold.
func matrix(r *rand.Rand, rows, cols int, t isa.Type) [][]int {
	m := make([][]int, rows)
	for i := range m {
		m[i] = make([]int, cols)
		for j := range m[i] {
			m[i][j] = r.IntN(8)
			if t != isa.U8 && r.IntN(2) == 0 {
				m[i][j] = -m[i][j]
			}
		}
	}
	return m
}

func fragmentRegs() []*Slot {
	s := make([]*Slot, 8)
	for i := range s {
		s[i] = &(new([2]Slot)[0])
	}
	return s
}

// setElement writes the element i of a lane's fragment.
func setElement(regs []*Slot, t isa.Type, sub, lane, i, x int) {
	n := t.Bits()
	if sub != 0 {
		n = sub
	}
	var b uint64
	switch t {
	case isa.F16:
		b = uint64(f32ToF16(float32(x)))
	case isa.F32, isa.TF32:
		b = uint64(math.Float32bits(float32(x)))
	case isa.F64:
		Wide(regs[i])[lane] = math.Float64bits(float64(x))
		return
	default:
		b = uint64(x) & (1<<n - 1)
	}
	e := 32 / n
	regs[i/e][lane] |= uint32(b) << (i % e * n)
}
