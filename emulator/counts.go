package emulator

import (
	"cmp"
	"slices"
	"sync"

	"hyptx/ir"
)

// Most CTAs of a grid do the same: of a 56 x 56 convolution those inside the image
// differ from those at an edge, and that makes nine sorts among thousands. CTAs with
// equal counters are one class, so that what is derived from counters is derived a
// few times and multiplied, and a profile by CTA is a list of class numbers.

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
	// members say of which class each CTA is; nil if nobody asked.
	members *members
	loops   []LoopCount
	paths   int
	// reserve accounts for the table's memory, of which reserved is the sum.
	reserve  func(bytes int64) error
	reserved int64
}

// members are the classes of CTAs, by their places among those to run; nil: these are all.
type members struct {
	of   []int32
	ctas []int64
}

// place returns the place of a CTA.
func (m *members) place(linear int64) int64 {
	if m.ctas == nil {
		return linear
	}
	place, _ := slices.BinarySearch(m.ctas, linear)
	return int64(place)
}

// What a class takes beside its counters, and the number of a CTA's class, in bytes.
const (
	classBytes  = 96
	memberBytes = 4
)

// newClassTable returns the table of the CTAs of a launch.
func newClassTable(l *launch) (*classTable, error) {
	t := &classTable{byKey: map[uint64][]int32{}, reserve: l.mem.budget.Reserve}
	if !l.PerCTA {
		return t, nil
	}
	t.reserved = memberBytes * l.todo
	if err := t.reserve(t.reserved); err != nil {
		return nil, err
	}
	t.members = &members{make([]int32, l.todo), l.CTAs}
	return t, nil
}

// add accounts for one CTA.
func (t *classTable) add(linear int64, counts []uint64) error {
	key := HashCounts(counts)
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.byKey[key]
	i, bytes := int32(len(t.list)), int64(0)
	if k := slices.IndexFunc(known, func(k int32) bool { return slices.Equal(t.list[k].Counts, counts) }); k >= 0 {
		i = known[k]
	} else {
		t.byKey[key] = append(known, i)
		t.list = append(t.list, Class{First: linear, Counts: slices.Clone(counts)})
		bytes = classBytes + 8*int64(len(counts))
	}
	c := &t.list[i]
	c.CTAs++
	c.First = min(c.First, linear)
	if m := t.members; m != nil {
		m.of[m.place(linear)] = i
	}
	if bytes == 0 {
		return nil
	}
	err := t.reserve(bytes)
	if err == nil {
		t.reserved += bytes
	}
	return err
}

// drop gives back what the table of a launch that failed took.
func (t *classTable) drop() { _ = t.reserve(-t.reserved) }

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
func (t *classTable) sorted() ([]Class, []int32) {
	order := make([]int32, len(t.list))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(t.list[a].First, t.list[b].First) })
	rank := make([]int32, len(order))
	list := make([]Class, len(order))
	for i, k := range order {
		rank[k] = int32(i)
		list[i] = t.list[k]
	}
	if t.members == nil {
		return list, nil
	}
	for place, k := range t.members.of {
		t.members.of[place] = rank[k]
	}
	return list, t.members.of
}

// LoopCount is how often the warps of a launch went round a loop.
type LoopCount struct {
	// Header is the first instruction of the loop's header.
	Header ir.PC
	// Waiting: each of its exits depends on memory that another thread may write.
	Waiting bool
	// Warps is the number of warps that reached the loop; Min, Max and Sum are
	// over how often each of them issued the header: the trip count, summed
	// over all entries of the loop.
	Warps, Min, Max, Sum uint64
	// DivergentExits counts the divergent executions of branches that leave
	// the loop.
	DivergentExits uint64
}

// add joins the counts of another part of the launch.
func (l *LoopCount) add(m LoopCount) {
	if m.Warps > 0 {
		if l.Warps == 0 || m.Min < l.Min {
			l.Min = m.Min
		}
		l.Max = max(l.Max, m.Max)
	}
	l.Warps += m.Warps
	l.Sum += m.Sum
	l.DivergentExits += m.DivergentExits
}
