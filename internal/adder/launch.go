package adder

import "sync"

// Launch are the SMs of a GPU while a launch runs: each has tables of its own, empty at
// the start, and gets every so many-th CTA. So SMs can be run side by side, each by one
// worker, and give the same whoever runs them.
type Launch struct {
	model    *Model
	ctas     int64
	warps    int // of a CTA
	threads  int
	resident int64
	mu       sync.Mutex
	sms      []*SM // by number; nil before its first CTA
	// spare and desks are what SMs had that have ended: desks by bank.
	spare []*Stream
	desks [][]*desk
}

// Launch begins a launch of so many CTAs of so many threads; resident is how many of
// them an SM has at a time, unless the options say.
func (m *Model) Launch(ctas int64, threads, resident int) *Launch {
	if m.Resident > 0 {
		resident = m.Resident
	}
	l := &Launch{model: m, ctas: ctas, warps: (threads + Lanes - 1) / Lanes, threads: threads, resident: int64(max(resident, 1))}
	l.Restart()
	return l
}

// Restart forgets everything: the launch runs again.
func (l *Launch) Restart() {
	l.sms, l.desks = make([]*SM, l.SMs()), make([][]*desk, len(l.model.banks))
}

// SMs is how many SMs have CTAs.
func (l *Launch) SMs() int64 { return min(int64(l.model.SMs), l.ctas) }

// onSM is how many CTAs an SM has in all.
func (l *Launch) onSM(sm int64) int64 { return (l.ctas - sm + l.SMs() - 1) / l.SMs() }

// Next is the CTA that an SM gets after a number of others; false if there is none.
func (l *Launch) Next(sm, others int64) (cta int64, ok bool) {
	cta = sm + others*l.SMs()
	return cta, cta < l.ctas
}

// Begin begins a CTA, by its linear index. CTAs of one SM begin in order, and not side by
// side.
func (l *Launch) Begin(linear int64) *CTA {
	n := linear % l.SMs()
	l.mu.Lock()
	s := l.sms[n]
	if s == nil {
		s = &SM{launch: l, number: n, groups: map[int64][]*CTA{}, free: l.spare}
		l.spare = nil
		for i := range l.model.banks {
			s.banks = append(s.banks, newBank(l.model.banks[i].width, l.model.banks[i].points, l.spareDesk(i)))
		}
		if l.model.PerPC {
			s.banks[0].tell(l.model.chosen, s.countPredictions)
		}
		l.sms[n] = s
	}
	l.mu.Unlock()
	return s.begin(linear, linear/l.SMs())
}

// End ends a CTA. An SM that has had all of its own keeps its counts alone.
func (l *Launch) End(c *CTA) {
	s := c.sm
	s.end(c)
	if s.ended < l.onSM(s.number) {
		return
	}
	for _, b := range s.banks {
		b.end()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spare = append(l.spare, s.free...)
	s.free = nil
	for i, b := range s.banks {
		l.desks[i] = append(l.desks[i], b.forget())
	}
}

// spareDesk returns one for a bank that another SM had, or a new one.
func (l *Launch) spareDesk(bank int) *desk {
	n := len(l.desks[bank])
	if n == 0 {
		return &desk{}
	}
	d := l.desks[bank][n-1]
	l.desks[bank] = l.desks[bank][:n-1]
	return d
}

// Result is what launches came to.
type Result struct {
	Model *Model
	// Counts are by point and kind, Work by width and kind.
	Counts [][Kinds]Counts
	Work   [][Kinds]Work
	// PCs are by instruction; Values in the order of threads and time.
	PCs    []PCCounts
	Values []Value
	// launches that were added up.
	launches uint32
}

// NewResult returns that of no launch.
func (m *Model) NewResult() *Result {
	return &Result{Model: m, Counts: make([][Kinds]Counts, len(m.Points)), Work: make([][Kinds]Work, len(m.banks))}
}

// Result returns what the launch came to, once it has ended: the SMs in order, so that
// sums of floating-point numbers do not depend on who was faster.
func (l *Launch) Result() *Result {
	r := l.model.NewResult()
	for _, s := range l.sms {
		if s == nil {
			continue
		}
		point := 0
		for i, b := range s.banks {
			b.end()
			for k := range Kinds {
				r.Work[i][k].Plus(&b.work[k])
			}
			for _, counts := range b.counts {
				for k := range Kinds {
					r.Counts[point][k].Plus(&counts[k])
				}
				point++
			}
		}
		r.addPCs(s.pcs)
		r.Values = append(r.Values, s.values...)
	}
	r.sortValues()
	r.launches = 1
	return r
}

// Plus adds another launch of the same model.
func (r *Result) Plus(o *Result) {
	for i := range o.Counts {
		for k := range Kinds {
			r.Counts[i][k].Plus(&o.Counts[i][k])
		}
	}
	for i := range o.Work {
		for k := range Kinds {
			r.Work[i][k].Plus(&o.Work[i][k])
		}
	}
	r.addPCs(o.PCs)
	for _, v := range o.Values {
		v.Launch += r.launches
		r.Values = append(r.Values, v)
	}
	r.launches += o.launches
}
