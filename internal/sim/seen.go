package sim

import "context"

// seen are the CTAs that were simulated of a launch of which most were not, for as long as nobody
// knows whether the others are as long.
type seen struct {
	lengths Lengths  // in instructions of the machine
	whole   []placed // those that were seen to their ends, in the order in which they came
	longest *CTA
	most    float32 // its length
	code    *Code
	config  *Config
	// pace is that of the part of the GPU that was simulated; without Full, and until it is known
	// without Alone.
	pace     Pace
	interval float64 // of the whole GPU, in cycles
	// So many instructions were issued in the cycles in which all places were taken.
	issued, full float64
}

// placed is a CTA by its place in the launch, and its instructions of the machine.
type placed struct {
	place        int64
	instructions float32
}

// add adds a CTA that is simulated.
func (s *seen) add(c *Code, cta *CTA) {
	n := float32(c.instructions(cta))
	if !cta.Cut {
		s.whole = append(s.whole, placed{cta.Place, n})
	}
	if s.lengths = append(s.lengths, n); n > s.most {
		s.most, s.longest = n, cta
	}
}

// of says of which launch they are.
func (s *seen) of(r *running) *seen {
	s.code, s.config = r.code, r.config
	busy := max(r.result.Busy.Issue, r.result.Busy.L1, r.result.Busy.NoC)
	for _, share := range r.result.Busy.Units {
		busy = max(busy, share)
	}
	s.pace = Pace{SMs: int(r.plan.sms), PerSM: r.perSM, Interval: 1 / r.plan.scaled(r.config).Launch.CTAsPerCycle, Shared: max(r.result.Busy.DRAM, r.result.Busy.L2) > busy}
	s.interval = 1 / r.config.Launch.CTAsPerCycle
	// Until a place stays empty; later they are no faster.
	s.full = r.ends[max(0, len(r.ends)-s.pace.SMs*s.pace.PerSM)].Cycles()
	s.issued = max(r.result.issuedBy(s.full), float64(r.result.Issued)*s.full/r.result.Cycles)
	return s
}

// aloneInstructions are simulated of a CTA by itself (own choice).
const aloneInstructions = 1 << 16

// FollowLongest simulates the longest CTA once more, with the GPU for itself, as [Estimate.Unequal]
// needs, where it is not known yet. Without it, the CTAs of the launch are taken to be equal.
func (e *Estimate) FollowLongest(ctx context.Context) error {
	s := e.seen
	if s == nil || s.longest == nil {
		return nil
	}
	m := *s.config
	m.SMs, m.L2.Had = 1, float64(e.Whole.ReadHits)/float64(max(e.Whole.Reads, 1))
	part := min(1, aloneInstructions/float64(s.most))
	half, halfCycles, err := s.runAlone(ctx, &m, part/2)
	if err != nil {
		return err
	}
	whole, cycles, err := s.runAlone(ctx, &m, part)
	if err != nil {
		return err
	}
	if s.pace.Alone = whole / cycles; whole > half && cycles > halfCycles {
		s.pace.Alone = (whole - half) / (cycles - halfCycles)
	}
	s.pace.Start = max(0, s.pace.Alone*cycles-whole)
	if s.pace.Full = (s.issued + s.pace.Start*float64(len(s.lengths))) / s.full; !s.pace.Shared {
		s.pace.Full /= float64(s.pace.SMs)
	}
	s.longest, s.code, s.config = nil, nil, nil
	return nil
}

// runAlone runs the beginning of the longest CTA, and returns how many instructions that is and how many
// cycles it takes.
func (s *seen) runAlone(ctx context.Context, m *Config, part float64) (instructions, cycles float64, err error) {
	g, err := New(m)
	if err != nil {
		return 0, 0, err
	}
	begin := s.code.beginning(s.longest, part)
	instructions = float64(s.code.instructions(begin))
	r, err := g.Run(ctx, &Launch{Code: s.code, CTAsPerSM: 1, Next: func(int) (next *CTA, err error) {
		next, begin = begin, nil
		return next, nil
	}})
	if err != nil {
		return 0, 0, err
	}
	return instructions, r.Cycles, nil
}

// Equal says that all CTAs of the launch are about as long: what is known of single ones goes.
func (e *Estimate) Equal() { e.seen = nil }

// leastUnseen is what share of a launch CTAs are at least that are like none that was seen whole for the rest
// of the counted instructions to be theirs: counts are an estimate, that of few would be all error (own choice).
const leastUnseen = 0.1

// mostApart is how many times as many instructions of the machine an instruction of the text may be in
// those CTAs as in all (own choice).
const mostApart = 2

// InMachine returns the instructions of the machine of a launch's CTAs from those of the text, if the mean
// has so many. What was seen whole is known, and holds for CTAs that are as long in the text; what is left
// of all is shared by the others: a loop is unrolled for a CTA that goes round often, and costs one that
// does not more for each round.
func (e *Estimate) InMachine(text Lengths, mean float64) Lengths {
	of := text.Times(mean / text.Mean())
	if e.seen == nil {
		return of
	}
	known := map[float32]float32{}
	for _, cta := range e.seen.whole {
		known[text[cta.place]] = cta.instructions
	}
	all := of.sum()
	rest, left := 0.0, all // of the others: as if all were alike, and what the known ones leave
	for i, n := range text {
		if is, ok := known[n]; ok {
			left -= float64(is)
		} else {
			rest += float64(of[i])
		}
	}
	if rest < leastUnseen*all || left < rest/mostApart || left > rest*mostApart {
		return of
	}
	for i, n := range text {
		if is, ok := known[n]; ok {
			of[i] = is
		} else {
			of[i] *= float32(left / rest)
		}
	}
	return of
}

// Unequal returns the cycles of a launch whose CTAs are so long, which would take so many if all were
// of the mean length.
func (e *Estimate) Unequal(l Lengths, equal float64) float64 {
	if e.seen == nil || e.seen.pace.Alone == 0 {
		return equal
	}
	s, p := e.seen, e.seen.pace
	if p.SMs, p.Interval = int(e.Of), s.interval; p.Shared {
		p.Full *= float64(e.Of) / float64(e.SMs)
	}
	// That all of those that were seen are about as long says that equal is of the mean. Else the longest
	// is in it already, with its beginning at least.
	if !s.lengths.Uneven() {
		return p.Unequal(l, equal)
	}
	// What it took longer than it should have, by this, is of the work, not of the longest CTAs.
	some := &s.pace
	equally := p.Equal(len(l), l.Mean()) / some.Equal(len(s.lengths), s.lengths.Mean())
	return p.Makespan(l) + equally*(e.Result.Cycles-some.Makespan(s.lengths))
}
