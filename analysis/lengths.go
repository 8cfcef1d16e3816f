package analysis

import "hyptx/internal/sim"

// How long a launch takes whose CTAs do unequal amounts of work rests on which of them do how much:
// a long one that begins last is waited for by all others.

// mostLengths bounds the CTAs of a launch whose lengths are kept (own choice): a schedule of as many takes
// a tenth of a second, and of more the longest are a small part.
const mostLengths = 1 << 18

// wantsLengths reports whether somebody wants to know how long each CTA of a launch is.
func (s *Session) wantsLengths(l *launchPlan) bool {
	return (s.Options.LongestWarp || s.simulates) && l.ctas() <= mostLengths
}

// lengths returns the warp instructions of each CTA, nil where all have about as many.
func (lp *LaunchProfile) lengths() *sim.Lengths {
	o := lp.outcome
	if len(o.parts) == 1 && len(o.results[0].Classes) == 1 {
		return nil
	}
	var of [][]uint64 // of the classes of each part
	for i := range o.parts {
		p := &o.parts[i]
		var classes []uint64
		for _, c := range o.results[i].Classes {
			one := newExecuted(p, c.Counts)
			classes = append(classes, one.n[WarpInstructions]*p.weight/p.each)
		}
		of = append(of, classes)
	}
	list := make(sim.Lengths, 0, lp.plan.ctas())
	for cta := range lp.plan.inOrder() {
		standIn, n, found := o.standIn(cta), uint64(0), false
		for i, classes := range of {
			if class, is := o.parts[i].classOf(o.results[i], standIn); is {
				n, found = n+classes[class], true
			}
		}
		if !found {
			return nil
		}
		list = append(list, float32(n))
	}
	if !list.Uneven() {
		return nil
	}
	return &list
}
