package adder

import (
	"errors"
	"fmt"
	"slices"
)

// Point is a design with what the paper leaves open about it.
type Point struct {
	Design Design
	Width  int // of slices
	Update Update
	Intra  Intra
	// Arbitration other than Ideal makes it a carry register file.
	Arbitration Arbitration
	Seed        uint64
	// Untrusted: slices whose carry-in peeking told do not compute again.
	Untrusted bool
}

// Order says in which order the additions of the warps of an SM are made.
type Order string

// The orders.
const (
	// RoundRobin: each sub-core has its warps make an addition in turn.
	RoundRobin Order = "round-robin"
	// Emulated: a warp after the other, as they are emulated.
	Emulated Order = "emulated"
)

// Options say what is modelled.
type Options struct {
	Designs []string // Paper() if there are none
	Widths  []int
	Updates []Update
	Intras  []Intra
	// Arbitrations are those of designs that can be built as a carry register file,
	// each with each of the seeds.
	Arbitrations []Arbitration
	Seeds        []uint64
	Untrusted    bool
	Order        Order
	// SMs is how many SMs CTAs go to in turn; Resident how many CTAs one has at a
	// time, 0 for as many as fit.
	SMs, Resident int
	PCShift       uint
	// PerPC asks for counts by instruction, Flips for the bits that change.
	PerPC, Flips bool
	// Threads are those whose results are kept, by their numbers in the grid.
	Threads []uint64
}

// DefaultOptions are what the paper has on 80 SMs.
func DefaultOptions() Options {
	return Options{
		Widths: []int{8}, Updates: []Update{Always, OnMiss}, Intras: []Intra{Sequential},
		Arbitrations: []Arbitration{Port}, Seeds: []uint64{1, 2, 3}, Order: RoundRobin, SMs: 80, Flips: true,
	}
}

// Model is what is modelled: points, and how.
type Model struct {
	Options
	// Points are in the order of rows; those of one width follow each other.
	Points []*Point
	banks  []modelBank
	// chosen is the point that counts by instruction are of, by bank 0, -1 for none.
	chosen int
}

// modelBank are the points of one width.
type modelBank struct {
	width  int
	points []*Point
}

// NewModel checks options.
func NewModel(o Options) (*Model, error) {
	m := &Model{Options: o, chosen: -1}
	if len(m.Designs) == 0 {
		m.Designs = Paper()
	}
	if len(o.Widths)*len(o.Updates)*len(o.Intras) == 0 || len(o.Arbitrations) > 0 && len(o.Seeds) == 0 || o.SMs < 1 {
		return nil, errors.New("at least one width, update rule, order of lanes, seed and SM is needed")
	}
	for i, bits := range o.Widths {
		if err := checkWidth(bits); err != nil {
			return nil, err
		}
		if slices.Contains(o.Widths[:i], bits) {
			return nil, fmt.Errorf("slices of %d bits are asked for twice", bits)
		}
		bank := modelBank{width: bits}
		for _, name := range m.Designs {
			d, err := ParseDesign(name)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(bank.points, func(p *Point) bool { return p.Design.Name == d.Name }) {
				return nil, fmt.Errorf("the design %s is asked for twice", d.Name)
			}
			bank.points = append(bank.points, o.points(d, bits)...)
		}
		m.banks = append(m.banks, bank)
		m.Points = append(m.Points, bank.points...)
	}
	for i, p := range m.banks[0].points {
		if p.Design.Name == Chosen && p.Update == OnMiss && p.Arbitration == Ideal {
			m.chosen = i
		}
	}
	return m, nil
}

// points returns those of a design. What has no history has no rule of updates, and
// without peeking the rules are the same: a bit that is not wrong stays as it is. Only
// where lanes share an entry does their order matter.
func (o *Options) points(d Design, bits int) (list []*Point) {
	p := Point{Design: d, Width: bits, Update: Always, Intra: Sequential, Arbitration: Ideal, Untrusted: o.Untrusted}
	if !makers[d.Base].indexed {
		return []*Point{&p}
	}
	shares := !d.Index.Thread && !d.Index.Lane
	updates := o.Updates
	if !d.Peek {
		updates = updates[:1]
	}
	for _, u := range updates {
		for _, intra := range o.Intras {
			if !shares && intra != o.Intras[0] {
				continue
			}
			q := p
			q.Update, q.Intra = u, intra
			if !shares {
				q.Intra = Sequential
			}
			list = append(list, &q)
		}
	}
	if !d.buildable() {
		return list
	}
	for _, a := range o.Arbitrations {
		for _, seed := range o.Seeds {
			if a == Ideal || a == None && seed != o.Seeds[0] {
				continue
			}
			q := p
			q.Update, q.Arbitration, q.Seed = OnMiss, a, seed
			list = append(list, &q)
		}
	}
	return list
}

// buildable reports whether a design is a register file with an element for each lane
// and few rows, as the paper builds one.
func (d *Design) buildable() bool {
	const mostRowBits = 4
	return d.Peek && d.Index.Lane && !d.Index.Thread && d.Index.PC == ModPC && d.Index.Bits <= mostRowBits
}

// Corrected reports whether a wrong prediction costs a cycle, not the sum.
func (p *Point) Corrected() bool { return makers[p.Design.Base].predictor == nil }
