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
	// Program is the one that findings are of which are added next.
	Program string
	all     []*Finding
	index   map[key]*Finding
}

// key is what makes two findings one.
type key struct {
	kind                  Kind
	file, kernel, program string
	at                    uint32
	other                 int64
}

// Add adds a finding, or its count to the one like it.
func (l *List) Add(f Finding) {
	f.Program = cmp.Or(f.Program, l.Program)
	k := key{f.Kind, f.At.File, f.Kernel, f.Program, f.At.PC, f.otherPC()}
	if other := f.otherPC(); f.Group() == Races && other > int64(k.at) { // whichever comes first
		k.at, k.other = uint32(other), int64(k.at)
	}
	if had := l.index[k]; had != nil {
		if had.Count += f.Count; f.Far > had.Far {
			f.Count, f.Launch, f.Name = had.Count, had.Launch, had.Name
			*had = f
		}
		return
	}
	if l.index == nil {
		l.index = map[key]*Finding{}
	}
	l.index[k] = &f
	l.all = append(l.all, &f)
}

// Findings returns all, by kernel in the order of first launches, kind and place; but for
// those that say what another one does, of the same lines once.
func (l *List) Findings() []*Finding {
	first := map[Kernel]int{}
	var told []*Finding
	for i, f := range l.all {
		if _, had := first[f.kernel()]; !had {
			first[f.kernel()] = i
		}
		if slices.ContainsFunc(l.all, func(g *Finding) bool { return g.says(f) }) {
			continue
		}
		if k := slices.IndexFunc(told, func(g *Finding) bool { return g.same(f) }); k >= 0 {
			both := *told[k]
			both.Count += f.Count
			told[k] = &both
			continue
		}
		told = append(told, f)
	}
	return slices.SortedStableFunc(slices.Values(told), func(a, b *Finding) int {
		return cmp.Or(first[a.kernel()]-first[b.kernel()], a.compare(b))
	})
}

// says reports whether f makes g needless: a race of the same accesses, of which g has only
// those of equal values, or an update without an atomic, of which g has the stores alone.
func (f *Finding) says(g *Finding) bool {
	if f.Kind != Race && f.Kind != Volatile || g.Group() != Races || f == g || f.Other == nil || g.Other == nil || f.kernel() != g.kernel() || f.At.File != g.At.File {
		return false
	}
	same := f.At.PC == g.At.PC && f.Other.PC == g.Other.PC || f.At.PC == g.Other.PC && f.Other.PC == g.At.PC
	store := g.At.PC == g.Other.PC && (f.At.PC == g.At.PC || f.Other.PC == g.At.PC)
	return same && g.Kind == BenignRace || store && f.Updates && !g.Updates
}

// same reports whether two races are the same to who reads the source: lines and sentence. A loop
// that was unrolled, or a line that is compiled to several accesses, has many such.
func (f *Finding) same(g *Finding) bool {
	return f.Group() == Races && f.Kind == g.Kind && f.Other != nil && g.Other != nil && f.At.Source.Line > 0 && f.Other.Source.Line > 0 &&
		f.At.Source == g.At.Source && f.Other.Source == g.Other.Source && f.Why == g.Why && f.Object == g.Object && f.kernel() == g.kernel()
}
