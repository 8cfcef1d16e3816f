package analysis

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"hyptx/internal/source"
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
	if err := s.Verify(context.Background(), p); err != nil {
		return err
	}
	return sameExactness(p, dir, seed)
}

// sameExactness holds what a control profile of a random program is called against memory and
// full mode.
func sameExactness(p *Profile, dir string, seed uint64) error {
	for _, mode := range []Mode{Memory, Full} {
		opts := DefaultOptions()
		opts.Mode = mode
		s, err := OpenManifest(source.File{Name: filepath.Join(dir, "m.json"), Text: []byte(randomProgram(seed).manifest)}, opts)
		if err != nil {
			return err
		}
		other, err := s.Profile(context.Background())
		if err != nil {
			return fmt.Errorf("mode %s: %w", mode, err)
		}
		for i, r := range p.Rows {
			if is := other.Rows[i].Exactness; is != r.Exactness {
				return fmt.Errorf("launch %d: mode control says %s, mode %s %s", i, r.Exactness, mode, is)
			}
		}
	}
	return nil
}
