package power

import (
	"fmt"
	"math"
	"sync"
)

// Static power. A transistor leaks as soon as it is supplied, whether it switches
// or not. A GPU therefore supplies only what it needs, in steps that are far from
// equal: in the paper's measurements (section 4.3) the first SM costs 47 times a
// later one, because it wakes what all SMs share, and the first lane of a warp 31
// times a later lane, because it wakes the unit. The model spreads the first SM's
// part over all of them, but keeps lanes apart: it has the power with one lane in
// each warp, and that of each lane more,
//
//	P_add = (P_32 - P_1) / 31,   P(y) = P_1 + P_add (y - 1)      (equation 4)
//
// P_1 and P_32 cannot be read off a meter, which shows all power at once. They are
// the part tau f of a cubic fit over clocks (cubic.go): leakage goes with the
// voltage, hence with f, and switching with f^3. Equation 9 gives each active SM
// its share of the N that were measured.
//
// A unit that no instruction uses is not supplied, so that the numbers differ by
// the mix of instructions: section 4.5 has nine mixes, each measured. Integer and
// fp32 instructions together, with 32 lanes on all 80 SMs, take
// 18.618 + 31 x 0.645 = 38.62 W; on 40 SMs half of that.

// Category is an instruction mix with its own static power (section 4.5 of the
// paper): which functional units are switched on.
type Category uint8

// The categories: the paper's nine, and Other for all other mixes (the
// program's geometric mean). OnlyL1 is what the program takes for a kernel
// without execution; shared-only and L2-only values exist but are never used.
const (
	intAddOnly Category = iota
	IntMulOnly
	IntAddMul
	IntFP
	IntFPDP
	IntFPSFU
	IntFPTex
	IntFPTensor
	Light
	Other
	OnlyL1
	numCategories
)

var categoryNames = [numCategories]string{"INT_ADD", "INT_MUL", "INT", "INT+FP", "INT+FP+DP", "INT+FP+SFU", "INT+FP+TEX", "INT+FP+TENSOR", "LIGHT", "OTHER", "L1"}

// categoryKeys are the rows of static.tsv.
var categoryKeys = [numCategories]string{"intadd", "intmul", "cat1", "cat2", "cat3", "cat4", "cat5", "cat6", "light", "geomean", "l1"}

func (c Category) String() string { return categoryNames[c] }

// LanePower is the static power of all SMs of a chip, in W: of the first active
// lane of each warp, and of each lane more (equation 4).
type LanePower struct {
	FirstW float64 `json:"first_lane_w"`
	AddW   float64 `json:"add_lane_w"`
}

// Linear is equation 4: static power in W at that many active lanes.
func (p LanePower) Linear(lanes float64) float64 { return p.FirstW + p.AddW*(lanes-1) }

// HalfWarp is equation 5: warps run on 16 lanes in two halves, so that power
// falls to about half beyond 16. The paper does not say which AddW belongs here;
// the tuned one is used.
func (p LanePower) HalfWarp(lanes float64) float64 {
	if lanes <= 16 {
		return p.Linear(lanes)
	}
	return p.FirstW + p.AddW*15/2 + p.AddW*(lanes-17)/2
}

// staticGV100 are the coefficients of the 80 SMs of a GV100.
var staticGV100 = sync.OnceValue(func() (out [numCategories]LanePower) {
	t := readTable("static.tsv")
	for c, key := range categoryKeys {
		row := t.find(key)
		out[c] = LanePower{t.number(row, "first_lane_W"), t.number(row, "add_lane_W")}
	}
	return out
})

// categoryOf returns the category of a launch by what its instructions use: one
// instruction is enough to have its unit supplied for all of the launch. The paper
// measured integer units alone, integer with fp32, and these two with one kind of
// unit more; what is none of that (special functions alone, fp64 beside tensor
// cores) is Other.
func categoryOf(n *counts, r Rules) Category {
	add := n[Int] > 0
	mul := n[IntMul]+n[IntMul24]+n[IntMul32]+n[IntDiv] > 0
	fp := n[FP]+n[FPMul]+n[FPDiv] > 0
	dp := n[DP]+n[DPMul]+n[DPDiv] > 0
	sfu := n[Sqrt]+n[Log]+n[Sin]+n[Exp] > 0
	tex, tensor := n[Tex] > 0, n[Tensor] > 0
	category, extra := IntFP, 0
	for i, used := range []bool{dp, sfu, tex, tensor} { // in the order of the categories
		if used {
			category = IntFPDP + Category(i)
			extra++
		}
	}
	integer := add || mul
	if r.set().intAlways {
		if !integer && !fp && extra == 0 {
			return OnlyL1
		}
		integer, add, mul = true, true, true
	}
	switch {
	case !integer && !fp && extra == 0:
		return Light
	case integer && fp && extra <= 1:
		return category
	case fp || extra > 0:
		return Other
	case add && mul:
		return IntAddMul
	case mul:
		return IntMulOnly
	}
	return intAddOnly
}

// staticW returns the static power in W of p's chip with all SMs active, at
// that many active lanes a warp (0 to 32, 0 if nothing executes).
func staticW(p LanePower, c Category, lanes float64, r Rules) (float64, error) {
	if !(lanes >= 0 && lanes <= 32) {
		return 0, fmt.Errorf("active lanes %g: must be from 0 to 32", lanes)
	}
	rules := r.set()
	if rules.wholeLanes {
		lanes = math.Ceil(lanes)
	}
	lanes = max(lanes, 1)
	if rules.halfWarp && (c == intAddOnly || c == IntMulOnly) {
		return p.HalfWarp(lanes), nil
	}
	return p.Linear(lanes), nil
}
