package adder

// uniform is a predictor that predicts the same of all slices of a lane.
type uniform interface {
	Predictor
	// guess returns the lanes whose slices are predicted to carry, and learns.
	guess(x *Vectors) uint32
}

// uniformDesign are the points of one such predictor, -1 where nobody asks: one that peeks
// and one that does not learn the same.
type uniformDesign struct {
	base       string
	predictor  uniform
	bare, peek int
	untrusted  bool
	predicted  guesses // the first row
	accounts   [2][Kinds]account
}

// uniformly are the designs of an SM of such predictors.
type uniformly []*uniformDesign

// take adds a point.
func (u *uniformly) take(number int, p *Point, predictor uniform) {
	for _, d := range *u {
		switch {
		case d.base != p.Design.Base || d.untrusted != p.Untrusted:
		case p.Design.Peek && d.peek < 0:
			d.peek = number
			return
		case !p.Design.Peek && d.bare < 0:
			d.bare = number
			return
		}
	}
	d := &uniformDesign{base: p.Design.Base, predictor: predictor, bare: number, peek: -1, untrusted: p.Untrusted}
	if p.Design.Peek {
		d.bare, d.peek = -1, number
	}
	*u = append(*u, d)
}

// add has the predictors guess for an addition that will be the k-th of its page, but for those that
// always guess the same.
func (u uniformly) add(k int, x *Vectors) {
	for _, d := range u {
		var p uint32
		switch is := d.predictor.(type) {
		case static:
			continue
		case *broadcast: // a call of its own, which costs less
			p = is.guess(x)
		default:
			p = is.guess(x)
		}
		d.predicted.of(x.Kind)[0][k%pageLength] = p
	}
}

// pay has it pay for a page.
func (d *uniformDesign) pay(r *page) {
	p := d.predicted.of(r.kind)
	if s, ok := d.predictor.(static); ok {
		for k := range p[0] {
			p[0][k] = uint32(s)
		}
	}
	if d.bare >= 0 {
		of := r.of(p, false)
		of.same = true
		use.pay(r, of, &d.accounts[0][r.kind])
	}
	if d.peek >= 0 {
		of := r.of(p, true)
		of.same, of.untrusted = true, d.untrusted
		use.pay(r, of, &d.accounts[1][r.kind])
	}
}
