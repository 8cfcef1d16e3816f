package analysis

import (
	"errors"
	"io"

	"github.com/gocarina/gocsv"
)

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

// PerCTA calls f for every CTA of every launch. A CTA that another one stood
// for has that one's counts.
func (p *Profile) PerCTA(f func(*CTARow) error) error {
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

// perCTACounters are those that a row of a CTA shows.
var perCTACounters = [...]Counter{WarpInstructions, Branches, DivergentBranches}

func (lp *LaunchProfile) perCTA(f func(*CTARow) error) error {
	o, times := lp.outcome, lp.standsFor()
	ctas := lp.plan.ctas()
	// classOf gives, for each part, the class of a CTA.
	ran := make([][]Facts, len(o.results))
	for i, res := range o.results {
		for _, c := range res.Classes {
			ran[i] = append(ran[i], newExecuted(o.prog, c.Counts))
		}
	}
	keys := map[string]int{}
	for cta := range ctas {
		var sum [NumCounters]uint64
		key := make([]byte, 0, 8)
		for i, res := range o.results {
			p := &o.parts[i]
			class := int(res.CTAClass[p.standIn(lp.plan, int64(cta))])
			for _, c := range perCTACounters {
				sum[c] += p.weight / p.each * times * ran[i][class].n[c]
			}
			key = append(key, byte(class), byte(class>>8), byte(class>>16))
		}
		if _, ok := keys[string(key)]; !ok {
			keys[string(key)] = len(keys)
		}
		row := &CTARow{
			Network: lp.Network, Kernel: lp.KernelName, Launch: lp.Name(), CTA: cta,
			WarpInstructions: sum[WarpInstructions], Branches: sum[Branches], DivergentBranches: sum[DivergentBranches], Class: keys[string(key)],
		}
		if err := f(row); err != nil {
			return err
		}
	}
	return nil
}

// WritePerCTA writes the CSV of --per-cta, batch by batch: a launch may have
// millions of CTAs.
func (p *Profile) WritePerCTA(w io.Writer, s Stamp) error {
	out := newStampWriter(w, s)
	batch := make([]*CTARow, 0, 1024)
	if err := gocsv.MarshalCSV(batch, out); err != nil { // the header
		return err
	}
	flush := func() error {
		err := gocsv.MarshalCSVWithoutHeaders(batch, out)
		batch = batch[:0]
		return err
	}
	err := p.PerCTA(func(r *CTARow) error {
		if batch = append(batch, r); len(batch) == cap(batch) {
			return flush()
		}
		return nil
	})
	return errors.Join(err, flush())
}
