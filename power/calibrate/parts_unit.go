package calibrate

import "fmt"

// tensorDeclare declares accumulators and fragments of a matrix product.
func tensorDeclare(chains, a, b int) []string {
	return []string{".reg .f32 " + laneRegs(chains) + ";", fmt.Sprintf(".reg .b32 {P}a<%d>, {P}b<%d>;", a, b)}
}

// tensorOnce fills the fragments with halves from 1 to 2 for A and from -2 to 2
// for B, other ones in each lane.
func tensorOnce(a, b int) (out []string) {
	fill := func(reg string, n, salt int, keep, set uint32) {
		for i := range n {
			r := fmt.Sprintf("{P}%s%d", reg, i)
			out = append(out, fmt.Sprintf("mad.lo.u32 %s, {t}, %d, %d;", r, 1640531527, salt*(i+1)),
				fmt.Sprintf("and.b32 %s, %s, %#x;", r, r, keep), fmt.Sprintf("or.b32 %s, %s, %#x;", r, r, set))
		}
	}
	fill("a", a, 40503, 0x03ff03ff, 0x3c003c00)
	fill("b", b, 69069, 0x83ff83ff, 0x3c003c00)
	return out
}

var (
	tensorStart = []string{"cvt.rn.f32.u32 {x}a, {t};", "neg.f32 {x}b, {x}a;", "cvt.rn.f32.u32 {x}c, {lane};", "neg.f32 {x}d, {x}c;"}
	tensorFold  = []string{
		"mov.b32 {fold}, {x}a;", "xor.b32 {sink}, {sink}, {fold};", "mov.b32 {fold}, {x}b;", "xor.b32 {sink}, {sink}, {fold};",
		"mov.b32 {fold}, {x}c;", "xor.b32 {sink}, {sink}, {fold};", "mov.b32 {fold}, {x}d;", "xor.b32 {sink}, {sink}, {fold};",
	}
)

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
