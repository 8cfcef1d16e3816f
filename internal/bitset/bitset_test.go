package bitset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Rows are apart, and as many as there is room for take no more than they may.
func TestRows(t *testing.T) {
	for _, count := range []int{0, 1, 3, 1000, 1 << 20} {
		const bytes = 1 << 16
		n := Room(bytes, count)
		if n < 64 || n > 64 && n/8*count > bytes {
			t.Errorf("%d sets of %d numbers in %d bytes", count, n, bytes)
		}
	}
	rows := Rows[int32](3, 100)
	rows[1].Add(0)
	rows[1].Add(99)
	for i, want := range []int{0, 2, 0} {
		if got := rows[i].Len(); got != want {
			t.Errorf("set %d has %d members, want %d", i, got, want)
		}
	}
}

// Sets of a table are apart, too, and there are some where there is no room in them.
func TestTable(t *testing.T) {
	sets := NewTable[int32](3, 100)
	sets.At(1).Add(0)
	sets.At(1).Add(99)
	for i, want := range []int{0, 2, 0} {
		if got := sets.At(i).Len(); got != want {
			t.Errorf("set %d has %d members, want %d", i, got, want)
		}
	}
	if sets.Clear(); sets.At(1).Len() != 0 || len(NewTable[int32](3, 0).At(2)) != 0 {
		t.Error("sets are not empty")
	}
}

func TestDiffer(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	a, b := New[int32](200), New[int32](200)
	for range 150 {
		a.Add(rng.Int32N(200))
		b.Add(rng.Int32N(200))
	}
	var want []int32
	for i := range int32(200) {
		if a.Has(i) != b.Has(i) {
			want = append(want, i)
		}
	}
	if got := slices.Collect(a.Differ(b)); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
