package oracle

import (
	"reflect"
	"runtime"
	"testing"

	"hyptx/emulator"
)

// TestWorkers: the same classes and the same class of each CTA, whatever the
// number of workers.
func TestWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const ctas = 40
	for seed := range uint64(60) {
		p := randomProgram(seed)
		p.grid = [3]uint32{ctas, 1, 1}
		m, err := p.lower()
		if err != nil {
			t.Fatal(err)
		}
		var first *emulator.Result
		for _, workers := range []int{1, 2, 7} {
			r, _, err := p.emulate(m, emulator.LaunchConfig{Workers: workers, PerCTA: true})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if first == nil {
				first = r
				continue
			}
			if !reflect.DeepEqual(r.Classes, first.Classes) || !reflect.DeepEqual(r.CTAClass, first.CTAClass) {
				t.Fatalf("seed %d: %d workers and one count differently\n%s", seed, workers, p.ptx)
			}
		}
	}
}
