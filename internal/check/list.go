package check

import (
	"cmp"
	"slices"
)

// List keeps what was found: each kind once for an instruction, or a pair of them, of a
// kernel, with the first launch and threads that had it, and how often it came. It keeps
// findings in the order in which they come, which is that of launches, so that nothing
// depends on who looks when.
type List struct {
	all   []*Finding
	index map[key]*Finding
}

// key is what makes two findings one.
type key struct {
	kind         Kind
	file, kernel string
	at           uint32
	other        int64
}

// Add adds a finding, or its count to the one like it.
func (l *List) Add(f Finding) {
	k := key{f.Kind, f.At.File, f.Kernel, f.At.PC, f.otherPC()}
	if had := l.index[k]; had != nil {
		had.Count += f.Count
		return
	}
	if l.index == nil {
		l.index = map[key]*Finding{}
	}
	l.index[k] = &f
	l.all = append(l.all, &f)
}

// Findings returns all, by kernel in the order of first launches, kind and place.
func (l *List) Findings() []*Finding {
	first := map[string]int{}
	for i, f := range l.all {
		if _, had := first[f.Kernel]; !had {
			first[f.Kernel] = i
		}
	}
	return slices.SortedStableFunc(slices.Values(l.all), func(a, b *Finding) int {
		return cmp.Or(first[a.Kernel]-first[b.Kernel], a.compare(b))
	})
}
