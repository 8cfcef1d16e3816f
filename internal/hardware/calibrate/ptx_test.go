package calibrate

import (
	"testing"

	"hyptx/ir"
	"hyptx/parser"
)

// TestEveryTextLowers: our parser and checks take each kernel for each target.
func TestEveryTextLowers(t *testing.T) {
	for _, b := range benchmarks {
		for _, cc := range []int{70, 75, 80, 90, 121} {
			text, err := b.PTX(cc)
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
				t.Errorf("%s sm_%d: %v\n%s", b.Name, cc, err, text)
				return
			}
		}
	}
}

// TestTargets: a GPU that is not listed gets the newest target before it.
func TestTargets(t *testing.T) {
	for cc, want := range map[int]string{70: "6.4 sm_70", 75: "6.5 sm_75", 88: "7.4 sm_87", 90: "7.8 sm_90", 103: "8.8 sm_103", 110: "8.8 sm_103", 250: "8.8 sm_121"} {
		version, target := targetFor(cc)
		if got := version + " " + target; got != want {
			t.Errorf("compute capability %d: %s, want %s", cc, got, want)
		}
	}
	if _, err := benchmarks[3].PTX(61); err == nil {
		t.Error("a benchmark for Pascal was written")
	}
}
