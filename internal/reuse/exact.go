package reuse

import "slices"

// exact is one pass of stack distances.
type exact struct {
	Options
	table *table
	order *order
	// far are, of each line, the largest distances of its uses since the last one of
	// each sector: never for a sector that was not used.
	far   [][sectorsOfLine]uint32
	total uint64
	sample
	full bool
}

// never is the distance of what was not there before.
const never = 1<<32 - 1

func newExact(o Options) *exact {
	return &exact{Options: o, table: newTable(), order: newOrder(), sample: newSample(len(o.Lines))}
}

// Access implements Watcher.
func (e *exact) Access(line uint64, sectors uint8) {
	e.total += count(sectors)
	g := &e.groups[0]
	if e.Every > 1 {
		h := mix(line ^ e.Seed)
		if h%uint64(e.Every) != 0 {
			return
		}
		g = &e.groups[h>>32%groups]
	}
	n, fresh := e.table.find(line)
	if fresh {
		if len(e.far) == maxLines {
			e.full = true
		}
		if e.full {
			return
		}
		e.order.add()
		e.far = append(e.far, [sectorsOfLine]uint32{never, never, never, never})
	}
	if e.full && int(n) >= len(e.far) {
		return
	}
	since := uint32(0)
	if !fresh {
		since = uint32(min(int64(e.order.use(n))*e.Every, never-1))
	}
	far := &e.far[n]
	// The sectors of a line are mostly used together, and have one distance.
	of, place := uint32(0), -1
	for s := range far {
		at := max(far[s], since)
		if sectors>>s&1 == 0 {
			far[s] = at
			continue
		}
		if place < 0 || at != of {
			of, place = at, e.place(at)
		}
		g.add(place)
		far[s] = 0
	}
}

// place is the number of capacities that a distance is too long for; one more for what
// misses in all of them.
func (e *exact) place(distance uint32) int {
	if distance == never {
		return len(e.Lines) + 1
	}
	n, found := slices.BinarySearch(e.Lines, int64(distance))
	if found { // as many others were used as there is room for
		n++
	}
	return n
}

// Curve implements Watcher.
func (e *exact) Curve() (*Curve, error) {
	if e.full {
		return nil, errTooMany()
	}
	return e.estimate(e.Lines, e.total, e.Every > 1), nil
}
