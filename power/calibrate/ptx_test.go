package calibrate

import (
	"testing"

	"hyptx/ir"
	"hyptx/parser"
)

// TestEveryTextLowers: our parser and checks take each kernel for each target.
func TestEveryTextLowers(t *testing.T) {
	for _, b := range benchmarks {
		for _, target := range targets {
			text, err := b.PTX(target.cc)
			if _, unsupported := err.(*UnsupportedError); unsupported {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			m, err := parser.Parse(b.Name+".ptx", []byte(text))
			if err == nil {
				_, err = ir.Lower(m)
			}
			if err != nil {
				t.Errorf("%s sm_%d: %v\n%s", b.Name, target.cc, err, text)
				return
			}
		}
	}
}
