package calibrate

import (
	"fmt"
	"math"
	"strings"
)

// Parts are templates. A benchmark is a list of parts, each of which is a few lines
// of PTX that are written out for every chain and step. The names in braces keep
// the parts of a mix apart and give every chain registers of its own; everything
// that a part adds besides its work (declarations, starts, folds) is the same for
// all parts of a register type and stands in registers, so that a new part is one
// row of a table.

// A part is one kind of work in a benchmark's loop: chains of instructions, each
// of which needs what the one before gave, so that no compiler can leave any
// out. All text is PTX with these names in braces:
//
//	{x}      the register of the chain       {y}  that of its partner (chains 2i and 2i+1), {n} of the next, {m} of the one after
//	{p} {q}  registers with constants that the compiler does not see
//	{P}      begins the part's names         {i}  number of the chain
//	{k}      number of the step, for labels  {off} {next}  offsets of this and the next chain's slot
//	{t} {z} {g} {lane}  thread of the CTA, a zero, thread of the grid, lane
type part struct {
	name   string
	reg    string     // type of the chains' registers, a key of registers; "" if declare has them
	chains int        // independent ones
	low    float64    // where chains start: from low to high, whole numbers odd
	high   float64    //
	p, q   float64    // the constants
	rounds [][]string // what a step is, in turn: all chains do the first, then all the second, ...
	// declare and once stand at the start of the kernel, start is once for each
	// chain, advance at the end of each turn of the loop, fold for each chain
	// after it and puts the result into {sink}. Those of reg come before.
	declare, once, start, advance, fold []string
	// work is how the instructions begin that are the part's work, and each how
	// many operations one is. A load's operations may be bytes.
	work []string
	each float64
	// minCC is the least compute capability, as 80.
	minCC int
}

// register is what a type of chains has in common.
type register struct {
	declare, start, constant, fold []string
}

// registers are the types of chains. Constants are made from {z} so that they
// stand in registers of each lane: a constant that the compiler sees would
// become an immediate, and one that is the same for all lanes would move the
// chain to the uniform data path.
var registers = map[string]register{
	"u32": {
		declare:  []string{".reg .b32 {P}x<{chains}>, {P}p, {P}q;"},
		start:    []string{"mad.lo.u32 {x}, {t}, {a}, {b};", "or.b32 {x}, {x}, 1;"},
		constant: []string{"add.u32 {c}, {z}, {value};"},
		fold:     []string{"xor.b32 {sink}, {sink}, {x};"},
	},
	"u64": {
		declare:  []string{".reg .b64 {P}x<{chains}>, {P}p, {P}q;"},
		start:    []string{"mul.wide.u32 {x}, {t}, {a};", "add.u64 {x}, {x}, {b};", "or.b64 {x}, {x}, 1;"},
		constant: []string{"cvt.u64.u32 {c}, {z};", "add.u64 {c}, {c}, {value};"},
		fold:     []string{"cvt.u32.u64 {fold}, {x};", "xor.b32 {sink}, {sink}, {fold};", "shr.u64 {x}, {x}, 32;", "cvt.u32.u64 {fold}, {x};", "xor.b32 {sink}, {sink}, {fold};"},
	},
	"f32": {
		declare:  []string{".reg .f32 {P}x<{chains}>, {P}p, {P}q;"},
		start:    []string{"cvt.rn.f32.u32 {x}, {t};", "fma.rn.f32 {x}, {x}, {a}, {b};"},
		constant: []string{"cvt.rn.f32.u32 {c}, {z};", "add.rn.f32 {c}, {c}, {value};"},
		fold:     []string{"mov.b32 {fold}, {x};", "xor.b32 {sink}, {sink}, {fold};"},
	},
	"f64": {
		declare:  []string{".reg .f64 {P}x<{chains}>, {P}p, {P}q;"},
		start:    []string{"cvt.rn.f64.u32 {x}, {t};", "fma.rn.f64 {x}, {x}, {a}, {b};"},
		constant: []string{"cvt.rn.f64.u32 {c}, {z};", "add.rn.f64 {c}, {c}, {value};"},
		fold:     []string{"cvt.rn.f32.f64 {foldf}, {x};", "mov.b32 {fold}, {foldf};", "xor.b32 {sink}, {sink}, {fold};"},
	},
}

// literal writes a number as PTX for a register type (PTX ISA 4.5).
func literal(reg string, v float64) string {
	switch reg {
	case "f32":
		return fmt.Sprintf("0f%08X", math.Float32bits(float32(v)))
	case "f64":
		return fmt.Sprintf("0d%016X", math.Float64bits(v))
	}
	return fmt.Sprintf("%d", uint64(v))
}

// startOf returns the slope over the threads of a CTA and the offset of the
// values that a chain starts with, so that all lie in the part's range.
func (p *part) startOf(chain, block int) (a, b string) {
	width := (p.high - p.low) / float64(p.chains)
	b = literal(p.reg, p.low+width*float64(chain))
	if p.reg == "f32" || p.reg == "f64" {
		return literal(p.reg, width/float64(block)), b
	}
	return literal(p.reg, max(2, math.Floor(width/float64(block)/2)*2)), b
}

// names are the replacements for one chain and step; prefix begins the part's
// names, block is the threads of a CTA.
func (p *part) names(prefix string, chain, step, block int) *strings.Replacer {
	slot := func(n int) string { return fmt.Sprint(n % max(p.chains, 1) * block * slotBytes) }
	var a, b string
	if p.reg != "" && p.chains > 0 {
		a, b = p.startOf(chain, block)
	}
	return strings.NewReplacer(
		"{x}", fmt.Sprintf("%sx%d", prefix, chain), "{y}", fmt.Sprintf("%sx%d", prefix, chain^1), "{n}", fmt.Sprintf("%sx%d", prefix, (chain+1)%max(p.chains, 1)),
		"{m}", fmt.Sprintf("%sx%d", prefix, (chain+2)%max(p.chains, 1)), "{p}", prefix+"p", "{q}", prefix+"q",
		"{P}", prefix, "{i}", fmt.Sprint(chain), "{k}", fmt.Sprint(step), "{off}", slot(chain), "{next}", slot(chain+1), "{chains}", fmt.Sprint(p.chains),
		"{a}", a, "{b}", b, "{sink}", "%sink", "{fold}", "%fold", "{foldf}", "%foldf",
		"{t}", "%t", "{z}", "%z", "{g}", "%g", "{lane}", "%lane", "{ctas}", fmt.Sprint(block*p.chains*slotBytes),
	)
}

// slotBytes is what a thread has of shared memory for a chain.
const slotBytes = 4
