package analysis

import (
	"context"
	"testing"
)

// TestVerifyRandom holds the control profiles of random programs, with races,
// barriers, calls and launches that depend on each other, against full
// emulation.
func TestVerifyRandom(t *testing.T) {
	dir := t.TempDir()
	for _, seed := range randomSeeds(0, 400, 40) {
		if err := checkVerify(t, dir, seed); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, numbered(randomProgram(seed).ptx))
		}
	}
}

// FuzzVerify is TestVerifyRandom with the fuzzer's seeds.
func FuzzVerify(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		if err := checkVerify(t, t.TempDir(), seed); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, numbered(randomProgram(seed).ptx))
		}
	})
}

// checkVerify profiles a random program and verifies the result.
func checkVerify(t testing.TB, dir string, seed uint64) error {
	s, err := OpenManifest(randomProgram(seed).source(t, dir), DefaultOptions())
	if err != nil {
		return err
	}
	p, err := s.Profile(context.Background())
	if err != nil {
		return err
	}
	return s.Verify(context.Background(), p)
}
