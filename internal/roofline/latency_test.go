package roofline

import (
	"testing"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// TestEveryRowHasALatency: of each row of the table it is known what waits for
// its result, or that nobody does: memory and what computes make somebody wait.
func TestEveryRowHasALatency(t *testing.T) {
	for _, f := range isa.Forms() {
		x, err := isa.Decode(f.Spellings()[0])
		if err != nil {
			t.Fatal(err)
		}
		k := kindOf(&ir.Instr{Inst: x})
		waits := x.Form.Class != isa.Control && x.Form.Class != isa.Barrier && x.Form.Class != isa.Misc &&
			(x.Form.Class != isa.ComputeLdSt || x.IsLoad() && !x.IsStore())
		if waits && k == none {
			t.Errorf("%s: nobody waits for its result", x)
		}
	}
}
