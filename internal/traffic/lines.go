package traffic

import "hyptx/internal/traffic/stream"

// Atomics of one line of the L2 come one after the other, and those of a few lines, as of the bins of
// a histogram, are what a launch waits for, however much the GPU could do beside it. How many
// come to which line is counted with a hash of the line's number: lines that have a place in common are told as
// one, which matters where there are many of them, and then each has few.

// Lines are the atomics in global memory by lines.
type Lines [linePlaces]Line

// Line is what atomics ask of a line of 128 bytes: Sectors, as many for an instruction of a warp as it
// touches there, and Lanes, as many as want one word, at least one.
type Line struct{ Sectors, Lanes uint64 }

const (
	linePlaces    = 1 << linePlaceBits
	linePlaceBits = 13
	lineSectors   = stream.BlockSectors
)

// place returns where a line is counted (Fibonacci hashing).
func (l *Lines) place(line uint64) *Line { return &l[line*0x9e3779b97f4a7c15>>(64-linePlaceBits)] }

// addAtomic counts an atomic whose first lane's sector is base.
func (t *Counts) addAtomic(c *Cost, base uint64) {
	if t.Lines == nil {
		t.Lines = new(Lines)
	}
	lines, last := uint64(0), ^uint64(0)
	for _, cell := range c.cells {
		if line := (base + cell.Sector) / lineSectors; line != last {
			lines, last = lines+1, line
		}
	}
	lanes := max(1, uint64(c.passes)/lines)
	last = ^uint64(0)
	for _, cell := range c.cells {
		line := (base + cell.Sector) / lineSectors
		of := t.Lines.place(line)
		of.Sectors++
		if line != last {
			of.Lanes += lanes
		}
		last = line
	}
}

// Add returns lines with what was counted elsewhere besides, n times; either may be nil, which is none.
func (l *Lines) Add(of *Lines, n uint64) *Lines {
	if of == nil {
		return l
	}
	if l == nil {
		l = new(Lines)
	}
	for i := range l {
		l[i].Sectors += n * of[i].Sectors
		l[i].Lanes += n * of[i].Lanes
	}
	return l
}

// Times returns lines with so many times as much; nil stays nil.
func (l *Lines) Times(f float64) *Lines {
	if l == nil {
		return nil
	}
	of := new(Lines)
	for i, x := range l {
		of[i] = Line{uint64(f * float64(x.Sectors)), uint64(f * float64(x.Lanes))}
	}
	return of
}

// Most returns the most sectors and the most lanes that a line has; nil has none.
func (l *Lines) Most() (of Line) {
	if l == nil {
		return of
	}
	for _, x := range l {
		of.Sectors, of.Lanes = max(of.Sectors, x.Sectors), max(of.Lanes, x.Lanes)
	}
	return of
}
