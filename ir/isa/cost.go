package isa

import "slices"

// Cost is what ptxas makes of an operation, by its own account in listings and
// by measurements: the column from which internal/machine estimates machine
// code. A rule says how the number of instructions follows from types and
// constants, which is computed there; the numbers stand with the operation.
type Cost struct {
	Rule costRule
	// Short and Wide are the machine instructions on up to 32 bits and on 64 (in
	// halves), where the operation computes with integers. Short's number is from
	// Source, Wide's an own estimate.
	Short, Wide int
	Source      string
	// Steps are what the machine does for operations that it lacks; the first that
	// fits an instruction counts.
	Steps []Steps
}

// costRule says how many machine instructions an instruction becomes.
type costRule uint8

// The rules. Where nothing else is said, an instruction on integers becomes
// Short or Wide ones and any other one.
const (
	noCost        costRule = iota
	costPlain              // itself
	CostMove               // nothing: registers are renamed, pairs built in place; PRMT where it packs 32 bits
	CostWindow             // cvta: nothing for .global and .const, whose windows begin at 0
	CostSign               // neg, abs: nothing on floating point, where signs are part of the operand
	CostMemory             // nothing for parameters, which are operands from the constant bank
	CostEnd                // ret, exit, trap: counted with the control flow
	CostSelect             // SETP, and SEL for each half
	CostProduct            // mul, mad: a product of integers is several where the multiplier has 16 bits
	CostFMA                // a multiply-add of floating point
	CostExtremum           // min, max: f64 is a comparison and a selection of each half since Volta
	CostDivide             // Steps, fewer where integers are divided by a constant
	CostSteps              // Steps
	costMatrix             // matrix instructions of the machine's shapes
	CostFragments          // wmma, which is made of them
)

// Where the numbers of costs come from.
const (
	latencies   = "SASS column of the GPUs-ISA-Latencies micro-benchmarks (NMSU-PEARL), Volta and Turing"
	listings    = "published SASS listings of sm_90, sm_100 and sm_120 code; older ones have the same steps"
	nvprof      = "flop_count_sp_fma of nvprof, GTX 1080 Ti: hotspot (NV-DVFS-Benchmark) has 13 in a quotient and three reciprocals of two"
	ownEstimate = "own estimate"
)

// Steps is what the machine does for an operation that it lacks: the common
// path, without the subroutine for subnormal and other extreme operands.
type Steps struct {
	// Type is the instruction's type, NoType for any; Mods are what the opcode
	// must have. Below is the compute capability, as 80, from which on others are
	// taken, 0 for none.
	Type  Type
	Mods  []Mod
	Below int
	// Special are instructions of the multi-function unit, Float of the type's
	// own precision (single for integers) with FMA multiply-adds among them.
	Special, Float, FMA, Integer, Convert, Misc int
	// Check is the multi-function unit's test for extreme operands (FCHK), Branch what goes to
	// the subroutine for these. Operands: the integers are that test; First: it comes before all
	// else. Without Check and Operands the result is tested.
	Check, Branch   int
	Operands, First bool
	Source          string
}

// Steps returns what a machine of compute capability sm does for the instruction step by
// step, nil where its cost has no steps.
func (i *Inst) Steps(sm int) *Steps {
	steps := i.Form.Cost.Steps
	k := slices.IndexFunc(steps, func(s Steps) bool {
		lacks := func(m Mod) bool { return !i.Has(m) }
		return (s.Below == 0 || sm < s.Below) && (s.Type == NoType || s.Type == i.Type()) && !slices.ContainsFunc(s.Mods, lacks)
	})
	if k < 0 {
		return nil
	}
	return &steps[k]
}

var (
	approxFtz = []Mod{ModApprox, ModFtz}
	approx    = []Mod{ModApprox}
	full      = []Mod{ModFull}
)

// plain is the cost of what the machine has: two halves of 64 bits.
var plain = Cost{Rule: costPlain, Short: 1, Wide: 2, Source: listings}

// counted returns the cost of an integer operation that is not one instruction
// on 32 bits or not two on 64.
func counted(short, wide int, source string) Cost {
	return Cost{Rule: costPlain, Short: short, Wide: wide, Source: source}
}

// by returns the cost of what follows a rule.
func by(rule costRule) Cost { return Cost{Rule: rule, Short: 1, Wide: 2, Source: ownEstimate} }

// halved returns the cost of what follows a rule and is counted in halves.
func halved(rule costRule, wide int) Cost {
	return Cost{Rule: rule, Short: 1, Wide: wide, Source: ownEstimate}
}

// stepwise returns the cost of a special function.
func stepwise(steps ...Steps) Cost { return Cost{Rule: CostSteps, Steps: steps} }

// quotient returns the cost of a division or remainder.
func quotient(steps ...Steps) Cost { return Cost{Rule: CostDivide, Steps: steps} }
