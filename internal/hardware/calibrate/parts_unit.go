package calibrate

import (
	"fmt"
	"strings"
)

// tensorChains are the accumulators of a part that multiplies matrices.
const tensorChains = 4

// tensor is a part of matrix products of halves: its instruction's shape, the
// words of accumulators and fragments, and its multiply-adds a warp. A holds
// halves from 1 to 2, B from -2 to 2, other ones in each lane.
func tensor(name, shape string, minCC, words, a, b, multiplyAdds int) part {
	d := strings.Join(suffixed("{x}", words), ", ")
	p := part{
		name: name, chains: tensorChains, minCC: minCC, work: []string{"mma.sync"}, each: 2 * float64(multiplyAdds) / warpLanes,
		rounds: one(fmt.Sprintf("mma.sync.aligned.%s.row.col.f32.f16.f16.f32 {%s}, {%s}, {%s}, {%s};", shape, d,
			strings.Join(numbered("{P}a", a), ", "), strings.Join(numbered("{P}b", b), ", "), d)),
		declare: []string{".reg .f32 " + laneRegs(tensorChains, words) + ";", fmt.Sprintf(".reg .b32 {P}a<%d>, {P}b<%d>;", a, b)},
	}
	p.once = append(fragment(numbered("{P}a", a), 40503, 0x03ff03ff), fragment(numbered("{P}b", b), 69069, 0x83ff83ff)...)
	for i, r := range suffixed("{x}", words) {
		p.start = append(p.start, fmt.Sprintf("cvt.rn.f32.u32 %s, {t};", r))
		if i%2 == 1 {
			p.start = append(p.start, fmt.Sprintf("neg.f32 %s, %s;", r, r))
		}
		p.fold = append(p.fold, fmt.Sprintf("mov.b32 {fold}, %s;", r), "xor.b32 {sink}, {sink}, {fold};")
	}
	return p
}

// fragment fills registers with pairs of halves of exponent 0, whose other bits
// are those of keep.
func fragment(regs []string, salt int, keep uint32) (out []string) {
	for i, r := range regs {
		out = append(out, fmt.Sprintf("mad.lo.u32 %s, {t}, 1640531527, %d;", r, salt*(i+1)),
			fmt.Sprintf("and.b32 %s, %s, %#x;", r, r, keep), fmt.Sprintf("or.b32 %s, %s, 0x3c003c00;", r, r))
	}
	return out
}

// numbered are the names base0, base1, ...; suffixed basea, baseb, ...
func numbered(base string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint(base, i))
	}
	return out
}

func suffixed(base string, n int) (out []string) {
	for _, c := range "abcdefgh"[:n] {
		out = append(out, base+string(c))
	}
	return out
}

// laneRegs names the words of each chain.
func laneRegs(chains, words int) string {
	var list []string
	for i := range chains {
		list = append(list, suffixed(fmt.Sprintf("{P}x%d", i), words)...)
	}
	return strings.Join(list, ", ")
}

// branchParts part the lanes of a warp in each step: those whose bit of the
// lane's number is set multiply, the others add whole numbers. Both sides are
// long enough that no compiler makes them predicated.
var branchParts = []part{
	branch("branch_lanes", 1), // every second lane
	branch("branch_half", 16), // the upper half
}

// branchSide is how many instructions a side of a branch has.
const branchSide = 16

func branch(name string, bit int) part {
	step := []string{"@{P}odd bra {P}else{k};"}
	for range branchSide / 2 { // x + s + s would be one multiplication
		step = append(step, "add.u32 {x}, {x}, {P}step;", "xor.b32 {P}step, {P}step, {x};")
	}
	step = append(step, "bra.uni {P}join{k};", "{P}else{k}:")
	for range branchSide {
		step = append(step, "fma.rn.f32 {P}f, {P}f, {P}f, {P}c;")
	}
	step = append(step, "{P}join{k}:")
	return part{
		name: name, reg: "u32", chains: 2, low: 1, high: 1 << 30, rounds: [][]string{step}, work: []string{"fma.rn.f32", "add.u32", "xor.b32"}, each: 1,
		declare: []string{".reg .pred {P}odd;", ".reg .b32 {P}bit, {P}step;", ".reg .f32 {P}f, {P}c;"},
		once: []string{
			fmt.Sprintf("and.b32 {P}bit, {lane}, %d;", bit), "setp.ne.u32 {P}odd, {P}bit, 0;", "add.u32 {P}step, {t}, 77;",
			"cvt.rn.f32.u32 {P}f, {lane};", "mul.rn.f32 {P}f, {P}f, " + literal("f32", 1./32) + ";",
			"cvt.rn.f32.u32 {P}c, {z};", "add.rn.f32 {P}c, {P}c, " + literal("f32", -1.8) + ";",
		},
		fold: []string{"xor.b32 {sink}, {sink}, {x};", "mov.b32 {fold}, {P}f;", "add.u32 {sink}, {sink}, {fold};"},
	}
}
