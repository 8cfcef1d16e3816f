package hierarchy

import (
	"strings"
	"testing"
)

// TestSampleSpreads: the chosen waves are as many as they should be, and the
// first and the last are among them.
func TestSampleSpreads(t *testing.T) {
	for waves := int64(5); waves < 40; waves++ {
		for n := int64(2); n < waves-2; n++ {
			w := &waveSample{size: 3, waves: waves, chosen: n}
			seen := int64(0)
			for cta := int64(0); cta < 3*waves; cta += 3 {
				if w.sees(cta) != w.sees(cta+2) {
					t.Fatal("half a wave")
				}
				if w.sees(cta) {
					seen++
				}
			}
			if seen != n+2 || !w.sees(0) || !w.sees(3*waves-1) {
				t.Fatalf("%d of %d waves: %d seen", n, waves, seen)
			}
		}
	}
}

func TestParseSample(t *testing.T) {
	for _, bad := range []string{"", "0", "-1", "1.5", "x", "NaN", "0x10p", "1e-400"} {
		if s, err := ParseSample(bad); err == nil || !strings.Contains(err.Error(), "must be a share") {
			t.Errorf("%q: %+v, %v", bad, s, err)
		}
	}
}
