package compare

import (
	"cmp"
	"fmt"
	"slices"

	"hyptx/analysis"
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Open is an opcode of the program whose results the manual leaves open.
type Open struct {
	Opcode string `json:"opcode"`
	// Count is how often it stands in the kernels that are launched and what
	// they call.
	Count   int    `json:"count"`
	Why     string `json:"why"`
	Bound   string `json:"bound"`
	Section string `json:"section"` // of the PTX ISA
	reason  isa.OpenResult
	// unbounded: there are inputs for which the manual gives no bound.
	unbounded bool
}

// OpenResults lists what of a session's program is open, by opcode. Of mul, add
// and sub those count that may become one fma.
func OpenResults(s *analysis.Session) []Open {
	found := map[string]*Open{}
	seen := map[*ir.Func]bool{}
	for step := range s.Manifest.All() {
		if step.Launch == nil {
			continue
		}
		for _, f := range s.Kernel(step.Launch).Closure() {
			if !seen[f] {
				seen[f] = true
				openIn(f, found)
			}
		}
	}
	var list []Open
	for _, o := range found {
		list = append(list, *o)
	}
	slices.SortFunc(list, func(a, b Open) int {
		return cmp.Or(cmp.Compare(a.reason, b.reason), cmp.Compare(a.Opcode, b.Opcode))
	})
	return list
}

// openIn adds one function's open instructions.
func openIn(f *ir.Func, found map[string]*Open) {
	fused := contracted(f)
	for i := range f.Instrs() {
		in := f.Instrs()[i].Inst
		reason := in.Open()
		if reason == isa.Closed || reason == isa.Contracted && !fused[f.Instrs()[i].PC] {
			continue
		}
		o := found[in.Opcode]
		if o == nil {
			o = describe(in, reason)
			found[in.Opcode] = o
		}
		o.Count++
	}
}

// contracted returns the multiplications and additions that may become one.
func contracted(f *ir.Func) map[ir.PC]bool {
	fused := map[ir.PC]bool{}
	form := ssa.Build(f)
	for i := range f.Instrs() {
		add := &f.Instrs()[i]
		for _, mul := range form.Absorbs(add) {
			if mul != nil {
				fused[add.PC], fused[mul.PC] = true, true
			}
		}
	}
	return fused
}

// describe says what the manual allows an opcode.
func describe(in *isa.Inst, reason isa.OpenResult) *Open {
	o := &Open{Opcode: in.Opcode, Why: reason.String(), reason: reason, Section: in.Form.Section}
	switch reason {
	case isa.Approximate:
		b := in.Bound()
		o.Section, o.Bound = b.Section, describeBound(b)
		_, all := b.Part(0x1p-140)
		_, large := b.Part(0x1p127)
		o.unbounded = !all || !large
	case isa.Accumulated:
		unit, _ := in.Accumulation()
		o.Bound = fmt.Sprintf("any order, each addition off by at most %.3g of the sum of the terms' absolute values; exact sums are exact", unit)
	case isa.Reordered:
		o.Bound = "any order, each addition rounded to nearest; exact sums are exact"
	case isa.Contracted:
		o.Bound = "mul and add, or one fma"
	case isa.UnspecifiedNaN:
		o.Bound = "any payload of a NaN"
	}
	return o
}

func describeBound(b *isa.Bound) string {
	text := ""
	for _, p := range b.Parts {
		switch {
		case p.ULP > 0:
			text += fmt.Sprintf("%d ulp", p.ULP)
		case p.Relative > 0:
			text += fmt.Sprintf("%.3g relative", p.Relative)
		case p.Absolute > 0:
			text += fmt.Sprintf("%.3g absolute", p.Absolute)
		default:
			text += "exact"
		}
		if p.Low > 0 || p.High < 0x1p1000 {
			text += fmt.Sprintf(" for inputs of %.4g to %.4g", p.Low, p.High)
		}
		text += ", "
	}
	if text == "" {
		return "none documented"
	}
	return text[:len(text)-2]
}
