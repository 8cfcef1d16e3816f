package analysis

import (
	"context"
	"reflect"
	"testing"

	"hyptx/internal/vary"
)

// rowsInOrder profiles a random program in full mode, with CTAs and warps in the
// schedule's order or the other way round, and returns its rows without what says
// how they were obtained.
func rowsInOrder(t *testing.T, seed uint64, reversed bool) (rows []Row, exactness string) {
	t.Helper()
	opts := DefaultOptions()
	opts.Mode = Full
	if reversed {
		opts.Variation = vary.Reversed()
	}
	s, err := OpenManifest(randomProgram(seed).source(t, t.TempDir()), opts)
	if err != nil {
		t.Fatal(err)
	}
	s.traffic = false // a program that counts traffic follows no other order
	p, err := s.Profile(context.Background())
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	for _, r := range p.Rows {
		exactness = r.Exactness
		row := *r
		row.Exactness, row.AssumedInputs, row.AssumedDecisions = "", "", Int{}
		row.EmulatedWarpInstructions, row.CTAClasses = Int{}, Int{}
		rows = append(rows, row)
	}
	return rows, exactness
}

// TestExactInAnyOrder runs random programs that are called exact with CTAs and
// warps in descending order, which is as legal as the schedule's: no count may
// change. Of those that are not called exact some have to, or the test shows
// nothing.
func TestExactInAnyOrder(t *testing.T) {
	n := uint64(600)
	if testing.Short() {
		n = 150
	}
	exact, contradicted := 0, 0
	for seed := range n {
		rows, exactness := rowsInOrder(t, 20000+seed, false)
		other, _ := rowsInOrder(t, 20000+seed, true)
		same := reflect.DeepEqual(rows, other)
		switch {
		case exactness != exactCounts && !same:
			contradicted++
		case exactness == exactCounts && !same:
			t.Errorf("seed %d is called exact, but another order counts otherwise\n%s", 20000+seed, numbered(randomProgram(20000+seed).ptx))
		case exactness == exactCounts:
			exact++
		}
	}
	if exact < int(n)/4 || contradicted < int(n)/50 {
		t.Errorf("%d programs are exact, of the others %d change with the order: too few to show anything", exact, contradicted)
	}
}
