package ir

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// What a stem that was met a moment ago says of a name is what all ranges say, also where stems
// are long and end alike, or one is the beginning of another.
func TestMember(t *testing.T) {
	stems := []string{"%r", "%rd", "%f", "%p1_", "r", "%longname", "%wlongname", "longname", "onglname", "%a1b", "%a1", "_", "%val_f32_", "%cast_f32_"}
	s, found := newScope(nil), 0
	rng := rand.New(rand.NewPCG(1, 1))
	for round := range 200_000 {
		if round%10_000 == 0 && len(s.ranges) < len(stems) {
			stem := stems[len(s.ranges)]
			s.addRange(regRange{prefix: stem, n: uint64(1 + rng.IntN(50))})
			if len(s.ranges)%3 == 0 {
				s.addRange(regRange{prefix: stem + "9", n: 30}) // of the same stem
			}
		}
		name := fmt.Sprint(stems[rng.IntN(len(stems))], rng.IntN(60))
		if rng.IntN(8) == 0 {
			name = stems[rng.IntN(len(stems))] + []string{"", "007", "99999999999999999999", "0", "1x"}[rng.IntN(5)]
		}
		quick, i := s.member(name)
		r, k := s.rangeOf(name)
		if quick == nil {
			continue
		}
		found++
		if quick != r || uint64(i) != k {
			t.Fatalf("%s: %v, member %d; it is %v, %d", name, quick, i, r, k)
		}
	}
	if found < 20_000 {
		t.Errorf("only %d of 200000 names were met", found)
	}
}
