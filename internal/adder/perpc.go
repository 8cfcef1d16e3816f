package adder

import "math/bits"

// PCCounts is what one instruction's additions were, and how the chosen design
// (Chosen) predicted them.
type PCCounts struct {
	PC   uint32
	Kind Kind
	// Executions are additions of threads.
	Executions, Mispredicted uint64
	// Slices are wrong predictions by slice, that of slice 1 first.
	Slices [31]uint64
	// Chains sums up the longest runs of carries; results are the sum of absolute
	// results, in two words.
	Chains    uint64
	high, low uint64
}

// MeanResult returns the mean of the absolute results: integers as signed ones, of
// floating point the sum of significands.
func (p *PCCounts) MeanResult() float64 {
	return (float64(p.high)*(1<<32)*(1<<32) + float64(p.low)) / float64(p.Executions)
}

// countPC counts an addition, but for what is predicted.
func (s *SM) countPC(pc uint32, x *Vectors) {
	for int(pc) >= len(s.pcs) {
		s.pcs = append(s.pcs, PCCounts{})
	}
	p := &s.pcs[pc]
	p.PC, p.Kind = pc, x.Kind
	p.Executions += popcount(x.Mask)
	chains, high, low := use.results(x)
	p.Chains += chains
	var carry uint64
	p.low, carry = bits.Add64(p.low, low, 0)
	p.high += high + carry
}

// countPredictions counts those of a run by the chosen design, which peeks.
func (s *SM) countPredictions(r *page, predicted *block) {
	p := &s.pcs[r.PC]
	for k := r.from; k < r.n; k++ {
		var missed uint32
		for i := range r.predicted {
			d := (predicted[i][k] ^ r.truth[i][k]) & r.open[i][k]
			missed |= d
			p.Slices[i] += popcount(d)
		}
		p.Mispredicted += popcount(missed)
	}
}

// addPCs adds counts by instruction.
func (r *Result) addPCs(pcs []PCCounts) {
	for len(r.PCs) < len(pcs) {
		r.PCs = append(r.PCs, PCCounts{})
	}
	for i := range pcs {
		p, q := &r.PCs[i], &pcs[i]
		if q.Executions == 0 {
			continue
		}
		p.PC, p.Kind = q.PC, q.Kind
		p.Executions += q.Executions
		p.Mispredicted += q.Mispredicted
		for k := range p.Slices {
			p.Slices[k] += q.Slices[k]
		}
		p.Chains += q.Chains
		var carry uint64
		p.low, carry = bits.Add64(p.low, q.low, 0)
		p.high += q.high + carry
	}
}
