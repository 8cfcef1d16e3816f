package adder

// uniform is a predictor that predicts the same of all slices of a lane.
type uniform interface {
	// guess sets the lanes of a batch's additions whose slices are predicted to carry, in the first
	// rows of guesses, and learns.
	guess(q *batch)
}

// uniformDesign are the points of one such predictor, -1 where nobody asks: one that peeks
// and one that does not learn the same.
type uniformDesign struct {
	base       string
	predictor  uniform
	bare, peek int
	untrusted  bool
	accounts   [2][Kinds]account
}

// uniformly are the designs of an SM of such predictors.
type uniformly []*uniformDesign

// take adds a point.
func (u *uniformly) take(number int, p *Point, made func(*Point) uniform) {
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
	d := &uniformDesign{base: p.Design.Base, predictor: made(p), bare: number, peek: -1, untrusted: p.Untrusted}
	if p.Design.Peek {
		d.bare, d.peek = -1, number
	}
	*u = append(*u, d)
}

// work has it predict a batch, and pay.
func (d *uniformDesign) work(q *batch) {
	d.predictor.guess(q)
	for i := range q.used {
		p := &q.pages[i]
		if d.bare >= 0 {
			of := p.of(false)
			of.same = true
			use.pay(p, of, &d.accounts[0][p.kind])
		}
		if d.peek >= 0 {
			of := p.of(true)
			of.same, of.untrusted = true, d.untrusted
			use.pay(p, of, &d.accounts[1][p.kind])
		}
	}
}
