package emulator

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// spcompress, spdecompress and tcgen05.ld.spcompress (PTX ISA 9.7.10.30, .31, 9.7.18.8.3),
// from the words of the manual: of a group any two may be kept than which no other is better;
// of NaN nothing is said.

var compressReferences = map[isa.Op]laneReference{isa.OpSpcompress: compressed, isa.OpSpdecompress: decompressed}

// modifierNumber is the number in a modifier like x4.
func modifierNumber(x *isa.Inst, format string) (n int) {
	for _, m := range x.Mods {
		fmt.Sscanf(m.String(), format, &n)
	}
	return n
}

// stringOf is what registers hold, the lowest bit first.
func stringOf(regs []uint64) string {
	var s strings.Builder
	for _, r := range regs {
		for bit := range 32 {
			s.WriteByte('0' + byte(r>>bit&1))
		}
	}
	return s.String()
}

// fieldOf is field i of so many bits of such a string.
func fieldOf(s string, i, bits int) (v uint64) {
	for k := range bits {
		v |= uint64(s[i*bits+k]-'0') << k
	}
	return v
}

// valued is an element as a number: ok is false of a NaN.
func valued(t isa.Type, v uint64, abs bool) (n *big.Rat, ok bool) {
	var r real
	switch t {
	case isa.U8, isa.S8:
		n = new(big.Rat).SetInt(number(t, v))
		if abs {
			n.Abs(n)
		}
		return n, true
	case isa.F16, isa.BF16, isa.F32:
		r = realOf(*formatOf(t), v)
	default:
		r = narrowFormats[t].real(t, v)
	}
	if r.inf {
		r.size = softfloat.Pow2(1000)
	}
	if n = new(big.Rat).Set(r.size); r.neg && !abs {
		n.Neg(n)
	}
	return n, !r.nan
}

// choices are the pairs of places of a group that may be kept.
func choices(t isa.Type, group [4]uint64, least, abs bool) (all [][2]int) {
	var n [4]*big.Rat
	for i, v := range group {
		var ok bool
		if n[i], ok = valued(t, v, abs); !ok {
			n[0] = nil
			break
		}
	}
	for i := range 4 {
		for j := i + 1; j < 4; j++ {
			fine := true
			for other := range 4 {
				for _, kept := range [2]int{i, j} {
					if n[0] != nil && other != i && other != j && (n[other].Cmp(n[kept]) > 0) != least && n[other].Cmp(n[kept]) != 0 {
						fine = false
					}
				}
			}
			if fine {
				all = append(all, [2]int{i, j})
			}
		}
	}
	return all
}

// keptOutcomes are those of the indices and of what is kept, register by register, each of
// which has whole groups. They belong together; that they do is not held here.
func keptOutcomes(t isa.Type, data []uint64, element, index int, least, abs bool) (indices, kept []outcome) {
	s := stringOf(data)
	var groups [][4]uint64
	for g := range len(s) / (4 * element) {
		var group [4]uint64
		for i := range group {
			group[i] = fieldOf(s, 4*g+i, element)
		}
		groups = append(groups, group)
	}
	registers := func(bits int, field func(group [4]uint64, place int) uint64) (out []outcome) {
		per := max(32/(2*bits), 1)
		for part := range slices.Chunk(groups, per) {
			out = append(out, outcome{allows: func(got uint64) bool {
				for _, group := range part {
					fits := func(c [2]int) bool {
						return low(got, 2*bits) == field(group, c[0])|field(group, c[1])<<bits
					}
					if !slices.ContainsFunc(choices(t, group, least, abs), fits) {
						return false
					}
					got >>= 2 * bits
				}
				return got == 0
			}})
		}
		return out
	}
	return registers(index, func(_ [4]uint64, place int) uint64 { return uint64(place) }),
		registers(element, func(group [4]uint64, place int) uint64 { return group[place] })
}

func compressed(x *isa.Inst, in []uint64) []outcome {
	element, index, desc := 8, 2, in[len(in)-1]
	types := []isa.Type{isa.U8, isa.S8, isa.E5M2, isa.E4M3, isa.E3M2, isa.E2M3}
	if has(x, "b16") {
		element, types = 16, []isa.Type{isa.F16, isa.BF16}
	}
	if has(x, "b4") {
		index = 4
	}
	indices, kept := keptOutcomes(types[desc>>2], in[:len(in)-1], element, index, desc&2 != 0, desc&1 != 0)
	return append(indices, kept...)
}

// decompressed puts what is kept at its places among zeros; where two have one place, or one
// has none, nothing is said.
func decompressed(x *isa.Inst, in []uint64) (out []outcome) {
	element, index := 8, 2
	if has(x, "b16") {
		element = 16
	}
	if has(x, "b4") {
		index = 4
	}
	var keep, of int
	for _, m := range x.Mods {
		fmt.Sscanf(m.String(), "sp::%d:%d", &keep, &of)
	}
	groups := modifierNumber(x, "x%d")
	words := (groups*keep*index + 31) / 32
	places, kept := stringOf(in[:words]), stringOf(in[words:])
	data := make([]uint64, groups*of)
	said := make([]bool, groups*of)
	for g := range groups {
		seen := map[uint64]bool{}
		fine := true
		for k := range keep {
			place := fieldOf(places, g*keep+k, index)
			fine = fine && !seen[place] && place < uint64(of)
			if seen[place] = true; fine {
				data[g*of+int(place)] = fieldOf(kept, g*keep+k, element)
			}
		}
		for i := range of {
			said[g*of+i] = fine
		}
	}
	per := 32 / element
	for first := 0; first < len(data); first += per {
		out = append(out, outcome{allows: func(got uint64) bool {
			for i := first; i < first+per; i++ {
				if said[i] && low(got, element) != data[i] {
					return false
				}
				got >>= element
			}
			return got == 0
		}})
	}
	return out
}

// TestTensorCompress proves every spelling of tcgen05.ld.spcompress and .ld.red.spcompress.
func TestTensorCompress(t *testing.T) {
	for _, f := range isa.Forms() {
		if f.Op != isa.OpTcgen05LdSpcompress && f.Op != isa.OpTcgen05LdRedSpcompress {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(f.Index), 5))
		for _, x := range spellingsOf(f) {
			proveTensorCompress(t, x, r)
		}
	}
}

func proveTensorCompress(t *testing.T, x *isa.Inst, r *rand.Rand) {
	t.Helper()
	n := modifierNumber(x, "x%d")
	words, kept := (n+31)/32, n/2
	p := &tensorProgram{columns: n, ptx: 904, target: "sm_107a", words: words + kept, declare: fmt.Sprintf(".reg .b32 r<%d>; .reg .f32 red;", words+kept)}
	p.cells = randomCells(r, n)
	for i := range p.cells {
		if r.IntN(3) == 0 {
			p.cells[i] = uint32(softfloat.F32.Operand(r))
		}
	}
	red, list := "", strings.Split(registerList(words+kept), ", ")
	if x.Op == isa.OpTcgen05LdRedSpcompress {
		red, p.words = "red, ", p.words+1
	}
	p.op = fmt.Sprintf("%s {%s}, {%s}, %s[mine]; tcgen05.wait::ld.sync.aligned;\n", x.Opcode, strings.Join(list[:words], ", "), strings.Join(list[words:], ", "), red)
	for i := range words + kept {
		p.op += fmt.Sprintf("st.global.b32 [out+%d], r%d;\n", 4*i, i)
	}
	if red != "" {
		p.op += fmt.Sprintf("st.global.b32 [out+%d], red;\n", 4*(words+kept))
	}
	_, got := p.run(t)
	for thread := range 128 {
		cells := p.cells[thread*n:][:n]
		data := make([]uint64, n)
		for i, c := range cells {
			data[i] = uint64(c)
		}
		indices, values := keptOutcomesF32(data, has(x, "min"), has(x, "abs"))
		for i, o := range append(indices, values...) {
			if v := uint64(got[thread*p.words+i]); !o.holds(v) {
				t.Fatalf("%s: register %d of thread %d is %#x, of %#x", x.Opcode, i, thread, v, cells)
			}
		}
		if red == "" {
			continue
		}
		m := &moved{x: x}
		if v, want := got[thread*p.words+words+kept], m.reduced(cells); v != want {
			t.Fatalf("%s: of %#x in thread %d comes %#x, want %#x", x.Opcode, cells, thread, v, want)
		}
	}
}

// keptOutcomesF32 are those of numbers of 32 bits, of which a group keeps two registers.
func keptOutcomesF32(data []uint64, least, abs bool) (indices, kept []outcome) {
	indices, _ = keptOutcomes(isa.F32, data, 32, 2, least, abs)
	for group := range slices.Chunk(data, 4) {
		all := choices(isa.F32, [4]uint64(group), least, abs)
		for n := range 2 {
			kept = append(kept, outcome{allows: func(got uint64) bool {
				return slices.ContainsFunc(all, func(c [2]int) bool { return group[c[n]] == got })
			}})
		}
	}
	return indices, kept
}
