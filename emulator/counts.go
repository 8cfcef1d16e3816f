package emulator

import (
	"slices"
	"sync"
)

// Class is a set of CTAs with equal counts.
type Class struct {
	// First is the lowest linear index of its CTAs.
	First int64
	// CTAs is how many there are.
	CTAs int64
	// Counts are the counters of one of them; Program says what they mean.
	Counts []uint64
}

// classTable sorts CTAs into classes. It is safe for concurrent use.
type classTable struct {
	mu    sync.Mutex
	byKey map[uint64][]int32 // hash of the counts to candidates
	list  []Class
	// of is the class of each CTA, by its place among those run; nil if nobody
	// asked.
	of    map[int64]int32
	perOf bool
	loops []LoopCount
	paths int
}

func newClassTable(perCTA bool) *classTable {
	t := &classTable{byKey: map[uint64][]int32{}, perOf: perCTA}
	if perCTA {
		t.of = map[int64]int32{}
	}
	return t
}

// add accounts for one CTA.
func (t *classTable) add(linear int64, counts []uint64) {
	key := HashCounts(counts)
	t.mu.Lock()
	defer t.mu.Unlock()
	i := int32(-1)
	for _, k := range t.byKey[key] {
		if slices.Equal(t.list[k].Counts, counts) {
			i = k
			break
		}
	}
	if i < 0 {
		i = int32(len(t.list))
		t.byKey[key] = append(t.byKey[key], i)
		t.list = append(t.list, Class{First: linear, Counts: slices.Clone(counts)})
	}
	c := &t.list[i]
	c.CTAs++
	c.First = min(c.First, linear)
	if t.perOf {
		t.of[linear] = i
	}
}

// HashCounts is FNV-1a over words; equality is checked exactly, so only speed
// depends on it.
func HashCounts(counts []uint64) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range counts {
		h = (h ^ c) * 1099511628211
		h ^= h >> 29
	}
	return h
}

// sorted returns the classes in the order of their first CTA, and each CTA's
// class under that order.
func (t *classTable) sorted() ([]Class, map[int64]int32) {
	order := make([]int32, len(t.list))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return int(min(max(t.list[a].First-t.list[b].First, -1), 1))
	})
	rank := make([]int32, len(order))
	list := make([]Class, len(order))
	for i, k := range order {
		rank[k] = int32(i)
		list[i] = t.list[k]
	}
	for linear, k := range t.of {
		t.of[linear] = rank[k]
	}
	return list, t.of
}
