package oracle

import (
	"errors"
	"slices"
	"testing"
)

// TestRandomPrograms checks that the programs are legal, end, and are what
// they are for: most of them split warps.
func TestRandomPrograms(t *testing.T) {
	const programs = 500
	split, ends := 0, 0
	for seed := range uint64(programs) {
		p := randomProgram(seed)
		m, err := p.lower()
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.ptx)
		}
		c, _, err := p.run(m)
		if errors.Is(err, errTooLong) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.ptx)
		}
		ends++
		if slices.ContainsFunc(c, func(c count) bool { return c.divergent > 0 }) {
			split++
		}
	}
	t.Logf("%d of %d end in time, %d split warps", ends, programs, split)
	if ends < programs*9/10 || split < programs/2 {
		t.Errorf("of %d programs %d end in time and %d split warps", programs, ends, split)
	}
}
