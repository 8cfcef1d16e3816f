package sim

import (
	"math"
	"slices"

	"hyptx/internal/rows"
)

// Atomics meet in the L2, whichever SMs they come from: those on a line at its slice, and those
// on a word there one after the other. Fewer SMs send fewer of them, but a line is in one slice
// all the same. So where CTAs of the whole launch want a line, an atomic of the part that is
// simulated stands for those of the others as well: it keeps the line, and the slice of
// the whole GPU that this is in, for as long as all of them do. Where a CTA has a line for itself, or a
// few neighbours do, nobody else comes to it. Which of these it is the simulation sees by how
// far apart in the part those are that have come.

// meetings are where atomics of a part of the GPU meet those of the rest.
type meetings struct {
	size, across int64     // CTAs of a wave, and of a row of it
	part         rectangle // of a wave that is simulated
	// beside and below are how many CTAs of a row and of a column each of the part stands for.
	beside, below float64
	lines         []meeting // of the L2
	// slices are when each of the whole GPU takes the next atomic on a line that is shared.
	slices []Tick
	deeper Tick // is how much further than in the whole GPU each may be taken ahead
}

// meeting is who has come to a line: CTAs of these columns and rows. From the first of them on
// their atomics have taken so much of its slice, and of the word that takes longest; 0: none has come.
type meeting struct {
	left, right, top, bottom int32
	first, slice, word       Tick
}

// machine returns the GPU that is simulated, of a whole one, for a launch.
func (p *plan) machine(whole *Config, c *Code) *GPU {
	g := mustNew(p.scaled(whole))
	if p.sms < p.of && slices.ContainsFunc(c.ops, func(o op) bool { return kindOf(o.kind) == atomicRequest }) {
		g.memory.others = p.meetings(whole, len(g.memory.l2.lines))
	}
	return g
}

// meetings returns those of a part of a GPU, whose L2 has so many lines.
func (p *plan) meetings(whole *Config, lines int) *meetings {
	all := float64(p.size) / float64(p.share)
	s := &meetings{size: p.size, across: p.across, part: p.whole, lines: make([]meeting, lines), slices: make([]Tick, whole.L2.Slices)}
	if s.part.wide == 0 {
		s.across, s.part = p.size, rectangle{p.share, 1}
	}
	// Of few that each take so many times as long those for a slice vary more from time to time than
	// those of all do: by the root of that (own choice, with which random atomics on 128 lines come out as on all SMs).
	s.deeper = Cycles((math.Sqrt(all) - 1) * sliceQueue * blockSectors * sectorBytes * float64(whole.L2.Slices) / whole.L2.BytesPerCycle)
	s.beside = min(all, float64(s.across)/float64(s.part.wide))
	s.below = all / s.beside
	return s
}

// comes notes that a CTA has come to a line, and returns for how many each that does stands.
func (s *meetings) comes(l *meeting, place int64, t Tick) float64 {
	at := place % s.size
	row, column := int32(at/s.across), int32(at%s.across)
	if l.slice == 0 {
		*l = meeting{left: column, right: column, top: row, bottom: row, first: t}
	}
	l.left, l.right = min(l.left, column), max(l.right, column)
	l.top, l.bottom = min(l.top, row), max(l.bottom, row)
	beside, below := reaches(l.left, l.right, s.part.wide), reaches(l.top, l.bottom, s.part.high)
	times := 1.0
	// Of a single row or column nobody can tell how far it goes: as in the other direction.
	if beside || below && s.part.wide == 1 {
		times *= s.beside
	}
	if below || beside && s.part.high == 1 {
		times *= s.below
	}
	return times
}

// reaches reports whether these, from first to last, are half of a part's width or more (own choice): then they
// are taken to go on beyond it.
func reaches(first, last int32, width int64) bool {
	return width > 1 && 2*int64(last-first+1) >= width
}

// slice returns the one of the whole GPU that a block is in.
func (s *meetings) slice(block uint64) *Tick {
	return &s.slices[rows.Spread(block, uint64(len(s.slices)))]
}

// meet lets an atomic, which came to its slice and finds its line there at t, wait for those
// before it; it returns when it is done.
func (s *memory) meet(r *request, at int32, sectors, came, t Tick) Tick {
	word := Tick(r.lanes) * s.sameWord
	taken := word // by those that it stands for
	if s.others != nil {
		l := &s.others.lines[at]
		cost := sectors * max(s.served, s.atomic)
		sent := r.at + s.hit/2 // as early as it would be there if the part's slice did not keep it
		if times := s.others.comes(l, r.place, sent); times > 1 {
			as := func(cost Tick) Tick { return Tick(times * float64(cost)) }
			// Those that came before anybody knew that they stand for others took as long.
			slice := s.others.slice(r.block)
			*slice = max(*slice, sent, l.first+as(l.slice))
			t = max(t, *slice)
			*slice += as(cost)
			s.words[at] = max(s.words[at], l.first+as(l.word))
			taken = as(word)
		}
		l.slice += cost
		l.word += word
	}
	// Who waits for its line does so beside the slice, who waits for its word in it.
	waits := max(s.words[at]-t, 0)
	s.words[at] = t + waits + taken
	s.behind = max(s.behind, came+waits+taken-sliceQueue*blockSectors*s.served)
	s.last = max(s.last, s.words[at])
	return t + waits + word
}

// met returns up to when the slice of a block of the whole GPU is taken by atomics for others; those
// that come to it were sent to the L2 half its way ago.
func (s *memory) met(block uint64) Tick {
	if s.others == nil {
		return 0
	}
	return *s.others.slice(block) - s.hit/2 - s.others.deeper
}
