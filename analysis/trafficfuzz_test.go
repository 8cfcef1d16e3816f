package analysis

import (
	"context"
	"testing"

	"hyptx/ptx-samples/features"
)

// TestTrafficFeatures holds the memory profile of every feature program against
// full emulation: every form of access there is.
func TestTrafficFeatures(t *testing.T) {
	samples, err := features.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range samples {
		if sample.Fault != "" {
			continue
		}
		s := featureSession(t, sample)
		s.Options.Mode, s.traffic = Memory, true
		p, err := s.Profile(context.Background())
		if err == nil {
			err = s.Verify(context.Background(), p)
		}
		if err != nil {
			t.Errorf("%s: %v", sample.Name, err)
		}
	}
}

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
