package emulator

import (
	"testing"

	"hyptx/ir/isa"
)

// leastOfRound is how many lane operations of a form there are in a round at least: of 10,000
// there are five rounds.
const leastOfRound = 2000

// BenchmarkSpellings is TestSpellings over and over, each round with operands of its own: how
// many lane operations a second the emulator and its references are held against each other
// in, and how often the form comes that comes least. A difference ends it. -benchtime=100x
// are a hundred rounds.
func BenchmarkSpellings(b *testing.B) {
	counts := map[*isa.Form]uint64{}
	for round := range b.N {
		for _, f := range isa.Forms() {
			ref := references[f.Op]
			if ref == nil || Unsupported(f) != "" || Unproven(f) != "" {
				continue
			}
			for again := uint64(0); counts[f] < uint64(round+1)*leastOfRound; again++ {
				for _, p := range proofsOf(f, spellingsOf(f), 32+uint64(round)+again<<32) {
					p.check(b, ref)
					counts[f] += uint64(len(p.cases) * p.threads())
				}
			}
		}
	}
	total, least := uint64(0), uint64(1)<<62
	for _, n := range counts {
		total, least = total+n, min(least, n)
	}
	b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "lane-ops/s")
	b.ReportMetric(float64(total)/float64(b.N), "lane-ops/op")
	b.ReportMetric(float64(least)/float64(b.N), "lane-ops-of-rarest-form/op")
}
