package analysis

import (
	"context"
	"testing"
)

// TestVerifyRandomTraffic holds the memory profiles of random programs against
// full emulation: every request, sector, pass and byte.
func TestVerifyRandomTraffic(t *testing.T) {
	n := uint64(400)
	if testing.Short() {
		n /= 10
	}
	dir := t.TempDir()
	opts := DefaultOptions()
	opts.Mode = Memory
	for seed := range n {
		s, err := OpenManifest(randomProgram(seed).source(t, dir), opts)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Profile(context.Background())
		if err == nil {
			err = s.Verify(context.Background(), p)
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, numbered(randomProgram(seed).ptx))
		}
	}
}
