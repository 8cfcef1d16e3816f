package reuse

import "math/rand/v2"

// watched finds reuse distances: of an access that is watched, how many accesses of
// lines come before the next use of its line, and of each of its sectors.
type watched struct {
	Options
	random *rand.Rand
	next   uint64 // the access that is watched next
	now    uint64 // accesses of lines so far
	total  uint64 // of sectors
	table  *table
	// since are, by line, the accesses that are watched, plus 1; 0 is none: of the line,
	// then of its sectors.
	since [][1 + sectorsOfLine]uint64
	parts [groups]distances
	full  bool
}

// distances are the reuse distances of some watched accesses: of lines and of sectors.
type distances struct {
	line, sector histogram
	lines        uint64 // accesses that were watched
	sectors      uint64
}

func newWatched(o Options) *watched {
	w := &watched{Options: o, random: rand.New(rand.NewPCG(o.Seed, 0)), table: newTable()}
	for i := range w.parts {
		w.parts[i].line, w.parts[i].sector = histogram{}, histogram{}
	}
	if o.Every > 1 {
		w.next = w.skip()
	}
	return w
}

// skip is how far it is to the next access that is watched: even, so that the mean is
// Every.
func (w *watched) skip() uint64 { return uint64(w.random.Int64N(2*w.Every-1)) + 1 }

// part is where an access that was watched counts.
func (w *watched) part(since uint64) *distances {
	if w.Every == 1 {
		return &w.parts[0]
	}
	return &w.parts[mix(since)%groups]
}

// Access implements Watcher.
func (w *watched) Access(line uint64, sectors uint8) {
	w.total += count(sectors)
	watching := w.now == w.next || w.Every == 1
	w.now++
	n := w.find(line, watching)
	if n < 0 {
		return
	}
	since := &w.since[n]
	if t := since[0]; t != 0 {
		w.part(t).line.add(w.now - t - 1)
		since[0] = 0
	}
	for s := range sectorsOfLine {
		if t := since[1+s]; t != 0 && sectors>>s&1 != 0 {
			w.part(t).sector.add(w.now - t - 1)
			since[1+s] = 0
		}
	}
	if !watching {
		return
	}
	w.next += w.skip()
	p := w.part(w.now)
	p.lines++
	p.sectors += count(sectors)
	since[0] = w.now
	for s := range sectorsOfLine {
		if sectors>>s&1 != 0 {
			since[1+s] = w.now
		}
	}
}

// find returns the number of a line, -1 if nobody watches it.
func (w *watched) find(line uint64, watching bool) int {
	n, fresh := w.table.look(line, watching)
	switch {
	case n < 0:
		return n
	case fresh && len(w.since) == maxLines:
		w.full = true
	case fresh && !w.full:
		w.since = append(w.since, [1 + sectorsOfLine]uint64{})
	}
	if n >= len(w.since) {
		return -1
	}
	return n
}

// Curve implements Watcher.
func (w *watched) Curve() (*Curve, error) {
	if w.full {
		return nil, errTooMany()
	}
	var all distances
	for i := range w.parts {
		all.join(&w.parts[i])
	}
	c := &Curve{Accesses: w.total, Cold: all.scale(w.total) * float64(all.cold())}
	misses := all.misses(w.Method, w.Lines)
	deviations := w.deviations(misses, &all)
	for i, l := range w.Lines {
		c.Points = append(c.Points, Point{l, all.scale(w.total) * misses[i], deviations[i]})
	}
	return c, nil
}

// deviations are the standard errors of what groups say.
func (w *watched) deviations(misses []float64, all *distances) []float64 {
	list := make([]float64, len(w.Lines))
	if w.Every == 1 {
		return list
	}
	of := make([][]float64, 0, groups)
	for i := range w.parts {
		of = append(of, w.parts[i].misses(w.Method, w.Lines))
	}
	for k := range list {
		ratio := misses[k] / float64(max(all.sectors, 1))
		list[k] = all.scale(w.total) * spread(func(i int) float64 { return of[i][k] - ratio*float64(w.parts[i].sectors) })
	}
	return list
}

// cold are the sectors that were not used again, as many as were not used before.
func (d *distances) cold() uint64 { return d.sectors - d.sector.total() }

// scale is how many accesses each watched one stands for.
func (d *distances) scale(total uint64) float64 {
	return float64(total) / float64(max(d.sectors, 1))
}

func (d *distances) join(o *distances) {
	if d.line == nil {
		d.line, d.sector = histogram{}, histogram{}
	}
	d.line.join(o.line)
	d.sector.join(o.sector)
	d.lines += o.lines
	d.sectors += o.sectors
}
