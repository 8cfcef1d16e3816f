package analysis

import (
	"context"
	"encoding/binary"
	"fmt"

	"hyptx/emulator"
)

// HyPA's question is how control flow differs between CTAs. The emulator answers it as
// it counts: CTAs with equal counters are one class, and a launch is a few classes with
// many CTAs. The table of all CTAs is made from that when somebody asks for it, a row at
// a time: of a million CTAs nothing is kept but the number of their class.
//
// A CTA that was not run has the class and the counts of the one that stood for it.

// CTARow is a row of --per-cta.
type CTARow struct {
	Network           string `csv:"network" json:"network" doc:"which launch"`
	Kernel            string `csv:"kernel" json:"kernel" doc:"^"`
	Launch            string `csv:"launch" json:"launch" doc:"^"`
	CTA               uint64 `csv:"cta" json:"cta" doc:"linear index: x + grid_x (y + grid_y z)"`
	WarpInstructions  uint64 `csv:"warp_instructions" json:"warp_instructions" doc:"as in profile.csv, of this CTA; a CTA that another one stood for has that one's"`
	Branches          uint64 `csv:"branches" json:"branches" doc:"^"`
	DivergentBranches uint64 `csv:"divergent_branches" json:"divergent_branches" doc:"^"`
	Class             int    `csv:"class" json:"class" doc:"number of its class of CTAs with equal counters, from 0 by first CTA. All counters are compared, those of every block, branch and guard, so CTAs of two classes may have equal numbers here"`
}

// perCTA calls f for every CTA of every launch. A CTA that another one stood
// for has that one's counts.
func (p *Profile) perCTA(f func(*CTARow) error) error {
	for _, lp := range p.Launches {
		if lp.outcome == nil {
			continue
		}
		if err := lp.perCTA(f); err != nil {
			return err
		}
	}
	return nil
}

// perCTA makes the rows of one launch. A CTA may have been run in several parts: its
// full warps, represented by one, and its last one (represent.go). Their counts add up,
// each times the warps that it stands for.
func (lp *LaunchProfile) perCTA(f func(*CTARow) error) error {
	o, times := lp.outcome, lp.standsFor()
	// ran is what the classes of each part executed.
	ran := make([][]Facts, len(o.results))
	for i, res := range o.results {
		for _, c := range res.Classes {
			ran[i] = append(ran[i], newExecuted(o.partOf(i), c.Counts))
		}
	}
	classes := o.newCTAClasses()
	for cta := range lp.plan.ctas() {
		standIn := o.standIn(int64(cta))
		row := &CTARow{Network: lp.Network, Kernel: lp.KernelName, Launch: lp.Name(), CTA: cta, Class: classes.of(standIn)}
		for i, res := range o.results {
			p := o.partOf(i)
			class, is := p.classOf(res, standIn)
			if !is {
				continue
			}
			c := &ran[i][class]
			n := p.weight / p.each * times
			row.WarpInstructions += n * c.n[WarpInstructions]
			row.Branches += n * c.n[Branches]
			row.DivergentBranches += n * c.n[DivergentBranches]
		}
		if err := f(row); err != nil {
			return err
		}
	}
	return nil
}

// ctaClasses numbers the classes of CTAs with different counts, in the order of
// asking. The results of the parts have classes already; but where groups of
// CTAs ran slices of their own, the counts of different parts have to be
// compared, and those are kept by each program in its own way.
type ctaClasses struct {
	o *outcome
	// known finds the number of a class by what the results say of a CTA,
	// counted by its counts.
	known, counted map[string]int
}

func (o *outcome) newCTAClasses() *ctaClasses {
	return &ctaClasses{o, map[string]int{}, map[string]int{}}
}

// of returns the class of a CTA that was run.
func (c *ctaClasses) of(cta int64) int {
	var key []byte
	for i, res := range c.o.results {
		if class, is := c.o.partOf(i).classOf(res, cta); is {
			key = binary.LittleEndian.AppendUint32(key, uint32(i))
			key = binary.LittleEndian.AppendUint32(key, uint32(class))
		}
	}
	n, known := c.known[string(key)]
	if known {
		return n
	}
	if n = len(c.known); c.o.filters != nil {
		counts := c.o.countsOf(cta)
		if n, known = c.counted[counts]; !known {
			n = len(c.counted)
			c.counted[counts] = n
		}
	}
	c.known[string(key)] = n
	return n
}

// countClasses returns how many classes there are among the CTAs that were run
// by several slices.
func (o *outcome) countClasses() int {
	c := o.newCTAClasses()
	for i := range o.parts {
		for _, cta := range o.parts[i].ctas {
			c.of(cta)
		}
	}
	return len(c.counted)
}

// countsOf writes down what a CTA counted, whatever slice it ran.
func (o *outcome) countsOf(cta int64) string {
	var total []uint64 // all its warps run one program
	var prog *emulator.Program
	for i, res := range o.results {
		p := o.partOf(i)
		class, is := p.classOf(res, cta)
		if !is {
			continue
		}
		prog = p.prog
		if total == nil {
			total = make([]uint64, len(res.Classes[class].Counts))
		}
		for k, n := range res.Classes[class].Counts {
			total[k] += p.weight / p.each * n
		}
	}
	var b []byte
	add := func(ns ...uint64) {
		for _, n := range ns {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
	}
	prog.EachInstr(total, func(c emulator.InstrCount) { add(c.Issues, c.Lanes, c.PredOn) })
	prog.EachBranch(total, func(c emulator.BranchCount) { add(c.Divergent, c.Targets) })
	inexact := prog.Decisions(total)
	add(prog.DivergentBarriers(total))
	add(inexact[:]...)
	return string(b)
}

// WritePerCTA has the rows of --per-cta written ([RowWriter]), batch by batch: a launch
// may have millions of CTAs. If ctx ends, the rows that are written stay, and the error
// says how many there are.
func (p *Profile) WritePerCTA(ctx context.Context, write func(rows any) error) error {
	batch := make([]*CTARow, 0, 1024)
	if err := write(batch); err != nil { // the header
		return err
	}
	written := 0
	flush := func() error {
		err := write(batch)
		written, batch = written+len(batch), batch[:0]
		if err == nil && ctx.Err() != nil {
			err = fmt.Errorf("only the first %d CTAs of %d are there: %w", written, p.countCTAs(), context.Cause(ctx))
		}
		return err
	}
	err := p.perCTA(func(r *CTARow) error {
		if batch = append(batch, r); len(batch) == cap(batch) {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// countCTAs returns how many rows of CTAs there are.
func (p *Profile) countCTAs() (n uint64) {
	for _, lp := range p.Launches {
		if lp.outcome != nil {
			n += lp.plan.ctas()
		}
	}
	return n
}
