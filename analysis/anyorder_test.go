package analysis

import (
	"context"
	"reflect"
	"testing"

	"hyptx/internal/number"
	"hyptx/internal/vary"
)

// rowsInOrder profiles a random program in full mode, with CTAs, warps, paths and the
// lanes of atomics in the schedule's order or, with a number above 0, in another one,
// and returns its rows without what says how they were obtained.
func rowsInOrder(t *testing.T, seed uint64, order uint64) (rows []Row, exactness string) {
	t.Helper()
	opts := DefaultOptions()
	opts.Mode = Full
	switch order {
	case 0:
	case 1:
		opts.Variation = vary.Reversed()
	default:
		opts.Variation = &vary.Variation{Name: "shuffled", Shuffle: true, Seed: order}
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
		row.Exactness, row.AssumedInputs, row.AssumedDecisions = "", "", number.Int{}
		row.EmulatedWarpInstructions, row.CTAClasses = number.Int{}, number.Int{}
		rows = append(rows, row)
	}
	return rows, exactness
}

// orders is how many other orders a program is run in: the reverse one, and shuffled ones.
const orders = 8

// TestExactInAnyOrder runs random programs that are called exact in other legal orders
// of CTAs, warps, paths and lanes: no count may change. Of those that are not called
// exact some have to, or the test shows nothing.
func TestExactInAnyOrder(t *testing.T) {
	seeds := randomSeeds(20000, 160, 60)
	exact, contradicted := 0, 0
	for _, seed := range seeds {
		rows, exactness := rowsInOrder(t, seed, 0)
		same := true
		for order := uint64(1); order <= orders && same; order++ {
			other, _ := rowsInOrder(t, seed, order)
			same = reflect.DeepEqual(rows, other)
		}
		switch {
		case exactness != exactCounts && !same:
			contradicted++
		case exactness == exactCounts && !same:
			t.Errorf("seed %d is called exact, but another order counts otherwise\n%s", seed, numbered(randomProgram(seed).ptx))
		case exactness == exactCounts:
			exact++
		}
	}
	t.Logf("of %d programs %d are exact, of the others %d change with the order", len(seeds), exact, contradicted)
	if exact < len(seeds)/4 || contradicted < len(seeds)/25 {
		t.Errorf("%d programs are exact, of the others %d change with the order: too few to show anything", exact, contradicted)
	}
}
